// SPDX-License-Identifier: Apache-2.0
//
// infer_sample: the beginning of a text file, decompressed, without a byte order mark; for
// infer_*.c only.
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

struct byte_source;

enum { INFER_SAMPLE_PADDING = 64 };

struct infer_sample {
    struct str text; // '\n' and INFER_SAMPLE_PADDING bytes behind it are readable
    bool is_all;     // the whole file
    char *memory;
};

// UNSUPPORTED: another compression than gzip and zstd.
MUST_USE enum status infer_sample_read(struct byte_source *source, size_t byte_max,
                                       struct infer_sample *out, struct err *err);
void infer_sample_release(struct infer_sample *sample);
