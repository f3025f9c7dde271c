// SPDX-License-Identifier: Apache-2.0
//
// Sums have a fast way (flat, all rows, no retractions) and a general one, row by row over those
// that count. Integers are added as unsigned, so that wrapping is defined.
#include "kernel/agg.h"

#include "base/compiler.h"
#include "kernel/compare.h"

#define T int8_t
#define SUM uint64_t
#define NAME(stem) i8_##stem
#include "kernel/agg_tmpl.h"
#undef T
#undef NAME

#define T int16_t
#define NAME(stem) i16_##stem
#include "kernel/agg_tmpl.h"
#undef T
#undef NAME

#define T int32_t
#define NAME(stem) i32_##stem
#include "kernel/agg_tmpl.h"
#undef T
#undef NAME

#define T int64_t
#define NAME(stem) i64_##stem
#include "kernel/agg_tmpl.h"
#undef T
#undef SUM
#undef NAME

#define T double
#define SUM double
#define NAME(stem) f64_##stem
#include "kernel/agg_tmpl.h"
#undef T
#undef SUM
#undef NAME

#define T float
#define SUM double
#define NAME(stem) f32_##stem
#include "kernel/agg_tmpl.h"
#undef T
#undef SUM
#undef NAME

// The rows of word `word` that count.
static uint64_t counted_word(const struct agg_rows *rows, const struct column *column,
                             uint32_t word)
{
    uint64_t bits =
        word + 1 == bits_words(rows->row_count) ? bits_tail(rows->row_count) : UINT64_MAX;
    bits &= rows->rows == NULL ? UINT64_MAX : rows->rows[word];
    return bits & (column == NULL ? UINT64_MAX : column_valid_word(column, word));
}

static inline uint32_t group_of(const struct agg_rows *rows, uint32_t row)
{
    return rows->groups == NULL ? 0 : rows->groups[row];
}

static inline int64_t sign_of(const struct agg_rows *rows, uint32_t row)
{
    return rows->kinds == NULL ? 1 : 1 - 2 * (rows->kinds[row] & 1);
}

static bool is_plain(const struct agg_rows *rows, const struct column *column)
{
    return column->encoding == ENCODING_FLAT && rows->rows == NULL && rows->kinds == NULL;
}

void agg_count(const struct agg_rows *rows, const struct column *column, int64_t *counts)
{
    for (uint32_t word = 0; word < bits_words(rows->row_count); word++) {
        uint64_t bits = counted_word(rows, column, word);
        if (rows->groups == NULL && rows->kinds == NULL) {
            counts[0] += __builtin_popcountll(bits);
            continue;
        }
        for (; bits != 0; bits &= bits - 1) {
            uint32_t row = word * 64 + (uint32_t)__builtin_ctzll(bits);
            counts[group_of(rows, row)] += sign_of(rows, row);
        }
    }
}

static int64_t load_i64(const struct column *column, uint32_t row)
{
    const void *value = column_value(column, row);
    switch (physical_width(column->physical)) {
    case 1: return *(const int8_t *)value;
    case 2: return *(const int16_t *)value;
    case 4: return *(const int32_t *)value;
    default: return *(const int64_t *)value;
    }
}

static void sum_plain_i64(const struct agg_rows *rows, const struct column *column, uint64_t *sums)
{
#define SUM_OF(letters)                                                                            \
    if (rows->groups == NULL) {                                                                    \
        sums[0] = letters##_total(sums[0], column->values, rows->row_count);                       \
    } else {                                                                                       \
        letters##_by_group(column->values, rows->groups, rows->row_count, sums);                   \
    }                                                                                              \
    return
    switch (physical_width(column->physical)) {
    case 1: SUM_OF(i8);
    case 2: SUM_OF(i16);
    case 4: SUM_OF(i32);
    default: SUM_OF(i64);
    }
#undef SUM_OF
}

