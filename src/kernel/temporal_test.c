// SPDX-License-Identifier: Apache-2.0
//
// The expectations are recorded answers of Flink: fixtures/flink-answers, scalar/temporal and
// time_zone.*.
#include "kernel/temporal.h"

#include "kernel/case_int.h"

static const char failure[] = "(fails)";

static const struct type *type_of(const char *text)
{
    bool is_time = strchr(text, ':') != NULL && strchr(text, '-') == NULL;
    return is_time ? &type_time : strchr(text, ':') != NULL ? &type_timestamp3 : &type_date;
}

static void expect_extract(void **state, enum temporal_unit unit, const char *text,
                           const char *expected)
{
    const struct type *type = type_of(text);
    struct column a = case_one(*state, type, text);
    struct temporal options = {.type = type, .unit = unit};
    struct kernel_run run = {.arena = *state, .row_count = 1};
    struct column out;
    temporal_extract(&run, &options, &a, &out);
    case_expect(&type_bigint, &out, 0, expected);
}

static void test_parts_of_timestamps(void **state)
{
    static const char moment[] = "2020-02-29 12:34:56.789";
    expect_extract(state, TEMPORAL_MILLENNIUM, moment, "3");
    expect_extract(state, TEMPORAL_CENTURY, moment, "21");
    expect_extract(state, TEMPORAL_DECADE, moment, "202");
    expect_extract(state, TEMPORAL_QUARTER, moment, "1");
    expect_extract(state, TEMPORAL_DOW, moment, "7");
    expect_extract(state, TEMPORAL_ISODOW, moment, "6");
    expect_extract(state, TEMPORAL_DOY, moment, "60");
    expect_extract(state, TEMPORAL_HOUR, moment, "12");
    expect_extract(state, TEMPORAL_MINUTE, moment, "34");
    expect_extract(state, TEMPORAL_SECOND, moment, "56");
    expect_extract(state, TEMPORAL_MILLISECOND, moment, "789");
    expect_extract(state, TEMPORAL_MICROSECOND, moment, "789000");
    expect_extract(state, TEMPORAL_EPOCH, moment, "1582979696");
    expect_extract(state, TEMPORAL_WEEK, "2021-12-31 23:59:59.123", "52");
    expect_extract(state, TEMPORAL_ISOYEAR, "2021-12-31 23:59:59.123", "2021");
    expect_extract(state, TEMPORAL_HOUR, "12:34:56.789", "12");
    expect_extract(state, TEMPORAL_MILLISECOND, "12:34:56.789", "789");
}

static void test_moments_before_1970_are_cut_towards_it(void **state)
{
    static const char moment[] = "1969-12-31 23:59:59.999";
    expect_extract(state, TEMPORAL_DAY, moment, "1");
    expect_extract(state, TEMPORAL_YEAR, moment, "1970");
    expect_extract(state, TEMPORAL_HOUR, moment, "0");
    expect_extract(state, TEMPORAL_MILLISECOND, moment, "-1");
    expect_extract(state, TEMPORAL_NANOSECOND, moment, "-1000000");
    expect_extract(state, TEMPORAL_DOW, moment, "5");
}

static void test_parts_of_dates(void **state)
{
    expect_extract(state, TEMPORAL_DAY, "1900-12-30", "30");
    expect_extract(state, TEMPORAL_DOY, "1900-12-30", "364");
    expect_extract(state, TEMPORAL_ISODOW, "1900-12-30", "7");
    expect_extract(state, TEMPORAL_EPOCH, "1900-12-30", "-2177625600");
    expect_extract(state, TEMPORAL_SECOND, "1900-12-30", "-25"); // days taken for milliseconds
    expect_extract(state, TEMPORAL_WEEK, "0001-01-01", "1");
    expect_extract(state, TEMPORAL_CENTURY, "0001-01-01", "1");
    expect_extract(state, TEMPORAL_DOW, "0001-01-01", "2");
    expect_extract(state, TEMPORAL_WEEK, "2020-02-29", "9");
}

static void expect_round(void **state, bool is_ceil, enum temporal_unit unit, const char *text,
                         const char *expected)
{
    const struct type *type = type_of(text);
    struct column a = case_one(*state, type, text);
    struct temporal options = {.type = type, .unit = unit};
    struct kernel_run run = {.arena = *state, .row_count = 1};
    struct column out;
    (is_ceil ? temporal_ceil : temporal_floor)(&run, &options, &a, &out);
    assert_int_equal(run.failed != NULL, expected == failure);
    case_expect(type, &out, 0, expected == failure ? NULL : expected);
}

