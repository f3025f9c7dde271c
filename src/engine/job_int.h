// SPDX-License-Identifier: Apache-2.0
//
// job_int: the job's parts, for the files that make it up: build.c (instances), recovery.c (start),
// coordinator.c (checkpoints and commits), job.c (the rest). Fields belong to the coordinator's
// thread unless marked.
#pragma once

#include <stdatomic.h>

#include "base/arena.h"
#include "base/budget.h"
#include "engine/checkpoint/checkpoint_store.h"
#include "engine/graph.h"
#include "engine/job.h"
#include "engine/worker.h"
#include "exec/sink.h"

enum job_state {
    JOB_RUNNING,
    JOB_BARRIER, // waiting for acknowledgements
    JOB_ENDED,
    JOB_FAILED,
};

struct job_sink {
    const struct plan_node *node;
    struct str operator_id;
    struct sink_committer *committer; // NULL: not transactional
    enum sink_verdict verdict;        // of a restore: are the last checkpoint's rows in the table?
};

struct job {
    struct job_options options;
    struct arena arena;
    struct budget budget;
    struct graph graph;
    uint32_t worker_count;
    struct worker *workers;
    struct waker waker; // of the coordinator
    struct mailbox mailbox;
    struct ring_pool *pools; // one an edge
    struct ring **rings;     // all, to be freed
    uint32_t ring_count;
    struct ring_pool result_pool;
    uint32_t result_count;
    struct ring **results; // of PLAN_SINK_COLLECT; in `rings` too
    bool *result_ended;

    struct checkpoint_store *checkpoints; // NULL: no pipeline
    struct checkpoint restored;           // valid where has_restored; in `arena`
    bool has_restored;
    uint32_t sink_count;
    struct job_sink *sinks;

    enum job_state state;
    struct err err;
    _Atomic bool stop_wanted;   // any thread
    _Atomic bool cancel_wanted; // any thread
    bool threads_started;
    bool is_sated;        // a worker's sources gave all the batches they may
    uint32_t ended_count; // workers
    uint32_t ack_count;
    struct barrier barrier;
    uint64_t epoch_number;
    uint64_t run;
    struct str uuid; // of the pipeline; a one-shot's own
    struct str lineage;
    int64_t barrier_us, last_barrier_us, last_commit_us;

    pthread_mutex_t status_lock; // guards `status`
    struct job_status status;
};

// build.c: graph, rings, workers, operators. Before: recovery.
MUST_USE enum status build_job(struct job *job, struct err *err);
struct str build_operator_id(struct arena *arena, const struct plan_node *node);

// recovery.c: identity, last checkpoint, committers, resolve, fence.
MUST_USE enum status recovery_run(struct job *job, struct err *err);

// coordinator.c: one move; OK: moved, AGAIN: nothing to do.
MUST_USE enum status coordinator_step(struct job *job, struct err *err);
// How long until there is something to do without a message; -1: never.
int coordinator_timeout_ms(struct job *job);
void coordinator_note(struct job *job, const char *format, ...) PRINTF_LIKE(2, 3);
