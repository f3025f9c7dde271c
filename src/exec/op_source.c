// SPDX-License-Identifier: Apache-2.0
//
// The operator at the root of a source's segment: asks the reader for batches and keeps their
// positions in checkpoints.
#include <string.h>

#include "base/assert.h"
#include "base/mem.h"
#include "exec/op.h"
#include "exec/source.h"

struct op_source {
    struct op op;
    struct source_reader *reader;
};

static enum op_result source_poll(struct op *op, struct op_output *out, struct err *err)
{
    struct op_source *source = (struct op_source *)op;
    enum status status = source->reader->ops->poll(source->reader, &out->batch, err);
    switch (status) {
    case STATUS_OK: return OP_MORE;
    case STATUS_END: out->batch.row_count = 0; return OP_DONE;
    case STATUS_AGAIN: out->batch.row_count = 0; return OP_PENDING;
    case STATUS_NOT_FOUND:
    case STATUS_EXISTS:
    case STATUS_CONFLICT:
    case STATUS_COMMIT_UNKNOWN:
    case STATUS_INVALID_DATA:
    case STATUS_UNSUPPORTED:
    case STATUS_LIMIT:
    case STATUS_CANCELLED:
    case STATUS_IO:
    case STATUS_UNAVAILABLE: break;
    }
    if (err != NULL) {
        err->offset = ERR_NO_OFFSET; // it counts in a record; the text says where
    }
    return OP_FAILED;
}

static enum op_result source_on_barrier(struct op *op, const struct barrier *barrier,
                                        struct snapshot_writer *writer, struct err *err)
{
    (void)barrier;
    (void)err;
    struct op_source *source = (struct op_source *)op;
    source->reader->ops->snapshot(source->reader, op->context, writer);
    return OP_DONE;
}

static void source_on_durable(struct op *op, struct epoch epoch)
{
    struct source_reader *reader = ((struct op_source *)op)->reader;
    if (reader->ops->committed != NULL) {
        reader->ops->committed(reader, epoch);
    }
}

static void source_close(struct op *op)
{
    struct op_source *source = (struct op_source *)op;
    if (source->reader != NULL) {
        source->reader->ops->close(source->reader);
    }
    op_release(op);
    mem_free(source);
}

static const struct op_class source_op_class = {
    .name = "source",
    .poll = source_poll,
    .on_barrier = source_on_barrier,
    .on_durable = source_on_durable,
    .close = source_close,
};

enum status op_source_new(const struct plan_node *node, const struct source_class *class,
                          const struct op_context *context, struct op **out, struct err *err)
{
    struct op_source *source = mem_zalloc(sizeof *source);
    op_init(&source->op, &source_op_class, context, node);
    enum status status = class->open(node, context, &source->reader, err);
    if (status != STATUS_OK) {
        source_close(&source->op);
        return status;
    }
    *out = &source->op;
    return STATUS_OK;
}

struct source_splits *op_source_splits(struct op *op)
{
    ASSERT(op->class == &source_op_class);
    return &((struct op_source *)op)->reader->splits;
}

bool op_is_source(const struct op *op)
{
    return op->class == &source_op_class;
}
