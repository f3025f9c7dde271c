// SPDX-License-Identifier: Apache-2.0
#include "data/column.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/arena.h"

#define LONG_A "a string of more than twelve bytes"
#define LONG_B "another string that is not held inline"

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

static struct column flat(enum physical physical, const void *values, uint32_t row_count,
                          const uint64_t *valid)
{
    return (struct column){
        .physical = physical, .row_count = row_count, .valid = valid, .values = values};
}

static struct column strings(struct arena *arena, const char *const *texts, uint32_t row_count)
{
    struct strview *views = arena_alloc(arena, sizeof *views * row_count);
    for (uint32_t i = 0; i < row_count; i++) {
        views[i] = strview_make(texts[i], strlen(texts[i]));
    }
    return flat(PHYSICAL_STRING, views, row_count, NULL);
}

static void expect_sound(const struct column *column)
{
    struct err err = {0};
    if (column_check(column, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
}

static void expect_i64(const struct column *column, const int64_t *values, uint32_t count)
{
    expect_sound(column);
    assert_int_equal(column->row_count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(*(const int64_t *)column_value(column, i), values[i]);
    }
}

static void expect_strings(const struct column *column, const char *const *texts, uint32_t count)
{
    expect_sound(column);
    assert_int_equal(column->row_count, count);
    for (uint32_t i = 0; i < count; i++) {
        struct str text = strview_str(column_value(column, i));
        assert_int_equal(text.size, strlen(texts[i]));
        assert_memory_equal(text.ptr, texts[i], text.size);
    }
}

static const int64_t six[] = {10, 11, 12, 13, 14, 15};

static void test_slice_shares_values_and_shifts_validity(void **state)
{
    const uint64_t valid[] = {0x37}; // row 3 is null
    const int64_t values[] = {10, 11, 12, 0, 14, 15};
    struct column column = flat(PHYSICAL_I64, values, 6, valid);
    struct column slice = column_slice(*state, &column, 2, 3);
    assert_ptr_equal(slice.values, values + 2);
    assert_int_equal(slice.valid[0], 0x5);
    expect_i64(&slice, (const int64_t[]){12, 0, 14}, 3);
}

static void test_gather_keeps_encodings(void **state)
{
    const uint16_t rows[] = {5, 0, 5};
    struct column column = flat(PHYSICAL_I64, six, 6, NULL);
    struct column out = column_gather(*state, &column, rows, 3);
    expect_i64(&out, (const int64_t[]){15, 10, 15}, 3);
    const uint16_t codes[] = {0, 1, 2, 3, 0, 1};
    struct column dict = {.physical = PHYSICAL_I64,
                          .encoding = ENCODING_DICT,
                          .row_count = 6,
                          .codes = codes,
                          .dict = &column};
    out = column_gather(*state, &dict, rows, 3);
    assert_int_equal(out.encoding, ENCODING_DICT);
    assert_ptr_equal(out.dict, &column);
    expect_i64(&out, (const int64_t[]){11, 10, 11}, 3);
}

static void test_flattening_zeroes_the_nulls_of_a_dictionary_and_is_counted(void **state)
{
    struct column entries = flat(PHYSICAL_I64, six, 6, NULL);
    const uint16_t codes[] = {4, 0, 0};
    const uint64_t valid[] = {0x5};
    struct column dict = {.physical = PHYSICAL_I64,
                          .encoding = ENCODING_DICT,
                          .row_count = 3,
                          .valid = valid,
                          .codes = codes,
                          .dict = &entries};
    uint64_t before = column_flattenings();
    struct column out = column_flatten(*state, &dict);
    assert_int_equal(column_flattenings(), before + 1);
    assert_int_equal(out.encoding, ENCODING_FLAT);
    expect_i64(&out, (const int64_t[]){14, 0, 10}, 3);
    out = column_flatten(*state, &out);
    assert_int_equal(column_flattenings(), before + 1);
}

static void test_constant_flattens_to_repeated_values(void **state)
{
    struct column constant = flat(PHYSICAL_I64, six, 3, NULL);
    constant.encoding = ENCODING_CONST;
    struct column out = column_flatten(*state, &constant);
    expect_i64(&out, (const int64_t[]){10, 10, 10}, 3);
}

static void test_copy_of_a_dictionary_holds_the_used_entries_only(void **state)
{
    struct column entries = strings(*state, (const char *const[]){LONG_A, "b", LONG_B, "d"}, 4);
    const uint16_t codes[] = {2, 0, 1, 2};
    const uint64_t valid[] = {0xd}; // row 1 is null, entry 0 is not in use
    struct column dict = {.physical = PHYSICAL_STRING,
                          .encoding = ENCODING_DICT,
                          .row_count = 4,
                          .valid = valid,
                          .codes = codes,
                          .dict = &entries};
    struct column copy = column_copy(*state, &dict);
    assert_int_equal(copy.dict->row_count, 2);
    expect_strings(copy.dict, (const char *const[]){"b", LONG_B}, 2);
    assert_ptr_not_equal(((const struct strview *)copy.dict->values)[1].as.ptr,
                         ((const struct strview *)entries.values)[2].as.ptr);
    assert_int_equal(copy.codes[0], 1);
    assert_int_equal(copy.codes[1], 0);
    assert_int_equal(copy.codes[2], 0);
    assert_true(column_is_null(&copy, 1));
}

static void test_copy_of_lists_holds_the_elements_in_reach_only(void **state)
{
    struct column elements = flat(PHYSICAL_I64, six, 6, NULL);
    const struct list_view views[] = {{4, 2}, {0, 0}, {1, 1}, {1, 1}};
    struct column lists = flat(PHYSICAL_LIST, views, 4, NULL);
    lists.children = &elements;
    lists.child_count = 1;
    struct column copy = column_copy(*state, &lists);
    expect_sound(&copy);
    expect_i64(&copy.children[0], (const int64_t[]){14, 15, 11}, 3);
    const struct list_view *out = copy.values;
    assert_int_equal(out[0].offset, 0);
    assert_int_equal(out[1].length, 0);
    assert_int_equal(out[2].offset, 2);
    assert_int_equal(out[3].offset, 2);
}

static void test_validity_is_copied_across_words(void **state)
{
    static int8_t values[200];
    uint64_t valid[4] = {0};
    for (uint32_t i = 0; i < 200; i += 3) {
        values[i] = 1;
        bits_set(valid, i);
    }
    struct column column = flat(PHYSICAL_I8, values, 200, valid);
    struct column slice = column_slice(*state, &column, 70, 100);
    struct column copy = column_copy(*state, &slice);
    expect_sound(&copy);
    for (uint32_t i = 0; i < 100; i++) {
        assert_int_equal(column_is_null(&copy, i), (i + 70) % 3 != 0);
    }
}

static struct column row_of(struct arena *arena, uint32_t row_count, const uint64_t *valid,
                            struct column first, struct column second)
{
    struct column *children = arena_new_array(arena, struct column, 2);
    children[0] = first;
    children[1] = second;
    return (struct column){.physical = PHYSICAL_ROW,
                           .row_count = row_count,
                           .valid = valid,
                           .children = children,
                           .child_count = 2};
}

static void test_null_rows_have_null_fields_after_every_operation(void **state)
{
    struct column numbers = flat(PHYSICAL_I64, six, 2, NULL);
    struct column texts = strings(*state, (const char *const[]){LONG_A, "b"}, 2);
    struct column entries = row_of(*state, 2, NULL, numbers, texts);
    const uint16_t codes[] = {1, 0, 0};
    const uint64_t valid[] = {0x3};
    struct column dict = {.physical = PHYSICAL_ROW,
                          .encoding = ENCODING_DICT,
                          .row_count = 3,
                          .valid = valid,
                          .codes = codes,
                          .dict = &entries};
    struct column flattened = column_flatten(*state, &dict);
    expect_sound(&flattened);
    assert_true(column_is_null(&flattened.children[0], 2));
    expect_strings(&flattened.children[1], (const char *const[]){"b", LONG_A, ""}, 3);
    struct column constant = column_at_row(*state, &dict, 0, 7);
    expect_sound(&constant);
    expect_i64(&constant.children[0], (const int64_t[]){11}, 1);
    struct column null = column_null(*state, &dict, 7);
    expect_sound(&null);
    assert_true(column_has_nulls(&null));
    const struct column parts[] = {dict, constant, null, entries};
    struct column all = column_concat(*state, parts, 4);
    expect_sound(&all);
    assert_int_equal(all.row_count, 3 + 7 + 7 + 2);
    assert_true(column_is_null(&all, 2));
    assert_int_equal(*(const int64_t *)column_value(&all.children[0], 17), 10);
}

static void test_concatenated_lists_keep_their_elements(void **state)
{
    struct column elements = flat(PHYSICAL_I64, six, 6, NULL);
    const struct list_view views[] = {{4, 2}, {1, 1}};
    struct column lists = flat(PHYSICAL_LIST, views, 2, NULL);
    lists.children = &elements;
    lists.child_count = 1;
    struct column second = column_slice(*state, &lists, 0, 1);
    second.encoding = ENCODING_CONST;
    second.row_count = 2;
    const struct column parts[] = {column_slice(*state, &lists, 1, 1), second};
    struct column all = column_concat(*state, parts, 2);
    expect_sound(&all);
    expect_i64(&all.children[0], (const int64_t[]){11, 14, 15}, 3);
    const struct list_view *out = all.values;
    assert_int_equal(out[1].offset, 1);
    assert_int_equal(out[2].offset, 1);
    assert_int_equal(out[2].length, 2);
}

static void test_masked_constant_becomes_a_dictionary(void **state)
{
    struct column constant = flat(PHYSICAL_I64, six, 3, NULL);
    constant.encoding = ENCODING_CONST;
    struct column out = column_mask(*state, &constant, (const uint64_t[]){0x5});
    assert_int_equal(out.encoding, ENCODING_DICT);
    expect_sound(&out);
    assert_true(column_is_null(&out, 1));
    assert_false(column_is_null(&out, 2));
}

static void test_broken_invariants_are_found(void **state)
{
    (void)state;
    struct err err;
    struct column column = flat(PHYSICAL_I64, six, 6, (const uint64_t[]){0x1f});
    assert_int_equal(column_check(&column, &err), STATUS_INVALID_DATA);
    assert_string_equal(err.text, "row 5 is null and its value is not zero");
    column.valid = (const uint64_t[]){0x7f};
    assert_int_equal(column_check(&column, &err), STATUS_INVALID_DATA);
    assert_string_equal(err.text, "bits of validity behind row 6");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slice_shares_values_and_shifts_validity),
        cmocka_unit_test(test_gather_keeps_encodings),
        cmocka_unit_test(test_flattening_zeroes_the_nulls_of_a_dictionary_and_is_counted),
        cmocka_unit_test(test_constant_flattens_to_repeated_values),
        cmocka_unit_test(test_copy_of_a_dictionary_holds_the_used_entries_only),
        cmocka_unit_test(test_copy_of_lists_holds_the_elements_in_reach_only),
        cmocka_unit_test(test_validity_is_copied_across_words),
        cmocka_unit_test(test_null_rows_have_null_fields_after_every_operation),
        cmocka_unit_test(test_concatenated_lists_keep_their_elements),
        cmocka_unit_test(test_masked_constant_becomes_a_dictionary),
        cmocka_unit_test(test_broken_invariants_are_found),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
