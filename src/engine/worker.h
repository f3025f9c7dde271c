// SPDX-License-Identifier: Apache-2.0
//
// worker: one of the P threads of a job: its share of every segment, its state, its part of each
// checkpoint.
//
// It loops over its segments, downstream first, and runs one only with credit on all its outputs; a
// source gives one batch a round, so that what is there is worked off before more comes in. With
// nothing to do it parks on its waker. Under the simulator nobody runs worker_main(): worker_step()
// is called in any order.
//
// Messages.
//     to the worker, from the coordinator
//         WORKER_BARRIER   `pointer`: struct barrier, the coordinator's until the acknowledgement
//         WORKER_DURABLE   the checkpoint acknowledged last is durable
//         WORKER_FAILED    it will never be; the job fails
//         WORKER_EXIT      end the thread
//     to the coordinator, from a worker (`number`: its index)
//         JOB_WORKER_ACK    all its segments passed the barrier and its state is written; its
//                           entries and files may be read until WORKER_DURABLE
//         JOB_WORKER_ENDED  all its segments ended
//         JOB_WORKER_SATED  its sources gave as many batches as they may (batches_max)
//         JOB_WORKER_FAILED worker->err says why
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/budget.h"
#include "base/vec.h"
#include "engine/checkpoint/state_files.h"
#include "exec/segment.h"
#include "sys/mailbox.h"

struct clock;
struct state_pool;

enum { WORKER_BARRIER, WORKER_DURABLE, WORKER_FAILED, WORKER_EXIT };
enum { JOB_WORKER_ACK, JOB_WORKER_ENDED, JOB_WORKER_FAILED, JOB_WORKER_SATED };

enum worker_result { WORKER_RAN, WORKER_IDLE, WORKER_DONE };

// The state of one operator instance on this worker.
struct worker_state {
    struct state_context *context;
    struct state_files files;
    bool has_files; // checkpoints are written
    bool is_restoring;
    bool is_checkpointing; // begun, not all written
    bool has_begun;        // begun, its end not yet told
};

// Figures for the status line, published now and then.
struct worker_stats {
    uint64_t rows_in;  // from sources
    uint64_t rows_out; // into sinks
    uint64_t rows_late;
    uint64_t lag_rows;
    uint64_t state_bytes;
    int64_t watermark; // lowest of its gates; WATERMARK_NONE
    bool is_blocked;   // back-pressure
};

struct worker {
    uint32_t index;
    struct waker waker;
    struct mailbox mailbox;
    struct mailbox *coordinator;
    struct clock *clock;
    struct budget budget;
    struct state_pool *pool;
    struct arena arena;             // of op_contexts and lists
    VEC(struct segment *) segments; // upstream first; run in reverse
    VEC(struct worker_state *) states;
    pthread_t thread;
    bool has_thread;

    // The barrier in progress.
    struct barrier barrier;
    bool has_barrier;
    bool is_told; // the coordinator's message was read: before that nothing is acknowledged
    uint32_t segments_left;
    VEC(struct segment *) passed;
    bool is_stopping;     // a STOP barrier went in: sources give no more
    uint64_t batches_max; // that its sources may give in this run; 0: any number (tests)
    bool sated_told;
    uint64_t mail_random; // tests: mail is read in random parts; 0: all of it
    bool is_busy;         // segments had something to do in the last round
    bool has_failed;
    bool end_told;
    bool exits;
    struct err err;

    // What its operators put at the barrier; texts in `entry_arena`.
    struct snapshot_writer writer;
    struct arena entry_arena;
    VEC(struct snapshot_entry) entries;

    pthread_mutex_t stats_lock; // guards `stats`
    struct worker_stats stats;
    int64_t stats_us;
};

void worker_init(struct worker *worker, uint32_t index, struct mailbox *coordinator,
                 struct clock *clock);
// After the thread has ended. Frees segments, states and the pool.
void worker_release(struct worker *worker);

// Adds a segment (upstream first); taken.
void worker_add_segment(struct worker *worker, struct segment *segment);

enum worker_result worker_step(struct worker *worker);
void worker_start(struct worker *worker); // a thread that runs until WORKER_EXIT
void worker_join(struct worker *worker);
struct worker_stats worker_read_stats(struct worker *worker);
