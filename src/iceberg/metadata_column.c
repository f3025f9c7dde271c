// SPDX-License-Identifier: Apache-2.0
#include "iceberg/metadata_column.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/bits.h"
#include "base/vec.h"
#include "data/column.h"
#include "iceberg/scan.h"
#include "iceberg/spec/table_metadata.h"

const int32_t metadata_column_ids[METADATA_COLUMN_COUNT] = {
    ICEBERG_ID_FILE,      ICEBERG_ID_POS, ICEBERG_ID_DELETED,      ICEBERG_ID_SPEC,
    ICEBERG_ID_PARTITION, ICEBERG_ID_ROW, ICEBERG_ID_ROW_SEQUENCE,
};

bool metadata_column_is(int32_t id)
{
    for (int i = 0; i < METADATA_COLUMN_COUNT; i++) {
        if (metadata_column_ids[i] == id) {
            return true;
        }
    }
    return false;
}

bool metadata_column_in_file(int32_t id)
{
    return id == ICEBERG_ID_ROW || id == ICEBERG_ID_ROW_SEQUENCE;
}

static int compare_fields(const void *a, const void *b)
{
    int32_t x = ((const struct iceberg_field *)a)->id;
    int32_t y = ((const struct iceberg_field *)b)->id;
    return x < y ? -1 : x > y;
}

// Every partition field that some spec has and whose column is still there, once, named as in the
// newest spec. In v1 a dropped field goes on as void: its type is that of before.
static const struct iceberg_type *partition_type(struct arena *arena,
                                                 const struct table_metadata *metadata)
{
    VEC(struct iceberg_field) fields = {0};
    VEC(bool) is_void = {0};
    const struct table_schema *schema = table_metadata_current_schema(metadata);
    for (uint32_t i = metadata->spec_count; i-- > 0;) {
        const struct partition_spec *spec = metadata->specs[i];
        for (uint32_t j = 0; j < spec->field_count; j++) {
            const struct partition_field *field = &spec->fields[j];
            uint32_t k = 0;
            if (field->transform.kind == TRANSFORM_UNKNOWN ||
                table_schema_by_id(schema, field->source_id) == NULL) {
                continue;
            }
            while (k < fields.count && fields.items[k].id != field->field_id) {
                k++;
            }
            if (k == fields.count) {
                VEC_PUSH(&fields, ((struct iceberg_field){
                                      .id = field->field_id,
                                      .name = arena_str(arena, field->name),
                                      .type = field->result,
                                  }));
                VEC_PUSH(&is_void, field->transform.kind == TRANSFORM_VOID);
            } else if (is_void.items[k] && field->transform.kind != TRANSFORM_VOID) {
                fields.items[k].type = field->result;
                is_void.items[k] = false;
            }
        }
    }
    if (fields.count > 0) {
        qsort(fields.items, fields.count, sizeof *fields.items, compare_fields);
    }
    const struct iceberg_type *type = iceberg_type_struct(arena, fields.items, fields.count);
    VEC_RELEASE(&fields);
    VEC_RELEASE(&is_void);
    return type;
}

enum status metadata_column_field(struct arena *arena, const struct table_metadata *metadata,
                                  int32_t id, struct iceberg_field *out, struct err *err)
{
    const char *name = "";
    const struct iceberg_type *type = iceberg_type_simple(ICEBERG_LONG);
    switch (id) {
    case ICEBERG_ID_FILE:
        name = "_file";
        type = iceberg_type_simple(ICEBERG_STRING);
        break;
    case ICEBERG_ID_POS: name = "_pos"; break;
    case ICEBERG_ID_DELETED:
        name = "_deleted";
        type = iceberg_type_simple(ICEBERG_BOOLEAN);
        break;
    case ICEBERG_ID_SPEC:
        name = "_spec_id";
        type = iceberg_type_simple(ICEBERG_INT);
        break;
    case ICEBERG_ID_PARTITION:
        name = "_partition";
        type = partition_type(arena, metadata);
        if (type->field_count == 0) {
            type = iceberg_type_simple(ICEBERG_UNKNOWN); // null, as there are no rows of no fields
        }
        break;
    case ICEBERG_ID_ROW: name = "_row_id"; break;
    case ICEBERG_ID_ROW_SEQUENCE: name = "_last_updated_sequence_number"; break;
    default: return ERR(err, STATUS_NOT_FOUND, "there is no metadata column %d", id);
    }
    *out = (struct iceberg_field){.id = id, .name = str_from(name), .type = type};
    return STATUS_OK;
}

