// SPDX-License-Identifier: Apache-2.0
//
// What is refused is refused with its place, a text, and advice where there is some. The statements
// are those to which Flink's answers are recorded (peers/flink/record_errors.py) and others.
#include "sql/bind_test_int.h"

struct error_case {
    const char *sql;
    const char *expected;
};

static const char *const tables[] = {
    "CREATE TABLE t (id INT, k STRING, v DOUBLE, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - "
    "INTERVAL '1' SECOND) WITH ('connector' = 'datagen', 'number-of-rows' = '5')",
    "CREATE TABLE n (id INT, ts STRING) WITH ('connector' = 'datagen', 'number-of-rows' = '5')",
    "CREATE TABLE snk (id INT NOT NULL, k STRING) WITH ('connector' = 'blackhole')",
    "CREATE TABLE app (k STRING, n BIGINT) WITH ('connector' = 'filesystem', 'path' = '/x', "
    "'format' = 'json')",
    "CREATE TABLE geo (p ROW<lat DOUBLE, lon DOUBLE>, host AS UPPER('x')) "
    "WITH ('connector' = 'kafka', 'topic' = 'g')",
    "CREATE VIEW earlier AS SELECT id FROM t",
};

#define T_COLUMNS "id INT, k STRING, v DOUBLE, ts TIMESTAMP(3)"

