// SPDX-License-Identifier: Apache-2.0
//
// GROUP BY over a window table function in event time. Each window has tables of its own, made
// with its first row and freed whole when the watermark reaches its end - 1 ms; then its groups are
// handed out. A row is late for a window that the watermark in force at the row has passed; it is
// counted and dropped from that window only.
//
// The watermark in force is kept with the state: windows that were handed out must not open again
// after a restart, and what instances had reached differs where inputs became idle and active again
// (a merged watermark never falls, so it depends on who saw what first). At another parallelism the
// furthest counts.
//
// Rows without a time belong to no window. HOP and CUMULATE put a row into each of its windows.
#include <string.h>

#include "base/assert.h"
#include "base/mem.h"
#include "base/vec.h"
#include "exec/aggregate_set.h"
#include "exec/op.h"
#include "exec/window_assign.h"
#include "plan/plan.h"
#include "state/state.h"

struct open_window {
    int64_t end_us; // local time, as all of these
    struct aggregate_tables tables;
};

// Rows of the batch in work that fall into one window.
struct share {
    int64_t end_us;
    uint32_t from, count; // of `positions`
    bool is_all;          // all rows, in order: without positions
};

struct op_window_aggregate {
    struct op op;
    struct aggregate_set set;
    struct window_assigner assigner;
    const struct plan_window_aggregate *plan;
    uint32_t time_position;
    int64_t watermark;
    bool is_looked_up;               // windows that a restore brought were found
    VEC(struct open_window) windows; // ascending by end
    // The batch in work.
    bool is_shared;
    VEC(struct share) shares;
    VEC(uint16_t) positions;
    uint32_t next_share, next_row;
    // The window being handed out.
    struct hash_table_scan scan;
};

