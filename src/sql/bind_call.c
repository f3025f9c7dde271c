// SPDX-License-Identifier: Apache-2.0
//
// Calls by name: what their special forms mean as arguments and options, and what is no scalar
// function at all.
#include "sql/bind_int.h"

static enum function_unit unit_of(enum ast_unit unit)
{
    static const enum function_unit units[] = {
#define X(name) [AST_UNIT_##name] = FUNCTION_UNIT_##name,
        AST_UNIT_LIST(X)
#undef X
    };
    return units[unit];
}

static bool is_one_of(struct str name, const char *const *names, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (str_is_nocase(name, names[i])) {
            return true;
        }
    }
    return false;
}

// Functions that need OVER, and those of grouped windows: known, and refused by name.
static enum status refuse_special(struct expr_context *context, const struct ast_expr *ast,
                                  struct str name, struct err *err)
{
    static const char *const ranks[] = {"ROW_NUMBER", "RANK",  "DENSE_RANK", "PERCENT_RANK",
                                        "CUME_DIST",  "NTILE", "LAG",        "LEAD"};
    static const char *const windows[] = {"TUMBLE",          "HOP",           "SESSION",
                                          "TUMBLE_START",    "TUMBLE_END",    "HOP_START",
                                          "HOP_END",         "SESSION_START", "SESSION_END",
                                          "TUMBLE_ROWTIME",  "HOP_ROWTIME",   "SESSION_ROWTIME",
                                          "TUMBLE_PROCTIME", "HOP_PROCTIME",  "SESSION_PROCTIME"};
    const struct ast_call *call = &ast->as.call;
    (void)context;
    if (call->over != NULL) {
        return NOT_YET(err, ast->at, "%.*s(...) OVER is not supported yet", STR_ARGS(name));
    }
    if (is_one_of(name, ranks, sizeof ranks / sizeof *ranks)) {
        return REFUSE(err, ast->at, "%.*s needs an OVER clause", STR_ARGS(name));
    }
    if (is_one_of(name, windows, sizeof windows / sizeof *windows)) {
        enum status status = NOT_YET(err, ast->at,
                                     "group windows (%.*s in GROUP BY) are not "
                                     "supported yet",
                                     STR_ARGS(name));
        err_hint(err, "use a window table function: FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), "
                      "INTERVAL '1' MINUTE)) GROUP BY window_start, window_end");
        return status;
    }
    static const char *const later[] = {"GROUPING",
                                        "GROUPING_ID",
                                        "LISTAGG",
                                        "ARRAY_AGG",
                                        "COLLECT",
                                        "STDDEV",
                                        "STDDEV_POP",
                                        "STDDEV_SAMP",
                                        "VARIANCE",
                                        "VAR_POP",
                                        "VAR_SAMP",
                                        "PERCENTILE",
                                        "APPROX_COUNT_DISTINCT",
                                        "FUSION",
                                        "INTERSECTION"};
    if (is_one_of(name, later, sizeof later / sizeof *later) && !aggregate_exists(name)) {
        return NOT_YET(err, ast->at, "%.*s is not supported yet", STR_ARGS(name));
    }
    return STATUS_OK;
}

static enum status refuse_clauses(const struct ast_call *call, struct ast_span at, struct str name,
                                  struct err *err)
{
    if (call->filter != NULL) {
        return REFUSE(err, call->filter->at, "FILTER belongs to an aggregate, and %.*s is none",
                      STR_ARGS(name));
    }
    if (call->quantifier != AST_QUANTIFIER_NONE || call->form == AST_CALL_STAR) {
        return REFUSE(err, at, "%.*s is no aggregate function: it takes neither DISTINCT nor *",
                      STR_ARGS(name));
    }
    if (call->order_by.count > 0 || call->separator != NULL || call->within_group.count > 0 ||
        call->within_distinct.count > 0 || call->nulls != AST_NULLS_DEFAULT) {
        return REFUSE(err, at, "%.*s takes arguments only", STR_ARGS(name));
    }
    return STATUS_OK;
}

