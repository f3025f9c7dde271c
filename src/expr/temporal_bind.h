// SPDX-License-Identifier: Apache-2.0
//
// temporal_bind: arithmetic of times and intervals, for the operators + - * and FLOOR, CEIL, whose
// entries in the table serve numbers too. `options` of kernels are made from types at each call.
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "expr/function.h"

bool temporal_bind_is_time(const struct type *type);               // DATE, TIME, TIMESTAMPs
bool temporal_bind_is_for(const struct function_binding *binding); // a time or interval in it

MUST_USE enum status temporal_bind_plus(struct function_binding *binding, struct err *err);
MUST_USE enum status temporal_bind_minus(struct function_binding *binding, struct err *err);
MUST_USE enum status temporal_bind_times(struct function_binding *binding, struct err *err);
MUST_USE enum status temporal_bind_floor(struct function_binding *binding, struct err *err);

// time + interval, time - interval
MUST_USE enum status temporal_bind_evaluate(struct function_call *call, bool subtract,
                                            struct column *out, struct err *err);
// (time - time) unit
MUST_USE enum status temporal_bind_difference(struct function_call *call, struct column *out,
                                              struct err *err);
MUST_USE enum status temporal_bind_evaluate_floor(struct function_call *call, bool is_ceil,
                                                  struct column *out, struct err *err);
