// SPDX-License-Identifier: Apache-2.0
//
// Plans as text, in the shape of Flink's "Optimized Execution Plan". Columns are shown by the names
// that they have where a node reads them: expressions know only ids, and names given anew by a
// projection would otherwise stay hidden.
#include <inttypes.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "plan/plan.h"

enum { TEXT_MAX = 1 << 20, DEPTH_MAX = 1000 };

struct printer {
    struct strbuf *out;
    struct arena arena;
    const struct plan_node *node; // whose inputs' columns are in scope
};

// Where a join names two columns alike, its own list has the names told apart.
static struct str column_name(const struct plan_node *node, uint32_t id)
{
    if (node->kind == PLAN_JOIN) {
        uint32_t at = plan_column_index(node, id);
        if (at != UINT32_MAX) {
            return node->columns[at].name;
        }
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t at = plan_column_index(node->inputs[i], id);
        if (at != UINT32_MAX) {
            return node->inputs[i]->columns[at].name;
        }
    }
    uint32_t at = plan_column_index(node, id);
    return at == UINT32_MAX ? STR_LIT("?") : node->columns[at].name;
}

static const struct expr *rename_column(struct arena *arena, const struct expr *expr, void *context)
{
    const struct printer *printer = context;
    if (expr->kind != EXPR_COLUMN) {
        return expr;
    }
    return expr_column(arena, expr->column_id, column_name(printer->node, expr->column_id),
                       expr->type);
}

static void print_expr(struct printer *printer, const struct expr *expr)
{
    expr_print(printer->out, expr_rewrite(&printer->arena, expr, rename_column, printer));
}

static void print_ids(struct printer *printer, const struct plan_ids *ids)
{
    for (uint32_t i = 0; i < ids->count; i++) {
        strbuf_add_text(printer->out, i == 0 ? "" : ", ");
        strbuf_add(printer->out, column_name(printer->node, ids->ids[i]));
    }
}

static void print_columns(struct strbuf *out, const struct plan_node *node)
{
    for (uint32_t i = 0; i < node->column_count; i++) {
        strbuf_add_text(out, i == 0 ? "" : ", ");
        strbuf_add(out, node->columns[i].name);
    }
}

static void print_table(struct strbuf *out, const struct table_def *table)
{
    const struct str *path = table_def_option(table, "path");
    if (table->catalog_name.size == 0) { // files, or an Iceberg table, by their name
        strbuf_printf(out, "'%.*s'", STR_ARGS(path != NULL ? *path : table->name));
    } else {
        strbuf_printf(out, "%.*s, %.*s, %.*s", STR_ARGS(table->catalog_name),
                      STR_ARGS(table->database), STR_ARGS(table->name));
    }
}

static void print_scan(struct printer *printer, const struct plan_node *node)
{
    const struct table_def *table = node->as.scan.table;
    strbuf_add_text(printer->out, "table=[[");
    print_table(printer->out, table);
    if (table->version.is_incremental) {
        strbuf_printf(printer->out, ", appends=[%" PRId64 " to %" PRId64 "]",
                      table->version.after_snapshot_id, table->version.snapshot_id);
    } else if (table->version.snapshot_id != 0) {
        strbuf_printf(printer->out, ", snapshot=[%" PRId64 "]", table->version.snapshot_id);
    }
    if (node->as.scan.predicate != NULL) {
        strbuf_add_text(printer->out, ", filter=[");
        print_expr(printer, node->as.scan.predicate);
        strbuf_add_byte(printer->out, ']');
    }
    if (node->as.scan.limit >= 0) {
        strbuf_printf(printer->out, ", limit=[%lld]", (long long)node->as.scan.limit);
    }
    strbuf_add_text(printer->out, "]], fields=[");
    print_columns(printer->out, node);
    strbuf_add_byte(printer->out, ']');
}

