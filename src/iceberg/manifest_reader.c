// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/vec.h"
#include "codec/avro_reader.h"
#include "iceberg/manifest.h"
#include "iceberg/manifest_schema.h"
#include "iceberg/spec/partition_spec.h"

// One item of one of the six maps.
struct item {
    int32_t id;
    int64_t number;
    struct str bytes;
};

struct manifest_reader {
    struct manifest_reader_options options;
    struct avro_reader *avro;
    struct arena arena;   // of the spec
    uint64_t entry_count; // read so far
    const struct partition_spec *spec;
    const struct avro_schema *entry; // the record of entries
    struct avro_cursor cursor;
    uint64_t rows; // left in the block
    int64_t next_row_id;
    // Scratch of one entry.
    struct iceberg_value *partition;
    VEC(struct data_file_metric) metrics;
    VEC(struct data_file_metric) merged;
    VEC(struct item) items;
    VEC(int64_t) split_offsets;
    VEC(int32_t) equality_ids;
};

static const struct {
    const char *name;
    int32_t id;
} names[] = {
    {"status", FIELD_STATUS},
    {"snapshot_id", FIELD_SNAPSHOT_ID},
    {"sequence_number", FIELD_SEQUENCE_NUMBER},
    {"file_sequence_number", FIELD_FILE_SEQUENCE_NUMBER},
    {"data_file", FIELD_DATA_FILE},
    {"content", FIELD_CONTENT},
    {"file_path", FIELD_PATH},
    {"file_format", FIELD_FORMAT},
    {"partition", FIELD_PARTITION},
    {"record_count", FIELD_RECORD_COUNT},
    {"file_size_in_bytes", FIELD_FILE_SIZE},
    {"column_sizes", FIELD_COLUMN_SIZES},
    {"value_counts", FIELD_VALUE_COUNTS},
    {"null_value_counts", FIELD_NULL_COUNTS},
    {"nan_value_counts", FIELD_NAN_COUNTS},
    {"lower_bounds", FIELD_LOWER_BOUNDS},
    {"upper_bounds", FIELD_UPPER_BOUNDS},
    {"key_metadata", FIELD_KEY_METADATA},
    {"split_offsets", FIELD_SPLIT_OFFSETS},
    {"equality_ids", FIELD_EQUALITY_IDS},
    {"sort_order_id", FIELD_SORT_ORDER_ID},
    {"first_row_id", FIELD_FIRST_ROW_ID},
    {"referenced_data_file", FIELD_REFERENCED_FILE},
    {"content_offset", FIELD_CONTENT_OFFSET},
    {"content_size_in_bytes", FIELD_CONTENT_SIZE},
};

static int32_t id_of(const struct avro_field *field)
{
    for (size_t i = 0; field->id == AVRO_NO_ID && i < sizeof names / sizeof *names; i++) {
        if (str_is(field->name, names[i].name)) {
            return names[i].id;
        }
    }
    return field->id;
}

static enum status strange(int32_t id, struct err *err)
{
    return ERR(err, STATUS_INVALID_DATA, "field %d has a strange value", id);
}

// What an Avro partition field holds, for a source column that is not known any more.
static const struct iceberg_type *type_of_avro(struct arena *arena,
                                               const struct avro_schema *schema)
{
    const struct avro_schema *value = avro_schema_value(schema);
    enum avro_kind kind = value != NULL ? value->kind : AVRO_STRING;
    if (value != NULL && value->logical == AVRO_LOGICAL_DECIMAL) {
        return iceberg_type_decimal(arena, value->precision, value->scale);
    }
    if (value != NULL && value->logical == AVRO_LOGICAL_DATE) {
        return iceberg_type_simple(ICEBERG_DATE);
    }
    return iceberg_type_simple(kind == AVRO_BOOLEAN                       ? ICEBERG_BOOLEAN
                               : kind == AVRO_INT                         ? ICEBERG_INT
                               : kind == AVRO_LONG                        ? ICEBERG_LONG
                               : kind == AVRO_FLOAT                       ? ICEBERG_FLOAT
                               : kind == AVRO_DOUBLE                      ? ICEBERG_DOUBLE
                               : kind == AVRO_BYTES || kind == AVRO_FIXED ? ICEBERG_BINARY
                                                                          : ICEBERG_STRING);
}

