// SPDX-License-Identifier: Apache-2.0
#include "base/arena.h"
#include "base/strbuf.h"
#include "sql/parse_int.h"

struct ast_name parse_name_of_token(struct parser *parser, struct token token)
{
    struct ast_name name = {.at = parser_token_span(token)};
    name.quoted = token.kind == TOKEN_QUOTED_NAME;
    name.text = name.quoted ? lexer_name(parser->arena, parser->text, token)
                            : lexer_text(parser->text, token);
    return name;
}

enum status parse_name_one(struct parser *parser, const char *what, struct ast_name *out)
{
    struct token token = parser_current(parser);
    if (!parser_is_name(token)) {
        return parser_unexpected(parser, what);
    }
    parser_advance(parser);
    *out = parse_name_of_token(parser, token);
    return STATUS_OK;
}

enum status parse_name_any(struct parser *parser, const char *what, struct ast_name *out)
{
    struct token token = parser_current(parser);
    if (token.kind != TOKEN_WORD) {
        return parse_name_one(parser, what, out);
    }
    parser_advance(parser);
    *out = parse_name_of_token(parser, token);
    return STATUS_OK;
}

// Beside a '.' a word is a name, reserved or not: old.db.orders.
enum status parse_name_path(struct parser *parser, const char *what, struct ast_path *out)
{
    PARSER_LIST(struct ast_name) parts = {0};
    uint32_t from = parser_offset(parser);
    do {
        struct ast_name name;
        bool beside_dot = parts.count > 0 || parser_ahead_kind(parser, 1, TOKEN_DOT);
        TRY(beside_dot ? parse_name_any(parser, what, &name) : parse_name_one(parser, what, &name));
        PARSER_PUSH(parser, &parts, name);
    } while (parser_accept_kind(parser, TOKEN_DOT));
    *out = (struct ast_path){parts.items, parts.count, parser_span(parser, from)};
    return STATUS_OK;
}

enum status parse_name_single(struct parser *parser, const char *what, struct ast_path *out)
{
    uint32_t from = parser_offset(parser);
    struct ast_name *name = arena_new(parser->arena, struct ast_name);
    TRY(parse_name_any(parser, what, name));
    *out = (struct ast_path){name, 1, parser_span(parser, from)};
    return STATUS_OK;
}

enum status parse_name_list(struct parser *parser, struct ast_names *out)
{
    PARSER_LIST(struct ast_name) names = {0};
    TRY(parser_expect_kind(parser, TOKEN_LPAREN));
    do {
        struct ast_name name;
        TRY(parse_name_one(parser, "a column name", &name));
        PARSER_PUSH(parser, &names, name);
    } while (parser_accept_kind(parser, TOKEN_COMMA));
    TRY(parser_expect_kind(parser, TOKEN_RPAREN));
    *out = (struct ast_names){names.items, names.count};
    return STATUS_OK;
}

enum status parse_name_paths(struct parser *parser, struct ast_paths *out)
{
    PARSER_LIST(struct ast_path) paths = {0};
    TRY(parser_expect_kind(parser, TOKEN_LPAREN));
    do {
        struct ast_path path;
        TRY(parse_name_path(parser, "a column name", &path));
        PARSER_PUSH(parser, &paths, path);
    } while (parser_accept_kind(parser, TOKEN_COMMA));
    TRY(parser_expect_kind(parser, TOKEN_RPAREN));
    *out = (struct ast_paths){paths.items, paths.count};
    return STATUS_OK;
}

// UESCAPE 'x': the character that stands for the backslash.
static enum status parse_uescape(struct parser *parser, char *escape)
{
    struct token token = parser_current(parser);
    struct lexer_string string;
    if (token.kind != TOKEN_STRING) {
        return parser_unexpected(parser, "the escape character");
    }
    parser_advance(parser);
    TRY(lexer_string(parser->arena, parser->text, token, &string, parser->err));
    char byte = string.value.size == 1 ? string.value.ptr[0] : '0';
    bool hex = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f') ||
               (byte >= 'A' && byte <= 'F');
    if (hex || byte == '+' || byte == '"' || byte == ' ' || byte == '\t' || byte == '\n' ||
        (unsigned char)byte >= 0x80) {
        return parser_fail(parser, parser_token_span(token),
                           "the escape character is one character, and no blank, '+', '\"' or "
                           "hexadecimal digit");
    }
    *escape = byte;
    return STATUS_OK;
}

