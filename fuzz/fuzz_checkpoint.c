// SPDX-License-Identifier: Apache-2.0
//
// fuzz_checkpoint: manifests of checkpoints out of arbitrary bytes: as they are, and as the payload
// of a block whose checksum fits. What is accepted is written and read again, equal in its counts.
#include "base/arena.h"
#include "base/assert.h"
#include "base/strbuf.h"
#include "codec/block.h"
#include "engine/checkpoint/checkpoint.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CHECKPOINT_KIND = 64 }; // as checkpoint.c writes

static void try_manifest(struct str bytes)
{
    struct arena arena = {0};
    struct checkpoint checkpoint;
    struct checkpoint again;
    struct err err;
    struct strbuf out;
    if (checkpoint_decode(bytes, &arena, &checkpoint, &err) == STATUS_OK) {
        strbuf_init(&out, (size_t)1 << 30);
        enum status status = checkpoint_encode(&checkpoint, &out, &err);
        ASSERT(status == STATUS_OK);
        status = checkpoint_decode(strbuf_str(&out), &arena, &again, &err);
        ASSERT(status == STATUS_OK && again.entry_count == checkpoint.entry_count &&
               again.segment_count == checkpoint.segment_count &&
               again.operator_count == checkpoint.operator_count);
        strbuf_release(&out);
    }
    arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str bytes = {(const char *)data, size};
    struct block block = {.kind = CHECKPOINT_KIND, .payload = bytes};
    struct strbuf wrapped;
    try_manifest(bytes);
    strbuf_init(&wrapped, (size_t)1 << 30);
    if (block_write(&wrapped, &block, COMPRESS_NONE, NULL, NULL) == STATUS_OK) {
        try_manifest(strbuf_str(&wrapped));
    }
    strbuf_release(&wrapped);
    return 0;
}
