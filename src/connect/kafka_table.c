// SPDX-License-Identifier: Apache-2.0
#include "connect/kafka_table.h"

#include <stdio.h>

#include "base/arena.h"
#include "connect/option.h"
#include "connect/record_format.h"
#include "connect/registry.h"

enum { KAFKA_DRIFT_MS = 60000 };

static const struct type_field headers_fields[] = {{.type = &type_string}, {.type = &type_bytes}};
static const struct type headers_type = {
    .kind = TYPE_MAP, .field_count = 2, .fields = headers_fields};

static const struct type not_null_string = {.kind = TYPE_VARCHAR, .length = TYPE_LENGTH_MAX};
static const struct type not_null_int = {.kind = TYPE_INT};
static const struct type not_null_bigint = {.kind = TYPE_BIGINT};
static const struct type not_null_ltz3 = {.kind = TYPE_TIMESTAMP_LTZ, .length = 3};

static const struct {
    const char *key;
    const struct type *type;
} metadata[] = {
    {"topic", &not_null_string},          {"partition", &not_null_int},
    {"headers", &headers_type},           {"leader-epoch", &type_int},
    {"offset", &not_null_bigint},         {"timestamp", &not_null_ltz3},
    {"timestamp-type", &not_null_string},
};

const char *kafka_table_metadata(uint32_t index, const struct type **type)
{
    if (index >= sizeof metadata / sizeof metadata[0]) {
        return NULL;
    }
    *type = metadata[index].type;
    return metadata[index].key;
}

// 'a;b' as a list.
static struct str *split_list(struct arena *arena, struct str text, uint32_t *count)
{
    struct str *items = arena_new_array(arena, struct str, text.size / 2 + 1);
    *count = 0;
    while (text.size > 0) {
        size_t end = str_find(text, ';');
        struct str item = str_trim(str_slice(text, 0, end));
        if (item.size > 0) {
            items[(*count)++] = arena_str(arena, item);
        }
        text = str_slice(text, end < text.size ? end + 1 : end, text.size);
    }
    return items;
}

static enum status read_topics(struct arena *arena, const struct table_def *def,
                               struct kafka_table *out, struct err *err)
{
    struct str topic = option_text(def, "", "topic", NULL);
    out->topic_pattern = arena_str(arena, option_text(def, "", "topic-pattern", ""));
    out->topics = split_list(arena, topic, &out->topic_count);
    if ((out->topic_count == 0) == (out->topic_pattern.size == 0)) {
        ERR(err, STATUS_INVALID_DATA,
            out->topic_count == 0 ? "option 'topic' is missing, which connector 'kafka' needs"
                                  : "'topic' and 'topic-pattern' exclude each other");
        err_hint(err, "'topic' = 'name', 'topic' = 'one;two', or 'topic-pattern' = 'regex'");
        return STATUS_INVALID_DATA;
    }
    return STATUS_OK;
}

// 'partition:0,offset:42;partition:1,offset:300'.
static enum status read_offsets(struct arena *arena, const struct table_def *def, const char *key,
                                struct kafka_bound *out, struct err *err)
{
    uint32_t count;
    struct str text = option_text(def, "", key, NULL);
    struct str *items = split_list(arena, text, &count);
    struct kafka_offset *offsets = arena_new_array(arena, struct kafka_offset, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        int partition;
        long long offset;
        int end = 0;
        int read = sscanf(items[i].ptr, "partition:%d,offset:%lld%n", &partition, &offset, &end);
        if (read != 2 || (size_t)end != items[i].size || partition < 0 || offset < 0) {
            return ERR(err, STATUS_INVALID_DATA,
                       "option '%s': '%.*s' is not of the form 'partition:0,offset:42'", key,
                       STR_ARGS(items[i]));
        }
        offsets[i] = (struct kafka_offset){partition, offset};
    }
    if (count == 0) {
        return ERR(err, STATUS_INVALID_DATA, "option '%s' is missing", key);
    }
    out->offsets = offsets;
    out->offset_count = count;
    return STATUS_OK;
}

