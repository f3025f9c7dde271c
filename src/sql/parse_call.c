// SPDX-License-Identifier: Apache-2.0
//
// parse_call: function calls, those with a syntax of their own included, and windows.
#include "base/arena.h"
#include "sql/parse_int.h"

// Reserved words that name functions.
static const enum keyword reserved_names[] = {
    KEYWORD_ABS,
    KEYWORD_AVG,
    KEYWORD_CARDINALITY,
    KEYWORD_CEILING,
    KEYWORD_CHAR,
    KEYWORD_CHARACTER_LENGTH,
    KEYWORD_CHAR_LENGTH,
    KEYWORD_CLASSIFIER,
    KEYWORD_COALESCE,
    KEYWORD_COLLECT,
    KEYWORD_COUNT,
    KEYWORD_COVAR_POP,
    KEYWORD_COVAR_SAMP,
    KEYWORD_CUME_DIST,
    KEYWORD_CURRENT_DATE,
    KEYWORD_CURRENT_TIME,
    KEYWORD_CURRENT_TIMESTAMP,
    KEYWORD_DATE,
    KEYWORD_DATETIME,
    KEYWORD_DENSE_RANK,
    KEYWORD_ELEMENT,
    KEYWORD_EVERY,
    KEYWORD_EXP,
    KEYWORD_FIRST_VALUE,
    KEYWORD_FLOOR,
    KEYWORD_FUSION,
    KEYWORD_GROUPING,
    KEYWORD_HOUR,
    KEYWORD_INTERSECTION,
    KEYWORD_LAG,
    KEYWORD_LAST_VALUE,
    KEYWORD_LEAD,
    KEYWORD_LEFT,
    KEYWORD_LN,
    KEYWORD_LOCALTIME,
    KEYWORD_LOCALTIMESTAMP,
    KEYWORD_LOWER,
    KEYWORD_MATCH_NUMBER,
    KEYWORD_MAX,
    KEYWORD_MIN,
    KEYWORD_MINUTE,
    KEYWORD_MOD,
    KEYWORD_MONTH,
    KEYWORD_NEXT,
    KEYWORD_NTH_VALUE,
    KEYWORD_NTILE,
    KEYWORD_NULLIF,
    KEYWORD_OCTET_LENGTH,
    KEYWORD_PERCENTILE_CONT,
    KEYWORD_PERCENTILE_DISC,
    KEYWORD_PERCENT_RANK,
    KEYWORD_POWER,
    KEYWORD_PREV,
    KEYWORD_RANK,
    KEYWORD_REGR_COUNT,
    KEYWORD_REGR_SXX,
    KEYWORD_REGR_SYY,
    KEYWORD_RIGHT,
    KEYWORD_ROW_NUMBER,
    KEYWORD_SECOND,
    KEYWORD_SOME,
    KEYWORD_SQRT,
    KEYWORD_STDDEV_POP,
    KEYWORD_STDDEV_SAMP,
    KEYWORD_SUM,
    KEYWORD_TIME,
    KEYWORD_TIMESTAMP,
    KEYWORD_TRUNCATE,
    KEYWORD_UPPER,
    KEYWORD_USER,
    KEYWORD_VAR_POP,
    KEYWORD_VAR_SAMP,
    KEYWORD_YEAR,
    // Aggregates with an ORDER BY of their own.
    KEYWORD_ARRAY_CONCAT_AGG,
    KEYWORD_GROUP_CONCAT,
    KEYWORD_STRING_AGG,
};

bool parse_call_reserved_name(enum keyword keyword)
{
    for (size_t i = 0; i < sizeof reserved_names / sizeof reserved_names[0]; i++) {
        if (reserved_names[i] == keyword) {
            return true;
        }
    }
    return false;
}

// ---------------------------------------------------------------------------------------------
// Windows

