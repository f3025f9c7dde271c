// SPDX-License-Identifier: Apache-2.0
#include "iceberg/spec/murmur3.h"

#include <string.h>

static uint32_t rotate(uint32_t x, int bits)
{
    return x << bits | x >> (32 - bits);
}

static uint32_t mix_block(uint32_t block)
{
    return rotate(block * 0xcc9e2d51u, 15) * 0x1b873593u;
}

static uint32_t mix_hash(uint32_t hash, uint32_t block)
{
    return rotate(hash ^ mix_block(block), 13) * 5 + 0xe6546b64u;
}

static uint32_t finish(uint32_t hash, uint32_t size)
{
    hash ^= size;
    hash = (hash ^ hash >> 16) * 0x85ebca6bu;
    hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
    return hash ^ hash >> 16;
}

uint32_t murmur3_bytes(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint32_t hash = 0;
    size_t left = size;
    for (; left >= 4; left -= 4, at += 4) {
        uint32_t block;
        memcpy(&block, at, 4); // little-endian, as all machines that we run on
        hash = mix_hash(hash, block);
    }
    uint32_t tail = 0;
    for (size_t i = left; i-- > 0;) {
        tail = tail << 8 | at[i];
    }
    if (left > 0) {
        hash ^= mix_block(tail);
    }
    return finish(hash, (uint32_t)size);
}

uint32_t murmur3_i64(int64_t value)
{
    uint64_t bits = (uint64_t)value;
    uint32_t hash = mix_hash(0, (uint32_t)bits);
    return finish(mix_hash(hash, (uint32_t)(bits >> 32)), 8);
}
