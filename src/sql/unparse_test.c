// SPDX-License-Identifier: Apache-2.0
//
// The texts of SHOW CREATE are those that Flink 2.1 answers (flink-answers/statements).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "catalog/table_def.h"
#include "sql/parse.h"
#include "sql/unparse.h"

static void assert_definition(const struct table_def *def, const char *expected)
{
    struct strbuf out;
    strbuf_init(&out, 1 << 16);
    unparse_definition(&out, def);
    assert_string_equal(out.ptr, expected);
    strbuf_release(&out);
}

static struct table_def named(const char *name)
{
    return (struct table_def){.catalog_name = STR_LIT("default_catalog"),
                              .database = STR_LIT("default_database"),
                              .name = str_from(name)};
}

static void a_table_is_shown_as_flink_shows_it(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    const struct table_column columns[] = {
        {.name = STR_LIT("a"), .type = type_with_null(&arena, &type_int, false)},
        {.name = STR_LIT("ts"), .type = &type_timestamp3},
        {.name = STR_LIT("bb"),
         .type = type_sized(&arena, TYPE_VARCHAR, 10, false),
         .comment = STR_LIT("bb")},
    };
    // As they were set: they are shown by key.
    const struct table_option options[] = {{STR_LIT("k"), STR_LIT("v2")},
                                           {STR_LIT("connector"), STR_LIT("datagen")}};
    struct table_def def = named("al2");
    def.columns = columns;
    def.column_count = 3;
    def.watermark_column = STR_LIT("ts");
    def.watermark_expression = STR_LIT("ts");
    def.comment = STR_LIT("old");
    def.options = options;
    def.option_count = 2;
    assert_definition(&def, "CREATE TABLE `default_catalog`.`default_database`.`al2` (\n"
                            "  `a` INT NOT NULL,\n"
                            "  `ts` TIMESTAMP(3),\n"
                            "  `bb` VARCHAR(10) NOT NULL COMMENT 'bb',\n"
                            "  WATERMARK FOR `ts` AS `ts`\n"
                            ")\n"
                            "COMMENT 'old'\n"
                            "WITH (\n"
                            "  'connector' = 'datagen',\n"
                            "  'k' = 'v2'\n"
                            ")\n");
    arena_release(&arena);
}

static void keys_partitions_and_computed_columns_are_shown(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    const struct table_column columns[] = {
        {.name = STR_LIT("z"), .kind = TABLE_COLUMN_COMPUTED, .expression = STR_LIT("a*2")},
        {.name = STR_LIT("a"), .type = type_with_null(&arena, &type_int, false)},
        {.name = STR_LIT("b"), .type = &type_string},
        {.name = STR_LIT("p"),
         .type = &type_timestamp_ltz3,
         .kind = TABLE_COLUMN_METADATA,
         .metadata_key = STR_LIT("timestamp"),
         .is_virtual = true},
    };
    const struct str key[] = {STR_LIT("a"), STR_LIT("b")};
    const struct table_partition partitions[] = {
        {.transform = STR_LIT("identity"), .column = STR_LIT("b")},
        {.transform = STR_LIT("bucket"), .parameter = 16, .column = STR_LIT("a")},
        {.transform = STR_LIT("day"), .column = STR_LIT("p")},
    };
    struct table_def def = named("ct`2");
    def.is_temporary = true;
    def.columns = columns;
    def.column_count = 4;
    def.primary_key = key;
    def.primary_key_count = 2;
    def.partitions = partitions;
    def.partition_count = 3;
    assert_definition(&def,
                      "CREATE TEMPORARY TABLE `default_catalog`.`default_database`.`ct``2` (\n"
                      "  `z` AS `a` * 2,\n"
                      "  `a` INT NOT NULL,\n"
                      "  `b` VARCHAR(2147483647),\n"
                      "  `p` TIMESTAMP(3) WITH LOCAL TIME ZONE METADATA FROM 'timestamp' VIRTUAL,\n"
                      "  CONSTRAINT `PK_a_b` PRIMARY KEY (`a`, `b`) NOT ENFORCED\n"
                      ")\n"
                      "PARTITIONED BY (`b`, bucket(16, `a`), day(`p`))\n");
    arena_release(&arena);
}

