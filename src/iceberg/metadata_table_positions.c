// SPDX-License-Identifier: Apache-2.0
//
// The metadata table position_deletes: what is in position delete files and deletion vectors.
#include <string.h>

#include "base/mem.h"
#include "codec/roaring.h"
#include "data/type.h"
#include "iceberg/delete_load.h"
#include "iceberg/file_reader.h"
#include "iceberg/file_schema.h"
#include "iceberg/metadata_table_int.h"
#include "iceberg/scan.h"

enum { BLOCK_VALUES = 1 << 16, BLOCK_WORDS = BLOCK_VALUES / 64, FIELDS = 3 };

struct metadata_positions {
    struct arena arena;
    struct manifest_entry entry; // of the open file; the manifest's
    bool is_open;
    // A file of rows.
    struct parquet_field fields[FIELDS];
    uint32_t field_count; // the row of the table is read where it is wanted
    struct file_reader *file;
    struct batch batch;
    uint32_t batch_row;
    // A deletion vector.
    bool is_vector;
    struct roaring set;
    uint64_t block; // the first value of those in `mask`
    uint64_t next;  // where to look for the next block
    uint64_t mask[BLOCK_WORDS];
    uint32_t word; // where in the mask one is; BLOCK_WORDS: the next block
};

static bool wants(const struct metadata_table_reader *reader, enum metadata_what what)
{
    for (uint32_t i = 0; i < reader->options.column_count; i++) {
        if (reader->wanted[i]->what == what) {
            return true;
        }
    }
    return false;
}

static enum status begin(struct metadata_table_reader *reader, struct err *err)
{
    struct metadata_positions *positions = mem_zalloc(sizeof *positions);
    reader->positions = positions;
    arena_init(&positions->arena);
    positions->fields[0] = (struct parquet_field){
        .name = STR_LIT("file_path"), .id = ICEBERG_ID_DELETE_PATH, .type = &type_string};
    positions->fields[1] = (struct parquet_field){
        .name = STR_LIT("pos"), .id = ICEBERG_ID_DELETE_POS, .type = &type_bigint};
    positions->field_count = 2;
    if (wants(reader, WHAT_DELETED_ROW)) {
        struct iceberg_field *row = arena_new(&positions->arena, struct iceberg_field);
        *row = (struct iceberg_field){
            .id = ICEBERG_ID_DELETE_ROW, .name = STR_LIT("row"), .type = reader->all.row};
        TRY(file_schema_field(&positions->arena, row, &positions->fields[2], err));
        positions->field_count = FIELDS;
    }
    return STATUS_OK;
}

static void close_file(struct metadata_positions *positions)
{
    file_reader_free(positions->file);
    positions->file = NULL;
    roaring_release(&positions->set);
    positions->set = (struct roaring){0};
    positions->is_open = false;
}

void metadata_table_positions_free(struct metadata_table_reader *reader)
{
    struct metadata_positions *positions = reader->positions;
    if (positions != NULL) {
        close_file(positions);
        arena_release(&positions->arena);
        mem_free(positions);
    }
}

static enum status open_vector(struct metadata_table_reader *reader, struct err *err)
{
    struct metadata_positions *positions = reader->positions;
    const struct data_file *file = &positions->entry.file;
    struct delete_load load = {.store = reader->options.table->place.store};
    struct scan_delete delete = {.file = *file};
    if (file->referenced_data_file.ptr == NULL || file->content_offset < 0 ||
        file->content_size < 0) {
        return ERR(err, STATUS_INVALID_DATA,
                   "the manifest does not say where the deletion vector is and for which file");
    }
    positions->next = 0;
    positions->word = BLOCK_WORDS;
    return delete_load_vector(&load, &delete, &positions->set, err);
}

static enum status open_rows(struct metadata_table_reader *reader, struct err *err)
{
    struct metadata_positions *positions = reader->positions;
    struct file_reader_options options = {.store = reader->options.table->place.store,
                                          .path = positions->entry.file.path,
                                          .format = positions->entry.file.format,
                                          .fields = positions->fields,
                                          .field_count = positions->field_count,
                                          .budget = reader->options.budget};
    positions->batch.row_count = positions->batch_row = 0;
    TRY(file_reader_open(&options, &positions->file, err));
    return file_reader_is_missing(positions->file, 0) || file_reader_is_missing(positions->file, 1)
               ? ERR(err, STATUS_INVALID_DATA, "position deletes without file_path or pos")
               : STATUS_OK;
}