static enum status parse_bound(struct parser *parser, struct ast_bound *out)
{
    uint32_t from = parser_offset(parser);
    *out = (struct ast_bound){.kind = AST_BOUND_CURRENT_ROW};
    bool unbounded = parser_ahead_is(parser, 0, KEYWORD_UNBOUNDED) &&
                     (parser_ahead_is(parser, 1, KEYWORD_PRECEDING) ||
                      parser_ahead_is(parser, 1, KEYWORD_FOLLOWING));
    if (!parser_accept_two(parser, KEYWORD_CURRENT, KEYWORD_ROW)) {
        if (unbounded) {
            parser_advance(parser);
        } else {
            TRY(parse_expr_value(parser, &out->offset));
        }
        if (parser_accept(parser, KEYWORD_PRECEDING)) {
            out->kind = unbounded ? AST_BOUND_UNBOUNDED_PRECEDING : AST_BOUND_PRECEDING;
        } else {
            TRY(parser_expect(parser, KEYWORD_FOLLOWING));
            out->kind = unbounded ? AST_BOUND_UNBOUNDED_FOLLOWING : AST_BOUND_FOLLOWING;
        }
    }
    out->at = parser_span(parser, from);
    return STATUS_OK;
}

static enum status parse_exclude(struct parser *parser, enum ast_exclude *out)
{
    if (!parser_accept(parser, KEYWORD_EXCLUDE)) {
        return STATUS_OK;
    }
    if (parser_accept(parser, KEYWORD_CURRENT)) {
        *out = AST_EXCLUDE_CURRENT_ROW;
        return parser_expect(parser, KEYWORD_ROW);
    }
    if (parser_accept(parser, KEYWORD_NO)) {
        return parser_expect(parser, KEYWORD_OTHERS);
    }
    if (parser_accept(parser, KEYWORD_GROUP)) {
        *out = AST_EXCLUDE_GROUP;
        return STATUS_OK;
    }
    *out = AST_EXCLUDE_TIES;
    return parser_expect(parser, KEYWORD_TIES);
}

static enum status parse_frame(struct parser *parser, struct ast_window *out)
{
    if (parser_accept(parser, KEYWORD_ROWS)) {
        out->unit = AST_FRAME_ROWS;
    } else if (parser_accept(parser, KEYWORD_RANGE)) {
        out->unit = AST_FRAME_RANGE;
    } else {
        return STATUS_OK;
    }
    if (!parser_accept(parser, KEYWORD_BETWEEN)) {
        TRY(parse_bound(parser, &out->start));
    } else {
        TRY(parse_bound(parser, &out->start));
        TRY(parser_expect(parser, KEYWORD_AND));
        TRY(parse_bound(parser, &out->end));
        out->has_end = true;
    }
    return parse_exclude(parser, &out->exclude);
}

// (w PARTITION BY ... ORDER BY ... ROWS ...)
enum status parse_call_window(struct parser *parser, struct ast_window *out)
{
    uint32_t from = parser_offset(parser);
    *out = (struct ast_window){.unit = AST_FRAME_NONE};
    TRY(parser_expect_kind(parser, TOKEN_LPAREN));
    if (parser_is_name(parser_current(parser))) {
        TRY(parse_name_one(parser, "a window's name", &out->reference));
    }
    if (parser_accept(parser, KEYWORD_PARTITION)) {
        TRY(parser_expect(parser, KEYWORD_BY));
        TRY(parse_expr_list(parser, &out->partition_by));
    }
    if (parser_accept(parser, KEYWORD_ORDER)) {
        TRY(parser_expect(parser, KEYWORD_BY));
        TRY(parse_expr_sorts(parser, &out->order_by));
    }
    TRY(parse_frame(parser, out));
    if (parser_accept(parser, KEYWORD_ALLOW) || parser_accept(parser, KEYWORD_DISALLOW)) {
        TRY(parser_expect(parser, KEYWORD_PARTIAL));
    }
    TRY(parser_expect_kind(parser, TOKEN_RPAREN));
    out->at = parser_span(parser, from);
    return STATUS_OK;
}

