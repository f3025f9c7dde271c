// SPDX-License-Identifier: Apache-2.0
//
// parse_table: what stands behind FROM.
#include "base/arena.h"
#include "sql/parse_int.h"

static enum status parse_ref(struct parser *parser, struct ast_table **out);
static enum status parse_joins(struct parser *parser, bool commas, const struct ast_table **inout);

static struct ast_table *new_table(struct parser *parser, enum ast_table_kind kind, uint32_t from)
{
    struct ast_table *table = arena_new(parser->arena, struct ast_table);
    table->kind = kind;
    table->at = parser_span(parser, from);
    return table;
}

// Takes everything from '(' to its ')'.
static enum status skip_parentheses(struct parser *parser)
{
    uint32_t open = 0;
    TRY(parser_expect_kind(parser, TOKEN_LPAREN));
    for (open = 1; open > 0;) {
        struct token token = parser_current(parser);
        if (token.kind == TOKEN_END || token.kind == TOKEN_ERROR || token.kind == TOKEN_SEMICOLON) {
            return parser_unexpected(parser, "')'");
        }
        open += token.kind == TOKEN_LPAREN ? 1 : 0;
        open -= token.kind == TOKEN_RPAREN ? 1 : 0;
        parser_advance(parser);
    }
    return STATUS_OK;
}

// ---------------------------------------------------------------------------------------------
// One table

static enum status parse_unnest(struct parser *parser, uint32_t from, struct ast_table **out)
{
    parser_advance(parser);
    const struct ast_query *query;
    struct ast_exprs args;
    TRY(parse_primary_query_or_list(parser, &query, &args));
    if (query != NULL) { // UNNEST((SELECT ...)): a scalar subquery
        struct ast_expr *expr = parse_expr_new(parser, AST_EXPR_SUBQUERY, query->at.offset);
        const struct ast_expr **items = arena_new_array(parser->arena, const struct ast_expr *, 1);
        expr->as.query = query;
        expr->at = query->at;
        items[0] = expr;
        args = (struct ast_exprs){items, 1};
    }
    bool ordinality = parser_accept_two(parser, KEYWORD_WITH, KEYWORD_ORDINALITY);
    *out = new_table(parser, AST_TABLE_UNNEST, from);
    (*out)->as.unnest.args = args;
    (*out)->as.unnest.ordinality = ordinality;
    return STATUS_OK;
}

static enum status new_function(struct parser *parser, struct ast_path path, uint32_t from,
                                struct ast_table **out)
{
    const struct ast_expr *call;
    TRY(parse_call_named(parser, path, &call));
    *out = new_table(parser, AST_TABLE_FUNCTION, from);
    (*out)->as.function.call = call;
    return STATUS_OK;
}

// TABLE(f(...)), the word not taken yet.
static enum status parse_table_function(struct parser *parser, uint32_t from,
                                        struct ast_table **out)
{
    struct ast_path path;
    parser_advance(parser);
    TRY(parser_expect_kind(parser, TOKEN_LPAREN));
    TRY(parse_name_path(parser, "a function's name", &path));
    if (!parser_at_kind(parser, TOKEN_LPAREN)) {
        return parser_unexpected(parser, "'(' and the function's arguments");
    }
    TRY(new_function(parser, path, from, out));
    TRY(parser_expect_kind(parser, TOKEN_RPAREN));
    (*out)->as.function.explicit_table = true;
    (*out)->at = parser_span(parser, from);
    return parse_query_hints(parser, &(*out)->hints);
}

// ICEBERG_TABLE('...').snapshots, or $snapshots, is a thought too far.
static enum status refuse_part(struct parser *parser, const struct str *function)
{
    struct token token = parser_peek(parser, 0);
    bool is_dollar = token.kind == TOKEN_WORD && str_starts(lexer_text(parser->text, token), "$");
    if (token.kind != TOKEN_DOT && !is_dollar) {
        return STATUS_OK;
    }
    enum status status = parser_unexpected(parser, "an alias or the next clause");
    if (str_is_nocase(*function, "ICEBERG_TABLE")) {
        err_hint(parser->err, "a metadata table is the second argument: ICEBERG_TABLE('...', "
                              "'snapshots')");
    }
    return status;
}