static const struct error_case queries[] = {
    {"SELECT * FROM missing", "1:15: error: table 'missing' does not exist\n"
                              "    1 | SELECT * FROM missing\n"
                              "      |               ^~~~~~~\n"
                              "  hint: looked in 'default_catalog.default_database'\n"},
    {"SELECT id FROM snkk", "1:16: error: table 'snkk' does not exist\n"
                            "    1 | SELECT id FROM snkk\n"
                            "      |                ^~~~\n"
                            "  hint: did you mean 'snk'?\n"},
    {"SELECT idd FROM t", "1:8: error: column 'idd' does not exist in 't'\n"
                          "    1 | SELECT idd FROM t\n"
                          "      |        ^~~\n"
                          "  hint: did you mean 'id'?  (columns: " T_COLUMNS ")\n"},
    {"SELECT ID FROM t", "1:8: error: column 'ID' does not exist in 't'\n"
                         "    1 | SELECT ID FROM t\n"
                         "      |        ^~\n"
                         "  hint: did you mean 'id'?  (columns: " T_COLUMNS ")\n"},
    {"SELECT p.latt FROM geo",
     "1:10: error: field 'latt' does not exist in ROW<`lat` DOUBLE, `lon` DOUBLE>\n"
     "    1 | SELECT p.latt FROM geo\n"
     "      |          ^~~~\n"
     "  hint: did you mean 'lat'?\n"},
    {"SELECT x.id FROM t AS y", "1:8: error: 'x' is neither a table of this query nor a column\n"
                                "    1 | SELECT x.id FROM t AS y\n"
                                "      |        ^\n"
                                "  hint: did you mean 'y'?\n"},
    {"SELECT k, id, COUNT(*) FROM t GROUP BY k",
     "1:11: error: 'id' is neither in GROUP BY nor inside an aggregate function\n"
     "    1 | SELECT k, id, COUNT(*) FROM t GROUP BY k\n"
     "      |           ^~\n"
     "  hint: add it to GROUP BY, or take one value: MAX(id)\n"},
    {"SELECT k FROM t WHERE COUNT(*) > 1 GROUP BY k",
     "1:23: error: aggregate function COUNT is not allowed in WHERE\n"
     "    1 | SELECT k FROM t WHERE COUNT(*) > 1 GROUP BY k\n"
     "      |                       ^~~~~~~~\n"
     "  hint: conditions on groups belong into HAVING\n"},
    {"SELECT SUM(MAX(id)) FROM t",
     "1:12: error: aggregate function MAX cannot stand inside another\n"
     "    1 | SELECT SUM(MAX(id)) FROM t\n"
     "      |            ^~~~~~~\n"},
    {"SELECT id FROM t WHERE k", "1:24: error: WHERE needs a BOOLEAN, and this is STRING\n"
                                 "    1 | SELECT id FROM t WHERE k\n"
                                 "      |                        ^\n"},
    {"SELECT id FROM t JOIN n ON t.id = n.id",
     "1:8: error: column 'id' is ambiguous\n"
     "    1 | SELECT id FROM t JOIN n ON t.id = n.id\n"
     "      |        ^~\n"
     "  hint: put the table's name or alias in front: t.id\n"},
    {"SELECT 1 FROM t JOIN t ON TRUE", "1:22: error: FROM names 't' twice\n"
                                       "    1 | SELECT 1 FROM t JOIN t ON TRUE\n"
                                       "      |                      ^\n"
                                       "  hint: give one of them an alias: t AS x\n"},
    {"SELECT id FROM t UNION ALL SELECT id, k FROM t",
     "1:28: error: UNION ALL needs equal numbers of columns, and here are 1 and 2\n"
     "    1 | SELECT id FROM t UNION ALL SELECT id, k FROM t\n"
     "      |                            ^~~~~~~~~~~~~~~~~~~\n"},
    {"SELECT id FROM t UNION ALL SELECT ts FROM t",
     "1:28: error: column 1 of UNION ALL: INT and TIMESTAMP(3) have no common type\n"
     "    1 | SELECT id FROM t UNION ALL SELECT ts FROM t\n"
     "      |                            ^~~~~~~~~~~~~~~~\n"},
    {"SELECT * FROM TABLE(TUMBLE(TABLE n, DESCRIPTOR(ts), INTERVAL '1' MINUTE))",
     "1:48: error: TUMBLE needs a TIMESTAMP or TIMESTAMP_LTZ, and 'ts' is a STRING\n"
     "    1 | SELECT * FROM TABLE(TUMBLE(TABLE n, DESCRIPTOR(ts), INTERVAL '1' MINUTE))\n"
     "      |                                                ^~\n"},
    {"SELECT * FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(nope), INTERVAL '1' MINUTE))",
     "1:48: error: column 'nope' does not exist in 't'\n"
     "    1 | SELECT * FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(nope), INTERVAL '1' MINUTE))\n"
     "      |                                                ^~~~\n"
     "  hint: columns: " T_COLUMNS "\n"},
    {"SELECT * FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts)))",
     "1:21: error: these are not the arguments of TUMBLE\n"
     "    1 | SELECT * FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts)))\n"
     "      |                     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
     "  hint: TUMBLE(TABLE t, DESCRIPTOR(ts), size [, offset])\n"},
    {"SELECT * FROM TABLE(HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '3' SECOND, INTERVAL '10' SECOND))",
     "1:50: error: HOP: the size (10000 ms) must be a multiple of the slide (3000 ms)\n"
     "    1 | SELECT * FROM TABLE(HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '3' SECOND, INTERVAL '10' "
     "SECOND))\n"
     "      |                                                  ^~~~~~~~~~~~~~~~~~~\n"},
    {"SELECT * FROM TABLE(TUMBEL(TABLE t, DESCRIPTOR(ts), INTERVAL '3' SECOND))",
     "1:21: error: there is no table function 'TUMBEL'\n"
     "    1 | SELECT * FROM TABLE(TUMBEL(TABLE t, DESCRIPTOR(ts), INTERVAL '3' SECOND))\n"
     "      |                     ^~~~~~\n"
     "  hint: did you mean TUMBLE?\n"},
    {"SELECT * FROM TABLE(SESSION(TABLE t, DESCRIPTOR(ts), INTERVAL '3' SECOND))",
     "1:21: error: SESSION windows are not supported yet\n"
     "    1 | SELECT * FROM TABLE(SESSION(TABLE t, DESCRIPTOR(ts), INTERVAL '3' SECOND))\n"
     "      |                     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {"SELECT * FROM t ORDER BY id",
     "1:26: error: a stream can be sorted by its time attribute, ascending, only\n"
     "    1 | SELECT * FROM t ORDER BY id\n"
     "      |                          ^~\n"
     "  hint: SET 'execution.runtime-mode' = 'batch' sorts what is there now\n"},
    {"SELECT * FROM t ORDER BY 9", "1:26: error: position 9 in ORDER BY: there are 4 columns\n"
                                   "    1 | SELECT * FROM t ORDER BY 9\n"
                                   "      |                          ^\n"},
    {"SELECT * FROM t AS a LEFT JOIN n AS b ON a.id = b.id",
     "1:22: error: LEFT JOIN is not supported yet\n"
     "    1 | SELECT * FROM t AS a LEFT JOIN n AS b ON a.id = b.id\n"
     "      |                      ^~~~~~~~~\n"},
    {"SELECT id FROM t WHERE EXISTS (SELECT 1 FROM n)",
     "1:24: error: EXISTS is not supported yet\n"
     "    1 | SELECT id FROM t WHERE EXISTS (SELECT 1 FROM n)\n"
     "      |                        ^~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {"SELECT CAST(1 AS INTT)", "1:18: error: there is no type 'INTT'\n"
                               "    1 | SELECT CAST(1 AS INTT)\n"
                               "      |                  ^~~~\n"
                               "  hint: did you mean INT?\n"},
    {"SELECT INTERVAL '100' DAY", "1:8: error: 100 has more digits than DAY(2)\n"
                                  "    1 | SELECT INTERVAL '100' DAY\n"
                                  "      |        ^~~~~~~~~~~~~~~~~~\n"
                                  "  hint: write INTERVAL '100' DAY(3)\n"},
    {"SELECT id FROM t /*+ OPTIONS('rows' = '1') */",
     "1:16: error: 'datagen' has no option 'rows'\n"
     "    1 | SELECT id FROM t /*+ OPTIONS('rows' = '1') */\n"
     "      |                ^\n"},
    {"SELECT * FROM snk",
     "1:15: error: connector 'blackhole' of table 'snk' can be written to, not read\n"
     "    1 | SELECT * FROM snk\n"
     "      |               ^~~\n"},
    {"VALUES (1, NULL)", "1:12: error: NULL has no type here\n"
                         "    1 | VALUES (1, NULL)\n"
                         "      |            ^~~~\n"
                         "  hint: say which: CAST(NULL AS INT)\n"},
};

