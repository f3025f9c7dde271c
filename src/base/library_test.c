// SPDX-License-Identifier: Apache-2.0
#include "base/library.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

static struct {
    double (*cosine)(double);
    int (*missing)(void);
} calls;

static void test_calls_lead_into_the_library(void **state)
{
    static const struct library_call list[] = {{"cos", &calls.cosine}};
    static struct library library = LIBRARY("libm.so.6", "a cosine", list);
    struct err err;
    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(library_open(&library, &err), STATUS_OK);
        assert_true(calls.cosine(0) == 1);
    }
}

static void test_says_what_is_missing(void **state)
{
    static const struct library_call list[] = {{"cos", &calls.cosine},
                                               {"no_such_call", &calls.missing}};
    static struct library without_call = LIBRARY("libm.so.6", "a test", list);
    static struct library without_file = LIBRARY("libnosuchfile.so.1", "a test", list);
    struct err err;
    (void)state;
    assert_int_equal(library_open(&without_call, &err), STATUS_UNSUPPORTED);
    assert_non_null(strstr(err.text, "a test needs another version of libm.so.6"));
    assert_int_equal(library_open(&without_file, &err), STATUS_UNSUPPORTED);
    assert_non_null(strstr(err.text, "a test needs a library: libnosuchfile.so.1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls_lead_into_the_library),
        cmocka_unit_test(test_says_what_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
