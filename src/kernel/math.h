// SPDX-License-Identifier: Apache-2.0
//
// math: the real functions. F64 in, F64 out; what is undefined is NaN or an infinity, as in Java.
#pragma once

#include "kernel/kernel.h"

// X(NAME)
#define MATH_LIST(X)                                                                               \
    X(SQRT)                                                                                        \
    X(EXP)                                                                                         \
    X(LN)                                                                                          \
    X(LOG2)                                                                                        \
    X(LOG10)                                                                                       \
    X(SIN)                                                                                         \
    X(COS) X(TAN) X(COT) X(ASIN) X(ACOS) X(ATAN) X(SINH) X(COSH) X(TANH) X(DEGREES) X(RADIANS)

enum math_op {
#define X(name) MATH_##name,
    MATH_LIST(X)
#undef X
};

void math_unary(struct kernel_run *run, enum math_op op, const struct column *a,
                struct column *out);
void math_power(struct kernel_run *run, const struct column *a, const struct column *b,
                struct column *out);
void math_atan2(struct kernel_run *run, const struct column *a, const struct column *b,
                struct column *out);
// LOG(base, x)
void math_log(struct kernel_run *run, const struct column *base, const struct column *a,
              struct column *out);
