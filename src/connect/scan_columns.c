// SPDX-License-Identifier: Apache-2.0
#include "connect/scan_columns.h"

#include "base/arena.h"
#include "base/assert.h"
#include "kernel/cast.h"
#include "plan/plan.h"

static bool is_partition(const struct table_def *table, struct str name)
{
    for (uint32_t i = 0; i < table->partition_count; i++) {
        if (str_equal(table->partitions[i].column, name)) {
            return true;
        }
    }
    return false;
}

static void read_table(struct arena *arena, const struct table_def *table,
                       struct type_field *fields, struct scan_partition *partitions,
                       uint32_t *position, struct scan_columns *out)
{
    uint32_t *table_columns = arena_new_array(arena, uint32_t, table->column_count + 1);
    for (uint32_t i = 0; i < table->column_count; i++) {
        const struct table_column *column = &table->columns[i];
        if (column->kind != TABLE_COLUMN_PHYSICAL) {
            continue;
        }
        if (is_partition(table, column->name)) {
            position[i] = out->partition_count;
            partitions[out->partition_count++] = (struct scan_partition){.column = UINT32_MAX,
                                                                         .table_column = i,
                                                                         .name = column->name,
                                                                         .type = column->type};
        } else {
            position[i] = out->physical_count;
            table_columns[out->physical_count] = i;
            fields[out->physical_count++] =
                (struct type_field){.name = column->name, .type = column->type};
        }
    }
    out->physical = fields;
    out->table_columns = table_columns;
    out->partitions = partitions;
}

static uint32_t fields_below(const struct type *type)
{
    uint32_t count = 0;
    for (uint32_t i = 0; type->kind == TYPE_ROW && i < type->field_count; i++) {
        count += 1 + fields_below(type->fields[i].type);
    }
    return count;
}

int32_t scan_columns_field_id(const struct table_def *table, uint32_t column,
                              const struct str *path, uint32_t depth)
{
    if (depth == 0) {
        return (int32_t)column + 1;
    }
    uint32_t id = table->column_count;
    for (uint32_t i = 0; i < column; i++) {
        id += fields_below(table->columns[i].type);
    }
    const struct type *type = table->columns[column].type;
    for (uint32_t i = 0; i < depth; i++) {
        uint32_t at = 0;
        for (; type->kind == TYPE_ROW && at < type->field_count &&
               !str_equal(type->fields[at].name, path[i]);
             at++) {
            id += 1 + fields_below(type->fields[at].type);
        }
        if (type->kind != TYPE_ROW || at == type->field_count) {
            return 0;
        }
        type = type->fields[at].type;
        id++;
    }
    return (int32_t)id;
}

void scan_columns_read(struct arena *arena, const struct plan_node *scan, struct scan_columns *out)
{
    const struct table_def *table = scan->as.scan.table;
    uint32_t count = table->column_count;
    struct type_field *physical = arena_new_array(arena, struct type_field, count);
    uint32_t *position = arena_new_array(arena, uint32_t, count); // of a table's column
    uint32_t *wanted = arena_new_array(arena, uint32_t, scan->column_count);
    uint32_t *places = arena_new_array(arena, uint32_t, scan->column_count);
    struct scan_metadata *metadata =
        arena_new_array(arena, struct scan_metadata, scan->column_count);
    struct scan_partition *partitions = arena_new_array(arena, struct scan_partition, count + 1);
    *out = (struct scan_columns){.column_count = scan->column_count,
                                 .wanted = wanted,
                                 .places = places,
                                 .metadata = metadata};
    read_table(arena, table, physical, partitions, position, out);
    for (uint32_t i = 0; i < scan->column_count; i++) {
        uint32_t at = scan->as.scan.table_columns[i];
        const struct table_column *column = &table->columns[at];
        ASSERT(column->kind != TABLE_COLUMN_COMPUTED);
        if (column->kind == TABLE_COLUMN_PHYSICAL && is_partition(table, column->name)) {
            partitions[position[at]].column = i;
        } else if (column->kind == TABLE_COLUMN_PHYSICAL) {
            // The scan's type may lack fields of a ROW that nobody asks for.
            physical[position[at]].type = scan->columns[i].type;
            places[out->wanted_count] = i;
            wanted[out->wanted_count++] = position[at];
        } else {
            metadata[out->metadata_count++] = (struct scan_metadata){
                .column = i,
                .key = column->metadata_key.size > 0 ? column->metadata_key : column->name,
                .type = scan->columns[i].type};
        }
    }
}

enum status scan_columns_cast(struct arena *arena, const struct scan_metadata *metadata,
                              const struct type *from, const struct column *in, struct column *out,
                              struct err *err)
{
    if (type_equal_nullability_aside(from, metadata->type)) {
        *out = *in;
        return STATUS_OK;
    }
    struct kernel_run run = {.arena = arena, .row_count = in->row_count};
    struct cast_types types = {.from = from, .to = metadata->type};
    cast_column(&run, &types, in, out);
    if (run.failed != NULL && bits_any(run.failed, in->row_count)) {
        return ERR(err, STATUS_INVALID_DATA, "metadata '%.*s' as %.*s: %s", STR_ARGS(metadata->key),
                   STR_ARGS(type_text(arena, metadata->type)), run.failure);
    }
    return STATUS_OK;
}

struct column scan_columns_constant(struct arena *arena, enum physical physical, const void *value,
                                    uint32_t row_count)
{
    return (struct column){
        .physical = physical,
        .encoding = ENCODING_CONST,
        .row_count = row_count,
        .values = arena_copy(arena, value, physical_width(physical)),
    };
}
