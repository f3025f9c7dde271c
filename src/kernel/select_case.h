// SPDX-License-Identifier: Apache-2.0
//
// select_case: one column put together from several, row by row (CASE, COALESCE, IF, joins).
#pragma once

#include <stdint.h>

#include "data/column.h"

struct arena;

// One branch: the rows of `mask` take their values from `column`.
struct select_case {
    const struct column *column;
    const uint64_t *mask; // bits_words(row_count) words; NULL: all rows that are left
};

// Earlier branches win; rows without a branch are null. All columns have the same physical form and
// row_count rows. A single branch that takes all rows is passed on as it is; branches of constants
// become a dictionary.
struct column select_case_blend(struct arena *arena, const struct select_case *cases,
                                uint32_t count, uint32_t row_count);
