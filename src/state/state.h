// SPDX-License-Identifier: Apache-2.0
//
// state: what an operator instance remembers: its tables, their checkpoints, their restore.
//
//     struct state_pool       one a worker: the memory of all state on it, and its spill
//     (page_pool.h) struct state_context    one an operator instance: the tables it opened
//     hash_table.h            rows by key; ordered_table.h: bytes in order; multimap.h: many rows
//     a key
//
// Access. Tables are used by batch: prepare() names the keys of a batch and answers OK with how
// many of them, from the front, are in memory now (at least one), or AGAIN: pages are being read,
// the waker of the pool is woken when there is something new, the same call is made again later.
// What is prepared stays in place until the next prepare of the same table. Nothing here blocks on
// a disk.
//
//     status = hash_table_prepare(table, &keys, from, &ready, err);
//     if (status == STATUS_AGAIN) { return OP_PENDING; }
//     hash_table_upsert(table, &keys, from, ready, rows, is_new);
//
// Checkpoints write changed rows: state_checkpoint_begin() at the barrier marks what has changed
// since the last one; state_checkpoint_step(), called between batches, writes a slice of it, and a
// row that is changed before its turn is written first. Nothing is copied, no other thread reads
// live pages. Images go into segments (delta.h), sealed at some size and handed to a sink that the
// caller gives; the checkpoint is the ordered list of segments that are alive. There is no
// separate merge: when the dead images in old segments weigh more than STATE_GARBAGE_PERCENT of
// the live rows, the rows whose last image is in the oldest segments are written again with the
// next checkpoint, and those segments are dropped. So a restore reads at most 1.5 times the state,
// and writing costs about two times the changed rows (uniform updates; less where they are skewed).
//
// Restore. Each instance reads all segments of all former instances of its operator, oldest first
// for each former instance, and keeps the rows whose key group is its own. Operators open their
// tables first; a table is filled by id and slice, slices are opened as they are met.
//
// Identity. A table is named by {id, slice}: `id` chosen by the operator (0, 1, ..., the same in
// every run), `slice` an int64 for tables that come and go (the end of a window), 0 otherwise.
//
// Threads. A pool and all that hangs on it belong to one thread, the worker's. Only the I/O thread
// behind struct spill is another one, and it sees pages only while the pool has given them away.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct arena;
struct budget;
struct byte_sink;
struct byte_source;
struct hash_table;
struct ordered_table;
struct row_layout;
struct spill;
struct state_context;
struct state_pool;
struct waker;

enum { STATE_GARBAGE_PERCENT = 40 };

struct state_pool_options {
    struct budget *budget; // charged for every page in memory; over it, cold pages are spilled
    struct spill *spill;   // spill.h; NULL: nothing can be spilled, the budget is only counted
    struct waker *waker;   // woken when reads or writes are done; NULL: the caller polls
    uint32_t pages_min;    // held whatever the budget says, so that work goes on; 0: a default
    bool hashes_zero;      // a test configuration: every hash is 0
};

MUST_USE struct state_pool *state_pool_new(const struct state_pool_options *options);
void state_pool_free(struct state_pool *pool); // its contexts are closed before; waits for I/O
// Takes in what the I/O thread has finished. prepare() does so too. Returns whether there was any.
bool state_pool_poll(struct state_pool *pool);
// Begins to give back about `size` bytes: cold pages go to the spill file. Between batches only.
void state_pool_shed(struct state_pool *pool, size_t size);
size_t state_pool_bytes(const struct state_pool *pool); // memory held

// `key_group_from` <= group < `key_group_to` are this instance's; of 4,096.
struct state_context_options {
    struct state_pool *pool;
    struct str operator_id; // for messages
    uint32_t key_group_from;
    uint32_t key_group_to;
    uint32_t segment_bytes_max; // a segment is sealed at about this size; 0: 1/16 of the state,
                                // within 1 and 64 MiB
};

MUST_USE struct state_context *state_context_new(const struct state_context_options *options);
void state_context_free(struct state_context *context);            // frees its tables
uint64_t state_context_rows(const struct state_context *context);  // live, all tables
uint64_t state_context_bytes(const struct state_context *context); // their images, encoded
static inline uint32_t state_key_group(uint64_t hash)
{
    return (uint32_t)(hash >> 52);
}

// Tables of `id` that exist now, ascending by slice (after a restore: which windows are open).
// Returned in `arena`.
uint32_t state_context_slices(struct state_context *context, uint32_t id, struct arena *arena,
                              int64_t **slices);

// --- checkpoints -------------------------------------------------------------------------------

// A sealed segment: its name in the list of the checkpoint, and its size.
struct state_segment {
    uint64_t number; // unique in the context and rising, also over restarts
    uint64_t size;
};

// Where segments go. The caller names files, syncs and lists them.
struct state_segment_sink {
    // A new segment begins; *out takes its bytes until seal(). AGAIN: not now, the step is
    // repeated.
    enum status (*open)(struct state_segment_sink *sink, uint64_t number, struct byte_sink **out,
                        struct err *err);
    // The bytes are complete.
    enum status (*seal)(struct state_segment_sink *sink, struct state_segment segment,
                        struct err *err);
};

// Freezes: what has changed up to now belongs to this checkpoint. One at a time. `sink` is borrowed
// until the checkpoint is done.
void state_checkpoint_begin(struct state_context *context, struct state_segment_sink *sink);
// Writes about `size` bytes of it. OK: done, all segments are sealed; AGAIN with *waiting false:
// call again when convenient; AGAIN with *waiting true: pages are being read, there will be a wake.
MUST_USE enum status state_checkpoint_step(struct state_context *context, size_t size,
                                           bool *waiting, struct err *err);
// The segments that make up the checkpoint written last, oldest first; in `arena`. Others of this
// context may be removed once it is durable.
uint32_t state_checkpoint_segments(const struct state_context *context, struct arena *arena,
                                   struct state_segment **segments);

// --- restore -----------------------------------------------------------------------------------

// One former instance's segments, oldest first.
struct state_former {
    uint32_t segment_count;
    const struct state_segment *segments;
    struct byte_source *const *sources; // one each
    bool same_instance; // its key groups are exactly ours: its segments stay ours, nothing is
                        // written again at the next checkpoint
};

// Called before the first use, tables may be open already. `formers` and the sources are borrowed
// until the end. New segment numbers begin behind `number_from`.
void state_restore_begin(struct state_context *context, const struct state_former *formers,
                         uint32_t former_count, uint64_t number_from);
// Reads about `size` bytes. OK: done. AGAIN as above. INVALID_DATA: a segment is damaged.
// UNSUPPORTED: written by a build or a plan with another layout; the text says which table.
MUST_USE enum status state_restore_step(struct state_context *context, size_t size, bool *waiting,
                                        struct err *err);
