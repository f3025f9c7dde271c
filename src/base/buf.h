// SPDX-License-Identifier: Apache-2.0
//
// buf: shared bytes, the only reference-counted thing. Its bytes may be written while one owner
// holds it, and never once it is shared. 64-byte aligned where buf_new() made it. Any thread may
// take and drop references.
#pragma once

#include <stdatomic.h>
#include <stddef.h>

#include "base/compiler.h"

struct budget;

struct buf {
    char *ptr;
    size_t size;
    _Atomic int refs;
    struct budget *budget; // charged with `charged` until the last reference goes; may be NULL
    size_t charged;
    void (*release)(struct buf *); // frees `ptr`, not the struct
    void *owner;                   // for `release`
};

// `size` bytes, not initialised, one reference. Charges `budget` (NULL: none) even over its limit.
MUST_USE struct buf *buf_new(size_t size, struct budget *budget);
// Wraps bytes that `release` frees. Takes them.
MUST_USE struct buf *buf_wrap(char *ptr, size_t size, void (*release)(struct buf *), void *owner);
struct buf *buf_ref(struct buf *buf);
void buf_unref(struct buf *buf); // NULL is allowed
