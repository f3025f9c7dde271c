// SPDX-License-Identifier: Apache-2.0
//
// parquet_dictionary: the dictionary of a column chunk while it is written: values to codes in the
// order of their first appearance. The entries are kept as the dictionary page will hold them
// (PLAIN). Values are equal when their bytes are, so NaNs of one pattern are one entry, and -0.0
// and 0.0 are two.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bytebuf.h"
#include "data/physical.h"

// All that a look-up needs but the bytes of an entry, in one line of the cache.
struct parquet_dictionary_slot {
    uint32_t hash; // its lower bits are the slot's number, or that of one before it
    uint32_t next; // code + 1; 0: free
    uint64_t
        key; // 4 and 8 bytes: the value; others: where the bytes stand in `plain`, and how many
};

enum { PARQUET_DICTIONARY_ENDS = 16 };

struct parquet_dictionary {
    uint32_t width; // bytes of a value: 4, 8, others fixed; 0: byte arrays
    uint32_t count;
    uint32_t mask;
    struct parquet_dictionary_slot *slots;
    // Numbers in a narrow range: code + 1 by value - base, in place of the slots.
    uint16_t *direct;
    uint64_t base;
    uint32_t span;
    struct bytebuf plain;  // the entries
    struct bytebuf starts; // byte arrays: uint32 offsets of the entries' bytes in `plain`
    // Of bytes: the codes of the least and of the greatest entries, outermost first.
    uint32_t least[PARQUET_DICTIONARY_ENDS];
    uint32_t greatest[PARQUET_DICTIONARY_ENDS];
};

void parquet_dictionary_init(struct parquet_dictionary *dictionary, uint32_t width);
void parquet_dictionary_release(struct parquet_dictionary *dictionary);
size_t parquet_dictionary_memory(const struct parquet_dictionary *dictionary);

// Codes of `count` values, new ones added.
void parquet_dictionary_codes32(struct parquet_dictionary *dictionary, const uint32_t *values,
                                uint32_t count, uint32_t *codes);
void parquet_dictionary_codes64(struct parquet_dictionary *dictionary, const uint64_t *values,
                                uint32_t count, uint32_t *codes);
void parquet_dictionary_views(struct parquet_dictionary *dictionary, const struct strview *values,
                              uint32_t count, uint32_t *codes);
uint32_t parquet_dictionary_code(struct parquet_dictionary *dictionary,
                                 const struct strview *value);

// The bytes of an entry, without a length in front. Borrowed until the next new value.
static inline struct str parquet_dictionary_entry(const struct parquet_dictionary *dictionary,
                                                  uint32_t code)
{
    if (dictionary->width > 0) {
        return str_make(dictionary->plain.ptr + (size_t)code * dictionary->width,
                        dictionary->width);
    }
    uint32_t start = ((const uint32_t *)(const void *)dictionary->starts.ptr)[code];
    uint32_t size;
    memcpy(&size, dictionary->plain.ptr + start - 4, 4);
    return str_make(dictionary->plain.ptr + start, size);
}

// The least and the greatest by bytes of the entries whose byte in used[count] is not 0, of which
// there is one at least. Borrowed like an entry.
void parquet_dictionary_bounds(const struct parquet_dictionary *dictionary, const uint8_t *used,
                               struct str *lower, struct str *upper);

// Adds entries in their PLAIN form to an empty or restored dictionary; false where the bytes are
// not `count` entries.
bool parquet_dictionary_restore(struct parquet_dictionary *dictionary, struct str plain,
                                uint32_t count);
