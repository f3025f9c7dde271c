// SPDX-License-Identifier: Apache-2.0
#include "iceberg/spec/bounds.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "iceberg/spec/table_metadata.h"

enum { LENGTH_DEFAULT = 16, INFERRED_MAX_DEFAULT = 100, CODE_POINT_MAX = 0x10ffff };

// Where the first `count` code points (or bytes) end.
static size_t prefix_end(struct str value, bool is_text, int32_t count)
{
    if (!is_text) {
        return (size_t)count < value.size ? (size_t)count : value.size;
    }
    size_t at = 0;
    for (; count > 0 && at < value.size; count--) {
        at++;
        while (at < value.size && ((unsigned char)value.ptr[at] & 0xc0) == 0x80) {
            at++;
        }
    }
    return at;
}

struct str bounds_lower(struct str value, bool is_text, int32_t length)
{
    return str_slice(value, 0, prefix_end(value, is_text, length));
}

static uint32_t code_point_at(const unsigned char *at, size_t size)
{
    uint32_t point = size == 1   ? at[0]
                     : size == 2 ? at[0] & 0x1fu
                     : size == 3 ? at[0] & 0x0fu
                                 : at[0] & 0x07u;
    for (size_t i = 1; i < size; i++) {
        point = point << 6 | (at[i] & 0x3fu);
    }
    return point;
}

static size_t put_code_point(char *out, uint32_t point)
{
    size_t size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    static const unsigned char heads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = size; i-- > 1;) {
        out[i] = (char)(0x80 | (point & 0x3f));
        point >>= 6;
    }
    out[0] = (char)(heads[size] | point);
    return size;
}

static bool increment_text(struct arena *arena, struct str prefix, struct str *out)
{
    size_t end = prefix.size;
    while (end > 0) {
        size_t start = end - 1;
        while (start > 0 && ((unsigned char)prefix.ptr[start] & 0xc0) == 0x80) {
            start--;
        }
        uint32_t point = code_point_at((const unsigned char *)prefix.ptr + start, end - start);
        if (point < CODE_POINT_MAX) {
            uint32_t next = point + 1 == 0xd800 ? 0xe000 : point + 1;
            char *bytes = arena_alloc(arena, start + 4);
            if (start > 0) {
                memcpy(bytes, prefix.ptr, start);
            }
            *out = str_make(bytes, start + put_code_point(bytes + start, next));
            return true;
        }
        end = start;
    }
    return false;
}

static bool increment_bytes(struct arena *arena, struct str prefix, struct str *out)
{
    for (size_t end = prefix.size; end > 0; end--) {
        if ((unsigned char)prefix.ptr[end - 1] != 0xff) {
            char *bytes = arena_copy(arena, prefix.ptr, end);
            bytes[end - 1] = (char)((unsigned char)bytes[end - 1] + 1);
            *out = str_make(bytes, end);
            return true;
        }
    }
    return false;
}

bool bounds_upper(struct arena *arena, struct str value, bool is_text, int32_t length, bool exact,
                  struct str *out)
{
    size_t end = prefix_end(value, is_text, length);
    if (end == value.size && exact) {
        *out = value;
        return true;
    }
    struct str prefix = str_slice(value, 0, end);
    return is_text ? increment_text(arena, prefix, out) : increment_bytes(arena, prefix, out);
}

bool bounds_rule_parse(struct str text, struct bounds_rule *out)
{
    int64_t length;
    text = str_trim(text);
    if (str_is_nocase(text, "none")) {
        *out = (struct bounds_rule){BOUNDS_NONE, 0};
    } else if (str_is_nocase(text, "counts")) {
        *out = (struct bounds_rule){BOUNDS_COUNTS, 0};
    } else if (str_is_nocase(text, "full")) {
        *out = (struct bounds_rule){BOUNDS_FULL, 0};
    } else if (text.size > 10 && str_is_nocase(str_slice(text, 0, 9), "truncate(") &&
               text.ptr[text.size - 1] == ')' &&
               str_to_i64(str_slice(text, 9, text.size - 1), &length) && length > 0 &&
               length <= INT32_MAX) {
        *out = (struct bounds_rule){BOUNDS_TRUNCATE, (int32_t)length};
    } else {
        return false;
    }
    return true;
}

static bool is_leaf(const struct iceberg_type *type)
{
    return type->kind != ICEBERG_STRUCT && type->kind != ICEBERG_LIST && type->kind != ICEBERG_MAP;
}

// Goes through leaves in Java's order until `id` is found or *left are passed.
static bool is_among_first(const struct iceberg_type *type, int32_t id, int64_t *left)
{
    for (uint32_t i = 0; i<type->field_count && * left> 0; i++) {
        if (is_leaf(type->fields[i].type)) {
            if (type->fields[i].id == id) {
                return true;
            }
            --*left;
        }
    }
    for (uint32_t i = 0; i<type->field_count && * left> 0; i++) {
        if (is_among_first(type->fields[i].type, id, left)) {
            return true;
        }
    }
    return false;
}

static bool is_sorted_by(const struct table_metadata *metadata, int32_t id)
{
    for (uint32_t i = 0; i < metadata->sort_order_count; i++) {
        const struct sort_order *order = metadata->sort_orders[i];
        for (uint32_t k = 0;
             order->order_id == metadata->default_sort_order_id && k < order->field_count; k++) {
            if (order->fields[k].source_id == id &&
                transform_keeps_order(&order->fields[k].transform)) {
                return true;
            }
        }
    }
    return false;
}

static struct bounds_rule rule_by_default(const struct table_metadata *metadata,
                                          const struct table_schema_entry *entry)
{
    struct bounds_rule rule = {BOUNDS_TRUNCATE, LENGTH_DEFAULT};
    const struct table_schema *schema = table_metadata_current_schema(metadata);
    const struct str *given = table_metadata_property(metadata, "write.metadata.metrics.default");
    if (given != NULL && bounds_rule_parse(*given, &rule)) {
        return rule;
    }
    int64_t max = table_metadata_property_i64(
        metadata, "write.metadata.metrics.max-inferred-column-defaults", INFERRED_MAX_DEFAULT);
    max = max < 0 ? INFERRED_MAX_DEFAULT : max;
    if (schema->entry_count > max && !is_among_first(schema->root, entry->id, &max)) {
        rule = (struct bounds_rule){BOUNDS_NONE, 0};
    }
    return rule;
}

struct bounds_rule bounds_rule_of(const struct table_metadata *metadata,
                                  const struct table_schema_entry *entry, struct str path)
{
    struct bounds_rule rule;
    char key[600];
    int length = snprintf(key, sizeof key, "write.metadata.metrics.column.%.*s", STR_ARGS(path));
    const struct str *own =
        length < (int)sizeof key ? table_metadata_property(metadata, key) : NULL;
    if (own != NULL && bounds_rule_parse(*own, &rule)) {
        return rule;
    }
    rule = rule_by_default(metadata, entry);
    if (rule.mode < BOUNDS_TRUNCATE && is_sorted_by(metadata, entry->id)) {
        rule = (struct bounds_rule){BOUNDS_TRUNCATE, LENGTH_DEFAULT};
    }
    return rule;
}
