// SPDX-License-Identifier: Apache-2.0
#include "data/column_copy.h"

#include "base/arena.h"
#include "base/assert.h"
#include "base/vec.h"

enum { PLACE_ALIGNMENT = 16 };

// Where rows come from: the runs, and how many rows they are together.
struct selection {
    const struct column_run *runs;
    uint32_t run_count;
    uint32_t row_count;
};

struct run_list {
    VEC(struct column_run) runs;
    uint32_t row_count;
};

void *column_copy_take(struct column_copy_place *place, size_t size)
{
    size_t start = (place->used + PLACE_ALIGNMENT - 1) & ~(size_t)(PLACE_ALIGNMENT - 1);
    place->used = start + size;
    return place->base == NULL ? NULL : place->base + start;
}

static void copy_selected(struct column_copy_place *place, const struct column *column,
                          struct selection rows, struct column *out);

static void run_list_add(struct run_list *list, uint32_t from, uint32_t count)
{
    list->row_count += count;
    if (list->runs.count > 0) {
        struct column_run *last = &list->runs.items[list->runs.count - 1];
        if (last->from + last->count == from) {
            last->count += count;
            return;
        }
    }
    struct column_run run = {from, count};
    VEC_PUSH(&list->runs, run);
}

static struct selection selection_of(const struct run_list *list)
{
    return (struct selection){list->runs.items, list->runs.count, list->row_count};
}

// Appends bits [from, from + count) of `in` behind the first `at` bits of `out`, whose words are
// zero from there on.
static void append_bits(uint64_t *out, uint32_t at, const uint64_t *in, struct column_run run)
{
    for (uint32_t done = 0; done < run.count;) {
        uint32_t from = run.from + done;
        uint32_t to = at + done;
        uint32_t take = 64 - (from % 64 > to % 64 ? from % 64 : to % 64);
        if (take > run.count - done) {
            take = run.count - done;
        }
        uint64_t bits = in[from / 64] >> (from % 64) & bits_tail(take);
        out[to / 64] |= bits << (to % 64);
        done += take;
    }
}

static const uint64_t *copy_valid(struct column_copy_place *place, const uint64_t *valid,
                                  struct selection rows)
{
    if (valid == NULL) {
        return NULL;
    }
    size_t size = bits_words(rows.row_count) * sizeof *valid;
    uint64_t *copy = column_copy_take(place, size);
    if (copy == NULL) {
        return NULL;
    }
    memset(copy, 0, size);
    uint32_t at = 0;
    for (uint32_t i = 0; i < rows.run_count; i++) {
        append_bits(copy, at, valid, rows.runs[i]);
        at += rows.runs[i].count;
    }
    return copy;
}

static const void *copy_fixed(struct column_copy_place *place, const struct column *column,
                              struct selection rows)
{
    size_t width = physical_width(column->physical);
    char *copy = column_copy_take(place, width * rows.row_count);
    if (copy == NULL) {
        return NULL;
    }
    const char *values = column->values;
    size_t at = 0;
    for (uint32_t i = 0; i < rows.run_count; i++) {
        size_t size = width * rows.runs[i].count;
        if (size > 0) {
            memcpy(copy + at, values + width * rows.runs[i].from, size);
        }
        at += size;
    }
    return copy;
}

static const void *copy_strings(struct column_copy_place *place, const struct column *column,
                                struct selection rows)
{
    struct strview *copy = column_copy_take(place, sizeof *copy * rows.row_count);
    const struct strview *views = column->values;
    size_t used = place->used; // string bytes follow the views, without gaps
    uint32_t at = 0;
    for (uint32_t i = 0; i < rows.run_count; i++) {
        const struct strview *from = views + rows.runs[i].from;
        for (uint32_t row = 0; row < rows.runs[i].count; row++) {
            struct strview view = from[row];
            if (view.size > STRVIEW_INLINE_MAX) {
                if (copy != NULL) {
                    view.as.ptr = memcpy(place->base + used, view.as.ptr, view.size);
                }
                used += view.size;
            }
            if (copy != NULL) {
                copy[at++] = view;
            }
        }
    }
    place->used = used;
    return copy;
}

static void copy_children(struct column_copy_place *place, const struct column *column,
                          struct selection rows, struct column *out)
{
    struct column *children = column_copy_take(place, sizeof *children * column->child_count);
    for (uint32_t i = 0; i < column->child_count; i++) {
        copy_selected(place, &column->children[i], rows, children == NULL ? NULL : &children[i]);
    }
    if (out != NULL) {
        out->children = children;
        out->child_count = column->child_count;
    }
}

// Lists and maps: the views are rewritten to elements that lie in the order of the rows. A view
// that repeats its predecessor (a flattened constant) shares its elements.
static void copy_lists(struct column_copy_place *place, const struct column *column,
                       struct selection rows, struct column *out)
{
    struct list_view *copy = column_copy_take(place, sizeof *copy * rows.row_count);
    const struct list_view *views = column->values;
    struct run_list elements = {0};
    struct list_view last = {0};
    uint32_t last_start = 0;
    uint32_t at = 0;
    for (uint32_t i = 0; i < rows.run_count; i++) {
        for (uint32_t row = 0; row < rows.runs[i].count; row++) {
            struct list_view view = views[rows.runs[i].from + row];
            if (view.length > 0 && (view.offset != last.offset || view.length != last.length)) {
                last = view;
                last_start = elements.row_count;
                run_list_add(&elements, view.offset, view.length);
            }
            if (copy != NULL) {
                copy[at++] = (struct list_view){view.length > 0 ? last_start : 0, view.length};
            }
        }
    }
    if (out != NULL) {
        out->values = copy;
    }
    copy_children(place, column, selection_of(&elements), out);
    VEC_RELEASE(&elements.runs);
}