static void print_values(struct printer *printer, const struct plan_node *node)
{
    strbuf_add_text(printer->out, "tuples=[[");
    for (uint32_t row = 0; row < node->as.values.row_count; row++) {
        strbuf_add_text(printer->out, row == 0 ? "{" : ", {");
        for (uint32_t i = 0; i < node->column_count; i++) {
            strbuf_add_text(printer->out, i == 0 ? " " : ", ");
            print_expr(printer, node->as.values.values[row * node->column_count + i]);
        }
        strbuf_add_text(printer->out, " }");
    }
    strbuf_add_text(printer->out, "]], values=[");
    print_columns(printer->out, node);
    strbuf_add_byte(printer->out, ']');
    if (node->as.values.figures_of != NULL) {
        strbuf_add_text(printer->out, ", metadata=[[");
        print_table(printer->out, node->as.values.figures_of);
        strbuf_add_text(printer->out, "]]");
    }
}

static void print_calc(struct printer *printer, const struct plan_node *node)
{
    strbuf_add_text(printer->out, "select=[");
    for (uint32_t i = 0; i < node->column_count; i++) {
        const struct expr *expr = node->as.calc.projections[i];
        strbuf_add_text(printer->out, i == 0 ? "" : ", ");
        print_expr(printer, expr);
        if (expr->kind != EXPR_COLUMN ||
            !str_equal(column_name(node, expr->column_id), node->columns[i].name)) {
            strbuf_printf(printer->out, " AS %.*s", STR_ARGS(node->columns[i].name));
        }
    }
    strbuf_add_byte(printer->out, ']');
    if (node->as.calc.condition != NULL) {
        strbuf_add_text(printer->out, ", where=[");
        print_expr(printer, node->as.calc.condition);
        strbuf_add_byte(printer->out, ']');
    }
}

// "1 min", "90 s", "1500 ms": the largest unit that says it in whole numbers.
static void print_duration(struct strbuf *out, const char *name, int64_t ms)
{
    static const struct {
        int64_t ms;
        const char *unit;
    } units[] = {{86400000, "d"}, {3600000, "h"}, {60000, "min"}, {1000, "s"}, {1, "ms"}};
    uint32_t at = 0;
    while (ms % units[at].ms != 0) {
        at++;
    }
    strbuf_printf(out, ", %s=[%lld %s]", name, (long long)(ms / units[at].ms), units[at].unit);
}

static void print_window_spec(struct printer *printer, const struct plan_window_spec *spec)
{
    static const char *const names[] = {"TUMBLE", "HOP", "CUMULATE", "SESSION"};
    struct str time = column_name(printer->node, spec->time_column);
    strbuf_printf(printer->out, "window=[%s(time_col=[%.*s]", names[spec->kind], STR_ARGS(time));
    switch (spec->kind) {
    case PLAN_WINDOW_TUMBLE: print_duration(printer->out, "size", spec->size_ms); break;
    case PLAN_WINDOW_HOP:
        print_duration(printer->out, "size", spec->size_ms);
        print_duration(printer->out, "slide", spec->slide_ms);
        break;
    case PLAN_WINDOW_CUMULATE:
        print_duration(printer->out, "max_size", spec->size_ms);
        print_duration(printer->out, "step", spec->slide_ms);
        break;
    case PLAN_WINDOW_SESSION:
        print_duration(printer->out, "gap", spec->size_ms);
        strbuf_add_text(printer->out, ", partition keys=[");
        print_ids(printer, &spec->partition);
        strbuf_add_byte(printer->out, ']');
        break;
    }
    if (spec->offset_ms != 0) {
        print_duration(printer->out, "offset", spec->offset_ms);
    }
    strbuf_add_text(printer->out, ")]");
}

static void print_call(struct printer *printer, const struct plan_aggregate_call *call)
{
    struct strbuf argument;
    strbuf_init(&argument, TEXT_MAX);
    strbuf_add_text(&argument, call->is_distinct ? "DISTINCT " : "");
    for (uint32_t i = 0; i < call->argument_count; i++) {
        strbuf_add_text(&argument, i == 0 ? "" : ", ");
        expr_print(&argument,
                   expr_rewrite(&printer->arena, call->arguments[i], rename_column, printer));
    }
    aggregate_print(printer->out, call->function, strbuf_str(&argument));
    strbuf_release(&argument);
    if (call->filter != 0) {
        struct str filter = column_name(printer->node, call->filter);
        strbuf_printf(printer->out, " FILTER %.*s", STR_ARGS(filter));
    }
    const struct plan_node *node = printer->node;
    uint32_t at = plan_column_index(node, call->output_id);
    strbuf_printf(printer->out, " AS %.*s",
                  STR_ARGS(at == UINT32_MAX ? STR_LIT("-") : node->columns[at].name));
}

