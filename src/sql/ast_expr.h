// SPDX-License-Identifier: Apache-2.0
//
// ast_expr: names, expressions and types of the tree. The manual is ast.h.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "data/type.h"

struct ast_expr;
struct ast_query;
struct ast_table;
struct ast_type;
struct ast_statement;

struct ast_span {
    uint32_t offset; // bytes from the start of the statement's text
    uint32_t length;
};

// One identifier: what it names, without back quotes and with `` decoded.
struct ast_name {
    struct str text; // empty: absent
    struct ast_span at;
    bool quoted; // was written `so`
};

struct ast_names {
    const struct ast_name *items;
    uint32_t count;
};

// a, db.t, cat.db.t, alias.column.field: parts from the left.
struct ast_path {
    const struct ast_name *parts;
    uint32_t count;
    struct ast_span at;
};

struct ast_paths {
    const struct ast_path *items;
    uint32_t count;
};

// A string literal, decoded.
struct ast_text {
    struct str value;
    struct ast_span at; // length 0: absent
};

struct ast_exprs {
    const struct ast_expr *const *items;
    uint32_t count;
};

// ---------------------------------------------------------------------------------------------
// Expressions

// Time units of INTERVAL, EXTRACT, CEIL, FLOOR, TIMESTAMPADD and TIMESTAMPDIFF. X(NAME)
#define AST_UNIT_LIST(X)                                                                           \
    X(NANOSECOND)                                                                                  \
    X(MICROSECOND)                                                                                 \
    X(MILLISECOND)                                                                                 \
    X(SECOND)                                                                                      \
    X(MINUTE)                                                                                      \
    X(HOUR)                                                                                        \
    X(DAY)                                                                                         \
    X(WEEK)                                                                                        \
    X(MONTH)                                                                                       \
    X(QUARTER)                                                                                     \
    X(YEAR)                                                                                        \
    X(DOW)                                                                                         \
    X(ISODOW)                                                                                      \
    X(DOY)                                                                                         \
    X(ISOYEAR)                                                                                     \
    X(EPOCH)                                                                                       \
    X(DECADE)                                                                                      \
    X(CENTURY)                                                                                     \
    X(MILLENNIUM)

enum ast_unit {
#define X(name) AST_UNIT_##name,
    AST_UNIT_LIST(X)
#undef X
};

// INTERVAL '...' DAY(3) TO SECOND(6): `from` and `to` are equal where only one is written.
struct ast_interval_qualifier {
    enum ast_unit from;
    enum ast_unit to;
    int32_t precision; // of the leading field; -1: not written
    int32_t scale;     // digits of the fraction of a second; -1: not written
    struct ast_span at;
};

enum ast_literal_kind {
    AST_LITERAL_NULL,
    AST_LITERAL_TRUE,
    AST_LITERAL_FALSE,
    AST_LITERAL_UNKNOWN,
    AST_LITERAL_EXACT,       // text: digits with an optional point, "12", "1.50", ".5", "1."
    AST_LITERAL_APPROXIMATE, // text: with exponent, "1E-3"
    AST_LITERAL_STRING,      // text: decoded, adjacent pieces joined
    AST_LITERAL_BINARY,      // text: the bytes
    AST_LITERAL_DATE,        // text: what stands between the quotes, as are the following
    AST_LITERAL_TIME,
    AST_LITERAL_TIMESTAMP,
    AST_LITERAL_TIMESTAMP_LTZ, // TIMESTAMP WITH LOCAL TIME ZONE '...'
    AST_LITERAL_INTERVAL,
};

struct ast_literal {
    enum ast_literal_kind kind;
    struct str text;
    bool odd_digits;                        // X'0': to be refused
    struct str charset;                     // of _utf8'...' and N'...'; empty: none
    bool negative;                          // INTERVAL -'1' DAY
    struct ast_interval_qualifier interval; // of INTERVAL
};

