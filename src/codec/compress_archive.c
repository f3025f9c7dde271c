// SPDX-License-Identifier: Apache-2.0
#include "codec/compress_archive.h"

#include <bzlib.h>
#include <lzma.h>

#include "base/assert.h"

enum { BZIP2_LEVEL = 9, BZIP2_WORK = 0, XZ_LEVEL = 6 };

// Decoding what xz -9 has packed takes 65 MiB.
#define XZ_MEMORY_MAX ((uint64_t)128 << 20)

size_t compress_archive_bound(enum compress_codec codec, size_t size)
{
    // bzip2's manual: 1 % and 600 bytes more.
    return codec == COMPRESS_XZ ? lzma_stream_buffer_bound(size) : size + size / 100 + 601;
}

static bool pack_bzip2(int32_t level, struct str in, char *out, size_t *out_size)
{
    char empty = 0;
    char *from = in.size > 0 ? (char *)(uintptr_t)in.ptr : &empty; // not written to
    unsigned int room = (unsigned int)compress_archive_bound(COMPRESS_BZIP2, in.size);
    int block = level == COMPRESS_LEVEL_DEFAULT || level > 9 ? BZIP2_LEVEL : level < 1 ? 1 : level;
    int result =
        BZ2_bzBuffToBuffCompress(out, &room, from, (unsigned int)in.size, block, 0, BZIP2_WORK);
    *out_size = room;
    return result == BZ_OK;
}

static bool pack_xz(int32_t level, struct str in, char *out, size_t *out_size)
{
    uint32_t preset = level == COMPRESS_LEVEL_DEFAULT || level > 9 ? XZ_LEVEL
                      : level < 0                                  ? 0
                                                                   : (uint32_t)level;
    size_t room = lzma_stream_buffer_bound(in.size);
    *out_size = 0;
    return lzma_easy_buffer_encode(preset, LZMA_CHECK_CRC32, NULL, (const uint8_t *)in.ptr, in.size,
                                   (uint8_t *)out, out_size, room) == LZMA_OK;
}

bool compress_archive_pack(enum compress_codec codec, int32_t level, struct str in, char *out,
                           size_t *out_size)
{
    return codec == COMPRESS_XZ ? pack_xz(level, in, out, out_size)
                                : pack_bzip2(level, in, out, out_size);
}

bool compress_archive_unpack(enum compress_codec codec, struct str in, char *out, size_t out_size,
                             size_t *produced)
{
    *produced = 0;
    if (codec == COMPRESS_XZ) {
        uint64_t memory = XZ_MEMORY_MAX;
        size_t at = 0;
        return lzma_stream_buffer_decode(&memory, 0, NULL, (const uint8_t *)in.ptr, &at, in.size,
                                         (uint8_t *)out, produced, out_size) == LZMA_OK &&
               at == in.size;
    }
    unsigned int room = (unsigned int)(out_size < UINT32_MAX ? out_size : UINT32_MAX);
    if (in.size > UINT32_MAX || in.size == 0 ||
        BZ2_bzBuffToBuffDecompress(out, &room, (char *)(uintptr_t)in.ptr, (unsigned int)in.size, 0,
                                   0) != BZ_OK) {
        return false;
    }
    *produced = room;
    return true;
}
