// SPDX-License-Identifier: Apache-2.0
#include "sys/scratch_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "sys/file.h"

static enum status fail(const struct scratch_file *file, const char *verb, int error,
                        struct err *err)
{
    return ERR(err, file_status(error), "%s the spill file in %s: %s", verb, file->directory,
               strerror(error));
}

// File systems without O_TMPFILE get a name for the moment between open and unlink.
static int open_unnamed(const char *directory)
{
    int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT)) {
        return fd;
    }
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/spill.XXXXXX", directory) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return -1;
    }
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0) {
        unlink(path);
    }
    return fd;
}

enum status scratch_file_open(const char *directory, struct scratch_file *out, struct err *err)
{
    *out = (struct scratch_file){.fd = -1};
    TRY(file_make_directories(directory, err));
    out->fd = open_unnamed(directory);
    if (out->fd < 0) {
        int error = errno;
        return ERR(err, file_status(error), "create a spill file in %s: %s", directory,
                   strerror(error));
    }
    out->directory = mem_strdup(directory);
    return STATUS_OK;
}

enum status scratch_file_write(struct scratch_file *file, uint64_t offset, const void *bytes,
                               size_t size, struct err *err)
{
    const char *at = bytes;
    while (size > 0) {
        ssize_t done = pwrite(file->fd, at, size, (off_t)offset);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done < 0) {
            return fail(file, "write", errno, err);
        }
        at += done;
        offset += (uint64_t)done;
        size -= (size_t)done;
    }
    return STATUS_OK;
}

enum status scratch_file_read(struct scratch_file *file, uint64_t offset, void *bytes, size_t size,
                              struct err *err)
{
    char *at = bytes;
    while (size > 0) {
        ssize_t done = pread(file->fd, at, size, (off_t)offset);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done < 0) {
            return fail(file, "read", errno, err);
        }
        if (done == 0) {
            return ERR(err, STATUS_IO, "read the spill file: it ends before offset %llu",
                       (unsigned long long)offset);
        }
        at += done;
        offset += (uint64_t)done;
        size -= (size_t)done;
    }
    return STATUS_OK;
}

void scratch_file_discard(struct scratch_file *file, uint64_t offset, uint64_t size)
{
    // Advice: file systems without holes keep the bytes.
    (void)!fallocate(file->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset,
                     (off_t)size);
}

void scratch_file_close(struct scratch_file *file)
{
    if (file->fd >= 0) {
        close(file->fd);
        file->fd = -1;
        mem_free(file->directory);
        file->directory = NULL;
    }
}
