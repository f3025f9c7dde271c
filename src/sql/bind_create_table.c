// SPDX-License-Identifier: Apache-2.0
//
// CREATE TABLE: the definition, checked. The order of the checks is that of Flink: LIKE's table,
// columns, keys, watermark, partitions.
#include "base/strbuf.h"
#include "sql/bind_create_int.h"
#include "sql/unparse.h"

enum { TEXT_MAX = 1 << 20 };

struct str bind_create_text(const struct binder *binder, const struct ast_expr *expr)
{
    struct strbuf text;
    strbuf_init(&text, TEXT_MAX);
    unparse_expr(&text, binder->text, expr);
    struct str copy = arena_str(binder->arena, strbuf_str(&text));
    strbuf_release(&text);
    return copy;
}

void bind_create_name(const struct bind_context *context, const struct ast_path *path,
                      struct table_def *def)
{
    def->name = path->parts[path->count - 1].text;
    def->database = path->count > 1 ? path->parts[path->count - 2].text : context->database;
    def->catalog_name = path->count > 2 ? path->parts[0].text : context->catalog_name;
    if (path->count > 3) { // the levels of the database
        def->database = path->parts[1].text;
        for (uint32_t i = 2; i + 1 < path->count; i++) {
            def->database = arena_printf(context->arena, "%.*s.%.*s", STR_ARGS(def->database),
                                         STR_ARGS(path->parts[i].text));
        }
    }
}

struct str bind_create_columns(struct arena *arena, const struct table_column *columns,
                               uint32_t count)
{
    struct str list = STR_LIT("");
    for (uint32_t i = 0; i < count; i++) {
        list = arena_printf(arena, "%.*s%s%.*s", STR_ARGS(list), i == 0 ? "" : ", ",
                            STR_ARGS(columns[i].name));
    }
    return list;
}

struct table_column *bind_create_find(const struct create *create, struct str name)
{
    for (uint32_t i = 0; i < create->column_count; i++) {
        if (str_equal(create->columns[i].name, name)) {
            return &create->columns[i];
        }
    }
    return NULL;
}

enum status bind_create_unknown(const struct create *create, const struct ast_name *name,
                                const char *what, struct err *err)
{
    struct arena *arena = create->binder.arena;
    enum status status =
        REFUSE(err, name->at, "%s '%.*s' is not defined in the table", what, STR_ARGS(name->text));
    struct str *names = arena_new_array(arena, struct str, create->column_count);
    for (uint32_t i = 0; i < create->column_count; i++) {
        names[i] = create->columns[i].name;
    }
    struct str list = bind_create_columns(arena, create->columns, create->column_count);
    struct str nearest = bind_scope_nearest(names, create->column_count, name->text);
    if (nearest.size > 0) {
        err_hint(err, "did you mean '%.*s'?  (columns: %.*s)", STR_ARGS(nearest), STR_ARGS(list));
    } else {
        err_hint(err, "columns: %.*s", STR_ARGS(list));
    }
    return status;
}

// Columns -------------------------------------------------------------------------------------

static enum status add_column(struct create *create, const struct ast_column *ast, struct err *err)
{
    struct ast_name name = ast->name.parts[0];
    if (ast->name.count > 1) {
        return REFUSE(err, ast->name.at, "a column's name has one part");
    }
    struct table_column *same = bind_create_find(create, name.text);
    bool replaces = same != NULL && bind_create_like_overwrites(create, same);
    if (same != NULL && !replaces) {
        enum status status =
            REFUSE(err, name.at, "there is a column '%.*s' already", STR_ARGS(name.text));
        if ((uint32_t)(same - create->columns) < create->like_columns) {
            err_hint(err, "it comes from the table behind LIKE");
        }
        return status;
    }
    struct table_column column = {
        .name = name.text, .is_virtual = ast->is_virtual, .comment = ast->comment.value};
    switch (ast->kind) {
    case AST_COLUMN_PHYSICAL: column.kind = TABLE_COLUMN_PHYSICAL; break;
    case AST_COLUMN_COMPUTED:
        column.kind = TABLE_COLUMN_COMPUTED;
        column.expression = bind_create_text(&create->binder, ast->expr);
        break;
    case AST_COLUMN_METADATA:
        column.kind = TABLE_COLUMN_METADATA;
        column.metadata_key = ast->metadata_key.at.length > 0 ? ast->metadata_key.value : name.text;
        break;
    }
    if (ast->type != NULL) {
        TRY(bind_type(create->binder.arena, ast->type, &column.type, err));
    }
    if (replaces) {
        *same = column;
    } else {
        create->columns[create->column_count++] = column;
    }
    return STATUS_OK;
}

