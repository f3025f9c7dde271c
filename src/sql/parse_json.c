// SPDX-License-Identifier: Apache-2.0
//
// parse_json: JSON_VALUE and its family, with their clauses.
#include "base/arena.h"
#include "sql/parse_int.h"

// Where the arguments of a call are gathered.
struct json_args {
    PARSER_LIST(const struct ast_expr *) list;
};

static enum status json_arg(struct parser *parser, struct json_args *args)
{
    const struct ast_expr *arg;
    TRY(parse_expr_value(parser, &arg));
    PARSER_PUSH(parser, &args->list, arg);
    return STATUS_OK;
}

// input, path [PASSING a AS b, ...]; the passed values are dropped, as in Flink.
static enum status parse_input(struct parser *parser, struct json_args *args)
{
    TRY(json_arg(parser, args));
    TRY(parser_expect_kind(parser, TOKEN_COMMA));
    TRY(json_arg(parser, args));
    if (parser_accept(parser, KEYWORD_PASSING)) {
        do {
            const struct ast_expr *value;
            struct ast_name name;
            TRY(parse_expr_value(parser, &value));
            TRY(parser_expect(parser, KEYWORD_AS));
            TRY(parse_name_one(parser, "a name", &name));
        } while (parser_accept_kind(parser, TOKEN_COMMA));
    }
    return STATUS_OK;
}

static enum status parse_returning(struct parser *parser, struct ast_json *json)
{
    return parser_accept(parser, KEYWORD_RETURNING) ? parse_type_cast(parser, &json->returning)
                                                    : STATUS_OK;
}

static enum status parse_exists(struct parser *parser, struct ast_json *json,
                                struct json_args *args)
{
    TRY(parse_input(parser, args));
    if (parser_accept(parser, KEYWORD_TRUE)) {
        json->on_error = AST_JSON_TRUE;
    } else if (parser_accept(parser, KEYWORD_FALSE)) {
        json->on_error = AST_JSON_FALSE;
    } else if (parser_accept(parser, KEYWORD_UNKNOWN)) {
        json->on_error = AST_JSON_UNKNOWN;
    } else if (parser_accept(parser, KEYWORD_ERROR)) {
        json->on_error = AST_JSON_ERROR;
    } else {
        return STATUS_OK;
    }
    TRY(parser_expect(parser, KEYWORD_ON));
    return parser_expect(parser, KEYWORD_ERROR);
}

// What to do ON EMPTY or ON ERROR. `found` is false where no such clause is here.
static enum status parse_behavior(struct parser *parser, bool query, struct ast_json *json,
                                  bool *found)
{
    enum ast_json_behavior behavior;
    const struct ast_expr *fallback = NULL;
    *found = true;
    if (parser_accept(parser, KEYWORD_ERROR)) {
        behavior = AST_JSON_ERROR;
    } else if (parser_accept(parser, KEYWORD_NULL)) {
        behavior = AST_JSON_NULL;
    } else if (!query && parser_accept(parser, KEYWORD_DEFAULT)) {
        behavior = AST_JSON_DEFAULT;
        TRY(parse_expr_value(parser, &fallback));
    } else if (query && parser_accept(parser, KEYWORD_EMPTY)) {
        behavior = AST_JSON_EMPTY_ARRAY;
        if (!parser_accept(parser, KEYWORD_ARRAY)) {
            behavior = AST_JSON_EMPTY_OBJECT;
            TRY(parser_expect(parser, KEYWORD_OBJECT));
        }
    } else {
        *found = false;
        return STATUS_OK;
    }
    TRY(parser_expect(parser, KEYWORD_ON));
    if (parser_accept(parser, KEYWORD_EMPTY)) {
        json->on_empty = behavior;
        json->default_on_empty = fallback;
        return STATUS_OK;
    }
    json->on_error = behavior;
    json->default_on_error = fallback;
    return parser_expect(parser, KEYWORD_ERROR);
}

static enum status parse_behaviors(struct parser *parser, bool query, struct ast_json *json)
{
    bool found = true;
    while (found) {
        TRY(parse_behavior(parser, query, json, &found));
    }
    return STATUS_OK;
}

static enum status parse_value(struct parser *parser, struct ast_json *json, struct json_args *args)
{
    TRY(parse_input(parser, args));
    TRY(parse_returning(parser, json));
    return parse_behaviors(parser, false, json);
}

static enum status parse_wrapper(struct parser *parser, struct ast_json *json)
{
    if (parser_accept(parser, KEYWORD_WITHOUT)) {
        json->wrapper = AST_JSON_WRAPPER_WITHOUT;
    } else if (parser_accept(parser, KEYWORD_WITH)) {
        json->wrapper = AST_JSON_WRAPPER_UNCONDITIONAL;
        if (parser_accept(parser, KEYWORD_CONDITIONAL)) {
            json->wrapper = AST_JSON_WRAPPER_CONDITIONAL;
        } else {
            parser_accept(parser, KEYWORD_UNCONDITIONAL);
        }
    } else {
        return STATUS_OK;
    }
    parser_accept(parser, KEYWORD_ARRAY);
    return parser_expect(parser, KEYWORD_WRAPPER);
}

static enum status parse_query(struct parser *parser, struct ast_json *json, struct json_args *args)
{
    TRY(parse_input(parser, args));
    TRY(parse_returning(parser, json));
    TRY(parse_wrapper(parser, json));
    return parse_behaviors(parser, true, json);
}

// NULL ON NULL, ABSENT ON NULL.
static bool at_null_clause(struct parser *parser)
{
    return (parser_ahead_is(parser, 0, KEYWORD_NULL) ||
            parser_ahead_is(parser, 0, KEYWORD_ABSENT)) &&
           parser_ahead_is(parser, 1, KEYWORD_ON);
}

