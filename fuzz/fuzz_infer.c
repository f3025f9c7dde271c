// SPDX-License-Identifier: Apache-2.0
//
// fuzz_infer: any bytes as a file that nobody has described. The first byte chooses the format and
// whether there are two files of it. What is found for CSV must be what its decoder can be made of.
#include <stdint.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/byte_source.h"
#include "codec/csv_decode.h"
#include "codec/infer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void make_decoder(struct arena *arena, const struct infer_found *found)
{
    const struct type *row = found->type;
    uint32_t *wanted = arena_new_array(arena, uint32_t, row->field_count);
    struct csv_decoder *decoder;
    struct err err;
    for (uint32_t i = 0; i < row->field_count; i++) {
        wanted[i] = i;
        ASSERT(row->fields[i].name.size > 0);
    }
    struct csv_decode_spec spec = {.fields = row->fields,
                                   .field_count = row->field_count,
                                   .wanted = wanted,
                                   .wanted_count = row->field_count,
                                   .delimiter = found->csv.delimiter,
                                   .quote = found->csv.quote,
                                   .escape = found->csv.escape,
                                   .element_delimiter = ';',
                                   .timestamp_form = found->timestamp_form};
    ASSERT(csv_decode_new(&spec, &decoder, &err) == STATUS_OK);
    csv_decode_free(decoder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    struct arena arena = {0};
    struct err err;
    struct infer_found found;
    struct infer_options options = {.byte_max = 1 << 16,
                                    .format = (enum infer_format)(data[0] % 4)};
    struct str bytes = str_make((const char *)data + 1, size - 1);
    struct byte_source_memory memories[2];
    size_t cut = (data[0] & 128) != 0 ? bytes.size / 2 : bytes.size;
    byte_source_memory_init(&memories[0], str_slice(bytes, 0, cut));
    byte_source_memory_init(&memories[1], str_slice(bytes, cut, bytes.size));
    struct byte_source *sources[] = {&memories[0].source, &memories[1].source};
    uint32_t count = cut < bytes.size ? 2 : 1;
    enum infer_format guessed;
    static const char *const names[] = {"x", "a.tsv", "a.json.gz", "b.csv.zst", "c.parquet.gz"};
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (infer_format_find(str_from(names[i]), bytes, &guessed)) {
            ASSERT(infer_format_name(guessed) != NULL);
        }
    }
    if (infer_files(&arena, sources, count, &options, &found, &err) == STATUS_OK) {
        ASSERT(found.type->kind == TYPE_ROW && found.type->field_count > 0);
        if (options.format == INFER_CSV) {
            make_decoder(&arena, &found);
        }
    }
    arena_release(&arena);
    return 0;
}
