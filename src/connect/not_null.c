// SPDX-License-Identifier: Apache-2.0
#include "connect/not_null.h"

#include <string.h>

#include "base/arena.h"
#include "plan/plan.h"

// The first null row of a column; row_count where there is none.
static uint32_t not_null_first(const struct column *column)
{
    for (uint32_t word = 0; word < bits_words(column->row_count); word++) {
        uint64_t nulls = ~column_valid_word(column, word);
        if (nulls != 0) {
            uint32_t row = word * 64 + (uint32_t)__builtin_ctzll(nulls);
            return row < column->row_count ? row : column->row_count;
        }
    }
    return column->row_count;
}

static enum status not_null_error(const struct plan_node *sink, uint32_t column,
                                  const struct batch *in, uint32_t row, struct err *err)
{
    const struct table_def *table = sink->as.sink.table;
    struct str name = table->columns[sink->as.sink.table_columns[column]].name;
    const struct batch_origin *origin = in->origin;
    ERR(err, STATUS_INVALID_DATA, "NULL for column '%.*s' of '%.*s', which is NOT NULL",
        STR_ARGS(name), STR_ARGS(table->name));
    if (origin != NULL) {
        unsigned long long place =
            origin->places != NULL ? origin->places[row] : origin->first + row;
        err_context(err, "%.*s, %s %llu", STR_ARGS(origin->name), origin->unit, place);
    }
    err_hint(err, "SET 'table.exec.sink.not-null-enforcer' = 'DROP' leaves such rows out");
    return STATUS_INVALID_DATA;
}

// Clears the bits of null rows.
static void not_null_keep(const struct column *column, uint64_t *keep)
{
    for (uint32_t word = 0; word < bits_words(column->row_count); word++) {
        keep[word] &= column_valid_word(column, word);
    }
}

enum status not_null_apply(const struct plan_node *sink, struct arena *arena,
                           const struct batch *in, struct batch *out, struct err *err)
{
    const struct plan_sink *spec = &sink->as.sink;
    uint64_t keep[BATCH_WORDS_MAX];
    bool any = false;
    *out = *in;
    for (uint32_t i = 0; i < in->column_count && spec->table != NULL; i++) {
        const struct type *type = spec->table->columns[spec->table_columns[i]].type;
        if (type == NULL || type->nullable || in->columns[i].valid == NULL) {
            continue;
        }
        uint32_t row = not_null_first(&in->columns[i]);
        if (row == in->row_count) {
            continue;
        }
        if (spec->enforce_not_null) {
            return not_null_error(sink, i, in, row, err);
        }
        if (!any) {
            bits_fill(keep, in->row_count);
            any = true;
        }
        not_null_keep(&in->columns[i], keep);
    }
    if (any) {
        uint16_t *rows = arena_alloc(arena, (in->row_count + 1) * sizeof *rows);
        uint32_t count = bits_positions(keep, in->row_count, rows);
        *out = batch_gather(arena, in, rows, count);
    }
    return STATUS_OK;
}
