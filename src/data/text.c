// SPDX-License-Identifier: Apache-2.0
#include "data/text.h"

#include <string.h>

#include "base/assert.h"
#include "base/strbuf.h"
#include "data/datetime.h"
#include "data/decimal.h"
#include "data/float_text.h"
#include "data/json_text.h"

// A decimal's unscaled value, or any integer.
static int128 integer_at(const struct column *column, uint32_t row)
{
    const void *value = column_value(column, row);
    switch (physical_width(column->physical)) {
    case 1: return *(const int8_t *)value;
    case 2: return *(const int16_t *)value;
    case 4: return *(const int32_t *)value;
    case 8: return *(const int64_t *)value;
    default: return *(const int128 *)value;
    }
}

bool text_is_uuid(const struct type *type, struct str bytes)
{
    return type->is_uuid && bytes.size == TEXT_UUID_BYTES;
}

void text_uuid(const char *bytes, char out[TEXT_UUID_SIZE])
{
    static const char hex[] = "0123456789abcdef";
    for (uint32_t i = 0; i < TEXT_UUID_BYTES; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) {
            *out++ = '-';
        }
        *out++ = hex[(unsigned char)bytes[i] >> 4];
        *out++ = hex[bytes[i] & 15];
    }
}

static int hex_digit(char letter)
{
    return letter >= '0' && letter <= '9'   ? letter - '0'
           : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10
           : letter >= 'A' && letter <= 'F' ? letter - 'A' + 10
                                            : -1;
}

bool text_uuid_parse(struct str text, char out[TEXT_UUID_BYTES])
{
    bool has_dashes = text.size == TEXT_UUID_SIZE;
    size_t at = 0;
    if (!has_dashes && text.size != 2 * TEXT_UUID_BYTES) {
        return false;
    }
    for (uint32_t i = 0; i < TEXT_UUID_BYTES; i++) {
        if (has_dashes && (i == 4 || i == 6 || i == 8 || i == 10) && text.ptr[at++] != '-') {
            return false;
        }
        int high = hex_digit(text.ptr[at]);
        int low = hex_digit(text.ptr[at + 1]);
        if (high < 0 || low < 0) {
            return false;
        }
        out[i] = (char)(high * 16 + low);
        at += 2;
    }
    return true;
}

static void add_bytes(struct strbuf *out, struct str bytes)
{
    static const char hex[] = "0123456789abcdef";
    strbuf_add_text(out, "x'");
    for (size_t i = 0; i < bytes.size; i++) {
        strbuf_add_byte(out, hex[(unsigned char)bytes.ptr[i] >> 4]);
        strbuf_add_byte(out, hex[bytes.ptr[i] & 15]);
    }
    strbuf_add_byte(out, '\'');
}

static uint32_t format_timestamp(const struct type *type, const struct column *column, uint32_t row,
                                 const struct zone *zone, char *out)
{
    const void *value = column_value(column, row);
    const struct zone *used = type->kind == TYPE_TIMESTAMP_LTZ ? zone : NULL;
    struct zone_span span = {0};
    if (column->physical == PHYSICAL_NANO) {
        struct nano nano = *(const struct nano *)value;
        nano.second += zone_span_of_utc(used, nano.second).offset;
        return datetime_format_nano(nano, type->length, out);
    }
    return datetime_format_us(zone_local_us(used, *(const int64_t *)value, &span), type->length,
                              out);
}

static uint32_t format_boolean(bool value, char *out)
{
    memcpy(out, value ? "TRUE" : "FALSE", value ? 4 : 5);
    return value ? 4 : 5;
}

uint32_t text_scalar(const struct type *type, const struct column *column, uint32_t row,
                     const struct zone *zone, char *out)
{
    const void *value = column_value(column, row);
    switch (type->kind) {
    case TYPE_TINYINT:
    case TYPE_SMALLINT:
    case TYPE_INT:
    case TYPE_BIGINT: return decimal_format(integer_at(column, row), 0, out);
    case TYPE_DECIMAL: return decimal_format(integer_at(column, row), type->scale, out);
    case TYPE_FLOAT: return float_text_f32(*(const float *)value, out);
    case TYPE_DOUBLE: return float_text_f64(*(const double *)value, out);
    case TYPE_DATE: return datetime_format_date(*(const int32_t *)value, out);
    case TYPE_TIME:
        return column->physical == PHYSICAL_I32
                   ? datetime_format_time(*(const int32_t *)value, 0, out)
                   : datetime_format_time_us(*(const int64_t *)value,
                                             type_time_precision(type->length), out);
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_LTZ: return format_timestamp(type, column, row, zone, out);
    case TYPE_INTERVAL_MONTH: return datetime_format_months(*(const int32_t *)value, out);
    case TYPE_INTERVAL_SECOND: return datetime_format_interval(*(const int64_t *)value, out);
    case TYPE_BOOLEAN: return format_boolean(*(const uint8_t *)value != 0, out);
    case TYPE_NULL:
    case TYPE_CHAR:
    case TYPE_VARCHAR:
    case TYPE_BINARY:
    case TYPE_VARBINARY:
    case TYPE_ARRAY:
    case TYPE_MULTISET:
    case TYPE_MAP:
    case TYPE_ROW:
    case TYPE_VARIANT:
    case TYPE_BITMAP:
    case TYPE_RAW: break;
    }
    return 0;
}

