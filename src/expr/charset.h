// SPDX-License-Identifier: Apache-2.0
//
// charset: texts (UTF-8) to bytes of a character set and back: UTF-8, US-ASCII, ISO-8859-1, UTF-16,
// UTF-16BE, UTF-16LE, in any case. What a set does not have is written as '?'; what cannot be read
// is U+FFFD. Other names: INVALID_DATA. Results are in `arena` or the input itself.
#pragma once

#include "base/err.h"
#include "base/str.h"

struct arena;

MUST_USE enum status charset_encode(struct arena *arena, struct str text, struct str name,
                                    struct str *out, struct err *err);
MUST_USE enum status charset_decode(struct arena *arena, struct str bytes, struct str name,
                                    struct str *out, struct err *err);
