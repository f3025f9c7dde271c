// SPDX-License-Identifier: Apache-2.0
//
// Queries: WITH, set operations, VALUES, and what stands around a SELECT.
#include "sql/bind_int.h"

static enum status push_ctes(struct binder *binder, const struct ast_query *query, struct err *err)
{
    for (uint32_t i = 0; i < query->cte_count; i++) {
        struct bind_cte *cte = arena_new(binder->arena, struct bind_cte);
        *cte = (struct bind_cte){
            .cte = &query->ctes[i], .outer = binder->ctes, .visible = binder->ctes};
        for (uint32_t k = 0; k < i; k++) {
            if (str_equal(query->ctes[k].name.text, query->ctes[i].name.text)) {
                return REFUSE(err, query->ctes[i].name.at, "WITH names '%.*s' twice",
                              STR_ARGS(query->ctes[i].name.text));
            }
        }
        binder->ctes = cte;
    }
    return STATUS_OK;
}

static enum status bind_ordered(struct binder *binder, const struct ast_query *query,
                                struct rel **out, struct err *err)
{
    const struct ast_sorts *order_by = query->order_by.count > 0 ? &query->order_by : NULL;
    if (query->body->kind == AST_BODY_SELECT) {
        TRY(bind_select(binder, query->body, order_by, out, err));
    } else {
        TRY(bind_query_body(binder, query->body, out, err));
        if (order_by != NULL) {
            TRY(bind_order_output(binder, order_by, out, err));
        }
    }
    return bind_order_limit(binder, query, out, err);
}

// What WITH names and nobody uses is bound for its errors.
static enum status bind_unused(struct binder *binder, const struct bind_cte *from,
                               const struct bind_cte *to, struct err *err)
{
    for (const struct bind_cte *cte = from; cte != to; cte = cte->outer) {
        if (!cte->is_used) {
            struct bind_source *sources = binder->sources;
            struct rel *unused;
            binder->ctes = cte->visible;
            TRY(bind_query_rel(binder, cte->cte->query, &unused, err));
            binder->sources = sources;
        }
    }
    return STATUS_OK;
}

enum status bind_query_rel(struct binder *binder, const struct ast_query *query, struct rel **out,
                           struct err *err)
{
    if (query->recursive) {
        return NOT_YET(err, query->at, "WITH RECURSIVE is not supported");
    }
    if (binder->depth == BIND_DEPTH_MAX) {
        return REFUSE(err, query->at, "queries and views are more than %d deep", BIND_DEPTH_MAX);
    }
    if (binder->query_count++ == BIND_QUERIES_MAX) {
        return REFUSE(err, query->at,
                      "the statement amounts to more than %d queries, those of views and WITH as "
                      "often as they are named",
                      BIND_QUERIES_MAX);
    }
    struct bind_cte *ctes = binder->ctes;
    TRY(push_ctes(binder, query, err));
    struct bind_cte *own = binder->ctes;
    binder->depth++;
    TRY(bind_ordered(binder, query, out, err));
    TRY(bind_unused(binder, own, ctes, err));
    binder->depth--;
    binder->ctes = ctes;
    return STATUS_OK;
}

// Set operations -----------------------------------------------------------------------------

static const char *set_name(const struct ast_body *body)
{
    static const char *const names[][2] = {[AST_SET_UNION] = {"UNION", "UNION ALL"},
                                           [AST_SET_INTERSECT] = {"INTERSECT", "INTERSECT ALL"},
                                           [AST_SET_EXCEPT] = {"EXCEPT", "EXCEPT ALL"}};
    return names[body->as.set.op][body->as.set.all ? 1 : 0];
}

static bool is_union_all(const struct ast_body *body)
{
    return body->kind == AST_BODY_SET && body->as.set.op == AST_SET_UNION && body->as.set.all;
}

struct branches {
    const struct ast_body **bodies;
    struct rel **rels;
    uint32_t count;
};

