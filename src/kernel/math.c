// SPDX-License-Identifier: Apache-2.0
#include "kernel/math.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

ALWAYS_INLINE double math_one(enum math_op op, double a)
{
    switch (op) {
    case MATH_SQRT: return isinf(a) ? fabs(a) : sqrt(a); // Flink's is a power of 0.5
    case MATH_EXP: return exp(a);
    case MATH_LN: return log(a);
    case MATH_LOG2: return log(a) / log(2.0); // as Flink has it, to the last place
    case MATH_LOG10: return log10(a);
    case MATH_SIN: return sin(a);
    case MATH_COS: return cos(a);
    case MATH_TAN: return tan(a);
    case MATH_COT: return 1.0 / tan(a);
    case MATH_ASIN: return asin(a);
    case MATH_ACOS: return acos(a);
    case MATH_ATAN: return atan(a);
    case MATH_SINH: return sinh(a);
    case MATH_COSH: return cosh(a);
    case MATH_TANH: return tanh(a);
    case MATH_DEGREES: return a * (180.0 / pi);
    case MATH_RADIANS: return a * (pi / 180.0);
    }
    return 0;
}

static void unary_loop(struct kernel_loop *loop)
{
    const enum math_op *op = loop->options;
    const double *a = loop->args[0];
    double *out = loop->out;
    for (uint32_t i = 0; i < loop->count; i++) {
        out[i] = math_one(*op, a[i]);
    }
}

// Java's pow differs from C's where C knows an answer without knowing an argument.
static double java_pow(double a, double b)
{
    if (isnan(b) || (isnan(a) && fpclassify(b) != FP_ZERO)) {
        return (double)NAN;
    }
    return isinf(b) && fabs(a) >= 1.0 && fabs(a) <= 1.0 ? (double)NAN : pow(a, b);
}

static double log_of(double base, double a)
{
    return log(a) / log(base);
}

#define BINARY_LOOP(name, function)                                                                \
    static void name(struct kernel_loop *loop)                                                     \
    {                                                                                              \
        const double *a = loop->args[0];                                                           \
        const double *b = loop->args[1];                                                           \
        double *out = loop->out;                                                                   \
        for (uint32_t i = 0; i < loop->count; i++) {                                               \
            out[i] = function(a[loop->is_const[0] ? 0 : i], b[loop->is_const[1] ? 0 : i]);         \
        }                                                                                          \
    }
BINARY_LOOP(power_loop, java_pow)
BINARY_LOOP(atan2_loop, atan2)
BINARY_LOOP(log_loop, log_of)

static void binary(struct kernel_run *run, kernel_loop_fn *loop, const struct column *a,
                   const struct column *b, struct column *out)
{
    struct kernel_shape shape = {.loop = loop, .out = PHYSICAL_F64};
    const struct column args[] = {*a, *b};
    kernel_map(run, &shape, args, 2, out);
}

void math_unary(struct kernel_run *run, enum math_op op, const struct column *a, struct column *out)
{
    struct kernel_shape shape = {.loop = unary_loop, .options = &op, .out = PHYSICAL_F64};
    kernel_map(run, &shape, a, 1, out);
}

void math_power(struct kernel_run *run, const struct column *a, const struct column *b,
                struct column *out)
{
    binary(run, power_loop, a, b, out);
}

void math_atan2(struct kernel_run *run, const struct column *a, const struct column *b,
                struct column *out)
{
    binary(run, atan2_loop, a, b, out);
}

void math_log(struct kernel_run *run, const struct column *base, const struct column *a,
              struct column *out)
{
    binary(run, log_loop, base, a, out);
}
