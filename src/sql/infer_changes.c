// SPDX-License-Identifier: Apache-2.0
//
// Which changes each relation hands out, and by which keys they can be applied; as Flink infers
// them (FlinkChangelogModeInferenceProgram), but that DISTINCT over inserts is known to insert
// only.
//
// From the scans up: kinds of change, unique keys, boundedness. From the sinks down: who needs -U.
// Then up again: what that makes of updates.
#include "base/arena.h"
#include "base/strbuf.h"
#include "sql/bind_int.h"

enum {
    INSERT = 1 << CHANGE_INSERT,
    BEFORE = 1 << CHANGE_UPDATE_BEFORE,
    AFTER = 1 << CHANGE_UPDATE_AFTER,
    DELETE = 1 << CHANGE_DELETE,
    KEYS_MAX = 8, // unique keys that are followed
};

// Unique keys ----------------------------------------------------------------------------------

struct keys {
    struct arena *arena;
    struct plan_ids items[KEYS_MAX];
    uint32_t count;
};

static void add_key(struct keys *keys, const uint32_t *ids, uint32_t count)
{
    struct plan_ids key = {count, ids};
    for (uint32_t i = 0; i < keys->count; i++) {
        if (plan_ids_subset(&keys->items[i], &key)) {
            return; // a smaller one says more
        }
    }
    if (keys->count < KEYS_MAX) {
        key.ids = arena_copy(keys->arena, ids, sizeof *ids * count);
        keys->items[keys->count++] = key;
    }
}

static void scan_keys(struct keys *keys, const struct rel *scan)
{
    const struct table_def *table = scan->node.as.scan.table;
    uint32_t *ids = arena_new_array(keys->arena, uint32_t, table->primary_key_count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < table->primary_key_count; i++) {
        for (uint32_t k = 0; k < scan->node.column_count; k++) {
            if (str_equal(scan->node.columns[k].name, table->primary_key[i])) {
                ids[count++] = scan->node.columns[k].id;
                break;
            }
        }
    }
    if (count > 0 && count == table->primary_key_count) {
        add_key(keys, ids, count);
    }
}

// The keys whose columns a CALC hands on, by their ids above.
static void calc_keys(struct keys *keys, const struct rel *calc)
{
    const struct plan_node *input = &calc->inputs[0]->node;
    for (uint32_t i = 0; i < input->upsert_key_count; i++) {
        const struct plan_ids *key = &input->upsert_keys[i];
        uint32_t *ids = arena_new_array(keys->arena, uint32_t, key->count);
        uint32_t found = 0;
        for (uint32_t k = 0; k < key->count; k++) {
            for (uint32_t at = 0; at < calc->node.column_count; at++) {
                const struct expr *expr = calc->node.as.calc.projections[at];
                if (expr->kind == EXPR_COLUMN && expr->column_id == key->ids[k]) {
                    ids[found++] = calc->node.columns[at].id;
                    break;
                }
            }
        }
        if (found == key->count) {
            add_key(keys, ids, found);
        }
    }
}

// The input's keys, with `extra` (0: nothing) in each.
static void input_keys(struct keys *keys, const struct rel *input, uint32_t extra)
{
    for (uint32_t i = 0; i < input->node.upsert_key_count; i++) {
        const struct plan_ids *key = &input->node.upsert_keys[i];
        uint32_t *ids = arena_new_array(keys->arena, uint32_t, key->count + 1);
        for (uint32_t k = 0; k < key->count; k++) {
            ids[k] = key->ids[k];
        }
        ids[key->count] = extra;
        add_key(keys, ids, key->count + (extra == 0 ? 0 : 1));
    }
}

static bool holds_key(const struct rel *rel, const struct plan_ids *columns)
{
    for (uint32_t i = 0; i < rel->node.upsert_key_count; i++) {
        if (plan_ids_subset(&rel->node.upsert_keys[i], columns)) {
            return true;
        }
    }
    return false;
}

