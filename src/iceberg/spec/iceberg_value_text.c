// SPDX-License-Identifier: Apache-2.0
//
// Values as text (partition paths) and from JSON (defaults).
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "codec/json_tree.h"
#include "data/decimal.h"
#include "data/float_text.h"
#include "iceberg/spec/iceberg_type.h"
#include "iceberg/spec/iceberg_value.h"

static int64_t floor_div(int64_t a, int64_t by)
{
    return a / by - (a % by < 0);
}

// The calendar day of days since 1970-01-01, proleptic Gregorian.
static void civil_of(int64_t days, int64_t *year, int *month, int *day)
{
    int64_t shifted = days + 719468; // since 0000-03-01
    int64_t era = floor_div(shifted, 146097);
    int64_t of_era = shifted - era * 146097;
    int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int month_from_march = (int)((5 * of_year + 2) / 153);
    *day = (int)(of_year - (153 * month_from_march + 2) / 5 + 1);
    *month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
    *year = year_of_era + era * 400 + (*month <= 2);
}

static int64_t days_of(int64_t year, int month, int day)
{
    year -= month <= 2;
    int64_t era = floor_div(year, 400);
    int64_t of_era = year - era * 400;
    int64_t of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

void iceberg_value_print_date(struct strbuf *out, int64_t days)
{
    int64_t year;
    int month;
    int day;
    civil_of(days, &year, &month, &day);
    strbuf_printf(out, "%04lld-%02d-%02d", (long long)year, month, day);
}

// HH:mm[:ss[.fff[fff[fff]]]] as java.time prints it.
static void print_time(struct strbuf *out, int64_t nanos)
{
    int64_t second = nanos / 1000000000;
    int64_t fraction = nanos % 1000000000;
    strbuf_printf(out, "%02d:%02d", (int)(second / 3600), (int)(second / 60 % 60));
    if (second % 60 != 0 || fraction != 0) {
        strbuf_printf(out, ":%02d", (int)(second % 60));
    }
    if (fraction % 1000000 == 0 && fraction != 0) {
        strbuf_printf(out, ".%03d", (int)(fraction / 1000000));
    } else if (fraction % 1000 == 0 && fraction != 0) {
        strbuf_printf(out, ".%06d", (int)(fraction / 1000));
    } else if (fraction != 0) {
        strbuf_printf(out, ".%09d", (int)fraction);
    }
}

static void print_timestamp(struct strbuf *out, int64_t value, int64_t per_second, bool with_zone)
{
    int64_t per_day = per_second * 86400;
    int64_t days = floor_div(value, per_day);
    iceberg_value_print_date(out, days);
    strbuf_add_byte(out, 'T');
    print_time(out, (value - days * per_day) * (1000000000 / per_second));
    if (with_zone) {
        strbuf_add_byte(out, 'Z');
    }
}

static void print_base64(struct strbuf *out, struct str bytes)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < bytes.size; i += 3) {
        const unsigned char *at = (const unsigned char *)bytes.ptr + i;
        size_t left = bytes.size - i;
        uint32_t word =
            (uint32_t)at[0] << 16 | (left > 1 ? (uint32_t)at[1] << 8 : 0) | (left > 2 ? at[2] : 0u);
        strbuf_add_byte(out, letters[word >> 18]);
        strbuf_add_byte(out, letters[word >> 12 & 63]);
        strbuf_add_byte(out, left > 1 ? letters[word >> 6 & 63] : '=');
        strbuf_add_byte(out, left > 2 ? letters[word & 63] : '=');
    }
}

static void print_uuid(struct strbuf *out, struct str bytes)
{
    for (size_t i = 0; i < bytes.size; i++) {
        strbuf_printf(out, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                      (unsigned char)bytes.ptr[i]);
    }
}

