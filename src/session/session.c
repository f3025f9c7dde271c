// SPDX-License-Identifier: Apache-2.0
#include "session/session.h"

#include <string.h>

#include "base/mem.h"
#include "connect/registry.h"
#include "iceberg/catalog_path.h"
#include "session/session_int.h"
#include "sql/parse.h"
#include "state/spill.h"
#include "store/store_file.h"

enum status session_new(const struct session_options *options, struct session **out,
                        struct err *err)
{
    (void)err;
    struct session *session = mem_zalloc(sizeof *session);
    arena_init(&session->arena);
    arena_init(&session->set_arena);
    settings_init(&session->settings);
    session->lock.fd = -1;
    session->options = *options;
    session->options.data_directory = arena_str(&session->arena, options->data_directory);
    session->options.pipeline_name = arena_str(&session->arena, options->pipeline_name);
    session->catalog = STR_LIT("lake");
    session->database = STR_LIT("default");
    session->store = store_file_new(NULL);
    session->paths = catalog_path_new(session->store);
    session->connectors =
        (struct connectors){.find_source = registry_find_source, .find_sink = registry_find_sink};
    VEC_PUSH(&session->catalogs,
             catalog_memory_new(STR_LIT("default_catalog"), STR_LIT("default_database")));
    *out = session;
    return STATUS_OK;
}

void session_free(struct session *session)
{
    if (session == NULL) {
        return;
    }
    session_close_catalogs(session);
    session->paths->ops->close(session->paths);
    VEC_RELEASE(&session->temporary);
    VEC_RELEASE(&session->set_texts);
    VEC_RELEASE(&session->pipelines);
    spill_free(session->spill);
    store_free(session->store);
    file_lock_release(&session->lock);
    settings_release(&session->settings);
    arena_release(&session->set_arena);
    arena_release(&session->arena);
    mem_free(session);
}

struct settings *session_settings(struct session *session)
{
    return &session->settings;
}

struct str session_catalog(const struct session *session)
{
    return session->catalog;
}

struct str session_database(const struct session *session)
{
    return session->database;
}

enum status run_unsupported(const struct statement_run *run, const char *what, struct err *err)
{
    ERR(err, STATUS_UNSUPPORTED, "%s is not supported yet", what);
    err_at(err, ERR_STAGE_VALIDATE, run->statement->at.offset, run->statement->at.length);
    return STATUS_UNSUPPORTED;
}

enum status run_set(struct statement_run *run, struct err *err)
{
    struct settings *settings = &run->session->settings;
    const struct ast_text key = run->statement->as.set.key;
    if (run->statement->kind == AST_RESET) {
        if (key.at.length == 0) {
            settings_reset_all(settings);
        } else {
            settings_reset(settings, key.value);
        }
        return STATUS_OK;
    }
    if (key.at.length == 0) {
        static const char *const names[] = {"key", "value"};
        const struct type *types[] = {&type_string, &type_string};
        struct result_table *table = result_table_new(run->result, names, types, 2);
        for (uint32_t i = 0; i < settings->entries.count; i++) {
            const struct setting_entry *entry = &settings->entries.items[i];
            struct str cells[] = {str_from(entry->key), str_from(entry->value)};
            result_table_row(table, cells);
        }
        result_table_finish(table);
        return STATUS_OK;
    }
    const struct ast_text value = run->statement->as.set.value;
    enum status status = settings_set(settings, key.value, value.value, err);
    if (status != STATUS_OK) {
        err_at(err, ERR_STAGE_VALIDATE, value.at.offset, value.at.length);
        return status;
    }
    if (!settings_is_known(key.value)) {
        const char *nearest = settings_nearest(key.value);
        result_note(run->result, "'%.*s' has no effect here%s%s%s", STR_ARGS(key.value),
                    nearest == NULL ? "" : ": did you mean '", nearest == NULL ? "" : nearest,
                    nearest == NULL ? "" : "'?");
    }
    return STATUS_OK;
}

// Statements that Flink has and we do not.
static const char *unsupported_name(enum ast_statement_kind kind)
{
    switch (kind) {
    case AST_UPDATE: return "UPDATE";
    case AST_DELETE: return "DELETE";
    case AST_MERGE: return "MERGE";
    case AST_TRUNCATE: return "TRUNCATE TABLE";
    case AST_USE_MODULES: return "USE MODULES";
    case AST_LOAD_MODULE: return "LOAD MODULE";
    case AST_UNLOAD_MODULE: return "UNLOAD MODULE";
    case AST_CALL: return "CALL";
    case AST_CREATE_FUNCTION: return "CREATE FUNCTION";
    case AST_CREATE_MATERIALIZED_TABLE: return "CREATE MATERIALIZED TABLE";
    case AST_CREATE_MODEL: return "CREATE MODEL";
    case AST_ANALYZE_TABLE: return "ANALYZE TABLE";
    case AST_ADD_JAR: return "ADD JAR";
    case AST_REMOVE_JAR: return "REMOVE JAR";
    case AST_STOP_JOB: return "STOP JOB";
    case AST_COMPILE_PLAN: return "COMPILE PLAN";
    case AST_EXECUTE_PLAN: return "EXECUTE PLAN";
    case AST_QUIT:
    case AST_CLEAR:
    case AST_HELP: return "a command of the shell in the middle of a script";
    case AST_QUERY:
    case AST_INSERT:
    case AST_STATEMENT_SET:
    case AST_BEGIN_STATEMENT_SET:
    case AST_END_STATEMENT_SET:
    case AST_EXPLAIN:
    case AST_DESCRIBE:
    case AST_SHOW:
    case AST_USE:
    case AST_USE_CATALOG:
    case AST_SET:
    case AST_RESET:
    case AST_CREATE_TABLE:
    case AST_CREATE_VIEW:
    case AST_CREATE_DATABASE:
    case AST_CREATE_CATALOG:
    case AST_DROP:
    case AST_ALTER: break;
    }
    return "this statement";
}

