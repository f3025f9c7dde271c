// SPDX-License-Identifier: Apache-2.0
//
// Fields of rows that nobody reads go too, where the source can leave them out: of an event with
// three rows of thirty fields, a query that reads five has five decoded.
//
// From the sinks down, each column of a relation collects how it is read: as a whole, or by which
// fields. A scan's columns then get types without the rest, and the types of all that hands them on
// follow.
#include "base/arena.h"
#include "expr/function.h"
#include "sql/optimize_int.h"

enum { PATH_MAX_FIELDS = 32 };

// How a value is read. A row that is not read as a whole is read by the fields that have a usage.
struct usage {
    bool is_whole;
    struct usage **fields; // of the row's type; NULL entries: not read
};

struct pruner {
    struct arena *arena;
    struct rel_graph *graph;
    struct usage **usages; // of each relation by its mark: an array by column position
};

static struct usage *usage_of(const struct pruner *pruner, const struct rel *rel, uint32_t id)
{
    uint32_t at = plan_column_index(&rel->node, id);
    return at == UINT32_MAX ? NULL : &pruner->usages[rel->mark][at];
}

static struct usage *field_usage(struct arena *arena, struct usage *usage, const struct type *type,
                                 struct str name)
{
    if (usage->fields == NULL) {
        usage->fields = arena_new_array(arena, struct usage *, type->field_count);
    }
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (str_equal(type->fields[i].name, name)) {
            if (usage->fields[i] == NULL) {
                usage->fields[i] = arena_new(arena, struct usage);
            }
            return usage->fields[i];
        }
    }
    usage->is_whole = true;
    return usage;
}

static bool is_field(const struct expr *expr)
{
    return expr->kind == EXPR_CALL && expr->arg_count == 1 &&
           str_is(str_from(expr->function->name), "FIELD");
}

// Notes what an expression reads of the columns of `input`.
static void note(const struct pruner *pruner, const struct rel *input, const struct expr *expr)
{
    const struct expr *path[PATH_MAX_FIELDS];
    uint32_t depth = 0;
    const struct expr *at = expr;
    while (is_field(at) && depth < PATH_MAX_FIELDS) {
        path[depth++] = at;
        at = at->args[0];
    }
    if (at->kind != EXPR_COLUMN) {
        for (uint32_t i = 0; i < expr->arg_count; i++) {
            note(pruner, input, expr->args[i]);
        }
        return;
    }
    struct usage *usage = usage_of(pruner, input, at->column_id);
    const struct type *type = at->type;
    while (usage != NULL && depth > 0) {
        const struct expr *field = path[--depth];
        usage = field_usage(pruner->arena, usage, type, field->options->field);
        type = field->type;
    }
    if (usage != NULL) {
        usage->is_whole = true;
    }
}

static void merge(struct arena *arena, struct usage *into, const struct usage *from,
                  const struct type *type)
{
    into->is_whole = into->is_whole || from->is_whole;
    for (uint32_t i = 0; from->fields != NULL && i < type->field_count; i++) {
        if (from->fields[i] != NULL) {
            struct usage *field = field_usage(arena, into, type, type->fields[i].name);
            merge(arena, field, from->fields[i], type->fields[i].type);
        }
    }
}

// A column that is handed on is read below as it is read above.
static void hand_on(const struct pruner *pruner, const struct rel *rel, uint32_t column,
                    const struct rel *input, uint32_t id)
{
    struct usage *below = usage_of(pruner, input, id);
    if (below != NULL) {
        merge(pruner->arena, below, &pruner->usages[rel->mark][column],
              rel->node.columns[column].type);
    }
}

static void hand_on_all(const struct pruner *pruner, const struct rel *rel)
{
    for (uint32_t i = 0; i < rel->node.column_count; i++) {
        for (uint32_t k = 0; k < rel->input_count; k++) {
            hand_on(pruner, rel, i, rel->inputs[k], rel->node.columns[i].id);
        }
    }
}

static void read_whole(const struct pruner *pruner, const struct rel *input)
{
    for (uint32_t i = 0; i < input->node.column_count; i++) {
        pruner->usages[input->mark][i].is_whole = true;
    }
}

