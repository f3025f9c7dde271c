// SPDX-License-Identifier: Apache-2.0
//
// Rows to the files of their partitions.
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "data/batch.h"
#include "iceberg/data_writer_int.h"

enum { ROWS_A_FILE_MIN = 32 }; // a batch with fewer on average is staged

// The column that a partition field reads, of a field at any depth inside structs.
static enum status source_column(struct data_writer *writer, const struct batch *batch,
                                 const struct partition_field *field, struct column *out,
                                 struct err *err)
{
    const struct table_schema *schema = table_metadata_current_schema(writer->options.metadata);
    const struct table_schema_entry *entry = table_schema_by_id(schema, field->source_id);
    uint32_t path[ICEBERG_DEPTH_MAX + 1];
    uint32_t depth = 0;
    if (entry == NULL || entry->below_list) {
        return ERR(err, STATUS_UNSUPPORTED, "partition field '%.*s' has no column to read",
                   STR_ARGS(field->name));
    }
    for (; entry->parent != UINT32_MAX; entry = &schema->entries[entry->parent]) {
        path[depth++] = entry->position;
    }
    struct column column = batch->columns[entry->position];
    while (depth > 0) {
        struct column flat = column_flatten(&writer->scratch, &column);
        column = flat.children[path[--depth]];
    }
    *out = column;
    return STATUS_OK;
}

// The partition tuples of all rows, a lane a field.
static enum status make_lanes(struct data_writer *writer, const struct batch *batch,
                              struct err *err)
{
    for (uint32_t i = 0; i < writer->spec->field_count; i++) {
        const struct partition_field *field = &writer->spec->fields[i];
        struct column column;
        if (field->transform.kind == TRANSFORM_VOID) {
            for (uint32_t row = 0; row < batch->row_count; row++) {
                writer->lanes[i][row] = (struct iceberg_value){.is_null = true};
            }
            continue;
        }
        TRY(source_column(writer, batch, field, &column, err));
        transform_column(&field->transform, field->source, &column, writer->lanes[i]);
    }
    return STATUS_OK;
}

static bool same_as_before(const struct data_writer *writer, uint32_t row)
{
    for (uint32_t i = 0; i < writer->spec->field_count; i++) {
        const struct iceberg_value *lane = writer->lanes[i];
        if (!iceberg_value_equal(writer->spec->fields[i].result, &lane[row - 1], &lane[row])) {
            return false;
        }
    }
    return true;
}

// The file of each row; *distinct is how many runs there are at least: 1 means that all rows go to
// files[0].
static enum status route(struct data_writer *writer, const struct batch *batch, uint32_t *files,
                         uint32_t *distinct, struct err *err)
{
    uint32_t field_count = writer->spec->field_count;
    struct iceberg_value *tuple =
        arena_new_array(&writer->scratch, struct iceberg_value, field_count + 1);
    TRY(make_lanes(writer, batch, err));
    *distinct = 0;
    for (uint32_t row = 0; row < batch->row_count; row++) {
        if (row > 0 && same_as_before(writer, row)) {
            files[row] = files[row - 1];
            continue;
        }
        for (uint32_t i = 0; i < field_count; i++) {
            tuple[i] = writer->lanes[i][row];
        }
        TRY(data_writer_file_of(writer, tuple, &files[row], err));
        (*distinct)++;
    }
    return STATUS_OK;
}

// Rows sorted by file: positions in `order`, stable. Returns how many files there are; where each
// begins is in `begins` (one more at the end), which file in `ids`.
static uint32_t sort_rows(struct arena *arena, const uint32_t *files, uint32_t row_count,
                          uint32_t file_count, uint16_t *order, uint32_t **begins, uint32_t **ids)
{
    uint32_t *counts = arena_new_array(arena, uint32_t, file_count + 1);
    uint32_t distinct = 0;
    for (uint32_t row = 0; row < row_count; row++) {
        distinct += counts[files[row]]++ == 0;
    }
    *begins = arena_new_array(arena, uint32_t, distinct + 1);
    *ids = arena_new_array(arena, uint32_t, distinct + 1);
    uint32_t at = 0;
    uint32_t group = 0;
    for (uint32_t file = 0; file < file_count; file++) {
        if (counts[file] > 0) {
            uint32_t count = counts[file];
            (*begins)[group] = at;
            (*ids)[group++] = file;
            counts[file] = at;
            at += count;
        }
    }
    (*begins)[group] = at;
    for (uint32_t row = 0; row < row_count; row++) {
        order[counts[files[row]]++] = (uint16_t)row;
    }
    return distinct;
}

