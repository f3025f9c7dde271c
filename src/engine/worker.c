// SPDX-License-Identifier: Apache-2.0
#include "engine/worker.h"

#include <signal.h>
#include <string.h>

#include "base/assert.h"
#include "base/mem.h"
#include "exec/source.h"
#include "plan/plan.h"
#include "state/state.h"
#include "sys/clock.h"

enum {
    STEPS_PER_ROUND = 8,         // items of one segment before the others have their turn
    STATE_SLICE_BYTES = 1 << 20, // written or read between two rounds
    BUSY_SLICE_BYTES = 48 << 10, // written while there are rows: a batch waits no longer than
                                 // another
    PARK_MS = 100,               // idle splits and timeouts are looked at this often
    STATS_PERIOD_US = 100000,
};

static void put_entry(struct snapshot_writer *writer, struct str operator_id, uint32_t instance,
                      struct str key, struct str bytes)
{
    struct worker *worker = (struct worker *)((char *)writer - offsetof(struct worker, writer));
    struct snapshot_entry entry = {.operator_id = arena_str(&worker->entry_arena, operator_id),
                                   .instance = instance,
                                   .key = arena_str(&worker->entry_arena, key),
                                   .bytes = arena_str(&worker->entry_arena, bytes)};
    VEC_PUSH(&worker->entries, entry);
}

void worker_init(struct worker *worker, uint32_t index, struct mailbox *coordinator,
                 struct clock *clock)
{
    memset(worker, 0, sizeof *worker);
    worker->index = index;
    worker->coordinator = coordinator;
    worker->clock = clock;
    worker->writer.put = put_entry;
    worker->stats.watermark = WATERMARK_NONE;
    waker_init(&worker->waker);
    mailbox_init(&worker->mailbox, &worker->waker);
    pthread_mutex_init(&worker->stats_lock, NULL);
}

void worker_release(struct worker *worker)
{
    for (uint32_t i = worker->segments.count; i-- > 0;) {
        segment_free(worker->segments.items[i]);
    }
    for (uint32_t i = 0; i < worker->states.count; i++) {
        struct worker_state *state = worker->states.items[i];
        if (state->has_files) {
            state_files_release(&state->files);
        }
        state_context_free(state->context);
        mem_free(state);
    }
    if (worker->pool != NULL) {
        state_pool_free(worker->pool);
    }
    VEC_RELEASE(&worker->segments);
    VEC_RELEASE(&worker->states);
    VEC_RELEASE(&worker->passed);
    VEC_RELEASE(&worker->entries);
    arena_release(&worker->entry_arena);
    arena_release(&worker->arena);
    mailbox_release(&worker->mailbox);
    waker_release(&worker->waker);
    pthread_mutex_destroy(&worker->stats_lock);
}

static void note_barrier_done(void *context, struct segment *segment, const struct barrier *barrier)
{
    struct worker *worker = context;
    // A barrier may come through an exchange before the coordinator's message is read here.
    if (!worker->has_barrier) {
        worker->has_barrier = true;
        worker->barrier = *barrier;
    }
    ASSERT(epoch_compare(worker->barrier.epoch, barrier->epoch) == 0);
    VEC_PUSH(&worker->passed, segment);
    // The segment began the checkpoint of its operators' state; from now on it is written in
    // slices.
    for (uint32_t n = 0; n < segment->node_count; n++) {
        const struct op_context *op_context = segment->nodes[n].op->context;
        for (uint32_t i = 0; i < worker->states.count; i++) {
            struct worker_state *state = worker->states.items[i];
            if (state->has_files && state->context == op_context->state) {
                state->is_checkpointing = state->has_begun = true;
            }
        }
    }
}

static void note_barrier_begin(void *context);

void worker_add_segment(struct worker *worker, struct segment *segment)
{
    segment->writer = &worker->writer;
    segment->on_barrier_begin = note_barrier_begin;
    segment->on_barrier_done = note_barrier_done;
    segment->context = worker;
    VEC_PUSH(&worker->segments, segment);
}

