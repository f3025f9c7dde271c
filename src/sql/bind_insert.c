// SPDX-License-Identifier: Apache-2.0
//
// INSERT: the query's columns put to the table's, with the casts that Flink puts in by itself.
#include "base/strbuf.h"
#include "sql/bind_int.h"

enum { SCHEMA_TEXT_BYTES = 220 };

// Flink's implicit casts (LogicalTypeCasts), as bits of the kinds that `to` takes.
#define BIT(kind) (UINT32_C(1) << TYPE_##kind)
enum {
    INTEGERS = BIT(TINYINT) | BIT(SMALLINT) | BIT(INT) | BIT(BIGINT),
    NUMBERS = INTEGERS | BIT(DECIMAL) | BIT(FLOAT) | BIT(DOUBLE),
    TIMES = BIT(TIMESTAMP) | BIT(TIMESTAMP_LTZ),
};

static uint32_t implicit_sources(enum type_kind to)
{
    static const uint32_t sources[] = {
        [TYPE_VARCHAR] = BIT(CHAR) | BIT(VARCHAR),
        [TYPE_VARBINARY] = BIT(BINARY) | BIT(VARBINARY),
        [TYPE_DECIMAL] = NUMBERS,
        [TYPE_SMALLINT] = BIT(TINYINT),
        [TYPE_INT] = BIT(TINYINT) | BIT(SMALLINT),
        [TYPE_BIGINT] = INTEGERS,
        [TYPE_FLOAT] = INTEGERS | BIT(DECIMAL),
        [TYPE_DOUBLE] = NUMBERS,
        [TYPE_DATE] = BIT(TIMESTAMP),
        [TYPE_TIME] = BIT(TIMESTAMP),
        [TYPE_TIMESTAMP] = TIMES,
        [TYPE_TIMESTAMP_LTZ] = TIMES,
        [TYPE_RAW] = 0,
    };
    return sources[to] | UINT32_C(1) << to;
}

bool bind_insert_casts(const struct type *from, const struct type *to)
{
    if (from->kind == TYPE_NULL) {
        return true;
    }
    if ((implicit_sources(to->kind) >> from->kind & 1) == 0) {
        return false;
    }
    if (!type_is_nested(to)) {
        return true;
    }
    if (from->field_count != to->field_count) {
        return false;
    }
    for (uint32_t i = 0; i < to->field_count; i++) {
        if (!bind_insert_casts(from->fields[i].type, to->fields[i].type)) {
            return false;
        }
    }
    return true;
}

struct target {
    uint32_t table_column;
    const struct expr *value; // NULL: not given yet
};

struct insert {
    struct binder *binder;
    const struct ast_insert *ast;
    const struct table_def *table;
    struct rel *query;
    struct str branch;      // of an Iceberg table; empty: main
    struct target *targets; // the columns that can be written, in the table's order
    uint32_t target_count;
    uint32_t *given; // for each column of the query, the target
    uint32_t given_count;
};

static struct str table_name(const struct insert *insert)
{
    return bind_table_name(insert->binder->arena, insert->table);
}

static const struct table_column *column_of(const struct insert *insert, uint32_t target)
{
    return &insert->table->columns[insert->targets[target].table_column];
}

static void print_column(struct strbuf *out, struct str name, const struct type *type,
                         enum plan_time time)
{
    if (out->size > SCHEMA_TEXT_BYTES) {
        return;
    }
    strbuf_printf(out, "%s%.*s ", out->size == 0 ? "" : ", ", STR_ARGS(name));
    type_print(out, type);
    strbuf_add_text(out, time == PLAN_TIME_ROWTIME ? " *ROWTIME*" : "");
    strbuf_add_text(out, out->size > SCHEMA_TEXT_BYTES ? ", ..." : "");
}

