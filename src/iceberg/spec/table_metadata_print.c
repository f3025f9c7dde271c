// SPDX-License-Identifier: Apache-2.0
//
// Table metadata as JSON, keys in the order of Java's TableMetadataParser.
#include "base/strbuf.h"
#include "codec/json_tree.h"
#include "iceberg/spec/table_metadata.h"

static void add_i64(struct strbuf *out, const char *key, int64_t value)
{
    strbuf_printf(out, "\"%s\":%lld,", key, (long long)value);
}

static void add_str(struct strbuf *out, const char *key, struct str value)
{
    strbuf_printf(out, "\"%s\":", key);
    json_tree_quote(out, value);
    strbuf_add_byte(out, ',');
}

// Takes back the comma behind the last member and closes.
static void close_with(struct strbuf *out, char bracket)
{
    if (out->size > 0 && out->ptr[out->size - 1] == ',') {
        out->ptr[--out->size] = '\0';
    }
    strbuf_add_byte(out, bracket);
}

static void add_strings(struct strbuf *out, const struct table_property *properties, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        json_tree_quote(out, properties[i].key);
        strbuf_add_byte(out, ':');
        json_tree_quote(out, properties[i].value);
        strbuf_add_byte(out, ',');
    }
}

static void print_schemas(struct strbuf *out, const struct table_metadata *metadata)
{
    if (metadata->format_version == 1) {
        strbuf_add_text(out, "\"schema\":");
        table_schema_print(out, table_metadata_current_schema(metadata));
        strbuf_add_byte(out, ',');
    }
    add_i64(out, "current-schema-id", metadata->current_schema_id);
    strbuf_add_text(out, "\"schemas\":[");
    for (uint32_t i = 0; i < metadata->schema_count; i++) {
        table_schema_print(out, metadata->schemas[i]);
        strbuf_add_byte(out, ',');
    }
    close_with(out, ']');
    strbuf_add_byte(out, ',');
}

static void print_specs(struct strbuf *out, const struct table_metadata *metadata)
{
    if (metadata->format_version == 1) {
        strbuf_add_text(out, "\"partition-spec\":");
        partition_spec_print_fields(out, table_metadata_default_spec(metadata));
        strbuf_add_byte(out, ',');
    }
    add_i64(out, "default-spec-id", metadata->default_spec_id);
    strbuf_add_text(out, "\"partition-specs\":[");
    for (uint32_t i = 0; i < metadata->spec_count; i++) {
        partition_spec_print(out, metadata->specs[i]);
        strbuf_add_byte(out, ',');
    }
    close_with(out, ']');
    strbuf_add_byte(out, ',');
    add_i64(out, "last-partition-id", metadata->last_partition_id);
    add_i64(out, "default-sort-order-id", metadata->default_sort_order_id);
    strbuf_add_text(out, "\"sort-orders\":[");
    for (uint32_t i = 0; i < metadata->sort_order_count; i++) {
        sort_order_print(out, metadata->sort_orders[i]);
        strbuf_add_byte(out, ',');
    }
    close_with(out, ']');
    strbuf_add_byte(out, ',');
}

static void print_refs(struct strbuf *out, const struct table_metadata *metadata)
{
    strbuf_add_text(out, "\"refs\":{");
    for (uint32_t i = 0; i < metadata->ref_count; i++) {
        const struct table_ref *ref = &metadata->refs[i];
        json_tree_quote(out, ref->name);
        strbuf_add_text(out, ":{");
        add_i64(out, "snapshot-id", ref->snapshot_id);
        strbuf_printf(out, "\"type\":\"%s\",", ref->is_tag ? "tag" : "branch");
        if (ref->min_snapshots_to_keep != TABLE_NONE) {
            add_i64(out, "min-snapshots-to-keep", ref->min_snapshots_to_keep);
        }
        if (ref->max_snapshot_age_ms != TABLE_NONE) {
            add_i64(out, "max-snapshot-age-ms", ref->max_snapshot_age_ms);
        }
        if (ref->max_ref_age_ms != TABLE_NONE) {
            add_i64(out, "max-ref-age-ms", ref->max_ref_age_ms);
        }
        close_with(out, '}');
        strbuf_add_byte(out, ',');
    }
    close_with(out, '}');
    strbuf_add_byte(out, ',');
}

