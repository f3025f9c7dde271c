// SPDX-License-Identifier: Apache-2.0
#include "connect/print_row.h"

#include <stdio.h>

#include "base/assert.h"
#include "base/strbuf.h"
#include "data/datetime.h"
#include "data/json_text.h"
#include "data/text.h"
#include "data/type.h"

static void print_value(struct strbuf *out, const struct type *type, const struct column *column,
                        uint32_t row);

// ".5" as .500, .000001 as .000001: three, six or nine digits, as Java.
static void print_fraction(struct strbuf *out, int64_t nanosecond)
{
    if (nanosecond % 1000000 == 0) {
        strbuf_printf(out, ".%03d", (int)(nanosecond / 1000000));
    } else if (nanosecond % 1000 == 0) {
        strbuf_printf(out, ".%06d", (int)(nanosecond / 1000));
    } else {
        strbuf_printf(out, ".%09d", (int)nanosecond);
    }
}

// LocalTime.toString(); Instant shows its seconds always.
static void print_clock(struct strbuf *out, int64_t second, int64_t nanosecond, bool always)
{
    strbuf_printf(out, "%02d:%02d", (int)(second / 3600), (int)(second / 60 % 60));
    if (second % 60 != 0 || nanosecond != 0 || always) {
        strbuf_printf(out, ":%02d", (int)(second % 60));
    }
    if (nanosecond != 0) {
        print_fraction(out, nanosecond);
    }
}

static void print_date(struct strbuf *out, int64_t days)
{
    struct datetime_civil civil = datetime_civil_from_days(days);
    strbuf_printf(out, "%04d-%02d-%02d", civil.year, civil.month, civil.day);
}

static void print_timestamp(struct strbuf *out, const struct type *type, const void *value)
{
    struct nano moment = type_physical(type) == PHYSICAL_NANO
                             ? *(const struct nano *)value
                             : datetime_nano_from_us(*(const int64_t *)value);
    bool is_ltz = type->kind == TYPE_TIMESTAMP_LTZ;
    print_date(out, datetime_floor_div(moment.second, DATETIME_SECONDS_PER_DAY));
    strbuf_add_byte(out, 'T');
    print_clock(out, datetime_floor_mod(moment.second, DATETIME_SECONDS_PER_DAY), moment.nanosecond,
                is_ltz);
    strbuf_add_text(out, is_ltz ? "Z" : "");
}

// Period: P1Y2M. Duration: PT26H3M4.567S.
static void print_interval(struct strbuf *out, const struct type *type, const void *value)
{
    if (type->kind == TYPE_INTERVAL_MONTH) {
        int32_t months = *(const int32_t *)value;
        strbuf_add_text(out, months == 0 ? "P0D" : "P");
        if (months / 12 != 0) {
            strbuf_printf(out, "%dY", months / 12);
        }
        if (months % 12 != 0) {
            strbuf_printf(out, "%dM", months % 12);
        }
        return;
    }
    int64_t millis = *(const int64_t *)value;
    int64_t seconds = millis / 1000;
    int rest = (int)(millis % 1000);
    strbuf_add_text(out, millis == 0 ? "PT0S" : "PT");
    if (seconds / 3600 != 0) {
        strbuf_printf(out, "%lldH", (long long)(seconds / 3600));
    }
    if (seconds / 60 % 60 != 0) {
        strbuf_printf(out, "%dM", (int)(seconds / 60 % 60));
    }
    if (seconds % 60 != 0 || rest != 0) {
        strbuf_printf(out, "%s%d", millis < 0 && seconds % 60 == 0 ? "-" : "", (int)(seconds % 60));
        if (rest != 0) {
            char digits[8];
            snprintf(digits, sizeof digits, "%03d", rest < 0 ? -rest : rest);
            size_t size = digits[2] != '0' ? 3 : digits[1] != '0' ? 2 : 1;
            strbuf_printf(out, ".%.*s", (int)size, digits);
        }
        strbuf_add_byte(out, 'S');
    }
}

static void print_bytes(struct strbuf *out, struct str bytes)
{
    strbuf_add_byte(out, '[');
    for (size_t i = 0; i < bytes.size; i++) {
        strbuf_printf(out, "%s%d", i > 0 ? ", " : "", (signed char)bytes.ptr[i]);
    }
    strbuf_add_byte(out, ']');
}

