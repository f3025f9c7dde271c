// SPDX-License-Identifier: Apache-2.0
//
// Rows as JSON and CSV: what the decoders have read is written, and is the same text again.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "codec/csv_decode.h"
#include "codec/csv_encode.h"
#include "codec/json_decode.h"
#include "codec/json_encode.h"
#include "data/batch.h"
#include "data/column_builder.h"

enum { TEXT_MAX = 1 << 16, FIELDS = 8 };

static struct type_field fields[FIELDS];

static void make_fields(struct arena *arena)
{
    const struct type_field inner[] = {{.name = STR_LIT("x"), .type = &type_double},
                                       {.name = STR_LIT("y"), .type = &type_string}};
    fields[0] = (struct type_field){.name = STR_LIT("i"), .type = &type_bigint};
    fields[1] = (struct type_field){.name = STR_LIT("s"), .type = &type_string};
    fields[2] = (struct type_field){.name = STR_LIT("d"), .type = type_decimal(arena, 12, 9, true)};
    fields[3] = (struct type_field){.name = STR_LIT("b"), .type = &type_bytes};
    fields[4] =
        (struct type_field){.name = STR_LIT("t"), .type = type_sized(arena, TYPE_TIME, 6, true)};
    fields[5] = (struct type_field){.name = STR_LIT("z"), .type = &type_timestamp_ltz3};
    fields[6] =
        (struct type_field){.name = STR_LIT("a"), .type = type_array(arena, &type_int, true)};
    fields[7] = (struct type_field){.name = STR_LIT("r"), .type = type_row(arena, inner, 2, true)};
}

// The input with the padding that decoders need.
static struct str padded(struct arena *arena, const char *text)
{
    size_t size = strlen(text);
    char *out = arena_zalloc(arena, size + JSON_DECODE_PADDING + 1);
    memcpy(out, text, size);
    return str_make(out, size);
}