// What expressions of the table may name: columns that are stored, or all of them.
static struct scope scope_of(struct create *create, bool with_computed)
{
    struct arena *arena = create->binder.arena;
    struct scope_column *columns =
        arena_new_array(arena, struct scope_column, create->column_count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < create->column_count; i++) {
        const struct table_column *column = &create->columns[i];
        if (column->type != NULL && (with_computed || column->kind != TABLE_COLUMN_COMPUTED)) {
            columns[count++] =
                (struct scope_column){.name = column->name, .id = i + 1, .type = column->type};
        }
    }
    struct scope_table *table = arena_new(arena, struct scope_table);
    *table =
        (struct scope_table){.label = create->def->name, .columns = columns, .column_count = count};
    return (struct scope){.tables = table, .table_count = 1};
}

static enum status bind_computed(struct create *create, const struct ast_column *ast,
                                 struct err *err)
{
    struct scope scope = scope_of(create, false);
    struct expr_context context = {
        .binder = &create->binder, .scope = &scope, .clause = "a computed column"};
    const struct expr *expr;
    TRY(bind_expr(&context, ast->expr, &expr, err));
    if (expr->type->kind == TYPE_NULL) {
        return REFUSE(err, ast->expr->at, "a computed column needs a type: CAST(NULL AS INT)");
    }
    bind_create_find(create, ast->name.parts[0].text)->type = expr->type;
    return STATUS_OK;
}

static enum status bind_columns(struct create *create, struct err *err)
{
    const struct ast_schema *schema = &create->ast->schema;
    for (uint32_t i = 0; i < schema->column_count; i++) {
        TRY(add_column(create, &schema->columns[i], err));
    }
    for (uint32_t i = 0; i < schema->column_count; i++) {
        if (schema->columns[i].kind == AST_COLUMN_COMPUTED) {
            TRY(bind_computed(create, &schema->columns[i], err));
        }
    }
    return STATUS_OK;
}

// Keys ----------------------------------------------------------------------------------------

static enum status check_constraint(const struct create *create,
                                    const struct ast_constraint *constraint, struct err *err)
{
    if (constraint->kind == AST_CONSTRAINT_UNIQUE) {
        return NOT_YET(err, constraint->at, "UNIQUE is not supported");
    }
    if (constraint->enforcement != AST_NOT_ENFORCED) {
        enum status status = REFUSE(err, constraint->at, "PRIMARY KEY must be NOT ENFORCED");
        err_hint(err, "write PRIMARY KEY (...) NOT ENFORCED: the data is not checked against it");
        return status;
    }
    if (create->def->primary_key_count > 0) {
        return REFUSE(err, constraint->at, "there is a primary key already%s",
                      create->has_like_key ? ", from the table behind LIKE" : "");
    }
    return STATUS_OK;
}

static enum status set_key(struct create *create, const struct ast_constraint *constraint,
                           const struct ast_names *names, struct err *err)
{
    struct arena *arena = create->binder.arena;
    TRY(check_constraint(create, constraint, err));
    struct str *key = arena_new_array(arena, struct str, names->count);
    for (uint32_t i = 0; i < names->count; i++) {
        const struct ast_name *name = &names->items[i];
        struct table_column *column = bind_create_find(create, name->text);
        if (column == NULL) {
            return bind_create_unknown(create, name, "primary key column", err);
        }
        if (column->kind != TABLE_COLUMN_PHYSICAL) {
            return REFUSE(err, name->at, "'%.*s' is no physical column: it cannot be a key",
                          STR_ARGS(name->text));
        }
        for (uint32_t k = 0; k < i; k++) {
            if (str_equal(key[k], name->text)) {
                return REFUSE(err, name->at, "the primary key names '%.*s' twice",
                              STR_ARGS(name->text));
            }
        }
        key[i] = name->text;
        column->type = type_with_null(arena, column->type, false);
    }
    create->def->primary_key = key;
    create->def->primary_key_count = names->count;
    return STATUS_OK;
}

