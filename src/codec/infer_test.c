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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_and_first_bytes_tell_the_format),
        cmocka_unit_test(test_a_parquet_file_says_its_columns),
        cmocka_unit_test(test_an_avro_file_says_its_columns),
        cmocka_unit_test(test_types_of_several_files_are_united),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
