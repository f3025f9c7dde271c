// SPDX-License-Identifier: Apache-2.0
//
// Rows of text files: lines of JSON, Debezium JSON, CSV; plain, gzip, zstd.
#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "connect/file_lines.h"
#include "connect/file_rows.h"
#include "connect/option.h"
#include "connect/record_format.h"

struct text_rows {
    struct file_rows rows;
    const struct file_scan *scan;
    struct str path;
    struct file_lines *lines;
    struct record_format *format;
    uint64_t begin; // of the part: lines are counted from here
    uint64_t end;   // records that begin here or behind are of the next part; UINT64_MAX: none is
    uint64_t places[BATCH_ROWS_MAX + 2];
};

static bool text_has_parts(const struct file_scan *scan, const char *path)
{
    // A line of JSON is a record. Whether a line end of CSV is within quotes only shows from the
    // beginning.
    return str_is(option_text(scan->table, "", "format", ""), "json") && file_lines_is_plain(path);
}

static enum status make_format(struct text_rows *rows, struct err *err)
{
    const struct file_scan *scan = rows->scan;
    struct record_format_spec spec = {
        .table = scan->table,
        .name = option_text(scan->table, "", "format", ""),
        .prefix = scan->prefix,
        .fields = scan->columns->physical,
        .field_count = scan->columns->physical_count,
        .wanted = scan->columns->wanted,
        .wanted_count = scan->columns->wanted_count,
    };
    return record_format_new(&spec, &rows->format, err);
}

static void text_close(struct file_rows *base)
{
    struct text_rows *rows = (struct text_rows *)base;
    if (rows->lines != NULL) {
        rows->scan->metrics->bytes_read += file_lines_bytes(rows->lines);
    }
    file_lines_close(rows->lines);
    record_format_free(rows->format);
    mem_free(rows);
}

// To the first line that begins in the part: the one before it may reach into it.
static enum status skip_line(struct text_rows *rows, struct err *err)
{
    struct str bytes;
    bool is_last;
    enum status status = file_lines_get(rows->lines, &bytes, &is_last, err);
    if (status == STATUS_END) {
        return STATUS_OK;
    }
    TRY(status);
    size_t line = str_find(bytes, '\n');
    file_lines_use(rows->lines, line < bytes.size ? line + 1 : bytes.size);
    rows->rows.place.offset = file_lines_offset(rows->lines);
    return STATUS_OK;
}

static enum status open_lines(struct text_rows *rows, const struct file_part *part, struct err *err)
{
    uint64_t offset = rows->rows.place.offset;
    bool in_middle = part->index > 0 && offset == 0;
    rows->end = UINT64_MAX;
    if (part->count > 1) {
        rows->begin = file_part_begin(part, part->index);
        rows->end = file_part_begin(part, part->index + 1);
    }
    TRY(make_format(rows, err));
    TRY(file_lines_open(part->path.ptr, in_middle ? rows->begin - 1 : offset, &rows->lines, err));
    if (!in_middle) {
        return STATUS_OK;
    }
    enum status status = skip_line(rows, err);
    if (status != STATUS_OK) {
        err_context(err, "%s", part->path.ptr);
    }
    return status;
}

static enum status text_open(const struct file_scan *scan, const struct file_part *part,
                             struct file_place place, struct file_rows **out, struct err *err)
{
    struct text_rows *rows = mem_zalloc(sizeof *rows);
    rows->rows = (struct file_rows){.class = &file_rows_text, .place = place};
    rows->scan = scan;
    rows->path = part->path;
    enum status status = open_lines(rows, part, err);
    if (status != STATUS_OK) {
        text_close(&rows->rows);
        return status;
    }
    *out = &rows->rows;
    return STATUS_OK;
}

// The lines that begin in the part, of those read. Returns whether some do not.
static bool cut_lines(const struct text_rows *rows, struct str *bytes)
{
    uint64_t own = rows->end - file_lines_offset(rows->lines);
    if (rows->end == UINT64_MAX || own >= bytes->size) {
        return false;
    }
    const char *end = memchr(bytes->ptr + own - 1, '\n', bytes->size - (size_t)own + 1);
    if (end == NULL) {
        return false;
    }
    bytes->size = (size_t)(end + 1 - bytes->ptr);
    return true;
}

// Where rows came from: lines are counted from 1.
static void take_rows(struct text_rows *rows, const struct record_rows *from,
                      struct file_batch *out)
{
    uint32_t count = from->row_count;
    *out = (struct file_batch){.row_count = count,
                               .columns = from->columns,
                               .kinds = from->kinds,
                               .first = rows->rows.place.line + from->places[0] + 1};
    if (from->places[count - 1] - from->places[0] != count - 1 || from->kinds != NULL) {
        for (uint32_t i = 0; i < count; i++) {
            rows->places[i] = rows->rows.place.line + from->places[i] + 1;
        }
        out->places = rows->places;
    }
}

static void say_place(const struct text_rows *rows, struct err *err)
{
    uint64_t line = rows->rows.place.line + record_format_bad_place(rows->format) + 1;
    if (rows->begin > 0) {
        err_context(err, "%.*s, line %" PRIu64 " behind byte %" PRIu64, STR_ARGS(rows->path), line,
                    rows->begin);
    } else {
        err_context(err, "%.*s, line %" PRIu64, STR_ARGS(rows->path), line);
    }
}

static enum status text_next(struct file_rows *base, struct file_batch *out, struct err *err)
{
    struct text_rows *rows = (struct text_rows *)base;
    struct str bytes;
    bool is_last;
    if (rows->rows.place.offset >= rows->end) {
        return STATUS_END;
    }
    enum status status = file_lines_get(rows->lines, &bytes, &is_last, err);
    if (status != STATUS_OK) {
        if (status != STATUS_END) {
            err_context(err, "%.*s", STR_ARGS(rows->path));
        }
        return status;
    }
    size_t used = 0;
    bool is_cut = cut_lines(rows, &bytes);
    is_last = is_last && !is_cut;
    status = record_format_lines(rows->format, bytes, is_last, rows->scan->batch_rows, &used, err);
    if (status != STATUS_OK) {
        say_place(rows, err);
        return status;
    }
    const struct record_rows *records = record_format_rows(rows->format);
    if (records->row_count > 0) {
        take_rows(rows, records, out);
    }
    rows->rows.place.line += records->lines_used;
    file_lines_use(rows->lines, used);
    if (used == 0 && is_cut) {
        return STATUS_END; // blank lines
    }
    if (used == 0) {
        file_lines_more(rows->lines);
    }
    rows->rows.place.offset = file_lines_offset(rows->lines);
    return records->row_count > 0 ? STATUS_OK : STATUS_AGAIN;
}

const struct file_rows_class file_rows_text = {
    .unit = "line",
    .has_parts = text_has_parts,
    .open = text_open,
    .next = text_next,
    .close = text_close,
};
