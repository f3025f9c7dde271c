// SPDX-License-Identifier: Apache-2.0
//
// bench_engine: keyed work on batches that stand in memory, so that nothing but exchange, state and
// checkpoints is measured.
//
//     bench_engine tumble|group [rows] [keys] [parallelism] [checkpoint directory [MiB]]
//
// With MiB, the job has a budget of so much (0: none) and a spill file, and keys are drawn anew for
// each row instead of repeating a million of them.
//
// Keys are shuffled 64-bit numbers. Prints rows, seconds, CPU-seconds of the process, rows a
// CPU-second, checkpoints taken. The sink adds up the counts and sums that come out, changes of a
// GROUP BY by their sign: they must be those of the rows that went in.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "engine/job.h"
#include "exec/sink.h"
#include "sql/bind.h"
#include "sql/parse.h"
#include "state/spill.h"
#include "store/store_file.h"
#include "sys/clock.h"

enum { POOL_BATCHES = 512 };

static uint64_t row_total = 50000000;
static uint64_t key_total = 1000000;
static bool draws_keys;
static _Atomic int64_t rows_counted, values_summed, values_made;

static void draw(uint64_t number, uint32_t instance, int64_t *key, int64_t *value)
{
    uint64_t random = hash_word(number * 2654435761u + instance * 977u + 1);
    *key = (int64_t)(random % key_total);
    *value = (int64_t)(random >> 40);
}

struct memory_reader {
    struct source_reader reader;
    struct source_split split;
    uint64_t left;
    uint64_t next;
    uint32_t instance;
    int64_t *keys, *values, *times;
    struct column columns[3];
};

static enum status memory_poll(struct source_reader *base, struct batch *out, struct err *err)
{
    (void)err;
    struct memory_reader *reader = (struct memory_reader *)base;
    if (reader->left == 0) {
        reader->split.state = SPLIT_FINISHED;
        return STATUS_END;
    }
    uint32_t count = reader->left < BATCH_ROWS_MAX ? (uint32_t)reader->left : BATCH_ROWS_MAX;
    size_t at = draws_keys ? 0 : (size_t)(reader->next % POOL_BATCHES) * BATCH_ROWS_MAX;
    for (uint32_t i = 0; draws_keys && i < count; i++) {
        draw(reader->next * BATCH_ROWS_MAX + i, reader->instance, &reader->keys[i],
             &reader->values[i]);
        values_made += reader->values[i];
    }
    // Event time rises by one millisecond for each thousand rows.
    for (uint32_t i = 0; i < count; i++) {
        reader->times[i] = (int64_t)(reader->next * BATCH_ROWS_MAX + i);
    }
    const int64_t *arrays[] = {reader->keys + at, reader->values + at, reader->times};
    for (int c = 0; c < 3; c++) {
        reader->columns[c] =
            (struct column){.physical = PHYSICAL_I64, .row_count = count, .values = arrays[c]};
    }
    reader->left -= count;
    reader->next++;
    *out = (struct batch){.row_count = count, .column_count = 3, .columns = reader->columns};
    return STATUS_OK;
}

static void memory_snapshot(struct source_reader *base, const struct op_context *context,
                            struct snapshot_writer *writer)
{
    struct memory_reader *reader = (struct memory_reader *)base;
    writer->put(writer, context->operator_id, context->instance, STR_LIT("split/memory"),
                str_make((const char *)&reader->next, sizeof reader->next));
}

static void memory_close(struct source_reader *base)
{
    struct memory_reader *reader = (struct memory_reader *)base;
    mem_free(reader->keys);
    mem_free(reader->values);
    mem_free(reader->times);
    mem_free(reader);
}

static const struct source_reader_ops memory_ops = {
    .poll = memory_poll, .snapshot = memory_snapshot, .close = memory_close};

static enum status memory_open(const struct plan_node *scan, const struct op_context *context,
                               struct source_reader **out, struct err *err)
{
    (void)scan;
    (void)err;
    struct memory_reader *reader = mem_zalloc(sizeof *reader);
    size_t pool = draws_keys ? BATCH_ROWS_MAX : (size_t)POOL_BATCHES * BATCH_ROWS_MAX;
    reader->reader.ops = &memory_ops;
    reader->split = (struct source_split){
        .name = STR_LIT("memory"), .caught_up_us = -1, .watermark = WATERMARK_NONE};
    reader->reader.splits = (struct source_splits){.count = 1, .items = &reader->split};
    reader->left = row_total / context->parallelism;
    reader->keys = mem_alloc(pool * sizeof(int64_t));
    reader->values = mem_alloc(pool * sizeof(int64_t));
    reader->times = mem_alloc(BATCH_ROWS_MAX * sizeof(int64_t));
    for (size_t i = 0; i < pool; i++) {
        draw(i, context->instance, &reader->keys[i], &reader->values[i]);
    }
    reader->instance = context->instance;
    int64_t sum = 0;
    for (uint64_t i = 0; !draws_keys && i < reader->left; i++) {
        sum += reader->values[i % pool];
    }
    values_made += sum;
    *out = &reader->reader;
    return STATUS_OK;
}