// Binary operators. X(NAME, "as written")
#define AST_BINARY_LIST(X)                                                                         \
    X(OR, "OR")                                                                                    \
    X(AND, "AND")                                                                                  \
    X(EQ, "=")                                                                                     \
    X(NE, "<>")                                                                                    \
    X(LT, "<")                                                                                     \
    X(LE, "<=")                                                                                    \
    X(GT, ">")                                                                                     \
    X(GE, ">=")                                                                                    \
    X(IS_DISTINCT_FROM, "IS DISTINCT FROM")                                                        \
    X(IS_NOT_DISTINCT_FROM, "IS NOT DISTINCT FROM")                                                \
    X(MEMBER_OF, "MEMBER OF")                                                                      \
    X(NOT_MEMBER_OF, "NOT MEMBER OF")                                                              \
    X(SUBMULTISET_OF, "SUBMULTISET OF")                                                            \
    X(NOT_SUBMULTISET_OF, "NOT SUBMULTISET OF")                                                    \
    X(CONTAINS, "CONTAINS")                                                                        \
    X(OVERLAPS, "OVERLAPS")                                                                        \
    X(EQUALS, "EQUALS")                                                                            \
    X(PRECEDES, "PRECEDES")                                                                        \
    X(SUCCEEDS, "SUCCEEDS")                                                                        \
    X(IMMEDIATELY_PRECEDES, "IMMEDIATELY PRECEDES")                                                \
    X(IMMEDIATELY_SUCCEEDS, "IMMEDIATELY SUCCEEDS")                                                \
    X(MULTISET_UNION, "MULTISET UNION")                                                            \
    X(MULTISET_UNION_ALL, "MULTISET UNION ALL")                                                    \
    X(MULTISET_EXCEPT, "MULTISET EXCEPT")                                                          \
    X(MULTISET_EXCEPT_ALL, "MULTISET EXCEPT ALL")                                                  \
    X(MULTISET_INTERSECT, "MULTISET INTERSECT")                                                    \
    X(MULTISET_INTERSECT_ALL, "MULTISET INTERSECT ALL")                                            \
    X(ADD, "+")                                                                                    \
    X(SUBTRACT, "-")                                                                               \
    X(CONCAT, "||")                                                                                \
    X(MULTIPLY, "*")                                                                               \
    X(DIVIDE, "/")                                                                                 \
    X(MODULO, "%")

enum ast_binary_op {
#define X(name, sql) AST_BINARY_##name,
    AST_BINARY_LIST(X)
#undef X
};

enum ast_unary_op {
    AST_UNARY_PLUS,
    AST_UNARY_MINUS,
    AST_UNARY_NOT,
};

// value IS [NOT] what.
enum ast_is {
    AST_IS_NULL,
    AST_IS_TRUE,
    AST_IS_FALSE,
    AST_IS_UNKNOWN,
    AST_IS_A_SET,
    AST_IS_EMPTY,
    AST_IS_JSON, // IS JSON and IS JSON VALUE
    AST_IS_JSON_OBJECT,
    AST_IS_JSON_ARRAY,
    AST_IS_JSON_SCALAR,
    AST_IS_NORMALIZED,
};

enum ast_like { AST_LIKE, AST_ILIKE, AST_RLIKE, AST_SIMILAR };
enum ast_quantifier { AST_QUANTIFIER_NONE, AST_QUANTIFIER_ALL, AST_QUANTIFIER_DISTINCT };
enum ast_cast { AST_CAST, AST_TRY_CAST };

