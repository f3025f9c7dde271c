// SPDX-License-Identifier: Apache-2.0
//
// Parquet files for open_file.
#include "base/mem.h"
#include "iceberg/file_schema.h"
#include "iceberg/file_values.h"
#include "iceberg/open_file_int.h"
#include "iceberg/spec/data_file.h"

struct parquet_open_file {
    struct open_file base;
    struct parquet_writer *writer;
};

static struct parquet_writer *writer_of(const struct open_file *base)
{
    return ((const struct parquet_open_file *)base)->writer;
}

static enum status append(struct open_file *base, const struct batch *batch, struct err *err)
{
    struct arena arena;
    if (!base->maker->has_unknown) {
        return parquet_writer_append(writer_of(base), batch, err);
    }
    arena_init(&arena);
    struct batch known = file_values_known(&arena, base->maker->fields, batch);
    enum status status = parquet_writer_append(writer_of(base), &known, err);
    arena_release(&arena);
    return status;
}

static enum status seal(struct open_file *base, bool shrink, struct err *err)
{
    return parquet_writer_seal(writer_of(base), shrink, err);
}

static enum status take(struct open_file *base, struct byte_sink *sink, uint64_t *size,
                        struct err *err)
{
    return parquet_writer_take(writer_of(base), sink, size, err);
}

static size_t revocable(const struct open_file *base)
{
    struct parquet_writer_memory memory = parquet_writer_memory(writer_of(base));
    return memory.pending + memory.pages + memory.dictionaries;
}

static uint64_t size(const struct open_file *base)
{
    return parquet_writer_file_bytes(writer_of(base));
}

static enum status close_file(struct open_file *base, struct byte_source *const *segments,
                              uint32_t segment_count, struct byte_sink *sink, struct err *err)
{
    return parquet_writer_close(writer_of(base), segments, segment_count, sink, err);
}

static void describe(const struct open_file *base, struct arena *arena, struct data_file *out)
{
    file_schema_metrics(arena, base->maker->metadata, parquet_writer_result(writer_of(base)), out);
}

static void free_file(struct open_file *base)
{
    parquet_writer_free(writer_of(base));
    mem_free(base);
}

const struct open_file_ops open_file_parquet_ops = {
    .name = "PARQUET",
    .end = "parquet",
    .append = append,
    .seal = seal,
    .take = take,
    .revocable = revocable,
    .size = size,
    .close = close_file,
    .describe = describe,
    .free = free_file,
};

enum status open_file_parquet_open(struct open_file_maker *maker,
                                   const struct file_settings *settings,
                                   struct byte_source *const *segments, uint32_t segment_count,
                                   struct open_file **out, struct err *err)
{
    struct parquet_open_file *file = mem_zalloc(sizeof *file);
    file->base = (struct open_file){&open_file_parquet_ops, maker, *settings};
    if (maker->parquet_encoder == NULL) {
        maker->parquet_encoder = parquet_encoder_new();
    }
    enum status status =
        segments == NULL
            ? parquet_writer_new(maker->parquet_encoder, &settings->parquet, &file->writer, err)
            : parquet_writer_restore(maker->parquet_encoder, &settings->parquet, segments,
                                     segment_count, &file->writer, err);
    if (status != STATUS_OK) {
        mem_free(file);
        return status;
    }
    *out = &file->base;
    return STATUS_OK;
}
