// SPDX-License-Identifier: Apache-2.0
#include "codec/parquet_writer.h"

#include "base/budget.h"
#include "base/byte_sink.h"
#include "base/byte_source.h"
#include "base/mem.h"
#include "codec/parquet_testing.h"

enum { SEGMENTS_MAX = 64, BYTES_MAX = 1 << 28 };

struct fixture {
    struct arena arena;
    struct parquet_encoder *encoder;
    struct parquet_writer_options options;
    struct parquet_writer *writer;
    struct byte_sink_memory segments[SEGMENTS_MAX];
    struct byte_source_memory sources[SEGMENTS_MAX];
    struct byte_source *pointers[SEGMENTS_MAX];
    uint32_t segment_count;
    struct byte_sink_memory file;
};

static int set_up(void **state)
{
    struct fixture *at = mem_zalloc(sizeof *at);
    arena_init(&at->arena);
    at->encoder = parquet_encoder_new();
    at->options = (struct parquet_writer_options){.fields = testing_fields(&at->arena),
                                                  .field_count = TESTING_COLUMNS,
                                                  .codec = COMPRESS_ZSTD,
                                                  .level = 1,
                                                  .page_rows = 900};
    byte_sink_memory_init(&at->file, BYTES_MAX);
    *state = at;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *at = *state;
    parquet_writer_free(at->writer);
    parquet_encoder_free(at->encoder);
    for (uint32_t i = 0; i < at->segment_count; i++) {
        byte_sink_memory_release(&at->segments[i]);
    }
    byte_sink_memory_release(&at->file);
    arena_release(&at->arena);
    mem_free(at);
    return 0;
}

static void begin(struct fixture *at)
{
    struct err err;
    assert_int_equal(parquet_writer_new(at->encoder, &at->options, &at->writer, &err), STATUS_OK);
}

static void append(struct fixture *at, uint64_t first, uint32_t count)
{
    struct err err;
    struct arena arena;
    arena_init(&arena);
    struct batch batch = testing_batch(&arena, first, count);
    assert_int_equal(parquet_writer_append(at->writer, &batch, &err), STATUS_OK);
    arena_release(&arena);
}

static uint64_t take(struct fixture *at)
{
    struct err err;
    uint64_t size;
    struct byte_sink_memory *segment = &at->segments[at->segment_count];
    byte_sink_memory_init(segment, BYTES_MAX);
    assert_int_equal(parquet_writer_take(at->writer, &segment->sink, &size, &err), STATUS_OK);
    assert_int_equal(size, segment->size);
    if (size > 0) {
        struct byte_source_memory *source = &at->sources[at->segment_count];
        byte_source_memory_init(source, byte_sink_memory_bytes(segment));
        at->pointers[at->segment_count++] = &source->source;
    }
    return size;
}

static void seal(struct fixture *at, bool shrink)
{
    struct err err;
    assert_int_equal(parquet_writer_seal(at->writer, shrink, &err), STATUS_OK);
}

static void restore(struct fixture *at)
{
    struct err err;
    parquet_writer_free(at->writer);
    at->writer = NULL;
    assert_int_equal(parquet_writer_restore(at->encoder, &at->options, at->pointers,
                                            at->segment_count, &at->writer, &err),
                     STATUS_OK);
}

static void finish(struct fixture *at)
{
    struct err err;
    assert_int_equal(
        parquet_writer_close(at->writer, at->pointers, at->segment_count, &at->file.sink, &err),
        STATUS_OK);
    assert_int_equal(parquet_writer_result(at->writer)->file_bytes, at->file.size);
}

static uint32_t count_groups(struct fixture *at)
{
    struct byte_source_memory memory;
    struct parquet_file *file;
    byte_source_memory_init(&memory, byte_sink_memory_bytes(&at->file));
    assert_int_equal(parquet_file_open(&memory.source, NULL, &file, NULL), STATUS_OK);
    uint32_t count = parquet_file_row_groups(file);
    parquet_file_free(file);
    return count;
}

