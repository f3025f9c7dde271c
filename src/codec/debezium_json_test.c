// SPDX-License-Identifier: Apache-2.0
#include "codec/debezium_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "data/batch.h"

struct fixture {
    struct arena arena;
    struct debezium_decoder *decoder;
    struct debezium_spec spec;
    struct strbuf text;
    struct err err;
};

static const struct type_field fields[] = {
    {.name = {"id", 2}, .type = &type_int},
    {.name = {"k", 1}, .type = &type_string},
};

static int set_up(void **state)
{
    struct fixture *fixture = mem_zalloc(sizeof *fixture);
    arena_init(&fixture->arena);
    strbuf_init(&fixture->text, 1 << 20);
    fixture->spec.json.option_prefix = STR_LIT("debezium-json.");
    fixture->spec.json.fields = fields;
    fixture->spec.json.field_count = 2;
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    debezium_json_free(fixture->decoder);
    strbuf_release(&fixture->text);
    arena_release(&fixture->arena);
    mem_free(fixture);
    return 0;
}

// "+I 1 a | -D 2 ~", with what metadata there is.
static void print_rows(struct fixture *fixture)
{
    const struct debezium_rows *rows = debezium_json_rows(fixture->decoder);
    for (uint32_t row = 0; row < rows->row_count; row++) {
        strbuf_add_text(&fixture->text, fixture->text.size > 0 ? " | " : "");
        strbuf_add_text(&fixture->text,
                        change_name(rows->kinds == NULL ? CHANGE_INSERT : rows->kinds[row]));
        for (uint32_t i = 0; i < 2 + fixture->spec.metadata_count; i++) {
            const struct column *column = &rows->columns[i];
            strbuf_add_byte(&fixture->text, ' ');
            if (column_is_null(column, row)) {
                strbuf_add_byte(&fixture->text, '~');
            } else if (column->physical == PHYSICAL_STRING) {
                strbuf_add(&fixture->text, strview_str(column_value(column, row)));
            } else if (column->physical == PHYSICAL_I64) {
                strbuf_printf(&fixture->text, "%lld",
                              (long long)*(const int64_t *)column_value(column, row));
            } else if (column->physical == PHYSICAL_MAP) {
                const struct list_view *view = column_value(column, row);
                strbuf_printf(&fixture->text, "%u", view->length);
            } else {
                strbuf_printf(&fixture->text, "%d", *(const int32_t *)column_value(column, row));
            }
        }
    }
}

static enum status decode(struct fixture *fixture, const char *lines, uint32_t rows_max)
{
    if (fixture->decoder == NULL) {
        assert_int_equal(debezium_json_new(&fixture->spec, &fixture->decoder, &fixture->err),
                         STATUS_OK);
    }
    strbuf_reset(&fixture->text);
    size_t size = strlen(lines);
    char *copy = mem_zalloc(size + JSON_DECODE_PADDING);
    memcpy(copy, lines, size);
    struct str rest = str_make(copy, size);
    enum status status = STATUS_OK;
    while (rest.size > 0 && status == STATUS_OK) {
        size_t used;
        status = debezium_json_lines(fixture->decoder, rest, rows_max, &used, &fixture->err);
        if (status == STATUS_OK) {
            const struct debezium_rows *rows = debezium_json_rows(fixture->decoder);
            for (uint32_t i = 0; i < 2 + fixture->spec.metadata_count; i++) {
                struct err err;
                assert_int_equal(column_check(&rows->columns[i], &err), STATUS_OK);
                assert_int_equal(rows->columns[i].row_count, rows->row_count);
            }
            print_rows(fixture);
        }
        rest = str_slice(rest, used, rest.size);
    }
    mem_free(copy);
    return status;
}

static void expect(struct fixture *fixture, const char *lines, const char *rows)
{
    for (uint32_t rows_max = 1; rows_max <= BATCH_ROWS_MAX; rows_max += 2047) {
        if (decode(fixture, lines, rows_max) != STATUS_OK) {
            fail_msg("%s", fixture->err.text);
        }
        assert_string_equal(fixture->text.ptr, rows);
    }
}

static void operations_become_changes(void **state)
{
    struct fixture *fixture = *state;
    expect(
        fixture,
        "{\"before\":null,\"after\":{\"id\":1,\"k\":\"a\"},\"op\":\"c\"}\n"
        "{\"before\":null,\"after\":{\"id\":2,\"k\":null},\"op\":\"r\"}\n"
        "{\"op\":\"u\",\"before\":{\"id\":2,\"k\":null},\"after\":{\"id\":2,\"k\":\"a longer text "
        "behind\"},\"ts_ms\":5}\n"
        "{\"before\":{\"id\":1,\"k\":\"a\"},\"after\":null,\"op\":\"d\"}\n",
        "+I 1 a | +I 2 ~ | -U 2 ~ | +U 2 a longer text behind | -D 1 a");
    expect(fixture, "{\"after\":{\"id\":1},\"op\":\"c\"}\n{\"after\":{\"id\":2},\"op\":\"c\"}\n",
           "+I 1 ~ | +I 2 ~");
    assert_null(debezium_json_rows(fixture->decoder)->kinds);
}

static void the_schema_wrapper_is_opened(void **state)
{
    struct fixture *fixture = *state;
    fixture->spec.schema_include = true;
    expect(
        fixture,
        "{\"schema\":{\"type\":\"struct\"},\"payload\":{\"before\":null,\"after\":{\"id\":1,\"k\":"
        "\"a\"},\"op\":\"c\"}}\n",
        "+I 1 a");
}

