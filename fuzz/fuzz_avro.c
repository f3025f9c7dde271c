// SPDX-License-Identifier: Apache-2.0
//
// fuzz_avro: any bytes as an Avro container, walked whole and into columns; as a reader's schema
// and a container behind it; as a schema and a message behind it; as a manifest; as a manifest
// list. The first byte chooses. Manifests and lists that are read are written again and must read
// the same, and so must the schema that columns are printed as.
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/strbuf.h"
#include "codec/avro_decode.h"
#include "codec/avro_file.h"
#include "codec/avro_message.h"
#include "codec/avro_reader.h"
#include "fuzz_source.h"
#include "iceberg/manifest.h"
#include "iceberg/spec/partition_spec.h"
#include "iceberg/spec/table_schema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void walk(struct str bytes)
{
    struct avro_reader *reader;
    struct avro_cursor cursor;
    struct err err;
    uint64_t rows;
    struct avro_reader_options options = {.block_bytes_max = 1 << 20};
    if (avro_reader_open(bytes, &options, &reader, &err) != STATUS_OK) {
        return;
    }
    while (avro_reader_block(reader, &cursor, &rows, &err) == STATUS_OK) {
        for (uint64_t i = 0; i < rows; i++) {
            if (avro_cursor_skip(&cursor, avro_reader_schema(reader), &err) != STATUS_OK) {
                break;
            }
        }
    }
    avro_reader_free(reader);
}

// The container as columns, its own or those of a reader's schema.
static void decode(struct str bytes, const struct avro_schema *schema, struct arena *arena,
                   bool lends)
{
    struct byte_source_memory memory;
    struct avro_file *file;
    struct batch batch;
    struct err err;
    const struct avro_column *columns;
    uint32_t count;
    struct avro_reader_options options = {.block_bytes_max = 1 << 20};
    fuzz_source_init(&memory, bytes, lends);
    if (avro_file_open(&memory.source, &options, &file, &err) != STATUS_OK) {
        return;
    }
    enum status status = STATUS_OK;
    if (schema != NULL) {
        status = avro_columns_of_schema(arena, schema, &columns, &count, &err);
        if (status == STATUS_OK) {
            status = avro_file_project(file, columns, count, schema->has_ids, &err);
        }
    }
    while (status == STATUS_OK && (status = avro_file_next(file, &batch, &err)) == STATUS_OK) {
        status = batch_check(&batch, &err);
        ASSERT(status == STATUS_OK);
    }
    avro_file_free(file);
}

// A message as a registry's clients and as single-object encoding frame it, or bare.
static void decode_message(struct arena *arena, const struct avro_schema *schema, struct str bytes)
{
    struct avro_decoder_options options = {.by_id = schema->has_ids};
    struct avro_decoder *decoder;
    struct strbuf printed;
    struct err err;
    struct str row;
    uint32_t id;
    uint64_t fingerprint;
    const struct avro_schema *again;
    if (avro_columns_of_schema(arena, schema, &options.columns, &options.column_count, &err) !=
            STATUS_OK ||
        avro_decoder_new(schema, &options, &decoder, &err) != STATUS_OK) {
        return;
    }
    if (avro_message_confluent(bytes, &id, &row, &err) != STATUS_OK &&
        avro_message_single(bytes, &fingerprint, &row, &err) != STATUS_OK) {
        row = bytes;
    }
    for (int i = 0; i < 3 && avro_message_row(decoder, row, &err) == STATUS_OK; i++) {
        struct batch batch = {.column_count = options.column_count,
                              .row_count = avro_decoder_row_count(decoder),
                              .columns = avro_decoder_columns(decoder)};
        ASSERT(batch_check(&batch, &err) == STATUS_OK);
    }
    avro_decoder_free(decoder);
    strbuf_init(&printed, 1 << 24);
    if (avro_columns_print(&printed, STR_LIT("r"), options.columns, options.column_count, &err) ==
        STATUS_OK) {
        ASSERT(avro_schema_parse(arena, strbuf_str(&printed), &again, &err) == STATUS_OK);
    }
    strbuf_release(&printed);
}

// Two bytes of length, a schema, a container or a message.
static void resolve(struct str bytes, bool is_message)
{
    struct arena arena = {0};
    struct err err;
    const struct avro_schema *schema;
    if (bytes.size < 2) {
        return;
    }
    size_t size = (size_t)(uint8_t)bytes.ptr[0] << 8 | (uint8_t)bytes.ptr[1];
    size = size < bytes.size - 2 ? size : bytes.size - 2;
    struct str json = str_slice(bytes, 2, 2 + size);
    if (avro_schema_parse(&arena, json, &schema, &err) == STATUS_OK) {
        struct str rest = str_slice(bytes, 2 + size, bytes.size);
        (void)avro_message_fingerprint(schema);
        if (is_message) {
            decode_message(&arena, schema, rest);
        } else {
            decode(rest, schema, &arena, true);
            decode(rest, schema, &arena, false);
        }
    }
    arena_release(&arena);
}

