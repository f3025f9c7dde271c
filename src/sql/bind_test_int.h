// SPDX-License-Identifier: Apache-2.0
//
// bind_test_int: a catalog of definitions and connectors made up, for tests of the binder.
// Statements are run in order: CREATE TABLE and CREATE VIEW add to it, queries and INSERTs give a
// plan.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "sql/bind.h"
#include "sql/diagnostic.h"
#include "sql/parse.h"

enum { TABLES_MAX = 64 };

struct fixture {
    struct arena arena;
    struct table_def *tables[TABLES_MAX];
    uint32_t table_count;
    struct bind_settings settings;
    struct plan *plan; // of the last query or INSERT
    struct err err;    // of the last failure
    struct strbuf text;
};

static const struct str fixture_catalog = {"default_catalog", 15};
static const struct str fixture_database = {"default_database", 16};

static inline void fixture_init(struct fixture *fixture, bool is_streaming)
{
    *fixture = (struct fixture){.settings = {.idle_timeout_ms = 30000}};
    fixture->settings.expr.is_streaming = is_streaming;
    arena_init(&fixture->arena);
    strbuf_init(&fixture->text, 1 << 20);
}

static inline void fixture_release(struct fixture *fixture)
{
    strbuf_release(&fixture->text);
    arena_release(&fixture->arena);
}

static inline enum status fixture_find(void *self, struct arena *arena, const struct str *path,
                                       uint32_t part_count, const struct table_def **out,
                                       struct err *err)
{
    (void)arena;
    struct fixture *fixture = self;
    for (uint32_t i = 0; i < fixture->table_count; i++) {
        const struct table_def *def = fixture->tables[i];
        bool same = str_equal(def->name, path[part_count - 1]);
        same = same && (part_count < 2 || str_equal(def->database, path[part_count - 2]));
        same = same && (part_count < 3 || str_equal(def->catalog_name, path[0]));
        if (same) {
            *out = def;
            return STATUS_OK;
        }
    }
    return ERR(err, STATUS_NOT_FOUND, "no table");
}

static inline struct str fixture_nearest(void *self, struct arena *arena, const struct str *path,
                                         uint32_t part_count)
{
    (void)arena;
    struct fixture *fixture = self;
    for (uint32_t i = 0; i < fixture->table_count; i++) {
        if (str_distance(fixture->tables[i]->name, path[part_count - 1]) <= 2) {
            return fixture->tables[i]->name;
        }
    }
    return (struct str){0};
}

// Metadata that knows numbers (7 rows, 5 values, all of them 3) and no texts.
static inline enum status fixture_figures(void *self, struct arena *arena,
                                          const struct table_def *table,
                                          struct bind_figure *figures, uint32_t count,
                                          struct err *err)
{
    (void)self;
    (void)table;
    (void)err;
    for (uint32_t i = 0; i < count; i++) {
        int64_t *value = arena_new(arena, int64_t);
        *value = figures[i].kind == BIND_FIGURE_ROWS     ? 7
                 : figures[i].kind == BIND_FIGURE_VALUES ? 5
                                                         : 3;
        figures[i].value = (struct column){
            .physical = PHYSICAL_I64, .encoding = ENCODING_CONST, .row_count = 1, .values = value};
        figures[i].is_known = figures[i].kind == BIND_FIGURE_ROWS ||
                              figures[i].kind == BIND_FIGURE_VALUES ||
                              type_physical(figures[i].column->type) == PHYSICAL_I64;
    }
    return STATUS_OK;
}

static inline struct str fixture_option(const struct table_def *def, const char *key)
{
    const struct str *value = table_def_option(def, key);
    return value == NULL ? (struct str){0} : *value;
}

