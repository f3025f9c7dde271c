// SPDX-License-Identifier: Apache-2.0
//
// command: the verbs of the command line and what they have in common.
//
// Exit codes: 0 done, 1 the data or a statement failed, 2 wrong usage, 130 interrupted.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_INTERRUPTED = 130 };

enum output_format {
    OUTPUT_TABLE,
    OUTPUT_TSV,
    OUTPUT_CSV,
    OUTPUT_JSON,
    OUTPUT_NDJSON,
    OUTPUT_TYPED,     // blocks with names and types, for test runners
    OUTPUT_CANONICAL, // rows alone, equal values as equal texts, for comparing
};

// What the arguments said; texts are borrowed from argv and the environment.
struct command_options {
    const char *data_directory;
    const char *file;              // run, check: the script; sql: -f ("-": standard input)
    const char *const *statements; // -e, -c, in order
    uint32_t statement_count;
    enum output_format format;
    bool has_format;
    bool keep_going;
    bool fresh;
    bool quiet;
    bool follow_streaming;    // sql --streaming
    VEC(struct str) settings; // key, value, key, value …: --set
};

int command_run(const struct command_options *options);
int command_sql(const struct command_options *options);
int command_check(const struct command_options *options);

// The whole of a file, or of standard input ("-"); owned by the caller (mem_free). False: said so.
bool command_read_file(const char *path, struct str *out);

// Interrupts: the first Ctrl-C (SIGINT, SIGTERM) only counts, the second ends the process with 130.
void command_catch_interrupts(void);
void command_break_reads(bool breaks); // whether one ends a read() that waits (at the prompt)
int command_interrupts(void);
bool command_is_interrupted(void);
void command_clear_interrupts(void);
