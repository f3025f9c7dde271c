// SPDX-License-Identifier: Apache-2.0
#include "base/arena.h"
#include "sql/parse_int.h"

// Types that are one word, without parameters.
static const struct {
    enum keyword keyword;
    enum type_kind kind;
    int32_t length;
} plain_types[] = {
    {KEYWORD_BOOLEAN, TYPE_BOOLEAN, -1},
    {KEYWORD_TINYINT, TYPE_TINYINT, -1},
    {KEYWORD_SMALLINT, TYPE_SMALLINT, -1},
    {KEYWORD_INT, TYPE_INT, -1},
    {KEYWORD_INTEGER, TYPE_INT, -1},
    {KEYWORD_BIGINT, TYPE_BIGINT, -1},
    {KEYWORD_FLOAT, TYPE_FLOAT, -1},
    {KEYWORD_REAL, TYPE_FLOAT, -1},
    {KEYWORD_STRING, TYPE_VARCHAR, TYPE_LENGTH_MAX},
    {KEYWORD_BYTES, TYPE_VARBINARY, TYPE_LENGTH_MAX},
    {KEYWORD_DATE, TYPE_DATE, -1},
    {KEYWORD_VARIANT, TYPE_VARIANT, -1},
};

static enum status parse_nullable(struct parser *parser, struct ast_type **out);

// (n)
static enum status parse_length(struct parser *parser, struct ast_type *type)
{
    if (!parser_accept_kind(parser, TOKEN_LPAREN)) {
        return STATUS_OK;
    }
    TRY(parse_name_integer(parser, "a length or precision", &type->length));
    return parser_expect_kind(parser, TOKEN_RPAREN);
}

static enum status parse_character(struct parser *parser, struct ast_type *type)
{
    bool varying = parser_ahead_is(parser, 0, KEYWORD_VARCHAR);
    parser_advance(parser);
    varying = varying || parser_accept(parser, KEYWORD_VARYING);
    type->kind = varying ? TYPE_VARCHAR : TYPE_CHAR;
    TRY(parse_length(parser, type));
    if (parser_accept(parser, KEYWORD_CHARACTER)) { // CHARACTER SET name: all text is UTF-8 here
        struct ast_name charset;
        TRY(parser_expect(parser, KEYWORD_SET));
        return parse_name_one(parser, "a character set's name", &charset);
    }
    return STATUS_OK;
}

static enum status parse_binary(struct parser *parser, struct ast_type *type)
{
    bool varying = parser_ahead_is(parser, 0, KEYWORD_VARBINARY);
    parser_advance(parser);
    varying = varying || parser_accept(parser, KEYWORD_VARYING);
    type->kind = varying ? TYPE_VARBINARY : TYPE_BINARY;
    return parse_length(parser, type);
}

// (p, s); a negative scale is for the binder to refuse.
static enum status parse_decimal(struct parser *parser, struct ast_type *type)
{
    type->kind = TYPE_DECIMAL;
    parser_advance(parser);
    if (!parser_accept_kind(parser, TOKEN_LPAREN)) {
        return STATUS_OK;
    }
    TRY(parse_name_integer(parser, "a precision", &type->length));
    if (parser_accept_kind(parser, TOKEN_COMMA)) {
        bool negative = parser_accept_kind(parser, TOKEN_MINUS);
        TRY(parse_name_integer(parser, "a scale", &type->scale));
        if (negative && type->scale > 0) {
            return parser_fail(parser, parser_token_span(parser->previous),
                               "a negative scale is not supported");
        }
    }
    return parser_expect_kind(parser, TOKEN_RPAREN);
}

