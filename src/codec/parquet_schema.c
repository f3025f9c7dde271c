// SPDX-License-Identifier: Apache-2.0
#include "codec/parquet_schema.h"

#include "base/arena.h"
#include "base/assert.h"
#include "codec/parquet_format.h"

uint32_t parquet_schema_codec_number(enum compress_codec codec)
{
    switch (codec) {
    case COMPRESS_NONE: return 0;
    case COMPRESS_SNAPPY: return 1;
    case COMPRESS_GZIP: return 2;
    case COMPRESS_BROTLI: return 4;
    case COMPRESS_LZ4: return 5;
    case COMPRESS_ZSTD: return 6;
    case COMPRESS_LZ4_RAW: return 7;
    case COMPRESS_DEFLATE:
    case COMPRESS_LZ4_FRAME:
    case COMPRESS_BZIP2:
    case COMPRESS_XZ: break;
    }
    UNREACHABLE("no codec of Parquet");
}

bool parquet_schema_codec_find(int32_t number, enum compress_codec *out)
{
    static const struct {
        int32_t number;
        enum compress_codec codec;
    } codecs[] = {{0, COMPRESS_NONE},   {1, COMPRESS_SNAPPY}, {2, COMPRESS_GZIP},
                  {4, COMPRESS_BROTLI}, {5, COMPRESS_LZ4},    {6, COMPRESS_ZSTD},
                  {7, COMPRESS_LZ4_RAW}};
    for (uint32_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++) {
        if (codecs[i].number == number) {
            *out = codecs[i].codec;
            return true;
        }
    }
    return false;
}

// ---- fields from a type ----

static void fill_field(struct arena *arena, struct parquet_field *field, struct str name,
                       const struct type *type, int32_t *next_id)
{
    *field = (struct parquet_field){.name = name,
                                    .id = PARQUET_NO_ID,
                                    .required = !type->nullable,
                                    .is_uuid = type->is_uuid,
                                    .type = type};
    if (next_id != NULL) {
        field->id = (*next_id)++;
    }
    uint32_t count = type->field_count;
    struct parquet_field *children = arena_new_array(arena, struct parquet_field, count + 1);
    if (type->kind == TYPE_MULTISET) {
        fill_field(arena, &children[0], STR_LIT("key"), type->fields[0].type, next_id);
        fill_field(arena, &children[1], STR_LIT("value"), &type_int, next_id);
        children[1].required = true;
        count = 2;
    } else {
        for (uint32_t i = 0; i < count; i++) {
            fill_field(arena, &children[i], type->fields[i].name, type->fields[i].type, next_id);
        }
    }
    if (type->kind == TYPE_MAP || type->kind == TYPE_MULTISET) {
        children[0].required = true; // a key is never null in Parquet
    }
    field->child_count = count;
    field->children = children;
}

const struct parquet_field *parquet_schema_fields(struct arena *arena, const struct type *row,
                                                  int32_t *next_id)
{
    struct parquet_field root;
    fill_field(arena, &root, STR_LIT(""), row, NULL);
    if (next_id != NULL) { // again, since the root has no id
        struct parquet_field *children =
            arena_new_array(arena, struct parquet_field, row->field_count + 1);
        for (uint32_t i = 0; i < row->field_count; i++) {
            fill_field(arena, &children[i], row->fields[i].name, row->fields[i].type, next_id);
        }
        return children;
    }
    return root.children;
}

// ---- the writer's tree ----

struct builder {
    struct arena *arena;
    struct parquet_tree *tree;
    struct str path[PARQUET_DEPTH_MAX * 3];
    uint32_t depth;   // of the path
    uint32_t nesting; // of nodes
};

static void count_elements(const struct parquet_field *field, uint32_t *elements, uint32_t *leaves)
{
    *elements += 1;
    if (field->type->kind == TYPE_VARIANT) { // metadata and value
        *elements += 2;
        *leaves += 2;
        return;
    }
    if (!type_is_nested(field->type)) {
        *leaves += 1;
        return;
    }
    *elements += field->type->kind == TYPE_ROW ? 0 : 1; // the repeated group between
    for (uint32_t i = 0; i < field->child_count; i++) {
        count_elements(&field->children[i], elements, leaves);
    }
}

