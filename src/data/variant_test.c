// SPDX-License-Identifier: Apache-2.0
#include "data/variant.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "data/zone.h"

// Without names.
#define PLAIN "\x01\x00\x00"
// a, b, c.
#define NAMES                                                                                      \
    "\x11\x03\x00\x01\x02\x03"                                                                     \
    "abc"

static void expect_json(struct str held, const struct zone *zone, const char *json)
{
    struct strbuf text;
    const char *what;
    strbuf_init(&text, 1 << 16);
    assert_true(variant_check(held, &what));
    assert_true(variant_json(&text, held, zone));
    strbuf_add_byte(&text, '\0');
    assert_string_equal(text.ptr, json);
    strbuf_release(&text);
}

#define EXPECT(bytes, json) expect_json(STR_LIT(bytes), NULL, json)

// The examples of the format's own text and the bytes of Spark's parse_json().
static void test_every_type_has_its_json(void **state)
{
    (void)state;
    EXPECT(PLAIN "\x00", "null");
    EXPECT(PLAIN "\x04", "true");
    EXPECT(PLAIN "\x08", "false");
    EXPECT(PLAIN "\x0c\xde", "-34");
    EXPECT(PLAIN "\x10\xd2\x04", "1234");
    EXPECT(PLAIN "\x14\x39\x30\x00\x00", "12345");
    EXPECT(PLAIN "\x18\xea\x16\xb0\x4c\x02\x00\x00\x00", "9876543210");
    EXPECT(PLAIN "\x1c\x00\x00\x00\x00\x00\x00\x24\x40", "10.0");
    EXPECT(PLAIN "\x1c\x00\x00\x00\x20\x5f\xa0\x02\x42", "1.0E10");
    EXPECT(PLAIN "\x20\x02\xd2\x04\x00\x00", "12.34");
    EXPECT(PLAIN "\x20\x02\x14\x05\x00\x00", "13");
    EXPECT(PLAIN "\x24\x03\x9c\xff\xff\xff\xff\xff\xff\xff", "-0.1");
    EXPECT(PLAIN "\x28\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "-1");
    EXPECT(PLAIN "\x2c\x44\x4f\x00\x00", "\"2025-07-23\"");
    EXPECT(PLAIN "\x2c\xff\xff\xff\xff", "\"1969-12-31\"");
    EXPECT(PLAIN "\x30\x40\x42\x0f\x00\x00\x00\x00\x00", "\"1970-01-01 00:00:01+00:00\"");
    EXPECT(PLAIN "\x34\x0a\x00\x00\x00\x00\x00\x00\x00", "\"1970-01-01 00:00:00.00001\"");
    EXPECT(PLAIN "\x38\x00\x00\xc0\x3f", "1.5");
    EXPECT(PLAIN "\x3c\x02\x00\x00\x00\xff\xfe", "\"//4=\"");
    EXPECT(PLAIN "\x40\x03\x00\x00\x00\x61\x22\x62", "\"a\\\"b\"");
    EXPECT(PLAIN "\x44\x01\x00\x00\x00\x00\x00\x00\x00", "\"00:00:00.000001\"");
    EXPECT(PLAIN "\x48\x01\x00\x00\x00\x00\x00\x00\x00", "\"1970-01-01 00:00:00.000000001+00:00\"");
    EXPECT(PLAIN "\x4c\xff\xff\xff\xff\xff\xff\xff\xff", "\"1969-12-31 23:59:59.999999999\"");
    EXPECT(PLAIN "\x50\xf2\x4f\x9b\x64\x81\xfa\x49\xd1\xb7\x4e\x8c\x09\xa6\xe3\x1c\x56",
           "\"f24f9b64-81fa-49d1-b74e-8c09a6e31c56\"");
    EXPECT(PLAIN "\x0d\x73\x74\x72", "\"str\"");
    EXPECT(PLAIN "\x01", "\"\"");
}

static void test_containers_nest_and_values_stand_in_any_order(void **state)
{
    (void)state;
    EXPECT(PLAIN "\x03\x00\x00", "[]");
    EXPECT(NAMES "\x02\x00\x00", "{}");
    EXPECT(PLAIN "\x03\x02\x00\x01\x03\x00\x0c\x07", "[null,7]");
    // The value of c stands in front of that of a.
    EXPECT(NAMES "\x02\x02\x00\x02\x01\x00\x03\x00\x0c\x07", "{\"a\":7,\"c\":null}");
    EXPECT(NAMES "\x02\x01\x01\x00\x06\x02\x01\x02\x00\x01\x04", "{\"b\":{\"c\":true}}");
    // A large array: four bytes of count, two of each offset.
    EXPECT(PLAIN "\x17\x01\x00\x00\x00\x00\x00\x01\x00\x00", "[null]");
}

static void test_a_zone_moves_timestamps_with_one(void **state)
{
    (void)state;
    struct arena arena;
    const struct zone *zone;
    struct err err;
    arena_init(&arena);
    assert_int_equal(zone_load(&arena, STR_LIT("-04:00"), &zone, &err), STATUS_OK);
    expect_json(STR_LIT(PLAIN "\x30\x40\x42\x0f\x00\x00\x00\x00\x00"), zone,
                "\"1969-12-31 20:00:01-04:00\"");
    expect_json(STR_LIT(PLAIN "\x34\x40\x42\x0f\x00\x00\x00\x00\x00"), zone,
                "\"1970-01-01 00:00:01\"");
    arena_release(&arena);
}

static void expect_damage(struct str held, const char *says)
{
    const char *what;
    assert_false(variant_check(held, &what));
    assert_non_null(strstr(what, says));
}

static void test_damage_is_said(void **state)
{
    (void)state;
    expect_damage(STR_LIT(""), "dictionary");
    expect_damage(STR_LIT("\x02\x00\x00\x00"), "dictionary"); // another version
    expect_damage(STR_LIT("\x01\x01\x00"), "dictionary");
    expect_damage(STR_LIT("\xc1\xff\xff\xff\xff"), "dictionary");
    expect_damage(STR_LIT("\x01\x02\x00\x02\x01"
                          "a\x00"),
                  "name is not within");
    expect_damage(STR_LIT(PLAIN), "not whole");
    expect_damage(STR_LIT(PLAIN "\x54"), "type is not known");
    expect_damage(STR_LIT(PLAIN "\x18\x01"), "not whole");
    expect_damage(STR_LIT(PLAIN "\x40\xff\xff\xff\xff\x61"), "not whole");
    expect_damage(STR_LIT(PLAIN "\x20\x27\x00\x00\x00\x00"), "not whole"); // scale 39
    expect_damage(STR_LIT(PLAIN "\x00\x00"), "behind");
    expect_damage(STR_LIT(PLAIN "\x13\xff\xff\xff\xff\x00"), "not whole");
    expect_damage(STR_LIT(NAMES "\x02\x01\x03\x00\x01\x00"), "name is not known");
    expect_damage(STR_LIT(NAMES "\x02\x02\x01\x00\x00\x01\x02\x00\x00"), "order of their names");
    expect_damage(STR_LIT(NAMES "\x02\x02\x01\x01\x00\x01\x02\x00\x00"), "there twice");
    expect_damage(STR_LIT(PLAIN "\x03\x02\x00\x00\x01\x00"), "overlap");
}

// Arrays whose two elements are one and the same array: 2^n values in a few bytes each.
static void test_overlap_takes_no_time(void **state)
{
    (void)state;
    enum { LEVELS = 80, HEAD = 2 + 3 * 2 };
    struct strbuf held;
    struct strbuf text;
    const char *what;
    strbuf_init(&held, 1 << 16);
    strbuf_init(&text, 1 << 16);
    strbuf_add(&held, STR_LIT(PLAIN));
    for (uint32_t i = LEVELS; i-- > 0;) {
        uint16_t offsets[3] = {0, 0, (uint16_t)(i * HEAD + 1)};
        strbuf_add(&held, STR_LIT("\x07\x02"));
        strbuf_add(&held, str_make((const char *)offsets, sizeof offsets));
    }
    strbuf_add_byte(&held, '\0');
    assert_false(variant_json(&text, strbuf_str(&held), NULL));
    assert_false(variant_check(strbuf_str(&held), &what));
    assert_string_equal(what, "values overlap");
    strbuf_release(&held);
    strbuf_release(&text);
}

static void test_deep_nesting_is_refused(void **state)
{
    (void)state;
    enum { LEVELS = VARIANT_DEPTH_MAX + 10, HEAD = 8 }; // four bytes of offset each
    struct strbuf held;
    const char *what;
    strbuf_init(&held, 1 << 20);
    strbuf_add(&held, STR_LIT(PLAIN));
    for (uint32_t i = LEVELS; i-- > 0;) {
        uint32_t size = i * (2 + HEAD) + 1;
        uint32_t offsets[2] = {0, size};
        strbuf_add(&held, STR_LIT("\x0f\x01"));
        strbuf_add(&held, str_make((const char *)offsets, sizeof offsets));
    }
    strbuf_add_byte(&held, '\0');
    assert_false(variant_check(strbuf_str(&held), &what));
    assert_non_null(strstr(what, "too deeply"));
    struct strbuf text;
    strbuf_init(&text, 1 << 20);
    assert_false(variant_json(&text, strbuf_str(&held), NULL));
    strbuf_release(&text);
    strbuf_release(&held);
}

static void test_names_are_found(void **state)
{
    (void)state;
    struct variant_names names;
    uint32_t id;
    assert_true(variant_names_read(STR_LIT(NAMES), &names));
    assert_true(variant_names_find(&names, STR_LIT("c"), &id));
    assert_int_equal(id, 2);
    assert_false(variant_names_find(&names, STR_LIT("d"), &id));
    // Not sorted, and said not to be.
    assert_true(variant_names_read(STR_LIT("\x01\x02\x00\x01\x02"
                                           "za"),
                                   &names));
    assert_true(variant_names_find(&names, STR_LIT("a"), &id));
    assert_int_equal(id, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_type_has_its_json),
        cmocka_unit_test(test_containers_nest_and_values_stand_in_any_order),
        cmocka_unit_test(test_a_zone_moves_timestamps_with_one),
        cmocka_unit_test(test_damage_is_said),
        cmocka_unit_test(test_overlap_takes_no_time),
        cmocka_unit_test(test_deep_nesting_is_refused),
        cmocka_unit_test(test_names_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
