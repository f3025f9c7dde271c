// SPDX-License-Identifier: Apache-2.0
#include "codec/compress.h"

#include <brotli/decode.h>
#include <brotli/encode.h>
#include <libdeflate.h>
#include <lz4.h>
#include <lz4frame.h>
#include <snappy-c.h>
#include <string.h>
#include <zstd.h>

#include "base/assert.h"
#include "base/buf.h"
#include "base/mem.h"
#include "codec/compress_archive.h"
#include "codec/snappy_decode.h"

// For numbers: matches are rare and near, the gain is in the literals.
enum { NUMBERS_HASH_LOG = 10, NUMBERS_STEP = 2, NOISE_STEP = 1 << 17 };

struct compress {
    enum compress_kind kind;
    ZSTD_CCtx *zstd;
    ZSTD_DCtx *unzstd;
    LZ4F_dctx *unlz4;
    struct libdeflate_compressor *deflate;
    int32_t deflate_level;
    struct libdeflate_decompressor *inflate;
};

static const char *const names[] = {"none",    "snappy",  "gzip",      "brotli", "lz4", "zstd",
                                    "lz4_raw", "deflate", "lz4_frame", "bzip2",  "xz"};

struct compress *compress_new(void)
{
    return mem_zalloc(sizeof(struct compress)); // contexts are made when first needed
}

void compress_free(struct compress *compress)
{
    if (compress == NULL) {
        return;
    }
    ZSTD_freeCCtx(compress->zstd);
    ZSTD_freeDCtx(compress->unzstd);
    LZ4F_freeDecompressionContext(compress->unlz4);
    if (compress->deflate != NULL) {
        libdeflate_free_compressor(compress->deflate);
    }
    if (compress->inflate != NULL) {
        libdeflate_free_decompressor(compress->inflate);
    }
    mem_free(compress);
}

void compress_set_kind(struct compress *compress, enum compress_kind kind)
{
    compress->kind = kind;
}

const char *compress_name(enum compress_codec codec)
{
    return names[codec];
}

bool compress_find(struct str name, enum compress_codec *out)
{
    if (str_is_nocase(name, "uncompressed")) {
        *out = COMPRESS_NONE;
        return true;
    }
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (str_is_nocase(name, names[i])) {
            *out = (enum compress_codec)i;
            return true;
        }
    }
    return false;
}

size_t compress_bound(enum compress_codec codec, size_t size)
{
    switch (codec) {
    case COMPRESS_NONE: return size;
    case COMPRESS_SNAPPY: return snappy_max_compressed_length(size);
    case COMPRESS_GZIP:
    case COMPRESS_DEFLATE: // libdeflate's bound for gzip holds for the bare stream
        return libdeflate_gzip_compress_bound(NULL, size);
    case COMPRESS_BROTLI: return BrotliEncoderMaxCompressedSize(size) + 16;
    case COMPRESS_LZ4:
    case COMPRESS_LZ4_RAW: return (size_t)LZ4_COMPRESSBOUND(size) + 8;
    case COMPRESS_ZSTD: return ZSTD_compressBound(size);
    case COMPRESS_LZ4_FRAME: return LZ4F_compressFrameBound(size, NULL);
    case COMPRESS_BZIP2:
    case COMPRESS_XZ: return compress_archive_bound(codec, size);
    }
    UNREACHABLE("codec");
}

static enum status compress_zstd(struct compress *compress, int32_t level, struct str in, char *out,
                                 size_t *out_size, struct err *err)
{
    if (compress->zstd == NULL) {
        compress->zstd = ZSTD_createCCtx();
        ASSERT(compress->zstd != NULL);
    }
    int zstd_level = level == COMPRESS_LEVEL_DEFAULT ? ZSTD_CLEVEL_DEFAULT : level;
    size_t room = ZSTD_compressBound(in.size);
    if (compress->kind == COMPRESS_BYTES || zstd_level < 1) {
        // Takes no notice of the parameters that are set below.
        *out_size = ZSTD_compressCCtx(compress->zstd, out, room, in.ptr, in.size, zstd_level);
    } else {
        static const int steps[] = {[COMPRESS_NUMBERS] = 0,
                                    [COMPRESS_NUMBERS_STEPPED] = NUMBERS_STEP,
                                    [COMPRESS_NOISE] = NOISE_STEP};
        ZSTD_CCtx_setParameter(compress->zstd, ZSTD_c_compressionLevel, zstd_level);
        ZSTD_CCtx_setParameter(compress->zstd, ZSTD_c_strategy, ZSTD_fast);
        ZSTD_CCtx_setParameter(compress->zstd, ZSTD_c_hashLog, NUMBERS_HASH_LOG);
        ZSTD_CCtx_setParameter(compress->zstd, ZSTD_c_targetLength, steps[compress->kind]);
        *out_size = ZSTD_compress2(compress->zstd, out, room, in.ptr, in.size);
    }
    return ZSTD_isError(*out_size)
               ? ERR(err, STATUS_INVALID_DATA, "zstd: %s", ZSTD_getErrorName(*out_size))
               : STATUS_OK;
}

