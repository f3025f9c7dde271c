// SPDX-License-Identifier: Apache-2.0
//
// Window table functions: TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE)). They add
// window_start, window_end and window_time, of which the last is the time attribute from there on.
#include "data/column.h"
#include "sql/bind_int.h"

enum { ARGUMENTS_MAX = 5 };

struct window_function {
    const char *name;
    enum plan_window_kind kind;
    uint32_t required; // arguments
    uint32_t count;    // with OFFSET
    const char *parameters[ARGUMENTS_MAX];
    const char *signature;
};

static const struct window_function window_functions[] = {
    {"TUMBLE",
     PLAN_WINDOW_TUMBLE,
     3,
     4,
     {"DATA", "TIMECOL", "SIZE", "OFFSET"},
     "TUMBLE(TABLE t, DESCRIPTOR(ts), size [, offset])"},
    {"HOP",
     PLAN_WINDOW_HOP,
     4,
     5,
     {"DATA", "TIMECOL", "SLIDE", "SIZE", "OFFSET"},
     "HOP(TABLE t, DESCRIPTOR(ts), slide, size [, offset])"},
    {"CUMULATE",
     PLAN_WINDOW_CUMULATE,
     4,
     5,
     {"DATA", "TIMECOL", "STEP", "SIZE", "OFFSET"},
     "CUMULATE(TABLE t, DESCRIPTOR(ts), step, size [, offset])"},
    {"SESSION",
     PLAN_WINDOW_SESSION,
     3,
     3,
     {"DATA", "TIMECOL", "GAP"},
     "SESSION(TABLE t, DESCRIPTOR(ts), gap)"},
};

struct window {
    const struct window_function *function;
    const struct ast_expr *call;
    const struct ast_expr *args[ARGUMENTS_MAX]; // by parameter; NULL: absent
    struct rel *input;
    struct plan_window_spec spec;
};

static enum status refuse_signature(const struct window *window, struct ast_span at,
                                    struct err *err)
{
    enum status status =
        REFUSE(err, at, "these are not the arguments of %s", window->function->name);
    err_hint(err, "%s", window->function->signature);
    return status;
}

static enum status find_function(const struct ast_table *table, struct window *out, struct err *err)
{
    const struct ast_expr *call = table->as.function.call;
    const struct ast_path *path = &call->as.call.name;
    struct str name = path->parts[path->count - 1].text;
    out->call = call;
    for (uint32_t i = 0; i < sizeof window_functions / sizeof *window_functions; i++) {
        if (path->count == 1 && str_is_nocase(name, window_functions[i].name)) {
            out->function = &window_functions[i];
            return STATUS_OK;
        }
    }
    enum status status = REFUSE(err, path->at, "there is no table function '%.*s'", STR_ARGS(name));
    struct str names[sizeof window_functions / sizeof *window_functions];
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
        names[i] = str_from(window_functions[i].name);
    }
    struct str nearest = bind_scope_nearest(names, sizeof names / sizeof *names, name);
    if (str_starts(name, "read_") || str_starts(name, "READ_") || str_ends(name, "_scan")) {
        err_hint(err, "files are named by themselves: SELECT * FROM 'x.csv'");
    } else if (nearest.size > 0) {
        err_hint(err, "did you mean %.*s?", STR_ARGS(nearest));
    }
    return status;
}

static enum status place_argument(struct window *window, const struct ast_expr *arg,
                                  uint32_t position, struct err *err)
{
    const struct window_function *function = window->function;
    if (arg->kind == AST_EXPR_NAMED_ARG) {
        struct str name = arg->as.named.name.text;
        position = 0;
        while (position < function->count && !str_is_nocase(name, function->parameters[position])) {
            position++;
        }
        arg = arg->as.named.value;
    }
    if (position >= function->count || window->args[position] != NULL) {
        return refuse_signature(window, arg->at, err);
    }
    window->args[position] = arg;
    return STATUS_OK;
}

