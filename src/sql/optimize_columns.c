// SPDX-License-Identifier: Apache-2.0
//
// Columns that nobody reads go. From the sinks down, each relation collects what all its consumers
// read; then, from the scans up, the lists of columns are made anew.
#include "base/arena.h"
#include "base/bits.h"
#include "sql/optimize_int.h"

struct pruner {
    struct rel_graph *graph;
    struct arena *arena;
    uint64_t **needed; // of each relation by its mark: bits by column id
};

static uint64_t *bits_of(const struct pruner *pruner, const struct rel *rel)
{
    return pruner->needed[rel->mark];
}

static bool is_needed(const struct pruner *pruner, const struct rel *rel, uint32_t id)
{
    return bits_get(bits_of(pruner, rel), id);
}

static void need_expr(uint64_t *bits, const struct expr *expr)
{
    if (expr == NULL) {
        return;
    }
    if (expr->kind == EXPR_COLUMN) {
        bits_set(bits, expr->column_id);
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        need_expr(bits, expr->args[i]);
    }
}

static void need_ids(uint64_t *bits, const struct plan_ids *ids)
{
    for (uint32_t i = 0; i < ids->count; i++) {
        bits_set(bits, ids->ids[i]);
    }
}

static void need_all(uint64_t *bits, const struct rel *rel)
{
    for (uint32_t i = 0; i < rel->node.column_count; i++) {
        bits_set(bits, rel->node.columns[i].id);
    }
}

// What a consumer asks for, of what the input has.
static void pass_down(const struct pruner *pruner, const struct rel *rel, const struct rel *input)
{
    uint64_t *from = bits_of(pruner, rel);
    uint64_t *to = bits_of(pruner, input);
    for (uint32_t i = 0; i < input->node.column_count; i++) {
        if (bits_get(from, input->node.columns[i].id)) {
            bits_set(to, input->node.columns[i].id);
        }
    }
}

// Calls whose results nobody reads are dropped; one without keys keeps a call, so that it has a
// row.
static void prune_calls(const struct pruner *pruner, const struct rel *rel,
                        const struct plan_ids *keys, const struct plan_aggregate_call **calls,
                        uint32_t *call_count)
{
    struct plan_aggregate_call *kept =
        arena_new_array(pruner->arena, struct plan_aggregate_call, *call_count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < *call_count; i++) {
        bool is_last = i + 1 == *call_count && count == 0 && keys->count == 0;
        if (is_last || is_needed(pruner, rel, (*calls)[i].output_id)) {
            kept[count++] = (*calls)[i];
        }
    }
    *calls = kept;
    *call_count = count;
}

static void need_calls(uint64_t *bits, const struct plan_ids *keys,
                       const struct plan_aggregate_call *calls, uint32_t count)
{
    need_ids(bits, keys);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < calls[i].argument_count; k++) {
            need_expr(bits, calls[i].arguments[k]);
        }
        if (calls[i].filter != 0) {
            bits_set(bits, calls[i].filter);
        }
    }
}

static void need_calc(const struct pruner *pruner, const struct rel *rel)
{
    uint64_t *below = bits_of(pruner, rel->inputs[0]);
    need_expr(below, rel->node.as.calc.condition);
    for (uint32_t i = 0; i < rel->node.column_count; i++) {
        if (is_needed(pruner, rel, rel->node.columns[i].id)) {
            need_expr(below, rel->node.as.calc.projections[i]);
        }
    }
}

// A union's branches hand out what is read of its columns, by position.
static void need_union(const struct pruner *pruner, const struct rel *rel)
{
    for (uint32_t i = 0; i < rel->input_count; i++) {
        for (uint32_t k = 0; k < rel->node.column_count; k++) {
            if (is_needed(pruner, rel, rel->node.columns[k].id)) {
                bits_set(bits_of(pruner, rel->inputs[i]), rel->inputs[i]->node.columns[k].id);
            }
        }
    }
}

static void need_window_aggregate(const struct pruner *pruner, struct rel *rel)
{
    struct plan_window_aggregate *window = &rel->node.as.window_aggregate;
    uint64_t *below = bits_of(pruner, rel->inputs[0]);
    uint32_t *ids[] = {&window->start_id, &window->end_id, &window->time_id};
    for (uint32_t i = 0; i < 3; i++) {
        if (*ids[i] != 0 && !is_needed(pruner, rel, *ids[i])) {
            *ids[i] = 0;
        }
    }
    // No keys is no group here: each window has its row whatever is read of it.
    struct plan_ids some = {.count = 1};
    prune_calls(pruner, rel, &some, &window->calls, &window->call_count);
    need_calls(below, &window->keys, window->calls, window->call_count);
    bits_set(below, window->spec.time_column);
}

