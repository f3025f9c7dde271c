// SPDX-License-Identifier: Apache-2.0
//
// Reading; table_metadata_print.c writes.
#include "iceberg/spec/table_metadata.h"

#include "base/arena.h"
#include "codec/json_tree.h"
#include "iceberg/spec/json_need.h"

enum { PARTITION_ID_NONE = 999 };

static enum status parse_schemas(struct arena *arena, const struct json_tree *json,
                                 struct table_metadata *out, struct err *err)
{
    const struct json_tree *schemas;
    TRY(json_need_array_or(json, "schemas", &schemas, err));
    const struct json_tree *single = json_tree_find(json, "schema");
    bool is_list = schemas != NULL && schemas->count > 0;
    if (!is_list && single == NULL) {
        return ERR(err, STATUS_INVALID_DATA, "'schemas' is missing");
    }
    uint32_t count = is_list ? schemas->count : 1;
    const struct table_schema **parsed = arena_new_array(arena, const struct table_schema *, count);
    for (uint32_t i = 0; i < count; i++) {
        TRY(table_schema_parse(arena, is_list ? &schemas->items[i] : single, &parsed[i], err));
    }
    out->schemas = parsed;
    out->schema_count = count;
    TRY(json_need_i32_or(json, "current-schema-id", parsed[0]->schema_id, &out->current_schema_id,
                         err));
    return table_metadata_current_schema(out) != NULL
               ? STATUS_OK
               : ERR(err, STATUS_INVALID_DATA,
                     "'current-schema-id' is %d, and there is no such schema",
                     out->current_schema_id);
}

static enum status parse_specs(struct arena *arena, const struct json_tree *json,
                               struct table_metadata *out, struct err *err)
{
    const struct json_tree *specs;
    TRY(json_need_array_or(json, "partition-specs", &specs, err));
    const struct json_tree *single = json_tree_find(json, "partition-spec");
    if (specs == NULL && single == NULL) {
        return ERR(err, STATUS_INVALID_DATA, "'partition-specs' is missing");
    }
    uint32_t count = specs != NULL ? specs->count : 1;
    const struct partition_spec **parsed =
        arena_new_array(arena, const struct partition_spec *, count + 1);
    int32_t highest = PARTITION_ID_NONE;
    for (uint32_t i = 0; i < count; i++) {
        TRY(partition_spec_parse(arena, specs != NULL ? &specs->items[i] : single, 0, &parsed[i],
                                 err));
        parsed[i] = partition_spec_bind(arena, parsed[i], table_metadata_current_schema(out),
                                        out->schemas, out->schema_count);
        for (uint32_t j = 0; j < parsed[i]->field_count; j++) {
            int32_t id = parsed[i]->fields[j].field_id;
            highest = id > highest ? id : highest;
        }
    }
    out->specs = parsed;
    out->spec_count = count;
    TRY(json_need_i32_or(json, "default-spec-id", count > 0 ? parsed[0]->spec_id : 0,
                         &out->default_spec_id, err));
    TRY(json_need_i32_or(json, "last-partition-id", highest, &out->last_partition_id, err));
    if (out->last_partition_id < highest) {
        out->last_partition_id = highest; // a writer that let it lag: ids must not be used twice
    }
    return table_metadata_default_spec(out) != NULL
               ? STATUS_OK
               : ERR(err, STATUS_INVALID_DATA,
                     "'default-spec-id' is %d, and there is no such partition spec",
                     out->default_spec_id);
}

static enum status parse_sort_orders(struct arena *arena, const struct json_tree *json,
                                     struct table_metadata *out, struct err *err)
{
    static const struct sort_order unsorted;
    const struct json_tree *orders;
    TRY(json_need_array_or(json, "sort-orders", &orders, err));
    TRY(json_need_i32_or(json, "default-sort-order-id", 0, &out->default_sort_order_id, err));
    uint32_t count = orders != NULL ? orders->count : 0;
    const struct sort_order **parsed = arena_new_array(arena, const struct sort_order *, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        TRY(sort_order_parse(arena, &orders->items[i], &parsed[i], err));
    }
    if (count == 0) {
        parsed[count++] = &unsorted;
    }
    out->sort_orders = parsed;
    out->sort_order_count = count;
    return STATUS_OK;
}

