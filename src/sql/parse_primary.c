// SPDX-License-Identifier: Apache-2.0
//
// parse_primary: what operators join: literals, names, parentheses, constructors, CASE, intervals.
#include "base/arena.h"
#include "sql/parse_int.h"

static struct ast_expr *new_literal(struct parser *parser, enum ast_literal_kind kind,
                                    struct str text, uint32_t from)
{
    struct ast_expr *expr = parse_expr_new(parser, AST_EXPR_LITERAL, from);
    expr->as.literal.kind = kind;
    expr->as.literal.text = text;
    return expr;
}

static enum status parse_string(struct parser *parser, const struct ast_expr **out)
{
    struct ast_expr *expr = arena_new(parser->arena, struct ast_expr);
    TRY(parse_name_literal(parser, expr));
    *out = expr;
    return STATUS_OK;
}

static const struct ast_expr *take_literal(struct parser *parser, enum ast_literal_kind kind)
{
    struct token token = parser_advance(parser);
    return new_literal(parser, kind, lexer_text(parser->text, token), token.offset);
}

// ---------------------------------------------------------------------------------------------
// Intervals

static const struct {
    enum keyword keyword;
    enum keyword plural;
    enum ast_unit unit;
} interval_units[] = {
    {KEYWORD_YEAR, KEYWORD_YEARS, AST_UNIT_YEAR},
    {KEYWORD_QUARTER, KEYWORD_QUARTERS, AST_UNIT_QUARTER},
    {KEYWORD_MONTH, KEYWORD_MONTHS, AST_UNIT_MONTH},
    {KEYWORD_WEEK, KEYWORD_WEEKS, AST_UNIT_WEEK},
    {KEYWORD_DAY, KEYWORD_DAYS, AST_UNIT_DAY},
    {KEYWORD_HOUR, KEYWORD_HOURS, AST_UNIT_HOUR},
    {KEYWORD_MINUTE, KEYWORD_MINUTES, AST_UNIT_MINUTE},
    {KEYWORD_SECOND, KEYWORD_SECONDS, AST_UNIT_SECOND},
};

enum { INTERVAL_UNIT_COUNT = sizeof interval_units / sizeof interval_units[0] };

static bool interval_unit_at(struct parser *parser, enum ast_unit *out)
{
    struct token token = parser_current(parser);
    for (uint32_t i = 0; token.kind == TOKEN_WORD && i < INTERVAL_UNIT_COUNT; i++) {
        if (token.keyword == interval_units[i].keyword ||
            token.keyword == interval_units[i].plural) {
            *out = interval_units[i].unit;
            return true;
        }
    }
    return false;
}

bool parse_primary_at_qualifier(struct parser *parser, bool reserved_only)
{
    enum ast_unit unit;
    return interval_unit_at(parser, &unit) &&
           (!reserved_only || lexer_keyword_reserved(parser_current(parser).keyword));
}

// (3), or for SECOND (3, 6).
static enum status parse_precision(struct parser *parser, bool with_scale,
                                   struct ast_interval_qualifier *out)
{
    if (!parser_accept_kind(parser, TOKEN_LPAREN)) {
        return STATUS_OK;
    }
    TRY(parse_name_integer(parser, "a precision", &out->precision));
    if (with_scale && parser_accept_kind(parser, TOKEN_COMMA)) {
        TRY(parse_name_integer(parser, "a precision", &out->scale));
    }
    return parser_expect_kind(parser, TOKEN_RPAREN);
}

// The unit behind TO must be a finer one of the same family.
static bool unit_may_end(enum ast_unit from, enum ast_unit to)
{
    if (from == AST_UNIT_YEAR) {
        return to == AST_UNIT_MONTH;
    }
    bool known = from == AST_UNIT_DAY || from == AST_UNIT_HOUR || from == AST_UNIT_MINUTE;
    bool fine = to == AST_UNIT_HOUR || to == AST_UNIT_MINUTE || to == AST_UNIT_SECOND;
    return known && fine && to < from; // the list of units begins with the finest
}

