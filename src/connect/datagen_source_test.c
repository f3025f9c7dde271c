// SPDX-License-Identifier: Apache-2.0
#include "connect/datagen_source.h"

#include "connect/source_harness.h"

static int set_up(void **state)
{
    struct harness *h = mem_zalloc(sizeof *h);
    harness_init(h);
    harness_option(h, "connector", "datagen");
    harness_option(h, "rows-per-second", "0");
    *state = h;
    return 0;
}

static int tear_down(void **state)
{
    harness_release(*state);
    mem_free(*state);
    return 0;
}

static void sequences_count_and_end_the_table(void **state)
{
    struct harness *h = *state;
    harness_column(h, "id", &type_bigint);
    harness_column(h, "s", &type_string);
    harness_column(h, "d", type_decimal(&h->arena, 5, 2, true));
    harness_option(h, "fields.id.kind", "sequence");
    harness_option(h, "fields.id.start", "10");
    harness_option(h, "fields.id.end", "12");
    harness_option(h, "fields.s.kind", "sequence");
    harness_option(h, "fields.s.start", "1");
    harness_option(h, "fields.s.end", "100");
    harness_option(h, "fields.d.kind", "sequence");
    harness_option(h, "fields.d.start", "-1");
    harness_option(h, "fields.d.end", "100");
    assert_int_equal(datagen_source_check(&h->def, &h->err), STATUS_OK);
    assert_true(datagen_source_is_bounded(&h->def));
    harness_open(h, &datagen_source_class);
    assert_string_equal(harness_read_all(h), "+I 10 1 -100\n+I 11 2 0\n+I 12 3 100\n");
    assert_int_equal(harness_poll(h), STATUS_END);
}

static void random_values_stay_within_their_bounds(void **state)
{
    struct harness *h = *state;
    harness_column(h, "i", &type_int);
    harness_column(h, "d", &type_double);
    harness_column(h, "n", type_decimal(&h->arena, 4, 2, true));
    harness_column(h, "s", type_sized(&h->arena, TYPE_VARCHAR, 8, true));
    harness_column(h, "z", &type_tinyint);
    harness_option(h, "number-of-rows", "5000");
    harness_option(h, "fields.i.min", "-3");
    harness_option(h, "fields.i.max", "3");
    harness_option(h, "fields.d.min", "0.5");
    harness_option(h, "fields.d.max", "1");
    harness_option(h, "fields.n.min", "1.50");
    harness_option(h, "fields.n.max", "1.52");
    harness_option(h, "fields.s.var-len", "true");
    harness_option(h, "fields.z.null-rate", "0.25");
    assert_int_equal(datagen_source_check(&h->def, &h->err), STATUS_OK);
    harness_open(h, &datagen_source_class);
    struct batch batch;
    uint32_t seen[7] = {0};
    uint32_t cents[3] = {0};
    uint32_t lengths[9] = {0};
    uint32_t nulls = 0;
    while (h->reader->ops->poll(h->reader, &batch, &h->err) == STATUS_OK) {
        for (uint32_t row = 0; row < batch.row_count; row++) {
            seen[*(const int32_t *)column_value(&batch.columns[0], row) + 3]++;
            double d = *(const double *)column_value(&batch.columns[1], row);
            assert_true(d >= 0.5 && d <= 1);
            cents[*(const int64_t *)column_value(&batch.columns[2], row) - 150]++;
            lengths[((const struct strview *)column_value(&batch.columns[3], row))->size]++;
            nulls += column_is_null(&batch.columns[4], row);
        }
    }
    for (int i = 0; i < 7; i++) {
        assert_true(seen[i] > 500);
    }
    assert_true(cents[0] > 1000 && cents[1] > 1000 && cents[2] > 1000);
    assert_int_equal(lengths[0], 0);
    assert_true(lengths[1] > 300 && lengths[8] > 300);
    assert_true(nulls > 1100 && nulls < 1400);
}

