// SPDX-License-Identifier: Apache-2.0
//
// A window table function by itself: each row once for each window that it falls into, with
// window_start, window_end and window_time behind its columns. No row is dropped here, late or not;
// rows without a time are (Flink refuses NULL rowtimes; a filter keeps the stream alive).
#include <string.h>

#include "base/assert.h"
#include "base/mem.h"
#include "exec/op.h"
#include "exec/window_assign.h"
#include "plan/plan.h"

struct op_window {
    struct op op;
    struct window_assigner assigner;
    uint32_t time_position;
    uint32_t next_row;    // the cursor of one input batch: row,
    uint32_t next_window; // and which of its windows
};

// Rows and windows of the next output batch; false when the input is used up.
static uint32_t fill(struct op_window *window, const struct batch *in, uint16_t *rows,
                     int64_t *starts, int64_t *ends)
{
    const struct column *times = &in->columns[window->time_position];
    uint32_t limit = window->op.context->batch_rows;
    uint32_t count = 0;
    while (window->next_row < in->row_count && count < limit) {
        uint32_t row = window->next_row;
        int64_t time = 0;
        memcpy(&time, column_value(times, row), sizeof time);
        time = window_local_us(&window->assigner, time);
        struct window_range range;
        if (column_is_null(times, row) ||
            !window_assign(&window->assigner, time, window->next_window, &range)) {
            window->next_row++;
            window->next_window = 0;
            continue;
        }
        rows[count] = (uint16_t)row;
        starts[count] = range.start_us;
        ends[count++] = range.end_us;
        window->next_window++;
    }
    return count;
}

static struct column flat_time(const int64_t *values, uint32_t row_count)
{
    return (struct column){.physical = PHYSICAL_I64, .row_count = row_count, .values = values};
}

static enum op_result window_on_batch(struct op *op, uint32_t port, const struct batch *in,
                                      struct op_output *out, struct err *err)
{
    (void)port;
    (void)err;
    struct op_window *window = (struct op_window *)op;
    uint16_t rows[BATCH_ROWS_MAX];
    arena_reset(&op->scratch);
    int64_t *starts = arena_alloc64(&op->scratch, BATCH_ROWS_MAX * sizeof *starts);
    int64_t *ends = arena_alloc64(&op->scratch, BATCH_ROWS_MAX * sizeof *ends);
    int64_t *times = arena_alloc64(&op->scratch, BATCH_ROWS_MAX * sizeof *times);
    uint32_t count = fill(window, in, rows, starts, ends);
    for (uint32_t i = 0; i < count; i++) {
        times[i] = window_time_us(&window->assigner, ends[i]);
    }
    if (count > 0) {
        out->batch = batch_gather(&op->scratch, in, rows, count);
        struct column *columns = arena_new_array(&op->scratch, struct column, in->column_count + 3);
        memcpy(columns, out->batch.columns, in->column_count * sizeof *columns);
        columns[in->column_count] = flat_time(starts, count);
        columns[in->column_count + 1] = flat_time(ends, count);
        columns[in->column_count + 2] = flat_time(times, count);
        out->batch.columns = columns;
        out->batch.column_count = in->column_count + 3;
    }
    if (window->next_row < in->row_count) {
        return OP_MORE;
    }
    window->next_row = 0;
    return OP_DONE;
}

static void window_close(struct op *op)
{
    op_release(op);
    mem_free(op);
}

static const struct op_class window_class = {
    .name = "window",
    .on_batch = window_on_batch,
    .close = window_close,
};

enum status op_window_new(const struct plan_node *node, const struct op_context *context,
                          struct op **out, struct err *err)
{
    const struct plan_window_spec *spec = &node->as.window.spec;
    if (spec->kind == PLAN_WINDOW_SESSION) {
        return ERR(err, STATUS_UNSUPPORTED, "SESSION windows are not supported yet");
    }
    struct op_window *window = mem_zalloc(sizeof *window);
    op_init(&window->op, &window_class, context, node);
    window->time_position = plan_column_index(node->inputs[0], spec->time_column);
    ASSERT(window->time_position != UINT32_MAX);
    window_assigner_init(&window->assigner, spec,
                         node->inputs[0]->columns[window->time_position].type, context);
    *out = &window->op;
    return STATUS_OK;
}
