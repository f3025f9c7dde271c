// SPDX-License-Identifier: Apache-2.0
//
// ordered_key: reading the keys of ordered tables, which kernel/order.h makes.
//
// A key is the values of some columns, one behind the other, so that keys with the same first
// values have a common prefix: a group is the range from its prefix to ordered_key_successor() of
// it.
#pragma once

#include "base/err.h"
#include "data/column.h"
#include "kernel/order.h"

struct arena;

// Where the value that begins at `offset` ends; 0 where the bytes are no such value. Scalars only.
size_t ordered_key_skip(struct str key, size_t offset, enum physical physical,
                        struct order_column order);
// The values at offsets[i] of keys[i] as a FLAT column in `arena`. Scalars only. INVALID_DATA where
// the bytes are no such values.
MUST_USE enum status ordered_key_decode(const struct str *keys, const size_t *offsets,
                                        uint32_t count, enum physical physical,
                                        struct order_column order, struct arena *arena,
                                        struct column *out, struct err *err);
// Makes of `prefix` the least bytes that are greater than all that begin with it; returns their
// length, 0 where there are none.
size_t ordered_key_successor(char *prefix, size_t size);