static const struct error_case inserts[] = {
    {"INSERT INTO app SELECT k, COUNT(*) FROM t GROUP BY k",
     "1:17: error: table sink 'default_catalog.default_database.app' does not take update "
     "changes, which are made by GroupAggregate(groupBy=[k], select=[k, COUNT(*) AS EXPR$1])\n"
     "    1 | INSERT INTO app SELECT k, COUNT(*) FROM t GROUP BY k\n"
     "      |                 ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
     "  hint: group by a window (TUMBLE), whose results come once, or write to a table that takes "
     "updates, such as 'connector' = 'print'\n"},
    {"INSERT INTO snk SELECT id FROM t",
     "1:17: error: the query has 1 column, and 'default_catalog.default_database.snk' takes 2 "
     "here\n"
     "    1 | INSERT INTO snk SELECT id FROM t\n"
     "      |                 ^~~~~~~~~~~~~~~~\n"
     "  hint: query: [id INT]; table: [id INT NOT NULL, k STRING]\n"},
    {"INSERT INTO app SELECT ts, id FROM t",
     "1:24: error: column 'k' of 'default_catalog.default_database.app' is STRING, and the query "
     "gives TIMESTAMP(3) (column 1)\n"
     "    1 | INSERT INTO app SELECT ts, id FROM t\n"
     "      |                        ^~\n"
     "  hint: a CAST may help; query: [ts TIMESTAMP(3) *ROWTIME*, id INT]; table: [k STRING, n "
     "BIGINT]\n"},
    {"INSERT INTO app (k, nn) SELECT k, id FROM t",
     "1:21: error: column 'nn' does not exist in 'app'\n"
     "    1 | INSERT INTO app (k, nn) SELECT k, id FROM t\n"
     "      |                     ^~\n"
     "  hint: did you mean 'n'?\n"},
    {"INSERT INTO app (k, k) SELECT k, k FROM t",
     "1:21: error: column 'k' is given twice\n"
     "    1 | INSERT INTO app (k, k) SELECT k, k FROM t\n"
     "      |                     ^\n"},
    {"INSERT INTO snk (k) SELECT k FROM t",
     "1:18: error: column 'id' of 'snk' is NOT NULL and is not in the list\n"
     "    1 | INSERT INTO snk (k) SELECT k FROM t\n"
     "      |                  ^\n"},
    {"INSERT INTO missing SELECT id FROM t",
     "1:13: error: table 'missing' does not exist\n"
     "    1 | INSERT INTO missing SELECT id FROM t\n"
     "      |             ^~~~~~~\n"
     "  hint: looked in 'default_catalog.default_database'\n"},
    {"INSERT INTO t SELECT * FROM t",
     "1:13: error: connector 'datagen' of table 't' can be read, not written to\n"
     "    1 | INSERT INTO t SELECT * FROM t\n"
     "      |             ^\n"},
    {"INSERT INTO earlier SELECT 1", "1:13: error: 'earlier' is a view: rows go into tables only\n"
                                     "    1 | INSERT INTO earlier SELECT 1\n"
                                     "      |             ^~~~~~~\n"},
};

