// SPDX-License-Identifier: Apache-2.0
//
// Manifests that are kept decoded, and plans made of them, against the manifests themselves.
#include "iceberg/manifest_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "data/predicate.h"
#include "data/type.h"
#include "iceberg/catalog_hadoop.h"
#include "iceberg/commit.h"
#include "iceberg/manifest.h"
#include "iceberg/scan_prune.h"
#include "iceberg/spec/table_update.h"
#include "store/store_file.h"
#include "sys/file.h"

enum { COMMITS = 4, FILES_A_COMMIT = 50, COLUMNS = 6 };

static const enum iceberg_kind kinds[COLUMNS] = {
    ICEBERG_LONG, ICEBERG_INT, ICEBERG_DATE, ICEBERG_TIMESTAMP, ICEBERG_STRING, ICEBERG_DOUBLE,
};
static const struct table_name table_name = {{"db", 2}, {"t", 1}};

struct fixture {
    char directory[64];
    struct store *store;
    struct catalog *catalog;
    struct iceberg_table *table;
};

static uint64_t chance(uint64_t *seed)
{
    *seed = hash_word(*seed + 1);
    return *seed >> 16;
}

// A bound: small numbers, so that predicates hit; now and then there is none.
static struct str bound(struct arena *arena, enum iceberg_kind kind, int64_t number, uint64_t *seed)
{
    if (chance(seed) % 10 == 0) {
        return (struct str){0};
    }
    struct iceberg_value value = {.as.i64 = number};
    if (kind == ICEBERG_DOUBLE) {
        value.as.f64 = (double)number / 2;
    } else if (kind == ICEBERG_STRING) {
        value.as.bytes = arena_printf(arena, "%05d", (int)number);
    }
    return arena_str(arena, iceberg_value_encode(arena, iceberg_type_simple(kind), &value));
}

static void describe(struct arena *arena, const struct fixture *fixture, uint32_t number,
                     uint64_t *seed, struct data_file *out)
{
    struct data_file_metric *metrics = arena_new_array(arena, struct data_file_metric, COLUMNS);
    uint32_t count = 0;
    for (int i = 0; i < COLUMNS; i++) {
        int64_t low = (int64_t)(chance(seed) % 100);
        bool only_nulls = chance(seed) % 12 == 0;
        if (chance(seed) % 15 == 0) {
            continue; // no metrics
        }
        metrics[count++] = (struct data_file_metric){
            .id = i + 1,
            .size = 10,
            .value_count = 10,
            .null_count = only_nulls ? 10 : (int64_t)(chance(seed) % 3),
            .nan_count = kinds[i] == ICEBERG_DOUBLE ? 0 : DATA_FILE_NONE,
            .lower = only_nulls ? (struct str){0} : bound(arena, kinds[i], low, seed),
            .upper = only_nulls ? (struct str){0} : bound(arena, kinds[i], low + 5, seed)};
    }
    *out = (struct data_file){
        .path = arena_printf(arena, "%s/db/t/data/%u.parquet", fixture->directory, number),
        .format = STR_LIT("PARQUET"),
        .record_count = 10,
        .file_size = 100,
        .metric_count = count,
        .metrics = metrics,
        .sort_order_id = 0,
        .first_row_id = DATA_FILE_NONE,
        .content_offset = DATA_FILE_NONE,
        .content_size = DATA_FILE_NONE};
}

static void create(const struct table_place *place, const struct fixture *fixture)
{
    struct err err;
    char location[100];
    char names[COLUMNS][16];
    struct iceberg_field fields[COLUMNS];
    for (int i = 0; i < COLUMNS; i++) {
        snprintf(names[i], sizeof names[i], "c%d", i);
        fields[i] = (struct iceberg_field){
            .id = i + 1, .name = str_from(names[i]), .type = iceberg_type_simple(kinds[i])};
    }
    struct iceberg_type columns = {
        .kind = ICEBERG_STRUCT, .field_count = COLUMNS, .fields = fields};
    snprintf(location, sizeof location, "%s/db/t", fixture->directory);
    struct table_update_new table = {.format_version = 2,
                                     .uuid = STR_LIT("00000000-0000-4000-8000-000000000001"),
                                     .location = str_from(location),
                                     .columns = &columns};
    assert_int_equal(commit_create(place, &table_name, &table, &err), STATUS_OK);
}

