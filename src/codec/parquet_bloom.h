// SPDX-License-Identifier: Apache-2.0
//
// parquet_bloom: split block bloom filters (parquet-format, BloomFilter.md): blocks of 32 bytes, a
// value sets one bit in each of eight words of the block that the upper half of its XXH64 chooses.
// Values are hashed as PLAIN stores them, byte arrays without their length.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytebuf.h"
#include "base/err.h"
#include "base/str.h"

enum { PARQUET_BLOOM_BLOCK = 32, PARQUET_BLOOM_HEADER_MAX = 64 };

uint64_t parquet_bloom_hash(struct str plain);

// The block that the hash belongs to, of a filter of `bytes` bytes (a multiple of 32, not 0).
size_t parquet_bloom_block(size_t bytes, uint64_t hash);
void parquet_bloom_add(char *block, uint64_t hash);
bool parquet_bloom_has(const char *block, uint64_t hash); // false: certainly not

// Bytes, a power of two, of the smallest filter that `values` values fill to the rate of wrong
// answers `fpp` (between 0 and 1), at most `bytes_max`.
size_t parquet_bloom_size(uint64_t values, double fpp, size_t bytes_max);
// Halves the filter, a power of two of blocks, as long as the rate of wrong answers that its bits
// show stays at most `fpp`. Returns the bytes left.
size_t parquet_bloom_fold(char *filter, size_t bytes, double fpp);

// BloomFilterHeader. *bytes: of the filter, *header: of what stands in front of it. UNSUPPORTED for
// an algorithm, hash or compression that is not known.
MUST_USE enum status parquet_bloom_parse(struct str bytes, size_t *filter_bytes, size_t *header,
                                         struct err *err);
void parquet_bloom_put_header(struct bytebuf *out, size_t filter_bytes);
