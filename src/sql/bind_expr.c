// SPDX-License-Identifier: Apache-2.0
//
// Scalar expressions: the syntax tree to calls of the function table. Calls by name are in
// bind_call.c.
#include "base/strbuf.h"
#include "sql/bind_int.h"
#include "sql/unparse.h"

enum status bind_expr_resolve(struct binder *binder, const char *name, struct expr_list args,
                              const struct function_options *options, struct ast_span at,
                              const struct expr **out, struct err *err)
{
    struct function_use use = {.arena = binder->arena,
                               .name = str_from(name),
                               .args = args,
                               .options = options,
                               .offset = at.offset,
                               .length = at.length};
    TRY(function_resolve(&use, out, err));
    *out = expr_at(binder->arena, *out, at.offset, at.length);
    return STATUS_OK;
}

enum status bind_expr_list(struct expr_context *context, const struct ast_exprs *list,
                           struct expr_list *out, struct err *err)
{
    const struct expr **items =
        arena_new_array(context->binder->arena, const struct expr *, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        TRY(bind_expr(context, list->items[i], &items[i], err));
    }
    *out = (struct expr_list){items, list->count};
    return STATUS_OK;
}

static enum status negate(struct expr_context *context, bool is_negated, struct ast_span at,
                          const struct expr **out, struct err *err)
{
    if (!is_negated) {
        return STATUS_OK;
    }
    const struct expr *args[] = {*out};
    return bind_expr_resolve(context->binder, "NOT", EXPR_LIST(args), NULL, at, out, err);
}

// The number behind minus signs; NULL: something else.
static const struct ast_expr *signed_literal(const struct ast_expr *ast, bool *negative)
{
    while (ast->kind == AST_EXPR_UNARY && ast->as.unary.op == AST_UNARY_MINUS) {
        *negative = !*negative;
        ast = ast->as.unary.operand;
    }
    bool is_number =
        ast->kind == AST_EXPR_LITERAL && (ast->as.literal.kind == AST_LITERAL_EXACT ||
                                          ast->as.literal.kind == AST_LITERAL_APPROXIMATE ||
                                          ast->as.literal.kind == AST_LITERAL_INTERVAL);
    return is_number ? ast : NULL;
}

static enum status bind_unary(struct expr_context *context, const struct ast_expr *ast,
                              const struct expr **out, struct err *err)
{
    static const char *const names[] = {
        [AST_UNARY_PLUS] = "+", [AST_UNARY_MINUS] = "-", [AST_UNARY_NOT] = "NOT"};
    // -2147483648 is an INT, although 2147483648 is none.
    bool negative = false;
    const struct ast_expr *literal = signed_literal(ast, &negative);
    if (literal != NULL && literal != ast) {
        return bind_literal(context->binder->arena, literal, negative, out, err);
    }
    const struct expr *args[1];
    TRY(bind_expr(context, ast->as.unary.operand, &args[0], err));
    return bind_expr_resolve(context->binder, names[ast->as.unary.op], EXPR_LIST(args), NULL,
                             ast->at, out, err);
}

static const char *binary_name(enum ast_binary_op op)
{
    static const char *const names[] = {
#define X(name, sql) [AST_BINARY_##name] = (sql),
        AST_BINARY_LIST(X)
#undef X
    };
    return names[op];
}

static void note_never_equal(const struct expr_context *context, const struct ast_expr *ast,
                             const struct expr *const *args)
{
    enum ast_binary_op op = ast->as.binary.op;
    bool is_first = args[0]->type->kind == TYPE_BOOLEAN && type_is_character(args[1]->type);
    bool is_second = args[1]->type->kind == TYPE_BOOLEAN && type_is_character(args[0]->type);
    if ((op == AST_BINARY_EQ || op == AST_BINARY_NE) && (is_first || is_second)) {
        struct str text = context->binder->text;
        bind_note(context->binder,
                  "%.*s: a BOOLEAN is equal to no text, as in Flink; write TRUE or FALSE, or "
                  "CAST(... AS BOOLEAN)",
                  STR_ARGS(str_slice(text, ast->at.offset, ast->at.offset + ast->at.length)));
    }
}