static const struct avro_schema *partition_record(const struct avro_schema *entry)
{
    for (uint32_t i = 0; i < entry->count; i++) {
        const struct avro_schema *file = avro_schema_value(entry->fields[i].schema);
        if (id_of(&entry->fields[i]) != FIELD_DATA_FILE || file == NULL ||
            file->kind != AVRO_RECORD) {
            continue;
        }
        for (uint32_t j = 0; j < file->count; j++) {
            const struct avro_schema *record = avro_schema_value(file->fields[j].schema);
            if (id_of(&file->fields[j]) == FIELD_PARTITION && record != NULL &&
                record->kind == AVRO_RECORD) {
                return record;
            }
        }
    }
    return NULL;
}

// Which field of the spec an Avro field is; UINT32_MAX: none of them.
static uint32_t spec_field_of(const struct partition_spec *spec, const struct avro_field *field)
{
    for (uint32_t i = 0; i < spec->field_count; i++) {
        if (field->id == AVRO_NO_ID ? str_equal(field->name, spec->fields[i].name)
                                    : field->id == spec->fields[i].field_id) {
            return i;
        }
    }
    return UINT32_MAX;
}

static void settle_spec(struct manifest_reader *reader)
{
    const struct partition_spec *given = reader->options.spec;
    const struct avro_schema *record = partition_record(reader->entry);
    struct partition_field *fields =
        arena_copy(&reader->arena, given->fields, given->field_count * sizeof *given->fields);
    for (uint32_t i = 0; record != NULL && i < record->count; i++) {
        uint32_t at = spec_field_of(given, &record->fields[i]);
        if (at != UINT32_MAX &&
            (fields[at].source == NULL || fields[at].transform.kind == TRANSFORM_UNKNOWN)) {
            fields[at].result = type_of_avro(&reader->arena, record->fields[i].schema);
        }
    }
    struct partition_spec *spec = arena_new(&reader->arena, struct partition_spec);
    *spec = (struct partition_spec){given->spec_id, given->field_count, fields};
    reader->spec = spec;
    reader->partition =
        arena_new_array(&reader->arena, struct iceberg_value, given->field_count + 1);
}

enum status manifest_reader_open(struct str bytes, const struct manifest_reader_options *options,
                                 struct manifest_reader **out, struct err *err)
{
    struct manifest_reader *reader = mem_zalloc(sizeof *reader);
    *out = NULL;
    reader->options = *options;
    reader->next_row_id = options->file->first_row_id;
    arena_init(&reader->arena);
    struct avro_reader_options avro_options = {
        .name = arena_printf(&reader->arena, "manifest %.*s", STR_ARGS(options->file->path)),
        .cache = options->cache};
    enum status status = avro_reader_open(bytes, &avro_options, &reader->avro, err);
    if (status == STATUS_OK) {
        reader->entry = avro_reader_schema(reader->avro);
        if (reader->entry->kind != AVRO_RECORD) {
            status = ERR(err, STATUS_INVALID_DATA, "%.*s: 'avro.schema' is of no records",
                         STR_ARGS(avro_options.name));
        }
    }
    if (status != STATUS_OK) {
        manifest_reader_free(reader);
        return status;
    }
    settle_spec(reader);
    *out = reader;
    return STATUS_OK;
}

void manifest_reader_free(struct manifest_reader *reader)
{
    if (reader == NULL) {
        return;
    }
    avro_reader_free(reader->avro);
    arena_release(&reader->arena);
    VEC_RELEASE(&reader->metrics);
    VEC_RELEASE(&reader->merged);
    VEC_RELEASE(&reader->items);
    VEC_RELEASE(&reader->split_offsets);
    VEC_RELEASE(&reader->equality_ids);
    mem_free(reader);
}

const struct partition_spec *manifest_reader_spec(const struct manifest_reader *reader)
{
    return reader->spec;
}

static bool wants_metrics(const struct manifest_reader *reader)
{
    return reader->options.metric_ids == NULL || reader->options.metric_id_count > 0;
}

