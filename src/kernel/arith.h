// SPDX-License-Identifier: Apache-2.0
//
// arith: + - * / % and their unary company, as Flink computes them.
//
// Integers wrap in every width; x / 0 and x % 0 fail (kernel.h), -MIN / -1 is MIN; % has the sign
// of the dividend. FLOAT and DOUBLE follow IEEE 754, x / 0 included. Decimals that do not fit their
// result type become NULL; rounding is HALF_UP; x / 0 fails.
#pragma once

#include "kernel/kernel.h"

enum arith_op { ARITH_ADD, ARITH_SUB, ARITH_MUL, ARITH_DIV, ARITH_MOD };

// Both of the same physical form: I8, I16, I32, I64, F32 or F64, which the result has too.
void arith_binary(struct kernel_run *run, enum arith_op op, const struct column *a,
                  const struct column *b, struct column *out);

// Unscaled integers of any width (I8 to I128) with their scales; the result is DECIMAL(precision,
// scale), held as type_physical() says.
struct arith_decimal {
    int32_t a_scale;
    int32_t b_scale;
    int32_t precision;
    int32_t scale;
};
void arith_decimal(struct kernel_run *run, enum arith_op op, const struct column *a,
                   const struct column *b, const struct arith_decimal *decimal, struct column *out);

// Of I8 … I64, I128, F32, F64; the form stays. Integers wrap: ABS(-2147483648) is negative.
void arith_negate(struct kernel_run *run, const struct column *a, struct column *out);
void arith_abs(struct kernel_run *run, const struct column *a, struct column *out);
// -1, 0, 1 in the same form; `one` is 1 as it is held: 10^scale for decimals.
void arith_sign(struct kernel_run *run, const struct column *a, int128 one, struct column *out);

// FLOOR, CEIL, ROUND, TRUNCATE. Integers and doubles keep their form (FLOOR and CEIL do nothing to
// integers).
enum arith_rounding { ARITH_FLOOR, ARITH_CEIL, ARITH_ROUND, ARITH_TRUNCATE };

// DECIMAL(p, in_scale) cut or rounded to `digits` digits after the point (negative: before it),
// held as DECIMAL(precision, scale).
struct arith_round_decimal {
    enum arith_rounding rounding;
    int32_t in_scale;
    int32_t digits;
    int32_t precision;
    int32_t scale;
};
void arith_round_decimal(struct kernel_run *run, const struct column *a,
                         const struct arith_round_decimal *options, struct column *out);
// F32 and F64: FLOOR and CEIL without digits.
void arith_floor_ceil(struct kernel_run *run, enum arith_rounding rounding, const struct column *a,
                      struct column *out);
// ROUND and TRUNCATE of I8 … I64, F32, F64 to `digits` (I32 column). Floating values go through
// their decimal text, HALF_UP; NaN and infinities stay.
void arith_round(struct kernel_run *run, enum arith_rounding rounding, const struct column *a,
                 const struct column *digits, struct column *out);