static void compress_deflate(struct compress *compress, bool gzip, int32_t level, struct str in,
                             char *out, size_t *out_size)
{
    int32_t wanted = level == COMPRESS_LEVEL_DEFAULT ? 6 : level < 0 ? 0 : level > 12 ? 12 : level;
    if (compress->deflate == NULL || compress->deflate_level != wanted) {
        if (compress->deflate != NULL) {
            libdeflate_free_compressor(compress->deflate);
        }
        compress->deflate = libdeflate_alloc_compressor(wanted);
        compress->deflate_level = wanted;
        ASSERT(compress->deflate != NULL);
    }
    size_t room = libdeflate_gzip_compress_bound(NULL, in.size);
    *out_size = gzip ? libdeflate_gzip_compress(compress->deflate, in.ptr, in.size, out, room)
                     : libdeflate_deflate_compress(compress->deflate, in.ptr, in.size, out, room);
    ASSERT(*out_size > 0);
}

static void put_be32(char *out, uint32_t value)
{
    value = __builtin_bswap32(value);
    memcpy(out, &value, 4);
}

static uint32_t get_be32(const char *in)
{
    uint32_t value;
    memcpy(&value, in, 4);
    return __builtin_bswap32(value);
}

static size_t compress_lz4(struct str in, char *out, bool hadoop)
{
    size_t head = hadoop ? 8 : 0;
    int size =
        LZ4_compress_default(in.ptr, out + head, (int)in.size, LZ4_compressBound((int)in.size));
    ASSERT(size > 0);
    if (hadoop) {
        put_be32(out, (uint32_t)in.size);
        put_be32(out + 4, (uint32_t)size);
    }
    return (size_t)size + head;
}

static enum status compress_brotli(int32_t level, struct str in, char *out, size_t *out_size,
                                   struct err *err)
{
    int quality = level == COMPRESS_LEVEL_DEFAULT ? 5 : level < 0 ? 0 : level > 11 ? 11 : level;
    *out_size = compress_bound(COMPRESS_BROTLI, in.size);
    if (BrotliEncoderCompress(quality, BROTLI_DEFAULT_WINDOW, BROTLI_MODE_GENERIC, in.size,
                              (const uint8_t *)in.ptr, out_size, (uint8_t *)out) != BROTLI_TRUE) {
        return ERR(err, STATUS_INVALID_DATA, "brotli cannot compress a block of %zu bytes",
                   in.size);
    }
    return STATUS_OK;
}

enum status compress_block(struct compress *compress, enum compress_codec codec, int32_t level,
                           struct str in, char *out, size_t *out_size, struct err *err)
{
    if (in.size > LZ4_MAX_INPUT_SIZE) {
        return ERR(err, STATUS_UNSUPPORTED, "a block of %zu bytes is too large to compress",
                   in.size);
    }
    switch (codec) {
    case COMPRESS_NONE:
        if (in.size > 0) {
            memcpy(out, in.ptr, in.size);
        }
        *out_size = in.size;
        return STATUS_OK;
    case COMPRESS_SNAPPY:
        *out_size = snappy_max_compressed_length(in.size);
        ASSERT(snappy_compress(in.ptr, in.size, out, out_size) == SNAPPY_OK);
        return STATUS_OK;
    case COMPRESS_GZIP:
    case COMPRESS_DEFLATE:
        compress_deflate(compress, codec == COMPRESS_GZIP, level, in, out, out_size);
        return STATUS_OK;
    case COMPRESS_BROTLI: return compress_brotli(level, in, out, out_size, err);
    case COMPRESS_LZ4:
    case COMPRESS_LZ4_RAW:
        *out_size = compress_lz4(in, out, codec == COMPRESS_LZ4);
        return STATUS_OK;
    case COMPRESS_ZSTD: return compress_zstd(compress, level, in, out, out_size, err);
    case COMPRESS_LZ4_FRAME: {
        LZ4F_preferences_t preferences = {.frameInfo = {.contentSize = in.size}};
        *out_size = LZ4F_compressFrame(out, LZ4F_compressFrameBound(in.size, &preferences), in.ptr,
                                       in.size, &preferences);
        ASSERT(!LZ4F_isError(*out_size));
        return STATUS_OK;
    }
    case COMPRESS_BZIP2:
    case COMPRESS_XZ:
        return compress_archive_pack(codec, level, in, out, out_size)
                   ? STATUS_OK
                   : ERR(err, STATUS_INVALID_DATA, "%s cannot compress a block of %zu bytes",
                         names[codec], in.size);
    }
    UNREACHABLE("codec");
}

