// SPDX-License-Identifier: Apache-2.0
//
// Data files of Avro through file_reader and file_default: fields by id and by mapped names, wider
// types, what a file lacks at any depth. Parquet's are read all over the other tests.
#include "iceberg/file_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "codec/avro_writer.h"
#include "codec/json_tree.h"
#include "data/json_text.h"
#include "iceberg/file_default.h"
#include "iceberg/file_schema.h"
#include "iceberg/spec/table_schema.h"
#include "store/store_memory.h"

struct world {
    struct arena arena;
    struct store *store;
    const struct iceberg_type *root;
    struct file_reader_options options;
    struct parquet_field *fields;
    struct file_constant constant; // field_id 0: none
};

// A file "f" of one row, whose bytes follow from the schema.
static void write_file(struct world *world, const char *schema, struct str row)
{
    struct avro_writer writer;
    struct err err;
    struct str bytes;
    avro_writer_init(&writer, &(struct avro_writer_options){.schema = str_from(schema)});
    avro_writer_fixed(&writer, row);
    assert_int_equal(avro_writer_row(&writer, &err), STATUS_OK);
    assert_int_equal(avro_writer_finish(&writer, &bytes, &err), STATUS_OK);
    assert_int_equal(store_put(world->store, STR_LIT("f"), bytes, 0, &err), STATUS_OK);
    avro_writer_release(&writer);
}

