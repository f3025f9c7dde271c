// SPDX-License-Identifier: Apache-2.0
//
// job: a plan at work: P workers, their checkpoints, the commits of its sinks.
//
//     TRY(job_start(&options, &job, err));
//     while ((status = job_next(job, &batch, err)) == STATUS_OK) { show(batch); batch_drop(batch);
//     } job_free(job);
//
// Kinds of job.
//     A pipeline has a name and a directory of checkpoints (options.store): it starts from the last
//     one, takes others while it runs, commits its sinks with them, and ends with a final one.
//     A query or a one-shot INSERT has none: its sinks commit once, at the end.
//
// Steps of a start: the run number is made durable; the last checkpoint is read; each sink says
// whether that checkpoint's rows are in its table, and commits them if not; after an unclean stop
// the tables are fenced; then the workers begin (engine.md sections 6 and 7).
//
// Threads. P threads for the workers; the coordinator is whoever calls job_next() or job_wait().
// With options.threads false nothing runs by itself: job_step() moves one worker or the
// coordinator, and job_next() and job_wait() step in turn (short queries, the simulator).
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "engine/connectors.h"
#include "exec/snapshot.h"
#include "exec/source.h"
#include "exec/verify_encodings.h"
#include "plan/plan.h"

struct batch;
struct clock;
struct expr_settings;
struct job;
struct spill;
struct store;

struct job_options {
    const struct plan *plan; // borrowed
    const struct connectors *connectors;
    const struct expr_settings *expr_settings;
    struct clock *clock;
    uint32_t parallelism;
    size_t memory_limit;
    struct spill *spill; // may be NULL: state stays in memory
    uint32_t batch_rows; // 0: BATCH_ROWS_MAX
    int64_t watermark_interval_ms;
    bool threads;
    bool measure;                // EXPLAIN ANALYZE
    bool hashes_zero;            // test configurations
    uint64_t source_batches_max; // a pipeline stops at a checkpoint behind so many of a worker;
                                 // 0: no
    uint64_t mail_random;        // tests: workers read their mail in random parts; 0: all of it
    enum verify_mode verify;

    // Pipelines.
    struct store *store;  // NULL: no checkpoints
    struct str directory; // of this pipeline's checkpoints; without store: a scratch directory
    struct str name;
    struct str plan_digest;
    int64_t checkpoint_interval_ms;
    int64_t commit_interval_ms; // 0: with every checkpoint
    bool fresh;                 // what former runs left counts no more
    uint64_t seed[2];           // random, for UUIDs
    // Called with what a user should know (where it resumed from, a commit); may be NULL.
    void (*notify)(void *context, struct str text);
    void *notify_context;
};

MUST_USE enum status job_start(const struct job_options *options, struct job **out,
                               struct err *err);

// The next batch of a PLAN_SINK_COLLECT, settled, the caller's. AGAIN: none within `timeout_ms`
// (-1: no limit); END: the job has ended well; anything else: it failed.
MUST_USE enum status job_next(struct job *job, int timeout_ms, struct batch **out, struct err *err);
// Drives the coordinator until the job has ended (END), failed, or the time is over (AGAIN).
MUST_USE enum status job_wait(struct job *job, int timeout_ms, struct err *err);
// One move of worker `which` (< parallelism) or of the coordinator (== parallelism). OK: something
// moved; AGAIN: nothing to do; END; else the failure.
MUST_USE enum status job_step(struct job *job, uint32_t which, struct err *err);

// Asks for a last checkpoint, then the end. From any thread, also a signal handler.
void job_stop(struct job *job);
// Ends at once; what was not checkpointed is done again by the next run. Any thread.
void job_cancel(struct job *job);
void job_free(struct job *job); // stops the threads; NULL is allowed

struct job_status {
    uint64_t rows_in, rows_out, rows_late, lag_rows;
    uint64_t state_bytes;
    int64_t watermark;            // WATERMARK_NONE: none
    struct epoch last_checkpoint; // number 0: none
    int64_t last_checkpoint_us;   // wall time
    int64_t last_checkpoint_ms;   // how long it took
    uint64_t commits;
    char last_commit[256]; // what the sink said of it
    size_t memory_used, memory_peak;
};
void job_read_status(struct job *job, struct job_status *out);

// After the end, of a job with `measure`: figures of each plan node, summed over the instances.
struct job_node_metrics {
    uint32_t node_id;
    uint64_t rows_in, rows_out, batches_out, busy_ns;
    bool has_source; // of a scan, where the connector counts
    struct source_metrics source;
};
uint32_t job_node_metrics(struct job *job, struct job_node_metrics *out, uint32_t max);
