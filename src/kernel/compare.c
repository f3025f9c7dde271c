// SPDX-License-Identifier: Apache-2.0
#include "kernel/compare.h"

#include <string.h>

#include "base/assert.h"
#include "kernel/flags_int.h"

// The only thing that differs between types: what "less" and "same" mean. NaN is the greatest
// floating value and equal to itself; -0 equals 0 as in C.
#define NUMBER(letters, type)                                                                      \
    ALWAYS_INLINE bool letters##_less(const type *a, const type *b)                                \
    {                                                                                              \
        return *a < *b;                                                                            \
    }                                                                                              \
    ALWAYS_INLINE bool letters##_same(const type *a, const type *b)                                \
    {                                                                                              \
        return *a == *b;                                                                           \
    }
#define FLOATING(letters, type)                                                                    \
    ALWAYS_INLINE bool letters##_less(const type *a, const type *b)                                \
    {                                                                                              \
        return (*a < *b) | ((*b != *b) & (*a == *a));                                              \
    }                                                                                              \
    ALWAYS_INLINE bool letters##_same(const type *a, const type *b)                                \
    {                                                                                              \
        return (*a == *b) | ((*a != *a) & (*b != *b));                                             \
    }

NUMBER(bool, uint8_t)
NUMBER(i8, int8_t)
NUMBER(i16, int16_t)
NUMBER(i32, int32_t)
NUMBER(i64, int64_t)
NUMBER(i128, int128)
FLOATING(f32, float)
FLOATING(f64, double)

ALWAYS_INLINE bool nano_less(const struct nano *a, const struct nano *b)
{
    return a->second < b->second || (a->second == b->second && a->nanosecond < b->nanosecond);
}
ALWAYS_INLINE bool nano_same(const struct nano *a, const struct nano *b)
{
    return a->second == b->second && a->nanosecond == b->nanosecond;
}
ALWAYS_INLINE bool string_less(const struct strview *a, const struct strview *b)
{
    return strview_compare(a, b) < 0;
}
ALWAYS_INLINE bool string_same(const struct strview *a, const struct strview *b)
{
    return strview_equal(a, b);
}

#define TEMPLATE "kernel/compare_tmpl.h"
#include "kernel/stamp_scalars.h"

typedef void compare_fn(enum compare_op op, bool right_is_const, const void *left,
                        const void *right, uint32_t row_count, uint64_t *out);

static compare_fn *const compare_by_type[] = {
#define X(name, c_type, letters) [PHYSICAL_##name] = letters##_compare,
    PHYSICAL_SCALAR_LIST(X)
#undef X
};

typedef int order_fn(const void *left, const void *right);

static order_fn *const order_by_type[] = {
#define X(name, c_type, letters) [PHYSICAL_##name] = letters##_order,
    PHYSICAL_SCALAR_LIST(X)
#undef X
};

enum { VALUE_MAX = 16, BLOCK_ROWS = 64 };

// a op b  ==  b mirror(op) a
static enum compare_op mirror(enum compare_op op)
{
    static const enum compare_op mirrored[] = {
        [COMPARE_EQ] = COMPARE_EQ, [COMPARE_NE] = COMPARE_NE, [COMPARE_LT] = COMPARE_GT,
        [COMPARE_LE] = COMPARE_GE, [COMPARE_GT] = COMPARE_LT, [COMPARE_GE] = COMPARE_LE,
    };
    return mirrored[op];
}

static bool is_nested(enum physical physical)
{
    return physical == PHYSICAL_LIST || physical == PHYSICAL_MAP || physical == PHYSICAL_ROW;
}

static uint64_t rows_word(const uint64_t *active, uint32_t row_count, uint32_t word)
{
    if (active != NULL) {
        return active[word];
    }
    return word + 1 == bits_words(row_count) ? bits_tail(row_count) : UINT64_MAX;
}

