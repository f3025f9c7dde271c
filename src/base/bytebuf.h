// SPDX-License-Identifier: Apache-2.0
//
// bytebuf: bytes under construction, for encoders: grows by doubling, keeps its memory when it is
// cleared, and lets loops write without a check a value (reserve, write, commit). Unlike strbuf it
// has no maximum: encoders bound what they put in. A zeroed bytebuf is empty.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "base/mem.h"
#include "base/str.h"

struct bytebuf {
    char *ptr;
    size_t size;
    size_t capacity;
};

static inline void bytebuf_grow(struct bytebuf *buf, size_t extra)
{
    size_t need = buf->size + extra;
    size_t doubled = buf->capacity + buf->capacity / 2;
    buf->capacity = need > doubled ? need : doubled;
    buf->capacity = (buf->capacity + 64) & ~(size_t)63; // never 0
    buf->ptr = mem_realloc(buf->ptr, buf->capacity);
}

// Room for `extra` bytes, whose start is returned.
static inline char *bytebuf_reserve(struct bytebuf *buf, size_t extra)
{
    if (extra > buf->capacity - buf->size || buf->ptr == NULL) {
        bytebuf_grow(buf, extra);
    }
    return buf->ptr + buf->size;
}

static inline void bytebuf_add(struct bytebuf *buf, const void *bytes, size_t size)
{
    if (size > 0) {
        memcpy(bytebuf_reserve(buf, size), bytes, size);
        buf->size += size;
    }
}

static inline void bytebuf_add_byte(struct bytebuf *buf, uint8_t byte)
{
    *bytebuf_reserve(buf, 1) = (char)byte;
    buf->size++;
}

static inline void bytebuf_add_u32(struct bytebuf *buf, uint32_t value)
{
    bytebuf_add(buf, &value, 4);
}

static inline void bytebuf_add_u64(struct bytebuf *buf, uint64_t value)
{
    bytebuf_add(buf, &value, 8);
}

// ULEB128: seven bits a byte, lowest first.
static inline void bytebuf_add_varint(struct bytebuf *buf, uint64_t value)
{
    char *out = bytebuf_reserve(buf, 10);
    uint32_t size = 0;
    while (value >= 0x80) {
        out[size++] = (char)(uint8_t)(value | 0x80);
        value >>= 7;
    }
    out[size++] = (char)(uint8_t)value;
    buf->size += size;
}

static inline void bytebuf_release(struct bytebuf *buf)
{
    mem_free(buf->ptr);
    *buf = (struct bytebuf){0};
}

static inline struct str bytebuf_str(const struct bytebuf *buf)
{
    return (struct str){buf->ptr, buf->size}; // until the next change
}
// `size` bytes of it; of no bytes the place does not matter.
static inline struct str bytebuf_part(const struct bytebuf *buf, size_t at, size_t size)
{
    return str_make(size > 0 ? buf->ptr + at : "", size);
}
