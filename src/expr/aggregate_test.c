// SPDX-License-Identifier: Apache-2.0
//
// Types are Flink 2.1.1's (fixtures/flink-answers, batch/aggregate), values plain arithmetic.
#include "expr/aggregate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/int128.h"
#include "data/batch.h"

enum { IMAGE_MAX = 64 };

static const struct aggregate *resolve(struct arena *arena, const char *name,
                                       const struct type *argument)
{
    const struct aggregate *aggregate;
    assert_int_equal(aggregate_resolve(arena, str_from(name), argument, &aggregate, NULL),
                     STATUS_OK);
    assert_true(aggregate->size <= IMAGE_MAX && aggregate->size % 8 == 0);
    return aggregate;
}

static void expect_type(const char *name, const struct type *argument, const char *type)
{
    struct arena arena;
    arena_init(&arena);
    struct str text = type_text(&arena, resolve(&arena, name, argument)->type);
    assert_true(str_is(text, type));
    arena_release(&arena);
}

static void test_result_types(void **state)
{
    (void)state;
    static const struct type decimal = {.kind = TYPE_DECIMAL, .length = 10, .scale = 2};
    expect_type("COUNT", NULL, "BIGINT NOT NULL");
    expect_type("count", &type_string, "BIGINT NOT NULL");
    expect_type("SUM", &type_tinyint, "TINYINT");
    expect_type("SUM", &type_int, "INT");
    expect_type("SUM", &decimal, "DECIMAL(38, 2)");
    expect_type("AVG", &type_int, "INT");
    expect_type("AVG", &decimal, "DECIMAL(38, 6)");
    expect_type("$SUM0", &type_bigint, "BIGINT NOT NULL");
    expect_type("MIN", &type_string, "STRING");
    expect_type("MAX", &decimal, "DECIMAL(10, 2)");
}

static void test_what_has_no_sum_or_order_is_refused(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    const struct aggregate *aggregate;
    struct err err;
    assert_int_equal(aggregate_resolve(&arena, STR_LIT("SUM"), &type_string, &aggregate, &err),
                     STATUS_INVALID_DATA);
    assert_int_equal(err.stage, ERR_STAGE_VALIDATE);
    const struct type *array = type_array(&arena, &type_int, true);
    assert_int_equal(aggregate_resolve(&arena, STR_LIT("MAX"), array, &aggregate, &err),
                     STATUS_INVALID_DATA);
    assert_int_equal(aggregate_resolve(&arena, STR_LIT("MEDIAN"), array, &aggregate, &err),
                     STATUS_NOT_FOUND);
    assert_false(aggregate_exists(STR_LIT("MEDIAN")));
    assert_true(aggregate_exists(STR_LIT("avg")));
    arena_release(&arena);
}

static struct column flat(enum physical physical, const void *values, uint32_t row_count,
                          const uint64_t *valid)
{
    return (struct column){.physical = physical,
                           .encoding = ENCODING_FLAT,
                           .row_count = row_count,
                           .valid = valid,
                           .values = values};
}

// One image, all rows go there.
struct one_group {
    char image[IMAGE_MAX + 3];
    char *images[8];
    struct aggregate_rows rows;
};

static void one_group(struct one_group *group, uint32_t row_count, const int8_t *kinds)
{
    *group = (struct one_group){0};
    for (uint32_t i = 0; i < 8; i++) {
        group->images[i] = group->image;
    }
    // An odd offset: images need no alignment.
    group->rows = (struct aggregate_rows){
        .images = group->images, .offset = 3, .row_count = row_count, .kinds = kinds};
}

static void accumulate(const struct aggregate *aggregate, const struct column *column,
                       struct one_group *group)
{
    assert_int_equal(aggregate_accumulate(aggregate, column, &group->rows, NULL), STATUS_OK);
}

static struct column result(const struct aggregate *aggregate, struct one_group *group,
                            struct arena *arena)
{
    struct aggregate_rows rows = group->rows;
    rows.row_count = 1;
    return aggregate_result(aggregate, &rows, arena);
}

static const int32_t ints[] = {4, 0, 7, -2};
static const uint64_t not_second[] = {0xd};