static enum status parse_qualifier(struct parser *parser, bool with_end,
                                   struct ast_interval_qualifier *out)
{
    uint32_t from = parser_offset(parser);
    *out = (struct ast_interval_qualifier){.precision = -1, .scale = -1};
    if (!interval_unit_at(parser, &out->from)) {
        return parser_unexpected(parser, "YEAR, QUARTER, MONTH, WEEK, DAY, HOUR, MINUTE or SECOND");
    }
    parser_advance(parser);
    out->to = out->from;
    TRY(parse_precision(parser, out->from == AST_UNIT_SECOND, out));
    bool may_end = out->from == AST_UNIT_YEAR || out->from == AST_UNIT_DAY ||
                   out->from == AST_UNIT_HOUR || out->from == AST_UNIT_MINUTE;
    if (with_end && may_end && parser_accept(parser, KEYWORD_TO)) {
        if (!interval_unit_at(parser, &out->to) || !unit_may_end(out->from, out->to)) {
            return parser_unexpected(parser, "a finer unit of the same kind of interval");
        }
        parser_advance(parser);
        if (out->to == AST_UNIT_SECOND && parser_accept_kind(parser, TOKEN_LPAREN)) {
            TRY(parse_name_integer(parser, "a precision", &out->scale));
            TRY(parser_expect_kind(parser, TOKEN_RPAREN));
        }
    }
    out->at = parser_span(parser, from);
    return STATUS_OK;
}

enum status parse_primary_qualifier(struct parser *parser, struct ast_interval_qualifier *out)
{
    return parse_qualifier(parser, true, out);
}

static struct ast_expr *new_call(struct parser *parser, const char *name, enum ast_call_form form,
                                 uint32_t from)
{
    struct ast_expr *expr = parse_expr_new(parser, AST_EXPR_CALL, from);
    struct ast_name *part = arena_new(parser->arena, struct ast_name);
    part->text = str_from(name);
    part->at = (struct ast_span){from, 0};
    expr->as.call.name = (struct ast_path){part, 1, part->at};
    expr->as.call.form = form;
    return expr;
}

// INTERVAL (a) DAY, INTERVAL 3 DAY, INTERVAL a DAY.
static enum status parse_interval_of(struct parser *parser, bool negative, uint32_t from,
                                     const struct ast_expr **out)
{
    const struct ast_expr *value;
    struct ast_interval_qualifier qualifier;
    if (!parser_at_kind(parser, TOKEN_LPAREN) && !parser_at_kind(parser, TOKEN_INTEGER) &&
        !parser_at_kind(parser, TOKEN_DECIMAL) && !parser_at_kind(parser, TOKEN_APPROXIMATE) &&
        !parser_is_name(parser_current(parser))) {
        return parser_unexpected(parser, "a string: INTERVAL '1' DAY");
    }
    if (parser_accept_kind(parser, TOKEN_LPAREN)) { // not parse_paren(): the unit is not its own
        TRY(parse_expr_value(parser, &value));
        TRY(parser_expect_kind(parser, TOKEN_RPAREN));
    } else {
        TRY(parse_primary_value(parser, &value));
    }
    TRY(parse_qualifier(parser, false, &qualifier));
    if (negative) {
        struct ast_expr *minus = parse_expr_new(parser, AST_EXPR_UNARY, value->at.offset);
        minus->as.unary.op = AST_UNARY_MINUS;
        minus->as.unary.operand = value;
        value = minus;
    }
    struct ast_expr *call = new_call(parser, "INTERVAL", AST_CALL_TO_INTERVAL, from);
    const struct ast_expr **args = arena_new_array(parser->arena, const struct ast_expr *, 1);
    args[0] = value;
    call->as.call.args = (struct ast_exprs){args, 1};
    call->as.call.interval = qualifier;
    *out = call;
    return STATUS_OK;
}

static bool at_plain_string(struct parser *parser, uint32_t ahead)
{
    struct token token = parser_peek(parser, ahead);
    return token.kind == TOKEN_STRING && parser->text.ptr[token.offset] == '\'';
}

// The text of a string that is not continued: DATE '...' 'x' is a literal and an error behind it.
static enum status take_plain_string(struct parser *parser, struct str *out)
{
    struct lexer_string string;
    struct token token = parser_advance(parser);
    TRY(lexer_string(parser->arena, parser->text, token, &string, parser->err));
    *out = string.value;
    return STATUS_OK;
}

