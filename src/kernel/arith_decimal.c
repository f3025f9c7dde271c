// SPDX-License-Identifier: Apache-2.0
//
// The decimal part of arith.h. Operands of any width are widened block by block to 128 bits; the
// common case, a product or sum that needs no rounding, is one machine operation and a check.
#include "base/arena.h"
#include "data/decimal.h"
#include "kernel/arith.h"
#include "kernel/widen_int.h"

struct decimal_call {
    enum arith_op op;
    struct arith_decimal decimal;
    enum physical a_physical;
    enum physical b_physical;
    enum physical out_physical;
};

// A value as whole units of the result's last place and what is left of it, in units of 10^-d, d
// digits further; 0 <= rest.
struct split {
    int128 whole;
    int128 rest;
};

static bool split_at(int128 value, int32_t value_scale, int32_t scale, int32_t rest_digits,
                     struct split *out)
{
    if (value_scale <= scale) {
        out->rest = 0;
        return decimal_rescale(value, value_scale,
                               (struct decimal_form){DECIMAL_PRECISION_MAX, scale}, &out->whole);
    }
    int128 unit = decimal_power(value_scale - scale);
    out->whole = value / unit;
    out->rest = value % unit;
    if (out->rest < 0) {
        out->rest += unit;
        out->whole--;
    }
    out->rest *= decimal_power(rest_digits - (value_scale - scale));
    return true;
}

// a + b where the sum at the larger scale may leave 128 bits: whole parts and rests apart.
static bool add_split(const struct arith_decimal *d, int128 a, int128 b, int128 *out)
{
    int32_t largest = d->a_scale > d->b_scale ? d->a_scale : d->b_scale;
    int32_t rest_digits = largest > d->scale ? largest - d->scale : 0;
    struct split left;
    struct split right;
    if (!split_at(a, d->a_scale, d->scale, rest_digits, &left) ||
        !split_at(b, d->b_scale, d->scale, rest_digits, &right)) {
        return false;
    }
    int128 unit = decimal_power(rest_digits);
    int128 whole;
    if (__builtin_add_overflow(left.whole, right.whole, &whole)) {
        return false;
    }
    int128 rest = left.rest + right.rest;
    if (rest >= unit) {
        rest -= unit;
        whole++;
    }
    // HALF_UP is away from zero: below zero a half stays at the whole below.
    bool up = whole >= 0 ? rest >= unit - rest : rest > unit - rest;
    *out = rest != 0 && up ? whole + 1 : whole;
    return decimal_fits(*out, d->precision);
}

static bool add(const struct arith_decimal *d, int128 a, int128 b, int128 *out)
{
    int32_t largest = d->a_scale > d->b_scale ? d->a_scale : d->b_scale;
    int128 x;
    int128 y;
    int128 sum;
    if (__builtin_mul_overflow(a, decimal_power(largest - d->a_scale), &x) ||
        __builtin_mul_overflow(b, decimal_power(largest - d->b_scale), &y) ||
        __builtin_add_overflow(x, y, &sum)) {
        return add_split(d, a, b, out);
    }
    if (largest == d->scale) {
        *out = sum;
        return decimal_fits(sum, d->precision);
    }
    return decimal_rescale(sum, largest, (struct decimal_form){d->precision, d->scale}, out);
}

static bool multiply(const struct arith_decimal *d, int128 a, int128 b, int128 *out)
{
    int32_t shift = d->a_scale + d->b_scale - d->scale;
    if (shift == 0) {
        return !__builtin_mul_overflow(a, b, out) && decimal_fits(*out, d->precision);
    }
    if (shift < 0) {
        int128 product;
        return !__builtin_mul_overflow(a, b, &product) &&
               decimal_rescale(product, d->a_scale + d->b_scale,
                               (struct decimal_form){d->precision, d->scale}, out);
    }
    if (shift > DECIMAL_PRECISION_MAX) { // 10^-38 and less of 38 digits: two roundings cannot tell
        return decimal_multiply(a, b, DECIMAL_PRECISION_MAX, out) &&
               decimal_rescale(*out, d->scale + shift - DECIMAL_PRECISION_MAX,
                               (struct decimal_form){d->precision, d->scale}, out);
    }
    return decimal_multiply(a, b, shift, out) && decimal_fits(*out, d->precision);
}

static bool divide(const struct arith_decimal *d, int128 a, int128 b, int128 *out)
{
    int32_t shift = d->scale + d->b_scale - d->a_scale;
    if (shift >= 0) {
        return decimal_divide(a, shift, b, out) && decimal_fits(*out, d->precision);
    }
    int128 divisor;
    if (__builtin_mul_overflow(b, decimal_power(-shift), &divisor)) {
        *out = 0;
        return true;
    }
    return decimal_divide(a, 0, divisor, out) && decimal_fits(*out, d->precision);
}

