// SPDX-License-Identifier: Apache-2.0
//
// Real functions and random numbers.
#include <math.h>
#include <sys/random.h>

#include "base/arena.h"
#include "expr/binding.h"
#include "expr/families.h"
#include "expr/kernels.h"
#include "expr/rows.h"
#include "kernel/math.h"

#define UNARY(op)                                                                                  \
    static enum status evaluate_##op(struct function_call *call, struct column *out,               \
                                     struct err *err)                                              \
    {                                                                                              \
        struct kernel_run run = kernels_begin(call);                                               \
        math_unary(&run, MATH_##op, &call->args[0], out);                                          \
        return kernels_end(call, &run, err);                                                       \
    }
MATH_LIST(UNARY)
#undef UNARY

#define BINARY(name, kernel)                                                                       \
    static enum status name(struct function_call *call, struct column *out, struct err *err)       \
    {                                                                                              \
        struct kernel_run run = kernels_begin(call);                                               \
        kernel(&run, &call->args[0], &call->args[1], out);                                         \
        return kernels_end(call, &run, err);                                                       \
    }
BINARY(evaluate_power, math_power)
BINARY(evaluate_atan2, math_atan2)
BINARY(evaluate_log_base, math_log)
#undef BINARY

// LOG(x) is LN(x); LOG(base, x).
static enum status evaluate_log(struct function_call *call, struct column *out, struct err *err)
{
    return call->arg_count == 1 ? evaluate_LN(call, out, err) : evaluate_log_base(call, out, err);
}

static enum status resolve_constant(struct function_binding *binding, struct err *err)
{
    (void)err;
    bool is_pi = binding->function->name[0] == 'P';
    binding->other = expr_literal_double(binding->arena, is_pi ? M_PI : M_E);
    return STATUS_OK;
}

// Java's java.util.Random, so that seeded sequences are Flink's.
struct random {
    uint64_t state; // 48 bits
};

static const uint64_t java_multiplier = UINT64_C(0x5DEECE66D);
static const uint64_t java_mask = (UINT64_C(1) << 48) - 1;

static int32_t java_next(struct random *random, int bits)
{
    random->state = (random->state * java_multiplier + 0xB) & java_mask;
    return (int32_t)(random->state >> (48 - bits));
}

static double java_next_double(struct random *random)
{
    int64_t high = (int64_t)java_next(random, 26) << 27;
    return (double)(high + java_next(random, 27)) * 0x1p-53;
}

// Precondition: bound > 0.
static int32_t java_next_int(struct random *random, int32_t bound)
{
    int32_t bits = java_next(random, 31);
    if ((bound & (bound - 1)) == 0) {
        return (int32_t)(((int64_t)bound * bits) >> 31);
    }
    int32_t value = bits % bound;
    while ((int64_t)bits - value + (bound - 1) > INT32_MAX) {
        bits = java_next(random, 31);
        value = bits % bound;
    }
    return value;
}

// The seed is the first argument, where there is one too many for the rest.
static void prepare_random(struct arena *arena, const struct expr *expr,
                           const struct expr_settings *settings, void **state)
{
    (void)settings;
    struct random *random = arena_new(arena, struct random);
    uint32_t unseeded = expr->function->name[4] == '_' ? 1 : 0; // RAND_INTEGER
    bool is_seeded = expr->arg_count > unseeded && expr->args[0]->kind == EXPR_LITERAL;
    if (is_seeded && !column_is_null(expr->args[0]->value, 0)) {
        int64_t seed = *(const int32_t *)column_value(expr->args[0]->value, 0);
        random->state = ((uint64_t)seed ^ java_multiplier) & java_mask;
    } else {
        uint64_t entropy = 0;
        if (getrandom(&entropy, sizeof entropy, 0) != sizeof entropy) {
            entropy = (uint64_t)(uintptr_t)random;
        }
        random->state = entropy & java_mask;
    }
    *state = random;
}

static enum status row_rand(const struct function_call *call, uint32_t row,
                            struct function_value *value, struct err *err)
{
    (void)row;
    (void)err;
    value->f64 = java_next_double(call->state);
    return STATUS_OK;
}

static enum status row_rand_integer(const struct function_call *call, uint32_t row,
                                    struct function_value *value, struct err *err)
{
    int64_t bound = rows_i64(call, call->arg_count - 1, row);
    if (bound <= 0) {
        return ERR(err, STATUS_INVALID_DATA, "RAND_INTEGER: the bound must be positive, not %lld",
                   (long long)bound);
    }
    value->i64 = java_next_int(call->state, (int32_t)bound);
    return STATUS_OK;
}

static enum status row_bin(const struct function_call *call, uint32_t row,
                           struct function_value *value, struct err *err)
{
    (void)err;
    uint64_t bits = (uint64_t)rows_i64(call, 0, row);
    uint32_t count = bits == 0 ? 1 : 64 - (uint32_t)__builtin_clzll(bits);
    char *text = arena_alloc(call->arena, 64);
    for (uint32_t i = 0; i < count; i++) {
        text[i] = (char)('0' + (bits >> (count - 1 - i) & 1));
    }
    value->text = str_make(text, count);
    return STATUS_OK;
}

#define REAL(op, words)                                                                            \
    {                                                                                              \
        .name = #op, .properties = FUNCTION_PURE, .args_min = 1, .args_max = 1, .pattern = "F",    \
        .result = FUNCTION_RESULT_DOUBLE, .evaluate = evaluate_##op,                               \
        .signature = #op "(<NUMERIC>)", .doc = (words)                                             \
    }
#define REAL2(text, from, evaluator, shape, words)                                                 \
    {                                                                                              \
        .name = (text), .properties = FUNCTION_PURE, .args_min = (from), .args_max = 2,            \
        .pattern = "F", .result = FUNCTION_RESULT_DOUBLE, .evaluate = (evaluator),                 \
        .signature = (shape), .doc = (words)                                                       \
    }

static const struct function functions[] = {
    REAL(SQRT, "the square root; NaN of negatives"),
    REAL(EXP, "e to the power"),
    REAL(LN, "the natural logarithm; NaN of negatives, -Infinity of 0"),
    REAL(LOG2, "the logarithm to base 2"),
    REAL(LOG10, "the logarithm to base 10"),
    REAL(SIN, "the sine"),
    REAL(COS, "the cosine"),
    REAL(TAN, "the tangent"),
    REAL(COT, "the cotangent"),
    REAL(ASIN, "the arc sine"),
    REAL(ACOS, "the arc cosine"),
    REAL(ATAN, "the arc tangent"),
    REAL(SINH, "the hyperbolic sine"),
    REAL(COSH, "the hyperbolic cosine"),
    REAL(TANH, "the hyperbolic tangent"),
    REAL(DEGREES, "radians in degrees"),
    REAL(RADIANS, "degrees in radians"),
    REAL2("POWER", 2, evaluate_power, "POWER(<NUMERIC>, <NUMERIC>)", "the first to the second"),
    REAL2("ATAN2", 2, evaluate_atan2, "ATAN2(<NUMERIC>, <NUMERIC>)",
          "the angle of the point (second, first)"),
    REAL2("LOG", 1, evaluate_log, "LOG([<NUMERIC>,] <NUMERIC>)",
          "the natural logarithm, or that to the base in front"),
    {.name = "PI",
     .properties = FUNCTION_DETERMINISTIC,
     .resolve = resolve_constant,
     .signature = "PI()",
     .doc = "3.14159..."},
    {.name = "E",
     .properties = FUNCTION_DETERMINISTIC,
     .resolve = resolve_constant,
     .signature = "E()",
     .doc = "2.71828..."},
    {.name = "RAND",
     .properties = FUNCTION_NULL_IN_NULL_OUT,
     .args_min = 0,
     .args_max = 1,
     .pattern = "I",
     .result = FUNCTION_RESULT_DOUBLE,
     .row = row_rand,
     .prepare = prepare_random,
     .signature = "RAND([<INTEGER>])",
     .doc = "a number from 0 to below 1, of a sequence that the seed fixes"},
    {.name = "RAND_INTEGER",
     .properties = FUNCTION_NULL_IN_NULL_OUT | FUNCTION_CAN_ERROR,
     .args_min = 1,
     .args_max = 2,
     .pattern = "I",
     .result = FUNCTION_RESULT_INT,
     .row = row_rand_integer,
     .prepare = prepare_random,
     .signature = "RAND_INTEGER([<INTEGER>,] <INTEGER>)",
     .doc = "a whole number from 0 to below the last argument"},
    {.name = "BIN",
     .properties = FUNCTION_PURE,
     .args_min = 1,
     .args_max = 1,
     .pattern = "L",
     .result = FUNCTION_RESULT_STRING,
     .row = row_bin,
     .signature = "BIN(<INTEGER>)",
     .doc = "the binary digits, two's complement of negatives"},
};

const struct function_family functions_math = {functions, sizeof functions / sizeof *functions};
