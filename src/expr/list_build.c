// SPDX-License-Identifier: Apache-2.0
#include "expr/list_build.h"

#include <string.h>

#include "base/arena.h"

void list_build_init(struct list_build *build, struct arena *arena, uint32_t row_count,
                     uint32_t child_count)
{
    *build = (struct list_build){.arena = arena, .row_count = row_count,
                                 .child_count = child_count};
    build->views = arena_new_array(arena, struct list_view, row_count + 1);
    build->valid = arena_new_array(arena, uint64_t, bits_words(row_count) + 1);
}

static struct list_build_item *push(struct list_build *build, uint32_t number)
{
    struct list_build_child *child = &build->children[number];
    if (child->count == child->capacity) {
        uint32_t capacity = child->capacity == 0 ? 64 : child->capacity * 2;
        struct list_build_item *items =
            arena_alloc(build->arena, capacity * sizeof(struct list_build_item));
        if (child->count > 0) {
            memcpy(items, child->items, child->count * sizeof *items);
        }
        child->items = items;
        child->capacity = capacity;
    }
    struct list_build_item *item = &child->items[child->count++];
    *item = (struct list_build_item){0};
    return item;
}

void list_build_add(struct list_build *build, uint32_t child, const struct column *column,
                    uint32_t row)
{
    struct list_build_item *item = push(build, child);
    item->column = column;
    item->row = row;
    item->is_null = column_is_null(column, row);
}

void list_build_add_text(struct list_build *build, uint32_t child, struct str text)
{
    push(build, child)->text = strview_make(text.ptr, text.size);
}

void list_build_add_null(struct list_build *build, uint32_t child)
{
    push(build, child)->is_null = true;
}

void list_build_end_row(struct list_build *build, uint32_t row)
{
    uint32_t end = build->children[0].count;
    build->views[row] = (struct list_view){build->row_start, end - build->row_start};
    bits_set(build->valid, row);
    build->row_start = end;
}

void list_build_drop_row(struct list_build *build)
{
    for (uint32_t i = 0; i < build->child_count; i++) {
        build->children[i].count = build->row_start;
    }
}

// Values of fixed width, strings among them.
static struct column flat_child(struct list_build *build, const struct list_build_child *child,
                                enum physical physical)
{
    size_t width = physical_width(physical);
    char *values = arena_zalloc(build->arena, width * (child->count + 1));
    uint64_t *valid = arena_new_array(build->arena, uint64_t, bits_words(child->count) + 1);
    bits_fill(valid, child->count);
    bool has_nulls = false;
    for (uint32_t i = 0; i < child->count; i++) {
        const struct list_build_item *item = &child->items[i];
        if (item->is_null) {
            bits_clear(valid, i);
            has_nulls = true;
        } else if (item->column == NULL) {
            memcpy(values + width * i, &item->text, sizeof item->text);
        } else {
            memcpy(values + width * i, column_value(item->column, item->row), width);
        }
    }
    return (struct column){.physical = physical,
                           .encoding = ENCODING_FLAT,
                           .row_count = child->count,
                           .valid = has_nulls ? valid : NULL,
                           .values = values};
}

// Nested elements: one-row pieces put behind one another.
static struct column nested_child(struct list_build *build, const struct list_build_child *child,
                                  const struct column *like)
{
    if (child->count == 0) {
        struct column none = column_slice(build->arena, like, 0, 0);
        return column_concat(build->arena, &none, 1);
    }
    struct column *pieces = arena_new_array(build->arena, struct column, child->count);
    for (uint32_t i = 0; i < child->count; i++) {
        const struct list_build_item *item = &child->items[i];
        pieces[i] = item->column == NULL
                        ? column_null(build->arena, like, 1)
                        : column_slice(build->arena, item->column, item->row, 1);
    }
    return column_concat(build->arena, pieces, child->count);
}

struct column list_build_finish(struct list_build *build, enum physical physical,
                                const struct column *likes)
{
    struct column *children = arena_new_array(build->arena, struct column, build->child_count);
    for (uint32_t i = 0; i < build->child_count; i++) {
        const struct list_build_child *child = &build->children[i];
        children[i] = likes[i].physical >= PHYSICAL_LIST
                          ? nested_child(build, child, &likes[i])
                          : flat_child(build, child, likes[i].physical);
    }
    bool all = bits_count(build->valid, build->row_count) == build->row_count;
    return (struct column){.physical = physical,
                           .encoding = ENCODING_FLAT,
                           .row_count = build->row_count,
                           .valid = all ? NULL : build->valid,
                           .values = build->views,
                           .children = children,
                           .child_count = build->child_count};
}
