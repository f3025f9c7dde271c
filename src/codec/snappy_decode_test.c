// SPDX-License-Identifier: Apache-2.0
#include "codec/snappy_decode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>
#include <snappy-c.h>

#include "base/bytebuf.h"
#include "base/mem.h"

// ---- what both decoders say ----

// Copies that are just long enough, so that the address sanitizer sees where they end.
static char *exact(const char *bytes, size_t size)
{
    char *copy = mem_alloc(size + (size == 0));
    memcpy(copy, bytes, size);
    return copy;
}

// Ours in steps of `step` bytes; false: damage.
static bool decode(struct str block, char *out, size_t size, size_t step)
{
    struct snappy_decode decode;
    if (!snappy_decode_begin(&decode, block, out, size) || decode.size != size) {
        return false;
    }
    for (size_t wanted = 0; decode.done < size || wanted == 0;) {
        wanted = size - decode.done < step ? size : decode.done + step;
        if (!snappy_decode_until(&decode, wanted)) {
            return false;
        }
        assert_true(decode.done >= wanted && decode.done <= size);
        if (wanted == size) {
            break;
        }
    }
    return true;
}

// The library's word on the block, and ours, whole and in steps.
static void check_block(struct str block, bool is_expected)
{
    static const size_t steps[] = {SIZE_MAX, 1, 7, 100, 4096};
    size_t size;
    bool has_size = snappy_uncompressed_length(block.ptr, block.size, &size) == SNAPPY_OK;
    if (!has_size || size > (1 << 24)) {
        assert_false(is_expected);
        return;
    }
    char *bytes = exact(block.ptr, block.size);
    char *theirs = mem_alloc(size + 1);
    size_t got = size;
    bool is_right = snappy_uncompress(block.ptr, block.size, theirs, &got) == SNAPPY_OK;
    assert_int_equal(is_right, is_expected);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        char *ours = mem_alloc(size + (size == 0));
        memset(ours, 0x5a, size);
        assert_int_equal(decode(str_make(bytes, block.size), ours, size, steps[i]), is_right);
        if (is_right) {
            assert_memory_equal(ours, theirs, size);
        }
        mem_free(ours);
    }
    mem_free(theirs);
    mem_free(bytes);
}

// ---- blocks made by hand ----

static void add_size(struct bytebuf *block, size_t size)
{
    for (; size >= 0x80; size >>= 7) {
        bytebuf_add(block, &(uint8_t){(uint8_t)(size | 0x80)}, 1);
    }
    bytebuf_add(block, &(uint8_t){(uint8_t)size}, 1);
}

// A literal whose length is written in `extra` bytes behind the tag; 0: in the tag.
static void add_literal(struct bytebuf *block, size_t size, uint32_t extra)
{
    static uint32_t seed = 1;
    uint8_t tag = (uint8_t)((extra == 0 ? size - 1 : 59 + extra) << 2);
    uint32_t number = (uint32_t)size - 1;
    bytebuf_add(block, &tag, 1);
    for (uint32_t i = 0; i < extra; i++, number >>= 8) {
        bytebuf_add(block, &(uint8_t){(uint8_t)number}, 1);
    }
    for (size_t i = 0; i < size; i++) {
        seed = seed * 1664525 + 1013904223;
        bytebuf_add(block, &(uint8_t){(uint8_t)(seed >> 24)}, 1);
    }
}

// With an offset of one byte and three bits, of two or of four bytes.
static void add_copy(struct bytebuf *block, size_t size, size_t offset, uint32_t offset_bytes)
{
    uint8_t element[5] = {0};
    if (offset_bytes == 1) {
        element[0] = (uint8_t)(1 | (size - 4) << 2 | offset >> 8 << 5);
    } else {
        element[0] = (uint8_t)((offset_bytes == 2 ? 2 : 3) | (size - 1) << 2);
    }
    for (uint32_t i = 0; i < offset_bytes; i++) {
        element[1 + i] = (uint8_t)(offset >> (8 * i));
    }
    bytebuf_add(block, element, 1 + offset_bytes);
}

static struct str bytes_of(const struct bytebuf *block)
{
    return str_make(block->ptr, block->size);
}

// A literal, the copy in question, and `tail` bytes, so that it stands far from the end and near.
static void check_copy(size_t size, size_t offset, uint32_t offset_bytes, size_t tail)
{
    struct bytebuf block = {0};
    size_t head = offset < 70 ? 70 : offset;
    add_size(&block, head + size + tail);
    add_literal(&block, head, 3);
    add_copy(&block, size, offset, offset_bytes);
    if (tail > 0) {
        add_literal(&block, tail, 2);
    }
    check_block(bytes_of(&block), true);
    bytebuf_release(&block);
}

static void test_copies_of_every_length_and_offset(void **state)
{
    (void)state;
    static const size_t far[] = {100, 255, 256, 1000, 2047};
    for (size_t size = 1; size <= 64; size++) {
        for (size_t offset = 1; offset <= 70; offset++) {
            check_copy(size, offset, 2, 0);
            check_copy(size, offset, 2, 300);
            check_copy(size, offset, 4, 300);
            if (size >= 4 && size <= 11) {
                check_copy(size, offset, 1, 0);
                check_copy(size, offset, 1, 300);
            }
        }
        for (size_t i = 0; i < sizeof far / sizeof far[0]; i++) {
            check_copy(size, far[i], 2, 300);
            check_copy(size, far[i] * 31, 2, 300);
            check_copy(size, far[i] * 40, 4, 300);
            if (size >= 4 && size <= 11) {
                check_copy(size, far[i], 1, 300);
            }
        }
    }
}

