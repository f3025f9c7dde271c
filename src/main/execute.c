// SPDX-License-Identifier: Apache-2.0
#include "main/execute.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/strbuf.h"
#include "engine/job.h"
#include "main/output.h"
#include "main/status_line.h"
#include "session/session.h"
#include "sql/diagnostic.h"
#include "sql/script.h"

enum { POLL_MS = 100 };

void execute_print_error(const struct err *err, struct str name, struct str text, uint64_t base)
{
    struct diagnostic_source source = {.name = name, .text = text, .base = base};
    struct strbuf out;
    strbuf_init(&out, 1 << 20);
    diagnostic_render(&out, "error", err, &source);
    fprintf(stderr, "%.*s", STR_ARGS(strbuf_str(&out)));
    strbuf_release(&out);
}

static enum status check_key(struct str key, struct err *err)
{
    const char *nearest = settings_nearest(key);
    if (settings_is_known(key) || nearest == NULL) {
        return STATUS_OK;
    }
    ERR(err, STATUS_INVALID_DATA, "there is no setting '%.*s'", STR_ARGS(key));
    err_hint(err, "did you mean '%s'?", nearest);
    return STATUS_INVALID_DATA;
}

int execute_settings(struct session *session, const struct command_options *options)
{
    for (uint32_t i = 0; i + 1 < options->settings.count; i += 2) {
        struct err err;
        struct str key = options->settings.items[i];
        // Flink's scripts may set what we do not know; a command line means what it says.
        if (check_key(key, &err) != STATUS_OK ||
            settings_set(session_settings(session), key, options->settings.items[i + 1], &err) !=
                STATUS_OK) {
            execute_print_error(&err, (struct str){0}, (struct str){0}, 0);
            return EXIT_USAGE;
        }
    }
    return EXIT_DONE;
}

// Prints rows as they come. An interrupt ends the query.
static enum status print_rows(struct result *result, const struct execute_options *options,
                              struct err *err)
{
    struct output output = {.expanded = options->expanded};
    output_begin(&output, options->format, result);
    for (;;) {
        const struct batch *batch;
        enum status status = result_next(result, POLL_MS, &batch, err);
        if (status == STATUS_OK) {
            output_rows(&output, batch);
        } else if (status == STATUS_AGAIN) {
            output_flush(&output); // nothing more now: show what there is
        } else if (status == STATUS_END) {
            output_end(&output);
            return STATUS_OK;
        } else {
            output_flush(&output);
            return status;
        }
        if (command_interrupts() > 0) {
            result_cancel(result);
        }
    }
}

// What a failure means for what was done before it, where the failure itself advises nothing.
static void hint_safe(struct job *job, struct err *err)
{
    struct job_status status;
    job_read_status(job, &status);
    if (err->hint[0] != '\0' || status.last_checkpoint.number == 0) {
        return;
    }
    err_hint(err,
             "what was committed is safe; the same command goes on from checkpoint "
             "%" PRIu64 "-%" PRIu64,
             status.last_checkpoint.run, status.last_checkpoint.number);
}

// Waits for a pipeline. The first interrupt asks for a last checkpoint.
static enum status wait_for_pipeline(struct result *result, const struct execute_options *options,
                                     struct err *err)
{
    struct status_line line;
    bool stopping = false;
    status_line_begin(&line, options->status_line);
    for (;;) {
        enum status status = job_wait(result->job, POLL_MS, err);
        if (status != STATUS_AGAIN) {
            status_line_end(&line, result->job);
            if (status != STATUS_END && status != STATUS_CANCELLED) {
                hint_safe(result->job, err);
            }
            return status == STATUS_END ? STATUS_OK : status;
        }
        if (command_interrupts() > 0 && !stopping) {
            stopping = true;
            status_line_note(&line, "stopping at a checkpoint (again: at once)");
            job_stop(result->job);
        }
        status_line_update(&line, result->job);
    }
}

static double seconds_since(const struct timespec *begin)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - begin->tv_sec) + (double)(now.tv_nsec - begin->tv_nsec) / 1e9;
}

static enum status execute_one(struct session *session, struct str text,
                               const struct execute_options *options, struct err *err)
{
    struct result *result;
    struct timespec begin;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    enum status status = session_execute(session, text, &result, err);
    if (status != STATUS_OK) {
        return status;
    }
    output_notes(result->notes);
    if (result->has_rows) {
        status = print_rows(result, options, err);
    } else {
        if (session_is_pipeline(result)) {
            status = wait_for_pipeline(result, options, err);
        }
        if (status == STATUS_OK) {
            output_done(options->format);
        }
    }
    result_free(result);
    if (options->timing && status == STATUS_OK) {
        fprintf(stderr, "time: %.3f ms\n", seconds_since(&begin) * 1e3);
    }
    return status;
}

int execute_script(struct session *session, struct str text, const struct execute_options *options)
{
    struct script script;
    struct script_statement statement;
    int code = EXIT_DONE;
    script_init(&script, text);
    while (script_next(&script, &statement)) {
        struct err err;
        enum status status = execute_one(session, statement.text, options, &err);
        if (status == STATUS_OK && command_interrupts() == 0) {
            continue;
        }
        if (command_interrupts() > 0 && (status == STATUS_CANCELLED || status == STATUS_OK)) {
            return EXIT_INTERRUPTED;
        }
        output_error(options->format, &err);
        if (options->format != OUTPUT_TYPED || !options->keep_going) {
            execute_print_error(&err, options->name, text, statement.offset);
        }
        code = EXIT_FAILED;
        if (!options->keep_going) {
            return code;
        }
    }
    return code;
}