// Bytes of the smallest two's complement that holds any number of `precision` digits.
static int32_t decimal_length(int32_t precision)
{
    static const uint8_t lengths[] = {9,  9,  9,  10, 10, 11, 11, 11, 12, 12,
                                      13, 13, 13, 14, 14, 15, 15, 16, 16, 16};
    return lengths[precision - 19];
}

static void annotate(struct parquet_element *element, enum parquet_physical physical,
                     enum parquet_logical logical, enum parquet_converted converted)
{
    element->physical = physical;
    element->logical = logical;
    element->converted = converted;
}

static void store_decimal(struct parquet_element *element, const struct type *type)
{
    enum parquet_physical physical = type->length <= 9    ? PARQUET_INT32
                                     : type->length <= 18 ? PARQUET_INT64
                                                          : PARQUET_FIXED;
    annotate(element, physical, PARQUET_LOGICAL_DECIMAL, PARQUET_CONVERTED_DECIMAL);
    element->precision = type->length;
    element->scale = type->scale;
    if (physical == PARQUET_FIXED) {
        element->length = decimal_length(type->length);
    }
}

static void store_timestamp(struct parquet_element *element, const struct type *type)
{
    bool nanos = type->length > 6;
    bool utc = type->kind == TYPE_TIMESTAMP_LTZ;
    // The old annotation means UTC; parquet-mr writes it for local timestamps too.
    annotate(element, PARQUET_INT64, PARQUET_LOGICAL_TIMESTAMP,
             nanos || !utc ? PARQUET_CONVERTED_NONE : PARQUET_CONVERTED_TIMESTAMP_MICROS);
    element->unit = nanos ? PARQUET_NANOS : PARQUET_MICROS;
    element->is_utc = utc;
}

static void store_integer(struct parquet_element *element, int8_t bits,
                          enum parquet_converted converted)
{
    annotate(element, PARQUET_INT32, PARQUET_LOGICAL_INTEGER, converted);
    element->int_width = bits;
    element->int_signed = true;
}

static void store_fixed(struct parquet_element *element, const struct parquet_field *field)
{
    annotate(element, PARQUET_FIXED, field->is_uuid ? PARQUET_LOGICAL_UUID : PARQUET_LOGICAL_NONE,
             PARQUET_CONVERTED_NONE);
    element->length = field->type->length;
}

static void store_bytes(struct parquet_element *element, const struct parquet_field *field)
{
    enum parquet_logical logical = field->geo == PARQUET_GEO_NONE       ? PARQUET_LOGICAL_NONE
                                   : field->geo == PARQUET_GEO_GEOMETRY ? PARQUET_LOGICAL_GEOMETRY
                                                                        : PARQUET_LOGICAL_GEOGRAPHY;
    annotate(element, PARQUET_BYTE_ARRAY, logical, PARQUET_CONVERTED_NONE);
    element->geo = field->geo;
    element->crs = field->crs;
}

// False: not stored.
static bool store_leaf(struct parquet_element *element, const struct parquet_field *field)
{
    const struct type *type = field->type;
    switch (type->kind) {
    case TYPE_BOOLEAN: element->physical = PARQUET_BOOLEAN; return true;
    case TYPE_TINYINT: store_integer(element, 8, PARQUET_CONVERTED_INT_8); return true;
    case TYPE_SMALLINT: store_integer(element, 16, PARQUET_CONVERTED_INT_16); return true;
    case TYPE_INT: element->physical = PARQUET_INT32; return true;
    case TYPE_BIGINT: element->physical = PARQUET_INT64; return true;
    case TYPE_FLOAT: element->physical = PARQUET_FLOAT; return true;
    case TYPE_DOUBLE: element->physical = PARQUET_DOUBLE; return true;
    case TYPE_DECIMAL: store_decimal(element, type); return true;
    case TYPE_CHAR:
    case TYPE_VARCHAR:
        annotate(element, PARQUET_BYTE_ARRAY, PARQUET_LOGICAL_STRING, PARQUET_CONVERTED_UTF8);
        return true;
    case TYPE_BINARY: store_fixed(element, field); return true;
    case TYPE_VARBINARY: store_bytes(element, field); return true;
    case TYPE_DATE:
        annotate(element, PARQUET_INT32, PARQUET_LOGICAL_DATE, PARQUET_CONVERTED_DATE);
        return true;
    case TYPE_TIME:
        annotate(element, PARQUET_INT64, PARQUET_LOGICAL_TIME, PARQUET_CONVERTED_NONE);
        element->unit = PARQUET_MICROS;
        return true;
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_LTZ: store_timestamp(element, type); return true;
    case TYPE_NULL:
    case TYPE_INTERVAL_MONTH:
    case TYPE_INTERVAL_SECOND:
    case TYPE_ARRAY:
    case TYPE_MULTISET:
    case TYPE_MAP:
    case TYPE_ROW:
    case TYPE_VARIANT:
    case TYPE_BITMAP:
    case TYPE_RAW: break;
    }
    return false;
}

