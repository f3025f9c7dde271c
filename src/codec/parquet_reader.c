// SPDX-License-Identifier: Apache-2.0
#include "codec/parquet_reader.h"

#include <inttypes.h>

#include "base/assert.h"
#include "base/budget.h"
#include "base/byte_source.h"
#include "codec/compress.h"
#include "codec/parquet_reader_int.h"

enum {
    PREFETCH_GAP = 1 << 20,        // between chunks of a row group that are read along
    PREFETCH_BYTES_MAX = 64 << 20, // of a row group; the system reads on behind them by itself
};

enum status parquet_reader_new(struct parquet_file *file,
                               const struct parquet_reader_options *options,
                               struct parquet_reader **out, struct err *err)
{
    struct parquet_reader *reader = mem_zalloc(sizeof *reader);
    reader->file = file;
    reader->options = *options;
    uint32_t rows = options->batch_rows;
    reader->options.batch_rows = rows > 0 && rows < BATCH_ROWS_MAX ? rows : BATCH_ROWS_MAX;
    if (options->page_bytes_max == 0) {
        reader->options.page_bytes_max = (size_t)512 << 20;
    }
    reader->compress = compress_new();
    arena_init(&reader->arena);
    arena_init(&reader->group_arena);
    arena_init(&reader->batch_arena);
    uint32_t groups = file->footer.group_count;
    reader->group = options->row_group_first < groups ? options->row_group_first : groups;
    reader->group_end = options->row_group_count < groups - reader->group
                            ? reader->group + options->row_group_count
                            : groups;
    enum status status = parquet_project_build(reader, err);
    if (status == STATUS_OK) {
        parquet_filter_build(reader);
    }
    reader->options.fields = NULL; // the caller's
    if (status != STATUS_OK) {
        if (err != NULL) {
            err_context(err, "%.*s", STR_ARGS(file->source->name));
        }
        parquet_reader_free(reader);
        return status;
    }
    *out = reader;
    return STATUS_OK;
}

void parquet_reader_free(struct parquet_reader *reader)
{
    if (reader == NULL) {
        return;
    }
    for (uint32_t i = 0; i < reader->leaf_count; i++) {
        parquet_values_release(reader->leaves[i]);
    }
    for (uint32_t i = 0; i < reader->column_count; i++) {
        arena_release(&reader->columns[i].arena);
    }
    while (reader->pool != NULL) {
        struct parquet_memory *memory = reader->pool;
        reader->pool = memory->next;
        mem_free(memory->ptr);
        mem_free(memory);
    }
    if (reader->options.budget != NULL) {
        budget_give(reader->options.budget, reader->charged);
    }
    VEC_RELEASE(&reader->ranges);
    bytebuf_release(&reader->scratch);
    compress_free(reader->compress);
    arena_release(&reader->arena);
    arena_release(&reader->group_arena);
    arena_release(&reader->batch_arena);
    mem_free(reader);
}

// ---- row groups ----

static int compare_ranges(const void *left, const void *right)
{
    uint64_t a = ((const struct byte_range *)left)->offset;
    uint64_t b = ((const struct byte_range *)right)->offset;
    return (a > b) - (a < b);
}

// The bytes of a leaf's chunk from the first page that has rows which are wanted to the last.
static struct byte_range wanted_bytes(const struct parquet_reader *reader,
                                      const struct parquet_leaf_reader *leaf)
{
    const struct parquet_offset_index *index = &leaf->pages.index;
    struct byte_range range = {leaf->pages.at, leaf->pages.end - leaf->pages.at};
    if (index->count == 0) {
        return range;
    }
    uint64_t from = reader->ranges.items[0].from;
    uint64_t to = reader->ranges.items[reader->ranges.count - 1].to;
    uint32_t first = 0;
    uint32_t last = index->count - 1;
    while (first < last && (uint64_t)index->pages[first + 1].first_row <= from) {
        first++;
    }
    while (last > first && (uint64_t)index->pages[last].first_row >= to) {
        last--;
    }
    range.offset = (uint64_t)index->pages[first].offset;
    range.size = (uint64_t)(index->pages[last].offset + index->pages[last].size) - range.offset;
    return range;
}