// TIME and TIMESTAMP [(p)] [WITHOUT TIME ZONE | WITH [LOCAL] TIME ZONE], TIMESTAMP_LTZ [(p)].
static enum status parse_time(struct parser *parser, struct ast_type *type)
{
    struct token token = parser_advance(parser);
    type->kind = token.keyword == KEYWORD_TIME            ? TYPE_TIME
                 : token.keyword == KEYWORD_TIMESTAMP_LTZ ? TYPE_TIMESTAMP_LTZ
                                                          : TYPE_TIMESTAMP;
    TRY(parse_length(parser, type));
    if (token.keyword == KEYWORD_TIMESTAMP_LTZ) {
        return STATUS_OK;
    }
    if (parser_accept_two(parser, KEYWORD_WITHOUT, KEYWORD_TIME)) {
        return parser_expect(parser, KEYWORD_ZONE);
    }
    if (!parser_accept(parser, KEYWORD_WITH)) {
        return STATUS_OK;
    }
    bool local = parser_accept(parser, KEYWORD_LOCAL);
    TRY(parser_expect(parser, KEYWORD_TIME));
    TRY(parser_expect(parser, KEYWORD_ZONE));
    if (local && type->kind == TYPE_TIMESTAMP) {
        type->kind = TYPE_TIMESTAMP_LTZ;
    } else {
        type->with_time_zone = true;
    }
    return STATUS_OK;
}

// Names and types of a ROW or STRUCTURED, up to `end`, which is taken.
static enum status parse_fields(struct parser *parser, enum token_kind end, struct ast_type *type)
{
    PARSER_LIST(struct ast_type_field) fields = {0};
    if (!parser_at_kind(parser, end)) {
        do {
            struct ast_type_field field = {0};
            struct ast_type *field_type;
            TRY(parse_name_one(parser, "a field's name", &field.name));
            TRY(parse_nullable(parser, &field_type));
            field.type = field_type;
            if (parser_at_kind(parser, TOKEN_STRING)) {
                TRY(parse_name_text(parser, "a comment", &field.comment));
            }
            PARSER_PUSH(parser, &fields, field);
        } while (parser_accept_kind(parser, TOKEN_COMMA));
    }
    type->fields = fields.items;
    type->field_count = fields.count;
    return parser_expect_kind(parser, end);
}

static enum status parse_row(struct parser *parser, struct ast_type *type)
{
    type->kind = TYPE_ROW;
    parser_advance(parser);
    if (parser_accept_kind(parser, TOKEN_NE)) { // ROW<>
        return STATUS_OK;
    }
    if (parser_accept_kind(parser, TOKEN_LT)) {
        return parse_fields(parser, TOKEN_GT, type);
    }
    TRY(parser_expect_kind(parser, TOKEN_LPAREN));
    return parse_fields(parser, TOKEN_RPAREN, type);
}

// ARRAY<t>, MULTISET<t>, MAP<k, v>.
static enum status parse_collection(struct parser *parser, enum type_kind kind,
                                    struct ast_type *type)
{
    uint32_t count = kind == TYPE_MAP ? 2 : 1;
    struct ast_type_field *fields = arena_new_array(parser->arena, struct ast_type_field, count);
    parser_advance(parser);
    TRY(parser_expect_kind(parser, TOKEN_LT));
    for (uint32_t i = 0; i < count; i++) {
        struct ast_type *element;
        if (i > 0) {
            TRY(parser_expect_kind(parser, TOKEN_COMMA));
        }
        TRY(parse_nullable(parser, &element));
        fields[i].type = element;
    }
    type->kind = kind;
    type->fields = fields;
    type->field_count = count;
    return parser_expect_kind(parser, TOKEN_GT);
}

// RAW('class', 'snapshot'), STRUCTURED<'class', a INT>.
static enum status parse_raw(struct parser *parser, struct ast_type *type)
{
    type->kind = TYPE_RAW;
    type->raw_texts = true;
    parser_advance(parser);
    TRY(parser_expect_kind(parser, TOKEN_LPAREN));
    TRY(parse_name_text(parser, "a class as a string", &type->class_name));
    TRY(parser_expect_kind(parser, TOKEN_COMMA));
    TRY(parse_name_text(parser, "a serializer's snapshot as a string", &type->snapshot));
    return parser_expect_kind(parser, TOKEN_RPAREN);
}

