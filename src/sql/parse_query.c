// SPDX-License-Identifier: Apache-2.0
//
// parse_query: WITH, SELECT, VALUES, set operations, ORDER BY and LIMIT.
#include "base/arena.h"
#include "sql/parse_int.h"

// ---------------------------------------------------------------------------------------------
// Hints

// 'k' = 'v' or k = 'v', a name, a text, a number.
static bool at_hint_pair(struct parser *parser)
{
    struct token token = parser_current(parser);
    return (token.kind == TOKEN_STRING || parser_is_name(token)) &&
           parser_ahead_kind(parser, 1, TOKEN_EQ);
}

static enum status parse_hint_pair(struct parser *parser, struct ast_option *out)
{
    if (parser_at_kind(parser, TOKEN_STRING)) {
        TRY(parse_name_text(parser, "a hint's key", &out->key));
    } else {
        struct ast_name name;
        TRY(parse_name_one(parser, "a hint's key", &name));
        out->key = (struct ast_text){name.text, name.at};
    }
    TRY(parser_expect_kind(parser, TOKEN_EQ));
    return parse_name_text(parser, "a hint's value as a string", &out->value);
}

static enum status parse_hint_argument(struct parser *parser, struct ast_name *out)
{
    struct token token = parser_current(parser);
    if (token.kind == TOKEN_STRING) {
        struct ast_text text;
        TRY(parse_name_text(parser, "a hint's argument", &text));
        *out = (struct ast_name){.text = text.value, .at = text.at, .quoted = true};
        return STATUS_OK;
    }
    if (token.kind == TOKEN_INTEGER || token.kind == TOKEN_DECIMAL) {
        parser_advance(parser);
        *out = (struct ast_name){.text = lexer_text(parser->text, token),
                                 .at = parser_token_span(token)};
        return STATUS_OK;
    }
    return parse_name_one(parser, "a hint's argument", out);
}

static enum status parse_hint(struct parser *parser, struct ast_hint *out)
{
    PARSER_LIST(struct ast_option) options = {0};
    PARSER_LIST(struct ast_name) arguments = {0};
    uint32_t from = parser_offset(parser);
    *out = (struct ast_hint){0};
    TRY(parse_name_one(parser, "a hint's name", &out->name));
    if (parser_accept_kind(parser, TOKEN_LPAREN) && !parser_accept_kind(parser, TOKEN_RPAREN)) {
        do {
            if (at_hint_pair(parser)) {
                struct ast_option option;
                TRY(parse_hint_pair(parser, &option));
                PARSER_PUSH(parser, &options, option);
            } else {
                struct ast_name argument;
                TRY(parse_hint_argument(parser, &argument));
                PARSER_PUSH(parser, &arguments, argument);
            }
        } while (parser_accept_kind(parser, TOKEN_COMMA));
        TRY(parser_expect_kind(parser, TOKEN_RPAREN));
    }
    out->options = (struct ast_options){.items = options.items, .count = options.count};
    out->arguments = (struct ast_names){arguments.items, arguments.count};
    out->at = parser_span(parser, from);
    return STATUS_OK;
}

enum status parse_query_hints(struct parser *parser, struct ast_hints *out)
{
    PARSER_LIST(struct ast_hint) hints = {0};
    if (!parser_accept_kind(parser, TOKEN_HINT_BEGIN)) {
        return STATUS_OK;
    }
    do {
        struct ast_hint hint;
        TRY(parse_hint(parser, &hint));
        PARSER_PUSH(parser, &hints, hint);
    } while (parser_accept_kind(parser, TOKEN_COMMA));
    *out = (struct ast_hints){hints.items, hints.count};
    return parser_expect_kind(parser, TOKEN_COMMENT_END);
}

// ---------------------------------------------------------------------------------------------
// SELECT