static void metadata_of_the_envelope_are_columns(void **state)
{
    struct fixture *fixture = *state;
    static const struct str keys[] = {{"source.table", 12},     {"ingestion-timestamp", 19},
                                      {"source.timestamp", 16}, {"source.properties", 17},
                                      {"source.schema", 13},    {"schema", 6}};
    fixture->spec.metadata = keys;
    fixture->spec.metadata_count = 6;
    expect(fixture,
           "{\"before\":{\"id\":1},\"after\":{\"id\":3},\"op\":\"u\",\"ts_ms\":7,"
           "\"source\":{\"db\":\"inv\",\"table\":\"customers of the shop\",\"ts_ms\":1234,"
           "\"snapshot\":true}}\n"
           "{\"after\":{\"id\":2},\"op\":\"c\"}\n",
           "-U 1 ~ customers of the shop 7000 1234000 4 ~ ~ | "
           "+U 3 ~ customers of the shop 7000 1234000 4 ~ ~ | +I 2 ~ ~ ~ ~ ~ ~ ~");
    const struct type *type;
    assert_string_equal(debezium_json_metadata(0, &type), "schema");
    assert_null(debezium_json_metadata(7, &type));
}

static void bad_messages_are_told_behind_the_good_ones(void **state)
{
    struct fixture *fixture = *state;
    const char *good = "{\"after\":{\"id\":1,\"k\":\"a\"},\"op\":\"c\"}\n";
    static const struct {
        const char *line;
        const char *text;
        const char *hint;
    } cases[] = {
        {"{\"after\":{\"id\":1},\"op\":\"u\"}", "without 'before', which operation 'u' needs",
         "REPLICA IDENTITY FULL"},
        {"{\"after\":{\"id\":1},\"op\":\"d\"}", "without 'before', which operation 'd' needs",
         "REPLICA IDENTITY FULL"},
        {"{\"before\":{\"id\":1},\"op\":\"u\"}", "without 'after'", ""},
        {"{\"op\":\"c\"}", "without 'after', which operation 'c' needs", ""},
        {"{\"after\":{\"id\":1}}", "without 'op'", "schema-include"},
        {"{\"after\":{\"id\":1},\"op\":\"t\"}", "operation 't' is not known", ""},
        {"{\"after\":{\"id\":\"x\"},\"op\":\"c\"}", "field 'after.id' cannot be read as INT", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char lines[256];
        snprintf(lines, sizeof lines, "%s%s%s", good, cases[i].line, "\n");
        fixture->err = (struct err){0};
        assert_int_equal(decode(fixture, lines, BATCH_ROWS_MAX), STATUS_INVALID_DATA);
        assert_string_equal(fixture->text.ptr, "+I 1 a");
        if (strstr(fixture->err.text, cases[i].text) == NULL ||
            strstr(fixture->err.hint, cases[i].hint) == NULL) {
            fail_msg("%s: %s (%s)", cases[i].line, fixture->err.text, fixture->err.hint);
        }
    }
}

static void ignored_messages_are_counted(void **state)
{
    struct fixture *fixture = *state;
    fixture->spec.json.ignore_parse_errors = true;
    assert_int_equal(decode(fixture,
                            "{\"op\":\"x\"}\nno json\n{\"after\":{\"id\":1},\"op\":\"c\"}\n"
                            "{\"after\":{\"id\":2},\"op\":\"u\"}\n",
                            BATCH_ROWS_MAX),
                     STATUS_OK);
    assert_string_equal(fixture->text.ptr, "+I 1 ~");
    assert_int_equal(debezium_json_skipped(fixture->decoder), 3);
}

static void messages_give_what_lines_give(void **state)
{
    struct fixture *fixture = *state;
    const struct str messages[] = {
        STR_LIT("{\"after\":{\"id\":1},\"op\":\"c\"}"),
        STR_LIT(""), // a tombstone
        STR_LIT("{\"before\":{\"id\":1},\"after\":{\"id\":2},\"op\":\"u\"}"),
        STR_LIT("{\"op\":\"d\"}"),
    };
    uint32_t used;
    assert_int_equal(debezium_json_new(&fixture->spec, &fixture->decoder, &fixture->err),
                     STATUS_OK);
    assert_int_equal(
        debezium_json_messages(fixture->decoder, messages, 4, BATCH_ROWS_MAX, &used, &fixture->err),
        STATUS_OK);
    assert_int_equal(used, 3);
    print_rows(fixture);
    assert_string_equal(fixture->text.ptr, "+I 1 ~ | -U 1 ~ | +U 2 ~");
    assert_int_equal(debezium_json_rows(fixture->decoder)->places[2], 2);
    assert_int_equal(debezium_json_messages(fixture->decoder, messages + 3, 1, BATCH_ROWS_MAX,
                                            &used, &fixture->err),
                     STATUS_INVALID_DATA);
    assert_int_equal(debezium_json_bad_place(fixture->decoder), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(operations_become_changes),
        TEST(the_schema_wrapper_is_opened),
        TEST(metadata_of_the_envelope_are_columns),
        TEST(bad_messages_are_told_behind_the_good_ones),
        TEST(ignored_messages_are_counted),
        TEST(messages_give_what_lines_give),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