static void join_keys(struct keys *keys, struct rel *join)
{
    struct plan_join *plan = &join->node.as.join;
    const struct rel *left = join->inputs[0];
    const struct rel *right = join->inputs[1];
    plan->left_unique = holds_key(left, &plan->left_keys);
    plan->right_unique = holds_key(right, &plan->right_keys);
    if (plan->right_unique) { // a left row meets one right row at most
        input_keys(keys, left, 0);
    }
    if (plan->left_unique) {
        input_keys(keys, right, 0);
    }
    for (uint32_t i = 0; i < left->node.upsert_key_count; i++) {
        for (uint32_t k = 0; k < right->node.upsert_key_count; k++) {
            const struct plan_ids *a = &left->node.upsert_keys[i];
            const struct plan_ids *b = &right->node.upsert_keys[k];
            uint32_t *ids = arena_new_array(keys->arena, uint32_t, a->count + b->count);
            for (uint32_t at = 0; at < a->count + b->count; at++) {
                ids[at] = at < a->count ? a->ids[at] : b->ids[at - a->count];
            }
            add_key(keys, ids, a->count + b->count);
        }
    }
}

static void window_aggregate_keys(struct keys *keys, const struct rel *rel)
{
    const struct plan_window_aggregate *window = &rel->node.as.window_aggregate;
    uint32_t bound = window->start_id != 0 && window->spec.kind != PLAN_WINDOW_CUMULATE
                         ? window->start_id
                     : window->end_id != 0 ? window->end_id
                                           : window->time_id;
    if (bound == 0) {
        return;
    }
    uint32_t *ids = arena_new_array(keys->arena, uint32_t, window->keys.count + 1);
    for (uint32_t i = 0; i < window->keys.count; i++) {
        ids[i] = window->keys.ids[i];
    }
    ids[window->keys.count] = bound;
    add_key(keys, ids, window->keys.count + 1);
}

static void infer_keys(struct arena *arena, struct rel *rel)
{
    struct keys keys = {.arena = arena};
    switch (rel->node.kind) {
    case PLAN_SCAN: scan_keys(&keys, rel); break;
    case PLAN_CALC: calc_keys(&keys, rel); break;
    case PLAN_JOIN: join_keys(&keys, rel); break;
    case PLAN_GROUP_AGGREGATE: {
        const struct plan_ids *group = &rel->node.as.group_aggregate.keys;
        add_key(&keys, group->ids, group->count);
        break;
    }
    case PLAN_WINDOW_AGGREGATE: window_aggregate_keys(&keys, rel); break;
    case PLAN_NORMALIZE:
        add_key(&keys, rel->node.as.normalize.keys.ids, rel->node.as.normalize.keys.count);
        break;
    case PLAN_WINDOW: {
        const struct plan_window *window = &rel->node.as.window;
        bool is_tumble = window->spec.kind == PLAN_WINDOW_TUMBLE;
        input_keys(&keys, rel->inputs[0], is_tumble ? 0 : window->end_id);
        break;
    }
    case PLAN_WATERMARK:
    case PLAN_SORT:
    case PLAN_LIMIT:
    case PLAN_EXCHANGE: input_keys(&keys, rel->inputs[0], 0); break;
    case PLAN_VALUES:
    case PLAN_UNION_ALL:
    case PLAN_SINK: break;
    }
    rel->node.upsert_keys = arena_copy(arena, keys.items, sizeof *keys.items * keys.count);
    rel->node.upsert_key_count = keys.count;
}

// Kinds of change --------------------------------------------------------------------------------

static uint8_t inputs_changes(const struct rel *rel)
{
    uint8_t changes = 0;
    for (uint32_t i = 0; i < rel->input_count; i++) {
        changes = (uint8_t)(changes | rel->inputs[i]->node.changes);
    }
    return changes;
}

// What an aggregation or normalisation makes of updates.
static uint8_t with_updates(const struct rel *rel, uint8_t changes)
{
    bool has_updates = (changes & AFTER) != 0;
    return (uint8_t)(has_updates && rel->needs_before ? changes | BEFORE : changes);
}

