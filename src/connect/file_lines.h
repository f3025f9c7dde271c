// SPDX-License-Identifier: Apache-2.0
//
// file_lines: one file, read front to back in chunks of whole lines. Plain, gzip and zstd files are
// told apart by their first bytes; offsets count the bytes behind the decompression.
//
//     TRY(file_lines_open(path, offset, &lines, err));
//     for (;;) {
//         TRY(file_lines_get(lines, &bytes, &is_last, err));   // END: nothing is left
//         … use the first `used` of them …
//         file_lines_use(lines, used);
//     }
//     file_lines_close(lines);
//
// The bytes handed out are borrowed until the next file_lines_get(); FILE_LINES_PADDING bytes
// behind them are readable. A line (with file_lines_more(): a record of several) of more than
// FILE_LINES_RECORD_MAX bytes is LIMIT. What is appended to a file after it was opened is not read.
// A UTF-8 byte order mark at the beginning is passed over. One thread at a time.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct file_lines;

enum {
    FILE_LINES_PADDING = 64,
    FILE_LINES_CHUNK = 1 << 20,
    FILE_LINES_RECORD_MAX = 64 << 20,
};

// At `offset`, as file_lines_offset() gave it. INVALID_DATA: the file is shorter. UNSUPPORTED:
// another compression (bzip2, xz).
MUST_USE enum status file_lines_open(const char *path, uint64_t offset, struct file_lines **out,
                                     struct err *err);
void file_lines_close(struct file_lines *lines); // NULL is allowed
// At least one whole line; the rest of the file where is_last. END.
MUST_USE enum status file_lines_get(struct file_lines *lines, struct str *bytes, bool *is_last,
                                    struct err *err);
// What there is, whole lines or not; after file_lines_more(), more of it. END.
MUST_USE enum status file_lines_piece(struct file_lines *lines, struct str *bytes, bool *is_last,
                                      struct err *err);
void file_lines_use(struct file_lines *lines, size_t used);
// What was handed out is no whole record: the next file_lines_get() has more lines.
void file_lines_more(struct file_lines *lines);
uint64_t file_lines_offset(const struct file_lines *lines); // behind what was used
uint64_t file_lines_bytes(const struct file_lines *lines);  // read of the file so far
// Whether the file can be read and is not compressed: any offset can be gone to.
bool file_lines_is_plain(const char *path);
