// SPDX-License-Identifier: Apache-2.0
#include "connect/registry.h"

#include "base/arena.h"
#include "base/nearest.h"
#include "connect/blackhole_sink.h"
#include "connect/connector_options.h"
#include "connect/datagen_source.h"
#include "connect/file_writer.h"
#include "connect/filesystem_sink.h"
#include "connect/filesystem_source.h"
#include "connect/iceberg_metadata_source.h"
#include "connect/iceberg_sink.h"
#include "connect/iceberg_source.h"
#include "connect/kafka_source.h"
#include "connect/kafka_table.h"
#include "connect/nexmark_source.h"
#include "connect/print_sink.h"
#include "connect/record_format.h"
#include "data/batch.h"

#define COUNT(array) (uint32_t)(sizeof(array) / sizeof(array)[0])
#define ALL_CHANGES                                                                                \
    (1 << CHANGE_INSERT | 1 << CHANGE_UPDATE_BEFORE | 1 << CHANGE_UPDATE_AFTER | 1 << CHANGE_DELETE)

static enum status refuse(struct err *err, enum status status)
{
    if (err != NULL) {
        err->stage = ERR_STAGE_VALIDATE;
    }
    return status;
}

static enum status describe_filesystem(struct arena *arena, const struct table_def *def,
                                       struct connector_info *out, struct err *err)
{
    struct connector_metadata *metadata = arena_new_array(arena, struct connector_metadata, 8);
    const struct type *type;
    const char *key;
    for (uint32_t i = 0; (key = filesystem_source_metadata(i, &type)) != NULL; i++) {
        metadata[out->metadata_count++] =
            (struct connector_metadata){.key = str_from(key), .type = type};
    }
    out->metadata = metadata;
    out->is_bounded = option_duration_ms(def, "", "source.monitor-interval", 0) == 0;
    for (uint32_t i = 0; i < def->partition_count; i++) {
        if (!str_is(def->partitions[i].transform, "identity")) {
            ERR(err, STATUS_UNSUPPORTED,
                "table '%.*s': directories of files hold columns as they are; %.*s() is not "
                "supported",
                STR_ARGS(def->name), STR_ARGS(def->partitions[i].transform));
            return refuse(err, STATUS_UNSUPPORTED);
        }
    }
    out->sink_is_single = str_is(option_text(def, "", "sink.target", ""), "file");
    out->sink_is_batch = true;
    out->can_overwrite = true;
    return STATUS_OK;
}

// Beyond what reading needs.
static enum status check_filesystem_sink(const struct table_def *def, struct err *err)
{
    const struct file_writer_class *class;
    if (def->partition_count > 0) {
        return ERR(err, STATUS_UNSUPPORTED,
                   "table '%.*s': writing partition directories is not supported yet",
                   STR_ARGS(def->name));
    }
    for (uint32_t i = 0; i < def->column_count; i++) {
        const struct table_column *column = &def->columns[i];
        if (column->kind == TABLE_COLUMN_METADATA && !column->is_virtual) {
            ERR(err, STATUS_INVALID_DATA,
                "table '%.*s': metadata '%.*s' of files cannot be written", STR_ARGS(def->name),
                STR_ARGS(column->name));
            err_hint(err, "declare the column VIRTUAL");
            return STATUS_INVALID_DATA;
        }
    }
    return file_writer_find(option_text(def, "", "format", ""), &class, err);
}

static enum status describe_datagen(struct arena *arena, const struct table_def *def,
                                    struct connector_info *out, struct err *err)
{
    TRY(datagen_source_check(def, err));
    (void)arena;
    out->is_bounded = datagen_source_is_bounded(def);
    out->is_endless = !out->is_bounded;
    return STATUS_OK;
}

static enum status describe_nexmark(struct arena *arena, const struct table_def *def,
                                    struct connector_info *out, struct err *err)
{
    (void)arena;
    TRY(nexmark_source_check(def, err));
    out->is_bounded = option_integer(def, "", "events.num", 0) > 0;
    out->is_endless = !out->is_bounded;
    out->prunes_fields = true;
    return STATUS_OK;
}

