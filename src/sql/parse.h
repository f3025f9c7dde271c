// SPDX-License-Identifier: Apache-2.0
//
// parse: Flink SQL text to the tree of ast.h.
//
//     struct arena arena;
//     arena_init(&arena);
//     const struct ast_statement *statement;
//     enum status status = parse_statement(&arena, text, &statement, err);
//
// A recursive-descent parser over lexer.h, split by family: parse_expr.c (operators),
// parse_primary.c (what they join), parse_call.c, parse_json.c, parse_type.c, parse_query.c,
// parse_table.c (FROM), parse_create.c, parse_schema.c, parse_alter.c, parse_show.c,
// parse_statement.c; parser.c holds the tokens ahead and makes the errors.
//
// It refuses what Flink's parser refuses (error stage PARSE) and accepts what that accepts. Errors
// say what stands there, what was expected, and where something can be advised, a hint: the nearest
// keyword, a reserved word to be quoted, the place where a text began that never ended.
//
// Limits: statements of up to PARSE_TEXT_MAX bytes; nesting of up to PARSE_DEPTH_MAX; trees of up
// to PARSE_HEIGHT_MAX nodes from the root to a leaf (a OR b OR c is as high as it is long). What is
// over them is refused with LIMIT, everything else with INVALID_DATA.
#pragma once

#include "base/compiler.h"
#include "base/err.h"
#include "base/str.h"
#include "sql/ast.h"

struct arena;

enum {
    PARSE_TEXT_MAX = 64 * 1024 * 1024,
    PARSE_DEPTH_MAX = 500, // constructs inside each other: parentheses, subqueries, types
    PARSE_HEIGHT_MAX = 2000,
};

// One statement, a single ';' behind it allowed. `text` is borrowed by the tree.
MUST_USE enum status parse_statement(struct arena *arena, struct str text,
                                     const struct ast_statement **out, struct err *err);

// A single expression, as in computed columns and stored definitions.
MUST_USE enum status parse_expression(struct arena *arena, struct str text,
                                      const struct ast_expr **out, struct err *err);

// A query without a statement around it, as a view's definition.
MUST_USE enum status parse_query_text(struct arena *arena, struct str text,
                                      const struct ast_query **out, struct err *err);

// A type as in CREATE TABLE: "ROW<a INT NOT NULL, b STRING>".
MUST_USE enum status parse_type_text(struct arena *arena, struct str text,
                                     const struct ast_type **out, struct err *err);