static enum status parse_strings(struct arena *arena, const struct json_tree *json,
                                 const char *skip, const struct table_property **out,
                                 uint32_t *count, struct err *err)
{
    *out = NULL;
    *count = 0;
    if (json == NULL) {
        return STATUS_OK;
    }
    if (json->kind != JSON_TREE_OBJECT) {
        return ERR(err, STATUS_INVALID_DATA, "'properties' or 'summary' is not an object");
    }
    struct table_property *parsed = arena_new_array(arena, struct table_property, json->count + 1);
    for (uint32_t i = 0; i < json->count; i++) {
        const struct json_tree *value = &json->items[i];
        if (skip != NULL && str_is(json->keys[i], skip)) {
            continue;
        }
        // Some writers put numbers and booleans where the spec wants strings.
        struct str text = value->kind == JSON_TREE_BOOL
                              ? (value->as.boolean ? STR_LIT("true") : STR_LIT("false"))
                              : value->text;
        if (value->kind == JSON_TREE_ARRAY || value->kind == JSON_TREE_OBJECT ||
            value->kind == JSON_TREE_NULL) {
            continue;
        }
        parsed[(*count)++] = (struct table_property){json->keys[i], text};
    }
    *out = parsed;
    return STATUS_OK;
}

static enum status parse_snapshot(struct arena *arena, const struct json_tree *json,
                                  struct table_snapshot *out, struct err *err)
{
    TRY(json_need_id(json, "snapshot-id", &out->snapshot_id, err));
    TRY(json_need_id_or(json, "parent-snapshot-id", TABLE_NONE, &out->parent_id, err));
    TRY(json_need_i64_or(json, "sequence-number", 0, &out->sequence_number, err));
    TRY(json_need_i64(json, "timestamp-ms", &out->timestamp_ms, err));
    const struct json_tree *summary = json_tree_find(json, "summary");
    out->operation = json_tree_str(json_tree_find(summary, "operation"));
    TRY(parse_strings(arena, summary, "operation", &out->summary, &out->summary_count, err));
    out->manifest_list = json_tree_str(json_tree_find(json, "manifest-list"));
    TRY(json_need_array_or(json, "manifests", &out->manifests, err));
    if (out->manifest_list.size == 0 && out->manifests == NULL) {
        return ERR(err, STATUS_INVALID_DATA, "snapshot %lld has no 'manifest-list'",
                   (long long)out->snapshot_id);
    }
    TRY(json_need_i32_or(json, "schema-id", TABLE_NONE, &out->schema_id, err));
    TRY(json_need_i64_or(json, "first-row-id", TABLE_NONE, &out->first_row_id, err));
    TRY(json_need_i64_or(json, "added-rows", TABLE_NONE, &out->added_rows, err));
    out->key_id = json_tree_str(json_tree_find(json, "key-id"));
    return STATUS_OK;
}

static enum status parse_snapshots(struct arena *arena, const struct json_tree *json,
                                   struct table_metadata *out, struct err *err)
{
    const struct json_tree *list;
    TRY(json_need_array_or(json, "snapshots", &list, err));
    uint32_t count = list != NULL ? list->count : 0;
    struct table_snapshot *parsed = arena_new_array(arena, struct table_snapshot, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        TRY(parse_snapshot(arena, &list->items[i], &parsed[i], err));
    }
    out->snapshots = parsed;
    out->snapshot_count = count;
    TRY(json_need_id_or(json, "current-snapshot-id", TABLE_NONE, &out->current_snapshot_id, err));
    if (out->current_snapshot_id != TABLE_NONE && table_metadata_current(out) == NULL) {
        return ERR(err, STATUS_INVALID_DATA,
                   "'current-snapshot-id' is %lld, and there is no such snapshot",
                   (long long)out->current_snapshot_id);
    }
    return STATUS_OK;
}

// The first row id that no snapshot has taken, for metadata whose writer forgot 'next-row-id'.
static int64_t rows_given(const struct table_metadata *metadata)
{
    int64_t next = 0;
    for (uint32_t i = 0; i < metadata->snapshot_count; i++) {
        const struct table_snapshot *snapshot = &metadata->snapshots[i];
        int64_t end;
        if (snapshot->first_row_id != TABLE_NONE && snapshot->added_rows != TABLE_NONE &&
            !__builtin_add_overflow(snapshot->first_row_id, snapshot->added_rows, &end)) {
            next = end > next ? end : next;
        }
    }
    return next;
}

