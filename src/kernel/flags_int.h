// SPDX-License-Identifier: Apache-2.0
//
// flags_int: a byte a row to a bit a row. Loops that fill bytes vectorise; this packs them.
#pragma once

#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

// Bit i of the result is flags[i]; each flag is 0 or 1. The multiplication moves byte i of a word
// to bit 56 + i.
ALWAYS_INLINE uint64_t flags_pack(const uint8_t flags[64])
{
    uint64_t bits = 0;
    for (uint32_t eight = 0; eight < 8; eight++) {
        uint64_t word;
        memcpy(&word, flags + eight * 8, sizeof word);
        bits |= (word * UINT64_C(0x0102040810204080) >> 56) << (eight * 8);
    }
    return bits;
}
