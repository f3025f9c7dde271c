// SPDX-License-Identifier: Apache-2.0
//
// Checkpoints and commits (engine.md section 6): one barrier in flight; acknowledged by all
// workers; durable by its manifest; then the sinks' commits, before the next barrier. An epoch
// never aborts alone: what fails fails the job, and the next run restores.
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/strbuf.h"
#include "engine/job_int.h"
#include "exec/sink.h"
#include "sys/clock.h"

void coordinator_note(struct job *job, const char *format, ...)
{
    if (job->options.notify == NULL) {
        return;
    }
    char text[512];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    job->options.notify(job->options.notify_context, str_from(text));
}

static enum status fail(struct job *job, const struct err *err)
{
    ASSERT(err->status != STATUS_OK); // else whoever waits would do so for ever
    job->err = *err;
    job->state = JOB_FAILED;
    return err->status;
}

static void send_all(struct job *job, int kind, void *pointer)
{
    for (uint32_t i = 0; i < job->worker_count; i++) {
        mailbox_send(&job->workers[i].mailbox, (struct message){.kind = kind, .pointer = pointer});
    }
}

static void start_barrier(struct job *job, enum barrier_kind kind)
{
    job->barrier = (struct barrier){{job->run, ++job->epoch_number}, kind};
    job->barrier_us = clock_monotonic_us(job->options.clock);
    job->ack_count = 0;
    job->state = JOB_BARRIER;
    send_all(job, WORKER_BARRIER, &job->barrier);
}

// What all workers put, as one manifest. Lists in `arena`, texts borrowed from the workers.
static void collect(struct job *job, struct arena *arena, struct checkpoint *out)
{
    uint32_t entry_count = 0;
    uint32_t segment_max = 0;
    for (uint32_t i = 0; i < job->worker_count; i++) {
        entry_count += job->workers[i].entries.count;
        for (uint32_t s = 0; s < job->workers[i].states.count; s++) {
            segment_max += job->workers[i].states.items[s]->files.known.count;
        }
    }
    struct snapshot_entry *entries = arena_new_array(arena, struct snapshot_entry, entry_count);
    struct checkpoint_segment *segments =
        arena_new_array(arena, struct checkpoint_segment, segment_max);
    for (uint32_t i = 0; i < job->worker_count; i++) {
        struct worker *worker = &job->workers[i];
        if (worker->entries.count > 0) {
            memcpy(entries + out->entry_count, worker->entries.items,
                   worker->entries.count * sizeof *entries);
        }
        out->entry_count += worker->entries.count;
        for (uint32_t s = 0; s < worker->states.count; s++) {
            struct worker_state *state = worker->states.items[s];
            struct state_segment *live;
            uint32_t live_count =
                state->has_begun ? state_checkpoint_segments(state->context, arena, &live) : 0;
            for (uint32_t l = 0; l < live_count; l++) {
                segments[out->segment_count++] = (struct checkpoint_segment){
                    .operator_id = state->files.operator_id,
                    .instance = state->files.instance,
                    .number = live[l].number,
                    .size = live[l].size,
                    .file = str_from(state_files_name(&state->files, live[l].number))};
            }
        }
    }
    out->entries = entries;
    out->segments = segments;
}

// Every operator that puts entries or has state, with how many instances it has.
static void collect_operators(struct job *job, struct arena *arena, struct checkpoint *out)
{
    struct checkpoint_operator *operators =
        arena_new_array(arena, struct checkpoint_operator, job->options.plan->node_count);
    for (uint32_t at = 0; at < job->graph.segment_count; at++) {
        const struct graph_segment *segment = &job->graph.segments[at];
        for (uint32_t n = 0; n < segment->node_count; n++) {
            operators[out->operator_count++] = (struct checkpoint_operator){
                build_operator_id(arena, segment->nodes[n].plan), segment->parallelism};
        }
    }
    out->operators = operators;
}

static enum status finish_files(struct job *job, struct err *err)
{
    for (uint32_t i = 0; i < job->worker_count; i++) {
        for (uint32_t s = 0; s < job->workers[i].states.count; s++) {
            struct worker_state *state = job->workers[i].states.items[s];
            if (state->has_files) {
                TRY(state_files_finish(&state->files, err));
            }
        }
    }
    return STATUS_OK;
}

