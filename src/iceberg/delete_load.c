// SPDX-License-Identifier: Apache-2.0
#include "iceberg/delete_load.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "codec/deletion_vector.h"
#include "codec/puffin.h"
#include "codec/roaring.h"
#include "iceberg/delete_keys.h"
#include "iceberg/file_default.h"
#include "iceberg/file_schema.h"
#include "iceberg/key_columns.h"
#include "iceberg/scan.h"
#include "store/store.h"

enum { VECTOR_BYTES_MAX = INT32_MAX }; // what Java's writer can make

// ---- deletion vectors ----

static enum status check_puffin(const struct delete_load *load, struct byte_source *source,
                                struct err *err)
{
    char magic[4];
    if (load->bare_vectors) {
        return STATUS_OK;
    }
    TRY(byte_source_read(source, 0, sizeof magic, magic, err));
    if (memcmp(magic, "PFA1", sizeof magic) != 0) {
        enum status status = ERR(err, STATUS_INVALID_DATA, "it is not a Puffin file");
        err_hint(err, "deletion vectors that old versions of DuckDB wrote without one are read "
                      "with the hint or table property 'read.bare-deletion-vectors' = 'true'");
        return status;
    }
    return STATUS_OK;
}

static enum status read_vector(const struct delete_load *load, struct byte_source *source,
                               const struct data_file *file, struct roaring *out, struct err *err)
{
    struct buf *bytes;
    struct puffin_blob blob = {.offset = (uint64_t)file->content_offset,
                               .length = (uint64_t)file->content_size};
    TRY(check_puffin(load, source, err));
    TRY(puffin_read_blob(source, &blob, VECTOR_BYTES_MAX, &bytes, err));
    enum status status = deletion_vector_read(str_make(bytes->ptr, bytes->size), out, err);
    buf_unref(bytes);
    if (status == STATUS_OK && roaring_cardinality(out) != (uint64_t)file->record_count) {
        status = ERR(err, STATUS_INVALID_DATA,
                     "a deletion vector of %llu positions, of which the manifest knows %lld",
                     (unsigned long long)roaring_cardinality(out), (long long)file->record_count);
    }
    return status;
}

enum status delete_load_vector(struct delete_load *load, const struct scan_delete *delete,
                               struct roaring *out, struct err *err)
{
    const struct data_file *file = &delete->file;
    struct store_reader *reader;
    TRY(store_open(load->store, file->path, &reader, err));
    enum status status = read_vector(load, &reader->source, file, out, err);
    store_reader_close(reader);
    if (status != STATUS_OK) {
        err_context(err, "deletion vector %.*s at byte %lld", STR_ARGS(file->path),
                    (long long)file->content_offset);
    }
    load->files_read++;
    load->bytes_read += (uint64_t)file->content_size;
    return status;
}

// ---- position deletes ----

static enum status add_positions(const struct scan_delete *delete, const struct batch *batch,
                                 const struct delete_target *target, struct err *err)
{
    const struct column *paths = &batch->columns[0];
    const struct column *positions = &batch->columns[1];
    const struct strview *last = NULL;
    struct roaring *set = NULL;
    for (uint32_t row = 0; row < batch->row_count; row++) {
        if (column_is_null(paths, row) || column_is_null(positions, row)) {
            return ERR(err, STATUS_INVALID_DATA, "a position delete without path or position");
        }
        const struct strview *path = column_value(paths, row);
        int64_t position = *(const int64_t *)column_value(positions, row);
        if (position < 0) {
            return ERR(err, STATUS_INVALID_DATA, "position %lld of a row", (long long)position);
        }
        // Dictionary entries are the same object; files are sorted by path.
        if (last == NULL || (path != last && !strview_equal(path, last))) {
            set = target->find(target->context, delete, strview_str(path));
        }
        last = path;
        if (set != NULL) {
            roaring_add(set, (uint64_t)position);
        }
    }
    return STATUS_OK;
}

static enum status open_delete(struct delete_load *load, const struct scan_delete *delete,
                               const struct parquet_field *fields, uint32_t count,
                               struct file_reader **out, struct err *err)
{
    struct file_reader_options options = {
        .store = load->store,
        .path = delete->file.path,
        .format = delete->file.format,
        .fields = fields,
        .field_count = count,
        .name_mapping =
            delete->file.content == DATA_FILE_EQUALITY_DELETES ? load->name_mapping : NULL,
        .budget = load->budget,
    };
    return file_reader_open(&options, out, err);
}