static enum status parse_interval(struct parser *parser, const struct ast_expr **out)
{
    uint32_t from = parser_offset(parser);
    parser_advance(parser);
    bool negative = parser_accept_kind(parser, TOKEN_MINUS);
    if (!negative) {
        parser_accept_kind(parser, TOKEN_PLUS);
    }
    if (!at_plain_string(parser, 0)) {
        return parse_interval_of(parser, negative, from, out);
    }
    struct token token = parser_current(parser);
    struct str text;
    TRY(take_plain_string(parser, &text));
    struct ast_interval_qualifier qualifier;
    TRY(parse_qualifier(parser, true, &qualifier));
    if (text.size == 0) {
        return parser_fail(parser, parser_token_span(token), "an INTERVAL needs a value");
    }
    struct ast_expr *expr = new_literal(parser, AST_LITERAL_INTERVAL, text, from);
    expr->as.literal.negative = negative;
    expr->as.literal.interval = qualifier;
    *out = expr;
    return STATUS_OK;
}

// DATE '...', TIME '...', TIMESTAMP '...', TIMESTAMP WITH LOCAL TIME ZONE '...'; `handled` is
// false where something else begins with these words.
static enum status parse_datetime(struct parser *parser, bool *handled, const struct ast_expr **out)
{
    struct token token = parser_current(parser);
    enum ast_literal_kind kind = token.keyword == KEYWORD_DATE   ? AST_LITERAL_DATE
                                 : token.keyword == KEYWORD_TIME ? AST_LITERAL_TIME
                                                                 : AST_LITERAL_TIMESTAMP;
    bool zone = token.keyword == KEYWORD_TIMESTAMP && parser_ahead_is(parser, 1, KEYWORD_WITH);
    *handled = zone || at_plain_string(parser, 1);
    if (!*handled) {
        return STATUS_OK;
    }
    parser_advance(parser);
    if (zone) {
        kind = AST_LITERAL_TIMESTAMP_LTZ;
        parser_advance(parser);
        TRY(parser_expect(parser, KEYWORD_LOCAL));
        TRY(parser_expect(parser, KEYWORD_TIME));
        TRY(parser_expect(parser, KEYWORD_ZONE));
    }
    if (!at_plain_string(parser, 0)) {
        return parser_unexpected(parser, "a string");
    }
    struct str text;
    TRY(take_plain_string(parser, &text));
    *out = new_literal(parser, kind, text, token.offset);
    return STATUS_OK;
}

// {d '...'}, {t '...'}, {ts '...'} and {fn f(...)} of JDBC.
static enum status parse_braces(struct parser *parser, const struct ast_expr **out)
{
    uint32_t from = parser_offset(parser);
    parser_advance(parser);
    struct str word = lexer_text(parser->text, parser_current(parser));
    enum ast_literal_kind kind = str_is_nocase(word, "d")   ? AST_LITERAL_DATE
                                 : str_is_nocase(word, "t") ? AST_LITERAL_TIME
                                                            : AST_LITERAL_TIMESTAMP;
    if (str_is_nocase(word, "fn")) {
        parser_advance(parser);
        TRY(parse_primary_value(parser, out));
        return parser_expect_kind(parser, TOKEN_RBRACE);
    }
    if (kind == AST_LITERAL_TIMESTAMP && !str_is_nocase(word, "ts")) {
        return parser_unexpected(parser, "d, t, ts or fn");
    }
    parser_advance(parser);
    if (!at_plain_string(parser, 0)) {
        return parser_unexpected(parser, "a string");
    }
    struct str text;
    TRY(take_plain_string(parser, &text));
    TRY(parser_expect_kind(parser, TOKEN_RBRACE));
    *out = new_literal(parser, kind, text, from);
    return STATUS_OK;
}

// ---------------------------------------------------------------------------------------------
// Parentheses and constructors

enum status parse_primary_query_or_value(struct parser *parser, const struct ast_query **query,
                                         const struct ast_expr **value)
{
    *query = NULL;
    *value = NULL;
    if (parser_at_query(parser)) {
        return parse_query_whole(parser, query);
    }
    TRY(parse_expr_value(parser, value));
    const struct ast_expr *expr = *value;
    if (expr->kind == AST_EXPR_SUBQUERY && parse_query_continues(parser)) {
        *value = NULL;
        return parse_query_from_leaf(parser, expr->as.query, expr->at, query);
    }
    return STATUS_OK;
}

