// SPDX-License-Identifier: Apache-2.0
//
// column_map: from the column ids of a plan to positions in a node's batches, for constructors.
#pragma once

#include <stdint.h>

#include "base/arena.h"
#include "plan/plan.h"

// The ids of what `node` hands out, by position.
const uint32_t *column_map_ids(struct arena *arena, const struct plan_node *node);
// Positions of `ids` in the batches of `node`.
const uint32_t *column_map_positions(struct arena *arena, const struct plan_node *node,
                                     struct plan_ids ids);
// The columns of `node` that the expressions use: their ids and positions, ascending by position.
// Returns how many; both arrays have room for node->column_count.
uint32_t column_map_used(const struct plan_node *node, const struct expr *const *exprs,
                         uint32_t expr_count, uint32_t *ids, uint32_t *positions);