static inline enum status fixture_check_options(const struct table_def *def, struct str connector,
                                                struct err *err)
{
    struct str format = fixture_option(def, "format");
    static const char *const formats[] = {"json", "csv", "debezium-json", "maxwell-json"};
    bool has_format = format.size == 0;
    for (uint32_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        has_format = has_format || str_is(format, formats[i]);
    }
    if (!has_format) {
        return ERR(err, STATUS_NOT_FOUND, "there is no format '%.*s'", STR_ARGS(format));
    }
    if (str_is(connector, "filesystem") && table_def_option(def, "path") == NULL) {
        return ERR(err, STATUS_INVALID_DATA, "option 'path' is missing");
    }
    for (uint32_t i = 0; i < def->option_count; i++) {
        static const char *const known[] = {"connector",
                                            "format",
                                            "path",
                                            "number-of-rows",
                                            "topic",
                                            "csv.null-literal",
                                            "prune",
                                            "csv.ignore-parse-errors",
                                            "scan.watermark.idle-timeout"};
        bool found = false;
        for (uint32_t k = 0; k < sizeof known / sizeof *known; k++) {
            found = found || str_is(def->options[i].key, known[k]);
        }
        if (!found) {
            return ERR(err, STATUS_INVALID_DATA, "'%.*s' has no option '%.*s'", STR_ARGS(connector),
                       STR_ARGS(def->options[i].key));
        }
    }
    return STATUS_OK;
}

static inline enum status fixture_describe(void *self, struct arena *arena,
                                           const struct table_def *def, bool as_sink,
                                           struct connector_info *out, struct err *err)
{
    (void)self;
    (void)arena;
    (void)as_sink;
    enum { ALL = 15, NO_BEFORE = 13 };
    static struct connector_metadata metadata[2];
    metadata[0] = (struct connector_metadata){STR_LIT("partition"), &type_int};
    metadata[1] = (struct connector_metadata){STR_LIT("offset"), &type_bigint};
    struct str connector = fixture_option(def, "connector");
    struct str format = fixture_option(def, "format");
    bool is_cdc = str_is(format, "debezium-json") || str_is(format, "maxwell-json");
    *out = (struct connector_info){.name = connector,
                                   .can_read = true,
                                   .can_write = true,
                                   .source_changes = is_cdc ? ALL : CONNECTOR_INSERT_ONLY,
                                   .sink_changes = CONNECTOR_INSERT_ONLY};
    if (def->is_iceberg) {
        out->name = STR_LIT("iceberg");
        out->is_bounded = true;
    } else if (str_is(connector, "filesystem")) {
        out->is_bounded = true;
        out->prunes_fields = table_def_option(def, "prune") != NULL;
    } else if (str_is(connector, "kafka")) {
        out->metadata = metadata;
        out->metadata_count = 2;
    } else if (str_is(connector, "upsert-kafka")) {
        out->source_changes = NO_BEFORE;
        out->source_is_upsert = true;
        out->sink_changes = NO_BEFORE;
    } else if (str_is(connector, "datagen")) {
        out->can_write = false;
    } else if (str_is(connector, "print") || str_is(connector, "blackhole")) {
        out->can_read = false;
        out->sink_changes = ALL;
    } else {
        return ERR(err, STATUS_NOT_FOUND, "there is no connector '%.*s'", STR_ARGS(connector));
    }
    return fixture_check_options(def, connector, err);
}

// What every plan keeps to, whatever it computes ----------------------------------------------

static inline bool fixture_has(const struct plan_node *node, uint32_t id)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (plan_column_index(node->inputs[i], id) != UINT32_MAX) {
            return true;
        }
    }
    return false;
}

static inline void fixture_check_expr(const struct plan_node *node, const struct expr *expr)
{
    if (expr == NULL) {
        return;
    }
    if (expr->kind == EXPR_COLUMN && !fixture_has(node, expr->column_id)) {
        fail_msg("%s reads a column that its input does not hand out", plan_kind_name(node->kind));
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        fixture_check_expr(node, expr->args[i]);
    }
}

static inline void fixture_check_ids(const struct plan_node *node, const struct plan_ids *ids)
{
    for (uint32_t i = 0; i < ids->count; i++) {
        assert_true(fixture_has(node, ids->ids[i]));
    }
}

// Hands out its inputs' columns, one input after the other, and `extra` of its own.
static inline void fixture_check_passes(const struct plan_node *node, uint32_t extra)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < node->input_count; i++) {
        for (uint32_t k = 0; k < node->inputs[i]->column_count; k++, at++) {
            assert_true(at < node->column_count);
            assert_int_equal(node->columns[at].id, node->inputs[i]->columns[k].id);
            assert_true(type_equal_nullability_aside(node->columns[at].type,
                                                     node->inputs[i]->columns[k].type));
        }
    }
    assert_int_equal(at + extra, node->column_count);
}

