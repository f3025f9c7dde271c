// SPDX-License-Identifier: Apache-2.0
#include "state/row_value.h"

#include <math.h>

#include "base/arena.h"
#include "base/mem.h"

enum { DEPTH_MAX = 64 };

static struct list_view view_at(const struct column *holder, uint32_t at)
{
    return ((const struct list_view *)holder->values)[at];
}

size_t row_value_size(const struct column *column, uint32_t row)
{
    if (column_is_null(column, row)) {
        return 1;
    }
    const struct column *holder = column_holder(column);
    uint32_t at = column_at(column, row);
    size_t size = 1;
    if (column->physical == PHYSICAL_STRING) {
        return 1 + 4 + ((const struct strview *)holder->values)[at].size;
    }
    if (column->physical == PHYSICAL_ROW) {
        for (uint32_t i = 0; i < holder->child_count; i++) {
            size += row_value_size(&holder->children[i], at);
        }
        return size;
    }
    if (column->physical == PHYSICAL_LIST || column->physical == PHYSICAL_MAP) {
        struct list_view view = view_at(holder, at);
        size += 4;
        for (uint32_t i = 0; i < holder->child_count; i++) {
            for (uint32_t j = 0; j < view.length; j++) {
                size += row_value_size(&holder->children[i], view.offset + j);
            }
        }
        return size;
    }
    return 1 + physical_width(column->physical);
}

static char *put_u32(char *out, uint32_t value)
{
    memcpy(out, &value, 4);
    return out + 4;
}

static char *put_fixed(enum physical physical, const void *value, char *out)
{
    size_t width = physical_width(physical);
    memcpy(out, value, width);
    if (physical == PHYSICAL_F64) {
        double number;
        memcpy(&number, value, 8);
        number = number == 0 ? 0 : isnan(number) ? (double)NAN : number;
        memcpy(out, &number, 8);
    } else if (physical == PHYSICAL_F32) {
        float number;
        memcpy(&number, value, 4);
        number = number == 0 ? 0 : isnan(number) ? NAN : number;
        memcpy(out, &number, 4);
    }
    return out + width;
}

char *row_value_write(const struct column *column, uint32_t row, char *out)
{
    bool is_null = column_is_null(column, row);
    *out++ = is_null ? 0 : 1;
    if (is_null) {
        return out;
    }
    const struct column *holder = column_holder(column);
    uint32_t at = column_at(column, row);
    if (column->physical == PHYSICAL_STRING) {
        const struct strview *view = (const struct strview *)holder->values + at;
        out = put_u32(out, view->size);
        memcpy(out, strview_ptr(view), view->size);
        return out + view->size;
    }
    if (column->physical == PHYSICAL_ROW) {
        for (uint32_t i = 0; i < holder->child_count; i++) {
            out = row_value_write(&holder->children[i], at, out);
        }
        return out;
    }
    if (column->physical == PHYSICAL_LIST || column->physical == PHYSICAL_MAP) {
        struct list_view view = view_at(holder, at);
        out = put_u32(out, view.length);
        for (uint32_t i = 0; i < holder->child_count; i++) {
            for (uint32_t j = 0; j < view.length; j++) {
                out = row_value_write(&holder->children[i], view.offset + j, out);
            }
        }
        return out;
    }
    return put_fixed(column->physical, column_value(column, row), out);
}

// --- reading -----------------------------------------------------------------------------------

// Values are collected in growing arrays, since the children's counts are known only when all
// parents have been read; then they are copied into the arena.
struct maker {
    const struct type *type;
    enum physical physical;
    uint32_t count;
    uint32_t capacity;
    char *values;
    uint64_t *valid;
    bool has_nulls;
    uint32_t child_count;
    struct maker *children;
};

struct cursor {
    const char *at;
    const char *end;
};

static void maker_init(struct maker *maker, const struct type *type, struct arena *arena)
{
    *maker = (struct maker){.type = type, .physical = type_physical(type)};
    if (maker->physical == PHYSICAL_LIST || maker->physical == PHYSICAL_MAP ||
        maker->physical == PHYSICAL_ROW) {
        // A MULTISET has one field and is held as a map to INT counts.
        bool is_multiset = type->kind == TYPE_MULTISET;
        maker->child_count = is_multiset ? 2 : type->field_count;
        maker->children = arena_new_array(arena, struct maker, maker->child_count + 1);
        for (uint32_t i = 0; i < maker->child_count; i++) {
            maker_init(&maker->children[i],
                       is_multiset && i == 1 ? &type_int : type->fields[i].type, arena);
        }
    }
}

static void maker_release(struct maker *maker)
{
    mem_free(maker->values);
    mem_free(maker->valid);
    for (uint32_t i = 0; i < maker->child_count; i++) {
        maker_release(&maker->children[i]);
    }
}

static void maker_grow(struct maker *maker)
{
    if (maker->count < maker->capacity) {
        return;
    }
    uint32_t capacity = maker->capacity == 0 ? 64 : maker->capacity * 2;
    size_t width = physical_width(maker->physical);
    maker->values = mem_realloc(maker->values, capacity * width);
    maker->valid = mem_realloc(maker->valid, bits_words(capacity) * sizeof(uint64_t));
    for (uint32_t i = bits_words(maker->capacity); i < bits_words(capacity); i++) {
        maker->valid[i] = 0;
    }
    maker->capacity = capacity;
}

