// SPDX-License-Identifier: Apache-2.0
#include "base/err.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

// Marks a text that vsnprintf had to cut.
static void mark_cut(char *text, size_t size, int length)
{
    if (length >= (int)size) {
        memcpy(text + size - 4, "...", 4);
    }
}

enum status err_set(struct err *err, enum status status, const char *source_file, int source_line,
                    const char *format, ...)
{
    if (err == NULL) {
        return status;
    }
    // Formatted aside: the arguments may point into the error itself.
    char text[ERR_TEXT_MAX];
    va_list args;
    va_start(args, format);
    mark_cut(text, sizeof text, vsnprintf(text, sizeof text, format, args));
    va_end(args);
    err->status = status;
    err->stage = ERR_STAGE_RUNTIME;
    err->offset = ERR_NO_OFFSET;
    err->length = 0;
    err->source_file = source_file;
    err->source_line = source_line;
    memcpy(err->text, text, sizeof text);
    err->hint[0] = '\0';
    return status;
}

void err_context(struct err *err, const char *format, ...)
{
    if (err == NULL) {
        return;
    }
    char text[ERR_TEXT_MAX];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (length < 0 || length >= (int)sizeof text) {
        length = (int)sizeof text - 1;
    }
    int rest = snprintf(text + length, sizeof text - (size_t)length, ": %s", err->text);
    mark_cut(text, sizeof text, length + rest);
    memcpy(err->text, text, sizeof text);
}

void err_hint(struct err *err, const char *format, ...)
{
    if (err == NULL) {
        return;
    }
    va_list args;
    va_start(args, format);
    mark_cut(err->hint, sizeof err->hint, vsnprintf(err->hint, sizeof err->hint, format, args));
    va_end(args);
}

void err_at(struct err *err, enum err_stage stage, uint64_t offset, uint32_t length)
{
    if (err == NULL) {
        return;
    }
    err->stage = stage;
    err->offset = offset;
    err->length = length;
}