// Keeps what is active; moves rows with a null side from `is_true` to `is_null`.
static void apply_nulls(const struct column *left, const struct column *right,
                        const uint64_t *active, uint64_t *is_true, uint64_t *is_null)
{
    for (uint32_t word = 0; word < bits_words(left->row_count); word++) {
        uint64_t rows = rows_word(active, left->row_count, word);
        uint64_t both = column_valid_word(left, word) & column_valid_word(right, word);
        is_true[word] &= rows & both;
        is_null[word] = rows & ~both;
    }
}

// A dictionary is compared once an entry, then looked up by code.
static void compare_dict(enum compare_op op, const struct column *left, const void *constant,
                         uint64_t *out)
{
    const struct column *dict = left->dict;
    uint64_t hit[BATCH_WORDS_MAX];
    compare_by_type[left->physical](op, true, dict->values, constant, dict->row_count, hit);
    memset(out, 0, bits_words(left->row_count) * sizeof *out);
    for (uint32_t row = 0; row < left->row_count; row++) {
        uint32_t code = left->codes[row];
        out[row / 64] |= (hit[code / 64] >> (code % 64) & 1) << (row % 64);
    }
}

static void compare_one_pair(enum compare_op op, const struct column *left,
                             const struct column *right, uint64_t *out)
{
    uint64_t bit;
    compare_by_type[left->physical](op, true, left->values, right->values, 1, &bit);
    memset(out, bit != 0 ? 0xff : 0, bits_words(left->row_count) * sizeof *out);
}

// The values of `count` rows from `row` on, in place or gathered into `block`.
static const void *block_values(const struct column *column, uint32_t row, uint32_t count,
                                char *block)
{
    size_t width = physical_width(column->physical);
    const char *values = column_holder(column)->values;
    if (column->encoding == ENCODING_CONST) {
        return values;
    }
    if (column->encoding == ENCODING_FLAT) {
        return values + width * row;
    }
    for (uint32_t i = 0; i < count; i++) {
        memcpy(block + width * i, values + width * column->codes[row + i], width);
    }
    return block;
}

// Any encodings, 64 rows at a time.
static void compare_blocks(enum compare_op op, const struct column *left,
                           const struct column *right, uint64_t *out)
{
    _Alignas(16) char left_block[BLOCK_ROWS * VALUE_MAX];
    _Alignas(16) char right_block[BLOCK_ROWS * VALUE_MAX];
    bool right_is_const = right->encoding == ENCODING_CONST;
    for (uint32_t row = 0; row < left->row_count; row += BLOCK_ROWS) {
        uint32_t count = left->row_count - row < BLOCK_ROWS ? left->row_count - row : BLOCK_ROWS;
        compare_by_type[left->physical](
            op, right_is_const, block_values(left, row, count, left_block),
            block_values(right, row, count, right_block), count, out + row / 64);
    }
}

static bool holds(enum compare_op op, int order)
{
    switch (op) {
    case COMPARE_EQ: return order == 0;
    case COMPARE_NE: return order != 0;
    case COMPARE_LT: return order < 0;
    case COMPARE_LE: return order <= 0;
    case COMPARE_GT: return order > 0;
    case COMPARE_GE: return order >= 0;
    }
    return false;
}

static void compare_nested(enum compare_op op, const struct column *left,
                           const struct column *right, uint64_t *out)
{
    memset(out, 0, bits_words(left->row_count) * sizeof *out);
    for (uint32_t row = 0; row < left->row_count; row++) {
        out[row / 64] |= (uint64_t)holds(op, compare_values(left, row, right, row)) << (row % 64);
    }
}