static void test_floor_and_ceil(void **state)
{
    static const char moment[] = "2020-02-29 12:34:56.789";
    expect_round(state, false, TEMPORAL_HOUR, moment, "2020-02-29 12:00:00.000");
    expect_round(state, true, TEMPORAL_HOUR, moment, "2020-02-29 13:00:00.000");
    expect_round(state, false, TEMPORAL_WEEK, "2020-12-31 23:59:59.999", "2020-12-27 00:00:00.000");
    expect_round(state, false, TEMPORAL_QUARTER, moment, "2020-01-01 00:00:00.000");
    expect_round(state, true, TEMPORAL_MONTH, moment, "2020-03-01 00:00:00.000");
    expect_round(state, true, TEMPORAL_DECADE, "2020-01-01", "2030-01-01");
    expect_round(state, true, TEMPORAL_CENTURY, "2020-01-01", "2101-01-01");
    expect_round(state, false, TEMPORAL_MILLENNIUM, "2020-02-29", "2001-01-01");
    expect_round(state, true, TEMPORAL_DAY, "2020-01-01", "2020-01-02");
    expect_round(state, true, TEMPORAL_MONTH, "2020-01-01", "2020-01-01");
    expect_round(state, true, TEMPORAL_HOUR, "2020-01-01", "2020-01-01");
    expect_round(state, false, TEMPORAL_DAY, "1969-12-31 23:59:59.999", "1969-12-31 00:00:00.000");
    expect_round(state, false, TEMPORAL_MONTH, "1969-12-31 23:59:59.999",
                 "1970-01-01 00:00:00.000");
    expect_round(state, true, TEMPORAL_HOUR, "12:34:56.789", "13:00:00");
    expect_round(state, false, TEMPORAL_MICROSECOND, moment, failure);
}

static void test_local_days_are_floored_in_their_zone(void **state)
{
    const struct zone *zone;
    assert_int_equal(zone_load(*state, STR_LIT("America/New_York"), &zone, NULL), STATUS_OK);
    int64_t value = INT64_C(1604210400000000); // 01:00 EST, an hour after the clocks went back
    struct column a = {.physical = PHYSICAL_I64, .row_count = 1, .values = &value};
    struct temporal options = {.type = &type_timestamp_ltz3, .zone = zone, .unit = TEMPORAL_DAY};
    struct kernel_run run = {.arena = *state, .row_count = 1};
    struct column out;
    temporal_floor(&run, &options, &a, &out);
    assert_int_equal(*(const int64_t *)column_value(&out, 0), INT64_C(1604206800000000));
}

static struct column milliseconds(void **state, int64_t ms)
{
    int64_t *value = arena_copy(*state, &ms, sizeof ms);
    return (struct column){
        .physical = PHYSICAL_I64, .encoding = ENCODING_CONST, .row_count = 1, .values = value};
}

static struct column months(void **state, int32_t count)
{
    int32_t *value = arena_copy(*state, &count, sizeof count);
    return (struct column){
        .physical = PHYSICAL_I32, .encoding = ENCODING_CONST, .row_count = 1, .values = value};
}

static void expect_sum(void **state, const char *text, struct column interval, const char *expected)
{
    const struct type *type = type_of(text);
    struct column a = case_one(*state, type, text);
    struct temporal options = {.type = type};
    for (int is_flat = 0; is_flat < 2; is_flat++) {
        a.encoding = is_flat ? ENCODING_FLAT : ENCODING_CONST;
        struct kernel_run run = {.arena = *state, .row_count = 1};
        struct column out;
        temporal_add(&run, &options, &a, &interval, &out);
        assert_int_equal(run.failed != NULL, expected == failure);
        case_expect(type, &out, 0, expected == failure ? NULL : expected);
    }
}

static void test_intervals_are_added(void **state)
{
    expect_sum(state, "2020-01-31", months(state, 1), "2020-02-29");
    expect_sum(state, "2020-02-29", months(state, -12), "2019-02-28");
    expect_sum(state, "2020-02-29", milliseconds(state, 46800000), "2020-02-29");
    expect_sum(state, "2020-01-31", milliseconds(state, -93784567), "2020-01-30");
    expect_sum(state, "0001-01-01", milliseconds(state, -86400000), failure);
    expect_sum(state, "9999-12-31", milliseconds(state, 86400000), failure);
    expect_sum(state, "12:34:56.789", milliseconds(state, 46800000), "01:34:56");
    expect_sum(state, "12:34:56.789", milliseconds(state, 500), "12:34:57");
    expect_sum(state, "12:34:56.789", months(state, 1), "12:34:56");
    expect_sum(state, "2020-02-29 12:34:56.789", milliseconds(state, -93784567),
               "2020-02-28 10:31:52.222");
    expect_sum(state, "2020-02-29 12:34:56.789", months(state, -12), "2019-02-28 12:34:56.789");
    expect_sum(state, "9999-12-31 23:59:59", months(state, 1), "0000-01-31 23:59:59.000");
}

static void expect_diff(void **state, enum temporal_unit unit, const char *from, const char *to,
                        const char *expected)
{
    const struct type *type = type_of(from);
    struct column a = case_one(*state, type, from);
    struct column b = case_one(*state, type, to);
    struct temporal options = {.type = type, .unit = unit};
    struct kernel_run run = {.arena = *state, .row_count = 1};
    struct column out;
    temporal_diff_units(&run, &options, &a, &b, &out);
    case_expect(&type_int, &out, 0, expected);
}

