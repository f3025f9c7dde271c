// SPDX-License-Identifier: Apache-2.0
//
// Aggregation: calls are collected while the SELECT list is bound; each stands for a column of the
// aggregation's output. Arguments and filters are computed by a CALC below, expressions over keys
// and results by one above.
#include "sql/bind_int.h"

static enum status check_place(struct expr_context *context, const struct ast_expr *ast,
                               struct str name, struct err *err)
{
    const struct ast_call *call = &ast->as.call;
    if (context->in_aggregate) {
        return REFUSE(err, ast->at, "aggregate function %.*s cannot stand inside another",
                      STR_ARGS(name));
    }
    if (context->aggregates == NULL) {
        enum status status = REFUSE(err, ast->at, "aggregate function %.*s is not allowed in %s",
                                    STR_ARGS(name), context->clause);
        if (str_is(str_from(context->clause), "WHERE")) {
            err_hint(err, "conditions on groups belong into HAVING");
        }
        return status;
    }
    if (call->order_by.count > 0 || call->separator != NULL || call->within_group.count > 0 ||
        call->within_distinct.count > 0 || call->nulls != AST_NULLS_DEFAULT) {
        return NOT_YET(err, ast->at,
                       "%.*s with an order or a treatment of NULLs is not supported "
                       "yet",
                       STR_ARGS(name));
    }
    uint32_t expected = call->form == AST_CALL_STAR ? 0 : 1;
    if (call->args.count != expected) {
        return REFUSE(err, ast->at, "%.*s takes one argument, and here are %u", STR_ARGS(name),
                      call->args.count);
    }
    if (call->form == AST_CALL_STAR &&
        (call->quantifier == AST_QUANTIFIER_DISTINCT || !str_is_nocase(name, "COUNT"))) {
        return REFUSE(err, ast->at, "only COUNT takes *, and without DISTINCT");
    }
    return STATUS_OK;
}

// FILTER counts rows where the condition is true: NULL is false.
static enum status bind_filter(struct expr_context *context, const struct ast_expr *ast,
                               const struct expr **out, struct err *err)
{
    TRY(bind_expr_condition(context, ast, out, err));
    if ((*out)->type->nullable) {
        const struct expr *args[] = {*out};
        return bind_expr_resolve(context->binder, "IS TRUE", EXPR_LIST(args), NULL, ast->at, out,
                                 err);
    }
    return STATUS_OK;
}

static bool same_expr(const struct expr *a, const struct expr *b)
{
    return a == b || (a != NULL && b != NULL && expr_equal(a, b));
}

// The same call twice is computed once.
static struct aggregate_item *find_item(const struct aggregate_list *list,
                                        const struct aggregate_item *item)
{
    for (uint32_t i = 0; i < list->count; i++) {
        struct aggregate_item *other = &list->items[i];
        if (aggregate_equal(other->function, item->function) &&
            other->is_distinct == item->is_distinct && same_expr(other->argument, item->argument) &&
            same_expr(other->filter, item->filter)) {
            return other;
        }
    }
    return NULL;
}

static struct aggregate_item *add_item(struct binder *binder, struct aggregate_list *list,
                                       struct aggregate_item *item)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity == 0 ? 8 : 2 * list->capacity;
        struct aggregate_item *items =
            arena_new_array(binder->arena, struct aggregate_item, list->capacity);
        for (uint32_t i = 0; i < list->count; i++) {
            items[i] = list->items[i];
        }
        list->items = items;
    }
    item->output_id = bind_id(binder);
    item->name = arena_printf(binder->arena, "$f%u", list->count);
    list->items[list->count] = *item;
    return &list->items[list->count++];
}

