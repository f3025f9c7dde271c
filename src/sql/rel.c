// SPDX-License-Identifier: Apache-2.0
#include "base/arena.h"
#include "base/assert.h"
#include "base/vec.h"
#include "sql/rel_int.h"

struct rel *rel_new(struct arena *arena, enum plan_kind kind, struct ast_span at,
                    uint32_t input_count)
{
    struct rel *rel = arena_new(arena, struct rel);
    rel->node.kind = kind;
    rel->node.offset = at.offset;
    rel->length = at.length;
    rel->inputs = arena_new_array(arena, struct rel *, input_count);
    rel->input_count = input_count;
    return rel;
}

// The binder's own arrays, which plan nodes declare const; see the head of rel_int.h.
struct plan_column *rel_columns(struct rel *rel)
{
    union {
        const struct plan_column *fixed;
        struct plan_column *open;
    } columns = {.fixed = rel->node.columns};
    return columns.open;
}

const struct expr **rel_projections(struct rel *rel)
{
    ASSERT(rel->node.kind == PLAN_CALC);
    union {
        const struct expr *const *fixed;
        const struct expr **open;
    } projections = {.fixed = rel->node.as.calc.projections};
    return projections.open;
}

static struct ast_span place_of(const struct rel *rel)
{
    return (struct ast_span){rel->node.offset, rel->length};
}

struct rel *rel_calc(struct arena *arena, struct rel *input, uint32_t column_count)
{
    struct rel *calc = rel_new(arena, PLAN_CALC, place_of(input), 1);
    calc->inputs[0] = input;
    calc->node.column_count = column_count;
    calc->node.columns = arena_new_array(arena, struct plan_column, column_count);
    calc->node.as.calc.projections = arena_new_array(arena, const struct expr *, column_count);
    return calc;
}

const struct expr *rel_reference(struct arena *arena, const struct plan_column *column)
{
    return expr_column(arena, column->id, column->name, column->type);
}

struct rel *rel_filter(struct arena *arena, struct rel *input, const struct expr *condition)
{
    struct rel *calc = rel_calc(arena, input, input->node.column_count);
    for (uint32_t i = 0; i < input->node.column_count; i++) {
        rel_columns(calc)[i] = input->node.columns[i];
        rel_projections(calc)[i] = rel_reference(arena, &input->node.columns[i]);
    }
    calc->node.as.calc.condition = condition;
    return calc;
}

struct rel *rel_visible(struct arena *arena, struct rel *rel)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < rel->node.column_count; i++) {
        count += rel->node.columns[i].is_hidden ? 0 : 1;
    }
    if (count == rel->node.column_count) {
        return rel;
    }
    struct rel *calc = rel_calc(arena, rel, count);
    count = 0;
    for (uint32_t i = 0; i < rel->node.column_count; i++) {
        if (!rel->node.columns[i].is_hidden) {
            rel_columns(calc)[count] = rel->node.columns[i];
            rel_projections(calc)[count++] = rel_reference(arena, &rel->node.columns[i]);
        }
    }
    return calc;
}

void rel_set_columns(struct arena *arena, struct rel *rel, const struct plan_column *columns,
                     uint32_t count)
{
    rel->node.columns = arena_copy(arena, columns, sizeof *columns * count);
    rel->node.column_count = count;
}

const struct plan_column *rel_column(const struct rel *rel, uint32_t id)
{
    uint32_t at = plan_column_index(&rel->node, id);
    return at == UINT32_MAX ? NULL : &rel->node.columns[at];
}

bool rel_is_identity(const struct rel *rel)
{
    if (rel->node.kind != PLAN_CALC || rel->node.as.calc.condition != NULL ||
        rel->node.column_count != rel->inputs[0]->node.column_count) {
        return false;
    }
    const struct plan_node *input = &rel->inputs[0]->node;
    for (uint32_t i = 0; i < rel->node.column_count; i++) {
        const struct expr *expr = rel->node.as.calc.projections[i];
        if (expr->kind != EXPR_COLUMN || expr->column_id != input->columns[i].id ||
            rel->node.columns[i].id != expr->column_id) {
            return false;
        }
    }
    return true;
}

