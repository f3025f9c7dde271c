// SPDX-License-Identifier: Apache-2.0
//
// Commits over a store in memory and a pointer that misbehaves on demand.
#include "iceberg/commit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "iceberg/manifest.h"
#include "iceberg/test_world.h"
#include "store/store.h"

static const uint64_t writer_tag = 0xabcdef;

static struct data_file file_of(const char *path, const struct iceberg_value *day, int64_t rows)
{
    return (struct data_file){.path = str_from(path),
                              .format = STR_LIT("PARQUET"),
                              .partition = day,
                              .record_count = rows,
                              .file_size = rows * 10,
                              .sort_order_id = 0,
                              .first_row_id = DATA_FILE_NONE,
                              .content_offset = DATA_FILE_NONE,
                              .content_size = DATA_FILE_NONE};
}

// Appends one file; its object is put into the store, too.
static enum status append(struct world *world, struct iceberg_table *table, const char *path,
                          int64_t day, int64_t rows, struct commit_result *result, struct err *err)
{
    struct iceberg_value partition = {.as.i64 = day};
    struct data_file file = file_of(path, &partition, rows);
    struct commit_options options = {.files = &file, .file_count = 1, .writer_tag = writer_tag};
    assert_int_equal(store_put(world->store, str_from(path), STR_LIT("data"), 0, err), STATUS_OK);
    world->now_ms += 10000;
    return commit_run(table, &options, result, err);
}

static bool exists(struct world *world, struct str path)
{
    struct store_object object;
    struct err err;
    return store_info(world->store, path, &object, &err) == STATUS_OK;
}

static uint32_t count_ending(struct world *world, const char *prefix, const char *suffix)
{
    struct arena arena = {0};
    struct err err;
    struct store_object *objects;
    size_t count;
    assert_int_equal(store_list(world->store, str_from(prefix), &arena, &objects, &count, &err),
                     STATUS_OK);
    uint32_t ending = 0;
    for (size_t i = 0; i < count; i++) {
        ending += str_ends(objects[i].path, suffix);
    }
    arena_release(&arena);
    return ending;
}

static uint32_t count_objects(struct world *world, const char *prefix)
{
    return count_ending(world, prefix, "");
}

// All live files of the current snapshot must be there, with the manifests that lead to them.
static uint32_t live_files(struct world *world, struct iceberg_table *table)
{
    const struct table_snapshot *snapshot = table_metadata_current(table->metadata);
    const struct manifest_file *manifests;
    uint32_t count;
    uint32_t files = 0;
    struct err err;
    assert_int_equal(iceberg_table_manifests(table, snapshot, &manifests, &count, &err), STATUS_OK);
    for (uint32_t i = 0; i < count; i++) {
        struct buf *bytes;
        struct manifest_reader *reader;
        struct manifest_entry entry;
        assert_int_equal(store_read(world->store, manifests[i].path, 1 << 20, &bytes, &err),
                         STATUS_OK);
        struct manifest_reader_options options = {
            .file = &manifests[i],
            .spec = table_metadata_spec(table->metadata, manifests[i].spec_id)};
        assert_int_equal(
            manifest_reader_open(str_make(bytes->ptr, bytes->size), &options, &reader, &err),
            STATUS_OK);
        while (manifest_reader_next(reader, &entry, &err) == STATUS_OK) {
            assert_true(exists(world, entry.file.path));
            assert_true(entry.sequence_number > 0 || table->metadata->format_version == 1);
            files++;
        }
        manifest_reader_free(reader);
        buf_unref(bytes);
    }
    return files;
}

static int64_t total(struct iceberg_table *table, const char *key)
{
    const struct str *text = table_metadata_summary(table_metadata_current(table->metadata), key);
    int64_t value = -1;
    assert_non_null(text);
    assert_true(str_to_i64(*text, &value));
    return value;
}

