// SPDX-License-Identifier: Apache-2.0
//
// CASE, IF, COALESCE, NULLIF: their evaluation is in program.c, which narrows the active rows.
#include "base/arena.h"
#include "expr/binding.h"
#include "expr/derive.h"
#include "expr/families.h"

static const struct type *null_aside(const struct function_binding *binding,
                                     const struct type *type)
{
    return type_with_null(binding->arena, type, true);
}

// Casts args from `first` on, every `step`, to their common type; the type's nullability is that of
// the least restrictive. NULL literals take it on.
static enum status cast_values(struct function_binding *binding, const uint32_t *values,
                               uint32_t count, const struct type *common, struct err *err)
{
    for (uint32_t i = 0; i < count; i++) {
        if (binding_type(binding, values[i])->kind == TYPE_NULL) {
            binding->args[values[i]] = expr_null(binding->arena, null_aside(binding, common));
        } else {
            TRY(binding_cast(binding, values[i], common, err));
        }
    }
    return STATUS_OK;
}

static enum status resolve_values(struct function_binding *binding, const uint32_t *values,
                                  uint32_t count, bool merged, struct err *err)
{
    const struct type **types = arena_new_array(binding->arena, const struct type *, count);
    for (uint32_t i = 0; i < count; i++) {
        types[i] = binding_type(binding, values[i]);
    }
    const struct type *common = merged ? derive_merged(binding->arena, types, count)
                                       : derive_least_restrictive(binding->arena, types, count);
    if (common == NULL || common->kind == TYPE_NULL) {
        return binding_refuse(binding, err);
    }
    TRY(cast_values(binding, values, count, common, err));
    binding->type = common;
    return STATUS_OK;
}

static enum status resolve_case(struct function_binding *binding, struct err *err)
{
    if (binding->arg_count % 2 == 0) {
        return binding_refuse(binding, err);
    }
    uint32_t count = binding->arg_count / 2 + 1;
    uint32_t *values = arena_new_array(binding->arena, uint32_t, count);
    for (uint32_t i = 0; i + 1 < binding->arg_count; i += 2) {
        if (binding_type(binding, i)->kind != TYPE_BOOLEAN) {
            return binding_refuse(binding, err);
        }
        values[i / 2] = i + 1;
    }
    values[count - 1] = binding->arg_count - 1;
    return resolve_values(binding, values, count, false, err);
}

static enum status resolve_if(struct function_binding *binding, struct err *err)
{
    static const uint32_t values[] = {1, 2};
    if (binding_type(binding, 0)->kind != TYPE_BOOLEAN) {
        return binding_refuse(binding, err);
    }
    bool condition_nullable = binding_type(binding, 0)->nullable;
    TRY(resolve_values(binding, values, 2, false, err));
    binding_result(binding, binding->type, condition_nullable || binding->type->nullable);
    return STATUS_OK;
}

// Null only where all arguments may be.
static enum status resolve_coalesce(struct function_binding *binding, struct err *err)
{
    uint32_t *values = arena_new_array(binding->arena, uint32_t, binding->arg_count);
    bool nullable = true;
    for (uint32_t i = 0; i < binding->arg_count; i++) {
        values[i] = i;
        nullable = nullable && binding_type(binding, i)->nullable;
    }
    TRY(resolve_values(binding, values, binding->arg_count, true, err));
    binding_result(binding, binding->type, nullable);
    return STATUS_OK;
}

static enum status resolve_ifnull(struct function_binding *binding, struct err *err)
{
    return binding_replace(binding, "COALESCE",
                           (struct expr_list){binding->args, binding->arg_count}, err);
}

static enum status resolve_nullif(struct function_binding *binding, struct err *err)
{
    const struct expr *equal;
    TRY(expr_call(binding->arena, "=", (struct expr_list){binding->args, 2}, &equal, err));
    const struct expr *parts[] = {equal, expr_null(binding->arena, binding_type(binding, 0)),
                                  binding->args[0]};
    return binding_replace(binding, "CASE", EXPR_LIST(parts), err);
}

#define FORM (FUNCTION_DETERMINISTIC | FUNCTION_FORM)

static const struct function functions[] = {
    {.name = "CASE",
     .syntax = FUNCTION_SYNTAX_SPECIAL,
     .properties = FORM,
     .args_min = 3,
     .args_max = -1,
     .resolve = resolve_case,
     .signature = "CASE WHEN <BOOLEAN> THEN <COMMON> ... [ELSE <COMMON>] END",
     .doc = "the value of the first branch whose condition is true"},
    {.name = "IF",
     .properties = FORM,
     .args_min = 3,
     .args_max = 3,
     .resolve = resolve_if,
     .signature = "IF(<BOOLEAN>, <COMMON>, <COMMON>)",
     .doc = "the second argument where the first is true, else the third"},
    {.name = "COALESCE",
     .properties = FORM,
     .args_min = 1,
     .args_max = -1,
     .resolve = resolve_coalesce,
     .signature = "COALESCE(<COMMON>, <COMMON>, ...)",
     .doc = "the first argument that is not NULL"},
    {.name = "IFNULL",
     .properties = FORM,
     .args_min = 2,
     .args_max = 2,
     .resolve = resolve_ifnull,
     .signature = "IFNULL(<COMMON>, <COMMON>)",
     .doc = "the first argument, or the second where it is NULL"},
    {.name = "NULLIF",
     .properties = FORM,
     .args_min = 2,
     .args_max = 2,
     .resolve = resolve_nullif,
     .signature = "NULLIF(<COMPARABLE>, <COMPARABLE>)",
     .doc = "NULL where the arguments are equal, else the first"},
};

const struct function_family functions_conditional = {functions,
                                                      sizeof functions / sizeof *functions};