enum status bind_aggregate_call(struct expr_context *context, const struct ast_expr *ast,
                                const struct expr **out, struct err *err)
{
    struct binder *binder = context->binder;
    const struct ast_call *call = &ast->as.call;
    struct str name = call->name.parts[0].text;
    TRY(check_place(context, ast, name, err));
    struct expr_context inside = *context;
    inside.in_aggregate = true;
    inside.clause = "FILTER";
    struct aggregate_item item = {.is_distinct = call->quantifier == AST_QUANTIFIER_DISTINCT};
    if (call->form != AST_CALL_STAR) {
        TRY(bind_expr(&inside, call->args.items[0], &item.argument, err));
    }
    if (call->filter != NULL) {
        TRY(bind_filter(&inside, call->filter, &item.filter, err));
    }
    const struct type *argument = item.argument == NULL ? NULL : item.argument->type;
    enum status status = aggregate_resolve(binder->arena, name, argument, &item.function, err);
    if (status != STATUS_OK) {
        return bind_refused(status, err, ast->at);
    }
    enum aggregate_kind kind = item.function->kind;
    if (kind == AGGREGATE_MIN || kind == AGGREGATE_MAX) {
        item.is_distinct = false; // says nothing
    }
    // As Calcite: never NULL where each group has a row that counts.
    bool counts_all = argument != NULL && !argument->nullable && item.filter == NULL &&
                      !context->aggregates->is_global;
    item.type = counts_all ? type_with_null(binder->arena, item.function->type, false)
                           : item.function->type;
    struct aggregate_item *found = find_item(context->aggregates, &item);
    if (found == NULL) {
        found = add_item(binder, context->aggregates, &item);
    }
    *out = expr_at(binder->arena,
                   expr_column(binder->arena, found->output_id, found->name, found->type),
                   ast->at.offset, ast->at.length);
    return STATUS_OK;
}

// Adds a column to the CALC below an aggregation, unless it is there already; returns its id.
struct below {
    struct binder *binder;
    struct rel *calc; // its counts are what has been filled
};

static uint32_t add_below(struct below *below, const struct expr *expr, struct str name)
{
    struct rel *calc = below->calc;
    for (uint32_t i = 0; i < calc->node.column_count; i++) {
        if (expr_equal(calc->node.as.calc.projections[i], expr)) {
            return calc->node.columns[i].id;
        }
    }
    uint32_t at = calc->node.column_count++;
    bool is_column = expr->kind == EXPR_COLUMN;
    const struct plan_column *input =
        is_column ? rel_column(calc->inputs[0], expr->column_id) : NULL;
    rel_projections(calc)[at] = expr;
    rel_columns(calc)[at] = (struct plan_column){
        .id = is_column ? expr->column_id : bind_id(below->binder),
        .name = is_column ? expr->name : name,
        .type = expr->type,
        .time = input == NULL ? PLAN_TIME_NONE : input->time,
    };
    return calc->node.columns[at].id;
}

static void add_calls(struct below *below, const struct aggregate_list *list,
                      struct plan_aggregate_call *calls, struct plan_column *columns)
{
    struct arena *arena = below->binder->arena;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct aggregate_item *item = &list->items[i];
        struct plan_aggregate_call *call = &calls[i];
        *call = (struct plan_aggregate_call){.function = item->function,
                                             .is_distinct = item->is_distinct,
                                             .type = item->type,
                                             .output_id = item->output_id};
        if (item->argument != NULL) {
            struct str name = arena_printf(arena, "$f%u", below->calc->node.column_count);
            uint32_t id = add_below(below, item->argument, name);
            const struct expr **arguments = arena_new_array(arena, const struct expr *, 1);
            arguments[0] = rel_reference(arena, rel_column(below->calc, id));
            call->arguments = arguments;
            call->argument_count = 1;
        }
        if (item->filter != NULL) {
            struct str name = arena_printf(arena, "$f%u", below->calc->node.column_count);
            call->filter = add_below(below, item->filter, name);
        }
        columns[i] =
            (struct plan_column){.id = item->output_id, .name = item->name, .type = item->type};
    }
}

