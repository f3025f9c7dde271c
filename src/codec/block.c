// SPDX-License-Identifier: Apache-2.0
#include "codec/block.h"

#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/strbuf.h"

enum { BLOCK_VERSION = 1, LEVEL = 1 };

static const char magic[4] = {'F', 'Z', 'B', 'K'};

// The header as it stands in the file: little-endian, as every machine of the build family.
struct header {
    char magic[4];
    uint8_t version;
    uint8_t kind;
    uint8_t codec;
    uint8_t zero;
    uint32_t size;
    uint32_t stored;
    uint64_t tag;
    uint64_t checksum;
};
_Static_assert(sizeof(struct header) == BLOCK_HEADER_SIZE, "block header");

static uint64_t checksum(const struct header *header, const char *payload)
{
    uint64_t seed = hash_bytes(header, offsetof(struct header, checksum), 0);
    return hash_bytes(payload, header->stored, seed);
}

static uint64_t padded(uint64_t size)
{
    return (size + 7) & ~UINT64_C(7);
}

static bool is_codec(enum compress_codec codec)
{
    return codec == COMPRESS_NONE || codec == COMPRESS_LZ4_RAW || codec == COMPRESS_ZSTD;
}

// Fills `into` with the payload as it is stored.
static enum status store_payload(const struct block *block, struct compress *compress,
                                 struct header *header, char *into, struct err *err)
{
    if (header->codec != COMPRESS_NONE) {
        size_t size;
        TRY(compress_block(compress, header->codec, LEVEL, block->payload, into, &size, err));
        if (size < block->payload.size) {
            header->stored = (uint32_t)size;
            return STATUS_OK;
        }
        header->codec = COMPRESS_NONE;
    }
    header->stored = header->size;
    if (header->size > 0) {
        memcpy(into, block->payload.ptr, header->size);
    }
    return STATUS_OK;
}

enum status block_write(struct strbuf *out, const struct block *block, enum compress_codec codec,
                        struct compress *compress, struct err *err)
{
    if (block->payload.size > BLOCK_PAYLOAD_MAX || !is_codec(codec)) {
        return ERR(err, STATUS_LIMIT, "a block of %zu bytes", block->payload.size);
    }
    size_t bound = codec == COMPRESS_NONE ? 0 : compress_bound(codec, block->payload.size);
    size_t room =
        BLOCK_HEADER_SIZE + padded(bound > block->payload.size ? bound : block->payload.size);
    char *at = strbuf_reserve(out, room);
    if (at == NULL) {
        return ERR(err, STATUS_LIMIT, "no room for a block of %zu bytes", block->payload.size);
    }
    struct header header = {
        .version = BLOCK_VERSION,
        .kind = block->kind,
        .codec = (uint8_t)codec,
        .size = (uint32_t)block->payload.size,
        .tag = block->tag,
    };
    memcpy(header.magic, magic, sizeof magic);
    TRY(store_payload(block, compress, &header, at + BLOCK_HEADER_SIZE, err));
    header.checksum = checksum(&header, at + BLOCK_HEADER_SIZE);
    memcpy(at, &header, sizeof header);
    size_t end = BLOCK_HEADER_SIZE + header.stored;
    memset(at + end, 0, padded(end) - end);
    strbuf_commit(out, padded(end));
    return STATUS_OK;
}

static enum status read_header(struct str bytes, struct header *header, struct err *err)
{
    if (bytes.size < BLOCK_HEADER_SIZE) {
        return ERR(err, STATUS_INVALID_DATA, "a block ends in its header");
    }
    memcpy(header, bytes.ptr, sizeof *header);
    if (memcmp(header->magic, magic, sizeof magic) != 0) {
        return ERR(err, STATUS_INVALID_DATA, "not a block: it does not begin with FZBK");
    }
    if (header->version != BLOCK_VERSION) {
        return ERR(err, STATUS_UNSUPPORTED, "a block of version %u; this build reads %u",
                   header->version, BLOCK_VERSION);
    }
    if (!is_codec((enum compress_codec)header->codec) || header->zero != 0 ||
        header->size > BLOCK_PAYLOAD_MAX || header->stored > header->size ||
        (header->codec == COMPRESS_NONE && header->stored != header->size)) {
        return ERR(err, STATUS_INVALID_DATA, "a block with a damaged header");
    }
    return STATUS_OK;
}

enum status block_size(struct str bytes, uint64_t *size, struct err *err)
{
    struct header header;
    TRY(read_header(bytes, &header, err));
    *size = padded(BLOCK_HEADER_SIZE + (uint64_t)header.stored);
    return STATUS_OK;
}

enum status block_read(struct str bytes, struct compress *compress, struct arena *arena,
                       struct block *out, size_t *used, struct err *err)
{
    struct header header;
    TRY(read_header(bytes, &header, err));
    uint64_t size = padded(BLOCK_HEADER_SIZE + (uint64_t)header.stored);
    if (size > bytes.size) {
        return ERR(err, STATUS_INVALID_DATA, "a block of %llu bytes ends after %zu",
                   (unsigned long long)size, bytes.size);
    }
    const char *payload = bytes.ptr + BLOCK_HEADER_SIZE;
    if (checksum(&header, payload) != header.checksum) {
        return ERR(err, STATUS_INVALID_DATA, "a block whose checksum does not match");
    }
    for (uint64_t at = BLOCK_HEADER_SIZE + (uint64_t)header.stored; at < size; at++) {
        if (bytes.ptr[at] != 0) {
            return ERR(err, STATUS_INVALID_DATA, "a block whose padding is not zero");
        }
    }
    out->kind = header.kind;
    out->tag = header.tag;
    out->payload = (struct str){payload, header.stored};
    if (header.codec != COMPRESS_NONE) {
        char *plain = arena_alloc64(arena, header.size);
        TRY(compress_unblock(compress, (enum compress_codec)header.codec, out->payload, plain,
                             header.size, err));
        out->payload = (struct str){plain, header.size};
    }
    *used = (size_t)size;
    return STATUS_OK;
}
