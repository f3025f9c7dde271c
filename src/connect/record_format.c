// SPDX-License-Identifier: Apache-2.0
#include "connect/record_format.h"

#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "codec/csv_decode.h"
#include "codec/debezium_json.h"
#include "codec/json_decode.h"
#include "data/batch.h"

#define COUNT(array) (uint32_t)(sizeof(array) / sizeof(array)[0])
#define INSERTS (1 << CHANGE_INSERT)
#define ALL_CHANGES                                                                                \
    (1 << CHANGE_INSERT | 1 << CHANGE_UPDATE_BEFORE | 1 << CHANGE_UPDATE_AFTER | 1 << CHANGE_DELETE)

// Options.

static const struct option_def json_options[] = {
    {"fail-on-missing-field", OPTION_BOOLEAN, false, "false", NULL,
     "A record without one of the fields is an error."},
    {"ignore-parse-errors", OPTION_BOOLEAN, false, "false", NULL,
     "Values that cannot be read are NULL, records that are no JSON are left out."},
    {"timestamp-format.standard", OPTION_ENUM, false, "SQL", "SQL|ISO-8601",
     "How timestamps are written: 2024-02-29 12:30:00.5, or 2024-02-29T12:30:00.5."},
    {"map-null-key.mode", OPTION_ENUM, false, "FAIL", "FAIL|DROP|LITERAL",
     "What to do with a NULL key of a MAP when writing."},
    {"map-null-key.literal", OPTION_STRING, false, "null", NULL,
     "The key that stands for NULL when writing with map-null-key.mode LITERAL."},
    {"encode.decimal-as-plain-number", OPTION_BOOLEAN, false, "false", NULL,
     "Decimals are written without an exponent."},
    {"encode.ignore-null-fields", OPTION_BOOLEAN, false, "false", NULL,
     "Fields that are NULL are not written."},
    {"decode.json-parser.enabled", OPTION_BOOLEAN, false, "true", NULL,
     "Accepted; there is one decoder."},
};

static const struct option_def debezium_options[] = {
    {"schema-include", OPTION_BOOLEAN, false, "false", NULL,
     "Messages hold \"schema\" and \"payload\" (value.converter.schemas.enable)."},
    {"ignore-parse-errors", OPTION_BOOLEAN, false, "false", NULL,
     "Values that cannot be read are NULL, messages that make no sense are left out."},
    {"timestamp-format.standard", OPTION_ENUM, false, "SQL", "SQL|ISO-8601",
     "How timestamps are written: 2024-02-29 12:30:00.5, or 2024-02-29T12:30:00.5."},
    {"map-null-key.mode", OPTION_ENUM, false, "FAIL", "FAIL|DROP|LITERAL",
     "What to do with a NULL key of a MAP when writing."},
    {"map-null-key.literal", OPTION_STRING, false, "null", NULL,
     "The key that stands for NULL when writing with map-null-key.mode LITERAL."},
    {"encode.decimal-as-plain-number", OPTION_BOOLEAN, false, "false", NULL,
     "Decimals are written without an exponent."},
    {"encode.ignore-null-fields", OPTION_BOOLEAN, false, "false", NULL,
     "Fields that are NULL are not written."},
};

static const struct option_def csv_options[] = {
    {"header", OPTION_BOOLEAN, false, "false", NULL,
     "The first line of a file names its columns, which are found by these names (ours)."},
    {"field-delimiter", OPTION_STRING, false, ",", NULL, "One character between fields."},
    {"disable-quote-character", OPTION_BOOLEAN, false, "false", NULL, "No field is in quotes."},
    {"quote-character", OPTION_STRING, false, "\"", NULL, "The quote around fields."},
    {"allow-comments", OPTION_BOOLEAN, false, "false", NULL,
     "Lines that begin with '#' are left out."},
    {"ignore-parse-errors", OPTION_BOOLEAN, false, "false", NULL,
     "Values that cannot be read are NULL, lines that do not fit are left out."},
    {"array-element-delimiter", OPTION_STRING, false, ";", NULL,
     "One character between the elements of an ARRAY or ROW."},
    {"escape-character", OPTION_STRING, false, NULL, NULL,
     "The character behind it stands for itself."},
    {"null-literal", OPTION_STRING, false, NULL, NULL, "The text that means NULL."},
    {"timestamp-format.standard", OPTION_ENUM, false, "SQL", "SQL|ISO-8601",
     "How timestamps are written: 2024-02-29 12:30:00.5, or 2024-02-29T12:30:00.5 (ours)."},
    {"write-bigdecimal-in-scientific-notation", OPTION_BOOLEAN, false, "true", NULL,
     "Large decimals are written with an exponent."},
};

