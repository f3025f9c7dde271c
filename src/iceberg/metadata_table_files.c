// SPDX-License-Identifier: Apache-2.0
//
// Metadata tables over what manifests hold: entries, files, partitions.
#include <string.h>

#include "base/budget.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "iceberg/metadata_table_int.h"
#include "store/store.h"

enum { KEY_BYTES_MAX = 1 << 20, US_PER_MS = 1000 };

static bool is_over_all(enum metadata_table_kind kind)
{
    return kind == METADATA_ALL_FILES || kind == METADATA_ALL_DATA_FILES ||
           kind == METADATA_ALL_DELETE_FILES || kind == METADATA_ALL_ENTRIES;
}

static bool is_of_entries(enum metadata_table_kind kind)
{
    return kind == METADATA_ENTRIES || kind == METADATA_ALL_ENTRIES;
}

static bool wants_manifest(enum metadata_table_kind kind, const struct manifest_file *file)
{
    bool only_data = kind == METADATA_DATA_FILES || kind == METADATA_ALL_DATA_FILES;
    bool only_deletes = kind == METADATA_DELETE_FILES || kind == METADATA_ALL_DELETE_FILES ||
                        kind == METADATA_POSITION_DELETES;
    return file->content == MANIFEST_DATA ? !only_deletes : !only_data;
}

// --- which manifests ---------------------------------------------------------------------------

// Indexes of a vector by the hash of what is there, open addressing; 0: free, else index + 1.
static uint32_t *find_slot(uint32_t *slots, uint32_t slot_count, uint64_t hash, uint32_t *at)
{
    *at = (*at == UINT32_MAX ? (uint32_t)hash : *at + 1) & (slot_count - 1);
    return &slots[*at];
}

// A row of a list with what its manifest is opened with; summaries are not needed.
static struct manifest_file keep_file(struct arena *arena, const struct manifest_file *file)
{
    struct manifest_file kept = *file;
    kept.path = arena_str(arena, file->path);
    kept.partitions = NULL;
    kept.partition_count = 0;
    kept.key_metadata = (struct str){0};
    return kept;
}

struct path_set {
    VEC(struct manifest_file) files;
    VEC(uint32_t) slots;
};

static bool add_path(struct path_set *set, struct arena *arena, const struct manifest_file *file)
{
    if ((set->files.count + 1) * 2 > set->slots.count) {
        uint32_t size = set->slots.count == 0 ? 64 : set->slots.count * 2;
        VEC_RESERVE(&set->slots, size);
        set->slots.count = size;
        memset(set->slots.items, 0, size * sizeof *set->slots.items);
        for (uint32_t i = 0; i < set->files.count; i++) {
            struct str path = set->files.items[i].path;
            uint64_t hash = hash_bytes(path.ptr, path.size, 0);
            uint32_t at = UINT32_MAX;
            uint32_t *slot;
            while (*(slot = find_slot(set->slots.items, size, hash, &at)) != 0) {
            }
            *slot = i + 1;
        }
    }
    uint64_t hash = hash_bytes(file->path.ptr, file->path.size, 0);
    uint32_t at = UINT32_MAX;
    uint32_t *slot;
    while (*(slot = find_slot(set->slots.items, set->slots.count, hash, &at)) != 0) {
        if (str_equal(set->files.items[*slot - 1].path, file->path)) {
            return false;
        }
    }
    *slot = set->files.count + 1;
    VEC_PUSH(&set->files, keep_file(arena, file));
    return true;
}

static enum status add_list(struct metadata_table_reader *reader, struct path_set *set,
                            const struct table_snapshot *snapshot, struct err *err)
{
    struct manifest_file *list;
    uint32_t count;
    struct arena arena;
    arena_init(&arena);
    enum status status =
        iceberg_table_read_list(reader->options.table, &arena, snapshot, &list, &count, err);
    for (uint32_t i = 0; status == STATUS_OK && i < count; i++) {
        if (wants_manifest(reader->options.kind, &list[i])) {
            add_path(set, &reader->list_arena, &list[i]);
        }
    }
    arena_release(&arena);
    return status;
}

