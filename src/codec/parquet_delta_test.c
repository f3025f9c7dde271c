// SPDX-License-Identifier: Apache-2.0
#include "codec/parquet_delta.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/arena.h"

static char *take(void *owner, size_t size)
{
    return arena_alloc(owner, size);
}

static enum status begin(struct arena *arena, struct parquet_delta *delta, struct str bytes,
                         uint64_t count_max)
{
    const struct parquet_page_memory memory = {.take = take, .owner = arena, .bytes_max = 1 << 20};
    arena_init(arena);
    return parquet_delta_begin(delta, bytes, count_max, &memory, NULL);
}

// Encodings.md, second example: 7, 5, 3, 1, 2, 3, 4, 5 has deltas -2 -2 -2 1 1 1 1, least -2, so
// 0 0 0 3 3 3 3 are packed in 2 bits. Block of 128 values in 4 miniblocks.
static const char example[] =
    "\x80\x01\x04\x08\x0e\x03\x02\x00\x00\x00\xc0\x3f\x00\x00\x00\x00\x00\x00";

static void test_the_example_of_the_specification_is_decoded(void **state)
{
    (void)state;
    struct arena arena;
    struct parquet_delta delta;
    int64_t values[8];
    int32_t narrow[8];
    const uint8_t *end;
    struct str bytes = {example, sizeof example - 1};
    assert_int_equal(begin(&arena, &delta, bytes, 8), STATUS_OK);
    assert_int_equal(parquet_delta_values(&delta, values, true, 8, NULL), STATUS_OK);
    static const int64_t expected[8] = {7, 5, 3, 1, 2, 3, 4, 5};
    assert_memory_equal(values, expected, sizeof expected);
    assert_int_equal(parquet_delta_end(&delta, &end, NULL), STATUS_OK);
    assert_ptr_equal(end, example + sizeof example - 1);
    arena_release(&arena);

    assert_int_equal(begin(&arena, &delta, bytes, 8), STATUS_OK);
    for (int i = 0; i < 8; i++) { // one by one, as 32 bits
        assert_int_equal(parquet_delta_values(&delta, &narrow[i], false, 1, NULL), STATUS_OK);
        assert_int_equal(narrow[i], expected[i]);
    }
    assert_int_equal(parquet_delta_values(&delta, narrow, false, 1, NULL), STATUS_INVALID_DATA);
    arena_release(&arena);
}

static void test_padding_of_the_last_miniblock_may_be_missing(void **state)
{
    (void)state;
    struct arena arena;
    struct parquet_delta delta;
    int64_t values[8];
    assert_int_equal(begin(&arena, &delta, str_make(example, 12), 8), STATUS_OK);
    assert_int_equal(parquet_delta_values(&delta, values, true, 8, NULL), STATUS_OK);
    assert_int_equal(values[7], 5);
    arena_release(&arena);
    assert_int_equal(begin(&arena, &delta, str_make(example, 11), 8), STATUS_OK);
    assert_int_equal(parquet_delta_values(&delta, values, true, 8, NULL), STATUS_INVALID_DATA);
    arena_release(&arena);
}

static void test_impossible_headers_are_refused(void **state)
{
    (void)state;
    struct arena arena;
    struct parquet_delta delta;
    static const struct str headers[] = {
        {"\x80\x01\x00\x08\x0e", 5},             // no miniblocks
        {"\x00\x04\x08\x0e", 4},                 // no values a block
        {"\x80\x01\x03\x08\x0e", 5},             // 128 in 3
        {"\x80\x01\x04\x09\x0e", 5},             // more values than the page has
        {"\xff\xff\xff\xff\x0f\x01\x08\x0e", 8}, // a block of 4 G
        {"\x80\x01\x04", 3},
        {"", 0},
    };
    for (uint32_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        assert_int_equal(begin(&arena, &delta, headers[i], 8), STATUS_INVALID_DATA);
        arena_release(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_example_of_the_specification_is_decoded),
        cmocka_unit_test(test_padding_of_the_last_miniblock_may_be_missing),
        cmocka_unit_test(test_impossible_headers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
