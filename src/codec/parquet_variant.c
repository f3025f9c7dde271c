// SPDX-License-Identifier: Apache-2.0
//
// Columns of variants put together from their parts (parquet-format, VariantShredding.md):
//
//     group v (VARIANT)   metadata      the dictionary of names
//                         value         what is not shredded
//                         typed_value   a value of one type, a list of pairs {value, typed_value},
//                                       or a group with a pair for each field
//
// The parts are decoded as a row in the form in which they are stored; each row of it becomes
// metadata and value in one string. What both parts of a pair say contradicts itself, except for
// objects: there the fields of `value` are added, those that have a place of their own left out.
#include "base/arena.h"
#include "base/assert.h"
#include "codec/parquet_reader_int.h"
#include "data/variant_build.h"

// ---- the schema ----

static const struct parquet_node *find_part(const struct parquet_node *node, const char *name)
{
    for (uint32_t i = 0; i < node->child_count; i++) {
        if (str_is(node->children[i].name, name)) {
            return &node->children[i];
        }
    }
    return NULL;
}

static bool is_bytes(const struct parquet_node *node)
{
    return node->kind == PARQUET_NODE_LEAF && node->element->physical == PARQUET_BYTE_ARRAY;
}

bool parquet_variant_fits(const struct parquet_node *node)
{
    const struct parquet_node *metadata = find_part(node, "metadata");
    const struct parquet_node *value = find_part(node, "value");
    const struct parquet_node *typed = find_part(node, "typed_value");
    uint32_t known = 1u + (value != NULL ? 1u : 0u) + (typed != NULL ? 1u : 0u);
    return metadata != NULL && is_bytes(metadata) && (value == NULL || is_bytes(value)) &&
           (value != NULL || typed != NULL) && node->child_count == known;
}

// "Shredded Value Types" of the format.
static const struct {
    enum parquet_physical physical;
    enum parquet_logical logical;
    enum variant_type type;
    int8_t int_width;       // of INTEGER, which is signed
    enum parquet_unit unit; // of TIME and TIMESTAMP
    bool is_utc;            // of TIMESTAMP
} typed_forms[] = {
    {PARQUET_BOOLEAN, PARQUET_LOGICAL_NONE, VARIANT_TRUE, 0, 0, false},
    {PARQUET_INT32, PARQUET_LOGICAL_NONE, VARIANT_INT32, 0, 0, false},
    {PARQUET_INT32, PARQUET_LOGICAL_INTEGER, VARIANT_INT8, 8, 0, false},
    {PARQUET_INT32, PARQUET_LOGICAL_INTEGER, VARIANT_INT16, 16, 0, false},
    {PARQUET_INT32, PARQUET_LOGICAL_INTEGER, VARIANT_INT32, 32, 0, false},
    {PARQUET_INT32, PARQUET_LOGICAL_DECIMAL, VARIANT_DECIMAL4, 0, 0, false},
    {PARQUET_INT32, PARQUET_LOGICAL_DATE, VARIANT_DATE, 0, 0, false},
    {PARQUET_INT64, PARQUET_LOGICAL_NONE, VARIANT_INT64, 0, 0, false},
    {PARQUET_INT64, PARQUET_LOGICAL_INTEGER, VARIANT_INT64, 64, 0, false},
    {PARQUET_INT64, PARQUET_LOGICAL_DECIMAL, VARIANT_DECIMAL8, 0, 0, false},
    {PARQUET_INT64, PARQUET_LOGICAL_TIME, VARIANT_TIME, 0, PARQUET_MICROS, false},
    {PARQUET_INT64, PARQUET_LOGICAL_TIMESTAMP, VARIANT_TIMESTAMP, 0, PARQUET_MICROS, false},
    {PARQUET_INT64, PARQUET_LOGICAL_TIMESTAMP, VARIANT_TIMESTAMP_LTZ, 0, PARQUET_MICROS, true},
    {PARQUET_INT64, PARQUET_LOGICAL_TIMESTAMP, VARIANT_TIMESTAMP_NS, 0, PARQUET_NANOS, false},
    {PARQUET_INT64, PARQUET_LOGICAL_TIMESTAMP, VARIANT_TIMESTAMP_LTZ_NS, 0, PARQUET_NANOS, true},
    {PARQUET_FLOAT, PARQUET_LOGICAL_NONE, VARIANT_FLOAT, 0, 0, false},
    {PARQUET_DOUBLE, PARQUET_LOGICAL_NONE, VARIANT_DOUBLE, 0, 0, false},
    {PARQUET_BYTE_ARRAY, PARQUET_LOGICAL_NONE, VARIANT_BINARY, 0, 0, false},
    {PARQUET_BYTE_ARRAY, PARQUET_LOGICAL_STRING, VARIANT_STRING, 0, 0, false},
    {PARQUET_BYTE_ARRAY, PARQUET_LOGICAL_DECIMAL, VARIANT_DECIMAL16, 0, 0, false},
    {PARQUET_FIXED, PARQUET_LOGICAL_DECIMAL, VARIANT_DECIMAL16, 0, 0, false},
    {PARQUET_FIXED, PARQUET_LOGICAL_UUID, VARIANT_UUID, 0, 0, false},
};

