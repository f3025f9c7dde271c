// SPDX-License-Identifier: Apache-2.0
//
// LIMIT and OFFSET over bounded input, on one instance.
#include "base/mem.h"
#include "exec/op.h"
#include "plan/plan.h"

struct op_limit {
    struct op op;
    int64_t to_skip;
    int64_t to_give; // INT64_MAX: all
};

static enum op_result limit_on_batch(struct op *op, uint32_t port, const struct batch *in,
                                     struct op_output *out, struct err *err)
{
    (void)port;
    (void)err;
    struct op_limit *limit = (struct op_limit *)op;
    arena_reset(&op->scratch);
    uint32_t from = limit->to_skip < in->row_count ? (uint32_t)limit->to_skip : in->row_count;
    uint32_t count = in->row_count - from;
    count = limit->to_give < count ? (uint32_t)limit->to_give : count;
    limit->to_skip -= from;
    limit->to_give -= count;
    if (count > 0) {
        out->batch = batch_slice(&op->scratch, in, from, count);
    }
    return OP_DONE;
}

static void limit_close(struct op *op)
{
    op_release(op);
    mem_free(op);
}

static const struct op_class limit_class = {
    .name = "limit",
    .on_batch = limit_on_batch,
    .close = limit_close,
};

enum status op_limit_new(const struct plan_node *node, const struct op_context *context,
                         struct op **out, struct err *err)
{
    (void)err;
    struct op_limit *limit = mem_zalloc(sizeof *limit);
    op_init(&limit->op, &limit_class, context, node);
    limit->to_skip = node->as.limit.offset;
    limit->to_give = node->as.limit.limit < 0 ? INT64_MAX : node->as.limit.limit;
    *out = &limit->op;
    return STATUS_OK;
}
