// SPDX-License-Identifier: Apache-2.0
//
// The expectations are recorded answers of Flink: fixtures/flink-answers, scalar/string, unicode,
// like and encoding.
#include "kernel/string.h"

#include "kernel/case_int.h"

#define GRIN "\xf0\x9f\x98\x80"
#define E_ACUTE "\xc3\xa9"

typedef void unary_fn(struct kernel_run *run, const struct column *s, struct column *out);

static void expect_unary(void **state, unary_fn *function, const char *text,
                         const struct type *type, const char *expected)
{
    const char *const texts[] = {text, NULL, text};
    struct column flat = case_column(*state, &type_string, texts, 3);
    for (int encoding = 0; encoding < CASE_ENCODINGS; encoding++) {
        struct column in = case_encode(*state, &flat, (enum case_encoding)encoding);
        struct kernel_run run = {.arena = *state, .row_count = 3};
        struct column out;
        function(&run, &in, &out);
        case_sound(&out);
        case_expect(type, &out, 0, expected);
        case_expect(type, &out, 1, NULL);
        case_expect(type, &out, 2, expected);
    }
}

static void test_length_case_and_order_of_characters(void **state)
{
    expect_unary(state, string_length, GRIN "bc " E_ACUTE "\xe4\xb8\xad", &type_int, "6");
    expect_unary(state, string_octet_length, GRIN "x", &type_int, "5");
    expect_unary(state, string_upper, "na\xc3\xafve " E_ACUTE, &type_string,
                 "NA\xc3\x8fVE \xc3\x89");
    expect_unary(state, string_upper,
                 "stra\xc3\x9f"
                 "e",
                 &type_string, "STRASSE");
    expect_unary(state, string_lower, "\xc4\xb0", &type_string, "i\xcc\x87");
    expect_unary(state, string_lower, "\xce\x91\xce\xa3 \xce\xa3\xce\x91", &type_string,
                 "\xce\xb1\xcf\x82 \xcf\x83\xce\xb1"); // a final sigma, and one that is not
    expect_unary(state, string_upper, "MiXed-case_42 long", &type_string, "MIXED-CASE_42 LONG");
    expect_unary(state, string_initcap, "hello wORLD foo-bar_baz 1st", &type_string,
                 "Hello World Foo-Bar_Baz 1st");
    expect_unary(state, string_initcap,
                 E_ACUTE "a \xc3\xb1"
                         "b",
                 &type_string,
                 E_ACUTE "A \xc3\xb1"
                         "B");
    expect_unary(state, string_reverse, GRIN "x" E_ACUTE, &type_string, E_ACUTE "x" GRIN);
    expect_unary(state, string_ascii, "Hello", &type_int, "72");
    expect_unary(state, string_ascii, "", &type_int, "0");
    expect_unary(state, string_ascii, GRIN "x", &type_int, "-16");
}

static void expect_substring(void **state, const char *text, const char *from, const char *count,
                             const char *expected)
{
    struct column args[] = {case_one(*state, &type_string, text), case_one(*state, &type_int, from),
                            count == NULL ? (struct column){0}
                                          : case_one(*state, &type_int, count)};
    struct kernel_run run = {.arena = *state, .row_count = 1};
    struct column out;
    string_substring(&run, args, count == NULL ? 2 : 3, &out);
    case_expect(&type_string, &out, 0, expected);
}

static void test_substrings(void **state)
{
    expect_substring(state, "abcdef", "0", NULL, "abcdef");
    expect_substring(state, "abcdef", "2", "3", "bcd");
    expect_substring(state, "abcdef", "-3", "2", "de");
    expect_substring(state, "abcdef", "-9", "2", "");
    expect_substring(state, "abcdef", "9", "2", "");
    expect_substring(state, "abcdef", "2", "-1", NULL);
    expect_substring(state, "abcdef", "2", "2147483647", "bcdef");
    expect_substring(state, GRIN GRIN GRIN, "2", "1", GRIN);
    expect_substring(state, GRIN "bc " E_ACUTE "\xe4\xb8\xad", "-3", "2", " " E_ACUTE);
}

typedef void counted_fn(struct kernel_run *run, const struct column *s, const struct column *n,
                        struct column *out);

static void expect_counted(void **state, counted_fn *function, const char *text, const char *count,
                           const char *expected)
{
    struct column s = case_one(*state, &type_string, text);
    struct column n = case_one(*state, &type_int, count);
    struct kernel_run run = {.arena = *state, .row_count = 1};
    struct column out;
    function(&run, &s, &n, &out);
    case_expect(&type_string, &out, 0, expected);
}

