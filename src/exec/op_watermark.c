// SPDX-License-Identifier: Apache-2.0
#include "exec/op_watermark.h"

#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "exec/column_map.h"
#include "exec/source.h"
#include "expr/program.h"
#include "plan/plan.h"
#include "sys/clock.h"

struct restored_split {
    char *name; // owned
    size_t name_size;
    int64_t watermark;
};

struct op_watermark {
    struct op op;
    struct program *program;
    struct source_splits *splits;
    struct source_splits single; // where no source is attached
    struct source_split single_split;
    uint32_t known_splits; // those looked up in `restored` already
    VEC(struct restored_split) restored;
    int64_t emitted;
    int64_t interval_us;
    int64_t idle_timeout_us;
    bool by_row; // row watermarks are written
    bool starts_at_zero;
    bool is_idle;
    bool announces; // the restored watermark, before anything else
};

// Splits that were there before a restart go on with the watermark that they had.
static void note_new_splits(struct op_watermark *assigner)
{
    for (; assigner->known_splits < assigner->splits->count; assigner->known_splits++) {
        struct source_split *split = &assigner->splits->items[assigner->known_splits];
        split->watermark = WATERMARK_NONE;
        for (uint32_t i = 0; i < assigner->restored.count; i++) {
            const struct restored_split *old = &assigner->restored.items[i];
            if (str_equal(str_make(old->name, old->name_size), split->name)) {
                split->watermark = old->watermark;
            }
        }
    }
}

static bool is_idle(const struct op_watermark *assigner, const struct source_split *split)
{
    if (assigner->idle_timeout_us <= 0 || split->caught_up_us < 0) {
        return false;
    }
    int64_t now = clock_monotonic_us(assigner->op.context->clock);
    return now - split->caught_up_us >= assigner->idle_timeout_us;
}

// The minimum over active splits, `except` left out; WATERMARK_END where none is active. Sets
// *highest to the greatest of all, finished ones too, for the case that none is active.
static int64_t lowest_of_others(const struct op_watermark *assigner, uint32_t except,
                                int64_t *highest)
{
    int64_t lowest = WATERMARK_END;
    *highest = WATERMARK_NONE;
    for (uint32_t i = 0; i < assigner->splits->count; i++) {
        const struct source_split *split = &assigner->splits->items[i];
        if (i == except) {
            continue;
        }
        *highest = split->watermark > *highest ? split->watermark : *highest;
        if (split->state == SPLIT_FINISHED) {
            continue;
        }
        if (!is_idle(assigner, split)) {
            lowest = split->watermark < lowest ? split->watermark : lowest;
        }
    }
    return lowest;
}

// What a watermark must exceed to be emitted.
static int64_t last_emitted(const struct op_watermark *assigner)
{
    return assigner->emitted == WATERMARK_NONE && assigner->starts_at_zero ? 0 : assigner->emitted;
}

static bool is_due(const struct op_watermark *assigner, int64_t candidate)
{
    int64_t last = last_emitted(assigner);
    if (candidate <= last) {
        return false;
    }
    return last == WATERMARK_NONE || assigner->interval_us == 0 ||
           candidate - last > assigner->interval_us;
}

static void emit_up_to(struct op_watermark *assigner, int64_t candidate)
{
    if (candidate > last_emitted(assigner)) {
        assigner->emitted = candidate;
    }
}

// Runs the split's watermark over the rows; the watermark in force at row i is that which rows
// before it made.
static void run_rows(struct op_watermark *assigner, const struct batch *in,
                     const struct column *marks, int64_t others, int64_t *row_watermarks)
{
    struct source_split *split = &assigner->splits->items[in->split];
    int64_t own = split->watermark;
    for (uint32_t row = 0; row < in->row_count; row++) {
        row_watermarks[row] = assigner->emitted;
        if (column_is_null(marks, row)) {
            continue;
        }
        int64_t mark;
        memcpy(&mark, column_value(marks, row), sizeof mark);
        own = mark > own ? mark : own;
        int64_t candidate = own < others ? own : others;
        if (is_due(assigner, candidate)) {
            assigner->emitted = candidate;
        }
    }
    split->watermark = own;
}