static enum status bind_binary(struct expr_context *context, const struct ast_expr *ast,
                               const struct expr **out, struct err *err)
{
    const struct expr *args[2];
    TRY(bind_expr(context, ast->as.binary.left, &args[0], err));
    TRY(bind_expr(context, ast->as.binary.right, &args[1], err));
    const char *name = binary_name(ast->as.binary.op);
    if (function_find(str_from(name), 2) == NULL) {
        return NOT_YET(err, ast->as.binary.op_at, "operator %s is not supported yet", name);
    }
    TRY(bind_expr_resolve(context->binder, name, EXPR_LIST(args), NULL, ast->at, out, err));
    note_never_equal(context, ast, args);
    return STATUS_OK;
}

static enum status bind_is(struct expr_context *context, const struct ast_expr *ast,
                           const struct expr **out, struct err *err)
{
    static const struct {
        const char *name;
        const char *negated; // NULL: NOT of it
        enum function_json_kind json_kind;
    } forms[] = {
        [AST_IS_NULL] = {"IS NULL", "IS NOT NULL", FUNCTION_JSON_KIND_VALUE},
        [AST_IS_TRUE] = {"IS TRUE", "IS NOT TRUE", FUNCTION_JSON_KIND_VALUE},
        [AST_IS_FALSE] = {"IS FALSE", "IS NOT FALSE", FUNCTION_JSON_KIND_VALUE},
        [AST_IS_UNKNOWN] = {"IS UNKNOWN", "IS NOT UNKNOWN", FUNCTION_JSON_KIND_VALUE},
        [AST_IS_A_SET] = {"IS A SET", NULL, FUNCTION_JSON_KIND_VALUE},
        [AST_IS_EMPTY] = {"IS EMPTY", NULL, FUNCTION_JSON_KIND_VALUE},
        [AST_IS_JSON] = {"IS JSON", NULL, FUNCTION_JSON_KIND_VALUE},
        [AST_IS_JSON_OBJECT] = {"IS JSON", NULL, FUNCTION_JSON_KIND_OBJECT},
        [AST_IS_JSON_ARRAY] = {"IS JSON", NULL, FUNCTION_JSON_KIND_ARRAY},
        [AST_IS_JSON_SCALAR] = {"IS JSON", NULL, FUNCTION_JSON_KIND_SCALAR},
        [AST_IS_NORMALIZED] = {"IS NORMALIZED", NULL, FUNCTION_JSON_KIND_VALUE},
    };
    const struct expr *args[1];
    TRY(bind_expr(context, ast->as.is.value, &args[0], err));
    const char *positive = forms[ast->as.is.what].name;
    const char *negative = forms[ast->as.is.what].negated;
    bool has_negative =
        ast->as.is.negated && negative != NULL && function_find(str_from(negative), 1) != NULL;
    const char *name = has_negative ? negative : positive;
    if (function_find(str_from(name), 1) == NULL) {
        return NOT_YET(err, ast->at, "%s is not supported yet", name);
    }
    struct function_options options = {.json_kind = forms[ast->as.is.what].json_kind};
    TRY(bind_expr_resolve(context->binder, name, EXPR_LIST(args), &options, ast->at, out, err));
    return negate(context, ast->as.is.negated && !has_negative, ast->at, out, err);
}

static enum status bind_between(struct expr_context *context, const struct ast_expr *ast,
                                const struct expr **out, struct err *err)
{
    const struct expr *args[3];
    TRY(bind_expr(context, ast->as.between.value, &args[0], err));
    TRY(bind_expr(context, ast->as.between.low, &args[1], err));
    TRY(bind_expr(context, ast->as.between.high, &args[2], err));
    const char *name = ast->as.between.symmetric ? "BETWEEN SYMMETRIC" : "BETWEEN";
    TRY(bind_expr_resolve(context->binder, name, EXPR_LIST(args), NULL, ast->at, out, err));
    return negate(context, ast->as.between.negated, ast->at, out, err);
}

