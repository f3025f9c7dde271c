// SPDX-License-Identifier: Apache-2.0
//
// iofault: makes the n-th call of a program to the file system fail. An LD_PRELOAD library:
//
//     IOFAULT_DIR=/tmp/x/frazil-data  only files below it (absolute, without the last '/')
//     IOFAULT_AT=17                   the call that fails; 0 or absent: none, they are only counted
//     IOFAULT_AS=eio                  eio, enospc; short: a write takes half of its bytes;
//                                     full: from this call on everything that needs space fails
//     IOFAULT_REPORT=/tmp/report      8 bytes: how many calls there were; then the text of the one
//                                     that failed, ending in NUL
//
// Calls that count: open, read, pread, write, pwrite, fsync, fdatasync, ftruncate, rename, link and
// mkdir, of the program and of the libraries in it (SQLite's among them). With `enospc`, `short`
// and `full` only those count that such an error can strike.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum { FDS_MAX = 4096, REPORT_SIZE = 4096 };
enum mode { AS_EIO, AS_ENOSPC, AS_SHORT, AS_FULL };

// What a call may need: an error of space strikes those that take some.
enum need { NEEDS_NOTHING, NEEDS_SPACE, NEEDS_SPACE_WRITE };

struct report {
    atomic_ulong calls;
    char failed[REPORT_SIZE - sizeof(atomic_ulong)];
};

