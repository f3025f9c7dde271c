// SPDX-License-Identifier: Apache-2.0
//
// arith, the part on machine numbers; decimals are in arith_decimal.c, rounding in arith_round.c.
#include "kernel/arith.h"

#include <math.h>

#include "base/assert.h"

// Wrapping through the unsigned type of the same width, or a wider one where C would promote.
#define WRAPPING(letters, type, unsigned_type)                                                     \
    ALWAYS_INLINE type letters##_one(enum arith_op op, type a, type b)                             \
    {                                                                                              \
        unsigned_type x = (unsigned_type)a;                                                        \
        unsigned_type y = (unsigned_type)b;                                                        \
        switch (op) {                                                                              \
        case ARITH_ADD: return (type)(x + y);                                                      \
        case ARITH_SUB: return (type)(x - y);                                                      \
        case ARITH_MUL: return (type)(x * y);                                                      \
        case ARITH_DIV: return (type)(b == -1 ? (type)(0 - x) : a / (b == 0 ? 1 : b));             \
        case ARITH_MOD: return (type)(b == -1 ? 0 : a % (b == 0 ? 1 : b));                         \
        }                                                                                          \
        return 0;                                                                                  \
    }

WRAPPING(i8, int8_t, uint32_t)
WRAPPING(i16, int16_t, uint32_t)
WRAPPING(i32, int32_t, uint32_t)
WRAPPING(i64, int64_t, uint64_t)

ALWAYS_INLINE float f32_one(enum arith_op op, float a, float b)
{
    switch (op) {
    case ARITH_ADD: return a + b;
    case ARITH_SUB: return a - b;
    case ARITH_MUL: return a * b;
    case ARITH_DIV: return a / b;
    case ARITH_MOD: return fmodf(a, b);
    }
    return 0;
}

ALWAYS_INLINE double f64_one(enum arith_op op, double a, double b)
{
    switch (op) {
    case ARITH_ADD: return a + b;
    case ARITH_SUB: return a - b;
    case ARITH_MUL: return a * b;
    case ARITH_DIV: return a / b;
    case ARITH_MOD: return fmod(a, b);
    }
    return 0;
}

#define TEMPLATE "kernel/arith_tmpl.h"
#include "kernel/stamp_integers.h"

#define T float
#define NAME(stem) f32_##stem
#include "kernel/arith_tmpl.h"
#undef T
#undef NAME

#define T double
#define NAME(stem) f64_##stem
#include "kernel/arith_tmpl.h"
#undef T
#undef NAME

// The rows whose divisor is zero, by one pass over bytes: any width.
static void mark_zeros(struct kernel_loop *loop, size_t width)
{
    const char *divisor = loop->args[1];
    static const char zero[8] = {0};
    for (uint32_t i = 0; i < loop->count; i++) {
        bool is_zero = memcmp(divisor + (loop->is_const[1] ? 0 : width * i), zero, width) == 0;
        loop->bad[i / 64] |= (uint64_t)is_zero << (i % 64);
    }
}

static bool divides(const struct kernel_loop *loop)
{
    const enum arith_op *op = loop->options;
    return *op == ARITH_DIV || *op == ARITH_MOD;
}

#define INTEGER_LOOP(letters, type)                                                                \
    static void letters##_checked(struct kernel_loop *loop)                                        \
    {                                                                                              \
        if (divides(loop)) {                                                                       \
            mark_zeros(loop, sizeof(type));                                                        \
        }                                                                                          \
        letters##_binary(loop);                                                                    \
    }
INTEGER_LOOP(i8, int8_t)
INTEGER_LOOP(i16, int16_t)
INTEGER_LOOP(i32, int32_t)
INTEGER_LOOP(i64, int64_t)

void arith_binary(struct kernel_run *run, enum arith_op op, const struct column *a,
                  const struct column *b, struct column *out)
{
    static kernel_loop_fn *const loops[] = {
        [PHYSICAL_I8] = i8_checked,   [PHYSICAL_I16] = i16_checked, [PHYSICAL_I32] = i32_checked,
        [PHYSICAL_I64] = i64_checked, [PHYSICAL_F32] = f32_binary,  [PHYSICAL_F64] = f64_binary,
    };
    DASSERT(a->physical == b->physical);
    struct kernel_shape shape = {.loop = loops[a->physical],
                                 .options = &op,
                                 .out = a->physical,
                                 .bad = KERNEL_BAD_IS_FAILURE,
                                 .failure = "division by zero"};
    const struct column args[] = {*a, *b};
    kernel_map(run, &shape, args, 2, out);
}

enum unary_op { UNARY_NEGATE, UNARY_ABS, UNARY_SIGN };

struct unary_options {
    enum unary_op op;
    int128 one; // what SIGN answers: 1 at the scale
};

#define T int8_t
#define U uint32_t
#define NAME(stem) i8_##stem
#include "kernel/arith_unary_tmpl.h"
#undef T
#undef U
#undef NAME

#define T int16_t
#define U uint32_t
#define NAME(stem) i16_##stem
#include "kernel/arith_unary_tmpl.h"
#undef T
#undef U
#undef NAME

#define T int32_t
#define U uint32_t
#define NAME(stem) i32_##stem
#include "kernel/arith_unary_tmpl.h"
#undef T
#undef U
#undef NAME

#define T int64_t
#define U uint64_t
#define NAME(stem) i64_##stem
#include "kernel/arith_unary_tmpl.h"
#undef T
#undef U
#undef NAME

#define T int128
#define U uint128
#define NAME(stem) i128_##stem
#include "kernel/arith_unary_tmpl.h"
#undef T
#undef U
#undef NAME

#define T float
#define U float
#define NAME(stem) f32_##stem
#include "kernel/arith_unary_tmpl.h"
#undef T
#undef U
#undef NAME

#define T double
#define U double
#define NAME(stem) f64_##stem
#include "kernel/arith_unary_tmpl.h"
#undef T
#undef U
#undef NAME

static void unary(struct kernel_run *run, struct unary_options options, const struct column *a,
                  struct column *out)
{
    static kernel_loop_fn *const loops[] = {
        [PHYSICAL_I8] = i8_unary,   [PHYSICAL_I16] = i16_unary,   [PHYSICAL_I32] = i32_unary,
        [PHYSICAL_I64] = i64_unary, [PHYSICAL_I128] = i128_unary, [PHYSICAL_F32] = f32_unary,
        [PHYSICAL_F64] = f64_unary,
    };
    struct kernel_shape shape = {
        .loop = loops[a->physical], .options = &options, .out = a->physical};
    kernel_map(run, &shape, a, 1, out);
}

void arith_negate(struct kernel_run *run, const struct column *a, struct column *out)
{
    unary(run, (struct unary_options){.op = UNARY_NEGATE}, a, out);
}

void arith_abs(struct kernel_run *run, const struct column *a, struct column *out)
{
    unary(run, (struct unary_options){.op = UNARY_ABS}, a, out);
}

void arith_sign(struct kernel_run *run, const struct column *a, int128 one, struct column *out)
{
    unary(run, (struct unary_options){.op = UNARY_SIGN, .one = one}, a, out);
}
