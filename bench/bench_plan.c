// SPDX-License-Identifier: Apache-2.0
//
// Planning of scans: which files, from manifests alone.
//
//     bench_plan make DIR FILES      a table with so many data files of 20 columns with statistics,
//                                    which are only told of
//     bench_plan plan DIR [RUNS]     "cold MS CPU_MS | cached MS | filtered MS | scattered MS | …"
//
// The first column is ascending over the files, the second scattered. `filtered` asks for a value
// of the first, `scattered` of the second: first times (statistics are decoded) and again.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/mem.h"
#include "data/predicate.h"
#include "data/type.h"
#include "iceberg/catalog_hadoop.h"
#include "iceberg/commit.h"
#include "iceberg/scan.h"
#include "iceberg/spec/table_update.h"
#include "store/store_file.h"

enum { COLUMNS = 20, FILES_A_COMMIT = 50000, ROWS_A_FILE = 1000 };

#define CHECK(call)                                                                                \
    do {                                                                                           \
        if ((call) != STATUS_OK) {                                                                 \
            fprintf(stderr, "%s\n", err.text);                                                     \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static struct catalog *open_warehouse(const char *directory, struct store *store)
{
    return catalog_hadoop_open(&(struct catalog_hadoop_options){.name = STR_LIT("bench"),
                                                                .default_database = STR_LIT("db"),
                                                                .warehouse = str_from(directory),
                                                                .store = store});
}

static const struct table_name table_name = {{"db", 2}, {"t", 1}};

static void create(const struct table_place *place, const char *directory)
{
    struct err err;
    struct arena arena = {0};
    struct iceberg_field fields[COLUMNS];
    for (int i = 0; i < COLUMNS; i++) {
        fields[i] = (struct iceberg_field){
            .id = i + 1,
            .name = arena_printf(&arena, "c%02d", i + 1),
            .type = iceberg_type_simple(i % 4 == 3 ? ICEBERG_STRING : ICEBERG_LONG)};
    }
    struct iceberg_type columns = {
        .kind = ICEBERG_STRUCT, .field_count = COLUMNS, .fields = fields};
    struct table_update_new table = {.format_version = 2,
                                     .uuid = STR_LIT("00000000-0000-4000-8000-000000000001"),
                                     .location = arena_printf(&arena, "%s/db/t", directory),
                                     .columns = &columns};
    CHECK(commit_create(place, &table_name, &table, &err));
    arena_release(&arena);
}

static int64_t *number(struct arena *arena, int64_t value)
{
    return arena_copy(arena, &value, sizeof value);
}

static void describe(struct arena *arena, const char *directory, int64_t at, struct data_file *out)
{
    struct data_file_metric *metrics = arena_new_array(arena, struct data_file_metric, COLUMNS);
    for (int i = 0; i < COLUMNS; i++) {
        int64_t low = i == 0 ? at * ROWS_A_FILE : (int64_t)(hash_word((uint64_t)at + 1) >> 24);
        struct str text = arena_printf(arena, "value-%012" PRId64, low);
        struct str lower = str_make((const char *)number(arena, low), 8);
        struct str upper = str_make((const char *)number(arena, low + ROWS_A_FILE - 1), 8);
        metrics[i] = (struct data_file_metric){.id = i + 1,
                                               .size = 4000 + at % 1000,
                                               .value_count = ROWS_A_FILE,
                                               .nan_count = DATA_FILE_NONE,
                                               .lower = i % 4 == 3 ? text : lower,
                                               .upper = i % 4 == 3 ? text : upper};
    }
    *out = (struct data_file){
        .path = arena_printf(arena, "%s/db/t/data/00000-%" PRId64 "-3a1f0c5e-%08" PRIx64 ".parquet",
                             directory, at, hash_word((uint64_t)at)),
        .format = STR_LIT("PARQUET"),
        .record_count = ROWS_A_FILE,
        .file_size = 100000 + at % 5000,
        .metric_count = COLUMNS,
        .metrics = metrics,
        .split_offset_count = 1,
        .split_offsets = number(arena, 4),
        .sort_order_id = 0,
        .first_row_id = DATA_FILE_NONE,
        .content_offset = DATA_FILE_NONE,
        .content_size = DATA_FILE_NONE};
}

static void make(const char *directory, int64_t files)
{
    struct err err;
    struct store *store = store_file_new(NULL);
    struct catalog *catalog = open_warehouse(directory, store);
    struct table_place place;
    struct iceberg_table *table;
    catalog->ops->place(catalog, &place);
    create(&place, directory);
    CHECK(iceberg_table_open(&place, &table_name, &table, &err));
    for (int64_t at = 0; at < files;) {
        struct arena arena = {0};
        struct commit_result result;
        int64_t count = files - at < FILES_A_COMMIT ? files - at : FILES_A_COMMIT;
        struct data_file *described = arena_new_array(&arena, struct data_file, (size_t)count);
        for (int64_t i = 0; i < count; i++) {
            describe(&arena, directory, at + i, &described[i]);
        }
        struct commit_options options = {.files = described, .file_count = (uint32_t)count};
        CHECK(commit_run(table, &options, &result, &err));
        arena_release(&arena);
        at += count;
    }
    iceberg_table_free(table);
    catalog->ops->close(catalog);
    store_free(store);
}

static double now_ms(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

struct run {
    double ms, cpu_ms;
    uint32_t tasks;
};

// Plans; `column` 0: without a filter, else that column must be `value`.
static struct run plan(const struct table_place *place, int32_t column, int64_t value)
{
    struct err err;
    struct arena arena = {0};
    struct iceberg_table *table;
    struct scan_plan out;
    const struct column constant = {.physical = PHYSICAL_I64, .row_count = 1, .values = &value};
    const struct predicate_term term = {
        .column_id = column, .op = PREDICATE_EQ, .type = &type_bigint, .constants = &constant};
    const struct predicate predicate = {.term_count = 1, .terms = &term};
    struct scan_options options = {.predicate = column > 0 ? &predicate : NULL};
    double start = now_ms(CLOCK_MONOTONIC);
    double start_cpu = now_ms(CLOCK_PROCESS_CPUTIME_ID);
    CHECK(iceberg_table_open(place, &table_name, &table, &err));
    CHECK(scan_plan(table, &options, &arena, &out, &err));
    struct run run = {now_ms(CLOCK_MONOTONIC) - start, now_ms(CLOCK_PROCESS_CPUTIME_ID) - start_cpu,
                      out.task_count};
    iceberg_table_free(table);
    arena_release(&arena);
    return run;
}

static struct run best(const struct table_place *place, int32_t column, int64_t value, int runs)
{
    struct run least = plan(place, column, value);
    for (int i = 1; i < runs; i++) {
        struct run run = plan(place, column, value);
        least = run.ms < least.ms ? run : least;
    }
    return least;
}

static void measure(const char *directory, int runs)
{
    struct store *store = store_file_new(NULL);
    struct catalog *catalog = open_warehouse(directory, store);
    struct table_place place;
    struct rusage usage;
    catalog->ops->place(catalog, &place);
    struct run cold = plan(&place, 0, 0);
    if (runs == 0) {
        printf("cold %.1f ms, cpu %.1f ms\n", cold.ms, cold.cpu_ms);
        exit(0);
    }
    struct run cached = best(&place, 0, 0, runs);
    int64_t middle = (int64_t)cold.tasks / 2;
    int64_t scattered = (int64_t)(hash_word((uint64_t)middle + 1) >> 24);
    struct run first = plan(&place, 1, middle * ROWS_A_FILE);
    struct run filtered = best(&place, 1, middle * ROWS_A_FILE, runs);
    struct run other_first = plan(&place, 2, scattered);
    struct run other = best(&place, 2, scattered, runs);
    getrusage(RUSAGE_SELF, &usage);
    printf("files %u\n", cold.tasks);
    printf("cold %.1f ms, cpu %.1f ms\n", cold.ms, cold.cpu_ms);
    printf("cached %.2f ms\n", cached.ms);
    printf("filtered %.2f ms, first %.1f ms, files %u\n", filtered.ms, first.ms, filtered.tasks);
    printf("scattered %.2f ms, first %.1f ms, files %u\n", other.ms, other_first.ms, other.tasks);
    printf("peak %ld KiB\n", usage.ru_maxrss);
    catalog->ops->close(catalog);
    store_free(store);
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "make") == 0) {
        make(argv[2], strtoll(argv[3], NULL, 10));
        return 0;
    }
    if (argc >= 3 && strcmp(argv[1], "plan") == 0) {
        measure(argv[2], argc > 3 ? (int)strtol(argv[3], NULL, 10) : 5);
        return 0;
    }
    fprintf(stderr, "usage: bench_plan make DIR FILES | plan DIR [RUNS]\n");
    return 2;
}
