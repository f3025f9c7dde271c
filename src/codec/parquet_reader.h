// SPDX-License-Identifier: Apache-2.0
//
// parquet_reader: a Parquet file as batches.
//
//     TRY(parquet_file_open(source, NULL, &file, err));             // reads the footer
//     TRY(parquet_reader_new(file, &options, &reader, err));
//     while ((status = parquet_reader_next(reader, &batch, err)) == STATUS_OK) { ... }  // END
//     parquet_reader_free(reader);
//     parquet_file_free(file);
//
// Batches hold up to 2,048 rows and 1 MiB of variable bytes (or one row), and are borrowed until
// the next call: strings point into decoded pages. Columns whose pages have a dictionary of up to
// 2,048 entries come as DICT, missing ones as a CONST null, others FLAT. The rows of a batch are
// consecutive in the file, and parquet_reader_position() says where the first stands.
//
// Projection. The caller gives the fields it wants, with the types it wants them in; they are found
// by id, or by name where an id is PARQUET_NO_ID (all of them with `by_name`), at any depth;
// children not asked for are not read. Types may be wider than the file's: int -> long, float ->
// double, decimal precision, date -> timestamp, any unit of time.
//
// Pruning. Row groups and pages whose statistics exclude the predicate are left out. With `filter`,
// rows are left out as well: the leaves that the predicate's terms name are decoded first, and of
// other columns only the pages that hold rows that match. Then the rows of a batch ascend, and
// parquet_reader_positions() says where they stand.
//
// Hostile input: sizes, counts and depths of the footer are limited by its own length, page sizes
// by `page_bytes_max`; damage is INVALID_DATA with the file's name, the column and the offset. What
// is well-formed and not done here (encryption, unknown codecs) is UNSUPPORTED.
//
// Threads: a parquet_file is read-only and may be shared by readers on several threads; a reader is
// for one thread. The source outlives both.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "codec/parquet_schema.h"
#include "data/batch.h"
#include "data/predicate.h"

struct budget;
struct byte_source;
struct parquet_file;
struct parquet_reader;

struct parquet_file_options {
    struct budget *budget;     // charged with the footer; NULL: none
    uint64_t footer_bytes_max; // 0: 256 MiB
};

MUST_USE enum status parquet_file_open(struct byte_source *source,
                                       const struct parquet_file_options *options, // NULL: defaults
                                       struct parquet_file **out, struct err *err);
void parquet_file_free(struct parquet_file *file); // NULL is allowed

// The file's own columns with the types nearest to ours; borrowed from the file.
const struct parquet_field *parquet_file_fields(const struct parquet_file *file, uint32_t *count);
uint64_t parquet_file_rows(const struct parquet_file *file);
uint32_t parquet_file_row_groups(const struct parquet_file *file);
struct str parquet_file_created_by(const struct parquet_file *file); // "" where not said
// False where the footer has no such key.
bool parquet_file_key_value(const struct parquet_file *file, struct str key, struct str *out);
// Whether any field of the file has an id.
bool parquet_file_has_ids(const struct parquet_file *file);

struct parquet_row_group_info {
    uint64_t first_row; // position in the file
    uint64_t row_count;
    uint64_t offset; // of its first page; a split belongs to whoever has this offset
    uint64_t bytes;
};

struct parquet_row_group_info parquet_file_row_group(const struct parquet_file *file, uint32_t at);

// Rows that a filter leaves out besides those that the predicate does: deleted ones, which are
// known before their values are.
struct parquet_exclusion {
    // Clears the bits of such rows among [row, row + count) of the file; others are clear already.
    void (*exclude)(void *owner, uint64_t row, uint32_t count, uint64_t *bits); // NULL: none
    void *owner;
};

struct parquet_reader_options {
    const struct parquet_field *fields; // NULL: all the file's fields in their own types; copied
    uint32_t field_count;
    // Fields are found by name, their ids aside, which then are what the predicate's terms name.
    bool by_name;
    const struct predicate *predicate; // NULL: none; borrowed while the reader lives
    bool filter; // rows that do not match it are left out; terms that cannot be looked at are not
    struct parquet_exclusion exclusion; // where parquet_reader_positions() is not NULL
    uint32_t row_group_first;           // row groups [first, first + count)
    uint32_t row_group_count;           // UINT32_MAX: to the end
    uint32_t batch_rows;                // 0: 2,048
    size_t page_bytes_max;              // 0: 512 MiB, decompressed
    struct budget *budget; // charged with page buffers; pages over 16 MiB must fit (LIMIT)
    bool verify_checksums; // of pages that have one
};

MUST_USE enum status parquet_reader_new(struct parquet_file *file,
                                        const struct parquet_reader_options *options,
                                        struct parquet_reader **out, struct err *err);
void parquet_reader_free(struct parquet_reader *reader); // NULL is allowed

// END behind the last row. After an error the reader is of no use.
MUST_USE enum status parquet_reader_next(struct parquet_reader *reader, struct batch *out,
                                         struct err *err);
// The place in the file of the first row of the batch returned last (Iceberg's _pos).
uint64_t parquet_reader_position(const struct parquet_reader *reader);
// With a filter that leaves rows out: the place of each row of the batch returned last. Borrowed
// until the next call; NULL where they are consecutive.
const uint64_t *parquet_reader_positions(const struct parquet_reader *reader);
// Whether field `at` of the projection is not in the file: it comes as nulls, and the caller may
// know better (defaults, partition values).
bool parquet_reader_is_missing(const struct parquet_reader *reader, uint32_t at);

struct parquet_reader_counters {
    uint64_t bytes_read;    // from the source
    uint64_t bytes_decoded; // of pages, decompressed
    uint64_t row_groups_read;
    uint64_t row_groups_pruned;
    uint64_t pages_read;
    uint64_t pages_pruned;
    uint64_t rows_pruned;   // by row group or page
    uint64_t rows_filtered; // looked at and left out
};

struct parquet_reader_counters parquet_reader_counters(const struct parquet_reader *reader);
