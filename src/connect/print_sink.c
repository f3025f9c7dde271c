// SPDX-License-Identifier: Apache-2.0
#include "connect/print_sink.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "connect/not_null.h"
#include "connect/option.h"
#include "connect/print_row.h"
#include "plan/plan.h"

enum { PRINT_WRITE_SIZE = 256 << 10, PRINT_TEXT_MAX = 1 << 30 };

struct print_sink {
    struct op op;
    FILE *stream;
    struct str prefix;
    struct arena arena;
    const struct type **types;
    struct strbuf text;
};

static enum status print_write(struct print_sink *sink, struct err *err)
{
    struct str text = strbuf_str(&sink->text);
    // What the process itself has printed comes before; stdio's lock keeps instances apart.
    bool good = sink->text.truncated == false &&
                fwrite(text.ptr, 1, text.size, sink->stream) == text.size &&
                fflush(sink->stream) == 0;
    strbuf_reset(&sink->text);
    if (!good) {
        return ERR(err, STATUS_IO, "connector 'print': cannot write: %s", strerror(errno));
    }
    return STATUS_OK;
}

static enum op_result print_on_batch(struct op *op, uint32_t port, const struct batch *in,
                                     struct op_output *out, struct err *err)
{
    (void)port;
    struct print_sink *sink = (struct print_sink *)op;
    struct batch kept;
    arena_reset(&op->scratch);
    out->batch.row_count = 0;
    if (not_null_apply(op->node, &op->scratch, in, &kept, err) != STATUS_OK) {
        return OP_FAILED;
    }
    for (uint32_t row = 0; row < kept.row_count; row++) {
        strbuf_add(&sink->text, sink->prefix);
        print_row(&sink->text, &kept, sink->types, row);
        strbuf_add_byte(&sink->text, '\n');
        if (sink->text.size >= PRINT_WRITE_SIZE && print_write(sink, err) != STATUS_OK) {
            return OP_FAILED;
        }
    }
    return print_write(sink, err) == STATUS_OK ? OP_DONE : OP_FAILED;
}

static void print_close(struct op *op)
{
    struct print_sink *sink = (struct print_sink *)op;
    strbuf_release(&sink->text);
    arena_release(&sink->arena);
    op_release(op);
    mem_free(sink);
}

static const struct op_class print_op_class = {
    .name = "print",
    .on_batch = print_on_batch,
    .close = print_close,
};

static enum status print_open(const struct plan_node *node, const struct op_context *context,
                              struct op **out, struct err *err)
{
    (void)err;
    const struct plan_sink *spec = &node->as.sink;
    struct print_sink *sink = mem_zalloc(sizeof *sink);
    op_init(&sink->op, &print_op_class, context, node);
    arena_init(&sink->arena);
    strbuf_init(&sink->text, PRINT_TEXT_MAX);
    sink->stream = option_bool(spec->table, "", "standard-error", false) ? stderr : stdout;
    struct str identifier = option_text(spec->table, "", "print-identifier", "");
    bool is_one = context->parallelism == 1;
    if (!is_one) {
        sink->prefix = arena_printf(&sink->arena, "%.*s%s%u> ", STR_ARGS(identifier),
                                    identifier.size > 0 ? ":" : "", context->instance + 1);
    } else if (identifier.size > 0) {
        sink->prefix = arena_printf(&sink->arena, "%.*s> ", STR_ARGS(identifier));
    }
    const struct plan_node *input = node->inputs[0];
    sink->types = arena_new_array(&sink->arena, const struct type *, input->column_count + 1);
    for (uint32_t i = 0; i < input->column_count; i++) {
        sink->types[i] = spec->table->columns[spec->table_columns[i]].type;
    }
    *out = &sink->op;
    return STATUS_OK;
}

const struct sink_class print_sink_class = {.name = "print", .open = print_open};
