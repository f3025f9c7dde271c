// SPDX-License-Identifier: Apache-2.0
//
// ring: the channel between one sender and one receiver: settled batches and markers, in order.
//
// Credit. A ring owns RING_BATCHES_OWN slots for batches; more come from the pool of its exchange,
// which all its rings share. A ring that alignment blocks borrows none, so that blocked rings
// cannot take the whole pool from those that must still bring the barrier (engine.md section 4).
// Markers need no credit: there is at most one barrier in flight, watermarks that do not fit are
// merged by the sender, and idleness alternates.
//
// Threads: one sender, one receiver; the two may be the same thread. The receiver's waker is woken
// when something arrives at a ring that was empty, the sender's when credit comes back.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "data/batch.h"
#include "exec/snapshot.h"

struct waker;

enum item_kind {
    ITEM_BATCH,
    ITEM_WATERMARK,
    ITEM_IDLE,
    ITEM_ACTIVE,
    ITEM_BARRIER,
    ITEM_PORT_END, // made by the gate, never in a ring
    ITEM_END,
};

struct item {
    enum item_kind kind;
    uint32_t port;         // of the operator that takes it; set by the gate
    struct batch *batch;   // BATCH: settled, owned by whoever holds the item
    int64_t watermark;     // WATERMARK
    struct barrier barrier; // BARRIER
};

enum { RING_SLOTS = 64, RING_MARKERS_SPARE = 16, RING_BATCHES_OWN = 2, RING_BATCHES_MAX = 32 };

// Shared by the rings of one exchange.
struct ring_pool {
    _Atomic int free;
};

struct ring {
    struct item items[RING_SLOTS];
    _Alignas(64) _Atomic uint32_t head; // next to read; moved by the receiver
    _Atomic uint32_t batches_read;
    _Atomic bool is_blocked;            // by alignment
    _Alignas(64) _Atomic uint32_t tail; // next to write; moved by the sender
    uint32_t batches_written;           // sender only
    _Atomic int borrowed;               // slots taken from the pool
    struct ring_pool *pool;
    struct waker *receiver;
    struct waker *sender;
};

void ring_init(struct ring *ring, struct ring_pool *pool, struct waker *sender,
               struct waker *receiver);
void ring_release(struct ring *ring); // drops what is inside

// Sender. Whether a batch may be pushed now.
bool ring_has_credit(struct ring *ring);
// Takes `batch`. Only with credit.
void ring_push_batch(struct ring *ring, struct batch *batch);
// Whether a barrier, an end or idleness finds a slot now.
bool ring_has_marker_room(const struct ring *ring);
// False where no slot is free. Watermarks leave the last slots to other markers.
bool ring_push_marker(struct ring *ring, const struct item *item);

// Receiver. The oldest item, or NULL; it stays until ring_pop().
const struct item *ring_peek(struct ring *ring);
// Takes the oldest item out; its batch is the caller's.
struct item ring_pop(struct ring *ring);
void ring_set_blocked(struct ring *ring, bool is_blocked);
