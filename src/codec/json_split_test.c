// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "codec/json_split.h"

// The records of `text`, fed in pieces that grow by `step` bytes, each behind a '|'; then what was
// wrong.
static const char *split_all(const char *text, size_t step)
{
    static char out[1024];
    struct str whole = str_from(text);
    struct json_split split;
    struct err err = {.text = ""};
    size_t size = 0;
    size_t begin = 0;
    out[0] = '\0';
    json_split_init(&split, json_split_layout(whole));
    for (size_t end = step < whole.size ? step : whole.size;;) {
        struct str records[3];
        uint32_t count = 3;
        size_t used;
        bool is_last = end == whole.size;
        enum status status = json_split_next(&split, str_slice(whole, begin, end), is_last, records,
                                             &count, &used, &err);
        for (uint32_t i = 0; i < count; i++) {
            size += (size_t)snprintf(out + size, sizeof out - size, "|%.*s", STR_ARGS(records[i]));
        }
        begin += used;
        if (status == STATUS_OK && begin == whole.size && is_last) {
            status = json_split_finish(&split, &err);
            if (status == STATUS_OK) {
                return out;
            }
        }
        if (status != STATUS_OK) {
            snprintf(out + size, sizeof out - size, "!%s", err.text);
            return out;
        }
        end = end + step < whole.size ? end + step : whole.size;
    }
}

static void expect(const char *text, const char *records)
{
    for (size_t step = 1; step < 40; step += 3) {
        assert_string_equal(split_all(text, step), records);
    }
}

static void test_the_beginning_tells_the_layout(void **state)
{
    (void)state;
    assert_int_equal(json_split_layout(STR_LIT("{\"a\":1}\n{\"a\":2}\n")), JSON_SPLIT_LINES);
    assert_int_equal(json_split_layout(STR_LIT("{\"a\":\"}\\\"{\"}")), JSON_SPLIT_LINES);
    assert_int_equal(json_split_layout(STR_LIT("")), JSON_SPLIT_LINES);
    assert_int_equal(json_split_layout(STR_LIT("{\"a\":")), JSON_SPLIT_LINES);
    assert_int_equal(json_split_layout(STR_LIT("{\n \"a\":1}")), JSON_SPLIT_RECORDS);
    assert_int_equal(json_split_layout(STR_LIT("{}{}")), JSON_SPLIT_RECORDS);
    assert_int_equal(json_split_layout(STR_LIT("\xef\xbb\xbf [{")), JSON_SPLIT_ARRAY);
}

static void test_records_of_an_array(void **state)
{
    (void)state;
    expect("[]", "");
    expect(" [ {\"a\":[1,{}]} ,{\"b\":\"],\\\"\\\\\"}\n, 7,\"x\" , null]\n",
           "|{\"a\":[1,{}]}|{\"b\":\"],"
           "\\\"\\\\\"}|7|\"x\"|null");
}

static void test_records_over_several_lines(void **state)
{
    (void)state;
    expect("{\n\"a\" : {\"b\": 1}\n}\n\n{\"a\":2} {\"a\":3}",
           "|{\n\"a\" : {\"b\": 1}\n}|{\"a\":2}|{\"a\":3}");
}

static void test_what_is_no_array_is_said(void **state)
{
    (void)state;
    expect("[{} {}]", "|{}!not JSON: no ',' or ']' behind a record");
    expect("[{},]", "|{}!not JSON: a record is missing");
    expect("[{}] x", "|{}!not JSON: something stands behind the array");
    expect("[{}", "|{}!not JSON: the array does not end");
    expect("[{", "!not JSON: a record does not end");
    expect("[\"abc", "!not JSON: a record does not end");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_beginning_tells_the_layout),
        cmocka_unit_test(test_records_of_an_array),
        cmocka_unit_test(test_records_over_several_lines),
        cmocka_unit_test(test_what_is_no_array_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
