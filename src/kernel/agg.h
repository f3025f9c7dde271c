// SPDX-License-Identifier: Apache-2.0
//
// agg: loops of aggregation: a column into accumulators by group, and whole columns at once.
//
// By group: row i belongs to accumulator groups[i]; `rows` says which rows count (NULL: all), nulls
// never do. Whatever is added is multiplied by the row's sign (-1 where its change retracts; NULL:
// all are +1). MIN and MAX take no signs.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/int128.h"
#include "data/column.h"

struct agg_rows {
    const uint32_t *groups; // NULL: all rows belong to group 0
    const uint64_t *rows;   // NULL: all
    const int8_t *kinds;    // changes: odd ones subtract; NULL: none do
    uint32_t row_count;
};

// counts[g] += sign for each row that counts; `column` NULL: COUNT(*).
void agg_count(const struct agg_rows *rows, const struct column *column, int64_t *counts);
// I8 … I64, wrapping at 64 bits.
void agg_sum_i64(const struct agg_rows *rows, const struct column *column, int64_t *sums);
// I8 … I128; wrapping at 128 bits: `carries[g]` (NULL: not kept) counts how often, so that
// sum + carry * 2^128 is exact.
void agg_sum_i128(const struct agg_rows *rows, const struct column *column, int128 *sums,
                  int64_t *carries);
// F32, F64, in the order of the rows.
void agg_sum_f64(const struct agg_rows *rows, const struct column *column, double *sums);
// best[g] becomes the row (of this column) with the least or greatest value of the group, in the
// order of compare.h; UINT32_MAX where no row counted. Initialised here for `group_count` groups.
void agg_extreme_rows(const struct agg_rows *rows, const struct column *column, bool is_max,
                      uint32_t *best, uint32_t group_count);
