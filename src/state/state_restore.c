// SPDX-License-Identifier: Apache-2.0
//
// state_restore: from segments to tables, block by block, a window of rows at a time.
//
// Several formers. Where a former's table ended, only its own earlier rows are void: those of other
// formers in the table of the same name stay. So with several formers the segments are read twice:
// the first time to note where tables ended last, the second to leave out what stands before.
#include <stdlib.h>

#include "base/assert.h"
#include "base/byte_source.h"
#include "state/hash_table_int.h"
#include "state/ordered_table_int.h"

enum { LONG_ROWS_MAX = 1 << 30 };

struct image {
    const struct row *row;
    size_t size;
};

// Where a table of a former ended for the last time.
struct table_end {
    uint32_t former;
    uint32_t id;
    int64_t slice;
    uint64_t at; // place of the block in the former's segments
};

struct state_restore {
    const struct state_former *formers;
    uint32_t former_count;
    bool has_several;           // formers with segments
    bool is_noting;             // the first of two readings
    uint64_t place;             // of the block read last in the former's segments
    VEC(struct table_end) ends; // sorted by former, id, slice once they are noted
    uint32_t former;            // being read
    uint32_t segment;           // of it
    bool is_reading;
    struct delta_reader reader;
    bool is_applying;
    struct block block;
    struct state_table *table;
    VEC(struct row *) images; // of the block, those whose key group is ours
    VEC(uint32_t) sizes;
    uint32_t at;      // next image
    uint64_t raw;     // bytes of images in the segment
    uint32_t rebuild; // next object to build again
    uint64_t done;    // bytes, in this step
};

void state_restore_begin(struct state_context *context, const struct state_former *formers,
                         uint32_t former_count, uint64_t number_from)
{
    ASSERT(context->restore == NULL && number_from < MARK_SEGMENT);
    struct state_restore *restore = mem_zalloc(sizeof *restore);
    restore->formers = formers;
    restore->former_count = former_count;
    uint32_t filled = 0;
    for (uint32_t i = 0; i < former_count; i++) {
        filled += formers[i].segment_count > 0;
    }
    restore->has_several = restore->is_noting = filled > 1;
    context->restore = restore;
    context->segment_number = (uint32_t)number_from;
}

void state_restore_end(struct state_context *context)
{
    struct state_restore *restore = context->restore;
    if (restore == NULL) {
        return;
    }
    if (restore->is_reading) {
        delta_reader_release(&restore->reader);
    }
    VEC_RELEASE(&restore->ends);
    VEC_RELEASE(&restore->images);
    VEC_RELEASE(&restore->sizes);
    mem_free(restore);
    context->restore = NULL;
}

// --- tables ------------------------------------------------------------------------------------

static struct state_table *open_declared(struct state_context *context,
                                         const struct delta_table *name)
{
    for (uint32_t i = 0; i < context->declared.count; i++) {
        struct hash_table_options options = context->declared.items[i];
        if (options.id == name->id && name->form != DELTA_FORM_ORDERED) {
            options.slice = name->slice;
            return &hash_table_new(context, &options)->base;
        }
    }
    for (uint32_t i = 0; i < context->declared_ordered.count; i++) {
        struct ordered_table_options options = context->declared_ordered.items[i];
        if (options.id == name->id && name->form == DELTA_FORM_ORDERED) {
            options.slice = name->slice;
            return &ordered_table_new(context, &options)->base;
        }
    }
    return NULL;
}

static enum status find_table(struct state_context *context, const struct delta_table *name,
                              struct state_table **out, struct err *err)
{
    struct state_table *table = state_table_find(context, name->id, name->slice);
    if (table == NULL) {
        table = open_declared(context, name);
        if (table != NULL) {
            table->was_restored = true;
        }
    }
    if (table == NULL) {
        return ERR(err, STATUS_UNSUPPORTED,
                   "operator %s has no table %u now, the checkpoint has: it was written by "
                   "another plan",
                   context->operator_id, name->id);
    }
    if ((uint32_t)table->form != name->form || table->layout_id != name->layout_id) {
        return ERR(err, STATUS_UNSUPPORTED,
                   "table %u of operator %s has other columns than in the checkpoint: it was "
                   "written by another plan or build",
                   name->id, context->operator_id);
    }
    *out = table;
    return STATUS_OK;
}

static void drop_table(struct state_context *context, const struct delta_table *name)
{
    struct state_table *table = state_table_find(context, name->id, name->slice);
    if (table != NULL) {
        table->clear(table);
    }
}

// Orders by former, id, slice.
static int compare_tables(const struct table_end *a, const struct table_end *b)
{
    return a->former != b->former ? (a->former < b->former ? -1 : 1)
           : a->id != b->id       ? (a->id < b->id ? -1 : 1)
           : a->slice != b->slice ? (a->slice < b->slice ? -1 : 1)
                                  : 0;
}

static int compare_ends(const void *left, const void *right)
{
    const struct table_end *a = left;
    const struct table_end *b = right;
    int order = compare_tables(a, b);
    return order != 0 ? order : a->at != b->at ? (a->at < b->at ? -1 : 1) : 0;
}