static enum status parse_item(struct parser *parser, struct ast_select_item *out)
{
    *out = (struct ast_select_item){0};
    if (parser_at_kind(parser, TOKEN_STAR)) {
        struct token token = parser_advance(parser);
        out->expr = parse_expr_new(parser, AST_EXPR_STAR, token.offset);
        return STATUS_OK;
    }
    TRY(parse_expr_value(parser, &out->expr));
    if (parser_accept(parser, KEYWORD_AS)) {
        return parse_name_one(parser, "a name", &out->alias);
    }
    if (parser_is_name(parser_current(parser))) {
        return parse_name_one(parser, "a name", &out->alias);
    }
    return STATUS_OK;
}

static enum status parse_items(struct parser *parser, struct ast_select *select)
{
    PARSER_LIST(struct ast_select_item) items = {0};
    do {
        struct ast_select_item item;
        TRY(parse_item(parser, &item));
        PARSER_PUSH(parser, &items, item);
    } while (parser_accept_kind(parser, TOKEN_COMMA));
    select->items = items.items;
    select->item_count = items.count;
    return STATUS_OK;
}

static enum status parse_grouping(struct parser *parser, struct ast_grouping *out);

// (element, element, ...)
static enum status parse_grouping_elements(struct parser *parser, struct ast_grouping *out)
{
    PARSER_LIST(struct ast_grouping) elements = {0};
    TRY(parser_expect_kind(parser, TOKEN_LPAREN));
    do {
        struct ast_grouping element;
        TRY(parse_grouping(parser, &element));
        PARSER_PUSH(parser, &elements, element);
    } while (parser_accept_kind(parser, TOKEN_COMMA));
    out->elements = elements.items;
    out->element_count = elements.count;
    return parser_expect_kind(parser, TOKEN_RPAREN);
}

// A value, or a row in parentheses, which groups by each of its fields.
static enum status parse_grouping_value(struct parser *parser, struct ast_grouping *out)
{
    const struct ast_expr *expr;
    out->kind = AST_GROUPING_EXPR;
    TRY(parse_expr_value(parser, &expr));
    if (expr->kind == AST_EXPR_ROW && expr->as.row.implicit) {
        out->exprs = expr->as.row.fields;
        return STATUS_OK;
    }
    const struct ast_expr **items = arena_new_array(parser->arena, const struct ast_expr *, 1);
    items[0] = expr;
    out->exprs = (struct ast_exprs){items, 1};
    return STATUS_OK;
}

static enum status parse_grouping(struct parser *parser, struct ast_grouping *out)
{
    uint32_t from = parser_offset(parser);
    *out = (struct ast_grouping){.kind = AST_GROUPING_EMPTY};
    TRY(parser_enter(parser));
    if (parser_accept_two(parser, KEYWORD_GROUPING, KEYWORD_SETS)) {
        out->kind = AST_GROUPING_SETS;
        TRY(parse_grouping_elements(parser, out));
    } else if (parser_accept(parser, KEYWORD_ROLLUP)) {
        out->kind = AST_GROUPING_ROLLUP;
        TRY(parse_grouping_elements(parser, out));
    } else if (parser_accept(parser, KEYWORD_CUBE)) {
        out->kind = AST_GROUPING_CUBE;
        TRY(parse_grouping_elements(parser, out));
    } else if (parser_at_kind(parser, TOKEN_LPAREN) && parser_ahead_kind(parser, 1, TOKEN_RPAREN)) {
        parser_advance(parser);
        parser_advance(parser);
    } else {
        TRY(parse_grouping_value(parser, out));
    }
    out->at = parser_span(parser, from);
    parser_leave(parser);
    return STATUS_OK;
}

static enum status parse_group_by(struct parser *parser, struct ast_select *select)
{
    PARSER_LIST(struct ast_grouping) elements = {0};
    TRY(parser_expect(parser, KEYWORD_BY));
    select->has_group_by = true;
    if (parser_accept(parser, KEYWORD_DISTINCT)) {
        select->group_quantifier = AST_QUANTIFIER_DISTINCT;
    } else if (parser_accept(parser, KEYWORD_ALL)) {
        select->group_quantifier = AST_QUANTIFIER_ALL;
    }
    do {
        struct ast_grouping element;
        TRY(parse_grouping(parser, &element));
        PARSER_PUSH(parser, &elements, element);
    } while (parser_accept_kind(parser, TOKEN_COMMA));
    select->group_by = elements.items;
    select->group_count = elements.count;
    return STATUS_OK;
}

