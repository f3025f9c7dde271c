// SPDX-License-Identifier: Apache-2.0
//
// scan: which files of a table hold the rows of a query, from manifests alone (Iceberg spec, "Scan
// Planning").
//
//     TRY(scan_plan(table, &options, &arena, &plan, err));
//     for each of plan.tasks: table_reader.h reads it
//
// What cannot match is left out, level by level: manifests by their partition summaries, files by
// their partition tuples, then by their column metrics. Within files, table_reader.h goes on with
// row groups and pages. A predicate term on a column leads to a condition on each partition field
// made from it: for transforms that keep order, ranges; for buckets, equality.
//
// Each task carries the delete files that apply to it (delete_index.h). Those that cannot match are
// left out as data files are; equality deletes by the metrics of their own key columns only.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "iceberg/spec/data_file.h"

struct arena;
struct iceberg_table;
struct predicate;
struct table_schema;
struct table_snapshot;

struct scan_options {
    struct str ref;                    // branch or tag; empty: main
    int64_t snapshot_id;               // 0: that of `ref`
    bool current_schema;               // not that of the snapshot
    bool is_incremental;               // only files that appends put in behind the snapshot
    int64_t after_snapshot_id;         // this; 0: from the first on
    const struct predicate *predicate; // column ids are field ids; NULL: all rows
};

// A live delete file.
struct scan_delete {
    struct data_file file; // without metrics
    int64_t sequence_number;
    struct str partition_key; // spec and partition, for comparing (partition_spec_tuple_key)
    struct str path_lower, path_upper; // bounds of file_path of position deletes; ptr NULL: none
};

// Delete files of one kind and partition, of one data file, or global; those of equality deletes
// have the same key columns. One object for all data files that they may apply to, so that a reader
// keeps what it made of them by `number`.
struct scan_delete_group {
    uint32_t number; // among all groups of the plan
    uint32_t count;
    const struct scan_delete *const *items; // descending by sequence number
    int64_t sequence_needed;                // items below it apply to none of the plan's data files
};

struct scan_task {
    struct data_file file;            // without metrics and split offsets
    int64_t sequence_number;          // of its data
    const struct scan_delete *vector; // a deletion vector; NULL: none
    // Position deletes for this file, and for its partition, not lower in sequence number; NULL:
    // none.
    const struct scan_delete_group *file_positions;
    const struct scan_delete_group *partition_positions;
    // Equality deletes, in each group those that are higher.
    uint32_t equality_count;
    const struct scan_delete_group *const *equality;
};

struct scan_plan {
    const struct table_snapshot *snapshot; // NULL: the table has no snapshot, and no rows
    const struct table_schema *schema;     // current one, or the snapshot's own for time travel
    uint32_t task_count;
    const struct scan_task *const *tasks; // shared with other scans
    uint64_t record_count;                // of all tasks, deleted ones included
    uint32_t delete_count; // delete files that are left
    uint32_t delete_group_count;
    uint64_t manifests_read, manifests_pruned, files_pruned, deletes_pruned;
};

// The plan and all it points to are in `arena`; snapshot and schema are borrowed from the table's
// metadata.
MUST_USE enum status scan_plan(struct iceberg_table *table, const struct scan_options *options,
                               struct arena *arena, struct scan_plan *out, struct err *err);

// The schema that a plan with these options has.
MUST_USE enum status scan_schema(struct iceberg_table *table, const struct scan_options *options,
                                 const struct table_schema **out, struct err *err);

enum scan_figure_kind {
    SCAN_COUNT_ROWS,
    SCAN_COUNT_VALUES, // of a column, not null
    SCAN_MIN,
    SCAN_MAX,
};

struct scan_figure {
    enum scan_figure_kind kind;
    int32_t column_id; // not for COUNT_ROWS
    // The answer. Not known: the metadata does not tell (no metrics, shortened bounds, NaNs).
    bool known;
    struct iceberg_value value; // counts: as.i64; MIN, MAX: null where there are no values
};

// Figures over all rows of a snapshot, from metadata. Values are in `arena`. Where files have
// deletes, the counts of deletion vectors are subtracted; other deletes leave rows unknown, and
// bounds unless files without deletes go further.
MUST_USE enum status scan_figures(struct iceberg_table *table, const struct scan_options *options,
                                  struct arena *arena, struct scan_figure *figures, uint32_t count,
                                  struct err *err);
