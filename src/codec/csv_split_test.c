// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "codec/csv_split.h"

static uint64_t start_of(const char *text, uint64_t known, uint64_t target, size_t step)
{
    struct csv_split split;
    struct str whole = str_from(text);
    uint64_t start;
    csv_split_init(&split, ',', '"', known, target);
    for (size_t at = (size_t)known; at < whole.size; at += step) {
        size_t end = at + step < whole.size ? at + step : whole.size;
        if (csv_split_pass(&split, str_slice(whole, at, end), &start)) {
            return start;
        }
    }
    return whole.size;
}

// Every record of `text` begins where one of `starts` says, and whatever the target, known place
// and pieces are, the next of them is found.
static void expect(const char *text, const uint64_t *starts, size_t count)
{
    uint64_t size = strlen(text);
    for (uint64_t target = 0; target <= size; target++) {
        uint64_t next = size;
        for (size_t i = count; i-- > 0;) {
            next = starts[i] >= target ? starts[i] : next;
        }
        for (size_t k = 0; k < count && starts[k] <= target; k++) {
            for (size_t step = 1; step < 12; step++) {
                assert_int_equal(start_of(text, starts[k], target, step), next);
            }
        }
    }
}

static void test_lines_without_quotes(void **state)
{
    (void)state;
    expect("a,b\nc,d\n\ne\n", (const uint64_t[]){0, 4, 8, 9}, 4);
}

static void test_line_ends_within_quotes_begin_nothing(void **state)
{
    (void)state;
    expect("\"a\nb\",c\n\"x\"\"\n\"\"\",\"\n\"\r\ny\n", (const uint64_t[]){0, 8, 22}, 3);
}

static void test_quotes_within_a_field_are_no_quotes(void **state)
{
    (void)state;
    expect("5\" pipe,a\nb\"\"\nc,d\"\n", (const uint64_t[]){0, 10, 14}, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_without_quotes),
        cmocka_unit_test(test_line_ends_within_quotes_begin_nothing),
        cmocka_unit_test(test_quotes_within_a_field_are_no_quotes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
