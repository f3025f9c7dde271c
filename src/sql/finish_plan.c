// SPDX-License-Identifier: Apache-2.0
#include "base/arena.h"
#include "sql/bind_int.h"

// Columns of a join that have the same name are told apart: id, id0.
static void tell_apart(struct arena *arena, struct rel *rel)
{
    uint32_t count = rel->node.column_count;
    struct plan_column *columns = arena_copy(arena, rel->node.columns, sizeof *columns * count);
    for (uint32_t i = 0; i < count; i++) {
        struct str name = columns[i].name;
        for (uint32_t n = 0, at = 0; at < i; at++) {
            if (str_equal(columns[at].name, name)) {
                name = arena_printf(arena, "%.*s%u", STR_ARGS(columns[i].name), n++);
                at = UINT32_MAX; // from the start again, with the new name
            }
        }
        columns[i].name = name;
    }
    rel->node.columns = columns;
}

struct plan *finish_plan(struct rel_graph *graph)
{
    rel_sort(graph);
    struct arena *arena = graph->arena;
    struct plan *plan = arena_new(arena, struct plan);
    const struct plan_node **nodes = arena_new_array(arena, const struct plan_node *, graph->count);
    for (uint32_t i = 0; i < graph->count; i++) {
        struct rel *rel = graph->order[i];
        const struct plan_node **inputs =
            arena_new_array(arena, const struct plan_node *, rel->input_count);
        for (uint32_t k = 0; k < rel->input_count; k++) {
            inputs[k] = rel->inputs[k]->made;
        }
        if (rel->node.kind == PLAN_JOIN) {
            tell_apart(arena, rel);
        }
        rel->node.id = i + 1;
        rel->node.inputs = inputs;
        rel->node.input_count = rel->input_count;
        rel->made = &rel->node;
        nodes[i] = &rel->node;
    }
    const struct plan_node **sinks =
        arena_new_array(arena, const struct plan_node *, graph->sink_count);
    for (uint32_t i = 0; i < graph->sink_count; i++) {
        sinks[i] = graph->sinks[i]->made;
    }
    *plan = (struct plan){.node_count = graph->count,
                          .nodes = nodes,
                          .sink_count = graph->sink_count,
                          .sinks = sinks,
                          .is_streaming = graph->is_streaming};
    return plan;
}