enum status parse_primary_query_or_list(struct parser *parser, const struct ast_query **query,
                                        struct ast_exprs *list)
{
    PARSER_LIST(const struct ast_expr *) exprs = {0};
    const struct ast_expr *value;
    *list = (struct ast_exprs){0};
    TRY(parser_expect_kind(parser, TOKEN_LPAREN));
    TRY(parse_primary_query_or_value(parser, query, &value));
    while (*query == NULL) {
        PARSER_PUSH(parser, &exprs, value);
        if (!parser_accept_kind(parser, TOKEN_COMMA)) {
            break;
        }
        TRY(parse_expr_value(parser, &value));
    }
    TRY(parser_expect_kind(parser, TOKEN_RPAREN));
    if (exprs.count == 1 && exprs.items[0]->kind == AST_EXPR_SUBQUERY) {
        *query = exprs.items[0]->as.query;
    } else if (*query == NULL) {
        *list = (struct ast_exprs){exprs.items, exprs.count};
    }
    return STATUS_OK;
}

static struct ast_expr *new_query_expr(struct parser *parser, enum ast_expr_kind kind,
                                       const struct ast_query *query, uint32_t from)
{
    struct ast_expr *expr = parse_expr_new(parser, kind, from);
    expr->as.query = query;
    return expr;
}

// An element of a row: DEFAULT is one.
static enum status parse_row_field(struct parser *parser, const struct ast_expr **out)
{
    if (!parser_ahead_is(parser, 0, KEYWORD_DEFAULT)) {
        return parse_expr_value(parser, out);
    }
    struct token token = parser_advance(parser);
    *out = parse_expr_new(parser, AST_EXPR_DEFAULT, token.offset);
    return STATUS_OK;
}

// Behind (a - b): DAY TO SECOND makes an interval of the difference.
static enum status parse_minus_date(struct parser *parser, const struct ast_expr *value,
                                    uint32_t from, const struct ast_expr **out)
{
    struct ast_interval_qualifier qualifier;
    bool minus = value->kind == AST_EXPR_BINARY && value->as.binary.op == AST_BINARY_SUBTRACT;
    if (!minus) {
        return parser_fail(parser, parser_token_span(parser_current(parser)),
                           "a unit of time stands only behind a difference in parentheses: "
                           "(a - b) DAY");
    }
    TRY(parse_qualifier(parser, true, &qualifier));
    struct ast_expr *call = new_call(parser, "MINUS_DATE", AST_CALL_MINUS, from);
    const struct ast_expr **args = arena_new_array(parser->arena, const struct ast_expr *, 2);
    args[0] = value->as.binary.left;
    args[1] = value->as.binary.right;
    call->as.call.args = (struct ast_exprs){args, 2};
    call->as.call.interval = qualifier;
    *out = call;
    return STATUS_OK;
}

// Behind the closing parenthesis of one value.
static enum status finish_single(struct parser *parser, const struct ast_expr *value, uint32_t from,
                                 const struct ast_expr **out)
{
    bool minus = value->kind == AST_EXPR_BINARY && value->as.binary.op == AST_BINARY_SUBTRACT;
    // WEEK is no reserved word: behind other values it is an alias.
    if (parse_primary_at_qualifier(parser, !minus)) {
        return parse_minus_date(parser, value, from, out);
    }
    struct ast_expr *inner = arena_copy(parser->arena, value, sizeof *value);
    inner->parenthesized = true;
    *out = inner;
    return STATUS_OK;
}

static enum status parse_paren(struct parser *parser, const struct ast_expr **out)
{
    uint32_t from = parser_offset(parser);
    const struct ast_query *query = NULL;
    const struct ast_expr *value;
    PARSER_LIST(const struct ast_expr *) fields = {0};
    parser_advance(parser);
    if (parser_ahead_is(parser, 0, KEYWORD_DEFAULT)) {
        TRY(parse_row_field(parser, &value));
    } else {
        TRY(parse_primary_query_or_value(parser, &query, &value));
    }
    while (query == NULL) {
        PARSER_PUSH(parser, &fields, value);
        if (!parser_accept_kind(parser, TOKEN_COMMA)) {
            break;
        }
        TRY(parse_row_field(parser, &value));
    }
    TRY(parser_expect_kind(parser, TOKEN_RPAREN));
    if (query != NULL) {
        *out = new_query_expr(parser, AST_EXPR_SUBQUERY, query, from);
        return STATUS_OK;
    }
    if (fields.count == 1) {
        return finish_single(parser, fields.items[0], from, out);
    }
    struct ast_expr *row = parse_expr_new(parser, AST_EXPR_ROW, from);
    row->as.row.fields = (struct ast_exprs){fields.items, fields.count};
    row->as.row.implicit = true;
    *out = row;
    return STATUS_OK;
}

