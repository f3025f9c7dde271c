// SPDX-License-Identifier: Apache-2.0
//
// digits: runs of ASCII digits, eight at a time, for the decoders of text formats (x86-64 and other
// little-endian machines; big-endian ones are not supported anywhere in this program).
//
// All functions may read DIGITS_SLACK bytes behind the run of digits they are given: decoders keep
// that much readable behind their input.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

enum { DIGITS_SLACK = 24 };

static const uint64_t digits_power10[20] = {
    UINT64_C(1),
    UINT64_C(10),
    UINT64_C(100),
    UINT64_C(1000),
    UINT64_C(10000),
    UINT64_C(100000),
    UINT64_C(1000000),
    UINT64_C(10000000),
    UINT64_C(100000000),
    UINT64_C(1000000000),
    UINT64_C(10000000000),
    UINT64_C(100000000000),
    UINT64_C(1000000000000),
    UINT64_C(10000000000000),
    UINT64_C(100000000000000),
    UINT64_C(1000000000000000),
    UINT64_C(10000000000000000),
    UINT64_C(100000000000000000),
    UINT64_C(1000000000000000000),
    UINT64_C(10000000000000000000),
};

// The digits at the start of the eight bytes at `at`: how many (0 to 8), and their value.
ALWAYS_INLINE uint32_t digits_eight(const char *at, uint64_t *value)
{
    uint64_t word;
    memcpy(&word, at, 8);
    word ^= UINT64_C(0x3030303030303030); // digits become 0 … 9
    // Bit 7 of each byte that is more than 9. A carry can only spoil bytes behind the first such.
    uint64_t other = ((word + UINT64_C(0x7676767676767676)) | word) & UINT64_C(0x8080808080808080);
    if (other == 0) {
        word = word * 10 + (word >> 8);
        *value = (((word & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064)) +
                  (((word >> 16) & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001))) >>
                 32;
        return 8;
    }
    uint32_t count = (uint32_t)__builtin_ctzll(other) >> 3;
    if (count == 0) {
        *value = 0;
        return 0;
    }
    word <<= 64 - 8 * count; // zeros in front
    word = word * 10 + (word >> 8);
    *value = (((word & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064)) +
              (((word >> 16) & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001))) >>
             32;
    return count;
}

// The run of digits at `at`, up to 24 of them looked at: returns how many there are. *value is
// right for up to 19 digits.
ALWAYS_INLINE uint32_t digits_run(const char *at, uint64_t *value)
{
    uint64_t high;
    uint32_t count = digits_eight(at, &high);
    if (count == 8) {
        uint64_t low;
        uint32_t more = digits_eight(at + 8, &low);
        high = high * digits_power10[more] + low;
        count += more;
        if (more == 8) {
            more = digits_eight(at + 16, &low);
            high = high * digits_power10[more] + low;
            count += more;
        }
    }
    *value = high;
    return count;
}
