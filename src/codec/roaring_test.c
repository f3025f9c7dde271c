// SPDX-License-Identifier: Apache-2.0
//
// Roaring sets against a plain array of bits; the files of Java's, C's and Iceberg's writers
// (fixtures), read, checked and written again byte for byte; damage.
#include "codec/roaring.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/bits.h"
#include "codec/deletion_vector.h"
#include "codec/fixture_testing.h"

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

enum { MODEL_VALUES = 3 << 16 };

static void expect_model(const struct roaring *set, const uint64_t *model, uint64_t base)
{
    uint64_t seed = 7;
    assert_int_equal(roaring_cardinality(set), bits_count(model, MODEL_VALUES));
    for (int round = 0; round < 300; round++) {
        uint32_t from = (uint32_t)(next_random(&seed) % (MODEL_VALUES - 2048));
        uint32_t count = (uint32_t)(next_random(&seed) % 2048) + 1;
        uint64_t mask[32] = {0};
        uint64_t want[32] = {0};
        bits_slice(model, from, count, want);
        bool any = roaring_mask(set, base + from, count, mask);
        assert_int_equal(any, bits_any(want, count));
        assert_memory_equal(mask, want, sizeof mask);
        assert_int_equal(roaring_contains(set, base + from), bits_get(model, from));
    }
}

static void expect_round_trip(const struct roaring *set, const uint64_t *model, uint64_t base)
{
    struct bytebuf bytes = {0};
    struct bytebuf again = {0};
    struct roaring copy = {0};
    struct err err;
    roaring_write(set, &bytes);
    struct str rest = bytebuf_str(&bytes);
    assert_int_equal(roaring_read(&rest, &copy, &err), STATUS_OK);
    assert_int_equal(rest.size, 0);
    expect_model(&copy, model, base);
    roaring_write(&copy, &again);
    assert_int_equal(again.size, bytes.size);
    assert_memory_equal(again.ptr, bytes.ptr, bytes.size);
    roaring_release(&copy);
    bytebuf_release(&bytes);
    bytebuf_release(&again);
}

// Values of every density, ascending, descending and shuffled, over containers of all kinds and
// over the limit of 32 bits.
static void sets_equal_the_model(void **state)
{
    (void)state;
    static uint64_t model[MODEL_VALUES / 64];
    static const uint64_t bases[] = {0, (UINT64_C(5) << 32) - (1 << 16), INT64_MAX - MODEL_VALUES};
    uint64_t seed = 1;
    for (int round = 0; round < 24; round++) {
        struct roaring set = {0};
        uint64_t base = bases[round % 3] & ~UINT64_C(63);
        uint32_t adds = 3U << (round * 2 / 3);
        memset(model, 0, sizeof model);
        for (uint32_t i = 0; i < adds; i++) {
            uint32_t at = round % 4 == 0   ? i % MODEL_VALUES
                          : round % 4 == 1 ? MODEL_VALUES - 1 - i % MODEL_VALUES
                                           : (uint32_t)(next_random(&seed) % MODEL_VALUES);
            roaring_add(&set, base + at);
            bits_set(model, at);
        }
        expect_model(&set, model, base);
        expect_round_trip(&set, model, base);
        roaring_optimize(&set);
        expect_model(&set, model, base);
        expect_round_trip(&set, model, base);
        roaring_add(&set, base + MODEL_VALUES - 1); // into runs
        bits_set(model, MODEL_VALUES - 1);
        assert_int_equal(roaring_last(&set), base + MODEL_VALUES - 1);
        expect_model(&set, model, base);
        assert_true(roaring_bytes(&set) > 0);
        roaring_release(&set);
    }
}

static void check_spec32(const char *name)
{
    struct bytebuf bytes = fixture_read(name);
    struct bytebuf again = {0};
    struct roaring set = {0};
    struct err err;
    struct str rest = bytebuf_str(&bytes);
    assert_int_equal(roaring_read32(&rest, &set, &err), STATUS_OK);
    assert_int_equal(rest.size, 0);
    uint64_t count = 0;
    for (uint64_t i = 0; i < 1000000; i++) {
        bool want = (i < 100000 && i % 1000 == 0) || (i >= 300000 && i < 600000 && i % 3 == 0) ||
                    (i >= 700000 && i < 800000);
        count += want;
        assert_int_equal(roaring_contains(&set, i), want);
    }
    assert_int_equal(roaring_cardinality(&set), count);
    roaring_write32(&set, &again);
    assert_int_equal(again.size, bytes.size);
    assert_memory_equal(again.ptr, bytes.ptr, bytes.size);
    roaring_release(&set);
    bytebuf_release(&bytes);
    bytebuf_release(&again);
}

