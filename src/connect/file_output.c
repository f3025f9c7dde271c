// SPDX-License-Identifier: Apache-2.0
#include "connect/file_output.h"

#include <string.h>

#include "base/byte_sink.h"
#include "base/mem.h"
#include "codec/compress.h"
#include "codec/infer.h"
#include "connect/option.h"
#include "sys/file.h"

enum { OUTPUT_FRAME = 4 << 20 }; // bytes compressed at once

struct file_output {
    struct byte_sink sink;
    struct file file;
    enum compress_codec codec; // NONE: as they are
    struct compress *compress;
    char *buffer; // OUTPUT_FRAME
    size_t filled;
    char *packed;
};

static enum compress_codec codec_of(const struct table_def *table)
{
    struct str name = option_text(table, "", "sink.compression", "none");
    return str_is_nocase(name, "gzip")   ? COMPRESS_GZIP
           : str_is_nocase(name, "zstd") ? COMPRESS_ZSTD
                                         : COMPRESS_NONE;
}

static enum status write_frame(struct file_output *output, struct err *err)
{
    size_t size;
    TRY(compress_block(output->compress, output->codec, COMPRESS_LEVEL_DEFAULT,
                       str_make(output->buffer, output->filled), output->packed, &size, err));
    output->filled = 0;
    return file_write(&output->file, output->packed, size, err);
}

static enum status output_write(struct byte_sink *self, const void *bytes, size_t size,
                                struct err *err)
{
    struct file_output *output = (struct file_output *)self;
    const char *at = bytes;
    if (output->codec == COMPRESS_NONE) {
        return file_write(&output->file, bytes, size, err);
    }
    while (size > 0) {
        size_t room = OUTPUT_FRAME - output->filled;
        size_t part = size < room ? size : room;
        memcpy(output->buffer + output->filled, at, part);
        output->filled += part;
        at += part;
        size -= part;
        if (output->filled == OUTPUT_FRAME) {
            TRY(write_frame(output, err));
        }
    }
    return STATUS_OK;
}

static const struct byte_sink_ops output_ops = {.write = output_write};

enum status file_output_open(const char *path, const struct table_def *table,
                             struct file_output **out, struct err *err)
{
    struct file_output *output = mem_zalloc(sizeof *output);
    output->sink.ops = &output_ops;
    output->codec = codec_of(table);
    enum status status = file_create(path, &output->file, err);
    if (status != STATUS_OK) {
        mem_free(output);
        return status;
    }
    if (output->codec != COMPRESS_NONE) {
        output->compress = compress_new();
        output->buffer = mem_alloc(OUTPUT_FRAME);
        output->packed = mem_alloc(compress_bound(output->codec, OUTPUT_FRAME));
    }
    *out = output;
    return STATUS_OK;
}

struct byte_sink *file_output_sink(struct file_output *output)
{
    return &output->sink;
}

enum status file_output_finish(struct file_output *output, struct err *err)
{
    bool is_empty = output->file.size == 0; // a compressed file has one frame at least
    if (output->codec != COMPRESS_NONE && (output->filled > 0 || is_empty)) {
        TRY(write_frame(output, err));
    }
    return file_publish(&output->file, 0, err);
}

void file_output_close(struct file_output *output)
{
    if (output != NULL) {
        file_close(&output->file);
        compress_free(output->compress);
        mem_free(output->buffer);
        mem_free(output->packed);
        mem_free(output);
    }
}

struct str file_output_ending(const struct table_def *table)
{
    enum compress_codec codec = codec_of(table);
    return codec == COMPRESS_GZIP   ? STR_LIT(".gz")
           : codec == COMPRESS_ZSTD ? STR_LIT(".zst")
                                    : STR_LIT("");
}

bool file_output_is_of(struct str name, struct str format)
{
    enum infer_format found;
    return infer_format_find(name, (struct str){0}, &found) &&
           str_is(format, infer_format_name(found));
}