static enum status parse_row(struct parser *parser, const struct ast_expr **out)
{
    PARSER_LIST(const struct ast_expr *) fields = {0};
    uint32_t from = parser_offset(parser);
    parser_advance(parser);
    TRY(parser_expect_kind(parser, TOKEN_LPAREN));
    do {
        const struct ast_expr *field;
        TRY(parse_row_field(parser, &field));
        PARSER_PUSH(parser, &fields, field);
    } while (parser_accept_kind(parser, TOKEN_COMMA));
    TRY(parser_expect_kind(parser, TOKEN_RPAREN));
    struct ast_expr *row = parse_expr_new(parser, AST_EXPR_ROW, from);
    row->as.row.fields = (struct ast_exprs){fields.items, fields.count};
    *out = row;
    return STATUS_OK;
}

// [a, b], the word in front taken.
static enum status parse_bracketed(struct parser *parser, enum ast_expr_kind kind, uint32_t from,
                                   const struct ast_expr **out)
{
    struct ast_exprs list = {0};
    TRY(parser_expect_kind(parser, TOKEN_LBRACKET));
    if (!parser_at_kind(parser, TOKEN_RBRACKET) || kind == AST_EXPR_MULTISET) {
        TRY(parse_expr_list(parser, &list));
    }
    TRY(parser_expect_kind(parser, TOKEN_RBRACKET));
    struct ast_expr *expr = parse_expr_new(parser, kind, from);
    expr->as.list = list;
    *out = expr;
    return STATUS_OK;
}

// ARRAY[...], ARRAY(query), ARRAY(a, b) (a function, which Flink does not have), and so for the
// others. `kind` is that of the brackets.
static enum status parse_collection(struct parser *parser, enum ast_expr_kind kind,
                                    enum ast_expr_kind query_kind, const struct ast_expr **out)
{
    struct token token = parser_advance(parser);
    if (!parser_at_kind(parser, TOKEN_LPAREN)) {
        return parse_bracketed(parser, kind, token.offset, out);
    }
    struct ast_name *name = arena_new(parser->arena, struct ast_name);
    *name = parse_name_of_token(parser, token);
    struct ast_exprs args = {0};
    const struct ast_query *query = NULL;
    if (parser_ahead_kind(parser, 1, TOKEN_RPAREN) && kind != AST_EXPR_MULTISET) {
        parser_advance(parser);
        parser_advance(parser);
    } else {
        TRY(parse_primary_query_or_list(parser, &query, &args));
    }
    if (query != NULL) {
        *out = new_query_expr(parser, query_kind, query, token.offset);
        return STATUS_OK;
    }
    struct ast_expr *call = parse_expr_new(parser, AST_EXPR_CALL, token.offset);
    call->as.call.name = (struct ast_path){name, 1, name->at};
    call->as.call.args = args;
    *out = call;
    return STATUS_OK;
}

static enum status parse_period(struct parser *parser, const struct ast_expr **out)
{
    uint32_t from = parser_offset(parser);
    struct ast_exprs list;
    parser_advance(parser);
    TRY(parser_expect_kind(parser, TOKEN_LPAREN));
    TRY(parse_expr_list(parser, &list));
    if (list.count != 2) {
        return parser_unexpected(parser, "a period's start and end");
    }
    TRY(parser_expect_kind(parser, TOKEN_RPAREN));
    struct ast_expr *expr = parse_expr_new(parser, AST_EXPR_PERIOD, from);
    expr->as.list = list;
    *out = expr;
    return STATUS_OK;
}