static enum status parse_over(struct parser *parser, const struct ast_window **out)
{
    struct ast_window *window = arena_new(parser->arena, struct ast_window);
    if (parser_at_kind(parser, TOKEN_LPAREN)) {
        TRY(parse_call_window(parser, window));
    } else {
        TRY(parse_name_one(parser, "a window's name or '('", &window->reference));
        window->only_reference = true;
        window->at = window->reference.at;
    }
    *out = window;
    return STATUS_OK;
}

enum status parse_call_filter_over(struct parser *parser, const struct ast_expr **filter,
                                   const struct ast_window **over)
{
    if (parser_accept(parser, KEYWORD_FILTER)) {
        TRY(parser_expect_kind(parser, TOKEN_LPAREN));
        TRY(parser_expect(parser, KEYWORD_WHERE));
        TRY(parse_expr_value(parser, filter));
        TRY(parser_expect_kind(parser, TOKEN_RPAREN));
    }
    if (parser_accept(parser, KEYWORD_OVER)) {
        TRY(parse_over(parser, over));
    }
    return STATUS_OK;
}

// ---------------------------------------------------------------------------------------------
// Arguments

// PARTITION BY a or (a, b), ORDER BY a or (a, b), behind a table that is an argument.
static enum status parse_table_properties(struct parser *parser, struct ast_expr *table)
{
    if (parser_accept(parser, KEYWORD_PARTITION)) {
        TRY(parser_expect(parser, KEYWORD_BY));
        bool list = parser_accept_kind(parser, TOKEN_LPAREN);
        if (list) {
            TRY(parse_expr_list(parser, &table->as.table.partition_by));
            TRY(parser_expect_kind(parser, TOKEN_RPAREN));
        } else {
            const struct ast_expr **items =
                arena_new_array(parser->arena, const struct ast_expr *, 1);
            TRY(parse_expr_value(parser, &items[0]));
            table->as.table.partition_by = (struct ast_exprs){items, 1};
        }
    }
    if (parser_accept(parser, KEYWORD_ORDER)) {
        TRY(parser_expect(parser, KEYWORD_BY));
        bool list = parser_accept_kind(parser, TOKEN_LPAREN);
        TRY(parse_expr_sorts(parser, &table->as.table.order_by));
        if (list) {
            TRY(parser_expect_kind(parser, TOKEN_RPAREN));
        }
    }
    table->at = parser_span(parser, table->at.offset);
    return STATUS_OK;
}

// TABLE t ..., TABLE (query) ...
static enum status parse_table_arg(struct parser *parser, const struct ast_expr **out)
{
    struct ast_expr *expr = parse_expr_new(parser, AST_EXPR_TABLE_ARG, parser_offset(parser));
    parser_advance(parser);
    if (parser_at_kind(parser, TOKEN_LPAREN)) {
        struct ast_exprs list;
        TRY(parse_primary_query_or_list(parser, &expr->as.table.query, &list));
        if (expr->as.table.query == NULL) {
            return parser_fail(parser, expr->at, "TABLE (...) needs a query in its parentheses");
        }
    } else {
        TRY(parse_name_path(parser, "a table's name", &expr->as.table.path));
    }
    TRY(parse_table_properties(parser, expr));
    *out = expr;
    return STATUS_OK;
}

static enum status parse_model_arg(struct parser *parser, const struct ast_expr **out)
{
    uint32_t from = parser_offset(parser);
    struct ast_path path;
    parser_advance(parser);
    TRY(parse_name_path(parser, "a model's name", &path));
    struct ast_expr *expr = parse_expr_new(parser, AST_EXPR_MODEL_ARG, from);
    expr->as.path = path;
    *out = expr;
    return STATUS_OK;
}