struct rel *bind_aggregate_rel(struct binder *binder, struct rel *input,
                               const struct grouping *grouping, const struct aggregate_list *list,
                               struct ast_span at)
{
    struct arena *arena = binder->arena;
    uint32_t most = grouping->count + 2 * list->count;
    struct below below = {binder, rel_calc(arena, input, most)};
    below.calc->node.column_count = 0;
    uint32_t *keys = arena_new_array(arena, uint32_t, grouping->count);
    uint32_t column_count = grouping->count + list->count;
    struct plan_column *columns = arena_new_array(arena, struct plan_column, column_count);
    for (uint32_t i = 0; i < grouping->count; i++) {
        struct plan_column *column = &grouping->columns[i];
        keys[i] = add_below(&below, grouping->keys[i], column->name);
        column->id = keys[i];
        columns[i] = *column;
    }
    struct plan_aggregate_call *calls =
        arena_new_array(arena, struct plan_aggregate_call, list->count);
    add_calls(&below, list, calls, columns + grouping->count);
    struct rel *rel = rel_new(arena, PLAN_GROUP_AGGREGATE, at, 1);
    rel->inputs[0] = below.calc;
    rel->node.columns = columns;
    rel->node.column_count = column_count;
    rel->node.as.group_aggregate = (struct plan_group_aggregate){
        .keys = {grouping->count, keys}, .call_count = list->count, .calls = calls};
    return rel;
}

void bind_aggregate_distinct(struct binder *binder, struct rel **rel, struct ast_span at)
{
    uint32_t count = (*rel)->node.column_count;
    struct grouping grouping = {.keys = arena_new_array(binder->arena, const struct expr *, count),
                                .columns = arena_copy(binder->arena, (*rel)->node.columns,
                                                      count * sizeof *(*rel)->node.columns),
                                .count = count};
    for (uint32_t i = 0; i < count; i++) {
        grouping.keys[i] = rel_reference(binder->arena, &(*rel)->node.columns[i]);
        grouping.columns[i].time = PLAN_TIME_NONE;
    }
    struct aggregate_list none = {0};
    *rel = bind_aggregate_rel(binder, *rel, &grouping, &none, at);
}

struct above {
    struct binder *binder;
    const struct grouping *grouping;
    const struct aggregate_list *list;
};

static enum status not_grouped(const struct grouping *grouping, const struct expr *expr,
                               struct err *err)
{
    struct ast_span at = {expr->offset, expr->length};
    enum status status =
        REFUSE(err, at, "'%.*s' is neither in GROUP BY nor inside an aggregate function",
               STR_ARGS(expr->name));
    for (uint32_t i = 0; i < grouping->count; i++) {
        if (grouping->keys[i]->kind == EXPR_LITERAL && type_is_integer(grouping->keys[i]->type)) {
            err_hint(err,
                     "GROUP BY takes no positions: a number there is a number; write GROUP BY "
                     "%.*s",
                     STR_ARGS(expr->name));
            return status;
        }
    }
    err_hint(err, "add it to GROUP BY, or take one value: MAX(%.*s)", STR_ARGS(expr->name));
    return status;
}

static enum status rewrite_above(const struct above *above, const struct expr *expr,
                                 const struct expr **out, struct err *err)
{
    struct arena *arena = above->binder->arena;
    *out = expr;
    for (uint32_t i = 0; i < above->grouping->count; i++) {
        if (expr_equal(expr, above->grouping->keys[i])) {
            *out = expr_at(arena, rel_reference(arena, &above->grouping->columns[i]), expr->offset,
                           expr->length);
            return STATUS_OK;
        }
    }
    if (expr->kind == EXPR_COLUMN) {
        for (uint32_t i = 0; i < above->list->count; i++) {
            if (above->list->items[i].output_id == expr->column_id) {
                return STATUS_OK;
            }
        }
        return not_grouped(above->grouping, expr, err);
    }
    if (expr->kind == EXPR_LITERAL || expr->arg_count == 0) {
        return STATUS_OK;
    }
    const struct expr **args = arena_new_array(arena, const struct expr *, expr->arg_count);
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        TRY(rewrite_above(above, expr->args[i], &args[i], err));
    }
    struct expr *copy = arena_copy(arena, expr, sizeof *expr);
    copy->args = args;
    *out = copy;
    return STATUS_OK;
}

enum status bind_aggregate_above(struct binder *binder, const struct grouping *grouping,
                                 const struct aggregate_list *list, const struct expr *expr,
                                 const struct expr **out, struct err *err)
{
    struct above above = {binder, grouping, list};
    return rewrite_above(&above, expr, out, err);
}
