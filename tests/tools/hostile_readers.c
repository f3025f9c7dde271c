// SPDX-License-Identifier: Apache-2.0
//
// Each format read whole, from memory: all rows, entries, blobs, records. An error that the caller
// of a decoder puts a file's name in front of has it here, too.
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/byte_source.h"
#include "base/mem.h"
#include "codec/avro_file.h"
#include "codec/csv_decode.h"
#include "codec/deletion_vector.h"
#include "codec/infer.h"
#include "codec/json_decode.h"
#include "codec/parquet_reader.h"
#include "codec/puffin.h"
#include "codec/roaring.h"
#include "data/batch.h"
#include "engine/checkpoint/checkpoint.h"
#include "hostile.h"
#include "iceberg/manifest.h"
#include "iceberg/spec/partition_spec.h"
#include "iceberg/spec/table_metadata.h"
#include "iceberg/spec/table_schema.h"

enum {
    PAGE_BYTES_MAX = 16 << 20,
    BLOB_BYTES_MAX = 16 << 20,
    ROWS_MAX = 200000,
    PARTITION_FIELDS = 8,
};

static void name_source(struct byte_source_memory *memory, struct str bytes)
{
    byte_source_memory_init(memory, bytes);
    memory->source.name = STR_LIT(HOSTILE_NAME);
}

static enum status named(enum status status, struct err *err)
{
    if (status != STATUS_OK) {
        err_context(err, "%s", HOSTILE_NAME);
    }
    return status;
}

// ---- Parquet ----

static enum status read_rows(struct parquet_file *file,
                             const struct parquet_reader_options *options, struct err *err)
{
    struct parquet_reader *reader;
    struct batch batch;
    uint64_t rows = 0;
    TRY(parquet_reader_new(file, options, &reader, err));
    enum status status = STATUS_OK;
    while (rows < ROWS_MAX && status == STATUS_OK) {
        status = parquet_reader_next(reader, &batch, err);
        if (status == STATUS_OK) {
            status = batch_check(&batch, err);
            rows += batch.row_count;
        }
    }
    parquet_reader_free(reader);
    return status == STATUS_END ? STATUS_OK : status;
}

static enum status read_parquet(struct str bytes, struct budget *budget, struct err *err)
{
    struct byte_source_memory memory;
    struct parquet_file *file;
    struct parquet_file_options file_options = {.budget = budget};
    name_source(&memory, bytes);
    TRY(parquet_file_open(&memory.source, &file_options, &file, err));
    struct parquet_reader_options options = {.row_group_count = UINT32_MAX,
                                             .page_bytes_max = PAGE_BYTES_MAX,
                                             .budget = budget,
                                             .verify_checksums = true};
    enum status status = read_rows(file, &options, err);
    uint32_t count;
    const struct parquet_field *fields = parquet_file_fields(file, &count);
    const struct strview zero[1] = {{.size = 0}};
    if (count > 0 && type_physical(fields[0].type) < PHYSICAL_LIST) {
        struct arena arena;
        arena_init(&arena);
        struct parquet_field *numbered = arena_copy(&arena, fields, count * sizeof *fields);
        numbered[0].id = 1;
        struct column constant = {
            .physical = type_physical(fields[0].type), .row_count = 1, .values = zero};
        struct predicate_term term = {
            .column_id = 1, .op = PREDICATE_EQ, .type = fields[0].type, .constants = &constant};
        struct predicate predicate = {1, &term};
        options.fields = numbered;
        options.field_count = count;
        options.by_name = true;
        options.predicate = &predicate;
        options.filter = true;
        struct err other;
        enum status filtered = read_rows(file, &options, &other);
        status = status == STATUS_OK ? filtered : status;
        arena_release(&arena);
    }
    parquet_file_free(file);
    return status;
}

// ---- Avro ----

static enum status read_avro(struct str bytes, struct budget *budget, struct err *err)
{
    struct byte_source_memory memory;
    struct avro_file *file;
    struct batch batch;
    struct avro_reader_options options = {.block_bytes_max = PAGE_BYTES_MAX};
    uint64_t rows = 0;
    (void)budget;
    name_source(&memory, bytes);
    TRY(avro_file_open(&memory.source, &options, &file, err));
    enum status status = STATUS_OK;
    while (status == STATUS_OK && rows < ROWS_MAX) {
        status = avro_file_next(file, &batch, err);
        if (status == STATUS_OK) {
            rows += batch.row_count;
            status = batch_check(&batch, err);
        }
    }
    avro_file_free(file);
    return status == STATUS_END ? STATUS_OK : status;
}

