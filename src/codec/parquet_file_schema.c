// SPDX-License-Identifier: Apache-2.0
#include "codec/parquet_file_schema.h"

#include "base/arena.h"
#include "base/assert.h"
#include "codec/parquet_reader_int.h"

struct builder {
    struct arena *arena;
    struct parquet_element *elements;
    uint32_t element_count;
    uint32_t at; // the next element
    uint32_t depth;
    struct parquet_tree *tree;
};

// ---- types of leaves ----

static bool is_decimal(const struct parquet_element *element)
{
    return element->logical == PARQUET_LOGICAL_DECIMAL ||
           element->converted == PARQUET_CONVERTED_DECIMAL;
}

static const struct type *decimal_or(struct arena *arena, const struct parquet_element *element,
                                     const struct type *other, bool nullable)
{
    bool ok = element->precision >= 1 && element->precision <= TYPE_DECIMAL_PRECISION_MAX &&
              element->scale >= 0 && element->scale <= element->precision;
    return ok ? type_decimal(arena, element->precision, element->scale, nullable)
              : type_with_null(arena, other, nullable);
}

// The old annotation as the new one, so that what follows looks at one.
static void modernise(struct parquet_element *element)
{
    static const struct {
        enum parquet_logical logical;
        enum parquet_unit unit;
        int8_t width;
        bool is_signed;
    } meanings[] = {
        [PARQUET_CONVERTED_UTF8] = {PARQUET_LOGICAL_STRING, 0, 0, false},
        [PARQUET_CONVERTED_MAP] = {PARQUET_LOGICAL_MAP, 0, 0, false},
        [PARQUET_CONVERTED_MAP_KEY_VALUE] = {PARQUET_LOGICAL_MAP, 0, 0, false},
        [PARQUET_CONVERTED_LIST] = {PARQUET_LOGICAL_LIST, 0, 0, false},
        [PARQUET_CONVERTED_ENUM] = {PARQUET_LOGICAL_ENUM, 0, 0, false},
        [PARQUET_CONVERTED_DECIMAL] = {PARQUET_LOGICAL_DECIMAL, 0, 0, false},
        [PARQUET_CONVERTED_DATE] = {PARQUET_LOGICAL_DATE, 0, 0, false},
        [PARQUET_CONVERTED_TIME_MILLIS] = {PARQUET_LOGICAL_TIME, PARQUET_MILLIS, 0, false},
        [PARQUET_CONVERTED_TIME_MICROS] = {PARQUET_LOGICAL_TIME, PARQUET_MICROS, 0, false},
        [PARQUET_CONVERTED_TIMESTAMP_MILLIS] = {PARQUET_LOGICAL_TIMESTAMP, PARQUET_MILLIS, 0,
                                                false},
        [PARQUET_CONVERTED_TIMESTAMP_MICROS] = {PARQUET_LOGICAL_TIMESTAMP, PARQUET_MICROS, 0,
                                                false},
        [PARQUET_CONVERTED_UINT_8] = {PARQUET_LOGICAL_INTEGER, 0, 8, false},
        [PARQUET_CONVERTED_UINT_16] = {PARQUET_LOGICAL_INTEGER, 0, 16, false},
        [PARQUET_CONVERTED_UINT_32] = {PARQUET_LOGICAL_INTEGER, 0, 32, false},
        [PARQUET_CONVERTED_UINT_64] = {PARQUET_LOGICAL_INTEGER, 0, 64, false},
        [PARQUET_CONVERTED_INT_8] = {PARQUET_LOGICAL_INTEGER, 0, 8, true},
        [PARQUET_CONVERTED_INT_16] = {PARQUET_LOGICAL_INTEGER, 0, 16, true},
        [PARQUET_CONVERTED_INT_32] = {PARQUET_LOGICAL_INTEGER, 0, 32, true},
        [PARQUET_CONVERTED_INT_64] = {PARQUET_LOGICAL_INTEGER, 0, 64, true},
        [PARQUET_CONVERTED_JSON] = {PARQUET_LOGICAL_JSON, 0, 0, false},
        [PARQUET_CONVERTED_BSON] = {PARQUET_LOGICAL_BSON, 0, 0, false},
        [PARQUET_CONVERTED_INTERVAL] = {PARQUET_LOGICAL_NONE, 0, 0, false},
    };
    if (element->logical != PARQUET_LOGICAL_NONE || element->converted == PARQUET_CONVERTED_NONE) {
        return;
    }
    element->logical = meanings[element->converted].logical;
    element->unit = meanings[element->converted].unit;
    element->int_width = meanings[element->converted].width;
    element->int_signed = meanings[element->converted].is_signed;
    element->is_utc = true; // what the old annotations of time mean
}

