// SPDX-License-Identifier: Apache-2.0
//
// Fields of rows that nobody reads go too, where the source can leave them out: of an event with
// three rows of thirty fields, a query that reads five has five decoded. That holds for rows in
// arrays and as values of maps, of which a query takes items.
//
// From the sinks down, each column of a relation collects how it is read: as a whole, or by which
// fields. A scan's columns then get types without the rest, and the types of all that hands them on
// follow.
#include "base/arena.h"
#include "expr/function.h"
#include "sql/optimize_int.h"

enum { PATH_MAX_FIELDS = 32, MAP_KEY = 0, MAP_VALUE = 1 };

// How a value is read. What is not read as a whole is read by the parts that have a usage: fields
// of a row, elements of an array, keys and values of a map.
struct usage {
    bool is_whole;
    struct usage **parts; // as the type's fields; NULL entries: not read
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

static struct usage *part_usage(struct arena *arena, struct usage *usage, const struct type *type,
                                uint32_t part)
{
    if (usage->parts == NULL) {
        usage->parts = arena_new_array(arena, struct usage *, type->field_count);
    }
    if (usage->parts[part] == NULL) {
        usage->parts[part] = arena_new(arena, struct usage);
    }
    return usage->parts[part];
}

static bool is_step(const struct expr *expr, const char *name, uint32_t arg_count)
{
    return expr->kind == EXPR_CALL && expr->arg_count == arg_count &&
           str_is(str_from(expr->function->name), name);
}

// The part of its argument that FIELD or ITEM takes; UINT32_MAX: another expression.
static uint32_t part_taken(const struct expr *expr)
{
    const struct type *type =
        is_step(expr, "FIELD", 1) || is_step(expr, "ITEM", 2) ? expr->args[0]->type : NULL;
    if (type == NULL || type->kind == TYPE_ARRAY) {
        return type == NULL ? UINT32_MAX : 0;
    }
    if (type->kind == TYPE_MAP) {
        return MAP_VALUE;
    }
    for (uint32_t i = 0; type->kind == TYPE_ROW && i < type->field_count; i++) {
        if (str_equal(type->fields[i].name, expr->options->field)) {
            return i;
        }
    }
    return UINT32_MAX;
}

// Notes what an expression reads of the columns of `input`.
static void note(const struct pruner *pruner, const struct rel *input, const struct expr *expr)
{
    const struct expr *path[PATH_MAX_FIELDS];
    uint32_t depth = 0;
    const struct expr *at = expr;
    while (depth < PATH_MAX_FIELDS && part_taken(at) != UINT32_MAX) {
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
    while (depth > 0) {
        const struct expr *step = path[--depth];
        const struct type *type = step->args[0]->type;
        for (uint32_t i = 1; i < step->arg_count; i++) {
            note(pruner, input, step->args[i]);
        }
        if (usage != NULL && type->kind == TYPE_MAP) {
            part_usage(pruner->arena, usage, type, MAP_KEY)->is_whole = true;
        }
        usage = usage == NULL ? NULL : part_usage(pruner->arena, usage, type, part_taken(step));
    }
    if (usage != NULL) {
        usage->is_whole = true;
    }
}

static void merge(struct arena *arena, struct usage *into, const struct usage *from,
                  const struct type *type)
{
    into->is_whole = into->is_whole || from->is_whole;
    for (uint32_t i = 0; from->parts != NULL && i < type->field_count; i++) {
        if (from->parts[i] != NULL) {
            merge(arena, part_usage(arena, into, type, i), from->parts[i], type->fields[i].type);
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
    if (usage->is_whole || usage->parts == NULL) {
        return type;
    }
    if (type->kind == TYPE_ARRAY) {
        return type_array(arena, pruned(arena, type->fields[0].type, usage->parts[0]),
                          type->nullable);
    }
    if (type->kind == TYPE_MAP) {
        return type_map(arena, type->fields[MAP_KEY].type,
                        pruned(arena, type->fields[MAP_VALUE].type, usage->parts[MAP_VALUE]),
                        type->nullable);
    }
    struct type_field *fields = arena_new_array(arena, struct type_field, type->field_count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (usage->parts[i] != NULL) {
            fields[count] = type->fields[i];
            fields[count++].type = pruned(arena, type->fields[i].type, usage->parts[i]);
        }
    }
    return type_row(arena, fields, count, type->nullable);
}

struct retyping {
    const struct rel *rel; // whose inputs' columns have the types
};

static bool can_lose_fields(const struct type *type)
{
    return type->kind == TYPE_ROW || type->kind == TYPE_ARRAY || type->kind == TYPE_MAP;
}

// A part of what lost fields: of the type that this has for it now.
static const struct expr *retype_part(struct arena *arena, const struct expr *node, uint32_t part)
{
    struct expr *copy = arena_copy(arena, node, sizeof *node);
    copy->type =
        type_with_null(arena, node->args[0]->type->fields[part].type, node->type->nullable);
    return copy;
}

static const struct expr *retype(struct arena *arena, const struct expr *node, void *context)
{
    const struct retyping *retyping = context;
    uint32_t part = can_lose_fields(node->type) ? part_taken(node) : UINT32_MAX;
    if (part != UINT32_MAX) {
        return retype_part(arena, node, part);
    }
    if (node->kind == EXPR_COLUMN) {
        for (uint32_t i = 0; i < retyping->rel->input_count; i++) {
            const struct plan_column *column =
                rel_column(retyping->rel->inputs[i], node->column_id);
            if (column != NULL && can_lose_fields(column->type)) {
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
            bool is_handed_on =
                (*projection)->kind == EXPR_COLUMN && can_lose_fields((*projection)->type);
            columns[i].type = is_handed_on ? (*projection)->type : columns[i].type;
        } else if (can_lose_fields(columns[i].type)) {
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
