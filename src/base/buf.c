// SPDX-License-Identifier: Apache-2.0
#include "base/buf.h"

#include "base/assert.h"
#include "base/budget.h"
#include "base/mem.h"

static void release_heap(struct buf *buf)
{
    mem_free(buf->ptr);
}

struct buf *buf_wrap(char *ptr, size_t size, void (*release)(struct buf *), void *owner)
{
    struct buf *buf = mem_zalloc(sizeof *buf);
    buf->ptr = ptr;
    buf->size = size;
    atomic_init(&buf->refs, 1);
    buf->release = release;
    buf->owner = owner;
    return buf;
}

struct buf *buf_new(size_t size, struct budget *budget)
{
    struct buf *buf = buf_wrap(mem_aligned(64, size), size, release_heap, NULL);
    if (budget != NULL) {
        budget_force(budget, size);
        buf->budget = budget;
        buf->charged = size;
    }
    return buf;
}

struct buf *buf_ref(struct buf *buf)
{
    int before = atomic_fetch_add_explicit(&buf->refs, 1, memory_order_relaxed);
    ASSERT(before > 0);
    return buf;
}

void buf_unref(struct buf *buf)
{
    if (buf == NULL || atomic_fetch_sub_explicit(&buf->refs, 1, memory_order_acq_rel) > 1) {
        return;
    }
    if (buf->release != NULL) {
        buf->release(buf);
    }
    if (buf->budget != NULL) {
        budget_give(buf->budget, buf->charged);
    }
    mem_free(buf);
}
