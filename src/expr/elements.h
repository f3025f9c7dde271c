// SPDX-License-Identifier: Apache-2.0
//
// elements: single values inside of arrays and maps.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "data/column.h"
#include "data/type.h"

struct arena;

// Values at[0] ... of a child of any length, FLAT; UINT32_MAX is a null. `row_count` at most
// BATCH_ROWS_MAX.
struct column elements_pick(struct arena *arena, const struct type *type,
                            const struct column *child, const uint32_t *at, uint32_t row_count);

// Equal as array functions compare: null equals null, NaN nothing.
bool elements_equal(const struct column *a, uint32_t a_row, const struct column *b, uint32_t b_row);
// Where a key stands among [from, from + length) of `keys`; UINT32_MAX: nowhere. The last wins.
uint32_t elements_find(const struct column *keys, uint32_t from, uint32_t length,
                       const struct column *key, uint32_t key_row);
