// SPDX-License-Identifier: Apache-2.0
#include "base/quantity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/err.h"
#include "base/nearest.h"

static void expect_duration(const char *text, int64_t ms)
{
    int64_t got = -1;
    assert_true(quantity_duration_ms(str_from(text), &got));
    assert_int_equal(got, ms);
}

static void test_durations_as_flink_writes_them(void **state)
{
    (void)state;
    expect_duration("10 s", 10000);
    expect_duration("200ms", 200);
    expect_duration("1 min", 60000);
    expect_duration("2h", 7200000);
    expect_duration("1 d", 86400000);
    expect_duration("250", 250);
    expect_duration("1500 us", 1);
    expect_duration("2000000 ns", 2);
    expect_duration("3 \xc2\xb5s", 0);
    expect_duration("1000000 days", INT64_C(86400000000000));
    int64_t ignored;
    assert_false(quantity_duration_ms(STR_LIT("ten s"), &ignored));
    assert_false(quantity_duration_ms(STR_LIT("10 parsecs"), &ignored));
    assert_false(quantity_duration_ms(STR_LIT(""), &ignored));
    assert_false(quantity_duration_ms(STR_LIT("-1 s"), &ignored));
    assert_false(quantity_duration_ms(STR_LIT("9999999999999 d"), &ignored));
}

static void test_sizes(void **state)
{
    (void)state;
    int64_t bytes;
    assert_true(quantity_bytes(STR_LIT("512 mb"), &bytes));
    assert_int_equal(bytes, 512 << 20);
    assert_true(quantity_bytes(STR_LIT("2g"), &bytes));
    assert_int_equal(bytes, INT64_C(2) << 30);
    assert_false(quantity_bytes(STR_LIT("2 q"), &bytes));
}

static void test_choices(void **state)
{
    (void)state;
    struct err err = {0};
    assert_true(quantity_is_choice(STR_LIT("Batch"), "streaming|batch|"));
    assert_true(quantity_is_choice(STR_LIT(""), "streaming|batch|"));
    assert_false(quantity_is_choice(STR_LIT("bat"), "streaming|batch|"));
    quantity_hint_choices("streaming|batch|", &err);
    assert_string_equal(err.hint, "one of: streaming, batch");
}

static void test_the_nearest_name(void **state)
{
    (void)state;
    struct err err = {0};
    struct nearest nearest = nearest_to(STR_LIT("usr_id"));
    assert_false(nearest_hint(&nearest, &err));
    nearest_try(&nearest, STR_LIT("amount"));
    assert_int_equal(nearest.best.size, 0);
    nearest_try(&nearest, STR_LIT("users_id"));
    nearest_try(&nearest, STR_LIT("user_id"));
    nearest_try(&nearest, STR_LIT("usr_idx")); // no nearer: the first of equals stays
    assert_true(nearest_hint(&nearest, &err));
    assert_string_equal(err.hint, "did you mean 'user_id'?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_durations_as_flink_writes_them),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_the_nearest_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
