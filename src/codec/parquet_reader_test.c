// SPDX-License-Identifier: Apache-2.0
#include "codec/parquet_reader.h"

#include "base/byte_sink.h"
#include "base/byte_source.h"
#include "base/mem.h"
#include "codec/parquet_testing.h"

enum { ROWS = 12000 };

struct fixture {
    struct arena arena;
    struct byte_sink_memory bytes;
    struct byte_source_memory memory;
    struct parquet_file *file;
    struct parquet_reader *reader;
    struct parquet_reader_options options;
};

static void write_rows(struct fixture *at, const struct parquet_writer_options *options,
                       const struct batch *batches, uint32_t count)
{
    struct err err;
    struct parquet_encoder *encoder = parquet_encoder_new();
    struct parquet_writer *writer;
    byte_sink_memory_init(&at->bytes, 1 << 28);
    assert_int_equal(parquet_writer_new(encoder, options, &writer, &err), STATUS_OK);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(parquet_writer_append(writer, &batches[i], &err), STATUS_OK);
    }
    assert_int_equal(parquet_writer_close(writer, NULL, 0, &at->bytes.sink, &err), STATUS_OK);
    parquet_writer_free(writer);
    parquet_encoder_free(encoder);
    byte_source_memory_init(&at->memory, byte_sink_memory_bytes(&at->bytes));
    assert_int_equal(parquet_file_open(&at->memory.source, NULL, &at->file, &err), STATUS_OK);
}

static int set_up(void **state)
{
    struct fixture *at = mem_zalloc(sizeof *at);
    arena_init(&at->arena);
    at->options.row_group_count = UINT32_MAX;
    *state = at;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *at = *state;
    parquet_reader_free(at->reader);
    parquet_file_free(at->file);
    byte_sink_memory_release(&at->bytes);
    arena_release(&at->arena);
    mem_free(at);
    return 0;
}

// ROWS rows in pages of 1,000 and row groups of some pages.
static void write_testing_rows(struct fixture *at, enum compress_codec codec)
{
    struct batch batches[ROWS / 2000];
    for (uint32_t i = 0; i < ROWS / 2000; i++) {
        batches[i] = testing_batch(&at->arena, i * 2000, 2000);
    }
    struct parquet_writer_options options = {.fields = testing_fields(&at->arena),
                                             .field_count = TESTING_COLUMNS,
                                             .codec = codec,
                                             .level = 1,
                                             .page_rows = 1000,
                                             .row_group_bytes = 100000};
    write_rows(at, &options, batches, ROWS / 2000);
}

static void open_reader(struct fixture *at)
{
    struct err err;
    assert_int_equal(parquet_reader_new(at->file, &at->options, &at->reader, &err), STATUS_OK);
}

static enum status next(struct fixture *at, struct batch *batch)
{
    struct err err = {.text = ""};
    return parquet_reader_next(at->reader, batch, &err);
}

static void test_batches_of_any_size_hold_the_rows_in_order(void **state)
{
    struct fixture *at = *state;
    write_testing_rows(at, COMPRESS_SNAPPY);
    static const uint32_t sizes[] = {0, 1000, 333, 7};
    for (uint32_t i = 0; i < 4; i++) {
        struct batch batch;
        uint64_t row = 0;
        at->options.batch_rows = sizes[i];
        open_reader(at);
        while (next(at, &batch) == STATUS_OK) {
            assert_true(batch.row_count <= (sizes[i] > 0 ? sizes[i] : 2048));
            assert_int_equal(parquet_reader_position(at->reader), row);
            testing_expect_batch(&batch, row);
            row += batch.row_count;
        }
        assert_int_equal(row, ROWS);
        parquet_reader_free(at->reader);
        at->reader = NULL;
    }
}

static void test_small_dictionaries_are_handed_out_as_such(void **state)
{
    struct fixture *at = *state;
    struct batch batch;
    write_testing_rows(at, COMPRESS_NONE);
    open_reader(at);
    assert_int_equal(next(at, &batch), STATUS_OK);
    assert_int_equal(batch.columns[4].encoding, ENCODING_DICT);
    assert_int_equal(batch.columns[4].dict->row_count, 5);
    assert_int_equal(batch.columns[0].encoding, ENCODING_FLAT);
}

