// SPDX-License-Identifier: Apache-2.0
#include "data/zone.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/arena.h"
#include "data/datetime.h"

static int open_arena(void **state)
{
    static struct arena arena;
    arena_init(&arena);
    *state = &arena;
    return 0;
}

static int close_arena(void **state)
{
    arena_release(*state);
    return 0;
}

static const struct zone *load(void **state, const char *name)
{
    const struct zone *zone;
    struct err err;
    if (zone_load(*state, str_from(name), &zone, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    return zone;
}

static int64_t micros(const char *text)
{
    struct nano value;
    assert_true(datetime_parse_timestamp(str_from(text), &value));
    return datetime_us_from_nano(value);
}

static void expect_local(const struct zone *zone, const char *utc, const char *local)
{
    char out[DATETIME_TEXT_MAX + 1];
    struct zone_span span = {0};
    out[datetime_format_us(zone_local_us(zone, micros(utc), &span), 0, out)] = '\0';
    assert_string_equal(out, local);
}

static void expect_utc(const struct zone *zone, const char *local, const char *utc)
{
    char out[DATETIME_TEXT_MAX + 1];
    struct zone_span span = {0};
    out[datetime_format_us(zone_utc_us(zone, micros(local), &span), 0, out)] = '\0';
    assert_string_equal(out, utc);
}

static void test_new_york_changes_twice_a_year(void **state)
{
    const struct zone *zone = load(state, "America/New_York");
    expect_local(zone, "2020-01-15 12:00:00", "2020-01-15 07:00:00");
    expect_local(zone, "2020-03-08 06:59:59", "2020-03-08 01:59:59");
    expect_local(zone, "2020-03-08 07:00:00", "2020-03-08 03:00:00");
    expect_local(zone, "2020-11-01 05:59:59", "2020-11-01 01:59:59");
    expect_local(zone, "2020-11-01 06:00:00", "2020-11-01 01:00:00");
    expect_local(zone, "2500-07-01 12:00:00", "2500-07-01 08:00:00"); // by the rule
    expect_local(zone, "9999-07-01 12:00:00", "9999-07-01 08:00:00"); // eras later
}

static void test_gap_moves_forward_and_overlap_takes_the_earlier_offset(void **state)
{
    const struct zone *zone = load(state, "America/New_York");
    expect_utc(zone, "2020-03-08 02:30:00", "2020-03-08 07:30:00"); // shown as 03:30
    expect_utc(zone, "2020-11-01 01:30:00", "2020-11-01 05:30:00");
    expect_utc(zone, "2020-11-01 02:00:00", "2020-11-01 07:00:00");
    expect_utc(zone, "3000-07-01 08:00:00", "3000-07-01 12:00:00");
}

static void test_local_mean_time_before_the_first_change(void **state)
{
    const struct zone *zone = load(state, "America/New_York");
    expect_local(zone, "0001-01-02 00:00:00", "0001-01-01 19:03:58");
}

static void test_fixed_offsets_and_utc(void **state)
{
    assert_null(load(state, "UTC"));
    assert_null(load(state, "Z"));
    assert_null(load(state, "GMT"));
    expect_local(load(state, "GMT+08:00"), "2020-01-01 00:00:00", "2020-01-01 08:00:00");
    expect_local(load(state, "-03:30"), "2020-01-01 00:00:00", "2019-12-31 20:30:00");
    expect_local(load(state, "UTC+8"), "2020-01-01 00:00:00", "2020-01-01 08:00:00");
    expect_local(load(state, "+0530"), "2020-01-01 00:00:00", "2020-01-01 05:30:00");
    expect_local(load(state, "Asia/Kathmandu"), "2020-01-01 00:00:00", "2020-01-01 05:45:00");
}

static void test_southern_summer_wraps_the_year(void **state)
{
    const struct zone *zone = load(state, "Australia/Sydney");
    expect_local(zone, "2030-01-15 00:00:00", "2030-01-15 11:00:00");
    expect_local(zone, "2050-07-15 00:00:00", "2050-07-15 10:00:00");
}

static void test_unknown_zones_are_named(void **state)
{
    const struct zone *zone;
    struct err err;
    assert_int_equal(zone_load(*state, STR_LIT("Mars/Olympus"), &zone, &err), STATUS_NOT_FOUND);
    assert_non_null(strstr(err.text, "Mars/Olympus"));
    assert_int_equal(zone_load(*state, STR_LIT("../etc/passwd"), &zone, &err), STATUS_NOT_FOUND);
    assert_int_equal(zone_load(*state, STR_LIT(""), &zone, &err), STATUS_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_new_york_changes_twice_a_year),
        cmocka_unit_test(test_gap_moves_forward_and_overlap_takes_the_earlier_offset),
        cmocka_unit_test(test_local_mean_time_before_the_first_change),
        cmocka_unit_test(test_fixed_offsets_and_utc),
        cmocka_unit_test(test_southern_summer_wraps_the_year),
        cmocka_unit_test(test_unknown_zones_are_named),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
