// SPDX-License-Identifier: Apache-2.0
//
// One SELECT: FROM, WHERE, GROUP BY, HAVING, the list, DISTINCT, and the ORDER BY behind it, which
// sees columns that are not in the list.
#include "base/strbuf.h"
#include "sql/bind_int.h"
#include "sql/unparse.h"

struct output {
    const struct expr *expr;
    struct str name;
    struct ast_span at;
    enum plan_time time;
};

struct select {
    struct binder *binder;
    const struct ast_select *ast;
    struct ast_span at;
    struct bound from;
    struct output *outputs; // the list, then what only ORDER BY needs
    uint32_t output_count;
    uint32_t capacity;
    uint32_t visible_count;
    struct aggregate_list aggregates;
    struct grouping grouping;
    const struct expr *having;
    bool is_aggregate;
    struct plan_sort_key *sort_keys;
    uint32_t sort_key_count;
};

static enum status add_output(struct select *select, const struct output *output, struct err *err)
{
    if (select->output_count == BIND_COLUMNS_MAX) {
        return REFUSE(err, output->at, "more than %d columns", BIND_COLUMNS_MAX);
    }
    if (select->output_count == select->capacity) {
        select->capacity = select->capacity == 0 ? 16 : 2 * select->capacity;
        struct output *outputs =
            arena_new_array(select->binder->arena, struct output, select->capacity);
        for (uint32_t i = 0; i < select->output_count; i++) {
            outputs[i] = select->outputs[i];
        }
        select->outputs = outputs;
    }
    select->outputs[select->output_count++] = *output;
    return STATUS_OK;
}

static enum status expand_table(struct select *select, const struct scope_table *table,
                                struct ast_span at, bool with_hidden, struct strbuf *text,
                                struct err *err)
{
    for (uint32_t i = 0; i < table->column_count; i++) {
        const struct scope_column *column = &table->columns[i];
        if (column->is_metadata || (column->is_hidden && !with_hidden)) {
            continue;
        }
        struct arena *arena = select->binder->arena;
        struct output output = {
            .expr = expr_at(arena, expr_column(arena, column->id, column->name, column->type),
                            at.offset, at.length),
            .name = column->name,
            .at = at};
        TRY(add_output(select, &output, err));
        strbuf_add_text(text, text->size == 0 ? "" : ", ");
        if (table->alias.size > 0) {
            unparse_name(text, table->alias);
            strbuf_add_byte(text, '.');
        }
        unparse_name(text, column->name);
    }
    return STATUS_OK;
}

// r.*: the fields of a row.
static enum status expand_row(struct select *select, const struct expr *row, struct ast_span at,
                              struct err *err)
{
    for (uint32_t i = 0; i < row->type->field_count; i++) {
        struct function_options options = {.field = row->type->fields[i].name};
        const struct expr *args[] = {row};
        struct output output = {.name = options.field, .at = at};
        TRY(bind_expr_resolve(select->binder, "FIELD", EXPR_LIST(args), &options, at, &output.expr,
                              err));
        TRY(add_output(select, &output, err));
    }
    return STATUS_OK;
}

static enum status expand_path(struct select *select, const struct ast_path *path,
                               struct ast_span at, struct strbuf *text, struct err *err)
{
    const struct scope *scope = &select->from.scope;
    const struct ast_name *last = &path->parts[path->count - 1];
    for (uint32_t i = 0; i < scope->table_count; i++) {
        if (scope->tables[i].alias.size > 0 && str_equal(scope->tables[i].alias, last->text)) {
            return expand_table(select, &scope->tables[i], at, true, text, err);
        }
    }
    const struct expr *row;
    TRY(bind_scope_resolve(select->binder, scope, path, &row, err));
    if (row->type->kind != TYPE_ROW) {
        return REFUSE(err, path->at, "'%.*s' is neither a table nor a ROW: it has no '.*'",
                      STR_ARGS(last->text));
    }
    return expand_row(select, row, at, err);
}

static enum status expand_star(struct select *select, const struct ast_expr *star, struct err *err)
{
    const struct scope *scope = &select->from.scope;
    if (star->as.path.count == 0 && scope->table_count == 0) {
        return REFUSE(err, star->at, "'*' needs a FROM");
    }
    struct strbuf text;
    strbuf_init(&text, 1 << 20);
    enum status status = STATUS_OK;
    if (star->as.path.count > 0) {
        status = expand_path(select, &star->as.path, star->at, &text, err);
    } else {
        for (uint32_t i = 0; i < scope->table_count && status == STATUS_OK; i++) {
            status = expand_table(select, &scope->tables[i], star->at, false, &text, err);
        }
    }
    if (text.size > 0) {
        bind_edit_add(select->binder, star->at, strbuf_str(&text));
    }
    strbuf_release(&text);
    return status;
}

