// SPDX-License-Identifier: Apache-2.0
//
// base64_text: bytes out of base64 (RFC 4648, section 4), for the text formats. Padding may be left
// out; anything else that is not of the alphabet is refused.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

// The most bytes that a text of `size` characters holds.
static inline size_t base64_text_bound(size_t size)
{
    return size / 4 * 3 + 3;
}

// Fills `out`; false where the text is not base64.
bool base64_text_decode(struct str text, char *out, size_t *size);
