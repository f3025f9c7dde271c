// SPDX-License-Identifier: Apache-2.0
#include "codec/infer_sample.h"

#include <string.h>

#include "base/byte_source.h"
#include "base/mem.h"
#include "codec/compress.h"

enum { PIECE = 1 << 16 };

static bool begins(struct str head, const char *magic, size_t size)
{
    return head.size >= size && memcmp(head.ptr, magic, size) == 0;
}

static enum status read_plain(struct byte_source *source, size_t byte_max, struct infer_sample *out,
                              struct err *err)
{
    size_t size = source->size < byte_max ? (size_t)source->size : byte_max;
    TRY(byte_source_read(source, 0, size, out->memory, err));
    out->text = str_make(out->memory, size);
    out->is_all = size == source->size;
    return STATUS_OK;
}

static enum status read_packed(struct byte_source *source, struct compress_stream *stream,
                               size_t byte_max, struct infer_sample *out, struct err *err)
{
    char piece[PIECE / 8];
    uint64_t offset = 0;
    size_t size = 0;
    enum status status = STATUS_OK;
    struct str in = {piece, 0};
    while (size < byte_max) {
        if (in.size == 0) {
            if (offset == source->size) {
                break;
            }
            uint64_t left = source->size - offset;
            in = str_make(piece, left < sizeof piece ? (size_t)left : sizeof piece);
            TRY(byte_source_read(source, offset, in.size, piece, err));
            offset += in.size;
        }
        size_t produced = 0;
        status =
            compress_stream_read(stream, &in, out->memory + size, byte_max - size, &produced, err);
        if (status != STATUS_OK && status != STATUS_END) {
            return status;
        }
        size += produced;
    }
    out->text = str_make(out->memory, size);
    out->is_all = offset == source->size && in.size == 0 && status == STATUS_END;
    return STATUS_OK;
}

static enum status read_sample(struct byte_source *source, size_t byte_max,
                               struct infer_sample *out, struct err *err)
{
    char bytes[6] = {0};
    struct str head =
        str_make(bytes, source->size < sizeof bytes ? (size_t)source->size : sizeof bytes);
    struct compress_stream *stream;
    TRY(byte_source_read(source, 0, head.size, bytes, err));
    bool is_gzip = begins(head, "\x1f\x8b", 2);
    if (begins(head, "BZh", 3) || begins(head,
                                         "\xfd"
                                         "7zXZ",
                                         5)) {
        return ERR(err, STATUS_UNSUPPORTED, "the compression %s is not supported for text files",
                   bytes[0] == 'B' ? "bzip2" : "xz");
    }
    if (!is_gzip && !begins(head, "\x28\xb5\x2f\xfd", 4)) {
        return read_plain(source, byte_max, out, err);
    }
    TRY(compress_stream_new(is_gzip ? COMPRESS_GZIP : COMPRESS_ZSTD, &stream, err));
    enum status status = read_packed(source, stream, byte_max, out, err);
    compress_stream_free(stream);
    return status;
}

enum status infer_sample_read(struct byte_source *source, size_t byte_max, struct infer_sample *out,
                              struct err *err)
{
    // What is compressed may become any size.
    *out = (struct infer_sample){.memory = mem_alloc(byte_max + 1 + INFER_SAMPLE_PADDING)};
    enum status status = read_sample(source, byte_max, out, err);
    if (status != STATUS_OK) {
        err_context(err, "%.*s", STR_ARGS(source->name));
        infer_sample_release(out);
        return status;
    }
    memset(out->memory + out->text.size, 0, 1 + INFER_SAMPLE_PADDING);
    out->memory[out->text.size] = '\n';
    if (begins(out->text, "\xef\xbb\xbf", 3)) {
        out->text = str_slice(out->text, 3, out->text.size);
    }
    return STATUS_OK;
}

void infer_sample_release(struct infer_sample *sample)
{
    mem_free(sample->memory);
    sample->memory = NULL;
}
