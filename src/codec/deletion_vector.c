// SPDX-License-Identifier: Apache-2.0
#include "codec/deletion_vector.h"

#include <libdeflate.h>
#include <string.h>

#include "base/bytebuf.h"
#include "codec/roaring.h"

enum { LENGTH_BYTES = 4, MAGIC_BYTES = 4, CHECKSUM_BYTES = 4 };

static const char magic[MAGIC_BYTES] = {(char)0xd1, (char)0xd3, 0x39, 0x64};

static uint32_t get_be32(const char *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return __builtin_bswap32(value);
}

enum status deletion_vector_read(struct str bytes, struct roaring *out, struct err *err)
{
    if (bytes.size < LENGTH_BYTES + MAGIC_BYTES + CHECKSUM_BYTES) {
        return ERR(err, STATUS_INVALID_DATA, "deletion vector of %zu bytes", bytes.size);
    }
    struct str body = str_slice(bytes, LENGTH_BYTES, bytes.size - CHECKSUM_BYTES);
    if (get_be32(bytes.ptr) != body.size) {
        return ERR(err, STATUS_INVALID_DATA,
                   "deletion vector: it says that it has %u bytes and has %zu", get_be32(bytes.ptr),
                   body.size);
    }
    if (memcmp(body.ptr, magic, MAGIC_BYTES) != 0) {
        return ERR(err, STATUS_INVALID_DATA, "deletion vector: no magic");
    }
    if (get_be32(body.ptr + body.size) != libdeflate_crc32(0, body.ptr, body.size)) {
        return ERR(err, STATUS_INVALID_DATA, "deletion vector: wrong checksum");
    }
    struct str bitmap = str_slice(body, MAGIC_BYTES, body.size);
    enum status status = roaring_read(&bitmap, out, err);
    if (status != STATUS_OK) {
        err_context(err, "deletion vector");
        return status;
    }
    if (bitmap.size > 0) {
        return ERR(err, STATUS_INVALID_DATA, "deletion vector: %zu bytes behind the bitmap",
                   bitmap.size);
    }
    if (out->count > 0 && roaring_last(out) > (uint64_t)INT64_MAX) {
        return ERR(err, STATUS_INVALID_DATA, "deletion vector: a negative position");
    }
    return STATUS_OK;
}

void deletion_vector_write(const struct roaring *set, struct bytebuf *out)
{
    size_t start = out->size;
    bytebuf_add_u32(out, 0);
    bytebuf_add(out, magic, MAGIC_BYTES);
    roaring_write(set, out);
    size_t size = out->size - start - LENGTH_BYTES;
    uint32_t length = __builtin_bswap32((uint32_t)size);
    memcpy(out->ptr + start, &length, sizeof length);
    bytebuf_add_u32(out,
                    __builtin_bswap32(libdeflate_crc32(0, out->ptr + start + LENGTH_BYTES, size)));
}
