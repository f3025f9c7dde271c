// SPDX-License-Identifier: Apache-2.0
#include "connect/kafka_columns.h"

#include <string.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/mem.h"
#include "connect/record_format.h"
#include "connect/scan_columns.h"
#include "data/column_builder.h"
#include "plan/plan.h"

// One format with the columns that it fills.
struct kafka_decoder {
    struct record_format *format; // NULL: no column of it is wanted
    uint32_t count;
    const uint32_t *places; // in the batch
};

struct kafka_columns {
    struct arena arena;
    struct arena batch; // of the last call
    struct scan_columns scan;
    struct kafka_decoder value, key;
    uint32_t value_metadata_count; // behind the value's fields, in the order of value_metadata
    const struct scan_metadata **value_metadata;
    const struct type **value_metadata_types;
    uint32_t own_count; // metadata of Kafka itself
    const struct scan_metadata **own;
    const struct type **own_types;
    struct column *columns;
    rd_kafka_message_t *const *messages; // of the last call
    struct str texts[BATCH_ROWS_MAX];
    const struct record_rows *rows;
    uint32_t used;
};

// Making.

// The metadata's own type; NULL where there is none of that name.
static const struct type *own_type(struct str key)
{
    const struct type *type;
    const char *name;
    for (uint32_t i = 0; (name = kafka_table_metadata(i, &type)) != NULL; i++) {
        if (str_is(key, name)) {
            return type;
        }
    }
    return NULL;
}

static const struct type *format_type(const struct record_format_info *format, struct str key)
{
    const struct type *type;
    const char *name;
    for (uint32_t i = 0; (name = record_format_metadata(format, i, &type)) != NULL; i++) {
        if (str_is(key, name)) {
            return type;
        }
    }
    return NULL;
}

static void columns_sort_metadata(struct kafka_columns *columns, const struct kafka_table *table)
{
    const struct record_format_info *format = record_format_find(table->value.name);
    uint32_t count = columns->scan.metadata_count;
    struct arena *arena = &columns->arena;
    columns->value_metadata = arena_new_array(arena, const struct scan_metadata *, count + 1);
    columns->value_metadata_types = arena_new_array(arena, const struct type *, count + 1);
    columns->own = arena_new_array(arena, const struct scan_metadata *, count + 1);
    columns->own_types = arena_new_array(arena, const struct type *, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const struct scan_metadata *metadata = &columns->scan.metadata[i];
        if (str_starts(metadata->key, "value.")) {
            columns->value_metadata[columns->value_metadata_count] = metadata;
            columns->value_metadata_types[columns->value_metadata_count++] =
                format_type(format, str_slice(metadata->key, 6, metadata->key.size));
        } else {
            columns->own[columns->own_count] = metadata;
            columns->own_types[columns->own_count++] = own_type(metadata->key);
            ASSERT(own_type(metadata->key) != NULL);
        }
    }
}

// Which of the table's physical columns a format sees, and which of them are wanted of it.
struct decoder_fields {
    struct type_field *fields;
    uint32_t field_count;
    uint32_t *wanted;
    uint32_t *places;
    uint32_t wanted_count;
};

static void decoder_select(struct kafka_columns *columns, const struct kafka_table *table,
                           bool is_key, struct decoder_fields *out)
{
    const struct scan_columns *scan = &columns->scan;
    struct arena *arena = &columns->arena;
    out->fields = arena_new_array(arena, struct type_field, scan->physical_count + 1);
    out->wanted = arena_new_array(arena, uint32_t, scan->wanted_count + 1);
    out->places = arena_new_array(arena, uint32_t, scan->wanted_count + 1);
    uint32_t *position = arena_new_array(arena, uint32_t, scan->physical_count + 1);
    for (uint32_t i = 0; i < scan->physical_count; i++) {
        bool in_key = kafka_table_is_key(table, scan->physical[i].name);
        // With value.fields-include = ALL the value has all of them, and counts.
        bool is_of_this =
            is_key ? in_key && !table->value_has_key : !in_key || table->value_has_key;
        position[i] = UINT32_MAX;
        if (is_of_this) {
            struct type_field field = scan->physical[i];
            if (is_key) {
                field.name = str_slice(field.name, table->key_prefix.size, field.name.size);
            }
            position[i] = out->field_count;
            out->fields[out->field_count++] = field;
        }
    }
    for (uint32_t i = 0; i < scan->wanted_count; i++) {
        if (position[scan->wanted[i]] != UINT32_MAX) {
            out->places[out->wanted_count] = scan->places[i];
            out->wanted[out->wanted_count++] = position[scan->wanted[i]];
        }
    }
}