// The pieces 'a' 'b' that follow a string belong to it.
static enum status parse_pieces(struct parser *parser, const struct lexer_string *first,
                                struct str *out)
{
    bool single = !parser_at_kind(parser, TOKEN_STRING);
    *out = first->value;
    PARSER_LIST(struct str) pieces = {0};
    PARSER_PUSH(parser, &pieces, first->value);
    size_t size = first->value.size;
    while (parser_at_kind(parser, TOKEN_STRING)) {
        struct lexer_string piece;
        struct token token = parser_current(parser);
        TRY(lexer_string(parser->arena, parser->text, token, &piece, parser->err));
        if (piece.kind != LEXER_STRING_PLAIN || first->kind == LEXER_STRING_C) {
            return parser_unexpected(parser, NULL);
        }
        if (first->kind == LEXER_STRING_BINARY) {
            return parser_fail(parser, parser_token_span(token),
                               "a binary string cannot be continued");
        }
        parser_advance(parser);
        PARSER_PUSH(parser, &pieces, piece.value);
        size += piece.value.size;
    }
    if (single) {
        return STATUS_OK;
    }
    char *joined = arena_alloc(parser->arena, size + 1);
    size_t at = 0;
    for (uint32_t i = 0; i < pieces.count; i++) {
        for (size_t j = 0; j < pieces.items[i].size; j++) {
            joined[at++] = pieces.items[i].ptr[j];
        }
    }
    *out = str_make(joined, size);
    return STATUS_OK;
}

static bool known_charset(struct str name)
{
    static const char *const names[] = {
        "N",        "utf8",       "utf-8",     "utf16",      "utf-16",   "utf16le",  "utf-16le",
        "utf16be",  "utf-16be",   "utf32",     "utf-32",     "latin1",   "ascii",    "us-ascii",
        "us_ascii", "iso-8859-1", "iso8859-1", "iso_8859-1", "iso88591", "iso8859_1"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (str_is_nocase(name, names[i])) {
            return true;
        }
    }
    return false;
}

enum status parse_name_literal(struct parser *parser, struct ast_expr *out)
{
    struct token token = parser_current(parser);
    struct lexer_string string;
    parser_advance(parser);
    TRY(lexer_string(parser->arena, parser->text, token, &string, parser->err));
    if (string.kind == LEXER_STRING_CHARSET && !known_charset(string.charset)) {
        return parser_fail(parser, parser_token_span(token), "unknown character set '%.*s'",
                           STR_ARGS(string.charset));
    }
    struct str value;
    TRY(parse_pieces(parser, &string, &value));
    char escape = '\\';
    if (parser_accept(parser, KEYWORD_UESCAPE)) {
        if (string.kind != LEXER_STRING_UNICODE) {
            return parser_fail(parser, parser_token_span(parser->previous),
                               "UESCAPE belongs to a string U&'...'");
        }
        TRY(parse_uescape(parser, &escape));
    }
    if (string.kind == LEXER_STRING_UNICODE) {
        TRY(lexer_unescape(parser->arena, value, escape, token, &value, parser->err));
    }
    *out = (struct ast_expr){.kind = AST_EXPR_LITERAL, .at = parser_span(parser, token.offset)};
    out->as.literal.kind =
        string.kind == LEXER_STRING_BINARY ? AST_LITERAL_BINARY : AST_LITERAL_STRING;
    out->as.literal.text = value;
    out->as.literal.odd_digits = string.odd;
    out->as.literal.charset = string.charset;
    return STATUS_OK;
}

enum status parse_name_text(struct parser *parser, const char *what, struct ast_text *out)
{
    if (!parser_at_kind(parser, TOKEN_STRING)) {
        return parser_unexpected(parser, what);
    }
    struct ast_expr literal;
    TRY(parse_name_literal(parser, &literal));
    *out = (struct ast_text){literal.as.literal.text, literal.at};
    return STATUS_OK;
}

enum status parse_name_integer(struct parser *parser, const char *what, int32_t *out)
{
    struct token token = parser_current(parser);
    if (token.kind != TOKEN_INTEGER) {
        return parser_unexpected(parser, what);
    }
    int64_t value;
    if (!str_to_i64(lexer_text(parser->text, token), &value) || value > INT32_MAX) {
        return parser_fail(parser, parser_token_span(token), "%.*s is too large for %s",
                           STR_ARGS(lexer_text(parser->text, token)), what);
    }
    parser_advance(parser);
    *out = (int32_t)value;
    return STATUS_OK;
}

enum status parse_name_options(struct parser *parser, struct ast_options *out)
{
    PARSER_LIST(struct ast_option) options = {0};
    uint32_t from = parser_offset(parser);
    TRY(parser_expect_kind(parser, TOKEN_LPAREN));
    if (!parser_at_kind(parser, TOKEN_RPAREN)) {
        do {
            struct ast_option option;
            TRY(parse_name_text(parser, "an option's key as a string: 'key' = 'value'",
                                &option.key));
            TRY(parser_expect_kind(parser, TOKEN_EQ));
            TRY(parse_name_text(parser, "an option's value as a string: 'key' = 'value'",
                                &option.value));
            PARSER_PUSH(parser, &options, option);
        } while (parser_accept_kind(parser, TOKEN_COMMA));
    }
    TRY(parser_expect_kind(parser, TOKEN_RPAREN));
    *out = (struct ast_options){options.items, options.count, parser_span(parser, from), true};
    return STATUS_OK;
}
