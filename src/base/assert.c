// SPDX-License-Identifier: Apache-2.0
#include "base/assert.h"

#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void assert_failed(const char *condition, const char *file, int line)
{
    char text[512];
    int length = snprintf(text, sizeof text, "frazil: internal error: %s (%s:%d)\n", condition,
                          file, line);
    if (length > 0) {
        ssize_t ignored = write(STDERR_FILENO, text, (size_t)length);
        (void)ignored;
    }
    void *frames[64];
    backtrace_symbols_fd(frames, backtrace(frames, 64), STDERR_FILENO);
    abort();
}
