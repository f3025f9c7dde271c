// SPDX-License-Identifier: Apache-2.0
//
// assert: what must be true whatever the outside world does.
//
// ASSERT stays on in release builds: a program that goes on after a broken invariant writes broken
// tables. DASSERT is for hot loops and exists in debug builds only. Neither is for bad input: that
// is an error (err.h).
#pragma once

#include "base/compiler.h"

#define ASSERT(condition)                                                                          \
    do {                                                                                           \
        if (__builtin_expect(!(condition), 0)) {                                                   \
            assert_failed(#condition, __FILE__, __LINE__);                                         \
        }                                                                                          \
    } while (0)

#ifdef NDEBUG
#define DASSERT(condition) ((void)0)
#else
#define DASSERT(condition) ASSERT(condition)
#endif

#define UNREACHABLE(what) assert_failed("unreachable: " what, __FILE__, __LINE__)

// Prints the condition, the place and the stack to standard error and aborts. Async-signal-safe.
_Noreturn void assert_failed(const char *condition, const char *file, int line);