static const struct type *int32_type(struct arena *arena, const struct parquet_element *element,
                                     bool nullable)
{
    const struct type *type = &type_int;
    if (element->logical == PARQUET_LOGICAL_DECIMAL) {
        return decimal_or(arena, element, &type_int, nullable);
    }
    if (element->logical == PARQUET_LOGICAL_DATE) {
        type = &type_date;
    } else if (element->logical == PARQUET_LOGICAL_TIME) {
        return type_sized(arena, TYPE_TIME, 3, nullable);
    } else if (element->logical == PARQUET_LOGICAL_INTEGER) {
        bool plus = element->int_signed;
        switch (element->int_width) {
        case 8: type = plus ? &type_tinyint : &type_smallint; break;
        case 16: type = plus ? &type_smallint : &type_int; break;
        default: type = plus ? &type_int : &type_bigint;
        }
    }
    return type_with_null(arena, type, nullable);
}

static const struct type *int64_type(struct arena *arena, const struct parquet_element *element,
                                     bool nullable)
{
    if (element->logical == PARQUET_LOGICAL_DECIMAL) {
        return decimal_or(arena, element, &type_bigint, nullable);
    }
    if (element->logical == PARQUET_LOGICAL_TIME) {
        return type_sized(arena, TYPE_TIME, 6, nullable);
    }
    if (element->logical == PARQUET_LOGICAL_TIMESTAMP) {
        int32_t precision = element->unit == PARQUET_MILLIS  ? 3
                            : element->unit == PARQUET_NANOS ? 9
                                                             : 6;
        return type_sized(arena, element->is_utc ? TYPE_TIMESTAMP_LTZ : TYPE_TIMESTAMP, precision,
                          nullable);
    }
    if (element->logical == PARQUET_LOGICAL_INTEGER && !element->int_signed &&
        element->int_width == 64) {
        return type_decimal(arena, 20, 0, nullable);
    }
    return type_with_null(arena, &type_bigint, nullable);
}

static const struct type *leaf_type(struct arena *arena, const struct parquet_element *element,
                                    bool nullable)
{
    bool is_text = element->logical == PARQUET_LOGICAL_STRING ||
                   element->logical == PARQUET_LOGICAL_ENUM ||
                   element->logical == PARQUET_LOGICAL_JSON;
    switch (element->physical) {
    case PARQUET_BOOLEAN: return type_with_null(arena, &type_boolean, nullable);
    case PARQUET_INT32: return int32_type(arena, element, nullable);
    case PARQUET_INT64: return int64_type(arena, element, nullable);
    case PARQUET_INT96: return type_sized(arena, TYPE_TIMESTAMP, 9, nullable);
    case PARQUET_FLOAT: return type_with_null(arena, &type_float, nullable);
    case PARQUET_DOUBLE: return type_with_null(arena, &type_double, nullable);
    case PARQUET_BYTE_ARRAY:
        return is_decimal(element)
                   ? decimal_or(arena, element, &type_bytes, nullable)
                   : type_with_null(arena, is_text ? &type_string : &type_bytes, nullable);
    case PARQUET_FIXED: {
        struct type *bytes = type_new(arena, TYPE_BINARY, nullable);
        bytes->length = element->length;
        bytes->is_uuid = element->logical == PARQUET_LOGICAL_UUID && element->length == 16;
        if (element->logical == PARQUET_LOGICAL_FLOAT16 && element->length == 2) {
            return type_with_null(arena, &type_float, nullable);
        }
        return is_decimal(element) && element->length <= 16
                   ? decimal_or(arena, element, bytes, nullable)
                   : bytes;
    }
    case PARQUET_GROUP: break;
    }
    UNREACHABLE("a group is no leaf");
}