static enum status find_manifests(struct metadata_table_reader *reader, struct err *err)
{
    const struct table_metadata *metadata = reader->metadata;
    struct path_set set = {0};
    enum status status = STATUS_OK;
    if (is_over_all(reader->options.kind)) {
        for (uint32_t i = 0; status == STATUS_OK && i < metadata->snapshot_count; i++) {
            status = add_list(reader, &set, &metadata->snapshots[i], err);
        }
    } else if (reader->snapshot != NULL) {
        status = add_list(reader, &set, reader->snapshot, err);
    }
    reader->list =
        arena_copy(&reader->list_arena, set.files.items, set.files.count * sizeof *set.files.items);
    reader->list_count = set.files.count;
    VEC_RELEASE(&set.files);
    VEC_RELEASE(&set.slots);
    return status;
}

enum status metadata_table_start_files(struct metadata_table_reader *reader, struct err *err)
{
    uint32_t fields = reader->all.partition != NULL ? reader->all.partition->field_count : 0;
    reader->partition_places = arena_new_array(&reader->arena, uint32_t, fields + 1);
    return find_manifests(reader, err);
}

// --- the open manifest -------------------------------------------------------------------------

static bool is_of_metrics(enum metadata_what what)
{
    return (what >= WHAT_COLUMN_SIZES && what <= WHAT_UPPER_BOUNDS) || what == WHAT_DATA_FILE ||
           what == WHAT_READABLE_METRICS;
}

static enum status open_manifest(struct metadata_table_reader *reader, struct err *err)
{
    static const int32_t no_metrics[1] = {0};
    const struct manifest_file *file = &reader->list[reader->list_at++];
    struct manifest_reader_options options = {
        .file = file,
        .spec = table_metadata_spec(reader->metadata, file->spec_id),
        .metric_ids = no_metrics,
        .with_deleted = is_of_entries(reader->options.kind),
        .cache = &reader->cache,
    };
    if (options.spec == NULL) {
        return ERR(err, STATUS_INVALID_DATA, "manifest %.*s: no partition spec %d",
                   STR_ARGS(file->path), file->spec_id);
    }
    for (uint32_t i = 0; i < reader->options.column_count; i++) {
        if (is_of_metrics(reader->wanted[i]->what)) {
            options.metric_ids = NULL; // all
        }
    }
    TRY(store_read(reader->options.table->place.store, file->path, TABLE_MANIFEST_BYTES_MAX,
                   &reader->bytes, err));
    TRY(manifest_reader_open(str_make(reader->bytes->ptr, reader->bytes->size), &options,
                             &reader->manifest, err));
    const struct partition_spec *spec = manifest_reader_spec(reader->manifest);
    const struct iceberg_type *partition = reader->all.partition;
    for (uint32_t i = 0; partition != NULL && i < partition->field_count; i++) {
        uint32_t at = 0;
        while (at < spec->field_count && spec->fields[at].field_id != partition->fields[i].id) {
            at++;
        }
        reader->partition_places[i] = at < spec->field_count ? at : UINT32_MAX;
    }
    return STATUS_OK;
}

static void close_manifest(struct metadata_table_reader *reader)
{
    manifest_reader_free(reader->manifest);
    reader->manifest = NULL;
    buf_unref(reader->bytes);
    reader->bytes = NULL;
}

enum status metadata_table_next_entry(struct metadata_table_reader *reader,
                                      struct manifest_entry *entry, struct err *err)
{
    for (;;) {
        if (reader->manifest == NULL) {
            if (reader->list_at == reader->list_count) {
                return STATUS_END;
            }
            TRY(open_manifest(reader, err));
        }
        enum status status = manifest_reader_next(reader->manifest, entry, err);
        if (status != STATUS_END) {
            return status;
        }
        close_manifest(reader);
    }
}

static struct iceberg_value partition_value(const struct metadata_table_reader *reader,
                                            const struct data_file *file, uint32_t field)
{
    uint32_t at = reader->partition_places[field];
    return at != UINT32_MAX ? file->partition[at] : (struct iceberg_value){.is_null = true};
}

// --- values ------------------------------------------------------------------------------------

