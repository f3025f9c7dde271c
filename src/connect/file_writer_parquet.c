// SPDX-License-Identifier: Apache-2.0
//
// Parquet. A row group is assembled when the file is finished; until then encoded pages beyond some
// megabytes wait in a scratch file.
#include "base/arena.h"
#include "base/byte_sink.h"
#include "base/byte_source.h"
#include "base/mem.h"
#include "base/vec.h"
#include "codec/parquet_writer.h"
#include "connect/file_writer.h"
#include "connect/option.h"
#include "data/batch.h"
#include "sys/scratch_file.h"

enum { PAGES_BYTES_MAX = 32 << 20 }; // encoded and in memory

// The scratch file as a sink, and a segment of it as a source.
struct parquet_scratch {
    struct byte_sink sink;
    struct scratch_file file;
};

struct parquet_segment {
    struct byte_source source;
    struct scratch_file *file;
    uint64_t offset;
};

struct parquet_file_writer {
    struct file_writer writer;
    struct arena arena;
    struct byte_sink *sink;
    const char *directory;
    struct parquet_encoder *encoder;
    struct parquet_writer *parquet;
    struct parquet_scratch scratch;
    VEC(struct parquet_segment) segments;
};

static enum status scratch_write(struct byte_sink *self, const void *bytes, size_t size,
                                 struct err *err)
{
    struct parquet_scratch *scratch = (struct parquet_scratch *)self;
    return scratch_file_write(&scratch->file, self->written, bytes, size, err);
}

static const struct byte_sink_ops scratch_ops = {.write = scratch_write};

static enum status segment_read_at(struct byte_source *self, uint64_t offset, size_t size,
                                   void *out, struct err *err)
{
    struct parquet_segment *segment = (struct parquet_segment *)self;
    return scratch_file_read(segment->file, segment->offset + offset, out, size, err);
}

static const struct byte_source_ops segment_ops = {.read_at = segment_read_at};

static enum status take_pages(struct parquet_file_writer *writer, struct err *err)
{
    struct parquet_scratch *scratch = &writer->scratch;
    if (scratch->file.fd < 0) {
        TRY(scratch_file_open(writer->directory, &scratch->file, err));
    }
    uint64_t offset = scratch->sink.written;
    uint64_t size;
    TRY(parquet_writer_take(writer->parquet, &scratch->sink, &size, err));
    if (size > 0) {
        struct parquet_segment segment = {.source = {&segment_ops, size, STR_LIT("scratch file")},
                                          .offset = offset};
        VEC_PUSH(&writer->segments, segment);
    }
    return STATUS_OK;
}

static enum status parquet_append(struct file_writer *base, const struct batch *batch,
                                  struct err *err)
{
    struct parquet_file_writer *writer = (struct parquet_file_writer *)base;
    TRY(parquet_writer_append(writer->parquet, batch, err));
    return parquet_writer_memory(writer->parquet).pages > PAGES_BYTES_MAX ? take_pages(writer, err)
                                                                          : STATUS_OK;
}

static uint64_t parquet_size(const struct file_writer *base)
{
    return parquet_writer_file_bytes(((const struct parquet_file_writer *)base)->parquet);
}

static enum status parquet_finish(struct file_writer *base, struct err *err)
{
    struct parquet_file_writer *writer = (struct parquet_file_writer *)base;
    uint32_t count = writer->segments.count;
    struct byte_source **sources = arena_new_array(&writer->arena, struct byte_source *, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        writer->segments.items[i].file = &writer->scratch.file;
        sources[i] = &writer->segments.items[i].source;
    }
    return parquet_writer_close(writer->parquet, sources, count, writer->sink, err);
}

static void parquet_free(struct file_writer *base)
{
    struct parquet_file_writer *writer = (struct parquet_file_writer *)base;
    parquet_writer_free(writer->parquet);
    parquet_encoder_free(writer->encoder);
    scratch_file_close(&writer->scratch.file);
    VEC_RELEASE(&writer->segments);
    arena_release(&writer->arena);
    mem_free(writer);
}

static enum compress_codec codec_of(const struct file_writer_spec *spec)
{
    struct str name = option_text(spec->table, spec->prefix, "compression", "ZSTD");
    enum compress_codec codec;
    return str_is_nocase(name, "UNCOMPRESSED") ? COMPRESS_NONE
           : compress_find(name, &codec)       ? codec
                                               : COMPRESS_ZSTD;
}

static enum status parquet_open(const struct file_writer_spec *spec, struct byte_sink *sink,
                                struct file_writer **out, struct err *err)
{
    struct parquet_file_writer *writer = mem_zalloc(sizeof *writer);
    writer->writer.class = &file_writer_parquet;
    arena_init(&writer->arena);
    writer->sink = sink;
    writer->directory = spec->directory;
    writer->encoder = parquet_encoder_new();
    writer->scratch = (struct parquet_scratch){.sink = {.ops = &scratch_ops}, .file = {.fd = -1}};
    struct parquet_writer_options options = {
        .fields = parquet_schema_fields(&writer->arena, spec->row, NULL),
        .field_count = spec->row->field_count,
        .codec = codec_of(spec),
        .level = COMPRESS_LEVEL_DEFAULT,
        .budget = spec->budget};
    enum status status = parquet_writer_new(writer->encoder, &options, &writer->parquet, err);
    if (status != STATUS_OK) {
        parquet_free(&writer->writer);
        return status;
    }
    *out = &writer->writer;
    return STATUS_OK;
}

const struct file_writer_class file_writer_parquet = {
    .format = "parquet",
    .open = parquet_open,
    .append = parquet_append,
    .size = parquet_size,
    .finish = parquet_finish,
    .free = parquet_free,
};
