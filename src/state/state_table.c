// SPDX-License-Identifier: Apache-2.0
#include "base/assert.h"
#include "state/state_table_int.h"
#include "sys/waker.h"

static const uint32_t mark_never = 0;

void state_table_init(struct state_table *table, struct state_context *context)
{
    ASSERT(state_table_find(context, table->id, table->slice) == NULL);
    table->context = context;
    table->mark_now = table->is_derived ? &mark_never : &context->mark_now;
    page_owner_init(&table->owner, context->pool);
    VEC_PUSH(&context->tables, table);
}

struct state_table *state_table_find(struct state_context *context, uint32_t id, int64_t slice)
{
    for (uint32_t i = context->tables.count; i-- > 0;) { // young ones are asked for most
        struct state_table *table = context->tables.items[i];
        if (table != NULL && table->id == id && table->slice == slice && !table->is_zombie) {
            return table;
        }
    }
    return NULL;
}

static void take_off(struct state_context *context, struct state_table *table)
{
    uint32_t at = 0;
    while (context->tables.items[at] != table) {
        at++;
    }
    if (context->mark_old != 0) { // a checkpoint counts in this list
        context->tables.items[at] = NULL;
        return;
    }
    for (; at + 1 < context->tables.count; at++) {
        context->tables.items[at] = context->tables.items[at + 1];
    }
    context->tables.count--;
}

static bool is_in_checkpoint(const struct state_table *table)
{
    return table->context->mark_old != 0 && table->walk > 0 && !table->is_derived;
}

bool state_table_leave(struct state_table *table)
{
    struct state_context *context = table->context;
    if (table->was_written || is_in_checkpoint(table)) {
        VEC_PUSH(&context->drops, ((struct state_drop){table->id, table->slice, table->form}));
    }
    if (is_in_checkpoint(table)) {
        table->is_zombie = true;
        return false;
    }
    take_off(context, table);
    return true;
}

void state_table_release(struct state_table *table)
{
    page_owner_release(&table->owner);
}

void state_table_touch(struct state_table *table, struct page *page, struct row *row, size_t size)
{
    struct state_context *context = table->context;
    if (context->mark_old != 0 && state_table_is_due(context, row->mark)) {
        state_table_write(table, row, size);
    }
    row->mark |= context->mark_now;
    state_table_note_page(table, page);
    context->dirty_bytes += size;
}

void state_table_write(struct state_table *table, struct row *row, size_t size)
{
    struct state_context *context = table->context;
    bool is_dead = (row->mark & MARK_DEAD) != 0;
    bool is_ordered = table->form == DELTA_FORM_ORDERED;
    enum delta_kind kind = is_dead ? (is_ordered ? DELTA_ENTRIES_GONE : DELTA_GONE)
                                   : (is_ordered ? DELTA_ENTRIES : DELTA_ROWS);
    struct delta_table name = {table->id, table->form, table->slice, table->layout_id};
    struct err *err = &context->failure;
    char *image;
    if (err->status != STATUS_OK) {
        return;
    }
    if (state_checkpoint_open(context, err) != STATUS_OK) {
        return;
    }
    if (delta_table_set(&context->writer, &name, err) != STATUS_OK ||
        delta_add(&context->writer, kind, size, &image, err) != STATUS_OK) {
        return;
    }
    memcpy(image, row, size);
    uint32_t zero = 0;
    memcpy(image + offsetof(struct row, mark), &zero, sizeof zero);
    table->was_written = true;
    context->bytes_written += size;
    uint32_t former = row->mark & MARK_SEGMENT;
    if (former != 0) {
        state_context_count_live(context, former, -(int64_t)size);
    }
    if (!is_dead) {
        state_context_count_live(context, context->segment_number, (int64_t)size);
    }
    row->mark = (row->mark & ~(MARK_SEGMENT | context->mark_old)) | context->segment_number;
}

void state_table_walk_too(struct state_table *table, const struct page *page)
{
    uint32_t *pages = table->owner.pages.items;
    struct page_entry *entries = table->owner.pool->entries.items;
    uint32_t from = entries[page->number].index;
    // Where pages went meanwhile, `walk` may be behind the new one: it is looked at anyway then.
    if (table->context->mark_old == 0 || from < table->walk || table->walk == 0) {
        return;
    }
    uint32_t to = table->walk++; // the first page that was looked at makes room
    uint32_t other = pages[to];
    pages[to] = page->number;
    pages[from] = other;
    entries[other].index = from;
    entries[page->number].index = to;
}

void state_table_await(struct state_table *table)
{
    struct state_pool *pool = table->owner.pool;
    if (!state_pool_is_busy(pool) && pool->waker != NULL) {
        waker_wake(pool->waker);
    }
}

void state_context_count_live(struct state_context *context, uint32_t number, int64_t size)
{
    struct live_segment *lists[] = {context->fresh.items, context->segments.items};
    uint32_t counts[] = {context->fresh.count, context->segments.count};
    for (int l = 0; l < 2; l++) {
        if (counts[l] == 0 || number < lists[l][0].file.number) {
            continue;
        }
        // Numbers rise by one, or by more behind a restore: the place is there or before.
        uint64_t at = number - lists[l][0].file.number;
        at = at < counts[l] ? at : counts[l] - 1;
        while (lists[l][at].file.number > number) {
            at--;
        }
        struct live_segment *segment = &lists[l][at];
        if (segment->file.number == number) {
            bool is_under = size < 0 && (uint64_t)-size > segment->live;
            segment->live = is_under ? 0 : segment->live + (uint64_t)size;
            return;
        }
    }
}