// Columns of up to 65,536 rows to the files of their rows.
static enum status scatter(struct data_writer *writer, const struct column *columns,
                           uint32_t column_count, const uint32_t *files, uint32_t row_count,
                           struct err *err)
{
    struct arena arena;
    arena_init(&arena);
    uint16_t *order = arena_alloc(&arena, row_count * sizeof *order + 2);
    uint32_t *begins;
    uint32_t *ids;
    uint32_t groups =
        sort_rows(&arena, files, row_count, writer->files.count, order, &begins, &ids);
    struct arena pieces;
    arena_init(&pieces);
    enum status status = STATUS_OK;
    for (uint32_t i = 0; status == STATUS_OK && i < groups; i++) {
        for (uint32_t from = begins[i]; status == STATUS_OK && from < begins[i + 1];) {
            uint32_t count = begins[i + 1] - from;
            count = count > BATCH_ROWS_MAX ? BATCH_ROWS_MAX : count;
            struct column *piece = arena_new_array(&pieces, struct column, column_count);
            for (uint32_t c = 0; c < column_count; c++) {
                piece[c] = column_gather(&pieces, &columns[c], order + from, count);
            }
            struct batch batch = {
                .row_count = count, .column_count = column_count, .columns = piece};
            status = data_writer_put(writer, writer->files.items[ids[i]], &batch, err);
            from += count;
            arena_reset(&pieces);
        }
        if (status == STATUS_OK) {
            status = data_writer_relieve(writer, err);
        }
    }
    arena_release(&pieces);
    arena_release(&arena);
    return status;
}

void data_writer_drop_staged(struct data_writer *writer)
{
    for (uint32_t i = 0; i < writer->staged.count; i++) {
        batch_drop(writer->staged.items[i].batch);
        mem_free(writer->staged.items[i].files);
    }
    writer->staged.count = 0;
    writer->staged_rows = 0;
}

enum status data_writer_flush_staged(struct data_writer *writer, struct err *err)
{
    struct arena arena;
    uint32_t count = writer->staged.count;
    if (count == 0) {
        return STATUS_OK;
    }
    arena_init(&arena);
    uint32_t column_count = writer->staged.items[0].batch->column_count;
    struct column *whole = arena_new_array(&arena, struct column, column_count);
    struct column *parts = arena_new_array(&arena, struct column, count);
    uint32_t *files = arena_alloc(&arena, writer->staged_rows * sizeof *files);
    for (uint32_t c = 0; c < column_count; c++) {
        for (uint32_t i = 0; i < count; i++) {
            parts[i] = writer->staged.items[i].batch->columns[c];
        }
        whole[c] = column_concat(&arena, parts, count);
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t rows = writer->staged.items[i].batch->row_count;
        memcpy(files + at, writer->staged.items[i].files, rows * sizeof *files);
        at += rows;
    }
    enum status status = scatter(writer, whole, column_count, files, writer->staged_rows, err);
    arena_release(&arena);
    data_writer_drop_staged(writer);
    return status;
}

static enum status stage(struct data_writer *writer, const struct batch *batch,
                         const uint32_t *files, struct err *err)
{
    if (writer->staged_rows + batch->row_count > DATA_WRITER_STAGED_ROWS) {
        TRY(data_writer_flush_staged(writer, err));
    }
    struct data_writer_staged staged = {
        .batch = batch_settle(batch, &writer->budget),
        .files = mem_alloc(batch->row_count * sizeof *files),
    };
    memcpy(staged.files, files, batch->row_count * sizeof *files);
    VEC_PUSH(&writer->staged, staged);
    writer->staged_rows += batch->row_count;
    // A quarter of the memory at most waits here.
    size_t bytes = 0;
    for (uint32_t i = 0; i < writer->staged.count; i++) {
        bytes += writer->staged.items[i].batch->owner != NULL
                     ? writer->staged.items[i].batch->owner->charged
                     : 0;
    }
    return bytes > writer->budget.limit / 4 ? data_writer_flush_staged(writer, err) : STATUS_OK;
}

enum status data_writer_append(struct data_writer *writer, const struct batch *batch,
                               struct err *err)
{
    if (batch->row_count == 0) {
        return STATUS_OK;
    }
    arena_reset(&writer->scratch);
    writer->figures.rows += batch->row_count;
    uint32_t *files = arena_alloc(&writer->scratch, batch->row_count * sizeof *files);
    uint32_t distinct;
    TRY(route(writer, batch, files, &distinct, err));
    if (distinct == 1) {
        TRY(data_writer_flush_staged(writer, err)); // keeps the order of arrival
        TRY(data_writer_put(writer, writer->files.items[files[0]], batch, err));
        return data_writer_relieve(writer, err);
    }
    if (distinct * ROWS_A_FILE_MIN > batch->row_count) {
        return stage(writer, batch, files, err);
    }
    TRY(data_writer_flush_staged(writer, err));
    return scatter(writer, batch->columns, batch->column_count, files, batch->row_count, err);
}