static void test_left_right_repeat(void **state)
{
    expect_counted(state, string_left, "abcdef", "3", "abc");
    expect_counted(state, string_left, "abcdef", "-3", "");
    expect_counted(state, string_left, "abcdef", "7", "abcdef");
    expect_counted(state, string_right, "abcdef", "3", "def");
    expect_counted(state, string_right, "abcdef", "10", "abcdef");
    expect_counted(state, string_right, "abcdef", "0", "");
    expect_counted(state, string_right, GRIN "x", "2", GRIN "x");
    expect_counted(state, string_repeat, "ab", "3", "ababab");
    expect_counted(state, string_repeat, "ab", "-1", "");
    expect_counted(state, string_repeat, "", "5", "");
}

static void expect_padded(void **state, bool at_left, const char *const args[3],
                          const char *expected)
{
    struct column s = case_one(*state, &type_string, args[0]);
    struct column n = case_one(*state, &type_int, args[1]);
    struct column pad = case_one(*state, &type_string, args[2]);
    struct kernel_run run = {.arena = *state, .row_count = 1};
    struct column out;
    (at_left ? string_lpad : string_rpad)(&run, &s, &n, &pad, &out);
    case_expect(&type_string, &out, 0, expected);
}

static void test_padding_counts_utf16_units(void **state)
{
    expect_padded(state, true, (const char *const[]){"hi", "5", "ab"}, "abahi");
    expect_padded(state, true, (const char *const[]){"hi", "1", "??"}, "h");
    expect_padded(state, true, (const char *const[]){"hi", "-1", "a"}, NULL);
    expect_padded(state, true, (const char *const[]){"hi", "5", ""}, NULL);
    expect_padded(state, false, (const char *const[]){GRIN "x", "8", GRIN}, GRIN "x" GRIN GRIN "?");
    expect_padded(state, true,
                  (const char *const[]){GRIN "bc " E_ACUTE "\xe4\xb8\xad", "8", E_ACUTE},
                  E_ACUTE GRIN "bc " E_ACUTE "\xe4\xb8\xad");
}

static void expect_overlay(void **state, const char *const texts[2], const char *from,
                           const char *count, const char *expected)
{
    struct column args[] = {
        case_one(*state, &type_string, texts[0]), case_one(*state, &type_string, texts[1]),
        case_one(*state, &type_int, from),
        count == NULL ? (struct column){0} : case_one(*state, &type_int, count)};
    struct kernel_run run = {.arena = *state, .row_count = 1};
    struct column out;
    string_overlay(&run, args, count == NULL ? 3 : 4, &out);
    case_expect(&type_string, &out, 0, expected);
}

static void test_overlay(void **state)
{
    expect_overlay(state, (const char *const[]){"abcdef", ""}, "2", "3", "aef");
    expect_overlay(state, (const char *const[]){"abcdef", "XYZ"}, "5", "10", "abcdXYZ");
    expect_overlay(state, (const char *const[]){"abcdef", "Z"}, "-1", NULL, "abcdef");
    expect_overlay(state, (const char *const[]){"abcdef", "Z"}, "7", NULL, "abcdef");
    expect_overlay(state, (const char *const[]){"xxxxxtest", "xxxx"}, "6", NULL, "xxxxxxxxx");
    expect_overlay(state, (const char *const[]){GRIN "x", "Z"}, "1", "1", "Z?x");
}

static void expect_position(void **state, const char *what, const char *text, const char *from,
                            const char *expected)
{
    struct column s = case_one(*state, &type_string, what);
    struct column in = case_one(*state, &type_string, text);
    struct column start = from == NULL ? s : case_one(*state, &type_int, from);
    struct kernel_run run = {.arena = *state, .row_count = 1};
    struct column out;
    string_position(&run, &s, &in, from == NULL ? NULL : &start, &out);
    case_expect(&type_int, &out, 0, expected);
}

static void test_positions_count_characters(void **state)
{
    expect_position(state, "b", GRIN "bc", NULL, "2");
    expect_position(state, "", "abc", NULL, "1");
    expect_position(state, "z", "abc", NULL, "0");
    expect_position(state, "a", "", NULL, "0");
    expect_position(state, "b", "abcb", "3", "4");
    expect_position(state, "b", "abcb", "0", "2");
}