static void test_differences_in_whole_units(void **state)
{
    expect_diff(state, TEMPORAL_DAY, "2020-02-29", "2021-02-28", "365");
    expect_diff(state, TEMPORAL_QUARTER, "2020-02-29", "2021-02-28", "4");
    expect_diff(state, TEMPORAL_WEEK, "2020-02-29", "2021-02-28", "52");
    expect_diff(state, TEMPORAL_MICROSECOND, "2020-02-29", "2021-02-28", "-1944854528");
    expect_diff(state, TEMPORAL_MONTH, "2021-03-01 00:00:00", "2020-02-29 23:59:59", "-12");
    expect_diff(state, TEMPORAL_YEAR, "2021-03-01 00:00:00", "2020-02-29 23:59:59", "-1");
    expect_diff(state, TEMPORAL_DAY, "2021-03-01 00:00:00", "2020-02-29 23:59:59", "-365");
    expect_diff(state, TEMPORAL_SECOND, "2021-03-01 00:00:00", "2020-02-29 23:59:59", "-31536001");
    expect_diff(state, TEMPORAL_QUARTER, "2020-01-31 10:00:00", "2020-02-29 09:59:59.999", "0");
    expect_diff(state, TEMPORAL_MINUTE, "2020-01-31 10:00:00", "2020-02-29 09:59:59.999", "41759");
    expect_diff(state, TEMPORAL_MILLISECOND, "2020-01-31 10:00:00", "2020-02-29 09:59:59.999",
                "-1789368296");
}

static void test_moments_from_numbers(void **state)
{
    const char *const numbers[] = {"1583604000", "-62135596800", "253402300800",
                                   "9223372036854775807"};
    struct column n = case_column(*state, &type_bigint, numbers, 4);
    struct kernel_run run = {.arena = *state, .row_count = 4};
    struct column out;
    temporal_from_epoch(&run, &n, 0, &out);
    assert_null(run.failed);
    case_expect(&type_timestamp_ltz3, &out, 0, "2020-03-07 18:00:00.000");
    case_expect(&type_timestamp_ltz3, &out, 1, "0001-01-01 00:00:00.000");
    case_expect(&type_timestamp_ltz3, &out, 2, NULL);
    case_expect(&type_timestamp_ltz3, &out, 3, NULL);
}

static void expect_added_units(void **state, enum temporal_unit unit, const char *n,
                               const char *text, const char *expected)
{
    const struct type *type = type_of(text);
    struct column a = case_one(*state, type, text);
    struct column count = case_one(*state, &type_bigint, n);
    struct temporal options = {.type = type, .unit = unit};
    struct kernel_run run = {.arena = *state, .row_count = 1};
    struct column out;
    temporal_add_units(&run, &options, &count, &a, &out);
    assert_int_equal(run.failed != NULL, expected == failure);
    case_expect(type, &out, 0, expected == failure ? NULL : expected);
}

static void test_units_are_added(void **state)
{
    expect_added_units(state, TEMPORAL_CENTURY, "1", "2020-02-29", "2120-02-29");
    expect_added_units(state, TEMPORAL_QUARTER, "1", "2020-01-31", "2020-04-30");
    expect_added_units(state, TEMPORAL_WEEK, "2", "2020-01-31", "2020-02-14");
    expect_added_units(state, TEMPORAL_DAY, "-60", "2020-02-29", "2019-12-31");
    expect_added_units(state, TEMPORAL_DECADE, "1", "2020-02-29 12:34:56.789",
                       "2030-02-28 12:34:56.789");
    expect_added_units(state, TEMPORAL_MILLISECOND, "1500", "2020-02-29 12:34:56.789",
                       "2020-02-29 12:34:58.289");
    expect_added_units(state, TEMPORAL_MICROSECOND, "-1", "2020-02-29 00:00:00",
                       "2020-02-28 23:59:59.999");
    expect_added_units(state, TEMPORAL_HOUR, "25", "12:34:56.789", "13:34:56");
    expect_added_units(state, TEMPORAL_YEAR, "-2020", "2020-02-29", failure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts_of_timestamps),
        cmocka_unit_test(test_moments_before_1970_are_cut_towards_it),
        cmocka_unit_test(test_parts_of_dates),
        cmocka_unit_test(test_floor_and_ceil),
        cmocka_unit_test(test_local_days_are_floored_in_their_zone),
        cmocka_unit_test(test_intervals_are_added),
        cmocka_unit_test(test_differences_in_whole_units),
        cmocka_unit_test(test_moments_from_numbers),
        cmocka_unit_test(test_units_are_added),
    };
    return cmocka_run_group_tests(tests, case_open, case_close);
}
