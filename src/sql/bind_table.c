// SPDX-License-Identifier: Apache-2.0
//
// Tables and views by name: views and CTEs are expanded in place, tables become a source, a chain
// of
//
//     SCAN - CALC (computed columns) - WATERMARK - NORMALIZE (upserts to a full changelog)
//
// which is one for all places that name the same table with the same options.
#include "base/quantity.h"
#include "base/strbuf.h"
#include "sql/bind_int.h"
#include "sql/parse.h"
#include "sql/unparse.h"

struct str bind_table_name(struct arena *arena, const struct table_def *table)
{
    return arena_printf(arena, "%.*s.%.*s.%.*s", STR_ARGS(table->catalog_name),
                        STR_ARGS(table->database), STR_ARGS(table->name));
}

static struct str *path_parts(struct arena *arena, const struct ast_path *path)
{
    struct str *parts = arena_new_array(arena, struct str, path->count);
    for (uint32_t i = 0; i < path->count; i++) {
        parts[i] = path->parts[i].text;
    }
    return parts;
}

enum status bind_table_find(struct binder *binder, const struct ast_path *path,
                            const struct table_def **out, struct err *err)
{
    const struct bind_tables *tables = &binder->context->tables;
    struct str *parts = path_parts(binder->arena, path);
    enum status status = tables->find(tables->self, binder->arena, parts, path->count, out, err);
    if (status == STATUS_OK) {
        return STATUS_OK;
    }
    if (status == STATUS_IO || status == STATUS_LIMIT || status == STATUS_UNAVAILABLE) {
        return status; // the catalog's disk: no fault of this place
    }
    if (status != STATUS_NOT_FOUND) {
        return bind_refused(status, err, path->at);
    }
    struct str text = parts[0];
    for (uint32_t i = 1; i < path->count; i++) {
        text = arena_printf(binder->arena, "%.*s.%.*s", STR_ARGS(text), STR_ARGS(parts[i]));
    }
    status = bind_refused(ERR(err, STATUS_NOT_FOUND, "table '%.*s' does not exist", STR_ARGS(text)),
                          err, path->at);
    if (path->count == 1) {
        err_hint(err, "looked in '%.*s.%.*s'", STR_ARGS(binder->context->catalog_name),
                 STR_ARGS(binder->context->database));
    }
    struct str nearest = {0};
    if (tables->nearest != NULL) {
        nearest = tables->nearest(tables->self, binder->arena, parts, path->count);
    }
    if (nearest.size > 0) {
        err_hint(err, "did you mean '%.*s'?", STR_ARGS(nearest));
    }
    return status;
}

// Hints ---------------------------------------------------------------------------------------

static void put_option(struct binder *binder, struct table_def *def, struct table_option *options,
                       const struct ast_option *hint)
{
    (void)binder;
    uint32_t at = 0;
    while (at < def->option_count && !str_equal(options[at].key, hint->key.value)) {
        at++;
    }
    def->option_count += at == def->option_count ? 1 : 0;
    options[at] = (struct table_option){hint->key.value, hint->value.value};
}

static enum status check_hint(const struct binder *binder, const struct ast_hint *hint,
                              struct err *err)
{
    if (!str_is_nocase(hint->name.text, "OPTIONS")) {
        return REFUSE(err, hint->at, "there is no hint '%.*s' on a table",
                      STR_ARGS(hint->name.text));
    }
    if (binder->context->settings.refuse_table_hints) {
        enum status status = REFUSE(err, hint->at,
                                    "OPTIONS hints are switched off by "
                                    "'table.dynamic-table-options.enabled' = 'false'");
        err_hint(err, "SET 'table.dynamic-table-options.enabled' = 'true'");
        return status;
    }
    if (hint->options.count == 0) {
        return REFUSE(err, hint->at, "OPTIONS needs 'key' = 'value'");
    }
    return STATUS_OK;
}

enum status bind_table_check_hints(struct binder *binder, const struct ast_hints *hints,
                                   struct err *err)
{
    for (uint32_t i = 0; i < hints->count; i++) {
        TRY(check_hint(binder, &hints->items[i], err));
    }
    return STATUS_OK;
}

