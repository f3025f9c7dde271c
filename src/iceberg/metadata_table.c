// SPDX-License-Identifier: Apache-2.0
#include "iceberg/metadata_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "data/type.h"
#include "iceberg/metadata_column.h"
#include "iceberg/metadata_table_int.h"

enum { ROWS_MAX = 1024, BYTES_MAX = 4 << 20, NAME_MAX = 1 << 16 };

static const char *const names[] = {
#define X(name, text) text,
    METADATA_TABLE_LIST(X)
#undef X
};

bool metadata_table_find(struct str name, enum metadata_table_kind *out)
{
    for (uint32_t i = 0; i < METADATA_TABLE_COUNT; i++) {
        if (str_is_nocase(name, names[i])) {
            *out = (enum metadata_table_kind)i;
            return true;
        }
    }
    return false;
}

const char *metadata_table_name(enum metadata_table_kind kind)
{
    return names[kind];
}

// --- columns -----------------------------------------------------------------------------------

enum shape {
    SHAPE_INT,
    SHAPE_LONG,
    SHAPE_STRING,
    SHAPE_BINARY,
    SHAPE_BOOLEAN,
    SHAPE_TIME, // a point in time
    SHAPE_COUNTS,
    SHAPE_BOUNDS,
    SHAPE_INTS,
    SHAPE_LONGS,
    SHAPE_TEXTS,
    SHAPE_SUMMARIES,
    SHAPE_PARTITION, // left out where there is none
    SHAPE_METRICS,
    SHAPE_FILE,
    SHAPE_ROW, // of the table
};

struct shaped {
    const char *name;
    bool required;
    enum shape shape;
    enum metadata_what what;
};

static const struct shaped history[] = {
    {"made_current_at", true, SHAPE_TIME, WHAT_MADE_CURRENT_AT},
    {"snapshot_id", true, SHAPE_LONG, WHAT_SNAPSHOT_ID},
    {"parent_id", false, SHAPE_LONG, WHAT_PARENT_ID},
    {"is_current_ancestor", true, SHAPE_BOOLEAN, WHAT_IS_CURRENT_ANCESTOR},
};

static const struct shaped log_entries[] = {
    {"timestamp", true, SHAPE_TIME, WHAT_TIMESTAMP},
    {"file", true, SHAPE_STRING, WHAT_FILE},
    {"latest_snapshot_id", false, SHAPE_LONG, WHAT_SNAPSHOT_ID},
    {"latest_schema_id", false, SHAPE_INT, WHAT_LATEST_SCHEMA_ID},
    {"latest_sequence_number", false, SHAPE_LONG, WHAT_LATEST_SEQUENCE_NUMBER},
};

static const struct shaped snapshots[] = {
    {"committed_at", true, SHAPE_TIME, WHAT_TIMESTAMP},
    {"snapshot_id", true, SHAPE_LONG, WHAT_SNAPSHOT_ID},
    {"parent_id", false, SHAPE_LONG, WHAT_PARENT_ID},
    {"operation", false, SHAPE_STRING, WHAT_OPERATION},
    {"manifest_list", false, SHAPE_STRING, WHAT_MANIFEST_LIST},
    {"summary", false, SHAPE_TEXTS, WHAT_SUMMARY},
};

static const struct shaped refs[] = {
    {"name", true, SHAPE_STRING, WHAT_NAME},
    {"type", true, SHAPE_STRING, WHAT_TYPE},
    {"snapshot_id", true, SHAPE_LONG, WHAT_SNAPSHOT_ID},
    {"max_reference_age_in_ms", false, SHAPE_LONG, WHAT_MAX_REF_AGE},
    {"min_snapshots_to_keep", false, SHAPE_INT, WHAT_MIN_SNAPSHOTS},
    {"max_snapshot_age_in_ms", false, SHAPE_LONG, WHAT_MAX_SNAPSHOT_AGE},
};

static const struct shaped properties[] = {
    {"key", true, SHAPE_STRING, WHAT_KEY},
    {"value", true, SHAPE_STRING, WHAT_VALUE},
};

