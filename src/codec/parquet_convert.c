// SPDX-License-Identifier: Apache-2.0
#include "codec/parquet_convert.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/assert.h"
#include "codec/parquet_decode.h"

#define MICROS_A_DAY INT64_C(86400000000)
#define NANOS_A_SECOND INT64_C(1000000000)

static int32_t unit_fraction(const struct parquet_element *element) // of a second
{
    return element->unit == PARQUET_MILLIS  ? 1000
           : element->unit == PARQUET_NANOS ? 1000000000
                                            : 1000000;
}

// To microseconds (or nanoseconds apart) from a unit that counts `fraction` a second.
static bool choose_timestamp(const struct parquet_element *element, struct parquet_conversion *out)
{
    bool is_date = element->logical == PARQUET_LOGICAL_DATE;
    bool is_time = element->logical == PARQUET_LOGICAL_TIMESTAMP;
    if (out->stored == PARQUET_INT96) {
        out->kind = PARQUET_CONVERT_I96;
        return true;
    }
    if (!is_date && !(is_time && out->stored == PARQUET_INT64)) {
        return false;
    }
    if (out->target == PHYSICAL_NANO) {
        out->kind = PARQUET_CONVERT_NANO;
        out->divide = is_date ? 0 : unit_fraction(element);
        return true;
    }
    out->kind = PARQUET_CONVERT_SCALE;
    out->multiply = is_date ? MICROS_A_DAY : element->unit == PARQUET_MILLIS ? 1000 : 1;
    out->divide = !is_date && element->unit == PARQUET_NANOS ? 1000 : 1;
    if (out->multiply == 1 && out->divide == 1) {
        out->kind = PARQUET_CONVERT_NONE;
    }
    return true;
}

static bool choose_time(const struct parquet_element *element, struct parquet_conversion *out)
{
    if (element->logical != PARQUET_LOGICAL_TIME) {
        return false;
    }
    // To milliseconds, or to microseconds.
    int64_t target = out->target == PHYSICAL_I32 ? 1000 : 1000000;
    int64_t unit = out->stored == PARQUET_INT32 ? 1000 : unit_fraction(element);
    out->kind = unit == target ? PARQUET_CONVERT_NONE : PARQUET_CONVERT_SCALE;
    out->multiply = unit < target ? target / unit : 1;
    out->divide = unit > target ? unit / target : 1;
    return out->stored == PARQUET_INT32 || out->stored == PARQUET_INT64;
}

static bool choose_decimal(const struct parquet_node *leaf, const struct type *target,
                           struct parquet_conversion *out)
{
    const struct parquet_element *element = leaf->element;
    bool is_uint64 = element->logical == PARQUET_LOGICAL_INTEGER && !element->int_signed;
    if (is_uint64 && out->stored == PARQUET_INT64) {
        out->kind = PARQUET_CONVERT_U64;
        return target->scale == 0 && target->length >= 20;
    }
    if (element->logical != PARQUET_LOGICAL_DECIMAL || element->scale != target->scale ||
        element->precision > target->length) {
        return false;
    }
    switch (out->stored) {
    case PARQUET_INT32: out->kind = PARQUET_CONVERT_I32; return true;
    case PARQUET_INT64:
        out->kind = out->target == PHYSICAL_I64 ? PARQUET_CONVERT_NONE : PARQUET_CONVERT_I64;
        return true;
    case PARQUET_BYTE_ARRAY:
    case PARQUET_FIXED: out->kind = PARQUET_CONVERT_DECIMAL; return true;
    case PARQUET_BOOLEAN:
    case PARQUET_INT96:
    case PARQUET_FLOAT:
    case PARQUET_DOUBLE:
    case PARQUET_GROUP: break;
    }
    return false;
}

static bool choose_integer(const struct parquet_element *element, const struct type *target,
                           struct parquet_conversion *out)
{
    bool annotated = element->logical == PARQUET_LOGICAL_INTEGER;
    if (!annotated && element->logical != PARQUET_LOGICAL_NONE &&
        element->logical != PARQUET_LOGICAL_UNKNOWN) {
        return false;
    }
    int32_t bits = annotated ? element->int_width : out->stored == PARQUET_INT32 ? 32 : 64;
    bits += annotated && !element->int_signed ? 1 : 0;
    int32_t have = (int32_t)physical_width(out->target) * 8;
    if (bits > have) {
        return false;
    }
    if (out->stored == PARQUET_INT64) {
        return target->kind == TYPE_BIGINT;
    }
    bool is_unsigned = annotated && !element->int_signed;
    out->kind = out->target == PHYSICAL_I32 ? PARQUET_CONVERT_NONE
                : is_unsigned               ? PARQUET_CONVERT_U32
                                            : PARQUET_CONVERT_I32;
    return out->stored == PARQUET_INT32;
}

