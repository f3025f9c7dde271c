// SPDX-License-Identifier: Apache-2.0
#include "sys/file_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

// The holder writes its process id into the file, for the message others get.
static void read_holder(int fd, char *text, size_t size)
{
    ssize_t length = pread(fd, text, size - 1, 0);
    text[length > 0 ? length : 0] = '\0';
}

enum status file_lock_take(const char *path, struct file_lock *out, struct err *err)
{
    out->fd = -1;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) {
        return ERR(err, errno == ENOSPC ? STATUS_LIMIT : STATUS_IO, "open %s: %s", path,
                   strerror(errno));
    }
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        int error = errno;
        char holder[32];
        read_holder(fd, holder, sizeof holder);
        close(fd);
        if (error != EWOULDBLOCK) {
            return ERR(err, STATUS_IO, "lock %s: %s", path, strerror(error));
        }
        return ERR(err, STATUS_EXISTS, "held by process %s", holder[0] != '\0' ? holder : "?");
    }
    char own[32];
    int length = snprintf(own, sizeof own, "%d", (int)getpid());
    // Where this fails only the message to others suffers.
    bool told = ftruncate(fd, 0) == 0 && pwrite(fd, own, (size_t)length, 0) == length;
    (void)told;
    out->fd = fd;
    return STATUS_OK;
}

void file_lock_release(struct file_lock *lock)
{
    if (lock->fd >= 0) {
        close(lock->fd);
    }
    lock->fd = -1;
}
