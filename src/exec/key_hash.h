// SPDX-License-Identifier: Apache-2.0
//
// key_hash: hashes of keys that begin with another key. State is split over instances by the top 12
// bits of a hash, the key group; what belongs to a key (values of COUNT DISTINCT, rows of a join)
// must be where the key is, so it takes the key's top bits and its own bits below.
#pragma once

#include <stdint.h>

enum { KEY_HASH_GROUP_SHIFT = 52 };

static inline uint64_t key_hash_under(uint64_t key_hash, uint64_t hash)
{
    uint64_t group = key_hash >> KEY_HASH_GROUP_SHIFT << KEY_HASH_GROUP_SHIFT;
    return group | hash >> (64 - KEY_HASH_GROUP_SHIFT);
}

// hashes[i] becomes a hash under key_hashes[i].
static inline void key_hash_join(const uint64_t *key_hashes, uint64_t *hashes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        hashes[i] = key_hash_under(key_hashes[i], hashes[i]);
    }
}
