// SPDX-License-Identifier: Apache-2.0
#include "codec/utf8_check.h"

#include <stdint.h>
#include <string.h>

// The length of the well-formed sequence at `at`, whose first byte is not ASCII; 0: there is none.
static inline size_t utf8_sequence(const unsigned char *at, size_t left)
{
    unsigned char lead = at[0];
    if (lead < 0xe0) {
        return lead >= 0xc2 && left >= 2 && (at[1] & 0xc0) == 0x80 ? 2 : 0;
    }
    if (lead < 0xf0) {
        if (left < 3 || (at[1] & 0xc0) != 0x80 || (at[2] & 0xc0) != 0x80) {
            return 0;
        }
        uint32_t code = (uint32_t)(lead & 0xf) << 12 | (uint32_t)(at[1] & 0x3f) << 6;
        return code >= 0x800 && (code & 0xf800) != 0xd800 ? 3 : 0;
    }
    if (lead > 0xf4 || left < 4 || (at[1] & 0xc0) != 0x80 || (at[2] & 0xc0) != 0x80 ||
        (at[3] & 0xc0) != 0x80) {
        return 0;
    }
    uint32_t code = (uint32_t)(lead & 7) << 18 | (uint32_t)(at[1] & 0x3f) << 12;
    return code >= 0x10000 && code < 0x110000 ? 4 : 0;
}

size_t utf8_check_find(const char *bytes, size_t size)
{
    const unsigned char *at = (const unsigned char *)bytes;
    size_t i = 0;
    while (i < size) {
        if (at[i] >= 0x80) {
            size_t length = utf8_sequence(at + i, size - i);
            if (length == 0) {
                return i;
            }
            i += length;
            continue;
        }
        if (size - i >= 16) {
            uint64_t words[2];
            memcpy(words, at + i, 16);
            if (((words[0] | words[1]) & UINT64_C(0x8080808080808080)) == 0) {
                i += 16;
                continue;
            }
        }
        i++;
    }
    return size;
}
