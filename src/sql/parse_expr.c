// SPDX-License-Identifier: Apache-2.0
//
// parse_expr: operators, by precedence climbing. The levels are those of Calcite's operator table.
#include "base/arena.h"
#include "sql/parse_int.h"

enum precedence {
    LEVEL_LOOSEST = 0,
    LEVEL_MULTISET = 14,
    LEVEL_MULTISET_INTERSECT = 16,
    LEVEL_OR = 22,
    LEVEL_AND = 24,
    LEVEL_NOT = 26,
    LEVEL_IS = 28,
    LEVEL_COMPARE = 30,
    LEVEL_PREDICATE = 32, // IN, BETWEEN, LIKE
    LEVEL_ADD = 40,
    LEVEL_MULTIPLY = 60,
    LEVEL_SIGN = 80,
};

enum operator_form {
    FORM_NONE,
    FORM_BINARY,
    FORM_COMPARE, // binary, or quantified where SOME, ANY or ALL follows
    FORM_IN,
    FORM_BETWEEN,
    FORM_LIKE,
    FORM_IS,
};

// The operator at the current token.
struct operator
{
    enum operator_form form;
    int level;
    enum ast_binary_op op; // of BINARY and COMPARE
    uint32_t words;        // tokens it is written with, a leading NOT included
    bool negated;
    enum ast_like like;
};

static enum status parse_operators(struct parser *parser, int level_min, bool stop_at_and,
                                   const struct ast_expr **out);

struct ast_expr *parse_expr_new(struct parser *parser, enum ast_expr_kind kind, uint32_t from)
{
    struct ast_expr *expr = arena_new(parser->arena, struct ast_expr);
    expr->kind = kind;
    expr->at = parser_span(parser, from);
    return expr;
}

static struct operator binary(enum ast_binary_op op, int level, uint32_t words)
{
    return (struct operator){.form = FORM_BINARY, .level = level, .op = op, .words = words};
}

static struct operator symbol_operator(enum token_kind kind)
{
    static const struct {
        enum token_kind kind;
        enum ast_binary_op op;
        int level;
        enum operator_form form;
    } symbols[] = {
        {TOKEN_EQ, AST_BINARY_EQ, LEVEL_COMPARE, FORM_COMPARE},
        {TOKEN_NE, AST_BINARY_NE, LEVEL_COMPARE, FORM_COMPARE},
        {TOKEN_LT, AST_BINARY_LT, LEVEL_COMPARE, FORM_COMPARE},
        {TOKEN_LE, AST_BINARY_LE, LEVEL_COMPARE, FORM_COMPARE},
        {TOKEN_GT, AST_BINARY_GT, LEVEL_COMPARE, FORM_COMPARE},
        {TOKEN_GE, AST_BINARY_GE, LEVEL_COMPARE, FORM_COMPARE},
        {TOKEN_PLUS, AST_BINARY_ADD, LEVEL_ADD, FORM_BINARY},
        {TOKEN_MINUS, AST_BINARY_SUBTRACT, LEVEL_ADD, FORM_BINARY},
        {TOKEN_STAR, AST_BINARY_MULTIPLY, LEVEL_MULTIPLY, FORM_BINARY},
        {TOKEN_SLASH, AST_BINARY_DIVIDE, LEVEL_MULTIPLY, FORM_BINARY},
        {TOKEN_PERCENT, AST_BINARY_MODULO, LEVEL_MULTIPLY, FORM_BINARY},
        {TOKEN_CONCAT, AST_BINARY_CONCAT, LEVEL_MULTIPLY, FORM_BINARY},
    };
    struct operator found = {.form = FORM_NONE};
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        if (symbols[i].kind == kind) {
            found = binary(symbols[i].op, symbols[i].level, 1);
            found.form = symbols[i].form;
        }
    }
    return found;
}