static bool has_passed(const struct worker *worker, const struct segment *segment)
{
    for (uint32_t i = 0; i < worker->passed.count; i++) {
        if (worker->passed.items[i] == segment) {
            return true;
        }
    }
    return false;
}

static void start_barrier(struct worker *worker, const struct barrier *barrier)
{
    ASSERT(!worker->has_barrier || epoch_compare(worker->barrier.epoch, barrier->epoch) == 0);
    worker->has_barrier = worker->is_told = true;
    worker->barrier = *barrier;
    worker->is_stopping = barrier->kind == BARRIER_STOP;
    for (uint32_t i = 0; i < worker->segments.count; i++) {
        struct segment *segment = worker->segments.items[i];
        if (segment->gate == NULL && !segment->has_ended && !has_passed(worker, segment)) {
            segment_inject_barrier(segment, barrier);
        }
    }
}

static void finish_checkpoint(struct worker *worker, bool durable)
{
    for (uint32_t i = 0; i < worker->states.count; i++) {
        struct worker_state *state = worker->states.items[i];
        state->has_begun = state->is_checkpointing = false;
        if (state->has_files && durable) {
            struct arena scratch;
            struct state_segment *live;
            arena_init(&scratch);
            uint32_t count = state_checkpoint_segments(state->context, &scratch, &live);
            state_files_prune(&state->files, live, count);
            arena_release(&scratch);
        }
    }
    for (uint32_t i = 0; durable && i < worker->segments.count; i++) {
        struct segment *segment = worker->segments.items[i];
        for (uint32_t n = 0; n < segment->node_count; n++) {
            struct op *op = segment->nodes[n].op;
            if (op->class->on_durable != NULL) {
                op->class->on_durable(op, worker->barrier.epoch);
            }
        }
    }
    worker->entries.count = 0;
    arena_reset(&worker->entry_arena);
}

static void read_mail(struct worker *worker, uint32_t most)
{
    struct message message;
    while (most-- > 0 && mailbox_take(&worker->mailbox, &message)) {
        switch (message.kind) {
        case WORKER_BARRIER: start_barrier(worker, message.pointer); break;
        case WORKER_DURABLE: finish_checkpoint(worker, true); break;
        case WORKER_FAILED: finish_checkpoint(worker, false); break;
        case WORKER_EXIT: worker->exits = true; break;
        default: UNREACHABLE("message to a worker");
        }
    }
}

// A barrier may come through a ring while the news of the one before, which all workers were sent
// first, still lie in the mailbox: they end the checkpoint before, and have to be heard first.
static void note_barrier_begin(void *context)
{
    read_mail(context, UINT32_MAX);
}

static void fail(struct worker *worker)
{
    worker->has_failed = true;
    mailbox_send(worker->coordinator,
                 (struct message){.kind = JOB_WORKER_FAILED, .number = worker->index});
}

// Reads or writes a slice of each state that has something to do. Returns whether any moved.
static bool step_states(struct worker *worker, bool *unfinished)
{
    bool moved = false;
    *unfinished = false;
    for (uint32_t i = 0; i < worker->states.count && !worker->has_failed; i++) {
        struct worker_state *state = worker->states.items[i];
        if (!state->is_restoring && !state->is_checkpointing) {
            continue;
        }
        bool waiting = false;
        enum status status =
            state->is_restoring
                ? state_restore_step(state->context, STATE_SLICE_BYTES, &waiting, &worker->err)
                : state_checkpoint_step(state->context,
                                        worker->is_busy ? BUSY_SLICE_BYTES : STATE_SLICE_BYTES,
                                        &waiting, &worker->err);
        if (status == STATUS_OK) {
            if (state->is_restoring && state->has_files) {
                state_files_close_readers(&state->files);
            }
            state->is_restoring = state->is_checkpointing = false;
            moved = true;
        } else if (status == STATUS_AGAIN) {
            *unfinished = true;
            moved = moved || !waiting;
        } else {
            fail(worker);
        }
    }
    return moved;
}

