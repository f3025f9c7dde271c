// SPDX-License-Identifier: Apache-2.0
//
// ordered_key: values as bytes whose order under memcmp is the order of the values, one value after
// the other, so that a key of several columns sorts by the first, then by the second.
//
// Each value: a byte for null (0: null first, 1: a value, 2: null last), then the value, big-endian
// with the sign bit turned; floating point with -0 as 0 and NaN above all; strings with 0 as 0 255 and
// 0 0 at the end. Descending: all its bytes inverted. decode() gives the values back.
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "data/column.h"

struct arena;

struct ordered_key_order {
    bool is_descending;
    bool nulls_first;
};

// Appends the value of `row`.
void ordered_key_add(struct strbuf *out, const struct column *column, uint32_t row,
                     struct ordered_key_order order);
// The end of the value that begins at `offset`: keys with the same first values share a prefix.
// 0 where the bytes are no such value.
size_t ordered_key_skip(struct str key, size_t offset, enum physical physical,
                        struct ordered_key_order order);
// The values at the offsets given of `count` keys, as a FLAT column in `arena`.
MUST_USE enum status ordered_key_decode(const struct str *keys, const size_t *offsets,
                                        uint32_t count, enum physical physical,
                                        struct ordered_key_order order, struct arena *arena,
                                        struct column *out, struct err *err);
// The least key that is greater than every key with the prefix `prefix`, in place: its length
// afterwards; 0: there is none.
size_t ordered_key_successor(char *prefix, size_t size);
