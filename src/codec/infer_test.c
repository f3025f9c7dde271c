// SPDX-License-Identifier: Apache-2.0
//
// Columns found in files that nobody has described.
#include "codec/infer.h"

#include "base/byte_sink.h"
#include "base/byte_source.h"
#include "codec/avro_writer.h"
#include "codec/infer_int.h"
#include "codec/parquet_testing.h"

static void expect_type(struct arena *arena, const struct type *type, const char *text)
{
    struct str got = type_text(arena, type);
    if (!str_is(got, text)) {
        fail_msg("%.*s is not %s", STR_ARGS(got), text);
    }
}

static void test_names_and_first_bytes_tell_the_format(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        const char *head;
        enum infer_format format;
    } cases[] = {
        {"a/b.parquet", "", INFER_PARQUET}, {"x.AVRO", "", INFER_AVRO},
        {"x.csv.gz", "", INFER_CSV},        {"x.tsv", "", INFER_CSV},
        {"x.jsonl.zst", "", INFER_JSON},    {"x", "PAR1....", INFER_PARQUET},
        {"part-0001", "Obj\1", INFER_AVRO}, {"export", "  {\"a\": 1}", INFER_JSON},
        {"part.dat", "[1]", INFER_JSON},
    };
    enum infer_format format;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(infer_format_find(str_from(cases[i].path), str_from(cases[i].head), &format));
        assert_int_equal(format, cases[i].format);
    }
    assert_false(infer_format_find(STR_LIT("x.txt"), STR_LIT("a,b\n1,2\n"), &format));
    assert_false(infer_format_find(STR_LIT("x.parquet.gz"), STR_LIT("\x1f\x8b"), &format));
}

static void test_an_avro_file_says_its_columns(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct avro_writer writer;
    struct byte_source_memory memory;
    struct infer_options options = {.format = INFER_AVRO};
    struct infer_found found;
    struct err err;
    struct str bytes;
    avro_writer_init(
        &writer,
        &(struct avro_writer_options){
            .schema = STR_LIT(
                "{\"type\":\"record\",\"name\":\"r\",\"fields\":["
                "{\"name\":\"ts\",\"type\":{\"type\":\"long\",\"logicalType\":\"timestamp-millis\"}"
                "},"
                "{\"name\":\"m\",\"type\":[\"null\",{\"type\":\"map\",\"values\":\"float\"}]},"
                "{\"name\":\"u\",\"type\":[\"int\",\"string\"]}]}")});
    assert_int_equal(avro_writer_finish(&writer, &bytes, &err), STATUS_OK);
    byte_source_memory_init(&memory, bytes);
    struct byte_source *sources[] = {&memory.source};
    assert_int_equal(infer_files(&arena, sources, 1, &options, &found, &err), STATUS_OK);
    avro_writer_release(&writer);
    expect_type(&arena, found.type,
                "ROW<`ts` TIMESTAMP_LTZ(3) NOT NULL, "
                "`m` MAP<STRING NOT NULL, FLOAT NOT NULL>, "
                "`u` ROW<`member0` INT, `member1` STRING> NOT NULL> NOT NULL");
    arena_release(&arena);
}

static void test_types_of_several_files_are_united(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct err err;
    const struct type *type;
    struct type_field a[] = {
        {.name = STR_LIT("i"), .type = &type_int},
        {.name = STR_LIT("d"), .type = type_decimal(&arena, 9, 2, false)},
        {.name = STR_LIT("only_a"), .type = type_with_null(&arena, &type_date, false)}};
    struct type_field b[] = {{.name = STR_LIT("d"), .type = type_decimal(&arena, 12, 2, false)},
                             {.name = STR_LIT("i"), .type = &type_bigint},
                             {.name = STR_LIT("n"), .type = &type_string}};
    assert_int_equal(infer_unite(&arena, type_row(&arena, a, 3, false),
                                 type_row(&arena, b, 3, false), &type, &err),
                     STATUS_OK);
    expect_type(&arena, type,
                "ROW<`i` BIGINT, `d` DECIMAL(12, 2) NOT NULL, `only_a` DATE, `n` STRING> NOT NULL");
    b[0].type = &type_string;
    assert_int_equal(infer_unite(&arena, type_row(&arena, a, 3, false),
                                 type_row(&arena, b, 3, false), &type, &err),
                     STATUS_INVALID_DATA);
    assert_non_null(strstr(err.text, "column 'd' is STRING here and DECIMAL(9, 2)"));
    arena_release(&arena);
}

