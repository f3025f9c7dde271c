// SPDX-License-Identifier: Apache-2.0
//
// list_build: columns of arrays and maps, put together row by row.
//
//     struct list_build build;
//     list_build_init(&build, arena, row_count, 1);
//     for each row: list_build_add(&build, 0, column, at); ...; list_build_end_row(&build);
//     struct column out = list_build_finish(&build, PHYSICAL_LIST, like);
//
// Elements are named by the column and row they come from, which must stay until the end; texts made
// on the way are added as such. Rows for which nothing is said are null.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "data/column.h"

struct arena;

enum { LIST_BUILD_CHILDREN_MAX = 2 };

struct list_build_item {
    const struct column *column; // NULL: the text
    uint32_t row;
    bool is_null;
    struct strview text;
};

struct list_build_child {
    struct list_build_item *items; // in the arena
    uint32_t count;
    uint32_t capacity;
};

struct list_build {
    struct arena *arena;
    uint32_t row_count;
    struct list_view *views;
    uint64_t *valid;
    uint32_t child_count; // 1: elements; 2: keys and values
    struct list_build_child children[LIST_BUILD_CHILDREN_MAX];
    uint32_t row_start; // of the elements of the row in work
};

void list_build_init(struct list_build *build, struct arena *arena, uint32_t row_count,
                     uint32_t child_count);
void list_build_add(struct list_build *build, uint32_t child, const struct column *column,
                    uint32_t row);
void list_build_add_text(struct list_build *build, uint32_t child, struct str text);
void list_build_add_null(struct list_build *build, uint32_t child);
// Elements added since the last end belong to `row`; rows may be left out, which makes them null.
void list_build_end_row(struct list_build *build, uint32_t row);
// Forgets the elements added since the last end.
void list_build_drop_row(struct list_build *build);
// `likes`: a column of the form of each child, for children without any element (may be of any
// length).
struct column list_build_finish(struct list_build *build, enum physical physical,
                                const struct column *likes);