// Partitioned by fields whose columns are gone, so that their types are the file's.
static const struct partition_spec *lost_spec(struct arena *arena)
{
    struct partition_spec *spec = arena_new(arena, struct partition_spec);
    struct partition_field *fields =
        arena_new_array(arena, struct partition_field, PARTITION_FIELDS);
    const struct table_schema *schema;
    struct iceberg_field column = {
        .id = 100000, .name = STR_LIT("c"), .type = iceberg_type_simple(ICEBERG_INT)};
    struct err err;
    for (int32_t i = 0; i < PARTITION_FIELDS; i++) {
        fields[i].field_id = 1000 + i;
        fields[i].source_id = 1 + i;
        fields[i].name = arena_printf(arena, "p%d", i);
        fields[i].result = iceberg_type_simple(ICEBERG_STRING);
    }
    *spec = (struct partition_spec){0, PARTITION_FIELDS, fields};
    const struct iceberg_type *root = iceberg_type_struct(arena, &column, 1);
    if (table_schema_new(arena, 0, root, NULL, 0, &schema, &err) != STATUS_OK) {
        return NULL;
    }
    return partition_spec_bind(arena, spec, schema, NULL, 0);
}

static enum status read_manifest(struct str bytes, struct budget *budget, struct err *err)
{
    struct arena arena = {0};
    struct manifest_reader *reader;
    struct manifest_entry entry;
    struct manifest_file file = {
        .path = STR_LIT(HOSTILE_NAME), .sequence_number = 3, .snapshot_id = 5, .first_row_id = 7};
    struct manifest_reader_options options = {
        .file = &file, .spec = lost_spec(&arena), .with_deleted = true};
    (void)budget;
    enum status status = manifest_reader_open(bytes, &options, &reader, err);
    if (status == STATUS_OK) {
        do {
            status = manifest_reader_next(reader, &entry, err);
        } while (status == STATUS_OK);
        manifest_reader_free(reader);
    }
    arena_release(&arena);
    return status == STATUS_END ? STATUS_OK : status;
}

static enum status read_list(struct str bytes, struct budget *budget, struct err *err)
{
    struct arena arena = {0};
    struct manifest_file *files;
    uint32_t count;
    (void)budget;
    enum status status =
        manifest_list_read(&arena, bytes, STR_LIT(HOSTILE_NAME), &files, &count, err);
    arena_release(&arena);
    return status;
}

// ---- Puffin, metadata, checkpoints ----

static enum status read_vector(struct str bytes, struct err *err)
{
    struct roaring set = {0};
    uint64_t mask[32];
    enum status status = deletion_vector_read(bytes, &set, err);
    if (status == STATUS_OK) {
        roaring_mask(&set, 0, 2048, mask);
    }
    roaring_release(&set);
    return named(status, err);
}

static enum status read_puffin(struct str bytes, struct budget *budget, struct err *err)
{
    struct byte_source_memory memory;
    struct arena arena = {0};
    struct puffin_file file;
    (void)budget;
    name_source(&memory, bytes);
    enum status status = puffin_read(&memory.source, &arena, &file, err);
    for (uint32_t i = 0; status == STATUS_OK && i < file.blob_count; i++) {
        struct buf *blob;
        status = puffin_read_blob(&memory.source, &file.blobs[i], BLOB_BYTES_MAX, &blob, err);
        if (status == STATUS_OK) {
            if (str_is(file.blobs[i].type, "deletion-vector-v1")) {
                status = read_vector(str_make(blob->ptr, blob->size), err);
            }
            buf_unref(blob);
        }
    }
    arena_release(&arena);
    return status;
}

static enum status read_metadata(struct str bytes, struct budget *budget, struct err *err)
{
    struct arena arena = {0};
    const struct table_metadata *metadata;
    (void)budget;
    enum status status = table_metadata_parse(&arena, bytes, &metadata, err);
    arena_release(&arena);
    return named(status, err);
}