static enum status parse_structured(struct parser *parser, struct ast_type *type)
{
    type->kind = TYPE_ROW;
    type->structured = true;
    parser_advance(parser);
    TRY(parser_expect_kind(parser, TOKEN_LT));
    TRY(parse_name_text(parser, "a class as a string", &type->class_name));
    if (parser_accept_kind(parser, TOKEN_COMMA)) {
        return parse_fields(parser, TOKEN_GT, type);
    }
    return parser_expect_kind(parser, TOKEN_GT);
}

// A name that is no type of the grammar: BITMAP, which Flink 2.3 has, or a user's.
static enum status parse_named(struct parser *parser, struct ast_type *type)
{
    static const enum keyword with_length[] = {
        KEYWORD_VARCHAR, KEYWORD_CHAR,      KEYWORD_DECIMAL,   KEYWORD_NUMERIC,
        KEYWORD_BINARY,  KEYWORD_VARBINARY, KEYWORD_TIMESTAMP, KEYWORD_TIMESTAMP_LTZ,
    };
    if (parser_ahead_kind(parser, 1, TOKEN_LPAREN)) { // no such type takes parameters
        for (size_t i = 0; i < sizeof with_length / sizeof with_length[0]; i++) {
            (void)parser_at(parser, with_length[i]);
        }
        return parser_unexpected(parser, "a type that takes parameters");
    }
    bool bitmap =
        parser_ahead_is(parser, 0, KEYWORD_BITMAP) && !parser_ahead_kind(parser, 1, TOKEN_DOT);
    if (!parser_is_name(parser_current(parser))) {
        return parser_unexpected(parser, "a type");
    }
    TRY(parse_name_path(parser, "a type", &type->name));
    type->user_defined = !bitmap;
    type->kind = bitmap ? TYPE_BITMAP : TYPE_NULL;
    return STATUS_OK;
}

static enum status parse_word_type(struct parser *parser, struct ast_type *type)
{
    switch ((int)parser_current(parser).keyword) {
    case KEYWORD_CHAR:
    case KEYWORD_CHARACTER:
    case KEYWORD_VARCHAR: return parse_character(parser, type);
    case KEYWORD_BINARY:
    case KEYWORD_VARBINARY: return parse_binary(parser, type);
    case KEYWORD_DECIMAL:
    case KEYWORD_DEC:
    case KEYWORD_NUMERIC: return parse_decimal(parser, type);
    case KEYWORD_TIME:
    case KEYWORD_TIMESTAMP:
    case KEYWORD_TIMESTAMP_LTZ: return parse_time(parser, type);
    case KEYWORD_ROW: return parse_row(parser, type);
    case KEYWORD_ARRAY: return parse_collection(parser, TYPE_ARRAY, type);
    case KEYWORD_MULTISET: return parse_collection(parser, TYPE_MULTISET, type);
    case KEYWORD_RAW: return parse_raw(parser, type);
    case KEYWORD_STRUCTURED: return parse_structured(parser, type);
    case KEYWORD_DOUBLE:
        type->kind = TYPE_DOUBLE;
        parser_advance(parser);
        parser_accept(parser, KEYWORD_PRECISION);
        return STATUS_OK;
    case KEYWORD_MAP:
        if (parser_ahead_kind(parser, 1, TOKEN_LT)) {
            return parse_collection(parser, TYPE_MAP, type);
        }
        return parse_named(parser, type);
    default: return parse_named(parser, type);
    }
}

static struct ast_type *new_type(struct parser *parser)
{
    struct ast_type *type = arena_new(parser->arena, struct ast_type);
    type->length = -1;
    type->scale = -1;
    type->at.offset = parser_offset(parser);
    return type;
}