// How a call was written, and the order its arguments have in `args`.
enum ast_call_form {
    AST_CALL_PLAIN,      // f(a, b), f()
    AST_CALL_BARE,       // CURRENT_DATE: no parentheses
    AST_CALL_STAR,       // COUNT(*): no args
    AST_CALL_FROM_FOR,   // SUBSTRING(a FROM b [FOR c]): a, b[, c]
    AST_CALL_IN,         // POSITION(a IN b [FROM c]): a, b[, c]
    AST_CALL_PLACING,    // OVERLAY(a PLACING b FROM c [FOR d]): a, b, c[, d]
    AST_CALL_UNIT_FROM,  // EXTRACT(unit FROM a): UNIT, a
    AST_CALL_TO_UNIT,    // CEIL(a TO unit), FLOOR: a, UNIT
    AST_CALL_UNIT_FIRST, // TIMESTAMPADD(unit, a, b), TIMESTAMPDIFF: UNIT, a, b
    AST_CALL_TRIM,       // TRIM([BOTH|LEADING|TRAILING] [a] FROM b): SYMBOL, a, b; a is ' ' where
                         // it is absent. TRIM(b) is AST_CALL_PLAIN with b alone
    AST_CALL_USING,      // TRANSLATE(a USING name), CONVERT(a USING name): a, COLUMN
    AST_CALL_MINUS,      // (a - b) DAY TO SECOND, named MINUS_DATE: a, b; with `interval`
    AST_CALL_TO_INTERVAL // INTERVAL (a) DAY, named INTERVAL: a; with `interval`
};

enum ast_nulls_treatment { AST_NULLS_DEFAULT, AST_NULLS_RESPECT, AST_NULLS_IGNORE };
enum ast_nulls_order { AST_NULLS_UNSAID, AST_NULLS_FIRST, AST_NULLS_LAST };

struct ast_sort {
    const struct ast_expr *expr;
    bool descending;
    enum ast_nulls_order nulls;
    struct ast_span at;
};

struct ast_sorts {
    const struct ast_sort *items;
    uint32_t count;
};

enum ast_frame_unit { AST_FRAME_NONE, AST_FRAME_ROWS, AST_FRAME_RANGE, AST_FRAME_GROUPS };

enum ast_bound_kind {
    AST_BOUND_UNBOUNDED_PRECEDING,
    AST_BOUND_PRECEDING, // by `offset`
    AST_BOUND_CURRENT_ROW,
    AST_BOUND_FOLLOWING, // by `offset`
    AST_BOUND_UNBOUNDED_FOLLOWING,
};

struct ast_bound {
    enum ast_bound_kind kind;
    const struct ast_expr *offset;
    struct ast_span at;
};

enum ast_exclude {
    AST_EXCLUDE_NO_OTHERS,
    AST_EXCLUDE_CURRENT_ROW,
    AST_EXCLUDE_GROUP,
    AST_EXCLUDE_TIES,
};

// OVER w, OVER (w PARTITION BY ... ORDER BY ... ROWS ...), and the definitions of WINDOW.
struct ast_window {
    struct ast_name reference; // the named window it is, or builds upon
    bool only_reference;       // OVER w, without parentheses
    struct ast_exprs partition_by;
    struct ast_sorts order_by;
    enum ast_frame_unit unit;
    struct ast_bound start; // of a frame
    struct ast_bound end;   // where `has_end`: else CURRENT ROW
    bool has_end;           // BETWEEN ... AND ... was written
    enum ast_exclude exclude;
    struct ast_span at;
};

struct ast_call {
    struct ast_path name; // as written; function names ignore case
    enum ast_call_form form;
    enum ast_quantifier quantifier; // COUNT(DISTINCT a)
    struct ast_exprs args;
    struct ast_interval_qualifier interval; // of AST_CALL_MINUS and AST_CALL_TO_INTERVAL
    struct ast_sorts order_by;              // ARRAY_AGG(a ORDER BY b)
    const struct ast_expr *separator;       // LISTAGG-like: f(a SEPARATOR ',')
    enum ast_nulls_treatment nulls;
    const struct ast_expr *filter; // FILTER (WHERE filter)
    struct ast_sorts within_group; // WITHIN GROUP (ORDER BY ...)
    struct ast_exprs within_distinct;
    const struct ast_window *over;
};

struct ast_when {
    const struct ast_expr *condition; // compared with the operand where CASE has one
    const struct ast_expr *result;
};

// JSON_VALUE and its family; what a function does not know is absent.
enum ast_json_behavior {
    AST_JSON_UNSAID,
    AST_JSON_ERROR,
    AST_JSON_NULL,
    AST_JSON_DEFAULT, // with an expression
    AST_JSON_TRUE,
    AST_JSON_FALSE,
    AST_JSON_UNKNOWN,
    AST_JSON_EMPTY_ARRAY,
    AST_JSON_EMPTY_OBJECT,
    AST_JSON_ABSENT,
};

