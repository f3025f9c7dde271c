// SPDX-License-Identifier: Apache-2.0
//
// hostile: damaged copies of files through our decoders.
//
//     hostile [--show] FORMAT CUTS FLIPS STEP FILE...
//
// FORMAT is parquet, avro, manifest, manifest-list, puffin, metadata, csv, json or checkpoint. Each
// file is cut off at CUTS places, has bytes changed at random FLIPS times (one to four at a time,
// some of them to the extremes of lengths: 0xff, 0x7f, 0x80, 0), has each STEP-th number replaced
// by extremes (0: none; hostile_extremes.c), and is read whole each time. An error that names the
// file, or other values, are fine; a crash, a leak, more than SECONDS_MAX or a process of more than
// MEMORY_MAX are not. Each file has a process of its own.
//
// Prints what was wrong and "N passed, N failed", of files. With --show, each kind of error once.
#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/hash.h"
#include "base/mem.h"
#include "hostile.h"

enum {
    SECONDS_MAX = 60, // for one damaged file
    MEMORY_MAX = 512 << 20,
    KINDS_MAX = 1 << 12, // of errors, shown once each
};

struct hostile_run {
    const struct hostile_format *format;
    struct hostile_progress *progress;
    bool shows;
};

static uint64_t random_next(uint64_t *seed)
{
    uint64_t mixed = (*seed += UINT64_C(0x9e3779b97f4a7c15));
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ mixed >> 31;
}

// ---- errors ----

// Whether a text says where: a number of a byte, line or record, a column, a field in quotes, or
// that the file is not of the format at all.
static bool has_place(const char *text)
{
    static const char *const words[] = {"byte ", "line ", "record ", "row group ", "position "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *found = strstr(text, words[i]);
        if (found != NULL && isdigit((unsigned char)found[strlen(words[i])])) {
            return true;
        }
    }
    return strchr(text, '\'') != NULL || strstr(text, "column ") != NULL ||
           strstr(text, "no Parquet file") != NULL || strstr(text, "a Puffin file") != NULL ||
           strstr(text, "no records") != NULL || strstr(text, "is encrypted") != NULL;
}

static void show(const struct err *err)
{
    static uint64_t seen[KINDS_MAX];
    char kind[ERR_TEXT_MAX];
    size_t size = 0;
    for (const char *at = err->text; *at != '\0'; at++) {
        bool is_number = isdigit((unsigned char)*at);
        if (!is_number || size == 0 || kind[size - 1] != '#') {
            kind[size++] = is_number ? '#' : *at;
        }
    }
    uint64_t hash = hash_bytes(kind, size, 1);
    uint64_t *slot = &seen[hash % KINDS_MAX];
    if (*slot != hash) {
        *slot = hash;
        printf("  %s %s\n", has_place(err->text) ? "     " : "where", err->text);
    }
}

static void check_error(struct hostile_run *run, const struct err *err)
{
    struct hostile_progress *progress = run->progress;
    progress->errors++;
    progress->unplaced += !has_place(err->text);
    if (strstr(err->text, HOSTILE_NAME) == NULL) {
        fprintf(stderr, "%s: an error without the file's name: %s\n", progress->what, err->text);
        exit(2);
    }
    if (run->shows) {
        show(err);
    }
}

static void try_bytes(struct str bytes, const char *what, void *owner)
{
    struct hostile_run *run = owner;
    struct hostile_progress *progress = run->progress;
    struct budget budget;
    struct rusage usage;
    struct err err = {.text = ""};
    snprintf(progress->what, sizeof progress->what, "%s", what);
    budget_init(&budget, NULL, SIZE_MAX);
    alarm(SECONDS_MAX);
    progress->reads++;
    if (run->format->read(bytes, &budget, &err) != STATUS_OK) {
        check_error(run, &err);
    }
    alarm(0);
    getrusage(RUSAGE_SELF, &usage);
    progress->memory = (uint64_t)usage.ru_maxrss * 1024;
    if (progress->memory > MEMORY_MAX || budget.peak > MEMORY_MAX || budget.used > 0) {
        fprintf(stderr, "%s: the process has %" PRIu64 " bytes, %zu were charged, %zu are still\n",
                what, progress->memory, (size_t)budget.peak, (size_t)budget.used);
        exit(2);
    }
}

// ---- damage ----

static void truncate_all(struct str bytes, uint32_t times, struct hostile_run *run)
{
    for (uint32_t i = 0; i < times; i++) {
        char what[64];
        size_t size = bytes.size * i / times;
        snprintf(what, sizeof what, "cut to %zu bytes", size);
        char *copy = mem_alloc(size + 1); // of its own size, so that reading behind it is seen
        memcpy(copy, bytes.ptr, size);
        try_bytes(str_make(copy, size), what, run);
        mem_free(copy);
    }
}

