// SPDX-License-Identifier: Apache-2.0
//
// string_int: what the loops over strings share.
#pragma once

#include <string.h>

#include "base/arena.h"
#include "base/compiler.h"
#include "kernel/kernel.h"
#include "kernel/utf8_int.h"

static inline struct str string_arg(const struct kernel_loop *loop, uint32_t arg, uint32_t row)
{
    return strview_str((const struct strview *)loop->args[arg] + (loop->is_const[arg] ? 0 : row));
}

static inline int32_t string_arg_i32(const struct kernel_loop *loop, uint32_t arg, uint32_t row)
{
    return ((const int32_t *)loop->args[arg])[loop->is_const[arg] ? 0 : row];
}

// A result whose bytes live as long as the arguments or the arena.
static inline void string_put(struct kernel_loop *loop, uint32_t row, struct str text)
{
    ((struct strview *)loop->out)[row] = strview_make(text.ptr, text.size);
}

static inline void string_put_bad(struct kernel_loop *loop, uint32_t row)
{
    loop->bad[row / 64] |= UINT64_C(1) << (row % 64);
}

// Calls `one(loop, row)` for the rows that are wanted; inlined where `one` is named.
ALWAYS_INLINE void string_each(struct kernel_loop *loop,
                               void (*one)(struct kernel_loop *loop, uint32_t row))
{
    for (uint32_t word = 0; word < bits_words(loop->count); word++) {
        for (uint64_t bits = loop->wanted[word]; bits != 0; bits &= bits - 1) {
            one(loop, word * 64 + (uint32_t)__builtin_ctzll(bits));
        }
    }
}
