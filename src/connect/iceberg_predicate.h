// SPDX-License-Identifier: Apache-2.0
//
// iceberg_predicate: what of a condition can be pushed down into an Iceberg scan: the conjuncts
// `column op literal` (either way round), IN lists of literals, IS [NOT] NULL; the rest is left to
// the filter above, which sees all rows in any case (data/predicate.h).
#pragma once

#include "data/predicate.h"

struct arena;
struct plan_node;

// In `arena`; NULL where nothing can be pushed down.
const struct predicate *iceberg_predicate_make(struct arena *arena, const struct plan_node *scan);
