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

static bool has_name(const struct parquet_field *fields, uint32_t count, struct str name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (str_equal(fields[i].name, name)) {
            return true;
        }
    }
    return false;
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

static void find_by_name(struct arena *arena, struct parquet_field *field,
                         const struct json_tree *mapping, bool has_mapping,
                         const struct parquet_field *in_file, uint32_t in_file_count)
{
    const struct json_tree *entry = mapping_of(mapping, field->id);
    const struct json_tree *names = json_tree_get(entry, "names");
    struct str found = has_mapping ? STR_LIT("") : field->name;
    for (uint32_t i = 0; names != NULL && names->kind == JSON_TREE_ARRAY && i < names->count; i++) {
        if (has_name(in_file, in_file_count, json_tree_str(&names->items[i]))) {
            found = json_tree_str(&names->items[i]);
            break;
        }
    }
    field->name = found;
    field->id = PARQUET_NO_ID;
    const struct parquet_field *own = find_name(in_file, in_file_count, found);
    struct parquet_field *children =
        arena_copy(arena, field->children, field->child_count * sizeof *field->children);
    for (uint32_t i = 0; i < field->child_count; i++) {
        bool is_struct = field->type->kind == TYPE_ROW;
        if (is_struct) {
            find_by_name(arena, &children[i], json_tree_get(entry, "fields"), has_mapping,
                         own != NULL ? own->children : NULL, own != NULL ? own->child_count : 0);
        } else {
            children[i].id = PARQUET_NO_ID; // elements, keys and values are found by their place
            const struct json_tree *below =
                mapping_of(json_tree_get(entry, "fields"), field->children[i].id);
            const struct parquet_field *in_list =
                own != NULL && i < own->child_count ? &own->children[i] : NULL;
            struct parquet_field *grand =
                arena_copy(arena, children[i].children,
                           children[i].child_count * sizeof *children[i].children);
            for (uint32_t j = 0; j < children[i].child_count; j++) {
                find_by_name(arena, &grand[j], json_tree_get(below, "fields"), has_mapping,
                             in_list != NULL ? in_list->children : NULL,
                             in_list != NULL ? in_list->child_count : 0);
            }
            children[i].children = grand;
        }
    }
    field->children = children;
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
        find_by_name(arena, &fields[i], mapping, mapping != NULL, file->fields, file->field_count);
    }
    return STATUS_OK;
}
