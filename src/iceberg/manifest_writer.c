// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "codec/avro_writer.h"
#include "iceberg/manifest.h"
#include "iceberg/manifest_schema.h"
#include "iceberg/spec/partition_spec.h"
#include "iceberg/spec/table_schema.h"

enum { SCHEMA_SIZE_MAX = 64 << 20, META_COUNT = 6, BLOCK_SIZE_V1 = 64 << 20 };

struct field_stats {
    bool contains_null;
    bool contains_nan;
    bool has_bounds;
    struct iceberg_value lower;
    struct iceberg_value upper;
};

struct manifest_writer {
    struct manifest_writer_options options;
    struct arena arena; // schemas, and the bounds of partitions
    struct avro_writer avro;
    struct field_stats *fields;
    int64_t files[3]; // by status
    int64_t rows[3];
    int64_t min_sequence_number; // MANIFEST_NONE: all inherit
};

static uint32_t header(struct manifest_writer *writer, const struct iceberg_type *entry_type,
                       struct avro_meta metas[META_COUNT])
{
    const struct manifest_writer_options *options = &writer->options;
    struct strbuf text;
    uint32_t count = 0;
    strbuf_init(&text, SCHEMA_SIZE_MAX);
    table_schema_print(&text, options->schema);
    metas[count++] =
        (struct avro_meta){STR_LIT("schema"), arena_str(&writer->arena, strbuf_str(&text))};
    metas[count++] = (struct avro_meta){
        STR_LIT("format-version"), arena_printf(&writer->arena, "%d", options->format_version)};
    metas[count++] = (struct avro_meta){STR_LIT("partition-spec-id"),
                                        arena_printf(&writer->arena, "%d", options->spec->spec_id)};
    strbuf_reset(&text);
    manifest_schema_iceberg(&text, entry_type);
    metas[count++] =
        (struct avro_meta){STR_LIT("iceberg.schema"), arena_str(&writer->arena, strbuf_str(&text))};
    strbuf_reset(&text);
    partition_spec_print_fields(&text, options->spec);
    metas[count++] =
        (struct avro_meta){STR_LIT("partition-spec"), arena_str(&writer->arena, strbuf_str(&text))};
    if (options->format_version > 1) {
        metas[count++] = (struct avro_meta){STR_LIT("content"), options->content == MANIFEST_DATA
                                                                    ? STR_LIT("data")
                                                                    : STR_LIT("deletes")};
    }
    strbuf_release(&text);
    return count;
}

enum status manifest_writer_new(const struct manifest_writer_options *options,
                                struct manifest_writer **out, struct err *err)
{
    struct manifest_writer *writer = mem_zalloc(sizeof *writer);
    struct avro_meta metas[META_COUNT];
    struct strbuf avro;
    arena_init(&writer->arena);
    writer->options = *options;
    writer->min_sequence_number = MANIFEST_NONE;
    writer->fields =
        arena_new_array(&writer->arena, struct field_stats, options->spec->field_count + 1);
    const struct iceberg_type *partition = partition_spec_type(&writer->arena, options->spec);
    const struct iceberg_type *entry =
        manifest_schema_entry(&writer->arena, options->format_version, partition);
    strbuf_init(&avro, SCHEMA_SIZE_MAX);
    manifest_schema_avro(&avro, entry, "manifest_entry");
    struct avro_writer_options avro_options = {.schema = strbuf_str(&avro),
                                               .metas = metas,
                                               .meta_count = header(writer, entry, metas),
                                               .codec = options->codec,
                                               .level = options->level};
    memcpy(avro_options.sync, options->sync, sizeof avro_options.sync);
    avro_writer_init(&writer->avro, &avro_options);
    bool truncated = avro.truncated;
    strbuf_release(&avro);
    *out = writer;
    if (truncated) {
        manifest_writer_free(writer);
        *out = NULL;
        return ERR(err, STATUS_LIMIT, "a manifest schema of over %d bytes", SCHEMA_SIZE_MAX);
    }
    return STATUS_OK;
}

