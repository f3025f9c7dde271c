// SPDX-License-Identifier: Apache-2.0
#include "codec/avro_columns.h"

#include "base/arena.h"

// The records around what is looked at.
struct within {
    const struct within *outer;
    const struct avro_schema *record;
    int depth;
};

struct finder {
    struct arena *arena;
    struct err *err;
};

static enum status find_column(const struct finder *at, const struct within *within,
                               const struct avro_schema *schema, struct avro_column *out);

static const struct type *timestamp_type(const struct finder *at, const struct avro_schema *schema)
{
    enum avro_logical logical = schema->logical;
    bool is_local = logical == AVRO_LOGICAL_LOCAL_TIMESTAMP_MILLIS ||
                    logical == AVRO_LOGICAL_LOCAL_TIMESTAMP_MICROS ||
                    logical == AVRO_LOGICAL_LOCAL_TIMESTAMP_NANOS ||
                    schema->adjust == AVRO_ADJUST_FALSE;
    bool is_millis =
        logical == AVRO_LOGICAL_TIMESTAMP_MILLIS || logical == AVRO_LOGICAL_LOCAL_TIMESTAMP_MILLIS;
    bool is_micros =
        logical == AVRO_LOGICAL_TIMESTAMP_MICROS || logical == AVRO_LOGICAL_LOCAL_TIMESTAMP_MICROS;
    return type_sized(at->arena, is_local ? TYPE_TIMESTAMP : TYPE_TIMESTAMP_LTZ,
                      is_millis   ? 3
                      : is_micros ? 6
                                  : 9,
                      true);
}

static const struct type *logical_type(const struct finder *at, const struct avro_schema *schema)
{
    switch (schema->logical) {
    case AVRO_LOGICAL_DECIMAL:
        return type_decimal(at->arena, schema->precision, schema->scale, true);
    case AVRO_LOGICAL_DATE: return &type_date;
    case AVRO_LOGICAL_TIME_MILLIS: return type_sized(at->arena, TYPE_TIME, 3, true);
    case AVRO_LOGICAL_TIME_MICROS: return type_sized(at->arena, TYPE_TIME, 6, true);
    case AVRO_LOGICAL_TIMESTAMP_MILLIS:
    case AVRO_LOGICAL_TIMESTAMP_MICROS:
    case AVRO_LOGICAL_TIMESTAMP_NANOS:
    case AVRO_LOGICAL_LOCAL_TIMESTAMP_MILLIS:
    case AVRO_LOGICAL_LOCAL_TIMESTAMP_MICROS:
    case AVRO_LOGICAL_LOCAL_TIMESTAMP_NANOS: return timestamp_type(at, schema);
    case AVRO_LOGICAL_NONE:
    case AVRO_LOGICAL_UUID:
    case AVRO_LOGICAL_MAP:
    case AVRO_LOGICAL_VARIANT: break;
    }
    return NULL;
}

static const struct type *fixed_type(const struct finder *at, const struct avro_schema *schema)
{
    if (schema->size == 0) {
        return &type_bytes;
    }
    struct type *type = type_new(at->arena, TYPE_BINARY, true);
    type->length = (int32_t)schema->size;
    type->is_uuid = schema->logical == AVRO_LOGICAL_UUID;
    return type;
}

static const struct type *scalar_type(const struct finder *at, const struct avro_schema *schema)
{
    const struct type *type = logical_type(at, schema);
    if (type != NULL) {
        return type;
    }
    switch (schema->kind) {
    case AVRO_NULL: return &type_null;
    case AVRO_BOOLEAN: return &type_boolean;
    case AVRO_INT: return &type_int;
    case AVRO_LONG: return &type_bigint;
    case AVRO_FLOAT: return &type_float;
    case AVRO_DOUBLE: return &type_double;
    case AVRO_BYTES: return &type_bytes;
    case AVRO_STRING:
    case AVRO_ENUM: return &type_string;
    case AVRO_FIXED: return fixed_type(at, schema);
    case AVRO_ARRAY:
    case AVRO_MAP:
    case AVRO_RECORD:
    case AVRO_UNION: break;
    }
    return NULL;
}