static bool wants_metric(const struct manifest_reader *reader, int32_t id)
{
    if (reader->options.metric_ids == NULL) {
        return true;
    }
    for (uint32_t i = 0; i < reader->options.metric_id_count; i++) {
        if (reader->options.metric_ids[i] == id) {
            return true;
        }
    }
    return false;
}

static int compare_items(const void *a, const void *b)
{
    int32_t x = ((const struct item *)a)->id;
    int32_t y = ((const struct item *)b)->id;
    return x < y ? -1 : x > y;
}

static void put_item(struct data_file_metric *metric, int32_t map_id, const struct item *item)
{
    switch (map_id) {
    case FIELD_COLUMN_SIZES: metric->size = item->number; break;
    case FIELD_VALUE_COUNTS: metric->value_count = item->number; break;
    case FIELD_NULL_COUNTS: metric->null_count = item->number; break;
    case FIELD_NAN_COUNTS: metric->nan_count = item->number; break;
    case FIELD_LOWER_BOUNDS: metric->lower = item->bytes; break;
    default: metric->upper = item->bytes; break;
    }
}

// Merges reader->items, sorted, into reader->metrics.
static void merge_items(struct manifest_reader *reader, int32_t map_id)
{
    uint32_t at = 0;
    reader->merged.count = 0;
    VEC_RESERVE(&reader->merged, reader->metrics.count + reader->items.count);
    for (uint32_t i = 0; i < reader->items.count; i++) {
        const struct item *item = &reader->items.items[i];
        while (at < reader->metrics.count && reader->metrics.items[at].id < item->id) {
            VEC_PUSH(&reader->merged, reader->metrics.items[at]);
            at++;
        }
        bool again = reader->merged.count > 0 &&
                     reader->merged.items[reader->merged.count - 1].id == item->id;
        if (!again) {
            struct data_file_metric metric = {.id = item->id,
                                              .size = DATA_FILE_NONE,
                                              .value_count = DATA_FILE_NONE,
                                              .null_count = DATA_FILE_NONE,
                                              .nan_count = DATA_FILE_NONE};
            if (at < reader->metrics.count && reader->metrics.items[at].id == item->id) {
                metric = reader->metrics.items[at++];
            }
            VEC_PUSH(&reader->merged, metric);
        }
        put_item(&reader->merged.items[reader->merged.count - 1], map_id, item);
    }
    for (; at < reader->metrics.count; at++) {
        VEC_PUSH(&reader->merged, reader->metrics.items[at]);
    }
    struct data_file_metric *items = reader->metrics.items;
    uint32_t capacity = reader->metrics.capacity;
    reader->metrics.items = reader->merged.items;
    reader->metrics.count = reader->merged.count;
    reader->metrics.capacity = reader->merged.capacity;
    reader->merged.items = items;
    reader->merged.count = 0;
    reader->merged.capacity = capacity;
}

static enum status read_item(struct manifest_reader *reader, const struct avro_schema *record,
                             struct item *out, struct err *err)
{
    struct avro_value value;
    *out = (struct item){0};
    for (uint32_t i = 0; i < record->count; i++) {
        TRY(avro_cursor_value(&reader->cursor, record->fields[i].schema, &value, err));
        bool is_key = str_is(record->fields[i].name, "key");
        if (is_key && value.kind == AVRO_INT) {
            out->id = (int32_t)value.as.i64;
        } else if (!is_key && (value.kind == AVRO_INT || value.kind == AVRO_LONG)) {
            out->number = value.as.i64;
        } else if (!is_key && (value.kind == AVRO_BYTES || value.kind == AVRO_STRING)) {
            out->bytes = value.as.bytes;
        } else if (value.kind != AVRO_NULL) {
            return strange(record->fields[i].id, err);
        }
    }
    return STATUS_OK;
}

// {key int, value long or bytes}, as everybody writes them.
static bool is_usual(const struct avro_schema *record)
{
    if (record->count != 2 || !str_is(record->fields[0].name, "key") ||
        record->fields[0].schema->kind != AVRO_INT) {
        return false;
    }
    enum avro_kind kind = record->fields[1].schema->kind;
    return kind == AVRO_LONG || kind == AVRO_BYTES;
}

