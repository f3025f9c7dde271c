// SPDX-License-Identifier: Apache-2.0
#include "codec/json_decode.h"

#include <inttypes.h>
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

// What a test is about: columns, one decoder, the texts of the rows it gave.
struct fixture {
    struct arena arena;
    struct json_decoder *decoder;
    struct json_decode_spec spec;
    struct type_field fields[16];
    struct strbuf text;
    struct err err;
};

static int set_up(void **state)
{
    struct fixture *fixture = mem_zalloc(sizeof *fixture);
    arena_init(&fixture->arena);
    strbuf_init(&fixture->text, 1 << 22);
    fixture->spec.option_prefix = STR_LIT("json.");
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    json_decode_free(fixture->decoder);
    strbuf_release(&fixture->text);
    arena_release(&fixture->arena);
    mem_free(fixture);
    return 0;
}

static void add_column(struct fixture *fixture, const char *name, const struct type *type)
{
    fixture->fields[fixture->spec.field_count++] =
        (struct type_field){.name = str_from(name), .type = type};
}

static void print_value(struct strbuf *out, const struct column *column, const struct type *type,
                        uint32_t row);

static void print_list(struct strbuf *out, const struct column *column, const struct type *type,
                       uint32_t row)
{
    const struct list_view *view = column_value(column, row);
    strbuf_add_byte(out, '[');
    for (uint32_t i = view->offset; i < view->offset + view->length; i++) {
        strbuf_add_text(out, i > view->offset ? "," : "");
        print_value(out, &column->children[0], type->fields[0].type, i);
        if (column->child_count == 2) {
            strbuf_add_byte(out, '=');
            const struct type *value = type->kind == TYPE_MAP ? type->fields[1].type : &type_int;
            print_value(out, &column->children[1], value, i);
        }
    }
    strbuf_add_byte(out, ']');
}

static void print_value(struct strbuf *out, const struct column *column, const struct type *type,
                        uint32_t row)
{
    if (column_is_null(column, row)) {
        strbuf_add_text(out, "~");
        return;
    }
    const void *value = column->physical == PHYSICAL_ROW ? NULL : column_value(column, row);
    switch (column->physical) {
    case PHYSICAL_BOOL:
        strbuf_add_text(out, *(const uint8_t *)value != 0 ? "true" : "false");
        break;
    case PHYSICAL_I8: strbuf_printf(out, "%d", *(const int8_t *)value); break;
    case PHYSICAL_I16: strbuf_printf(out, "%d", *(const int16_t *)value); break;
    case PHYSICAL_I32: strbuf_printf(out, "%" PRId32, *(const int32_t *)value); break;
    case PHYSICAL_I64: strbuf_printf(out, "%" PRId64, *(const int64_t *)value); break;
    case PHYSICAL_I128: {
        int128 wide = *(const int128 *)value;
        strbuf_printf(out, "%s%" PRIu64 "|%" PRIu64, wide < 0 ? "-" : "",
                      (uint64_t)((wide < 0 ? -wide : wide) / 10000000000),
                      (uint64_t)((wide < 0 ? -wide : wide) % 10000000000));
        break;
    }
    case PHYSICAL_F32: strbuf_printf(out, "%.9g", (double)*(const float *)value); break;
    case PHYSICAL_F64: strbuf_printf(out, "%.17g", *(const double *)value); break;
    case PHYSICAL_NANO:
        strbuf_printf(out, "%" PRId64 ".%09" PRId64, ((const struct nano *)value)->second,
                      ((const struct nano *)value)->nanosecond);
        break;
    case PHYSICAL_STRING:
        strbuf_add_byte(out, '\'');
        strbuf_add(out, strview_str(value));
        strbuf_add_byte(out, '\'');
        break;
    case PHYSICAL_LIST:
    case PHYSICAL_MAP: print_list(out, column, type, row); break;
    case PHYSICAL_ROW:
        strbuf_add_byte(out, '(');
        for (uint32_t i = 0; i < column->child_count; i++) {
            strbuf_add_text(out, i > 0 ? "," : "");
            print_value(out, &column->children[i], type->fields[i].type, row);
        }
        strbuf_add_byte(out, ')');
        break;
    }
}