void iceberg_value_print(struct strbuf *out, const struct iceberg_type *type,
                         const struct iceberg_value *value)
{
    char number[DECIMAL_TEXT_MAX];
    if (value->is_null) {
        strbuf_add_text(out, "null");
        return;
    }
    switch (type->kind) {
    case ICEBERG_BOOLEAN: strbuf_add_text(out, value->as.i64 != 0 ? "true" : "false"); break;
    case ICEBERG_FLOAT:
        strbuf_add(out, str_make(number, float_text_f32((float)value->as.f64, number)));
        break;
    case ICEBERG_DOUBLE:
        strbuf_add(out, str_make(number, float_text_f64(value->as.f64, number)));
        break;
    case ICEBERG_DECIMAL:
        strbuf_add(out, str_make(number, decimal_format(value->as.i128, type->scale, number)));
        break;
    case ICEBERG_DATE: iceberg_value_print_date(out, value->as.i64); break;
    case ICEBERG_TIME: print_time(out, value->as.i64 * 1000); break;
    case ICEBERG_TIMESTAMP:
    case ICEBERG_TIMESTAMPTZ:
        print_timestamp(out, value->as.i64, 1000000, type->kind == ICEBERG_TIMESTAMPTZ);
        break;
    case ICEBERG_TIMESTAMP_NS:
    case ICEBERG_TIMESTAMPTZ_NS:
        print_timestamp(out, value->as.i64, 1000000000, type->kind == ICEBERG_TIMESTAMPTZ_NS);
        break;
    case ICEBERG_STRING: strbuf_add(out, value->as.bytes); break;
    case ICEBERG_UUID: print_uuid(out, value->as.bytes); break;
    case ICEBERG_FIXED:
    case ICEBERG_BINARY:
    case ICEBERG_VARIANT:
    case ICEBERG_GEOMETRY:
    case ICEBERG_GEOGRAPHY: print_base64(out, value->as.bytes); break;
    case ICEBERG_INT:
    case ICEBERG_LONG:
    case ICEBERG_UNKNOWN:
    case ICEBERG_STRUCT:
    case ICEBERG_LIST:
    case ICEBERG_MAP: strbuf_printf(out, "%lld", (long long)value->as.i64); break;
    }
}

static enum status bad_default(const struct json_tree *json, const struct iceberg_type *type,
                               struct err *err)
{
    struct strbuf text;
    strbuf_init(&text, 300);
    json_tree_print(&text, json);
    strbuf_add_text(&text, " is no value of type ");
    iceberg_type_print(&text, type);
    enum status status = ERR(err, STATUS_INVALID_DATA, "%s", text.ptr);
    strbuf_release(&text);
    return status;
}

// `count` digits at *at, which moves behind them.
static bool take_digits(const char **at, const char *end, int count, int *out)
{
    *out = 0;
    for (int i = 0; i < count; i++, (*at)++) {
        if (*at >= end || **at < '0' || **at > '9') {
            return false;
        }
        *out = *out * 10 + (**at - '0');
    }
    return true;
}

static bool take_byte(const char **at, const char *end, char byte)
{
    if (*at < end && **at == byte) {
        (*at)++;
        return true;
    }
    return false;
}

static bool take_date(const char **at, const char *end, int64_t *days)
{
    int year;
    int month;
    int day;
    bool negative = take_byte(at, end, '-');
    if (!take_digits(at, end, 4, &year) || !take_byte(at, end, '-') ||
        !take_digits(at, end, 2, &month) || !take_byte(at, end, '-') ||
        !take_digits(at, end, 2, &day) || month < 1 || month > 12 || day < 1 || day > 31) {
        return false;
    }
    *days = days_of(negative ? -year : year, month, day);
    return true;
}

// HH:mm[:ss[.f…]] into nanoseconds of the day.
static bool take_time(const char **at, const char *end, int64_t *nanos)
{
    int hour;
    int minute;
    int second = 0;
    int64_t fraction = 0;
    if (!take_digits(at, end, 2, &hour) || !take_byte(at, end, ':') ||
        !take_digits(at, end, 2, &minute) || hour > 23 || minute > 59) {
        return false;
    }
    if (take_byte(at, end, ':') && (!take_digits(at, end, 2, &second) || second > 59)) {
        return false;
    }
    if (take_byte(at, end, '.')) {
        int64_t unit = 100000000;
        for (int digit; unit > 0 && take_digits(at, end, 1, &digit); unit /= 10) {
            fraction += digit * unit;
        }
    }
    *nanos = ((int64_t)hour * 3600 + minute * 60 + second) * 1000000000 + fraction;
    return true;
}

