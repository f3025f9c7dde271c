// SPDX-License-Identifier: Apache-2.0
//
// The start of a pipeline: who it is, where it stopped, what its tables hold of it. Nothing is
// written before everything that could refuse the start has been asked, the run number aside.
#include <inttypes.h>

#include "base/mark.h"
#include "base/mem.h"
#include "engine/job_int.h"

static enum status open_committers(struct job *job, struct err *err)
{
    const struct plan *plan = job->options.plan;
    const struct connectors *connectors = job->options.connectors;
    struct sink_identity identity = {.pipeline_uuid = job->uuid,
                                     .directory = job->options.directory,
                                     .store = job->options.store,
                                     .lineage = job->lineage,
                                     .run = job->run};
    if (job->checkpoints != NULL) {
        identity.pipeline_name = job->options.name;
    }
    job->sinks = arena_new_array(&job->arena, struct job_sink, plan->sink_count);
    for (uint32_t i = 0; i < plan->sink_count; i++) {
        const struct plan_node *node = plan->sinks[i];
        if (node->as.sink.kind != PLAN_SINK_TABLE) {
            continue;
        }
        const struct sink_class *class;
        TRY(connectors->find_sink(connectors->self, node->as.sink.table, &class, err));
        struct job_sink *sink = &job->sinks[job->sink_count++];
        *sink =
            (struct job_sink){.node = node, .operator_id = build_operator_id(&job->arena, node)};
        identity.insert_name = node->as.sink.insert_name;
        if (class->open_committer != NULL) {
            TRY(class->open_committer(node, &identity, &sink->committer, err));
        }
    }
    return STATUS_OK;
}

// The entries of one sink with `key`, in `arena`.
static uint32_t entries_of(const struct checkpoint *checkpoint, struct str operator_id,
                           const char *key, struct arena *arena, struct str **out)
{
    uint32_t count = 0;
    *out = arena_new_array(arena, struct str, checkpoint->entry_count);
    for (uint32_t i = 0; i < checkpoint->entry_count; i++) {
        const struct snapshot_entry *entry = &checkpoint->entries[i];
        if (str_is(entry->key, key) && str_equal(entry->operator_id, operator_id)) {
            (*out)[count++] = entry->bytes;
        }
    }
    return count;
}

// The rows of the last checkpoint go into the table, unless they are there.
static enum status settle_sink(struct job *job, struct job_sink *sink, struct err *err)
{
    struct sink_committer *committer = sink->committer;
    struct str *committables;
    uint32_t count = entries_of(&job->restored, sink->operator_id, SINK_KEY_COMMITTABLE,
                                &job->arena, &committables);
    if (sink->verdict == SINK_NOT_COMMITTED && count > 0) {
        TRY(committer->ops->commit(committer, job->restored.epoch, committables, count,
                                   STR_LIT("recovered"), err));
        coordinator_note(job, "%.*s: committed what the last checkpoint held",
                         STR_ARGS(sink->node->as.sink.table->name));
    }
    return STATUS_OK;
}

// Files of former runs that neither the table nor the restored checkpoint knows.
static enum status clean_sink(struct job *job, struct job_sink *sink, struct err *err)
{
    struct str *open;
    uint32_t count =
        entries_of(&job->restored, sink->operator_id, SINK_KEY_OPEN, &job->arena, &open);
    // Runs since the restored checkpoint left nothing that counts, however many they were.
    uint64_t run_from = job->has_restored ? job->restored.epoch.run : 1;
    return sink->committer->ops->clean(sink->committer, run_from, open, count, err);
}

// A fresh start beside tables that hold marks of this pipeline is refused: rows would double.
static enum status refuse_if_held(struct job *job, struct job_sink *sink, struct err *err)
{
    struct str text;
    enum status status = sink->committer->ops->held(sink->committer, &job->arena, &text, err);
    if (status == STATUS_NOT_FOUND) {
        return STATUS_OK;
    }
    if (status != STATUS_OK) {
        return status;
    }
    if (job->options.fresh) {
        coordinator_note(job, "starting over; %.*s", STR_ARGS(text));
        return STATUS_OK;
    }
    ERR(err, STATUS_CONFLICT, "pipeline '%.*s' has no checkpoint, but %.*s",
        STR_ARGS(job->options.name), STR_ARGS(text));
    err_hint(err,
             "restore the directory %.*s, or run with --fresh to start over (rows that the "
             "table holds already will be there twice)",
             STR_ARGS(job->options.directory));
    return STATUS_CONFLICT;
}

static bool plan_has(struct job *job, struct str operator_id)
{
    const struct plan *plan = job->options.plan;
    for (uint32_t i = 0; i < plan->node_count; i++) {
        if (str_equal(build_operator_id(&job->arena, plan->nodes[i]), operator_id)) {
            return true;
        }
    }
    return false;
}

static bool checkpoint_has(const struct checkpoint *checkpoint, struct str operator_id)
{
    for (uint32_t i = 0; i < checkpoint->operator_count; i++) {
        if (str_equal(checkpoint->operators[i].operator_id, operator_id)) {
            return true;
        }
    }
    return false;
}