static void expect_three(void **state, const char *const args[3], const char *expected,
                         bool is_replace)
{
    struct column s = case_one(*state, &type_string, args[0]);
    struct column b = case_one(*state, &type_string, args[1]);
    struct column c = case_one(*state, is_replace ? &type_string : &type_int, args[2]);
    struct kernel_run run = {.arena = *state, .row_count = 1};
    struct column out;
    (is_replace ? string_replace : string_split_index)(&run, &s, &b, &c, &out);
    case_expect(&type_string, &out, 0, expected);
}

static void test_replace_and_split(void **state)
{
    expect_three(state, (const char *const[]){"aaa", "", "x"}, "xaxaxax", true);
    expect_three(state, (const char *const[]){"aaa", "a", ""}, "", true);
    expect_three(state, (const char *const[]){"aaa", "b", "x"}, "aaa", true);
    expect_three(state, (const char *const[]){"hello world", "world", "flink"}, "hello flink",
                 true);
    expect_three(state, (const char *const[]){GRIN "x", GRIN, ""}, "x", true);
    expect_three(state, (const char *const[]){"a,b,", ",", "2"}, "", false);
    expect_three(state, (const char *const[]){"a,b,c", ",", "-1"}, NULL, false);
    expect_three(state, (const char *const[]){"a,b,c", ",", "3"}, NULL, false);
    expect_three(state, (const char *const[]){"", ",", "0"}, NULL, false);
    expect_three(state, (const char *const[]){"a||b", "||", "1"}, "b", false);
}

static void expect_trimmed(void **state, enum string_side side, const char *text, const char *set,
                           const char *expected)
{
    struct column s = case_one(*state, &type_string, text);
    struct column characters = set == NULL ? s : case_one(*state, &type_string, set);
    struct kernel_run run = {.arena = *state, .row_count = 1};
    struct column out;
    string_trim(&run, side, &s, set == NULL ? NULL : &characters, &out);
    case_expect(&type_string, &out, 0, expected);
}

static void test_trimming_takes_a_set_of_characters(void **state)
{
    expect_trimmed(state, STRING_BOTH, "  a  ", NULL, "a");
    expect_trimmed(state, STRING_BOTH, "xyaxy", "xy", "a");
    expect_trimmed(state, STRING_LEADING, "xyxabc", "xy", "abc");
    expect_trimmed(state, STRING_TRAILING, "abcxx", "x", "abc");
    expect_trimmed(state, STRING_BOTH, "abc", "", "abc");
    expect_trimmed(state, STRING_BOTH, "aaa", "a", "");
    expect_trimmed(state, STRING_BOTH, GRIN "x" GRIN, "\xe4\xb8\xad" GRIN, "x");
    expect_trimmed(state, STRING_BOTH,
                   "\xc2\xa0"
                   "a ",
                   NULL,
                   "\xc2\xa0"
                   "a"); // no-break space
}

static void expect_like(void **state, const char *text, const char *pattern, const char *escape,
                        int expected) // -1: fails
{
    struct column s = case_one(*state, &type_string, text);
    struct column p = case_one(*state, &type_string, pattern);
    struct column e = escape == NULL ? s : case_one(*state, &type_string, escape);
    struct column flat = s;
    flat.encoding = ENCODING_FLAT;
    for (int i = 0; i < 2; i++) {
        struct kernel_run run = {.arena = *state, .row_count = 1};
        uint64_t is_true = 0;
        uint64_t is_null = 0;
        string_like(&run, i == 0 ? &s : &flat, &p, escape == NULL ? NULL : &e, &is_true, &is_null);
        assert_int_equal(run.failed != NULL, expected < 0);
        assert_int_equal(is_true, expected == 1);
    }
}