static void close_delete(struct delete_load *load, struct file_reader *reader)
{
    if (reader != NULL) {
        load->files_read++;
        load->bytes_read += file_reader_counters(reader).bytes_read;
        file_reader_free(reader);
    }
}

static enum status read_positions(struct delete_load *load, const struct scan_delete *delete,
                                  const struct delete_target *target, struct file_reader **reader,
                                  struct err *err)
{
    static const struct parquet_field fields[] = {
        {.name = {"file_path", 9}, .id = ICEBERG_ID_DELETE_PATH, .type = &type_string},
        {.name = {"pos", 3}, .id = ICEBERG_ID_DELETE_POS, .type = &type_bigint},
    };
    struct batch batch;
    enum status status;
    TRY(open_delete(load, delete, fields, 2, reader, err));
    if (file_reader_is_missing(*reader, 0) || file_reader_is_missing(*reader, 1)) {
        return ERR(err, STATUS_INVALID_DATA, "position deletes without file_path or pos");
    }
    while ((status = file_reader_next(*reader, &batch, err)) == STATUS_OK) {
        TRY(add_positions(delete, &batch, target, err));
    }
    return status == STATUS_END ? STATUS_OK : status;
}

enum status delete_load_positions(struct delete_load *load, const struct scan_delete *delete,
                                  const struct delete_target *target, struct err *err)
{
    struct file_reader *reader = NULL;
    enum status status = read_positions(load, delete, target, &reader, err);
    close_delete(load, reader);
    if (status != STATUS_OK) {
        err_context(err, "delete file %.*s", STR_ARGS(delete->file.path));
    }
    return status;
}

// ---- equality deletes ----

struct key_reader {
    struct arena arena;
    struct arena batch_arena;
    struct file_reader *file;
    struct file_default *defaults;
    struct column *columns;
};

static enum status open_keys(struct delete_load *load, const struct scan_delete *delete,
                             const struct delete_key_sink *sink, struct key_reader *reader,
                             struct err *err)
{
    struct parquet_field *fields =
        arena_new_array(&reader->arena, struct parquet_field, sink->column_count);
    reader->defaults = arena_new_array(&reader->arena, struct file_default, sink->column_count);
    reader->columns = arena_new_array(&reader->arena, struct column, sink->column_count);
    for (uint32_t i = 0; i < sink->column_count; i++) {
        TRY(file_schema_field(&reader->arena, sink->columns[i].field, &fields[i], err));
        fields[i].required = false;
    }
    TRY(open_delete(load, delete, fields, sink->column_count, &reader->file, err));
    struct file_default_options defaults = {.file = reader->file};
    for (uint32_t i = 0; i < sink->column_count; i++) {
        TRY(file_default_build(&reader->arena, &defaults, sink->columns[i].field, i,
                               &reader->defaults[i], err));
    }
    return STATUS_OK;
}

static enum status read_keys(struct key_reader *reader, const struct delete_key_sink *sink,
                             struct err *err)
{
    struct batch batch;
    enum status status;
    while ((status = file_reader_next(reader->file, &batch, err)) == STATUS_OK) {
        arena_reset(&reader->batch_arena);
        for (uint32_t i = 0; i < sink->column_count; i++) {
            struct column filled =
                file_default_fill(&reader->batch_arena, &reader->defaults[i], &batch.columns[i]);
            reader->columns[i] =
                key_column_values(&reader->batch_arena, &sink->columns[i], &filled);
        }
        if (delete_keys_count(sink->keys) > DELETE_KEYS_MAX - batch.row_count) {
            return ERR(err, STATUS_LIMIT, "more than %d equality deletes apply", DELETE_KEYS_MAX);
        }
        delete_keys_add(sink->keys, reader->columns, batch.row_count);
        TRY(sink->grown(sink->context, err));
    }
    return status == STATUS_END ? STATUS_OK : status;
}

enum status delete_load_keys(struct delete_load *load, const struct scan_delete *delete,
                             const struct delete_key_sink *sink, struct err *err)
{
    struct key_reader reader = {0};
    enum status status = open_keys(load, delete, sink, &reader, err);
    if (status == STATUS_OK) {
        status = read_keys(&reader, sink, err);
    }
    close_delete(load, reader.file);
    arena_release(&reader.batch_arena);
    arena_release(&reader.arena);
    if (status != STATUS_OK) {
        err_context(err, "delete file %.*s", STR_ARGS(delete->file.path));
    }
    return status;
}
