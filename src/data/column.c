// SPDX-License-Identifier: Apache-2.0
#include "data/column.h"

#include <stdatomic.h>

#include "base/arena.h"
#include "base/assert.h"
#include "data/column_copy.h"

static _Atomic uint64_t flattenings;

uint64_t column_flattenings(void)
{
    return atomic_load_explicit(&flattenings, memory_order_relaxed);
}

bool column_has_nulls(const struct column *column)
{
    if (column->valid == NULL || column->row_count == 0) {
        return false;
    }
    if (column->encoding == ENCODING_CONST) {
        return (column->valid[0] & 1) == 0;
    }
    return bits_count(column->valid, column->row_count) < column->row_count;
}

static const uint64_t *gather_valid(struct arena *arena, const uint64_t *valid,
                                    const uint16_t *rows, uint32_t row_count)
{
    if (valid == NULL) {
        return NULL;
    }
    uint64_t *out = arena_zalloc(arena, bits_words(row_count) * sizeof *out);
    for (uint32_t row = 0; row < row_count; row++) {
        out[row / 64] |= (valid[rows[row] / 64] >> (rows[row] % 64) & 1) << (row % 64);
    }
    return out;
}

// values[rows[i]] for all i.
static const void *gather_values(struct arena *arena, enum physical physical, const void *values,
                                 const uint16_t *rows, uint32_t row_count)
{
    size_t width = physical_width(physical);
    void *memory = arena_alloc64(arena, width * row_count);
#define GATHER(type)                                                                               \
    for (uint32_t i = 0; i < row_count; i++) {                                                     \
        ((type *)memory)[i] = ((const type *)values)[rows[i]];                                     \
    }                                                                                              \
    break
    switch (width) {
    case 1: GATHER(uint8_t);
    case 2: GATHER(uint16_t);
    case 4: GATHER(uint32_t);
    case 8: GATHER(uint64_t);
    case 16: GATHER(struct nano);
    default: return NULL;
    }
#undef GATHER
    return memory;
}

static struct column gather_flat(struct arena *arena, const struct column *column,
                                 const uint16_t *rows, uint32_t row_count)
{
    struct column out = *column;
    out.row_count = row_count;
    out.valid = gather_valid(arena, column->valid, rows, row_count);
    out.values = gather_values(arena, column->physical, column->values, rows, row_count);
    if (column->physical == PHYSICAL_ROW) {
        struct column *children = arena_new_array(arena, struct column, column->child_count);
        for (uint32_t i = 0; i < column->child_count; i++) {
            children[i] = column_gather(arena, &column->children[i], rows, row_count);
        }
        out.children = children;
    }
    return out;
}

struct column column_gather(struct arena *arena, const struct column *column, const uint16_t *rows,
                            uint32_t row_count)
{
    struct column out = *column;
    out.row_count = row_count;
    switch (column->encoding) {
    case ENCODING_CONST: return out;
    case ENCODING_FLAT: return gather_flat(arena, column, rows, row_count);
    case ENCODING_DICT: break;
    }
    uint16_t *codes = arena_alloc64(arena, sizeof *codes * row_count);
    for (uint32_t i = 0; i < row_count; i++) {
        codes[i] = column->codes[rows[i]];
    }
    out.codes = codes;
    out.valid = gather_valid(arena, column->valid, rows, row_count);
    return out;
}

struct column column_slice(struct arena *arena, const struct column *column, uint32_t from,
                           uint32_t row_count)
{
    DASSERT(from + row_count <= column->row_count);
    struct column out = *column;
    out.row_count = row_count;
    if (column->encoding == ENCODING_CONST) {
        return out;
    }
    if (column->valid != NULL) {
        uint64_t *valid = arena_zalloc(arena, bits_words(row_count) * sizeof *valid);
        bits_slice(column->valid, from, row_count, valid);
        out.valid = valid;
    }
    if (column->encoding == ENCODING_DICT) {
        out.codes = column->codes + from;
    } else if (column->physical == PHYSICAL_ROW) {
        struct column *children = arena_new_array(arena, struct column, column->child_count);
        for (uint32_t i = 0; i < column->child_count; i++) {
            children[i] = column_slice(arena, &column->children[i], from, row_count);
        }
        out.children = children;
    } else if (column->values != NULL) {
        out.values = (const char *)column->values + physical_width(column->physical) * from;
    }
    return out;
}