// Whether the sources gave all the batches that they may: the coordinator stops the job then.
static bool is_sated(struct worker *worker)
{
    if (worker->batches_max == 0) {
        return false;
    }
    uint64_t given = 0;
    for (uint32_t i = 0; i < worker->segments.count; i++) {
        const struct op *root = worker->segments.items[i]->nodes[0].op;
        given += op_is_source(root) ? root->metrics.batches_out : 0;
    }
    if (given >= worker->batches_max && !worker->sated_told) {
        worker->sated_told = true;
        mailbox_send(worker->coordinator,
                     (struct message){.kind = JOB_WORKER_SATED, .number = worker->index});
    }
    return given >= worker->batches_max;
}

static bool step_segment(struct worker *worker, struct segment *segment)
{
    // Whoever ended gets no barrier through its gate.
    if (worker->has_barrier && segment->has_ended && segment->depth == 0 && !segment->has_barrier &&
        !has_passed(worker, segment)) {
        segment_inject_barrier(segment, &worker->barrier);
    }
    bool is_source = segment->gate == NULL;
    if (is_source && segment->depth == 0 && !segment->has_barrier &&
        (worker->is_stopping || (!segment->has_ended && is_sated(worker)))) {
        return false;
    }
    bool ran = false;
    for (int i = 0; i < (is_source ? 1 : STEPS_PER_ROUND); i++) {
        enum segment_result result = segment_step(segment, &worker->err);
        if (result == SEGMENT_FAILED) {
            fail(worker);
            return true;
        }
        if (result != SEGMENT_RAN) {
            break;
        }
        ran = true;
    }
    return ran;
}

// Of a worker whose segments have no gate (nothing is exchanged): the lowest of its splits that are
// being read.
static int64_t source_watermark(struct op *op)
{
    const struct source_splits *splits = op_source_splits(op);
    int64_t lowest = WATERMARK_END;
    for (uint32_t i = 0; i < splits->count; i++) {
        if (splits->items[i].state == SPLIT_ACTIVE && splits->items[i].watermark < lowest) {
            lowest = splits->items[i].watermark;
        }
    }
    return lowest;
}

static void publish_stats(struct worker *worker, bool at_once)
{
    int64_t now = clock_monotonic_us(worker->clock);
    if (!at_once && now - worker->stats_us < STATS_PERIOD_US) {
        return;
    }
    worker->stats_us = now;
    struct worker_stats stats = {.watermark = WATERMARK_END};
    int64_t at_sources = WATERMARK_END;
    bool has_gate = false;
    for (uint32_t i = 0; i < worker->segments.count; i++) {
        struct segment *segment = worker->segments.items[i];
        has_gate = has_gate || segment->gate != NULL;
        if (segment->gate != NULL && segment->gate->watermark < stats.watermark) {
            stats.watermark = segment->gate->watermark;
        }
        for (uint32_t n = 0; n < segment->node_count; n++) {
            struct op *op = segment->nodes[n].op;
            stats.rows_late += op->metrics.late_rows;
            if (op_is_source(op)) {
                stats.rows_in += op->metrics.rows_out;
                stats.lag_rows += op_source_splits(op)->lag_rows;
                int64_t own = source_watermark(op);
                at_sources = own < at_sources ? own : at_sources;
            } else if (op->node != NULL && op->node->kind == PLAN_SINK) {
                stats.rows_out += op->metrics.rows_in;
            }
        }
    }
    stats.watermark = has_gate ? stats.watermark : at_sources;
    if (stats.watermark == WATERMARK_END) {
        stats.watermark = WATERMARK_NONE;
    }
    stats.state_bytes = worker->pool == NULL ? 0 : state_pool_bytes(worker->pool);
    pthread_mutex_lock(&worker->stats_lock);
    worker->stats = stats;
    pthread_mutex_unlock(&worker->stats_lock);
}