static const struct option_def parquet_options[] = {
    {"compression", OPTION_ENUM, false, "ZSTD", "UNCOMPRESSED|SNAPPY|GZIP|ZSTD|LZ4_RAW|BROTLI",
     "How pages are compressed when writing."},
    {"utc-timezone", OPTION_BOOLEAN, false, "true", NULL,
     "Timestamps without a zone are read as they stand; nothing else is supported."},
    {"timestamp.time.unit", OPTION_ENUM, false, "micros", "nanos|micros|millis",
     "When writing: micros and nothing else."},
    {"write.int64.timestamp", OPTION_BOOLEAN, false, "true", NULL,
     "When writing: true and nothing else."},
    {"batch-size", OPTION_INTEGER, false, NULL, NULL,
     "Accepted; rows are read in batches of our own size."},
};

static const struct option_def avro_options[] = {
    {"codec", OPTION_ENUM, false, "deflate", "null|deflate|snappy|zstandard|bzip2|xz",
     "How blocks are compressed when writing."},
    {"encoding", OPTION_ENUM, false, "binary", "binary", "How values are written."},
    {"timestamp_mapping.legacy", OPTION_BOOLEAN, false, "false", NULL,
     "When writing: false and nothing else; files are read by their own schema."},
};

static const struct record_format_info formats[] = {
    {"json", json_options, COUNT(json_options), INSERTS, NULL},
    {"debezium-json", debezium_options, COUNT(debezium_options), ALL_CHANGES, NULL},
    {"csv", csv_options, COUNT(csv_options), INSERTS, NULL},
    {"avro", avro_options, COUNT(avro_options), INSERTS, NULL},
    {"avro-confluent", NULL, 0, INSERTS, "not supported yet"},
    {"canal-json", NULL, 0, ALL_CHANGES, "not supported yet"},
    {"debezium-avro-confluent", NULL, 0, ALL_CHANGES, "not supported yet"},
    {"maxwell-json", NULL, 0, ALL_CHANGES, "not supported yet"},
    {"ogg-json", NULL, 0, ALL_CHANGES, "not supported yet"},
    {"orc", NULL, 0, INSERTS, "not supported"},
    {"parquet", parquet_options, COUNT(parquet_options), INSERTS, NULL},
    {"protobuf", NULL, 0, INSERTS, "not supported yet"},
    {"raw", NULL, 0, INSERTS, "not supported yet"},
};

const struct record_format_info *record_format_at(uint32_t index)
{
    return index < COUNT(formats) ? &formats[index] : NULL;
}

const struct record_format_info *record_format_find(struct str name)
{
    for (uint32_t i = 0; i < COUNT(formats); i++) {
        if (str_is(name, formats[i].name)) {
            return &formats[i];
        }
    }
    return NULL;
}

bool record_format_is_file(const struct record_format_info *info)
{
    return info->options == parquet_options || info->options == avro_options;
}

const char *record_format_metadata(const struct record_format_info *info, uint32_t index,
                                   const struct type **type)
{
    return info->options == debezium_options ? debezium_json_metadata(index, type) : NULL;
}

// One character, or one of Flink's escapes for it; 0: neither.
char record_format_character(struct str text)
{
    if (text.size == 1) {
        return text.ptr[0];
    }
    if (text.size == 2 && text.ptr[0] == '\\') {
        switch (text.ptr[1]) {
        case 't': return '\t';
        case 'n': return '\n';
        case 'r': return '\r';
        case '\\': return '\\';
        default: break;
        }
    }
    return 0;
}

static enum status format_check_csv(const struct table_def *def, const char *prefix,
                                    struct err *err)
{
    static const char *const keys[] = {"field-delimiter", "quote-character",
                                       "array-element-delimiter", "escape-character"};
    for (uint32_t i = 0; i < COUNT(keys); i++) {
        struct str text = option_text(def, prefix, keys[i], ",");
        if (record_format_character(text) == 0) {
            return ERR(err, STATUS_INVALID_DATA,
                       "option '%s%s' cannot be '%.*s': it is one character of ASCII", prefix,
                       keys[i], STR_ARGS(text));
        }
    }
    if (option_bool(def, prefix, "disable-quote-character", false) &&
        option_is_set(def, prefix, "quote-character")) {
        return ERR(err, STATUS_INVALID_DATA,
                   "'%squote-character' and '%sdisable-quote-character' exclude each other", prefix,
                   prefix);
    }
    return STATUS_OK;
}