// A flat column without rows, of the form that `like` has.
static struct column empty_like(struct arena *arena, const struct column *like)
{
    const struct column *holder = column_holder(like);
    struct column out = {.physical = holder->physical,
                         .encoding = ENCODING_FLAT,
                         .child_count = holder->child_count};
    struct column *children = arena_new_array(arena, struct column, holder->child_count);
    for (uint32_t i = 0; i < holder->child_count; i++) {
        children[i] = empty_like(arena, &holder->children[i]);
    }
    out.children = holder->child_count == 0 ? NULL : children;
    out.values = holder->physical == PHYSICAL_ROW ? NULL : arena_zalloc(arena, 16);
    return out;
}

struct column column_null(struct arena *arena, const struct column *like, uint32_t row_count)
{
    const struct column *holder = column_holder(like);
    struct column out = {.physical = holder->physical,
                         .encoding = ENCODING_CONST,
                         .row_count = row_count,
                         .child_count = holder->child_count};
    out.valid = arena_zalloc(arena, sizeof *out.valid);
    out.values = holder->physical == PHYSICAL_ROW ? NULL : arena_zalloc(arena, 16);
    struct column *children = arena_new_array(arena, struct column, holder->child_count);
    for (uint32_t i = 0; i < holder->child_count; i++) {
        children[i] = holder->physical == PHYSICAL_ROW ? column_null(arena, &holder->children[i], 1)
                                                       : empty_like(arena, &holder->children[i]);
    }
    out.children = holder->child_count == 0 ? NULL : children;
    return out;
}

struct column column_at_row(struct arena *arena, const struct column *column, uint32_t row,
                            uint32_t row_count)
{
    if (column->encoding == ENCODING_CONST) {
        struct column out = *column;
        out.row_count = row_count;
        return out;
    }
    if (column_is_null(column, row)) {
        return column_null(arena, column, row_count);
    }
    const struct column *holder = column_holder(column);
    uint32_t at = column_at(column, row);
    struct column out = *holder;
    out.encoding = ENCODING_CONST;
    out.row_count = row_count;
    out.valid = NULL;
    if (holder->physical != PHYSICAL_ROW) {
        out.values = (const char *)holder->values + physical_width(holder->physical) * at;
        return out;
    }
    struct column *children = arena_new_array(arena, struct column, holder->child_count);
    for (uint32_t i = 0; i < holder->child_count; i++) {
        children[i] = column_at_row(arena, &holder->children[i], at, 1);
    }
    out.children = children;
    return out;
}

static const uint64_t *repeat_valid(struct arena *arena, const struct column *column)
{
    if (column->valid == NULL || (column->valid[0] & 1) != 0) {
        return NULL;
    }
    return arena_zalloc(arena, bits_words(column->row_count) * sizeof *column->valid);
}

static const void *repeat_value(struct arena *arena, const struct column *column)
{
    size_t width = physical_width(column->physical);
    char *values = arena_alloc64(arena, width * column->row_count);
    for (uint32_t row = 0; row < column->row_count; row++) {
        memcpy(values + width * row, column->values, width);
    }
    return values;
}

static struct column flatten_const(struct arena *arena, const struct column *column)
{
    struct column out = *column;
    out.encoding = ENCODING_FLAT;
    out.valid = repeat_valid(arena, column);
    if (column->physical != PHYSICAL_ROW) {
        out.values = repeat_value(arena, column);
        return out;
    }
    struct column *children = arena_new_array(arena, struct column, column->child_count);
    for (uint32_t i = 0; i < column->child_count; i++) {
        children[i] = column_at_row(arena, &column->children[i], 0, column->row_count);
    }
    out.children = children;
    return out;
}

// A null row has code 0, which is an entry with a value: its place must be zeroed.
static struct column flatten_dict(struct arena *arena, const struct column *column)
{
    struct column out = *column->dict;
    out.row_count = column->row_count;
    out.valid = column->valid;
    if (out.physical == PHYSICAL_ROW) {
        struct column *children = arena_new_array(arena, struct column, out.child_count);
        for (uint32_t i = 0; i < out.child_count; i++) {
            struct column child =
                column_gather(arena, &column->dict->children[i], column->codes, column->row_count);
            children[i] = column_mask(arena, &child, column->valid);
        }
        out.children = children;
        return out;
    }
    size_t width = physical_width(out.physical);
    const char *gathered =
        gather_values(arena, out.physical, column->dict->values, column->codes, column->row_count);
    out.values = gathered;
    struct column masked = out;
    masked.valid = NULL;
    return column->valid == NULL || width == 0 ? out : column_mask(arena, &masked, column->valid);
}

