// SPDX-License-Identifier: Apache-2.0
//
// Values are Flink 2.1.1's, out of fixtures/flink-answers/scalar/json.
#include "expr/json_path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "data/variant.h"
#include "expr/json_doc.h"
#include "expr/json_variant.h"

static const char document[] =
    "{\"a\": 1, \"b\": {\"c\": [1, 2.5, \"x\", null, true]}, \"s\": \"text\", \"e\": \"\", "
    "\"n\": null, \"big\": 12345678901234567890, \"f\": 1.0, \"a b\": 7}";

// What is at a path, printed; "nothing", or "no path".
static void expect(const char *text, const char *path_text, const char *value)
{
    struct arena arena;
    arena_init(&arena);
    struct json_doc doc;
    assert_true(json_doc_parse(&arena, str_from(text), (struct json_doc_limits){0}, &doc));
    const struct json_path *path = json_path_compile(&arena, str_from(path_text));
    struct strbuf shown;
    strbuf_init(&shown, 1 << 16);
    struct json_doc found;
    if (path == NULL) {
        strbuf_add_text(&shown, "no path");
    } else if (!json_path_read(&arena, path, &doc, &found)) {
        strbuf_add_text(&shown, "nothing");
    } else {
        json_doc_print(&shown, &found);
    }
    assert_string_equal(shown.ptr, value);
    strbuf_release(&shown);
    arena_release(&arena);
}

static void test_members_and_elements(void **state)
{
    (void)state;
    expect(document, "$.a", "1");
    expect(document, "a", "1");
    expect(document, "$['a']", "1");
    expect(document, "$.['a b']", "7");
    expect(document, "$.b.c[2]", "\"x\"");
    expect(document, "$.b.c[-1]", "true");
    expect(document, "$.b.c[9]", "nothing");
    expect(document, "$.a.b", "nothing");
    expect(document, "$.zz", "nothing");
    expect(document, "$.n", "null");
    expect(document, "$.big", "12345678901234567890");
    expect(document, "$.f", "1.0");
}

static void test_paths_to_several_places_give_arrays(void **state)
{
    (void)state;
    expect(document, "$.b.c[*]", "[1,2.5,\"x\",null,true]");
    expect(document, "$.b.c[0:2]", "[1,2.5]");
    expect(document, "$.b.c[0,1]", "[1,2.5]");
    expect(document, "$..c", "[[1,2.5,\"x\",null,true]]");
    expect(document, "$.b.c[?(@ > 1)]", "[2.5]");
    expect("[{\"p\":5,\"k\":\"x\"},{\"p\":20,\"k\":\"y\"},{\"k\":\"x\"}]",
           "$[?(@.p < 10 && @.k == 'x')].p", "[5]");
    expect("[{\"p\":5},{\"q\":1}]", "$[?(@.p || @.q == 1)]", "[{\"p\":5},{\"q\":1}]");
    expect(document, "$.b.c.length()", "5");
}

static void test_modes(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    assert_true(json_path_is_lax(json_path_compile(&arena, STR_LIT("lax $.a"))));
    assert_false(json_path_is_lax(json_path_compile(&arena, STR_LIT("strict $.a"))));
    assert_false(json_path_is_lax(json_path_compile(&arena, STR_LIT("$.a"))));
    arena_release(&arena);
}

static void test_what_is_no_path(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",     "$.",           "$[",        "$.a[", "$.a[1",  "$['a", "lax $.c[0 to 1]",
        "$[?(", "$[?(@.a ==)]", "$.a.foo()", "$..",  "$[?(1)]"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        expect(document, bad[i], "no path");
    }
}

static void test_objects_print_with_sorted_keys_and_the_last_value_of_each(void **state)
{
    (void)state;
    expect("{\"b\": 1, \"a\": 2, \"b\": 3}", "$", "{\"a\":2,\"b\":3}");
    expect("{\"a\\u0062\": 1e3, \"x\": \"\\ud83d\\ude00\\n\"}", "$",
           "{\"ab\":1E+3,\"x\":\"\xf0\x9f\x98\x80\\n\"}");
}

static void test_what_is_no_json(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    static const char *const bad[] = {"",    "a",     "01", "TRUE",    "[1,",        "{'a':1}",
                                      "NaN", "1.",    "-",  "truex",   "{\"a\":1,}", "\"\\x\"",
                                      "\"a", "[1 2]", "1e", "{\"a\"}", "[\"\t\"]"};
    struct json_doc doc;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (json_doc_parse(&arena, str_from(bad[i]), (struct json_doc_limits){0}, &doc)) {
            fail_msg("%s", bad[i]);
        }
    }
    assert_true(json_doc_parse(&arena, STR_LIT("{} {}"), (struct json_doc_limits){0}, &doc));
    struct json_doc_limits whole = {.whole = true};
    assert_false(json_doc_parse(&arena, STR_LIT("{} {}"), whole, &doc));
    struct json_doc_limits once = {.no_repeated_key = true};
    assert_false(json_doc_parse(&arena, STR_LIT("{\"a\":1,\"a\":1}"), once, &doc));
    arena_release(&arena);
}

static void test_nesting_is_bounded(void **state)
{
    (void)state;
    static char deep[100001];
    for (size_t i = 0; i + 1 < sizeof deep; i++) {
        deep[i] = '[';
    }
    struct arena arena;
    arena_init(&arena);
    struct json_doc doc;
    assert_false(json_doc_parse(&arena, str_from(deep), (struct json_doc_limits){0}, &doc));
    arena_release(&arena);
}

static void expect_variant(const char *text, const char *shown)
{
    struct arena arena;
    arena_init(&arena);
    struct json_doc doc;
    assert_true(json_doc_parse(&arena, str_from(text), (struct json_doc_limits){0}, &doc));
    struct strbuf out;
    strbuf_init(&out, 1 << 10);
    struct str held;
    assert_true(json_variant(&arena, &doc, &held));
    assert_true(variant_json(&out, held, NULL));
    assert_string_equal(out.ptr, shown);
    strbuf_release(&out);
    arena_release(&arena);
}

static void test_numbers_of_variants(void **state)
{
    (void)state;
    expect_variant("1.0", "1");
    expect_variant("-129", "-129");
    expect_variant("-12.50", "-12.5");
    expect_variant("0.000", "0");
    expect_variant("99999999999999999999999999999999999999",
                   "99999999999999999999999999999999999999");
    expect_variant("0.99999999999999999999999999999999999999",
                   "0.99999999999999999999999999999999999999");
    expect_variant("[{\"b\":[],\"a\":{\"b\":true}},null]", "[{\"a\":{\"b\":true},\"b\":[]},null]");
    expect_variant("0.10", "0.1");
    expect_variant("1e3", "1000.0");
    expect_variant("-0", "0");
    expect_variant("12345678901234567890", "12345678901234567890");
    expect_variant("{\"b\":1,\"a\":2}", "{\"a\":2,\"b\":1}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members_and_elements),
        cmocka_unit_test(test_paths_to_several_places_give_arrays),
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_what_is_no_path),
        cmocka_unit_test(test_objects_print_with_sorted_keys_and_the_last_value_of_each),
        cmocka_unit_test(test_what_is_no_json),
        cmocka_unit_test(test_nesting_is_bounded),
        cmocka_unit_test(test_numbers_of_variants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
