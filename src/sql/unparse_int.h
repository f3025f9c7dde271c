// SPDX-License-Identifier: Apache-2.0
//
// unparse_int: shared by the unparse*.c files.
#pragma once

#include "sql/unparse.h"

struct unparser {
    struct strbuf *out;
    struct str source;
    // Put in front of columns that have no qualifier: the only table of the query around. Empty: as
    // written. Flink shows views so. Not in inner queries, whose columns may be those of an outer
    // one.
    struct str qualifier;
    bool qualify; // whether the outermost query sets it
    uint32_t depth;
};

// A value that binds at least as much as `level_min`, otherwise in parentheses.
void unparse_expr_within(struct unparser *unparser, const struct ast_expr *expr, int level_min);
void unparse_expr_list(struct unparser *unparser, const struct ast_exprs *list);
void unparse_expr_sorts(struct unparser *unparser, const struct ast_sorts *sorts);
void unparse_expr_window(struct unparser *unparser, const struct ast_window *window);
void unparse_expr_json(struct unparser *unparser, const struct ast_json *json);
void unparse_query_within(struct unparser *unparser, const struct ast_query *query);
void unparse_names(struct strbuf *out, const struct ast_names *names); // (`a`, `b`)
void unparse_qualifier(struct strbuf *out, const struct ast_interval_qualifier *qualifier);

static inline void unparse_any(struct unparser *unparser, const struct ast_expr *expr)
{
    unparse_expr_within(unparser, expr, 0);
}
