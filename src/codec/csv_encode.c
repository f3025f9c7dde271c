// SPDX-License-Identifier: Apache-2.0
#include "codec/csv_encode.h"

#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "data/batch.h"
#include "data/datetime.h"
#include "data/decimal.h"
#include "data/json_text.h"
#include "data/text.h"

enum { FIELD_MAX = 64 << 20 };

struct csv_encoder {
    struct arena arena;
    struct csv_encode_spec spec;
    struct strbuf field;   // a value before it is quoted
    struct strbuf element; // one of an ARRAY or ROW
};

static enum status check_type(const struct type *type, uint32_t depth, struct err *err)
{
    bool is_nested = type_is_nested(type);
    if (type->kind == TYPE_MAP || type->kind == TYPE_MULTISET || type->kind == TYPE_RAW ||
        type->kind == TYPE_BITMAP || type->kind == TYPE_VARIANT || (is_nested && depth > 0)) {
        struct arena arena = {0};
        ERR(err, STATUS_UNSUPPORTED, "the format csv has no form for the type %.*s",
            STR_ARGS(type_text(&arena, type)));
        if (err != NULL) {
            err->stage = ERR_STAGE_VALIDATE;
        }
        arena_release(&arena);
        return STATUS_UNSUPPORTED;
    }
    for (uint32_t i = 0; is_nested && i < type->field_count; i++) {
        TRY(check_type(type->fields[i].type, depth + 1, err));
    }
    return STATUS_OK;
}

enum status csv_encode_new(const struct csv_encode_spec *spec, struct csv_encoder **out,
                           struct err *err)
{
    *out = NULL;
    for (uint32_t i = 0; i < spec->field_count; i++) {
        TRY(check_type(spec->fields[i].type, 0, err));
    }
    struct csv_encoder *encoder = mem_zalloc(sizeof *encoder);
    struct arena *arena = &encoder->arena;
    struct type_field *fields = arena_new_array(arena, struct type_field, spec->field_count);
    for (uint32_t i = 0; i < spec->field_count; i++) {
        fields[i].name = arena_str(arena, spec->fields[i].name);
        fields[i].type = type_copy(arena, spec->fields[i].type);
    }
    encoder->spec = *spec;
    encoder->spec.fields = fields;
    encoder->spec.null_literal = arena_str(arena, spec->null_literal);
    strbuf_init(&encoder->field, FIELD_MAX);
    strbuf_init(&encoder->element, FIELD_MAX);
    *out = encoder;
    return STATUS_OK;
}

void csv_encode_free(struct csv_encoder *encoder)
{
    if (encoder != NULL) {
        strbuf_release(&encoder->field);
        strbuf_release(&encoder->element);
        arena_release(&encoder->arena);
        mem_free(encoder);
    }
}

// Quotes.

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

static bool needs_quotes(const struct csv_encode_spec *spec, struct str text, bool is_first)
{
    if (text.size == 0 || is_blank(text.ptr[0]) || is_blank(text.ptr[text.size - 1]) ||
        (is_first && text.ptr[0] == '#') ||
        (spec->has_null_literal && str_equal(text, spec->null_literal))) {
        return true;
    }
    for (size_t i = 0; i < text.size; i++) {
        char byte = text.ptr[i];
        if (byte == spec->delimiter || byte == '\n' || byte == '\r' ||
            (spec->quote != 0 && byte == spec->quote) ||
            (spec->escape != 0 && byte == spec->escape)) {
            return true;
        }
    }
    return false;
}

// A text, quoted where it has to be. Without quotes only what is plain can be written; an empty
// text is then what it is.
static enum status put_text(const struct csv_encode_spec *spec, struct str text, bool is_first,
                            struct strbuf *out, struct err *err)
{
    if (!needs_quotes(spec, text, is_first)) {
        strbuf_add(out, text);
        return STATUS_OK;
    }
    if (spec->quote == 0) {
        bool is_harmless = text.size == 0 && !spec->has_null_literal;
        return is_harmless ? STATUS_OK
                           : ERR(err, STATUS_INVALID_DATA,
                                 "a text that has to be quoted, and there is no quote character: "
                                 "'%.*s'",
                                 (int)(text.size < 40 ? text.size : 40), text.ptr);
    }
    strbuf_add_byte(out, spec->quote);
    for (size_t i = 0; i < text.size; i++) {
        char byte = text.ptr[i];
        if (spec->escape != 0 && (byte == spec->quote || byte == spec->escape)) {
            strbuf_add_byte(out, spec->escape);
        } else if (byte == spec->quote) {
            strbuf_add_byte(out, byte);
        }
        strbuf_add_byte(out, byte);
    }
    strbuf_add_byte(out, spec->quote);
    return STATUS_OK;
}

// Values as bare texts.

static void add_decimal(struct strbuf *out, const struct type *type, const struct column *column,
                        uint32_t row)
{
    char text[DECIMAL_TEXT_MAX];
    const void *value = column_value(column, row);
    int128 unscaled = column->physical == PHYSICAL_I128 ? *(const int128 *)value
                                                        : (int128) * (const int64_t *)value;
    strbuf_add(out, str_make(text, decimal_format_java(unscaled, type->scale, text)));
}

