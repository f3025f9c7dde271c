// SPDX-License-Identifier: Apache-2.0
#include "data/variant.h"

#include <string.h>

#include "data/decimal.h"

// Unsigned, little-endian, of 1 to 4 bytes.
static uint32_t get_uint(const char *at, uint32_t size)
{
    uint32_t value = 0;
    memcpy(&value, at, size);
    return value;
}

// ---- names ----

bool variant_names_read(struct str bytes, struct variant_names *out)
{
    if (bytes.size < 1) {
        return false;
    }
    uint8_t head = (uint8_t)bytes.ptr[0];
    uint32_t width = (head >> 6) + 1u;
    if ((head & 0x0f) != 1 || bytes.size < 1 + width) { // version 1 is the only one there is
        return false;
    }
    uint32_t count = get_uint(bytes.ptr + 1, width);
    uint64_t table = 1 + width + ((uint64_t)count + 1) * width;
    if (table > bytes.size) {
        return false;
    }
    *out = (struct variant_names){.count = count,
                                  .is_sorted = (head & 0x10) != 0,
                                  .offset_size = (uint8_t)width,
                                  .offsets = bytes.ptr + 1 + width,
                                  .bytes = bytes.ptr + table};
    uint32_t end = get_uint(out->offsets + (size_t)count * width, width);
    out->size = (size_t)table + end;
    return end <= bytes.size - table;
}

bool variant_names_get(const struct variant_names *names, uint32_t id, struct str *out)
{
    if (id >= names->count) {
        return false;
    }
    uint32_t width = names->offset_size;
    uint32_t from = get_uint(names->offsets + (size_t)id * width, width);
    uint32_t to = get_uint(names->offsets + (size_t)(id + 1) * width, width);
    size_t all = names->size - (size_t)(names->bytes - names->offsets) - 1 - width;
    if (from > to || to > all) {
        return false;
    }
    *out = str_make(names->bytes + from, to - from);
    return true;
}

static bool find_sorted(const struct variant_names *names, struct str name, uint32_t *id)
{
    uint32_t low = 0;
    uint32_t high = names->count;
    while (low < high) {
        struct str found;
        uint32_t middle = low + (high - low) / 2;
        if (!variant_names_get(names, middle, &found)) {
            return false;
        }
        int order = str_compare(found, name);
        if (order == 0) {
            *id = middle;
            return true;
        }
        *(order < 0 ? &low : &high) = order < 0 ? middle + 1 : middle;
    }
    return false;
}

bool variant_names_find(const struct variant_names *names, struct str name, uint32_t *id)
{
    if (names->is_sorted) {
        return find_sorted(names, name, id);
    }
    for (uint32_t i = 0; i < names->count; i++) {
        struct str found;
        if (variant_names_get(names, i, &found) && str_equal(found, name)) {
            *id = i;
            return true;
        }
    }
    return false;
}

// ---- values ----

static bool read_container(struct str bytes, uint8_t head, struct variant *out)
{
    bool is_object = out->type == VARIANT_OBJECT;
    bool is_large = (head >> (is_object ? 4 : 2) & 1) != 0;
    size_t at = 1 + (is_large ? 4 : 1);
    if (bytes.size < at) {
        return false;
    }
    out->count = get_uint(bytes.ptr + 1, is_large ? 4 : 1);
    out->offset_size = (uint8_t)((head & 3) + 1);
    out->id_size = is_object ? (uint8_t)((head >> 2 & 3) + 1) : 0;
    uint64_t ids = (uint64_t)out->count * out->id_size;
    uint64_t offsets = ((uint64_t)out->count + 1) * out->offset_size;
    if (ids + offsets > bytes.size - at) {
        return false;
    }
    out->ids = bytes.ptr + at;
    out->offsets = out->ids + ids;
    at += (size_t)(ids + offsets);
    uint32_t end = get_uint(out->offsets + (size_t)out->count * out->offset_size, out->offset_size);
    if (end > bytes.size - at) {
        return false;
    }
    out->children = str_make(bytes.ptr + at, end);
    out->size = at + end;
    return true;
}

