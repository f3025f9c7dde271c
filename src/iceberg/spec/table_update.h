// SPDX-License-Identifier: Apache-2.0
//
// table_update: the next metadata of a table, made from the current one by steps (as Java's
// TableMetadata.Builder).
//
//     struct table_update update;
//     table_update_begin(&update, arena, base, now_ms);
//     table_update_set_property(&update, key, value);
//     table_update_add_snapshot(&update, &snapshot, STR_LIT("main"));
//     table_update_expire(&update, now_ms);
//     const struct table_metadata *next = table_update_finish(&update, base_location);
//
// The result shares what has not changed with the base, which must live as long; a committer prints
// it and parses the text again, so that nothing old is kept.
//
// Rules kept here: last-updated-ms never falls; the snapshot log gets an entry for each change of
// main and loses all that is before a removed snapshot; the metadata log gets the base's location
// and keeps write.metadata.previous-versions-max (100) entries; statistics of removed snapshots go;
// sequence numbers and row ids only grow.
#pragma once

#include "iceberg/spec/table_metadata.h"

struct table_update {
    struct arena *arena;
    const struct table_metadata *base; // NULL: a new table
    struct table_metadata next;
    int64_t now_ms;
    bool removed_snapshots;
    uint32_t removed_log_count; // entries of base's metadata log that fall out
};

void table_update_begin(struct table_update *update, struct arena *arena,
                        const struct table_metadata *base, int64_t now_ms);

struct table_update_new {
    int32_t format_version; // 1 to 3
    struct str uuid;
    struct str location;
    const struct iceberg_type *columns;             // a struct with ids from 1
    const struct partition_field *partition_fields; // ids from 1000
    uint32_t partition_count;
    const int32_t *identifier_ids;
    uint32_t identifier_count;
    const struct table_property *properties;
    uint32_t property_count;
};

// A new table: schema 0, spec 0, unsorted. What is given is borrowed.
MUST_USE enum status table_update_create(struct table_update *update, struct arena *arena,
                                         const struct table_update_new *table, int64_t now_ms,
                                         struct err *err);

void table_update_set_property(struct table_update *update, struct str key, struct str value);
void table_update_remove_property(struct table_update *update, struct str key);

// Appends the snapshot and moves `branch` to it (made where it is missing). INVALID_DATA where its
// sequence number or first row id does not follow.
MUST_USE enum status table_update_add_snapshot(struct table_update *update,
                                               const struct table_snapshot *snapshot,
                                               struct str branch, struct err *err);
// Points a branch or tag to a snapshot that exists; a rollback when it is main.
MUST_USE enum status table_update_set_ref(struct table_update *update, const struct table_ref *ref,
                                          struct err *err);
void table_update_remove_ref(struct table_update *update, struct str name);
// Removes snapshots; refs to them go, too.
void table_update_remove_snapshots(struct table_update *update, const int64_t *ids, uint32_t count);

// Removes what history.expire.max-snapshot-age-ms (5 days), history.expire.min-snapshots-to-keep
// (1), history.expire.max-ref-age-ms and the refs' own settings let go (Iceberg spec, "Snapshot
// Retention Policy"). Returns how many went. With gc.enabled = false nothing does.
uint32_t table_update_expire(struct table_update *update);

const struct table_metadata *table_update_finish(struct table_update *update,
                                                 struct str base_location);
