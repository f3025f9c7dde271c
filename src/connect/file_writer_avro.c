// SPDX-License-Identifier: Apache-2.0
//
// Avro containers.
#include <sys/random.h>

#include "base/arena.h"
#include "base/mem.h"
#include "codec/avro_encode.h"
#include "connect/file_writer.h"
#include "connect/option.h"
#include "data/batch.h"

struct avro_file_writer {
    struct file_writer writer;
    struct arena arena;
    struct avro_encoder *encoder;
};

static enum status avro_append(struct file_writer *base, const struct batch *batch, struct err *err)
{
    return avro_encoder_append(((struct avro_file_writer *)base)->encoder, batch, err);
}

static uint64_t avro_size(const struct file_writer *base)
{
    return avro_encoder_size(((const struct avro_file_writer *)base)->encoder);
}

static enum status avro_finish(struct file_writer *base, struct err *err)
{
    return avro_encoder_finish(((struct avro_file_writer *)base)->encoder, err);
}

static void avro_free(struct file_writer *base)
{
    struct avro_file_writer *writer = (struct avro_file_writer *)base;
    avro_encoder_free(writer->encoder);
    arena_release(&writer->arena);
    mem_free(writer);
}

static enum status avro_open(const struct file_writer_spec *spec, struct byte_sink *sink,
                             struct file_writer **out, struct err *err)
{
    struct avro_file_writer *writer = mem_zalloc(sizeof *writer);
    writer->writer.class = &file_writer_avro;
    arena_init(&writer->arena);
    struct avro_encode_options options = {.columns =
                                              avro_columns_of_type(&writer->arena, spec->row),
                                          .column_count = spec->row->field_count,
                                          .sink = sink};
    struct str codec = option_text(spec->table, spec->prefix, "codec", "deflate");
    enum status status = STATUS_OK;
    if (!avro_codec_find(codec, &options.codec)) {
        status = ERR(err, STATUS_INVALID_DATA, "there is no codec '%.*s' of Avro", STR_ARGS(codec));
    } else if (getrandom(options.sync, sizeof options.sync, 0) != (ssize_t)sizeof options.sync) {
        status = ERR(err, STATUS_IO, "no random numbers from the system");
    } else {
        status = avro_encoder_new(&options, &writer->encoder, err);
    }
    if (status != STATUS_OK) {
        avro_free(&writer->writer);
        return status;
    }
    *out = &writer->writer;
    return STATUS_OK;
}

const struct file_writer_class file_writer_avro = {
    .format = "avro",
    .open = avro_open,
    .append = avro_append,
    .size = avro_size,
    .finish = avro_finish,
    .free = avro_free,
};
