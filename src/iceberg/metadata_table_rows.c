// SPDX-License-Identifier: Apache-2.0
//
// Metadata tables whose rows are in the metadata file, and those of manifest lists.
#include <stdlib.h>

#include "base/strbuf.h"
#include "iceberg/metadata_table_int.h"

enum { US_PER_MS = 1000, TEXT_MAX = 1 << 20 };

static void put_text_or_null(struct column_builder *builder, struct str text)
{
    metadata_table_put_text(builder, text.size > 0 ? text : (struct str){0});
}

static void put_time(struct column_builder *builder, int64_t ms)
{
    column_builder_timestamp_us(builder, ms * US_PER_MS);
}

static int compare_ids(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void find_ancestors(struct metadata_table_reader *reader)
{
    const struct table_metadata *metadata = reader->metadata;
    int64_t *ids = arena_new_array(&reader->arena, int64_t, metadata->snapshot_count + 1);
    const struct table_snapshot *at = table_metadata_current(metadata);
    while (at != NULL && reader->ancestor_count < metadata->snapshot_count) {
        ids[reader->ancestor_count++] = at->snapshot_id;
        at = at->parent_id == TABLE_NONE ? NULL : table_metadata_snapshot(metadata, at->parent_id);
    }
    qsort(ids, reader->ancestor_count, sizeof *ids, compare_ids);
    reader->ancestors = ids;
}

static void put_history(struct metadata_table_reader *reader, uint32_t column,
                        const struct table_snapshot_log *entry)
{
    struct column_builder *builder = reader->builders[column];
    const struct table_snapshot *snapshot;
    switch ((int)reader->wanted[column]->what) {
    case WHAT_MADE_CURRENT_AT: put_time(builder, entry->timestamp_ms); break;
    case WHAT_SNAPSHOT_ID: column_builder_i64(builder, entry->snapshot_id); break;
    case WHAT_PARENT_ID:
        snapshot = table_metadata_snapshot(reader->metadata, entry->snapshot_id);
        metadata_table_put_known(builder, snapshot != NULL ? snapshot->parent_id : TABLE_NONE);
        break;
    default:
        column_builder_bool(builder,
                            bsearch(&entry->snapshot_id, reader->ancestors, reader->ancestor_count,
                                    sizeof *reader->ancestors, compare_ids) != NULL);
        break;
    }
}

static void put_log_entry(struct metadata_table_reader *reader, uint32_t column,
                          const struct table_metadata_log *entry)
{
    struct column_builder *builder = reader->builders[column];
    const struct table_metadata *metadata = reader->metadata;
    int64_t latest = TABLE_NONE;
    for (uint32_t i = 0; i < metadata->snapshot_log_count; i++) {
        if (metadata->snapshot_log[i].timestamp_ms <= entry->timestamp_ms) {
            latest = metadata->snapshot_log[i].snapshot_id;
        }
    }
    const struct table_snapshot *snapshot = table_metadata_snapshot(metadata, latest);
    switch ((int)reader->wanted[column]->what) {
    case WHAT_TIMESTAMP: put_time(builder, entry->timestamp_ms); break;
    case WHAT_FILE: column_builder_string(builder, entry->file); break;
    case WHAT_SNAPSHOT_ID: metadata_table_put_known(builder, latest); break;
    case WHAT_LATEST_SCHEMA_ID:
        metadata_table_put_known(builder, snapshot != NULL ? snapshot->schema_id : TABLE_NONE);
        break;
    default:
        metadata_table_put_known(builder,
                                 snapshot != NULL ? snapshot->sequence_number : TABLE_NONE);
        break;
    }
}

static void put_texts(struct column_builder *builder, const struct table_property *items,
                      uint32_t count)
{
    column_builder_list_begin(builder);
    for (uint32_t i = 0; i < count; i++) {
        column_builder_string(column_builder_child(builder, 0), items[i].key);
        column_builder_string(column_builder_child(builder, 1), items[i].value);
    }
    column_builder_list_end(builder);
}

static void put_snapshot(struct metadata_table_reader *reader, uint32_t column,
                         const struct table_snapshot *snapshot)
{
    struct column_builder *builder = reader->builders[column];
    switch ((int)reader->wanted[column]->what) {
    case WHAT_TIMESTAMP: put_time(builder, snapshot->timestamp_ms); break;
    case WHAT_SNAPSHOT_ID: column_builder_i64(builder, snapshot->snapshot_id); break;
    case WHAT_PARENT_ID: metadata_table_put_known(builder, snapshot->parent_id); break;
    case WHAT_OPERATION: put_text_or_null(builder, snapshot->operation); break;
    case WHAT_MANIFEST_LIST: put_text_or_null(builder, snapshot->manifest_list); break;
    default:
        if (snapshot->operation.size == 0 && snapshot->summary_count == 0) {
            column_builder_null(builder);
        } else {
            put_texts(builder, snapshot->summary, snapshot->summary_count);
        }
        break;
    }
}

static void put_ref(struct metadata_table_reader *reader, uint32_t column,
                    const struct table_ref *ref)
{
    struct column_builder *builder = reader->builders[column];
    switch ((int)reader->wanted[column]->what) {
    case WHAT_NAME: column_builder_string(builder, ref->name); break;
    case WHAT_TYPE:
        column_builder_string(builder, ref->is_tag ? STR_LIT("TAG") : STR_LIT("BRANCH"));
        break;
    case WHAT_SNAPSHOT_ID: column_builder_i64(builder, ref->snapshot_id); break;
    case WHAT_MAX_REF_AGE: metadata_table_put_known(builder, ref->max_ref_age_ms); break;
    case WHAT_MIN_SNAPSHOTS: metadata_table_put_known(builder, ref->min_snapshots_to_keep); break;
    default: metadata_table_put_known(builder, ref->max_snapshot_age_ms); break;
    }
}

// --- manifest lists ----------------------------------------------------------------------------

// As Java shows it: "null" where there is no bound.
static void put_bound(struct metadata_table_reader *reader, struct column_builder *builder,
                      const struct partition_field *field, struct str bytes)
{
    struct strbuf text;
    struct iceberg_value value = {.is_null = true};
    struct err ignored;
    if (bytes.ptr != NULL &&
        iceberg_value_decode(field->result, bytes, &value, &ignored) != STATUS_OK) {
        value.is_null = true;
    }
    (void)reader;
    strbuf_init(&text, TEXT_MAX);
    transform_print_value(&text, &field->transform,
                          field->source != NULL ? field->source : field->result, &value);
    column_builder_string(builder, strbuf_str(&text));
    strbuf_release(&text);
}

static void put_summaries(struct metadata_table_reader *reader, uint32_t column,
                          const struct manifest_file *file)
{
    struct column_builder *builder = reader->builders[column];
    const struct partition_spec *spec = table_metadata_spec(reader->metadata, file->spec_id);
    bool may_be_null = reader->wanted[column]->type->nullable;
    if (file->partitions == NULL && may_be_null) {
        column_builder_null(builder);
        return;
    }
    column_builder_list_begin(builder);
    struct column_builder *row = column_builder_child(builder, 0);
    uint32_t count = file->partitions != NULL && spec != NULL ? file->partition_count : 0;
    for (uint32_t i = 0; i < count && i < spec->field_count; i++) {
        const struct manifest_field_summary *summary = &file->partitions[i];
        struct column_builder *nan = column_builder_child(row, 1);
        column_builder_bool(column_builder_child(row, 0), summary->contains_null);
        if (summary->contains_nan == MANIFEST_NONE && !may_be_null) {
            column_builder_null(nan);
        } else {
            column_builder_bool(nan, summary->contains_nan == 1);
        }
        put_bound(reader, column_builder_child(row, 2), &spec->fields[i], summary->lower);
        put_bound(reader, column_builder_child(row, 3), &spec->fields[i], summary->upper);
        column_builder_row(row);
    }
    column_builder_list_end(builder);
}

// A count of one kind of files; the other kind's manifests have none of them.
static void put_count(struct metadata_table_reader *reader, uint32_t column, bool is_ours,
                      int64_t count)
{
    bool may_be_null = reader->wanted[column]->type->nullable;
    if (is_ours && count == MANIFEST_NONE && may_be_null) {
        column_builder_null(reader->builders[column]);
    } else {
        column_builder_i64(reader->builders[column], is_ours && count > 0 ? count : 0);
    }
}

static void put_manifest(struct metadata_table_reader *reader, uint32_t column,
                         const struct manifest_file *file, int64_t snapshot_id)
{
    struct column_builder *builder = reader->builders[column];
    bool has_data = file->content == MANIFEST_DATA;
    switch ((int)reader->wanted[column]->what) {
    case WHAT_CONTENT: column_builder_i64(builder, file->content); break;
    case WHAT_PATH: column_builder_string(builder, file->path); break;
    case WHAT_LENGTH: column_builder_i64(builder, file->length); break;
    case WHAT_SPEC_ID: column_builder_i64(builder, file->spec_id); break;
    case WHAT_ADDED_SNAPSHOT_ID: column_builder_i64(builder, file->snapshot_id); break;
    case WHAT_ADDED_DATA_FILES: put_count(reader, column, has_data, file->added_files); break;
    case WHAT_EXISTING_DATA_FILES: put_count(reader, column, has_data, file->existing_files); break;
    case WHAT_DELETED_DATA_FILES: put_count(reader, column, has_data, file->deleted_files); break;
    case WHAT_ADDED_DELETE_FILES: put_count(reader, column, !has_data, file->added_files); break;
    case WHAT_EXISTING_DELETE_FILES:
        put_count(reader, column, !has_data, file->existing_files);
        break;
    case WHAT_DELETED_DELETE_FILES:
        put_count(reader, column, !has_data, file->deleted_files);
        break;
    case WHAT_SUMMARIES: put_summaries(reader, column, file); break;
    case WHAT_REFERENCE_SNAPSHOT_ID: column_builder_i64(builder, snapshot_id); break;
    default: metadata_table_put_text(builder, file->key_metadata); break;
    }
}

// The next manifest of the snapshot's list, or of all lists; END.
static enum status next_manifest(struct metadata_table_reader *reader, int64_t *snapshot_id,
                                 struct err *err)
{
    const struct table_metadata *metadata = reader->metadata;
    bool all = reader->options.kind == METADATA_ALL_MANIFESTS;
    while (reader->list_at == reader->list_count) {
        const struct table_snapshot *snapshot =
            all ? &metadata->snapshots[reader->next] : reader->snapshot;
        if (reader->next >= (all ? metadata->snapshot_count : 1) || snapshot == NULL) {
            return STATUS_END;
        }
        reader->next++;
        arena_reset(&reader->list_arena);
        reader->list_at = 0;
        TRY(iceberg_table_read_list(reader->options.table, &reader->list_arena, snapshot,
                                    &reader->list, &reader->list_count, err));
    }
    *snapshot_id = all ? metadata->snapshots[reader->next - 1].snapshot_id : 0;
    reader->list_at++;
    return STATUS_OK;
}

static enum status manifest_row(struct metadata_table_reader *reader, struct err *err)
{
    int64_t snapshot_id;
    TRY(next_manifest(reader, &snapshot_id, err));
    for (uint32_t i = 0; i < reader->options.column_count; i++) {
        put_manifest(reader, i, &reader->list[reader->list_at - 1], snapshot_id);
    }
    return STATUS_OK;
}

// ----------------------------------------------------------------------------------------------

static uint32_t count_rows(const struct metadata_table_reader *reader)
{
    const struct table_metadata *metadata = reader->metadata;
    switch ((int)reader->options.kind) {
    case METADATA_HISTORY: return metadata->snapshot_log_count;
    case METADATA_METADATA_LOG_ENTRIES: return metadata->metadata_log_count + 1;
    case METADATA_SNAPSHOTS: return metadata->snapshot_count;
    case METADATA_REFS: return metadata->ref_count;
    default: return metadata->property_count;
    }
}

static void put_property(struct metadata_table_reader *reader, uint32_t column,
                         const struct table_property *property)
{
    column_builder_string(reader->builders[column], reader->wanted[column]->what == WHAT_KEY
                                                        ? property->key
                                                        : property->value);
}

enum status metadata_table_row(struct metadata_table_reader *reader, struct err *err)
{
    const struct table_metadata *metadata = reader->metadata;
    enum metadata_table_kind kind = reader->options.kind;
    if (kind == METADATA_MANIFESTS || kind == METADATA_ALL_MANIFESTS) {
        return manifest_row(reader, err);
    }
    uint32_t row = reader->next;
    if (row >= count_rows(reader)) {
        return STATUS_END;
    }
    if (kind == METADATA_HISTORY && row == 0) {
        find_ancestors(reader);
    }
    reader->next++;
    const struct table_metadata_log newest = {metadata->last_updated_ms,
                                              reader->options.table->location};
    for (uint32_t i = 0; i < reader->options.column_count; i++) {
        switch ((int)kind) {
        case METADATA_HISTORY: put_history(reader, i, &metadata->snapshot_log[row]); break;
        case METADATA_METADATA_LOG_ENTRIES:
            put_log_entry(reader, i,
                          row < metadata->metadata_log_count ? &metadata->metadata_log[row]
                                                             : &newest);
            break;
        case METADATA_SNAPSHOTS: put_snapshot(reader, i, &metadata->snapshots[row]); break;
        case METADATA_REFS: put_ref(reader, i, &metadata->refs[row]); break;
        default: put_property(reader, i, &metadata->properties[row]); break;
        }
    }
    return STATUS_OK;
}