static void print_rows(struct fixture *fixture)
{
    const struct column *columns = json_decode_columns(fixture->decoder);
    for (uint32_t row = 0; row < json_decode_rows(fixture->decoder); row++) {
        for (uint32_t i = 0; i < fixture->spec.field_count; i++) {
            strbuf_add_text(&fixture->text, i > 0 ? " " : "");
            print_value(&fixture->text, &columns[i], fixture->fields[i].type, row);
        }
        strbuf_add_byte(&fixture->text, '\n');
    }
}

static void check_columns(struct fixture *fixture)
{
    const struct column *columns = json_decode_columns(fixture->decoder);
    for (uint32_t i = 0; i < fixture->spec.field_count; i++) {
        struct err err;
        assert_int_equal(columns[i].row_count, json_decode_rows(fixture->decoder));
        if (column_check(&columns[i], &err) != STATUS_OK) {
            fail_msg("column %u: %s", i, err.text);
        }
    }
}

static void make_decoder(struct fixture *fixture)
{
    if (fixture->decoder == NULL) {
        fixture->spec.fields = fixture->fields;
        enum status status = json_decode_new(&fixture->spec, &fixture->decoder, &fixture->err);
        if (status != STATUS_OK) {
            fail_msg("%s", fixture->err.text);
        }
    }
}

// An exact copy on the heap with the sentinel and the padding that the contract asks for, so that a
// sanitizer sees whoever reads beyond.
static char *padded(struct str bytes)
{
    char *copy = mem_alloc(bytes.size + JSON_DECODE_PADDING);
    memcpy(copy, bytes.ptr, bytes.size);
    memset(copy + bytes.size, 'x', JSON_DECODE_PADDING);
    copy[bytes.size] = '\n';
    return copy;
}

// Decodes all lines, `rows_max` at a time; the rows' texts are in fixture->text.
static enum status decode_by(struct fixture *fixture, const char *lines, uint32_t rows_max)
{
    make_decoder(fixture);
    strbuf_reset(&fixture->text);
    struct str rest = str_from(lines);
    char *copy = padded(rest);
    rest.ptr = copy;
    enum status status = STATUS_OK;
    while (rest.size > 0 && status == STATUS_OK) {
        size_t used;
        status = json_decode_lines(fixture->decoder, rest, rows_max, &used, &fixture->err);
        if (status == STATUS_OK) {
            check_columns(fixture);
            print_rows(fixture);
        }
        rest = str_slice(rest, used, rest.size);
    }
    mem_free(copy);
    return status;
}

// One record a message.
static enum status decode_messages(struct fixture *fixture, const struct str *messages,
                                   uint32_t count)
{
    make_decoder(fixture);
    strbuf_reset(&fixture->text);
    uint32_t from = 0;
    enum status status = STATUS_OK;
    while (from < count && status == STATUS_OK) {
        uint32_t used;
        status = json_decode_messages(fixture->decoder, messages + from, count - from,
                                      BATCH_ROWS_MAX, &used, &fixture->err);
        if (status == STATUS_OK) {
            check_columns(fixture);
            print_rows(fixture);
        }
        from += used;
    }
    return status;
}

static void expect(struct fixture *fixture, const char *lines, const char *rows)
{
    if (decode_by(fixture, lines, BATCH_ROWS_MAX) != STATUS_OK) {
        fail_msg("%s: %s", lines, fixture->err.text);
    }
    assert_string_equal(fixture->text.ptr, rows);
    // One row at a time, and as a message: the same.
    assert_int_equal(decode_by(fixture, lines, 1), STATUS_OK);
    assert_string_equal(fixture->text.ptr, rows);
    if (strchr(lines, '\n') == NULL) {
        struct str message = str_from(lines);
        assert_int_equal(decode_messages(fixture, &message, 1), STATUS_OK);
        assert_string_equal(fixture->text.ptr, rows);
    }
}