static struct column flat(struct arena *arena, enum physical physical, uint32_t row_count)
{
    struct column column = {.physical = physical, .row_count = row_count};
    column.values = arena_alloc64(arena, physical_width(physical) * (size_t)row_count + 1);
    return column;
}

// first + step times the place of each row; the file's own value where it has one.
static struct column counted(struct arena *arena, const struct metadata_column_rows *rows,
                             int64_t first, int64_t step)
{
    struct column column = flat(arena, PHYSICAL_I64, rows->row_count);
    int64_t *values = (int64_t *)(uintptr_t)column.values;
    for (uint32_t i = 0; i < rows->row_count; i++) {
        bool is_stored = rows->stored != NULL && !column_is_null(rows->stored, i);
        int64_t place = (int64_t)(rows->places != NULL ? rows->places[i] : rows->position + i);
        values[i] =
            is_stored ? *(const int64_t *)column_value(rows->stored, i) : first + step * place;
    }
    return column;
}

// Row lineage: from the file, else from the manifest; null in files of before it was kept.
static struct column lineage(struct arena *arena, int32_t id,
                             const struct metadata_column_rows *rows)
{
    const struct data_file *file = &rows->task->file;
    if (file->first_row_id != DATA_FILE_NONE) {
        return id == ICEBERG_ID_ROW ? counted(arena, rows, file->first_row_id, 1)
                                    : counted(arena, rows, rows->task->sequence_number, 0);
    }
    if (rows->stored != NULL) {
        return *rows->stored;
    }
    const struct iceberg_value none = {.is_null = true};
    return iceberg_value_column(arena, iceberg_type_simple(ICEBERG_LONG), &none, rows->row_count);
}

static struct column deleted(struct arena *arena, const struct metadata_column_rows *rows)
{
    struct column column = flat(arena, PHYSICAL_BOOL, rows->row_count);
    uint8_t *values = (uint8_t *)(uintptr_t)column.values;
    for (uint32_t i = 0; i < rows->row_count; i++) {
        values[i] = rows->deleted != NULL && bits_get(rows->deleted, i);
    }
    return column;
}

static enum status partition(struct arena *arena, const struct metadata_column_rows *rows,
                             struct column *out, struct err *err)
{
    struct iceberg_field field;
    const struct data_file *file = &rows->task->file;
    const struct partition_spec *spec = table_metadata_spec(rows->metadata, file->spec_id);
    TRY(metadata_column_field(arena, rows->metadata, ICEBERG_ID_PARTITION, &field, err));
    if (field.type->kind == ICEBERG_UNKNOWN) {
        const struct iceberg_value none = {.is_null = true};
        *out = iceberg_value_column(arena, field.type, &none, rows->row_count);
        return STATUS_OK;
    }
    struct column *children = arena_new_array(arena, struct column, field.type->field_count);
    for (uint32_t i = 0; i < field.type->field_count; i++) {
        const struct iceberg_field *wanted = &field.type->fields[i];
        struct iceberg_value value = {.is_null = true};
        for (uint32_t j = 0; spec != NULL && j < spec->field_count; j++) {
            if (spec->fields[j].field_id == wanted->id) {
                value = file->partition[j];
            }
        }
        children[i] = iceberg_value_column(arena, wanted->type, &value, 1);
    }
    *out = (struct column){.physical = PHYSICAL_ROW,
                           .encoding = ENCODING_CONST,
                           .row_count = rows->row_count,
                           .children = children,
                           .child_count = field.type->field_count};
    return STATUS_OK;
}

enum status metadata_column_make(struct arena *arena, int32_t id,
                                 const struct metadata_column_rows *rows, struct column *out,
                                 struct err *err)
{
    const struct data_file *file = &rows->task->file;
    struct iceberg_value value = {.is_null = false};
    switch (id) {
    case ICEBERG_ID_FILE:
        value.as.bytes = file->path;
        *out = iceberg_value_column(arena, iceberg_type_simple(ICEBERG_STRING), &value,
                                    rows->row_count);
        return STATUS_OK;
    case ICEBERG_ID_SPEC:
        value.as.i64 = file->spec_id;
        *out =
            iceberg_value_column(arena, iceberg_type_simple(ICEBERG_INT), &value, rows->row_count);
        return STATUS_OK;
    case ICEBERG_ID_POS: *out = counted(arena, rows, 0, 1); return STATUS_OK;
    case ICEBERG_ID_DELETED: *out = deleted(arena, rows); return STATUS_OK;
    case ICEBERG_ID_PARTITION: return partition(arena, rows, out, err);
    default: *out = lineage(arena, id, rows); return STATUS_OK;
    }
}