// Between BEGIN STATEMENT SET and END only INSERTs may stand.
static enum status refuse_in_set(const struct statement_run *run, struct err *err)
{
    enum ast_statement_kind kind = run->statement->kind;
    if (!run->session->in_set || kind == AST_INSERT || kind == AST_END_STATEMENT_SET ||
        kind == AST_BEGIN_STATEMENT_SET) {
        return STATUS_OK;
    }
    ERR(err, STATUS_INVALID_DATA, "only INSERT can stand in a statement set");
    err_at(err, ERR_STAGE_VALIDATE, run->statement->at.offset, run->statement->at.length);
    err_hint(err, "END; closes the set and runs it");
    return STATUS_INVALID_DATA;
}

static enum status dispatch(struct statement_run *run, struct err *err)
{
    TRY(refuse_in_set(run, err));
    switch (run->statement->kind) {
    case AST_QUERY: return run_query(run, err);
    case AST_INSERT: return run_insert(run, err);
    case AST_STATEMENT_SET: return run_statement_set(run, err);
    case AST_BEGIN_STATEMENT_SET: return run_begin_set(run, err);
    case AST_END_STATEMENT_SET: return run_end_set(run, err);
    case AST_EXPLAIN: return run_explain(run, err);
    case AST_DESCRIBE: return run_describe(run, err);
    case AST_SHOW: return run_show(run, err);
    case AST_USE:
    case AST_USE_CATALOG: return run_use(run, err);
    case AST_SET:
    case AST_RESET: return run_set(run, err);
    case AST_CREATE_TABLE: return run_create_table(run, err);
    case AST_CREATE_VIEW: return run_create_view(run, err);
    case AST_CREATE_DATABASE: return run_create_database(run, err);
    case AST_CREATE_CATALOG: return run_create_catalog(run, err);
    case AST_DROP: return run_drop(run, err);
    case AST_ALTER: return run_alter(run, err);
    case AST_UPDATE:
    case AST_DELETE:
    case AST_MERGE:
    case AST_TRUNCATE:
    case AST_USE_MODULES:
    case AST_LOAD_MODULE:
    case AST_UNLOAD_MODULE:
    case AST_CALL:
    case AST_CREATE_FUNCTION:
    case AST_CREATE_MATERIALIZED_TABLE:
    case AST_CREATE_MODEL:
    case AST_ANALYZE_TABLE:
    case AST_ADD_JAR:
    case AST_REMOVE_JAR:
    case AST_STOP_JOB:
    case AST_COMPILE_PLAN:
    case AST_EXECUTE_PLAN:
    case AST_QUIT:
    case AST_CLEAR:
    case AST_HELP: break;
    }
    return run_unsupported(run, unsupported_name(run->statement->kind), err);
}

enum status session_execute(struct session *session, struct str text, struct result **out,
                            struct err *err)
{
    struct result *result = result_new();
    struct statement_run run = {
        .session = session, .result = result, .text = arena_str(&result->arena, text)};
    enum status status = parse_statement(&result->arena, run.text, &run.statement, err);
    if (status == STATUS_OK) {
        status = dispatch(&run, err);
    }
    if (status != STATUS_OK) {
        result_free(result);
        return status;
    }
    *out = result;
    return STATUS_OK;
}

bool session_is_pipeline(const struct result *result)
{
    return result->job != NULL && !result->has_rows;
}

// Definitions and settings take effect in this session only; queries and INSERTs are planned.
enum status session_check(struct session *session, struct str text, struct result **out,
                          struct err *err)
{
    struct result *result = result_new();
    struct statement_run run = {
        .session = session, .result = result, .text = arena_str(&result->arena, text)};
    enum status status = parse_statement(&result->arena, run.text, &run.statement, err);
    session->is_checking = true;
    if (status == STATUS_OK) {
        enum ast_statement_kind kind = run.statement->kind;
        bool plans = kind == AST_QUERY || kind == AST_INSERT || kind == AST_STATEMENT_SET;
        status = plans ? run_check(&run, run.statement, err) : dispatch(&run, err);
    }
    session->is_checking = false;
    if (status != STATUS_OK) {
        result_free(result);
        return status;
    }
    *out = result;
    return STATUS_OK;
}
