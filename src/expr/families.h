// SPDX-License-Identifier: Apache-2.0
//
// families: the parts of the function table; each is defined in the file of its name. Within the
// layer only: others go through function.h.
#pragma once

#include "expr/function.h"

extern const struct function_family functions_logical;
extern const struct function_family functions_comparison;
extern const struct function_family functions_arithmetic;
extern const struct function_family functions_math;
extern const struct function_family functions_conditional;
extern const struct function_family functions_cast;
extern const struct function_family functions_string;
extern const struct function_family functions_regex;
extern const struct function_family functions_encoding;
extern const struct function_family functions_temporal;
extern const struct function_family functions_format;
extern const struct function_family functions_collection;
extern const struct function_family functions_array;
extern const struct function_family functions_map;
extern const struct function_family functions_json;
extern const struct function_family functions_json_query;
extern const struct function_family functions_system;

// The usual properties of a pure function.
#define FUNCTION_PURE (FUNCTION_DETERMINISTIC | FUNCTION_NULL_IN_NULL_OUT)
#define FUNCTION_PURE_CAN_ERROR (FUNCTION_PURE | FUNCTION_CAN_ERROR)
