// SPDX-License-Identifier: Apache-2.0
//
// expr: bound expressions: what a scalar in SQL means once its names and types are known.
//
// A tree of columns, literals and calls. Nodes are immutable, live in the arena of their plan, may
// be shared by several trees, and carry their type. Whatever has arguments is a call of a function
// of the table in function.h: operators, AND, CASE, CAST, element and field access and the
// constructors ROW, ARRAY and MAP too.
//
//     const struct expr *v = expr_column(arena, 7, STR_LIT("v"), &type_bigint);
//     const struct expr *args[] = {v, expr_literal_int(arena, 3)};
//     const struct expr *greater;
//     TRY(expr_call(arena, ">", EXPR_LIST(args), &greater, err));   // v > 3, BOOLEAN
//
// To run one: program.h. Columns are known by an id that is unique in a plan, never by position.
// Any thread may read a finished tree.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/int128.h"
#include "base/str.h"
#include "data/type.h"

struct arena;
struct column;
struct function;
struct function_options;
struct strbuf;
struct zone; // data/zone.h

// What the statement runs under. Resolved once, kept with the plan.
struct expr_settings {
    const struct zone *zone; // of the session; NULL: UTC
    int64_t now_us;          // when the query began (microseconds since the epoch)
    bool is_streaming;       // NOW() and its like are asked for each batch, not once a query
};

enum expr_kind { EXPR_COLUMN, EXPR_LITERAL, EXPR_CALL };

struct expr {
    enum expr_kind kind;
    const struct type *type;
    uint32_t offset; // of its text in the statement, for messages
    uint32_t length; // 0: has none
    // COLUMN
    uint32_t column_id;
    struct str name; // for print-outs only
    // LITERAL: one row, CONST
    const struct column *value;
    // CALL
    const struct function *function;
    const struct expr *const *args;
    uint32_t arg_count;
    const struct function_options *options; // what its syntax says besides arguments; never NULL
};

struct expr_list {
    const struct expr *const *items;
    uint32_t count;
};
#define EXPR_LIST(array) ((struct expr_list){(array), sizeof(array) / sizeof *(array)})

// Makers. Names, and types that are not constants, are borrowed and must live as long as the arena.
const struct expr *expr_column(struct arena *arena, uint32_t column_id, struct str name,
                               const struct type *type);
// `value` has one row and is copied; it must fit the type.
const struct expr *expr_literal(struct arena *arena, const struct type *type,
                                const struct column *value);
const struct expr *expr_null(struct arena *arena, const struct type *type); // made nullable
const struct expr *expr_literal_boolean(struct arena *arena, bool value);
const struct expr *expr_literal_int(struct arena *arena, int32_t value);    // INT NOT NULL
const struct expr *expr_literal_bigint(struct arena *arena, int64_t value); // BIGINT NOT NULL
const struct expr *expr_literal_double(struct arena *arena, double value); // -0 becomes 0
// Of a type held as I8...I64, such as TIMESTAMP(3), DATE, DECIMAL(5, 2), INTERVAL.
const struct expr *expr_literal_i64(struct arena *arena, const struct type *type, int64_t value);
const struct expr *expr_literal_i128(struct arena *arena, const struct type *type, int128 value);
// CHAR(n) NOT NULL, n in UTF-16 units as Flink counts ('' is CHAR(0)). The text is copied.
const struct expr *expr_literal_char(struct arena *arena, struct str text);
// Of a type held as STRING. The bytes are copied.
const struct expr *expr_literal_string(struct arena *arena, const struct type *type,
                                       struct str bytes);
// The same node with another place in the statement.
const struct expr *expr_at(struct arena *arena, const struct expr *expr, uint32_t offset,
                           uint32_t length);

// A call without options: function_resolve() with casts put in. See function.h for all it can say.
MUST_USE enum status expr_call(struct arena *arena, const char *name, struct expr_list args,
                               const struct expr **out, struct err *err);
// CAST to a type as the planner needs it (set operations, sinks): `expr` itself where only
// nullability differs; fails where Flink knows no cast.
MUST_USE enum status expr_cast(struct arena *arena, const struct expr *expr,
                               const struct type *type, const struct expr **out, struct err *err);
// AND of all; NULL entries are skipped; TRUE where nothing is left.
const struct expr *expr_and(struct arena *arena, struct expr_list conditions);
// The operands of nested ANDs, in order; returns how many there are and writes at most `max`.
uint32_t expr_conjuncts(const struct expr *expr, const struct expr **out, uint32_t max);

// The least common type of all: Flink's for CASE, COALESCE, ARRAY, UNION, VALUES. NULL: none.
const struct type *expr_common_type(struct arena *arena, const struct type *const *types,
                                    uint32_t count);

// The same tree: kinds, functions, options, literals and columns. Places and names do not count.
bool expr_equal(const struct expr *a, const struct expr *b);
uint64_t expr_hash(const struct expr *expr);

// Calls `visit` for each node, parents first; stops below a node where it returns false.
void expr_walk(const struct expr *expr, bool (*visit)(const struct expr *node, void *context),
               void *context);
// A tree in which nodes are replaced: `replace` is asked for each node, children first, with the
// node as rebuilt, and returns it or another of the same type (nullability may differ).
const struct expr *expr_rewrite(struct arena *arena, const struct expr *expr,
                                const struct expr *(*replace)(struct arena *arena,
                                                              const struct expr *node,
                                                              void *context),
                                void *context);
bool expr_uses_column(const struct expr *expr, uint32_t column_id);
bool expr_is_deterministic(const struct expr *expr); // equal inputs, equal values, at any time
bool expr_is_constant(const struct expr *expr);      // without columns, and deterministic
bool expr_can_error(const struct expr *expr);
bool expr_is_literal_null(const struct expr *expr);
bool expr_is_literal_true(const struct expr *expr);

// Constant parts replaced by their values. What fails is left as it is, so that the error comes up
// only if a row asks for it.
const struct expr *expr_fold(struct arena *arena, const struct expr *expr,
                             const struct expr_settings *settings);
// The value of an expression without columns: one row, CONST, in `arena`.
MUST_USE enum status expr_evaluate(struct arena *arena, const struct expr *expr,
                                   const struct expr_settings *settings, struct column *out,
                                   struct err *err);

// As Flink's EXPLAIN writes it: (v > 3), UPPER(name), 'x':VARCHAR(3), CAST(a AS BIGINT).
void expr_print(struct strbuf *out, const struct expr *expr);
struct str expr_text(struct arena *arena, const struct expr *expr);
