// SPDX-License-Identifier: Apache-2.0
//
// Plans: a query, and EXPLAIN CHANGELOG_MODE of it. The expected texts are written by the rules of
// Flink's planner, in the shape of its recorded plans (fixtures/nexmark/explain).
#include "sql/bind_test_int.h"

struct plan_case {
    const char *name;
    const char *sql;
    const char *plan;
};

static const char *const tables[] = {
    "CREATE TABLE e (id INT, k STRING, v INT, d DECIMAL(10, 2), ts TIMESTAMP(3), "
    "WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka', 'topic' = 'e')",
    "CREATE TABLE s (id INT, k STRING, v INT) WITH ('connector' = 'filesystem', 'path' = '/s')",
    "CREATE TABLE c (id INT, k STRING, v INT, PRIMARY KEY (id) NOT ENFORCED) "
    "WITH ('connector' = 'kafka', 'topic' = 'c', 'format' = 'debezium-json')",
    "CREATE TABLE u (id INT, k STRING, v INT, PRIMARY KEY (id) NOT ENFORCED) "
    "WITH ('connector' = 'upsert-kafka')",
    "CREATE TABLE p (k STRING, n BIGINT) WITH ('connector' = 'print')",
    "CREATE TABLE up (k STRING, n BIGINT, PRIMARY KEY (k) NOT ENFORCED) "
    "WITH ('connector' = 'upsert-kafka')",
    "CREATE TABLE ice (k STRING, n BIGINT NOT NULL)",
};

#define SCAN_S(fields)                                                                             \
    "TableSourceScan(table=[[default_catalog, default_database, s]], fields=[" fields              \
    "], changelogMode=[I])"
#define SCAN_E(fields)                                                                             \
    "TableSourceScan(table=[[default_catalog, default_database, e]], fields=[" fields              \
    "], changelogMode=[I])"
#define SCAN_C(fields)                                                                             \
    "TableSourceScan(table=[[default_catalog, default_database, c]], fields=[" fields              \
    "], changelogMode=[I,UB,UA,D])"
#define WATERMARK "WatermarkAssigner(rowtime=[ts], watermark=[ts], changelogMode=[I])"