// A file of five rows as parquet_testing.h has them.
static void write_parquet(struct byte_sink_memory *file)
{
    struct arena arena = {0};
    struct err err;
    struct parquet_encoder *encoder = parquet_encoder_new();
    struct parquet_writer_options options = {.fields = testing_fields(&arena),
                                             .field_count = TESTING_COLUMNS};
    struct parquet_writer *writer;
    struct batch batch = testing_batch(&arena, 0, 5);
    byte_sink_memory_init(file, 1 << 20);
    assert_int_equal(parquet_writer_new(encoder, &options, &writer, &err), STATUS_OK);
    assert_int_equal(parquet_writer_append(writer, &batch, &err), STATUS_OK);
    assert_int_equal(parquet_writer_close(writer, NULL, 0, &file->sink, &err), STATUS_OK);
    parquet_writer_free(writer);
    parquet_encoder_free(encoder);
    arena_release(&arena);
}

static void test_a_parquet_file_says_its_columns(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct err err;
    struct byte_sink_memory file;
    struct byte_source_memory memory;
    struct infer_options options = {.format = INFER_PARQUET};
    struct infer_found found;
    write_parquet(&file);
    byte_source_memory_init(&memory, byte_sink_memory_bytes(&file));
    struct byte_source *sources[] = {&memory.source, &memory.source};
    assert_int_equal(infer_files(&arena, sources, 2, &options, &found, &err), STATUS_OK);
    byte_sink_memory_release(&file); // nothing is borrowed from it
    expect_type(&arena, found.type,
                "ROW<`id` BIGINT NOT NULL, `name` STRING, `tags` ARRAY<STRING>, "
                "`geo` ROW<`lat` DOUBLE, `lon` DOUBLE>, `group` STRING> NOT NULL");
    arena_release(&arena);
}

// The columns of texts, as files of one table.
static enum status infer_texts(struct arena *arena, enum infer_format format,
                               const char *const *texts, struct infer_found *found, struct err *err)
{
    struct byte_source_memory memories[4];
    struct byte_source *sources[4];
    struct infer_options options = {.format = format};
    uint32_t count = 0;
    for (; texts[count] != NULL; count++) {
        byte_source_memory_init(&memories[count], str_from(texts[count]));
        sources[count] = &memories[count].source;
        sources[count]->name = count == 0 ? STR_LIT("one") : STR_LIT("two");
    }
    return infer_files(arena, sources, count, &options, found, err);
}