static bool choose(const struct parquet_node *leaf, const struct type *target,
                   struct parquet_conversion *out)
{
    const struct parquet_element *element = leaf->element;
    bool is_bytes = out->stored == PARQUET_BYTE_ARRAY || out->stored == PARQUET_FIXED;
    switch (target->kind) {
    case TYPE_BOOLEAN: return out->stored == PARQUET_BOOLEAN;
    case TYPE_TINYINT:
    case TYPE_SMALLINT:
    case TYPE_INT:
    case TYPE_BIGINT: return choose_integer(element, target, out);
    case TYPE_FLOAT:
    case TYPE_DOUBLE:
        if (out->stored == PARQUET_FIXED && element->logical == PARQUET_LOGICAL_FLOAT16) {
            out->kind = PARQUET_CONVERT_F16;
            return element->length == 2;
        }
        if (out->stored == PARQUET_FLOAT && target->kind == TYPE_DOUBLE) {
            out->kind = PARQUET_CONVERT_F32;
            return true;
        }
        return out->stored == (target->kind == TYPE_FLOAT ? PARQUET_FLOAT : PARQUET_DOUBLE);
    case TYPE_DECIMAL: return choose_decimal(leaf, target, out);
    case TYPE_CHAR:
    case TYPE_VARCHAR:
    case TYPE_VARBINARY:
    case TYPE_RAW: return is_bytes;
    case TYPE_BINARY:
        return is_bytes && (out->stored == PARQUET_BYTE_ARRAY || element->length == target->length);
    case TYPE_DATE: return out->stored == PARQUET_INT32 && element->logical == PARQUET_LOGICAL_DATE;
    case TYPE_TIME: return choose_time(element, out);
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_LTZ: return choose_timestamp(element, out);
    case TYPE_NULL:
    case TYPE_INTERVAL_MONTH:
    case TYPE_INTERVAL_SECOND:
    case TYPE_ARRAY:
    case TYPE_MULTISET:
    case TYPE_MAP:
    case TYPE_ROW:
    case TYPE_VARIANT:
    case TYPE_BITMAP: break;
    }
    return false;
}

enum status parquet_convert_choose(const struct parquet_node *leaf, const struct type *target,
                                   struct parquet_conversion *out, struct err *err)
{
    *out =
        (struct parquet_conversion){.stored = leaf->element->physical,
                                    .target = type_physical(target),
                                    .stored_width = parquet_decode_width(leaf->element->physical),
                                    .target_width = (uint32_t)physical_width(type_physical(target)),
                                    .multiply = 1,
                                    .divide = 1};
    if (choose(leaf, target, out)) {
        return STATUS_OK;
    }
    struct arena arena;
    arena_init(&arena);
    struct str have = type_text(&arena, leaf->type);
    struct str want = type_text(&arena, target);
    enum status status =
        ERR(err, STATUS_UNSUPPORTED, "column %.*s holds %.*s, which is not read as %.*s",
            STR_ARGS(leaf->name), STR_ARGS(have), STR_ARGS(want));
    arena_release(&arena);
    return status;
}

// ---- loops ----

static int64_t floor_divide(int64_t value, int64_t by)
{
    return value / by - (value % by < 0);
}

static int64_t get_i32(const void *in, uint32_t i)
{
    return ((const int32_t *)in)[i];
}

static void put_int(const struct parquet_conversion *conversion, void *out, uint32_t i,
                    int64_t value)
{
    switch (conversion->target_width) {
    case 1: ((int8_t *)out)[i] = (int8_t)value; break;
    case 2: ((int16_t *)out)[i] = (int16_t)value; break;
    case 4: ((int32_t *)out)[i] = (int32_t)value; break;
    case 8: ((int64_t *)out)[i] = value; break;
    default: ((int128 *)out)[i] = value;
    }
}

static void run_scale(const struct parquet_conversion *conversion, const void *in, void *out,
                      uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        int64_t value =
            conversion->stored == PARQUET_INT32 ? get_i32(in, i) : ((const int64_t *)in)[i];
        if (conversion->divide > 1) {
            value = floor_divide(value, conversion->divide);
        } else { // wraps where a file holds times that cannot be
            value = (int64_t)((uint64_t)value * (uint64_t)conversion->multiply);
        }
        put_int(conversion, out, i, value);
    }
}

