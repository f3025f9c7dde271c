// SPDX-License-Identifier: Apache-2.0
#include "iceberg/metadata_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/arena.h"
#include "store/store.h"
#include "store/store_memory.h"

static void put(struct store *store, const char *path, const char *content)
{
    struct err err;
    assert_int_equal(store_put(store, str_from(path), str_from(content), 0, &err), STATUS_OK);
}

// The current file of a directory with these metadata files (separated by blanks) and this hint.
static bool is_current(const char *files, const char *hint, const char *expected)
{
    struct store *store = store_memory_new(NULL);
    struct arena arena = {0};
    struct str rest = str_from(files);
    struct str location = {0};
    struct err err;
    put(store, "w/db/t/metadata/snap-1.avro", "");
    while (rest.size > 0) {
        size_t end = str_find(rest, ' ');
        put(store, arena_printf(&arena, "w/db/t/metadata/%.*s", (int)end, rest.ptr).ptr, "{}");
        rest = str_slice(rest, end < rest.size ? end + 1 : end, rest.size);
    }
    if (hint != NULL) {
        put(store, "w/db/t/metadata/version-hint.text", hint);
    }
    enum status status = metadata_file_find(store, &arena, STR_LIT("w/db/t"), &location, &err);
    bool same =
        expected == NULL
            ? status == STATUS_NOT_FOUND
            : status == STATUS_OK &&
                  str_is(location, arena_printf(&arena, "w/db/t/metadata/%s", expected).ptr);
    arena_release(&arena);
    store_free(store);
    return same;
}

static void the_hint_says_where_to_begin(void **state)
{
    (void)state;
    const char *three = "v1.metadata.json v2.metadata.json v3.metadata.json";
    assert_true(is_current(three, "3", "v3.metadata.json"));
    assert_true(is_current(three, " 3\n", "v3.metadata.json"));
    assert_true(is_current(three, "v2", "v3.metadata.json"));
    assert_true(is_current(three, "1", "v3.metadata.json")); // it came too late
    assert_true(is_current("v1.metadata.json v3.metadata.json", "1", "v1.metadata.json"));
    // Names in the hint.
    assert_true(is_current("00002-ab.metadata.json", "00002-ab", "00002-ab.metadata.json"));
    assert_true(
        is_current("00002-ab.metadata.json", "00002-ab.metadata.json", "00002-ab.metadata.json"));
}

static void without_a_good_hint_the_highest_version_counts(void **state)
{
    (void)state;
    const char *twelve = "v9.metadata.json v10.metadata.json v12.metadata.json";
    assert_true(is_current(twelve, NULL, "v12.metadata.json"));
    assert_true(is_current(twelve, "", "v12.metadata.json"));
    assert_true(is_current(twelve, "nonsense", "v12.metadata.json"));
    assert_true(is_current(twelve, "4", "v12.metadata.json"));
    assert_true(is_current(twelve, "-4", "v12.metadata.json"));
    assert_true(is_current(twelve, "../../x", "v12.metadata.json"));
    assert_true(
        is_current("00001-a.metadata.json 00010-b.metadata.json", NULL, "00010-b.metadata.json"));
    assert_true(is_current("vx.metadata.json v1.json", NULL, NULL));
    assert_true(is_current("", "7", NULL));
}

static void compressed_metadata_has_three_spellings(void **state)
{
    (void)state;
    assert_true(is_current("v1.metadata.json v2.gz.metadata.json", "1", "v2.gz.metadata.json"));
    assert_true(is_current("v1.metadata.json v2.metadata.json.gz", "2", "v2.metadata.json.gz"));
    assert_true(is_current("v1.metadata.json v2.gz.metadata.json", NULL, "v2.gz.metadata.json"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hint_says_where_to_begin),
        cmocka_unit_test(without_a_good_hint_the_highest_version_counts),
        cmocka_unit_test(compressed_metadata_has_three_spellings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
