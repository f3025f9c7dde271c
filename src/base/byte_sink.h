// SPDX-License-Identifier: Apache-2.0
//
// byte_sink: where an encoder's bytes go, one after the other. Nothing written is read back or
// changed, so a sink may be a file, an upload, a socket or memory.
//
// After a failed write the sink is of no use: whoever owns it throws away what was written.
#pragma once

#include "base/err.h"
#include "base/str.h"

struct byte_sink;

struct byte_sink_ops {
    // All of the bytes or a failure. LIMIT (no space), IO, UNAVAILABLE.
    enum status (*write)(struct byte_sink *self, const void *bytes, size_t size, struct err *err);
};

struct byte_sink {
    const struct byte_sink_ops *ops;
    uint64_t written; // bytes taken so far; kept by byte_sink_write()
};

MUST_USE enum status byte_sink_write(struct byte_sink *sink, const void *bytes, size_t size,
                                     struct err *err);

// Into memory, up to a maximum (LIMIT behind it).
struct byte_sink_memory {
    struct byte_sink sink;
    char *ptr;
    size_t size;
    size_t capacity;
    size_t size_max;
};

void byte_sink_memory_init(struct byte_sink_memory *memory, size_t size_max);
void byte_sink_memory_release(struct byte_sink_memory *memory);
static inline struct str byte_sink_memory_bytes(const struct byte_sink_memory *memory)
{
    return (struct str){memory->ptr, memory->size}; // until the next write
}