// The required ones of `manifests`; all_manifests does not require ids and counts of data files,
// and has two columns more.
static const struct shaped manifests[] = {
    {"content", true, SHAPE_INT, WHAT_CONTENT},
    {"path", true, SHAPE_STRING, WHAT_PATH},
    {"length", true, SHAPE_LONG, WHAT_LENGTH},
    {"partition_spec_id", true, SHAPE_INT, WHAT_SPEC_ID},
    {"added_snapshot_id", true, SHAPE_LONG, WHAT_ADDED_SNAPSHOT_ID},
    {"added_data_files_count", true, SHAPE_INT, WHAT_ADDED_DATA_FILES},
    {"existing_data_files_count", true, SHAPE_INT, WHAT_EXISTING_DATA_FILES},
    {"deleted_data_files_count", true, SHAPE_INT, WHAT_DELETED_DATA_FILES},
    {"added_delete_files_count", true, SHAPE_INT, WHAT_ADDED_DELETE_FILES},
    {"existing_delete_files_count", true, SHAPE_INT, WHAT_EXISTING_DELETE_FILES},
    {"deleted_delete_files_count", true, SHAPE_INT, WHAT_DELETED_DELETE_FILES},
    {"partition_summaries", true, SHAPE_SUMMARIES, WHAT_SUMMARIES},
};

static const struct shaped all_manifests[] = {
    {"content", true, SHAPE_INT, WHAT_CONTENT},
    {"path", true, SHAPE_STRING, WHAT_PATH},
    {"length", true, SHAPE_LONG, WHAT_LENGTH},
    {"partition_spec_id", false, SHAPE_INT, WHAT_SPEC_ID},
    {"added_snapshot_id", false, SHAPE_LONG, WHAT_ADDED_SNAPSHOT_ID},
    {"added_data_files_count", false, SHAPE_INT, WHAT_ADDED_DATA_FILES},
    {"existing_data_files_count", false, SHAPE_INT, WHAT_EXISTING_DATA_FILES},
    {"deleted_data_files_count", false, SHAPE_INT, WHAT_DELETED_DATA_FILES},
    {"added_delete_files_count", true, SHAPE_INT, WHAT_ADDED_DELETE_FILES},
    {"existing_delete_files_count", true, SHAPE_INT, WHAT_EXISTING_DELETE_FILES},
    {"deleted_delete_files_count", true, SHAPE_INT, WHAT_DELETED_DELETE_FILES},
    {"partition_summaries", false, SHAPE_SUMMARIES, WHAT_SUMMARIES},
    {"reference_snapshot_id", true, SHAPE_LONG, WHAT_REFERENCE_SNAPSHOT_ID},
    {"key_metadata", false, SHAPE_BINARY, WHAT_KEY_METADATA},
};

static const struct shaped files[] = {
    {"content", false, SHAPE_INT, WHAT_CONTENT},
    {"file_path", true, SHAPE_STRING, WHAT_PATH},
    {"file_format", true, SHAPE_STRING, WHAT_FILE_FORMAT},
    {"spec_id", false, SHAPE_INT, WHAT_SPEC_ID},
    {"partition", true, SHAPE_PARTITION, WHAT_PARTITION},
    {"record_count", true, SHAPE_LONG, WHAT_RECORD_COUNT},
    {"file_size_in_bytes", true, SHAPE_LONG, WHAT_FILE_SIZE},
    {"column_sizes", false, SHAPE_COUNTS, WHAT_COLUMN_SIZES},
    {"value_counts", false, SHAPE_COUNTS, WHAT_VALUE_COUNTS},
    {"null_value_counts", false, SHAPE_COUNTS, WHAT_NULL_COUNTS},
    {"nan_value_counts", false, SHAPE_COUNTS, WHAT_NAN_COUNTS},
    {"lower_bounds", false, SHAPE_BOUNDS, WHAT_LOWER_BOUNDS},
    {"upper_bounds", false, SHAPE_BOUNDS, WHAT_UPPER_BOUNDS},
    {"key_metadata", false, SHAPE_BINARY, WHAT_KEY_METADATA},
    {"split_offsets", false, SHAPE_LONGS, WHAT_SPLIT_OFFSETS},
    {"equality_ids", false, SHAPE_INTS, WHAT_EQUALITY_IDS},
    {"sort_order_id", false, SHAPE_INT, WHAT_SORT_ORDER_ID},
    {"first_row_id", false, SHAPE_LONG, WHAT_FIRST_ROW_ID},
    {"referenced_data_file", false, SHAPE_STRING, WHAT_REFERENCED_DATA_FILE},
    {"content_offset", false, SHAPE_LONG, WHAT_CONTENT_OFFSET},
    {"content_size_in_bytes", false, SHAPE_LONG, WHAT_CONTENT_SIZE},
    {"readable_metrics", false, SHAPE_METRICS, WHAT_READABLE_METRICS},
};

