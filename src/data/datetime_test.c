// SPDX-License-Identifier: Apache-2.0
#include "data/datetime.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

static void test_days_count_in_the_proleptic_calendar(void **state)
{
    (void)state;
    assert_int_equal(datetime_days_from_civil(1970, 1, 1), 0);
    assert_int_equal(datetime_days_from_civil(2000, 2, 29), 11016);
    assert_int_equal(datetime_days_from_civil(1, 1, 1), -719162); // java.time.LocalDate.MIN's kin
    assert_int_equal(datetime_days_from_civil(9999, 12, 31), 2932896);
    assert_int_equal(datetime_days_from_civil(2023, 13, 1), datetime_days_from_civil(2024, 1, 1));
    for (int64_t days = -800000; days < 3000000; days += 97) {
        struct datetime_civil civil = datetime_civil_from_days(days);
        assert_int_equal(datetime_days_from_civil(civil.year, civil.month, civil.day), days);
    }
    assert_int_equal(datetime_iso_weekday(0), 4); // a Thursday
    assert_int_equal(datetime_iso_weekday(-4), 7);
}

static void test_months_clip_to_their_end(void **state)
{
    (void)state;
    assert_int_equal(datetime_add_months(datetime_days_from_civil(2024, 1, 31), 1),
                     datetime_days_from_civil(2024, 2, 29));
    assert_int_equal(datetime_add_months(datetime_days_from_civil(2024, 2, 29), -12),
                     datetime_days_from_civil(2023, 2, 28));
}

static void expect_us(int64_t micros, int32_t precision, const char *text)
{
    char out[DATETIME_TEXT_MAX + 1];
    out[datetime_format_us(micros, precision, out)] = '\0';
    assert_string_equal(out, text);
}

static void test_moments_show_the_digits_of_their_precision(void **state)
{
    (void)state;
    expect_us(0, 3, "1970-01-01 00:00:00.000");
    expect_us(-1, 6, "1969-12-31 23:59:59.999999");
    expect_us(-1, 0, "1969-12-31 23:59:59");
    expect_us(INT64_C(1582979696789000), 3, "2020-02-29 12:34:56.789");
    char out[DATETIME_TEXT_MAX + 1];
    out[datetime_format_nano((struct nano){1582979696, 987654321}, 9, out)] = '\0';
    assert_string_equal(out, "2020-02-29 12:34:56.987654321");
    out[datetime_format_time(45296789, 3, out)] = '\0';
    assert_string_equal(out, "12:34:56.789");
    assert_int_equal(datetime_cut_us(-1, 3), -1000);
}

// The texts are recorded in fixtures/flink-answers, scalar/literal.
static void test_intervals_have_a_sign(void **state)
{
    (void)state;
    char out[DATETIME_TEXT_MAX + 1];
    out[datetime_format_interval(INT64_C(93784567), out)] = '\0';
    assert_string_equal(out, "+1 02:03:04.567");
    out[datetime_format_interval(-3600000, out)] = '\0';
    assert_string_equal(out, "-0 01:00:00.000");
    out[datetime_format_interval(INT64_C(86313600000), out)] = '\0';
    assert_string_equal(out, "+999 00:00:00.000");
    out[datetime_format_months(14, out)] = '\0';
    assert_string_equal(out, "+1-02");
    out[datetime_format_months(-12, out)] = '\0';
    assert_string_equal(out, "-1-00");
}

static void expect_date(const char *text, const char *shown)
{
    int32_t days;
    char out[DATETIME_TEXT_MAX + 1];
    if (shown == NULL) {
        assert_false(datetime_parse_date(str_from(text), &days));
        return;
    }
    assert_true(datetime_parse_date(str_from(text), &days));
    out[datetime_format_date(days, out)] = '\0';
    assert_string_equal(out, shown);
}

// fixtures/flink-answers, scalar/cast.
static void test_dates_are_read_as_flink_casts_them(void **state)
{
    (void)state;
    expect_date(" 2020-02-29 ", "2020-02-29");
    expect_date(" 42 ", "0042-01-01");
    expect_date("2020", "2020-01-01");
    expect_date("2020-02-29 25:00:00", "2020-02-29");
    expect_date("2020-2-9", "2020-02-09");
    expect_date("1582-10-10", "1582-10-10");
    expect_date("9999-12-31", "9999-12-31");
    expect_date("2021-02-29", NULL);
    expect_date("2020-02-29T10:00:00", NULL);
    expect_date("20200229", NULL);
    expect_date("10000-01-01", NULL);
    expect_date("-0001-01-01", NULL);
    expect_date("", NULL);
    expect_date("12.75", NULL);
}

