// SPDX-License-Identifier: Apache-2.0
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/strbuf.h"
#include "sql/parse.h"
#include "sql/parse_int.h"

enum {
    LIST_FIRST_CAPACITY = 4,
    EXPECTED_SHOWN_MAX = 8, // keywords listed in a message
    TOKEN_SHOWN_MAX = 40,   // bytes of a token shown in a message
    NEAR_DISTANCE_MAX = 2,
};

void parser_init(struct parser *parser, struct arena *arena, struct str text, struct err *err)
{
    *parser = (struct parser){.arena = arena, .text = text, .err = err};
    lexer_init(&parser->lexer, text);
}

struct token parser_peek(struct parser *parser, uint32_t ahead)
{
    ASSERT(ahead < PARSER_AHEAD);
    while (parser->ahead_count <= ahead) {
        // Nothing behind a fault or the end is read: it is repeated.
        struct token token = {0};
        if (parser->ahead_count > 0) {
            token = parser->ahead[parser->ahead_count - 1];
        }
        bool stuck =
            parser->ahead_count > 0 && (token.kind == TOKEN_ERROR || token.kind == TOKEN_END);
        parser->ahead[parser->ahead_count++] = stuck ? token : lexer_next(&parser->lexer);
    }
    return parser->ahead[ahead];
}

struct token parser_advance(struct parser *parser)
{
    struct token token = parser_peek(parser, 0);
    if (token.kind == TOKEN_END || token.kind == TOKEN_ERROR) {
        return token;
    }
    parser->ahead_count--;
    memmove(parser->ahead, parser->ahead + 1, parser->ahead_count * sizeof *parser->ahead);
    parser->previous = token;
    parser->tried_count = 0;
    return token;
}

static void note_tried(struct parser *parser, enum keyword keyword)
{
    for (uint32_t i = 0; i < parser->tried_count; i++) {
        if (parser->tried[i] == keyword) {
            return;
        }
    }
    if (parser->tried_count < PARSER_TRIED_MAX) {
        parser->tried[parser->tried_count++] = keyword;
    }
}

bool parser_ahead_is(struct parser *parser, uint32_t ahead, enum keyword keyword)
{
    struct token token = parser_peek(parser, ahead);
    return token.kind == TOKEN_WORD && token.keyword == keyword;
}

bool parser_at(struct parser *parser, enum keyword keyword)
{
    if (parser_ahead_is(parser, 0, keyword)) {
        return true;
    }
    note_tried(parser, keyword);
    return false;
}

bool parser_ahead_kind(struct parser *parser, uint32_t ahead, enum token_kind kind)
{
    return parser_peek(parser, ahead).kind == kind;
}

bool parser_at_kind(struct parser *parser, enum token_kind kind)
{
    return parser_ahead_kind(parser, 0, kind);
}

bool parser_accept(struct parser *parser, enum keyword keyword)
{
    if (!parser_at(parser, keyword)) {
        return false;
    }
    parser_advance(parser);
    return true;
}

bool parser_accept_two(struct parser *parser, enum keyword first, enum keyword second)
{
    if (!parser_at(parser, first) || !parser_ahead_is(parser, 1, second)) {
        return false;
    }
    parser_advance(parser);
    parser_advance(parser);
    return true;
}

bool parser_accept_kind(struct parser *parser, enum token_kind kind)
{
    if (!parser_at_kind(parser, kind)) {
        return false;
    }
    parser_advance(parser);
    return true;
}

enum status parser_expect(struct parser *parser, enum keyword keyword)
{
    return parser_accept(parser, keyword) ? STATUS_OK : parser_unexpected(parser, NULL);
}

enum status parser_expect_kind(struct parser *parser, enum token_kind kind)
{
    if (parser_accept_kind(parser, kind)) {
        return STATUS_OK;
    }
    return parser_unexpected(parser, lexer_kind_name(kind));
}

