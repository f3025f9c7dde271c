// SPDX-License-Identifier: Apache-2.0
//
// CALCs merged: projections put into the expressions above them. Equal expressions of one CALC are
// computed once (program.h), so that this never computes more; but what is not deterministic must
// not be written down twice, and expressions that double at each level must not grow without end.
#include "base/arena.h"
#include "sql/optimize_int.h"

enum { MERGED_SIZE_MAX = 10000 };

// Only hands on columns.
static bool is_pure(const struct rel *calc)
{
    if (calc->node.as.calc.condition != NULL) {
        return false;
    }
    for (uint32_t i = 0; i < calc->node.column_count; i++) {
        if (calc->node.as.calc.projections[i]->kind != EXPR_COLUMN) {
            return false;
        }
    }
    return true;
}

static uint32_t count_uses(const struct expr *expr, uint32_t id)
{
    if (expr == NULL) {
        return 0;
    }
    uint32_t uses = expr->kind == EXPR_COLUMN && expr->column_id == id ? 1 : 0;
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        uses += count_uses(expr->args[i], id);
    }
    return uses;
}

static uint32_t uses_of(const struct rel *calc, uint32_t id)
{
    uint32_t uses = count_uses(calc->node.as.calc.condition, id);
    for (uint32_t i = 0; i < calc->node.column_count; i++) {
        uses += count_uses(calc->node.as.calc.projections[i], id);
    }
    return uses;
}

// An upper bound of the merged expressions' size.
static uint32_t merged_size(const struct rel *calc, const struct rel *lower)
{
    uint64_t size = 0;
    for (uint32_t i = 0; i < lower->node.column_count && size < MERGED_SIZE_MAX; i++) {
        const struct expr *expr = lower->node.as.calc.projections[i];
        if (expr->kind != EXPR_COLUMN) {
            uint64_t uses = uses_of(calc, lower->node.columns[i].id);
            size += uses * rel_expr_size(expr, MERGED_SIZE_MAX);
        }
    }
    return size < MERGED_SIZE_MAX ? (uint32_t)size : MERGED_SIZE_MAX;
}

static bool can_merge(const struct rel *calc, const struct rel *lower)
{
    if (lower->node.kind != PLAN_CALC || (lower->consumers > 1 && !is_pure(lower))) {
        return false;
    }
    for (uint32_t i = 0; i < lower->node.column_count; i++) {
        if (!expr_is_deterministic(lower->node.as.calc.projections[i]) &&
            uses_of(calc, lower->node.columns[i].id) > 1) {
            return false;
        }
    }
    return merged_size(calc, lower) < MERGED_SIZE_MAX;
}

static void merge(struct arena *arena, struct rel *calc, struct rel *lower)
{
    struct rel_substitution substitution = rel_substitution_of(arena, lower);
    for (uint32_t i = 0; i < calc->node.column_count; i++) {
        const struct expr **projection = &rel_projections(calc)[i];
        *projection = rel_substitute(arena, *projection, &substitution);
    }
    const struct expr *own = calc->node.as.calc.condition;
    const struct expr *both[] = {lower->node.as.calc.condition,
                                 own == NULL ? NULL : rel_substitute(arena, own, &substitution)};
    if (both[0] != NULL || both[1] != NULL) {
        calc->node.as.calc.condition = both[1] == NULL   ? both[0]
                                       : both[0] == NULL ? both[1]
                                                         : expr_and(arena, EXPR_LIST(both));
    }
    calc->inputs[0] = lower->inputs[0];
    if (lower->consumers > 1) {
        lower->consumers--;
        lower->inputs[0]->consumers++;
    }
}

// A CALC over constant rows computes them.
static void merge_values(struct arena *arena, struct rel *calc)
{
    const struct rel *values = calc->inputs[0];
    uint32_t row_count = values->node.as.values.row_count;
    uint32_t in_count = values->node.column_count;
    uint32_t out_count = calc->node.column_count;
    uint32_t *ids = arena_new_array(arena, uint32_t, in_count);
    for (uint32_t i = 0; i < in_count; i++) {
        ids[i] = values->node.columns[i].id;
    }
    const struct expr **rows =
        arena_new_array(arena, const struct expr *, (size_t)row_count *out_count);
    for (uint32_t row = 0; row < row_count; row++) {
        struct rel_substitution substitution = {
            ids, values->node.as.values.values + (size_t)row * in_count, in_count};
        for (uint32_t i = 0; i < out_count; i++) {
            rows[(size_t)row * out_count + i] =
                rel_substitute(arena, calc->node.as.calc.projections[i], &substitution);
        }
    }
    calc->node.kind = PLAN_VALUES;
    calc->node.as.values = (struct plan_values){.row_count = row_count, .values = rows};
    calc->input_count = 0;
}

static struct rel *merge_rel(struct optimizer *optimizer, struct rel *rel)
{
    if (rel->node.kind != PLAN_CALC) {
        return rel;
    }
    while (can_merge(rel, rel->inputs[0])) {
        merge(optimizer->arena, rel, rel->inputs[0]);
    }
    const struct rel *input = rel->inputs[0];
    if (input->node.kind == PLAN_VALUES && input->consumers < 2 &&
        rel->node.as.calc.condition == NULL) {
        merge_values(optimizer->arena, rel);
    }
    return rel;
}

void optimize_calcs(struct rel_graph *graph)
{
    optimize_each(graph, merge_rel);
}

static struct rel *drop_identity(struct optimizer *optimizer, struct rel *rel)
{
    (void)optimizer;
    return rel_is_identity(rel) ? rel->inputs[0] : rel;
}

void optimize_identities(struct rel_graph *graph)
{
    optimize_each(graph, drop_identity);
}