enum status bind_table_options(struct binder *binder, const struct ast_hints *hints,
                               const struct table_option **out, uint32_t *count, struct err *err)
{
    const struct table_def none = {.name = STR_LIT("")};
    const struct table_def *def;
    TRY(bind_table_hints(binder, &none, hints, &def, err));
    *out = def->options;
    *count = def->option_count;
    return STATUS_OK;
}

enum status bind_table_hints(struct binder *binder, const struct table_def *table,
                             const struct ast_hints *hints, const struct table_def **out,
                             struct err *err)
{
    *out = table;
    uint32_t most = table->option_count;
    TRY(bind_table_check_hints(binder, hints, err));
    if (hints->count == 0) {
        return STATUS_OK;
    }
    for (uint32_t i = 0; i < hints->count; i++) {
        most += hints->items[i].options.count;
    }
    struct table_def *def = arena_copy(binder->arena, table, sizeof *table);
    struct table_option *options = arena_new_array(binder->arena, struct table_option, most);
    for (uint32_t i = 0; i < table->option_count; i++) {
        options[i] = table->options[i];
    }
    for (uint32_t i = 0; i < hints->count; i++) {
        for (uint32_t k = 0; k < hints->items[i].options.count; k++) {
            put_option(binder, def, options, &hints->items[i].options.items[k]);
        }
    }
    def->options = options;
    *out = def;
    return STATUS_OK;
}

// Sources -------------------------------------------------------------------------------------

// Computed columns and watermarks are texts of the definition: their errors are told where the
// statement names the table.
static enum status bind_text(struct binder *binder, const struct rel *rel, struct str text,
                             struct str what, struct ast_span at, const struct expr **out,
                             struct err *err)
{
    const struct ast_expr *ast;
    struct scope scope = bind_scope_of(binder->arena, rel, (struct str){0}, what);
    struct expr_context context = {
        .binder = binder, .scope = &scope, .clause = "a column's expression"};
    struct str outer = binder->text;
    bool records_edits = binder->records_edits;
    binder->text = text;
    binder->records_edits = false;
    enum status status = parse_expression(binder->arena, text, &ast, err);
    if (status == STATUS_OK) {
        status = bind_expr(&context, ast, out, err);
    }
    binder->text = outer;
    binder->records_edits = records_edits;
    if (status != STATUS_OK) {
        err_context(err, "%.*s", STR_ARGS(what));
        return bind_refused(status, err, at);
    }
    *out = expr_at(binder->arena, *out, at.offset, 0);
    return STATUS_OK;
}

static enum status describe(struct binder *binder, const struct table_def *table, bool as_sink,
                            struct ast_span at, const struct connector_info **out, struct err *err)
{
    const struct connector_lookup *lookup = &binder->context->connectors;
    struct connector_info *info = arena_new(binder->arena, struct connector_info);
    enum status status = lookup->describe(lookup->self, binder->arena, table, as_sink, info, err);
    if (status != STATUS_OK) {
        return bind_refused(status, err, at);
    }
    *out = info;
    return STATUS_OK;
}

static enum status check_source(const struct binder *binder, const struct table_def *table,
                                const struct connector_info *info, struct ast_span at,
                                struct err *err)
{
    if (!info->can_read) {
        return REFUSE(err, at, "connector '%.*s' of table '%.*s' can be written to, not read",
                      STR_ARGS(info->name), STR_ARGS(table->name));
    }
    if (!bind_is_streaming(binder) && info->source_changes != CONNECTOR_INSERT_ONLY) {
        enum status status =
            NOT_YET(err, at,
                    "table '%.*s' gives updates and deletes, which a batch query cannot "
                    "read yet",
                    STR_ARGS(table->name));
        err_hint(err, "SET 'execution.runtime-mode' = 'streaming'");
        return status;
    }
    if (info->source_is_upsert && table->primary_key_count == 0) {
        return REFUSE(err, at, "table '%.*s' is read as upserts and needs a PRIMARY KEY",
                      STR_ARGS(table->name));
    }
    return STATUS_OK;
}

