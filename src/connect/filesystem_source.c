// SPDX-License-Identifier: Apache-2.0
#include "connect/filesystem_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "connect/file_listing.h"
#include "connect/file_partitions.h"
#include "connect/file_rows.h"
#include "connect/listing_share.h"
#include "connect/option.h"
#include "connect/scan_columns.h"
#include "connect/scan_predicate.h"
#include "connect/split_positions.h"
#include "exec/op.h"
#include "plan/plan.h"
#include "sys/clock.h"

enum filesystem_key { FILE_PATH, FILE_NAME, FILE_SIZE, FILE_MODIFIED, FILE_KEYS };

static const struct {
    const char *key;
    const struct type *type;
} filesystem_keys[FILE_KEYS] = {
    [FILE_PATH] = {"file.path", &type_string},
    [FILE_NAME] = {"file.name", &type_string},
    [FILE_SIZE] = {"file.size", &type_bigint},
    [FILE_MODIFIED] = {"file.modification-time", &type_timestamp_ltz3},
};

const char *filesystem_source_metadata(uint32_t index, const struct type **type)
{
    if (index >= FILE_KEYS) {
        return NULL;
    }
    *type = filesystem_keys[index].type;
    return filesystem_keys[index].key;
}

// A file or a part of one, of this instance; files[i] belongs to splits.items[i] once it is begun.
struct filesystem_file {
    struct file_part part;
    struct str name; // of the split
    struct file_info info;
    struct column *partitions; // one row each, of the columns asked for
    struct file_place place;
    bool is_finished;
    struct file_rows *rows; // NULL: not open
};

struct filesystem_reader {
    struct source_reader reader;
    struct arena arena; // paths, columns
    struct arena batch; // of the batch handed out
    const struct op_context *context;
    const struct plan_node *node;
    struct str path;      // the option
    struct str null_name; // partition.default-name
    struct str table;
    int64_t monitor_ms; // 0: bounded
    int64_t next_look_us;
    int64_t limit; // rows that suffice, of all files; INT64_MAX: all
    int64_t row_count;
    struct scan_columns columns;
    const struct file_rows_class *class;
    struct file_scan scan;
    struct source_metrics metrics;
    struct file_known known;
    struct listing_share *share; // of a bounded scan
    struct file_kept kept;
    struct split_positions positions;
    VEC(struct filesystem_file) files;
    uint32_t *slots; // hash table over the files' names: index + 1
    uint32_t slot_mask;
    uint32_t begun; // files before this one are splits
    uint32_t active_count;
    uint32_t first_active; // those before it are finished
    struct column *batch_columns;
    struct batch_origin origin;
};

// Listing.

// The slot in which `name` is or would be.
static uint32_t filesystem_slot(const struct filesystem_reader *reader, struct str name)
{
    uint32_t slot = (uint32_t)hash_bytes(name.ptr, name.size, 0) & reader->slot_mask;
    while (reader->slots[slot] != 0 &&
           !str_equal(reader->files.items[reader->slots[slot] - 1].name, name)) {
        slot = (slot + 1) & reader->slot_mask;
    }
    return slot;
}

static void filesystem_add(struct filesystem_reader *reader, const struct filesystem_file *file)
{
    VEC_PUSH(&reader->files, *file);
    if (reader->files.count * 2 > reader->slot_mask) {
        mem_free(reader->slots);
        reader->slot_mask = reader->slot_mask == 0 ? 1023 : reader->slot_mask * 2 + 1;
        reader->slots = mem_zalloc((reader->slot_mask + 1) * sizeof *reader->slots);
        for (uint32_t i = 0; i + 1 < reader->files.count; i++) {
            reader->slots[filesystem_slot(reader, reader->files.items[i].name)] = i + 1;
        }
    }
    reader->slots[filesystem_slot(reader, file->name)] = reader->files.count;
    reader->reader.splits.has_pending = true;
}