static const struct plan_case streaming[] = {
    {"a projection reads only what it needs", "SELECT v + 1 AS w FROM s",
     "Calc(select=[(v + 1) AS w], changelogMode=[I])\n"
     "+- " SCAN_S("v") "\n"},
    {"a scan of all columns needs no Calc", "SELECT * FROM s", SCAN_S("id, k, v") "\n"},
    {"filter and projection of nested queries are one Calc",
     "SELECT w FROM (SELECT v * 2 AS w, k FROM s WHERE v > 1) WHERE k = 'a'",
     "Calc(select=[(v * 2) AS w], where=[((v > 1) AND (k = 'a'))], changelogMode=[I])\n"
     "+- TableSourceScan(table=[[default_catalog, default_database, s, "
     "filter=[((v > 1) AND (k = 'a'))]]], fields=[k, v], changelogMode=[I])\n"},
    {"a watermark sees all rows: filters stay above it", "SELECT id FROM e WHERE v > 1",
     "Calc(select=[id], where=[(v > 1)], changelogMode=[I])\n"
     "+- " WATERMARK "\n"
     "   +- " SCAN_E("id, v, ts") "\n"},
    {"conditions that hold always are gone", "SELECT id FROM s WHERE 1 + 1 = 2", SCAN_S("id") "\n"},
    {"filters on group keys go below the aggregation, others stay above",
     "SELECT k, COUNT(*) AS n FROM s GROUP BY k HAVING k > 'a' AND COUNT(*) > 1",
     "Calc(select=[k, n], where=[(n > 1)], changelogMode=[I,UB,UA])\n"
     "+- GroupAggregate(groupBy=[k], select=[k, COUNT(*) AS n], changelogMode=[I,UB,UA])\n"
     "   +- Exchange(distribution=[hash[k]], changelogMode=[I])\n"
     "      +- Calc(select=[k], where=[(k > 'a')], changelogMode=[I])\n"
     "         +- TableSourceScan(table=[[default_catalog, default_database, s, "
     "filter=[(k > 'a')]]], fields=[k], changelogMode=[I])\n"},
    {"equal calls are computed once, results that nobody reads not at all",
     "SELECT n + n AS m FROM (SELECT COUNT(*) AS n, SUM(v) AS x, COUNT(*) AS o FROM s)",
     "Calc(select=[(n + n) AS m], changelogMode=[I,UB,UA])\n"
     "+- GroupAggregate(select=[COUNT(*) AS n], changelogMode=[I,UB,UA])\n"
     "   +- Exchange(distribution=[single], changelogMode=[I])\n"
     "      +- " SCAN_S("") "\n"},
    {"DISTINCT and FILTER", "SELECT COUNT(DISTINCT k) FILTER (WHERE v > 1) AS n FROM s",
     "GroupAggregate(select=[COUNT(DISTINCT k) FILTER $f1 AS n], changelogMode=[I,UB,UA])\n"
     "+- Exchange(distribution=[single], changelogMode=[I])\n"
     "   +- Calc(select=[k, (v > 1) IS TRUE AS $f1], changelogMode=[I])\n"
     "      +- " SCAN_S("k, v") "\n"},
    {"SELECT DISTINCT over inserts inserts only", "SELECT DISTINCT k FROM s",
     "GroupAggregate(groupBy=[k], select=[k], changelogMode=[I])\n"
     "+- Exchange(distribution=[hash[k]], changelogMode=[I])\n"
     "   +- " SCAN_S("k") "\n"},
    {"a join's conditions are keys, filters of one side, and the rest",
     "SELECT a.id, b.v FROM s AS a JOIN c AS b ON a.id = b.id AND a.v > 1 WHERE b.k = 'x' "
     "AND a.v < b.v",
     "Calc(select=[id, v0 AS v], changelogMode=[I,UB,UA,D])\n"
     "+- Join(joinType=[InnerJoin], where=[((id = id0) AND (v < v0))], "
     "select=[id, v, id0, v0], leftInputSpec=[NoUniqueKey], "
     "rightInputSpec=[JoinKeyContainsUniqueKey], changelogMode=[I,UB,UA,D])\n"
     "   :- Exchange(distribution=[hash[id]], changelogMode=[I])\n"
     "   :  +- Calc(select=[id, v], where=[(v > 1)], changelogMode=[I])\n"
     "   :     +- TableSourceScan(table=[[default_catalog, default_database, s, "
     "filter=[(v > 1)]]], fields=[id, v], changelogMode=[I])\n"
     "   +- Exchange(distribution=[hash[id]], changelogMode=[I,UB,UA,D])\n"
     "      +- Calc(select=[id, v], where=[(k = 'x')], changelogMode=[I,UB,UA,D])\n"
     "         +- TableSourceScan(table=[[default_catalog, default_database, c, "
     "filter=[(k = 'x')]]], fields=[id, k, v], changelogMode=[I,UB,UA,D])\n"},
    {"keys that are expressions are computed below the join; the comma joins too",
     "SELECT a.k FROM s AS a, c AS b WHERE a.v + 1 = b.v",
     "Calc(select=[k], changelogMode=[I,UB,UA,D])\n"
     "+- Join(joinType=[InnerJoin], where=[($f3 = v)], select=[k, $f3, v], "
     "leftInputSpec=[NoUniqueKey], rightInputSpec=[NoUniqueKey], changelogMode=[I,UB,UA,D])\n"
     "   :- Exchange(distribution=[hash[$f3]], changelogMode=[I])\n"
     "   :  +- Calc(select=[k, (v + 1) AS $f3], changelogMode=[I])\n"
     "   :     +- " SCAN_S(
         "k, v") "\n"
                 "   +- Exchange(distribution=[hash[v]], changelogMode=[I,UB,UA,D])\n"
                 "      +- " SCAN_C("v") "\n"},
    {"rows that are spread by the keys already are not exchanged again",
     "SELECT k, MAX(n) AS m FROM (SELECT k, COUNT(*) AS n FROM s GROUP BY k) GROUP BY k",
     "GroupAggregate(groupBy=[k], select=[k, MAX(n) AS m], changelogMode=[I,UB,UA,D])\n"
     "+- GroupAggregate(groupBy=[k], select=[k, COUNT(*) AS n], changelogMode=[I,UB,UA])\n"
     "   +- Exchange(distribution=[hash[k]], changelogMode=[I])\n"
     "      +- " SCAN_S("k") "\n"},
    {"a table that is named twice is read once",
     "SELECT id FROM e WHERE v = 1 UNION ALL SELECT v FROM e",
     "Union(all=[true], union=[id], changelogMode=[I])\n"
     ":- Calc(select=[id], where=[(v = 1)], changelogMode=[I])\n"
     ":  +- " WATERMARK "(reuse_id=[1])\n"
     ":     +- " SCAN_E("id, v, ts") "\n"
                                     "+- Calc(select=[v], changelogMode=[I])\n"
                                     "   +- Reused(reference_id=[1])\n"},
    {"with other options it is another table",
     "SELECT id FROM s UNION ALL SELECT id FROM s /*+ OPTIONS('path' = '/other') */",
     "Union(all=[true], union=[id], changelogMode=[I])\n"
     ":- " SCAN_S("id") "\n"
                        "+- " SCAN_S("id") "\n"},
    {"upserts are normalised by their key", "SELECT k, SUM(v) AS s FROM u GROUP BY k",
     "GroupAggregate(groupBy=[k], select=[k, SUM(v) AS s], changelogMode=[I,UB,UA,D])\n"
     "+- Exchange(distribution=[hash[k]], changelogMode=[I,UB,UA,D])\n"
     "   +- Calc(select=[k, v], changelogMode=[I,UB,UA,D])\n"
     "      +- ChangelogNormalize(key=[id], changelogMode=[I,UB,UA,D])\n"
     "         +- Exchange(distribution=[hash[id]], changelogMode=[I,UA,D])\n"
     "            +- TableSourceScan(table=[[default_catalog, default_database, u]], "
     "fields=[id, k, v], changelogMode=[I,UA,D])\n"},
    {"a window table function and its aggregation are one operator",
     "SELECT k, window_end, SUM(v) AS s FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), "
     "INTERVAL '1' MINUTE)) WHERE v > 0 GROUP BY window_start, window_end, k",
     "Calc(select=[k, window_end, s], changelogMode=[I])\n"
     "+- WindowAggregate(groupBy=[k], window=[TUMBLE(time_col=[ts], size=[1 min])], "
     "select=[k, SUM(v) AS s, end('w$) AS window_end], changelogMode=[I])\n"
     "   +- Exchange(distribution=[hash[k]], changelogMode=[I])\n"
     "      +- Calc(select=[k, v, ts], where=[(v > 0)], changelogMode=[I])\n"
     "         +- " WATERMARK "\n"
     "            +- " SCAN_E("k, v, ts") "\n"},
    {"a filter on a window's bounds filters its results",
     "SELECT window_start, COUNT(*) AS n FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), "
     "INTERVAL '1' SECOND)) WHERE v > 0 AND window_start < TIMESTAMP '2024-01-01 00:00:00.000' "
     "GROUP BY window_start, window_end",
     "Calc(select=[window_start, n], where=[(window_start < 2024-01-01 "
     "00:00:00.000:TIMESTAMP(3))], "
     "changelogMode=[I])\n"
     "+- WindowAggregate(window=[TUMBLE(time_col=[ts], size=[1 s])], select=[COUNT(*) AS n, "
     "start('w$) AS window_start], changelogMode=[I])\n"
     "   +- Exchange(distribution=[single], changelogMode=[I])\n"
     "      +- Calc(select=[ts], where=[(v > 0)], changelogMode=[I])\n"
     "         +- " WATERMARK "\n"
     "            +- " SCAN_E("v, ts") "\n"},
    {"an aggregate of a window's bounds stays as it is written",
     "SELECT MAX(window_end) AS m FROM TABLE(HOP(TABLE e, DESCRIPTOR(ts), INTERVAL '1' SECOND, "
     "INTERVAL '3' SECOND)) GROUP BY window_start, window_end",
     "Calc(select=[m], changelogMode=[I,UB,UA])\n"
     "+- GroupAggregate(groupBy=[window_start, window_end], select=[window_start, window_end, "
     "MAX(window_end) AS m], changelogMode=[I,UB,UA])\n"
     "   +- Exchange(distribution=[hash[window_start, window_end]], changelogMode=[I])\n"
     "      +- Calc(select=[window_start, window_end], changelogMode=[I])\n"
     "         +- WindowTableFunction(window=[HOP(time_col=[ts], size=[3 s], slide=[1 s])], "
     "changelogMode=[I])\n"
     "            +- " WATERMARK "\n"
     "               +- " SCAN_E("ts") "\n"},
    {"a sink that takes updates by key needs no -U where the keys agree",
     "INSERT INTO up SELECT k, COUNT(*) FROM s GROUP BY k",
     "Sink(table=[default_catalog.default_database.up], fields=[k, EXPR$1], "
     "changelogMode=[NONE])\n"
     "+- GroupAggregate(groupBy=[k], select=[k, COUNT(*) AS EXPR$1], changelogMode=[I,UA])\n"
     "   +- Exchange(distribution=[hash[k]], changelogMode=[I])\n"
     "      +- " SCAN_S("k") "\n"},
    {"values take the types of the table's columns",
     "INSERT INTO ice (n, k) SELECT v, CAST(d AS VARCHAR(5)) FROM e",
     "Sink(table=[default_catalog.default_database.ice], fields=[k, n], changelogMode=[NONE])\n"
     "+- Calc(select=[CAST(CAST(d AS VARCHAR(5)) AS STRING) AS k, CAST(v AS BIGINT) AS n], "
     "changelogMode=[I])\n"
     "   +- " WATERMARK "\n"
     "      +- " SCAN_E("v, d, ts") "\n"},
    {"rows of constants", "SELECT x + 1 AS y FROM (VALUES (1), (2)) AS t(x)",
     "Values(tuples=[[{ 2 }, { 3 }]], values=[y], changelogMode=[I])\n"},
    {"a query in WITH is a table", "WITH t AS (SELECT k AS x FROM s) SELECT x FROM t",
     "TableSourceScan(table=[[default_catalog, default_database, s]], fields=[k], "
     "changelogMode=[I])\n"},
};