static void test_sums_counts_and_means_leave_nulls_out(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct column column = flat(PHYSICAL_I32, ints, 4, not_second);
    struct one_group group;
    one_group(&group, 4, NULL);
    const struct aggregate *sum = resolve(&arena, "SUM", &type_int);
    accumulate(sum, &column, &group);
    assert_int_equal(*(const int32_t *)result(sum, &group, &arena).values, 9);
    one_group(&group, 4, NULL);
    const struct aggregate *mean = resolve(&arena, "AVG", &type_int);
    accumulate(mean, &column, &group);
    assert_int_equal(*(const int32_t *)result(mean, &group, &arena).values, 3);
    one_group(&group, 4, NULL);
    const struct aggregate *count = resolve(&arena, "COUNT", &type_int);
    accumulate(count, &column, &group);
    assert_int_equal(*(const int64_t *)result(count, &group, &arena).values, 3);
    one_group(&group, 4, NULL);
    const struct aggregate *star = resolve(&arena, "COUNT", NULL);
    accumulate(star, NULL, &group);
    assert_int_equal(*(const int64_t *)result(star, &group, &arena).values, 4);
    arena_release(&arena);
}

static void test_retractions_take_back_and_the_empty_sum_is_null(void **state)
{
    (void)state;
    static const int64_t values[] = {5, 8, 5, 8};
    static const int8_t kinds[] = {CHANGE_INSERT, CHANGE_INSERT, CHANGE_UPDATE_BEFORE,
                                   CHANGE_DELETE};
    struct arena arena;
    arena_init(&arena);
    struct column column = flat(PHYSICAL_I64, values, 3, NULL);
    const struct aggregate *sum = resolve(&arena, "SUM", &type_bigint);
    assert_true(sum->is_retractable);
    struct one_group group;
    one_group(&group, 3, kinds);
    accumulate(sum, &column, &group);
    assert_int_equal(*(const int64_t *)result(sum, &group, &arena).values, 8);
    one_group(&group, 4, kinds);
    column.row_count = 4;
    accumulate(sum, &column, &group);
    struct column out = result(sum, &group, &arena);
    assert_true(column_is_null(&out, 0));
    assert_false(resolve(&arena, "MAX", &type_bigint)->is_retractable);
    arena_release(&arena);
}

static void test_integer_sums_wrap(void **state)
{
    (void)state;
    static const int8_t values[] = {127, 1};
    struct arena arena;
    arena_init(&arena);
    struct column column = flat(PHYSICAL_I8, values, 2, NULL);
    const struct aggregate *sum = resolve(&arena, "SUM", &type_tinyint);
    struct one_group group;
    one_group(&group, 2, NULL);
    accumulate(sum, &column, &group);
    assert_int_equal(*(const int8_t *)result(sum, &group, &arena).values, -128);
    arena_release(&arena);
}

static void test_a_decimal_overflow_that_is_retracted_is_gone(void **state)
{
    (void)state;
    static const struct type type = {.kind = TYPE_DECIMAL, .nullable = true, .length = 38};
    int128 large = 1;
    for (int i = 0; i < 38; i++) {
        large *= 10;
    }
    large -= 1; // 38 nines
    int128 values[5] = {large, large, large, large, large};
    static const int8_t kinds[] = {CHANGE_INSERT, CHANGE_INSERT, CHANGE_INSERT, CHANGE_DELETE,
                                   CHANGE_DELETE};
    struct arena arena;
    arena_init(&arena);
    struct column column = flat(PHYSICAL_I128, values, 3, NULL);
    const struct aggregate *sum = resolve(&arena, "SUM", &type);
    struct one_group group;
    one_group(&group, 3, kinds);
    accumulate(sum, &column, &group);
    struct column out = result(sum, &group, &arena);
    assert_true(column_is_null(&out, 0));
    one_group(&group, 5, kinds);
    column.row_count = 5;
    accumulate(sum, &column, &group);
    out = result(sum, &group, &arena);
    assert_false(column_is_null(&out, 0));
    assert_true(*(const int128 *)out.values == large);
    arena_release(&arena);
}

static void test_the_mean_of_decimals_has_six_digits(void **state)
{
    (void)state;
    static const struct type type = {
        .kind = TYPE_DECIMAL, .nullable = true, .length = 10, .scale = 2};
    static const int64_t values[] = {100, 100, 200}; // 1.00, 1.00, 2.00
    struct arena arena;
    arena_init(&arena);
    struct column column = flat(PHYSICAL_I64, values, 3, NULL);
    const struct aggregate *mean = resolve(&arena, "AVG", &type);
    struct one_group group;
    one_group(&group, 3, NULL);
    accumulate(mean, &column, &group);
    struct column out = result(mean, &group, &arena);
    assert_true(*(const int128 *)out.values == 1333333); // 1.333333
    arena_release(&arena);
}