static void test_row_groups_are_read_apart(void **state)
{
    struct fixture *at = *state;
    write_testing_rows(at, COMPRESS_ZSTD);
    uint32_t groups = parquet_file_row_groups(at->file);
    assert_true(groups >= 2);
    uint64_t rows = 0;
    for (uint32_t i = 0; i < groups; i++) {
        struct parquet_row_group_info info = parquet_file_row_group(at->file, i);
        struct batch batch;
        assert_int_equal(info.first_row, rows);
        at->options.row_group_first = i;
        at->options.row_group_count = 1;
        open_reader(at);
        while (next(at, &batch) == STATUS_OK) {
            assert_int_equal(parquet_reader_position(at->reader), rows);
            testing_expect_batch(&batch, rows);
            rows += batch.row_count;
        }
        assert_int_equal(rows, info.first_row + info.row_count);
        parquet_reader_free(at->reader);
        at->reader = NULL;
    }
    assert_int_equal(rows, ROWS);
}

// The ids of the fields are the predicate's business then: 1 is the id of another column there.
static void test_by_name_ids_are_those_of_the_predicate(void **state)
{
    struct fixture *at = *state;
    struct batch batch;
    write_testing_rows(at, COMPRESS_ZSTD);
    const struct parquet_field fields[2] = {
        {.name = STR_LIT("group"), .id = 1, .type = &type_string},
        {.name = STR_LIT("id"), .id = 2, .type = &type_bigint}};
    int64_t bound = ROWS - 1;
    const struct column constant = {.physical = PHYSICAL_I64, .row_count = 1, .values = &bound};
    const struct predicate_term term = {
        .column_id = 2, .op = PREDICATE_GE, .type = &type_bigint, .constants = &constant};
    const struct predicate predicate = {.term_count = 1, .terms = &term};
    at->options.fields = fields;
    at->options.field_count = 2;
    at->options.by_name = true;
    at->options.predicate = &predicate;
    open_reader(at);
    assert_int_equal(next(at, &batch), STATUS_OK);
    assert_true(parquet_reader_position(at->reader) >= ROWS - 2000);
    assert_true(parquet_reader_counters(at->reader).row_groups_pruned > 0);
    assert_int_equal(((const int64_t *)batch.columns[1].values)[batch.row_count - 1], ROWS - 1);
}

// Asks for: something that is not there, lon within geo (and an unknown sibling), id.
static void test_fields_are_found_by_id_and_missing_ones_are_null(void **state)
{
    struct fixture *at = *state;
    struct batch batch;
    write_testing_rows(at, COMPRESS_ZSTD);
    const struct parquet_field inner[2] = {
        {.name = STR_LIT("new"), .id = 71, .type = &type_int},
        {.name = STR_LIT("renamed"), .id = 7, .type = &type_double}};
    const struct type_field inner_types[2] = {{.name = STR_LIT("new"), .type = &type_int},
                                              {.name = STR_LIT("renamed"), .type = &type_double}};
    const struct parquet_field fields[3] = {
        {.name = STR_LIT("absent"), .id = 70, .type = type_array(&at->arena, &type_int, true)},
        {.name = STR_LIT("geo"),
         .id = 5,
         .type = type_row(&at->arena, inner_types, 2, true),
         .child_count = 2,
         .children = inner},
        {.name = STR_LIT("other name"), .id = 1, .type = &type_bigint}};
    at->options.fields = fields;
    at->options.field_count = 3;
    open_reader(at);
    assert_true(parquet_reader_is_missing(at->reader, 0));
    assert_false(parquet_reader_is_missing(at->reader, 1));
    assert_int_equal(next(at, &batch), STATUS_OK);
    assert_int_equal(batch_check(&batch, NULL), STATUS_OK);
    for (uint32_t i = 0; i < batch.row_count; i++) {
        const struct column *geo = &batch.columns[1];
        assert_true(column_is_null(&batch.columns[0], i));
        assert_int_equal(column_is_null(geo, i), i % 13 == 0);
        assert_true(column_is_null(&geo->children[0], i));
        assert_true(i % 13 == 0 ||
                    *(const double *)column_value(&geo->children[1], i) == -(double)i);
        assert_int_equal(*(const int64_t *)column_value(&batch.columns[2], i), i);
    }
    // Columns that were not asked for are not read.
    assert_int_equal(parquet_reader_counters(at->reader).pages_read, 4 + 2);
}