#define ICE "metadata=[[default_catalog, default_database, ice]], changelogMode=[I])\n"
#define SCAN_ICE(fields)                                                                           \
    "TableSourceScan(table=[[default_catalog, default_database, ice]], fields=[" fields            \
    "], changelogMode=[I])\n"

static const struct plan_case batch[] = {
    {"metadata answers for whole Iceberg tables",
     "SELECT COUNT(*) AS a, COUNT(k) AS b, COUNT(n) AS c, COUNT(1) AS d, MIN(n) AS e FROM ice",
     "Values(tuples=[[{ 7, 5, 7, 7, 3 }]], values=[a, b, c, d, e], " ICE},
    {"... also through a query in between, and below an expression",
     "SELECT COUNT(x) + 1 AS a FROM (SELECT k AS x, n + 1 AS y FROM ice)",
     "Calc(select=[($f0 + 1) AS a], changelogMode=[I])\n"
     "+- Values(tuples=[[{ 5 }]], values=[$f0], " ICE},
    {"... not where one figure is unknown", "SELECT COUNT(*) AS a, MIN(k) AS b FROM ice",
     "GroupAggregate(select=[COUNT(*) AS a, MIN(k) AS b], changelogMode=[I])\n"
     "+- Exchange(distribution=[single], changelogMode=[I])\n"
     "   +- " SCAN_ICE("k")},
    {"... not of a part", "SELECT COUNT(*) AS a FROM ice WHERE n > 1",
     "GroupAggregate(select=[COUNT(*) AS a], changelogMode=[I])\n"
     "+- Exchange(distribution=[single], changelogMode=[I])\n"
     "   +- Calc(select=[], where=[(n > 1)], changelogMode=[I])\n"
     "      +- TableSourceScan(table=[[default_catalog, default_database, ice, "
     "filter=[(n > 1)]]], fields=[n], changelogMode=[I])\n"},
    {"... and not of distinct values", "SELECT COUNT(DISTINCT n) AS a FROM ice",
     "GroupAggregate(select=[COUNT(DISTINCT n) AS a], changelogMode=[I])\n"
     "+- Exchange(distribution=[single], changelogMode=[I])\n"
     "   +- " SCAN_ICE("n")},
    {"a bounded query has no watermark and no changes", "SELECT k, COUNT(*) AS n FROM e GROUP BY k",
     "GroupAggregate(groupBy=[k], select=[k, COUNT(*) AS n], changelogMode=[I])\n"
     "+- Exchange(distribution=[hash[k]], changelogMode=[I])\n"
     "   +- " SCAN_E("k") "\n"},
    {"ORDER BY may use what is not selected",
     "SELECT id FROM s ORDER BY v DESC, k NULLS LAST LIMIT 2 OFFSET 1",
     "Limit(offset=[1], fetch=[2], changelogMode=[I])\n"
     "+- Calc(select=[id], changelogMode=[I])\n"
     "   +- Sort(orderBy=[v DESC, k ASC NULLS LAST], fetch=[3], changelogMode=[I])\n"
     "      +- Exchange(distribution=[single], changelogMode=[I])\n"
     "         +- Calc(select=[id, v, k], changelogMode=[I])\n"
     "            +- " SCAN_S("id, k, v") "\n"},
    {"a scan knows how many rows suffice", "SELECT k FROM s LIMIT 5",
     "Limit(offset=[0], fetch=[5], changelogMode=[I])\n"
     "+- Exchange(distribution=[single], changelogMode=[I])\n"
     "   +- TableSourceScan(table=[[default_catalog, default_database, s, limit=[5]]], "
     "fields=[k], changelogMode=[I])\n"},
};