// Decompression. What each library produced is in *produced; false: damage or more than fits.

static bool uncompress_zstd(struct compress *compress, struct str in, char *out, size_t out_size,
                            size_t *produced)
{
    if (compress->unzstd == NULL) {
        compress->unzstd = ZSTD_createDCtx();
        ASSERT(compress->unzstd != NULL);
    }
    *produced = ZSTD_decompressDCtx(compress->unzstd, out, out_size, in.ptr, in.size);
    return !ZSTD_isError(*produced);
}

static enum libdeflate_result inflate_member(struct libdeflate_decompressor *inflate, bool bare,
                                             struct str in, struct str room, size_t sizes[2])
{
    const uint8_t *head = (const uint8_t *)in.ptr;
    char *out = (char *)(uintptr_t)room.ptr;
    if (bare) {
        return libdeflate_deflate_decompress_ex(inflate, in.ptr, in.size, out, room.size, &sizes[0],
                                                &sizes[1]);
    }
    if (in.size >= 2 && head[0] == 0x1f && head[1] == 0x8b) {
        return libdeflate_gzip_decompress_ex(inflate, in.ptr, in.size, out, room.size, &sizes[0],
                                             &sizes[1]);
    }
    return libdeflate_zlib_decompress_ex(inflate, in.ptr, in.size, out, room.size, &sizes[0],
                                         &sizes[1]);
}

// *full: the output does not suffice, which for an unknown size is no damage yet.
static bool uncompress_deflate(struct compress *compress, bool bare, struct str in, struct str room,
                               size_t *produced, bool *full)
{
    if (compress->inflate == NULL) {
        compress->inflate = libdeflate_alloc_decompressor();
        ASSERT(compress->inflate != NULL);
    }
    *produced = 0;
    *full = false;
    while (in.size > 0) {
        size_t sizes[2] = {0, 0};
        struct str left = {room.ptr + *produced, room.size - *produced};
        enum libdeflate_result result = inflate_member(compress->inflate, bare, in, left, sizes);
        if (result != LIBDEFLATE_SUCCESS) {
            *full = result == LIBDEFLATE_INSUFFICIENT_SPACE;
            return false;
        }
        *produced += sizes[1];
        in = str_slice(in, sizes[0], in.size);
        if (bare) {
            break;
        }
    }
    return true;
}

static bool uncompress_lz4_raw(struct str in, char *out, size_t out_size, size_t *produced)
{
    if (in.size > INT32_MAX || out_size > INT32_MAX) {
        return false;
    }
    int size = LZ4_decompress_safe(in.ptr, out, (int)in.size, (int)out_size);
    *produced = size < 0 ? 0 : (size_t)size;
    return size >= 0;
}

static bool uncompress_lz4_hadoop(struct str in, char *out, size_t out_size, size_t *produced)
{
    *produced = 0;
    while (in.size >= 8) {
        uint32_t plain = get_be32(in.ptr);
        uint32_t packed = get_be32(in.ptr + 4);
        size_t got;
        if (packed > in.size - 8 || plain > out_size - *produced ||
            !uncompress_lz4_raw(str_make(in.ptr + 8, packed), out + *produced, plain, &got) ||
            got != plain) {
            return false;
        }
        *produced += plain;
        in = str_slice(in, 8 + (size_t)packed, in.size);
    }
    return in.size == 0;
}

static bool uncompress_lz4_frame(struct compress *compress, struct str in, char *out,
                                 size_t out_size, size_t *produced)
{
    if (compress->unlz4 == NULL) {
        ASSERT(!LZ4F_isError(LZ4F_createDecompressionContext(&compress->unlz4, LZ4F_VERSION)));
    }
    LZ4F_resetDecompressionContext(compress->unlz4);
    *produced = 0;
    size_t hint = 1;
    while (in.size > 0 && hint != 0) {
        size_t consumed = in.size;
        size_t room = out_size - *produced;
        hint = LZ4F_decompress(compress->unlz4, out + *produced, &room, in.ptr, &consumed, NULL);
        if (LZ4F_isError(hint) || (consumed == 0 && room == 0)) {
            return false;
        }
        *produced += room;
        in = str_slice(in, consumed, in.size);
    }
    return hint == 0 && in.size == 0;
}

