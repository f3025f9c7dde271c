// SPDX-License-Identifier: Apache-2.0
#include "engine/job.h"

#include <inttypes.h>
#include <string.h>

#include "base/assert.h"
#include "base/mem.h"
#include "engine/job_int.h"
#include "exec/sink.h"
#include "exec/source.h"
#include "sys/clock.h"

static enum status start(struct job *job, struct err *err)
{
    TRY(recovery_run(job, err));
    TRY(build_job(job, err));
    job->last_barrier_us = job->last_commit_us = clock_monotonic_us(job->options.clock);
    job->threads_started = job->options.threads;
    for (uint32_t i = 0; job->threads_started && i < job->worker_count; i++) {
        worker_start(&job->workers[i]);
    }
    return STATUS_OK;
}

enum status job_start(const struct job_options *options, struct job **out, struct err *err)
{
    ASSERT(options->parallelism >= 1);
    uint64_t limit;
    // Workers have a waker each; files that they read and write come on top.
    if (!waker_room((uint64_t)options->parallelism * 2, &limit)) {
        ERR(err, STATUS_LIMIT, "%u workers need more open files than the %" PRIu64 " allowed here",
            options->parallelism, limit);
        err_hint(err, "ulimit -n %u, or a lower 'parallelism.default'",
                 options->parallelism * 2 + 1024);
        return STATUS_LIMIT;
    }
    struct job *job = mem_zalloc(sizeof *job);
    job->options = *options;
    job->worker_count = options->parallelism;
    job->status.watermark = WATERMARK_NONE;
    budget_init(&job->budget, NULL, options->memory_limit > 0 ? options->memory_limit : SIZE_MAX);
    waker_init(&job->waker);
    mailbox_init(&job->mailbox, &job->waker);
    pthread_mutex_init(&job->status_lock, NULL);
    enum status status = start(job, err);
    if (status != STATUS_OK) {
        job_free(job);
        return status;
    }
    *out = job;
    return STATUS_OK;
}

void job_free(struct job *job)
{
    if (job == NULL) {
        return;
    }
    for (uint32_t i = 0; job->workers != NULL && i < job->worker_count; i++) {
        struct worker *worker = &job->workers[i];
        mailbox_send(&worker->mailbox, (struct message){.kind = WORKER_EXIT});
        if (!job->threads_started) { // it hears the last news, as a thread does before it ends
            worker->mail_random = 0;
            (void)worker_step(worker);
        }
        worker_join(worker);
    }
    // No operator may still push when the rings go.
    for (uint32_t i = 0; job->workers != NULL && i < job->worker_count; i++) {
        worker_release(&job->workers[i]);
    }
    for (uint32_t i = 0; i < job->ring_count; i++) {
        ring_release(job->rings[i]);
        mem_free(job->rings[i]);
    }
    for (uint32_t i = 0; i < job->sink_count; i++) {
        struct sink_committer *committer = job->sinks[i].committer;
        if (committer != NULL) {
            committer->ops->close(committer);
        }
    }
    checkpoint_store_close(job->checkpoints);
    mailbox_release(&job->mailbox);
    waker_release(&job->waker);
    pthread_mutex_destroy(&job->status_lock);
    arena_release(&job->arena);
    mem_free(job);
}

void job_stop(struct job *job)
{
    atomic_store(&job->stop_wanted, true);
    waker_wake(&job->waker);
}

void job_cancel(struct job *job)
{
    atomic_store(&job->cancel_wanted, true);
    waker_wake(&job->waker);
}

enum status job_step(struct job *job, uint32_t which, struct err *err)
{
    ASSERT(!job->threads_started);
    if (which == job->worker_count) {
        return coordinator_step(job, err);
    }
    return worker_step(&job->workers[which]) == WORKER_RAN ? STATUS_OK : STATUS_AGAIN;
}

// A batch that waits in one of the result rings. END: all have ended.
static enum status take_result(struct job *job, struct batch **out)
{
    bool all_ended = job->result_count > 0;
    for (uint32_t i = 0; i < job->result_count; i++) {
        while (ring_peek(job->results[i]) != NULL) {
            struct item item = ring_pop(job->results[i]);
            if (item.kind == ITEM_BATCH) {
                *out = item.batch;
                return STATUS_OK;
            }
            job->result_ended[i] = job->result_ended[i] || item.kind == ITEM_END;
        }
        all_ended = all_ended && job->result_ended[i];
    }
    return all_ended ? STATUS_END : STATUS_AGAIN;
}

// One round of whoever is not driven by a thread. OK: something moved.
static enum status step_all(struct job *job, struct err *err)
{
    bool moved = false;
    for (uint32_t i = 0; !job->threads_started && i < job->worker_count; i++) {
        moved = worker_step(&job->workers[i]) == WORKER_RAN || moved;
    }
    enum status status = coordinator_step(job, err);
    return status == STATUS_AGAIN && moved ? STATUS_OK : status;
}

// Until there is mail, the coordinator has something to do, or `deadline_us`.
static void wait_for_news(struct job *job, int64_t deadline_us)
{
    enum { STEP_PAUSE_MS = 1 }; // without threads nobody wakes us: sources are asked again
    int timeout_ms = job->threads_started ? coordinator_timeout_ms(job) : STEP_PAUSE_MS;
    if (deadline_us != INT64_MAX) {
        int64_t left = (deadline_us - clock_monotonic_us(job->options.clock)) / 1000 + 1;
        left = left < 0 ? 0 : left;
        timeout_ms = timeout_ms < 0 || left < timeout_ms ? (int)left : timeout_ms;
    }
    waker_wait(&job->waker, timeout_ms);
}