static enum status metadata_type(struct binder *binder, const struct table_def *table,
                                 const struct table_column *column,
                                 const struct connector_info *info, struct ast_span at,
                                 const struct type **out, struct err *err)
{
    struct str *keys = arena_new_array(binder->arena, struct str, info->metadata_count);
    struct str list = STR_LIT("none");
    for (uint32_t i = 0; i < info->metadata_count; i++) {
        keys[i] = info->metadata[i].key;
        if (str_equal(keys[i], column->metadata_key)) {
            *out = info->metadata[i].type;
            return STATUS_OK;
        }
        list = i == 0
                   ? keys[0]
                   : arena_printf(binder->arena, "%.*s, %.*s", STR_ARGS(list), STR_ARGS(keys[i]));
    }
    enum status status =
        REFUSE(err, at, "table '%.*s': connector '%.*s' has no metadata '%.*s' (column '%.*s')",
               STR_ARGS(table->name), STR_ARGS(info->name), STR_ARGS(column->metadata_key),
               STR_ARGS(column->name));
    err_hint(err, "there are: %.*s", STR_ARGS(list));
    struct str nearest = bind_scope_nearest(keys, info->metadata_count, column->metadata_key);
    if (nearest.size > 0) {
        err_hint(err, "did you mean '%.*s'?", STR_ARGS(nearest));
    }
    return status;
}

// The table with its hidden columns behind the others, for scans.
static const struct table_def *with_hidden(struct arena *arena, const struct table_def *table)
{
    if (table->hidden_count == 0) {
        return table;
    }
    uint32_t count = table->column_count + table->hidden_count;
    struct table_def *out = arena_copy(arena, table, sizeof *table);
    struct table_column *columns = arena_new_array(arena, struct table_column, count);
    for (uint32_t i = 0; i < count; i++) {
        columns[i] =
            i < table->column_count ? table->columns[i] : table->hidden[i - table->column_count];
    }
    out->columns = columns;
    out->column_count = count;
    return out;
}

static enum status bind_scan(struct binder *binder, const struct table_def *table,
                             const struct connector_info *info, struct ast_span at,
                             struct rel **out, struct err *err)
{
    uint32_t declared = table->column_count - table->hidden_count;
    struct rel *rel = rel_new(binder->arena, PLAN_SCAN, at, 0);
    struct plan_column *columns =
        arena_new_array(binder->arena, struct plan_column, table->column_count);
    uint32_t *table_columns = arena_new_array(binder->arena, uint32_t, table->column_count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < table->column_count; i++) {
        const struct table_column *column = &table->columns[i];
        const struct type *type = column->type;
        if (column->kind == TABLE_COLUMN_COMPUTED) {
            continue;
        }
        if (column->kind == TABLE_COLUMN_METADATA && i < declared) {
            TRY(metadata_type(binder, table, column, info, at, &type, err));
        }
        table_columns[count] = i;
        columns[count++] = (struct plan_column){
            .id = bind_id(binder), .name = column->name, .type = type, .is_hidden = i >= declared};
    }
    rel->node.columns = columns;
    rel->node.column_count = count;
    rel->node.bounded = info->is_bounded || !bind_is_streaming(binder);
    rel->node.as.scan =
        (struct plan_scan){.table = table, .table_columns = table_columns, .limit = -1};
    rel->connector = info;
    *out = rel;
    return STATUS_OK;
}

// Metadata comes with the connector's type and is cast to the declared one.
static enum status cast_metadata(struct binder *binder, const struct table_column *column,
                                 struct ast_span at, const struct expr **expr, struct err *err)
{
    if (type_equal_nullability_aside((*expr)->type, column->type)) {
        return STATUS_OK;
    }
    enum status status = expr_cast(binder->arena, *expr, column->type, expr, err);
    if (status != STATUS_OK) {
        err_context(err, "metadata column '%.*s'", STR_ARGS(column->name));
        return bind_refused(status, err, at);
    }
    return STATUS_OK;
}