// A query or a value; a query with PARTITION BY or ORDER BY behind it is a table.
static enum status parse_value_arg(struct parser *parser, const struct ast_expr **out)
{
    uint32_t from = parser_offset(parser);
    const struct ast_query *query;
    TRY(parse_primary_query_or_value(parser, &query, out));
    if (query == NULL && (*out)->kind != AST_EXPR_SUBQUERY) {
        return STATUS_OK;
    }
    bool table = parser_at(parser, KEYWORD_PARTITION) || parser_at(parser, KEYWORD_ORDER);
    if (query == NULL && !table) {
        return STATUS_OK;
    }
    struct ast_expr *expr =
        parse_expr_new(parser, table ? AST_EXPR_TABLE_ARG : AST_EXPR_SUBQUERY, from);
    query = query != NULL ? query : (*out)->as.query;
    *out = expr;
    if (table) {
        expr->as.table.query = query;
        return parse_table_properties(parser, expr);
    }
    expr->as.query = query;
    return STATUS_OK;
}

static enum status parse_unnamed_arg(struct parser *parser, const struct ast_expr **out)
{
    if (parser_ahead_is(parser, 0, KEYWORD_DEFAULT)) {
        struct token token = parser_advance(parser);
        *out = parse_expr_new(parser, AST_EXPR_DEFAULT, token.offset);
        return STATUS_OK;
    }
    if (parser_ahead_is(parser, 0, KEYWORD_TABLE)) {
        return parse_table_arg(parser, out);
    }
    if (parser_ahead_is(parser, 0, KEYWORD_MODEL) && parser_is_name(parser_peek(parser, 1))) {
        return parse_model_arg(parser, out);
    }
    return parse_value_arg(parser, out);
}

static enum status parse_arg(struct parser *parser, const struct ast_expr **out)
{
    if (!parser_is_name(parser_current(parser)) || !parser_ahead_kind(parser, 1, TOKEN_ARROW)) {
        return parse_unnamed_arg(parser, out);
    }
    uint32_t from = parser_offset(parser);
    struct ast_name name;
    const struct ast_expr *value;
    TRY(parse_name_one(parser, "an argument's name", &name));
    TRY(parser_expect_kind(parser, TOKEN_ARROW));
    TRY(parse_unnamed_arg(parser, &value));
    struct ast_expr *expr = parse_expr_new(parser, AST_EXPR_NAMED_ARG, from);
    expr->as.named.name = name;
    expr->as.named.value = value;
    *out = expr;
    return STATUS_OK;
}

static void parse_nulls_treatment(struct parser *parser, struct ast_call *call)
{
    if (parser_accept_two(parser, KEYWORD_IGNORE, KEYWORD_NULLS)) {
        call->nulls = AST_NULLS_IGNORE;
    } else if (parser_accept_two(parser, KEYWORD_RESPECT, KEYWORD_NULLS)) {
        call->nulls = AST_NULLS_RESPECT;
    }
}

// What stands in the parentheses, which are taken too.
static enum status parse_args(struct parser *parser, struct ast_call *call)
{
    PARSER_LIST(const struct ast_expr *) args = {0};
    TRY(parser_expect_kind(parser, TOKEN_LPAREN));
    if (parser_accept_kind(parser, TOKEN_STAR)) {
        call->form = AST_CALL_STAR;
        return parser_expect_kind(parser, TOKEN_RPAREN);
    }
    if (parser_accept_kind(parser, TOKEN_RPAREN)) {
        return STATUS_OK;
    }
    if (parser_accept(parser, KEYWORD_DISTINCT)) {
        call->quantifier = AST_QUANTIFIER_DISTINCT;
    } else if (parser_accept(parser, KEYWORD_ALL)) {
        call->quantifier = AST_QUANTIFIER_ALL;
    }
    do {
        const struct ast_expr *arg;
        TRY(parse_arg(parser, &arg));
        PARSER_PUSH(parser, &args, arg);
    } while (parser_accept_kind(parser, TOKEN_COMMA));
    call->args = (struct ast_exprs){args.items, args.count};
    parse_nulls_treatment(parser, call); // ARRAY_AGG(a IGNORE NULLS)
    if (parser_accept(parser, KEYWORD_ORDER)) {
        TRY(parser_expect(parser, KEYWORD_BY));
        TRY(parse_expr_sorts(parser, &call->order_by));
    }
    if (parser_accept(parser, KEYWORD_SEPARATOR)) {
        TRY(parse_expr_value(parser, &call->separator));
    }
    return parser_expect_kind(parser, TOKEN_RPAREN);
}