static void a_view_is_shown_as_flink_shows_it(void **state)
{
    (void)state;
    const struct table_column columns[] = {{.name = STR_LIT("a"), .type = &type_int},
                                           {.name = STR_LIT("c"), .type = &type_bigint}};
    struct table_def def = named("v9");
    def.kind = TABLE_KIND_VIEW;
    def.columns = columns;
    def.column_count = 2;
    def.view_text = STR_LIT("SELECT a, count(*) AS c FROM default_catalog.default_database.src "
                            "GROUP BY a ORDER BY a LIMIT 3");
    assert_definition(&def, "CREATE VIEW `default_catalog`.`default_database`.`v9` (\n"
                            "  `a`,\n"
                            "  `c`\n"
                            ")\n"
                            "AS SELECT `src`.`a`, COUNT(*) AS `c`\n"
                            "FROM `default_catalog`.`default_database`.`src`\n"
                            "GROUP BY `src`.`a`\n"
                            "ORDER BY `a`\n"
                            "FETCH NEXT 3 ROWS ONLY\n");
}

static void columns_of_inner_queries_are_shown_as_written(void **state)
{
    (void)state;
    const struct table_column columns[] = {{.name = STR_LIT("a"), .type = &type_int}};
    struct table_def def = named("v");
    def.kind = TABLE_KIND_VIEW;
    def.columns = columns;
    def.column_count = 1;
    def.view_text = STR_LIT("SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.x = b)");
    assert_definition(&def, "CREATE VIEW `default_catalog`.`default_database`.`v` (\n"
                            "  `a`\n"
                            ")\n"
                            "AS SELECT `t`.`a`\n"
                            "FROM `t`\n"
                            "WHERE EXISTS (SELECT 1\n"
                            "FROM `u`\n"
                            "WHERE `u`.`x` = `b`)\n");
}

static void nested_types_are_shown_with_fields_and_nullability(void **state)
{
    (void)state;
    struct arena arena;
    struct strbuf out;
    arena_init(&arena);
    strbuf_init(&out, 1 << 16);
    const struct type_field field = {.name = STR_LIT("b c"),
                                     .type = type_with_null(&arena, &type_int, false)};
    const struct type *row = type_row(&arena, &field, 1, false);
    unparse_logical_type(&out, type_array(&arena, row, false));
    assert_string_equal(out.ptr, "ARRAY<ROW<`b c` INT NOT NULL> NOT NULL> NOT NULL");
    strbuf_release(&out);
    arena_release(&arena);
}

static void assert_query(const char *text, const char *expected)
{
    struct arena arena;
    struct err err;
    struct strbuf out;
    const struct ast_query *query;
    arena_init(&arena);
    strbuf_init(&out, 1 << 16);
    assert_int_equal(parse_query_text(&arena, str_from(text), &query, &err), STATUS_OK);
    unparse_query(&out, str_from(text), query);
    assert_string_equal(out.ptr, expected);
    strbuf_release(&out);
    arena_release(&arena);
}

static void queries_keep_what_their_parentheses_mean(void **state)
{
    (void)state;
    assert_query("select 1 union (select 2 union all select 3)",
                 "SELECT 1\nUNION\n(SELECT 2\nUNION ALL\nSELECT 3)");
    assert_query("(select 1 union select 2) intersect select 3",
                 "(SELECT 1\nUNION\nSELECT 2)\nINTERSECT\nSELECT 3");
    assert_query("(select a from t limit 1) except select 2",
                 "(SELECT `a`\nFROM `t`\nFETCH NEXT 1 ROWS ONLY)\nEXCEPT\nSELECT 2");
    assert_query("select * from a join (b cross join c) on x",
                 "SELECT *\nFROM `a`\nINNER JOIN (`b`\nCROSS JOIN `c`) ON `x`");
    assert_query("with w (x) as (select 1) select w.* from w as v (y)",
                 "WITH `w` (`x`) AS (SELECT 1)\nSELECT `w`.*\nFROM `w` AS `v` (`y`)");
}

static void clauses_kept_as_text_are_copied(void **state)
{
    (void)state;
    assert_query("select * from t match_recognize (pattern (a b+) define b as b.x > 1) as m",
                 "SELECT *\nFROM `t` match_recognize (pattern (a b+) define b as b.x > 1) AS `m`");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_is_shown_as_flink_shows_it),
        cmocka_unit_test(keys_partitions_and_computed_columns_are_shown),
        cmocka_unit_test(a_view_is_shown_as_flink_shows_it),
        cmocka_unit_test(columns_of_inner_queries_are_shown_as_written),
        cmocka_unit_test(nested_types_are_shown_with_fields_and_nullability),
        cmocka_unit_test(queries_keep_what_their_parentheses_mean),
        cmocka_unit_test(clauses_kept_as_text_are_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
