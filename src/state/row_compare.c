// SPDX-License-Identifier: Apache-2.0
//
// row_compare: keys of rows against columns and against each other.
#include <math.h>

#include "base/arena.h"
#include "state/row_layout.h"
#include "state/row_layout_int.h"
#include "state/row_value.h"

ALWAYS_INLINE bool f64_equal(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

ALWAYS_INLINE bool f32_equal(float a, float b)
{
    return a == b || (isnan(a) && isnan(b));
}

ALWAYS_INLINE bool fixed_equal(enum physical physical, const char *a, const char *b)
{
    if (physical == PHYSICAL_F64) {
        double x, y;
        memcpy(&x, a, 8);
        memcpy(&y, b, 8);
        return f64_equal(x, y);
    }
    if (physical == PHYSICAL_F32) {
        float x, y;
        memcpy(&x, a, 4);
        memcpy(&y, b, 4);
        return f32_equal(x, y);
    }
    return memcmp(a, b, physical_width(physical)) == 0;
}

static bool nested_equal(struct str stored, const struct column *column, uint32_t at)
{
    struct arena arena;
    if (stored.size != row_value_size(column, at)) {
        return false;
    }
    arena_init(&arena);
    char *bytes = arena_alloc(&arena, stored.size);
    row_value_write(column, at, bytes);
    bool equal = memcmp(bytes, stored.ptr, stored.size) == 0;
    arena_release(&arena);
    return equal;
}

// Of non-null values.
static bool value_equal(const struct row_layout *layout, const struct row *row, uint32_t at,
                        const struct column *column, uint32_t from)
{
    const struct row_field *field = &layout->fields[at];
    if (field->is_nested) {
        return nested_equal(row_string(layout, row, at), column, from);
    }
    const char *value = column_value(column, from);
    if (field->physical == PHYSICAL_STRING) {
        if (memcmp((const char *)row + field->offset, value, 8) != 0) { // size and prefix
            return false;
        }
        struct str stored = row_string(layout, row, at);
        const char *bytes = strview_ptr((const struct strview *)(const void *)value);
        return memcmp(stored.ptr, bytes, stored.size) == 0;
    }
    return fixed_equal(field->physical, (const char *)row + field->offset, value);
}

bool row_layout_keys_equal(const struct row_layout *layout, const struct row *row,
                           const struct column *keys, uint32_t at)
{
    for (uint32_t i = 0; i < layout->key_count; i++) {
        bool is_null = column_is_null(&keys[i], at);
        if (is_null != row_is_null(layout, row, i) ||
            (!is_null && !value_equal(layout, row, i, &keys[i], at))) {
            return false;
        }
    }
    return true;
}

bool row_layout_rows_equal(const struct row_layout *layout, const struct row *a,
                           const struct row *b)
{
    for (uint32_t i = 0; i < layout->key_count; i++) {
        const struct row_field *field = &layout->fields[i];
        bool is_null = row_is_null(layout, a, i);
        if (is_null != row_is_null(layout, b, i)) {
            return false;
        }
        if (is_null) {
            continue;
        }
        if (field->physical == PHYSICAL_STRING) {
            if (!str_equal(row_string(layout, a, i), row_string(layout, b, i))) {
                return false;
            }
        } else if (!fixed_equal(field->physical, (const char *)a + field->offset,
                                (const char *)b + field->offset)) {
            return false;
        }
    }
    return true;
}

// --- many at once ------------------------------------------------------------------------------

// Words and halves compare as bits; floating point, strings and nested values value by value. Null
// fields have the zero value, so validity is compared besides: here that the row's field has a
// value.
#define NARROW(type)                                                                               \
    for (uint32_t i = 0; i < count; i++) {                                                         \
        type a, b;                                                                                 \
        memcpy(&a, (const char *)rows[i] + offset, sizeof a);                                      \
        memcpy(&b, values + (size_t)at[i] * sizeof b, sizeof b);                                   \
        uint8_t valid = *((const uint8_t *)rows[i] + valid_at) & valid_bit;                        \
        equal[i] &= (uint8_t)((a == b) & (valid != 0));                                            \
    }

// For columns without nulls.
static void narrow_fixed(const struct row_layout *layout, uint32_t field, struct row *const *rows,
                         const char *values, const struct row_match *match)
{
    uint32_t count = match->count;
    uint32_t offset = layout->fields[field].offset;
    uint32_t valid_at = layout->valid_offset + field / 8;
    uint8_t valid_bit = (uint8_t)(1 << (field % 8));
    const uint16_t *at = match->at;
    uint8_t *equal = match->equal;
    switch (physical_width(layout->fields[field].physical)) {
    case 1: NARROW(uint8_t); break;
    case 2: NARROW(uint16_t); break;
    case 4: NARROW(uint32_t); break;
    case 8: NARROW(uint64_t); break;
    default: NARROW(int128); break;
    }
}

static bool is_plain(const struct row_field *field, const struct column *column)
{
    return column->encoding == ENCODING_FLAT && column->valid == NULL &&
           field->physical != PHYSICAL_STRING && field->physical != PHYSICAL_F32 &&
           field->physical != PHYSICAL_F64;
}

void row_compare_many(const struct row_layout *layout, struct row *const *rows,
                      const struct column *keys, const struct row_match *match)
{
    for (uint32_t k = 0; k < layout->key_count; k++) {
        const struct row_field *field = &layout->fields[k];
        const struct column *column = &keys[k];
        if (is_plain(field, column)) {
            narrow_fixed(layout, k, rows, column->values, match);
            continue;
        }
        for (uint32_t i = 0; i < match->count; i++) {
            bool is_null = column_is_null(column, match->at[i]);
            match->equal[i] &= is_null == row_is_null(layout, rows[i], k);
            if (match->equal[i] && !is_null) {
                match->equal[i] = value_equal(layout, rows[i], k, column, match->at[i]);
            }
        }
    }
}