static enum status decoder_open(struct kafka_columns *columns, const struct table_def *def,
                                const struct kafka_format *format,
                                const struct decoder_fields *fields, struct kafka_decoder *out,
                                struct err *err)
{
    bool is_value = out == &columns->value;
    struct str *keys =
        arena_new_array(&columns->arena, struct str, columns->value_metadata_count + 1);
    for (uint32_t i = 0; i < columns->value_metadata_count; i++) {
        struct str key = columns->value_metadata[i]->key;
        keys[i] = str_slice(key, 6, key.size);
    }
    struct record_format_spec spec = {
        .table = def,
        .name = format->name,
        .prefix = format->prefix,
        .fields = fields->fields,
        .field_count = fields->field_count,
        .wanted = fields->wanted,
        .wanted_count = fields->wanted_count,
        .metadata = keys,
        .metadata_count = is_value ? columns->value_metadata_count : 0,
    };
    out->count = fields->wanted_count;
    out->places = fields->places;
    return record_format_new(&spec, &out->format, err);
}

static enum status columns_open(struct kafka_columns *columns, const struct plan_node *scan,
                                const struct kafka_table *table, struct err *err)
{
    const struct table_def *def = scan->as.scan.table;
    struct decoder_fields value = {0};
    struct decoder_fields key = {0};
    scan_columns_read(&columns->arena, scan, &columns->scan);
    columns->columns = arena_new_array(&columns->arena, struct column, scan->column_count + 1);
    columns_sort_metadata(columns, table);
    decoder_select(columns, table, false, &value);
    decoder_select(columns, table, true, &key);
    TRY(decoder_open(columns, def, &table->value, &value, &columns->value, err));
    if (key.wanted_count > 0) {
        TRY(decoder_open(columns, def, &table->key, &key, &columns->key, err));
    }
    return STATUS_OK;
}

enum status kafka_columns_new(const struct plan_node *scan, const struct kafka_table *table,
                              struct kafka_columns **out, struct err *err)
{
    struct kafka_columns *columns = mem_zalloc(sizeof *columns);
    arena_init(&columns->arena);
    arena_init(&columns->batch);
    enum status status = columns_open(columns, scan, table, err);
    if (status != STATUS_OK) {
        kafka_columns_free(columns);
        return status;
    }
    *out = columns;
    return STATUS_OK;
}

void kafka_columns_free(struct kafka_columns *columns)
{
    if (columns != NULL) {
        record_format_free(columns->value.format);
        record_format_free(columns->key.format);
        arena_release(&columns->batch);
        arena_release(&columns->arena);
        mem_free(columns);
    }
}

// Decoding.