enum status parser_expect_end(struct parser *parser)
{
    parser_accept_kind(parser, TOKEN_SEMICOLON);
    if (parser_at_kind(parser, TOKEN_END)) {
        return STATUS_OK;
    }
    return parser_unexpected(parser, parser->tried_count > 0 ? NULL : lexer_kind_name(TOKEN_END));
}

bool parser_at_query(struct parser *parser)
{
    return parser_at(parser, KEYWORD_SELECT) || parser_at(parser, KEYWORD_WITH) ||
           parser_at(parser, KEYWORD_VALUES) ||
           (parser_at(parser, KEYWORD_TABLE) && parser_is_name(parser_peek(parser, 1)));
}

bool parser_is_name(struct token token)
{
    return token.kind == TOKEN_QUOTED_NAME ||
           (token.kind == TOKEN_WORD && !lexer_keyword_reserved(token.keyword));
}

struct ast_span parser_span(const struct parser *parser, uint32_t from)
{
    uint32_t end = parser->previous.offset + parser->previous.length;
    return (struct ast_span){from, end > from ? end - from : 0};
}

struct ast_span parser_token_span(struct token token)
{
    return (struct ast_span){token.offset, token.length};
}

// ---------------------------------------------------------------------------------------------
// Errors

static void add_token(struct strbuf *message, struct parser *parser, struct token token)
{
    if (token.kind == TOKEN_END) {
        strbuf_add_text(message, "end of the statement");
        return;
    }
    struct str shown = lexer_text(parser->text, token);
    size_t size = 0;
    while (size < shown.size && shown.ptr[size] != '\n' &&
           (size < TOKEN_SHOWN_MAX || (shown.ptr[size] & 0xc0) == 0x80)) {
        size++;
    }
    bool bare = token.kind != TOKEN_STRING || size < shown.size;
    strbuf_printf(message, bare ? "'%.*s%s'" : "%.*s%s", (int)size, shown.ptr,
                  size < shown.size ? "..." : "");
}

static void add_expected(struct strbuf *message, const struct parser *parser)
{
    uint32_t count = parser->tried_count;
    uint32_t shown = count > EXPECTED_SHOWN_MAX ? EXPECTED_SHOWN_MAX : count;
    for (uint32_t i = 0; i < shown; i++) {
        bool last = i + 1 == shown && shown == count;
        strbuf_printf(message, "%s%s",
                      i == 0 ? ""
                      : last ? " or "
                             : ", ",
                      lexer_keyword_name(parser->tried[i]));
    }
    if (shown < count) {
        strbuf_add_text(message, ", ...");
    }
}

// Whether two neighbouring letters changed places: FORM for FROM.
static bool swapped(struct str word, struct str name)
{
    uint32_t differing = 0;
    size_t first = 0;
    for (size_t i = 0; i < word.size && word.size == name.size; i++) {
        if (!str_equal_nocase(str_slice(word, i, i + 1), str_slice(name, i, i + 1))) {
            first = differing++ == 0 ? i : first;
        }
    }
    return differing == 2 && first + 1 < word.size &&
           str_equal_nocase(str_slice(word, first, first + 1),
                            str_slice(name, first + 1, first + 2)) &&
           str_equal_nocase(str_slice(word, first + 1, first + 2),
                            str_slice(name, first, first + 1));
}

// The keyword nearest to a word, if it is near enough to have been meant.
static enum keyword nearest(struct str word, const enum keyword *candidates, uint32_t count)
{
    enum keyword best = NO_KEYWORD;
    uint32_t best_distance = NEAR_DISTANCE_MAX + 1;
    for (uint32_t i = 0; i < count; i++) {
        struct str name = str_from(lexer_keyword_name(candidates[i]));
        uint32_t distance = swapped(word, name) ? 1 : str_distance(word, name);
        if (distance > 0 && distance < best_distance && distance * 3 <= name.size) {
            best = candidates[i];
            best_distance = distance;
        }
    }
    return best;
}

