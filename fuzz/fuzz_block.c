// SPDX-License-Identifier: Apache-2.0
//
// fuzz_block: blocks and batches out of arbitrary bytes. The bytes are tried as a block, whose
// checksum hardly ever fits, and as the payload of a batch; a batch that is accepted is written
// and read again.
#include "base/arena.h"
#include "base/assert.h"
#include "base/strbuf.h"
#include "codec/block.h"

static void try_block(struct str bytes)
{
    struct arena arena;
    struct block block;
    struct err err;
    size_t used;
    struct compress *compress = compress_new();
    arena_init(&arena);
    if (block_read(bytes, compress, &arena, &block, &used, &err) == STATUS_OK) {
        ASSERT(used <= bytes.size);
    }
    arena_release(&arena);
    compress_free(compress);
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
    try_block(str_make((const char *)data, size));
    try_batch(str_make((const char *)data, size));
    return 0;
}
