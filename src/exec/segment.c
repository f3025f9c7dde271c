// SPDX-License-Identifier: Apache-2.0
#include "exec/segment.h"

#include "base/assert.h"
#include "base/mem.h"
#include "state/state.h"
#include "sys/clock.h"

// The steps of one item in one node. What an operator emits is fed to its children in this order:
// batch, watermark, idleness; only then is the operator called again, or the item forwarded.
enum frame_phase {
    FRAME_CALL,  // call the operator
    FRAME_BATCH, // feed out.batch to children[child]
    FRAME_WATERMARK,
    FRAME_IDLENESS,
    FRAME_FORWARD, // feed the marker itself
};

struct segment_frame {
    uint32_t node;
    struct item item;       // as the operator takes it
    const struct batch *in; // BATCH
    bool is_poll;           // a source's call for input
    bool is_dry;            // an on_dry call
    bool is_finished;       // the operator returned DONE
    bool has_more;          // a source's call gave a batch
    enum frame_phase phase;
    uint32_t child;
    struct op_output out;
};

struct segment *segment_new(uint32_t id, struct gate *gate, struct segment_node *nodes,
                            uint32_t node_count)
{
    struct segment *segment = mem_zalloc(sizeof *segment);
    segment->id = id;
    segment->gate = gate;
    segment->nodes = nodes;
    segment->node_count = node_count;
    // A path visits each node at most once, and each node needs one frame.
    segment->frames = mem_zalloc((node_count + 1) * sizeof *segment->frames);
    segment->verify_arenas = mem_zalloc(node_count * sizeof *segment->verify_arenas);
    return segment;
}

void segment_free(struct segment *segment)
{
    if (segment == NULL) {
        return;
    }
    for (uint32_t i = 0; i < segment->node_count; i++) {
        struct op *op = segment->nodes[i].op;
        if (op != NULL) {
            op->class->close(op);
        }
    }
    for (uint32_t i = 0; i < segment->node_count; i++) {
        arena_release(&segment->verify_arenas[i]);
    }
    mem_free(segment->verify_arenas);
    batch_drop(segment->owned);
    if (segment->gate != NULL) {
        gate_release(segment->gate);
        mem_free(segment->gate);
    }
    mem_free(segment->nodes);
    mem_free(segment->frames);
    mem_free(segment);
}

void segment_inject_barrier(struct segment *segment, const struct barrier *barrier)
{
    segment->has_barrier = true;
    segment->barrier = *barrier;
}

static struct segment_frame *push(struct segment *segment, uint32_t node, const struct item *item)
{
    ASSERT(segment->depth <= segment->node_count);
    struct segment_frame *frame = &segment->frames[segment->depth++];
    *frame = (struct segment_frame){.node = node, .item = *item};
    return frame;
}

// The operator's entries, then its tables: what has changed up to here belongs to the checkpoint.
static enum op_result call_barrier(struct op *op, struct segment *segment,
                                   struct segment_frame *frame, struct err *err)
{
    enum op_result result = OP_DONE;
    if (segment->on_barrier_begin != NULL) {
        segment->on_barrier_begin(segment->context);
    }
    if (op->class->on_barrier != NULL) {
        result = op->class->on_barrier(op, &frame->item.barrier, segment->writer, err);
    }
    if (result == OP_DONE && op->context->state_sink != NULL) {
        state_checkpoint_begin(op->context->state, op->context->state_sink);
    }
    return result;
}

static enum op_result call_marker(struct op *op, struct segment *segment,
                                  struct segment_frame *frame, struct err *err)
{
    const struct op_class *class = op->class;
    switch (frame->item.kind) {
    case ITEM_WATERMARK:
        return class->on_watermark == NULL
                   ? OP_DONE
                   : class->on_watermark(op, frame->item.watermark, &frame->out, err);
    case ITEM_BARRIER: return call_barrier(op, segment, frame, err);
    case ITEM_PORT_END:
        return class->on_port_end == NULL
                   ? OP_DONE
                   : class->on_port_end(op, frame->item.port, &frame->out, err);
    case ITEM_END: return class->on_end == NULL ? OP_DONE : class->on_end(op, &frame->out, err);
    case ITEM_IDLE:
    case ITEM_ACTIVE:
        if (class->on_idleness != NULL) {
            class->on_idleness(op, frame->item.kind == ITEM_IDLE);
        }
        return OP_DONE;
    case ITEM_BATCH: break;
    }
    UNREACHABLE("a batch is no marker");
}

static enum op_result dispatch(struct segment *segment, struct segment_frame *frame,
                               struct err *err)
{
    struct op *op = segment->nodes[frame->node].op;
    frame->out = (struct op_output){0};
    if (frame->is_poll) {
        return op->class->poll(op, &frame->out, err);
    }
    if (frame->is_dry) {
        return op->class->on_dry(op, &frame->out, err);
    }
    if (frame->item.kind != ITEM_BATCH) {
        return call_marker(op, segment, frame, err);
    }
    if (op->class->on_batch == NULL) {
        frame->out.batch = *frame->in;
        return OP_DONE;
    }
    return op->class->on_batch(op, frame->item.port, frame->in, &frame->out, err);
}

