// SPDX-License-Identifier: Apache-2.0
//
// SHOW and DESCRIBE. Columns have Flink's names.
#include <string.h>

#include "base/strbuf.h"
#include "connect/file_table.h"
#include "expr/aggregate.h"
#include "expr/function.h"
#include "session/session_int.h"
#include "sql/unparse.h"

// LIKE of SHOW: % and _, no escapes.
static bool matches(struct str text, struct str pattern, bool ignore_case)
{
    size_t t = 0;
    size_t p = 0;
    size_t star = SIZE_MAX;
    size_t star_text = 0;
    while (t < text.size) {
        struct str a = str_slice(text, t, t + 1);
        struct str b = str_slice(pattern, p, p + 1);
        bool same = p < pattern.size && (b.ptr[0] == '_' || (ignore_case ? str_equal_nocase(a, b)
                                                                         : str_equal(a, b)));
        if (p < pattern.size && b.ptr[0] == '%') {
            star = p++;
            star_text = t;
        } else if (same) {
            t++;
            p++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            t = ++star_text;
        } else {
            return false;
        }
    }
    while (p < pattern.size && pattern.ptr[p] == '%') {
        p++;
    }
    return p == pattern.size;
}

static bool is_wanted(const struct ast_show *show, struct str name)
{
    return !show->has_like ||
           matches(name, show->pattern.value, show->ilike) != show->negated;
}

static struct result_table *one_column(struct statement_run *run, const char *name)
{
    const struct type *types[] = {&type_string};
    return result_table_new(run->result, &name, types, 1);
}

static enum status show_names(struct statement_run *run, const char *column, struct str *names,
                              uint32_t count)
{
    struct result_table *table = one_column(run, column);
    for (uint32_t i = 0; i < count; i++) {
        if (is_wanted(&run->statement->as.show, names[i])) {
            result_table_row(table, &names[i]);
        }
    }
    result_table_finish(table);
    return STATUS_OK;
}

static int compare_names(const void *a, const void *b)
{
    return str_compare(*(const struct str *)a, *(const struct str *)b);
}

static enum status show_catalogs(struct statement_run *run, struct err *err)
{
    struct session *session = run->session;
    if (session_find_catalog(session, STR_LIT("lake"), err) == NULL) {
        return err->status;
    }
    struct str *names =
        arena_new_array(&run->result->arena, struct str, session->catalogs.count);
    for (uint32_t i = 0; i < session->catalogs.count; i++) {
        names[i] = session->catalogs.items[i]->name;
    }
    qsort(names, session->catalogs.count, sizeof *names, compare_names);
    return show_names(run, "catalog name", names, session->catalogs.count);
}

// FROM catalog, or FROM [catalog.]database.
static struct catalog *scope(struct statement_run *run, bool is_database, struct str *database,
                             struct err *err)
{
    const struct ast_path *path = &run->statement->as.show.name;
    struct str catalog = run->session->catalog;
    *database = run->session->database;
    if (is_database && path->count > 0) {
        *database = path->parts[path->count - 1].text;
        catalog = path->count > 1 ? path->parts[0].text : catalog;
    } else if (path->count > 0) {
        catalog = path->parts[0].text;
    }
    struct catalog *found = session_find_catalog(run->session, catalog, err);
    if (found == NULL && err->status == STATUS_NOT_FOUND && path->count > 0) {
        err_at(err, ERR_STAGE_VALIDATE, path->at.offset, path->at.length);
    }
    return found;
}

static enum status show_databases(struct statement_run *run, struct err *err)
{
    struct str database;
    struct catalog *catalog = scope(run, false, &database, err);
    if (catalog == NULL) {
        return err->status;
    }
    struct str *names;
    uint32_t count;
    TRY(catalog->ops->list_databases(catalog, &run->result->arena, &names, &count, err));
    return show_names(run, "database name", names, count);
}

static enum status show_tables(struct statement_run *run, struct err *err)
{
    bool views = run->statement->as.show.kind == AST_SHOW_VIEWS;
    struct session *session = run->session;
    struct arena *arena = &run->result->arena;
    struct str database;
    struct catalog *catalog = scope(run, true, &database, err);
    if (catalog == NULL) {
        return err->status;
    }
    struct str *stored;
    enum table_kind *kinds;
    uint32_t stored_count;
    enum status status = catalog->ops->list_tables(catalog, arena, database, &stored, &kinds,
                                                   &stored_count, err);
    if (status != STATUS_OK) {
        const struct ast_path *path = &run->statement->as.show.name;
        err_at(err, ERR_STAGE_VALIDATE, path->at.offset, path->at.length);
        return status;
    }
    struct str *names =
        arena_new_array(arena, struct str, stored_count + session->temporary.count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < stored_count; i++) {
        if (!views || kinds[i] == TABLE_KIND_VIEW) {
            names[count++] = stored[i];
        }
    }
    for (uint32_t i = 0; i < session->temporary.count; i++) {
        const struct table_def *def = session->temporary.items[i];
        if (str_equal(def->catalog_name, catalog->name) && str_equal(def->database, database) &&
            (!views || def->kind == TABLE_KIND_VIEW)) {
            names[count++] = def->name;
        }
    }
    qsort(names, count, sizeof *names, compare_names);
    return show_names(run, views ? "view name" : "table name", names, count);
}

