// SPDX-License-Identifier: Apache-2.0
#include "base/arena.h"
#include "sql/bind_int.h"
#include "sql/optimize_int.h"

uint32_t optimize_id(struct optimizer *optimizer)
{
    return optimizer->graph->next_id++;
}

void optimize_each(struct rel_graph *graph,
                   struct rel *(*rewrite)(struct optimizer *optimizer, struct rel *rel))
{
    rel_sort(graph);
    struct optimizer optimizer = {.graph = graph, .arena = graph->arena};
    optimizer.made = arena_new_array(graph->arena, struct rel *, graph->count);
    for (uint32_t i = 0; i < graph->count; i++) {
        graph->order[i]->mark = i; // its place, until the next rel_sort()
    }
    for (uint32_t i = 0; i < graph->count; i++) {
        struct rel *rel = graph->order[i];
        for (uint32_t k = 0; k < rel->input_count; k++) {
            rel->inputs[k] = optimizer.made[rel->inputs[k]->mark];
        }
        optimizer.made[i] = rewrite(&optimizer, rel);
    }
    for (uint32_t i = 0; i < graph->sink_count; i++) {
        graph->sinks[i] = optimizer.made[graph->sinks[i]->mark];
    }
    graph->mark = graph->mark < graph->count ? graph->count : graph->mark;
}

static const struct expr *fold(const struct rel_graph *graph, const struct expr *expr)
{
    return expr == NULL ? NULL : expr_fold(graph->arena, expr, graph->settings);
}

static struct rel *fold_rel(struct optimizer *optimizer, struct rel *rel)
{
    const struct rel_graph *graph = optimizer->graph;
    if (rel->node.kind == PLAN_CALC) {
        for (uint32_t i = 0; i < rel->node.column_count; i++) {
            rel_projections(rel)[i] = fold(graph, rel->node.as.calc.projections[i]);
        }
        const struct expr *condition = fold(graph, rel->node.as.calc.condition);
        bool is_true = condition != NULL && expr_is_literal_true(condition);
        rel->node.as.calc.condition = is_true ? NULL : condition;
    } else if (rel->node.kind == PLAN_WATERMARK) {
        rel->node.as.watermark.expression = fold(graph, rel->node.as.watermark.expression);
    } else if (rel->node.kind == PLAN_JOIN) {
        rel->node.as.join.condition = fold(graph, rel->node.as.join.condition);
    } else if (rel->node.kind == PLAN_VALUES) {
        uint32_t count = rel->node.as.values.row_count * rel->node.column_count;
        const struct expr **values = arena_new_array(graph->arena, const struct expr *, count);
        for (uint32_t i = 0; i < count; i++) {
            values[i] = fold(graph, rel->node.as.values.values[i]);
        }
        rel->node.as.values.values = values;
    }
    return rel;
}

void optimize(struct rel_graph *graph)
{
    optimize_each(graph, fold_rel);
    optimize_filters(graph);
    optimize_calcs(graph);
    optimize_each(graph, fold_rel);
    optimize_windows(graph);
    optimize_columns(graph);
    optimize_calcs(graph);
    optimize_identities(graph);
    optimize_figures(graph);
    optimize_fields(graph);
    optimize_scans(graph);
}