// id bigint, partitioned by identity and by fields whose sources are gone.
static const struct partition_spec *make_spec(struct arena *arena,
                                              const struct table_schema **schema)
{
    static const struct iceberg_type simple = {.kind = ICEBERG_LONG};
    struct err err;
    struct iceberg_field field = {.id = 1, .name = STR_LIT("id"), .type = &simple};
    const struct iceberg_type *root = iceberg_type_struct(arena, &field, 1);
    enum status status = table_schema_new(arena, 0, root, NULL, 0, schema, &err);
    ASSERT(status == STATUS_OK);
    struct partition_field *fields = arena_new_array(arena, struct partition_field, 3);
    for (int i = 0; i < 3; i++) {
        fields[i].field_id = 1000 + i;
        fields[i].source_id = 1 + i;
        fields[i].name = arena_printf(arena, "p%d", i);
        fields[i].result = iceberg_type_simple(ICEBERG_STRING);
    }
    struct partition_spec *spec = arena_new(arena, struct partition_spec);
    *spec = (struct partition_spec){0, 3, fields};
    return partition_spec_bind(arena, spec, *schema, NULL, 0);
}

static uint64_t count_entries(struct str bytes, const struct manifest_reader_options *options)
{
    struct manifest_reader *reader;
    struct manifest_entry entry;
    struct err err;
    uint64_t count = 0;
    if (manifest_reader_open(bytes, options, &reader, &err) != STATUS_OK) {
        return UINT64_MAX;
    }
    while (manifest_reader_next(reader, &entry, &err) == STATUS_OK) {
        count++;
    }
    manifest_reader_free(reader);
    return count;
}

static void read_manifest(struct str bytes, int32_t version)
{
    struct arena arena = {0};
    struct err err;
    const struct table_schema *schema;
    struct manifest_file file = {.path = STR_LIT("m"),
                                 .sequence_number = 3,
                                 .snapshot_id = 5,
                                 .first_row_id = version >= 3 ? 100 : MANIFEST_NONE};
    struct manifest_reader_options options = {
        .file = &file, .spec = make_spec(&arena, &schema), .with_deleted = true};
    struct manifest_reader *reader;
    struct manifest_writer *writer;
    struct manifest_entry entry;
    struct str copy;
    struct manifest_file row;
    uint64_t count = 0;
    if (manifest_reader_open(bytes, &options, &reader, &err) != STATUS_OK) {
        arena_release(&arena);
        return;
    }
    struct manifest_writer_options writer_options = {.format_version = version,
                                                     .schema = schema,
                                                     .spec = manifest_reader_spec(reader),
                                                     .snapshot_id = 5};
    enum status status = manifest_writer_new(&writer_options, &writer, &err);
    ASSERT(status == STATUS_OK);
    while (manifest_reader_next(reader, &entry, &err) == STATUS_OK) {
        if (manifest_writer_add(writer, &entry, &err) == STATUS_OK) {
            count++;
        }
    }
    status = manifest_writer_finish(writer, &arena, STR_LIT("c"), &copy, &row, &err);
    ASSERT(status == STATUS_OK);
    options.spec = manifest_reader_spec(reader);
    ASSERT(count_entries(copy, &options) == count);
    static const int32_t metrics[] = {1, 3};
    options.metric_ids = metrics;
    options.metric_id_count = 2;
    ASSERT(count_entries(copy, &options) == count);
    manifest_writer_free(writer);
    manifest_reader_free(reader);
    arena_release(&arena);
}

static void write_list(struct arena *arena, const struct manifest_file *files, uint32_t count,
                       int32_t version)
{
    struct manifest_list_options options = {.format_version = version,
                                            .snapshot_id = 5,
                                            .parent_id = version - 3, // none, in version 2
                                            .sequence_number = 7,
                                            .first_row_id = 100};
    struct manifest_file *assigned;
    struct manifest_file *again;
    struct strbuf out;
    struct err err;
    int64_t next;
    uint32_t found;
    strbuf_init(&out, 1 << 26);
    if (manifest_list_assign(arena, &options, files, count, &assigned, &next, &err) == STATUS_OK &&
        manifest_list_write(&out, &options, assigned, count, &err) == STATUS_OK) {
        struct str bytes = strbuf_str(&out);
        ASSERT(manifest_list_read(arena, bytes, STR_LIT("a"), &again, &found, &err) == STATUS_OK);
        ASSERT(found == count);
        for (uint32_t i = 0; i < count; i++) {
            ASSERT(str_equal(again[i].path, files[i].path) &&
                   again[i].partition_count == files[i].partition_count);
        }
    }
    strbuf_release(&out);
}

static void read_list(struct str bytes)
{
    struct arena arena = {0};
    struct err err;
    struct manifest_file *files;
    uint32_t count;
    if (manifest_list_read(&arena, bytes, STR_LIT("l"), &files, &count, &err) == STATUS_OK) {
        for (uint32_t i = 0; i < count; i++) {
            ASSERT(files[i].path.size > 0);
        }
        for (int32_t version = 1; version <= 3; version++) {
            write_list(&arena, files, count, version);
        }
    }
    arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    struct str bytes = str_make((const char *)data + 1, size - 1);
    switch (data[0] % 8) {
    case 0: walk(bytes); break;
    case 1: read_list(bytes); break;
    case 5:
        decode(bytes, NULL, NULL, true);
        decode(bytes, NULL, NULL, false);
        break;
    case 6: resolve(bytes, false); break;
    case 7: resolve(bytes, true); break;
    default: read_manifest(bytes, data[0] % 8 - 1); break;
    }
    return 0;
}