void manifest_writer_free(struct manifest_writer *writer)
{
    if (writer != NULL) {
        avro_writer_release(&writer->avro);
        arena_release(&writer->arena);
        mem_free(writer);
    }
}

static void put_optional_long(struct avro_writer *avro, int64_t value)
{
    avro_writer_present(avro, value != DATA_FILE_NONE);
    if (value != DATA_FILE_NONE) {
        avro_writer_long(avro, value);
    }
}

static void put_optional_bytes(struct avro_writer *avro, struct str bytes)
{
    avro_writer_present(avro, bytes.ptr != NULL);
    if (bytes.ptr != NULL) {
        avro_writer_bytes(avro, bytes);
    }
}

static void put_fixed_decimal(struct avro_writer *avro, const struct iceberg_type *type,
                              int128 value)
{
    unsigned char bytes[16];
    int32_t size = manifest_schema_decimal_bytes(type->precision);
    for (int32_t i = 0; i < size; i++) {
        bytes[i] = (unsigned char)(value >> (8 * (size - 1 - i)));
    }
    avro_writer_fixed(avro, str_make((const char *)bytes, (size_t)size));
}

static void put_value(struct avro_writer *avro, const struct iceberg_type *type,
                      const struct iceberg_value *value)
{
    avro_writer_present(avro, !value->is_null);
    if (value->is_null) {
        return;
    }
    switch (type->kind) {
    case ICEBERG_BOOLEAN: avro_writer_bool(avro, value->as.i64 != 0); break;
    case ICEBERG_FLOAT: avro_writer_float(avro, (float)value->as.f64); break;
    case ICEBERG_DOUBLE: avro_writer_double(avro, value->as.f64); break;
    case ICEBERG_DECIMAL: put_fixed_decimal(avro, type, value->as.i128); break;
    case ICEBERG_UUID:
    case ICEBERG_FIXED: avro_writer_fixed(avro, value->as.bytes); break;
    case ICEBERG_STRING:
    case ICEBERG_BINARY:
    case ICEBERG_VARIANT:
    case ICEBERG_GEOMETRY:
    case ICEBERG_GEOGRAPHY: avro_writer_bytes(avro, value->as.bytes); break;
    case ICEBERG_INT:
    case ICEBERG_LONG:
    case ICEBERG_DATE:
    case ICEBERG_TIME:
    case ICEBERG_TIMESTAMP:
    case ICEBERG_TIMESTAMPTZ:
    case ICEBERG_TIMESTAMP_NS:
    case ICEBERG_TIMESTAMPTZ_NS:
    case ICEBERG_UNKNOWN:
    case ICEBERG_STRUCT:
    case ICEBERG_LIST:
    case ICEBERG_MAP: avro_writer_long(avro, value->as.i64); break;
    }
}

static int64_t number_in(const struct data_file_metric *metric, int32_t map_id)
{
    return map_id == FIELD_COLUMN_SIZES   ? metric->size
           : map_id == FIELD_VALUE_COUNTS ? metric->value_count
           : map_id == FIELD_NULL_COUNTS  ? metric->null_count
                                          : metric->nan_count;
}

// One of the maps of numbers; null where no column has one.
static void put_numbers(struct avro_writer *avro, const struct data_file *file, int32_t map_id)
{
    int64_t count = 0;
    for (uint32_t i = 0; i < file->metric_count; i++) {
        count += number_in(&file->metrics[i], map_id) != DATA_FILE_NONE;
    }
    avro_writer_present(avro, count > 0);
    if (count == 0) {
        return;
    }
    avro_writer_long(avro, count);
    for (uint32_t i = 0; i < file->metric_count; i++) {
        int64_t number = number_in(&file->metrics[i], map_id);
        if (number != DATA_FILE_NONE) {
            avro_writer_long(avro, file->metrics[i].id);
            avro_writer_long(avro, number);
        }
    }
    avro_writer_long(avro, 0);
}