static bool filesystem_owns(const struct filesystem_reader *reader, struct str path, uint32_t index)
{
    const struct op_context *context = reader->context;
    if (reader->limit != INT64_MAX) {
        return context->instance == 0; // the first rows are those of the first file
    }
    // A bounded listing is one for all instances: deal the splits out one by one. Otherwise new
    // names must not move the old ones.
    uint64_t number = reader->monitor_ms == 0 ? index : hash_bytes(path.ptr, path.size, 0);
    return number % context->parallelism == context->instance;
}

static enum status filesystem_restore(struct filesystem_reader *reader,
                                      struct filesystem_file *file, struct err *err)
{
    const struct str *position = split_positions_find(&reader->positions, file->name);
    if (position == NULL) {
        return STATUS_OK;
    }
    char text[128];
    int finished;
    snprintf(text, sizeof text, "%.*s", STR_ARGS(*position));
    if (sscanf(text, "%" SCNu64 " %" SCNu64 " %d", &file->place.offset, &file->place.line,
               &finished) != 3) {
        return ERR(err, STATUS_INVALID_DATA, "position of %.*s in the checkpoint: '%s'",
                   STR_ARGS(file->name), text);
    }
    file->is_finished = finished != 0;
    return STATUS_OK;
}

// "/data/x.parquet", or of a file in several parts "/data/x.parquet#1/4".
static struct str filesystem_split_name(struct filesystem_reader *reader,
                                        const struct file_part *part)
{
    return part->count == 1 ? part->path
                            : arena_printf(&reader->arena, "%.*s#%u/%u", STR_ARGS(part->path),
                                           part->index, part->count);
}

static struct str filesystem_split_path(struct str name)
{
    size_t at = name.size;
    while (at > 0 &&
           (name.ptr[at - 1] == '/' || (name.ptr[at - 1] >= '0' && name.ptr[at - 1] <= '9'))) {
        at--;
    }
    return at > 0 && name.ptr[at - 1] == '#' ? str_slice(name, 0, at - 1) : name;
}

static bool filesystem_is_listed(const struct file_listing *listing, struct str path)
{
    uint32_t low = 0;
    uint32_t high = listing->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = str_compare(listing->items[middle].path, path);
        if (order == 0) {
            return true;
        }
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return false;
}

// What the checkpoint was reading must still be there.
static enum status filesystem_check_gone(const struct filesystem_reader *reader,
                                         const struct file_listing *listing, struct err *err)
{
    for (uint32_t i = 0; i < reader->positions.count; i++) {
        const struct split_position *position = &reader->positions.items[i];
        bool is_there = filesystem_is_listed(listing, position->name) ||
                        filesystem_is_listed(listing, filesystem_split_path(position->name));
        if (!is_there && !str_ends(position->position, " 1")) {
            ERR(err, STATUS_NOT_FOUND, "table '%.*s': %.*s is gone, which was read up to %s %.*s",
                STR_ARGS(reader->table), STR_ARGS(position->name), reader->class->unit,
                (int)str_find(position->position, ' '), position->position.ptr);
            err_hint(err, "put the file back; --fresh starts over without it");
            return STATUS_NOT_FOUND;
        }
    }
    return STATUS_OK;
}

// Whether the predicate's terms on a partition column can hold for its one value.
static bool filesystem_may_match(const struct filesystem_reader *reader,
                                 const struct scan_partition *partition, const struct column *value)
{
    const struct predicate *predicate = reader->scan.predicate;
    bool is_null = column_is_null(value, 0);
    struct predicate_bounds bounds = {.lower = is_null ? NULL : value->values,
                                      .upper = is_null ? NULL : value->values,
                                      .value_count = 1,
                                      .null_count = is_null ? 1 : 0,
                                      .nan_count = PREDICATE_UNKNOWN};
    for (uint32_t i = 0; predicate != NULL && i < predicate->term_count; i++) {
        if (predicate->terms[i].column_id == (int32_t)partition->table_column + 1 &&
            !predicate_may_match(&predicate->terms[i], &bounds)) {
            return false;
        }
    }
    return true;
}

