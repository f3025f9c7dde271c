// SPDX-License-Identifier: Apache-2.0
//
// Levels to columns: the other way round than parquet_shred.c. Each list, map and row is made from
// the levels of one leaf below it:
//
//     a slot begins     where the repetition level is <= the node's and the definition level
//                       reaches the enclosing element
//     an element        where the repetition level is <= the node's + 1 and the definition level
//                       reaches element_def
#include "base/assert.h"
#include "codec/parquet_reader_int.h"

static const struct strview zero_value[1]; // 16 bytes of 0: any value's zero

// `rows` times null, CONST; or no rows at all, FLAT.
static void null_column(struct arena *arena, const struct type *type, uint32_t rows,
                        struct column *out)
{
    static const uint64_t none = 0;
    *out = (struct column){.physical = type_physical(type),
                           .encoding = rows > 0 ? ENCODING_CONST : ENCODING_FLAT,
                           .row_count = rows,
                           .valid = rows > 0 ? &none : NULL,
                           .values = zero_value};
    if (!type_is_nested(type)) {
        return;
    }
    bool is_row = type->kind == TYPE_ROW;
    out->values = is_row ? NULL : zero_value;
    out->child_count = type->kind == TYPE_MULTISET ? 2 : type->field_count;
    struct column *children = arena_new_array(arena, struct column, out->child_count + 1);
    for (uint32_t i = 0; i < out->child_count; i++) {
        const struct type *child = i < type->field_count ? type->fields[i].type : &type_int;
        null_column(arena, child, is_row && rows > 0 ? 1 : 0, &children[i]);
    }
    out->children = children;
}

static enum status contradiction(const struct parquet_output *output, struct err *err)
{
    return ERR(err, STATUS_INVALID_DATA,
               "the levels of the columns of '%.*s' contradict each other",
               STR_ARGS(output->node->name));
}

static enum status build(struct arena *arena, const struct parquet_output *output, uint32_t rows,
                         uint8_t list_def, struct column *out, struct err *err);

static void leaf_column(const struct parquet_leaf_reader *leaf, struct column *out)
{
    const struct parquet_vector *vector = &leaf->vector;
    *out = (struct column){
        .physical = leaf->conversion.target,
        .row_count = vector->slots,
        .valid = vector->has_nulls ? (const uint64_t *)(const void *)vector->valid.ptr : NULL};
    if (vector->is_dict) {
        out->encoding = ENCODING_DICT;
        out->codes = (const uint16_t *)(const void *)vector->codes.ptr;
        out->dict = &leaf->dictionary_column;
    } else {
        out->values = vector->values.ptr != NULL ? vector->values.ptr : (const char *)zero_value;
    }
}

// Views and validity of a list or map. *elements: rows of its children.
static uint32_t build_views(const struct parquet_output *output, uint8_t list_def,
                            struct list_view *views, uint64_t *valid, uint32_t *elements)
{
    const struct parquet_node *node = output->node;
    const struct parquet_vector *levels = &output->leaf->vector;
    const uint8_t *def = (const uint8_t *)levels->def.ptr;
    const uint8_t *rep = (const uint8_t *)levels->rep.ptr;
    uint32_t slots = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < levels->entries; i++) {
        if (rep[i] <= node->rep_level && def[i] >= list_def) {
            bool present = def[i] >= node->def_level;
            views[slots] = (struct list_view){present ? count : 0, 0};
            valid[slots / 64] |= (uint64_t)present << (slots % 64);
            slots++;
        }
        if (rep[i] <= node->rep_level + 1 && def[i] >= node->element_def) {
            if (slots > 0) { // always, unless the levels are damaged
                views[slots - 1].length++;
            }
            count++;
        }
    }
    *elements = count;
    return slots;
}

