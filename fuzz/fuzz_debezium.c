// SPDX-License-Identifier: Apache-2.0
//
// fuzz_debezium: any bytes through the decoder of Debezium's envelope, as lines. The first byte
// chooses options. Columns must keep their invariants, and updates come in pairs.
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/mem.h"
#include "codec/debezium_json.h"
#include "data/batch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FIELDS = 2, METADATA = 4 };

static struct debezium_decoder *decoder_make(uint8_t options)
{
    static const struct type_field fields[FIELDS] = {
        {.name = {"id", 2}, .type = &type_int},
        {.name = {"k", 1}, .type = &type_string},
    };
    static const struct str keys[METADATA] = {{"source.table", 12},
                                              {"ingestion-timestamp", 19},
                                              {"source.properties", 17},
                                              {"schema", 6}};
    struct debezium_spec spec = {
        .json = {.fields = fields,
                 .field_count = FIELDS,
                 .ignore_parse_errors = (options & 1) != 0},
        .schema_include = (options & 2) != 0,
        .metadata = keys,
        .metadata_count = METADATA,
    };
    struct debezium_decoder *decoder;
    struct err err;
    ASSERT(debezium_json_new(&spec, &decoder, &err) == STATUS_OK);
    return decoder;
}

static void rows_check(const struct debezium_rows *rows)
{
    for (uint32_t i = 0; i < FIELDS + METADATA; i++) {
        struct err err;
        ASSERT(rows->columns[i].row_count == rows->row_count);
        ASSERT(column_check(&rows->columns[i], &err) == STATUS_OK);
    }
    for (uint32_t i = 0; rows->kinds != NULL && i < rows->row_count; i++) {
        if (rows->kinds[i] == CHANGE_UPDATE_BEFORE) {
            ASSERT(i + 1 < rows->row_count && rows->kinds[i + 1] == CHANGE_UPDATE_AFTER);
        }
    }
}

static uint64_t lines_decode(struct debezium_decoder *decoder, struct str bytes, uint32_t rows_max)
{
    uint64_t rows = 0;
    while (bytes.size > 0) {
        size_t used;
        struct err err;
        if (debezium_json_lines(decoder, bytes, rows_max, &used, &err) != STATUS_OK) {
            return UINT64_MAX;
        }
        rows_check(debezium_json_rows(decoder));
        ASSERT(used > 0);
        rows += debezium_json_rows(decoder)->row_count;
        bytes = str_slice(bytes, used, bytes.size);
    }
    return rows;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    char *copy = mem_alloc(size - 1 + JSON_DECODE_PADDING);
    memcpy(copy, data + 1, size - 1);
    memset(copy + size - 1, '\n', JSON_DECODE_PADDING);
    struct debezium_decoder *decoder = decoder_make(data[0]);
    uint64_t rows = lines_decode(decoder, str_make(copy, size - 1), BATCH_ROWS_MAX);
    ASSERT(lines_decode(decoder, str_make(copy, size - 1), 1) == rows);
    debezium_json_free(decoder);
    mem_free(copy);
    return 0;
}