struct column column_flatten(struct arena *arena, const struct column *column)
{
    if (column->encoding == ENCODING_FLAT) {
        return *column;
    }
    atomic_fetch_add_explicit(&flattenings, 1, memory_order_relaxed);
    return column->encoding == ENCODING_CONST ? flatten_const(arena, column)
                                              : flatten_dict(arena, column);
}

static const void *zero_where_null(struct arena *arena, const void *values, size_t width,
                                   const uint64_t *valid, uint32_t row_count)
{
    char *out = arena_alloc64(arena, width * row_count);
    if (row_count > 0) {
        memcpy(out, values, width * row_count);
    }
    for (uint32_t word = 0; word < bits_words(row_count); word++) {
        uint64_t nulls = ~valid[word];
        if (word + 1 == bits_words(row_count)) {
            nulls &= bits_tail(row_count);
        }
        for (; nulls != 0; nulls &= nulls - 1) {
            uint32_t row = word * 64 + (uint32_t)__builtin_ctzll(nulls);
            memset(out + width * row, 0, width);
        }
    }
    return out;
}

static const uint64_t *and_valid(struct arena *arena, const struct column *column,
                                 const uint64_t *mask)
{
    uint32_t words = bits_words(column->row_count);
    uint64_t *valid = arena_alloc(arena, words * sizeof *valid);
    for (uint32_t word = 0; word < words; word++) {
        valid[word] = mask[word] & column_valid_word(column, word);
    }
    if (words > 0) {
        valid[words - 1] &= bits_tail(column->row_count);
    }
    return valid;
}

// A constant that is null in some rows becomes a dictionary of one entry.
static struct column mask_const(struct arena *arena, const struct column *column,
                                const uint64_t *mask)
{
    if (column->valid != NULL && (column->valid[0] & 1) == 0) {
        return *column;
    }
    struct column *entry = arena_copy(arena, column, sizeof *column);
    entry->encoding = ENCODING_FLAT;
    entry->row_count = 1;
    entry->valid = NULL;
    return (struct column){.physical = column->physical,
                           .encoding = ENCODING_DICT,
                           .row_count = column->row_count,
                           .valid = and_valid(arena, column, mask),
                           .codes = arena_zalloc(arena, sizeof(uint16_t) * column->row_count),
                           .dict = entry};
}

struct column column_mask(struct arena *arena, const struct column *column, const uint64_t *mask)
{
    if (mask == NULL || bits_count(mask, column->row_count) == column->row_count) {
        return *column;
    }
    if (column->encoding == ENCODING_CONST) {
        return mask_const(arena, column, mask);
    }
    struct column out = *column;
    uint32_t row_count = column->row_count;
    out.valid = and_valid(arena, column, mask);
    if (column->encoding == ENCODING_DICT) {
        out.codes =
            zero_where_null(arena, column->codes, sizeof *column->codes, out.valid, row_count);
    } else if (column->physical == PHYSICAL_ROW) {
        struct column *children = arena_new_array(arena, struct column, column->child_count);
        for (uint32_t i = 0; i < column->child_count; i++) {
            children[i] = column_mask(arena, &column->children[i], mask);
        }
        out.children = children;
    } else {
        out.values = zero_where_null(arena, column->values, physical_width(column->physical),
                                     out.valid, row_count);
    }
    return out;
}

static size_t string_bytes(const struct strview *views, uint32_t row_count)
{
    size_t bytes = 0;
    for (uint32_t row = 0; row < row_count; row++) {
        bytes += views[row].size > STRVIEW_INLINE_MAX ? views[row].size : 0;
    }
    return bytes;
}

// The fixed parts of all rows are not counted, those of list elements are.
size_t column_bytes(const struct column *column)
{
    if (column->encoding == ENCODING_DICT) {
        return column_bytes(column->dict);
    }
    uint32_t row_count = column->encoding == ENCODING_CONST ? 1 : column->row_count;
    if (column->physical == PHYSICAL_STRING) {
        return string_bytes(column->values, row_count);
    }
    size_t bytes = 0;
    if (column->physical == PHYSICAL_ROW) {
        for (uint32_t i = 0; i < column->child_count; i++) {
            bytes += column_bytes(&column->children[i]);
        }
    } else if (column->physical == PHYSICAL_LIST || column->physical == PHYSICAL_MAP) {
        const struct list_view *views = column->values;
        for (uint32_t row = 0; row < row_count; row++) {
            struct column_run run = {views[row].offset, views[row].length};
            for (uint32_t i = 0; run.count > 0 && i < column->child_count; i++) {
                struct column_copy_place place = {0};
                column_copy_rows(&place, &column->children[i], &run, 1, NULL);
                bytes += place.used;
            }
        }
    }
    return bytes;
}
