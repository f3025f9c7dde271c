// SPDX-License-Identifier: Apache-2.0
//
// COUNT, MIN and MAX over a whole table that whoever keeps the table knows without reading it: the
// aggregation becomes the row that it would give. Bounded queries only, since a stream shows how
// the figures come about.
#include "base/arena.h"
#include "sql/bind.h"
#include "sql/optimize_int.h"

static bool is_not_null_literal(const struct expr *expr)
{
    return expr->kind == EXPR_LITERAL && !column_is_null(expr->value, 0);
}

enum { COMPUTED = -1, CONSTANT = -2 }; // a constant that is not null

// The column of the scan, by its place there, that an argument of the aggregation is.
static int64_t scan_column(const struct rel *rel, const struct expr *argument)
{
    while (argument->kind == EXPR_COLUMN && rel->node.kind == PLAN_CALC) {
        uint32_t at = plan_column_index(&rel->node, argument->column_id);
        if (at == UINT32_MAX) {
            return COMPUTED;
        }
        argument = rel->node.as.calc.projections[at];
        rel = rel->inputs[0];
    }
    if (argument->kind != EXPR_COLUMN) {
        return is_not_null_literal(argument) ? CONSTANT : COMPUTED;
    }
    uint32_t at = plan_column_index(&rel->node, argument->column_id);
    return at == UINT32_MAX ? COMPUTED : (int64_t)at;
}

// The scan whose rows, all of them, are aggregated; NULL: there is something in between.
static const struct rel *whole_scan(const struct rel *rel)
{
    const struct rel *input = rel->inputs[0];
    while (input->node.kind == PLAN_CALC && input->node.as.calc.condition == NULL) {
        input = input->inputs[0];
    }
    bool is_whole = input->node.kind == PLAN_SCAN && input->node.as.scan.table->is_iceberg &&
                    input->node.as.scan.table->metadata_table.size == 0 &&
                    input->node.as.scan.predicate == NULL && input->node.as.scan.limit < 0;
    return is_whole ? input : NULL;
}

// What a call asks for; false: no figure does.
static bool figure_of(const struct rel *group, const struct rel *scan,
                      const struct plan_aggregate_call *call, struct bind_figure *out)
{
    enum aggregate_kind kind = call->function->kind;
    bool is_count = kind == AGGREGATE_COUNT || kind == AGGREGATE_COUNT_STAR;
    if (call->filter != 0 || call->is_distinct ||
        (!is_count && kind != AGGREGATE_MIN && kind != AGGREGATE_MAX)) {
        return false;
    }
    *out = (struct bind_figure){.kind = is_count                ? BIND_FIGURE_ROWS
                                        : kind == AGGREGATE_MIN ? BIND_FIGURE_MIN
                                                                : BIND_FIGURE_MAX};
    int64_t at =
        call->argument_count == 0 ? CONSTANT : scan_column(group->inputs[0], call->arguments[0]);
    if (at < 0) {
        return is_count && at == CONSTANT;
    }
    const struct plan_scan *plan = &scan->node.as.scan;
    out->column = &plan->table->columns[plan->table_columns[at]];
    if (is_count && call->arguments[0]->type->nullable) {
        out->kind = BIND_FIGURE_VALUES;
    }
    return out->column->kind == TABLE_COLUMN_PHYSICAL;
}

static struct rel *make_values(struct arena *arena, const struct rel *group, const struct rel *scan,
                               const struct bind_figure *figures)
{
    const struct plan_group_aggregate *plan = &group->node.as.group_aggregate;
    struct ast_span at = {.offset = group->node.offset, .length = group->length};
    struct rel *values = rel_new(arena, PLAN_VALUES, at, 0);
    const struct expr **row = arena_new_array(arena, const struct expr *, plan->call_count + 1);
    for (uint32_t i = 0; i < plan->call_count; i++) {
        row[i] = expr_literal(arena, plan->calls[i].type, &figures[i].value);
    }
    rel_set_columns(arena, values, group->node.columns, group->node.column_count);
    values->node.as.values =
        (struct plan_values){.row_count = 1, .values = row, .figures_of = scan->node.as.scan.table};
    return values;
}

static struct rel *fold_group(struct optimizer *optimizer, struct rel *rel)
{
    const struct bind_tables *tables = optimizer->graph->tables;
    if (rel->node.kind != PLAN_GROUP_AGGREGATE || rel->node.as.group_aggregate.keys.count > 0) {
        return rel;
    }
    const struct plan_group_aggregate *plan = &rel->node.as.group_aggregate;
    const struct rel *scan = whole_scan(rel);
    if (scan == NULL || plan->call_count != rel->node.column_count) {
        return rel;
    }
    struct bind_figure *figures =
        arena_new_array(optimizer->arena, struct bind_figure, plan->call_count + 1);
    for (uint32_t i = 0; i < plan->call_count; i++) {
        if (!figure_of(rel, scan, &plan->calls[i], &figures[i])) {
            return rel;
        }
    }
    // Where this fails, the scan says why.
    if (tables->figures(tables->self, optimizer->arena, scan->node.as.scan.table, figures,
                        plan->call_count, NULL) != STATUS_OK) {
        return rel;
    }
    for (uint32_t i = 0; i < plan->call_count; i++) {
        if (!figures[i].is_known) {
            return rel;
        }
    }
    return make_values(optimizer->arena, rel, scan, figures);
}

void optimize_figures(struct rel_graph *graph)
{
    if (!graph->is_streaming && graph->tables->figures != NULL) {
        optimize_each(graph, fold_group);
    }
}
