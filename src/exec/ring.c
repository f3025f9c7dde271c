// SPDX-License-Identifier: Apache-2.0
#include "exec/ring.h"

#include "base/assert.h"
#include "sys/waker.h"

void ring_init(struct ring *ring, struct ring_pool *pool, struct waker *sender,
               struct waker *receiver)
{
    atomic_init(&ring->head, 0);
    atomic_init(&ring->tail, 0);
    atomic_init(&ring->batches_read, 0);
    atomic_init(&ring->is_blocked, false);
    atomic_init(&ring->borrowed, 0);
    ring->batches_written = 0;
    ring->pool = pool;
    ring->receiver = receiver;
    ring->sender = sender;
}

void ring_release(struct ring *ring)
{
    while (ring_peek(ring) != NULL) {
        struct item item = ring_pop(ring);
        batch_drop(item.batch);
    }
}

static bool borrow(struct ring *ring)
{
    int available = atomic_load_explicit(&ring->pool->free, memory_order_relaxed);
    while (available > 0) {
        if (atomic_compare_exchange_weak_explicit(&ring->pool->free, &available, available - 1,
                                                  memory_order_relaxed, memory_order_relaxed)) {
            atomic_fetch_add_explicit(&ring->borrowed, 1, memory_order_relaxed);
            return true;
        }
    }
    return false;
}

bool ring_has_credit(struct ring *ring)
{
    uint32_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    uint32_t used = tail - atomic_load_explicit(&ring->head, memory_order_acquire);
    uint32_t batches = ring->batches_written -
                       atomic_load_explicit(&ring->batches_read, memory_order_acquire);
    if (used >= RING_SLOTS - RING_MARKERS_SPARE || batches >= RING_BATCHES_MAX) {
        return false;
    }
    int borrowed = atomic_load_explicit(&ring->borrowed, memory_order_relaxed);
    if (batches < RING_BATCHES_OWN + (uint32_t)borrowed) {
        return true;
    }
    return !atomic_load_explicit(&ring->is_blocked, memory_order_relaxed) && borrow(ring);
}

static void push(struct ring *ring, const struct item *item)
{
    uint32_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    ring->items[tail % RING_SLOTS] = *item;
    atomic_store_explicit(&ring->tail, tail + 1, memory_order_release);
    waker_wake(ring->receiver);
}

void ring_push_batch(struct ring *ring, struct batch *batch)
{
    ring->batches_written++;
    push(ring, &(struct item){.kind = ITEM_BATCH, .batch = batch});
}

bool ring_has_marker_room(const struct ring *ring)
{
    uint32_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    return tail - atomic_load_explicit(&ring->head, memory_order_acquire) < RING_SLOTS;
}

bool ring_push_marker(struct ring *ring, const struct item *item)
{
    uint32_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    uint32_t used = tail - atomic_load_explicit(&ring->head, memory_order_acquire);
    // The last slots are for barriers, idleness and the end; watermarks wait.
    uint32_t room = item->kind == ITEM_WATERMARK ? RING_SLOTS - RING_MARKERS_SPARE / 2 : RING_SLOTS;
    if (used >= room) {
        return false;
    }
    push(ring, item);
    return true;
}

const struct item *ring_peek(struct ring *ring)
{
    uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    if (head == atomic_load_explicit(&ring->tail, memory_order_acquire)) {
        return NULL;
    }
    return &ring->items[head % RING_SLOTS];
}

struct item ring_pop(struct ring *ring)
{
    uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    DASSERT(head != atomic_load_explicit(&ring->tail, memory_order_acquire));
    struct item item = ring->items[head % RING_SLOTS];
    atomic_store_explicit(&ring->head, head + 1, memory_order_release);
    if (item.kind == ITEM_BATCH) {
        atomic_fetch_add_explicit(&ring->batches_read, 1, memory_order_release);
        int borrowed = atomic_load_explicit(&ring->borrowed, memory_order_relaxed);
        while (borrowed > 0) {
            if (atomic_compare_exchange_weak_explicit(&ring->borrowed, &borrowed, borrowed - 1,
                                                      memory_order_relaxed,
                                                      memory_order_relaxed)) {
                atomic_fetch_add_explicit(&ring->pool->free, 1, memory_order_relaxed);
                break;
            }
        }
    }
    waker_wake(ring->sender);
    return item;
}

void ring_set_blocked(struct ring *ring, bool is_blocked)
{
    atomic_store_explicit(&ring->is_blocked, is_blocked, memory_order_relaxed);
}