static void put_partition(struct metadata_table_reader *reader, struct column_builder *builder,
                          const struct data_file *file)
{
    const struct iceberg_type *type = reader->all.partition;
    for (uint32_t i = 0; i < type->field_count; i++) {
        struct iceberg_value value = partition_value(reader, file, i);
        metadata_table_put(reader, column_builder_child(builder, i), type->fields[i].type, &value);
    }
    column_builder_row(builder);
}

static int64_t count_of(const struct data_file_metric *metric, enum metadata_what what)
{
    switch ((int)what) {
    case WHAT_COLUMN_SIZES: return metric->size;
    case WHAT_VALUE_COUNTS: return metric->value_count;
    case WHAT_NULL_COUNTS: return metric->null_count;
    default: return metric->nan_count;
    }
}

// A map of metrics: those columns that have the figure. NULL where the manifest has no such map.
static void put_metrics(struct column_builder *builder, const struct data_file *file,
                        enum metadata_what what)
{
    static const uint8_t bits[] = {DATA_FILE_COLUMN_SIZES, DATA_FILE_VALUE_COUNTS,
                                   DATA_FILE_NULL_COUNTS,  DATA_FILE_NAN_COUNTS,
                                   DATA_FILE_LOWER_BOUNDS, DATA_FILE_UPPER_BOUNDS};
    bool is_bound = what == WHAT_LOWER_BOUNDS || what == WHAT_UPPER_BOUNDS;
    if ((file->metric_maps & bits[what - WHAT_COLUMN_SIZES]) == 0) {
        column_builder_null(builder);
        return;
    }
    struct column_builder *keys = column_builder_child(builder, 0);
    struct column_builder *values = column_builder_child(builder, 1);
    column_builder_list_begin(builder);
    for (uint32_t i = 0; i < file->metric_count; i++) {
        const struct data_file_metric *metric = &file->metrics[i];
        struct str bound = what == WHAT_LOWER_BOUNDS ? metric->lower : metric->upper;
        int64_t count = is_bound ? DATA_FILE_NONE : count_of(metric, what);
        if (is_bound && bound.ptr != NULL) {
            column_builder_i32(keys, metric->id);
            column_builder_string(values, bound);
        } else if (count != DATA_FILE_NONE) {
            column_builder_i32(keys, metric->id);
            column_builder_i64(values, count);
        }
    }
    column_builder_list_end(builder);
}

static void put_readable_bound(struct metadata_table_reader *reader, struct column_builder *builder,
                               const struct metadata_metric_column *column, struct str bytes)
{
    struct iceberg_value value;
    struct err ignored;
    if (column->is_raw) {
        metadata_table_put_text(builder, bytes);
        return;
    }
    bool is_known = bytes.ptr != NULL &&
                    iceberg_value_decode(column->type, bytes, &value, &ignored) == STATUS_OK;
    metadata_table_put(reader, builder, column->type, is_known ? &value : NULL);
}

static void put_readable(struct metadata_table_reader *reader, struct column_builder *builder,
                         const struct data_file *file)
{
    static const struct data_file_metric none = {.size = DATA_FILE_NONE,
                                                 .value_count = DATA_FILE_NONE,
                                                 .null_count = DATA_FILE_NONE,
                                                 .nan_count = DATA_FILE_NONE};
    for (uint32_t i = 0; i < reader->all.metric_count; i++) {
        const struct metadata_metric_column *column = &reader->all.metrics[i];
        const struct data_file_metric *metric = data_file_metric(file, column->id);
        struct column_builder *row = column_builder_child(builder, i);
        metric = metric != NULL ? metric : &none;
        metadata_table_put_known(column_builder_child(row, 0), metric->size);
        metadata_table_put_known(column_builder_child(row, 1), metric->value_count);
        metadata_table_put_known(column_builder_child(row, 2), metric->null_count);
        metadata_table_put_known(column_builder_child(row, 3), metric->nan_count);
        put_readable_bound(reader, column_builder_child(row, 4), column, metric->lower);
        put_readable_bound(reader, column_builder_child(row, 5), column, metric->upper);
        column_builder_row(row);
    }
    column_builder_row(builder);
}