// IGNORE NULLS, WITHIN GROUP (...) and what follows.
static enum status parse_suffixes(struct parser *parser, struct ast_call *call)
{
    parse_nulls_treatment(parser, call);
    if (parser_accept_two(parser, KEYWORD_WITHIN, KEYWORD_DISTINCT)) {
        TRY(parser_expect_kind(parser, TOKEN_LPAREN));
        TRY(parse_expr_list(parser, &call->within_distinct));
        TRY(parser_expect_kind(parser, TOKEN_RPAREN));
    }
    if (parser_accept(parser, KEYWORD_WITHIN)) {
        TRY(parser_expect(parser, KEYWORD_GROUP));
        TRY(parser_expect_kind(parser, TOKEN_LPAREN));
        TRY(parser_expect(parser, KEYWORD_ORDER));
        TRY(parser_expect(parser, KEYWORD_BY));
        TRY(parse_expr_sorts(parser, &call->within_group));
        TRY(parser_expect_kind(parser, TOKEN_RPAREN));
    }
    return parse_call_filter_over(parser, &call->filter, &call->over);
}

// DESCRIPTOR(a, b): its arguments are names, not values.
static bool make_descriptor(struct parser *parser, struct ast_expr *expr)
{
    struct ast_exprs args = expr->as.call.args;
    bool plain = expr->as.call.name.count == 1 &&
                 str_is_nocase(expr->as.call.name.parts[0].text, "DESCRIPTOR") && args.count > 0 &&
                 expr->as.call.quantifier == AST_QUANTIFIER_NONE;
    for (uint32_t i = 0; plain && i < args.count; i++) {
        plain = args.items[i]->kind == AST_EXPR_COLUMN && args.items[i]->as.path.count == 1;
    }
    if (!plain) {
        return false;
    }
    struct ast_name *names = arena_new_array(parser->arena, struct ast_name, args.count);
    for (uint32_t i = 0; i < args.count; i++) {
        names[i] = args.items[i]->as.path.parts[0];
    }
    expr->kind = AST_EXPR_DESCRIPTOR;
    expr->as.descriptor = (struct ast_names){names, args.count};
    return true;
}

enum status parse_call_named(struct parser *parser, struct ast_path path,
                             const struct ast_expr **out)
{
    struct ast_expr *expr = parse_expr_new(parser, AST_EXPR_CALL, path.at.offset);
    expr->as.call.name = path;
    TRY(parse_args(parser, &expr->as.call));
    expr->at = parser_span(parser, path.at.offset);
    *out = expr;
    if (make_descriptor(parser, expr)) {
        return STATUS_OK;
    }
    TRY(parse_suffixes(parser, &expr->as.call));
    expr->at = parser_span(parser, path.at.offset);
    return STATUS_OK;
}

// ---------------------------------------------------------------------------------------------
// Calls with a syntax of their own

// A special call under way: its node and arguments. The name is taken, and '('.
struct special {
    struct ast_expr *expr;
    PARSER_LIST(const struct ast_expr *) args;
};

static enum status special_arg(struct parser *parser, struct special *special)
{
    const struct ast_expr *arg;
    TRY(parse_expr_value(parser, &arg));
    PARSER_PUSH(parser, &special->args, arg);
    return STATUS_OK;
}