// A nested type out of the children that were found.
static void set_nested(const struct finder *at, struct avro_column *out, enum type_kind kind)
{
    struct type *type = type_new(at->arena, kind, !out->required);
    struct type_field *fields = arena_new_array(at->arena, struct type_field, out->child_count);
    for (uint32_t i = 0; i < out->child_count; i++) {
        fields[i].type = out->children[i].type;
        fields[i].name = kind == TYPE_ROW ? out->children[i].name : STR_LIT("");
    }
    type->fields = fields;
    type->field_count = out->child_count;
    out->type = type;
}

static enum status find_record(const struct finder *at, const struct within *outer,
                               const struct avro_schema *schema, struct avro_column *out)
{
    struct within within = {outer, schema, outer != NULL ? outer->depth + 1 : 0};
    if (within.depth >= AVRO_DEPTH_MAX) {
        return ERR(at->err, STATUS_LIMIT, "Avro records nested over %d levels", AVRO_DEPTH_MAX);
    }
    for (const struct within *around = outer; around != NULL; around = around->outer) {
        if (around->record == schema) {
            return ERR(at->err, STATUS_UNSUPPORTED,
                       "the Avro record '%.*s' contains itself: no column type can hold it",
                       STR_ARGS(schema->name));
        }
    }
    struct avro_column *children = arena_new_array(at->arena, struct avro_column, schema->count);
    for (uint32_t i = 0; i < schema->count; i++) {
        const struct avro_field *field = &schema->fields[i];
        enum status status = find_column(at, &within, field->schema, &children[i]);
        if (status != STATUS_OK) {
            err_context(at->err, "field '%.*s'", STR_ARGS(field->name));
            return status;
        }
        children[i].name = field->name;
        children[i].id = field->id;
        children[i].alias_count = field->alias_count;
        children[i].aliases = field->aliases;
        children[i].default_value = field->default_value;
    }
    out->child_count = schema->count;
    out->children = children;
    set_nested(at, out, TYPE_ROW);
    return STATUS_OK;
}

static enum status find_list(const struct finder *at, const struct within *within,
                             const struct avro_schema *schema, struct avro_column *out)
{
    const struct avro_schema *items = schema->fields[0].schema;
    bool is_map = schema->kind == AVRO_MAP;
    const struct avro_schema *entry = avro_schema_value(items);
    bool is_entry = entry != NULL && entry->kind == AVRO_RECORD && entry->count == 2;
    if (schema->logical == AVRO_LOGICAL_MAP && is_entry) {
        TRY(find_record(at, within, entry, out)); // key and value
        set_nested(at, out, TYPE_MAP);
        return STATUS_OK;
    }
    out->child_count = is_map ? 2 : 1;
    struct avro_column *children = arena_new_array(at->arena, struct avro_column, 2);
    TRY(find_column(at, within, items, &children[out->child_count - 1]));
    children[out->child_count - 1].id = is_map ? schema->value_id : schema->element_id;
    if (is_map) {
        children[0] = (struct avro_column){.id = schema->key_id, .required = true};
        children[0].type = type_with_null(at->arena, &type_string, false);
    }
    out->children = children;
    set_nested(at, out, is_map ? TYPE_MAP : TYPE_ARRAY);
    return STATUS_OK;
}

// The type that all branches but null are of without loss; NULL: none.
static const struct type *common_number(const struct avro_schema *schema)
{
    bool are_integers = true;
    bool are_floats = true;
    for (uint32_t i = 0; i < schema->count; i++) {
        const struct avro_schema *branch = schema->fields[i].schema;
        bool is_plain = branch->logical == AVRO_LOGICAL_NONE;
        bool is_null = branch->kind == AVRO_NULL;
        are_integers &=
            is_null || (is_plain && (branch->kind == AVRO_INT || branch->kind == AVRO_LONG));
        are_floats &=
            is_null || (is_plain && (branch->kind == AVRO_FLOAT || branch->kind == AVRO_DOUBLE));
    }
    return are_integers ? &type_bigint : are_floats ? &type_double : NULL;
}