static void expect_rows(struct fixture *at, uint64_t rows)
{
    struct err err;
    struct byte_source_memory memory;
    struct parquet_file *file;
    struct parquet_reader *reader;
    struct batch batch;
    byte_source_memory_init(&memory, byte_sink_memory_bytes(&at->file));
    assert_int_equal(parquet_file_open(&memory.source, NULL, &file, &err), STATUS_OK);
    assert_int_equal(parquet_file_rows(file), rows);
    struct parquet_reader_options options = {.row_group_count = UINT32_MAX};
    assert_int_equal(parquet_reader_new(file, &options, &reader, &err), STATUS_OK);
    uint64_t next = 0;
    enum status status;
    while ((status = parquet_reader_next(reader, &batch, &err)) == STATUS_OK) {
        assert_int_equal(parquet_reader_position(reader), next);
        testing_expect_batch(&batch, next);
        next += batch.row_count;
    }
    assert_int_equal(status, STATUS_END);
    assert_int_equal(next, rows);
    parquet_reader_free(reader);
    parquet_file_free(file);
}

static void test_what_was_appended_is_read_back(void **state)
{
    struct fixture *at = *state;
    begin(at);
    append(at, 0, 2048);
    append(at, 2048, 1);
    append(at, 2049, 2000);
    finish(at);
    expect_rows(at, 4049);
}

static void test_a_file_without_rows_is_a_file(void **state)
{
    struct fixture *at = *state;
    begin(at);
    assert_int_equal(take(at), 0);
    finish(at);
    expect_rows(at, 0);
    assert_int_equal(count_groups(at), 0);
}

static void test_segments_hold_all_rows_up_to_the_seal(void **state)
{
    struct fixture *at = *state;
    at->options.row_group_bytes = 40000;
    begin(at);
    for (uint64_t row = 0; row < 20000; row += 1000) {
        append(at, row, 1000);
        if (row % 3000 == 0) {
            take(at); // without a seal: for spilling
        }
        if (row % 5000 == 0) {
            seal(at, row % 2 == 0);
            take(at);
            restore(at); // a crash, right behind the checkpoint
            assert_int_equal(parquet_writer_rows(at->writer), row + 1000);
        }
    }
    finish(at);
    expect_rows(at, 20000);
    assert_true(count_groups(at) > 1);
}

static void test_rows_behind_the_last_checkpoint_are_gone_after_a_crash(void **state)
{
    struct fixture *at = *state;
    begin(at);
    append(at, 0, 1500);
    seal(at, false);
    take(at);
    append(at, 1500, 2000); // not in a segment
    restore(at);
    append(at, 1500, 700);
    finish(at);
    expect_rows(at, 2200);
}

static void test_a_restored_file_is_byte_for_byte_the_undisturbed_one(void **state)
{
    struct fixture *at = *state;
    for (int crash = 0; crash < 2; crash++) {
        begin(at);
        append(at, 0, 2000);
        seal(at, false);
        if (crash == 1) {
            take(at);
            restore(at);
        }
        append(at, 2000, 2000);
        if (crash == 1) {
            finish(at);
            break;
        }
        struct err err;
        struct byte_sink_memory whole;
        byte_sink_memory_init(&whole, BYTES_MAX);
        assert_int_equal(parquet_writer_close(at->writer, NULL, 0, &whole.sink, &err), STATUS_OK);
        byte_sink_memory_release(&at->segments[SEGMENTS_MAX - 1]);
        at->segments[SEGMENTS_MAX - 1] = whole;
        parquet_writer_free(at->writer);
        at->writer = NULL;
    }
    struct str undisturbed = byte_sink_memory_bytes(&at->segments[SEGMENTS_MAX - 1]);
    assert_true(str_equal(byte_sink_memory_bytes(&at->file), undisturbed));
    byte_sink_memory_release(&at->segments[SEGMENTS_MAX - 1]);
}

static void test_a_segment_not_taken_after_a_seal_is_not_the_last(void **state)
{
    struct fixture *at = *state;
    struct err err;
    struct parquet_writer *writer = NULL;
    begin(at);
    append(at, 0, 1000); // a page of 900, and 100 pending
    take(at);
    assert_int_equal(
        parquet_writer_restore(at->encoder, &at->options, at->pointers, 1, &writer, &err),
        STATUS_INVALID_DATA);
    seal(at, false);
    take(at);
    assert_int_equal(at->segment_count, 2);
    restore(at);
    assert_int_equal(parquet_writer_rows(at->writer), 1000);
}

