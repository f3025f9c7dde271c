// SPDX-License-Identifier: Apache-2.0
#include "exec/op_sender.h"

#include <string.h>

#include "base/assert.h"
#include "base/buf.h"
#include "base/mem.h"
#include "kernel/hash_columns.h"

enum { STAGED_ROWS_MAX = 1024, STAGED_BYTES_MAX = 256 * 1024, STAGED_PIECES_MAX = 64 };

struct staged {
    uint32_t row_count;
    size_t bytes;
    uint32_t piece_count;
    struct batch *pieces[STAGED_PIECES_MAX]; // settled
};

struct op_sender {
    struct op op;
    struct op_sender_spec spec;
    struct staged *staged; // one a ring
    bool has_taken;        // the rows of the batch in work are staged; only flushing remains
    bool has_ended;
    int64_t watermark;    // the latest
    uint32_t marker_next; // ring that gets the marker in work next
    bool is_idle;         // what the receivers should know
    bool idle_told;       // what they were told
    bool has_told;        // they were told at all
};

// The pieces as one batch: columns one after the other, kinds and row watermarks too.
static struct batch *join_pieces(struct op_sender *sender, const struct staged *staged)
{
    struct arena *scratch = &sender->op.scratch;
    const struct batch *first = staged->pieces[0];
    struct batch joined = {.row_count = staged->row_count, .column_count = first->column_count};
    struct column *columns = arena_new_array(scratch, struct column, first->column_count);
    struct column *parts = arena_new_array(scratch, struct column, staged->piece_count);
    for (uint32_t i = 0; i < first->column_count; i++) {
        for (uint32_t p = 0; p < staged->piece_count; p++) {
            parts[p] = staged->pieces[p]->columns[i];
        }
        columns[i] = column_concat(scratch, parts, staged->piece_count);
    }
    joined.columns = columns;
    int8_t *kinds = arena_zalloc(scratch, staged->row_count);
    int64_t *row_watermarks = arena_alloc(scratch, staged->row_count * sizeof *row_watermarks);
    bool any_kinds = false;
    bool any_watermarks = false; // pieces of bounded inputs have them, others need not
    uint32_t at = 0;
    for (uint32_t p = 0; p < staged->piece_count; p++) {
        const struct batch *piece = staged->pieces[p];
        if (piece->kinds != NULL) {
            memcpy(kinds + at, piece->kinds, piece->row_count);
            any_kinds = true;
        }
        for (uint32_t row = 0; row < piece->row_count; row++) {
            row_watermarks[at + row] =
                piece->row_watermarks != NULL ? piece->row_watermarks[row] : WATERMARK_NONE;
        }
        any_watermarks |= piece->row_watermarks != NULL;
        at += piece->row_count;
    }
    joined.kinds = any_kinds ? kinds : NULL;
    joined.row_watermarks = any_watermarks ? row_watermarks : NULL;
    return batch_settle(&joined, sender->op.context->budget);
}

static void flush_one(struct op_sender *sender, uint32_t at)
{
    struct staged *staged = &sender->staged[at];
    if (staged->piece_count == 0) {
        return;
    }
    struct batch *batch = staged->pieces[0];
    if (staged->piece_count > 1) {
        batch = join_pieces(sender, staged);
        for (uint32_t p = 0; p < staged->piece_count; p++) {
            batch_drop(staged->pieces[p]);
        }
    }
    ring_push_batch(sender->spec.rings[at], batch);
    staged->row_count = staged->piece_count = 0;
    staged->bytes = 0;
}

static bool is_full(const struct staged *staged)
{
    return staged->row_count >= STAGED_ROWS_MAX || staged->bytes >= STAGED_BYTES_MAX ||
           staged->piece_count == STAGED_PIECES_MAX;
}

// Sends what is staged, all of it or what is full. False: a ring has no credit.
static bool flush(struct op_sender *sender, bool all)
{
    bool flushed = true;
    for (uint32_t i = 0; i < sender->spec.ring_count; i++) {
        const struct staged *staged = &sender->staged[i];
        if (staged->piece_count == 0 || !(all || is_full(staged))) {
            continue;
        }
        if (!ring_has_credit(sender->spec.rings[i])) {
            flushed = false;
            continue;
        }
        flush_one(sender, i);
    }
    return flushed;
}

