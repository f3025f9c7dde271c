// SPDX-License-Identifier: Apache-2.0
//
// CAST, TRY_CAST, TYPEOF.
#include "base/arena.h"
#include "expr/binding.h"
#include "expr/families.h"
#include "expr/kernels.h"
#include "kernel/cast.h"

// Whether every value of `from` is a value of `to` as it is held.
static bool is_widening(const struct type *from, const struct type *to)
{
    if (type_equal_nullability_aside(from, to)) {
        return true;
    }
    bool text = type_is_character(from) && to->kind == TYPE_VARCHAR;
    bool bytes = type_is_binary(from) && to->kind == TYPE_VARBINARY;
    if (text || bytes) {
        return from->length <= to->length;
    }
    return type_is_timestamp(from) && from->kind == to->kind && from->length <= to->length &&
           type_physical(from) == type_physical(to);
}

// Casts that Flink refuses for values, and not for a NULL that is written out.
static bool null_may_become(const struct type *from, const struct type *to)
{
    return (type_is_numeric(from) && type_is_timestamp(to)) ||
           (type_is_timestamp(from) && type_is_numeric(to)) ||
           (type_is_character(from) &&
            (to->kind == TYPE_INTERVAL_MONTH || to->kind == TYPE_INTERVAL_SECOND));
}

static enum status resolve_cast(struct function_binding *binding, struct err *err)
{
    const struct type *from = binding_type(binding, 0);
    const struct type *to = binding->options->target;
    if (to == NULL) {
        return binding_refuse(binding, err);
    }
    // As in Flink, TIME has no fraction, whatever is written, unless it asks for microseconds.
    if (to->kind == TYPE_TIME && type_physical(to) == PHYSICAL_I32 && to->length != 0) {
        to = type_sized(binding->arena, TYPE_TIME, 0, to->nullable);
    }
    bool is_try = binding->function->name[0] == 'T';
    bool to_interval = to->kind == TYPE_INTERVAL_MONTH || to->kind == TYPE_INTERVAL_SECOND;
    if (from->kind == TYPE_NULL ||
        (!is_try && expr_is_literal_null(binding->args[0]) && null_may_become(from, to))) {
        binding->other = expr_null(binding->arena, to);
        return STATUS_OK;
    }
    bool known = type_equal_nullability_aside(from, to) ||
                 (cast_is_known(from, to) && !(to_interval && type_is_numeric(from)));
    if (!known) {
        struct str from_text =
            type_text(binding->arena, type_with_null(binding->arena, from, true));
        struct str to_text = type_text(binding->arena, type_with_null(binding->arena, to, true));
        return ERR(err, STATUS_INVALID_DATA, "there is no cast from %.*s to %.*s",
                   STR_ARGS(from_text), STR_ARGS(to_text));
    }
    binding_result(binding, to, is_try || from->nullable);
    return STATUS_OK;
}

static enum status evaluate(struct function_call *call, bool is_try, struct column *out,
                            struct err *err)
{
    const struct type *from = call->expr->args[0]->type;
    const struct type *to = call->expr->type;
    if (is_widening(from, to)) {
        *out = call->args[0];
        return STATUS_OK;
    }
    struct kernel_run run = kernels_begin(call);
    struct cast_types types = {.from = from, .to = to, .zone = call->settings->zone};
    cast_column(&run, &types, &call->args[0], out);
    return is_try ? STATUS_OK : kernels_end(call, &run, err);
}

static enum status evaluate_cast(struct function_call *call, struct column *out, struct err *err)
{
    return evaluate(call, false, out, err);
}

static enum status evaluate_try_cast(struct function_call *call, struct column *out,
                                     struct err *err)
{
    return evaluate(call, true, out, err);
}

static enum status resolve_typeof(struct function_binding *binding, struct err *err)
{
    (void)err;
    struct str text = type_text(binding->arena, binding_type(binding, 0));
    binding->other = expr_literal_string(binding->arena, &type_string, text);
    return STATUS_OK;
}

static const struct function functions[] = {
    {.name = "CAST",
     .syntax = FUNCTION_SYNTAX_SPECIAL,
     .properties = FUNCTION_PURE_CAN_ERROR,
     .args_min = 1,
     .args_max = 1,
     .resolve = resolve_cast,
     .evaluate = evaluate_cast,
     .signature = "CAST(<ANY> AS <TYPE>)",
     .doc = "the value as another type; an error where it cannot be read"},
    {.name = "TRY_CAST",
     .syntax = FUNCTION_SYNTAX_SPECIAL,
     .properties = FUNCTION_PURE,
     .args_min = 1,
     .args_max = 1,
     .resolve = resolve_cast,
     .evaluate = evaluate_try_cast,
     .signature = "TRY_CAST(<ANY> AS <TYPE>)",
     .doc = "the value as another type; NULL where it cannot be read"},
    {.name = "TYPEOF",
     .properties = FUNCTION_DETERMINISTIC,
     .args_min = 1,
     .args_max = 2,
     .resolve = resolve_typeof,
     .signature = "TYPEOF(<ANY> [, <BOOLEAN>])",
     .doc = "the type of the argument, as text"},
};

const struct function_family functions_cast = {functions, sizeof functions / sizeof *functions};
