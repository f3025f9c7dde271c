// SPDX-License-Identifier: Apache-2.0
//
// Rows of Avro containers. Columns are found by name; what a file lacks is NULL.
#include "base/arena.h"
#include "base/mem.h"
#include "codec/avro_file.h"
#include "connect/file_rows.h"
#include "store/store_file.h"

struct avro_rows {
    struct file_rows rows;
    const struct file_scan *scan;
    struct arena arena;
    struct arena batch_arena;
    struct str path;
    struct store *store;
    struct store_reader *source;
    struct avro_file *file;
    struct batch batch;
};

static bool avro_has_parts(const struct file_scan *scan, const char *path)
{
    (void)scan;
    (void)path;
    return false;
}

static void avro_close(struct file_rows *base)
{
    struct avro_rows *rows = (struct avro_rows *)base;
    struct source_metrics *metrics = rows->scan->metrics;
    if (rows->file != NULL) {
        uint64_t read = avro_file_bytes_read(rows->file);
        uint64_t size = rows->source->source.size;
        metrics->bytes_read += read;
        metrics->bytes_skipped += size > read ? size - read : 0;
    }
    avro_file_free(rows->file);
    store_reader_close(rows->source);
    store_free(rows->store);
    arena_release(&rows->batch_arena);
    arena_release(&rows->arena);
    mem_free(rows);
}

static enum status open_file(struct avro_rows *rows, struct err *err)
{
    const struct scan_columns *columns = rows->scan->columns;
    struct type_field *types =
        arena_new_array(&rows->arena, struct type_field, columns->wanted_count + 1);
    for (uint32_t i = 0; i < columns->wanted_count; i++) {
        types[i] = columns->physical[columns->wanted[i]];
    }
    const struct type *row = type_row(&rows->arena, types, columns->wanted_count, false);
    rows->store = store_file_new("");
    TRY(store_open(rows->store, rows->path, &rows->source, err));
    TRY(avro_file_open(&rows->source->source, NULL, &rows->file, err));
    return avro_file_project(rows->file, avro_columns_of_type(&rows->arena, row),
                             columns->wanted_count, false, err);
}

static enum status avro_open(const struct file_scan *scan, const struct file_part *part,
                             struct file_place place, struct file_rows **out, struct err *err)
{
    struct avro_rows *rows = mem_zalloc(sizeof *rows);
    rows->rows = (struct file_rows){.class = &file_rows_avro, .place = place};
    rows->scan = scan;
    rows->path = part->path;
    arena_init(&rows->arena);
    arena_init(&rows->batch_arena);
    enum status status = open_file(rows, err);
    if (status != STATUS_OK) {
        err_context(err, "%.*s", STR_ARGS(part->path));
        avro_close(&rows->rows);
        return status;
    }
    *out = &rows->rows;
    return STATUS_OK;
}

static enum status avro_next(struct file_rows *base, struct file_batch *out, struct err *err)
{
    struct avro_rows *rows = (struct avro_rows *)base;
    enum status status = avro_file_next(rows->file, &rows->batch, err);
    if (status != STATUS_OK) {
        if (status != STATUS_END) {
            err_context(err, "%.*s", STR_ARGS(rows->path));
        }
        return status;
    }
    return file_rows_take(base, &rows->batch_arena, &rows->batch, avro_file_position(rows->file),
                          out);
}

const struct file_rows_class file_rows_avro = {
    .unit = "row",
    .has_parts = avro_has_parts,
    .open = avro_open,
    .next = avro_next,
    .close = avro_close,
};
