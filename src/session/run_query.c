// SPDX-License-Identifier: Apache-2.0
//
// SELECT, INSERT and statement sets: a plan, then a job.
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/strbuf.h"
#include "connect/registry.h"
#include "engine/job.h"
#include "iceberg/manifest_files.h"
#include "session/session_int.h"
#include "sql/parse.h"
#include "state/spill.h"
#include "sys/clock.h"
#include "sys/file.h"

static uint32_t cores(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > 256 ? 256 : (uint32_t)count;
}

enum { MANIFESTS_MAX = 512 << 20 }; // what decoded manifests may take, at most a quarter of all

static size_t memory_limit(const struct settings *settings)
{
    int64_t bytes = settings_bytes(settings, "memory.limit");
    if (bytes > 0) {
        return (size_t)bytes;
    }
    long pages = sysconf(_SC_PHYS_PAGES);
    long page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (size_t)pages * (size_t)page / 4 : (size_t)1 << 30;
}

// A plan that only computes constants is done before a thread would have started.
static bool is_trivial(const struct plan *plan)
{
    for (uint32_t i = 0; i < plan->node_count; i++) {
        if (plan->nodes[i]->kind == PLAN_SCAN) {
            return false;
        }
    }
    return true;
}

static bool has_state(const struct plan *plan)
{
    for (uint32_t i = 0; i < plan->node_count; i++) {
        enum plan_kind kind = plan->nodes[i]->kind;
        if (kind == PLAN_GROUP_AGGREGATE || kind == PLAN_WINDOW_AGGREGATE || kind == PLAN_JOIN ||
            kind == PLAN_NORMALIZE || kind == PLAN_SORT) {
            return true;
        }
    }
    return false;
}

static enum status open_spill(struct session *session, struct err *err)
{
    if (session->spill != NULL) {
        return STATUS_OK;
    }
    struct str directory =
        arena_printf(&session->arena, "%.*s/spill", STR_ARGS(session->options.data_directory));
    struct spill_options options = {.directory = directory.ptr, .has_thread = true};
    return spill_new(&options, &session->spill, err);
}

// The pipeline's name: the setting, else the file's stem; the second and later pipelines under one
// name are numbered. In a shell the same statement again is the same pipeline.
static struct str pipeline_name(const struct statement_run *run, struct session_pipeline *pipeline)
{
    struct session *session = run->session;
    bool is_script = session->options.pipeline_name.size > 0;
    struct str name = str_from(settings_get(&session->settings, "pipeline.name"));
    *pipeline =
        (struct session_pipeline){.name = name.size > 0 ? name : session->options.pipeline_name,
                                  .statement = hash_bytes(run->text.ptr, run->text.size, 0)};
    for (uint32_t i = 0; i < session->pipelines.count; i++) {
        const struct session_pipeline *other = &session->pipelines.items[i];
        if (str_equal(other->name, pipeline->name)) {
            if (!is_script && other->statement == pipeline->statement) {
                pipeline->number = other->number;
                break;
            }
            pipeline->number++;
        }
    }
    struct arena *arena = &run->result->arena;
    return pipeline->number == 0
               ? arena_str(arena, pipeline->name)
               : arena_printf(arena, "%.*s-%u", STR_ARGS(pipeline->name), pipeline->number + 1);
}

static void remember_pipeline(struct session *session, const struct session_pipeline *pipeline)
{
    for (uint32_t i = 0; i < session->pipelines.count; i++) {
        const struct session_pipeline *other = &session->pipelines.items[i];
        if (str_equal(other->name, pipeline->name) && other->number == pipeline->number) {
            return;
        }
    }
    struct session_pipeline kept = *pipeline;
    kept.name = arena_str(&session->arena, pipeline->name);
    VEC_PUSH(&session->pipelines, kept);
}