static enum status place_arguments(struct window *window, struct err *err)
{
    const struct ast_exprs *args = &window->call->as.call.args;
    for (uint32_t i = 0; i < args->count; i++) {
        TRY(place_argument(window, args->items[i], i, err));
    }
    for (uint32_t i = 0; i < window->function->required; i++) {
        if (window->args[i] == NULL) {
            return refuse_signature(window, window->call->at, err);
        }
    }
    if (window->args[0]->kind != AST_EXPR_TABLE_ARG && window->args[0]->kind != AST_EXPR_SUBQUERY) {
        return refuse_signature(window, window->args[0]->at, err);
    }
    if (window->args[1]->kind != AST_EXPR_DESCRIPTOR || window->args[1]->as.descriptor.count != 1) {
        return refuse_signature(window, window->args[1]->at, err);
    }
    return STATUS_OK;
}

static enum status bind_input_query(struct binder *binder, const struct ast_query *query,
                                    struct window *window, struct scope *scope, struct err *err)
{
    TRY(bind_query_rel(binder, query, &window->input, err));
    *scope = bind_scope_of(binder->arena, window->input, (struct str){0}, STR_LIT("the subquery"));
    return STATUS_OK;
}

static enum status bind_input(struct binder *binder, struct window *window, struct scope *scope,
                              struct err *err)
{
    const struct ast_expr *arg = window->args[0];
    if (arg->kind == AST_EXPR_SUBQUERY) { // (SELECT ...), nothing before or behind it
        return bind_input_query(binder, arg->as.query, window, scope, err);
    }
    if (arg->as.table.partition_by.count > 0 || arg->as.table.order_by.count > 0) {
        return NOT_YET(err, arg->at, "PARTITION BY and ORDER BY of %s are not supported",
                       window->function->name);
    }
    if (arg->as.table.path.count == 0) {
        return bind_input_query(binder, arg->as.table.query, window, scope, err);
    }
    struct ast_table ast = {.at = arg->at, .as.path = arg->as.table.path};
    struct bound bound;
    TRY(bind_table(binder, &ast, &bound, err));
    window->input = bound.rel;
    *scope = bound.scope;
    return STATUS_OK;
}

static enum status bind_time_column(struct binder *binder, struct window *window,
                                    const struct scope *scope, struct err *err)
{
    const struct ast_name *name = &window->args[1]->as.descriptor.items[0];
    struct ast_path path = {.parts = name, .count = 1, .at = name->at};
    const struct expr *expr;
    TRY(bind_scope_resolve(binder, scope, &path, &expr, err));
    if (!type_is_timestamp(expr->type)) {
        enum status status = REFUSE(err, name->at,
                                    "%s needs a TIMESTAMP or TIMESTAMP_LTZ, and "
                                    "'%.*s' is a %.*s",
                                    window->function->name, STR_ARGS(name->text),
                                    STR_ARGS(type_text(binder->arena, expr->type)));
        return status;
    }
    enum plan_time time = bind_expr_time(scope, expr);
    if (time == PLAN_TIME_PROCTIME) {
        return NOT_YET(err, name->at, "windows of processing time are not supported yet");
    }
    if (time == PLAN_TIME_NONE && bind_is_streaming(binder)) {
        enum status status = REFUSE(err, name->at,
                                    "'%.*s' is no time attribute: on a stream, %s "
                                    "needs one",
                                    STR_ARGS(name->text), window->function->name);
        err_hint(err,
                 "declare it in CREATE TABLE: WATERMARK FOR %.*s AS %.*s - INTERVAL '5' "
                 "SECOND; joins, aggregates and expressions do not keep it",
                 STR_ARGS(name->text), STR_ARGS(name->text));
        return status;
    }
    window->spec.time_column = expr->column_id;
    return STATUS_OK;
}

static enum status bind_interval(struct binder *binder, const struct ast_expr *ast, int64_t *out,
                                 struct err *err)
{
    struct scope nothing = {0};
    struct expr_context context = {
        .binder = binder, .scope = &nothing, .clause = "a window's arguments"};
    const struct expr *expr;
    TRY(bind_expr(&context, ast, &expr, err));
    expr = expr_fold(binder->arena, expr, &binder->context->settings.expr);
    if (expr->kind != EXPR_LITERAL || expr->type->kind != TYPE_INTERVAL_SECOND ||
        column_is_null(expr->value, 0)) {
        return REFUSE(err, ast->at,
                      "an interval of days to seconds belongs here, such as "
                      "INTERVAL '1' MINUTE");
    }
    memcpy(out, column_value(expr->value, 0), sizeof *out);
    return STATUS_OK;
}

