// SPDX-License-Identifier: Apache-2.0
//
// status_line: what a running pipeline says. On a terminal one line that refreshes twice a second:
// rows a second, lag, watermark, state, last checkpoint, last commit. Elsewhere one line a
// checkpoint, as `key=value` pairs. To standard error.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct job;

struct status_line {
    bool is_terminal;
    bool is_quiet;
    int64_t last_us;
    uint64_t last_in, last_out;
    uint64_t checkpoint_run, checkpoint_number; // told last
    bool is_drawn;
};

void status_line_begin(struct status_line *line, bool wanted);
void status_line_update(struct status_line *line, struct job *job);
void status_line_note(struct status_line *line, const char *text);
void status_line_end(struct status_line *line, struct job *job);
