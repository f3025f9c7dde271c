// SPDX-License-Identifier: Apache-2.0
#include "exec/op.h"

void op_init(struct op *op, const struct op_class *class, const struct op_context *context,
             const struct plan_node *node)
{
    op->class = class;
    op->context = context;
    op->node = node;
    op->port_count = 1;
    arena_init(&op->scratch);
    op->metrics = (struct op_metrics){0};
}

void op_release(struct op *op)
{
    arena_release(&op->scratch);
}