static void add_list(struct strbuf *out, const struct type *type, const struct column *column,
                     uint32_t row, const struct text_options *options)
{
    const struct list_view *view = column_value(column, row);
    const struct column *elements = &column_holder(column)->children[0];
    strbuf_add_byte(out, '[');
    for (uint32_t i = 0; i < view->length; i++) {
        if (i > 0) {
            strbuf_add_text(out, ", ");
        }
        text_value(out, type->fields[0].type, elements, view->offset + i, options);
    }
    strbuf_add_byte(out, ']');
}

static void add_map(struct strbuf *out, const struct type *type, const struct column *column,
                    uint32_t row, const struct text_options *options)
{
    const struct list_view *view = column_value(column, row);
    const struct column *children = column_holder(column)->children;
    const struct type *value_type = type->kind == TYPE_MULTISET ? &type_int : type->fields[1].type;
    strbuf_add_byte(out, '{');
    for (uint32_t i = 0; i < view->length; i++) {
        if (i > 0) {
            strbuf_add_text(out, ", ");
        }
        text_value(out, type->fields[0].type, &children[0], view->offset + i, options);
        strbuf_add_byte(out, '=');
        text_value(out, value_type, &children[1], view->offset + i, options);
    }
    strbuf_add_byte(out, '}');
}

static void add_row(struct strbuf *out, const struct type *type, const struct column *column,
                    uint32_t row, const struct text_options *options)
{
    const struct column *holder = column_holder(column);
    strbuf_add_byte(out, '(');
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (i > 0) {
            strbuf_add_text(out, ", ");
        }
        text_value(out, type->fields[i].type, &holder->children[i], column_at(column, row),
                   options);
    }
    strbuf_add_byte(out, ')');
}

static void add_string(struct strbuf *out, const struct type *type, const struct column *column,
                       uint32_t row, const struct text_options *options)
{
    struct str bytes = strview_str(column_value(column, row));
    if (type->kind == TYPE_VARIANT) {
        json_text_value(out, type, column, row, NULL);
        return;
    }
    bool is_text = !type_is_binary(type) && type->kind != TYPE_BITMAP && type->kind != TYPE_RAW;
    if (text_is_uuid(type, bytes)) {
        char text[TEXT_UUID_SIZE];
        text_uuid(bytes.ptr, text);
        strbuf_add(out, str_make(text, sizeof text));
    } else if (is_text || options->bytes_as_characters) {
        strbuf_add(out, bytes);
    } else {
        add_bytes(out, bytes);
    }
}

void text_value(struct strbuf *out, const struct type *type, const struct column *column,
                uint32_t row, const struct text_options *options)
{
    static const struct text_options plain = {0};
    options = options == NULL ? &plain : options;
    if (column_is_null(column, row)) {
        strbuf_add_text(out, "NULL");
        return;
    }
    switch (column->physical) {
    case PHYSICAL_STRING: add_string(out, type, column, row, options); return;
    case PHYSICAL_LIST: add_list(out, type, column, row, options); return;
    case PHYSICAL_MAP: add_map(out, type, column, row, options); return;
    case PHYSICAL_ROW: add_row(out, type, column, row, options); return;
    case PHYSICAL_BOOL:
    case PHYSICAL_I8:
    case PHYSICAL_I16:
    case PHYSICAL_I32:
    case PHYSICAL_I64:
    case PHYSICAL_I128:
    case PHYSICAL_F32:
    case PHYSICAL_F64:
    case PHYSICAL_NANO: break;
    }
    char text[TEXT_SCALAR_MAX];
    uint32_t size = text_scalar(type, column, row, options->zone, text);
    strbuf_add(out, str_make(text, size));
}
