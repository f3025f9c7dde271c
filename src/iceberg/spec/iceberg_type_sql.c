// SPDX-License-Identifier: Apache-2.0
//
// Iceberg's types as types of SQL and back.
#include "base/arena.h"
#include "base/assert.h"
#include "base/strbuf.h"
#include "data/type.h"
#include "iceberg/spec/iceberg_type.h"

static enum status refuse(const struct type *type, struct err *err)
{
    struct strbuf text;
    strbuf_init(&text, 200);
    type_print(&text, type);
    enum status status = ERR(err, STATUS_UNSUPPORTED, "an Iceberg table cannot hold %s", text.ptr);
    strbuf_release(&text);
    return status;
}

static enum status struct_from_sql(struct arena *arena, const struct type *type, int32_t *next_id,
                                   const struct iceberg_type **out, struct err *err)
{
    struct iceberg_field *fields = arena_new_array(arena, struct iceberg_field, type->field_count);
    for (uint32_t i = 0; i < type->field_count; i++) {
        fields[i].id = (*next_id)++;
        fields[i].name = arena_str(arena, type->fields[i].name);
        fields[i].required = !type->fields[i].type->nullable;
        if (type->fields[i].comment.size > 0) {
            fields[i].doc = arena_str(arena, type->fields[i].comment);
        }
    }
    for (uint32_t i = 0; i < type->field_count; i++) {
        TRY(iceberg_type_from_sql(arena, type->fields[i].type, next_id, &fields[i].type, err));
    }
    *out = iceberg_type_struct(arena, fields, type->field_count);
    return STATUS_OK;
}

static enum status map_from_sql(struct arena *arena, const struct type *type, int32_t *next_id,
                                const struct iceberg_type **out, struct err *err)
{
    static const struct type count = {.kind = TYPE_INT};
    const struct iceberg_type *key;
    const struct iceberg_type *value;
    int32_t ids[2] = {*next_id, *next_id + 1};
    const struct type *value_type = type->kind == TYPE_MAP ? type->fields[1].type : &count;
    *next_id += 2;
    if (type->fields[0].type->nullable && type->fields[0].type->kind == TYPE_NULL) {
        return refuse(type, err);
    }
    TRY(iceberg_type_from_sql(arena, type->fields[0].type, next_id, &key, err));
    TRY(iceberg_type_from_sql(arena, value_type, next_id, &value, err));
    *out = iceberg_type_map(arena, ids, !value_type->nullable, key, value);
    return STATUS_OK;
}

// The types without parameters and children; false: another.
static bool simple_from_sql(const struct type *type, enum iceberg_kind *out)
{
    static const struct {
        enum type_kind sql;
        enum iceberg_kind iceberg;
    } kinds[] = {
        {TYPE_BOOLEAN, ICEBERG_BOOLEAN}, {TYPE_TINYINT, ICEBERG_INT},
        {TYPE_SMALLINT, ICEBERG_INT},    {TYPE_INT, ICEBERG_INT},
        {TYPE_BIGINT, ICEBERG_LONG},     {TYPE_FLOAT, ICEBERG_FLOAT},
        {TYPE_DOUBLE, ICEBERG_DOUBLE},   {TYPE_CHAR, ICEBERG_STRING},
        {TYPE_VARCHAR, ICEBERG_STRING},  {TYPE_VARBINARY, ICEBERG_BINARY},
        {TYPE_DATE, ICEBERG_DATE},       {TYPE_TIME, ICEBERG_TIME},
        {TYPE_VARIANT, ICEBERG_VARIANT}, {TYPE_NULL, ICEBERG_UNKNOWN},
    };
    bool is_nano = type->length > 6;
    if (type->kind == TYPE_TIMESTAMP) {
        *out = is_nano ? ICEBERG_TIMESTAMP_NS : ICEBERG_TIMESTAMP;
        return true;
    }
    if (type->kind == TYPE_TIMESTAMP_LTZ) {
        *out = is_nano ? ICEBERG_TIMESTAMPTZ_NS : ICEBERG_TIMESTAMPTZ;
        return true;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i].sql == type->kind) {
            *out = kinds[i].iceberg;
            return true;
        }
    }
    return false;
}

