// SPDX-License-Identifier: Apache-2.0
//
// GROUP BY without a window. On a stream: for every row what it changes, as Flink prints it: +I
// for a new group, -U and +U where a result changed (nothing where none did), -D when the group's
// count falls to 0. On bounded input: the groups, once, at the end; without keys there is a row in
// any case.
#include <string.h>

#include "base/mem.h"
#include "exec/aggregate_set.h"
#include "exec/op.h"
#include "kernel/row_equal.h"
#include "plan/plan.h"

// A row of input makes up to two of output.
enum { WINDOW_ROWS_MAX = BATCH_ROWS_MAX / 2 };

struct op_group_aggregate {
    struct op op;
    struct aggregate_set set;
    struct aggregate_tables tables;
    bool has_tables;
    bool needs_update_before;
    uint32_t next;               // cursor of the batch in work
    struct hash_table_scan scan; // of the end
    bool is_scanned;
};

static void open_tables(struct op_group_aggregate *group)
{
    if (!group->has_tables) {
        aggregate_tables_open(&group->set, group->op.context->state, 0, &group->tables);
        group->has_tables = true;
    }
}

// Whether no result changed, a bit a row.
static uint64_t *unchanged(struct op_group_aggregate *group, uint32_t count,
                           const struct aggregate_steps *steps)
{
    uint64_t *equal = arena_alloc(&group->op.scratch, (bits_words(count) + 1) * sizeof *equal);
    bits_fill(equal, count);
    for (uint32_t c = 0; c < group->set.call_count; c++) {
        struct row_equal_pairs pairs = {
            .a = &steps->before[c], .b = &steps->after[c], .count = count};
        row_equal_narrow(&pairs, equal);
    }
    return equal;
}

struct emission {
    uint16_t *rows;    // of the window
    uint16_t *results; // i: before row i; count + i: after it
    int8_t *kinds;
    uint32_t count;
};

static void emit(struct emission *out, uint32_t row, uint32_t result, enum change kind)
{
    out->rows[out->count] = (uint16_t)row;
    out->results[out->count] = (uint16_t)result;
    out->kinds[out->count++] = (int8_t)kind;
}

static void decide(struct op_group_aggregate *group, uint32_t count,
                   const struct aggregate_steps *steps, struct emission *out)
{
    uint64_t *equal = unchanged(group, count, steps);
    for (uint32_t i = 0; i < count; i++) {
        bool was = steps->rows_before[i] > 0;
        bool is = steps->rows_after[i] > 0;
        if (!was && is) {
            emit(out, i, count + i, CHANGE_INSERT);
        } else if (was && !is) {
            emit(out, i, i, CHANGE_DELETE);
        } else if (was && !bits_get(equal, i)) {
            if (group->needs_update_before) {
                emit(out, i, i, CHANGE_UPDATE_BEFORE);
            }
            emit(out, i, count + i, CHANGE_UPDATE_AFTER);
        }
    }
}

static void assemble(struct op_group_aggregate *group, const struct aggregate_window *window,
                     const struct aggregate_steps *steps, const struct emission *emission,
                     struct batch *out)
{
    struct arena *scratch = &group->op.scratch;
    uint32_t key_count = group->set.key_count;
    uint32_t column_count = key_count + group->set.call_count;
    struct column *columns = arena_new_array(scratch, struct column, column_count);
    uint16_t *positions = arena_alloc(scratch, (emission->count + 1) * sizeof *positions);
    for (uint32_t i = 0; i < emission->count; i++) {
        positions[i] = (uint16_t)(window->from + emission->rows[i]);
    }
    for (uint32_t i = 0; i < key_count; i++) {
        columns[i] = column_gather(scratch, &window->keys[i], positions, emission->count);
    }
    for (uint32_t c = 0; c < group->set.call_count; c++) {
        struct column both[2] = {steps->before[c], steps->after[c]};
        struct column joined = column_concat(scratch, both, 2);
        columns[key_count + c] =
            column_gather(scratch, &joined, emission->results, emission->count);
    }
    *out = (struct batch){.row_count = emission->count,
                          .column_count = column_count,
                          .columns = columns,
                          .kinds = emission->kinds};
}

static void remove_empty(struct op_group_aggregate *group, const struct aggregate_window *window,
                         const struct aggregate_steps *steps)
{
    for (uint32_t i = 0; i < window->count; i++) {
        if (steps->is_last[i] && steps->rows_after[i] == 0) {
            hash_table_remove(group->tables.groups, window->rows[i]);
        }
    }
}

static enum status step(struct op_group_aggregate *group, struct aggregate_window *window,
                        struct batch *out, struct err *err)
{
    struct arena *scratch = &group->op.scratch;
    struct aggregate_steps steps;
    TRY(aggregate_set_step(&group->set, &group->tables, window, &steps, err));
    struct emission emission = {.rows = arena_alloc(scratch, 2 * window->count * sizeof(uint16_t)),
                                .results =
                                    arena_alloc(scratch, 2 * window->count * sizeof(uint16_t)),
                                .kinds = arena_alloc(scratch, 2 * window->count)};
    decide(group, window->count, &steps, &emission);
    if (emission.count > 0) {
        assemble(group, window, &steps, &emission, out);
    }
    remove_empty(group, window, &steps);
    return STATUS_OK;
}