static enum status bind_in(struct expr_context *context, const struct ast_expr *ast,
                           const struct expr **out, struct err *err)
{
    if (ast->as.in.query != NULL) {
        return NOT_YET(err, ast->at, "IN with a subquery is not supported yet");
    }
    uint32_t count = ast->as.in.list.count + 1;
    const struct expr **args = arena_new_array(context->binder->arena, const struct expr *, count);
    TRY(bind_expr(context, ast->as.in.value, &args[0], err));
    for (uint32_t i = 1; i < count; i++) {
        TRY(bind_expr(context, ast->as.in.list.items[i - 1], &args[i], err));
    }
    struct expr_list list = {args, count};
    TRY(bind_expr_resolve(context->binder, "IN", list, NULL, ast->at, out, err));
    return negate(context, ast->as.in.negated, ast->at, out, err);
}

static enum status bind_like(struct expr_context *context, const struct ast_expr *ast,
                             const struct expr **out, struct err *err)
{
    static const char *const names[] = {[AST_LIKE] = "LIKE",
                                        [AST_ILIKE] = "ILIKE",
                                        [AST_RLIKE] = "RLIKE",
                                        [AST_SIMILAR] = "SIMILAR TO"};
    const struct expr *args[3];
    uint32_t count = 2;
    TRY(bind_expr(context, ast->as.like.value, &args[0], err));
    TRY(bind_expr(context, ast->as.like.pattern, &args[1], err));
    if (ast->as.like.escape != NULL) {
        TRY(bind_expr(context, ast->as.like.escape, &args[2], err));
        count = 3;
    }
    const char *name = names[ast->as.like.how];
    if (function_find(str_from(name), count) == NULL) {
        return NOT_YET(err, ast->at, "%s is not supported yet", name);
    }
    struct expr_list list = {args, count};
    TRY(bind_expr_resolve(context->binder, name, list, NULL, ast->at, out, err));
    return negate(context, ast->as.like.negated, ast->at, out, err);
}

// CASE x WHEN v THEN … is CASE WHEN x = v THEN …
static enum status bind_when(struct expr_context *context, const struct expr *operand,
                             const struct ast_expr *when, const struct expr **out, struct err *err)
{
    if (operand == NULL) {
        return bind_expr_condition(context, when, out, err);
    }
    const struct expr *args[2] = {operand};
    TRY(bind_expr(context, when, &args[1], err));
    return bind_expr_resolve(context->binder, "=", EXPR_LIST(args), NULL, when->at, out, err);
}

static enum status bind_case(struct expr_context *context, const struct ast_expr *ast,
                             const struct expr **out, struct err *err)
{
    struct arena *arena = context->binder->arena;
    uint32_t count = 2 * ast->as.cases.when_count + 1;
    const struct expr **args = arena_new_array(arena, const struct expr *, count);
    const struct expr *operand = NULL;
    if (ast->as.cases.operand != NULL) {
        TRY(bind_expr(context, ast->as.cases.operand, &operand, err));
    }
    for (uint32_t i = 0; i < ast->as.cases.when_count; i++) {
        const struct ast_when *when = &ast->as.cases.whens[i];
        TRY(bind_when(context, operand, when->condition, &args[2 * (size_t)i], err));
        TRY(bind_expr(context, when->result, &args[2 * (size_t)i + 1], err));
    }
    if (ast->as.cases.otherwise != NULL) {
        TRY(bind_expr(context, ast->as.cases.otherwise, &args[count - 1], err));
    } else {
        args[count - 1] = expr_null(arena, &type_null);
    }
    struct expr_list list = {args, count};
    return bind_expr_resolve(context->binder, "CASE", list, NULL, ast->at, out, err);
}

static enum status bind_cast(struct expr_context *context, const struct ast_expr *ast,
                             const struct expr **out, struct err *err)
{
    if (ast->as.cast.format.at.length > 0) {
        return NOT_YET(err, ast->as.cast.format.at, "CAST with a FORMAT is not supported yet");
    }
    const struct expr *args[1];
    TRY(bind_expr(context, ast->as.cast.value, &args[0], err));
    struct function_options options = {0};
    TRY(bind_type(context->binder->arena, ast->as.cast.type, &options.target, err));
    const char *name = ast->as.cast.how == AST_TRY_CAST ? "TRY_CAST" : "CAST";
    return bind_expr_resolve(context->binder, name, EXPR_LIST(args), &options, ast->at, out, err);
}