static enum status damaged(struct err *err)
{
    return ERR(err, STATUS_INVALID_DATA, "a nested value in state is damaged");
}

static enum status take_u32(struct cursor *cursor, uint32_t *out, struct err *err)
{
    if (cursor->end - cursor->at < 4) {
        return damaged(err);
    }
    memcpy(out, cursor->at, 4);
    cursor->at += 4;
    return STATUS_OK;
}

// A null, down to the children of a ROW.
static void add_null(struct maker *maker)
{
    maker_grow(maker);
    size_t width = physical_width(maker->physical);
    if (width > 0) {
        memset(maker->values + maker->count * width, 0, width);
    }
    maker->has_nulls = true;
    maker->count++;
    for (uint32_t i = 0; maker->physical == PHYSICAL_ROW && i < maker->child_count; i++) {
        add_null(&maker->children[i]);
    }
}

static enum status add_value(struct maker *maker, struct cursor *cursor, int depth,
                             struct err *err);

static enum status add_children(struct maker *maker, struct cursor *cursor, int depth,
                                struct err *err)
{
    if (maker->physical == PHYSICAL_ROW) {
        for (uint32_t i = 0; i < maker->child_count; i++) {
            TRY(add_value(&maker->children[i], cursor, depth, err));
        }
        return STATUS_OK;
    }
    struct list_view view = {.offset = maker->children[0].count};
    TRY(take_u32(cursor, &view.length, err));
    if (view.length > (size_t)(cursor->end - cursor->at)) { // each takes a byte at least
        return damaged(err);
    }
    memcpy(maker->values + (maker->count - 1) * sizeof view, &view, sizeof view);
    for (uint32_t i = 0; i < maker->child_count; i++) {
        for (uint32_t j = 0; j < view.length; j++) {
            TRY(add_value(&maker->children[i], cursor, depth, err));
        }
    }
    return STATUS_OK;
}

static enum status add_value(struct maker *maker, struct cursor *cursor, int depth, struct err *err)
{
    if (cursor->at == cursor->end || depth > DEPTH_MAX || maker->count == UINT32_MAX / 2) {
        return damaged(err);
    }
    if (*cursor->at++ == 0) {
        add_null(maker);
        return STATUS_OK;
    }
    maker_grow(maker);
    bits_set(maker->valid, maker->count++);
    size_t width = physical_width(maker->physical);
    if (maker->child_count > 0 || maker->physical == PHYSICAL_ROW) {
        return add_children(maker, cursor, depth + 1, err);
    }
    if (maker->physical == PHYSICAL_STRING) {
        uint32_t size = 0;
        TRY(take_u32(cursor, &size, err));
        if (size > (size_t)(cursor->end - cursor->at)) {
            return damaged(err);
        }
        struct strview view = strview_make(cursor->at, size);
        memcpy(maker->values + (maker->count - 1) * width, &view, width);
        cursor->at += size;
        return STATUS_OK;
    }
    if (width > (size_t)(cursor->end - cursor->at)) {
        return damaged(err);
    }
    memcpy(maker->values + (maker->count - 1) * width, cursor->at, width);
    cursor->at += width;
    return STATUS_OK;
}

static struct column finish(const struct maker *maker, struct arena *arena)
{
    struct column column = {.physical = maker->physical,
                            .encoding = ENCODING_FLAT,
                            .row_count = maker->count,
                            .child_count = maker->child_count};
    size_t width = physical_width(maker->physical);
    if (width > 0) {
        column.values = maker->count == 0 ? arena_alloc64(arena, 64)
                                          : memcpy(arena_alloc64(arena, maker->count * width),
                                                   maker->values, maker->count * width);
    }
    if (maker->has_nulls) {
        column.valid = arena_copy(arena, maker->valid, bits_words(maker->count) * sizeof(uint64_t));
    }
    if (maker->child_count > 0) {
        struct column *children = arena_new_array(arena, struct column, maker->child_count);
        for (uint32_t i = 0; i < maker->child_count; i++) {
            children[i] = finish(&maker->children[i], arena);
        }
        column.children = children;
    }
    return column;
}

enum status row_value_read(const struct type *type, const struct str *values, uint32_t count,
                           struct arena *arena, struct column *out, struct err *err)
{
    struct maker maker;
    enum status status = STATUS_OK;
    maker_init(&maker, type, arena);
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++) {
        if (values[i].size == 0) { // no value at all counts as null
            add_null(&maker);
            continue;
        }
        // Strings are borrowed by the column: the bytes must live as long as it.
        char *bytes = arena_copy(arena, values[i].ptr, values[i].size);
        struct cursor cursor = {bytes, bytes + values[i].size};
        status = add_value(&maker, &cursor, 0, err);
        if (status == STATUS_OK && cursor.at != cursor.end) {
            status = damaged(err);
        }
    }
    if (status == STATUS_OK) {
        *out = finish(&maker, arena);
    }
    maker_release(&maker);
    return status;
}