// ---- the tree ----

static enum status build(struct builder *builder, struct parquet_node *parent,
                         struct parquet_node *node, struct err *err);
static enum status build_group(struct builder *builder, const struct parquet_element *element,
                               struct parquet_node *node, struct err *err);

static enum status damaged(const struct parquet_element *element, const char *what, struct err *err)
{
    return ERR(err, STATUS_INVALID_DATA, "the schema: field '%.*s' %s", STR_ARGS(element->name),
               what);
}

// A node for `element` below `parent`, its levels filled in.
static void begin_node(const struct parquet_element *element, const struct parquet_node *parent,
                       bool required, struct parquet_node *node)
{
    bool below_list = parent->kind == PARQUET_NODE_LIST || parent->kind == PARQUET_NODE_MAP;
    uint8_t outer = below_list ? parent->element_def : parent->def_level;
    *node = (struct parquet_node){
        .kind = PARQUET_NODE_ROW,
        .name = element->name,
        .id = element->id,
        .required = required,
        .physical = PHYSICAL_ROW,
        .def_level = (uint8_t)(outer + (required ? 0 : 1)),
        .rep_level = (uint8_t)(parent->rep_level + (below_list ? 1 : 0)),
        .element = element,
    };
}

static void set_row_type(struct builder *builder, struct parquet_node *node)
{
    struct type_field *fields =
        arena_new_array(builder->arena, struct type_field, node->child_count + 1);
    for (uint32_t i = 0; i < node->child_count; i++) {
        fields[i].name = node->children[i].name;
        fields[i].type = node->children[i].type;
    }
    node->type = type_row(builder->arena, fields, node->child_count, !node->required);
}

static enum status build_fields(struct builder *builder, const struct parquet_element *element,
                                struct parquet_node *node, struct err *err)
{
    if (element->child_count > builder->element_count - builder->at) {
        return damaged(element, "has more children than there are fields", err);
    }
    node->kind = PARQUET_NODE_ROW;
    node->child_count = element->child_count;
    node->children = arena_new_array(builder->arena, struct parquet_node, element->child_count + 1);
    for (uint32_t i = 0; i < node->child_count; i++) {
        TRY(build(builder, node, &node->children[i], err));
    }
    set_row_type(builder, node);
    return STATUS_OK;
}

static void finish_leaf(struct builder *builder, const struct parquet_element *element,
                        struct parquet_node *node)
{
    struct parquet_tree *tree = builder->tree;
    node->kind = PARQUET_NODE_LEAF;
    node->type = leaf_type(builder->arena, element, !node->required);
    node->physical = type_physical(node->type);
    node->leaf_first = tree->leaf_count;
    node->leaf_count = 1;
    tree->leaves[tree->leaf_count++] = node;
}

// The repeated field itself, taken once: what the elements of a two-level list are.
static enum status build_repeated_element(struct builder *builder, struct parquet_node *list,
                                          struct parquet_node *node, struct err *err)
{
    const struct parquet_element *element = &builder->elements[builder->at++];
    begin_node(element, list, true, node);
    if (element->physical != PARQUET_GROUP) {
        finish_leaf(builder, element, node);
        return STATUS_OK;
    }
    node->leaf_first = builder->tree->leaf_count;
    TRY(build_group(builder, element, node, err)); // it may be annotated as a list itself
    node->leaf_count = builder->tree->leaf_count - node->leaf_first;
    return STATUS_OK;
}

