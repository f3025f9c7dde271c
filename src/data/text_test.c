// SPDX-License-Identifier: Apache-2.0
#include "data/text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "data/column_builder.h"
#include "data/json_text.h"

struct fixture {
    struct arena arena;
    struct strbuf out;
};

static int set_up(void **state)
{
    static struct fixture fixture;
    arena_init(&fixture.arena);
    strbuf_init(&fixture.out, 1 << 20);
    *state = &fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    strbuf_release(&fixture->out);
    arena_release(&fixture->arena);
    return 0;
}

static void expect(void **state, struct column_builder *builder, const char *text, const char *json)
{
    struct fixture *fixture = *state;
    struct column column = column_builder_finish(builder);
    const struct type *type = column_builder_type(builder);
    strbuf_reset(&fixture->out);
    text_value(&fixture->out, type, &column, column.row_count - 1, NULL);
    assert_string_equal(fixture->out.ptr, text);
    strbuf_reset(&fixture->out);
    json_text_value(&fixture->out, type, &column, column.row_count - 1, NULL);
    assert_string_equal(fixture->out.ptr, json);
}

static struct column_builder *make(void **state, const struct type *type)
{
    struct fixture *fixture = *state;
    return column_builder_new(&fixture->arena, type, 1);
}

static void test_scalars(void **state)
{
    struct fixture *fixture = *state;
    struct column_builder *builder = make(state, &type_tinyint);
    column_builder_i64(builder, -128);
    expect(state, builder, "-128", "-128");
    builder = make(state, &type_bigint);
    column_builder_i64(builder, INT64_MIN);
    expect(state, builder, "-9223372036854775808", "-9223372036854775808");
    builder = make(state, type_decimal(&fixture->arena, 20, 3, true));
    column_builder_i128(builder, -500);
    expect(state, builder, "-0.500", "-0.500");
    builder = make(state, &type_double);
    column_builder_f64(builder, 1e10);
    expect(state, builder, "1.0E10", "1.0E10");
    column_builder_f64(builder, (double)NAN);
    expect(state, builder, "NaN", "\"NaN\"");
    builder = make(state, &type_boolean);
    column_builder_bool(builder, true);
    expect(state, builder, "TRUE", "true");
    column_builder_null(builder);
    expect(state, builder, "NULL", "null");
    builder = make(state, &type_bytes);
    column_builder_string(builder, STR_LIT("\x0a\xff"));
    expect(state, builder, "x'0aff'", "\"Cv8=\"");
}

static void test_times(void **state)
{
    struct column_builder *builder = make(state, &type_timestamp3);
    column_builder_i64(builder, INT64_C(1582979696789000));
    expect(state, builder, "2020-02-29 12:34:56.789", "\"2020-02-29 12:34:56.789\"");
    builder = make(state, &type_timestamp_ltz3);
    column_builder_i64(builder, 0);
    expect(state, builder, "1970-01-01 00:00:00.000", "\"1970-01-01 00:00:00.000Z\"");
    builder = make(state, &type_time);
    column_builder_i32(builder, 45296789);
    expect(state, builder, "12:34:56", "\"12:34:56\"");
    builder = make(state, &type_date);
    column_builder_i32(builder, 0);
    expect(state, builder, "1970-01-01", "\"1970-01-01\"");
}

// fixtures/flink-answers, surprise 16 and scalar/cast.
static void test_nested_values(void **state)
{
    struct fixture *fixture = *state;
    struct arena *arena = &fixture->arena;
    const struct type_field fields[] = {{.name = STR_LIT("x"), .type = &type_int},
                                        {.name = STR_LIT("y"), .type = &type_string}};
    struct column_builder *builder = make(state, type_row(arena, fields, 2, true));
    column_builder_i32(column_builder_child(builder, 0), 1);
    column_builder_null(column_builder_child(builder, 1));
    column_builder_row(builder);
    expect(state, builder, "(1, NULL)", "{\"x\":1,\"y\":null}");
    builder = make(state, type_array(arena, &type_string, true));
    column_builder_list_begin(builder);
    column_builder_string(column_builder_child(builder, 0), STR_LIT("a"));
    column_builder_null(column_builder_child(builder, 0));
    column_builder_list_end(builder);
    expect(state, builder, "[a, NULL]", "[\"a\",null]");
    builder = make(state, type_map(arena, &type_string, &type_int, true));
    column_builder_list_begin(builder);
    column_builder_string(column_builder_child(builder, 0), STR_LIT("a"));
    column_builder_i32(column_builder_child(builder, 1), 1);
    column_builder_list_end(builder);
    expect(state, builder, "{a=1}", "{\"a\":1}");
}

static void test_json_strings_are_escaped_and_always_utf8(void **state)
{
    struct column_builder *builder = make(state, &type_string);
    column_builder_string(builder, STR_LIT("a\"b\\\n\x01\xc3\xa9"));
    expect(state, builder, "a\"b\\\n\x01\xc3\xa9", "\"a\\\"b\\\\\\n\\u0001\xc3\xa9\"");
    column_builder_string(builder, STR_LIT("\xff\xe4\xbd"));
    expect(state, builder, "\xff\xe4\xbd", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}

static void test_local_timestamps_are_shown_in_their_zone(void **state)
{
    struct fixture *fixture = *state;
    const struct zone *zone;
    assert_int_equal(zone_load(&fixture->arena, STR_LIT("Asia/Kathmandu"), &zone, NULL), STATUS_OK);
    const struct text_options options = {.zone = zone};
    int64_t value = INT64_C(1577836800000000); // 2020-01-01 00:00:00 UTC
    struct column column = {.physical = PHYSICAL_I64, .row_count = 1, .values = &value};
    text_value(&fixture->out, &type_timestamp_ltz3, &column, 0, &options);
    assert_string_equal(fixture->out.ptr, "2020-01-01 05:45:00.000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_scalars, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_times, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nested_values, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_json_strings_are_escaped_and_always_utf8, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_local_timestamps_are_shown_in_their_zone, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