static struct operator multiset_operator(struct parser *parser)
{
    bool all = parser_ahead_is(parser, 2, KEYWORD_ALL);
    uint32_t words = all || parser_ahead_is(parser, 2, KEYWORD_DISTINCT) ? 3 : 2;
    // Without a word it is ALL in Calcite's table.
    all = all || words == 2;
    if (parser_ahead_is(parser, 1, KEYWORD_UNION)) {
        return binary(all ? AST_BINARY_MULTISET_UNION_ALL : AST_BINARY_MULTISET_UNION,
                      LEVEL_MULTISET, words);
    }
    if (parser_ahead_is(parser, 1, KEYWORD_EXCEPT)) {
        return binary(all ? AST_BINARY_MULTISET_EXCEPT_ALL : AST_BINARY_MULTISET_EXCEPT,
                      LEVEL_MULTISET, words);
    }
    if (parser_ahead_is(parser, 1, KEYWORD_INTERSECT)) {
        return binary(all ? AST_BINARY_MULTISET_INTERSECT_ALL : AST_BINARY_MULTISET_INTERSECT,
                      LEVEL_MULTISET_INTERSECT, words);
    }
    return (struct operator){.form = FORM_NONE};
}

// Of IS: IS DISTINCT FROM is a comparison, the others are a suffix.
static struct operator is_operator(struct parser *parser)
{
    if (parser_ahead_is(parser, 1, KEYWORD_DISTINCT)) {
        return binary(AST_BINARY_IS_DISTINCT_FROM, LEVEL_COMPARE, 3);
    }
    if (parser_ahead_is(parser, 1, KEYWORD_NOT) && parser_ahead_is(parser, 2, KEYWORD_DISTINCT)) {
        return binary(AST_BINARY_IS_NOT_DISTINCT_FROM, LEVEL_COMPARE, 4);
    }
    return (struct operator){.form = FORM_IS, .level = LEVEL_IS, .words = 1};
}

// The predicates that NOT can stand in front of; `at` is where the word is.
static struct operator predicate_operator(struct parser *parser, uint32_t at)
{
    struct operator found = {.form = FORM_NONE, .level = LEVEL_PREDICATE, .words = at + 1};
    found.negated = at > 0;
    switch ((int)parser_peek(parser, at).keyword) {
    case KEYWORD_IN: found.form = FORM_IN; break;
    case KEYWORD_BETWEEN: found.form = FORM_BETWEEN; break;
    case KEYWORD_LIKE: found.form = FORM_LIKE; break;
    case KEYWORD_ILIKE:
        found.form = FORM_LIKE;
        found.like = AST_ILIKE;
        break;
    case KEYWORD_RLIKE:
        found.form = FORM_LIKE;
        found.like = AST_RLIKE;
        break;
    case KEYWORD_SIMILAR:
        found.form = FORM_LIKE;
        found.like = AST_SIMILAR;
        found.words++;
        break;
    case KEYWORD_SUBMULTISET:
        return binary(at > 0 ? AST_BINARY_NOT_SUBMULTISET_OF : AST_BINARY_SUBMULTISET_OF,
                      LEVEL_COMPARE, at + 2);
    case KEYWORD_MEMBER:
        return binary(at > 0 ? AST_BINARY_NOT_MEMBER_OF : AST_BINARY_MEMBER_OF, LEVEL_COMPARE,
                      at + 2);
    default: break;
    }
    return found;
}

static struct operator word_operator(struct parser *parser, enum keyword keyword)
{
    switch ((int)keyword) {
    case KEYWORD_OR: return binary(AST_BINARY_OR, LEVEL_OR, 1);
    case KEYWORD_AND: return binary(AST_BINARY_AND, LEVEL_AND, 1);
    case KEYWORD_IS: return is_operator(parser);
    case KEYWORD_NOT: return predicate_operator(parser, 1);
    case KEYWORD_MULTISET: return multiset_operator(parser);
    case KEYWORD_CONTAINS: return binary(AST_BINARY_CONTAINS, LEVEL_COMPARE, 1);
    case KEYWORD_OVERLAPS: return binary(AST_BINARY_OVERLAPS, LEVEL_COMPARE, 1);
    case KEYWORD_EQUALS: return binary(AST_BINARY_EQUALS, LEVEL_COMPARE, 1);
    case KEYWORD_PRECEDES: return binary(AST_BINARY_PRECEDES, LEVEL_COMPARE, 1);
    case KEYWORD_SUCCEEDS: return binary(AST_BINARY_SUCCEEDS, LEVEL_COMPARE, 1);
    case KEYWORD_IMMEDIATELY:
        if (parser_ahead_is(parser, 1, KEYWORD_PRECEDES)) {
            return binary(AST_BINARY_IMMEDIATELY_PRECEDES, LEVEL_COMPARE, 2);
        }
        if (parser_ahead_is(parser, 1, KEYWORD_SUCCEEDS)) {
            return binary(AST_BINARY_IMMEDIATELY_SUCCEEDS, LEVEL_COMPARE, 2);
        }
        return (struct operator){.form = FORM_NONE};
    default: return predicate_operator(parser, 0);
    }
}