static enum op_result result_of(enum status status)
{
    return status == STATUS_AGAIN ? OP_PENDING : OP_FAILED;
}

static enum op_result group_on_batch(struct op *op, uint32_t port, const struct batch *in,
                                     struct op_output *out, struct err *err)
{
    (void)port;
    struct op_group_aggregate *group = (struct op_group_aggregate *)op;
    arena_reset(&op->scratch);
    open_tables(group);
    struct aggregate_window window = {.batch = in, .total = in->row_count, .scratch = &op->scratch};
    aggregate_set_begin(&group->set, &window);
    window.from = group->next;
    bool streams = op->context->is_streaming;
    enum status status = aggregate_set_prepare(&group->set, &group->tables, &window,
                                               streams ? WINDOW_ROWS_MAX : BATCH_ROWS_MAX, err);
    if (status != STATUS_OK) {
        return result_of(status);
    }
    status = streams ? step(group, &window, &out->batch, err)
                     : aggregate_set_add(&group->set, &group->tables, &window, err);
    if (status != STATUS_OK) {
        return OP_FAILED;
    }
    group->next += window.count;
    if (group->next < in->row_count) {
        return OP_MORE;
    }
    group->next = 0;
    aggregate_tables_done(&group->set, &group->tables);
    return OP_DONE;
}

// Rows of the groups as output.
static enum status emit_groups(struct op_group_aggregate *group, struct row **rows, uint32_t count,
                               struct batch *out, struct err *err)
{
    struct arena *scratch = &group->op.scratch;
    uint32_t key_count = group->set.key_count;
    uint32_t column_count = key_count + group->set.call_count;
    struct column *columns = arena_new_array(scratch, struct column, column_count);
    for (uint32_t i = 0; i < key_count; i++) {
        columns[i] = row_layout_column(group->set.layout, i, rows, count, scratch);
    }
    for (uint32_t c = 0; c < group->set.call_count; c++) {
        TRY(aggregate_set_result(&group->set, &group->tables, c, rows, count, scratch,
                                 &columns[key_count + c], err));
    }
    *out = (struct batch){.row_count = count, .column_count = column_count, .columns = columns};
    return STATUS_OK;
}

// Bounded, without keys and without input: the results of no rows.
static enum status emit_nothing(struct op_group_aggregate *group, struct batch *out,
                                struct err *err)
{
    struct row *row = arena_zalloc(&group->op.scratch, group->set.layout->fixed_size);
    return emit_groups(group, &row, 1, out, err);
}

static enum op_result group_on_end(struct op *op, struct op_output *out, struct err *err)
{
    struct op_group_aggregate *group = (struct op_group_aggregate *)op;
    if (op->context->is_streaming || group->is_scanned) {
        return OP_DONE;
    }
    arena_reset(&op->scratch);
    open_tables(group);
    if (hash_table_count(group->tables.groups) == 0) {
        group->is_scanned = true;
        bool owns = group->set.key_count == 0 && op->context->instance == 0;
        if (owns && emit_nothing(group, &out->batch, err) != STATUS_OK) {
            return OP_FAILED;
        }
        return OP_DONE;
    }
    struct row **rows = arena_new_array(&op->scratch, struct row *, BATCH_ROWS_MAX);
    uint32_t count;
    struct hash_table_scan before = group->scan;
    enum status status = hash_table_scan_next(group->tables.groups, &group->scan, rows,
                                              aggregate_set_results_max(&group->set), &count, err);
    if (status == STATUS_END) {
        group->is_scanned = true;
        aggregate_tables_done(&group->set, &group->tables);
        return OP_DONE;
    }
    if (status == STATUS_OK) {
        status = emit_groups(group, rows, count, &out->batch, err);
    }
    if (status == STATUS_AGAIN) { // the same rows again
        group->scan = before;
    }
    return status == STATUS_OK ? OP_MORE : result_of(status);
}

static void group_close(struct op *op)
{
    struct op_group_aggregate *group = (struct op_group_aggregate *)op;
    if (group->has_tables) {
        aggregate_tables_free(&group->set, &group->tables);
    }
    aggregate_set_release(&group->set);
    op_release(op);
    mem_free(group);
}

static const struct op_class group_class = {
    .name = "group_aggregate",
    .on_batch = group_on_batch,
    .on_end = group_on_end,
    .close = group_close,
};

enum status op_group_aggregate_new(const struct plan_node *node, const struct op_context *context,
                                   struct op **out, struct err *err)
{
    const struct plan_group_aggregate *plan = &node->as.group_aggregate;
    struct op_group_aggregate *group = mem_zalloc(sizeof *group);
    op_init(&group->op, &group_class, context, node);
    group->needs_update_before = plan->needs_update_before;
    struct aggregate_set_spec spec = {.input = node->inputs[0],
                                      .keys = plan->keys,
                                      .calls = plan->calls,
                                      .call_count = plan->call_count,
                                      .steps = context->is_streaming};
    enum status status = aggregate_set_init(&group->set, &spec, err);
    if (status != STATUS_OK) {
        group_close(&group->op);
        return status;
    }
    open_tables(group);
    *out = &group->op;
    return STATUS_OK;
}
