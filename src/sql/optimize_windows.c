// SPDX-License-Identifier: Apache-2.0
//
// GROUP BY window_start, window_end over a window table function becomes one WINDOW_AGGREGATE: rows
// are never multiplied by their windows, and a window's groups come out once, when the watermark
// has passed it. Not where the aggregation reads the window's bounds in arguments: that stays as it
// is written.
#include "base/arena.h"
#include "sql/optimize_int.h"

enum { CONJUNCTS_MAX = 64 };

struct fusion {
    struct optimizer *optimizer;
    struct rel *group;
    struct rel *calc; // between, or NULL
    struct rel *window;
    uint32_t ids[3];      // of start, end and time among the group's keys; 0: not a key
    uint32_t *other_keys; // the rest
    uint32_t other_count;
    const struct expr *below; // what filters before the aggregation, over the window's input
    const struct expr *above; // and what may as well filter its results
};

static uint32_t window_part(const struct rel *window, uint32_t id)
{
    const struct plan_window *plan = &window->node.as.window;
    return id == plan->start_id  ? REL_WINDOW_START
           : id == plan->end_id  ? REL_WINDOW_END
           : id == plan->time_id ? REL_WINDOW_TIME
                                 : UINT32_MAX;
}

static bool reads_window(const struct rel *window, const struct expr *expr)
{
    if (expr == NULL) {
        return false;
    }
    if (expr->kind == EXPR_COLUMN) {
        return window_part(window, expr->column_id) != UINT32_MAX;
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        if (reads_window(window, expr->args[i])) {
            return true;
        }
    }
    return false;
}

// What computes a column of the CALC's output (or is it, without a CALC).
static const struct expr *source_of(const struct fusion *fusion, uint32_t id)
{
    return fusion->calc->node.as.calc.projections[plan_column_index(&fusion->calc->node, id)];
}

static void sort_keys(struct fusion *fusion)
{
    const struct plan_ids *keys = &fusion->group->node.as.group_aggregate.keys;
    fusion->other_keys = arena_new_array(fusion->optimizer->arena, uint32_t, keys->count);
    for (uint32_t i = 0; i < keys->count; i++) {
        const struct expr *source = source_of(fusion, keys->ids[i]);
        uint32_t part = source->kind == EXPR_COLUMN ? window_part(fusion->window, source->column_id)
                                                    : UINT32_MAX;
        if (part != UINT32_MAX && fusion->ids[part] == 0) {
            fusion->ids[part] = keys->ids[i];
        } else {
            fusion->other_keys[fusion->other_count++] = keys->ids[i];
        }
    }
}

// Reads nothing but those columns of the window that are keys.
static bool reads_keys_only(const struct fusion *fusion, const struct expr *expr)
{
    if (expr->kind == EXPR_COLUMN) {
        uint32_t part = window_part(fusion->window, expr->column_id);
        return part != UINT32_MAX && fusion->ids[part] != 0;
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        if (!reads_keys_only(fusion, expr->args[i])) {
            return false;
        }
    }
    return true;
}

// The filter below the aggregation: what reads the window's bounds goes above it, since these are
// keys. False: some of it reads both.
static bool split_condition(struct fusion *fusion)
{
    const struct expr *parts[CONJUNCTS_MAX];
    const struct expr *condition = fusion->calc->node.as.calc.condition;
    if (!reads_window(fusion->window, condition)) {
        fusion->below = condition;
        return true;
    }
    uint32_t count = expr_conjuncts(condition, parts, CONJUNCTS_MAX);
    const struct expr *above[CONJUNCTS_MAX];
    const struct expr *below[CONJUNCTS_MAX];
    uint32_t above_count = 0;
    uint32_t below_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool reads = i >= CONJUNCTS_MAX || reads_window(fusion->window, parts[i]);
        if (reads && (i >= CONJUNCTS_MAX || !reads_keys_only(fusion, parts[i]) ||
                      !expr_is_deterministic(parts[i]))) {
            return false;
        }
        if (reads) {
            above[above_count++] = parts[i];
        } else {
            below[below_count++] = parts[i];
        }
    }
    struct arena *arena = fusion->optimizer->arena;
    struct expr_list lists[] = {{above, above_count}, {below, below_count}};
    fusion->above = expr_and(arena, lists[0]);
    fusion->below = below_count == 0 ? NULL : expr_and(arena, lists[1]);
    return true;
}

static bool calc_fits(struct fusion *fusion)
{
    const struct rel *calc = fusion->calc;
    if (!split_condition(fusion)) {
        return false;
    }
    for (uint32_t i = 0; i < calc->node.column_count; i++) {
        uint32_t id = calc->node.columns[i].id;
        bool is_bound = id == fusion->ids[0] || id == fusion->ids[1] || id == fusion->ids[2];
        if (!is_bound && reads_window(fusion->window, calc->node.as.calc.projections[i])) {
            return false;
        }
    }
    // A bound may be an argument as well (the same column of the CALC).
    const struct plan_group_aggregate *group = &fusion->group->node.as.group_aggregate;
    for (uint32_t i = 0; i < group->call_count; i++) {
        for (uint32_t k = 0; k < group->calls[i].argument_count; k++) {
            const struct expr *argument = group->calls[i].arguments[k];
            if (argument->kind == EXPR_COLUMN &&
                reads_window(fusion->window, source_of(fusion, argument->column_id))) {
                return false;
            }
        }
    }
    return true;
}