static const struct error_case definitions[] = {
    {"CREATE TABLE x (id INT, WATERMARK FOR tss AS ts) WITH ('connector' = 'kafka')",
     "1:39: error: watermark column 'tss' is not defined in the table\n"
     "    1 | CREATE TABLE x (id INT, WATERMARK FOR tss AS ts) WITH ('connector' = 'kafka')\n"
     "      |                                       ^~~\n"
     "  hint: columns: id\n"},
    {"CREATE TABLE x (ts STRING, WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka')",
     "1:42: error: a watermark's column must be TIMESTAMP(0 to 3) or TIMESTAMP_LTZ(0 to 3), and "
     "'ts' is STRING\n"
     "    1 | CREATE TABLE x (ts STRING, WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka')\n"
     "      |                                          ^~\n"},
    {"CREATE TABLE x (id INT, PRIMARY KEY (id)) WITH ('connector' = 'kafka')",
     "1:25: error: PRIMARY KEY must be NOT ENFORCED\n"
     "    1 | CREATE TABLE x (id INT, PRIMARY KEY (id)) WITH ('connector' = 'kafka')\n"
     "      |                         ^~~~~~~~~~~~~~~~\n"
     "  hint: write PRIMARY KEY (...) NOT ENFORCED: the data is not checked against it\n"},
    {"CREATE TABLE x (idd INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'kafka')",
     "1:39: error: primary key column 'id' is not defined in the table\n"
     "    1 | CREATE TABLE x (idd INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = "
     "'kafka')\n"
     "      |                                       ^~\n"
     "  hint: did you mean 'idd'?  (columns: idd)\n"},
    {"CREATE TABLE x (id INT, id STRING) WITH ('connector' = 'kafka')",
     "1:25: error: there is a column 'id' already\n"
     "    1 | CREATE TABLE x (id INT, id STRING) WITH ('connector' = 'kafka')\n"
     "      |                         ^~\n"},
    {"CREATE TABLE x (id INTT) WITH ('connector' = 'kafka')",
     "1:20: error: there is no type 'INTT'\n"
     "    1 | CREATE TABLE x (id INTT) WITH ('connector' = 'kafka')\n"
     "      |                    ^~~~\n"
     "  hint: did you mean INT?\n"},
    {"CREATE TABLE x (d DECIMAL(5, 6)) WITH ('connector' = 'kafka')",
     "1:19: error: the scale of DECIMAL(5, 6) is larger than its precision\n"
     "    1 | CREATE TABLE x (d DECIMAL(5, 6)) WITH ('connector' = 'kafka')\n"
     "      |                   ^~~~~~~~~~~~~\n"},
    {"CREATE TABLE x (a INT, b AS aa + 1) WITH ('connector' = 'kafka')",
     "1:29: error: column 'aa' does not exist in 'x'\n"
     "    1 | CREATE TABLE x (a INT, b AS aa + 1) WITH ('connector' = 'kafka')\n"
     "      |                             ^~\n"
     "  hint: did you mean 'a'?  (columns: a INT)\n"},
    {"CREATE TABLE x (a INT, s STRING) PARTITIONED BY (bukket(4, a))",
     "1:50: error: there is no partition transform 'bukket'\n"
     "    1 | CREATE TABLE x (a INT, s STRING) PARTITIONED BY (bukket(4, a))\n"
     "      |                                                  ^~~~~~\n"
     "  hint: did you mean 'bucket'?\n"},
    {"CREATE TABLE x (a INT, s STRING) PARTITIONED BY (day(s))",
     "1:50: error: day does not take STRING\n"
     "    1 | CREATE TABLE x (a INT, s STRING) PARTITIONED BY (day(s))\n"
     "      |                                                  ^~~~~~\n"},
    {"CREATE TABLE x (a INT, ts TIMESTAMP(3)) PARTITIONED BY (day(ts)) WITH ('connector' = "
     "'kafka')",
     "1:57: error: partition transforms belong to Iceberg tables, and this one has a "
     "'connector'\n"
     "    1 | CREATE TABLE x (a INT, ts TIMESTAMP(3)) PARTITIONED BY (day(ts)) WITH ('connector' = "
     "'kafka')\n"
     "      |                                                         ^~~~~~~\n"},
    {"CREATE VIEW w (a) AS SELECT id, k FROM t",
     "1:16: error: 1 names for the 2 columns of the query\n"
     "    1 | CREATE VIEW w (a) AS SELECT id, k FROM t\n"
     "      |                ^\n"},
    {"CREATE VIEW w AS SELECT id, k AS id FROM t",
     "1:18: error: the view has two columns 'id'\n"
     "    1 | CREATE VIEW w AS SELECT id, k AS id FROM t\n"
     "      |                  ^~~~~~~~~~~~~~~~~~~~~~~~~\n"},
};

