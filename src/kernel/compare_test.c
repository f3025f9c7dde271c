// SPDX-License-Identifier: Apache-2.0
#include "kernel/compare.h"

#include "kernel/case_int.h"

// The masks of `left op right` over up to 64 rows.
struct masks {
    uint64_t is_true;
    uint64_t is_null;
};

static struct masks compare(enum compare_op op, const struct column *left,
                            const struct column *right)
{
    struct masks masks = {0};
    compare_columns(op, left, right, NULL, &masks.is_true, &masks.is_null);
    return masks;
}

// All operators, in all encodings of both sides; `order`: -1, 0, 1 a row, 9 where a side is null.
static void expect_order(void **state, const struct type *type, const char *const *a,
                         const char *const *b, const int *order, uint32_t count)
{
    struct column left_flat = case_column(*state, type, a, count);
    struct column right_flat = case_column(*state, type, b, count);
    struct masks want[6] = {0};
    for (uint32_t i = 0; i < count; i++) {
        for (int op = 0; op < 6; op++) {
            bool holds = op == COMPARE_EQ   ? order[i] == 0
                         : op == COMPARE_NE ? order[i] != 0
                         : op == COMPARE_LT ? order[i] < 0
                         : op == COMPARE_LE ? order[i] <= 0
                         : op == COMPARE_GT ? order[i] > 0
                                            : order[i] >= 0;
            want[op].is_true |= (uint64_t)(order[i] != 9 && holds) << i;
            want[op].is_null |= (uint64_t)(order[i] == 9) << i;
        }
    }
    for (int both = 0; both < CASE_ENCODINGS * CASE_ENCODINGS; both++) {
        struct column left =
            case_encode(*state, &left_flat, (enum case_encoding)(both / CASE_ENCODINGS));
        struct column right =
            case_encode(*state, &right_flat, (enum case_encoding)(both % CASE_ENCODINGS));
        for (int op = 0; op < 6; op++) {
            struct masks got = compare((enum compare_op)op, &left, &right);
            assert_int_equal(got.is_true, want[op].is_true);
            assert_int_equal(got.is_null, want[op].is_null);
        }
    }
    for (uint32_t i = 0; i < count; i++) { // a constant on either side
        struct column right = column_at_row(*state, &right_flat, i, count);
        for (int op = 0; op < 6; op++) {
            struct masks got = compare((enum compare_op)op, &left_flat, &right);
            assert_int_equal(got.is_true >> i & 1, want[op].is_true >> i & 1);
            struct column left = column_at_row(*state, &left_flat, i, count);
            got = compare((enum compare_op)op, &left, &right_flat);
            assert_int_equal(got.is_true >> i & 1, want[op].is_true >> i & 1);
            assert_int_equal(got.is_null >> i & 1, want[op].is_null >> i & 1);
            got = compare((enum compare_op)op, &left, &right);
            assert_int_equal(got.is_true >> i & 1, want[op].is_true >> i & 1);
        }
    }
}

static void test_integers_of_every_width(void **state)
{
    const char *const a[] = {"1", "2", "3", NULL, "-128", NULL};
    const char *const b[] = {"2", "2", "2", "1", "127", NULL};
    const int order[] = {-1, 0, 1, 9, -1, 9};
    expect_order(state, &type_tinyint, a, b, order, 6);
    expect_order(state, &type_smallint, a, b, order, 6);
    expect_order(state, &type_int, a, b, order, 6);
    expect_order(state, &type_bigint, a, b, order, 6);
    expect_order(state, type_decimal(*state, 38, 2, true), a, b, order, 6);
}

// fixtures/flink-answers, surprise 8.
static void test_nan_is_equal_to_itself_and_greatest(void **state)
{
    const char *const a[] = {"NaN", "1", "-0", "NaN", "Infinity", NULL};
    const char *const b[] = {"NaN", "NaN", "0", "Infinity", "NaN", "NaN"};
    const int order[] = {0, -1, 0, 1, -1, 9};
    expect_order(state, &type_double, a, b, order, 6);
    expect_order(state, &type_float, a, b, order, 6);
}

