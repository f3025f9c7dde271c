// SPDX-License-Identifier: Apache-2.0
//
// Joins: both sides, the condition over both, and which columns are one (USING, NATURAL). What of
// the condition are keys is found by the optimizer, together with WHERE.
#include "sql/bind_int.h"

static enum status refuse_kind(const struct ast_table *table, struct err *err)
{
    static const char *const names[] = {
        [AST_JOIN_LEFT] = "LEFT JOIN",           [AST_JOIN_RIGHT] = "RIGHT JOIN",
        [AST_JOIN_FULL] = "FULL JOIN",           [AST_JOIN_LEFT_SEMI] = "LEFT SEMI JOIN",
        [AST_JOIN_LEFT_ANTI] = "LEFT ANTI JOIN", [AST_JOIN_ASOF] = "ASOF JOIN",
        [AST_JOIN_LEFT_ASOF] = "LEFT ASOF JOIN"};
    enum ast_join_kind kind = table->as.join.kind;
    if (kind > AST_JOIN_INNER) {
        // The words of the join stand between its sides.
        uint32_t from = table->as.join.left->at.offset + table->as.join.left->at.length;
        uint32_t to = table->as.join.right->at.offset;
        struct ast_span at = {from < to ? from + 1 : table->at.offset,
                              from + 2 < to ? to - from - 2 : table->at.length};
        return NOT_YET(err, at, "%s is not supported yet", names[kind]);
    }
    if (table->as.join.right->lateral) {
        return NOT_YET(err, table->as.join.right->at, "LATERAL is not supported yet");
    }
    return STATUS_OK;
}

static enum status check_names(const struct scope *left, const struct scope *right,
                               const struct ast_table *table, struct err *err)
{
    for (uint32_t i = 0; i < left->table_count; i++) {
        for (uint32_t k = 0; k < right->table_count; k++) {
            struct str name = left->tables[i].alias;
            if (name.size > 0 && str_equal(name, right->tables[k].alias)) {
                enum status status = REFUSE(err, table->as.join.right->at,
                                            "FROM names '%.*s' twice", STR_ARGS(name));
                err_hint(err, "give one of them an alias: %.*s AS x", STR_ARGS(name));
                return status;
            }
        }
    }
    return STATUS_OK;
}

static enum status resolve(struct binder *binder, const struct scope *scope,
                           const struct ast_name *name, const struct expr **out, struct err *err)
{
    struct ast_path path = {.parts = name, .count = 1, .at = name->at};
    return bind_scope_resolve(binder, scope, &path, out, err);
}

// The column of the right side is the left one's from here on.
static void hide(struct binder *binder, struct scope *scope, uint32_t id)
{
    struct scope_table *tables =
        arena_copy(binder->arena, scope->tables, sizeof *tables * scope->table_count);
    for (uint32_t i = 0; i < scope->table_count; i++) {
        struct scope_column *columns =
            arena_copy(binder->arena, tables[i].columns, sizeof *columns * tables[i].column_count);
        for (uint32_t k = 0; k < tables[i].column_count; k++) {
            columns[k].is_hidden = columns[k].is_hidden || columns[k].id == id;
        }
        tables[i].columns = columns;
    }
    scope->tables = tables;
}

static enum status add_equality(struct binder *binder, struct bound *left, struct bound *right,
                                const struct ast_name *name, const struct expr **condition,
                                struct err *err)
{
    const struct expr *sides[2];
    TRY(resolve(binder, &left->scope, name, &sides[0], err));
    TRY(resolve(binder, &right->scope, name, &sides[1], err));
    const struct expr *equal;
    TRY(bind_expr_resolve(binder, "=", EXPR_LIST(sides), NULL, name->at, &equal, err));
    hide(binder, &right->scope, sides[1]->column_id);
    const struct expr *both[] = {*condition, equal};
    *condition = *condition == NULL ? equal : expr_and(binder->arena, EXPR_LIST(both));
    return STATUS_OK;
}

static bool has_bare(const struct scope *scope, struct str name)
{
    for (uint32_t i = 0; i < scope->table_count; i++) {
        for (uint32_t k = 0; k < scope->tables[i].column_count; k++) {
            const struct scope_column *column = &scope->tables[i].columns[k];
            if (!column->is_hidden && !column->is_metadata && str_equal(column->name, name)) {
                return true;
            }
        }
    }
    return false;
}

