// SPDX-License-Identifier: Apache-2.0
#include "session/settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

static void test_what_does_not_exist_yet_is_refused(void **state)
{
    (void)state;
    struct settings settings;
    struct err err;
    settings_init(&settings);
    assert_int_equal(settings_set(&settings, STR_LIT("table.exec.state.ttl"), STR_LIT("1 h"), &err),
                     STATUS_UNSUPPORTED);
    assert_string_equal(err.text, "'table.exec.state.ttl' = '1 h' is not supported yet");
    assert_string_equal(err.hint, "it is '0 ms'");
    assert_int_equal(
        settings_set(&settings, STR_LIT("table.exec.state.ttl"), STR_LIT("0 ms"), &err), STATUS_OK);
    assert_int_equal(settings_set(&settings, STR_LIT("table.dml-sync"), STR_LIT("FALSE"), &err),
                     STATUS_UNSUPPORTED);
    assert_int_equal(settings_set(&settings, STR_LIT("table.dml-sync"), STR_LIT("TRUE"), &err),
                     STATUS_OK);
    assert_int_equal(settings_set(&settings, STR_LIT("read.freshness"), STR_LIT("live"), &err),
                     STATUS_UNSUPPORTED);
    settings_release(&settings);
}

static void test_a_bad_value_of_a_known_key_is_refused_with_advice(void **state)
{
    (void)state;
    struct settings settings;
    struct err err;
    settings_init(&settings);
    assert_int_equal(
        settings_set(&settings, STR_LIT("execution.checkpointing.interval"), STR_LIT("soon"), &err),
        STATUS_INVALID_DATA);
    assert_string_equal(err.text, "'soon' is no value of 'execution.checkpointing.interval'");
    assert_string_equal(err.hint, "it takes a duration such as '10 s' or '200 ms'");
    assert_int_equal(settings_duration_ms(&settings, "execution.checkpointing.interval"), 10000);
    settings_release(&settings);
}

static void test_unknown_keys_are_kept_as_flink_keeps_them(void **state)
{
    (void)state;
    struct settings settings;
    settings_init(&settings);
    assert_int_equal(settings_set(&settings, STR_LIT("my.own.key"), STR_LIT("x"), NULL), STATUS_OK);
    assert_string_equal(settings_get(&settings, "my.own.key"), "x");
    settings_reset(&settings, STR_LIT("my.own.key"));
    assert_null(settings_get(&settings, "my.own.key"));
    settings_release(&settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_does_not_exist_yet_is_refused),
        cmocka_unit_test(test_a_bad_value_of_a_known_key_is_refused_with_advice),
        cmocka_unit_test(test_unknown_keys_are_kept_as_flink_keeps_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