// The same for a usual record; what is not wanted is passed over.
static enum status read_usual(struct manifest_reader *reader, const struct avro_schema *record,
                              struct item *out, bool *wanted, struct err *err)
{
    const struct avro_schema *value = record->fields[1].schema;
    int64_t id;
    TRY(avro_cursor_long(&reader->cursor, &id, err));
    *out = (struct item){.id = (int32_t)id};
    if (id < INT32_MIN || id > INT32_MAX) {
        return strange(record->fields[0].id, err);
    }
    *wanted = wants_metric(reader, out->id);
    if (!*wanted) {
        return avro_cursor_skip(&reader->cursor, value, err);
    }
    return value->kind == AVRO_LONG ? avro_cursor_long(&reader->cursor, &out->number, err)
                                    : avro_cursor_string(&reader->cursor, &out->bytes, err);
}

// A key and its value; BigQuery lets them be null.
static enum status read_pair(struct manifest_reader *reader, const struct avro_schema *entry,
                             int32_t map_id, struct item *out, struct err *err)
{
    struct avro_value value;
    if (entry->kind == AVRO_RECORD) {
        return read_item(reader, entry, out, err);
    }
    TRY(avro_cursor_value(&reader->cursor, entry, &value, err));
    return value.kind == AVRO_RECORD ? read_item(reader, value.schema, out, err)
                                     : strange(map_id, err);
}

static enum status read_map(struct manifest_reader *reader, int32_t map_id,
                            const struct avro_schema *array, struct err *err)
{
    const struct avro_schema *entry = array->fields[0].schema;
    uint64_t count = 1;
    bool sorted = true;
    if (entry->kind != AVRO_RECORD && entry->kind != AVRO_UNION) {
        return strange(map_id, err);
    }
    bool usual = entry->kind == AVRO_RECORD && is_usual(entry);
    reader->items.count = 0;
    while (count > 0) {
        TRY(avro_cursor_items(&reader->cursor, entry, &count, err));
        for (uint64_t i = 0; i < count; i++) {
            struct item item;
            bool wanted = true;
            if (usual) {
                TRY(read_usual(reader, entry, &item, &wanted, err));
            } else {
                TRY(read_pair(reader, entry, map_id, &item, err));
                wanted = wants_metric(reader, item.id);
            }
            if (wanted) {
                sorted = sorted && (reader->items.count == 0 ||
                                    reader->items.items[reader->items.count - 1].id <= item.id);
                VEC_PUSH(&reader->items, item);
            }
        }
    }
    if (!sorted) {
        qsort(reader->items.items, reader->items.count, sizeof *reader->items.items, compare_items);
    }
    if (reader->items.count > 0) {
        merge_items(reader, map_id);
    }
    return STATUS_OK;
}

static enum status read_numbers(struct manifest_reader *reader, int32_t id,
                                const struct avro_schema *array, struct err *err)
{
    uint64_t count = 1;
    while (count > 0) {
        TRY(avro_cursor_items(&reader->cursor, array->fields[0].schema, &count, err));
        for (uint64_t i = 0; i < count; i++) {
            struct avro_value value;
            TRY(avro_cursor_value(&reader->cursor, array->fields[0].schema, &value, err));
            if (value.kind != AVRO_INT && value.kind != AVRO_LONG) {
                return strange(id, err);
            }
            if (id == FIELD_SPLIT_OFFSETS) {
                VEC_PUSH(&reader->split_offsets, value.as.i64);
            } else {
                VEC_PUSH(&reader->equality_ids, (int32_t)value.as.i64);
            }
        }
    }
    return STATUS_OK;
}

static int128 decimal_of(struct str bytes)
{
    uint128 value = bytes.size > 0 && (bytes.ptr[0] & 0x80) != 0 ? ~(uint128)0 : 0;
    for (size_t i = 0; i < bytes.size; i++) {
        value = value << 8 | (unsigned char)bytes.ptr[i];
    }
    return (int128)value;
}

