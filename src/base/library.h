// SPDX-License-Identifier: Apache-2.0
//
// library: shared libraries that are opened when something first needs them, so that a start does
// not pay for what it will not use.
//
//     static struct { int (*add)(int, int); } calls;
//     static const struct library_call list[] = {{"add", &calls.add}};
//     static struct library sums = LIBRARY("libsums.so.1", "adding up", list);
//
//     TRY(library_open(&sums, err));
//     calls.add(1, 2);
//
// Any thread may open one at any time. Once open it stays so until the process ends.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct library_call {
    const char *name;
    void *function; // of type pointer to a pointer to a function: where its address goes
};

struct library {
    const char *file;
    const char *purpose; // for the message: what it is needed for
    const struct library_call *calls;
    size_t call_count;
    _Atomic bool is_open;
};

#define LIBRARY(file, purpose, calls)                                                              \
    {                                                                                              \
        file, purpose, calls, sizeof(calls) / sizeof((calls)[0]), false                            \
    }

// UNSUPPORTED: it is not installed, or lacks a call; the text is the system's.
MUST_USE enum status library_open(struct library *library, struct err *err);
