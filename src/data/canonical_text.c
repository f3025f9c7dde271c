// SPDX-License-Identifier: Apache-2.0
#include "data/canonical_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "data/datetime.h"
#include "data/decimal.h"
#include "data/text.h"
#include "data/variant.h"

enum {
    DIGITS_MAX = 17, // that a double needs
    ITEMS_BYTES_MAX = 1 << 30,
    MICRO_DIGITS = 6,
    NANO_DIGITS = 9,
};

void canonical_text_string(struct strbuf *out, struct str text)
{
    static const char letters[] = "btn\0fr"; // of bytes 8 to 13
    strbuf_add_byte(out, '"');
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];
        if (byte == '"' || byte == '\\') {
            strbuf_printf(out, "\\%c", byte);
        } else if (byte >= 8 && byte <= 13 && byte != 11) {
            strbuf_printf(out, "\\%c", letters[byte - 8]);
        } else if (byte < 0x20) {
            strbuf_printf(out, "\\u%04x", byte);
        } else {
            strbuf_add_byte(out, (char)byte);
        }
    }
    strbuf_add_byte(out, '"');
}

static void add_float(struct strbuf *out, double value, bool is_float)
{
    char text[64];
    if (isnan(value) || isinf(value)) {
        strbuf_add_text(out, isnan(value) ? "\"NaN\""
                             : value > 0  ? "\"Infinity\""
                                          : "\"-Infinity\"");
        return;
    }
    int digits = 1;
    for (; digits <= DIGITS_MAX; digits++) {
        snprintf(text, sizeof text, "%.*e", digits - 1, value);
        if (is_float ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value) {
            break;
        }
    }
    char *at = strchr(text, 'e');
    int exponent = (int)strtol(at + 1, NULL, 10);
    if (exponent >= -4 && exponent < 16) { // Python's bounds of the plain notation
        int fraction = digits - 1 > exponent ? digits - 1 - exponent : 1;
        strbuf_printf(out, "%.*f", fraction, value);
        return;
    }
    strbuf_add(out, str_make(text, (size_t)(at - text)));
    strbuf_printf(out, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
}

// ---- variants

enum { PLAIN_SIZE_MAX = 40, NUMBER_SIZE_MAX = 400 };

static bool is_part_of_number(char byte)
{
    return (byte >= '0' && byte <= '9') || byte == '-' || byte == '+' || byte == '.' ||
           byte == 'e' || byte == 'E';
}

// The digits of a number, without zeros around them, and where its point is: 0.d1d2… * 10^point.
struct number {
    char digits[NUMBER_SIZE_MAX];
    int count;
    int point;
    bool is_negative;
};

static void read_number(struct str text, struct number *out)
{
    bool after_point = false;
    *out = (struct number){.is_negative = text.ptr[0] == '-'};
    size_t at = out->is_negative ? 1 : 0;
    for (; at < text.size && text.ptr[at] != 'e' && text.ptr[at] != 'E'; at++) {
        if (text.ptr[at] == '.') {
            after_point = true;
        } else if (out->count == 0 && text.ptr[at] == '0') {
            out->point -= after_point ? 1 : 0;
        } else {
            out->digits[out->count++] = text.ptr[at];
            out->point += after_point ? 0 : 1;
        }
    }
    if (at < text.size) {
        out->point += (int)strtol(text.ptr + at + 1, NULL, 10);
    }
    while (out->count > 0 && out->digits[out->count - 1] == '0') {
        out->count--;
    }
}

// `text` ends in a byte that is no part of a number.
static void add_plain_number(struct strbuf *out, struct str text)
{
    struct number number;
    if (text.size >= NUMBER_SIZE_MAX) { // no number of ours
        strbuf_add(out, text);
        return;
    }
    read_number(text, &number);
    int zeros_before = number.point < 0 ? -number.point : 0;
    int zeros_behind = number.point > number.count ? number.point - number.count : 0;
    if (number.is_negative + number.count + zeros_before + zeros_behind + 2 > PLAIN_SIZE_MAX) {
        add_float(out, strtod(text.ptr, NULL), false);
        return;
    }
    strbuf_add_text(out, number.is_negative ? "-" : "");
    strbuf_add_text(out, number.point <= 0 ? "0" : "");
    if (number.count == 0) {
        return;
    }
    strbuf_add_text(out, number.point <= 0 ? "." : "");
    for (int i = 0; i < zeros_before; i++) {
        strbuf_add_byte(out, '0');
    }
    for (int i = 0; i < number.count; i++) {
        strbuf_add_text(out, i > 0 && i == number.point ? "." : "");
        strbuf_add_byte(out, number.digits[i]);
    }
    for (int i = 0; i < zeros_behind; i++) {
        strbuf_add_byte(out, '0');
    }
}

// A string of JSON as it is, but for the letters of escapes.
static size_t add_json_string(struct strbuf *out, struct str json, size_t at)
{
    size_t end = at + 1;
    while (end < json.size && json.ptr[end] != '"') {
        end += json.ptr[end] == '\\' ? 2 : 1;
    }
    for (size_t i = at; i <= end && i < json.size; i++) {
        bool is_escape = i >= at + 2 && json.ptr[i - 1] == 'u' && json.ptr[i - 2] == '\\';
        for (size_t k = 0; is_escape && k < 4 && i < end; k++, i++) {
            char byte = json.ptr[i];
            strbuf_add_byte(out, byte >= 'A' && byte <= 'F' ? (char)(byte - 'A' + 'a') : byte);
        }
        strbuf_add_byte(out, json.ptr[i]);
    }
    return end + 1;
}

static void add_variant(struct strbuf *out, struct str held)
{
    struct strbuf json;
    strbuf_init(&json, ITEMS_BYTES_MAX);
    if (!variant_json(&json, held, NULL)) { // damaged: readers refuse such
        strbuf_reset(&json);
        strbuf_add_text(&json, "null");
    }
    struct str text = strbuf_str(&json);
    for (size_t at = 0; at < text.size;) {
        size_t end = at;
        bool is_whole = true;
        while (end < text.size && is_part_of_number(text.ptr[end])) {
            is_whole =
                is_whole && (text.ptr[end] == '-' || text.ptr[end] >= '0') && text.ptr[end] <= '9';
            end++;
        }
        bool is_number = end > at && (text.ptr[at] == '-' || text.ptr[at] <= '9');
        if (text.ptr[at] == '"') {
            at = add_json_string(out, text, at);
        } else if (is_number && !is_whole) {
            add_plain_number(out, str_slice(text, at, end));
            at = end;
        } else {
            strbuf_add_byte(out, text.ptr[at++]);
        }
    }
    strbuf_release(&json);
}

// ---- the others

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

static void add_date(struct strbuf *out, int64_t days)
{
    struct datetime_civil civil = datetime_civil_from_days(days);
    const char *sign = civil.year < 0 ? "-" : civil.year > 9999 ? "+" : "";
    strbuf_printf(out, "%s%04d-%02d-%02d", sign, abs(civil.year), civil.month, civil.day);
}

static void add_clock(struct strbuf *out, int64_t second_of_day, int64_t fraction, int digits)
{
    strbuf_printf(out, "%02d:%02d:%02d.%0*lld", (int)(second_of_day / 3600),
                  (int)(second_of_day / 60 % 60), (int)(second_of_day % 60), digits,
                  (long long)fraction);
}

static void add_time(struct strbuf *out, const struct column *column, uint32_t row)
{
    const void *value = column_value(column, row);
    int64_t micros = column->physical == PHYSICAL_I32 ? *(const int32_t *)value * INT64_C(1000)
                                                      : *(const int64_t *)value;
    strbuf_add_byte(out, '"');
    add_clock(out, micros / DATETIME_US_PER_SECOND, micros % DATETIME_US_PER_SECOND, MICRO_DIGITS);
    strbuf_add_byte(out, '"');
}

static void add_timestamp(struct strbuf *out, const struct type *type, const struct column *column,
                          uint32_t row)
{
    const void *value = column_value(column, row);
    bool is_nano = column->physical == PHYSICAL_NANO;
    int64_t seconds;
    int64_t fraction;
    if (is_nano) {
        seconds = ((const struct nano *)value)->second;
        fraction = ((const struct nano *)value)->nanosecond;
    } else {
        seconds = datetime_floor_div(*(const int64_t *)value, DATETIME_US_PER_SECOND);
        fraction = datetime_floor_mod(*(const int64_t *)value, DATETIME_US_PER_SECOND);
    }
    strbuf_add_byte(out, '"');
    add_date(out, datetime_floor_div(seconds, 86400));
    strbuf_add_byte(out, 'T');
    add_clock(out, datetime_floor_mod(seconds, 86400), fraction,
              is_nano ? NANO_DIGITS : MICRO_DIGITS);
    strbuf_add_text(out, type->kind == TYPE_TIMESTAMP_LTZ ? "+00:00\"" : "\"");
}

static void add_hex(struct strbuf *out, const struct type *type, struct str bytes)
{
    strbuf_add_byte(out, '"');
    if (text_is_uuid(type, bytes)) {
        char text[TEXT_UUID_SIZE];
        text_uuid(bytes.ptr, text);
        strbuf_add(out, str_make(text, sizeof text));
        bytes.size = 0;
    }
    for (size_t i = 0; i < bytes.size; i++) {
        strbuf_printf(out, "%02x", (unsigned char)bytes.ptr[i]);
    }
    strbuf_add_byte(out, '"');
}

static void add_decimal(struct strbuf *out, int128 unscaled, int32_t scale)
{
    char text[DECIMAL_TEXT_MAX];
    uint32_t size = decimal_format(unscaled, scale, text);
    strbuf_printf(out, "\"%.*s\"", (int)size, text);
}

static int compare_items(const void *a, const void *b)
{
    return str_compare(*(const struct str *)a, *(const struct str *)b);
}

// Entries are printed one behind the other, then put into order.
static void add_map(struct strbuf *out, const struct type *type, const struct column *column,
                    uint32_t row)
{
    const struct list_view *view = column_value(column, row);
    const struct column *children = column_holder(column)->children;
    const struct type *value_type = type->kind == TYPE_MULTISET ? &type_int : type->fields[1].type;
    struct str *items = mem_zalloc((view->length + 1) * sizeof *items);
    struct strbuf text;
    strbuf_init(&text, ITEMS_BYTES_MAX);
    for (uint32_t i = 0; i < view->length; i++) {
        size_t begin = text.size;
        strbuf_add_byte(&text, '[');
        canonical_text_value(&text, type->fields[0].type, &children[0], view->offset + i);
        strbuf_add_byte(&text, ',');
        canonical_text_value(&text, value_type, &children[1], view->offset + i);
        strbuf_add_byte(&text, ']');
        items[i].size = text.size - begin;
    }
    size_t at = 0;
    for (uint32_t i = 0; i < view->length; i++) {
        items[i].ptr = text.ptr + at;
        at += items[i].size;
    }
    qsort(items, view->length, sizeof *items, compare_items);
    strbuf_add_byte(out, '[');
    for (uint32_t i = 0; i < view->length; i++) {
        strbuf_add_text(out, i > 0 ? "," : "");
        strbuf_add(out, items[i]);
    }
    strbuf_add_byte(out, ']');
    strbuf_release(&text);
    mem_free(items);
}

static void add_list(struct strbuf *out, const struct type *type, const struct column *column,
                     uint32_t row)
{
    const struct list_view *view = column_value(column, row);
    const struct column *elements = &column_holder(column)->children[0];
    strbuf_add_byte(out, '[');
    for (uint32_t i = 0; i < view->length; i++) {
        strbuf_add_text(out, i > 0 ? "," : "");
        canonical_text_value(out, type->fields[0].type, elements, view->offset + i);
    }
    strbuf_add_byte(out, ']');
}

static void add_row(struct strbuf *out, const struct type *type, const struct column *column,
                    uint32_t row)
{
    const struct column *holder = column_holder(column);
    strbuf_add_byte(out, '{');
    for (uint32_t i = 0; i < type->field_count; i++) {
        strbuf_add_text(out, i > 0 ? "," : "");
        canonical_text_string(out, type->fields[i].name);
        strbuf_add_byte(out, ':');
        canonical_text_value(out, type->fields[i].type, &holder->children[i],
                             column_at(column, row));
    }
    strbuf_add_byte(out, '}');
}

static void add_interval(struct strbuf *out, const struct type *type, const struct column *column,
                         uint32_t row)
{
    char text[TEXT_SCALAR_MAX];
    uint32_t size = text_scalar(type, column, row, NULL, text);
    canonical_text_string(out, str_make(text, size));
}

void canonical_text_value(struct strbuf *out, const struct type *type, const struct column *column,
                          uint32_t row)
{
    if (column_is_null(column, row)) {
        strbuf_add_text(out, "null");
        return;
    }
    const void *value = type->kind == TYPE_ROW ? NULL : column_value(column, row);
    switch (type->kind) {
    case TYPE_BOOLEAN:
        strbuf_add_text(out, *(const uint8_t *)value != 0 ? "true" : "false");
        return;
    case TYPE_TINYINT:
    case TYPE_SMALLINT:
    case TYPE_INT:
    case TYPE_BIGINT: strbuf_printf(out, "%lld", (long long)integer_at(column, row)); return;
    case TYPE_FLOAT: add_float(out, (double)*(const float *)value, true); return;
    case TYPE_DOUBLE: add_float(out, *(const double *)value, false); return;
    case TYPE_DECIMAL: add_decimal(out, integer_at(column, row), type->scale); return;
    case TYPE_DATE:
        strbuf_add_byte(out, '"');
        add_date(out, *(const int32_t *)value);
        strbuf_add_byte(out, '"');
        return;
    case TYPE_TIME: add_time(out, column, row); return;
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_LTZ: add_timestamp(out, type, column, row); return;
    case TYPE_CHAR:
    case TYPE_VARCHAR: canonical_text_string(out, strview_str(value)); return;
    case TYPE_BINARY:
    case TYPE_VARBINARY:
    case TYPE_BITMAP:
    case TYPE_RAW: add_hex(out, type, strview_str(value)); return;
    case TYPE_VARIANT: add_variant(out, strview_str(value)); return;
    case TYPE_ARRAY: add_list(out, type, column, row); return;
    case TYPE_MAP:
    case TYPE_MULTISET: add_map(out, type, column, row); return;
    case TYPE_ROW: add_row(out, type, column, row); return;
    case TYPE_INTERVAL_MONTH:
    case TYPE_INTERVAL_SECOND: add_interval(out, type, column, row); return;
    case TYPE_NULL: break;
    }
    strbuf_add_text(out, "null");
}