static void prepare(struct fixture *fixture)
{
    fixture_init(fixture, true);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        fixture_must(fixture, tables[i]);
    }
}

static void check_errors(const struct error_case *cases, size_t count)
{
    uint32_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        struct fixture fixture;
        prepare(&fixture);
        if (fixture_run(&fixture, cases[i].sql) == STATUS_OK) {
            print_message("accepted: %s\n", cases[i].sql);
            wrong++;
        } else {
            const char *got = fixture_diagnose(&fixture, cases[i].sql);
            if (strcmp(got, cases[i].expected) != 0 || fixture.err.stage != ERR_STAGE_VALIDATE) {
                print_message("got\n%sexpected\n%s", got, cases[i].expected);
                wrong++;
            }
        }
        fixture_release(&fixture);
    }
    assert_int_equal(wrong, 0);
}

static void faulty_queries_are_refused_where_the_fault_is(void **state)
{
    (void)state;
    check_errors(queries, sizeof queries / sizeof *queries);
}

static void faulty_inserts_are_refused_with_both_schemas(void **state)
{
    (void)state;
    check_errors(inserts, sizeof inserts / sizeof *inserts);
}

static void faulty_definitions_are_refused_where_the_fault_is(void **state)
{
    (void)state;
    check_errors(definitions, sizeof definitions / sizeof *definitions);
}

static void a_fault_inside_a_view_is_told_where_the_view_is_named(void **state)
{
    (void)state;
    struct fixture fixture;
    prepare(&fixture);
    static const struct table_column columns[] = {{.name = {"other", 5}, .type = &type_int}};
    fixture.tables[0]->columns = columns; // of t
    fixture.tables[0]->column_count = 1;
    fixture.tables[0]->watermark_column = (struct str){0};
    const char *sql = "SELECT id FROM earlier WHERE id > 1";
    assert_int_not_equal(fixture_run(&fixture, sql), STATUS_OK);
    assert_string_equal(fixture_diagnose(&fixture, sql),
                        "1:16: error: in view 'earlier': column 'id' does not exist in 't'\n"
                        "    1 | SELECT id FROM earlier WHERE id > 1\n"
                        "      |                ^~~~~~~\n"
                        "  hint: columns: other INT\n");
    fixture_release(&fixture);
}

static void updates_cannot_be_read_by_a_batch_query(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_init(&fixture, false);
    fixture_must(&fixture, "CREATE TABLE c (id INT) WITH ('connector' = 'filesystem', 'path' = "
                           "'/c', 'format' = 'debezium-json')");
    assert_int_equal(fixture_run(&fixture, "SELECT id FROM c"), STATUS_UNSUPPORTED);
    assert_string_equal(fixture.err.hint, "SET 'execution.runtime-mode' = 'streaming'");
    fixture_release(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faulty_queries_are_refused_where_the_fault_is),
        cmocka_unit_test(faulty_inserts_are_refused_with_both_schemas),
        cmocka_unit_test(faulty_definitions_are_refused_where_the_fault_is),
        cmocka_unit_test(a_fault_inside_a_view_is_told_where_the_view_is_named),
        cmocka_unit_test(updates_cannot_be_read_by_a_batch_query),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
