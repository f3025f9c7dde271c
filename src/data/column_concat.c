// SPDX-License-Identifier: Apache-2.0
//
// column_concat: columns of any encoding, written one after the other. Gathering into one run of
// memory is not a flattening that somebody could have avoided, so it is not counted as one.
#include "base/arena.h"
#include "base/assert.h"
#include "data/column.h"

static uint32_t total_rows(const struct column *columns, uint32_t count)
{
    uint64_t rows = 0;
    for (uint32_t i = 0; i < count; i++) {
        rows += columns[i].row_count;
    }
    ASSERT(rows <= UINT32_MAX);
    return (uint32_t)rows;
}

static const uint64_t *concat_valid(struct arena *arena, const struct column *columns,
                                    uint32_t count, uint32_t row_count)
{
    bool has_nulls = false;
    for (uint32_t i = 0; i < count; i++) {
        has_nulls |= column_has_nulls(&columns[i]);
    }
    if (!has_nulls) {
        return NULL;
    }
    uint64_t *valid = arena_zalloc(arena, bits_words(row_count) * sizeof *valid);
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t row = 0; row < columns[i].row_count; row++, at++) {
            valid[at / 64] |= (uint64_t)!column_is_null(&columns[i], row) << (at % 64);
        }
    }
    return valid;
}

// Null rows of a dictionary have code 0, whose entry is a value: they are written as zero.
static void write_values(char *out, const struct column *column)
{
    size_t width = physical_width(column->physical);
    if (column->encoding == ENCODING_FLAT) {
        if (column->row_count > 0) {
            memcpy(out, column->values, width * column->row_count);
        }
        return;
    }
    const char *values = column_holder(column)->values;
    for (uint32_t row = 0; row < column->row_count; row++) {
        if (column_is_null(column, row)) {
            memset(out + width * row, 0, width);
        } else {
            memcpy(out + width * row, values + width * column_at(column, row), width);
        }
    }
}

// The part of the children that the views reach, and the views moved to where that part will stand.
static struct column_reach {
    uint32_t from;
    uint32_t count;
} find_reach(const struct list_view *views, uint32_t row_count)
{
    uint32_t from = UINT32_MAX;
    uint32_t end = 0;
    for (uint32_t row = 0; row < row_count; row++) {
        if (views[row].length > 0) {
            from = views[row].offset < from ? views[row].offset : from;
            uint32_t view_end = views[row].offset + views[row].length;
            end = view_end > end ? view_end : end;
        }
    }
    return end == 0 ? (struct column_reach){0} : (struct column_reach){from, end - from};
}

static const struct column *concat_list_children(struct arena *arena, const struct column *columns,
                                                 uint32_t count, struct list_view *views)
{
    uint32_t child_count = columns[0].encoding == ENCODING_DICT ? columns[0].dict->child_count
                                                                : columns[0].child_count;
    struct column *children = arena_new_array(arena, struct column, child_count);
    struct column *parts = arena_new_array(arena, struct column, count * (size_t)child_count);
    uint64_t base = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct column *holder = column_holder(&columns[i]);
        struct column_reach reach = find_reach(views, columns[i].row_count);
        for (uint32_t child = 0; child < child_count; child++) {
            parts[child * count + i] =
                column_slice(arena, &holder->children[child], reach.from, reach.count);
        }
        for (uint32_t row = 0; row < columns[i].row_count; row++) {
            views[row].offset =
                views[row].length == 0 ? 0 : (uint32_t)(views[row].offset - reach.from + base);
        }
        base += reach.count;
        views += columns[i].row_count;
    }
    ASSERT(base <= UINT32_MAX);
    for (uint32_t child = 0; child < child_count; child++) {
        children[child] = column_concat(arena, parts + child * (size_t)count, count);
    }
    return children;
}

// Child `child` of a ROW column, a row for each of the parent's rows.
static struct column row_child(struct arena *arena, const struct column *column, uint32_t child)
{
    if (column->encoding == ENCODING_FLAT) {
        return column->children[child];
    }
    if (column->encoding == ENCODING_CONST) {
        return column_at_row(arena, &column->children[child], 0, column->row_count);
    }
    struct column gathered =
        column_gather(arena, &column->dict->children[child], column->codes, column->row_count);
    return column_mask(arena, &gathered, column->valid);
}

static const struct column *concat_row_children(struct arena *arena, const struct column *columns,
                                                uint32_t count)
{
    uint32_t child_count = column_holder(&columns[0])->child_count;
    struct column *children = arena_new_array(arena, struct column, child_count);
    struct column *parts = arena_new_array(arena, struct column, count);
    for (uint32_t child = 0; child < child_count; child++) {
        for (uint32_t i = 0; i < count; i++) {
            parts[i] = row_child(arena, &columns[i], child);
        }
        children[child] = column_concat(arena, parts, count);
    }
    return children;
}

struct column column_concat(struct arena *arena, const struct column *columns, uint32_t count)
{
    ASSERT(count > 0);
    enum physical physical = columns[0].physical;
    struct column out = {.physical = physical,
                         .encoding = ENCODING_FLAT,
                         .row_count = total_rows(columns, count),
                         .child_count = column_holder(&columns[0])->child_count};
    out.valid = concat_valid(arena, columns, count, out.row_count);
    if (physical == PHYSICAL_ROW) {
        out.children = concat_row_children(arena, columns, count);
        return out;
    }
    size_t width = physical_width(physical);
    char *values = arena_alloc64(arena, width * out.row_count);
    out.values = values;
    char *at = values;
    for (uint32_t i = 0; i < count; i++) {
        DASSERT(columns[i].physical == physical);
        write_values(at, &columns[i]);
        at += width * columns[i].row_count;
    }
    if (physical == PHYSICAL_LIST || physical == PHYSICAL_MAP) {
        out.children = concat_list_children(arena, columns, count, (void *)values);
    }
    return out;
}
