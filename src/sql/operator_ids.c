// SPDX-License-Identifier: Apache-2.0
//
// Ids of operators with state: by these a checkpoint finds them again after the statement was
// edited (engine.md section 5). An id is the sink's name, the path over the stateful operators
// above, and what the operator is keyed by, as the user wrote it:
//
//     lake.default.per_minute/window(TUMBLE 60000, host)
//     print/join(seller=id)/left/group(auction, day)
//
// Sources are named by their table. What several sinks share belongs to the first of them.
#include "base/arena.h"
#include "base/strbuf.h"
#include "sql/bind_int.h"

enum { ID_TEXT_MAX = 1 << 16 };

struct namer {
    struct rel_graph *graph;
    struct arena *arena;
};

// What a column is, below the projections that only compute it: its name, or the expression.
static struct str origin_text(struct arena *arena, const struct rel *rel, uint32_t id)
{
    for (;;) {
        const struct plan_column *column = rel_column(rel, id);
        if (rel->node.kind == PLAN_CALC) {
            const struct expr *expr =
                rel->node.as.calc.projections[plan_column_index(&rel->node, id)];
            if (expr->kind != EXPR_COLUMN) {
                return expr_text(arena, expr);
            }
            id = expr->column_id;
        } else if (rel->node.kind != PLAN_EXCHANGE) {
            return column == NULL ? STR_LIT("?") : column->name;
        }
        rel = rel->inputs[0];
    }
}

static void add_keys(const struct namer *namer, struct strbuf *out, const struct rel *input,
                     const struct plan_ids *keys, const char *separator)
{
    for (uint32_t i = 0; i < keys->count; i++) {
        strbuf_add_text(out, separator);
        strbuf_add(out, origin_text(namer->arena, input, keys->ids[i]));
        separator = ", ";
    }
}

static void add_join(const struct namer *namer, struct strbuf *out, const struct rel *rel)
{
    const struct plan_join *join = &rel->node.as.join;
    for (uint32_t i = 0; i < join->left_keys.count; i++) {
        struct str left = origin_text(namer->arena, rel->inputs[0], join->left_keys.ids[i]);
        struct str right = origin_text(namer->arena, rel->inputs[1], join->right_keys.ids[i]);
        strbuf_printf(out, "%s%.*s=%.*s", i == 0 ? "" : ", ", STR_ARGS(left), STR_ARGS(right));
    }
}

// "group(a, b)"; empty: no state.
static struct str signature(const struct namer *namer, const struct rel *rel)
{
    static const char *const windows[] = {"TUMBLE", "HOP", "CUMULATE", "SESSION"};
    struct strbuf text;
    strbuf_init(&text, ID_TEXT_MAX);
    switch (rel->node.kind) {
    case PLAN_NORMALIZE:
        strbuf_add_text(&text, "normalize(");
        add_keys(namer, &text, rel->inputs[0], &rel->node.as.normalize.keys, "");
        break;
    case PLAN_GROUP_AGGREGATE:
        strbuf_add_text(&text, "group(");
        add_keys(namer, &text, rel->inputs[0], &rel->node.as.group_aggregate.keys, "");
        break;
    case PLAN_WINDOW_AGGREGATE: {
        const struct plan_window_aggregate *window = &rel->node.as.window_aggregate;
        strbuf_printf(&text, "window(%s %lld", windows[window->spec.kind],
                      (long long)window->spec.size_ms);
        if (window->spec.slide_ms != 0) {
            strbuf_printf(&text, " by %lld", (long long)window->spec.slide_ms);
        }
        if (window->spec.offset_ms != 0) {
            strbuf_printf(&text, " from %lld", (long long)window->spec.offset_ms);
        }
        add_keys(namer, &text, rel->inputs[0], &window->keys, ", ");
        break;
    }
    case PLAN_JOIN:
        strbuf_add_text(&text, "join(");
        add_join(namer, &text, rel);
        break;
    case PLAN_VALUES: strbuf_add_text(&text, "values("); break;
    case PLAN_SORT: strbuf_add_text(&text, "sort("); break;
    case PLAN_LIMIT: strbuf_add_text(&text, "limit("); break;
    case PLAN_SCAN:
    case PLAN_CALC:
    case PLAN_WATERMARK:
    case PLAN_WINDOW:
    case PLAN_UNION_ALL:
    case PLAN_EXCHANGE:
    case PLAN_SINK: break;
    }
    strbuf_add_text(&text, text.size > 0 ? ")" : "");
    struct str copy = text.size == 0 ? (struct str){0} : arena_str(namer->arena, strbuf_str(&text));
    strbuf_release(&text);
    return copy;
}

// The same id twice is told apart by a number.
static struct str unique_id(const struct namer *namer, struct str id)
{
    struct str candidate = id;
    for (uint32_t n = 2;; n++) {
        bool is_taken = false;
        for (uint32_t i = 0; i < namer->graph->count && !is_taken; i++) {
            is_taken = str_equal(namer->graph->order[i]->node.operator_id, candidate);
        }
        if (!is_taken) {
            return candidate;
        }
        candidate = arena_printf(namer->arena, "%.*s#%u", STR_ARGS(id), n);
    }
}

static struct str source_id(const struct namer *namer, const struct rel *rel)
{
    while (rel->input_count > 0) {
        rel = rel->inputs[0];
    }
    const struct table_def *table = rel->node.as.scan.table;
    return arena_printf(namer->arena, "source:%.*s",
                        STR_ARGS(bind_table_name(namer->arena, table)));
}

static void name_rel(const struct namer *namer, struct rel *rel, struct str path)
{
    if (rel->node.operator_id.size > 0) {
        return; // shared: the first sink's
    }
    if (rel->node.kind == PLAN_SCAN) {
        rel->node.operator_id = unique_id(namer, source_id(namer, rel));
        return;
    }
    if (rel->node.kind == PLAN_WATERMARK) {
        name_rel(namer, rel->inputs[0], path);
        struct str id =
            arena_printf(namer->arena, "%.*s/watermark", STR_ARGS(source_id(namer, rel)));
        rel->node.operator_id = unique_id(namer, id);
        return;
    }
    struct str own = signature(namer, rel);
    if (own.size > 0) {
        path = unique_id(namer,
                         arena_printf(namer->arena, "%.*s/%.*s", STR_ARGS(path), STR_ARGS(own)));
        rel->node.operator_id = path;
    }
    for (uint32_t i = 0; i < rel->input_count; i++) {
        bool is_join = rel->node.kind == PLAN_JOIN;
        struct str below = is_join ? arena_printf(namer->arena, "%.*s/%s", STR_ARGS(path),
                                                  i == 0 ? "left" : "right")
                                   : path;
        name_rel(namer, rel->inputs[i], below);
    }
}

void operator_ids(struct rel_graph *graph)
{
    rel_sort(graph);
    struct namer namer = {graph, graph->arena};
    for (uint32_t i = 0; i < graph->sink_count; i++) {
        struct rel *sink = graph->sinks[i];
        sink->node.operator_id = unique_id(&namer, sink->node.as.sink.insert_name);
        name_rel(&namer, sink->inputs[0], sink->node.operator_id);
    }
}