static struct report unshared;
static struct report *report = &unshared;
static atomic_bool watched[FDS_MAX];
static const char *folder;
static size_t folder_size;
static unsigned long fail_at;
static enum mode mode;

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void start(void)
{
    const char *at = getenv("IOFAULT_AT");
    const char *as = getenv("IOFAULT_AS");
    const char *path = getenv("IOFAULT_REPORT");
    folder = getenv("IOFAULT_DIR");
    folder_size = folder == NULL ? 0 : strlen(folder);
    fail_at = at == NULL ? 0 : strtoul(at, NULL, 10);
    mode = as == NULL || strcmp(as, "eio") == 0 ? AS_EIO
           : strcmp(as, "enospc") == 0          ? AS_ENOSPC
           : strcmp(as, "short") == 0           ? AS_SHORT
                                                : AS_FULL;
    int fd = path == NULL ? -1 : NEXT(open)(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd >= 0 && NEXT(ftruncate)(fd, REPORT_SIZE) == 0) {
        void *mapped = mmap(NULL, REPORT_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        report = mapped == MAP_FAILED ? &unshared : mapped;
    }
}

static bool is_below(const char *path)
{
    char whole[2 * PATH_MAX];
    if (folder == NULL) {
        return false;
    }
    if (path[0] != '/') {
        char here[PATH_MAX];
        if (getcwd(here, sizeof here) == NULL) {
            return false;
        }
        (void)snprintf(whole, sizeof whole, "%s/%s", here, path);
        path = whole;
    }
    return strncmp(path, folder, folder_size) == 0 &&
           (path[folder_size] == '/' || path[folder_size] == '\0');
}

static bool is_watched(int fd)
{
    return fd >= 0 && fd < FDS_MAX && atomic_load(&watched[fd]);
}

static void note(const char *call, int fd, const char *path)
{
    char link_path[64];
    char target[PATH_MAX] = "";
    if (path == NULL) {
        (void)snprintf(link_path, sizeof link_path, "/proc/self/fd/%d", fd);
        ssize_t size = readlink(link_path, target, sizeof target - 1);
        target[size < 0 ? 0 : size] = '\0';
        path = target;
    }
    (void)snprintf(report->failed, sizeof report->failed, "%s %.4000s", call, path);
}

// Whether this call is the one; then errno is set. Not for AS_SHORT, which strikes inside writes.
static bool strikes(const char *call, enum need need, int fd, const char *path)
{
    if ((mode == AS_SHORT && need != NEEDS_SPACE_WRITE) ||
        ((mode == AS_ENOSPC || mode == AS_FULL) && need == NEEDS_NOTHING)) {
        return false;
    }
    unsigned long number = atomic_fetch_add(&report->calls, 1) + 1;
    bool hit = fail_at != 0 && (number == fail_at || (mode == AS_FULL && number > fail_at));
    if (hit) {
        if (number == fail_at) {
            note(call, fd, path);
        }
        errno = mode == AS_EIO ? EIO : ENOSPC;
    }
    return hit;
}

static int opened(int fd)
{
    if (fd >= 0 && fd < FDS_MAX) {
        atomic_store(&watched[fd], true);
    }
    return fd;
}

static int open_at(int folder_fd, const char *path, int flags, mode_t bits)
{
    int (*next)(int, const char *, int, ...) = NEXT(openat);
    if (folder_fd != AT_FDCWD || !is_below(path)) {
        return next(folder_fd, path, flags, bits);
    }
    bool creates = (flags & (O_CREAT | O_TMPFILE)) != 0;
    if (strikes("open", creates ? NEEDS_SPACE : NEEDS_NOTHING, -1, path)) {
        return -1;
    }
    return opened(next(folder_fd, path, flags, bits));
}

#define OPEN_LIKE(name)                                                                            \
    int name(const char *path, int flags, ...)                                                     \
    {                                                                                              \
        va_list args;                                                                              \
        va_start(args, flags);                                                                     \
        mode_t bits = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(args, mode_t) : 0;             \
        va_end(args);                                                                              \
        return open_at(AT_FDCWD, path, flags, bits);                                               \
    }
OPEN_LIKE(open)
OPEN_LIKE(open64)

int close(int fd)
{
    if (fd >= 0 && fd < FDS_MAX) {
        atomic_store(&watched[fd], false);
    }
    return NEXT(close)(fd);
}

// Half of the bytes for a short write; all of them otherwise. 0: it fails.
static size_t allowed(const char *call, int fd, size_t size)
{
    if (!is_watched(fd) || !strikes(call, NEEDS_SPACE_WRITE, fd, NULL)) {
        return size;
    }
    return mode == AS_SHORT ? (size + 1) / 2 : 0;
}

ssize_t write(int fd, const void *bytes, size_t size)
{
    size_t some = allowed("write", fd, size);
    return some == 0 && size > 0 ? -1 : NEXT(write)(fd, bytes, some);
}

#define PWRITE_LIKE(name)                                                                          \
    ssize_t name(int fd, const void *bytes, size_t size, off_t at)                                 \
    {                                                                                              \
        size_t some = allowed("pwrite", fd, size);                                                 \
        return some == 0 && size > 0 ? -1 : NEXT(pwrite)(fd, bytes, some, at);                     \
    }
PWRITE_LIKE(pwrite)
PWRITE_LIKE(pwrite64)

ssize_t read(int fd, void *bytes, size_t size)
{
    return is_watched(fd) && strikes("read", NEEDS_NOTHING, fd, NULL) ? -1
                                                                     : NEXT(read)(fd, bytes, size);
}

#define PREAD_LIKE(name)                                                                           \
    ssize_t name(int fd, void *bytes, size_t size, off_t at)                                       \
    {                                                                                              \
        return is_watched(fd) && strikes("pread", NEEDS_NOTHING, fd, NULL)                         \
                   ? -1                                                                            \
                   : NEXT(pread)(fd, bytes, size, at);                                             \
    }
PREAD_LIKE(pread)
PREAD_LIKE(pread64)

int fsync(int fd)
{
    return is_watched(fd) && strikes("fsync", NEEDS_SPACE, fd, NULL) ? -1 : NEXT(fsync)(fd);
}

int fdatasync(int fd)
{
    return is_watched(fd) && strikes("fdatasync", NEEDS_SPACE, fd, NULL) ? -1
                                                                         : NEXT(fdatasync)(fd);
}

#define FTRUNCATE_LIKE(name)                                                                       \
    int name(int fd, off_t size)                                                                   \
    {                                                                                              \
        return is_watched(fd) && strikes("ftruncate", NEEDS_SPACE, fd, NULL)                       \
                   ? -1                                                                            \
                   : NEXT(ftruncate)(fd, size);                                                    \
    }
FTRUNCATE_LIKE(ftruncate)
FTRUNCATE_LIKE(ftruncate64)

int rename(const char *from, const char *to)
{
    return is_below(to) && strikes("rename", NEEDS_SPACE, -1, to) ? -1 : NEXT(rename)(from, to);
}

int renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags)
{
    return to_fd == AT_FDCWD && is_below(to) && strikes("rename", NEEDS_SPACE, -1, to)
               ? -1
               : NEXT(renameat2)(from_fd, from, to_fd, to, flags);
}

int link(const char *from, const char *to)
{
    return is_below(to) && strikes("link", NEEDS_SPACE, -1, to) ? -1 : NEXT(link)(from, to);
}

int mkdir(const char *path, mode_t bits)
{
    return is_below(path) && strikes("mkdir", NEEDS_SPACE, -1, path) ? -1
                                                                     : NEXT(mkdir)(path, bits);
}