static void test_an_append_is_seen_after_it_and_counted(void **state)
{
    (void)state;
    struct world world;
    struct commit_result result;
    struct err err;
    for (int32_t version = 1; version <= 3; version++) {
        world_init(&world, version, NULL, 0);
        struct iceberg_table *table = open_table(&world);
        assert_int_equal(append(&world, table, "w/db/t/data/a", 1, 5, &result, &err), STATUS_OK);
        assert_int_equal(append(&world, table, "w/db/t/data/b", 2, 7, &result, &err), STATUS_OK);
        assert_int_equal(result.attempts, 1);
        assert_true(result.sequence_number == (version > 1 ? 2 : 0));
        struct iceberg_table *reader = open_table(&world);
        assert_true(reader->metadata->current_snapshot_id == result.snapshot_id);
        assert_int_equal(live_files(&world, reader), 2);
        assert_int_equal(total(reader, "total-records"), 12);
        assert_int_equal(total(reader, "total-data-files"), 2);
        assert_int_equal(total(reader, "added-records"), 7);
        assert_int_equal(total(reader, "changed-partition-count"), 1);
        assert_int_equal(reader->metadata->metadata_log_count, 2);
        assert_int_equal(reader->metadata->snapshot_log_count, 2);
        assert_true(version < 3 || reader->metadata->next_row_id == 12);
        // Two manifests, two lists, three metadata files: nothing else.
        assert_int_equal(count_objects(&world, "w/db/t/metadata/"), 7);
        iceberg_table_free(reader);
        iceberg_table_free(table);
        store_free(world.store);
    }
}

// What is committed survives a power loss at once, although the store is told to sync late.
static void test_a_commit_survives_a_power_loss(void **state)
{
    (void)state;
    struct world world;
    struct commit_result result;
    struct err err;
    world_init(&world, 2, NULL, 0);
    struct iceberg_table *table = open_table(&world);
    assert_int_equal(append(&world, table, "w/db/t/data/a", 1, 5, &result, &err), STATUS_OK);
    iceberg_table_free(table);
    store_memory_crash(world.store);
    table = open_table(&world);
    assert_int_equal(live_files(&world, table), 1);
    iceberg_table_free(table);
    store_free(world.store);
}

static void foreign_append(struct world *world)
{
    struct iceberg_table *table = open_table(world);
    struct commit_result result;
    struct err err;
    assert_int_equal(append(world, table, "w/db/t/data/foreign", 9, 100, &result, &err), STATUS_OK);
    iceberg_table_free(table);
}

static void test_a_conflict_is_retried_on_what_is_there(void **state)
{
    (void)state;
    struct world world;
    struct commit_result result;
    struct err err;
    world_init(&world, 2, NULL, 0);
    struct iceberg_table *table = open_table(&world);
    world.fault = CONFLICT_FOREIGN;
    world.foreign = foreign_append;
    assert_int_equal(append(&world, table, "w/db/t/data/a", 1, 5, &result, &err), STATUS_OK);
    assert_int_equal(result.attempts, 2);
    assert_true(world.slept_ms >= 100);
    assert_int_equal(live_files(&world, table), 2);
    assert_int_equal(total(table, "total-records"), 105);
    assert_int_equal(table->metadata->snapshot_count, 2);
    // 2 manifests, 2 lists, 3 metadata files: the refused attempt has left nothing.
    assert_int_equal(count_objects(&world, "w/db/t/metadata/"), 7);
    iceberg_table_free(table);
    store_free(world.store);
}

static void test_a_lost_reply_is_searched_for(void **state)
{
    (void)state;
    struct world world;
    struct commit_result result;
    struct err err;
    world_init(&world, 2, NULL, 0);
    struct iceberg_table *table = open_table(&world);
    world.fault = LOST_REPLY;
    assert_int_equal(append(&world, table, "w/db/t/data/a", 1, 5, &result, &err), STATUS_OK);
    assert_int_equal(result.attempts, 1);
    assert_int_equal(live_files(&world, table), 1);
    assert_int_equal(table->metadata->snapshot_count, 1);
    iceberg_table_free(table);
    store_free(world.store);
}

