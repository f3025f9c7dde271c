// SPDX-License-Identifier: Apache-2.0
//
// Folding: constant parts are computed once, by the same programs that run over batches.
#include <string.h>

#include "base/arena.h"
#include "data/batch.h"
#include "data/float_text.h"
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

// Flink keeps folded constants as decimal numbers: FLOAT with seven digits, unless it is cast from
// an exact number, zeros without a sign (fixtures/flink-answers, surprise 8). Columns are not
// touched.
static const struct expr *folded_literal(struct arena *arena, const struct expr *expr,
                                         const struct column *value)
{
    struct column kept = *value;
    double wide;
    float narrow;
    if (!column_is_null(value, 0) && value->physical == PHYSICAL_F64) {
        memcpy(&wide, value->values, sizeof wide);
        wide += 0.0; // -0 becomes 0
        kept.values = &wide;
    } else if (!column_is_null(value, 0) && value->physical == PHYSICAL_F32 &&
               !(expr->options->target != NULL && type_is_exact(expr->args[0]->type))) {
        memcpy(&narrow, value->values, sizeof narrow);
        char text[32];
        (void)snprintf(text, sizeof text, "%.6e", (double)narrow);
        narrow = strtof(text, NULL) + 0.0F;
        kept.values = &narrow;
    }
    const struct expr *literal = expr_literal(arena, expr->type, &kept);
    return expr_at(arena, literal, expr->offset, expr->length);
}

// A FLOAT constant that is cast to a wider number goes by its decimal digits: 0.1, not
// 0.10000000149.
static const struct expr *widened_float(struct arena *arena, const struct expr *expr)
{
    const struct expr *arg = expr->arg_count == 1 ? expr->args[0] : NULL;
    bool is_cast = expr->options->target != NULL &&
                   (expr->type->kind == TYPE_DOUBLE || expr->type->kind == TYPE_DECIMAL);
    if (!is_cast || arg == NULL || arg->kind != EXPR_LITERAL || arg->type->kind != TYPE_FLOAT ||
        column_is_null(arg->value, 0)) {
        return expr;
    }
    char text[FLOAT_TEXT_MAX];
    uint32_t size = float_text_f32(*(const float *)arg->value->values, text);
    double value;
    if (!float_text_parse_f64(str_make(text, size), &value)) {
        return expr;
    }
    const struct expr **args = arena_new_array(arena, const struct expr *, 1);
    args[0] = expr_literal_double(arena, value);
    struct expr *copy = arena_copy(arena, expr, sizeof *expr);
    copy->args = args;
    return copy;
}

static const struct expr *fold_args(struct arena *arena, const struct expr *expr,
                                    const struct expr_settings *settings)
{
    const struct expr **args = NULL;
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        const struct expr *arg = expr_fold(arena, expr->args[i], settings);
        if (arg != expr->args[i] && args == NULL) {
            args = arena_new_array(arena, const struct expr *, expr->arg_count);
            memcpy(args, expr->args, sizeof *args * expr->arg_count);
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

const struct expr *expr_fold(struct arena *arena, const struct expr *expr,
                             const struct expr_settings *settings)
{
    if (expr->kind != EXPR_CALL || settings == NULL) {
        return expr;
    }
    expr = fold_args(arena, expr, settings);
    if (!expr_is_constant(expr)) {
        return expr;
    }
    struct column value;
    if (expr_evaluate(arena, widened_float(arena, expr), settings, &value, NULL) != STATUS_OK) {
        return expr;
    }
    return folded_literal(arena, expr, &value);
}