static void run_batch(struct op_watermark *assigner, const struct batch *in,
                      const struct column *marks)
{
    struct source_split *split = &assigner->splits->items[in->split];
    for (uint32_t row = 0; row < in->row_count; row++) {
        int64_t mark;
        memcpy(&mark, column_value(marks, row), sizeof mark);
        if (mark > split->watermark && !column_is_null(marks, row)) {
            split->watermark = mark;
        }
    }
}

static void emit_if_grown(struct op_watermark *assigner, int64_t before, struct op_output *out)
{
    if (assigner->emitted > before) {
        out->has_watermark = true;
        out->watermark = assigner->emitted;
    }
}

static enum op_result watermark_on_batch(struct op *op, uint32_t port, const struct batch *in,
                                         struct op_output *out, struct err *err)
{
    (void)port;
    struct op_watermark *assigner = (struct op_watermark *)op;
    arena_reset(&op->scratch);
    note_new_splits(assigner);
    struct column marks;
    if (program_run(assigner->program, in, NULL, &marks, err) != STATUS_OK) {
        return OP_FAILED;
    }
    int64_t before = assigner->emitted;
    int64_t highest;
    int64_t others = lowest_of_others(assigner, in->split, &highest);
    out->batch = *in;
    out->batch.owner = NULL;
    if (assigner->by_row) {
        int64_t *row_watermarks = arena_alloc(&op->scratch, in->row_count * sizeof(int64_t));
        run_rows(assigner, in, &marks, others, row_watermarks);
        out->batch.row_watermarks = row_watermarks;
    } else {
        run_batch(assigner, in, &marks);
        int64_t own = assigner->splits->items[in->split].watermark;
        emit_up_to(assigner, own < others ? own : others);
    }
    emit_if_grown(assigner, before, out);
    if (assigner->is_idle) {
        assigner->is_idle = false;
        out->is_active = true;
    }
    return OP_DONE;
}

// Splits that became idle or finished no longer hold the watermark back.
static enum op_result watermark_on_dry(struct op *op, struct op_output *out, struct err *err)
{
    (void)err;
    struct op_watermark *assigner = (struct op_watermark *)op;
    note_new_splits(assigner);
    int64_t before = assigner->emitted;
    int64_t highest;
    int64_t lowest = lowest_of_others(assigner, UINT32_MAX, &highest);
    // An instance without open splits has nothing to wait for: idle at once. This is said before
    // the watermark, or receivers would take rows of others under a watermark that lags.
    bool idle = lowest == WATERMARK_END && !assigner->splits->has_pending;
    if (idle != assigner->is_idle) {
        assigner->is_idle = idle;
        out->is_idle = idle;
        out->is_active = !idle;
        return OP_MORE;
    }
    emit_up_to(assigner, lowest != WATERMARK_END         ? lowest
                         : assigner->splits->has_pending ? before
                                                         : highest);
    emit_if_grown(assigner, assigner->announces ? WATERMARK_NONE : before, out);
    assigner->announces = false;
    return OP_DONE;
}

static enum op_result watermark_on_end(struct op *op, struct op_output *out, struct err *err)
{
    (void)err;
    ((struct op_watermark *)op)->emitted = WATERMARK_END;
    out->has_watermark = true;
    out->watermark = WATERMARK_END;
    return OP_DONE;
}

struct saved_watermark {
    int64_t watermark;
    int64_t is_idle;
};

static void put(struct op_watermark *assigner, struct snapshot_writer *writer, struct str key,
                struct saved_watermark saved)
{
    writer->put(writer, assigner->op.context->operator_id, assigner->op.context->instance, key,
                str_make((const char *)&saved, sizeof saved));
}

static bool take(const struct snapshot_entry *entry, struct saved_watermark *out)
{
    if (entry->bytes.size != sizeof *out) {
        return false;
    }
    memcpy(out, entry->bytes.ptr, sizeof *out);
    return true;
}