static void files_of_the_specification(void **state)
{
    (void)state;
    check_spec32("RoaringBitmap-RoaringFormatSpec/testdata/bitmapwithoutruns.bin");
    check_spec32("RoaringBitmap-RoaringFormatSpec/testdata/bitmapwithruns.bin");
}

// The set of a file, and that it is written again byte for byte.
static struct roaring read_64(const char *name, bool is_vector)
{
    struct bytebuf bytes = fixture_read(name);
    struct bytebuf again = {0};
    struct roaring set = {0};
    struct err err;
    struct str rest = bytebuf_str(&bytes);
    enum status status =
        is_vector ? deletion_vector_read(rest, &set, &err) : roaring_read(&rest, &set, &err);
    if (status != STATUS_OK) {
        fail_msg("%s: %s", name, err.text);
    }
    if (is_vector) {
        deletion_vector_write(&set, &again);
    } else {
        roaring_write(&set, &again);
    }
    assert_int_equal(again.size, bytes.size);
    assert_memory_equal(again.ptr, bytes.ptr, bytes.size);
    bytebuf_release(&bytes);
    bytebuf_release(&again);
    return set;
}

static void files_of_64_bits(void **state)
{
    (void)state;
    struct roaring set = read_64("RoaringBitmap-RoaringFormatSpec/testdata64/bitmap64.bin", false);
    assert_int_equal(roaring_cardinality(&set), 32768 + 1000000 + 1);
    assert_true(roaring_contains(&set, 65534) && !roaring_contains(&set, 65535));
    assert_true(roaring_contains(&set, (UINT64_C(1) << 32) + 999999));
    assert_true(!roaring_contains(&set, (UINT64_C(1) << 32) + 1000000));
    assert_int_equal(roaring_last(&set), UINT64_C(1) << 48);
    roaring_release(&set);
    set = read_64("RoaringBitmap-RoaringFormatSpec/testdata64/portable_bitmap64.bin", false);
    assert_int_equal(roaring_cardinality(&set), 2 * (0x9001 + 0x6001 + 2 + 0x8000));
    roaring_release(&set);
}

#define ICEBERG "apache-iceberg/core/src/test/resources/org/apache/iceberg/deletes/"

// Iceberg's own: the same sets made here give the same bytes.
static void expect_same_bytes(struct roaring *set, const char *name, bool is_vector)
{
    struct bytebuf want = fixture_read(name);
    struct bytebuf got = {0};
    roaring_optimize(set);
    if (is_vector) {
        deletion_vector_write(set, &got);
    } else {
        roaring_write(set, &got);
    }
    assert_int_equal(got.size, want.size);
    assert_memory_equal(got.ptr, want.ptr, want.size);
    bytebuf_release(&want);
    bytebuf_release(&got);
    roaring_release(set);
}

static void files_of_iceberg(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool is_vector;
    } names[] = {
        {ICEBERG "64map32bitvals.bin", false},
        {ICEBERG "64mapempty.bin", false},
        {ICEBERG "64mapspreadvals.bin", false},
        {ICEBERG "all-container-types-position-index.bin", true},
        {ICEBERG "empty-position-index.bin", true},
        {ICEBERG "small-alternating-values-position-index.bin", true},
        {ICEBERG "small-and-large-values-position-index.bin", true},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct roaring set = read_64(names[i].name, names[i].is_vector);
        roaring_release(&set);
    }
    // This one went through a text encoding that did not know its bytes; Java refuses it as well.
    struct bytebuf damaged = fixture_read(ICEBERG "64maphighvals.bin");
    struct str rest = bytebuf_str(&damaged);
    struct roaring set = {0};
    struct err err;
    assert_int_equal(roaring_read(&rest, &set, &err), STATUS_INVALID_DATA);
    roaring_release(&set);
    bytebuf_release(&damaged);
    expect_same_bytes(&set, ICEBERG "empty-position-index.bin", true);
    for (uint64_t i = 1; i < 10; i += 2) {
        roaring_add(&set, i);
    }
    expect_same_bytes(&set, ICEBERG "small-alternating-values-position-index.bin", true);
    // As Java's test makes it: 100 and 101 as an array and above 2^31 ...
    roaring_add(&set, 100);
    roaring_add(&set, 101);
    roaring_add(&set, (uint64_t)INT32_MAX + 100);
    roaring_add(&set, (uint64_t)INT32_MAX + 101);
    expect_same_bytes(&set, ICEBERG "small-and-large-values-position-index.bin", true);
}

