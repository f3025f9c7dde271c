// SPDX-License-Identifier: Apache-2.0
//
// manifest_list: the manifests of a snapshot, one row each (Iceberg spec, "Manifest Lists").
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct arena;
struct strbuf;

enum { MANIFEST_NONE = -1 };

enum manifest_content { MANIFEST_DATA = 0, MANIFEST_DELETES = 1 };

// What the files of a manifest have in one partition field.
struct manifest_field_summary {
    bool contains_null;
    int8_t contains_nan; // 0, 1; MANIFEST_NONE: not said
    struct str lower;    // single-value bytes; ptr NULL: none
    struct str upper;
};

struct manifest_file {
    struct str path;
    int64_t length; // MANIFEST_NONE: not known (v1 without a list)
    int32_t spec_id;
    enum manifest_content content;
    int64_t sequence_number;     // MANIFEST_NONE: that of the snapshot that is being made
    int64_t min_sequence_number; // MANIFEST_NONE: the same
    int64_t snapshot_id;         // that added it
    int64_t added_files, existing_files, deleted_files; // MANIFEST_NONE: not known, assume some
    int64_t added_rows, existing_rows, deleted_rows;
    uint32_t partition_count;
    const struct manifest_field_summary *partitions; // NULL: not said
    struct str key_metadata;                         // ptr NULL: none
    int64_t first_row_id;                            // v3; MANIFEST_NONE
};

// All rows of a list, in `arena` (nothing is borrowed from `bytes`). Columns are found by id, and
// by name where a writer left ids out, both of the names that 504 to 506 have had.
MUST_USE enum status manifest_list_read(struct arena *arena, struct str bytes, struct str name,
                                        struct manifest_file **out, uint32_t *count,
                                        struct err *err);

struct manifest_list_options {
    int32_t format_version;
    int64_t snapshot_id;
    int64_t parent_id; // MANIFEST_NONE: "null"
    int64_t sequence_number;
    int64_t first_row_id; // v3: the table's next row id
    uint8_t sync[16];
};

// The rows with the numbers that the snapshot gives: sequence numbers not known become
// options->sequence_number; in v3 data manifests without a first row id get one, and *next_row_id
// is behind the last. Deep copies in `arena`.
MUST_USE enum status manifest_list_assign(struct arena *arena,
                                          const struct manifest_list_options *options,
                                          const struct manifest_file *files, uint32_t count,
                                          struct manifest_file **out, int64_t *next_row_id,
                                          struct err *err);
// Writes assigned rows into `out`.
MUST_USE enum status manifest_list_write(struct strbuf *out,
                                         const struct manifest_list_options *options,
                                         const struct manifest_file *files, uint32_t count,
                                         struct err *err);