static enum status partition_value(const struct iceberg_type *type, const struct avro_value *value,
                                   struct iceberg_value *out, struct err *err)
{
    bool is_bytes =
        value->kind == AVRO_BYTES || value->kind == AVRO_STRING || value->kind == AVRO_FIXED;
    bool is_number =
        value->kind == AVRO_INT || value->kind == AVRO_LONG || value->kind == AVRO_BOOLEAN;
    bool is_float = value->kind == AVRO_FLOAT || value->kind == AVRO_DOUBLE;
    *out = (struct iceberg_value){.is_null = value->kind == AVRO_NULL};
    if (out->is_null) {
        return STATUS_OK;
    }
    if (type->kind == ICEBERG_DECIMAL && is_bytes && value->as.bytes.size <= 16) {
        out->as.i128 = decimal_of(value->as.bytes);
    } else if ((type->kind == ICEBERG_FLOAT || type->kind == ICEBERG_DOUBLE) && is_float) {
        out->as.f64 = value->as.f64;
    } else if ((type->kind == ICEBERG_STRING || type->kind == ICEBERG_BINARY ||
                type->kind == ICEBERG_FIXED || type->kind == ICEBERG_UUID) &&
               is_bytes) {
        out->as.bytes = value->as.bytes;
    } else if (is_number && type->kind != ICEBERG_DECIMAL && type->kind != ICEBERG_STRING &&
               type->kind != ICEBERG_BINARY && type->kind != ICEBERG_FIXED &&
               type->kind != ICEBERG_UUID && type->kind != ICEBERG_FLOAT &&
               type->kind != ICEBERG_DOUBLE) {
        enum avro_logical logical = value->schema->logical;
        int64_t scale = logical == AVRO_LOGICAL_TIMESTAMP_MILLIS ||
                                logical == AVRO_LOGICAL_LOCAL_TIMESTAMP_MILLIS ||
                                logical == AVRO_LOGICAL_TIME_MILLIS
                            ? 1000
                            : 1;
        if (__builtin_mul_overflow(value->as.i64, scale, &out->as.i64)) {
            return strange(FIELD_PARTITION, err);
        }
    } else {
        return strange(FIELD_PARTITION, err);
    }
    return STATUS_OK;
}

static enum status read_partition(struct manifest_reader *reader, const struct avro_schema *record,
                                  struct err *err)
{
    for (uint32_t i = 0; i < reader->spec->field_count; i++) {
        reader->partition[i] = (struct iceberg_value){.is_null = true};
    }
    for (uint32_t i = 0; i < record->count; i++) {
        uint32_t at = spec_field_of(reader->spec, &record->fields[i]);
        struct avro_value value;
        if (at == UINT32_MAX) {
            TRY(avro_cursor_skip(&reader->cursor, record->fields[i].schema, err));
            continue;
        }
        TRY(avro_cursor_value(&reader->cursor, record->fields[i].schema, &value, err));
        TRY(partition_value(reader->spec->fields[at].result, &value, &reader->partition[at], err));
    }
    return STATUS_OK;
}

static int64_t *number_of(struct data_file *file, int32_t id)
{
    switch (id) {
    case FIELD_RECORD_COUNT: return &file->record_count;
    case FIELD_FILE_SIZE: return &file->file_size;
    case FIELD_FIRST_ROW_ID: return &file->first_row_id;
    case FIELD_CONTENT_OFFSET: return &file->content_offset;
    case FIELD_CONTENT_SIZE: return &file->content_size;
    default: return NULL;
    }
}

static struct str *bytes_of(struct data_file *file, int32_t id)
{
    switch (id) {
    case FIELD_PATH: return &file->path;
    case FIELD_FORMAT: return &file->format;
    case FIELD_KEY_METADATA: return &file->key_metadata;
    case FIELD_REFERENCED_FILE: return &file->referenced_data_file;
    default: return NULL;
    }
}

static bool is_map(int32_t id)
{
    return (id >= FIELD_COLUMN_SIZES && id <= FIELD_NULL_COUNTS) || id == FIELD_NAN_COUNTS ||
           id == FIELD_LOWER_BOUNDS || id == FIELD_UPPER_BOUNDS;
}

static uint8_t map_bit(int32_t id)
{
    switch (id) {
    case FIELD_COLUMN_SIZES: return DATA_FILE_COLUMN_SIZES;
    case FIELD_VALUE_COUNTS: return DATA_FILE_VALUE_COUNTS;
    case FIELD_NULL_COUNTS: return DATA_FILE_NULL_COUNTS;
    case FIELD_NAN_COUNTS: return DATA_FILE_NAN_COUNTS;
    case FIELD_LOWER_BOUNDS: return DATA_FILE_LOWER_BOUNDS;
    default: return DATA_FILE_UPPER_BOUNDS;
    }
}

