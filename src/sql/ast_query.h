// SPDX-License-Identifier: Apache-2.0
//
// ast_query: queries of the tree. The manual is ast.h.
#pragma once

#include "sql/ast_expr.h"

// 'key' = 'value' of WITH, SET and hints. A hint's key may be a bare name.
struct ast_option {
    struct ast_text key;
    struct ast_text value;
};

struct ast_options {
    const struct ast_option *items;
    uint32_t count;
    struct ast_span at;
    bool present; // WITH () is present and empty
};

// /*+ OPTIONS('k' = 'v'), BROADCAST(t1, t2), STATE_TTL('a' = '1d') */
struct ast_hint {
    struct ast_name name;
    struct ast_options options; // where written as 'k' = 'v'
    struct ast_names arguments; // where written as names, numbers or texts
    struct ast_span at;
};

struct ast_hints {
    const struct ast_hint *items;
    uint32_t count;
};

enum ast_join_kind {
    AST_JOIN_COMMA,
    AST_JOIN_CROSS,
    AST_JOIN_INNER,
    AST_JOIN_LEFT,
    AST_JOIN_RIGHT,
    AST_JOIN_FULL,
    AST_JOIN_LEFT_SEMI,
    AST_JOIN_LEFT_ANTI,
    AST_JOIN_ASOF,
    AST_JOIN_LEFT_ASOF,
};

enum ast_table_kind {
    AST_TABLE_NAME,     // [cat.][db.]t
    AST_TABLE_FILE,     // 'file.parquet' (ours)
    AST_TABLE_QUERY,    // (query), LATERAL (query), also (VALUES ...)
    AST_TABLE_FUNCTION, // TABLE(f(...)), LATERAL TABLE(f(...)), f(...)
    AST_TABLE_UNNEST,   // UNNEST(a, ...) [WITH ORDINALITY]
    AST_TABLE_JOIN,
    AST_TABLE_MATCH, // input MATCH_RECOGNIZE (...)
    AST_TABLE_PIVOT, // input PIVOT (...) and UNPIVOT (...)
};

// Time travel is written FOR SYSTEM_TIME AS OF x, FOR TIMESTAMP AS OF x, TIMESTAMP AS OF x or
// AT (TIMESTAMP => x); versions alike.
struct ast_table {
    enum ast_table_kind kind;
    struct ast_span at;
    bool lateral;
    struct ast_name alias;        // [AS] alias
    struct ast_names columns;     // alias (a, b)
    const struct ast_expr *as_of; // FOR SYSTEM_TIME AS OF expression; NULL: none
    bool as_of_version;           // FOR SYSTEM_VERSION AS OF: a snapshot, branch or tag
    struct ast_hints hints;
    struct ast_span sample; // TABLESAMPLE ..., as text; length 0: none
    union {
        struct ast_path path;            // NAME
        struct ast_text file;            // FILE
        const struct ast_query *query;   // QUERY
        struct {                         // FUNCTION
            const struct ast_expr *call; // AST_EXPR_CALL
            bool explicit_table;         // TABLE( ... ) was written
        } function;
        struct { // UNNEST
            struct ast_exprs args;
            bool ordinality;
        } unnest;
        struct { // JOIN
            enum ast_join_kind kind;
            bool natural;
            const struct ast_table *left;
            const struct ast_table *right;
            const struct ast_expr *on;
            const struct ast_expr *match_condition; // of ASOF
            struct ast_names using_columns;
            bool has_using;
        } join;
        struct { // MATCH, PIVOT: the text from the keyword to the closing parenthesis
            const struct ast_table *input;
            struct ast_span text;
            bool unpivot;
        } match;
    } as;
};

struct ast_select_item {
    const struct ast_expr *expr; // AST_EXPR_STAR for * and t.*
    struct ast_name alias;
};

enum ast_grouping_kind {
    AST_GROUPING_EXPR,  // one expression, or a row of them in parentheses: `exprs`
    AST_GROUPING_EMPTY, // ()
    AST_GROUPING_SETS,  // `elements`, as in the following
    AST_GROUPING_CUBE,
    AST_GROUPING_ROLLUP,
};

struct ast_grouping {
    enum ast_grouping_kind kind;
    struct ast_span at;
    struct ast_exprs exprs;
    const struct ast_grouping *elements;
    uint32_t element_count;
};

struct ast_named_window {
    struct ast_name name;
    struct ast_window window;
};

struct ast_select {
    struct ast_hints hints;
    enum ast_quantifier quantifier;
    bool stream; // SELECT STREAM
    const struct ast_select_item *items;
    uint32_t item_count;
    const struct ast_table *from; // NULL: none
    const struct ast_expr *where;
    bool has_group_by;
    enum ast_quantifier group_quantifier; // GROUP BY DISTINCT
    const struct ast_grouping *group_by;
    uint32_t group_count;
    const struct ast_expr *having;
    const struct ast_named_window *windows;
    uint32_t window_count;
    const struct ast_expr *qualify;
};

enum ast_set_op { AST_SET_UNION, AST_SET_INTERSECT, AST_SET_EXCEPT };

enum ast_body_kind {
    AST_BODY_SELECT,
    AST_BODY_SET,    // left UNION right
    AST_BODY_VALUES, // rows: each AST_EXPR_ROW, or one expression for a row of one column
    AST_BODY_TABLE,  // TABLE t
    AST_BODY_QUERY,  // (query), with an ORDER BY or WITH of its own
};

struct ast_body {
    enum ast_body_kind kind;
    struct ast_span at;
    union {
        struct ast_select select;
        struct {
            enum ast_set_op op;
            bool all;
            const struct ast_body *left;
            const struct ast_body *right;
        } set;
        struct ast_exprs rows;
        struct ast_path table;
        const struct ast_query *query;
    } as;
};

struct ast_cte {
    struct ast_name name;
    struct ast_names columns;
    const struct ast_query *query;
};

struct ast_query {
    struct ast_span at;
    bool recursive; // WITH RECURSIVE
    const struct ast_cte *ctes;
    uint32_t cte_count;
    const struct ast_body *body;
    struct ast_sorts order_by;
    const struct ast_expr *offset; // OFFSET n ROWS; an EXACT literal, as is the next
    const struct ast_expr *limit;  // LIMIT n, FETCH FIRST n ROWS ONLY; LIMIT ALL is none
};