static enum op_result call(struct segment *segment, struct segment_frame *frame, struct err *err)
{
    const struct op_context *context = segment->nodes[frame->node].op->context;
    struct op_metrics *metrics = &segment->nodes[frame->node].op->metrics;
    int64_t begin = context->measure ? clock_monotonic_us(context->clock) : 0;
    enum op_result result = dispatch(segment, frame, err);
    if (context->measure) {
        metrics->busy_ns += (uint64_t)(clock_monotonic_us(context->clock) - begin) * 1000;
    }
    if (context->verify != VERIFY_NONE && result != OP_FAILED && frame->out.batch.row_count > 0) {
        arena_reset(&segment->verify_arenas[frame->node]);
        if (verify_encodings(&segment->verify_arenas[frame->node], context->verify,
                             &frame->out.batch, err) != STATUS_OK) {
            return OP_FAILED;
        }
    }
    return result;
}

// Feeds one thing to children[frame->child]; false when all children had it.
static bool feed(struct segment *segment, struct segment_frame *frame, const struct item *item,
                 const struct batch *batch)
{
    const struct segment_node *node = &segment->nodes[frame->node];
    if (frame->child == node->child_count) {
        frame->child = 0;
        return false;
    }
    const struct segment_child *child = &node->children[frame->child++];
    struct segment_frame *next = push(segment, child->node, item);
    next->item.port = child->port;
    next->in = batch;
    if (batch != NULL) {
        struct op *op = segment->nodes[child->node].op;
        op->metrics.rows_in += batch->row_count;
        op->metrics.batches_in++;
    }
    return true;
}

static void note_output(struct op *op, const struct batch *batch)
{
    op->metrics.rows_out += batch->row_count;
    op->metrics.batches_out += batch->row_count > 0;
}

// What an operator's output still owes to its children; false when there is nothing more.
static bool feed_output(struct segment *segment, struct segment_frame *frame)
{
    if (frame->phase == FRAME_BATCH) {
        if (frame->out.batch.row_count > 0 &&
            feed(segment, frame, &(struct item){.kind = ITEM_BATCH}, &frame->out.batch)) {
            return true;
        }
        frame->phase = FRAME_WATERMARK;
    }
    if (frame->phase == FRAME_WATERMARK) {
        struct item item = {.kind = ITEM_WATERMARK, .watermark = frame->out.watermark};
        if (frame->out.has_watermark && feed(segment, frame, &item, NULL)) {
            return true;
        }
        frame->phase = FRAME_IDLENESS;
    }
    if (frame->phase == FRAME_IDLENESS) {
        struct item item = {.kind = frame->out.is_idle ? ITEM_IDLE : ITEM_ACTIVE};
        if ((frame->out.is_idle || frame->out.is_active) && feed(segment, frame, &item, NULL)) {
            return true;
        }
    }
    return false;
}

// A marker goes on to the children; an end of a port concerns its operator only.
static bool forwards(const struct segment_frame *frame)
{
    return !frame->is_poll && !frame->is_dry && frame->item.kind != ITEM_BATCH &&
           frame->item.kind != ITEM_PORT_END;
}

// An operator inside a segment has one port, which ends when END arrives.
static bool needs_port_end(const struct segment *segment, const struct segment_frame *frame)
{
    return frame->item.kind == ITEM_END && frame->node != 0 &&
           segment->nodes[frame->node].op->class->on_port_end != NULL;
}

// One move of the topmost frame.
static enum segment_result advance(struct segment *segment, struct err *err)
{
    struct segment_frame *frame = &segment->frames[segment->depth - 1];
    if (frame->phase == FRAME_CALL) {
        if (needs_port_end(segment, frame) && frame->child == 0 && !frame->is_finished) {
            // Told first, as its own item: the frame comes back here with child == 1.
            frame->child = 1;
            struct segment_frame *end =
                push(segment, frame->node, &(struct item){.kind = ITEM_PORT_END});
            end->item.port = frame->item.port;
            return SEGMENT_RAN;
        }
        switch (call(segment, frame, err)) {
        case OP_FAILED: return SEGMENT_FAILED;
        case OP_PENDING: return frame->is_poll ? SEGMENT_DRY : SEGMENT_BLOCKED;
        case OP_DONE: frame->is_finished = true; break;
        // A source is asked for one batch at a time: barriers go in between.
        case OP_MORE: frame->is_finished = frame->has_more = frame->is_poll; break;
        }
        note_output(segment->nodes[frame->node].op, &frame->out.batch);
        frame->child = 0;
        frame->phase = FRAME_BATCH;
    }
    if (frame->phase != FRAME_FORWARD) {
        if (feed_output(segment, frame)) {
            return SEGMENT_RAN;
        }
        frame->child = 0;
        if (!frame->is_finished) {
            frame->phase = FRAME_CALL;
            return SEGMENT_RAN;
        }
        frame->phase = FRAME_FORWARD;
    }
    if (forwards(frame) && feed(segment, frame, &frame->item, NULL)) {
        return SEGMENT_RAN;
    }
    segment->depth--;
    return SEGMENT_RAN;
}

