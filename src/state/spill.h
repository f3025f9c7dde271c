// SPDX-License-Identifier: Apache-2.0
//
// spill: where pages go that do not fit into memory: one scratch file without a name, and a thread
// that reads and writes it, so that workers never wait for a disk.
//
// Slots of 16 KiB are handed out and taken back; the file grows only when no slot is free. Requests
// are done in the order in which they were given, each answer goes to the queue of its asker, whose
// waker is woken when all have come.
//
// Threads. Any number of askers (one queue each); spill_run_one() is the thread's body, or is
// called by the simulator, which has no thread.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct spill;
struct waker;

struct spill_options {
    const char *directory; // made where it is missing; the file in it has no name
    bool has_thread;       // false: whoever steps the simulator calls spill_run_one()
    uint64_t size_max;     // LIMIT behind it; 0: what the disk has
};

MUST_USE enum status spill_new(const struct spill_options *options, struct spill **out,
                               struct err *err);
void spill_free(struct spill *spill);      // all queues are released; NULL is allowed
uint64_t spill_bytes(struct spill *spill); // the size of the file

struct spill_queue;
MUST_USE struct spill_queue *spill_queue_new(struct spill *spill, struct waker *waker);
void spill_queue_free(struct spill_queue *queue); // waits for what it asked for

// `slot_count` slots in a row.
MUST_USE enum status spill_take(struct spill *spill, uint32_t slot_count, uint64_t *slot,
                                struct err *err);
void spill_give(struct spill *spill, uint64_t slot, uint32_t slot_count);

struct spill_request {
    struct spill_request *next; // of the queue
    struct spill_queue *queue;
    bool is_write;
    uint64_t slot;
    void *bytes; // the spill's until the answer
    size_t size;
    enum status status; // of the answer
};

void spill_submit(struct spill_queue *queue, struct spill_request *request);
// The next answer; NULL: none now.
struct spill_request *spill_answer(struct spill_queue *queue);
// The first failure among the answers so far; OK: none.
MUST_USE enum status spill_error(struct spill_queue *queue, struct err *err);
bool spill_run_one(struct spill *spill); // false: nothing to do