static enum status check_name(struct str name, struct err *err)
{
    bool good = name.size > 0 && name.size <= 128 && name.ptr[0] != '.';
    for (size_t i = 0; i < name.size && good; i++) {
        good = name.ptr[i] > ' ' && name.ptr[i] != '/' && name.ptr[i] != 127;
    }
    if (good) {
        return STATUS_OK;
    }
    ERR(err, STATUS_INVALID_DATA, "'%.*s' is no name for a pipeline", STR_ARGS(name));
    err_hint(err, "1 to 128 characters without '/' and blanks, not beginning with a dot");
    return STATUS_INVALID_DATA;
}

// Of what is computed, however it is written: other statements must not take over its checkpoints.
static struct str plan_digest(const struct plan *plan, struct arena *arena)
{
    struct strbuf text;
    strbuf_init(&text, 1 << 24);
    plan_print(&text, plan, &(struct plan_print_options){.operator_ids = true});
    uint64_t hash = hash_bytes(text.ptr, text.size, 0);
    strbuf_release(&text);
    return arena_printf(arena, "%016llx", (unsigned long long)hash);
}

static enum status prepare_pipeline(struct statement_run *run, struct session_pipeline *pipeline,
                                    struct job_options *job, struct err *err)
{
    struct session *session = run->session;
    struct arena *arena = &run->result->arena;
    job->name = pipeline_name(run, pipeline);
    TRY(check_name(job->name, err));
    job->directory = arena_printf(arena, "%.*s/checkpoints/%.*s",
                                  STR_ARGS(session->options.data_directory), STR_ARGS(job->name));
    TRY(file_make_directories(job->directory.ptr, err));
    struct str lock = arena_printf(arena, "%.*s/lock", STR_ARGS(job->directory));
    file_lock_release(&session->lock);
    enum status status = file_lock_take(lock.ptr, &session->lock, err);
    if (status == STATUS_EXISTS) {
        char holder[ERR_TEXT_MAX];
        memcpy(holder, err->text, sizeof holder);
        ERR(err, STATUS_EXISTS, "pipeline '%.*s' is running already (%s)", STR_ARGS(job->name),
            holder);
        err_hint(err, "stop it first, or give this one another name: SET 'pipeline.name' = '...'");
    }
    if (status != STATUS_OK) {
        return status;
    }
    const struct settings *settings = &session->settings;
    job->store = session->store;
    job->plan_digest = plan_digest(job->plan, arena);
    job->checkpoint_interval_ms =
        settings_duration_ms(settings, "execution.checkpointing.interval");
    job->commit_interval_ms = settings_duration_ms(settings, "commit-interval");
    job->fresh = session->options.fresh;
    job->notify = session->options.notify;
    job->notify_context = session->options.notify_context;
    return STATUS_OK;
}

static enum verify_mode verify_mode(const struct settings *settings)
{
    static const char *const names[] = {"none", "const", "dict", "slice", "mix"};
    for (int i = 0; i < 5; i++) {
        if (str_is_nocase(str_from(settings_get(settings, "debug.verify-encodings")), names[i])) {
            return (enum verify_mode)i;
        }
    }
    return VERIFY_NONE;
}

