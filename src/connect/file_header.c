// SPDX-License-Identifier: Apache-2.0
#include "connect/file_header.h"

#include "base/arena.h"
#include "base/vec.h"
#include "codec/csv_decode.h"
#include "codec/infer.h"
#include "connect/file_lines.h"
#include "connect/record_format.h"
#include "data/column_builder.h"

struct header_names {
    VEC(struct str) items;
};

// The fields of the record that `bytes` are, copied. False: it goes on behind them.
static bool read_names(struct arena *arena, const struct csv_decode_spec *csv, struct str bytes,
                       struct header_names *out)
{
    char *text = arena_alloc(arena, bytes.size + 1);
    size_t begin = 0; // of the name in `text`
    size_t size = 0;
    bool in_quotes = false;
    out->items.count = 0;
    for (size_t at = 0; at < bytes.size; at++) {
        char byte = bytes.ptr[at];
        bool is_quote = csv->quote != 0 && byte == csv->quote;
        bool at_field = at == 0 || bytes.ptr[at - 1] == csv->delimiter;
        if (is_quote && in_quotes && at + 1 < bytes.size && bytes.ptr[at + 1] == csv->quote) {
            text[size++] = byte; // written twice
            at++;
        } else if (is_quote && (in_quotes || at_field)) {
            in_quotes = !in_quotes;
        } else if (!in_quotes && byte == csv->delimiter) {
            VEC_PUSH(&out->items, str_make(text + begin, size - begin));
            begin = size;
        } else {
            text[size++] = byte;
        }
    }
    if (in_quotes) {
        return false;
    }
    while (size > begin && (text[size - 1] == '\n' || text[size - 1] == '\r')) {
        size--;
    }
    VEC_PUSH(&out->items, str_make(text + begin, size - begin));
    return true;
}

// The first record of `bytes`: a line, or more where quotes hold line ends. False: it has not
// ended.
static bool read_record(struct arena *arena, const struct csv_decode_spec *csv, struct str bytes,
                        struct header_names *out, struct file_place *behind)
{
    size_t end = 0;
    uint64_t lines = 0;
    while (end < bytes.size) {
        size_t line = str_find(str_slice(bytes, end, bytes.size), '\n');
        end = end + line < bytes.size ? end + line + 1 : bytes.size;
        lines++;
        if (read_names(arena, csv, str_slice(bytes, 0, end), out)) {
            behind->offset += end;
            behind->line = lines;
            return true;
        }
    }
    return false;
}

static enum status read_first(struct arena *arena, const struct csv_decode_spec *csv,
                              const char *path, struct header_names *out, struct file_place *behind,
                              struct err *err)
{
    struct file_lines *lines;
    struct str bytes;
    bool is_last = false;
    bool is_whole = false;
    TRY(file_lines_open(path, 0, &lines, err));
    enum status status = STATUS_OK;
    while (status == STATUS_OK && !is_whole) {
        status = file_lines_get(lines, &bytes, &is_last, err);
        if (status != STATUS_OK) {
            break;
        }
        *behind = (struct file_place){.offset = file_lines_offset(lines)};
        is_whole = read_record(arena, csv, bytes, out, behind);
        if (!is_whole && is_last) {
            status = ERR(err, STATUS_INVALID_DATA, "the header's quotes do not end");
        }
        file_lines_more(lines);
    }
    file_lines_close(lines);
    return status == STATUS_END ? STATUS_OK : status; // an empty file has no columns and no rows
}

static void map_names(struct arena *arena, const struct scan_columns *columns,
                      const struct header_names *names, struct file_header *out)
{
    struct type_field *fields = arena_new_array(arena, struct type_field, names->items.count + 1);
    uint32_t *wanted = arena_new_array(arena, uint32_t, columns->wanted_count + 1);
    uint32_t *places = arena_new_array(arena, uint32_t, columns->wanted_count + 1);
    infer_header_names(arena, names->items.items, names->items.count);
    for (uint32_t i = 0; i < names->items.count; i++) {
        fields[i] = (struct type_field){.name = names->items.items[i], .type = &type_string};
    }
    for (uint32_t i = 0; i < columns->wanted_count; i++) {
        const struct type_field *column = &columns->physical[columns->wanted[i]];
        places[i] = UINT32_MAX;
        for (uint32_t k = 0; k < names->items.count; k++) {
            if (!str_equal(fields[k].name, column->name)) {
                continue;
            }
            fields[k].type = column->type;
            places[i] = out->wanted_count;
            wanted[out->wanted_count++] = k;
        }
    }
    out->fields = fields;
    out->field_count = names->items.count;
    out->wanted = wanted;
    out->places = places;
}

enum status file_header_read(struct arena *arena, const struct file_scan *scan, const char *path,
                             struct file_header *out, struct err *err)
{
    struct header_names names = {0};
    struct csv_decode_spec csv;
    *out = (struct file_header){.is_there = true};
    record_format_csv_dialect(scan->table, scan->prefix, &csv);
    enum status status = read_first(arena, &csv, path, &names, &out->behind, err);
    if (status == STATUS_OK) {
        map_names(arena, scan->columns, &names, out);
    } else {
        err_context(err, "%s, line 1", path);
    }
    VEC_RELEASE(&names.items);
    return status;
}

void file_header_arrange(struct arena *arena, const struct file_header *header,
                         const struct scan_columns *columns, const struct record_rows *rows,
                         struct column *out)
{
    for (uint32_t i = 0; i < columns->wanted_count; i++) {
        const struct type *type = columns->physical[columns->wanted[i]].type;
        out[i] = header->places[i] == UINT32_MAX
                     ? column_builder_all_null(arena, type, rows->row_count)
                     : rows->columns[header->places[i]];
    }
}