static const struct registry_connector connectors[] = {
    {.name = "kafka",
     .doc = "Topics of Apache Kafka, exactly once.",
     .options = connector_options_kafka,
     .option_count = CONNECTOR_OPTIONS_KAFKA,
     .source = &kafka_source_class,
     .no_sink = "writing to Kafka is not supported yet",
     .describe = kafka_table_describe},
    {.name = "filesystem",
     .doc = "Files of the local disk.",
     .options = connector_options_filesystem,
     .option_count = CONNECTOR_OPTIONS_FILESYSTEM,
     .has_format = true,
     .source = &filesystem_source_class,
     .sink = &filesystem_sink_class,
     .sink_changes = CONNECTOR_INSERT_ONLY,
     .describe = describe_filesystem},
    {.name = "datagen",
     .doc = "Rows of random or ascending values.",
     .options = connector_options_datagen,
     .option_count = CONNECTOR_OPTIONS_DATAGEN,
     .source = &datagen_source_class,
     .describe = describe_datagen},
    {.name = "nexmark",
     .doc = "The auction events of the Nexmark benchmark.",
     .options = connector_options_nexmark,
     .option_count = CONNECTOR_OPTIONS_NEXMARK,
     .source = &nexmark_source_class,
     .describe = describe_nexmark},
    {.name = "print",
     .doc = "Rows with their change kinds to standard output.",
     .options = connector_options_print,
     .option_count = CONNECTOR_OPTIONS_PRINT,
     .sink = &print_sink_class,
     .sink_changes = ALL_CHANGES},
    {.name = "blackhole",
     .doc = "Takes rows and forgets them.",
     .sink = &blackhole_sink_class,
     .sink_changes = ALL_CHANGES},
    {.name = "dynamodb", .unsupported = "not supported yet"},
    {.name = "elasticsearch-6", .unsupported = "not supported yet"},
    {.name = "elasticsearch-7", .unsupported = "not supported yet"},
    {.name = "faker", .unsupported = "not supported yet"},
    {.name = "firehose", .unsupported = "not supported yet"},
    {.name = "hbase-1.4", .unsupported = "not supported yet"},
    {.name = "hbase-2.2", .unsupported = "not supported yet"},
    {.name = "hudi", .unsupported = "not supported"},
    {.name = "iceberg",
     .doc = "A table of the Iceberg catalog that its options name (iceberg_catalog.h).",
     .source = &iceberg_source_class,
     .sink = &iceberg_sink_class,
     .sink_changes = CONNECTOR_INSERT_ONLY},
    {.name = "jdbc", .unsupported = "not supported yet"},
    {.name = "kinesis", .unsupported = "not supported yet"},
    {.name = "mongodb", .unsupported = "not supported yet"},
    {.name = "mongodb-cdc", .unsupported = "not supported yet"},
    {.name = "mysql-cdc", .unsupported = "not supported yet"},
    {.name = "opensearch", .unsupported = "not supported yet"},
    {.name = "oracle-cdc", .unsupported = "not supported yet"},
    {.name = "paimon", .unsupported = "not supported"},
    {.name = "postgres-cdc", .unsupported = "not supported yet"},
    {.name = "pulsar", .unsupported = "not supported yet"},
    {.name = "rabbitmq", .unsupported = "not supported yet"},
    {.name = "socket", .unsupported = "not supported yet"},
    {.name = "sqlserver-cdc", .unsupported = "not supported yet"},
    {.name = "upsert-kafka", .unsupported = "not supported yet"},
};

const struct registry_connector *registry_connector_at(uint32_t index)
{
    return index < COUNT(connectors) ? &connectors[index] : NULL;
}

// Names.

static enum status unknown_connector(struct str name, struct err *err)
{
    struct nearest nearest = nearest_to(name);
    for (uint32_t i = 0; i < COUNT(connectors); i++) {
        nearest_try(&nearest, str_from(connectors[i].name));
    }
    ERR(err, STATUS_NOT_FOUND, "there is no connector '%.*s'", STR_ARGS(name));
    if (!nearest_hint(&nearest, err)) {
        err_hint(err, "connectors: kafka, filesystem, datagen, nexmark, print, blackhole; a table "
                      "without one is an Iceberg table");
    }
    return STATUS_NOT_FOUND;
}