static enum status show_functions(struct statement_run *run)
{
    struct arena *arena = &run->result->arena;
    uint32_t total = function_count();
    struct str *names = arena_new_array(arena, struct str, total);
    uint32_t count = 0;
    for (uint32_t i = 0; i < total; i++) {
        struct str name = str_from(function_at(i)->name);
        if (name.size > 0 && name.ptr[0] >= 'A' && name.ptr[0] <= 'Z') {
            names[count++] = name;
        }
    }
    qsort(names, count, sizeof *names, compare_names);
    return show_names(run, "function name", names, count);
}

// "PRI(id, k)"
static struct str key_text(struct arena *arena, const struct table_def *def, struct str column)
{
    struct strbuf text;
    struct str out = {0};
    strbuf_init(&text, 65536);
    strbuf_add_text(&text, "PRI(");
    bool found = false;
    for (uint32_t i = 0; i < def->primary_key_count; i++) {
        strbuf_printf(&text, "%s%.*s", i > 0 ? ", " : "", STR_ARGS(def->primary_key[i]));
        found = found || str_equal(def->primary_key[i], column);
    }
    strbuf_add_text(&text, ")");
    if (found) {
        out = arena_str(arena, strbuf_str(&text));
    }
    strbuf_release(&text);
    return out;
}

static struct str extras_text(struct arena *arena, const struct table_column *column)
{
    switch (column->kind) {
    case TABLE_COLUMN_PHYSICAL: break;
    case TABLE_COLUMN_COMPUTED:
        return arena_printf(arena, "AS %.*s", STR_ARGS(column->expression));
    case TABLE_COLUMN_METADATA:
        return arena_printf(arena, "METADATA FROM '%.*s'%s", STR_ARGS(column->metadata_key),
                            column->is_virtual ? " VIRTUAL" : "");
    }
    return (struct str){0};
}

static void describe_column(struct arena *arena, struct result_table *table,
                            const struct table_def *def, const struct table_column *column)
{
    bool rowtime = def->watermark_column.size > 0 &&
                   str_equal(def->watermark_column, column->name);
    struct str type = {0};
    if (column->type != NULL) {
        const struct type *plain = type_with_null(arena, column->type, true);
        type = arena_printf(arena, "%.*s%s", STR_ARGS(type_text(arena, plain)),
                            rowtime ? " *ROWTIME*" : "");
    }
    bool nullable = column->type == NULL || column->type->nullable;
    struct str cells[] = {column->name,
                          type,
                          nullable ? STR_LIT("TRUE") : STR_LIT("FALSE"),
                          key_text(arena, def, column->name),
                          extras_text(arena, column),
                          rowtime ? def->watermark_expression : (struct str){0}};
    result_table_row(table, cells);
}

static void describe_options(struct statement_run *run, struct result_table *table,
                             const struct table_def *def)
{
    struct arena *arena = &run->result->arena;
    for (uint32_t i = 0; i < def->option_count; i++) {
        struct str cells[6] = {
            arena_printf(arena, "# %.*s", STR_ARGS(def->options[i].key)), def->options[i].value};
        result_table_row(table, cells);
    }
}

// A table by its name, or one made up from files.
static enum status find_described(struct statement_run *run, const struct ast_path *path,
                                  const struct table_def **out, struct err *err)
{
    const struct ast_text *file = &run->statement->as.describe.file;
    if (run->statement->kind != AST_DESCRIBE || file->at.length == 0) {
        return session_find_table(run, path, out, err);
    }
    const struct ast_hints *hints = &run->statement->as.describe.hints;
    struct file_table_spec spec = {.path = file->value};
    uint32_t most = 0;
    for (uint32_t i = 0; i < hints->count; i++) {
        most += hints->items[i].options.count;
    }
    struct table_option *options = arena_new_array(&run->result->arena, struct table_option, most);
    for (uint32_t i = 0; i < hints->count; i++) {
        for (uint32_t k = 0; k < hints->items[i].options.count; k++) {
            const struct ast_option *option = &hints->items[i].options.items[k];
            options[spec.option_count++] =
                (struct table_option){option->key.value, option->value.value};
        }
    }
    spec.options = options;
    enum status status = file_table_find(&run->result->arena, &spec, out, err);
    if (status != STATUS_OK) {
        err_at(err, ERR_STAGE_VALIDATE, file->at.offset, file->at.length);
    }
    return status;
}

