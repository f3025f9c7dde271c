// SPDX-License-Identifier: Apache-2.0
//
// parquet_rle: the hybrid of run lengths and bit packing in which Parquet keeps levels, dictionary
// codes and booleans (parquet-format, Encodings.md, "RLE / bit-packing hybrid", encoding 3), and
// the bit packing below it, which the delta encodings use as well.
//
// No length stands in front here: v1 levels add it, codes have a byte of bit width.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bytebuf.h"
#include "base/str.h"

// The bits that `value` needs; 0 for 0.
static inline uint32_t parquet_rle_width(uint32_t value)
{
    return value == 0 ? 0 : 32 - (uint32_t)__builtin_clz(value);
}

// Values must fit `width` (1 to 32; 0 writes nothing but a run).
void parquet_rle_encode_u32(struct bytebuf *out, const uint32_t *values, uint32_t count,
                            uint32_t width);
void parquet_rle_encode_u8(struct bytebuf *out, const uint8_t *values, uint32_t count,
                           uint32_t width);
// Width 1, from a mask of bits (base/bits.h).
void parquet_rle_encode_bits(struct bytebuf *out, const uint64_t *bits, uint32_t count);

struct parquet_rle {
    const uint8_t *at;
    const uint8_t *end;
    uint32_t width;
    uint32_t run;          // values left of a run
    uint32_t value;        // of the run
    uint32_t literals;     // packed values left
    const uint8_t *packed; // start of the literal run
    uint32_t packed_at;    // next value of it
};

void parquet_rle_init(struct parquet_rle *rle, struct str bytes, uint32_t width);
// Exactly `count` values; false where the bytes end before. Values have at most `width` bits and
// are not checked otherwise.
bool parquet_rle_decode_u8(struct parquet_rle *rle, uint8_t *out, uint32_t count);
bool parquet_rle_decode_u16(struct parquet_rle *rle, uint16_t *out, uint32_t count);
bool parquet_rle_decode_u32(struct parquet_rle *rle, uint32_t *out, uint32_t count);
// Width 1 into bits [0, count) of `out`; *ones: how many are set.
bool parquet_rle_decode_bits(struct parquet_rle *rle, uint64_t *out, uint32_t count,
                             uint32_t *ones);
bool parquet_rle_skip(struct parquet_rle *rle, uint32_t count);
// Of the next `count` values, which are passed, those at `places` (ascending, below `count`).
bool parquet_rle_pick(struct parquet_rle *rle, const uint16_t *places, uint32_t place_count,
                      uint32_t *out, uint32_t count);

// `count` values of `width` bits (0 to 64) from bit `from` of `in`, which has `size` bytes; the
// caller has checked that they are there.
void parquet_rle_unpack_u32(const uint8_t *in, size_t size, uint32_t width, uint32_t *out,
                            uint32_t count);
void parquet_rle_unpack_u64(const uint8_t *in, size_t size, uint32_t width, uint64_t *out,
                            uint32_t count);
// `count` values, a multiple of 8, of `width` bits (0 to 64).
void parquet_rle_pack_u64(struct bytebuf *out, const uint64_t *values, uint32_t count,
                          uint32_t width);
