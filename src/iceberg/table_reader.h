// SPDX-License-Identifier: Apache-2.0
//
// table_reader: one file of a scan as batches of the table's columns.
//
//     TRY(table_reader_open(&options, &task, &reader, err));
//     while ((status = table_reader_next(reader, &batch, err)) == STATUS_OK) { ... }   // END
//     table_reader_free(reader);
//
// Columns are found by field id, whatever their name was when the file was written; by the name
// mapping of the table (schema.name-mapping.default), else by name, where the file has no ids.
// Columns that the file lacks come as the value of an identity partition, else their initial
// default, else nulls. Types are those of the schema, also where the file's are narrower.
//
// Deleted rows do not appear: what the task's delete files say is taken from options.deletes, which
// the readers of one scan share. Key columns of equality deletes that the caller has not asked for
// are read and left out again. Whoever asks for the metadata column _deleted gets all rows instead.
//
// The predicate leaves out row groups, pages and, where the format can, rows: its columns are read
// first, and others only of rows that match and are not deleted by position. Rows that do not match
// may come all the same. Formats are those of file_reader.h. Batches are borrowed until the next
// call.
//
// Threads: one at a time.
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "codec/parquet_reader.h"
#include "data/batch.h"
#include "iceberg/scan.h"

struct delete_filter;
struct iceberg_field;
struct store;
struct table_metadata;
struct table_reader;
struct table_schema;

struct table_reader_options {
    struct store *store;
    const struct table_metadata *metadata; // outlives the reader, as schema and store
    const struct table_schema *schema;     // of the scan plan
    const uint32_t *columns;               // positions among the schema's columns; NULL: all
    uint32_t column_count;
    // The same columns as they are to be read: their structs may lack fields, at any depth. NULL:
    // whole. Outlives the reader.
    const struct iceberg_field *fields;
    const int32_t *metadata_ids; // metadata columns (metadata_column.h), behind the others
    uint32_t metadata_count;
    struct delete_filter *deletes;     // of the scan; NULL: the reader makes its own if needed
    const struct predicate *predicate; // NULL: none
    struct budget *budget;             // NULL: none
    uint32_t row_group_first;          // a part of the file
    uint32_t row_group_count;          // 0: to the end
};

MUST_USE enum status table_reader_open(const struct table_reader_options *options,
                                       const struct scan_task *task, struct table_reader **out,
                                       struct err *err);
void table_reader_free(struct table_reader *reader); // NULL is allowed
MUST_USE enum status table_reader_next(struct table_reader *reader, struct batch *out,
                                       struct err *err);
// The place in the file of the first row of the batch returned last; of each row where they are not
// consecutive, else NULL; and behind the last row that was looked at for it.
uint64_t table_reader_position(const struct table_reader *reader);
const uint64_t *table_reader_places(const struct table_reader *reader);
uint64_t table_reader_end(const struct table_reader *reader);
struct parquet_reader_counters table_reader_counters(const struct table_reader *reader);