static void print_snapshot(struct strbuf *out, const struct table_snapshot *snapshot)
{
    strbuf_add_byte(out, '{');
    if (snapshot->sequence_number > 0) {
        add_i64(out, "sequence-number", snapshot->sequence_number);
    }
    add_i64(out, "snapshot-id", snapshot->snapshot_id);
    if (snapshot->parent_id != TABLE_NONE) {
        add_i64(out, "parent-snapshot-id", snapshot->parent_id);
    }
    add_i64(out, "timestamp-ms", snapshot->timestamp_ms);
    if (snapshot->operation.size > 0) {
        strbuf_add_text(out, "\"summary\":{");
        add_str(out, "operation", snapshot->operation);
        add_strings(out, snapshot->summary, snapshot->summary_count);
        close_with(out, '}');
        strbuf_add_byte(out, ',');
    }
    if (snapshot->manifest_list.size > 0) {
        add_str(out, "manifest-list", snapshot->manifest_list);
    } else if (snapshot->manifests != NULL) {
        strbuf_add_text(out, "\"manifests\":");
        json_tree_print(out, snapshot->manifests);
        strbuf_add_byte(out, ',');
    }
    if (snapshot->schema_id != TABLE_NONE) {
        add_i64(out, "schema-id", snapshot->schema_id);
    }
    if (snapshot->first_row_id != TABLE_NONE) {
        add_i64(out, "first-row-id", snapshot->first_row_id);
    }
    if (snapshot->added_rows != TABLE_NONE) {
        add_i64(out, "added-rows", snapshot->added_rows);
    }
    if (snapshot->key_id.size > 0) {
        add_str(out, "key-id", snapshot->key_id);
    }
    close_with(out, '}');
}

static void print_kept(struct strbuf *out, const char *key, const struct json_tree *value)
{
    strbuf_printf(out, "\"%s\":", key);
    if (value != NULL) {
        json_tree_print(out, value);
    } else {
        strbuf_add_text(out, "[]");
    }
    strbuf_add_byte(out, ',');
}

static void print_logs(struct strbuf *out, const struct table_metadata *metadata)
{
    strbuf_add_text(out, "\"snapshot-log\":[");
    for (uint32_t i = 0; i < metadata->snapshot_log_count; i++) {
        strbuf_add_byte(out, '{');
        add_i64(out, "timestamp-ms", metadata->snapshot_log[i].timestamp_ms);
        add_i64(out, "snapshot-id", metadata->snapshot_log[i].snapshot_id);
        close_with(out, '}');
        strbuf_add_byte(out, ',');
    }
    close_with(out, ']');
    strbuf_add_text(out, ",\"metadata-log\":[");
    for (uint32_t i = 0; i < metadata->metadata_log_count; i++) {
        strbuf_add_byte(out, '{');
        add_i64(out, "timestamp-ms", metadata->metadata_log[i].timestamp_ms);
        add_str(out, "metadata-file", metadata->metadata_log[i].file);
        close_with(out, '}');
        strbuf_add_byte(out, ',');
    }
    close_with(out, ']');
}

void table_metadata_print(struct strbuf *out, const struct table_metadata *metadata)
{
    bool is_v1 = metadata->format_version == 1;
    strbuf_add_byte(out, '{');
    add_i64(out, "format-version", metadata->format_version);
    if (metadata->table_uuid.size > 0) {
        add_str(out, "table-uuid", metadata->table_uuid);
    }
    add_str(out, "location", metadata->location);
    if (!is_v1) {
        add_i64(out, "last-sequence-number", metadata->last_sequence_number);
    }
    add_i64(out, "last-updated-ms", metadata->last_updated_ms);
    add_i64(out, "last-column-id", metadata->last_column_id);
    print_schemas(out, metadata);
    print_specs(out, metadata);
    strbuf_add_text(out, "\"properties\":{");
    add_strings(out, metadata->properties, metadata->property_count);
    close_with(out, '}');
    strbuf_add_byte(out, ',');
    if (metadata->current_snapshot_id == TABLE_NONE && metadata->format_version >= 3) {
        strbuf_add_text(out, "\"current-snapshot-id\":null,");
    } else {
        add_i64(out, "current-snapshot-id", metadata->current_snapshot_id);
    }
    if (metadata->format_version >= 3) {
        add_i64(out, "next-row-id", metadata->next_row_id);
    }
    if (metadata->encryption_keys != NULL && metadata->encryption_keys->count > 0) {
        print_kept(out, "encryption-keys", metadata->encryption_keys);
    }
    print_refs(out, metadata);
    strbuf_add_text(out, "\"snapshots\":[");
    for (uint32_t i = 0; i < metadata->snapshot_count; i++) {
        print_snapshot(out, &metadata->snapshots[i]);
        strbuf_add_byte(out, ',');
    }
    close_with(out, ']');
    strbuf_add_byte(out, ',');
    print_kept(out, "statistics", metadata->statistics);
    print_kept(out, "partition-statistics", metadata->partition_statistics);
    print_logs(out, metadata);
    strbuf_add_byte(out, '}');
}