static void foreign_appends_twice(struct world *world)
{
    foreign_append(world);
    foreign_append(world);
}

// The snapshot and its metadata are gone by the time that they are looked for; its child names it.
// Published again, it would be its own ancestor.
static void test_a_lost_reply_is_found_after_an_expiry(void **state)
{
    (void)state;
    struct world world;
    struct commit_result result;
    struct err err;
    struct table_property properties[] = {
        {STR_LIT("history.expire.max-snapshot-age-ms"), STR_LIT("1")},
        {STR_LIT("history.expire.min-snapshots-to-keep"), STR_LIT("2")},
        {STR_LIT("write.metadata.previous-versions-max"), STR_LIT("1")},
        {STR_LIT("write.metadata.delete-after-commit.enabled"), STR_LIT("true")},
    };
    world_init(&world, 2, properties, 4);
    struct iceberg_table *table = open_table(&world);
    world.fault = LOST_REPLY_FOREIGN;
    world.foreign = foreign_appends_twice;
    assert_int_equal(append(&world, table, "w/db/t/data/a", 1, 5, &result, &err), STATUS_OK);
    assert_int_equal(result.attempts, 1);
    assert_int_equal(table->metadata->snapshot_count, 2);
    assert_null(table_metadata_snapshot(table->metadata, result.snapshot_id));
    assert_int_equal(table->metadata->snapshots[0].parent_id, result.snapshot_id);
    assert_int_equal(total(table, "total-records"), 205);
    iceberg_table_free(table);
    store_free(world.store);
}

static void test_a_lost_request_is_made_again_once(void **state)
{
    (void)state;
    struct world world;
    struct commit_result result;
    struct err err;
    world_init(&world, 2, NULL, 0);
    struct iceberg_table *table = open_table(&world);
    world.fault = LOST_REQUEST;
    assert_int_equal(append(&world, table, "w/db/t/data/a", 1, 5, &result, &err), STATUS_OK);
    assert_int_equal(result.attempts, 2);
    assert_int_equal(table->metadata->snapshot_count, 1);
    assert_int_equal(live_files(&world, table), 1);
    iceberg_table_free(table);
    store_free(world.store);
}

// The request of the first attempt arrives just before the second's: it must not count twice.
static void test_a_late_request_does_not_double(void **state)
{
    (void)state;
    struct world world;
    struct commit_result result;
    struct err err;
    world_init(&world, 2, NULL, 0);
    struct iceberg_table *table = open_table(&world);
    world.fault = LATE;
    assert_int_equal(append(&world, table, "w/db/t/data/a", 1, 5, &result, &err), STATUS_OK);
    struct iceberg_table *reader = open_table(&world);
    assert_int_equal(reader->metadata->snapshot_count, 1);
    assert_int_equal(live_files(&world, reader), 1);
    assert_int_equal(total(reader, "total-records"), 5);
    iceberg_table_free(reader);
    iceberg_table_free(table);
    store_free(world.store);
}

