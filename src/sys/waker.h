// SPDX-License-Identifier: Apache-2.0
//
// waker: wakes one thread that has nothing to do. Wakes before a wait are not lost; several count
// as one. waker_wake() is for any thread and for callbacks of libraries; it does not block.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct waker {
    int fd; // eventfd; -1: a waker of the simulator, which steps everybody anyway
    _Atomic int pending;
};

// Whether the process may have `count` wakers more and some files besides; raises the soft limit of
// descriptors to the hard one where that is needed. *limit is what there is.
bool waker_room(uint64_t count, uint64_t *limit);
void waker_init(struct waker *waker);
void waker_release(struct waker *waker);
void waker_wake(struct waker *waker);
// Returns at the next wake, at once where one is pending, or after `timeout_ms` (-1: none).
void waker_wait(struct waker *waker, int timeout_ms);
