// SPDX-License-Identifier: Apache-2.0
//
// Rules of the Iceberg spec ("Snapshot Retention Policy", table metadata) on made-up histories.
#include "iceberg/spec/table_update.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/arena.h"

#define HOUR INT64_C(3600000)
#define NOW (INT64_C(1000) * HOUR)

// A table without columns.
static const struct table_metadata *
new_table(struct arena *arena, const struct table_property *properties, uint32_t count)
{
    static const struct iceberg_type columns = {.kind = ICEBERG_STRUCT};
    struct table_update update;
    struct err err;
    struct table_update_new table = {.format_version = 2,
                                     .uuid = STR_LIT("u"),
                                     .location = STR_LIT("w/t"),
                                     .columns = &columns,
                                     .properties = properties,
                                     .property_count = count};
    assert_int_equal(table_update_create(&update, arena, &table, 0, &err), STATUS_OK);
    return table_update_finish(&update, STR_LIT(""));
}

static const struct table_metadata *add(struct arena *arena, const struct table_metadata *base,
                                        int64_t id, int64_t hours_old, const char *branch)
{
    struct table_update update;
    struct err err;
    const struct table_ref *ref = table_metadata_ref(base, str_from(branch));
    struct table_snapshot snapshot = {.snapshot_id = id,
                                      .parent_id = ref != NULL ? ref->snapshot_id
                                                               : base->current_snapshot_id,
                                      .sequence_number = base->last_sequence_number + 1,
                                      .timestamp_ms = NOW - hours_old * HOUR,
                                      .operation = STR_LIT("append"),
                                      .manifest_list = STR_LIT("l"),
                                      .schema_id = 0,
                                      .first_row_id = TABLE_NONE,
                                      .added_rows = TABLE_NONE};
    table_update_begin(&update, arena, base, snapshot.timestamp_ms);
    assert_int_equal(table_update_add_snapshot(&update, &snapshot, str_from(branch), &err),
                     STATUS_OK);
    return table_update_finish(&update, arena_printf(arena, "m%lld", (long long)id));
}

static const struct table_metadata *set_ref(struct arena *arena, const struct table_metadata *base,
                                            const struct table_ref *ref)
{
    struct table_update update;
    struct err err;
    table_update_begin(&update, arena, base, base->last_updated_ms);
    assert_int_equal(table_update_set_ref(&update, ref, &err), STATUS_OK);
    return table_update_finish(&update, STR_LIT("m"));
}

static const struct table_metadata *expire(struct arena *arena, const struct table_metadata *base)
{
    struct table_update update;
    table_update_begin(&update, arena, base, NOW);
    (void)table_update_expire(&update);
    return table_update_finish(&update, STR_LIT("last"));
}

static bool has(const struct table_metadata *metadata, int64_t id)
{
    return table_metadata_snapshot(metadata, id) != NULL;
}

static void test_young_snapshots_and_the_newest_few_stay(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct table_property properties[] = {
        {STR_LIT("history.expire.max-snapshot-age-ms"), STR_LIT("18000000")}, // 5 hours
        {STR_LIT("history.expire.min-snapshots-to-keep"), STR_LIT("2")}};
    const struct table_metadata *metadata = new_table(&arena, properties, 2);
    for (int64_t id = 1; id <= 8; id++) {
        metadata = add(&arena, metadata, id, 10 - id, "main"); // 9 to 2 hours old
    }
    metadata = expire(&arena, metadata);
    assert_int_equal(metadata->snapshot_count, 4); // 5, 4, 3 and 2 hours
    assert_true(has(metadata, 5) && has(metadata, 8) && !has(metadata, 4));
    assert_int_equal(metadata->snapshot_log_count, 4);
    assert_int_equal(metadata->snapshot_log[0].snapshot_id, 5);

    metadata = new_table(&arena, properties, 2);
    for (int64_t id = 1; id <= 4; id++) {
        metadata = add(&arena, metadata, id, 100 - id, "main");
    }
    metadata = expire(&arena, metadata);
    assert_int_equal(metadata->snapshot_count, 2); // all are old: the newest two
    assert_true(has(metadata, 3) && has(metadata, 4));
    arena_release(&arena);
}

