// SPDX-License-Identifier: Apache-2.0
//
// strbuf: a text that grows, up to a maximum given at the start.
//
//     struct strbuf text;
//     strbuf_init(&text, 1 << 20);
//     strbuf_printf(&text, "%u rows", rows);
//     use(strbuf_str(&text));
//     strbuf_release(&text);
//
// What does not fit is dropped and `truncated` is set; whoever must not lose bytes looks at it.
// One thread at a time.
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/str.h"

struct strbuf {
    char *ptr; // always ends in NUL
    size_t size;
    size_t capacity;
    size_t size_max;
    bool truncated;
};

void strbuf_init(struct strbuf *buf, size_t size_max);
void strbuf_release(struct strbuf *buf);
void strbuf_reset(struct strbuf *buf); // empty again, the memory is kept
void strbuf_add(struct strbuf *buf, struct str text);
void strbuf_add_text(struct strbuf *buf, const char *text);
void strbuf_add_byte(struct strbuf *buf, char byte);
void strbuf_printf(struct strbuf *buf, const char *format, ...) PRINTF_LIKE(2, 3);
void strbuf_vprintf(struct strbuf *buf, const char *format, va_list args) PRINTF_LIKE(2, 0);
// Room for `size` more bytes, whose start is returned; strbuf_commit() then says how many were
// written. NULL where the maximum does not allow it (truncated is set).
MUST_USE char *strbuf_reserve(struct strbuf *buf, size_t size);
void strbuf_commit(struct strbuf *buf, size_t size);
// Borrowed until the next change.
static inline struct str strbuf_str(const struct strbuf *buf)
{
    return (struct str){buf->ptr, buf->size};
}
