// SPDX-License-Identifier: Apache-2.0
#include "iceberg/key_columns.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "data/type.h"
#include "iceberg/spec/table_metadata.h"

// The schema that knows a field best: that of the scan, else the newest.
static const struct table_schema *schema_of(const struct table_metadata *metadata,
                                            const struct table_schema *schema, int32_t id)
{
    if (table_schema_by_id(schema, id) != NULL) {
        return schema;
    }
    const struct table_schema *found = table_metadata_current_schema(metadata);
    if (table_schema_by_id(found, id) != NULL) {
        return found;
    }
    found = NULL;
    for (uint32_t i = 0; i < metadata->schema_count; i++) {
        const struct table_schema *other = metadata->schemas[i];
        bool is_newer = found == NULL || other->schema_id > found->schema_id;
        if (is_newer && table_schema_by_id(other, id) != NULL) {
            found = other;
        }
    }
    return found;
}

enum status key_column_find(struct arena *arena, const struct table_metadata *metadata,
                            const struct table_schema *schema, int32_t id, struct key_column *out,
                            struct err *err)
{
    const struct table_schema *owner = schema_of(metadata, schema, id);
    if (owner == NULL) {
        return ERR(err, STATUS_INVALID_DATA, "key column %d is in no schema of the table", id);
    }
    const struct table_schema_entry *entry = table_schema_by_id(owner, id);
    const struct iceberg_type *type = entry->field->type;
    if (entry->below_list) {
        return ERR(err, STATUS_INVALID_DATA, "key column '%.*s' lies in a list or map",
                   STR_ARGS(entry->field->name));
    }
    if (!iceberg_type_is_primitive(type)) {
        return ERR(err, STATUS_UNSUPPORTED, "key column '%.*s' of a nested type is not supported",
                   STR_ARGS(entry->field->name));
    }
    *out = (struct key_column){.id = id, .field = entry->field};
    TRY(iceberg_type_to_sql(arena, type, false, &out->type, err));
    out->type = type->kind == ICEBERG_FLOAT    ? &type_int
                : type->kind == ICEBERG_DOUBLE ? &type_bigint
                                               : out->type;
    for (; entry->parent != UINT32_MAX; out->depth++) {
        entry = &owner->entries[entry->parent];
        struct iceberg_field *around = arena_copy(arena, entry->field, sizeof *entry->field);
        around->type = iceberg_type_struct(arena, out->field, 1);
        // Its own default would be one of all its children; theirs hold as well.
        around->initial_default = NULL;
        out->field = around;
    }
    return STATUS_OK;
}

// Values of a column of floats that is no dictionary.
static void take_bits(struct arena *arena, struct column *column)
{
    uint32_t count = column->encoding == ENCODING_CONST ? 1 : column->row_count;
    if (column->physical == PHYSICAL_F32) {
        const float *values = column->values;
        int32_t *bits = arena_new_array(arena, int32_t, count);
        for (uint32_t i = 0; i < count; i++) {
            float value = values[i] == values[i] ? values[i] : NAN;
            memcpy(&bits[i], &value, sizeof value);
        }
        column->physical = PHYSICAL_I32;
        column->values = bits;
    } else {
        const double *values = column->values;
        int64_t *bits = arena_new_array(arena, int64_t, count);
        for (uint32_t i = 0; i < count; i++) {
            double value = values[i] == values[i] ? values[i] : (double)NAN;
            memcpy(&bits[i], &value, sizeof value);
        }
        column->physical = PHYSICAL_I64;
        column->values = bits;
    }
}

static struct column bits_of_floats(struct arena *arena, const struct column *column)
{
    struct column bits = *column;
    if (column->encoding == ENCODING_DICT) {
        struct column *dict = arena_copy(arena, column->dict, sizeof *dict);
        take_bits(arena, dict);
        bits.dict = dict;
        bits.physical = dict->physical;
    } else {
        take_bits(arena, &bits);
    }
    return bits;
}

struct column key_column_values(struct arena *arena, const struct key_column *key,
                                const struct column *column)
{
    struct column at = *column;
    for (uint32_t i = 0; i < key->depth; i++) {
        bool is_constant = at.encoding == ENCODING_CONST;
        at = is_constant ? at : column_flatten(arena, &at); // a DICT of structs
        uint32_t row_count = at.row_count;
        at = at.children[0]; // null where its parent is
        if (is_constant) {
            at = column_at_row(arena, &at, 0, row_count);
        }
    }
    bool is_float = at.physical == PHYSICAL_F32 || at.physical == PHYSICAL_F64;
    return is_float ? bits_of_floats(arena, &at) : at;
}
