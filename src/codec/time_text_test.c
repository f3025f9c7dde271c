// SPDX-License-Identifier: Apache-2.0
#include "codec/time_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static char place[128];

static struct str padded(const char *text)
{
    memset(place, 'x', sizeof place);
    memcpy(place, text, strlen(text));
    return str_make(place, strlen(text));
}

static void every_day_from_1_to_9999_is_read(void **state)
{
    (void)state;
    // Days are counted up one by one; gmtime says which day that is.
    for (int64_t day = -719162; day <= 2932896; day += 17) {
        time_t second = (time_t)(day * 86400);
        struct tm tm;
        char text[32];
        int32_t got;
        assert_non_null(gmtime_r(&second, &tm));
        snprintf(text, sizeof text, "%04d-%02d-%02d", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday);
        assert_true(time_text_date(padded(text), &got));
        assert_int_equal(got, day);
    }
}

static void days_that_do_not_exist_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "2023-02-29",  "1900-02-29", "2024-13-01", "2024-00-10", "2024-04-31",
        "2024-01-00",  "0000-01-01", "2024-1-1",   "2024/01/01", "24-01-01",
        "2024-01-01 ", "2024-0a-01", "",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        int32_t days;
        assert_false(time_text_date(padded(texts[i]), &days));
    }
    int32_t days;
    assert_true(time_text_date(padded("2000-02-29"), &days));
    assert_int_equal(days, 11016);
}

static void timestamps_of_both_forms_are_read(void **state)
{
    (void)state;
    struct time_text time;
    assert_true(time_text_timestamp(padded("2024-02-29 23:59:58.123456789"), TIME_TEXT_SQL, &time));
    assert_int_equal(time.second, INT64_C(1709251198));
    assert_int_equal(time.nanosecond, 123456789);
    assert_int_equal(time_text_micros(&time, 6), INT64_C(1709251198123456));
    assert_int_equal(time_text_micros(&time, 3), INT64_C(1709251198123000));
    assert_int_equal(time_text_micros(&time, 0), INT64_C(1709251198000000));
    assert_int_equal(time_text_nano(&time, 8).nanosecond, 123456780);
    assert_true(time_text_timestamp(padded("1969-12-31T23:59:59.9"), TIME_TEXT_ISO_8601, &time));
    assert_int_equal(time_text_micros(&time, 6), -100000);
    assert_true(time_text_timestamp(padded("2024-02-29T12:30"), TIME_TEXT_ISO_8601, &time));
    assert_int_equal(time.second, INT64_C(1709209800));
    assert_true(time_text_timestamp_ltz(padded("2024-02-29 12:30:00Z"), TIME_TEXT_SQL, &time));
    assert_int_equal(time.second, INT64_C(1709209800));
    assert_true(
        time_text_timestamp_ltz(padded("2024-02-29T12:30:00.5+05:45"), TIME_TEXT_ISO_8601, &time));
    assert_int_equal(time.second, INT64_C(1709209800) - 20700);
    assert_true(
        time_text_timestamp_ltz(padded("2024-02-29T12:30-08:00"), TIME_TEXT_ISO_8601, &time));
    assert_int_equal(time.second, INT64_C(1709209800) + 28800);
}

static void other_timestamps_are_refused(void **state)
{
    (void)state;
    static const char *const sql[] = {
        "2024-02-29T12:30:00",
        "2024-02-29 12:30",
        "2024-02-29 24:00:00",
        "2024-02-29 12:60:00",
        "2024-02-29 12:30:60",
        "2024-02-29 12:30:00.",
        "2024-02-29 12:30:00.1234567891",
        "2024-02-29 12:30:00Z",
        "2024-02-29",
        "2024-02-30 12:30:00",
        "2024-02-29 12:30:0",
        "2024-02-29 12:30:00 ",
        "1709209800",
        "",
    };
    struct time_text time;
    for (size_t i = 0; i < sizeof sql / sizeof sql[0]; i++) {
        if (time_text_timestamp(padded(sql[i]), TIME_TEXT_SQL, &time)) {
            fail_msg("'%s' was read", sql[i]);
        }
    }
    static const char *const ltz[] = {"2024-02-29T12:30:00", "2024-02-29T12:30:00+19:00",
                                      "2024-02-29T12:30:00+0100", "2024-02-29T12:30:00+01:60",
                                      "2024-02-29 12:30:00Z"};
    for (size_t i = 0; i < sizeof ltz / sizeof ltz[0]; i++) {
        assert_false(time_text_timestamp_ltz(padded(ltz[i]), TIME_TEXT_ISO_8601, &time));
    }
}

static void times_are_read_to_the_microsecond(void **state)
{
    (void)state;
    int64_t microseconds;
    assert_true(time_text_time(padded("23:59:59.9999"), &microseconds));
    assert_int_equal(microseconds, 86399999900);
    assert_true(time_text_time(padded("00:00:00"), &microseconds));
    assert_int_equal(microseconds, 0);
    assert_false(time_text_time(padded("24:00:00"), &microseconds));
    assert_false(time_text_time(padded("1:00:00"), &microseconds));
    assert_false(time_text_time(padded("01:00"), &microseconds));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_day_from_1_to_9999_is_read),
        cmocka_unit_test(days_that_do_not_exist_are_refused),
        cmocka_unit_test(timestamps_of_both_forms_are_read),
        cmocka_unit_test(other_timestamps_are_refused),
        cmocka_unit_test(times_are_read_to_the_microsecond),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