static uint32_t count_branches(const struct ast_body *body)
{
    return is_union_all(body) ? count_branches(body->as.set.left) + 1 : 1;
}

// a UNION ALL b UNION ALL c is one union of three.
static enum status bind_branches(struct binder *binder, const struct ast_body *body,
                                 struct branches *out, struct err *err)
{
    uint32_t count = is_union_all(body) ? count_branches(body) : 2;
    out->bodies = arena_new_array(binder->arena, const struct ast_body *, count);
    out->rels = arena_new_array(binder->arena, struct rel *, count);
    out->count = count;
    const struct ast_body *at = body;
    for (uint32_t i = count; i-- > 1;) {
        out->bodies[i] = at->as.set.right;
        at = at->as.set.left;
    }
    out->bodies[0] = at;
    for (uint32_t i = 0; i < count; i++) {
        TRY(bind_query_body(binder, out->bodies[i], &out->rels[i], err));
    }
    return STATUS_OK;
}

// NULL by itself has no type (Flink: "Illegal use of 'NULL'"), unless an INSERT's column gives it
// one.
static enum status check_null(const struct binder *binder, struct ast_span at, struct err *err)
{
    if (binder->depth == binder->insert_depth) {
        return STATUS_OK;
    }
    enum status status = REFUSE(err, at, "NULL has no type here");
    err_hint(err, "say which: CAST(NULL AS INT)");
    return status;
}

// The common type of types of which the NULLs have none; NULL: there is none.
static const struct type *common_with_nulls(struct arena *arena, const struct type *const *types,
                                            uint32_t count)
{
    const struct type **typed = arena_new_array(arena, const struct type *, count);
    uint32_t typed_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (types[i]->kind != TYPE_NULL) {
            typed[typed_count++] = types[i];
        }
    }
    if (typed_count == 0) {
        return &type_null;
    }
    const struct type *common = expr_common_type(arena, typed, typed_count);
    return common == NULL || typed_count == count ? common : type_with_null(arena, common, true);
}

static enum status cast_to(struct arena *arena, const struct expr *value, const struct type *type,
                           const struct expr **out, struct err *err)
{
    if (value->type->kind == TYPE_NULL) {
        *out = expr_null(arena, type);
        return STATUS_OK;
    }
    return expr_cast(arena, value, type, out, err);
}

static enum status common_types(struct binder *binder, const struct ast_body *body,
                                const struct branches *branches, const struct type **types,
                                struct err *err)
{
    uint32_t column_count = branches->rels[0]->node.column_count;
    const struct type **parts =
        arena_new_array(binder->arena, const struct type *, branches->count);
    for (uint32_t i = 1; i < branches->count; i++) {
        if (branches->rels[i]->node.column_count != column_count) {
            return REFUSE(err, branches->bodies[i]->at,
                          "%s needs equal numbers of columns, and here are %u and %u",
                          set_name(body), column_count, branches->rels[i]->node.column_count);
        }
    }
    for (uint32_t column = 0; column < column_count; column++) {
        for (uint32_t i = 0; i < branches->count; i++) {
            parts[i] = branches->rels[i]->node.columns[column].type;
            if (parts[i]->kind == TYPE_NULL) {
                TRY(check_null(binder, branches->bodies[i]->at, err));
            }
            types[column] = common_with_nulls(binder->arena, parts, i + 1);
            if (types[column] == NULL) {
                return REFUSE(err, branches->bodies[i]->at,
                              "column %u of %s: %.*s and %.*s have no common type", column + 1,
                              set_name(body), STR_ARGS(type_text(binder->arena, parts[0])),
                              STR_ARGS(type_text(binder->arena, parts[i])));
            }
        }
    }
    return STATUS_OK;
}