static void test_properties_go_with_the_snapshot(void **state)
{
    (void)state;
    struct world world;
    struct commit_result result;
    struct err err;
    struct table_property properties[] = {{STR_LIT("a"), STR_LIT("1")},
                                          {STR_LIT("gone"), STR_LIT("x")}};
    struct table_property summary = {STR_LIT("frazil.token"), STR_LIT("l/1")};
    world_init(&world, 2, properties, 2);
    struct iceberg_table *table = open_table(&world);
    struct table_property changes[] = {{STR_LIT("b"), STR_LIT("2")},
                                       {STR_LIT("gone"), STR_LIT("")}};
    struct commit_options fence = {.force_snapshot = true,
                                   .summary = &summary,
                                   .summary_count = 1,
                                   .properties = changes,
                                   .property_count = 2};
    assert_int_equal(commit_run(table, &fence, &result, &err), STATUS_OK);
    assert_true(str_is(*table_metadata_property(table->metadata, "a"), "1"));
    assert_true(str_is(*table_metadata_property(table->metadata, "b"), "2"));
    assert_null(table_metadata_property(table->metadata, "gone"));
    const struct table_snapshot *snapshot = table_metadata_current(table->metadata);
    assert_true(str_is(*table_metadata_summary(snapshot, "frazil.token"), "l/1"));
    assert_int_equal(total(table, "total-records"), 0);
    assert_int_equal(live_files(&world, table), 0);
    iceberg_table_free(table);
    store_free(world.store);
}

static enum status refuse(void *context, const struct table_metadata *base, struct err *err)
{
    (void)base;
    *(int *)context += 1;
    return ERR(err, STATUS_EXISTS, "the token is there");
}

static void test_a_commit_that_is_there_already_is_not_made(void **state)
{
    (void)state;
    struct world world;
    struct commit_result result;
    struct err err;
    int asked = 0;
    world_init(&world, 2, NULL, 0);
    struct iceberg_table *table = open_table(&world);
    struct commit_options options = {.force_snapshot = true, .check = refuse, .context = &asked};
    assert_int_equal(commit_run(table, &options, &result, &err), STATUS_EXISTS);
    assert_int_equal(asked, 1);
    assert_int_equal(table->metadata->snapshot_count, 0);
    assert_int_equal(count_objects(&world, "w/db/t/metadata/"), 1);
    iceberg_table_free(table);
    store_free(world.store);
}

static void test_many_commits_merge_manifests_and_expire(void **state)
{
    (void)state;
    struct world world;
    struct commit_result result;
    struct err err;
    struct table_property properties[] = {
        {STR_LIT("commit.manifest.min-count-to-merge"), STR_LIT("5")},
        {STR_LIT("history.expire.max-snapshot-age-ms"), STR_LIT("100000")},
        {STR_LIT("history.expire.min-snapshots-to-keep"), STR_LIT("3")},
        {STR_LIT("write.metadata.previous-versions-max"), STR_LIT("4")},
        {STR_LIT("write.metadata.delete-after-commit.enabled"), STR_LIT("true")},
    };
    for (int32_t version = 1; version <= 3; version++) {
        world_init(&world, version, properties, 5);
        struct iceberg_table *table = open_table(&world);
        for (int i = 0; i < 60; i++) {
            char path[64];
            snprintf(path, sizeof path, "w/db/t/data/%d", i);
            assert_int_equal(append(&world, table, path, i % 4, 3, &result, &err), STATUS_OK);
        }
        struct iceberg_table *reader = open_table(&world);
        assert_int_equal(live_files(&world, reader), 60);
        assert_int_equal(total(reader, "total-records"), 180);
        // Ten seconds apart, 100 s kept: 11 snapshots; their lists; at most 5 manifests a snapshot.
        assert_int_equal(reader->metadata->snapshot_count, 11);
        assert_int_equal(reader->metadata->snapshot_log_count, 11);
        assert_int_equal(reader->metadata->metadata_log_count, 4);
        assert_int_equal(count_objects(&world, "w/db/t/metadata/snap-"), 11);
        assert_int_equal(count_ending(&world, "w/db/t/metadata/", ".metadata.json"), 5);
        assert_true(count_objects(&world, "w/db/t/metadata/") <= 11 + 5 + 5 + 11);
        assert_true(version < 3 || reader->metadata->next_row_id >= 180);
        iceberg_table_free(reader);
        iceberg_table_free(table);
        store_free(world.store);
    }
}

