// SPDX-License-Identifier: Apache-2.0
//
// Transforms against the tables of the Iceberg spec ("Partition Transforms", appendix B) and of
// Java's tests.
#include "iceberg/spec/transform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "data/column.h"
#include "iceberg/spec/iceberg_type.h"
#include "iceberg/spec/murmur3.h"

static struct iceberg_value number(int64_t value)
{
    return (struct iceberg_value){.as.i64 = value};
}

static struct iceberg_value text(const char *value)
{
    return (struct iceberg_value){.as.bytes = str_from(value)};
}

static struct iceberg_value apply(const char *name, const struct iceberg_type *type,
                                  struct iceberg_value value)
{
    struct transform transform = transform_parse(str_from(name));
    return transform_apply(&transform, type, &value);
}

static void test_hashes_are_those_of_appendix_b(void **state)
{
    (void)state;
    unsigned char decimal[16];
    const unsigned char uuid[16] = {0xf7, 0x9c, 0x3e, 0x09, 0x67, 0x7c, 0x4b, 0xbd,
                                    0xa4, 0x79, 0x3f, 0x34, 0x9c, 0xb7, 0x85, 0xe7};
    assert_int_equal((int32_t)murmur3_i64(34), 2017239379);
    assert_int_equal((int32_t)murmur3_i64(17486), -653330422);       // date 2017-11-16
    assert_int_equal((int32_t)murmur3_i64(81068000000), -662762989); // time 22:31:08
    assert_int_equal((int32_t)murmur3_i64(1510871468000000), -2047944441);
    assert_int_equal((int32_t)murmur3_bytes("iceberg", 7), 1210000089);
    assert_int_equal((int32_t)murmur3_bytes(uuid, 16), 1488055340);
    assert_int_equal((int32_t)murmur3_bytes("\x00\x01\x02\x03", 4), -188683207);
    uint32_t size = iceberg_value_decimal_bytes(1420, decimal); // 14.20
    assert_int_equal((int32_t)murmur3_bytes(decimal, size), -500754589);
}