static struct operator operator_at(struct parser *parser)
{
    struct token token = parser_current(parser);
    return token.kind == TOKEN_WORD ? word_operator(parser, token.keyword)
                                    : symbol_operator(token.kind);
}

// ---------------------------------------------------------------------------------------------

// Takes the tokens of an operator. The last of those with several words may be missing: IS NOT
// DISTINCT without FROM.
static enum status take_operator(struct parser *parser, struct operator op)
{
    static const struct {
        enum ast_binary_op op;
        enum keyword last;
    } endings[] = {
        {AST_BINARY_IS_DISTINCT_FROM, KEYWORD_FROM},
        {AST_BINARY_IS_NOT_DISTINCT_FROM, KEYWORD_FROM},
        {AST_BINARY_MEMBER_OF, KEYWORD_OF},
        {AST_BINARY_NOT_MEMBER_OF, KEYWORD_OF},
        {AST_BINARY_SUBMULTISET_OF, KEYWORD_OF},
        {AST_BINARY_NOT_SUBMULTISET_OF, KEYWORD_OF},
    };
    enum keyword last = NO_KEYWORD;
    if (op.form == FORM_LIKE && op.like == AST_SIMILAR) {
        last = KEYWORD_TO;
    }
    for (size_t i = 0; op.form == FORM_BINARY && i < sizeof endings / sizeof endings[0]; i++) {
        if (endings[i].op == op.op) {
            last = endings[i].last;
        }
    }
    uint32_t plain = last == NO_KEYWORD ? op.words : op.words - 1;
    for (uint32_t i = 0; i < plain; i++) {
        parser_advance(parser);
    }
    return last == NO_KEYWORD ? STATUS_OK : parser_expect(parser, last);
}

static enum status parse_binary(struct parser *parser, struct operator op, bool stop_at_and,
                                uint32_t from, const struct ast_expr **inout)
{
    const struct ast_expr *right;
    struct ast_span op_at = parser_token_span(parser->previous);
    TRY(parse_operators(parser, op.level + 1, stop_at_and, &right));
    struct ast_expr *expr = parse_expr_new(parser, AST_EXPR_BINARY, from);
    expr->as.binary.op = op.op;
    expr->as.binary.left = *inout;
    expr->as.binary.right = right;
    expr->as.binary.op_at = op_at;
    *inout = expr;
    return STATUS_OK;
}

static bool at_quantifier(struct parser *parser)
{
    return (parser_ahead_is(parser, 0, KEYWORD_SOME) || parser_ahead_is(parser, 0, KEYWORD_ANY) ||
            parser_ahead_is(parser, 0, KEYWORD_ALL)) &&
           parser_ahead_kind(parser, 1, TOKEN_LPAREN);
}

static enum status parse_quantified(struct parser *parser, struct operator op, uint32_t from,
                                    const struct ast_expr **inout)
{
    bool all = parser_ahead_is(parser, 0, KEYWORD_ALL);
    parser_advance(parser);
    const struct ast_query *query;
    struct ast_exprs list;
    TRY(parse_primary_query_or_list(parser, &query, &list));
    struct ast_expr *expr = parse_expr_new(parser, AST_EXPR_QUANTIFIED, from);
    expr->as.quantified.op = op.op;
    expr->as.quantified.value = *inout;
    expr->as.quantified.all = all;
    expr->as.quantified.list = list;
    expr->as.quantified.query = query;
    *inout = expr;
    return STATUS_OK;
}

static enum status parse_in(struct parser *parser, struct operator op, uint32_t from,
                            const struct ast_expr **inout)
{
    const struct ast_query *query;
    struct ast_exprs list;
    TRY(parse_primary_query_or_list(parser, &query, &list));
    struct ast_expr *expr = parse_expr_new(parser, AST_EXPR_IN, from);
    expr->as.in.value = *inout;
    expr->as.in.list = list;
    expr->as.in.query = query;
    expr->as.in.negated = op.negated;
    *inout = expr;
    return STATUS_OK;
}