static void print_list(struct strbuf *out, const struct type *type, const struct column *holder,
                       uint32_t at)
{
    const struct list_view *view = (const struct list_view *)holder->values + at;
    bool is_map = holder->child_count == 2;
    strbuf_add_byte(out, is_map ? '{' : '[');
    for (uint32_t i = view->offset; i < view->offset + view->length; i++) {
        strbuf_add_text(out, i > view->offset ? ", " : "");
        print_value(out, type->fields[0].type, &holder->children[0], i);
        if (is_map) {
            const struct type *value = type->kind == TYPE_MAP ? type->fields[1].type : &type_int;
            strbuf_add_byte(out, '=');
            print_value(out, value, &holder->children[1], i);
        }
    }
    strbuf_add_byte(out, is_map ? '}' : ']');
}

static void print_nested(struct strbuf *out, const struct type *type, const struct column *column,
                         uint32_t row)
{
    const struct column *holder = column_holder(column);
    uint32_t at = column_at(column, row);
    if (type->kind != TYPE_ROW) {
        print_list(out, type, holder, at);
        return;
    }
    strbuf_add_text(out, "+I[");
    for (uint32_t i = 0; i < type->field_count; i++) {
        strbuf_add_text(out, i > 0 ? ", " : "");
        print_value(out, type->fields[i].type, &holder->children[i], at);
    }
    strbuf_add_byte(out, ']');
}

static void print_scalar(struct strbuf *out, const struct type *type, const struct column *column,
                         uint32_t row)
{
    char text[TEXT_SCALAR_MAX];
    uint32_t size = text_scalar(type, column, row, NULL, text);
    strbuf_add(out, str_make(text, size));
}

static void print_value(struct strbuf *out, const struct type *type, const struct column *column,
                        uint32_t row)
{
    if (column_is_null(column, row)) {
        strbuf_add_text(out, "null");
        return;
    }
    switch (type->kind) {
    case TYPE_BOOLEAN:
        strbuf_add_text(out, *(const uint8_t *)column_value(column, row) != 0 ? "true" : "false");
        break;
    case TYPE_CHAR:
    case TYPE_VARCHAR:
    case TYPE_BITMAP:
    case TYPE_RAW: strbuf_add(out, strview_str(column_value(column, row))); break;
    case TYPE_VARIANT: json_text_value(out, type, column, row, NULL); break;
    case TYPE_BINARY:
    case TYPE_VARBINARY: print_bytes(out, strview_str(column_value(column, row))); break;
    case TYPE_DATE: print_date(out, *(const int32_t *)column_value(column, row)); break;
    case TYPE_TIME: {
        const void *value = column_value(column, row);
        int64_t micros = column->physical == PHYSICAL_I32 ? *(const int32_t *)value * INT64_C(1000)
                                                          : *(const int64_t *)value;
        print_clock(out, micros / DATETIME_US_PER_SECOND, micros % DATETIME_US_PER_SECOND * 1000,
                    false);
        break;
    }
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_LTZ: print_timestamp(out, type, column_value(column, row)); break;
    case TYPE_INTERVAL_MONTH:
    case TYPE_INTERVAL_SECOND: print_interval(out, type, column_value(column, row)); break;
    case TYPE_ARRAY:
    case TYPE_MULTISET:
    case TYPE_MAP:
    case TYPE_ROW: print_nested(out, type, column, row); break;
    case TYPE_TINYINT:
    case TYPE_SMALLINT:
    case TYPE_INT:
    case TYPE_BIGINT:
    case TYPE_FLOAT:
    case TYPE_DOUBLE:
    case TYPE_DECIMAL: print_scalar(out, type, column, row); break;
    case TYPE_NULL: UNREACHABLE("a value of type NULL");
    }
}

void print_row(struct strbuf *out, const struct batch *batch, const struct type *const *types,
               uint32_t row)
{
    strbuf_add_text(out, batch->kinds == NULL ? "+I" : change_name(batch->kinds[row]));
    strbuf_add_byte(out, '[');
    for (uint32_t i = 0; i < batch->column_count; i++) {
        strbuf_add_text(out, i > 0 ? ", " : "");
        print_value(out, types[i], &batch->columns[i], row);
    }
    strbuf_add_byte(out, ']');
}
