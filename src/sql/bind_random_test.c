// SPDX-License-Identifier: Apache-2.0
//
// Queries made up at random, from printed seeds: each is planned, on a stream and bounded, and the
// plan keeps to what every plan keeps to (bind_test_int.h).
#include <stdio.h>

#include "base/hash.h"
#include "sql/bind_test_int.h"

enum { QUERIES = 2000, DEPTH_MAX = 4, QUERY_BYTES_MAX = 1 << 20 };

static const char *const tables[] = {
    "CREATE TABLE s (id INT, v INT, w INT) WITH ('connector' = 'kafka')",
    "CREATE TABLE e (id INT, v INT, w AS id + v, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) "
    "WITH ('connector' = 'kafka')",
    "CREATE TABLE r (a ROW<id INT, v INT, x STRING>, id AS a.id, v AS a.v) WITH ('connector' = "
    "'filesystem', 'path' = '/r', 'prune' = 'yes')",
    "CREATE TABLE c (id INT, v INT, PRIMARY KEY (id) NOT ENFORCED) "
    "WITH ('connector' = 'kafka', 'format' = 'debezium-json')",
    "CREATE TABLE u (id INT, v INT, PRIMARY KEY (id) NOT ENFORCED) "
    "WITH ('connector' = 'upsert-kafka')",
    "CREATE VIEW vw AS SELECT v AS id, id AS v FROM s WHERE w > 1",
};

struct generator {
    uint64_t state;
    bool is_streaming;
    struct strbuf text;
};

static uint32_t draw(struct generator *generator, uint32_t below)
{
    generator->state = hash_word(generator->state + UINT64_C(0x9e3779b97f4a7c15));
    return (uint32_t)(generator->state >> 33) % below;
}

static void add(struct generator *generator, const char *text)
{
    strbuf_add_text(&generator->text, text);
}

// One of the texts.
static void pick(struct generator *generator, const char *const *texts, uint32_t count)
{
    add(generator, texts[draw(generator, count)]);
}
#define PICK(generator, ...)                                                                       \
    do {                                                                                           \
        static const char *const texts[] = {__VA_ARGS__};                                          \
        pick((generator), texts, sizeof texts / sizeof *texts);                                    \
    } while (0)

static void add_query(struct generator *generator, uint32_t depth);

static void add_table(struct generator *generator)
{
    // What gives updates cannot be read by a batch query yet.
    static const char *const names[] = {"s", "e", "r", "vw", "c", "u"};
    add(generator, "SELECT id AS x0, v AS x1 FROM ");
    pick(generator, names, generator->is_streaming ? 6 : 4);
}

static void add_projection(struct generator *generator, uint32_t depth)
{
    PICK(generator, "SELECT x0, x1 FROM (", "SELECT x1 AS x0, x0 AS x1 FROM (",
         "SELECT x0 + x1 AS x0, x0 AS x1 FROM (", "SELECT x0, x0 AS x1 FROM (",
         "SELECT 1 AS x0, CASE WHEN x0 > 1 THEN x1 ELSE x0 + 1 END AS x1 FROM (");
    add_query(generator, depth);
    PICK(generator, ")", ") WHERE x0 > 1", ") WHERE x0 < x1 AND x1 <> 7", ") WHERE 1 = 1",
         ") AS q WHERE q.x1 IS NOT NULL OR q.x0 = 3");
}

static void add_aggregation(struct generator *generator, uint32_t depth)
{
    PICK(generator, "SELECT x0, MAX(x1) AS x1 FROM (", "SELECT x0, SUM(x1) + MIN(x0) AS x1 FROM (",
         "SELECT x0, CAST(COUNT(DISTINCT x1) FILTER (WHERE x0 > 2) AS INT) AS x1 FROM (",
         "SELECT x0 AS x1, x0 FROM (");
    add_query(generator, depth);
    PICK(generator, ") GROUP BY x0", ") GROUP BY x0 HAVING x0 > 1 AND MAX(x1) < 9");
}

static void add_window(struct generator *generator)
{
    add(generator, "SELECT x0, MAX(x1) AS x1 FROM (SELECT id AS x0, w AS x1, window_start AS a, "
                   "window_end AS b FROM TABLE(");
    PICK(generator, "TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '1' MINUTE)",
         "HOP(TABLE e, DESCRIPTOR(ts), INTERVAL '1' MINUTE, INTERVAL '5' MINUTE)");
    PICK(generator, ") WHERE v > 1", ")", ") WHERE window_start > TIMESTAMP '2024-01-01 00:00:00'");
    PICK(generator, ") GROUP BY a, b, x0", ") GROUP BY x0, a", ") GROUP BY b, x0, a HAVING x0 > 1");
}

static void add_join(struct generator *generator, uint32_t depth)
{
    PICK(generator, "SELECT a.x0, b.x1 FROM (", "SELECT a.x1 AS x0, a.x0 + b.x0 AS x1 FROM (");
    add_query(generator, depth);
    add(generator, ") AS a JOIN (");
    add_query(generator, depth);
    PICK(generator, ") AS b ON a.x0 = b.x0", ") AS b ON a.x0 + 1 = b.x1 AND a.x1 < b.x0",
         ") AS b ON a.x0 = b.x0 AND b.x1 = a.x1 AND a.x1 > 3", ") AS b ON a.x0 > b.x0",
         ") AS b ON a.x0 IS NOT DISTINCT FROM b.x0");
    PICK(generator, "", " WHERE a.x1 = 3", " WHERE a.x1 = b.x1 AND b.x0 <> 2");
}

static void add_query(struct generator *generator, uint32_t depth)
{
    uint32_t kind = depth == 0 ? draw(generator, 2) : 2 + draw(generator, 6);
    switch (kind) {
    case 0: add_table(generator); break;
    case 1: add_window(generator); break;
    case 2: add_join(generator, depth - 1); break;
    case 3: add_aggregation(generator, depth - 1); break;
    case 4:
        add_query(generator, depth - 1);
        add(generator, " UNION ALL ");
        add_query(generator, depth - 1);
        break;
    case 5:
        add(generator, "SELECT DISTINCT x0, x1 FROM (");
        add_query(generator, depth - 1);
        add(generator, ")");
        break;
    default: add_projection(generator, depth - 1); break;
    }
}

static void plan_queries(bool is_streaming)
{
    for (uint32_t seed = 1; seed <= QUERIES; seed++) {
        struct generator generator = {.state = hash_word(seed), .is_streaming = is_streaming};
        struct fixture fixture;
        fixture_init(&fixture, is_streaming);
        strbuf_init(&generator.text, QUERY_BYTES_MAX);
        for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
            fixture_must(&fixture, tables[i]);
        }
        add_query(&generator, draw(&generator, DEPTH_MAX + 1));
        if (fixture_run(&fixture, generator.text.ptr) != STATUS_OK) {
            fail_msg("seed %u: %s\n%s", seed, generator.text.ptr, fixture.err.text);
        }
        assert_true(strlen(fixture_explain(&fixture, true, true)) > 0);
        strbuf_release(&generator.text);
        fixture_release(&fixture);
    }
}

static void any_query_has_a_sound_plan_on_streams(void **state)
{
    (void)state;
    plan_queries(true);
}

static void any_query_has_a_sound_plan_on_bounded_input(void **state)
{
    (void)state;
    plan_queries(false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_query_has_a_sound_plan_on_streams),
        cmocka_unit_test(any_query_has_a_sound_plan_on_bounded_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
