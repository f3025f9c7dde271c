// SPDX-License-Identifier: Apache-2.0
//
// What a join's conditions are: filters of one side, keys, or left over. Keys that are expressions
// become columns of a CALC below their side.
#include "base/arena.h"
#include "expr/function.h"
#include "sql/optimize_int.h"

struct sides {
    struct optimizer *optimizer;
    struct rel *join;
    uint32_t *keys[2];
    bool *null_safe;
    uint32_t count;
};

// Adds `expr` to a side's columns and returns its id.
static uint32_t key_column(struct sides *sides, uint32_t side, const struct expr *expr)
{
    if (expr->kind == EXPR_COLUMN) {
        return expr->column_id;
    }
    struct arena *arena = sides->optimizer->arena;
    struct rel *input = sides->join->inputs[side];
    uint32_t count = input->node.column_count;
    struct rel *calc = rel_calc(arena, input, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        rel_columns(calc)[i] = input->node.columns[i];
        rel_projections(calc)[i] = rel_reference(arena, &input->node.columns[i]);
    }
    rel_projections(calc)[count] = expr;
    rel_columns(calc)[count] = (struct plan_column){.id = optimize_id(sides->optimizer),
                                                    .name = arena_printf(arena, "$f%u", count),
                                                    .type = expr->type};
    sides->join->inputs[side] = calc;
    return calc->node.columns[count].id;
}

static bool is_equality(const struct expr *expr, bool *null_safe)
{
    if (expr->kind != EXPR_CALL || expr->arg_count != 2) {
        return false;
    }
    struct str name = str_from(expr->function->name);
    *null_safe = str_is(name, "IS NOT DISTINCT FROM");
    return *null_safe || str_is(name, "=");
}

static bool uses_columns(const struct expr *expr)
{
    if (expr->kind == EXPR_COLUMN) {
        return true;
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        if (uses_columns(expr->args[i])) {
            return true;
        }
    }
    return false;
}

static bool is_side(const struct rel *side, const struct expr *expr)
{
    return uses_columns(expr) && rel_covers(side, expr);
}

// left = right, in either order.
static bool take_key(struct sides *sides, const struct expr *expr)
{
    bool null_safe = false;
    if (!is_equality(expr, &null_safe) || !expr_is_deterministic(expr)) {
        return false;
    }
    const struct rel *left = sides->join->inputs[0];
    const struct rel *right = sides->join->inputs[1];
    bool straight = is_side(left, expr->args[0]) && is_side(right, expr->args[1]);
    bool turned = is_side(left, expr->args[1]) && is_side(right, expr->args[0]);
    const struct type *types[] = {expr->args[0]->type, expr->args[1]->type};
    if ((!straight && !turned) || type_physical(types[0]) != type_physical(types[1]) ||
        type_is_nested(types[0])) {
        return false;
    }
    uint32_t at = sides->count++;
    sides->keys[0][at] = key_column(sides, 0, expr->args[straight ? 0 : 1]);
    sides->keys[1][at] = key_column(sides, 1, expr->args[straight ? 1 : 0]);
    sides->null_safe[at] = null_safe;
    return true;
}

// All left columns, then all right ones; names told apart for EXPLAIN.
static void set_columns(struct arena *arena, struct rel *join)
{
    uint32_t left = join->inputs[0]->node.column_count;
    uint32_t count = left + join->inputs[1]->node.column_count;
    struct plan_column *columns = arena_new_array(arena, struct plan_column, count);
    for (uint32_t i = 0; i < count; i++) {
        columns[i] =
            i < left ? join->inputs[0]->node.columns[i] : join->inputs[1]->node.columns[i - left];
        columns[i].time = PLAN_TIME_NONE;
    }
    join->node.columns = columns;
    join->node.column_count = count;
}

void optimize_join(struct optimizer *optimizer, struct rel *join, const struct conjuncts *all,
                   struct conjuncts *left, struct conjuncts *right)
{
    struct arena *arena = optimizer->arena;
    struct sides sides = {.optimizer = optimizer, .join = join};
    sides.keys[0] = arena_new_array(arena, uint32_t, all->count);
    sides.keys[1] = arena_new_array(arena, uint32_t, all->count);
    sides.null_safe = arena_new_array(arena, bool, all->count);
    struct conjuncts rest = {0};
    for (uint32_t i = 0; i < all->count; i++) {
        const struct expr *expr = all->items[i];
        bool moves = expr_is_deterministic(expr) && !expr_can_error(expr);
        if (moves && is_side(join->inputs[0], expr)) {
            optimize_conjuncts_add(arena, left, expr);
        } else if (moves && is_side(join->inputs[1], expr)) {
            optimize_conjuncts_add(arena, right, expr);
        } else if (!take_key(&sides, expr)) {
            optimize_conjuncts_add(arena, &rest, expr);
        }
    }
    struct expr_list list = {rest.items, rest.count};
    struct plan_join *plan = &join->node.as.join;
    plan->condition = rest.count == 0 ? NULL : expr_and(arena, list);
    plan->left_keys = (struct plan_ids){sides.count, sides.keys[0]};
    plan->right_keys = (struct plan_ids){sides.count, sides.keys[1]};
    plan->null_safe = NULL;
    for (uint32_t i = 0; i < sides.count; i++) {
        plan->null_safe = sides.null_safe[i] ? sides.null_safe : plan->null_safe;
    }
    set_columns(arena, join);
}