static enum status parse_case(struct parser *parser, const struct ast_expr **out)
{
    uint32_t from = parser_offset(parser);
    const struct ast_expr *operand = NULL;
    const struct ast_expr *otherwise = NULL;
    PARSER_LIST(struct ast_when) whens = {0};
    parser_advance(parser);
    if (!parser_at(parser, KEYWORD_WHEN)) {
        TRY(parse_expr_value(parser, &operand));
    }
    while (parser_accept(parser, KEYWORD_WHEN)) {
        struct ast_exprs conditions;
        struct ast_when when;
        TRY(parse_expr_list(parser, &conditions));
        TRY(parser_expect(parser, KEYWORD_THEN));
        TRY(parse_expr_value(parser, &when.result));
        for (uint32_t i = 0; i < conditions.count; i++) { // WHEN 1, 2 is two of them
            when.condition = conditions.items[i];
            PARSER_PUSH(parser, &whens, when);
        }
    }
    if (whens.count == 0) {
        return parser_unexpected(parser, "WHEN");
    }
    if (parser_accept(parser, KEYWORD_ELSE)) {
        TRY(parse_expr_value(parser, &otherwise));
    }
    TRY(parser_expect(parser, KEYWORD_END));
    struct ast_expr *expr = parse_expr_new(parser, AST_EXPR_CASE, from);
    expr->as.cases.operand = operand;
    expr->as.cases.whens = whens.items;
    expr->as.cases.when_count = whens.count;
    expr->as.cases.otherwise = otherwise;
    *out = expr;
    return STATUS_OK;
}

// EXISTS (query), UNIQUE (query), CURSOR(query).
static enum status parse_query_operand(struct parser *parser, enum ast_expr_kind kind,
                                       const struct ast_expr **out)
{
    uint32_t from = parser_offset(parser);
    const struct ast_query *query;
    struct ast_exprs list;
    parser_advance(parser);
    TRY(parse_primary_query_or_list(parser, &query, &list));
    if (query == NULL) {
        return parser_fail(parser, parser_span(parser, from), "a query is expected in parentheses");
    }
    *out = new_query_expr(parser, kind, query, from);
    return STATUS_OK;
}

static enum status parse_next_value(struct parser *parser, const struct ast_expr **out)
{
    uint32_t from = parser_offset(parser);
    struct ast_path path;
    parser_advance(parser);
    TRY(parser_expect(parser, KEYWORD_VALUE));
    TRY(parser_expect(parser, KEYWORD_FOR));
    TRY(parse_name_path(parser, "a sequence's name", &path));
    struct ast_expr *expr = parse_expr_new(parser, AST_EXPR_NEXT_VALUE, from);
    expr->as.path = path;
    *out = expr;
    return STATUS_OK;
}

// ---------------------------------------------------------------------------------------------
// Names

// a, a.b, a.*, f(...), a.f(...).
static enum status parse_name(struct parser *parser, const struct ast_expr **out)
{
    PARSER_LIST(struct ast_name) parts = {0};
    uint32_t from = parser_offset(parser);
    bool star = false;
    struct ast_name name = parse_name_of_token(parser, parser_advance(parser));
    PARSER_PUSH(parser, &parts, name);
    while (!star && parser_accept_kind(parser, TOKEN_DOT)) {
        star = parser_accept_kind(parser, TOKEN_STAR);
        if (!star) {
            TRY(parse_name_one(parser, "a name", &name));
            PARSER_PUSH(parser, &parts, name);
        }
    }
    struct ast_path path = {parts.items, parts.count, parser_span(parser, from)};
    if (!star && parser_at_kind(parser, TOKEN_LPAREN)) {
        return parse_call_named(parser, path, out);
    }
    struct ast_expr *expr = parse_expr_new(parser, star ? AST_EXPR_STAR : AST_EXPR_COLUMN, from);
    expr->as.path = path;
    *out = expr;
    return STATUS_OK;
}

