// SPDX-License-Identifier: Apache-2.0
#include "codec/avro_file.h"

#include "base/arena.h"
#include "base/assert.h"
#include "base/buf.h"
#include "base/byte_source.h"
#include "base/mem.h"
#include "base/vec.h"
#include "codec/avro_decode.h"

struct avro_file {
    struct arena arena;
    struct avro_reader *reader;
    struct byte_source *source;
    const struct avro_column *own;
    uint32_t own_count;
    struct avro_decoder *decoder; // NULL: not projected yet
    uint32_t column_count;
    struct avro_cursor cursor; // over the block at hand
    uint64_t rows_left;        // in it
    bool is_in_block;
    VEC(struct buf *) held; // blocks that the batch borrows from
    struct batch_origin origin;
    uint64_t next; // position of the row behind the batch
    uint64_t bytes_decoded;
};

enum status avro_file_open(struct byte_source *source, const struct avro_reader_options *options,
                           struct avro_file **out, struct err *err)
{
    struct avro_file *file = mem_zalloc(sizeof *file);
    *out = NULL;
    file->source = source;
    enum status status = avro_reader_open_source(source, options, &file->reader, err);
    if (status != STATUS_OK) {
        avro_file_free(file);
        return status;
    }
    file->origin = (struct batch_origin){.name = source->name, .unit = "row"};
    *out = file;
    return STATUS_OK;
}

static void let_go(struct avro_file *file)
{
    for (uint32_t i = 0; i < file->held.count; i++) {
        buf_unref(file->held.items[i]);
    }
    file->held.count = 0;
}

void avro_file_free(struct avro_file *file)
{
    if (file == NULL) {
        return;
    }
    let_go(file);
    VEC_RELEASE(&file->held);
    avro_decoder_free(file->decoder);
    avro_reader_free(file->reader);
    arena_release(&file->arena);
    mem_free(file);
}

const struct avro_schema *avro_file_schema(const struct avro_file *file)
{
    return avro_reader_schema(file->reader);
}

bool avro_file_meta(const struct avro_file *file, const char *key, struct str *out)
{
    return avro_reader_meta(file->reader, key, out);
}

enum status avro_file_columns(struct avro_file *file, const struct avro_column **out,
                              uint32_t *count, struct err *err)
{
    if (file->own == NULL) {
        enum status status = avro_columns_of_schema(&file->arena, avro_reader_schema(file->reader),
                                                    &file->own, &file->own_count, err);
        if (status != STATUS_OK) {
            err_context(err, "%.*s", STR_ARGS(file->source->name));
            return status;
        }
    }
    *out = file->own;
    *count = file->own_count;
    return STATUS_OK;
}

enum status avro_file_project(struct avro_file *file, const struct avro_column *columns,
                              uint32_t count, bool by_id, struct err *err)
{
    struct avro_decoder_options options = {columns, count, by_id};
    ASSERT(file->decoder == NULL);
    file->column_count = count;
    enum status status =
        avro_decoder_new(avro_reader_schema(file->reader), &options, &file->decoder, err);
    if (status != STATUS_OK) {
        err_context(err, "%.*s", STR_ARGS(file->source->name));
    }
    return status;
}

static enum status project_all(struct avro_file *file, struct err *err)
{
    const struct avro_column *columns;
    uint32_t count;
    TRY(avro_file_columns(file, &columns, &count, err));
    return avro_file_project(file, columns, count, false, err);
}

// Fills the batch from the blocks that come, which stay until the next one.
static enum status fill(struct avro_file *file, struct err *err)
{
    while (!avro_decoder_is_full(file->decoder)) {
        if (file->rows_left == 0) {
            if (file->is_in_block && avro_cursor_end(&file->cursor, err) != STATUS_OK) {
                avro_reader_context(file->reader, &file->cursor, err);
                return STATUS_INVALID_DATA;
            }
            file->is_in_block = false;
            TRY(avro_reader_block(file->reader, &file->cursor, &file->rows_left, err));
            file->is_in_block = true;
            file->bytes_decoded += (uint64_t)(file->cursor.end - file->cursor.at);
            struct buf *bytes = avro_reader_hold(file->reader);
            if (bytes != NULL) {
                VEC_PUSH(&file->held, bytes);
            }
        }
        enum status status = avro_decoder_rows(file->decoder, &file->cursor, &file->rows_left, err);
        if (status != STATUS_OK) {
            err_context(err, "row %llu",
                        (unsigned long long)(file->next + avro_decoder_row_count(file->decoder)));
            avro_reader_context(file->reader, &file->cursor, err);
            return status;
        }
    }
    return STATUS_OK;
}

enum status avro_file_next(struct avro_file *file, struct batch *out, struct err *err)
{
    if (file->decoder == NULL) {
        TRY(project_all(file, err));
    }
    // The block at hand is the last one that was held.
    struct buf *current =
        file->held.count > 0 ? buf_ref(file->held.items[file->held.count - 1]) : NULL;
    let_go(file);
    if (current != NULL) {
        VEC_PUSH(&file->held, current);
    }
    avro_decoder_reset(file->decoder);
    enum status status = fill(file, err);
    uint32_t rows = avro_decoder_row_count(file->decoder);
    if (status != STATUS_OK && (status != STATUS_END || rows == 0)) {
        return status;
    }
    file->origin.first = file->next;
    file->next += rows;
    *out = (struct batch){.row_count = rows,
                          .column_count = file->column_count,
                          .columns = avro_decoder_columns(file->decoder),
                          .origin = &file->origin};
    return STATUS_OK;
}

uint64_t avro_file_position(const struct avro_file *file)
{
    return file->origin.first;
}

bool avro_file_is_missing(const struct avro_file *file, uint32_t at)
{
    return avro_decoder_is_missing(file->decoder, at);
}

uint64_t avro_file_bytes_read(const struct avro_file *file)
{
    return avro_reader_offset(file->reader);
}

uint64_t avro_file_bytes_decoded(const struct avro_file *file)
{
    return file->bytes_decoded;
}