static const struct shaped entries[] = {
    {"status", true, SHAPE_INT, WHAT_STATUS},
    {"snapshot_id", false, SHAPE_LONG, WHAT_SNAPSHOT_ID},
    {"sequence_number", false, SHAPE_LONG, WHAT_SEQUENCE_NUMBER},
    {"file_sequence_number", false, SHAPE_LONG, WHAT_FILE_SEQUENCE_NUMBER},
    {"data_file", true, SHAPE_FILE, WHAT_DATA_FILE},
    {"readable_metrics", false, SHAPE_METRICS, WHAT_READABLE_METRICS},
};

static const struct shaped partitions[] = {
    {"partition", true, SHAPE_PARTITION, WHAT_PARTITION},
    {"spec_id", true, SHAPE_INT, WHAT_SPEC_ID},
    {"record_count", true, SHAPE_LONG, WHAT_RECORD_COUNT},
    {"file_count", true, SHAPE_INT, WHAT_FILE_COUNT},
    {"total_data_file_size_in_bytes", true, SHAPE_LONG, WHAT_TOTAL_SIZE},
    {"position_delete_record_count", true, SHAPE_LONG, WHAT_POSITION_RECORDS},
    {"position_delete_file_count", true, SHAPE_INT, WHAT_POSITION_FILES},
    {"equality_delete_record_count", true, SHAPE_LONG, WHAT_EQUALITY_RECORDS},
    {"equality_delete_file_count", true, SHAPE_INT, WHAT_EQUALITY_FILES},
    {"last_updated_at", false, SHAPE_TIME, WHAT_LAST_UPDATED_AT},
    {"last_updated_snapshot_id", false, SHAPE_LONG, WHAT_LAST_UPDATED_SNAPSHOT_ID},
};

// The last two in v3 alone.
static const struct shaped position_deletes[] = {
    {"file_path", true, SHAPE_STRING, WHAT_DELETED_PATH},
    {"pos", true, SHAPE_LONG, WHAT_DELETED_POSITION},
    {"row", false, SHAPE_ROW, WHAT_DELETED_ROW},
    {"partition", true, SHAPE_PARTITION, WHAT_PARTITION},
    {"spec_id", true, SHAPE_INT, WHAT_SPEC_ID},
    {"delete_file_path", true, SHAPE_STRING, WHAT_PATH},
    {"content_offset", false, SHAPE_LONG, WHAT_CONTENT_OFFSET},
    {"content_size_in_bytes", false, SHAPE_LONG, WHAT_CONTENT_SIZE},
};

#define SHAPED(array) ((struct shaped_list){array, sizeof(array) / sizeof(array)[0]})

struct shaped_list {
    const struct shaped *items;
    size_t count;
};

static struct shaped_list shaped_of(enum metadata_table_kind kind)
{
    switch (kind) {
    case METADATA_HISTORY: return SHAPED(history);
    case METADATA_METADATA_LOG_ENTRIES: return SHAPED(log_entries);
    case METADATA_SNAPSHOTS: return SHAPED(snapshots);
    case METADATA_REFS: return SHAPED(refs);
    case METADATA_PROPERTIES: return SHAPED(properties);
    case METADATA_MANIFESTS: return SHAPED(manifests);
    case METADATA_ALL_MANIFESTS: return SHAPED(all_manifests);
    case METADATA_PARTITIONS: return SHAPED(partitions);
    case METADATA_ENTRIES:
    case METADATA_ALL_ENTRIES: return SHAPED(entries);
    case METADATA_FILES:
    case METADATA_DATA_FILES:
    case METADATA_DELETE_FILES:
    case METADATA_ALL_FILES:
    case METADATA_ALL_DATA_FILES:
    case METADATA_ALL_DELETE_FILES: break;
    case METADATA_POSITION_DELETES: return SHAPED(position_deletes);
    }
    return SHAPED(files);
}

static const struct iceberg_type *map_type(struct arena *arena, enum iceberg_kind key,
                                           enum iceberg_kind value)
{
    static const int32_t ids[2] = {0, 0};
    return iceberg_type_map(arena, ids, true, iceberg_type_simple(key), iceberg_type_simple(value));
}

