// SPDX-License-Identifier: Apache-2.0
//
// Rows of Parquet files. Columns are found by name; what a file lacks is NULL. Row groups and pages
// that the predicate excludes are not read; a scan without columns reads the footer only.
#include <inttypes.h>

#include "base/arena.h"
#include "base/mem.h"
#include "codec/parquet_reader.h"
#include "connect/file_rows.h"
#include "store/store_file.h"

// An open file with its footer, which all parts of it share.
struct parquet_shared {
    uint32_t users;
    struct arena arena;
    struct str path;
    uint64_t size;
    struct store *store;
    struct store_reader *source;
    struct parquet_file *file;
};

struct parquet_rows {
    struct file_rows rows;
    struct arena arena;
    const struct file_scan *scan;
    struct parquet_shared *shared;
    struct parquet_file *file; // of `shared`
    struct parquet_reader *reader;
    uint64_t part_bytes;
    struct arena batch_arena;
    struct batch batch;
};

static void shared_release(void *file)
{
    struct parquet_shared *shared = file;
    if (shared != NULL && --shared->users == 0) {
        parquet_file_free(shared->file);
        store_reader_close(shared->source);
        store_free(shared->store);
        arena_release(&shared->arena);
        mem_free(shared);
    }
}

static enum status shared_open(struct parquet_shared *shared, const struct file_part *part,
                               struct budget *budget, struct err *err)
{
    struct parquet_file_options options = {.budget = budget};
    shared->users = 1;
    shared->path = arena_str(&shared->arena, part->path);
    shared->size = part->size;
    shared->store = store_file_new("");
    TRY(store_open(shared->store, part->path, &shared->source, err));
    return parquet_file_open(&shared->source->source, &options, &shared->file, err);
}

// The file of a part: the one that is kept, or another one, which is kept then.
static enum status shared_find(const struct file_scan *scan, const struct file_part *part,
                               struct parquet_shared **out, struct err *err)
{
    struct file_kept *kept = scan->kept;
    struct parquet_shared *shared = kept->file;
    if (shared == NULL || shared->size != part->size || !str_equal(shared->path, part->path)) {
        shared = mem_zalloc(sizeof *shared);
        arena_init(&shared->arena);
        enum status status = shared_open(shared, part, scan->budget, err);
        if (status != STATUS_OK) {
            shared_release(shared);
            return status;
        }
        shared_release(kept->file);
        *kept = (struct file_kept){shared, shared_release};
    }
    shared->users++;
    *out = shared;
    return STATUS_OK;
}

static bool parquet_has_parts(const struct file_scan *scan, const char *path)
{
    (void)scan;
    (void)path;
    return true;
}

// Gives the fields within a ROW the ids that the predicate's terms have.
static const struct parquet_field *number_fields(struct parquet_rows *rows, uint32_t column,
                                                 const struct parquet_field *parent,
                                                 struct str *path, uint32_t depth)
{
    struct parquet_field *fields =
        arena_copy(&rows->arena, parent->children, parent->child_count * sizeof *fields);
    for (uint32_t i = 0; depth < PARQUET_DEPTH_MAX && i < parent->child_count; i++) {
        path[depth] = fields[i].name;
        fields[i].id = scan_columns_field_id(rows->scan->table, column, path, depth + 1);
        if (fields[i].type->kind == TYPE_ROW) {
            fields[i].children = number_fields(rows, column, &fields[i], path, depth + 1);
        }
    }
    return fields;
}

// The fields wanted, with ids.
static const struct parquet_field *wanted_fields(struct parquet_rows *rows)
{
    const struct scan_columns *columns = rows->scan->columns;
    struct str path[PARQUET_DEPTH_MAX];
    struct type_field *types =
        arena_new_array(&rows->arena, struct type_field, columns->wanted_count + 1);
    for (uint32_t i = 0; i < columns->wanted_count; i++) {
        types[i] = columns->physical[columns->wanted[i]];
    }
    const struct type *row = type_row(&rows->arena, types, columns->wanted_count, false);
    struct parquet_field *fields =
        arena_copy(&rows->arena, parquet_schema_fields(&rows->arena, row, NULL),
                   columns->wanted_count * sizeof *fields);
    for (uint32_t i = 0; i < columns->wanted_count; i++) {
        uint32_t column = columns->table_columns[columns->wanted[i]];
        fields[i].id = scan_columns_field_id(rows->scan->table, column, path, 0);
        fields[i].required = false;
        if (fields[i].type->kind == TYPE_ROW) {
            fields[i].children = number_fields(rows, column, &fields[i], path, 0);
        }
    }
    return fields;
}