static struct parquet_element *add_element(struct builder *builder, struct str name,
                                           enum parquet_repetition repetition)
{
    struct parquet_element *element = &builder->tree->elements[builder->tree->element_count++];
    *element = (struct parquet_element){.name = arena_str(builder->arena, name),
                                        .physical = PARQUET_GROUP,
                                        .repetition = repetition,
                                        .converted = PARQUET_CONVERTED_NONE,
                                        .id = PARQUET_NO_ID};
    return element;
}

static void add_leaf(struct builder *builder, struct parquet_node *node)
{
    struct parquet_tree *tree = builder->tree;
    uint32_t leaf = tree->leaf_count++;
    tree->leaves[leaf] = node;
    tree->paths[leaf] =
        arena_copy(builder->arena, builder->path, builder->depth * sizeof builder->path[0]);
    tree->path_sizes[leaf] = builder->depth;
}

static enum status build_node(struct builder *builder, const struct parquet_field *field,
                              struct str name, struct parquet_node *parent,
                              struct parquet_node *node, struct err *err);

static enum status build_children(struct builder *builder, const struct parquet_field *field,
                                  struct parquet_node *node, struct err *err)
{
    static const struct str map_names[] = {{"key", 3}, {"value", 5}};
    const struct type *type = field->type;
    bool is_list = type->kind == TYPE_ARRAY;
    uint32_t need = is_list ? 1 : type->kind == TYPE_ROW ? field->child_count : 2;
    if (field->child_count != need || field->child_count == 0) {
        return ERR(err, STATUS_UNSUPPORTED, "field %.*s: its type has %u children, not %u",
                   STR_ARGS(field->name), need, field->child_count);
    }
    node->kind = is_list                  ? PARQUET_NODE_LIST
                 : type->kind == TYPE_ROW ? PARQUET_NODE_ROW
                                          : PARQUET_NODE_MAP;
    node->child_count = field->child_count;
    node->children = arena_new_array(builder->arena, struct parquet_node, field->child_count);
    if (node->kind != PARQUET_NODE_ROW) {
        struct str between = is_list ? STR_LIT("list") : STR_LIT("key_value");
        add_element(builder, between, PARQUET_REPEATED)->child_count = field->child_count;
        builder->path[builder->depth++] = between;
        node->element_def = (uint8_t)(node->def_level + 1);
    }
    for (uint32_t i = 0; i < field->child_count; i++) {
        struct str name = is_list                          ? STR_LIT("element")
                          : node->kind == PARQUET_NODE_MAP ? map_names[i]
                                                           : field->children[i].name;
        TRY(build_node(builder, &field->children[i], name, node, &node->children[i], err));
    }
    builder->depth -= node->kind != PARQUET_NODE_ROW;
    return STATUS_OK;
}

// A group of the two parts, neither of which has an id.
static enum status build_variant(struct builder *builder, struct parquet_element *element,
                                 struct parquet_node *node, struct err *err)
{
    static const struct str names[] = {{"metadata", 8}, {"value", 5}};
    static const struct parquet_field part = {
        .id = PARQUET_NO_ID, .required = true, .type = &type_bytes};
    annotate(element, PARQUET_GROUP, PARQUET_LOGICAL_VARIANT, PARQUET_CONVERTED_NONE);
    element->child_count = 2;
    node->kind = PARQUET_NODE_VARIANT;
    node->child_count = 2;
    node->children = arena_new_array(builder->arena, struct parquet_node, 2);
    for (uint32_t i = 0; i < 2; i++) {
        TRY(build_node(builder, &part, names[i], node, &node->children[i], err));
    }
    node->children[0].variant_id = node->id > 0 ? node->id : 0;
    return STATUS_OK;
}