// CURRENT_DATE and the like, without parentheses.
static bool context_variable(enum keyword keyword)
{
    static const enum keyword names[] = {
        KEYWORD_CURRENT_CATALOG,
        KEYWORD_CURRENT_DATE,
        KEYWORD_CURRENT_DEFAULT_TRANSFORM_GROUP,
        KEYWORD_CURRENT_PATH,
        KEYWORD_CURRENT_ROLE,
        KEYWORD_CURRENT_SCHEMA,
        KEYWORD_CURRENT_TIME,
        KEYWORD_CURRENT_TIMESTAMP,
        KEYWORD_CURRENT_USER,
        KEYWORD_LOCALTIME,
        KEYWORD_LOCALTIMESTAMP,
        KEYWORD_SESSION_USER,
        KEYWORD_SYSTEM_USER,
        KEYWORD_USER,
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i] == keyword) {
            return true;
        }
    }
    return false;
}

// A reserved word that is a function's name, or a function without parentheses.
static enum status parse_reserved_name(struct parser *parser, const struct ast_expr **out)
{
    struct token token = parser_current(parser);
    bool called = parser_ahead_kind(parser, 1, TOKEN_LPAREN);
    bool bare = context_variable(token.keyword);
    if (!(called && parse_call_reserved_name(token.keyword)) && !bare) {
        bool known = token.keyword != NO_KEYWORD && lexer_keyword_reserved(token.keyword);
        return parser_unexpected(parser, known && parser_ahead_kind(parser, 1, TOKEN_COMMA)
                                             ? "an expression or a column's name"
                                             : "an expression");
    }
    struct ast_name *name = arena_new(parser->arena, struct ast_name);
    *name = parse_name_of_token(parser, parser_advance(parser));
    struct ast_path path = {name, 1, name->at};
    if (called && parse_call_reserved_name(token.keyword)) {
        return parse_call_named(parser, path, out);
    }
    struct ast_expr *call = parse_expr_new(parser, AST_EXPR_CALL, token.offset);
    call->as.call.name = path;
    call->as.call.form = AST_CALL_BARE;
    *out = call;
    return STATUS_OK;
}

static enum status parse_word(struct parser *parser, const struct ast_expr **out)
{
    struct token token = parser_current(parser);
    bool handled = false;
    switch ((int)token.keyword) {
    case KEYWORD_TRUE: *out = take_literal(parser, AST_LITERAL_TRUE); return STATUS_OK;
    case KEYWORD_FALSE: *out = take_literal(parser, AST_LITERAL_FALSE); return STATUS_OK;
    case KEYWORD_UNKNOWN: *out = take_literal(parser, AST_LITERAL_UNKNOWN); return STATUS_OK;
    case KEYWORD_NULL: *out = take_literal(parser, AST_LITERAL_NULL); return STATUS_OK;
    case KEYWORD_INTERVAL: return parse_interval(parser, out);
    case KEYWORD_CASE: return parse_case(parser, out);
    case KEYWORD_ROW: return parse_row(parser, out);
    case KEYWORD_ARRAY: return parse_collection(parser, AST_EXPR_ARRAY, AST_EXPR_ARRAY_QUERY, out);
    case KEYWORD_MULTISET:
        return parse_collection(parser, AST_EXPR_MULTISET, AST_EXPR_MULTISET_QUERY, out);
    case KEYWORD_MAP:
        if (parser_ahead_kind(parser, 1, TOKEN_LPAREN) ||
            parser_ahead_kind(parser, 1, TOKEN_LBRACKET)) {
            return parse_collection(parser, AST_EXPR_MAP, AST_EXPR_MAP_QUERY, out);
        }
        break;
    case KEYWORD_PERIOD: return parse_period(parser, out);
    case KEYWORD_EXISTS: return parse_query_operand(parser, AST_EXPR_EXISTS, out);
    case KEYWORD_UNIQUE: return parse_query_operand(parser, AST_EXPR_UNIQUE, out);
    case KEYWORD_CURSOR: return parse_query_operand(parser, AST_EXPR_CURSOR, out);
    case KEYWORD_NEXT:
        if (parser_ahead_is(parser, 1, KEYWORD_VALUE)) {
            return parse_next_value(parser, out);
        }
        break;
    case KEYWORD_DATE:
    case KEYWORD_TIME:
    case KEYWORD_TIMESTAMP: TRY(parse_datetime(parser, &handled, out)); break;
    default: break;
    }
    if (!handled) {
        TRY(parse_call_special(parser, &handled, out));
    }
    if (!handled) {
        TRY(parse_json_call(parser, &handled, out));
    }
    if (handled) {
        return STATUS_OK;
    }
    return parser_is_name(token) ? parse_name(parser, out) : parse_reserved_name(parser, out);
}