static const struct {
    enum keyword keyword;
    enum ast_unit unit;
} units[] = {
    {KEYWORD_NANOSECOND, AST_UNIT_NANOSECOND},
    {KEYWORD_MICROSECOND, AST_UNIT_MICROSECOND},
    {KEYWORD_MILLISECOND, AST_UNIT_MILLISECOND},
    {KEYWORD_SECOND, AST_UNIT_SECOND},
    {KEYWORD_MINUTE, AST_UNIT_MINUTE},
    {KEYWORD_HOUR, AST_UNIT_HOUR},
    {KEYWORD_DAY, AST_UNIT_DAY},
    {KEYWORD_DAYOFWEEK, AST_UNIT_DOW},
    {KEYWORD_DAYOFYEAR, AST_UNIT_DOY},
    {KEYWORD_DOW, AST_UNIT_DOW},
    {KEYWORD_DOY, AST_UNIT_DOY},
    {KEYWORD_ISODOW, AST_UNIT_ISODOW},
    {KEYWORD_ISOYEAR, AST_UNIT_ISOYEAR},
    {KEYWORD_WEEK, AST_UNIT_WEEK},
    {KEYWORD_MONTH, AST_UNIT_MONTH},
    {KEYWORD_QUARTER, AST_UNIT_QUARTER},
    {KEYWORD_YEAR, AST_UNIT_YEAR},
    {KEYWORD_EPOCH, AST_UNIT_EPOCH},
    {KEYWORD_DECADE, AST_UNIT_DECADE},
    {KEYWORD_CENTURY, AST_UNIT_CENTURY},
    {KEYWORD_MILLENNIUM, AST_UNIT_MILLENNIUM},
};

// DAY as an argument. Another name is kept as one, for the binder to refuse.
static enum status special_unit(struct parser *parser, struct special *special)
{
    struct token token = parser_current(parser);
    for (size_t i = 0; token.kind == TOKEN_WORD && i < sizeof units / sizeof units[0]; i++) {
        if (units[i].keyword == token.keyword) {
            parser_advance(parser);
            struct ast_expr *unit = parse_expr_new(parser, AST_EXPR_UNIT, token.offset);
            unit->as.unit = units[i].unit;
            PARSER_PUSH(parser, &special->args, unit);
            return STATUS_OK;
        }
    }
    struct ast_name *name = arena_new(parser->arena, struct ast_name);
    if (!parser_is_name(token)) {
        return parser_unexpected(parser, "a unit of time: YEAR, MONTH, DAY, HOUR, ...");
    }
    TRY(parse_name_one(parser, "a unit of time", name));
    struct ast_expr *column = parse_expr_new(parser, AST_EXPR_COLUMN, token.offset);
    column->as.path = (struct ast_path){name, 1, name->at};
    PARSER_PUSH(parser, &special->args, column);
    return STATUS_OK;
}

static void special_end(struct parser *parser, struct special *special)
{
    struct ast_expr *expr = special->expr;
    expr->at = parser_span(parser, expr->at.offset);
    if (expr->kind == AST_EXPR_CALL) {
        expr->as.call.args = (struct ast_exprs){special->args.items, special->args.count};
    }
}

static enum status parse_cast(struct parser *parser, struct special *special, enum ast_cast how)
{
    special->expr->kind = AST_EXPR_CAST;
    special->expr->as.cast.how = how;
    const struct ast_expr *value;
    TRY(parse_expr_value(parser, &value));
    special->expr->as.cast.value = value;
    TRY(parser_expect(parser, KEYWORD_AS));
    TRY(parse_type_cast(parser, &special->expr->as.cast.type));
    if (parser_accept(parser, KEYWORD_FORMAT)) {
        TRY(parse_name_text(parser, "a format as a string", &special->expr->as.cast.format));
    }
    return STATUS_OK;
}

static enum status parse_extract(struct parser *parser, struct special *special)
{
    special->expr->as.call.form = AST_CALL_UNIT_FROM;
    TRY(special_unit(parser, special));
    TRY(parser_expect(parser, KEYWORD_FROM));
    return special_arg(parser, special);
}

