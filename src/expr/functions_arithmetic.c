// SPDX-License-Identifier: Apache-2.0
//
// + - * / %, signs, and rounding. With intervals and times on a side, + and - are those of
// functions_temporal.c.
#include <math.h>

#include "base/arena.h"
#include "data/decimal.h"
#include "expr/binding.h"
#include "expr/derive.h"
#include "expr/families.h"
#include "expr/kernels.h"
#include "expr/rows.h"
#include "expr/temporal_bind.h"
#include "kernel/arith.h"

// The call with both arguments cast to `type`, its result cast back to `result`.
static enum status compute_as(struct function_binding *binding, const struct type *type,
                              const struct type *result, struct err *err)
{
    TRY(binding_cast_all(binding, 0, type, err));
    struct expr_list args = {binding->args, binding->arg_count};
    const struct expr *computed;
    TRY(expr_call(binding->arena, binding->function->name, args, &computed, err));
    return expr_cast(binding->arena, computed, result, &binding->other, err);
}

static enum status resolve_numbers(struct function_binding *binding, enum derive_operator operation,
                                   struct err *err)
{
    const struct type *a = binding_type(binding, 0);
    const struct type *b = binding_type(binding, 1);
    const struct type *type = derive_arithmetic(binding->arena, operation, a, b);
    if (type == NULL) {
        return binding_refuse(binding, err);
    }
    if (type->kind == TYPE_FLOAT && (a->kind == TYPE_DOUBLE || b->kind == TYPE_DOUBLE)) {
        return compute_as(binding, &type_double, type, err);
    }
    if (type->kind == TYPE_DECIMAL) {
        binding->type = type; // any exact arguments as they are
        return STATUS_OK;
    }
    if (operation == DERIVE_MOD && (a->kind == TYPE_DECIMAL || b->kind == TYPE_DECIMAL)) {
        // Of scale 0: as decimals of 38 digits, of which the second type is enough to hold all.
        const struct type *wide = type_decimal(binding->arena, 38, 0, true);
        struct function_binding inner = *binding;
        inner.args = arena_copy(binding->arena, binding->args, 2 * sizeof *binding->args);
        TRY(binding_cast(&inner, 0, wide, err));
        struct expr *mod = arena_new(binding->arena, struct expr);
        *mod = (struct expr){.kind = EXPR_CALL,
                             .type = type_with_null(binding->arena, wide, type->nullable),
                             .function = binding->function,
                             .args = inner.args,
                             .arg_count = 2,
                             .options = binding->options};
        return expr_cast(binding->arena, mod, type, &binding->other, err);
    }
    if (operation == DERIVE_MOD && a->kind > b->kind) {
        return compute_as(binding, a, type, err);
    }
    TRY(binding_cast_all(binding, 0, type, err));
    binding->type = type;
    return STATUS_OK;
}

static enum status resolve_plus(struct function_binding *binding, struct err *err)
{
    if (temporal_bind_is_for(binding)) {
        return temporal_bind_plus(binding, err);
    }
    return resolve_numbers(binding, DERIVE_PLUS, err);
}

static enum status resolve_minus(struct function_binding *binding, struct err *err)
{
    if (temporal_bind_is_for(binding)) {
        return temporal_bind_minus(binding, err);
    }
    return resolve_numbers(binding, DERIVE_PLUS, err);
}

static enum status resolve_times(struct function_binding *binding, struct err *err)
{
    if (temporal_bind_is_for(binding)) {
        return temporal_bind_times(binding, err);
    }
    return resolve_numbers(binding, DERIVE_TIMES, err);
}

static enum status resolve_divide(struct function_binding *binding, struct err *err)
{
    return resolve_numbers(binding, DERIVE_DIVIDE, err);
}

static enum status resolve_mod(struct function_binding *binding, struct err *err)
{
    return resolve_numbers(binding, DERIVE_MOD, err);
}

static enum status evaluate_arith(struct function_call *call, enum arith_op op, struct column *out,
                                  struct err *err)
{
    struct kernel_run run = kernels_begin(call);
    const struct type *type = call->expr->type;
    if (type->kind == TYPE_DECIMAL) {
        struct arith_decimal decimal = {.a_scale = derive_scale(call->expr->args[0]->type),
                                        .b_scale = derive_scale(call->expr->args[1]->type),
                                        .precision = type->length,
                                        .scale = type->scale};
        arith_decimal(&run, op, &call->args[0], &call->args[1], &decimal, out);
    } else {
        arith_binary(&run, op, &call->args[0], &call->args[1], out);
    }
    return kernels_end(call, &run, err);
}

