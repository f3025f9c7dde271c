// SPDX-License-Identifier: Apache-2.0
//
// Avro files for open_file. As those of Java, they have no metrics but the number of rows, and no
// places to split at.
#include "base/byte_sink.h"
#include "base/mem.h"
#include "codec/avro_growing.h"
#include "codec/compress.h"
#include "iceberg/file_schema.h"
#include "iceberg/open_file_int.h"
#include "iceberg/spec/data_file.h"
#include "iceberg/table_env.h"

struct avro_open_file {
    struct open_file base;
    struct avro_growing *growing;
    uint64_t file_bytes; // of a closed one
};

static struct avro_growing *growing_of(const struct open_file *base)
{
    return ((const struct avro_open_file *)base)->growing;
}

static enum status append(struct open_file *base, const struct batch *batch, struct err *err)
{
    return avro_growing_append(growing_of(base), batch, err);
}

static enum status seal(struct open_file *base, bool shrink, struct err *err)
{
    return avro_growing_seal(growing_of(base), shrink, err);
}

static enum status take(struct open_file *base, struct byte_sink *sink, uint64_t *size,
                        struct err *err)
{
    return avro_growing_take(growing_of(base), sink, size, err);
}

static size_t revocable(const struct open_file *base)
{
    return avro_growing_memory(growing_of(base));
}

static uint64_t size(const struct open_file *base)
{
    return avro_growing_bytes(growing_of(base));
}

static enum status close_file(struct open_file *base, struct byte_source *const *segments,
                              uint32_t segment_count, struct byte_sink *sink, struct err *err)
{
    uint64_t before = sink->written;
    TRY(avro_growing_close(growing_of(base), segments, segment_count, sink, err));
    ((struct avro_open_file *)base)->file_bytes = sink->written - before;
    return STATUS_OK;
}

static void describe(const struct open_file *base, struct arena *arena, struct data_file *out)
{
    (void)arena;
    out->record_count = (int64_t)avro_growing_rows(growing_of(base));
    out->file_size = (int64_t)((const struct avro_open_file *)base)->file_bytes;
}

static void free_file(struct open_file *base)
{
    avro_growing_free(growing_of(base));
    mem_free(base);
}

const struct open_file_ops open_file_avro_ops = {
    .name = "AVRO",
    .end = "avro",
    .append = append,
    .seal = seal,
    .take = take,
    .revocable = revocable,
    .size = size,
    .close = close_file,
    .describe = describe,
    .free = free_file,
};

enum status open_file_avro_open(struct open_file_maker *maker, const struct file_settings *settings,
                                struct byte_source *const *segments, uint32_t segment_count,
                                struct open_file **out, struct err *err)
{
    struct avro_meta meta = {STR_LIT("iceberg.schema"), maker->schema_text};
    if (maker->avro_columns == NULL) {
        maker->avro_columns = file_schema_avro(&maker->arena, maker->fields, maker->field_count);
        maker->compress = compress_new();
    }
    struct avro_growing_options options = {.columns = maker->avro_columns,
                                           .column_count = maker->field_count,
                                           .record_name = STR_LIT("table"), // Java's name for it
                                           .metas = &meta,
                                           .meta_count = 1,
                                           .codec = settings->avro_codec,
                                           .level = settings->avro_level,
                                           .compress = maker->compress,
                                           .budget = maker->budget};
    maker->env->random(maker->env, options.sync, sizeof options.sync);
    struct avro_open_file *file = mem_zalloc(sizeof *file);
    file->base = (struct open_file){&open_file_avro_ops, maker, *settings};
    enum status status = segments == NULL ? avro_growing_new(&options, &file->growing, err)
                                          : avro_growing_restore(&options, segments, segment_count,
                                                                 &file->growing, err);
    if (status != STATUS_OK) {
        mem_free(file);
        return status;
    }
    *out = &file->base;
    return STATUS_OK;
}
