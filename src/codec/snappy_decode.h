// SPDX-License-Identifier: Apache-2.0
//
// snappy_decode: Snappy's raw format (google/snappy, format_description.txt), decompressed as far
// as is asked for and no further.
//
//     struct snappy_decode decode;
//     if (!snappy_decode_begin(&decode, block, out, out_size)) { damaged }
//     if (!snappy_decode_until(&decode, 4096)) { damaged }   // out[0, 4096) is there, and
//                                                            // out[0, decode.done)
//
// Columns of numbers become a copy of a few bytes and a literal of one or two each value: per
// element there is one load of its tag and one copy of 16 bytes, which may write behind the element
// though never behind `out_size`.
//
// Input is hostile: nothing is read behind it or written behind the output, and what does not make
// sense is false. What stands behind `done` in the input has not been looked at.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/str.h"

struct snappy_decode {
    const uint8_t *at; // the next element
    const uint8_t *end;
    uint8_t *out;
    size_t size; // that the block says it holds
    size_t done; // bytes of `out` that are there
};

// False where the block does not say how long it is, or more than `out_size`.
MUST_USE bool snappy_decode_begin(struct snappy_decode *decode, struct str block, char *out,
                                  size_t out_size);
// Makes at least `wanted` bytes of the output, all where that is more. All of it must be all of the
// input.
MUST_USE bool snappy_decode_until(struct snappy_decode *decode, size_t wanted);
