// SPDX-License-Identifier: Apache-2.0
#include "sql/bind_test_int.h"

static const struct table_def *make(struct fixture *fixture, const char *sql)
{
    fixture_must(fixture, sql);
    return fixture->tables[fixture->table_count - 1];
}

static void assert_text(struct str text, const char *expected)
{
    if (!str_is(text, expected)) {
        fail_msg("'%.*s' is not '%s'", STR_ARGS(text), expected);
    }
}

static void assert_column(struct fixture *fixture, const struct table_def *def, uint32_t at,
                          const char *name, const char *type)
{
    assert_text(def->columns[at].name, name);
    assert_text(type_text(&fixture->arena, def->columns[at].type), type);
}

static void a_definition_holds_columns_of_all_kinds(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_init(&fixture, true);
    const struct table_def *def = make(
        &fixture, "CREATE TABLE c (id INT, url STRING COMMENT 'where', o BIGINT METADATA FROM "
                  "'offset' VIRTUAL, `partition` INT METADATA, n AS id  +1, ts TIMESTAMP(3), "
                  "WATERMARK FOR ts AS ts - INTERVAL '5' SECOND, PRIMARY KEY (id) NOT ENFORCED) "
                  "COMMENT 'all' WITH ('connector' = 'kafka', 'topic' = 't')");
    assert_int_equal(def->column_count, 6);
    assert_column(&fixture, def, 0, "id", "INT NOT NULL"); // a key is never NULL
    assert_column(&fixture, def, 1, "url", "STRING");
    assert_text(def->columns[1].comment, "where");
    assert_int_equal(def->columns[2].kind, TABLE_COLUMN_METADATA);
    assert_true(def->columns[2].is_virtual);
    assert_text(def->columns[2].metadata_key, "offset");
    assert_text(def->columns[3].metadata_key, "partition");
    assert_int_equal(def->columns[4].kind, TABLE_COLUMN_COMPUTED);
    assert_column(&fixture, def, 4, "n", "INT"); // of the id as it was written, before the key
    assert_text(def->columns[4].expression, "`id` + 1");
    assert_text(def->watermark_column, "ts");
    assert_text(def->watermark_expression, "`ts` - INTERVAL '5' SECOND");
    assert_int_equal(def->primary_key_count, 1);
    assert_text(def->comment, "all");
    assert_text(*table_def_option(def, "topic"), "t");
    assert_false(def->is_iceberg);
    fixture_release(&fixture);
}

static void without_a_connector_it_is_an_iceberg_table(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_init(&fixture, true);
    const struct table_def *def =
        make(&fixture, "CREATE TABLE other.i (ts TIMESTAMP(6), id BIGINT, s STRING) "
                       "PARTITIONED BY (days(ts), bucket(16, id), truncate(4, s), s)");
    assert_true(def->is_iceberg);
    assert_text(def->database, "other");
    assert_text(def->catalog_name, "default_catalog");
    static const struct table_partition expected[] = {{{"day", 3}, 0, {"ts", 2}},
                                                      {{"bucket", 6}, 16, {"id", 2}},
                                                      {{"truncate", 8}, 4, {"s", 1}},
                                                      {{"identity", 8}, 0, {"s", 1}}};
    assert_int_equal(def->partition_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(str_equal(def->partitions[i].transform, expected[i].transform));
        assert_true(str_equal(def->partitions[i].column, expected[i].column));
        assert_int_equal(def->partitions[i].parameter, expected[i].parameter);
    }
    fixture_release(&fixture);
}

