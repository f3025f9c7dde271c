// SPDX-License-Identifier: Apache-2.0
//
// The rows in memory, and what happens when: they are kept, put in order, written out, merged.
#include "state/sorter.h"

#include "base/budget.h"
#include "base/buf.h"
#include "base/mem.h"
#include "state/sorter_int.h"

enum { RUNS_MAX = 64, BYTES_MIN = 64 << 10, BLOCK_BYTES = 256 << 10, BLOCK_ROWS_MIN = 16 };
enum { ROW_OVERHEAD = 40 }; // of putting in order: places, positions, offsets and a short key

enum step {
    STEP_KEEPING,  // rows are taken in
    STEP_WRITING,  // what is in memory becomes a run
    STEP_REDUCING, // all runs become one
    STEP_HANDING,  // out, from memory
    STEP_MERGING,  // out, from the runs
};

struct sorter {
    struct sorter_options options; // with the two lists below
    struct order_column *orders;
    uint32_t *keys;
    enum step step;
    uint32_t column_count;
    VEC(struct batch *) batches;
    uint64_t row_count;
    size_t bytes;
    // In order.
    struct arena order_arena;
    size_t order_bytes; // charged for it
    struct column_place *order;
    struct column *parts; // column c of all batches: parts[c * batch count]
    uint64_t end;         // rows of `order` that count
    uint64_t next;
    uint32_t block_rows;
    struct arena scratch; // of the block being written
    struct sorter_runs runs;
    uint64_t handed_out;
};

struct sorter *sorter_new(const struct sorter_options *options)
{
    struct sorter *sorter = mem_zalloc(sizeof *sorter);
    uint32_t count = options->spec.count;
    sorter->orders = mem_alloc((count + 1) * sizeof *sorter->orders);
    sorter->keys = mem_alloc((count + 1) * sizeof *sorter->keys);
    for (uint32_t i = 0; i < count; i++) {
        sorter->orders[i] = options->spec.orders[i];
        sorter->keys[i] = options->keys[i];
    }
    sorter->options = *options;
    sorter->options.spec.orders = sorter->orders;
    sorter->options.keys = sorter->keys;
    if (options->runs_max == 0) {
        sorter->options.runs_max = RUNS_MAX;
    }
    arena_init(&sorter->order_arena);
    arena_init(&sorter->scratch);
    sorter_runs_init(&sorter->runs, &sorter->options);
    return sorter;
}

// --- in memory ---------------------------------------------------------------------------------

static void drop_order(struct sorter *sorter)
{
    arena_release(&sorter->order_arena);
    arena_init(&sorter->order_arena);
    budget_give(sorter->options.budget, sorter->order_bytes);
    sorter->order_bytes = 0;
    sorter->order = NULL;
}

static void drop_rows(struct sorter *sorter)
{
    drop_order(sorter);
    for (uint32_t i = 0; i < sorter->batches.count; i++) {
        batch_drop(sorter->batches.items[i]);
    }
    sorter->batches.count = 0;
    sorter->row_count = 0;
    sorter->bytes = 0;
}

static void keep(struct sorter *sorter, const struct batch *batch)
{
    struct batch *settled = batch_settle(batch, sorter->options.budget);
    sorter->column_count = settled->column_count;
    sorter->row_count += settled->row_count;
    sorter->bytes += settled->owner->charged;
    VEC_PUSH(&sorter->batches, settled);
}

// The parts of column `at`, one a batch.
static struct column *column_parts(struct sorter *sorter, struct arena *arena, uint32_t at)
{
    struct column *parts = arena_new_array(arena, struct column, sorter->batches.count);
    for (uint32_t i = 0; i < sorter->batches.count; i++) {
        parts[i] = sorter->batches.items[i]->columns[at];
    }
    return parts;
}

// positions[i] of the row that comes i-th, to its place.
static struct column_place *find_places(const struct sorter *sorter, struct arena *arena,
                                        const uint32_t *positions)
{
    struct column_place *all = mem_alloc((sorter->row_count + 1) * sizeof *all);
    struct column_place *order = arena_alloc(arena, (sorter->row_count + 1) * sizeof *order);
    uint64_t at = 0;
    for (uint32_t i = 0; i < sorter->batches.count; i++) {
        for (uint32_t row = 0; row < sorter->batches.items[i]->row_count; row++) {
            all[at++] = (struct column_place){i, row};
        }
    }
    for (uint64_t i = 0; i < sorter->row_count; i++) {
        order[i] = all[positions[i]];
    }
    mem_free(all);
    return order;
}