static enum status parse_windows(struct parser *parser, struct ast_select *select)
{
    PARSER_LIST(struct ast_named_window) windows = {0};
    do {
        struct ast_named_window window;
        TRY(parse_name_one(parser, "a window's name", &window.name));
        TRY(parser_expect(parser, KEYWORD_AS));
        TRY(parse_call_window(parser, &window.window));
        PARSER_PUSH(parser, &windows, window);
    } while (parser_accept_kind(parser, TOKEN_COMMA));
    select->windows = windows.items;
    select->window_count = windows.count;
    return STATUS_OK;
}

// What may follow FROM, and only that: Flink has no WHERE without it.
static enum status parse_clauses(struct parser *parser, struct ast_select *select)
{
    if (parser_accept(parser, KEYWORD_WHERE)) {
        TRY(parse_expr_value(parser, &select->where));
    }
    if (parser_accept(parser, KEYWORD_GROUP)) {
        TRY(parse_group_by(parser, select));
    }
    if (parser_accept(parser, KEYWORD_HAVING)) {
        TRY(parse_expr_value(parser, &select->having));
    }
    if (parser_accept(parser, KEYWORD_WINDOW)) {
        TRY(parse_windows(parser, select));
    }
    if (parser_accept(parser, KEYWORD_QUALIFY)) {
        TRY(parse_expr_value(parser, &select->qualify));
    }
    return STATUS_OK;
}

static enum status refuse_clauses(struct parser *parser)
{
    static const enum keyword words[] = {KEYWORD_WHERE, KEYWORD_GROUP, KEYWORD_HAVING,
                                         KEYWORD_WINDOW, KEYWORD_QUALIFY};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (parser_ahead_is(parser, 0, words[i])) {
            return parser_fail(parser, parser_token_span(parser_current(parser)),
                               "%s needs a FROM in front of it", lexer_keyword_name(words[i]));
        }
    }
    return STATUS_OK;
}

static enum status parse_select(struct parser *parser, struct ast_select *select)
{
    parser_advance(parser);
    TRY(parse_query_hints(parser, &select->hints));
    select->stream = parser_accept(parser, KEYWORD_STREAM);
    if (parser_accept(parser, KEYWORD_DISTINCT)) {
        select->quantifier = AST_QUANTIFIER_DISTINCT;
    } else if (parser_accept(parser, KEYWORD_ALL)) {
        select->quantifier = AST_QUANTIFIER_ALL;
    }
    TRY(parse_items(parser, select));
    if (!parser_accept(parser, KEYWORD_FROM)) {
        return refuse_clauses(parser);
    }
    TRY(parse_table_from(parser, &select->from));
    return parse_clauses(parser, select);
}

// ---------------------------------------------------------------------------------------------
// Leaves and set operations

// A row of VALUES: (a, b), ROW(a, b), or a value alone.
static enum status parse_values(struct parser *parser, struct ast_body *body)
{
    body->kind = AST_BODY_VALUES;
    parser_advance(parser);
    return parse_expr_list(parser, &body->as.rows);
}

static struct ast_body *body_of_query(struct parser *parser, const struct ast_query *query,
                                      struct ast_span at)
{
    struct ast_body *body = arena_new(parser->arena, struct ast_body);
    bool bare = query->cte_count == 0 && query->order_by.count == 0 && query->offset == NULL &&
                query->limit == NULL;
    if (bare) {
        *body = *query->body;
    } else {
        body->kind = AST_BODY_QUERY;
        body->as.query = query;
    }
    body->at = at;
    return body;
}

