// SPDX-License-Identifier: Apache-2.0
//
// Exchanges: where rows are not spread as an operator needs them. Rows that are spread by just the
// operator's keys, in their order, stay where they are; by a part of the keys is not enough, since
// state finds its instance after a change of parallelism by the hash of all keys.
//
// The plan does not depend on the parallelism: at one instance exchanges cost nothing.
#include "base/arena.h"
#include "sql/bind_int.h"

static bool satisfies(const struct plan_distribution *has, const struct plan_distribution *needs)
{
    switch (needs->kind) {
    case PLAN_ANY: return true;
    case PLAN_SINGLETON: return has->kind == PLAN_SINGLETON;
    case PLAN_HASH: return has->kind == PLAN_HASH && plan_ids_equal(&has->keys, &needs->keys);
    }
    return false;
}

static struct plan_distribution by_keys(const struct plan_ids *keys)
{
    return (struct plan_distribution){.kind = keys->count == 0 ? PLAN_SINGLETON : PLAN_HASH,
                                      .keys = *keys};
}

// An upsert sink applies changes of a key in their order: they must come from one place.
static struct plan_distribution sink_needs(const struct rel *sink)
{
    const struct plan_sink *plan = &sink->node.as.sink;
    const struct rel *input = sink->inputs[0];
    struct plan_distribution any = {.kind = PLAN_ANY};
    if (plan->kind == PLAN_SINK_COLLECT) {
        return (struct plan_distribution){.kind = PLAN_SINGLETON};
    }
    if (sink->connector->sink_is_single) {
        return (struct plan_distribution){.kind = PLAN_SINGLETON};
    }
    bool inserts_only = input->node.changes == CONNECTOR_INSERT_ONLY;
    bool by_row = (sink->connector->sink_changes >> CHANGE_UPDATE_BEFORE & 1) != 0;
    if (inserts_only || by_row || plan->upsert_key.count == 0) {
        return any;
    }
    bool is_ordered = input->node.distribution.kind == PLAN_SINGLETON ||
                      (input->node.distribution.kind == PLAN_HASH &&
                       plan_ids_subset(&input->node.distribution.keys, &plan->upsert_key));
    return is_ordered ? any : by_keys(&plan->upsert_key);
}

static struct plan_distribution needs_of(const struct rel *rel, uint32_t input)
{
    switch (rel->node.kind) {
    case PLAN_GROUP_AGGREGATE: return by_keys(&rel->node.as.group_aggregate.keys);
    case PLAN_WINDOW_AGGREGATE: return by_keys(&rel->node.as.window_aggregate.keys);
    case PLAN_NORMALIZE: return by_keys(&rel->node.as.normalize.keys);
    case PLAN_JOIN:
        return by_keys(input == 0 ? &rel->node.as.join.left_keys : &rel->node.as.join.right_keys);
    case PLAN_SORT:
    case PLAN_LIMIT: return (struct plan_distribution){.kind = PLAN_SINGLETON};
    case PLAN_SINK: return sink_needs(rel);
    case PLAN_SCAN:
    case PLAN_VALUES:
    case PLAN_CALC:
    case PLAN_WATERMARK:
    case PLAN_WINDOW:
    case PLAN_UNION_ALL:
    case PLAN_EXCHANGE: break;
    }
    return (struct plan_distribution){.kind = PLAN_ANY};
}

static struct rel *exchange(struct rel_graph *graph, struct rel *input,
                            const struct plan_distribution *to)
{
    struct ast_span at = {input->node.offset, input->length};
    struct rel *rel = rel_new(graph->arena, PLAN_EXCHANGE, at, 1);
    rel->inputs[0] = input;
    rel_set_columns(graph->arena, rel, input->node.columns, input->node.column_count);
    rel->node.as.exchange.to = *to;
    rel->node.distribution = *to;
    rel->node.changes = input->node.changes;
    rel->node.bounded = input->node.bounded;
    rel->node.upsert_keys = input->node.upsert_keys;
    rel->node.upsert_key_count = input->node.upsert_key_count;
    return rel;
}

// The distribution of a CALC: its input's, where the keys are handed on.
static struct plan_distribution through_calc(struct arena *arena, const struct rel *calc)
{
    struct plan_distribution from = calc->inputs[0]->node.distribution;
    uint32_t *ids = arena_new_array(arena, uint32_t, from.keys.count);
    for (uint32_t i = 0; i < from.keys.count; i++) {
        for (uint32_t k = 0; k < calc->node.column_count && ids[i] == 0; k++) {
            const struct expr *expr = calc->node.as.calc.projections[k];
            if (expr->kind == EXPR_COLUMN && expr->column_id == from.keys.ids[i]) {
                ids[i] = calc->node.columns[k].id;
            }
        }
        if (ids[i] == 0) {
            return (struct plan_distribution){.kind = PLAN_ANY};
        }
    }
    from.keys.ids = ids;
    return from;
}

static struct plan_distribution distribution_of(struct arena *arena, const struct rel *rel)
{
    struct plan_distribution any = {.kind = PLAN_ANY};
    switch (rel->node.kind) {
    case PLAN_SCAN: return any;
    case PLAN_VALUES: return (struct plan_distribution){.kind = PLAN_SINGLETON};
    case PLAN_CALC: return through_calc(arena, rel);
    case PLAN_UNION_ALL:
        for (uint32_t i = 0; i < rel->input_count; i++) {
            if (rel->inputs[i]->node.distribution.kind != PLAN_SINGLETON) {
                return any;
            }
        }
        return (struct plan_distribution){.kind = PLAN_SINGLETON};
    case PLAN_GROUP_AGGREGATE:
    case PLAN_WINDOW_AGGREGATE:
    case PLAN_NORMALIZE:
    case PLAN_JOIN:
    case PLAN_SORT:
    case PLAN_LIMIT:
    case PLAN_WATERMARK:
    case PLAN_WINDOW:
    case PLAN_EXCHANGE:
    case PLAN_SINK: break;
    }
    return rel->inputs[0]->node.distribution;
}

void place_exchanges(struct rel_graph *graph)
{
    rel_sort(graph);
    for (uint32_t i = 0; i < graph->count; i++) {
        struct rel *rel = graph->order[i];
        for (uint32_t k = 0; k < rel->input_count; k++) {
            struct plan_distribution needs = needs_of(rel, k);
            if (!satisfies(&rel->inputs[k]->node.distribution, &needs)) {
                rel->inputs[k] = exchange(graph, rel->inputs[k], &needs);
            }
        }
        rel->node.distribution = distribution_of(graph->arena, rel);
    }
}