static void print_group_by(struct printer *printer, const struct plan_ids *keys)
{
    if (keys->count > 0) {
        strbuf_add_text(printer->out, "groupBy=[");
        print_ids(printer, keys);
        strbuf_add_text(printer->out, "], ");
    }
}

// What comes behind "select=[", keys and calls, as one list.
static const char *print_selected(struct printer *printer, const struct plan_ids *keys,
                                  const struct plan_aggregate_call *calls, uint32_t call_count)
{
    print_ids(printer, keys);
    const char *separator = keys->count == 0 ? "" : ", ";
    for (uint32_t i = 0; i < call_count; i++) {
        strbuf_add_text(printer->out, separator);
        print_call(printer, &calls[i]);
        separator = ", ";
    }
    return separator;
}

static void print_group_aggregate(struct printer *printer, const struct plan_node *node)
{
    const struct plan_group_aggregate *group = &node->as.group_aggregate;
    print_group_by(printer, &group->keys);
    strbuf_add_text(printer->out, "select=[");
    (void)print_selected(printer, &group->keys, group->calls, group->call_count);
    strbuf_add_byte(printer->out, ']');
}

static void print_window_aggregate(struct printer *printer, const struct plan_node *node)
{
    const struct plan_window_aggregate *window = &node->as.window_aggregate;
    print_group_by(printer, &window->keys);
    print_window_spec(printer, &window->spec);
    strbuf_add_text(printer->out, ", select=[");
    const char *separator =
        print_selected(printer, &window->keys, window->calls, window->call_count);
    const struct {
        uint32_t id;
        const char *what;
    } properties[] = {
        {window->start_id, "start"}, {window->end_id, "end"}, {window->time_id, "rowtime"}};
    for (uint32_t i = 0; i < sizeof properties / sizeof *properties; i++) {
        if (properties[i].id != 0) {
            struct str name = column_name(node, properties[i].id);
            strbuf_printf(printer->out, "%s%s('w$) AS %.*s", separator, properties[i].what,
                          STR_ARGS(name));
            separator = ", ";
        }
    }
    strbuf_add_byte(printer->out, ']');
}

static void print_join_condition(struct printer *printer, const struct plan_join *join)
{
    uint32_t parts = join->left_keys.count + (join->condition != NULL ? 1 : 0);
    strbuf_add_text(printer->out, parts == 0 ? "true" : parts > 1 ? "(" : "");
    for (uint32_t i = 0; i < join->left_keys.count; i++) {
        struct str left = column_name(printer->node, join->left_keys.ids[i]);
        struct str right = column_name(printer->node, join->right_keys.ids[i]);
        bool is_null_safe = join->null_safe != NULL && join->null_safe[i];
        strbuf_printf(printer->out, "%s(%.*s %s %.*s)", i == 0 ? "" : " AND ", STR_ARGS(left),
                      is_null_safe ? "IS NOT DISTINCT FROM" : "=", STR_ARGS(right));
    }
    if (join->condition != NULL) {
        strbuf_add_text(printer->out, join->left_keys.count == 0 ? "" : " AND ");
        print_expr(printer, join->condition);
    }
    strbuf_add_text(printer->out, parts > 1 ? ")" : "");
}

static const char *input_spec(const struct plan_node *input, bool is_unique)
{
    return is_unique                     ? "JoinKeyContainsUniqueKey"
           : input->upsert_key_count > 0 ? "HasUniqueKey"
                                         : "NoUniqueKey";
}

static void print_join(struct printer *printer, const struct plan_node *node)
{
    static const char *const names[] = {"InnerJoin",     "LeftOuterJoin", "RightOuterJoin",
                                        "FullOuterJoin", "LeftSemiJoin",  "LeftAntiJoin"};
    const struct plan_join *join = &node->as.join;
    strbuf_printf(printer->out, "joinType=[%s], where=[", names[join->kind]);
    print_join_condition(printer, join);
    strbuf_add_text(printer->out, "], select=[");
    print_columns(printer->out, node);
    strbuf_printf(printer->out, "], leftInputSpec=[%s], rightInputSpec=[%s]",
                  input_spec(node->inputs[0], join->left_unique),
                  input_spec(node->inputs[1], join->right_unique));
}