static enum kafka_place read_place(struct str mode)
{
    static const struct {
        const char *name;
        enum kafka_place place;
    } places[] = {
        {"earliest-offset", KAFKA_PLACE_EARLIEST}, {"latest-offset", KAFKA_PLACE_LATEST},
        {"group-offsets", KAFKA_PLACE_GROUP},      {"timestamp", KAFKA_PLACE_TIMESTAMP},
        {"specific-offsets", KAFKA_PLACE_OFFSETS},
    };
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (str_is_nocase(mode, places[i].name)) {
            return places[i].place;
        }
    }
    return KAFKA_PLACE_NONE;
}

// `what` is "startup" or "bounded".
static enum status read_bound(struct arena *arena, const struct table_def *def, const char *what,
                              const char *standard, struct kafka_table *table,
                              struct kafka_bound *out, struct err *err)
{
    char mode[64];
    char offsets[64];
    char timestamp[64];
    snprintf(mode, sizeof mode, "scan.%s.mode", what);
    snprintf(offsets, sizeof offsets, "scan.%s.specific-offsets", what);
    snprintf(timestamp, sizeof timestamp, "scan.%s.timestamp-millis", what);
    out->place = read_place(option_text(def, "", mode, standard));
    out->timestamp_ms = option_integer(def, "", timestamp, -1);
    if (out->place == KAFKA_PLACE_TIMESTAMP && out->timestamp_ms < 0) {
        return ERR(err, STATUS_INVALID_DATA, "option '%s' is missing", timestamp);
    }
    if (out->place == KAFKA_PLACE_GROUP && table->group.size == 0) {
        ERR(err, STATUS_INVALID_DATA, "'%s' = 'group-offsets'%s needs 'properties.group.id'", mode,
            option_is_set(def, "", mode) ? "" : " (the default)");
        err_hint(err, "'scan.startup.mode' = 'earliest-offset' reads from the beginning, "
                      "'latest-offset' what comes from now on");
        return STATUS_INVALID_DATA;
    }
    if (out->place == KAFKA_PLACE_OFFSETS) {
        if (table->topic_count != 1) {
            return ERR(err, STATUS_INVALID_DATA, "'%s' is for a single topic", offsets);
        }
        return read_offsets(arena, def, offsets, out, err);
    }
    return STATUS_OK;
}

static enum status read_format(struct arena *arena, const struct table_def *def, const char *place,
                               struct kafka_format *out, struct err *err)
{
    char key[32];
    const struct record_format_info *info;
    snprintf(key, sizeof key, "%sformat", place);
    out->name = option_text(def, "", key, NULL);
    if (out->name.size == 0) {
        return STATUS_OK;
    }
    TRY(registry_find_format(out->name, &info, err));
    out->name = str_from(info->name);
    out->prefix = arena_printf(arena, "%s%s.", place, info->name).ptr;
    return STATUS_OK;
}

static enum status read_key_fields(struct arena *arena, const struct table_def *def,
                                   struct kafka_table *out, struct err *err)
{
    out->key_fields =
        split_list(arena, option_text(def, "", "key.fields", NULL), &out->key_field_count);
    out->key_prefix = arena_str(arena, option_text(def, "", "key.fields-prefix", ""));
    out->value_has_key = str_is_nocase(option_text(def, "", "value.fields-include", "ALL"), "ALL");
    if ((out->key.name.size > 0) != (out->key_field_count > 0)) {
        return ERR(err, STATUS_INVALID_DATA, "'key.format' and 'key.fields' need each other");
    }
    if (str_is(out->key.name, "debezium-json")) {
        return ERR(err, STATUS_INVALID_DATA, "'key.format' cannot be a format of changes");
    }
    if (out->key_prefix.size > 0 && out->value_has_key) {
        return ERR(err, STATUS_INVALID_DATA,
                   "'key.fields-prefix' needs 'value.fields-include' = 'EXCEPT_KEY'");
    }
    for (uint32_t i = 0; i < out->key_field_count; i++) {
        const struct table_column *column = table_def_column(def, out->key_fields[i]);
        if (column == NULL || column->kind != TABLE_COLUMN_PHYSICAL) {
            return ERR(err, STATUS_INVALID_DATA, "'key.fields': the table has no column '%.*s'",
                       STR_ARGS(out->key_fields[i]));
        }
        if (!str_starts(column->name, out->key_prefix.ptr)) {
            return ERR(err, STATUS_INVALID_DATA,
                       "'key.fields': '%.*s' does not begin with the prefix '%.*s'",
                       STR_ARGS(column->name), STR_ARGS(out->key_prefix));
        }
    }
    return STATUS_OK;
}

