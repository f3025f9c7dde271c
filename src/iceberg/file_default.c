// SPDX-License-Identifier: Apache-2.0
#include "iceberg/file_default.h"

#include "base/arena.h"
#include "codec/json_tree.h"
#include "data/column_builder.h"

// Where fields of structs find theirs.
struct putter {
    struct arena *arena;
    bool is_written; // write defaults, not initial ones
};

static enum status put(const struct putter *at, struct column_builder *builder,
                       const struct iceberg_field *field, const struct json_tree *json,
                       struct err *err);

static const struct json_tree *default_of(const struct putter *at,
                                          const struct iceberg_field *field)
{
    return at->is_written ? field->write_default : field->initial_default;
}

// The member of an object keyed by field ids.
static const struct json_tree *member(const struct json_tree *json, int32_t id)
{
    for (uint32_t i = 0; json->kind == JSON_TREE_OBJECT && i < json->count; i++) {
        int64_t key;
        if (str_to_i64(json->keys[i], &key) && key == id) {
            return &json->items[i];
        }
    }
    return NULL;
}

static enum status bad_default(const struct iceberg_field *field, struct err *err)
{
    return ERR(err, STATUS_INVALID_DATA, "the default of field '%.*s' is no value of its type",
               STR_ARGS(field->name));
}

// A struct's own default is {} or names some fields; the others have theirs.
static enum status put_struct(const struct putter *at, struct column_builder *builder,
                              const struct iceberg_field *field, const struct json_tree *json,
                              struct err *err)
{
    if (json->kind != JSON_TREE_OBJECT) {
        return bad_default(field, err);
    }
    for (uint32_t i = 0; i < field->type->field_count; i++) {
        const struct iceberg_field *child = &field->type->fields[i];
        const struct json_tree *value = member(json, child->id);
        TRY(put(at, column_builder_child(builder, i), child,
                value != NULL ? value : default_of(at, child), err));
    }
    column_builder_row(builder);
    return STATUS_OK;
}

static enum status put_list(const struct putter *at, struct column_builder *builder,
                            const struct iceberg_field *field, const struct json_tree *json,
                            struct err *err)
{
    const struct json_tree *items[2] = {json, NULL};
    if (field->type->kind == ICEBERG_MAP) {
        items[0] = json_tree_get(json, "keys");
        items[1] = json_tree_get(json, "values");
    }
    for (uint32_t i = 0; i < field->type->field_count; i++) {
        if (items[i] == NULL || items[i]->kind != JSON_TREE_ARRAY ||
            items[i]->count != items[0]->count) {
            return bad_default(field, err);
        }
    }
    column_builder_list_begin(builder);
    for (uint32_t i = 0; i < field->type->field_count; i++) {
        for (uint32_t j = 0; j < items[i]->count; j++) {
            TRY(put(at, column_builder_child(builder, i), &field->type->fields[i],
                    &items[i]->items[j], err));
        }
    }
    column_builder_list_end(builder);
    return STATUS_OK;
}

// `json` may be NULL.
static enum status put(const struct putter *at, struct column_builder *builder,
                       const struct iceberg_field *field, const struct json_tree *json,
                       struct err *err)
{
    struct iceberg_value value;
    if (json == NULL || json->kind == JSON_TREE_NULL) {
        column_builder_null(builder);
        return STATUS_OK;
    }
    if (field->type->kind == ICEBERG_STRUCT) {
        return put_struct(at, builder, field, json, err);
    }
    if (field->type->kind == ICEBERG_LIST || field->type->kind == ICEBERG_MAP) {
        return put_list(at, builder, field, json, err);
    }
    if (!iceberg_type_is_primitive(field->type)) {
        return bad_default(field, err);
    }
    TRY(iceberg_value_from_json(at->arena, field->type, json, &value, err));
    struct column column = iceberg_value_column(at->arena, field->type, &value, 1);
    column_builder_value(builder, &column, 0);
    return STATUS_OK;
}

static enum status make_default(const struct putter *at, const struct iceberg_field *field,
                                uint32_t row_count, struct column *out, struct err *err)
{
    const struct type *type;
    TRY(iceberg_type_to_sql(at->arena, field->type, false, &type, err));
    struct column_builder *builder = column_builder_new(at->arena, type, 1);
    TRY(put(at, builder, field, default_of(at, field), err));
    struct column column = column_builder_finish(builder);
    *out = column_at_row(at->arena, &column, 0, row_count);
    return STATUS_OK;
}

enum status file_default_written(struct arena *arena, const struct iceberg_field *field,
                                 uint32_t row_count, struct column *out, struct err *err)
{
    return make_default(&(struct putter){arena, true}, field, row_count, out, err);
}

static enum status make_value(struct arena *arena, const struct file_default_options *options,
                              const struct iceberg_field *field, struct column *out,
                              struct err *err)
{
    for (uint32_t i = 0; i < options->constant_count; i++) {
        if (options->constants[i].field_id == field->id) {
            *out = iceberg_value_column(arena, field->type, &options->constants[i].value, 1);
            return STATUS_OK;
        }
    }
    return make_default(&(struct putter){arena, false}, field, 1, out, err);
}

static enum status build(struct arena *arena, const struct file_default_options *options,
                         const struct iceberg_field *field, bool is_missing,
                         struct file_default *out, struct err *err)
{
    bool is_struct = field->type->kind == ICEBERG_STRUCT;
    uint32_t count = field->type->field_count;
    *out = (struct file_default){.is_missing = is_missing};
    if (is_missing) {
        return make_value(arena, options, field, &out->value, err);
    }
    out->children = arena_new_array(arena, struct file_default, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct iceberg_field *child = &field->type->fields[i];
        struct file_default *below = &out->children[i];
        // Elements, keys and values are there where their list is.
        bool is_gone = is_struct && !file_reader_has_field(options->file, child->id);
        TRY(build(arena, options, child, is_gone, below, err));
        out->is_needed_below |=
            below->is_needed_below || (below->is_missing && !column_is_null(&below->value, 0));
    }
    out->child_count = out->is_needed_below ? count : 0;
    return STATUS_OK;
}

enum status file_default_build(struct arena *arena, const struct file_default_options *options,
                               const struct iceberg_field *field, uint32_t at,
                               struct file_default *out, struct err *err)
{
    return build(arena, options, field, file_reader_is_missing(options->file, at), out, err);
}

struct column file_default_fill(struct arena *arena, const struct file_default *fill,
                                const struct column *column)
{
    struct column out = *column;
    if (fill->is_missing) {
        out = fill->value; // CONST: one value for any number of rows
        out.row_count = column->row_count;
        return out;
    }
    if (!fill->is_needed_below) {
        return out;
    }
    if (column->encoding == ENCODING_DICT) {
        struct column *dict = arena_new(arena, struct column);
        *dict = file_default_fill(arena, fill, column->dict);
        out.dict = dict;
        return out;
    }
    struct column *children = arena_new_array(arena, struct column, column->child_count);
    for (uint32_t i = 0; i < column->child_count; i++) {
        children[i] = file_default_fill(arena, &fill->children[i], &column->children[i]);
        if (fill->children[i].is_missing && column->physical == PHYSICAL_ROW) {
            children[i] = column_mask(arena, &children[i], column->valid); // null where the row is
        }
    }
    out.children = children;
    return out;
}
