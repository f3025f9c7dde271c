// SPDX-License-Identifier: Apache-2.0
//
// Manifests and lists that Spark wrote (fixtures/spark-iceberg): read, checked against the counts
// in their lists, written again and compared: the same schemas and headers byte for byte, the same
// entries.
#include "iceberg/manifest.h"

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
#include "codec/avro_reader.h"
#include "iceberg/spec/table_metadata.h"
#include "sys/file.h"

static const char *fixtures(void)
{
    const char *given = getenv("FRAZIL_FIXTURES");
    return given != NULL ? given : FRAZIL_SOURCE_DIR "/../shared/fixtures";
}

struct totals {
    int lists;
    int manifests;
    int entries;
};

static struct buf *read_stored(const char *table, struct str location, struct str root)
{
    char path[1200];
    struct err err;
    struct buf *bytes;
    assert_true(location.size > root.size);
    snprintf(path, sizeof path, "%s/spark-iceberg/%s%.*s", fixtures(), table,
             (int)(location.size - root.size), location.ptr + root.size);
    if (file_read_whole(path, 1 << 28, &bytes, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    return bytes;
}

static void expect_same_meta(struct str a, struct str b, const char *key)
{
    struct avro_reader *x;
    struct avro_reader *y;
    struct err err;
    struct str value_x;
    struct str value_y;
    assert_int_equal(avro_reader_open(a, NULL, &x, &err), STATUS_OK);
    assert_int_equal(avro_reader_open(b, NULL, &y, &err), STATUS_OK);
    assert_true(avro_reader_meta(x, key, &value_x));
    if (!avro_reader_meta(y, key, &value_y) || !str_equal(value_x, value_y)) {
        fail_msg("%s: %.*s\n is not %.*s", key, STR_ARGS(value_y), STR_ARGS(value_x));
    }
    avro_reader_free(x);
    avro_reader_free(y);
}

static bool metrics_equal(const struct data_file *a, const struct data_file *b)
{
    if (a->metric_count != b->metric_count) {
        return false;
    }
    for (uint32_t i = 0; i < a->metric_count; i++) {
        const struct data_file_metric *x = &a->metrics[i];
        const struct data_file_metric *y = &b->metrics[i];
        if (x->id != y->id || x->size != y->size || x->value_count != y->value_count ||
            x->null_count != y->null_count || x->nan_count != y->nan_count ||
            !str_equal(x->lower, y->lower) || !str_equal(x->upper, y->upper)) {
            return false;
        }
    }
    return true;
}

static void expect_same_entry(const struct partition_spec *spec, const struct manifest_entry *a,
                              const struct manifest_entry *b)
{
    assert_int_equal(a->status, b->status);
    assert_true(a->snapshot_id == b->snapshot_id && a->sequence_number == b->sequence_number &&
                a->file_sequence_number == b->file_sequence_number);
    assert_true(str_equal(a->file.path, b->file.path));
    assert_true(a->file.record_count == b->file.record_count &&
                a->file.file_size == b->file.file_size && a->file.content == b->file.content);
    assert_true(partition_spec_tuple_equal(spec, a->file.partition, b->file.partition));
    assert_true(metrics_equal(&a->file, &b->file));
    assert_int_equal(a->file.split_offset_count, b->file.split_offset_count);
    assert_true(str_equal(a->file.referenced_data_file, b->file.referenced_data_file));
    assert_true(a->file.content_offset == b->file.content_offset);
}

// Reads both and compares; sequence numbers are inherited from the same row.
static void expect_same_entries(struct str a, struct str b,
                                const struct manifest_reader_options *options)
{
    struct manifest_reader *x;
    struct manifest_reader *y;
    struct manifest_entry entry_x;
    struct manifest_entry entry_y;
    struct err err;
    assert_int_equal(manifest_reader_open(a, options, &x, &err), STATUS_OK);
    assert_int_equal(manifest_reader_open(b, options, &y, &err), STATUS_OK);
    for (;;) {
        enum status status = manifest_reader_next(x, &entry_x, &err);
        assert_int_equal(manifest_reader_next(y, &entry_y, &err), status);
        if (status == STATUS_END) {
            break;
        }
        assert_int_equal(status, STATUS_OK);
        expect_same_entry(options->spec, &entry_x, &entry_y);
    }
    manifest_reader_free(x);
    manifest_reader_free(y);
}

static void check_manifest(const struct table_metadata *metadata, const struct manifest_file *file,
                           struct str bytes, struct totals *totals)
{
    struct arena arena = {0};
    struct err err;
    struct manifest_reader *reader;
    struct manifest_writer *writer;
    struct manifest_entry entry;
    struct manifest_reader_options options = {
        .file = file, .spec = table_metadata_spec(metadata, file->spec_id), .with_deleted = true};
    struct avro_reader *avro;
    struct str version;
    enum status status;
    int64_t counts[3] = {0};
    int64_t rows[3] = {0};
    assert_int_equal(avro_reader_open(bytes, NULL, &avro, &err), STATUS_OK);
    assert_true(avro_reader_meta(avro, "format-version", &version));
    struct manifest_writer_options writer_options = {.format_version = version.ptr[0] - '0',
                                                     .schema =
                                                         table_metadata_current_schema(metadata),
                                                     .spec = options.spec,
                                                     .content = file->content,
                                                     .snapshot_id = file->snapshot_id};
    assert_int_equal(manifest_reader_open(bytes, &options, &reader, &err), STATUS_OK);
    assert_int_equal(manifest_writer_new(&writer_options, &writer, &err), STATUS_OK);
    while ((status = manifest_reader_next(reader, &entry, &err)) == STATUS_OK) {
        counts[entry.status]++;
        rows[entry.status] += entry.file.record_count;
        totals->entries++;
        assert_int_equal(manifest_writer_add(writer, &entry, &err), STATUS_OK);
    }
    if (status != STATUS_END) {
        fail_msg("%s", err.text);
    }
    assert_true(file->added_files == counts[MANIFEST_ADDED]);
    assert_true(file->existing_files == counts[MANIFEST_EXISTING]);
    assert_true(file->deleted_files == counts[MANIFEST_DELETED]);
    assert_true(file->added_rows == rows[MANIFEST_ADDED]);
    assert_true(file->existing_rows == rows[MANIFEST_EXISTING]);
    struct str copy;
    struct manifest_file row;
    assert_int_equal(manifest_writer_finish(writer, &arena, file->path, &copy, &row, &err),
                     STATUS_OK);
    expect_same_meta(bytes, copy, "avro.schema");
    expect_same_meta(bytes, copy, "iceberg.schema");
    expect_same_meta(bytes, copy, "partition-spec");
    expect_same_entries(bytes, copy, &options);
    assert_int_equal(row.partition_count, file->partition_count);
    for (uint32_t i = 0; i < row.partition_count; i++) {
        const struct manifest_field_summary *x = &file->partitions[i];
        const struct manifest_field_summary *y = &row.partitions[i];
        assert_true(x->contains_null == y->contains_null && x->contains_nan == y->contains_nan);
        assert_true(str_equal(x->lower, y->lower) && str_equal(x->upper, y->upper));
    }
    totals->manifests++;
    manifest_reader_free(reader);
    manifest_writer_free(writer);
    avro_reader_free(avro);
    arena_release(&arena);
}

static void check_list(const char *table, const struct table_metadata *metadata,
                       const struct table_snapshot *snapshot, struct totals *totals)
{
    struct arena arena = {0};
    struct err err;
    struct manifest_file *files;
    uint32_t count;
    int64_t next_row_id;
    struct strbuf copy;
    struct buf *list = read_stored(table, snapshot->manifest_list, metadata->location);
    struct str bytes = str_make(list->ptr, list->size);
    if (manifest_list_read(&arena, bytes, snapshot->manifest_list, &files, &count, &err) !=
        STATUS_OK) {
        fail_msg("%s", err.text);
    }
    struct avro_reader *avro;
    struct str version;
    assert_int_equal(avro_reader_open(bytes, NULL, &avro, &err), STATUS_OK);
    assert_true(avro_reader_meta(avro, "format-version", &version));
    struct manifest_list_options options = {.format_version = version.ptr[0] - '0',
                                            .snapshot_id = snapshot->snapshot_id,
                                            .parent_id = snapshot->parent_id,
                                            .sequence_number = snapshot->sequence_number,
                                            .first_row_id = snapshot->first_row_id};
    strbuf_init(&copy, 1 << 28);
    struct manifest_file *assigned;
    assert_int_equal(
        manifest_list_assign(&arena, &options, files, count, &assigned, &next_row_id, &err),
        STATUS_OK);
    assert_int_equal(manifest_list_write(&copy, &options, assigned, count, &err), STATUS_OK);
    expect_same_meta(bytes, strbuf_str(&copy), "avro.schema");
    expect_same_meta(bytes, strbuf_str(&copy), "iceberg.schema");
    expect_same_meta(bytes, strbuf_str(&copy), "snapshot-id");
    expect_same_meta(bytes, strbuf_str(&copy), "parent-snapshot-id");
    for (uint32_t i = 0; i < count; i++) {
        struct buf *manifest = read_stored(table, files[i].path, metadata->location);
        assert_int_equal(files[i].length, manifest->size);
        check_manifest(metadata, &files[i], str_make(manifest->ptr, manifest->size), totals);
        buf_unref(manifest);
    }
    totals->lists++;
    avro_reader_free(avro);
    strbuf_release(&copy);
    buf_unref(list);
    arena_release(&arena);
}

// The newest metadata file: names begin with a number of five digits.
static struct buf *newest_metadata(struct arena *arena, const char *table)
{
    char path[1000];
    struct err err;
    struct file_entry *entries;
    size_t count;
    struct buf *bytes = NULL;
    snprintf(path, sizeof path, "%s/spark-iceberg/%s/metadata", fixtures(), table);
    if (file_list(path, arena, &entries, &count, &err) != STATUS_OK) {
        return NULL;
    }
    for (size_t i = count; i-- > 0;) {
        if (str_ends(entries[i].name, ".metadata.json") &&
            !str_ends(entries[i].name, ".gz.metadata.json")) {
            char file[1300];
            snprintf(file, sizeof file, "%s/%.*s", path, STR_ARGS(entries[i].name));
            assert_int_equal(file_read_whole(file, 1 << 28, &bytes, &err), STATUS_OK);
            return bytes;
        }
    }
    return NULL;
}

static void test_what_java_wrote_is_read_and_written_the_same(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct err err;
    struct file_entry *tables;
    size_t table_count;
    struct totals totals = {0};
    char path[600];
    snprintf(path, sizeof path, "%s/spark-iceberg", fixtures());
    if (file_list(path, &arena, &tables, &table_count, &err) != STATUS_OK) {
        print_message("no fixtures at %s\n", path);
        skip();
    }
    for (size_t i = 0; i < table_count; i++) {
        char table[200];
        const struct table_metadata *metadata;
        snprintf(table, sizeof table, "%.*s", STR_ARGS(tables[i].name));
        // Views have other metadata. (Of a manifest's header, `schema` is not compared: it is the
        // schema at the time of writing.)
        struct buf *json =
            str_is(tables[i].name, "view_source") ? NULL : newest_metadata(&arena, table);
        if (json == NULL) {
            continue;
        }
        assert_int_equal(
            table_metadata_parse(&arena, str_make(json->ptr, json->size), &metadata, &err),
            STATUS_OK);
        for (uint32_t j = 0; j < metadata->snapshot_count; j++) {
            check_list(table, metadata, &metadata->snapshots[j], &totals);
        }
        buf_unref(json);
    }
    assert_true(totals.lists > 90 && totals.manifests > 150);
    assert_true(totals.entries > 2000); // many_files alone has that many
    arena_release(&arena);
}

// Rows of an encrypted table's list go on as they are, key metadata and all, beside rows without.
static void test_rows_of_a_list_keep_what_we_do_not_use(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct err err;
    struct manifest_field_summary summary = {.contains_null = true,
                                             .contains_nan = MANIFEST_NONE,
                                             .lower = STR_LIT("a"),
                                             .upper = STR_LIT("z")};
    struct manifest_file rows[2] = {
        {.path = STR_LIT("w/m0.avro"),
         .length = 10,
         .spec_id = 3,
         .sequence_number = 4,
         .min_sequence_number = 2,
         .snapshot_id = 5,
         .added_files = 1,
         .added_rows = 7,
         .partition_count = 1,
         .partitions = &summary,
         .key_metadata = {"\0key\xff", 5},
         .first_row_id = MANIFEST_NONE},
        {.path = STR_LIT("w/m1.avro"), .length = 20, .first_row_id = MANIFEST_NONE},
    };
    struct manifest_list_options options = {
        .format_version = 2, .snapshot_id = 6, .parent_id = 5, .sequence_number = 6};
    const struct manifest_file *from = rows;
    for (int turn = 0; turn < 2; turn++) { // what was read is written again
        struct strbuf text;
        struct manifest_file *read;
        uint32_t count;
        strbuf_init(&text, 1 << 20);
        assert_int_equal(manifest_list_write(&text, &options, from, 2, &err), STATUS_OK);
        assert_int_equal(manifest_list_read(&arena, strbuf_str(&text), STR_LIT("w/list.avro"),
                                            &read, &count, &err),
                         STATUS_OK);
        assert_int_equal(count, 2);
        assert_true(str_equal(read[0].key_metadata, rows[0].key_metadata));
        assert_true(read[1].key_metadata.ptr == NULL);
        assert_true(read[0].spec_id == 3 && read[0].min_sequence_number == 2);
        assert_true(read[0].added_rows == 7 && read[0].partition_count == 1);
        assert_true(str_is(read[0].partitions[0].upper, "z"));
        assert_true(str_is(read[1].path, "w/m1.avro") && read[1].length == 20);
        from = read;
        strbuf_release(&text);
    }
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_java_wrote_is_read_and_written_the_same),
        cmocka_unit_test(test_rows_of_a_list_keep_what_we_do_not_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