static enum status refuse_plan(struct job *job, const char *what, struct str operator_id,
                               struct err *err)
{
    ERR(err, STATUS_CONFLICT,
        "the checkpoint of pipeline '%.*s' was written by other statements: %s%.*s",
        STR_ARGS(job->options.name), what, STR_ARGS(operator_id));
    err_hint(err, "edited statements start over: with another 'pipeline.name', or with --fresh "
                  "(rows that the tables hold already will be there twice)");
    return STATUS_CONFLICT;
}

// What of the checkpoint would be dropped, or begin in the middle, under the plan of now.
static enum status compare_plan(struct job *job, struct err *err)
{
    const struct checkpoint *checkpoint = &job->restored;
    const struct plan *plan = job->options.plan;
    for (uint32_t i = 0; i < checkpoint->entry_count; i++) {
        if (!plan_has(job, checkpoint->entries[i].operator_id)) {
            return refuse_plan(job, "it has ", checkpoint->entries[i].operator_id, err);
        }
    }
    for (uint32_t i = 0; i < checkpoint->segment_count; i++) {
        if (!plan_has(job, checkpoint->segments[i].operator_id)) {
            return refuse_plan(job, "it has ", checkpoint->segments[i].operator_id, err);
        }
    }
    for (uint32_t i = 0; i < plan->node_count; i++) {
        struct str id = plan->nodes[i]->operator_id;
        if (id.size > 0 && !checkpoint_has(checkpoint, id)) {
            return refuse_plan(job, "it has not ", id, err);
        }
    }
    if (!str_equal(checkpoint->plan_digest, job->options.plan_digest)) {
        return refuse_plan(job, "they compute something else (EXPLAIN shows what)", STR_LIT(""),
                           err);
    }
    return STATUS_OK;
}

static enum status load(struct job *job, struct err *err)
{
    if (job->options.fresh) {
        const uint64_t seed[2] = {job->options.seed[0] ^ 0x9e37, job->options.seed[1]};
        return checkpoint_store_forget(job->checkpoints, seed, err);
    }
    enum status status = checkpoint_store_load(job->checkpoints, &job->arena, &job->restored, err);
    if (status == STATUS_NOT_FOUND) {
        return STATUS_OK;
    }
    job->has_restored = status == STATUS_OK;
    MARK("recovery.loaded");
    return status == STATUS_OK ? compare_plan(job, err) : status;
}

// Before any is written to, each table is asked what it holds of this pipeline.
static enum status ask_sinks(struct job *job, struct err *err)
{
    for (uint32_t i = 0; i < job->sink_count; i++) {
        struct job_sink *sink = &job->sinks[i];
        struct sink_committer *committer = sink->committer;
        if (committer != NULL) {
            TRY(job->has_restored
                    ? committer->ops->resolve(committer, job->restored.epoch, &sink->verdict, err)
                    : refuse_if_held(job, sink, err));
        }
    }
    return STATUS_OK;
}

static enum status settle_sinks(struct job *job, struct err *err)
{
    // Clean is a stop with nothing behind it: a run that began after it and left no checkpoint may
    // be at work still.
    bool stopped = job->has_restored && job->restored.kind == BARRIER_STOP &&
                   job->restored.epoch.run + 1 == job->run;
    bool unclean = !checkpoint_store_identity(job->checkpoints)->is_new && !stopped;
    TRY(ask_sinks(job, err));
    for (uint32_t i = 0; i < job->sink_count; i++) {
        struct job_sink *sink = &job->sinks[i];
        if (sink->committer == NULL) {
            continue;
        }
        if (job->has_restored) {
            TRY(settle_sink(job, sink, err));
        }
        if (unclean) {
            MARK("recovery.fence");
            TRY(sink->committer->ops->fence(sink->committer, err));
            MARK("recovery.fenced");
        }
        TRY(clean_sink(job, sink, err));
    }
    return STATUS_OK;
}

enum status recovery_run(struct job *job, struct err *err)
{
    const struct job_options *options = &job->options;
    if (options->store == NULL) {
        job->run = 1;
        job->lineage = arena_printf(&job->arena, "%016" PRIx64 "%016" PRIx64, options->seed[0],
                                    options->seed[1]);
        job->uuid = job->lineage;
        return open_committers(job, err);
    }
    TRY(checkpoint_store_open(options->store, options->directory, options->seed, options->fresh,
                              &job->checkpoints, err));
    TRY(load(job, err));
    job->run = checkpoint_store_identity(job->checkpoints)->run;
    job->lineage = checkpoint_store_identity(job->checkpoints)->lineage;
    job->uuid = checkpoint_store_identity(job->checkpoints)->pipeline_uuid;
    TRY(open_committers(job, err));
    TRY(settle_sinks(job, err));
    if (job->has_restored) {
        coordinator_note(job, "resumed from checkpoint %" PRIu64 "-%" PRIu64,
                         job->restored.epoch.run, job->restored.epoch.number);
    }
    return STATUS_OK;
}
