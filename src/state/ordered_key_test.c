// SPDX-License-Identifier: Apache-2.0
//
// Keys written by kernel/order.h come back as the values they were made of.
#include "state/ordered_key.h"

#include <math.h>

#include "state/state_testing.h"

enum { ROWS = 5 };

static const struct order_column orders[] = {{false, true}, {true, false}, {true, true}};

static void check_round_trip(struct arena *arena, const struct column *column)
{
    for (uint32_t o = 0; o < 3; o++) {
        struct order_column two[] = {{false, true}, orders[o]};
        struct column columns[] = {*column, *column};
        struct order_spec spec = {two, 2};
        struct order_keys keys;
        struct err err;
        struct str list[ROWS];
        size_t offsets[ROWS];
        TESTING_OK(order_encode(arena, columns, &spec, &keys, &err), err);
        for (uint32_t i = 0; i < ROWS; i++) {
            list[i] = str_make((const char *)keys.bytes + keys.offsets[i],
                               keys.offsets[i + 1] - keys.offsets[i]);
            offsets[i] = ordered_key_skip(list[i], 0, column->physical, two[0]);
            assert_int_equal(ordered_key_skip(list[i], offsets[i], column->physical, two[1]),
                             list[i].size);
        }
        struct column back;
        TESTING_OK(ordered_key_decode(list, offsets, ROWS, column->physical, orders[o], arena,
                                      &back, &err),
                   err);
        for (uint32_t i = 0; i < ROWS; i++) {
            assert_int_equal(column_is_null(&back, i), column_is_null(column, i));
            if (column->physical == PHYSICAL_STRING) {
                assert_true(strview_equal(column_value(&back, i), column_value(column, i)));
            } else {
                assert_memory_equal(column_value(&back, i), column_value(column, i),
                                    physical_width(column->physical));
            }
        }
    }
}

static void test_values_of_every_form_come_back(void **state)
{
    (void)state;
    static const uint64_t valid[] = {0x1d}; // row 1 is null
    static const uint8_t bools[] = {1, 0, 0, 1, 0};
    static const int8_t bytes[] = {-128, 0, -1, 1, 127};
    static const int16_t shorts[] = {INT16_MIN, 0, -1, 258, INT16_MAX};
    static const int32_t ints[] = {INT32_MIN, 0, -1, 65537, INT32_MAX};
    static const int64_t longs[] = {INT64_MIN, 0, -1, INT64_C(1) << 40, INT64_MAX};
    static const float floats[] = {-1.5F, 0, 3.25F, -INFINITY, 1e30F};
    static const double doubles[] = {-1.5, 0, 3.25, -(double)INFINITY, 1e300};
    static const struct nano nanos[] = {{-5, 1}, {0, 0}, {7, 999999999}, {0, 1}, {1, 0}};
    int128 wide[] = {-1, 0, (int128)1 << 100, -((int128)1 << 100), 5};
    struct strview texts[] = {strview_make("a\0b", 3),
                              {0},
                              strview_make("", 0),
                              strview_make("a text of more than twelve", 26),
                              strview_make("\0\0\xff", 3)};
    const void *values[] = {bools, bytes, shorts, ints, longs, wide, floats, doubles, nanos, texts};
    struct arena arena;
    arena_init(&arena);
    for (int physical = PHYSICAL_BOOL; physical <= PHYSICAL_STRING; physical++) {
        check_round_trip(&arena, &(struct column){.physical = (enum physical)physical,
                                                  .row_count = ROWS,
                                                  .valid = valid,
                                                  .values = values[physical]});
    }
    arena_release(&arena);
}

static void test_damaged_keys_are_refused(void **state)
{
    (void)state;
    struct arena arena;
    struct column out;
    struct err err;
    size_t offset = 0;
    struct str keys[] = {STR_LIT(""), STR_LIT("\x01"), STR_LIT("\x01\x01\x02"),
                         STR_LIT("\x01"
                                 "abc"),
                         STR_LIT("\x01"
                                 "a\0\x02")};
    arena_init(&arena);
    for (uint32_t i = 0; i < 5; i++) {
        enum physical physical = i < 3 ? PHYSICAL_I64 : PHYSICAL_STRING;
        assert_int_equal(
            ordered_key_decode(&keys[i], &offset, 1, physical, orders[0], &arena, &out, &err),
            STATUS_INVALID_DATA);
    }
    arena_release(&arena);
}

static void test_the_successor_is_behind_all_that_begin_with_the_prefix(void **state)
{
    (void)state;
    char prefix[] = "ab\xff\xff";
    assert_int_equal(ordered_key_successor(prefix, 4), 2);
    assert_memory_equal(prefix, "ac", 2);
    char all[] = "\xff\xff";
    assert_int_equal(ordered_key_successor(all, 2), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_of_every_form_come_back),
        cmocka_unit_test(test_damaged_keys_are_refused),
        cmocka_unit_test(test_the_successor_is_behind_all_that_begin_with_the_prefix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
