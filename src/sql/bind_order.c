// SPDX-License-Identifier: Apache-2.0
//
// ORDER BY, LIMIT and OFFSET. NULL is the least value, as in Flink: first in ascending order.
#include "sql/bind_int.h"

enum status bind_order_ordinal(const struct ast_expr *ast, uint32_t column_count, uint32_t *out,
                               struct err *err)
{
    *out = UINT32_MAX;
    int64_t position;
    if (ast->kind != AST_EXPR_LITERAL || ast->as.literal.kind != AST_LITERAL_EXACT ||
        !str_to_i64(ast->as.literal.text, &position)) {
        return STATUS_OK;
    }
    if (position < 1 || position > column_count) {
        return REFUSE(err, ast->at, "position %lld in ORDER BY: there are %u columns",
                      (long long)position, column_count);
    }
    *out = (uint32_t)position - 1;
    return STATUS_OK;
}

struct plan_sort_key bind_order_key(const struct ast_sort *sort, uint32_t id)
{
    bool nulls_first =
        sort->nulls == AST_NULLS_UNSAID ? !sort->descending : sort->nulls == AST_NULLS_FIRST;
    return (struct plan_sort_key){
        .id = id, .is_descending = sort->descending, .nulls_first = nulls_first};
}

void bind_order_by(struct binder *binder, const struct plan_sort_key *keys, uint32_t count,
                   struct rel **rel)
{
    struct ast_span at = {(*rel)->node.offset, (*rel)->length};
    struct rel *sort = rel_new(binder->arena, PLAN_SORT, at, 1);
    sort->inputs[0] = *rel;
    rel_set_columns(binder->arena, sort, (*rel)->node.columns, (*rel)->node.column_count);
    sort->node.as.sort =
        (struct plan_sort){.key_count = count,
                           .keys = arena_copy(binder->arena, keys, sizeof *keys * count),
                           .limit = -1};
    *rel = sort;
}

static enum status output_key(struct binder *binder, const struct rel *rel,
                              const struct ast_sort *sort, uint32_t *id, struct err *err)
{
    uint32_t at;
    TRY(bind_order_ordinal(sort->expr, rel->node.column_count, &at, err));
    if (at == UINT32_MAX) {
        struct scope scope =
            bind_scope_of(binder->arena, rel, (struct str){0}, STR_LIT("the result"));
        struct expr_context context = {.binder = binder, .scope = &scope, .clause = "ORDER BY"};
        const struct expr *expr;
        TRY(bind_expr(&context, sort->expr, &expr, err));
        if (expr->kind != EXPR_COLUMN) {
            return NOT_YET(err, sort->expr->at,
                           "an expression in ORDER BY behind UNION or VALUES "
                           "is not supported yet");
        }
        at = plan_column_index(&rel->node, expr->column_id);
    }
    *id = rel->node.columns[at].id;
    return STATUS_OK;
}

enum status bind_order_output(struct binder *binder, const struct ast_sorts *order_by,
                              struct rel **rel, struct err *err)
{
    struct plan_sort_key *keys =
        arena_new_array(binder->arena, struct plan_sort_key, order_by->count);
    for (uint32_t i = 0; i < order_by->count; i++) {
        uint32_t id = 0;
        TRY(output_key(binder, *rel, &order_by->items[i], &id, err));
        keys[i] = bind_order_key(&order_by->items[i], id);
    }
    bind_order_by(binder, keys, order_by->count, rel);
    return STATUS_OK;
}

static enum status count_of(const struct ast_expr *ast, int64_t absent, int64_t *out,
                            struct err *err)
{
    *out = absent;
    if (ast == NULL) {
        return STATUS_OK;
    }
    if (ast->kind != AST_EXPR_LITERAL || ast->as.literal.kind != AST_LITERAL_EXACT ||
        !str_to_i64(ast->as.literal.text, out) || *out < 0) {
        return REFUSE(err, ast->at, "a number of rows belongs here");
    }
    return STATUS_OK;
}

static struct rel *sort_of(struct rel *rel)
{
    while (rel->node.kind == PLAN_CALC) {
        rel = rel->inputs[0];
    }
    return rel->node.kind == PLAN_SORT ? rel : NULL;
}

static enum status refuse_stream(const struct ast_query *query, const struct rel *sort,
                                 struct err *err)
{
    const struct ast_sort *first = &query->order_by.items[0];
    if (query->limit != NULL) {
        return NOT_YET(err, first->at,
                       "ORDER BY with LIMIT on a stream (Top-N) is not supported yet");
    }
    const struct plan_column *column = rel_column(sort, sort->node.as.sort.keys[0].id);
    if (column->time == PLAN_TIME_ROWTIME && !first->descending) {
        return NOT_YET(err, first->at,
                       "sorting a stream by its time attribute is not supported yet");
    }
    enum status status =
        REFUSE(err, first->at, "a stream can be sorted by its time attribute, ascending, only");
    err_hint(err, "SET 'execution.runtime-mode' = 'batch' sorts what is there now");
    return status;
}

enum status bind_order_limit(struct binder *binder, const struct ast_query *query, struct rel **rel,
                             struct err *err)
{
    int64_t offset;
    int64_t limit;
    TRY(count_of(query->offset, 0, &offset, err));
    TRY(count_of(query->limit, -1, &limit, err));
    struct rel *sort = query->order_by.count > 0 ? sort_of(*rel) : NULL;
    if (sort != NULL && bind_is_streaming(binder)) {
        return refuse_stream(query, sort, err);
    }
    if (offset == 0 && limit < 0) {
        return STATUS_OK;
    }
    if (sort != NULL && limit >= 0 && limit <= INT64_MAX - offset) {
        sort->node.as.sort.limit = limit + offset;
    }
    struct rel *node = rel_new(binder->arena, PLAN_LIMIT, query->at, 1);
    node->inputs[0] = *rel;
    rel_set_columns(binder->arena, node, (*rel)->node.columns, (*rel)->node.column_count);
    node->node.as.limit = (struct plan_limit){.offset = offset, .limit = limit};
    *rel = node;
    return STATUS_OK;
}
