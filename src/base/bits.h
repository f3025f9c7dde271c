// SPDX-License-Identifier: Apache-2.0
//
// bits: masks of one bit a row, in words of 64. Bits behind the last row are 0 (invariant of every
// mask that leaves a function).
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t bits_words(uint32_t count)
{
    return (count + 63) / 64;
}

static inline bool bits_get(const uint64_t *words, uint32_t at)
{
    return (words[at / 64] >> (at % 64) & 1) != 0;
}

static inline void bits_set(uint64_t *words, uint32_t at)
{
    words[at / 64] |= UINT64_C(1) << (at % 64);
}

static inline void bits_clear(uint64_t *words, uint32_t at)
{
    words[at / 64] &= ~(UINT64_C(1) << (at % 64));
}

// The mask of the last word's rows.
static inline uint64_t bits_tail(uint32_t count)
{
    return count % 64 == 0 ? UINT64_MAX : (UINT64_C(1) << (count % 64)) - 1;
}

// Sets bits [0, count), clears the rest of the last word.
static inline void bits_fill(uint64_t *words, uint32_t count)
{
    if (count > 0) {
        memset(words, 0xff, bits_words(count) * sizeof *words);
        words[bits_words(count) - 1] = bits_tail(count);
    }
}

static inline uint32_t bits_count(const uint64_t *words, uint32_t count)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < bits_words(count); i++) {
        set += (uint32_t)__builtin_popcountll(words[i]);
    }
    return set;
}

static inline bool bits_any(const uint64_t *words, uint32_t count)
{
    for (uint32_t i = 0; i < bits_words(count); i++) {
        if (words[i] != 0) {
            return true;
        }
    }
    return false;
}

// Bits [from, from + count) of `in` to bits [0, count) of `out`.
static inline void bits_slice(const uint64_t *in, uint32_t from, uint32_t count, uint64_t *out)
{
    uint32_t shift = from % 64;
    uint32_t words = bits_words(count);
    const uint64_t *at = in + from / 64;
    uint32_t available = bits_words(shift + count);
    for (uint32_t i = 0; i < words; i++) {
        uint64_t low = at[i] >> shift;
        uint64_t high = shift != 0 && i + 1 < available ? at[i + 1] << (64 - shift) : 0;
        out[i] = low | high;
    }
    if (words > 0) {
        out[words - 1] &= bits_tail(count);
    }
}

// The rows of a mask, ascending, as positions; returns how many. `out` has room for all rows.
static inline uint32_t bits_positions(const uint64_t *words, uint32_t count, uint16_t *out)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < bits_words(count); i++) {
        for (uint64_t word = words[i]; word != 0; word &= word - 1) {
            out[found++] = (uint16_t)(i * 64 + (uint32_t)__builtin_ctzll(word));
        }
    }
    return found;
}