static enum status bind_keys(struct create *create, struct err *err)
{
    const struct ast_schema *schema = &create->ast->schema;
    for (uint32_t i = 0; i < schema->column_count; i++) {
        if (schema->columns[i].constraint != NULL) {
            struct ast_names name = {&schema->columns[i].name.parts[0], 1};
            TRY(set_key(create, schema->columns[i].constraint, &name, err));
        }
    }
    for (uint32_t i = 0; i < schema->constraint_count; i++) {
        TRY(set_key(create, &schema->constraints[i], &schema->constraints[i].columns, err));
    }
    return STATUS_OK;
}

// Watermark -----------------------------------------------------------------------------------

static bool is_rowtime(const struct type *type)
{
    return type_is_timestamp(type) && type->length <= 3;
}

static enum status bind_watermark(struct create *create, struct err *err)
{
    const struct ast_schema *schema = &create->ast->schema;
    if (schema->watermark_count == 0) {
        return STATUS_OK;
    }
    const struct ast_watermark *watermark = &schema->watermarks[0];
    if (schema->watermark_count > 1) {
        return REFUSE(err, schema->watermarks[1].at, "a table has one watermark");
    }
    if (create->def->watermark_column.size > 0 && !create->overwrites_watermark) {
        return REFUSE(err, watermark->at,
                      "there is a watermark already, from the table behind "
                      "LIKE: OVERWRITING WATERMARKS replaces it");
    }
    const struct ast_name *name = &watermark->column.parts[0];
    if (watermark->column.count > 1) {
        return NOT_YET(err, watermark->column.at,
                       "a watermark of a row's field is not supported: "
                       "name it by a computed column");
    }
    struct table_column *column = bind_create_find(create, name->text);
    if (column == NULL) {
        return bind_create_unknown(create, name, "watermark column", err);
    }
    if (!is_rowtime(column->type)) {
        return REFUSE(err, name->at,
                      "a watermark's column must be TIMESTAMP(0 to 3) or "
                      "TIMESTAMP_LTZ(0 to 3), and '%.*s' is %.*s",
                      STR_ARGS(name->text),
                      STR_ARGS(type_text(create->binder.arena, column->type)));
    }
    struct scope scope = scope_of(create, true);
    struct expr_context context = {
        .binder = &create->binder, .scope = &scope, .clause = "WATERMARK"};
    const struct expr *expr;
    TRY(bind_expr(&context, watermark->expr, &expr, err));
    if (!is_rowtime(expr->type) || expr->type->kind != column->type->kind) {
        return REFUSE(err, watermark->expr->at,
                      "the watermark must be of the type of '%.*s', and "
                      "this is %.*s",
                      STR_ARGS(name->text), STR_ARGS(type_text(create->binder.arena, expr->type)));
    }
    create->def->watermark_column = name->text;
    create->def->watermark_expression = bind_create_text(&create->binder, watermark->expr);
    return STATUS_OK;
}

// Options and the rest --------------------------------------------------------------------------

static enum status bind_options(struct create *create, struct err *err)
{
    const struct ast_options *own = &create->ast->options;
    struct table_def *def = create->def;
    struct table_option *options =
        arena_new_array(create->binder.arena, struct table_option, def->option_count + own->count);
    uint32_t count = 0;
    for (; count < def->option_count; count++) {
        options[count] = def->options[count];
    }
    for (uint32_t i = 0; i < own->count; i++) {
        uint32_t at = 0;
        while (at < count && !str_equal(options[at].key, own->items[i].key.value)) {
            at++;
        }
        if (at < def->option_count && !create->overwrites_options) {
            return REFUSE(err, own->items[i].key.at,
                          "option '%.*s' comes from the table behind "
                          "LIKE already: OVERWRITING OPTIONS replaces "
                          "it",
                          STR_ARGS(own->items[i].key.value));
        }
        count += at == count ? 1 : 0;
        options[at] = (struct table_option){own->items[i].key.value, own->items[i].value.value};
    }
    def->options = options;
    def->option_count = count;
    return STATUS_OK;
}