static enum status parse_leaf(struct parser *parser, const struct ast_body **out)
{
    uint32_t from = parser_offset(parser);
    if (parser_accept_kind(parser, TOKEN_LPAREN)) {
        const struct ast_query *query;
        TRY(parse_query_whole(parser, &query));
        TRY(parser_expect_kind(parser, TOKEN_RPAREN));
        *out = body_of_query(parser, query, parser_span(parser, from));
        return STATUS_OK;
    }
    struct ast_body *body = arena_new(parser->arena, struct ast_body);
    if (parser_at(parser, KEYWORD_SELECT)) {
        body->kind = AST_BODY_SELECT;
        TRY(parse_select(parser, &body->as.select));
    } else if (parser_at(parser, KEYWORD_VALUES)) {
        TRY(parse_values(parser, body));
    } else if (parser_accept(parser, KEYWORD_TABLE)) {
        body->kind = AST_BODY_TABLE;
        TRY(parse_name_path(parser, "a table's name", &body->as.table));
    } else {
        return parser_unexpected(parser, "a query: SELECT, VALUES, WITH or TABLE");
    }
    body->at = parser_span(parser, from);
    *out = body;
    return STATUS_OK;
}

// The operator at the current token is taken with its ALL or DISTINCT.
static bool take_set_operator(struct parser *parser, bool intersect, enum ast_set_op *op, bool *all)
{
    if (intersect && parser_accept(parser, KEYWORD_INTERSECT)) {
        *op = AST_SET_INTERSECT;
    } else if (!intersect && parser_accept(parser, KEYWORD_UNION)) {
        *op = AST_SET_UNION;
    } else if (!intersect && parser_accept(parser, KEYWORD_EXCEPT)) {
        *op = AST_SET_EXCEPT;
    } else {
        return false;
    }
    *all = parser_accept(parser, KEYWORD_ALL);
    if (!*all) {
        parser_accept(parser, KEYWORD_DISTINCT);
    }
    return true;
}

// INTERSECT binds more than UNION and EXCEPT, which are of one level. `first` is the first leaf
// where it has been read already.
static enum status parse_set(struct parser *parser, bool intersect, const struct ast_body *first,
                             const struct ast_body **out)
{
    uint32_t before = parser_begin_height(parser);
    *out = first;
    if (!intersect) {
        TRY(parse_set(parser, true, first, out));
    } else if (first == NULL) {
        TRY(parse_leaf(parser, out));
    }
    enum ast_set_op op;
    bool all;
    while (take_set_operator(parser, intersect, &op, &all)) {
        uint32_t below = parser_begin_height(parser);
        struct ast_body *body = arena_new(parser->arena, struct ast_body);
        body->kind = AST_BODY_SET;
        body->as.set.op = op;
        body->as.set.all = all;
        body->as.set.left = *out;
        if (intersect) {
            TRY(parse_leaf(parser, &body->as.set.right));
        } else {
            TRY(parse_set(parser, true, NULL, &body->as.set.right));
        }
        TRY(parser_grow_height(parser, below));
        body->at = parser_span(parser, (*out)->at.offset);
        *out = body;
    }
    parser_end_height(parser, before);
    return STATUS_OK;
}

// ---------------------------------------------------------------------------------------------
// ORDER BY, LIMIT, WITH

// A number without a sign, or a parameter.
static enum status parse_count(struct parser *parser, const struct ast_expr **out)
{
    if (parser_at_kind(parser, TOKEN_INTEGER) || parser_at_kind(parser, TOKEN_DECIMAL) ||
        parser_at_kind(parser, TOKEN_APPROXIMATE) || parser_at_kind(parser, TOKEN_QUESTION)) {
        return parse_primary_value(parser, out);
    }
    return parser_unexpected(parser, "a number");
}

static enum status parse_offset(struct parser *parser, struct ast_query *query)
{
    TRY(parse_count(parser, &query->offset));
    if (!parser_accept(parser, KEYWORD_ROW)) {
        parser_accept(parser, KEYWORD_ROWS);
    }
    return STATUS_OK;
}

