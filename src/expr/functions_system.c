// SPDX-License-Identifier: Apache-2.0
//
// What belongs to no other family.
#include <string.h>
#include <sys/random.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "expr/binding.h"
#include "expr/families.h"
#include "expr/printf_format.h"
#include "expr/rows.h"

static enum status resolve_uuid(struct function_binding *binding, struct err *err)
{
    (void)err;
    binding->type = type_sized(binding->arena, TYPE_CHAR, 36, false);
    return STATUS_OK;
}

// Version 4 of RFC 9562: 122 random bits.
static enum status row_uuid(const struct function_call *call, uint32_t row,
                            struct function_value *value, struct err *err)
{
    (void)row;
    unsigned char bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) {
        return ERR(err, STATUS_IO, "UUID: the system has no random numbers");
    }
    bytes[6] = (unsigned char)((bytes[6] & 0x0f) | 0x40);
    bytes[8] = (unsigned char)((bytes[8] & 0x3f) | 0x80);
    static const char digits[] = "0123456789abcdef";
    char *text = arena_alloc(call->arena, 36);
    size_t at = 0;
    for (uint32_t i = 0; i < sizeof bytes; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) {
            text[at++] = '-';
        }
        text[at++] = digits[bytes[i] >> 4];
        text[at++] = digits[bytes[i] & 15];
    }
    value->text = str_make(text, at);
    return STATUS_OK;
}

// PRINTF(format, ...): NULL where the format is bad or does not fit its values.
static enum status resolve_printf(struct function_binding *binding, struct err *err)
{
    if (!type_is_character(binding_type(binding, 0))) {
        return binding_refuse(binding, err);
    }
    for (uint32_t i = 1; i < binding->arg_count; i++) {
        if (binding_type(binding, i)->kind == TYPE_NULL) {
            return binding_refuse(binding, err);
        }
    }
    binding_result(binding, &type_string, true);
    return STATUS_OK;
}

static enum status row_printf(const struct function_call *call, uint32_t row,
                              struct function_value *value, struct err *err)
{
    (void)err;
    value->is_null = rows_is_null(call, 0, row);
    if (value->is_null) {
        return STATUS_OK;
    }
    struct strbuf text;
    strbuf_init(&text, 1 << 20);
    value->is_null = !printf_format_write(call, row, &text) || text.truncated;
    if (!value->is_null) {
        value->text = arena_str(call->arena, strbuf_str(&text));
    }
    strbuf_release(&text);
    return STATUS_OK;
}

// HASH_CODE: Java's hashCode() of numbers, dates, times and booleans.
static enum status resolve_hash_code(struct function_binding *binding, struct err *err)
{
    const struct type *type = binding_type(binding, 0);
    if (!type_is_numeric(type) && type->kind != TYPE_BOOLEAN && type->kind != TYPE_DATE &&
        type->kind != TYPE_TIME) {
        return binding_refuse(binding, err);
    }
    binding_result(binding, &type_int, type->nullable);
    return STATUS_OK;
}

static uint32_t hash_i64(int64_t value)
{
    return (uint32_t)((uint64_t)value ^ (uint64_t)value >> 32);
}

// BigDecimal.hashCode(): of the digits in words of 32 bits, the highest first, and the scale.
static uint32_t hash_decimal(int128 value, int32_t scale)
{
    uint128 rest = value < 0 ? 0 - (uint128)value : (uint128)value;
    uint32_t hash = 0;
    for (int shift = 96; shift >= 0; shift -= 32) {
        hash = 31 * hash + (uint32_t)(rest >> shift);
    }
    hash = value < 0 ? 0 - hash : hash;
    return 31 * hash + (uint32_t)scale;
}

static enum status row_hash_code(const struct function_call *call, uint32_t row,
                                 struct function_value *value, struct err *err)
{
    (void)err;
    const struct type *type = call->expr->args[0]->type;
    uint32_t hash;
    if (type->kind == TYPE_DECIMAL) {
        hash = hash_decimal(rows_i128(call, 0, row), type->scale);
    } else if (type->kind == TYPE_DOUBLE) {
        double number = rows_f64(call, 0, row);
        int64_t bits;
        memcpy(&bits, &number, sizeof bits);
        hash = hash_i64(bits);
    } else if (type->kind == TYPE_FLOAT) {
        float number = (float)rows_f64(call, 0, row);
        memcpy(&hash, &number, sizeof hash);
    } else if (type->kind == TYPE_BOOLEAN) {
        hash = rows_i64(call, 0, row) != 0 ? 1231 : 1237;
    } else {
        int64_t number = rows_i64(call, 0, row);
        hash = type->kind == TYPE_BIGINT ? hash_i64(number) : (uint32_t)number;
    }
    value->i64 = (int32_t)hash;
    return STATUS_OK;
}

static const struct function functions[] = {
    {.name = "PRINTF",
     .properties = FUNCTION_DETERMINISTIC,
     .args_min = 1,
     .args_max = -1,
     .resolve = resolve_printf,
     .row = row_printf,
     .signature = "PRINTF(<CHARACTER>, <ANY>, ...)",
     .doc = "a text by a format of Java's: %d, %s, %5.2f; NULL where it does not fit"},
    {.name = "HASH_CODE",
     .properties = FUNCTION_PURE,
     .args_min = 1,
     .args_max = 1,
     .resolve = resolve_hash_code,
     .row = row_hash_code,
     .signature = "HASH_CODE(<NUMERIC, BOOLEAN, DATE or TIME>)",
     .doc = "a hash of 32 bits"},
    {.name = "UUID",
     .properties = 0,
     .resolve = resolve_uuid,
     .row = row_uuid,
     .signature = "UUID()",
     .doc = "a random UUID"},
};

const struct function_family functions_system = {functions, sizeof functions / sizeof *functions};
