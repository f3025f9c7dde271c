// SPDX-License-Identifier: Apache-2.0
//
// hostile: what the parts of the tool of that name share. A format is a function that reads bytes
// as a file of it, whole, and says what was wrong; damage is a function that hands changed bytes to
// a visitor.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct budget;

// The name of every damaged file, which each error must say.
#define HOSTILE_NAME "x.bad"

// What a child is at, for the report of its end.
struct hostile_progress {
    char what[128];
    uint64_t errors;
    uint64_t reads;
    uint64_t unplaced; // errors that do not say where or in which field
    uint64_t memory;
};

struct hostile_format {
    const char *name;
    enum status (*read)(struct str bytes, struct budget *budget, struct err *err);
    // Where numbers are changed; see hostile_extremes.c.
    enum { HOSTILE_BYTES, HOSTILE_PARQUET, HOSTILE_AVRO, HOSTILE_TEXT } shape;
};

extern const struct hostile_format hostile_formats[]; // the last one has no name

typedef void hostile_visit(struct str bytes, const char *what, void *owner);

// Each number of the file, `step`-th after `step`-th place, set to what lengths, counts and offsets
// must not be.
void hostile_extremes(const struct hostile_format *format, struct str bytes, uint32_t step,
                      hostile_visit *visit, void *owner);
