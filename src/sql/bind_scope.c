// SPDX-License-Identifier: Apache-2.0
//
// Scopes: what names mean. Names compare exactly, as in Flink. A path is a column with the name of
// its table (or catalog.database.table) in front, or a column; what is left are fields of rows.
#include "base/nearest.h"
#include "base/strbuf.h"
#include "sql/bind_int.h"

enum { HINT_COLUMNS_BYTES = 380 };

struct scope bind_scope_of(struct arena *arena, const struct rel *rel, struct str alias,
                           struct str label)
{
    struct scope_column *columns =
        arena_new_array(arena, struct scope_column, rel->node.column_count);
    for (uint32_t i = 0; i < rel->node.column_count; i++) {
        const struct plan_column *from = &rel->node.columns[i];
        columns[i] = (struct scope_column){.name = from->name,
                                           .id = from->id,
                                           .type = from->type,
                                           .time = from->time,
                                           .is_metadata = from->is_hidden};
    }
    struct scope_table *table = arena_new(arena, struct scope_table);
    *table = (struct scope_table){
        .alias = alias, .label = label, .columns = columns, .column_count = rel->node.column_count};
    return (struct scope){.tables = table, .table_count = 1};
}

struct scope bind_scope_join(struct arena *arena, const struct scope *left,
                             const struct scope *right)
{
    uint32_t count = left->table_count + right->table_count;
    struct scope_table *tables = arena_new_array(arena, struct scope_table, count);
    for (uint32_t i = 0; i < count; i++) {
        tables[i] = i < left->table_count ? left->tables[i] : right->tables[i - left->table_count];
    }
    return (struct scope){.tables = tables, .table_count = count};
}

const struct scope_column *bind_scope_find(const struct scope *scope, uint32_t id)
{
    for (uint32_t i = 0; i < scope->table_count; i++) {
        for (uint32_t j = 0; j < scope->tables[i].column_count; j++) {
            if (scope->tables[i].columns[j].id == id) {
                return &scope->tables[i].columns[j];
            }
        }
    }
    return NULL;
}

struct str bind_scope_nearest(const struct str *names, uint32_t count, struct str name)
{
    struct nearest nearest = nearest_to(name);
    for (uint32_t i = 0; i < count; i++) {
        nearest_try(&nearest, names[i]);
    }
    return nearest.best;
}

// "id INT, k STRING", of all tables; cut where it gets long.
static void list_columns(struct strbuf *out, const struct scope *scope)
{
    for (uint32_t i = 0; i < scope->table_count; i++) {
        const struct scope_table *table = &scope->tables[i];
        for (uint32_t j = 0; j < table->column_count; j++) {
            if (table->columns[j].is_metadata) {
                continue;
            }
            if (out->size > HINT_COLUMNS_BYTES) {
                strbuf_add_text(out, ", ...");
                return;
            }
            strbuf_add_text(out, out->size == 0 ? "" : ", ");
            if (scope->table_count > 1 && table->alias.size > 0) {
                strbuf_printf(out, "%.*s.", STR_ARGS(table->alias));
            }
            strbuf_printf(out, "%.*s ", STR_ARGS(table->columns[j].name));
            type_print(out, table->columns[j].type);
        }
    }
}

static struct str nearest_column(const struct scope *scope, struct str name)
{
    struct nearest nearest = nearest_to(name);
    for (uint32_t i = 0; i < scope->table_count; i++) {
        for (uint32_t j = 0; j < scope->tables[i].column_count; j++) {
            nearest_try(&nearest, scope->tables[i].columns[j].name);
        }
    }
    return nearest.best;
}

void bind_scope_hint(const struct scope *scope, struct str name, struct err *err)
{
    struct strbuf columns;
    strbuf_init(&columns, 2 * ERR_HINT_MAX);
    list_columns(&columns, scope);
    struct str nearest = nearest_column(scope, name);
    if (columns.size == 0) {
        err_hint(err, "there is no FROM: no columns are in scope");
    } else if (nearest.size > 0) {
        err_hint(err, "did you mean '%.*s'?  (columns: %s)", STR_ARGS(nearest), columns.ptr);
    } else {
        err_hint(err, "columns: %s", columns.ptr);
    }
    strbuf_release(&columns);
}

