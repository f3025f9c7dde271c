// SPDX-License-Identifier: Apache-2.0
//
// What stands in FROM.
#include "sql/bind_int.h"

enum status bind_from_columns(struct binder *binder, struct bound *bound,
                              const struct ast_names *columns, struct err *err)
{
    if (columns->count == 0) {
        return STATUS_OK;
    }
    const struct scope_table *table = &bound->scope.tables[0];
    uint32_t count = table->column_count;
    while (count > 0 && table->columns[count - 1].is_metadata) {
        count--;
    }
    if (columns->count != count) {
        return REFUSE(err, columns->items[0].at, "%u names for the %u columns of '%.*s'",
                      columns->count, count, STR_ARGS(table->label));
    }
    struct scope_column *renamed =
        arena_copy(binder->arena, table->columns, sizeof *renamed * table->column_count);
    for (uint32_t i = 0; i < columns->count; i++) {
        renamed[i].name = columns->items[i].text;
    }
    struct scope_table *copy = arena_copy(binder->arena, table, sizeof *table);
    copy->columns = renamed;
    bound->scope.tables = copy;
    return STATUS_OK;
}

static void set_alias(struct binder *binder, struct bound *bound, struct str alias)
{
    struct scope_table *copy =
        arena_copy(binder->arena, bound->scope.tables, sizeof *bound->scope.tables);
    copy->alias = alias;
    copy->label = alias;
    copy->database = (struct str){0};
    copy->catalog_name = (struct str){0};
    bound->scope.tables = copy;
    bound->scope.table_count = 1;
}

static bool is_iceberg_table(const struct ast_table *table)
{
    const struct ast_path *name = &table->as.function.call->as.call.name;
    return name->count == 1 && str_is_nocase(name->parts[0].text, "ICEBERG_TABLE");
}

static enum status refuse_clauses(const struct ast_table *table, struct err *err)
{
    bool is_iceberg = table->kind == AST_TABLE_FUNCTION && is_iceberg_table(table);
    if (table->as_of != NULL && table->kind != AST_TABLE_NAME && !is_iceberg) {
        return bind_version_refuse(NULL, table, err);
    }
    if (table->sample.length > 0) {
        return NOT_YET(err, table->sample, "TABLESAMPLE is not supported");
    }
    bool is_table = table->kind == AST_TABLE_NAME || table->kind == AST_TABLE_FILE || is_iceberg;
    if (!is_table && table->hints.count > 0) {
        return REFUSE(err, table->hints.items[0].at, "a hint belongs behind a table's name");
    }
    return STATUS_OK;
}

static enum status bind_from_file(struct binder *binder, const struct ast_table *table,
                             struct bound *out, struct err *err)
{
    const struct bind_tables *tables = &binder->context->tables;
    if (tables->file == NULL) {
        return NOT_YET(err, table->at, "reading a file by its name is not supported yet");
    }
    const struct table_def *def;
    struct bind_file file = {.path = table->as.file.value};
    TRY(bind_table_options(binder, &table->hints, &file.options, &file.option_count, err));
    enum status status = tables->file(tables->self, binder->arena, &file, &def, err);
    if (status != STATUS_OK) {
        return bind_refused(status, err, table->as.file.at);
    }
    TRY(bind_table_rel(binder, def, table->as.file.at, &out->rel, err));
    out->scope = bind_scope_of(binder->arena, out->rel, def->name, def->name);
    return STATUS_OK;
}

static enum status bind_subquery(struct binder *binder, const struct ast_table *table,
                                 struct bound *out, struct err *err)
{
    TRY(bind_query_rel(binder, table->as.query, &out->rel, err));
    out->scope = bind_scope_of(binder->arena, out->rel, (struct str){0}, STR_LIT("the subquery"));
    return STATUS_OK;
}

static enum status bind_kind(struct binder *binder, const struct ast_table *table,
                             struct bound *out, struct err *err)
{
    switch (table->kind) {
    case AST_TABLE_NAME: return bind_table(binder, table, out, err);
    case AST_TABLE_FILE: return bind_from_file(binder, table, out, err);
    case AST_TABLE_QUERY: return bind_subquery(binder, table, out, err);
    case AST_TABLE_FUNCTION:
        return is_iceberg_table(table) ? bind_version_iceberg_table(binder, table, out, err)
                                       : bind_window(binder, table, out, err);
    case AST_TABLE_JOIN: return bind_join(binder, table, out, err);
    case AST_TABLE_UNNEST: return NOT_YET(err, table->at, "UNNEST is not supported yet");
    case AST_TABLE_MATCH: return NOT_YET(err, table->at, "MATCH_RECOGNIZE is not supported yet");
    case AST_TABLE_PIVOT: return NOT_YET(err, table->at, "PIVOT is not supported");
    }
    return REFUSE(err, table->at, "this cannot stand in FROM");
}

enum status bind_from(struct binder *binder, const struct ast_table *table, struct bound *out,
                      struct err *err)
{
    TRY(refuse_clauses(table, err));
    TRY(bind_kind(binder, table, out, err));
    if (table->alias.text.size > 0) {
        if (out->scope.table_count != 1) { // (a JOIN b) AS t: all columns under one name
            struct scope_table *tables = arena_new(binder->arena, struct scope_table);
            *tables = *bind_scope_of(binder->arena, out->rel, table->alias.text, table->alias.text)
                           .tables;
            out->scope = (struct scope){.tables = tables, .table_count = 1};
        }
        set_alias(binder, out, table->alias.text);
    }
    return bind_from_columns(binder, out, &table->columns, err);
}
