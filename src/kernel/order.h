// SPDX-License-Identifier: Apache-2.0
//
// order: keys as bytes whose memcmp() order is the order of the rows, for ordered state and
// sorting.
//
// Layout, a column after the other: one byte for null (NULLS FIRST: 0, values 1; LAST: values 1,
// null 2), nothing after it where it is null; then
//
//     BOOL, I8 … I128   big endian, sign bit flipped
//     NANO              second as I64, nanosecond as 4 bytes
//     F32, F64          big endian; negative: all bits flipped, else the sign bit; -0 as 0, one
//                       NaN, the greatest
//     STRING            bytes, 00 written as 00 FF, and 00 01 at the end
//     ROW               its fields
//     LIST, MAP         02 before each element or entry, 01 at the end
//
// DESC flips every byte of the column behind the null byte. No key is a prefix of another of the
// same columns, so more columns may follow.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "data/column.h"

struct arena;

struct order_column {
    bool is_descending;
    bool nulls_first; // SQL's default here: ascending first, descending last
};

struct order_keys {
    uint32_t count;
    const uint32_t *offsets; // count + 1: key i is bytes[offsets[i]] … bytes[offsets[i + 1] - 1]
    const uint8_t *bytes;
};

struct order_spec {
    const struct order_column *orders;
    uint32_t count;
};

// The keys of `columns` (spec->count of them), row by row, in `arena`. LIMIT where they are 4 GiB
// or more together.
MUST_USE enum status order_encode(struct arena *arena, const struct column *columns,
                                  const struct order_spec *spec, struct order_keys *out,
                                  struct err *err);
// The rows of `keys` in ascending order, stable: positions[0] is the first. `positions` has
// keys->count elements.
void order_sort(struct arena *arena, const struct order_keys *keys, uint32_t *positions);
// The order of two rows without keys; <0, 0, >0.
struct order_row {
    const struct column *columns; // spec->count
    uint32_t row;
};
int order_compare(const struct order_spec *spec, struct order_row a, struct order_row b);