enum status record_format_check(const struct record_format_info *info, const struct table_def *def,
                                const char *prefix, struct err *err)
{
    enum status status = STATUS_OK;
    if (info->options == csv_options) {
        status = format_check_csv(def, prefix, err);
    } else if (option_bool(def, prefix, "fail-on-missing-field", false) &&
               option_bool(def, prefix, "ignore-parse-errors", false)) {
        status = ERR(err, STATUS_INVALID_DATA,
                     "'%sfail-on-missing-field' and '%signore-parse-errors' exclude each other",
                     prefix, prefix);
    }
    if (status != STATUS_OK && err != NULL) {
        err->stage = ERR_STAGE_VALIDATE;
    }
    return status;
}

// Decoders.

struct record_format {
    enum { FORMAT_JSON, FORMAT_DEBEZIUM, FORMAT_CSV } kind;
    union {
        struct json_decoder *json;
        struct debezium_decoder *debezium;
        struct csv_decoder *csv;
    } as;
    struct record_rows rows;
};

static enum time_text_form timestamp_form(const struct table_def *table, const char *prefix)
{
    struct str form = option_text(table, prefix, "timestamp-format.standard", "SQL");
    return str_is_nocase(form, "SQL") ? TIME_TEXT_SQL : TIME_TEXT_ISO_8601;
}

static void format_json_spec(const struct record_format_spec *spec, struct type_field *fields,
                             struct json_decode_spec *json)
{
    for (uint32_t i = 0; i < spec->wanted_count; i++) {
        fields[i] = spec->fields[spec->wanted[i]];
    }
    const struct table_def *table = spec->table;
    *json = (struct json_decode_spec){
        .fields = fields,
        .field_count = spec->wanted_count,
        .timestamp_form = timestamp_form(table, spec->prefix),
        .fail_on_missing_field = option_bool(table, spec->prefix, "fail-on-missing-field", false),
        .ignore_parse_errors = option_bool(table, spec->prefix, "ignore-parse-errors", false),
        .option_prefix = str_from(spec->prefix),
    };
}

void record_format_csv_dialect(const struct table_def *table, const char *prefix,
                               struct csv_decode_spec *out)
{
    bool no_quotes = option_bool(table, prefix, "disable-quote-character", false);
    *out = (struct csv_decode_spec){
        .delimiter = record_format_character(option_text(table, prefix, "field-delimiter", ",")),
        .quote = no_quotes
                     ? 0
                     : record_format_character(option_text(table, prefix, "quote-character", "\"")),
        .escape = record_format_character(option_text(table, prefix, "escape-character", "")),
        .element_delimiter =
            record_format_character(option_text(table, prefix, "array-element-delimiter", ";")),
        .has_null_literal = option_is_set(table, prefix, "null-literal"),
        .null_literal = option_text(table, prefix, "null-literal", ""),
        .allow_comments = option_bool(table, prefix, "allow-comments", false),
        .timestamp_form = timestamp_form(table, prefix),
        .ignore_parse_errors = option_bool(table, prefix, "ignore-parse-errors", false),
    };
}

static enum status format_new_csv(const struct record_format_spec *spec, struct csv_decoder **out,
                                  struct err *err)
{
    struct csv_decode_spec csv;
    record_format_csv_dialect(spec->table, spec->prefix, &csv);
    csv.fields = spec->fields;
    csv.field_count = spec->field_count;
    csv.wanted = spec->wanted;
    csv.wanted_count = spec->wanted_count;
    return csv_decode_new(&csv, out, err);
}