static enum status bind_shared(struct binder *binder, const struct ast_table *table,
                               struct bound *left, struct bound *right,
                               const struct expr **condition, struct err *err)
{
    const struct ast_names *names = &table->as.join.using_columns;
    for (uint32_t i = 0; i < names->count; i++) {
        TRY(add_equality(binder, left, right, &names->items[i], condition, err));
    }
    if (!table->as.join.natural) {
        return STATUS_OK;
    }
    for (uint32_t i = 0; i < left->rel->node.column_count; i++) {
        struct ast_name name = {.text = left->rel->node.columns[i].name, .at = table->at};
        if (has_bare(&left->scope, name.text) && has_bare(&right->scope, name.text)) {
            TRY(add_equality(binder, left, right, &name, condition, err));
        }
    }
    return STATUS_OK;
}

static struct rel *join_rel(struct binder *binder, const struct ast_table *table, struct rel *left,
                            struct rel *right)
{
    struct rel *rel = rel_new(binder->arena, PLAN_JOIN, table->at, 2);
    rel->inputs[0] = left;
    rel->inputs[1] = right;
    uint32_t count = left->node.column_count + right->node.column_count;
    struct plan_column *columns = arena_new_array(binder->arena, struct plan_column, count);
    for (uint32_t i = 0; i < count; i++) {
        columns[i] = i < left->node.column_count ? left->node.columns[i]
                                                 : right->node.columns[i - left->node.column_count];
        columns[i].time = PLAN_TIME_NONE; // the watermark says nothing of joined rows
    }
    rel->node.columns = columns;
    rel->node.column_count = count;
    rel->node.as.join.kind = PLAN_JOIN_INNER;
    return rel;
}

static void drop_times(struct binder *binder, struct scope *scope)
{
    struct scope_table *tables =
        arena_copy(binder->arena, scope->tables, sizeof *tables * scope->table_count);
    for (uint32_t i = 0; i < scope->table_count; i++) {
        struct scope_column *columns =
            arena_copy(binder->arena, tables[i].columns, sizeof *columns * tables[i].column_count);
        for (uint32_t k = 0; k < tables[i].column_count; k++) {
            columns[k].time = PLAN_TIME_NONE;
        }
        tables[i].columns = columns;
    }
    scope->tables = tables;
}

// JOIN and its outer kinds need one condition, CROSS JOIN and the comma have none.
static enum status check_condition(const struct ast_table *table, struct err *err)
{
    bool has_condition = table->as.join.on != NULL || table->as.join.has_using;
    if (table->as.join.kind == AST_JOIN_CROSS && (has_condition || table->as.join.natural)) {
        return REFUSE(err, table->at, "CROSS JOIN takes no condition");
    }
    if (table->as.join.natural && has_condition) {
        return REFUSE(err, table->at, "NATURAL JOIN takes no condition");
    }
    if (table->as.join.kind == AST_JOIN_CROSS || table->as.join.kind == AST_JOIN_COMMA ||
        table->as.join.natural || has_condition) {
        return STATUS_OK;
    }
    enum status status = REFUSE(err, table->at, "JOIN needs a condition: ON or USING");
    err_hint(err, "CROSS JOIN joins each row with each");
    return status;
}

enum status bind_join(struct binder *binder, const struct ast_table *table, struct bound *out,
                      struct err *err)
{
    TRY(check_condition(table, err));
    TRY(refuse_kind(table, err));
    struct bound left;
    struct bound right;
    TRY(bind_from(binder, table->as.join.left, &left, err));
    TRY(bind_from(binder, table->as.join.right, &right, err));
    TRY(check_names(&left.scope, &right.scope, table, err));
    const struct expr *condition = NULL;
    TRY(bind_shared(binder, table, &left, &right, &condition, err));
    out->scope = bind_scope_join(binder->arena, &left.scope, &right.scope);
    drop_times(binder, &out->scope);
    out->rel = join_rel(binder, table, left.rel, right.rel);
    if (table->as.join.on != NULL) {
        struct expr_context context = {.binder = binder, .scope = &out->scope, .clause = "ON"};
        TRY(bind_expr_condition(&context, table->as.join.on, &condition, err));
    }
    out->rel->node.as.join.condition = condition;
    return STATUS_OK;
}
