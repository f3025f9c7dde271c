// SPDX-License-Identifier: Apache-2.0
//
// Casts between BOOLEAN, numbers and INTERVAL MONTH. Values go through blocks of int128 or double,
// so that work grows with the types and not with their square.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "data/decimal.h"
#include "data/type.h"
#include "kernel/cast_int.h"
#include "kernel/widen_int.h"

// As Java: towards zero, saturating, NaN is 0.
static int64_t saturate_i64(double value)
{
    if (isnan(value)) {
        return 0;
    }
    return value >= 9223372036854775808.0    ? INT64_MAX
           : value <= -9223372036854775808.0 ? INT64_MIN
                                             : (int64_t)value;
}

static int32_t saturate_i32(double value)
{
    if (isnan(value)) {
        return 0;
    }
    return value >= 2147483648.0 ? INT32_MAX : value <= -2147483649.0 ? INT32_MIN : (int32_t)value;
}

static void store_integer(enum physical physical, void *out, uint32_t row, int64_t value)
{
    switch (physical_width(physical)) {
    case 1: ((int8_t *)out)[row] = (int8_t)value; return;
    case 2: ((int16_t *)out)[row] = (int16_t)value; return;
    case 4: ((int32_t *)out)[row] = (int32_t)value; return;
    default: ((int64_t *)out)[row] = value; return;
    }
}

static void store_floating(enum physical physical, void *out, uint32_t row, double value)
{
    if (physical == PHYSICAL_F32) {
        ((float *)out)[row] = (float)value;
    } else {
        ((double *)out)[row] = value;
    }
}

static double floating_at(enum physical physical, const void *values, uint32_t row)
{
    return physical == PHYSICAL_F32 ? (double)((const float *)values)[row]
                                    : ((const double *)values)[row];
}

static bool is_floating(enum physical physical)
{
    return physical == PHYSICAL_F32 || physical == PHYSICAL_F64;
}

// The usual widening between 32 and 64 bits, one vectorised pass.
static void i32_to_i64_loop(struct kernel_loop *loop)
{
    const int32_t *in = loop->args[0];
    int64_t *out = loop->out;
    for (uint32_t i = 0; i < loop->count; i++) {
        out[i] = in[i];
    }
}

static void i64_to_f64_loop(struct kernel_loop *loop)
{
    const int64_t *in = loop->args[0];
    double *out = loop->out;
    for (uint32_t i = 0; i < loop->count; i++) {
        out[i] = (double)in[i];
    }
}

// 64 bits to a DECIMAL with as many digits after the point, or more.
static void scale_up_loop(struct kernel_loop *loop)
{
    const struct cast_options *options = loop->options;
    int32_t scale = options->from->kind == TYPE_DECIMAL ? options->from->scale : 0;
    const int128 factor = decimal_power(options->to->scale - scale);
    const int128 limit = decimal_power(options->to->length);
    const int64_t *in = loop->args[0];
    for (uint32_t i = 0; i < loop->count; i++) {
        int128 value = in[i] * factor;
        uint64_t is_wide = value >= limit || value <= -limit;
        loop->bad[i / 64] |= is_wide << (i % 64);
        widen_store(options->to_physical, loop->out, i, value);
    }
}

static bool scales_up(const struct cast_options *options)
{
    int32_t scale = options->from->kind == TYPE_DECIMAL ? options->from->scale : 0;
    int32_t up = options->to->scale - scale;
    return options->from_physical == PHYSICAL_I64 && options->to->kind == TYPE_DECIMAL && up >= 0 &&
           up <= 18; // 2^63 * 10^18 is far from 2^127
}

// Integers, decimals and booleans, by their unscaled value.
static void exact_loop(struct kernel_loop *loop)
{
    const struct cast_options *options = loop->options;
    int32_t scale = options->from->kind == TYPE_DECIMAL ? options->from->scale : 0;
    int128 block[WIDEN_BLOCK_ROWS];
    for (uint32_t from = 0; from < loop->count; from += WIDEN_BLOCK_ROWS) {
        uint32_t count =
            loop->count - from < WIDEN_BLOCK_ROWS ? loop->count - from : WIDEN_BLOCK_ROWS;
        widen_values(options->from_physical, loop->args[0], false, from, count, block);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t row = from + i;
            int128 value = block[i];
            if (options->to->kind == TYPE_DECIMAL) {
                bool fits = decimal_rescale(
                    value, scale, (struct decimal_form){options->to->length, options->to->scale},
                    &value);
                loop->bad[row / 64] |= (uint64_t)!fits << (row % 64);
                widen_store(options->to_physical, loop->out, row, fits ? value : 0);
            } else if (options->to->kind == TYPE_BOOLEAN) {
                ((uint8_t *)loop->out)[row] = value != 0;
            } else if (!is_floating(options->to_physical)) {
                store_integer(options->to_physical, loop->out, row,
                              (int64_t)(scale == 0 ? value : value / decimal_power(scale)));
            } else if (options->to->kind == TYPE_FLOAT && scale == 0 && value == (int64_t)value) {
                ((float *)loop->out)[row] = (float)(int64_t)value;
            } else {
                store_floating(options->to_physical, loop->out, row, decimal_to_f64(value, scale));
            }
        }
    }
}

