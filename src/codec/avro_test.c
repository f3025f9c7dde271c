// SPDX-License-Identifier: Apache-2.0
//
// Reader and writer of Avro containers, against files of Java's writer and against each other.
#include "codec/avro_reader.h"

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
#include "base/mem.h"
#include "codec/avro_writer.h"

static const char schema_text[] =
    "{\"type\":\"record\",\"name\":\"r\",\"fields\":["
    "{\"name\":\"a\",\"type\":\"long\",\"field-id\":7},"
    "{\"name\":\"_x20b\",\"iceberg-field-name\":\" b\",\"type\":[\"null\",\"string\"],"
    "\"default\":null,\"field-id\":8},"
    "{\"name\":\"m\",\"type\":{\"type\":\"array\",\"items\":{\"type\":\"record\",\"name\":\"k1_"
    "v2\","
    "\"fields\":[{\"name\":\"key\",\"type\":\"int\",\"field-id\":1},"
    "{\"name\":\"value\",\"type\":\"bytes\",\"field-id\":2}]},\"logicalType\":\"map\"},"
    "\"field-id\":9},"
    "{\"name\":\"d\",\"type\":{\"type\":\"fixed\",\"name\":\"decimal_9_2\",\"size\":4,"
    "\"logicalType\":\"decimal\",\"precision\":9,\"scale\":2},\"field-id\":10}]}";

// Writes `rows` rows (i, "row i" or null, {i: "x"}, fixed) into owned bytes.
static struct str write_rows(uint32_t rows, bool compressed)
{
    struct avro_writer writer;
    struct err err;
    struct str bytes;
    struct avro_meta meta = {STR_LIT("format-version"), STR_LIT("2")};
    avro_writer_init(&writer, &(struct avro_writer_options){.schema = str_from(schema_text),
                                                            .metas = &meta,
                                                            .meta_count = 1,
                                                            .codec = compressed ? AVRO_CODEC_DEFLATE
                                                                                : AVRO_CODEC_NULL});
    for (uint32_t i = 0; i < rows; i++) {
        char text[32];
        int size = snprintf(text, sizeof text, "row %u", i);
        avro_writer_long(&writer, (int64_t)i - 5);
        avro_writer_present(&writer, i % 3 != 0);
        if (i % 3 != 0) {
            avro_writer_bytes(&writer, str_make(text, (size_t)size));
        }
        avro_writer_long(&writer, 1);
        avro_writer_long(&writer, (int64_t)i);
        avro_writer_bytes(&writer, STR_LIT("x"));
        avro_writer_long(&writer, 0);
        avro_writer_fixed(&writer, STR_LIT("\x00\x00\x01\x02"));
        assert_int_equal(avro_writer_row(&writer, &err), STATUS_OK);
    }
    assert_int_equal(avro_writer_finish(&writer, &bytes, &err), STATUS_OK);
    char *copy = mem_alloc(bytes.size);
    memcpy(copy, bytes.ptr, bytes.size);
    avro_writer_release(&writer);
    return str_make(copy, bytes.size);
}

static void expect_row(struct avro_cursor *cursor, const struct avro_schema *schema, uint32_t i)
{
    struct err err;
    struct avro_value value;
    uint64_t items;
    char text[32];
    snprintf(text, sizeof text, "row %u", i);
    assert_int_equal(avro_cursor_value(cursor, schema->fields[0].schema, &value, &err), STATUS_OK);
    assert_true(value.as.i64 == (int64_t)i - 5);
    assert_int_equal(avro_cursor_value(cursor, schema->fields[1].schema, &value, &err), STATUS_OK);
    assert_int_equal(value.kind, i % 3 != 0 ? AVRO_STRING : AVRO_NULL);
    assert_true(i % 3 == 0 || str_is(value.as.bytes, text));
    if (i % 2 == 0) {
        assert_int_equal(avro_cursor_skip(cursor, schema->fields[2].schema, &err), STATUS_OK);
    } else {
        assert_int_equal(avro_cursor_value(cursor, schema->fields[2].schema, &value, &err),
                         STATUS_OK);
        assert_int_equal(value.schema->logical, AVRO_LOGICAL_MAP);
        const struct avro_schema *entry = value.schema->fields[0].schema;
        assert_int_equal(avro_cursor_items(cursor, entry, &items, &err), STATUS_OK);
        assert_int_equal(items, 1);
        assert_int_equal(avro_cursor_value(cursor, entry->fields[0].schema, &value, &err),
                         STATUS_OK);
        assert_int_equal(value.as.i64, i);
        assert_int_equal(avro_cursor_skip(cursor, entry->fields[1].schema, &err), STATUS_OK);
        assert_int_equal(avro_cursor_items(cursor, entry, &items, &err), STATUS_OK);
        assert_int_equal(items, 0);
    }
    assert_int_equal(avro_cursor_value(cursor, schema->fields[3].schema, &value, &err), STATUS_OK);
    assert_memory_equal(value.as.bytes.ptr, "\x00\x00\x01\x02", 4);
}