// The partition values of a file, in `arena`. *wanted is false where the predicate excludes them.
static enum status filesystem_partitions(struct filesystem_reader *reader, struct arena *arena,
                                         struct str path, struct column **out, bool *wanted,
                                         struct err *err)
{
    const struct scan_columns *columns = &reader->columns;
    const struct file_partition *found;
    uint32_t count;
    *wanted = true;
    *out = NULL;
    if (columns->partition_count == 0) {
        return STATUS_OK;
    }
    struct column *values = arena_new_array(arena, struct column, columns->partition_count);
    file_partitions_read(arena, path, 0, &found, &count);
    for (uint32_t i = 0; i < columns->partition_count; i++) {
        const struct scan_partition *partition = &columns->partitions[i];
        const struct file_partition *value = file_partitions_find(found, count, partition->name);
        if (value == NULL) {
            ERR(err, STATUS_INVALID_DATA, "%.*s is not in a directory '%.*s=…'", STR_ARGS(path),
                STR_ARGS(partition->name));
            err_hint(err, "the table is PARTITIONED BY that column");
            return STATUS_INVALID_DATA;
        }
        struct file_partition named = *value;
        named.is_null = named.is_null ||
                        (reader->null_name.size > 0 && str_equal(named.value, reader->null_name));
        enum status status =
            file_partitions_column(arena, &named, partition->type, &values[i], err);
        if (status != STATUS_OK) {
            err_context(err, "%.*s", STR_ARGS(path));
            return status;
        }
        *wanted = *wanted && filesystem_may_match(reader, partition, &values[i]);
    }
    *out = values;
    return STATUS_OK;
}

// Adds the splits of one file that are this instance's; `index` counts the splits of all.
// What is not kept is in reader->batch: a monitored directory is looked at for ever.
static enum status filesystem_add_file(struct filesystem_reader *reader,
                                       const struct file_listing_item *item, bool is_first,
                                       uint32_t *index, struct err *err)
{
    struct column *partitions;
    bool wanted;
    arena_reset(&reader->batch);
    TRY(filesystem_partitions(reader, &reader->batch, item->path, &partitions, &wanted, err));
    if (!wanted) {
        bool counts = is_first && reader->context->instance == 0;
        reader->metrics.files_skipped += counts ? 1 : 0;
        reader->metrics.bytes_skipped += counts ? item->info.size : 0;
        return STATUS_OK;
    }
    struct file_part part = {.path = item->path, .size = item->info.size, .count = 1};
    if (!reader->context->is_streaming) { // a stream's files are read in their order
        part.count = file_rows_parts(reader->class, &reader->scan, item->path, part.size);
    }
    bool is_copied = false;
    for (; part.index < part.count; part.index++) {
        if (!filesystem_owns(reader, part.path, (*index)++)) {
            continue;
        }
        if (!is_copied) {
            part.path = arena_str(&reader->arena, part.path);
            TRY(filesystem_partitions(reader, &reader->arena, part.path, &partitions, &wanted,
                                      err));
            is_copied = true;
        }
        struct filesystem_file file = {.part = part,
                                       .name = filesystem_split_name(reader, &part),
                                       .info = item->info,
                                       .partitions = partitions};
        TRY(filesystem_restore(reader, &file, err));
        filesystem_add(reader, &file);
    }
    return STATUS_OK;
}

static enum status filesystem_list(struct filesystem_reader *reader, struct arena *arena,
                                   struct file_listing *out, struct err *err)
{
    if (reader->monitor_ms == 0) {
        const struct file_listing *shared;
        TRY(listing_share_join(reader->node, reader->context->parallelism, reader->path,
                               &reader->share, &shared, err));
        *out = *shared;
    } else {
        TRY(file_listing_read(arena, reader->path, out, err));
    }
    if (out->count == 0 && file_listing_is_pattern(reader->path) && reader->monitor_ms == 0) {
        return ERR(err, STATUS_NOT_FOUND, "no file matches %.*s", STR_ARGS(reader->path));
    }
    return STATUS_OK;
}