enum status iceberg_type_from_sql(struct arena *arena, const struct type *type, int32_t *next_id,
                                  const struct iceberg_type **out, struct err *err)
{
    enum iceberg_kind kind;
    if (simple_from_sql(type, &kind)) {
        *out = iceberg_type_simple(kind);
        return STATUS_OK;
    }
    switch ((int)type->kind) {
    case TYPE_DECIMAL:
        *out = iceberg_type_decimal(arena, type->length, type->scale);
        return STATUS_OK;
    case TYPE_BINARY:
        *out = type->is_uuid ? iceberg_type_simple(ICEBERG_UUID)
                             : iceberg_type_fixed(arena, type->length);
        return STATUS_OK;
    case TYPE_ARRAY: {
        int32_t id = (*next_id)++;
        const struct iceberg_type *element;
        TRY(iceberg_type_from_sql(arena, type->fields[0].type, next_id, &element, err));
        *out = iceberg_type_list(arena, id, !type->fields[0].type->nullable, element);
        return STATUS_OK;
    }
    case TYPE_MAP:
    case TYPE_MULTISET: return map_from_sql(arena, type, next_id, out, err);
    case TYPE_ROW: return struct_from_sql(arena, type, next_id, out, err);
    default: // intervals and what is opaque
        return refuse(type, err);
    }
}

static enum status nested_to_sql(struct arena *arena, const struct iceberg_type *type,
                                 bool nullable, const struct type **out, struct err *err)
{
    struct type_field *fields = arena_new_array(arena, struct type_field, type->field_count);
    for (uint32_t i = 0; i < type->field_count; i++) {
        const struct iceberg_field *field = &type->fields[i];
        TRY(iceberg_type_to_sql(arena, field->type, field->required, &fields[i].type, err));
        if (type->kind == ICEBERG_STRUCT) {
            fields[i].name = arena_str(arena, field->name);
            fields[i].comment = field->doc.size > 0 ? arena_str(arena, field->doc) : STR_LIT("");
        }
    }
    *out = type->kind == ICEBERG_LIST  ? type_array(arena, fields[0].type, nullable)
           : type->kind == ICEBERG_MAP ? type_map(arena, fields[0].type, fields[1].type, nullable)
                                       : type_row(arena, fields, type->field_count, nullable);
    return STATUS_OK;
}

enum status iceberg_type_to_sql(struct arena *arena, const struct iceberg_type *type, bool required,
                                const struct type **out, struct err *err)
{
    static const enum type_kind kinds[] = {
        [ICEBERG_BOOLEAN] = TYPE_BOOLEAN, [ICEBERG_INT] = TYPE_INT,
        [ICEBERG_LONG] = TYPE_BIGINT,     [ICEBERG_FLOAT] = TYPE_FLOAT,
        [ICEBERG_DOUBLE] = TYPE_DOUBLE,   [ICEBERG_DATE] = TYPE_DATE,
        [ICEBERG_VARIANT] = TYPE_VARIANT, [ICEBERG_UNKNOWN] = TYPE_NULL,
    };
    bool nullable = !required;
    switch (type->kind) {
    case ICEBERG_BOOLEAN:
    case ICEBERG_INT:
    case ICEBERG_LONG:
    case ICEBERG_FLOAT:
    case ICEBERG_DOUBLE:
    case ICEBERG_DATE:
    case ICEBERG_VARIANT:
    case ICEBERG_UNKNOWN: *out = type_new(arena, kinds[type->kind], nullable); return STATUS_OK;
    case ICEBERG_DECIMAL:
        *out = type_decimal(arena, type->precision, type->scale, nullable);
        return STATUS_OK;
    case ICEBERG_TIME: *out = type_sized(arena, TYPE_TIME, 6, nullable); return STATUS_OK;
    case ICEBERG_TIMESTAMP:
    case ICEBERG_TIMESTAMP_NS:
        *out = type_sized(arena, TYPE_TIMESTAMP, type->kind == ICEBERG_TIMESTAMP ? 6 : 9, nullable);
        return STATUS_OK;
    case ICEBERG_TIMESTAMPTZ:
    case ICEBERG_TIMESTAMPTZ_NS:
        *out = type_sized(arena, TYPE_TIMESTAMP_LTZ, type->kind == ICEBERG_TIMESTAMPTZ ? 6 : 9,
                          nullable);
        return STATUS_OK;
    case ICEBERG_STRING:
        *out = type_sized(arena, TYPE_VARCHAR, TYPE_LENGTH_MAX, nullable);
        return STATUS_OK;
    case ICEBERG_UUID: {
        struct type *uuid = type_new(arena, TYPE_BINARY, nullable);
        uuid->length = 16;
        uuid->is_uuid = true;
        *out = uuid;
        return STATUS_OK;
    }
    case ICEBERG_FIXED:
        *out = type_sized(arena, TYPE_BINARY, type->precision, nullable);
        return STATUS_OK;
    case ICEBERG_BINARY:
    case ICEBERG_GEOMETRY:
    case ICEBERG_GEOGRAPHY:
        *out = type_sized(arena, TYPE_VARBINARY, TYPE_LENGTH_MAX, nullable);
        return STATUS_OK;
    case ICEBERG_STRUCT:
    case ICEBERG_LIST:
    case ICEBERG_MAP: return nested_to_sql(arena, type, nullable, out, err);
    }
    UNREACHABLE("kind of Iceberg");
}