// Row groups belong to the part in which they begin (one that stands before its predecessor, with
// that one). Those behind which a former reader was are left out as well.
static void choose_groups(struct parquet_rows *rows, const struct file_part *part, uint32_t *first,
                          uint32_t *count)
{
    uint64_t begin = part->index == 0 ? 0 : file_part_begin(part, part->index);
    uint64_t end =
        part->index + 1 == part->count ? UINT64_MAX : file_part_begin(part, part->index + 1);
    uint32_t group_count = parquet_file_row_groups(rows->file);
    uint64_t offset = 0;
    *first = *count = 0;
    for (uint32_t i = 0; i < group_count; i++) {
        struct parquet_row_group_info group = parquet_file_row_group(rows->file, i);
        bool is_known = group.first_row + group.row_count <= rows->rows.place.offset;
        offset = group.offset > offset ? group.offset : offset;
        if (offset < begin || offset >= end) {
            continue;
        }
        rows->part_bytes += group.bytes;
        if (!is_known) {
            *first = *count == 0 ? i : *first;
            ++*count;
        }
    }
}

static enum status open_reader(struct parquet_rows *rows, const struct file_part *part,
                               struct err *err)
{
    const struct file_scan *scan = rows->scan;
    TRY(shared_find(scan, part, &rows->shared, err));
    rows->file = rows->shared->file;
    struct parquet_reader_options options = {.fields = wanted_fields(rows),
                                             .field_count = scan->columns->wanted_count,
                                             .by_name = true,
                                             .predicate = scan->predicate,
                                             .filter = true,
                                             .batch_rows = scan->batch_rows,
                                             .budget = scan->budget};
    choose_groups(rows, part, &options.row_group_first, &options.row_group_count);
    return parquet_reader_new(rows->file, &options, &rows->reader, err);
}

static void parquet_close(struct file_rows *base)
{
    struct parquet_rows *rows = (struct parquet_rows *)base;
    struct source_metrics *metrics = rows->scan->metrics;
    uint64_t read = 0;
    if (rows->reader != NULL) {
        struct parquet_reader_counters counters = parquet_reader_counters(rows->reader);
        metrics->row_groups_read += counters.row_groups_read;
        metrics->row_groups_skipped += counters.row_groups_pruned;
        metrics->pages_read += counters.pages_read;
        metrics->pages_skipped += counters.pages_pruned;
        read = counters.bytes_read;
    }
    metrics->bytes_read += read;
    metrics->bytes_skipped += rows->part_bytes > read ? rows->part_bytes - read : 0;
    parquet_reader_free(rows->reader);
    shared_release(rows->shared);
    arena_release(&rows->batch_arena);
    arena_release(&rows->arena);
    mem_free(rows);
}

static enum status parquet_open(const struct file_scan *scan, const struct file_part *part,
                                struct file_place place, struct file_rows **out, struct err *err)
{
    struct parquet_rows *rows = mem_zalloc(sizeof *rows);
    rows->rows = (struct file_rows){.class = &file_rows_parquet, .place = place};
    rows->scan = scan;
    arena_init(&rows->arena);
    arena_init(&rows->batch_arena);
    enum status status = open_reader(rows, part, err);
    if (status != STATUS_OK) {
        parquet_close(&rows->rows);
        return status;
    }
    *out = &rows->rows;
    return STATUS_OK;
}

// Rows that do not follow each other: those in front of the place were handed out before.
static enum status take_places(struct parquet_rows *rows, const uint64_t *places,
                               struct file_batch *out)
{
    struct batch *batch = &rows->batch;
    uint32_t known = 0;
    while (known < batch->row_count && places[known] < rows->rows.place.offset) {
        known++;
    }
    if (known == batch->row_count) {
        return STATUS_AGAIN;
    }
    rows->rows.place.offset = places[batch->row_count - 1] + 1;
    if (known > 0) {
        arena_reset(&rows->batch_arena);
        *batch = batch_slice(&rows->batch_arena, batch, known, batch->row_count - known);
    }
    *out = (struct file_batch){.row_count = batch->row_count,
                               .columns = batch->columns,
                               .unit = "row",
                               .first = places[known],
                               .places = places + known};
    return STATUS_OK;
}

static enum status parquet_next(struct file_rows *base, struct file_batch *out, struct err *err)
{
    struct parquet_rows *rows = (struct parquet_rows *)base;
    TRY(parquet_reader_next(rows->reader, &rows->batch, err));
    const uint64_t *places = parquet_reader_positions(rows->reader);
    if (places != NULL) {
        return take_places(rows, places, out);
    }
    return file_rows_take(base, &rows->batch_arena, &rows->batch,
                          parquet_reader_position(rows->reader), out);
}

const struct file_rows_class file_rows_parquet = {
    .unit = "row",
    .has_parts = parquet_has_parts,
    .open = parquet_open,
    .next = parquet_next,
    .close = parquet_close,
};
