// SPDX-License-Identifier: Apache-2.0
//
// unparse: the canonical SQL text of trees and definitions: one spelling for what means the same,
// laid out and quoted as Flink does (SHOW CREATE TABLE, definitions that are stored).
//
//     struct strbuf text;
//     strbuf_init(&text, 1 << 20);
//     unparse_expr(&text, statement_text, expr);          // `a` * (`b` + 1)
//
// Parsing the text gives an equal tree. `source` is the text that the tree was parsed from: clauses
// that are kept as text (MATCH_RECOGNIZE, PIVOT, TABLESAMPLE) are copied from it. Comments and
// needless parentheses are gone. What does not fit `out` is dropped, as strbuf.h says.
#pragma once

#include "base/str.h"
#include "base/strbuf.h"
#include "sql/ast.h"

struct table_def;
struct type;

void unparse_name(struct strbuf *out, struct str name); // `a``b`
void unparse_path(struct strbuf *out, const struct ast_path *path);
void unparse_text(struct strbuf *out, struct str text); // 'it''s'

void unparse_expr(struct strbuf *out, struct str source, const struct ast_expr *expr);
void unparse_type(struct strbuf *out, const struct ast_type *type);
void unparse_query(struct strbuf *out, struct str source, const struct ast_query *query);
void unparse_create_table(struct strbuf *out, struct str source,
                          const struct ast_create_table *table);
void unparse_create_view(struct strbuf *out, struct str source, const struct ast_create_view *view);

// A type as in Flink's SHOW CREATE TABLE: VARCHAR(2147483647), TIMESTAMP(3) WITH LOCAL TIME ZONE.
void unparse_logical_type(struct strbuf *out, const struct type *type);
// SHOW CREATE TABLE and SHOW CREATE VIEW of a definition; ends in a newline.
void unparse_definition(struct strbuf *out, const struct table_def *def);