static int set_up(void **state)
{
    static struct fixture fixture;
    struct err err;
    struct table_place place;
    uint64_t seed = 5;
    snprintf(fixture.directory, sizeof fixture.directory, "/tmp/manifest_files_test.XXXXXX");
    assert_non_null(mkdtemp(fixture.directory));
    fixture.store = store_file_new(NULL);
    fixture.catalog = catalog_hadoop_open(
        &(struct catalog_hadoop_options){.name = STR_LIT("h"),
                                         .default_database = STR_LIT("db"),
                                         .warehouse = str_from(fixture.directory),
                                         .store = fixture.store});
    fixture.catalog->ops->place(fixture.catalog, &place);
    create(&place, &fixture);
    assert_int_equal(iceberg_table_open(&place, &table_name, &fixture.table, &err), STATUS_OK);
    for (uint32_t i = 0; i < COMMITS; i++) {
        struct arena arena = {0};
        struct commit_result result;
        struct data_file files[FILES_A_COMMIT];
        for (uint32_t j = 0; j < FILES_A_COMMIT; j++) {
            describe(&arena, &fixture, i * FILES_A_COMMIT + j, &seed, &files[j]);
        }
        struct commit_options options = {.files = files, .file_count = FILES_A_COMMIT};
        assert_int_equal(commit_run(fixture.table, &options, &result, &err), STATUS_OK);
        arena_release(&arena);
    }
    *state = &fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    struct err err;
    manifest_files_limit(0);
    manifest_files_limit((size_t)64 << 20);
    iceberg_table_free(fixture->table);
    fixture->catalog->ops->close(fixture->catalog);
    store_free(fixture->store);
    return file_remove_tree(fixture->directory, &err) == STATUS_OK ? 0 : 1;
}

static const struct manifest_file *first_manifest(struct fixture *fixture)
{
    const struct manifest_file *list;
    uint32_t count;
    struct err err;
    assert_int_equal(iceberg_table_manifests(fixture->table,
                                             table_metadata_current(fixture->table->metadata),
                                             &list, &count, &err),
                     STATUS_OK);
    assert_int_equal(count, COMMITS);
    return list;
}

static struct manifest_files_request request_of(struct fixture *fixture, const int32_t *ids,
                                                uint32_t count)
{
    const struct table_metadata *metadata = fixture->table->metadata;
    return (struct manifest_files_request){.store = fixture->store,
                                           .file = first_manifest(fixture),
                                           .spec = table_metadata_default_spec(metadata),
                                           .schema = table_metadata_current_schema(metadata),
                                           .ids = ids,
                                           .id_count = count};
}

static void what_was_decoded_is_kept_within_the_limit(void **state)
{
    struct err err;
    struct manifest_files *files;
    struct manifest_files *again;
    static const int32_t ids[] = {1, 5};
    struct manifest_files_request request = request_of(*state, ids, 0);
    manifest_files_limit((size_t)1 << 20);
    assert_null(manifest_files_find(&request));
    assert_int_equal(manifest_files_get(&request, &files, &err), STATUS_OK);
    assert_int_equal(files->count, FILES_A_COMMIT);
    assert_int_equal(files->record_count, FILES_A_COMMIT * 10);
    assert_true(manifest_files_is_kept(files) && manifest_files_bytes() > 0);
    again = manifest_files_find(&request);
    assert_ptr_equal(again, files);
    manifest_files_unref(again);
    // Columns are added to it.
    request.id_count = 2;
    assert_null(manifest_files_find(&request));
    size_t bytes = manifest_files_bytes();
    assert_int_equal(manifest_files_get(&request, &again, &err), STATUS_OK);
    assert_ptr_equal(again, files);
    assert_non_null(manifest_files_column(files, 1, ICEBERG_LONG)->lower);
    assert_non_null(manifest_files_column(files, 5, ICEBERG_STRING)->metrics);
    assert_null(manifest_files_column(files, 1, ICEBERG_INT));
    assert_true(manifest_files_bytes() > bytes);
    manifest_files_unref(again);
    // A limit that it does not fit into; who holds it goes on.
    manifest_files_limit(100);
    assert_int_equal(manifest_files_bytes(), 0);
    assert_null(manifest_files_find(&request));
    assert_true(str_ends(files->tasks[FILES_A_COMMIT - 1].file.path, ".parquet"));
    manifest_files_unref(files);
    manifest_files_limit((size_t)1 << 20);
}

