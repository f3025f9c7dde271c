// SPDX-License-Identifier: Apache-2.0
//
// UNION ALL: batches of all ports, as they come. The planner gave the inputs one column order; the
// ids differ, the positions do not.
#include "base/mem.h"
#include "exec/op.h"
#include "plan/plan.h"

static void union_close(struct op *op)
{
    op_release(op);
    mem_free(op);
}

static const struct op_class union_class = {.name = "union", .close = union_close};

enum status op_union_new(const struct plan_node *node, const struct op_context *context,
                         struct op **out, struct err *err)
{
    (void)err;
    struct op *op = mem_zalloc(sizeof *op);
    op_init(op, &union_class, context, node);
    op->port_count = node->input_count;
    *out = op;
    return STATUS_OK;
}
