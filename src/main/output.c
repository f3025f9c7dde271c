// SPDX-License-Identifier: Apache-2.0
#include "main/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "data/canonical_text.h"
#include "data/json_text.h"
#include "data/text.h"
#include "main/output_table.h"

enum { TEXT_MAX = 1 << 30 };

static void end_unwritten(void)
{
    if (errno != EPIPE) {
        fprintf(stderr, "frazil: write to standard output: %s\n", strerror(errno));
    }
    _exit(EXIT_FAILED);
}

static void write_all(struct str text)
{
    if (text.size > 0 && fwrite(text.ptr, 1, text.size, stdout) != text.size) {
        end_unwritten();
    }
}

static void flush(void)
{
    if (fflush(stdout) != 0) {
        end_unwritten();
    }
}

void output_write(struct str text)
{
    write_all(text);
}

static void add_escaped(struct strbuf *out, struct str text)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];
        switch (byte) {
        case '\\': strbuf_add_text(out, "\\\\"); break;
        case '\t': strbuf_add_text(out, "\\t"); break;
        case '\n': strbuf_add_text(out, "\\n"); break;
        case '\r': strbuf_add_text(out, "\\r"); break;
        default:
            if (byte < 0x20 || byte == 0x7f) {
                strbuf_printf(out, "\\u%04x", byte);
            } else {
                strbuf_add_byte(out, (char)byte);
            }
        }
    }
}

static void add_csv(struct strbuf *out, struct str text)
{
    bool quotes = text.size == 0;
    for (size_t i = 0; i < text.size && !quotes; i++) {
        quotes = strchr(",\"\r\n", text.ptr[i]) != NULL;
    }
    if (!quotes) {
        strbuf_add(out, text);
        return;
    }
    strbuf_add_byte(out, '"');
    for (size_t i = 0; i < text.size; i++) {
        if (text.ptr[i] == '"') {
            strbuf_add_byte(out, '"');
        }
        strbuf_add_byte(out, text.ptr[i]);
    }
    strbuf_add_byte(out, '"');
}

static bool separates(enum output_format format)
{
    return format == OUTPUT_TSV || format == OUTPUT_CSV || format == OUTPUT_TYPED;
}

static void add_cell(struct strbuf *out, enum output_format format, struct str text)
{
    if (format == OUTPUT_CSV) {
        add_csv(out, text);
    } else {
        add_escaped(out, text);
    }
}

static void print_header(const struct output *output)
{
    const struct result *result = output->result;
    enum output_format format = output->format;
    struct strbuf line;
    strbuf_init(&line, TEXT_MAX);
    const char *separator = format == OUTPUT_CSV ? "," : "\t";
    if (format == OUTPUT_TYPED) {
        strbuf_add_text(&line, "#names");
    }
    bool first = format != OUTPUT_TYPED;
    if (result->shows_changes) {
        strbuf_printf(&line, "%sop", first ? "" : separator);
        first = false;
    }
    for (uint32_t i = 0; i < result->column_count; i++) {
        strbuf_add_text(&line, first ? "" : separator);
        add_cell(&line, format, result->columns[i].name);
        first = false;
    }
    strbuf_add_byte(&line, '\n');
    if (format == OUTPUT_TYPED) {
        strbuf_printf(&line, "#types%s", result->shows_changes ? "\tSTRING" : "");
        for (uint32_t i = 0; i < result->column_count; i++) {
            strbuf_add_byte(&line, '\t');
            type_print(&line, result->columns[i].type);
        }
        strbuf_add_byte(&line, '\n');
    }
    write_all(strbuf_str(&line));
    strbuf_release(&line);
}

void output_begin(struct output *output, enum output_format format, const struct result *result)
{
    bool expanded = output->expanded;
    *output = (struct output){.format = format, .expanded = expanded, .result = result};
    if (separates(format)) {
        print_header(output);
    } else if (format == OUTPUT_TABLE && !result->is_text) {
        output->table = output_table_new(result, expanded);
    }
}

static void print_separated(const struct output *output, const struct batch *batch)
{
    const struct result *result = output->result;
    const struct text_options options = {.zone = result->zone};
    char separator = output->format == OUTPUT_CSV ? ',' : '\t';
    struct strbuf line;
    struct strbuf cell;
    strbuf_init(&line, TEXT_MAX);
    strbuf_init(&cell, TEXT_MAX);
    for (uint32_t row = 0; row < batch->row_count; row++) {
        size_t begin = line.size;
        if (result->shows_changes) {
            strbuf_add_text(&line, change_name(batch->kinds == NULL ? 0 : batch->kinds[row]));
        }
        for (uint32_t i = 0; i < batch->column_count; i++) {
            if (i > 0 || result->shows_changes) {
                strbuf_add_byte(&line, separator);
            }
            if (column_is_null(&batch->columns[i], row)) {
                strbuf_add_text(&line, output->format == OUTPUT_CSV ? "" : "\\N");
                continue;
            }
            strbuf_reset(&cell);
            text_value(&cell, result->columns[i].type, &batch->columns[i], row, &options);
            add_cell(&line, output->format, strbuf_str(&cell));
        }
        strbuf_add_byte(&line, '\n');
        if (output->format == OUTPUT_TYPED && line.ptr[begin] == '#') {
            write_all(str_make(line.ptr, begin));
            write_all(STR_LIT("\\"));
            write_all(str_make(line.ptr + begin, line.size - begin));
            strbuf_reset(&line);
        } else if (line.size > 1 << 16) {
            write_all(strbuf_str(&line));
            strbuf_reset(&line);
        }
    }
    write_all(strbuf_str(&line));
    strbuf_release(&line);
    strbuf_release(&cell);
}

