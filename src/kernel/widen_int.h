// SPDX-License-Identifier: Apache-2.0
//
// widen_int: integers of any width as 128 bits, block by block, for loops on decimals.
#pragma once

#include "data/physical.h"

enum { WIDEN_BLOCK_ROWS = 256 };

// `from`: the first row, 0 for a constant, which then is repeated.
static inline void widen_values(enum physical physical, const void *values, bool is_const,
                                uint32_t from, uint32_t count, int128 *out)
{
    const uint32_t step = is_const ? 0 : 1;
    const uint32_t start = is_const ? 0 : from;
#define WIDEN(type)                                                                                \
    for (uint32_t i = 0; i < count; i++) {                                                         \
        out[i] = ((const type *)values)[start + i * step];                                         \
    }                                                                                              \
    return
    switch (physical_width(physical)) {
    case 1: WIDEN(int8_t);
    case 2: WIDEN(int16_t);
    case 4: WIDEN(int32_t);
    case 8: WIDEN(int64_t);
    default: WIDEN(int128);
    }
#undef WIDEN
}

static inline void widen_store(enum physical physical, void *out, uint32_t row, int128 value)
{
    if (physical == PHYSICAL_I64) {
        ((int64_t *)out)[row] = (int64_t)value;
    } else {
        ((int128 *)out)[row] = value;
    }
}