// 10 * rest modulo the divisor, without leaving 128 bits.
static int128 ten_times(int128 rest, int128 divisor)
{
    uint128 bound = divisor < 0 ? -(uint128)divisor : (uint128)divisor;
    uint128 one = rest < 0 ? -(uint128)rest : (uint128)rest;
    uint128 five = (one * 2 % bound * 2 % bound + one) % bound;
    int128 ten = (int128)(five * 2 % bound);
    return rest < 0 ? -ten : ten;
}

static bool modulo(const struct arith_decimal *d, int128 a, int128 b, int128 *out)
{
    int32_t largest = d->a_scale > d->b_scale ? d->a_scale : d->b_scale;
    int128 divisor;
    if (__builtin_mul_overflow(b, decimal_power(largest - d->b_scale), &divisor)) {
        // The divisor has more digits than any dividend at this scale.
        return decimal_rescale(a, d->a_scale, (struct decimal_form){d->precision, d->scale}, out);
    }
    int128 rest = a % divisor;
    for (int32_t i = largest - d->a_scale; i > 0; i--) {
        rest = ten_times(rest, divisor);
    }
    return decimal_rescale(rest, largest, (struct decimal_form){d->precision, d->scale}, out);
}

static bool compute(const struct decimal_call *call, int128 a, int128 b, int128 *out)
{
    const struct arith_decimal *d = &call->decimal;
    switch (call->op) {
    case ARITH_ADD: return add(d, a, b, out);
    case ARITH_SUB: return add(d, a, -b, out);
    case ARITH_MUL: return multiply(d, a, b, out);
    case ARITH_DIV: return b == 0 || divide(d, a, b, out);
    case ARITH_MOD: return b == 0 || modulo(d, a, b, out);
    }
    return false;
}

static void decimal_loop(struct kernel_loop *loop)
{
    const struct decimal_call *call = loop->options;
    int128 a[WIDEN_BLOCK_ROWS];
    int128 b[WIDEN_BLOCK_ROWS];
    for (uint32_t from = 0; from < loop->count; from += WIDEN_BLOCK_ROWS) {
        uint32_t count =
            loop->count - from < WIDEN_BLOCK_ROWS ? loop->count - from : WIDEN_BLOCK_ROWS;
        widen_values(call->a_physical, loop->args[0], loop->is_const[0], from, count, a);
        widen_values(call->b_physical, loop->args[1], loop->is_const[1], from, count, b);
        for (uint32_t i = 0; i < count; i++) {
            int128 value = 0;
            bool fits = compute(call, a[i], b[i], &value);
            uint32_t row = from + i;
            loop->bad[row / 64] |= (uint64_t)!fits << (row % 64);
            widen_store(call->out_physical, loop->out, row, fits ? value : 0);
        }
    }
}

// Products of 64-bit operands that keep all digits: no call and no branch a row.
static void product_loop(struct kernel_loop *loop)
{
    const struct decimal_call *call = loop->options;
    const int64_t *a = loop->args[0];
    const int64_t *b = loop->args[1];
    const uint32_t a_step = loop->is_const[0] ? 0 : 1;
    const uint32_t b_step = loop->is_const[1] ? 0 : 1;
    const int128 limit = decimal_power(call->decimal.precision);
    for (uint32_t i = 0; i < loop->count; i++) {
        int128 product = (int128)a[i * a_step] * b[i * b_step];
        uint64_t is_wide = product >= limit || product <= -limit;
        loop->bad[i / 64] |= is_wide << (i % 64);
        widen_store(call->out_physical, loop->out, i, product);
    }
}

// Sums of 64-bit operands at the larger scale that fit 64 bits if they fit the result.
static void sum_loop(struct kernel_loop *loop)
{
    const struct decimal_call *call = loop->options;
    const int64_t *a = loop->args[0];
    const int64_t *b = loop->args[1];
    const uint32_t a_step = loop->is_const[0] ? 0 : 1;
    const uint32_t b_step = loop->is_const[1] ? 0 : 1;
    const int128 a_factor = decimal_power(call->decimal.scale - call->decimal.a_scale);
    const int128 b_factor = decimal_power(call->decimal.scale - call->decimal.b_scale) *
                            (call->op == ARITH_SUB ? -1 : 1);
    const int128 limit = decimal_power(call->decimal.precision);
    for (uint32_t i = 0; i < loop->count; i++) {
        int128 sum = a[i * a_step] * a_factor + b[i * b_step] * b_factor;
        uint64_t is_wide = sum >= limit || sum <= -limit;
        loop->bad[i / 64] |= is_wide << (i % 64);
        widen_store(call->out_physical, loop->out, i, sum);
    }
}