static void test_a_row_of_which_nothing_is_in_the_file_keeps_its_nulls(void **state)
{
    struct fixture *at = *state;
    struct batch batch;
    write_testing_rows(at, COMPRESS_ZSTD);
    const struct parquet_field inner = {.name = STR_LIT("new"), .id = 71, .type = &type_int};
    const struct type_field inner_type = {.name = STR_LIT("new"), .type = &type_int};
    const struct parquet_field field = {.name = STR_LIT("geo"),
                                        .id = 5,
                                        .type = type_row(&at->arena, &inner_type, 1, true),
                                        .child_count = 1,
                                        .children = &inner};
    at->options.fields = &field;
    at->options.field_count = 1;
    open_reader(at);
    assert_int_equal(next(at, &batch), STATUS_OK);
    assert_int_equal(batch_check(&batch, NULL), STATUS_OK);
    for (uint32_t i = 0; i < batch.row_count; i++) {
        assert_int_equal(column_is_null(&batch.columns[0], i), i % 13 == 0);
    }
}

static void test_types_that_do_not_fit_are_refused_with_both_names(void **state)
{
    struct fixture *at = *state;
    struct err err;
    write_testing_rows(at, COMPRESS_ZSTD);
    const struct parquet_field field = {.name = STR_LIT("id"), .id = 1, .type = &type_int};
    at->options.fields = &field;
    at->options.field_count = 1;
    assert_int_equal(parquet_reader_new(at->file, &at->options, &at->reader, &err),
                     STATUS_UNSUPPORTED);
    assert_string_equal(err.text,
                        "memory: column id holds BIGINT NOT NULL, which is not read as INT");
}

static void test_no_columns_are_rows_all_the_same(void **state)
{
    struct fixture *at = *state;
    struct batch batch;
    uint64_t rows = 0;
    const struct parquet_field none = {0};
    write_testing_rows(at, COMPRESS_ZSTD);
    at->options.fields = &none;
    open_reader(at);
    while (next(at, &batch) == STATUS_OK) {
        rows += batch.row_count;
    }
    assert_int_equal(rows, ROWS);
}

static void test_a_condition_leaves_out_pages_and_keeps_positions(void **state)
{
    struct fixture *at = *state;
    write_testing_rows(at, COMPRESS_ZSTD);
    int64_t limits[2] = {4500, 4600};
    struct column constants[2] = {{.physical = PHYSICAL_I64, .row_count = 1, .values = &limits[0]},
                                  {.physical = PHYSICAL_I64, .row_count = 1, .values = &limits[1]}};
    struct predicate_term terms[2] = {
        {.column_id = 1, .op = PREDICATE_GE, .type = &type_bigint, .constants = &constants[0]},
        {.column_id = 1, .op = PREDICATE_LT, .type = &type_bigint, .constants = &constants[1]}};
    struct predicate predicate = {.term_count = 2, .terms = terms};
    struct batch batch;
    uint64_t rows = 0;
    at->options.predicate = &predicate;
    open_reader(at);
    while (next(at, &batch) == STATUS_OK) {
        uint64_t position = parquet_reader_position(at->reader);
        assert_true(position >= 4000 && position + batch.row_count <= 5000);
        testing_expect_batch(&batch, position);
        rows += batch.row_count;
    }
    assert_int_equal(rows, 1000); // the one page
    struct parquet_reader_counters counters = parquet_reader_counters(at->reader);
    assert_int_equal(counters.rows_pruned, ROWS - 1000);
    assert_true(counters.row_groups_pruned > 0);
}

static void test_wide_rows_come_in_batches_of_a_mebibyte(void **state)
{
    struct fixture *at = *state;
    enum { COUNT = 40, SIZE = 100000 };
    struct type_field field = {.name = STR_LIT("text"), .type = &type_string};
    int32_t id = 1;
    struct parquet_writer_options options = {
        .fields = parquet_schema_fields(&at->arena, type_row(&at->arena, &field, 1, false), &id),
        .field_count = 1,
        .codec = COMPRESS_ZSTD,
        .level = 1};
    struct strview *texts = arena_new_array(&at->arena, struct strview, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        size_t size = i == 20 ? 3 << 20 : SIZE; // one alone is more than a batch
        char *bytes = arena_alloc(&at->arena, size);
        memset(bytes, 'a' + (int)i % 26, size);
        texts[i] = strview_make(bytes, size);
    }
    struct column column = {.physical = PHYSICAL_STRING, .row_count = COUNT, .values = texts};
    struct batch in = {.row_count = COUNT, .column_count = 1, .columns = &column};
    write_rows(at, &options, &in, 1);
    open_reader(at);
    struct batch batch;
    uint32_t row = 0;
    while (next(at, &batch) == STATUS_OK) {
        assert_true(batch.row_count == 1 || batch_bytes(&batch) <= BATCH_BYTES_MAX + 4096);
        for (uint32_t i = 0; i < batch.row_count; i++, row++) {
            assert_true(strview_equal(column_value(&batch.columns[0], i), &texts[row]));
        }
    }
    assert_int_equal(row, COUNT);
}