static void test_literals_of_every_length(void **state)
{
    (void)state;
    static const size_t long_ones[] = {256, 257, 4096, 65536, 65537, 100000};
    for (size_t tail = 0; tail <= 400; tail += 400) {
        for (size_t size = 1; size <= 300 + sizeof long_ones / sizeof long_ones[0]; size++) {
            size_t real = size <= 300 ? size : long_ones[size - 301];
            for (uint32_t extra = 0; extra <= 4; extra++) {
                bool fits = extra == 0   ? real <= 60
                            : extra == 4 ? true
                                         : real <= (size_t)1 << (8 * extra);
                struct bytebuf block = {0};
                if (fits) {
                    add_size(&block, real + tail);
                    add_literal(&block, real, extra);
                    if (tail > 0) {
                        add_literal(&block, tail, 2);
                    }
                    check_block(bytes_of(&block), true);
                }
                bytebuf_release(&block);
            }
        }
    }
}

// ---- what the library writes ----

static void test_what_the_library_compresses(void **state)
{
    (void)state;
    enum { SIZE = 300000 };
    char *plain = mem_alloc(SIZE);
    char *packed = mem_alloc(snappy_max_compressed_length(SIZE));
    for (uint32_t kind = 0; kind < 4; kind++) {
        uint64_t seed = kind + 1;
        for (uint32_t i = 0; i < SIZE / 8; i++) {
            seed = seed * 6364136223846793005 + 1442695040888963407;
            uint64_t value = kind == 0   ? i                   // rising
                             : kind == 1 ? (seed >> 40) % 9000 // a few bytes of eight
                             : kind == 2 ? seed                // noise
                                         : UINT64_C(0x2020656874206e69) + (seed >> 60);
            memcpy(plain + (size_t)i * 8, &value, 8);
        }
        for (size_t size = 0; size <= SIZE; size = size < 400 ? size + 1 : size * 3) {
            size_t packed_size = snappy_max_compressed_length(size);
            assert_int_equal(snappy_compress(plain, size, packed, &packed_size), SNAPPY_OK);
            check_block(str_make(packed, packed_size), true);
        }
    }
    mem_free(packed);
    mem_free(plain);
}

// ---- damage ----

static void check_bad(const void *bytes, size_t size)
{
    check_block(str_make(bytes, size), false);
}

static void test_damage_is_seen(void **state)
{
    (void)state;
    check_bad("", 0);
    check_bad("\x80", 1);
    check_bad("\xff\xff\xff\xff\x7f", 5); // more than 32 bits
    check_bad("\x04", 1);                 // nothing behind the size
    check_bad("\x04\x0c"
              "abc",
              5); // a literal that is cut
    check_bad("\x03\x0c"
              "abcd",
              6);             // one longer than the block
    check_bad("\x04\xf0", 2); // without its length
    check_bad("\x04\xfc\xff\xff\xff\xff"
              "abcd",
              10); // of four GiB
    check_bad("\x08\x0c"
              "abcd\x0e\x00\x00",
              9); // a copy from nowhere
    check_bad("\x08\x0c"
              "abcd\x0e\x05\x00",
              9); // from in front of the output
    check_bad("\x08\x0c"
              "abcd\x0e\x04",
              8); // that is cut
    check_bad("\x04\x0c"
              "abcd\x0c"
              "abcd",
              11); // more than was announced
    check_bad("\x05\x0c"
              "abcd",
              6); // and less
}

// A long block with one byte changed: the two agree, whatever it is.
static void test_a_changed_byte(void **state)
{
    (void)state;
    struct bytebuf block = {0};
    add_size(&block, 2000 + 90 * 9);
    add_literal(&block, 2000, 2);
    for (uint32_t i = 0; i < 90; i++) {
        add_literal(&block, 1 + i % 3, 0);
        add_copy(&block, 8 - i % 3, 1 + i * 13, 2);
    }
    check_block(bytes_of(&block), true);
    for (size_t at = 0; at<block.size; at += at> 2 && at < 2000 ? 500 : 1) {
        for (uint32_t change = 1; change < 256; change += 2) {
            block.ptr[at] = (char)(block.ptr[at] ^ (char)change);
            size_t size;
            struct str bytes = bytes_of(&block);
            if (snappy_uncompressed_length(bytes.ptr, bytes.size, &size) == SNAPPY_OK &&
                size < 100000) {
                bool is_valid =
                    snappy_validate_compressed_buffer(bytes.ptr, bytes.size) == SNAPPY_OK;
                check_block(bytes, is_valid);
            }
            block.ptr[at] = (char)(block.ptr[at] ^ (char)change);
        }
    }
    bytebuf_release(&block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copies_of_every_length_and_offset),
        cmocka_unit_test(test_literals_of_every_length),
        cmocka_unit_test(test_what_the_library_compresses),
        cmocka_unit_test(test_damage_is_seen),
        cmocka_unit_test(test_a_changed_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
