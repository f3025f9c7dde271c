// SPDX-License-Identifier: Apache-2.0
#include "iceberg/table_reader.h"

#include "base/arena.h"
#include "base/mem.h"
#include "iceberg/file_default.h"
#include "iceberg/file_reader.h"
#include "iceberg/file_schema.h"
#include "iceberg/spec/table_metadata.h"

struct table_reader {
    struct arena arena;
    struct arena batch_arena;
    struct file_reader *file;
    uint32_t column_count;
    struct parquet_field *fields;
    struct column *columns;        // of the batch handed out
    struct file_default *defaults; // of each column
    struct batch_origin origin;
};

// The values of identity partitions stand for columns that the file lacks.
static void find_constants(struct table_reader *reader, const struct table_metadata *metadata,
                           const struct scan_task *task, struct file_default_options *out)
{
    const struct partition_spec *spec = table_metadata_spec(metadata, task->file.spec_id);
    if (spec == NULL) {
        return;
    }
    struct file_constant *constants =
        arena_new_array(&reader->arena, struct file_constant, spec->field_count);
    for (uint32_t i = 0; i < spec->field_count; i++) {
        const struct partition_field *field = &spec->fields[i];
        if (field->transform.kind == TRANSFORM_IDENTITY) {
            constants[out->constant_count++] =
                (struct file_constant){field->source_id, task->file.partition[i]};
        }
    }
    out->constants = constants;
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
    struct file_default_options defaults = {.file = reader->file};
    find_constants(reader, options->metadata, task, &defaults);
    for (uint32_t i = 0; i < reader->column_count; i++) {
        uint32_t at = options->columns != NULL ? options->columns[i] : i;
        TRY(file_default_build(&reader->arena, &defaults, &root->fields[at], i,
                               &reader->defaults[i], err));
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
    reader->defaults =
        arena_new_array(&reader->arena, struct file_default, reader->column_count + 1);
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
    arena_reset(&reader->batch_arena);
    TRY(file_reader_next(reader->file, &batch, err));
    for (uint32_t i = 0; i < reader->column_count; i++) {
        reader->columns[i] =
            file_default_fill(&reader->batch_arena, &reader->defaults[i], &batch.columns[i]);
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