static uint8_t infer_kind(const struct rel_graph *graph, const struct rel *rel)
{
    uint8_t input = inputs_changes(rel);
    if (!graph->is_streaming) {
        return INSERT;
    }
    switch (rel->node.kind) {
    case PLAN_SCAN: return rel->connector->source_changes;
    case PLAN_VALUES:
    case PLAN_WINDOW_AGGREGATE: return INSERT;
    case PLAN_NORMALIZE: return with_updates(rel, INSERT | AFTER | DELETE);
    case PLAN_GROUP_AGGREGATE: {
        bool has_calls = rel->node.as.group_aggregate.call_count > 0;
        uint8_t deletes = input == INSERT ? 0 : DELETE;
        uint8_t updates = has_calls ? AFTER : 0;
        return with_updates(rel, (uint8_t)(INSERT | deletes | updates));
    }
    case PLAN_CALC:
    case PLAN_WATERMARK:
    case PLAN_WINDOW:
    case PLAN_JOIN:
    case PLAN_UNION_ALL:
    case PLAN_SORT:
    case PLAN_LIMIT:
    case PLAN_EXCHANGE:
    case PLAN_SINK: break;
    }
    return input;
}

static void infer_up(const struct rel_graph *graph, struct rel *rel)
{
    rel->node.changes = infer_kind(graph, rel);
    bool bounded = rel->input_count > 0 || rel->node.kind == PLAN_VALUES || rel->node.bounded;
    for (uint32_t i = 0; i < rel->input_count; i++) {
        bounded = bounded && rel->inputs[i]->node.bounded;
    }
    rel->node.bounded = bounded;
}

// Batch queries over sources without an end -------------------------------------------------------

static bool waits_for_the_end(enum plan_kind kind)
{
    return kind == PLAN_GROUP_AGGREGATE || kind == PLAN_WINDOW_AGGREGATE || kind == PLAN_JOIN ||
           kind == PLAN_NORMALIZE || kind == PLAN_SORT;
}

static const char *clause_of(enum plan_kind kind)
{
    switch (kind) {
    case PLAN_SORT: return "ORDER BY";
    case PLAN_JOIN: return "a join";
    case PLAN_SCAN:
    case PLAN_VALUES:
    case PLAN_CALC:
    case PLAN_WATERMARK:
    case PLAN_WINDOW:
    case PLAN_WINDOW_AGGREGATE:
    case PLAN_GROUP_AGGREGATE:
    case PLAN_NORMALIZE:
    case PLAN_UNION_ALL:
    case PLAN_LIMIT:
    case PLAN_EXCHANGE:
    case PLAN_SINK: break;
    }
    return "an aggregation";
}

static const struct rel *endless_scan(const struct rel *rel)
{
    for (uint32_t i = 0; i < rel->input_count; i++) {
        if (rel->inputs[i]->never_ends) {
            return endless_scan(rel->inputs[i]);
        }
    }
    return rel;
}

// Rows of a source without an end may be looked at as they come; whoever has to see the last one
// first would wait for ever (Flink refuses every batch query of such a table).
static enum status check_end(struct rel *rel, struct err *err)
{
    rel->never_ends =
        rel->connector != NULL && rel->node.kind == PLAN_SCAN && rel->connector->is_endless;
    for (uint32_t i = 0; i < rel->input_count; i++) {
        rel->never_ends = rel->never_ends || rel->inputs[i]->never_ends;
    }
    if (!rel->never_ends || !waits_for_the_end(rel->node.kind)) {
        return STATUS_OK;
    }
    const struct rel *scan = endless_scan(rel);
    enum status status =
        REFUSE(err, ((struct ast_span){scan->node.offset, scan->length}),
               "'%.*s' has no end: in batch mode %s over it would never give a row",
               STR_ARGS(scan->node.as.scan.table->name), clause_of(rel->node.kind));
    err_hint(err,
             "give it an end ('%s' = '1000'), or follow it: --streaming, or SET "
             "'execution.runtime-mode' = 'streaming'",
             str_is(scan->connector->name, "nexmark") ? "events.num" : "number-of-rows");
    return status;
}