static enum status read_file_field(struct manifest_reader *reader, const struct avro_field *field,
                                   struct data_file *out, struct err *err)
{
    int32_t id = id_of(field);
    int64_t *number = number_of(out, id);
    struct str *bytes = bytes_of(out, id);
    bool map = is_map(id);
    struct avro_value value;
    if (map ? !wants_metrics(reader)
            : number == NULL && bytes == NULL && id != FIELD_CONTENT && id != FIELD_PARTITION &&
                  id != FIELD_SPLIT_OFFSETS && id != FIELD_EQUALITY_IDS &&
                  id != FIELD_SORT_ORDER_ID) {
        return avro_cursor_skip(&reader->cursor, field->schema, err);
    }
    TRY(avro_cursor_value(&reader->cursor, field->schema, &value, err));
    bool is_number = value.kind == AVRO_INT || value.kind == AVRO_LONG;
    if (value.kind == AVRO_NULL) {
        return STATUS_OK;
    }
    if (number != NULL && is_number) {
        *number = value.as.i64;
    } else if (bytes != NULL && (value.kind == AVRO_STRING || value.kind == AVRO_BYTES)) {
        *bytes = value.as.bytes;
    } else if (id == FIELD_CONTENT && value.kind == AVRO_INT && value.as.i64 >= 0 &&
               value.as.i64 <= 2) {
        out->content = (enum data_file_content)value.as.i64;
    } else if (id == FIELD_SORT_ORDER_ID && value.kind == AVRO_INT) {
        out->sort_order_id = (int32_t)value.as.i64;
    } else if (id == FIELD_PARTITION && value.kind == AVRO_RECORD) {
        return read_partition(reader, value.schema, err);
    } else if (map && value.kind == AVRO_ARRAY) {
        out->metric_maps |= map_bit(id);
        return read_map(reader, id, value.schema, err);
    } else if ((id == FIELD_SPLIT_OFFSETS || id == FIELD_EQUALITY_IDS) &&
               value.kind == AVRO_ARRAY) {
        return read_numbers(reader, id, value.schema, err);
    } else {
        return strange(id, err);
    }
    return STATUS_OK;
}

static enum status read_file(struct manifest_reader *reader, const struct avro_schema *record,
                             struct data_file *out, struct err *err)
{
    reader->metrics.count = reader->split_offsets.count = reader->equality_ids.count = 0;
    *out = (struct data_file){
        .spec_id = reader->spec->spec_id,
        .sort_order_id = DATA_FILE_NONE,
        .first_row_id = DATA_FILE_NONE,
        .content_offset = DATA_FILE_NONE,
        .content_size = DATA_FILE_NONE,
        .record_count = DATA_FILE_NONE,
        .file_size = DATA_FILE_NONE,
    };
    for (uint32_t i = 0; i < record->count; i++) {
        enum status status = read_file_field(reader, &record->fields[i], out, err);
        if (status != STATUS_OK) {
            err_context(err, "field '%.*s'", STR_ARGS(record->fields[i].name));
            return status;
        }
    }
    out->partition = reader->partition;
    out->metrics = reader->metrics.items;
    out->metric_count = reader->metrics.count;
    out->split_offsets = reader->split_offsets.items;
    out->split_offset_count = reader->split_offsets.count;
    out->equality_ids = reader->equality_ids.items;
    out->equality_id_count = reader->equality_ids.count;
    return out->path.size > 0 && out->record_count >= 0
               ? STATUS_OK
               : ERR(err, STATUS_INVALID_DATA, "no 'file_path' or no 'record_count'");
}

