// SPDX-License-Identifier: Apache-2.0
//
// commit: a snapshot becomes part of a table (Iceberg spec, "Optimistic Concurrency"; engine.md
// section 7).
//
// One commit may append data files, leave an empty snapshot (a fence), set properties, and let old
// snapshots expire: all in one new metadata file, published by one swap of the catalog's pointer.
//
// Order on the way (each step only after the one before it; * = fsync):
//     data files          written by the data writer: file*, directory*
//     manifests           file* each (one but for huge appends; one more when it is time to merge)
//     manifest list       file*
//     metadata JSON       file*
//     their directory     *
//     catalog             the swap; SQLite in WAL mode with synchronous=FULL: its log*
// One data file in a directory that exists: 7 fsyncs. Nothing that a published file names can be
// lost: the pointer moves last. A crash before the swap leaves files that nothing names, all of
// which carry the writer's tag in their names; commit_clean() removes them.
//
// Attempts. The snapshot id and the manifests of new files are made once; the list and the metadata
// once an attempt, under new names. Before each attempt the current metadata is loaded and `check`
// is asked: it searches what is new for the caller's token.
//     OK        published
//     CONFLICT  a definite no: this attempt's list and metadata are removed, the table is loaded
//               again, after a pause (commit.retry.*) the next attempt is made on what is there now
//     COMMIT_UNKNOWN  nothing is removed. The table is loaded (up to three times, with pauses:
//               commit.status-check.*): is our snapshot in it, we are done. Otherwise the next
//               attempt, again on what is there now: if the lost one takes effect in between, its
//               swap will fail and the search will find it.
// When attempts run out: CONFLICT (all were definite; new manifests removed), or COMMIT_UNKNOWN
// (files are left; only a later search can tell).
//
// After the swap, and only then: files of expired snapshots that nothing reaches any more, metadata
// files that fell out of the log (write.metadata.delete-after-commit.enabled), leftovers of earlier
// attempts. A failure there is no failure of the commit.
//
// Expiry follows history.expire.* when the table's property `frazil.expire-in-commit` is not false.
#pragma once

#include "iceberg/iceberg_table.h"
#include "iceberg/spec/data_file.h"

struct commit_attempt {
    int64_t snapshot_id; // TABLE_NONE: no snapshot is made
    int64_t sequence_number;
    int64_t timestamp_ms;
};

struct commit_options {
    struct str branch; // empty: main
    // New data files, bound to specs of the table by their spec ids; borrowed for the call.
    const struct data_file *files;
    uint32_t file_count;
    bool force_snapshot; // also without files: a fence
    const struct table_property
        *summary; // added to the snapshot's summary, in front of the figures
    uint32_t summary_count;
    const struct table_property *properties; // set in the same commit; an empty value removes
    uint32_t property_count;
    uint64_t writer_tag; // of file names; 0: random
    bool without_expiry;

    // Called with the metadata that the next attempt builds on. OK: go on. EXISTS: it is committed
    // already (the commit returns EXISTS). Anything else stops the commit.
    enum status (*check)(void *context, const struct table_metadata *base, struct err *err);
    // More properties, known only with the numbers of the attempt; in `arena`.
    void (*late_properties)(void *context, const struct commit_attempt *attempt,
                            struct arena *arena, const struct table_property **properties,
                            uint32_t *count);
    void *context;
};

struct commit_result {
    int64_t snapshot_id; // TABLE_NONE where only properties were set
    int64_t sequence_number;
    uint32_t attempts;
    uint32_t expired_snapshots;
};

// On OK and EXISTS table->metadata is the newest known.
MUST_USE enum status commit_run(struct iceberg_table *table, const struct commit_options *options,
                                struct commit_result *result, struct err *err);

// Makes the table: its first metadata file and the catalog's entry.
struct table_update_new;
MUST_USE enum status commit_create(const struct table_place *place, const struct table_name *name,
                                   const struct table_update_new *table, struct err *err);

// Files that no cleaning removes though no metadata names them: a checkpoint holds them (segments
// of open files, committables).
struct commit_keep {
    const struct str *paths;
    uint32_t count;
};

// Removes files with one of the tags, in the table's metadata and data directories, that no
// snapshot and no log of the current metadata names, and none of `keep`. Only when no other process
// writes with those tags. Nothing where gc.enabled is false.
MUST_USE enum status commit_clean(struct iceberg_table *table, const uint64_t *writer_tags,
                                  uint32_t tag_count, const struct commit_keep *keep,
                                  uint32_t *removed, struct err *err);
// Removes metadata files, manifest lists and manifests with one of the tags that the current
// metadata does not reach: what a crash between an expiry and its removals left, from whichever
// run; and the data files that only such manifests name, but for `keep`. Reads manifests only where
// there is something to remove.
MUST_USE enum status commit_clean_metadata(struct iceberg_table *table, const uint64_t *writer_tags,
                                           uint32_t tag_count, const struct commit_keep *keep,
                                           uint32_t *removed, struct err *err);
