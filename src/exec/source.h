// SPDX-License-Identifier: Apache-2.0
//
// source: where rows come from. A connector implements it (connect/); op_source.c drives it.
//
// Splits. What a source reads falls into splits (a topic's partitions, files, generator shards)
// with a name that is the same in every run ("clicks-3"). Each has a position that says where to go
// on. Every instance lists the splits for itself and takes those that are its own by a fixed rule
// (split number % parallelism, or a hash of the name), so that a restore at another parallelism and
// splits that appear later need no talk between instances.
//
// A reader is used by its worker only and never blocks: poll answers AGAIN and the reader wakes
// `waker` when there is something (from a library's thread or an event fd's poller). Rows come in
// batches, each from one split (batch.split is its index in `splits`), of the columns that the scan
// asks for. The position of a split moves with the batches handed out, never ahead of them.
//
// Several splits: the reader polls the one with the lowest watermark first (it sees `watermark` of
// each, kept up to date by the watermark assigner above it).
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "data/batch.h"
#include "exec/snapshot.h"

struct arena;
struct op;
struct op_context;
struct plan_node;
struct source_reader;

enum source_split_state {
    SPLIT_ACTIVE,
    SPLIT_IDLE,     // caught up with its end, its fetches healthy, not back-pressured
    SPLIT_FINISHED, // bounded, and read to its end
};

struct source_split {
    struct str name;
    enum source_split_state state; // kept by the reader
    int64_t caught_up_us;          // monotonic time since when it has been caught up; -1: it is not
    int64_t watermark;             // kept by the watermark assigner; WATERMARK_NONE at first
};

struct source_splits {
    uint32_t count;
    struct source_split *items; // grows when splits appear; indexes stay
    bool has_pending;           // there are splits that are not among the items yet: not idle
    uint64_t lag_rows;          // behind the end, where it is known; for the status line
};

// What a reader has read and left out so far, for EXPLAIN ANALYZE. Row groups and pages: of formats
// that have them.
struct source_metrics {
    uint64_t files_read, files_skipped;
    uint64_t row_groups_read, row_groups_skipped;
    uint64_t pages_read, pages_skipped;
    uint64_t bytes_read, bytes_skipped;               // of the files, as they are on disk
    uint64_t delete_files_read, delete_files_skipped; // of Iceberg tables
    uint64_t rows_deleted;                            // left out because of them
};

struct source_reader_ops {
    // OK: *out is a batch (row_count > 0) valid until the next call. AGAIN: nothing now. END: all
    // splits are finished and no more can appear. INVALID_DATA: a bad record, with its place.
    // UNAVAILABLE errors are retried by the reader itself within its own limits.
    enum status (*poll)(struct source_reader *reader, struct batch *out, struct err *err);
    // The positions behind the last batch handed out, one entry a split: key "split/<name>".
    void (*snapshot)(struct source_reader *reader, const struct op_context *context,
                     struct snapshot_writer *writer);
    // A checkpoint with these positions has become durable (offsets for lag tools). May be NULL.
    void (*committed)(struct source_reader *reader, struct epoch epoch);
    // May be NULL.
    void (*metrics)(struct source_reader *reader, struct source_metrics *out);
    void (*close)(struct source_reader *reader);
};

// Embedded first in each connector's own struct.
struct source_reader {
    const struct source_reader_ops *ops;
    struct source_splits splits;
};

// A connector that can be read. open() makes the reader of one instance for `scan` (a PLAN_SCAN
// node: table, columns wanted, predicate), from the positions in context->restore where that is
// set: splits without a position there begin at the start mode's place, except that a split which
// the restored run would have seen (it had positions for the others) begins at its very beginning.
// It may block briefly (metadata, open files). Errors name the table and what to do.
struct source_class {
    const char *name;
    enum status (*open)(const struct plan_node *scan, const struct op_context *context,
                        struct source_reader **out, struct err *err);
};

MUST_USE enum status op_source_new(const struct plan_node *node, const struct source_class *class,
                                   const struct op_context *context, struct op **out,
                                   struct err *err);
// The splits of a source operator, for the watermark assigner of its segment.
struct source_splits *op_source_splits(struct op *op);
bool op_is_source(const struct op *op);
// False where the connector keeps none.
bool op_source_metrics(struct op *op, struct source_metrics *out);
