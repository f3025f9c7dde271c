// SPDX-License-Identifier: Apache-2.0
//
// data_file: what a manifest says about one file (Iceberg spec, "Manifests": data_file and
// manifest_entry).
//
// Plain data; strings and arrays are borrowed from whoever made it.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "iceberg/spec/iceberg_value.h"

enum data_file_content {
    DATA_FILE_DATA = 0,
    DATA_FILE_POSITION_DELETES = 1, // and deletion vectors
    DATA_FILE_EQUALITY_DELETES = 2,
};

enum { DATA_FILE_NONE = -1 };

// The figures of one column, by its field id: one entry of six maps.
struct data_file_metric {
    int32_t id;
    int64_t size;        // bytes on disk; DATA_FILE_NONE
    int64_t value_count; // nulls and NaNs included; DATA_FILE_NONE
    int64_t null_count;  // DATA_FILE_NONE
    int64_t nan_count;   // DATA_FILE_NONE
    struct str lower;    // single-value bytes; ptr NULL: none
    struct str upper;
};

// Bits of data_file.metric_maps.
enum {
    DATA_FILE_COLUMN_SIZES = 1,
    DATA_FILE_VALUE_COUNTS = 2,
    DATA_FILE_NULL_COUNTS = 4,
    DATA_FILE_NAN_COUNTS = 8,
    DATA_FILE_LOWER_BOUNDS = 16,
    DATA_FILE_UPPER_BOUNDS = 32,
};

struct data_file {
    enum data_file_content content;
    struct str path;
    struct str format;                     // "PARQUET"; compare without case
    int32_t spec_id;                       // of the manifest
    const struct iceberg_value *partition; // one value a field of the spec
    int64_t record_count;
    int64_t file_size;
    uint32_t metric_count;
    const struct data_file_metric *metrics; // ascending by id
    uint8_t metric_maps; // of a file that was read: which of the six maps it has, if only empty
    uint32_t split_offset_count;
    const int64_t *split_offsets;
    uint32_t equality_id_count;
    const int32_t *equality_ids;
    int32_t sort_order_id;           // DATA_FILE_NONE
    int64_t first_row_id;            // DATA_FILE_NONE
    struct str referenced_data_file; // ptr NULL: none
    int64_t content_offset;          // DATA_FILE_NONE
    int64_t content_size;            // DATA_FILE_NONE
    struct str key_metadata;         // ptr NULL: none
};

enum manifest_status {
    MANIFEST_EXISTING = 0,
    MANIFEST_ADDED = 1,
    MANIFEST_DELETED = 2,
};

struct manifest_entry {
    enum manifest_status status;
    int64_t snapshot_id;          // DATA_FILE_NONE: inherited
    int64_t sequence_number;      // of the data; DATA_FILE_NONE: inherited
    int64_t file_sequence_number; // DATA_FILE_NONE: inherited
    struct data_file file;
};

// NULL where there is none.
const struct data_file_metric *data_file_metric(const struct data_file *file, int32_t id);
// A deep copy; `spec` tells the types of the partition tuple.
struct arena;
struct partition_spec;
struct data_file *data_file_copy(struct arena *arena, const struct partition_spec *spec,
                                 const struct data_file *file);