// All segments passed the barrier: their state is frozen; write it, then say so. Where sources have
// ended, the barrier may be through before the coordinator's message was read: acknowledged then,
// it would be taken for a new one and acknowledged twice.
static void advance_barrier(struct worker *worker)
{
    if (!worker->has_barrier || !worker->is_told || worker->passed.count < worker->segments.count) {
        return;
    }
    for (uint32_t i = 0; i < worker->states.count; i++) {
        if (worker->states.items[i]->is_checkpointing) {
            return;
        }
    }
    worker->has_barrier = worker->is_told = false;
    worker->passed.count = 0;
    publish_stats(worker, true); // the checkpoint's own figures
    mailbox_send(worker->coordinator,
                 (struct message){.kind = JOB_WORKER_ACK, .number = worker->index});
}

struct worker_stats worker_read_stats(struct worker *worker)
{
    pthread_mutex_lock(&worker->stats_lock);
    struct worker_stats stats = worker->stats;
    pthread_mutex_unlock(&worker->stats_lock);
    return stats;
}

static bool all_ended(const struct worker *worker)
{
    for (uint32_t i = 0; i < worker->segments.count; i++) {
        if (!worker->segments.items[i]->has_ended) {
            return false;
        }
    }
    return true;
}

static bool is_restoring(const struct worker *worker)
{
    for (uint32_t i = 0; i < worker->states.count; i++) {
        if (worker->states.items[i]->is_restoring) {
            return true;
        }
    }
    return false;
}

// All of the mail, but in tests any part of it, as threads may come too early for the rest.
static uint32_t mail_share(struct worker *worker)
{
    if (worker->mail_random == 0) {
        return UINT32_MAX;
    }
    worker->mail_random = worker->mail_random * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(worker->mail_random >> 33) % 3;
}

enum worker_result worker_step(struct worker *worker)
{
    read_mail(worker, mail_share(worker));
    if (worker->exits) {
        return WORKER_DONE;
    }
    if (worker->has_failed) {
        return WORKER_IDLE;
    }
    bool ran = worker->pool != NULL && state_pool_poll(worker->pool);
    bool unfinished;
    ran = step_states(worker, &unfinished) || ran;
    if (is_restoring(worker)) { // nothing runs before the state is there
        return ran ? WORKER_RAN : WORKER_IDLE;
    }
    worker->is_busy = false;
    for (uint32_t i = worker->segments.count; i-- > 0 && !worker->has_failed;) {
        worker->is_busy = step_segment(worker, worker->segments.items[i]) || worker->is_busy;
    }
    ran = ran || worker->is_busy;
    if (worker->has_failed) {
        return WORKER_IDLE;
    }
    if (worker->pool != NULL) {
        size_t excess = budget_excess(&worker->budget);
        if (excess > 0) {
            state_pool_shed(worker->pool, excess);
        }
    }
    advance_barrier(worker);
    publish_stats(worker, false);
    if (!worker->end_told && all_ended(worker)) {
        worker->end_told = true;
        mailbox_send(worker->coordinator,
                     (struct message){.kind = JOB_WORKER_ENDED, .number = worker->index});
    }
    return ran ? WORKER_RAN : WORKER_IDLE;
}

static void *worker_main(void *argument)
{
    struct worker *worker = argument;
    for (;;) {
        switch (worker_step(worker)) {
        case WORKER_DONE: return NULL;
        case WORKER_IDLE: waker_wait(&worker->waker, PARK_MS); break;
        case WORKER_RAN: break;
        }
    }
}

void worker_start(struct worker *worker)
{
    // Signals are for the main thread.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&worker->thread, NULL, worker_main, worker);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    ASSERT(failed == 0 && "a thread could not be made");
    worker->has_thread = true;
}

void worker_join(struct worker *worker)
{
    if (worker->has_thread) {
        pthread_join(worker->thread, NULL);
        worker->has_thread = false;
    }
}
