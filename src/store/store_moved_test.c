// SPDX-License-Identifier: Apache-2.0
#include "store/store_moved.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/buf.h"
#include "store/store_memory.h"

static const char *const files[] = {
    "/copy/wh/db/t/metadata/v1.json",
    "/copy/wh/db/t/data/a.parquet",
    "/copy/wh/other/b.parquet",
    "/copy/wh/db/t/data/k=1/c.parquet",
    "/old/kept.parquet",
};

static struct store *disk(void)
{
    struct err err;
    struct store *store = store_memory_new(NULL);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        assert_int_equal(store_put(store, str_from(files[i]), str_from(files[i]), 0, &err),
                         STATUS_OK);
    }
    return store;
}

// What is read under `path` is the file `expected`; NULL: nothing is.
static void expect(struct store *store, const char *path, const char *expected)
{
    struct err err;
    struct buf *bytes;
    enum status status = store_read(store, str_from(path), 1000, &bytes, &err);
    if (expected == NULL) {
        assert_int_equal(status, STATUS_NOT_FOUND);
        return;
    }
    assert_int_equal(status, STATUS_OK);
    assert_true(str_is(str_make(bytes->ptr, bytes->size), expected));
    buf_unref(bytes);
}

static struct store *moved(struct store *below, const char *from)
{
    struct store_moved_options options = {.below = below,
                                          .from = str_from(from),
                                          .to = STR_LIT("/copy/wh/db/t"),
                                          .to_other = STR_LIT("/copy/wh/db/t/metadata")};
    return store_moved_new(&options);
}

static void test_prefixes_are_exchanged(void **state)
{
    (void)state;
    struct store *below = disk();
    struct store *store = moved(below, "s3://bucket/x/t2/");
    expect(store, "s3://bucket/x/t2/data/a.parquet", "/copy/wh/db/t/data/a.parquet");
    expect(store, "s3://bucket/x/t2/data/k=1/c.parquet", "/copy/wh/db/t/data/k=1/c.parquet");
    expect(store, "s3://bucket/x/t2/data/none.parquet", NULL);
    expect(store, "/old/kept.parquet", "/old/kept.parquet"); // what is there is as it is
    store_free(store);
    store_free(below);
}

static void test_what_stands_beside_the_folder_is_found(void **state)
{
    (void)state;
    struct store *below = disk();
    struct store *store = moved(below, "s3://bucket/wh/db/t");
    expect(store, "s3://bucket/wh/other/b.parquet", "/copy/wh/other/b.parquet");
    expect(store, "s3://bucket/wh/db/t/data/a.parquet", "/copy/wh/db/t/data/a.parquet");
    store_free(store);
    store = moved(below, "wh/db/t"); // written relative to a directory
    expect(store, "wh/other/b.parquet", "/copy/wh/other/b.parquet");
    expect(store, "wh/db/t/data/a.parquet", "/copy/wh/db/t/data/a.parquet");
    store_free(store);
    store_free(below);
}

static void test_ends_of_paths_are_found(void **state)
{
    (void)state;
    struct store *below = disk();
    struct store *store = moved(below, "file:/gone");
    expect(store, "gs://b/some/where/data/k=1/c.parquet", "/copy/wh/db/t/data/k=1/c.parquet");
    expect(store, "gs://b/some/where/data/a.parquet", "/copy/wh/db/t/data/a.parquet");
    expect(store, "elsewhere/v1.json", "/copy/wh/db/t/metadata/v1.json");
    expect(store, "a.parquet", NULL);
    store_free(store);
    store_free(below);
}

static void test_nothing_is_written(void **state)
{
    (void)state;
    struct err err;
    struct store_writer *writer;
    struct store *below = disk();
    struct store *store = moved(below, "file:/gone");
    assert_int_equal(store_put(store, STR_LIT("/x"), STR_LIT("x"), 0, &err), STATUS_UNSUPPORTED);
    assert_int_equal(store_create(store, STR_LIT("/x"), &writer, &err), STATUS_UNSUPPORTED);
    assert_int_equal(store_remove(store, STR_LIT("/old/kept.parquet"), &err), STATUS_UNSUPPORTED);
    expect(below, "/old/kept.parquet", "/old/kept.parquet");
    store_free(store);
    store_free(below);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prefixes_are_exchanged),
        cmocka_unit_test(test_what_stands_beside_the_folder_is_found),
        cmocka_unit_test(test_ends_of_paths_are_found),
        cmocka_unit_test(test_nothing_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