struct order {
    struct arena *arena;
    VEC(struct rel *) rels;
};

static void visit(struct rel_graph *graph, struct order *order, struct rel *rel)
{
    rel->consumers++;
    if (rel->mark == graph->mark) {
        return;
    }
    rel->mark = graph->mark;
    rel->consumers = 1;
    for (uint32_t i = 0; i < rel->input_count; i++) {
        visit(graph, order, rel->inputs[i]);
    }
    VEC_PUSH(&order->rels, rel);
}

void rel_sort(struct rel_graph *graph)
{
    struct order order = {.arena = graph->arena};
    graph->mark++;
    for (uint32_t i = 0; i < graph->sink_count; i++) {
        visit(graph, &order, graph->sinks[i]);
    }
    graph->count = order.rels.count;
    graph->order =
        arena_copy(graph->arena, order.rels.items, sizeof *order.rels.items * order.rels.count);
    VEC_RELEASE(&order.rels);
}

static const struct expr *replace_column(struct arena *arena, const struct expr *node,
                                         void *context)
{
    const struct rel_substitution *substitution = context;
    if (node->kind != EXPR_COLUMN) {
        return node;
    }
    for (uint32_t i = 0; i < substitution->count; i++) {
        if (substitution->ids[i] == node->column_id) {
            const struct expr *other = substitution->exprs[i];
            // Told at the place that the user wrote, but for columns of the text itself.
            return node->length == 0 || other->length != 0
                       ? other
                       : expr_at(arena, other, node->offset, node->length);
        }
    }
    return node;
}

const struct expr *rel_substitute(struct arena *arena, const struct expr *expr,
                                  const struct rel_substitution *substitution)
{
    struct rel_substitution copy = *substitution;
    return expr_rewrite(arena, expr, replace_column, &copy);
}

struct rel_substitution rel_substitution_of(struct arena *arena, const struct rel *calc)
{
    uint32_t *ids = arena_new_array(arena, uint32_t, calc->node.column_count);
    for (uint32_t i = 0; i < calc->node.column_count; i++) {
        ids[i] = calc->node.columns[i].id;
    }
    return (struct rel_substitution){ids, calc->node.as.calc.projections, calc->node.column_count};
}

const struct rel *rel_window_of(const struct rel *rel, uint32_t id, uint32_t *part)
{
    while (rel->node.kind == PLAN_CALC) {
        uint32_t at = plan_column_index(&rel->node, id);
        const struct expr *expr = at == UINT32_MAX ? NULL : rel->node.as.calc.projections[at];
        if (expr == NULL || expr->kind != EXPR_COLUMN) {
            return NULL;
        }
        id = expr->column_id;
        rel = rel->inputs[0];
    }
    if (rel->node.kind != PLAN_WINDOW) {
        return NULL;
    }
    const struct plan_window *window = &rel->node.as.window;
    const uint32_t ids[] = {window->start_id, window->end_id, window->time_id};
    for (uint32_t i = 0; i < 3; i++) {
        if (ids[i] == id) {
            *part = i;
            return rel;
        }
    }
    return NULL;
}

uint32_t rel_expr_size(const struct expr *expr, uint32_t max)
{
    uint32_t size = 1;
    for (uint32_t i = 0; i < expr->arg_count && size < max; i++) {
        size += rel_expr_size(expr->args[i], max - size);
    }
    return size < max ? size : max;
}

bool rel_covers(const struct rel *rel, const struct expr *expr)
{
    if (expr->kind == EXPR_COLUMN) {
        return rel_column(rel, expr->column_id) != NULL;
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        if (!rel_covers(rel, expr->args[i])) {
            return false;
        }
    }
    return true;
}