// Both sides' columns, as the hint of whatever does not fit.
static void hint_schemas(const struct insert *insert, const char *advice, struct err *err)
{
    struct strbuf query;
    struct strbuf table;
    strbuf_init(&query, ERR_HINT_MAX);
    strbuf_init(&table, ERR_HINT_MAX);
    for (uint32_t i = 0; i < insert->query->node.column_count; i++) {
        const struct plan_column *column = &insert->query->node.columns[i];
        print_column(&query, column->name, column->type, column->time);
    }
    for (uint32_t i = 0; i < insert->given_count; i++) {
        const struct table_column *column = column_of(insert, insert->given[i]);
        print_column(&table, column->name, column->type, PLAN_TIME_NONE);
    }
    err_hint(err, "%squery: [%s]; table: [%s]", advice, query.ptr, table.ptr);
    strbuf_release(&query);
    strbuf_release(&table);
}

// Where the query computes a column, for the caret.
static struct ast_span place_of(const struct insert *insert, uint32_t column)
{
    const struct rel *rel = insert->query;
    const struct expr *expr = rel->node.kind == PLAN_CALC ? rel->node.as.calc.projections[column]
                              : rel->node.kind == PLAN_VALUES ? rel->node.as.values.values[column]
                                                              : NULL;
    return expr != NULL && expr->length > 0 ? (struct ast_span){expr->offset, expr->length}
                                            : insert->ast->query->at;
}

static enum status refuse_type(const struct insert *insert, uint32_t column, struct err *err)
{
    struct arena *arena = insert->binder->arena;
    const struct plan_column *from = &insert->query->node.columns[column];
    const struct table_column *to = column_of(insert, insert->given[column]);
    struct str from_type = type_text(arena, from->type);
    struct str to_type = type_text(arena, to->type);
    enum status status = REFUSE(
        err, place_of(insert, column),
        "column '%.*s' of '%.*s' is %.*s, and the query gives %.*s (column %u)", STR_ARGS(to->name),
        STR_ARGS(table_name(insert)), STR_ARGS(to_type), STR_ARGS(from_type), column + 1);
    hint_schemas(insert, "a CAST may help; ", err);
    return status;
}

static enum status find_targets(struct insert *insert, struct err *err)
{
    const struct table_def *table = insert->table;
    if (table->kind == TABLE_KIND_VIEW) {
        return REFUSE(err, insert->ast->table.at, "'%.*s' is a view: rows go into tables only",
                      STR_ARGS(table->name));
    }
    insert->targets = arena_new_array(insert->binder->arena, struct target, table->column_count);
    for (uint32_t i = 0; i < table->column_count; i++) {
        const struct table_column *column = &table->columns[i];
        bool is_written = column->kind == TABLE_COLUMN_PHYSICAL ||
                          (column->kind == TABLE_COLUMN_METADATA && !column->is_virtual);
        if (is_written) {
            insert->targets[insert->target_count++].table_column = i;
        }
    }
    return STATUS_OK;
}

static enum status find_target(const struct insert *insert, const struct ast_name *name,
                               uint32_t *out, struct err *err)
{
    struct str *names = arena_new_array(insert->binder->arena, struct str, insert->target_count);
    for (uint32_t i = 0; i < insert->target_count; i++) {
        names[i] = column_of(insert, i)->name;
        if (str_equal(names[i], name->text)) {
            *out = i;
            return STATUS_OK;
        }
    }
    const struct table_column *other = table_def_column(insert->table, name->text);
    enum status status = other == NULL
                             ? REFUSE(err, name->at, "column '%.*s' does not exist in '%.*s'",
                                      STR_ARGS(name->text), STR_ARGS(insert->table->name))
                             : REFUSE(err, name->at,
                                      "column '%.*s' of '%.*s' is computed: it "
                                      "cannot be written",
                                      STR_ARGS(name->text), STR_ARGS(insert->table->name));
    struct str nearest = bind_scope_nearest(names, insert->target_count, name->text);
    if (nearest.size > 0 && other == NULL) {
        err_hint(err, "did you mean '%.*s'?", STR_ARGS(nearest));
    }
    return status;
}