static void copy_flat(struct column_copy_place *place, const struct column *column,
                      struct selection rows, struct column *out)
{
    const uint64_t *valid = copy_valid(place, column->valid, rows);
    const void *values = NULL;
    switch (column->physical) {
    case PHYSICAL_STRING: values = copy_strings(place, column, rows); break;
    case PHYSICAL_LIST:
    case PHYSICAL_MAP: copy_lists(place, column, rows, out); break;
    case PHYSICAL_ROW: copy_children(place, column, rows, out); break;
    case PHYSICAL_BOOL:
    case PHYSICAL_I8:
    case PHYSICAL_I16:
    case PHYSICAL_I32:
    case PHYSICAL_I64:
    case PHYSICAL_I128:
    case PHYSICAL_F32:
    case PHYSICAL_F64:
    case PHYSICAL_NANO: values = copy_fixed(place, column, rows); break;
    }
    if (out != NULL) {
        out->physical = column->physical;
        out->encoding = ENCODING_FLAT;
        out->row_count = rows.row_count;
        out->valid = valid;
        out->values = values != NULL ? values : out->values;
    }
}

// Which entries the rows use; a null row uses none.
static void find_used(const struct column *column, struct selection rows, uint8_t *used)
{
    for (uint32_t i = 0; i < rows.run_count; i++) {
        uint32_t end = rows.runs[i].from + rows.runs[i].count;
        if (column->valid == NULL) {
            for (uint32_t row = rows.runs[i].from; row < end; row++) {
                used[column->codes[row]] = 1;
            }
        } else {
            for (uint32_t row = rows.runs[i].from; row < end; row++) {
                used[column->codes[row]] |= bits_get(column->valid, row);
            }
        }
    }
}

// The new code of each used entry, and the runs of these entries. Code 0, that of null rows, stays
// 0.
static void number_entries(const uint8_t *used, uint32_t entry_count, uint16_t *code_of,
                           struct run_list *entries)
{
    uint32_t count = 0;
    for (uint32_t entry = 0; entry < entry_count; entry++) {
        code_of[entry] = (uint16_t)(used[entry] != 0 ? count : 0);
        if (used[entry] != 0) {
            run_list_add(entries, entry, 1);
            count++;
        }
    }
    if (count == 0) { // nothing but nulls; a dictionary has at least one entry
        run_list_add(entries, 0, 1);
    }
}

static void copy_dict(struct column_copy_place *place, const struct column *column,
                      struct selection rows, struct column *out)
{
    uint8_t used[BATCH_ROWS_MAX] = {0};
    uint16_t code_of[BATCH_ROWS_MAX];
    ASSERT(column->dict->row_count <= BATCH_ROWS_MAX);
    find_used(column, rows, used);
    struct run_list entries = {0};
    number_entries(used, column->dict->row_count, code_of, &entries);
    const uint64_t *valid = copy_valid(place, column->valid, rows);
    uint16_t *codes = column_copy_take(place, sizeof *codes * rows.row_count);
    struct column *dict = column_copy_take(place, sizeof *dict);
    if (dict != NULL) {
        *dict = (struct column){0};
    }
    copy_flat(place, column->dict, selection_of(&entries), dict);
    VEC_RELEASE(&entries.runs);
    if (out == NULL) {
        return;
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < rows.run_count; i++) {
        const uint16_t *from = column->codes + rows.runs[i].from;
        for (uint32_t row = 0; row < rows.runs[i].count; row++) {
            codes[at++] = code_of[from[row]];
        }
    }
    *out = (struct column){.physical = column->physical,
                           .encoding = ENCODING_DICT,
                           .row_count = rows.row_count,
                           .valid = valid,
                           .codes = codes,
                           .dict = dict};
}

static void copy_selected(struct column_copy_place *place, const struct column *column,
                          struct selection rows, struct column *out)
{
    if (out != NULL) {
        *out = (struct column){0};
    }
    if (column->encoding == ENCODING_DICT) {
        copy_dict(place, column, rows, out);
    } else if (column->encoding == ENCODING_CONST) {
        const struct column_run first = {0, 1};
        copy_flat(place, column, (struct selection){&first, 1, 1}, out);
        if (out != NULL) {
            out->encoding = ENCODING_CONST;
            out->row_count = rows.row_count;
        }
    } else {
        copy_flat(place, column, rows, out);
    }
}

void column_copy_rows(struct column_copy_place *place, const struct column *column,
                      const struct column_run *runs, uint32_t run_count, struct column *out)
{
    struct selection rows = {runs, run_count, 0};
    for (uint32_t i = 0; i < run_count; i++) {
        rows.row_count += runs[i].count;
    }
    copy_selected(place, column, rows, out);
}

struct column column_copy(struct arena *arena, const struct column *column)
{
    struct column_run all = {0, column->row_count};
    struct column_copy_place place = {0};
    column_copy_rows(&place, column, &all, 1, NULL);
    place = (struct column_copy_place){.base = arena_alloc64(arena, place.used)};
    struct column copy;
    column_copy_rows(&place, column, &all, 1, &copy);
    return copy;
}