static enum status parse_atom(struct parser *parser, const struct ast_expr **out)
{
    struct token token = parser_current(parser);
    switch ((int)token.kind) {
    case TOKEN_INTEGER:
    case TOKEN_DECIMAL: *out = take_literal(parser, AST_LITERAL_EXACT); return STATUS_OK;
    case TOKEN_APPROXIMATE: *out = take_literal(parser, AST_LITERAL_APPROXIMATE); return STATUS_OK;
    case TOKEN_STRING: return parse_string(parser, out);
    case TOKEN_LPAREN: return parse_paren(parser, out);
    case TOKEN_LBRACE: return parse_braces(parser, out);
    case TOKEN_QUOTED_NAME: return parse_name(parser, out);
    case TOKEN_WORD: return parse_word(parser, out);
    case TOKEN_QUESTION:
        parser_advance(parser);
        *out = parse_expr_new(parser, AST_EXPR_PARAMETER, token.offset);
        return STATUS_OK;
    default: return parser_unexpected(parser, "an expression");
    }
}

// .name or .* behind something that is no plain path.
static enum status parse_field(struct parser *parser, uint32_t from, const struct ast_expr **inout)
{
    struct ast_name name = {0};
    bool star = parser_accept_kind(parser, TOKEN_STAR);
    if (!star) {
        TRY(parse_name_one(parser, "a field's name", &name));
    }
    struct ast_expr *expr = parse_expr_new(parser, AST_EXPR_FIELD, from);
    expr->as.field.base = *inout;
    expr->as.field.name = name;
    expr->as.field.star = star;
    *inout = expr;
    return STATUS_OK;
}

enum status parse_primary_value(struct parser *parser, const struct ast_expr **out)
{
    uint32_t from = parser_offset(parser);
    TRY(parse_atom(parser, out));
    for (;;) {
        uint32_t below = parser->height;
        if (parser_accept_kind(parser, TOKEN_LBRACKET)) {
            const struct ast_expr *index;
            TRY(parse_expr_value(parser, &index));
            TRY(parser_expect_kind(parser, TOKEN_RBRACKET));
            struct ast_expr *expr = parse_expr_new(parser, AST_EXPR_ELEMENT, from);
            expr->as.element.base = *out;
            expr->as.element.index = index;
            *out = expr;
        } else if (parser_accept_kind(parser, TOKEN_DOT)) {
            TRY(parse_field(parser, from, out));
        } else {
            return STATUS_OK;
        }
        TRY(parser_grow_height(parser, below));
    }
}

enum status parse_primary_literal(struct parser *parser, const struct ast_expr **out)
{
    uint32_t from = parser_offset(parser);
    bool minus = parser_accept_kind(parser, TOKEN_MINUS);
    bool sign = minus || parser_accept_kind(parser, TOKEN_PLUS);
    struct token token = parser_current(parser);
    bool number = token.kind == TOKEN_INTEGER || token.kind == TOKEN_DECIMAL ||
                  token.kind == TOKEN_APPROXIMATE;
    bool word =
        parser_ahead_is(parser, 0, KEYWORD_TRUE) || parser_ahead_is(parser, 0, KEYWORD_FALSE) ||
        parser_ahead_is(parser, 0, KEYWORD_NULL) || parser_ahead_is(parser, 0, KEYWORD_UNKNOWN) ||
        parser_ahead_is(parser, 0, KEYWORD_INTERVAL) ||
        ((parser_ahead_is(parser, 0, KEYWORD_DATE) || parser_ahead_is(parser, 0, KEYWORD_TIME) ||
          parser_ahead_is(parser, 0, KEYWORD_TIMESTAMP)) &&
         at_plain_string(parser, 1));
    if (!number && (sign || (token.kind != TOKEN_STRING && !word))) {
        return parser_unexpected(parser, "a literal");
    }
    TRY(parse_atom(parser, out));
    if (minus) {
        struct ast_expr *expr = parse_expr_new(parser, AST_EXPR_UNARY, from);
        expr->as.unary.op = AST_UNARY_MINUS;
        expr->as.unary.operand = *out;
        *out = expr;
    }
    return STATUS_OK;
}