// The tables of a scope as one says it: "'clicks'", "'a' and 'b'".
static struct str scope_label(struct arena *arena, const struct scope *scope)
{
    struct str label = {0};
    for (uint32_t i = 0; i < scope->table_count; i++) {
        struct str name = scope->tables[i].label;
        label = i == 0 ? arena_printf(arena, "'%.*s'", STR_ARGS(name))
                       : arena_printf(arena, "%.*s%s'%.*s'", STR_ARGS(label),
                                      i + 1 == scope->table_count ? " or " : ", ", STR_ARGS(name));
    }
    return label;
}

static enum status unknown_column(struct binder *binder, const struct scope *scope,
                                  const struct ast_name *name, struct err *err)
{
    enum status status =
        scope->table_count == 0
            ? REFUSE(err, name->at, "column '%.*s' does not exist", STR_ARGS(name->text))
            : REFUSE(err, name->at, "column '%.*s' does not exist in %.*s", STR_ARGS(name->text),
                     STR_ARGS(scope_label(binder->arena, scope)));
    bind_scope_hint(scope, name->text, err);
    return status;
}

// How many columns have the name; `*out` is the last.
static uint32_t count_columns(const struct scope_table *table, struct str name, bool with_hidden,
                              const struct scope_column **out)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < table->column_count; i++) {
        const struct scope_column *column = &table->columns[i];
        if ((with_hidden || !column->is_hidden) && str_equal(column->name, name)) {
            *out = column;
            found++;
        }
    }
    return found;
}

static enum status ambiguous(const struct ast_name *name, struct err *err)
{
    enum status status = REFUSE(err, name->at, "column '%.*s' is ambiguous", STR_ARGS(name->text));
    err_hint(err, "put the table's name or alias in front: t.%.*s", STR_ARGS(name->text));
    return status;
}

// Which table the first parts of a path name; how many parts those are, 0: none.
static uint32_t match_table(const struct scope *scope, const struct ast_path *path,
                            const struct scope_table **out)
{
    for (uint32_t i = 0; i < scope->table_count; i++) {
        const struct scope_table *table = &scope->tables[i];
        if (table->alias.size == 0) {
            continue;
        }
        *out = table;
        if (str_equal(table->alias, path->parts[0].text)) {
            return 1;
        }
        bool has_database = table->database.size > 0;
        if (has_database && path->count > 2 && str_equal(table->database, path->parts[0].text) &&
            str_equal(table->alias, path->parts[1].text)) {
            return 2;
        }
        if (has_database && path->count > 3 &&
            str_equal(table->catalog_name, path->parts[0].text) &&
            str_equal(table->database, path->parts[1].text) &&
            str_equal(table->alias, path->parts[2].text)) {
            return 3;
        }
    }
    return 0;
}

// The column that `name` is, in any table of the scope.
static enum status find_bare(struct binder *binder, const struct scope *scope,
                             const struct ast_name *name, const struct scope_column **out,
                             struct err *err)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < scope->table_count; i++) {
        found += count_columns(&scope->tables[i], name->text, false, out);
    }
    if (found > 1) {
        return ambiguous(name, err);
    }
    return found == 1 ? STATUS_OK : unknown_column(binder, scope, name, err);
}

static enum status find_qualified(struct binder *binder, const struct scope_table *table,
                                  const struct ast_name *name, const struct scope_column **out,
                                  struct err *err)
{
    uint32_t found = count_columns(table, name->text, true, out);
    if (found > 1) {
        return ambiguous(name, err);
    }
    if (found == 1) {
        return STATUS_OK;
    }
    struct scope only = {.tables = table, .table_count = 1};
    return unknown_column(binder, &only, name, err);
}

static bool has_column(const struct scope *scope, struct str name)
{
    const struct scope_column *column;
    for (uint32_t i = 0; i < scope->table_count; i++) {
        if (count_columns(&scope->tables[i], name, false, &column) > 0) {
            return true;
        }
    }
    return false;
}

static enum status unknown_table(const struct scope *scope, const struct ast_name *name,
                                 struct err *err)
{
    enum status status = REFUSE(err, name->at,
                                "'%.*s' is neither a table of this query nor a "
                                "column",
                                STR_ARGS(name->text));
    bind_scope_hint(scope, name->text, err);
    for (uint32_t i = 0; i < scope->table_count; i++) {
        struct str alias = scope->tables[i].alias;
        if (bind_scope_nearest(&alias, 1, name->text).size > 0) {
            err_hint(err, "did you mean '%.*s'?", STR_ARGS(alias));
        }
    }
    return status;
}

