// SPDX-License-Identifier: Apache-2.0
#include "sys/waker.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/assert.h"

bool waker_room(uint64_t count, uint64_t *limit)
{
    enum { OTHER_FILES = 64 };
    struct rlimit files;
    uint64_t wanted = count + OTHER_FILES;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0) {
        return true;
    }
    if (files.rlim_cur < wanted && files.rlim_max > files.rlim_cur) {
        struct rlimit more = {.rlim_cur = files.rlim_max < wanted ? files.rlim_max : wanted,
                              .rlim_max = files.rlim_max};
        files = setrlimit(RLIMIT_NOFILE, &more) == 0 ? more : files;
    }
    *limit = files.rlim_cur;
    return files.rlim_cur >= wanted;
}

void waker_init(struct waker *waker)
{
    waker->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    ASSERT(waker->fd >= 0 && "eventfd: out of file descriptors");
    atomic_init(&waker->pending, 0);
}

void waker_release(struct waker *waker)
{
    if (waker->fd >= 0) {
        close(waker->fd);
    }
    waker->fd = -1;
}

void waker_wake(struct waker *waker)
{
    if (atomic_exchange(&waker->pending, 1) == 0 && waker->fd >= 0) {
        uint64_t one = 1;
        ssize_t ignored = write(waker->fd, &one, sizeof one);
        (void)ignored;
    }
}

void waker_wait(struct waker *waker, int timeout_ms)
{
    if (atomic_load(&waker->pending) == 0 && waker->fd >= 0) {
        struct pollfd fd = {.fd = waker->fd, .events = POLLIN};
        (void)poll(&fd, 1, timeout_ms);
    }
    // Cleared before the reader looks for work, so a wake during that look is seen next time.
    if (atomic_exchange(&waker->pending, 0) != 0 && waker->fd >= 0) {
        uint64_t count;
        ssize_t ignored = read(waker->fd, &count, sizeof count);
        (void)ignored;
    }
}