static void put_bounds(struct avro_writer *avro, const struct data_file *file, bool upper)
{
    int64_t count = 0;
    for (uint32_t i = 0; i < file->metric_count; i++) {
        count += (upper ? file->metrics[i].upper : file->metrics[i].lower).ptr != NULL;
    }
    avro_writer_present(avro, count > 0);
    if (count == 0) {
        return;
    }
    avro_writer_long(avro, count);
    for (uint32_t i = 0; i < file->metric_count; i++) {
        struct str bound = upper ? file->metrics[i].upper : file->metrics[i].lower;
        if (bound.ptr != NULL) {
            avro_writer_long(avro, file->metrics[i].id);
            avro_writer_bytes(avro, bound);
        }
    }
    avro_writer_long(avro, 0);
}

static void put_split_offsets(struct avro_writer *avro, const struct data_file *file)
{
    avro_writer_present(avro, file->split_offset_count > 0);
    if (file->split_offset_count > 0) {
        avro_writer_long(avro, file->split_offset_count);
        for (uint32_t i = 0; i < file->split_offset_count; i++) {
            avro_writer_long(avro, file->split_offsets[i]);
        }
        avro_writer_long(avro, 0);
    }
}

static void put_equality_ids(struct avro_writer *avro, const struct data_file *file)
{
    avro_writer_present(avro, file->equality_id_count > 0);
    if (file->equality_id_count > 0) {
        avro_writer_long(avro, file->equality_id_count);
        for (uint32_t i = 0; i < file->equality_id_count; i++) {
            avro_writer_long(avro, file->equality_ids[i]);
        }
        avro_writer_long(avro, 0);
    }
}

static void put_file(struct manifest_writer *writer, const struct data_file *file)
{
    struct avro_writer *avro = &writer->avro;
    const struct partition_spec *spec = writer->options.spec;
    int32_t version = writer->options.format_version;
    if (version > 1) {
        avro_writer_long(avro, file->content);
    }
    avro_writer_bytes(avro, file->path);
    avro_writer_bytes(avro, file->format);
    for (uint32_t i = 0; i < spec->field_count; i++) {
        put_value(avro, spec->fields[i].result, &file->partition[i]);
    }
    avro_writer_long(avro, file->record_count);
    avro_writer_long(avro, file->file_size);
    if (version == 1) {
        avro_writer_long(avro, BLOCK_SIZE_V1);
    }
    put_numbers(avro, file, FIELD_COLUMN_SIZES);
    put_numbers(avro, file, FIELD_VALUE_COUNTS);
    put_numbers(avro, file, FIELD_NULL_COUNTS);
    put_numbers(avro, file, FIELD_NAN_COUNTS);
    put_bounds(avro, file, false);
    put_bounds(avro, file, true);
    put_optional_bytes(avro, file->key_metadata);
    put_split_offsets(avro, file);
    if (version > 1) {
        put_equality_ids(avro, file);
    }
    put_optional_long(avro, file->sort_order_id);
    if (version >= 3) {
        put_optional_long(avro, file->first_row_id);
    }
    if (version > 1) {
        put_optional_bytes(avro, file->referenced_data_file);
    }
    if (version >= 3) {
        put_optional_long(avro, file->content_offset);
        put_optional_long(avro, file->content_size);
    }
}

static void note_partition(struct manifest_writer *writer, const struct data_file *file)
{
    const struct partition_spec *spec = writer->options.spec;
    for (uint32_t i = 0; i < spec->field_count; i++) {
        const struct iceberg_type *type = spec->fields[i].result;
        const struct iceberg_value *value = &file->partition[i];
        struct field_stats *stats = &writer->fields[i];
        if (value->is_null) {
            stats->contains_null = true;
        } else if (iceberg_value_is_nan(type, value)) {
            stats->contains_nan = true;
        } else {
            if (!stats->has_bounds || iceberg_value_compare(type, value, &stats->lower) < 0) {
                stats->lower = iceberg_value_copy(&writer->arena, type, value);
            }
            if (!stats->has_bounds || iceberg_value_compare(type, value, &stats->upper) > 0) {
                stats->upper = iceberg_value_copy(&writer->arena, type, value);
            }
            stats->has_bounds = true;
        }
    }
}

