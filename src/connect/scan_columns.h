// SPDX-License-Identifier: Apache-2.0
//
// scan_columns: what a PLAN_SCAN node asks a connector for, taken apart: the physical columns that
// the format decodes, the metadata columns that the connector or the format fills, and the
// partition columns that stand in paths, each in its place of the batch.
//
// Types are those of the scan: a ROW may lack fields that the query does not need, and metadata
// that is asked for in another type than the connector's own is cast.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "data/batch.h"
#include "data/type.h"

struct arena;
struct plan_node;
struct table_def;

struct scan_metadata {
    uint32_t column;         // its place in the batch
    struct str key;          // "offset", "value.source.table"
    const struct type *type; // as the scan has it
};

// A column of PARTITIONED BY: its value is in the path of the file, not in the file.
struct scan_partition {
    uint32_t column; // its place in the batch; UINT32_MAX: not asked for
    uint32_t table_column;
    struct str name;
    const struct type *type;
};

struct scan_columns {
    uint32_t column_count;
    uint32_t physical_count;           // of the records, wanted or not
    const struct type_field *physical; // in the table's order
    const uint32_t *table_columns;     // of each physical one, its index in the table
    uint32_t wanted_count;
    const uint32_t *wanted; // indexes into `physical`
    const uint32_t *places; // the place in the batch of each wanted one
    uint32_t metadata_count;
    const struct scan_metadata *metadata;
    uint32_t partition_count; // of the table
    const struct scan_partition *partitions;
};

// All in `arena`; names and types are borrowed from the scan's table.
void scan_columns_read(struct arena *arena, const struct plan_node *scan, struct scan_columns *out);
// Numbers for the columns of a table and the fields within its ROWs: a column's is its index and
// one, fields follow in pre-order. 0: the path (names, outermost first) leads nowhere.
int32_t scan_columns_field_id(const struct table_def *table, uint32_t column,
                              const struct str *path, uint32_t depth);
// `in`, of type `from`, as the metadata column's declared type. INVALID_DATA where a value does not
// fit.
MUST_USE enum status scan_columns_cast(struct arena *arena, const struct scan_metadata *metadata,
                                       const struct type *from, const struct column *in,
                                       struct column *out, struct err *err);
// One value for all rows, CONST.
struct column scan_columns_constant(struct arena *arena, enum physical physical, const void *value,
                                    uint32_t row_count);
