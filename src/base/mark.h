// SPDX-License-Identifier: Apache-2.0
//
// mark: named steps of the program, for tests that kill it exactly there.
//
//     MARK("catalog.swap.sent");                       // one branch that is never taken
//     MARK_FILE("before_rename", path);                // named by the kind of file, see below
//
// FRAZIL_KILL_AT=<name>:<n> makes the n-th passage of a step end the process as kill -9 does:
// nothing is flushed, no destructor runs. FRAZIL_MARKS=<file> counts: at the end of the process
// (also by FRAZIL_KILL_AT) the file gets one "<name> <passages>" line a step, and "killed <name>
// <n>". Without these variables nothing is counted.
//
// Steps of files are "file.<kind>.<step>": kind is the extension (checkpoint, segment, segments,
// json, avro, parquet), or the whole name where there is none (identity).
//
// Threads: mark_arm() before any thread starts; steps may be passed by all.
#pragma once

#include <stdbool.h>

extern bool mark_is_armed;

#define MARK(name)                                                                                 \
    do {                                                                                           \
        if (__builtin_expect(mark_is_armed, 0)) {                                                  \
            mark_pass(name);                                                                       \
        }                                                                                          \
    } while (0)

#define MARK_FILE(step, path)                                                                      \
    do {                                                                                           \
        if (__builtin_expect(mark_is_armed, 0)) {                                                  \
            mark_pass_file(step, path);                                                            \
        }                                                                                          \
    } while (0)

// Reads the environment. False: FRAZIL_KILL_AT is no "<name>:<n>".
bool mark_arm(void);

void mark_pass(const char *name);
void mark_pass_file(const char *step, const char *path);