enum status manifest_writer_add(struct manifest_writer *writer, const struct manifest_entry *entry,
                                struct err *err)
{
    struct avro_writer *avro = &writer->avro;
    bool is_added = entry->status == MANIFEST_ADDED;
    int64_t snapshot_id =
        entry->status == MANIFEST_EXISTING ? entry->snapshot_id : writer->options.snapshot_id;
    if (!is_added && writer->options.format_version > 1 &&
        (entry->sequence_number == DATA_FILE_NONE ||
         entry->file_sequence_number == DATA_FILE_NONE)) {
        return ERR(err, STATUS_INVALID_DATA, "%.*s is not new and has no sequence number",
                   STR_ARGS(entry->file.path));
    }
    avro_writer_long(avro, entry->status);
    put_optional_long(avro, snapshot_id);
    if (writer->options.format_version > 1) {
        put_optional_long(avro, entry->sequence_number);
        put_optional_long(avro, is_added ? DATA_FILE_NONE : entry->file_sequence_number);
    }
    put_file(writer, &entry->file);
    writer->files[entry->status]++;
    writer->rows[entry->status] += entry->file.record_count;
    if (entry->status != MANIFEST_DELETED && entry->sequence_number != DATA_FILE_NONE &&
        (writer->min_sequence_number == MANIFEST_NONE ||
         entry->sequence_number < writer->min_sequence_number)) {
        writer->min_sequence_number = entry->sequence_number;
    }
    note_partition(writer, &entry->file);
    return avro_writer_row(avro, err);
}

uint64_t manifest_writer_size(const struct manifest_writer *writer)
{
    return avro_writer_size(&writer->avro);
}

static struct str keep(struct arena *arena, const struct iceberg_type *type,
                       const struct iceberg_value *value)
{
    return arena_str(arena, iceberg_value_encode(arena, type, value));
}

enum status manifest_writer_finish(struct manifest_writer *writer, struct arena *arena,
                                   struct str path, struct str *bytes, struct manifest_file *file,
                                   struct err *err)
{
    const struct partition_spec *spec = writer->options.spec;
    TRY(avro_writer_finish(&writer->avro, bytes, err));
    struct manifest_field_summary *summaries =
        arena_new_array(arena, struct manifest_field_summary, spec->field_count + 1);
    for (uint32_t i = 0; i < spec->field_count; i++) {
        const struct field_stats *stats = &writer->fields[i];
        summaries[i].contains_null = stats->contains_null;
        summaries[i].contains_nan = stats->contains_nan;
        if (stats->has_bounds) {
            summaries[i].lower = keep(arena, spec->fields[i].result, &stats->lower);
            summaries[i].upper = keep(arena, spec->fields[i].result, &stats->upper);
        }
    }
    *file = (struct manifest_file){
        .path = arena_str(arena, path),
        .length = (int64_t)bytes->size,
        .spec_id = spec->spec_id,
        .content = writer->options.content,
        .sequence_number = MANIFEST_NONE,
        .min_sequence_number = writer->min_sequence_number,
        .snapshot_id = writer->options.snapshot_id,
        .added_files = writer->files[MANIFEST_ADDED],
        .existing_files = writer->files[MANIFEST_EXISTING],
        .deleted_files = writer->files[MANIFEST_DELETED],
        .added_rows = writer->rows[MANIFEST_ADDED],
        .existing_rows = writer->rows[MANIFEST_EXISTING],
        .deleted_rows = writer->rows[MANIFEST_DELETED],
        .partition_count = spec->field_count,
        .partitions = summaries,
        .first_row_id = MANIFEST_NONE,
    };
    return STATUS_OK;
}