// The arguments that are values, in the order that function.h says; keywords go into `options`.
static enum status bind_arguments(struct expr_context *context, const struct ast_call *call,
                                  struct function_options *options, struct expr_list *out,
                                  struct err *err)
{
    const struct expr **args =
        arena_new_array(context->binder->arena, const struct expr *, call->args.count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < call->args.count; i++) {
        const struct ast_expr *arg = call->args.items[i];
        if (arg->kind == AST_EXPR_UNIT) {
            options->unit = unit_of(arg->as.unit);
        } else if (arg->kind == AST_EXPR_SYMBOL && call->form == AST_CALL_TRIM) {
            options->trim = str_is(arg->as.symbol, "LEADING")    ? FUNCTION_TRIM_LEADING
                            : str_is(arg->as.symbol, "TRAILING") ? FUNCTION_TRIM_TRAILING
                                                                 : FUNCTION_TRIM_BOTH;
        } else {
            TRY(bind_expr(context, arg, &args[count++], err));
        }
    }
    if (call->form == AST_CALL_TRIM && count == 2) { // characters, text: the table has it turned
        const struct expr *characters = args[0];
        args[0] = args[1];
        args[1] = characters;
    }
    *out = (struct expr_list){args, count};
    return STATUS_OK;
}

// INTERVAL n DAY: n times the unit.
static enum status bind_interval(struct expr_context *context, const struct ast_expr *ast,
                                 const struct expr *count, const struct expr **out, struct err *err)
{
    struct arena *arena = context->binder->arena;
    struct ast_expr one = {.kind = AST_EXPR_LITERAL, .at = ast->at};
    one.as.literal = (struct ast_literal){
        .kind = AST_LITERAL_INTERVAL, .text = STR_LIT("1"), .interval = ast->as.call.interval};
    const struct expr *args[2] = {NULL, count};
    TRY(bind_literal(arena, &one, false, &args[0], err));
    TRY(bind_expr_resolve(context->binder, "*", EXPR_LIST(args), NULL, ast->at, out, err));
    *out = expr_at(arena, expr_fold(arena, *out, &context->binder->context->settings.expr),
                   ast->at.offset, ast->at.length);
    return STATUS_OK;
}

static enum status bind_scalar(struct expr_context *context, const struct ast_expr *ast,
                               struct str name, const struct expr **out, struct err *err)
{
    const struct ast_call *call = &ast->as.call;
    struct function_options options = {0};
    struct expr_list args;
    TRY(bind_arguments(context, call, &options, &args, err));
    if (call->form == AST_CALL_TO_INTERVAL) {
        return bind_interval(context, ast, args.items[0], out, err);
    }
    if (call->form == AST_CALL_MINUS) {
        options.unit = unit_of(call->interval.from);
        options.unit_to = unit_of(call->interval.to);
        name = STR_LIT("-");
    }
    if (call->form == AST_CALL_USING) {
        return NOT_YET(err, ast->at, "%.*s ... USING is not supported yet", STR_ARGS(name));
    }
    return bind_expr_resolve(context->binder, arena_str(context->binder->arena, name).ptr, args,
                             &options, ast->at, out, err);
}

enum status bind_call(struct expr_context *context, const struct ast_expr *ast,
                      const struct expr **out, struct err *err)
{
    const struct ast_call *call = &ast->as.call;
    struct str name = call->name.parts[call->name.count - 1].text;
    TRY(refuse_special(context, ast, name, err));
    if (call->name.count == 1 && aggregate_exists(name)) {
        return bind_aggregate_call(context, ast, out, err);
    }
    TRY(refuse_clauses(call, ast->at, name, err));
    if (call->name.count > 1) {
        return REFUSE(err, call->name.at,
                      "function '%.*s' does not exist: there are no functions "
                      "in catalogs yet",
                      STR_ARGS(name));
    }
    return bind_scalar(context, ast, name, out, err);
}

