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
#include "connect/file_lines.h"
#include "connect/file_listing.h"
#include "connect/option.h"
#include "connect/record_format.h"
#include "connect/scan_columns.h"
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

// A file of this instance; files[i] belongs to splits.items[i] once it is opened.
struct filesystem_file {
    struct str path; // NUL behind it
    struct file_info info;
    uint64_t offset;
    uint64_t line;
    bool is_finished;
    struct file_lines *lines; // NULL: not open
};

struct filesystem_reader {
    struct source_reader reader;
    struct arena arena; // paths, columns
    struct arena batch; // of the batch handed out
    const struct op_context *context;
    struct str path; // the option
    struct str table;
    int64_t monitor_ms; // 0: bounded
    int64_t next_look_us;
    struct scan_columns columns;
    struct record_format *format;
    struct split_positions positions;
    VEC(struct filesystem_file) files;
    uint32_t *slots; // hash table over the files' paths: index + 1
    uint32_t slot_mask;
    uint32_t started; // files before this one are splits
    uint32_t open_count;
    struct column *batch_columns;
    struct batch_origin origin;
    uint64_t places[BATCH_ROWS_MAX + 2];
};

// Listing.

// The slot in which `path` is or would be.
static uint32_t filesystem_slot(const struct filesystem_reader *reader, struct str path)
{
    uint32_t slot = (uint32_t)hash_bytes(path.ptr, path.size, 0) & reader->slot_mask;
    while (reader->slots[slot] != 0 &&
           !str_equal(reader->files.items[reader->slots[slot] - 1].path, path)) {
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
            reader->slots[filesystem_slot(reader, reader->files.items[i].path)] = i + 1;
        }
    }
    reader->slots[filesystem_slot(reader, file->path)] = reader->files.count;
    reader->reader.splits.has_pending = true;
}

static bool filesystem_owns(const struct filesystem_reader *reader, struct str path, uint32_t index)
{
    const struct op_context *context = reader->context;
    // A bounded listing is the same for all instances: deal the files out one by one. Otherwise new
    // names must not move the old ones.
    uint64_t number = reader->monitor_ms == 0 ? index : hash_bytes(path.ptr, path.size, 0);
    return number % context->parallelism == context->instance;
}

static enum status filesystem_restore(struct filesystem_reader *reader,
                                      struct filesystem_file *file, struct err *err)
{
    const struct str *position = split_positions_find(&reader->positions, file->path);
    if (position == NULL) {
        return STATUS_OK;
    }
    char text[128];
    int finished;
    snprintf(text, sizeof text, "%.*s", STR_ARGS(*position));
    if (sscanf(text, "%" SCNu64 " %" SCNu64 " %d", &file->offset, &file->line, &finished) != 3) {
        return ERR(err, STATUS_INVALID_DATA, "position of %s in the checkpoint: '%s'",
                   file->path.ptr, text);
    }
    file->is_finished = finished != 0;
    return STATUS_OK;
}

// What the checkpoint was reading must still be there.
static enum status filesystem_check_gone(const struct filesystem_reader *reader,
                                         const struct file_listing *listing, struct err *err)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < reader->positions.count; i++) {
        const struct split_position *position = &reader->positions.items[i];
        while (at < listing->count && str_compare(listing->items[at].path, position->name) < 0) {
            at++;
        }
        bool is_there = at < listing->count && str_equal(listing->items[at].path, position->name);
        if (!is_there && !str_ends(position->position, " 1")) {
            ERR(err, STATUS_NOT_FOUND, "table '%.*s': %.*s is gone, which was read up to byte %.*s",
                STR_ARGS(reader->table), STR_ARGS(position->name),
                (int)str_find(position->position, ' '), position->position.ptr);
            err_hint(err, "put the file back; --fresh starts over without it");
            return STATUS_NOT_FOUND;
        }
    }
    return STATUS_OK;
}