// PARTITION (day = '2024-01-01', hour): values are constants of the columns.
static enum status bind_partition(struct insert *insert, struct err *err)
{
    struct scope nothing = {0};
    struct expr_context context = {
        .binder = insert->binder, .scope = &nothing, .clause = "PARTITION"};
    for (uint32_t i = 0; i < insert->ast->partition.count; i++) {
        const struct ast_partition_value *item = &insert->ast->partition.items[i];
        uint32_t at = 0;
        TRY(find_target(insert, &item->column, &at, err));
        if (item->value != NULL) {
            const struct expr *value;
            TRY(bind_expr(&context, item->value, &value, err));
            const struct type *type = column_of(insert, at)->type;
            enum status status = expr_cast(insert->binder->arena, value,
                                           type_with_null(insert->binder->arena, type, true),
                                           &insert->targets[at].value, err);
            if (status != STATUS_OK) {
                return bind_refused(status, err, item->value->at);
            }
        }
    }
    return STATUS_OK;
}

static enum status bind_column_list(struct insert *insert, struct err *err)
{
    const struct ast_paths *columns = &insert->ast->columns;
    bool *taken = arena_new_array(insert->binder->arena, bool, insert->target_count);
    for (uint32_t i = 0; i < columns->count; i++) {
        const struct ast_path *path = &columns->items[i];
        if (path->count > 1) {
            return NOT_YET(err, path->at, "writing one field of a row is not supported yet");
        }
        uint32_t at = 0;
        TRY(find_target(insert, &path->parts[0], &at, err));
        if (taken[at] || insert->targets[at].value != NULL) {
            return REFUSE(err, path->at, "column '%.*s' is given twice",
                          STR_ARGS(path->parts[0].text));
        }
        taken[at] = true;
        insert->given[insert->given_count++] = at;
    }
    for (uint32_t i = 0; i < insert->target_count; i++) {
        const struct table_column *column = column_of(insert, i);
        bool is_left_out = !taken[i] && insert->targets[i].value == NULL;
        if (is_left_out && !column->type->nullable && !column->has_default) {
            return REFUSE(err, columns->items[0].at,
                          "column '%.*s' of '%.*s' is NOT NULL and is not in the list",
                          STR_ARGS(column->name), STR_ARGS(insert->table->name));
        }
    }
    return STATUS_OK;
}

// Columns that have a default of their own and are not in the list are none of the sink's: the
// table fills them.
static void leave_out_defaults(struct insert *insert)
{
    uint32_t kept = 0;
    uint32_t *moved = arena_new_array(insert->binder->arena, uint32_t, insert->target_count);
    for (uint32_t i = 0; i < insert->target_count; i++) {
        if (insert->targets[i].value != NULL || !column_of(insert, i)->has_default) {
            moved[i] = kept;
            insert->targets[kept++] = insert->targets[i];
        }
    }
    for (uint32_t i = 0; i < insert->given_count; i++) {
        insert->given[i] = moved[insert->given[i]];
    }
    insert->target_count = kept;
}

// Which target each column of the query is for.
static enum status bind_given(struct insert *insert, struct err *err)
{
    insert->given = arena_new_array(insert->binder->arena, uint32_t, insert->target_count);
    TRY(bind_partition(insert, err));
    if (insert->ast->columns.count > 0) {
        return bind_column_list(insert, err);
    }
    for (uint32_t i = 0; i < insert->target_count; i++) {
        if (insert->targets[i].value == NULL) {
            insert->given[insert->given_count++] = i;
        }
    }
    return STATUS_OK;
}

