// SPDX-License-Identifier: Apache-2.0
//
// From the graph to instances: rings between segments, operators with their context and state.
#include "base/assert.h"
#include "base/mem.h"
#include "engine/job_int.h"
#include "exec/op_sender.h"
#include "exec/op_watermark.h"
#include "state/state.h"

// Operators without an id of the planner's still put entries; theirs are stable for the same plan.
struct str build_operator_id(struct arena *arena, const struct plan_node *node)
{
    if (node->operator_id.size > 0) {
        return node->operator_id;
    }
    return arena_printf(arena, "%s#%u", plan_kind_name(node->kind), node->id);
}

static struct ring *new_ring(struct job *job, struct ring_pool *pool, struct waker *sender,
                             struct waker *receiver)
{
    struct ring *ring = mem_aligned(64, sizeof *ring);
    ring_init(ring, pool, sender, receiver);
    job->rings[job->ring_count++] = ring;
    return ring;
}

// rings[edge][from instance * to parallelism + to instance]; ONE edges have one ring a sender.
struct wiring {
    struct ring ***rings;
};

static uint32_t receiver_of(const struct graph_segment *to, uint32_t from_instance)
{
    return to->parallelism == 1 ? 0 : from_instance % to->parallelism;
}

static void wire_edge(struct job *job, struct wiring *wiring, uint32_t at)
{
    const struct graph_edge *edge = &job->graph.edges[at];
    const struct graph_segment *from = &job->graph.segments[edge->from_segment];
    const struct graph_segment *to = &job->graph.segments[edge->to_segment];
    uint32_t count = from->parallelism * to->parallelism;
    wiring->rings[at] = arena_new_array(&job->arena, struct ring *, count);
    atomic_init(&job->pools[at].free, (int)count * 2);
    for (uint32_t f = 0; f < from->parallelism; f++) {
        for (uint32_t t = 0; t < to->parallelism; t++) {
            if (edge->kind == GRAPH_HASH || t == receiver_of(to, f)) {
                wiring->rings[at][f * to->parallelism + t] =
                    new_ring(job, &job->pools[at], &job->workers[f].waker, &job->workers[t].waker);
            }
        }
    }
}

static void wire(struct job *job, struct wiring *wiring)
{
    uint32_t ring_max = job->worker_count * job->worker_count * job->graph.edge_count +
                        job->worker_count * job->options.plan->sink_count;
    job->rings = arena_new_array(&job->arena, struct ring *, ring_max);
    job->results = arena_new_array(&job->arena, struct ring *, job->worker_count);
    job->result_ended = arena_new_array(&job->arena, bool, job->worker_count);
    job->pools = arena_new_array(&job->arena, struct ring_pool, job->graph.edge_count);
    wiring->rings = arena_new_array(&job->arena, struct ring **, job->graph.edge_count);
    for (uint32_t i = 0; i < job->graph.edge_count; i++) {
        wire_edge(job, wiring, i);
    }
}

static bool needs_state(const struct plan_node *node)
{
    return node->kind == PLAN_GROUP_AGGREGATE || node->kind == PLAN_WINDOW_AGGREGATE ||
           node->kind == PLAN_JOIN || node->kind == PLAN_NORMALIZE;
}

static const struct snapshot_reader *reader_of(struct job *job, struct arena *arena,
                                               struct str operator_id)
{
    if (!job->has_restored) {
        return NULL;
    }
    const struct checkpoint *restored = &job->restored;
    struct snapshot_reader *reader = arena_new(arena, struct snapshot_reader);
    struct snapshot_entry *entries =
        arena_new_array(arena, struct snapshot_entry, restored->entry_count);
    for (uint32_t i = 0; i < restored->entry_count; i++) {
        if (str_equal(restored->entries[i].operator_id, operator_id)) {
            entries[reader->entry_count++] = restored->entries[i];
        }
    }
    reader->entries = entries;
    reader->epoch = restored->epoch;
    for (uint32_t i = 0; i < restored->operator_count; i++) {
        if (str_equal(restored->operators[i].operator_id, operator_id)) {
            reader->former_instances = restored->operators[i].parallelism;
        }
    }
    return reader;
}