static enum status parse_fetch(struct parser *parser, struct ast_query *query)
{
    if (!parser_accept(parser, KEYWORD_FIRST)) {
        TRY(parser_expect(parser, KEYWORD_NEXT));
    }
    TRY(parse_count(parser, &query->limit));
    if (!parser_accept(parser, KEYWORD_ROW)) {
        TRY(parser_expect(parser, KEYWORD_ROWS));
    }
    return parser_expect(parser, KEYWORD_ONLY);
}

static enum status parse_tail(struct parser *parser, struct ast_query *query)
{
    if (parser_accept(parser, KEYWORD_ORDER)) {
        TRY(parser_expect(parser, KEYWORD_BY));
        TRY(parse_expr_sorts(parser, &query->order_by));
    }
    if (parser_accept(parser, KEYWORD_LIMIT)) {
        if (!parser_accept(parser, KEYWORD_ALL)) {
            TRY(parse_count(parser, &query->limit));
        }
        return parser_accept(parser, KEYWORD_OFFSET) ? parse_offset(parser, query) : STATUS_OK;
    }
    if (parser_accept(parser, KEYWORD_OFFSET)) {
        TRY(parse_offset(parser, query));
        if (parser_ahead_is(parser, 0, KEYWORD_LIMIT)) {
            return parser_fail(parser, parser_token_span(parser_current(parser)),
                               "LIMIT stands in front of OFFSET");
        }
    }
    return parser_accept(parser, KEYWORD_FETCH) ? parse_fetch(parser, query) : STATUS_OK;
}

static enum status parse_with(struct parser *parser, struct ast_query *query)
{
    PARSER_LIST(struct ast_cte) ctes = {0};
    if (parser_ahead_is(parser, 0, KEYWORD_RECURSIVE)) {
        return parser_fail(parser, parser_token_span(parser_current(parser)),
                           "Flink SQL has no recursive queries");
    }
    do {
        struct ast_cte cte = {0};
        TRY(parse_name_one(parser, "a query's name", &cte.name));
        if (parser_at_kind(parser, TOKEN_LPAREN)) {
            TRY(parse_name_list(parser, &cte.columns));
        }
        TRY(parser_expect(parser, KEYWORD_AS));
        TRY(parser_expect_kind(parser, TOKEN_LPAREN));
        TRY(parse_query_whole(parser, &cte.query));
        TRY(parser_expect_kind(parser, TOKEN_RPAREN));
        PARSER_PUSH(parser, &ctes, cte);
    } while (parser_accept_kind(parser, TOKEN_COMMA));
    query->ctes = ctes.items;
    query->cte_count = ctes.count;
    return STATUS_OK;
}

enum status parse_query_whole(struct parser *parser, const struct ast_query **out)
{
    struct ast_query *query = arena_new(parser->arena, struct ast_query);
    uint32_t from = parser_offset(parser);
    TRY(parser_enter(parser));
    if (parser_accept(parser, KEYWORD_WITH)) {
        TRY(parse_with(parser, query));
    }
    TRY(parse_set(parser, false, NULL, &query->body));
    TRY(parse_tail(parser, query));
    query->at = parser_span(parser, from);
    parser_leave(parser);
    *out = query;
    return STATUS_OK;
}

enum status parse_query_from_leaf(struct parser *parser, const struct ast_query *leaf,
                                  struct ast_span leaf_at, const struct ast_query **out)
{
    struct ast_query *query = arena_new(parser->arena, struct ast_query);
    TRY(parser_enter(parser));
    TRY(parse_set(parser, false, body_of_query(parser, leaf, leaf_at), &query->body));
    TRY(parse_tail(parser, query));
    query->at = parser_span(parser, leaf_at.offset);
    parser_leave(parser);
    *out = query;
    return STATUS_OK;
}

bool parse_query_continues(struct parser *parser)
{
    static const enum keyword words[] = {KEYWORD_UNION, KEYWORD_INTERSECT, KEYWORD_EXCEPT,
                                         KEYWORD_ORDER, KEYWORD_LIMIT,     KEYWORD_OFFSET,
                                         KEYWORD_FETCH};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (parser_ahead_is(parser, 0, words[i])) {
            return true;
        }
    }
    return false;
}