static void run_nano(const struct parquet_conversion *conversion, const void *in, struct nano *out,
                     uint32_t count)
{
    int64_t fraction = conversion->divide;
    for (uint32_t i = 0; i < count; i++) {
        if (fraction == 0) { // days
            out[i] = (struct nano){get_i32(in, i) * INT64_C(86400), 0};
            continue;
        }
        int64_t value = ((const int64_t *)in)[i];
        int64_t rest = value % fraction;
        rest += rest < 0 ? fraction : 0;
        out[i] = (struct nano){floor_divide(value, fraction), rest * (NANOS_A_SECOND / fraction)};
    }
}

// Nanoseconds of the day, then the Julian day; 2440588 is 1970-01-01.
static void run_i96(const struct parquet_conversion *conversion, const char *in, void *out,
                    uint32_t count)
{
    for (uint32_t i = 0; i < count; i++, in += 12) {
        uint64_t nanos;
        uint32_t julian;
        memcpy(&nanos, in, 8);
        memcpy(&julian, in + 8, 4);
        int64_t extra = floor_divide((int64_t)nanos, NANOS_A_SECOND);
        int64_t second = ((int64_t)(int32_t)julian - 2440588) * 86400 + extra;
        int64_t rest = (int64_t)nanos % NANOS_A_SECOND;
        rest += rest < 0 ? NANOS_A_SECOND : 0;
        if (conversion->target == PHYSICAL_NANO) {
            ((struct nano *)out)[i] = (struct nano){second, rest};
        } else {
            ((int64_t *)out)[i] = second * 1000000 + rest / 1000;
        }
    }
}

static float half_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t exponent = half >> 10 & 0x1f;
    uint32_t fraction = half & 0x3ff;
    uint32_t bits;
    if (exponent == 0x1f) {
        bits = sign | 0x7f800000 | fraction << 13;
    } else if (exponent > 0) {
        bits = sign | (exponent + 112) << 23 | fraction << 13;
    } else {
        float tiny = (float)fraction / 16777216.0f; // 2^-24
        memcpy(&bits, &tiny, 4);
        bits |= sign;
    }
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

static void run_f16(const struct parquet_conversion *conversion, const struct strview *in,
                    void *out, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint16_t half;
        memcpy(&half, in[i].prefix, 2);
        float value = half_to_float(half);
        if (conversion->target == PHYSICAL_F64) {
            ((double *)out)[i] = (double)value;
        } else {
            ((float *)out)[i] = value;
        }
    }
}

static enum status run_decimal(const struct parquet_conversion *conversion,
                               const struct strview *in, void *out, uint32_t count, struct err *err)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *bytes = (const uint8_t *)strview_ptr(&in[i]);
        uint32_t size = in[i].size;
        uint8_t sign = size > 0 && (bytes[0] & 0x80) != 0 ? 0xff : 0;
        uint32_t from = 0;
        for (; size - from > 16; from++) {
            if (bytes[from] != sign) {
                return ERR(err, STATUS_INVALID_DATA, "a decimal has more than 38 digits");
            }
        }
        uint128 value = sign != 0 ? ~(uint128)0 : 0;
        for (uint32_t j = from; j < size; j++) {
            value = value << 8 | bytes[j];
        }
        if (conversion->target == PHYSICAL_I128) {
            ((int128 *)out)[i] = (int128)value;
        } else if ((int128)value != (int64_t)value) {
            return ERR(err, STATUS_INVALID_DATA, "a decimal has more digits than its type");
        } else {
            ((int64_t *)out)[i] = (int64_t)value;
        }
    }
    return STATUS_OK;
}

enum status parquet_convert_run(const struct parquet_conversion *conversion, const void *in,
                                void *out, uint32_t count, struct err *err)
{
    switch (conversion->kind) {
    case PARQUET_CONVERT_NONE:
        memcpy(out, in, (size_t)count * conversion->target_width);
        return STATUS_OK;
    case PARQUET_CONVERT_I32:
        for (uint32_t i = 0; i < count; i++) {
            put_int(conversion, out, i, get_i32(in, i));
        }
        return STATUS_OK;
    case PARQUET_CONVERT_U32:
        for (uint32_t i = 0; i < count; i++) {
            put_int(conversion, out, i, ((const uint32_t *)in)[i]);
        }
        return STATUS_OK;
    case PARQUET_CONVERT_U64:
        for (uint32_t i = 0; i < count; i++) {
            ((int128 *)out)[i] = ((const uint64_t *)in)[i];
        }
        return STATUS_OK;
    case PARQUET_CONVERT_I64:
        for (uint32_t i = 0; i < count; i++) {
            put_int(conversion, out, i, ((const int64_t *)in)[i]);
        }
        return STATUS_OK;
    case PARQUET_CONVERT_SCALE: run_scale(conversion, in, out, count); return STATUS_OK;
    case PARQUET_CONVERT_NANO: run_nano(conversion, in, out, count); return STATUS_OK;
    case PARQUET_CONVERT_I96: run_i96(conversion, in, out, count); return STATUS_OK;
    case PARQUET_CONVERT_F32:
        for (uint32_t i = 0; i < count; i++) {
            ((double *)out)[i] = (double)((const float *)in)[i];
        }
        return STATUS_OK;
    case PARQUET_CONVERT_F16: run_f16(conversion, in, out, count); return STATUS_OK;
    case PARQUET_CONVERT_DECIMAL: return run_decimal(conversion, in, out, count, err);
    }
    UNREACHABLE("conversion");
}