// "clicks-0=1234 clicks-1=99 …", for people who read snapshot summaries.
static void print_positions(const struct checkpoint *checkpoint, struct strbuf *out)
{
    for (uint32_t i = 0; i < checkpoint->entry_count; i++) {
        const struct snapshot_entry *entry = &checkpoint->entries[i];
        bool printable = entry->bytes.size > 0 && entry->bytes.size < 64;
        for (size_t b = 0; b < entry->bytes.size && printable; b++) {
            printable = entry->bytes.ptr[b] > ' ' && entry->bytes.ptr[b] < 127;
        }
        if (printable && str_starts(entry->key, "split/")) {
            struct str name = str_slice(entry->key, strlen("split/"), entry->key.size);
            strbuf_printf(out, "%s%.*s=%.*s", out->size > 0 ? " " : "", STR_ARGS(name),
                          STR_ARGS(entry->bytes));
        }
    }
}

static void note_commit(struct job *job, const struct job_sink *sink)
{
    pthread_mutex_lock(&job->status_lock);
    job->status.commits++;
    (void)snprintf(job->status.last_commit, sizeof job->status.last_commit, "%.*s",
                   STR_ARGS(sink->committer->last_commit));
    pthread_mutex_unlock(&job->status_lock);
}

static enum status commit_sinks(struct job *job, const struct checkpoint *checkpoint,
                                struct arena *arena, struct err *err)
{
    struct strbuf positions;
    strbuf_init(&positions, 16384);
    print_positions(checkpoint, &positions);
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < job->sink_count && status == STATUS_OK; i++) {
        struct job_sink *sink = &job->sinks[i];
        struct str *committables = arena_new_array(arena, struct str, checkpoint->entry_count);
        uint32_t count = 0;
        for (uint32_t e = 0; e < checkpoint->entry_count; e++) {
            const struct snapshot_entry *entry = &checkpoint->entries[e];
            if (str_is(entry->key, SINK_KEY_COMMITTABLE) &&
                str_equal(entry->operator_id, sink->operator_id)) {
                committables[count++] = entry->bytes;
            }
        }
        if (sink->committer == NULL || count == 0) {
            continue; // an epoch without rows makes no snapshot
        }
        status = sink->committer->ops->commit(sink->committer, checkpoint->epoch, committables,
                                              count, strbuf_str(&positions), err);
        if (status == STATUS_OK) {
            note_commit(job, sink);
        } else {
            err_context(err, "commit of checkpoint %" PRIu64 "-%" PRIu64 " into %.*s",
                        checkpoint->epoch.run, checkpoint->epoch.number,
                        STR_ARGS(sink->node->as.sink.table->name));
        }
    }
    strbuf_release(&positions);
    return status;
}

static void note_checkpoint(struct job *job)
{
    int64_t now = clock_monotonic_us(job->options.clock);
    job->last_barrier_us = now;
    if (job->barrier.kind != BARRIER_CHECKPOINT) {
        job->last_commit_us = now;
    }
    pthread_mutex_lock(&job->status_lock);
    job->status.last_checkpoint = job->barrier.epoch;
    job->status.last_checkpoint_us = clock_wall_us(job->options.clock);
    job->status.last_checkpoint_ms = (now - job->barrier_us) / 1000;
    pthread_mutex_unlock(&job->status_lock);
}

// All workers acknowledged: durable, then committed.
static enum status complete(struct job *job, struct arena *arena, struct err *err)
{
    struct checkpoint checkpoint = {.epoch = job->barrier.epoch,
                                    .kind = job->barrier.kind,
                                    .pipeline_name = job->options.name,
                                    .lineage = job->lineage,
                                    .plan_digest = job->options.plan_digest,
                                    .wall_us = clock_wall_us(job->options.clock)};
    collect(job, arena, &checkpoint);
    collect_operators(job, arena, &checkpoint);
    if (job->checkpoints != NULL) {
        checkpoint.pipeline_uuid = checkpoint_store_identity(job->checkpoints)->pipeline_uuid;
        TRY(finish_files(job, err));
        TRY(checkpoint_store_write(job->checkpoints, &checkpoint, err));
        note_checkpoint(job);
    }
    TRY(commit_sinks(job, &checkpoint, arena, err));
    if (job->checkpoints != NULL) {
        checkpoint_store_clean(job->checkpoints, &checkpoint);
    }
    return STATUS_OK;
}