static void check_cases(const struct plan_case *cases, size_t count, bool is_streaming)
{
    uint32_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        struct fixture fixture;
        fixture_init(&fixture, is_streaming);
        for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
            fixture_must(&fixture, tables[k]);
        }
        fixture_must(&fixture, cases[i].sql);
        const char *got = fixture_explain(&fixture, true, false);
        if (strcmp(got, cases[i].plan) != 0) {
            print_message("%s\n  %s\ngot\n%sexpected\n%s", cases[i].name, cases[i].sql, got,
                          cases[i].plan);
            wrong++;
        }
        fixture_release(&fixture);
    }
    assert_int_equal(wrong, 0);
}

static void streaming_queries_are_planned_as_flink_does(void **state)
{
    (void)state;
    check_cases(streaming, sizeof streaming / sizeof *streaming, true);
}

static void batch_queries_are_planned_without_changes(void **state)
{
    (void)state;
    check_cases(batch, sizeof batch / sizeof *batch, false);
}

// The example of the first page: one topic, two tables.
static void one_scan_feeds_all_inserts_of_a_set(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_init(&fixture, true);
    fixture_must(&fixture,
                 "CREATE TABLE clicks (user_id BIGINT, url STRING, amount DECIMAL(10, 2), "
                 "ts TIMESTAMP_LTZ(3), part INT METADATA FROM 'partition' VIRTUAL, "
                 "host AS REGEXP_EXTRACT(url, 'https?://([^/]+)', 1), "
                 "WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka', 'topic' = 'clicks')");
    fixture_must(&fixture, "CREATE TABLE rows_ (user_id BIGINT, ts TIMESTAMP_LTZ(3), part INT) "
                           "PARTITIONED BY (day(ts), bucket(16, user_id))");
    fixture_must(&fixture, "CREATE TABLE per_minute (window_start TIMESTAMP(3), host STRING, "
                           "clicks BIGINT, users BIGINT, revenue DECIMAL(38, 2))");
    fixture_must(&fixture,
                 "EXECUTE STATEMENT SET BEGIN INSERT INTO rows_ SELECT user_id, ts, part FROM "
                 "clicks; INSERT INTO per_minute SELECT window_start, host, COUNT(*), "
                 "COUNT(DISTINCT user_id), SUM(amount) FROM TABLE(TUMBLE(TABLE clicks, "
                 "DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end, host; "
                 "END");
    assert_string_equal(
        fixture_explain(&fixture, false, true),
        "Sink(table=[default_catalog.default_database.rows_], fields=[user_id, ts, part], "
        "id=[default_catalog.default_database.rows_])\n"
        "+- Calc(select=[user_id, ts, part])\n"
        "   +- WatermarkAssigner(rowtime=[ts], watermark=[ts], "
        "id=[source:default_catalog.default_database.clicks/watermark])(reuse_id=[1])\n"
        "      +- Calc(select=[user_id, amount, ts, part, REGEXP_EXTRACT(url, "
        "'https?://([^/]+)', 1) AS host])\n"
        "         +- TableSourceScan(table=[[default_catalog, default_database, clicks]], "
        "fields=[user_id, url, amount, ts, part], "
        "id=[source:default_catalog.default_database.clicks])\n"
        "\n"
        "Sink(table=[default_catalog.default_database.per_minute], fields=[window_start, host, "
        "clicks, users, revenue], id=[default_catalog.default_database.per_minute])\n"
        "+- Calc(select=[window_start, host, EXPR$2 AS clicks, EXPR$3 AS users, EXPR$4 AS "
        "revenue])\n"
        "   +- WindowAggregate(groupBy=[host], window=[TUMBLE(time_col=[ts], size=[1 min])], "
        "select=[host, COUNT(*) AS EXPR$2, COUNT(DISTINCT user_id) AS EXPR$3, SUM(amount) AS "
        "EXPR$4, start('w$) AS window_start], "
        "id=[default_catalog.default_database.per_minute/window(TUMBLE 60000, host)])\n"
        "      +- Exchange(distribution=[hash[host]])\n"
        "         +- Calc(select=[host, user_id, amount, ts])\n"
        "            +- Reused(reference_id=[1])\n");
    fixture_release(&fixture);
}

