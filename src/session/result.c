// SPDX-License-Identifier: Apache-2.0
#include "session/result.h"

#include <stdarg.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "data/column_builder.h"
#include "engine/job.h"

enum { NOTE_BYTES_MAX = 4096 };

void result_note(struct result *result, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct strbuf line;
    strbuf_init(&line, NOTE_BYTES_MAX);
    strbuf_vprintf(&line, format, args);
    va_end(args);
    result->notes = arena_printf(&result->arena, "%.*s%.*s\n", STR_ARGS(result->notes),
                                 STR_ARGS(strbuf_str(&line)));
    strbuf_release(&line);
}

struct result *result_new(void)
{
    struct result *result = mem_zalloc(sizeof *result);
    arena_init(&result->arena);
    return result;
}

enum status result_next(struct result *result, int timeout_ms, const struct batch **out,
                        struct err *err)
{
    batch_drop(result->held);
    result->held = NULL;
    if (result->job == NULL) {
        if (result->next_batch == result->batch_count) {
            return STATUS_END;
        }
        *out = result->batches[result->next_batch++];
        return STATUS_OK;
    }
    if (result->has_limit && result->rows_left <= 0) {
        job_cancel(result->job); // its sources may be far from their end, or have none
        return STATUS_END;
    }
    enum status status = job_next(result->job, timeout_ms, &result->held, err);
    *out = result->held;
    result->rows_left -= status == STATUS_OK ? result->held->row_count : 0;
    return status;
}

void result_cancel(struct result *result)
{
    if (result->job != NULL) {
        job_cancel(result->job);
    }
}

void result_free(struct result *result)
{
    if (result == NULL) {
        return;
    }
    batch_drop(result->held);
    job_free(result->job);
    arena_release(&result->arena);
    mem_free(result);
}

struct result_table {
    struct result *result;
    uint32_t column_count;
    uint32_t row_count; // of the batch in work
    const struct type *const *types;
    struct column_builder **builders;
    VEC(const struct batch *) batches;
};

static void new_builders(struct result_table *table)
{
    struct arena *arena = &table->result->arena;
    table->builders = arena_new_array(arena, struct column_builder *, table->column_count);
    for (uint32_t i = 0; i < table->column_count; i++) {
        table->builders[i] = column_builder_new(arena, table->types[i], 16);
    }
    table->row_count = 0;
}

struct result_table *result_table_new(struct result *result, const char *const *names,
                                      const struct type *const *types, uint32_t column_count)
{
    struct arena *arena = &result->arena;
    struct result_table *table = arena_new(arena, struct result_table);
    struct result_column *columns = arena_new_array(arena, struct result_column, column_count);
    for (uint32_t i = 0; i < column_count; i++) {
        columns[i] = (struct result_column){arena_str(arena, str_from(names[i])),
                                            type_copy(arena, types[i])};
    }
    const struct type **kept = arena_new_array(arena, const struct type *, column_count);
    for (uint32_t i = 0; i < column_count; i++) {
        kept[i] = columns[i].type;
    }
    result->has_rows = true;
    result->columns = columns;
    result->column_count = column_count;
    *table = (struct result_table){.result = result, .column_count = column_count, .types = kept};
    new_builders(table);
    return table;
}

static void flush(struct result_table *table)
{
    struct arena *arena = &table->result->arena;
    if (table->row_count == 0) {
        return;
    }
    struct column *columns = arena_new_array(arena, struct column, table->column_count);
    for (uint32_t i = 0; i < table->column_count; i++) {
        columns[i] = column_builder_finish(table->builders[i]);
    }
    struct batch *batch = arena_new(arena, struct batch);
    *batch = (struct batch){
        .row_count = table->row_count, .column_count = table->column_count, .columns = columns};
    VEC_PUSH(&table->batches, batch);
    new_builders(table);
}

void result_table_row(struct result_table *table, const struct str *cells)
{
    for (uint32_t i = 0; i < table->column_count; i++) {
        if (cells[i].ptr == NULL) {
            column_builder_null(table->builders[i]);
        } else if (table->types[i]->kind == TYPE_BOOLEAN) {
            column_builder_bool(table->builders[i], str_is_nocase(cells[i], "true"));
        } else {
            column_builder_string(table->builders[i], cells[i]);
        }
    }
    if (++table->row_count == BATCH_ROWS_MAX) {
        flush(table);
    }
}

void result_table_finish(struct result_table *table)
{
    flush(table);
    table->result->batches = arena_copy(&table->result->arena, table->batches.items,
                                        table->batches.count * sizeof *table->batches.items);
    table->result->batch_count = table->batches.count;
    VEC_RELEASE(&table->batches);
}
