// SPDX-License-Identifier: Apache-2.0
#include "exec/verify_encodings.h"

#include <string.h>

#include "base/arena.h"

// To the bit: a constant must not change the sign of a zero. Nested values are left alone.
static bool same_value(const struct column *column, uint32_t a, uint32_t b)
{
    if (column_is_null(column, a) || column_is_null(column, b)) {
        return column_is_null(column, a) && column_is_null(column, b);
    }
    if (column->physical == PHYSICAL_STRING) {
        return strview_equal(column_value(column, a), column_value(column, b));
    }
    return memcmp(column_value(column, a), column_value(column, b),
                  physical_width(column->physical)) == 0;
}

static struct column as_const(struct arena *arena, const struct column *column)
{
    if (column->physical >= PHYSICAL_LIST) {
        return *column;
    }
    for (uint32_t row = 1; row < column->row_count; row++) {
        if (!same_value(column, 0, row)) {
            return *column;
        }
    }
    if (column_is_null(column, 0)) {
        return column_null(arena, column, column->row_count);
    }
    uint16_t first = 0;
    struct column one = column_gather(arena, column, &first, 1);
    one = column_flatten(arena, &one);
    one.encoding = ENCODING_CONST;
    one.row_count = column->row_count;
    one.valid = NULL;
    return one;
}

static struct column as_dict(struct arena *arena, const struct column *column)
{
    uint32_t row_count = column->row_count;
    uint16_t *rows = arena_alloc(arena, row_count * sizeof *rows);
    uint16_t *codes = arena_zalloc(arena, row_count * sizeof *codes);
    uint32_t entries = 0;
    for (uint32_t row = row_count; row-- > 0;) {
        if (!column_is_null(column, row)) {
            codes[row] = (uint16_t)entries;
            rows[entries++] = (uint16_t)row;
        }
    }
    if (entries == 0) {
        return *column;
    }
    struct column *dict = arena_new(arena, struct column);
    *dict = column_gather(arena, column, rows, entries);
    *dict = column_flatten(arena, dict);
    dict->valid = NULL;
    uint64_t *valid = arena_zalloc(arena, bits_words(row_count) * sizeof *valid);
    for (uint32_t row = 0; row < row_count; row++) {
        if (!column_is_null(column, row)) {
            bits_set(valid, row);
        }
    }
    return (struct column){.physical = column->physical,
                           .encoding = ENCODING_DICT,
                           .row_count = row_count,
                           .valid = entries == row_count ? NULL : valid,
                           .codes = codes,
                           .dict = dict};
}

static struct column as_slice(struct arena *arena, const struct column *column)
{
    enum { SHIFT = 3 };
    struct column flat = column_flatten(arena, column);
    struct column parts[2] = {column_slice(arena, &flat, 0, flat.row_count < SHIFT ? 1 : SHIFT),
                              flat};
    struct column joined = column_concat(arena, parts, 2);
    return column_slice(arena, &joined, parts[0].row_count, flat.row_count);
}

static struct column rewrite(struct arena *arena, enum verify_mode mode, uint32_t at,
                             const struct column *column)
{
    if (mode == VERIFY_MIX) {
        mode = (enum verify_mode)(VERIFY_CONST + at % 3);
    }
    switch (mode) {
    case VERIFY_CONST: return as_const(arena, column);
    case VERIFY_DICT: return as_dict(arena, column);
    case VERIFY_SLICE: return as_slice(arena, column);
    case VERIFY_NONE:
    case VERIFY_MIX: break;
    }
    return *column;
}

enum status verify_encodings(struct arena *arena, enum verify_mode mode, struct batch *batch,
                             struct err *err)
{
    TRY(batch_check(batch, err));
    struct column *columns = arena_new_array(arena, struct column, batch->column_count);
    for (uint32_t i = 0; i < batch->column_count; i++) {
        columns[i] = rewrite(arena, mode, i, &batch->columns[i]);
    }
    batch->columns = columns;
    return batch_check(batch, err);
}