static enum status read_entry_field(struct manifest_reader *reader, const struct avro_field *field,
                                    struct manifest_entry *out, bool *has_file, struct err *err)
{
    int32_t id = id_of(field);
    struct avro_value value;
    if (id < FIELD_STATUS || id > FIELD_FILE_SEQUENCE_NUMBER) {
        return avro_cursor_skip(&reader->cursor, field->schema, err);
    }
    TRY(avro_cursor_value(&reader->cursor, field->schema, &value, err));
    bool is_number = value.kind == AVRO_INT || value.kind == AVRO_LONG;
    if (id == FIELD_DATA_FILE && value.kind == AVRO_RECORD) {
        *has_file = true;
        return read_file(reader, value.schema, &out->file, err);
    }
    if (id == FIELD_STATUS && is_number && value.as.i64 >= 0 && value.as.i64 <= 2) {
        out->status = (enum manifest_status)value.as.i64;
    } else if (id == FIELD_SNAPSHOT_ID && is_number) {
        out->snapshot_id = value.as.i64;
    } else if (id == FIELD_SEQUENCE_NUMBER && is_number) {
        out->sequence_number = value.as.i64;
    } else if (id == FIELD_FILE_SEQUENCE_NUMBER && is_number) {
        out->file_sequence_number = value.as.i64;
    } else if (value.kind != AVRO_NULL) {
        return strange(id, err);
    }
    return STATUS_OK;
}

static enum status read_entry(struct manifest_reader *reader, struct manifest_entry *out,
                              struct err *err)
{
    bool has_file = false;
    out->status = MANIFEST_EXISTING;
    out->snapshot_id = out->sequence_number = out->file_sequence_number = DATA_FILE_NONE;
    for (uint32_t i = 0; i < reader->entry->count; i++) {
        const struct avro_field *field = &reader->entry->fields[i];
        enum status status = read_entry_field(reader, field, out, &has_file, err);
        if (status != STATUS_OK) {
            err_context(err, "field '%.*s'", STR_ARGS(field->name));
            return status;
        }
    }
    return has_file ? STATUS_OK : ERR(err, STATUS_INVALID_DATA, "no 'data_file'");
}

// Inheritance (Iceberg spec, "Sequence Number Inheritance", "First Row ID Inheritance").
static void inherit(struct manifest_reader *reader, struct manifest_entry *entry)
{
    const struct manifest_file *file = reader->options.file;
    if (entry->snapshot_id == DATA_FILE_NONE) {
        entry->snapshot_id = file->snapshot_id;
    }
    // Manifests of v1 have no numbers: their rows in a list say 0 or nothing.
    int64_t inherited = entry->status == MANIFEST_ADDED ? file->sequence_number : 0;
    inherited = inherited < 0 && entry->status == MANIFEST_ADDED ? DATA_FILE_NONE : inherited;
    if (entry->sequence_number == DATA_FILE_NONE) {
        entry->sequence_number = inherited;
    }
    if (entry->file_sequence_number == DATA_FILE_NONE) {
        entry->file_sequence_number = inherited;
    }
    if (reader->next_row_id != MANIFEST_NONE && entry->status != MANIFEST_DELETED &&
        entry->file.content == DATA_FILE_DATA && entry->file.first_row_id == DATA_FILE_NONE) {
        entry->file.first_row_id = reader->next_row_id;
        reader->next_row_id += entry->file.record_count;
    }
}

enum status manifest_reader_next(struct manifest_reader *reader, struct manifest_entry *out,
                                 struct err *err)
{
    for (;;) {
        enum status status = STATUS_OK;
        if (reader->rows == 0) {
            if (reader->cursor.at != NULL) {
                status = avro_cursor_end(&reader->cursor, err);
                if (status != STATUS_OK) {
                    avro_reader_context(reader->avro, &reader->cursor, err);
                    return status;
                }
            }
            status = avro_reader_block(reader->avro, &reader->cursor, &reader->rows, err);
            if (status == STATUS_END) {
                reader->cursor = (struct avro_cursor){0};
                return status;
            }
            if (status == STATUS_OK && reader->rows == 0) {
                continue;
            }
        }
        if (status != STATUS_OK) {
            return status;
        }
        reader->rows--;
        reader->entry_count++;
        status = read_entry(reader, out, err);
        if (status != STATUS_OK) {
            err_context(err, "entry %llu", (unsigned long long)reader->entry_count - 1);
            avro_reader_context(reader->avro, &reader->cursor, err);
            return status;
        }
        inherit(reader, out);
        if (out->status != MANIFEST_DELETED || reader->options.with_deleted) {
            return STATUS_OK;
        }
    }
}