static enum status parse_named(struct parser *parser, uint32_t from, struct ast_table **out)
{
    struct ast_path path;
    TRY(parse_name_path(parser, "a table's name", &path));
    if (parser_at_kind(parser, TOKEN_LPAREN)) {
        TRY(new_function(parser, path, from, out));
        TRY(refuse_part(parser, &path.parts[path.count - 1].text));
        return parse_query_hints(parser, &(*out)->hints);
    }
    *out = new_table(parser, AST_TABLE_NAME, from);
    (*out)->as.path = path;
    return parse_query_hints(parser, &(*out)->hints);
}

static bool bare_query(const struct ast_table *table)
{
    return table->kind == AST_TABLE_QUERY && table->alias.text.size == 0 && !table->lateral &&
           table->as_of == NULL && table->sample.length == 0;
}

// A query in parentheses, or a join. What begins with two of them may be either, which shows behind
// the inner one: ((SELECT 1) UNION SELECT 2) and ((SELECT 1) AS a JOIN b ON TRUE).
static enum status parse_paren(struct parser *parser, uint32_t from, struct ast_table **out)
{
    const struct ast_query *query = NULL;
    const struct ast_table *joined = NULL;
    parser_advance(parser);
    if (parser_at_query(parser)) {
        TRY(parse_query_whole(parser, &query));
    } else {
        struct ast_table *inner;
        TRY(parse_ref(parser, &inner));
        joined = inner;
        if (bare_query(inner) && parse_query_continues(parser)) {
            TRY(parse_query_from_leaf(parser, inner->as.query, inner->at, &query));
        } else {
            TRY(parse_joins(parser, false, &joined));
        }
    }
    TRY(parser_expect_kind(parser, TOKEN_RPAREN));
    if (query != NULL) {
        *out = new_table(parser, AST_TABLE_QUERY, from);
        (*out)->as.query = query;
    } else {
        *out = arena_copy(parser->arena, joined, sizeof *joined);
    }
    return STATUS_OK;
}

static enum status parse_first(struct parser *parser, struct ast_table **out)
{
    uint32_t from = parser_offset(parser);
    bool lateral = parser_accept(parser, KEYWORD_LATERAL);
    if (parser_at(parser, KEYWORD_UNNEST)) {
        return parse_unnest(parser, from, out);
    }
    if (parser_at(parser, KEYWORD_TABLE)) {
        TRY(parse_table_function(parser, from, out));
    } else if (parser_at_kind(parser, TOKEN_LPAREN)) {
        TRY(parse_paren(parser, from, out));
    } else if (parser_at_kind(parser, TOKEN_STRING)) {
        struct ast_text file;
        TRY(parse_name_text(parser, "a file's name", &file));
        *out = new_table(parser, AST_TABLE_FILE, from);
        (*out)->as.file = file;
        TRY(parse_query_hints(parser, &(*out)->hints));
    } else if (lateral && !parser_ahead_kind(parser, 1, TOKEN_LPAREN)) {
        return parser_unexpected(parser, "TABLE(...) or a query in parentheses");
    } else {
        TRY(parse_named(parser, from, out));
    }
    (*out)->lateral = (*out)->lateral || lateral;
    return STATUS_OK;
}

// MATCH_RECOGNIZE (...), PIVOT (...), UNPIVOT [INCLUDE NULLS] (...): kept as text.
static enum status parse_text_clause(struct parser *parser, enum ast_table_kind kind,
                                     struct ast_table **inout)
{
    struct token word = parser_advance(parser);
    if (word.keyword == KEYWORD_UNPIVOT &&
        (parser_accept(parser, KEYWORD_INCLUDE) || parser_accept(parser, KEYWORD_EXCLUDE))) {
        TRY(parser_expect(parser, KEYWORD_NULLS));
    }
    TRY(skip_parentheses(parser));
    struct ast_table *table = new_table(parser, kind, (*inout)->at.offset);
    table->as.match.input = *inout;
    table->as.match.text = parser_span(parser, word.offset);
    table->as.match.unpivot = word.keyword == KEYWORD_UNPIVOT;
    *inout = table;
    return STATUS_OK;
}

