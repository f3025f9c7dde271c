// SPDX-License-Identifier: Apache-2.0
//
// What is asked for, found in the file: a tree of outputs, and a reader for each leaf they need.
#include "base/assert.h"
#include "codec/parquet_reader_int.h"

struct projection {
    struct parquet_reader *reader;
    struct parquet_out_column *column;
    uint32_t room;
};

static const struct parquet_node *find_child(const struct projection *at,
                                             const struct parquet_node *parent,
                                             const struct parquet_field *want)
{
    bool by_name = at->reader->options.by_name || want->id == PARQUET_NO_ID;
    for (uint32_t i = 0; i < parent->child_count; i++) {
        const struct parquet_node *child = &parent->children[i];
        if (by_name ? str_equal(child->name, want->name) : child->id == want->id) {
            return child;
        }
    }
    return NULL;
}

static struct parquet_leaf_reader *add_leaf(struct projection *at, const struct parquet_node *node,
                                            bool nested, uint8_t list_def)
{
    struct parquet_reader *reader = at->reader;
    struct parquet_leaf_reader *leaf = arena_new(&reader->arena, struct parquet_leaf_reader);
    leaf->reader = reader;
    leaf->node = node;
    leaf->nested = nested;
    leaf->list_def = list_def;
    reader->leaves[reader->leaf_count++] = leaf;
    at->column->leaves[at->column->leaf_count++] = leaf;
    ASSERT(at->column->leaf_count <= at->room);
    return leaf;
}

static enum status kinds_differ(const struct parquet_node *node, const struct parquet_field *want,
                                struct err *err)
{
    struct arena arena;
    arena_init(&arena);
    struct str have = type_text(&arena, node->type);
    struct str text = type_text(&arena, want->type);
    enum status status =
        ERR(err, STATUS_UNSUPPORTED, "column %.*s holds %.*s, which is not read as %.*s",
            STR_ARGS(node->name), STR_ARGS(have), STR_ARGS(text));
    arena_release(&arena);
    return status;
}

// `node` NULL: not in the file.
static enum status build(struct projection *at, const struct parquet_node *node,
                         const struct parquet_field *want, uint8_t list_def,
                         struct parquet_output *out, struct err *err);

static enum parquet_node_kind kind_of(const struct type *type)
{
    return type->kind == TYPE_ARRAY                                ? PARQUET_NODE_LIST
           : type->kind == TYPE_MAP || type->kind == TYPE_MULTISET ? PARQUET_NODE_MAP
           : type->kind == TYPE_ROW                                ? PARQUET_NODE_ROW
           : type->kind == TYPE_VARIANT                            ? PARQUET_NODE_VARIANT
                                                                   : PARQUET_NODE_LEAF;
}

// The leaf whose levels tell where the node's slots are: one that is read anyway, or the first.
static struct parquet_leaf_reader *level_leaf(struct projection *at,
                                              const struct parquet_node *node,
                                              const struct parquet_output *output)
{
    for (uint32_t i = 0; i < output->child_count; i++) {
        if (output->children[i].leaf != NULL) {
            return output->children[i].leaf;
        }
    }
    const struct parquet_node *first = node;
    uint8_t list_def = 0;
    while (first->kind != PARQUET_NODE_LEAF && first->child_count > 0) {
        bool is_list = first->kind == PARQUET_NODE_LIST || first->kind == PARQUET_NODE_MAP;
        list_def = is_list ? first->element_def : list_def;
        first = &first->children[0];
    }
    if (first->kind != PARQUET_NODE_LEAF) {
        return NULL;
    }
    struct parquet_leaf_reader *leaf = add_leaf(at, first, true, list_def);
    leaf->levels_only = true;
    return leaf;
}

static enum status build_children(struct projection *at, const struct parquet_node *node,
                                  const struct parquet_field *want, uint8_t list_def,
                                  struct parquet_output *out, struct err *err)
{
    bool is_row = out->kind == PARQUET_NODE_ROW;
    if (!is_row && node->child_count != want->child_count) {
        return kinds_differ(node, want, err);
    }
    out->child_count = want->child_count;
    out->children =
        arena_new_array(&at->reader->arena, struct parquet_output, want->child_count + 1);
    for (uint32_t i = 0; i < want->child_count; i++) {
        const struct parquet_field *field = &want->children[i];
        const struct parquet_node *child =
            is_row ? find_child(at, node, field) : &node->children[i];
        TRY(build(at, child, field, is_row ? list_def : node->element_def, &out->children[i], err));
    }
    out->leaf = level_leaf(at, node, out);
    return out->leaf != NULL ? STATUS_OK
                             : ERR(err, STATUS_UNSUPPORTED, "column %.*s has no values at all",
                                   STR_ARGS(node->name));
}

static int compare_names(const void *left, const void *right)
{
    const struct parquet_output *a = left;
    const struct parquet_output *b = right;
    return str_compare(a->node->name, b->node->name);
}