// What a source gives as a whole whatever is read of it: metadata columns, and all where it cannot
// leave fields out.
static void read_of_scan(const struct pruner *pruner, const struct rel *rel)
{
    const struct plan_scan *scan = &rel->node.as.scan;
    for (uint32_t i = 0; i < rel->node.column_count; i++) {
        const struct table_column *column = &scan->table->columns[scan->table_columns[i]];
        pruner->usages[rel->mark][i].is_whole =
            !rel->connector->prunes_fields || column->kind != TABLE_COLUMN_PHYSICAL;
    }
}

static void note_calc(const struct pruner *pruner, const struct rel *rel)
{
    const struct rel *input = rel->inputs[0];
    if (rel->node.as.calc.condition != NULL) {
        note(pruner, input, rel->node.as.calc.condition);
    }
    for (uint32_t i = 0; i < rel->node.column_count; i++) {
        const struct expr *expr = rel->node.as.calc.projections[i];
        if (expr->kind == EXPR_COLUMN) {
            hand_on(pruner, rel, i, input, expr->column_id);
        } else {
            note(pruner, input, expr);
        }
    }
}

static void note_ids(const struct pruner *pruner, const struct rel *input,
                     const struct plan_ids *ids)
{
    for (uint32_t i = 0; i < ids->count; i++) {
        struct usage *usage = usage_of(pruner, input, ids->ids[i]);
        if (usage != NULL) {
            usage->is_whole = true;
        }
    }
}

static void note_inputs(const struct pruner *pruner, const struct rel *rel)
{
    switch (rel->node.kind) {
    case PLAN_SCAN:
    case PLAN_VALUES: return;
    case PLAN_CALC: note_calc(pruner, rel); return;
    case PLAN_WATERMARK:
        hand_on_all(pruner, rel);
        note(pruner, rel->inputs[0], rel->node.as.watermark.expression);
        return;
    case PLAN_NORMALIZE:
        hand_on_all(pruner, rel);
        note_ids(pruner, rel->inputs[0], &rel->node.as.normalize.keys);
        return;
    case PLAN_JOIN:
        hand_on_all(pruner, rel);
        for (uint32_t i = 0; i < 2; i++) {
            note_ids(pruner, rel->inputs[i], &rel->node.as.join.left_keys);
            note_ids(pruner, rel->inputs[i], &rel->node.as.join.right_keys);
            if (rel->node.as.join.condition != NULL) {
                note(pruner, rel->inputs[i], rel->node.as.join.condition);
            }
        }
        return;
    case PLAN_WINDOW:
    case PLAN_LIMIT:
    case PLAN_EXCHANGE: hand_on_all(pruner, rel); return;
    case PLAN_SORT:
    case PLAN_UNION_ALL:
    case PLAN_GROUP_AGGREGATE:
    case PLAN_WINDOW_AGGREGATE:
    case PLAN_SINK:
        for (uint32_t i = 0; i < rel->input_count; i++) {
            read_whole(pruner, rel->inputs[i]);
        }
        return;
    }
}

static const struct type *pruned(struct arena *arena, const struct type *type,
                                 const struct usage *usage)
{
    if (usage->is_whole || type->kind != TYPE_ROW || usage->fields == NULL) {
        return type;
    }
    struct type_field *fields = arena_new_array(arena, struct type_field, type->field_count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (usage->fields[i] != NULL) {
            fields[count] = type->fields[i];
            fields[count++].type = pruned(arena, type->fields[i].type, usage->fields[i]);
        }
    }
    return type_row(arena, fields, count, type->nullable);
}

struct retyping {
    const struct rel *rel; // whose inputs' columns have the types
};

// A field of a row that lost others: of the type that the row has for it now.
static const struct expr *retype_field(struct arena *arena, const struct expr *node)
{
    const struct type *row = node->args[0]->type;
    for (uint32_t i = 0; i < row->field_count; i++) {
        if (str_equal(row->fields[i].name, node->options->field)) {
            struct expr *copy = arena_copy(arena, node, sizeof *node);
            copy->type = type_with_null(arena, row->fields[i].type, node->type->nullable);
            return copy;
        }
    }
    return node;
}

