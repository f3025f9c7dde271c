// SPDX-License-Identifier: Apache-2.0
//
// fuzz_compress: compressed blocks and streams out of arbitrary bytes. The first byte says the
// codec, the second how the rest is used: as something packed, of known and unknown size, whole and
// piece by piece; or as something plain, that is packed and must come back.
#include <stdint.h>
#include <string.h>

#include "base/assert.h"
#include "base/buf.h"
#include "base/mem.h"
#include "codec/compress.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CODECS = COMPRESS_XZ + 1, PLAIN_MAX = 1 << 18 };

// Hands over `in_step` bytes at a time, takes `out_step`: the bytes that came out; NULL where the
// stream is damaged, cut or over PLAIN_MAX.
static struct buf *stream_all(enum compress_codec codec, struct str in, size_t in_step,
                              size_t out_step)
{
    struct compress_stream *stream;
    struct err err;
    struct buf *out = buf_new(PLAIN_MAX, NULL);
    struct str piece = {in.ptr, 0};
    size_t at = 0;
    enum status status = compress_stream_new(codec, &stream, &err);
    ASSERT(status == STATUS_OK);
    out->size = 0;
    while (status == STATUS_OK && out->size < PLAIN_MAX) {
        if (piece.size == 0) {
            size_t size = in.size - at < in_step ? in.size - at : in_step;
            piece = str_slice(in, at, at + size);
            at += size;
        }
        size_t room = PLAIN_MAX - out->size < out_step ? PLAIN_MAX - out->size : out_step;
        size_t left = piece.size;
        size_t produced = 0;
        status = compress_stream_read(stream, &piece, out->ptr + out->size, room, &produced, &err);
        ASSERT(produced <= room && piece.size <= left);
        out->size += produced;
        if (status == STATUS_OK && produced == 0 && piece.size == left) {
            ASSERT(left == 0); // else it would be asked for ever
            break;
        }
    }
    compress_stream_free(stream);
    if (status == STATUS_END) {
        return out;
    }
    buf_unref(out);
    return NULL;
}

static void try_stream(enum compress_codec codec, struct str in)
{
    struct buf *whole = stream_all(codec, in, in.size, PLAIN_MAX);
    struct buf *parts = stream_all(codec, in, 3, 7);
    ASSERT((whole == NULL) == (parts == NULL));
    if (whole != NULL) {
        ASSERT(whole->size == parts->size);
        ASSERT(whole->size == 0 || memcmp(whole->ptr, parts->ptr, whole->size) == 0);
        buf_unref(whole);
        buf_unref(parts);
    }
}

static void try_packed(struct compress *compress, enum compress_codec codec, struct str in)
{
    struct buf *plain;
    struct err err;
    if (compress_unblock_unknown(compress, codec, in, PLAIN_MAX, &plain, &err) == STATUS_OK) {
        ASSERT(plain->size <= PLAIN_MAX);
        char *copy = mem_alloc(plain->size + 1); // of its own size: a write behind it is seen
        // LZ4 refuses some blocks of nothing where no room for anything is given.
        ASSERT(compress_unblock(compress, codec, in, copy, plain->size, &err) == STATUS_OK ||
               plain->size == 0);
        ASSERT(plain->size == 0 || memcmp(copy, plain->ptr, plain->size) == 0);
        ASSERT(compress_unblock(compress, codec, in, copy, plain->size + 1, &err) != STATUS_OK);
        mem_free(copy);
        buf_unref(plain);
    }
    char small[7];
    for (size_t size = 0; size < sizeof small; size += 3) {
        (void)!compress_unblock(compress, codec, in, small, size, &err);
    }
}

static void try_plain(struct compress *compress, enum compress_codec codec, struct str in,
                      int32_t level)
{
    struct err err;
    size_t size;
    struct buf *plain;
    char *packed = mem_alloc(compress_bound(codec, in.size));
    ASSERT(compress_block(compress, codec, level, in, packed, &size, &err) == STATUS_OK);
    ASSERT(size <= compress_bound(codec, in.size));
    // LZ4 without a frame does not say its size, so more room than it fills cannot be told apart.
    ASSERT(compress_unblock_unknown(compress, codec, str_make(packed, size), in.size + 1, &plain,
                                    &err) == STATUS_OK);
    ASSERT(plain->size == in.size);
    ASSERT(in.size == 0 || memcmp(plain->ptr, in.ptr, in.size) == 0);
    buf_unref(plain);
    mem_free(packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) {
        return 0;
    }
    enum compress_codec codec = (enum compress_codec)(data[0] % CODECS);
    struct str bytes = {(const char *)data + 2, size - 2};
    struct compress *compress = compress_new();
    compress_set_kind(compress, (enum compress_kind)(data[1] / 2 % 3));
    if (data[1] % 2 == 0) {
        try_packed(compress, codec, bytes);
        if (codec == COMPRESS_GZIP || codec == COMPRESS_ZSTD) {
            try_stream(codec, bytes);
        }
    } else {
        int32_t level = data[1] / 8 % 8;
        try_plain(compress, codec, bytes, level == 0 ? COMPRESS_LEVEL_DEFAULT : level);
    }
    compress_free(compress);
    return 0;
}