static enum status evaluate_plus(struct function_call *call, struct column *out, struct err *err)
{
    if (temporal_bind_is_time(call->expr->type)) {
        return temporal_bind_evaluate(call, false, out, err);
    }
    return evaluate_arith(call, ARITH_ADD, out, err);
}

static enum status evaluate_minus(struct function_call *call, struct column *out, struct err *err)
{
    if (temporal_bind_is_time(call->expr->type)) {
        return temporal_bind_evaluate(call, true, out, err);
    }
    if (temporal_bind_is_time(call->expr->args[0]->type)) {
        return temporal_bind_difference(call, out, err);
    }
    return evaluate_arith(call, ARITH_SUB, out, err);
}

static enum status evaluate_times(struct function_call *call, struct column *out, struct err *err)
{
    return evaluate_arith(call, ARITH_MUL, out, err);
}

// Flink computes constants as decimals, so that 1E0 / 0 fails where a column would give Infinity.
static void prepare_divide(struct arena *arena, const struct expr *expr,
                           const struct expr_settings *settings, void **state)
{
    (void)settings;
    if (type_is_approximate(expr->type) && expr_is_constant(expr)) {
        *state = arena_alloc(arena, 1);
    }
}

static enum status evaluate_divide(struct function_call *call, struct column *out, struct err *err)
{
    if (call->state != NULL && call->row_count > 0) {
        const void *divisor = column_value(&call->args[1], 0);
        double value = call->args[1].physical == PHYSICAL_F32 ? (double)*(const float *)divisor
                                                              : *(const double *)divisor;
        if (value == 0) {
            call->error_row = 0;
            return ERR(err, STATUS_INVALID_DATA, "division by zero");
        }
    }
    return evaluate_arith(call, ARITH_DIV, out, err);
}

static enum status evaluate_mod(struct function_call *call, struct column *out, struct err *err)
{
    return evaluate_arith(call, ARITH_MOD, out, err);
}

// Signs: numbers and intervals.
static enum status resolve_sign_of(struct function_binding *binding, struct err *err)
{
    const struct type *type = binding_type(binding, 0);
    if (!type_is_numeric(type) && type->kind != TYPE_INTERVAL_MONTH &&
        type->kind != TYPE_INTERVAL_SECOND) {
        return binding_refuse(binding, err);
    }
    binding->type = type;
    return STATUS_OK;
}

static enum status resolve_positive(struct function_binding *binding, struct err *err)
{
    TRY(resolve_sign_of(binding, err));
    binding->other = binding->args[0];
    return STATUS_OK;
}

static enum status evaluate_negate(struct function_call *call, struct column *out, struct err *err)
{
    struct kernel_run run = kernels_begin(call);
    arith_negate(&run, &call->args[0], out);
    return kernels_end(call, &run, err);
}

static enum status evaluate_abs(struct function_call *call, struct column *out, struct err *err)
{
    struct kernel_run run = kernels_begin(call);
    arith_abs(&run, &call->args[0], out);
    return kernels_end(call, &run, err);
}

static enum status resolve_sign(struct function_binding *binding, struct err *err)
{
    TRY(binding_match(binding, "N", err));
    binding->type = binding_type(binding, 0);
    return STATUS_OK;
}

static enum status evaluate_sign(struct function_call *call, struct column *out, struct err *err)
{
    struct kernel_run run = kernels_begin(call);
    int128 one = decimal_power(derive_scale(call->expr->args[0]->type));
    arith_sign(&run, &call->args[0], one, out);
    return kernels_end(call, &run, err);
}

// FLOOR and CEIL: of numbers, or of times to a unit.
static enum status resolve_floor(struct function_binding *binding, struct err *err)
{
    if (binding->options->unit != FUNCTION_UNIT_NONE) {
        return temporal_bind_floor(binding, err);
    }
    TRY(binding_match(binding, "N", err));
    const struct type *type = binding_type(binding, 0);
    binding->type = type->kind == TYPE_DECIMAL
                        ? type_decimal(binding->arena, type->length, 0, type->nullable)
                        : type;
    return STATUS_OK;
}