#define TEXTS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void expect_columns(enum infer_format format, const char *text, const char *columns)
{
    struct arena arena = {0};
    struct infer_found found;
    struct err err;
    if (infer_texts(&arena, format, TEXTS(text), &found, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    struct str all = type_text(&arena, found.type);
    struct str inner = str_slice(all, 4, all.size - 10); // between ROW< and > NOT NULL
    if (!str_is(inner, columns)) {
        fail_msg("%.*s is not %s", STR_ARGS(inner), columns);
    }
    arena_release(&arena);
}

static void test_columns_of_csv_are_what_all_their_texts_are(void **state)
{
    (void)state;
    expect_columns(INFER_CSV,
                   "id,price,day,at,seen,ok,name\n"
                   "1,1.5,2024-02-29,10:00:00,2024-02-29 10:00:00.123,true,\"a, b\"\n"
                   "2,,2024-03-01,11:30:00,2024-03-01 10:00:00,FALSE,\n",
                   "`id` BIGINT, `price` DOUBLE, `day` DATE, `at` TIME(0), `seen` TIMESTAMP(3), "
                   "`ok` BOOLEAN, `name` STRING");
    // What only looks like numbers.
    expect_columns(INFER_CSV, "zip,n\n01234,1\n56789,2\n", "`zip` STRING, `n` BIGINT");
    expect_columns(INFER_CSV, "a,b,c\n12345678901234567890,1,1e3\n1,2.123456789012345678,2\n",
                   "`a` DECIMAL(20, 0), `b` DECIMAL(19, 18), `c` DOUBLE");
    expect_columns(INFER_CSV, "t,u\n2024-01-01T00:00:00Z,x\n2024-01-01T00:00:00.123456+02:00,y\n",
                   "`t` TIMESTAMP_LTZ(6), `u` STRING");
    expect_columns(INFER_CSV, "a, b, c\n1, 2.5, true\n2, 3, x\n",
                   "`a` BIGINT, `b` DOUBLE, `c` STRING");
    expect_columns(INFER_CSV, "only\n", "`only` STRING");
    expect_columns(INFER_CSV,
                   "\xef\xbb\xbf"
                   "a;b\r\n1,5;2\r\n2,5;3\r\n",
                   "`a` STRING, `b` BIGINT");
    expect_columns(INFER_CSV, "1\t2\n3\t4\n", "`f0` BIGINT, `f1` BIGINT");
    expect_columns(INFER_CSV, "a|a|\n1|2|3\n", "`a` BIGINT, `a_1` BIGINT, `f2` BIGINT");
    expect_columns(INFER_CSV, "n,s\n'a, b',1\n'c',2\n", "`n` STRING, `s` BIGINT");
    expect_columns(INFER_CSV, "n,s\n\"a\nb\",1\n\"c \"\"d\"\"\",2\n", "`n` STRING, `s` BIGINT");
}

static void test_how_csv_is_written_is_found(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct infer_found found;
    struct err err;
    assert_int_equal(infer_texts(&arena, INFER_CSV,
                                 TEXTS("x;y\n\"say \\\"hi\\\" now\";NA\n\"b\";3\nNA;4\n"), &found,
                                 &err),
                     STATUS_OK);
    assert_int_equal(found.csv.delimiter, ';');
    assert_int_equal(found.csv.quote, '"');
    assert_int_equal(found.csv.escape, '\\');
    assert_int_equal(found.csv.header, INFER_HEADER_PRESENT);
    assert_true(found.csv.has_null_literal && str_is(found.csv.null_literal, "NA"));
    assert_int_equal(found.record_count, 4);
    expect_type(&arena, found.type, "ROW<`x` STRING, `y` BIGINT> NOT NULL");
    arena_release(&arena);
}

static void test_headers_of_several_files_are_the_same(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct infer_found found;
    struct err err;
    assert_int_equal(
        infer_texts(&arena, INFER_CSV, TEXTS("a,b\n1,2\n", "a,b\n3,x\n"), &found, &err), STATUS_OK);
    expect_type(&arena, found.type, "ROW<`a` BIGINT, `b` STRING> NOT NULL");
    assert_int_equal(
        infer_texts(&arena, INFER_CSV, TEXTS("a,b\n1,2\n", "a,c\n3,4\n"), &found, &err),
        STATUS_INVALID_DATA);
    assert_string_equal(err.text, "two: its header is not that of the first file");
    assert_int_equal(infer_texts(&arena, INFER_CSV, TEXTS("a,b\n1,2\n", "a\n3\n"), &found, &err),
                     STATUS_INVALID_DATA);
    assert_string_equal(err.text, "two: 1 fields a record where the first file has 2");
    arena_release(&arena);
}

static void test_columns_of_json_are_what_all_their_values_are(void **state)
{
    (void)state;
    expect_columns(INFER_JSON,
                   "{\"a\":1,\"b\":\"x\",\"o\":{\"x\":1.5,\"y\":null}}\n"
                   "{\"b\":null,\"a\":2,\"l\":[1,2.5],\"o\":{\"z\":true}}\n",
                   "`a` BIGINT, `b` STRING, `o` ROW<`x` DOUBLE, `y` STRING, `z` BOOLEAN>, "
                   "`l` ARRAY<DOUBLE>");
    expect_columns(INFER_JSON,
                   "[ {\"a\":\"2024-01-01\"},\n {\"a\":null,\"t\":\"2024-01-01T10:00:00Z\"} ]",
                   "`a` DATE, `t` TIMESTAMP_LTZ(3)");
    expect_columns(INFER_JSON, "{\n \"a\": [],\n \"m\": 1}\n{\n \"m\": \"x\"}",
                   "`a` ARRAY<STRING>, `m` STRING");
    expect_columns(INFER_JSON, "{\"big\":12345678901234567890,\"s\":\"12\"}",
                   "`big` DECIMAL(20, 0), `s` STRING");
}

static void test_what_has_no_columns_is_refused(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct infer_found found;
    struct err err;
    assert_int_equal(infer_texts(&arena, INFER_JSON, TEXTS("[1,2]"), &found, &err),
                     STATUS_INVALID_DATA);
    assert_string_equal(err.text,
                        "one: line 1, byte 2: record 1 is not an object: only those have columns");
    assert_int_equal(
        infer_texts(&arena, INFER_JSON, TEXTS("{\"a\":1}\n{\"b\":2, \"a\":x}"), &found, &err),
        STATUS_INVALID_DATA);
    assert_string_equal(err.text, "one: line 2, byte 13: not JSON: no value begins like this");
    assert_int_equal(infer_texts(&arena, INFER_JSON, TEXTS(""), &found, &err), STATUS_INVALID_DATA);
    assert_int_equal(infer_texts(&arena, INFER_CSV, TEXTS(""), &found, &err), STATUS_INVALID_DATA);
    assert_string_equal(err.text, "one: no records, so no columns");
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_and_first_bytes_tell_the_format),
        cmocka_unit_test(test_a_parquet_file_says_its_columns),
        cmocka_unit_test(test_an_avro_file_says_its_columns),
        cmocka_unit_test(test_columns_of_csv_are_what_all_their_texts_are),
        cmocka_unit_test(test_how_csv_is_written_is_found),
        cmocka_unit_test(test_headers_of_several_files_are_the_same),
        cmocka_unit_test(test_columns_of_json_are_what_all_their_values_are),
        cmocka_unit_test(test_what_has_no_columns_is_refused),
        cmocka_unit_test(test_types_of_several_files_are_united),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
