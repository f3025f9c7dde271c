// SPDX-License-Identifier: Apache-2.0
//
// binding: what resolvers of functions (function.h) are written with. All failures are of stage
// validate; the place is put in by function_resolve().
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "expr/function.h"

// "Cannot apply 'UPPER' to arguments (INT). Supported: UPPER(<CHARACTER>)".
MUST_USE enum status binding_refuse(const struct function_binding *binding, struct err *err);

bool binding_nullable(const struct function_binding *binding); // any argument is
const struct type *binding_type(const struct function_binding *binding, uint32_t arg);

// Puts a CAST around the argument unless it has the type already; it keeps its own nullability.
MUST_USE enum status binding_cast(struct function_binding *binding, uint32_t arg,
                                  const struct type *type, struct err *err);
MUST_USE enum status binding_cast_all(struct function_binding *binding, uint32_t from,
                                      const struct type *type, struct err *err);

// Arguments of one kind (all arrays, all maps) to the type they have in common, the result's too;
// refuses others.
MUST_USE enum status binding_merge(struct function_binding *binding, enum type_kind kind,
                                   struct err *err);

// Sets the result: `type` with the nullability given.
void binding_result(struct function_binding *binding, const struct type *type, bool nullable);

// Checks and casts arguments by a pattern (function.h); refuses what does not fit.
MUST_USE enum status binding_match(struct function_binding *binding, const char *pattern,
                                   struct err *err);
// The resolver of functions that have a pattern.
MUST_USE enum status binding_by_pattern(struct function_binding *binding, struct err *err);
// The value of an integer argument that does not depend on rows; false where it does or is null.
bool binding_constant(const struct function_binding *binding, uint32_t arg, int64_t *value);
// Replaces the call by another, put together from its arguments.
MUST_USE enum status binding_replace(struct function_binding *binding, const char *name,
                                     struct expr_list args, struct err *err);
