// SPDX-License-Identifier: Apache-2.0
#include "sim/sim_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

enum { LINE_MAX_SIZE = 4096 };

void sim_rows_init(struct sim_rows *rows)
{
    *rows = (struct sim_rows){0};
    arena_init(&rows->arena);
}

void sim_rows_release(struct sim_rows *rows)
{
    VEC_RELEASE(&rows->lines);
    arena_release(&rows->arena);
}

void sim_rows_add(struct sim_rows *rows, struct str line)
{
    VEC_PUSH(&rows->lines, arena_str(&rows->arena, line));
}

void sim_rows_printf(struct sim_rows *rows, const char *format, ...)
{
    struct strbuf line;
    va_list args;
    strbuf_init(&line, LINE_MAX_SIZE);
    va_start(args, format);
    strbuf_vprintf(&line, format, args);
    va_end(args);
    sim_rows_add(rows, strbuf_str(&line));
    strbuf_release(&line);
}

static void print_value(struct strbuf *out, const struct column *column, uint32_t row)
{
    if (column_is_null(column, row)) {
        strbuf_add_byte(out, '~');
        return;
    }
    const void *value = column_value(column, row);
    switch (column->physical) {
    case PHYSICAL_I32: strbuf_printf(out, "%" PRId32, *(const int32_t *)value); break;
    case PHYSICAL_I64: strbuf_printf(out, "%" PRId64, *(const int64_t *)value); break;
    case PHYSICAL_I128: {
        int128 number;
        memcpy(&number, value, sizeof number);
        strbuf_printf(out, "%" PRId64, (int64_t)number); // sums here are far below 2^63
        break;
    }
    case PHYSICAL_STRING: strbuf_add(out, strview_str(value)); break;
    case PHYSICAL_BOOL:
    case PHYSICAL_I8:
    case PHYSICAL_I16:
    case PHYSICAL_F32:
    case PHYSICAL_F64:
    case PHYSICAL_NANO:
    case PHYSICAL_LIST:
    case PHYSICAL_MAP:
    case PHYSICAL_ROW: UNREACHABLE("no column of the simulator has this form");
    }
}

void sim_rows_print(struct strbuf *out, const struct batch *batch, uint32_t row)
{
    for (uint32_t i = 0; i < batch->column_count; i++) {
        strbuf_add_text(out, i == 0 ? "" : "|");
        print_value(out, &batch->columns[i], row);
    }
}

void sim_rows_add_batch(struct sim_rows *rows, const struct batch *batch)
{
    struct strbuf line;
    strbuf_init(&line, LINE_MAX_SIZE);
    for (uint32_t row = 0; row < batch->row_count; row++) {
        strbuf_reset(&line);
        sim_rows_print(&line, batch, row);
        sim_rows_add(rows, strbuf_str(&line));
    }
    strbuf_release(&line);
}

static int compare(const void *a, const void *b)
{
    return str_compare(*(const struct str *)a, *(const struct str *)b);
}

void sim_rows_sort(struct sim_rows *rows)
{
    if (rows->lines.count > 0) {
        qsort(rows->lines.items, rows->lines.count, sizeof *rows->lines.items, compare);
    }
}

bool sim_rows_remove(struct sim_rows *rows, struct str line)
{
    for (uint32_t i = 0; i < rows->lines.count; i++) {
        if (str_equal(rows->lines.items[i], line)) {
            rows->lines.items[i] = rows->lines.items[--rows->lines.count];
            return true;
        }
    }
    return false;
}

bool sim_rows_differ(const struct sim_rows *expected, const struct sim_rows *actual,
                     struct strbuf *out)
{
    uint32_t missing = 0;
    uint32_t extra = 0;
    uint32_t e = 0;
    uint32_t a = 0;
    while (e < expected->lines.count || a < actual->lines.count) {
        int order = e == expected->lines.count ? 1
                    : a == actual->lines.count ? -1
                                               : str_compare(expected->lines.items[e],
                                                             actual->lines.items[a]);
        if (order == 0) {
            e++;
            a++;
            continue;
        }
        if (missing + extra < 3) {
            struct str line = order < 0 ? expected->lines.items[e] : actual->lines.items[a];
            strbuf_printf(out, "%s %.*s; ", order < 0 ? "missing" : "too much", STR_ARGS(line));
        }
        missing += order < 0;
        extra += order > 0;
        e += order < 0;
        a += order > 0;
    }
    if (missing + extra > 0) {
        strbuf_printf(out, "%u missing, %u too much of %u", missing, extra,
                      expected->lines.count);
    }
    return missing + extra > 0;
}
