// SPDX-License-Identifier: Apache-2.0
//
// utf8_int: characters of UTF-8, for loops over strings. A byte that does not belong to a
// well-formed character counts as one.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

static inline bool utf8_is_continuation(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

// The length of the character at `at`, 1 to 4.
static inline size_t utf8_length(struct str text, size_t at)
{
    unsigned char lead = (unsigned char)text.ptr[at];
    if (lead < 0x80) {
        return 1;
    }
    size_t length = lead >= 0xf0 && lead < 0xf5   ? 4
                    : lead >= 0xe0 && lead < 0xf0 ? 3
                    : lead >= 0xc2 && lead < 0xe0 ? 2
                                                  : 1;
    if (at + length > text.size) {
        return 1;
    }
    for (size_t i = 1; i < length; i++) {
        if (!utf8_is_continuation(text.ptr[at + i])) {
            return 1;
        }
    }
    return length;
}

static inline bool utf8_is_ascii(struct str text)
{
    unsigned char all = 0;
    for (size_t i = 0; i < text.size; i++) {
        all |= (unsigned char)text.ptr[i];
    }
    return all < 0x80;
}

static inline int64_t utf8_count(struct str text)
{
    if (utf8_is_ascii(text)) {
        return (int64_t)text.size;
    }
    int64_t count = 0;
    for (size_t at = 0; at < text.size; at += utf8_length(text, at)) {
        count++;
    }
    return count;
}

// Where character `index` (from 0) starts; text.size where there are not so many.
static inline size_t utf8_offset(struct str text, int64_t index)
{
    size_t at = 0;
    for (; index > 0 && at < text.size; index--) {
        at += utf8_length(text, at);
    }
    return at;
}
