// SPDX-License-Identifier: Apache-2.0
#include "data/column_builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/arena.h"

static int open_arena(void **state)
{
    static struct arena arena;
    arena_init(&arena);
    *state = &arena;
    return 0;
}

static int close_arena(void **state)
{
    arena_release(*state);
    return 0;
}

static void expect_sound(const struct column *column)
{
    struct err err = {0};
    if (column_check(column, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
}

static void test_numbers_and_nulls_grow_past_the_guess(void **state)
{
    struct column_builder *builder = column_builder_new(*state, &type_int, 1);
    for (int32_t i = 0; i < 1000; i++) {
        if (i % 10 == 3) {
            column_builder_null(builder);
        } else {
            column_builder_i32(builder, i);
        }
    }
    struct column column = column_builder_finish(builder);
    expect_sound(&column);
    assert_int_equal(column.row_count, 1000);
    assert_int_equal(((const int32_t *)column.values)[999], 999);
    assert_true(column_is_null(&column, 993));
    assert_false(column_is_null(&column, 994));
}

static void test_nested_values_and_null_rows(void **state)
{
    const struct type *list = type_array(*state, &type_string, true);
    const struct type_field fields[] = {{.name = STR_LIT("tags"), .type = list},
                                        {.name = STR_LIT("n"), .type = &type_bigint}};
    struct column_builder *row = column_builder_new(*state, type_row(*state, fields, 2, true), 4);
    struct column_builder *tags = column_builder_child(row, 0);
    column_builder_list_begin(tags);
    column_builder_string(column_builder_child(tags, 0), STR_LIT("a tag that is rather long"));
    column_builder_null(column_builder_child(tags, 0));
    column_builder_list_end(tags);
    column_builder_i64(column_builder_child(row, 1), 5);
    column_builder_row(row);
    column_builder_null(row);
    struct column column = column_builder_finish(row);
    expect_sound(&column);
    assert_int_equal(column.row_count, 2);
    assert_true(column_is_null(&column, 1));
    assert_true(column_is_null(&column.children[1], 1));
    assert_int_equal(column.children[0].children[0].row_count, 2);

    struct column_builder *again = column_builder_new(*state, type_row(*state, fields, 2, true), 4);
    column_builder_value(again, &column, 1);
    column_builder_value(again, &column, 0);
    struct column copy = column_builder_finish(again);
    expect_sound(&copy);
    assert_true(column_is_null(&copy, 0));
    const struct list_view *view = column_value(&copy.children[0], 1);
    assert_int_equal(view->length, 2);
    assert_int_equal(*(const int64_t *)column_value(&copy.children[1], 1), 5);
}

static void test_truncation_drops_rows_and_their_elements(void **state)
{
    const struct type *list = type_array(*state, &type_int, true);
    struct column_builder *builder = column_builder_new(*state, list, 4);
    for (int32_t i = 0; i < 3; i++) {
        column_builder_list_begin(builder);
        column_builder_i32(column_builder_child(builder, 0), i);
        column_builder_list_end(builder);
    }
    column_builder_null(builder);
    column_builder_truncate(builder, 2);
    struct column column = column_builder_finish(builder);
    expect_sound(&column);
    assert_int_equal(column.row_count, 2);
    assert_null(column.valid);
    assert_int_equal(column.children[0].row_count, 2);
}

static void test_reset_starts_over_in_the_same_memory(void **state)
{
    struct column_builder *builder = column_builder_new(*state, &type_double, 4);
    column_builder_null(builder);
    const void *values = column_builder_finish(builder).values;
    column_builder_reset(builder);
    column_builder_f64(builder, 2.5);
    struct column column = column_builder_finish(builder);
    assert_ptr_equal(column.values, values);
    assert_null(column.valid);
    assert_int_equal(column.row_count, 1);
}

static void test_microseconds_before_the_epoch_become_nanos(void **state)
{
    const struct type *type = type_sized(*state, TYPE_TIMESTAMP, 9, true);
    struct column_builder *builder = column_builder_new(*state, type, 4);
    column_builder_timestamp_us(builder, -1);
    struct column column = column_builder_finish(builder);
    const struct nano *value = column_value(&column, 0);
    assert_int_equal(value->second, -1);
    assert_int_equal(value->nanosecond, 999999000);
}

static void test_all_null_of_a_nested_type(void **state)
{
    const struct type *map = type_map(*state, &type_string, &type_int, true);
    struct column column = column_builder_all_null(*state, map, 100);
    expect_sound(&column);
    assert_int_equal(column.encoding, ENCODING_CONST);
    assert_true(column_is_null(&column, 99));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_and_nulls_grow_past_the_guess),
        cmocka_unit_test(test_nested_values_and_null_rows),
        cmocka_unit_test(test_truncation_drops_rows_and_their_elements),
        cmocka_unit_test(test_reset_starts_over_in_the_same_memory),
        cmocka_unit_test(test_microseconds_before_the_epoch_become_nanos),
        cmocka_unit_test(test_all_null_of_a_nested_type),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
