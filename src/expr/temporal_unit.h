// SPDX-License-Identifier: Apache-2.0
//
// temporal_unit: units of time as SQL names them (function.h) and as the kernels do.
#pragma once

#include "expr/function.h"
#include "kernel/temporal.h"

static inline enum temporal_unit temporal_unit_of(enum function_unit unit)
{
    static const enum temporal_unit units[] = {[FUNCTION_UNIT_NONE] =
                                                   TEMPORAL_NANOSECOND, // not looked at
#define X(name) [FUNCTION_UNIT_##name] = TEMPORAL_##name,
                                               TEMPORAL_UNIT_LIST(X)
#undef X
    };
    return units[unit];
}
