// SPDX-License-Identifier: Apache-2.0
#include "base/arena.h"
#include "base/mem.h"
#include "iceberg/file_reader.h"
#include "iceberg/name_mapping.h"
#include "store/store.h"

struct reader {
    struct file_reader base;
    struct arena arena;
    const struct parquet_field *asked; // with ids
    struct parquet_field *mapped;      // the same by the file's names; NULL: the file has ids
    uint32_t field_count;
    struct store_reader *file;
    struct parquet_file *parquet;
    struct parquet_reader *rows;
};

static enum status next(struct file_reader *base, struct batch *out, struct err *err)
{
    return parquet_reader_next(((struct reader *)base)->rows, out, err);
}

static uint64_t position(const struct file_reader *base)
{
    return parquet_reader_position(((const struct reader *)base)->rows);
}

static const uint64_t *places(const struct file_reader *base)
{
    return parquet_reader_positions(((const struct reader *)base)->rows);
}

static bool is_missing(const struct file_reader *base, uint32_t at)
{
    return parquet_reader_is_missing(((const struct reader *)base)->rows, at);
}

static bool has_id(const struct parquet_field *fields, uint32_t count, int32_t id)
{
    for (uint32_t i = 0; i < count; i++) {
        if (fields[i].id == id || has_id(fields[i].children, fields[i].child_count, id)) {
            return true;
        }
    }
    return false;
}

static bool has_field(const struct file_reader *base, int32_t id)
{
    const struct reader *reader = (const struct reader *)base;
    uint32_t count;
    if (reader->mapped != NULL) {
        return name_mapping_has(reader->asked, reader->mapped, reader->field_count, id);
    }
    const struct parquet_field *fields = parquet_file_fields(reader->parquet, &count);
    return has_id(fields, count, id);
}

static struct parquet_reader_counters counters(const struct file_reader *base)
{
    return parquet_reader_counters(((const struct reader *)base)->rows);
}

static void reader_free(struct file_reader *base)
{
    struct reader *reader = (struct reader *)base;
    parquet_reader_free(reader->rows);
    parquet_file_free(reader->parquet);
    store_reader_close(reader->file);
    arena_release(&reader->arena);
    mem_free(reader);
}

static const struct file_reader_ops ops = {.next = next,
                                           .position = position,
                                           .places = places,
                                           .is_missing = is_missing,
                                           .has_field = has_field,
                                           .counters = counters,
                                           .free = reader_free};

static enum status open_rows(struct reader *reader, const struct file_reader_options *options,
                             struct err *err)
{
    struct parquet_file_options file_options = {.budget = options->budget};
    size_t size = options->field_count * sizeof *options->fields;
    TRY(store_open(options->store, options->path, &reader->file, err));
    TRY(parquet_file_open(&reader->file->source, &file_options, &reader->parquet, err));
    bool has_ids = parquet_file_has_ids(reader->parquet);
    reader->asked = arena_copy(&reader->arena, options->fields, size);
    reader->field_count = options->field_count;
    if (!has_ids) {
        struct name_mapping_file file;
        file.fields = parquet_file_fields(reader->parquet, &file.field_count);
        reader->mapped = arena_copy(&reader->arena, options->fields, size);
        TRY(name_mapping_apply(&reader->arena, options->name_mapping, &file, reader->mapped,
                               options->field_count, err));
    }
    struct parquet_reader_options reader_options = {
        .fields = has_ids ? reader->asked : reader->mapped,
        .field_count = options->field_count,
        .predicate = has_ids ? options->predicate : NULL, // its terms name columns by id
        .filter = options->filter,
        .exclusion = options->exclusion,
        .row_group_first = options->row_group_first,
        .row_group_count = options->row_group_count > 0 ? options->row_group_count : UINT32_MAX,
        .budget = options->budget,
    };
    return parquet_reader_new(reader->parquet, &reader_options, &reader->rows, err);
}

enum status file_reader_parquet_open(const struct file_reader_options *options,
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