static void test_strings_go_by_bytes(void **state)
{
    const char *const a[] = {"", "a", "abcd", "abcdefghijklmnop", "abcdefghijklmnop", "z", NULL};
    const char *const b[] = {"a", "", "abce", "abcdefghijklmnoq", "abcdefghijklmnop", "ab", "x"};
    const int order[] = {-1, 1, -1, -1, 0, 1, 9};
    expect_order(state, &type_string, a, b, order, 7);
}

static void test_moments_of_nine_digits(void **state)
{
    const char *const a[] = {"2020-01-01 00:00:00.000000001", "1969-12-31 23:59:59.999999999"};
    const char *const b[] = {"2020-01-01 00:00:00", "1970-01-01 00:00:00"};
    const int order[] = {1, -1};
    expect_order(state, type_sized(*state, TYPE_TIMESTAMP, 9, true), a, b, order, 2);
}

static void test_not_distinct_takes_nulls_for_equal(void **state)
{
    const char *const a[] = {"1", NULL, NULL, "2"};
    const char *const b[] = {"1", NULL, "1", NULL};
    struct column left = case_column(*state, &type_int, a, 4);
    struct column right = case_column(*state, &type_int, b, 4);
    uint64_t is_true;
    compare_not_distinct(&left, &right, NULL, &is_true);
    assert_int_equal(is_true, 0x3);
}

static void test_rows_that_are_not_active_come_out_zero(void **state)
{
    const char *const a[] = {"7", NULL, "7"};
    struct column left = case_column(*state, &type_int, a, 3);
    const uint64_t active[] = {0x4};
    struct masks masks;
    compare_columns(COMPARE_EQ, &left, &left, active, &masks.is_true, &masks.is_null);
    assert_int_equal(masks.is_true, 0x4);
    assert_int_equal(masks.is_null, 0);
}

static void test_full_batches_reach_the_last_word(void **state)
{
    struct column_builder *builder = column_builder_new(*state, &type_bigint, BATCH_ROWS_MAX);
    for (uint32_t i = 0; i < BATCH_ROWS_MAX; i++) {
        column_builder_i64(builder, i);
    }
    struct column left = column_builder_finish(builder);
    struct column right = column_at_row(*state, &left, BATCH_ROWS_MAX - 1, BATCH_ROWS_MAX);
    uint64_t is_true[BATCH_WORDS_MAX];
    uint64_t is_null[BATCH_WORDS_MAX];
    compare_columns(COMPARE_GE, &left, &right, NULL, is_true, is_null);
    assert_int_equal(is_true[BATCH_WORDS_MAX - 1], UINT64_C(1) << 63);
    assert_int_equal(is_true[0], 0);
}

static void test_nested_values_are_equal_by_their_parts(void **state)
{
    struct arena *arena = *state;
    struct column_builder *builder =
        column_builder_new(arena, type_map(arena, &type_string, &type_int, true), 4);
    const char *const keys[][2] = {{"a", "b"}, {"b", "a"}, {"a", "b"}};
    const int32_t values[][2] = {{1, 2}, {2, 1}, {1, 3}};
    for (int i = 0; i < 3; i++) {
        column_builder_list_begin(builder);
        for (int j = 0; j < 2; j++) {
            column_builder_string(column_builder_child(builder, 0), str_from(keys[i][j]));
            column_builder_i32(column_builder_child(builder, 1), values[i][j]);
        }
        column_builder_list_end(builder);
    }
    struct column maps = column_builder_finish(builder);
    struct column first = column_at_row(arena, &maps, 0, 3);
    struct masks got = compare(COMPARE_EQ, &maps, &first);
    assert_int_equal(got.is_true, 0x3);
    got = compare(COMPARE_NE, &maps, &first);
    assert_int_equal(got.is_true, 0x4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers_of_every_width),
        cmocka_unit_test(test_nan_is_equal_to_itself_and_greatest),
        cmocka_unit_test(test_strings_go_by_bytes),
        cmocka_unit_test(test_moments_of_nine_digits),
        cmocka_unit_test(test_not_distinct_takes_nulls_for_equal),
        cmocka_unit_test(test_rows_that_are_not_active_come_out_zero),
        cmocka_unit_test(test_full_batches_reach_the_last_word),
        cmocka_unit_test(test_nested_values_are_equal_by_their_parts),
    };
    return cmocka_run_group_tests(tests, case_open, case_close);
}
