// SPDX-License-Identifier: Apache-2.0
//
// ast: what the parser makes of one statement's text, and what the binder reads.
//
//     const struct ast_statement *statement;
//     TRY(parse_statement(&arena, text, &statement, err));          // parse.h
//     if (statement->kind == AST_QUERY) { bind(statement->as.query); }
//
// The tree holds the whole grammar: what cannot run yet is a node like any other, refused by the
// planner by name and position. Nothing is resolved here: names are names, `a.b` may be a column of
// a table or a field of a row, and a call may name a function that does not exist.
//
// Conventions.
//   - Every node says where it stands: `at`, bytes into the statement's text. The span covers the
//     whole construct, parentheses around it excluded.
//   - Optional nodes are NULL; optional names, paths and texts have size or count 0. An option that
//     may be absent although its empty value means something has a `has_` flag.
//   - Lists are arrays of `count` elements; `items` may be NULL where count is 0.
//   - Forms that SQL writes in a special way (SUBSTRING(s FROM 1), EXTRACT(DAY FROM d),
//     POSITION(a IN b), TRIM(BOTH x FROM s)) are AST_EXPR_CALL with their arguments in the order
//     stated at enum ast_call_form, so that the binder sees one thing; the form only serves printing.
//   - Keywords that are arguments (DAY, BOTH) are AST_EXPR_UNIT and AST_EXPR_SYMBOL. A name where a
//     unit is expected is AST_EXPR_COLUMN: the binder refuses it.
//   - No path from the root to a leaf is longer than parse.h allows: recursion over a tree is safe.
//
// Ownership: everything is in the arena given to the parser; names that need no decoding, and
// number texts, borrow from the statement's text, which must live as long. Immutable once made.
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

// OVER w, OVER (w PARTITION BY ... ORDER BY ... ROWS BETWEEN ... AND ...), and WINDOW's definitions.
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

// `kind` is one of data/type.h, except where `user_defined` or `structured`. Lengths are as written:
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

// ---------------------------------------------------------------------------------------------
// Queries

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