static enum status filesystem_look(struct filesystem_reader *reader, bool is_first, struct err *err)
{
    struct arena arena;
    struct file_listing listing = {0};
    uint32_t index = 0;
    arena_init(&arena);
    enum status status = filesystem_list(reader, &arena, &listing, err);
    if (status == STATUS_OK && is_first) {
        status = filesystem_check_gone(reader, &listing, err);
    }
    for (uint32_t i = 0; i < listing.count && status == STATUS_OK; i++) {
        const struct file_listing_item *item = &listing.items[i];
        bool is_known = !is_first && reader->slots != NULL &&
                        reader->slots[filesystem_slot(reader, item->path)] != 0;
        if (!is_known) {
            status = filesystem_add_file(reader, item, is_first, &index, err);
        }
    }
    if (status != STATUS_OK) {
        err_context(err, "table '%.*s'", STR_ARGS(reader->table));
    }
    if (reader->share != NULL) {
        listing_share_look_done(reader->share);
    }
    arena_release(&arena);
    return status;
}

// Splits.

static void filesystem_close_rows(struct filesystem_file *file)
{
    if (file->rows != NULL) {
        file->rows->class->close(file->rows);
        file->rows = NULL;
    }
}

static void filesystem_finish(struct filesystem_reader *reader, uint32_t index)
{
    struct filesystem_file *file = &reader->files.items[index];
    filesystem_close_rows(file);
    file->is_finished = true;
    reader->active_count--;
    reader->reader.splits.items[index].state = SPLIT_FINISHED;
}

// Makes a split of the next file.
static void filesystem_begin(struct filesystem_reader *reader)
{
    const struct filesystem_file *file = &reader->files.items[reader->begun];
    struct source_splits *splits = &reader->reader.splits;
    splits->items = mem_realloc(splits->items, (splits->count + 1) * sizeof *splits->items);
    splits->items[splits->count++] =
        (struct source_split){.name = file->name,
                              .state = file->is_finished ? SPLIT_FINISHED : SPLIT_ACTIVE,
                              .caught_up_us = -1,
                              .watermark = WATERMARK_NONE};
    reader->active_count += file->is_finished ? 0 : 1;
    reader->begun++;
    splits->has_pending = reader->begun < reader->files.count;
}

static uint32_t filesystem_choose(struct filesystem_reader *reader)
{
    const struct source_splits *splits = &reader->reader.splits;
    uint32_t best = UINT32_MAX;
    while (reader->first_active < splits->count &&
           splits->items[reader->first_active].state == SPLIT_FINISHED) {
        reader->first_active++;
    }
    for (uint32_t i = reader->first_active; i < splits->count; i++) {
        if (splits->items[i].state == SPLIT_ACTIVE &&
            (best == UINT32_MAX || splits->items[i].watermark < splits->items[best].watermark)) {
            best = i;
        }
    }
    return best;
}

// Batches.

static struct column filesystem_text(struct filesystem_reader *reader, struct str text,
                                     uint32_t row_count)
{
    struct strview view = strview_make(text.ptr, text.size);
    return scan_columns_constant(&reader->batch, PHYSICAL_STRING, &view, row_count);
}

static enum status filesystem_metadata_column(struct filesystem_reader *reader,
                                              const struct filesystem_file *file,
                                              const struct scan_metadata *metadata,
                                              uint32_t row_count, struct err *err)
{
    uint32_t key = 0;
    while (key < FILE_KEYS && !str_is(metadata->key, filesystem_keys[key].key)) {
        key++;
    }
    ASSERT(key < FILE_KEYS);
    struct column column;
    int64_t number =
        key == FILE_SIZE ? (int64_t)file->info.size : file->info.modified_us / 1000 * 1000;
    if (key == FILE_PATH) {
        column = filesystem_text(reader, file->part.path, row_count);
    } else if (key == FILE_NAME) {
        const char *name = strrchr(file->part.path.ptr, '/') + 1;
        column = filesystem_text(reader, str_from(name), row_count);
    } else {
        column = scan_columns_constant(&reader->batch, PHYSICAL_I64, &number, row_count);
    }
    return scan_columns_cast(&reader->batch, metadata, filesystem_keys[key].type, &column,
                             &reader->batch_columns[metadata->column], err);
}

