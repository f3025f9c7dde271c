// SPDX-License-Identifier: Apache-2.0
//
// file_output: the bytes of a file being written, compressed on their way where the options say so
// ('sink.compression': none, gzip, zstd; of text formats, Parquet and Avro compress within).
//
//     TRY(file_output_open(path, table, &output, err));
//     TRY(byte_sink_write(file_output_sink(output), bytes, size, err));
//     TRY(file_output_finish(output, err));     // durable, at `path`
//     file_output_close(output);                // without finish: leaves nothing
//
// Compressed output is a sequence of gzip members or zstd frames, as every reader takes it.
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

struct byte_sink;
struct file_output;
struct table_def;

MUST_USE enum status file_output_open(const char *path, const struct table_def *table,
                                      struct file_output **out, struct err *err);
struct byte_sink *file_output_sink(struct file_output *output);
MUST_USE enum status file_output_finish(struct file_output *output, struct err *err);
void file_output_close(struct file_output *output); // NULL is allowed

// ".gz", ".zst" or "": behind the format's own ending.
struct str file_output_ending(const struct table_def *table);
// Whether a file of that name is one of the format: by its ending, compressed or not.
bool file_output_is_of(struct str name, struct str format);
