// SPDX-License-Identifier: Apache-2.0
#include "engine/graph.h"

#include "base/arena.h"
#include "base/assert.h"
#include "exec/column_map.h"

// Where a plan node went.
struct placement {
    uint32_t segment;
    uint32_t node;
};

struct cutter {
    struct arena *arena;
    struct graph *graph;
    uint32_t parallelism;
    struct placement *placed; // by plan node id
    uint32_t node_max;        // upper bound for lists
};

// An input seen through its exchange.
struct feed {
    const struct plan_node *from;
    const struct plan_node *exchange; // NULL: none
};

static struct feed feed_of(const struct plan_node *input)
{
    if (input->kind == PLAN_EXCHANGE) {
        return (struct feed){input->inputs[0], input};
    }
    return (struct feed){input, NULL};
}

static uint32_t target_parallelism(const struct cutter *cutter, const struct feed *feed)
{
    if (feed->exchange == NULL) {
        return cutter->graph->segments[cutter->placed[feed->from->id].segment].parallelism;
    }
    bool single = feed->exchange->as.exchange.to.kind == PLAN_SINGLETON;
    return single ? 1 : cutter->parallelism;
}

static uint32_t add_segment(struct cutter *cutter, uint32_t parallelism)
{
    struct graph_segment *segment = &cutter->graph->segments[cutter->graph->segment_count];
    segment->parallelism = parallelism;
    segment->nodes = arena_new_array(cutter->arena, struct graph_node, cutter->node_max);
    segment->inputs = arena_new_array(cutter->arena, uint32_t, cutter->node_max);
    return cutter->graph->segment_count++;
}

static void add_node(struct cutter *cutter, uint32_t at, const struct plan_node *plan)
{
    struct graph_segment *segment = &cutter->graph->segments[at];
    struct graph_node *node = &segment->nodes[segment->node_count];
    node->plan = plan;
    node->children = arena_new_array(cutter->arena, struct graph_child, cutter->node_max);
    node->edges = arena_new_array(cutter->arena, uint32_t, cutter->node_max);
    cutter->placed[plan->id] = (struct placement){at, segment->node_count++};
}

static void add_edge(struct cutter *cutter, const struct feed *feed, uint32_t to, uint32_t port)
{
    struct graph *graph = cutter->graph;
    struct placement from = cutter->placed[feed->from->id];
    struct graph_edge *edge = &graph->edges[graph->edge_count];
    *edge = (struct graph_edge){.kind = GRAPH_ONE,
                                .from_segment = from.segment,
                                .from_node = from.node,
                                .to_segment = to,
                                .to_port = port};
    if (feed->exchange != NULL && feed->exchange->as.exchange.to.kind == PLAN_HASH) {
        struct plan_ids keys = feed->exchange->as.exchange.to.keys;
        edge->kind = GRAPH_HASH;
        edge->key_count = keys.count;
        edge->keys = column_map_positions(cutter->arena, feed->from, keys);
    }
    struct graph_node *sender = &graph->segments[from.segment].nodes[from.node];
    sender->edges[sender->edge_count++] = graph->edge_count;
    struct graph_segment *receiver = &graph->segments[to];
    receiver->inputs[receiver->input_count++] = graph->edge_count++;
}

static void place(struct cutter *cutter, const struct plan_node *plan)
{
    if (plan->input_count == 0) {
        bool single = plan->kind == PLAN_VALUES;
        add_node(cutter, add_segment(cutter, single ? 1 : cutter->parallelism), plan);
        return;
    }
    struct feed first = feed_of(plan->inputs[0]);
    uint32_t parallelism = target_parallelism(cutter, &first);
    struct placement from = cutter->placed[first.from->id];
    struct graph_segment *upstream = &cutter->graph->segments[from.segment];
    bool moves = first.exchange != NULL && (parallelism > 1 || upstream->parallelism > 1);
    if (plan->input_count == 1 && !moves) {
        add_node(cutter, from.segment, plan);
        struct graph_node *parent = &upstream->nodes[from.node];
        parent->children[parent->child_count++] =
            (struct graph_child){cutter->placed[plan->id].node, 0};
        return;
    }
    for (uint32_t i = 1; i < plan->input_count; i++) {
        struct feed feed = feed_of(plan->inputs[i]);
        uint32_t wanted = target_parallelism(cutter, &feed);
        parallelism = wanted > parallelism ? wanted : parallelism;
    }
    uint32_t segment = add_segment(cutter, parallelism);
    add_node(cutter, segment, plan);
    cutter->graph->segments[segment].port_count = plan->input_count;
    for (uint32_t i = 0; i < plan->input_count; i++) {
        struct feed feed = feed_of(plan->inputs[i]);
        add_edge(cutter, &feed, segment, i);
    }
}

void graph_cut(struct arena *arena, const struct plan *plan, uint32_t parallelism,
               struct graph *out)
{
    ASSERT(parallelism >= 1);
    uint32_t id_max = 0;
    uint32_t input_sum = 0;
    for (uint32_t i = 0; i < plan->node_count; i++) {
        id_max = plan->nodes[i]->id > id_max ? plan->nodes[i]->id : id_max;
        input_sum += plan->nodes[i]->input_count;
    }
    *out = (struct graph){
        .segments = arena_new_array(arena, struct graph_segment, plan->node_count),
        .edges = arena_new_array(arena, struct graph_edge, input_sum + 1)};
    struct cutter cutter = {.arena = arena,
                            .graph = out,
                            .parallelism = parallelism,
                            .placed = arena_new_array(arena, struct placement, id_max + 1),
                            .node_max = plan->node_count + input_sum};
    for (uint32_t i = 0; i < plan->node_count; i++) {
        if (plan->nodes[i]->kind != PLAN_EXCHANGE) {
            place(&cutter, plan->nodes[i]);
        }
    }
}