static enum status parse_sample(struct parser *parser, struct ast_table *table)
{
    uint32_t from = parser_offset(parser);
    parser_advance(parser);
    if (!parser_accept(parser, KEYWORD_SYSTEM) && !parser_accept(parser, KEYWORD_BERNOULLI)) {
        struct ast_name substitute;
        TRY(parse_name_one(parser, "BERNOULLI or SYSTEM", &substitute));
    }
    TRY(skip_parentheses(parser));
    if (parser_accept(parser, KEYWORD_REPEATABLE)) {
        TRY(skip_parentheses(parser));
    }
    table->sample = parser_span(parser, from);
    return STATUS_OK;
}

// AT (VERSION => 1), AT (TIMESTAMP => ...).
static enum status parse_at(struct parser *parser, struct ast_table *table)
{
    parser_advance(parser);
    TRY(parser_expect_kind(parser, TOKEN_LPAREN));
    table->as_of_version = parser_accept(parser, KEYWORD_VERSION);
    if (!table->as_of_version) {
        TRY(parser_expect(parser, KEYWORD_TIMESTAMP));
    }
    TRY(parser_expect_kind(parser, TOKEN_ARROW));
    TRY(parse_expr_value(parser, &table->as_of));
    return parser_expect_kind(parser, TOKEN_RPAREN);
}

// FOR SYSTEM_TIME AS OF, as Flink says it; the others are those of Spark and Trino.
static enum status parse_as_of(struct parser *parser, struct ast_table *table)
{
    if (parser_ahead_is(parser, 0, KEYWORD_AT) && parser_ahead_kind(parser, 1, TOKEN_LPAREN)) {
        return parse_at(parser, table);
    }
    bool is_short = (parser_ahead_is(parser, 0, KEYWORD_VERSION) ||
                     parser_ahead_is(parser, 0, KEYWORD_TIMESTAMP)) &&
                    parser_ahead_is(parser, 1, KEYWORD_AS) &&
                    parser_ahead_is(parser, 2, KEYWORD_OF);
    if (!parser_accept(parser, KEYWORD_FOR) && !is_short) {
        return STATUS_OK;
    }
    table->as_of_version = parser_accept(parser, KEYWORD_VERSION) ||
                           (!is_short && parser_accept(parser, KEYWORD_SYSTEM_VERSION));
    if (!table->as_of_version && !parser_accept(parser, KEYWORD_TIMESTAMP)) {
        TRY(parser_expect(parser, KEYWORD_SYSTEM_TIME));
    }
    TRY(parser_expect(parser, KEYWORD_AS));
    TRY(parser_expect(parser, KEYWORD_OF));
    return parse_expr_value(parser, &table->as_of);
}

static enum status parse_alias(struct parser *parser, struct ast_table *table)
{
    bool as = parser_accept(parser, KEYWORD_AS);
    if (!as && !parser_is_name(parser_current(parser))) {
        return STATUS_OK;
    }
    TRY(parse_name_one(parser, "a table's name", &table->alias));
    if (parser_at_kind(parser, TOKEN_LPAREN)) {
        TRY(parse_name_list(parser, &table->columns));
    }
    return STATUS_OK;
}

