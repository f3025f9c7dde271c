// SPDX-License-Identifier: Apache-2.0
#include "iceberg/hadoop_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/arena.h"
#include "base/buf.h"
#include "store/store.h"
#include "store/store_memory.h"

#define DIRECTORY STR_LIT("w/db/t")

// What goes wrong, and when.
struct trouble {
    enum store_memory_verb verb;
    int skip; // operations of the verb before it
    bool after;
    void (*meanwhile)(struct store *store);
    struct store *store;
};

static enum status fault(void *context, uint64_t operation, enum store_memory_verb verb,
                         struct str path, bool *after)
{
    struct trouble *trouble = context;
    (void)operation;
    (void)path;
    if (verb != trouble->verb || trouble->skip < 0 || trouble->skip-- > 0) {
        return STATUS_OK;
    }
    *after = trouble->after;
    return STATUS_IO;
}

static void put(struct store *store, const char *path, const char *content)
{
    struct err err;
    assert_int_equal(store_put(store, str_from(path), str_from(content), 0, &err), STATUS_OK);
}

static enum status swap(struct store *store, const char *expected, const char *content)
{
    struct err err;
    struct err ignored;
    struct str next = STR_LIT("w/db/t/metadata/new.metadata.json");
    if (store_remove(store, next, &ignored) != STATUS_OK) {
        // The last swap took it.
    }
    put(store, next.ptr, content);
    return hadoop_table_swap(store, DIRECTORY, str_from(expected), next, &err);
}

static bool holds(struct store *store, const char *path, const char *content)
{
    struct err err;
    struct buf *bytes;
    if (store_read(store, str_from(path), 100, &bytes, &err) != STATUS_OK) {
        return content == NULL;
    }
    bool same = content != NULL && str_is(str_make(bytes->ptr, bytes->size), content);
    buf_unref(bytes);
    return same;
}

#define V1 "w/db/t/metadata/v1.metadata.json"
#define V2 "w/db/t/metadata/v2.metadata.json"
#define V3 "w/db/t/metadata/v3.metadata.json"
#define HINT "w/db/t/metadata/version-hint.text"

static void a_swap_takes_the_next_version_once(void **state)
{
    (void)state;
    struct store *store = store_memory_new(NULL);
    assert_int_equal(swap(store, "", "one"), STATUS_OK);
    assert_true(holds(store, V1, "one") && holds(store, HINT, "1"));
    assert_int_equal(swap(store, "", "again"), STATUS_EXISTS);
    assert_int_equal(swap(store, V1, "two"), STATUS_OK);
    assert_int_equal(swap(store, V1, "other"), STATUS_CONFLICT);
    assert_true(holds(store, V2, "two") && holds(store, HINT, "2"));
    // Everything of an answered swap but the hint survives.
    store_memory_crash(store);
    assert_true(holds(store, V1, "one") && holds(store, V2, "two"));
    // The table is gone.
    struct err err;
    assert_int_equal(store_remove(store, STR_LIT(V1), &err), STATUS_OK);
    assert_int_equal(store_remove(store, STR_LIT(V2), &err), STATUS_OK);
    assert_int_equal(swap(store, V2, "three"), STATUS_NOT_FOUND);
    assert_int_equal(swap(store, "w/db/t/metadata/00001-a.metadata.json", "x"), STATUS_UNSUPPORTED);
    store_free(store);
}

static void a_version_that_was_cleaned_away_is_not_taken_again(void **state)
{
    (void)state;
    struct store *store = store_memory_new(NULL);
    put(store, "w/db/t/metadata/v8.metadata.json", "eight");
    put(store, HINT, "8");
    assert_int_equal(swap(store, V1, "two"), STATUS_CONFLICT); // v2 to v7 were
    assert_true(holds(store, V2, NULL));
    put(store, "w/db/t/metadata/v8.gz.metadata.json", "another eight");
    assert_int_equal(swap(store, "w/db/t/metadata/v8.metadata.json", "nine"), STATUS_OK);
    store_free(store);
}

static void a_swap_that_fails_says_what_it_knows(void **state)
{
    (void)state;
    struct trouble trouble = {.skip = -1};
    struct store_memory_options options = {.fault = fault, .context = &trouble};
    struct store *store = store_memory_new(&options);
    assert_int_equal(swap(store, "", "one"), STATUS_OK);
    trouble = (struct trouble){.verb = STORE_MEMORY_MOVE};
    assert_int_equal(swap(store, V1, "two"), STATUS_IO); // it did not move
    assert_true(holds(store, V2, NULL));
    trouble = (struct trouble){.verb = STORE_MEMORY_MOVE, .after = true};
    assert_int_equal(swap(store, V1, "two"), STATUS_OK); // the reply was lost
    assert_true(holds(store, V2, "two") && holds(store, HINT, "2"));
    trouble = (struct trouble){.verb = STORE_MEMORY_SYNC};
    assert_int_equal(swap(store, V2, "three"), STATUS_COMMIT_UNKNOWN);
    assert_true(holds(store, V3, "three") && holds(store, HINT, "2"));
    trouble = (struct trouble){.verb = STORE_MEMORY_PUT, .skip = 1}; // the hint
    assert_int_equal(swap(store, V3, "four"), STATUS_OK);
    assert_true(holds(store, HINT, "2"));
    store_free(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_swap_takes_the_next_version_once),
        cmocka_unit_test(a_version_that_was_cleaned_away_is_not_taken_again),
        cmocka_unit_test(a_swap_that_fails_says_what_it_knows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
