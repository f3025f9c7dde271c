// SPDX-License-Identifier: Apache-2.0
//
// Rows that a predicate leaves, of files of each kind of page: those that the condition is true of,
// with all their values and at their places.
#include "base/byte_sink.h"
#include "base/byte_source.h"
#include "base/mem.h"
#include "codec/parquet_testing.h"

enum { ROWS = 20000 };

struct fixture {
    struct arena arena;
    struct arena scratch;
    struct byte_sink_memory bytes;
    struct byte_source_memory memory;
    struct parquet_file *file;
};

static void write_file(struct fixture *at, struct parquet_writer_options options)
{
    struct err err;
    struct parquet_encoder *encoder = parquet_encoder_new();
    struct parquet_writer *writer;
    options.fields = testing_fields(&at->arena);
    options.field_count = TESTING_COLUMNS;
    options.level = 1;
    arena_init(&at->scratch);
    byte_sink_memory_init(&at->bytes, 1 << 28);
    assert_int_equal(parquet_writer_new(encoder, &options, &writer, &err), STATUS_OK);
    for (uint32_t row = 0; row < ROWS; row += 2000) {
        struct batch batch = testing_batch(&at->arena, row, 2000);
        assert_int_equal(parquet_writer_append(writer, &batch, &err), STATUS_OK);
    }
    assert_int_equal(parquet_writer_close(writer, NULL, 0, &at->bytes.sink, &err), STATUS_OK);
    parquet_writer_free(writer);
    parquet_encoder_free(encoder);
    byte_source_memory_init(&at->memory, byte_sink_memory_bytes(&at->bytes));
    assert_int_equal(parquet_file_open(&at->memory.source, NULL, &at->file, &err), STATUS_OK);
}

static void drop_file(struct fixture *at)
{
    parquet_file_free(at->file);
    byte_sink_memory_release(&at->bytes);
    arena_release(&at->scratch);
    arena_release(&at->arena);
}

// ---- conditions ----

static bool has_name(uint64_t row, uint64_t number)
{
    return row % 7 != 0 && row % 3 != 0 && row % 5003 == number;
}

static bool matches(uint32_t which, uint64_t row)
{
    char text[64];
    switch (which) {
    case 0: return has_name(row, 17); // three or four of all
    case 1: return str_is(testing_name(text, row), "n-1301") && has_name(row, 1301);
    case 2: return strcmp(testing_group(row), "west") == 0; // a fifth
    case 3: return row % 7 == 0;                            // name IS NULL
    case 4: return row % 13 != 0 && (double)row / 4 > 4990; // of the last page
    case 5: return row % 13 != 0 && row < 300 && strcmp(testing_group(row), "") != 0;
    case 6:
        return row % 7 != 0 && row % 3 != 0 && strncmp(testing_name(text, row).ptr, "n-49", 4) == 0;
    default: return row >= 9000;
    }
}

struct condition {
    struct predicate_term terms[2];
    struct predicate predicate;
    struct column constants[2];
    struct strview text;
    double number;
    int64_t id;
};

static void add_term(struct condition *out, int32_t id, enum predicate_op op,
                     const struct type *type, const void *constant)
{
    uint32_t at = out->predicate.term_count++;
    out->constants[at] =
        (struct column){.physical = type_physical(type), .row_count = 1, .values = constant};
    out->terms[at] = (struct predicate_term){
        .column_id = id, .op = op, .type = type, .constants = &out->constants[at]};
    out->predicate.terms = out->terms;
}

static void make_condition(uint32_t which, struct condition *out)
{
    static const char *const texts[] = {"n-17", "n-1301", "west", "", "", "", "n-49", ""};
    *out = (struct condition){.number = which == 4 ? 4990 : 75, .id = 9000};
    out->text = strview_make(texts[which], strlen(texts[which]));
    switch (which) {
    case 0:
    case 1: add_term(out, 2, PREDICATE_EQ, &type_string, &out->text); break;
    case 2: add_term(out, 8, PREDICATE_EQ, &type_string, &out->text); break;
    case 3: add_term(out, 2, PREDICATE_IS_NULL, &type_string, NULL); break;
    case 4: add_term(out, 6, PREDICATE_GT, &type_double, &out->number); break;
    case 5:
        add_term(out, 8, PREDICATE_NE, &type_string, &out->text);
        add_term(out, 6, PREDICATE_LT, &type_double, &out->number);
        break;
    case 6: add_term(out, 2, PREDICATE_STARTS_WITH, &type_string, &out->text); break;
    default: add_term(out, 1, PREDICATE_GE, &type_bigint, &out->id);
    }
}

// ---- the check ----

static void expect_row(struct arena *arena, const struct batch *batch, uint32_t at, uint64_t row)
{
    struct column columns[TESTING_COLUMNS];
    arena_reset(arena);
    for (uint32_t i = 0; i < TESTING_COLUMNS; i++) {
        columns[i] = column_slice(arena, &batch->columns[i], at, 1);
    }
    struct batch one = {.row_count = 1, .column_count = TESTING_COLUMNS, .columns = columns};
    testing_expect_batch(&one, row);
}

static void check(struct fixture *at, uint32_t which)
{
    struct condition condition;
    struct parquet_reader *reader;
    struct batch batch;
    struct err err;
    uint64_t row = 0;
    make_condition(which, &condition);
    const struct parquet_reader_options options = {
        .row_group_count = UINT32_MAX, .predicate = &condition.predicate, .filter = true};
    assert_int_equal(parquet_reader_new(at->file, &options, &reader, &err), STATUS_OK);
    enum status status;
    while ((status = parquet_reader_next(reader, &batch, &err)) == STATUS_OK) {
        const uint64_t *places = parquet_reader_positions(reader);
        assert_int_equal(batch_check(&batch, &err), STATUS_OK);
        for (uint32_t i = 0; i < batch.row_count; i++, row++) {
            while (row < ROWS && !matches(which, row)) {
                row++;
            }
            assert_int_equal(places[i], row);
            expect_row(&at->scratch, &batch, i, row);
        }
    }
    assert_int_equal(status, STATUS_END);
    for (; row < ROWS; row++) {
        assert_false(matches(which, row));
    }
    parquet_reader_free(reader);
}

static void test_rows_that_match_of_every_kind_of_page(void **state)
{
    (void)state;
    static const struct parquet_writer_options files[] = {
        {.codec = COMPRESS_NONE, .page_rows = 700, .row_group_bytes = 200000},
        {.codec = COMPRESS_SNAPPY, .page_rows = 1 << 20},
        {.codec = COMPRESS_ZSTD, .page_rows = 1 << 20, .dictionary_bytes = UINT32_MAX},
        {.codec = COMPRESS_SNAPPY,
         .page_rows = 3000,
         .dictionary_bytes = UINT32_MAX,
         .page_version = 2,
         .without_page_index = true},
        {.codec = COMPRESS_ZSTD, .page_rows = 5000, .encodings = PARQUET_ENCODINGS_COMPACT},
        {.codec = COMPRESS_GZIP, .page_rows = 900, .without_page_index = true},
    };
    for (uint32_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct fixture at = {0};
        arena_init(&at.arena);
        write_file(&at, files[i]);
        for (uint32_t which = 0; which < 8; which++) {
            check(&at, which);
        }
        drop_file(&at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_that_match_of_every_kind_of_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