static enum status find_connector(const struct table_def *def,
                                  const struct registry_connector **out, struct err *err)
{
    struct str name = option_text(def, "", "connector", NULL);
    if (name.size == 0) {
        ERR(err, STATUS_INVALID_DATA, "table '%.*s' has no 'connector'", STR_ARGS(def->name));
        err_hint(err, "WITH ('connector' = '...'), or create it in an Iceberg catalog");
        return STATUS_INVALID_DATA;
    }
    for (uint32_t i = 0; i < COUNT(connectors); i++) {
        if (!str_is(name, connectors[i].name)) {
            continue;
        }
        *out = &connectors[i];
        if (connectors[i].unsupported != NULL) {
            return ERR(err, STATUS_UNSUPPORTED, "connector '%s' is %s", connectors[i].name,
                       connectors[i].unsupported);
        }
        return STATUS_OK;
    }
    return unknown_connector(name, err);
}

static enum status unknown_format(struct str name, struct err *err)
{
    struct nearest nearest = nearest_to(name);
    const struct record_format_info *info;
    for (uint32_t i = 0; (info = record_format_at(i)) != NULL; i++) {
        nearest_try(&nearest, str_from(info->name));
    }
    ERR(err, STATUS_NOT_FOUND, "there is no format '%.*s'", STR_ARGS(name));
    if (!nearest_hint(&nearest, err)) {
        err_hint(err, "formats: json, debezium-json, csv, parquet, avro");
    }
    return STATUS_NOT_FOUND;
}

enum status registry_find_format(struct str name, const struct record_format_info **out,
                                 struct err *err)
{
    *out = record_format_find(name);
    if (*out == NULL) {
        return unknown_format(name, err);
    }
    if ((*out)->unsupported != NULL) {
        return ERR(err, STATUS_UNSUPPORTED, "format '%s' is %s", (*out)->name, (*out)->unsupported);
    }
    return STATUS_OK;
}

// Descriptions.

static void describe_iceberg(const struct table_def *def, struct connector_info *out)
{
    *out = (struct connector_info){.name = STR_LIT("iceberg"),
                                   .can_read = true,
                                   .can_write = def->metadata_table.size == 0,
                                   .is_bounded = true,
                                   .prunes_fields = def->metadata_table.size == 0,
                                   .source_changes = CONNECTOR_INSERT_ONLY,
                                   .sink_changes = CONNECTOR_INSERT_ONLY};
}

static bool is_limited(const struct connector_option_limit *limit, struct str key)
{
    size_t size = strlen(limit->key);
    return limit->key[size - 1] == '*'
               ? str_equal(str_slice(key, 0, size - 1), str_make(limit->key, size - 1))
               : str_is(key, limit->key);
}

static enum status check_limits(const struct table_def *def, bool as_sink, struct err *err)
{
    for (uint32_t i = 0; i < def->option_count; i++) {
        const struct table_option *option = &def->options[i];
        for (uint32_t k = 0; k < CONNECTOR_OPTION_LIMITS; k++) {
            const struct connector_option_limit *limit = &connector_option_limits[k];
            if (!is_limited(limit, option->key) || (limit->as_sink && !as_sink) ||
                (limit->only != NULL && str_is_nocase(option->value, limit->only))) {
                continue;
            }
            ERR(err, STATUS_UNSUPPORTED, "option '%.*s' = '%.*s' is not supported yet",
                STR_ARGS(option->key), STR_ARGS(option->value));
            err_hint(err, "%s", limit->hint);
            return STATUS_UNSUPPORTED;
        }
    }
    return STATUS_OK;
}

