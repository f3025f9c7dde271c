// SPDX-License-Identifier: Apache-2.0
//
// Metadata files written by Spark (fixtures/spark-iceberg) are read and written again byte for
// byte; hand-made ones show the lenient and the strict places.
#include "iceberg/spec/table_metadata.h"

#include <dirent.h>
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
#include "base/buf.h"
#include "base/strbuf.h"
#include "codec/json_tree.h"
#include "sys/file.h"

static const char *fixtures(void)
{
    const char *given = getenv("FRAZIL_FIXTURES");
    return given != NULL ? given : FRAZIL_SOURCE_DIR "/../shared/fixtures";
}

static void round_trip(const char *path)
{
    struct arena arena = {0};
    struct err err;
    struct buf *bytes;
    struct strbuf out;
    const struct table_metadata *metadata;
    assert_int_equal(file_read_whole(path, 1 << 28, &bytes, &err), STATUS_OK);
    enum status status =
        table_metadata_parse(&arena, str_make(bytes->ptr, bytes->size), &metadata, &err);
    if (status != STATUS_OK) {
        fail_msg("%s: %s", path, err.text);
    }
    strbuf_init(&out, 1 << 28);
    table_metadata_print(&out, metadata);
    if (out.size != bytes->size || memcmp(out.ptr, bytes->ptr, out.size) != 0) {
        size_t at = 0;
        while (at < out.size && at < bytes->size && out.ptr[at] == bytes->ptr[at]) {
            at++;
        }
        fail_msg("%s differs at byte %zu: ...%.80s", path, at, out.ptr + (at > 30 ? at - 30 : 0));
    }
    strbuf_release(&out);
    buf_unref(bytes);
    arena_release(&arena);
}

static void test_what_java_wrote_is_written_again_byte_for_byte(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct err err;
    struct file_entry *tables;
    size_t table_count;
    int files = 0;
    char path[600];
    snprintf(path, sizeof path, "%s/spark-iceberg", fixtures());
    if (file_list(path, &arena, &tables, &table_count, &err) != STATUS_OK) {
        print_message("no fixtures at %s\n", path);
        skip();
    }
    for (size_t i = 0; i < table_count; i++) {
        struct file_entry *entries;
        size_t count;
        snprintf(path, sizeof path, "%s/spark-iceberg/%.*s/metadata", fixtures(),
                 STR_ARGS(tables[i].name));
        if (file_list(path, &arena, &entries, &count, &err) != STATUS_OK) {
            continue;
        }
        for (size_t j = 0; j < count; j++) {
            char file[900];
            snprintf(file, sizeof file, "%s/%.*s", path, STR_ARGS(entries[j].name));
            if (str_ends(entries[j].name, ".metadata.json") &&
                !str_ends(entries[j].name, ".gz.metadata.json") &&
                !str_is(tables[i].name, "view_source")) {
                round_trip(file);
                files++;
            }
        }
    }
    assert_true(files > 100);
    arena_release(&arena);
}

static enum status parse(struct arena *arena, const char *json, const struct table_metadata **out,
                         struct err *err)
{
    return table_metadata_parse(arena, str_from(json), out, err);
}

static void test_v1_without_lists_is_understood(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct err err;
    const struct table_metadata *metadata;
    assert_int_equal(
        parse(&arena,
              "{\"format-version\":1,\"location\":\"s3://b/t\",\"last-updated-ms\":1,"
              "\"last-column-id\":2,\"schema\":{\"type\":\"struct\",\"fields\":[{\"id\":1,\"name\":"
              "\"x\",\"required\":true,\"type\":\"long\"},{\"id\":2,\"name\":\"d\",\"required\":"
              "false,\"type\":\"date\"}]},\"partition-spec\":[{\"name\":\"d_m\",\"transform\":"
              "\"month\",\"source-id\":2}],\"properties\":{},\"current-snapshot-id\":5,"
              "\"snapshots\":[{\"snapshot-id\":5,\"timestamp-ms\":1,\"manifests\":[\"a.avro\"]}]}",
              &metadata, &err),
        STATUS_OK);
    assert_int_equal(metadata->last_partition_id, 1000);
    assert_int_equal(table_metadata_default_spec(metadata)->fields[0].field_id, 1000);
    assert_int_equal(table_metadata_default_spec(metadata)->fields[0].result->kind, ICEBERG_INT);
    assert_int_equal(table_metadata_ref(metadata, STR_LIT("main"))->snapshot_id, 5);
    assert_int_equal(table_metadata_current(metadata)->manifests->count, 1);
    arena_release(&arena);
}

static void test_broken_metadata_names_what_is_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        enum status status;
        const char *text;
    } cases[] = {
        {"{}", STATUS_INVALID_DATA, "table metadata: 'format-version' is missing"},
        {"{\"format-version\":4}", STATUS_UNSUPPORTED,
         "table metadata: 'format-version' is 4; up to 3 is supported"},
        {"{\"format-version\":2}", STATUS_INVALID_DATA, "table metadata: 'table-uuid' is missing"},
        {"{\"format-version\":2,\"table-uuid\":1}", STATUS_INVALID_DATA,
         "table metadata: 'table-uuid' is not a string"},
        {"{\"format-version\":1,\"location\":\"x\",\"last-updated-ms\":1,\"last-column-id\":1,"
         "\"schema\":{\"type\":\"struct\",\"fields\":[{\"id\":1,\"name\":\"x\",\"required\":true,"
         "\"type\":\"decimal(99,1)\"}]}}",
         STATUS_UNSUPPORTED, "table metadata: unknown Iceberg type 'decimal(99,1)'"},
        {"{\"format-version\":1,\"location\":\"x\",\"last-updated-ms\":1,\"last-column-id\":1,"
         "\"schemas\":[{\"type\":\"struct\",\"schema-id\":3,\"fields\":[]}],"
         "\"current-schema-id\":2}",
         STATUS_INVALID_DATA,
         "table metadata: 'current-schema-id' is 2, and there is no such schema"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        struct err err;
        const struct table_metadata *metadata;
        assert_int_equal(parse(&arena, cases[i].json, &metadata, &err), cases[i].status);
        assert_string_equal(err.text, cases[i].text);
        arena_release(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_java_wrote_is_written_again_byte_for_byte),
        cmocka_unit_test(test_v1_without_lists_is_understood),
        cmocka_unit_test(test_broken_metadata_names_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
