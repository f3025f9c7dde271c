// SPDX-License-Identifier: Apache-2.0
//
// Rows of text files: JSON, Debezium JSON, CSV; plain, gzip, zstd. A record is a line (of CSV: one
// or more, where quotes hold line ends); JSON may also be one array of records, or records over
// several lines each, which the beginning of the file tells.
#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "codec/csv_decode.h"
#include "codec/csv_split.h"
#include "codec/json_split.h"
#include "connect/file_header.h"
#include "connect/file_lines.h"
#include "connect/file_rows.h"
#include "connect/option.h"
#include "connect/record_format.h"
#include "sys/file.h"

enum { TEXT_MESSAGES = 256 }; // records cut out at once

struct text_rows {
    struct file_rows rows;
    const struct file_scan *scan;
    struct arena arena;
    struct str path;
    struct file_lines *lines;
    struct record_format *format;
    struct file_header header; // of CSV files whose first line names the columns
    struct column *columns;    // as wanted, where the file's are others
    struct arena batch;
    struct json_split split;
    struct str messages[TEXT_MESSAGES];
    uint64_t begin; // of the part: lines are counted from here
    uint64_t end;   // records that begin here or behind are of the next part; UINT64_MAX: none is
    uint64_t last_end; // of the part's last record, where its end had to be looked for; else 0
    uint64_t places[BATCH_ROWS_MAX + 2];
};

static bool is_format(const struct file_scan *scan, const char *name)
{
    return str_is(option_text(scan->table, "", "format", ""), name);
}

// How the records of a JSON file lie.
static enum status find_layout(struct file_lines *lines, enum json_split_layout *out,
                               struct err *err)
{
    struct str head;
    bool is_last;
    *out = JSON_SPLIT_LINES;
    enum status status = file_lines_piece(lines, &head, &is_last, err);
    if (status == STATUS_OK) {
        *out = json_split_layout(head);
    }
    return status == STATUS_END ? STATUS_OK : status;
}

static enum status layout_of(const char *path, enum json_split_layout *out, struct err *err)
{
    struct file_lines *lines;
    TRY(file_lines_open(path, 0, &lines, err));
    enum status status = find_layout(lines, out, err);
    file_lines_close(lines);
    return status;
}

// A line of JSON is a record. Records of CSV are found by their quotes (csv_split.h), where quotes
// are all there is.
static bool text_has_parts(const struct file_scan *scan, const char *path)
{
    enum json_split_layout layout;
    if (is_format(scan, "csv")) {
        struct csv_decode_spec csv;
        record_format_csv_dialect(scan->table, scan->prefix, &csv);
        return csv.escape == 0 && !csv.allow_comments && !csv.ignore_parse_errors &&
               file_lines_is_plain(path);
    }
    return is_format(scan, "json") && file_lines_is_plain(path) &&
           layout_of(path, &layout, NULL) == STATUS_OK && layout == JSON_SPLIT_LINES;
}

static enum status make_format(struct text_rows *rows, struct err *err)
{
    const struct file_scan *scan = rows->scan;
    const struct file_header *header = &rows->header;
    struct record_format_spec spec = {
        .table = scan->table,
        .name = option_text(scan->table, "", "format", ""),
        .prefix = scan->prefix,
        .fields = header->is_there ? header->fields : scan->columns->physical,
        .field_count = header->is_there ? header->field_count : scan->columns->physical_count,
        .wanted = header->is_there ? header->wanted : scan->columns->wanted,
        .wanted_count = header->is_there ? header->wanted_count : scan->columns->wanted_count,
    };
    return record_format_new(&spec, &rows->format, err);
}