// --- the sink: totals of the last two columns, COUNT and SUM ------------------------------------

static int64_t total(const struct column *column, const int8_t *kinds)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < column->row_count; i++) {
        int64_t value = *(const int64_t *)column_value(column, i);
        bool is_back =
            kinds != NULL && (kinds[i] == CHANGE_UPDATE_BEFORE || kinds[i] == CHANGE_DELETE);
        sum += is_back ? -value : value;
    }
    return sum;
}

static enum op_result counting_on_batch(struct op *op, uint32_t port, const struct batch *in,
                                        struct op_output *out, struct err *err)
{
    (void)op;
    (void)port;
    (void)err;
    out->batch.row_count = 0;
    rows_counted += total(&in->columns[in->column_count - 2], in->kinds);
    values_summed += total(&in->columns[in->column_count - 1], in->kinds);
    return OP_DONE;
}

static void counting_close(struct op *op)
{
    op_release(op);
    mem_free(op);
}

static const struct op_class counting_class = {
    .name = "counting", .on_batch = counting_on_batch, .close = counting_close};

static enum status counting_open(const struct plan_node *sink, const struct op_context *context,
                                 struct op **out, struct err *err)
{
    (void)err;
    *out = mem_zalloc(sizeof **out);
    op_init(*out, &counting_class, context, sink);
    return STATUS_OK;
}

static const struct sink_class counting_sink = {.name = "counting", .open = counting_open};

static const struct source_class memory_source = {.name = "memory", .open = memory_open};

static enum status find_source(void *self, const struct table_def *table,
                               const struct source_class **out, struct err *err)
{
    (void)self;
    (void)table;
    (void)err;
    *out = &memory_source;
    return STATUS_OK;
}

static enum status find_sink(void *self, const struct table_def *table,
                             const struct sink_class **out, struct err *err)
{
    (void)self;
    (void)table;
    (void)err;
    *out = &counting_sink;
    return STATUS_OK;
}

static enum status describe(void *self, struct arena *arena, const struct table_def *def,
                            bool as_sink, struct connector_info *out, struct err *err)
{
    (void)self;
    (void)arena;
    (void)err;
    (void)def;
    (void)as_sink;
    *out = (struct connector_info){.name = STR_LIT("memory"),
                                   .can_read = true,
                                   .can_write = true,
                                   .is_bounded = true,
                                   .source_changes = CONNECTOR_INSERT_ONLY,
                                   .sink_changes = 15};
    return STATUS_OK;
}

static struct table_def *tables[2];

static enum status find_table(void *self, struct arena *arena, const struct str *path,
                              uint32_t part_count, const struct table_def **out, struct err *err)
{
    (void)self;
    (void)arena;
    (void)err;
    for (int i = 0; i < 2; i++) {
        if (str_equal(tables[i]->name, path[part_count - 1])) {
            *out = tables[i];
            return STATUS_OK;
        }
    }
    return STATUS_NOT_FOUND;
}

static void check(enum status status, const struct err *err)
{
    if (status != STATUS_OK && status != STATUS_END) {
        fprintf(stderr, "bench_engine: %s\n", err->text);
        exit(1);
    }
}

static double cpu_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static const struct ast_statement *parse(struct arena *arena, const char *text)
{
    struct err err;
    const struct ast_statement *statement;
    check(parse_statement(arena, str_from(text), &statement, &err), &err);
    return statement;
}

static struct spill *open_spill(struct arena *arena, const char *directory)
{
    struct spill_options options = {.directory = arena_printf(arena, "%s/spill", directory).ptr,
                                    .has_thread = true};
    struct spill *spill;
    struct err err;
    check(spill_new(&options, &spill, &err), &err);
    return spill;
}

static const char source_text[] =
    "CREATE TABLE m (k BIGINT, v BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' "
    "SECOND) WITH ('connector' = 'memory')";
static const char group_sink_text[] =
    "CREATE TABLE s (k BIGINT, n BIGINT, v BIGINT) WITH ('connector' = 'x')";
