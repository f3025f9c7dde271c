// SPDX-License-Identifier: Apache-2.0
//
// execute: statements from a text, one after the other: rows to standard output, errors with their
// place to standard error.
#pragma once

#include <stdbool.h>

#include "main/command.h"

struct session;

struct execute_options {
    enum output_format format;
    bool expanded;
    bool keep_going;
    bool timing;
    bool status_line; // of pipelines; only to a terminal
    struct str name;  // of the text in messages: a file's path; empty: none
};

// Runs all statements of `text`. Returns an exit code.
int execute_script(struct session *session, struct str text,
                   const struct execute_options *options);
// An error as a person reads it, to standard error. `base`: where the statement begins in `text`.
void execute_print_error(const struct err *err, struct str name, struct str text, uint64_t base);
// --set and their like. Returns an exit code.
int execute_settings(struct session *session, const struct command_options *options);