static void expect_error(struct fixture *fixture, const char *line, const char *text)
{
    assert_int_equal(decode_by(fixture, line, BATCH_ROWS_MAX), STATUS_INVALID_DATA);
    if (strstr(fixture->err.text, text) == NULL) {
        fail_msg("%s\n  says: %s\n  expected: %s", line, fixture->err.text, text);
    }
    assert_non_null(strstr(fixture->err.hint, "'json.ignore-parse-errors'"));
}

static void scalars_of_every_type_are_read(void **state)
{
    struct fixture *fixture = *state;
    add_column(fixture, "b", &type_boolean);
    add_column(fixture, "t", &type_tinyint);
    add_column(fixture, "s", &type_smallint);
    add_column(fixture, "i", &type_int);
    add_column(fixture, "l", &type_bigint);
    add_column(fixture, "f", &type_float);
    add_column(fixture, "d", &type_double);
    add_column(fixture, "n", type_decimal(&fixture->arena, 10, 2, true));
    add_column(fixture, "w", type_decimal(&fixture->arena, 30, 4, true));
    add_column(fixture, "c", &type_string);
    add_column(fixture, "y", &type_bytes);
    add_column(fixture, "dt", &type_date);
    add_column(fixture, "tm", &type_time);
    add_column(fixture, "ts", &type_timestamp3);
    add_column(fixture, "tz", &type_timestamp_ltz3);
    add_column(fixture, "n9", type_sized(&fixture->arena, TYPE_TIMESTAMP, 9, true));
    expect(fixture,
           "{\"b\":true,\"t\":-128,\"s\":32767,\"i\":-2147483648,\"l\":9223372036854775807,"
           "\"f\":0.1,\"d\":52.520008,\"n\":-12.5,\"w\":12345678901234.5,\"c\":\"K\xc3\xb6ln\","
           "\"y\":\"Zm9v\",\"dt\":\"1970-01-02\",\"tm\":\"00:00:01.5\","
           "\"ts\":\"1970-01-01 00:00:01.2345\",\"tz\":\"1970-01-01 00:00:01Z\","
           "\"n9\":\"1969-12-31 23:59:59.123456789\"}\n"
           "{\"b\":null,\"c\":null,\"n\":null,\"ts\":null}\n",
           "true -128 32767 -2147483648 9223372036854775807 0.100000001 52.520007999999997 -1250 "
           "12345678|9012345000 'K\xc3\xb6ln' 'foo' 1 1500 1234000 1000000 -1.123456789\n"
           "~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~\n");
}

static void keys_are_found_in_any_order_and_others_are_passed_over(void **state)
{
    struct fixture *fixture = *state;
    add_column(fixture, "a", &type_int);
    add_column(fixture, "a_much_longer_name_of_a_column", &type_int);
    add_column(fixture, "b", &type_int);
    expect(fixture,
           "{\"a\":1,\"a_much_longer_name_of_a_column\":2,\"b\":3}\n"
           "{\"b\":3,\"a_much_longer_name_of_a_column\":2,\"a\":1}\n"
           "{\"x\":{\"a\":9,\"y\":[1,{\"b\":2}]},\"b\":3,\"z\":\"a\",\"a\":1}\n"
           "{\"x\":{\"a\":9,\"y\":[1,{\"b\":2}]},\"b\":3,\"z\":\"a\",\"a\":1}\n"
           "{}\n"
           " {\t\"a\" : 1 , \"b\":\t3 } \r\n"
           "\n   \r\n"
           "{\"\\u0061\":7,\"A\":1,\"a_much_longer_name_of_a_colum\":5}\n"
           "{\"a_much_longer_name_of_a_columm\":5,\"b\":-0}",
           "1 2 3\n1 2 3\n1 ~ 3\n1 ~ 3\n~ ~ ~\n1 ~ 3\n7 ~ ~\n~ ~ 0\n");
}

