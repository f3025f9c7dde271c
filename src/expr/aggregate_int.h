// SPDX-License-Identifier: Apache-2.0
//
// aggregate_int: what the loops of aggregates share. Images need no alignment: slots are read and
// written by memcpy, which compilers turn into plain loads and stores.
#pragma once

#include <string.h>

#include "base/bits.h"
#include "data/decimal.h"
#include "expr/aggregate.h"

// The rows of a word that count: active, and with a value where there is an argument.
static inline uint64_t aggregate_counted_word(const struct aggregate_rows *rows,
                                              const struct column *argument, uint32_t word)
{
    uint64_t bits =
        word + 1 == bits_words(rows->row_count) ? bits_tail(rows->row_count) : UINT64_MAX;
    bits &= rows->active == NULL ? UINT64_MAX : rows->active[word];
    return bits & (argument == NULL ? UINT64_MAX : column_valid_word(argument, word));
}

static inline void aggregate_add_i64(char *slot, int64_t value)
{
    uint64_t sum; // unsigned: wraps
    memcpy(&sum, slot, sizeof sum);
    sum += (uint64_t)value;
    memcpy(slot, &sum, sizeof sum);
}

// sum + carry * 2^128
static inline void aggregate_add_i128(char *slot, char *carry_slot, int128 value)
{
    int128 sum;
    memcpy(&sum, slot, sizeof sum);
    if (__builtin_add_overflow(sum, value, &sum)) {
        aggregate_add_i64(carry_slot, value < 0 ? -1 : 1);
    }
    memcpy(slot, &sum, sizeof sum);
}