static void stage(struct op_sender *sender, uint32_t at, const struct batch *batch)
{
    struct staged *staged = &sender->staged[at];
    // Rows of another shape of markers must not be joined.
    struct batch *settled = batch_settle(batch, sender->op.context->budget);
    staged->pieces[staged->piece_count++] = settled;
    staged->row_count += batch->row_count;
    staged->bytes += settled->owner->size;
}

// Each row's ring, then the rows of each ring, by one counting pass.
static void stage_by_hash(struct op_sender *sender, const struct batch *in)
{
    struct arena *scratch = &sender->op.scratch;
    uint32_t ring_count = sender->spec.ring_count;
    struct column keys[64];
    ASSERT(sender->spec.key_count <= 64);
    for (uint32_t i = 0; i < sender->spec.key_count; i++) {
        keys[i] = in->columns[sender->spec.keys[i]];
    }
    uint64_t *hashes = arena_alloc(scratch, in->row_count * sizeof *hashes);
    hash_columns(keys, sender->spec.key_count, in->row_count, hashes);
    uint16_t *owners = arena_alloc(scratch, in->row_count * sizeof *owners);
    uint32_t *starts = arena_zalloc(scratch, (ring_count + 1) * sizeof *starts);
    for (uint32_t row = 0; row < in->row_count; row++) {
        owners[row] = (uint16_t)op_key_group_owner(op_key_group(hashes[row]), ring_count);
        starts[owners[row] + 1]++;
    }
    for (uint32_t i = 0; i < ring_count; i++) {
        starts[i + 1] += starts[i];
    }
    uint32_t *next = arena_copy(scratch, starts, ring_count * sizeof *next);
    uint16_t *rows = arena_alloc(scratch, in->row_count * sizeof *rows);
    for (uint32_t row = 0; row < in->row_count; row++) {
        rows[next[owners[row]]++] = (uint16_t)row;
    }
    struct batch plain = *in;
    plain.origin = NULL; // places cost more than they are worth behind an exchange
    for (uint32_t i = 0; i < ring_count; i++) {
        uint32_t count = starts[i + 1] - starts[i];
        if (count > 0) {
            struct batch part = batch_gather(scratch, &plain, rows + starts[i], count);
            stage(sender, i, &part);
        }
    }
}

static void push_all(struct op_sender *sender, const struct item *item)
{
    for (uint32_t i = 0; i < sender->spec.ring_count; i++) {
        bool pushed = ring_push_marker(sender->spec.rings[i], item);
        ASSERT(pushed && "a marker without room");
    }
}

static bool has_marker_room(struct op_sender *sender)
{
    for (uint32_t i = 0; i < sender->spec.ring_count; i++) {
        if (!ring_has_marker_room(sender->spec.rings[i])) {
            return false;
        }
    }
    return true;
}

// Idleness that found no room is told later: only its last state matters.
static bool tell_idleness(struct op_sender *sender)
{
    if (sender->has_told && sender->is_idle == sender->idle_told) {
        return true;
    }
    if (!has_marker_room(sender)) {
        return false;
    }
    push_all(sender, &(struct item){.kind = sender->is_idle ? ITEM_IDLE : ITEM_ACTIVE});
    sender->idle_told = sender->is_idle;
    sender->has_told = true;
    return true;
}

// Everything must be out before a marker: false while a ring has no credit.
static bool ready_for_marker(struct op_sender *sender)
{
    arena_reset(&sender->op.scratch);
    return flush(sender, true) && (sender->has_told || tell_idleness(sender));
}

static enum op_result sender_on_batch(struct op *op, uint32_t port, const struct batch *in,
                                      struct op_output *out, struct err *err)
{
    (void)port;
    (void)out;
    (void)err;
    struct op_sender *sender = (struct op_sender *)op;
    arena_reset(&op->scratch);
    if (!sender->has_taken) {
        // A piece must find room: what is full goes first.
        if (!(sender->has_told || tell_idleness(sender)) || !flush(sender, false)) {
            return OP_PENDING;
        }
        if (sender->spec.kind == SENDER_HASH && sender->spec.ring_count > 1) {
            stage_by_hash(sender, in);
        } else {
            stage(sender, 0, in);
        }
        sender->has_taken = true;
    }
    // One receiver: nothing is gained by waiting for more.
    if (!flush(sender, sender->spec.ring_count == 1)) {
        return OP_PENDING;
    }
    sender->has_taken = false;
    return OP_DONE;
}