static bool read_decimal(struct str bytes, uint32_t width, struct variant *out)
{
    int32_t narrow;
    int64_t wide;
    out->as.decimal.scale = (uint8_t)bytes.ptr[1];
    if (width == sizeof narrow) {
        memcpy(&narrow, bytes.ptr + 2, sizeof narrow);
        out->as.decimal.unscaled = narrow;
    } else if (width == sizeof wide) {
        memcpy(&wide, bytes.ptr + 2, sizeof wide);
        out->as.decimal.unscaled = wide;
    } else {
        memcpy(&out->as.decimal.unscaled, bytes.ptr + 2, width);
    }
    return out->as.decimal.scale <= DECIMAL_PRECISION_MAX &&
           decimal_fits(out->as.decimal.unscaled, DECIMAL_PRECISION_MAX);
}

static bool read_text(struct str bytes, struct variant *out)
{
    if (bytes.size < 5) {
        return false;
    }
    uint32_t size = get_uint(bytes.ptr + 1, 4);
    out->size = 5 + (size_t)size;
    out->as.bytes = str_make(bytes.ptr + 5, size);
    return size <= bytes.size - 5;
}

static int64_t get_int(const char *at, uint32_t size)
{
    uint64_t raw = 0;
    memcpy(&raw, at, size);
    uint32_t unused = 64 - 8 * size;
    return (int64_t)(raw << unused) >> unused; // with its sign
}

static bool read_primitive(struct str bytes, struct variant *out)
{
    static const uint8_t widths[] = {[VARIANT_NULL] = 0,
                                     [VARIANT_TRUE] = 0,
                                     [VARIANT_FALSE] = 0,
                                     [VARIANT_INT8] = 1,
                                     [VARIANT_INT16] = 2,
                                     [VARIANT_INT32] = 4,
                                     [VARIANT_INT64] = 8,
                                     [VARIANT_DOUBLE] = 8,
                                     [VARIANT_DECIMAL4] = 5,
                                     [VARIANT_DECIMAL8] = 9,
                                     [VARIANT_DECIMAL16] = 17,
                                     [VARIANT_DATE] = 4,
                                     [VARIANT_TIMESTAMP_LTZ] = 8,
                                     [VARIANT_TIMESTAMP] = 8,
                                     [VARIANT_FLOAT] = 4,
                                     [VARIANT_BINARY] = 4,
                                     [VARIANT_STRING] = 4,
                                     [VARIANT_TIME] = 8,
                                     [VARIANT_TIMESTAMP_LTZ_NS] = 8,
                                     [VARIANT_TIMESTAMP_NS] = 8,
                                     [VARIANT_UUID] = 16};
    if (out->type > VARIANT_UUID || bytes.size < 1 + (size_t)widths[out->type]) {
        return false;
    }
    uint32_t width = widths[out->type];
    out->size = 1 + (size_t)width;
    switch (out->type) {
    case VARIANT_INT8:
    case VARIANT_INT16:
    case VARIANT_INT32:
    case VARIANT_INT64:
    case VARIANT_DATE:
    case VARIANT_TIME:
    case VARIANT_TIMESTAMP:
    case VARIANT_TIMESTAMP_LTZ:
    case VARIANT_TIMESTAMP_NS:
    case VARIANT_TIMESTAMP_LTZ_NS: out->as.i64 = get_int(bytes.ptr + 1, width); return true;
    case VARIANT_DOUBLE: memcpy(&out->as.f64, bytes.ptr + 1, width); return true;
    case VARIANT_FLOAT: memcpy(&out->as.f32, bytes.ptr + 1, width); return true;
    case VARIANT_DECIMAL4:
    case VARIANT_DECIMAL8:
    case VARIANT_DECIMAL16: return read_decimal(bytes, width - 1, out);
    case VARIANT_BINARY:
    case VARIANT_STRING: return read_text(bytes, out);
    case VARIANT_UUID: out->as.bytes = str_make(bytes.ptr + 1, width); return true;
    case VARIANT_NULL:
    case VARIANT_TRUE:
    case VARIANT_FALSE:
    case VARIANT_OBJECT:
    case VARIANT_ARRAY: break;
    }
    return true;
}