// What a typed value of the column is; false: nothing that variants have.
static bool typed_as(const struct parquet_element *element, enum variant_type *out)
{
    for (uint32_t i = 0; i < sizeof typed_forms / sizeof typed_forms[0]; i++) {
        if (typed_forms[i].physical != element->physical ||
            typed_forms[i].logical != element->logical) {
            continue;
        }
        bool is_timestamp = element->logical == PARQUET_LOGICAL_TIMESTAMP;
        bool width_fits = typed_forms[i].int_width == 0 ||
                          (typed_forms[i].int_width == element->int_width && element->int_signed);
        bool unit_fits = typed_forms[i].unit == 0 || typed_forms[i].unit == element->unit;
        if (width_fits && unit_fits &&
            (!is_timestamp || typed_forms[i].is_utc == element->is_utc)) {
            *out = typed_forms[i].type;
            return *out != VARIANT_UUID || element->length == 16;
        }
    }
    return false;
}

enum status parquet_variant_leaf(const struct parquet_node *leaf, struct parquet_conversion *out,
                                 struct err *err)
{
    static const enum physical held[] = {
        [PARQUET_BOOLEAN] = PHYSICAL_BOOL,      [PARQUET_INT32] = PHYSICAL_I32,
        [PARQUET_INT64] = PHYSICAL_I64,         [PARQUET_INT96] = PHYSICAL_STRING,
        [PARQUET_FLOAT] = PHYSICAL_F32,         [PARQUET_DOUBLE] = PHYSICAL_F64,
        [PARQUET_BYTE_ARRAY] = PHYSICAL_STRING, [PARQUET_FIXED] = PHYSICAL_STRING};
    const struct parquet_element *element = leaf->element;
    enum variant_type type;
    if (!typed_as(element, &type) ||
        (element->logical == PARQUET_LOGICAL_DECIMAL &&
         (element->scale < 0 || element->scale > TYPE_DECIMAL_PRECISION_MAX))) {
        return ERR(err, STATUS_UNSUPPORTED,
                   "field '%.*s' of a variant has a type that variants do not have",
                   STR_ARGS(leaf->name));
    }
    bool is_big = type == VARIANT_DECIMAL16;
    enum physical target = is_big ? PHYSICAL_I128 : held[element->physical];
    *out =
        (struct parquet_conversion){.kind = is_big ? PARQUET_CONVERT_DECIMAL : PARQUET_CONVERT_NONE,
                                    .stored = element->physical,
                                    .target = target,
                                    .stored_width = parquet_decode_width(element->physical),
                                    .target_width = (uint32_t)physical_width(target),
                                    .multiply = 1,
                                    .divide = 1};
    return STATUS_OK;
}

// ---- values ----

// A pair { value, typed_value }, or the variant itself. Either may be NULL: not in the file.
struct pair {
    const struct parquet_output *output; // the row of both
    const struct column *value;
    const struct column *typed;
    const struct parquet_output *typed_output;
};

struct assembly {
    struct variant_build build;
    struct variant_names names;
};

static struct pair pair_of(const struct parquet_output *output, const struct column *row)
{
    struct pair pair = {.output = output};
    for (uint32_t i = 0; i < output->child_count; i++) {
        const struct parquet_output *child = &output->children[i];
        if (str_is(child->node->name, "value")) {
            pair.value = &row->children[i];
        } else if (str_is(child->node->name, "typed_value")) {
            pair.typed = &row->children[i];
            pair.typed_output = child;
        }
    }
    return pair;
}

static enum status damaged(const struct parquet_output *output, const char *what, struct err *err)
{
    return ERR(err, STATUS_INVALID_DATA, "variant '%.*s': %s", STR_ARGS(output->node->name), what);
}