static void of_a_repeated_key_the_last_counts_and_later_fields_are_kept(void **state)
{
    struct fixture *fixture = *state;
    const struct type_field inner[] = {{.name = STR_LIT("x"), .type = &type_int},
                                       {.name = STR_LIT("y"), .type = &type_int}};
    add_column(fixture, "a", &type_int);
    add_column(fixture, "r", type_row(&fixture->arena, inner, 2, true));
    add_column(fixture, "b", &type_string);
    expect(fixture,
           "{\"a\":1,\"a\":2,\"a\":3,\"r\":{\"x\":1,\"y\":2},\"r\":{\"y\":3},\"b\":\"end\"}\n"
           "{\"a\":1,\"a\":null,\"r\":{\"x\":1},\"r\":null,\"b\":\"x\",\"b\":\"y\"}\n",
           "3 (~,3) 'end'\n~ ~ 'y'\n");
}

static void nested_values_are_read(void **state)
{
    struct fixture *fixture = *state;
    struct arena *arena = &fixture->arena;
    const struct type_field inner[] = {
        {.name = STR_LIT("lat"), .type = &type_double},
        {.name = STR_LIT("tags"), .type = type_array(arena, &type_string, true)}};
    const struct type *geo = type_row(arena, inner, 2, true);
    add_column(fixture, "g", geo);
    add_column(fixture, "a", type_array(arena, geo, true));
    add_column(fixture, "m",
               type_map(arena, &type_string, type_array(arena, &type_int, true), true));
    add_column(fixture, "aa", type_array(arena, type_array(arena, &type_int, true), true));
    expect(fixture,
           "{\"g\":{\"lat\":1.5,\"tags\":[\"a\",null,\"a long one, not inline\"]},"
           "\"a\":[{\"lat\":2},null,{\"tags\":[]}],\"m\":{\"k\":[1,2],\"l\":null,\"k\":[3]},"
           "\"aa\":[[1],[],null,[2,3]]}\n"
           "{\"g\":null,\"a\":[],\"m\":{},\"aa\":null}\n"
           "{\"g\":{},\"a\":[{\"tags\":[\"z\"]}],\"m\":{\"\":[]},\"aa\":[[4]]}\n",
           "(1.5,['a',~,'a long one, not inline']) [(2,~),~,(~,[])] ['l'=~,'k'=[3]] "
           "[[1],[],~,[2,3]]\n"
           "~ [] [] ~\n"
           "(~,~) [(~,['z'])] [''=[]] [[4]]\n");
}

static void many_equal_keys_of_a_map_leave_the_last(void **state)
{
    struct fixture *fixture = *state;
    add_column(fixture, "m", type_map(&fixture->arena, &type_string, &type_int, true));
    struct strbuf line;
    strbuf_init(&line, 1 << 20);
    strbuf_add_text(&line, "{\"m\":{");
    for (int i = 0; i < 3000; i++) {
        strbuf_printf(&line, "%s\"key number %d\":%d", i > 0 ? "," : "", i % 3, i);
    }
    strbuf_add_text(&line, "}}");
    expect(fixture, line.ptr, "['key number 0'=2997,'key number 1'=2998,'key number 2'=2999]\n");
    strbuf_release(&line);
}

