// SPDX-License-Identifier: Apache-2.0
//
// Metadata tables over a store in memory; their rows against other engines: tests/e2e.
#include "iceberg/metadata_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/budget.h"
#include "data/column.h"
#include "data/type.h"
#include "iceberg/test_world.h"

static void append(struct world *world, struct iceberg_table *table, int64_t day, uint32_t count)
{
    struct err err;
    struct commit_result result;
    struct iceberg_value partition = {.as.i64 = day};
    struct data_file files[8];
    char paths[8][64];
    for (uint32_t i = 0; i < count; i++) {
        snprintf(paths[i], sizeof paths[i], "w/db/t/data/%lld-%u-%lld", (long long)day, i,
                 (long long)world->now_ms);
        files[i] = (struct data_file){.path = str_from(paths[i]),
                                      .format = STR_LIT("parquet"),
                                      .partition = &partition,
                                      .record_count = 10,
                                      .file_size = 100,
                                      .sort_order_id = DATA_FILE_NONE,
                                      .first_row_id = DATA_FILE_NONE,
                                      .content_offset = DATA_FILE_NONE,
                                      .content_size = DATA_FILE_NONE};
    }
    struct commit_options options = {.files = files, .file_count = count};
    world->now_ms += 1000;
    assert_int_equal(commit_run(table, &options, &result, &err), STATUS_OK);
}

static const struct table_def base = {.kind = TABLE_KIND_TABLE,
                                      .is_iceberg = true,
                                      .catalog_name = {"c", 1},
                                      .database = {"db", 2},
                                      .name = {"t", 1}};

// The place of a column of a metadata table, and its type.
static uint32_t column_of(const struct table_def *def, const char *wanted, const struct type **type)
{
    for (uint32_t i = 0; i < def->column_count; i++) {
        if (str_is(def->columns[i].name, wanted)) {
            *type = def->columns[i].type;
            return i;
        }
    }
    fail_msg("no column %s", wanted);
    return 0;
}

// Rows of one column of integers, their sum in *sum.
static enum status read(struct iceberg_table *table, enum metadata_table_kind kind,
                        const char *wanted, struct budget *budget, uint32_t *rows, int64_t *sum)
{
    struct arena arena = {0};
    struct err err;
    const struct table_def *def;
    const struct type *type = NULL;
    struct metadata_table_reader *reader;
    struct batch batch;
    *rows = 0;
    *sum = 0;
    assert_int_equal(metadata_table_def(&arena, table->metadata, kind, &base, &def, &err),
                     STATUS_OK);
    uint32_t column = column_of(def, wanted, &type);
    struct metadata_table_options options = {.table = table,
                                             .kind = kind,
                                             .columns = &column,
                                             .types = &type,
                                             .column_count = 1,
                                             .budget = budget};
    assert_int_equal(metadata_table_open(&options, &reader, &err), STATUS_OK);
    enum status status;
    while ((status = metadata_table_next(reader, &batch, &err)) == STATUS_OK) {
        for (uint32_t i = 0; i < batch.row_count; i++) {
            const void *value = column_value(&batch.columns[0], i);
            *sum += batch.columns[0].physical == PHYSICAL_I32 ? *(const int32_t *)value
                                                              : *(const int64_t *)value;
        }
        *rows += batch.row_count;
    }
    metadata_table_free(reader);
    arena_release(&arena);
    return status;
}

static void rows_are_those_of_the_snapshot_or_of_all(void **state)
{
    struct world world;
    uint32_t rows;
    int64_t sum;
    (void)state;
    world_init(&world, 2, NULL, 0);
    struct iceberg_table *table = open_table(&world);
    assert_int_equal(read(table, METADATA_FILES, "record_count", NULL, &rows, &sum), STATUS_END);
    assert_int_equal(rows, 0);
    append(&world, table, 1, 3);
    append(&world, table, 2, 2);
    append(&world, table, 1, 1);
    read(table, METADATA_FILES, "record_count", NULL, &rows, &sum);
    assert_true(rows == 6 && sum == 60);
    read(table, METADATA_DELETE_FILES, "record_count", NULL, &rows, &sum);
    assert_int_equal(rows, 0);
    read(table, METADATA_ALL_FILES, "record_count", NULL, &rows, &sum);
    assert_true(rows == 6 && sum == 60); // each manifest once
    read(table, METADATA_ALL_MANIFESTS, "added_data_files_count", NULL, &rows, &sum);
    assert_true(rows == 1 + 2 + 3 && sum == 3 + 5 + 6);
    read(table, METADATA_SNAPSHOTS, "committed_at", NULL, &rows, &sum);
    assert_int_equal(rows, 3);
    read(table, METADATA_PARTITIONS, "file_count", NULL, &rows, &sum);
    assert_true(rows == 2 && sum == 6);
    iceberg_table_free(table);
    store_free(world.store);
}

static void partitions_stay_within_the_budget(void **state)
{
    struct world world;
    struct budget budget;
    uint32_t rows;
    int64_t sum;
    (void)state;
    world_init(&world, 2, NULL, 0);
    struct iceberg_table *table = open_table(&world);
    for (int64_t day = 0; day < 8; day++) {
        append(&world, table, day, 1);
    }
    budget_init(&budget, NULL, 1000);
    assert_int_equal(read(table, METADATA_PARTITIONS, "file_count", &budget, &rows, &sum),
                     STATUS_LIMIT);
    budget_init(&budget, NULL, 100000);
    assert_int_equal(read(table, METADATA_PARTITIONS, "file_count", &budget, &rows, &sum),
                     STATUS_END);
    assert_int_equal(rows, 8);
    assert_int_equal(budget_room(&budget), 100000); // given back
    iceberg_table_free(table);
    store_free(world.store);
}

static void columns_that_changed_are_refused(void **state)
{
    struct world world;
    struct err err;
    struct metadata_table_reader *reader;
    const struct type *type = &type_string;
    uint32_t column = 0;
    (void)state;
    world_init(&world, 2, NULL, 0);
    struct iceberg_table *table = open_table(&world);
    struct metadata_table_options options = {.table = table,
                                             .kind = METADATA_FILES,
                                             .columns = &column,
                                             .types = &type,
                                             .column_count = 1};
    assert_int_equal(metadata_table_open(&options, &reader, &err), STATUS_CONFLICT);
    column = 100;
    assert_int_equal(metadata_table_open(&options, &reader, &err), STATUS_CONFLICT);
    iceberg_table_free(table);
    store_free(world.store);
}

static void names_are_found_in_any_case(void **state)
{
    enum metadata_table_kind kind;
    (void)state;
    assert_true(metadata_table_find(STR_LIT("Snapshots"), &kind) && kind == METADATA_SNAPSHOTS);
    assert_true(metadata_table_find(STR_LIT("all_data_files"), &kind));
    assert_false(metadata_table_find(STR_LIT("snapshot"), &kind));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_those_of_the_snapshot_or_of_all),
        cmocka_unit_test(partitions_stay_within_the_budget),
        cmocka_unit_test(columns_that_changed_are_refused),
        cmocka_unit_test(names_are_found_in_any_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