static void test_refs_keep_what_they_point_to_until_they_are_too_old(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct table_property properties[] = {
        {STR_LIT("history.expire.max-snapshot-age-ms"), STR_LIT("3600000")}};
    const struct table_metadata *metadata = new_table(&arena, properties, 1);
    for (int64_t id = 1; id <= 5; id++) {
        metadata = add(&arena, metadata, id, 60 - id, "main");
    }
    metadata = add(&arena, metadata, 10, 50, "audit");
    metadata = add(&arena, metadata, 11, 49, "audit");
    metadata = set_ref(
        &arena, metadata,
        &(struct table_ref){STR_LIT("release"), 2, true, TABLE_NONE, TABLE_NONE, TABLE_NONE});
    metadata =
        set_ref(&arena, metadata,
                &(struct table_ref){STR_LIT("old"), 1, true, TABLE_NONE, TABLE_NONE, 10 * HOUR});
    metadata = set_ref(&arena, metadata,
                       &(struct table_ref){STR_LIT("audit"), 11, false, 2, TABLE_NONE, TABLE_NONE});
    metadata = expire(&arena, metadata);
    assert_true(has(metadata, 2));  // by the tag
    assert_true(!has(metadata, 1)); // its tag was too old
    assert_null(table_metadata_ref(metadata, STR_LIT("old")));
    assert_true(has(metadata, 11) && has(metadata, 10)); // two of the branch
    assert_true(has(metadata, 5) && !has(metadata, 4) && !has(metadata, 3));
    arena_release(&arena);
}

static void test_nothing_expires_where_it_is_forbidden(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct table_property properties[] = {
        {STR_LIT("history.expire.max-snapshot-age-ms"), STR_LIT("1")},
        {STR_LIT("gc.enabled"), STR_LIT("false")}};
    const struct table_metadata *metadata = new_table(&arena, properties, 2);
    metadata = add(&arena, metadata, 1, 60, "main");
    metadata = add(&arena, metadata, 2, 50, "main");
    assert_int_equal(expire(&arena, metadata)->snapshot_count, 2);
    arena_release(&arena);
}

static void test_a_rollback_is_logged_with_its_time(void **state)
{
    (void)state;
    struct arena arena = {0};
    const struct table_metadata *metadata = new_table(&arena, NULL, 0);
    metadata = add(&arena, metadata, 1, 3, "main");
    metadata = add(&arena, metadata, 2, 2, "main");
    metadata =
        set_ref(&arena, metadata,
                &(struct table_ref){STR_LIT("main"), 1, false, TABLE_NONE, TABLE_NONE, TABLE_NONE});
    assert_int_equal(metadata->current_snapshot_id, 1);
    assert_int_equal(metadata->snapshot_log_count, 3);
    assert_int_equal(metadata->snapshot_log[2].snapshot_id, 1);
    assert_true(metadata->snapshot_log[2].timestamp_ms == NOW - 2 * HOUR);
    arena_release(&arena);
}

static void test_time_and_numbers_never_go_back(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct table_update update;
    struct err err;
    const struct table_metadata *metadata = new_table(&arena, NULL, 0);
    metadata = add(&arena, metadata, 1, 1, "main");
    table_update_begin(&update, &arena, metadata, 5); // a clock that was set back
    struct table_snapshot snapshot = {.snapshot_id = 2,
                                      .parent_id = 1,
                                      .sequence_number = 1,
                                      .timestamp_ms = update.now_ms,
                                      .manifest_list = STR_LIT("l")};
    assert_true(update.now_ms == NOW - HOUR);
    assert_int_equal(table_update_add_snapshot(&update, &snapshot, STR_LIT("main"), &err),
                     STATUS_INVALID_DATA);
    assert_string_equal(err.text, "sequence number 1 does not follow 1");
    snapshot.sequence_number = 2;
    snapshot.snapshot_id = 1;
    assert_int_equal(table_update_add_snapshot(&update, &snapshot, STR_LIT("main"), &err),
                     STATUS_INVALID_DATA);
    assert_string_equal(err.text, "snapshot 1 exists");
    arena_release(&arena);
}

static void test_the_metadata_log_keeps_so_many_and_never_the_file_itself(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct table_property properties[] = {
        {STR_LIT("write.metadata.previous-versions-max"), STR_LIT("3")}};
    const struct table_metadata *metadata = new_table(&arena, properties, 1);
    for (int64_t id = 1; id <= 6; id++) {
        metadata = add(&arena, metadata, id, 10 - id, "main");
    }
    assert_int_equal(metadata->metadata_log_count, 3);
    assert_true(str_is(metadata->metadata_log[0].file, "m4"));
    assert_true(str_is(metadata->metadata_log[2].file, "m6"));
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_young_snapshots_and_the_newest_few_stay),
        cmocka_unit_test(test_refs_keep_what_they_point_to_until_they_are_too_old),
        cmocka_unit_test(test_nothing_expires_where_it_is_forbidden),
        cmocka_unit_test(test_a_rollback_is_logged_with_its_time),
        cmocka_unit_test(test_time_and_numbers_never_go_back),
        cmocka_unit_test(test_the_metadata_log_keeps_so_many_and_never_the_file_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