static void test_leftovers_of_a_writer_are_cleaned_and_no_others(void **state)
{
    (void)state;
    struct world world;
    struct commit_result result;
    struct err err;
    uint32_t removed;
    char tag[14];
    char path[100];
    world_init(&world, 2, NULL, 0);
    struct iceberg_table *table = open_table(&world);
    table_env_tag_text(writer_tag, tag);
    snprintf(path, sizeof path, "w/db/t/data/day=1/%s-live.parquet", tag);
    assert_int_equal(append(&world, table, path, 1, 5, &result, &err), STATUS_OK);
    static const char *const left[] = {"w/db/t/data/day=1/%s-left.parquet",
                                       "w/db/t/metadata/%s-m0.avro",
                                       "w/db/t/metadata/00009-%s.metadata.json"};
    for (size_t i = 0; i < 3; i++) {
        char text[100];
        const char *at = strchr(left[i], '%');
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - left[i]), left[i], tag, at + 2);
        assert_int_equal(store_put(world.store, str_from(text), STR_LIT("x"), 0, &err), STATUS_OK);
    }
    snprintf(path, sizeof path, "w/db/t/data/%s-kept.parquet", tag);
    assert_int_equal(store_put(world.store, str_from(path), STR_LIT("x"), 0, &err), STATUS_OK);
    assert_int_equal(
        store_put(world.store, STR_LIT("w/db/t/data/foreign.parquet"), STR_LIT("x"), 0, &err),
        STATUS_OK);
    struct str keep = str_from(path);
    assert_int_equal(
        commit_clean(table, &writer_tag, 1, &(struct commit_keep){&keep, 1}, &removed, &err),
        STATUS_OK);
    assert_int_equal(removed, 3);
    assert_int_equal(count_objects(&world, "w/db/t/data/"), 3);
    assert_int_equal(live_files(&world, table), 1);
    iceberg_table_free(table);
    store_free(world.store);
}

// The manifest of a commit that failed names files that the next checkpoint holds still.
static void test_a_lost_manifest_takes_no_file_with_it_that_is_kept(void **state)
{
    (void)state;
    for (int is_kept = 0; is_kept < 2; is_kept++) {
        struct world world;
        struct commit_result result;
        struct err err;
        uint32_t removed;
        char before[300];
        struct str path = STR_LIT("w/db/t/data/day=1/of-a-checkpoint.parquet");
        world_init(&world, 2, NULL, 0);
        struct iceberg_table *table = open_table(&world);
        memcpy(before, world.location, sizeof before);
        assert_int_equal(append(&world, table, path.ptr, 1, 5, &result, &err), STATUS_OK);
        iceberg_table_free(table);
        memcpy(world.location, before, sizeof before);
        table = open_table(&world);
        struct commit_keep keep = {&path, (uint32_t)is_kept};
        assert_int_equal(commit_clean_metadata(table, &writer_tag, 1, &keep, &removed, &err),
                         STATUS_OK);
        assert_int_equal(removed, 3); // metadata, list, manifest
        assert_int_equal(exists(&world, path), is_kept);
        iceberg_table_free(table);
        store_free(world.store);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_append_is_seen_after_it_and_counted),
        cmocka_unit_test(test_a_commit_survives_a_power_loss),
        cmocka_unit_test(test_a_conflict_is_retried_on_what_is_there),
        cmocka_unit_test(test_a_lost_reply_is_searched_for),
        cmocka_unit_test(test_a_lost_reply_is_found_after_an_expiry),
        cmocka_unit_test(test_a_lost_request_is_made_again_once),
        cmocka_unit_test(test_a_late_request_does_not_double),
        cmocka_unit_test(test_properties_go_with_the_snapshot),
        cmocka_unit_test(test_a_commit_that_is_there_already_is_not_made),
        cmocka_unit_test(test_many_commits_merge_manifests_and_expire),
        cmocka_unit_test(test_leftovers_of_a_writer_are_cleaned_and_no_others),
        cmocka_unit_test(test_a_lost_manifest_takes_no_file_with_it_that_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
