// SPDX-License-Identifier: Apache-2.0
//
// parse_int: what the files of the parser share. Only they include it.
//
// Each production is a function `enum status parse_x(struct parser *, ..., out)`. The error is the
// parser's (`parser->err`), so that a production that fails returns at once with TRY: everything it
// made is in the arena. Tokens are read on demand, a few ahead; no production goes back.
//
// Errors. parser_accept() notes each keyword that was asked for at the current token, so that
// parser_unexpected() can list what would have been right there and find the nearest to a word that
// is misspelt.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/err.h"
#include "sql/ast.h"
#include "sql/lexer.h"

struct arena;

enum { PARSER_AHEAD = 4, PARSER_TRIED_MAX = 64 };

struct parser {
    struct arena *arena;
    struct str text;
    struct lexer lexer;
    struct token ahead[PARSER_AHEAD]; // ahead[0] is the current token
    uint32_t ahead_count;
    struct token previous;
    uint32_t depth;
    uint32_t height; // of the highest tree built since the construct around it began
    enum keyword tried[PARSER_TRIED_MAX]; // at the current token
    uint32_t tried_count;
    struct err *err;
};

// ---- parser.c: tokens

void parser_init(struct parser *parser, struct arena *arena, struct str text, struct err *err);
struct token parser_peek(struct parser *parser, uint32_t ahead);
struct token parser_advance(struct parser *parser);

static inline struct token parser_current(struct parser *parser)
{
    return parser_peek(parser, 0);
}

// Whether the token is this keyword, not quoted. parser_at() notes it as expected.
bool parser_at(struct parser *parser, enum keyword keyword);
bool parser_ahead_is(struct parser *parser, uint32_t ahead, enum keyword keyword);
bool parser_at_kind(struct parser *parser, enum token_kind kind);
bool parser_ahead_kind(struct parser *parser, uint32_t ahead, enum token_kind kind);
bool parser_accept(struct parser *parser, enum keyword keyword);
// Both or none; the second is not noted.
bool parser_accept_two(struct parser *parser, enum keyword first, enum keyword second);
bool parser_accept_kind(struct parser *parser, enum token_kind kind);
MUST_USE enum status parser_expect(struct parser *parser, enum keyword keyword);
MUST_USE enum status parser_expect_kind(struct parser *parser, enum token_kind kind);
// The end of the statement, one ';' allowed.
MUST_USE enum status parser_expect_end(struct parser *parser);
// Whether a query begins here: SELECT, WITH, VALUES, TABLE t.
bool parser_at_query(struct parser *parser);
// Whether the token can be a name: quoted, or a word that is not reserved.
bool parser_is_name(struct token token);

static inline uint32_t parser_offset(struct parser *parser)
{
    return parser_peek(parser, 0).offset;
}
// From `from` to the end of the last token taken.
struct ast_span parser_span(const struct parser *parser, uint32_t from);
struct ast_span parser_token_span(struct token token);

// ---- parser.c: errors; they return INVALID_DATA

// At the current token. `expected` may be NULL: then the keywords asked for are listed.
enum status parser_unexpected(struct parser *parser, const char *expected);
enum status parser_fail(struct parser *parser, struct ast_span at, const char *format, ...)
    PRINTF_LIKE(3, 4);

// Around each production that can contain itself.
MUST_USE enum status parser_enter(struct parser *parser);
void parser_leave(struct parser *parser);
// The height of a tree that is joined from the left (operators, UNION, JOIN):
//
//     uint32_t before = parser_begin_height(parser);
//     ... the first operand
//     while (operator) {
//         uint32_t below = parser_begin_height(parser);
//         ... the right operand
//         TRY(parser_grow_height(parser, below));
//     }
//     parser_end_height(parser, before);
static inline uint32_t parser_begin_height(struct parser *parser)
{
    uint32_t before = parser->height;
    parser->height = 0;
    return before;
}
MUST_USE enum status parser_grow_height(struct parser *parser, uint32_t below);
static inline void parser_end_height(struct parser *parser, uint32_t before)
{
    parser->height = parser->height > before ? parser->height : before;
}

// ---- lists in the arena

#define PARSER_LIST(type)                                                                          \
    struct {                                                                                       \
        type *items;                                                                               \
        uint32_t count;                                                                            \
        uint32_t capacity;                                                                         \
    }

#define PARSER_PUSH(parser, list, item)                                                            \
    do {                                                                                           \
        if ((list)->count == (list)->capacity) {                                                   \
            (list)->items = parser_grow_list((parser), (list)->items, (list)->count,               \
                                             &(list)->capacity, sizeof *(list)->items);            \
        }                                                                                          \
        (list)->items[(list)->count++] = (item);                                                   \
    } while (0)

MUST_USE void *parser_grow_list(struct parser *parser, const void *items, uint32_t count,
                                uint32_t *capacity, size_t item_size);

// ---- parse_name.c

MUST_USE enum status parse_name_one(struct parser *parser, const char *what, struct ast_name *out);
// Where nothing but a name can stand: reserved words are names, too.
MUST_USE enum status parse_name_any(struct parser *parser, const char *what, struct ast_name *out);
// The same as a path of one part.
MUST_USE enum status parse_name_single(struct parser *parser, const char *what,
                                       struct ast_path *out);
