// SPDX-License-Identifier: Apache-2.0
#include "codec/infer_int.h"
#include "codec/parquet_reader.h"

// The type of a field with the nullability of the file, which is said by `required` alone.
static const struct type *type_of(struct arena *arena, const struct parquet_field *field)
{
    struct type *type = arena_new(arena, struct type);
    *type = *field->type;
    type->nullable = !field->required;
    if (!type_is_nested(type)) {
        return type;
    }
    struct type_field *fields = arena_new_array(arena, struct type_field, type->field_count);
    for (uint32_t i = 0; i < type->field_count; i++) {
        fields[i] = (struct type_field){.name = arena_str(arena, field->type->fields[i].name),
                                        .type = type_of(arena, &field->children[i])};
    }
    type->fields = fields;
    return type;
}

enum status infer_parquet(struct arena *arena, struct byte_source *source, const struct type **out,
                          struct err *err)
{
    struct parquet_file *file;
    uint32_t count;
    TRY(parquet_file_open(source, NULL, &file, err));
    const struct parquet_field *fields = parquet_file_fields(file, &count);
    struct type_field *columns = arena_new_array(arena, struct type_field, count);
    for (uint32_t i = 0; i < count; i++) {
        columns[i] = (struct type_field){.name = arena_str(arena, fields[i].name),
                                         .type = type_of(arena, &fields[i])};
    }
    parquet_file_free(file);
    *out = type_row(arena, columns, count, false);
    return STATUS_OK;
}
