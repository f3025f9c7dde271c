// SPDX-License-Identifier: Apache-2.0
//
// fuzz_source: bytes in memory as a file is that is not: nothing is lent, all is copied.
#pragma once

#include <string.h>

#include "base/byte_source.h"

static inline enum status fuzz_source_copy(struct byte_source *self, uint64_t offset, size_t size,
                                           void *out, struct err *err)
{
    (void)err;
    memcpy(out, ((struct byte_source_memory *)self)->bytes + offset, size);
    return STATUS_OK;
}

static inline void fuzz_source_init(struct byte_source_memory *memory, struct str bytes, bool lends)
{
    static const struct byte_source_ops copies = {.read_at = fuzz_source_copy};
    byte_source_memory_init(memory, bytes);
    memory->source.ops = lends ? memory->source.ops : &copies;
}
