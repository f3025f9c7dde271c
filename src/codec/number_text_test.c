// SPDX-License-Identifier: Apache-2.0
#include "codec/number_text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "codec/digits.h"
#include "codec/number_power5.h"

static uint64_t random_next(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t word = *state;
    word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
    return word ^ word >> 31;
}

static void a_run_of_digits_is_counted_and_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t count;
        uint64_t value;
    } cases[] = {
        {"", 0, 0},
        {"x1", 0, 0},
        {"7,", 1, 7},
        {"1234567:", 7, 1234567},
        {"12345678}", 8, 12345678},
        {"123456789/", 9, 123456789},
        {"1234567890123456\"", 16, UINT64_C(1234567890123456)},
        {"12345678901234567 ", 17, UINT64_C(12345678901234567)},
        {"9999999999999999999.", 19, UINT64_C(9999999999999999999)},
        {"00000000001", 11, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[64] = {0};
        memcpy(text, cases[i].text, strlen(cases[i].text));
        uint64_t value;
        assert_int_equal(digits_run(text, &value), cases[i].count);
        assert_int_equal(value, cases[i].value);
    }
    // Every byte but the ten digits ends a run, wherever it stands.
    for (int byte = 0; byte < 256; byte++) {
        for (uint32_t at = 0; at < 8; at++) {
            char text[64] = "99999999";
            uint64_t value;
            text[at] = (char)byte;
            bool is_digit = byte >= '0' && byte <= '9';
            assert_int_equal(digits_eight(text, &value), is_digit ? 8 : at);
        }
    }
}

static double read_double(const char *text)
{
    struct number_text number;
    assert_true(number_text_split(str_from(text), &number));
    return number_text_double(&number);
}

static void doubles_are_rounded_as_the_c_library_does(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "0",
        "-0",
        "1",
        "0.1",
        "123456789012345678",
        "9007199254740993",
        "9007199254740992.5",
        "9007199254740993.0000000000000000001",
        "1e22",
        "1e23",
        "8.5e-324",
        "4.9e-324",
        "2e-324",
        "1.7976931348623157e308",
        "1e309",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "6.02214076e23",
        "52.520008",
        "13.404954",
        "-0.000001",
        "5e-1",
        "1.00000000000000011102230246251565",
        "3.14159265358979323846264338327950288",
        "179769313486231580793e289",
        "1e-400",
        "1E5",
        "1e+5",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        double want = strtod(texts[i], NULL);
        double got = read_double(texts[i]);
        if (memcmp(&want, &got, sizeof want) != 0) {
            fail_msg("%s: %.17g, expected %.17g", texts[i], got, want);
        }
    }
    uint64_t seed = 1;
    for (int i = 0; i < 300000; i++) {
        char text[64];
        uint64_t digits = random_next(&seed) >> random_next(&seed) % 64;
        int exponent = (int)(random_next(&seed) % 160) - 80;
        snprintf(text, sizeof text, "%llue%d", (unsigned long long)digits, exponent);
        double want = strtod(text, NULL);
        double got = read_double(text);
        if (memcmp(&want, &got, sizeof want) != 0) {
            fail_msg("%s: %.17g, expected %.17g", text, got, want);
        }
        float want_float = strtof(text, NULL);
        struct number_text number;
        assert_true(number_text_split(str_from(text), &number));
        float got_float = number_text_float(&number);
        assert_memory_equal(&want_float, &got_float, sizeof want_float);
    }
}

static void halfway_doubles_go_to_even(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < 100000; i++) {
        // 53 bits and a half: exactly between two doubles.
        uint64_t digits = (random_next(&seed) >> 10 | UINT64_C(1) << 53) | 1;
        char text[64];
        snprintf(text, sizeof text, "%llu", (unsigned long long)digits);
        assert_true(read_double(text) == strtod(text, NULL));
    }
}

static void the_table_of_powers_is_what_its_head_says(void **state)
{
    (void)state;
    // 5^q for the q whose power fits 64 bits; the reciprocals times the power are just above 2^k.
    uint64_t power = 1;
    for (int q = 0; q <= 27; q++) {
        const uint64_t *entry = number_power5[q - NUMBER_POWER5_MIN];
        int zeros = __builtin_clzll(power);
        assert_int_equal(entry[0], power << zeros);
        assert_int_equal(entry[1], 0);
        if (q > 0) {
            const uint64_t *inverse = number_power5[-q - NUMBER_POWER5_MIN];
            uint128 value = (uint128)inverse[0] << 64 | inverse[1];
            // value * 5^q / 2^128, the low part cut: a power of two in its top bit.
            uint128 high = (value >> 64) * power + (((value & UINT64_MAX) * power) >> 64);
            assert_int_equal((uint64_t)(high >> 64) & ((uint64_t)(high >> 64) - 1), 0);
        }
        power *= 5;
    }
}

