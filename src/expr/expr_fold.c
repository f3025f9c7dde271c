// SPDX-License-Identifier: Apache-2.0
//
// Folding: constant parts are computed once, by the same programs that run over batches.
#include "base/arena.h"
#include "data/batch.h"
#include "expr/expr.h"
#include "expr/function.h"
#include "expr/program.h"
#include "expr/program_int.h"

enum status expr_evaluate(struct arena *arena, const struct expr *expr,
                          const struct expr_settings *settings, struct column *out, struct err *err)
{
    struct program *program;
    TRY(program_compile_plain(&expr, 1, settings, &program, err));
    struct batch one = {.row_count = 1};
    struct column column;
    enum status status = program_run(program, &one, NULL, &column, err);
    if (status == STATUS_OK) {
        *out = column_copy(arena, &column);
        if (out->encoding != ENCODING_CONST) {
            *out = column_flatten(arena, out);
            out->encoding = ENCODING_CONST;
        }
    }
    program_free(program);
    return status;
}

// Constant, but for a call whose value depends on the session's zone where none is known.
static bool can_fold(const struct expr *expr, const struct expr_settings *settings)
{
    return expr->kind == EXPR_CALL && settings != NULL && expr_is_constant(expr);
}

const struct expr *expr_fold(struct arena *arena, const struct expr *expr,
                             const struct expr_settings *settings)
{
    if (expr->kind != EXPR_CALL) {
        return expr;
    }
    struct column value;
    if (can_fold(expr, settings) &&
        expr_evaluate(arena, expr, settings, &value, NULL) == STATUS_OK) {
        const struct expr *literal = expr_literal(arena, expr->type, &value);
        return expr_at(arena, literal, expr->offset, expr->length);
    }
    const struct expr **args = NULL;
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        const struct expr *arg = expr_fold(arena, expr->args[i], settings);
        if (arg != expr->args[i] && args == NULL) {
            args = arena_new_array(arena, const struct expr *, expr->arg_count);
            for (uint32_t k = 0; k < expr->arg_count; k++) {
                args[k] = expr->args[k];
            }
        }
        if (args != NULL) {
            args[i] = arg;
        }
    }
    if (args == NULL) {
        return expr;
    }
    struct expr *copy = arena_copy(arena, expr, sizeof *expr);
    copy->args = args;
    return copy;
}
