// SPDX-License-Identifier: Apache-2.0
#include "exec/column_map.h"

#include "base/assert.h"

const uint32_t *column_map_ids(struct arena *arena, const struct plan_node *node)
{
    uint32_t *ids = arena_new_array(arena, uint32_t, node->column_count);
    for (uint32_t i = 0; i < node->column_count; i++) {
        ids[i] = node->columns[i].id;
    }
    return ids;
}

const uint32_t *column_map_positions(struct arena *arena, const struct plan_node *node,
                                     struct plan_ids ids)
{
    uint32_t *positions = arena_new_array(arena, uint32_t, ids.count);
    for (uint32_t i = 0; i < ids.count; i++) {
        positions[i] = plan_column_index(node, ids.ids[i]);
        ASSERT(positions[i] != UINT32_MAX && "the planner names a column that is not there");
    }
    return positions;
}

uint32_t column_map_used(const struct plan_node *node, const struct expr *const *exprs,
                         uint32_t expr_count, uint32_t *ids, uint32_t *positions)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < node->column_count; i++) {
        bool used = false;
        for (uint32_t e = 0; e < expr_count && !used; e++) {
            used = expr_uses_column(exprs[e], node->columns[i].id);
        }
        if (used) {
            ids[count] = node->columns[i].id;
            positions[count++] = i;
        }
    }
    return count;
}