static enum number_result read_decimal(const char *text, int32_t precision, int32_t scale,
                                       int128 *out)
{
    struct number_text number;
    assert_true(number_text_split(str_from(text), &number));
    return number_text_decimal(&number, precision, scale, out);
}

static void decimals_are_exact_and_rounded_half_up(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int32_t precision, scale;
        int64_t value;
        bool fits;
    } cases[] = {
        {"12.5", 10, 2, 1250, true},
        {"-12.345", 10, 2, -1235, true}, // half away from zero
        {"12.3449999999999999999999999", 10, 2, 1234, true},
        {"12.3450000000000000000000000", 10, 2, 1235, true},
        {"0.005", 10, 2, 1, true},
        {"-0.005", 10, 2, -1, true},
        {"0.0049", 10, 2, 0, true},
        {"1e3", 10, 2, 100000, true},
        {"1.5E-1", 10, 2, 15, true},
        {"1e-100000000", 10, 2, 0, true},
        {"0e100000000", 10, 2, 0, true},
        {"99999999.99", 10, 2, INT64_C(9999999999), true},
        {"99999999.995", 10, 2, 0, false},
        {"100000000", 10, 2, 0, false},
        {"1e100000000", 10, 2, 0, false},
        {"0000000000000000000000000000000000000000000001.10", 4, 2, 110, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int128 value;
        enum number_result result =
            read_decimal(cases[i].text, cases[i].precision, cases[i].scale, &value);
        if ((result == NUMBER_OK) != cases[i].fits ||
            (cases[i].fits && value != (int128)cases[i].value)) {
            fail_msg("%s as DECIMAL(%d, %d): %lld", cases[i].text, cases[i].precision,
                     cases[i].scale, (long long)value);
        }
    }
    int128 value;
    assert_int_equal(read_decimal("12345678901234567890123456789012345678", 38, 0, &value),
                     NUMBER_OK);
    assert_true(value / 10000000000000000 / 1000 == (int128)INT64_C(1234567890123456789));
    assert_int_equal((int64_t)(value % 1000000000), 12345678);
    // The digits behind the 38th round the last one.
    assert_int_equal(read_decimal("0.123456789012345678901234567890123456785", 38, 38, &value),
                     NUMBER_OK);
    assert_int_equal((int)(value % 1000), 679);
    assert_int_equal(read_decimal("99999999999999999999999999999999999999", 38, 0, &value),
                     NUMBER_OK);
    assert_int_equal(read_decimal("99999999999999999999999999999999999999.5", 38, 0, &value),
                     NUMBER_RANGE);
}

static void integers_are_cut_and_checked(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
        enum number_result result;
    } cases[] = {
        {"9223372036854775807", INT64_MAX, NUMBER_OK},
        {"-9223372036854775808", INT64_MIN, NUMBER_OK},
        {"9223372036854775808", 0, NUMBER_RANGE},
        {"-9223372036854775809", 0, NUMBER_RANGE},
        {"99999999999999999999999999", 0, NUMBER_RANGE},
        {"1.9", 1, NUMBER_OK},
        {"-1.9", -1, NUMBER_OK},
        {"1e3", 1000, NUMBER_OK},
        {"123456789012345678901e-5", INT64_C(1234567890123456), NUMBER_OK},
        {"1e99999", 0, NUMBER_RANGE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct number_text number;
        int64_t value = 0;
        assert_true(number_text_split(str_from(cases[i].text), &number));
        assert_int_equal(number_text_integer(&number, INT64_MIN, INT64_MAX, &value),
                         cases[i].result);
        assert_int_equal(value, cases[i].value);
    }
}

static void what_is_no_number_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"",   "-",   ".",  "e5", "1e",  "1e+", "1.2.3",
                                        "1x", "0x1", " 1", "1 ", "--1", "inf", "nan"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct number_text number;
        assert_false(number_text_split(str_from(texts[i]), &number));
    }
    double value;
    assert_true(number_text_java_double(str_from("NaN"), &value) && isnan(value));
    assert_true(number_text_java_double(str_from("-Infinity"), &value) && isinf(value) &&
                value < 0);
    assert_true(number_text_java_double(str_from("1.5f"), &value) && value == 1.5);
    assert_false(number_text_java_double(str_from("f"), &value));
    assert_false(number_text_java_double(str_from("infinity"), &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_of_digits_is_counted_and_read),
        cmocka_unit_test(doubles_are_rounded_as_the_c_library_does),
        cmocka_unit_test(halfway_doubles_go_to_even),
        cmocka_unit_test(the_table_of_powers_is_what_its_head_says),
        cmocka_unit_test(decimals_are_exact_and_rounded_half_up),
        cmocka_unit_test(integers_are_cut_and_checked),
        cmocka_unit_test(what_is_no_number_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