static enum status parse_between(struct parser *parser, struct operator op, bool stop_at_and,
                                 uint32_t from, const struct ast_expr **inout)
{
    const struct ast_expr *low;
    const struct ast_expr *high;
    bool symmetric = parser_accept(parser, KEYWORD_SYMMETRIC);
    if (!symmetric) {
        parser_accept(parser, KEYWORD_ASYMMETRIC);
    }
    TRY(parse_operators(parser, LEVEL_LOOSEST, true, &low));
    TRY(parser_expect(parser, KEYWORD_AND));
    TRY(parse_operators(parser, LEVEL_PREDICATE + 1, stop_at_and, &high));
    struct ast_expr *expr = parse_expr_new(parser, AST_EXPR_BETWEEN, from);
    expr->as.between.value = *inout;
    expr->as.between.low = low;
    expr->as.between.high = high;
    expr->as.between.symmetric = symmetric;
    expr->as.between.negated = op.negated;
    *inout = expr;
    return STATUS_OK;
}

static enum status parse_like(struct parser *parser, struct operator op, bool stop_at_and,
                              uint32_t from, const struct ast_expr **inout)
{
    const struct ast_expr *pattern;
    const struct ast_expr *escape = NULL;
    // Associates to the right.
    TRY(parse_operators(parser, LEVEL_PREDICATE, stop_at_and, &pattern));
    if (parser_accept(parser, KEYWORD_ESCAPE)) {
        TRY(parse_primary_value(parser, &escape));
    }
    struct ast_expr *expr = parse_expr_new(parser, AST_EXPR_LIKE, from);
    expr->as.like.value = *inout;
    expr->as.like.pattern = pattern;
    expr->as.like.escape = escape;
    expr->as.like.how = op.like;
    expr->as.like.negated = op.negated;
    *inout = expr;
    return STATUS_OK;
}

static enum status parse_is_json(struct parser *parser, enum ast_is *what)
{
    parser_advance(parser);
    if (parser_accept(parser, KEYWORD_OBJECT)) {
        *what = AST_IS_JSON_OBJECT;
    } else if (parser_accept(parser, KEYWORD_ARRAY)) {
        *what = AST_IS_JSON_ARRAY;
    } else if (parser_accept(parser, KEYWORD_SCALAR)) {
        *what = AST_IS_JSON_SCALAR;
    } else {
        parser_accept(parser, KEYWORD_VALUE);
        *what = AST_IS_JSON;
    }
    return STATUS_OK;
}

static enum status parse_is(struct parser *parser, uint32_t from, const struct ast_expr **inout)
{
    enum ast_is what;
    bool negated = parser_accept(parser, KEYWORD_NOT);
    if (parser_accept(parser, KEYWORD_NULL)) {
        what = AST_IS_NULL;
    } else if (parser_accept(parser, KEYWORD_TRUE)) {
        what = AST_IS_TRUE;
    } else if (parser_accept(parser, KEYWORD_FALSE)) {
        what = AST_IS_FALSE;
    } else if (parser_accept(parser, KEYWORD_UNKNOWN)) {
        what = AST_IS_UNKNOWN;
    } else if (parser_accept(parser, KEYWORD_EMPTY)) {
        what = AST_IS_EMPTY;
    } else if (parser_accept_two(parser, KEYWORD_A, KEYWORD_SET)) {
        what = AST_IS_A_SET;
    } else if (parser_at(parser, KEYWORD_JSON)) {
        TRY(parse_is_json(parser, &what));
    } else {
        return parser_unexpected(parser, "NULL, TRUE, FALSE, UNKNOWN, JSON or DISTINCT FROM");
    }
    struct ast_expr *expr = parse_expr_new(parser, AST_EXPR_IS, from);
    expr->as.is.value = *inout;
    expr->as.is.what = what;
    expr->as.is.negated = negated;
    *inout = expr;
    return STATUS_OK;
}

// Joins *inout with what follows it.
static enum status parse_operator(struct parser *parser, struct operator op, bool stop_at_and,
                                  uint32_t from, const struct ast_expr **inout)
{
    TRY(take_operator(parser, op));
    switch (op.form) {
    case FORM_BINARY: return parse_binary(parser, op, stop_at_and, from, inout);
    case FORM_COMPARE:
        return at_quantifier(parser) ? parse_quantified(parser, op, from, inout)
                                     : parse_binary(parser, op, stop_at_and, from, inout);
    case FORM_IN: return parse_in(parser, op, from, inout);
    case FORM_BETWEEN: return parse_between(parser, op, stop_at_and, from, inout);
    case FORM_LIKE: return parse_like(parser, op, stop_at_and, from, inout);
    case FORM_IS: return parse_is(parser, from, inout);
    case FORM_NONE: break;
    }
    return STATUS_OK;
}