static enum status floor_ceil(struct function_call *call, enum arith_rounding rounding,
                              struct column *out, struct err *err)
{
    const struct type *type = call->expr->args[0]->type;
    struct kernel_run run = kernels_begin(call);
    if (call->expr->options->unit != FUNCTION_UNIT_NONE) {
        return temporal_bind_evaluate_floor(call, rounding == ARITH_CEIL, out, err);
    }
    if (type_is_integer(type)) {
        *out = call->args[0];
        return STATUS_OK;
    }
    if (type->kind == TYPE_DECIMAL) {
        struct arith_round_decimal options = {
            .rounding = rounding, .in_scale = type->scale, .precision = call->expr->type->length};
        arith_round_decimal(&run, &call->args[0], &options, out);
    } else {
        arith_floor_ceil(&run, rounding, &call->args[0], out);
    }
    return kernels_end(call, &run, err);
}

static enum status evaluate_floor(struct function_call *call, struct column *out, struct err *err)
{
    return floor_ceil(call, ARITH_FLOOR, out, err);
}

static enum status evaluate_ceil(struct function_call *call, struct column *out, struct err *err)
{
    return floor_ceil(call, ARITH_CEIL, out, err);
}

// ROUND(x), ROUND(x, n), TRUNCATE likewise. DECIMAL(p, s) to n digits: as many integer digits and
// one more for the carry.
static enum status resolve_round(struct function_binding *binding, struct err *err)
{
    TRY(binding_match(binding, "NI", err));
    const struct type *type = binding_type(binding, 0);
    if (binding->arg_count == 1) {
        const struct expr **args = arena_new_array(binding->arena, const struct expr *, 2);
        args[0] = binding->args[0];
        args[1] = expr_literal_int(binding->arena, 0);
        binding->args = args;
        binding->arg_count = 2;
    }
    int64_t digits;
    bool nullable = binding_nullable(binding);
    if (type->kind == TYPE_DECIMAL && binding_constant(binding, 1, &digits) &&
        digits < type->scale) {
        int32_t scale = digits < 0 ? 0 : (int32_t)digits;
        int32_t precision = 1 + type->length - type->scale + scale;
        type = type_decimal(binding->arena,
                            precision < TYPE_DECIMAL_PRECISION_MAX ? precision
                                                                   : TYPE_DECIMAL_PRECISION_MAX,
                            scale, nullable);
    }
    binding_result(binding, type, nullable);
    return STATUS_OK;
}

// Beyond a hundred digits nothing changes any more.
static int32_t digits_at(const struct function_call *call, uint32_t row)
{
    int64_t digits = rows_i64(call, 1, row);
    return (int32_t)(digits < -100 ? -100 : digits > 100 ? 100 : digits);
}

// Digits that differ by row: a row at a time.
static void round_decimal_rows(struct kernel_run *run, const struct function_call *call,
                               struct arith_round_decimal options, struct column *out)
{
    struct column *rows = arena_new_array(run->arena, struct column, run->row_count + 1);
    for (uint32_t row = 0; row < run->row_count; row++) {
        struct kernel_run one = {.arena = run->arena, .row_count = 1};
        struct column in = column_slice(run->arena, &call->args[0], row, 1);
        options.digits = digits_at(call, row);
        arith_round_decimal(&one, &in, &options, &rows[row]);
    }
    *out = column_concat(run->arena, rows, run->row_count);
}

// Rounding goes through decimal text, which NaN and infinities have not: an error, as in Flink.
static enum status refuse_infinite(struct function_call *call, struct err *err)
{
    if (!type_is_approximate(call->expr->args[0]->type)) {
        return STATUS_OK;
    }
    for (uint32_t row = 0; row < call->row_count; row++) {
        if (bits_get(call->active, row) && !isfinite(rows_f64(call, 0, row))) {
            call->error_row = row;
            return ERR(err, STATUS_INVALID_DATA, "%s: NaN and infinities cannot be rounded",
                       call->expr->function->name);
        }
    }
    return STATUS_OK;
}

static enum status evaluate_rounding(struct function_call *call, enum arith_rounding rounding,
                                     struct column *out, struct err *err)
{
    const struct type *in = call->expr->args[0]->type;
    struct kernel_run run = kernels_begin(call);
    if (in->kind != TYPE_DECIMAL) {
        TRY(refuse_infinite(call, err));
        arith_round(&run, rounding, &call->args[0], &call->args[1], out);
        return kernels_end(call, &run, err);
    }
    struct arith_round_decimal options = {.rounding = rounding,
                                          .in_scale = in->scale,
                                          .precision = call->expr->type->length,
                                          .scale = call->expr->type->scale};
    if (call->args[1].encoding == ENCODING_CONST) {
        options.digits = digits_at(call, 0);
        arith_round_decimal(&run, &call->args[0], &options, out);
    } else {
        round_decimal_rows(&run, call, options, out);
    }
    return kernels_end(call, &run, err);
}