static enum status read_checkpoint(struct str bytes, struct budget *budget, struct err *err)
{
    struct arena arena = {0};
    struct checkpoint checkpoint;
    (void)budget;
    enum status status = checkpoint_decode(bytes, &arena, &checkpoint, err);
    arena_release(&arena);
    return named(status, err);
}

// ---- text ----

static enum status decode_csv(struct str bytes, const struct infer_found *found,
                              struct arena *arena, struct err *err)
{
    const struct type *row = found->type;
    uint32_t *wanted = arena_new_array(arena, uint32_t, row->field_count);
    struct csv_decoder *decoder;
    size_t used = 1;
    for (uint32_t i = 0; i < row->field_count; i++) {
        wanted[i] = i;
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
    TRY(csv_decode_new(&spec, &decoder, err));
    enum status status = STATUS_OK;
    while (status == STATUS_OK && used > 0 && bytes.size > 0) {
        status = csv_decode_lines(decoder, bytes, true, BATCH_ROWS_MAX, &used, err);
        bytes = str_slice(bytes, status == STATUS_OK ? used : 0, bytes.size);
    }
    if (status != STATUS_OK) {
        err_context(err, "line %llu", (unsigned long long)csv_decode_bad_place(decoder) + 1);
    }
    csv_decode_free(decoder);
    return status;
}

static enum status decode_json(struct str bytes, const struct infer_found *found, struct err *err)
{
    struct json_decode_spec spec = {.fields = found->type->fields,
                                    .field_count = found->type->field_count,
                                    .timestamp_form = found->timestamp_form};
    struct json_decoder *decoder;
    size_t used = 1;
    TRY(json_decode_new(&spec, &decoder, err));
    enum status status = STATUS_OK;
    while (status == STATUS_OK && used > 0 && bytes.size > 0) {
        status = json_decode_lines(decoder, bytes, BATCH_ROWS_MAX, &used, err);
        bytes = str_slice(bytes, status == STATUS_OK ? used : 0, bytes.size);
    }
    if (status != STATUS_OK) {
        err_context(err, "line %llu", (unsigned long long)json_decode_bad_place(decoder) + 1);
    }
    json_decode_free(decoder);
    return status;
}

static enum status read_text(struct str bytes, enum infer_format format, struct err *err)
{
    struct arena arena = {0};
    struct byte_source_memory memory;
    struct byte_source *sources[] = {&memory.source};
    struct infer_options options = {.format = format};
    struct infer_found found;
    char *copy = mem_zalloc(bytes.size + CSV_DECODE_PADDING + JSON_DECODE_PADDING);
    if (bytes.size > 0) {
        memcpy(copy, bytes.ptr, bytes.size);
    }
    bytes.ptr = copy;
    name_source(&memory, bytes);
    enum status status = infer_files(&arena, sources, 1, &options, &found, err);
    if (status == STATUS_OK) {
        status = named(format == INFER_CSV ? decode_csv(bytes, &found, &arena, err)
                                           : decode_json(bytes, &found, err),
                       err);
    }
    mem_free(copy);
    arena_release(&arena);
    return status;
}

static enum status read_csv(struct str bytes, struct budget *budget, struct err *err)
{
    (void)budget;
    return read_text(bytes, INFER_CSV, err);
}

static enum status read_json(struct str bytes, struct budget *budget, struct err *err)
{
    (void)budget;
    return read_text(bytes, INFER_JSON, err);
}

const struct hostile_format hostile_formats[] = {{"parquet", read_parquet, HOSTILE_PARQUET},
                                                 {"avro", read_avro, HOSTILE_AVRO},
                                                 {"manifest", read_manifest, HOSTILE_AVRO},
                                                 {"manifest-list", read_list, HOSTILE_AVRO},
                                                 {"puffin", read_puffin, HOSTILE_TEXT},
                                                 {"metadata", read_metadata, HOSTILE_TEXT},
                                                 {"csv", read_csv, HOSTILE_TEXT},
                                                 {"json", read_json, HOSTILE_TEXT},
                                                 {"checkpoint", read_checkpoint, HOSTILE_BYTES},
                                                 {NULL, NULL, HOSTILE_BYTES}};