// Where the window stands, or would.
static uint32_t find_window(const struct op_window_aggregate *windows, int64_t end_us)
{
    uint32_t low = 0;
    uint32_t high = windows->windows.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (windows->windows.items[middle].end_us < end_us) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static struct open_window *get_window(struct op_window_aggregate *windows, int64_t end_us)
{
    uint32_t at = find_window(windows, end_us);
    if (at < windows->windows.count && windows->windows.items[at].end_us == end_us) {
        return &windows->windows.items[at];
    }
    struct open_window window = {.end_us = end_us};
    // As many groups as the youngest window has so far, if it is older than this one.
    if (at > 0) {
        windows->set.groups_expected =
            hash_table_count(windows->windows.items[at - 1].tables.groups);
    }
    aggregate_tables_open(&windows->set, windows->op.context->state, end_us, &window.tables);
    VEC_PUSH(&windows->windows, window);
    struct open_window *items = windows->windows.items;
    memmove(items + at + 1, items + at, (windows->windows.count - 1 - at) * sizeof *items);
    items[at] = window;
    return &items[at];
}

// After a restore: the windows that have rows.
static void look_up(struct op_window_aggregate *windows)
{
    if (windows->is_looked_up) {
        return;
    }
    windows->is_looked_up = true;
    int64_t *slices;
    arena_reset(&windows->op.scratch);
    uint32_t count =
        state_context_slices(windows->op.context->state, 0, &windows->op.scratch, &slices);
    for (uint32_t i = 0; i < count; i++) {
        (void)get_window(windows, slices[i]);
    }
}

static bool is_complete(struct op_window_aggregate *windows, int64_t end_us, int64_t watermark)
{
    return watermark != WATERMARK_NONE &&
           window_complete_us(&windows->assigner, end_us) <= watermark;
}

// Mostly all rows of a batch fall into one TUMBLE window and none is late: then nothing is sorted.
static bool share_whole(struct op_window_aggregate *windows, const struct batch *in)
{
    const struct column *times = &in->columns[windows->time_position];
    if (windows->assigner.kind != PLAN_WINDOW_TUMBLE || times->valid != NULL ||
        times->encoding != ENCODING_FLAT || in->row_count == 0) {
        return false;
    }
    const int64_t *values = times->values;
    int64_t watermark = windows->watermark;
    int64_t least = values[0];
    int64_t greatest = values[0];
    for (uint32_t row = 1; row < in->row_count; row++) {
        least = values[row] < least ? values[row] : least;
        greatest = values[row] > greatest ? values[row] : greatest;
    }
    for (uint32_t row = 0; in->row_watermarks != NULL && row < in->row_count; row++) {
        watermark = in->row_watermarks[row] > watermark ? in->row_watermarks[row] : watermark;
    }
    struct window_range range;
    if (!window_local_range(&windows->assigner, &least, &greatest) ||
        !window_assign(&windows->assigner, least, 0, &range) || greatest >= range.end_us ||
        is_complete(windows, range.end_us, watermark)) {
        return false;
    }
    VEC_PUSH(&windows->shares,
             ((struct share){.end_us = range.end_us, .count = in->row_count, .is_all = true}));
    return true;
}

// Which windows the rows fall into: for each window the positions of its rows, in order.
// Consecutive rows are mostly of one window, so the last one found is tried first.
static void share_out(struct op_window_aggregate *windows, const struct batch *in)
{
    const struct column *times = &in->columns[windows->time_position];
    windows->shares.count = windows->positions.count = 0;
    if (share_whole(windows, in)) {
        return;
    }
    VEC(int64_t) ends = {0};
    VEC(uint16_t) rows = {0};
    for (uint32_t row = 0; row < in->row_count; row++) {
        if (column_is_null(times, row)) {
            continue;
        }
        int64_t time;
        memcpy(&time, column_value(times, row), sizeof time);
        time = window_local_us(&windows->assigner, time);
        int64_t watermark = windows->watermark;
        if (in->row_watermarks != NULL && in->row_watermarks[row] > watermark) {
            watermark = in->row_watermarks[row];
        }
        struct window_range range;
        for (uint32_t i = 0; window_assign(&windows->assigner, time, i, &range); i++) {
            if (is_complete(windows, range.end_us, watermark)) {
                windows->op.metrics.late_rows++;
                continue;
            }
            VEC_PUSH(&ends, range.end_us);
            VEC_PUSH(&rows, (uint16_t)row);
        }
    }
    // A counting sort by window, in the order in which windows appear.
    uint32_t last = 0;
    VEC(uint32_t) of = {0};
    for (uint32_t i = 0; i < ends.count; i++) {
        uint32_t at = last;
        if (windows->shares.count == 0 || windows->shares.items[at].end_us != ends.items[i]) {
            for (at = 0; at < windows->shares.count; at++) {
                if (windows->shares.items[at].end_us == ends.items[i]) {
                    break;
                }
            }
            if (at == windows->shares.count) {
                VEC_PUSH(&windows->shares, ((struct share){.end_us = ends.items[i]}));
            }
        }
        windows->shares.items[at].count++;
        VEC_PUSH(&of, at);
        last = at;
    }
    uint32_t from = 0;
    for (uint32_t i = 0; i < windows->shares.count; i++) {
        windows->shares.items[i].from = from;
        from += windows->shares.items[i].count;
        windows->shares.items[i].count = 0;
    }
    VEC_RESERVE(&windows->positions, from);
    windows->positions.count = from;
    for (uint32_t i = 0; i < ends.count; i++) {
        struct share *share = &windows->shares.items[of.items[i]];
        windows->positions.items[share->from + share->count++] = rows.items[i];
    }
    VEC_RELEASE(&ends);
    VEC_RELEASE(&rows);
    VEC_RELEASE(&of);
}

// Adds the rows of one share, as far as their groups are in memory.
static enum status add_share(struct op_window_aggregate *windows, const struct batch *in,
                             struct err *err)
{
    const struct share *share = &windows->shares.items[windows->next_share];
    struct open_window *open = get_window(windows, share->end_us);
    arena_reset(&windows->op.scratch);
    struct aggregate_window window = {
        .batch = in,
        .positions = share->is_all ? NULL : windows->positions.items + share->from,
        .total = share->count,
        .scratch = &windows->op.scratch};
    aggregate_set_begin(&windows->set, &window);
    window.from = windows->next_row;
    TRY(aggregate_set_prepare(&windows->set, &open->tables, &window, BATCH_ROWS_MAX, err));
    TRY(aggregate_set_add(&windows->set, &open->tables, &window, err));
    windows->next_row += window.count;
    if (windows->next_row == share->count) {
        windows->next_row = 0;
        windows->next_share++;
        aggregate_tables_done(&windows->set, &open->tables);
    }
    return STATUS_OK;
}

static enum op_result window_on_batch(struct op *op, uint32_t port, const struct batch *in,
                                      struct op_output *out, struct err *err)
{
    (void)port;
    (void)out;
    struct op_window_aggregate *windows = (struct op_window_aggregate *)op;
    look_up(windows);
    if (!windows->is_shared) {
        share_out(windows, in);
        windows->is_shared = true;
        windows->next_share = windows->next_row = 0;
    }
    while (windows->next_share < windows->shares.count) {
        enum status status = add_share(windows, in, err);
        if (status != STATUS_OK) {
            return status == STATUS_AGAIN ? OP_PENDING : OP_FAILED;
        }
    }
    windows->is_shared = false;
    return OP_DONE;
}

static struct column constant_time(struct arena *arena, int64_t value, uint32_t row_count)
{
    int64_t *copy = arena_copy(arena, &value, sizeof value);
    return (struct column){.physical = PHYSICAL_I64,
                           .encoding = ENCODING_CONST,
                           .row_count = row_count,
                           .values = copy};
}

static int64_t start_of(const struct op_window_aggregate *windows, int64_t end_us)
{
    struct window_range range;
    if (windows->assigner.kind != PLAN_WINDOW_CUMULATE) {
        return end_us - windows->assigner.size_us;
    }
    bool found = window_assign(&windows->assigner, end_us - 1, 0, &range);
    ASSERT(found);
    return range.start_us;
}

static enum status emit_groups(struct op_window_aggregate *windows, struct open_window *open,
                               struct row **rows, uint32_t count, struct batch *out,
                               struct err *err)
{
    struct arena *scratch = &windows->op.scratch;
    const struct plan_node *node = windows->op.node;
    struct column *columns = arena_new_array(scratch, struct column, node->column_count);
    uint32_t at = 0;
    for (uint32_t i = 0; i < windows->set.key_count; i++) {
        columns[at++] = row_layout_column(windows->set.layout, i, rows, count, scratch);
    }
    for (uint32_t c = 0; c < windows->set.call_count; c++) {
        TRY(aggregate_set_result(&windows->set, &open->tables, c, rows, count, scratch,
                                 &columns[at++], err));
    }
    if (windows->plan->start_id != 0) {
        columns[at++] = constant_time(scratch, start_of(windows, open->end_us), count);
    }
    if (windows->plan->end_id != 0) {
        columns[at++] = constant_time(scratch, open->end_us, count);
    }
    if (windows->plan->time_id != 0) {
        columns[at++] =
            constant_time(scratch, window_time_us(&windows->assigner, open->end_us), count);
    }
    ASSERT(at == node->column_count);
    *out =
        (struct batch){.row_count = count, .column_count = node->column_count, .columns = columns};
    return STATUS_OK;
}

// Groups whose rows were all retracted are not there.
static uint32_t keep_filled(const struct op_window_aggregate *windows, struct row **rows,
                            uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (aggregate_set_rows(&windows->set, rows[i]) > 0) {
            rows[kept++] = rows[i];
        }
    }
    return kept;
}