static enum status find_union(const struct finder *at, const struct within *within,
                              const struct avro_schema *schema, struct avro_column *out)
{
    struct avro_column *members = arena_new_array(at->arena, struct avro_column, schema->count);
    uint32_t count = 0;
    bool has_null = false;
    for (uint32_t i = 0; i < schema->count; i++) {
        if (schema->fields[i].schema->kind == AVRO_NULL) {
            has_null = true;
            continue;
        }
        TRY(find_column(at, within, schema->fields[i].schema, &members[count]));
        members[count].name = arena_printf(at->arena, "member%u", count);
        members[count].type = type_with_null(at->arena, members[count].type, true);
        members[count].required = false;
        count++;
    }
    out->required = !has_null && count > 0;
    if (count <= 1) {
        const struct avro_column *only = &members[0];
        out->type = type_with_null(at->arena, count == 0 ? &type_null : only->type, !out->required);
        out->is_uuid = only->is_uuid;
        out->is_union = only->is_union;
        out->child_count = only->child_count;
        out->children = only->children;
        return STATUS_OK;
    }
    out->type = common_number(schema);
    if (out->type != NULL) {
        out->type = type_with_null(at->arena, out->type, !out->required);
        return STATUS_OK;
    }
    out->is_union = true;
    out->child_count = count;
    out->children = members;
    set_nested(at, out, TYPE_ROW);
    return STATUS_OK;
}

static enum status find_column(const struct finder *at, const struct within *within,
                               const struct avro_schema *schema, struct avro_column *out)
{
    *out = (struct avro_column){.id = AVRO_NO_ID, .schema = schema, .required = true};
    if (schema->kind == AVRO_UNION) {
        return find_union(at, within, schema, out);
    }
    if (schema->logical == AVRO_LOGICAL_VARIANT) {
        out->type = type_with_null(at->arena, &type_variant, false);
        return STATUS_OK;
    }
    if (schema->kind == AVRO_RECORD) {
        return find_record(at, within, schema, out);
    }
    if (schema->kind == AVRO_ARRAY || schema->kind == AVRO_MAP) {
        return find_list(at, within, schema, out);
    }
    out->required = schema->kind != AVRO_NULL;
    out->is_uuid = schema->logical == AVRO_LOGICAL_UUID && schema->kind == AVRO_FIXED;
    out->type = type_with_null(at->arena, scalar_type(at, schema), !out->required);
    return STATUS_OK;
}

enum status avro_columns_of_schema(struct arena *arena, const struct avro_schema *schema,
                                   const struct avro_column **out, uint32_t *count, struct err *err)
{
    struct finder at = {arena, err};
    struct avro_column *root = arena_new(arena, struct avro_column);
    TRY(find_column(&at, NULL, schema, root));
    if (root->type->kind == TYPE_ROW && schema->kind == AVRO_RECORD) {
        *out = root->children;
        *count = root->child_count;
    } else {
        root->name = STR_LIT("value");
        *out = root;
        *count = 1;
    }
    return STATUS_OK;
}

static void column_of_type(struct arena *arena, struct str name, const struct type *type,
                           struct avro_column *out)
{
    bool is_multiset = type->kind == TYPE_MULTISET;
    *out = (struct avro_column){.name = name,
                                .id = AVRO_NO_ID,
                                .required = !type->nullable,
                                .is_uuid = type->is_uuid,
                                .type = type};
    out->child_count = is_multiset ? 2 : type_is_nested(type) ? type->field_count : 0;
    struct avro_column *children = arena_new_array(arena, struct avro_column, out->child_count);
    for (uint32_t i = 0; i < type->field_count; i++) {
        column_of_type(arena, type->fields[i].name, type->fields[i].type, &children[i]);
    }
    if (is_multiset) { // the counts have no field of their own
        column_of_type(arena, STR_LIT(""), type_with_null(arena, &type_int, false), &children[1]);
    }
    out->children = children;
}

const struct avro_column *avro_columns_of_type(struct arena *arena, const struct type *row)
{
    struct avro_column *root = arena_new(arena, struct avro_column);
    column_of_type(arena, STR_LIT(""), row, root);
    return root->children;
}