static void numbers_are_taken_from_strings_and_other_numbers(void **state)
{
    struct fixture *fixture = *state;
    add_column(fixture, "i", &type_int);
    add_column(fixture, "l", &type_bigint);
    add_column(fixture, "d", &type_double);
    add_column(fixture, "n", type_decimal(&fixture->arena, 5, 2, true));
    add_column(fixture, "c", &type_string);
    add_column(fixture, "b", &type_boolean);
    expect(
        fixture,
        "{\"i\":\" 42 \",\"l\":1.9,\"d\":\" -1.5e3 \",\"n\":\"1.005\",\"c\":1.50,\"b\":\" TRUE "
        "\"}\n"
        "{\"i\":-1.9,\"l\":1e3,\"d\":7,\"n\":1.005,\"c\":true,\"b\":\"false\"}\n"
        "{\"i\":0,\"l\":\"+7\",\"d\":\"NaN\",\"n\":1000,\"c\":[1, {\"a\" : \" b\"}],\"b\":false}\n"
        "{\"d\":123456789012345678901234567890,\"n\":1e400,\"c\":{}}\n",
        "42 1 -1500 101 '1.50' true\n"
        "-1 1000 7 101 'true' false\n"
        "0 7 nan ~ '[1,{\"a\":\" b\"}]' false\n"
        "~ ~ 1.2345678901234568e+29 ~ '{}' ~\n");
}

static void escapes_are_resolved(void **state)
{
    struct fixture *fixture = *state;
    add_column(fixture, "c", &type_string);
    expect(fixture,
           "{\"c\":\"a\\\"b\\\\c\\/d\\b\\f\\n\\r\\t\\u00e9\\u20ac\\ud83d\\ude00 behind\"}\n"
           "{\"c\":\"\\ud83d\"}\n{\"c\":\"\\ude00x\"}\n{\"c\":\"\\ud83d\\u0041\"}\n"
           "{\"c\":\"tab\there and\x01\x7f\"}\n"
           "{\"c\":\"sixteen bytes xx\\n\"}\n",
           "'a\"b\\c/d\b\f\n\r\t\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 behind'\n'?'\n'?x'\n'?A'\n"
           "'tab\there and\x01\x7f'\n'sixteen bytes xx\n'\n");
}

static void strings_of_every_length_are_whole(void **state)
{
    struct fixture *fixture = *state;
    add_column(fixture, "c", &type_string);
    for (size_t size = 0; size < 80; size++) {
        char line[128];
        char want[128];
        char text[81];
        memset(text, 'a', size);
        text[size] = 0;
        snprintf(line, sizeof line, "{\"c\":\"%s\"}", text);
        snprintf(want, sizeof want, "'%s'\n", text);
        expect(fixture, line, want);
    }
}

static void iso_timestamps_are_read_where_asked_for(void **state)
{
    struct fixture *fixture = *state;
    fixture->spec.timestamp_form = TIME_TEXT_ISO_8601;
    add_column(fixture, "ts", &type_timestamp6);
    add_column(fixture, "tz", &type_timestamp_ltz6);
    expect(fixture,
           "{\"ts\":\"1970-01-01T00:00:01.000001\",\"tz\":\"1970-01-01T01:00:00+01:00\"}\n",
           "1000001 0\n");
    expect_error(fixture, "{\"ts\":\"1970-01-01 00:00:01\"}",
                 "field 'ts' cannot be read as TIMESTAMP(6): \"1970-01-01 00:00:01\", at byte 6");
}

