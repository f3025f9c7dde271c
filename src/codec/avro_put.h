// SPDX-License-Identifier: Apache-2.0
//
// avro_put: Avro's numbers and bytes at the end of a text, for whoever encodes.
#pragma once

#include <stdint.h>
#include <string.h>

#include "base/strbuf.h"

enum { AVRO_PUT_LONG_MAX = 10 };

// INT, LONG, counts, branches; up to AVRO_PUT_LONG_MAX bytes at `out`. Returns how many.
static inline size_t avro_put_long_at(char *out, int64_t value)
{
    uint64_t zigzag = (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
    size_t size = 0;
    while (zigzag >= 0x80) {
        out[size++] = (char)(zigzag | 0x80);
        zigzag >>= 7;
    }
    out[size++] = (char)zigzag;
    return size;
}

static inline void avro_put_long(struct strbuf *out, int64_t value)
{
    char bytes[AVRO_PUT_LONG_MAX];
    strbuf_add(out, str_make(bytes, avro_put_long_at(bytes, value)));
}

static inline void avro_put_float(struct strbuf *out, float value)
{
    strbuf_add(out, str_make((const char *)&value, sizeof value));
}

static inline void avro_put_double(struct strbuf *out, double value)
{
    strbuf_add(out, str_make((const char *)&value, sizeof value));
}

// BYTES, STRING.
static inline void avro_put_bytes(struct strbuf *out, struct str bytes)
{
    avro_put_long(out, (int64_t)bytes.size);
    strbuf_add(out, bytes);
}