static void test_like(void **state)
{
    expect_like(state, "abc", "a%", NULL, 1);
    expect_like(state, "abc", "%c", NULL, 1);
    expect_like(state, "abc", "%b%", NULL, 1);
    expect_like(state, "abc", "a_c", NULL, 1);
    expect_like(state, "abc", "_", NULL, 0);
    expect_like(state, "", "%", NULL, 1);
    expect_like(state, "abc", "ABC", NULL, 0);
    expect_like(state, "abc", "a%b%c", NULL, 1);
    expect_like(state, "aXbXc", "a%X%", NULL, 1);
    expect_like(state, "aXbXc", "a%Xb", NULL, 0);
    expect_like(state, "foobar", "f%b_r", NULL, 1);
    expect_like(state, "abc ", "abc", NULL, 0);
    expect_like(state, "abc", "a.c", NULL, 0);
    expect_like(state, "a%c", "a\\%c", NULL, 0);
    expect_like(state, "abc", "", NULL, 1);
    expect_like(state, "a\nc", "a_c", NULL, 0);
    expect_like(state, "a\nc", "a%", NULL, 1);
    expect_like(state, GRIN "bc", "_bc%", NULL, 1);
    expect_like(state, "abc", "a!%c", "!", 0);
    expect_like(state, "a_c", "a!_c", "!", 1);
    expect_like(state, "a!c", "a!!c", "!", 1);
    expect_like(state, "a%c", "a%%c", "%", 1);
    expect_like(state, "a%c", "a\\%c", "\\", 1);
    expect_like(state, "abc", "abc!", "!", -1);
    expect_like(state, "abc", "abc", "xx", -1);
    expect_like(state, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "%a%a%a%a%a%c", NULL, 0);
}

static void test_codes(void **state)
{
    expect_unary(state, string_hex, GRIN "x", &type_string, "F09F988078");
    expect_unary(state, string_to_base64, "hello world", &type_string, "aGVsbG8gd29ybGQ=");
    expect_unary(state, string_from_base64, "aGVsbG8gd29ybGQ", &type_string, "hello world");
    expect_unary(state, string_from_base64, "aGVsbG8gd29ybGQ=", &type_string, "hello world");
    expect_unary(state, string_from_base64, "w6k=", &type_string, E_ACUTE);
    expect_unary(state, string_unhex, "68656c6C6F", &type_bytes, "x'68656c6c6f'");
    expect_unary(state, string_unhex, "123", &type_bytes, "x'0023'");
    expect_unary(state, string_unhex, "zz", &type_bytes, NULL);
    struct column s = case_one(*state, &type_string, "_-8=");
    struct kernel_run run = {.arena = *state, .row_count = 1};
    struct column out;
    string_from_base64(&run, &s, &out);
    assert_int_equal(kernel_first_failed(&run), 0);
    const char *const numbers[] = {"97", "233", "-1", "353"};
    static const char *const characters[] = {"a", E_ACUTE, "", "a"};
    struct column n = case_column(*state, &type_bigint, numbers, 4);
    struct kernel_run four = {.arena = *state, .row_count = 4};
    string_chr(&four, &n, &out);
    for (uint32_t i = 0; i < 4; i++) {
        case_expect(&type_string, &out, i, characters[i]);
    }
    string_hex(&four, &n, &out);
    case_expect(&type_string, &out, 0, "61");
    case_expect(&type_string, &out, 2, "FFFFFFFFFFFFFFFF");
}

static void test_concatenation_and_ends(void **state)
{
    const char *const texts[] = {"a", NULL, "a long text, longer than twelve"};
    struct column s = case_column(*state, &type_string, texts, 3);
    struct column b = case_one(*state, &type_string, "bcd");
    b.row_count = 3;
    const struct column args[] = {s, b, s};
    struct kernel_run run = {.arena = *state, .row_count = 3};
    struct column out;
    string_concat(&run, args, 3, &out);
    case_sound(&out);
    case_expect(&type_string, &out, 0, "abcda");
    case_expect(&type_string, &out, 1, NULL);
    case_expect(&type_string, &out, 2,
                "a long text, longer than twelvebcda long text, longer than twelve");
    struct column prefix = case_one(*state, &type_string, "a l");
    prefix.row_count = 3;
    uint64_t is_true;
    uint64_t is_null;
    string_starts_with(&run, &s, &prefix, &is_true, &is_null);
    assert_int_equal(is_true, 0x4);
    assert_int_equal(is_null, 0x2);
    struct column suffix = case_one(*state, &type_string, "");
    suffix.row_count = 3;
    string_ends_with(&run, &s, &suffix, &is_true, &is_null);
    assert_int_equal(is_true, 0x5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_length_case_and_order_of_characters),
        cmocka_unit_test(test_substrings),
        cmocka_unit_test(test_left_right_repeat),
        cmocka_unit_test(test_padding_counts_utf16_units),
        cmocka_unit_test(test_overlay),
        cmocka_unit_test(test_positions_count_characters),
        cmocka_unit_test(test_replace_and_split),
        cmocka_unit_test(test_trimming_takes_a_set_of_characters),
        cmocka_unit_test(test_like),
        cmocka_unit_test(test_codes),
        cmocka_unit_test(test_concatenation_and_ends),
    };
    return cmocka_run_group_tests(tests, case_open, case_close);
}
