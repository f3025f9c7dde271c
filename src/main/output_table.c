// SPDX-License-Identifier: Apache-2.0
#include "main/output_table.h"

#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "data/batch.h"
#include "data/text.h"
#include "session/result.h"

enum { HELD_ROWS_MAX = 1000, CELL_MAX = 1 << 20, WIDTH_MAX = 120 };

struct output_table {
    const struct result *result;
    bool expanded;
    uint32_t column_count; // op included
    struct arena arena;    // of the held cells
    VEC(struct str) cells; // row after row
    uint32_t *widths;
    bool has_header;
    uint64_t row_count;
};

struct output_table *output_table_new(const struct result *result, bool expanded)
{
    struct output_table *table = mem_zalloc(sizeof *table);
    table->result = result;
    table->expanded = expanded;
    table->column_count = result->column_count + (result->shows_changes ? 1 : 0);
    table->widths = mem_zalloc((table->column_count + 1) * sizeof *table->widths);
    return table;
}

// Code points: wide characters count once, which is off by one column in rare cases.
static uint32_t width_of(struct str text)
{
    uint32_t width = 0;
    for (size_t i = 0; i < text.size; i++) {
        width += ((unsigned char)text.ptr[i] & 0xc0) != 0x80;
    }
    return width;
}

static struct str column_name(const struct output_table *table, uint32_t at)
{
    bool op = table->result->shows_changes;
    return op && at == 0 ? STR_LIT("op") : table->result->columns[at - (op ? 1 : 0)].name;
}

static bool is_right(const struct output_table *table, uint32_t at)
{
    bool op = table->result->shows_changes;
    return !(op && at == 0) && type_is_numeric(table->result->columns[at - (op ? 1 : 0)].type);
}

// A cell that is too long for people says so.
static struct str keep_cell(struct output_table *table, const struct strbuf *cell)
{
    struct str text = strbuf_str(cell);
    if (!cell->truncated) {
        return arena_str(&table->arena, text);
    }
    while (text.size > 0 && ((unsigned char)text.ptr[text.size - 1] & 0xc0) == 0x80) {
        text.size--; // no half characters
    }
    text.size -= text.size > 0 && ((unsigned char)text.ptr[text.size - 1] & 0xc0) == 0xc0;
    return arena_printf(&table->arena, "%.*s… (cut at 1 MiB: --format csv has all of it)",
                        STR_ARGS(text));
}

void output_table_rows(struct output_table *table, const struct batch *batch)
{
    const struct text_options options = {.zone = table->result->zone};
    struct strbuf cell;
    strbuf_init(&cell, CELL_MAX);
    for (uint32_t row = 0; row < batch->row_count; row++) {
        if (table->result->shows_changes) {
            const char *op = change_name(batch->kinds == NULL ? 0 : batch->kinds[row]);
            VEC_PUSH(&table->cells, str_from(op));
        }
        for (uint32_t i = 0; i < batch->column_count; i++) {
            strbuf_reset(&cell);
            text_value(&cell, table->result->columns[i].type, &batch->columns[i], row, &options);
            for (size_t b = 0; b < cell.size; b++) {
                if ((unsigned char)cell.ptr[b] < 0x20) {
                    cell.ptr[b] = ' ';
                }
            }
            VEC_PUSH(&table->cells, keep_cell(table, &cell));
        }
        table->row_count++;
        if (table->cells.count >= HELD_ROWS_MAX * table->column_count) {
            output_table_flush(table);
        }
    }
    strbuf_release(&cell);
}

static void add_padded(struct strbuf *out, struct str text, uint32_t width, bool right)
{
    uint32_t own = width_of(text);
    uint32_t pad = own < width ? width - own : 0;
    if (right) {
        strbuf_printf(out, "%*s", (int)pad, "");
    }
    strbuf_add(out, text);
    if (!right) {
        strbuf_printf(out, "%*s", (int)pad, "");
    }
}

static void add_header(struct output_table *table, struct strbuf *out)
{
    for (uint32_t i = 0; i < table->column_count; i++) {
        strbuf_add_text(out, i > 0 ? " | " : " ");
        add_padded(out, column_name(table, i), table->widths[i], is_right(table, i));
    }
    strbuf_add_byte(out, '\n');
    for (uint32_t i = 0; i < table->column_count; i++) {
        strbuf_add_text(out, i > 0 ? "+" : "");
        for (uint32_t dash = 0; dash < table->widths[i] + 2; dash++) {
            strbuf_add_byte(out, '-');
        }
    }
    strbuf_add_byte(out, '\n');
    table->has_header = true;
}

static void measure(struct output_table *table)
{
    for (uint32_t i = 0; i < table->column_count; i++) {
        uint32_t width = width_of(column_name(table, i));
        table->widths[i] = width > table->widths[i] ? width : table->widths[i];
    }
    for (uint32_t i = 0; i < table->cells.count; i++) {
        uint32_t width = width_of(table->cells.items[i]);
        uint32_t *widest = &table->widths[i % table->column_count];
        width = width < WIDTH_MAX ? width : WIDTH_MAX;
        *widest = width > *widest ? width : *widest;
    }
}

static void add_expanded(struct output_table *table, struct strbuf *out, uint64_t first)
{
    uint32_t width = 0;
    for (uint32_t i = 0; i < table->column_count; i++) {
        uint32_t own = width_of(column_name(table, i));
        width = own > width ? own : width;
    }
    for (uint32_t i = 0; i < table->cells.count; i++) {
        uint32_t column = i % table->column_count;
        if (column == 0) {
            strbuf_printf(out, "-[ %llu ]-\n",
                          (unsigned long long)(first + i / table->column_count + 1));
        }
        add_padded(out, column_name(table, column), width, false);
        strbuf_add_text(out, " | ");
        strbuf_add(out, table->cells.items[i]);
        strbuf_add_byte(out, '\n');
    }
}

void output_table_flush(struct output_table *table)
{
    if (table->cells.count == 0) {
        return;
    }
    struct strbuf out;
    strbuf_init(&out, (size_t)1 << 31);
    if (table->expanded) {
        add_expanded(table, &out, table->row_count - table->cells.count / table->column_count);
    } else {
        measure(table);
        if (!table->has_header) {
            add_header(table, &out);
        }
        for (uint32_t i = 0; i < table->cells.count; i++) {
            uint32_t column = i % table->column_count;
            strbuf_add_text(&out, column > 0 ? " | " : " ");
            add_padded(&out, table->cells.items[i], table->widths[column], is_right(table, column));
            if (column + 1 == table->column_count) {
                strbuf_add_byte(&out, '\n');
            }
        }
    }
    output_write(strbuf_str(&out));
    strbuf_release(&out);
    table->cells.count = 0;
    arena_reset(&table->arena);
}

void output_table_end(struct output_table *table)
{
    output_table_flush(table);
    struct strbuf out;
    strbuf_init(&out, 1 << 20);
    if (!table->has_header && !table->expanded) {
        measure(table);
        add_header(table, &out);
    }
    strbuf_printf(&out, "(%llu row%s)\n", (unsigned long long)table->row_count,
                  table->row_count == 1 ? "" : "s");
    output_write(strbuf_str(&out));
    strbuf_release(&out);
    arena_release(&table->arena);
    VEC_RELEASE(&table->cells);
    mem_free(table->widths);
    mem_free(table);
}
