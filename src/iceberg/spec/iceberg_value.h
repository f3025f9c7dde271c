// SPDX-License-Identifier: Apache-2.0
//
// iceberg_value: one value of a primitive type: a partition field, a bound, a default.
//
//   boolean … date, time, timestamps   as.i64 (days, us; ns for the _ns types)
//   float, double                      as.f64
//   decimal                            as.i128, unscaled
//   string, uuid, fixed, binary        as.bytes, borrowed from where they come
//
// The type is known to whoever holds the value. Equality and hash are those of partition tuples in
// Java: all NaN are one value, -0.0 is not 0.0 (engine.md section 5).
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/int128.h"
#include "base/str.h"

struct arena;
struct column;
struct iceberg_type;
struct json_tree;
struct strbuf;

struct iceberg_value {
    bool is_null;
    union {
        int64_t i64;
        double f64;
        int128 i128;
        struct str bytes;
    } as;
};

bool iceberg_value_equal(const struct iceberg_type *type, const struct iceberg_value *a,
                         const struct iceberg_value *b);
uint64_t iceberg_value_hash(const struct iceberg_type *type, const struct iceberg_value *value);
// Appends bytes that are equal for equal values, also of a type and one that it is promoted to.
void iceberg_value_add_key(struct strbuf *out, const struct iceberg_type *type,
                           const struct iceberg_value *value);
// The order of the type, not for nulls; -0.0 before 0.0, NaN last.
int iceberg_value_compare(const struct iceberg_type *type, const struct iceberg_value *a,
                          const struct iceberg_value *b);
bool iceberg_value_is_nan(const struct iceberg_type *type, const struct iceberg_value *value);
// A copy whose bytes are in `arena`.
struct iceberg_value iceberg_value_copy(struct arena *arena, const struct iceberg_type *type,
                                        const struct iceberg_value *value);

// Single-value serialization (Iceberg spec, appendix D), not for nulls. What needs bytes of its own
// gets them from `arena`; strings are borrowed.
struct str iceberg_value_encode(struct arena *arena, const struct iceberg_type *type,
                                const struct iceberg_value *value);
// Also what was written before a promotion: 4 bytes for a long or double, days for a timestamp.
MUST_USE enum status iceberg_value_decode(const struct iceberg_type *type, struct str bytes,
                                          struct iceberg_value *out, struct err *err);
// The minimal big-endian two's complement of a decimal; returns its length, 1 to 16.
uint32_t iceberg_value_decimal_bytes(int128 unscaled, unsigned char out[16]);

// The JSON form of single values (same appendix).
MUST_USE enum status iceberg_value_from_json(struct arena *arena, const struct iceberg_type *type,
                                             const struct json_tree *json,
                                             struct iceberg_value *out, struct err *err);
// As Java shows a value in partition paths, not encoded for them: "2017-11-16", "null".
void iceberg_value_print(struct strbuf *out, const struct iceberg_type *type,
                         const struct iceberg_value *value);

// The value of a row, strings borrowed from the column (short ones from its views). The column is
// of the physical form that iceberg_type_to_sql() names for the type.
struct iceberg_value iceberg_value_of_row(const struct iceberg_type *type,
                                          const struct column *column, uint32_t row);
// `row_count` times the value, CONST, in `arena`. Primitive types only.
struct column iceberg_value_column(struct arena *arena, const struct iceberg_type *type,
                                   const struct iceberg_value *value, uint32_t row_count);

// "2017-11-16" for days since the epoch, years of any sign.
void iceberg_value_print_date(struct strbuf *out, int64_t days);