static void drop_first_window(struct op_window_aggregate *windows)
{
    aggregate_tables_free(&windows->set, &windows->windows.items[0].tables);
    windows->windows.count--;
    memmove(windows->windows.items, windows->windows.items + 1,
            windows->windows.count * sizeof *windows->windows.items);
    windows->scan = (struct hash_table_scan){0};
}

static enum op_result window_on_watermark(struct op *op, int64_t watermark, struct op_output *out,
                                          struct err *err)
{
    struct op_window_aggregate *windows = (struct op_window_aggregate *)op;
    look_up(windows);
    windows->watermark = watermark > windows->watermark ? watermark : windows->watermark;
    while (windows->windows.count > 0 &&
           is_complete(windows, windows->windows.items[0].end_us, windows->watermark)) {
        struct open_window *open = &windows->windows.items[0];
        arena_reset(&op->scratch);
        struct row **rows = arena_new_array(&op->scratch, struct row *, BATCH_ROWS_MAX);
        uint32_t count;
        struct hash_table_scan before = windows->scan;
        enum status status =
            hash_table_scan_next(open->tables.groups, &windows->scan, rows,
                                 aggregate_set_results_max(&windows->set), &count, err);
        if (status == STATUS_END) {
            drop_first_window(windows);
            continue;
        }
        count = status == STATUS_OK ? keep_filled(windows, rows, count) : 0;
        if (status == STATUS_OK && count > 0) {
            status = emit_groups(windows, open, rows, count, &out->batch, err);
        }
        if (status == STATUS_AGAIN) { // the same rows again
            windows->scan = before;
        }
        if (status != STATUS_OK) {
            return status == STATUS_AGAIN ? OP_PENDING : OP_FAILED;
        }
        if (count > 0) {
            return OP_MORE;
        }
    }
    return OP_DONE;
}

