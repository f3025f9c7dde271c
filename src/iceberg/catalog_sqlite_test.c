// SPDX-License-Identifier: Apache-2.0
#include "iceberg/catalog_sqlite.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>
#include <sqlite3.h>

#include "base/arena.h"
#include "iceberg/iceberg_table.h"
#include "store/store.h"
#include "store/store_memory.h"

struct fixture {
    char directory[64];
    char path[100];
    struct store *store;
    struct catalog *catalog;
};

static struct catalog *open_catalog(struct fixture *fixture)
{
    struct err err;
    struct catalog *catalog;
    struct catalog_sqlite_options options = {.path = fixture->path,
                                             .is_ours = true,
                                             .name = STR_LIT("lake"),
                                             .default_database = STR_LIT("default"),
                                             .warehouse = STR_LIT("w"),
                                             .store = fixture->store};
    if (catalog_sqlite_open(&options, &catalog, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    return catalog;
}

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    snprintf(fixture->directory, sizeof fixture->directory, "/tmp/catalog_test.XXXXXX");
    assert_non_null(mkdtemp(fixture->directory));
    snprintf(fixture->path, sizeof fixture->path, "%s/catalog.db", fixture->directory);
    fixture->store = store_memory_new(NULL);
    fixture->catalog = open_catalog(fixture);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    fixture->catalog->ops->close(fixture->catalog);
    store_free(fixture->store);
    unlink(fixture->path);
    int failed = rmdir(fixture->directory); // the log and its index went with the last connection
    free(fixture);
    return failed;
}

static const struct type not_null_bigint = {.kind = TYPE_BIGINT};

// clicks(user_id BIGINT NOT NULL, url VARCHAR(5), ts TIMESTAMP(3)), partitioned.
static struct table_def iceberg_def(const char *name)
{
    static const struct type varchar5 = {.kind = TYPE_VARCHAR, .nullable = true, .length = 5};
    static const struct table_partition partitions[] = {
        {{"day", 3}, 0, {"ts", 2}},
        {{"bucket", 6}, 16, {"user_id", 7}},
    };
    static const struct table_option options[] = {
        {{"write.parquet.compression-codec", 31}, {"snappy", 6}}};
    static struct table_column columns[3];
    columns[0] = (struct table_column){.name = STR_LIT("user_id"), .type = &not_null_bigint};
    columns[1] = (struct table_column){.name = STR_LIT("url"), .type = &varchar5};
    columns[2] = (struct table_column){.name = STR_LIT("ts"), .type = &type_timestamp3};
    return (struct table_def){.kind = TABLE_KIND_TABLE,
                              .is_iceberg = true,
                              .database = STR_LIT("default"),
                              .name = str_from(name),
                              .column_count = 3,
                              .columns = columns,
                              .partition_count = 2,
                              .partitions = partitions,
                              .option_count = 1,
                              .options = options,
                              .comment = STR_LIT("all clicks")};
}

static struct table_def connector_def(const char *name, enum table_kind kind)
{
    static const struct table_option options[] = {{{"connector", 9}, {"kafka", 5}},
                                                  {{"topic", 5}, {"\"t\"\n", 4}}};
    static const struct type element = {.kind = TYPE_VARCHAR, .nullable = true, .length = 10};
    static const struct type_field fields[] = {{.type = &element}};
    static const struct type array = {
        .kind = TYPE_ARRAY, .nullable = true, .field_count = 1, .fields = fields};
    static struct table_column columns[3];
    static const struct str key = {"id", 2};
    columns[0] = (struct table_column){.name = STR_LIT("id"), .type = &not_null_bigint};
    columns[1] = (struct table_column){.name = STR_LIT("tags"), .type = &array};
    columns[2] = (struct table_column){
        .name = STR_LIT("twice"), .kind = TABLE_COLUMN_COMPUTED, .expression = STR_LIT("`id` * 2")};
    struct table_def def = {.kind = kind,
                            .database = STR_LIT("default"),
                            .name = str_from(name),
                            .column_count = 3,
                            .columns = columns,
                            .primary_key_count = 1,
                            .primary_key = &key,
                            .option_count = 2,
                            .options = options};
    if (kind == TABLE_KIND_VIEW) {
        def.column_count = 2;
        def.option_count = def.primary_key_count = 0;
        def.view_text = STR_LIT("SELECT 1");
    }
    return def;
}

static void test_definitions_come_back_as_they_were(void **state)
{
    struct fixture *fixture = *state;
    struct catalog *catalog = fixture->catalog;
    struct arena arena = {0};
    struct err err;
    const struct table_def *found;
    struct table_def table = connector_def("src", TABLE_KIND_TABLE);
    struct table_def view = connector_def("v", TABLE_KIND_VIEW);
    assert_int_equal(catalog->ops->create_table(catalog, &table, &err), STATUS_OK);
    assert_int_equal(catalog->ops->create_table(catalog, &view, &err), STATUS_OK);
    assert_int_equal(catalog->ops->create_table(catalog, &table, &err), STATUS_EXISTS);
    assert_int_equal(
        catalog->ops->get_table(catalog, &arena, STR_LIT("default"), STR_LIT("src"), &found, &err),
        STATUS_OK);
    table.catalog_name = STR_LIT("lake");
    assert_true(table_def_equal(&table, found));
    assert_int_equal(
        catalog->ops->get_table(catalog, &arena, STR_LIT("default"), STR_LIT("v"), &found, &err),
        STATUS_OK);
    view.catalog_name = STR_LIT("lake");
    assert_true(table_def_equal(&view, found));
    assert_ptr_equal(found->owner, catalog);
    struct table_option changes[] = {{STR_LIT("topic"), STR_LIT("u")},
                                     {STR_LIT("format"), STR_LIT("json")},
                                     {STR_LIT("connector"), STR_LIT("")}};
    assert_int_equal(
        catalog->ops->alter_options(catalog, STR_LIT("default"), STR_LIT("src"), changes, 3, &err),
        STATUS_OK);
    assert_int_equal(
        catalog->ops->get_table(catalog, &arena, STR_LIT("default"), STR_LIT("src"), &found, &err),
        STATUS_OK);
    assert_true(str_is(*table_def_option(found, "topic"), "u"));
    assert_null(table_def_option(found, "connector"));
    assert_int_equal(catalog->ops->drop_table(catalog, STR_LIT("default"), STR_LIT("v"),
                                              TABLE_KIND_TABLE, false, &err),
                     STATUS_CONFLICT);
    assert_int_equal(catalog->ops->drop_table(catalog, STR_LIT("default"), STR_LIT("v"),
                                              TABLE_KIND_VIEW, false, &err),
                     STATUS_OK);
    assert_int_equal(
        catalog->ops->get_table(catalog, &arena, STR_LIT("default"), STR_LIT("v"), &found, &err),
        STATUS_NOT_FOUND);
    assert_string_equal(err.text, "table 'lake.default.v' does not exist");
    arena_release(&arena);
}

static void test_an_iceberg_table_is_what_sql_asked_for(void **state)
{
    struct fixture *fixture = *state;
    struct catalog *catalog = fixture->catalog;
    struct arena arena = {0};
    struct err err;
    const struct table_def *found;
    struct table_def def = iceberg_def("clicks");
    assert_int_equal(catalog->ops->create_table(catalog, &def, &err), STATUS_OK);
    assert_int_equal(catalog->ops->get_table(catalog, &arena, STR_LIT("default"), STR_LIT("clicks"),
                                             &found, &err),
                     STATUS_OK);
    assert_true(found->is_iceberg);
    assert_int_equal(found->column_count, 3);
    assert_int_equal(found->columns[0].field_id, 1);
    assert_true(type_equal(found->columns[0].type, &not_null_bigint));
    assert_true(type_equal(found->columns[1].type, &type_string)); // VARCHAR(5) has no Iceberg type
    assert_true(type_equal(found->columns[2].type, &type_timestamp6));
    assert_int_equal(found->partition_count, 2);
    assert_true(str_is(found->partitions[0].transform, "day"));
    assert_true(str_is(found->partitions[1].transform, "bucket"));
    assert_int_equal(found->partitions[1].parameter, 16);
    assert_true(str_is(found->comment, "all clicks"));
    assert_true(str_is(*table_def_option(found, "write.parquet.compression-codec"), "snappy"));
    assert_true(str_is(*table_def_option(found, "history.expire.min-snapshots-to-keep"), "100"));
    // The very same once more is no failure, another is.
    assert_int_equal(catalog->ops->create_table(catalog, &def, &err), STATUS_OK);
    def.partition_count = 1;
    assert_int_equal(catalog->ops->create_table(catalog, &def, &err), STATUS_EXISTS);
    struct table_option change = {STR_LIT("commit-bitmap"), STR_LIT("60 s")};
    assert_int_equal(catalog->ops->alter_options(catalog, STR_LIT("default"), STR_LIT("clicks"),
                                                 &change, 1, &err),
                     STATUS_OK);
    assert_int_equal(catalog->ops->get_table(catalog, &arena, STR_LIT("default"), STR_LIT("clicks"),
                                             &found, &err),
                     STATUS_OK);
    assert_true(str_is(*table_def_option(found, "commit-bitmap"), "60 s"));
    assert_int_equal(catalog->ops->drop_table(catalog, STR_LIT("default"), STR_LIT("clicks"),
                                              TABLE_KIND_TABLE, true, &err),
                     STATUS_OK);
    assert_int_equal(store_memory_bytes(fixture->store), 0);
    arena_release(&arena);
}

static void test_what_iceberg_cannot_hold_is_refused_by_name(void **state)
{
    struct fixture *fixture = *state;
    struct catalog *catalog = fixture->catalog;
    struct err err;
    static const struct type bitmap = {.kind = TYPE_BITMAP, .nullable = true};
    struct table_column column = {.name = STR_LIT("x"), .type = &bitmap};
    struct table_def def = iceberg_def("t");
    def.columns = &column;
    def.column_count = 1;
    def.partition_count = 0;
    assert_int_equal(catalog->ops->create_table(catalog, &def, &err), STATUS_UNSUPPORTED);
    assert_string_equal(err.text, "column 'x': an Iceberg table cannot hold BITMAP");
    def = iceberg_def("t");
    struct table_partition by_hour = {STR_LIT("hour"), 0, STR_LIT("user_id")};
    def.partitions = &by_hour;
    def.partition_count = 1;
    assert_int_equal(catalog->ops->create_table(catalog, &def, &err), STATUS_UNSUPPORTED);
    assert_string_equal(err.text, "hour cannot partition a long");
    def = iceberg_def("t");
    def.database = STR_LIT("none");
    assert_int_equal(catalog->ops->create_table(catalog, &def, &err), STATUS_NOT_FOUND);
    assert_string_equal(err.text, "database 'none' does not exist in catalog 'lake'");
}

static void test_databases_are_made_listed_and_dropped(void **state)
{
    struct fixture *fixture = *state;
    struct catalog *catalog = fixture->catalog;
    struct arena arena = {0};
    struct err err;
    struct str *names;
    enum table_kind *kinds;
    uint32_t count;
    struct table_def def = iceberg_def("t");
    struct table_def view = connector_def("a_view", TABLE_KIND_VIEW);
    assert_int_equal(
        catalog->ops->create_database(catalog, STR_LIT("b"), STR_LIT("x"), NULL, 0, &err),
        STATUS_OK);
    assert_int_equal(
        catalog->ops->create_database(catalog, STR_LIT("b"), STR_LIT("x"), NULL, 0, &err),
        STATUS_EXISTS);
    assert_int_equal(catalog->ops->list_databases(catalog, &arena, &names, &count, &err),
                     STATUS_OK);
    assert_int_equal(count, 2);
    assert_true(str_is(names[0], "b") && str_is(names[1], "default"));
    def.database = view.database = STR_LIT("b");
    assert_int_equal(catalog->ops->create_table(catalog, &def, &err), STATUS_OK);
    assert_int_equal(catalog->ops->create_table(catalog, &view, &err), STATUS_OK);
    assert_int_equal(
        catalog->ops->list_tables(catalog, &arena, STR_LIT("b"), &names, &kinds, &count, &err),
        STATUS_OK);
    assert_int_equal(count, 2);
    assert_true(str_is(names[0], "a_view") && kinds[0] == TABLE_KIND_VIEW);
    assert_true(str_is(names[1], "t") && kinds[1] == TABLE_KIND_TABLE);
    assert_int_equal(catalog->ops->drop_database(catalog, STR_LIT("b"), false, &err),
                     STATUS_CONFLICT);
    assert_int_equal(catalog->ops->drop_database(catalog, STR_LIT("b"), true, &err), STATUS_OK);
    assert_int_equal(catalog->ops->drop_database(catalog, STR_LIT("b"), true, &err),
                     STATUS_NOT_FOUND);
    arena_release(&arena);
}

static void test_a_swap_is_for_whoever_knows_where_the_table_is(void **state)
{
    struct fixture *fixture = *state;
    struct catalog *other = open_catalog(fixture); // as another process would
    struct table_place place;
    struct table_place place_of_other;
    struct arena arena = {0};
    struct err err;
    struct str location;
    struct table_name name = {STR_LIT("default"), STR_LIT("t")};
    fixture->catalog->ops->place(fixture->catalog, &place);
    other->ops->place(other, &place_of_other);
    struct table_pointer *mine = place.pointer;
    struct table_pointer *others = place_of_other.pointer;
    assert_int_equal(mine->ops->load(mine, &arena, &name, &location, &err), STATUS_NOT_FOUND);
    assert_int_equal(mine->ops->swap(mine, &name, STR_LIT("a"), STR_LIT("b"), &err),
                     STATUS_NOT_FOUND);
    assert_int_equal(mine->ops->swap(mine, &name, STR_LIT(""), STR_LIT("a"), &err), STATUS_OK);
    assert_int_equal(others->ops->swap(others, &name, STR_LIT(""), STR_LIT("x"), &err),
                     STATUS_EXISTS);
    assert_int_equal(others->ops->swap(others, &name, STR_LIT("a"), STR_LIT("b"), &err), STATUS_OK);
    assert_int_equal(mine->ops->swap(mine, &name, STR_LIT("a"), STR_LIT("c"), &err),
                     STATUS_CONFLICT);
    assert_int_equal(mine->ops->load(mine, &arena, &name, &location, &err), STATUS_OK);
    assert_true(str_is(location, "b"));
    other->ops->close(other);
    arena_release(&arena);
}

// A file of the first JDBC schema, without the type of rows, as older clients make it.
static void test_an_older_catalog_file_is_taken_over(void **state)
{
    struct fixture *fixture = *state;
    struct arena arena = {0};
    struct err err;
    struct str *names;
    uint32_t count;
    sqlite3 *db;
    fixture->catalog->ops->close(fixture->catalog);
    unlink(fixture->path);
    assert_int_equal(sqlite3_open(fixture->path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db,
                     "CREATE TABLE iceberg_tables(catalog_name VARCHAR(255) NOT NULL,"
                     "table_namespace VARCHAR(255) NOT NULL,table_name VARCHAR(255) NOT NULL,"
                     "metadata_location VARCHAR(1000),previous_metadata_location VARCHAR(1000),"
                     "PRIMARY KEY (catalog_name, table_namespace, table_name));"
                     "INSERT INTO iceberg_tables VALUES ('lake', 'old', 't', 'somewhere', NULL),"
                     "('another', 'old', 'u', 'somewhere', NULL)",
                     NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(db);
    fixture->catalog = open_catalog(fixture);
    struct catalog *catalog = fixture->catalog;
    assert_int_equal(
        catalog->ops->list_tables(catalog, &arena, STR_LIT("old"), &names, NULL, &count, &err),
        STATUS_OK);
    assert_int_equal(count, 1);
    assert_true(str_is(names[0], "t"));
    arena_release(&arena);
}

enum { OPENERS = 4, NEW_FILES = 20 };

struct opener {
    pthread_t thread;
    pthread_barrier_t *start;
    struct catalog_sqlite_options options;
    struct catalog *catalog;
    struct err err;
};

static void *open_at_once(void *self)
{
    struct opener *opener = self;
    (void)pthread_barrier_wait(opener->start);
    (void)!catalog_sqlite_open(&opener->options, &opener->catalog, &opener->err);
    return NULL;
}

static void test_a_new_file_is_opened_by_many_at_once(void **state)
{
    struct fixture *fixture = *state;
    for (int file = 0; file < NEW_FILES; file++) {
        char path[120];
        struct opener openers[OPENERS] = {0};
        pthread_barrier_t start;
        snprintf(path, sizeof path, "%s.%d", fixture->path, file);
        assert_int_equal(pthread_barrier_init(&start, NULL, OPENERS), 0);
        for (int i = 0; i < OPENERS; i++) {
            openers[i].start = &start;
            openers[i].options = (struct catalog_sqlite_options){.path = path,
                                                                 .is_ours = true,
                                                                 .name = STR_LIT("lake"),
                                                                 .default_database = STR_LIT("d"),
                                                                 .warehouse = STR_LIT("w"),
                                                                 .store = fixture->store};
            assert_int_equal(pthread_create(&openers[i].thread, NULL, open_at_once, &openers[i]),
                             0);
        }
        for (int i = 0; i < OPENERS; i++) {
            assert_int_equal(pthread_join(openers[i].thread, NULL), 0);
            if (openers[i].catalog == NULL) {
                fail_msg("%s", openers[i].err.text);
            }
            openers[i].catalog->ops->close(openers[i].catalog);
        }
        (void)pthread_barrier_destroy(&start);
        unlink(path);
    }
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_definitions_come_back_as_they_were),
        TEST(test_an_iceberg_table_is_what_sql_asked_for),
        TEST(test_what_iceberg_cannot_hold_is_refused_by_name),
        TEST(test_databases_are_made_listed_and_dropped),
        TEST(test_a_swap_is_for_whoever_knows_where_the_table_is),
        TEST(test_a_new_file_is_opened_by_many_at_once),
        TEST(test_an_older_catalog_file_is_taken_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