// {1, 3}: a vector that each byte changed or cut makes another or no vector, and no crash.
static void damage_is_found(void **state)
{
    (void)state;
    struct roaring set = {0};
    struct bytebuf good = {0};
    struct err err;
    roaring_add(&set, 1);
    roaring_add(&set, 3);
    deletion_vector_write(&set, &good);
    roaring_release(&set);
    for (size_t i = 0; i < good.size; i++) {
        char *bytes = mem_alloc(good.size);
        memcpy(bytes, good.ptr, good.size);
        bytes[i] = (char)(bytes[i] ^ 0x10);
        assert_int_equal(deletion_vector_read(str_make(bytes, good.size), &set, &err),
                         STATUS_INVALID_DATA);
        roaring_release(&set);
        assert_int_equal(deletion_vector_read(str_make(good.ptr, i), &set, &err),
                         STATUS_INVALID_DATA);
        roaring_release(&set);
        mem_free(bytes);
    }
    bytebuf_release(&good);
}

// Bitmaps that lie about themselves.
static void expect_refused(const char *bytes, size_t size, const char *why)
{
    struct roaring set = {0};
    struct err err;
    struct str rest = str_make(bytes, size);
    assert_int_equal(roaring_read32(&rest, &set, &err), STATUS_INVALID_DATA);
    if (strstr(err.text, why) == NULL) {
        fail_msg("'%s' does not say '%s'", err.text, why);
    }
    roaring_release(&set);
}

#define LIE(bytes, why) expect_refused(bytes, sizeof(bytes) - 1, why)

static void lies_are_found(void **state)
{
    (void)state;
    LIE("\x3b\x30\xff\xff", "ends at byte");                                   // 65,536 containers
    LIE("\x3a\x30\0\0\xff\xff\xff\xff", "containers");                         // 2^32 - 1 of them
    LIE("\x3c\x30\0\0\0\0\0\0", "cookie");                                     //
    LIE("\x3a\x30\0\0\1\0\0\0\0\0\1\0\x10\0\0\0\5\0\5\0", "array");            // 5, 5
    LIE("\x3a\x30\0\0\1\0\0\0\0\0\0\0\x11\0\0\0\5\0", "at byte 17");           // offset
    LIE("\x3b\x30\0\0\1\0\0\1\0\2\0\1\0\0\0\1\0\0\0", "runs are");             // runs 1, 1
    LIE("\x3b\x30\0\0\1\0\0\1\0\1\0\xff\xff\1\0", "runs are");                 // behind the end
    LIE("\x3b\x30\0\0\1\0\0\5\0\1\0\1\0\0\0", "said to have 6");               // cardinality
    LIE("\x3b\x30\0\0\1\0\0\0\0\0\0", "said to have 1");                       // no run at all
    LIE("\x3b\x30\1\0\3\1\0\0\0\1\0\0\0\1\0\0\0\0\0\1\0\0\0\0\0", "keys are"); // 1, 1
}

static void blocks_are_found_over_gaps(void **state)
{
    (void)state;
    struct roaring set = {0};
    uint64_t first = 0;
    assert_false(roaring_block(&set, 0, &first));
    roaring_add(&set, 70000);
    roaring_add(&set, UINT64_C(1) << 40);
    assert_true(roaring_block(&set, 0, &first) && first == 65536);
    assert_true(roaring_block(&set, 65536 + 65535, &first) && first == 65536);
    assert_true(roaring_block(&set, 131072, &first) && first == UINT64_C(1) << 40);
    assert_false(roaring_block(&set, first + 65536, &first));
    roaring_release(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_found_over_gaps),
        cmocka_unit_test(sets_equal_the_model),
        cmocka_unit_test(files_of_the_specification),
        cmocka_unit_test(files_of_64_bits),
        cmocka_unit_test(files_of_iceberg),
        cmocka_unit_test(damage_is_found),
        cmocka_unit_test(lies_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
