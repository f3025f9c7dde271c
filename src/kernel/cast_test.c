// SPDX-License-Identifier: Apache-2.0
//
// The expectations are recorded answers of Flink: fixtures/flink-answers, scalar/cast, try_cast and
// time_zone.*.
#include "kernel/cast.h"

#include "kernel/case_int.h"

static const char failure[] = "(fails)";

// CAST(CAST(text AS from) AS to), in every encoding; `expected` NULL: null, `failure`: fails.
static void expect_cast(void **state, const struct type *from, const char *text,
                        const struct type *to, const char *expected)
{
    assert_true(cast_is_known(from, to));
    struct column constant = case_one(*state, from, text);
    const char *const twice[] = {text, NULL, text};
    struct column flat = case_column(*state, from, twice, 3);
    for (int encoding = 0; encoding <= CASE_ENCODINGS; encoding++) {
        bool is_const = encoding == CASE_ENCODINGS;
        struct column in =
            is_const ? constant : case_encode(*state, &flat, (enum case_encoding)encoding);
        struct kernel_run run = {.arena = *state, .row_count = in.row_count};
        struct cast_types types = {.from = from, .to = to};
        struct column out;
        cast_column(&run, &types, &in, &out);
        case_sound(&out);
        assert_int_equal(out.row_count, in.row_count);
        case_expect(to, &out, is_const ? 0 : 2, expected == failure ? NULL : expected);
        assert_int_equal(run.failed != NULL, expected == failure);
        if (!is_const) {
            case_expect(to, &out, 1, NULL);
            assert_int_equal(run.failed != NULL && bits_get(run.failed, 1), 0);
        }
    }
}

static void expect_from_text(void **state, const char *text, const struct type *to,
                             const char *expected)
{
    expect_cast(state, &type_string, text, to, expected);
}

static void test_integers_wrap_and_doubles_saturate(void **state)
{
    expect_cast(state, &type_int, "128", &type_tinyint, "-128");
    expect_cast(state, &type_bigint, "3000000000", &type_int, "-1294967296");
    expect_cast(state, &type_smallint, "300", &type_tinyint, "44");
    expect_cast(state, &type_int, "-5", &type_bigint, "-5");
    expect_cast(state, &type_double, "1e10", &type_int, "2147483647");
    expect_cast(state, &type_double, "-Infinity", &type_int, "-2147483648");
    expect_cast(state, &type_double, "-Infinity", &type_smallint, "0");
    expect_cast(state, &type_double, "NaN", &type_bigint, "0");
    expect_cast(state, &type_double, "-1.9", &type_int, "-1");
    expect_cast(state, &type_float, "-3e9", &type_bigint, "-3000000000");
    expect_cast(state, &type_bigint, "3000000000", &type_double, "3.0E9");
    expect_cast(state, &type_double, "0.1", &type_float, "0.1");
}

static void test_decimals_cut_round_or_are_null(void **state)
{
    struct arena *arena = *state;
    const struct type *wide = type_decimal(arena, 20, 3, true);
    const struct type *narrow = type_decimal(arena, 6, 2, true);
    expect_cast(state, wide, "-99999999999.5", &type_bigint, "-99999999999");
    expect_cast(state, wide, "-99999999999.5", &type_int, "-1215752191");
    expect_cast(state, wide, "-99999999999.5", &type_smallint, "6145");
    expect_cast(state, wide, "-99999999999.5", &type_double, "-9.99999999995E10");
    expect_cast(state, wide, "-99999999999.5", &type_float, "-9.9999998E10");
    expect_cast(state, wide, "-99999999999.5", narrow, NULL);
    expect_cast(state, wide, "2.505", narrow, "2.51");
    expect_cast(state, &type_bigint, "1", narrow, "1.00");
    expect_cast(state, &type_bigint, "3000000000", narrow, NULL);
    expect_cast(state, &type_float, "1.75", narrow, "1.75");
    expect_cast(state, &type_double, "-Infinity", narrow, failure);
    expect_cast(state, &type_double, "12345.6", narrow, NULL);
    expect_cast(state, &type_boolean, "true", narrow, "1.00");
}

static void test_booleans(void **state)
{
    expect_from_text(state, "T", &type_boolean, "TRUE");
    expect_from_text(state, "yes", &type_boolean, "TRUE");
    expect_from_text(state, "no", &type_boolean, "FALSE");
    expect_from_text(state, "0", &type_boolean, "FALSE");
    expect_from_text(state, "off", &type_boolean, failure);
    expect_from_text(state, " 42 ", &type_boolean, failure);
    expect_from_text(state, "", &type_boolean, failure);
    expect_cast(state, &type_double, "-2.5", &type_boolean, "TRUE");
    expect_cast(state, type_decimal(*state, 20, 10, true), "0", &type_boolean, "FALSE");
    expect_cast(state, &type_boolean, "true", &type_string, "TRUE");
    expect_cast(state, &type_boolean, "false", &type_int, "0");
}