static void set_list_type(struct builder *builder, struct parquet_node *node)
{
    node->physical = PHYSICAL_LIST;
    node->type = type_array(builder->arena, node->children[0].type, !node->required);
}

// Whether the one child of a list's repeated group is the element, or the group itself is.
static bool is_three_level(const struct builder *builder, const struct parquet_element *list,
                           const struct parquet_element *repeated)
{
    if (repeated->physical != PARQUET_GROUP || repeated->child_count != 1) {
        return false;
    }
    struct str name = repeated->name;
    bool tuple = name.size == list->name.size + 6 && str_ends(name, "_tuple") &&
                 memcmp(name.ptr, list->name.ptr, list->name.size) == 0;
    const struct parquet_element *child = repeated + 1;
    (void)builder;
    return !str_is(name, "array") && !tuple && child->repetition != PARQUET_REPEATED;
}

// Annotated LIST; the next element is its repeated field.
static enum status build_list(struct builder *builder, const struct parquet_element *element,
                              struct parquet_node *node, struct err *err)
{
    const struct parquet_element *repeated = &builder->elements[builder->at];
    node->kind = PARQUET_NODE_LIST;
    node->element_def = (uint8_t)(node->def_level + 1);
    node->child_count = 1;
    node->children = arena_new_array(builder->arena, struct parquet_node, 1);
    if (builder->element_count - builder->at > 1 && is_three_level(builder, element, repeated)) {
        builder->at++;
        TRY(build(builder, node, &node->children[0], err));
    } else {
        TRY(build_repeated_element(builder, node, &node->children[0], err));
    }
    set_list_type(builder, node);
    return STATUS_OK;
}

// Annotated MAP; the next element is its repeated group. Without a value it is a list of keys.
static enum status build_map(struct builder *builder, struct parquet_node *node, struct err *err)
{
    const struct parquet_element *repeated = &builder->elements[builder->at++];
    node->kind = PARQUET_NODE_MAP;
    node->element_def = (uint8_t)(node->def_level + 1);
    node->child_count = repeated->child_count;
    node->children = arena_new_array(builder->arena, struct parquet_node, 2);
    for (uint32_t i = 0; i < node->child_count; i++) {
        TRY(build(builder, node, &node->children[i], err));
    }
    if (node->child_count == 1) {
        node->kind = PARQUET_NODE_LIST;
        set_list_type(builder, node);
        return STATUS_OK;
    }
    node->physical = PHYSICAL_MAP;
    node->type =
        type_map(builder->arena, node->children[0].type, node->children[1].type, !node->required);
    return STATUS_OK;
}

static enum status build_group(struct builder *builder, const struct parquet_element *element,
                               struct parquet_node *node, struct err *err)
{
    bool has_next = builder->at < builder->element_count;
    const struct parquet_element *next = &builder->elements[builder->at];
    bool one_repeated =
        element->child_count == 1 && has_next && next->repetition == PARQUET_REPEATED;
    if (element->logical == PARQUET_LOGICAL_LIST && one_repeated) {
        return build_list(builder, element, node, err);
    }
    if (element->logical == PARQUET_LOGICAL_MAP && one_repeated &&
        next->physical == PARQUET_GROUP && (next->child_count == 1 || next->child_count == 2)) {
        return build_map(builder, node, err);
    }
    TRY(build_fields(builder, element, node, err));
    if (element->logical == PARQUET_LOGICAL_VARIANT && parquet_variant_fits(node)) {
        node->kind = PARQUET_NODE_VARIANT;
        node->physical = PHYSICAL_STRING;
        node->type = type_with_null(builder->arena, &type_variant, !node->required);
    }
    return STATUS_OK;
}