// Sums of one scale that stay below 64 bits: two values of up to 18 digits cannot leave them.
static void narrow_sum_loop(struct kernel_loop *loop)
{
    const struct decimal_call *call = loop->options;
    const int64_t *a = loop->args[0];
    const int64_t *b = loop->args[1];
    const uint32_t a_step = loop->is_const[0] ? 0 : 1;
    const uint32_t b_step = loop->is_const[1] ? 0 : 1;
    const uint64_t flip = call->op == ARITH_SUB ? UINT64_MAX : 0; // -x is ~x + 1
    int64_t *out = loop->out;
    for (uint32_t i = 0; i < loop->count; i++) {
        uint64_t other = ((uint64_t)b[i * b_step] ^ flip) - flip;
        out[i] = (int64_t)((uint64_t)a[i * a_step] + other);
    }
    const int64_t limit = (int64_t)decimal_power(call->decimal.precision);
    for (uint32_t i = 0; i < loop->count; i++) {
        uint64_t is_wide = out[i] >= limit || out[i] <= -limit;
        loop->bad[i / 64] |= is_wide << (i % 64);
    }
}

static kernel_loop_fn *choose_loop(const struct decimal_call *call)
{
    const struct arith_decimal *d = &call->decimal;
    if (call->a_physical != PHYSICAL_I64 || call->b_physical != PHYSICAL_I64) {
        return decimal_loop;
    }
    if (call->op == ARITH_MUL && d->scale == d->a_scale + d->b_scale) {
        return product_loop;
    }
    // Factors up to 10^18 keep each term below 2^63 * 10^18, far from 2^127.
    bool is_sum = call->op == ARITH_ADD || call->op == ARITH_SUB;
    if (is_sum && d->scale == d->a_scale && d->scale == d->b_scale &&
        call->out_physical == PHYSICAL_I64) {
        return narrow_sum_loop;
    }
    if (is_sum && d->scale >= d->a_scale && d->scale >= d->b_scale && d->scale - d->a_scale <= 18 &&
        d->scale - d->b_scale <= 18) {
        return sum_loop;
    }
    return decimal_loop;
}

// Rows whose divisor is zero fail, others that do not fit are null: the two are told apart by a
// pass over the divisors.
static void zero_divisor_loop(struct kernel_loop *loop)
{
    const enum physical *physical = loop->options;
    int128 b[WIDEN_BLOCK_ROWS];
    for (uint32_t from = 0; from < loop->count; from += WIDEN_BLOCK_ROWS) {
        uint32_t count =
            loop->count - from < WIDEN_BLOCK_ROWS ? loop->count - from : WIDEN_BLOCK_ROWS;
        widen_values(*physical, loop->args[0], loop->is_const[0], from, count, b);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t row = from + i;
            ((uint64_t *)loop->out)[row / 64] |= (uint64_t)(b[i] == 0) << (row % 64);
        }
    }
}

static bool fail_zero_divisors(struct kernel_run *run, const struct column *a,
                               const struct column *b, uint64_t *zeros)
{
    uint32_t words = bits_words(run->row_count);
    uint64_t *is_null = arena_alloc(run->arena, (words + 1) * sizeof *is_null);
    struct kernel_shape shape = {.loop = zero_divisor_loop, .options = &b->physical};
    kernel_test(run, &shape, b, 1, zeros, is_null);
    for (uint32_t word = 0; word < words; word++) {
        zeros[word] &= column_valid_word(a, word);
    }
    if (!bits_any(zeros, run->row_count)) {
        return false;
    }
    kernel_fail(run, zeros, "division by zero");
    return true;
}

void arith_decimal(struct kernel_run *run, enum arith_op op, const struct column *a,
                   const struct column *b, const struct arith_decimal *decimal, struct column *out)
{
    struct decimal_call call = {.op = op,
                                .decimal = *decimal,
                                .a_physical = a->physical,
                                .b_physical = b->physical,
                                .out_physical =
                                    decimal->precision <= 18 ? PHYSICAL_I64 : PHYSICAL_I128};
    struct kernel_shape shape = {.loop = choose_loop(&call),
                                 .options = &call,
                                 .out = call.out_physical,
                                 .bad = KERNEL_BAD_IS_NULL};
    const struct column args[] = {*a, *b};
    kernel_map(run, &shape, args, 2, out);
    if (op == ARITH_DIV || op == ARITH_MOD) {
        uint64_t *zeros = arena_alloc(run->arena, (bits_words(run->row_count) + 1) * sizeof *zeros);
        if (fail_zero_divisors(run, a, b, zeros)) {
            kernel_make_null(run, zeros, out);
        }
    }
}
