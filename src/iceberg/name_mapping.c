// SPDX-License-Identifier: Apache-2.0
#include "iceberg/name_mapping.h"

#include "base/arena.h"
#include "codec/json_tree.h"

// The entry of a name mapping for a field id; NULL: none.
static const struct json_tree *mapping_of(const struct json_tree *mapping, int32_t id)
{
    for (uint32_t i = 0; mapping != NULL && mapping->kind == JSON_TREE_ARRAY && i < mapping->count;
         i++) {
        int64_t mapped;
        if (json_tree_int(json_tree_get(&mapping->items[i], "field-id"), &mapped) && mapped == id) {
            return &mapping->items[i];
        }
    }
    return NULL;
}

static const struct parquet_field *find_name(const struct parquet_field *fields, uint32_t count,
                                             struct str name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (str_equal(fields[i].name, name)) {
            return &fields[i];
        }
    }
    return NULL;
}

// The file's column for a field of a struct; NULL: none. `entry` is the mapping's for its id.
static const struct parquet_field *find(const struct parquet_field *field,
                                        const struct json_tree *entry, bool has_mapping,
                                        const struct name_mapping_file *in)
{
    const struct json_tree *names = json_tree_get(entry, "names");
    const struct parquet_field *found = NULL;
    if (!has_mapping) {
        return find_name(in->fields, in->field_count, field->name);
    }
    for (uint32_t i = 0;
         found == NULL && names != NULL && names->kind == JSON_TREE_ARRAY && i < names->count;
         i++) {
        found = find_name(in->fields, in->field_count, json_tree_str(&names->items[i]));
    }
    return found;
}

// Gives a field the name of its column in the file, and those below it theirs. Elements, keys and
// values are found by their place.
static void rename_field(struct arena *arena, struct parquet_field *field,
                         const struct json_tree *entry, bool has_mapping,
                         const struct parquet_field *column)
{
    struct parquet_field *children =
        arena_copy(arena, field->children, field->child_count * sizeof *field->children);
    struct name_mapping_file below = {0};
    if (column != NULL) {
        below = (struct name_mapping_file){column->children, column->child_count};
    }
    for (uint32_t i = 0; i < field->child_count; i++) {
        const struct json_tree *child =
            mapping_of(json_tree_get(entry, "fields"), field->children[i].id);
        const struct parquet_field *found = NULL;
        if (field->type->kind == TYPE_ROW) {
            found = find(&children[i], child, has_mapping, &below);
        } else if (i < below.field_count) {
            found = &below.fields[i];
        }
        rename_field(arena, &children[i], child, has_mapping, found);
    }
    field->children = children;
    field->name = column != NULL ? column->name : STR_LIT("");
    field->id = PARQUET_NO_ID;
}

enum status name_mapping_apply(struct arena *arena, const struct str *text,
                               const struct name_mapping_file *file, struct parquet_field *fields,
                               uint32_t count, struct err *err)
{
    const struct json_tree *mapping = NULL;
    if (text != NULL) {
        TRY(json_tree_parse(arena, *text, &mapping, err));
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct json_tree *entry = mapping_of(mapping, fields[i].id);
        rename_field(arena, &fields[i], entry, mapping != NULL,
                     find(&fields[i], entry, mapping != NULL, file));
    }
    return STATUS_OK;
}

bool name_mapping_has(const struct parquet_field *asked, const struct parquet_field *mapped,
                      uint32_t count, int32_t id)
{
    for (uint32_t i = 0; i < count; i++) {
        if (asked[i].id == id) {
            return mapped[i].name.size > 0;
        }
        if (name_mapping_has(asked[i].children, mapped[i].children, asked[i].child_count, id)) {
            return true;
        }
    }
    return false;
}