static void bad_values_are_told_with_path_place_and_bytes(void **state)
{
    struct fixture *fixture = *state;
    struct arena *arena = &fixture->arena;
    const struct type_field inner[] = {{.name = STR_LIT("lat"), .type = &type_double}};
    add_column(fixture, "i", &type_int);
    add_column(fixture, "g", type_row(arena, inner, 1, true));
    add_column(fixture, "a", type_array(arena, type_row(arena, inner, 1, true), true));
    add_column(fixture, "m", type_map(arena, &type_string, &type_int, true));
    add_column(fixture, "b", &type_boolean);
    add_column(fixture, "y", &type_bytes);
    add_column(fixture, "t", &type_tinyint);
    expect_error(fixture, "{\"i\":\"12,5\"}",
                 "field 'i' cannot be read as INT: \"12,5\", at byte 5 of the record");
    assert_int_equal(fixture->err.offset, 5);
    assert_int_equal(fixture->err.length, 6);
    expect_error(fixture, "{\"i\":2147483648}", "field 'i' cannot be read as INT: 2147483648");
    expect_error(fixture, "{\"t\":128}", "field 't' cannot be read as TINYINT: 128");
    expect_error(fixture, "{\"t\":1.5}", "field 't' cannot be read as TINYINT: 1.5");
    expect_error(fixture, "{\"g\":{\"lat\":\"north\"}}",
                 "field 'g.lat' cannot be read as DOUBLE: \"north\"");
    expect_error(fixture, "{\"g\":[1]}", "field 'g' cannot be read as ROW<`lat` DOUBLE>: [1]");
    expect_error(fixture, "{\"a\":[{\"lat\":1},{\"lat\":true}]}",
                 "field 'a[1].lat' cannot be read as DOUBLE: true");
    expect_error(fixture, "{\"m\":{\"k\":\"v\"}}", "field 'm{}' cannot be read as INT: \"v\"");
    expect_error(fixture, "{\"b\":\"yes\"}", "field 'b' cannot be read as BOOLEAN: \"yes\"");
    expect_error(fixture, "{\"b\":1}", "field 'b' cannot be read as BOOLEAN: 1");
    expect_error(fixture, "{\"y\":\"no base64!\"}",
                 "field 'y' cannot be read as BYTES: \"no base64!\"");
    expect_error(fixture, "{\"i\":\"0123456789012345678901234567890123456789012345678901234567\"}",
                 "\"01234567890123456789012345678901234567890123456...,");
}

