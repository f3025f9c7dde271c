// SPDX-License-Identifier: Apache-2.0
//
// What a source may know of the query: a condition by which it can skip data, and how many rows
// suffice. Only where one CALC reads the scan and no watermark is made of its rows in between.
#include "base/arena.h"
#include "sql/optimize_int.h"

enum { CONJUNCTS_MAX = 256 };

static void tell_condition(struct arena *arena, const struct rel *calc, struct rel *scan)
{
    const struct expr *parts[CONJUNCTS_MAX];
    if (calc->node.as.calc.condition == NULL) {
        return;
    }
    uint32_t count = expr_conjuncts(calc->node.as.calc.condition, parts, CONJUNCTS_MAX);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count && i < CONJUNCTS_MAX; i++) {
        if (expr_is_deterministic(parts[i])) {
            parts[kept++] = parts[i];
        }
    }
    if (kept > 0) {
        struct expr_list list = {parts, kept};
        scan->node.as.scan.predicate = expr_and(arena, list);
    }
}

static void tell_limit(const struct rel *limit)
{
    const struct plan_limit *plan = &limit->node.as.limit;
    struct rel *rel = limit->inputs[0];
    while (rel->node.kind == PLAN_CALC && rel->node.as.calc.condition == NULL &&
           rel->consumers == 1) {
        rel = rel->inputs[0];
    }
    if (rel->node.kind == PLAN_SCAN && rel->consumers == 1 && plan->limit >= 0 &&
        plan->limit <= INT64_MAX - plan->offset) {
        rel->node.as.scan.limit = plan->limit + plan->offset;
    }
}

void optimize_scans(struct rel_graph *graph)
{
    rel_sort(graph);
    for (uint32_t i = 0; i < graph->count; i++) {
        struct rel *rel = graph->order[i];
        if (rel->node.kind == PLAN_CALC && rel->inputs[0]->node.kind == PLAN_SCAN &&
            rel->inputs[0]->consumers == 1) {
            tell_condition(graph->arena, rel, rel->inputs[0]);
        } else if (rel->node.kind == PLAN_LIMIT) {
            tell_limit(rel);
        }
    }
}