static enum status parse_ref(struct parser *parser, struct ast_table **out)
{
    TRY(parser_enter(parser));
    TRY(parse_first(parser, out));
    // A join in parentheses may have an alias already from within; it begins anew here.
    TRY(parse_as_of(parser, *out));
    if (parser_at(parser, KEYWORD_MATCH_RECOGNIZE)) {
        TRY(parse_text_clause(parser, AST_TABLE_MATCH, out));
    }
    if (parser_at(parser, KEYWORD_PIVOT)) {
        TRY(parse_text_clause(parser, AST_TABLE_PIVOT, out));
    }
    if (parser_at(parser, KEYWORD_UNPIVOT)) {
        TRY(parse_text_clause(parser, AST_TABLE_PIVOT, out));
    }
    TRY(parse_alias(parser, *out));
    if (parser_at(parser, KEYWORD_TABLESAMPLE)) {
        TRY(parse_sample(parser, *out));
    }
    (*out)->at = parser_span(parser, (*out)->at.offset);
    parser_leave(parser);
    return STATUS_OK;
}

// ---------------------------------------------------------------------------------------------
// Joins

// Takes [NATURAL] LEFT OUTER JOIN and the like. False where no join begins here.
static enum status take_join(struct parser *parser, bool *found, bool *natural,
                             enum ast_join_kind *kind)
{
    *natural = parser_accept(parser, KEYWORD_NATURAL);
    *found = true;
    if (parser_accept(parser, KEYWORD_JOIN)) {
        *kind = AST_JOIN_INNER;
        return STATUS_OK;
    }
    if (parser_accept(parser, KEYWORD_INNER)) {
        *kind = AST_JOIN_INNER;
    } else if (parser_accept(parser, KEYWORD_CROSS)) {
        *kind = AST_JOIN_CROSS;
    } else if (parser_accept(parser, KEYWORD_LEFT)) {
        *kind = AST_JOIN_LEFT;
        parser_accept(parser, KEYWORD_OUTER);
    } else if (parser_accept(parser, KEYWORD_RIGHT)) {
        *kind = AST_JOIN_RIGHT;
        parser_accept(parser, KEYWORD_OUTER);
    } else if (parser_accept(parser, KEYWORD_FULL)) {
        *kind = AST_JOIN_FULL;
        parser_accept(parser, KEYWORD_OUTER);
    } else {
        *found = false;
        return *natural ? parser_unexpected(parser, "JOIN") : STATUS_OK;
    }
    return parser_expect(parser, KEYWORD_JOIN);
}

static enum status parse_condition(struct parser *parser, struct ast_table *join)
{
    if (parser_accept(parser, KEYWORD_ON)) {
        return parse_expr_value(parser, &join->as.join.on);
    }
    if (parser_accept(parser, KEYWORD_USING)) {
        join->as.join.has_using = true;
        return parse_name_list(parser, &join->as.join.using_columns);
    }
    return STATUS_OK;
}

static enum status parse_joins(struct parser *parser, bool commas, const struct ast_table **inout)
{
    for (;;) {
        enum ast_join_kind kind = AST_JOIN_COMMA;
        bool natural = false;
        bool found = commas && parser_accept_kind(parser, TOKEN_COMMA);
        if (!found) {
            TRY(take_join(parser, &found, &natural, &kind));
        }
        if (!found) {
            return STATUS_OK;
        }
        uint32_t below = parser_begin_height(parser);
        struct ast_table *right;
        TRY(parse_ref(parser, &right));
        struct ast_table *join = new_table(parser, AST_TABLE_JOIN, (*inout)->at.offset);
        join->as.join.kind = kind;
        join->as.join.natural = natural;
        join->as.join.left = *inout;
        join->as.join.right = right;
        if (kind != AST_JOIN_COMMA) {
            TRY(parse_condition(parser, join));
        }
        TRY(parser_grow_height(parser, below));
        join->at = parser_span(parser, join->at.offset);
        *inout = join;
    }
}

enum status parse_table_from(struct parser *parser, const struct ast_table **out)
{
    struct ast_table *first;
    uint32_t before = parser_begin_height(parser);
    TRY(parse_ref(parser, &first));
    *out = first;
    TRY(parse_joins(parser, true, out));
    parser_end_height(parser, before);
    return STATUS_OK;
}
