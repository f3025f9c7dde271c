// SPDX-License-Identifier: Apache-2.0
//
// parquet_hostile: damaged copies of Parquet files through our reader.
//
//     parquet_hostile TRUNCATIONS FLIPS FILE...
//
// Each file is cut off at so many places, has bytes changed at random so often (one to four at a
// time, some of them to the extremes of lengths: 0xff, 0x7f, 0x80, 0), and is read whole: all rows,
// then those that a condition on the first column leaves. An error or other values are fine; a
// crash, more than SECONDS_MAX or more than MEMORY_MAX of decoded bytes are not. Each file has a
// process of its own. Prints what was wrong and "N passed, N failed", of files.
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/budget.h"
#include "base/byte_source.h"
#include "base/mem.h"
#include "codec/parquet_reader.h"
#include "data/batch.h"

enum {
    SECONDS_MAX = 60, // for one damaged file
    PAGE_BYTES_MAX = 16 << 20,
    MEMORY_MAX = 512 << 20,
    ROWS_MAX = 200000,
};

// What a child is at, for the report of its end.
struct progress {
    char what[128];
    uint64_t errors;
    uint64_t reads;
    uint64_t memory;
};

static uint64_t random_next(uint64_t *seed)
{
    uint64_t mixed = (*seed += UINT64_C(0x9e3779b97f4a7c15));
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ mixed >> 31;
}

// ---- reading ----

static enum status read_rows(struct parquet_file *file,
                             const struct parquet_reader_options *options, struct err *err)
{
    struct parquet_reader *reader;
    struct batch batch;
    uint64_t rows = 0;
    TRY(parquet_reader_new(file, options, &reader, err));
    enum status status = STATUS_OK;
    while (rows < ROWS_MAX && status == STATUS_OK) {
        status = parquet_reader_next(reader, &batch, err);
        if (status == STATUS_OK) {
            status = batch_check(&batch, err);
            rows += batch.row_count;
        }
    }
    parquet_reader_free(reader);
    return status == STATUS_END ? STATUS_OK : status;
}

static enum status read_all(struct str bytes, struct budget *budget, struct err *err)
{
    struct byte_source_memory memory;
    struct parquet_file *file;
    struct parquet_file_options file_options = {.budget = budget};
    byte_source_memory_init(&memory, bytes);
    TRY(parquet_file_open(&memory.source, &file_options, &file, err));
    struct parquet_reader_options options = {.row_group_count = UINT32_MAX,
                                             .page_bytes_max = PAGE_BYTES_MAX,
                                             .budget = budget,
                                             .verify_checksums = true};
    enum status status = read_rows(file, &options, err);
    uint32_t count;
    const struct parquet_field *fields = parquet_file_fields(file, &count);
    const struct strview zero[1] = {{.size = 0}};
    if (count > 0 && type_physical(fields[0].type) < PHYSICAL_LIST) {
        struct arena arena;
        arena_init(&arena);
        struct parquet_field *numbered = arena_copy(&arena, fields, count * sizeof *fields);
        numbered[0].id = 1;
        struct column constant = {
            .physical = type_physical(fields[0].type), .row_count = 1, .values = zero};
        struct predicate_term term = {
            .column_id = 1, .op = PREDICATE_EQ, .type = fields[0].type, .constants = &constant};
        struct predicate predicate = {1, &term};
        options.fields = numbered;
        options.field_count = count;
        options.by_name = true;
        options.predicate = &predicate;
        options.filter = true;
        struct err other;
        enum status filtered = read_rows(file, &options, &other);
        status = status == STATUS_OK ? filtered : status;
        arena_release(&arena);
    }
    parquet_file_free(file);
    return status;
}

static void try_bytes(struct str bytes, struct progress *progress)
{
    struct budget budget;
    struct err err;
    budget_init(&budget, NULL, SIZE_MAX);
    alarm(SECONDS_MAX);
    progress->reads++;
    progress->errors += read_all(bytes, &budget, &err) != STATUS_OK;
    alarm(0);
    if (budget.peak > progress->memory) {
        progress->memory = budget.peak;
    }
    if (budget.peak > MEMORY_MAX) {
        fprintf(stderr, "%s: %" PRIu64 " bytes were held\n", progress->what, (uint64_t)budget.peak);
        exit(2);
    }
}

// ---- damage ----

static void truncate_all(struct str bytes, uint32_t times, struct progress *progress)
{
    for (uint32_t i = 0; i < times; i++) {
        size_t size = bytes.size * i / times;
        snprintf(progress->what, sizeof progress->what, "cut to %zu bytes", size);
        char *copy = mem_alloc(size + 1); // of its own size, so that reading behind it is seen
        memcpy(copy, bytes.ptr, size);
        try_bytes(str_make(copy, size), progress);
        mem_free(copy);
    }
}

static void flip_all(struct str bytes, uint32_t times, struct progress *progress)
{
    static const uint8_t extremes[] = {0xff, 0x7f, 0x80, 0x00};
    char *copy = mem_alloc(bytes.size + 1);
    for (uint32_t i = 0; i < times; i++) {
        uint64_t seed = i * UINT64_C(7919) + bytes.size;
        snprintf(progress->what, sizeof progress->what, "changed with seed %u", i);
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
        try_bytes(str_make(copy, bytes.size), progress);
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

static bool run_file(const char *path, uint32_t truncations, uint32_t flips,
                     struct progress *progress)
{
    struct str bytes;
    *progress = (struct progress){.what = "begun"};
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        if (!load(path, &bytes)) {
            fprintf(stderr, "cannot be read\n");
            exit(2);
        }
        truncate_all(bytes, truncations, progress);
        flip_all(bytes, flips, progress);
        exit(0);
    }
    int state = 0;
    bool ok = child > 0 && waitpid(child, &state, 0) == child && WIFEXITED(state) &&
              WEXITSTATUS(state) == 0;
    if (!ok) {
        printf("FAILED %s: %s: %s %d\n", path, progress->what,
               WIFSIGNALED(state) ? "signal" : "exit", // 14: it took too long
               WIFSIGNALED(state) ? WTERMSIG(state) : WEXITSTATUS(state));
    }
    return ok;
}

int main(int count, char **arguments)
{
    uint32_t failed = 0;
    uint64_t reads = 0;
    uint64_t errors = 0;
    uint64_t memory = 0;
    if (count < 4) {
        fputs("usage: parquet_hostile TRUNCATIONS FLIPS FILE...\n", stderr);
        return 2;
    }
    struct progress *progress =
        mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (progress == MAP_FAILED) {
        return 2;
    }
    for (int i = 3; i < count; i++) {
        failed += !run_file(arguments[i], (uint32_t)strtoul(arguments[1], NULL, 10),
                            (uint32_t)strtoul(arguments[2], NULL, 10), progress);
        reads += progress->reads;
        errors += progress->errors;
        memory = progress->memory > memory ? progress->memory : memory;
    }
    printf("  %" PRIu64 " damaged files read, %" PRIu64 " ended in an error, at most %" PRIu64
           " bytes held\n",
           reads, errors, memory);
    printf("%u passed, %u failed\n", (uint32_t)(count - 3) - failed, failed);
    return failed > 0 ? 1 : 0;
}