static const struct iceberg_type *summaries_type(struct arena *arena, bool all)
{
    const struct iceberg_field fields[] = {
        {.name = STR_LIT("contains_null"),
         .required = true,
         .type = iceberg_type_simple(ICEBERG_BOOLEAN)},
        {.name = STR_LIT("contains_nan"),
         .required = all,
         .type = iceberg_type_simple(ICEBERG_BOOLEAN)},
        {.name = STR_LIT("lower_bound"), .type = iceberg_type_simple(ICEBERG_STRING)},
        {.name = STR_LIT("upper_bound"), .type = iceberg_type_simple(ICEBERG_STRING)},
    };
    return iceberg_type_list(arena, 0, true, iceberg_type_struct(arena, fields, 4));
}

static const struct iceberg_type *metrics_type(struct arena *arena,
                                               const struct metadata_table_columns *columns)
{
    struct iceberg_field *outer =
        arena_new_array(arena, struct iceberg_field, columns->metric_count + 1);
    for (uint32_t i = 0; i < columns->metric_count; i++) {
        const struct metadata_metric_column *metric = &columns->metrics[i];
        const struct iceberg_type *bound =
            metric->is_raw ? iceberg_type_simple(ICEBERG_BINARY) : metric->type;
        const struct iceberg_type *count = iceberg_type_simple(ICEBERG_LONG);
        const struct iceberg_field fields[] = {
            {.name = STR_LIT("column_size"), .type = count},
            {.name = STR_LIT("value_count"), .type = count},
            {.name = STR_LIT("null_value_count"), .type = count},
            {.name = STR_LIT("nan_value_count"), .type = count},
            {.name = STR_LIT("lower_bound"), .type = bound},
            {.name = STR_LIT("upper_bound"), .type = bound},
        };
        outer[i].name = metric->name;
        outer[i].type = iceberg_type_struct(arena, fields, 6);
    }
    return iceberg_type_struct(arena, outer, columns->metric_count);
}

static const struct iceberg_type *type_of(struct arena *arena,
                                          const struct metadata_table_columns *columns,
                                          const struct shaped *shaped)
{
    switch (shaped->shape) {
    case SHAPE_INT: return iceberg_type_simple(ICEBERG_INT);
    case SHAPE_LONG: return iceberg_type_simple(ICEBERG_LONG);
    case SHAPE_STRING: return iceberg_type_simple(ICEBERG_STRING);
    case SHAPE_BINARY: return iceberg_type_simple(ICEBERG_BINARY);
    case SHAPE_BOOLEAN: return iceberg_type_simple(ICEBERG_BOOLEAN);
    case SHAPE_TIME: return iceberg_type_simple(ICEBERG_TIMESTAMPTZ);
    case SHAPE_COUNTS: return map_type(arena, ICEBERG_INT, ICEBERG_LONG);
    case SHAPE_BOUNDS: return map_type(arena, ICEBERG_INT, ICEBERG_BINARY);
    case SHAPE_TEXTS: return map_type(arena, ICEBERG_STRING, ICEBERG_STRING);
    case SHAPE_INTS: return iceberg_type_list(arena, 0, true, iceberg_type_simple(ICEBERG_INT));
    case SHAPE_LONGS: return iceberg_type_list(arena, 0, true, iceberg_type_simple(ICEBERG_LONG));
    case SHAPE_SUMMARIES: return summaries_type(arena, !shaped->required);
    case SHAPE_PARTITION: return columns->partition;
    case SHAPE_METRICS: return metrics_type(arena, columns);
    case SHAPE_ROW: return columns->row;
    case SHAPE_FILE: break;
    }
    struct iceberg_field *fields =
        arena_new_array(arena, struct iceberg_field, sizeof files / sizeof *files + 1);
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (files[i].shape != SHAPE_METRICS &&
            (files[i].shape != SHAPE_PARTITION || columns->partition != NULL)) {
            fields[count++] = (struct iceberg_field){.name = str_from(files[i].name),
                                                     .required = files[i].required,
                                                     .type = type_of(arena, columns, &files[i])};
        }
    }
    return iceberg_type_struct(arena, fields, count);
}

static int compare_metrics(const void *a, const void *b)
{
    return str_compare(((const struct metadata_metric_column *)a)->name,
                       ((const struct metadata_metric_column *)b)->name);
}