static void test_damaged_and_foreign_segments_are_refused(void **state)
{
    struct fixture *at = *state;
    struct err err;
    struct parquet_writer *writer = NULL;
    begin(at);
    append(at, 0, 1000);
    seal(at, false);
    take(at);
    struct str bytes = byte_sink_memory_bytes(&at->segments[0]);
    for (size_t cut = 0; cut < bytes.size; cut += 97) {
        byte_source_memory_init(&at->sources[0], str_slice(bytes, 0, cut));
        assert_int_equal(
            parquet_writer_restore(at->encoder, &at->options, at->pointers, 1, &writer, &err),
            STATUS_INVALID_DATA);
    }
    byte_source_memory_init(&at->sources[0], bytes);
    at->segments[0].ptr[bytes.size - 100] ^= 1; // within the directory
    assert_int_equal(
        parquet_writer_restore(at->encoder, &at->options, at->pointers, 1, &writer, &err),
        STATUS_INVALID_DATA);
    at->segments[0].ptr[bytes.size - 100] ^= 1;
    at->options.field_count = 4;
    assert_int_equal(
        parquet_writer_restore(at->encoder, &at->options, at->pointers, 1, &writer, &err),
        STATUS_INVALID_DATA);
    at->options.field_count = TESTING_COLUMNS;
    at->segments[0].ptr[10] ^= 1; // within a page: seen when it is copied
    restore(at);
    assert_int_equal(parquet_writer_close(at->writer, at->pointers, 1, &at->file.sink, &err),
                     STATUS_INVALID_DATA);
    assert_non_null(strstr(err.text, "is damaged"));
}

static void test_a_failed_take_changes_nothing(void **state)
{
    struct fixture *at = *state;
    struct err err;
    struct byte_sink_memory small;
    uint64_t size;
    begin(at);
    append(at, 0, 2000);
    seal(at, false);
    for (size_t room = 0; room < 6000; room += 1500) {
        byte_sink_memory_init(&small, room);
        assert_int_equal(parquet_writer_take(at->writer, &small.sink, &size, &err), STATUS_LIMIT);
        byte_sink_memory_release(&small);
    }
    take(at);
    restore(at);
    finish(at);
    expect_rows(at, 2000);
}

static void test_closing_may_be_repeated_when_the_sink_failed(void **state)
{
    struct fixture *at = *state;
    struct err err;
    struct byte_sink_memory small;
    begin(at);
    append(at, 0, 2000);
    byte_sink_memory_init(&small, 5000);
    assert_int_equal(parquet_writer_close(at->writer, NULL, 0, &small.sink, &err), STATUS_LIMIT);
    byte_sink_memory_release(&small);
    finish(at);
    expect_rows(at, 2000);
}

static void test_a_null_in_a_required_field_is_named(void **state)
{
    struct fixture *at = *state;
    struct err err;
    begin(at);
    struct batch batch = testing_batch(&at->arena, 0, 10);
    struct column columns[TESTING_COLUMNS];
    memcpy(columns, batch.columns, sizeof columns);
    uint64_t valid = 0x3fe;
    columns[0].valid = &valid;
    ((int64_t *)(uintptr_t)columns[0].values)[0] = 0;
    batch.columns = columns;
    assert_int_equal(parquet_writer_append(at->writer, &batch, &err), STATUS_INVALID_DATA);
    assert_string_equal(err.text, "field id is required and a row has no value");
}

static void test_metrics_count_values_nulls_and_bounds(void **state)
{
    struct fixture *at = *state;
    at->options.row_group_bytes = 30000; // several groups are merged
    begin(at);
    for (uint64_t row = 0; row < 6006; row += 1001) {
        append(at, row, 1001);
    }
    finish(at);
    const struct parquet_writer_result *result = parquet_writer_result(at->writer);
    assert_int_equal(result->row_count, 6006);
    assert_int_equal(result->leaf_count, 6);
    assert_true(result->split_offset_count > 1);
    assert_int_equal(result->split_offsets[0], 4);
    const struct parquet_leaf_metrics *id = &result->leaves[0];
    assert_int_equal(id->id, 1);
    assert_int_equal(id->value_count, 6006);
    assert_int_equal(id->null_count, 0);
    assert_int_equal(*(const int64_t *)id->lower, 0);
    assert_int_equal(*(const int64_t *)id->upper, 6005);
    const struct parquet_leaf_metrics *name = &result->leaves[1];
    assert_int_equal(name->null_count, 858); // 6006 / 7
    // Row 5004 has the least name: 5004 % 5003 behind the long text.
    assert_true(str_is(strview_str(name->lower), "a rather long name of row-1"));
    const struct parquet_leaf_metrics *tags = &result->leaves[2];
    assert_int_equal(tags->id, 4);
    assert_true(tags->below_list);
    const struct parquet_leaf_metrics *lon = &result->leaves[4];
    assert_int_equal(lon->null_count, 462); // 6006 / 13
    assert_true(*(const double *)lon->lower == -6005);
    assert_true(*(const double *)lon->upper == -1);
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < result->leaf_count; i++) {
        bytes += result->leaves[i].bytes;
    }
    assert_true(bytes > 0 && bytes < result->file_bytes);
}