static enum status bind_values(struct insert *insert, struct err *err)
{
    struct arena *arena = insert->binder->arena;
    uint32_t count = insert->query->node.column_count;
    if (count != insert->given_count) {
        enum status status = REFUSE(
            err, insert->ast->query->at, "the query has %u column%s, and '%.*s' takes %u here",
            count, count == 1 ? "" : "s", STR_ARGS(table_name(insert)), insert->given_count);
        hint_schemas(insert, "", err);
        return status;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct plan_column *from = &insert->query->node.columns[i];
        const struct type *to = column_of(insert, insert->given[i])->type;
        if (!bind_insert_casts(from->type, to)) {
            return refuse_type(insert, i, err);
        }
        const struct expr *value = rel_reference(arena, from);
        struct ast_span at = place_of(insert, i);
        if (!type_equal_nullability_aside(from->type, to)) {
            // NULLs into NOT NULL columns are the sink's to judge.
            const struct type *type = type_with_null(arena, to, true);
            enum status status = from->type->kind == TYPE_NULL
                                     ? STATUS_OK
                                     : expr_cast(arena, value, type, &value, err);
            if (status != STATUS_OK) {
                return bind_refused(status, err, at);
            }
            value = from->type->kind == TYPE_NULL ? expr_null(arena, type) : value;
        }
        insert->targets[insert->given[i]].value = value;
    }
    return STATUS_OK;
}

static struct rel *sink_input(struct insert *insert)
{
    struct arena *arena = insert->binder->arena;
    struct rel *calc = rel_calc(arena, insert->query, insert->target_count);
    for (uint32_t i = 0; i < insert->target_count; i++) {
        const struct table_column *column = column_of(insert, i);
        const struct expr *value = insert->targets[i].value;
        if (value == NULL) {
            value = expr_null(arena, column->type);
        }
        rel_projections(calc)[i] = value;
        rel_columns(calc)[i] =
            (struct plan_column){.id = bind_output_id(insert->binder, value, calc->node.columns, i),
                                 .name = column->name,
                                 .type = value->type};
    }
    return calc;
}

static struct rel *sink_rel(struct insert *insert, const struct connector_info *info)
{
    struct arena *arena = insert->binder->arena;
    struct rel *sink = rel_new(arena, PLAN_SINK, insert->ast->at, 1);
    sink->inputs[0] = sink_input(insert);
    sink->connector = info;
    rel_set_columns(arena, sink, sink->inputs[0]->node.columns, sink->inputs[0]->node.column_count);
    uint32_t *table_columns = arena_new_array(arena, uint32_t, insert->target_count);
    for (uint32_t i = 0; i < insert->target_count; i++) {
        table_columns[i] = insert->targets[i].table_column;
    }
    const struct table_def *table = insert->table;
    uint32_t *keys = arena_new_array(arena, uint32_t, table->primary_key_count);
    for (uint32_t i = 0; i < table->primary_key_count; i++) {
        for (uint32_t k = 0; k < insert->target_count; k++) {
            if (str_equal(column_of(insert, k)->name, table->primary_key[i])) {
                keys[i] = sink->node.columns[k].id;
            }
        }
    }
    sink->node.as.sink =
        (struct plan_sink){.kind = PLAN_SINK_TABLE,
                           .table = table,
                           .table_columns = table_columns,
                           .upsert_key = {table->primary_key_count, keys},
                           .enforce_not_null = !insert->binder->context->settings.drop_null_rows,
                           .overwrite = insert->ast->overwrite,
                           .branch = insert->branch};
    return sink;
}

static enum status describe_sink(struct insert *insert, struct connector_info *info,
                                 struct err *err)
{
    const struct connector_lookup *lookup = &insert->binder->context->connectors;
    enum status status =
        lookup->describe(lookup->self, insert->binder->arena, insert->table, true, info, err);
    if (status != STATUS_OK) {
        return bind_refused(status, err, insert->ast->table.at);
    }
    if (!info->can_write) {
        return REFUSE(err, insert->ast->table.at,
                      "connector '%.*s' of table '%.*s' can be read, not written to",
                      STR_ARGS(info->name), STR_ARGS(insert->table->name));
    }
    if (insert->ast->overwrite && !info->can_overwrite) {
        return NOT_YET(err, insert->ast->at, "INSERT OVERWRITE is not supported yet");
    }
    if (info->sink_is_batch && bind_is_streaming(insert->binder)) {
        status = NOT_YET(err, insert->ast->table.at,
                         "writing files in a streaming job is not supported yet");
        err_hint(err, "SET 'execution.runtime-mode' = 'batch'; what is written comes from tables "
                      "that end");
        return status;
    }
    return STATUS_OK;
}

