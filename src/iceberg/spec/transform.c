// SPDX-License-Identifier: Apache-2.0
#include "iceberg/spec/transform.h"

#include <string.h>

#include "base/strbuf.h"
#include "codec/json_tree.h"
#include "data/column.h"
#include "iceberg/spec/iceberg_type.h"
#include "iceberg/spec/murmur3.h"

static const char *const names[] = {"identity", "bucket", "truncate", "year",
                                    "month",    "day",    "hour",     "void"};

struct transform transform_parse(struct str text)
{
    struct transform unknown = {.kind = TRANSFORM_UNKNOWN, .text = text};
    size_t open = str_find(text, '[');
    struct str name = str_slice(text, 0, open);
    for (int kind = 0; kind < TRANSFORM_UNKNOWN; kind++) {
        if (!str_is_nocase(name, names[kind])) {
            continue;
        }
        bool needs_parameter = kind == TRANSFORM_BUCKET || kind == TRANSFORM_TRUNCATE;
        if (needs_parameter != (open < text.size)) {
            return unknown;
        }
        struct transform transform = {.kind = (enum transform_kind)kind};
        if (needs_parameter) {
            int64_t parameter;
            if (text.ptr[text.size - 1] != ']' ||
                !str_to_i64(str_slice(text, open + 1, text.size - 1), &parameter) ||
                parameter < 1 || parameter > INT32_MAX) {
                return unknown;
            }
            transform.parameter = (int32_t)parameter;
        }
        return transform;
    }
    return unknown;
}

void transform_print(struct strbuf *out, const struct transform *transform)
{
    if (transform->kind == TRANSFORM_UNKNOWN) {
        strbuf_add(out, transform->text);
        return;
    }
    strbuf_add_text(out, names[transform->kind]);
    if (transform->kind == TRANSFORM_BUCKET || transform->kind == TRANSFORM_TRUNCATE) {
        strbuf_printf(out, "[%d]", transform->parameter);
    }
}

void transform_print_json(struct strbuf *out, const struct transform *transform)
{
    struct strbuf text;
    strbuf_init(&text, transform->text.size + 64);
    transform_print(&text, transform);
    json_tree_quote(out, strbuf_str(&text));
    strbuf_release(&text);
}

bool transform_equal(const struct transform *a, const struct transform *b)
{
    return a->kind == b->kind && a->parameter == b->parameter && str_equal(a->text, b->text);
}

static bool is_timestamp(enum iceberg_kind kind)
{
    return kind == ICEBERG_TIMESTAMP || kind == ICEBERG_TIMESTAMPTZ ||
           kind == ICEBERG_TIMESTAMP_NS || kind == ICEBERG_TIMESTAMPTZ_NS;
}

static bool fits(const struct transform *transform, const struct iceberg_type *source)
{
    enum iceberg_kind kind = source->kind;
    switch (transform->kind) {
    case TRANSFORM_IDENTITY:
        return iceberg_type_is_primitive(source) && kind != ICEBERG_GEOMETRY &&
               kind != ICEBERG_GEOGRAPHY && kind != ICEBERG_UNKNOWN;
    case TRANSFORM_BUCKET:
        return kind == ICEBERG_INT || kind == ICEBERG_LONG || kind == ICEBERG_DECIMAL ||
               kind == ICEBERG_DATE || kind == ICEBERG_TIME || is_timestamp(kind) ||
               kind == ICEBERG_STRING || kind == ICEBERG_UUID || kind == ICEBERG_FIXED ||
               kind == ICEBERG_BINARY;
    case TRANSFORM_TRUNCATE:
        return kind == ICEBERG_INT || kind == ICEBERG_LONG || kind == ICEBERG_DECIMAL ||
               kind == ICEBERG_STRING || kind == ICEBERG_BINARY;
    case TRANSFORM_YEAR:
    case TRANSFORM_MONTH:
    case TRANSFORM_DAY: return kind == ICEBERG_DATE || is_timestamp(kind);
    case TRANSFORM_HOUR: return is_timestamp(kind);
    case TRANSFORM_VOID: return true;
    case TRANSFORM_UNKNOWN: break;
    }
    return false;
}

enum status transform_check(const struct transform *transform, const struct iceberg_type *source,
                            struct err *err)
{
    if (fits(transform, source)) {
        return STATUS_OK;
    }
    struct strbuf text;
    strbuf_init(&text, 200);
    transform_print(&text, transform);
    strbuf_add_text(&text, transform->kind == TRANSFORM_UNKNOWN ? " is no known transform"
                                                                : " cannot partition a ");
    if (transform->kind != TRANSFORM_UNKNOWN) {
        iceberg_type_print(&text, source);
    }
    enum status status = ERR(err, STATUS_UNSUPPORTED, "%s", text.ptr);
    strbuf_release(&text);
    return status;
}

