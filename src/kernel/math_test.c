// SPDX-License-Identifier: Apache-2.0
//
// The expectations are recorded answers of Flink: fixtures/flink-answers, scalar/math.
#include "kernel/math.h"

#include "kernel/case_int.h"

static void expect(void **state, enum math_op op, const char *value, const char *expected)
{
    struct column a = case_one(*state, &type_double, value);
    struct kernel_run run = {.arena = *state, .row_count = 1};
    struct column out;
    math_unary(&run, op, &a, &out);
    case_expect(&type_double, &out, 0, expected);
}

static void test_undefined_values_are_nan_or_infinite(void **state)
{
    expect(state, MATH_SQRT, "-4", "NaN");
    expect(state, MATH_SQRT, "-Infinity", "Infinity");
    expect(state, MATH_LN, "-1", "NaN");
    expect(state, MATH_LN, "0", "-Infinity");
    expect(state, MATH_ACOS, "2", "NaN");
    expect(state, MATH_SQRT, "4", "2.0");
    expect(state, MATH_EXP, "0", "1.0");
    expect(state, MATH_LOG2, "8", "3.0");
    expect(state, MATH_LOG10, "1000", "3.0");
    expect(state, MATH_SQRT, NULL, NULL);
}

static void test_powers(void **state)
{
    static const char *const rows[][3] = {{"2", "10", "1024.0"}, {"1", "NaN", "NaN"},
                                          {"NaN", "0", "1.0"},   {"1", "Infinity", "NaN"},
                                          {"-1", "0.5", "NaN"},  {"0", "-1", "Infinity"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct column a = case_one(*state, &type_double, rows[i][0]);
        struct column b = case_one(*state, &type_double, rows[i][1]);
        struct kernel_run run = {.arena = *state, .row_count = 1};
        struct column out;
        math_power(&run, &a, &b, &out);
        case_expect(&type_double, &out, 0, rows[i][2]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_undefined_values_are_nan_or_infinite),
        cmocka_unit_test(test_powers),
    };
    return cmocka_run_group_tests(tests, case_open, case_close);
}