static int64_t deadline_of(struct job *job, int timeout_ms)
{
    return timeout_ms < 0 ? INT64_MAX
                          : clock_monotonic_us(job->options.clock) + (int64_t)timeout_ms * 1000;
}

enum status job_next(struct job *job, int timeout_ms, struct batch **out, struct err *err)
{
    int64_t deadline_us = deadline_of(job, timeout_ms);
    for (;;) {
        // Also while rows wait: the job may have failed, or be cancelled.
        enum status status = coordinator_step(job, err);
        bool goes_on = status == STATUS_OK || status == STATUS_AGAIN || status == STATUS_END;
        enum status result = goes_on ? take_result(job, out) : status;
        if (result != STATUS_END && result != STATUS_AGAIN) {
            return result;
        }
        status = step_all(job, err);
        if (status == STATUS_END) {
            // What arrived before the end is handed out first.
            result = take_result(job, out);
            return result == STATUS_OK ? STATUS_OK : STATUS_END;
        }
        if (status != STATUS_OK && status != STATUS_AGAIN) {
            return status;
        }
        if (status == STATUS_AGAIN) {
            if (clock_monotonic_us(job->options.clock) >= deadline_us) {
                return STATUS_AGAIN;
            }
            wait_for_news(job, deadline_us);
        }
    }
}

enum status job_wait(struct job *job, int timeout_ms, struct err *err)
{
    int64_t deadline_us = deadline_of(job, timeout_ms);
    for (;;) {
        enum status status = step_all(job, err);
        if (status != STATUS_OK && status != STATUS_AGAIN) {
            return status;
        }
        if (status == STATUS_AGAIN) {
            if (clock_monotonic_us(job->options.clock) >= deadline_us) {
                return STATUS_AGAIN;
            }
            wait_for_news(job, deadline_us);
        }
    }
}

void job_read_status(struct job *job, struct job_status *out)
{
    pthread_mutex_lock(&job->status_lock);
    *out = job->status;
    pthread_mutex_unlock(&job->status_lock);
    for (uint32_t i = 0; i < job->worker_count; i++) {
        struct worker_stats stats = worker_read_stats(&job->workers[i]);
        out->rows_in += stats.rows_in;
        out->rows_out += stats.rows_out;
        out->rows_late += stats.rows_late;
        out->lag_rows += stats.lag_rows;
        out->state_bytes += stats.state_bytes;
        if (stats.watermark != WATERMARK_NONE &&
            (out->watermark == WATERMARK_NONE || stats.watermark < out->watermark)) {
            out->watermark = stats.watermark;
        }
    }
    out->memory_used = atomic_load(&job->budget.used);
    out->memory_peak = atomic_load(&job->budget.peak);
}

static void add_source(struct job_node_metrics *out, struct op *op)
{
    struct source_metrics more;
    if (!op_is_source(op) || !op_source_metrics(op, &more)) {
        return;
    }
    out->has_source = true;
    out->source.files_read += more.files_read;
    out->source.files_skipped += more.files_skipped;
    out->source.row_groups_read += more.row_groups_read;
    out->source.row_groups_skipped += more.row_groups_skipped;
    out->source.pages_read += more.pages_read;
    out->source.pages_skipped += more.pages_skipped;
    out->source.bytes_read += more.bytes_read;
    out->source.bytes_skipped += more.bytes_skipped;
    out->source.delete_files_read += more.delete_files_read;
    out->source.delete_files_skipped += more.delete_files_skipped;
    out->source.rows_deleted += more.rows_deleted;
}

static void add_metrics(struct job_node_metrics *out, uint32_t *count, uint32_t max, struct op *op)
{
    uint32_t at = 0;
    while (at < *count && out[at].node_id != op->node->id) {
        at++;
    }
    if (at == max) {
        return;
    }
    if (at == *count) {
        out[at] = (struct job_node_metrics){.node_id = op->node->id};
        (*count)++;
    }
    out[at].rows_in += op->metrics.rows_in;
    out[at].rows_out += op->metrics.rows_out;
    out[at].batches_out += op->metrics.batches_out;
    out[at].busy_ns += op->metrics.busy_ns;
    add_source(&out[at], op);
}

uint32_t job_node_metrics(struct job *job, struct job_node_metrics *out, uint32_t max)
{
    for (uint32_t i = 0; i < job->worker_count; i++) {
        mailbox_send(&job->workers[i].mailbox, (struct message){.kind = WORKER_EXIT});
        worker_join(&job->workers[i]); // its figures are ours to read afterwards
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < job->worker_count; i++) {
        const struct worker *worker = &job->workers[i];
        for (uint32_t s = 0; s < worker->segments.count; s++) {
            const struct segment *segment = worker->segments.items[s];
            for (uint32_t n = 0; n < segment->node_count; n++) {
                if (segment->nodes[n].op->node != NULL) {
                    add_metrics(out, &count, max, segment->nodes[n].op);
                }
            }
        }
    }
    return count;
}