static enum status read_formats(struct arena *arena, const struct table_def *def,
                                struct kafka_table *out, struct err *err)
{
    struct kafka_format value;
    TRY(read_format(arena, def, "", &out->value, err));
    TRY(read_format(arena, def, "value.", &value, err));
    if ((out->value.name.size > 0) == (value.name.size > 0)) {
        ERR(err, STATUS_INVALID_DATA,
            value.name.size > 0 ? "'format' and 'value.format' exclude each other"
                                : "option 'format' is missing, which connector 'kafka' needs");
        err_hint(err, "formats: json, debezium-json, csv");
        return STATUS_INVALID_DATA;
    }
    if (value.name.size > 0) {
        out->value = value;
    }
    TRY(read_format(arena, def, "key.", &out->key, err));
    return read_key_fields(arena, def, out, err);
}

static enum status table_read(struct arena *arena, const struct table_def *def,
                              struct kafka_table *out, struct err *err)
{
    *out = (struct kafka_table){
        .name = arena_str(arena, def->name),
        .servers = arena_str(arena, option_text(def, "", "properties.bootstrap.servers", "")),
        .group = arena_str(arena, option_text(def, "", "properties.group.id", "")),
        .discovery_ms =
            option_duration_ms(def, "", "scan.topic-partition-discovery.interval", 300000),
        .queue_bytes = option_memory(def, "", "scan.reader.queue-size", 64 << 20),
        .timeout_ms = option_duration_ms(def, "", "scan.metadata-timeout", 10000),
        .drift_us =
            option_duration_ms(def, "", "scan.watermark.alignment.max-drift", KAFKA_DRIFT_MS) *
            1000,
    };
    TRY(read_topics(arena, def, out, err));
    TRY(read_bound(arena, def, "startup", "group-offsets", out, &out->start, err));
    TRY(read_bound(arena, def, "bounded", "unbounded", out, &out->end, err));
    return read_formats(arena, def, out, err);
}

enum status kafka_table_read(struct arena *arena, const struct table_def *def,
                             struct kafka_table *out, struct err *err)
{
    enum status status = table_read(arena, def, out, err);
    if (status != STATUS_OK && err != NULL) {
        err->stage = ERR_STAGE_VALIDATE;
    }
    return status;
}

bool kafka_table_is_key(const struct kafka_table *table, struct str column)
{
    for (uint32_t i = 0; i < table->key_field_count; i++) {
        if (str_equal(table->key_fields[i], column)) {
            return true;
        }
    }
    return false;
}

enum status kafka_table_describe(struct arena *arena, const struct table_def *def,
                                 struct connector_info *out, struct err *err)
{
    enum { METADATA_MAX = 24 };
    struct kafka_table table;
    TRY(kafka_table_read(arena, def, &table, err));
    const struct record_format_info *format = record_format_find(table.value.name);
    struct connector_metadata *items =
        arena_new_array(arena, struct connector_metadata, METADATA_MAX);
    const struct type *type;
    const char *key;
    for (uint32_t i = 0; (key = kafka_table_metadata(i, &type)) != NULL; i++) {
        items[out->metadata_count++] =
            (struct connector_metadata){.key = str_from(key), .type = type};
    }
    for (uint32_t i = 0; (key = record_format_metadata(format, i, &type)) != NULL; i++) {
        items[out->metadata_count++] =
            (struct connector_metadata){.key = arena_printf(arena, "value.%s", key), .type = type};
    }
    out->metadata = items;
    out->is_bounded = table.end.place != KAFKA_PLACE_NONE;
    out->source_changes = format->changes;
    out->prunes_fields = !str_is(table.value.name, "csv");
    out->makes_watermarks = true;
    return STATUS_OK;
}
