// SPDX-License-Identifier: Apache-2.0
//
// transform: the partition transforms of Iceberg (Iceberg spec, "Partition Transforms", appendix
// B).
//
// Null in, null out. Temporal transforms are floors: 1969-12-31 is day -1. bucket is
// (murmur3(value) & INT_MAX) % N; ints, longs, dates, times and timestamps are hashed as 8 bytes
// (for date the spec's text says 4, its test vector says 8). truncate of strings counts code
// points.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "iceberg/spec/iceberg_value.h"

struct arena;
struct column;
struct iceberg_type;
struct strbuf;

enum transform_kind {
    TRANSFORM_IDENTITY,
    TRANSFORM_BUCKET,
    TRANSFORM_TRUNCATE,
    TRANSFORM_YEAR,
    TRANSFORM_MONTH,
    TRANSFORM_DAY,
    TRANSFORM_HOUR,
    TRANSFORM_VOID,
    TRANSFORM_UNKNOWN, // of a later version: its values are kept, nothing is derived from them
};

struct transform {
    enum transform_kind kind;
    int32_t parameter; // of BUCKET and TRUNCATE
    struct str text;   // of UNKNOWN, as written; borrowed
};

// "bucket[16]", "day", …; never fails: what is not known is UNKNOWN.
struct transform transform_parse(struct str text);
void transform_print(struct strbuf *out, const struct transform *transform);
void transform_print_json(struct strbuf *out, const struct transform *transform); // in quotes
bool transform_equal(const struct transform *a, const struct transform *b);

// VALIDATE error where the transform cannot be applied to the type.
MUST_USE enum status transform_check(const struct transform *transform,
                                     const struct iceberg_type *source, struct err *err);
const struct iceberg_type *transform_result(const struct transform *transform,
                                            const struct iceberg_type *source);
// Whether a < b implies f(a) <= f(b), so that ranges can be pruned.
bool transform_keeps_order(const struct transform *transform);

// Bytes of the result are borrowed from the value, but for truncated decimals there are none.
struct iceberg_value transform_apply(const struct transform *transform,
                                     const struct iceberg_type *source,
                                     const struct iceberg_value *value);
// For all rows of a column; `out` has room for column->row_count values. A CONST or DICT column is
// evaluated once per entry.
void transform_column(const struct transform *transform, const struct iceberg_type *source,
                      const struct column *column, struct iceberg_value *out);
// As Java shows a partition value: "2017-11" for a month; not encoded for paths.
void transform_print_value(struct strbuf *out, const struct transform *transform,
                           const struct iceberg_type *source, const struct iceberg_value *value);
