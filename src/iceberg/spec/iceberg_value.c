// SPDX-License-Identifier: Apache-2.0
#include "iceberg/spec/iceberg_value.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "data/column.h"
#include "data/datetime.h"
#include "data/decimal.h"
#include "data/float_text.h"
#include "iceberg/spec/iceberg_type.h"

enum form { FORM_I64, FORM_F64, FORM_I128, FORM_BYTES };

static enum form form_of(const struct iceberg_type *type)
{
    switch (type->kind) {
    case ICEBERG_FLOAT:
    case ICEBERG_DOUBLE: return FORM_F64;
    case ICEBERG_DECIMAL: return FORM_I128;
    case ICEBERG_STRING:
    case ICEBERG_UUID:
    case ICEBERG_BINARY:
    case ICEBERG_FIXED:
    case ICEBERG_VARIANT:
    case ICEBERG_GEOMETRY:
    case ICEBERG_GEOGRAPHY: return FORM_BYTES;
    case ICEBERG_BOOLEAN:
    case ICEBERG_INT:
    case ICEBERG_LONG:
    case ICEBERG_DATE:
    case ICEBERG_TIME:
    case ICEBERG_TIMESTAMP:
    case ICEBERG_TIMESTAMPTZ:
    case ICEBERG_TIMESTAMP_NS:
    case ICEBERG_TIMESTAMPTZ_NS:
    case ICEBERG_UNKNOWN:
    case ICEBERG_STRUCT:
    case ICEBERG_LIST:
    case ICEBERG_MAP: break;
    }
    return FORM_I64;
}

