// SPDX-License-Identifier: Apache-2.0
#include "codec/parquet_rle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/bits.h"

static void test_the_example_of_the_specification_packs_to_its_three_bytes(void **state)
{
    (void)state;
    // Encodings.md: the numbers 0 to 7 in 3 bits are 10001000 11000110 11111010.
    const uint32_t values[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    struct bytebuf out = {0};
    parquet_rle_encode_u32(&out, values, 8, 3);
    assert_int_equal(out.size, 4);
    assert_memory_equal(out.ptr, "\x03\x88\xc6\xfa", 4);
    out.size = 0;
    const uint8_t levels[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    parquet_rle_encode_u8(&out, levels, 8, 3);
    assert_memory_equal(out.ptr, "\x03\x88\xc6\xfa", 4);
    bytebuf_release(&out);
}

static void test_a_run_is_a_count_and_a_value(void **state)
{
    (void)state;
    uint32_t values[300];
    for (int i = 0; i < 300; i++) {
        values[i] = 0x1234;
    }
    struct bytebuf out = {0};
    parquet_rle_encode_u32(&out, values, 300, 13);
    assert_int_equal(out.size, 4);
    assert_memory_equal(out.ptr, "\xd8\x04\x34\x12", 4); // 300 << 1 as varint, two bytes
    bytebuf_release(&out);
}

static uint64_t next(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

enum { COUNT = 5000 };

// A mixture of runs and random stretches.
static void fill(uint32_t *values, uint32_t width, uint64_t seed)
{
    uint32_t mask = width == 32 ? UINT32_MAX : (1u << width) - 1;
    for (uint32_t i = 0; i < COUNT;) {
        uint32_t run = (uint32_t)(next(&seed) % 60);
        bool same = next(&seed) % 2 == 0;
        uint32_t value = (uint32_t)(next(&seed) << 7 ^ next(&seed)) & mask;
        for (uint32_t j = 0; j <= run && i < COUNT; j++, i++) {
            values[i] = same ? value : ((uint32_t)(next(&seed) << 7 ^ next(&seed)) & mask);
        }
    }
}

static void test_all_widths_come_back_in_pieces_of_any_size(void **state)
{
    (void)state;
    static uint32_t values[COUNT];
    static uint32_t back[COUNT];
    static uint16_t back16[COUNT];
    for (uint32_t width = 1; width <= 32; width++) {
        fill(values, width, width);
        struct bytebuf out = {0};
        parquet_rle_encode_u32(&out, values, COUNT, width);
        char *exact = mem_alloc(out.size); // so that the address sanitizer sees the end
        memcpy(exact, out.ptr, out.size);
        for (uint32_t step = 1; step < 3000; step = step * 3 + 1) {
            struct parquet_rle rle;
            struct parquet_rle rle16;
            parquet_rle_init(&rle, str_make(exact, out.size), width);
            parquet_rle_init(&rle16, str_make(exact, out.size), width);
            for (uint32_t at = 0; at < COUNT; at += step) {
                uint32_t count = COUNT - at < step ? COUNT - at : step;
                assert_true(parquet_rle_decode_u32(&rle, back + at, count));
                if (width <= 16) {
                    assert_true(parquet_rle_decode_u16(&rle16, back16 + at, count));
                    assert_int_equal(back16[at], values[at]);
                }
            }
            assert_memory_equal(back, values, sizeof values);
            assert_false(parquet_rle_decode_u32(&rle, back, 8)); // at most 7 of padding
        }
        mem_free(exact);
        bytebuf_release(&out);
    }
}

static void test_picked_values_are_those_at_their_places(void **state)
{
    (void)state;
    static uint32_t values[COUNT];
    uint64_t seed = 1;
    for (uint32_t width = 1; width <= 32; width++) {
        fill(values, width, width + 50);
        struct bytebuf out = {0};
        parquet_rle_encode_u32(&out, values, COUNT, width);
        char *exact = mem_alloc(out.size); // so that the address sanitizer sees the end
        memcpy(exact, out.ptr, out.size);
        for (uint32_t step = 1; step < 3000; step = step * 3 + 1) {
            struct parquet_rle rle;
            parquet_rle_init(&rle, str_make(exact, out.size), width);
            for (uint32_t at = 0; at < COUNT; at += step) {
                uint32_t count = COUNT - at < step ? COUNT - at : step;
                static uint16_t places[3000];
                static uint32_t picked[3000];
                uint32_t place_count = 0;
                for (uint32_t i = 0; i < count; i++) {
                    if (next(&seed) % (step % 7 + 1) == 0) {
                        places[place_count++] = (uint16_t)i;
                    }
                }
                assert_true(parquet_rle_pick(&rle, places, place_count, picked, count));
                for (uint32_t i = 0; i < place_count; i++) {
                    assert_int_equal(picked[i], values[at + places[i]]);
                }
            }
            assert_false(parquet_rle_skip(&rle, 8));
        }
        mem_free(exact);
        bytebuf_release(&out);
    }
}

static void test_masks_come_back_and_are_counted(void **state)
{
    (void)state;
    static uint64_t bits[64];
    static uint64_t back[64];
    uint64_t seed = 7;
    for (uint32_t count = 1; count <= 64 * 64; count += 61) {
        memset(bits, 0, sizeof bits);
        uint32_t ones = 0;
        for (uint32_t i = 0; i < count; i++) {
            bool set = i / 700 % 3 == 0 ? true : i / 700 % 3 == 1 ? false : next(&seed) % 3 == 0;
            if (set) {
                bits_set(bits, i);
                ones++;
            }
        }
        struct bytebuf out = {0};
        parquet_rle_encode_bits(&out, bits, count);
        struct parquet_rle rle;
        uint32_t found;
        parquet_rle_init(&rle, bytebuf_str(&out), 1);
        memset(back, 0xff, sizeof back);
        assert_true(parquet_rle_decode_bits(&rle, back, count, &found));
        assert_int_equal(found, ones);
        assert_memory_equal(back, bits, bits_words(count) * sizeof *bits);
        // In two pieces of any parting.
        uint32_t first = count / 3;
        parquet_rle_init(&rle, bytebuf_str(&out), 1);
        assert_true(parquet_rle_skip(&rle, first));
        assert_true(parquet_rle_decode_bits(&rle, back, count - first, &found));
        for (uint32_t i = first; i < count; i++) {
            assert_int_equal(bits_get(back, i - first), bits_get(bits, i));
        }
        bytebuf_release(&out);
    }
}

static void test_wide_values_are_packed_and_unpacked(void **state)
{
    (void)state;
    uint64_t values[64];
    uint64_t back[64];
    uint64_t seed = 3;
    for (uint32_t width = 0; width <= 64; width++) {
        for (int i = 0; i < 64; i++) {
            uint64_t value = next(&seed) << 40 ^ next(&seed) << 20 ^ next(&seed);
            values[i] = width == 64 ? value : value & ((UINT64_C(1) << width) - 1);
        }
        struct bytebuf out = {0};
        parquet_rle_pack_u64(&out, values, 64, width);
        assert_int_equal(out.size, 8 * width);
        char *exact = mem_alloc(out.size);
        memcpy(exact, out.ptr, out.size);
        parquet_rle_unpack_u64((const uint8_t *)exact, out.size, width, back, 64);
        assert_memory_equal(back, values, sizeof values);
        mem_free(exact);
        bytebuf_release(&out);
    }
}

static void test_damage_ends_the_values(void **state)
{
    (void)state;
    struct parquet_rle rle;
    uint32_t out[64];
    parquet_rle_init(&rle, STR_LIT("\xff\xff\xff\xff\xff\xff\xff"), 5); // an endless head
    assert_false(parquet_rle_decode_u32(&rle, out, 1));
    parquet_rle_init(&rle, STR_LIT("\x00\x01"), 5); // a run of none
    assert_false(parquet_rle_decode_u32(&rle, out, 1));
    parquet_rle_init(&rle, STR_LIT("\x09\x01\x02"), 8); // 32 values announced, 2 there
    assert_false(parquet_rle_decode_u32(&rle, out, 3));
    parquet_rle_init(&rle, STR_LIT("\x09\x01\x02"), 8);
    assert_true(parquet_rle_decode_u32(&rle, out, 2));
    assert_int_equal(out[1], 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_example_of_the_specification_packs_to_its_three_bytes),
        cmocka_unit_test(test_a_run_is_a_count_and_a_value),
        cmocka_unit_test(test_all_widths_come_back_in_pieces_of_any_size),
        cmocka_unit_test(test_picked_values_are_those_at_their_places),
        cmocka_unit_test(test_masks_come_back_and_are_counted),
        cmocka_unit_test(test_wide_values_are_packed_and_unpacked),
        cmocka_unit_test(test_damage_ends_the_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