static void test_numbers_from_text(void **state)
{
    expect_from_text(state, " 12 ", &type_int, "12");
    expect_from_text(state, "1.9", &type_int, "1");
    expect_from_text(state, ".5", &type_int, "0");
    expect_from_text(state, "5.", &type_int, "5");
    expect_from_text(state, "+7", &type_int, "7");
    expect_from_text(state, "-128", &type_tinyint, "-128");
    expect_from_text(state, "9223372036854775807", &type_bigint, "9223372036854775807");
    static const char *const wrong[] = {"",     " ",   "-",          "1e3", "1_000",
                                        "0x1F", "abc", "2147483648", "1L",  "\xd9\xa3"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        expect_from_text(state, wrong[i], &type_int, failure);
    }
    expect_from_text(state, "9223372036854775808", &type_bigint, failure);
    expect_from_text(state, "0x1p3", &type_double, "8.0");
    expect_from_text(state, "1d", &type_double, "1.0");
    expect_from_text(state, "1e400", &type_double, "Infinity");
    expect_from_text(state, "1E-400", &type_double, "0.0");
    expect_from_text(state, "1e-46", &type_float, "0.0");
    expect_from_text(state, "nan", &type_double, failure);
    expect_from_text(state, "1,5", &type_double, failure);
    const struct type *decimal = type_decimal(*state, 6, 2, true);
    expect_from_text(state, " 5 ", decimal, "5.00");
    expect_from_text(state, "1e2", decimal, "100.00");
    expect_from_text(state, "-0.005", decimal, "-0.01");
    expect_from_text(state, "12345.67", decimal, failure);
    expect_from_text(state, "NaN", decimal, failure);
}

static void test_text_is_cut_and_padded_by_characters(void **state)
{
    struct arena *arena = *state;
    const struct type *char3 = type_sized(arena, TYPE_CHAR, 3, true);
    expect_from_text(state, "a", char3, "a  ");
    expect_from_text(state, "abcd", char3, "abc");
    expect_from_text(state,
                     "\xf0\x9f\x98\x80"
                     "bc \xc3\xa9",
                     char3,
                     "\xf0\x9f\x98\x80"
                     "bc");
    expect_from_text(state, "\xf0\x9f\x98\x80x", type_sized(arena, TYPE_VARCHAR, 1, true),
                     "\xf0\x9f\x98\x80");
    expect_cast(state, &type_int, "12345", char3, "123");
    expect_from_text(state, "abc", type_sized(arena, TYPE_BINARY, 5, true), "x'6162630000'");
    expect_from_text(state, "abc", type_sized(arena, TYPE_BINARY, 2, true), "x'6162'");
    expect_from_text(state, "a", type_sized(arena, TYPE_VARBINARY, 2, true), "x'61'");
    expect_from_text(state, "\xc3\xa9", &type_bytes, "x'c3a9'");
    expect_cast(state, &type_bytes, "\xff", &type_string, "\xef\xbf\xbd");
    expect_cast(state, &type_bytes, "abc", type_sized(arena, TYPE_CHAR, 4, true), "abc ");
}

static void test_times_become_other_times(void **state)
{
    struct arena *arena = *state;
    const struct type *nine = type_sized(arena, TYPE_TIMESTAMP, 9, true);
    const struct type *zero = type_sized(arena, TYPE_TIMESTAMP, 0, true);
    expect_cast(state, &type_date, "2020-02-29", &type_timestamp3, "2020-02-29 00:00:00.000");
    expect_cast(state, &type_time, "12:34:56.789", nine, "1970-01-01 12:34:56.789000000");
    expect_cast(state, nine, "2020-02-29 12:34:56.987654321", &type_timestamp3,
                "2020-02-29 12:34:56.987");
    expect_cast(state, &type_timestamp3, "1969-12-31 23:59:59.999", zero, "1969-12-31 23:59:59");
    expect_cast(state, nine, "1969-12-31 23:59:59.999", zero, "1969-12-31 23:59:59");
    expect_cast(state, nine, "2020-02-29 12:34:56.987654321", &type_date, "2020-02-29");
    expect_cast(state, &type_timestamp3, "2020-02-29 12:34:56.789", &type_time, "12:34:56");
    expect_cast(state, &type_timestamp6, "2020-02-29 12:34:56.100", &type_string,
                "2020-02-29 12:34:56.100000");
    expect_from_text(state, "2020-02-29 12:34:56.7899", &type_timestamp3,
                     "2020-02-29 12:34:56.789");
    expect_from_text(state, "2020-02-29T12:34:56", &type_timestamp3, failure);
    expect_from_text(state, "2021-02-29", &type_date, failure);
    expect_from_text(state, "24:00:00", &type_time, failure);
}

