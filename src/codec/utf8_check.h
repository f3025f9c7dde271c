// SPDX-License-Identifier: Apache-2.0
//
// utf8_check: whether bytes are well-formed UTF-8 (Unicode, table 3-7: no overlong forms, no
// surrogates, nothing above U+10FFFF). ASCII is passed over 16 bytes at a time.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// The offset of the first byte that does not belong; `size` where all is well. Never reads beyond.
size_t utf8_check_find(const char *bytes, size_t size);
static inline bool utf8_check(const char *bytes, size_t size)
{
    return utf8_check_find(bytes, size) == size;
}