static bool uncompress(struct compress *compress, enum compress_codec codec, struct str in,
                       char *out, size_t out_size, size_t *produced)
{
    bool full;
    switch (codec) {
    case COMPRESS_NONE:
        if (in.size > out_size) {
            return false;
        }
        if (in.size > 0) {
            memcpy(out, in.ptr, in.size);
        }
        *produced = in.size;
        return true;
    case COMPRESS_SNAPPY: {
        struct snappy_decode decode;
        if (!snappy_decode_begin(&decode, in, out, out_size) ||
            !snappy_decode_until(&decode, SIZE_MAX)) {
            return false;
        }
        *produced = decode.size;
        return true;
    }
    case COMPRESS_GZIP:
    case COMPRESS_DEFLATE:
        return uncompress_deflate(compress, codec == COMPRESS_DEFLATE, in, str_make(out, out_size),
                                  produced, &full);
    case COMPRESS_BROTLI:
        *produced = out_size;
        return BrotliDecoderDecompress(in.size, (const uint8_t *)in.ptr, produced,
                                       (uint8_t *)out) == BROTLI_DECODER_RESULT_SUCCESS;
    case COMPRESS_LZ4:
        return uncompress_lz4_hadoop(in, out, out_size, produced) ||
               uncompress_lz4_raw(in, out, out_size, produced);
    case COMPRESS_LZ4_RAW: return uncompress_lz4_raw(in, out, out_size, produced);
    case COMPRESS_ZSTD: return uncompress_zstd(compress, in, out, out_size, produced);
    case COMPRESS_LZ4_FRAME: return uncompress_lz4_frame(compress, in, out, out_size, produced);
    case COMPRESS_BZIP2:
    case COMPRESS_XZ: return compress_archive_unpack(codec, in, out, out_size, produced);
    }
    UNREACHABLE("codec");
}

enum status compress_unblock(struct compress *compress, enum compress_codec codec, struct str in,
                             char *out, size_t out_size, struct err *err)
{
    size_t produced = 0;
    if (!uncompress(compress, codec, in, out, out_size, &produced)) {
        return ERR(err, STATUS_INVALID_DATA, "a %s block of %zu bytes is damaged", names[codec],
                   in.size);
    }
    if (produced != out_size) {
        return ERR(err, STATUS_INVALID_DATA, "a %s block has %zu bytes where %zu were announced",
                   names[codec], produced, out_size);
    }
    return STATUS_OK;
}

// What the stream itself says it holds; 0 where it does not say.
static size_t announced_size(enum compress_codec codec, struct str in)
{
    size_t size = 0;
    if (codec == COMPRESS_NONE) {
        return in.size;
    }
    if (codec == COMPRESS_SNAPPY) {
        return snappy_uncompressed_length(in.ptr, in.size, &size) == SNAPPY_OK ? size : 0;
    }
    if (codec == COMPRESS_ZSTD) {
        unsigned long long content = ZSTD_getFrameContentSize(in.ptr, in.size);
        return content < ZSTD_CONTENTSIZE_ERROR ? (size_t)content : 0;
    }
    return 0;
}

enum status compress_unblock_unknown(struct compress *compress, enum compress_codec codec,
                                     struct str in, size_t size_max, struct buf **out,
                                     struct err *err)
{
    size_t room = announced_size(codec, in);
    if (room > size_max) {
        return ERR(err, STATUS_LIMIT, "a %s block announces %zu bytes, over the limit of %zu",
                   names[codec], room, size_max);
    }
    if (room == 0) {
        room = in.size < SIZE_MAX / 8 ? in.size * 4 + 1024 : in.size;
    }
    for (;;) {
        room = room < size_max ? room : size_max;
        struct buf *buf = buf_new(room, NULL);
        size_t produced = 0;
        if (uncompress(compress, codec, in, buf->ptr, room, &produced)) {
            buf->size = produced;
            *out = buf;
            return STATUS_OK;
        }
        buf_unref(buf);
        if (room == size_max || room > in.size * 1100 + (1 << 20)) {
            break; // no codec here expands more, short of a bomb
        }
        room *= 4;
    }
    return ERR(err, room == size_max ? STATUS_LIMIT : STATUS_INVALID_DATA,
               "a %s block of %zu bytes is damaged or holds more than %zu bytes", names[codec],
               in.size, room);
}
