// SPDX-License-Identifier: Apache-2.0
#include "connect/iceberg_sink.h"

#include <string.h>

#include "base/budget.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "catalog/catalog.h"
#include "connect/iceberg_token.h"
#include "connect/not_null.h"
#include "iceberg/data_writer.h"
#include "iceberg/file_default.h"
#include "plan/plan.h"

enum { STATE_MAX = 1 << 28 };

struct iceberg_sink {
    struct op op;
    struct iceberg_table *table;
    struct data_writer *writer;
    struct arena arena; // of what lives as long
    uint32_t column_count;
    uint32_t *inputs;        // for each, the input column; UINT32_MAX: none
    struct column *defaults; // of those: CONST, one row
    uint64_t state_number;
    bool has_state;
};

enum status iceberg_sink_open_table(const struct table_def *def, struct iceberg_table **out,
                                    struct err *err)
{
    struct table_place place;
    if (def->owner == NULL || def->owner->ops->place == NULL) {
        return ERR(err, STATUS_UNSUPPORTED, "tables of catalog '%.*s' cannot be opened",
                   STR_ARGS(def->catalog_name));
    }
    def->owner->ops->place(def->owner, &place);
    struct table_name name = {def->database, def->name};
    if (def->metadata_table.size > 0) {
        name.name.size -= def->metadata_table.size + 1;
    }
    return iceberg_table_open(&place, &name, out, err);
}

struct str iceberg_sink_segments(struct str directory, struct arena *arena)
{
    return arena_printf(arena, "%.*s/segments", STR_ARGS(directory));
}

// The batch as the table has its columns.
static struct batch arrange(struct iceberg_sink *sink, const struct batch *in)
{
    struct column *columns = arena_new_array(&sink->op.scratch, struct column, sink->column_count);
    for (uint32_t i = 0; i < sink->column_count; i++) {
        bool is_given = sink->inputs[i] != UINT32_MAX;
        columns[i] = is_given ? in->columns[sink->inputs[i]] : sink->defaults[i];
        columns[i].row_count = in->row_count;
    }
    struct batch out = *in;
    out.columns = columns;
    out.column_count = sink->column_count;
    return out;
}

static enum op_result sink_on_batch(struct op *op, uint32_t port, const struct batch *in,
                                    struct op_output *out, struct err *err)
{
    (void)port;
    (void)out;
    struct iceberg_sink *sink = (struct iceberg_sink *)op;
    struct batch kept;
    arena_reset(&op->scratch);
    if (not_null_apply(op->node, &op->scratch, in, &kept, err) != STATUS_OK) {
        return OP_FAILED;
    }
    if (kept.row_count == 0) {
        return OP_DONE;
    }
    struct batch batch = arrange(sink, &kept);
    if (data_writer_append(sink->writer, &batch, err) != STATUS_OK) {
        err_context(err, "table '%.*s'", STR_ARGS(op->node->as.sink.table->name));
        return OP_FAILED;
    }
    return OP_DONE;
}

static void put(struct iceberg_sink *sink, struct snapshot_writer *writer, struct str key,
                const struct strbuf *bytes)
{
    if (bytes->size > 0) {
        writer->put(writer, sink->op.context->operator_id, sink->op.context->instance, key,
                    strbuf_str(bytes));
    }
}

static enum op_result sink_on_barrier(struct op *op, const struct barrier *barrier,
                                      struct snapshot_writer *writer, struct err *err)
{
    struct iceberg_sink *sink = (struct iceberg_sink *)op;
    struct strbuf state;
    struct strbuf committable;
    strbuf_init(&state, STATE_MAX);
    strbuf_init(&committable, STATE_MAX);
    struct data_writer_barrier what = {.epoch = barrier->epoch.number,
                                       .close = barrier->kind != BARRIER_CHECKPOINT};
    struct data_writer_state out = {.state = &state, .committable = &committable};
    enum status status = data_writer_barrier(sink->writer, &what, &out, err);
    if (status == STATUS_OK) {
        put(sink, writer, STR_LIT(SINK_KEY_OPEN), &state);
        put(sink, writer, STR_LIT(SINK_KEY_COMMITTABLE), &committable);
        sink->state_number = out.state_number;
        sink->has_state = true;
    } else {
        err_context(err, "table '%.*s'", STR_ARGS(op->node->as.sink.table->name));
    }
    strbuf_release(&state);
    strbuf_release(&committable);
    return status == STATUS_OK ? OP_DONE : OP_FAILED;
}