static void every_type_has_values(void **state)
{
    struct harness *h = *state;
    struct arena *arena = &h->arena;
    const struct type_field inner[] = {{.name = STR_LIT("x"), .type = &type_int},
                                       {.name = STR_LIT("y"), .type = &type_string}};
    harness_column(h, "a", &type_boolean);
    harness_column(h, "b", &type_smallint);
    harness_column(h, "c", &type_bigint);
    harness_column(h, "d", &type_float);
    harness_column(h, "e", type_decimal(arena, 38, 10, true));
    harness_column(h, "f", type_sized(arena, TYPE_CHAR, 5, true));
    harness_column(h, "g", &type_bytes);
    harness_column(h, "h", &type_date);
    harness_column(h, "i", &type_time);
    harness_column(h, "j", &type_timestamp3);
    harness_column(h, "k", type_sized(arena, TYPE_TIMESTAMP_LTZ, 9, true));
    harness_column(h, "l", &type_interval_month);
    harness_column(h, "m", &type_interval_second);
    harness_column(h, "n", type_array(arena, &type_int, true));
    harness_column(h, "o", type_map(arena, &type_string, &type_int, true));
    harness_column(h, "p", type_row(arena, inner, 2, true));
    harness_option(h, "number-of-rows", "3000");
    harness_option(h, "fields.p.x.min", "7");
    harness_option(h, "fields.p.x.max", "7");
    harness_option(h, "fields.p.y.length", "2");
    harness_option(h, "fields.n.element.max", "0");
    harness_option(h, "fields.n.element.min", "0");
    harness_option(h, "fields.n.length", "2");
    harness_option(h, "fields.o.key.length", "1");
    harness_option(h, "fields.j.max-past", "1 s");
    harness_option(h, "base-time", "2024-02-29 12:30:00");
    assert_int_equal(datagen_source_check(&h->def, &h->err), STATUS_OK);
    harness_open(h, &datagen_source_class);
    const char *text = harness_read_all(h);
    assert_non_null(strstr(text, " 19782 45000000 17092097"));
    assert_non_null(strstr(text, "[0,0]"));
    assert_non_null(strstr(text, "(7,"));
    char *first = arena_copy(arena, text, strlen(text) + 1);
    harness_close(h);
    harness_open(h, &datagen_source_class); // the same rows again
    assert_string_equal(harness_read_all(h), first);
}

static void instances_and_restores_give_each_row_once(void **state)
{
    struct harness *h = *state;
    harness_column(h, "id", &type_int);
    harness_option(h, "fields.id.kind", "sequence");
    harness_option(h, "fields.id.start", "0");
    harness_option(h, "fields.id.end", "9");
    h->context.parallelism = 2;
    h->context.batch_rows = 2;
    VEC(struct snapshot_entry) entries = {0};
    struct strbuf all;
    strbuf_init(&all, 1 << 16);
    for (h->context.instance = 0; h->context.instance < 2; h->context.instance++) {
        harness_open(h, &datagen_source_class);
        strbuf_reset(&h->text);
        assert_int_equal(harness_poll(h), STATUS_OK);
        strbuf_add_text(&all, h->text.ptr);
        harness_snapshot(h);
        for (uint32_t i = 0; i < h->entries.count; i++) {
            VEC_PUSH(&entries, h->entries.items[i]);
        }
        harness_close(h);
    }
    assert_string_equal(all.ptr, "+I 0\n+I 2\n+I 1\n+I 3\n");
    struct snapshot_reader restore = {.entry_count = entries.count, .entries = entries.items};
    h->context.restore = &restore;
    h->context.parallelism = 1;
    h->context.instance = 0;
    harness_open(h, &datagen_source_class);
    assert_string_equal(harness_read_all(h), "+I 4\n+I 6\n+I 8\n+I 5\n+I 7\n+I 9\n");
    VEC_RELEASE(&entries);
    strbuf_release(&all);
}

static void the_rate_is_kept(void **state)
{
    struct harness *h = *state;
    harness_column(h, "id", &type_int);
    harness_option(h, "rows-per-second", "100");
    harness_open(h, &datagen_source_class);
    uint64_t rows = 0;
    for (int step = 0; step < 100; step++) {
        struct batch batch;
        while (h->reader->ops->poll(h->reader, &batch, &h->err) == STATUS_OK) {
            rows += batch.row_count;
        }
        h->clock.now_us += 100000;
    }
    assert_true(rows >= 1000 && rows <= 1012); // ten seconds, and the first tenth at once
}

static void large_values_make_small_batches(void **state)
{
    struct harness *h = *state;
    harness_column(h, "s", &type_string);
    harness_option(h, "number-of-rows", "10");
    harness_option(h, "fields.s.length", "400000");
    harness_open(h, &datagen_source_class);
    struct batch batch;
    uint64_t rows = 0;
    while (h->reader->ops->poll(h->reader, &batch, &h->err) == STATUS_OK) {
        assert_int_equal(batch.row_count, 2);
        rows += batch.row_count;
    }
    assert_int_equal(rows, 10);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(sequences_count_and_end_the_table),
        TEST(random_values_stay_within_their_bounds),
        TEST(every_type_has_values),
        TEST(instances_and_restores_give_each_row_once),
        TEST(the_rate_is_kept),
        TEST(large_values_make_small_batches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
