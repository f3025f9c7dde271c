// SPDX-License-Identifier: Apache-2.0
#include "sim/sim_sink.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "plan/plan.h"

enum { BYTES_MAX = 64 << 20 };

static struct sim_sink_table *used_table;

void sim_sink_use(struct sim_sink_table *table)
{
    used_table = table;
}

void sim_sink_init(struct sim_sink_table *table, struct sim_world *world)
{
    *table = (struct sim_sink_table){.world = world};
    sim_rows_init(&table->rows);
    sim_rows_init(&table->owed);
}

void sim_sink_release(struct sim_sink_table *table)
{
    sim_rows_release(&table->rows);
    sim_rows_release(&table->owed);
}

// The writer: lines "<+ or -><row>\n" in the order of arrival.
struct writer {
    struct op op; // first
    struct strbuf pending;
};

static enum op_result writer_on_batch(struct op *op, uint32_t port, const struct batch *in,
                                      struct op_output *out, struct err *err)
{
    (void)port;
    (void)err;
    struct writer *writer = (struct writer *)op;
    for (uint32_t row = 0; row < in->row_count; row++) {
        bool retracts = in->kinds != NULL && change_is_retraction(in->kinds[row]);
        strbuf_add_byte(&writer->pending, retracts ? '-' : '+');
        sim_rows_print(&writer->pending, in, row);
        strbuf_add_byte(&writer->pending, '\n');
    }
    out->batch.row_count = 0;
    return OP_DONE;
}

static enum op_result writer_on_barrier(struct op *op, const struct barrier *barrier,
                                        struct snapshot_writer *snapshot, struct err *err)
{
    (void)err;
    struct writer *writer = (struct writer *)op;
    bool closes = barrier->kind != BARRIER_CHECKPOINT;
    if (writer->pending.size > 0) {
        snapshot->put(snapshot, op->context->operator_id, op->context->instance,
                      closes ? STR_LIT(SINK_KEY_COMMITTABLE) : STR_LIT(SINK_KEY_OPEN),
                      strbuf_str(&writer->pending));
    }
    if (closes) {
        strbuf_reset(&writer->pending);
    }
    return OP_DONE;
}

static void writer_close(struct op *op)
{
    struct writer *writer = (struct writer *)op;
    strbuf_release(&writer->pending);
    op_release(op);
    mem_free(writer);
}

static const struct op_class writer_class = {.name = "sim-sink",
                                             .on_batch = writer_on_batch,
                                             .on_barrier = writer_on_barrier,
                                             .close = writer_close};

static enum status open_writer(const struct plan_node *sink, const struct op_context *context,
                               struct op **out, struct err *err)
{
    (void)err;
    struct writer *writer = mem_zalloc(sizeof *writer);
    op_init(&writer->op, &writer_class, context, sink);
    strbuf_init(&writer->pending, BYTES_MAX);
    const struct snapshot_reader *restore = context->restore;
    for (uint32_t i = 0; restore != NULL && i < restore->entry_count; i++) {
        const struct snapshot_entry *entry = &restore->entries[i];
        if (str_is(entry->key, SINK_KEY_OPEN) &&
            entry->instance % context->parallelism == context->instance) {
            strbuf_add(&writer->pending, entry->bytes);
        }
    }
    *out = &writer->op;
    return STATUS_OK;
}

// The committer.
struct committer {
    struct sink_committer base; // first
    struct sim_sink_table *table;
    struct str lineage; // borrowed from the job
    uint64_t run;
};

static enum status ask(struct sim_sink_table *table, const char *what, struct err *err)
{
    return sim_world_operation(table->world, what, STR_LIT("totals")) == STATUS_OK
               ? STATUS_OK
               : ERR(err, STATUS_UNAVAILABLE, "table 'totals' does not answer");
}

static void apply(struct sim_sink_table *table, struct str lines)
{
    while (lines.size > 0) {
        size_t end = str_find(lines, '\n');
        struct str row = str_slice(lines, 1, end);
        bool adds = lines.ptr[0] == '+';
        if (!sim_rows_remove(adds ? &table->owed : &table->rows, row)) {
            sim_rows_add(adds ? &table->rows : &table->owed, row);
        }
        lines = str_slice(lines, end + 1, lines.size);
    }
}

static bool is_committed(const struct committer *committer, struct epoch epoch)
{
    const struct sim_sink_table *table = committer->table;
    return table->has_token && str_equal(table->lineage, committer->lineage) &&
           epoch_compare(table->last, epoch) >= 0;
}

static enum status commit(struct sink_committer *base, struct epoch epoch,
                          const struct str *committables, uint32_t count, struct str positions,
                          struct err *err)
{
    (void)positions;
    struct committer *committer = (struct committer *)base;
    struct sim_sink_table *table = committer->table;
    TRY(ask(table, "commit", err));
    if (epoch.run < table->fenced.run) {
        return ERR(err, STATUS_CONFLICT, "table 'totals' was fenced by run %" PRIu64,
                   table->fenced.run);
    }
    if (is_committed(committer, epoch)) {
        return STATUS_OK;
    }
    for (uint32_t i = 0; i < count; i++) {
        apply(table, committables[i]);
    }
    table->has_token = true;
    table->lineage = arena_str(&table->rows.arena, committer->lineage);
    table->last = epoch;
    table->commits++;
    return ask(table, "committed", err); // perhaps the reply is lost
}

static enum status resolve(struct sink_committer *base, struct epoch last,
                           enum sink_verdict *verdict, struct err *err)
{
    struct committer *committer = (struct committer *)base;
    struct sim_sink_table *table = committer->table;
    TRY(ask(table, "resolve", err));
    if (table->has_token && epoch_compare(table->last, last) > 0) {
        return ERR(err, STATUS_CONFLICT, "table 'totals' holds epoch %" PRIu64 "-%" PRIu64,
                   table->last.run, table->last.number);
    }
    *verdict = is_committed(committer, last) ? SINK_COMMITTED : SINK_NOT_COMMITTED;
    return STATUS_OK;
}

static enum status fence(struct sink_committer *base, struct err *err)
{
    struct committer *committer = (struct committer *)base;
    TRY(ask(committer->table, "fence", err));
    committer->table->fenced.run = committer->run;
    return STATUS_OK;
}

static enum status held(struct sink_committer *base, struct arena *arena, struct str *text,
                        struct err *err)
{
    (void)arena;
    struct committer *committer = (struct committer *)base;
    *text = STR_LIT("table 'totals' holds its rows");
    return committer->table->has_token ? STATUS_OK
                                       : ERR(err, STATUS_NOT_FOUND, "nothing is held");
}

static enum status clean(struct sink_committer *base, uint64_t run_from, const struct str *keep,
                         uint32_t count, struct err *err)
{
    (void)base;
    (void)run_from;
    (void)keep;
    (void)count;
    (void)err;
    return STATUS_OK;
}

static void close(struct sink_committer *base)
{
    mem_free(base);
}

static const struct sink_committer_ops committer_ops = {commit, resolve, fence,
                                                        held,   clean,   close};

static enum status open_committer(const struct plan_node *sink,
                                  const struct sink_identity *identity,
                                  struct sink_committer **out, struct err *err)
{
    (void)sink;
    (void)err;
    struct committer *committer = mem_zalloc(sizeof *committer);
    *committer = (struct committer){.base = {.ops = &committer_ops},
                                    .table = used_table,
                                    .lineage = identity->lineage,
                                    .run = identity->run};
    *out = &committer->base;
    return STATUS_OK;
}

const struct sink_class sim_sink_class = {
    .name = "sim-sink", .open = open_writer, .open_committer = open_committer};
