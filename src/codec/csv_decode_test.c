// SPDX-License-Identifier: Apache-2.0
#include "codec/csv_decode.h"

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
#include "codec/csv_int.h"

struct fixture {
    struct arena arena;
    struct csv_decoder *decoder;
    struct csv_decode_spec spec;
    struct strbuf text;
    struct err err;
};

static struct type_field fields[] = {
    {.name = {"i", 1}, .type = &type_int},
    {.name = {"s", 1}, .type = &type_string},
    {.name = {"a", 1}},
    {.name = {"ts", 2}, .type = &type_timestamp3},
};

static int set_up(void **state)
{
    static const uint32_t wanted[] = {1, 0, 2, 3};
    struct fixture *fixture = mem_zalloc(sizeof *fixture);
    arena_init(&fixture->arena);
    strbuf_init(&fixture->text, 1 << 20);
    fields[2].type = type_array(&fixture->arena, &type_int, true);
    fixture->spec = (struct csv_decode_spec){.fields = fields,
                                             .field_count = 4,
                                             .wanted = wanted,
                                             .wanted_count = 4,
                                             .delimiter = ',',
                                             .quote = '"',
                                             .element_delimiter = ';'};
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    csv_decode_free(fixture->decoder);
    strbuf_release(&fixture->text);
    arena_release(&fixture->arena);
    mem_free(fixture);
    return 0;
}

static void print_rows(struct fixture *fixture)
{
    const struct column *columns = csv_decode_columns(fixture->decoder);
    struct strbuf *out = &fixture->text;
    for (uint32_t row = 0; row < csv_decode_rows(fixture->decoder); row++) {
        for (uint32_t i = 0; i < 4; i++) {
            const struct column *column = &columns[i];
            struct err err;
            assert_int_equal(column_check(column, &err), STATUS_OK);
            strbuf_add_text(out, i > 0 ? " " : "");
            if (column_is_null(column, row)) {
                strbuf_add_byte(out, '~');
            } else if (column->physical == PHYSICAL_STRING) {
                strbuf_add_byte(out, '\'');
                strbuf_add(out, strview_str(column_value(column, row)));
                strbuf_add_byte(out, '\'');
            } else if (column->physical == PHYSICAL_I32) {
                strbuf_printf(out, "%d", *(const int32_t *)column_value(column, row));
            } else if (column->physical == PHYSICAL_I64) {
                strbuf_printf(out, "%lld", (long long)*(const int64_t *)column_value(column, row));
            } else {
                const struct list_view *view = column_value(column, row);
                for (uint32_t k = 0; k < view->length; k++) {
                    strbuf_printf(
                        out, "[%d]",
                        *(const int32_t *)column_value(&column->children[0], view->offset + k));
                }
            }
        }
        strbuf_add_byte(out, '\n');
    }
}

static enum status decode(struct fixture *fixture, const char *lines, uint32_t rows_max)
{
    if (fixture->decoder == NULL) {
        assert_int_equal(csv_decode_new(&fixture->spec, &fixture->decoder, &fixture->err),
                         STATUS_OK);
    }
    strbuf_reset(&fixture->text);
    size_t size = strlen(lines);
    char *copy = mem_zalloc(size + CSV_DECODE_PADDING);
    memcpy(copy, lines, size);
    struct str rest = str_make(copy, size);
    enum status status = STATUS_OK;
    while (rest.size > 0 && status == STATUS_OK) {
        size_t used;
        status = csv_decode_lines(fixture->decoder, rest, true, rows_max, &used, &fixture->err);
        if (status == STATUS_OK) {
            print_rows(fixture);
        }
        rest = str_slice(rest, used, rest.size);
    }
    mem_free(copy);
    return status;
}

static void expect(struct fixture *fixture, const char *lines, const char *rows)
{
    for (uint32_t rows_max = 1; rows_max <= 2048; rows_max += 2047) {
        if (decode(fixture, lines, rows_max) != STATUS_OK) {
            fail_msg("%s", fixture->err.text);
        }
        assert_string_equal(fixture->text.ptr, rows);
    }
}