static enum op_result watermark_on_barrier(struct op *op, const struct barrier *barrier,
                                           struct snapshot_writer *writer, struct err *err)
{
    (void)barrier;
    (void)err;
    struct op_watermark *assigner = (struct op_watermark *)op;
    note_new_splits(assigner);
    arena_reset(&op->scratch);
    put(assigner, writer, STR_LIT("watermark"),
        (struct saved_watermark){assigner->emitted, assigner->is_idle});
    for (uint32_t i = 0; i < assigner->splits->count; i++) {
        const struct source_split *split = &assigner->splits->items[i];
        put(assigner, writer, arena_printf(&op->scratch, "split/%.*s", STR_ARGS(split->name)),
            (struct saved_watermark){split->watermark, assigner->is_idle});
    }
    return OP_DONE;
}

int64_t op_watermark_restored(const struct snapshot_reader *reader)
{
    int64_t lowest = WATERMARK_END;
    int64_t highest = WATERMARK_NONE;
    bool any_active = false;
    for (uint32_t i = 0; i < reader->entry_count; i++) {
        struct saved_watermark saved;
        if (!str_is(reader->entries[i].key, "watermark") || !take(&reader->entries[i], &saved)) {
            continue;
        }
        highest = saved.watermark > highest ? saved.watermark : highest;
        if (saved.is_idle == 0) {
            any_active = true;
            lowest = saved.watermark < lowest ? saved.watermark : lowest;
        }
    }
    return any_active ? lowest : highest;
}

// Each instance goes on with the watermark that was in force downstream.
static void restore(struct op_watermark *assigner, const struct snapshot_reader *reader)
{
    for (uint32_t i = 0; i < reader->entry_count; i++) {
        const struct snapshot_entry *entry = &reader->entries[i];
        struct saved_watermark saved;
        if (str_starts(entry->key, "split/") && take(entry, &saved)) {
            struct str name = str_slice(entry->key, strlen("split/"), entry->key.size);
            char *copy = mem_alloc(name.size + 1);
            memcpy(copy, name.ptr, name.size);
            VEC_PUSH(&assigner->restored,
                     ((struct restored_split){copy, name.size, saved.watermark}));
        }
    }
    assigner->emitted = op_watermark_restored(reader);
    assigner->announces = assigner->emitted != WATERMARK_NONE;
}

static void watermark_close(struct op *op)
{
    struct op_watermark *assigner = (struct op_watermark *)op;
    program_free(assigner->program);
    for (uint32_t i = 0; i < assigner->restored.count; i++) {
        mem_free(assigner->restored.items[i].name);
    }
    VEC_RELEASE(&assigner->restored);
    op_release(op);
    mem_free(assigner);
}

static const struct op_class watermark_class = {
    .name = "watermark",
    .on_batch = watermark_on_batch,
    .on_dry = watermark_on_dry,
    .on_end = watermark_on_end,
    .on_barrier = watermark_on_barrier,
    .close = watermark_close,
};

void op_watermark_attach(struct op *op, struct source_splits *splits)
{
    struct op_watermark *assigner = (struct op_watermark *)op;
    assigner->splits = splits;
    assigner->known_splits = 0;
}

enum status op_watermark_new(const struct plan_node *node, const struct op_context *context,
                             struct op **out, struct err *err)
{
    struct op_watermark *assigner = mem_zalloc(sizeof *assigner);
    op_init(&assigner->op, &watermark_class, context, node);
    assigner->single_split = (struct source_split){.caught_up_us = -1, .watermark = WATERMARK_NONE};
    assigner->single = (struct source_splits){.count = 1, .items = &assigner->single_split};
    assigner->splits = &assigner->single;
    assigner->emitted = WATERMARK_NONE;
    assigner->interval_us = context->watermark_interval_ms * 1000;
    assigner->idle_timeout_us = node->as.watermark.idle_timeout_ms * 1000;
    assigner->starts_at_zero = node->as.watermark.starts_at_zero;
    assigner->by_row = context->row_watermarks || node->bounded;
    if (context->restore != NULL) {
        restore(assigner, context->restore);
    }
    struct program_spec spec = {.exprs = &node->as.watermark.expression,
                                .count = 1,
                                .column_ids =
                                    column_map_ids(&assigner->op.scratch, node->inputs[0]),
                                .column_count = node->inputs[0]->column_count,
                                .settings = context->expr_settings};
    enum status status = program_compile(&spec, &assigner->program, err);
    if (status != STATUS_OK) {
        watermark_close(&assigner->op);
        return status;
    }
    *out = &assigner->op;
    return STATUS_OK;
}
