// SPDX-License-Identifier: Apache-2.0
#include "kernel/arith.h"

#include "kernel/case_int.h"

// One row of a table: a op b.
struct row {
    const char *a;
    const char *b;
    const char *expected; // NULL: null
};

enum { ROWS_MAX = 16 };

static void expect_binary(void **state, const struct type *type, enum arith_op op,
                          const struct row *rows, uint32_t count)
{
    const char *a_texts[ROWS_MAX];
    const char *b_texts[ROWS_MAX];
    for (uint32_t i = 0; i < count; i++) {
        a_texts[i] = rows[i].a;
        b_texts[i] = rows[i].b;
    }
    struct column a = case_column(*state, type, a_texts, count);
    struct column b = case_column(*state, type, b_texts, count);
    for (int encoding = 0; encoding < CASE_ENCODINGS; encoding++) {
        struct kernel_run run = {.arena = *state, .row_count = count};
        struct column left = case_encode(*state, &a, (enum case_encoding)encoding);
        struct column right = case_encode(*state, &b, CASE_FLAT);
        struct column out;
        arith_binary(&run, op, &left, &right, &out);
        case_sound(&out);
        for (uint32_t i = 0; i < count; i++) {
            case_expect(type, &out, i, rows[i].expected);
            struct column one = column_at_row(*state, &a, i, 1);
            struct column other = column_at_row(*state, &b, i, 1);
            struct kernel_run single = {.arena = *state, .row_count = 1};
            arith_binary(&single, op, &one, &other, &out);
            case_sound(&out);
            case_expect(type, &out, 0, rows[i].expected);
            arith_binary(&run, op, &left, &right, &out);
        }
    }
}
#define EXPECT_BINARY(state, type, op, ...)                                                        \
    expect_binary(state, type, op, (const struct row[]){__VA_ARGS__},                              \
                  sizeof((const struct row[]){__VA_ARGS__}) / sizeof(struct row))

// fixtures/flink-answers, surprise 1.
static void test_integers_wrap_in_every_width(void **state)
{
    EXPECT_BINARY(state, &type_int, ARITH_ADD, {"2147483647", "1", "-2147483648"},
                  {"1", NULL, NULL}, {"-5", "7", "2"});
    EXPECT_BINARY(state, &type_tinyint, ARITH_ADD, {"127", "1", "-128"}, {NULL, "1", NULL});
    EXPECT_BINARY(state, &type_smallint, ARITH_MUL, {"-32768", "-1", "-32768"},
                  {"300", "300", "24464"});
    EXPECT_BINARY(state, &type_bigint, ARITH_SUB,
                  {"-9223372036854775808", "1", "9223372036854775807"});
    EXPECT_BINARY(state, &type_int, ARITH_DIV, {"-2147483648", "-1", "-2147483648"},
                  {"7", "2", "3"}, {"-7", "2", "-3"}, {NULL, "2", NULL});
    EXPECT_BINARY(state, &type_int, ARITH_MOD, {"-7", "3", "-1"}, {"7", "-3", "1"},
                  {"-2147483648", "-1", "0"});
}

static void test_division_by_zero_fails_where_the_row_is_active(void **state)
{
    const char *const a[] = {"1", "2", "3"};
    const char *const b[] = {"0", "1", "0"};
    struct column left = case_column(*state, &type_int, a, 3);
    struct column right = case_column(*state, &type_int, b, 3);
    const uint64_t active[] = {0x6};
    struct kernel_run run = {.arena = *state, .row_count = 3, .active = active};
    struct column out;
    arith_binary(&run, ARITH_DIV, &left, &right, &out);
    assert_int_equal(kernel_first_failed(&run), 2);
    assert_int_equal(run.failed[0], 0x4);
    assert_string_equal(run.failure, "division by zero");
    case_sound(&out);
    case_expect(&type_int, &out, 1, "2");
    case_expect(&type_int, &out, 2, NULL);
}

static void test_unused_dictionary_entry_does_not_fail(void **state)
{
    const char *const entries[] = {"0", "2"};
    struct column dict = case_column(*state, &type_int, entries, 2);
    const uint16_t codes[] = {1, 1, 1};
    struct column divisor = {.physical = PHYSICAL_I32,
                             .encoding = ENCODING_DICT,
                             .row_count = 3,
                             .codes = codes,
                             .dict = &dict};
    const char *ten = "10";
    struct column one = case_column(*state, &type_int, &ten, 1);
    struct column constant = column_at_row(*state, &one, 0, 3);
    struct kernel_run run = {.arena = *state, .row_count = 3};
    struct column out;
    arith_binary(&run, ARITH_DIV, &constant, &divisor, &out);
    assert_null(run.failed);
    assert_int_equal(out.encoding, ENCODING_DICT);
    case_sound(&out);
    case_expect(&type_int, &out, 2, "5");
}