static enum status parse_prefix(struct parser *parser, bool stop_at_and,
                                const struct ast_expr **out)
{
    uint32_t from = parser_offset(parser);
    enum ast_unary_op op;
    int level = LEVEL_SIGN;
    if (parser_at_kind(parser, TOKEN_MINUS)) {
        op = AST_UNARY_MINUS;
    } else if (parser_at_kind(parser, TOKEN_PLUS)) {
        op = AST_UNARY_PLUS;
    } else if (parser_ahead_is(parser, 0, KEYWORD_NOT)) {
        op = AST_UNARY_NOT;
        level = LEVEL_NOT;
    } else {
        return parse_primary_value(parser, out);
    }
    parser_advance(parser);
    const struct ast_expr *operand;
    TRY(parse_operators(parser, level, stop_at_and, &operand));
    struct ast_expr *expr = parse_expr_new(parser, AST_EXPR_UNARY, from);
    expr->as.unary.op = op;
    expr->as.unary.operand = operand;
    *out = expr;
    return STATUS_OK;
}

// An operand and all operators of at least `level_min`. With `stop_at_and` an AND ends it: it
// belongs to the BETWEEN outside.
static enum status parse_operators(struct parser *parser, int level_min, bool stop_at_and,
                                   const struct ast_expr **out)
{
    TRY(parser_enter(parser));
    uint32_t height_before = parser_begin_height(parser);
    uint32_t from = parser_offset(parser);
    TRY(parse_prefix(parser, stop_at_and, out));
    for (;;) {
        struct operator op = operator_at(parser);
        bool stop = stop_at_and && op.form == FORM_BINARY && op.op == AST_BINARY_AND;
        if (op.form == FORM_NONE || op.level < level_min || stop) {
            break;
        }
        uint32_t below = parser_begin_height(parser);
        TRY(parse_operator(parser, op, stop_at_and, from, out));
        TRY(parser_grow_height(parser, below));
    }
    TRY(parser_grow_height(parser, 0));
    parser_end_height(parser, height_before);
    parser_leave(parser);
    return STATUS_OK;
}

enum status parse_expr_value(struct parser *parser, const struct ast_expr **out)
{
    return parse_operators(parser, LEVEL_LOOSEST, false, out);
}

enum status parse_expr_list(struct parser *parser, struct ast_exprs *out)
{
    PARSER_LIST(const struct ast_expr *) exprs = {0};
    do {
        const struct ast_expr *expr;
        TRY(parse_expr_value(parser, &expr));
        PARSER_PUSH(parser, &exprs, expr);
    } while (parser_accept_kind(parser, TOKEN_COMMA));
    *out = (struct ast_exprs){exprs.items, exprs.count};
    return STATUS_OK;
}

static enum status parse_sort(struct parser *parser, struct ast_sort *out)
{
    uint32_t from = parser_offset(parser);
    *out = (struct ast_sort){.nulls = AST_NULLS_UNSAID};
    TRY(parse_expr_value(parser, &out->expr));
    out->descending = parser_accept(parser, KEYWORD_DESC);
    if (!out->descending) {
        parser_accept(parser, KEYWORD_ASC);
    }
    if (parser_accept(parser, KEYWORD_NULLS)) {
        out->nulls = AST_NULLS_FIRST;
        if (!parser_accept(parser, KEYWORD_FIRST)) {
            TRY(parser_expect(parser, KEYWORD_LAST));
            out->nulls = AST_NULLS_LAST;
        }
    }
    out->at = parser_span(parser, from);
    return STATUS_OK;
}

enum status parse_expr_sorts(struct parser *parser, struct ast_sorts *out)
{
    PARSER_LIST(struct ast_sort) sorts = {0};
    do {
        struct ast_sort sort;
        TRY(parse_sort(parser, &sort));
        PARSER_PUSH(parser, &sorts, sort);
    } while (parser_accept_kind(parser, TOKEN_COMMA));
    *out = (struct ast_sorts){sorts.items, sorts.count};
    return STATUS_OK;
}
