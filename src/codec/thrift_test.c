// SPDX-License-Identifier: Apache-2.0
#include "codec/thrift.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

// The byte strings follow the examples and rules of thrift-compact-protocol.md.

static void test_fields_are_written_as_the_specification_says(void **state)
{
    (void)state;
    struct bytebuf out = {0};
    struct thrift_writer writer = {.out = &out};
    thrift_put_begin(&writer);
    thrift_put_i32(&writer, 1, -1);                // delta 1, i32: 0x15; zigzag 1
    thrift_put_bool(&writer, 3, true);             // delta 2, true: 0x21
    thrift_put_binary(&writer, 20, STR_LIT("ab")); // long form: 0x08, zigzag 20 = 40, length, bytes
    thrift_put_list(&writer, 21, THRIFT_I64, 2);   // delta 1, list: 0x19; 2 << 4 | i64
    thrift_put_element_i64(&writer, 50399);        // zigzag 100798 = 0xbe 0x93 0x06
    thrift_put_element_i64(&writer, 0);
    thrift_put_end(&writer);
    static const char expected[] = "\x15\x01\x21\x08\x28\x02"
                                   "ab\x19\x26\xbe\x93\x06\x00\x00";
    assert_int_equal(out.size, sizeof expected - 1);
    assert_memory_equal(out.ptr, expected, out.size);
    bytebuf_release(&out);
}

static void test_what_was_written_is_read_and_unknown_fields_are_skipped(void **state)
{
    (void)state;
    struct bytebuf out = {0};
    struct thrift_writer writer = {.out = &out};
    thrift_put_begin(&writer);
    thrift_put_i64(&writer, 1, INT64_MIN);
    thrift_put_struct(&writer, 2);
    thrift_put_binary(&writer, 7, STR_LIT("inner"));
    thrift_put_list(&writer, 8, THRIFT_TRUE, 20);
    for (int i = 0; i < 20; i++) {
        thrift_put_element_bool(&writer, i % 2 == 0);
    }
    thrift_put_end(&writer);
    thrift_put_i16(&writer, 3, -300);
    thrift_put_end(&writer);

    struct thrift_reader reader;
    thrift_reader_init(&reader, bytebuf_str(&out));
    struct thrift_struct at = thrift_struct_begin(&reader);
    assert_true(thrift_struct_next(&reader, &at));
    assert_true(thrift_i64(&reader, &at) == INT64_MIN);
    assert_true(thrift_struct_next(&reader, &at));
    assert_int_equal(at.id, 2);
    thrift_skip(&reader, &at);
    assert_true(thrift_struct_next(&reader, &at));
    assert_int_equal(thrift_i16(&reader, &at), -300);
    assert_false(thrift_struct_next(&reader, &at));
    assert_null(reader.failure);
    assert_int_equal(thrift_reader_used(&reader), out.size);
    bytebuf_release(&out);
}

static void test_every_truncation_is_damage_and_never_read_behind(void **state)
{
    (void)state;
    static const char bytes[] = "\x15\x01\x18\x02"
                                "ab\x1c\x15\x02\x00\x19\x26\xbe\x93\x06\x00\x00";
    for (size_t size = 0; size < sizeof bytes - 1; size++) {
        char *copy = mem_alloc(size); // so that the address sanitizer sees the end
        memcpy(copy, bytes, size);
        struct thrift_reader reader;
        thrift_reader_init(&reader, str_make(copy, size));
        struct thrift_struct at = thrift_struct_begin(&reader);
        while (thrift_struct_next(&reader, &at)) {
            thrift_skip(&reader, &at);
        }
        assert_non_null(reader.failure);
        mem_free(copy);
    }
}

static void test_deep_nesting_and_endless_lists_are_refused(void **state)
{
    (void)state;
    char deep[4096];
    memset(deep, 0x1c, sizeof deep); // a struct in a struct in a struct ...
    struct thrift_reader reader;
    thrift_reader_init(&reader, str_make(deep, sizeof deep));
    struct thrift_struct at = thrift_struct_begin(&reader);
    while (thrift_struct_next(&reader, &at)) {
        thrift_skip(&reader, &at);
    }
    assert_string_equal(reader.failure, "structs are nested too deeply");

    static const char endless[] = "\x19\xf5\xff\xff\xff\xff\x0f"; // 4 G elements, no bytes
    thrift_reader_init(&reader, str_make(endless, sizeof endless - 1));
    at = thrift_struct_begin(&reader);
    assert_true(thrift_struct_next(&reader, &at));
    assert_int_equal(thrift_list(&reader, &at, THRIFT_I32), 0);
    assert_string_equal(reader.failure, "a list has more elements than bytes are left");
}

static void test_a_field_of_another_type_is_damage(void **state)
{
    (void)state;
    struct thrift_reader reader;
    thrift_reader_init(&reader, STR_LIT("\x15\x01\x00"));
    struct thrift_struct at = thrift_struct_begin(&reader);
    assert_true(thrift_struct_next(&reader, &at));
    assert_int_equal(thrift_i64(&reader, &at), 0);
    assert_string_equal(reader.failure, "a field has the wrong type");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields_are_written_as_the_specification_says),
        cmocka_unit_test(test_what_was_written_is_read_and_unknown_fields_are_skipped),
        cmocka_unit_test(test_every_truncation_is_damage_and_never_read_behind),
        cmocka_unit_test(test_deep_nesting_and_endless_lists_are_refused),
        cmocka_unit_test(test_a_field_of_another_type_is_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
