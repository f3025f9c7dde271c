// SPDX-License-Identifier: Apache-2.0
//
// op: the operator interface.
//
// An operator takes batches and markers from its inputs (ports) and hands out batches. It is driven
// by its segment (segment.h), on one worker, and never blocks. There is one instance of it a
// worker, each with its share of the keys; an instance is used by one thread at a time.
//
// Calls and results. Each callback handles one thing that arrived: a batch, a watermark, a barrier,
// the end of a port. It fills *out with at most one batch (row_count 0: none) and returns
//
//     OP_DONE     the thing is finished
//     OP_MORE     call again with the same arguments: there is more output (the operator keeps a
//                 cursor); the input batch stays valid and the former output is dead by then
//     OP_PENDING  cannot go on now (state is being read, a file is being closed, no credit); same
//                 call again later; *out is empty
//     OP_FAILED   *err says why; the job fails
//
// Output. Whatever *out points to belongs to the operator (its scratch arena, its state pages, or
// the input batch) and is dead at its next call. An operator that keeps input settles it (batch.h).
//
// Markers. After OP_DONE the segment forwards the marker downstream; operators do not. A callback
// that is NULL has the default: batches pass through, markers need no work.
//
//     watermark  no row with a smaller event time follows on any port (merged by minimum over
//                channels and ports before it gets here; never falls)
//     barrier    everything before it belongs to the checkpoint: put entries, freeze state; aligned
//                over all ports. on_barrier emits nothing.
//     port end   the port gives no more batches; on_end comes after the last port's
//
// Errors in rows are reported through batch->origin where it is known.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "data/batch.h"
#include "exec/snapshot.h"
#include "exec/verify_encodings.h"

struct budget;
struct clock;
struct expr_settings;
struct op;
struct plan_node;
struct spill;
struct state_context; // state/state.h: where tables are opened
struct state_segment_sink;
struct store;
struct waker;

enum op_result { OP_DONE, OP_MORE, OP_PENDING, OP_FAILED };

struct op_output {
    struct batch batch;
    // A watermark that the operator itself makes (op_watermark.c); it follows the batch.
    bool has_watermark;
    int64_t watermark;
    // The watermark assigner's inputs are all idle now, or one is active again; follows both.
    bool is_idle, is_active;
};

struct op_class {
    const char *name;

    enum op_result (*on_batch)(struct op *op, uint32_t port, const struct batch *in,
                               struct op_output *out, struct err *err);
    enum op_result (*on_watermark)(struct op *op, int64_t watermark, struct op_output *out,
                                   struct err *err);
    enum op_result (*on_barrier)(struct op *op, const struct barrier *barrier,
                                 struct snapshot_writer *writer, struct err *err);
    enum op_result (*on_port_end)(struct op *op, uint32_t port, struct op_output *out,
                                  struct err *err);
    enum op_result (*on_end)(struct op *op, struct op_output *out, struct err *err);

    // For operators at the head of a segment (sources): the next batch. OP_PENDING: nothing now,
    // the waker of the context will be woken; OP_DONE: the input has ended. on_batch is not called.
    enum op_result (*poll)(struct op *op, struct op_output *out, struct err *err);

    // Called when the segment runs dry and now and then while it is idle, to flush what is staged
    // and to look at timeouts. May emit. NULL: nothing to do.
    enum op_result (*on_dry)(struct op *op, struct op_output *out, struct err *err);

    // A checkpoint that this instance was part of is durable now, and its commits are done. NULL:
    // nothing to do.
    void (*on_durable)(struct op *op, struct epoch epoch);

    // All inputs became idle, or one is active again. NULL: only forwarded.
    void (*on_idleness)(struct op *op, bool is_idle);

    // The port from which batches are taken first while it is open (the build side of a bounded
    // join); UINT32_MAX: any. NULL: any.
    uint32_t (*preferred_port)(const struct op *op);

    // Whether there is room for another batch of output downstream (senders, sinks); NULL: yes.
    // Asked before a batch is taken in.
    bool (*has_credit)(struct op *op);

    void (*close)(struct op *op); // also after a failed open; frees the operator
};