static bool parse_temporal(const struct iceberg_type *type, struct str text, int64_t *out)
{
    const char *at = text.ptr;
    const char *end = text.ptr + text.size;
    int64_t days = 0;
    int64_t nanos = 0;
    bool has_date = type->kind != ICEBERG_TIME;
    bool has_time = type->kind != ICEBERG_DATE;
    if ((has_date && !take_date(&at, end, &days)) ||
        (has_date && has_time && !take_byte(&at, end, 'T')) ||
        (has_time && !take_time(&at, end, &nanos))) {
        return false;
    }
    if (type->kind == ICEBERG_TIMESTAMPTZ || type->kind == ICEBERG_TIMESTAMPTZ_NS) {
        struct str zone = str_make(at, (size_t)(end - at));
        if (!str_is(zone, "Z") && !str_is(zone, "+00:00")) {
            return false;
        }
        at = end;
    }
    bool is_nano = type->kind == ICEBERG_TIMESTAMP_NS || type->kind == ICEBERG_TIMESTAMPTZ_NS;
    *out = type->kind == ICEBERG_DATE   ? days
           : type->kind == ICEBERG_TIME ? nanos / 1000
           : is_nano                    ? days * INT64_C(86400000000000) + nanos
                                        : days * INT64_C(86400000000) + nanos / 1000;
    return at == end;
}

// Hex digits, dashes skipped (uuid).
static bool parse_hex(struct arena *arena, struct str text, struct str *out)
{
    char *bytes = arena_alloc(arena, text.size / 2 + 1);
    size_t digits = 0;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.ptr[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (c == '-') {
            continue;
        }
        if (digit < 0) {
            return false;
        }
        if (digits % 2 == 0) {
            bytes[digits / 2] = (char)(digit << 4);
        } else {
            bytes[digits / 2] = (char)(bytes[digits / 2] | digit);
        }
        digits++;
    }
    *out = str_make(bytes, digits / 2);
    return digits % 2 == 0;
}

enum status iceberg_value_from_json(struct arena *arena, const struct iceberg_type *type,
                                    const struct json_tree *json, struct iceberg_value *out,
                                    struct err *err)
{
    struct decimal_form form = {38, type->scale};
    bool good = false;
    *out = (struct iceberg_value){.is_null = json == NULL || json->kind == JSON_TREE_NULL};
    if (out->is_null) {
        return STATUS_OK;
    }
    bool is_text = json->kind == JSON_TREE_STRING;
    switch (type->kind) {
    case ICEBERG_BOOLEAN:
        good = json->kind == JSON_TREE_BOOL;
        out->as.i64 = json->as.boolean;
        break;
    case ICEBERG_INT:
    case ICEBERG_LONG: good = json_tree_int(json, &out->as.i64); break;
    case ICEBERG_FLOAT:
    case ICEBERG_DOUBLE:
        good = json_tree_number(json, &out->as.f64) ||
               (is_text && float_text_parse_f64(json->text, &out->as.f64));
        break;
    case ICEBERG_DECIMAL:
        good = is_text && decimal_from_text(json->text, form, &out->as.i128) == DECIMAL_PARSE_OK;
        break;
    case ICEBERG_DATE:
    case ICEBERG_TIME:
    case ICEBERG_TIMESTAMP:
    case ICEBERG_TIMESTAMPTZ:
    case ICEBERG_TIMESTAMP_NS:
    case ICEBERG_TIMESTAMPTZ_NS:
        good = is_text && parse_temporal(type, json->text, &out->as.i64);
        break;
    case ICEBERG_STRING:
        good = is_text;
        out->as.bytes = json->text;
        break;
    case ICEBERG_UUID:
    case ICEBERG_FIXED:
    case ICEBERG_BINARY: good = is_text && parse_hex(arena, json->text, &out->as.bytes); break;
    case ICEBERG_UNKNOWN:
    case ICEBERG_VARIANT:
    case ICEBERG_GEOMETRY:
    case ICEBERG_GEOGRAPHY:
    case ICEBERG_STRUCT:
    case ICEBERG_LIST:
    case ICEBERG_MAP: break;
    }
    return good ? STATUS_OK : bad_default(json, type, err);
}
