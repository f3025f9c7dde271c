// SPDX-License-Identifier: Apache-2.0
#include "base/strbuf.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

void strbuf_init(struct strbuf *buf, size_t size_max)
{
    *buf = (struct strbuf){.size_max = size_max, .capacity = 64};
    buf->ptr = mem_alloc(buf->capacity);
    buf->ptr[0] = '\0';
}

void strbuf_release(struct strbuf *buf)
{
    mem_free(buf->ptr);
    *buf = (struct strbuf){0};
}

void strbuf_reset(struct strbuf *buf)
{
    buf->size = 0;
    buf->truncated = false;
    buf->ptr[0] = '\0';
}

char *strbuf_reserve(struct strbuf *buf, size_t size)
{
    if (size > buf->size_max - buf->size) {
        buf->truncated = true;
        return NULL;
    }
    if (buf->size + size + 1 > buf->capacity) {
        size_t capacity = buf->capacity * 2;
        buf->capacity = capacity > buf->size + size + 1 ? capacity : buf->size + size + 1;
        buf->ptr = mem_realloc(buf->ptr, buf->capacity);
    }
    return buf->ptr + buf->size;
}

void strbuf_commit(struct strbuf *buf, size_t size)
{
    buf->size += size;
    buf->ptr[buf->size] = '\0';
}

void strbuf_add(struct strbuf *buf, struct str text)
{
    size_t room = buf->size_max - buf->size;
    size_t size = text.size < room ? text.size : room;
    buf->truncated = buf->truncated || size < text.size;
    char *at = strbuf_reserve(buf, size);
    if (at != NULL && size > 0) {
        memcpy(at, text.ptr, size);
        strbuf_commit(buf, size);
    }
}

void strbuf_add_text(struct strbuf *buf, const char *text)
{
    strbuf_add(buf, str_from(text));
}

void strbuf_add_byte(struct strbuf *buf, char byte)
{
    strbuf_add(buf, (struct str){&byte, 1});
}

void strbuf_vprintf(struct strbuf *buf, const char *format, va_list args)
{
    char small[256];
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(small, sizeof small, format, args);
    if (length >= 0 && (size_t)length < sizeof small) {
        strbuf_add(buf, (struct str){small, (size_t)length});
    } else if (length >= 0) {
        char *large = mem_alloc((size_t)length + 1);
        (void)vsnprintf(large, (size_t)length + 1, format, again);
        strbuf_add(buf, (struct str){large, (size_t)length});
        mem_free(large);
    }
    va_end(again);
}

void strbuf_printf(struct strbuf *buf, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    strbuf_vprintf(buf, format, args);
    va_end(args);
}
