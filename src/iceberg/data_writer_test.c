// SPDX-License-Identifier: Apache-2.0
//
// The data writer over a store in memory: what goes in comes out by scan and reader, whatever
// happens in between.
#include "iceberg/data_writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "data/batch.h"
#include "iceberg/scan.h"
#include "iceberg/table_reader.h"
#include "iceberg/test_world.h"

static const uint64_t writer_tag = 0xabcdef;

enum { STATE_MAX = 64 << 20 };

static struct data_writer *open_writer(struct world *world, struct iceberg_table *table,
                                       uint64_t run, uint32_t instance, size_t memory_max)
{
    struct err err;
    struct data_writer *writer;
    struct data_writer_options options = {.metadata = table->metadata,
                                          .store = world->store,
                                          .env = &world->env,
                                          .memory_max = memory_max,
                                          .writer_tag = writer_tag,
                                          .run = run,
                                          .instance = instance,
                                          .segment_directory = STR_LIT("checkpoints/segments")};
    if (data_writer_new(&options, &writer, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    return writer;
}

// Rows (id, id % days) for ids in [from, from + count).
static void append_rows(struct data_writer *writer, int64_t from, int64_t count, int32_t days)
{
    struct err err;
    for (int64_t at = from; at < from + count;) {
        static int64_t ids[BATCH_ROWS_MAX]; // tests run one after the other
        static int32_t dates[BATCH_ROWS_MAX];
        uint32_t rows = 0;
        for (; rows < BATCH_ROWS_MAX && at < from + count; rows++, at++) {
            ids[rows] = at;
            dates[rows] = (int32_t)(at % days);
        }
        struct column columns[2] = {
            {.physical = PHYSICAL_I64, .row_count = rows, .values = ids},
            {.physical = PHYSICAL_I32, .row_count = rows, .values = dates},
        };
        struct batch batch = {.row_count = rows, .column_count = 2, .columns = columns};
        if (data_writer_append(writer, &batch, &err) != STATUS_OK) {
            fail_msg("%s", err.text);
        }
    }
}

struct barrier_result {
    struct strbuf state;
    struct strbuf committable;
    uint64_t state_number;
};

static void barrier(struct data_writer *writer, uint64_t epoch, bool close,
                    struct barrier_result *out)
{
    struct err err;
    strbuf_init(&out->state, STATE_MAX);
    strbuf_init(&out->committable, STATE_MAX);
    struct data_writer_state state = {.state = &out->state, .committable = &out->committable};
    if (data_writer_barrier(writer, &(struct data_writer_barrier){epoch, close}, &state, &err) !=
        STATUS_OK) {
        fail_msg("%s", err.text);
    }
    out->state_number = state.state_number;
}

static void result_release(struct barrier_result *result)
{
    strbuf_release(&result->state);
    strbuf_release(&result->committable);
}

static uint32_t commit(struct iceberg_table *table, struct str committable)
{
    struct err err;
    struct arena arena = {0};
    struct data_file *files;
    uint32_t count;
    struct commit_result result;
    assert_int_equal(data_writer_unpack(&arena, table->metadata, committable, &files, &count, &err),
                     STATUS_OK);
    struct commit_options options = {.files = files, .file_count = count, .writer_tag = writer_tag};
    assert_int_equal(commit_run(table, &options, &result, &err), STATUS_OK);
    arena_release(&arena);
    return count;
}

// Reads the table: every id of [0, count) once, with its date.
static void expect_rows(struct world *world, int64_t count, int32_t days)
{
    struct err err;
    struct arena arena = {0};
    struct iceberg_table *table = open_table(world);
    struct scan_plan plan;
    uint8_t *seen = mem_zalloc((size_t)count + 1);
    int64_t rows = 0;
    assert_int_equal(scan_plan(table, &(struct scan_options){0}, &arena, &plan, &err), STATUS_OK);
    for (uint32_t i = 0; i < plan.task_count; i++) {
        struct table_reader *reader;
        struct batch batch;
        struct table_reader_options options = {
            .store = world->store, .metadata = table->metadata, .schema = plan.schema};
        if (table_reader_open(&options, plan.tasks[i], &reader, &err) != STATUS_OK) {
            fail_msg("%s", err.text);
        }
        while (table_reader_next(reader, &batch, &err) == STATUS_OK) {
            for (uint32_t row = 0; row < batch.row_count; row++) {
                int64_t id;
                int32_t date;
                memcpy(&id, column_value(&batch.columns[0], row), sizeof id);
                memcpy(&date, column_value(&batch.columns[1], row), sizeof date);
                assert_true(id >= 0 && id < count);
                assert_int_equal(seen[id]++, 0);
                assert_int_equal(date, id % days);
                rows++;
            }
        }
        table_reader_free(reader);
    }
    assert_true(rows == count);
    assert_true((int64_t)plan.record_count == count);
    mem_free(seen);
    arena_release(&arena);
    iceberg_table_free(table);
}

static uint32_t count_objects(struct world *world, const char *prefix)
{
    struct arena arena = {0};
    struct err err;
    struct store_object *objects;
    size_t count;
    assert_int_equal(store_list(world->store, str_from(prefix), &arena, &objects, &count, &err),
                     STATUS_OK);
    arena_release(&arena);
    return (uint32_t)count;
}

static void test_rows_go_to_the_files_of_their_partitions(void **state)
{
    (void)state;
    struct world world;
    struct barrier_result result;
    world_init(&world, 2, NULL, 0);
    struct iceberg_table *table = open_table(&world);
    struct iceberg_table *own =
        open_table(&world); // the writers' own: a commit replaces the metadata
    struct data_writer *writer = open_writer(&world, own, 1, 0, 0);
    append_rows(writer, 0, 10000, 5);
    barrier(writer, 1, true, &result);
    assert_int_equal(commit(table, strbuf_str(&result.committable)), 5);
    expect_rows(&world, 10000, 5);
    assert_int_equal(count_objects(&world, "w/db/t/data/day=1970-01-03/"), 1);
    assert_int_equal(count_objects(&world, "checkpoints/"), 0); // nothing had to be spilled
    result_release(&result);
    barrier(writer, 2, true, &result); // no rows, no committable
    assert_int_equal(result.committable.size, 0);
    result_release(&result);
    data_writer_free(writer);
    iceberg_table_free(own);
    iceberg_table_free(table);
    store_free(world.store);
}

static void test_many_partitions_stay_within_their_memory(void **state)
{
    (void)state;
    struct world world;
    struct barrier_result result;
    const size_t memory = 20 << 20; // of which an open file takes about 10 KiB whatever it holds
    const int32_t days = 1500;
    world_init(&world, 2, NULL, 0);
    struct iceberg_table *table = open_table(&world);
    struct iceberg_table *own =
        open_table(&world); // the writers' own: a commit replaces the metadata
    struct data_writer *writer = open_writer(&world, own, 1, 0, memory);
    size_t peak = 0;
    for (int64_t from = 0; from < 600000; from += 20000) {
        append_rows(writer, from, 20000, days);
        size_t held = data_writer_figures(writer).memory;
        peak = held > peak ? held : peak;
    }
    assert_int_equal(data_writer_figures(writer).open_files, days);
    assert_true(data_writer_figures(writer).segment_bytes > 0);
    assert_true(peak <= memory);
    barrier(writer, 1, true, &result);
    assert_int_equal(commit(table, strbuf_str(&result.committable)), days);
    expect_rows(&world, 600000, days);
    data_writer_durable(writer, result.state_number);
    assert_int_equal(count_objects(&world, "checkpoints/"), 0);
    result_release(&result);
    data_writer_free(writer);
    iceberg_table_free(own);
    iceberg_table_free(table);
    store_free(world.store);
}

// Crashes after each checkpoint: a new run goes on from the last state, whatever was written after
// it is made again; files of the dead run are cleaned up.
static void test_a_new_run_goes_on_from_the_last_checkpoint(void **state)
{
    (void)state;
    struct world world;
    struct barrier_result result = {0};
    struct err err;
    uint32_t removed;
    world_init(&world, 2, NULL, 0);
    struct iceberg_table *table = open_table(&world);
    struct iceberg_table *own =
        open_table(&world); // the writers' own: a commit replaces the metadata
    strbuf_init(&result.state, STATE_MAX);
    strbuf_init(&result.committable, STATE_MAX);
    for (uint64_t run = 1; run <= 4; run++) {
        struct data_writer *writer = open_writer(&world, own, run, 0, 1 << 20);
        if (result.state.size > 0) {
            assert_int_equal(data_writer_restore(writer, strbuf_str(&result.state), &err),
                             STATUS_OK);
        }
        result_release(&result);
        append_rows(writer, (int64_t)(run - 1) * 5000, 5000, 7);
        barrier(writer, run, run == 4, &result);
        if (run < 4) {
            append_rows(writer, (int64_t)run * 5000, 3000, 7); // lost with the process
            data_writer_free(writer);
            store_memory_crash(world.store);
            continue;
        }
        assert_int_equal(commit(table, strbuf_str(&result.committable)), 7);
        data_writer_durable(writer, result.state_number);
        data_writer_free(writer);
    }
    expect_rows(&world, 20000, 7);
    assert_int_equal(
        commit_clean(table, &writer_tag, 1, &(struct commit_keep){NULL, 0}, &removed, &err),
        STATUS_OK);
    expect_rows(&world, 20000, 7);
    assert_int_equal(count_objects(&world, "w/db/t/data/"), 7);
    result_release(&result);
    iceberg_table_free(own);
    iceberg_table_free(table);
    store_free(world.store);
}

static void test_open_files_of_two_instances_come_together_in_one(void **state)
{
    (void)state;
    struct world world;
    struct barrier_result results[2];
    struct barrier_result result;
    struct err err;
    world_init(&world, 2, NULL, 0);
    struct iceberg_table *table = open_table(&world);
    struct iceberg_table *own =
        open_table(&world); // the writers' own: a commit replaces the metadata
    for (uint32_t i = 0; i < 2; i++) {
        struct data_writer *writer = open_writer(&world, own, 1, i, 0);
        append_rows(writer, (int64_t)i * 3000, 3000, 3);
        barrier(writer, 1, false, &results[i]);
        data_writer_free(writer);
    }
    struct data_writer *writer = open_writer(&world, own, 2, 0, 0);
    for (uint32_t i = 0; i < 2; i++) {
        struct arena arena = {0};
        struct str *paths;
        uint32_t count;
        assert_int_equal(data_writer_paths(&arena, table->metadata, strbuf_str(&results[i].state),
                                           &paths, &count, &err),
                         STATUS_OK);
        assert_int_equal(count, 3); // a segment a file, all in one object
        assert_true(str_starts(paths[0], "checkpoints/segments/"));
        arena_release(&arena);
        assert_int_equal(data_writer_restore(writer, strbuf_str(&results[i].state), &err),
                         STATUS_OK);
        result_release(&results[i]);
    }
    append_rows(writer, 6000, 3000, 3);
    barrier(writer, 2, false, &result); // a checkpoint with all six files open
    result_release(&result);
    barrier(writer, 3, true, &result);
    assert_int_equal(commit(table, strbuf_str(&result.committable)), 6);
    expect_rows(&world, 9000, 3);
    data_writer_durable(writer, result.state_number);
    assert_int_equal(count_objects(&world, "checkpoints/"), 0);
    result_release(&result);
    data_writer_free(writer);
    iceberg_table_free(own);
    iceberg_table_free(table);
    store_free(world.store);
}

static void test_files_roll_at_their_target_size(void **state)
{
    (void)state;
    struct world world;
    struct barrier_result result;
    struct table_property properties[] = {
        {STR_LIT("write.target-file-size-bytes"), STR_LIT("50000")},
        {STR_LIT("write.parquet.compression-codec"), STR_LIT("uncompressed")},
    };
    world_init(&world, 2, properties, 2);
    struct iceberg_table *table = open_table(&world);
    struct iceberg_table *own =
        open_table(&world); // the writers' own: a commit replaces the metadata
    struct data_writer *writer = open_writer(&world, own, 1, 0, 0);
    append_rows(writer, 0, 100000, 1);
    barrier(writer, 1, false, &result); // closed files are in the state, too
    result_release(&result);
    barrier(writer, 2, true, &result);
    uint32_t files = commit(table, strbuf_str(&result.committable));
    assert_true(files >= 5 && files <= 40);
    expect_rows(&world, 100000, 1);
    result_release(&result);
    data_writer_free(writer);
    iceberg_table_free(own);
    iceberg_table_free(table);
    store_free(world.store);
}

static void set_format(struct iceberg_table *table, const char *format)
{
    struct err err;
    struct commit_result result;
    struct table_property property = {STR_LIT("write.format.default"), str_from(format)};
    struct commit_options options = {.properties = &property, .property_count = 1};
    assert_int_equal(commit_run(table, &options, &result, &err), STATUS_OK);
}

// Files that are open stay of the format that they were begun in.
static void test_open_files_outlive_a_change_of_format(void **state)
{
    (void)state;
    static const char *const formats[] = {"parquet", "avro", "avro", "parquet"};
    struct world world;
    struct barrier_result result = {0};
    struct err err;
    world_init(&world, 2, NULL, 0);
    strbuf_init(&result.state, STATE_MAX);
    strbuf_init(&result.committable, STATE_MAX);
    struct iceberg_table *table = open_table(&world);
    for (uint64_t run = 1; run <= 4; run++) {
        set_format(table, formats[run - 1]);
        struct iceberg_table *own = open_table(&world);
        struct data_writer *writer = open_writer(&world, own, run, 0, 1 << 20);
        if (result.state.size > 0) {
            assert_int_equal(data_writer_restore(writer, strbuf_str(&result.state), &err),
                             STATUS_OK);
        }
        result_release(&result);
        append_rows(writer, (int64_t)(run - 1) * 3000, 3000, 3);
        barrier(writer, run, run == 4, &result);
        if (run == 4) { // the first run's Parquet files went on, those of Avro are closed
            assert_int_equal(commit(table, strbuf_str(&result.committable)), 6);
        }
        data_writer_free(writer);
        iceberg_table_free(own);
    }
    expect_rows(&world, 12000, 3);
    result_release(&result);
    iceberg_table_free(table);
    store_free(world.store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_go_to_the_files_of_their_partitions),
        cmocka_unit_test(test_many_partitions_stay_within_their_memory),
        cmocka_unit_test(test_a_new_run_goes_on_from_the_last_checkpoint),
        cmocka_unit_test(test_open_files_of_two_instances_come_together_in_one),
        cmocka_unit_test(test_files_roll_at_their_target_size),
        cmocka_unit_test(test_open_files_outlive_a_change_of_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