// JSON ---------------------------------------------------------------------------------------

static enum function_json_behaviour behaviour_of(enum ast_json_behavior behavior,
                                                 enum function_json_behaviour unsaid)
{
    switch (behavior) {
    case AST_JSON_UNSAID: return unsaid;
    case AST_JSON_ERROR: return FUNCTION_JSON_ERROR;
    case AST_JSON_NULL: return FUNCTION_JSON_NULL;
    case AST_JSON_DEFAULT: return FUNCTION_JSON_DEFAULT;
    case AST_JSON_TRUE: return FUNCTION_JSON_TRUE;
    case AST_JSON_FALSE: return FUNCTION_JSON_FALSE;
    case AST_JSON_UNKNOWN: return FUNCTION_JSON_UNKNOWN;
    case AST_JSON_EMPTY_ARRAY: return FUNCTION_JSON_EMPTY_ARRAY;
    case AST_JSON_EMPTY_OBJECT: return FUNCTION_JSON_EMPTY_OBJECT;
    case AST_JSON_ABSENT: return FUNCTION_JSON_ABSENT;
    }
    return unsaid;
}

static enum function_json_wrapper wrapper_of(enum ast_json_wrapper wrapper)
{
    switch (wrapper) {
    case AST_JSON_WRAPPER_UNSAID:
    case AST_JSON_WRAPPER_WITHOUT: break;
    case AST_JSON_WRAPPER_CONDITIONAL: return FUNCTION_JSON_CONDITIONAL_WRAPPER;
    case AST_JSON_WRAPPER_UNCONDITIONAL: return FUNCTION_JSON_UNCONDITIONAL_WRAPPER;
    }
    return FUNCTION_JSON_WITHOUT_WRAPPER;
}

enum status bind_call_json(struct expr_context *context, const struct ast_expr *ast,
                           const struct expr **out, struct err *err)
{
    const struct ast_json *json = &ast->as.json;
    struct str name = json->name.text;
    bool is_array = str_is_nocase(name, "JSON_ARRAY");
    if (json->over != NULL || json->filter != NULL || json->order_by.count > 0 ||
        str_is_nocase(name, "JSON_OBJECTAGG") || str_is_nocase(name, "JSON_ARRAYAGG")) {
        return NOT_YET(err, ast->at, "%.*s as an aggregate is not supported yet", STR_ARGS(name));
    }
    bool is_exists = str_is_nocase(name, "JSON_EXISTS");
    struct function_options options = {
        .json_on_empty = behaviour_of(json->on_empty, FUNCTION_JSON_NULL),
        .json_on_error =
            behaviour_of(json->on_error, is_exists ? FUNCTION_JSON_FALSE : FUNCTION_JSON_NULL),
        .json_on_null =
            behaviour_of(json->on_null, is_array ? FUNCTION_JSON_ABSENT : FUNCTION_JSON_NULL),
        .json_wrapper = wrapper_of(json->wrapper),
    };
    if (json->returning != NULL) {
        TRY(bind_type(context->binder->arena, json->returning, &options.target, err));
    }
    const struct expr **args =
        arena_new_array(context->binder->arena, const struct expr *, json->args.count + 2);
    uint32_t count = 0;
    for (; count < json->args.count; count++) {
        TRY(bind_expr(context, json->args.items[count], &args[count], err));
    }
    const struct ast_expr *defaults[] = {json->default_on_empty, json->default_on_error};
    for (uint32_t i = 0; i < 2; i++) {
        if (defaults[i] != NULL) {
            TRY(bind_expr(context, defaults[i], &args[count++], err));
        }
    }
    struct expr_list list = {args, count};
    return bind_expr_resolve(context->binder, arena_str(context->binder->arena, name).ptr, list,
                             &options, ast->at, out, err);
}