static struct expr_context context_of(struct select *select, const char *clause)
{
    return (struct expr_context){.binder = select->binder,
                                 .scope = &select->from.scope,
                                 .aggregates = &select->aggregates,
                                 .clause = clause};
}

static enum status bind_item(struct select *select, const struct ast_select_item *item,
                             struct err *err)
{
    if (item->expr->kind == AST_EXPR_STAR) {
        return expand_star(select, item->expr, err);
    }
    struct expr_context context = context_of(select, "the SELECT list");
    struct output output = {.at = item->expr->at};
    if (item->expr->kind == AST_EXPR_FIELD && item->expr->as.field.star) {
        const struct expr *row;
        TRY(bind_expr(&context, item->expr->as.field.base, &row, err));
        return expand_row(select, row, item->expr->at, err);
    }
    TRY(bind_expr(&context, item->expr, &output.expr, err));
    if (item->alias.text.size > 0) {
        output.name = item->alias.text;
    } else if (item->expr->kind == AST_EXPR_COLUMN) {
        output.name = item->expr->as.path.parts[item->expr->as.path.count - 1].text;
    } else {
        output.name = arena_printf(select->binder->arena, "EXPR$%u", select->output_count);
    }
    output.time = bind_expr_time(&select->from.scope, output.expr);
    return add_output(select, &output, err);
}

static enum status bind_from_where(struct select *select, struct err *err)
{
    const struct ast_select *ast = select->ast;
    if (ast->from == NULL) {
        select->from.rel = rel_new(select->binder->arena, PLAN_VALUES, select->at, 0);
        select->from.rel->node.as.values.row_count = 1;
    } else {
        TRY(bind_from(select->binder, ast->from, &select->from, err));
    }
    if (ast->where != NULL) {
        struct expr_context context = context_of(select, "WHERE");
        context.aggregates = NULL;
        const struct expr *condition;
        TRY(bind_expr_condition(&context, ast->where, &condition, err));
        select->from.rel = rel_filter(select->binder->arena, select->from.rel, condition);
    }
    return STATUS_OK;
}

static enum status refuse_clauses(const struct binder *binder, const struct ast_select *ast,
                                  struct err *err)
{
    static const char *const join_hints[] = {"BROADCAST", "SHUFFLE_HASH", "SHUFFLE_MERGE",
                                             "NEST_LOOP", "MULTI_JOIN"};
    for (uint32_t i = 0; i < ast->hints.count; i++) {
        const struct ast_hint *hint = &ast->hints.items[i];
        bool is_known = false;
        for (uint32_t k = 0; k < sizeof join_hints / sizeof *join_hints; k++) {
            is_known = is_known || str_is_nocase(hint->name.text, join_hints[k]);
        }
        bool is_ttl = str_is_nocase(hint->name.text, "STATE_TTL");
        if (is_ttl && !bind_is_streaming(binder)) {
            bind_note(binder, "the hint STATE_TTL has no effect in batch queries");
        } else if (is_ttl) {
            return NOT_YET(err, hint->at, "the hint STATE_TTL is not supported yet");
        }
        if (!is_known && !is_ttl && !str_is_nocase(hint->name.text, "LOOKUP")) {
            return REFUSE(err, hint->at, "there is no hint '%.*s'", STR_ARGS(hint->name.text));
        }
    }
    if (ast->qualify != NULL) {
        return NOT_YET(err, ast->qualify->at, "QUALIFY is not supported yet");
    }
    if (ast->stream) {
        return REFUSE(err, ast->items[0].expr->at, "SELECT STREAM is not Flink SQL");
    }
    return STATUS_OK;
}

static enum status add_key(struct select *select, const struct ast_expr *ast, struct err *err)
{
    struct expr_context context = context_of(select, "GROUP BY");
    context.aggregates = NULL;
    const struct expr *key;
    TRY(bind_expr(&context, ast, &key, err));
    struct grouping *grouping = &select->grouping;
    for (uint32_t i = 0; i < grouping->count; i++) {
        if (expr_equal(grouping->keys[i], key)) {
            return STATUS_OK;
        }
    }
    if (key->type->kind == TYPE_MAP || key->type->kind == TYPE_MULTISET) {
        return REFUSE(err, ast->at, "a %.*s cannot be grouped by",
                      STR_ARGS(type_text(select->binder->arena, key->type)));
    }
    struct str name = key->kind == EXPR_COLUMN
                          ? key->name
                          : arena_printf(select->binder->arena, "$k%u", grouping->count);
    grouping->columns[grouping->count] = (struct plan_column){.name = name, .type = key->type};
    grouping->keys[grouping->count++] = key;
    return STATUS_OK;
}

