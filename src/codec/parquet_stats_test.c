// SPDX-License-Identifier: Apache-2.0
#include "codec/parquet_stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "codec/parquet_writer.h"

static struct parquet_element text_element = {.physical = PARQUET_BYTE_ARRAY,
                                              .logical = PARQUET_LOGICAL_STRING};
static struct parquet_element bytes_element = {.physical = PARQUET_BYTE_ARRAY};
static struct parquet_element double_element = {.physical = PARQUET_DOUBLE};
static struct parquet_element decimal_element = {
    .physical = PARQUET_FIXED, .length = 9, .logical = PARQUET_LOGICAL_DECIMAL};

// Raises a text and compares; NULL: there is no greater one.
static void expect_raised(const char *text, bool is_text, const char *expected)
{
    char bytes[64];
    size_t size = strlen(text);
    memcpy(bytes, text, size);
    bool raised = parquet_stats_raise(bytes, &size, is_text);
    assert_int_equal(raised, expected != NULL);
    if (expected != NULL) {
        assert_int_equal(size, strlen(expected));
        assert_memory_equal(bytes, expected, size);
    }
}

static void test_an_upper_bound_is_raised_by_code_points(void **state)
{
    (void)state;
    expect_raised("abc", true, "abd");
    expect_raised("a\xed\x9f\xbf", true, "a\xee\x80\x80"); // U+D7FF: the surrogates are left out
    expect_raised("a\xf4\x8f\xbf\xbf", true, "b");         // U+10FFFF has none above
    expect_raised("\xf4\x8f\xbf\xbf", true, NULL);
    expect_raised("b\xc3\xbf", true, "b\xc4\x80"); // U+00FF to U+0100, both of two bytes
    expect_raised("a\x7f", true, "b");             // U+0080 would be longer than what was cut
    expect_raised("a\xff", false, "b");
    expect_raised("\xff\xff", false, NULL);
    expect_raised("a\x7f", false, "a\x80");
}

static void test_texts_are_cut_between_characters(void **state)
{
    (void)state;
    assert_int_equal(parquet_stats_cut("abcdef", 6, 4, true), 4);
    assert_int_equal(parquet_stats_cut("abc\xc3\xa4z", 6, 4, true), 3);
    assert_int_equal(parquet_stats_cut("abc\xc3\xa4z", 6, 4, false), 4);
    assert_int_equal(parquet_stats_cut("ab", 2, 4, true), 2);
}

static void test_long_texts_are_bounds_that_enclose(void **state)
{
    (void)state;
    struct parquet_node leaf = {.element = &text_element};
    struct parquet_range range = {0};
    struct bytebuf out = {0};
    char low[100];
    char high[100];
    memset(low, 'a', sizeof low);
    memset(high, 'x', sizeof high);
    parquet_stats_bytes(&range, str_make(low, sizeof low));
    parquet_stats_bytes(&range, str_make(high, sizeof high));
    parquet_stats_bytes(&range, STR_LIT("middle"));
    struct parquet_bounds bounds = parquet_stats_put(&range, &leaf, 10, &out);
    assert_true(bounds.has_lower && bounds.has_upper);
    assert_false(bounds.lower_exact || bounds.upper_exact);
    assert_int_equal(bounds.lower_size, 10);
    assert_memory_equal(out.ptr, "aaaaaaaaaaxxxxxxxxxy", 20);
    parquet_stats_release(&range);
    bytebuf_release(&out);
}

// Values over PARQUET_BOUND_BYTES_MAX are known by their beginning only.
static void test_huge_texts_of_one_beginning_have_a_raised_upper_bound(void **state)
{
    (void)state;
    struct parquet_node leaf = {.element = &bytes_element};
    struct parquet_range range = {0};
    struct bytebuf out = {0};
    char huge[PARQUET_BOUND_BYTES_MAX + 1];
    memset(huge, 'h', sizeof huge);
    parquet_stats_bytes(&range, str_make(huge, PARQUET_BOUND_BYTES_MAX));
    parquet_stats_bytes(&range, str_make(huge, sizeof huge));
    struct parquet_bounds bounds = parquet_stats_put(&range, &leaf, 1024, &out);
    assert_true(bounds.lower_exact);
    assert_false(bounds.upper_exact);
    assert_int_equal(out.ptr[bounds.lower_size + bounds.upper_size - 1], 'i');
    parquet_stats_release(&range);
    bytebuf_release(&out);
}

static void test_views_have_the_bounds_of_their_bytes(void **state)
{
    (void)state;
    struct parquet_range fast = {0};
    struct parquet_range slow = {0};
    static const char *const texts[] = {
        "mmm", "same start b", "same start a and longer", "zz", "a", "", "same start c", "zzz"};
    struct strview views[8];
    for (int i = 0; i < 8; i++) {
        views[i] = strview_make(texts[i], strlen(texts[i]));
    }
    for (uint32_t count = 1; count <= 8; count++) {
        parquet_stats_reset(&fast);
        parquet_stats_reset(&slow);
        parquet_stats_views(&fast, views, count);
        for (uint32_t i = 0; i < count; i++) {
            parquet_stats_bytes(&slow, strview_str(&views[i]));
        }
        assert_true(str_equal(bytebuf_str(&fast.lower_bytes), bytebuf_str(&slow.lower_bytes)));
        assert_true(str_equal(bytebuf_str(&fast.upper_bytes), bytebuf_str(&slow.upper_bytes)));
    }
    parquet_stats_release(&fast);
    parquet_stats_release(&slow);
}

static void test_nans_are_counted_and_zeros_have_signs(void **state)
{
    (void)state;
    struct parquet_node leaf = {.element = &double_element};
    struct parquet_range range = {0};
    struct bytebuf out = {0};
    const double values[] = {(double)NAN, 0.0, (double)NAN, -0.0};
    assert_int_equal(parquet_stats_f64(&range, values, 1), 1);
    assert_false(range.has);
    assert_int_equal(parquet_stats_f64(&range, values, 4), 2);
    struct parquet_bounds bounds = parquet_stats_put(&range, &leaf, 64, &out);
    assert_int_equal(bounds.lower_size + bounds.upper_size, 16);
    double lower;
    double upper;
    memcpy(&lower, out.ptr, 8);
    memcpy(&upper, out.ptr + 8, 8);
    assert_true(lower == 0 && signbit(lower));
    assert_true(upper == 0 && !signbit(upper));
    bytebuf_release(&out);
}

static void test_decimals_are_compared_as_numbers_and_written_big_endian(void **state)
{
    (void)state;
    struct parquet_node leaf = {.element = &decimal_element};
    struct parquet_range range = {0};
    struct bytebuf out = {0};
    const int128 values[] = {5, -1, 256};
    parquet_stats_i128(&range, values, 3);
    struct parquet_bounds bounds = parquet_stats_put(&range, &leaf, 64, &out);
    assert_int_equal(bounds.lower_size, 9);
    assert_memory_equal(out.ptr, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\0\0\0\1\0", 18);
    bytebuf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_upper_bound_is_raised_by_code_points),
        cmocka_unit_test(test_texts_are_cut_between_characters),
        cmocka_unit_test(test_long_texts_are_bounds_that_enclose),
        cmocka_unit_test(test_huge_texts_of_one_beginning_have_a_raised_upper_bound),
        cmocka_unit_test(test_views_have_the_bounds_of_their_bytes),
        cmocka_unit_test(test_nans_are_counted_and_zeros_have_signs),
        cmocka_unit_test(test_decimals_are_compared_as_numbers_and_written_big_endian),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