static enum status filesystem_batch(struct filesystem_reader *reader, uint32_t index,
                                    const struct file_batch *rows, struct batch *out,
                                    struct err *err)
{
    const struct filesystem_file *file = &reader->files.items[index];
    const struct scan_columns *columns = &reader->columns;
    for (uint32_t i = 0; i < columns->wanted_count; i++) {
        reader->batch_columns[columns->places[i]] = rows->columns[i];
    }
    for (uint32_t i = 0; i < columns->partition_count; i++) {
        if (columns->partitions[i].column != UINT32_MAX) {
            reader->batch_columns[columns->partitions[i].column] =
                column_at_row(&reader->batch, &file->partitions[i], 0, rows->row_count);
        }
    }
    for (uint32_t i = 0; i < columns->metadata_count; i++) {
        TRY(filesystem_metadata_column(reader, file, &columns->metadata[i], rows->row_count, err));
    }
    reader->origin = (struct batch_origin){
        .name = file->part.path, .unit = rows->unit, .first = rows->first, .places = rows->places};
    *out = (struct batch){.row_count = rows->row_count,
                          .column_count = columns->column_count,
                          .columns = reader->batch_columns,
                          .kinds = rows->kinds,
                          .origin = &reader->origin,
                          .split = index};
    return STATUS_OK;
}

static enum status filesystem_open_rows(struct filesystem_reader *reader,
                                        struct filesystem_file *file, struct err *err)
{
    reader->metrics.files_read += file->part.index == 0 ? 1 : 0;
    enum status status =
        reader->class->open(&reader->scan, &file->part, file->place, &file->rows, err);
    if (status != STATUS_OK) {
        err_context(err, "table '%.*s'", STR_ARGS(reader->table));
    }
    return status;
}

// The next rows of one file. AGAIN: none this time (blank lines, or it is finished).
static enum status filesystem_read(struct filesystem_reader *reader, uint32_t index,
                                   struct batch *out, struct err *err)
{
    struct filesystem_file *file = &reader->files.items[index];
    struct file_batch rows;
    enum status status = STATUS_OK;
    if (file->rows == NULL) {
        status = filesystem_open_rows(reader, file, err);
    }
    if (status == STATUS_OK) {
        status = reader->class->next(file->rows, &rows, err);
    }
    if (status == STATUS_OK) {
        status = filesystem_batch(reader, index, &rows, out, err);
    }
    if (status == STATUS_END) {
        filesystem_finish(reader, index);
        return STATUS_AGAIN;
    }
    if (status == STATUS_OK || status == STATUS_AGAIN) {
        file->place = file->rows->place;
    }
    return status;
}

static enum status filesystem_poll(struct source_reader *base, struct batch *out, struct err *err)
{
    struct filesystem_reader *reader = (struct filesystem_reader *)base;
    arena_reset(&reader->batch);
    if (reader->monitor_ms > 0) {
        int64_t now = clock_monotonic_us(reader->context->clock);
        if (now >= reader->next_look_us) {
            TRY(filesystem_look(reader, false, err));
            reader->next_look_us = now + reader->monitor_ms * 1000;
        }
    }
    for (;;) {
        while (reader->active_count < FILESYSTEM_OPEN_MAX && reader->begun < reader->files.count) {
            filesystem_begin(reader);
        }
        uint32_t index = filesystem_choose(reader);
        if (index == UINT32_MAX || reader->row_count >= reader->limit) {
            return reader->monitor_ms > 0 ? STATUS_AGAIN : STATUS_END;
        }
        enum status status = filesystem_read(reader, index, out, err);
        if (status != STATUS_AGAIN) {
            reader->row_count += status == STATUS_OK ? out->row_count : 0;
            return status;
        }
    }
}

static void filesystem_snapshot(struct source_reader *base, const struct op_context *context,
                                struct snapshot_writer *writer)
{
    struct filesystem_reader *reader = (struct filesystem_reader *)base;
    for (uint32_t i = 0; i < reader->files.count; i++) {
        const struct filesystem_file *file = &reader->files.items[i];
        char position[64];
        int size = snprintf(position, sizeof position, "%" PRIu64 " %" PRIu64 " %d",
                            file->place.offset, file->place.line, file->is_finished);
        split_positions_put(writer, context, file->name, str_make(position, (size_t)size));
    }
}