static enum status add_state(struct job *job, struct worker *worker, struct op_context *context,
                             struct err *err)
{
    struct state_context_options options = {.pool = worker->pool,
                                            .operator_id = context->operator_id,
                                            .key_group_from = 0,
                                            .key_group_to = OP_KEY_GROUPS};
    while (options.key_group_from < OP_KEY_GROUPS &&
           op_key_group_owner(options.key_group_from, context->parallelism) != context->instance) {
        options.key_group_from++;
    }
    options.key_group_to = options.key_group_from;
    while (options.key_group_to < OP_KEY_GROUPS &&
           op_key_group_owner(options.key_group_to, context->parallelism) == context->instance) {
        options.key_group_to++;
    }
    struct worker_state *state = mem_zalloc(sizeof *state);
    VEC_PUSH(&worker->states, state);
    state->context = state_context_new(&options);
    context->state = state->context;
    if (job->checkpoints == NULL) {
        return STATUS_OK;
    }
    state_files_init(&state->files, job->options.store, job->checkpoints, context->operator_id,
                     context->instance);
    state->has_files = true;
    context->state_sink = &state->files.sink;
    if (job->has_restored) {
        state->is_restoring = true;
        return state_files_restore(&state->files, &job->restored, context->parallelism,
                                   state->context, &worker->arena, err);
    }
    return STATUS_OK;
}

static struct op_context *new_context(struct job *job, struct worker *worker, uint32_t instance,
                                      uint32_t parallelism)
{
    struct op_context *context = arena_new(&worker->arena, struct op_context);
    const struct job_options *options = &job->options;
    *context = (struct op_context){
        .instance = instance,
        .parallelism = parallelism,
        .budget = &worker->budget,
        .clock = options->clock,
        .waker = &worker->waker,
        .expr_settings = options->expr_settings,
        .pipeline_name = options->store != NULL ? options->name : (struct str){0},
        .job_uuid = job->uuid,
        .directory = options->directory,
        .store = options->store,
        .spill = options->spill,
        .run = job->run,
        .is_streaming = options->plan->is_streaming,
        .row_watermarks = options->watermark_interval_ms == 0,
        .watermark_interval_ms = options->watermark_interval_ms,
        .measure = options->measure,
        .verify = options->verify,
        .batch_rows = options->batch_rows != 0 ? options->batch_rows : BATCH_ROWS_MAX};
    return context;
}

static enum status new_sink(struct job *job, const struct plan_node *node,
                            const struct op_context *context, struct op **out, struct err *err)
{
    if (node->as.sink.kind == PLAN_SINK_TABLE) {
        const struct sink_class *class;
        const struct connectors *connectors = job->options.connectors;
        TRY(connectors->find_sink(connectors->self, node->as.sink.table, &class, err));
        return class->open(node, context, out, err);
    }
    atomic_init(&job->result_pool.free, 16);
    struct ring *ring = new_ring(job, &job->result_pool, context->waker, &job->waker);
    job->results[job->result_count++] = ring;
    struct ring **rings = arena_new(&job->arena, struct ring *);
    rings[0] = ring;
    struct op_sender_spec spec = {.kind = SENDER_ONE, .ring_count = 1, .rings = rings};
    *out = op_sender_new(&spec, context);
    return STATUS_OK;
}