static void add_typed(struct variant_build *build, const struct parquet_element *element,
                      const struct column *column, uint32_t at)
{
    enum variant_type type = VARIANT_NULL;
    bool known = typed_as(element, &type);
    ASSERT(known);
    const void *value = column_value(column, at);
    uint8_t scale = (uint8_t)element->scale;
    switch (element->physical) {
    case PARQUET_BOOLEAN:
        variant_build_plain(build, *(const uint8_t *)value != 0 ? VARIANT_TRUE : VARIANT_FALSE);
        return;
    case PARQUET_INT32:
        if (type == VARIANT_DECIMAL4) {
            variant_build_decimal(build, type, *(const int32_t *)value, scale);
        } else {
            variant_build_int(build, type, *(const int32_t *)value);
        }
        return;
    case PARQUET_INT64:
        if (type == VARIANT_DECIMAL8) {
            variant_build_decimal(build, type, *(const int64_t *)value, scale);
        } else {
            variant_build_int(build, type, *(const int64_t *)value);
        }
        return;
    case PARQUET_FLOAT: variant_build_float(build, *(const float *)value); return;
    case PARQUET_DOUBLE: variant_build_double(build, *(const double *)value); return;
    case PARQUET_BYTE_ARRAY:
    case PARQUET_FIXED:
        if (type == VARIANT_DECIMAL16) {
            variant_build_decimal(build, type, *(const int128 *)value, scale);
        } else if (type == VARIANT_UUID) {
            variant_build_uuid(build, strview_str(value));
        } else if (type == VARIANT_STRING) {
            variant_build_string(build, strview_str(value));
        } else {
            variant_build_binary(build, strview_str(value));
        }
        return;
    case PARQUET_INT96:
    case PARQUET_GROUP: break;
    }
    UNREACHABLE("typed value");
}

static enum status add_pair(struct assembly *assembly, const struct pair *pair, uint32_t at,
                            bool *missing, struct err *err);

static enum status add_array(struct assembly *assembly, const struct pair *pair, uint32_t at,
                             struct err *err)
{
    const struct parquet_output *element = &pair->typed_output->children[0];
    const struct list_view *view = column_value(pair->typed, at);
    const struct column *elements = &pair->typed->children[0];
    if (element->kind != PARQUET_NODE_ROW) {
        return damaged(pair->output, "the elements of its list are no groups", err);
    }
    struct pair inner = pair_of(element, elements);
    struct variant_mark mark = variant_build_open(&assembly->build);
    for (uint32_t i = 0; i < view->length; i++) {
        bool missing = column_is_null(elements, view->offset + i);
        variant_build_element(&assembly->build);
        if (!missing) {
            TRY(add_pair(assembly, &inner, view->offset + i, &missing, err));
        }
        if (missing) {
            variant_build_plain(&assembly->build, VARIANT_NULL);
        }
    }
    return variant_build_array(&assembly->build, mark)
               ? STATUS_OK
               : damaged(pair->output, "an array is too large", err);
}

// The field of `value` with this number, if it has no column of its own. False where it has one.
static bool find_field(const struct parquet_output *fields, struct str name)
{
    uint32_t low = 0;
    uint32_t high = fields->child_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = str_compare(fields->children[middle].node->name, name);
        if (order == 0) {
            return true;
        }
        *(order < 0 ? &low : &high) = order < 0 ? middle + 1 : middle;
    }
    return false;
}

static enum status add_shredded_field(struct assembly *assembly, const struct pair *pair,
                                      uint32_t field, uint32_t at, struct err *err)
{
    const struct parquet_output *output = &pair->typed_output->children[field];
    const struct column *column = &pair->typed->children[field];
    uint32_t part = assembly->build.parts.count;
    uint32_t id;
    bool missing = column_is_null(column, at);
    if (missing) {
        return STATUS_OK;
    }
    struct pair inner = pair_of(output, column);
    variant_build_field(&assembly->build, 0, output->node->name);
    TRY(add_pair(assembly, &inner, at, &missing, err));
    if (missing) {
        assembly->build.parts.count = part;
        return STATUS_OK;
    }
    if (!variant_names_find(&assembly->names, output->node->name, &id)) {
        return damaged(output, "its name is not in the dictionary of its variant", err);
    }
    assembly->build.parts.items[part].id = id;
    return STATUS_OK;
}