enum status run_start_job(struct statement_run *run, const struct run_job_options *options,
                          struct job **out, struct err *err)
{
    struct session *session = run->session;
    const struct settings *settings = &session->settings;
    struct session_pipeline pipeline = {0};
    bool trivial = is_trivial(options->plan);
    size_t memory = memory_limit(settings);
    manifest_files_limit(memory / 4 < MANIFESTS_MAX ? memory / 4 : MANIFESTS_MAX);
    int64_t parallelism = settings_count(settings, "parallelism.default");
    struct expr_settings *expr = arena_new(&run->result->arena, struct expr_settings);
    *expr = (struct expr_settings){.zone = run->result->zone,
                                   .now_us = clock_wall_us(clock_system()),
                                   .is_streaming = options->plan->is_streaming};
    struct job_options job = {
        .plan = options->plan,
        .connectors = &session->connectors,
        .expr_settings = expr,
        .clock = clock_system(),
        .parallelism = trivial           ? 1
                       : parallelism > 0 ? (uint32_t)parallelism
                                         : cores(),
        .memory_limit = memory,
        .batch_rows = (uint32_t)settings_count(settings, "debug.batch-rows"),
        .watermark_interval_ms = settings_duration_ms(settings, "pipeline.auto-watermark-interval"),
        .threads = !trivial,
        .measure = options->measure,
        .hashes_zero = settings_bool(settings, "debug.hashes-zero"),
        .verify = verify_mode(settings)};
    if (options->is_pipeline) {
        job.source_batches_max = (uint64_t)settings_count(settings, "debug.stop-after-batches");
    }
    if (getrandom(job.seed, sizeof job.seed, 0) != (ssize_t)sizeof job.seed) {
        return ERR(err, STATUS_IO, "no random numbers from the system");
    }
    if (has_state(options->plan) && !trivial) {
        TRY(open_spill(session, err));
        job.spill = session->spill;
    }
    if (options->is_pipeline) {
        TRY(prepare_pipeline(run, &pipeline, &job, err));
    } else {
        job.directory = arena_printf(&run->result->arena, "%.*s/spill/insert-%016llx",
                                     STR_ARGS(session->options.data_directory),
                                     (unsigned long long)job.seed[0]);
    }
    TRY(job_start(&job, out, err));
    if (options->is_pipeline) {
        remember_pipeline(session, &pipeline);
    }
    return STATUS_OK;
}

enum status run_query(struct statement_run *run, struct err *err)
{
    struct bind_context context;
    struct plan *plan;
    TRY(session_zone(run, err));
    session_bind_context(run, &context);
    TRY(bind_query(&context, run->statement->as.query, &plan, err));
    const struct plan_node *sink = plan->sinks[0];
    struct result_column *columns =
        arena_new_array(&run->result->arena, struct result_column, sink->column_count);
    for (uint32_t i = 0; i < sink->column_count; i++) {
        columns[i] = (struct result_column){sink->columns[i].name, sink->columns[i].type};
    }
    run->result->has_rows = true;
    run->result->shows_changes = plan->is_streaming;
    run->result->columns = columns;
    run->result->column_count = sink->column_count;
    if (!plan->is_streaming && sink->inputs[0]->kind == PLAN_LIMIT &&
        sink->inputs[0]->as.limit.limit >= 0) {
        run->result->has_limit = true;
        run->result->rows_left = sink->inputs[0]->as.limit.limit;
    }
    return run_start_job(run, &(struct run_job_options){.plan = plan}, &run->result->job, err);
}

static bool never_ends(struct statement_run *run, const struct plan_node *node)
{
    if (node->kind != PLAN_SCAN) {
        return false;
    }
    struct connector_lookup lookup = registry_lookup();
    struct connector_info info = {0};
    return lookup.describe(lookup.self, &run->result->arena, node->as.scan.table, false, &info,
                           NULL) == STATUS_OK &&
           info.is_endless;
}

static bool is_bounded(struct statement_run *run, const struct plan *plan)
{
    for (uint32_t i = 0; i < plan->sink_count; i++) {
        if (!plan->sinks[i]->bounded) {
            return false;
        }
    }
    for (uint32_t i = 0; i < plan->node_count; i++) {
        if (never_ends(run, plan->nodes[i])) {
            return false;
        }
    }
    return true;
}

// What a user might want to ask meanwhile, from another terminal.
static void suggest_query(const struct statement_run *run, const struct plan *plan)
{
    const struct session_options *options = &run->session->options;
    for (uint32_t i = 0; options->notify != NULL && i < plan->sink_count; i++) {
        const struct table_def *table = plan->sinks[i]->as.sink.table;
        if (table != NULL && table->is_iceberg) {
            options->notify(options->notify_context,
                            arena_printf(&run->result->arena,
                                         "running; try: frazil sql -e 'SELECT COUNT(*) FROM %.*s'",
                                         STR_ARGS(table->name)));
            return;
        }
    }
}

