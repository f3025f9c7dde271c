// SPDX-License-Identifier: Apache-2.0
#include "data/decimal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

static void expect_text(int128 unscaled, int32_t scale, const char *text)
{
    char out[DECIMAL_TEXT_MAX + 1];
    out[decimal_format(unscaled, scale, out)] = '\0';
    assert_string_equal(out, text);
}

static void expect_parsed(const char *text, int32_t precision, int32_t scale, const char *shown)
{
    int128 value;
    assert_int_equal(
        decimal_from_text(str_from(text), (struct decimal_form){precision, scale}, &value),
        DECIMAL_PARSE_OK);
    expect_text(value, scale, shown);
}

static void test_text_has_the_digits_of_the_scale(void **state)
{
    (void)state;
    expect_text(0, 0, "0");
    expect_text(0, 2, "0.00");
    expect_text(-50, 2, "-0.50");
    expect_text(123456, 3, "123.456");
    expect_text(decimal_power(38) - 1, 38, "0.99999999999999999999999999999999999999");
    expect_text(-(decimal_power(38) - 1), 0, "-99999999999999999999999999999999999999");
    expect_text((int128)UINT64_MAX, 1, "1844674407370955161.5");
    expect_text((int128)UINT64_MAX * 10, 0, "184467440737095516150");
}

// Halves go away from zero: fixtures/flink-answers, surprise 5.
static void test_parsing_rounds_half_up(void **state)
{
    (void)state;
    expect_parsed("2.5", 10, 0, "3");
    expect_parsed("-2.5", 10, 0, "-3");
    expect_parsed("2.4999999999999999999999999999999999999999999999", 10, 0, "2");
    expect_parsed("0.005", 3, 2, "0.01");
    expect_parsed("0.0049", 3, 2, "0.00");
    expect_parsed("1e3", 10, 2, "1000.00");
    expect_parsed("12.5E-1", 10, 2, "1.25");
    expect_parsed("+00012", 10, 0, "12");
    expect_parsed(".5", 10, 1, "0.5");
    expect_parsed("5.", 10, 1, "5.0");
    expect_parsed("1e-2147483647", 10, 1, "0.0");
    expect_parsed("99999999999999999999999999999999999999", 38, 0,
                  "99999999999999999999999999999999999999");
}

static void test_parsing_tells_too_large_from_no_number(void **state)
{
    (void)state;
    int128 value;
    const struct decimal_form form = {3, 1};
    assert_int_equal(decimal_from_text(STR_LIT("99.95"), form, &value), DECIMAL_PARSE_OVERFLOW);
    assert_int_equal(decimal_from_text(STR_LIT("1e2147483647"), form, &value),
                     DECIMAL_PARSE_OVERFLOW);
    assert_int_equal(decimal_from_text(STR_LIT("0e999"), form, &value), DECIMAL_PARSE_OK);
    const char *const wrong[] = {"", "-", ".", "1e", "e5", "1 2", "1.2.3", "abc", "1e+", "0x1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(decimal_from_text(str_from(wrong[i]), form, &value),
                         DECIMAL_PARSE_INVALID);
    }
}

static void test_rescaling_rounds_and_finds_overflow(void **state)
{
    (void)state;
    int128 value;
    assert_true(decimal_rescale(125, 2, (struct decimal_form){5, 1}, &value));
    assert_int_equal((int64_t)value, 13);
    assert_true(decimal_rescale(-125, 2, (struct decimal_form){5, 1}, &value));
    assert_int_equal((int64_t)value, -13);
    assert_true(decimal_rescale(-124, 2, (struct decimal_form){5, 1}, &value));
    assert_int_equal((int64_t)value, -12);
    assert_false(decimal_rescale(999, 0, (struct decimal_form){4, 2}, &value));
    assert_false(decimal_rescale(decimal_power(37), 0, (struct decimal_form){38, 10}, &value));
    assert_true(decimal_rescale(0, 0, (struct decimal_form){38, 38}, &value));
    assert_true(decimal_rescale(decimal_power(37), 38, (struct decimal_form){5, 0}, &value));
    assert_int_equal((int64_t)value, 0);
    assert_true(decimal_rescale(5 * decimal_power(37), 38, (struct decimal_form){5, 0}, &value));
    assert_int_equal((int64_t)value, 1);
}

static void test_products_and_quotients_go_through_256_bits(void **state)
{
    (void)state;
    int128 value;
    const int128 big = decimal_power(38) - 1;
    assert_true(decimal_multiply(big, big, 38, &value)); // 10^38 - 2 + 10^-38
    assert_true(value == big - 1);
    assert_false(decimal_multiply(big, big, 37, &value));
    assert_true(decimal_divide(1, 12, 3, &value));
    assert_int_equal((int64_t)value, INT64_C(333333333333));
    assert_true(decimal_divide(2, 12, -3, &value));
    assert_int_equal((int64_t)value, INT64_C(-666666666667));
    assert_true(decimal_divide(big, 38, big, &value));
    assert_true(value == decimal_power(38));
    assert_true(decimal_divide(big, 0, 2, &value));
    assert_true(value == big / 2 + 1);
    assert_false(decimal_divide(big, 38, 1, &value));
    assert_true(decimal_divide(1, 76, decimal_power(38), &value));
    assert_true(value == decimal_power(38));
}

static void test_doubles_go_through_their_decimal_text(void **state)
{
    (void)state;
    int128 value;
    assert_int_equal(decimal_from_f64(1.005, (struct decimal_form){10, 2}, &value),
                     DECIMAL_PARSE_OK);
    expect_text(value, 2, "1.01");
    assert_int_equal(decimal_from_f64(1.0 / 0.0, (struct decimal_form){10, 2}, &value),
                     DECIMAL_PARSE_INVALID);
    const double third = decimal_to_f64(decimal_power(38) / 3, 38);
    assert_true(third > 0.33333333333333325 && third < 0.3333333333333334);
    assert_true(decimal_to_f64(12345, 2) - 123.45 == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_has_the_digits_of_the_scale),
        cmocka_unit_test(test_parsing_rounds_half_up),
        cmocka_unit_test(test_parsing_tells_too_large_from_no_number),
        cmocka_unit_test(test_rescaling_rounds_and_finds_overflow),
        cmocka_unit_test(test_products_and_quotients_go_through_256_bits),
        cmocka_unit_test(test_doubles_go_through_their_decimal_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
