// SPDX-License-Identifier: Apache-2.0
#include "data/predicate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "data/type.h"

static bool may_match_ints(enum predicate_op op, int64_t constant, int64_t lower, int64_t upper)
{
    struct column constants = {.physical = PHYSICAL_I64, .row_count = 1, .values = &constant};
    struct predicate_term term = {.op = op, .type = &type_bigint, .constants = &constants};
    struct predicate_bounds bounds = {.lower = &lower,
                                      .upper = &upper,
                                      .value_count = 10,
                                      .null_count = 0,
                                      .nan_count = PREDICATE_UNKNOWN};
    return predicate_may_match(&term, &bounds);
}

// All pairs of small bounds and constants against every value between them.
static void test_what_some_value_between_the_bounds_satisfies_may_match(void **state)
{
    (void)state;
    for (int64_t lower = 0; lower < 5; lower++) {
        for (int64_t upper = lower; upper < 5; upper++) {
            for (int64_t c = -1; c < 6; c++) {
                bool any[6] = {false};
                for (int64_t v = lower; v <= upper; v++) {
                    any[PREDICATE_EQ] |= v == c;
                    any[PREDICATE_NE] |= v != c;
                    any[PREDICATE_LT] |= v < c;
                    any[PREDICATE_LE] |= v <= c;
                    any[PREDICATE_GT] |= v > c;
                    any[PREDICATE_GE] |= v >= c;
                }
                for (int op = PREDICATE_EQ; op <= PREDICATE_GE; op++) {
                    assert_int_equal(may_match_ints((enum predicate_op)op, c, lower, upper),
                                     any[op]);
                }
            }
        }
    }
}

static bool may_match_doubles(enum predicate_op op, double constant, int64_t nan_count)
{
    double lower = -1;
    double upper = 1;
    struct column constants = {.physical = PHYSICAL_F64, .row_count = 1, .values = &constant};
    struct predicate_term term = {.op = op, .type = &type_double, .constants = &constants};
    struct predicate_bounds bounds = {.lower = &lower,
                                      .upper = &upper,
                                      .value_count = 10,
                                      .null_count = 0,
                                      .nan_count = nan_count};
    return predicate_may_match(&term, &bounds);
}

static void test_nan_is_greater_than_all_and_not_in_the_bounds(void **state)
{
    (void)state;
    double nan = (double)NAN;
    assert_true(may_match_doubles(PREDICATE_GT, 5, PREDICATE_UNKNOWN));
    assert_true(may_match_doubles(PREDICATE_GE, 5, 3));
    assert_false(may_match_doubles(PREDICATE_GT, 5, 0));
    assert_false(may_match_doubles(PREDICATE_EQ, 5, PREDICATE_UNKNOWN));
    assert_false(may_match_doubles(PREDICATE_LT, -5, PREDICATE_UNKNOWN));
    assert_true(may_match_doubles(PREDICATE_EQ, nan, 1));
    assert_false(may_match_doubles(PREDICATE_EQ, nan, 0));
    assert_true(may_match_doubles(PREDICATE_LE, nan, 0));
    assert_true(may_match_doubles(PREDICATE_LT, nan, 0));
    assert_false(may_match_doubles(PREDICATE_GT, nan, 5));
    assert_true(may_match_doubles(PREDICATE_GE, nan, 5));
    assert_true(may_match_doubles(PREDICATE_EQ, -0.0, 0));
}

static void test_nulls_are_counted(void **state)
{
    (void)state;
    int64_t one = 1;
    struct column constants = {.physical = PHYSICAL_I64, .row_count = 1, .values = &one};
    struct predicate_term term = {.type = &type_bigint, .constants = &constants};
    struct predicate_bounds bounds = {
        .value_count = 10, .null_count = 10, .nan_count = PREDICATE_UNKNOWN};
    term.op = PREDICATE_IS_NULL;
    assert_true(predicate_may_match(&term, &bounds));
    term.op = PREDICATE_IS_NOT_NULL;
    assert_false(predicate_may_match(&term, &bounds));
    term.op = PREDICATE_EQ;
    assert_false(predicate_may_match(&term, &bounds));
    bounds.null_count = 0;
    assert_true(predicate_may_match(&term, &bounds));
    term.op = PREDICATE_IS_NULL;
    assert_false(predicate_may_match(&term, &bounds));
    bounds.null_count = PREDICATE_UNKNOWN;
    assert_true(predicate_may_match(&term, &bounds));
}

static bool may_start(const char *prefix, const char *lower, const char *upper)
{
    struct strview views[3] = {strview_make(prefix, strlen(prefix)),
                               strview_make(lower, strlen(lower)),
                               strview_make(upper, strlen(upper))};
    struct column constants = {.physical = PHYSICAL_STRING, .row_count = 1, .values = views};
    struct predicate_term term = {
        .op = PREDICATE_STARTS_WITH, .type = &type_string, .constants = &constants};
    struct predicate_bounds bounds = {
        .lower = &views[1], .upper = &views[2], .value_count = 5, .null_count = 0};
    return predicate_may_match(&term, &bounds);
}

static void test_prefixes_are_looked_for_between_the_bounds(void **state)
{
    (void)state;
    assert_true(may_start("ab", "aa", "az"));
    assert_true(may_start("ab", "abz", "b"));
    assert_true(may_start("ab", "a", "ab"));
    assert_false(may_start("ab", "ac", "b"));
    assert_false(may_start("ab", "a", "aa"));
    assert_true(may_start("", "x", "y"));
}

static void test_one_of_a_list_is_enough(void **state)
{
    (void)state;
    int64_t list[3] = {1, 50, 99};
    int64_t bounds_of[2] = {40, 60};
    struct column constants = {.physical = PHYSICAL_I64, .row_count = 3, .values = list};
    struct predicate_term term = {
        .op = PREDICATE_IN, .type = &type_bigint, .constants = &constants};
    struct predicate_bounds bounds = {
        .lower = &bounds_of[0], .upper = &bounds_of[1], .value_count = 5, .null_count = 0};
    assert_true(predicate_may_match(&term, &bounds));
    list[1] = 39;
    assert_false(predicate_may_match(&term, &bounds));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_some_value_between_the_bounds_satisfies_may_match),
        cmocka_unit_test(test_nan_is_greater_than_all_and_not_in_the_bounds),
        cmocka_unit_test(test_nulls_are_counted),
        cmocka_unit_test(test_prefixes_are_looked_for_between_the_bounds),
        cmocka_unit_test(test_one_of_a_list_is_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