// A CALC with all columns of the table, in its order.
static enum status bind_computed(struct binder *binder, const struct table_def *table,
                                 struct rel *scan, struct ast_span at, struct rel **out,
                                 struct err *err)
{
    struct rel *calc = rel_calc(binder->arena, scan, table->column_count);
    uint32_t physical = 0;
    for (uint32_t i = 0; i < table->column_count; i++) {
        const struct table_column *column = &table->columns[i];
        struct plan_column *to = &rel_columns(calc)[i];
        const struct expr **expr = &rel_projections(calc)[i];
        if (column->kind == TABLE_COLUMN_COMPUTED) {
            struct str what = arena_printf(binder->arena, "computed column '%.*s' of '%.*s'",
                                           STR_ARGS(column->name), STR_ARGS(table->name));
            TRY(bind_text(binder, scan, column->expression, what, at, expr, err));
            *to = (struct plan_column){.id = bind_id(binder), .name = column->name};
        } else {
            const struct plan_column *from = &scan->node.columns[physical++];
            *to = *from;
            *expr = rel_reference(binder->arena, from);
            TRY(cast_metadata(binder, column, at, expr, err));
            to->id = (*expr)->kind == EXPR_COLUMN ? to->id : bind_id(binder);
        }
        to->type = (*expr)->type;
        to->time = bind_expr_time(&(struct scope){0}, *expr);
    }
    *out = calc;
    return STATUS_OK;
}

static enum status idle_timeout(struct binder *binder, const struct table_def *table,
                                struct ast_span at, int64_t *out, struct err *err)
{
    *out = binder->context->settings.idle_timeout_ms;
    const struct str *text = table_def_option(table, "scan.watermark.idle-timeout");
    if (text != NULL && !quantity_duration_ms(*text, out)) {
        return REFUSE(err, at, "'scan.watermark.idle-timeout' = '%.*s' is no duration",
                      STR_ARGS(*text));
    }
    return STATUS_OK;
}

static enum status bind_watermark(struct binder *binder, const struct table_def *table,
                                  struct ast_span at, struct rel **rel, struct err *err)
{
    struct str what = arena_printf(binder->arena, "the watermark of '%.*s'", STR_ARGS(table->name));
    struct rel *node = rel_new(binder->arena, PLAN_WATERMARK, at, 1);
    node->inputs[0] = *rel;
    rel_set_columns(binder->arena, node, (*rel)->node.columns, (*rel)->node.column_count);
    struct plan_watermark *watermark = &node->node.as.watermark;
    TRY(bind_text(binder, *rel, table->watermark_expression, what, at, &watermark->expression,
                  err));
    TRY(idle_timeout(binder, table, at, &watermark->idle_timeout_ms, err));
    for (uint32_t i = 0; i < node->node.column_count; i++) {
        if (str_equal(node->node.columns[i].name, table->watermark_column)) {
            watermark->rowtime = node->node.columns[i].id;
            rel_columns(node)[i].time = PLAN_TIME_ROWTIME;
        }
    }
    if (watermark->rowtime == 0) {
        return REFUSE(err, at, "%.*s: there is no column '%.*s'", STR_ARGS(what),
                      STR_ARGS(table->watermark_column));
    }
    *rel = node;
    return STATUS_OK;
}

static void add_normalize(struct binder *binder, const struct table_def *table, struct ast_span at,
                          struct rel **rel)
{
    struct rel *node = rel_new(binder->arena, PLAN_NORMALIZE, at, 1);
    node->inputs[0] = *rel;
    rel_set_columns(binder->arena, node, (*rel)->node.columns, (*rel)->node.column_count);
    uint32_t *keys = arena_new_array(binder->arena, uint32_t, table->primary_key_count);
    for (uint32_t i = 0; i < table->primary_key_count; i++) {
        for (uint32_t k = 0; k < node->node.column_count; k++) {
            if (str_equal(node->node.columns[k].name, table->primary_key[i])) {
                keys[i] = node->node.columns[k].id;
            }
        }
    }
    node->node.as.normalize.keys = (struct plan_ids){table->primary_key_count, keys};
    *rel = node;
}