static enum status new_op(struct job *job, const struct plan_node *node,
                          const struct op_context *context, struct op **out, struct err *err)
{
    const struct connectors *connectors = job->options.connectors;
    const struct source_class *source;
    switch (node->kind) {
    case PLAN_SCAN:
        TRY(connectors->find_source(connectors->self, node->as.scan.table, &source, err));
        return op_source_new(node, source, context, out, err);
    case PLAN_SINK: return new_sink(job, node, context, out, err);
    case PLAN_VALUES: return op_values_new(node, context, out, err);
    case PLAN_CALC: return op_calc_new(node, context, out, err);
    case PLAN_WATERMARK: return op_watermark_new(node, context, out, err);
    case PLAN_NORMALIZE: return op_normalize_new(node, context, out, err);
    case PLAN_WINDOW: return op_window_new(node, context, out, err);
    case PLAN_WINDOW_AGGREGATE: return op_window_aggregate_new(node, context, out, err);
    case PLAN_GROUP_AGGREGATE: return op_group_aggregate_new(node, context, out, err);
    case PLAN_JOIN: return op_join_new(node, context, out, err);
    case PLAN_UNION_ALL: return op_union_new(node, context, out, err);
    case PLAN_SORT: return op_sort_new(node, context, out, err);
    case PLAN_LIMIT: return op_limit_new(node, context, out, err);
    case PLAN_EXCHANGE: break;
    }
    UNREACHABLE("exchanges are no operators");
}

// A sender for each edge that leaves the node at `from`, as children of it.
static void add_senders(struct job *job, const struct wiring *wiring, uint32_t segment_at,
                        uint32_t instance, struct segment_node *nodes, uint32_t *node_count)
{
    const struct graph_segment *segment = &job->graph.segments[segment_at];
    struct worker *worker = &job->workers[instance];
    for (uint32_t n = 0; n < segment->node_count; n++) {
        const struct graph_node *node = &segment->nodes[n];
        struct segment_child *children = arena_new_array(&worker->arena, struct segment_child,
                                                         node->child_count + node->edge_count);
        uint32_t child_count = 0;
        for (uint32_t c = 0; c < node->child_count; c++) {
            children[child_count++] =
                (struct segment_child){node->children[c].node, node->children[c].port};
        }
        for (uint32_t e = 0; e < node->edge_count; e++) {
            const struct graph_edge *edge = &job->graph.edges[node->edges[e]];
            const struct graph_segment *to = &job->graph.segments[edge->to_segment];
            struct ring **rings = &wiring->rings[node->edges[e]][instance * to->parallelism];
            bool hash = edge->kind == GRAPH_HASH;
            struct op_sender_spec spec = {.kind = hash ? SENDER_HASH : SENDER_ONE,
                                          .ring_count = hash ? to->parallelism : 1,
                                          .rings = hash ? rings : &rings[receiver_of(to, instance)],
                                          .key_count = edge->key_count,
                                          .keys = edge->keys};
            struct op_context *context = new_context(job, worker, instance, segment->parallelism);
            children[child_count++] = (struct segment_child){*node_count, 0};
            nodes[(*node_count)++] = (struct segment_node){.op = op_sender_new(&spec, context)};
        }
        nodes[n].children = children;
        nodes[n].child_count = child_count;
    }
}

// The watermark that had reached `node` when the checkpoint was taken: the least of its assigners'.
static int64_t restored_watermark(struct job *job, struct arena *arena,
                                  const struct plan_node *node)
{
    if (node->kind == PLAN_WATERMARK) {
        return op_watermark_restored(reader_of(job, arena, build_operator_id(arena, node)));
    }
    int64_t lowest = node->input_count == 0 ? WATERMARK_NONE : WATERMARK_END;
    for (uint32_t i = 0; i < node->input_count; i++) {
        int64_t watermark = restored_watermark(job, arena, node->inputs[i]);
        lowest = watermark < lowest ? watermark : lowest;
    }
    return lowest;
}

static struct gate *new_gate(struct job *job, const struct wiring *wiring,
                             const struct graph_segment *segment, uint32_t instance)
{
    struct arena *arena = &job->workers[instance].arena;
    uint32_t channel_max = segment->input_count * job->worker_count;
    struct gate_channel *channels = arena_new_array(arena, struct gate_channel, channel_max);
    uint32_t channel_count = 0;
    for (uint32_t i = 0; i < segment->input_count; i++) {
        const struct graph_edge *edge = &job->graph.edges[segment->inputs[i]];
        uint32_t senders = job->graph.segments[edge->from_segment].parallelism;
        for (uint32_t f = 0; f < senders; f++) {
            struct ring *ring =
                wiring->rings[segment->inputs[i]][f * segment->parallelism + instance];
            if (ring != NULL) {
                channels[channel_count++] =
                    (struct gate_channel){.ring = ring, .port = edge->to_port};
            }
        }
    }
    struct gate *gate = mem_zalloc(sizeof *gate);
    gate_init(gate, channels, channel_count, segment->port_count);
    if (job->has_restored) {
        gate_restore(gate, restored_watermark(job, arena, segment->nodes[0].plan));
    }
    return gate;
}