static void test_a_shrunk_writer_holds_next_to_nothing(void **state)
{
    struct fixture *at = *state;
    struct budget budget;
    budget_init(&budget, NULL, SIZE_MAX);
    at->options.budget = &budget;
    at->options.page_rows = 20000;
    begin(at);
    append(at, 0, 2000);
    struct parquet_writer_memory memory = parquet_writer_memory(at->writer);
    assert_true(memory.pending > 30000);
    assert_int_equal(budget.used,
                     memory.pending + memory.pages + memory.dictionaries + memory.directory);
    seal(at, true);
    take(at);
    memory = parquet_writer_memory(at->writer);
    assert_int_equal(memory.pages, 0);
    assert_true(memory.pending < 1000);
    assert_true(memory.dictionaries < 10000);
    assert_true(memory.directory < 40000);
    append(at, 2000, 2000);
    finish(at);
    expect_rows(at, 4000);
    parquet_writer_free(at->writer);
    at->writer = NULL;
    assert_int_equal(budget.used, 0);
}

static void test_all_versions_and_codecs_hold_the_same_rows(void **state)
{
    struct fixture *at = *state;
    static const enum compress_codec codecs[] = {COMPRESS_NONE, COMPRESS_SNAPPY,
                                                 COMPRESS_GZIP, COMPRESS_BROTLI,
                                                 COMPRESS_ZSTD, COMPRESS_LZ4_RAW};
    for (uint32_t i = 0; i < 2 * sizeof codecs / sizeof codecs[0]; i++) {
        at->options.codec = codecs[i / 2];
        at->options.level = COMPRESS_LEVEL_DEFAULT;
        at->options.page_version = i % 2 + 1;
        begin(at);
        append(at, 0, 2048);
        finish(at);
        expect_rows(at, 2048);
        parquet_writer_free(at->writer);
        at->writer = NULL;
        byte_sink_memory_release(&at->file);
        byte_sink_memory_init(&at->file, BYTES_MAX);
    }
}

static void test_types_without_a_form_in_parquet_are_refused(void **state)
{
    struct fixture *at = *state;
    struct err err;
    const struct parquet_field field = {
        .name = STR_LIT("later"), .id = 1, .type = &type_interval_second};
    at->options.fields = &field;
    at->options.field_count = 1;
    assert_int_equal(parquet_writer_new(at->encoder, &at->options, &at->writer, &err),
                     STATUS_UNSUPPORTED);
    assert_non_null(strstr(err.text, "field later"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_what_was_appended_is_read_back),
        TEST(test_a_file_without_rows_is_a_file),
        TEST(test_segments_hold_all_rows_up_to_the_seal),
        TEST(test_rows_behind_the_last_checkpoint_are_gone_after_a_crash),
        TEST(test_a_restored_file_is_byte_for_byte_the_undisturbed_one),
        TEST(test_a_segment_not_taken_after_a_seal_is_not_the_last),
        TEST(test_damaged_and_foreign_segments_are_refused),
        TEST(test_a_failed_take_changes_nothing),
        TEST(test_closing_may_be_repeated_when_the_sink_failed),
        TEST(test_a_null_in_a_required_field_is_named),
        TEST(test_metrics_count_values_nulls_and_bounds),
        TEST(test_a_shrunk_writer_holds_next_to_nothing),
        TEST(test_all_versions_and_codecs_hold_the_same_rows),
        TEST(test_types_without_a_form_in_parquet_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