static enum status build_list(struct arena *arena, const struct parquet_output *output,
                              uint32_t rows, uint8_t list_def, struct column *out, struct err *err)
{
    uint32_t entries = output->leaf->vector.entries;
    struct list_view *views = arena_new_array(arena, struct list_view, entries + 1);
    uint64_t *valid = arena_new_array(arena, uint64_t, bits_words(entries) + 1);
    uint32_t elements;
    uint32_t slots = build_views(output, list_def, views, valid, &elements);
    if (slots != rows) {
        return contradiction(output, err);
    }
    uint64_t reached = 0;
    for (uint32_t i = 0; i < slots; i++) {
        reached += views[i].length;
        if (views[i].length > 0 && !bits_get(valid, i)) {
            return contradiction(output, err);
        }
    }
    if (reached != elements) {
        return contradiction(output, err);
    }
    struct column *children = arena_new_array(arena, struct column, output->child_count);
    for (uint32_t i = 0; i < output->child_count; i++) {
        TRY(build(arena, &output->children[i], elements, output->node->element_def, &children[i],
                  err));
    }
    bool nulls = bits_count(valid, slots) < slots;
    *out = (struct column){.physical = output->physical,
                           .row_count = slots,
                           .valid = nulls ? valid : NULL,
                           .values = views,
                           .children = children,
                           .child_count = output->child_count};
    return STATUS_OK;
}

// Whether no child has a value where the row is null; only damaged levels say otherwise.
static bool is_null_below(const struct column *child, const uint64_t *valid, uint32_t rows)
{
    for (uint32_t word = 0; word < bits_words(rows); word++) {
        uint64_t here = word + 1 == bits_words(rows) ? bits_tail(rows) : UINT64_MAX;
        if ((column_valid_word(child, word) & ~valid[word] & here) != 0) {
            return false;
        }
    }
    return true;
}

static enum status build_row(struct arena *arena, const struct parquet_output *output,
                             uint32_t rows, uint8_t list_def, struct column *out, struct err *err)
{
    const struct parquet_node *node = output->node;
    const struct parquet_vector *levels = &output->leaf->vector;
    const uint8_t *def = (const uint8_t *)levels->def.ptr;
    const uint8_t *rep = (const uint8_t *)levels->rep.ptr;
    uint64_t *valid = arena_new_array(arena, uint64_t, bits_words(levels->entries) + 1);
    uint32_t slots = 0;
    for (uint32_t i = 0; i < levels->entries; i++) {
        bool begins = rep[i] <= node->rep_level && def[i] >= list_def;
        valid[slots / 64] |= (uint64_t)(begins && def[i] >= node->def_level) << (slots % 64);
        slots += begins;
    }
    if (slots != rows) {
        return contradiction(output, err);
    }
    struct column *children = arena_new_array(arena, struct column, output->child_count + 1);
    bool nulls = bits_count(valid, slots) < slots;
    for (uint32_t i = 0; i < output->child_count; i++) {
        TRY(build(arena, &output->children[i], rows, list_def, &children[i], err));
        if (nulls && !is_null_below(&children[i], valid, rows)) {
            return contradiction(output, err);
        }
    }
    *out = (struct column){.physical = PHYSICAL_ROW,
                           .row_count = rows,
                           .valid = nulls ? valid : NULL,
                           .children = children,
                           .child_count = output->child_count};
    return STATUS_OK;
}

static enum status build_variant(struct arena *arena, const struct parquet_output *output,
                                 uint32_t rows, uint8_t list_def, struct column *out,
                                 struct err *err)
{
    struct column parts;
    size_t bytes_max = output->leaf->reader->options.page_bytes_max;
    TRY(build_row(arena, output, rows, list_def, &parts, err));
    return parquet_variant_column(arena, output, &parts, bytes_max, out, err);
}

static enum status build(struct arena *arena, const struct parquet_output *output, uint32_t rows,
                         uint8_t list_def, struct column *out, struct err *err)
{
    if (output->is_missing) {
        null_column(arena, output->type, rows, out);
        return STATUS_OK;
    }
    switch (output->kind) {
    case PARQUET_NODE_LEAF:
        leaf_column(output->leaf, out);
        return out->row_count == rows ? STATUS_OK : contradiction(output, err);
    case PARQUET_NODE_ROW: return build_row(arena, output, rows, list_def, out, err);
    case PARQUET_NODE_VARIANT: return build_variant(arena, output, rows, list_def, out, err);
    case PARQUET_NODE_LIST:
    case PARQUET_NODE_MAP: return build_list(arena, output, rows, list_def, out, err);
    }
    UNREACHABLE("node");
}

enum status parquet_nest_column(struct parquet_out_column *column, uint32_t rows, struct err *err)
{
    arena_reset(&column->arena);
    return build(&column->arena, &column->output, rows, 0, &column->column, err);
}
