// SPDX-License-Identifier: Apache-2.0
#include "data/float_text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

static void expect_f64(double value, const char *text)
{
    char out[FLOAT_TEXT_MAX + 1];
    out[float_text_f64(value, out)] = '\0';
    assert_string_equal(out, text);
}

static void expect_f32(float value, const char *text)
{
    char out[FLOAT_TEXT_MAX + 1];
    out[float_text_f32(value, out)] = '\0';
    assert_string_equal(out, text);
}

// Java's documentation of Double.toString and fixtures/flink-answers, numeric_edges.
static void test_doubles_look_as_in_java(void **state)
{
    (void)state;
    expect_f64(0.0, "0.0");
    expect_f64(-0.0, "-0.0");
    expect_f64(1.0, "1.0");
    expect_f64(1e10, "1.0E10");
    expect_f64(1e-5, "1.0E-5");
    expect_f64(0.001, "0.001");
    expect_f64(9999999.0, "9999999.0");
    expect_f64(10000000.0, "1.0E7");
    expect_f64(123.456, "123.456");
    expect_f64(0.1, "0.1");
    expect_f64(1.0 / 3.0, "0.3333333333333333");
    expect_f64(100.0, "100.0");
    expect_f64(4.9e-324, "4.9E-324");
    expect_f64(1.7976931348623157e308, "1.7976931348623157E308");
    expect_f64(2.2250738585072014e-308, "2.2250738585072014E-308");
    expect_f64(9007199254740993.0, "9.007199254740992E15");
    expect_f64(-1234567.125, "-1234567.125");
    expect_f64((double)NAN, "NaN");
    expect_f64(-(double)INFINITY, "-Infinity");
}

// Java up to 18 wrote more digits than needed in places (JDK-4511638).
static void test_digits_are_not_always_the_fewest(void **state)
{
    (void)state;
    expect_f64(2.0e-3, "0.002");
    expect_f64(2.2e-322, "2.2E-322");
    expect_f64(2e23, "1.9999999999999998E23"); // the example of the JDK 19 release notes
    expect_f64(2 * 4.9e-324, "1.0E-323");
}

static void test_floats_look_as_in_java(void **state)
{
    (void)state;
    expect_f32(0.1F, "0.1");
    expect_f32(16777216.0F, "1.6777216E7");
    expect_f32(3.4028235e38F, "3.4028235E38");
    expect_f32(1.4e-45F, "1.4E-45");
    expect_f32(-2.5F, "-2.5");
    expect_f32(1e10F, "1.0E10");
}

static void test_every_text_reads_back(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 200000; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint64_t bits = seed ^ seed >> 31;
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) {
            continue;
        }
        char out[FLOAT_TEXT_MAX + 1];
        out[float_text_f64(value, out)] = '\0';
        double back = strtod(out, NULL);
        assert_memory_equal(&back, &value, sizeof value);
    }
}

static void test_parses_what_java_parses(void **state)
{
    (void)state;
    double value;
    assert_true(float_text_parse_f64(STR_LIT(" 1.5e3 "), &value) && value > 1499 && value < 1501);
    assert_true(float_text_parse_f64(STR_LIT("1d"), &value));
    assert_true(float_text_parse_f64(STR_LIT("NaN"), &value) && isnan(value));
    assert_true(float_text_parse_f64(STR_LIT("-Infinity"), &value) && isinf(value));
    assert_true(float_text_parse_f64(STR_LIT(".5"), &value));
    assert_false(float_text_parse_f64(STR_LIT("inf"), &value));
    assert_false(float_text_parse_f64(STR_LIT("nan"), &value));
    assert_false(float_text_parse_f64(STR_LIT("0x10"), &value));
    assert_false(float_text_parse_f64(STR_LIT(""), &value));
    assert_false(float_text_parse_f64(STR_LIT("1 2"), &value));
    assert_false(float_text_parse_f64(STR_LIT("d"), &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_doubles_look_as_in_java),
        cmocka_unit_test(test_digits_are_not_always_the_fewest),
        cmocka_unit_test(test_floats_look_as_in_java),
        cmocka_unit_test(test_every_text_reads_back),
        cmocka_unit_test(test_parses_what_java_parses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
