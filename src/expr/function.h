// SPDX-License-Identifier: Apache-2.0
//
// function: the table of scalar functions: one list that serves the binder, SHOW FUNCTIONS, the
// manual and tests. Families are in functions_*.c; function_table.c joins them.
//
// Names. What SQL writes with a name has it here in upper case (`UPPER`); operators have their sign
// (`+`, `<=`, `||`, `IS NOT NULL`, `SIMILAR TO`), and these forms have the names
//
//     a[i]                    ITEM         r.x                       FIELD (options.field)
//     (a, b), ROW(a, b)       ROW          ARRAY[...], MAP[...]          ARRAY, MAP
//     CAST(a AS t)            CAST         TRY_CAST(a AS t)          TRY_CAST (options.target)
//     CASE WHEN c THEN v ... ELSE e END      CASE: c1, v1, c2, v2, ..., e (always with e)
//     CASE x WHEN ...           as CASE WHEN x = ..., by the binder
//     a BETWEEN b AND c       BETWEEN      a BETWEEN SYMMETRIC ...     BETWEEN SYMMETRIC
//     a IN (x, y)             IN: a, x, y  NOT IN, NOT LIKE, ...       NOT of it, by the binder
//     LIKE a ESCAPE e         LIKE with three arguments
//     EXTRACT(u FROM t)       EXTRACT (options.unit)     FLOOR(t TO u)   FLOOR with options.unit
//     (t1 - t2) DAY           - (options.unit)           TIMESTAMPADD(u, n, t), TIMESTAMPDIFF
//     TRIM(BOTH c FROM s)     TRIM (options.trim): s, c; without c: s
//     POSITION(a IN b)        POSITION: a, b
//     OVERLAY(...), SUBSTRING(s FROM a FOR n)   their arguments in this order
//     x IS JSON OBJECT        IS JSON (options.json_kind)
//
// Nullability and types come out as Flink derives them; implicit casts are put in by the resolver.
// Read-only after start: any thread.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "data/column.h"
#include "data/type.h"
#include "expr/expr.h"

enum function_syntax {
    FUNCTION_SYNTAX_CALL,    // NAME(a, b)
    FUNCTION_SYNTAX_BINARY,  // a NAME b
    FUNCTION_SYNTAX_PREFIX,  // NAME a
    FUNCTION_SYNTAX_POSTFIX, // a NAME
    FUNCTION_SYNTAX_BARE,    // NAME, without parentheses: CURRENT_DATE
    FUNCTION_SYNTAX_SPECIAL, // its own
};

enum function_property {
    FUNCTION_DETERMINISTIC = 1 << 0,
    FUNCTION_CAN_ERROR = 1 << 1,
    FUNCTION_NULL_IN_NULL_OUT = 1 << 2, // any null argument gives null, without being evaluated
    FUNCTION_MONOTONIC = 1 << 3,        // does not fall while its first argument rises
    FUNCTION_FORM = 1 << 4,             // evaluated by program.c: AND, CASE, COALESCE ...
    FUNCTION_LIST = 1 << 5, // what `prepare` made stands for all arguments but the first
};

// Units of time in syntax: EXTRACT, FLOOR TO, TIMESTAMPADD, (a - b) DAY.
#define FUNCTION_UNIT_LIST(X)                                                                      \
    X(NONE)                                                                                        \
    X(YEAR) X(QUARTER) X(MONTH) X(WEEK) X(DAY) X(HOUR) X(MINUTE) X(SECOND) X(MILLISECOND)          \
        X(MICROSECOND) X(NANOSECOND) X(DECADE) X(CENTURY) X(MILLENNIUM) X(EPOCH) X(DOW) X(ISODOW)  \
            X(DOY) X(ISOYEAR)
enum function_unit {
#define X(name) FUNCTION_UNIT_##name,
    FUNCTION_UNIT_LIST(X)
#undef X
};

enum function_trim { FUNCTION_TRIM_BOTH, FUNCTION_TRIM_LEADING, FUNCTION_TRIM_TRAILING };

// What JSON_VALUE and its family say after their arguments.
enum function_json_behaviour {
    FUNCTION_JSON_NULL, // also where nothing is said
    FUNCTION_JSON_ERROR,
    FUNCTION_JSON_DEFAULT, // the value is an argument: first ON EMPTY's, then ON ERROR's
    FUNCTION_JSON_EMPTY_ARRAY,
    FUNCTION_JSON_EMPTY_OBJECT,
    FUNCTION_JSON_TRUE,
    FUNCTION_JSON_FALSE,
    FUNCTION_JSON_UNKNOWN,
    FUNCTION_JSON_ABSENT, // JSON_OBJECT, JSON_ARRAY: NULLs left out
};
enum function_json_wrapper {
    FUNCTION_JSON_WITHOUT_WRAPPER,
    FUNCTION_JSON_CONDITIONAL_WRAPPER,
    FUNCTION_JSON_UNCONDITIONAL_WRAPPER,
};
enum function_json_kind {
    FUNCTION_JSON_KIND_VALUE,
    FUNCTION_JSON_KIND_OBJECT,
    FUNCTION_JSON_KIND_ARRAY,
    FUNCTION_JSON_KIND_SCALAR,
};

// What a call's syntax says besides its arguments. Zero is "nothing".
struct function_options {
    enum function_unit unit;
    enum function_unit unit_to; // of INTERVAL qualifiers: (a - b) DAY TO SECOND
    enum function_trim trim;
    const struct type *target;     // CAST, TRY_CAST, JSON_VALUE ... RETURNING
    struct str field;              // FIELD
    const struct str *field_names; // ROW as the binder names its fields; NULL: EXPR$0 ...
    enum function_json_behaviour json_on_empty;
    enum function_json_behaviour json_on_error;
    enum function_json_behaviour json_on_null; // JSON_OBJECT, JSON_ARRAY; the binder sets defaults
    enum function_json_wrapper json_wrapper;
    enum function_json_kind json_kind;
    uint64_t json_raw; // by the resolver: bit i: argument i is JSON and stands as it is
};

