// SPDX-License-Identifier: Apache-2.0
//
// fuzz_sql: any bytes as a script. What parses, printed, parses again and prints the same; what
// does not says where, within the text, and can be drawn. The script is tried as an expression, a
// query and a type, too.
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/strbuf.h"
#include "sql/diagnostic.h"
#include "sql/parse.h"
#include "sql/script.h"
#include "sql/unparse.h"

enum { TEXT_MAX = 1 << 20, PRINTED_MAX = 64 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool print(struct strbuf *out, struct str source, const struct ast_statement *statement)
{
    switch ((int)statement->kind) {
    case AST_QUERY: unparse_query(out, source, statement->as.query); return true;
    case AST_INSERT: unparse_query(out, source, statement->as.insert.query); return true;
    case AST_CREATE_TABLE:
        unparse_create_table(out, source, &statement->as.create_table);
        return true;
    case AST_CREATE_VIEW: unparse_create_view(out, source, &statement->as.create_view); return true;
    default: return false;
    }
}

static void check_printed(struct str source, const struct ast_statement *statement)
{
    struct arena arena;
    struct err err;
    struct strbuf once;
    struct strbuf twice;
    const struct ast_statement *again;
    arena_init(&arena);
    strbuf_init(&once, PRINTED_MAX);
    strbuf_init(&twice, PRINTED_MAX);
    if (print(&once, source, statement) && !once.truncated) {
        // Parentheses that make an order clear may make it too deep.
        enum status status = parse_statement(&arena, strbuf_str(&once), &again, &err);
        ASSERT(status == STATUS_OK || status == STATUS_LIMIT);
        if (status == STATUS_OK) {
            print(&twice, strbuf_str(&once), again);
            ASSERT(str_equal(strbuf_str(&once), strbuf_str(&twice)));
        }
    }
    strbuf_release(&once);
    strbuf_release(&twice);
    arena_release(&arena);
}

static void check_statement(struct str script, const struct script_statement *statement)
{
    struct arena arena;
    struct err err;
    const struct ast_statement *tree;
    arena_init(&arena);
    if (parse_statement(&arena, statement->text, &tree, &err) == STATUS_OK) {
        ASSERT((size_t)tree->at.offset + tree->at.length <= statement->text.size);
        check_printed(statement->text, tree);
    } else {
        struct strbuf drawn;
        struct diagnostic_source source = {
            .name = STR_LIT("f.sql"), .text = script, .base = statement->offset};
        ASSERT(err.offset + err.length <= statement->text.size);
        strbuf_init(&drawn, 1 << 16);
        diagnostic_render(&drawn, "error", &err, &source);
        strbuf_release(&drawn);
    }
    arena_release(&arena);
}

static void check_parts(struct str text)
{
    struct arena arena;
    struct err err;
    const struct ast_expr *expr;
    const struct ast_query *query;
    const struct ast_type *type;
    arena_init(&arena);
    bool good[] = {parse_expression(&arena, text, &expr, &err) == STATUS_OK,
                   parse_query_text(&arena, text, &query, &err) == STATUS_OK,
                   parse_type_text(&arena, text, &type, &err) == STATUS_OK};
    ASSERT(!good[0] || expr->at.offset <= text.size);
    ASSERT(!good[2] || type->at.offset <= text.size);
    ASSERT(!good[1] || query != NULL);
    arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > TEXT_MAX) {
        return 0;
    }
    struct script script;
    struct script_statement statement;
    struct str text = str_make((const char *)data, size);
    script_init(&script, text);
    while (script_next(&script, &statement)) {
        check_statement(text, &statement);
    }
    check_parts(text);
    return 0;
}