static enum status describe(struct statement_run *run, const struct ast_path *path,
                            bool extended, struct err *err)
{
    static const char *const names[] = {"name", "type", "null", "key", "extras", "watermark"};
    const struct type *types[] = {&type_string, &type_string, &type_boolean,
                                  &type_string, &type_string, &type_string};
    const struct table_def *def;
    TRY(find_described(run, path, &def, err));
    struct result_table *table = result_table_new(run->result, names, types, 6);
    for (uint32_t i = 0; i < def->column_count; i++) {
        if (run->statement->kind != AST_SHOW || !run->statement->as.show.has_like ||
            is_wanted(&run->statement->as.show, def->columns[i].name)) {
            describe_column(&run->result->arena, table, def, &def->columns[i]);
        }
    }
    if (extended) {
        describe_options(run, table, def);
    }
    result_table_finish(table);
    return STATUS_OK;
}

enum status run_describe(struct statement_run *run, struct err *err)
{
    const struct ast_describe *what = &run->statement->as.describe;
    if (what->kind != AST_DESCRIBE_TABLE) {
        return run_unsupported(run, "DESCRIBE of anything but a table or view", err);
    }
    return describe(run, &what->name, what->extended, err);
}

static enum status show_create(struct statement_run *run, struct err *err)
{
    const struct ast_show *show = &run->statement->as.show;
    const struct table_def *def;
    TRY(session_find_table(run, &show->name, &def, err));
    bool is_view = def->kind == TABLE_KIND_VIEW;
    if (is_view != (show->kind == AST_SHOW_CREATE_VIEW)) {
        ERR(err, STATUS_INVALID_DATA, "'%.*s' is a %s", STR_ARGS(def->name),
            is_view ? "view" : "table");
        err_at(err, ERR_STAGE_VALIDATE, show->name.at.offset, show->name.at.length);
        err_hint(err, "SHOW CREATE %s", is_view ? "VIEW" : "TABLE");
        return STATUS_INVALID_DATA;
    }
    struct strbuf text;
    strbuf_init(&text, 1 << 24);
    unparse_definition(&text, def);
    struct str cell = strbuf_str(&text);
    struct result_table *table = one_column(run, "result");
    result_table_row(table, &cell);
    result_table_finish(table);
    run->result->is_text = true;
    strbuf_release(&text);
    return STATUS_OK;
}

enum status run_show(struct statement_run *run, struct err *err)
{
    const struct ast_show *show = &run->statement->as.show;
    struct session *session = run->session;
    switch (show->kind) {
    case AST_SHOW_CATALOGS: return show_catalogs(run, err);
    case AST_SHOW_CURRENT_CATALOG:
        return show_names(run, "current catalog name", &session->catalog, 1);
    case AST_SHOW_DATABASES: return show_databases(run, err);
    case AST_SHOW_CURRENT_DATABASE:
        return show_names(run, "current database name", &session->database, 1);
    case AST_SHOW_TABLES:
    case AST_SHOW_VIEWS: return show_tables(run, err);
    case AST_SHOW_COLUMNS: return describe(run, &show->name, false, err);
    case AST_SHOW_FUNCTIONS: return show_functions(run);
    case AST_SHOW_MODULES:
        return show_names(run, "module name", (struct str[]){STR_LIT("core")}, 1);
    case AST_SHOW_CREATE_TABLE:
    case AST_SHOW_CREATE_VIEW: return show_create(run, err);
    case AST_SHOW_USER_FUNCTIONS: return show_names(run, "function name", NULL, 0);
    case AST_SHOW_JARS: return show_names(run, "jars", NULL, 0);
    case AST_SHOW_MATERIALIZED_TABLES: return show_names(run, "table name", NULL, 0);
    case AST_SHOW_PROCEDURES: return show_names(run, "procedure name", NULL, 0);
    case AST_SHOW_MODELS: return show_names(run, "model name", NULL, 0);
    case AST_SHOW_FULL_MODULES:
    case AST_SHOW_JOBS:
    case AST_SHOW_PARTITIONS:
    case AST_SHOW_CREATE_MATERIALIZED_TABLE:
    case AST_SHOW_CREATE_CATALOG:
    case AST_SHOW_CREATE_MODEL: break;
    }
    return run_unsupported(run, "this form of SHOW", err);
}