static enum status parse_position(struct parser *parser, struct special *special)
{
    const struct ast_expr *part;
    special->expr->as.call.form = AST_CALL_IN;
    TRY(parse_primary_value(parser, &part)); // IN must not be taken as a predicate
    PARSER_PUSH(parser, &special->args, part);
    TRY(parser_expect(parser, KEYWORD_IN));
    TRY(special_arg(parser, special));
    return parser_accept(parser, KEYWORD_FROM) ? special_arg(parser, special) : STATUS_OK;
}

// CONVERT(a USING name), CONVERT(a, name, name), TRANSLATE(a USING name), TRANSLATE(a, b, c).
static enum status parse_convert(struct parser *parser, struct special *special)
{
    TRY(special_arg(parser, special));
    if (parser_accept(parser, KEYWORD_USING)) {
        special->expr->as.call.form = AST_CALL_USING;
        struct ast_name *name = arena_new(parser->arena, struct ast_name);
        TRY(parse_name_one(parser, "a character set's name", name));
        struct ast_expr *column = parse_expr_new(parser, AST_EXPR_COLUMN, name->at.offset);
        column->as.path = (struct ast_path){name, 1, name->at};
        PARSER_PUSH(parser, &special->args, column);
        return STATUS_OK;
    }
    while (parser_accept_kind(parser, TOKEN_COMMA)) {
        TRY(special_arg(parser, special));
    }
    return STATUS_OK;
}

static enum status parse_overlay(struct parser *parser, struct special *special)
{
    special->expr->as.call.form = AST_CALL_PLACING;
    TRY(special_arg(parser, special));
    TRY(parser_expect(parser, KEYWORD_PLACING));
    TRY(special_arg(parser, special));
    TRY(parser_expect(parser, KEYWORD_FROM));
    TRY(special_arg(parser, special));
    return parser_accept(parser, KEYWORD_FOR) ? special_arg(parser, special) : STATUS_OK;
}

static enum status parse_floor(struct parser *parser, struct special *special)
{
    TRY(special_arg(parser, special));
    if (parser_accept(parser, KEYWORD_TO)) {
        special->expr->as.call.form = AST_CALL_TO_UNIT;
        return special_unit(parser, special);
    }
    return STATUS_OK;
}

static enum status parse_substring(struct parser *parser, struct special *special)
{
    TRY(special_arg(parser, special));
    if (parser_accept(parser, KEYWORD_FROM)) {
        special->expr->as.call.form = AST_CALL_FROM_FOR;
    } else {
        TRY(parser_expect_kind(parser, TOKEN_COMMA));
    }
    TRY(special_arg(parser, special));
    if (parser_accept(parser, KEYWORD_FOR) || parser_accept_kind(parser, TOKEN_COMMA)) {
        return special_arg(parser, special);
    }
    return STATUS_OK;
}

static enum status parse_trim(struct parser *parser, struct special *special)
{
    struct token side = parser_current(parser);
    bool sided = parser_accept(parser, KEYWORD_BOTH) || parser_accept(parser, KEYWORD_LEADING) ||
                 parser_accept(parser, KEYWORD_TRAILING);
    struct ast_expr *symbol = parse_expr_new(parser, AST_EXPR_SYMBOL, side.offset);
    symbol->as.symbol = str_from(lexer_keyword_name(sided ? side.keyword : KEYWORD_BOTH));
    symbol->at.length = sided ? side.length : 0;
    struct ast_expr *blank = parse_expr_new(parser, AST_EXPR_LITERAL, parser_offset(parser));
    blank->as.literal.kind = AST_LITERAL_STRING;
    blank->as.literal.text = STR_LIT(" ");
    blank->at.length = 0;
    const struct ast_expr *chars = blank;
    const struct ast_expr *value;
    if (!sided || !parser_accept(parser, KEYWORD_FROM)) {
        TRY(parse_expr_value(parser, &value));
        if (parser_accept(parser, KEYWORD_FROM)) {
            chars = value;
            TRY(parse_expr_value(parser, &value));
        } else if (!sided) {
            PARSER_PUSH(parser, &special->args, value);
            return STATUS_OK;
        }
    } else {
        TRY(parse_expr_value(parser, &value));
    }
    special->expr->as.call.form = AST_CALL_TRIM;
    PARSER_PUSH(parser, &special->args, symbol);
    PARSER_PUSH(parser, &special->args, chars);
    PARSER_PUSH(parser, &special->args, value);
    return STATUS_OK;
}

