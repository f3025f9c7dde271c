// SPDX-License-Identifier: Apache-2.0
//
// EXPLAIN: the plan; EXPLAIN ANALYZE: the plan with what each node did, after running it.
#include <inttypes.h>

#include "base/strbuf.h"
#include "data/column.h"
#include "engine/job.h"
#include "plan/plan.h"
#include "session/session_int.h"
#include "state/spill.h"

static enum status bind(struct statement_run *run, const struct ast_statement *statement,
                        struct plan **out, struct err *err)
{
    struct bind_context context;
    TRY(session_zone(run, err));
    session_bind_context(run, &context);
    if (statement->kind == AST_QUERY) {
        return bind_query(&context, statement->as.query, out, err);
    }
    if (statement->kind == AST_INSERT) {
        const struct ast_insert *one = &statement->as.insert;
        return bind_statement_set(&context, &one, 1, out, err);
    }
    if (statement->kind == AST_STATEMENT_SET) {
        const struct ast_statement_set *set = &statement->as.statement_set;
        const struct ast_insert **inserts =
            arena_new_array(&run->result->arena, const struct ast_insert *, set->count);
        for (uint32_t i = 0; i < set->count; i++) {
            inserts[i] = &set->inserts[i];
        }
        return bind_statement_set(&context, inserts, set->count, out, err);
    }
    ERR(err, STATUS_UNSUPPORTED, "only queries, INSERTs and statement sets can be explained");
    err_at(err, ERR_STAGE_VALIDATE, statement->at.offset, statement->at.length);
    return STATUS_UNSUPPORTED;
}

enum status run_check(struct statement_run *run, const struct ast_statement *statement,
                      struct err *err)
{
    struct plan *plan;
    return bind(run, statement, &plan, err);
}

static void show(struct statement_run *run, struct str text)
{
    static const char *const names[] = {"result"};
    const struct type *types[] = {&type_string};
    struct result_table *table = result_table_new(run->result, names, types, 1);
    result_table_row(table, &text);
    result_table_finish(table);
    run->result->is_text = true;
}

static enum status run_to_end(const struct session *session, struct job *job, struct err *err)
{
    enum { POLL_MS = 100 };
    for (;;) {
        struct batch *batch;
        enum status status = job_next(job, POLL_MS, &batch, err);
        if (status == STATUS_OK) {
            batch_drop(batch);
        } else if (status != STATUS_AGAIN) {
            return status == STATUS_END ? STATUS_OK : status;
        }
        if (session->options.is_cancelled != NULL && session->options.is_cancelled()) {
            job_cancel(job);
        }
    }
}

static void print_metrics(struct strbuf *out, const struct plan *plan,
                          const struct job_node_metrics *metrics, uint32_t count)
{
    strbuf_printf(out, "\n== Execution ==\n%-4s %-24s %14s %14s %10s %12s\n", "id", "node",
                  "rows in", "rows out", "batches", "ms");
    for (uint32_t n = plan->node_count; n-- > 0;) {
        for (uint32_t i = 0; i < count; i++) {
            if (metrics[i].node_id == plan->nodes[n]->id) {
                strbuf_printf(out, "%-4u %-24s %14" PRIu64 " %14" PRIu64 " %10" PRIu64 " %12.3f\n",
                              metrics[i].node_id, plan_kind_name(plan->nodes[n]->kind),
                              metrics[i].rows_in, metrics[i].rows_out, metrics[i].batches_out,
                              (double)metrics[i].busy_ns / 1e6);
            }
        }
    }
}

static void print_part(struct strbuf *out, const char *what, uint64_t read, uint64_t skipped)
{
    if (read + skipped > 0) {
        strbuf_printf(out, ", %s %" PRIu64 " of %" PRIu64, what, read, read + skipped);
    }
}

