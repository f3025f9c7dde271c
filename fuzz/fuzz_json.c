// SPDX-License-Identifier: Apache-2.0
//
// fuzz_json: any bytes through the decoder of JSON records, into columns of every kind. The first
// byte chooses options; what comes out must keep the invariants of columns, and lines must give
// what the same lines give one by one as messages.
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/mem.h"
#include "codec/json_decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct type *all_types(struct arena *arena)
{
    const struct type_field inner[] = {
        {.name = STR_LIT("x"), .type = &type_int},
        {.name = STR_LIT("s"), .type = &type_string},
    };
    const struct type *row = type_row(arena, inner, 2, true);
    const struct type_field fields[] = {
        {.name = STR_LIT("b"), .type = &type_boolean},
        {.name = STR_LIT("t"), .type = &type_tinyint},
        {.name = STR_LIT("i"), .type = &type_int},
        {.name = STR_LIT("l"), .type = &type_bigint},
        {.name = STR_LIT("f"), .type = &type_float},
        {.name = STR_LIT("d"), .type = &type_double},
        {.name = STR_LIT("n"), .type = type_decimal(arena, 10, 2, true)},
        {.name = STR_LIT("w"), .type = type_decimal(arena, 38, 10, true)},
        {.name = STR_LIT("s"), .type = &type_string},
        {.name = STR_LIT("y"), .type = &type_bytes},
        {.name = STR_LIT("dt"), .type = &type_date},
        {.name = STR_LIT("tm"), .type = &type_time},
        {.name = STR_LIT("ts"), .type = &type_timestamp3},
        {.name = STR_LIT("tz"), .type = &type_timestamp_ltz6},
        {.name = STR_LIT("n9"), .type = type_sized(arena, TYPE_TIMESTAMP, 9, true)},
        {.name = STR_LIT("a"), .type = type_array(arena, type_array(arena, row, true), true)},
        {.name = STR_LIT("m"), .type = type_map(arena, &type_string, row, true)},
        {.name = STR_LIT("a_name_of_more_than_16_bytes"), .type = row},
    };
    return type_row(arena, fields, sizeof fields / sizeof fields[0], false);
}

static struct json_decoder *decoder_make(struct arena *arena, uint8_t options)
{
    const struct type *row = all_types(arena);
    struct json_decode_spec spec = {
        .fields = row->fields,
        .field_count = row->field_count,
        .ignore_parse_errors = (options & 1) != 0,
        .fail_on_missing_field = (options & 2) != 0,
        .timestamp_form = (options & 4) != 0 ? TIME_TEXT_ISO_8601 : TIME_TEXT_SQL,
    };
    struct json_decoder *decoder;
    struct err err;
    ASSERT(json_decode_new(&spec, &decoder, &err) == STATUS_OK);
    return decoder;
}

static void columns_check(const struct json_decoder *decoder)
{
    const struct column *columns = json_decode_columns(decoder);
    for (uint32_t i = 0; i < 18; i++) {
        struct err err;
        ASSERT(column_check(&columns[i], &err) == STATUS_OK);
    }
}

// Rows in all, or UINT64_MAX where a record was refused.
static uint64_t lines_decode(struct json_decoder *decoder, struct str bytes, uint32_t rows_max)
{
    uint64_t rows = 0;
    while (bytes.size > 0) {
        size_t used;
        struct err err;
        if (json_decode_lines(decoder, bytes, rows_max, &used, &err) != STATUS_OK) {
            return UINT64_MAX;
        }
        columns_check(decoder);
        rows += json_decode_rows(decoder);
        bytes = str_slice(bytes, used, bytes.size);
    }
    return rows;
}

static bool line_is_blank(struct str line)
{
    for (size_t i = 0; i < line.size; i++) {
        if (line.ptr[i] != ' ' && line.ptr[i] != '\t' && line.ptr[i] != '\r') {
            return false;
        }
    }
    return true;
}

static uint64_t messages_decode(struct json_decoder *decoder, struct str bytes)
{
    uint64_t rows = 0;
    while (bytes.size > 0) {
        size_t end = str_find(bytes, '\n');
        struct str line = str_slice(bytes, 0, end);
        bytes = str_slice(bytes, end < bytes.size ? end + 1 : end, bytes.size);
        uint32_t used;
        struct err err;
        if (line_is_blank(line)) {
            continue;
        }
        if (json_decode_messages(decoder, &line, 1, 1, &used, &err) != STATUS_OK) {
            return UINT64_MAX;
        }
        columns_check(decoder);
        rows += json_decode_rows(decoder);
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
    char *copy = mem_alloc(size - 1 + JSON_DECODE_PADDING);
    memcpy(copy, data + 1, size - 1);
    memset(copy + size - 1, 'x', JSON_DECODE_PADDING);
    copy[size - 1] = '\n';
    struct str bytes = str_make(copy, size - 1);
    struct json_decoder *decoder = decoder_make(&arena, data[0]);
    uint64_t rows = lines_decode(decoder, bytes, BATCH_ROWS_MAX);
    ASSERT(lines_decode(decoder, bytes, 1) == rows);
    ASSERT(messages_decode(decoder, bytes) == rows);
    json_decode_free(decoder);
    mem_free(copy);
    arena_release(&arena);
    return 0;
}