struct ast_table {
    enum ast_table_kind kind;
    struct ast_span at;
    bool lateral;
    struct ast_name alias;        // [AS] alias
    struct ast_names columns;     // alias (a, b)
    const struct ast_expr *as_of; // FOR SYSTEM_TIME AS OF expression
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

// ---------------------------------------------------------------------------------------------
// Definitions

enum ast_column_kind { AST_COLUMN_PHYSICAL, AST_COLUMN_COMPUTED, AST_COLUMN_METADATA };

enum ast_position { AST_POSITION_UNSAID, AST_POSITION_FIRST, AST_POSITION_AFTER };

enum ast_constraint_kind { AST_CONSTRAINT_PRIMARY_KEY, AST_CONSTRAINT_UNIQUE };
enum ast_enforcement { AST_ENFORCED_UNSAID, AST_ENFORCED, AST_NOT_ENFORCED };

struct ast_constraint {
    struct ast_name name; // CONSTRAINT name
    enum ast_constraint_kind kind;
    struct ast_names columns; // empty where it stands behind a column
    enum ast_enforcement enforcement;
    struct ast_span at;
};

struct ast_column {
    struct ast_path name; // one part, but for ALTER TABLE ... ADD (row.field INT)
    enum ast_column_kind kind;
    struct ast_span at;
    const struct ast_type *type;  // NULL for COMPUTED, and in CREATE TABLE t (a, b) AS ...
    const struct ast_expr *expr;  // COMPUTED
    struct ast_text metadata_key; // METADATA FROM 'key'
    bool is_virtual;              // METADATA ... VIRTUAL
    const struct ast_constraint *constraint; // INT PRIMARY KEY NOT ENFORCED
    struct ast_text comment;
    enum ast_position position; // ALTER TABLE ... ADD c INT FIRST / AFTER x
    struct ast_path after;
};

struct ast_watermark {
    struct ast_path column;
    const struct ast_expr *expr;
    struct ast_span at;
};

// PARTITIONED BY (a, day(ts), bucket(16, id), truncate(4, s)).
struct ast_partition {
    struct ast_name transform; // empty: the column itself
    struct ast_path column;
    bool has_argument;
    int32_t argument; // 16 of bucket(16, id)
    struct ast_span at;
};

enum ast_distribution_kind {
    AST_DISTRIBUTION_NONE,
    AST_DISTRIBUTION_UNKNOWN, // DISTRIBUTED BY (a)
    AST_DISTRIBUTION_HASH,
    AST_DISTRIBUTION_RANGE,
};

struct ast_distribution {
    enum ast_distribution_kind kind;
    bool present; // DISTRIBUTED INTO 4 BUCKETS has no columns
    struct ast_names columns;
    int32_t buckets; // INTO n BUCKETS; -1: not written
    struct ast_span at;
};

enum ast_like_merge { AST_LIKE_INCLUDING, AST_LIKE_EXCLUDING, AST_LIKE_OVERWRITING };

enum ast_like_feature {
    AST_LIKE_ALL,
    AST_LIKE_CONSTRAINTS,
    AST_LIKE_DISTRIBUTION,
    AST_LIKE_GENERATED,
    AST_LIKE_METADATA,
    AST_LIKE_OPTIONS,
    AST_LIKE_PARTITIONS,
    AST_LIKE_WATERMARKS,
};

struct ast_like_option {
    enum ast_like_merge merge;
    enum ast_like_feature feature;
    struct ast_span at;
};

struct ast_like_clause {
    struct ast_path table; // count 0: no LIKE
    const struct ast_like_option *options;
    uint32_t option_count;
};

// What stands between the parentheses of CREATE TABLE, and of ALTER TABLE ADD and MODIFY.
struct ast_schema {
    const struct ast_column *columns;
    uint32_t column_count;
    const struct ast_constraint *constraints; // those behind a column stay there
    uint32_t constraint_count;
    const struct ast_watermark *watermarks; // more than one is refused by the binder
    uint32_t watermark_count;
    bool present; // parentheses were written
    struct ast_span at;
};

enum ast_create_mode { AST_CREATE, AST_CREATE_OR_REPLACE, AST_REPLACE, AST_CREATE_OR_ALTER };

struct ast_create_table {
    enum ast_create_mode mode;
    bool temporary;
    bool if_not_exists;
    struct ast_path name;
    struct ast_schema schema;
    struct ast_text comment;
    struct ast_distribution distribution;
    const struct ast_partition *partitions;
    uint32_t partition_count;
    struct ast_options options;
    struct ast_like_clause like;
    const struct ast_query *query; // AS query
};

struct ast_create_view {
    enum ast_create_mode mode;
    bool temporary;
    bool if_not_exists;
    struct ast_path name;
    struct ast_names columns;
    struct ast_text comment;
    const struct ast_query *query;
};

// A function's resource: USING JAR 'path'.
struct ast_resource {
    struct ast_name kind; // JAR, FILE, ARTIFACT
    struct ast_text path;
};

struct ast_create_function {
    bool temporary;
    bool system;
    bool if_not_exists;
    struct ast_path name;
    struct ast_text class_name;
    struct ast_name language;
    const struct ast_resource *resources;
    uint32_t resource_count;
    struct ast_options options;
};

struct ast_create_database {
    bool if_not_exists;
    struct ast_path name;
    struct ast_text comment;
    struct ast_options options;
};

struct ast_create_catalog {
    bool if_not_exists;
    struct ast_name name;
    struct ast_text comment;
    struct ast_options options;
};

// FRESHNESS = INTERVAL '1' MINUTE, REFRESH_MODE = FULL and START_MODE are kept, none runs yet.
struct ast_create_materialized {
    enum ast_create_mode mode;
    bool if_not_exists;
    struct ast_path name;
    struct ast_schema schema;
    struct ast_text comment;
    struct ast_distribution distribution;
    const struct ast_partition *partitions;
    uint32_t partition_count;
    struct ast_options options;
    const struct ast_expr *freshness; // an INTERVAL literal
    struct ast_name refresh_mode;     // FULL, CONTINUOUS
    struct ast_span start_mode;       // as text
    const struct ast_query *query;
};

struct ast_create_model {
    enum ast_create_mode mode;
    bool temporary;
    bool if_not_exists;
    struct ast_path name;
    struct ast_schema input;
    struct ast_schema output;
    struct ast_text comment;
    struct ast_options options;
    const struct ast_query *query;
};

enum ast_object {
    AST_OBJECT_TABLE,
    AST_OBJECT_VIEW,
    AST_OBJECT_MATERIALIZED_TABLE,
    AST_OBJECT_DATABASE,
    AST_OBJECT_CATALOG,
    AST_OBJECT_FUNCTION,
    AST_OBJECT_MODEL,
    AST_OBJECT_MODULE,
    AST_OBJECT_CONNECTION,
};

enum ast_drop_behavior { AST_DROP_UNSAID, AST_DROP_RESTRICT, AST_DROP_CASCADE };

struct ast_drop {
    enum ast_object object;
    bool temporary;
    bool system; // DROP TEMPORARY SYSTEM FUNCTION
    bool if_exists;
    struct ast_path name;
    enum ast_drop_behavior behavior; // of databases
};

// (k = 'v', ...) of PARTITION: a value may be absent (dynamic partition).
struct ast_partition_value {
    struct ast_name column;
    const struct ast_expr *value; // a literal, or NULL
};

struct ast_partition_spec {
    const struct ast_partition_value *items;
    uint32_t count;
    struct ast_span at;
};

enum ast_alter_kind {
    AST_ALTER_SET,           // options
    AST_ALTER_RESET,         // keys
    AST_ALTER_RENAME,        // TO new_name
    AST_ALTER_RENAME_COLUMN, // column TO new_name
    AST_ALTER_ADD,           // schema, distribution
    AST_ALTER_MODIFY,        // schema, distribution
    AST_ALTER_DROP_COLUMNS,  // columns
    AST_ALTER_DROP_PRIMARY_KEY,
    AST_ALTER_DROP_CONSTRAINT, // column: its name
    AST_ALTER_DROP_WATERMARK,
    AST_ALTER_DROP_DISTRIBUTION,
    AST_ALTER_ADD_PARTITIONS,  // partitions, each with options
    AST_ALTER_DROP_PARTITIONS, // partitions
    AST_ALTER_COMPACT,
    AST_ALTER_AS,      // VIEW, MATERIALIZED TABLE: query
    AST_ALTER_COMMENT, // CATALOG: comment
    AST_ALTER_SUSPEND, // MATERIALIZED TABLE, as are the following
    AST_ALTER_RESUME,  // options
    AST_ALTER_REFRESH, // partitions
    AST_ALTER_SET_FRESHNESS,
    AST_ALTER_SET_REFRESH_MODE,
    AST_ALTER_FUNCTION, // class_name
};

struct ast_alter_partition {
    struct ast_partition_spec spec;
    struct ast_options options;
};

struct ast_alter {
    enum ast_object object;
    enum ast_alter_kind kind;
    bool if_exists;
    bool temporary;        // ALTER TEMPORARY FUNCTION
    bool system;           // ALTER TEMPORARY SYSTEM FUNCTION
    bool column_if_exists; // ADD IF NOT EXISTS, DROP IF EXISTS of partitions and columns
    struct ast_path name;
    struct ast_path new_name;
    struct ast_path column;
    struct ast_paths columns;
    struct ast_options options;
    struct ast_text *keys; // RESET ('a', 'b')
    uint32_t key_count;
    struct ast_schema schema;
    struct ast_distribution distribution;
    const struct ast_alter_partition *partitions;
    uint32_t partition_count;
    struct ast_text comment;
    const struct ast_query *query;
    struct ast_create_function function; // FUNCTION
    const struct ast_expr *freshness;
    struct ast_name refresh_mode;
};

// ---------------------------------------------------------------------------------------------
// Statements

enum ast_conflict {
    AST_CONFLICT_UNSAID,
    AST_CONFLICT_NOTHING,
    AST_CONFLICT_ERROR,
    AST_CONFLICT_DEDUPLICATE
};

struct ast_insert {
    struct ast_path table;
    struct ast_hints hints; // INSERT INTO t /*+ OPTIONS(...) */
    bool overwrite;
    bool upsert;
    struct ast_partition_spec partition; // PARTITION (a = 1, b)
    struct ast_paths columns;            // (a, b, row.field)
    const struct ast_query *query;
    enum ast_conflict conflict; // ON CONFLICT DO ...
    struct ast_span at;
};

struct ast_assignment {
    struct ast_path column;
    const struct ast_expr *value;
};

struct ast_update {
    struct ast_path table;
    struct ast_name alias;
    const struct ast_assignment *assignments;
    uint32_t assignment_count;
    const struct ast_expr *where;
};

struct ast_delete {
    struct ast_path table;
    struct ast_name alias;
    const struct ast_expr *where;
};

struct ast_statement_set {
    const struct ast_insert *inserts;
    uint32_t count;
};

enum ast_explain_detail {
    AST_EXPLAIN_ESTIMATED_COST = 1 << 0,
    AST_EXPLAIN_CHANGELOG_MODE = 1 << 1,
    AST_EXPLAIN_JSON_EXECUTION_PLAN = 1 << 2,
    AST_EXPLAIN_PLAN_ADVICE = 1 << 3,
};

struct ast_explain {
    unsigned details; // enum ast_explain_detail, or'ed
    bool plan_for;    // EXPLAIN PLAN FOR
    bool analyze;     // EXPLAIN ANALYZE (ours)
    const struct ast_statement *statement;
};

enum ast_describe_kind {
    AST_DESCRIBE_TABLE,
    AST_DESCRIBE_CATALOG,
    AST_DESCRIBE_DATABASE,
    AST_DESCRIBE_FUNCTION,
    AST_DESCRIBE_MODEL,
    AST_DESCRIBE_JOB, // `job`
};

struct ast_describe {
    enum ast_describe_kind kind;
    bool extended;
    struct ast_path name;
    struct ast_text job;
    struct ast_partition_spec partition;
};

enum ast_show_kind {
    AST_SHOW_CATALOGS,
    AST_SHOW_CURRENT_CATALOG,
    AST_SHOW_DATABASES,
    AST_SHOW_CURRENT_DATABASE,
    AST_SHOW_TABLES,
    AST_SHOW_VIEWS,
    AST_SHOW_MATERIALIZED_TABLES,
    AST_SHOW_COLUMNS,
    AST_SHOW_FUNCTIONS,
    AST_SHOW_USER_FUNCTIONS,
    AST_SHOW_PROCEDURES,
    AST_SHOW_MODELS,
    AST_SHOW_MODULES,
    AST_SHOW_FULL_MODULES,
    AST_SHOW_JARS,
    AST_SHOW_JOBS,
    AST_SHOW_PARTITIONS,
    AST_SHOW_CREATE_TABLE,
    AST_SHOW_CREATE_VIEW,
    AST_SHOW_CREATE_MATERIALIZED_TABLE,
    AST_SHOW_CREATE_CATALOG,
    AST_SHOW_CREATE_MODEL,
};

struct ast_show {
    enum ast_show_kind kind;
    struct ast_path name;   // CREATE TABLE t, PARTITIONS t; FROM or IN what
    struct str preposition; // "FROM" or "IN", empty without
    bool has_like;
    bool negated; // NOT LIKE
    bool ilike;
    struct ast_text pattern;
    struct ast_partition_spec partition; // SHOW PARTITIONS t PARTITION (...)
};

enum ast_statement_kind {
    AST_QUERY,
    AST_INSERT,
    AST_STATEMENT_SET,       // EXECUTE STATEMENT SET BEGIN ... END
    AST_BEGIN_STATEMENT_SET, // BEGIN STATEMENT SET;
    AST_END_STATEMENT_SET,   // END;
    AST_UPDATE,
    AST_DELETE,
    AST_MERGE,    // `path`; the rest is read over
    AST_TRUNCATE, // `path`
    AST_EXPLAIN,
    AST_DESCRIBE,
    AST_SHOW,
    AST_USE,           // `path`
    AST_USE_CATALOG,   // `path`
    AST_USE_MODULES,   // `modules.names`
    AST_LOAD_MODULE,   // `modules`
    AST_UNLOAD_MODULE, // `modules`
    AST_SET,           // `set`; without a key: list all
    AST_RESET,         // `set`; without a key: all
    AST_CALL,          // CALL procedure(...): `expr`
    AST_CREATE_TABLE,
    AST_CREATE_VIEW,
    AST_CREATE_DATABASE,
    AST_CREATE_CATALOG,
    AST_CREATE_FUNCTION,
    AST_CREATE_MATERIALIZED_TABLE,
    AST_CREATE_MODEL,
    AST_DROP,
    AST_ALTER,
    AST_ANALYZE_TABLE,
    AST_ADD_JAR,    // `text`
    AST_REMOVE_JAR, // `text`
    AST_STOP_JOB,   // `stop_job`
    AST_COMPILE_PLAN,
    AST_EXECUTE_PLAN, // EXECUTE PLAN 'file': `text`
    AST_QUIT,         // QUIT, EXIT: the shell's
    AST_CLEAR,
    AST_HELP,
};

struct ast_statement {
    enum ast_statement_kind kind;
    struct ast_span at;
    bool execute; // EXECUTE stood in front of a query or an insert
    union {
        const struct ast_query *query;
        struct ast_insert insert;
        struct ast_statement_set statement_set;
        struct ast_update update;
        struct ast_delete delete;
        struct ast_path path;
        struct ast_text text;
        const struct ast_expr *expr;
        struct ast_explain explain;
        struct ast_describe describe;
        struct ast_show show;
        struct {
            struct ast_names names;
            struct ast_options options; // LOAD MODULE m WITH (...)
        } modules;
        struct {
            struct ast_text key;
            struct ast_text value;
        } set;
        struct ast_create_table create_table;
        struct ast_create_view create_view;
        struct ast_create_database create_database;
        struct ast_create_catalog create_catalog;
        struct ast_create_function create_function;
        struct ast_create_materialized create_materialized;
        struct ast_create_model create_model;
        struct ast_drop drop;
        struct ast_alter alter;
        struct {
            struct ast_path table;
            struct ast_partition_spec partition;
            struct ast_names columns; // FOR COLUMNS a, b
            bool all_columns;         // FOR ALL COLUMNS
        } analyze;
        struct {
            struct ast_text job;
            bool with_savepoint;
            bool with_drain;
        } stop_job;
        struct {
            struct ast_text file;
            bool if_not_exists;
            bool execute;                          // COMPILE AND EXECUTE PLAN
            const struct ast_statement *statement; // an insert or a statement set
        } compile_plan;
    } as;
};
