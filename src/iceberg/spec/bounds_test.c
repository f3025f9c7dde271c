// SPDX-License-Identifier: Apache-2.0
//
// Cases of Java's TestMetricsTruncation, and defects of other writers named in their trackers.
#include "iceberg/spec/bounds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/arena.h"

static void expect_upper(const char *value, int32_t length, bool is_text, const char *expected)
{
    struct arena arena = {0};
    struct str out = {0};
    bool found = bounds_upper(&arena, str_from(value), is_text, length, true, &out);
    assert_int_equal(found, expected != NULL);
    if (expected != NULL) {
        assert_true(str_is(out, expected));
    }
    arena_release(&arena);
}

static void test_lower_bounds_are_prefixes_of_whole_characters(void **state)
{
    (void)state;
    assert_true(str_is(bounds_lower(STR_LIT("iceberg"), true, 3), "ice"));
    // U+1F427 and e with acute: two code points, six bytes.
    assert_true(str_is(bounds_lower(STR_LIT("\xf0\x9f\x90\xa7\xc3\xa9x"), true, 2),
                       "\xf0\x9f\x90\xa7\xc3\xa9"));
    assert_true(str_is(bounds_lower(STR_LIT("\x01\x02\x03"), false, 2), "\x01\x02"));
}

static void test_upper_bounds_are_incremented_where_they_are_cut(void **state)
{
    (void)state;
    expect_upper("abc", 3, true, "abc");
    expect_upper("abcd", 3, true, "abd");
    expect_upper("\xf4\x8f\xbf\xbf\xf4\x8f\xbf\xbfx", 2, true, NULL); // U+10FFFF twice
    expect_upper("a\xf4\x8f\xbf\xbfx", 2, true, "b");
    expect_upper("\xed\x9f\xbfx", 1, true, "\xee\x80\x80"); // U+D7FF: over the surrogates
    expect_upper("\x7fx", 1, true, "\xc2\x80");
    expect_upper("\xef\xbf\xbfx", 1, true, "\xf0\x90\x80\x80");
    expect_upper("\x01\xff\xffx", 3, false, "\x02");
    expect_upper("\xff\xffx", 2, false, NULL);
}

static void test_a_prefix_of_a_value_is_no_upper_bound(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct str out;
    assert_true(bounds_upper(&arena, STR_LIT("abc"), true, 16, false, &out));
    assert_true(str_is(out, "abd"));
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lower_bounds_are_prefixes_of_whole_characters),
        cmocka_unit_test(test_upper_bounds_are_incremented_where_they_are_cut),
        cmocka_unit_test(test_a_prefix_of_a_value_is_no_upper_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
