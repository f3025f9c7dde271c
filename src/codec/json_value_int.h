// SPDX-License-Identifier: Apache-2.0
//
// json_value_int: what json_value.c and json_value_slow.c share; for them only.
#pragma once

#include "base/bits.h"
#include "codec/json_int.h"

// The value at `at` by the long way. Returns the place behind, NULL on failure.
const char *json_value_slow(struct json_decoder *decoder, struct json_node *node, uint32_t slot,
                            const char *at);
// A text that says a value, as a string in quotes would: false where it does not. For csv_decode.c.
bool json_value_text(struct json_decoder *decoder, struct json_node *node, uint32_t slot,
                     struct str text);
// The short ways alone, for csv_decode.c; what they cannot be sure of they leave: NULL, false, and
// the slot as it was. Numbers and booleans that begin at `at`, with DIGITS_SLACK bytes readable;
// returns the place behind.
const char *json_value_quick(struct json_node *node, uint32_t slot, const char *at);
// Dates, timestamps and strings. The text is UTF-8; 16 bytes behind it are readable.
bool json_value_quick_text(struct json_decoder *decoder, struct json_node *node, uint32_t slot,
                           struct str text);
// Entries [offset, …) of a MAP's children: of equal keys only the last is kept.
void json_value_unique_keys(struct json_decoder *decoder, struct json_node *map, uint32_t offset);

// A view of `text`, behind which 16 bytes must be readable.
ALWAYS_INLINE void json_value_put_string(struct json_decoder *decoder, struct json_node *node,
                                         uint32_t slot, struct str text)
{
    char *out = node->values + (size_t)slot * sizeof(struct strview);
#ifdef __SSE4_1__
    static const uint8_t ones[32] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    if (text.size <= STRVIEW_INLINE_MAX) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)text.ptr);
        __m128i mask = _mm_loadu_si128((const __m128i *)(const void *)(ones + 16 - text.size));
        __m128i view = _mm_slli_si128(_mm_and_si128(bytes, mask), 4);
        view = _mm_insert_epi32(view, (int)text.size, 0);
        _mm_storeu_si128((__m128i *)(void *)out, view);
        bits_set(node->valid, slot);
        return;
    }
#endif
    struct strview view = strview_make(text.ptr, text.size);
    memcpy(out, &view, sizeof view);
    bits_set(node->valid, slot);
    decoder->bytes += text.size > STRVIEW_INLINE_MAX ? text.size : 0;
}
