// SPDX-License-Identifier: Apache-2.0
#include "expr/elements.h"

#include <string.h>

#include "base/arena.h"
#include "data/column_builder.h"
#include "kernel/compare.h"

static struct column pick_nested(struct arena *arena, const struct type *type,
                                 const struct column *child, const uint32_t *at, uint32_t row_count)
{
    struct column_builder *builder = column_builder_new(arena, type, row_count);
    for (uint32_t row = 0; row < row_count; row++) {
        if (at[row] == UINT32_MAX) {
            column_builder_null(builder);
        } else {
            column_builder_value(builder, child, at[row]);
        }
    }
    return column_builder_finish(builder);
}

struct column elements_pick(struct arena *arena, const struct type *type,
                            const struct column *child, const uint32_t *at, uint32_t row_count)
{
    if (child->physical >= PHYSICAL_LIST) {
        return pick_nested(arena, type, child, at, row_count);
    }
    size_t width = physical_width(child->physical);
    char *values = arena_zalloc(arena, width * (row_count + 1));
    uint64_t *valid = arena_new_array(arena, uint64_t, bits_words(row_count) + 1);
    for (uint32_t row = 0; row < row_count; row++) {
        if (at[row] != UINT32_MAX && !column_is_null(child, at[row])) {
            memcpy(values + width * row, column_value(child, at[row]), width);
            bits_set(valid, row);
        }
    }
    return (struct column){.physical = child->physical,
                           .encoding = ENCODING_FLAT,
                           .row_count = row_count,
                           .valid = valid,
                           .values = values};
}

static bool is_nan(const struct column *column, uint32_t row)
{
    if (column->physical == PHYSICAL_F64) {
        double value = *(const double *)column_value(column, row);
        return value != value;
    }
    if (column->physical == PHYSICAL_F32) {
        float value = *(const float *)column_value(column, row);
        return value != value;
    }
    return false;
}

bool elements_equal(const struct column *a, uint32_t a_row, const struct column *b, uint32_t b_row)
{
    if (column_is_null(a, a_row) || column_is_null(b, b_row)) {
        return column_is_null(a, a_row) && column_is_null(b, b_row);
    }
    return compare_values(a, a_row, b, b_row) == 0 && !is_nan(a, a_row);
}

uint32_t elements_find(const struct column *keys, uint32_t from, uint32_t length,
                       const struct column *key, uint32_t key_row)
{
    for (uint32_t i = length; i > 0; i--) {
        if (elements_equal(keys, from + i - 1, key, key_row)) {
            return from + i - 1;
        }
    }
    return UINT32_MAX;
}
