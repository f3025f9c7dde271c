// SPDX-License-Identifier: Apache-2.0
//
// bench_state: checkpoints of a large state whose rows change at random.
//
//     bench_state MIB EPOCHS PERCENT DIRECTORY
//
// One hash table of MIB of rows (a BIGINT key, 64 bytes in all). In each epoch PERCENT of the rows
// are updated, in batches of 2,048 keys at random; the checkpoint of the epoch before is written
// between the first two thirds of the batches, in slices as a worker takes them. Segments go to
// files in DIRECTORY, those that no checkpoint lists are removed. In the end the last checkpoint is
// restored into another table and compared.
//
// Prints one line of JSON: bytes of rows changed (each row once an epoch) and of segments written,
// the 99th percentiles of the time of a batch without a checkpoint under way and with one, in CPU
// time of the thread (the machine may be shared) and slice included, and bytes and time of the
// restore.
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/budget.h"
#include "base/byte_sink.h"
#include "base/byte_source.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "data/batch.h"
#include "state/hash_table.h"
#include "state/state.h"

enum {
    BATCH = BATCH_ROWS_MAX,
    EXTRA = 32,
    SLICE = 48 << 10, // what a busy worker writes between two rounds
};

static const char *directory;
static uint64_t segment_bytes, segments_sealed;

static void check(enum status status, const struct err *err)
{
    if (status != STATUS_OK) {
        fprintf(stderr, "bench_state: %s\n", err->text);
        exit(1);
    }
}

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// --- segments ------------------------------------------------------------------------------------

struct file_sink {
    struct state_segment_sink sink;
    struct byte_sink bytes;
    int file;
};

static const char *path_of(uint64_t number)
{
    static char path[4096];
    (void)snprintf(path, sizeof path, "%s/%" PRIu64 ".segment", directory, number);
    return path;
}

static enum status file_write(struct byte_sink *self, const void *bytes, size_t size,
                              struct err *err)
{
    struct file_sink *sink =
        (struct file_sink *)(void *)((char *)self - offsetof(struct file_sink, bytes));
    if (write(sink->file, bytes, size) != (ssize_t)size) {
        return ERR(err, STATUS_IO, "a segment cannot be written");
    }
    return STATUS_OK;
}