// Bounded input without a watermark of its own: its end completes all windows.
static enum op_result window_on_end(struct op *op, struct op_output *out, struct err *err)
{
    return window_on_watermark(op, WATERMARK_END, out, err);
}

static enum op_result window_on_barrier(struct op *op, const struct barrier *barrier,
                                        struct snapshot_writer *writer, struct err *err)
{
    (void)barrier;
    (void)err;
    const struct op_window_aggregate *windows = (const struct op_window_aggregate *)op;
    writer->put(writer, op->context->operator_id, op->context->instance, STR_LIT("watermark"),
                str_make((const char *)&windows->watermark, sizeof windows->watermark));
    return OP_DONE;
}

// Its own watermark; at another parallelism the furthest of all, since keys have moved.
static int64_t restored_watermark(const struct op_context *context)
{
    const struct snapshot_reader *restore = context->restore;
    int64_t furthest = WATERMARK_NONE;
    for (uint32_t i = 0; restore != NULL && i < restore->entry_count; i++) {
        const struct snapshot_entry *entry = &restore->entries[i];
        int64_t watermark;
        if (!str_is(entry->key, "watermark") || entry->bytes.size != sizeof watermark ||
            (restore->former_instances == context->parallelism &&
             entry->instance != context->instance)) {
            continue;
        }
        memcpy(&watermark, entry->bytes.ptr, sizeof watermark);
        furthest = watermark > furthest ? watermark : furthest;
    }
    return furthest;
}

static void window_close(struct op *op)
{
    struct op_window_aggregate *windows = (struct op_window_aggregate *)op;
    for (uint32_t i = 0; i < windows->windows.count; i++) {
        aggregate_tables_free(&windows->set, &windows->windows.items[i].tables);
    }
    VEC_RELEASE(&windows->windows);
    VEC_RELEASE(&windows->shares);
    VEC_RELEASE(&windows->positions);
    aggregate_set_release(&windows->set);
    op_release(op);
    mem_free(windows);
}

static const struct op_class window_class = {
    .name = "window_aggregate",
    .on_batch = window_on_batch,
    .on_watermark = window_on_watermark,
    .on_end = window_on_end,
    .on_barrier = window_on_barrier,
    .close = window_close,
};

enum status op_window_aggregate_new(const struct plan_node *node, const struct op_context *context,
                                    struct op **out, struct err *err)
{
    const struct plan_window_aggregate *plan = &node->as.window_aggregate;
    if (plan->spec.kind == PLAN_WINDOW_SESSION) {
        return ERR(err, STATUS_UNSUPPORTED, "SESSION windows are not supported yet");
    }
    struct op_window_aggregate *windows = mem_zalloc(sizeof *windows);
    op_init(&windows->op, &window_class, context, node);
    windows->plan = plan;
    windows->watermark = restored_watermark(context);
    windows->time_position = plan_column_index(node->inputs[0], plan->spec.time_column);
    ASSERT(windows->time_position != UINT32_MAX);
    window_assigner_init(&windows->assigner, &plan->spec,
                         node->inputs[0]->columns[windows->time_position].type, context);
    struct aggregate_set_spec spec = {.input = node->inputs[0],
                                      .keys = plan->keys,
                                      .calls = plan->calls,
                                      .call_count = plan->call_count};
    enum status status = aggregate_set_init(&windows->set, &spec, err);
    if (status != STATUS_OK) {
        window_close(&windows->op);
        return status;
    }
    aggregate_set_declare(&windows->set, context->state);
    *out = &windows->op;
    return STATUS_OK;
}
