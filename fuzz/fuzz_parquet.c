// SPDX-License-Identifier: Apache-2.0
//
// fuzz_parquet: whole files, and the parts of one that compression hides from mutations. The first
// byte says which:
//
//     'P'      a file ("PAR1..."): footer, pages, levels, values of all columns
//     0 to 31  the bytes of a page behind it: encoding, type and count from the next three
//     others   a page index
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/budget.h"
#include "codec/parquet_decode.h"
#include "codec/parquet_footer.h"
#include "codec/parquet_reader.h"
#include "data/batch.h"
#include "fuzz_source.h"

enum { PAGE_BYTES_MAX = 1 << 20, ROWS_MAX = 20000, MEMORY_MAX = 512 << 20 };

static void read_all(struct parquet_file *file, struct budget *budget,
                     const struct predicate *predicate, bool filter)
{
    struct parquet_reader_options options = {.row_group_count = UINT32_MAX,
                                             .predicate = predicate,
                                             .filter = filter,
                                             .page_bytes_max = PAGE_BYTES_MAX,
                                             .budget = budget,
                                             .verify_checksums = true};
    struct parquet_reader *reader = NULL;
    struct batch batch;
    struct err err = {.text = ""};
    uint64_t rows = 0;
    if (parquet_reader_new(file, &options, &reader, &err) != STATUS_OK) {
        return;
    }
    while (rows < ROWS_MAX && parquet_reader_next(reader, &batch, &err) == STATUS_OK) {
        ASSERT(batch_check(&batch, &err) == STATUS_OK);
        rows += batch.row_count;
    }
    parquet_reader_free(reader);
}

// Reads with a column that the file lacks, of nested type, beside its own.
static void read_with_missing(struct parquet_file *file, struct budget *budget)
{
    struct arena arena;
    uint32_t count;
    int32_t id = 100000;
    struct err err = {.text = ""};
    struct batch batch;
    struct parquet_reader *reader = NULL;
    arena_init(&arena);
    const struct parquet_field *own = parquet_file_fields(file, &count);
    const struct type_field inner[] = {
        {.name = STR_LIT("l"), .type = type_array(&arena, &type_int, true)},
        {.name = STR_LIT("i"), .type = &type_string}};
    const struct type_field outer = {.name = STR_LIT("lacking"),
                                     .type = type_row(&arena, inner, 2, true)};
    const struct parquet_field *lacking =
        parquet_schema_fields(&arena, type_row(&arena, &outer, 1, false), &id);
    struct parquet_field *fields = arena_new_array(&arena, struct parquet_field, count + 1);
    memcpy(fields, own, count * sizeof *fields);
    fields[count] = lacking[0];
    struct parquet_reader_options options = {.fields = fields,
                                             .field_count = count + 1,
                                             .by_name = true,
                                             .row_group_count = UINT32_MAX,
                                             .page_bytes_max = PAGE_BYTES_MAX,
                                             .budget = budget};
    if (parquet_reader_new(file, &options, &reader, &err) == STATUS_OK) {
        if (parquet_reader_next(reader, &batch, &err) == STATUS_OK) {
            ASSERT(batch_check(&batch, &err) == STATUS_OK);
        }
        parquet_reader_free(reader);
    }
    arena_release(&arena);
}