// The next delete file of positions; END.
static enum status open_next(struct metadata_table_reader *reader, struct err *err)
{
    struct metadata_positions *positions = reader->positions;
    do {
        TRY(metadata_table_next_entry(reader, &positions->entry, err));
    } while (positions->entry.file.content != DATA_FILE_POSITION_DELETES);
    positions->is_open = true;
    positions->is_vector = str_is_nocase(positions->entry.file.format, "puffin");
    return positions->is_vector ? open_vector(reader, err) : open_rows(reader, err);
}

// The next value of the vector; END.
static enum status next_value(struct metadata_positions *positions, uint64_t *value)
{
    for (;;) {
        while (positions->word < BLOCK_WORDS && positions->mask[positions->word] == 0) {
            positions->word++;
        }
        if (positions->word < BLOCK_WORDS) {
            uint64_t *word = &positions->mask[positions->word];
            *value = positions->block + (uint64_t)positions->word * 64 +
                     (uint64_t)__builtin_ctzll(*word);
            *word &= *word - 1;
            return STATUS_OK;
        }
        if (!roaring_block(&positions->set, positions->next, &positions->block)) {
            return STATUS_END;
        }
        memset(positions->mask, 0, sizeof positions->mask);
        (void)roaring_mask(&positions->set, positions->block, BLOCK_VALUES, positions->mask);
        positions->next = positions->block + BLOCK_VALUES;
        positions->word = 0;
    }
}

// The next row of the file: batch_row - 1; END.
static enum status next_row(struct metadata_positions *positions, struct err *err)
{
    if (positions->batch_row == positions->batch.row_count) {
        positions->batch_row = 0;
        positions->batch.row_count = 0;
        TRY(file_reader_next(positions->file, &positions->batch, err));
    }
    uint32_t row = positions->batch_row++;
    return column_is_null(&positions->batch.columns[0], row) ||
                   column_is_null(&positions->batch.columns[1], row)
               ? ERR(err, STATUS_INVALID_DATA, "a position delete without path or position")
               : STATUS_OK;
}

static void put(struct metadata_table_reader *reader, uint32_t column, uint64_t value)
{
    struct metadata_positions *positions = reader->positions;
    struct column_builder *builder = reader->builders[column];
    const struct data_file *file = &positions->entry.file;
    enum metadata_what what = reader->wanted[column]->what;
    bool is_of_row = what >= WHAT_DELETED_PATH && what <= WHAT_DELETED_ROW;
    if (!is_of_row) {
        metadata_table_put_file(reader, builder, what, file);
    } else if (!positions->is_vector) {
        column_builder_value(builder, &positions->batch.columns[what - WHAT_DELETED_PATH],
                             positions->batch_row - 1);
    } else if (what == WHAT_DELETED_PATH) {
        column_builder_string(builder, file->referenced_data_file);
    } else if (what == WHAT_DELETED_POSITION) {
        column_builder_i64(builder, (int64_t)value);
    } else {
        column_builder_null(builder);
    }
}

enum status metadata_table_position_row(struct metadata_table_reader *reader, struct err *err)
{
    uint64_t value = 0;
    if (reader->positions == NULL) {
        TRY(begin(reader, err));
    }
    struct metadata_positions *positions = reader->positions;
    for (;;) {
        enum status status = positions->is_open ? STATUS_OK : open_next(reader, err);
        if (status != STATUS_OK && !positions->is_open) {
            return status;
        }
        if (status == STATUS_OK) {
            status =
                positions->is_vector ? next_value(positions, &value) : next_row(positions, err);
        }
        if (status == STATUS_OK) {
            break;
        }
        if (status != STATUS_END) {
            err_context(err, "delete file %.*s", STR_ARGS(positions->entry.file.path));
            return status;
        }
        close_file(positions);
    }
    for (uint32_t i = 0; i < reader->options.column_count; i++) {
        put(reader, i, value);
    }
    return STATUS_OK;
}