// The options of the connector itself, of its formats, and those that every table may have.
static enum status check_options(struct arena *arena, const struct table_def *def,
                                 const struct registry_connector *connector, struct err *err)
{
    struct option_set sets[8] = {
        {"", connector->options, connector->option_count},
        {"", connector_options_common, CONNECTOR_OPTIONS_COMMON},
    };
    uint32_t count = 2;
    static const char *const places[] = {"", "value.", "key."};
    bool is_kafka = connector->source == &kafka_source_class;
    for (uint32_t i = 0; i < (is_kafka ? 3 : connector->has_format ? 1 : 0); i++) {
        char key[32];
        snprintf(key, sizeof key, "%sformat", places[i]);
        struct str name = option_text(def, "", key, NULL);
        if (name.size == 0) {
            continue;
        }
        const struct record_format_info *info;
        TRY(registry_find_format(name, &info, err));
        if (is_kafka && record_format_is_file(info)) {
            return ERR(err, STATUS_INVALID_DATA,
                       "format '%s' is one of files; messages cannot have it", info->name);
        }
        struct str prefix = arena_printf(arena, "%s%s.", places[i], info->name);
        sets[count++] = (struct option_set){prefix.ptr, info->options, info->option_count};
    }
    TRY(option_check(def, sets, count, err));
    for (uint32_t i = 2; i < count; i++) {
        struct str prefix = str_from(sets[i].prefix);
        const struct record_format_info *info;
        for (uint32_t k = 0; (info = record_format_at(k)) != NULL; k++) {
            if (info->options == sets[i].options && info->unsupported == NULL) {
                TRY(record_format_check(info, def, prefix.ptr, err));
            }
        }
    }
    return STATUS_OK;
}

static enum status describe_table(struct arena *arena, const struct table_def *def, bool as_sink,
                                  struct connector_info *out, struct err *err)
{
    const struct registry_connector *connector;
    TRY(find_connector(def, &connector, err));
    if (as_sink && connector->no_sink != NULL) {
        return ERR(err, STATUS_UNSUPPORTED, "connector '%s': %s", connector->name,
                   connector->no_sink);
    }
    TRY(check_options(arena, def, connector, err));
    TRY(check_limits(def, as_sink, err));
    if (as_sink && connector->sink == &filesystem_sink_class) {
        TRY(check_filesystem_sink(def, err));
    }
    *out = (struct connector_info){.name = str_from(connector->name),
                                   .can_read = connector->source != NULL,
                                   .can_write = connector->sink != NULL,
                                   .source_changes = CONNECTOR_INSERT_ONLY,
                                   .sink_changes = connector->sink_changes};
    if (connector->has_format) {
        const struct record_format_info *format;
        TRY(registry_find_format(option_text(def, "", "format", ""), &format, err));
        out->source_changes = format->changes;
        out->prunes_fields = !str_is(str_from(format->name), "csv");
    }
    return connector->describe == NULL ? STATUS_OK : connector->describe(arena, def, out, err);
}

static enum status lookup_describe(void *self, struct arena *arena, const struct table_def *def,
                                   bool as_sink, struct connector_info *out, struct err *err)
{
    (void)self;
    if (def->is_iceberg) {
        describe_iceberg(def, out);
        return STATUS_OK;
    }
    enum status status = describe_table(arena, def, as_sink, out, err);
    return status == STATUS_OK ? STATUS_OK : refuse(err, status);
}

struct connector_lookup registry_lookup(void)
{
    return (struct connector_lookup){.describe = lookup_describe};
}

// Implementations.

enum status registry_find_source(void *self, const struct table_def *table,
                                 const struct source_class **out, struct err *err)
{
    (void)self;
    if (table->is_iceberg) {
        *out =
            table->metadata_table.size > 0 ? &iceberg_metadata_source_class : &iceberg_source_class;
    } else {
        const struct registry_connector *connector;
        TRY(find_connector(table, &connector, err));
        *out = connector->source;
    }
    if (*out == NULL) {
        return ERR(err, STATUS_UNSUPPORTED, "table '%.*s' cannot be read", STR_ARGS(table->name));
    }
    return STATUS_OK;
}

enum status registry_find_sink(void *self, const struct table_def *table,
                               const struct sink_class **out, struct err *err)
{
    (void)self;
    if (table->is_iceberg) {
        *out = &iceberg_sink_class;
    } else {
        const struct registry_connector *connector;
        TRY(find_connector(table, &connector, err));
        *out = connector->sink;
    }
    if (*out == NULL) {
        return ERR(err, STATUS_UNSUPPORTED, "table '%.*s' cannot be written to",
                   STR_ARGS(table->name));
    }
    return STATUS_OK;
}
