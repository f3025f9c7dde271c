// SPDX-License-Identifier: Apache-2.0
//
// parquet_decode: the values of a page in their stored form (parquet-format, Encodings.md).
//
// A decoder is set upon the value bytes of one page and then read from front to back. What it gives
// out is, by physical type: BOOLEAN a byte, INT32, INT64, FLOAT, DOUBLE as they are, INT96 twelve
// bytes, BYTE_ARRAY and FIXED struct strview into the page (or into memory of the page that the
// decoder asked for). Dictionary codes are read by parquet_decode_codes().
//
// Hostile input: all lengths are checked against the bytes that are there; memory asked for is at
// most a multiple of the page's value count or `bytes_max`.
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "codec/parquet_format.h"
#include "codec/parquet_rle.h"

// DELTA_BINARY_PACKED.
struct parquet_delta {
    const uint8_t *at;
    const uint8_t *end;
    uint64_t left; // values not given out
    uint64_t last;
    uint64_t min_delta;
    bool first;        // the value in the header was not given out
    uint32_t minis;    // miniblocks a block
    uint32_t per_mini; // values a miniblock
    uint32_t mini;     // next miniblock of the block
    const uint8_t *widths;
    uint64_t *buffer; // of one miniblock: deltas
    uint32_t buffered;
    uint32_t buffer_at;
};

// Where a decoder gets memory that lives as long as its page.
struct parquet_page_memory {
    char *(*take)(void *owner, size_t size); // NULL: over the limit
    void *owner;
    size_t bytes_max;
};

struct parquet_decoder {
    enum parquet_encoding encoding; // what is left to do: PLAIN, RLE_DICTIONARY, RLE (booleans),
                                    // DELTA_BINARY_PACKED, DELTA_LENGTH_BYTE_ARRAY
    enum parquet_physical physical;
    uint32_t length; // of FIXED
    const uint8_t *at;
    const uint8_t *end;
    uint32_t bit; // PLAIN booleans
    struct parquet_rle rle;
    struct parquet_delta delta;
    const uint32_t *sizes; // DELTA_LENGTH_BYTE_ARRAY: of the values left
    uint32_t sizes_left;
};

// `count`: of the page's values, nulls included: none of the encodings may hold more. UNSUPPORTED
// for an encoding that does not go with the type.
MUST_USE enum status parquet_decode_begin(struct parquet_decoder *decoder,
                                          const struct parquet_element *element, int32_t encoding,
                                          struct str bytes, uint32_t count,
                                          const struct parquet_page_memory *memory,
                                          struct err *err);
// The next `count` values. INVALID_DATA where the page has fewer.
MUST_USE enum status parquet_decode_values(struct parquet_decoder *decoder, void *out,
                                           uint32_t count, struct err *err);
MUST_USE enum status parquet_decode_skip(struct parquet_decoder *decoder, uint32_t count,
                                         struct err *err);

// Whether parquet_decode_pick() can be asked: values stand where they are found without decoding.
bool parquet_decode_can_pick(const struct parquet_decoder *decoder);
// Of the next `count` values, which are passed, those at `places` (ascending, below `count`).
MUST_USE enum status parquet_decode_pick(struct parquet_decoder *decoder, const uint16_t *places,
                                         uint32_t place_count, void *out, uint32_t count,
                                         struct err *err);

static inline bool parquet_decode_has_codes(const struct parquet_decoder *decoder)
{
    return decoder->encoding == PARQUET_RLE_DICTIONARY;
}

// Codes, all below `entries`.
MUST_USE enum status parquet_decode_codes16(struct parquet_decoder *decoder, uint16_t *out,
                                            uint32_t count, uint32_t entries, struct err *err);
MUST_USE enum status parquet_decode_codes32(struct parquet_decoder *decoder, uint32_t *out,
                                            uint32_t count, uint32_t entries, struct err *err);
// The codes at `places`, as parquet_decode_pick().
MUST_USE enum status parquet_decode_pick_codes(struct parquet_decoder *decoder,
                                               const uint16_t *places, uint32_t place_count,
                                               uint32_t *out, uint32_t count, uint32_t entries,
                                               struct err *err);

// Bytes of a value in stored form.
uint32_t parquet_decode_width(enum parquet_physical physical);
