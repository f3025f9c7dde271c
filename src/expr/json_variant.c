// SPDX-License-Identifier: Apache-2.0
#include "expr/json_variant.h"

#include <stdlib.h>

#include "base/arena.h"
#include "data/decimal.h"
#include "data/float_text.h"
#include "data/variant_build.h"

enum { DIGITS_MAX = 38 };

struct build {
    struct variant_build values;
    VEC(struct str) names; // sorted and each once, before the values are built
};

static void collect_names(struct build *build, const struct json_doc *doc)
{
    for (uint32_t i = 0; i < doc->count; i++) {
        if (doc->kind == JSON_DOC_OBJECT) {
            VEC_PUSH(&build->names, doc->keys[i]);
        }
        collect_names(build, &doc->items[i]);
    }
}

static int compare_names(const void *a, const void *b)
{
    return str_compare(*(const struct str *)a, *(const struct str *)b);
}

static void sort_names(struct build *build)
{
    uint32_t kept = 0;
    if (build->names.count == 0) {
        return;
    }
    qsort(build->names.items, build->names.count, sizeof *build->names.items, compare_names);
    for (uint32_t i = 0; i < build->names.count; i++) {
        if (kept == 0 || !str_equal(build->names.items[i], build->names.items[kept - 1])) {
            build->names.items[kept++] = build->names.items[i];
        }
    }
    build->names.count = kept;
}

static uint32_t name_id(const struct build *build, struct str name)
{
    const struct str *found =
        bsearch(&name, build->names.items, build->names.count, sizeof name, compare_names);
    return (uint32_t)(found - build->names.items);
}

// False: an exponent, or more digits than a decimal has.
static bool read_decimal(struct str text, int128 *unscaled, uint8_t *scale)
{
    int128 value = 0;
    uint32_t digits = 0;
    bool fraction = false;
    *scale = 0;
    for (size_t at = 0; at < text.size; at++) {
        char c = text.ptr[at];
        if (c == '.') {
            fraction = true;
        } else if (c >= '0' && c <= '9') {
            digits += digits > 0 || c != '0';
            if (digits > DIGITS_MAX || *scale == DIGITS_MAX) {
                return false;
            }
            value = value * 10 + (c - '0');
            *scale = (uint8_t)(*scale + fraction);
        } else if (c != '-') {
            return false;
        }
    }
    for (; *scale > 0 && value % 10 == 0; --*scale) {
        value /= 10;
    }
    *unscaled = text.ptr[0] == '-' ? -value : value;
    return true;
}

static void build_number(struct build *build, struct str text)
{
    int128 unscaled;
    uint8_t scale;
    double number = 0;
    if (!read_decimal(text, &unscaled, &scale)) {
        (void)float_text_parse_f64(text, &number); // as a JSON number it has the form
        variant_build_double(&build->values, number);
        return;
    }
    bool is_long = unscaled >= INT64_MIN && unscaled <= INT64_MAX;
    if (scale == 0 && is_long) {
        int64_t value = (int64_t)unscaled;
        enum variant_type type = value == (int8_t)value    ? VARIANT_INT8
                                 : value == (int16_t)value ? VARIANT_INT16
                                 : value == (int32_t)value ? VARIANT_INT32
                                                           : VARIANT_INT64;
        variant_build_int(&build->values, type, value);
        return;
    }
    int128 size = unscaled < 0 ? -unscaled : unscaled;
    enum variant_type type = size < 1000000000                     ? VARIANT_DECIMAL4
                             : size < INT64_C(1000000000000000000) ? VARIANT_DECIMAL8
                                                                   : VARIANT_DECIMAL16;
    variant_build_decimal(&build->values, type, unscaled, scale);
}

static bool build_value(struct build *build, const struct json_doc *doc);

static bool build_container(struct build *build, const struct json_doc *doc)
{
    struct variant_mark mark = variant_build_open(&build->values);
    for (uint32_t i = 0; i < doc->count; i++) {
        if (doc->kind == JSON_DOC_OBJECT) {
            variant_build_field(&build->values, name_id(build, doc->keys[i]), doc->keys[i]);
        } else {
            variant_build_element(&build->values);
        }
        if (!build_value(build, &doc->items[i])) {
            return false;
        }
    }
    return doc->kind == JSON_DOC_OBJECT
               ? variant_build_object(&build->values, mark, build->names.count)
               : variant_build_array(&build->values, mark);
}

static bool build_value(struct build *build, const struct json_doc *doc)
{
    switch (doc->kind) {
    case JSON_DOC_NULL: variant_build_plain(&build->values, VARIANT_NULL); return true;
    case JSON_DOC_FALSE: variant_build_plain(&build->values, VARIANT_FALSE); return true;
    case JSON_DOC_TRUE: variant_build_plain(&build->values, VARIANT_TRUE); return true;
    case JSON_DOC_NUMBER: build_number(build, doc->text); return true;
    case JSON_DOC_STRING: variant_build_string(&build->values, doc->text); return true;
    case JSON_DOC_ARRAY:
    case JSON_DOC_OBJECT: return build_container(build, doc);
    }
    return false;
}

bool json_variant(struct arena *arena, const struct json_doc *doc, struct str *held)
{
    struct build build = {0};
    struct bytebuf names = {0};
    collect_names(&build, doc);
    sort_names(&build);
    bool fits = variant_build_names(&names, build.names.items, build.names.count) &&
                build_value(&build, doc);
    if (fits) {
        size_t size = names.size + build.values.bytes.size;
        char *bytes = arena_alloc(arena, size);
        memcpy(bytes, names.ptr, names.size);
        memcpy(bytes + names.size, build.values.bytes.ptr, build.values.bytes.size);
        *held = str_make(bytes, size);
    }
    bytebuf_release(&names);
    VEC_RELEASE(&build.names);
    variant_build_release(&build.values);
    return fits;
}