// A table without a connector is an Iceberg table, and holds what it is given.
static enum status check_iceberg(struct create *create, struct err *err)
{
    struct table_def *def = create->def;
    const struct ast_create_table *ast = create->ast;
    def->is_iceberg = table_def_option(def, "connector") == NULL;
    if (!def->is_iceberg) {
        return STATUS_OK;
    }
    if (ast->temporary) {
        enum status status = REFUSE(err, ast->name.at, "a temporary table needs a 'connector'");
        err_hint(err, "add WITH ('connector' = '...')");
        return status;
    }
    for (uint32_t i = 0; i < ast->schema.column_count; i++) {
        if (ast->schema.columns[i].kind != AST_COLUMN_PHYSICAL) {
            return NOT_YET(err, ast->schema.columns[i].at,
                           "an Iceberg table has stored columns only (a table without "
                           "'connector' is an Iceberg table)");
        }
    }
    if (ast->schema.watermark_count > 0) {
        return NOT_YET(err, ast->schema.watermarks[0].at,
                       "an Iceberg table has no watermark (a table without 'connector' is an "
                       "Iceberg table)");
    }
    return STATUS_OK;
}

static enum status bind_query_columns(struct create *create, struct err *err)
{
    const struct ast_create_table *ast = create->ast;
    struct rel *rel;
    TRY(bind_query_rel(&create->binder, ast->query, &rel, err));
    bind_query_unique_names(&create->binder, rel);
    for (uint32_t i = 0; i < rel->node.column_count; i++) {
        const struct plan_column *from = &rel->node.columns[i];
        struct table_column *column = bind_create_find(create, from->name);
        if (from->type->kind == TYPE_NULL) {
            return REFUSE(err, ast->query->at, "column '%.*s' has no type: CAST(NULL AS INT)",
                          STR_ARGS(from->name));
        }
        if (column == NULL) {
            create->columns[create->column_count++] =
                (struct table_column){.name = from->name, .type = from->type};
        } else if (column->type == NULL) { // (a, b) without types: an order
            column->type = from->type;
        } else if (!bind_insert_casts(from->type, column->type)) {
            return REFUSE(err, ast->query->at, "column '%.*s' is %.*s, and the query gives %.*s",
                          STR_ARGS(from->name),
                          STR_ARGS(type_text(create->binder.arena, column->type)),
                          STR_ARGS(type_text(create->binder.arena, from->type)));
        }
    }
    return STATUS_OK;
}

static enum status check_types(const struct create *create, struct err *err)
{
    for (uint32_t i = 0; i < create->column_count; i++) {
        if (create->columns[i].type == NULL) {
            return REFUSE(err, create->ast->name.at, "column '%.*s' has no type",
                          STR_ARGS(create->columns[i].name));
        }
    }
    return create->column_count > 0 ? STATUS_OK
                                    : REFUSE(err, create->ast->name.at, "a table needs a column");
}

static uint32_t columns_max(const struct create *create)
{
    const struct table_def *like = create->like;
    return create->ast->schema.column_count + (like == NULL ? 0 : like->column_count) +
           (create->ast->query == NULL ? 0 : BIND_COLUMNS_MAX);
}

static enum status bind_parts(struct create *create, struct err *err)
{
    TRY(bind_create_like(create, err));
    TRY(bind_columns(create, err));
    if (create->ast->query != NULL) {
        TRY(bind_query_columns(create, err));
    }
    TRY(check_types(create, err));
    TRY(bind_keys(create, err));
    TRY(bind_watermark(create, err));
    TRY(bind_options(create, err));
    TRY(check_iceberg(create, err));
    return bind_create_partitions(create, err);
}

enum status bind_create_table(const struct bind_context *context,
                              const struct ast_create_table *ast, struct table_def **out,
                              struct err *err)
{
    struct create create = {.ast = ast, .def = arena_new(context->arena, struct table_def)};
    bind_begin(&create.binder, context);
    bind_create_name(context, &ast->name, create.def);
    if (ast->distribution.present) {
        return NOT_YET(err, ast->distribution.at, "DISTRIBUTED is not supported yet");
    }
    if (ast->like.table.count > 0) {
        TRY(bind_table_find(&create.binder, &ast->like.table, &create.like, err));
    }
    create.columns = arena_new_array(context->arena, struct table_column, columns_max(&create));
    TRY(bind_parts(&create, err));
    create.def->is_temporary = ast->temporary;
    create.def->comment = ast->comment.value;
    create.def->columns = create.columns;
    create.def->column_count = create.column_count;
    *out = table_def_copy(context->arena, create.def);
    return STATUS_OK;
}
