// SPDX-License-Identifier: Apache-2.0
#include "expr/binding.h"

#include <string.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "expr/derive.h"

enum { MESSAGE_MAX = 400 };

enum status binding_refuse(const struct function_binding *binding, struct err *err)
{
    struct strbuf text;
    strbuf_init(&text, MESSAGE_MAX);
    strbuf_printf(&text, "cannot apply '%s' to (", binding->function->name);
    for (uint32_t i = 0; i < binding->arg_count; i++) {
        strbuf_add_text(&text, i > 0 ? ", " : "");
        type_print(&text, type_with_null(binding->arena, binding->args[i]->type, true));
    }
    strbuf_printf(&text, "); supported: %s", binding->function->signature);
    (void)ERR(err, STATUS_INVALID_DATA, "%s", text.ptr);
    err_at(err, ERR_STAGE_VALIDATE, ERR_NO_OFFSET, 0);
    strbuf_release(&text);
    return STATUS_INVALID_DATA;
}

bool binding_nullable(const struct function_binding *binding)
{
    for (uint32_t i = 0; i < binding->arg_count; i++) {
        if (binding->args[i]->type->nullable) {
            return true;
        }
    }
    return false;
}

const struct type *binding_type(const struct function_binding *binding, uint32_t arg)
{
    return binding->args[arg]->type;
}

enum status binding_cast(struct function_binding *binding, uint32_t arg, const struct type *type,
                         struct err *err)
{
    const struct expr *expr = binding->args[arg];
    type = type_with_null(binding->arena, type, expr->type->nullable);
    return expr_cast(binding->arena, expr, type, &binding->args[arg], err);
}

enum status binding_cast_all(struct function_binding *binding, uint32_t from,
                             const struct type *type, struct err *err)
{
    for (uint32_t i = from; i < binding->arg_count; i++) {
        TRY(binding_cast(binding, i, type, err));
    }
    return STATUS_OK;
}

enum status binding_merge(struct function_binding *binding, enum type_kind kind, struct err *err)
{
    const struct type **types =
        arena_new_array(binding->arena, const struct type *, binding->arg_count);
    for (uint32_t i = 0; i < binding->arg_count; i++) {
        types[i] = binding_type(binding, i);
        if (types[i]->kind != kind) {
            return binding_refuse(binding, err);
        }
    }
    binding->type = derive_merged(binding->arena, types, binding->arg_count);
    if (binding->type == NULL) {
        return binding_refuse(binding, err);
    }
    return binding_cast_all(binding, 0, binding->type, err);
}

void binding_result(struct function_binding *binding, const struct type *type, bool nullable)
{
    binding->type = type_with_null(binding->arena, type, nullable);
}

static bool matches(char letter, const struct type *type)
{
    switch (letter) {
    case 'S': return type_is_character(type);
    case 'Y': return type_is_binary(type);
    case 'T': return type_is_character(type) || type_is_binary(type);
    case 'I':
    case 'L': return type_is_integer(type);
    case 'N':
    case 'F': return type_is_numeric(type);
    case 'B': return type->kind == TYPE_BOOLEAN;
    case 'A': return type->kind == TYPE_ARRAY;
    case 'M': return type->kind == TYPE_MAP;
    case 'D': return type_is_timestamp(type);
    default: return letter == '?' && type->kind != TYPE_NULL;
    }
}

enum status binding_match(struct function_binding *binding, const char *pattern, struct err *err)
{
    size_t letters = strlen(pattern);
    for (uint32_t i = 0; i < binding->arg_count; i++) {
        char letter = pattern[i < letters ? i : letters - 1];
        if (!matches(letter, binding_type(binding, i))) {
            return binding_refuse(binding, err);
        }
        if (letter == 'I') {
            TRY(binding_cast(binding, i, &type_int, err));
        } else if (letter == 'L') {
            TRY(binding_cast(binding, i, &type_bigint, err));
        } else if (letter == 'F') {
            TRY(binding_cast(binding, i, &type_double, err));
        }
    }
    return STATUS_OK;
}

static const struct type *result_type(const struct function_binding *binding)
{
    switch (binding->function->result) {
    case FUNCTION_RESULT_BOOLEAN: return &type_boolean;
    case FUNCTION_RESULT_INT: return &type_int;
    case FUNCTION_RESULT_BIGINT: return &type_bigint;
    case FUNCTION_RESULT_DOUBLE: return &type_double;
    case FUNCTION_RESULT_STRING: return &type_string;
    case FUNCTION_RESULT_BYTES: return &type_bytes;
    case FUNCTION_RESULT_DATE: return &type_date;
    case FUNCTION_RESULT_TIME: return &type_time;
    case FUNCTION_RESULT_TIMESTAMP3: return &type_timestamp3;
    case FUNCTION_RESULT_TIMESTAMP_LTZ3: return &type_timestamp_ltz3;
    case FUNCTION_RESULT_FIRST: return binding_type(binding, 0);
    case FUNCTION_RESULT_FIRST_VARYING:
        return type_sized(binding->arena,
                          type_is_binary(binding_type(binding, 0)) ? TYPE_VARBINARY : TYPE_VARCHAR,
                          binding_type(binding, 0)->length, true);
    case FUNCTION_RESULT_ARRAY_STRING: return type_array(binding->arena, &type_string, true);
    }
    return NULL;
}

enum status binding_by_pattern(struct function_binding *binding, struct err *err)
{
    TRY(binding_match(binding, binding->function->pattern, err));
    binding_result(binding, result_type(binding),
                   binding->function->result_nullable || binding_nullable(binding));
    return STATUS_OK;
}

bool binding_constant(const struct function_binding *binding, uint32_t arg, int64_t *value)
{
    const struct expr *expr = binding->args[arg];
    if (!expr_is_constant(expr) || !type_is_integer(expr->type)) {
        return false;
    }
    struct arena scratch;
    arena_init(&scratch);
    struct column column;
    bool known = expr_evaluate(&scratch, expr, NULL, &column, NULL) == STATUS_OK &&
                 !column_is_null(&column, 0);
    if (known) {
        const void *at = column_value(&column, 0);
        switch (physical_width(column.physical)) {
        case 1: *value = *(const int8_t *)at; break;
        case 2: *value = *(const int16_t *)at; break;
        case 4: *value = *(const int32_t *)at; break;
        default: *value = *(const int64_t *)at; break;
        }
    }
    arena_release(&scratch);
    return known;
}

enum status binding_replace(struct function_binding *binding, const char *name,
                            struct expr_list args, struct err *err)
{
    return expr_call(binding->arena, name, args, &binding->other, err);
}