// Words that begin a clause: a name in front of an error is often one of them, misspelt.
static const enum keyword clause_words[] = {
    KEYWORD_FROM,  KEYWORD_WHERE,   KEYWORD_GROUP,     KEYWORD_ORDER,  KEYWORD_HAVING,
    KEYWORD_LIMIT, KEYWORD_UNION,   KEYWORD_EXCEPT,    KEYWORD_JOIN,   KEYWORD_INNER,
    KEYWORD_LEFT,  KEYWORD_RIGHT,   KEYWORD_CROSS,     KEYWORD_OFFSET, KEYWORD_FETCH,
    KEYWORD_USING, KEYWORD_WINDOW,  KEYWORD_INTERSECT, KEYWORD_SELECT, KEYWORD_VALUES,
    KEYWORD_WITH,  KEYWORD_QUALIFY,
};

// Words that join parts of expressions and clauses: nobody means them as names.
static const enum keyword joining_words[] = {
    KEYWORD_AND,  KEYWORD_OR,   KEYWORD_IS,   KEYWORD_IN,  KEYWORD_LIKE, KEYWORD_BETWEEN,
    KEYWORD_THEN, KEYWORD_WHEN, KEYWORD_ELSE, KEYWORD_END, KEYWORD_AS,   KEYWORD_ON,
    KEYWORD_BY,   KEYWORD_TO,   KEYWORD_INTO, KEYWORD_SET, KEYWORD_ALL,  KEYWORD_DISTINCT,
};

static bool contains(const enum keyword *words, size_t count, enum keyword keyword)
{
    for (size_t i = 0; i < count; i++) {
        if (words[i] == keyword) {
            return true;
        }
    }
    return false;
}

// Whether a reserved word may have been meant as a name, where a name or a value is expected.
static bool meant_as_name(struct parser *parser, struct token token, const char *expected)
{
    if (token.kind != TOKEN_WORD || !lexer_keyword_reserved(token.keyword) || expected == NULL) {
        return false;
    }
    if (strstr(expected, "name") != NULL) {
        return true;
    }
    bool clause = contains(clause_words, sizeof clause_words / sizeof *clause_words, token.keyword);
    if (token.keyword == KEYWORD_ORDER || token.keyword == KEYWORD_GROUP) {
        clause = parser_ahead_is(parser, 1, KEYWORD_BY);
    }
    return strstr(expected, "an expression") != NULL && !clause &&
           !contains(joining_words, sizeof joining_words / sizeof *joining_words, token.keyword);
}

// What a statement begins with and nothing else in the middle of one.
static const enum keyword statement_words[] = {
    KEYWORD_SELECT, KEYWORD_INSERT,  KEYWORD_CREATE,   KEYWORD_DROP,    KEYWORD_ALTER,
    KEYWORD_SET,    KEYWORD_EXPLAIN, KEYWORD_DESCRIBE, KEYWORD_SHOW,    KEYWORD_USE,
    KEYWORD_WITH,   KEYWORD_VALUES,  KEYWORD_EXECUTE,  KEYWORD_COMPILE, KEYWORD_RESET,
};

static bool begins_another(const struct parser *parser, struct token token, const char *expected)
{
    return expected == NULL && token.kind == TOKEN_WORD && parser->previous.length > 0 &&
           parser->previous.kind != TOKEN_LPAREN && parser->previous.keyword != KEYWORD_BEGIN &&
           contains(statement_words, sizeof statement_words / sizeof *statement_words,
                    token.keyword);
}