static enum status filesystem_look(struct filesystem_reader *reader, bool is_first, struct err *err)
{
    struct arena arena;
    struct file_listing listing = {0};
    arena_init(&arena);
    enum status status = file_listing_read(&arena, reader->path, &listing, err);
    if (status == STATUS_OK && is_first) {
        status = filesystem_check_gone(reader, &listing, err);
    }
    bool is_pattern = strpbrk(reader->path.ptr, "*?[") != NULL;
    if (status == STATUS_OK && listing.count == 0 && is_pattern && reader->monitor_ms == 0) {
        status = ERR(err, STATUS_NOT_FOUND, "no file matches %.*s", STR_ARGS(reader->path));
    }
    for (uint32_t i = 0; i < listing.count && status == STATUS_OK; i++) {
        struct str path = listing.items[i].path;
        bool is_known =
            !is_first && reader->slots != NULL && reader->slots[filesystem_slot(reader, path)] != 0;
        if (is_known || !filesystem_owns(reader, path, i)) {
            continue;
        }
        struct filesystem_file file = {.path = arena_str(&reader->arena, path),
                                       .info = listing.items[i].info};
        status = filesystem_restore(reader, &file, err);
        if (status == STATUS_OK) {
            filesystem_add(reader, &file);
        }
    }
    if (status != STATUS_OK) {
        err_context(err, "table '%.*s'", STR_ARGS(reader->table));
    }
    arena_release(&arena);
    return status;
}

// Splits.

static void filesystem_finish(struct filesystem_reader *reader, uint32_t index)
{
    struct filesystem_file *file = &reader->files.items[index];
    file_lines_close(file->lines);
    file->lines = NULL;
    file->is_finished = true;
    reader->open_count--;
    reader->reader.splits.items[index].state = SPLIT_FINISHED;
}

// Opens the next file as a split.
static enum status filesystem_start(struct filesystem_reader *reader, struct err *err)
{
    struct filesystem_file *file = &reader->files.items[reader->started];
    struct source_splits *splits = &reader->reader.splits;
    if (!file->is_finished) {
        enum status status = file_lines_open(file->path.ptr, file->offset, &file->lines, err);
        if (status != STATUS_OK) {
            err_context(err, "table '%.*s'", STR_ARGS(reader->table));
            return status;
        }
        reader->open_count++;
    }
    splits->items = mem_realloc(splits->items, (splits->count + 1) * sizeof *splits->items);
    splits->items[splits->count++] =
        (struct source_split){.name = file->path,
                              .state = file->is_finished ? SPLIT_FINISHED : SPLIT_ACTIVE,
                              .caught_up_us = -1,
                              .watermark = WATERMARK_NONE};
    reader->started++;
    splits->has_pending = reader->started < reader->files.count;
    return STATUS_OK;
}

static uint32_t filesystem_choose(const struct filesystem_reader *reader)
{
    const struct source_splits *splits = &reader->reader.splits;
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < splits->count; i++) {
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
        column = filesystem_text(reader, file->path, row_count);
    } else if (key == FILE_NAME) {
        const char *name = strrchr(file->path.ptr, '/') + 1;
        column = filesystem_text(reader, str_from(name), row_count);
    } else {
        column = scan_columns_constant(&reader->batch, PHYSICAL_I64, &number, row_count);
    }
    return scan_columns_cast(&reader->batch, metadata, filesystem_keys[key].type, &column,
                             &reader->batch_columns[metadata->column], err);
}

// Where rows came from: lines are counted from 1.
static void filesystem_origin(struct filesystem_reader *reader, const struct filesystem_file *file,
                              const struct record_rows *rows)
{
    uint32_t count = rows->row_count;
    reader->origin = (struct batch_origin){
        .name = file->path, .unit = "line", .first = file->line + rows->places[0] + 1};
    if (rows->places[count - 1] - rows->places[0] != count - 1 || rows->kinds != NULL) {
        for (uint32_t i = 0; i < count; i++) {
            reader->places[i] = file->line + rows->places[i] + 1;
        }
        reader->origin.places = reader->places;
    }
}

static enum status filesystem_batch(struct filesystem_reader *reader, uint32_t index,
                                    struct batch *out, struct err *err)
{
    const struct filesystem_file *file = &reader->files.items[index];
    const struct record_rows *rows = record_format_rows(reader->format);
    const struct scan_columns *columns = &reader->columns;
    for (uint32_t i = 0; i < columns->wanted_count; i++) {
        reader->batch_columns[columns->places[i]] = rows->columns[i];
    }
    for (uint32_t i = 0; i < columns->metadata_count; i++) {
        TRY(filesystem_metadata_column(reader, file, &columns->metadata[i], rows->row_count, err));
    }
    filesystem_origin(reader, file, rows);
    *out = (struct batch){.row_count = rows->row_count,
                          .column_count = columns->column_count,
                          .columns = reader->batch_columns,
                          .kinds = rows->kinds,
                          .origin = &reader->origin,
                          .split = index};
    return STATUS_OK;
}

