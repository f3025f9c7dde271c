// SPDX-License-Identifier: Apache-2.0
//
// What a scan leaves out, over tables whose data files are only told of.
#include "iceberg/scan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "data/predicate.h"
#include "data/type.h"
#include "iceberg/test_world.h"

// t(id long, day date, s string): by bucket[4](id), day, truncate[2](s).
static void make_table(struct world *world)
{
    struct iceberg_field fields[3] = {
        {.id = 1, .name = STR_LIT("id"), .type = iceberg_type_simple(ICEBERG_LONG)},
        {.id = 2, .name = STR_LIT("day"), .type = iceberg_type_simple(ICEBERG_DATE)},
        {.id = 3, .name = STR_LIT("s"), .type = iceberg_type_simple(ICEBERG_STRING)},
    };
    struct iceberg_type columns = {.kind = ICEBERG_STRUCT, .field_count = 3, .fields = fields};
    struct partition_field partitions[3] = {
        {.field_id = 1000,
         .source_id = 1,
         .name = STR_LIT("b"),
         .transform = {TRANSFORM_BUCKET, 4, {0}}},
        {.field_id = 1001,
         .source_id = 2,
         .name = STR_LIT("m"),
         .transform = {TRANSFORM_MONTH, 0, {0}}},
        {.field_id = 1002,
         .source_id = 3,
         .name = STR_LIT("p"),
         .transform = {TRANSFORM_TRUNCATE, 2, {0}}},
    };
    world_create(world, &(struct table_update_new){.format_version = 2,
                                                   .columns = &columns,
                                                   .partition_fields = partitions,
                                                   .partition_count = 3});
}

// One file of one commit, with the ids [low, high] in its metrics.
static void add_file(struct world *world, struct iceberg_table *table, int64_t bucket,
                     int64_t month, const char *prefix, int64_t low, int64_t high)
{
    struct err err;
    struct commit_result result;
    char path[64];
    struct iceberg_value partition[3] = {
        {.as.i64 = bucket},
        {.as.i64 = month},
        {.is_null = prefix == NULL, .as.bytes = str_from(prefix)},
    };
    struct data_file_metric metric = {.id = 1,
                                      .size = 10,
                                      .value_count = 10,
                                      .null_count = 1,
                                      .nan_count = DATA_FILE_NONE,
                                      .lower = {(const char *)&low, 8},
                                      .upper = {(const char *)&high, 8}};
    snprintf(path, sizeof path, "w/db/t/data/%lld", (long long)low);
    struct data_file file = {.path = str_from(path),
                             .format = STR_LIT("PARQUET"),
                             .partition = partition,
                             .record_count = 10,
                             .file_size = 100,
                             .metric_count = 1,
                             .metrics = &metric,
                             .sort_order_id = 0,
                             .first_row_id = DATA_FILE_NONE,
                             .content_offset = DATA_FILE_NONE,
                             .content_size = DATA_FILE_NONE};
    struct commit_options options = {.files = &file, .file_count = 1};
    world->now_ms += 1000;
    assert_int_equal(commit_run(table, &options, &result, &err), STATUS_OK);
}

static struct iceberg_table *fill(struct world *world)
{
    make_table(world);
    struct iceberg_table *table = open_table(world);
    add_file(world, table, 0, 600, "ab", 0, 9);
    add_file(world, table, 1, 600, "cd", 10, 19);
    add_file(world, table, 2, 601, "zz", 20, 29);
    add_file(world, table, 3, 602, NULL, 30, 39);
    return table;
}

struct question {
    int32_t column;
    enum predicate_op op;
    int64_t number;
    const char *text;
};

