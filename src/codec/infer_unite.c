// SPDX-License-Identifier: Apache-2.0
//
// Types of files with schemas, united: what a reader can read as the wider one (parquet_reader.h,
// avro_decode.h).
#include "codec/infer_int.h"

static enum status unite(struct arena *arena, struct str name, const struct type *a,
                         const struct type *b, const struct type **out, struct err *err);

static enum status unite_rows(struct arena *arena, struct str name, const struct type *a,
                              const struct type *b, struct type *out, struct err *err)
{
    struct type_field *fields =
        arena_new_array(arena, struct type_field, a->field_count + b->field_count);
    bool is_row = a->kind == TYPE_ROW;
    uint32_t count = 0;
    for (; count < a->field_count; count++) {
        fields[count] = a->fields[count];
        // A field that only one of both has is null in the other.
        fields[count].type =
            type_with_null(arena, a->fields[count].type, is_row || a->fields[count].type->nullable);
    }
    for (uint32_t i = 0; i < b->field_count; i++) {
        const struct type_field *field = &b->fields[i];
        uint32_t at = is_row ? 0 : i;
        while (is_row && at < a->field_count && !str_equal(fields[at].name, field->name)) {
            at++;
        }
        if (at < a->field_count) {
            TRY(unite(arena, field->name.size > 0 ? field->name : name, a->fields[at].type,
                      field->type, &fields[at].type, err));
        } else {
            fields[count] = *field;
            fields[count++].type = type_with_null(arena, field->type, true);
        }
    }
    out->fields = fields;
    out->field_count = count;
    return STATUS_OK;
}

static const struct type *wider_decimal(struct arena *arena, const struct type *a,
                                        const struct type *b)
{
    int32_t digits = a->length > b->length ? a->length : b->length;
    return a->scale == b->scale ? type_decimal(arena, digits, a->scale, a->nullable || b->nullable)
                                : NULL;
}

// NULL: they have none in common.
static const struct type *wider(struct arena *arena, const struct type *a, const struct type *b)
{
    bool nullable = a->nullable || b->nullable;
    if (a->kind == TYPE_NULL || b->kind == TYPE_NULL) {
        return type_with_null(arena, a->kind == TYPE_NULL ? b : a, true);
    }
    if (a->kind == TYPE_DECIMAL && b->kind == TYPE_DECIMAL) {
        return wider_decimal(arena, a, b);
    }
    bool both_integers = type_is_integer(a) && type_is_integer(b);
    bool both_floats = type_is_approximate(a) && type_is_approximate(b);
    if (both_integers || both_floats) {
        return type_with_null(arena, a->kind > b->kind ? a : b, nullable);
    }
    bool is_sized = type_is_timestamp(a) || a->kind == TYPE_TIME || a->kind == TYPE_VARCHAR ||
                    a->kind == TYPE_VARBINARY;
    if (a->kind == b->kind && (is_sized || a->length == b->length)) {
        return type_with_null(arena, a->length > b->length ? a : b, nullable);
    }
    bool bytes = type_is_binary(a) && type_is_binary(b);
    bool texts = type_is_character(a) && type_is_character(b);
    return bytes || texts ? type_with_null(arena, bytes ? &type_bytes : &type_string, nullable)
                          : NULL;
}

static enum status unite(struct arena *arena, struct str name, const struct type *a,
                         const struct type *b, const struct type **out, struct err *err)
{
    if (a->kind == b->kind && type_is_nested(a) &&
        (a->kind == TYPE_ROW || a->field_count == b->field_count)) {
        struct type *type = type_new(arena, a->kind, a->nullable || b->nullable);
        *out = type;
        return unite_rows(arena, name, a, b, type, err);
    }
    *out = wider(arena, a, b);
    if (*out != NULL) {
        return STATUS_OK;
    }
    struct str text = type_text(arena, a);
    struct str other = type_text(arena, b);
    return ERR(err, STATUS_INVALID_DATA, "column '%.*s' is %.*s here and %.*s in another file",
               STR_ARGS(name), STR_ARGS(other), STR_ARGS(text));
}

enum status infer_unite(struct arena *arena, const struct type *a, const struct type *b,
                        const struct type **out, struct err *err)
{
    return unite(arena, STR_LIT(""), a, b, out, err);
}