enum ast_json_wrapper {
    AST_JSON_WRAPPER_UNSAID,
    AST_JSON_WRAPPER_WITHOUT, // WITHOUT [ARRAY] WRAPPER
    AST_JSON_WRAPPER_CONDITIONAL,
    AST_JSON_WRAPPER_UNCONDITIONAL, // also plain WITH WRAPPER
};

struct ast_json {
    struct ast_name name; // JSON_EXISTS, JSON_VALUE, JSON_QUERY, JSON_OBJECT, JSON_ARRAY,
                          // JSON_OBJECTAGG, JSON_ARRAYAGG
    struct ast_exprs
        args; // input, path, passed...; JSON_OBJECT and OBJECTAGG: key, value, key, ...;
              // JSON_ARRAY and ARRAYAGG: elements
    const struct ast_type *returning;
    enum ast_json_wrapper wrapper;
    enum ast_json_behavior on_empty;
    const struct ast_expr *default_on_empty;
    enum ast_json_behavior on_error;
    const struct ast_expr *default_on_error;
    enum ast_json_behavior on_null; // NULL or ABSENT ON NULL
    struct ast_sorts order_by;      // JSON_ARRAYAGG(a ORDER BY b)
    const struct ast_expr *filter;
    const struct ast_window *over;
};

enum ast_expr_kind {
    AST_EXPR_LITERAL,
    AST_EXPR_COLUMN, // a, t.a, t.a.b: `path`
    AST_EXPR_STAR,   // *, t.*: `path`, empty for *
    AST_EXPR_UNARY,
    AST_EXPR_BINARY,
    AST_EXPR_IS,
    AST_EXPR_BETWEEN,
    AST_EXPR_IN,
    AST_EXPR_QUANTIFIED, // a = SOME (...), a > ALL (...)
    AST_EXPR_LIKE,
    AST_EXPR_EXISTS,   // `query`
    AST_EXPR_UNIQUE,   // `query`
    AST_EXPR_SUBQUERY, // a scalar subquery: `query`
    AST_EXPR_CASE,
    AST_EXPR_CAST,
    AST_EXPR_CALL,
    AST_EXPR_JSON,
    AST_EXPR_ROW,            // ROW(a, b) and (a, b): `row`
    AST_EXPR_ARRAY,          // ARRAY[a, b]: `list`
    AST_EXPR_MAP,            // MAP[k, v, k, v]: `list`
    AST_EXPR_MULTISET,       // MULTISET[a, b]: `list`
    AST_EXPR_ARRAY_QUERY,    // ARRAY(query): `query`
    AST_EXPR_MAP_QUERY,      // MAP(query)
    AST_EXPR_MULTISET_QUERY, // MULTISET(query)
    AST_EXPR_ELEMENT,        // a[i]
    AST_EXPR_FIELD,          // (expression).name, a[1].name; plain paths are COLUMN
    AST_EXPR_UNIT,           // DAY as an argument
    AST_EXPR_SYMBOL,         // BOTH as an argument: `symbol`, upper case
    AST_EXPR_NAMED_ARG,      // name => value
    AST_EXPR_TABLE_ARG,      // TABLE t, or a query with PARTITION BY or ORDER BY behind it, as an
                             // argument; a query alone is a SUBQUERY
    AST_EXPR_DESCRIPTOR,     // DESCRIPTOR(a, b)
    AST_EXPR_MODEL_ARG,      // MODEL m as an argument: `path`
    AST_EXPR_DEFAULT,        // DEFAULT as an argument or in VALUES
    AST_EXPR_CURSOR,         // CURSOR(query)
    AST_EXPR_NEXT_VALUE,     // NEXT VALUE FOR sequence: `path`
    AST_EXPR_PERIOD,         // PERIOD (a, b): `list`
    AST_EXPR_PARAMETER,      // ?
};

