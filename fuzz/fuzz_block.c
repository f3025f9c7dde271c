// SPDX-License-Identifier: Apache-2.0
//
// fuzz_block: blocks and batches out of arbitrary bytes: as a block, whose checksum hardly ever
// fits; as the payload of a block that is right, written in each codec and read again; as what a
// block of a compressing codec stores; as the payload of a batch. A batch that is accepted is
// written and read again.
#include <string.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "codec/block.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CODEC_AT = 6, SIZE_AT = 8, STORED_AT = 12, CHECKSUM_AT = 24, PLAIN_BYTES = 1 << 16 };

static void try_block(struct str bytes)
{
    struct arena arena;
    struct block block;
    struct err err;
    size_t used;
    uint64_t whole;
    struct compress *compress = compress_new();
    arena_init(&arena);
    if (block_read(bytes, compress, &arena, &block, &used, &err) == STATUS_OK) {
        ASSERT(used <= bytes.size);
        ASSERT(block_size(bytes, &whole, &err) == STATUS_OK && whole == used);
    }
    arena_release(&arena);
    compress_free(compress);
}

static void try_payload(struct str payload, enum compress_codec codec)
{
    struct arena arena;
    struct block block = {.kind = 3, .tag = 5, .payload = payload};
    struct block again;
    struct strbuf out;
    struct err err;
    size_t used;
    struct compress *compress = compress_new();
    arena_init(&arena);
    strbuf_init(&out, (size_t)1 << 30);
    ASSERT(block_write(&out, &block, codec, compress, &err) == STATUS_OK);
    ASSERT(block_read(strbuf_str(&out), compress, &arena, &again, &used, &err) == STATUS_OK);
    ASSERT(used == out.size && again.kind == 3 && again.tag == 5);
    ASSERT(str_equal(again.payload, payload));
    strbuf_release(&out);
    arena_release(&arena);
    compress_free(compress);
}

// The bytes as they would be stored, under a header that says so and whose checksum fits.
static void try_stored(struct str stored, enum compress_codec codec)
{
    struct strbuf out;
    char *header;
    uint32_t size = (uint32_t)(stored.size > PLAIN_BYTES ? stored.size : PLAIN_BYTES);
    uint32_t stored_size = (uint32_t)stored.size;
    strbuf_init(&out, (size_t)1 << 30);
    header = strbuf_reserve(&out, BLOCK_HEADER_SIZE + stored.size + 8);
    memset(header, 0, BLOCK_HEADER_SIZE + stored.size + 8);
    memcpy(header, "FZBK\1", 5);
    header[CODEC_AT] = (char)codec;
    memcpy(header + SIZE_AT, &size, 4);
    memcpy(header + STORED_AT, &stored_size, 4);
    memcpy(header + BLOCK_HEADER_SIZE, stored.ptr, stored.size);
    uint64_t sum = hash_bytes(stored.ptr, stored.size, hash_bytes(header, CHECKSUM_AT, 0));
    memcpy(header + CHECKSUM_AT, &sum, 8);
    try_block(str_make(header, (BLOCK_HEADER_SIZE + stored.size + 7) / 8 * 8));
    strbuf_release(&out);
}

static void try_batch(struct str payload)
{
    struct batch *batch;
    struct batch *again;
    struct err err;
    struct strbuf out;
    if (block_take_batch(payload, NULL, &batch, &err) != STATUS_OK) {
        return;
    }
    strbuf_init(&out, (size_t)1 << 30);
    enum status status = block_add_batch(&out, batch, &err);
    ASSERT(status == STATUS_OK);
    status = block_take_batch(strbuf_str(&out), NULL, &again, &err);
    ASSERT(status == STATUS_OK && again->row_count == batch->row_count);
    batch_drop(again);
    batch_drop(batch);
    strbuf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum compress_codec codecs[] = {COMPRESS_NONE, COMPRESS_LZ4_RAW, COMPRESS_ZSTD};
    struct str bytes = {(const char *)data, size};
    try_block(bytes);
    try_batch(bytes);
    if (size > 0) {
        for (int i = 0; i < 3; i++) {
            try_payload(bytes, codecs[i]);
            try_stored(bytes, codecs[i]);
        }
    }
    return 0;
}