static void approximate_loop(struct kernel_loop *loop)
{
    const struct cast_options *options = loop->options;
    for (uint32_t row = 0; row < loop->count; row++) {
        double value = floating_at(options->from_physical, loop->args[0], row);
        switch (options->to->kind) {
        case TYPE_BOOLEAN: ((uint8_t *)loop->out)[row] = fpclassify(value) != FP_ZERO; break;
        case TYPE_BIGINT: ((int64_t *)loop->out)[row] = saturate_i64(value); break;
        case TYPE_FLOAT:
        case TYPE_DOUBLE: store_floating(options->to_physical, loop->out, row, value); break;
        case TYPE_NULL:
        case TYPE_TINYINT:
        case TYPE_SMALLINT:
        case TYPE_INT:
        case TYPE_DECIMAL:
        case TYPE_CHAR:
        case TYPE_VARCHAR:
        case TYPE_BINARY:
        case TYPE_VARBINARY:
        case TYPE_DATE:
        case TYPE_TIME:
        case TYPE_TIMESTAMP:
        case TYPE_TIMESTAMP_LTZ:
        case TYPE_INTERVAL_MONTH:
        case TYPE_INTERVAL_SECOND:
        case TYPE_ARRAY:
        case TYPE_MULTISET:
        case TYPE_MAP:
        case TYPE_ROW:
        case TYPE_VARIANT:
        case TYPE_BITMAP:
        case TYPE_RAW:
            // Smaller integers: through INT, as Java does.
            store_integer(options->to_physical, loop->out, row, saturate_i32(value));
            break;
        }
    }
}

// A value that does not fit is null; NaN and infinities are null too, and fail: cast_number_fail().
static void approximate_to_decimal_loop(struct kernel_loop *loop)
{
    const struct cast_options *options = loop->options;
    const struct decimal_form form = {options->to->length, options->to->scale};
    for (uint32_t row = 0; row < loop->count; row++) {
        int128 value = 0;
        double number = floating_at(options->from_physical, loop->args[0], row);
        bool fits = decimal_from_f64(number, form, &value) == DECIMAL_PARSE_OK;
        loop->bad[row / 64] |= (uint64_t)!fits << (row % 64);
        widen_store(options->to_physical, loop->out, row, value);
    }
}

static void not_finite_loop(struct kernel_loop *loop)
{
    const struct cast_options *options = loop->options;
    for (uint32_t row = 0; row < loop->count; row++) {
        bool is_bad = !isfinite(floating_at(options->from_physical, loop->args[0], row));
        ((uint64_t *)loop->out)[row / 64] |= (uint64_t)is_bad << (row % 64);
    }
}

void cast_number_fail(struct kernel_run *run, const struct cast_options *options,
                      const struct column *in)
{
    if (!type_is_approximate(options->from) || options->to->kind != TYPE_DECIMAL) {
        return;
    }
    size_t size = (bits_words(run->row_count) + 1) * sizeof(uint64_t);
    uint64_t *bad = arena_alloc(run->arena, size);
    uint64_t *is_null = arena_alloc(run->arena, size);
    struct kernel_shape shape = {.loop = not_finite_loop, .options = options};
    kernel_test(run, &shape, in, 1, bad, is_null);
    kernel_fail(run, bad, "a DECIMAL of a number that is infinite or NaN");
}

static bool is_exact_side(const struct type *type)
{
    return type_is_exact(type) || type->kind == TYPE_BOOLEAN || type->kind == TYPE_INTERVAL_MONTH;
}

bool cast_number_shape(const struct cast_options *options, struct kernel_shape *shape)
{
    bool from_exact = is_exact_side(options->from);
    bool from_approximate = type_is_approximate(options->from);
    bool is_known = (from_exact || from_approximate) &&
                    (is_exact_side(options->to) || type_is_approximate(options->to));
    if (!is_known) {
        return false;
    }
    bool plain_integers = options->from->kind != TYPE_DECIMAL && options->to->kind != TYPE_DECIMAL;
    shape->bad = KERNEL_BAD_IS_NULL;
    if (from_approximate) {
        shape->loop =
            options->to->kind == TYPE_DECIMAL ? approximate_to_decimal_loop : approximate_loop;
    } else if (scales_up(options)) {
        shape->loop = scale_up_loop;
    } else if (plain_integers && options->from_physical == PHYSICAL_I32 &&
               options->to_physical == PHYSICAL_I64) {
        shape->loop = i32_to_i64_loop;
    } else if (plain_integers && options->from_physical == PHYSICAL_I64 &&
               options->to_physical == PHYSICAL_F64) {
        shape->loop = i64_to_f64_loop;
    } else {
        shape->loop = exact_loop;
    }
    return true;
}
