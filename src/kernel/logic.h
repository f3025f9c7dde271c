// SPDX-License-Identifier: Apache-2.0
//
// logic: three-valued AND, OR, NOT on masks. A truth is two masks: `is_true` and `is_null`; false
// has neither bit. Bits never stand in both.
#pragma once

#include <stdint.h>

struct logic {
    uint64_t *is_true;
    uint64_t *is_null;
};

// a becomes a AND b, a OR b, NOT a. `active` bounds NOT (NULL: the first row_count rows).
void logic_and(struct logic a, struct logic b, uint32_t row_count);
void logic_or(struct logic a, struct logic b, uint32_t row_count);
void logic_not(struct logic a, const uint64_t *active, uint32_t row_count);
// The rows of `active` (NULL: all) that are not decided by `a`: not false for AND, not true for OR.
void logic_open_for_and(struct logic a, const uint64_t *active, uint32_t row_count, uint64_t *out);
void logic_open_for_or(struct logic a, const uint64_t *active, uint32_t row_count, uint64_t *out);