void agg_sum_i64(const struct agg_rows *rows, const struct column *column, int64_t *sums)
{
    uint64_t *wrapping = (uint64_t *)sums; // signed and unsigned may alias
    if (is_plain(rows, column)) {
        sum_plain_i64(rows, column, wrapping);
        return;
    }
    for (uint32_t word = 0; word < bits_words(rows->row_count); word++) {
        for (uint64_t bits = counted_word(rows, column, word); bits != 0; bits &= bits - 1) {
            uint32_t row = word * 64 + (uint32_t)__builtin_ctzll(bits);
            wrapping[group_of(rows, row)] +=
                (uint64_t)load_i64(column, row) * (uint64_t)sign_of(rows, row);
        }
    }
}

// One more value; `carries` may be NULL.
ALWAYS_INLINE void add_i128(int128 *sums, int64_t *carries, uint32_t group, int128 value)
{
    if (__builtin_add_overflow(sums[group], value, &sums[group]) && carries != NULL) {
        carries[group] += value < 0 ? -1 : 1;
    }
}

void agg_sum_i128(const struct agg_rows *rows, const struct column *column, int128 *sums,
                  int64_t *carries)
{
    if (is_plain(rows, column) && column->physical == PHYSICAL_I64) {
        const int64_t *values = column->values;
        for (uint32_t row = 0; row < rows->row_count; row++) {
            add_i128(sums, carries, group_of(rows, row), values[row]);
        }
        return;
    }
    for (uint32_t word = 0; word < bits_words(rows->row_count); word++) {
        for (uint64_t bits = counted_word(rows, column, word); bits != 0; bits &= bits - 1) {
            uint32_t row = word * 64 + (uint32_t)__builtin_ctzll(bits);
            int128 value = column->physical == PHYSICAL_I128
                               ? *(const int128 *)column_value(column, row)
                               : load_i64(column, row);
            add_i128(sums, carries, group_of(rows, row), value * sign_of(rows, row));
        }
    }
}

void agg_sum_f64(const struct agg_rows *rows, const struct column *column, double *sums)
{
    bool is_f32 = column->physical == PHYSICAL_F32;
    if (is_plain(rows, column) && rows->groups != NULL) {
        if (is_f32) {
            f32_by_group(column->values, rows->groups, rows->row_count, sums);
        } else {
            f64_by_group(column->values, rows->groups, rows->row_count, sums);
        }
        return;
    }
    if (is_plain(rows, column)) {
        sums[0] = is_f32 ? f32_total(sums[0], column->values, rows->row_count)
                         : f64_total(sums[0], column->values, rows->row_count);
        return;
    }
    for (uint32_t word = 0; word < bits_words(rows->row_count); word++) {
        for (uint64_t bits = counted_word(rows, column, word); bits != 0; bits &= bits - 1) {
            uint32_t row = word * 64 + (uint32_t)__builtin_ctzll(bits);
            const void *value = column_value(column, row);
            double number = is_f32 ? (double)*(const float *)value : *(const double *)value;
            sums[group_of(rows, row)] += number * (double)sign_of(rows, row);
        }
    }
}

void agg_extreme_rows(const struct agg_rows *rows, const struct column *column, bool is_max,
                      uint32_t *best, uint32_t group_count)
{
    for (uint32_t group = 0; group < group_count; group++) {
        best[group] = UINT32_MAX;
    }
    for (uint32_t word = 0; word < bits_words(rows->row_count); word++) {
        for (uint64_t bits = counted_word(rows, column, word); bits != 0; bits &= bits - 1) {
            uint32_t row = word * 64 + (uint32_t)__builtin_ctzll(bits);
            uint32_t *best_row = &best[group_of(rows, row)];
            if (*best_row == UINT32_MAX) {
                *best_row = row;
                continue;
            }
            int order = compare_values(column, row, column, *best_row);
            *best_row = (is_max ? order > 0 : order < 0) ? row : *best_row;
        }
    }
}
