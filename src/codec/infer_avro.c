// SPDX-License-Identifier: Apache-2.0
#include "codec/avro_file.h"
#include "codec/infer_int.h"

enum status infer_avro(struct arena *arena, struct byte_source *source, const struct type **out,
                       struct err *err)
{
    struct avro_file *file;
    const struct avro_column *columns;
    uint32_t count;
    TRY(avro_file_open(source, NULL, &file, err));
    enum status status = avro_file_columns(file, &columns, &count, err);
    if (status == STATUS_OK) {
        struct type_field *fields = arena_new_array(arena, struct type_field, count);
        for (uint32_t i = 0; i < count; i++) {
            fields[i] = (struct type_field){.name = columns[i].name, .type = columns[i].type};
        }
        *out = type_copy(arena, type_row(arena, fields, count, false));
    }
    avro_file_free(file);
    return status;
}