// The assigners of a source's segment see its splits.
static void attach_watermarks(const struct graph_segment *segment, struct segment_node *nodes)
{
    if (segment->nodes[0].plan->kind != PLAN_SCAN) {
        return;
    }
    struct source_splits *splits = op_source_splits(nodes[0].op);
    for (uint32_t n = 1; n < segment->node_count; n++) {
        if (segment->nodes[n].plan->kind == PLAN_WATERMARK) {
            op_watermark_attach(nodes[n].op, splits);
        }
    }
}

static enum status build_segment(struct job *job, const struct wiring *wiring, uint32_t at,
                                 uint32_t instance, struct err *err)
{
    const struct graph_segment *segment = &job->graph.segments[at];
    struct worker *worker = &job->workers[instance];
    uint32_t node_max = segment->node_count;
    for (uint32_t n = 0; n < segment->node_count; n++) {
        node_max += segment->nodes[n].edge_count;
    }
    struct segment_node *nodes = mem_zalloc(node_max * sizeof *nodes);
    struct gate *gate = segment->input_count == 0 ? NULL : new_gate(job, wiring, segment, instance);
    // Made at once, so that a failure below frees what there is.
    struct segment *made = segment_new(at, gate, nodes, node_max);
    worker_add_segment(worker, made);
    for (uint32_t n = 0; n < segment->node_count; n++) {
        const struct plan_node *plan = segment->nodes[n].plan;
        struct op_context *context = new_context(job, worker, instance, segment->parallelism);
        context->operator_id = build_operator_id(&job->arena, plan);
        context->restore = reader_of(job, &worker->arena, context->operator_id);
        if (needs_state(plan)) {
            TRY(add_state(job, worker, context, err));
        }
        TRY(new_op(job, plan, context, &nodes[n].op, err));
    }
    attach_watermarks(segment, nodes);
    uint32_t node_count = segment->node_count;
    add_senders(job, wiring, at, instance, nodes, &node_count);
    ASSERT(node_count == node_max);
    return STATUS_OK;
}

static void init_workers(struct job *job)
{
    job->workers = arena_new_array(&job->arena, struct worker, job->worker_count);
    for (uint32_t i = 0; i < job->worker_count; i++) {
        struct worker *worker = &job->workers[i];
        worker_init(worker, i, &job->mailbox, job->options.clock);
        if (!job->options.threads) {
            waker_release(&worker->waker); // stepped, not woken
        }
        budget_init(&worker->budget, &job->budget, job->budget.limit / job->worker_count);
        struct state_pool_options pool = {.budget = &worker->budget,
                                          .spill = job->options.spill,
                                          .waker = &worker->waker,
                                          .hashes_zero = job->options.hashes_zero};
        worker->pool = state_pool_new(&pool);
        worker->batches_max = job->options.source_batches_max;
        worker->mail_random =
            job->options.mail_random != 0 ? job->options.mail_random + worker->index : 0;
    }
}

enum status build_job(struct job *job, struct err *err)
{
    struct wiring wiring;
    graph_cut(&job->arena, job->options.plan, job->worker_count, &job->graph);
    init_workers(job);
    wire(job, &wiring);
    for (uint32_t at = 0; at < job->graph.segment_count; at++) {
        for (uint32_t i = 0; i < job->graph.segments[at].parallelism; i++) {
            TRY(build_segment(job, &wiring, at, i, err));
        }
    }
    return STATUS_OK;
}
