// SPDX-License-Identifier: Apache-2.0
//
// metadata_column: the columns that every Iceberg table has beside its own (Iceberg spec, "Reserved
// Field IDs", "Row Lineage"):
//
//     _file STRING | _pos BIGINT | _deleted BOOLEAN | _spec_id INT | _partition ROW (the partition
//     fields of all specs; NULL where there never were any) | _row_id BIGINT |
//     _last_updated_sequence_number BIGINT (v3, else null)
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "iceberg/spec/iceberg_type.h"

struct arena;
struct batch;
struct column;
struct scan_task;
struct table_metadata;

enum { METADATA_COLUMN_COUNT = 7 };

// The ids, for walking through all; names sort as above.
extern const int32_t metadata_column_ids[METADATA_COLUMN_COUNT];

bool metadata_column_is(int32_t id);
// What it is in a table: name, id, type, in `arena`.
MUST_USE enum status metadata_column_field(struct arena *arena,
                                           const struct table_metadata *metadata, int32_t id,
                                           struct iceberg_field *out, struct err *err);
// Whether rows that were copied may carry it in their file, which then counts unless it is null.
bool metadata_column_in_file(int32_t id);

// A run of rows of a file.
struct metadata_column_rows {
    const struct table_metadata *metadata;
    const struct scan_task *task;
    uint64_t position;      // of the first
    const uint64_t *places; // of each, where they are not consecutive
    uint32_t row_count;
    const uint64_t *deleted;     // mask of the rows
    const struct column *stored; // what the file has; NULL: nothing
};

// Its values, in `arena`.
MUST_USE enum status metadata_column_make(struct arena *arena, int32_t id,
                                          const struct metadata_column_rows *rows,
                                          struct column *out, struct err *err);