// The columns of a table, as its metadata has them.
static void want(struct world *world, const char *fields)
{
    struct err err;
    const struct json_tree *json;
    const struct table_schema *schema;
    struct str text = arena_printf(&world->arena,
                                   "{\"type\":\"struct\",\"schema-id\":0,\"fields\":[%s]}", fields);
    assert_int_equal(json_tree_parse(&world->arena, text, &json, &err), STATUS_OK);
    if (table_schema_parse(&world->arena, json, &schema, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    world->root = schema->root;
    world->fields = arena_new_array(&world->arena, struct parquet_field, schema->root->field_count);
    for (uint32_t i = 0; i < schema->root->field_count; i++) {
        assert_int_equal(
            file_schema_field(&world->arena, &schema->root->fields[i], &world->fields[i], &err),
            STATUS_OK);
    }
    world->options = (struct file_reader_options){.store = world->store,
                                                  .path = STR_LIT("f"),
                                                  .format = STR_LIT("AVRO"),
                                                  .fields = world->fields,
                                                  .field_count = schema->root->field_count};
}

static void expect_row(struct world *world, const char *expected)
{
    struct file_reader *reader;
    struct batch batch;
    struct err err;
    struct strbuf text;
    struct file_default_options defaults = {.constants = &world->constant,
                                            .constant_count = world->constant.field_id != 0};
    if (file_reader_open(&world->options, &reader, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    defaults.file = reader;
    if (file_reader_next(reader, &batch, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(batch.row_count, 1);
    strbuf_init(&text, 1 << 16);
    for (uint32_t i = 0; i < batch.column_count; i++) {
        struct file_default fill;
        assert_int_equal(
            file_default_build(&world->arena, &defaults, &world->root->fields[i], i, &fill, &err),
            STATUS_OK);
        struct column column = file_default_fill(&world->arena, &fill, &batch.columns[i]);
        assert_int_equal(column_check(&column, &err), STATUS_OK);
        strbuf_add_text(&text, i > 0 ? " " : "");
        json_text_value(&text, world->fields[i].type, &column, 0, NULL);
    }
    assert_string_equal(text.ptr, expected);
    assert_int_equal(file_reader_next(reader, &batch, &err), STATUS_END);
    strbuf_release(&text);
    file_reader_free(reader);
}

static int set_up(void **state)
{
    static struct world world; // tests run one after the other
    world = (struct world){.store = store_memory_new(NULL)};
    *state = &world;
    return 0;
}

static int tear_down(void **state)
{
    struct world *world = *state;
    store_free(world->store);
    arena_release(&world->arena);
    return 0;
}

#define FIELD(id, name, type) "{\"name\":\"" name "\",\"type\":" type ",\"field-id\":" id "}"
#define COLUMN(id, name, type, more)                                                               \
    "{\"id\":" id ",\"name\":\"" name "\",\"required\":false,\"type\":" type more "}"

static const char old_schema[] =
    "{\"type\":\"record\",\"name\":\"t\",\"fields\":[" FIELD("1", "id", "\"int\"") "," //
    FIELD("2", "old_name", "[\"null\",\"string\"]") ","                                //
    FIELD("3", "f", "\"float\"") ","                                                   //
    FIELD("4", "n",
          "{\"type\":\"fixed\",\"name\":\"d4\",\"size\":4,\"logicalType\":\"decimal\","
          "\"precision\":9,\"scale\":2}") ","                          //
    FIELD("5", "d", "{\"type\":\"int\",\"logicalType\":\"date\"}") "," //
    FIELD("6", "s",
          "{\"type\":\"record\",\"name\":\"r6\",\"fields\":[" FIELD(
              "7", "x",
              "\"int\"") "]}") "," FIELD("8", "m",
                                         "{\"type\":\"array\",\"logicalType\":\"map\",\"items\":{"
                                         "\"type\":\"record\","
                                         "\"name\":\"k9_v10\",\"fields\":[" FIELD(
                                             "9", "key",
                                             "\"int\"") "," FIELD("10", "value",
                                                                  "\"string\"") "]}}") "," //
    FIELD("11", "gone", "\"long\"") "]}";
static const char old_row[] = "\x0e"              // id 7
                              "\x02\x04hi"        // old_name
                              "\x00\x00\xc0\x3f"  // f 1.5
                              "\xff\xff\xff\x85"  // n -1.23
                              "\x02"              // d 1970-01-02
                              "\x0a"              // s {x 5}
                              "\x02\x06\x02v\x00" // m {3: v}
                              "\x54";             // gone

static void test_fields_are_found_by_id_and_become_wider(void **state)
{
    struct world *world = *state;
    write_file(world, old_schema, str_make(old_row, sizeof old_row - 1));
    want(world,
         COLUMN("6", "s",
                "{\"type\":\"struct\",\"fields\":[" COLUMN(
                    "12", "y", "\"string\"",
                    ",\"initial-default\":\"why\"") "," COLUMN("7", "x", "\"long\"", "") "]}",
                "") ","                                 //
         COLUMN("2", "new_name", "\"string\"", "") ","  //
         COLUMN("1", "id", "\"long\"", "") ","          //
         COLUMN("3", "f", "\"double\"", "") ","         //
         COLUMN("4", "n", "\"decimal(12, 2)\"", "") "," //
         COLUMN("5", "d", "\"timestamp\"", "") ","      //
         COLUMN("8", "m",
                "{\"type\":\"map\",\"key-id\":9,\"key\":\"int\",\"value-id\":10,"
                "\"value-required\":false,\"value\":\"string\"}",
                "") ","                                                           //
         COLUMN("13", "c", "\"int\"", ",\"initial-default\":42") ","              //
         COLUMN("14", "p", "\"string\"", ",\"initial-default\":\"not this\"") "," //
         COLUMN("15", "q", "\"uuid\"", ""));
    world->constant = (struct file_constant){14, {.as.bytes = STR_LIT("part")}};
    expect_row(world, "{\"y\":\"why\",\"x\":5} \"hi\" 7 1.5 -1.23 \"1970-01-02 00:00:00.000000\" "
                      "{\"3\":\"v\"} 42 \"part\" null");
}

static void test_a_file_without_ids_is_read_by_mapped_names(void **state)
{
    struct world *world = *state;
    struct str text = STR_LIT(
        "[{\"field-id\":1,\"names\":[\"other\",\"ID\"]},{\"field-id\":2,\"names\":[\"ST\"],"
        "\"fields\":[{\"field-id\":3,\"names\":[\"a\"]},{\"field-id\":4,\"names\":[]}]},"
        "{\"field-id\":5,\"names\":[\"L\"],\"fields\":[{\"field-id\":6,\"names\":[\"element\"],"
        "\"fields\":[{\"field-id\":7,\"names\":[\"e\"]}]}]}]");
    write_file(
        world,
        "{\"type\":\"record\",\"name\":\"t\",\"fields\":[{\"name\":\"ID\",\"type\":\"long\"},"
        "{\"name\":\"ST\",\"type\":{\"type\":\"record\",\"name\":\"st\",\"fields\":["
        "{\"name\":\"a\",\"type\":\"string\"}]}},"
        "{\"name\":\"L\",\"type\":{\"type\":\"array\",\"items\":{\"type\":\"record\","
        "\"name\":\"el\",\"fields\":[{\"name\":\"e\",\"type\":\"int\"}]}}}]}",
        STR_LIT("\x02\x02x\x02\x06\x00"));
    want(world, COLUMN("1", "id", "\"long\"", "") "," //
         COLUMN("2", "st",
                "{\"type\":\"struct\",\"fields\":[" COLUMN("3", "a", "\"string\"", "") "," COLUMN(
                    "4", "b", "\"int\"", ",\"initial-default\":7") "]}",
                "") "," //
         COLUMN("5", "l",
                "{\"type\":\"list\",\"element-id\":6,\"element-required\":false,\"element\":"
                "{\"type\":\"struct\",\"fields\":[" COLUMN("7", "e2", "\"int\"", "") "," COLUMN(
                    "8", "n", "\"string\"", ",\"initial-default\":\"d\"") "]}}",
                ""));
    world->options.name_mapping = &text;
    expect_row(world, "1 {\"a\":\"x\",\"b\":7} [{\"e2\":3,\"n\":\"d\"}]");
}

static void test_what_is_not_read_is_refused_by_name(void **state)
{
    struct world *world = *state;
    struct file_reader *reader;
    struct err err;
    write_file(world, old_schema, str_make(old_row, sizeof old_row - 1));
    want(world, COLUMN("1", "id", "\"string\"", ""));
    assert_int_equal(file_reader_open(&world->options, &reader, &err), STATUS_UNSUPPORTED);
    assert_non_null(strstr(err.text, "field 'id': Avro's int is not read as STRING"));
    world->options.format = STR_LIT("ORC");
    assert_int_equal(file_reader_open(&world->options, &reader, &err), STATUS_UNSUPPORTED);
    assert_non_null(strstr(err.text, "ORC"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_fields_are_found_by_id_and_become_wider),
        TEST(test_a_file_without_ids_is_read_by_mapped_names),
        TEST(test_what_is_not_read_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