// The next rows of one file. AGAIN: none this time (blank lines, or it is finished).
static enum status filesystem_read(struct filesystem_reader *reader, uint32_t index,
                                   struct batch *out, struct err *err)
{
    struct filesystem_file *file = &reader->files.items[index];
    struct str bytes;
    bool is_last;
    enum status status = file_lines_get(file->lines, &bytes, &is_last, err);
    if (status == STATUS_END) {
        filesystem_finish(reader, index);
        return STATUS_AGAIN;
    }
    if (status != STATUS_OK) {
        err_context(err, "%s", file->path.ptr);
        return status;
    }
    size_t used = 0;
    status = record_format_lines(reader->format, bytes, is_last, reader->context->batch_rows, &used,
                                 err);
    if (status != STATUS_OK) {
        err_context(err, "%s, line %" PRIu64, file->path.ptr,
                    file->line + record_format_bad_place(reader->format) + 1);
        return status;
    }
    const struct record_rows *rows = record_format_rows(reader->format);
    if (rows->row_count > 0) {
        TRY(filesystem_batch(reader, index, out, err));
    }
    file->line += rows->lines_used;
    file_lines_use(file->lines, used);
    if (used == 0) {
        file_lines_more(file->lines);
    }
    file->offset = file_lines_offset(file->lines);
    return rows->row_count > 0 ? STATUS_OK : STATUS_AGAIN;
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
        while (reader->open_count < FILESYSTEM_OPEN_MAX && reader->started < reader->files.count) {
            TRY(filesystem_start(reader, err));
        }
        uint32_t index = filesystem_choose(reader);
        if (index == UINT32_MAX) {
            return reader->monitor_ms > 0 ? STATUS_AGAIN : STATUS_END;
        }
        enum status status = filesystem_read(reader, index, out, err);
        if (status != STATUS_AGAIN) {
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
        int size = snprintf(position, sizeof position, "%" PRIu64 " %" PRIu64 " %d", file->offset,
                            file->line, file->is_finished);
        split_positions_put(writer, context, file->path, str_make(position, (size_t)size));
    }
}

static void filesystem_close(struct source_reader *base)
{
    struct filesystem_reader *reader = (struct filesystem_reader *)base;
    for (uint32_t i = 0; i < reader->files.count; i++) {
        file_lines_close(reader->files.items[i].lines);
    }
    VEC_RELEASE(&reader->files);
    mem_free(reader->slots);
    record_format_free(reader->format);
    mem_free(reader->reader.splits.items);
    arena_release(&reader->batch);
    arena_release(&reader->arena);
    mem_free(reader);
}

static const struct source_reader_ops filesystem_ops = {
    .poll = filesystem_poll,
    .snapshot = filesystem_snapshot,
    .close = filesystem_close,
};

static enum status filesystem_make_format(struct filesystem_reader *reader,
                                          const struct table_def *table, struct err *err)
{
    const struct scan_columns *columns = &reader->columns;
    struct str name = option_text(table, "", "format", "");
    struct record_format_spec spec = {
        .table = table,
        .name = name,
        .prefix = arena_printf(&reader->arena, "%.*s.", STR_ARGS(name)).ptr,
        .fields = columns->physical,
        .field_count = columns->physical_count,
        .wanted = columns->wanted,
        .wanted_count = columns->wanted_count,
    };
    return record_format_new(&spec, &reader->format, err);
}

static enum status filesystem_open(const struct plan_node *scan, const struct op_context *context,
                                   struct source_reader **out, struct err *err)
{
    const struct table_def *table = scan->as.scan.table;
    struct filesystem_reader *reader = mem_zalloc(sizeof *reader);
    reader->reader.ops = &filesystem_ops;
    reader->context = context;
    arena_init(&reader->arena);
    arena_init(&reader->batch);
    reader->path = arena_str(&reader->arena, option_text(table, "", "path", ""));
    reader->table = arena_str(&reader->arena, table->name);
    reader->monitor_ms =
        context->is_streaming ? option_duration_ms(table, "", "source.monitor-interval", 0) : 0;
    scan_columns_read(&reader->arena, scan, &reader->columns);
    reader->batch_columns = arena_new_array(&reader->arena, struct column, scan->column_count + 1);
    split_positions_read(&reader->arena, context, &reader->positions);
    enum status status = filesystem_make_format(reader, table, err);
    if (status == STATUS_OK) {
        status = filesystem_look(reader, true, err);
    }
    if (status != STATUS_OK) {
        filesystem_close(&reader->reader);
        return status;
    }
    reader->next_look_us = clock_monotonic_us(context->clock) + reader->monitor_ms * 1000;
    *out = &reader->reader;
    return STATUS_OK;
}

const struct source_class filesystem_source_class = {.name = "filesystem", .open = filesystem_open};