static void fuzz_file(const uint8_t *data, size_t size, bool lends)
{
    struct byte_source_memory memory;
    struct parquet_file *file = NULL;
    struct budget budget;
    struct parquet_file_options options = {.footer_bytes_max = 1 << 20, .budget = &budget};
    struct err err = {.text = ""};
    budget_init(&budget, NULL, SIZE_MAX);
    fuzz_source_init(&memory, str_make((const char *)data, size), lends);
    if (parquet_file_open(&memory.source, &options, &file, &err) != STATUS_OK) {
        return;
    }
    struct str value;
    (void)parquet_file_key_value(file, STR_LIT("iceberg.schema"), &value);
    for (uint32_t i = 0; i < parquet_file_row_groups(file); i++) {
        struct parquet_row_group_info group = parquet_file_row_group(file, i);
        ASSERT(group.first_row + group.row_count <= parquet_file_rows(file));
    }
    read_all(file, &budget, NULL, false);
    read_with_missing(file, &budget);
    uint32_t count;
    const struct parquet_field *fields = parquet_file_fields(file, &count);
    for (uint32_t i = 0; i < count && i < 4; i++) {
        enum physical physical = type_physical(fields[i].type);
        if (physical >= PHYSICAL_LIST) {
            continue;
        }
        const struct strview zero[1] = {{.size = 0}}; // a zero of any type
        struct column constant = {.physical = physical, .row_count = 1, .values = zero};
        struct predicate_term terms[2] = {
            {.column_id = fields[i].id, .op = PREDICATE_GT, .type = fields[i].type},
            {.column_id = fields[i].id, .op = PREDICATE_IS_NOT_NULL, .type = fields[i].type}};
        terms[0].constants = terms[1].constants = &constant;
        struct predicate predicate = {.term_count = 2, .terms = terms};
        read_all(file, &budget, &predicate, false);
        read_all(file, &budget, &predicate, true);
        terms[0].op = PREDICATE_EQ; // bloom filters
        predicate.term_count = 1;
        read_all(file, &budget, &predicate, true);
    }
    parquet_file_free(file);
    ASSERT(budget.used == 0 && budget.peak < MEMORY_MAX);
}

struct memory {
    struct arena arena;
    size_t left;
};

static char *take(void *owner, size_t size)
{
    struct memory *memory = owner;
    if (size > memory->left) {
        return NULL;
    }
    memory->left -= size;
    return arena_alloc(&memory->arena, size + 16);
}

static void fuzz_page(const uint8_t *data, size_t size)
{
    struct memory owned = {.left = PAGE_BYTES_MAX * 8};
    const struct parquet_page_memory memory = {
        .take = take, .owner = &owned, .bytes_max = PAGE_BYTES_MAX};
    struct parquet_element element = {.physical = (enum parquet_physical)(data[1] % 8),
                                      .length = data[3] % 20 + 1};
    struct parquet_decoder decoder;
    struct err err = {.text = ""};
    uint32_t count = data[2] * 16u;
    arena_init(&owned.arena);
    struct str bytes = {(const char *)data + 4, size - 4};
    enum status status =
        parquet_decode_begin(&decoder, &element, data[0] % 10, bytes, count, &memory, &err);
    void *out = arena_alloc(&owned.arena, 4096 * 16);
    for (uint32_t step = 1; status == STATUS_OK && count > 0; step = step * 2 % 1000 + 1) {
        uint32_t part = step < count ? step : count;
        if (parquet_decode_has_codes(&decoder)) {
            status = part % 2 == 0 ? parquet_decode_codes16(&decoder, out, part, 300, &err)
                                   : parquet_decode_codes32(&decoder, out, part, 300, &err);
        } else if (step % 3 == 0) {
            status = parquet_decode_skip(&decoder, part, &err);
        } else {
            status = parquet_decode_values(&decoder, out, part, &err);
        }
        count -= part;
    }
    arena_release(&owned.arena);
}

static void fuzz_index(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct str bytes = {(const char *)data, size};
    struct parquet_offset_index offsets;
    struct parquet_column_index columns;
    struct parquet_page_header header;
    struct err err = {.text = ""};
    arena_init(&arena);
    enum status seen[3] = {parquet_footer_offset_index(&arena, bytes, &offsets, &err),
                           parquet_footer_column_index(&arena, bytes, &columns, &err),
                           parquet_footer_page(bytes, &header, &err)};
    ASSERT(seen[0] != STATUS_END && seen[1] != STATUS_END && seen[2] != STATUS_END);
    arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 4) {
        return 0;
    }
    if (data[0] == 'P') {
        fuzz_file(data, size, true);
        fuzz_file(data, size, false);
    } else if (data[0] < 32) {
        fuzz_page(data, size);
    } else {
        fuzz_index(data + 1, size - 1);
    }
    return 0;
}
