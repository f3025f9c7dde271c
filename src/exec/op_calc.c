// SPDX-License-Identifier: Apache-2.0
//
// WHERE and SELECT. Rows that the condition drops are gathered away here, only in the columns that
// the projections use, so batches between operators are dense and carry no selection.
#include "base/mem.h"
#include "exec/column_map.h"
#include "exec/op.h"
#include "expr/program.h"
#include "plan/plan.h"
#include "sys/clock.h"

struct op_calc {
    struct op op;
    struct program *condition; // NULL: all rows
    struct program *projections;
    uint32_t used_count; // columns of the input that the projections use
    uint32_t *used;      // their positions
    uint32_t column_count;
    bool asks_time; // streaming, and something depends on the clock
};

// The input as the projections see it: the columns that they use, the rows that passed.
static struct batch narrow(struct op_calc *calc, const struct batch *in, const uint16_t *rows,
                           uint32_t row_count)
{
    struct arena *scratch = &calc->op.scratch;
    struct column *columns = arena_new_array(scratch, struct column, calc->used_count);
    for (uint32_t i = 0; i < calc->used_count; i++) {
        columns[i] = in->columns[calc->used[i]];
    }
    struct batch batch = *in;
    batch.columns = columns;
    batch.column_count = calc->used_count;
    return rows == NULL ? batch : batch_gather(scratch, &batch, rows, row_count);
}

// On a stream NOW() and PROCTIME() are asked for each batch.
static void set_now(struct op_calc *calc)
{
    int64_t now = clock_wall_us(calc->op.context->clock);
    program_set_now(calc->projections, now);
    if (calc->condition != NULL) {
        program_set_now(calc->condition, now);
    }
}

static enum op_result calc_on_batch(struct op *op, uint32_t port, const struct batch *in,
                                    struct op_output *out, struct err *err)
{
    (void)port;
    struct op_calc *calc = (struct op_calc *)op;
    arena_reset(&op->scratch);
    if (calc->asks_time) {
        set_now(calc);
    }
    struct batch kept;
    if (calc->condition == NULL) {
        kept = narrow(calc, in, NULL, 0);
    } else {
        uint64_t is_true[BATCH_WORDS_MAX];
        uint16_t rows[BATCH_ROWS_MAX];
        if (program_filter(calc->condition, in, is_true, err) != STATUS_OK) {
            return OP_FAILED;
        }
        uint32_t row_count = bits_positions(is_true, in->row_count, rows);
        if (row_count == 0) {
            return OP_DONE;
        }
        kept = narrow(calc, in, row_count == in->row_count ? NULL : rows, row_count);
    }
    struct column *columns = arena_new_array(&op->scratch, struct column, calc->column_count);
    if (program_run(calc->projections, &kept, NULL, columns, err) != STATUS_OK) {
        return OP_FAILED;
    }
    out->batch = kept;
    out->batch.columns = columns;
    out->batch.column_count = calc->column_count;
    out->batch.owner = NULL;
    return OP_DONE;
}

static enum op_result calc_on_watermark(struct op *op, int64_t watermark, struct op_output *out,
                                        struct err *err)
{
    (void)out;
    (void)err;
    struct op_calc *calc = (struct op_calc *)op;
    program_set_watermark(calc->projections, watermark);
    if (calc->condition != NULL) {
        program_set_watermark(calc->condition, watermark);
    }
    return OP_DONE;
}

static void calc_close(struct op *op)
{
    struct op_calc *calc = (struct op_calc *)op;
    program_free(calc->condition);
    program_free(calc->projections);
    mem_free(calc->used);
    op_release(op);
    mem_free(calc);
}

static const struct op_class calc_class = {
    .name = "calc",
    .on_batch = calc_on_batch,
    .on_watermark = calc_on_watermark,
    .close = calc_close,
};

static enum status compile(struct op_calc *calc, const struct plan_node *node, struct err *err)
{
    const struct plan_node *input = node->inputs[0];
    const struct expr_settings *settings = calc->op.context->expr_settings;
    uint32_t *ids = arena_new_array(&calc->op.scratch, uint32_t, input->column_count);
    calc->used = mem_zalloc(input->column_count * sizeof *calc->used);
    calc->used_count = column_map_used(input, node->as.calc.projections, node->column_count, ids,
                                       calc->used);
    struct program_spec projections = {.exprs = node->as.calc.projections,
                                       .count = node->column_count,
                                       .column_ids = ids,
                                       .column_count = calc->used_count,
                                       .settings = settings};
    TRY(program_compile(&projections, &calc->projections, err));
    if (node->as.calc.condition == NULL) {
        return STATUS_OK;
    }
    struct program_spec condition = {.exprs = &node->as.calc.condition,
                                     .count = 1,
                                     .column_ids = column_map_ids(&calc->op.scratch, input),
                                     .column_count = input->column_count,
                                     .settings = settings};
    return program_compile(&condition, &calc->condition, err);
}

enum status op_calc_new(const struct plan_node *node, const struct op_context *context,
                        struct op **out, struct err *err)
{
    struct op_calc *calc = mem_zalloc(sizeof *calc);
    op_init(&calc->op, &calc_class, context, node);
    calc->column_count = node->column_count;
    enum status status = compile(calc, node, err);
    if (status != STATUS_OK) {
        calc_close(&calc->op);
        return status;
    }
    calc->asks_time =
        context->is_streaming &&
        !(program_is_deterministic(calc->projections) &&
          (calc->condition == NULL || program_is_deterministic(calc->condition)));
    *out = &calc->op;
    return STATUS_OK;
}
