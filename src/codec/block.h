// SPDX-License-Identifier: Apache-2.0
//
// block: the one format in which our own bytes leave memory: spilled batches, segments of state,
// the outbox, the live tail. A block is relocatable, versioned and checksummed:
//
//      0  u32  "FZBK"
//      4  u8   version (1)
//      5  u8   kind: the caller's
//      6  u8   codec of the payload (compress.h): NONE, LZ4_RAW or ZSTD
//      7  u8   0
//      8  u32  size of the payload, decompressed
//     12  u32  size of the payload, as it stands here
//     16  u64  tag: the caller's
//     24  u64  XXH3 over bytes 0 ... 23 and the payload as it stands here
//     32       payload, then zeros up to a multiple of 8
//
// All numbers are little-endian; the files are for builds of one family (engine.md section 5).
//
// A batch as payload (block_add_batch): row and column counts, which of kinds and row watermarks
// there are, then each column as a tree: physical form, encoding, validity, values, codes and
// dictionary, children. Long strings stand behind their column's views, which hold offsets. What is
// read back is a settled batch.
//
// Reading is safe against any bytes: sizes, offsets, codes and validity are checked, damage is
// INVALID_DATA. Threads: no state.
#pragma once

#include <stdbool.h>

#include "base/str.h"
#include "codec/compress.h"
#include "data/batch.h"

struct arena;
struct budget;
struct strbuf;

enum { BLOCK_HEADER_SIZE = 32, BLOCK_PAYLOAD_MAX = 1 << 30 };

struct block {
    uint8_t kind;
    uint64_t tag;
    struct str payload; // decompressed
};

// Appends a block to `out`. `compress` is used for codecs other than NONE; a payload that does not
// become smaller is stored. LIMIT where it is over BLOCK_PAYLOAD_MAX or `out` is full.
MUST_USE enum status block_write(struct strbuf *out, const struct block *block,
                                 enum compress_codec codec, struct compress *compress,
                                 struct err *err);
// The size of the whole block whose first BLOCK_HEADER_SIZE bytes are given.
MUST_USE enum status block_size(struct str header, uint64_t *size, struct err *err);
// Reads the block at the start of `bytes`; *used says where the next begins. The payload is
// borrowed from `bytes`, or in `arena` where it was compressed.
MUST_USE enum status block_read(struct str bytes, struct compress *compress, struct arena *arena,
                                struct block *out, size_t *used, struct err *err);

// Appends a batch (of any encodings; origin is dropped).
MUST_USE enum status block_add_batch(struct strbuf *out, const struct batch *batch,
                                     struct err *err);
// The batch in a payload: settled, charged to `budget`, dropped with batch_drop().
MUST_USE enum status block_take_batch(struct str payload, struct budget *budget, struct batch **out,
                                      struct err *err);
