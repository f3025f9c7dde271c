// SPDX-License-Identifier: Apache-2.0
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/assert.h"
#include "base/mem.h"
#include "codec/compress.h"

struct compress_stream {
    enum compress_codec codec;
    bool between; // members: the last one ended and the next has not begun
    ZSTD_DCtx *zstd;
    z_stream zlib;
};

enum status compress_stream_new(enum compress_codec codec, struct compress_stream **out,
                                struct err *err)
{
    if (codec != COMPRESS_GZIP && codec != COMPRESS_ZSTD) {
        return ERR(err, STATUS_UNSUPPORTED, "streams of codec %s are not read",
                   compress_name(codec));
    }
    struct compress_stream *stream = mem_zalloc(sizeof *stream);
    stream->codec = codec;
    stream->between = true;
    if (codec == COMPRESS_ZSTD) {
        stream->zstd = ZSTD_createDCtx();
        ASSERT(stream->zstd != NULL);
        ZSTD_DCtx_setParameter(stream->zstd, ZSTD_d_windowLogMax, 27); // 128 MiB, as zstd -d
    } else {
        ASSERT(inflateInit2(&stream->zlib, 15 + 32) == Z_OK); // gzip or zlib, told by the head
    }
    *out = stream;
    return STATUS_OK;
}

void compress_stream_free(struct compress_stream *stream)
{
    if (stream == NULL) {
        return;
    }
    if (stream->codec == COMPRESS_ZSTD) {
        ZSTD_freeDCtx(stream->zstd);
    } else {
        inflateEnd(&stream->zlib);
    }
    mem_free(stream);
}

static enum status read_zstd(struct compress_stream *stream, struct str *in, char *out,
                             size_t out_size, size_t *produced, struct err *err)
{
    ZSTD_inBuffer input = {in->ptr, in->size, 0};
    ZSTD_outBuffer output = {out, out_size, 0};
    size_t hint = ZSTD_decompressStream(stream->zstd, &output, &input);
    *in = str_slice(*in, input.pos, in->size);
    *produced = output.pos;
    if (ZSTD_isError(hint)) {
        return ERR(err, STATUS_INVALID_DATA, "zstd stream: %s", ZSTD_getErrorName(hint));
    }
    stream->between = hint == 0;
    return STATUS_OK;
}

static enum status read_gzip(struct compress_stream *stream, struct str *in, char *out,
                             size_t out_size, size_t *produced, struct err *err)
{
    z_stream *zlib = &stream->zlib;
    uInt in_size = in->size < (1u << 30) ? (uInt)in->size : 1u << 30;
    uInt room = out_size < (1u << 30) ? (uInt)out_size : 1u << 30;
    zlib->next_in = (Bytef *)(uintptr_t)in->ptr;
    zlib->avail_in = in_size;
    zlib->next_out = (Bytef *)out;
    zlib->avail_out = room;
    int result = inflate(zlib, Z_NO_FLUSH);
    *in = str_slice(*in, in_size - zlib->avail_in, in->size);
    *produced = room - zlib->avail_out;
    if (result == Z_STREAM_END) {
        stream->between = true;
        return inflateReset(zlib) == Z_OK ? STATUS_OK
                                          : ERR(err, STATUS_INVALID_DATA, "gzip stream: no reset");
    }
    stream->between = false;
    if (result == Z_OK || result == Z_BUF_ERROR) {
        return STATUS_OK;
    }
    return ERR(err, STATUS_INVALID_DATA, "gzip stream: %s",
               zlib->msg != NULL ? zlib->msg : "damaged");
}

enum status compress_stream_read(struct compress_stream *stream, struct str *in, char *out,
                                 size_t out_size, size_t *produced, struct err *err)
{
    *produced = 0;
    if (stream->between && in->size == 0) {
        return STATUS_END;
    }
    return stream->codec == COMPRESS_ZSTD ? read_zstd(stream, in, out, out_size, produced, err)
                                          : read_gzip(stream, in, out, out_size, produced, err);
}
