// SPDX-License-Identifier: Apache-2.0
//
// byte_source: bytes that can be read at any place, whatever holds them: a file, an object store, a
// spill file, memory. Decoders read through it, so they are tested from memory.
//
//     struct byte_source_memory memory;
//     byte_source_memory_init(&memory, bytes);
//     TRY(parquet_file_open(&memory.source, ...));
//
// The embedding struct owns what is behind it and outlives all readers. The size never changes.
// Threads: read_at and borrow may be called by several threads at once.
#pragma once

#include "base/err.h"
#include "base/str.h"

struct byte_source;

struct byte_range {
    uint64_t offset;
    uint64_t size;
};

struct byte_source_ops {
    // Reads exactly `size` bytes. A range that is not within the source is the caller's mistake in
    // memory (asserted) and never asked for: use byte_source_read(), which checks. IO, UNAVAILABLE.
    enum status (*read_at)(struct byte_source *self, uint64_t offset, size_t size, void *out,
                           struct err *err);
    // The same bytes without a copy, valid as long as the source; NULL where they are not in
    // memory. May be unset.
    const char *(*borrow)(struct byte_source *self, uint64_t offset, size_t size);
    // A hint that these ranges, ascending, are read soon. May be unset.
    void (*prefetch)(struct byte_source *self, const struct byte_range *ranges, uint32_t count);
};

struct byte_source {
    const struct byte_source_ops *ops;
    uint64_t size;
    struct str name; // for messages: "file data/x.parquet"; borrowed
};

// INVALID_DATA, with the name, where the range does not lie within the source.
MUST_USE enum status byte_source_read(struct byte_source *source, uint64_t offset, size_t size,
                                      void *out, struct err *err);
// NULL where the range is not within the source or the source cannot lend.
const char *byte_source_borrow(struct byte_source *source, uint64_t offset, size_t size);
void byte_source_prefetch(struct byte_source *source, const struct byte_range *ranges,
                          uint32_t count);

struct byte_source_memory {
    struct byte_source source;
    const char *bytes;
};

void byte_source_memory_init(struct byte_source_memory *memory, struct str bytes); // borrowed

// A part of another source, which must outlive it.
struct byte_source_slice {
    struct byte_source source;
    struct byte_source *whole;
    uint64_t offset;
};

// INVALID_DATA where the range is not within `whole`.
MUST_USE enum status byte_source_slice_init(struct byte_source_slice *slice,
                                            struct byte_source *whole, struct byte_range range,
                                            struct err *err);
