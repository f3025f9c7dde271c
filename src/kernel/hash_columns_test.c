// SPDX-License-Identifier: Apache-2.0
#include "kernel/hash_columns.h"

#include "kernel/case_int.h"
#include "kernel/row_equal.h"

enum { ROWS_MAX = 16 };

// All encodings of the column give the hashes of its rows one by one.
static void expect_canonical(void **state, const struct type *type, const char *const *texts,
                             uint32_t count)
{
    struct column flat = case_column(*state, type, texts, count);
    for (int encoding = 0; encoding < CASE_ENCODINGS; encoding++) {
        struct column column = case_encode(*state, &flat, (enum case_encoding)encoding);
        uint64_t hashes[ROWS_MAX];
        hash_columns(&column, 1, count, hashes);
        for (uint32_t i = 0; i < count; i++) {
            struct column one = column_at_row(*state, &flat, i, 3);
            uint64_t repeated[3];
            hash_columns(&one, 1, 3, repeated);
            assert_int_equal(hashes[i], repeated[2]);
            assert_int_equal(hashes[i], hash_columns_row(&flat, 1, i));
        }
    }
}

static void test_hashes_do_not_depend_on_the_encoding(void **state)
{
    const char *const numbers[] = {"0", "1", NULL, "-128", "127"};
    expect_canonical(state, &type_tinyint, numbers, 5);
    expect_canonical(state, &type_bigint, numbers, 5);
    expect_canonical(state, &type_double, numbers, 5);
    expect_canonical(state, type_decimal(*state, 38, 0, true), numbers, 5);
    const char *const texts[] = {"", "short", "exactly12byt", "a text of more than twelve", NULL};
    expect_canonical(state, &type_string, texts, 5);
}

static uint64_t hash_of(void **state, const struct type *type, const char *text)
{
    struct column column = case_one(*state, type, text);
    return hash_columns_row(&column, 1, 0);
}

static void test_equal_values_of_any_width_hash_equally(void **state)
{
    struct arena *arena = *state;
    uint64_t five = hash_of(state, &type_bigint, "5");
    assert_int_equal(hash_of(state, &type_tinyint, "5"), five);
    assert_int_equal(hash_of(state, &type_smallint, "5"), five);
    assert_int_equal(hash_of(state, &type_int, "5"), five);
    assert_int_equal(hash_of(state, type_decimal(arena, 10, 0, true), "5"), five);
    assert_int_equal(hash_of(state, type_decimal(arena, 30, 0, true), "5"), five);
    assert_int_equal(hash_of(state, &type_double, "-0"), hash_of(state, &type_double, "0"));
    assert_int_equal(hash_of(state, &type_float, "1.5"), hash_of(state, &type_double, "1.5"));
    assert_int_equal(hash_of(state, type_sized(arena, TYPE_TIMESTAMP, 9, true), "2020-01-01"),
                     hash_of(state, &type_timestamp3, "2020-01-01"));
    const uint64_t nan_bits[] = {UINT64_C(0x7ff8000000000000), UINT64_C(0xfff8000000000001)};
    struct column nans = {.physical = PHYSICAL_F64, .row_count = 2, .values = nan_bits};
    assert_int_equal(hash_columns_row(&nans, 1, 0), hash_columns_row(&nans, 1, 1));
}

static void test_different_keys_hash_differently(void **state)
{
    assert_int_not_equal(hash_of(state, &type_int, "0"), hash_of(state, &type_int, NULL));
    assert_int_not_equal(hash_of(state, &type_string, ""), hash_of(state, &type_string, NULL));
    assert_int_not_equal(hash_of(state, type_decimal(*state, 38, 0, true), "18446744073709551616"),
                         hash_of(state, type_decimal(*state, 38, 0, true), "0"));
    const struct column ab[] = {case_one(*state, &type_string, "a"),
                                case_one(*state, &type_string, "b")};
    const struct column ba[] = {ab[1], ab[0]};
    assert_int_not_equal(hash_columns_row(ab, 2, 0), hash_columns_row(ba, 2, 0));
}

// 2^20 consecutive keys over 4096 key groups: none may be twice as full as the mean.
static void test_consecutive_keys_spread_over_the_key_groups(void **state)
{
    (void)state;
    static uint32_t groups[4096];
    static int64_t values[1024];
    static uint64_t hashes[1024];
    for (int64_t from = 0; from < 1 << 20; from += 1024) {
        for (int64_t i = 0; i < 1024; i++) {
            values[i] = from + i;
        }
        struct column column = {.physical = PHYSICAL_I64, .row_count = 1024, .values = values};
        hash_columns(&column, 1, 1024, hashes);
        for (int i = 0; i < 1024; i++) {
            groups[hashes[i] >> 52]++;
        }
    }
    for (int i = 0; i < 4096; i++) {
        assert_in_range(groups[i], 128, 512);
    }
}

static void test_rows_are_equal_keys_with_nulls_and_nans(void **state)
{
    const char *const a[] = {"NaN", "-0", NULL, "1", NULL};
    const char *const b[] = {"NaN", "0", NULL, "2", "1"};
    struct column left = case_column(*state, &type_double, a, 5);
    struct column right_flat = case_column(*state, &type_double, b, 5);
    for (int encoding = 0; encoding < CASE_ENCODINGS; encoding++) {
        struct column right = case_encode(*state, &right_flat, (enum case_encoding)encoding);
        uint64_t equal = 0x1f;
        row_equal_narrow(&(struct row_equal_pairs){.a = &left, .b = &right, .count = 5}, &equal);
        assert_int_equal(equal, 0x7);
        for (uint32_t i = 0; i < 5; i++) {
            assert_int_equal(
                row_equal((struct row_equal_side){&left, i}, (struct row_equal_side){&right, i}, 1),
                i < 3);
        }
    }
}

static void test_row_lists_choose_the_pairs(void **state)
{
    const char *const a[] = {"1", "2", "3"};
    struct column keys = case_column(*state, &type_bigint, a, 3);
    const uint32_t a_rows[] = {0, 1, 2, 2};
    const uint32_t b_rows[] = {0, 2, 1, 2};
    uint64_t equal = 0xf;
    row_equal_narrow(&(struct row_equal_pairs){&keys, a_rows, &keys, b_rows, 4}, &equal);
    assert_int_equal(equal, 0x9);
    const char *const texts[] = {"the same long beginning 1", "the same long beginning 2", "x"};
    struct column strings = case_column(*state, &type_string, texts, 3);
    equal = 0xf;
    row_equal_narrow(&(struct row_equal_pairs){&strings, a_rows, &strings, b_rows, 4}, &equal);
    assert_int_equal(equal, 0x9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hashes_do_not_depend_on_the_encoding),
        cmocka_unit_test(test_equal_values_of_any_width_hash_equally),
        cmocka_unit_test(test_different_keys_hash_differently),
        cmocka_unit_test(test_consecutive_keys_spread_over_the_key_groups),
        cmocka_unit_test(test_rows_are_equal_keys_with_nulls_and_nans),
        cmocka_unit_test(test_row_lists_choose_the_pairs),
    };
    return cmocka_run_group_tests(tests, case_open, case_close);
}