// What the scans read of what there is.
static void print_sources(struct strbuf *out, const struct job_node_metrics *metrics,
                          uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct source_metrics *source = &metrics[i].source;
        if (metrics[i].has_source) {
            strbuf_printf(out, "\nscan %u: files %" PRIu64 " of %" PRIu64, metrics[i].node_id,
                          source->files_read, source->files_read + source->files_skipped);
            print_part(out, "row groups", source->row_groups_read, source->row_groups_skipped);
            print_part(out, "pages", source->pages_read, source->pages_skipped);
            print_part(out, "bytes", source->bytes_read, source->bytes_skipped);
            print_part(out, "delete files", source->delete_files_read,
                       source->delete_files_skipped);
            if (source->rows_deleted > 0) {
                strbuf_printf(out, ", rows deleted %" PRIu64, source->rows_deleted);
            }
        }
    }
    strbuf_add_text(out, "\n");
}

// What the job as a whole took. Flattened columns: how often an encoding was given up (column.h).
static void print_totals(struct strbuf *out, struct statement_run *run, struct job *job,
                         uint64_t flattenings)
{
    struct job_status status;
    job_read_status(job, &status);
    struct spill *spill = run->session->spill;
    strbuf_printf(out, "\nlate rows: %" PRIu64 "\npeak of memory: %zu bytes\n", status.rows_late,
                  status.memory_peak);
    strbuf_printf(out, "spill file: %" PRIu64 " bytes\ncolumns flattened: %" PRIu64 "\n",
                  spill == NULL ? 0 : spill_bytes(spill), flattenings);
}

static enum status analyze(struct statement_run *run, const struct plan *plan, struct strbuf *out,
                           struct err *err)
{
    struct job *job;
    uint64_t flattenings = column_flattenings();
    TRY(run_start_job(run, &(struct run_job_options){.plan = plan, .measure = true}, &job, err));
    enum status status = run_to_end(run->session, job, err);
    if (status == STATUS_OK) {
        struct job_node_metrics *metrics =
            arena_new_array(&run->result->arena, struct job_node_metrics, plan->node_count);
        uint32_t count = job_node_metrics(job, metrics, plan->node_count);
        print_metrics(out, plan, metrics, count);
        print_sources(out, metrics, count);
        print_totals(out, run, job, column_flattenings() - flattenings);
    }
    job_free(job);
    return status;
}

static enum status refuse_details(struct statement_run *run, unsigned details, struct err *err)
{
    static const struct {
        unsigned detail;
        const char *name;
    } missing[] = {
        {AST_EXPLAIN_ESTIMATED_COST, "EXPLAIN ESTIMATED_COST"},
        {AST_EXPLAIN_JSON_EXECUTION_PLAN, "EXPLAIN JSON_EXECUTION_PLAN"},
        {AST_EXPLAIN_PLAN_ADVICE, "EXPLAIN PLAN_ADVICE"},
    };
    for (uint32_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        if ((details & missing[i].detail) != 0) {
            enum status status = run_unsupported(run, missing[i].name, err);
            err_hint(err, "there are EXPLAIN, EXPLAIN CHANGELOG_MODE and EXPLAIN ANALYZE");
            return status;
        }
    }
    return STATUS_OK;
}

enum status run_explain(struct statement_run *run, struct err *err)
{
    const struct ast_explain *explain = &run->statement->as.explain;
    struct plan *plan;
    TRY(refuse_details(run, explain->details, err));
    TRY(bind(run, explain->statement, &plan, err));
    struct strbuf text;
    strbuf_init(&text, 1 << 24);
    strbuf_add_text(&text, "== Optimized Execution Plan ==\n");
    struct plan_print_options options = {.changelog_mode =
                                             (explain->details & AST_EXPLAIN_CHANGELOG_MODE) != 0};
    plan_print(&text, plan, &options);
    enum status status = STATUS_OK;
    if (explain->analyze) {
        status = analyze(run, plan, &text, err);
    }
    if (status == STATUS_OK) {
        show(run, strbuf_str(&text));
    }
    strbuf_release(&text);
    return status;
}