static inline void fixture_check_calls(const struct plan_node *node, const struct plan_ids *keys,
                                       const struct plan_aggregate_call *calls, uint32_t count)
{
    fixture_check_ids(node, keys);
    for (uint32_t i = 0; i < keys->count; i++) {
        assert_int_equal(node->columns[i].id, keys->ids[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(node->columns[keys->count + i].id, calls[i].output_id);
        assert_true(calls[i].filter == 0 || fixture_has(node, calls[i].filter));
        for (uint32_t k = 0; k < calls[i].argument_count; k++) {
            assert_int_not_equal(calls[i].arguments[k]->kind, EXPR_CALL);
            fixture_check_expr(node, calls[i].arguments[k]);
        }
    }
}

static inline void fixture_check_window(const struct plan_node *node)
{
    const struct plan_window_aggregate *window = &node->as.window_aggregate;
    fixture_check_calls(node, &window->keys, window->calls, window->call_count);
    assert_true(fixture_has(node, window->spec.time_column));
    uint32_t at = window->keys.count + window->call_count;
    const uint32_t bounds[] = {window->start_id, window->end_id, window->time_id};
    for (uint32_t i = 0; i < 3; i++) {
        if (bounds[i] != 0) {
            assert_int_equal(node->columns[at++].id, bounds[i]);
        }
    }
    assert_int_equal(at, node->column_count);
}

static inline void fixture_check_join(const struct plan_node *node)
{
    const struct plan_join *join = &node->as.join;
    fixture_check_passes(node, 0);
    fixture_check_expr(node, join->condition);
    assert_int_equal(join->left_keys.count, join->right_keys.count);
    for (uint32_t i = 0; i < join->left_keys.count; i++) {
        uint32_t left = plan_column_index(node->inputs[0], join->left_keys.ids[i]);
        uint32_t right = plan_column_index(node->inputs[1], join->right_keys.ids[i]);
        assert_true(left != UINT32_MAX && right != UINT32_MAX);
        assert_int_equal(type_physical(node->inputs[0]->columns[left].type),
                         type_physical(node->inputs[1]->columns[right].type));
    }
}

static inline void fixture_check_union(const struct plan_node *node)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        assert_int_equal(node->inputs[i]->column_count, node->column_count);
        for (uint32_t k = 0; k < node->column_count; k++) {
            assert_true(type_equal_nullability_aside(node->columns[k].type,
                                                     node->inputs[i]->columns[k].type));
        }
    }
}

static inline void fixture_check_calc(const struct plan_node *node)
{
    fixture_check_expr(node, node->as.calc.condition);
    for (uint32_t i = 0; i < node->column_count; i++) {
        fixture_check_expr(node, node->as.calc.projections[i]);
        assert_true(type_equal_nullability_aside(node->columns[i].type,
                                                 node->as.calc.projections[i]->type));
    }
}

static inline void fixture_check_node(const struct plan_node *node)
{
    for (uint32_t i = 0; i < node->column_count; i++) {
        assert_int_equal(plan_column_index(node, node->columns[i].id), i); // no id twice
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        assert_true(node->inputs[i]->id < node->id);
    }
    switch (node->kind) {
    case PLAN_SCAN: break;
    case PLAN_VALUES:
        for (uint32_t i = 0; i < node->as.values.row_count * node->column_count; i++) {
            fixture_check_expr(node, node->as.values.values[i]);
        }
        break;
    case PLAN_CALC: fixture_check_calc(node); break;
    case PLAN_WATERMARK:
        fixture_check_passes(node, 0);
        fixture_check_expr(node, node->as.watermark.expression);
        assert_true(fixture_has(node, node->as.watermark.rowtime));
        break;
    case PLAN_NORMALIZE:
        fixture_check_passes(node, 0);
        fixture_check_ids(node, &node->as.normalize.keys);
        break;
    case PLAN_WINDOW:
        fixture_check_passes(node, 3);
        assert_true(fixture_has(node, node->as.window.spec.time_column));
        break;
    case PLAN_WINDOW_AGGREGATE: fixture_check_window(node); break;
    case PLAN_GROUP_AGGREGATE:
        fixture_check_calls(node, &node->as.group_aggregate.keys, node->as.group_aggregate.calls,
                            node->as.group_aggregate.call_count);
        break;
    case PLAN_JOIN: fixture_check_join(node); break;
    case PLAN_UNION_ALL: fixture_check_union(node); break;
    case PLAN_SORT:
        fixture_check_passes(node, 0);
        for (uint32_t i = 0; i < node->as.sort.key_count; i++) {
            assert_true(fixture_has(node, node->as.sort.keys[i].id));
        }
        break;
    case PLAN_EXCHANGE:
        fixture_check_passes(node, 0);
        fixture_check_ids(node, &node->as.exchange.to.keys);
        break;
    case PLAN_LIMIT:
    case PLAN_SINK: fixture_check_passes(node, 0); break;
    }
}

