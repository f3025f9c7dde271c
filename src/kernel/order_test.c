// SPDX-License-Identifier: Apache-2.0
#include "kernel/order.h"

#include "kernel/case_int.h"

enum { ROWS_MAX = 32 };

static int sign(int order)
{
    return (order > 0) - (order < 0);
}

// memcmp() of keys, order_compare() and the sort agree with the order in which the texts stand.
static void expect_ascending(void **state, const struct type *type, const char *const *texts,
                             uint32_t count)
{
    struct column flat = case_column(*state, type, texts, count);
    for (int variant = 0; variant < 4; variant++) {
        const struct order_column order = {.is_descending = (variant & 1) != 0,
                                           .nulls_first = (variant & 2) != 0};
        const struct order_spec spec = {&order, 1};
        struct column column = case_encode(*state, &flat, (enum case_encoding)(variant % 3));
        struct order_keys keys;
        assert_int_equal(order_encode(*state, &column, &spec, &keys, NULL), STATUS_OK);
        for (uint32_t i = 0; i < count; i++) {
            for (uint32_t j = 0; j < count; j++) {
                bool i_null = texts[i] == NULL;
                bool j_null = texts[j] == NULL;
                int expected = i < j ? -1 : i > j;
                if (i_null != j_null) {
                    expected = i_null == order.nulls_first ? -1 : 1;
                } else if (order.is_descending) {
                    expected = -expected;
                }
                uint32_t i_size = keys.offsets[i + 1] - keys.offsets[i];
                uint32_t j_size = keys.offsets[j + 1] - keys.offsets[j];
                int got = memcmp(keys.bytes + keys.offsets[i], keys.bytes + keys.offsets[j],
                                 i_size < j_size ? i_size : j_size);
                assert_int_equal(sign(got), expected);
                got = order_compare(&spec, (struct order_row){&column, i},
                                    (struct order_row){&column, j});
                assert_int_equal(sign(got), expected);
            }
        }
        uint32_t positions[ROWS_MAX];
        order_sort(*state, &keys, positions);
        for (uint32_t i = 1; i < count; i++) {
            assert_true(order_compare(&spec, (struct order_row){&column, positions[i - 1]},
                                      (struct order_row){&column, positions[i]}) < 0);
        }
    }
}

static void test_numbers_of_every_form(void **state)
{
    const char *const numbers[] = {NULL, "-128", "-1", "0", "1", "2", "127"};
    expect_ascending(state, &type_tinyint, numbers, 7);
    expect_ascending(state, &type_smallint, numbers, 7);
    expect_ascending(state, &type_int, numbers, 7);
    expect_ascending(state, &type_bigint, numbers, 7);
    expect_ascending(state, type_decimal(*state, 30, 2, true), numbers, 7);
    const char *const floating[] = {NULL,     "-Infinity", "-2",       "-1e-300", "0",
                                    "1e-300", "1",         "Infinity", "NaN"};
    expect_ascending(state, &type_double, floating, 9);
    const char *const small[] = {NULL, "-Infinity", "-2", "0", "1e-30", "1", "Infinity", "NaN"};
    expect_ascending(state, &type_float, small, 8);
    const char *const booleans[] = {NULL, "false", "true"};
    expect_ascending(state, &type_boolean, booleans, 3);
}

static void test_strings_with_prefixes(void **state)
{
    const char *const texts[] = {
        NULL, "", "a", "a\x01", "aa", "ab", "a long text of many bytes", "b", "\xc3\xa9"};
    const char *const ordered[] = {texts[0], texts[1], texts[2], texts[3], texts[6],
                                   texts[4], texts[5], texts[7], texts[8]};
    expect_ascending(state, &type_string, ordered, 9);
}

static void test_zero_bytes_keep_their_order(void **state)
{
    const struct strview views[] = {strview_make("a", 1), strview_make("a\0", 2),
                                    strview_make("a\0b", 3), strview_make("a\x01", 2)};
    struct column column = {.physical = PHYSICAL_STRING, .row_count = 4, .values = views};
    const struct order_column order = {0};
    struct order_keys keys;
    assert_int_equal(order_encode(*state, &column, &(struct order_spec){&order, 1}, &keys, NULL),
                     STATUS_OK);
    for (uint32_t i = 1; i < 4; i++) {
        uint32_t before = keys.offsets[i] - keys.offsets[i - 1];
        uint32_t after = keys.offsets[i + 1] - keys.offsets[i];
        assert_true(memcmp(keys.bytes + keys.offsets[i - 1], keys.bytes + keys.offsets[i],
                           before < after ? before : after) < 0);
    }
}

static void test_moments_and_days(void **state)
{
    const char *const moments[] = {NULL, "0001-01-01 00:00:00", "1969-12-31 23:59:59.999999999",
                                   "1970-01-01 00:00:00", "1970-01-01 00:00:00.000000001"};
    expect_ascending(state, type_sized(*state, TYPE_TIMESTAMP, 9, true), moments, 5);
    const char *const days[] = {NULL, "0001-01-01", "1969-12-31", "9999-12-31"};
    expect_ascending(state, &type_date, days, 4);
}

static void test_later_columns_decide_between_equal_ones(void **state)
{
    const char *const first[] = {"b", "a", "b", "a"};
    const char *const second[] = {"1", "2", "3", "4"};
    const struct column columns[] = {case_column(*state, &type_string, first, 4),
                                     case_column(*state, &type_int, second, 4)};
    const struct order_column orders[] = {{.nulls_first = true}, {.is_descending = true}};
    struct order_keys keys;
    assert_int_equal(order_encode(*state, columns, &(struct order_spec){orders, 2}, &keys, NULL),
                     STATUS_OK);
    uint32_t positions[4];
    order_sort(*state, &keys, positions);
    const uint32_t expected[] = {3, 1, 2, 0};
    assert_memory_equal(positions, expected, sizeof expected);
}

static void test_sorting_is_stable_over_many_rows(void **state)
{
    struct column_builder *builder = column_builder_new(*state, &type_int, BATCH_ROWS_MAX);
    for (uint32_t i = 0; i < BATCH_ROWS_MAX; i++) {
        column_builder_i32(builder, (int32_t)(i * 7919 % 13));
    }
    struct column column = column_builder_finish(builder);
    const struct order_column order = {0};
    struct order_keys keys;
    assert_int_equal(order_encode(*state, &column, &(struct order_spec){&order, 1}, &keys, NULL),
                     STATUS_OK);
    uint32_t *positions = arena_alloc(*state, sizeof *positions * BATCH_ROWS_MAX);
    order_sort(*state, &keys, positions);
    const int32_t *values = column.values;
    for (uint32_t i = 1; i < BATCH_ROWS_MAX; i++) {
        int32_t before = values[positions[i - 1]];
        int32_t after = values[positions[i]];
        assert_true(before < after || (before == after && positions[i - 1] < positions[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_of_every_form),
        cmocka_unit_test(test_strings_with_prefixes),
        cmocka_unit_test(test_zero_bytes_keep_their_order),
        cmocka_unit_test(test_moments_and_days),
        cmocka_unit_test(test_later_columns_decide_between_equal_ones),
        cmocka_unit_test(test_sorting_is_stable_over_many_rows),
    };
    return cmocka_run_group_tests(tests, case_open, case_close);
}