static void test_decimals_have_the_fewest_bytes(void **state)
{
    (void)state;
    static const struct {
        int64_t value;
        uint32_t size;
    } cases[] = {{0, 1}, {127, 1}, {128, 2}, {-128, 1}, {-129, 2}, {32767, 2}, {32768, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char bytes[16];
        assert_int_equal(iceberg_value_decimal_bytes(cases[i].value, bytes), cases[i].size);
    }
    unsigned char bytes[16];
    int128 most = int128_make(INT64_MAX, UINT64_MAX);
    assert_int_equal(iceberg_value_decimal_bytes(most, bytes), 16);
    assert_int_equal(bytes[0], 0x7f);
    assert_int_equal(iceberg_value_decimal_bytes(-most - 1, bytes), 16);
    assert_int_equal(bytes[0], 0x80);
}

static void test_temporal_transforms_are_floors(void **state)
{
    (void)state;
    const struct iceberg_type *date = iceberg_type_simple(ICEBERG_DATE);
    const struct iceberg_type *timestamp = iceberg_type_simple(ICEBERG_TIMESTAMP);
    assert_int_equal(apply("year", date, number(-1)).as.i64, -1); // 1969-12-31
    assert_int_equal(apply("month", date, number(-1)).as.i64, -1);
    assert_int_equal(apply("day", date, number(-1)).as.i64, -1);
    assert_int_equal(apply("year", date, number(17501)).as.i64, 47); // 2017-12-01
    assert_int_equal(apply("month", date, number(17501)).as.i64, 575);
    assert_int_equal(apply("day", timestamp, number(1512123175038194)).as.i64, 17501);
    assert_int_equal(apply("hour", timestamp, number(1512123175038194)).as.i64, 420034);
    assert_int_equal(apply("hour", timestamp, number(-1)).as.i64, -1);
    assert_int_equal(apply("year", timestamp, number(-1)).as.i64, -1);
    assert_true(apply("year", date, (struct iceberg_value){.is_null = true}).is_null);
}

static void test_truncate_goes_down_and_counts_code_points(void **state)
{
    (void)state;
    const struct iceberg_type *string = iceberg_type_simple(ICEBERG_STRING);
    const struct iceberg_type *number_type = iceberg_type_simple(ICEBERG_INT);
    struct arena arena = {0};
    const struct iceberg_type *decimal = iceberg_type_decimal(&arena, 9, 2);
    assert_int_equal(apply("truncate[10]", number_type, number(1)).as.i64, 0);
    assert_int_equal(apply("truncate[10]", number_type, number(-1)).as.i64, -10);
    struct iceberg_value value = {.as.i128 = 1065};
    assert_true(apply("truncate[50]", decimal, value).as.i128 == 1050); // 10.65 -> 10.50
    value.as.i128 = -1;
    assert_true(apply("truncate[10]", decimal, value).as.i128 == -10);
    assert_true(str_is(apply("truncate[3]", string, text("iceberg")).as.bytes, "ice"));
    assert_true(str_is(apply("truncate[2]", string, text("\xc3\xa9\xf0\x9f\x90\xa7x")).as.bytes,
                       "\xc3\xa9\xf0\x9f\x90\xa7"));
    arena_release(&arena);
}

static void test_values_are_shown_as_java_shows_them(void **state)
{
    (void)state;
    static const struct {
        const char *transform;
        enum iceberg_kind source;
        int64_t value;
        const char *shown;
    } cases[] = {
        {"year", ICEBERG_DATE, 47, "2017"},
        {"month", ICEBERG_DATE, 575, "2017-12"},
        {"month", ICEBERG_DATE, -1, "1969-12"},
        {"day", ICEBERG_TIMESTAMP, 17501, "2017-12-01"},
        {"hour", ICEBERG_TIMESTAMP, 420034, "2017-12-01-10"},
        {"hour", ICEBERG_TIMESTAMP, -1, "1969-12-31-23"},
        {"bucket[16]", ICEBERG_LONG, 7, "7"},
        {"identity", ICEBERG_TIMESTAMPTZ, 1512151975038194, "2017-12-01T18:12:55.038194Z"},
        {"identity", ICEBERG_TIME, 36775038194, "10:12:55.038194"},
        {"identity", ICEBERG_BOOLEAN, 1, "true"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct strbuf out;
        struct transform transform = transform_parse(str_from(cases[i].transform));
        struct iceberg_value value = number(cases[i].value);
        strbuf_init(&out, 100);
        transform_print_value(&out, &transform, iceberg_type_simple(cases[i].source), &value);
        assert_string_equal(out.ptr, cases[i].shown);
        strbuf_release(&out);
    }
}

static void test_a_column_gives_what_its_rows_give(void **state)
{
    (void)state;
    const struct iceberg_type *type = iceberg_type_simple(ICEBERG_LONG);
    struct transform bucket = transform_parse(STR_LIT("bucket[16]"));
    int64_t values[3] = {34, 0, -7};
    uint64_t valid[1] = {5};
    uint16_t codes[5] = {2, 0, 0, 1, 2};
    struct column flat = {PHYSICAL_I64, ENCODING_FLAT, 3, valid, values, NULL, NULL, NULL, 0};
    struct column dict = flat;
    dict.valid = NULL;
    struct column coded = {PHYSICAL_I64, ENCODING_DICT, 5, NULL, NULL, codes, &dict, NULL, 0};
    struct iceberg_value out[5];
    transform_column(&bucket, type, &flat, out);
    assert_int_equal(out[0].as.i64, 2017239379 % 16);
    assert_true(out[1].is_null);
    transform_column(&bucket, type, &coded, out);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(out[i].as.i64, apply("bucket[16]", type, number(values[codes[i]])).as.i64);
    }
}

static void test_what_is_not_known_is_kept(void **state)
{
    (void)state;
    struct err err;
    struct transform zorder = transform_parse(STR_LIT("zorder[4]"));
    assert_int_equal(zorder.kind, TRANSFORM_UNKNOWN);
    assert_int_equal(transform_parse(STR_LIT("bucket")).kind, TRANSFORM_UNKNOWN);
    assert_int_equal(transform_parse(STR_LIT("bucket[0]")).kind, TRANSFORM_UNKNOWN);
    assert_int_equal(transform_check(&zorder, iceberg_type_simple(ICEBERG_INT), &err),
                     STATUS_UNSUPPORTED);
    struct transform day = transform_parse(STR_LIT("day"));
    assert_int_equal(transform_check(&day, iceberg_type_simple(ICEBERG_INT), &err),
                     STATUS_UNSUPPORTED);
    assert_string_equal(err.text, "day cannot partition a int");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hashes_are_those_of_appendix_b),
        cmocka_unit_test(test_decimals_have_the_fewest_bytes),
        cmocka_unit_test(test_temporal_transforms_are_floors),
        cmocka_unit_test(test_truncate_goes_down_and_counts_code_points),
        cmocka_unit_test(test_values_are_shown_as_java_shows_them),
        cmocka_unit_test(test_a_column_gives_what_its_rows_give),
        cmocka_unit_test(test_what_is_not_known_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
