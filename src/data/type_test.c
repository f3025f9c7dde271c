// SPDX-License-Identifier: Apache-2.0
#include "data/type.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/arena.h"

static void expect_text(struct arena *arena, const struct type *type, const char *text)
{
    assert_string_equal(type_text(arena, type).ptr, text);
}

// The forms recorded in fixtures/flink-answers.
static void test_types_print_as_flink_summarises_them(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    const struct type *int_not_null = type_with_null(&arena, &type_int, false);
    expect_text(&arena, int_not_null, "INT NOT NULL");
    expect_text(&arena, type_decimal(&arena, 10, 2, false), "DECIMAL(10, 2) NOT NULL");
    expect_text(&arena, &type_string, "STRING");
    expect_text(&arena, &type_bytes, "BYTES");
    expect_text(&arena, type_sized(&arena, TYPE_VARCHAR, 5, true), "VARCHAR(5)");
    expect_text(&arena, type_sized(&arena, TYPE_CHAR, 3, false), "CHAR(3) NOT NULL");
    expect_text(&arena, &type_time, "TIME(0)");
    expect_text(&arena, &type_timestamp_ltz3, "TIMESTAMP_LTZ(3)");
    expect_text(&arena, &type_interval_second, "INTERVAL SECOND(3)");
    expect_text(&arena, &type_interval_month, "INTERVAL MONTH");
    expect_text(&arena, type_array(&arena, int_not_null, false), "ARRAY<INT NOT NULL> NOT NULL");
    expect_text(&arena, type_map(&arena, &type_string, &type_int, true), "MAP<STRING, INT>");
    const struct type_field fields[] = {{.name = STR_LIT("x"), .type = int_not_null},
                                        {.name = STR_LIT("y"), .type = &type_string}};
    expect_text(&arena, type_row(&arena, fields, 2, true), "ROW<`x` INT NOT NULL, `y` STRING>");
    arena_release(&arena);
}

static void test_copies_are_equal_and_nullability_counts(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    const struct type_field fields[] = {{.name = STR_LIT("x"), .type = &type_int}};
    const struct type *row = type_row(&arena, fields, 1, true);
    assert_true(type_equal(row, type_copy(&arena, row)));
    const struct type_field other[] = {
        {.name = STR_LIT("x"), .type = type_with_null(&arena, &type_int, false)}};
    const struct type *strict = type_row(&arena, other, 1, true);
    assert_false(type_equal(row, strict));
    assert_true(type_equal_nullability_aside(row, strict));
    assert_false(type_equal(&type_timestamp3, &type_timestamp6));
    assert_ptr_equal(type_with_null(&arena, &type_int, true), &type_int);
    arena_release(&arena);
}

static void test_physical_form_follows_the_precision(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    assert_int_equal(type_physical(type_decimal(&arena, 18, 2, true)), PHYSICAL_I64);
    assert_int_equal(type_physical(type_decimal(&arena, 19, 2, true)), PHYSICAL_I128);
    assert_int_equal(type_physical(&type_timestamp6), PHYSICAL_I64);
    assert_int_equal(type_physical(type_sized(&arena, TYPE_TIMESTAMP, 7, true)), PHYSICAL_NANO);
    assert_int_equal(type_physical(&type_date), PHYSICAL_I32);
    assert_int_equal(type_physical(&type_bytes), PHYSICAL_STRING);
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types_print_as_flink_summarises_them),
        cmocka_unit_test(test_copies_are_equal_and_nullability_counts),
        cmocka_unit_test(test_physical_form_follows_the_precision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