static enum status bind_group_by(struct select *select, struct err *err)
{
    const struct ast_select *ast = select->ast;
    uint32_t most = 0;
    for (uint32_t i = 0; i < ast->group_count; i++) {
        const struct ast_grouping *group = &ast->group_by[i];
        if (group->kind != AST_GROUPING_EXPR && group->kind != AST_GROUPING_EMPTY) {
            return NOT_YET(err, group->at, "GROUPING SETS, CUBE and ROLLUP are not supported yet");
        }
        most += group->exprs.count;
    }
    select->grouping.keys = arena_new_array(select->binder->arena, const struct expr *, most);
    select->grouping.columns = arena_new_array(select->binder->arena, struct plan_column, most);
    for (uint32_t i = 0; i < ast->group_count; i++) {
        for (uint32_t k = 0; k < ast->group_by[i].exprs.count; k++) {
            TRY(add_key(select, ast->group_by[i].exprs.items[k], err));
        }
    }
    return STATUS_OK;
}

// The output that an ORDER BY expression names, or which it equals; else one more, hidden.
static enum status bind_sort_key(struct select *select, const struct ast_sort *sort, uint32_t *out,
                                 struct err *err)
{
    TRY(bind_order_ordinal(sort->expr, select->visible_count, out, err));
    if (*out != UINT32_MAX) {
        return STATUS_OK;
    }
    if (sort->expr->kind == AST_EXPR_COLUMN && sort->expr->as.path.count == 1) {
        for (uint32_t i = 0; i < select->visible_count; i++) {
            if (str_equal(select->outputs[i].name, sort->expr->as.path.parts[0].text)) {
                *out = i;
                return STATUS_OK;
            }
        }
    }
    struct expr_context context = context_of(select, "ORDER BY");
    struct output output = {.name = STR_LIT("$sort"), .at = sort->expr->at};
    TRY(bind_expr(&context, sort->expr, &output.expr, err));
    output.name = output.expr->kind == EXPR_COLUMN ? output.expr->name : output.name;
    for (uint32_t i = 0; i < select->output_count; i++) {
        if (expr_equal(select->outputs[i].expr, output.expr)) {
            *out = i;
            return STATUS_OK;
        }
    }
    if (select->ast->quantifier == AST_QUANTIFIER_DISTINCT) {
        return REFUSE(err, sort->expr->at,
                      "with SELECT DISTINCT, ORDER BY can use what is in the SELECT list only");
    }
    *out = select->output_count;
    output.time = bind_expr_time(&select->from.scope, output.expr);
    return add_output(select, &output, err);
}

static enum status bind_sort(struct select *select, const struct ast_sorts *order_by,
                             struct err *err)
{
    select->visible_count = select->output_count;
    if (order_by == NULL) {
        return STATUS_OK;
    }
    select->sort_keys =
        arena_new_array(select->binder->arena, struct plan_sort_key, order_by->count);
    for (uint32_t i = 0; i < order_by->count; i++) {
        uint32_t at = 0;
        TRY(bind_sort_key(select, &order_by->items[i], &at, err));
        // The index: projecting turns it into the id.
        select->sort_keys[i] = bind_order_key(&order_by->items[i], at);
    }
    select->sort_key_count = order_by->count;
    return STATUS_OK;
}

// An aggregation's results are called what the SELECT list calls them.
static void name_results(struct select *select)
{
    for (uint32_t i = 0; i < select->visible_count; i++) {
        const struct output *output = &select->outputs[i];
        for (uint32_t k = 0; k < select->aggregates.count; k++) {
            struct aggregate_item *item = &select->aggregates.items[k];
            if (output->expr->kind == EXPR_COLUMN && output->expr->column_id == item->output_id &&
                item->name.size > 0 && item->name.ptr[0] == '$') {
                item->name = output->name;
            }
        }
        for (uint32_t k = 0; k < select->grouping.count; k++) {
            struct plan_column *column = &select->grouping.columns[k];
            if (column->name.ptr[0] == '$' && expr_equal(output->expr, select->grouping.keys[k])) {
                column->name = output->name;
            }
        }
    }
}

