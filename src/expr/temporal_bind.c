// SPDX-License-Identifier: Apache-2.0
#include "expr/temporal_bind.h"

#include "base/arena.h"
#include "expr/binding.h"
#include "expr/derive.h"
#include "expr/kernels.h"
#include "expr/temporal_unit.h"
#include "kernel/temporal.h"

static bool is_interval(const struct type *type)
{
    return type->kind == TYPE_INTERVAL_MONTH || type->kind == TYPE_INTERVAL_SECOND;
}

bool temporal_bind_is_time(const struct type *type)
{
    return type->kind == TYPE_DATE || type->kind == TYPE_TIME || type_is_timestamp(type);
}

bool temporal_bind_is_for(const struct function_binding *binding)
{
    for (uint32_t i = 0; i < binding->arg_count; i++) {
        if (temporal_bind_is_time(binding_type(binding, i)) ||
            is_interval(binding_type(binding, i))) {
            return true;
        }
    }
    return false;
}

// interval and interval of one kind, or time and interval; the result has the first's type.
static enum status resolve_pair(struct function_binding *binding, struct err *err)
{
    const struct type *a = binding_type(binding, 0);
    const struct type *b = binding_type(binding, 1);
    if (!is_interval(b) || (is_interval(a) && a->kind != b->kind) ||
        (!is_interval(a) && !temporal_bind_is_time(a))) {
        return binding_refuse(binding, err);
    }
    binding_result(binding, a, binding_nullable(binding));
    return STATUS_OK;
}

enum status temporal_bind_plus(struct function_binding *binding, struct err *err)
{
    if (is_interval(binding_type(binding, 0)) && temporal_bind_is_time(binding_type(binding, 1))) {
        const struct expr *interval = binding->args[0];
        binding->args[0] = binding->args[1];
        binding->args[1] = interval;
    }
    return resolve_pair(binding, err);
}

enum status temporal_bind_minus(struct function_binding *binding, struct err *err)
{
    enum function_unit unit = binding->options->unit;
    if (unit == FUNCTION_UNIT_NONE || !temporal_bind_is_time(binding_type(binding, 0)) ||
        !temporal_bind_is_time(binding_type(binding, 1))) {
        return resolve_pair(binding, err);
    }
    const struct type *types[] = {binding_type(binding, 0), binding_type(binding, 1)};
    const struct type *common = derive_merged(binding->arena, types, 2);
    if (common == NULL) {
        return binding_refuse(binding, err);
    }
    TRY(binding_cast_all(binding, 0, common, err));
    bool is_months =
        unit == FUNCTION_UNIT_YEAR || unit == FUNCTION_UNIT_MONTH || unit == FUNCTION_UNIT_QUARTER;
    binding_result(binding, is_months ? &type_interval_month : &type_interval_second,
                   binding_nullable(binding));
    return STATUS_OK;
}

enum status temporal_bind_times(struct function_binding *binding, struct err *err)
{
    if (type_is_integer(binding_type(binding, 0))) {
        const struct expr *number = binding->args[0];
        binding->args[0] = binding->args[1];
        binding->args[1] = number;
    }
    const struct type *interval = binding_type(binding, 0);
    if (!is_interval(interval) || !type_is_integer(binding_type(binding, 1))) {
        return binding_refuse(binding, err);
    }
    TRY(binding_cast(binding, 1, interval->kind == TYPE_INTERVAL_MONTH ? &type_int : &type_bigint,
                     err));
    binding_result(binding, interval, binding_nullable(binding));
    return STATUS_OK;
}

enum status temporal_bind_floor(struct function_binding *binding, struct err *err)
{
    const struct type *type = binding_type(binding, 0);
    enum function_unit unit = binding->options->unit;
    bool known = unit != FUNCTION_UNIT_EPOCH && unit != FUNCTION_UNIT_DOW &&
                 unit != FUNCTION_UNIT_ISODOW && unit != FUNCTION_UNIT_DOY &&
                 unit != FUNCTION_UNIT_ISOYEAR;
    if (!temporal_bind_is_time(type) || !known) {
        return binding_refuse(binding, err);
    }
    binding->type = type;
    return STATUS_OK;
}

static struct temporal options_of(const struct function_call *call)
{
    return (struct temporal){.type = call->expr->args[0]->type,
                             .zone = call->settings->zone,
                             .unit = temporal_unit_of(call->expr->options->unit)};
}

enum status temporal_bind_evaluate(struct function_call *call, bool subtract, struct column *out,
                                   struct err *err)
{
    struct kernel_run run = kernels_begin(call);
    struct temporal options = options_of(call);
    if (subtract) {
        temporal_subtract(&run, &options, &call->args[0], &call->args[1], out);
    } else {
        temporal_add(&run, &options, &call->args[0], &call->args[1], out);
    }
    return kernels_end(call, &run, err);
}

enum status temporal_bind_difference(struct function_call *call, struct column *out,
                                     struct err *err)
{
    struct kernel_run run = kernels_begin(call);
    struct temporal options = options_of(call);
    if (call->expr->type->kind == TYPE_INTERVAL_MONTH) {
        temporal_diff_months(&run, &options, &call->args[0], &call->args[1], out);
    } else {
        temporal_diff_ms(&run, &options, &call->args[0], &call->args[1], out);
    }
    return kernels_end(call, &run, err);
}

enum status temporal_bind_evaluate_floor(struct function_call *call, bool is_ceil,
                                         struct column *out, struct err *err)
{
    struct kernel_run run = kernels_begin(call);
    struct temporal options = options_of(call);
    if (is_ceil) {
        temporal_ceil(&run, &options, &call->args[0], out);
    } else {
        temporal_floor(&run, &options, &call->args[0], out);
    }
    return kernels_end(call, &run, err);
}