static void put_split_offsets(struct column_builder *builder, const struct data_file *file)
{
    if (file->split_offset_count == 0) {
        column_builder_null(builder);
        return;
    }
    column_builder_list_begin(builder);
    for (uint32_t i = 0; i < file->split_offset_count; i++) {
        column_builder_i64(column_builder_child(builder, 0), file->split_offsets[i]);
    }
    column_builder_list_end(builder);
}

static void put_equality_ids(struct column_builder *builder, const struct data_file *file)
{
    if (file->equality_id_count == 0) {
        column_builder_null(builder);
        return;
    }
    column_builder_list_begin(builder);
    for (uint32_t i = 0; i < file->equality_id_count; i++) {
        column_builder_i32(column_builder_child(builder, 0), file->equality_ids[i]);
    }
    column_builder_list_end(builder);
}

// Java's name of a format: PARQUET, also where a writer spelled it otherwise.
static void put_format(struct metadata_table_reader *reader, struct column_builder *builder,
                       struct str format)
{
    char *upper = arena_copy(&reader->scratch, format.ptr, format.size + 1);
    for (size_t i = 0; i < format.size; i++) {
        upper[i] = (char)(format.ptr[i] >= 'a' && format.ptr[i] <= 'z' ? format.ptr[i] - 'a' + 'A'
                                                                       : format.ptr[i]);
    }
    column_builder_string(builder, str_make(upper, format.size));
}

void metadata_table_put_file(struct metadata_table_reader *reader, struct column_builder *builder,
                             enum metadata_what what, const struct data_file *file)
{
    switch ((int)what) {
    case WHAT_CONTENT: column_builder_i64(builder, file->content); break;
    case WHAT_PATH: column_builder_string(builder, file->path); break;
    case WHAT_FILE_FORMAT: put_format(reader, builder, file->format); break;
    case WHAT_SPEC_ID: column_builder_i64(builder, file->spec_id); break;
    case WHAT_PARTITION: put_partition(reader, builder, file); break;
    case WHAT_RECORD_COUNT: column_builder_i64(builder, file->record_count); break;
    case WHAT_FILE_SIZE: column_builder_i64(builder, file->file_size); break;
    case WHAT_COLUMN_SIZES:
    case WHAT_VALUE_COUNTS:
    case WHAT_NULL_COUNTS:
    case WHAT_NAN_COUNTS:
    case WHAT_LOWER_BOUNDS:
    case WHAT_UPPER_BOUNDS: put_metrics(builder, file, what); break;
    case WHAT_KEY_METADATA: metadata_table_put_text(builder, file->key_metadata); break;
    case WHAT_SPLIT_OFFSETS: put_split_offsets(builder, file); break;
    case WHAT_EQUALITY_IDS: put_equality_ids(builder, file); break;
    case WHAT_SORT_ORDER_ID: metadata_table_put_known(builder, file->sort_order_id); break;
    case WHAT_FIRST_ROW_ID: metadata_table_put_known(builder, file->first_row_id); break;
    case WHAT_REFERENCED_DATA_FILE:
        metadata_table_put_text(builder, file->referenced_data_file);
        break;
    case WHAT_CONTENT_OFFSET: metadata_table_put_known(builder, file->content_offset); break;
    case WHAT_CONTENT_SIZE: metadata_table_put_known(builder, file->content_size); break;
    default: put_readable(reader, builder, file); break;
    }
}

static void put_entry(struct metadata_table_reader *reader, uint32_t column,
                      const struct manifest_entry *entry)
{
    struct column_builder *builder = reader->builders[column];
    switch ((int)reader->wanted[column]->what) {
    case WHAT_STATUS: column_builder_i64(builder, entry->status); break;
    case WHAT_SNAPSHOT_ID: metadata_table_put_known(builder, entry->snapshot_id); break;
    case WHAT_SEQUENCE_NUMBER: metadata_table_put_known(builder, entry->sequence_number); break;
    case WHAT_FILE_SEQUENCE_NUMBER:
        metadata_table_put_known(builder, entry->file_sequence_number);
        break;
    case WHAT_DATA_FILE:
        for (uint32_t i = 0; i < reader->all.file_count; i++) {
            metadata_table_put_file(reader, column_builder_child(builder, i),
                                    reader->all.file[i].what, &entry->file);
        }
        column_builder_row(builder);
        break;
    default: put_readable(reader, builder, &entry->file); break;
    }
}

