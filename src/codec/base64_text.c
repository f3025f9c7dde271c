// SPDX-License-Identifier: Apache-2.0
#include "codec/base64_text.h"

#include <stdint.h>

static int base64_digit(char byte)
{
    if (byte >= 'A' && byte <= 'Z') {
        return byte - 'A';
    }
    if (byte >= 'a' && byte <= 'z') {
        return byte - 'a' + 26;
    }
    if (byte >= '0' && byte <= '9') {
        return byte - '0' + 52;
    }
    return byte == '+' ? 62 : byte == '/' ? 63 : -1;
}

bool base64_text_decode(struct str text, char *out, size_t *size)
{
    size_t count = text.size;
    if (count % 4 == 0) {
        for (int i = 0; i < 2 && count > 0 && text.ptr[count - 1] == '='; i++) {
            count--;
        }
    }
    if (count % 4 == 1) {
        return false;
    }
    size_t written = 0;
    uint32_t bits = 0;
    uint32_t held = 0;
    for (size_t i = 0; i < count; i++) {
        int digit = base64_digit(text.ptr[i]);
        if (digit < 0) {
            return false;
        }
        bits = bits << 6 | (uint32_t)digit;
        held += 6;
        if (held >= 8) {
            held -= 8;
            out[written++] = (char)(bits >> held);
        }
    }
    *size = written;
    return (bits & ((1U << held) - 1)) == 0;
}
