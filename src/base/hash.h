// SPDX-License-Identifier: Apache-2.0
//
// hash: XXH3, the hash of keys in state and exchanges. Not for data that leaves the process:
// formats name their own (Murmur3 in Iceberg, XXH64 in Parquet's bloom filters).
#pragma once

#include <stddef.h>
#include <stdint.h>

uint64_t hash_bytes(const void *bytes, size_t size, uint64_t seed);

// One 8-byte word, without a call: a multiply-xorshift finisher (Stafford's mix 13).
static inline uint64_t hash_word(uint64_t word)
{
    word ^= word >> 30;
    word *= UINT64_C(0xbf58476d1ce4e5b9);
    word ^= word >> 27;
    word *= UINT64_C(0x94d049bb133111eb);
    return word ^ (word >> 31);
}

static inline uint64_t hash_combine(uint64_t a, uint64_t b)
{
    return hash_word(a + UINT64_C(0x9e3779b97f4a7c15) + (b << 6) + (b >> 2) + b);
}
