// SPDX-License-Identifier: Apache-2.0
//
// fuzz_parquet_segment: segments of an unfinished Parquet file. The first byte says whether the
// others are a segment, restored as it stands and with checksums that fit; or rows, of which some
// are taken as segments: the file that a restored writer closes equals the undisturbed one.
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/byte_sink.h"
#include "base/byte_source.h"
#include "base/hash.h"
#include "base/mem.h"
#include "codec/parquet_writer.h"
#include "data/batch.h"
#include "data/column_builder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FIELDS = 3, TAIL_BYTES = 32, FILE_BYTES_MAX = 64 << 20, SEGMENTS_MAX = 4, ROWS = 64 };

struct fixture {
    struct arena arena;
    struct parquet_encoder *encoder;
    struct parquet_writer_options options;
    const struct type_field *fields;
};

static void fixture_init(struct fixture *at, uint8_t choice)
{
    *at = (struct fixture){.encoder = parquet_encoder_new()};
    arena_init(&at->arena);
    struct type_field *fields = arena_new_array(&at->arena, struct type_field, FIELDS);
    fields[0] = (struct type_field){.name = STR_LIT("a"), .type = &type_string};
    fields[1] = (struct type_field){.name = STR_LIT("b"),
                                    .type = type_array(&at->arena, &type_bigint, true)};
    fields[2] = (struct type_field){.name = STR_LIT("c"), .type = &type_double};
    int32_t id = 1;
    at->fields = fields;
    at->options = (struct parquet_writer_options){
        .fields =
            parquet_schema_fields(&at->arena, type_row(&at->arena, fields, FIELDS, false), &id),
        .field_count = FIELDS,
        .codec = (choice & 1) != 0 ? COMPRESS_SNAPPY : COMPRESS_NONE,
        .level = COMPRESS_LEVEL_DEFAULT,
        .encodings = (choice & 2) != 0 ? PARQUET_ENCODINGS_COMPACT : PARQUET_ENCODINGS_PLAIN,
        .page_version = (choice & 4) != 0 ? 2 : 1,
        .page_rows = (choice & 8) != 0 ? 100 : 0,
        .dictionary_bytes = (choice & 16) != 0 ? 200 : 0,
        .row_group_bytes = (choice & 32) != 0 ? 4000 : 0};
}

static void fixture_release(struct fixture *at)
{
    parquet_encoder_free(at->encoder);
    arena_release(&at->arena);
}

// ---- segments ----

static void restore(struct fixture *at, struct str bytes)
{
    struct byte_source_memory memory;
    struct byte_source *sources[1] = {&memory.source};
    struct parquet_writer *writer = NULL;
    struct byte_sink_memory file;
    struct err err;
    byte_source_memory_init(&memory, bytes);
    if (parquet_writer_restore(at->encoder, &at->options, sources, 1, &writer, &err) == STATUS_OK) {
        byte_sink_memory_init(&file, FILE_BYTES_MAX);
        (void)!parquet_writer_close(writer, sources, 1, &file.sink, &err);
        byte_sink_memory_release(&file);
        parquet_writer_free(writer);
    }
}

// The tail of a segment: bytes of payload, size and hash of the directory, magic (8 each).
static void restore_with_checksum(struct fixture *at, struct str bytes)
{
    uint64_t tail[4];
    if (bytes.size < TAIL_BYTES) {
        return;
    }
    memcpy(tail, bytes.ptr + bytes.size - TAIL_BYTES, sizeof tail);
    size_t room = bytes.size - TAIL_BYTES;
    if (tail[1] > room) {
        return;
    }
    char *copy = mem_alloc(bytes.size);
    memcpy(copy, bytes.ptr, bytes.size);
    tail[0] = room - tail[1];
    tail[2] = hash_bytes(copy + tail[0], (size_t)tail[1], 0);
    memcpy(copy + room, tail, sizeof tail);
    restore(at, str_make(copy, bytes.size));
    mem_free(copy);
}

// ---- rows ----

struct rows {
    const uint8_t *data;
    size_t size;
    size_t at;
};

static uint8_t draw(struct rows *rows)
{
    return rows->at < rows->size ? rows->data[rows->at++] : (uint8_t)(rows->at++ % 7);
}

