// SPDX-License-Identifier: Apache-2.0
//
// The loops of agg.c for one type of value. Included once a type of value and sum, with T (value),
// SUM (accumulator), and NAME(stem) defined. A null row has the value zero, so that sums run over
// nulls without looking.

// The whole column on top of one accumulator.
static SUM NAME(total)(SUM sum, const T *values, uint32_t row_count)
{
    for (uint32_t row = 0; row < row_count; row++) {
        sum += (SUM)values[row];
    }
    return sum;
}

static void NAME(by_group)(const T *values, const uint32_t *groups, uint32_t row_count, SUM *sums)
{
    for (uint32_t row = 0; row < row_count; row++) {
        sums[groups[row]] += (SUM)values[row];
    }
}
