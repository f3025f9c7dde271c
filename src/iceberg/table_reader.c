// SPDX-License-Identifier: Apache-2.0
#include "iceberg/table_reader.h"

#include "base/arena.h"
#include "base/mem.h"
#include "data/column_builder.h"
#include "iceberg/file_reader.h"
#include "iceberg/file_schema.h"
#include "iceberg/spec/table_metadata.h"

struct table_reader {
    struct arena arena;
    struct arena batch_arena;
    struct file_reader *file;
    uint32_t column_count;
    struct parquet_field *fields;
    struct column *columns; // of the batch handed out
    // For columns that the file lacks: their value, one row (CONST); physical ROW and lists: nulls.
    struct column *fillers;
    bool *is_filled;
    struct batch_origin origin;
};

// What a column is where the file has none: an identity partition's value, the initial default,
// null.
static enum status make_filler(struct table_reader *reader, const struct table_metadata *metadata,
                               const struct scan_task *task, const struct iceberg_field *field,
                               struct column *out, struct err *err)
{
    const struct partition_spec *spec = table_metadata_spec(metadata, task->file.spec_id);
    const struct type *sql;
    struct iceberg_value value = {.is_null = true};
    TRY(iceberg_type_to_sql(&reader->arena, field->type, false, &sql, err));
    for (uint32_t i = 0; spec != NULL && i < spec->field_count; i++) {
        if (spec->fields[i].source_id == field->id &&
            spec->fields[i].transform.kind == TRANSFORM_IDENTITY) {
            *out = iceberg_value_column(&reader->arena, field->type, &task->file.partition[i], 1);
            return STATUS_OK;
        }
    }
    if (!iceberg_type_is_primitive(field->type) || field->initial_default == NULL) {
        *out = column_builder_all_null(&reader->arena, sql, 1);
        return STATUS_OK;
    }
    TRY(iceberg_value_from_json(&reader->arena, field->type, field->initial_default, &value, err));
    *out = iceberg_value_column(&reader->arena, field->type, &value, 1);
    return STATUS_OK;
}

// Defaults of fields inside structs, lists and maps cannot be filled in yet; a file that would need
// one is refused rather than read as nulls.
static enum status check_nested_defaults(struct table_reader *reader,
                                         const struct iceberg_type *type, struct err *err)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        const struct iceberg_field *field = &type->fields[i];
        if (field->initial_default != NULL && !file_reader_has_field(reader->file, field->id)) {
            return ERR(err, STATUS_UNSUPPORTED,
                       "%.*s: the default of the nested field '%.*s' cannot be read yet",
                       STR_ARGS(reader->origin.name), STR_ARGS(field->name));
        }
        TRY(check_nested_defaults(reader, field->type, err));
    }
    return STATUS_OK;
}

static bool has_variant(const struct iceberg_type *type)
{
    bool found = type->kind == ICEBERG_VARIANT;
    for (uint32_t i = 0; !found && i < type->field_count; i++) {
        found = has_variant(type->fields[i].type);
    }
    return found;
}

static enum status open_file(struct table_reader *reader,
                             const struct table_reader_options *options,
                             const struct scan_task *task, struct err *err)
{
    const struct iceberg_type *root = options->schema->root;
    for (uint32_t i = 0; i < reader->column_count; i++) {
        uint32_t at = options->columns != NULL ? options->columns[i] : i;
        if (has_variant(root->fields[at].type)) {
            return ERR(err, STATUS_UNSUPPORTED,
                       "column '%.*s': columns of type variant cannot be read yet",
                       STR_ARGS(root->fields[at].name));
        }
        TRY(file_schema_field(&reader->arena, &root->fields[at], &reader->fields[i], err));
        reader->fields[i].required = false; // a file of before the column was made required
    }
    struct file_reader_options file_options = {
        .store = options->store,
        .path = task->file.path,
        .format = task->file.format,
        .fields = reader->fields,
        .field_count = reader->column_count,
        .name_mapping = table_metadata_property(options->metadata, "schema.name-mapping.default"),
        .predicate = options->predicate,
        .budget = options->budget,
        .row_group_first = options->row_group_first,
        .row_group_count = options->row_group_count,
    };
    TRY(file_reader_open(&file_options, &reader->file, err));
    for (uint32_t i = 0; i < reader->column_count; i++) {
        uint32_t at = options->columns != NULL ? options->columns[i] : i;
        TRY(check_nested_defaults(reader, root->fields[at].type, err));
        reader->is_filled[i] = file_reader_is_missing(reader->file, i);
        if (reader->is_filled[i]) {
            TRY(make_filler(reader, options->metadata, task, &root->fields[at], &reader->fillers[i],
                            err));
        }
    }
    return STATUS_OK;
}

enum status table_reader_open(const struct table_reader_options *options,
                              const struct scan_task *task, struct table_reader **out,
                              struct err *err)
{
    *out = NULL;
    struct table_reader *reader = mem_zalloc(sizeof *reader);
    arena_init(&reader->arena);
    arena_init(&reader->batch_arena);
    reader->column_count =
        options->columns != NULL ? options->column_count : options->schema->root->field_count;
    reader->fields =
        arena_new_array(&reader->arena, struct parquet_field, reader->column_count + 1);
    reader->columns = arena_new_array(&reader->arena, struct column, reader->column_count + 1);
    reader->fillers = arena_new_array(&reader->arena, struct column, reader->column_count + 1);
    reader->is_filled = arena_new_array(&reader->arena, bool, reader->column_count + 1);
    reader->origin.name = arena_str(&reader->arena, task->file.path);
    reader->origin.unit = "row";
    enum status status = open_file(reader, options, task, err);
    if (status != STATUS_OK) {
        table_reader_free(reader);
        return status;
    }
    *out = reader;
    return STATUS_OK;
}

void table_reader_free(struct table_reader *reader)
{
    if (reader == NULL) {
        return;
    }
    file_reader_free(reader->file);
    arena_release(&reader->batch_arena);
    arena_release(&reader->arena);
    mem_free(reader);
}

enum status table_reader_next(struct table_reader *reader, struct batch *out, struct err *err)
{
    struct batch batch;
    TRY(file_reader_next(reader->file, &batch, err));
    for (uint32_t i = 0; i < reader->column_count; i++) {
        reader->columns[i] = reader->is_filled[i] ? reader->fillers[i] : batch.columns[i];
        reader->columns[i].row_count = batch.row_count; // CONST: one value for any number of rows
    }
    reader->origin.first = file_reader_position(reader->file);
    *out = batch;
    out->columns = reader->columns;
    out->column_count = reader->column_count;
    out->origin = &reader->origin;
    return STATUS_OK;
}

uint64_t table_reader_position(const struct table_reader *reader)
{
    return file_reader_position(reader->file);
}

struct parquet_reader_counters table_reader_counters(const struct table_reader *reader)
{
    return file_reader_counters(reader->file);
}
