// SPDX-License-Identifier: Apache-2.0
//
// The rounding part of arith.h.
#include <math.h>
#include <stdlib.h>

#include "base/assert.h"
#include "data/decimal.h"
#include "data/float_text.h"
#include "kernel/arith.h"
#include "kernel/widen_int.h"

struct round_call {
    struct arith_round_decimal options;
    enum physical in_physical;
    enum physical out_physical;
};

// The value in whole units of 10^-digits, rounded as asked.
static int128 round_unscaled(const struct arith_round_decimal *options, int128 value)
{
    int32_t down = options->in_scale - options->digits;
    if (down <= 0) {
        return value;
    }
    if (down > DECIMAL_PRECISION_MAX) {
        return options->rounding == ARITH_FLOOR && value < 0  ? -1
               : options->rounding == ARITH_CEIL && value > 0 ? 1
                                                              : 0;
    }
    int128 unit = decimal_power(down);
    int128 whole = value / unit;
    int128 rest = value % unit;
    switch (options->rounding) {
    case ARITH_TRUNCATE: return whole;
    case ARITH_FLOOR: return whole - (rest < 0);
    case ARITH_CEIL: return whole + (rest > 0);
    case ARITH_ROUND: break;
    }
    if (rest < 0) {
        return whole - (-rest >= unit + rest);
    }
    return whole + (rest >= unit - rest);
}

static void round_loop(struct kernel_loop *loop)
{
    const struct round_call *call = loop->options;
    const struct arith_round_decimal *options = &call->options;
    int32_t scale = options->in_scale < options->digits ? options->in_scale : options->digits;
    int128 a[WIDEN_BLOCK_ROWS];
    for (uint32_t from = 0; from < loop->count; from += WIDEN_BLOCK_ROWS) {
        uint32_t count =
            loop->count - from < WIDEN_BLOCK_ROWS ? loop->count - from : WIDEN_BLOCK_ROWS;
        widen_values(call->in_physical, loop->args[0], loop->is_const[0], from, count, a);
        for (uint32_t i = 0; i < count; i++) {
            int128 value = round_unscaled(options, a[i]);
            bool fits = decimal_rescale(
                value, scale, (struct decimal_form){options->precision, options->scale}, &value);
            uint32_t row = from + i;
            loop->bad[row / 64] |= (uint64_t)!fits << (row % 64);
            widen_store(call->out_physical, loop->out, row, fits ? value : 0);
        }
    }
}

void arith_round_decimal(struct kernel_run *run, const struct column *a,
                         const struct arith_round_decimal *options, struct column *out)
{
    struct round_call call = {.options = *options,
                              .in_physical = a->physical,
                              .out_physical =
                                  options->precision <= 18 ? PHYSICAL_I64 : PHYSICAL_I128};
    struct kernel_shape shape = {
        .loop = round_loop, .options = &call, .out = call.out_physical, .bad = KERNEL_BAD_IS_NULL};
    kernel_map(run, &shape, a, 1, out);
}

static void f32_floor_ceil(struct kernel_loop *loop)
{
    const enum arith_rounding *rounding = loop->options;
    const float *a = loop->args[0];
    float *out = loop->out;
    for (uint32_t i = 0; i < loop->count; i++) {
        out[i] = *rounding == ARITH_FLOOR ? floorf(a[i]) : ceilf(a[i]);
    }
}

static void f64_floor_ceil(struct kernel_loop *loop)
{
    const enum arith_rounding *rounding = loop->options;
    const double *a = loop->args[0];
    double *out = loop->out;
    for (uint32_t i = 0; i < loop->count; i++) {
        out[i] = *rounding == ARITH_FLOOR ? floor(a[i]) : ceil(a[i]);
    }
}

void arith_floor_ceil(struct kernel_run *run, enum arith_rounding rounding, const struct column *a,
                      struct column *out)
{
    bool is_f32 = a->physical == PHYSICAL_F32;
    if (!is_f32 && a->physical != PHYSICAL_F64) {
        *out = *a;
        return;
    }
    struct kernel_shape shape = {
        .loop = is_f32 ? f32_floor_ceil : f64_floor_ceil, .options = &rounding, .out = a->physical};
    kernel_map(run, &shape, a, 1, out);
}

// The digits of a floating text and where the point stands: value = 0.d1d2... * 10^exponent.
struct float_digits {
    bool is_negative;
    char digits[FLOAT_TEXT_MAX];
    int32_t count;
    int32_t exponent;
};