static void expect_json(const struct json_encode_spec *spec, const char *in, const char *out)
{
    struct arena arena = {0};
    struct json_decoder *decoder;
    struct json_encoder *encoder;
    struct strbuf text;
    struct err err;
    size_t used;
    struct json_decode_spec decode = {.fields = spec->fields,
                                      .field_count = spec->field_count,
                                      .timestamp_form = spec->timestamp_form};
    strbuf_init(&text, TEXT_MAX);
    assert_int_equal(json_decode_new(&decode, &decoder, &err), STATUS_OK);
    if (json_decode_lines(decoder, padded(&arena, in), 10, &used, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    struct batch batch = {.row_count = json_decode_rows(decoder),
                          .column_count = spec->field_count,
                          .columns = json_decode_columns(decoder)};
    assert_int_equal(json_encode_new(spec, &encoder, &err), STATUS_OK);
    assert_int_equal(json_encode_batch(encoder, &batch, &text, &err), STATUS_OK);
    assert_string_equal(text.ptr, out);
    json_encode_free(encoder);
    json_decode_free(decoder);
    strbuf_release(&text);
    arena_release(&arena);
}

static void test_json_is_written_as_it_was_read(void **state)
{
    (void)state;
    struct arena arena = {0};
    make_fields(&arena);
    struct json_encode_spec spec = {
        .fields = fields, .field_count = FIELDS, .decimal_as_plain_number = true};
    static const char full[] =
        "{\"i\":-7,\"s\":\"a "
        "\\\"b\\\"\\n\",\"d\":0.000000027,\"b\":\"AP8=\",\"t\":\"10:00:00.500001\","
        "\"z\":\"2024-02-29 10:00:00.123Z\",\"a\":[1,null,3],\"r\":{\"x\":1.5,\"y\":null}}\n";
    static const char nulls[] =
        "{\"i\":null,\"s\":null,\"d\":null,\"b\":null,\"t\":null,\"z\":null,"
        "\"a\":null,\"r\":null}\n";
    expect_json(&spec, full, full);
    expect_json(&spec, "{}\n", nulls);
    spec.ignore_null_fields = true;
    spec.decimal_as_plain_number = false;
    spec.timestamp_form = TIME_TEXT_ISO_8601;
    expect_json(&spec, "{\"d\":0.000000027,\"z\":\"2024-02-29T10:00:00Z\",\"r\":{\"x\":1.5}}\n{}\n",
                "{\"d\":2.7E-8,\"z\":\"2024-02-29T10:00:00.000Z\",\"r\":{\"x\":1.5}}\n{}\n");
    arena_release(&arena);
}

// A map {"k": 1, null: 2}, by each mode.
static void test_null_keys_are_dropped_named_or_refused(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct err err;
    struct strbuf text;
    const struct type *map = type_map(&arena, &type_string, &type_int, true);
    struct column_builder *builder = column_builder_new(&arena, map, 1);
    column_builder_list_begin(builder);
    column_builder_string(column_builder_child(builder, 0), STR_LIT("k"));
    column_builder_i32(column_builder_child(builder, 1), 1);
    column_builder_null(column_builder_child(builder, 0));
    column_builder_i32(column_builder_child(builder, 1), 2);
    column_builder_list_end(builder);
    struct column column = column_builder_finish(builder);
    struct type_field field = {.name = STR_LIT("m"), .type = map};
    static const char *const expected[] = {NULL, "{\"m\":{\"k\":1}}",
                                           "{\"m\":{\"k\":1,\"none\":2}}"};
    strbuf_init(&text, TEXT_MAX);
    for (int mode = JSON_ENCODE_NULL_KEY_FAIL; mode <= JSON_ENCODE_NULL_KEY_LITERAL; mode++) {
        struct json_encode_spec spec = {.fields = &field,
                                        .field_count = 1,
                                        .null_key = (enum json_encode_null_key)mode,
                                        .null_key_literal = STR_LIT("none")};
        struct json_encoder *encoder;
        assert_int_equal(json_encode_new(&spec, &encoder, &err), STATUS_OK);
        strbuf_reset(&text);
        enum status status = json_encode_row(encoder, &column, 0, &text, &err);
        assert_int_equal(status, expected[mode] == NULL ? STATUS_INVALID_DATA : STATUS_OK);
        if (expected[mode] != NULL) {
            assert_string_equal(text.ptr, expected[mode]);
        }
        json_encode_free(encoder);
    }
    strbuf_release(&text);
    arena_release(&arena);
}

static void expect_csv(const struct csv_encode_spec *spec, const char *in, const char *out)
{
    static const uint32_t wanted[FIELDS] = {0, 1, 2, 3, 4, 5, 6, 7};
    struct arena arena = {0};
    struct csv_decoder *decoder;
    struct csv_encoder *encoder;
    struct strbuf text;
    struct err err;
    size_t used;
    struct csv_decode_spec decode = {.fields = spec->fields,
                                     .field_count = spec->field_count,
                                     .wanted = wanted,
                                     .wanted_count = spec->field_count,
                                     .delimiter = spec->delimiter,
                                     .quote = spec->quote,
                                     .escape = spec->escape,
                                     .element_delimiter = spec->element_delimiter,
                                     .has_null_literal = spec->has_null_literal,
                                     .null_literal = spec->null_literal};
    strbuf_init(&text, TEXT_MAX);
    assert_int_equal(csv_decode_new(&decode, &decoder, &err), STATUS_OK);
    if (csv_decode_lines(decoder, padded(&arena, in), true, 10, &used, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    struct batch batch = {.row_count = csv_decode_rows(decoder),
                          .column_count = spec->field_count,
                          .columns = csv_decode_columns(decoder)};
    assert_int_equal(csv_encode_new(spec, &encoder, &err), STATUS_OK);
    assert_int_equal(csv_encode_batch(encoder, &batch, &text, &err), STATUS_OK);
    assert_string_equal(text.ptr, out);
    csv_encode_free(encoder);
    csv_decode_free(decoder);
    strbuf_release(&text);
    arena_release(&arena);
}

static void test_csv_is_written_as_it_was_read(void **state)
{
    (void)state;
    struct arena arena = {0};
    make_fields(&arena);
    struct csv_encode_spec spec = {.fields = fields,
                                   .field_count = FIELDS,
                                   .delimiter = ',',
                                   .quote = '"',
                                   .element_delimiter = ';'};
    static const char full[] =
        "-7,\"a \"\"b\"\", c\n\",0.000000027,AP8=,10:00:00.500001,2024-02-29 "
        "10:00:00.123Z,1;2;3,1.5;x\n";
    expect_csv(&spec, full, full);
    expect_csv(&spec, ",,,,,,,\n", ",\"\",,,,,,\n"); // a text that is not quoted is not NULL
    spec.delimiter = '\t';
    spec.has_null_literal = true;
    spec.null_literal = STR_LIT("n/a");
    spec.decimal_in_scientific_form = true;
    expect_csv(&spec, "1\tplain, text\t0.000000027\tn/a\tn/a\tn/a\tn/a\tn/a\n",
               "1\tplain, text\t2.7E-8\tn/a\tn/a\tn/a\tn/a\tn/a\n");
    spec.escape = '\\';
    expect_csv(&spec, "1\t\"say \\\"hi\\\" \\\\\"\tn/a\tn/a\tn/a\tn/a\tn/a\tn/a\n",
               "1\t\"say \\\"hi\\\" \\\\\"\tn/a\tn/a\tn/a\tn/a\tn/a\tn/a\n");
    arena_release(&arena);
}

static void test_csv_that_would_be_read_otherwise_is_refused(void **state)
{
    (void)state;
    struct err err;
    struct strbuf text;
    struct csv_encoder *encoder;
    struct type_field field = {.name = STR_LIT("s, t"), .type = &type_string};
    struct strview view = strview_make("a,b", 3);
    struct column column = {.physical = PHYSICAL_STRING, .row_count = 1, .values = &view};
    struct csv_encode_spec spec = {.fields = &field, .field_count = 1, .delimiter = ','};
    strbuf_init(&text, TEXT_MAX);
    assert_int_equal(csv_encode_new(&spec, &encoder, &err), STATUS_OK);
    assert_int_equal(csv_encode_row(encoder, &column, 0, &text, &err), STATUS_INVALID_DATA);
    csv_encode_free(encoder);
    spec.quote = '"';
    strbuf_reset(&text);
    assert_int_equal(csv_encode_new(&spec, &encoder, &err), STATUS_OK);
    assert_int_equal(csv_encode_header(encoder, &text, &err), STATUS_OK);
    assert_string_equal(text.ptr, "\"s, t\"\n");
    csv_encode_free(encoder);
    strbuf_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json_is_written_as_it_was_read),
        cmocka_unit_test(test_null_keys_are_dropped_named_or_refused),
        cmocka_unit_test(test_csv_is_written_as_it_was_read),
        cmocka_unit_test(test_csv_that_would_be_read_otherwise_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
