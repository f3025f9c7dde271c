// SPDX-License-Identifier: Apache-2.0
#include "expr/json_write.h"

#include <math.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "data/datetime.h"
#include "data/float_text.h"
#include "data/json_text.h"
#include "data/text.h"
#include "expr/json_doc.h"

bool json_write_is_known(const struct type *type)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (!json_write_is_known(type->fields[i].type)) {
            return false;
        }
    }
    return type->kind != TYPE_NULL && type->kind != TYPE_DATE && type->kind != TYPE_TIME &&
           type->kind != TYPE_INTERVAL_MONTH && type->kind != TYPE_INTERVAL_SECOND &&
           type->kind != TYPE_VARIANT && type->kind != TYPE_BITMAP && type->kind != TYPE_RAW;
}

static void put_real(struct strbuf *out, double value)
{
    char text[FLOAT_TEXT_MAX];
    struct str shown = str_make(text, float_text_f64(value, text));
    if (isfinite(value)) {
        json_doc_print_number(out, shown);
    } else {
        json_text_string(out, shown);
    }
}

// 2020-01-01T12:34:56.5, with as many digits as it takes; LTZ: in UTC, digits in threes, Z.
static void put_timestamp(struct strbuf *out, struct nano value, bool is_ltz)
{
    char text[DATETIME_TEXT_MAX];
    uint32_t size = datetime_format_nano(value, 9, text);
    while (text[size - 1] == '0') {
        size--;
    }
    size -= text[size - 1] == '.';
    uint32_t fraction = 0;
    for (uint32_t i = 0; i < size; i++) {
        fraction = text[i] == '.' ? size - i - 1 : fraction;
        text[i] = text[i] == ' ' ? 'T' : text[i];
    }
    strbuf_add_byte(out, '"');
    strbuf_add(out, str_make(text, size));
    for (; is_ltz && fraction % 3 != 0; fraction++) {
        strbuf_add_byte(out, '0');
    }
    strbuf_add_text(out, is_ltz ? "Z\"" : "\"");
}

static struct nano moment_of(const struct column *column, uint32_t row)
{
    const void *value = column_value(column, row);
    return column->physical == PHYSICAL_NANO ? *(const struct nano *)value
                                             : datetime_nano_from_us(*(const int64_t *)value);
}

// ---- nested values: parsed back where keys must be sorted

static void put_array(struct strbuf *out, struct arena *arena, const struct type *type,
                      const struct column *column, uint32_t row)
{
    const struct list_view *view = column_value(column, row);
    const struct column *child = &column_holder(column)->children[0];
    strbuf_add_byte(out, '[');
    for (uint32_t i = 0; i < view->length; i++) {
        strbuf_add_text(out, i > 0 ? "," : "");
        json_write_value(out, arena, type->fields[0].type, child, view->offset + i);
    }
    strbuf_add_byte(out, ']');
}

// The key of a map's entry as a text.
static void put_key(struct strbuf *out, const struct type *type, const struct column *column,
                    uint32_t row)
{
    struct strbuf key;
    strbuf_init(&key, 1 << 20);
    if (!column_is_null(column, row)) {
        text_value(&key, type, column, row, NULL);
    }
    json_text_string(out, strbuf_str(&key));
    strbuf_release(&key);
}

static void put_map(struct strbuf *out, struct arena *arena, const struct type *type,
                    const struct column *column, uint32_t row)
{
    const struct list_view *view = column_value(column, row);
    const struct column *children = column_holder(column)->children;
    bool is_map = type->kind == TYPE_MAP;
    strbuf_add_byte(out, '{');
    for (uint32_t i = view->offset; i < view->offset + view->length; i++) {
        strbuf_add_text(out, i > view->offset ? "," : "");
        put_key(out, type->fields[0].type, &children[0], i);
        strbuf_add_byte(out, ':');
        json_write_value(out, arena, is_map ? type->fields[1].type : &type_int, &children[1], i);
    }
    strbuf_add_byte(out, '}');
}

static void put_row(struct strbuf *out, struct arena *arena, const struct type *type,
                    const struct column *column, uint32_t row)
{
    const struct column *children = column_holder(column)->children;
    strbuf_add_byte(out, '{');
    for (uint32_t i = 0; i < type->field_count; i++) {
        strbuf_add_text(out, i > 0 ? "," : "");
        json_text_string(out, type->fields[i].name);
        strbuf_add_byte(out, ':');
        json_write_value(out, arena, type->fields[i].type, &children[i], column_at(column, row));
    }
    strbuf_add_byte(out, '}');
}

// An object just written at `from` again with its keys sorted.
static void sort_keys(struct strbuf *out, struct arena *arena, size_t from)
{
    struct str text = arena_str(arena, str_slice(strbuf_str(out), from, out->size));
    struct json_doc doc;
    if (!out->truncated &&
        json_doc_parse(arena, text, (struct json_doc_limits){.whole = true}, &doc)) {
        out->size = from;
        json_doc_print(out, &doc);
    }
}

void json_write_value(struct strbuf *out, struct arena *arena, const struct type *type,
                      const struct column *column, uint32_t row)
{
    if (column_is_null(column, row)) {
        strbuf_add_text(out, "null");
        return;
    }
    size_t from = out->size;
    if (type->kind == TYPE_DOUBLE) {
        put_real(out, *(const double *)column_value(column, row));
    } else if (type->kind == TYPE_FLOAT) {
        put_real(out, (double)*(const float *)column_value(column, row));
    } else if (type_is_timestamp(type)) {
        put_timestamp(out, moment_of(column, row), type->kind == TYPE_TIMESTAMP_LTZ);
    } else if (type->kind == TYPE_ARRAY) {
        put_array(out, arena, type, column, row);
    } else if (type->kind == TYPE_MAP || type->kind == TYPE_MULTISET) {
        put_map(out, arena, type, column, row);
        sort_keys(out, arena, from);
    } else if (type->kind == TYPE_ROW) {
        put_row(out, arena, type, column, row);
        sort_keys(out, arena, from);
    } else {
        json_text_value(out, type, column, row, NULL);
    }
}