// Texts of accumulators, one at a time: the handle is its place plus one.
struct kept {
    char text[4][32];
    size_t size[4];
    uint64_t used;
};

static struct str kept_get(void *context, uint64_t handle)
{
    struct kept *kept = context;
    return str_make(kept->text[handle - 1], kept->size[handle - 1]);
}

static uint64_t kept_put(void *context, uint64_t old, struct str bytes)
{
    struct kept *kept = context;
    uint64_t handle = old != 0 ? old : ++kept->used;
    memcpy(kept->text[handle - 1], bytes.ptr, bytes.size);
    kept->size[handle - 1] = bytes.size;
    return handle;
}

static void test_extremes_of_texts_live_where_the_operator_keeps_them(void **state)
{
    (void)state;
    struct strview values[] = {strview_make("b", 1), strview_make("a long text beyond it", 21),
                               strview_make("c", 1)};
    struct arena arena;
    arena_init(&arena);
    struct column column = flat(PHYSICAL_STRING, values, 3, NULL);
    struct kept kept = {.used = 0};
    struct aggregate_strings strings = {&kept, kept_get, kept_put};
    const struct aggregate *least = resolve(&arena, "MIN", &type_string);
    assert_true(least->needs_strings);
    struct one_group group;
    one_group(&group, 3, NULL);
    group.rows.strings = &strings;
    accumulate(least, &column, &group);
    struct column out = result(least, &group, &arena);
    assert_true(str_is(strview_str(column_value(&out, 0)), "a long text beyond it"));
    assert_int_equal(kept.used, 1);
    arena_release(&arena);
}

static void test_extremes_and_merging(void **state)
{
    (void)state;
    static const double values[] = {1.5, -2.5, 9.0};
    struct arena arena;
    arena_init(&arena);
    struct column column = flat(PHYSICAL_F64, values, 2, NULL);
    const struct aggregate *greatest = resolve(&arena, "MAX", &type_double);
    struct one_group group;
    struct one_group other;
    one_group(&group, 2, NULL);
    one_group(&other, 1, NULL);
    accumulate(greatest, &column, &group);
    struct column last = flat(PHYSICAL_F64, values + 2, 1, NULL);
    accumulate(greatest, &last, &other);
    const char *from[] = {other.image};
    group.rows.row_count = 1;
    assert_int_equal(aggregate_merge(greatest, &group.rows, from, NULL, NULL), STATUS_OK);
    struct column out = result(greatest, &group, &arena);
    assert_true(*(const double *)out.values == 9.0);
    arena_release(&arena);
}

static void test_rows_that_a_filter_leaves_out_do_not_count(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct column column = flat(PHYSICAL_I32, ints, 4, NULL);
    const struct aggregate *sum = resolve(&arena, "SUM", &type_int);
    struct one_group group;
    one_group(&group, 4, NULL);
    static const uint64_t filter[] = {0x5};
    group.rows.active = filter;
    accumulate(sum, &column, &group);
    assert_int_equal(*(const int32_t *)result(sum, &group, &arena).values, 11);
    arena_release(&arena);
}

static void test_a_second_single_value_is_an_error(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct column column = flat(PHYSICAL_I32, ints, 2, NULL);
    const struct aggregate *single = resolve(&arena, "SINGLE_VALUE", &type_int);
    struct one_group group;
    one_group(&group, 2, NULL);
    assert_int_equal(aggregate_accumulate(single, &column, &group.rows, NULL), STATUS_INVALID_DATA);
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_result_types),
        cmocka_unit_test(test_what_has_no_sum_or_order_is_refused),
        cmocka_unit_test(test_sums_counts_and_means_leave_nulls_out),
        cmocka_unit_test(test_retractions_take_back_and_the_empty_sum_is_null),
        cmocka_unit_test(test_integer_sums_wrap),
        cmocka_unit_test(test_a_decimal_overflow_that_is_retracted_is_gone),
        cmocka_unit_test(test_the_mean_of_decimals_has_six_digits),
        cmocka_unit_test(test_extremes_of_texts_live_where_the_operator_keeps_them),
        cmocka_unit_test(test_extremes_and_merging),
        cmocka_unit_test(test_rows_that_a_filter_leaves_out_do_not_count),
        cmocka_unit_test(test_a_second_single_value_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