// The CALC without the window's columns, over the window's input, with the time column.
static struct rel *input_without_window(const struct fusion *fusion)
{
    struct arena *arena = fusion->optimizer->arena;
    const struct rel *from = fusion->calc;
    struct rel *input = fusion->window->inputs[0];
    uint32_t time_id = fusion->window->node.as.window.spec.time_column;
    struct rel *calc = rel_calc(arena, input, from->node.column_count + 1);
    uint32_t count = 0;
    bool has_time = false;
    for (uint32_t i = 0; i < from->node.column_count; i++) {
        const struct expr *expr = from->node.as.calc.projections[i];
        if (!reads_window(fusion->window, expr)) {
            rel_columns(calc)[count] = from->node.columns[i];
            rel_projections(calc)[count++] = expr;
            has_time = has_time || from->node.columns[i].id == time_id;
        }
    }
    if (!has_time) {
        const struct plan_column *time = rel_column(input, time_id);
        rel_columns(calc)[count] = *time;
        rel_projections(calc)[count++] = rel_reference(arena, time);
    }
    calc->node.column_count = count;
    calc->node.as.calc.condition = fusion->below;
    return calc;
}

static struct rel *fuse(const struct fusion *fusion)
{
    struct arena *arena = fusion->optimizer->arena;
    const struct rel *group = fusion->group;
    const struct plan_group_aggregate *calls = &group->node.as.group_aggregate;
    struct ast_span at = {group->node.offset, group->length};
    struct rel *rel = rel_new(arena, PLAN_WINDOW_AGGREGATE, at, 1);
    rel->inputs[0] = input_without_window(fusion);
    rel->inputs[0]->consumers = 1;
    rel->consumers = group->consumers;
    struct plan_column *columns =
        arena_new_array(arena, struct plan_column, group->node.column_count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < fusion->other_count; i++) {
        columns[count++] = *rel_column(group, fusion->other_keys[i]);
    }
    for (uint32_t i = 0; i < calls->call_count; i++) {
        columns[count++] = *rel_column(group, calls->calls[i].output_id);
    }
    for (uint32_t i = 0; i < 3; i++) {
        if (fusion->ids[i] != 0) {
            columns[count++] = *rel_column(group, fusion->ids[i]);
        }
    }
    rel->node.columns = columns;
    rel->node.column_count = count;
    rel->node.as.window_aggregate =
        (struct plan_window_aggregate){.spec = fusion->window->node.as.window.spec,
                                       .keys = {fusion->other_count, fusion->other_keys},
                                       .call_count = calls->call_count,
                                       .calls = calls->calls,
                                       .start_id = fusion->ids[REL_WINDOW_START],
                                       .end_id = fusion->ids[REL_WINDOW_END],
                                       .time_id = fusion->ids[REL_WINDOW_TIME]};
    return rel;
}

static struct rel *filter_results(const struct fusion *fusion, struct rel *rel)
{
    struct arena *arena = fusion->optimizer->arena;
    const struct plan_window *window = &fusion->window->node.as.window;
    const uint32_t inner[] = {window->start_id, window->end_id, window->time_id};
    uint32_t ids[3];
    const struct expr *exprs[3];
    uint32_t count = 0;
    for (uint32_t i = 0; i < 3; i++) {
        if (fusion->ids[i] != 0) {
            ids[count] = inner[i];
            exprs[count++] = rel_reference(arena, rel_column(rel, fusion->ids[i]));
        }
    }
    struct rel_substitution substitution = {ids, exprs, count};
    struct rel *filter =
        rel_filter(arena, rel, rel_substitute(arena, fusion->above, &substitution));
    filter->consumers = rel->consumers;
    rel->consumers = 1;
    return filter;
}

static struct rel *fuse_rel(struct optimizer *optimizer, struct rel *rel)
{
    if (rel->node.kind != PLAN_GROUP_AGGREGATE || rel->inputs[0]->node.kind != PLAN_CALC ||
        rel->inputs[0]->inputs[0]->node.kind != PLAN_WINDOW) {
        return rel;
    }
    struct fusion fusion = {.optimizer = optimizer,
                            .group = rel,
                            .calc = rel->inputs[0],
                            .window = rel->inputs[0]->inputs[0]};
    sort_keys(&fusion);
    bool has_bounds = fusion.ids[REL_WINDOW_START] != 0 && fusion.ids[REL_WINDOW_END] != 0;
    if (!has_bounds || !calc_fits(&fusion)) {
        return rel;
    }
    struct rel *fused = fuse(&fusion);
    return fusion.above == NULL ? fused : filter_results(&fusion, fused);
}

void optimize_windows(struct rel_graph *graph)
{
    optimize_each(graph, fuse_rel);
}