static void broken_json_is_told_with_its_place(void **state)
{
    struct fixture *fixture = *state;
    add_column(fixture, "a", &type_int);
    add_column(fixture, "c", &type_string);
    static const struct {
        const char *line;
        const char *text;
    } cases[] = {
        {"[1]", "a record is an object: '{' is expected, at byte 0"},
        {"null", "a record is an object"},
        {"{", "the record ends too early, at byte 1"},
        {"{\"a\":1", "the record ends too early, at byte 6"},
        {"{\"a\":1,}", "a key in quotes is expected, at byte 7"},
        {"{\"a\" 1}", "':' is expected behind the key, at byte 5"},
        {"{\"a\":1 \"c\":2}", "',' or '}' is expected, at byte 7"},
        {"{\"a\":01}", "a number cannot begin with 0, at byte 5"},
        {"{\"a\":1.}", "digits are expected behind the point"},
        {"{\"a\":-}", "a value is expected"},
        {"{\"a\":1e}", "digits are expected in the exponent"},
        {"{\"a\":12abc}", "',' or '}' is expected, at byte 7"},
        {"{\"a\":nul}", "a value is expected"},
        {"{\"a\":NaN}", "a value is expected"},
        {"{\"c\":\"abc", "the record ends too early, at byte 9 of the record in field 'c'"},
        {"{\"c\":\"\\x\"}", "there is no such escape, at byte 7"},
        {"{\"c\":\"\\u12g4\"}", "\\u needs four hexadecimal digits, at byte 10"},
        {"{\"c\":\"\xff\"}", "the string is not UTF-8, at byte 6"},
        {"{\"c\":\"\xed\xa0\x80\"}", "the string is not UTF-8, at byte 6"},
        {"{\"x\":\"\xc3\"}", "the string is not UTF-8"},
        {"{\"\xc3\":1}", "the string is not UTF-8, at byte 2"},
        {"{\"x\":[1,2}", "',' or ']' is expected"},
        {"{\"x\":[1,]}", "a value is expected"},
        {"{\"x\":{\"a\":1,}}", "a key in quotes is expected"},
        {"{\"x\":{1:2}}", "a key in quotes is expected"},
        {"{\"x\":[}", "a value is expected"},
        {"{\"a\":1}}", "nothing can stand behind the record's object, at byte 7"},
        {"{\"a\":1} {\"a\":2}", "nothing can stand behind the record's object, at byte 8"},
        {"{'a':1}", "a key in quotes is expected"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        expect_error(fixture, cases[i].line, cases[i].text);
        struct str message = str_from(cases[i].line);
        assert_int_equal(decode_messages(fixture, &message, 1), STATUS_INVALID_DATA);
    }
    // Every beginning of a good record is a bad one.
    static const char good[] =
        "{\"a\":-1,\"c\":\"x\\u0041\xc3\xa9\",\"n\":[{\"b\":1.5e3},null,true]}";
    expect(fixture, good, "-1 'xA\xc3\xa9'\n");
    for (size_t size = 1; size < sizeof good - 1; size++) {
        struct str message = str_make(good, size);
        assert_int_equal(decode_messages(fixture, &message, 1), STATUS_INVALID_DATA);
    }
}

static void depth_is_limited(void **state)
{
    struct fixture *fixture = *state;
    add_column(fixture, "a", &type_int);
    struct strbuf line;
    strbuf_init(&line, 1 << 20);
    strbuf_add_text(&line, "{\"x\":");
    for (int i = 0; i < 100000; i++) {
        strbuf_add_byte(&line, '[');
    }
    expect_error(fixture, line.ptr, "nested too deeply");
    strbuf_release(&line);
}

static void rows_before_a_bad_record_are_handed_out_first(void **state)
{
    struct fixture *fixture = *state;
    add_column(fixture, "a", type_array(&fixture->arena, &type_int, true));
    const char *lines = "{\"a\":[1]}\n{\"a\":[2]}\n{\"a\":[3,\"x\"]}\n{\"a\":[4]}\n";
    assert_int_equal(decode_by(fixture, lines, BATCH_ROWS_MAX), STATUS_INVALID_DATA);
    assert_string_equal(fixture->text.ptr, "[1]\n[2]\n");
    assert_non_null(strstr(fixture->err.text, "field 'a[1]' cannot be read as INT"));
}

static void ignored_errors_make_fields_null_and_leave_records_out(void **state)
{
    struct fixture *fixture = *state;
    const struct type_field inner[] = {{.name = STR_LIT("x"), .type = &type_int},
                                       {.name = STR_LIT("y"), .type = &type_int}};
    fixture->spec.ignore_parse_errors = true;
    add_column(fixture, "a", &type_int);
    add_column(fixture, "r", type_row(&fixture->arena, inner, 2, true));
    add_column(fixture, "l", type_array(&fixture->arena, &type_int, true));
    expect(fixture,
           "{\"a\":\"bad\",\"r\":{\"x\":true,\"y\":2},\"l\":[1,\"x\",3]}\n"
           "{\"a\":1,\"r\":{\"x\":1},\"l\":[1,2\n"
           "no json at all\n"
           "{\"a\":5,\"l\":7,\"r\":\"x\"}\n"
           "{\"a\":6}}\n"
           "{\"a\":7,\"l\":[8]}\n",
           "~ (~,2) [1,~,3]\n5 ~ ~\n7 ~ [8]\n");
    assert_int_equal(json_decode_skipped(fixture->decoder), 6); // three, read twice
}

static void missing_fields_fail_where_asked_for(void **state)
{
    struct fixture *fixture = *state;
    const struct type_field inner[] = {{.name = STR_LIT("x"), .type = &type_int}};
    fixture->spec.fail_on_missing_field = true;
    add_column(fixture, "r", type_row(&fixture->arena, inner, 1, true));
    add_column(fixture, "a", &type_int);
    expect(fixture, "{\"a\":null,\"r\":{\"x\":1}}", "(1) ~\n");
    expect_error(fixture, "{\"r\":{\"x\":1}}", "field 'a' is missing");
    expect_error(fixture, "{\"a\":1,\"r\":{}}", "field 'r.x' is missing");
}

static void messages_may_hold_line_ends_and_be_empty(void **state)
{
    struct fixture *fixture = *state;
    add_column(fixture, "a", &type_int);
    add_column(fixture, "c", &type_string);
    const struct str messages[] = {
        STR_LIT("{\n  \"a\": 1,\n  \"c\": \"x\ny\"\n}\n"),
        STR_LIT(""),
        STR_LIT("{\"c\":\"nul\0in it\"}"),
    };
    assert_int_equal(decode_messages(fixture, messages, 3), STATUS_OK);
    assert_int_equal(json_decode_places(fixture->decoder)[1], 2);
    assert_memory_equal(fixture->text.ptr, "1 'x\ny'\n~ 'nul\0in it'\n", 22);
    const struct str blank = STR_LIT("  ");
    assert_int_equal(decode_messages(fixture, &blank, 1), STATUS_INVALID_DATA);
}

static void a_batch_holds_no_more_than_its_bytes(void **state)
{
    struct fixture *fixture = *state;
    add_column(fixture, "c", &type_string);
    make_decoder(fixture);
    struct strbuf lines;
    strbuf_init(&lines, 16 << 20);
    for (int i = 0; i < 10; i++) {
        strbuf_add_text(&lines, "{\"c\":\"");
        for (int k = 0; k < 300 * 1000; k++) {
            strbuf_add_byte(&lines, 'x');
        }
        strbuf_add_text(&lines, "\"}\n");
    }
    char *copy = padded(strbuf_str(&lines));
    struct str rest = str_make(copy, lines.size);
    uint32_t batches = 0;
    while (rest.size > 0) {
        size_t used;
        assert_int_equal(
            json_decode_lines(fixture->decoder, rest, BATCH_ROWS_MAX, &used, &fixture->err),
            STATUS_OK);
        uint32_t rows = json_decode_rows(fixture->decoder);
        assert_int_equal(rows, batches < 3 ? 3 : 1);
        assert_true(column_bytes(json_decode_columns(fixture->decoder)) <= BATCH_BYTES_MAX);
        rest = str_slice(rest, used, rest.size);
        batches++;
    }
    assert_int_equal(batches, 4);
    mem_free(copy);
    strbuf_release(&lines);
}

static void types_without_a_form_are_refused(void **state)
{
    struct fixture *fixture = *state;
    add_column(fixture, "m", type_map(&fixture->arena, &type_int, &type_int, true));
    fixture->spec.fields = fixture->fields;
    assert_int_equal(json_decode_new(&fixture->spec, &fixture->decoder, &fixture->err),
                     STATUS_UNSUPPORTED);
    assert_string_equal(fixture->err.text,
                        "the format knows MAP with character keys only: MAP<INT, INT>");
    assert_int_equal(fixture->err.stage, ERR_STAGE_VALIDATE);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(scalars_of_every_type_are_read),
        TEST(keys_are_found_in_any_order_and_others_are_passed_over),
        TEST(of_a_repeated_key_the_last_counts_and_later_fields_are_kept),
        TEST(nested_values_are_read),
        TEST(many_equal_keys_of_a_map_leave_the_last),
        TEST(numbers_are_taken_from_strings_and_other_numbers),
        TEST(escapes_are_resolved),
        TEST(strings_of_every_length_are_whole),
        TEST(iso_timestamps_are_read_where_asked_for),
        TEST(bad_values_are_told_with_path_place_and_bytes),
        TEST(broken_json_is_told_with_its_place),
        TEST(depth_is_limited),
        TEST(rows_before_a_bad_record_are_handed_out_first),
        TEST(ignored_errors_make_fields_null_and_leave_records_out),
        TEST(missing_fields_fail_where_asked_for),
        TEST(messages_may_hold_line_ends_and_be_empty),
        TEST(a_batch_holds_no_more_than_its_bytes),
        TEST(types_without_a_form_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
