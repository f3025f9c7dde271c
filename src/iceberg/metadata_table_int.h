// SPDX-License-Identifier: Apache-2.0
//
// metadata_table_int: the inside of metadata_table: metadata_table.c has the columns,
// metadata_table_rows.c the tables whose rows are in the metadata file and in manifest lists,
// metadata_table_files.c those that manifests have the rows of, metadata_table_positions.c what is
// in position delete files.
#pragma once

#include "base/arena.h"
#include "base/vec.h"
#include "codec/avro_reader.h"
#include "data/column_builder.h"
#include "iceberg/iceberg_table.h"
#include "iceberg/manifest.h"
#include "iceberg/metadata_table.h"

// What a column is, of whichever table.
enum metadata_what {
    // Of the metadata file.
    WHAT_MADE_CURRENT_AT,
    WHAT_SNAPSHOT_ID,
    WHAT_PARENT_ID,
    WHAT_IS_CURRENT_ANCESTOR,
    WHAT_OPERATION,
    WHAT_MANIFEST_LIST,
    WHAT_SUMMARY,
    WHAT_TIMESTAMP,
    WHAT_FILE,
    WHAT_LATEST_SCHEMA_ID,
    WHAT_LATEST_SEQUENCE_NUMBER,
    WHAT_NAME,
    WHAT_TYPE,
    WHAT_MAX_REF_AGE,
    WHAT_MIN_SNAPSHOTS,
    WHAT_MAX_SNAPSHOT_AGE,
    WHAT_KEY,
    WHAT_VALUE,
    // Of a manifest list.
    WHAT_CONTENT,
    WHAT_PATH,
    WHAT_LENGTH,
    WHAT_SPEC_ID,
    WHAT_ADDED_SNAPSHOT_ID,
    WHAT_ADDED_DATA_FILES,
    WHAT_EXISTING_DATA_FILES,
    WHAT_DELETED_DATA_FILES,
    WHAT_ADDED_DELETE_FILES,
    WHAT_EXISTING_DELETE_FILES,
    WHAT_DELETED_DELETE_FILES,
    WHAT_SUMMARIES,
    WHAT_REFERENCE_SNAPSHOT_ID,
    WHAT_KEY_METADATA,
    // Of a manifest: entries and files; spec id, content and key metadata as above.
    WHAT_STATUS,
    WHAT_SEQUENCE_NUMBER,
    WHAT_FILE_SEQUENCE_NUMBER,
    WHAT_DATA_FILE,
    WHAT_FILE_FORMAT,
    WHAT_PARTITION,
    WHAT_RECORD_COUNT,
    WHAT_FILE_SIZE,
    WHAT_COLUMN_SIZES,
    WHAT_VALUE_COUNTS,
    WHAT_NULL_COUNTS,
    WHAT_NAN_COUNTS,
    WHAT_LOWER_BOUNDS,
    WHAT_UPPER_BOUNDS,
    WHAT_SPLIT_OFFSETS,
    WHAT_EQUALITY_IDS,
    WHAT_SORT_ORDER_ID,
    WHAT_FIRST_ROW_ID,
    WHAT_REFERENCED_DATA_FILE,
    WHAT_CONTENT_OFFSET,
    WHAT_CONTENT_SIZE,
    WHAT_READABLE_METRICS,
    // Of position deletes; partition, spec id, content offset and size as above.
    WHAT_DELETED_PATH,
    WHAT_DELETED_POSITION,
    WHAT_DELETED_ROW,
    // Of partitions; record count and spec id as above.
    WHAT_FILE_COUNT,
    WHAT_TOTAL_SIZE,
    WHAT_POSITION_RECORDS,
    WHAT_POSITION_FILES,
    WHAT_EQUALITY_RECORDS,
    WHAT_EQUALITY_FILES,
    WHAT_LAST_UPDATED_AT,
    WHAT_LAST_UPDATED_SNAPSHOT_ID,
};