static void need_join(const struct pruner *pruner, const struct rel *rel)
{
    const struct plan_join *join = &rel->node.as.join;
    uint64_t *own = bits_of(pruner, rel);
    need_expr(own, join->condition);
    need_ids(own, &join->left_keys);
    need_ids(own, &join->right_keys);
    pass_down(pruner, rel, rel->inputs[0]);
    pass_down(pruner, rel, rel->inputs[1]);
}

static void need_inputs(const struct pruner *pruner, struct rel *rel)
{
    uint64_t *own = bits_of(pruner, rel);
    switch (rel->node.kind) {
    case PLAN_SCAN:
    case PLAN_VALUES: return;
    case PLAN_CALC: need_calc(pruner, rel); return;
    case PLAN_UNION_ALL: need_union(pruner, rel); return;
    case PLAN_JOIN: need_join(pruner, rel); return;
    case PLAN_WINDOW_AGGREGATE: need_window_aggregate(pruner, rel); return;
    case PLAN_GROUP_AGGREGATE: {
        struct plan_group_aggregate *group = &rel->node.as.group_aggregate;
        prune_calls(pruner, rel, &group->keys, &group->calls, &group->call_count);
        need_calls(bits_of(pruner, rel->inputs[0]), &group->keys, group->calls, group->call_count);
        return;
    }
    case PLAN_SINK: need_all(bits_of(pruner, rel->inputs[0]), rel); return;
    case PLAN_WATERMARK:
        bits_set(own, rel->node.as.watermark.rowtime);
        need_expr(own, rel->node.as.watermark.expression);
        break;
    case PLAN_NORMALIZE: need_ids(own, &rel->node.as.normalize.keys); break;
    case PLAN_WINDOW: bits_set(own, rel->node.as.window.spec.time_column); break;
    case PLAN_SORT:
        for (uint32_t i = 0; i < rel->node.as.sort.key_count; i++) {
            bits_set(own, rel->node.as.sort.keys[i].id);
        }
        break;
    case PLAN_LIMIT:
    case PLAN_EXCHANGE: break;
    }
    pass_down(pruner, rel, rel->inputs[0]);
}

// Upwards --------------------------------------------------------------------------------------

// Keeps the columns that are read, with whatever stands beside each.
static void keep_needed(const struct pruner *pruner, struct rel *rel)
{
    struct plan_column *columns =
        arena_new_array(pruner->arena, struct plan_column, rel->node.column_count);
    uint32_t *indexes = arena_new_array(pruner->arena, uint32_t, rel->node.column_count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < rel->node.column_count; i++) {
        if (is_needed(pruner, rel, rel->node.columns[i].id)) {
            indexes[count] = i;
            columns[count++] = rel->node.columns[i];
        }
    }
    if (rel->node.kind == PLAN_CALC) {
        for (uint32_t i = 0; i < count; i++) {
            rel_projections(rel)[i] = rel->node.as.calc.projections[indexes[i]];
        }
    } else if (rel->node.kind == PLAN_SCAN) {
        for (uint32_t i = 0; i < count; i++) {
            indexes[i] = rel->node.as.scan.table_columns[indexes[i]];
        }
        rel->node.as.scan.table_columns = indexes;
    } else if (rel->node.kind == PLAN_VALUES) {
        struct plan_values *values = &rel->node.as.values;
        const struct expr **kept =
            arena_new_array(pruner->arena, const struct expr *, (size_t)values->row_count *count);
        for (uint32_t row = 0; row < values->row_count; row++) {
            for (uint32_t i = 0; i < count; i++) {
                kept[(size_t)row * count + i] =
                    values->values[(size_t)row * rel->node.column_count + indexes[i]];
            }
        }
        values->values = kept;
    }
    rel->node.columns = columns;
    rel->node.column_count = count;
}

// The input's columns, with the names and times that they have here.
static uint32_t follow_input(const struct rel *rel, const struct rel *input,
                             struct plan_column *columns)
{
    for (uint32_t i = 0; i < input->node.column_count; i++) {
        const struct plan_column *own = rel_column(rel, input->node.columns[i].id);
        columns[i] = own == NULL ? input->node.columns[i] : *own;
    }
    return input->node.column_count;
}

static void follow_inputs(const struct pruner *pruner, struct rel *rel)
{
    uint32_t most = 3;
    for (uint32_t i = 0; i < rel->input_count; i++) {
        most += rel->inputs[i]->node.column_count;
    }
    struct plan_column *columns = arena_new_array(pruner->arena, struct plan_column, most);
    uint32_t count = 0;
    for (uint32_t i = 0; i < rel->input_count; i++) {
        count += follow_input(rel, rel->inputs[i], columns + count);
    }
    if (rel->node.kind == PLAN_WINDOW) {
        const struct plan_window *window = &rel->node.as.window;
        columns[count++] = *rel_column(rel, window->start_id);
        columns[count++] = *rel_column(rel, window->end_id);
        columns[count++] = *rel_column(rel, window->time_id);
    }
    rel->node.columns = columns;
    rel->node.column_count = count;
}