// A type without a word on nullability.
static enum status parse_bare(struct parser *parser, struct ast_type **out)
{
    struct ast_type *type = new_type(parser);
    struct token token = parser_current(parser);
    bool plain = false;
    TRY(parser_enter(parser));
    for (size_t i = 0; i < sizeof plain_types / sizeof plain_types[0]; i++) {
        if (token.kind == TOKEN_WORD && token.keyword == plain_types[i].keyword) {
            type->kind = plain_types[i].kind;
            type->length = plain_types[i].length;
            plain = true;
        }
    }
    if (plain) {
        parser_advance(parser);
    } else if (token.kind == TOKEN_WORD) {
        TRY(parse_word_type(parser, type));
    } else {
        TRY(parse_named(parser, type));
    }
    parser_leave(parser);
    type->at = parser_span(parser, type->at.offset);
    *out = type;
    return STATUS_OK;
}

// INT ARRAY, INT NOT NULL MULTISET ARRAY: the words behind a type make collections of it.
static bool at_suffix(struct parser *parser, uint32_t ahead)
{
    return parser_ahead_is(parser, ahead, KEYWORD_ARRAY) ||
           parser_ahead_is(parser, ahead, KEYWORD_MULTISET);
}

static enum status take_suffix(struct parser *parser, struct ast_type **inout)
{
    uint32_t below = parser->height;
    struct ast_type *type = new_type(parser);
    struct ast_type_field *field = arena_new(parser->arena, struct ast_type_field);
    struct token token = parser_advance(parser);
    field->type = *inout;
    type->kind = token.keyword == KEYWORD_ARRAY ? TYPE_ARRAY : TYPE_MULTISET;
    type->fields = field;
    type->field_count = 1;
    type->at = parser_span(parser, (*inout)->at.offset);
    *inout = type;
    return parser_grow_height(parser, below);
}

static void take_nullability(struct parser *parser, struct ast_type *type)
{
    if (parser_ahead_is(parser, 0, KEYWORD_NOT) && parser_ahead_is(parser, 1, KEYWORD_NULL)) {
        parser_advance(parser);
        parser_advance(parser);
        type->nullability = AST_NULL_FORBIDDEN;
    } else if (parser_accept(parser, KEYWORD_NULL)) {
        type->nullability = AST_NULL_ALLOWED;
    } else {
        return;
    }
    type->at = parser_span(parser, type->at.offset);
}

static enum status parse_nullable(struct parser *parser, struct ast_type **out)
{
    TRY(parse_bare(parser, out));
    take_nullability(parser, *out);
    while (at_suffix(parser, 0)) {
        TRY(take_suffix(parser, out));
        take_nullability(parser, *out);
    }
    return STATUS_OK;
}

enum status parse_type_column(struct parser *parser, const struct ast_type **out)
{
    struct ast_type *type;
    uint32_t height_before = parser_begin_height(parser);
    TRY(parse_nullable(parser, &type));
    parser_end_height(parser, height_before);
    *out = type;
    return STATUS_OK;
}

enum status parse_type_cast(struct parser *parser, const struct ast_type **out)
{
    struct ast_type *type;
    if (parser_ahead_is(parser, 0, KEYWORD_INTERVAL)) {
        type = new_type(parser);
        parser_advance(parser);
        TRY(parse_primary_qualifier(parser, &type->interval));
        bool months = type->interval.from == AST_UNIT_YEAR ||
                      type->interval.from == AST_UNIT_QUARTER ||
                      type->interval.from == AST_UNIT_MONTH;
        type->kind = months ? TYPE_INTERVAL_MONTH : TYPE_INTERVAL_SECOND;
        type->at = parser_span(parser, type->at.offset);
        *out = type;
        return STATUS_OK;
    }
    uint32_t height_before = parser_begin_height(parser);
    TRY(parse_bare(parser, &type));
    while (at_suffix(parser, 0)) {
        TRY(take_suffix(parser, &type));
    }
    parser_end_height(parser, height_before);
    *out = type;
    return STATUS_OK;
}