static inline void fixture_check_plan(const struct plan *plan)
{
    for (uint32_t i = 0; i < plan->node_count; i++) {
        assert_int_equal(plan->nodes[i]->id, i + 1);
        fixture_check_node(plan->nodes[i]);
        struct str id = plan->nodes[i]->operator_id;
        for (uint32_t k = 0; k < i && id.size > 0; k++) {
            assert_false(str_equal(plan->nodes[k]->operator_id, id));
        }
    }
}

static inline struct bind_context fixture_context(struct fixture *fixture, struct str text)
{
    return (struct bind_context){.arena = &fixture->arena,
                                 .text = text,
                                 .catalog_name = fixture_catalog,
                                 .database = fixture_database,
                                 .tables = {.find = fixture_find,
                                            .nearest = fixture_nearest,
                                            .figures = fixture_figures,
                                            .self = fixture},
                                 .connectors = {.describe = fixture_describe, .self = fixture},
                                 .settings = fixture->settings};
}

static inline enum status fixture_bind(struct fixture *fixture, const struct bind_context *context,
                                       const struct ast_statement *statement)
{
    struct err *err = &fixture->err;
    struct table_def **table = &fixture->tables[fixture->table_count];
    switch ((int)statement->kind) {
    case AST_CREATE_TABLE:
        TRY(bind_create_table(context, &statement->as.create_table, table, err));
        fixture->table_count++;
        return STATUS_OK;
    case AST_CREATE_VIEW:
        TRY(bind_create_view(context, &statement->as.create_view, table, err));
        fixture->table_count++;
        return STATUS_OK;
    case AST_QUERY: return bind_query(context, statement->as.query, &fixture->plan, err);
    case AST_INSERT: {
        const struct ast_insert *insert = &statement->as.insert;
        return bind_statement_set(context, &insert, 1, &fixture->plan, err);
    }
    case AST_STATEMENT_SET: {
        const struct ast_statement_set *set = &statement->as.statement_set;
        const struct ast_insert *inserts[16];
        for (uint32_t i = 0; i < set->count; i++) {
            inserts[i] = &set->inserts[i];
        }
        return bind_statement_set(context, inserts, set->count, &fixture->plan, err);
    }
    default: return ERR(err, STATUS_UNSUPPORTED, "not in this test");
    }
}

static inline enum status fixture_run(struct fixture *fixture, const char *sql)
{
    struct str text = arena_str(&fixture->arena, str_from(sql));
    const struct ast_statement *statement;
    TRY(parse_statement(&fixture->arena, text, &statement, &fixture->err));
    struct bind_context context = fixture_context(fixture, text);
    fixture->plan = NULL;
    TRY(fixture_bind(fixture, &context, statement));
    if (fixture->plan != NULL) {
        fixture_check_plan(fixture->plan);
    }
    return STATUS_OK;
}

// Runs what must work.
static inline void fixture_must(struct fixture *fixture, const char *sql)
{
    if (fixture_run(fixture, sql) != STATUS_OK) {
        fail_msg("%s\n%s\n%s", sql, fixture->err.text, fixture->err.hint);
    }
}

static inline const char *fixture_explain(struct fixture *fixture, bool changelog_mode,
                                          bool operator_ids)
{
    struct plan_print_options options = {.changelog_mode = changelog_mode,
                                         .operator_ids = operator_ids};
    strbuf_reset(&fixture->text);
    plan_print(&fixture->text, fixture->plan, &options);
    return fixture->text.ptr;
}

static inline const char *fixture_diagnose(struct fixture *fixture, const char *sql)
{
    struct diagnostic_source source = {.text = str_from(sql)};
    strbuf_reset(&fixture->text);
    diagnostic_render(&fixture->text, "error", &fixture->err, &source);
    return fixture->text.ptr;
}
