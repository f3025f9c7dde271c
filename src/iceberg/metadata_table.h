// SPDX-License-Identifier: Apache-2.0
//
// metadata_table: tables over the metadata of a table, as Java defines them: t$snapshots, t$files,
// t$partitions, … Columns, their order, names and types are Java's; a partition struct
// without fields and what hangs on it is left out, as there. Trino's `properties` is one more.
//
//     TRY(metadata_table_def(arena, metadata, METADATA_FILES, base, &def, err));
//     TRY(metadata_table_open(&options, &reader, err));
//     while ((status = metadata_table_next(reader, &batch, err)) == STATUS_OK) { ... }   // END
//     metadata_table_free(reader);
//
// Which rows. `entries` has what the manifests of the snapshot say, deleted entries too; `files`
// what is live of it. The `all_…` tables go through the manifests of every snapshot that there is,
// each manifest once; all_manifests through their lists, each row once a snapshot. Of the others, a
// snapshot given changes manifests, partitions, entries and files.
//
// position_deletes has a row for each position that live delete files and deletion vectors of the
// snapshot hold, with the deleted row where the file kept it.
//
// Manifests are read one at a time and rows are handed out in batches, so that memory is one
// manifest, and of `partitions` one entry a partition; metrics are decoded only where a column
// wants them.
//
// Threads: one at a time.
#pragma once

#include "base/err.h"
#include "catalog/table_def.h"
#include "data/batch.h"

struct arena;
struct budget;
struct iceberg_table;
struct metadata_table_reader;
struct table_metadata;

// X(NAME, "name"), in the order of Java's MetadataTableType.
#define METADATA_TABLE_LIST(X)                                                                     \
    X(ENTRIES, "entries")                                                                          \
    X(FILES, "files")                                                                              \
    X(DATA_FILES, "data_files")                                                                    \
    X(DELETE_FILES, "delete_files")                                                                \
    X(HISTORY, "history")                                                                          \
    X(METADATA_LOG_ENTRIES, "metadata_log_entries")                                                \
    X(SNAPSHOTS, "snapshots")                                                                      \
    X(REFS, "refs")                                                                                \
    X(MANIFESTS, "manifests")                                                                      \
    X(PARTITIONS, "partitions")                                                                    \
    X(ALL_DATA_FILES, "all_data_files")                                                            \
    X(ALL_DELETE_FILES, "all_delete_files")                                                        \
    X(ALL_FILES, "all_files")                                                                      \
    X(ALL_MANIFESTS, "all_manifests")                                                              \
    X(ALL_ENTRIES, "all_entries")                                                                  \
    X(POSITION_DELETES, "position_deletes")                                                        \
    X(PROPERTIES, "properties")

enum metadata_table_kind {
#define X(name, text) METADATA_##name,
    METADATA_TABLE_LIST(X)
#undef X
};

enum { METADATA_TABLE_COUNT = METADATA_PROPERTIES + 1 };

// By its name, in any case.
bool metadata_table_find(struct str name, enum metadata_table_kind *out);
const char *metadata_table_name(enum metadata_table_kind kind);

// The definition of a metadata table of the Iceberg table `base`, whose metadata is given: name
// "t$files", owner and version those of `base`.
MUST_USE enum status metadata_table_def(struct arena *arena, const struct table_metadata *metadata,
                                        enum metadata_table_kind kind, const struct table_def *base,
                                        const struct table_def **out, struct err *err);

struct metadata_table_options {
    struct iceberg_table *table; // borrowed
    enum metadata_table_kind kind;
    int64_t snapshot_id;             // 0: the current one
    const uint32_t *columns;         // wanted, as places among those of the definition
    const struct type *const *types; // of these, as the query knows them
    uint32_t column_count;
    struct budget *budget;
};

// CONFLICT: the columns are not those of `types` any more.
MUST_USE enum status metadata_table_open(const struct metadata_table_options *options,
                                         struct metadata_table_reader **out, struct err *err);
// The batch is valid until the next call. LIMIT: the partitions do not fit the budget.
MUST_USE enum status metadata_table_next(struct metadata_table_reader *reader, struct batch *out,
                                         struct err *err);
void metadata_table_free(struct metadata_table_reader *reader); // NULL is allowed