static void add_hint(struct parser *parser, struct token token, const char *expected)
{
    if (begins_another(parser, token, expected)) {
        err_hint(parser->err, "is a ';' missing in front of it?");
        return;
    }
    if (token.kind == TOKEN_WORD) {
        struct str word = lexer_text(parser->text, token);
        if (meant_as_name(parser, token, expected)) {
            err_hint(parser->err, "%.*s is a reserved word: as a name it is written `%.*s`",
                     STR_ARGS(word), STR_ARGS(word));
            return;
        }
        if (parser->previous.kind == TOKEN_COMMA && lexer_keyword_reserved(token.keyword) &&
            expected != NULL) {
            err_hint(parser->err, "the ',' in front of %.*s is one too many", STR_ARGS(word));
            return;
        }
        enum keyword near = nearest(word, parser->tried, parser->tried_count);
        if (near != NO_KEYWORD) {
            err_hint(parser->err, "did you mean %s?", lexer_keyword_name(near));
            return;
        }
    }
    if (token.kind == TOKEN_BANG_EQ) {
        err_hint(parser->err, "'not equal' is written <>");
        return;
    }
    if (parser->previous.kind == TOKEN_WORD && !lexer_keyword_reserved(parser->previous.keyword)) {
        struct str word = lexer_text(parser->text, parser->previous);
        enum keyword near =
            nearest(word, clause_words, sizeof clause_words / sizeof clause_words[0]);
        if (near != NO_KEYWORD) {
            err_hint(parser->err, "did you mean %s instead of '%.*s'?", lexer_keyword_name(near),
                     STR_ARGS(word));
        }
    }
}

enum status parser_unexpected(struct parser *parser, const char *expected)
{
    struct token token = parser_current(parser);
    if (token.kind == TOKEN_ERROR) {
        return lexer_fault(parser->text, token, parser->err);
    }
    struct strbuf message;
    strbuf_init(&message, ERR_TEXT_MAX);
    strbuf_add_text(&message, "unexpected ");
    add_token(&message, parser, token);
    if (expected != NULL || parser->tried_count > 0) {
        strbuf_add_text(&message, "; expected ");
        if (expected != NULL) {
            strbuf_add_text(&message, expected);
        } else {
            add_expected(&message, parser);
        }
    }
    ERR(parser->err, STATUS_INVALID_DATA, "%s", message.ptr);
    strbuf_release(&message);
    if (parser->err != NULL) {
        add_hint(parser, token, expected);
        err_at(parser->err, ERR_STAGE_PARSE, token.offset, token.length);
    }
    return STATUS_INVALID_DATA;
}

enum status parser_fail(struct parser *parser, struct ast_span at, const char *format, ...)
{
    char text[ERR_TEXT_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ERR(parser->err, STATUS_INVALID_DATA, "%s", text);
    err_at(parser->err, ERR_STAGE_PARSE, at.offset, at.length);
    return STATUS_INVALID_DATA;
}

static enum status refuse_size(struct parser *parser)
{
    if (parser->err != NULL) {
        parser->err->status = STATUS_LIMIT;
    }
    return STATUS_LIMIT;
}

enum status parser_enter(struct parser *parser)
{
    if (parser->depth >= PARSE_DEPTH_MAX) {
        parser_fail(parser, parser_token_span(parser_current(parser)),
                    "more than %d constructs inside each other", PARSE_DEPTH_MAX);
        return refuse_size(parser);
    }
    parser->depth++;
    return STATUS_OK;
}

void parser_leave(struct parser *parser)
{
    ASSERT(parser->depth > 0);
    parser->depth--;
}

enum status parser_grow_height(struct parser *parser, uint32_t below)
{
    parser->height = (parser->height > below ? parser->height : below) + 1;
    if (parser->height > PARSE_HEIGHT_MAX) {
        parser_fail(parser, parser_token_span(parser->previous),
                    "more than %d operators on one path of the expression", PARSE_HEIGHT_MAX);
        return refuse_size(parser);
    }
    return STATUS_OK;
}

void *parser_grow_list(struct parser *parser, const void *items, uint32_t count, uint32_t *capacity,
                       size_t item_size)
{
    *capacity = *capacity == 0 ? LIST_FIRST_CAPACITY : *capacity * 2;
    char *grown = arena_alloc(parser->arena, *capacity * item_size);
    if (count > 0) {
        memcpy(grown, items, count * item_size);
    }
    return grown;
}