// Every primitive column at any depth, sorted by path.
static void find_metrics(struct arena *arena, const struct table_metadata *metadata,
                         struct metadata_table_columns *out)
{
    const struct table_schema *schema = table_metadata_current_schema(metadata);
    struct metadata_metric_column *metrics =
        arena_new_array(arena, struct metadata_metric_column, schema->entry_count + 1);
    struct strbuf path;
    strbuf_init(&path, NAME_MAX);
    for (uint32_t i = 0; i < schema->entry_count; i++) {
        const struct table_schema_entry *entry = &schema->entries[i];
        const struct type *sql;
        struct err ignored;
        if (!iceberg_type_is_primitive(entry->field->type)) {
            continue;
        }
        strbuf_reset(&path);
        table_schema_path(&path, schema, entry);
        metrics[out->metric_count++] = (struct metadata_metric_column){
            .id = entry->id,
            .name = arena_str(arena, strbuf_str(&path)),
            .type = entry->field->type,
            .is_raw =
                iceberg_type_to_sql(arena, entry->field->type, false, &sql, &ignored) != STATUS_OK};
    }
    strbuf_release(&path);
    if (out->metric_count > 0) {
        qsort(metrics, out->metric_count, sizeof *metrics, compare_metrics);
    }
    out->metrics = metrics;
}

static enum status make_columns(struct arena *arena, struct shaped_list list,
                                const struct metadata_table_columns *columns, bool is_file,
                                struct metadata_table_column **out, uint32_t *count,
                                struct err *err)
{
    *out = arena_new_array(arena, struct metadata_table_column, list.count);
    *count = 0;
    for (size_t i = 0; i < list.count; i++) {
        const struct shaped *shaped = &list.items[i];
        bool skips_metrics =
            shaped->shape == SHAPE_METRICS && (is_file || columns->metric_count == 0);
        if ((shaped->shape == SHAPE_PARTITION && columns->partition == NULL) || skips_metrics) {
            continue;
        }
        struct metadata_table_column *column = &(*out)[(*count)++];
        column->what = shaped->what;
        column->name = str_from(shaped->name);
        TRY(iceberg_type_to_sql(arena, type_of(arena, columns, shaped), shaped->required,
                                &column->type, err));
    }
    return STATUS_OK;
}

enum status metadata_table_columns(struct arena *arena, const struct table_metadata *metadata,
                                   enum metadata_table_kind kind,
                                   struct metadata_table_columns *out, struct err *err)
{
    struct iceberg_field partition;
    struct metadata_table_column *items;
    struct metadata_table_column *file;
    *out = (struct metadata_table_columns){0};
    out->row = table_metadata_current_schema(metadata)->root;
    TRY(metadata_column_field(arena, metadata, ICEBERG_ID_PARTITION, &partition, err));
    if (partition.type->kind != ICEBERG_UNKNOWN) {
        out->partition = partition.type;
    }
    find_metrics(arena, metadata, out);
    TRY(make_columns(arena, SHAPED(files), out, true, &file, &out->file_count, err));
    TRY(make_columns(arena, shaped_of(kind), out, false, &items, &out->count, err));
    out->file = file;
    out->items = items;
    if (kind == METADATA_POSITION_DELETES && metadata->format_version < 3) {
        out->count -= 2;
    }
    // Without partitions, spec ids tell nothing.
    if (kind == METADATA_PARTITIONS && out->partition == NULL) {
        out->items = items + 1;
        out->count--;
    }
    return STATUS_OK;
}

enum status metadata_table_def(struct arena *arena, const struct table_metadata *metadata,
                               enum metadata_table_kind kind, const struct table_def *base,
                               const struct table_def **out, struct err *err)
{
    struct metadata_table_columns all;
    TRY(metadata_table_columns(arena, metadata, kind, &all, err));
    struct table_column *columns = arena_new_array(arena, struct table_column, all.count + 1);
    for (uint32_t i = 0; i < all.count; i++) {
        columns[i].name = all.items[i].name;
        columns[i].type = all.items[i].type;
    }
    struct table_def *def = arena_new(arena, struct table_def);
    *def = (struct table_def){
        .kind = TABLE_KIND_TABLE,
        .is_iceberg = true,
        .catalog_name = base->catalog_name,
        .database = base->database,
        .name = arena_printf(arena, "%.*s$%s", STR_ARGS(base->name), names[kind]),
        .metadata_table = str_from(names[kind]),
        .column_count = all.count,
        .columns = columns,
        .owner = base->owner,
        .version = base->version,
    };
    *out = def;
    return STATUS_OK;
}

// --- the reader --------------------------------------------------------------------------------

void metadata_table_put(struct metadata_table_reader *reader, struct column_builder *builder,
                        const struct iceberg_type *type, const struct iceberg_value *value)
{
    if (value == NULL || value->is_null) {
        column_builder_null(builder);
        return;
    }
    struct column column = iceberg_value_column(&reader->scratch, type, value, 1);
    column_builder_value(builder, &column, 0);
}