// What JSON has in quotes, without them: times and bytes.
static void add_unquoted(const struct csv_encode_spec *spec, struct strbuf *out,
                         const struct type *type, const struct column *column, uint32_t row)
{
    const struct json_text_options options = {
        .time_fraction = true, .iso_timestamps = spec->timestamp_form == TIME_TEXT_ISO_8601};
    size_t begin = out->size;
    json_text_value(out, type, column, row, &options);
    if (!out->truncated) {
        memmove(out->ptr + begin, out->ptr + begin + 1, out->size - begin - 2);
        out->size -= 2;
        out->ptr[out->size] = 0;
    }
}

static void add_scalar(const struct csv_encode_spec *spec, struct strbuf *out,
                       const struct type *type, const struct column *column, uint32_t row)
{
    if (type_is_character(type)) {
        strbuf_add(out, strview_str(column_value(column, row)));
    } else if (type->kind == TYPE_BOOLEAN) {
        bool value = *(const uint8_t *)column_value(column, row) != 0;
        strbuf_add_text(out, value ? "true" : "false");
    } else if (type->kind == TYPE_DECIMAL && spec->decimal_in_scientific_form) {
        add_decimal(out, type, column, row);
    } else if (type_is_timestamp(type) || type->kind == TYPE_TIME || type_is_binary(type)) {
        add_unquoted(spec, out, type, column, row);
    } else {
        text_value(out, type, column, row, NULL);
    }
}

// One element of a list or row, which can only be plain: nothing quotes the element delimiter.
static enum status add_element(struct csv_encoder *encoder, const struct type *type,
                               const struct column *column, uint32_t row, struct err *err)
{
    const struct csv_encode_spec *spec = &encoder->spec;
    if (column_is_null(column, row)) {
        strbuf_add(&encoder->field, spec->null_literal);
        return STATUS_OK;
    }
    strbuf_reset(&encoder->element);
    add_scalar(spec, &encoder->element, type, column, row);
    struct str text = strbuf_str(&encoder->element);
    if (str_find(text, spec->element_delimiter) < text.size) {
        return ERR(err, STATUS_INVALID_DATA, "an element has the element delimiter in it: '%.*s'",
                   (int)(text.size < 40 ? text.size : 40), text.ptr);
    }
    strbuf_add(&encoder->field, text);
    return STATUS_OK;
}

static enum status add_nested(struct csv_encoder *encoder, const struct type *type,
                              const struct column *column, uint32_t row, struct err *err)
{
    const struct column *holder = column_holder(column);
    bool is_row = type->kind == TYPE_ROW;
    struct list_view view = {column_at(column, row), type->field_count};
    if (!is_row) {
        view = *(const struct list_view *)column_value(column, row);
    }
    for (uint32_t i = 0; i < view.length; i++) {
        if (i > 0) {
            strbuf_add_byte(&encoder->field, encoder->spec.element_delimiter);
        }
        TRY(add_element(encoder, type->fields[is_row ? i : 0].type,
                        &holder->children[is_row ? i : 0], is_row ? view.offset : view.offset + i,
                        err));
    }
    return STATUS_OK;
}

static enum status put_field(struct csv_encoder *encoder, uint32_t field,
                             const struct column *column, uint32_t row, struct strbuf *out,
                             struct err *err)
{
    const struct csv_encode_spec *spec = &encoder->spec;
    const struct type *type = spec->fields[field].type;
    if (column_is_null(column, row)) {
        strbuf_add(out, spec->null_literal);
        return STATUS_OK;
    }
    strbuf_reset(&encoder->field);
    if (type_is_nested(type)) {
        TRY(add_nested(encoder, type, column, row, err));
    } else {
        add_scalar(spec, &encoder->field, type, column, row);
    }
    return put_text(spec, strbuf_str(&encoder->field), field == 0, out, err);
}

enum status csv_encode_row(struct csv_encoder *encoder, const struct column *columns, uint32_t row,
                           struct strbuf *out, struct err *err)
{
    const struct csv_encode_spec *spec = &encoder->spec;
    for (uint32_t i = 0; i < spec->field_count; i++) {
        if (i > 0) {
            strbuf_add_byte(out, spec->delimiter);
        }
        enum status status = put_field(encoder, i, &columns[i], row, out, err);
        if (status != STATUS_OK) {
            err_context(err, "field '%.*s'", STR_ARGS(spec->fields[i].name));
            return status;
        }
    }
    return out->truncated ? ERR(err, STATUS_LIMIT, "over %zu bytes of CSV", out->size_max)
                          : STATUS_OK;
}

enum status csv_encode_header(struct csv_encoder *encoder, struct strbuf *out, struct err *err)
{
    const struct csv_encode_spec *spec = &encoder->spec;
    for (uint32_t i = 0; i < spec->field_count; i++) {
        if (i > 0) {
            strbuf_add_byte(out, spec->delimiter);
        }
        TRY(put_text(spec, spec->fields[i].name, i == 0, out, err));
    }
    strbuf_add_byte(out, '\n');
    return STATUS_OK;
}

enum status csv_encode_batch(struct csv_encoder *encoder, const struct batch *batch,
                             struct strbuf *out, struct err *err)
{
    for (uint32_t row = 0; row < batch->row_count; row++) {
        TRY(csv_encode_row(encoder, batch->columns, row, out, err));
        strbuf_add_byte(out, '\n');
    }
    return STATUS_OK;
}