static enum status put_in_order(struct sorter *sorter, struct err *err)
{
    const struct order_spec *spec = &sorter->options.spec;
    struct arena *arena = &sorter->order_arena;
    struct arena work;
    struct order_keys keys;
    arena_init(&work);
    struct column *columns = arena_new_array(&work, struct column, spec->count);
    for (uint32_t i = 0; i < spec->count; i++) {
        columns[i] = column_concat(&work, column_parts(sorter, &work, sorter->options.keys[i]),
                                   sorter->batches.count);
    }
    enum status status = order_encode(&work, columns, spec, &keys, err);
    if (status == STATUS_OK) {
        uint32_t *positions = arena_alloc(&work, (keys.count + 1) * sizeof *positions);
        order_sort(&work, &keys, positions);
        sorter->order = find_places(sorter, arena, positions);
        sorter->parts =
            arena_new_array(arena, struct column, sorter->column_count * sorter->batches.count);
        for (uint32_t c = 0; c < sorter->column_count; c++) {
            for (uint32_t i = 0; i < sorter->batches.count; i++) {
                sorter->parts[c * sorter->batches.count + i] = sorter->batches.items[i]->columns[c];
            }
        }
        sorter->order_bytes = arena->bytes;
        budget_force(sorter->options.budget, sorter->order_bytes);
    }
    arena_release(&work);
    sorter->end =
        sorter->row_count < sorter->options.limit ? sorter->row_count : sorter->options.limit;
    sorter->next = 0;
    return status;
}

// Rows of the order from `next` on.
static struct batch pick(struct sorter *sorter, struct arena *arena, uint32_t rows_max)
{
    uint64_t left = sorter->end - sorter->next;
    uint32_t count = left < rows_max ? (uint32_t)left : rows_max;
    struct column *columns = arena_new_array(arena, struct column, sorter->column_count);
    for (uint32_t c = 0; c < sorter->column_count; c++) {
        columns[c] = column_pick(arena, sorter->parts + c * sorter->batches.count,
                                 sorter->batches.count, sorter->order + sorter->next, count);
    }
    sorter->next += count;
    return (struct batch){
        .row_count = count, .column_count = sorter->column_count, .columns = columns};
}

// Of four times as many rows as are wanted only those stay.
static enum status prune(struct sorter *sorter, struct err *err)
{
    VEC(struct batch *) kept = {0};
    if (sorter->options.limit >= UINT64_MAX / 4 || sorter->row_count <= 4 * BATCH_ROWS_MAX ||
        sorter->row_count <= sorter->options.limit * 4) {
        return STATUS_OK;
    }
    TRY(put_in_order(sorter, err));
    while (sorter->next < sorter->end) {
        arena_reset(&sorter->scratch);
        struct batch batch = pick(sorter, &sorter->scratch, BATCH_ROWS_MAX);
        VEC_PUSH(&kept, batch_settle(&batch, sorter->options.budget));
    }
    drop_rows(sorter);
    for (uint32_t i = 0; i < kept.count; i++) {
        sorter->row_count += kept.items[i]->row_count;
        sorter->bytes += kept.items[i]->owner->charged;
        VEC_PUSH(&sorter->batches, kept.items[i]);
    }
    VEC_RELEASE(&kept);
    return STATUS_OK;
}

// --- over the budget ---------------------------------------------------------------------------

static bool is_full(const struct sorter *sorter)
{
    if (sorter->row_count > UINT32_MAX / 2 || sorter->bytes > (size_t)2 << 30) {
        return true;
    }
    size_t work = sorter->bytes / 2 + sorter->row_count * ROW_OVERHEAD;
    return sorter->bytes >= BYTES_MIN && budget_room(sorter->options.budget) < work;
}

static enum status refuse(struct err *err)
{
    ERR(err, STATUS_LIMIT, "ORDER BY over more rows than fit into the memory of the job");
    err_hint(err, "add a LIMIT, or raise 'memory.limit'");
    return STATUS_LIMIT;
}

static enum status begin_run(struct sorter *sorter, struct err *err)
{
    size_t row_bytes = sorter->bytes / sorter->row_count + 1;
    size_t rows = BLOCK_BYTES / row_bytes;
    sorter->block_rows = rows < BLOCK_ROWS_MIN   ? BLOCK_ROWS_MIN
                         : rows > BATCH_ROWS_MAX ? BATCH_ROWS_MAX
                                                 : (uint32_t)rows;
    sorter->runs.column_count = sorter->column_count;
    sorter->step = STEP_WRITING;
    return put_in_order(sorter, err);
}

