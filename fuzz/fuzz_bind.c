// SPDX-License-Identifier: Apache-2.0
//
// fuzz_bind: any bytes as a script that is planned: its CREATE TABLE and CREATE VIEW make tables,
// queries and INSERTs give plans over them and those that are always there, bounded and as streams.
// What is refused says where, within the statement; a plan names its columns once.
#include <stdint.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/strbuf.h"
#include "plan/plan.h"
#include "sql/bind.h"
#include "sql/parse.h"
#include "sql/script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TABLES_MAX = 16, TEXT_MAX = 1 << 14, INSERTS_MAX = 8, PLAN_TEXT_MAX = 1 << 24 };

struct fixture {
    struct arena arena;
    struct table_def *tables[TABLES_MAX];
    uint32_t table_count;
    bool is_streaming;
};

static enum status find(void *self, struct arena *arena, const struct str *path,
                        uint32_t part_count, const struct table_def **out, struct err *err)
{
    const struct fixture *fixture = self;
    (void)arena;
    for (uint32_t i = fixture->table_count; i-- > 0;) {
        if (str_equal(fixture->tables[i]->name, path[part_count - 1])) {
            *out = fixture->tables[i];
            return STATUS_OK;
        }
    }
    return ERR(err, STATUS_NOT_FOUND, "no table");
}

static enum status describe(void *self, struct arena *arena, const struct table_def *def,
                            bool as_sink, struct connector_info *out, struct err *err)
{
    enum { ALL = 15 };
    static const struct connector_metadata metadata[] = {{{"offset", 6}, &type_bigint}};
    const struct str *format = table_def_option(def, "format");
    bool is_changing = format != NULL && str_is(*format, "debezium-json");
    (void)self;
    (void)arena;
    (void)as_sink;
    (void)err;
    *out = (struct connector_info){.name = STR_LIT("files"),
                                   .can_read = true,
                                   .can_write = true,
                                   .is_bounded = table_def_option(def, "bounded") != NULL,
                                   .source_changes = is_changing ? ALL : CONNECTOR_INSERT_ONLY,
                                   .sink_changes = is_changing ? ALL : CONNECTOR_INSERT_ONLY,
                                   .metadata = metadata,
                                   .metadata_count = 1};
    return STATUS_OK;
}

static void check_plan(const struct plan *plan)
{
    struct strbuf text;
    struct plan_print_options options = {.changelog_mode = true};
    for (uint32_t i = 0; i < plan->node_count; i++) {
        const struct plan_node *node = plan->nodes[i];
        for (uint32_t k = 0; k < node->column_count; k++) {
            ASSERT(plan_column_index(node, node->columns[k].id) == k);
        }
    }
    strbuf_init(&text, PLAN_TEXT_MAX);
    plan_print(&text, plan, &options);
    strbuf_release(&text);
}

static enum status bind(struct fixture *fixture, const struct bind_context *context,
                        const struct ast_statement *statement, struct plan **plan, struct err *err)
{
    struct table_def **table = &fixture->tables[fixture->table_count];
    const struct ast_insert *inserts[INSERTS_MAX];
    switch ((int)statement->kind) {
    case AST_CREATE_TABLE:
        TRY(bind_create_table(context, &statement->as.create_table, table, err));
        fixture->table_count++;
        return STATUS_OK;
    case AST_CREATE_VIEW:
        TRY(bind_create_view(context, &statement->as.create_view, table, err));
        fixture->table_count++;
        return STATUS_OK;
    case AST_QUERY: return bind_query(context, statement->as.query, plan, err);
    case AST_INSERT:
        inserts[0] = &statement->as.insert;
        return bind_statement_set(context, inserts, 1, plan, err);
    case AST_STATEMENT_SET: {
        const struct ast_statement_set *set = &statement->as.statement_set;
        uint32_t count = set->count < INSERTS_MAX ? set->count : INSERTS_MAX;
        for (uint32_t i = 0; i < count; i++) {
            inserts[i] = &set->inserts[i];
        }
        return count > 0 ? bind_statement_set(context, inserts, count, plan, err) : STATUS_OK;
    }
    default: return STATUS_OK;
    }
}

static void run(struct fixture *fixture, struct str text)
{
    struct bind_context context = {.arena = &fixture->arena,
                                   .text = text,
                                   .catalog_name = STR_LIT("c"),
                                   .database = STR_LIT("d"),
                                   .tables = {.find = find, .self = fixture},
                                   .connectors = {.describe = describe, .self = fixture},
                                   .settings = {.idle_timeout_ms = 1000}};
    const struct ast_statement *statement;
    struct plan *plan = NULL;
    struct err err = {.offset = ERR_NO_OFFSET};
    context.settings.expr.is_streaming = fixture->is_streaming;
    if (fixture->table_count == TABLES_MAX ||
        parse_statement(&fixture->arena, text, &statement, &err) != STATUS_OK) {
        return;
    }
    if (bind(fixture, &context, statement, &plan, &err) == STATUS_OK) {
        if (plan != NULL) {
            check_plan(plan);
        }
    } else {
        ASSERT(err.text[0] != '\0');
        ASSERT(err.offset == ERR_NO_OFFSET || err.offset + err.length <= text.size);
    }
}

static void run_script(struct str text, bool is_streaming)
{
    static const char t[] =
        "CREATE TABLE t (a INT, b BIGINT, s STRING, d DECIMAL(10, 2), f DOUBLE, l ARRAY<INT>, "
        "m MAP<STRING, INT>, r ROW<x INT, y STRING>, ts TIMESTAMP(3), o BIGINT METADATA FROM "
        "'offset' VIRTUAL, c AS a + 1, WATERMARK FOR ts AS ts) WITH ('connector' = 'f')";
    static const char u[] = "CREATE TABLE u (a INT, b STRING, PRIMARY KEY (a) NOT ENFORCED) "
                            "WITH ('connector' = 'f', 'format' = 'debezium-json')";
    static const char w[] = "CREATE TABLE w (a INT, b BIGINT, s STRING) "
                            "WITH ('connector' = 'f', 'bounded' = '')";
    struct fixture fixture = {.is_streaming = is_streaming};
    struct script script;
    struct script_statement statement;
    arena_init(&fixture.arena);
    run(&fixture, str_from(t));
    run(&fixture, str_from(u));
    run(&fixture, str_from(w));
    ASSERT(fixture.table_count == 3);
    script_init(&script, text);
    while (script_next(&script, &statement)) {
        run(&fixture, statement.text);
    }
    arena_release(&fixture.arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size <= TEXT_MAX) {
        run_script(str_make((const char *)data, size), false);
        run_script(str_make((const char *)data, size), true);
    }
    return 0;
}