static void expect_in_zone(void **state, const char *zone_name, const char *text,
                           const char *expected)
{
    const struct zone *zone;
    assert_int_equal(zone_load(*state, str_from(zone_name), &zone, NULL), STATUS_OK);
    struct column in = case_one(*state, &type_timestamp3, text);
    struct kernel_run run = {.arena = *state, .row_count = 1};
    struct cast_types to_local = {&type_timestamp3, &type_timestamp_ltz3, zone};
    struct cast_types back = {&type_timestamp_ltz3, &type_timestamp3, zone};
    struct column local;
    struct column out;
    cast_column(&run, &to_local, &in, &local);
    cast_column(&run, &back, &local, &out);
    case_expect(&type_timestamp3, &out, 0, expected);
}

static void test_local_times_in_gaps_and_overlaps(void **state)
{
    expect_in_zone(state, "America/New_York", "2020-03-08 02:30:00", "2020-03-08 03:30:00.000");
    expect_in_zone(state, "America/New_York", "2020-11-01 01:30:00", "2020-11-01 01:30:00.000");
    expect_in_zone(state, "America/New_York", "2020-03-08 01:59:59.999", "2020-03-08 01:59:59.999");
    expect_in_zone(state, "Asia/Kathmandu", "1985-12-31 23:59:59", "1985-12-31 23:59:59.000");
    expect_in_zone(state, "UTC", "2020-03-08 02:30:00", "2020-03-08 02:30:00.000");
}

static struct column list_of_texts(struct arena *arena, const struct type *type)
{
    struct column_builder *builder = column_builder_new(arena, type, 4);
    column_builder_list_begin(builder);
    column_builder_string(column_builder_child(builder, 0), STR_LIT("1"));
    column_builder_string(column_builder_child(builder, 0), STR_LIT("2"));
    column_builder_list_end(builder);
    column_builder_null(builder);
    column_builder_list_begin(builder);
    column_builder_string(column_builder_child(builder, 0), STR_LIT("1"));
    column_builder_string(column_builder_child(builder, 0), STR_LIT("x"));
    column_builder_list_end(builder);
    return column_builder_finish(builder);
}

static void test_lists_are_cast_element_by_element_and_fail_as_a_whole(void **state)
{
    struct arena *arena = *state;
    const struct type *from = type_array(arena, &type_string, true);
    const struct type *to = type_array(arena, &type_int, true);
    struct column in = list_of_texts(arena, from);
    struct kernel_run run = {.arena = arena, .row_count = 3};
    struct column out;
    cast_column(&run, &(struct cast_types){from, to, NULL}, &in, &out);
    case_sound(&out);
    case_expect(to, &out, 0, "[1, 2]");
    case_expect(to, &out, 1, NULL);
    case_expect(to, &out, 2, NULL);
    assert_int_equal(run.failed[0], 0x4);
    struct column constant = column_at_row(arena, &in, 2, 5);
    struct kernel_run other = {.arena = arena, .row_count = 5};
    cast_column(&other, &(struct cast_types){from, to, NULL}, &constant, &out);
    case_sound(&out);
    assert_int_equal(other.failed[0], 0x1f);
    cast_column(&run, &(struct cast_types){from, &type_string, NULL}, &in, &out);
    case_expect(&type_string, &out, 0, "[1, 2]");
}

static void test_what_flink_refuses_is_not_known(void **state)
{
    struct arena *arena = *state;
    const struct type *list = type_array(arena, &type_int, true);
    const struct type *map = type_map(arena, &type_string, &type_int, true);
    assert_false(cast_is_known(&type_int, &type_date));
    assert_false(cast_is_known(&type_date, &type_time));
    assert_false(cast_is_known(&type_time, &type_date));
    assert_false(cast_is_known(&type_bytes, &type_int));
    assert_false(cast_is_known(&type_boolean, &type_bytes));
    assert_false(cast_is_known(&type_timestamp3, &type_bigint));
    assert_false(cast_is_known(&type_timestamp_ltz3, &type_double));
    assert_false(cast_is_known(&type_int, &type_timestamp3));
    assert_false(cast_is_known(list, &type_int));
    assert_false(cast_is_known(list, map));
    assert_false(cast_is_known(&type_string, list));
    assert_true(cast_is_known(map, &type_string));
    assert_true(cast_is_known(&type_null, list));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers_wrap_and_doubles_saturate),
        cmocka_unit_test(test_decimals_cut_round_or_are_null),
        cmocka_unit_test(test_booleans),
        cmocka_unit_test(test_numbers_from_text),
        cmocka_unit_test(test_text_is_cut_and_padded_by_characters),
        cmocka_unit_test(test_times_become_other_times),
        cmocka_unit_test(test_local_times_in_gaps_and_overlaps),
        cmocka_unit_test(test_lists_are_cast_element_by_element_and_fail_as_a_whole),
        cmocka_unit_test(test_what_flink_refuses_is_not_known),
    };
    return cmocka_run_group_tests(tests, case_open, case_close);
}