// The branch with its columns cast to the common types.
static enum status cast_branch(struct binder *binder, struct rel *rel, struct ast_span at,
                               const struct type *const *types, struct rel **out, struct err *err)
{
    uint32_t count = rel->node.column_count;
    struct rel *calc = rel_calc(binder->arena, rel, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct plan_column *column = &rel->node.columns[i];
        const struct expr *expr = rel_reference(binder->arena, column);
        const struct expr *cast = expr;
        if (!type_equal_nullability_aside(column->type, types[i])) {
            const struct type *target =
                type_with_null(binder->arena, types[i], column->type->nullable);
            enum status status = cast_to(binder->arena, expr, target, &cast, err);
            if (status != STATUS_OK) {
                return bind_refused(status, err, at);
            }
        }
        rel_projections(calc)[i] = cast;
        rel_columns(calc)[i] = *column;
        rel_columns(calc)[i].type = cast->type;
        if (cast != expr) {
            rel_columns(calc)[i].id = bind_id(binder);
            rel_columns(calc)[i].time = PLAN_TIME_NONE;
        }
    }
    *out = calc;
    return STATUS_OK;
}

static enum plan_time common_time(const struct branches *branches, uint32_t column)
{
    enum plan_time time = branches->rels[0]->node.columns[column].time;
    for (uint32_t i = 1; i < branches->count; i++) {
        if (branches->rels[i]->node.columns[column].time != time) {
            return PLAN_TIME_NONE;
        }
    }
    return time;
}

static enum status bind_set(struct binder *binder, const struct ast_body *body, struct rel **out,
                            struct err *err)
{
    if (body->as.set.op != AST_SET_UNION) {
        return NOT_YET(err, body->at, "%s is not supported yet", set_name(body));
    }
    struct branches branches;
    TRY(bind_branches(binder, body, &branches, err));
    uint32_t column_count = branches.rels[0]->node.column_count;
    const struct type **types = arena_new_array(binder->arena, const struct type *, column_count);
    TRY(common_types(binder, body, &branches, types, err));
    struct rel *rel = rel_new(binder->arena, PLAN_UNION_ALL, body->at, branches.count);
    for (uint32_t i = 0; i < branches.count; i++) {
        TRY(cast_branch(binder, branches.rels[i], branches.bodies[i]->at, types, &rel->inputs[i],
                        err));
        branches.rels[i] = rel->inputs[i];
    }
    struct plan_column *columns = arena_new_array(binder->arena, struct plan_column, column_count);
    for (uint32_t i = 0; i < column_count; i++) {
        columns[i] = (struct plan_column){.id = bind_id(binder),
                                          .name = branches.rels[0]->node.columns[i].name,
                                          .type = types[i],
                                          .time = common_time(&branches, i)};
    }
    rel->node.columns = columns;
    rel->node.column_count = column_count;
    *out = rel;
    if (!body->as.set.all) {
        bind_aggregate_distinct(binder, out, body->at);
    }
    return STATUS_OK;
}

// VALUES -------------------------------------------------------------------------------------

static struct ast_exprs row_of(const struct ast_expr *const *row)
{
    return (*row)->kind == AST_EXPR_ROW ? (*row)->as.row.fields : (struct ast_exprs){row, 1};
}

static enum status bind_rows(struct binder *binder, const struct ast_exprs *rows,
                             uint32_t column_count, const struct expr **values, struct err *err)
{
    struct scope nothing = {0};
    struct expr_context context = {.binder = binder, .scope = &nothing, .clause = "VALUES"};
    for (uint32_t i = 0; i < rows->count; i++) {
        struct ast_exprs row = row_of(&rows->items[i]);
        if (row.count != column_count) {
            return REFUSE(err, rows->items[i]->at, "a row of %u values among rows of %u", row.count,
                          column_count);
        }
        for (uint32_t k = 0; k < column_count; k++) {
            const struct expr **value = &values[(size_t)i * column_count + k];
            TRY(bind_expr(&context, row.items[k], value, err));
            if ((*value)->type->kind == TYPE_NULL) {
                TRY(check_null(binder, row.items[k]->at, err));
            }
        }
    }
    return STATUS_OK;
}