static enum status new_source(struct binder *binder, const struct table_def *table,
                              struct ast_span at, struct rel **out, struct err *err)
{
    const struct connector_info *info = NULL;
    TRY(describe(binder, table, false, at, &info, err));
    TRY(check_source(binder, table, info, at, err));
    const struct table_def *scanned = with_hidden(binder->arena, table);
    TRY(bind_scan(binder, scanned, info, at, out, err));
    struct rel *scan = *out;
    TRY(bind_computed(binder, scanned, scan, at, out, err));
    if (bind_is_streaming(binder) && table->watermark_column.size > 0) {
        TRY(bind_watermark(binder, table, at, out, err));
        (*out)->node.as.watermark.starts_at_zero = !info->makes_watermarks;
    }
    bool deduplicates = binder->context->settings.cdc_events_duplicate &&
                        info->source_changes != CONNECTOR_INSERT_ONLY &&
                        table->primary_key_count > 0;
    if (info->source_is_upsert || deduplicates) {
        add_normalize(binder, table, at, out);
    }
    struct bind_source *source = arena_new(binder->arena, struct bind_source);
    *source = (struct bind_source){table, *out, binder->sources};
    binder->sources = source;
    return STATUS_OK;
}

// Each further place that names a source has ids of its own.
static struct rel *rename_source(struct binder *binder, struct rel *source, struct ast_span at)
{
    struct rel *calc = rel_calc(binder->arena, source, source->node.column_count);
    calc->node.offset = at.offset;
    calc->length = at.length;
    for (uint32_t i = 0; i < source->node.column_count; i++) {
        const struct plan_column *column = &source->node.columns[i];
        rel_columns(calc)[i] = *column;
        rel_columns(calc)[i].id = bind_id(binder);
        rel_projections(calc)[i] = rel_reference(binder->arena, column);
    }
    return calc;
}

enum status bind_table_rel(struct binder *binder, const struct table_def *table, struct ast_span at,
                           struct rel **out, struct err *err)
{
    for (const struct bind_source *source = binder->sources; source != NULL;
         source = source->next) {
        if (source->table == table || table_def_equal(source->table, table)) {
            *out = rename_source(binder, source->root, at);
            return STATUS_OK;
        }
    }
    return new_source(binder, table, at, out, err); // the first place has the source's own ids
}

// Views and CTEs -------------------------------------------------------------------------------

static enum status bind_view(struct binder *binder, const struct table_def *view,
                             struct ast_span at, struct bound *out, struct err *err)
{
    struct binder outer = *binder;
    binder->text = view->view_text;
    binder->ctes = NULL;
    binder->records_edits = false;
    const struct ast_query *query;
    enum status status = parse_query_text(binder->arena, view->view_text, &query, err);
    if (status == STATUS_OK) {
        status = bind_query_rel(binder, query, &out->rel, err);
    }
    binder->text = outer.text;
    binder->ctes = outer.ctes;
    binder->records_edits = outer.records_edits;
    binder->depth = outer.depth;
    if (status != STATUS_OK) {
        err_context(err, "in view '%.*s'", STR_ARGS(view->name));
        return bind_refused(status, err, at);
    }
    if (out->rel->node.column_count != view->column_count) {
        return REFUSE(err, at, "view '%.*s' was made with %u columns, and its query now has %u",
                      STR_ARGS(view->name), view->column_count, out->rel->node.column_count);
    }
    struct plan_column *columns =
        arena_copy(binder->arena, out->rel->node.columns, sizeof *columns * view->column_count);
    struct rel *calc = rel_calc(binder->arena, out->rel, view->column_count);
    for (uint32_t i = 0; i < view->column_count; i++) {
        rel_projections(calc)[i] = rel_reference(binder->arena, &columns[i]);
        rel_columns(calc)[i] = columns[i];
        rel_columns(calc)[i].name = view->columns[i].name;
    }
    out->rel = calc;
    return STATUS_OK;
}

