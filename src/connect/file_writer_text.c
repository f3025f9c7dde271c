// SPDX-License-Identifier: Apache-2.0
//
// CSV and JSON (an object a line). CSV files begin with the columns' names where 'csv.header' says
// so; a file by its name has them.
#include "base/arena.h"
#include "base/byte_sink.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "codec/csv_decode.h"
#include "codec/csv_encode.h"
#include "codec/json_encode.h"
#include "connect/file_writer.h"
#include "connect/option.h"
#include "connect/record_format.h"
#include "data/batch.h"

enum { TEXT_BYTES_MAX = 1 << 30 };

struct text_writer {
    struct file_writer writer;
    struct byte_sink *sink;
    struct csv_encoder *csv; // one of the two
    struct json_encoder *json;
    struct strbuf text;
};

static enum status write_text(struct text_writer *writer, struct err *err)
{
    struct str text = strbuf_str(&writer->text);
    enum status status = byte_sink_write(writer->sink, text.ptr, text.size, err);
    strbuf_reset(&writer->text);
    return status;
}

static enum status text_append(struct file_writer *base, const struct batch *batch, struct err *err)
{
    struct text_writer *writer = (struct text_writer *)base;
    TRY(writer->csv != NULL ? csv_encode_batch(writer->csv, batch, &writer->text, err)
                            : json_encode_batch(writer->json, batch, &writer->text, err));
    return write_text(writer, err);
}

static uint64_t text_size(const struct file_writer *base)
{
    return ((const struct text_writer *)base)->sink->written;
}

static enum status text_finish(struct file_writer *base, struct err *err)
{
    (void)base;
    (void)err;
    return STATUS_OK;
}

static void text_free(struct file_writer *base)
{
    struct text_writer *writer = (struct text_writer *)base;
    csv_encode_free(writer->csv);
    json_encode_free(writer->json);
    strbuf_release(&writer->text);
    mem_free(writer);
}

static struct text_writer *new_writer(const struct file_writer_class *class, struct byte_sink *sink)
{
    struct text_writer *writer = mem_zalloc(sizeof *writer);
    writer->writer.class = class;
    writer->sink = sink;
    strbuf_init(&writer->text, TEXT_BYTES_MAX);
    return writer;
}

static enum status csv_open(const struct file_writer_spec *spec, struct byte_sink *sink,
                            struct file_writer **out, struct err *err)
{
    struct text_writer *writer = new_writer(&file_writer_csv, sink);
    struct csv_decode_spec dialect;
    record_format_csv_dialect(spec->table, spec->prefix, &dialect);
    struct csv_encode_spec csv = {
        .fields = spec->row->fields,
        .field_count = spec->row->field_count,
        .delimiter = dialect.delimiter,
        .quote = dialect.quote,
        .escape = dialect.escape,
        .element_delimiter = dialect.element_delimiter,
        .has_null_literal = dialect.has_null_literal,
        .null_literal = dialect.null_literal,
        .decimal_in_scientific_form =
            option_bool(spec->table, spec->prefix, "write-bigdecimal-in-scientific-notation", true),
        .timestamp_form = dialect.timestamp_form};
    enum status status = csv_encode_new(&csv, &writer->csv, err);
    if (status == STATUS_OK && option_bool(spec->table, spec->prefix, "header", false)) {
        status = csv_encode_header(writer->csv, &writer->text, err);
        status = status == STATUS_OK ? write_text(writer, err) : status;
    }
    if (status != STATUS_OK) {
        text_free(&writer->writer);
        return status;
    }
    *out = &writer->writer;
    return STATUS_OK;
}

static enum json_encode_null_key null_key_of(const struct file_writer_spec *spec)
{
    struct str mode = option_text(spec->table, spec->prefix, "map-null-key.mode", "FAIL");
    return str_is_nocase(mode, "DROP")      ? JSON_ENCODE_NULL_KEY_DROP
           : str_is_nocase(mode, "LITERAL") ? JSON_ENCODE_NULL_KEY_LITERAL
                                            : JSON_ENCODE_NULL_KEY_FAIL;
}

static enum status json_open(const struct file_writer_spec *spec, struct byte_sink *sink,
                             struct file_writer **out, struct err *err)
{
    const struct table_def *table = spec->table;
    const char *prefix = spec->prefix;
    struct text_writer *writer = new_writer(&file_writer_json, sink);
    struct str form = option_text(table, prefix, "timestamp-format.standard", "SQL");
    struct json_encode_spec json = {
        .fields = spec->row->fields,
        .field_count = spec->row->field_count,
        .timestamp_form = str_is_nocase(form, "SQL") ? TIME_TEXT_SQL : TIME_TEXT_ISO_8601,
        .null_key = null_key_of(spec),
        .null_key_literal = option_text(table, prefix, "map-null-key.literal", "null"),
        .decimal_as_plain_number =
            option_bool(table, prefix, "encode.decimal-as-plain-number", false),
        .ignore_null_fields = option_bool(table, prefix, "encode.ignore-null-fields", false)};
    enum status status = json_encode_new(&json, &writer->json, err);
    if (status != STATUS_OK) {
        text_free(&writer->writer);
        return status;
    }
    *out = &writer->writer;
    return STATUS_OK;
}

const struct file_writer_class file_writer_csv = {
    .format = "csv",
    .open = csv_open,
    .append = text_append,
    .size = text_size,
    .finish = text_finish,
    .free = text_free,
};

const struct file_writer_class file_writer_json = {
    .format = "json",
    .open = json_open,
    .append = text_append,
    .size = text_size,
    .finish = text_finish,
    .free = text_free,
};
