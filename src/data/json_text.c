// SPDX-License-Identifier: Apache-2.0
#include "data/json_text.h"

#include <math.h>
#include <string.h>

#include "base/strbuf.h"
#include "data/datetime.h"
#include "data/decimal.h"
#include "data/text.h"
#include "data/variant.h"

// The length of the well-formed character at the start of `text`; 0 where there is none.
static size_t utf8_length(struct str text)
{
    unsigned char lead = (unsigned char)text.ptr[0];
    size_t length = lead < 0x80 ? 1 : lead >= 0xc2 && lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if ((lead >= 0x80 && lead < 0xc2) || lead > 0xf4 || length > text.size) {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        if (((unsigned char)text.ptr[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    unsigned char second = length > 1 ? (unsigned char)text.ptr[1] : 0;
    bool is_bad = (lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
                  (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f);
    return is_bad ? 0 : length;
}

static void add_escaped(struct strbuf *out, unsigned char byte)
{
    switch (byte) {
    case '"': strbuf_add_text(out, "\\\""); return;
    case '\\': strbuf_add_text(out, "\\\\"); return;
    case '\b': strbuf_add_text(out, "\\b"); return;
    case '\f': strbuf_add_text(out, "\\f"); return;
    case '\n': strbuf_add_text(out, "\\n"); return;
    case '\r': strbuf_add_text(out, "\\r"); return;
    case '\t': strbuf_add_text(out, "\\t"); return;
    default: strbuf_printf(out, "\\u%04X", byte); return;
    }
}

void json_text_string(struct strbuf *out, struct str text)
{
    strbuf_add_byte(out, '"');
    size_t plain = 0; // bytes at the start of `text` that go out as they are
    while (plain < text.size) {
        unsigned char byte = (unsigned char)text.ptr[plain];
        size_t length = byte < 0x80 ? 1 : utf8_length(str_slice(text, plain, text.size));
        if (length > 0 && byte >= 0x20 && byte != '"' && byte != '\\') {
            plain += length;
            continue;
        }
        strbuf_add(out, str_slice(text, 0, plain));
        if (length == 0) {
            strbuf_add_text(out, "\xef\xbf\xbd");
        } else {
            add_escaped(out, byte);
        }
        text = str_slice(text, plain + 1, text.size);
        plain = 0;
    }
    strbuf_add(out, text);
    strbuf_add_byte(out, '"');
}

void json_text_bytes(struct strbuf *out, struct str bytes)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    strbuf_add_byte(out, '"');
    for (size_t i = 0; i < bytes.size; i += 3) {
        uint32_t group = 0;
        for (size_t j = 0; j < 3; j++) {
            group = group << 8 | (i + j < bytes.size ? (unsigned char)bytes.ptr[i + j] : 0);
        }
        for (size_t j = 0; j < 4; j++) {
            bool is_padding = i + j > bytes.size;
            strbuf_add_byte(out, is_padding ? '=' : letters[group >> (18 - 6 * j) & 63]);
        }
    }
    strbuf_add_byte(out, '"');
}

static void add_timestamp(struct strbuf *out, const struct type *type, const struct column *column,
                          uint32_t row, const struct json_text_options *options)
{
    char text[DATETIME_TEXT_MAX];
    const void *value = column_value(column, row);
    uint32_t size = column->physical == PHYSICAL_NANO
                        ? datetime_format_nano(*(const struct nano *)value, type->length, text)
                        : datetime_format_us(*(const int64_t *)value, type->length, text);
    char *blank = memchr(text, ' ', size);
    if (options->iso_timestamps && blank != NULL) {
        *blank = 'T';
    }
    strbuf_add_byte(out, '"');
    strbuf_add(out, str_make(text, size));
    strbuf_add_text(out, type->kind == TYPE_TIMESTAMP_LTZ ? "Z\"" : "\"");
}

static bool is_finite(const struct column *column, uint32_t row)
{
    const void *value = column_value(column, row);
    return column->physical == PHYSICAL_F32 ? isfinite(*(const float *)value)
                                            : isfinite(*(const double *)value);
}

static void add_quoted(struct strbuf *out, const struct type *type, const struct column *column,
                       uint32_t row)
{
    strbuf_add_byte(out, '"');
    text_value(out, type, column, row, NULL);
    strbuf_add_byte(out, '"');
}

static void add_array(struct strbuf *out, const struct type *type, const struct column *column,
                      uint32_t row, const struct json_text_options *options)
{
    const struct list_view *view = column_value(column, row);
    strbuf_add_byte(out, '[');
    for (uint32_t i = 0; i < view->length; i++) {
        if (i > 0) {
            strbuf_add_byte(out, ',');
        }
        json_text_value(out, type->fields[0].type, &column_holder(column)->children[0],
                        view->offset + i, options);
    }
    strbuf_add_byte(out, ']');
}

static void add_decimal(struct strbuf *out, const struct type *type, const struct column *column,
                        uint32_t row)
{
    char text[DECIMAL_TEXT_MAX];
    const void *value = column_value(column, row);
    int128 unscaled = column->physical == PHYSICAL_I128 ? *(const int128 *)value
                                                        : (int128) * (const int64_t *)value;
    strbuf_add(out, str_make(text, decimal_format_java(unscaled, type->scale, text)));
}

// With the digits behind the second that are not 0; held in milliseconds or microseconds.
static void add_time(struct strbuf *out, const struct column *column, uint32_t row)
{
    char text[DATETIME_TEXT_MAX];
    const void *value = column_value(column, row);
    int64_t micros = column->physical == PHYSICAL_I64
                         ? *(const int64_t *)value
                         : (int64_t) * (const int32_t *)value * (DATETIME_US_PER_SECOND / 1000);
    bool is_whole = micros % DATETIME_US_PER_SECOND == 0;
    uint32_t size = datetime_format_time_us(micros, is_whole ? 0 : 6, text);
    while (!is_whole && text[size - 1] == '0') {
        size--;
    }
    strbuf_add_byte(out, '"');
    strbuf_add(out, str_make(text, size));
    strbuf_add_byte(out, '"');
}

static void add_key(struct strbuf *out, const struct type *type, const struct column *keys,
                    uint32_t row, const struct json_text_options *options)
{
    if (options->null_key == JSON_TEXT_NULL_KEY_LITERAL && column_is_null(keys, row)) {
        json_text_string(out, options->null_key_literal);
        return;
    }
    if (keys->physical == PHYSICAL_STRING && !column_is_null(keys, row)) {
        json_text_string(out, strview_str(column_value(keys, row)));
        return;
    }
    struct strbuf text;
    strbuf_init(&text, out->size_max);
    text_value(&text, type, keys, row, NULL);
    json_text_string(out, strbuf_str(&text));
    strbuf_release(&text);
}

static void add_map(struct strbuf *out, const struct type *type, const struct column *column,
                    uint32_t row, const struct json_text_options *options)
{
    const struct list_view *view = column_value(column, row);
    const struct column *children = column_holder(column)->children;
    const struct type *value_type = type->kind == TYPE_MULTISET ? &type_int : type->fields[1].type;
    bool is_first = true;
    strbuf_add_byte(out, '{');
    for (uint32_t i = 0; i < view->length; i++) {
        if (options->null_key == JSON_TEXT_NULL_KEY_DROP &&
            column_is_null(&children[0], view->offset + i)) {
            continue;
        }
        strbuf_add_text(out, is_first ? "" : ",");
        is_first = false;
        add_key(out, type->fields[0].type, &children[0], view->offset + i, options);
        strbuf_add_byte(out, ':');
        json_text_value(out, value_type, &children[1], view->offset + i, options);
    }
    strbuf_add_byte(out, '}');
}

static void add_object(struct strbuf *out, const struct type *type, const struct column *column,
                       uint32_t row, const struct json_text_options *options)
{
    const struct column *holder = column_holder(column);
    uint32_t at = column_at(column, row);
    bool is_first = true;
    strbuf_add_byte(out, '{');
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (options->omit_null_fields && column_is_null(&holder->children[i], at)) {
            continue;
        }
        if (!is_first) {
            strbuf_add_byte(out, ',');
        }
        is_first = false;
        json_text_string(out, type->fields[i].name);
        strbuf_add_byte(out, ':');
        json_text_value(out, type->fields[i].type, &holder->children[i], at, options);
    }
    strbuf_add_byte(out, '}');
}

static void add_variant(struct strbuf *out, struct str held)
{
    size_t size = out->size;
    if (!variant_json(out, held, NULL)) {
        out->size = size;
        strbuf_add_text(out, "null");
    }
}

void json_text_value(struct strbuf *out, const struct type *type, const struct column *column,
                     uint32_t row, const struct json_text_options *options)
{
    static const struct json_text_options plain = {0};
    options = options == NULL ? &plain : options;
    if (column_is_null(column, row)) {
        strbuf_add_text(out, "null");
        return;
    }
    switch (type->kind) {
    case TYPE_NULL: strbuf_add_text(out, "null"); return;
    case TYPE_BOOLEAN:
        strbuf_add_text(out, *(const uint8_t *)column_value(column, row) != 0 ? "true" : "false");
        return;
    case TYPE_TINYINT:
    case TYPE_SMALLINT:
    case TYPE_INT:
    case TYPE_BIGINT: text_value(out, type, column, row, NULL); return;
    case TYPE_DECIMAL:
        if (options->java_decimals) {
            add_decimal(out, type, column, row);
        } else {
            text_value(out, type, column, row, NULL);
        }
        return;
    case TYPE_FLOAT:
    case TYPE_DOUBLE:
        if (is_finite(column, row)) {
            text_value(out, type, column, row, NULL);
            return;
        }
        add_quoted(out, type, column, row);
        return;
    case TYPE_TIME:
        if (options->time_fraction) {
            add_time(out, column, row);
        } else {
            add_quoted(out, type, column, row);
        }
        return;
    case TYPE_DATE:
    case TYPE_INTERVAL_MONTH:
    case TYPE_INTERVAL_SECOND: add_quoted(out, type, column, row); return;
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_LTZ: add_timestamp(out, type, column, row, options); return;
    case TYPE_CHAR:
    case TYPE_VARCHAR: json_text_string(out, strview_str(column_value(column, row))); return;
    case TYPE_VARIANT: add_variant(out, strview_str(column_value(column, row))); return;
    case TYPE_BINARY:
    case TYPE_VARBINARY:
    case TYPE_BITMAP:
    case TYPE_RAW:
        if (text_is_uuid(type, strview_str(column_value(column, row)))) {
            add_quoted(out, type, column, row);
        } else {
            json_text_bytes(out, strview_str(column_value(column, row)));
        }
        return;
    case TYPE_ARRAY: add_array(out, type, column, row, options); return;
    case TYPE_MULTISET:
    case TYPE_MAP: add_map(out, type, column, row, options); return;
    case TYPE_ROW: add_object(out, type, column, row, options); return;
    }
}