// TIMESTAMPADD(DAY, a, b), TIMESTAMPDIFF.
static enum status parse_unit_first(struct parser *parser, struct special *special)
{
    special->expr->as.call.form = AST_CALL_UNIT_FIRST;
    TRY(special_unit(parser, special));
    TRY(parser_expect_kind(parser, TOKEN_COMMA));
    TRY(special_arg(parser, special));
    TRY(parser_expect_kind(parser, TOKEN_COMMA));
    return special_arg(parser, special);
}

static enum status parse_body(struct parser *parser, enum keyword keyword, struct special *special)
{
    switch ((int)keyword) {
    case KEYWORD_CAST: return parse_cast(parser, special, AST_CAST);
    case KEYWORD_TRY_CAST: return parse_cast(parser, special, AST_TRY_CAST);
    case KEYWORD_EXTRACT: return parse_extract(parser, special);
    case KEYWORD_POSITION: return parse_position(parser, special);
    case KEYWORD_CONVERT:
    case KEYWORD_TRANSLATE: return parse_convert(parser, special);
    case KEYWORD_OVERLAY: return parse_overlay(parser, special);
    case KEYWORD_FLOOR:
    case KEYWORD_CEIL:
    case KEYWORD_CEILING: return parse_floor(parser, special);
    case KEYWORD_SUBSTRING: return parse_substring(parser, special);
    case KEYWORD_TRIM: return parse_trim(parser, special);
    default: return parse_unit_first(parser, special);
    }
}

static bool special_keyword(enum keyword keyword)
{
    static const enum keyword names[] = {
        KEYWORD_CAST,         KEYWORD_TRY_CAST,      KEYWORD_EXTRACT,   KEYWORD_POSITION,
        KEYWORD_CONVERT,      KEYWORD_TRANSLATE,     KEYWORD_OVERLAY,   KEYWORD_FLOOR,
        KEYWORD_CEIL,         KEYWORD_CEILING,       KEYWORD_SUBSTRING, KEYWORD_TRIM,
        KEYWORD_TIMESTAMPADD, KEYWORD_TIMESTAMPDIFF,
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i] == keyword) {
            return true;
        }
    }
    return false;
}

enum status parse_call_special(struct parser *parser, bool *handled, const struct ast_expr **out)
{
    struct token token = parser_current(parser);
    *handled = token.kind == TOKEN_WORD && special_keyword(token.keyword) &&
               parser_ahead_kind(parser, 1, TOKEN_LPAREN);
    if (!*handled) {
        return STATUS_OK;
    }
    struct special special = {0};
    parser_advance(parser);
    special.expr = parse_expr_new(parser, AST_EXPR_CALL, token.offset);
    if (token.keyword != KEYWORD_CAST && token.keyword != KEYWORD_TRY_CAST) {
        struct ast_name *name = arena_new(parser->arena, struct ast_name);
        *name = parse_name_of_token(parser, token);
        special.expr->as.call.name = (struct ast_path){name, 1, name->at};
    }
    parser_advance(parser);
    TRY(parse_body(parser, token.keyword, &special));
    TRY(parser_expect_kind(parser, TOKEN_RPAREN));
    special_end(parser, &special);
    *out = special.expr;
    return STATUS_OK;
}