static enum status parse_null_clause(struct parser *parser, struct ast_json *json)
{
    if (at_null_clause(parser)) {
        json->on_null = parser_ahead_is(parser, 0, KEYWORD_NULL) ? AST_JSON_NULL : AST_JSON_ABSENT;
        parser_advance(parser);
        parser_advance(parser);
        return parser_expect(parser, KEYWORD_NULL);
    }
    return STATUS_OK;
}

// [KEY] name VALUE value, name : value, name, value
static enum status parse_pair(struct parser *parser, struct json_args *args)
{
    struct token next = parser_peek(parser, 1);
    bool key_word = parser_ahead_is(parser, 0, KEYWORD_KEY) && next.kind != TOKEN_COLON &&
                    next.kind != TOKEN_COMMA && next.kind != TOKEN_DOT &&
                    next.kind != TOKEN_LPAREN && next.keyword != KEYWORD_VALUE;
    if (key_word) {
        parser_advance(parser);
    }
    TRY(json_arg(parser, args));
    if (!parser_accept(parser, KEYWORD_VALUE)) {
        bool separated = !key_word && (parser_accept_kind(parser, TOKEN_COLON) ||
                                       parser_accept_kind(parser, TOKEN_COMMA));
        if (!separated) {
            return parser_unexpected(parser, "VALUE and the key's value");
        }
    }
    return json_arg(parser, args);
}

static enum status parse_object(struct parser *parser, struct ast_json *json,
                                struct json_args *args)
{
    if (!parser_at_kind(parser, TOKEN_RPAREN) && !at_null_clause(parser)) {
        do {
            TRY(parse_pair(parser, args));
        } while (parser_accept_kind(parser, TOKEN_COMMA));
    }
    return parse_null_clause(parser, json);
}

static enum status parse_object_agg(struct parser *parser, struct ast_json *json,
                                    struct json_args *args)
{
    TRY(parse_pair(parser, args));
    return parse_null_clause(parser, json);
}

static enum status parse_array(struct parser *parser, struct ast_json *json, struct json_args *args)
{
    if (!parser_at_kind(parser, TOKEN_RPAREN) && !at_null_clause(parser)) {
        do {
            TRY(json_arg(parser, args));
        } while (parser_accept_kind(parser, TOKEN_COMMA));
    }
    return parse_null_clause(parser, json);
}

static enum status parse_array_agg(struct parser *parser, struct ast_json *json,
                                   struct json_args *args)
{
    TRY(json_arg(parser, args));
    if (parser_accept(parser, KEYWORD_ORDER)) {
        TRY(parser_expect(parser, KEYWORD_BY));
        TRY(parse_expr_sorts(parser, &json->order_by));
    }
    return parse_null_clause(parser, json);
}

static enum status parse_body(struct parser *parser, enum keyword keyword, struct ast_json *json,
                              struct json_args *args)
{
    switch ((int)keyword) {
    case KEYWORD_JSON_EXISTS: return parse_exists(parser, json, args);
    case KEYWORD_JSON_VALUE: return parse_value(parser, json, args);
    case KEYWORD_JSON_QUERY: return parse_query(parser, json, args);
    case KEYWORD_JSON_OBJECT: return parse_object(parser, json, args);
    case KEYWORD_JSON_OBJECTAGG: return parse_object_agg(parser, json, args);
    case KEYWORD_JSON_ARRAY: return parse_array(parser, json, args);
    default: return parse_array_agg(parser, json, args);
    }
}

static bool json_keyword(enum keyword keyword)
{
    return keyword == KEYWORD_JSON_EXISTS || keyword == KEYWORD_JSON_VALUE ||
           keyword == KEYWORD_JSON_QUERY || keyword == KEYWORD_JSON_OBJECT ||
           keyword == KEYWORD_JSON_OBJECTAGG || keyword == KEYWORD_JSON_ARRAY ||
           keyword == KEYWORD_JSON_ARRAYAGG;
}

enum status parse_json_call(struct parser *parser, bool *handled, const struct ast_expr **out)
{
    struct token token = parser_current(parser);
    *handled = token.kind == TOKEN_WORD && json_keyword(token.keyword) &&
               parser_ahead_kind(parser, 1, TOKEN_LPAREN);
    if (!*handled) {
        return STATUS_OK;
    }
    parser_advance(parser);
    struct ast_expr *expr = parse_expr_new(parser, AST_EXPR_JSON, token.offset);
    struct ast_json *json = &expr->as.json;
    struct json_args args = {0};
    json->name = parse_name_of_token(parser, token);
    parser_advance(parser);
    TRY(parse_body(parser, token.keyword, json, &args));
    TRY(parser_expect_kind(parser, TOKEN_RPAREN));
    if (token.keyword == KEYWORD_JSON_ARRAYAGG && json->order_by.count == 0 &&
        parser_accept(parser, KEYWORD_WITHIN)) {
        TRY(parser_expect(parser, KEYWORD_GROUP));
        TRY(parser_expect_kind(parser, TOKEN_LPAREN));
        TRY(parser_expect(parser, KEYWORD_ORDER));
        TRY(parser_expect(parser, KEYWORD_BY));
        TRY(parse_expr_sorts(parser, &json->order_by));
        TRY(parser_expect_kind(parser, TOKEN_RPAREN));
    }
    if (token.keyword == KEYWORD_JSON_ARRAYAGG || token.keyword == KEYWORD_JSON_OBJECTAGG) {
        TRY(parse_call_filter_over(parser, &json->filter, &json->over));
    }
    json->args = (struct ast_exprs){args.list.items, args.list.count};
    expr->at = parser_span(parser, token.offset);
    *out = expr;
    return STATUS_OK;
}