// The job is handed to the caller.
static enum status insert(struct statement_run *run, const struct ast_insert *const *inserts,
                          uint32_t count, struct err *err)
{
    struct bind_context context;
    struct plan *plan;
    TRY(session_zone(run, err));
    session_bind_context(run, &context);
    TRY(bind_statement_set(&context, inserts, count, &plan, err));
    bool named = settings_get(&run->session->settings, "pipeline.name")[0] != '\0';
    // Only operators of streaming plans put what they hold into checkpoints.
    bool is_pipeline =
        plan->is_streaming && (run->session->options.pipeline_name.size > 0 || named);
    if (!is_pipeline && !is_bounded(run, plan)) {
        ERR(err, STATUS_INVALID_DATA, "this INSERT never ends: it is a pipeline without a name");
        err_at(err, ERR_STAGE_VALIDATE, run->statement->at.offset, run->statement->at.length);
        err_hint(err, "SET 'pipeline.name' = '...' first, or put it into a file for frazil run");
        return STATUS_INVALID_DATA;
    }
    struct run_job_options options = {.plan = plan, .is_pipeline = is_pipeline};
    TRY(run_start_job(run, &options, &run->result->job, err));
    if (run->session->options.pipeline_name.size > 0) {
        suggest_query(run, plan);
    }
    return STATUS_OK;
}

enum status run_insert(struct statement_run *run, struct err *err)
{
    struct session *session = run->session;
    if (session->in_set) {
        // Kept for END: bound then, in one plan.
        struct str text = arena_str(&session->set_arena, run->text);
        VEC_PUSH(&session->set_texts, text);
        return STATUS_OK;
    }
    const struct ast_insert *one = &run->statement->as.insert;
    return insert(run, &one, 1, err);
}

enum status run_statement_set(struct statement_run *run, struct err *err)
{
    const struct ast_statement_set *set = &run->statement->as.statement_set;
    const struct ast_insert **inserts =
        arena_new_array(&run->result->arena, const struct ast_insert *, set->count);
    for (uint32_t i = 0; i < set->count; i++) {
        inserts[i] = &set->inserts[i];
    }
    return insert(run, inserts, set->count, err);
}

enum status run_begin_set(struct statement_run *run, struct err *err)
{
    struct session *session = run->session;
    if (session->in_set) {
        return ERR(err, STATUS_INVALID_DATA, "a statement set has begun already; END comes first");
    }
    session->in_set = true;
    session->set_texts.count = 0;
    arena_reset(&session->set_arena);
    return STATUS_OK;
}

// The inserts between BEGIN and END, as the text of one set: places in messages are within it.
enum status run_end_set(struct statement_run *run, struct err *err)
{
    struct session *session = run->session;
    if (!session->in_set) {
        return ERR(err, STATUS_INVALID_DATA, "END without BEGIN STATEMENT SET");
    }
    session->in_set = false;
    struct strbuf text;
    strbuf_init(&text, (size_t)64 << 20);
    strbuf_add_text(&text, "EXECUTE STATEMENT SET BEGIN\n");
    for (uint32_t i = 0; i < session->set_texts.count; i++) {
        struct str insert_text = str_trim(session->set_texts.items[i]);
        strbuf_add(&text, insert_text);
        strbuf_add_text(&text, str_ends(insert_text, ";") ? "\n" : ";\n");
    }
    strbuf_add_text(&text, "END");
    run->text = arena_str(&run->result->arena, strbuf_str(&text));
    strbuf_release(&text);
    TRY(parse_statement(&run->result->arena, run->text, &run->statement, err));
    return run_statement_set(run, err);
}
