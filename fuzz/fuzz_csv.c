// SPDX-License-Identifier: Apache-2.0
//
// fuzz_csv: any bytes through the decoder of CSV. The first byte chooses the dialect; what comes
// out must keep the invariants of columns; a decoder that gets the bytes one row at a time, and one
// without its short ways, must see the same values. Messages, one a line, and the places where
// records begin are looked at as well.
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "codec/csv_int.h"
#include "codec/csv_split.h"
#include "data/json_text.h"

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

// Adds the values of all rows to `out` as text; false where a line was refused.
static bool lines_decode(struct csv_decoder *decoder, struct str bytes, uint32_t rows_max,
                         struct strbuf *out)
{
    while (bytes.size > 0) {
        size_t used;
        struct err err;
        if (csv_decode_lines(decoder, bytes, true, rows_max, &used, &err) != STATUS_OK) {
            return false;
        }
        for (uint32_t i = 0; i < FIELDS; i++) {
            const struct column *column = &csv_decode_columns(decoder)[i];
            ASSERT(column_check(column, &err) == STATUS_OK);
        }
        for (uint32_t row = 0; row < csv_decode_rows(decoder); row++) {
            for (uint32_t i = 0; i < FIELDS; i++) {
                const struct json_node *node = decoder->columns->root.children[i];
                json_text_value(out, node->type, &csv_decode_columns(decoder)[i], row, NULL);
                strbuf_add_byte(out, '\n');
            }
        }
        ASSERT(used > 0);
        bytes = str_slice(bytes, used, bytes.size);
    }
    return true;
}

static void messages_decode(struct csv_decoder *decoder, struct str bytes)
{
    while (bytes.size > 0) {
        struct str messages[4];
        uint32_t count = 0;
        uint32_t used;
        struct err err;
        for (; count < 4 && bytes.size > 0; count++) {
            size_t end = str_find(bytes, '\n');
            messages[count] = str_slice(bytes, 0, end);
            bytes = str_slice(bytes, end < bytes.size ? end + 1 : end, bytes.size);
        }
        if (csv_decode_messages(decoder, messages, count, 3, &used, &err) == STATUS_OK) {
            ASSERT(csv_decode_rows(decoder) <= 3 && used <= count);
            for (uint32_t i = 0; i < FIELDS; i++) {
                ASSERT(column_check(&csv_decode_columns(decoder)[i], &err) == STATUS_OK);
            }
        }
    }
}

// The first record that begins at `target` or behind it, handed over in pieces.
static uint64_t record_start(struct str bytes, uint8_t options, uint64_t target, size_t step)
{
    struct csv_split split;
    uint64_t start;
    csv_split_init(&split, (options & 1) != 0 ? '|' : ',', (options & 2) != 0 ? 0 : '"', 0, target);
    for (size_t at = 0; at < bytes.size; at += step) {
        size_t end = bytes.size - at < step ? bytes.size : at + step;
        if (csv_split_pass(&split, str_slice(bytes, at, end), &start)) {
            ASSERT(start >= target && start <= bytes.size);
            return start;
        }
    }
    return bytes.size;
}

static void split_all(struct str bytes, uint8_t options)
{
    for (uint64_t target = 0; target < bytes.size; target = target * 2 + 1) {
        uint64_t start = record_start(bytes, options, target, bytes.size);
        ASSERT(record_start(bytes, options, target, 3) == start);
    }
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
    struct strbuf texts[3];
    bool good[3];
    for (int i = 0; i < 3; i++) {
        strbuf_init(&texts[i], 1 << 26);
        decoder->may_be_quick = decoder->may_be_quick && i < 2;
        uint32_t rows_max = i == 1 ? 1 : BATCH_ROWS_MAX;
        good[i] = lines_decode(decoder, str_make(copy, size - 1), rows_max, &texts[i]);
        ASSERT(good[i] == good[0]);
        ASSERT(!good[i] || str_equal(strbuf_str(&texts[i]), strbuf_str(&texts[0])));
    }
    for (int i = 0; i < 3; i++) {
        strbuf_release(&texts[i]);
    }
    messages_decode(decoder, str_make(copy, size - 1));
    split_all(str_make(copy, size - 1), data[0]);
    csv_decode_free(decoder);
    mem_free(copy);
    arena_release(&arena);
    return 0;
}
