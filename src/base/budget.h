// SPDX-License-Identifier: Apache-2.0
//
// budget: how much memory somebody may hold. Budgets form a tree (process > job > operator); taking
// from one takes from all above it, and fails, changing nothing, where one of them is full.
//
// Running into a limit is an expected answer (STATUS_LIMIT): the owner spills, pushes back or
// refuses. Any thread; the figures are atomic.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"

struct budget {
    struct budget *parent; // NULL at the root
    size_t limit;          // SIZE_MAX: only the parents limit
    _Atomic size_t used;
    _Atomic size_t peak;
};

void budget_init(struct budget *budget, struct budget *parent, size_t limit);
MUST_USE bool budget_take(struct budget *budget, size_t size);
// Takes in any case; for memory that exists already and must be accounted for. The owner looks at
// budget_excess() soon after.
void budget_force(struct budget *budget, size_t size);
void budget_give(struct budget *budget, size_t size);
// What the tightest of the budgets above is over by; 0 where all are within.
size_t budget_excess(const struct budget *budget);
// What could be taken now.
size_t budget_room(const struct budget *budget);
