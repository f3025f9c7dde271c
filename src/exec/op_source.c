// SPDX-License-Identifier: Apache-2.0
//
// The operator at the root of a source's segment: asks the reader for batches and keeps their
// positions in checkpoints.
#include <string.h>

#include "base/assert.h"
#include "base/mem.h"
#include "exec/op.h"
#include "exec/source.h"
#include "plan/plan.h"

struct op_source {
    struct op op;
    struct source_reader *reader;
};

// The first null of a column in a row that is no retraction (those of a change capture may lack all
// but their key); row_count where there is none.
static uint32_t first_null(const struct batch *batch, const struct column *column)
{
    for (uint32_t word = 0; word < bits_words(batch->row_count); word++) {
        for (uint64_t nulls = ~column_valid_word(column, word); nulls != 0; nulls &= nulls - 1) {
            uint32_t row = word * 64 + (uint32_t)__builtin_ctzll(nulls);
            if (row >= batch->row_count) {
                break;
            }
            if (batch->kinds == NULL || batch->kinds[row] == CHANGE_INSERT ||
                batch->kinds[row] == CHANGE_UPDATE_AFTER) {
                return row;
            }
        }
    }
    return batch->row_count;
}

// Where the definition says NOT NULL, everything above relies on it.
static enum op_result check_not_null(const struct op *op, const struct batch *batch,
                                     struct err *err)
{
    const struct plan_node *node = op->node;
    for (uint32_t i = 0; i < batch->column_count; i++) {
        if (batch->columns[i].valid == NULL || node->columns[i].type->nullable) {
            continue;
        }
        uint32_t row = first_null(batch, &batch->columns[i]);
        if (row == batch->row_count) {
            continue;
        }
        const struct batch_origin *origin = batch->origin;
        ERR(err, STATUS_INVALID_DATA, "NULL for column '%.*s' of '%.*s', which is NOT NULL",
            STR_ARGS(node->columns[i].name), STR_ARGS(node->as.scan.table->name));
        if (origin != NULL) {
            uint64_t place = origin->places != NULL ? origin->places[row] : origin->first + row;
            err_context(err, "%.*s, %s %llu", STR_ARGS(origin->name), origin->unit,
                        (unsigned long long)place);
        }
        err_hint(err, "declare the column without NOT NULL where records may lack it");
        return OP_FAILED;
    }
    return OP_MORE;
}

static enum op_result source_poll(struct op *op, struct op_output *out, struct err *err)
{
    struct op_source *source = (struct op_source *)op;
    enum status status = source->reader->ops->poll(source->reader, &out->batch, err);
    switch (status) {
    case STATUS_OK: return check_not_null(op, &out->batch, err);
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

bool op_source_metrics(struct op *op, struct source_metrics *out)
{
    ASSERT(op->class == &source_op_class);
    struct source_reader *reader = ((struct op_source *)op)->reader;
    if (reader->ops->metrics == NULL) {
        return false;
    }
    *out = (struct source_metrics){0};
    reader->ops->metrics(reader, out);
    return true;
}