static void filesystem_metrics(struct source_reader *base, struct source_metrics *out)
{
    *out = ((struct filesystem_reader *)base)->metrics;
}

static void filesystem_close(struct source_reader *base)
{
    struct filesystem_reader *reader = (struct filesystem_reader *)base;
    for (uint32_t i = 0; i < reader->files.count; i++) {
        filesystem_close_rows(&reader->files.items[i]);
    }
    listing_share_leave(reader->share);
    if (reader->kept.file != NULL) {
        reader->kept.release(reader->kept.file);
    }
    VEC_RELEASE(&reader->files);
    mem_free(reader->slots);
    mem_free(reader->reader.splits.items);
    arena_release(&reader->batch);
    arena_release(&reader->arena);
    mem_free(reader);
}

static const struct source_reader_ops filesystem_ops = {
    .poll = filesystem_poll,
    .snapshot = filesystem_snapshot,
    .metrics = filesystem_metrics,
    .close = filesystem_close,
};

// The predicate's terms name columns and fields by scan_columns_field_id().
static int32_t find_id(const void *context, const struct table_column *column,
                       const struct str *path, uint32_t depth)
{
    const struct table_def *table = context;
    return column->kind == TABLE_COLUMN_PHYSICAL
               ? scan_columns_field_id(table, (uint32_t)(column - table->columns), path, depth)
               : 0;
}

static void filesystem_prepare(struct filesystem_reader *reader, const struct plan_node *scan,
                               const struct op_context *context)
{
    const struct table_def *table = scan->as.scan.table;
    struct str format = option_text(table, "", "format", "");
    reader->node = scan;
    reader->path = arena_str(&reader->arena, option_text(table, "", "path", ""));
    reader->null_name =
        arena_str(&reader->arena, option_text(table, "", "partition.default-name", ""));
    reader->table = arena_str(&reader->arena, table->name);
    reader->monitor_ms =
        context->is_streaming ? option_duration_ms(table, "", "source.monitor-interval", 0) : 0;
    const struct scan_predicate_ids ids = {find_id, table};
    bool has_limit = scan->as.scan.limit >= 0 && reader->monitor_ms == 0;
    reader->limit = has_limit ? scan->as.scan.limit : INT64_MAX;
    reader->class = file_rows_find(format);
    scan_columns_read(&reader->arena, scan, &reader->columns);
    reader->scan = (struct file_scan){
        .table = table,
        .columns = &reader->columns,
        .prefix = arena_printf(&reader->arena, "%.*s.", STR_ARGS(format)).ptr,
        .predicate = scan_predicate_make(&reader->arena, scan, &ids),
        .budget = context->budget,
        .batch_rows = context->batch_rows,
        .metrics = &reader->metrics,
        .known = &reader->known,
        .kept = &reader->kept,
    };
    reader->batch_columns = arena_new_array(&reader->arena, struct column, scan->column_count + 1);
    split_positions_read(&reader->arena, context, &reader->positions);
}

static enum status filesystem_open(const struct plan_node *scan, const struct op_context *context,
                                   struct source_reader **out, struct err *err)
{
    struct filesystem_reader *reader = mem_zalloc(sizeof *reader);
    reader->reader.ops = &filesystem_ops;
    reader->context = context;
    arena_init(&reader->arena);
    arena_init(&reader->batch);
    filesystem_prepare(reader, scan, context);
    enum status status = filesystem_look(reader, true, err);
    if (status != STATUS_OK) {
        filesystem_close(&reader->reader);
        return status;
    }
    reader->next_look_us = clock_monotonic_us(context->clock) + reader->monitor_ms * 1000;
    *out = &reader->reader;
    return STATUS_OK;
}

const struct source_class filesystem_source_class = {.name = "filesystem", .open = filesystem_open};
