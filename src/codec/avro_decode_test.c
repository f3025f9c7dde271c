// SPDX-License-Identifier: Apache-2.0
//
// Rows of Avro as columns: what is wanted against what was written, messages, and what is refused.
// All types and codecs against fastavro: tests/peers/avro_peers.py.
#include "codec/avro_decode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/arena.h"
#include "base/byte_source.h"
#include "base/mem.h"
#include "codec/avro_file.h"
#include "codec/avro_message.h"
#include "codec/avro_writer.h"
#include "data/json_text.h"

struct world {
    struct arena arena;
    struct avro_decoder *decoder;
    const struct avro_column *columns;
    uint32_t count;
};

static const struct avro_schema *schema_of(struct arena *arena, const char *json)
{
    struct err err;
    const struct avro_schema *schema;
    if (avro_schema_parse(arena, str_from(json), &schema, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    return schema;
}

// A decoder of rows of `writer` for a reader with the schema `reader`; the status of making it.
static enum status open_world(struct world *world, const char *writer, const char *reader,
                              struct err *err)
{
    *world = (struct world){0};
    TRY(avro_columns_of_schema(&world->arena, schema_of(&world->arena, reader), &world->columns,
                               &world->count, err));
    struct avro_decoder_options options = {world->columns, world->count, false};
    return avro_decoder_new(schema_of(&world->arena, writer), &options, &world->decoder, err);
}

static void close_world(struct world *world)
{
    avro_decoder_free(world->decoder);
    arena_release(&world->arena);
}

static void expect_row(struct world *world, uint32_t row, const char *text)
{
    struct strbuf out;
    struct err err;
    const struct column *columns = avro_decoder_columns(world->decoder);
    strbuf_init(&out, 1 << 16);
    for (uint32_t i = 0; i < world->count; i++) {
        assert_int_equal(column_check(&columns[i], &err), STATUS_OK);
        strbuf_add_text(&out, i > 0 ? " " : "");
        json_text_value(&out, world->columns[i].type, &columns[i], row, NULL);
    }
    assert_string_equal(out.ptr, text);
    strbuf_release(&out);
}

#define RECORD(fields) "{\"type\":\"record\",\"name\":\"r\",\"fields\":[" fields "]}"

// A row of {a int, b string, gone long} is wanted as others.
static const char written[] =
    RECORD("{\"name\":\"a\",\"type\":\"int\"},{\"name\":\"b\",\"type\":\"string\"},"
           "{\"name\":\"gone\",\"type\":\"long\"}");
static const char row_bytes[] = "\x0d" // -7
                                "\x06"
                                "abc"
                                "\x54"; // 42

static struct str row_str(void)
{
    return str_make(row_bytes, sizeof row_bytes - 1);
}

static void test_a_reader_gets_its_own_order_names_types_and_defaults(void **state)
{
    (void)state;
    struct world world;
    struct err err;
    assert_int_equal(
        open_world(&world, written,
                   RECORD("{\"name\":\"new\",\"type\":[\"null\",\"int\"],\"default\":null},"
                          "{\"name\":\"text\",\"type\":\"string\",\"aliases\":[\"b\"]},"
                          "{\"name\":\"list\",\"type\":{\"type\":\"array\",\"items\":\"int\"},"
                          "\"default\":[1,2]},"
                          "{\"name\":\"a\",\"type\":[\"null\",\"double\"]}"),
                   &err),
        STATUS_OK);
    assert_int_equal(avro_message_row(world.decoder, row_str(), &err), STATUS_OK);
    assert_int_equal(avro_message_row(world.decoder, row_str(), &err), STATUS_OK);
    expect_row(&world, 1, "null \"abc\" [1,2] -7.0");
    assert_true(avro_decoder_is_missing(world.decoder, 0));
    assert_false(avro_decoder_is_missing(world.decoder, 1));
    close_world(&world);
}

static void expect_refusal(const char *writer, const char *reader, enum status status,
                           const char *text)
{
    struct world world;
    struct err err = {0};
    assert_int_equal(open_world(&world, writer, reader, &err), status);
    if (strstr(err.text, text) == NULL) {
        fail_msg("%s", err.text);
    }
    close_world(&world);
}

static void test_what_cannot_be_resolved_is_refused_by_name(void **state)
{
    (void)state;
    expect_refusal(written, RECORD("{\"name\":\"a\",\"type\":\"string\"}"), STATUS_UNSUPPORTED,
                   "field 'a': Avro's int is not read as STRING");
    expect_refusal(written, RECORD("{\"name\":\"gone\",\"type\":\"int\"}"), STATUS_UNSUPPORTED,
                   "field 'gone': Avro's long is not read as INT");
    expect_refusal(written, RECORD("{\"name\":\"more\",\"type\":\"int\"}"), STATUS_INVALID_DATA,
                   "no field 'more'");
    expect_refusal(written,
                   RECORD("{\"name\":\"next\",\"type\":[\"null\",\"r\"],\"default\":null}"),
                   STATUS_UNSUPPORTED, "the Avro record 'r' contains itself");
    expect_refusal(written, RECORD("{\"name\":\"more\",\"type\":\"int\",\"default\":\"seven\"}"),
                   STATUS_INVALID_DATA, "a default is no value of its type");
}

static void test_a_row_that_fails_leaves_the_rows_before_it(void **state)
{
    (void)state;
    struct world world;
    struct err err;
    assert_int_equal(open_world(&world, written, written, &err), STATUS_OK);
    assert_int_equal(avro_message_row(world.decoder, row_str(), &err), STATUS_OK);
    for (size_t size = 0; size < row_str().size; size++) {
        assert_int_equal(avro_message_row(world.decoder, str_slice(row_str(), 0, size), &err),
                         STATUS_INVALID_DATA);
    }
    assert_int_equal(avro_message_row(world.decoder, STR_LIT("\x00\x00\x00\x00"), &err),
                     STATUS_INVALID_DATA);
    assert_non_null(strstr(err.text, "1 bytes behind the row"));
    assert_int_equal(avro_message_row(world.decoder, STR_LIT("\x00\x02\xff\x00"), &err),
                     STATUS_INVALID_DATA);
    assert_non_null(strstr(err.text, "field 'b': Avro: a string is not UTF-8"));
    assert_int_equal(avro_message_row(world.decoder, row_str(), &err), STATUS_OK);
    assert_int_equal(avro_decoder_row_count(world.decoder), 2);
    expect_row(&world, 0, "-7 \"abc\" 42");
    expect_row(&world, 1, "-7 \"abc\" 42");
    close_world(&world);
}

static void test_members_of_a_union_are_fields(void **state)
{
    (void)state;
    struct world world;
    struct err err;
    static const char schema[] = RECORD("{\"name\":\"u\",\"type\":[\"string\",\"null\",\"long\"]}");
    assert_int_equal(open_world(&world, schema, schema, &err), STATUS_OK);
    assert_int_equal(avro_message_row(world.decoder, STR_LIT("\x00\x02x"), &err), STATUS_OK);
    assert_int_equal(avro_message_row(world.decoder, STR_LIT("\x02"), &err), STATUS_OK);
    assert_int_equal(avro_message_row(world.decoder, STR_LIT("\x04\x02"), &err), STATUS_OK);
    assert_int_equal(avro_message_row(world.decoder, STR_LIT("\x06"), &err), STATUS_INVALID_DATA);
    expect_row(&world, 0, "{\"member0\":\"x\",\"member1\":null}");
    expect_row(&world, 1, "null");
    expect_row(&world, 2, "{\"member0\":null,\"member1\":1}");
    close_world(&world);
    // A reader without a union takes the branches that it can, when they come.
    assert_int_equal(
        open_world(&world, schema, RECORD("{\"name\":\"u\",\"type\":\"double\"}"), &err),
        STATUS_OK);
    assert_int_equal(avro_message_row(world.decoder, STR_LIT("\x04\x02"), &err), STATUS_OK);
    assert_int_equal(avro_message_row(world.decoder, STR_LIT("\x00\x02x"), &err),
                     STATUS_INVALID_DATA);
    assert_non_null(strstr(err.text, "string is not read as DOUBLE"));
    expect_row(&world, 0, "1.0");
    close_world(&world);
}

static void test_messages_say_their_schema(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct err err;
    struct str row;
    uint32_t id;
    uint64_t fingerprint;
    assert_int_equal(avro_message_confluent(STR_LIT("\0\0\0\1\2row"), &id, &row, &err), STATUS_OK);
    assert_int_equal(id, 258);
    assert_true(str_is(row, "row"));
    assert_int_equal(avro_message_confluent(STR_LIT("\1\0\0\1\2row"), &id, &row, &err),
                     STATUS_INVALID_DATA);
    assert_int_equal(
        avro_message_single(STR_LIT("\xc3\x01\1\0\0\0\0\0\0\0row"), &fingerprint, &row, &err),
        STATUS_OK);
    assert_true(fingerprint == 1 && str_is(row, "row"));
    // The specification's own value for "null".
    assert_true(avro_message_fingerprint(schema_of(&arena, "{\"type\":\"null\"}")) ==
                UINT64_C(7195948357588979594));
    arena_release(&arena);
}

// Types that take no bytes do not make loops as long as a file claims.
static void test_what_takes_no_bytes_is_limited(void **state)
{
    (void)state;
    struct world world;
    struct err err;
    static const char schema[] =
        RECORD("{\"name\":\"a\",\"type\":{\"type\":\"array\",\"items\":{\"type\":\"array\","
               "\"items\":\"null\"}}}");
    char bytes[1000];
    memset(bytes, 0x7e, sizeof bytes); // 63 arrays of 63, each
    assert_int_equal(open_world(&world, schema, schema, &err), STATUS_OK);
    assert_int_equal(avro_message_row(world.decoder, str_make(bytes, sizeof bytes), &err),
                     STATUS_INVALID_DATA);
    memcpy(bytes, "\x02\xfe\xff\xff\xff\x0f", 6);
    assert_int_equal(avro_message_row(world.decoder, str_make(bytes, sizeof bytes), &err),
                     STATUS_LIMIT);
    close_world(&world);
}

static void test_a_schema_that_doubles_is_limited(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct strbuf json;
    struct err err;
    const struct avro_schema *schema;
    strbuf_init(&json, 1 << 20);
    strbuf_add_text(&json, "{\"type\":\"record\",\"name\":\"all\",\"fields\":["
                           "{\"name\":\"f\",\"type\":{\"type\":\"record\",\"name\":\"r0\","
                           "\"fields\":[{\"name\":\"n\",\"type\":\"null\"}]}}");
    for (int i = 1; i < 40; i++) {
        strbuf_printf(&json,
                      ",{\"name\":\"f%d\",\"type\":{\"type\":\"record\",\"name\":\"r%d\","
                      "\"fields\":[{\"name\":\"a\",\"type\":\"r%d\"},"
                      "{\"name\":\"b\",\"type\":\"r%d\"}]}}",
                      i, i, i - 1, i - 1);
    }
    strbuf_add_text(&json, "]}");
    assert_int_equal(avro_schema_parse(&arena, strbuf_str(&json), &schema, &err), STATUS_LIMIT);
    strbuf_release(&json);
    arena_release(&arena);
}

// {"a": 1} in the form of Iceberg: dictionary of one name, an object of one field.
static void test_a_record_of_metadata_and_value_is_a_variant(void **state)
{
    (void)state;
    struct world world;
    struct err err;
    static const char schema[] =
        RECORD("{\"name\":\"v\",\"type\":[\"null\",{\"type\":\"record\",\"name\":\"r1\","
               "\"logicalType\":\"variant\",\"fields\":[{\"name\":\"metadata\",\"type\":\"bytes\"},"
               "{\"name\":\"value\",\"type\":\"bytes\"}]}]}");
    assert_int_equal(open_world(&world, schema, schema, &err), STATUS_OK);
    assert_int_equal(world.columns[0].type->kind, TYPE_VARIANT);
    static const char row[] = "\x02\x0a\x11\x01\x00\x01"
                              "a"
                              "\x0e\x02\x01\x00\x00\x02\x0c\x01";
    assert_int_equal(avro_message_row(world.decoder, str_make(row, sizeof row - 1), &err),
                     STATUS_OK);
    assert_int_equal(avro_message_row(world.decoder, STR_LIT("\x00"), &err), STATUS_OK);
    assert_int_equal(avro_message_row(world.decoder, STR_LIT("\x02\x02\x11\x02\x0c"), &err),
                     STATUS_INVALID_DATA);
    expect_row(&world, 0, "{\"a\":1}");
    expect_row(&world, 1, "null");
    close_world(&world);
}

// Strings of a batch that spans blocks stay where they are until the next one.
static void test_a_batch_spans_small_blocks(void **state)
{
    (void)state;
    struct avro_writer writer;
    struct byte_source_memory memory;
    struct avro_file *file;
    struct batch batch;
    struct err err;
    struct str bytes;
    char text[64];
    uint64_t next = 0;
    avro_writer_init(&writer,
                     &(struct avro_writer_options){
                         .schema = STR_LIT(RECORD("{\"name\":\"s\",\"type\":\"string\"}"))});
    for (int i = 0; i < 30000; i++) {
        int size = snprintf(text, sizeof text, "a text of some length %d", i);
        avro_writer_bytes(&writer, str_make(text, (size_t)size));
        assert_int_equal(avro_writer_row(&writer, &err), STATUS_OK);
    }
    assert_int_equal(avro_writer_finish(&writer, &bytes, &err), STATUS_OK);
    byte_source_memory_init(&memory, bytes);
    assert_int_equal(avro_file_open(&memory.source, NULL, &file, &err), STATUS_OK);
    enum status status;
    while ((status = avro_file_next(file, &batch, &err)) == STATUS_OK) {
        assert_int_equal(avro_file_position(file), next);
        assert_true(batch.row_count == BATCH_ROWS_MAX || next + batch.row_count == 30000);
        for (uint32_t i = 0; i < batch.row_count; i++) {
            snprintf(text, sizeof text, "a text of some length %d", (int)next++);
            assert_true(str_is(strview_str(column_value(&batch.columns[0], i)), text));
        }
    }
    assert_int_equal(status, STATUS_END);
    assert_int_equal(next, 30000);
    avro_file_free(file);
    avro_writer_release(&writer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_reader_gets_its_own_order_names_types_and_defaults),
        cmocka_unit_test(test_what_cannot_be_resolved_is_refused_by_name),
        cmocka_unit_test(test_a_row_that_fails_leaves_the_rows_before_it),
        cmocka_unit_test(test_members_of_a_union_are_fields),
        cmocka_unit_test(test_a_record_of_metadata_and_value_is_a_variant),
        cmocka_unit_test(test_messages_say_their_schema),
        cmocka_unit_test(test_what_takes_no_bytes_is_limited),
        cmocka_unit_test(test_a_schema_that_doubles_is_limited),
        cmocka_unit_test(test_a_batch_spans_small_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