enum status record_format_new(const struct record_format_spec *spec, struct record_format **out,
                              struct err *err)
{
    struct record_format *format = mem_zalloc(sizeof *format);
    struct arena arena;
    arena_init(&arena);
    struct json_decode_spec json;
    struct type_field *fields = arena_new_array(&arena, struct type_field, spec->wanted_count + 1);
    format_json_spec(spec, fields, &json);
    enum status status;
    if (str_is(spec->name, "json")) {
        format->kind = FORMAT_JSON;
        status = json_decode_new(&json, &format->as.json, err);
    } else if (str_is(spec->name, "debezium-json")) {
        struct debezium_spec debezium = {
            .json = json,
            .schema_include = option_bool(spec->table, spec->prefix, "schema-include", false),
            .metadata = spec->metadata,
            .metadata_count = spec->metadata_count};
        format->kind = FORMAT_DEBEZIUM;
        status = debezium_json_new(&debezium, &format->as.debezium, err);
    } else if (str_is(spec->name, "csv")) {
        format->kind = FORMAT_CSV;
        status = format_new_csv(spec, &format->as.csv, err);
    } else {
        status =
            ERR(err, STATUS_UNSUPPORTED, "format '%.*s' is not supported", STR_ARGS(spec->name));
    }
    arena_release(&arena);
    if (status != STATUS_OK) {
        mem_free(format);
        return status;
    }
    *out = format;
    return STATUS_OK;
}

void record_format_free(struct record_format *format)
{
    if (format == NULL) {
        return;
    }
    switch (format->kind) {
    case FORMAT_JSON: json_decode_free(format->as.json); break;
    case FORMAT_DEBEZIUM: debezium_json_free(format->as.debezium); break;
    case FORMAT_CSV: csv_decode_free(format->as.csv); break;
    }
    mem_free(format);
}

static void format_take(struct record_format *format)
{
    struct record_rows *rows = &format->rows;
    *rows = (struct record_rows){0};
    switch (format->kind) {
    case FORMAT_JSON:
        rows->row_count = json_decode_rows(format->as.json);
        rows->columns = json_decode_columns(format->as.json);
        rows->places = json_decode_places(format->as.json);
        rows->lines_used = json_decode_lines_used(format->as.json);
        break;
    case FORMAT_DEBEZIUM: {
        const struct debezium_rows *from = debezium_json_rows(format->as.debezium);
        *rows = (struct record_rows){.row_count = from->row_count,
                                     .columns = from->columns,
                                     .kinds = from->kinds,
                                     .places = from->places,
                                     .lines_used = from->lines_used};
        break;
    }
    case FORMAT_CSV:
        rows->row_count = csv_decode_rows(format->as.csv);
        rows->columns = csv_decode_columns(format->as.csv);
        rows->places = csv_decode_places(format->as.csv);
        rows->lines_used = csv_decode_lines_used(format->as.csv);
        break;
    }
}

enum status record_format_lines(struct record_format *format, struct str bytes, bool is_last,
                                uint32_t rows_max, size_t *used, struct err *err)
{
    enum status status = STATUS_OK;
    switch (format->kind) {
    case FORMAT_JSON:
        status = json_decode_lines(format->as.json, bytes, rows_max, used, err);
        break;
    case FORMAT_DEBEZIUM:
        status = debezium_json_lines(format->as.debezium, bytes, rows_max, used, err);
        break;
    case FORMAT_CSV:
        status = csv_decode_lines(format->as.csv, bytes, is_last, rows_max, used, err);
        break;
    }
    format_take(format);
    return status;
}

enum status record_format_messages(struct record_format *format, const struct str *messages,
                                   uint32_t count, uint32_t rows_max, uint32_t *used,
                                   struct err *err)
{
    enum status status = STATUS_OK;
    switch (format->kind) {
    case FORMAT_JSON:
        status = json_decode_messages(format->as.json, messages, count, rows_max, used, err);
        break;
    case FORMAT_DEBEZIUM:
        status = debezium_json_messages(format->as.debezium, messages, count, rows_max, used, err);
        break;
    case FORMAT_CSV:
        status = csv_decode_messages(format->as.csv, messages, count, rows_max, used, err);
        break;
    }
    format_take(format);
    return status;
}

const struct record_rows *record_format_rows(const struct record_format *format)
{
    return &format->rows;
}

uint64_t record_format_bad_place(const struct record_format *format)
{
    switch (format->kind) {
    case FORMAT_JSON: return json_decode_bad_place(format->as.json);
    case FORMAT_DEBEZIUM: return debezium_json_bad_place(format->as.debezium);
    case FORMAT_CSV: return csv_decode_bad_place(format->as.csv);
    }
    return 0;
}

uint64_t record_format_skipped(const struct record_format *format)
{
    switch (format->kind) {
    case FORMAT_JSON: return json_decode_skipped(format->as.json);
    case FORMAT_DEBEZIUM: return debezium_json_skipped(format->as.debezium);
    case FORMAT_CSV: return csv_decode_skipped(format->as.csv);
    }
    return 0;
}