static void sink_on_durable(struct op *op, struct epoch epoch)
{
    (void)epoch;
    struct iceberg_sink *sink = (struct iceberg_sink *)op;
    if (sink->has_state) {
        data_writer_durable(sink->writer, sink->state_number);
        sink->has_state = false;
    }
}

static void sink_close(struct op *op)
{
    struct iceberg_sink *sink = (struct iceberg_sink *)op;
    data_writer_free(sink->writer);
    iceberg_table_free(sink->table);
    arena_release(&sink->arena);
    op_release(op);
    mem_free(sink);
}

static const struct op_class iceberg_sink_op_class = {
    .name = "iceberg_sink",
    .on_batch = sink_on_batch,
    .on_barrier = sink_on_barrier,
    .on_durable = sink_on_durable,
    .close = sink_close,
};

// Which input column each column of the table takes. Those that INSERT left out, or that the
// definition bound with the query does not know yet, get their write default, or NULL.
static enum status map_columns(struct iceberg_sink *sink, struct err *err)
{
    const struct plan_node *node = sink->op.node;
    const struct table_def *def = node->as.sink.table;
    const struct table_schema *schema = table_metadata_current_schema(sink->table->metadata);
    const struct type *row;
    TRY(iceberg_type_to_sql(&sink->arena, schema->root, true, &row, err));
    sink->column_count = row->field_count;
    sink->inputs = arena_new_array(&sink->arena, uint32_t, row->field_count);
    sink->defaults = arena_new_array(&sink->arena, struct column, row->field_count);
    for (uint32_t i = 0; i < row->field_count; i++) {
        sink->inputs[i] = UINT32_MAX;
        for (uint32_t c = 0; c < node->column_count; c++) {
            if (str_equal(def->columns[node->as.sink.table_columns[c]].name, row->fields[i].name)) {
                sink->inputs[i] = c;
            }
        }
        if (sink->inputs[i] == UINT32_MAX) {
            TRY(file_default_written(&sink->arena, &schema->root->fields[i], 1, &sink->defaults[i],
                                     err));
        }
    }
    return STATUS_OK;
}

// Open files of former instances go to instance % parallelism.
static enum status restore(struct iceberg_sink *sink, struct err *err)
{
    const struct op_context *context = sink->op.context;
    for (uint32_t i = 0; context->restore != NULL && i < context->restore->entry_count; i++) {
        const struct snapshot_entry *entry = &context->restore->entries[i];
        if (str_is(entry->key, SINK_KEY_OPEN) &&
            entry->instance % context->parallelism == context->instance) {
            TRY(data_writer_restore(sink->writer, entry->bytes, err));
        }
    }
    return STATUS_OK;
}

static enum status open_writer(struct iceberg_sink *sink, struct err *err)
{
    const struct op_context *context = sink->op.context;
    const struct plan_node *node = sink->op.node;
    TRY(iceberg_sink_open_table(node->as.sink.table, &sink->table, err));
    TRY(map_columns(sink, err));
    size_t room = budget_room(context->budget);
    struct data_writer_options options = {
        .metadata = sink->table->metadata,
        .store = sink->table->place.store,
        .env = sink->table->place.env,
        .budget = context->budget,
        .memory_max = room / 2 < ((size_t)256 << 20) ? room / 2 : 0,
        .writer_tag = iceberg_token_tag(context->job_uuid, node->as.sink.insert_name, context->run),
        .run = context->run,
        .instance = context->instance,
        .segment_directory = iceberg_sink_segments(context->directory, &sink->arena),
        .segment_store = context->store};
    TRY(data_writer_new(&options, &sink->writer, err));
    return restore(sink, err);
}

static enum status sink_open(const struct plan_node *node, const struct op_context *context,
                             struct op **out, struct err *err)
{
    struct iceberg_sink *sink = mem_zalloc(sizeof *sink);
    op_init(&sink->op, &iceberg_sink_op_class, context, node);
    enum status status = open_writer(sink, err);
    if (status != STATUS_OK) {
        err_context(err, "table '%.*s'", STR_ARGS(node->as.sink.table->name));
        sink_close(&sink->op);
        return status;
    }
    *out = &sink->op;
    return STATUS_OK;
}

const struct sink_class iceberg_sink_class = {
    .name = "iceberg",
    .open = sink_open,
    .open_committer = iceberg_committer_open,
};