static enum status parse_refs(struct arena *arena, const struct json_tree *json,
                              struct table_metadata *out, struct err *err)
{
    const struct json_tree *refs = json_tree_find(json, "refs");
    if (refs != NULL) {
        TRY(json_need_object(refs, "refs", err));
    }
    uint32_t given = refs != NULL ? refs->count : 0;
    struct table_ref *parsed = arena_new_array(arena, struct table_ref, given + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < given; i++) {
        const struct json_tree *ref = &refs->items[i];
        struct table_ref *to = &parsed[count++];
        to->name = refs->keys[i];
        to->is_tag = str_is_nocase(json_tree_str(json_tree_find(ref, "type")), "tag");
        TRY(json_need_id(ref, "snapshot-id", &to->snapshot_id, err));
        TRY(json_need_i32_or(ref, "min-snapshots-to-keep", TABLE_NONE, &to->min_snapshots_to_keep,
                             err));
        TRY(json_need_i64_or(ref, "max-snapshot-age-ms", TABLE_NONE, &to->max_snapshot_age_ms,
                             err));
        TRY(json_need_i64_or(ref, "max-ref-age-ms", TABLE_NONE, &to->max_ref_age_ms, err));
    }
    out->refs = parsed;
    out->ref_count = count;
    const struct table_ref *main_ref = table_metadata_ref(out, STR_LIT(TABLE_MAIN));
    if (main_ref == NULL && out->current_snapshot_id != TABLE_NONE) {
        parsed[out->ref_count++] = (struct table_ref){.name = STR_LIT(TABLE_MAIN),
                                                      .snapshot_id = out->current_snapshot_id,
                                                      .min_snapshots_to_keep = TABLE_NONE,
                                                      .max_snapshot_age_ms = TABLE_NONE,
                                                      .max_ref_age_ms = TABLE_NONE};
    } else if (main_ref != NULL && main_ref->snapshot_id != out->current_snapshot_id) {
        return ERR(err, STATUS_INVALID_DATA,
                   "branch 'main' is at %lld, 'current-snapshot-id' is %lld",
                   (long long)main_ref->snapshot_id, (long long)out->current_snapshot_id);
    }
    return STATUS_OK;
}

static enum status parse_logs(struct arena *arena, const struct json_tree *json,
                              struct table_metadata *out, struct err *err)
{
    const struct json_tree *log;
    TRY(json_need_array_or(json, "snapshot-log", &log, err));
    uint32_t count = log != NULL ? log->count : 0;
    struct table_snapshot_log *snapshots =
        arena_new_array(arena, struct table_snapshot_log, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        TRY(json_need_i64(&log->items[i], "timestamp-ms", &snapshots[i].timestamp_ms, err));
        TRY(json_need_id(&log->items[i], "snapshot-id", &snapshots[i].snapshot_id, err));
    }
    out->snapshot_log = snapshots;
    out->snapshot_log_count = count;
    TRY(json_need_array_or(json, "metadata-log", &log, err));
    count = log != NULL ? log->count : 0;
    struct table_metadata_log *files = arena_new_array(arena, struct table_metadata_log, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        TRY(json_need_i64(&log->items[i], "timestamp-ms", &files[i].timestamp_ms, err));
        TRY(json_need_str(&log->items[i], "metadata-file", &files[i].file, err));
    }
    out->metadata_log = files;
    out->metadata_log_count = count;
    return STATUS_OK;
}

static enum status parse_all(struct arena *arena, const struct json_tree *json,
                             struct table_metadata *out, struct err *err)
{
    TRY(json_need_object(json, "table metadata", err));
    TRY(json_need_i32(json, "format-version", &out->format_version, err));
    if (out->format_version < 1 || out->format_version > TABLE_VERSION_MAX) {
        return ERR(err, STATUS_UNSUPPORTED, "'format-version' is %d; up to %d is supported",
                   out->format_version, TABLE_VERSION_MAX);
    }
    bool is_v1 = out->format_version == 1;
    out->table_uuid = json_tree_str(json_tree_find(json, "table-uuid"));
    if (!is_v1) {
        TRY(json_need_str(json, "table-uuid", &out->table_uuid, err));
        TRY(json_need_i64(json, "last-sequence-number", &out->last_sequence_number, err));
    }
    TRY(json_need_str(json, "location", &out->location, err));
    TRY(json_need_i64(json, "last-updated-ms", &out->last_updated_ms, err));
    TRY(json_need_i32(json, "last-column-id", &out->last_column_id, err));
    TRY(parse_schemas(arena, json, out, err));
    TRY(parse_specs(arena, json, out, err));
    TRY(parse_sort_orders(arena, json, out, err));
    TRY(parse_strings(arena, json_tree_find(json, "properties"), NULL, &out->properties,
                      &out->property_count, err));
    TRY(parse_snapshots(arena, json, out, err));
    if (out->format_version >= 3) {
        TRY(json_need_i64_or(json, "next-row-id", rows_given(out), &out->next_row_id, err));
    }
    TRY(json_need_array_or(json, "encryption-keys", &out->encryption_keys, err));
    TRY(parse_refs(arena, json, out, err));
    TRY(json_need_array_or(json, "statistics", &out->statistics, err));
    TRY(json_need_array_or(json, "partition-statistics", &out->partition_statistics, err));
    return parse_logs(arena, json, out, err);
}