bool variant_read(struct str bytes, struct variant *out)
{
    if (bytes.size < 1) {
        return false;
    }
    uint8_t first = (uint8_t)bytes.ptr[0];
    uint8_t head = first >> 2;
    *out = (struct variant){.type = VARIANT_NULL};
    switch (first & 3) {
    case 0: out->type = (enum variant_type)head; return read_primitive(bytes, out);
    case 1:
        out->type = VARIANT_STRING;
        out->size = 1 + (size_t)head;
        out->as.bytes = str_make(bytes.ptr + 1, head);
        return head < bytes.size;
    case 2: out->type = VARIANT_OBJECT; return read_container(bytes, head, out);
    default: out->type = VARIANT_ARRAY; return read_container(bytes, head, out);
    }
}

bool variant_child(const struct variant *container, uint32_t at, struct str *out)
{
    if (at >= container->count) {
        return false;
    }
    uint32_t width = container->offset_size;
    uint32_t from = get_uint(container->offsets + (size_t)at * width, width);
    if (from >= container->children.size) {
        return false;
    }
    *out = str_slice(container->children, from, container->children.size);
    return true;
}

bool variant_element(const struct variant *array, uint32_t at, struct variant *out)
{
    struct str bytes;
    return variant_child(array, at, &bytes) && variant_read(bytes, out);
}

bool variant_field(const struct variant_names *names, const struct variant *object, uint32_t at,
                   struct str *name, struct variant *out)
{
    return variant_element(object, at, out) &&
           variant_names_get(
               names, get_uint(object->ids + (size_t)at * object->id_size, object->id_size), name);
}

bool variant_open(struct str held, struct variant_names *names, struct variant *value)
{
    return variant_names_read(held, names) &&
           variant_read(str_slice(held, names->size, held.size), value);
}

// ---- the whole ----

// What is wrong with the value or what is below it; NULL: nothing.
static const char *check(const struct variant_names *names, const struct variant *value,
                         uint32_t depth)
{
    if (value->type != VARIANT_OBJECT && value->type != VARIANT_ARRAY) {
        return NULL;
    }
    if (depth > VARIANT_DEPTH_MAX) {
        return "values are nested too deeply";
    }
    struct str before = str_make(NULL, 0);
    uint64_t total = 0;
    for (uint32_t i = 0; i < value->count; i++) {
        struct variant child;
        struct str name = before;
        bool ok = value->type == VARIANT_ARRAY ? variant_element(value, i, &child)
                                               : variant_field(names, value, i, &name, &child);
        if (!ok) {
            return "a value is not whole, or its type or name is not known";
        }
        if (value->type == VARIANT_OBJECT && i > 0 && str_compare(before, name) >= 0) {
            return "fields are not in the order of their names, or one is there twice";
        }
        before = name;
        total += child.size;
        if (total > value->children.size) {
            return "values overlap";
        }
        const char *wrong = check(names, &child, depth + 1);
        if (wrong != NULL) {
            return wrong;
        }
    }
    return NULL;
}

bool variant_check(struct str held, const char **what)
{
    struct variant_names names;
    struct variant value;
    *what = NULL;
    if (!variant_names_read(held, &names)) {
        *what = "the dictionary of names is damaged";
        return false;
    }
    for (uint32_t i = 0; i < names.count; i++) {
        struct str name;
        if (!variant_names_get(&names, i, &name)) {
            *what = "a name is not within the dictionary";
            return false;
        }
    }
    if (!variant_read(str_slice(held, names.size, held.size), &value)) {
        *what = "the value is not whole, or its type is not known";
    } else if (names.size + value.size != held.size) {
        *what = "there are bytes behind the value";
    } else {
        *what = check(&names, &value, 1);
    }
    return *what == NULL;
}