static void fields_are_read_by_position(void **state)
{
    expect(*state,
           "1,abc,1;2,1970-01-01 00:00:01\r\n"
           "2,\"a, \"\"quoted\"\"\nfield of two lines\",,\n"
           "\n"
           " 3 ,,\"\",\"1970-01-01 00:00:00.5\"",
           "'abc' 1 [1][2] 1000000\n"
           "'a, \"quoted\"\nfield of two lines' 2 ~ ~\n"
           "'' 3  500000\n");
}

static void options_change_the_dialect(void **state)
{
    struct fixture *fixture = *state;
    fixture->spec.delimiter = '|';
    fixture->spec.quote = '\'';
    fixture->spec.escape = '\\';
    fixture->spec.has_null_literal = true;
    fixture->spec.null_literal = STR_LIT("n/a");
    fixture->spec.allow_comments = true;
    expect(fixture,
           "#1|x|1|\n"
           "1|'it''s|'|n/a|n/a\n"
           "2|a\\|b|5|\n"
           "n/a|'n/a'||",
           "'it's|' 1 ~ ~\n'a|b' 2 [5] ~\n~ ~ ~ ~\n");
}

static void bad_lines_are_told(void **state)
{
    struct fixture *fixture = *state;
    static const char *const cases[][2] = {
        {"x,a,1,", "field 'i' cannot be read as INT: 'x'"},
        {"1,a,1;y,", "field 'a' cannot be read as ARRAY<INT>: '1;y'"},
        {"1,a,1,yesterday", "field 'ts' cannot be read as TIMESTAMP(3): 'yesterday'"},
        {"1,a", "a line of 2 fields where the table has 4"},
        {"1,a,1,,5", "a line of 5 fields where the table has 4"},
        {"1,\"a,1,", "not CSV: a quoted field does not end"},
        {"1,\"a\"b,1,", "not CSV: a quoted field does not end at a delimiter"},
        {"1,\xff,1,", "field 's' cannot be read as STRING"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char lines[256];
        snprintf(lines, sizeof lines, "7,g,,\n%s\n", cases[i][0]);
        assert_int_equal(decode(fixture, lines, 2048), STATUS_INVALID_DATA);
        assert_string_equal(fixture->text.ptr, "'g' 7 ~ ~\n");
        assert_int_equal(csv_decode_bad_place(fixture->decoder), 0);
        if (strstr(fixture->err.text, cases[i][1]) == NULL) {
            fail_msg("%s: %s", cases[i][0], fixture->err.text);
        }
        assert_non_null(strstr(fixture->err.hint, "'csv.ignore-parse-errors'"));
    }
}

static void ignored_errors_make_fields_null_and_leave_lines_out(void **state)
{
    struct fixture *fixture = *state;
    fixture->spec.ignore_parse_errors = true;
    expect(fixture, "x,a,1;y;3,\n1,b\n1,a,1,,5\n2,\"c\"d,,\n3,e,,\n",
           "'a' ~ ~ ~\n'b' 1 ~ ~\n'e' 3 ~ ~\n");
}

static void an_incomplete_record_is_left_for_the_next_call(void **state)
{
    struct fixture *fixture = *state;
    char bytes[128] = "1,a,,\n2,\"open\nand";
    size_t used;
    assert_int_equal(csv_decode_new(&fixture->spec, &fixture->decoder, &fixture->err), STATUS_OK);
    assert_int_equal(
        csv_decode_lines(fixture->decoder, str_from(bytes), false, 2048, &used, &fixture->err),
        STATUS_OK);
    assert_int_equal(used, 6);
    assert_int_equal(csv_decode_lines_used(fixture->decoder), 1);
    assert_int_equal(csv_decode_rows(fixture->decoder), 1);
    assert_int_equal(
        csv_decode_lines(fixture->decoder, str_from(bytes + 6), false, 2048, &used, &fixture->err),
        STATUS_OK);
    assert_int_equal(used, 0);
    assert_int_equal(csv_decode_rows(fixture->decoder), 0);
}

static void a_message_is_one_line(void **state)
{
    struct fixture *fixture = *state;
    const struct str messages[] = {STR_LIT("1,a,,"), STR_LIT(""), STR_LIT("2,b,,\n"),
                                   STR_LIT("3,c,,\n4,d,,")};
    uint32_t used;
    assert_int_equal(csv_decode_new(&fixture->spec, &fixture->decoder, &fixture->err), STATUS_OK);
    assert_int_equal(csv_decode_messages(fixture->decoder, messages, 4, 2048, &used, &fixture->err),
                     STATUS_OK);
    print_rows(fixture);
    assert_string_equal(fixture->text.ptr, "'a' 1 ~ ~\n'b' 2 ~ ~\n");
    assert_int_equal(used, 3);
    assert_int_equal(
        csv_decode_messages(fixture->decoder, messages + 3, 1, 2048, &used, &fixture->err),
        STATUS_INVALID_DATA);
}

// Random lines of what matters to CSV: with and without the short ways the same comes out.
static void short_ways_read_what_the_long_way_reads(void **state)
{
    struct fixture *fixture = *state;
    static const char *const parts[] = {"1",       "-20",      "x y", "\"q\"",
                                        "\"a,b\"", "\"\"\"\"", "1;2", "\xc3\xa9",
                                        "",        "1.5",      " 7",  "2024-02-29 10:00:00",
                                        "true",    "\"1\"",    "\"2", "\xff"};
    static const char *const ends[] = {",", ",", ",", ",", ",", "\n", "\r\n", "\r", "\"", "\n\n"};
    uint64_t seed = 1;
    fixture->spec.ignore_parse_errors = true;
    for (int round = 0; round < 3000; round++) {
        struct strbuf first;
        struct strbuf lines;
        strbuf_init(&lines, 1 << 16);
        strbuf_add_text(&lines, "");
        for (int i = 0; i < 12; i++) {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
            strbuf_add_text(&lines, parts[(seed >> 33) % (sizeof parts / sizeof *parts)]);
            bool is_short = (seed >> 50) % 8 == 0;
            strbuf_add_text(&lines, is_short || i % 4 == 3 ? ends[(seed >> 40) % 10] : ",");
        }
        strbuf_init(&first, 1 << 16);
        size_t size = lines.size;
        for (int i = 0; i < CSV_DECODE_PADDING; i++) {
            strbuf_add_byte(&lines, 0);
        }
        for (int way = 0; way < 2; way++) {
            size_t used;
            assert_int_equal(csv_decode_new(&fixture->spec, &fixture->decoder, &fixture->err),
                             STATUS_OK);
            fixture->decoder->may_be_quick = way == 0;
            strbuf_reset(&fixture->text);
            assert_int_equal(csv_decode_lines(fixture->decoder, str_make(lines.ptr, size), true,
                                              100, &used, &fixture->err),
                             STATUS_OK);
            print_rows(fixture);
            strbuf_printf(&fixture->text, "%zu %llu %llu", used,
                          (unsigned long long)csv_decode_lines_used(fixture->decoder),
                          (unsigned long long)csv_decode_skipped(fixture->decoder));
            if (way == 0) {
                strbuf_add(&first, strbuf_str(&fixture->text));
            } else {
                assert_string_equal(first.ptr, fixture->text.ptr);
            }
            csv_decode_free(fixture->decoder);
            fixture->decoder = NULL;
        }
        strbuf_release(&first);
        strbuf_release(&lines);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(fields_are_read_by_position),
        TEST(options_change_the_dialect),
        TEST(bad_lines_are_told),
        TEST(ignored_errors_make_fields_null_and_leave_lines_out),
        TEST(an_incomplete_record_is_left_for_the_next_call),
        TEST(a_message_is_one_line),
        TEST(short_ways_read_what_the_long_way_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
