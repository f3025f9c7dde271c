// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "data/column.h"
#include "expr/expr.h"
#include "expr/function.h"

static void print_text(struct strbuf *out, struct str text)
{
    strbuf_add_byte(out, '\'');
    for (size_t i = 0; i < text.size; i++) {
        if (text.ptr[i] == '\'') {
            strbuf_add_byte(out, '\'');
        }
        strbuf_add_byte(out, text.ptr[i]);
    }
    strbuf_add_byte(out, '\'');
}

// A literal as CAST(... AS STRING) shows it, with its type where the text alone would mislead.
static void print_literal(struct strbuf *out, const struct expr *expr)
{
    if (expr_is_literal_null(expr)) {
        strbuf_add_text(out, "null:");
        type_print(out, expr->type);
        return;
    }
    if (type_is_character(expr->type)) {
        print_text(out, strview_str(column_value(expr->value, 0)));
        return;
    }
    struct arena arena;
    arena_init(&arena);
    const struct expr *text;
    struct column value;
    struct expr_settings settings = {0};
    if (expr_cast(&arena, expr, &type_string, &text, NULL) == STATUS_OK &&
        expr_evaluate(&arena, text, &settings, &value, NULL) == STATUS_OK &&
        !column_is_null(&value, 0)) {
        strbuf_add(out, strview_str(column_value(&value, 0)));
        if (!type_is_numeric(expr->type) && expr->type->kind != TYPE_BOOLEAN) {
            strbuf_add_byte(out, ':');
            type_print(out, type_with_null(&arena, expr->type, true));
        }
    } else {
        strbuf_add_text(out, "?");
    }
    arena_release(&arena);
}

static const char *unit_name(enum function_unit unit)
{
    static const char *const names[] = {
#define X(name) [FUNCTION_UNIT_##name] = #name,
        FUNCTION_UNIT_LIST(X)
#undef X
    };
    return names[unit];
}

static void print_arguments(struct strbuf *out, const struct expr *expr)
{
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        strbuf_add_text(out, i > 0 ? ", " : "");
        expr_print(out, expr->args[i]);
    }
}

// a AND b AND c, (a > b), a || b.
static void print_infix(struct strbuf *out, const struct expr *expr)
{
    strbuf_add_byte(out, '(');
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        if (i > 0) {
            strbuf_printf(out, " %s ", expr->function->name);
        }
        expr_print(out, expr->args[i]);
    }
    strbuf_add_byte(out, ')');
}

static void print_special(struct strbuf *out, const struct expr *expr)
{
    const char *name = expr->function->name;
    if (strcmp(name, "ITEM") == 0) {
        expr_print(out, expr->args[0]);
        strbuf_add_byte(out, '[');
        expr_print(out, expr->args[1]);
        strbuf_add_byte(out, ']');
        return;
    }
    if (strcmp(name, "FIELD") == 0) {
        expr_print(out, expr->args[0]);
        strbuf_add_byte(out, '.');
        strbuf_add(out, expr->options->field);
        return;
    }
    strbuf_printf(out, "%s(", name);
    if (expr->options->unit != FUNCTION_UNIT_NONE) {
        strbuf_printf(out, expr->arg_count > 0 ? "%s, " : "%s", unit_name(expr->options->unit));
    }
    if (strcmp(name, "CAST") == 0 || strcmp(name, "TRY_CAST") == 0) {
        expr_print(out, expr->args[0]);
        strbuf_add_text(out, " AS ");
        struct type type = *expr->type;
        type.nullable = true;
        type_print(out, &type);
    } else {
        print_arguments(out, expr);
    }
    strbuf_add_byte(out, ')');
}

static void print_call(struct strbuf *out, const struct expr *expr)
{
    switch (expr->function->syntax) {
    case FUNCTION_SYNTAX_BINARY: print_infix(out, expr); return;
    case FUNCTION_SYNTAX_PREFIX:
        strbuf_printf(out, "%s(", expr->function->name);
        print_arguments(out, expr);
        strbuf_add_byte(out, ')');
        return;
    case FUNCTION_SYNTAX_POSTFIX:
        expr_print(out, expr->args[0]);
        strbuf_printf(out, " %s", expr->function->name);
        return;
    case FUNCTION_SYNTAX_BARE:
    case FUNCTION_SYNTAX_CALL:
    case FUNCTION_SYNTAX_SPECIAL: print_special(out, expr); return;
    }
}

void expr_print(struct strbuf *out, const struct expr *expr)
{
    switch (expr->kind) {
    case EXPR_COLUMN: strbuf_add(out, expr->name); return;
    case EXPR_LITERAL: print_literal(out, expr); return;
    case EXPR_CALL: print_call(out, expr); return;
    }
}

struct str expr_text(struct arena *arena, const struct expr *expr)
{
    struct strbuf text;
    strbuf_init(&text, 1 << 20);
    expr_print(&text, expr);
    struct str copy = arena_str(arena, strbuf_str(&text));
    strbuf_release(&text);
    return copy;
}