// "name":value
static void print_member(struct strbuf *line, enum output_format format,
                         const struct result_column *what, const struct column *column,
                         uint32_t row)
{
    if (format == OUTPUT_CANONICAL) {
        canonical_text_string(line, what->name);
        strbuf_add_byte(line, ':');
        canonical_text_value(line, what->type, column, row);
    } else {
        json_text_string(line, what->name);
        strbuf_add_byte(line, ':');
        json_text_value(line, what->type, column, row, NULL);
    }
}

static void print_objects(const struct output *output, const struct batch *batch)
{
    const struct result *result = output->result;
    struct strbuf line;
    strbuf_init(&line, TEXT_MAX);
    for (uint32_t row = 0; row < batch->row_count; row++) {
        if (output->format == OUTPUT_JSON) {
            strbuf_add_text(&line, output->row_count + row == 0 ? "[" : ",\n ");
        }
        strbuf_add_byte(&line, '{');
        if (result->shows_changes) {
            strbuf_printf(&line, "\"op\":\"%s\"%s",
                          change_name(batch->kinds == NULL ? 0 : batch->kinds[row]),
                          batch->column_count > 0 ? "," : "");
        }
        for (uint32_t i = 0; i < batch->column_count; i++) {
            strbuf_add_text(&line, i > 0 ? "," : "");
            print_member(&line, output->format, &result->columns[i], &batch->columns[i], row);
        }
        strbuf_add_text(&line, output->format == OUTPUT_JSON ? "}" : "}\n");
        if (line.size > 1 << 16) {
            write_all(strbuf_str(&line));
            strbuf_reset(&line);
        }
    }
    write_all(strbuf_str(&line));
    strbuf_release(&line);
}

// Line by line, as it is.
static void print_texts(const struct batch *batch)
{
    struct strbuf text;
    strbuf_init(&text, TEXT_MAX);
    for (uint32_t row = 0; row < batch->row_count; row++) {
        text_value(&text, &type_string, &batch->columns[0], row, NULL);
        strbuf_add_text(&text, str_ends(strbuf_str(&text), "\n") ? "" : "\n");
    }
    write_all(strbuf_str(&text));
    strbuf_release(&text);
}

void output_rows(struct output *output, const struct batch *batch)
{
    if (separates(output->format)) {
        print_separated(output, batch);
    } else if (output->format == OUTPUT_TABLE && output->result->is_text) {
        print_texts(batch);
    } else if (output->format == OUTPUT_TABLE) {
        output_table_rows(output->table, batch);
    } else {
        print_objects(output, batch);
    }
    output->row_count += batch->row_count;
}

void output_flush(struct output *output)
{
    if (output->table != NULL) {
        output_table_flush(output->table);
    }
    flush();
}

void output_end(struct output *output)
{
    if (output->format == OUTPUT_TYPED) {
        write_all(STR_LIT("#end\n"));
    } else if (output->format == OUTPUT_JSON) {
        write_all(output->row_count == 0 ? STR_LIT("[]\n") : STR_LIT("]\n"));
    } else if (output->table != NULL) {
        output_table_end(output->table);
        output->table = NULL;
    }
    output_flush(output);
}

void output_done(enum output_format format)
{
    if (format == OUTPUT_TYPED) {
        write_all(STR_LIT("#ok\n"));
    }
    flush();
}

void output_notes(struct str notes)
{
    while (notes.size > 0) {
        size_t end = str_find(notes, '\n');
        fprintf(stderr, "notice: %.*s\n", STR_ARGS(str_slice(notes, 0, end)));
        notes = str_slice(notes, end < notes.size ? end + 1 : end, notes.size);
    }
}

void output_error(enum output_format format, const struct err *err)
{
    if (format != OUTPUT_TYPED) {
        return;
    }
    static const char *const stages[] = {"runtime", "parse", "validate"};
    struct strbuf line;
    strbuf_init(&line, 4096);
    strbuf_printf(&line, "#error\t%s\t", stages[err->stage]);
    add_escaped(&line, str_from(err->text));
    strbuf_add_byte(&line, '\n');
    write_all(strbuf_str(&line));
    strbuf_release(&line);
    flush();
}
