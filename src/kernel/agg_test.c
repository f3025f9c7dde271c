// SPDX-License-Identifier: Apache-2.0
#include "kernel/agg.h"

#include "kernel/case_int.h"

enum { ROWS = 6 };

static const uint32_t groups[ROWS] = {0, 1, 0, 1, 0, 1};
static const int8_t kinds[ROWS] = {0, 0, 2, 0, 3, 1}; // +I +I +U +I -D -U
static const uint64_t not_last[] = {0x1f};

static struct column numbers(void **state, const struct type *type, int encoding)
{
    const char *const texts[ROWS] = {"1", "10", NULL, "20", "3", "30"};
    struct column flat = case_column(*state, type, texts, ROWS);
    return case_encode(*state, &flat, (enum case_encoding)encoding);
}

static void test_counts(void **state)
{
    for (int encoding = 0; encoding < CASE_ENCODINGS; encoding++) {
        struct column column = numbers(state, &type_int, encoding);
        int64_t counts[2] = {0};
        agg_count(&(struct agg_rows){.groups = groups, .row_count = ROWS}, &column, counts);
        assert_int_equal(counts[0], 2);
        assert_int_equal(counts[1], 3);
        int64_t signed_counts[2] = {0};
        agg_count(&(struct agg_rows){groups, not_last, kinds, ROWS}, NULL, signed_counts);
        assert_int_equal(signed_counts[0], 1); // +1 +1 -1
        assert_int_equal(signed_counts[1], 2);
        int64_t all = 0;
        agg_count(&(struct agg_rows){.row_count = ROWS}, &column, &all);
        assert_int_equal(all, 5);
    }
}

static void test_sums_of_every_width(void **state)
{
    const struct type *const types[] = {&type_tinyint, &type_smallint, &type_int, &type_bigint};
    for (int encoding = 0; encoding < 4 * CASE_ENCODINGS; encoding++) {
        struct column column =
            numbers(state, types[encoding / CASE_ENCODINGS], encoding % CASE_ENCODINGS);
        int64_t sums[2] = {100, 0};
        agg_sum_i64(&(struct agg_rows){.groups = groups, .row_count = ROWS}, &column, sums);
        assert_int_equal(sums[0], 104);
        assert_int_equal(sums[1], 60);
        int64_t changes[2] = {0};
        agg_sum_i64(&(struct agg_rows){groups, not_last, kinds, ROWS}, &column, changes);
        assert_int_equal(changes[0], -2);
        assert_int_equal(changes[1], 30);
        int64_t total = 0;
        agg_sum_i64(&(struct agg_rows){.row_count = ROWS}, &column, &total);
        assert_int_equal(total, 64);
    }
}

static void test_sums_of_floating_numbers(void **state)
{
    for (int encoding = 0; encoding < CASE_ENCODINGS; encoding++) {
        struct column column = numbers(state, &type_double, encoding);
        double sums[2] = {0};
        agg_sum_f64(&(struct agg_rows){groups, NULL, kinds, ROWS}, &column, sums);
        assert_true(sums[0] - (1 - 3) == 0.0 && sums[1] - (10 + 20 - 30) == 0.0);
        struct column narrow = numbers(state, &type_float, encoding);
        double total = 0;
        agg_sum_f64(&(struct agg_rows){.row_count = ROWS}, &narrow, &total);
        assert_true(total - 64 == 0.0);
    }
}

static void test_sums_of_decimals_carry_beyond_128_bits(void **state)
{
    const struct type *type = type_decimal(*state, 38, 0, true);
    const char *const texts[] = {"99999999999999999999999999999999999999",
                                 "99999999999999999999999999999999999999", "1", NULL};
    struct column column = case_column(*state, type, texts, 4);
    int128 sum = 0;
    int64_t carry = 0;
    agg_sum_i128(&(struct agg_rows){.row_count = 4}, &column, &sum, &carry);
    assert_int_equal(carry, 1);
    const int8_t back[] = {3, 3, 3, 3};
    agg_sum_i128(&(struct agg_rows){.kinds = back, .row_count = 4}, &column, &sum, &carry);
    assert_int_equal(carry, 0);
    assert_true(sum == 0);
    struct column narrow = numbers(state, type_decimal(*state, 10, 1, true), 0);
    agg_sum_i128(&(struct agg_rows){.row_count = ROWS}, &narrow, &sum, NULL);
    assert_int_equal((int64_t)sum, 640);
}

static void test_extremes_are_rows(void **state)
{
    for (int encoding = 0; encoding < CASE_ENCODINGS; encoding++) {
        struct column column = numbers(state, &type_int, encoding);
        uint32_t best[3];
        agg_extreme_rows(&(struct agg_rows){.groups = groups, .row_count = ROWS}, &column, true,
                         best, 3);
        assert_int_equal(best[0], 4);
        assert_int_equal(best[1], 5);
        assert_int_equal(best[2], UINT32_MAX);
        agg_extreme_rows(&(struct agg_rows){.rows = not_last, .row_count = ROWS}, &column, false,
                         best, 1);
        assert_int_equal(best[0], 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_sums_of_every_width),
        cmocka_unit_test(test_sums_of_floating_numbers),
        cmocka_unit_test(test_sums_of_decimals_carry_beyond_128_bits),
        cmocka_unit_test(test_extremes_are_rows),
    };
    return cmocka_run_group_tests(tests, case_open, case_close);
}
