// SPDX-License-Identifier: Apache-2.0
//
// Variants as JSON.
#include <inttypes.h>
#include <string.h>

#include "base/strbuf.h"
#include "data/datetime.h"
#include "data/decimal.h"
#include "data/float_text.h"
#include "data/json_text.h"
#include "data/variant.h"
#include "data/zone.h"

struct writer {
    struct strbuf *out;
    const struct variant_names *names;
    const struct zone *zone;
};

// As Java's LocalDate: years of four digits, others with their sign.
static void add_date(struct strbuf *out, int64_t days)
{
    struct datetime_civil civil = datetime_civil_from_days(days);
    const char *sign = civil.year > 9999 ? "+" : civil.year < 0 ? "-" : "";
    strbuf_printf(out, "%s%04d-%02d-%02d", sign, civil.year < 0 ? -civil.year : civil.year,
                  civil.month, civil.day);
}

// "10:00:00", with as many digits behind the second as it has.
static void add_time(struct strbuf *out, int64_t second, int64_t nanosecond)
{
    strbuf_printf(out, "%02d:%02d:%02d", (int)(second / 3600), (int)(second / 60 % 60),
                  (int)(second % 60));
    if (nanosecond > 0) {
        int digits = 9;
        for (; nanosecond % 10 == 0; digits--) {
            nanosecond /= 10;
        }
        strbuf_printf(out, ".%0*" PRId64, digits, nanosecond);
    }
}

static void add_timestamp(const struct writer *writer, int64_t value, int64_t per_second,
                          bool with_zone)
{
    int64_t second = datetime_floor_div(value, per_second);
    int64_t rest = datetime_floor_mod(value, per_second);
    int32_t offset = with_zone ? zone_span_of_utc(writer->zone, second).offset : 0;
    second += offset;
    strbuf_add_byte(writer->out, '"');
    add_date(writer->out, datetime_floor_div(second, DATETIME_SECONDS_PER_DAY));
    strbuf_add_byte(writer->out, ' ');
    add_time(writer->out, datetime_floor_mod(second, DATETIME_SECONDS_PER_DAY),
             rest * (DATETIME_NS_PER_SECOND / per_second));
    if (with_zone) {
        int32_t minutes = (offset < 0 ? -offset : offset) / 60;
        strbuf_printf(writer->out, "%c%02d:%02d", offset < 0 ? '-' : '+', minutes / 60,
                      minutes % 60);
    }
    strbuf_add_byte(writer->out, '"');
}

static bool add_time_of_day(struct strbuf *out, int64_t micros)
{
    if (micros < 0 || micros >= DATETIME_US_PER_DAY) {
        return false;
    }
    strbuf_add_byte(out, '"');
    add_time(out, micros / DATETIME_US_PER_SECOND, micros % DATETIME_US_PER_SECOND * 1000);
    strbuf_add_byte(out, '"');
    return true;
}

static void add_decimal(struct strbuf *out, int128 unscaled, int32_t scale)
{
    char text[DECIMAL_TEXT_MAX];
    for (; scale > 0 && unscaled % 10 == 0; scale--) {
        unscaled /= 10;
    }
    strbuf_add(out, str_make(text, decimal_format(unscaled, scale, text)));
}

static void add_uuid(struct strbuf *out, struct str bytes)
{
    strbuf_add_byte(out, '"');
    for (size_t i = 0; i < bytes.size; i++) {
        bool dash = i == 4 || i == 6 || i == 8 || i == 10;
        strbuf_printf(out, "%s%02x", dash ? "-" : "", (uint8_t)bytes.ptr[i]);
    }
    strbuf_add_byte(out, '"');
}

static bool add_primitive(const struct writer *writer, const struct variant *value)
{
    struct strbuf *out = writer->out;
    char text[FLOAT_TEXT_MAX];
    switch (value->type) {
    case VARIANT_NULL: strbuf_add_text(out, "null"); break;
    case VARIANT_TRUE: strbuf_add_text(out, "true"); break;
    case VARIANT_FALSE: strbuf_add_text(out, "false"); break;
    case VARIANT_INT8:
    case VARIANT_INT16:
    case VARIANT_INT32:
    case VARIANT_INT64: strbuf_printf(out, "%" PRId64, value->as.i64); break;
    case VARIANT_DOUBLE:
        strbuf_add(out, str_make(text, float_text_f64(value->as.f64, text)));
        break;
    case VARIANT_FLOAT: strbuf_add(out, str_make(text, float_text_f32(value->as.f32, text))); break;
    case VARIANT_DECIMAL4:
    case VARIANT_DECIMAL8:
    case VARIANT_DECIMAL16:
        add_decimal(out, value->as.decimal.unscaled, value->as.decimal.scale);
        break;
    case VARIANT_DATE:
        strbuf_add_byte(out, '"');
        add_date(out, value->as.i64);
        strbuf_add_byte(out, '"');
        break;
    case VARIANT_TIMESTAMP:
    case VARIANT_TIMESTAMP_LTZ:
        add_timestamp(writer, value->as.i64, DATETIME_US_PER_SECOND,
                      value->type == VARIANT_TIMESTAMP_LTZ);
        break;
    case VARIANT_TIMESTAMP_NS:
    case VARIANT_TIMESTAMP_LTZ_NS:
        add_timestamp(writer, value->as.i64, DATETIME_NS_PER_SECOND,
                      value->type == VARIANT_TIMESTAMP_LTZ_NS);
        break;
    case VARIANT_TIME: return add_time_of_day(out, value->as.i64);
    case VARIANT_BINARY: json_text_bytes(out, value->as.bytes); break;
    case VARIANT_STRING: json_text_string(out, value->as.bytes); break;
    case VARIANT_UUID: add_uuid(out, value->as.bytes); break;
    case VARIANT_OBJECT:
    case VARIANT_ARRAY: return false;
    }
    return true;
}

static bool add_value(const struct writer *writer, const struct variant *value, uint32_t depth)
{
    bool is_object = value->type == VARIANT_OBJECT;
    if (!is_object && value->type != VARIANT_ARRAY) {
        return add_primitive(writer, value);
    }
    if (depth > VARIANT_DEPTH_MAX) {
        return false;
    }
    uint64_t total = 0;
    strbuf_add_byte(writer->out, is_object ? '{' : '[');
    for (uint32_t i = 0; i < value->count && !writer->out->truncated; i++) {
        struct variant child;
        struct str name;
        if (!(is_object ? variant_field(writer->names, value, i, &name, &child)
                        : variant_element(value, i, &child))) {
            return false;
        }
        total += child.size;
        if (total > value->children.size) { // overlapping values have no end
            return false;
        }
        if (i > 0) {
            strbuf_add_byte(writer->out, ',');
        }
        if (is_object) {
            json_text_string(writer->out, name);
            strbuf_add_byte(writer->out, ':');
        }
        if (!add_value(writer, &child, depth + 1)) {
            return false;
        }
    }
    strbuf_add_byte(writer->out, is_object ? '}' : ']');
    return true;
}

bool variant_json(struct strbuf *out, struct str held, const struct zone *zone)
{
    struct variant_names names;
    struct variant value;
    struct writer writer = {.out = out, .names = &names, .zone = zone};
    return variant_open(held, &names, &value) && add_value(&writer, &value, 1);
}