static void operator_ids_do_not_change_with_columns_and_filters_around(void **state)
{
    (void)state;
    static const char *const queries[] = {
        "INSERT INTO p SELECT k, COUNT(*) FROM s GROUP BY k",
        "INSERT INTO p SELECT k, MAX(v) + SUM(id) FROM s WHERE v > 3 GROUP BY k HAVING MIN(v) < 9"};
    for (size_t i = 0; i < 2; i++) {
        struct fixture fixture;
        fixture_init(&fixture, true);
        for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
            fixture_must(&fixture, tables[k]);
        }
        fixture_must(&fixture, queries[i]);
        assert_non_null(strstr(fixture_explain(&fixture, false, true),
                               "id=[default_catalog.default_database.p/group(k)]"));
        fixture_release(&fixture);
    }
}

static const struct plan_node *scan_of(const struct plan *plan)
{
    for (uint32_t i = 0; i < plan->node_count; i++) {
        if (plan->nodes[i]->kind == PLAN_SCAN) {
            return plan->nodes[i];
        }
    }
    fail_msg("no scan");
    return NULL;
}

static void fields_that_nobody_reads_are_left_out_of_the_scan(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_init(&fixture, true);
    fixture_must(&fixture,
                 "CREATE TABLE n (a ROW<x INT, y ROW<p STRING, q INT>, z BIGINT>, b ROW<c INT, "
                 "d INT>, ts AS TO_TIMESTAMP_LTZ(a.z, 3), WATERMARK FOR ts AS ts) WITH "
                 "('connector' = 'filesystem', 'path' = '/n', 'prune' = 'yes')");
    fixture_must(&fixture, "SELECT a.y.q + 1 AS w, b FROM n WHERE a.x > 0");
    const struct plan_node *scan = scan_of(fixture.plan);
    struct str a = type_text(&fixture.arena, scan->columns[0].type);
    struct str b = type_text(&fixture.arena, scan->columns[1].type);
    assert_string_equal(a.ptr, "ROW<`x` INT, `y` ROW<`q` INT>, `z` BIGINT>");
    assert_string_equal(b.ptr, "ROW<`c` INT, `d` INT>");
    fixture_release(&fixture);
}

static void names_that_occur_twice_are_numbered(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_init(&fixture, true);
    fixture_must(&fixture, tables[1]);
    fixture_must(&fixture, "SELECT id, id, v AS id, 1, s.k, k FROM s");
    static const char *const names[] = {"id", "id0", "id1", "EXPR$3", "k", "k0"};
    const struct plan_node *sink = fixture.plan->sinks[0];
    assert_int_equal(sink->column_count, 6);
    for (uint32_t i = 0; i < 6; i++) {
        assert_true(str_is(sink->columns[i].name, names[i]));
    }
    fixture_release(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streaming_queries_are_planned_as_flink_does),
        cmocka_unit_test(batch_queries_are_planned_without_changes),
        cmocka_unit_test(one_scan_feeds_all_inserts_of_a_set),
        cmocka_unit_test(operator_ids_do_not_change_with_columns_and_filters_around),
        cmocka_unit_test(fields_that_nobody_reads_are_left_out_of_the_scan),
        cmocka_unit_test(names_that_occur_twice_are_numbered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