static void add_row(struct rows *rows, struct column_builder *const *builders)
{
    uint8_t head = draw(rows);
    size_t left = rows->at < rows->size ? rows->size - rows->at : 0;
    size_t length = head % 16 < left ? head % 16 : left;
    if (head > 250) {
        column_builder_null(builders[0]);
    } else {
        struct str text = {(const char *)rows->data + (left > 0 ? rows->at : 0), length};
        column_builder_string(builders[0], text);
    }
    if (head % 32 == 31) {
        column_builder_null(builders[1]);
    } else {
        column_builder_list_begin(builders[1]);
        for (int i = 0; i < head % 4; i++) {
            column_builder_i64(column_builder_child(builders[1], 0), head * INT64_C(0x10001));
        }
        column_builder_list_end(builders[1]);
    }
    column_builder_f64(builders[2], (head & 64) != 0 ? (double)draw(rows) / 3 : 0);
}

static void append(struct fixture *at, struct rows *rows, struct parquet_writer *writer)
{
    struct column_builder *builders[FIELDS];
    struct column columns[FIELDS];
    struct err err;
    for (uint32_t i = 0; i < FIELDS; i++) {
        builders[i] = column_builder_new(&at->arena, at->fields[i].type, ROWS);
    }
    for (uint32_t i = 0; i < ROWS; i++) {
        add_row(rows, builders);
    }
    for (uint32_t i = 0; i < FIELDS; i++) {
        columns[i] = column_builder_finish(builders[i]);
    }
    struct batch batch = {.column_count = FIELDS, .row_count = ROWS, .columns = columns};
    ASSERT(parquet_writer_append(writer, &batch, &err) == STATUS_OK);
}

// Writes all rows; `choices` has a bit for each batch behind which a segment is taken and, with
// `crashes`, the writer restored from what was taken.
static void write_file(struct fixture *at, struct rows rows, uint8_t choices, bool crashes,
                       struct byte_sink_memory *file)
{
    struct byte_sink_memory segments[SEGMENTS_MAX];
    struct byte_source_memory memories[SEGMENTS_MAX];
    struct byte_source *sources[SEGMENTS_MAX];
    struct parquet_writer *writer;
    uint32_t taken = 0;
    uint64_t size;
    struct err err;
    ASSERT(parquet_writer_new(at->encoder, &at->options, &writer, &err) == STATUS_OK);
    for (uint32_t i = 0; i < 8; i++) {
        append(at, &rows, writer);
        if ((choices >> i & 1) == 0 || taken == SEGMENTS_MAX) {
            continue;
        }
        ASSERT(parquet_writer_seal(writer, i % 2 == 1, &err) == STATUS_OK);
        byte_sink_memory_init(&segments[taken], FILE_BYTES_MAX);
        ASSERT(parquet_writer_take(writer, &segments[taken].sink, &size, &err) == STATUS_OK);
        byte_source_memory_init(&memories[taken], byte_sink_memory_bytes(&segments[taken]));
        sources[taken] = &memories[taken].source;
        taken++;
        if (crashes) {
            parquet_writer_free(writer);
            ASSERT(parquet_writer_restore(at->encoder, &at->options, sources, taken, &writer,
                                          &err) == STATUS_OK);
        }
    }
    byte_sink_memory_init(file, FILE_BYTES_MAX);
    ASSERT(parquet_writer_close(writer, sources, taken, &file->sink, &err) == STATUS_OK);
    parquet_writer_free(writer);
    for (uint32_t i = 0; i < taken; i++) {
        byte_sink_memory_release(&segments[i]);
    }
}

static void compare_files(struct fixture *at, struct rows rows, uint8_t choices)
{
    struct byte_sink_memory files[2];
    write_file(at, rows, choices, false, &files[0]);
    write_file(at, rows, choices, true, &files[1]);
    ASSERT(str_equal(byte_sink_memory_bytes(&files[0]), byte_sink_memory_bytes(&files[1])));
    byte_sink_memory_release(&files[0]);
    byte_sink_memory_release(&files[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fixture fixture;
    if (size < 3) {
        return 0;
    }
    fixture_init(&fixture, data[1]);
    if (data[0] % 2 == 0) {
        struct str bytes = {(const char *)data + 2, size - 2};
        restore(&fixture, bytes);
        restore_with_checksum(&fixture, bytes);
    } else {
        compare_files(&fixture, (struct rows){data + 3, size - 3, 0}, data[2]);
    }
    fixture_release(&fixture);
    return 0;
}