static void text_close(struct file_rows *base)
{
    struct text_rows *rows = (struct text_rows *)base;
    if (rows->lines != NULL) {
        rows->scan->metrics->bytes_read += file_lines_bytes(rows->lines);
    }
    *rows->scan->known = (struct file_known){.path = rows->path, .offset = rows->rows.place.offset};
    file_lines_close(rows->lines);
    record_format_free(rows->format);
    arena_release(&rows->batch);
    arena_release(&rows->arena);
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

// The same in CSV: the first record at or behind `target`, from a place where one begins.
static enum status find_record(const struct text_rows *rows, uint64_t from, uint64_t target,
                               uint64_t *start, struct err *err)
{
    enum { PIECE = 1 << 18 };
    const struct file_scan *scan = rows->scan;
    struct csv_decode_spec csv;
    struct csv_split split;
    struct file file;
    record_format_csv_dialect(scan->table, scan->prefix, &csv);
    csv_split_init(&split, csv.delimiter, csv.quote, from, target);
    TRY(file_open(rows->path.ptr, &file, err));
    char *piece = mem_alloc(PIECE);
    enum status status = STATUS_OK;
    *start = file.size;
    for (uint64_t at = from; at < file.size && status == STATUS_OK; at += PIECE) {
        size_t size = file.size - at < PIECE ? (size_t)(file.size - at) : PIECE;
        status = file_read_at(&file, at, piece, size, err);
        if (status == STATUS_OK && csv_split_pass(&split, str_make(piece, size), start)) {
            break;
        }
    }
    mem_free(piece);
    file_close(&file);
    return status;
}

// What the file's beginning says of how it is to be read.
static enum status read_beginning(struct text_rows *rows, const struct file_part *part,
                                  struct err *err)
{
    const struct file_scan *scan = rows->scan;
    enum json_split_layout layout = JSON_SPLIT_LINES;
    bool at_begin = rows->rows.place.offset == 0;
    if (is_format(scan, "csv") && option_bool(scan->table, scan->prefix, "header", false)) {
        TRY(file_header_read(&rows->arena, scan, part->path.ptr, &rows->header, err));
        rows->columns =
            arena_new_array(&rows->arena, struct column, scan->columns->wanted_count + 1);
        if (at_begin && part->index == 0) {
            rows->rows.place = rows->header.behind;
        }
    } else if (is_format(scan, "json") && part->count == 1) {
        TRY(layout_of(part->path.ptr, &layout, err));
    }
    if (at_begin) {
        json_split_init(&rows->split, layout);
    } else {
        json_split_resume(&rows->split, layout);
    }
    return STATUS_OK;
}

static enum status open_lines(struct text_rows *rows, const struct file_part *part, struct err *err)
{
    bool in_middle = part->index > 0 && rows->rows.place.offset == 0;
    rows->end = UINT64_MAX;
    if (part->count > 1) {
        rows->begin = file_part_begin(part, part->index);
        rows->end = file_part_begin(part, part->index + 1);
    }
    TRY(read_beginning(rows, part, err));
    TRY(make_format(rows, err));
    if (in_middle && is_format(rows->scan, "csv")) {
        const struct file_known *known = rows->scan->known;
        bool is_known = str_equal(known->path, part->path) && known->offset <= rows->begin;
        TRY(find_record(rows, is_known ? known->offset : 0, rows->begin, &rows->rows.place.offset,
                        err));
        in_middle = false;
    }
    TRY(file_lines_open(part->path.ptr, in_middle ? rows->begin - 1 : rows->rows.place.offset,
                        &rows->lines, err));
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
    arena_init(&rows->arena);
    arena_init(&rows->batch);
    enum status status = open_lines(rows, part, err);
    if (status != STATUS_OK) {
        text_close(&rows->rows);
        return status;
    }
    *out = &rows->rows;
    return STATUS_OK;
}

// Batches.

// Where rows came from: lines and records are counted from 1.
static void take_rows(struct text_rows *rows, const struct record_rows *from, const char *unit,
                      struct file_batch *out)
{
    uint32_t count = from->row_count;
    *out = (struct file_batch){.row_count = count,
                               .columns = from->columns,
                               .kinds = from->kinds,
                               .unit = unit,
                               .first = rows->rows.place.line + from->places[0] + 1};
    if (from->places[count - 1] - from->places[0] != count - 1 || from->kinds != NULL) {
        for (uint32_t i = 0; i < count; i++) {
            rows->places[i] = rows->rows.place.line + from->places[i] + 1;
        }
        out->places = rows->places;
    }
    if (rows->header.is_there) {
        arena_reset(&rows->batch);
        file_header_arrange(&rows->batch, &rows->header, rows->scan->columns, from, rows->columns);
        out->columns = rows->columns;
    }
}

static void say_place(const struct text_rows *rows, const char *unit, struct err *err)
{
    uint64_t number = rows->rows.place.line + record_format_bad_place(rows->format) + 1;
    if (rows->begin > 0) {
        err_context(err, "%.*s, %s %" PRIu64 " behind byte %" PRIu64, STR_ARGS(rows->path), unit,
                    number, rows->begin);
    } else {
        err_context(err, "%.*s, %s %" PRIu64, STR_ARGS(rows->path), unit, number);
    }
}

// The lines that begin in the part, of those read. Returns whether some do not.
static bool cut_lines(const struct text_rows *rows, struct str *bytes)
{
    uint64_t end_at = rows->last_end > 0 ? rows->last_end : rows->end;
    uint64_t own = end_at - file_lines_offset(rows->lines);
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

static enum status next_lines(struct text_rows *rows, struct file_batch *out, struct err *err)
{
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
        say_place(rows, "line", err);
        return status;
    }
    const struct record_rows *records = record_format_rows(rows->format);
    if (records->row_count > 0) {
        take_rows(rows, records, "line", out);
    }
    rows->rows.place.line += records->lines_used;
    file_lines_use(rows->lines, used);
    bool is_csv = is_format(rows->scan, "csv");
    if (used == 0 && is_cut && !is_csv) {
        return STATUS_END; // blank lines
    }
    if (used == 0 && is_cut) { // quotes hold the line end: the record goes on behind it
        TRY(find_record(rows, rows->rows.place.offset, rows->end, &rows->last_end, err));
    } else if (used == 0) {
        file_lines_more(rows->lines);
    }
    rows->rows.place.offset = file_lines_offset(rows->lines);
    return records->row_count > 0 ? STATUS_OK : STATUS_AGAIN;
}

// Of `count` records cut out of `bytes`, as many as make a batch.
static enum status decode_messages(struct text_rows *rows, uint32_t count, struct file_batch *out,
                                   uint32_t *used, struct err *err)
{
    uint32_t most = rows->scan->batch_rows;
    enum status status =
        record_format_messages(rows->format, rows->messages, count, most, used, err);
    if (status != STATUS_OK) {
        say_place(rows, "record", err);
        return status;
    }
    const struct record_rows *records = record_format_rows(rows->format);
    if (records->row_count > 0) {
        take_rows(rows, records, "record", out);
    }
    rows->rows.place.line += *used;
    return STATUS_OK;
}

static enum status next_records(struct text_rows *rows, struct file_batch *out, struct err *err)
{
    struct str bytes;
    bool is_last;
    uint32_t count = TEXT_MESSAGES;
    size_t passed = 0;
    struct json_split before = rows->split;
    enum status status = file_lines_piece(rows->lines, &bytes, &is_last, err);
    if (status == STATUS_OK) {
        status =
            json_split_next(&rows->split, bytes, is_last, rows->messages, &count, &passed, err);
    } else if (status == STATUS_END) {
        enum status end = json_split_finish(&rows->split, err);
        status = end == STATUS_OK ? STATUS_END : end;
    }
    if (status != STATUS_OK) {
        if (status != STATUS_END) {
            err_context(err, "%.*s, record %" PRIu64, STR_ARGS(rows->path),
                        rows->rows.place.line + 1);
        }
        return status;
    }
    uint32_t used = 0;
    if (count > 0) {
        TRY(decode_messages(rows, count, out, &used, err));
    }
    if (used < count) { // the rest is cut out again
        const struct str *last = &rows->messages[used > 0 ? used - 1 : 0];
        passed = used > 0 ? (size_t)(last->ptr + last->size - bytes.ptr) : 0;
        rows->split = before;
        if (used > 0) {
            json_split_resume(&rows->split, before.layout);
        }
    }
    file_lines_use(rows->lines, passed);
    if (passed == 0) {
        file_lines_more(rows->lines);
    }
    rows->rows.place.offset = file_lines_offset(rows->lines);
    return used > 0 && record_format_rows(rows->format)->row_count > 0 ? STATUS_OK : STATUS_AGAIN;
}

static enum status text_next(struct file_rows *base, struct file_batch *out, struct err *err)
{
    struct text_rows *rows = (struct text_rows *)base;
    return rows->split.layout == JSON_SPLIT_LINES ? next_lines(rows, out, err)
                                                  : next_records(rows, out, err);
}

const struct file_rows_class file_rows_text = {
    .unit = "byte",
    .has_parts = text_has_parts,
    .open = text_open,
    .next = text_next,
    .close = text_close,
};
