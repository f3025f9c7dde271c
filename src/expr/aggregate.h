// SPDX-License-Identifier: Apache-2.0
//
// aggregate: aggregate functions as data: their result types, and accumulators that are plain bytes
// inside a row of state.
//
// An accumulator is an image of `size` bytes at an `offset` that the operator chooses inside its
// own row. All zero bytes is the accumulator of no rows. The image holds no pointers and needs no
// alignment; it may be copied, spilled and restored as bytes. Its slots:
//
//     COUNT(*), COUNT(x)      count I64                          rows, non-null rows
//     SUM (integers)          sum I64, count I64                 wraps at the argument's width
//     SUM (FLOAT, DOUBLE)     sum F64, count I64
//     SUM (DECIMAL)           sum I128, carry I64, count I64     exact beyond 128 bits, so that an
//                                                                overflow that is retracted is gone
//     AVG                     as SUM of the wider type
//     MIN, MAX                value (the argument's form), count I64    insert-only
//     MIN, MAX of STRING      handle I64, count I64              value kept by struct
//                                                                aggregate_strings
//     FIRST_VALUE, LAST_VALUE as MIN, MAX                        insert-only, in arrival order
//
// SUM, AVG and FIRST/LAST/MIN/MAX are NULL while count is 0. Counts are signed and may pass through
// negatives while changes arrive out of order.
//
// Retraction: rows with odd kinds are subtracted where `is_retractable`. Others need an ordered
// table (group, value -> count) of the operator's, which then answers without these accumulators.
// DISTINCT and FILTER are the operator's: it passes the rows that count in `active`.
//
// Functions here are pure over what they are given: any thread, one at a time per accumulator.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "data/column.h"
#include "data/type.h"

struct arena;
struct strbuf;

enum { AGGREGATE_SLOTS_MAX = 4 };

#define AGGREGATE_LIST(X)                                                                          \
    X(COUNT_STAR, "COUNT", "the number of rows")                                                   \
    X(COUNT, "COUNT", "the number of rows in which the argument is not null")                      \
    X(SUM, "SUM", "the sum of the values that are not null; NULL if there are none")               \
    X(SUM0, "$SUM0", "the sum of the values that are not null; 0 if there are none")               \
    X(MIN, "MIN", "the least value")                                                               \
    X(MAX, "MAX", "the greatest value")                                                            \
    X(AVG, "AVG", "the mean of the values that are not null")                                      \
    X(FIRST_VALUE, "FIRST_VALUE", "the first value that arrived")                                  \
    X(LAST_VALUE, "LAST_VALUE", "the last value that arrived")                                     \
    X(SINGLE_VALUE, "SINGLE_VALUE", "the value of the only row; more than one row is an error")

enum aggregate_kind {
#define X(name, sql, doc) AGGREGATE_##name,
    AGGREGATE_LIST(X)
#undef X
};

// Where variable bytes of accumulators live: filled in by the operator. A handle is any non-zero
// number; 0 means "none".
struct aggregate_strings {
    void *context;
    struct str (*get)(void *context, uint64_t handle); // borrowed until the next put
    // Keeps a copy of `bytes` in place of `old` (0: nothing yet) and returns its handle.
    uint64_t (*put)(void *context, uint64_t old, struct str bytes);
};

// A bound aggregate: what it computes and how its image looks. Immutable, in the plan's arena.
struct aggregate {
    enum aggregate_kind kind;
    const struct type *argument; // NULL for COUNT(*)
    const struct type *type;     // of the result
    bool is_retractable;         // takes -U and -D by itself
    bool needs_strings;          // its value lives in struct aggregate_strings
    uint32_t size;               // of the image, a multiple of 8
    uint32_t slot_count;
    enum physical slots[AGGREGATE_SLOTS_MAX];
    uint32_t offsets[AGGREGATE_SLOTS_MAX]; // of the slots, in the image
};

// The aggregate `name` over `argument` (NULL: *). Result types as in Flink: COUNT is BIGINT NOT
// NULL; SUM keeps the type of integers (and wraps), DECIMAL(p, s) gives DECIMAL(38, s); AVG keeps
// integers (and cuts), DECIMAL(p, s) gives DECIMAL(38, max(6, s)). `is_nullable`: the group may be
// empty (no GROUP BY), which matters for none of today's: all but COUNT are nullable anyway.
MUST_USE enum status aggregate_resolve(struct arena *arena, struct str name,
                                       const struct type *argument, const struct aggregate **out,
                                       struct err *err);
bool aggregate_exists(struct str name); // any case
const char *aggregate_name(enum aggregate_kind kind);
bool aggregate_equal(const struct aggregate *a, const struct aggregate *b);

// The rows of one call: row i goes to the image at images[i] + offset.
struct aggregate_rows {
    char *const *images;
    uint32_t offset;
    uint32_t row_count;
    bool is_one;                             // all images are the same: a faster way
    const int8_t *kinds;                     // NULL: all are inserts
    const uint64_t *active;                  // NULL: all rows
    const struct aggregate_strings *strings; // where needs_strings
};

// Adds rows (subtracts retractions). `argument` is NULL for COUNT(*). INVALID_DATA only for
// SINGLE_VALUE with a second row.
MUST_USE enum status aggregate_accumulate(const struct aggregate *aggregate,
                                          const struct column *argument,
                                          const struct aggregate_rows *rows, struct err *err);
// Adds accumulator from[i] to images[i], both at `offset`; strings of `from` are read through
// `from_strings`.
MUST_USE enum status aggregate_merge(const struct aggregate *aggregate,
                                     const struct aggregate_rows *rows, const char *const *from,
                                     const struct aggregate_strings *from_strings, struct err *err);
// The results of row_count images as a FLAT column in `arena`.
struct column aggregate_result(const struct aggregate *aggregate, const struct aggregate_rows *rows,
                               struct arena *arena);

// COUNT(*), SUM(amount): `argument` is the text of the argument.
void aggregate_print(struct strbuf *out, const struct aggregate *aggregate, struct str argument);
