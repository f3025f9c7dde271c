// SPDX-License-Identifier: Apache-2.0
//
// compare: which rows satisfy `left op right`.
//
// The result is two masks of one bit a row, since SQL's comparison has three outcomes: `is_true`,
// and `is_null` where a side is null. The bits of rows that are false are 0 in both. Only rows in
// `active` are meant; the others come out 0.
//
// Order: NaN = NaN, and NaN is greater than all other values; -0 = 0 (fixtures/flink-answers,
// numeric_edges). Strings go by bytes, FALSE < TRUE. Lists, maps and rows can be tested for
// equality only; maps are equal when their entries are, in any order.
//
// Encodings on either side are kept: constants and dictionaries are compared once an entry.
// Cost: about 0.3 ns a row for flat 8-byte values; one value each for two CONST sides.
#pragma once

#include "base/err.h"
#include "data/column.h"

enum compare_op { COMPARE_EQ, COMPARE_NE, COMPARE_LT, COMPARE_LE, COMPARE_GT, COMPARE_GE };

// Both sides have the same physical type and row count. `active` (NULL: all), `is_true`, `is_null`:
// bits_words(row_count) words, caller's; the results may not overlap the inputs.
void compare_columns(enum compare_op op, const struct column *left, const struct column *right,
                     const uint64_t *active, uint64_t *is_true, uint64_t *is_null);
// IS NOT DISTINCT FROM: null equals null, never null itself.
void compare_not_distinct(const struct column *left, const struct column *right,
                          const uint64_t *active, uint64_t *is_true);

// Two values, of any physical type, as ORDER BY sees them: nulls are less than all values. <0, 0,
// >0. Lists and rows go element by element.
int compare_values(const struct column *left, uint32_t left_row, const struct column *right,
                   uint32_t right_row);
