// SPDX-License-Identifier: Apache-2.0
#include "store/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/arena.h"
#include "base/buf.h"
#include "store/store_file.h"
#include "store/store_memory.h"
#include "sys/file.h"

static void remove_tree(const char *path)
{
    struct arena arena = {0};
    struct err err;
    struct file_entry *entries;
    size_t count;
    assert_int_equal(file_list(path, &arena, &entries, &count, &err), STATUS_OK);
    for (size_t i = 0; i < count; i++) {
        struct str below = arena_printf(&arena, "%s/%.*s", path, STR_ARGS(entries[i].name));
        if (entries[i].info.is_directory) {
            remove_tree(below.ptr);
        } else {
            assert_int_equal(file_remove(below.ptr, &err), STATUS_OK);
        }
    }
    assert_int_equal(file_remove_directory(path, &err), STATUS_OK);
    arena_release(&arena);
}

// Runs `test` on both stores: they make the same promises.
static void on_both(void (*test)(struct store *))
{
    char template[] = "/tmp/store_test.XXXXXX";
    assert_non_null(mkdtemp(template));
    struct store *store = store_file_new(template);
    test(store);
    store_free(store);
    remove_tree(template);
    store = store_memory_new(NULL);
    test(store);
    store_free(store);
}

static void put(struct store *store, const char *path, const char *content, int flags)
{
    struct err err;
    assert_int_equal(store_put(store, str_from(path), str_from(content), flags, &err), STATUS_OK);
}

static bool holds(struct store *store, const char *path, const char *content)
{
    struct err err;
    struct buf *bytes;
    enum status status = store_read(store, str_from(path), 1000, &bytes, &err);
    if (status == STATUS_NOT_FOUND) {
        return content == NULL;
    }
    assert_int_equal(status, STATUS_OK);
    bool equal = content != NULL && str_is(str_make(bytes->ptr, bytes->size), content);
    buf_unref(bytes);
    return equal;
}

static void objects_are_put_read_listed_removed(struct store *store)
{
    struct err err;
    struct arena arena;
    struct store_object *objects;
    size_t count;
    arena_init(&arena);
    put(store, "t/metadata/b", "bb", 0);
    put(store, "t/data/k=1/a", "a", 0);
    put(store, "t/data/c", "ccc", 0);
    assert_true(holds(store, "t/data/c", "ccc"));
    assert_int_equal(store_put(store, STR_LIT("t/data/c"), STR_LIT("x"), STORE_EXCLUSIVE, &err),
                     STATUS_EXISTS);
    assert_true(holds(store, "t/data/c", "ccc"));
    assert_int_equal(store_list(store, STR_LIT("t/data/"), &arena, &objects, &count, &err),
                     STATUS_OK);
    assert_int_equal(count, 2);
    assert_true(str_is(objects[0].path, "t/data/c") && objects[0].size == 3);
    assert_true(str_is(objects[1].path, "t/data/k=1/a") && objects[1].size == 1);
    assert_int_equal(store_list(store, STR_LIT("t/metadata/b"), &arena, &objects, &count, &err),
                     STATUS_OK);
    assert_int_equal(count, 1);
    assert_int_equal(store_list(store, STR_LIT("none/"), &arena, &objects, &count, &err),
                     STATUS_OK);
    assert_int_equal(count, 0);
    assert_int_equal(store_remove(store, STR_LIT("t/data/c"), &err), STATUS_OK);
    assert_int_equal(store_remove(store, STR_LIT("t/data/c"), &err), STATUS_NOT_FOUND);
    assert_true(holds(store, "t/data/c", NULL));
    arena_release(&arena);
}

static void test_objects_are_put_read_listed_removed(void **state)
{
    (void)state;
    on_both(objects_are_put_read_listed_removed);
}

static void a_move_never_takes_the_place_of_another(struct store *store)
{
    struct err err;
    put(store, "t/a", "a", 0);
    put(store, "t/b", "b", 0);
    assert_int_equal(store_move(store, STR_LIT("t/a"), STR_LIT("t/b"), &err), STATUS_EXISTS);
    assert_true(holds(store, "t/a", "a") && holds(store, "t/b", "b"));
    assert_int_equal(store_move(store, STR_LIT("t/a"), STR_LIT("t/c"), &err), STATUS_OK);
    assert_true(holds(store, "t/a", NULL) && holds(store, "t/c", "a"));
    assert_int_equal(store_move(store, STR_LIT("t/a"), STR_LIT("t/d"), &err), STATUS_NOT_FOUND);
}

static void test_a_move_never_takes_the_place_of_another(void **state)
{
    (void)state;
    on_both(a_move_never_takes_the_place_of_another);
}