// --- partitions --------------------------------------------------------------------------------

static struct str partition_key(struct metadata_table_reader *reader, const struct data_file *file)
{
    const struct iceberg_type *type = reader->all.partition;
    struct strbuf key;
    strbuf_init(&key, KEY_BYTES_MAX);
    for (uint32_t i = 0; type != NULL && i < type->field_count; i++) {
        struct iceberg_value value = partition_value(reader, file, i);
        iceberg_value_add_key(&key, type->fields[i].type, &value);
    }
    struct str out = arena_str(&reader->scratch, strbuf_str(&key));
    strbuf_release(&key);
    return out;
}

static void grow_slots(struct metadata_table_reader *reader)
{
    uint32_t size = reader->slots.count == 0 ? 64 : reader->slots.count * 2;
    VEC_RESERVE(&reader->slots, size);
    reader->slots.count = size;
    memset(reader->slots.items, 0, size * sizeof *reader->slots.items);
    for (uint32_t i = 0; i < reader->partitions.count; i++) {
        struct str key = reader->partitions.items[i].key;
        uint32_t at = UINT32_MAX;
        uint32_t *slot;
        while (*(slot = find_slot(reader->slots.items, size, hash_bytes(key.ptr, key.size, 0),
                                  &at)) != 0) {
        }
        *slot = i + 1;
    }
}

static enum status new_partition(struct metadata_table_reader *reader, struct str key,
                                 const struct data_file *file, struct err *err)
{
    const struct iceberg_type *type = reader->all.partition;
    uint32_t fields = type != NULL ? type->field_count : 0;
    size_t size = sizeof(struct metadata_partition) * 2 + 16 + key.size * 2 +
                  fields * sizeof(struct iceberg_value);
    if (reader->options.budget != NULL && !budget_take(reader->options.budget, size)) {
        return ERR(err, STATUS_LIMIT, "the table's %u partitions do not fit into memory",
                   reader->partitions.count);
    }
    reader->taken += reader->options.budget != NULL ? size : 0;
    struct iceberg_value *values =
        arena_new_array(&reader->arena, struct iceberg_value, fields + 1);
    for (uint32_t i = 0; i < fields; i++) {
        struct iceberg_value value = partition_value(reader, file, i);
        values[i] = value.is_null
                        ? value
                        : iceberg_value_copy(&reader->arena, type->fields[i].type, &value);
    }
    VEC_PUSH(&reader->partitions, ((struct metadata_partition){
                                      .key = arena_str(&reader->arena, key),
                                      .values = values,
                                      .updated_at_us = INT64_MIN,
                                  }));
    return STATUS_OK;
}

static enum status find_partition(struct metadata_table_reader *reader,
                                  const struct data_file *file, struct metadata_partition **out,
                                  struct err *err)
{
    struct str key = partition_key(reader, file);
    uint64_t hash = hash_bytes(key.ptr, key.size, 0);
    if ((reader->partitions.count + 1) * 2 > reader->slots.count) {
        grow_slots(reader);
    }
    uint32_t at = UINT32_MAX;
    uint32_t *slot;
    while (*(slot = find_slot(reader->slots.items, reader->slots.count, hash, &at)) != 0) {
        *out = &reader->partitions.items[*slot - 1];
        if (str_equal((*out)->key, key)) {
            return STATUS_OK;
        }
    }
    TRY(new_partition(reader, key, file, err));
    *slot = reader->partitions.count;
    *out = &reader->partitions.items[*slot - 1];
    return STATUS_OK;
}

static void count_file(struct metadata_partition *partition, const struct data_file *file)
{
    switch (file->content) {
    case DATA_FILE_DATA:
        partition->records += file->record_count;
        partition->files++;
        partition->size += file->file_size;
        break;
    case DATA_FILE_POSITION_DELETES:
        partition->position_records += file->record_count;
        partition->position_files++;
        break;
    case DATA_FILE_EQUALITY_DELETES:
        partition->equality_records += file->record_count;
        partition->equality_files++;
        break;
    }
}