static void print_sort(struct printer *printer, const struct plan_node *node)
{
    const struct plan_sort *sort = &node->as.sort;
    strbuf_add_text(printer->out, "orderBy=[");
    for (uint32_t i = 0; i < sort->key_count; i++) {
        const struct plan_sort_key *key = &sort->keys[i];
        struct str name = column_name(node, key->id);
        strbuf_printf(printer->out, "%s%.*s %s", i == 0 ? "" : ", ", STR_ARGS(name),
                      key->is_descending ? "DESC" : "ASC");
        // Flink's order: NULL is the least value.
        if (key->nulls_first == key->is_descending) {
            strbuf_add_text(printer->out, key->nulls_first ? " NULLS FIRST" : " NULLS LAST");
        }
    }
    strbuf_add_byte(printer->out, ']');
    if (sort->limit >= 0) {
        strbuf_printf(printer->out, ", fetch=[%lld]", (long long)sort->limit);
    }
}

static void print_limit(struct strbuf *out, const struct plan_limit *limit)
{
    strbuf_printf(out, "offset=[%lld]", (long long)limit->offset);
    if (limit->limit >= 0) {
        strbuf_printf(out, ", fetch=[%lld]", (long long)limit->limit);
    }
}

static void print_sink(struct printer *printer, const struct plan_node *node)
{
    const struct plan_sink *sink = &node->as.sink;
    if (sink->kind == PLAN_SINK_TABLE) {
        strbuf_printf(printer->out, "table=[%.*s.%.*s.%.*s]", STR_ARGS(sink->table->catalog_name),
                      STR_ARGS(sink->table->database), STR_ARGS(sink->table->name));
        if (sink->branch.size > 0) {
            strbuf_printf(printer->out, ", branch=[%.*s]", STR_ARGS(sink->branch));
        }
    } else {
        strbuf_add_text(printer->out, "table=[collect]");
    }
    strbuf_add_text(printer->out, ", fields=[");
    print_columns(printer->out, node->inputs[0]);
    strbuf_add_byte(printer->out, ']');
}

static void print_exchange(struct printer *printer, const struct plan_distribution *to)
{
    strbuf_add_text(printer->out, "distribution=[");
    switch (to->kind) {
    case PLAN_ANY: strbuf_add_text(printer->out, "rebalance"); break;
    case PLAN_SINGLETON: strbuf_add_text(printer->out, "single"); break;
    case PLAN_HASH:
        strbuf_add_text(printer->out, "hash[");
        print_ids(printer, &to->keys);
        strbuf_add_byte(printer->out, ']');
        break;
    }
    strbuf_add_byte(printer->out, ']');
}

static void print_attributes(struct printer *printer, const struct plan_node *node)
{
    switch (node->kind) {
    case PLAN_SCAN: print_scan(printer, node); break;
    case PLAN_VALUES: print_values(printer, node); break;
    case PLAN_CALC: print_calc(printer, node); break;
    case PLAN_WATERMARK: {
        struct str rowtime = column_name(node, node->as.watermark.rowtime);
        strbuf_printf(printer->out, "rowtime=[%.*s], watermark=[", STR_ARGS(rowtime));
        print_expr(printer, node->as.watermark.expression);
        strbuf_add_byte(printer->out, ']');
        break;
    }
    case PLAN_NORMALIZE:
        strbuf_add_text(printer->out, "key=[");
        print_ids(printer, &node->as.normalize.keys);
        strbuf_add_byte(printer->out, ']');
        break;
    case PLAN_WINDOW: print_window_spec(printer, &node->as.window.spec); break;
    case PLAN_WINDOW_AGGREGATE: print_window_aggregate(printer, node); break;
    case PLAN_GROUP_AGGREGATE: print_group_aggregate(printer, node); break;
    case PLAN_JOIN: print_join(printer, node); break;
    case PLAN_UNION_ALL:
        strbuf_add_text(printer->out, "all=[true], union=[");
        print_columns(printer->out, node);
        strbuf_add_byte(printer->out, ']');
        break;
    case PLAN_SORT: print_sort(printer, node); break;
    case PLAN_LIMIT: print_limit(printer->out, &node->as.limit); break;
    case PLAN_EXCHANGE: print_exchange(printer, &node->as.exchange.to); break;
    case PLAN_SINK: print_sink(printer, node); break;
    }
}

