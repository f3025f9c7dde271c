// SPDX-License-Identifier: Apache-2.0
#include "codec/json_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/arena.h"
#include "base/strbuf.h"

static enum status parse(struct arena *arena, const char *text, const struct json_tree **out,
                         struct err *err)
{
    return json_tree_parse(arena, str_from(text), out, err);
}

static void test_members_keep_their_order_and_the_last_of_a_key_counts(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct err err;
    const struct json_tree *root;
    int64_t number;
    assert_int_equal(parse(&arena,
                           " {\"b\": 1, \"a\":[true,null,-2.5e1],\"b\":9223372036854775807}", &root,
                           &err),
                     STATUS_OK);
    assert_int_equal(root->count, 3);
    assert_true(str_is(root->keys[0], "b") && str_is(root->keys[1], "a"));
    assert_true(json_tree_int(json_tree_get(root, "b"), &number));
    assert_true(number == INT64_MAX);
    const struct json_tree *array = json_tree_get(root, "a");
    assert_int_equal(array->count, 3);
    assert_true(array->items[0].kind == JSON_TREE_BOOL && array->items[0].as.boolean);
    assert_int_equal(array->items[1].kind, JSON_TREE_NULL);
    assert_true(array->items[2].kind == JSON_TREE_REAL && array->items[2].as.f64 < -24.9);
    assert_null(json_tree_get(root, "c"));
    arena_release(&arena);
}

static void test_escapes_become_characters(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct err err;
    const struct json_tree *root;
    assert_int_equal(parse(&arena, "\"\\u00e9\\n\\\"\\ud83d\\udc27/\\/\"", &root, &err), STATUS_OK);
    assert_true(str_is(root->text, "\xc3\xa9\n\"\xf0\x9f\x90\xa7//"));
    arena_release(&arena);
}

static void test_a_printed_tree_is_the_text_without_blanks(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct err err;
    struct strbuf out;
    const struct json_tree *root;
    strbuf_init(&out, 1000);
    assert_int_equal(
        parse(&arena, "{ \"a\\u0001\" : [ 1.50 , {} , [] , \"x\\ty\" ] }", &root, &err), STATUS_OK);
    json_tree_print(&out, root);
    assert_string_equal(out.ptr, "{\"a\\u0001\":[1.50,{},[],\"x\\ty\"]}");
    strbuf_release(&out);
    arena_release(&arena);
}

static void test_broken_texts_are_refused_at_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t offset;
    } cases[] = {
        {"", 0},
        {"{", 1},
        {"[1,]", 3},
        {"[1 2]", 3},
        {"{\"a\" 1}", 5},
        {"\"a", 1},
        {"\"\\x\"", 2},
        {"\"\\ud800\"", 7},
        {"01", 2},
        {"1.", 2},
        {"-", 1},
        {"tru", 0},
        {"1 1", 2},
        {"\"\x01\"", 1},
        {"\"\xc0\x80\"", 1},
        {"\"\xed\xa0\x80\"", 1},
        {"nul", 0},
        {"[1}", 2},
        {"{\"a\":1,}", 7},
        {"\"\xff\"", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        struct err err;
        const struct json_tree *root;
        assert_int_equal(parse(&arena, cases[i].text, &root, &err), STATUS_INVALID_DATA);
        assert_int_equal(err.offset, cases[i].offset);
        arena_release(&arena);
    }
}

static void test_deep_nesting_is_refused(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct err err;
    const struct json_tree *root;
    char text[10000];
    memset(text, '[', sizeof text);
    assert_int_equal(json_tree_parse(&arena, str_make(text, sizeof text), &root, &err),
                     STATUS_INVALID_DATA);
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members_keep_their_order_and_the_last_of_a_key_counts),
        cmocka_unit_test(test_escapes_become_characters),
        cmocka_unit_test(test_a_printed_tree_is_the_text_without_blanks),
        cmocka_unit_test(test_broken_texts_are_refused_at_their_place),
        cmocka_unit_test(test_deep_nesting_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
