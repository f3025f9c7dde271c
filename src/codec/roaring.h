// SPDX-License-Identifier: Apache-2.0
//
// roaring: sets of unsigned 64-bit integers as Roaring bitmaps, and their portable format of 32 and
// 64 bits.
//
//     struct roaring set = {0};
//     roaring_add(&set, 7);
//     roaring_optimize(&set);              // runs where they are shorter, as Java's writers do
//     roaring_write(&set, &bytes);
//     roaring_release(&set);
//
// A set is cut by the upper 48 bits of its values into containers of up to 65,536, which are held
// as in the file: an array of up to 4,096 values, a bitmap, or runs.
//
//     64 bits:  count u64 | count x (upper 32 bits u32 | 32 bits)         both ascending, all
//     32 bits:  cookie | runs? | keys, sizes | offsets? | containers      words little endian
//
// What was read is written again byte for byte. Values in any order may be added; ascending ones
// fastest.
//
// Hostile input: memory is in proportion to the bytes read; keys and values out of order, wrong
// counts and offsets are INVALID_DATA. Threads: a set that nobody changes may be read by many.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct bytebuf;
struct roaring_container;

// Zeroed: empty.
struct roaring {
    struct roaring_container *containers; // ascending by key
    uint32_t count;
    uint32_t capacity;
    uint32_t last; // the container used last by roaring_add()
};

void roaring_release(struct roaring *set);

void roaring_add(struct roaring *set, uint64_t value);
bool roaring_contains(const struct roaring *set, uint64_t value);
uint64_t roaring_cardinality(const struct roaring *set);
size_t roaring_bytes(const struct roaring *set); // memory held
// The greatest value; the set is not empty.
uint64_t roaring_last(const struct roaring *set);
// Sets bit i of `mask` for each value from + i in the set, i < count; other bits stay as they are.
// Returns whether there was one.
bool roaring_mask(const struct roaring *set, uint64_t from, uint32_t count, uint64_t *mask);
// The first value of 65,536 from a multiple of that on, at or behind that of `from`, among which
// there are some; false: there are none left.
bool roaring_block(const struct roaring *set, uint64_t from, uint64_t *first);
// Each container becomes runs where that takes fewer bytes.
void roaring_optimize(struct roaring *set);

// A 64-bit set from the start of *bytes, which is advanced behind it. `out` is empty at first, and
// to be released also after an error.
MUST_USE enum status roaring_read(struct str *bytes, struct roaring *out, struct err *err);
MUST_USE enum status roaring_read32(struct str *bytes, struct roaring *out, struct err *err);
void roaring_write(const struct roaring *set, struct bytebuf *out);
// A set of values below 2^32.
void roaring_write32(const struct roaring *set, struct bytebuf *out);