struct ast_expr {
    enum ast_expr_kind kind;
    struct ast_span at;
    bool parenthesized; // (a): matters to printing, and to a column list in parentheses
    union {
        struct ast_literal literal;
        struct ast_path path;
        struct ast_exprs list;
        const struct ast_query *query;
        enum ast_unit unit;
        struct str symbol;
        struct {
            enum ast_unary_op op;
            const struct ast_expr *operand;
        } unary;
        struct {
            enum ast_binary_op op;
            const struct ast_expr *left;
            const struct ast_expr *right;
            struct ast_span op_at;
        } binary;
        struct {
            const struct ast_expr *value;
            enum ast_is what;
            bool negated;
        } is;
        struct {
            const struct ast_expr *value;
            const struct ast_expr *low;
            const struct ast_expr *high;
            bool symmetric;
            bool negated;
        } between;
        struct { // value [NOT] IN (list) or (query)
            const struct ast_expr *value;
            struct ast_exprs list;
            const struct ast_query *query; // NULL: the list
            bool negated;
        } in;
        struct {
            enum ast_binary_op op; // a comparison
            const struct ast_expr *value;
            bool all; // ALL, otherwise SOME or ANY
            struct ast_exprs list;
            const struct ast_query *query; // NULL: the list
        } quantified;
        struct {
            const struct ast_expr *value;
            const struct ast_expr *pattern;
            const struct ast_expr *escape;
            enum ast_like how;
            bool negated;
        } like;
        struct {
            const struct ast_expr *operand; // NULL: CASE WHEN condition
            const struct ast_when *whens;
            uint32_t when_count;
            const struct ast_expr *otherwise; // ELSE
        } cases;
        struct {
            const struct ast_expr *value;
            const struct ast_type *type;
            enum ast_cast how;
            struct ast_text format; // CAST(a AS DATE FORMAT '...')
        } cast;
        struct ast_call call;
        struct ast_json json;
        struct {
            struct ast_exprs fields;
            bool implicit; // (a, b), without ROW
        } row;
        struct {
            const struct ast_expr *base;
            const struct ast_expr *index;
        } element;
        struct {
            const struct ast_expr *base;
            struct ast_name name; // "*" with `star`
            bool star;            // (expression).*
        } field;
        struct {
            struct ast_name name;
            const struct ast_expr *value;
        } named;
        struct {
            struct ast_path path;          // TABLE t; count 0: the query
            const struct ast_query *query; // TABLE (SELECT ...)
            struct ast_exprs partition_by;
            struct ast_sorts order_by;
        } table;
        struct ast_names descriptor;
    } as;
};

// ---------------------------------------------------------------------------------------------
// Types

enum ast_nullability { AST_NULL_UNSAID, AST_NULL_ALLOWED, AST_NULL_FORBIDDEN };

struct ast_type_field {
    struct ast_name name; // absent in ARRAY, MULTISET, MAP
    const struct ast_type *type;
    struct ast_text comment;
};

// `kind` is one of data/type.h, but where `user_defined` or `structured`. Lengths are as written:
// the binder knows defaults and limits. TIMESTAMP WITH LOCAL TIME ZONE is TYPE_TIMESTAMP_LTZ, BYTES
// TYPE_VARBINARY and STRING TYPE_VARCHAR, both of length TYPE_LENGTH_MAX.
struct ast_type {
    enum type_kind kind;
    struct ast_span at;
    enum ast_nullability nullability;
    bool user_defined;   // a name: `name`
    bool structured;     // STRUCTURED<'class', a INT, ...>: `class_name` and fields
    bool raw_texts;      // RAW('class', 'snapshot'): `class_name` and `snapshot`
    bool with_time_zone; // TIMESTAMP WITH TIME ZONE (kind TYPE_TIMESTAMP): no such type runs
    int32_t length;      // length or precision; -1: not written
    int32_t scale;       // of DECIMAL; -1: not written
    struct ast_interval_qualifier interval; // of INTERVAL_MONTH and INTERVAL_SECOND
    const struct ast_type_field *fields;    // ARRAY, MULTISET: 1; MAP: key, value; ROW: any number
    uint32_t field_count;
    struct ast_path name;
    struct ast_text class_name;
    struct ast_text snapshot;
};