// Opens and reads whatever `bytes` are; true where all of it was read without an error.
static bool reads(struct str bytes)
{
    char *exact = mem_alloc(bytes.size); // so that the address sanitizer sees the end
    memcpy(exact, bytes.ptr, bytes.size);
    struct byte_source_memory memory;
    struct parquet_file *file = NULL;
    struct parquet_reader *reader = NULL;
    struct parquet_reader_options options = {.row_group_count = UINT32_MAX,
                                             .page_bytes_max = 1 << 22};
    struct batch batch;
    struct err err = {.text = ""};
    byte_source_memory_init(&memory, str_make(exact, bytes.size));
    enum status status = parquet_file_open(&memory.source, NULL, &file, &err);
    if (status == STATUS_OK) {
        status = parquet_reader_new(file, &options, &reader, &err);
    }
    while (status == STATUS_OK) {
        status = parquet_reader_next(reader, &batch, &err);
        if (status == STATUS_OK) {
            assert_int_equal(batch_check(&batch, &err), STATUS_OK);
        }
    }
    assert_true(status == STATUS_END || err.text[0] != '\0');
    parquet_reader_free(reader);
    parquet_file_free(file);
    mem_free(exact);
    return status == STATUS_END;
}

static void test_a_file_cut_anywhere_is_an_error(void **state)
{
    struct fixture *at = *state;
    write_testing_rows(at, COMPRESS_ZSTD);
    struct str bytes = byte_sink_memory_bytes(&at->bytes);
    assert_true(reads(bytes));
    for (size_t i = 0; i < 100; i++) {
        assert_false(reads(str_slice(bytes, 0, bytes.size * i / 100)));
    }
    for (size_t cut = 1; cut < 40; cut++) {
        assert_false(reads(str_slice(bytes, 0, bytes.size - cut)));
    }
}

static void test_flipped_bytes_are_an_error_or_other_values(void **state)
{
    struct fixture *at = *state;
    write_testing_rows(at, COMPRESS_NONE);
    struct str bytes = byte_sink_memory_bytes(&at->bytes);
    uint64_t seed = 99;
    for (int i = 0; i < 300; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        // Half of them within the footer.
        size_t span = i % 2 == 0 ? bytes.size : 4000;
        size_t place = bytes.size - 1 - (size_t)(seed >> 33) % span;
        at->bytes.ptr[place] ^= (char)(1 + (seed >> 20) % 255);
        reads(bytes);
        at->bytes.ptr[place] ^= (char)(1 + (seed >> 20) % 255);
    }
}

static void test_what_is_no_parquet_file_is_named(void **state)
{
    (void)state;
    struct byte_source_memory memory;
    struct parquet_file *file = NULL;
    struct err err;
    byte_source_memory_init(&memory, STR_LIT("PAR1 too short"));
    assert_int_equal(parquet_file_open(&memory.source, NULL, &file, &err), STATUS_INVALID_DATA);
    assert_string_equal(err.text, "memory is no Parquet file: it does not end in PAR1");
    byte_source_memory_init(&memory, STR_LIT("PAR1\xff\xff\xff\x7fPAR1"));
    assert_int_equal(parquet_file_open(&memory.source, NULL, &file, &err), STATUS_INVALID_DATA);
    assert_string_equal(
        err.text, "memory: at byte 4, a footer of 2147483647 bytes is announced, which cannot be");
    byte_source_memory_init(&memory, STR_LIT("PARE\x01\0\0\0\0PARE"));
    assert_int_equal(parquet_file_open(&memory.source, NULL, &file, &err), STATUS_UNSUPPORTED);
    assert_string_equal(err.text, "memory is encrypted");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_batches_of_any_size_hold_the_rows_in_order),
        TEST(test_small_dictionaries_are_handed_out_as_such),
        TEST(test_row_groups_are_read_apart),
        TEST(test_by_name_ids_are_those_of_the_predicate),
        TEST(test_fields_are_found_by_id_and_missing_ones_are_null),
        TEST(test_a_row_of_which_nothing_is_in_the_file_keeps_its_nulls),
        TEST(test_types_that_do_not_fit_are_refused_with_both_names),
        TEST(test_no_columns_are_rows_all_the_same),
        TEST(test_a_condition_leaves_out_pages_and_keeps_positions),
        TEST(test_wide_rows_come_in_batches_of_a_mebibyte),
        TEST(test_a_file_cut_anywhere_is_an_error),
        TEST(test_flipped_bytes_are_an_error_or_other_values),
        cmocka_unit_test(test_what_is_no_parquet_file_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