static enum status bind_constructor(struct expr_context *context, const char *name,
                                    const struct ast_exprs *list, struct ast_span at,
                                    const struct expr **out, struct err *err)
{
    struct expr_list args;
    TRY(bind_expr_list(context, list, &args, err));
    return bind_expr_resolve(context->binder, name, args, NULL, at, out, err);
}

static enum status bind_element(struct expr_context *context, const struct ast_expr *ast,
                                const struct expr **out, struct err *err)
{
    const struct expr *args[2];
    TRY(bind_expr(context, ast->as.element.base, &args[0], err));
    TRY(bind_expr(context, ast->as.element.index, &args[1], err));
    return bind_expr_resolve(context->binder, "ITEM", EXPR_LIST(args), NULL, ast->at, out, err);
}

static enum status bind_field(struct expr_context *context, const struct ast_expr *ast,
                              const struct expr **out, struct err *err)
{
    if (ast->as.field.star) {
        return REFUSE(err, ast->at, "'.*' belongs into a SELECT list");
    }
    const struct expr *args[1];
    TRY(bind_expr(context, ast->as.field.base, &args[0], err));
    struct function_options options = {.field = ast->as.field.name.text};
    return bind_expr_resolve(context->binder, "FIELD", EXPR_LIST(args), &options, ast->at, out,
                             err);
}

// What is in the grammar and cannot run: by name.
static enum status refuse(const struct ast_expr *ast, struct err *err)
{
    static const char *const names[] = {
        [AST_EXPR_QUANTIFIED] = "SOME and ALL",
        [AST_EXPR_EXISTS] = "EXISTS",
        [AST_EXPR_UNIQUE] = "UNIQUE",
        [AST_EXPR_SUBQUERY] = "a subquery as a value",
        [AST_EXPR_MULTISET] = "MULTISET",
        [AST_EXPR_ARRAY_QUERY] = "ARRAY of a query",
        [AST_EXPR_MAP_QUERY] = "MAP of a query",
        [AST_EXPR_MULTISET_QUERY] = "MULTISET of a query",
        [AST_EXPR_NAMED_ARG] = "a named argument here",
        [AST_EXPR_TABLE_ARG] = "a table as an argument here",
        [AST_EXPR_MODEL_ARG] = "a model",
        [AST_EXPR_CURSOR] = "CURSOR",
        [AST_EXPR_NEXT_VALUE] = "NEXT VALUE FOR",
        [AST_EXPR_PERIOD] = "PERIOD",
    };
    const char *name = ast->kind < sizeof names / sizeof *names ? names[ast->kind] : NULL;
    if (name == NULL) {
        return REFUSE(err, ast->at, "this does not stand for a value here");
    }
    return NOT_YET(err, ast->at, "%s is not supported yet", name);
}

// In a view's text a column gets the name of its table in front.
static void record_column(struct binder *binder, const struct scope *scope,
                          const struct ast_path *path, uint32_t id)
{
    for (uint32_t i = 0; i < scope->table_count; i++) {
        const struct scope_table *table = &scope->tables[i];
        for (uint32_t k = 0; k < table->column_count; k++) {
            if (table->columns[k].id != id || table->alias.size == 0 ||
                !str_equal(table->columns[k].name, path->parts[0].text)) {
                continue;
            }
            struct strbuf text;
            strbuf_init(&text, 1 << 16);
            unparse_name(&text, table->alias);
            strbuf_add_byte(&text, '.');
            unparse_path(&text, path);
            bind_edit_add(binder, path->at, strbuf_str(&text));
            strbuf_release(&text);
            return;
        }
    }
}