static enum status collect(struct metadata_table_reader *reader, struct err *err)
{
    const struct table_snapshot *snapshot = NULL;
    struct manifest_entry entry;
    enum status status;
    while ((status = metadata_table_next_entry(reader, &entry, err)) == STATUS_OK) {
        struct metadata_partition *partition;
        arena_reset(&reader->scratch);
        TRY(find_partition(reader, &entry.file, &partition, err));
        if (snapshot == NULL || snapshot->snapshot_id != entry.snapshot_id) {
            snapshot = table_metadata_snapshot(reader->metadata, entry.snapshot_id);
        }
        if (snapshot != NULL && snapshot->timestamp_ms * US_PER_MS > partition->updated_at_us) {
            partition->updated_at_us = snapshot->timestamp_ms * US_PER_MS;
            partition->updated_by = snapshot->snapshot_id;
            partition->spec_id = entry.file.spec_id;
        }
        count_file(partition, &entry.file);
    }
    reader->is_collected = true;
    return status == STATUS_END ? STATUS_OK : status;
}

static void put_figures(struct metadata_table_reader *reader, uint32_t column,
                        const struct metadata_partition *partition)
{
    struct column_builder *builder = reader->builders[column];
    const struct iceberg_type *type = reader->all.partition;
    bool is_dated = partition->updated_at_us != INT64_MIN;
    switch ((int)reader->wanted[column]->what) {
    case WHAT_PARTITION:
        for (uint32_t i = 0; i < type->field_count; i++) {
            metadata_table_put(reader, column_builder_child(builder, i), type->fields[i].type,
                               &partition->values[i]);
        }
        column_builder_row(builder);
        break;
    case WHAT_SPEC_ID: column_builder_i64(builder, partition->spec_id); break;
    case WHAT_RECORD_COUNT: column_builder_i64(builder, partition->records); break;
    case WHAT_FILE_COUNT: column_builder_i64(builder, partition->files); break;
    case WHAT_TOTAL_SIZE: column_builder_i64(builder, partition->size); break;
    case WHAT_POSITION_RECORDS: column_builder_i64(builder, partition->position_records); break;
    case WHAT_POSITION_FILES: column_builder_i64(builder, partition->position_files); break;
    case WHAT_EQUALITY_RECORDS: column_builder_i64(builder, partition->equality_records); break;
    case WHAT_EQUALITY_FILES: column_builder_i64(builder, partition->equality_files); break;
    case WHAT_LAST_UPDATED_AT:
        if (is_dated) {
            column_builder_timestamp_us(builder, partition->updated_at_us);
        } else {
            column_builder_null(builder);
        }
        break;
    default:
        metadata_table_put_known(builder, is_dated ? partition->updated_by : TABLE_NONE);
        break;
    }
}

static enum status partition_row(struct metadata_table_reader *reader, struct err *err)
{
    if (!reader->is_collected) {
        TRY(collect(reader, err));
    }
    if (reader->next == reader->partitions.count) {
        return STATUS_END;
    }
    for (uint32_t i = 0; i < reader->options.column_count; i++) {
        put_figures(reader, i, &reader->partitions.items[reader->next]);
    }
    reader->next++;
    return STATUS_OK;
}

enum status metadata_table_file_row(struct metadata_table_reader *reader, struct err *err)
{
    struct manifest_entry entry;
    if (reader->options.kind == METADATA_PARTITIONS) {
        return partition_row(reader, err);
    }
    if (reader->options.kind == METADATA_POSITION_DELETES) {
        return metadata_table_position_row(reader, err);
    }
    TRY(metadata_table_next_entry(reader, &entry, err));
    for (uint32_t i = 0; i < reader->options.column_count; i++) {
        if (is_of_entries(reader->options.kind)) {
            put_entry(reader, i, &entry);
        } else {
            metadata_table_put_file(reader, reader->builders[i], reader->wanted[i]->what,
                                    &entry.file);
        }
    }
    return STATUS_OK;
}