// Who needs -U -----------------------------------------------------------------------------------

static bool same_key(const struct plan_ids *a, const struct plan_ids *b)
{
    return plan_ids_subset(a, b) && plan_ids_subset(b, a);
}

static bool sink_needs_before(const struct rel *sink)
{
    const struct plan_sink *plan = &sink->node.as.sink;
    if (plan->kind == PLAN_SINK_COLLECT || (sink->connector->sink_changes & BEFORE) != 0) {
        return true;
    }
    // Applied by key: right without -U where the query's own key is the table's.
    const struct rel *input = sink->inputs[0];
    for (uint32_t i = 0; i < input->node.upsert_key_count; i++) {
        if (same_key(&input->node.upsert_keys[i], &plan->upsert_key)) {
            return false;
        }
    }
    return true;
}

static bool input_needs_before(const struct rel *rel, uint32_t input)
{
    switch (rel->node.kind) {
    case PLAN_SINK: return sink_needs_before(rel);
    case PLAN_NORMALIZE: return false;
    case PLAN_GROUP_AGGREGATE:
    case PLAN_WINDOW_AGGREGATE: return true;
    // A filter looks at each row by itself: what it passed may no longer pass.
    case PLAN_CALC: return rel->needs_before || rel->node.as.calc.condition != NULL;
    case PLAN_JOIN: {
        const struct plan_join *join = &rel->node.as.join;
        const struct plan_ids *keys = input == 0 ? &join->left_keys : &join->right_keys;
        const struct plan_node *node = &rel->inputs[input]->node;
        for (uint32_t i = 0; i < node->upsert_key_count; i++) {
            if (plan_ids_subset(keys, &node->upsert_keys[i])) {
                return rel->needs_before; // an update never changes partners
            }
        }
        return true;
    }
    case PLAN_SCAN:
    case PLAN_VALUES:
    case PLAN_WATERMARK:
    case PLAN_WINDOW:
    case PLAN_UNION_ALL:
    case PLAN_SORT:
    case PLAN_LIMIT:
    case PLAN_EXCHANGE: break;
    }
    return rel->needs_before;
}

// Sinks that take inserts only --------------------------------------------------------------------

// The relation that makes the changes of `kinds`: those below it hand out none of them.
static const struct rel *origin_of(const struct rel *rel, uint8_t kinds)
{
    for (uint32_t i = 0; i < rel->input_count; i++) {
        if ((rel->inputs[i]->node.changes & kinds) != 0 && rel->node.kind != PLAN_GROUP_AGGREGATE) {
            return origin_of(rel->inputs[i], kinds);
        }
    }
    return rel;
}

static struct str describe(struct arena *arena, const struct rel *rel)
{
    struct plan_node node = rel->node;
    const struct plan_node **inputs =
        arena_new_array(arena, const struct plan_node *, rel->input_count);
    for (uint32_t i = 0; i < rel->input_count; i++) {
        inputs[i] = &rel->inputs[i]->node;
    }
    node.inputs = inputs;
    node.input_count = rel->input_count;
    struct strbuf text;
    strbuf_init(&text, ERR_TEXT_MAX);
    plan_print_node(&text, &node);
    struct str copy = arena_str(arena, strbuf_str(&text));
    strbuf_release(&text);
    return copy;
}

