// SPDX-License-Identifier: Apache-2.0
#include "codec/parquet_dictionary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/arena.h"
#include "base/mem.h"

enum { VALUES = 6000, BATCH = 500, SIZE_MOST = 150 };

struct fixture {
    struct arena arena;
    struct parquet_dictionary dictionary;
    struct parquet_dictionary restored;
    struct strview values[VALUES];
    uint32_t codes[VALUES];
    uint32_t again[VALUES];
    uint8_t used[VALUES];
};

// Two of each number, of all sizes below SIZE_MOST, that differ in one byte from others as long.
static struct strview make_value(struct arena *arena, uint32_t number)
{
    uint32_t size = number % SIZE_MOST;
    uint32_t place = number / SIZE_MOST; // 0: no byte differs
    char *bytes = arena_alloc(arena, size + 1);
    memset(bytes, 'm', size);
    if (place > 0 && size > 0) {
        bytes[(place * 7) % size] = (char)(uint8_t)(place % 2 == 0 ? 'a' + place : 0xf0 - place);
    }
    return strview_make(bytes, size);
}

static void put_values(struct parquet_dictionary *dictionary, const struct strview *values,
                       uint32_t *codes)
{
    for (uint32_t at = 0; at < VALUES; at += BATCH) {
        parquet_dictionary_views(dictionary, values + at, BATCH, codes + at);
    }
}

static int set_up(void **state)
{
    struct fixture *at = mem_zalloc(sizeof *at);
    arena_init(&at->arena);
    for (uint32_t i = 0; i < VALUES; i++) {
        at->values[i] = make_value(&at->arena, i * 7919 % (VALUES / 2));
    }
    parquet_dictionary_init(&at->dictionary, 0);
    parquet_dictionary_init(&at->restored, 0);
    put_values(&at->dictionary, at->values, at->codes);
    *state = at;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *at = *state;
    parquet_dictionary_release(&at->restored);
    parquet_dictionary_release(&at->dictionary);
    arena_release(&at->arena);
    mem_free(at);
    return 0;
}

static void test_equal_strings_have_one_code_and_others_have_others(void **state)
{
    struct fixture *at = *state;
    uint32_t next = 0;
    for (uint32_t i = 0; i < VALUES; i++) {
        assert_true(at->codes[i] <= next); // in the order of first appearance
        next += at->codes[i] == next;
        struct str entry = parquet_dictionary_entry(&at->dictionary, at->codes[i]);
        assert_true(str_equal(entry, strview_str(&at->values[i])));
        assert_int_equal(parquet_dictionary_code(&at->dictionary, &at->values[i]), at->codes[i]);
    }
    assert_int_equal(at->dictionary.count, next);
}

// Against a look at all entries, where the outermost ones are used and where they are not.
static void test_bounds_are_those_of_the_entries_used(void **state)
{
    struct fixture *at = *state;
    for (uint32_t step = 1; step < 2500; step = step * 3 / 2 + 1) {
        struct str lower;
        struct str upper;
        struct str least = {NULL, 0};
        struct str greatest = {NULL, 0};
        memset(at->used, 0, sizeof at->used);
        for (uint32_t i = step / 2; i < at->dictionary.count; i += step) {
            struct str entry = parquet_dictionary_entry(&at->dictionary, i);
            at->used[i] = 1;
            least = least.ptr == NULL || str_compare(entry, least) < 0 ? entry : least;
            greatest = greatest.ptr == NULL || str_compare(entry, greatest) > 0 ? entry : greatest;
        }
        parquet_dictionary_bounds(&at->dictionary, at->used, &lower, &upper);
        assert_true(str_equal(lower, least));
        assert_true(str_equal(upper, greatest));
    }
}

static void test_entries_come_back_in_two_pieces(void **state)
{
    struct fixture *at = *state;
    const struct parquet_dictionary *whole = &at->dictionary;
    struct str plain = bytebuf_str(&whole->plain);
    uint32_t count = whole->count / 3;
    size_t size = (size_t)(parquet_dictionary_entry(whole, count).ptr - plain.ptr) - 4;
    assert_true(parquet_dictionary_restore(&at->restored, str_slice(plain, 0, size), count));
    assert_true(parquet_dictionary_restore(&at->restored, str_slice(plain, size, plain.size),
                                           whole->count - count));
    put_values(&at->restored, at->values, at->again);
    assert_memory_equal(at->codes, at->again, sizeof at->codes);
    assert_int_equal(at->restored.count, whole->count);
    struct str bounds[4];
    memset(at->used, 1, sizeof at->used);
    parquet_dictionary_bounds(whole, at->used, &bounds[0], &bounds[1]);
    parquet_dictionary_bounds(&at->restored, at->used, &bounds[2], &bounds[3]);
    assert_true(str_equal(bounds[0], bounds[2]) && str_equal(bounds[1], bounds[3]));
}

static void test_bytes_that_are_not_so_many_entries_are_refused(void **state)
{
    struct fixture *at = *state;
    const struct parquet_dictionary *whole = &at->dictionary;
    struct str plain = bytebuf_str(&whole->plain);
    assert_false(parquet_dictionary_restore(&at->restored, str_slice(plain, 0, plain.size - 1),
                                            whole->count));
    parquet_dictionary_release(&at->restored);
    assert_false(parquet_dictionary_restore(&at->restored, plain, whole->count - 1));
    parquet_dictionary_release(&at->restored);
    assert_false(parquet_dictionary_restore(&at->restored, plain, whole->count + 1));
}

static uint64_t number_of(uint32_t row, uint32_t kind)
{
    static const int64_t starts[] = {0, -900, INT32_MAX - 500, INT32_MIN};
    return (uint64_t)(starts[kind % 4] + row * 7919 % 2003 * (kind < 4 ? 1 : 4099));
}

static void test_numbers_have_their_codes_in_both_widths(void **state)
{
    (void)state;
    for (uint32_t kind = 0; kind < 16; kind++) {
        struct parquet_dictionary dictionary;
        uint32_t width = kind % 2 == 0 ? 4 : 8;
        uint32_t narrow[BATCH];
        uint64_t wide[BATCH];
        uint32_t codes[BATCH];
        parquet_dictionary_init(&dictionary, width);
        for (uint32_t at = 0; at < VALUES; at += BATCH) {
            for (uint32_t i = 0; i < BATCH; i++) {
                wide[i] = number_of(at + i, kind / 2);
                narrow[i] = (uint32_t)wide[i];
            }
            if (width == 4) {
                parquet_dictionary_codes32(&dictionary, narrow, BATCH, codes);
            } else {
                parquet_dictionary_codes64(&dictionary, wide, BATCH, codes);
            }
            for (uint32_t i = 0; i < BATCH; i++) {
                assert_true(codes[i] < dictionary.count);
                struct str entry = parquet_dictionary_entry(&dictionary, codes[i]);
                assert_memory_equal(entry.ptr, width == 4 ? (void *)&narrow[i] : (void *)&wide[i],
                                    width);
            }
        }
        assert_int_equal(dictionary.count, 2003);
        parquet_dictionary_release(&dictionary);
    }
}

#define UNIT(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT(test_equal_strings_have_one_code_and_others_have_others),
        UNIT(test_bounds_are_those_of_the_entries_used),
        UNIT(test_entries_come_back_in_two_pieces),
        UNIT(test_bytes_that_are_not_so_many_entries_are_refused),
        cmocka_unit_test(test_numbers_have_their_codes_in_both_widths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