static void read_float(double value, struct float_digits *out)
{
    char text[FLOAT_TEXT_MAX];
    uint32_t size = float_text_f64(value, text);
    *out = (struct float_digits){.is_negative = text[0] == '-'};
    bool behind_point = false;
    for (uint32_t i = out->is_negative; i < size; i++) {
        if (text[i] == '.') {
            behind_point = true;
        } else if (text[i] == 'E') {
            int64_t exponent = 0;
            (void)str_to_i64(str_make(text + i + 1, size - i - 1), &exponent);
            out->exponent += (int32_t)exponent;
            return;
        } else if (out->count == 0 && text[i] == '0') {
            out->exponent -= behind_point;
        } else {
            out->digits[out->count++] = text[i];
            out->exponent += !behind_point;
        }
    }
}

// 0.digits * 10^exponent, plus one in the last digit where `up` says so.
static double write_float(const struct float_digits *in, int32_t keep, bool up)
{
    char text[FLOAT_TEXT_MAX + 32];
    uint32_t size = 0;
    char kept[FLOAT_TEXT_MAX] = {0};
    int32_t exponent = in->exponent;
    memcpy(kept, in->digits, (size_t)keep);
    int32_t at = keep - 1;
    for (; up && at >= 0; at--) {
        up = kept[at] == '9';
        kept[at] = (char)(up ? '0' : kept[at] + 1);
    }
    text[size++] = in->is_negative ? '-' : '+';
    text[size++] = up ? '1' : '0'; // a carry out of all digits
    text[size++] = '.';
    memcpy(text + size, kept, (size_t)keep);
    size += (uint32_t)keep;
    (void)snprintf(text + size, sizeof text - size, "0e%d", exponent);
    return strtod(text, NULL);
}

static double round_f64(enum arith_rounding rounding, double value, int32_t digits)
{
    if (!isfinite(value)) {
        return value;
    }
    struct float_digits read;
    read_float(value, &read);
    int64_t keep = (int64_t)read.exponent + digits;
    if (keep >= read.count) {
        return value;
    }
    if (keep < 0) {
        return 0.0;
    }
    return write_float(&read, (int32_t)keep, rounding == ARITH_ROUND && read.digits[keep] >= '5');
}

static int64_t round_i64(enum arith_rounding rounding, int64_t value, int32_t digits)
{
    if (digits >= 0) {
        return value;
    }
    if (digits < -19) {
        return 0;
    }
    int128 unit = decimal_power(-digits);
    int128 whole = value / unit;
    int128 rest = value % unit;
    if (rounding == ARITH_ROUND) {
        whole += rest >= 0 ? rest >= unit - rest : -(-rest >= unit + rest);
    }
    return (int64_t)(uint64_t)(uint128)(whole * unit);
}

ALWAYS_INLINE float round_f32(enum arith_rounding rounding, float value, int32_t digits)
{
    return (float)round_f64(rounding, (double)value, digits);
}

#define ROUND_LOOP(letters, type, round)                                                           \
    static void letters##_round(struct kernel_loop *loop)                                          \
    {                                                                                              \
        const enum arith_rounding *rounding = loop->options;                                       \
        const type *a = loop->args[0];                                                             \
        const int32_t *digits = loop->args[1];                                                     \
        type *out = loop->out;                                                                     \
        for (uint32_t i = 0; i < loop->count; i++) {                                               \
            int32_t place = digits[loop->is_const[1] ? 0 : i];                                     \
            out[i] = (type)round(*rounding, a[loop->is_const[0] ? 0 : i], place);                  \
        }                                                                                          \
    }
ROUND_LOOP(i8, int8_t, round_i64)
ROUND_LOOP(i16, int16_t, round_i64)
ROUND_LOOP(i32, int32_t, round_i64)
ROUND_LOOP(i64, int64_t, round_i64)
ROUND_LOOP(f32, float, round_f32)
ROUND_LOOP(f64, double, round_f64)

void arith_round(struct kernel_run *run, enum arith_rounding rounding, const struct column *a,
                 const struct column *digits, struct column *out)
{
    static kernel_loop_fn *const loops[] = {
        [PHYSICAL_I8] = i8_round,   [PHYSICAL_I16] = i16_round, [PHYSICAL_I32] = i32_round,
        [PHYSICAL_I64] = i64_round, [PHYSICAL_F32] = f32_round, [PHYSICAL_F64] = f64_round,
    };
    DASSERT(digits->physical == PHYSICAL_I32);
    struct kernel_shape shape = {
        .loop = loops[a->physical], .options = &rounding, .out = a->physical};
    const struct column args[] = {*a, *digits};
    kernel_map(run, &shape, args, 2, out);
}
