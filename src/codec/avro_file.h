// SPDX-License-Identifier: Apache-2.0
//
// avro_file: an Avro container as batches.
//
//     TRY(avro_file_open(source, NULL, &file, err));                  // reads the header
//     TRY(avro_file_project(file, columns, count, by_id, err));       // else: all of its own
//     while ((status = avro_file_next(file, &batch, err)) == STATUS_OK) { ... }  // END
//     avro_file_free(file);
//
// Rows come in the file's order, avro_file_position() counts them from 0. Columns, their types and
// how they are found: avro_columns.h, avro_decode.h. Batches hold up to 2,048 rows and about 1 MiB,
// over as many blocks as that takes, and are borrowed until the next call.
//
// Hostile input: avro_reader.h. One thread; the source outlives the file.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "codec/avro_columns.h"
#include "codec/avro_reader.h"
#include "data/batch.h"

struct avro_file;

MUST_USE enum status avro_file_open(struct byte_source *source,
                                    const struct avro_reader_options *options, // NULL: defaults
                                    struct avro_file **out, struct err *err);
void avro_file_free(struct avro_file *file); // NULL is allowed

const struct avro_schema *avro_file_schema(const struct avro_file *file); // borrowed
bool avro_file_meta(const struct avro_file *file, const char *key, struct str *out);
// The file's own columns, borrowed from it. UNSUPPORTED: one that has no type here.
MUST_USE enum status avro_file_columns(struct avro_file *file, const struct avro_column **out,
                                       uint32_t *count, struct err *err);

// What the batches shall hold; before the first one. The columns outlive the file.
MUST_USE enum status avro_file_project(struct avro_file *file, const struct avro_column *columns,
                                       uint32_t count, bool by_id, struct err *err);
// END behind the last row. After an error the file is of no use.
MUST_USE enum status avro_file_next(struct avro_file *file, struct batch *out, struct err *err);
uint64_t avro_file_position(const struct avro_file *file); // of the first row of that batch
// Whether the file has nothing for column `at` of the projection.
bool avro_file_is_missing(const struct avro_file *file, uint32_t at);
uint64_t avro_file_bytes_read(const struct avro_file *file);
uint64_t avro_file_bytes_decoded(const struct avro_file *file); // blocks, decompressed