MUST_USE enum status parse_name_path(struct parser *parser, const char *what, struct ast_path *out);
// (a, b)
MUST_USE enum status parse_name_list(struct parser *parser, struct ast_names *out);
// (a, b.c)
MUST_USE enum status parse_name_paths(struct parser *parser, struct ast_paths *out);
// A string literal of any kind.
MUST_USE enum status parse_name_text(struct parser *parser, const char *what, struct ast_text *out);
MUST_USE enum status parse_name_literal(struct parser *parser, struct ast_expr *out);
// Decimal digits that fit an int32.
MUST_USE enum status parse_name_integer(struct parser *parser, const char *what, int32_t *out);
// ('k' = 'v', ...), with the parentheses.
MUST_USE enum status parse_name_options(struct parser *parser, struct ast_options *out);
// The name that a word of the grammar is, reserved or not.
struct ast_name parse_name_of_token(struct parser *parser, struct token token);

// ---- parse_expr.c

MUST_USE enum status parse_expr_value(struct parser *parser, const struct ast_expr **out);
// a, b, c; no parentheses
MUST_USE enum status parse_expr_list(struct parser *parser, struct ast_exprs *out);
// a DESC NULLS LAST, b
MUST_USE enum status parse_expr_sorts(struct parser *parser, struct ast_sorts *out);
struct ast_expr *parse_expr_new(struct parser *parser, enum ast_expr_kind kind, uint32_t from);

// ---- parse_primary.c

MUST_USE enum status parse_primary_value(struct parser *parser, const struct ast_expr **out);
// What may be a query without parentheses of its own; the other of the two is NULL.
MUST_USE enum status parse_primary_query_or_value(struct parser *parser,
                                                  const struct ast_query **query,
                                                  const struct ast_expr **value);
// (query) or (a, b), with the parentheses; `query` is NULL for a list.
MUST_USE enum status parse_primary_query_or_list(struct parser *parser,
                                                 const struct ast_query **query,
                                                 struct ast_exprs *list);
// A signed literal, as in PARTITION (a = 1).
MUST_USE enum status parse_primary_literal(struct parser *parser, const struct ast_expr **out);
// DAY(3) TO SECOND(6)
MUST_USE enum status parse_primary_qualifier(struct parser *parser,
                                             struct ast_interval_qualifier *out);
bool parse_primary_at_qualifier(struct parser *parser, bool reserved_only);

// ---- parse_call.c

// A call whose name is at the current token, '(' behind it. `path` where the name is read already.
MUST_USE enum status parse_call_named(struct parser *parser, struct ast_path path,
                                      const struct ast_expr **out);
// CAST, EXTRACT, TRIM, ...: `handled` is false where no such call is here.
MUST_USE enum status parse_call_special(struct parser *parser, bool *handled,
                                        const struct ast_expr **out);
// Whether the token is a reserved word that can name a function (LEFT, COUNT, YEAR, ...).
bool parse_call_reserved_name(enum keyword keyword);
MUST_USE enum status parse_call_window(struct parser *parser, struct ast_window *out);
// [FILTER (WHERE ...)] [OVER ...]
MUST_USE enum status parse_call_filter_over(struct parser *parser, const struct ast_expr **filter,
                                            const struct ast_window **over);

// ---- parse_json.c

MUST_USE enum status parse_json_call(struct parser *parser, bool *handled,
                                     const struct ast_expr **out);

// ---- parse_type.c

// Of a column (NOT NULL allowed) or of CAST (not).
MUST_USE enum status parse_type_column(struct parser *parser, const struct ast_type **out);
MUST_USE enum status parse_type_cast(struct parser *parser, const struct ast_type **out);

// ---- parse_query.c

MUST_USE enum status parse_query_whole(struct parser *parser, const struct ast_query **out);
// Goes on with a query whose first leaf, in parentheses, has been read.
MUST_USE enum status parse_query_from_leaf(struct parser *parser, const struct ast_query *leaf,
                                           struct ast_span leaf_at, const struct ast_query **out);
// Whether what makes a query of something in parentheses is here: UNION, ORDER, LIMIT, ...
bool parse_query_continues(struct parser *parser);
MUST_USE enum status parse_query_hints(struct parser *parser, struct ast_hints *out);

// ---- parse_table.c

MUST_USE enum status parse_table_from(struct parser *parser, const struct ast_table **out);

// ---- parse_schema.c

MUST_USE enum status parse_schema_list(struct parser *parser, bool alter, struct ast_schema *out);
// One column, constraint or watermark, as in ALTER TABLE t ADD a INT.
MUST_USE enum status parse_schema_single(struct parser *parser, struct ast_schema *out);
MUST_USE enum status parse_schema_distribution(struct parser *parser, struct ast_distribution *out);
MUST_USE enum status parse_schema_partitions(struct parser *parser,
                                             const struct ast_partition **out, uint32_t *count);
MUST_USE enum status parse_schema_partition_spec(struct parser *parser,
                                                 struct ast_partition_spec *out);

// ---- parse_create.c, parse_alter.c, parse_show.c: the statements with these first words

MUST_USE enum status parse_create_statement(struct parser *parser, struct ast_statement *out);
MUST_USE enum status parse_create_drop(struct parser *parser, struct ast_statement *out);
MUST_USE enum status parse_create_function_body(struct parser *parser,
                                                struct ast_create_function *out);
bool parse_create_if_exists(struct parser *parser);
bool parse_create_if_not_exists(struct parser *parser);
MUST_USE enum status parse_alter_statement(struct parser *parser, struct ast_statement *out);
MUST_USE enum status parse_show_statement(struct parser *parser, struct ast_statement *out);
MUST_USE enum status parse_show_describe(struct parser *parser, struct ast_statement *out);

// ---- parse_statement.c

MUST_USE enum status parse_statement_any(struct parser *parser, const struct ast_statement **out);