static void like_takes_over_what_is_not_excluded(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_init(&fixture, true);
    make(&fixture, "CREATE TABLE a (id INT, ts TIMESTAMP(3), n AS id + 1, WATERMARK FOR ts AS ts, "
                   "PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'kafka', 'topic' = 'a')");
    const struct table_def *all =
        make(&fixture, "CREATE TABLE b (v INT) WITH ('topic' = 'b') LIKE a");
    assert_int_equal(all->column_count, 4);
    assert_column(&fixture, all, 3, "v", "INT");
    assert_text(*table_def_option(all, "connector"), "kafka");
    assert_text(*table_def_option(all, "topic"), "b");
    assert_text(all->watermark_column, "ts");
    assert_int_equal(all->primary_key_count, 1);
    const struct table_def *some =
        make(&fixture, "CREATE TABLE d WITH ('connector' = 'print') LIKE a (EXCLUDING ALL)");
    assert_int_equal(some->column_count, 2);
    assert_int_equal(some->option_count, 1);
    assert_int_equal(some->primary_key_count, 0);
    assert_text(some->watermark_column, "");
    const struct table_def *over =
        make(&fixture, "CREATE TABLE f (n AS id + 2, WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) "
                       "LIKE a (OVERWRITING GENERATED OVERWRITING WATERMARKS)");
    assert_text(over->columns[2].expression, "`id` + 2");
    assert_text(over->watermark_expression, "`ts` - INTERVAL '1' SECOND");
    assert_int_equal(fixture_run(&fixture, "CREATE TABLE g (n AS id + 2) LIKE a"),
                     STATUS_INVALID_DATA);
    fixture_release(&fixture);
}

static void types_have_the_defaults_and_limits_of_flink(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_init(&fixture, true);
    const struct table_def *def = make(
        &fixture, "CREATE TABLE u (a CHAR, b VARCHAR, c DECIMAL, d TIMESTAMP, e TIMESTAMP_LTZ, "
                  "f TIME(3), g DECIMAL(39, 2), h ROW<x INT NOT NULL, y ARRAY<STRING>>, "
                  "i MAP<STRING, INT> NOT NULL, j BYTES) WITH ('connector' = 'print')");
    static const char *const types[] = {"CHAR(1)",
                                        "STRING",
                                        "DECIMAL(10, 0)",
                                        "TIMESTAMP(6)",
                                        "TIMESTAMP_LTZ(6)",
                                        "TIME(0)",
                                        "DECIMAL(38, 2)",
                                        "ROW<`x` INT NOT NULL, `y` ARRAY<STRING>>",
                                        "MAP<STRING, INT> NOT NULL",
                                        "BYTES"};
    for (uint32_t i = 0; i < 10; i++) {
        assert_text(type_text(&fixture.arena, def->columns[i].type), types[i]);
    }
    fixture_release(&fixture);
}

static void a_table_as_query_has_the_columns_of_the_query(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_init(&fixture, true);
    const struct table_def *def =
        make(&fixture, "CREATE TABLE q AS SELECT 1 AS x, CAST(NULL AS STRING) AS s, 'ab'");
    assert_int_equal(def->column_count, 3);
    assert_column(&fixture, def, 0, "x", "INT NOT NULL");
    assert_column(&fixture, def, 1, "s", "STRING");
    assert_column(&fixture, def, 2, "EXPR$2", "CHAR(2) NOT NULL");
    fixture_release(&fixture);
}

static void a_view_means_the_same_wherever_it_is_read(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_init(&fixture, true);
    make(&fixture, "CREATE TABLE t (id INT, r ROW<x INT>) WITH ('connector' = 'kafka')");
    const struct table_def *view =
        make(&fixture, "CREATE VIEW v (a, b, c) AS SELECT *, r.x FROM t WHERE id > 1 -- few");
    assert_int_equal(view->kind, TABLE_KIND_VIEW);
    assert_column(&fixture, view, 0, "a", "INT");
    assert_column(&fixture, view, 2, "c", "INT");
    assert_text(view->view_text, "SELECT `t`.`id`, `t`.`r`, `t`.`r`.`x`\n"
                                 "FROM `default_catalog`.`default_database`.`t`\n"
                                 "WHERE `t`.`id` > 1");
    fixture_must(&fixture, "SELECT c FROM v WHERE a = 2");
    assert_string_equal(fixture_explain(&fixture, false, false),
                        "Calc(select=[r.x AS c], where=[((id > 1) AND (id = 2))])\n"
                        "+- TableSourceScan(table=[[default_catalog, default_database, t, "
                        "filter=[((id > 1) AND (id = 2))]]], fields=[id, r])\n");
    fixture_release(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_definition_holds_columns_of_all_kinds),
        cmocka_unit_test(without_a_connector_it_is_an_iceberg_table),
        cmocka_unit_test(like_takes_over_what_is_not_excluded),
        cmocka_unit_test(types_have_the_defaults_and_limits_of_flink),
        cmocka_unit_test(a_table_as_query_has_the_columns_of_the_query),
        cmocka_unit_test(a_view_means_the_same_wherever_it_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
