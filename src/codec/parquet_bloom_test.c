// SPDX-License-Identifier: Apache-2.0
#include "codec/parquet_bloom.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

static uint64_t hash_of(uint64_t value)
{
    return parquet_bloom_hash(str_make((const char *)&value, sizeof value));
}

static void fill(char *filter, size_t bytes, uint64_t values)
{
    memset(filter, 0, bytes);
    for (uint64_t i = 0; i < values; i++) {
        parquet_bloom_add(filter + parquet_bloom_block(bytes, hash_of(i)), hash_of(i));
    }
}

static uint64_t count_found(const char *filter, size_t bytes, uint64_t from, uint64_t to)
{
    uint64_t found = 0;
    for (uint64_t i = from; i < to; i++) {
        found += parquet_bloom_has(filter + parquet_bloom_block(bytes, hash_of(i)), hash_of(i));
    }
    return found;
}

// The values of xxHash's own description.
static void test_the_hash_is_xxh64(void **state)
{
    (void)state;
    assert_int_equal(parquet_bloom_hash(STR_LIT("")), UINT64_C(0xef46db3751d8e999));
    assert_int_equal(parquet_bloom_hash(STR_LIT("abc")), UINT64_C(0x44bc2cf5ad770999));
}

static void test_what_was_added_is_found_and_little_else(void **state)
{
    (void)state;
    static char filter[1 << 16];
    size_t bytes = parquet_bloom_size(10000, 0.01, sizeof filter);
    assert_int_equal(bytes, 1 << 14);
    fill(filter, bytes, 10000);
    assert_int_equal(count_found(filter, bytes, 0, 10000), 10000);
    uint64_t wrong = count_found(filter, bytes, 10000, 110000);
    assert_in_range(wrong, 1, 1300); // 1.0 % is what was asked for
}

static void test_sizes_stay_within_their_bounds(void **state)
{
    (void)state;
    assert_int_equal(parquet_bloom_size(0, 0.01, 1 << 20), PARQUET_BLOOM_BLOCK);
    assert_int_equal(parquet_bloom_size(UINT64_MAX, 0.01, 1 << 20), 1 << 20);
    assert_int_equal(parquet_bloom_size(UINT64_MAX, 0.01, 1), PARQUET_BLOOM_BLOCK);
    assert_int_equal(parquet_bloom_size(1 << 20, 0.01, 3000), 2048); // a power of two
}

static void test_folding_keeps_what_is_there(void **state)
{
    (void)state;
    static char filter[1 << 16];
    fill(filter, sizeof filter, 500);
    size_t bytes = parquet_bloom_fold(filter, sizeof filter, 0.01);
    assert_in_range(bytes, 512, 1024);
    assert_int_equal(count_found(filter, bytes, 0, 500), 500);
    assert_in_range(count_found(filter, bytes, 500, 100500), 0, 1100);
    fill(filter, PARQUET_BLOOM_BLOCK, 1);
    assert_int_equal(parquet_bloom_fold(filter, PARQUET_BLOOM_BLOCK, 0.5), PARQUET_BLOOM_BLOCK);
}

static void test_headers_are_read_as_written(void **state)
{
    (void)state;
    struct bytebuf out = {0};
    size_t bytes;
    size_t header;
    struct err err;
    parquet_bloom_put_header(&out, 4096);
    assert_true(out.size <= PARQUET_BLOOM_HEADER_MAX);
    bytebuf_add(&out, "behind", 6);
    assert_int_equal(parquet_bloom_parse(bytebuf_str(&out), &bytes, &header, &err), STATUS_OK);
    assert_int_equal(bytes, 4096);
    assert_int_equal(header, out.size - 6);
    for (size_t i = 0; i < header; i++) { // cut short
        assert_int_not_equal(parquet_bloom_parse(str_make(out.ptr, i), &bytes, &header, &err),
                             STATUS_OK);
        header = out.size - 6;
    }
    out.size = 0;
    parquet_bloom_put_header(&out, 33);
    assert_int_equal(parquet_bloom_parse(bytebuf_str(&out), &bytes, &header, &err),
                     STATUS_INVALID_DATA);
    bytebuf_release(&out);
    // Another algorithm: the union's second member.
    assert_int_equal(parquet_bloom_parse(STR_LIT("\x15\x80\x40\x1c\x2c\x00\x00\x1c\x1c\x00\x00"
                                                 "\x1c\x1c\x00\x00\x00"),
                                         &bytes, &header, &err),
                     STATUS_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_hash_is_xxh64),
        cmocka_unit_test(test_what_was_added_is_found_and_little_else),
        cmocka_unit_test(test_sizes_stay_within_their_bounds),
        cmocka_unit_test(test_folding_keeps_what_is_there),
        cmocka_unit_test(test_headers_are_read_as_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