// ---- back ----

static int128 get_int(const struct parquet_conversion *conversion, const void *value)
{
    switch (conversion->target_width) {
    case 1: return *(const int8_t *)value;
    case 2: return *(const int16_t *)value;
    case 4: return *(const int32_t *)value;
    case 8: return *(const int64_t *)value;
    default: return *(const int128 *)value;
    }
}

static bool put_stored(const struct parquet_conversion *conversion, int128 value,
                       struct bytebuf *out)
{
    uint64_t low = (uint64_t)value;
    bool narrow = conversion->stored == PARQUET_INT32;
    bool is_unsigned =
        conversion->kind == PARQUET_CONVERT_U32 || conversion->kind == PARQUET_CONVERT_U64;
    int128 back = is_unsigned ? (narrow ? (int128)(uint32_t)low : (int128)low)
                              : (narrow ? (int128)(int32_t)low : (int128)(int64_t)low);
    bytebuf_add(out, &low, narrow ? 4 : 8);
    return back == value;
}

// Zeros have two forms, NaN many.
static bool put_float(const struct parquet_conversion *conversion, double value,
                      struct bytebuf *out)
{
    float narrow = (float)value;
    if (value == 0 || isnan(value)) {
        return false;
    }
    if (conversion->stored == PARQUET_FLOAT) {
        bytebuf_add(out, &narrow, sizeof narrow);
        return (double)narrow == value;
    }
    bytebuf_add(out, &value, sizeof value);
    return true;
}

static bool put_decimal(const struct parquet_element *element, int128 value, struct bytebuf *out)
{
    if (element->physical != PARQUET_FIXED) { // a byte array may have zeros in front
        return false;
    }
    int128 rest = value;
    char *at = bytebuf_reserve(out, (size_t)element->length);
    for (int32_t i = element->length; i-- > 0; rest >>= 8) {
        at[i] = (char)(uint8_t)rest;
    }
    out->size += (size_t)element->length;
    return rest == (value < 0 ? -1 : 0);
}

bool parquet_convert_back(const struct parquet_conversion *conversion,
                          const struct parquet_element *element, const void *value,
                          struct bytebuf *out)
{
    switch (conversion->kind) {
    case PARQUET_CONVERT_NONE:
        if (conversion->target == PHYSICAL_STRING) {
            struct str bytes = strview_str(value);
            bytebuf_add(out, bytes.ptr, bytes.size);
            return element->physical != PARQUET_FIXED || bytes.size == (size_t)element->length;
        }
        if (conversion->target == PHYSICAL_F32 || conversion->target == PHYSICAL_F64) {
            return put_float(conversion,
                             conversion->target == PHYSICAL_F64 ? *(const double *)value
                                                                : (double)*(const float *)value,
                             out);
        }
        return element->physical != PARQUET_BOOLEAN && element->physical != PARQUET_INT96 &&
               put_stored(conversion, get_int(conversion, value), out);
    case PARQUET_CONVERT_I32:
    case PARQUET_CONVERT_U32:
    case PARQUET_CONVERT_U64:
    case PARQUET_CONVERT_I64: return put_stored(conversion, get_int(conversion, value), out);
    case PARQUET_CONVERT_SCALE: {
        int128 number = get_int(conversion, value);
        return conversion->divide == 1 && number % conversion->multiply == 0 &&
               put_stored(conversion, number / conversion->multiply, out);
    }
    case PARQUET_CONVERT_NANO: {
        const struct nano *nano = value;
        int64_t unit = conversion->divide > 0 ? NANOS_A_SECOND / conversion->divide : 0;
        return unit > 0 && nano->nanosecond % unit == 0 &&
               put_stored(conversion,
                          (int128)nano->second * conversion->divide + nano->nanosecond / unit, out);
    }
    case PARQUET_CONVERT_F32: return put_float(conversion, *(const double *)value, out);
    case PARQUET_CONVERT_DECIMAL: return put_decimal(element, get_int(conversion, value), out);
    case PARQUET_CONVERT_I96:
    case PARQUET_CONVERT_F16: break;
    }
    return false;
}
