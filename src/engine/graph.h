// SPDX-License-Identifier: Apache-2.0
//
// graph: a plan cut into segments (engine.md section 4).
//
// A segment is a tree of plan nodes that run on one worker without queues between them. A new one
// begins at a source, at a node with several inputs, and behind an exchange that really moves rows
// (not one between two single instances). Between segments there are edges; each becomes rings from
// every instance of the sending segment to the instances of the receiving one.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "plan/plan.h"

struct arena;

enum graph_edge_kind {
    GRAPH_HASH, // by key group
    GRAPH_ONE,  // to instance 0, or to the instance of the same number
};

struct graph_edge {
    enum graph_edge_kind kind;
    uint32_t from_segment, from_node; // node: index in the segment
    uint32_t to_segment, to_port;
    uint32_t key_count;
    const uint32_t *keys; // positions in the sender's batches
};

struct graph_child {
    uint32_t node; // index in the segment
    uint32_t port;
};

struct graph_node {
    const struct plan_node *plan;
    uint32_t child_count;
    struct graph_child *children; // in the same segment
    uint32_t edge_count;
    uint32_t *edges; // that leave here
};

struct graph_segment {
    uint32_t parallelism;
    uint32_t node_count;
    struct graph_node *nodes; // 0: the root
    uint32_t input_count;     // edges that arrive; 0: a source
    uint32_t *inputs;
    uint32_t port_count;
};

struct graph {
    uint32_t segment_count;
    struct graph_segment *segments; // upstream first
    uint32_t edge_count;
    struct graph_edge *edges;
};

// Everything in `arena`. `parallelism` >= 1.
void graph_cut(struct arena *arena, const struct plan *plan, uint32_t parallelism,
               struct graph *out);