static enum status finish_barrier(struct job *job, struct err *err)
{
    struct arena arena;
    arena_init(&arena);
    enum status status = complete(job, &arena, err);
    arena_release(&arena);
    // The workers' entries were in use until here.
    send_all(job, status == STATUS_OK ? WORKER_DURABLE : WORKER_FAILED, NULL);
    if (status != STATUS_OK) {
        return fail(job, err);
    }
    job->state = job->barrier.kind == BARRIER_STOP ? JOB_ENDED : JOB_RUNNING;
    return STATUS_OK;
}

static bool read_mail(struct job *job)
{
    struct message message;
    bool any = false;
    while (mailbox_take(&job->mailbox, &message)) {
        any = true;
        switch (message.kind) {
        case JOB_WORKER_ACK: job->ack_count++; break;
        case JOB_WORKER_ENDED: job->ended_count++; break;
        case JOB_WORKER_SATED: job->is_sated = true; break;
        case JOB_WORKER_FAILED:
            if (job->state != JOB_FAILED) {
                (void)fail(job, &job->workers[message.number].err);
            }
            break;
        default: UNREACHABLE("message to the coordinator");
        }
    }
    return any;
}

static bool has_committers(const struct job *job)
{
    for (uint32_t i = 0; i < job->sink_count; i++) {
        if (job->sinks[i].committer != NULL) {
            return true;
        }
    }
    return false;
}

static int64_t due_us(const struct job *job)
{
    if (job->checkpoints == NULL || job->options.checkpoint_interval_ms <= 0) {
        return INT64_MAX;
    }
    return job->last_barrier_us + job->options.checkpoint_interval_ms * 1000;
}

// Whether the running job needs a barrier now.
static enum status step_running(struct job *job)
{
    bool all_ended = job->ended_count == job->worker_count;
    bool stops = atomic_load(&job->stop_wanted) || job->is_sated;
    if (all_ended || stops) {
        if (job->checkpoints == NULL && !has_committers(job)) {
            job->state = JOB_ENDED;
        } else if (job->checkpoints == NULL && !all_ended) {
            return fail(job, &(struct err){.status = STATUS_CANCELLED, .text = "stopped"});
        } else {
            if (job->is_sated && !all_ended) {
                coordinator_note(job, "stops behind %" PRIu64 " batches of a source",
                                 job->options.source_batches_max);
            }
            start_barrier(job, BARRIER_STOP);
        }
        return STATUS_OK;
    }
    int64_t now = clock_monotonic_us(job->options.clock);
    if (now < due_us(job)) {
        return STATUS_AGAIN;
    }
    bool commits = job->options.commit_interval_ms <= 0 ||
                   now - job->last_commit_us >= job->options.commit_interval_ms * 1000;
    start_barrier(job, commits ? BARRIER_COMMIT : BARRIER_CHECKPOINT);
    return STATUS_OK;
}

enum status coordinator_step(struct job *job, struct err *err)
{
    bool moved = read_mail(job);
    if (atomic_load(&job->cancel_wanted) && job->state != JOB_ENDED && job->state != JOB_FAILED) {
        (void)fail(job, &(struct err){.status = STATUS_CANCELLED, .text = "cancelled"});
    }
    switch (job->state) {
    case JOB_RUNNING:
        if (step_running(job) != STATUS_AGAIN) {
            return STATUS_OK;
        }
        break;
    case JOB_BARRIER:
        if (job->ack_count == job->worker_count) {
            struct err failure;
            (void)finish_barrier(job, &failure);
            return STATUS_OK;
        }
        break;
    case JOB_ENDED: return STATUS_END;
    case JOB_FAILED:
        if (err != NULL) {
            *err = job->err;
        }
        return job->err.status;
    }
    return moved ? STATUS_OK : STATUS_AGAIN;
}

int coordinator_timeout_ms(struct job *job)
{
    int64_t due = due_us(job);
    if (job->state != JOB_RUNNING || due == INT64_MAX) {
        return -1;
    }
    int64_t left = (due - clock_monotonic_us(job->options.clock)) / 1000;
    return left < 0 ? 0 : left > 60000 ? 60000 : (int)left + 1;
}