static enum status bind_column(struct expr_context *context, const struct ast_expr *ast,
                               const struct expr **out, struct err *err)
{
    struct binder *binder = context->binder;
    enum status status = bind_scope_resolve(binder, context->scope, &ast->as.path, out, err);
    if (status != STATUS_OK && ast->as.path.count == 1 &&
        str_is_nocase(ast->as.path.parts[0].text, "PI")) { // the one function without parentheses
        struct expr_list none = {0};
        return bind_expr_resolve(binder, "PI", none, NULL, ast->at, out, err);
    }
    TRY(status);
    const struct expr *column = *out;
    while (column->kind == EXPR_CALL) {
        column = column->args[0];
    }
    if (binder->records_edits) {
        record_column(binder, context->scope, &ast->as.path, column->column_id);
    }
    return STATUS_OK;
}

enum status bind_expr(struct expr_context *context, const struct ast_expr *ast,
                      const struct expr **out, struct err *err)
{
    struct binder *binder = context->binder;
    switch (ast->kind) {
    case AST_EXPR_LITERAL: return bind_literal(binder->arena, ast, false, out, err);
    case AST_EXPR_COLUMN: return bind_column(context, ast, out, err);
    case AST_EXPR_STAR: return REFUSE(err, ast->at, "'*' does not stand for a value here");
    case AST_EXPR_UNARY: return bind_unary(context, ast, out, err);
    case AST_EXPR_BINARY: return bind_binary(context, ast, out, err);
    case AST_EXPR_IS: return bind_is(context, ast, out, err);
    case AST_EXPR_BETWEEN: return bind_between(context, ast, out, err);
    case AST_EXPR_IN: return bind_in(context, ast, out, err);
    case AST_EXPR_LIKE: return bind_like(context, ast, out, err);
    case AST_EXPR_CASE: return bind_case(context, ast, out, err);
    case AST_EXPR_CAST: return bind_cast(context, ast, out, err);
    case AST_EXPR_CALL: return bind_call(context, ast, out, err);
    case AST_EXPR_JSON: return bind_call_json(context, ast, out, err);
    case AST_EXPR_ROW:
        return bind_constructor(context, "ROW", &ast->as.row.fields, ast->at, out, err);
    case AST_EXPR_ARRAY:
        return bind_constructor(context, "ARRAY", &ast->as.list, ast->at, out, err);
    case AST_EXPR_MAP: return bind_constructor(context, "MAP", &ast->as.list, ast->at, out, err);
    case AST_EXPR_ELEMENT: return bind_element(context, ast, out, err);
    case AST_EXPR_FIELD: return bind_field(context, ast, out, err);
    case AST_EXPR_QUANTIFIED:
    case AST_EXPR_EXISTS:
    case AST_EXPR_UNIQUE:
    case AST_EXPR_SUBQUERY:
    case AST_EXPR_MULTISET:
    case AST_EXPR_ARRAY_QUERY:
    case AST_EXPR_MAP_QUERY:
    case AST_EXPR_MULTISET_QUERY:
    case AST_EXPR_UNIT:
    case AST_EXPR_SYMBOL:
    case AST_EXPR_NAMED_ARG:
    case AST_EXPR_TABLE_ARG:
    case AST_EXPR_DESCRIPTOR:
    case AST_EXPR_MODEL_ARG:
    case AST_EXPR_DEFAULT:
    case AST_EXPR_CURSOR:
    case AST_EXPR_NEXT_VALUE:
    case AST_EXPR_PERIOD:
    case AST_EXPR_PARAMETER: break;
    }
    return refuse(ast, err);
}

enum status bind_expr_condition(struct expr_context *context, const struct ast_expr *ast,
                                const struct expr **out, struct err *err)
{
    TRY(bind_expr(context, ast, out, err));
    enum type_kind kind = (*out)->type->kind;
    if (kind == TYPE_NULL) {
        *out = expr_null(context->binder->arena, &type_boolean);
    } else if (kind != TYPE_BOOLEAN) {
        struct str text = type_text(context->binder->arena, (*out)->type);
        return REFUSE(err, ast->at, "%s needs a BOOLEAN, and this is %.*s", context->clause,
                      STR_ARGS(text));
    }
    return STATUS_OK;
}