static void expect_time(const char *text, const char *shown)
{
    int32_t millis;
    char out[DATETIME_TEXT_MAX + 1];
    if (shown == NULL) {
        assert_false(datetime_parse_time(str_from(text), &millis));
        return;
    }
    assert_true(datetime_parse_time(str_from(text), &millis));
    out[datetime_format_time(millis, 3, out)] = '\0';
    assert_string_equal(out, shown);
}

static void test_times_of_microseconds(void **state)
{
    (void)state;
    int64_t micros;
    char out[DATETIME_TEXT_MAX + 1];
    assert_true(datetime_parse_time_us(STR_LIT("23:59:59.9999999"), &micros));
    assert_int_equal(micros, INT64_C(86399999999));
    assert_true(datetime_parse_time_us(STR_LIT("1:02:03.000004"), &micros));
    out[datetime_format_time_us(micros, 6, out)] = '\0';
    assert_string_equal(out, "01:02:03.000004");
    out[datetime_format_time_us(micros, 0, out)] = '\0';
    assert_string_equal(out, "01:02:03");
    assert_false(datetime_parse_time_us(STR_LIT("24:00:00"), &micros));
}

static void test_times_are_read_as_flink_casts_them(void **state)
{
    (void)state;
    expect_time(" 12:34:56 ", "12:34:56.000");
    expect_time("12", "12:00:00.000");
    expect_time("12:34", "12:34:00.000");
    expect_time("1:2:3", "01:02:03.000");
    expect_time("12:60:00", "13:00:00.000");
    expect_time("12:34:56.7891", "12:34:56.789");
    expect_time("23:59:60", NULL);
    expect_time("24:00:00", NULL);
    expect_time(" 42 ", NULL);
    expect_time("2020-02-29 12:34:56", NULL);
    expect_time("12.75", NULL);
    expect_time("", NULL);
}

static void expect_timestamp(const char *text, const char *shown)
{
    struct nano value;
    char out[DATETIME_TEXT_MAX + 1];
    if (shown == NULL) {
        assert_false(datetime_parse_timestamp(str_from(text), &value));
        return;
    }
    assert_true(datetime_parse_timestamp(str_from(text), &value));
    out[datetime_format_nano(value, 9, out)] = '\0';
    assert_string_equal(out, shown);
}

static void test_timestamps_are_read_as_flink_casts_them(void **state)
{
    (void)state;
    expect_timestamp("2020-02-29", "2020-02-29 00:00:00.000000000");
    expect_timestamp("2020-2-9 1:2:3", "2020-02-09 01:02:03.000000000");
    expect_timestamp("2020-02-30 00:00:00", "2020-02-29 00:00:00.000000000");
    expect_timestamp("2020-02-29 24:00:00", "2020-03-01 00:00:00.000000000");
    expect_timestamp("2020-02-29 12:34:56.123456789", "2020-02-29 12:34:56.123456789");
    expect_timestamp("2020-02-29 12:34:56.1234567899", NULL);
    expect_timestamp(" 2020-02-29 12:34:56 ", NULL);
    expect_timestamp("2020-02-29 12:34", NULL);
    expect_timestamp("2020-02-29T12:34:56", NULL);
    expect_timestamp("2020-02-29 12:34:56+02:00", NULL);
    expect_timestamp("2016-12-31 23:59:60", NULL);
    expect_timestamp("10000-01-01 00:00:00", NULL);
    expect_timestamp("2020", NULL);
    expect_timestamp("", NULL);
}

static void test_nanoseconds(void **state)
{
    (void)state;
    static const struct {
        struct nano value;
        int64_t ns;
        bool fits;
    } cases[] = {
        {{0, 5}, 5, true},
        {{-1, 999999999}, -1, true},
        {{-9223372037, 145224192}, INT64_MIN, true}, // whose seconds alone would not fit
        {{9223372036, 854775807}, INT64_MAX, true},
        {{-9223372037, 145224191}, INT64_MIN, false},
        {{9223372036, 854775808}, INT64_MAX, false},
        {{32503680000, 0}, INT64_MAX, false}, // the year 3000
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t ns;
        assert_int_equal(datetime_ns_from_nano(cases[i].value, &ns), cases[i].fits);
        assert_int_equal(ns, cases[i].ns);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_days_count_in_the_proleptic_calendar),
        cmocka_unit_test(test_months_clip_to_their_end),
        cmocka_unit_test(test_moments_show_the_digits_of_their_precision),
        cmocka_unit_test(test_intervals_have_a_sign),
        cmocka_unit_test(test_dates_are_read_as_flink_casts_them),
        cmocka_unit_test(test_times_are_read_as_flink_casts_them),
        cmocka_unit_test(test_times_of_microseconds),
        cmocka_unit_test(test_timestamps_are_read_as_flink_casts_them),
        cmocka_unit_test(test_nanoseconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