// Goes on with the run of what is in memory.
static enum status write_run(struct sorter *sorter, struct err *err)
{
    while (sorter->next < sorter->end) {
        TRY(sorter_runs_ready(&sorter->runs, err));
        arena_reset(&sorter->scratch);
        struct batch batch = pick(sorter, &sorter->scratch, sorter->block_rows);
        TRY(sorter_runs_append(&sorter->runs, &batch, err));
    }
    sorter_runs_end(&sorter->runs);
    drop_rows(sorter);
    sorter->step = STEP_KEEPING;
    if (sorter->runs.runs.count >= sorter->options.runs_max) {
        sorter->step = STEP_REDUCING;
        sorter->handed_out = 0;
        sorter_runs_merge(&sorter->runs);
    }
    return STATUS_OK;
}

// Goes on with making all runs one.
static enum status reduce(struct sorter *sorter, struct err *err)
{
    enum status status = STATUS_OK;
    while (status == STATUS_OK && sorter->handed_out < sorter->options.limit) {
        struct batch batch;
        uint64_t left = sorter->options.limit - sorter->handed_out;
        TRY(sorter_runs_ready(&sorter->runs, err));
        arena_reset(&sorter->scratch);
        status = sorter_runs_next(&sorter->runs, &sorter->scratch,
                                  left < sorter->block_rows ? (uint32_t)left : sorter->block_rows,
                                  &batch, err);
        if (status == STATUS_OK) {
            sorter->handed_out += batch.row_count;
            status = sorter_runs_append(&sorter->runs, &batch, err);
        }
    }
    if (status != STATUS_OK && status != STATUS_END) {
        return status;
    }
    TRY(sorter_runs_replace(&sorter->runs, err));
    sorter->handed_out = 0;
    sorter->step = STEP_KEEPING;
    return STATUS_OK;
}

static enum status go_on(struct sorter *sorter, struct err *err)
{
    if (sorter->step == STEP_WRITING) {
        TRY(write_run(sorter, err));
    }
    return sorter->step == STEP_REDUCING ? reduce(sorter, err) : STATUS_OK;
}

enum status sorter_add(struct sorter *sorter, const struct batch *batch, struct err *err)
{
    TRY(go_on(sorter, err));
    if (batch->row_count == 0) {
        return STATUS_OK;
    }
    keep(sorter, batch);
    TRY(prune(sorter, err));
    if (!is_full(sorter)) {
        return STATUS_OK;
    }
    if (sorter->options.spill != NULL) {
        return begin_run(sorter, err); // it is written from the next call on
    }
    bool is_over = sorter->row_count > UINT32_MAX / 2 || budget_excess(sorter->options.budget) > 0;
    return is_over ? refuse(err) : STATUS_OK;
}

static enum status begin_handing_out(struct sorter *sorter, struct err *err)
{
    if (sorter->runs.runs.count == 0) {
        sorter->step = STEP_HANDING;
        return sorter->row_count > 0 ? put_in_order(sorter, err) : STATUS_OK;
    }
    if (sorter->row_count > 0) {
        TRY(begin_run(sorter, err));
        return go_on(sorter, err);
    }
    sorter_runs_merge(&sorter->runs);
    sorter->step = STEP_MERGING;
    return STATUS_OK;
}

enum status sorter_next(struct sorter *sorter, struct arena *arena, uint32_t rows_max,
                        struct batch *out, struct err *err)
{
    uint32_t most = rows_max < BATCH_ROWS_MAX ? rows_max : BATCH_ROWS_MAX;
    TRY(go_on(sorter, err));
    while (sorter->step == STEP_KEEPING) {
        TRY(begin_handing_out(sorter, err));
    }
    if (sorter->step == STEP_HANDING) {
        if (sorter->next == sorter->end) {
            return STATUS_END;
        }
        *out = pick(sorter, arena, most);
        return STATUS_OK;
    }
    uint64_t left = sorter->options.limit - sorter->handed_out;
    if (left == 0) {
        return STATUS_END;
    }
    TRY(sorter_runs_next(&sorter->runs, arena, left < most ? (uint32_t)left : most, out, err));
    sorter->handed_out += out->row_count;
    return STATUS_OK;
}

struct sorter_figures sorter_figures(const struct sorter *sorter)
{
    return sorter->runs.figures;
}

void sorter_free(struct sorter *sorter)
{
    if (sorter == NULL) {
        return;
    }
    sorter_runs_release(&sorter->runs);
    drop_rows(sorter);
    VEC_RELEASE(&sorter->batches);
    arena_release(&sorter->order_arena);
    arena_release(&sorter->scratch);
    mem_free(sorter->orders);
    mem_free(sorter->keys);
    mem_free(sorter);
}
