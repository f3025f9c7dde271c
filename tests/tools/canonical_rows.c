// SPDX-License-Identifier: Apache-2.0
#include "canonical_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "codec/json_tree.h"
#include "data/canonical_text.h"
#include "data/column_builder.h"
#include "data/decimal.h"

enum { TEXT_MAX = 1 << 30 };

static void add_primitive(struct column_builder *builder, const struct iceberg_type *type,
                          const struct json_tree *json)
{
    struct arena arena = {0};
    struct err err;
    struct iceberg_value value;
    if (iceberg_value_from_json(&arena, type, json, &value, &err) != STATUS_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    switch ((int)type->kind) {
    case ICEBERG_FLOAT: column_builder_f32(builder, (float)value.as.f64); break;
    case ICEBERG_DOUBLE: column_builder_f64(builder, value.as.f64); break;
    case ICEBERG_DECIMAL: column_builder_i128(builder, value.as.i128); break;
    case ICEBERG_STRING:
    case ICEBERG_BINARY:
    case ICEBERG_FIXED:
    case ICEBERG_GEOMETRY:
    case ICEBERG_GEOGRAPHY:
    case ICEBERG_UUID: column_builder_string(builder, value.as.bytes); break;
    case ICEBERG_BOOLEAN: column_builder_bool(builder, value.as.i64 != 0); break;
    default: column_builder_i64(builder, value.as.i64); break;
    }
    arena_release(&arena);
}

void canonical_rows_add(struct column_builder *builder, const struct iceberg_type *type,
                        const struct json_tree *json)
{
    if (json == NULL || json->kind == JSON_TREE_NULL) {
        column_builder_null(builder);
    } else if (type->kind == ICEBERG_STRUCT) {
        for (uint32_t i = 0; i < type->field_count; i++) {
            char key[256];
            snprintf(key, sizeof key, "%.*s", STR_ARGS(type->fields[i].name));
            canonical_rows_add(column_builder_child(builder, i), type->fields[i].type,
                               json_tree_get(json, key));
        }
        column_builder_row(builder);
    } else if (type->kind == ICEBERG_LIST || type->kind == ICEBERG_MAP) {
        column_builder_list_begin(builder);
        for (uint32_t i = 0; i < json->count; i++) {
            if (type->kind == ICEBERG_LIST) {
                canonical_rows_add(column_builder_child(builder, 0), type->fields[0].type,
                                   &json->items[i]);
            } else {
                canonical_rows_add(column_builder_child(builder, 0), type->fields[0].type,
                                   &json->items[i].items[0]);
                canonical_rows_add(column_builder_child(builder, 1), type->fields[1].type,
                                   &json->items[i].items[1]);
            }
        }
        column_builder_list_end(builder);
    } else {
        add_primitive(builder, type, json);
    }
}

static void print_float(struct strbuf *out, double value, bool is_float)
{
    char text[64];
    if (isnan(value) || isinf(value)) {
        strbuf_add_text(out, isnan(value) ? "\"NaN\""
                             : value > 0  ? "\"Infinity\""
                                          : "\"-Infinity\"");
        return;
    }
    // The shortest that reads back, then Python's way to write it.
    int digits = 1;
    for (; digits < 18; digits++) {
        snprintf(text, sizeof text, "%.*e", digits - 1, value);
        if (is_float ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value) {
            break;
        }
    }
    int exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
    if (exponent >= -4 && exponent < 16) {
        snprintf(text, sizeof text, "%.*f", digits - 1 > exponent ? digits - 1 - exponent : 1,
                 value);
        strbuf_add_text(out, text);
        return;
    }
    char *at = strchr(text, 'e');
    strbuf_add(out, str_make(text, (size_t)(at - text)));
    strbuf_printf(out, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
}

static void print_clock(struct strbuf *out, int64_t second_of_day, int64_t fraction, int digits)
{
    strbuf_printf(out, "%02d:%02d:%02d.%0*lld", (int)(second_of_day / 3600),
                  (int)(second_of_day / 60 % 60), (int)(second_of_day % 60), digits,
                  (long long)fraction);
}

static void print_instant(struct strbuf *out, int64_t value, int64_t per_second, int digits,
                          bool zone)
{
    int64_t seconds = value / per_second - (value % per_second < 0);
    int64_t days = seconds / 86400 - (seconds % 86400 < 0);
    int64_t fraction = value % per_second;
    strbuf_add_byte(out, '"');
    iceberg_value_print_date(out, days);
    strbuf_add_byte(out, 'T');
    print_clock(out, seconds - days * 86400, fraction < 0 ? fraction + per_second : fraction,
                digits);
    strbuf_add_text(out, zone ? "+00:00\"" : "\"");
}

static void print_hex(struct strbuf *out, struct str bytes, bool uuid)
{
    strbuf_add_byte(out, '"');
    for (size_t i = 0; i < bytes.size; i++) {
        strbuf_printf(out, "%s%02x", uuid && (i == 4 || i == 6 || i == 8 || i == 10) ? "-" : "",
                      (unsigned char)bytes.ptr[i]);
    }
    strbuf_add_byte(out, '"');
}

// Strings as Python's json.dumps(ensure_ascii=False) writes them.
void canonical_rows_text(struct strbuf *out, struct str text)
{
    strbuf_add_byte(out, '"');
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];
        static const char letters[] = "btn\0fr";
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

void canonical_rows_primitive(struct strbuf *out, const struct iceberg_type *type,
                              const struct iceberg_value *value)
{
    char text[DECIMAL_TEXT_MAX];
    switch ((int)type->kind) {
    case ICEBERG_BOOLEAN: strbuf_add_text(out, value->as.i64 != 0 ? "true" : "false"); break;
    case ICEBERG_FLOAT:
    case ICEBERG_DOUBLE: print_float(out, value->as.f64, type->kind == ICEBERG_FLOAT); break;
    case ICEBERG_DECIMAL:
        strbuf_printf(out, "\"%.*s\"", (int)decimal_format(value->as.i128, type->scale, text),
                      text);
        break;
    case ICEBERG_DATE:
        strbuf_add_byte(out, '"');
        iceberg_value_print_date(out, value->as.i64);
        strbuf_add_byte(out, '"');
        break;
    case ICEBERG_TIME:
        strbuf_add_byte(out, '"');
        print_clock(out, value->as.i64 / 1000000, value->as.i64 % 1000000, 6);
        strbuf_add_byte(out, '"');
        break;
    case ICEBERG_TIMESTAMP:
    case ICEBERG_TIMESTAMPTZ:
        print_instant(out, value->as.i64, 1000000, 6, type->kind == ICEBERG_TIMESTAMPTZ);
        break;
    case ICEBERG_TIMESTAMP_NS:
    case ICEBERG_TIMESTAMPTZ_NS:
        print_instant(out, value->as.i64, 1000000000, 9, type->kind == ICEBERG_TIMESTAMPTZ_NS);
        break;
    case ICEBERG_STRING: canonical_rows_text(out, value->as.bytes); break;
    case ICEBERG_UUID:
    case ICEBERG_FIXED:
    case ICEBERG_GEOMETRY:
    case ICEBERG_GEOGRAPHY:
    case ICEBERG_BINARY: print_hex(out, value->as.bytes, type->kind == ICEBERG_UUID); break;
    default: strbuf_printf(out, "%lld", (long long)value->as.i64); break;
    }
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void print_list(struct strbuf *out, const struct iceberg_type *type,
                       const struct column *column, uint32_t row)
{
    const struct column *holder = column_holder(column);
    struct list_view view;
    memcpy(&view, column_value(column, row), sizeof view);
    char **items = mem_zalloc((view.length + 1) * sizeof *items);
    for (uint32_t i = 0; i < view.length; i++) {
        struct strbuf item;
        strbuf_init(&item, TEXT_MAX);
        if (type->kind == ICEBERG_MAP) {
            strbuf_add_byte(&item, '[');
            canonical_rows_print(&item, type->fields[0].type, &holder->children[0],
                                 view.offset + i);
            strbuf_add_byte(&item, ',');
            canonical_rows_print(&item, type->fields[1].type, &holder->children[1],
                                 view.offset + i);
            strbuf_add_byte(&item, ']');
        } else {
            canonical_rows_print(&item, type->fields[0].type, &holder->children[0],
                                 view.offset + i);
        }
        items[i] = item.ptr;
    }
    if (type->kind == ICEBERG_MAP) {
        qsort(items, view.length, sizeof *items, compare_texts);
    }
    strbuf_add_byte(out, '[');
    for (uint32_t i = 0; i < view.length; i++) {
        strbuf_printf(out, "%s%s", i > 0 ? "," : "", items[i]);
        mem_free(items[i]);
    }
    strbuf_add_byte(out, ']');
    mem_free(items);
}

void canonical_rows_print(struct strbuf *out, const struct iceberg_type *type,
                          const struct column *column, uint32_t row)
{
    if (column_is_null(column, row)) {
        strbuf_add_text(out, "null");
    } else if (type->kind == ICEBERG_STRUCT) {
        const struct column *holder = column_holder(column);
        strbuf_add_byte(out, '{');
        for (uint32_t i = 0; i < type->field_count; i++) {
            strbuf_add_text(out, i > 0 ? "," : "");
            canonical_rows_text(out, type->fields[i].name);
            strbuf_add_byte(out, ':');
            canonical_rows_print(out, type->fields[i].type, &holder->children[i],
                                 column_at(column, row));
        }
        strbuf_add_byte(out, '}');
    } else if (type->kind == ICEBERG_LIST || type->kind == ICEBERG_MAP) {
        print_list(out, type, column, row);
    } else if (type->kind == ICEBERG_VARIANT) {
        canonical_text_value(out, &type_variant, column, row);
    } else {
        struct iceberg_value value = iceberg_value_of_row(type, column, row);
        canonical_rows_primitive(out, type, &value);
    }
}