// Casts one column of all rows to their common type.
static enum status unify_column(struct binder *binder, const struct ast_exprs *rows,
                                uint32_t column_count, uint32_t column, const struct expr **values,
                                const struct type **out, struct err *err)
{
    const struct type **types = arena_new_array(binder->arena, const struct type *, rows->count);
    for (uint32_t i = 0; i < rows->count; i++) {
        types[i] = values[(size_t)i * column_count + column]->type;
    }
    *out = common_with_nulls(binder->arena, types, rows->count);
    for (uint32_t i = 0; i < rows->count; i++) {
        struct ast_exprs row = row_of(&rows->items[i]);
        if (*out == NULL) {
            return REFUSE(err, row.items[column]->at,
                          "the values of column %u of VALUES have no common type", column + 1);
        }
        const struct expr **value = &values[(size_t)i * column_count + column];
        const struct type *type = type_with_null(binder->arena, *out, types[i]->nullable);
        enum status status = cast_to(binder->arena, *value, type, value, err);
        if (status != STATUS_OK) {
            return bind_refused(status, err, row.items[column]->at);
        }
    }
    return STATUS_OK;
}

static enum status bind_values(struct binder *binder, const struct ast_body *body, struct rel **out,
                               struct err *err)
{
    const struct ast_exprs *rows = &body->as.rows;
    uint32_t column_count = row_of(&rows->items[0]).count;
    const struct expr **values =
        arena_new_array(binder->arena, const struct expr *, (size_t)rows->count *column_count);
    TRY(bind_rows(binder, rows, column_count, values, err));
    struct plan_column *columns = arena_new_array(binder->arena, struct plan_column, column_count);
    for (uint32_t i = 0; i < column_count; i++) {
        columns[i] = (struct plan_column){.id = bind_id(binder),
                                          .name = arena_printf(binder->arena, "EXPR$%u", i)};
        TRY(unify_column(binder, rows, column_count, i, values, &columns[i].type, err));
    }
    struct rel *rel = rel_new(binder->arena, PLAN_VALUES, body->at, 0);
    rel->node.columns = columns;
    rel->node.column_count = column_count;
    rel->node.as.values = (struct plan_values){.row_count = rows->count, .values = values};
    *out = rel;
    return STATUS_OK;
}

enum status bind_query_body(struct binder *binder, const struct ast_body *body, struct rel **out,
                            struct err *err)
{
    switch (body->kind) {
    case AST_BODY_SELECT: return bind_select(binder, body, NULL, out, err);
    case AST_BODY_SET: return bind_set(binder, body, out, err);
    case AST_BODY_VALUES: return bind_values(binder, body, out, err);
    case AST_BODY_TABLE: {
        struct bound bound;
        struct ast_table ast = {.at = body->at, .as.path = body->as.table};
        TRY(bind_table(binder, &ast, &bound, err));
        *out = rel_visible(binder->arena, bound.rel);
        return STATUS_OK;
    }
    case AST_BODY_QUERY: {
        uint32_t insert_depth = binder->insert_depth;
        binder->insert_depth += binder->depth == insert_depth;
        enum status status = bind_query_rel(binder, body->as.query, out, err);
        binder->insert_depth = insert_depth;
        return status;
    }
    }
    return REFUSE(err, body->at, "no query");
}

static bool is_taken(const struct plan_column *columns, uint32_t count, struct str name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (str_equal(columns[i].name, name)) {
            return true;
        }
    }
    return false;
}

void bind_query_unique_names(struct binder *binder, struct rel *rel)
{
    uint32_t count = rel->node.column_count;
    struct plan_column *columns =
        arena_copy(binder->arena, rel->node.columns, sizeof *rel->node.columns * count);
    for (uint32_t i = 0; i < count; i++) {
        struct str name = columns[i].name;
        for (uint32_t n = 0; is_taken(columns, i, name); n++) {
            name = arena_printf(binder->arena, "%.*s%u", STR_ARGS(columns[i].name), n);
        }
        columns[i].name = name;
    }
    rel->node.columns = columns;
}
