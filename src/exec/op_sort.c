// SPDX-License-Identifier: Apache-2.0
//
// ORDER BY over bounded input, on one instance: rows are kept settled until the end, then handed
// out in the order of their keys (kernel/order.h), equal ones as they came. With a limit only the
// first rows are kept: whenever there are four times as many, the others go.
//
// What does not fit into the job's memory is refused (LIMIT), not spilled.
#include <string.h>

#include "base/assert.h"
#include "base/budget.h"
#include "base/mem.h"
#include "base/vec.h"
#include "exec/column_map.h"
#include "exec/op.h"
#include "kernel/order.h"
#include "plan/plan.h"

struct op_sort {
    struct op op;
    uint32_t key_count;
    uint32_t *keys; // positions
    struct order_column *orders;
    int64_t limit; // INT64_MAX: all
    VEC(struct batch *) batches;
    uint64_t row_count;
    // Handing out.
    bool is_sorted;
    struct arena order_arena;
    uint32_t *positions; // of rows over all batches, in order
    uint64_t next;
};

// Rows of all batches as one column: `at` of the input.
static struct column gather_all(struct op_sort *sort, struct arena *arena, uint32_t at)
{
    struct column *parts = arena_new_array(arena, struct column, sort->batches.count);
    for (uint32_t i = 0; i < sort->batches.count; i++) {
        parts[i] = sort->batches.items[i]->columns[at];
    }
    return column_concat(arena, parts, sort->batches.count);
}

static enum status order_rows(struct op_sort *sort, struct err *err)
{
    struct arena *arena = &sort->order_arena;
    arena_reset(arena);
    struct column *columns = arena_new_array(arena, struct column, sort->key_count);
    for (uint32_t i = 0; i < sort->key_count; i++) {
        columns[i] = gather_all(sort, arena, sort->keys[i]);
    }
    struct order_spec spec = {sort->orders, sort->key_count};
    struct order_keys keys;
    TRY(order_encode(arena, columns, &spec, &keys, err));
    sort->positions = arena_alloc(arena, (keys.count + 1) * sizeof *sort->positions);
    order_sort(arena, &keys, sort->positions);
    return STATUS_OK;
}

// Output rows [from, from + count) of the order: batch and row of each, column by column.
static struct batch pick(struct op_sort *sort, struct arena *arena, uint64_t from, uint32_t count)
{
    uint32_t *starts = arena_new_array(arena, uint32_t, sort->batches.count + 1);
    for (uint32_t i = 0; i < sort->batches.count; i++) {
        starts[i + 1] = starts[i] + sort->batches.items[i]->row_count;
    }
    uint32_t column_count = sort->op.node->column_count;
    struct column *columns = arena_new_array(arena, struct column, column_count);
    struct column *cells = arena_new_array(arena, struct column, count);
    for (uint32_t c = 0; c < column_count; c++) {
        for (uint32_t i = 0; i < count; i++) {
            uint32_t position = sort->positions[from + i];
            uint32_t low = 0;
            uint32_t high = sort->batches.count;
            while (high - low > 1) {
                uint32_t middle = low + (high - low) / 2;
                *(starts[middle] <= position ? &low : &high) = middle;
            }
            uint16_t row = (uint16_t)(position - starts[low]);
            cells[i] = column_gather(arena, &sort->batches.items[low]->columns[c], &row, 1);
        }
        columns[c] = column_concat(arena, cells, count);
    }
    return (struct batch){.row_count = count, .column_count = column_count, .columns = columns};
}

static void drop_batches(struct op_sort *sort)
{
    for (uint32_t i = 0; i < sort->batches.count; i++) {
        batch_drop(sort->batches.items[i]);
    }
    sort->batches.count = 0;
    sort->row_count = 0;
}

