// SPDX-License-Identifier: Apache-2.0
#include "base/byte_source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/byte_sink.h"

static void test_ranges_are_read_and_those_outside_refused(void **state)
{
    (void)state;
    struct byte_source_memory memory;
    struct err err;
    char out[4] = "";
    byte_source_memory_init(&memory, STR_LIT("0123456789"));
    assert_int_equal(byte_source_read(&memory.source, 6, 4, out, &err), STATUS_OK);
    assert_memory_equal(out, "6789", 4);
    assert_int_equal(byte_source_read(&memory.source, 10, 0, out, &err), STATUS_OK);
    assert_int_equal(byte_source_read(&memory.source, 7, 4, out, &err), STATUS_INVALID_DATA);
    assert_string_equal(err.text, "memory: 4 bytes at 7 are not within its 10 bytes");
    assert_int_equal(byte_source_read(&memory.source, UINT64_MAX, 2, out, &err),
                     STATUS_INVALID_DATA);
    assert_memory_equal(byte_source_borrow(&memory.source, 3, 2), "34", 2);
    assert_null(byte_source_borrow(&memory.source, 9, 2));
}

static void test_a_slice_is_a_source_of_its_own(void **state)
{
    (void)state;
    struct byte_source_memory memory;
    struct byte_source_slice slice;
    struct err err;
    char out[3];
    byte_source_memory_init(&memory, STR_LIT("0123456789"));
    assert_int_equal(
        byte_source_slice_init(&slice, &memory.source, (struct byte_range){4, 3}, &err), STATUS_OK);
    assert_int_equal(slice.source.size, 3);
    assert_int_equal(byte_source_read(&slice.source, 0, 3, out, &err), STATUS_OK);
    assert_memory_equal(out, "456", 3);
    assert_int_equal(byte_source_read(&slice.source, 1, 3, out, &err), STATUS_INVALID_DATA);
    assert_int_equal(
        byte_source_slice_init(&slice, &memory.source, (struct byte_range){8, 3}, &err),
        STATUS_INVALID_DATA);
}

static void test_a_sink_in_memory_has_a_maximum(void **state)
{
    (void)state;
    struct byte_sink_memory memory;
    struct err err;
    byte_sink_memory_init(&memory, 10);
    assert_int_equal(byte_sink_write(&memory.sink, "01234", 5, &err), STATUS_OK);
    assert_int_equal(byte_sink_write(&memory.sink, "56789", 5, &err), STATUS_OK);
    assert_int_equal(byte_sink_write(&memory.sink, "x", 1, &err), STATUS_LIMIT);
    assert_int_equal(memory.sink.written, 10);
    assert_true(str_is(byte_sink_memory_bytes(&memory), "0123456789"));
    byte_sink_memory_release(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges_are_read_and_those_outside_refused),
        cmocka_unit_test(test_a_slice_is_a_source_of_its_own),
        cmocka_unit_test(test_a_sink_in_memory_has_a_maximum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
