// SPDX-License-Identifier: Apache-2.0
#include "connect/blackhole_sink.h"

#include "base/arena.h"
#include "base/mem.h"
#include "connect/not_null.h"

static enum op_result blackhole_on_batch(struct op *op, uint32_t port, const struct batch *in,
                                         struct op_output *out, struct err *err)
{
    (void)port;
    struct batch kept;
    arena_reset(&op->scratch);
    out->batch.row_count = 0;
    return not_null_apply(op->node, &op->scratch, in, &kept, err) == STATUS_OK ? OP_DONE
                                                                               : OP_FAILED;
}

static void blackhole_close(struct op *op)
{
    op_release(op);
    mem_free(op);
}

static const struct op_class blackhole_op_class = {
    .name = "blackhole",
    .on_batch = blackhole_on_batch,
    .close = blackhole_close,
};

static enum status blackhole_open(const struct plan_node *sink, const struct op_context *context,
                                  struct op **out, struct err *err)
{
    (void)err;
    *out = mem_zalloc(sizeof **out);
    op_init(*out, &blackhole_op_class, context, sink);
    return STATUS_OK;
}

const struct sink_class blackhole_sink_class = {.name = "blackhole", .open = blackhole_open};