void metadata_table_put_known(struct column_builder *builder, int64_t value)
{
    if (value == -1) {
        column_builder_null(builder);
    } else {
        column_builder_i64(builder, value);
    }
}

void metadata_table_put_text(struct column_builder *builder, struct str text)
{
    if (text.ptr == NULL) {
        column_builder_null(builder);
    } else {
        column_builder_string(builder, text);
    }
}

static bool reads_files(enum metadata_table_kind kind)
{
    return shaped_of(kind).items == files || shaped_of(kind).items == entries ||
           shaped_of(kind).items == partitions || kind == METADATA_POSITION_DELETES;
}

static enum status start(struct metadata_table_reader *reader, struct err *err)
{
    const struct metadata_table_options *options = &reader->options;
    struct arena *arena = &reader->arena;
    const struct table_metadata *metadata = options->table->metadata;
    reader->metadata = metadata;
    TRY(metadata_table_columns(arena, metadata, options->kind, &reader->all, err));
    uint32_t count = options->column_count;
    reader->wanted = arena_new_array(arena, const struct metadata_table_column *, count + 1);
    reader->builders = arena_new_array(arena, struct column_builder *, count + 1);
    reader->columns = arena_new_array(arena, struct column, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = options->columns[i];
        if (at >= reader->all.count || !type_equal(reader->all.items[at].type, options->types[i])) {
            return ERR(err, STATUS_CONFLICT,
                       "the table's columns have changed meanwhile; try again");
        }
        reader->wanted[i] = &reader->all.items[at];
        reader->builders[i] = column_builder_new(arena, reader->wanted[i]->type, ROWS_MAX);
    }
    reader->snapshot = options->snapshot_id != 0
                           ? table_metadata_snapshot(metadata, options->snapshot_id)
                           : table_metadata_current(metadata);
    if (reader->snapshot == NULL && options->snapshot_id != 0) {
        return ERR(err, STATUS_NOT_FOUND, "there is no snapshot %lld",
                   (long long)options->snapshot_id);
    }
    return reads_files(options->kind) ? metadata_table_start_files(reader, err) : STATUS_OK;
}

enum status metadata_table_open(const struct metadata_table_options *options,
                                struct metadata_table_reader **out, struct err *err)
{
    struct metadata_table_reader *reader = mem_zalloc(sizeof *reader);
    *out = NULL;
    reader->options = *options;
    arena_init(&reader->arena);
    arena_init(&reader->scratch);
    arena_init(&reader->list_arena);
    enum status status = start(reader, err);
    if (status != STATUS_OK) {
        metadata_table_free(reader);
        return status;
    }
    *out = reader;
    return STATUS_OK;
}

void metadata_table_free(struct metadata_table_reader *reader)
{
    if (reader == NULL) {
        return;
    }
    metadata_table_positions_free(reader);
    manifest_reader_free(reader->manifest);
    buf_unref(reader->bytes);
    avro_schema_cache_release(&reader->cache);
    VEC_RELEASE(&reader->partitions);
    VEC_RELEASE(&reader->slots);
    if (reader->taken > 0) {
        budget_give(reader->options.budget, reader->taken);
    }
    arena_release(&reader->list_arena);
    arena_release(&reader->scratch);
    arena_release(&reader->arena);
    mem_free(reader);
}

enum status metadata_table_next(struct metadata_table_reader *reader, struct batch *out,
                                struct err *err)
{
    bool of_files = reads_files(reader->options.kind);
    uint32_t count = reader->options.column_count;
    uint32_t rows = 0;
    size_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        column_builder_reset(reader->builders[i]);
    }
    while (rows < ROWS_MAX && bytes < BYTES_MAX) {
        arena_reset(&reader->scratch);
        enum status status =
            of_files ? metadata_table_file_row(reader, err) : metadata_table_row(reader, err);
        if (status == STATUS_END) {
            break;
        }
        TRY(status);
        rows++;
        bytes = 0;
        for (uint32_t i = 0; i < count; i++) {
            bytes += column_builder_bytes(reader->builders[i]);
        }
    }
    if (rows == 0) {
        return STATUS_END;
    }
    for (uint32_t i = 0; i < count; i++) {
        reader->columns[i] = column_builder_finish(reader->builders[i]);
    }
    *out = (struct batch){.row_count = rows, .column_count = count, .columns = reader->columns};
    return STATUS_OK;
}