static enum status evaluate_round(struct function_call *call, struct column *out, struct err *err)
{
    return evaluate_rounding(call, ARITH_ROUND, out, err);
}

static enum status evaluate_truncate(struct function_call *call, struct column *out,
                                     struct err *err)
{
    return evaluate_rounding(call, ARITH_TRUNCATE, out, err);
}

#define BINARY(text, resolver, evaluator, extra, words)                                            \
    .name = (text), .syntax = FUNCTION_SYNTAX_BINARY, .properties = FUNCTION_PURE | (extra),       \
    .args_min = 2, .args_max = 2, .resolve = (resolver), .evaluate = (evaluator), .doc = (words)
#define UNARY(text, resolver, evaluator, shape, words)                                             \
    .name = (text), .properties = FUNCTION_PURE, .args_min = 1, .args_max = 1,                     \
    .resolve = (resolver), .evaluate = (evaluator), .signature = (shape), .doc = (words)

static const struct function functions[] = {
    {BINARY("+", resolve_plus, evaluate_plus, FUNCTION_MONOTONIC,
            "the sum; integers wrap, a decimal that does not fit is NULL"),
     .signature = "<NUMERIC> + <NUMERIC>, <DATETIME> + <INTERVAL>, <INTERVAL> + <INTERVAL>"},
    {BINARY("-", resolve_minus, evaluate_minus, FUNCTION_MONOTONIC, "the difference"),
     .signature = "<NUMERIC> - <NUMERIC>, <DATETIME> - <INTERVAL>, <INTERVAL> - <INTERVAL>, "
                  "(<DATETIME> - <DATETIME>) <UNIT>"},
    {BINARY("*", resolve_times, evaluate_times, 0, "the product"),
     .signature = "<NUMERIC> * <NUMERIC>, <INTERVAL> * <INTEGER>"},
    {BINARY("/", resolve_divide, evaluate_divide, FUNCTION_CAN_ERROR,
            "the quotient; of integers cut towards zero; a zero divisor is an error"),
     .prepare = prepare_divide, .signature = "<NUMERIC> / <NUMERIC>"},
    {BINARY("%", resolve_mod, evaluate_mod, FUNCTION_CAN_ERROR,
            "the remainder, with the sign of the dividend"),
     .aliases = "MOD", .signature = "<EXACT NUMERIC> % <EXACT NUMERIC>"},
    {UNARY("-", resolve_sign_of, evaluate_negate, "- <NUMERIC>, - <INTERVAL>", "the negative"),
     .syntax = FUNCTION_SYNTAX_PREFIX},
    {UNARY("+", resolve_positive, NULL, "+ <NUMERIC>, + <INTERVAL>", "the same"),
     .syntax = FUNCTION_SYNTAX_PREFIX},
    {UNARY("ABS", resolve_sign_of, evaluate_abs, "ABS(<NUMERIC>), ABS(<INTERVAL>)",
           "the absolute value")},
    {UNARY("SIGN", resolve_sign, evaluate_sign, "SIGN(<NUMERIC>)", "-1, 0 or 1")},
    {UNARY("FLOOR", resolve_floor, evaluate_floor, "FLOOR(<NUMERIC>), FLOOR(<DATETIME> TO <UNIT>)",
           "the greatest whole number, or start of a unit of time, not above")},
    {UNARY("CEIL", resolve_floor, evaluate_ceil, "CEIL(<NUMERIC>), CEIL(<DATETIME> TO <UNIT>)",
           "the least whole number, or start of a unit of time, not below"),
     .aliases = "CEILING"},
    {.name = "ROUND",
     .properties = FUNCTION_PURE_CAN_ERROR,
     .args_min = 1,
     .args_max = 2,
     .resolve = resolve_round,
     .evaluate = evaluate_round,
     .signature = "ROUND(<NUMERIC> [, <INTEGER>])",
     .doc = "rounded half up to digits after the point"},
    {.name = "TRUNCATE",
     .properties = FUNCTION_PURE_CAN_ERROR,
     .args_min = 1,
     .args_max = 2,
     .resolve = resolve_round,
     .evaluate = evaluate_truncate,
     .signature = "TRUNCATE(<NUMERIC> [, <INTEGER>])",
     .doc = "cut to digits after the point"},
};

const struct function_family functions_arithmetic = {functions,
                                                     sizeof functions / sizeof *functions};