// Keeps the first `limit` rows.
static enum status prune(struct op_sort *sort, struct err *err)
{
    TRY(order_rows(sort, err));
    VEC(struct batch *) kept = {0};
    for (uint64_t from = 0; from < (uint64_t)sort->limit; from += BATCH_ROWS_MAX) {
        uint64_t left = (uint64_t)sort->limit - from;
        arena_reset(&sort->op.scratch);
        struct batch batch = pick(sort, &sort->op.scratch, from,
                                  left < BATCH_ROWS_MAX ? (uint32_t)left : BATCH_ROWS_MAX);
        VEC_PUSH(&kept, batch_settle(&batch, sort->op.context->budget));
    }
    drop_batches(sort);
    for (uint32_t i = 0; i < kept.count; i++) {
        sort->row_count += kept.items[i]->row_count;
        VEC_PUSH(&sort->batches, kept.items[i]);
    }
    VEC_RELEASE(&kept);
    return STATUS_OK;
}

static enum op_result sort_on_batch(struct op *op, uint32_t port, const struct batch *in,
                                    struct op_output *out, struct err *err)
{
    (void)port;
    (void)out;
    struct op_sort *sort = (struct op_sort *)op;
    VEC_PUSH(&sort->batches, batch_settle(in, op->context->budget));
    sort->row_count += in->row_count;
    if (sort->limit < INT64_MAX / 4 && sort->row_count > (uint64_t)sort->limit * 4 &&
        sort->row_count > 4 * BATCH_ROWS_MAX && prune(sort, err) != STATUS_OK) {
        return OP_FAILED;
    }
    if (budget_excess(op->context->budget) > 0 || sort->row_count > UINT32_MAX / 2) {
        ERR(err, STATUS_LIMIT, "ORDER BY over more rows than fit into the memory of the job");
        err_hint(err, "add a LIMIT, or raise 'memory.limit'");
        return OP_FAILED;
    }
    return OP_DONE;
}

static enum op_result sort_on_end(struct op *op, struct op_output *out, struct err *err)
{
    struct op_sort *sort = (struct op_sort *)op;
    if (sort->row_count == 0) {
        return OP_DONE;
    }
    if (!sort->is_sorted) {
        if (order_rows(sort, err) != STATUS_OK) {
            return OP_FAILED;
        }
        sort->is_sorted = true;
    }
    uint64_t end = (uint64_t)sort->limit < sort->row_count ? (uint64_t)sort->limit
                                                           : sort->row_count;
    uint64_t left = end - sort->next;
    if (left == 0) {
        return OP_DONE;
    }
    arena_reset(&op->scratch);
    uint32_t count = left < BATCH_ROWS_MAX ? (uint32_t)left : BATCH_ROWS_MAX;
    out->batch = pick(sort, &op->scratch, sort->next, count);
    sort->next += count;
    return OP_MORE;
}

static void sort_close(struct op *op)
{
    struct op_sort *sort = (struct op_sort *)op;
    drop_batches(sort);
    VEC_RELEASE(&sort->batches);
    mem_free(sort->keys);
    mem_free(sort->orders);
    arena_release(&sort->order_arena);
    op_release(op);
    mem_free(sort);
}

static const struct op_class sort_class = {
    .name = "sort",
    .on_batch = sort_on_batch,
    .on_end = sort_on_end,
    .close = sort_close,
};

enum status op_sort_new(const struct plan_node *node, const struct op_context *context,
                        struct op **out, struct err *err)
{
    (void)err;
    const struct plan_sort *plan = &node->as.sort;
    struct op_sort *sort = mem_zalloc(sizeof *sort);
    op_init(&sort->op, &sort_class, context, node);
    sort->key_count = plan->key_count;
    sort->keys = mem_zalloc(plan->key_count * sizeof *sort->keys);
    sort->orders = mem_zalloc(plan->key_count * sizeof *sort->orders);
    sort->limit = plan->limit < 0 ? INT64_MAX : plan->limit;
    for (uint32_t i = 0; i < plan->key_count; i++) {
        sort->keys[i] = plan_column_index(node->inputs[0], plan->keys[i].id);
        ASSERT(sort->keys[i] != UINT32_MAX);
        sort->orders[i] =
            (struct order_column){plan->keys[i].is_descending, plan->keys[i].nulls_first};
    }
    *out = &sort->op;
    return STATUS_OK;
}