// A call while it is being resolved.
struct function_binding {
    struct arena *arena;
    const struct function *function;
    const struct expr **args; // the resolver replaces those that need a cast
    uint32_t arg_count;
    const struct function_options *options;
    const struct type *type;  // to be set: the result's
    const struct expr *other; // set instead of a type where the call is rewritten (a <> b, NULLIF)
};

// Fails with stage validate.
typedef enum status function_resolver(struct function_binding *binding, struct err *err);

// One evaluation over a batch.
struct function_call {
    const struct expr *expr; // types, options, literal arguments
    const struct column *args;
    uint32_t arg_count;
    uint32_t row_count;
    const uint64_t *active; // the rows that are meant; others may come out as anything valid
    struct arena *arena; // for results, alive until the program's next run
    void *state;         // what `prepare` made; belongs to one program, so one thread
    const struct expr_settings *settings;
    int64_t now_us;       // of this batch
    int64_t watermark_us; // WATERMARK_NONE where there is none yet
    uint32_t error_row;   // set by a failing evaluation: the row
};

// `out` has call->row_count rows, any encoding, and is null where the value is.
typedef enum status function_evaluator(struct function_call *call, struct column *out,
                                       struct err *err);
// BOOLEAN results as masks: both may be written in whole words; only active rows count.
typedef enum status function_predicate(struct function_call *call, uint64_t *is_true,
                                       uint64_t *is_null, struct err *err);
// Once a program: what constant arguments allow to prepare (a regex, a pattern). `*state` may stay
// NULL. Failing values are no error here: the rows meet them.
typedef void function_preparer(struct arena *arena, const struct expr *expr,
                               const struct expr_settings *settings, void **state);

// The value of one row, for functions that are written a row at a time (rows.h): filled by the
// field that the result's physical form has; zero before the call.
struct function_value {
    bool is_null;
    int64_t i64; // BOOL, I8 to I64
    int128 i128;
    double f64; // F32, F64
    struct nano nano;
    struct str text; // STRING: in the call's arena, or borrowed from an argument
};

// One row. Null arguments are not met where null_in_null_out is set.
typedef enum status function_row(const struct function_call *call, uint32_t row,
                                 struct function_value *value, struct err *err);

// Result types of functions that need no resolver of their own.
enum function_result {
    FUNCTION_RESULT_BOOLEAN,
    FUNCTION_RESULT_INT,
    FUNCTION_RESULT_BIGINT,
    FUNCTION_RESULT_DOUBLE,
    FUNCTION_RESULT_STRING,
    FUNCTION_RESULT_BYTES,
    FUNCTION_RESULT_DATE,
    FUNCTION_RESULT_TIME,
    FUNCTION_RESULT_TIMESTAMP3,
    FUNCTION_RESULT_TIMESTAMP_LTZ3,
    FUNCTION_RESULT_FIRST,         // the first argument's type
    FUNCTION_RESULT_FIRST_VARYING, // VARCHAR of the first argument's length
    FUNCTION_RESULT_ARRAY_STRING,
};

struct function {
    const char *name;
    const char *aliases; // separated by blanks; NULL: none
    enum function_syntax syntax;
    uint32_t properties; // of enum function_property
    int16_t args_min;
    int16_t args_max; // -1: any number
    // Argument and result types: either a resolver, or a pattern with a letter for each argument
    // (the last one is repeated) and a result, which is nullable where an argument is, or always.
    //     S characters  Y bytes  T characters or bytes  I integers (cast to INT)  L integers (cast
    //     to BIGINT)  N numbers  F numbers, cast to DOUBLE  B boolean  A array  M map
    //     D TIMESTAMP or TIMESTAMP_LTZ  ? anything
    function_resolver *resolve;
    const char *pattern;
    enum function_result result;
    bool result_nullable;
    // Evaluation: one of the three, or none for FUNCTION_FORM.
    function_evaluator *evaluate;
    function_predicate *predicate;
    function_row *row;
    function_preparer *prepare; // NULL: nothing to prepare
    const char *signature;      // "UPPER(<CHARACTER>)", for messages and the manual
    const char *doc;            // one line
};

struct function_family {
    const struct function *functions;
    uint32_t count;
};

// All functions, in the order of the table; by index up to function_count(). Names that begin with
// $ are for the inside: SHOW FUNCTIONS leaves them out.
uint32_t function_count(void);
const struct function *function_at(uint32_t index);
// By name or alias, any case. Several entries may have a name (- with one and two arguments):
// `arg_count` chooses, UINT32_MAX takes the first. NULL: there is none.
const struct function *function_find(struct str name, uint32_t arg_count);
// The most similar name, for hints; empty where none is near. Aggregates are looked at too.
struct str function_nearest(struct str name);

// What the binder knows of a call.
struct function_use {
    struct arena *arena;
    struct str name;
    struct expr_list args;
    const struct function_options *options; // NULL: none; copied
    uint32_t offset;                        // of the call in the statement
    uint32_t length;
};

// The bound call, with casts around arguments where Flink casts implicitly. Errors are of stage
// validate at the call's place: no such function (hint: the nearest name), wrong number or types of
// arguments (the text lists what is accepted).
MUST_USE enum status function_resolve(const struct function_use *use, const struct expr **out,
                                      struct err *err);