static const char tumble_sink_text[] =
    "CREATE TABLE s (w TIMESTAMP(3), k BIGINT, n BIGINT, v BIGINT) WITH ('connector' = 'x')";
static const char group_text[] = "INSERT INTO s SELECT k, COUNT(*), SUM(v) FROM m GROUP BY k";
static const char tumble_text[] =
    "INSERT INTO s SELECT window_start, k, COUNT(*), SUM(v) FROM TABLE(TUMBLE(TABLE m, "
    "DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end, k";

static struct plan *make_plan(struct arena *arena, bool is_group)
{
    struct err err;
    struct plan *plan;
    struct bind_context context = {.arena = arena,
                                   .catalog_name = STR_LIT("c"),
                                   .database = STR_LIT("d"),
                                   .tables = {.find = find_table},
                                   .connectors = {.describe = describe},
                                   .settings = {.expr = {.is_streaming = true}}};
    const char *sink = is_group ? group_sink_text : tumble_sink_text;
    const char *query = is_group ? group_text : tumble_text;
    check(
        bind_create_table(&context, &parse(arena, source_text)->as.create_table, &tables[0], &err),
        &err);
    check(bind_create_table(&context, &parse(arena, sink)->as.create_table, &tables[1], &err),
          &err);
    const struct ast_insert *insert = &parse(arena, query)->as.insert;
    context.text = str_from(query);
    check(bind_statement_set(&context, &insert, 1, &plan, &err), &err);
    return plan;
}

// Arguments 5 and 6: where checkpoints go, and how much memory there is.
static void set_pipeline(struct job_options *options, struct arena *arena, int argc, char **argv)
{
    if (argc > 5) {
        options->store = store_file_new(NULL);
        options->directory = str_from(argv[5]);
        options->name = STR_LIT("bench");
        options->plan_digest = STR_LIT("0");
        options->checkpoint_interval_ms = 1000;
        options->fresh = true;
    }
    if (argc > 6) {
        uint64_t mib = strtoull(argv[6], NULL, 10);
        draws_keys = true;
        options->memory_limit = mib == 0 ? (size_t)64 << 30 : (size_t)mib << 20;
        options->checkpoint_interval_ms = 10000;
        options->spill = open_spill(arena, argv[5]);
    }
}

int main(int argc, char **argv)
{
    bool is_group = argc > 1 && strcmp(argv[1], "group") == 0;
    row_total = argc > 2 ? strtoull(argv[2], NULL, 10) : row_total;
    key_total = argc > 3 ? strtoull(argv[3], NULL, 10) : key_total;
    uint32_t parallelism = argc > 4 ? (uint32_t)strtoul(argv[4], NULL, 10) : 2;
    struct arena arena = {0};
    struct err err;
    struct connectors connectors = {find_source, find_sink, NULL};
    struct expr_settings settings = {.is_streaming = true};
    struct job_options options = {.plan = make_plan(&arena, is_group),
                                  .connectors = &connectors,
                                  .expr_settings = &settings,
                                  .clock = clock_system(),
                                  .parallelism = parallelism,
                                  .memory_limit = (size_t)4 << 30,
                                  .watermark_interval_ms = 200,
                                  .threads = true,
                                  .seed = {1, 2}};
    set_pipeline(&options, &arena, argc, argv);
    double cpu = cpu_seconds();
    int64_t begin = clock_monotonic_us(clock_system());
    struct job *job;
    check(job_start(&options, &job, &err), &err);
    check(job_wait(job, -1, &err), &err);
    double seconds = (double)(clock_monotonic_us(clock_system()) - begin) / 1e6;
    cpu = cpu_seconds() - cpu;
    struct job_status status;
    job_read_status(job, &status);
    printf("%s rows=%" PRIu64 " keys=%" PRIu64 " P=%u seconds=%.2f cpu=%.2f Mrows/cpu-s=%.2f "
           "checkpoints=%" PRIu64 " state=%" PRIu64 " spilled=%" PRIu64 "\n",
           is_group ? "group" : "tumble", row_total, key_total, parallelism, seconds, cpu,
           (double)row_total / cpu / 1e6, status.last_checkpoint.number, status.state_bytes,
           options.spill == NULL ? 0 : spill_bytes(options.spill));
    job_free(job);
    spill_free(options.spill);
    arena_release(&arena);
    if (rows_counted != (int64_t)row_total || values_summed != values_made) {
        fprintf(stderr,
                "bench_engine: %" PRId64 " rows counted, sum %" PRId64 ", expected %" PRId64 "\n",
                rows_counted, values_summed, values_made);
        return 1;
    }
    return 0;
}
