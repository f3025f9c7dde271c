// SPDX-License-Identifier: Apache-2.0
#include "iceberg/table_version.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/arena.h"
#include "iceberg/spec/table_metadata.h"

#define SNAPSHOT(id, parent, ms)                                                                   \
    "{\"snapshot-id\":" id ",\"parent-snapshot-id\":" parent ",\"timestamp-ms\":" ms               \
    ",\"sequence-number\":1,\"summary\":{\"operation\":\"append\"},\"manifest-list\":\"l\","       \
    "\"schema-id\":0}"

// 11 - 12 - 13 on main, 14 on a branch behind 12; main was rolled back from 13 to 12, and back.
static const char text[] =
    "{\"format-version\":2,\"table-uuid\":\"00000000-0000-0000-0000-000000000000\","
    "\"location\":\"t\",\"last-sequence-number\":1,\"last-updated-ms\":400,\"last-column-id\":1,"
    "\"current-schema-id\":0,\"schemas\":[{\"type\":\"struct\",\"schema-id\":0,\"fields\":[{\"id\":"
    "1,"
    "\"name\":\"a\",\"required\":false,\"type\":\"int\"}]}],\"default-spec-id\":0,\"partition-"
    "specs\":"
    "[{\"spec-id\":0,\"fields\":[]}],\"last-partition-id\":999,\"default-sort-order-id\":0,"
    "\"sort-orders\":[{\"order-id\":0,\"fields\":[]}],\"current-snapshot-id\":13,\"refs\":{"
    "\"main\":{\"snapshot-id\":13,\"type\":\"branch\"},\"dev\":{\"snapshot-id\":14,\"type\":"
    "\"branch\"},\"v1\":{\"snapshot-id\":11,\"type\":\"tag\"},\"12\":{\"snapshot-id\":11,\"type\":"
    "\"tag\"}},\"snapshots\":[{\"snapshot-id\":11,\"timestamp-ms\":100,\"sequence-number\":1,"
    "\"summary\":{\"operation\":\"append\"},\"manifest-list\":\"l\",\"schema-id\":0}," SNAPSHOT(
        "12", "11",
        "200") "," SNAPSHOT("13", "12",
                            "300") "," SNAPSHOT("14", "12",
                                                "250") "],"
                                                       "\"snapshot-log\":[{\"snapshot-id\":11,"
                                                       "\"timestamp-ms\":100},{\"snapshot-id\":12,"
                                                       "\"timestamp-ms\":200},{\"snapshot-id\":13,"
                                                       "\"timestamp-ms\":300},{\"snapshot-id\":12,"
                                                       "\"timestamp-ms\":310},{\"snapshot-id\":13,"
                                                       "\"timestamp-ms\":400}],\"metadata-log\":[]"
                                                       "}";

static enum status find(const struct table_at *at, const struct table_at *after,
                        struct table_version *out, struct err *err)
{
    struct arena arena = {0};
    const struct table_metadata *metadata;
    assert_int_equal(table_metadata_parse(&arena, STR_LIT(text), &metadata, err), STATUS_OK);
    enum status status = table_version_find(metadata, at, after, out, err);
    arena_release(&arena);
    return status;
}

static void expect(struct table_at at, int64_t snapshot, bool own_schema)
{
    struct table_version version;
    struct err err;
    assert_int_equal(find(&at, NULL, &version, &err), STATUS_OK);
    assert_int_equal(version.snapshot_id, snapshot);
    assert_int_equal(version.has_own_schema, own_schema);
}

static void refuse(struct table_at at, const char *text_of, const char *hint)
{
    struct table_version version;
    struct err err;
    assert_int_equal(find(&at, NULL, &version, &err), STATUS_NOT_FOUND);
    assert_string_equal(err.text, text_of);
    assert_string_equal(err.hint, hint);
}

static void test_states_by_name_and_number(void **state)
{
    (void)state;
    expect((struct table_at){.kind = TABLE_AT_SNAPSHOT, .number = 12}, 12, true);
    expect((struct table_at){.kind = TABLE_AT_VERSION, .text = STR_LIT("v1")}, 11, true);
    expect((struct table_at){.kind = TABLE_AT_VERSION, .text = STR_LIT("dev")}, 14, false);
    expect((struct table_at){.kind = TABLE_AT_VERSION, .text = STR_LIT("main")}, 13, false);
    expect((struct table_at){.kind = TABLE_AT_BRANCH, .text = STR_LIT("dev")}, 14, false);
    // A number is a snapshot's before it is the name of a tag.
    expect((struct table_at){.kind = TABLE_AT_VERSION, .text = STR_LIT("12")}, 12, true);
    expect((struct table_at){.kind = TABLE_AT_TAG, .text = STR_LIT("12")}, 11, true);
    refuse((struct table_at){.kind = TABLE_AT_BRANCH, .text = STR_LIT("v1")},
           "the table has no branch 'v1'", "it is a tag");
    refuse((struct table_at){.kind = TABLE_AT_VERSION, .text = STR_LIT("dve")},
           "the table has no snapshot, branch or tag 'dve'", "did you mean 'dev'?");
    refuse((struct table_at){.kind = TABLE_AT_SNAPSHOT, .number = 99},
           "the table has no snapshot 99", "");
}

static void test_times_follow_the_log(void **state)
{
    (void)state;
    static const int64_t cases[][2] = {{100, 11}, {199, 11}, {200, 12}, {305, 13},
                                       {315, 12}, {400, 13}, {999, 13}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect((struct table_at){.kind = TABLE_AT_TIME, .number = cases[i][0] * 1000 + 999},
               cases[i][1], true);
    }
    refuse((struct table_at){.kind = TABLE_AT_TIME, .number = 99999},
           "the table has no snapshot as old as that", "");
}

static void test_appends_go_along_ancestors(void **state)
{
    (void)state;
    struct table_version version;
    struct err err;
    struct table_at at = {.kind = TABLE_AT_NONE};
    struct table_at after = {.kind = TABLE_AT_SNAPSHOT, .number = 11};
    assert_int_equal(find(&at, &after, &version, &err), STATUS_OK);
    assert_int_equal(version.snapshot_id, 13);
    assert_int_equal(version.after_snapshot_id, 11);
    assert_true(version.is_incremental && !version.has_own_schema);
    after.number = 14;
    assert_int_equal(find(&at, &after, &version, &err), STATUS_INVALID_DATA);
    assert_string_equal(err.text, "snapshot 14 is no ancestor of snapshot 13");
    after = (struct table_at){.kind = TABLE_AT_NONE};
    assert_int_equal(find(&at, &after, &version, &err), STATUS_OK);
    assert_int_equal(version.after_snapshot_id, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states_by_name_and_number),
        cmocka_unit_test(test_times_follow_the_log),
        cmocka_unit_test(test_appends_go_along_ancestors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
