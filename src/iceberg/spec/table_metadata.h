// SPDX-License-Identifier: Apache-2.0
//
// table_metadata: what a metadata JSON file says about a table (Iceberg spec, "Table Metadata",
// appendix C; formats v1 to v3).
//
//     TRY(table_metadata_parse(arena, json, &metadata, err));
//     const struct table_snapshot *snapshot = table_metadata_current(metadata);
//     ... table_update.h makes the next one ...
//     table_metadata_print(&text, metadata);
//
// Immutable, in an arena; strings of a parsed one are borrowed from the text, which must live as
// long. Printed in the key order of Java's writer. Lists are in the order of the file.
//
// Statistics files and encryption keys are kept as they are.
#pragma once

#include "iceberg/spec/partition_spec.h"
#include "iceberg/spec/sort_order.h"
#include "iceberg/spec/table_schema.h"

enum { TABLE_VERSION_MAX = 3, TABLE_NONE = -1 };

#define TABLE_MAIN "main"

struct table_property {
    struct str key;
    struct str value;
};

struct table_snapshot {
    int64_t snapshot_id;
    int64_t parent_id;       // TABLE_NONE
    int64_t sequence_number; // 0 in v1
    int64_t timestamp_ms;
    struct str operation;   // "append", …; empty where there is no summary
    uint32_t summary_count; // without the operation
    const struct table_property *summary;
    struct str manifest_list;          // empty: v1 with `manifests`
    const struct json_tree *manifests; // array of paths, v1 only; else NULL
    int32_t schema_id;                 // TABLE_NONE
    int64_t first_row_id;              // TABLE_NONE
    int64_t added_rows;                // TABLE_NONE
    struct str key_id;                 // empty: none
};

struct table_ref {
    struct str name;
    int64_t snapshot_id;
    bool is_tag;
    int32_t min_snapshots_to_keep; // TABLE_NONE
    int64_t max_snapshot_age_ms;   // TABLE_NONE
    int64_t max_ref_age_ms;        // TABLE_NONE
};

struct table_snapshot_log {
    int64_t timestamp_ms;
    int64_t snapshot_id;
};

struct table_metadata_log {
    int64_t timestamp_ms;
    struct str file;
};

struct table_metadata {
    int32_t format_version;
    struct str table_uuid; // empty only in v1
    struct str location;
    int64_t last_sequence_number;
    int64_t last_updated_ms;
    int32_t last_column_id;
    int32_t current_schema_id;
    uint32_t schema_count;
    const struct table_schema *const *schemas;
    int32_t default_spec_id;
    uint32_t spec_count;
    const struct partition_spec *const *specs; // bound to the current schema
    int32_t last_partition_id;
    int32_t default_sort_order_id;
    uint32_t sort_order_count;
    const struct sort_order *const *sort_orders;
    uint32_t property_count;
    const struct table_property *properties;
    int64_t current_snapshot_id;             // TABLE_NONE
    int64_t next_row_id;                     // v3
    const struct json_tree *encryption_keys; // NULL: none
    uint32_t ref_count;
    const struct table_ref *refs; // `main` is among them where there is a current snapshot
    uint32_t snapshot_count;
    const struct table_snapshot *snapshots;
    const struct json_tree *statistics;           // NULL: none
    const struct json_tree *partition_statistics; // NULL: none
    uint32_t snapshot_log_count;
    const struct table_snapshot_log *snapshot_log;
    uint32_t metadata_log_count;
    const struct table_metadata_log *metadata_log;
};

// UNSUPPORTED: a format version above ours.
MUST_USE enum status table_metadata_parse(struct arena *arena, struct str json,
                                          const struct table_metadata **out, struct err *err);
void table_metadata_print(struct strbuf *out, const struct table_metadata *metadata);

// NULL where there is none.
const struct table_snapshot *table_metadata_snapshot(const struct table_metadata *metadata,
                                                     int64_t snapshot_id);
const struct table_snapshot *table_metadata_current(const struct table_metadata *metadata);
const struct table_ref *table_metadata_ref(const struct table_metadata *metadata, struct str name);
const struct table_schema *table_metadata_schema(const struct table_metadata *metadata,
                                                 int32_t schema_id);
const struct table_schema *table_metadata_current_schema(const struct table_metadata *metadata);
const struct partition_spec *table_metadata_spec(const struct table_metadata *metadata,
                                                 int32_t spec_id);
const struct partition_spec *table_metadata_default_spec(const struct table_metadata *metadata);
const struct str *table_metadata_property(const struct table_metadata *metadata, const char *key);
int64_t table_metadata_property_i64(const struct table_metadata *metadata, const char *key,
                                    int64_t absent);
bool table_metadata_property_bool(const struct table_metadata *metadata, const char *key,
                                  bool absent);
// The value in a snapshot's summary; NULL where there is none.
const struct str *table_metadata_summary(const struct table_snapshot *snapshot, const char *key);
