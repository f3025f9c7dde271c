// SPDX-License-Identifier: Apache-2.0
//
// ORDER BY over bounded input, on one instance: all rows go into a sorter (state/sorter.h) and come
// out behind the end.
#include "base/assert.h"
#include "base/mem.h"
#include "exec/column_map.h"
#include "exec/op.h"
#include "plan/plan.h"
#include "state/sorter.h"

struct op_sort {
    struct op op;
    struct sorter *sorter;
};

static enum op_result sort_on_batch(struct op *op, uint32_t port, const struct batch *in,
                                    struct op_output *out, struct err *err)
{
    (void)port;
    (void)out;
    enum status status = sorter_add(((struct op_sort *)op)->sorter, in, err);
    return status == STATUS_OK ? OP_DONE : status == STATUS_AGAIN ? OP_PENDING : OP_FAILED;
}

static enum op_result sort_on_end(struct op *op, struct op_output *out, struct err *err)
{
    struct op_sort *sort = (struct op_sort *)op;
    arena_reset(&op->scratch);
    enum status status = sorter_next(sort->sorter, &op->scratch, BATCH_ROWS_MAX, &out->batch, err);
    if (status == STATUS_END) {
        return OP_DONE;
    }
    return status == STATUS_OK ? OP_MORE : status == STATUS_AGAIN ? OP_PENDING : OP_FAILED;
}

static void sort_close(struct op *op)
{
    struct op_sort *sort = (struct op_sort *)op;
    sorter_free(sort->sorter);
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
    struct arena *arena = &sort->op.scratch; // the sorter copies
    uint32_t *keys = arena_new_array(arena, uint32_t, plan->key_count);
    struct order_column *orders = arena_new_array(arena, struct order_column, plan->key_count);
    for (uint32_t i = 0; i < plan->key_count; i++) {
        keys[i] = plan_column_index(node->inputs[0], plan->keys[i].id);
        ASSERT(keys[i] != UINT32_MAX);
        orders[i] = (struct order_column){plan->keys[i].is_descending, plan->keys[i].nulls_first};
    }
    struct sorter_options options = {.spec = {orders, plan->key_count},
                                     .keys = keys,
                                     .limit = plan->limit < 0 ? UINT64_MAX : (uint64_t)plan->limit,
                                     .budget = context->budget,
                                     .spill = context->spill,
                                     .waker = context->waker};
    sort->sorter = sorter_new(&options);
    *out = &sort->op;
    return STATUS_OK;
}