enum status kafka_columns_decode(struct kafka_columns *columns, rd_kafka_message_t *const *messages,
                                 uint32_t count, uint32_t rows_max, uint32_t *used, uint32_t *bad,
                                 struct err *err)
{
    arena_reset(&columns->batch);
    count = count < BATCH_ROWS_MAX ? count : BATCH_ROWS_MAX;
    size_t key_bytes = 0;
    for (uint32_t i = 0; columns->key.format != NULL && i < count; i++) {
        key_bytes += messages[i]->key_len;
        if (key_bytes > BATCH_BYTES_MAX && i > 0) {
            count = i; // keys are part of the batch, too
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        columns->texts[i] = str_make(messages[i]->payload, messages[i]->len);
    }
    columns->messages = messages;
    enum status status =
        record_format_messages(columns->value.format, columns->texts, count, rows_max, used, err);
    *bad = (uint32_t)record_format_bad_place(columns->value.format);
    columns->rows = record_format_rows(columns->value.format);
    columns->used = *used;
    return status;
}

uint32_t kafka_columns_rows(const struct kafka_columns *columns)
{
    return columns->rows->row_count;
}

const uint64_t *kafka_columns_places(const struct kafka_columns *columns)
{
    return columns->rows->places;
}

// Keys. A message without one has NULL in all of the key's columns.

// Decodes the keys of the messages used; their rows are gathered to the rows of the values.
static enum status columns_keys(struct kafka_columns *columns, struct err *err)
{
    const struct record_rows *rows = columns->rows;
    struct kafka_decoder *key = &columns->key;
    struct arena *arena = &columns->batch;
    uint32_t row_count = rows->row_count;
    uint16_t *key_row = arena_alloc(arena, (columns->used + 1) * sizeof *key_row); // of a message
    uint16_t *gather = arena_alloc(arena, (row_count + 1) * sizeof *gather);
    for (uint32_t i = 0; i < columns->used; i++) {
        columns->texts[i] = str_make(columns->messages[i]->key, columns->messages[i]->key_len);
        key_row[i] = UINT16_MAX;
    }
    uint32_t used;
    enum status status = record_format_messages(key->format, columns->texts, columns->used,
                                                BATCH_ROWS_MAX, &used, err);
    if (status != STATUS_OK) {
        err_context(err, "key");
        return status;
    }
    const struct record_rows *keys = record_format_rows(key->format);
    if (used < columns->used) {
        return ERR(err, STATUS_LIMIT, "keys of more than %d bytes in one batch", BATCH_BYTES_MAX);
    }
    for (uint32_t i = 0; i < keys->row_count; i++) {
        key_row[keys->places[i]] = (uint16_t)i;
    }
    for (uint32_t i = 0; i < row_count; i++) {
        uint16_t at = key_row[rows->places[i]];
        gather[i] = at == UINT16_MAX ? (uint16_t)keys->row_count : at; // the null behind them
    }
    for (uint32_t i = 0; i < key->count; i++) {
        struct column both[] = {keys->columns[i], column_null(arena, &keys->columns[i], 1)};
        struct column joined = column_concat(arena, both, 2);
        columns->columns[key->places[i]] = column_gather(arena, &joined, gather, row_count);
    }
    return STATUS_OK;
}

// Metadata.

static const rd_kafka_message_t *message_of(const struct kafka_columns *columns, uint32_t row)
{
    return columns->messages[columns->rows->places[row]];
}

static const char *timestamp_type_name(rd_kafka_timestamp_type_t type)
{
    switch (type) {
    case RD_KAFKA_TIMESTAMP_CREATE_TIME: return "CreateTime";
    case RD_KAFKA_TIMESTAMP_LOG_APPEND_TIME: return "LogAppendTime";
    case RD_KAFKA_TIMESTAMP_NOT_AVAILABLE: break;
    }
    return "NoTimestampType";
}

static struct column column_i64(uint32_t row_count, const int64_t *values)
{
    return (struct column){.physical = PHYSICAL_I64, .row_count = row_count, .values = values};
}

static struct column columns_offsets(struct kafka_columns *columns, bool are_times)
{
    uint32_t row_count = columns->rows->row_count;
    int64_t *values = arena_alloc(&columns->batch, (row_count + 1) * sizeof *values);
    for (uint32_t i = 0; i < row_count; i++) {
        const rd_kafka_message_t *message = message_of(columns, i);
        rd_kafka_timestamp_type_t type;
        values[i] = are_times ? rdkafka.message_timestamp(message, &type) * 1000 : message->offset;
    }
    return column_i64(row_count, values);
}

static struct column columns_timestamp_types(struct kafka_columns *columns)
{
    uint32_t row_count = columns->rows->row_count;
    struct strview *values = arena_alloc(&columns->batch, (row_count + 1) * sizeof *values);
    for (uint32_t i = 0; i < row_count; i++) {
        rd_kafka_timestamp_type_t type;
        rdkafka.message_timestamp(message_of(columns, i), &type);
        const char *name = timestamp_type_name(type);
        values[i] = strview_make(name, strlen(name));
    }
    return (struct column){.physical = PHYSICAL_STRING, .row_count = row_count, .values = values};
}

static void append_headers(struct column_builder *builder, const rd_kafka_message_t *message)
{
    rd_kafka_headers_t *headers;
    const char *name;
    const void *value;
    size_t size;
    column_builder_list_begin(builder);
    if (rdkafka.message_headers(message, &headers) == RD_KAFKA_RESP_ERR_NO_ERROR) {
        for (size_t i = 0;
             rdkafka.header_get_all(headers, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR;
             i++) {
            // Of a repeated name the last one counts, as in Flink's map.
            const void *later;
            size_t later_size;
            if (rdkafka.header_get_last(headers, name, &later, &later_size) ==
                    RD_KAFKA_RESP_ERR_NO_ERROR &&
                later != value) {
                continue;
            }
            column_builder_string_borrow(column_builder_child(builder, 0), str_from(name));
            if (value == NULL) {
                column_builder_null(column_builder_child(builder, 1));
            } else {
                column_builder_string_borrow(column_builder_child(builder, 1),
                                             str_make(value, size));
            }
        }
    }
    column_builder_list_end(builder);
}

static struct column columns_headers(struct kafka_columns *columns, const struct type *type)
{
    uint32_t row_count = columns->rows->row_count;
    struct column_builder *builder = column_builder_new(&columns->batch, type, row_count + 1);
    for (uint32_t i = 0; i < row_count; i++) {
        append_headers(builder, message_of(columns, i));
    }
    return column_builder_finish(builder);
}

static struct column columns_leader_epochs(struct kafka_columns *columns)
{
    uint32_t row_count = columns->rows->row_count;
#if RD_KAFKA_VERSION >= 0x020100ff
    int32_t *values = arena_zalloc(&columns->batch, (row_count + 1) * sizeof *values);
    uint64_t *valid = arena_zalloc(&columns->batch, (bits_words(row_count) + 1) * sizeof *valid);
    for (uint32_t i = 0; i < row_count; i++) {
        int32_t epoch = rdkafka.message_leader_epoch(message_of(columns, i));
        if (epoch >= 0) {
            values[i] = epoch;
            bits_set(valid, i);
        }
    }
    return (struct column){
        .physical = PHYSICAL_I32, .row_count = row_count, .values = values, .valid = valid};
#else
    struct column like = {.physical = PHYSICAL_I32};
    return column_null(&columns->batch, &like, row_count); // the library does not say
#endif
}

static struct column columns_own(struct kafka_columns *columns, struct str key,
                                 const struct type *type, struct str topic, int32_t partition)
{
    uint32_t row_count = columns->rows->row_count;
    if (str_is(key, "partition")) {
        return scan_columns_constant(&columns->batch, PHYSICAL_I32, &partition, row_count);
    }
    if (str_is(key, "topic")) {
        struct strview view = strview_make(topic.ptr, topic.size);
        return scan_columns_constant(&columns->batch, PHYSICAL_STRING, &view, row_count);
    }
    if (str_is(key, "offset") || str_is(key, "timestamp")) {
        return columns_offsets(columns, str_is(key, "timestamp"));
    }
    if (str_is(key, "timestamp-type")) {
        return columns_timestamp_types(columns);
    }
    return str_is(key, "headers") ? columns_headers(columns, type) : columns_leader_epochs(columns);
}

static enum status columns_metadata(struct kafka_columns *columns, struct str topic,
                                    int32_t partition, struct err *err)
{
    for (uint32_t i = 0; i < columns->value_metadata_count; i++) {
        const struct scan_metadata *metadata = columns->value_metadata[i];
        TRY(scan_columns_cast(&columns->batch, metadata, columns->value_metadata_types[i],
                              &columns->rows->columns[columns->value.count + i],
                              &columns->columns[metadata->column], err));
    }
    for (uint32_t i = 0; i < columns->own_count; i++) {
        const struct scan_metadata *metadata = columns->own[i];
        struct column column =
            columns_own(columns, metadata->key, columns->own_types[i], topic, partition);
        TRY(scan_columns_cast(&columns->batch, metadata, columns->own_types[i], &column,
                              &columns->columns[metadata->column], err));
    }
    return STATUS_OK;
}

enum status kafka_columns_batch(struct kafka_columns *columns, struct str topic, int32_t partition,
                                struct batch *out, struct err *err)
{
    for (uint32_t i = 0; i < columns->value.count; i++) {
        columns->columns[columns->value.places[i]] = columns->rows->columns[i];
    }
    if (columns->key.format != NULL) {
        TRY(columns_keys(columns, err));
    }
    TRY(columns_metadata(columns, topic, partition, err));
    *out = (struct batch){.row_count = columns->rows->row_count,
                          .column_count = columns->scan.column_count,
                          .columns = columns->columns,
                          .kinds = columns->rows->kinds};
    return STATUS_OK;
}