static enum status build(struct builder *builder, struct parquet_node *parent,
                         struct parquet_node *node, struct err *err)
{
    if (builder->at >= builder->element_count) {
        return ERR(err, STATUS_INVALID_DATA, "'schema' ends too early");
    }
    struct parquet_element *element = &builder->elements[builder->at];
    if (++builder->depth > PARQUET_DEPTH_MAX) {
        return damaged(element, "is nested too deeply", err);
    }
    uint32_t leaf_first = builder->tree->leaf_count;
    if (element->repetition == PARQUET_REPEATED) { // a list without annotation, never null
        begin_node(element, parent, true, node);
        node->kind = PARQUET_NODE_LIST;
        node->element_def = (uint8_t)(node->def_level + 1);
        node->child_count = 1;
        node->children = arena_new_array(builder->arena, struct parquet_node, 1);
        TRY(build_repeated_element(builder, node, &node->children[0], err));
        set_list_type(builder, node);
    } else {
        builder->at++;
        begin_node(element, parent, element->repetition == PARQUET_REQUIRED, node);
        if (element->physical != PARQUET_GROUP) {
            finish_leaf(builder, element, node);
        } else {
            TRY(build_group(builder, element, node, err));
        }
    }
    node->leaf_first = leaf_first;
    node->leaf_count = builder->tree->leaf_count - leaf_first;
    builder->depth--;
    return STATUS_OK;
}

enum status parquet_file_schema_build(struct arena *arena, const struct parquet_footer *footer,
                                      struct parquet_tree *out, struct err *err)
{
    if (footer->element_count == 0 || footer->elements[0].physical != PARQUET_GROUP) {
        return ERR(err, STATUS_INVALID_DATA, "'schema' has no root");
    }
    for (uint32_t i = 0; i < footer->element_count; i++) {
        struct parquet_element *element = &footer->elements[i];
        modernise(element);
        if (i > 0 && element->physical == PARQUET_GROUP && element->child_count == 0 &&
            footer->elements[i].logical == PARQUET_LOGICAL_LIST) {
            return damaged(element, "is a list of nothing", err);
        }
    }
    *out = (struct parquet_tree){
        .elements = footer->elements,
        .element_count = footer->element_count,
        .leaves = arena_new_array(arena, struct parquet_node *, footer->element_count + 1)};
    struct builder builder = {.arena = arena,
                              .elements = footer->elements,
                              .element_count = footer->element_count,
                              .at = 1,
                              .tree = out};
    out->root = (struct parquet_node){.kind = PARQUET_NODE_ROW,
                                      .required = true,
                                      .id = PARQUET_NO_ID,
                                      .physical = PHYSICAL_ROW,
                                      .element = &footer->elements[0]};
    TRY(build_fields(&builder, &footer->elements[0], &out->root, err));
    out->root.leaf_count = out->leaf_count;
    if (builder.at != builder.element_count) {
        return ERR(err, STATUS_INVALID_DATA,
                   "'schema' has %u fields, of which %u are below its "
                   "root",
                   builder.element_count, builder.at);
    }
    return STATUS_OK;
}

static void fill_field(struct arena *arena, const struct parquet_node *node,
                       struct parquet_field *out)
{
    struct parquet_field *children =
        arena_new_array(arena, struct parquet_field, node->child_count + 1);
    uint32_t child_count = node->kind == PARQUET_NODE_VARIANT ? 0 : node->child_count;
    for (uint32_t i = 0; i < child_count; i++) {
        fill_field(arena, &node->children[i], &children[i]);
    }
    *out = (struct parquet_field){.name = node->name,
                                  .id = node->id,
                                  .required = node->required,
                                  .is_uuid = node->kind == PARQUET_NODE_LEAF &&
                                             node->element->logical == PARQUET_LOGICAL_UUID,
                                  .type = node->type,
                                  .child_count = child_count,
                                  .children = children};
}

const struct parquet_field *parquet_file_schema_fields(struct arena *arena,
                                                       const struct parquet_tree *tree)
{
    struct parquet_field *fields =
        arena_new_array(arena, struct parquet_field, tree->root.child_count + 1);
    for (uint32_t i = 0; i < tree->root.child_count; i++) {
        fill_field(arena, &tree->root.children[i], &fields[i]);
    }
    return fields;
}