const struct iceberg_type *transform_result(const struct transform *transform,
                                            const struct iceberg_type *source)
{
    switch (transform->kind) {
    case TRANSFORM_IDENTITY:
    case TRANSFORM_TRUNCATE:
    case TRANSFORM_VOID: return source;
    case TRANSFORM_DAY: return iceberg_type_simple(ICEBERG_DATE);
    case TRANSFORM_BUCKET:
    case TRANSFORM_YEAR:
    case TRANSFORM_MONTH:
    case TRANSFORM_HOUR: return iceberg_type_simple(ICEBERG_INT);
    case TRANSFORM_UNKNOWN: break;
    }
    return iceberg_type_simple(ICEBERG_STRING);
}

bool transform_keeps_order(const struct transform *transform)
{
    return transform->kind != TRANSFORM_BUCKET && transform->kind != TRANSFORM_VOID &&
           transform->kind != TRANSFORM_UNKNOWN;
}

static int64_t floor_div(int64_t a, int64_t by)
{
    return a / by - (a % by < 0);
}

// Months since 1970-01 of days since 1970-01-01.
static int64_t months_of(int64_t days)
{
    int64_t shifted = days + 719468; // since 0000-03-01
    int64_t era = floor_div(shifted, 146097);
    int64_t of_era = shifted - era * 146097;
    int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t month_from_march = (5 * of_year + 2) / 153;
    return (year_of_era + era * 400) * 12 + month_from_march + 2 - 1970 * 12;
}

static int64_t temporal(enum transform_kind kind, const struct iceberg_type *source, int64_t value)
{
    int64_t per_hour = source->kind == ICEBERG_TIMESTAMP || source->kind == ICEBERG_TIMESTAMPTZ
                           ? INT64_C(3600000000)
                           : INT64_C(3600000000000);
    if (kind == TRANSFORM_HOUR) {
        return floor_div(value, per_hour);
    }
    int64_t days = source->kind == ICEBERG_DATE ? value : floor_div(value, per_hour * 24);
    return kind == TRANSFORM_DAY     ? days
           : kind == TRANSFORM_MONTH ? months_of(days)
                                     : floor_div(months_of(days), 12);
}

static uint32_t hash_of(const struct iceberg_type *source, const struct iceberg_value *value)
{
    switch (source->kind) {
    case ICEBERG_STRING:
    case ICEBERG_UUID:
    case ICEBERG_FIXED:
    case ICEBERG_BINARY: return murmur3_bytes(value->as.bytes.ptr, value->as.bytes.size);
    case ICEBERG_DECIMAL: {
        unsigned char bytes[16];
        uint32_t size = iceberg_value_decimal_bytes(value->as.i128, bytes);
        return murmur3_bytes(bytes, size);
    }
    case ICEBERG_TIMESTAMP_NS:
    case ICEBERG_TIMESTAMPTZ_NS: return murmur3_i64(floor_div(value->as.i64, 1000));
    case ICEBERG_BOOLEAN:
    case ICEBERG_INT:
    case ICEBERG_LONG:
    case ICEBERG_FLOAT:
    case ICEBERG_DOUBLE:
    case ICEBERG_DATE:
    case ICEBERG_TIME:
    case ICEBERG_TIMESTAMP:
    case ICEBERG_TIMESTAMPTZ:
    case ICEBERG_UNKNOWN:
    case ICEBERG_VARIANT:
    case ICEBERG_GEOMETRY:
    case ICEBERG_GEOGRAPHY:
    case ICEBERG_STRUCT:
    case ICEBERG_LIST:
    case ICEBERG_MAP: break;
    }
    return murmur3_i64(value->as.i64);
}

// Where the `count`-th code point of a UTF-8 text ends.
static size_t code_points_end(struct str text, int32_t count)
{
    size_t at = 0;
    while (count > 0 && at < text.size) {
        at++;
        while (at < text.size && ((unsigned char)text.ptr[at] & 0xc0) == 0x80) {
            at++;
        }
        count--;
    }
    return at;
}

static struct iceberg_value truncated(const struct transform *transform,
                                      const struct iceberg_type *source,
                                      const struct iceberg_value *value)
{
    struct iceberg_value out = *value;
    int64_t width = transform->parameter;
    if (source->kind == ICEBERG_STRING) {
        out.as.bytes =
            str_slice(value->as.bytes, 0, code_points_end(value->as.bytes, transform->parameter));
    } else if (source->kind == ICEBERG_DECIMAL) {
        int128 remainder = value->as.i128 % width;
        out.as.i128 = value->as.i128 - (remainder < 0 ? remainder + width : remainder);
    } else if (source->kind == ICEBERG_INT) {
        // Java wraps in 32 bits where the floor lies below the smallest int.
        int64_t remainder = value->as.i64 % width;
        int64_t floor = value->as.i64 - (remainder < 0 ? remainder + width : remainder);
        out.as.i64 = (int32_t)(uint32_t)(uint64_t)floor;
    } else if (source->kind == ICEBERG_LONG) {
        int64_t remainder = value->as.i64 % width;
        uint64_t distance = (uint64_t)(remainder < 0 ? remainder + width : remainder);
        out.as.i64 = (int64_t)((uint64_t)value->as.i64 - distance);
    } else {
        out.as.bytes = str_slice(value->as.bytes, 0, (size_t)width);
    }
    return out;
}

