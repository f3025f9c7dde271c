// SPDX-License-Identifier: Apache-2.0
//
// segment: a tree of operators that one worker runs without queues between them.
//
// At its root is a source, or an operator fed by a gate; at its leaves are senders and sinks. An
// item (a batch, a marker) goes down the tree depth first: an operator's output is taken through
// all its children before the operator is asked for more, and a marker follows what was emitted for
// it. So there is no recursion and no operator calls another: frames[] is the stack, and a run
// stopped by OP_PENDING is taken up where it was.
//
//     frame = {node, item, what remains to be fed to which child}
//
// One thread. The segment owns its operators and the batch of the item in work.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "exec/gate.h"
#include "exec/op.h"

struct segment_child {
    uint32_t node;
    uint32_t port;
};

struct segment_node {
    struct op *op;
    uint32_t child_count;
    const struct segment_child *children; // borrowed
};

enum segment_result {
    SEGMENT_RAN,     // did something
    SEGMENT_DRY,     // no input
    SEGMENT_BLOCKED, // PENDING, or no credit downstream
    SEGMENT_ENDED,   // END has gone through; only barriers are left
    SEGMENT_FAILED,
};

struct segment_frame;

struct segment {
    uint32_t id;
    struct gate *gate; // NULL: node 0 is a source. Owned
    uint32_t node_count;
    struct segment_node *nodes; // 0 is the root; owned, and their operators
    struct segment_frame *frames;
    uint32_t depth;
    struct batch *owned; // batch of the item that came through the gate
    bool has_ended;
    bool has_started;  // on_dry went through once: what was restored is announced before any input
    uint32_t dry_node; // next operator for on_dry
    bool source_ended;
    bool has_barrier; // a source's: to be injected between batches
    struct barrier barrier;
    struct snapshot_writer *writer; // for barriers
    struct arena *verify_arenas;    // one a node, for the test configuration
    // What becomes of barriers: `begin` is called before one touches an operator (perhaps several
    // times), `done` when it has gone through all. May be NULL.
    void (*on_barrier_begin)(void *context);
    void (*on_barrier_done)(void *context, struct segment *segment, const struct barrier *barrier);
    void *context;
};

// Takes the gate, the nodes array (children borrowed) and the operators.
struct segment *segment_new(uint32_t id, struct gate *gate, struct segment_node *nodes,
                            uint32_t node_count);
void segment_free(struct segment *segment); // NULL is allowed; closes the operators

// Goes on with the item in work, or takes one new item through the tree.
enum segment_result segment_step(struct segment *segment, struct err *err);

// Sources, and segments that have ended: the barrier goes in at the root before the next batch.
// Others get it through their gate.
void segment_inject_barrier(struct segment *segment, const struct barrier *barrier);