static const struct expr *retype(struct arena *arena, const struct expr *node, void *context)
{
    const struct retyping *retyping = context;
    if (is_field(node) && node->type->kind == TYPE_ROW) {
        return retype_field(arena, node);
    }
    if (node->kind == EXPR_COLUMN) {
        for (uint32_t i = 0; i < retyping->rel->input_count; i++) {
            const struct plan_column *column =
                rel_column(retyping->rel->inputs[i], node->column_id);
            if (column != NULL && column->type->kind == TYPE_ROW) {
                struct expr *copy = arena_copy(arena, node, sizeof *node);
                copy->type = column->type;
                return copy;
            }
        }
    }
    return node;
}

static const struct expr *retyped(const struct pruner *pruner, const struct rel *rel,
                                  const struct expr *expr)
{
    struct retyping retyping = {rel};
    return expr == NULL ? NULL : expr_rewrite(pruner->arena, expr, retype, &retyping);
}

static void follow_types(const struct pruner *pruner, struct rel *rel)
{
    struct plan_column *columns =
        arena_copy(pruner->arena, rel->node.columns, sizeof *columns * rel->node.column_count);
    for (uint32_t i = 0; i < rel->node.column_count; i++) {
        if (rel->node.kind == PLAN_SCAN) {
            columns[i].type = pruned(pruner->arena, columns[i].type, &pruner->usages[rel->mark][i]);
        } else if (rel->node.kind == PLAN_CALC) {
            const struct expr **projection = &rel_projections(rel)[i];
            *projection = retyped(pruner, rel, *projection);
            bool is_row =
                (*projection)->kind == EXPR_COLUMN && (*projection)->type->kind == TYPE_ROW;
            columns[i].type = is_row ? (*projection)->type : columns[i].type;
        } else if (columns[i].type->kind == TYPE_ROW) {
            for (uint32_t k = 0; k < rel->input_count; k++) {
                const struct plan_column *below = rel_column(rel->inputs[k], columns[i].id);
                columns[i].type = below == NULL ? columns[i].type : below->type;
            }
        }
    }
    rel->node.columns = columns;
    if (rel->node.kind == PLAN_CALC) {
        rel->node.as.calc.condition = retyped(pruner, rel, rel->node.as.calc.condition);
    } else if (rel->node.kind == PLAN_JOIN) {
        rel->node.as.join.condition = retyped(pruner, rel, rel->node.as.join.condition);
    } else if (rel->node.kind == PLAN_WATERMARK) {
        rel->node.as.watermark.expression = retyped(pruner, rel, rel->node.as.watermark.expression);
    }
}

static bool can_prune(const struct rel_graph *graph)
{
    for (uint32_t i = 0; i < graph->count; i++) {
        const struct rel *rel = graph->order[i];
        if (rel->node.kind == PLAN_SCAN && rel->connector->prunes_fields) {
            return true;
        }
    }
    return false;
}

void optimize_fields(struct rel_graph *graph)
{
    rel_sort(graph);
    if (!can_prune(graph)) {
        return;
    }
    struct pruner pruner = {.arena = graph->arena, .graph = graph};
    pruner.usages = arena_new_array(graph->arena, struct usage *, graph->count);
    for (uint32_t i = 0; i < graph->count; i++) {
        struct rel *rel = graph->order[i];
        rel->mark = i;
        pruner.usages[i] = arena_new_array(graph->arena, struct usage, rel->node.column_count);
        if (rel->node.kind == PLAN_SCAN) {
            read_of_scan(&pruner, rel);
        }
    }
    for (uint32_t i = graph->count; i-- > 0;) {
        note_inputs(&pruner, graph->order[i]);
    }
    for (uint32_t i = 0; i < graph->count; i++) {
        follow_types(&pruner, graph->order[i]);
    }
    graph->mark = graph->mark < graph->count ? graph->count : graph->mark;
}
