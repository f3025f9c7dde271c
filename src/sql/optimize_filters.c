// SPDX-License-Identifier: Apache-2.0
//
// Filters down. A conjunct goes through a relation when its columns come from below it and it means
// the same there. It stays where it is not deterministic; and above joins and aggregations where it
// can fail, since rows that these drop must not make it fail. A relation with several consumers
// takes no filter of one of them, a watermark sees all rows.
#include "base/arena.h"
#include "sql/optimize_int.h"

enum { CONJUNCTS_MAX = 4096 };

void optimize_conjuncts_add(struct arena *arena, struct conjuncts *list, const struct expr *expr)
{
    if (expr_is_literal_true(expr)) {
        return;
    }
    if (list->count == list->capacity) {
        uint32_t capacity = list->capacity == 0 ? 8 : 2 * list->capacity;
        const struct expr **items = arena_new_array(arena, const struct expr *, capacity);
        for (uint32_t i = 0; i < list->count; i++) {
            items[i] = list->items[i];
        }
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = expr;
}

// The operands of nested ANDs; all as one where there are too many to sort out.
static void split(struct arena *arena, const struct expr *expr, struct conjuncts *out)
{
    if (expr == NULL) {
        return;
    }
    const struct expr **parts = arena_new_array(arena, const struct expr *, CONJUNCTS_MAX);
    uint32_t count = expr_conjuncts(expr, parts, CONJUNCTS_MAX);
    if (count > CONJUNCTS_MAX) {
        optimize_conjuncts_add(arena, out, expr);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        optimize_conjuncts_add(arena, out, parts[i]);
    }
}

static struct rel *above(struct arena *arena, struct rel *rel, const struct conjuncts *conjuncts)
{
    if (conjuncts->count == 0) {
        return rel;
    }
    struct expr_list list = {conjuncts->items, conjuncts->count};
    return rel_filter(arena, rel, expr_and(arena, list));
}

static struct rel *push(struct optimizer *optimizer, struct rel *rel, struct conjuncts *conjuncts);

static struct rel *push_calc(struct optimizer *optimizer, struct rel *rel,
                             const struct conjuncts *conjuncts)
{
    struct arena *arena = optimizer->arena;
    struct conjuncts own = {0};
    struct conjuncts below = {0};
    struct conjuncts here = {0};
    struct conjuncts stay = {0};
    split(arena, rel->node.as.calc.condition, &own);
    for (uint32_t i = 0; i < own.count; i++) {
        bool moves = expr_is_deterministic(own.items[i]);
        optimize_conjuncts_add(arena, moves ? &below : &here, own.items[i]);
    }
    struct rel_substitution substitution = rel_substitution_of(arena, rel);
    for (uint32_t i = 0; i < conjuncts->count; i++) {
        const struct expr *moved = rel_substitute(arena, conjuncts->items[i], &substitution);
        // Behind a filter that draws lots, a condition that can fail must stay behind it.
        bool moves = expr_is_deterministic(moved) && here.count == 0;
        optimize_conjuncts_add(arena, moves ? &below : &stay, moves ? moved : conjuncts->items[i]);
    }
    struct expr_list list = {here.items, here.count};
    rel->node.as.calc.condition = here.count == 0 ? NULL : expr_and(arena, list);
    rel->inputs[0] = push(optimizer, rel->inputs[0], &below);
    return above(arena, rel, &stay);
}

static struct rel *push_union(struct optimizer *optimizer, struct rel *rel,
                              const struct conjuncts *conjuncts)
{
    struct arena *arena = optimizer->arena;
    uint32_t column_count = rel->node.column_count;
    for (uint32_t i = 0; i < rel->input_count; i++) {
        uint32_t *ids = arena_new_array(arena, uint32_t, column_count);
        const struct expr **exprs = arena_new_array(arena, const struct expr *, column_count);
        for (uint32_t k = 0; k < column_count; k++) {
            ids[k] = rel->node.columns[k].id;
            exprs[k] = rel_reference(arena, &rel->inputs[i]->node.columns[k]);
        }
        struct rel_substitution substitution = {ids, exprs, column_count};
        struct conjuncts below = {0};
        for (uint32_t k = 0; k < conjuncts->count; k++) {
            optimize_conjuncts_add(arena, &below,
                                   rel_substitute(arena, conjuncts->items[k], &substitution));
        }
        rel->inputs[i] = push(optimizer, rel->inputs[i], &below);
    }
    return rel;
}

static struct rel *push_join(struct optimizer *optimizer, struct rel *rel,
                             const struct conjuncts *conjuncts)
{
    struct conjuncts all = {0};
    struct conjuncts left = {0};
    struct conjuncts right = {0};
    split(optimizer->arena, rel->node.as.join.condition, &all);
    for (uint32_t i = 0; i < conjuncts->count; i++) {
        optimize_conjuncts_add(optimizer->arena, &all, conjuncts->items[i]);
    }
    optimize_join(optimizer, rel, &all, &left, &right);
    rel->inputs[0] = push(optimizer, rel->inputs[0], &left);
    rel->inputs[1] = push(optimizer, rel->inputs[1], &right);
    return rel;
}

// Through relations that only add columns or regroup rows: what `passes` says of a conjunct.
static struct rel *push_some(struct optimizer *optimizer, struct rel *rel,
                             const struct conjuncts *conjuncts,
                             bool (*passes)(const struct rel *rel, const struct expr *expr))
{
    struct conjuncts below = {0};
    struct conjuncts stay = {0};
    for (uint32_t i = 0; i < conjuncts->count; i++) {
        bool moves = passes(rel, conjuncts->items[i]);
        optimize_conjuncts_add(optimizer->arena, moves ? &below : &stay, conjuncts->items[i]);
    }
    rel->inputs[0] = push(optimizer, rel->inputs[0], &below);
    return above(optimizer->arena, rel, &stay);
}

static bool passes_input(const struct rel *rel, const struct expr *expr)
{
    return rel_covers(rel->inputs[0], expr);
}

static bool is_key(const struct plan_ids *keys, const struct expr *expr)
{
    if (expr->kind == EXPR_COLUMN) {
        return plan_ids_contain(keys, expr->column_id);
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        if (!is_key(keys, expr->args[i])) {
            return false;
        }
    }
    return true;
}

static bool passes_group(const struct rel *rel, const struct expr *expr)
{
    const struct plan_ids *keys = &rel->node.as.group_aggregate.keys;
    return keys->count > 0 && is_key(keys, expr) && !expr_can_error(expr);
}

static bool passes_nothing(const struct rel *rel, const struct expr *expr)
{
    (void)rel;
    (void)expr;
    return false;
}

static struct rel *push_kind(struct optimizer *optimizer, struct rel *rel,
                             const struct conjuncts *conjuncts)
{
    switch (rel->node.kind) {
    case PLAN_CALC: return push_calc(optimizer, rel, conjuncts);
    case PLAN_UNION_ALL: return push_union(optimizer, rel, conjuncts);
    case PLAN_JOIN: return push_join(optimizer, rel, conjuncts);
    case PLAN_WINDOW: return push_some(optimizer, rel, conjuncts, passes_input);
    case PLAN_SORT:
        return push_some(optimizer, rel, conjuncts,
                         rel->node.as.sort.limit < 0 ? passes_input : passes_nothing);
    case PLAN_GROUP_AGGREGATE: return push_some(optimizer, rel, conjuncts, passes_group);
    case PLAN_WATERMARK:
    case PLAN_NORMALIZE:
    case PLAN_LIMIT:
    case PLAN_SINK:
    case PLAN_EXCHANGE:
    case PLAN_WINDOW_AGGREGATE: return push_some(optimizer, rel, conjuncts, passes_nothing);
    case PLAN_SCAN:
    case PLAN_VALUES: break;
    }
    return above(optimizer->arena, rel, conjuncts);
}

static struct rel *push(struct optimizer *optimizer, struct rel *rel, struct conjuncts *conjuncts)
{
    bool is_known = rel->mark < optimizer->graph->count &&
                    optimizer->graph->order[rel->mark] == rel; // not made by this pass
    if (!is_known || rel->consumers < 2) {
        return push_kind(optimizer, rel, conjuncts);
    }
    struct rel **made = &optimizer->made[rel->mark];
    if (*made == NULL) {
        static const struct conjuncts none = {0};
        *made = push_kind(optimizer, rel, &none);
    }
    return above(optimizer->arena, *made, conjuncts);
}

void optimize_filters(struct rel_graph *graph)
{
    rel_sort(graph);
    struct optimizer optimizer = {.graph = graph, .arena = graph->arena};
    optimizer.made = arena_new_array(graph->arena, struct rel *, graph->count);
    for (uint32_t i = 0; i < graph->count; i++) {
        graph->order[i]->mark = i;
    }
    for (uint32_t i = 0; i < graph->sink_count; i++) {
        struct conjuncts none = {0};
        graph->sinks[i] = push(&optimizer, graph->sinks[i], &none);
    }
    graph->mark = graph->mark < graph->count ? graph->count : graph->mark;
}