// Keeps the last end of each table.
static void sort_ends(struct state_restore *restore)
{
    uint32_t kept = 0;
    if (restore->ends.count > 0) {
        qsort(restore->ends.items, restore->ends.count, sizeof *restore->ends.items, compare_ends);
    }
    for (uint32_t i = 0; i < restore->ends.count; i++) {
        struct table_end *items = restore->ends.items;
        if (kept > 0 && compare_tables(&items[kept - 1], &items[i]) == 0) {
            kept--;
        }
        items[kept++] = items[i];
    }
    restore->ends.count = kept;
}

// Whether the table of the block in work ended later on.
static bool ends_later(const struct state_restore *restore)
{
    struct table_end wanted = {.former = restore->former,
                               .id = restore->reader.table.id,
                               .slice = restore->reader.table.slice};
    uint32_t from = 0;
    uint32_t to = restore->ends.count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        int order = compare_tables(&restore->ends.items[middle], &wanted);
        if (order == 0) {
            return restore->ends.items[middle].at > restore->place;
        }
        from = order < 0 ? middle + 1 : from;
        to = order < 0 ? to : middle;
    }
    return false;
}

// Windows that were opened for rows that are gone again.
static void close_empty(struct state_context *context)
{
    for (uint32_t i = context->tables.count; i-- > 0;) {
        struct state_table *table = context->tables.items[i];
        if (table->was_restored && table->rows == 0 && state_table_leave(table)) {
            table->free(table);
        }
    }
}

// --- images ------------------------------------------------------------------------------------

static enum status damaged(const struct state_restore *restore, const char *what, struct err *err)
{
    return ERR(err, STATUS_INVALID_DATA, "%.*s: a state segment with %s",
               STR_ARGS(restore->reader.source->name), what);
}

static bool is_ours(const struct state_context *context, uint64_t hash)
{
    uint32_t group = state_key_group(hash);
    return group >= context->key_group_from && group < context->key_group_to;
}

static enum status check_image(const struct state_restore *restore, const struct row *row,
                               size_t size, struct err *err)
{
    if (row->mark != 0) {
        return damaged(restore, "a row that has a mark", err);
    }
    if (restore->table->form == DELTA_FORM_ORDERED) {
        return ordered_table_check_image(restore->table, row, size, err);
    }
    const struct hash_table *table = (const struct hash_table *)restore->table;
    return row_layout_check(table->layout, row, size, err);
}

// Lists the images of the block that are ours, checked.
static enum status list_images(struct state_context *context, struct state_restore *restore,
                               struct err *err)
{
    struct str payload = restore->block.payload;
    restore->images.count = 0;
    restore->sizes.count = 0;
    restore->at = 0;
    restore->raw += payload.size;
    for (size_t at = 0; at < payload.size;) {
        struct row row;
        size_t rest = payload.size - at;
        if (rest < sizeof row) {
            return damaged(restore, "half a row", err);
        }
        memcpy(&row, payload.ptr + at, sizeof row);
        size_t size = row.units != 0 ? (size_t)row.units * 8 : rest;
        if (size > rest || size < sizeof row || size % 8 != 0 || size > LONG_ROWS_MAX ||
            (row.units == 0 && at != 0)) {
            return damaged(restore, "a row that does not fit", err);
        }
        struct row *image = (struct row *)(void *)(uintptr_t)(payload.ptr + at);
        TRY(check_image(restore, image, size, err));
        if (is_ours(context, row.hash)) {
            VEC_PUSH(&restore->images, image);
            VEC_PUSH(&restore->sizes, (uint32_t)size);
        }
        at += size;
    }
    return STATUS_OK;
}

static void apply_hash(struct state_context *context, struct state_restore *restore, uint32_t count)
{
    struct hash_table *table = (struct hash_table *)restore->table;
    bool is_own = restore->formers[restore->former].same_instance;
    uint32_t number = is_own ? (uint32_t)restore->reader.number : 0;
    bool is_searched = table->base.owner.whole && table->base.form == DELTA_FORM_HASH;
    for (uint32_t i = 0; i < count; i++) {
        const struct row *image = restore->images.items[restore->at + i];
        if (is_searched && i % HASH_WARM_MAX == 0) {
            uint32_t left = count - i < HASH_WARM_MAX ? count - i : HASH_WARM_MAX;
            hash_search_warm(table, restore->images.items + restore->at + i, left);
        }
        size_t size = restore->sizes.items[restore->at + i];
        if (restore->block.kind == DELTA_GONE) {
            hash_table_drop_image(table, image, i);
        } else {
            hash_table_put_image(table, image, size, i, number);
            state_context_count_live(context, number, (int64_t)size);
        }
    }
    table->base.was_written |= is_own;
}