static struct scan_plan ask(struct iceberg_table *table, struct arena *arena, struct question q)
{
    struct err err;
    struct scan_plan plan;
    int64_t number = q.number;
    int32_t narrow = (int32_t)q.number;
    struct strview view =
        q.text != NULL ? strview_make(q.text, strlen(q.text)) : (struct strview){0};
    struct column constants = {
        .physical = q.column == 1   ? PHYSICAL_I64
                    : q.column == 2 ? PHYSICAL_I32
                                    : PHYSICAL_STRING,
        .row_count = 1,
    };
    constants.values = q.column == 1 ? (void *)&number : q.column == 2 ? (void *)&narrow : &view;
    struct predicate_term term = {.column_id = q.column,
                                  .op = q.op,
                                  .type = q.column == 1   ? &type_bigint
                                          : q.column == 2 ? &type_date
                                                          : &type_string,
                                  .constants = &constants};
    struct predicate predicate = {1, &term};
    struct scan_options options = {.predicate = &predicate};
    if (scan_plan(table, &options, arena, &plan, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    return plan;
}

static void expect(struct iceberg_table *table, struct question q, uint32_t files,
                   uint64_t manifests_pruned)
{
    struct arena arena = {0};
    struct scan_plan plan = ask(table, &arena, q);
    assert_int_equal(plan.task_count, files);
    assert_int_equal(plan.manifests_pruned, manifests_pruned);
    assert_true(plan.record_count == files * 10);
    arena_release(&arena);
}

static void test_partitions_and_metrics_leave_files_out(void **state)
{
    (void)state;
    struct world world;
    struct iceberg_table *table = fill(&world);
    // Month 600 is January 2020: 18262 to 18292 days.
    expect(table, (struct question){2, PREDICATE_EQ, 18270, NULL}, 2, 2);
    expect(table, (struct question){2, PREDICATE_LT, 18262, NULL}, 2, 2); // f(v) <= f(c): January
    expect(table, (struct question){2, PREDICATE_LE, 18261, NULL}, 0, 4);
    expect(table, (struct question){2, PREDICATE_GE, 18322, NULL}, 1, 3); // March on
    expect(table, (struct question){2, PREDICATE_NE, 18270, NULL}, 4, 0);
    expect(table, (struct question){2, PREDICATE_IS_NULL, 0, NULL}, 0, 4);
    expect(table, (struct question){3, PREDICATE_EQ, 0, "abc"}, 1, 3);
    expect(table, (struct question){3, PREDICATE_STARTS_WITH, 0, "c"}, 1, 3);
    expect(table, (struct question){3, PREDICATE_STARTS_WITH, 0, "zzz"}, 1, 3);
    expect(table, (struct question){3, PREDICATE_GT, 0, "d"}, 1, 3);
    expect(table, (struct question){3, PREDICATE_IS_NULL, 0, NULL}, 1, 3);
    expect(table, (struct question){3, PREDICATE_IS_NOT_NULL, 0, NULL}, 3, 1);
    // No condition on buckets follows from a range: metrics decide.
    expect(table, (struct question){1, PREDICATE_GE, 25, NULL}, 2, 0);
    expect(table, (struct question){1, PREDICATE_LT, 0, NULL}, 0, 0);
    iceberg_table_free(table);
    store_free(world.store);
}

static void test_a_bucket_is_found_by_equality(void **state)
{
    (void)state;
    struct world world;
    struct iceberg_table *table = fill(&world);
    struct arena arena = {0};
    // murmur3(34) = 2017239379 (the spec's test vector): bucket 3, and its ids are 30 to 39.
    struct scan_plan plan = ask(table, &arena, (struct question){1, PREDICATE_EQ, 34, NULL});
    assert_int_equal(plan.manifests_pruned, 3);
    assert_int_equal(plan.task_count, 1);
    assert_true(str_is(plan.tasks[0]->file.path, "w/db/t/data/30"));
    assert_int_equal(plan.tasks[0]->sequence_number, 4);
    arena_release(&arena);
    iceberg_table_free(table);
    store_free(world.store);
}

static void test_figures_come_from_metadata(void **state)
{
    (void)state;
    struct world world;
    struct iceberg_table *table = fill(&world);
    struct arena arena = {0};
    struct err err;
    struct scan_figure figures[] = {
        {.kind = SCAN_COUNT_ROWS},          {.kind = SCAN_COUNT_VALUES, .column_id = 1},
        {.kind = SCAN_MIN, .column_id = 1}, {.kind = SCAN_MAX, .column_id = 1},
        {.kind = SCAN_MIN, .column_id = 2}, {.kind = SCAN_MAX, .column_id = 3}};
    assert_int_equal(scan_figures(table, &(struct scan_options){0}, &arena, figures, 6, &err),
                     STATUS_OK);
    assert_true(figures[0].known && figures[0].value.as.i64 == 40);
    assert_true(figures[1].known && figures[1].value.as.i64 == 36);
    assert_true(figures[2].known && figures[2].value.as.i64 == 0);
    assert_true(figures[3].known && figures[3].value.as.i64 == 39);
    assert_false(figures[4].known); // no metrics
    assert_false(figures[5].known); // bounds of strings may be shortened
    arena_release(&arena);
    iceberg_table_free(table);
    store_free(world.store);
}

static void test_time_travel_names_what_is_missing(void **state)
{
    (void)state;
    struct world world;
    struct iceberg_table *table = fill(&world);
    struct arena arena = {0};
    struct err err;
    struct scan_plan plan;
    struct scan_options options = {.snapshot_id = table->metadata->snapshots[1].snapshot_id};
    assert_int_equal(scan_plan(table, &options, &arena, &plan, &err), STATUS_OK);
    assert_int_equal(plan.task_count, 2);
    options = (struct scan_options){.snapshot_id = 12};
    assert_int_equal(scan_plan(table, &options, &arena, &plan, &err), STATUS_NOT_FOUND);
    assert_string_equal(err.text, "there is no snapshot 12");
    options = (struct scan_options){.ref = STR_LIT("audit")};
    assert_int_equal(scan_plan(table, &options, &arena, &plan, &err), STATUS_NOT_FOUND);
    assert_string_equal(err.text, "there is no branch or tag 'audit'");
    arena_release(&arena);
    iceberg_table_free(table);
    store_free(world.store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_partitions_and_metrics_leave_files_out),
        cmocka_unit_test(test_a_bucket_is_found_by_equality),
        cmocka_unit_test(test_figures_come_from_metadata),
        cmocka_unit_test(test_time_travel_names_what_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