// Tells the source which chunks are read now, near ones as one: with a filter, those that it looks
// at. A hint to the system, which holds what it reads.
static void prefetch(struct parquet_reader *reader)
{
    struct byte_range *ranges =
        arena_new_array(&reader->group_arena, struct byte_range, reader->leaf_count + 1);
    bool filtered = reader->filter_count > 0;
    uint32_t count = filtered ? reader->filter_count : reader->leaf_count;
    for (uint32_t i = 0; i < count; i++) {
        const struct parquet_leaf_reader *leaf = filtered ? reader->filters[i] : reader->leaves[i];
        ranges[i] = wanted_bytes(reader, leaf);
    }
    qsort(ranges, count, sizeof *ranges, compare_ranges);
    uint32_t kept = 0;
    for (uint32_t i = 1; i < count; i++) {
        uint64_t end = ranges[kept].offset + ranges[kept].size;
        if (ranges[i].offset <= end + PREFETCH_GAP) {
            uint64_t last = ranges[i].offset + ranges[i].size;
            ranges[kept].size = (last > end ? last : end) - ranges[kept].offset;
        } else {
            ranges[++kept] = ranges[i];
        }
    }
    count = count > 0 ? kept + 1 : 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t share = PREFETCH_BYTES_MAX / count;
        ranges[i].size = ranges[i].size < share ? ranges[i].size : share;
    }
    byte_source_prefetch(reader->file->source, ranges, count);
}

// The next row group that has rows to be read. END behind the last.
static enum status begin_group(struct parquet_reader *reader, struct err *err)
{
    for (; reader->group < reader->group_end; reader->group++) {
        const struct parquet_group_meta *group = &reader->file->footer.groups[reader->group];
        TRY(parquet_prune_group(reader, reader->group, err));
        if (reader->ranges.count == 0) {
            reader->counters.row_groups_pruned++;
            continue;
        }
        for (uint32_t i = 0; i < reader->leaf_count; i++) {
            struct parquet_leaf_reader *leaf = reader->leaves[i];
            enum status status =
                parquet_pages_begin(leaf, &group->chunks[leaf->node->leaf_first], err);
            if (status != STATUS_OK) {
                if (err != NULL) {
                    err_context(err, "%.*s", STR_ARGS(reader->file->source->name));
                }
                return status;
            }
        }
        bool may_match;
        TRY(parquet_filter_dictionaries(reader, &may_match, err));
        if (!may_match) {
            for (uint32_t i = 0; i < reader->ranges.count; i++) {
                const struct parquet_rows *rows = &reader->ranges.items[i];
                reader->counters.rows_pruned += rows->to - rows->from;
            }
            reader->counters.row_groups_pruned++;
            continue;
        }
        prefetch(reader);
        reader->counters.row_groups_read++;
        reader->in_group = true;
        reader->range = 0;
        reader->row = reader->ranges.items[0].from;
        return STATUS_OK;
    }
    return STATUS_END;
}

// To the first row that is to be read at or behind reader->row.
static enum status find_rows(struct parquet_reader *reader, struct err *err)
{
    for (;;) {
        if (!reader->in_group) {
            TRY(begin_group(reader, err));
        }
        if (reader->row < reader->ranges.items[reader->range].to) {
            return STATUS_OK;
        }
        if (++reader->range < reader->ranges.count) {
            reader->row = reader->ranges.items[reader->range].from;
        } else {
            reader->in_group = false;
            reader->group++;
        }
    }
}

// ---- batches ----

static enum status with_file(const struct parquet_reader *reader, enum status status,
                             struct err *err)
{
    if (status != STATUS_OK && status != STATUS_END && err != NULL) {
        err_context(err, "%.*s", STR_ARGS(reader->file->source->name));
    }
    return status;
}

static enum status fill_column(struct parquet_reader *reader, struct parquet_out_column *column,
                               uint32_t rows, struct err *err)
{
    column->var_bytes = 0;
    for (uint32_t i = 0; i < column->leaf_count; i++) {
        struct parquet_leaf_reader *leaf = column->leaves[i];
        uint32_t got;
        if (leaf->row < reader->row) {
            TRY(parquet_values_seek(leaf, reader->row, err));
        }
        TRY(parquet_values_read(leaf, rows, i == 0, &got, err));
        rows = got; // all leaves of a column go as far as the first
        column->var_bytes += leaf->vector.var_bytes;
        if (leaf->nested) {
            column->var_bytes += (uint64_t)leaf->vector.entries * leaf->conversion.target_width;
        }
    }
    TRY(with_file(reader, parquet_nest_column(column, rows, err), err));
    column->from = 0;
    column->count = rows;
    return STATUS_OK;
}

static struct column slice(struct parquet_reader *reader, const struct parquet_out_column *column,
                           uint32_t rows)
{
    return column->from == 0 && column->count == rows
               ? column->column
               : column_slice(&reader->batch_arena, &column->column, column->from, rows);
}

static size_t sliced_bytes(struct parquet_reader *reader, uint32_t rows)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < reader->column_count; i++) {
        const struct parquet_out_column *column = &reader->columns[i];
        if (column->var_bytes > 0 && column->column.encoding != ENCODING_DICT) {
            struct column part = slice(reader, column, rows);
            bytes += column_bytes(&part);
        }
    }
    return bytes;
}

