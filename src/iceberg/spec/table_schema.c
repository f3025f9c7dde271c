// SPDX-License-Identifier: Apache-2.0
#include "iceberg/spec/table_schema.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "codec/json_tree.h"
#include "iceberg/spec/json_need.h"

typedef VEC(struct table_schema_entry) entry_vec;

static void collect(const struct iceberg_type *type, uint32_t parent, bool below_list,
                    entry_vec *out)
{
    bool list = below_list || type->kind == ICEBERG_LIST || type->kind == ICEBERG_MAP;
    for (uint32_t i = 0; i < type->field_count; i++) {
        uint32_t self = out->count;
        VEC_PUSH(out, ((struct table_schema_entry){type->fields[i].id, &type->fields[i], parent, i,
                                                   list}));
        collect(type->fields[i].type, self, list, out);
    }
}

static int compare_ids(const void *a, const void *b, void *context)
{
    const struct table_schema_entry *entries = context;
    int32_t x = entries[*(const uint32_t *)a].id;
    int32_t y = entries[*(const uint32_t *)b].id;
    return x < y ? -1 : x > y;
}

enum status table_schema_new(struct arena *arena, int32_t schema_id,
                             const struct iceberg_type *root, const int32_t *identifier_ids,
                             uint32_t identifier_count, const struct table_schema **out,
                             struct err *err)
{
    entry_vec found = {0};
    collect(root, UINT32_MAX, false, &found);
    uint32_t count = found.count;
    struct table_schema_entry *entries =
        arena_copy(arena, found.items, count * sizeof *found.items);
    VEC_RELEASE(&found);
    uint32_t *by_id = arena_new_array(arena, uint32_t, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        by_id[i] = i;
    }
    qsort_r(by_id, count, sizeof *by_id, compare_ids, entries);
    for (uint32_t i = 1; i < count; i++) {
        if (entries[by_id[i]].id == entries[by_id[i - 1]].id) {
            return ERR(err, STATUS_INVALID_DATA, "schema %d: 'id' %d is used twice", schema_id,
                       entries[by_id[i]].id);
        }
    }
    struct table_schema *schema = arena_new(arena, struct table_schema);
    *schema = (struct table_schema){
        .schema_id = schema_id,
        .root = root,
        .identifier_count = identifier_count,
        .identifier_ids =
            arena_copy(arena, identifier_ids, identifier_count * sizeof *identifier_ids),
        .entry_count = count,
        .entries = entries,
        .by_id = by_id,
    };
    *out = schema;
    return STATUS_OK;
}

enum status table_schema_parse(struct arena *arena, const struct json_tree *json,
                               const struct table_schema **out, struct err *err)
{
    int32_t schema_id;
    const struct json_tree *identifiers;
    const struct iceberg_type *root;
    TRY(json_need_object(json, "schema", err));
    TRY(json_need_i32_or(json, "schema-id", 0, &schema_id, err));
    TRY(iceberg_type_parse(arena, json, &root, err));
    if (root->kind != ICEBERG_STRUCT) {
        return ERR(err, STATUS_INVALID_DATA, "schema %d: 'type' is not a struct", schema_id);
    }
    TRY(json_need_array_or(json, "identifier-field-ids", &identifiers, err));
    uint32_t count = identifiers == NULL ? 0 : identifiers->count;
    int32_t *ids = arena_new_array(arena, int32_t, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        int64_t id;
        if (!json_tree_int(&identifiers->items[i], &id) || id < 0 || id > INT32_MAX) {
            return ERR(err, STATUS_INVALID_DATA, "'identifier-field-ids' holds no ids");
        }
        ids[i] = (int32_t)id;
    }
    return table_schema_new(arena, schema_id, root, ids, count, out, err);
}

void table_schema_print(struct strbuf *out, const struct table_schema *schema)
{
    strbuf_printf(out, "{\"type\":\"struct\",\"schema-id\":%d,", schema->schema_id);
    if (schema->identifier_count > 0) {
        strbuf_add_text(out, "\"identifier-field-ids\":[");
        for (uint32_t i = 0; i < schema->identifier_count; i++) {
            strbuf_printf(out, "%s%d", i > 0 ? "," : "", schema->identifier_ids[i]);
        }
        strbuf_add_text(out, "],");
    }
    iceberg_type_print_fields(out, schema->root);
    strbuf_add_byte(out, '}');
}

bool table_schema_same(const struct table_schema *a, const struct table_schema *b)
{
    if (a->identifier_count != b->identifier_count) {
        return false;
    }
    for (uint32_t i = 0; i < a->identifier_count; i++) {
        if (a->identifier_ids[i] != b->identifier_ids[i]) {
            return false;
        }
    }
    return iceberg_type_equal(a->root, b->root);
}

const struct table_schema_entry *table_schema_by_id(const struct table_schema *schema, int32_t id)
{
    uint32_t low = 0;
    uint32_t high = schema->entry_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct table_schema_entry *entry = &schema->entries[schema->by_id[middle]];
        if (entry->id == id) {
            return entry;
        }
        if (entry->id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

const struct iceberg_field *table_schema_column(const struct table_schema *schema, struct str name)
{
    for (uint32_t i = 0; i < schema->root->field_count; i++) {
        if (str_equal(schema->root->fields[i].name, name)) {
            return &schema->root->fields[i];
        }
    }
    return NULL;
}

void table_schema_path(struct strbuf *out, const struct table_schema *schema,
                       const struct table_schema_entry *entry)
{
    if (entry->parent != UINT32_MAX) {
        table_schema_path(out, schema, &schema->entries[entry->parent]);
        strbuf_add_byte(out, '.');
    }
    strbuf_add(out, entry->field->name);
}

int32_t table_schema_highest_id(const struct table_schema *schema)
{
    return schema->entry_count == 0 ? 0
                                    : schema->entries[schema->by_id[schema->entry_count - 1]].id;
}
