// SPDX-License-Identifier: Apache-2.0
//
// iceberg_table: a table that is open: where it is, its current metadata, and what its manifests
// say.
//
//     struct iceberg_table *table;
//     TRY(iceberg_table_open(&place, &name, &table, err));
//     ... table->metadata ...
//     TRY(iceberg_table_refresh(table, err));     // the newest metadata; older ones are invalid
//     then iceberg_table_free(table);
//
// Files are named as Java names them: metadata/%05d-<uuid>.metadata.json, <uuid>-m<k>.avro,
// snap-<snapshot>-<attempt>-<uuid>.avro; write.metadata.path moves them.
//
// Threads: one at a time.
#pragma once

#include "base/arena.h"
#include "iceberg/manifest_list.h"
#include "iceberg/spec/table_metadata.h"
#include "iceberg/table_env.h"
#include "iceberg/table_pointer.h"

struct buf;
struct store;

enum { TABLE_METADATA_BYTES_MAX = 1 << 30, TABLE_MANIFEST_BYTES_MAX = 1 << 30 };

// What a table is reached through; borrowed, outlives it.
struct table_place {
    struct store *store;
    struct table_pointer *pointer; // NULL: opened by metadata file, read only
    struct table_env *env;
    bool finds_moved; // files are looked for beside the metadata, too (store/store_moved.h)
};

struct iceberg_table {
    struct table_place place;
    struct table_name name; // in `names`
    struct arena names;
    struct arena arena; // of the current metadata
    struct buf *text;   // its JSON, which it borrows from
    const struct table_metadata *metadata;
    struct str location; // of the metadata file
    struct store *moved; // place.store where it finds moved files; else NULL
    struct store *below; // the one that the table was opened with
    // The manifests of the snapshot read or written last, in `list_arena`.
    struct arena list_arena;
    int64_t list_snapshot_id; // TABLE_NONE
    struct manifest_file *list;
    uint32_t list_count;
};

MUST_USE enum status iceberg_table_open(const struct table_place *place,
                                        const struct table_name *name, struct iceberg_table **out,
                                        struct err *err);
// A table by its metadata file; gzip by its name or its magic.
MUST_USE enum status iceberg_table_open_file(const struct table_place *place, struct str location,
                                             struct iceberg_table **out, struct err *err);
void iceberg_table_free(struct iceberg_table *table); // NULL is allowed
MUST_USE enum status iceberg_table_refresh(struct iceberg_table *table, struct err *err);
// Takes over metadata that has just been written: `json` is taken.
MUST_USE enum status iceberg_table_take(struct iceberg_table *table, struct buf *json,
                                        struct str location, struct err *err);

// The manifests of a snapshot; borrowed until the next call or refresh. Manifests of v1 snapshots
// without a list have unknown lengths and counts.
MUST_USE enum status iceberg_table_manifests(struct iceberg_table *table,
                                             const struct table_snapshot *snapshot,
                                             const struct manifest_file **out, uint32_t *count,
                                             struct err *err);
// The same list in an arena of the caller, not kept.
MUST_USE enum status iceberg_table_read_list(struct iceberg_table *table, struct arena *arena,
                                             const struct table_snapshot *snapshot,
                                             struct manifest_file **out, uint32_t *count,
                                             struct err *err);

// "<location>/metadata" or write.metadata.path; "<location>/data" or write.data.path. Without the
// last '/', in `arena`.
struct str iceberg_table_metadata_directory(const struct table_metadata *metadata,
                                            struct arena *arena);
struct str iceberg_table_data_directory(const struct table_metadata *metadata, struct arena *arena);
// The name of the metadata file of `next`: a number higher than that of `current` ("" for the
// first); ".gz.metadata.json" where write.metadata.compression-codec is gzip.
struct str iceberg_table_metadata_name(struct arena *arena, const struct table_metadata *next,
                                       struct str current, const char *uuid);
bool iceberg_table_metadata_is_packed(const struct table_metadata *metadata);
