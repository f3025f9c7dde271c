// SPDX-License-Identifier: Apache-2.0
//
// roaring_int: containers, for roaring.c (the set) and roaring_format.c (its bytes).
#pragma once

#include "codec/roaring.h"

enum {
    ROARING_VALUES = 1 << 16, // of a container
    ROARING_WORDS = ROARING_VALUES / 64,
    ROARING_BITMAP_BYTES = ROARING_VALUES / 8,
    ROARING_ARRAY_MAX = 4096, // values of an array
};

enum roaring_kind { ROARING_ARRAY, ROARING_BITMAP, ROARING_RUN };

struct roaring_container {
    uint64_t key; // the upper 48 bits of its values
    uint32_t cardinality;
    enum roaring_kind kind;
    uint32_t count;    // values of an array, pairs (first, further) of runs
    uint32_t capacity; // of `values`
    union {
        uint16_t *values;
        uint64_t *words;
        void *data;
    };
};

// A new container, an empty array, at `at`.
struct roaring_container *roaring_insert(struct roaring *set, uint32_t at, uint64_t key);

// Its size in a file.
static inline uint32_t roaring_stored_bytes(const struct roaring_container *container)
{
    return container->kind == ROARING_BITMAP  ? ROARING_BITMAP_BYTES
           : container->kind == ROARING_ARRAY ? 2 * container->count
                                              : 2 + 4 * container->count;
}
