// SPDX-License-Identifier: Apache-2.0
//
// commit_int: the parts of a commit (commit.c drives them).
#pragma once

#include "base/vec.h"
#include "codec/avro_reader.h"
#include "codec/avro_writer.h"
#include "iceberg/commit.h"
#include "iceberg/spec/table_update.h"

// A manifest of new files, encoded once and used by every attempt.
struct commit_manifest {
    struct manifest_file row;
    struct str bytes; // in the commit's arena
    bool is_written;  // it is in the store
};

struct commit_state {
    struct iceberg_table *table;
    const struct commit_options *options;
    struct arena arena; // of the whole commit
    char uuid[TABLE_ENV_UUID_TEXT + 1];
    struct str branch;
    int64_t snapshot_id;
    uint32_t manifest_count; // names given so far
    enum avro_codec manifest_codec;
    int32_t manifest_level;
    VEC(struct commit_manifest) manifests;
    VEC(struct str) written; // everything this commit has put into the metadata directory

    // Of the attempt.
    struct avro_schema_cache cache;
    uint32_t attempt;
    VEC(struct manifest_file) list; // what the snapshot consists of
    struct arena list_arena;        // of `assigned`; the table's own once it is published
    struct manifest_file *assigned; // the list as it was written
    uint32_t created;               // manifests: for the summary
    uint32_t kept;
    uint32_t replaced;
};

// commit_append.c: the list of the attempt's snapshot, new manifests written and merged.
MUST_USE enum status commit_append(struct commit_state *state, struct err *err);
// Puts a file into the metadata directory (not synced) and remembers it.
MUST_USE enum status commit_put(struct commit_state *state, struct str name, struct str bytes,
                                struct str *path, struct err *err);

// commit_summary.c: the summary of the snapshot, in Java's words and order.
void commit_summary(struct commit_state *state, struct arena *arena,
                    const struct table_snapshot *parent, const struct table_property **out,
                    uint32_t *count);

// commit_expire.c: removes what only expired snapshots reached. `next` is published.
void commit_expire_files(struct commit_state *state, const struct table_metadata *base,
                         const struct table_metadata *next, uint32_t removed_log_count);
// Removes the files of this commit that `next` does not name (NULL: all).
void commit_drop_files(struct commit_state *state, const struct str *keep, uint32_t keep_count);
// Removes a file that nothing names; that it cannot be removed is no failure of the commit.
void commit_remove(struct store *store, struct str path);
// Several, which it sorts; a power loss does not bring them back afterwards.
MUST_USE enum status commit_remove_for_good(struct store *store, struct str *paths, uint32_t count,
                                            struct err *err);
