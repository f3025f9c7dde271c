// SPDX-License-Identifier: Apache-2.0
//
// fuzz_csv: any bytes through the decoder of CSV. The first byte chooses the dialect; what comes
// out must keep the invariants of columns, and a decoder that gets the bytes one row at a time must
// see the same rows.
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/mem.h"
#include "codec/csv_decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FIELDS = 6 };

static struct csv_decoder *decoder_make(struct arena *arena, uint8_t options)
{
    static const uint32_t wanted[FIELDS] = {5, 4, 3, 2, 1, 0};
    const struct type_field inner[] = {{.name = STR_LIT("x"), .type = &type_int},
                                       {.name = STR_LIT("s"), .type = &type_string}};
    const struct type_field fields[FIELDS] = {
        {.name = STR_LIT("i"), .type = &type_int},
        {.name = STR_LIT("s"), .type = &type_string},
        {.name = STR_LIT("n"), .type = type_decimal(arena, 10, 2, true)},
        {.name = STR_LIT("ts"), .type = &type_timestamp3},
        {.name = STR_LIT("a"), .type = type_array(arena, &type_double, true)},
        {.name = STR_LIT("r"), .type = type_row(arena, inner, 2, true)},
    };
    struct csv_decode_spec spec = {
        .fields = fields,
        .field_count = FIELDS,
        .wanted = wanted,
        .wanted_count = FIELDS,
        .delimiter = (options & 1) != 0 ? '|' : ',',
        .quote = (options & 2) != 0 ? 0 : '"',
        .escape = (options & 4) != 0 ? '\\' : 0,
        .element_delimiter = ';',
        .has_null_literal = (options & 8) != 0,
        .null_literal = STR_LIT("n/a"),
        .allow_comments = (options & 16) != 0,
        .ignore_parse_errors = (options & 32) != 0,
    };
    struct csv_decoder *decoder;
    struct err err;
    ASSERT(csv_decode_new(&spec, &decoder, &err) == STATUS_OK);
    return decoder;
}

// Rows in all, or UINT64_MAX where a line was refused.
static uint64_t lines_decode(struct csv_decoder *decoder, struct str bytes, uint32_t rows_max)
{
    uint64_t rows = 0;
    while (bytes.size > 0) {
        size_t used;
        struct err err;
        if (csv_decode_lines(decoder, bytes, true, rows_max, &used, &err) != STATUS_OK) {
            return UINT64_MAX;
        }
        for (uint32_t i = 0; i < FIELDS; i++) {
            ASSERT(column_check(&csv_decode_columns(decoder)[i], &err) == STATUS_OK);
        }
        ASSERT(used > 0);
        rows += csv_decode_rows(decoder);
        bytes = str_slice(bytes, used, bytes.size);
    }
    return rows;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    struct arena arena;
    arena_init(&arena);
    char *copy = mem_zalloc(size - 1 + CSV_DECODE_PADDING);
    memcpy(copy, data + 1, size - 1);
    struct csv_decoder *decoder = decoder_make(&arena, data[0]);
    uint64_t rows = lines_decode(decoder, str_make(copy, size - 1), BATCH_ROWS_MAX);
    ASSERT(lines_decode(decoder, str_make(copy, size - 1), 1) == rows);
    csv_decode_free(decoder);
    mem_free(copy);
    arena_release(&arena);
    return 0;
}
