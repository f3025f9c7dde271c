// SPDX-License-Identifier: Apache-2.0
//
// scratch_file: a file without a name, for bytes that do not fit into memory. It is gone with the
// process, however that ends, and is never durable.
//
// Threads. Reads and writes of different ranges may come from any threads.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct scratch_file {
    int fd;          // -1: closed
    char *directory; // owned, for messages
};

// In `directory`, which is made where it is missing.
MUST_USE enum status scratch_file_open(const char *directory, struct scratch_file *out,
                                       struct err *err);
// LIMIT: the disk is full. IO.
MUST_USE enum status scratch_file_write(struct scratch_file *file, uint64_t offset,
                                        const void *bytes, size_t size, struct err *err);
MUST_USE enum status scratch_file_read(struct scratch_file *file, uint64_t offset, void *bytes,
                                       size_t size, struct err *err);
// Gives the range back to the file system where it can do that; its bytes are unknown afterwards.
void scratch_file_discard(struct scratch_file *file, uint64_t offset, uint64_t size);
void scratch_file_close(struct scratch_file *file);
