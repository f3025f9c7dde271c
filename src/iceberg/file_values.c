// SPDX-License-Identifier: Apache-2.0
#include "iceberg/file_values.h"

#include "base/arena.h"
#include "data/wkb.h"

static bool is_unknown(const struct parquet_field *field)
{
    return field->type->kind == TYPE_NULL;
}

bool file_values_have_unknown(const struct parquet_field *fields, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (is_unknown(&fields[i]) ||
            file_values_have_unknown(fields[i].children, fields[i].child_count)) {
            return true;
        }
    }
    return false;
}

bool file_values_have_shapes(const struct parquet_field *fields, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (fields[i].geo != PARQUET_GEO_NONE ||
            file_values_have_shapes(fields[i].children, fields[i].child_count)) {
            return true;
        }
    }
    return false;
}

// --- shapes ------------------------------------------------------------------------------------

static bool is_good(const struct parquet_field *field, const struct column *column, uint32_t row);

static bool are_items_good(const struct parquet_field *field, const struct column *column,
                           uint32_t row)
{
    const struct column *holder = column_holder(column);
    const struct list_view *view = column_value(column, row);
    for (uint32_t i = view->offset; i < view->offset + view->length; i++) {
        for (uint32_t k = 0; k < field->child_count; k++) {
            if (!is_good(&field->children[k], &holder->children[k], i)) {
                return false;
            }
        }
    }
    return true;
}

static bool is_good(const struct parquet_field *field, const struct column *column, uint32_t row)
{
    if (is_unknown(field) || column_is_null(column, row)) {
        return true;
    }
    if (field->geo != PARQUET_GEO_NONE) {
        return wkb_is_valid(strview_str(column_value(column, row)));
    }
    if (!file_values_have_shapes(field->children, field->child_count)) {
        return true;
    }
    if (column->physical != PHYSICAL_ROW) {
        return are_items_good(field, column, row);
    }
    const struct column *holder = column_holder(column);
    uint32_t at = column_at(column, row);
    for (uint32_t k = 0; k < field->child_count; k++) {
        if (!is_good(&field->children[k], &holder->children[k], at)) {
            return false;
        }
    }
    return true;
}

enum status file_values_check_shapes(const struct parquet_field *fields, uint32_t count,
                                     const struct batch *batch, struct err *err)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!file_values_have_shapes(&fields[i], 1)) {
            continue;
        }
        for (uint32_t row = 0; row < batch->row_count; row++) {
            if (!is_good(&fields[i], &batch->columns[i], row)) {
                ERR(err, STATUS_INVALID_DATA, "column '%.*s': a value that is no shape",
                    STR_ARGS(fields[i].name));
                err_hint(err, "geometry and geography are well-known binary (WKB)");
                return STATUS_INVALID_DATA;
            }
        }
    }
    return STATUS_OK;
}

// --- unknown -----------------------------------------------------------------------------------

const struct parquet_field *file_values_known_fields(struct arena *arena,
                                                     const struct parquet_field *fields,
                                                     uint32_t count, uint32_t *out_count)
{
    struct parquet_field *out = arena_new_array(arena, struct parquet_field, count + 1);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool is_struct = fields[i].type->kind == TYPE_ROW;
        if (is_unknown(&fields[i])) {
            continue;
        }
        out[kept] = fields[i];
        if (is_struct || fields[i].child_count > 0) {
            uint32_t below;
            const struct parquet_field *children =
                file_values_known_fields(arena, fields[i].children, fields[i].child_count, &below);
            // Elements, keys and values cannot go: they are refused as what they are.
            bool is_list = !is_struct && below != fields[i].child_count;
            out[kept].children = is_list ? fields[i].children : children;
            out[kept].child_count = is_list ? fields[i].child_count : below;
        }
        kept++;
    }
    *out_count = kept;
    return out;
}

static struct column known_column(struct arena *arena, const struct parquet_field *field,
                                  const struct column *column)
{
    struct column out = *column;
    if (!file_values_have_unknown(field->children, field->child_count)) {
        return out;
    }
    if (column->encoding == ENCODING_DICT) {
        struct column *dict = arena_new(arena, struct column);
        *dict = known_column(arena, field, column->dict);
        out.dict = dict;
        return out;
    }
    struct column *children = arena_new_array(arena, struct column, column->child_count);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < column->child_count; i++) {
        if (!is_unknown(&field->children[i])) {
            children[kept++] = known_column(arena, &field->children[i], &column->children[i]);
        }
    }
    out.children = children;
    out.child_count = kept;
    return out;
}

struct batch file_values_known(struct arena *arena, const struct parquet_field *fields,
                               const struct batch *batch)
{
    struct batch out = *batch;
    struct column *columns = arena_new_array(arena, struct column, batch->column_count);
    out.column_count = 0;
    for (uint32_t i = 0; i < batch->column_count; i++) {
        if (!is_unknown(&fields[i])) {
            columns[out.column_count++] = known_column(arena, &fields[i], &batch->columns[i]);
        }
    }
    out.columns = columns;
    return out;
}