// A predicate of one term by chance; constants in the space of the bounds.
static void make_term(struct arena *arena, uint64_t *seed, struct predicate_term *out)
{
    static const struct type *const types[COLUMNS] = {&type_bigint,     &type_int,    &type_date,
                                                      &type_timestamp6, &type_string, &type_double};
    static const enum predicate_op ops[] = {PREDICATE_EQ, PREDICATE_NE,      PREDICATE_LT,
                                            PREDICATE_LE, PREDICATE_GT,      PREDICATE_GE,
                                            PREDICATE_IN, PREDICATE_IS_NULL, PREDICATE_IS_NOT_NULL};
    int column = (int)(chance(seed) % COLUMNS);
    int64_t number = (int64_t)(chance(seed) % 110) - 3;
    struct iceberg_value value = {.as.i64 = number};
    if (kinds[column] == ICEBERG_DOUBLE) {
        value.as.f64 = (double)number / 2;
    } else if (kinds[column] == ICEBERG_STRING) {
        value.as.bytes = arena_printf(arena, "%05d", (int)number);
    }
    struct column *constant = arena_new(arena, struct column);
    *constant = iceberg_value_column(arena, iceberg_type_simple(kinds[column]), &value, 1);
    constant->encoding = ENCODING_FLAT;
    *out = (struct predicate_term){.column_id = column + 1,
                                   .op = ops[chance(seed) % (sizeof ops / sizeof *ops)],
                                   .type = types[column],
                                   .constants = constant};
}

// The paths that the manifests themselves leave, summed up.
static uint64_t expected(struct fixture *fixture, const struct predicate *predicate,
                         uint32_t *count)
{
    const struct table_metadata *metadata = fixture->table->metadata;
    const struct manifest_file *list = first_manifest(fixture);
    uint64_t sum = 0;
    struct arena scratch = {0};
    struct err err;
    *count = 0;
    for (uint32_t i = 0; i < COMMITS; i++) {
        struct buf *bytes;
        struct manifest_reader *reader;
        struct manifest_entry entry;
        assert_int_equal(store_read(fixture->store, list[i].path, 1 << 20, &bytes, &err),
                         STATUS_OK);
        struct manifest_reader_options options = {.file = &list[i],
                                                  .spec = table_metadata_default_spec(metadata)};
        assert_int_equal(
            manifest_reader_open(str_make(bytes->ptr, bytes->size), &options, &reader, &err),
            STATUS_OK);
        while (manifest_reader_next(reader, &entry, &err) == STATUS_OK) {
            if (scan_prune_file(&scratch, predicate, table_metadata_current_schema(metadata),
                                &entry.file)) {
                sum += hash_bytes(entry.file.path.ptr, entry.file.path.size, 0);
                (*count)++;
            }
        }
        manifest_reader_free(reader);
        buf_unref(bytes);
    }
    arena_release(&scratch);
    return sum;
}

static void plans_are_those_of_the_manifests(void **state)
{
    struct fixture *fixture = *state;
    struct err err;
    uint64_t seed = 99;
    for (int round = 0; round < 400; round++) {
        struct arena arena = {0};
        struct scan_plan plan;
        struct predicate_term terms[2];
        struct predicate predicate = {.term_count = (uint32_t)(round % 3), .terms = terms};
        uint32_t count;
        uint64_t sum = 0;
        make_term(&arena, &seed, &terms[0]);
        make_term(&arena, &seed, &terms[1]);
        struct scan_options options = {.predicate = round % 3 > 0 ? &predicate : NULL};
        manifest_files_limit(round % 7 == 0 ? 0 : (size_t)1 << 20);
        uint64_t wanted = expected(fixture, options.predicate, &count);
        assert_int_equal(scan_plan(fixture->table, &options, &arena, &plan, &err), STATUS_OK);
        for (uint32_t i = 0; i < plan.task_count; i++) {
            sum += hash_bytes(plan.tasks[i]->file.path.ptr, plan.tasks[i]->file.path.size, 0);
        }
        assert_int_equal(plan.task_count, count);
        assert_true(sum == wanted);
        assert_int_equal(plan.record_count, count * 10);
        assert_int_equal(plan.files_pruned, COMMITS * FILES_A_COMMIT - count);
        arena_release(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_decoded_is_kept_within_the_limit),
        cmocka_unit_test(plans_are_those_of_the_manifests),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
