// SPDX-License-Identifier: Apache-2.0
//
// ChangelogNormalize: keeps the last row of each key, and makes of upserts, or of changes that may
// come twice, a full changelog: +I for a key that is new, -U and +U with the row it had, -D with
// the whole row; nothing where a row comes again unchanged or a key that is not there is deleted.
// A -U deletes as a -D does, whatever values it brings, since nobody promises that its +U follows
// (Flink's rule).
#include <string.h>

#include "base/assert.h"
#include "base/mem.h"
#include "exec/column_map.h"
#include "exec/op.h"
#include "kernel/hash_columns.h"
#include "kernel/row_equal.h"
#include "plan/plan.h"
#include "state/hash_table.h"
#include "state/state.h"

enum { WINDOW_ROWS_MAX = BATCH_ROWS_MAX / 2 };
#define NO_ROW UINT32_MAX

struct op_normalize {
    struct op op;
    struct arena arena; // of the layout
    uint32_t key_count, column_count;
    uint32_t *order;                 // columns in the order of the layout: keys first
    const struct row_layout *layout; // extra: {serial, last}
    struct hash_table *table;
    uint32_t serial;
    uint32_t next;
};

struct chain {
    uint32_t serial;
    uint32_t last;
};

struct window {
    uint32_t from, count;
    struct column *columns; // of the whole batch, in the layout's order
    uint64_t *hashes;
    struct row **rows;
    uint64_t *is_new;
};

static enum status prepare(struct op_normalize *normalize, const struct batch *in,
                           struct window *window, struct err *err)
{
    struct arena *scratch = &normalize->op.scratch;
    window->columns = arena_new_array(scratch, struct column, normalize->column_count);
    for (uint32_t i = 0; i < normalize->column_count; i++) {
        window->columns[i] = in->columns[normalize->order[i]];
    }
    window->hashes = arena_alloc(scratch, in->row_count * sizeof *window->hashes);
    hash_columns(window->columns, normalize->key_count, in->row_count, window->hashes);
    struct hash_keys keys = {.columns = window->columns,
                             .column_count = normalize->key_count,
                             .hashes = window->hashes,
                             .count = in->row_count};
    uint32_t ready;
    window->from = normalize->next;
    TRY(hash_table_prepare(normalize->table, &keys, window->from, &ready, err));
    window->count = ready < WINDOW_ROWS_MAX ? ready : WINDOW_ROWS_MAX;
    window->rows = arena_new_array(scratch, struct row *, window->count);
    window->is_new =
        arena_zalloc(scratch, (bits_words(window->count) + 1) * sizeof *window->is_new);
    hash_table_upsert(normalize->table, &keys, window->from, window->count, window->rows,
                      window->is_new);
    return STATUS_OK;
}

// For each row of the window: which row of the window holds the key's row before it (its index), or
// `count` + i: the row in state, or NO_ROW: there is none. Retractions leave none.
static uint32_t *find_old(struct op_normalize *normalize, const struct batch *in,
                          const struct window *window, bool *is_last)
{
    uint32_t *old = arena_alloc(&normalize->op.scratch, window->count * sizeof *old);
    normalize->serial++;
    for (uint32_t i = 0; i < window->count; i++) {
        struct chain chain;
        char *extra = row_extra(normalize->layout, window->rows[i]);
        memcpy(&chain, extra, sizeof chain);
        bool is_ours = chain.serial == normalize->serial && chain.last < i &&
                       window->rows[chain.last] == window->rows[i];
        is_last[i] = true;
        if (is_ours) {
            is_last[chain.last] = false;
            int8_t kind =
                in->kinds == NULL ? (int8_t)CHANGE_INSERT : in->kinds[window->from + chain.last];
            old[i] = change_is_retraction(kind) ? NO_ROW : chain.last;
        } else {
            old[i] = bits_get(window->is_new, i) ? NO_ROW : window->count + i;
        }
        chain = (struct chain){normalize->serial, i};
        memcpy(extra, &chain, sizeof chain);
    }
    return old;
}

struct emission {
    uint16_t *sources; // row of the window, or count + i: the row in state
    int8_t *kinds;
    uint32_t count;
};

static void emit(struct emission *out, uint32_t source, enum change kind)
{
    out->sources[out->count] = (uint16_t)source;
    out->kinds[out->count++] = (int8_t)kind;
}

static void decide(const struct batch *in, const struct window *window, const uint32_t *old,
                   const struct column *both, uint32_t column_count, struct emission *out)
{
    for (uint32_t i = 0; i < window->count; i++) {
        int8_t kind = in->kinds == NULL ? (int8_t)CHANGE_INSERT : in->kinds[window->from + i];
        if (change_is_retraction(kind)) {
            if (old[i] != NO_ROW) {
                emit(out, old[i], CHANGE_DELETE);
            }
        } else if (old[i] == NO_ROW) {
            emit(out, i, CHANGE_INSERT);
        } else if (!row_equal((struct row_equal_side){both, old[i]},
                              (struct row_equal_side){both, i}, column_count)) {
            emit(out, old[i], CHANGE_UPDATE_BEFORE);
            emit(out, i, CHANGE_UPDATE_AFTER);
        }
    }
}

