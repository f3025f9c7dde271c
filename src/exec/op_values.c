// SPDX-License-Identifier: Apache-2.0
//
// VALUES, and SELECT without FROM: a source of constant rows. The place of the next row is in
// checkpoints, so that rows are handed out once.
#include <string.h>

#include "base/mem.h"
#include "exec/op.h"
#include "expr/program.h"
#include "plan/plan.h"

struct op_values {
    struct op op;
    struct program *program; // all rows' expressions, row after row
    struct column *cells;    // constants, borrowed from the program
    uint32_t next_row;
};

// The cells of rows [from, from + count) of one column.
static struct column collect(struct op_values *values, uint32_t column, uint32_t from,
                             uint32_t count)
{
    struct arena *scratch = &values->op.scratch;
    uint32_t column_count = values->op.node->column_count;
    struct column *cells = arena_new_array(scratch, struct column, count);
    for (uint32_t i = 0; i < count; i++) {
        cells[i] = values->cells[(from + i) * column_count + column];
    }
    return count == 1 ? cells[0] : column_concat(scratch, cells, count);
}

static enum op_result values_poll(struct op *op, struct op_output *out, struct err *err)
{
    (void)err;
    struct op_values *values = (struct op_values *)op;
    uint32_t left = op->node->as.values.row_count - values->next_row;
    if (left == 0) {
        return OP_DONE;
    }
    uint32_t limit = op->context->batch_rows;
    uint32_t count = left < limit ? left : limit;
    arena_reset(&op->scratch);
    struct column *columns = arena_new_array(&op->scratch, struct column, op->node->column_count);
    for (uint32_t i = 0; i < op->node->column_count; i++) {
        columns[i] = collect(values, i, values->next_row, count);
    }
    values->next_row += count;
    out->batch = (struct batch){
        .row_count = count, .column_count = op->node->column_count, .columns = columns};
    return OP_MORE;
}

static enum op_result values_on_barrier(struct op *op, const struct barrier *barrier,
                                        struct snapshot_writer *writer, struct err *err)
{
    (void)barrier;
    (void)err;
    const struct op_values *values = (const struct op_values *)op;
    writer->put(writer, op->context->operator_id, op->context->instance, STR_LIT("next"),
                str_make((const char *)&values->next_row, sizeof values->next_row));
    return OP_DONE;
}

static void restore(struct op_values *values, const struct snapshot_reader *reader)
{
    for (uint32_t i = 0; reader != NULL && i < reader->entry_count; i++) {
        const struct snapshot_entry *entry = &reader->entries[i];
        if (str_is(entry->key, "next") && entry->bytes.size == sizeof values->next_row) {
            memcpy(&values->next_row, entry->bytes.ptr, sizeof values->next_row);
        }
    }
    if (values->next_row > values->op.node->as.values.row_count) {
        values->next_row = values->op.node->as.values.row_count;
    }
}

static void values_close(struct op *op)
{
    struct op_values *values = (struct op_values *)op;
    program_free(values->program);
    mem_free(values->cells);
    op_release(op);
    mem_free(values);
}

static const struct op_class values_class = {
    .name = "values",
    .poll = values_poll,
    .on_barrier = values_on_barrier,
    .close = values_close,
};

enum status op_values_new(const struct plan_node *node, const struct op_context *context,
                          struct op **out, struct err *err)
{
    struct op_values *values = mem_zalloc(sizeof *values);
    op_init(&values->op, &values_class, context, node);
    uint32_t cell_count = node->as.values.row_count * node->column_count;
    values->cells = mem_zalloc(cell_count * sizeof *values->cells);
    struct program_spec spec = {.exprs = node->as.values.values,
                                .count = cell_count,
                                .settings = context->expr_settings};
    struct batch one_row = {.row_count = 1};
    enum status status = program_compile(&spec, &values->program, err);
    if (status == STATUS_OK) {
        status = program_run(values->program, &one_row, NULL, values->cells, err);
    }
    if (status != STATUS_OK) {
        values_close(&values->op);
        return status;
    }
    restore(values, context->restore);
    *out = &values->op;
    return STATUS_OK;
}