// Keys stay, and what is left of calls and window bounds.
static void keep_results(const struct pruner *pruner, struct rel *rel)
{
    bool is_window = rel->node.kind == PLAN_WINDOW_AGGREGATE;
    const struct plan_window_aggregate *window = &rel->node.as.window_aggregate;
    const struct plan_group_aggregate *group = &rel->node.as.group_aggregate;
    const struct plan_ids *keys = is_window ? &window->keys : &group->keys;
    const struct plan_aggregate_call *calls = is_window ? window->calls : group->calls;
    uint32_t call_count = is_window ? window->call_count : group->call_count;
    struct plan_column *columns =
        arena_new_array(pruner->arena, struct plan_column, keys->count + call_count + 3);
    uint32_t count = 0;
    for (uint32_t i = 0; i < keys->count; i++) {
        columns[count++] = *rel_column(rel, keys->ids[i]);
    }
    for (uint32_t i = 0; i < call_count; i++) {
        columns[count++] = *rel_column(rel, calls[i].output_id);
    }
    const uint32_t bounds[] = {is_window ? window->start_id : 0, is_window ? window->end_id : 0,
                               is_window ? window->time_id : 0};
    for (uint32_t i = 0; i < 3; i++) {
        if (bounds[i] != 0) {
            columns[count++] = *rel_column(rel, bounds[i]);
        }
    }
    rel->node.columns = columns;
    rel->node.column_count = count;
}

// Each branch hands out just what the union does, in its order.
static void keep_union(const struct pruner *pruner, struct rel *rel)
{
    struct plan_column *columns =
        arena_new_array(pruner->arena, struct plan_column, rel->node.column_count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < rel->node.column_count; i++) {
        if (is_needed(pruner, rel, rel->node.columns[i].id)) {
            columns[count++] = rel->node.columns[i];
        }
    }
    rel->node.columns = columns;
    rel->node.column_count = count;
}

// Before the lists change: the ids that a union's branches hand out, by position.
static void fix_branches(const struct pruner *pruner, struct rel *rel)
{
    for (uint32_t i = 0; i < rel->input_count; i++) {
        struct rel *input = rel->inputs[i];
        struct rel *calc = rel_calc(pruner->arena, input, rel->node.column_count);
        uint32_t count = 0;
        for (uint32_t k = 0; k < rel->node.column_count; k++) {
            if (is_needed(pruner, rel, rel->node.columns[k].id)) {
                rel_columns(calc)[count] = input->node.columns[k];
                rel_projections(calc)[count++] =
                    rel_reference(pruner->arena, &input->node.columns[k]);
            }
        }
        calc->node.column_count = count;
        rel->inputs[i] = calc;
    }
}

static void rebuild(const struct pruner *pruner, struct rel *rel)
{
    switch (rel->node.kind) {
    case PLAN_SCAN:
    case PLAN_VALUES:
    case PLAN_CALC: keep_needed(pruner, rel); return;
    case PLAN_UNION_ALL: keep_union(pruner, rel); return;
    case PLAN_GROUP_AGGREGATE:
    case PLAN_WINDOW_AGGREGATE: keep_results(pruner, rel); return;
    case PLAN_SINK: return;
    case PLAN_JOIN:
    case PLAN_WATERMARK:
    case PLAN_NORMALIZE:
    case PLAN_WINDOW:
    case PLAN_SORT:
    case PLAN_LIMIT:
    case PLAN_EXCHANGE: follow_inputs(pruner, rel); return;
    }
}

void optimize_columns(struct rel_graph *graph)
{
    rel_sort(graph);
    struct pruner pruner = {.graph = graph, .arena = graph->arena};
    pruner.needed = arena_new_array(graph->arena, uint64_t *, graph->count);
    for (uint32_t i = 0; i < graph->count; i++) {
        graph->order[i]->mark = i;
        pruner.needed[i] = arena_new_array(graph->arena, uint64_t, bits_words(graph->next_id));
    }
    for (uint32_t i = graph->count; i-- > 0;) {
        need_inputs(&pruner, graph->order[i]);
    }
    for (uint32_t i = 0; i < graph->count; i++) {
        if (graph->order[i]->node.kind == PLAN_UNION_ALL) {
            fix_branches(&pruner, graph->order[i]);
        }
    }
    for (uint32_t i = 0; i < graph->count; i++) {
        rebuild(&pruner, graph->order[i]);
    }
    graph->mark = graph->mark < graph->count ? graph->count : graph->mark;
}