// The last row of each key stays in state; a deleted key goes.
static void store(struct op_normalize *normalize, const struct batch *in,
                  const struct window *window, const bool *is_last)
{
    for (uint32_t i = 0; i < window->count; i++) {
        if (!is_last[i]) {
            continue;
        }
        int8_t kind = in->kinds == NULL ? (int8_t)CHANGE_INSERT : in->kinds[window->from + i];
        if (change_is_retraction(kind)) {
            hash_table_remove(normalize->table, window->rows[i]);
            continue;
        }
        struct row *row = window->rows[i];
        for (uint32_t f = normalize->key_count; f < normalize->column_count; f++) {
            row = hash_table_set(normalize->table, row, f, &window->columns[f], window->from + i);
        }
    }
}

static void run(struct op_normalize *normalize, const struct batch *in, const struct window *window,
                struct batch *out)
{
    struct arena *scratch = &normalize->op.scratch;
    uint32_t column_count = normalize->column_count;
    bool *is_last = arena_zalloc(scratch, window->count);
    uint32_t *old = find_old(normalize, in, window, is_last);
    // New rows, then the rows in state, in the layout's order.
    struct column *both = arena_new_array(scratch, struct column, column_count);
    for (uint32_t i = 0; i < column_count; i++) {
        struct column parts[2] = {
            column_slice(scratch, &window->columns[i], window->from, window->count),
            row_layout_column(normalize->layout, i, window->rows, window->count, scratch)};
        both[i] = column_concat(scratch, parts, 2);
    }
    struct emission emission = {.sources =
                                    arena_alloc(scratch, 2 * window->count * sizeof(uint16_t)),
                                .kinds = arena_alloc(scratch, 2 * window->count)};
    decide(in, window, old, both, column_count, &emission);
    struct column *columns = arena_new_array(scratch, struct column, column_count);
    for (uint32_t i = 0; i < column_count && emission.count > 0; i++) {
        columns[normalize->order[i]] =
            column_gather(scratch, &both[i], emission.sources, emission.count);
    }
    store(normalize, in, window, is_last);
    *out = (struct batch){.row_count = emission.count,
                          .column_count = column_count,
                          .columns = columns,
                          .kinds = emission.kinds,
                          .row_watermarks = NULL};
}

static enum op_result normalize_on_batch(struct op *op, uint32_t port, const struct batch *in,
                                         struct op_output *out, struct err *err)
{
    (void)port;
    struct op_normalize *normalize = (struct op_normalize *)op;
    struct window window;
    arena_reset(&op->scratch);
    enum status status = prepare(normalize, in, &window, err);
    if (status != STATUS_OK) {
        return status == STATUS_AGAIN ? OP_PENDING : OP_FAILED;
    }
    run(normalize, in, &window, &out->batch);
    normalize->next += window.count;
    if (normalize->next < in->row_count) {
        return OP_MORE;
    }
    normalize->next = 0;
    hash_table_done(normalize->table);
    return OP_DONE;
}

static void normalize_close(struct op *op)
{
    struct op_normalize *normalize = (struct op_normalize *)op;
    hash_table_free(normalize->table);
    mem_free(normalize->order);
    arena_release(&normalize->arena);
    op_release(op);
    mem_free(normalize);
}

static const struct op_class normalize_class = {
    .name = "normalize",
    .on_batch = normalize_on_batch,
    .close = normalize_close,
};

enum status op_normalize_new(const struct plan_node *node, const struct op_context *context,
                             struct op **out, struct err *err)
{
    (void)err;
    struct op_normalize *normalize = mem_zalloc(sizeof *normalize);
    op_init(&normalize->op, &normalize_class, context, node);
    struct plan_ids keys = node->as.normalize.keys;
    const struct plan_node *input = node->inputs[0];
    normalize->key_count = keys.count;
    normalize->column_count = input->column_count;
    normalize->order = mem_zalloc(input->column_count * sizeof *normalize->order);
    bool *is_key = arena_new_array(&normalize->op.scratch, bool, input->column_count);
    uint32_t at = 0;
    for (uint32_t i = 0; i < keys.count; i++) {
        normalize->order[at] = plan_column_index(input, keys.ids[i]);
        ASSERT(normalize->order[at] != UINT32_MAX);
        is_key[normalize->order[at++]] = true;
    }
    for (uint32_t i = 0; i < input->column_count; i++) {
        if (!is_key[i]) {
            normalize->order[at++] = i;
        }
    }
    const struct type **types =
        arena_new_array(&normalize->arena, const struct type *, input->column_count);
    for (uint32_t i = 0; i < input->column_count; i++) {
        types[i] = input->columns[normalize->order[i]].type;
    }
    normalize->layout = row_layout_new(&normalize->arena, types, keys.count, input->column_count,
                                       sizeof(struct chain));
    struct hash_table_options options = {.layout = normalize->layout};
    normalize->table = hash_table_new(context->state, &options);
    *out = &normalize->op;
    return STATUS_OK;
}