static void round_trip(bool compressed)
{
    struct str bytes = write_rows(10000, compressed);
    struct avro_reader *reader;
    struct avro_cursor cursor;
    struct err err;
    struct str meta;
    uint64_t rows;
    uint32_t row = 0;
    uint32_t blocks = 0;
    assert_int_equal(avro_reader_open(bytes, NULL, &reader, &err), STATUS_OK);
    assert_true(avro_reader_meta(reader, "format-version", &meta) && str_is(meta, "2"));
    const struct avro_schema *schema = avro_reader_schema(reader);
    assert_int_equal(schema->count, 4);
    assert_int_equal(schema->fields[1].id, 8);
    assert_true(str_is(schema->fields[1].name, " b"));
    while (avro_reader_block(reader, &cursor, &rows, &err) == STATUS_OK) {
        blocks++;
        for (uint64_t i = 0; i < rows; i++) {
            expect_row(&cursor, schema, row++);
        }
        assert_int_equal(avro_cursor_end(&cursor, &err), STATUS_OK);
    }
    assert_int_equal(row, 10000);
    assert_true(blocks > 1);
    avro_reader_free(reader);
    mem_free((void *)(uintptr_t)bytes.ptr);
}

static void test_rows_come_back_as_written(void **state)
{
    (void)state;
    round_trip(false);
    round_trip(true);
}

// Every prefix of a file is a whole file, or an error: never a crash or a wrong row.
static void test_a_file_cut_anywhere_is_an_error_or_shorter(void **state)
{
    (void)state;
    struct str bytes = write_rows(40, false);
    for (size_t size = 0; size < bytes.size; size++) {
        struct avro_reader *reader;
        struct avro_cursor cursor;
        struct err err;
        uint64_t rows;
        char *copy = mem_alloc(size + 1); // of its own, so that reading over the end is noticed
        memcpy(copy, bytes.ptr, size);
        if (avro_reader_open(str_make(copy, size), NULL, &reader, &err) == STATUS_OK) {
            assert_int_not_equal(avro_reader_block(reader, &cursor, &rows, &err), STATUS_OK);
            avro_reader_free(reader);
        }
        mem_free(copy);
    }
    mem_free((void *)(uintptr_t)bytes.ptr);
}

static void test_a_schema_that_contains_itself_is_walked_to_a_limit(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct err err;
    const struct avro_schema *schema;
    assert_int_equal(
        avro_schema_parse(
            &arena,
            STR_LIT("{\"type\":\"record\",\"name\":\"n\",\"fields\":[{\"name\":\"next\","
                    "\"type\":[\"null\",\"n\"]}]}"),
            &schema, &err),
        STATUS_OK);
    char endless[1000];
    memset(endless, 2, sizeof endless); // branch 1, for ever
    struct avro_cursor cursor = avro_cursor_make(str_make(endless, sizeof endless));
    assert_int_equal(avro_cursor_skip(&cursor, schema, &err), STATUS_LIMIT);
    arena_release(&arena);
}

static void test_logical_types_and_ids_are_known(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct err err;
    const struct avro_schema *schema;
    assert_int_equal(
        avro_schema_parse(
            &arena,
            STR_LIT("{\"type\":\"array\",\"element-id\":133,\"items\":{\"type\":\"long\","
                    "\"logicalType\":\"timestamp-micros\",\"adjust-to-utc\":true}}"),
            &schema, &err),
        STATUS_OK);
    assert_int_equal(schema->element_id, 133);
    assert_int_equal(schema->fields[0].schema->logical, AVRO_LOGICAL_TIMESTAMP_MICROS);
    assert_int_equal(schema->fields[0].schema->adjust, AVRO_ADJUST_TRUE);
    assert_int_equal(avro_schema_parse(&arena, STR_LIT("\"nothing\""), &schema, &err),
                     STATUS_INVALID_DATA);
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_come_back_as_written),
        cmocka_unit_test(test_a_file_cut_anywhere_is_an_error_or_shorter),
        cmocka_unit_test(test_a_schema_that_contains_itself_is_walked_to_a_limit),
        cmocka_unit_test(test_logical_types_and_ids_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