static enum status segment_open(struct state_segment_sink *self, uint64_t number,
                                struct byte_sink **out, struct err *err)
{
    static const struct byte_sink_ops ops = {.write = file_write};
    struct file_sink *sink = (struct file_sink *)self;
    sink->file = open(path_of(number), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
    if (sink->file < 0) {
        return ERR(err, STATUS_IO, "%s cannot be made", path_of(number));
    }
    sink->bytes = (struct byte_sink){.ops = &ops};
    *out = &sink->bytes;
    return STATUS_OK;
}

static enum status segment_seal(struct state_segment_sink *self, struct state_segment segment,
                                struct err *err)
{
    (void)err;
    close(((struct file_sink *)self)->file);
    segment_bytes += segment.size;
    segments_sealed = segment.number;
    return STATUS_OK;
}

struct file_source {
    struct byte_source source;
    int file;
};

static enum status source_read(struct byte_source *self, uint64_t offset, size_t size, void *out,
                               struct err *err)
{
    struct file_source *source = (struct file_source *)self;
    if (pread(source->file, out, size, (off_t)offset) != (ssize_t)size) {
        return ERR(err, STATUS_IO, "a segment cannot be read");
    }
    return STATUS_OK;
}

// --- the table -----------------------------------------------------------------------------------

struct bench {
    struct budget budget;
    struct state_pool *pool;
    struct arena arena;
    const struct row_layout *layout;
    uint64_t rows;
    uint64_t seed;
    VEC(double) quiet, during; // CPU seconds of batches
    struct file_sink sink;
    bool is_writing;
    uint64_t first_live; // segments before it are removed
};

static struct state_context *new_context(struct bench *bench)
{
    return state_context_new(&(struct state_context_options){.pool = bench->pool,
                                                             .operator_id = STR_LIT("bench"),
                                                             .key_group_from = 0,
                                                             .key_group_to = 4096});
}

static struct hash_table *new_table(struct bench *bench, struct state_context *context)
{
    return hash_table_new(context, &(struct hash_table_options){.layout = bench->layout, .id = 1});
}

static int64_t random_key(struct bench *bench)
{
    bench->seed += UINT64_C(0x9e3779b97f4a7c15);
    return (int64_t)(hash_word(bench->seed) % bench->rows);
}

// Adds 1 to the first words of the rows of keys[0 ... count - 1].
static void change(struct bench *bench, struct hash_table *table, const int64_t *keys,
                   uint32_t count)
{
    static uint64_t hashes[BATCH];
    static struct row *rows[BATCH];
    struct column column = {.physical = PHYSICAL_I64, .row_count = count, .values = keys};
    for (uint32_t i = 0; i < count; i++) {
        hashes[i] = hash_word((uint64_t)keys[i] + 1);
    }
    struct hash_keys request = {&column, 1, hashes, NULL, count};
    struct err err;
    uint32_t ready;
    for (uint32_t from = 0; from < count; from += ready) {
        check(hash_table_prepare(table, &request, from, &ready, &err), &err);
        hash_table_upsert(table, &request, from, ready, rows, NULL);
        for (uint32_t i = 0; i < ready; i++) {
            int64_t *words = (int64_t *)(void *)row_extra(bench->layout, rows[i]);
            words[0]++;
            words[1] += keys[from + i];
        }
    }
    hash_table_done(table);
}

static void fill(struct bench *bench, struct hash_table *table)
{
    static int64_t keys[BATCH];
    for (uint64_t at = 0; at < bench->rows; at += BATCH) {
        uint32_t count = bench->rows - at < BATCH ? (uint32_t)(bench->rows - at) : BATCH;
        for (uint32_t i = 0; i < count; i++) {
            keys[i] = (int64_t)(at + i);
        }
        change(bench, table, keys, count);
    }
}

// One slice; true: the checkpoint is done.
static bool write_slice(struct state_context *context, size_t size)
{
    struct err err;
    bool waiting;
    enum status status = state_checkpoint_step(context, size, &waiting, &err);
    if (status != STATUS_AGAIN) {
        check(status, &err);
    }
    return status == STATUS_OK;
}

static void remove_dead(struct bench *bench, struct state_context *context)
{
    struct arena arena;
    struct state_segment *live;
    arena_init(&arena);
    uint32_t count = state_checkpoint_segments(context, &arena, &live);
    uint32_t next = 0;
    for (uint64_t n = bench->first_live; n <= segments_sealed; n++) {
        while (next < count && live[next].number < n) {
            next++;
        }
        if (next == count || live[next].number != n) {
            (void)unlink(path_of(n));
        }
    }
    bench->first_live = count > 0 ? live[0].number : segments_sealed + 1;
    arena_release(&arena);
}

static void run_batch(struct bench *bench, struct state_context *context, struct hash_table *table)
{
    static int64_t keys[BATCH];
    for (uint32_t i = 0; i < BATCH; i++) {
        keys[i] = random_key(bench);
    }
    bool is_during = bench->is_writing;
    double begin = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    change(bench, table, keys, BATCH);
    if (bench->is_writing) {
        bench->is_writing = !write_slice(context, SLICE);
    }
    double took = seconds_of(CLOCK_THREAD_CPUTIME_ID) - begin;
    if (is_during) {
        VEC_PUSH(&bench->during, took);
    } else {
        VEC_PUSH(&bench->quiet, took);
    }
}

// An epoch: its updates, while the checkpoint of the epoch before is written; the last third of
// them when that is done.
static void run_epoch(struct bench *bench, struct state_context *context, struct hash_table *table,
                      uint64_t batches)
{
    for (uint64_t b = 0; b < batches; b++) {
        if (b == batches * 2 / 3) {
            while (bench->is_writing) {
                bench->is_writing = !write_slice(context, SLICE);
            }
        }
        run_batch(bench, context, table);
    }
    remove_dead(bench, context);
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;
    return left < right ? -1 : left > right;
}

static double percentile(double *values, uint32_t count, double share)
{
    qsort(values, count, sizeof *values, compare);
    return count == 0 ? 0 : values[(uint32_t)((double)(count - 1) * share)];
}

// Order does not matter: a sum over the rows.
static uint64_t digest(struct bench *bench, struct hash_table *table)
{
    static struct row *rows[BATCH];
    struct hash_table_scan scan = {0};
    uint64_t sum = 0;
    uint32_t count;
    struct err err;
    enum status status;
    while ((status = hash_table_scan_next(table, &scan, rows, BATCH, &count, &err)) == STATUS_OK) {
        for (uint32_t i = 0; i < count; i++) {
            uint64_t words[2];
            memcpy(words, row_extra(bench->layout, rows[i]), sizeof words);
            sum += hash_word(rows[i]->hash ^ hash_word(words[0]) ^ words[1]);
        }
    }
    hash_table_done(table);
    return sum;
}

struct restored {
    uint64_t bytes, digest, rows;
    double wall, cpu;
};

static struct restored restore(struct bench *bench, const struct state_segment *live,
                               uint32_t count)
{
    static const struct byte_source_ops ops = {.read_at = source_read};
    struct restored out = {0};
    struct file_source *files = arena_new_array(&bench->arena, struct file_source, count);
    struct byte_source **sources = arena_new_array(&bench->arena, struct byte_source *, count);
    for (uint32_t i = 0; i < count; i++) {
        files[i] = (struct file_source){{.ops = &ops, .size = live[i].size, .name = STR_LIT("s")},
                                        open(path_of(live[i].number), O_RDONLY | O_CLOEXEC)};
        sources[i] = &files[i].source;
        out.bytes += live[i].size;
    }
    double wall = seconds_of(CLOCK_MONOTONIC);
    double cpu = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    struct state_context *context = new_context(bench);
    struct hash_table *table = new_table(bench, context);
    struct state_former former = {count, live, sources, true};
    struct err err;
    bool waiting;
    enum status status;
    state_restore_begin(context, &former, 1, segments_sealed + 1);
    while ((status = state_restore_step(context, 1 << 20, &waiting, &err)) == STATUS_AGAIN) {
    }
    check(status, &err);
    out.wall = seconds_of(CLOCK_MONOTONIC) - wall;
    out.cpu = seconds_of(CLOCK_THREAD_CPUTIME_ID) - cpu;
    out.digest = digest(bench, table);
    out.rows = hash_table_count(table);
    state_context_free(context);
    for (uint32_t i = 0; i < count; i++) {
        close(files[i].file);
    }
    return out;
}

// `changed`: bytes of the rows that the epochs' checkpoints had to write.
static int finish(struct bench *bench, struct state_context *context, struct hash_table *table,
                  uint64_t changed, uint64_t written)
{
    struct state_segment *live;
    uint32_t count = state_checkpoint_segments(context, &bench->arena, &live);
    uint64_t state = state_context_bytes(context);
    uint64_t expected = digest(bench, table);
    uint64_t rows = hash_table_count(table);
    state_context_free(context);
    struct restored restored = restore(bench, live, count);
    printf(
        "{\"state_bytes\":%" PRIu64 ",\"rows\":%" PRIu64 ",\"changed_bytes\":%" PRIu64
        ",\"written_bytes\":%" PRIu64 ",\"p99_quiet_us\":%.1f,\"p99_during_us\":%.1f,"
        "\"p50_quiet_us\":%.1f,\"p50_during_us\":%.1f,\"batches_quiet\":%u,\"batches_during\":%u,"
        "\"restore_bytes\":%" PRIu64 ",\"restore_s\":%.2f,\"restore_cpu_s\":%.2f,"
        "\"equal\":%s}\n",
        state, rows, changed, written,
        percentile(bench->quiet.items, bench->quiet.count, 0.99) * 1e6,
        percentile(bench->during.items, bench->during.count, 0.99) * 1e6,
        percentile(bench->quiet.items, bench->quiet.count, 0.5) * 1e6,
        percentile(bench->during.items, bench->during.count, 0.5) * 1e6, bench->quiet.count,
        bench->during.count, restored.bytes, restored.wall, restored.cpu,
        restored.digest == expected && restored.rows == rows ? "true" : "false");
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "bench_state MIB EPOCHS PERCENT DIRECTORY\n");
        return 2;
    }
    static const struct type *const types[] = {&type_bigint};
    static struct bench bench;
    uint64_t epochs = strtoull(argv[2], NULL, 10);
    directory = argv[4];
    (void)mkdir(directory, 0755);
    arena_init(&bench.arena);
    budget_init(&bench.budget, NULL, SIZE_MAX);
    bench.pool = state_pool_new(&(struct state_pool_options){.budget = &bench.budget});
    bench.layout = row_layout_new(&bench.arena, types, 1, 1, EXTRA);
    bench.rows = (strtoull(argv[1], NULL, 10) << 20) / bench.layout->fixed_size;
    bench.sink.sink = (struct state_segment_sink){segment_open, segment_seal};
    bench.first_live = 1;
    uint64_t batches = (bench.rows * strtoull(argv[3], NULL, 10) / 100 + BATCH - 1) / BATCH;
    struct state_context *context = new_context(&bench);
    struct hash_table *table = new_table(&bench, context);
    fill(&bench, table);
    state_checkpoint_begin(context, &bench.sink.sink);
    while (!write_slice(context, 64 << 20)) {
    }
    segment_bytes = 0;
    for (uint64_t i = 0; i < epochs; i++) {
        run_epoch(&bench, context, table, batches);
        state_checkpoint_begin(context, &bench.sink.sink);
        bench.is_writing = true;
    }
    while (!write_slice(context, 64 << 20)) {
    }
    remove_dead(&bench, context);
    // Keys at random: a few are drawn twice in an epoch, and count once.
    double share = (double)(batches * BATCH) / (double)bench.rows;
    double distinct = (double)bench.rows * (1 - __builtin_exp(-share));
    int result =
        finish(&bench, context, table,
               (uint64_t)(distinct * (double)bench.layout->fixed_size) * epochs, segment_bytes);
    state_pool_free(bench.pool);
    VEC_RELEASE(&bench.quiet);
    VEC_RELEASE(&bench.during);
    arena_release(&bench.arena);
    return result;
}
