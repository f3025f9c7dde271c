// SPDX-License-Identifier: Apache-2.0
//
// fuzz_parquet: whole files, and the parts of one that compression hides from mutations. The first
// byte says which:
//
//     'P'      a file ("PAR1..."): footer, pages, levels, values of all columns
//     0 to 31  the bytes of a page behind it: encoding, type and count from the next three
//     32       a segment of an unfinished file, restored
//     others   a page index
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/byte_source.h"
#include "codec/parquet_decode.h"
#include "codec/parquet_footer.h"
#include "codec/parquet_reader.h"
#include "codec/parquet_writer.h"
#include "data/batch.h"

enum { PAGE_BYTES_MAX = 1 << 20, ROWS_MAX = 20000 };

static void read_all(struct parquet_file *file, const struct predicate *predicate, bool filter)
{
    struct parquet_reader_options options = {.row_group_count = UINT32_MAX,
                                             .predicate = predicate,
                                             .filter = filter,
                                             .page_bytes_max = PAGE_BYTES_MAX,
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

static void fuzz_file(const uint8_t *data, size_t size)
{
    struct byte_source_memory memory;
    struct parquet_file *file = NULL;
    struct parquet_file_options options = {.footer_bytes_max = 1 << 20};
    struct err err = {.text = ""};
    byte_source_memory_init(&memory, str_make((const char *)data, size));
    if (parquet_file_open(&memory.source, &options, &file, &err) != STATUS_OK) {
        return;
    }
    read_all(file, NULL, false);
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
        read_all(file, &predicate, false);
        read_all(file, &predicate, true);
        terms[0].op = PREDICATE_EQ; // bloom filters
        predicate.term_count = 1;
        read_all(file, &predicate, true);
    }
    parquet_file_free(file);
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

static void fuzz_segment(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct byte_source_memory memory;
    struct byte_source *sources[1] = {&memory.source};
    struct parquet_encoder *encoder = parquet_encoder_new();
    struct parquet_writer *writer = NULL;
    struct err err = {.text = ""};
    arena_init(&arena);
    const struct type_field fields[2] = {
        {.name = STR_LIT("a"), .type = &type_string},
        {.name = STR_LIT("b"), .type = type_array(&arena, &type_bigint, true)}};
    int32_t id = 1;
    struct parquet_writer_options options = {
        .fields = parquet_schema_fields(&arena, type_row(&arena, fields, 2, false), &id),
        .field_count = 2};
    byte_source_memory_init(&memory, str_make((const char *)data, size));
    if (parquet_writer_restore(encoder, &options, sources, 1, &writer, &err) == STATUS_OK) {
        parquet_writer_free(writer);
    }
    parquet_encoder_free(encoder);
    arena_release(&arena);
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
        fuzz_file(data, size);
    } else if (data[0] < 32) {
        fuzz_page(data, size);
    } else if (data[0] == 32) {
        fuzz_segment(data + 1, size - 1);
    } else {
        fuzz_index(data + 1, size - 1);
    }
    return 0;
}