static bool push_watermark(struct op_sender *sender)
{
    struct item item = {.kind = ITEM_WATERMARK, .watermark = sender->watermark};
    for (; sender->marker_next < sender->spec.ring_count; sender->marker_next++) {
        if (!ring_push_marker(sender->spec.rings[sender->marker_next], &item)) {
            return false;
        }
    }
    sender->marker_next = 0;
    return true;
}

static enum op_result sender_on_watermark(struct op *op, int64_t watermark, struct op_output *out,
                                          struct err *err)
{
    (void)out;
    (void)err;
    struct op_sender *sender = (struct op_sender *)op;
    if (!ready_for_marker(sender)) {
        return OP_PENDING;
    }
    sender->watermark = watermark;
    if (!push_watermark(sender)) {
        return OP_PENDING;
    }
    return OP_DONE;
}

static enum op_result sender_on_barrier(struct op *op, const struct barrier *barrier,
                                        struct snapshot_writer *writer, struct err *err)
{
    (void)writer;
    (void)err;
    struct op_sender *sender = (struct op_sender *)op;
    if (sender->has_ended) {
        return OP_DONE; // receivers count an ended ring as aligned
    }
    if (!ready_for_marker(sender) || !has_marker_room(sender)) {
        return OP_PENDING;
    }
    push_all(sender, &(struct item){.kind = ITEM_BARRIER, .barrier = *barrier});
    return OP_DONE;
}

static enum op_result sender_on_end(struct op *op, struct op_output *out, struct err *err)
{
    (void)out;
    (void)err;
    struct op_sender *sender = (struct op_sender *)op;
    if (!ready_for_marker(sender) || !has_marker_room(sender)) {
        return OP_PENDING;
    }
    push_all(sender, &(struct item){.kind = ITEM_END});
    sender->has_ended = true;
    return OP_DONE;
}

static enum op_result sender_on_dry(struct op *op, struct op_output *out, struct err *err)
{
    (void)out;
    (void)err;
    struct op_sender *sender = (struct op_sender *)op;
    return ready_for_marker(sender) && tell_idleness(sender) ? OP_DONE : OP_PENDING;
}

static void sender_on_idleness(struct op *op, bool is_idle)
{
    struct op_sender *sender = (struct op_sender *)op;
    sender->is_idle = is_idle;
    (void)tell_idleness(sender);
}

static bool sender_has_credit(struct op *op)
{
    struct op_sender *sender = (struct op_sender *)op;
    for (uint32_t i = 0; i < sender->spec.ring_count; i++) {
        if (!ring_has_credit(sender->spec.rings[i])) {
            return false;
        }
    }
    return true;
}

static void sender_close(struct op *op)
{
    struct op_sender *sender = (struct op_sender *)op;
    for (uint32_t i = 0; i < sender->spec.ring_count; i++) {
        for (uint32_t p = 0; p < sender->staged[i].piece_count; p++) {
            batch_drop(sender->staged[i].pieces[p]);
        }
    }
    mem_free(sender->staged);
    op_release(op);
    mem_free(sender);
}

static const struct op_class sender_class = {
    .name = "sender",
    .on_batch = sender_on_batch,
    .on_watermark = sender_on_watermark,
    .on_barrier = sender_on_barrier,
    .on_end = sender_on_end,
    .on_dry = sender_on_dry,
    .on_idleness = sender_on_idleness,
    .has_credit = sender_has_credit,
    .close = sender_close,
};

struct op *op_sender_new(const struct op_sender_spec *spec, const struct op_context *context)
{
    struct op_sender *sender = mem_zalloc(sizeof *sender);
    op_init(&sender->op, &sender_class, context, NULL);
    sender->spec = *spec;
    sender->staged = mem_zalloc(spec->ring_count * sizeof *sender->staged);
    return &sender->op;
}
