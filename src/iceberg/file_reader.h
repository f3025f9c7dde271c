// SPDX-License-Identifier: Apache-2.0
//
// file_reader: one file that a manifest names, data or deletes, as batches of the fields asked for,
// whatever its format.
//
//     TRY(file_reader_open(&options, &reader, err));
//     while ((status = file_reader_next(reader, &batch, err)) == STATUS_OK) { ... }   // END
//     file_reader_free(reader);
//
// Fields are found by id at any depth, by name mapping in files without ids. A field that the file
// lacks comes as nulls, and file_reader_is_missing() says so; what is put in its place is the
// caller's business (table_reader.h). Types are those asked for, also where the file's are
// narrower. The rows of a batch are consecutive in the file. Batches are borrowed until the next
// call.
//
// A format is a file_reader_ops and a line in file_reader.c. Formats that are not there are
// UNSUPPORTED. Threads: one at a time.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "codec/parquet_reader.h"
#include "data/batch.h"

struct budget;
struct predicate;
struct store;

struct file_reader_options {
    struct store *store; // outlives the reader, as the predicate
    struct str path;
    struct str format;                  // as manifests name it: "PARQUET", in any case
    const struct parquet_field *fields; // what is wanted; what is below them outlives the reader
    uint32_t field_count;
    const struct str *name_mapping;     // schema.name-mapping.default; NULL: none
    const struct predicate *predicate;  // for leaving out parts of the file; NULL: none
    bool filter;                        // rows as well, where the format can
    struct parquet_exclusion exclusion; // where it does: file_reader_places() is not NULL then
    struct budget *budget;              // NULL: none
    uint32_t row_group_first;           // a part of the file
    uint32_t row_group_count;           // 0: to the end
};

struct file_reader;

struct file_reader_ops {
    enum status (*next)(struct file_reader *reader, struct batch *out, struct err *err);
    uint64_t (*position)(const struct file_reader *reader);
    const uint64_t *(*places)(const struct file_reader *reader); // NULL: always consecutive
    bool (*is_missing)(const struct file_reader *reader, uint32_t at);
    bool (*has_field)(const struct file_reader *reader, int32_t id);
    struct parquet_reader_counters (*counters)(const struct file_reader *reader);
    void (*free)(struct file_reader *reader);
};

// Embedded first in each format's own struct.
struct file_reader {
    const struct file_reader_ops *ops;
};

MUST_USE enum status file_reader_open(const struct file_reader_options *options,
                                      struct file_reader **out, struct err *err);
void file_reader_free(struct file_reader *reader); // NULL is allowed
MUST_USE enum status file_reader_next(struct file_reader *reader, struct batch *out,
                                      struct err *err);
// The place in the file of the first row of the batch returned last.
uint64_t file_reader_position(const struct file_reader *reader);
// The place of each of its rows, where some were filtered out; NULL where they are consecutive.
const uint64_t *file_reader_places(const struct file_reader *reader);
// Whether field `at` of those asked for is not in the file.
bool file_reader_is_missing(const struct file_reader *reader, uint32_t at);
// Whether the file has the field of a struct, at any depth, that was asked for under this id.
bool file_reader_has_field(const struct file_reader *reader, int32_t id);
struct parquet_reader_counters file_reader_counters(const struct file_reader *reader);

// The formats.
MUST_USE enum status file_reader_parquet_open(const struct file_reader_options *options,
                                              struct file_reader **out, struct err *err);
MUST_USE enum status file_reader_avro_open(const struct file_reader_options *options,
                                           struct file_reader **out, struct err *err);
