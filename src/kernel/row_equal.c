// SPDX-License-Identifier: Apache-2.0
#include "kernel/row_equal.h"

#include "kernel/compare.h"

bool row_equal(struct row_equal_side a, struct row_equal_side b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (compare_values(&a.columns[i], a.row, &b.columns[i], b.row) != 0) {
            return false;
        }
    }
    return true;
}

static inline uint32_t row_at(const uint32_t *rows, uint32_t i)
{
    return rows == NULL ? i : rows[i];
}

// Equal bits of values without a reason to look closer: integers, times, strings.
static bool has_plain_equality(enum physical physical)
{
    switch (physical) {
    case PHYSICAL_BOOL:
    case PHYSICAL_I8:
    case PHYSICAL_I16:
    case PHYSICAL_I32:
    case PHYSICAL_I64:
    case PHYSICAL_I128:
    case PHYSICAL_NANO: return true;
    case PHYSICAL_F32:
    case PHYSICAL_F64:
    case PHYSICAL_STRING:
    case PHYSICAL_LIST:
    case PHYSICAL_MAP:
    case PHYSICAL_ROW: return false;
    }
    return false;
}

// Nulls count as a value of their own; values behind them are zero and code 0.
static bool nulls_differ(const struct row_equal_pairs *pairs, uint32_t i, bool *both_null)
{
    bool a_is_null = column_is_null(pairs->a, row_at(pairs->a_rows, i));
    bool b_is_null = column_is_null(pairs->b, row_at(pairs->b_rows, i));
    *both_null = a_is_null && b_is_null;
    return a_is_null != b_is_null;
}

static bool pair_differs(const struct row_equal_pairs *pairs, uint32_t i)
{
    uint32_t a_row = row_at(pairs->a_rows, i);
    uint32_t b_row = row_at(pairs->b_rows, i);
    if (!has_plain_equality(pairs->a->physical) && pairs->a->physical != PHYSICAL_STRING) {
        return compare_values(pairs->a, a_row, pairs->b, b_row) != 0;
    }
    bool both_null;
    if (nulls_differ(pairs, i, &both_null)) {
        return true;
    }
    if (both_null) {
        return false;
    }
    const void *a = column_value(pairs->a, a_row);
    const void *b = column_value(pairs->b, b_row);
    if (pairs->a->physical == PHYSICAL_STRING) {
        return !strview_equal(a, b);
    }
    return memcmp(a, b, physical_width(pairs->a->physical)) != 0;
}

// Flat columns without nulls of the usual keys.
static bool is_simple(const struct row_equal_pairs *pairs)
{
    return pairs->a->encoding == ENCODING_FLAT && pairs->b->encoding == ENCODING_FLAT &&
           pairs->a->valid == NULL && pairs->b->valid == NULL;
}

static void narrow_i64(const struct row_equal_pairs *pairs, uint64_t *equal)
{
    const int64_t *a = pairs->a->values;
    const int64_t *b = pairs->b->values;
    for (uint32_t i = 0; i < pairs->count; i++) {
        uint64_t differs = a[row_at(pairs->a_rows, i)] != b[row_at(pairs->b_rows, i)];
        equal[i / 64] &= ~(differs << (i % 64));
    }
}

static void narrow_strings(const struct row_equal_pairs *pairs, uint64_t *equal)
{
    const struct strview *a = pairs->a->values;
    const struct strview *b = pairs->b->values;
    for (uint32_t i = 0; i < pairs->count; i++) {
        uint64_t differs =
            !strview_equal(&a[row_at(pairs->a_rows, i)], &b[row_at(pairs->b_rows, i)]);
        equal[i / 64] &= ~(differs << (i % 64));
    }
}

void row_equal_narrow(const struct row_equal_pairs *pairs, uint64_t *equal)
{
    if (is_simple(pairs) && pairs->a->physical == PHYSICAL_I64) {
        narrow_i64(pairs, equal);
        return;
    }
    if (is_simple(pairs) && pairs->a->physical == PHYSICAL_STRING) {
        narrow_strings(pairs, equal);
        return;
    }
    for (uint32_t word = 0; word < bits_words(pairs->count); word++) {
        for (uint64_t left = equal[word]; left != 0; left &= left - 1) {
            uint32_t i = word * 64 + (uint32_t)__builtin_ctzll(left);
            if (pair_differs(pairs, i)) {
                bits_clear(equal, i);
            }
        }
    }
}
