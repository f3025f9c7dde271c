// SPDX-License-Identifier: Apache-2.0
#include "connect/filesystem_source.h"

#include <malloc.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "connect/source_harness.h"

// The test's directory, removed with all that is in it.
struct fixture {
    struct harness h;
    char directory[64];
};

static int set_up(void **state)
{
    struct fixture *fixture = mem_zalloc(sizeof *fixture);
    snprintf(fixture->directory, sizeof fixture->directory, "/tmp/filesystem_source_XXXXXX");
    assert_non_null(mkdtemp(fixture->directory));
    harness_init(&fixture->h);
    harness_option(&fixture->h, "connector", "filesystem");
    harness_option(&fixture->h, "format", "json");
    harness_option(&fixture->h, "path", fixture->directory);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    char command[128];
    harness_release(&fixture->h);
    snprintf(command, sizeof command, "rm -rf '%s'", fixture->directory);
    assert_int_equal(system(command), 0);
    mem_free(fixture);
    return 0;
}

static void path_of(const struct fixture *fixture, const char *name, char path[256])
{
    snprintf(path, 256, "%s/%s", fixture->directory, name);
}

static void write_bytes(const struct fixture *fixture, const char *name, const void *bytes,
                        size_t size)
{
    char path[256];
    path_of(fixture, name, path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void write_text(const struct fixture *fixture, const char *name, const char *text)
{
    write_bytes(fixture, name, text, strlen(text));
}

// {"id":from} … one a line.
static void write_numbers(const struct fixture *fixture, const char *name, int from, int to)
{
    struct strbuf text;
    strbuf_init(&text, 64 << 20);
    for (int i = from; i < to; i++) {
        strbuf_printf(&text, "{\"id\":%d,\"pad\":\"some more text to fill chunks with\"}\n", i);
    }
    write_bytes(fixture, name, text.ptr, text.size);
    strbuf_release(&text);
}

static void files_below_a_directory_are_read_and_hidden_ones_left_out(void **state)
{
    struct fixture *fixture = *state;
    struct harness *h = &fixture->h;
    char path[256];
    path_of(fixture, "sub", path);
    assert_int_equal(mkdir(path, 0700), 0);
    write_text(fixture, "b.json", "{\"id\":2}\n\n{\"id\":3}");
    write_text(fixture, "a.json", "\xef\xbb\xbf{\"id\":1}\r\n");
    write_text(fixture, "sub/c.json", "{\"id\":4}\n");
    write_text(fixture, ".hidden", "{\"id\":9}\n");
    write_text(fixture, "_SUCCESS", "");
    write_text(fixture, "empty", "");
    harness_column(h, "id", &type_int);
    h->print_place = true;
    harness_open(h, &filesystem_source_class);
    char want[1024];
    const char *d = fixture->directory;
    snprintf(want, sizeof want,
             "%s/a.json line 1: +I 1\n%s/b.json line 1: +I 2\n%s/b.json line 3: +I 3\n"
             "%s/sub/c.json line 1: +I 4\n",
             d, d, d, d);
    assert_string_equal(harness_read_all(h), want);
    assert_int_equal(harness_poll(h), STATUS_END);
    assert_int_equal(h->reader->splits.count, 4);
    assert_int_equal(h->reader->splits.items[0].state, SPLIT_FINISHED);
}

static void a_uri_a_file_and_a_pattern_are_paths(void **state)
{
    struct fixture *fixture = *state;
    struct harness *h = &fixture->h;
    write_text(fixture, "a1.json", "{\"id\":1}\n");
    write_text(fixture, "a2.json", "{\"id\":2}\n");
    write_text(fixture, "b.json", "{\"id\":3}\n");
    harness_column(h, "id", &type_int);
    static const char *const cases[][3] = {
        {"file://%s/b.json", "+I 3\n", ""},
        {"%s/a1.json", "+I 1\n", ""},
        {"%s/a*.json", "+I 1\n+I 2\n", ""},
        {"file://%s/", "+I 1\n+I 2\n+I 3\n", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char path[256];
        const char *at = strstr(cases[i][0], "%s");
        snprintf(path, sizeof path, "%.*s%s%s", (int)(at - cases[i][0]), cases[i][0],
                 fixture->directory, at + 2);
        harness_option(h, "path", path);
        harness_open(h, &filesystem_source_class);
        assert_string_equal(harness_read_all(h), cases[i][1]);
        harness_close(h);
    }
    harness_option(h, "path", "/nowhere/at/all");
    assert_int_equal(harness_try_open(h, &filesystem_source_class), STATUS_NOT_FOUND);
    assert_non_null(strstr(h->err.text, "/nowhere/at/all"));
    harness_option(h, "path", "/nowhere/*.json");
    assert_int_equal(harness_try_open(h, &filesystem_source_class), STATUS_NOT_FOUND);
    assert_string_equal(h->err.text, "table 't': no file matches /nowhere/*.json");
    harness_option(h, "path", "s3://bucket/x");
    assert_int_equal(harness_try_open(h, &filesystem_source_class), STATUS_UNSUPPORTED);
}

static void compressed_files_are_told_by_their_first_bytes(void **state)
{
    struct fixture *fixture = *state;
    struct harness *h = &fixture->h;
    struct strbuf text;
    strbuf_init(&text, 64 << 20);
    for (int i = 0; i < 60000; i++) {
        strbuf_printf(&text, "{\"id\":%d,\"pad\":\"%d%d\"}\n", i, i * 7, i * 13);
    }
    char path[256];
    path_of(fixture, "gzip", path);
    gzFile gzip = gzopen(path, "wb");
    assert_int_equal(gzwrite(gzip, text.ptr, (unsigned)text.size / 2), text.size / 2);
    assert_int_equal(gzclose(gzip), Z_OK);
    gzip = gzopen(path, "ab"); // a second member
    assert_int_equal(gzwrite(gzip, text.ptr + text.size / 2, (unsigned)(text.size - text.size / 2)),
                     text.size - text.size / 2);
    assert_int_equal(gzclose(gzip), Z_OK);
    char *packed = mem_alloc(ZSTD_compressBound(text.size));
    size_t size = ZSTD_compress(packed, ZSTD_compressBound(text.size), text.ptr, text.size, 1);
    write_bytes(fixture, "zstd", packed, size);
    harness_column(h, "id", &type_int);
    static const char *const names[] = {"gzip", "zstd"};
    for (int k = 0; k < 2; k++) {
        path_of(fixture, names[k], path);
        harness_option(h, "path", path);
        h->context.restore = NULL;
        harness_open(h, &filesystem_source_class);
        struct strbuf want;
        strbuf_init(&want, 64 << 20);
        for (int i = 0; i < 60000; i++) {
            strbuf_printf(&want, "+I %d\n", i);
        }
        // Half way a crash: what comes before and after is all, once.
        strbuf_reset(&h->text);
        for (int i = 0; i < 15; i++) {
            assert_int_equal(harness_poll(h), STATUS_OK);
        }
        harness_snapshot(h);
        struct strbuf first = h->text;
        strbuf_init(&h->text, 64 << 20);
        harness_crash(h);
        harness_open(h, &filesystem_source_class);
        strbuf_add_text(&first, harness_read_all(h));
        assert_string_equal(first.ptr, want.ptr);
        strbuf_release(&first);
        strbuf_release(&want);
        harness_close(h);
    }
    h->context.restore = NULL;
    write_bytes(fixture, "cut", packed, size / 2);
    path_of(fixture, "cut", path);
    harness_option(h, "path", path);
    harness_open(h, &filesystem_source_class);
    enum status status;
    do {
        status = harness_poll(h);
    } while (status == STATUS_OK);
    assert_int_equal(status, STATUS_INVALID_DATA);
    assert_non_null(strstr(h->err.text, "/cut"));
    harness_close(h);
    write_text(fixture, "cut", "BZh91AY");
    assert_int_equal(harness_try_open(h, &filesystem_source_class), STATUS_OK);
    assert_int_equal(harness_poll(h), STATUS_UNSUPPORTED);
    mem_free(packed);
    strbuf_release(&text);
}

static void large_files_are_read_whole_in_any_batch_size(void **state)
{
    struct fixture *fixture = *state;
    struct harness *h = &fixture->h;
    write_numbers(fixture, "n.json", 0, 100000); // several chunks
    harness_column(h, "id", &type_int);
    harness_open(h, &filesystem_source_class);
    const char *text = harness_read_all(h);
    for (int i = 0; i < 100000; i++) {
        char want[32];
        int size = snprintf(want, sizeof want, "+I %d\n", i);
        assert_memory_equal(text, want, (size_t)size);
        text += size;
    }
    assert_int_equal(*text, 0);
    harness_close(h);
    h->context.batch_rows = 1;
    write_numbers(fixture, "n.json", 5, 8);
    harness_open(h, &filesystem_source_class);
    assert_int_equal(harness_poll(h), STATUS_OK);
    assert_int_equal(harness_poll(h), STATUS_OK);
    harness_snapshot(h);
    harness_crash(h);
    harness_open(h, &filesystem_source_class);
    assert_string_equal(harness_read_all(h), "+I 7\n");
}

static void a_line_longer_than_a_chunk_is_one_record(void **state)
{
    struct fixture *fixture = *state;
    struct harness *h = &fixture->h;
    struct strbuf text;
    strbuf_init(&text, 64 << 20);
    strbuf_add_text(&text, "{\"id\":1}\n{\"pad\":\"");
    for (int i = 0; i < 5000000; i++) {
        strbuf_add_byte(&text, 'x');
    }
    strbuf_add_text(&text, "\",\"id\":2}\n{\"id\":3}\n");
    write_bytes(fixture, "long.json", text.ptr, text.size);
    strbuf_release(&text);
    harness_column(h, "id", &type_int);
    harness_open(h, &filesystem_source_class);
    assert_string_equal(harness_read_all(h), "+I 1\n+I 2\n+I 3\n");
}

static void the_file_with_the_lowest_watermark_is_read_first(void **state)
{
    struct fixture *fixture = *state;
    struct harness *h = &fixture->h;
    write_numbers(fixture, "a.json", 100, 102);
    write_numbers(fixture, "b.json", 200, 202);
    harness_column(h, "id", &type_int);
    h->context.batch_rows = 1;
    harness_open(h, &filesystem_source_class);
    assert_int_equal(harness_poll(h), STATUS_OK); // a: both had none yet
    h->reader->splits.items[0].watermark = 100;
    assert_int_equal(harness_poll(h), STATUS_OK); // b
    h->reader->splits.items[1].watermark = 50;
    assert_int_equal(harness_poll(h), STATUS_OK); // b again
    h->reader->splits.items[1].watermark = 200;
    assert_int_equal(harness_poll(h), STATUS_OK); // a
    assert_string_equal(h->text.ptr, "+I 100\n+I 200\n+I 201\n+I 101\n");
    assert_int_equal(harness_poll(h), STATUS_END);
}

static void more_files_than_may_be_open_are_read_in_order(void **state)
{
    struct fixture *fixture = *state;
    struct harness *h = &fixture->h;
    for (int i = 0; i < 40; i++) {
        char name[32];
        snprintf(name, sizeof name, "f%02d", i);
        write_numbers(fixture, name, i, i + 1);
    }
    harness_column(h, "id", &type_int);
    harness_open(h, &filesystem_source_class);
    assert_int_equal(harness_poll(h), STATUS_OK);
    assert_int_equal(h->reader->splits.count, FILESYSTEM_OPEN_MAX);
    strbuf_reset(&h->text);
    const char *rest = harness_read_all(h);
    assert_memory_equal(rest, "+I 1\n+I 2\n", 10);
    assert_non_null(strstr(rest, "+I 39\n"));
    assert_int_equal(h->reader->splits.count, 40);
}

static void instances_share_the_files_and_a_restore_deals_them_anew(void **state)
{
    struct fixture *fixture = *state;
    struct harness *h = &fixture->h;
    for (int i = 0; i < 8; i++) {
        char name[32];
        snprintf(name, sizeof name, "f%d", i);
        write_numbers(fixture, name, i * 10, i * 10 + 2);
    }
    harness_column(h, "id", &type_int);
    h->context.batch_rows = 1;
    h->context.parallelism = 2;
    // Each of two instances reads two rows and takes part in a checkpoint.
    VEC(struct snapshot_entry) all = {0};
    struct strbuf seen;
    strbuf_init(&seen, 1 << 20);
    for (uint32_t instance = 0; instance < 2; instance++) {
        h->context.instance = instance;
        harness_open(h, &filesystem_source_class);
        strbuf_reset(&h->text);
        assert_int_equal(harness_poll(h), STATUS_OK);
        assert_int_equal(harness_poll(h), STATUS_OK);
        strbuf_add_text(&seen, h->text.ptr);
        harness_snapshot(h);
        for (uint32_t i = 0; i < h->entries.count; i++) {
            VEC_PUSH(&all, h->entries.items[i]);
        }
        harness_close(h);
    }
    struct snapshot_reader restore = {.entry_count = all.count, .entries = all.items};
    h->context.restore = &restore;
    h->context.parallelism = 3;
    for (uint32_t instance = 0; instance < 3; instance++) {
        h->context.instance = instance;
        harness_open(h, &filesystem_source_class);
        strbuf_add_text(&seen, harness_read_all(h));
        harness_close(h);
    }
    uint32_t rows = 0;
    for (int i = 0; i < 8; i++) {
        for (int k = 0; k < 2; k++) {
            char row[32];
            snprintf(row, sizeof row, "+I %d\n", i * 10 + k);
            const char *at = strstr(seen.ptr, row);
            assert_non_null(at);
            assert_null(strstr(at + 1, row));
            rows++;
        }
    }
    assert_int_equal(rows, 16);
    VEC_RELEASE(&all);
    strbuf_release(&seen);
}

static void a_file_that_is_gone_or_cut_stops_a_restore(void **state)
{
    struct fixture *fixture = *state;
    struct harness *h = &fixture->h;
    char path[256];
    write_numbers(fixture, "a.json", 0, 3000);
    harness_column(h, "id", &type_int);
    harness_open(h, &filesystem_source_class);
    assert_int_equal(harness_poll(h), STATUS_OK);
    harness_snapshot(h);
    harness_crash(h);
    write_numbers(fixture, "a.json", 0, 3);
    harness_open(h, &filesystem_source_class);
    assert_int_equal(harness_poll(h), STATUS_INVALID_DATA);
    assert_non_null(strstr(h->err.text, "and was read up to"));
    harness_close(h);
    path_of(fixture, "a.json", path);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(harness_try_open(h, &filesystem_source_class), STATUS_NOT_FOUND);
    assert_non_null(strstr(h->err.text, "is gone"));
}

static void monitored_directories_take_files_that_come_later(void **state)
{
    struct fixture *fixture = *state;
    struct harness *h = &fixture->h;
    write_numbers(fixture, "a.json", 1, 2);
    harness_column(h, "id", &type_int);
    harness_option(h, "source.monitor-interval", "10 s");
    harness_open(h, &filesystem_source_class);
    assert_string_equal(harness_read_all(h), "+I 1\n");
    write_numbers(fixture, "b.json", 2, 3);
    assert_int_equal(harness_poll(h), STATUS_AGAIN);
    h->clock.now_us += 10 * 1000000;
    assert_string_equal(harness_read_all(h), "+I 2\n");
    harness_snapshot(h);
    harness_crash(h);
    write_numbers(fixture, "c.json", 3, 4);
    harness_open(h, &filesystem_source_class);
    assert_string_equal(harness_read_all(h), "+I 3\n");
    assert_int_equal(harness_poll(h), STATUS_AGAIN);
    harness_close(h);
    // A batch query sees what is there, and ends.
    h->context.restore = NULL;
    h->context.is_streaming = false;
    harness_open(h, &filesystem_source_class);
    assert_string_equal(harness_read_all(h), "+I 1\n+I 2\n+I 3\n");
    assert_int_equal(harness_poll(h), STATUS_END);
}

// Instances that are opened at different moments read what the first of them saw, each file once.
static void a_file_that_comes_while_instances_open_moves_no_other(void **state)
{
    struct fixture *fixture = *state;
    struct harness *h = &fixture->h;
    struct source_reader *readers[2];
    struct op_context contexts[2];
    harness_column(h, "id", &type_int);
    write_numbers(fixture, "b.json", 1, 2);
    write_numbers(fixture, "c.json", 2, 3);
    h->context.parallelism = 2;
    harness_open(h, &filesystem_source_class);
    readers[0] = h->reader;
    write_numbers(fixture, "a.json", 0, 1); // in front of all others
    contexts[1] = h->context;
    contexts[1].instance = 1;
    assert_int_equal(filesystem_source_class.open(&h->scan, &contexts[1], &readers[1], &h->err),
                     STATUS_OK);
    assert_string_equal(harness_read_all(h), "+I 1\n");
    h->reader = readers[1];
    assert_string_equal(harness_read_all(h), "+I 2\n");
    harness_close(h);
    h->reader = readers[0];
    harness_close(h);
    // The next run lists anew.
    h->context.parallelism = 1;
    harness_open(h, &filesystem_source_class);
    assert_string_equal(harness_read_all(h), "+I 0\n+I 1\n+I 2\n");
}

// Thousands of looks at files that are not this instance's, or excluded, take no memory.
static void looking_again_takes_no_memory(void **state)
{
    struct fixture *fixture = *state;
    struct harness *h = &fixture->h;
    enum { FILES = 8, LOOKS = 400 };
    harness_column(h, "id", &type_int);
    harness_column(h, "day", &type_string);
    struct table_partition partitions[] = {
        {.transform = STR_LIT("identity"), .column = STR_LIT("day")}};
    h->def.partitions = partitions;
    h->def.partition_count = 1;
    harness_option(h, "source.monitor-interval", "10 s");
    for (int i = 0; i < FILES; i++) {
        char name[64];
        snprintf(name, sizeof name, "day=2024-01-0%d", i + 1);
        char path[256];
        path_of(fixture, name, path);
        assert_int_equal(mkdir(path, 0700), 0);
        snprintf(name, sizeof name, "day=2024-01-0%d/x.json", i + 1);
        write_numbers(fixture, name, i, i + 1);
    }
    h->context.parallelism = 4;
    harness_open(h, &filesystem_source_class);
    while (harness_poll(h) == STATUS_OK) {
    }
    size_t before = 0;
    for (int i = 0; i < LOOKS; i++) {
        h->clock.now_us += 10 * 1000000;
        assert_int_equal(harness_poll(h), STATUS_AGAIN);
        if (i == 0) {
            before = mallinfo2().uordblks; // 0 under sanitizers
        }
    }
    assert_int_equal(mallinfo2().uordblks, before);
}

static void bad_records_are_told_with_file_and_line(void **state)
{
    struct fixture *fixture = *state;
    struct harness *h = &fixture->h;
    write_text(fixture, "a.json", "{\"id\":1}\n\n{\"id\":\"x\"}\n");
    harness_column(h, "id", &type_int);
    harness_open(h, &filesystem_source_class);
    assert_int_equal(harness_poll(h), STATUS_OK);
    assert_int_equal(harness_poll(h), STATUS_INVALID_DATA);
    char want[256];
    snprintf(want, sizeof want,
             "%s/a.json, line 3: field 'id' cannot be read as INT: \"x\", at byte 6 of the record",
             fixture->directory);
    assert_string_equal(h->err.text, want);
}

static void metadata_columns_are_of_the_file(void **state)
{
    struct fixture *fixture = *state;
    struct harness *h = &fixture->h;
    write_text(fixture, "a.json", "{\"id\":1}\n");
    char path[256];
    path_of(fixture, "a.json", path);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    harness_metadata(h, "name", "file.name", &type_string);
    harness_column(h, "id", &type_int);
    harness_metadata(h, "file.size", "", &type_int); // declared narrower
    harness_metadata(h, "p", "file.path", &type_string);
    harness_metadata(h, "m", "file.modification-time", &type_timestamp_ltz3);
    harness_open(h, &filesystem_source_class);
    char want[512];
    snprintf(want, sizeof want, "+I a.json 1 9 %s %lld\n", path,
             (long long)info.st_mtim.tv_sec * 1000000 + info.st_mtim.tv_nsec / 1000000 * 1000);
    assert_string_equal(harness_read_all(h), want);
}

static void changes_and_csv_come_through(void **state)
{
    struct fixture *fixture = *state;
    struct harness *h = &fixture->h;
    write_text(fixture, "a",
               "{\"after\":{\"id\":1},\"op\":\"c\"}\n"
               "{\"before\":{\"id\":1},\"after\":{\"id\":2},\"op\":\"u\"}\n"
               "{\"before\":{\"id\":2},\"op\":\"d\"}\n");
    harness_column(h, "id", &type_int);
    harness_option(h, "format", "debezium-json");
    harness_open(h, &filesystem_source_class);
    assert_string_equal(harness_read_all(h), "+I 1\n-U 1\n+U 2\n-D 2\n");
    harness_close(h);
    write_text(fixture, "a", "1,\"two\nlines\"\n2,x");
    harness_column(h, "s", &type_string);
    harness_option(h, "format", "csv");
    harness_open(h, &filesystem_source_class);
    assert_string_equal(harness_read_all(h), "+I 1 two\nlines\n+I 2 x\n");
}

static void no_column_at_all_still_counts_rows(void **state)
{
    struct fixture *fixture = *state;
    struct harness *h = &fixture->h;
    write_numbers(fixture, "a.json", 0, 3);
    harness_open(h, &filesystem_source_class);
    assert_string_equal(harness_read_all(h), "+I\n+I\n+I\n");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(files_below_a_directory_are_read_and_hidden_ones_left_out),
        TEST(a_uri_a_file_and_a_pattern_are_paths),
        TEST(compressed_files_are_told_by_their_first_bytes),
        TEST(large_files_are_read_whole_in_any_batch_size),
        TEST(a_line_longer_than_a_chunk_is_one_record),
        TEST(the_file_with_the_lowest_watermark_is_read_first),
        TEST(more_files_than_may_be_open_are_read_in_order),
        TEST(instances_share_the_files_and_a_restore_deals_them_anew),
        TEST(a_file_that_is_gone_or_cut_stops_a_restore),
        TEST(monitored_directories_take_files_that_come_later),
        TEST(a_file_that_comes_while_instances_open_moves_no_other),
        TEST(looking_again_takes_no_memory),
        TEST(bad_records_are_told_with_file_and_line),
        TEST(metadata_columns_are_of_the_file),
        TEST(changes_and_csv_come_through),
        TEST(no_column_at_all_still_counts_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