// A part of a variant, all that is below it, as it is stored. The fields of rows in the order of
// their names.
static enum status build_part(struct projection *at, const struct parquet_node *node,
                              uint8_t list_def, struct parquet_output *out, struct err *err)
{
    *out = (struct parquet_output){.id = PARQUET_NO_ID,
                                   .kind = node->kind == PARQUET_NODE_VARIANT ? PARQUET_NODE_ROW
                                                                              : node->kind,
                                   .physical = node->physical,
                                   .type = node->type,
                                   .node = node};
    if (node->kind == PARQUET_NODE_LEAF) {
        out->leaf = add_leaf(at, node, true, list_def);
        out->leaf->is_copied = true;
        return parquet_variant_leaf(node, &out->leaf->conversion, err);
    }
    if (node->kind == PARQUET_NODE_MAP || node->child_count == 0) {
        return ERR(err, STATUS_UNSUPPORTED, "column %.*s cannot be a part of a variant",
                   STR_ARGS(node->name));
    }
    uint8_t below = node->kind == PARQUET_NODE_LIST ? node->element_def : list_def;
    out->child_count = node->child_count;
    out->children = arena_new_array(&at->reader->arena, struct parquet_output, node->child_count);
    for (uint32_t i = 0; i < node->child_count; i++) {
        TRY(build_part(at, &node->children[i], below, &out->children[i], err));
    }
    qsort(out->children, out->child_count, sizeof *out->children, compare_names);
    out->leaf = out->children[0].leaf;
    return STATUS_OK;
}

static enum status build_variant(struct projection *at, const struct parquet_node *node,
                                 uint8_t list_def, struct parquet_output *out, struct err *err)
{
    struct parquet_output parts;
    TRY(build_part(at, node, list_def, &parts, err));
    out->child_count = parts.child_count;
    out->children = parts.children;
    out->leaf = parts.leaf;
    return STATUS_OK;
}

static enum status build(struct projection *at, const struct parquet_node *node,
                         const struct parquet_field *want, uint8_t list_def,
                         struct parquet_output *out, struct err *err)
{
    *out = (struct parquet_output){.is_missing = node == NULL,
                                   .id = want->id,
                                   .kind = kind_of(want->type),
                                   .physical = type_physical(want->type),
                                   .type = type_copy(&at->reader->arena, want->type),
                                   .node = node};
    if (node == NULL) {
        return STATUS_OK;
    }
    // Variants of before the annotation was are groups like others.
    bool is_variant = out->kind == PARQUET_NODE_VARIANT && node->kind == PARQUET_NODE_ROW &&
                      parquet_variant_fits(node);
    if (node->kind != out->kind && !is_variant) {
        return kinds_differ(node, want, err);
    }
    if (out->kind == PARQUET_NODE_VARIANT) {
        return build_variant(at, node, list_def, out, err);
    }
    if (out->kind != PARQUET_NODE_LEAF) {
        return build_children(at, node, want, list_def, out, err);
    }
    // Below a list or row the levels are asked for, at the top only nulls.
    bool top = out == &at->column->output;
    out->leaf = add_leaf(at, node, !top, list_def);
    return parquet_convert_choose(node, want->type, &out->leaf->conversion, err);
}

// How many leaves the field may need.
static uint32_t count_leaves(const struct parquet_field *field, const struct parquet_node *node)
{
    uint32_t count = 1 + (node != NULL ? node->leaf_count : 0); // variants need all of theirs
    for (uint32_t i = 0; i < field->child_count; i++) {
        count += count_leaves(&field->children[i], NULL);
    }
    return count;
}

enum status parquet_project_build(struct parquet_reader *reader, struct err *err)
{
    const struct parquet_node *root = &reader->file->tree.root;
    const struct parquet_field *fields = reader->options.fields;
    uint32_t count = reader->options.field_count;
    if (fields == NULL) {
        fields = parquet_file_fields(reader->file, &count);
    }
    struct projection at = {.reader = reader};
    uint32_t room = 1;
    for (uint32_t i = 0; i < count; i++) {
        room += count_leaves(&fields[i], find_child(&at, root, &fields[i]));
    }
    reader->leaves = arena_new_array(&reader->arena, struct parquet_leaf_reader *, room);
    reader->columns = arena_new_array(&reader->arena, struct parquet_out_column, count + 1);
    reader->batch_columns = arena_new_array(&reader->arena, struct column, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        struct parquet_out_column *column = &reader->columns[i];
        const struct parquet_node *node = find_child(&at, root, &fields[i]);
        at.column = column;
        at.room = count_leaves(&fields[i], node);
        column->leaves = arena_new_array(&reader->arena, struct parquet_leaf_reader *, at.room);
        arena_init(&column->arena);
        reader->column_count = i + 1;
        TRY(build(&at, node, &fields[i], 0, &column->output, err));
    }
    return STATUS_OK;
}