static enum status refuse_forms(const struct ast_insert *ast, struct err *err)
{
    if (ast->upsert) {
        return NOT_YET(err, ast->at, "UPSERT INTO is not supported");
    }
    if (ast->conflict != AST_CONFLICT_UNSAID) {
        return NOT_YET(err, ast->at, "ON CONFLICT is not supported yet");
    }
    return STATUS_OK;
}

// A file takes the columns that the query gives.
static enum status bind_file_target(struct insert *insert, struct err *err)
{
    struct binder *binder = insert->binder;
    const struct ast_insert *ast = insert->ast;
    const struct bind_tables *tables = &binder->context->tables;
    if (ast->columns.count > 0 || ast->partition.count > 0) {
        return REFUSE(err, ast->file.at,
                      "a file has the columns of the query: no list of columns, no PARTITION");
    }
    if (tables->new_file == NULL) {
        return NOT_YET(err, ast->file.at, "writing a file by its name is not supported yet");
    }
    struct bind_file file = {.path = ast->file.value, .overwrite = ast->overwrite};
    TRY(bind_table_options(binder, &ast->hints, &file.options, &file.option_count, err));
    uint32_t count = insert->query->node.column_count;
    struct type_field *fields = arena_new_array(binder->arena, struct type_field, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct plan_column *column = &insert->query->node.columns[i];
        fields[i] = (struct type_field){.name = column->name, .type = column->type};
    }
    const struct type *row = type_row(binder->arena, fields, count, false);
    enum status status =
        tables->new_file(tables->self, binder->arena, &file, row, &insert->table, err);
    return status == STATUS_OK ? status : bind_refused(status, err, ast->file.at);
}

// The table, then the query: errors come in the order of the text. A file's definition follows from
// the query.
static enum status bind_target(struct insert *insert, struct err *err)
{
    struct binder *binder = insert->binder;
    const struct ast_insert *ast = insert->ast;
    bool is_file = ast->file.at.length > 0;
    if (!is_file) {
        struct table_at at = {0};
        if (!bind_table_find_selected(binder, &ast->table, &insert->table, &at)) {
            at = (struct table_at){0};
            TRY(bind_table_find(binder, &ast->table, &insert->table, err));
        }
        if (insert->table->is_iceberg) {
            TRY(bind_table_check_hints(binder, &ast->hints, err));
            TRY(bind_version_of_write(ast, &at, &insert->branch, err));
        } else {
            TRY(bind_table_hints(binder, insert->table, &ast->hints, &insert->table, err));
        }
        TRY(find_targets(insert, err));
    }
    binder->insert_depth = is_file ? 0 : binder->depth + 1;
    TRY(bind_query_rel(binder, ast->query, &insert->query, err));
    binder->insert_depth = 0;
    bind_query_unique_names(binder, insert->query);
    if (is_file) {
        TRY(bind_file_target(insert, err));
        TRY(find_targets(insert, err));
    }
    return STATUS_OK;
}

enum status bind_insert(struct binder *binder, const struct ast_insert *ast, struct rel **out,
                        struct err *err)
{
    struct insert insert = {.binder = binder, .ast = ast};
    TRY(refuse_forms(ast, err));
    TRY(bind_target(&insert, err));
    TRY(bind_given(&insert, err));
    TRY(bind_values(&insert, err));
    leave_out_defaults(&insert);
    struct connector_info *info = arena_new(binder->arena, struct connector_info);
    TRY(describe_sink(&insert, info, err));
    *out = sink_rel(&insert, info);
    return STATUS_OK;
}
