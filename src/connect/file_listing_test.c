// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "connect/file_hint.h"
#include "connect/file_listing.h"
#include "connect/file_partitions.h"
#include "data/column.h"
#include "data/type.h"

struct fixture {
    struct arena arena;
    char root[64];
    struct strbuf text;
};

static void put(struct fixture *at, const char *path)
{
    struct str whole = arena_printf(&at->arena, "%s/%s", at->root, path);
    const char *slash = strrchr(whole.ptr, '/');
    struct str directory = arena_str(&at->arena, str_slice(whole, 0, (size_t)(slash - whole.ptr)));
    struct err err;
    assert_int_equal(file_make_directories(directory.ptr, &err), STATUS_OK);
    assert_int_equal(file_replace(whole.ptr, "x", 1, &err), STATUS_OK);
}

static int set_up(void **state)
{
    static const char *const files[] = {
        "a.csv",       "b.csv",           "c.txt",     ".hidden.csv",
        "_meta/x.csv", "k=1/q=a b/x.csv", "k=1/y.csv", "k=2/deep/er/z.csv",
        "[odd]*.csv",  "sub.csv/in.csv",
    };
    struct fixture *at = calloc(1, sizeof *at);
    arena_init(&at->arena);
    strbuf_init(&at->text, 1 << 16);
    snprintf(at->root, sizeof at->root, "/tmp/frazil-listing-XXXXXX");
    assert_non_null(mkdtemp(at->root));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        put(at, files[i]);
    }
    *state = at;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *at = *state;
    struct str command = arena_printf(&at->arena, "rm -rf '%s'", at->root);
    assert_int_equal(system(command.ptr), 0);
    strbuf_release(&at->text);
    arena_release(&at->arena);
    free(at);
    return 0;
}

// The files, without the root in front, each with a blank behind.
static const char *list(struct fixture *at, const char *pattern)
{
    struct file_listing listing = {0};
    struct err err;
    struct str path = arena_printf(&at->arena, "%s/%s", at->root, pattern);
    strbuf_reset(&at->text);
    enum status status = file_listing_read(&at->arena, path, &listing, &err);
    for (uint32_t i = 0; status == STATUS_OK && i < listing.count; i++) {
        size_t size = strlen(at->root) + 1;
        strbuf_printf(&at->text, "%s ", listing.items[i].path.ptr + size);
    }
    return status == STATUS_OK ? (at->text.size > 0 ? at->text.ptr : "") : status_name(status);
}

static void test_patterns(void **state)
{
    struct fixture *at = *state;
    assert_string_equal(list(at, "?.csv"), "a.csv b.csv ");
    assert_string_equal(list(at, "[bc].*"), "b.csv c.txt ");
    assert_string_equal(list(at, "k=*/*.csv"), "k=1/y.csv ");
    assert_string_equal(list(at, "k=1/**"), "k=1/q=a b/x.csv k=1/y.csv ");
    assert_string_equal(list(at, "**/[xz].csv"), "k=1/q=a b/x.csv k=2/deep/er/z.csv ");
    assert_string_equal(list(at, "k=2/**/er/*.csv"), "k=2/deep/er/z.csv ");
    assert_string_equal(list(at, "nothing*"), "");
    assert_string_equal(list(at, "nothing/*"), "");
    assert_string_equal(list(at, "nothing"), "NOT_FOUND");
    assert_string_equal(list(at, "s*"), "sub.csv/in.csv ");
}

static void test_a_name_that_is_there_is_no_pattern(void **state)
{
    struct fixture *at = *state;
    assert_string_equal(list(at, "[odd]*.csv"), "[odd]*.csv ");
}

static void test_hidden_files_are_left_out_of_directories(void **state)
{
    struct fixture *at = *state;
    assert_string_equal(list(at, "k=1"), "k=1/q=a b/x.csv k=1/y.csv ");
    assert_null(strstr(list(at, ""), "hidden"));
    assert_null(strstr(list(at, "**"), "_meta"));
}

static void test_partitions_of_a_path(void **state)
{
    struct fixture *at = *state;
    const struct file_partition *found;
    uint32_t count;
    struct str path = STR_LIT("/x=0/d/k=%31/q=a%20b/n=__HIVE_DEFAULT_PARTITION__/k=7/f=g.csv");
    file_partitions_read(&at->arena, path, 5, &found, &count);
    assert_int_equal(count, 4);
    assert_true(str_is(found[0].value, "1"));
    assert_true(str_is(file_partitions_find(found, count, STR_LIT("q"))->value, "a b"));
    assert_true(file_partitions_find(found, count, STR_LIT("n"))->is_null);
    assert_null(file_partitions_find(found, count, STR_LIT("x")));
    struct column column;
    struct err err;
    const struct file_partition *k = file_partitions_find(found, count, STR_LIT("k"));
    assert_int_equal(file_partitions_column(&at->arena, k, &type_bigint, &column, &err), STATUS_OK);
    assert_int_equal(((const int64_t *)column.values)[0], 7);
    const struct file_partition *q = file_partitions_find(found, count, STR_LIT("q"));
    assert_int_equal(file_partitions_column(&at->arena, q, &type_bigint, &column, &err),
                     STATUS_INVALID_DATA);
    assert_string_equal(err.text, "'a b' in the directory q=… is no BIGINT");
}

static void test_missing_files_are_named_with_what_is_near(void **state)
{
    struct fixture *at = *state;
    struct err err;
    struct str path = arena_printf(&at->arena, "%s/k=1/z.csv", at->root);
    assert_int_equal(file_hint_missing(&at->arena, path, path, &err), STATUS_NOT_FOUND);
    assert_non_null(strstr(err.hint, "k=1/y.csv"));
    path = arena_printf(&at->arena, "%s/k=3/y.csv", at->root);
    assert_int_equal(file_hint_missing(&at->arena, path, path, &err), STATUS_NOT_FOUND);
    assert_non_null(strstr(err.hint, "k=1/y.csv"));
    path = arena_printf(&at->arena, "%s/k=2/*.txt", at->root);
    assert_int_equal(file_hint_missing(&at->arena, path, path, &err), STATUS_NOT_FOUND);
    assert_non_null(strstr(err.hint, "deep/"));
    assert_true(str_is(file_hint_stem(&at->arena, STR_LIT("a/b.c.csv")), "b"));
    assert_true(str_is(file_hint_stem(&at->arena, STR_LIT("a/.b/")), ".b"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_patterns),
        TEST(test_a_name_that_is_there_is_no_pattern),
        TEST(test_hidden_files_are_left_out_of_directories),
        TEST(test_partitions_of_a_path),
        TEST(test_missing_files_are_named_with_what_is_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