static enum status apply(struct state_context *context, struct state_restore *restore,
                         struct err *err)
{
    while (restore->at < restore->images.count) {
        struct row *const *images = restore->images.items + restore->at;
        uint32_t rest = restore->images.count - restore->at;
        uint32_t ready = rest;
        if (restore->table->form == DELTA_FORM_ORDERED) {
            bool is_own = restore->formers[restore->former].same_instance;
            TRY(ordered_table_apply_image(restore->table, images[0],
                                          restore->block.kind == DELTA_ENTRIES_GONE,
                                          is_own ? (uint32_t)restore->reader.number : 0, err));
            restore->table->was_written |= is_own;
            ready = 1;
        } else {
            struct hash_table *table = (struct hash_table *)restore->table;
            TRY(hash_table_prepare_images(table, images, rest, &ready, err));
            apply_hash(context, restore, ready);
        }
        restore->at += ready;
    }
    restore->is_applying = false;
    return STATUS_OK;
}

// --- segments ----------------------------------------------------------------------------------

static void begin_segment(struct state_context *context, struct state_restore *restore)
{
    const struct state_former *former = &restore->formers[restore->former];
    delta_reader_init(&restore->reader, former->sources[restore->segment]);
    restore->is_reading = true;
    restore->raw = 0;
    if (former->same_instance && !restore->is_noting) {
        VEC_PUSH(&context->segments,
                 ((struct live_segment){.file = former->segments[restore->segment]}));
    }
}

static enum status end_segment(struct state_context *context, struct state_restore *restore,
                               struct err *err)
{
    const struct state_former *former = &restore->formers[restore->former];
    uint64_t number = former->segments[restore->segment].number;
    if (restore->reader.number != number) {
        return damaged(restore, "the number of another one", err);
    }
    if (former->same_instance && !restore->is_noting) {
        context->segments.items[context->segments.count - 1].raw = restore->raw;
        if (number > context->segment_number) {
            context->segment_number = (uint32_t)number;
        }
    }
    delta_reader_release(&restore->reader);
    restore->is_reading = false;
    restore->segment++;
    return STATUS_OK;
}

static void end_table(struct state_context *context, struct state_restore *restore)
{
    const struct delta_table *name = &restore->reader.table;
    if (restore->is_noting) {
        VEC_PUSH(&restore->ends, ((struct table_end){.former = restore->former,
                                                     .id = name->id,
                                                     .slice = name->slice,
                                                     .at = restore->place}));
    } else if (!restore->has_several) {
        drop_table(context, name);
    }
}

// The next block, up to its images.
static enum status next_block(struct state_context *context, struct state_restore *restore,
                              struct err *err)
{
    if (!restore->is_reading) {
        begin_segment(context, restore);
    }
    uint64_t before = restore->reader.at;
    enum status status = delta_next(&restore->reader, &restore->block, err);
    restore->done += restore->reader.at - before;
    if (status == STATUS_END) {
        return end_segment(context, restore, err);
    }
    TRY(status);
    if (restore->reader.number > MARK_SEGMENT) {
        return damaged(restore, "a number that is too large", err);
    }
    restore->place++;
    if (restore->block.kind == DELTA_DROP) {
        end_table(context, restore);
        return STATUS_OK;
    }
    if (restore->is_noting || ends_later(restore)) {
        return STATUS_OK;
    }
    TRY(find_table(context, &restore->reader.table, &restore->table, err));
    bool of_entries =
        restore->block.kind == DELTA_ENTRIES || restore->block.kind == DELTA_ENTRIES_GONE;
    if (of_entries != (restore->table->form == DELTA_FORM_ORDERED)) {
        return damaged(restore, "rows of another form", err);
    }
    TRY(list_images(context, restore, err));
    restore->is_applying = true;
    return STATUS_OK;
}

static enum status rebuild(struct state_context *context, struct state_restore *restore,
                           size_t size, bool *waiting, struct err *err)
{
    while (restore->rebuild < context->rebuilds.count) {
        struct state_rebuild *object = &context->rebuilds.items[restore->rebuild];
        TRY(object->step(object->object, size, waiting, err));
        restore->rebuild++;
    }
    close_empty(context);
    state_restore_end(context);
    return STATUS_OK;
}

enum status state_restore_step(struct state_context *context, size_t size, bool *waiting,
                               struct err *err)
{
    struct state_restore *restore = context->restore;
    *waiting = false;
    if (restore == NULL) {
        return STATUS_OK;
    }
    restore->done = 0;
    while (restore->is_noting || restore->former < restore->former_count) {
        if (restore->former == restore->former_count) { // all ends are noted
            sort_ends(restore);
            restore->is_noting = false;
            restore->former = 0;
            continue;
        }
        if (restore->is_applying) {
            enum status status = apply(context, restore, err);
            *waiting = status == STATUS_AGAIN;
            TRY(status);
        }
        if (restore->done >= size) {
            return STATUS_AGAIN;
        }
        if (restore->segment == restore->formers[restore->former].segment_count) {
            restore->former++;
            restore->segment = 0;
            restore->place = 0;
            continue;
        }
        TRY(next_block(context, restore, err));
    }
    return rebuild(context, restore, size, waiting, err);
}
