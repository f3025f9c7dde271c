// SPDX-License-Identifier: Apache-2.0
#include "main/status_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "data/batch.h"
#include "engine/job.h"

enum { REFRESH_US = 500000 };

static int64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

void status_line_begin(struct status_line *line, bool wanted)
{
    const char *terminal = getenv("TERM");
    *line = (struct status_line){.is_quiet = !wanted, .last_us = now_us()};
    line->is_terminal = wanted && isatty(STDERR_FILENO) != 0 && terminal != NULL &&
                        strcmp(terminal, "dumb") != 0;
}

static void erase(struct status_line *line)
{
    if (line->is_drawn) {
        fputs("\r\033[K", stderr);
        line->is_drawn = false;
    }
}

void status_line_note(struct status_line *line, const char *text)
{
    erase(line);
    fprintf(stderr, "%s\n", text);
}

// 1234567 -> "1.2 M"
static void print_count(char *out, size_t size, double count)
{
    static const char *const units[] = {"", " k", " M", " G", " T"};
    uint32_t unit = 0;
    while (count >= 10000 && unit < 4) {
        count /= 1000;
        unit++;
    }
    (void)snprintf(out, size, unit == 0 ? "%.0f%s" : "%.1f%s", count, units[unit]);
}

static void print_time(char *out, size_t size, int64_t us)
{
    if (us == WATERMARK_NONE || us == WATERMARK_END) {
        (void)snprintf(out, size, "%s", us == WATERMARK_NONE ? "-" : "end");
        return;
    }
    time_t second = (time_t)(us / 1000000 - (us % 1000000 < 0));
    struct tm parts;
    gmtime_r(&second, &parts);
    (void)strftime(out, size, "%Y-%m-%d %H:%M:%S", &parts);
}

static void draw(struct status_line *line, const struct job_status *status, double seconds)
{
    char in[32];
    char out[32];
    char lag[32];
    char state[32];
    char watermark[64];
    print_count(in, sizeof in, (double)(status->rows_in - line->last_in) / seconds);
    print_count(out, sizeof out, (double)(status->rows_out - line->last_out) / seconds);
    print_count(lag, sizeof lag, (double)status->lag_rows);
    print_count(state, sizeof state, (double)status->state_bytes);
    print_time(watermark, sizeof watermark, status->watermark);
    fprintf(stderr,
            "\r\033[K%s/s in, %s/s out | lag %s | watermark %s | state %sB | checkpoint %" PRIu64
            " (%" PRId64 " ms) | commits %" PRIu64,
            in, out, lag, watermark, state, status->last_checkpoint.number,
            status->last_checkpoint_ms, status->commits);
    line->is_drawn = true;
}

static void log_checkpoint(const struct job_status *status)
{
    char watermark[64];
    print_time(watermark, sizeof watermark, status->watermark);
    fprintf(stderr,
            "checkpoint=%" PRIu64 "-%" PRIu64 " ms=%" PRId64 " rows_in=%" PRIu64
            " rows_out=%" PRIu64 " late=%" PRIu64 " lag=%" PRIu64
            " watermark=\"%s\" state_bytes=%" PRIu64 " commits=%" PRIu64 " last_commit=\"%s\"\n",
            status->last_checkpoint.run, status->last_checkpoint.number,
            status->last_checkpoint_ms, status->rows_in, status->rows_out, status->rows_late,
            status->lag_rows, watermark, status->state_bytes, status->commits,
            status->last_commit);
}

static bool is_new(struct status_line *line, const struct job_status *status)
{
    if (status->last_checkpoint.number == 0 ||
        (status->last_checkpoint.run == line->checkpoint_run &&
         status->last_checkpoint.number == line->checkpoint_number)) {
        return false;
    }
    line->checkpoint_run = status->last_checkpoint.run;
    line->checkpoint_number = status->last_checkpoint.number;
    return true;
}

void status_line_update(struct status_line *line, struct job *job)
{
    if (line->is_quiet) {
        return;
    }
    struct job_status status;
    int64_t now = now_us();
    if (now - line->last_us < REFRESH_US) {
        return;
    }
    job_read_status(job, &status);
    if (line->is_terminal) {
        draw(line, &status, (double)(now - line->last_us) / 1e6);
    } else if (is_new(line, &status)) {
        log_checkpoint(&status);
    }
    line->last_us = now;
    line->last_in = status.rows_in;
    line->last_out = status.rows_out;
}

void status_line_end(struct status_line *line, struct job *job)
{
    struct job_status status;
    erase(line);
    if (line->is_quiet) {
        return;
    }
    job_read_status(job, &status);
    if (is_new(line, &status)) {
        log_checkpoint(&status);
    }
}