// The bits of a double with one NaN.
static uint64_t canonical_bits(double value)
{
    uint64_t bits;
    if (isnan(value)) {
        return UINT64_C(0x7ff8000000000000);
    }
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

bool iceberg_value_is_nan(const struct iceberg_type *type, const struct iceberg_value *value)
{
    return !value->is_null && form_of(type) == FORM_F64 && isnan(value->as.f64);
}

bool iceberg_value_equal(const struct iceberg_type *type, const struct iceberg_value *a,
                         const struct iceberg_value *b)
{
    if (a->is_null || b->is_null) {
        return a->is_null == b->is_null;
    }
    switch (form_of(type)) {
    case FORM_I64: return a->as.i64 == b->as.i64;
    case FORM_F64: return canonical_bits(a->as.f64) == canonical_bits(b->as.f64);
    case FORM_I128: return a->as.i128 == b->as.i128;
    case FORM_BYTES: return str_equal(a->as.bytes, b->as.bytes);
    }
    return false;
}

uint64_t iceberg_value_hash(const struct iceberg_type *type, const struct iceberg_value *value)
{
    if (value->is_null) {
        return 1;
    }
    switch (form_of(type)) {
    case FORM_I64: return hash_word((uint64_t)value->as.i64 + 2);
    case FORM_F64: return hash_word(canonical_bits(value->as.f64) + 2);
    case FORM_I128: return hash_combine((uint64_t)value->as.i128, (uint64_t)(value->as.i128 >> 64));
    case FORM_BYTES: return hash_bytes(value->as.bytes.ptr, value->as.bytes.size, 0);
    }
    return 0;
}

void iceberg_value_add_key(struct strbuf *out, const struct iceberg_type *type,
                           const struct iceberg_value *value)
{
    enum form form = form_of(type);
    uint64_t bits;
    strbuf_add_byte(out, value->is_null ? 'n' : (char)('0' + form));
    if (value->is_null) {
        return;
    }
    switch (form) {
    case FORM_I64:
        strbuf_add(out, str_make((const char *)&value->as.i64, sizeof value->as.i64));
        break;
    case FORM_F64:
        bits = canonical_bits(value->as.f64);
        strbuf_add(out, str_make((const char *)&bits, sizeof bits));
        break;
    case FORM_I128:
        strbuf_add(out, str_make((const char *)&value->as.i128, sizeof value->as.i128));
        break;
    case FORM_BYTES:
        bits = value->as.bytes.size;
        strbuf_add(out, str_make((const char *)&bits, sizeof bits));
        strbuf_add(out, value->as.bytes);
        break;
    }
}

static int compare_f64(double a, double b)
{
    if (isnan(a) || isnan(b)) {
        return (isnan(a) ? 1 : 0) - (isnan(b) ? 1 : 0);
    }
    if (a < b || a > b) {
        return a < b ? -1 : 1;
    }
    return (signbit(b) != 0 ? 1 : 0) - (signbit(a) != 0 ? 1 : 0); // -0.0 before 0.0
}

int iceberg_value_compare(const struct iceberg_type *type, const struct iceberg_value *a,
                          const struct iceberg_value *b)
{
    switch (form_of(type)) {
    case FORM_I64: return a->as.i64 < b->as.i64 ? -1 : a->as.i64 > b->as.i64;
    case FORM_F64: return compare_f64(a->as.f64, b->as.f64);
    case FORM_I128: return a->as.i128 < b->as.i128 ? -1 : a->as.i128 > b->as.i128;
    case FORM_BYTES: return str_compare(a->as.bytes, b->as.bytes);
    }
    return 0;
}

struct iceberg_value iceberg_value_copy(struct arena *arena, const struct iceberg_type *type,
                                        const struct iceberg_value *value)
{
    struct iceberg_value copy = *value;
    if (!value->is_null && form_of(type) == FORM_BYTES) {
        copy.as.bytes = arena_str(arena, value->as.bytes);
    }
    return copy;
}

uint32_t iceberg_value_decimal_bytes(int128 unscaled, unsigned char out[16])
{
    uint32_t size = 16;
    // Drop leading bytes that only repeat the sign.
    while (size > 1) {
        int128 above = unscaled >> (8 * (size - 1) - 1);
        if (above != 0 && above != -1) {
            break;
        }
        size--;
    }
    for (uint32_t i = 0; i < size; i++) {
        out[i] = (unsigned char)(unscaled >> (8 * (size - 1 - i)));
    }
    return size;
}

struct str iceberg_value_encode(struct arena *arena, const struct iceberg_type *type,
                                const struct iceberg_value *value)
{
    unsigned char bytes[16];
    uint32_t size = 8;
    switch (form_of(type)) {
    case FORM_BYTES: return value->as.bytes;
    case FORM_I128: size = iceberg_value_decimal_bytes(value->as.i128, bytes); break;
    case FORM_F64:
        if (type->kind == ICEBERG_FLOAT) {
            float narrow = (float)value->as.f64;
            size = 4;
            memcpy(bytes, &narrow, 4);
        } else {
            memcpy(bytes, &value->as.f64, 8);
        }
        break;
    case FORM_I64:
        size = type->kind == ICEBERG_BOOLEAN                             ? 1
               : type->kind == ICEBERG_INT || type->kind == ICEBERG_DATE ? 4
                                                                         : 8;
        memcpy(bytes, &value->as.i64, size); // little-endian
        break;
    }
    return str_make(arena_copy(arena, bytes, size), size);
}

static enum status bad_length(const struct iceberg_type *type, struct str bytes, struct err *err)
{
    struct strbuf text;
    strbuf_init(&text, 100);
    iceberg_type_print(&text, type);
    enum status status =
        ERR(err, STATUS_INVALID_DATA, "a bound of %zu bytes for %s", bytes.size, text.ptr);
    strbuf_release(&text);
    return status;
}

static int128 decimal_of_bytes(struct str bytes)
{
    uint128 value = (bytes.ptr[0] & 0x80) != 0 ? ~(uint128)0 : 0;
    for (size_t i = 0; i < bytes.size; i++) {
        value = value << 8 | (unsigned char)bytes.ptr[i];
    }
    return (int128)value;
}

static enum status decode_integer(const struct iceberg_type *type, struct str bytes,
                                  struct iceberg_value *out, struct err *err)
{
    if (type->kind == ICEBERG_BOOLEAN) {
        out->as.i64 = bytes.size == 1 && bytes.ptr[0] != 0;
        return bytes.size == 1 ? STATUS_OK : bad_length(type, bytes, err);
    }
    if (bytes.size == 4) {
        int32_t narrow;
        memcpy(&narrow, bytes.ptr, 4);
        out->as.i64 = narrow;
        // date -> timestamp: the only promotion that changes the unit.
        if (type->kind == ICEBERG_TIMESTAMP) {
            out->as.i64 *= INT64_C(86400000000);
        } else if (type->kind == ICEBERG_TIMESTAMP_NS &&
                   __builtin_mul_overflow(out->as.i64, INT64_C(86400000000000), &out->as.i64)) {
            return bad_length(type, bytes, err);
        }
        return type->kind == ICEBERG_INT || type->kind == ICEBERG_DATE ||
                       type->kind == ICEBERG_LONG || type->kind == ICEBERG_TIMESTAMP ||
                       type->kind == ICEBERG_TIMESTAMP_NS
                   ? STATUS_OK
                   : bad_length(type, bytes, err);
    }
    if (bytes.size != 8) {
        return bad_length(type, bytes, err);
    }
    memcpy(&out->as.i64, bytes.ptr, 8); // ints and dates of 8 bytes are some writers' defect
    return STATUS_OK;
}

enum status iceberg_value_decode(const struct iceberg_type *type, struct str bytes,
                                 struct iceberg_value *out, struct err *err)
{
    *out = (struct iceberg_value){0};
    switch (form_of(type)) {
    case FORM_BYTES: out->as.bytes = bytes; return STATUS_OK;
    case FORM_I128:
        if (bytes.size == 0 || bytes.size > 16) {
            return bad_length(type, bytes, err);
        }
        out->as.i128 = decimal_of_bytes(bytes);
        return STATUS_OK;
    case FORM_F64:
        if (bytes.size == 4) {
            float narrow;
            memcpy(&narrow, bytes.ptr, 4);
            out->as.f64 = (double)narrow;
            return STATUS_OK;
        }
        if (bytes.size != 8) {
            return bad_length(type, bytes, err);
        }
        memcpy(&out->as.f64, bytes.ptr, 8);
        return STATUS_OK;
    case FORM_I64: return decode_integer(type, bytes, out, err);
    }
    return STATUS_OK;
}

struct iceberg_value iceberg_value_of_row(const struct iceberg_type *type,
                                          const struct column *column, uint32_t row)
{
    struct iceberg_value out = {.is_null = column_is_null(column, row)};
    if (out.is_null) {
        return out;
    }
    const void *at = column_value(column, row);
    switch (column->physical) {
    case PHYSICAL_BOOL: out.as.i64 = *(const uint8_t *)at; break;
    case PHYSICAL_I8: out.as.i64 = *(const int8_t *)at; break;
    case PHYSICAL_I16: out.as.i64 = *(const int16_t *)at; break;
    case PHYSICAL_I32:
        out.as.i64 = *(const int32_t *)at;
        if (type->kind == ICEBERG_TIME) {
            out.as.i64 *= 1000; // a TIME of milliseconds; Iceberg has microseconds
        }
        break;
    case PHYSICAL_I64:
        if (type->kind == ICEBERG_DECIMAL) {
            out.as.i128 = *(const int64_t *)at;
        } else {
            out.as.i64 = *(const int64_t *)at;
        }
        break;
    case PHYSICAL_I128: out.as.i128 = *(const int128 *)at; break;
    case PHYSICAL_F32: out.as.f64 = (double)*(const float *)at; break;
    case PHYSICAL_F64: out.as.f64 = *(const double *)at; break;
    case PHYSICAL_NANO: // of a literal the nearest that a column can have
        (void)datetime_ns_from_nano(*(const struct nano *)at, &out.as.i64);
        break;
    case PHYSICAL_STRING: out.as.bytes = strview_str(at); break;
    case PHYSICAL_LIST:
    case PHYSICAL_MAP:
    case PHYSICAL_ROW: out.is_null = true; break;
    }
    return out;
}

static void *put_value(struct arena *arena, const struct iceberg_type *type,
                       const struct iceberg_value *value, enum physical *physical)
{
    void *out = arena_zalloc(arena, 16);
    int64_t whole = value->as.i64;
    switch (type->kind) {
    case ICEBERG_BOOLEAN:
    case ICEBERG_UNKNOWN:
        *physical = PHYSICAL_BOOL;
        *(uint8_t *)out = (uint8_t)whole;
        break;
    case ICEBERG_INT:
    case ICEBERG_DATE:
        *physical = PHYSICAL_I32;
        *(int32_t *)out = (int32_t)whole;
        break;
    case ICEBERG_DECIMAL:
        *physical = type->precision <= 18 ? PHYSICAL_I64 : PHYSICAL_I128;
        if (type->precision <= 18) {
            *(int64_t *)out = (int64_t)value->as.i128;
        } else {
            *(int128 *)out = value->as.i128;
        }
        break;
    case ICEBERG_FLOAT:
        *physical = PHYSICAL_F32;
        *(float *)out = (float)value->as.f64;
        break;
    case ICEBERG_DOUBLE:
        *physical = PHYSICAL_F64;
        *(double *)out = value->as.f64;
        break;
    case ICEBERG_TIMESTAMP_NS:
    case ICEBERG_TIMESTAMPTZ_NS: {
        int64_t second = whole / 1000000000 - (whole % 1000000000 < 0);
        *physical = PHYSICAL_NANO;
        *(struct nano *)out = (struct nano){second, whole - second * 1000000000};
        break;
    }
    case ICEBERG_STRING:
    case ICEBERG_UUID:
    case ICEBERG_FIXED:
    case ICEBERG_BINARY:
    case ICEBERG_VARIANT:
    case ICEBERG_GEOMETRY:
    case ICEBERG_GEOGRAPHY:
        *physical = PHYSICAL_STRING;
        *(struct strview *)out = strview_make(value->as.bytes.ptr, value->as.bytes.size);
        break;
    case ICEBERG_LONG:
    case ICEBERG_TIME:
    case ICEBERG_TIMESTAMP:
    case ICEBERG_TIMESTAMPTZ:
    case ICEBERG_STRUCT:
    case ICEBERG_LIST:
    case ICEBERG_MAP:
        *physical = PHYSICAL_I64;
        *(int64_t *)out = whole;
        break;
    }
    return out;
}

struct column iceberg_value_column(struct arena *arena, const struct iceberg_type *type,
                                   const struct iceberg_value *value, uint32_t row_count)
{
    static const uint64_t none[1] = {0};
    static const struct iceberg_value zero;
    struct column column = {.encoding = ENCODING_CONST, .row_count = row_count};
    struct iceberg_value copy = value->is_null ? zero : iceberg_value_copy(arena, type, value);
    column.values = put_value(arena, type, &copy, &column.physical);
    column.valid = value->is_null ? none : NULL;
    return column;
}