// Fields of both parts in the order of their names.
static enum status add_object(struct assembly *assembly, const struct pair *pair, uint32_t at,
                              const struct variant *rest, struct err *err)
{
    const struct parquet_output *fields = pair->typed_output;
    struct variant_mark mark = variant_build_open(&assembly->build);
    uint32_t next = 0;
    for (uint32_t i = 0; i < rest->count; i++) {
        struct variant child;
        struct str name;
        struct str bytes;
        if (!variant_field(&assembly->names, rest, i, &name, &child) ||
            !variant_child(rest, i, &bytes)) {
            return damaged(pair->output, "an object is damaged", err);
        }
        if (find_field(fields, name)) {
            continue; // the column counts
        }
        for (;
             next < fields->child_count && str_compare(fields->children[next].node->name, name) < 0;
             next++) {
            TRY(add_shredded_field(assembly, pair, next, at, err));
        }
        uint32_t id = 0;
        memcpy(&id, rest->ids + (size_t)i * rest->id_size, rest->id_size);
        variant_build_field(&assembly->build, id, name);
        variant_build_raw(&assembly->build, str_slice(bytes, 0, child.size));
        if (assembly->build.bytes.size > UINT32_MAX) { // values that overlap
            return damaged(pair->output, "an object is too large", err);
        }
    }
    for (; next < fields->child_count; next++) {
        TRY(add_shredded_field(assembly, pair, next, at, err));
    }
    return variant_build_object(&assembly->build, mark, assembly->names.count)
               ? STATUS_OK
               : damaged(pair->output, "an object has a field twice", err);
}

static enum status add_pair(struct assembly *assembly, const struct pair *pair, uint32_t at,
                            bool *missing, struct err *err)
{
    bool has_value = pair->value != NULL && !column_is_null(pair->value, at);
    bool has_typed = pair->typed != NULL && !column_is_null(pair->typed, at);
    bool is_object = has_typed && pair->typed_output->kind == PARQUET_NODE_ROW;
    struct variant value = {.type = VARIANT_OBJECT};
    struct str bytes = str_make(NULL, 0);
    *missing = !has_value && !has_typed;
    if (has_value) {
        bytes = strview_str(column_value(pair->value, at));
        if (!variant_read(bytes, &value)) {
            return damaged(pair->output, "a value is damaged", err);
        }
    }
    if (has_value && has_typed && !(is_object && value.type == VARIANT_OBJECT)) {
        return damaged(pair->output, "value and typed_value contradict each other", err);
    }
    if (is_object) {
        return add_object(assembly, pair, at, &value, err);
    }
    if (has_typed && pair->typed_output->kind == PARQUET_NODE_LIST) {
        return add_array(assembly, pair, at, err);
    }
    if (has_typed) {
        add_typed(&assembly->build, pair->typed_output->node->element, pair->typed, at);
    } else if (has_value) {
        variant_build_raw(&assembly->build, str_slice(bytes, 0, value.size));
    }
    return STATUS_OK;
}

// ---- columns ----

static const struct column *find_metadata(const struct parquet_output *output,
                                          const struct column *parts)
{
    for (uint32_t i = 0; i < output->child_count; i++) {
        if (str_is(output->children[i].node->name, "metadata")) {
            return &parts->children[i];
        }
    }
    UNREACHABLE("a variant has metadata");
}

static enum status assemble(struct assembly *assembly, struct arena *arena, const struct pair *pair,
                            const struct column *metadata, uint32_t row, struct strview *out,
                            struct err *err)
{
    bool missing;
    struct str names = column_is_null(metadata, row) ? str_make(NULL, 0)
                                                     : strview_str(column_value(metadata, row));
    if (!variant_names_read(names, &assembly->names)) {
        return damaged(pair->output, "its metadata is damaged", err);
    }
    variant_build_reset(&assembly->build);
    TRY(add_pair(assembly, pair, row, &missing, err));
    if (missing) {
        variant_build_plain(&assembly->build, VARIANT_NULL);
    }
    struct str value = bytebuf_str(&assembly->build.bytes);
    size_t size = assembly->names.size + value.size;
    char *held = arena_alloc(arena, size);
    memcpy(held, names.ptr, assembly->names.size);
    memcpy(held + assembly->names.size, value.ptr, value.size);
    *out = strview_make(held, size);
    return STATUS_OK;
}

enum status parquet_variant_column(struct arena *arena, const struct parquet_output *output,
                                   const struct column *parts, size_t bytes_max, struct column *out,
                                   struct err *err)
{
    struct assembly assembly = {0};
    struct pair pair = pair_of(output, parts);
    const struct column *metadata = find_metadata(output, parts);
    struct strview *views = arena_new_array(arena, struct strview, parts->row_count + 1);
    enum status status = STATUS_OK;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < parts->row_count && status == STATUS_OK; i++) {
        if (column_is_null(parts, i)) {
            continue;
        }
        status = assemble(&assembly, arena, &pair, metadata, i, &views[i], err);
        bytes += views[i].size;
        if (bytes > bytes_max) {
            status =
                ERR(err, STATUS_LIMIT, "variant '%.*s': the rows of a batch have over %zu bytes",
                    STR_ARGS(output->node->name), bytes_max);
        }
    }
    variant_build_release(&assembly.build);
    *out = (struct column){.physical = PHYSICAL_STRING,
                           .row_count = parts->row_count,
                           .valid = parts->valid,
                           .values = views};
    return status;
}