// Keys that are the time of a window stay time attributes, where both its bounds are keys.
static void keep_window_time(struct select *select)
{
    uint32_t times = 0;
    struct grouping *grouping = &select->grouping;
    for (uint32_t i = 0; i < grouping->count; i++) {
        const struct expr *key = grouping->keys[i];
        uint32_t part = 0;
        if (key->kind == EXPR_COLUMN &&
            rel_window_of(select->from.rel, key->column_id, &part) != NULL) {
            times |= 1U << part;
        }
    }
    enum { BOUNDS = 1U << REL_WINDOW_START | 1U << REL_WINDOW_END };
    for (uint32_t i = 0; i < grouping->count && (times & BOUNDS) == BOUNDS; i++) {
        const struct expr *key = grouping->keys[i];
        uint32_t part = 0;
        if (key->kind == EXPR_COLUMN &&
            rel_window_of(select->from.rel, key->column_id, &part) != NULL &&
            part == REL_WINDOW_TIME) {
            grouping->columns[i].time = bind_expr_time(&select->from.scope, key);
        }
    }
}

static enum status aggregate(struct select *select, struct err *err)
{
    name_results(select);
    keep_window_time(select);
    select->from.rel = bind_aggregate_rel(select->binder, select->from.rel, &select->grouping,
                                          &select->aggregates, select->at);
    for (uint32_t i = 0; i < select->output_count; i++) {
        struct output *output = &select->outputs[i];
        TRY(bind_aggregate_above(select->binder, &select->grouping, &select->aggregates,
                                 output->expr, &output->expr, err));
        const struct plan_column *column =
            output->expr->kind == EXPR_COLUMN
                ? rel_column(select->from.rel, output->expr->column_id)
                : NULL;
        output->time = column == NULL ? PLAN_TIME_NONE : column->time;
    }
    if (select->having != NULL) {
        TRY(bind_aggregate_above(select->binder, &select->grouping, &select->aggregates,
                                 select->having, &select->having, err));
        select->from.rel = rel_filter(select->binder->arena, select->from.rel, select->having);
    }
    return STATUS_OK;
}

static void project(struct select *select, struct rel **out)
{
    struct rel *calc = rel_calc(select->binder->arena, select->from.rel, select->output_count);
    calc->node.offset = select->at.offset;
    calc->length = select->at.length;
    for (uint32_t i = 0; i < select->output_count; i++) {
        const struct output *output = &select->outputs[i];
        rel_projections(calc)[i] = output->expr;
        rel_columns(calc)[i] = (struct plan_column){
            .id = bind_output_id(select->binder, output->expr, calc->node.columns, i),
            .name = output->name,
            .type = output->expr->type,
            .time = output->time};
    }
    *out = calc;
}

static void sort(struct select *select, struct rel **rel)
{
    struct rel *sorted = *rel;
    for (uint32_t i = 0; i < select->sort_key_count; i++) {
        select->sort_keys[i].id = sorted->node.columns[select->sort_keys[i].id].id;
    }
    if (select->sort_key_count > 0) {
        bind_order_by(select->binder, select->sort_keys, select->sort_key_count, &sorted);
    }
    if (select->output_count > select->visible_count) { // what only ORDER BY needed
        struct rel *calc = rel_calc(select->binder->arena, sorted, select->visible_count);
        for (uint32_t i = 0; i < select->visible_count; i++) {
            rel_columns(calc)[i] = sorted->node.columns[i];
            rel_projections(calc)[i] =
                rel_reference(select->binder->arena, &sorted->node.columns[i]);
        }
        sorted = calc;
    }
    *rel = sorted;
}

enum status bind_select(struct binder *binder, const struct ast_body *body,
                        const struct ast_sorts *order_by, struct rel **out, struct err *err)
{
    const struct ast_select *ast = &body->as.select;
    struct select select = {.binder = binder, .ast = ast, .at = body->at};
    TRY(refuse_clauses(binder, ast, err));
    TRY(bind_from_where(&select, err));
    TRY(bind_group_by(&select, err));
    select.aggregates.is_global = select.grouping.count == 0;
    for (uint32_t i = 0; i < ast->item_count; i++) {
        TRY(bind_item(&select, &ast->items[i], err));
    }
    if (ast->having != NULL) {
        struct expr_context context = context_of(&select, "HAVING");
        TRY(bind_expr_condition(&context, ast->having, &select.having, err));
    }
    TRY(bind_sort(&select, order_by, err));
    select.is_aggregate = ast->has_group_by || ast->having != NULL || select.aggregates.count > 0;
    if (select.is_aggregate) {
        TRY(aggregate(&select, err));
    }
    project(&select, out);
    if (ast->quantifier == AST_QUANTIFIER_DISTINCT) {
        bind_aggregate_distinct(binder, out, body->at);
    }
    sort(&select, out);
    return STATUS_OK;
}
