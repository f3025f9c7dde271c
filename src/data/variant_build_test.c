// SPDX-License-Identifier: Apache-2.0
#include "data/variant_build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/strbuf.h"

// a, b, c.
#define NAMES                                                                                      \
    "\x11\x03\x00\x01\x02\x03"                                                                     \
    "abc"

static void expect_bytes(const struct variant_build *build, struct str bytes)
{
    assert_int_equal(build->bytes.size, bytes.size);
    assert_memory_equal(build->bytes.ptr, bytes.ptr, bytes.size);
}

static void test_fields_are_put_in_the_order_of_names(void **state)
{
    (void)state;
    struct variant_build build = {0};
    struct variant_mark object = variant_build_open(&build);
    variant_build_field(&build, 2, STR_LIT("c"));
    variant_build_plain(&build, VARIANT_NULL);
    variant_build_field(&build, 0, STR_LIT("a"));
    struct variant_mark array = variant_build_open(&build);
    variant_build_element(&build);
    variant_build_int(&build, VARIANT_INT8, 7);
    variant_build_element(&build);
    variant_build_string(&build, STR_LIT("x"));
    assert_true(variant_build_array(&build, array));
    assert_true(variant_build_object(&build, object, 3));
    expect_bytes(&build, STR_LIT("\x02\x02\x00\x02\x01\x00\x0a\x00"
                                 "\x03\x02\x00\x02\x04\x0c\x07\x05x"));
    variant_build_release(&build);
}

static void test_a_name_twice_is_refused(void **state)
{
    (void)state;
    struct variant_build build = {0};
    struct variant_mark object = variant_build_open(&build);
    for (uint32_t i = 0; i < 2; i++) {
        variant_build_field(&build, 1, STR_LIT("b"));
        variant_build_plain(&build, VARIANT_TRUE);
    }
    assert_false(variant_build_object(&build, object, 3));
    variant_build_release(&build);
}

// More values than a byte counts, more bytes than two bytes of offset reach.
static void test_large_containers_widen(void **state)
{
    (void)state;
    enum { COUNT = 300, SIZE = 400 };
    struct variant_build build = {0};
    struct strbuf held;
    char text[SIZE];
    const char *what;
    memset(text, 'x', sizeof text);
    struct variant_mark array = variant_build_open(&build);
    for (uint32_t i = 0; i < COUNT; i++) {
        variant_build_element(&build);
        variant_build_string(&build, str_make(text, SIZE));
    }
    assert_true(variant_build_array(&build, array));
    strbuf_init(&held, 1 << 20);
    strbuf_add(&held, STR_LIT(NAMES));
    strbuf_add(&held, bytebuf_str(&build.bytes));
    assert_true(variant_check(strbuf_str(&held), &what));
    struct variant_names names;
    struct variant value;
    struct variant last;
    assert_true(variant_open(strbuf_str(&held), &names, &value));
    assert_int_equal(value.count, COUNT);
    assert_int_equal(value.offset_size, 3);
    assert_true(variant_element(&value, COUNT - 1, &last));
    assert_int_equal(last.as.bytes.size, SIZE);
    strbuf_release(&held);
    variant_build_release(&build);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields_are_put_in_the_order_of_names),
        cmocka_unit_test(test_a_name_twice_is_refused),
        cmocka_unit_test(test_large_containers_widen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