static enum status bind_lengths(struct binder *binder, struct window *window, struct err *err)
{
    struct plan_window_spec *spec = &window->spec;
    uint32_t size_at = window->function->count - 2; // SIZE, with OFFSET behind it
    TRY(bind_interval(binder, window->args[size_at], &spec->size_ms, err));
    if (spec->size_ms <= 0) {
        return REFUSE(err, window->args[size_at]->at, "a window's size must be positive");
    }
    if (window->args[size_at + 1] != NULL) {
        TRY(bind_interval(binder, window->args[size_at + 1], &spec->offset_ms, err));
    }
    if (spec->kind == PLAN_WINDOW_TUMBLE) {
        return STATUS_OK;
    }
    TRY(bind_interval(binder, window->args[2], &spec->slide_ms, err));
    if (spec->slide_ms <= 0) {
        return REFUSE(err, window->args[2]->at, "must be positive");
    }
    if (spec->size_ms % spec->slide_ms != 0) {
        return REFUSE(err, window->args[2]->at,
                      "%s: the size (%lld ms) must be a multiple of the %s (%lld ms)",
                      window->function->name, (long long)spec->size_ms,
                      spec->kind == PLAN_WINDOW_HOP ? "slide" : "step", (long long)spec->slide_ms);
    }
    return STATUS_OK;
}

static struct rel *window_rel(struct binder *binder, const struct window *window)
{
    struct rel *input = window->input;
    uint32_t count = input->node.column_count;
    struct rel *rel = rel_new(binder->arena, PLAN_WINDOW, window->call->at, 1);
    struct plan_column *columns = arena_new_array(binder->arena, struct plan_column, count + 3);
    for (uint32_t i = 0; i < count; i++) {
        columns[i] = input->node.columns[i];
        columns[i].time = PLAN_TIME_NONE;
    }
    const struct type *time = rel_column(input, window->spec.time_column)->type;
    const struct type *bound = type_with_null(binder->arena, &type_timestamp3, false);
    columns[count] =
        (struct plan_column){.id = bind_id(binder), .name = STR_LIT("window_start"), .type = bound};
    columns[count + 1] =
        (struct plan_column){.id = bind_id(binder), .name = STR_LIT("window_end"), .type = bound};
    columns[count + 2] = (struct plan_column){.id = bind_id(binder),
                                              .name = STR_LIT("window_time"),
                                              .type = type_with_null(binder->arena, time, false),
                                              .time = bind_is_streaming(binder) ? PLAN_TIME_ROWTIME
                                                                                : PLAN_TIME_NONE};
    rel->inputs[0] = input;
    rel->node.columns = columns;
    rel->node.column_count = count + 3;
    rel->node.as.window = (struct plan_window){.spec = window->spec,
                                               .start_id = columns[count].id,
                                               .end_id = columns[count + 1].id,
                                               .time_id = columns[count + 2].id};
    return rel;
}

enum status bind_window(struct binder *binder, const struct ast_table *table, struct bound *out,
                        struct err *err)
{
    struct window window = {0};
    TRY(find_function(table, &window, err));
    if (window.function->kind == PLAN_WINDOW_SESSION) {
        return NOT_YET(err, window.call->at, "SESSION windows are not supported yet");
    }
    window.spec.kind = window.function->kind;
    TRY(place_arguments(&window, err));
    struct scope scope;
    TRY(bind_input(binder, &window, &scope, err));
    TRY(bind_time_column(binder, &window, &scope, err));
    TRY(bind_lengths(binder, &window, err));
    out->rel = window_rel(binder, &window);
    out->scope =
        bind_scope_of(binder->arena, out->rel, (struct str){0}, str_from(window.function->name));
    return STATUS_OK;
}