// Finds the column; `*used` is how many parts of the path it took.
static enum status find_column(struct binder *binder, const struct scope *scope,
                               const struct ast_path *path, const struct scope_column **out,
                               uint32_t *used, struct err *err)
{
    const struct scope_table *table = NULL;
    uint32_t prefix = path->count > 1 ? match_table(scope, path, &table) : 0;
    if (prefix > 0) {
        const struct scope_column *column;
        bool is_column = count_columns(table, path->parts[prefix].text, true, &column) > 0;
        // A column may have the name of its table: the column's field then.
        if (is_column || !has_column(scope, path->parts[0].text)) {
            *used = prefix + 1;
            return find_qualified(binder, table, &path->parts[prefix], out, err);
        }
    }
    *used = 1;
    if (path->count > 1 && !has_column(scope, path->parts[0].text)) {
        return unknown_table(scope, &path->parts[0], err);
    }
    return find_bare(binder, scope, &path->parts[0], out, err);
}

// Refuses what only an outer query could answer.
static enum status refuse_outer(const struct scope *scope, const struct ast_path *path,
                                struct err *err)
{
    for (const struct scope *outer = scope->outer; outer != NULL; outer = outer->outer) {
        const struct scope_table *table;
        if (has_column(outer, path->parts[0].text) ||
            (path->count > 1 && match_table(outer, path, &table) > 0)) {
            return NOT_YET(err, path->at,
                           "correlated subqueries are not supported yet: '%.*s' "
                           "belongs to the query around",
                           STR_ARGS(path->parts[0].text));
        }
    }
    return STATUS_OK;
}

static enum status field_of(struct binder *binder, const struct expr *base,
                            const struct ast_name *name, struct ast_span whole,
                            const struct expr **out, struct err *err)
{
    const struct type *type = base->type;
    if (type->kind != TYPE_ROW) {
        return REFUSE(err, name->at, "'%.*s' is asked of a %.*s, which has no fields",
                      STR_ARGS(name->text), STR_ARGS(type_text(binder->arena, type)));
    }
    struct str *names = arena_new_array(binder->arena, struct str, type->field_count);
    for (uint32_t i = 0; i < type->field_count; i++) {
        names[i] = type->fields[i].name;
        if (str_equal(names[i], name->text)) {
            struct function_options options = {.field = name->text};
            const struct expr *args[] = {base};
            return bind_expr_resolve(binder, "FIELD", EXPR_LIST(args), &options, whole, out, err);
        }
    }
    enum status status = REFUSE(err, name->at, "field '%.*s' does not exist in %.*s",
                                STR_ARGS(name->text), STR_ARGS(type_text(binder->arena, type)));
    struct str nearest = bind_scope_nearest(names, type->field_count, name->text);
    if (nearest.size > 0) {
        err_hint(err, "did you mean '%.*s'?", STR_ARGS(nearest));
    }
    return status;
}

enum status bind_scope_resolve(struct binder *binder, const struct scope *scope,
                               const struct ast_path *path, const struct expr **out,
                               struct err *err)
{
    if (!has_column(scope, path->parts[0].text)) {
        const struct scope_table *table;
        if (path->count == 1 || match_table(scope, path, &table) == 0) {
            TRY(refuse_outer(scope, path, err));
        }
    }
    const struct scope_column *column = NULL;
    uint32_t used = 0;
    TRY(find_column(binder, scope, path, &column, &used, err));
    struct ast_span at = path->at;
    *out =
        expr_at(binder->arena, expr_column(binder->arena, column->id, column->name, column->type),
                at.offset, at.length);
    for (uint32_t i = used; i < path->count; i++) {
        TRY(field_of(binder, *out, &path->parts[i], at, out, err));
    }
    return STATUS_OK;
}

enum plan_time bind_expr_time(const struct scope *scope, const struct expr *expr)
{
    if (expr->kind == EXPR_COLUMN) {
        const struct scope_column *column = bind_scope_find(scope, expr->column_id);
        return column == NULL ? PLAN_TIME_NONE : column->time;
    }
    if (expr->kind == EXPR_CALL && expr->arg_count == 0 &&
        str_is(str_from(expr->function->name), "PROCTIME")) {
        return PLAN_TIME_PROCTIME;
    }
    return PLAN_TIME_NONE;
}