static void what_is_written_appears_at_the_finish(struct store *store)
{
    struct err err;
    struct store_writer *writer;
    assert_int_equal(store_create(store, STR_LIT("d/x"), &writer, &err), STATUS_OK);
    assert_int_equal(byte_sink_write(&writer->sink, "12", 2, &err), STATUS_OK);
    assert_int_equal(byte_sink_write(&writer->sink, "345", 3, &err), STATUS_OK);
    assert_true(holds(store, "d/x", NULL));
    assert_int_equal(store_finish(writer, STORE_EXCLUSIVE, &err), STATUS_OK);
    assert_int_equal(writer->sink.written, 5);
    store_close(writer);
    assert_true(holds(store, "d/x", "12345"));

    assert_int_equal(store_create(store, STR_LIT("d/y"), &writer, &err), STATUS_OK);
    assert_int_equal(byte_sink_write(&writer->sink, "12", 2, &err), STATUS_OK);
    store_close(writer);
    assert_true(holds(store, "d/y", NULL));

    struct store_reader *reader;
    char bytes[3];
    assert_int_equal(store_open(store, STR_LIT("d/x"), &reader, &err), STATUS_OK);
    assert_int_equal(byte_source_read(&reader->source, 1, 3, bytes, &err), STATUS_OK);
    assert_memory_equal(bytes, "234", 3);
    assert_int_equal(byte_source_read(&reader->source, 4, 3, bytes, &err), STATUS_INVALID_DATA);
    store_reader_close(reader);
}

static void test_what_is_written_appears_at_the_finish(void **state)
{
    (void)state;
    on_both(what_is_written_appears_at_the_finish);
}

static void test_a_file_uri_is_its_path(void **state)
{
    (void)state;
    struct store *store = store_file_new("/nowhere");
    char template[] = "/tmp/store_test_uri.XXXXXX";
    char uri[200];
    assert_non_null(mkdtemp(template));
    snprintf(uri, sizeof uri, "file://%s/x", template);
    put(store, uri, "1", 0);
    snprintf(uri, sizeof uri, "file:%s/x", template);
    assert_true(holds(store, uri, "1"));
    snprintf(uri, sizeof uri, "%s/x", template);
    assert_true(holds(store, uri, "1"));
    remove_tree(template);
    store_free(store);
}

static void test_a_power_loss_takes_what_was_not_synced(void **state)
{
    (void)state;
    struct err err;
    struct store *store = store_memory_new(NULL);
    struct store_writer *writer;
    put(store, "d/old", "old", 0);
    put(store, "d/old", "new", STORE_SYNC_LATER);
    put(store, "d/lost", "x", STORE_SYNC_LATER);
    put(store, "e/kept", "y", STORE_SYNC_LATER);
    assert_int_equal(store_sync(store, STR_LIT("e"), &err), STATUS_OK);
    assert_int_equal(store_create(store, STR_LIT("d/open"), &writer, &err), STATUS_OK);
    assert_true(holds(store, "d/old", "new"));
    store_memory_crash(store);
    assert_true(holds(store, "d/old", "old"));
    assert_true(holds(store, "d/lost", NULL));
    assert_true(holds(store, "e/kept", "y"));
    assert_int_equal(byte_sink_write(&writer->sink, "12", 2, &err), STATUS_IO);
    store_close(writer);
    store_free(store);
}

struct fault {
    uint64_t at;
    bool after;
};

static enum status fault_at(void *context, uint64_t operation, enum store_memory_verb verb,
                            struct str path, bool *fault_after)
{
    const struct fault *fault = context;
    (void)verb;
    (void)path;
    *fault_after = fault->after;
    return operation == fault->at ? STATUS_UNAVAILABLE : STATUS_OK;
}

static void test_a_lost_answer_leaves_the_object(void **state)
{
    (void)state;
    struct err err;
    struct fault fault = {.at = 0, .after = false};
    struct store *store =
        store_memory_new(&(struct store_memory_options){.fault = fault_at, .context = &fault});
    assert_int_equal(store_put(store, STR_LIT("a"), STR_LIT("1"), 0, &err), STATUS_UNAVAILABLE);
    assert_true(holds(store, "a", NULL));
    fault = (struct fault){.at = store_memory_operations(store), .after = true};
    assert_int_equal(store_put(store, STR_LIT("a"), STR_LIT("1"), 0, &err), STATUS_UNAVAILABLE);
    assert_true(holds(store, "a", "1"));
    store_free(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_objects_are_put_read_listed_removed),
        cmocka_unit_test(test_a_move_never_takes_the_place_of_another),
        cmocka_unit_test(test_what_is_written_appears_at_the_finish),
        cmocka_unit_test(test_a_file_uri_is_its_path),
        cmocka_unit_test(test_a_power_loss_takes_what_was_not_synced),
        cmocka_unit_test(test_a_lost_answer_leaves_the_object),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