static enum status check_sink(struct arena *arena, const struct rel *sink, struct err *err)
{
    const struct plan_sink *plan = &sink->node.as.sink;
    if (plan->kind == PLAN_SINK_COLLECT) {
        return STATUS_OK;
    }
    uint8_t taken = sink->connector->sink_changes;
    uint8_t refused = (uint8_t)(sink->inputs[0]->node.changes & ~taken & (AFTER | DELETE));
    if (refused == 0) {
        return STATUS_OK;
    }
    const struct rel *origin = origin_of(sink->inputs[0], refused);
    struct ast_span at = {origin->node.offset, origin->length};
    enum status status =
        REFUSE(err, at, "table sink '%.*s' does not take %s changes, which are made by %.*s",
               STR_ARGS(bind_table_name(arena, plan->table)),
               (refused & AFTER) == 0    ? "delete"
               : (refused & DELETE) == 0 ? "update"
                                         : "update and delete",
               STR_ARGS(describe(arena, origin)));
    err_hint(err, "group by a window (TUMBLE), whose results come once, or write to a table that "
                  "takes updates, such as 'connector' = 'print'");
    return status;
}

// A limit counts rows: it cannot take one back.
static enum status check_limit(const struct rel_graph *graph, const struct rel *rel,
                               struct err *err)
{
    if (rel->node.kind != PLAN_LIMIT || !graph->is_streaming) {
        return STATUS_OK;
    }
    struct ast_span at = {rel->node.offset, rel->length};
    if (graph->sinks[0]->node.as.sink.kind == PLAN_SINK_TABLE) { // its count is in no checkpoint
        return NOT_YET(err, at, "LIMIT in a streaming INSERT is not supported yet");
    }
    return rel->node.changes == INSERT
               ? STATUS_OK
               : NOT_YET(err, at, "LIMIT on a stream with updates is not supported yet");
}

// FIRST_VALUE and its like cannot take a value back.
static enum status check_calls(const struct rel *rel, struct err *err)
{
    const struct plan_group_aggregate *group = &rel->node.as.group_aggregate;
    const struct plan_window_aggregate *window = &rel->node.as.window_aggregate;
    bool is_group = rel->node.kind == PLAN_GROUP_AGGREGATE;
    if ((!is_group && rel->node.kind != PLAN_WINDOW_AGGREGATE) ||
        (inputs_changes(rel) & (BEFORE | DELETE)) == 0) {
        return STATUS_OK;
    }
    const struct plan_aggregate_call *calls = is_group ? group->calls : window->calls;
    uint32_t count = is_group ? group->call_count : window->call_count;
    for (uint32_t i = 0; i < count; i++) {
        enum aggregate_kind kind = calls[i].function->kind;
        bool is_extreme = kind == AGGREGATE_MIN || kind == AGGREGATE_MAX;
        if (!is_extreme && !calls[i].function->is_retractable) {
            struct ast_span at = {rel->node.offset, rel->length};
            return NOT_YET(err, at, "%s over a changing input is not supported yet",
                           aggregate_name(kind));
        }
    }
    return STATUS_OK;
}

enum status infer_changes(struct rel_graph *graph, const struct bind_context *context,
                          struct err *err)
{
    (void)context;
    rel_sort(graph);
    for (uint32_t i = 0; i < graph->count; i++) {
        infer_keys(graph->arena, graph->order[i]);
        infer_up(graph, graph->order[i]);
        TRY(check_limit(graph, graph->order[i], err));
        if (!graph->is_streaming) {
            TRY(check_end(graph->order[i], err));
        }
        TRY(check_calls(graph->order[i], err));
    }
    for (uint32_t i = 0; i < graph->sink_count; i++) {
        TRY(check_sink(graph->arena, graph->sinks[i], err));
    }
    for (uint32_t i = graph->count; i-- > 0;) {
        struct rel *rel = graph->order[i];
        for (uint32_t k = 0; k < rel->input_count; k++) {
            struct rel *input = rel->inputs[k];
            bool has_updates = (input->node.changes & AFTER) != 0;
            input->needs_before =
                input->needs_before || (has_updates && input_needs_before(rel, k));
        }
    }
    for (uint32_t i = 0; i < graph->count; i++) {
        struct rel *rel = graph->order[i];
        infer_up(graph, rel);
        if (rel->node.kind == PLAN_GROUP_AGGREGATE) {
            rel->node.as.group_aggregate.needs_update_before = rel->needs_before;
        }
    }
    return STATUS_OK;
}