static enum status build_node(struct builder *builder, const struct parquet_field *field,
                              struct str name, struct parquet_node *parent,
                              struct parquet_node *node, struct err *err)
{
    bool required = field->required;
    struct parquet_element *element =
        add_element(builder, name, required ? PARQUET_REQUIRED : PARQUET_OPTIONAL);
    bool below_list = parent->kind == PARQUET_NODE_LIST || parent->kind == PARQUET_NODE_MAP;
    uint8_t outer = below_list ? parent->element_def : parent->def_level;
    *node = (struct parquet_node){.kind = PARQUET_NODE_LEAF,
                                  .name = element->name,
                                  .id = field->id,
                                  .required = required,
                                  .type = type_copy(builder->arena, field->type),
                                  .physical = type_physical(field->type),
                                  .def_level = (uint8_t)(outer + (required ? 0 : 1)),
                                  .rep_level = (uint8_t)(parent->rep_level + (below_list ? 1 : 0)),
                                  .leaf_first = builder->tree->leaf_count,
                                  .element = element};
    element->id = field->id;
    if (++builder->nesting > PARQUET_DEPTH_MAX) {
        return ERR(err, STATUS_UNSUPPORTED, "field %.*s is nested too deeply", STR_ARGS(name));
    }
    builder->path[builder->depth++] = element->name;
    if (field->type->kind == TYPE_VARIANT) {
        TRY(build_variant(builder, element, node, err));
    } else if (!type_is_nested(field->type)) {
        if (!store_leaf(element, field)) {
            struct str text = type_text(builder->arena, field->type);
            return ERR(err, STATUS_UNSUPPORTED, "field %.*s: type %.*s is not stored in Parquet",
                       STR_ARGS(name), STR_ARGS(text));
        }
        add_leaf(builder, node);
    } else {
        bool is_row = field->type->kind == TYPE_ROW;
        bool is_list = field->type->kind == TYPE_ARRAY;
        element->child_count = is_row ? field->child_count : 1;
        if (!is_row) {
            annotate(element, PARQUET_GROUP, is_list ? PARQUET_LOGICAL_LIST : PARQUET_LOGICAL_MAP,
                     is_list ? PARQUET_CONVERTED_LIST : PARQUET_CONVERTED_MAP);
        }
        TRY(build_children(builder, field, node, err));
    }
    builder->nesting--;
    builder->depth--;
    node->leaf_count = builder->tree->leaf_count - node->leaf_first;
    return STATUS_OK;
}

enum status parquet_schema_tree(struct arena *arena, const struct parquet_field *fields,
                                uint32_t field_count, struct parquet_tree *out, struct err *err)
{
    uint32_t elements = 1;
    uint32_t leaves = 0;
    for (uint32_t i = 0; i < field_count; i++) {
        count_elements(&fields[i], &elements, &leaves);
    }
    *out =
        (struct parquet_tree){.root = {.kind = PARQUET_NODE_ROW,
                                       .required = true,
                                       .id = PARQUET_NO_ID,
                                       .physical = PHYSICAL_ROW,
                                       .child_count = field_count},
                              .elements = arena_new_array(arena, struct parquet_element, elements),
                              .leaves = arena_new_array(arena, struct parquet_node *, leaves + 1),
                              .paths = arena_new_array(arena, struct str *, leaves + 1),
                              .path_sizes = arena_new_array(arena, uint32_t, leaves + 1)};
    struct builder builder = {.arena = arena, .tree = out};
    out->root.children = arena_new_array(arena, struct parquet_node, field_count + 1);
    add_element(&builder, STR_LIT("table"), PARQUET_REQUIRED)->child_count = field_count;
    for (uint32_t i = 0; i < field_count; i++) {
        TRY(build_node(&builder, &fields[i], fields[i].name, &out->root, &out->root.children[i],
                       err));
    }
    out->root.leaf_count = out->leaf_count;
    return STATUS_OK;
}