enum status table_metadata_parse(struct arena *arena, struct str json,
                                 const struct table_metadata **out, struct err *err)
{
    const struct json_tree *tree;
    struct table_metadata *metadata = arena_new(arena, struct table_metadata);
    *out = NULL;
    TRY(json_tree_parse(arena, json, &tree, err));
    enum status status = parse_all(arena, tree, metadata, err);
    if (status != STATUS_OK) {
        err_context(err, "table metadata");
        return status;
    }
    *out = metadata;
    return STATUS_OK;
}

const struct table_snapshot *table_metadata_snapshot(const struct table_metadata *metadata,
                                                     int64_t snapshot_id)
{
    for (uint32_t i = metadata->snapshot_count; i-- > 0;) {
        if (metadata->snapshots[i].snapshot_id == snapshot_id) {
            return &metadata->snapshots[i];
        }
    }
    return NULL;
}

const struct table_snapshot *table_metadata_current(const struct table_metadata *metadata)
{
    return metadata->current_snapshot_id == TABLE_NONE
               ? NULL
               : table_metadata_snapshot(metadata, metadata->current_snapshot_id);
}

const struct table_ref *table_metadata_ref(const struct table_metadata *metadata, struct str name)
{
    for (uint32_t i = 0; i < metadata->ref_count; i++) {
        if (str_equal(metadata->refs[i].name, name)) {
            return &metadata->refs[i];
        }
    }
    return NULL;
}

const struct table_schema *table_metadata_schema(const struct table_metadata *metadata,
                                                 int32_t schema_id)
{
    for (uint32_t i = 0; i < metadata->schema_count; i++) {
        if (metadata->schemas[i]->schema_id == schema_id) {
            return metadata->schemas[i];
        }
    }
    return NULL;
}

const struct table_schema *table_metadata_current_schema(const struct table_metadata *metadata)
{
    return table_metadata_schema(metadata, metadata->current_schema_id);
}

const struct partition_spec *table_metadata_spec(const struct table_metadata *metadata,
                                                 int32_t spec_id)
{
    for (uint32_t i = 0; i < metadata->spec_count; i++) {
        if (metadata->specs[i]->spec_id == spec_id) {
            return metadata->specs[i];
        }
    }
    return NULL;
}

const struct partition_spec *table_metadata_default_spec(const struct table_metadata *metadata)
{
    return table_metadata_spec(metadata, metadata->default_spec_id);
}

static const struct str *find(const struct table_property *properties, uint32_t count,
                              const char *key)
{
    for (uint32_t i = count; i-- > 0;) {
        if (str_is(properties[i].key, key)) {
            return &properties[i].value;
        }
    }
    return NULL;
}

const struct str *table_metadata_property(const struct table_metadata *metadata, const char *key)
{
    return find(metadata->properties, metadata->property_count, key);
}

int64_t table_metadata_property_i64(const struct table_metadata *metadata, const char *key,
                                    int64_t absent)
{
    const struct str *text = table_metadata_property(metadata, key);
    int64_t value;
    return text != NULL && str_to_i64(str_trim(*text), &value) ? value : absent;
}

bool table_metadata_property_bool(const struct table_metadata *metadata, const char *key,
                                  bool absent)
{
    const struct str *text = table_metadata_property(metadata, key);
    return text == NULL ? absent : str_is_nocase(str_trim(*text), "true");
}

const struct str *table_metadata_summary(const struct table_snapshot *snapshot, const char *key)
{
    return find(snapshot->summary, snapshot->summary_count, key);
}
