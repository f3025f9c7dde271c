// SPDX-License-Identifier: Apache-2.0
//
// state_table_int: what all tables have in common, and how their changes come into checkpoints.
//
// Marks. Each row (entry) has a mark: the number of the segment that holds its last image, and
// flags: DIRTY0 and DIRTY1: changed in an epoch of that parity; DEAD: removed, its tombstone not
// yet written; FREE: a hole. At a barrier the parity turns: rows with the other bit belong to the
// checkpoint in progress. state_table_touch() is called before every change: where the row still
// has the old bit it is written out first, as it was at the barrier.
//
// Derived tables have no marks: their mark_now is 0 for ever.
#pragma once

#include "base/arena.h"
#include "state/delta.h"
#include "state/hash_table.h"
#include "state/row_layout.h"
#include "state/state_pool_int.h"

#define MARK_SEGMENT UINT32_C(0x0fffffff)
#define MARK_DIRTY0 UINT32_C(0x10000000)
#define MARK_DIRTY1 UINT32_C(0x20000000)
#define MARK_DIRTY (MARK_DIRTY0 | MARK_DIRTY1)
#define MARK_DEAD UINT32_C(0x40000000)
#define MARK_FREE UINT32_C(0x80000000)
#define MARK_MOVED (MARK_DEAD | MARK_FREE)

struct state_table {
    struct state_context *context;
    struct page_owner owner;
    uint32_t id;
    enum delta_form form;
    int64_t slice;
    int flags;
    uint64_t layout_id;
    const uint32_t *mark_now; // what MARK_DIRTY and MARK_DEAD of a touched row are
    uint64_t rows;            // live
    uint64_t bytes;           // of their images
    bool is_derived;
    bool was_written;  // segments may hold something of it
    bool is_zombie;    // freed by its owner while a checkpoint still needs it
    bool was_restored; // opened by a restore
    uint32_t walk;     // of the checkpoint: pages still to be looked at, from the last to the first
    void (*free)(struct state_table *table);
    void (*clear)(struct state_table *table);
    // Writes what of the page belongs to the checkpoint (state_table_is_due()), frees the dead,
    // sets the entry's `oldest`. False: other pages are missing and asked for. *holds: the page
    // must stay pinned until the window ends.
    bool (*write_page)(struct state_table *table, struct page *page, bool *holds);
};

struct state_drop {
    uint32_t id;
    int64_t slice;
    enum delta_form form;
};

struct live_segment {
    struct state_segment file;
    uint64_t raw;  // bytes of images
    uint64_t live; // of those, about, that are the last of their row
};

// Something that is built again from tables after a restore.
struct state_rebuild {
    enum status (*step)(void *object, size_t size, bool *waiting, struct err *err); // OK: done
    void *object;
};

struct state_context {
    struct state_pool *pool;
    struct waker *waker;
    char *operator_id;
    uint32_t key_group_from, key_group_to;
    uint32_t segment_bytes_max;
    VEC(struct state_table *) tables; // NULL: left during a checkpoint
    VEC(struct hash_table_options) declared;
    VEC(struct ordered_table_options) declared_ordered;
    VEC(struct state_rebuild) rebuilds;

    // Checkpoints.
    uint32_t mark_now;     // the dirty bit of this epoch
    uint32_t mark_old;     // of the checkpoint in progress; 0: none
    uint8_t parity;        // 0 or 1: of mark_now
    uint32_t clean_behind; // rows whose segment is at most this are written again; 0: none
    uint64_t dirty_bytes;  // changed in this epoch, about
    struct state_segment_sink *sink;
    struct byte_sink *out; // of the open segment; NULL: not opened yet
    struct delta_writer writer;
    bool segment_begun;
    uint32_t segment_number;           // of the last segment begun
    uint32_t walk_table;               // index of the table being written
    VEC(struct state_drop) drops;      // since the last barrier
    VEC(struct live_segment) segments; // alive, oldest first
    VEC(struct live_segment) fresh;    // of the checkpoint in progress
    struct state_restore *restore;
    uint64_t bytes_written; // images, all checkpoints
    struct err failure; // of an image that could not be written in time; reported by the next step
};

void state_table_init(struct state_table *table, struct state_context *context);
// Takes it off the context; true: it may be freed now, else the checkpoint does that.
bool state_table_leave(struct state_table *table);
void state_table_release(struct state_table *table);
struct state_table *state_table_find(struct state_context *context, uint32_t id, int64_t slice);

// Before the change of a row (or entry) of `size` bytes on `page`, whose mark is not *mark_now.
// What belongs to the checkpoint in progress is written first.
void state_table_touch(struct state_table *table, struct page *page, struct row *row, size_t size);
// Whether what `mark` marks is still to be written for the checkpoint in progress.
static inline bool state_table_is_due(const struct state_context *context, uint32_t mark)
{
    return (mark & context->mark_old) != 0 ||
           (mark & (MARK_SEGMENT | MARK_DEAD)) - 1 < context->clean_behind;
}
// Writes an image or (MARK_DEAD) a tombstone into the open segment and changes the mark: of that
// segment, not due any more. Failures wait in context->failure.
void state_table_write(struct state_table *table, struct row *row, size_t size);
static inline void state_table_note_page(struct state_table *table, const struct page *page)
{
    table->owner.pool->entries.items[page->number].dirty |= (uint8_t)(1 << table->context->parity);
}
// Rows of a page that the checkpoint may not have looked at yet were moved to `page`, a new one.
void state_table_walk_too(struct state_table *table, const struct page *page);
// AGAIN is about to be answered: sees to it that there will be a wake.
void state_table_await(struct state_table *table);
// `size` bytes of images of segment `number` became the last of their rows (negative: are no
// longer).
void state_context_count_live(struct state_context *context, uint32_t number, int64_t size);
// Begins a segment where none is open.
MUST_USE enum status state_checkpoint_open(struct state_context *context, struct err *err);
// Forgets a restore that has ended or not.
void state_restore_end(struct state_context *context);
