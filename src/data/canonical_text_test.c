// SPDX-License-Identifier: Apache-2.0
#include "data/canonical_text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "data/column_builder.h"
#include "data/variant_build.h"

static void expect_column(const struct type *type, const struct column *column, const char *text)
{
    struct strbuf out;
    strbuf_init(&out, 1 << 16);
    canonical_text_value(&out, type, column, 0);
    assert_string_equal(out.ptr, text);
    strbuf_release(&out);
}

// One value, given as the bytes that a column of the type holds.
static void expect(const struct type *type, const void *value, const char *text)
{
    const struct column column = {.physical = type_physical(type), .row_count = 1, .values = value};
    expect_column(type, &column, text);
}

static void expect_double(double value, const char *text)
{
    expect(&type_double, &value, text);
}

static void expect_float(float value, const char *text)
{
    expect(&type_float, &value, text);
}

static void test_floats_are_the_shortest_that_read_back(void **state)
{
    (void)state;
    expect_double(1.5, "1.5");
    expect_double(-0.0, "-0.0");
    expect_double(100, "100.0");
    expect_double(0.0001, "0.0001");
    expect_double(0.00001, "1e-05");
    expect_double(1e15, "1000000000000000.0");
    expect_double(1e16, "1e+16");
    expect_double(1.7976931348623157e308, "1.7976931348623157e+308");
    expect_double(5e-324, "5e-324");
    expect_double(0.1 + 0.2, "0.30000000000000004");
    expect_double((double)NAN, "\"NaN\"");
    expect_double(-(double)INFINITY, "\"-Infinity\"");
    expect_float(0.1F, "0.1");
    expect_float(3.4028235e38F, "3.4028235e+38");
    expect_float(1e-45F, "1e-45");
}

static void test_times(void **state)
{
    (void)state;
    struct arena arena = {0};
    int32_t millis = 86399999;
    int64_t micros = INT64_C(86399999999);
    expect(&type_time, &millis, "\"23:59:59.999000\"");
    expect(type_sized(&arena, TYPE_TIME, 6, true), &micros, "\"23:59:59.999999\"");
    int64_t before = -1;
    expect(&type_timestamp6, &before, "\"1969-12-31T23:59:59.999999\"");
    expect(&type_timestamp_ltz3, &before, "\"1969-12-31T23:59:59.999999+00:00\"");
    struct nano nano = {-1, 999999999};
    expect(type_sized(&arena, TYPE_TIMESTAMP, 9, true), &nano, "\"1969-12-31T23:59:59.999999999\"");
    int32_t day = -719162;
    expect(&type_date, &day, "\"0001-01-01\"");
    int64_t last = INT64_MAX;
    expect(&type_timestamp6, &last, "\"+294247-01-10T04:00:54.775807\"");
    arena_release(&arena);
}

static void test_bytes_and_texts(void **state)
{
    (void)state;
    struct type uuid = {.kind = TYPE_BINARY, .length = 16, .is_uuid = true};
    const char bytes[] = "\xf7\x9c\x3e\x09\x67\x7c\x4b\xbd\xa4\x79\x3f\x34\x9c\xb7\x85\xe7";
    struct strview view = strview_make(bytes, 16);
    expect(&uuid, &view, "\"f79c3e09-677c-4bbd-a479-3f349cb785e7\"");
    uuid.is_uuid = false;
    expect(&uuid, &view, "\"f79c3e09677c4bbda4793f349cb785e7\"");
    view = strview_make("a\"\\\n\x01\x7f\xc3\xa9/", 9);
    expect(&type_string, &view, "\"a\\\"\\\\\\n\\u0001\x7f\xc3\xa9/\"");
    int64_t cents = -5;
    struct arena arena = {0};
    expect(type_decimal(&arena, 5, 2, true), &cents, "\"-0.05\"");
    arena_release(&arena);
}

static void test_maps_are_sorted_by_text(void **state)
{
    (void)state;
    struct arena arena = {0};
    const struct type *type = type_map(&arena, &type_string, &type_int, true);
    struct column_builder *builder = column_builder_new(&arena, type, 1);
    static const char *const keys[] = {"b", "ab", "a"};
    column_builder_list_begin(builder);
    for (int32_t i = 0; i < 3; i++) {
        column_builder_string(column_builder_child(builder, 0), str_from(keys[i]));
        if (i == 1) {
            column_builder_null(column_builder_child(builder, 1));
        } else {
            column_builder_i32(column_builder_child(builder, 1), i);
        }
    }
    column_builder_list_end(builder);
    struct column column = column_builder_finish(builder);
    expect_column(type, &column, "[[\"a\",2],[\"ab\",null],[\"b\",0]]");
    arena_release(&arena);
}

static void expect_variant(struct variant_build *build, const char *text)
{
    char held[512] = "\x01\x00\x00"; // a dictionary without names
    memcpy(held + 3, build->bytes.ptr, build->bytes.size);
    struct strview view = strview_make(held, 3 + build->bytes.size);
    expect(&type_variant, &view, text);
    variant_build_reset(build);
}

static void test_numbers_of_variants_are_plain(void **state)
{
    (void)state;
    struct variant_build build = {0};
    variant_build_double(&build, 1e10);
    expect_variant(&build, "10000000000");
    variant_build_double(&build, -0.00025);
    expect_variant(&build, "-0.00025");
    variant_build_double(&build, 2);
    expect_variant(&build, "2");
    variant_build_double(&build, 0);
    expect_variant(&build, "0");
    variant_build_double(&build, 1e300);
    expect_variant(&build, "1e+300");
    variant_build_decimal(&build, VARIANT_DECIMAL4, 1050, 2);
    expect_variant(&build, "10.5");
    variant_build_int(&build, VARIANT_INT32, -70000);
    expect_variant(&build, "-70000");
    variant_build_string(&build, STR_LIT("1.50 \x1f \"e\""));
    expect_variant(&build, "\"1.50 \\u001f \\\"e\\\"\"");
    variant_build_plain(&build, VARIANT_TRUE);
    expect_variant(&build, "true");
    variant_build_release(&build);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_floats_are_the_shortest_that_read_back),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_bytes_and_texts),
        cmocka_unit_test(test_maps_are_sorted_by_text),
        cmocka_unit_test(test_numbers_of_variants_are_plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