// Fewer rows where these have more variable bytes than a batch may.
static uint32_t limit_rows(struct parquet_reader *reader, uint32_t rows)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < reader->column_count; i++) {
        most += reader->columns[i].var_bytes;
    }
    if (most <= BATCH_BYTES_MAX) {
        return rows;
    }
    while (rows > 1 && sliced_bytes(reader, rows) > BATCH_BYTES_MAX) {
        rows /= 2;
    }
    return rows;
}

// Hands out `rows` rows of what the columns hold.
static void put_batch(struct parquet_reader *reader, uint32_t rows, struct batch *out)
{
    for (uint32_t i = 0; i < reader->column_count; i++) {
        struct parquet_out_column *column = &reader->columns[i];
        reader->batch_columns[i] = slice(reader, column, rows);
        column->from += rows;
        column->count -= rows;
    }
    *out = (struct batch){
        .row_count = rows, .column_count = reader->column_count, .columns = reader->batch_columns};
}

static enum status next_plain(struct parquet_reader *reader, struct batch *out, struct err *err)
{
    TRY(find_rows(reader, err));
    uint64_t left = reader->ranges.items[reader->range].to - reader->row;
    uint32_t rows = left < reader->options.batch_rows ? (uint32_t)left : reader->options.batch_rows;
    for (uint32_t i = 0; i < reader->column_count; i++) {
        uint32_t count = reader->columns[i].count;
        rows = count > 0 && count < rows ? count : rows;
    }
    for (uint32_t i = 0; i < reader->column_count; i++) {
        struct parquet_out_column *column = &reader->columns[i];
        if (column->count == 0) {
            TRY(fill_column(reader, column, rows, err));
            rows = column->count < rows ? column->count : rows;
        }
    }
    rows = limit_rows(reader, rows);
    put_batch(reader, rows, out);
    reader->position = reader->file->first_rows[reader->group] + reader->row;
    reader->row += rows;
    return STATUS_OK;
}

// ---- filtered rows ----

static enum status fill_selected(struct parquet_reader *reader, struct parquet_out_column *column,
                                 struct err *err)
{
    const struct parquet_selection *selection = &reader->selection;
    column->var_bytes = 0;
    for (uint32_t i = 0; i < column->leaf_count; i++) {
        struct parquet_leaf_reader *leaf = column->leaves[i];
        if (leaf->term_count == 0) {
            TRY(parquet_select_read(leaf, selection, err));
        }
        column->var_bytes += leaf->vector.var_bytes;
    }
    TRY(with_file(reader, parquet_nest_column(column, selection->count, err), err));
    column->from = 0;
    column->count = selection->count;
    return STATUS_OK;
}

static enum status next_filtered(struct parquet_reader *reader, struct batch *out, struct err *err)
{
    struct parquet_selection *selection = &reader->selection;
    while (reader->selected_at == selection->count) {
        TRY(find_rows(reader, err));
        selection->count = reader->selected_at = 0;
        TRY(parquet_filter_next(reader, reader->ranges.items[reader->range].to, err));
        for (uint32_t i = 0; i < reader->column_count && selection->count > 0; i++) {
            TRY(fill_selected(reader, &reader->columns[i], err));
        }
        uint64_t first = reader->file->first_rows[reader->group];
        for (uint32_t i = 0; i < selection->count; i++) {
            selection->positions[i] += first;
        }
    }
    uint32_t left = selection->count - reader->selected_at;
    uint32_t rows = left < reader->options.batch_rows ? left : reader->options.batch_rows;
    rows = limit_rows(reader, rows);
    put_batch(reader, rows, out);
    reader->batch_positions = selection->positions + reader->selected_at;
    reader->position = reader->batch_positions[0];
    reader->selected_at += rows;
    return STATUS_OK;
}

enum status parquet_reader_next(struct parquet_reader *reader, struct batch *out, struct err *err)
{
    arena_reset(&reader->batch_arena);
    return reader->filter_count > 0 ? next_filtered(reader, out, err)
                                    : next_plain(reader, out, err);
}

const uint64_t *parquet_reader_positions(const struct parquet_reader *reader)
{
    return reader->batch_positions;
}

uint64_t parquet_reader_position(const struct parquet_reader *reader)
{
    return reader->position;
}

bool parquet_reader_is_missing(const struct parquet_reader *reader, uint32_t at)
{
    ASSERT(at < reader->column_count);
    return reader->columns[at].output.is_missing;
}

struct parquet_reader_counters parquet_reader_counters(const struct parquet_reader *reader)
{
    return reader->counters;
}
