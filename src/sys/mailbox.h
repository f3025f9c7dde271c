// SPDX-License-Identifier: Apache-2.0
//
// mailbox: messages to one thread from any other. A message is a kind, a number and a pointer; the
// list of kinds and who sends them stands with the receiver (engine/worker.h, engine/job.h). There
// are few messages in flight (a handful a checkpoint), so a lock and an array do.
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "sys/waker.h"

struct message {
    int kind;
    uint32_t number;
    void *pointer;
};

struct mailbox {
    pthread_mutex_t lock; // guards `messages`
    VEC(struct message) messages;
    struct waker *waker; // of the receiver
};

void mailbox_init(struct mailbox *mailbox, struct waker *waker);
void mailbox_release(struct mailbox *mailbox);
void mailbox_send(struct mailbox *mailbox, struct message message); // any thread; does not block
bool mailbox_take(struct mailbox *mailbox, struct message *out);    // the receiver; oldest first
