// SPDX-License-Identifier: Apache-2.0
//
// Avro files for file_reader: by field id, or by names in a file without ids. Row groups there are
// none: a part of such a file is the whole file, which belongs to who asks for the first part.
#include "base/arena.h"
#include "base/mem.h"
#include "codec/avro_file.h"
#include "iceberg/file_reader.h"
#include "iceberg/file_schema.h"
#include "iceberg/name_mapping.h"
#include "store/store.h"

struct reader {
    struct file_reader base;
    struct arena arena;
    struct store_reader *file;
    struct avro_file *avro;
    const struct avro_column *columns; // of the file
    uint32_t column_count;
    const struct parquet_field *asked; // with ids
    struct parquet_field *mapped;      // the same by the file's names; NULL: the file has ids
    uint32_t field_count;
    bool is_done; // a part behind the first
};

static enum status next(struct file_reader *base, struct batch *out, struct err *err)
{
    struct reader *reader = (struct reader *)base;
    return reader->is_done ? STATUS_END : avro_file_next(reader->avro, out, err);
}

static uint64_t position(const struct file_reader *base)
{
    return avro_file_position(((const struct reader *)base)->avro);
}

static bool is_missing(const struct file_reader *base, uint32_t at)
{
    return avro_file_is_missing(((const struct reader *)base)->avro, at);
}

static bool has_id(const struct avro_column *columns, uint32_t count, int32_t id)
{
    for (uint32_t i = 0; i < count; i++) {
        if (columns[i].id == id || has_id(columns[i].children, columns[i].child_count, id)) {
            return true;
        }
    }
    return false;
}

static bool has_field(const struct file_reader *base, int32_t id)
{
    const struct reader *reader = (const struct reader *)base;
    return reader->mapped != NULL
               ? name_mapping_has(reader->asked, reader->mapped, reader->field_count, id)
               : has_id(reader->columns, reader->column_count, id);
}

static struct parquet_reader_counters counters(const struct file_reader *base)
{
    const struct reader *reader = (const struct reader *)base;
    return (struct parquet_reader_counters){.bytes_read = avro_file_bytes_read(reader->avro),
                                            .bytes_decoded = avro_file_bytes_decoded(reader->avro)};
}

static void reader_free(struct file_reader *base)
{
    struct reader *reader = (struct reader *)base;
    avro_file_free(reader->avro);
    store_reader_close(reader->file);
    arena_release(&reader->arena);
    mem_free(reader);
}

static const struct file_reader_ops ops = {.next = next,
                                           .position = position,
                                           .is_missing = is_missing,
                                           .has_field = has_field,
                                           .counters = counters,
                                           .free = reader_free};

// The file's columns as name_mapping.h takes them.
static const struct parquet_field *fields_of(struct arena *arena, const struct avro_column *columns,
                                             uint32_t count)
{
    struct parquet_field *out = arena_new_array(arena, struct parquet_field, count);
    for (uint32_t i = 0; i < count; i++) {
        out[i] = (struct parquet_field){
            .name = columns[i].name,
            .id = columns[i].id,
            .required = columns[i].required,
            .is_uuid = columns[i].is_uuid,
            .type = columns[i].type,
            .child_count = columns[i].child_count,
            .children = fields_of(arena, columns[i].children, columns[i].child_count)};
    }
    return out;
}

static enum status open_rows(struct reader *reader, const struct file_reader_options *options,
                             struct err *err)
{
    struct arena *arena = &reader->arena;
    size_t size = options->field_count * sizeof *options->fields;
    TRY(store_open(options->store, options->path, &reader->file, err));
    TRY(avro_file_open(&reader->file->source, NULL, &reader->avro, err));
    TRY(avro_file_columns(reader->avro, &reader->columns, &reader->column_count, err));
    bool has_ids = avro_file_schema(reader->avro)->has_ids;
    reader->asked = arena_copy(arena, options->fields, size);
    reader->field_count = options->field_count;
    reader->is_done = options->row_group_first > 0;
    if (!has_ids) {
        struct name_mapping_file file = {fields_of(arena, reader->columns, reader->column_count),
                                         reader->column_count};
        reader->mapped = arena_copy(arena, options->fields, size);
        TRY(name_mapping_apply(arena, options->name_mapping, &file, reader->mapped,
                               options->field_count, err));
    }
    const struct avro_column *wanted =
        file_schema_avro(arena, has_ids ? reader->asked : reader->mapped, options->field_count);
    return avro_file_project(reader->avro, wanted, options->field_count, has_ids, err);
}

enum status file_reader_avro_open(const struct file_reader_options *options,
                                  struct file_reader **out, struct err *err)
{
    struct reader *reader = mem_zalloc(sizeof *reader);
    reader->base.ops = &ops;
    enum status status = open_rows(reader, options, err);
    if (status != STATUS_OK) {
        reader_free(&reader->base);
        return status;
    }
    *out = &reader->base;
    return STATUS_OK;
}
