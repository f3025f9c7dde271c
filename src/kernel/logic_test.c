// SPDX-License-Identifier: Apache-2.0
//
// logic.h, select_case.h, and booleans as masks (kernel.h).
#include "kernel/logic.h"

#include "kernel/case_int.h"
#include "kernel/kernel.h"
#include "kernel/select_case.h"

// All nine pairs of true, false, unknown: bit i is the pair (i / 3, i % 3).
static const uint64_t a_true = 0x7, a_null = 0x1c0, b_true = 0x49, b_null = 0x124;

static void test_three_valued_tables(void **state)
{
    (void)state;
    uint64_t t = a_true;
    uint64_t n = a_null;
    uint64_t other_t = b_true;
    uint64_t other_n = b_null;
    struct logic a = {&t, &n};
    const struct logic b = {&other_t, &other_n};
    logic_and(a, b, 9);
    assert_int_equal(t, 0x1);         // true and true
    assert_int_equal(n, 0x4 | 0x140); // true and unknown, unknown and true, unknown and unknown
    t = a_true;
    n = a_null;
    logic_or(a, b, 9);
    assert_int_equal(t, 0x7 | 0x48);
    assert_int_equal(n, 0x20 | 0x180);
    t = a_true;
    n = a_null;
    logic_not(a, NULL, 9);
    assert_int_equal(t, 0x38);
    assert_int_equal(n, 0x1c0);
    uint64_t open;
    t = a_true;
    logic_open_for_and(a, NULL, 9, &open);
    assert_int_equal(open, 0x1c7);
    logic_open_for_or(a, NULL, 9, &open);
    assert_int_equal(open, 0x1f8);
    const uint64_t active = 0x10;
    logic_not(a, &active, 9);
    assert_int_equal(t, 0x10);
    assert_int_equal(n, 0);
}

static void test_booleans_become_masks_and_columns_again(void **state)
{
    const char *const texts[] = {"true", "false", NULL, "true"};
    struct column flat = case_column(*state, &type_boolean, texts, 4);
    for (int encoding = 0; encoding < CASE_ENCODINGS; encoding++) {
        struct column column = case_encode(*state, &flat, (enum case_encoding)encoding);
        struct kernel_run run = {.arena = *state, .row_count = 4};
        uint64_t is_true;
        uint64_t is_null;
        kernel_bool_masks(&run, &column, &is_true, &is_null);
        assert_int_equal(is_true, 0x9);
        assert_int_equal(is_null, 0x4);
        struct column out;
        kernel_bool_column(&run, &is_true, &is_null, &out);
        case_sound(&out);
        for (uint32_t i = 0; i < 4; i++) {
            case_expect(&type_boolean, &out, i,
                        texts[i] == NULL ? NULL
                        : i == 1         ? "FALSE"
                                         : "TRUE");
        }
    }
}

static void test_branches_are_blended_in_their_order(void **state)
{
    const char *const texts[] = {"1", NULL, "3", "4"};
    struct column first = case_column(*state, &type_int, texts, 4);
    struct column second = case_one(*state, &type_int, "9");
    second.row_count = 4;
    const uint64_t odd[] = {0x3};
    const uint64_t upper[] = {0xe};
    const struct select_case cases[] = {{&first, odd}, {&second, upper}};
    for (int encoding = 0; encoding < CASE_ENCODINGS; encoding++) {
        struct column column = case_encode(*state, &first, (enum case_encoding)encoding);
        const struct select_case encoded[] = {{&column, odd}, {&second, upper}};
        struct column out = select_case_blend(*state, encoded, 2, 4);
        case_sound(&out);
        case_expect(&type_int, &out, 0, "1");
        case_expect(&type_int, &out, 1, NULL); // the first branch's null, not the second's 9
        case_expect(&type_int, &out, 2, "9");
        case_expect(&type_int, &out, 3, "9");
    }
    struct column out = select_case_blend(*state, cases, 1, 4);
    case_expect(&type_int, &out, 3, NULL); // no branch
}

static void test_constant_branches_become_a_dictionary(void **state)
{
    struct column a = case_one(*state, &type_string, "a text of more than twelve bytes");
    struct column null = case_one(*state, &type_string, NULL);
    struct column c = case_one(*state, &type_string, "c");
    a.row_count = null.row_count = c.row_count = 5;
    const uint64_t first[] = {0x1};
    const uint64_t second[] = {0x2};
    const struct select_case cases[] = {{&a, first}, {&null, second}, {&c, NULL}};
    struct column out = select_case_blend(*state, cases, 3, 5);
    case_sound(&out);
    assert_int_equal(out.encoding, ENCODING_DICT);
    case_expect(&type_string, &out, 0, "a text of more than twelve bytes");
    case_expect(&type_string, &out, 1, NULL);
    case_expect(&type_string, &out, 4, "c");
}

static void test_nested_branches(void **state)
{
    struct arena *arena = *state;
    const struct type *type = type_array(arena, &type_int, true);
    struct column_builder *builder = column_builder_new(arena, type, 4);
    for (int32_t i = 0; i < 3; i++) {
        column_builder_list_begin(builder);
        column_builder_i32(column_builder_child(builder, 0), i);
        column_builder_list_end(builder);
    }
    struct column lists = column_builder_finish(builder);
    struct column last = column_at_row(arena, &lists, 2, 3);
    const uint64_t first[] = {0x1};
    const uint64_t second[] = {0x2};
    const struct select_case cases[] = {{&lists, first}, {&last, second}};
    struct column out = select_case_blend(arena, cases, 2, 3);
    case_sound(&out);
    case_expect(type, &out, 0, "[0]");
    case_expect(type, &out, 1, "[2]");
    case_expect(type, &out, 2, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_three_valued_tables),
        cmocka_unit_test(test_booleans_become_masks_and_columns_again),
        cmocka_unit_test(test_branches_are_blended_in_their_order),
        cmocka_unit_test(test_constant_branches_become_a_dictionary),
        cmocka_unit_test(test_nested_branches),
    };
    return cmocka_run_group_tests(tests, case_open, case_close);
}