static void flip_all(struct str bytes, uint32_t times, struct hostile_run *run)
{
    static const uint8_t extremes[] = {0xff, 0x7f, 0x80, 0x00};
    char *copy = mem_alloc(bytes.size + 1);
    for (uint32_t i = 0; i < times; i++) {
        char what[64];
        uint64_t seed = i * UINT64_C(7919) + bytes.size;
        snprintf(what, sizeof what, "changed with seed %u", i);
        memcpy(copy, bytes.ptr, bytes.size);
        uint64_t places = random_next(&seed) % 4 + 1;
        for (uint64_t j = 0; j < places; j++) {
            // Half of them in the last 4 KiB, where most footers are.
            size_t tail = bytes.size < 4096 ? bytes.size : 4096;
            size_t at = random_next(&seed) % 2 == 0 ? random_next(&seed) % bytes.size
                                                    : bytes.size - 1 - random_next(&seed) % tail;
            uint64_t value = random_next(&seed);
            copy[at] = (char)(value % 2 == 0 ? extremes[value / 2 % 4] : (uint8_t)(value >> 8));
        }
        try_bytes(str_make(copy, bytes.size), what, run);
    }
    mem_free(copy);
}

// ---- files ----

static bool load(const char *path, struct str *out)
{
    struct stat stat;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &stat) != 0 || stat.st_size == 0) {
        return false;
    }
    void *at = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    *out = str_make(at, (size_t)stat.st_size);
    return at != MAP_FAILED;
}

struct damage {
    uint32_t cuts;
    uint32_t flips;
    uint32_t step;
};

static bool run_file(const char *path, const struct damage *damage, struct hostile_run *run)
{
    struct str bytes;
    *run->progress = (struct hostile_progress){.what = "begun"};
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        if (!load(path, &bytes)) {
            fprintf(stderr, "cannot be read\n");
            exit(2);
        }
        truncate_all(bytes, damage->cuts, run);
        flip_all(bytes, damage->flips, run);
        if (damage->step > 0) {
            hostile_extremes(run->format, bytes, damage->step, try_bytes, run);
        }
        exit(0); // not _exit: leaks are looked for
    }
    int state = 0;
    bool ok = child > 0 && waitpid(child, &state, 0) == child && WIFEXITED(state) &&
              WEXITSTATUS(state) == 0;
    if (!ok) {
        printf("FAILED %s: %s: %s %d\n", path, run->progress->what,
               WIFSIGNALED(state) ? "signal" : "exit", // 14: it took too long
               WIFSIGNALED(state) ? WTERMSIG(state) : WEXITSTATUS(state));
    }
    return ok;
}

static const struct hostile_format *find_format(const char *name)
{
    const struct hostile_format *format = hostile_formats;
    while (format->name != NULL && strcmp(format->name, name) != 0) {
        format++;
    }
    return format;
}

int main(int count, char **arguments)
{
    uint32_t failed = 0;
    struct hostile_progress sum = {0};
    bool shows = count > 1 && strcmp(arguments[1], "--show") == 0;
    char **at = arguments + (shows ? 2 : 1);
    char **end = arguments + count;
    if (end - at < 5 || find_format(at[0])->name == NULL) {
        fputs("usage: hostile [--show] FORMAT CUTS FLIPS STEP FILE...\n", stderr);
        return 2;
    }
    struct hostile_progress *progress =
        mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (progress == MAP_FAILED) {
        return 2;
    }
    struct hostile_run run = {find_format(at[0]), progress, shows};
    struct damage damage = {(uint32_t)strtoul(at[1], NULL, 10), (uint32_t)strtoul(at[2], NULL, 10),
                            (uint32_t)strtoul(at[3], NULL, 10)};
    uint32_t files = (uint32_t)(end - at) - 4;
    for (at += 4; at < end; at++) {
        failed += !run_file(*at, &damage, &run);
        sum.reads += progress->reads;
        sum.errors += progress->errors;
        sum.unplaced += progress->unplaced;
        sum.memory = progress->memory > sum.memory ? progress->memory : sum.memory;
    }
    printf("  %" PRIu64 " damaged files read, %" PRIu64 " ended in an error (%" PRIu64
           " of them without a place), a process had at most %" PRIu64 " MiB\n",
           sum.reads, sum.errors, sum.unplaced, sum.memory >> 20);
    printf("%u passed, %u failed\n", files - failed, failed);
    return failed > 0 ? 1 : 0;
}