// Called when the item in work has left the tree.
static void finish_item(struct segment *segment)
{
    const struct item item = segment->frames[0].item;
    if (segment->frames[0].is_poll) {
        segment->source_ended = !segment->frames[0].has_more;
        return;
    }
    if (segment->frames[0].is_dry) {
        return;
    }
    batch_drop(segment->owned);
    segment->owned = NULL;
    if (item.kind == ITEM_END) {
        segment->has_ended = true;
    }
    if (item.kind == ITEM_BARRIER && segment->on_barrier_done != NULL) {
        segment->on_barrier_done(segment->context, segment, &item.barrier);
    }
}

// Goes on with the item in work, for some moves: a join's fan-out or the firing of many windows
// must not keep the worker from its messages. RAN with frames left: called again.
static enum segment_result run(struct segment *segment, struct err *err)
{
    enum { MOVES_MAX = 256 };
    for (int moves = 0; segment->depth > 0; moves++) {
        if (moves == MOVES_MAX) {
            return SEGMENT_RAN;
        }
        enum segment_result result = advance(segment, err);
        if (result == SEGMENT_DRY) { // a source without rows: the call leaves no trace
            segment->depth = 0;
            return SEGMENT_DRY;
        }
        if (result != SEGMENT_RAN) {
            return result;
        }
    }
    finish_item(segment);
    return SEGMENT_RAN;
}

static bool has_credit(const struct segment *segment)
{
    for (uint32_t i = 0; i < segment->node_count; i++) {
        struct op *op = segment->nodes[i].op;
        if (op->class->has_credit != NULL && !op->class->has_credit(op)) {
            return false;
        }
    }
    return true;
}

// on_dry of the operators in turn, one a call.
static bool start_dry(struct segment *segment)
{
    while (segment->dry_node < segment->node_count) {
        uint32_t node = segment->dry_node++;
        if (segment->nodes[node].op->class->on_dry != NULL) {
            struct segment_frame *frame = push(segment, node, &(struct item){.kind = ITEM_ACTIVE});
            frame->is_dry = true;
            return true;
        }
    }
    segment->dry_node = 0;
    return false;
}

static enum segment_result step_dry(struct segment *segment, struct err *err)
{
    if (segment->has_ended) {
        return SEGMENT_ENDED;
    }
    while (start_dry(segment)) {
        enum segment_result result = run(segment, err);
        if (result != SEGMENT_RAN || segment->depth > 0) {
            return result;
        }
    }
    segment->has_started = true;
    return SEGMENT_DRY;
}

static enum segment_result start_item(struct segment *segment, const struct item *item,
                                      struct err *err)
{
    struct segment_frame *frame = push(segment, 0, item);
    if (item->kind == ITEM_BATCH) {
        segment->owned = item->batch;
        frame->in = item->batch;
        struct op *root = segment->nodes[0].op;
        root->metrics.rows_in += item->batch->row_count;
        root->metrics.batches_in++;
    }
    segment->dry_node = 0;
    return run(segment, err);
}

static enum segment_result step_source(struct segment *segment, struct err *err)
{
    if (segment->source_ended) {
        return start_item(segment, &(struct item){.kind = ITEM_END}, err);
    }
    struct segment_frame *frame = push(segment, 0, &(struct item){.kind = ITEM_BATCH});
    frame->is_poll = true;
    enum segment_result result = run(segment, err);
    if (result == SEGMENT_DRY) {
        return step_dry(segment, err);
    }
    return result;
}

enum segment_result segment_step(struct segment *segment, struct err *err)
{
    if (segment->depth > 0) {
        return run(segment, err);
    }
    // A source says whether it is idle before its first barrier, too: what a restore merges from
    // its entries must be what the gates behind it have merged.
    if (segment->has_barrier && (segment->has_started || segment->gate != NULL)) {
        segment->has_barrier = false;
        return start_item(segment,
                          &(struct item){.kind = ITEM_BARRIER, .barrier = segment->barrier}, err);
    }
    if (segment->has_ended) {
        return SEGMENT_ENDED;
    }
    if (!segment->has_started) {
        if (segment->gate != NULL && !gate_begin(segment->gate)) {
            return SEGMENT_DRY;
        }
        enum segment_result result = step_dry(segment, err);
        return result == SEGMENT_DRY ? SEGMENT_RAN : result;
    }
    if (!has_credit(segment)) {
        return SEGMENT_BLOCKED;
    }
    if (segment->gate == NULL) {
        return step_source(segment, err);
    }
    const struct op *root = segment->nodes[0].op;
    uint32_t preferred =
        root->class->preferred_port == NULL ? UINT32_MAX : root->class->preferred_port(root);
    struct item item;
    if (!gate_next(segment->gate, preferred, &item)) {
        return step_dry(segment, err);
    }
    return start_item(segment, &item, err);
}