static enum status bind_cte(struct binder *binder, struct bind_cte *cte, struct bound *out,
                            struct err *err)
{
    struct bind_cte *ctes = binder->ctes;
    cte->is_used = true;
    binder->ctes = cte->visible;
    TRY(bind_query_rel(binder, cte->cte->query, &out->rel, err));
    binder->ctes = ctes;
    struct str name = cte->cte->name.text;
    out->scope = bind_scope_of(binder->arena, out->rel, name, name);
    return bind_from_columns(binder, out, &cte->cte->columns, err);
}

// The name in a view's text, qualified; `selector`: branch_x behind it, or empty.
static void record_name(struct binder *binder, const struct ast_path *path,
                        const struct table_def *table, struct str selector)
{
    struct strbuf text;
    strbuf_init(&text, 1 << 16);
    unparse_name(&text, table->catalog_name);
    strbuf_add_byte(&text, '.');
    unparse_name(&text, table->database);
    strbuf_add_byte(&text, '.');
    unparse_name(&text, table->name);
    if (selector.size > 0) {
        strbuf_add_byte(&text, '.');
        unparse_name(&text, selector);
    }
    bind_edit_add(binder, path->at, strbuf_str(&text));
    strbuf_release(&text);
}

bool bind_table_find_selected(struct binder *binder, const struct ast_path *path,
                              const struct table_def **out, struct table_at *at)
{
    const struct bind_tables *tables = &binder->context->tables;
    const struct table_def *whole;
    struct err ignored;
    uint32_t count = path->count - 1;
    if (count < 1 || count > 3 || !bind_version_of_name(path->parts[count].text, at)) {
        return false;
    }
    struct str *parts = path_parts(binder->arena, path);
    return (count == 3 || tables->find(tables->self, binder->arena, parts, count + 1, &whole,
                                       &ignored) != STATUS_OK) &&
           tables->find(tables->self, binder->arena, parts, count, out, &ignored) == STATUS_OK &&
           (*out)->is_iceberg;
}

// Hints and time travel.
static enum status bind_state(struct binder *binder, const struct ast_table *ast,
                              const struct table_at *at, const struct table_def **inout,
                              struct err *err)
{
    if ((*inout)->is_iceberg) {
        return bind_version(binder, ast, at, inout, err);
    }
    if (ast->as_of != NULL) {
        return bind_version_refuse(*inout, ast, err);
    }
    return bind_table_hints(binder, *inout, &ast->hints, inout, err);
}

enum status bind_table(struct binder *binder, const struct ast_table *ast, struct bound *out,
                       struct err *err)
{
    const struct ast_path *path = &ast->as.path;
    for (struct bind_cte *cte = binder->ctes; cte != NULL && path->count == 1; cte = cte->outer) {
        if (str_equal(cte->cte->name.text, path->parts[0].text)) {
            TRY(ast->as_of != NULL ? bind_version_refuse(NULL, ast, err) : STATUS_OK);
            return bind_cte(binder, cte, out, err);
        }
    }
    const struct table_def *table;
    struct table_at at = {0};
    struct str selector = {0};
    if (bind_table_find_selected(binder, path, &table, &at)) {
        selector = path->parts[path->count - 1].text;
    } else {
        at = (struct table_at){0};
        TRY(bind_table_find(binder, path, &table, err));
    }
    record_name(binder, path, table, selector);
    if (table->kind == TABLE_KIND_VIEW) {
        if (ast->hints.count > 0) {
            return REFUSE(err, ast->hints.items[0].at, "'%.*s' is a view: hints belong to tables",
                          STR_ARGS(table->name));
        }
        TRY(ast->as_of != NULL ? bind_version_refuse(table, ast, err) : STATUS_OK);
        TRY(bind_view(binder, table, path->at, out, err));
    } else {
        TRY(bind_state(binder, ast, &at, &table, err));
        TRY(bind_table_rel(binder, table, path->at, &out->rel, err));
    }
    out->scope = bind_scope_of(binder->arena, out->rel, table->name, table->name);
    struct scope_table *scope_table =
        arena_copy(binder->arena, out->scope.tables, sizeof *out->scope.tables);
    scope_table->database = table->database;
    scope_table->catalog_name = table->catalog_name;
    out->scope.tables = scope_table;
    return STATUS_OK;
}