static void test_doubles_follow_ieee(void **state)
{
    EXPECT_BINARY(state, &type_double, ARITH_DIV, {"1", "0", "Infinity"}, {"0", "0", "NaN"},
                  {"-1", "0", "-Infinity"}, {"1", "4", "0.25"}, {NULL, "0", NULL});
}

struct decimal_row {
    const char *a;
    int32_t a_precision;
    int32_t a_scale;
    enum arith_op op;
    const char *b;
    int32_t b_precision;
    int32_t b_scale;
    int32_t precision;
    int32_t scale;
    const char *expected;
};

static void expect_decimal(void **state, const struct decimal_row *row)
{
    struct arena *arena = *state;
    const struct type *a_type = type_decimal(arena, row->a_precision, row->a_scale, true);
    const struct type *b_type = type_decimal(arena, row->b_precision, row->b_scale, true);
    struct column a = case_one(arena, a_type, row->a);
    struct column b = case_one(arena, b_type, row->b);
    struct arith_decimal decimal = {row->a_scale, row->b_scale, row->precision, row->scale};
    struct kernel_run run = {.arena = arena, .row_count = 1};
    struct column out;
    arith_decimal(&run, row->op, &a, &b, &decimal, &out);
    assert_null(run.failed);
    case_sound(&out);
    case_expect(type_decimal(arena, row->precision, row->scale, true), &out, 0, row->expected);
    a.encoding = b.encoding = ENCODING_FLAT;
    arith_decimal(&run, row->op, &a, &b, &decimal, &out);
    case_sound(&out);
    case_expect(type_decimal(arena, row->precision, row->scale, true), &out, 0, row->expected);
}