struct iceberg_value transform_apply(const struct transform *transform,
                                     const struct iceberg_type *source,
                                     const struct iceberg_value *value)
{
    struct iceberg_value out = *value;
    if (value->is_null || transform->kind == TRANSFORM_VOID ||
        transform->kind == TRANSFORM_UNKNOWN) {
        return (struct iceberg_value){.is_null = true};
    }
    switch (transform->kind) {
    case TRANSFORM_BUCKET:
        out.as.i64 =
            (int64_t)((hash_of(source, value) & INT32_MAX) % (uint32_t)transform->parameter);
        break;
    case TRANSFORM_TRUNCATE: out = truncated(transform, source, value); break;
    case TRANSFORM_YEAR:
    case TRANSFORM_MONTH:
    case TRANSFORM_DAY:
    case TRANSFORM_HOUR: out.as.i64 = temporal(transform->kind, source, value->as.i64); break;
    case TRANSFORM_IDENTITY:
    case TRANSFORM_VOID:
    case TRANSFORM_UNKNOWN: break;
    }
    return out;
}

static void apply_rows(const struct transform *transform, const struct iceberg_type *source,
                       const struct column *column, uint32_t count, struct iceberg_value *out)
{
    for (uint32_t i = 0; i < count; i++) {
        struct iceberg_value value = iceberg_value_of_row(source, column, i);
        out[i] = transform_apply(transform, source, &value);
    }
}

void transform_column(const struct transform *transform, const struct iceberg_type *source,
                      const struct column *column, struct iceberg_value *out)
{
    if (column->encoding == ENCODING_CONST && column->row_count > 0) {
        struct iceberg_value value = iceberg_value_of_row(source, column, 0);
        value = transform_apply(transform, source, &value);
        for (uint32_t i = 0; i < column->row_count; i++) {
            out[i] = value;
        }
    } else if (column->encoding == ENCODING_DICT && column->dict->row_count < column->row_count) {
        // The entries first, at the end of `out`'s unused part there is no room: a small copy.
        struct iceberg_value entries[256];
        uint32_t entry_count = column->dict->row_count;
        if (entry_count > sizeof entries / sizeof *entries) {
            apply_rows(transform, source, column, column->row_count, out);
            return;
        }
        apply_rows(transform, source, column->dict, entry_count, entries);
        for (uint32_t i = 0; i < column->row_count; i++) {
            out[i] = column_is_null(column, i) ? (struct iceberg_value){.is_null = true}
                                               : entries[column->codes[i]];
        }
    } else {
        apply_rows(transform, source, column, column->row_count, out);
    }
}

void transform_print_value(struct strbuf *out, const struct transform *transform,
                           const struct iceberg_type *source, const struct iceberg_value *value)
{
    struct strbuf day;
    if (value->is_null || transform->kind == TRANSFORM_BUCKET ||
        (transform->kind != TRANSFORM_YEAR && transform->kind != TRANSFORM_MONTH &&
         transform->kind != TRANSFORM_HOUR)) {
        iceberg_value_print(out, transform_result(transform, source), value);
        return;
    }
    int64_t ordinal = value->as.i64;
    strbuf_init(&day, 64);
    switch (transform->kind) {
    case TRANSFORM_YEAR: strbuf_printf(out, "%04lld", (long long)(1970 + ordinal)); break;
    case TRANSFORM_MONTH:
        strbuf_printf(out, "%04lld-%02d", (long long)(1970 + floor_div(ordinal, 12)),
                      (int)(ordinal - floor_div(ordinal, 12) * 12) + 1);
        break;
    case TRANSFORM_HOUR:
        iceberg_value_print_date(&day, floor_div(ordinal, 24));
        strbuf_printf(out, "%s-%02d", day.ptr, (int)(ordinal - floor_div(ordinal, 24) * 24));
        break;
    case TRANSFORM_IDENTITY:
    case TRANSFORM_BUCKET:
    case TRANSFORM_TRUNCATE:
    case TRANSFORM_DAY:
    case TRANSFORM_VOID:
    case TRANSFORM_UNKNOWN: break;
    }
    strbuf_release(&day);
}