void compare_columns(enum compare_op op, const struct column *left, const struct column *right,
                     const uint64_t *active, uint64_t *is_true, uint64_t *is_null)
{
    DASSERT(left->physical == right->physical && left->row_count == right->row_count);
    if (left->encoding == ENCODING_CONST && right->encoding != ENCODING_CONST) {
        compare_columns(mirror(op), right, left, active, is_true, is_null);
        return;
    }
    if (is_nested(left->physical)) {
        compare_nested(op, left, right, is_true);
    } else if (left->encoding == ENCODING_CONST) {
        compare_one_pair(op, left, right, is_true);
    } else if (left->encoding == ENCODING_DICT && right->encoding == ENCODING_CONST &&
               left->dict->row_count <= left->row_count) {
        compare_dict(op, left, right->values, is_true);
    } else if (left->encoding == ENCODING_FLAT && right->encoding != ENCODING_DICT) {
        compare_by_type[left->physical](op, right->encoding == ENCODING_CONST, left->values,
                                        right->values, left->row_count, is_true);
    } else {
        compare_blocks(op, left, right, is_true);
    }
    apply_nulls(left, right, active, is_true, is_null);
}

void compare_not_distinct(const struct column *left, const struct column *right,
                          const uint64_t *active, uint64_t *is_true)
{
    uint64_t is_null[BATCH_WORDS_MAX];
    ASSERT(left->row_count <= BATCH_ROWS_MAX);
    compare_columns(COMPARE_EQ, left, right, active, is_true, is_null);
    for (uint32_t word = 0; word < bits_words(left->row_count); word++) {
        uint64_t neither = ~column_valid_word(left, word) & ~column_valid_word(right, word);
        is_true[word] |= rows_word(active, left->row_count, word) & neither;
    }
}

static int compare_lists(const struct column *left, const struct list_view *left_view,
                         const struct column *right, const struct list_view *right_view)
{
    uint32_t common =
        left_view->length < right_view->length ? left_view->length : right_view->length;
    for (uint32_t i = 0; i < common; i++) {
        for (uint32_t child = 0; child < left->child_count; child++) {
            int order = compare_values(&left->children[child], left_view->offset + i,
                                       &right->children[child], right_view->offset + i);
            if (order != 0) {
                return order;
            }
        }
    }
    return (left_view->length > right_view->length) - (left_view->length < right_view->length);
}

// Whether each entry of one map is in the other. Keys are distinct, so equal sizes and one
// direction suffice.
static bool maps_are_equal(const struct column *left, const struct list_view *left_view,
                           const struct column *right, const struct list_view *right_view)
{
    for (uint32_t i = 0; i < left_view->length; i++) {
        bool found = false;
        for (uint32_t j = 0; j < right_view->length && !found; j++) {
            found = compare_values(&left->children[0], left_view->offset + i, &right->children[0],
                                   right_view->offset + j) == 0 &&
                    compare_values(&left->children[1], left_view->offset + i, &right->children[1],
                                   right_view->offset + j) == 0;
        }
        if (!found) {
            return false;
        }
    }
    return true;
}

static int compare_maps(const struct column *left, const struct list_view *left_view,
                        const struct column *right, const struct list_view *right_view)
{
    if (left_view->length == right_view->length &&
        maps_are_equal(left, left_view, right, right_view)) {
        return 0;
    }
    int order = compare_lists(left, left_view, right, right_view);
    return order != 0 ? order : 1;
}

int compare_values(const struct column *left, uint32_t left_row, const struct column *right,
                   uint32_t right_row)
{
    bool left_is_null = column_is_null(left, left_row);
    bool right_is_null = column_is_null(right, right_row);
    if (left_is_null || right_is_null) {
        return right_is_null - left_is_null;
    }
    if (left->physical == PHYSICAL_ROW) {
        const struct column *left_holder = column_holder(left);
        const struct column *right_holder = column_holder(right);
        for (uint32_t child = 0; child < left_holder->child_count; child++) {
            int order = compare_values(&left_holder->children[child], column_at(left, left_row),
                                       &right_holder->children[child], column_at(right, right_row));
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }
    const void *left_value = column_value(left, left_row);
    const void *right_value = column_value(right, right_row);
    if (left->physical == PHYSICAL_LIST) {
        return compare_lists(column_holder(left), left_value, column_holder(right), right_value);
    }
    if (left->physical == PHYSICAL_MAP) {
        return compare_maps(column_holder(left), left_value, column_holder(right), right_value);
    }
    return order_by_type[left->physical](left_value, right_value);
}