// Values and types from fixtures/flink-answers, scalar/decimal and scalar/cast.
static void test_decimals_are_exact_round_half_up_and_overflow_to_null(void **state)
{
    const struct decimal_row rows[] = {
        {"0.90", 3, 2, ARITH_ADD, "0.1", 2, 1, 4, 2, "1.00"},
        {"1.0", 2, 1, ARITH_DIV, "3", 10, 0, 13, 12, "0.333333333333"},
        {"1.0", 2, 1, ARITH_DIV, "3.0", 2, 1, 8, 6, "0.333333"},
        {"2", 1, 0, ARITH_DIV, "3", 1, 0, 7, 6, "0.666667"},
        {"-2", 1, 0, ARITH_DIV, "3", 1, 0, 7, 6, "-0.666667"},
        {"1234567890.0123456789", 20, 10, ARITH_MUL, "1234567890.0123456789", 20, 10, 38, 17,
         "1524157875049535257.50053345778750191"},
        {"-0.5", 20, 10, ARITH_MUL, "-0.5", 20, 10, 38, 17, "0.25000000000000000"},
        {"99999999999999999999999999999999999999", 38, 0, ARITH_ADD,
         "99999999999999999999999999999999999999", 38, 0, 38, 0, NULL},
        {"99999999999999999999999999999999999999", 38, 0, ARITH_MUL, "1", 38, 0, 38, 0,
         "99999999999999999999999999999999999999"},
        {"99999999999999999999999999999999999999", 38, 0, ARITH_SUB,
         "99999999999999999999999999999999999999", 38, 0, 38, 0, "0"},
        {"10.5", 3, 1, ARITH_MOD, "3.25", 3, 2, 3, 2, "0.75"},
        {"-7", 1, 0, ARITH_MOD, "3", 1, 0, 1, 0, "-1"},
        {"0.908", 4, 3, ARITH_MUL, "9223372036854775807", 19, 0, 23, 3, "8374821809464136432.756"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        expect_decimal(state, &rows[i]);
    }
}

// 10^31 at scale 0 plus digits at scale 10, kept at scale 6: the sum at scale 10 leaves 128 bits.
static void test_sums_with_a_reduced_scale_keep_their_integer_digits(void **state)
{
    const struct decimal_row rows[] = {
        {"10000000000000000000000000000000", 38, 0, ARITH_ADD, "0.0000005000", 38, 10, 38, 6,
         "10000000000000000000000000000000.000001"},
        {"10000000000000000000000000000000", 38, 0, ARITH_ADD, "0.0000004999", 38, 10, 38, 6,
         "10000000000000000000000000000000.000000"},
        {"-10000000000000000000000000000000", 38, 0, ARITH_SUB, "0.0000005000", 38, 10, 38, 6,
         "-10000000000000000000000000000000.000001"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        expect_decimal(state, &rows[i]);
    }
}

static void test_decimal_division_by_zero_fails(void **state)
{
    struct arena *arena = *state;
    const struct type *type = type_decimal(arena, 5, 2, true);
    struct column a = case_one(arena, type, "1");
    struct column b = case_one(arena, type, "0");
    struct arith_decimal decimal = {2, 2, 13, 8};
    struct kernel_run run = {.arena = arena, .row_count = 1};
    struct column out;
    arith_decimal(&run, ARITH_DIV, &a, &b, &decimal, &out);
    assert_int_equal(kernel_first_failed(&run), 0);
    case_expect(type_decimal(arena, 13, 8, true), &out, 0, NULL);
    struct column null = column_null(arena, &a, 1);
    run.failed = NULL;
    arith_decimal(&run, ARITH_DIV, &null, &b, &decimal, &out);
    assert_null(run.failed);
}

static void expect_rounded(void **state, enum arith_rounding rounding, const char *value,
                           const char *digits, const char *expected)
{
    struct column a = case_one(*state, &type_double, value);
    struct column b = case_one(*state, &type_int, digits);
    struct kernel_run run = {.arena = *state, .row_count = 1};
    struct column out;
    arith_round(&run, rounding, &a, &b, &out);
    case_expect(&type_double, &out, 0, expected);
}

static void test_doubles_round_by_their_decimal_text(void **state)
{
    expect_rounded(state, ARITH_ROUND, "1.005", "2", "1.01");
    expect_rounded(state, ARITH_ROUND, "2.5", "0", "3.0");
    expect_rounded(state, ARITH_ROUND, "-2.5", "0", "-3.0");
    expect_rounded(state, ARITH_ROUND, "1234.5", "-2", "1200.0");
    expect_rounded(state, ARITH_ROUND, "9.99", "1", "10.0");
    expect_rounded(state, ARITH_ROUND, "0.4", "0", "0.0");
    expect_rounded(state, ARITH_ROUND, "1e-300", "5", "0.0");
    expect_rounded(state, ARITH_ROUND, "1e300", "5", "1.0E300");
    expect_rounded(state, ARITH_TRUNCATE, "-1.99", "1", "-1.9");
    expect_rounded(state, ARITH_ROUND, "NaN", "1", "NaN");
}

static void test_integers_round_before_the_point(void **state)
{
    const char *const values[] = {"1250", "-1250", "1249", "5"};
    struct column a = case_column(*state, &type_int, values, 4);
    struct column digits = case_one(*state, &type_int, "-2");
    digits.row_count = 4;
    struct kernel_run run = {.arena = *state, .row_count = 4};
    struct column out;
    arith_round(&run, ARITH_ROUND, &a, &digits, &out);
    case_expect(&type_int, &out, 0, "1300");
    case_expect(&type_int, &out, 1, "-1300");
    case_expect(&type_int, &out, 2, "1200");
    case_expect(&type_int, &out, 3, "0");
}

static void test_decimals_round_up_down_and_half_up(void **state)
{
    struct arena *arena = *state;
    const char *const values[] = {"2.5", "-2.5", "2.4", "-2.1"};
    struct column a = case_column(arena, type_decimal(arena, 10, 1, true), values, 4);
    static const char *const expected[][4] = {
        [ARITH_FLOOR] = {"2", "-3", "2", "-3"},
        [ARITH_CEIL] = {"3", "-2", "3", "-2"},
        [ARITH_ROUND] = {"3", "-3", "2", "-2"},
        [ARITH_TRUNCATE] = {"2", "-2", "2", "-2"},
    };
    for (int rounding = 0; rounding < 4; rounding++) {
        struct arith_round_decimal options = {(enum arith_rounding)rounding, 1, 0, 10, 0};
        struct kernel_run run = {.arena = arena, .row_count = 4};
        struct column out;
        arith_round_decimal(&run, &a, &options, &out);
        for (uint32_t i = 0; i < 4; i++) {
            case_expect(type_decimal(arena, 10, 0, true), &out, i, expected[rounding][i]);
        }
    }
}

static void test_absolute_value_of_the_least_integer_is_negative(void **state)
{
    struct column a = case_one(*state, &type_int, "-2147483648");
    struct kernel_run run = {.arena = *state, .row_count = 1};
    struct column out;
    arith_abs(&run, &a, &out);
    case_expect(&type_int, &out, 0, "-2147483648");
    arith_negate(&run, &a, &out);
    case_expect(&type_int, &out, 0, "-2147483648");
    arith_sign(&run, &a, 1, &out);
    case_expect(&type_int, &out, 0, "-1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers_wrap_in_every_width),
        cmocka_unit_test(test_division_by_zero_fails_where_the_row_is_active),
        cmocka_unit_test(test_unused_dictionary_entry_does_not_fail),
        cmocka_unit_test(test_doubles_follow_ieee),
        cmocka_unit_test(test_decimals_are_exact_round_half_up_and_overflow_to_null),
        cmocka_unit_test(test_sums_with_a_reduced_scale_keep_their_integer_digits),
        cmocka_unit_test(test_decimal_division_by_zero_fails),
        cmocka_unit_test(test_doubles_round_by_their_decimal_text),
        cmocka_unit_test(test_integers_round_before_the_point),
        cmocka_unit_test(test_decimals_round_up_down_and_half_up),
        cmocka_unit_test(test_absolute_value_of_the_least_integer_is_negative),
    };
    return cmocka_run_group_tests(tests, case_open, case_close);
}