static void print_node(struct strbuf *out, const struct plan_node *node,
                       const struct plan_print_options *options)
{
    struct printer printer = {.out = out, .node = node};
    arena_init(&printer.arena);
    strbuf_printf(out, "%s(", plan_kind_name(node->kind));
    print_attributes(&printer, node);
    if (options->changelog_mode) {
        strbuf_add_text(out, ", changelogMode=[");
        plan_print_changes(out, node->kind == PLAN_SINK ? 0 : node->changes);
        if (node->kind == PLAN_SINK) {
            strbuf_add_text(out, "NONE");
        }
        strbuf_add_byte(out, ']');
    }
    if (options->operator_ids && node->operator_id.size > 0) {
        strbuf_printf(out, ", id=[%.*s]", STR_ARGS(node->operator_id));
    }
    strbuf_add_byte(out, ')');
    arena_release(&printer.arena);
}

void plan_print_node(struct strbuf *out, const struct plan_node *node)
{
    static const struct plan_print_options none = {0};
    print_node(out, node, &none);
}

struct tree {
    struct strbuf *out;
    const struct plan_print_options *options;
    struct strbuf prefix;
    uint32_t *uses;      // of each node, by id
    uint32_t *reuse_ids; // 0: not printed yet
    uint32_t reused;
    uint32_t depth;
};

static void print_tree(struct tree *tree, const struct plan_node *node)
{
    if (tree->reuse_ids[node->id] != 0) {
        strbuf_printf(tree->out, "Reused(reference_id=[%u])\n", tree->reuse_ids[node->id]);
        return;
    }
    print_node(tree->out, node, tree->options);
    if (tree->uses[node->id] > 1) {
        tree->reuse_ids[node->id] = ++tree->reused;
        strbuf_printf(tree->out, "(reuse_id=[%u])", tree->reused);
    }
    strbuf_add_byte(tree->out, '\n');
    if (++tree->depth > DEPTH_MAX) {
        strbuf_add_text(tree->out, "...\n");
        tree->depth--;
        return;
    }
    size_t size = tree->prefix.size;
    for (uint32_t i = 0; i < node->input_count; i++) {
        bool is_last = i + 1 == node->input_count;
        strbuf_add(tree->out, strbuf_str(&tree->prefix));
        strbuf_add_text(tree->out, is_last ? "+- " : ":- ");
        strbuf_add_text(&tree->prefix, is_last ? "   " : ":  ");
        print_tree(tree, node->inputs[i]);
        tree->prefix.size = size;
        tree->prefix.ptr[size] = '\0';
    }
    tree->depth--;
}

// What EXPLAIN shows first: collecting rows for the session is no part of the query.
static const struct plan_node *visible_root(const struct plan_node *sink)
{
    if (sink->as.sink.kind != PLAN_SINK_COLLECT) {
        return sink;
    }
    const struct plan_node *root = sink->inputs[0];
    bool gathers = root->kind == PLAN_EXCHANGE && root->as.exchange.to.kind == PLAN_SINGLETON;
    return gathers ? root->inputs[0] : root;
}

void plan_print(struct strbuf *out, const struct plan *plan,
                const struct plan_print_options *options)
{
    struct arena arena;
    arena_init(&arena);
    struct tree tree = {.out = out, .options = options};
    tree.uses = arena_new_array(&arena, uint32_t, plan->node_count + 1);
    tree.reuse_ids = arena_new_array(&arena, uint32_t, plan->node_count + 1);
    for (uint32_t i = 0; i < plan->node_count; i++) {
        for (uint32_t j = 0; j < plan->nodes[i]->input_count; j++) {
            tree.uses[plan->nodes[i]->inputs[j]->id]++;
        }
    }
    strbuf_init(&tree.prefix, TEXT_MAX);
    strbuf_add_text(&tree.prefix, "");
    for (uint32_t i = 0; i < plan->sink_count; i++) {
        strbuf_add_text(out, i == 0 ? "" : "\n");
        print_tree(&tree, visible_root(plan->sinks[i]));
    }
    strbuf_release(&tree.prefix);
    arena_release(&arena);
}