struct op_metrics {
    uint64_t rows_in, rows_out, batches_in, batches_out;
    uint64_t busy_ns; // time in its callbacks; measured where EXPLAIN ANALYZE asks
    uint64_t late_rows;
};

// What an operator instance knows of its surroundings; borrowed, valid until close().
struct op_context {
    struct str operator_id; // empty: an operator without state
    uint32_t instance;      // 0 … parallelism - 1
    uint32_t parallelism;   // of this operator; keys whose group (top 12 bits of the hash) falls
                            // into op_key_group_owner() are this instance's
    struct budget *budget;
    struct clock *clock;
    struct waker *waker;                       // of the worker
    const struct expr_settings *expr_settings; // zone, now
    // Of operators with keyed state, else NULL. Tables are opened in the constructor; after a
    // restore their rows are filled in behind it and before the first call, so what is derived from
    // them (open windows) is looked up at the first call.
    struct state_context *state;
    struct state_segment_sink *state_sink; // where its checkpoints go
    struct spill *spill;                   // for what is not state; NULL: memory only
    const struct snapshot_reader *restore; // NULL: a fresh start
    struct str pipeline_name;              // empty: a one-shot job
    struct str job_uuid;                   // of the pipeline; a one-shot's own
    struct str directory; // of the pipeline, for files that checkpoints name; a one-shot's
                          // scratch
    struct store *store;  // where that is; NULL for a one-shot: where the tables are
    uint64_t run;         // the run number: part of the names of files
    bool is_streaming;
    bool row_watermarks; // pipeline.auto-watermark-interval = 0 ms: lateness row by row
    int64_t watermark_interval_ms;
    bool measure;            // fill busy_ns
    enum verify_mode verify; // a test configuration (verify_encodings.h)
    uint32_t batch_rows;     // rows a source puts into a batch: BATCH_ROWS_MAX, or 1 in tests
};

// Embedded first in each operator's own struct.
struct op {
    const struct op_class *class;
    const struct op_context *context;
    const struct plan_node *node; // NULL for senders
    uint32_t port_count;
    struct arena scratch; // for output; the operator resets it when a new call begins
    struct op_metrics metrics;
};

// Fills the common part; a constructor calls it first.
void op_init(struct op *op, const struct op_class *class, const struct op_context *context,
             const struct plan_node *node);
void op_release(struct op *op); // the common part only

enum { OP_KEY_GROUPS = 4096 };
static inline uint32_t op_key_group(uint64_t hash)
{
    return (uint32_t)(hash >> 52);
}
static inline uint32_t op_key_group_owner(uint32_t key_group, uint32_t parallelism)
{
    return (uint32_t)((uint64_t)key_group * parallelism / OP_KEY_GROUPS);
}

// The constructors of the operators that plan nodes stand for, each in its op_*.c. They check
// nothing: the planner did.
MUST_USE enum status op_calc_new(const struct plan_node *node, const struct op_context *context,
                                 struct op **out, struct err *err);
MUST_USE enum status op_values_new(const struct plan_node *node, const struct op_context *context,
                                   struct op **out, struct err *err);
MUST_USE enum status op_watermark_new(const struct plan_node *node,
                                      const struct op_context *context, struct op **out,
                                      struct err *err);
MUST_USE enum status op_normalize_new(const struct plan_node *node,
                                      const struct op_context *context, struct op **out,
                                      struct err *err);
MUST_USE enum status op_window_new(const struct plan_node *node, const struct op_context *context,
                                   struct op **out, struct err *err);
MUST_USE enum status op_window_aggregate_new(const struct plan_node *node,
                                             const struct op_context *context, struct op **out,
                                             struct err *err);
MUST_USE enum status op_group_aggregate_new(const struct plan_node *node,
                                            const struct op_context *context, struct op **out,
                                            struct err *err);
MUST_USE enum status op_join_new(const struct plan_node *node, const struct op_context *context,
                                 struct op **out, struct err *err);
MUST_USE enum status op_union_new(const struct plan_node *node, const struct op_context *context,
                                  struct op **out, struct err *err);
MUST_USE enum status op_sort_new(const struct plan_node *node, const struct op_context *context,
                                 struct op **out, struct err *err);
MUST_USE enum status op_limit_new(const struct plan_node *node, const struct op_context *context,
                                  struct op **out, struct err *err);
