// SPDX-License-Identifier: Apache-2.0
//
// state_checkpoint: writing what has changed, and cleaning old segments by writing their live rows
// again. state.h says what it promises, state_table_int.h how rows are marked.
#include "base/assert.h"
#include "base/byte_sink.h"
#include "state/state_table_int.h"

enum {
    SEGMENT_MIN = 1 << 20,
    SEGMENT_MAX = 64 << 20,
    SEGMENT_SHARE = 16,         // of the state in one segment
    GARBAGE_FREE = 1 << 20,     // not worth a thought
    READ_AHEAD_MAX = 64,        // pages
    PAGE_WORTH = PAGE_SIZE / 4, // what looking at a page counts as, in bytes written
};

static uint64_t segment_max(const struct state_context *context)
{
    uint64_t size = state_context_bytes(context) / SEGMENT_SHARE;
    if (context->segment_bytes_max != 0) {
        return context->segment_bytes_max;
    }
    return size < SEGMENT_MIN ? SEGMENT_MIN : size > SEGMENT_MAX ? SEGMENT_MAX : size;
}

// How many of the oldest segments this checkpoint makes superfluous: enough to keep the garbage
// below its share, but no more work than a checkpoint should have, unless a restore would get too
// long.
static uint32_t choose_cleaning(const struct state_context *context)
{
    uint64_t state = state_context_bytes(context);
    uint64_t total = context->dirty_bytes;
    uint64_t work = 0;
    uint64_t work_max = state / 8 > context->dirty_bytes ? state / 8 : context->dirty_bytes;
    uint64_t limit = state + state * STATE_GARBAGE_PERCENT / 100 + GARBAGE_FREE;
    uint64_t limit_hard = limit + state / 20;
    uint32_t clean = 0;
    for (uint32_t i = 0; i < context->segments.count; i++) {
        total += context->segments.items[i].raw;
    }
    while (clean < context->segments.count && total > limit &&
           (work <= work_max || total > limit_hard)) {
        const struct live_segment *segment = &context->segments.items[clean];
        uint64_t live = segment->live < segment->raw ? segment->live : segment->raw;
        total -= segment->raw - live;
        work += live;
        clean++;
    }
    // Segments in which nothing lives go without any work.
    while (clean < context->segments.count && context->segments.items[clean].live == 0) {
        clean++;
    }
    return clean == 0 ? 0 : (uint32_t)context->segments.items[clean - 1].file.number;
}

static void write_drops(struct state_context *context)
{
    struct err *err = &context->failure;
    for (uint32_t i = 0; i < context->drops.count; i++) {
        const struct state_drop *drop = &context->drops.items[i];
        struct delta_table name = {drop->id, drop->form, drop->slice, 0};
        if (state_checkpoint_open(context, err) != STATUS_OK ||
            delta_drop(&context->writer, &name, err) != STATUS_OK) {
            break; // the next step reports it
        }
    }
    context->drops.count = 0;
}

void state_checkpoint_begin(struct state_context *context, struct state_segment_sink *sink)
{
    ASSERT(context->mark_old == 0);
    context->clean_behind = choose_cleaning(context);
    context->sink = sink;
    context->mark_old = context->mark_now;
    context->mark_now ^= MARK_DIRTY;
    context->parity ^= 1;
    context->dirty_bytes = 0;
    context->walk_table = 0;
    for (uint32_t i = 0; i < context->tables.count; i++) {
        context->tables.items[i]->walk = context->tables.items[i]->owner.pages.count;
    }
    // First of all: a table of the same name may have begun anew since.
    write_drops(context);
}

// --- segments ----------------------------------------------------------------------------------

enum status state_checkpoint_open(struct state_context *context, struct err *err)
{
    if (context->segment_begun) {
        return STATUS_OK;
    }
    context->segment_begun = true;
    context->segment_number++;
    VEC_PUSH(&context->fresh, ((struct live_segment){.file.number = context->segment_number}));
    return delta_begin(&context->writer, context->segment_number, err);
}

// Hands finished blocks to the sink.
static enum status flush(struct state_context *context, struct err *err)
{
    struct delta_writer *writer = &context->writer;
    if (context->out == NULL) {
        TRY(context->sink->open(context->sink, writer->number, &context->out, err));
    }
    if (writer->out.size > 0) {
        TRY(byte_sink_write(context->out, writer->out.ptr, writer->out.size, err));
        strbuf_reset(&writer->out);
    }
    return STATUS_OK;
}

static enum status seal(struct state_context *context, struct err *err)
{
    if (!context->segment_begun) {
        return STATUS_OK;
    }
    TRY(flush(context, err)); // the sink may want us to wait: before the end is written
    TRY(delta_end(&context->writer, err));
    TRY(flush(context, err));
    struct live_segment *segment = &context->fresh.items[context->fresh.count - 1];
    segment->file.size = context->out->written;
    segment->raw = context->writer.size;
    context->segment_begun = false;
    context->out = NULL;
    return context->sink->seal(context->sink, segment->file, err);
}

// --- walking -----------------------------------------------------------------------------------