// One column of a metadata table.
struct metadata_table_column {
    enum metadata_what what;
    struct str name;
    const struct type *type;
};

// A column of the table whose metrics are shown: sorted by `name`, its path.
struct metadata_metric_column {
    int32_t id;
    struct str name;
    const struct iceberg_type *type;
    bool is_raw; // the type has none in SQL: bounds are shown as bytes
};

struct metadata_table_columns {
    uint32_t count;
    const struct metadata_table_column *items;
    const struct iceberg_type *partition; // of all specs; NULL: the table has no partitions
    const struct iceberg_type *row;       // of the table
    uint32_t metric_count;
    const struct metadata_metric_column *metrics;
    uint32_t file_count; // of the struct data_file of entries
    const struct metadata_table_column *file;
};

// All columns of a metadata table, in `arena`.
MUST_USE enum status metadata_table_columns(struct arena *arena,
                                            const struct table_metadata *metadata,
                                            enum metadata_table_kind kind,
                                            struct metadata_table_columns *out, struct err *err);

// What is collected of one partition.
struct metadata_partition {
    struct str key; // of the values
    const struct iceberg_value *values;
    int32_t spec_id;
    int64_t records, files, size;
    int64_t position_records, position_files, equality_records, equality_files;
    int64_t updated_at_us; // INT64_MIN: not known
    int64_t updated_by;
};

struct metadata_table_reader {
    struct metadata_table_options options;
    struct arena arena;   // as long as the reader
    struct arena scratch; // of a row
    struct metadata_table_columns all;
    const struct metadata_table_column **wanted;
    struct column_builder **builders; // one a wanted column
    struct column *columns;
    const struct table_metadata *metadata;
    const struct table_snapshot *snapshot; // whose manifests are read; NULL: none
    uint32_t next;                         // row of a table in the metadata file, or snapshot
    const int64_t *ancestors;              // of the current snapshot, ascending; history
    uint32_t ancestor_count;
    // Manifests to go through.
    struct arena list_arena;
    struct manifest_file *list;
    uint32_t list_count, list_at;
    // The open manifest.
    struct buf *bytes;
    struct manifest_reader *manifest;
    const struct manifest_file *file;
    struct avro_schema_cache cache;
    uint32_t *partition_places; // of each partition field in the manifest's spec; UINT32_MAX
    // partitions
    VEC(struct metadata_partition) partitions;
    VEC(uint32_t) slots; // hash table of indexes + 1
    size_t taken;        // of the budget
    bool is_collected;
    struct metadata_positions *positions; // position_deletes; NULL: not begun
};

// metadata_table_rows.c: one row appended to all builders; END.
MUST_USE enum status metadata_table_row(struct metadata_table_reader *reader, struct err *err);
// metadata_table_files.c: the same for entries, files and partitions.
MUST_USE enum status metadata_table_start_files(struct metadata_table_reader *reader,
                                                struct err *err);
MUST_USE enum status metadata_table_file_row(struct metadata_table_reader *reader, struct err *err);
// The next entry of all manifests, valid until the next call; END.
MUST_USE enum status metadata_table_next_entry(struct metadata_table_reader *reader,
                                               struct manifest_entry *entry, struct err *err);
// A value of a column that is of a file.
void metadata_table_put_file(struct metadata_table_reader *reader, struct column_builder *builder,
                             enum metadata_what what, const struct data_file *file);

// metadata_table_positions.c
MUST_USE enum status metadata_table_position_row(struct metadata_table_reader *reader,
                                                 struct err *err);
void metadata_table_positions_free(struct metadata_table_reader *reader);

// Appends a value of an Iceberg type; NULL: null.
void metadata_table_put(struct metadata_table_reader *reader, struct column_builder *builder,
                        const struct iceberg_type *type, const struct iceberg_value *value);
// NULL for -1, as counts, ids and ages are not known.
void metadata_table_put_known(struct column_builder *builder, int64_t value);
void metadata_table_put_text(struct column_builder *builder, struct str text); // ptr NULL: NULL