static uint8_t parity_old(const struct state_context *context)
{
    return (uint8_t)(1 << (context->parity ^ 1));
}

static bool is_due(const struct state_context *context, const struct page_entry *entry)
{
    return (entry->dirty & parity_old(context)) != 0 || entry->oldest <= context->clean_behind;
}

// Asks for pages that come soon.
static void read_ahead(struct state_table *table)
{
    struct page_owner *owner = &table->owner;
    if (owner->absent == 0) {
        return;
    }
    uint32_t asked = 0;
    uint32_t asked_max = state_pool_window_pages(owner->pool) / 2;
    asked_max = asked_max < READ_AHEAD_MAX ? asked_max : READ_AHEAD_MAX;
    for (uint32_t i = table->walk; i-- > 0 && asked < asked_max;) {
        uint32_t number = owner->pages.items[i];
        const struct page_entry *entry = &owner->pool->entries.items[number];
        if (is_due(table->context, entry)) {
            asked++;
            if ((entry->where & 1) != 0) {
                (void)state_pool_look(owner, number);
            }
        }
    }
}

// False: other pages are missing. The page stays in its place meanwhile, and afterwards where
// somebody else pins it or rows on it wait for the end of a window.
static bool write_page(struct state_table *table, struct page *page)
{
    bool was_pinned = page->frame->window == table->owner.window;
    bool holds = false;
    state_pool_pin(page);
    bool done = table->write_page(table, page, &holds);
    if (!was_pinned && !holds) {
        state_pool_unpin(page);
    }
    return done;
}

// The next page of the table. OK: looked at; AGAIN: it is missing.
static enum status walk_page(struct state_table *table, uint64_t *work, struct err *err)
{
    struct state_context *context = table->context;
    struct page_owner *owner = &table->owner;
    if (table->walk > owner->pages.count) {
        table->walk = owner->pages.count; // pages went meanwhile
        return STATUS_OK;
    }
    uint32_t number = owner->pages.items[table->walk - 1];
    if (!is_due(context, &owner->pool->entries.items[number])) {
        table->walk--;
        return STATUS_OK;
    }
    struct page *page = state_pool_look(owner, number);
    if (page == NULL || !write_page(table, page)) {
        read_ahead(table);
        TRY(state_pool_check(owner->pool, err));
        state_table_await(table);
        return STATUS_AGAIN;
    }
    owner->pool->entries.items[number].dirty &= (uint8_t)~parity_old(context);
    table->walk--;
    *work += PAGE_WORTH;
    return context->failure.status == STATUS_OK
               ? STATUS_OK
               : ERR(err, context->failure.status, "%s", context->failure.text);
}

static void end_walk(struct state_context *context)
{
    struct state_table *table = context->tables.items[context->walk_table];
    if (table != NULL && table->is_zombie) {
        context->tables.items[context->walk_table] = NULL;
        table->free(table);
    }
    context->walk_table++;
}

static void finish(struct state_context *context)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < context->segments.count; i++) {
        if (context->segments.items[i].file.number > context->clean_behind) {
            context->segments.items[kept++] = context->segments.items[i];
        }
    }
    context->segments.count = kept;
    for (uint32_t i = 0; i < context->fresh.count; i++) {
        VEC_PUSH(&context->segments, context->fresh.items[i]);
    }
    context->fresh.count = 0;
    kept = 0;
    for (uint32_t i = 0; i < context->tables.count; i++) {
        if (context->tables.items[i] != NULL) {
            context->tables.items[kept++] = context->tables.items[i];
        }
    }
    context->tables.count = kept;
    context->mark_old = 0;
    context->clean_behind = 0;
}

enum status state_checkpoint_step(struct state_context *context, size_t size, bool *waiting,
                                  struct err *err)
{
    uint64_t work = 0;
    *waiting = false;
    ASSERT(context->mark_old != 0);
    state_pool_poll(context->pool);
    while (context->walk_table < context->tables.count) {
        struct state_table *table = context->tables.items[context->walk_table];
        if (table == NULL || table->is_derived || table->walk == 0) {
            end_walk(context);
            continue;
        }
        uint64_t before = context->bytes_written;
        if (!table->owner.is_open) { // nobody's window: what the walk pins it gives back
            page_owner_close(&table->owner);
        }
        enum status status = walk_page(table, &work, err);
        if (status == STATUS_AGAIN) {
            *waiting = true;
            return status;
        }
        TRY(status);
        if (context->writer.size >= segment_max(context)) {
            TRY(seal(context, err));
        } else if (context->writer.out.size >= DELTA_BLOCK_BYTES) {
            TRY(flush(context, err));
        }
        work += context->bytes_written - before;
        if (work >= size) {
            return STATUS_AGAIN;
        }
    }
    TRY(seal(context, err));
    finish(context);
    return STATUS_OK;
}

uint32_t state_checkpoint_segments(const struct state_context *context, struct arena *arena,
                                   struct state_segment **segments)
{
    *segments = arena_new_array(arena, struct state_segment, context->segments.count + 1);
    for (uint32_t i = 0; i < context->segments.count; i++) {
        (*segments)[i] = context->segments.items[i].file;
    }
    return context->segments.count;
}
