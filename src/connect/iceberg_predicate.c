// SPDX-License-Identifier: Apache-2.0
#include "connect/iceberg_predicate.h"

#include "base/arena.h"
#include "expr/expr.h"
#include "expr/function.h"
#include "iceberg/spec/iceberg_type.h"
#include "plan/plan.h"

enum { TERMS_MAX = 64 };

// A column of the table with a field id, as it is stored. Metadata columns are not: what a file has
// of them is not all.
static const struct table_column *column_of(const struct plan_node *scan, const struct expr *expr)
{
    if (expr->kind != EXPR_COLUMN) {
        return NULL;
    }
    uint32_t at = plan_column_index(scan, expr->column_id);
    if (at == UINT32_MAX) {
        return NULL;
    }
    const struct table_column *column =
        &scan->as.scan.table->columns[scan->as.scan.table_columns[at]];
    return column->field_id > 0 && column->field_id <= ICEBERG_ID_RESERVED ? column : NULL;
}

static const struct column *flat_constant(struct arena *arena, const struct expr *expr)
{
    if (expr->kind != EXPR_LITERAL || column_is_null(expr->value, 0)) {
        return NULL;
    }
    struct column *flat = arena_new(arena, struct column);
    *flat = column_flatten(arena, expr->value);
    flat->row_count = 1;
    flat->valid = NULL;
    return flat;
}

struct comparison {
    const char *name;
    enum predicate_op op, mirrored;
};

static const struct comparison comparisons[] = {
    {"=", PREDICATE_EQ, PREDICATE_EQ},  {"<>", PREDICATE_NE, PREDICATE_NE},
    {"<", PREDICATE_LT, PREDICATE_GT},  {"<=", PREDICATE_LE, PREDICATE_GE},
    {">", PREDICATE_GT, PREDICATE_LT},  {">=", PREDICATE_GE, PREDICATE_LE},
};

static bool compare_term(struct arena *arena, const struct plan_node *scan,
                         const struct expr *call, const struct comparison *comparison,
                         struct predicate_term *out)
{
    bool mirrored = call->args[0]->kind == EXPR_LITERAL;
    const struct expr *left = call->args[mirrored ? 1 : 0];
    const struct expr *right = call->args[mirrored ? 0 : 1];
    const struct table_column *column = column_of(scan, left);
    const struct column *constant = flat_constant(arena, right);
    if (column == NULL || constant == NULL ||
        constant->physical != type_physical(column->type) ||
        !type_equal_nullability_aside(column->type, right->type)) {
        // A CHAR literal stands for its bytes whatever its length.
        bool texts = column != NULL && constant != NULL && type_is_character(column->type) &&
                     type_is_character(right->type);
        if (!texts) {
            return false;
        }
    }
    *out = (struct predicate_term){.column_id = column->field_id,
                                   .op = mirrored ? comparison->mirrored : comparison->op,
                                   .type = column->type,
                                   .constants = constant};
    return true;
}

static bool in_term(struct arena *arena, const struct plan_node *scan, const struct expr *call,
                    struct predicate_term *out)
{
    const struct table_column *column = column_of(scan, call->args[0]);
    if (column == NULL || call->arg_count < 2) {
        return false;
    }
    struct column *parts = arena_new_array(arena, struct column, call->arg_count - 1);
    for (uint32_t i = 1; i < call->arg_count; i++) {
        const struct column *constant = flat_constant(arena, call->args[i]);
        if (constant == NULL || constant->physical != type_physical(column->type) ||
            !(type_equal_nullability_aside(column->type, call->args[i]->type) ||
              (type_is_character(column->type) && type_is_character(call->args[i]->type)))) {
            return false;
        }
        parts[i - 1] = *constant;
    }
    struct column *constants = arena_new(arena, struct column);
    *constants = column_concat(arena, parts, call->arg_count - 1);
    *out = (struct predicate_term){.column_id = column->field_id,
                                   .op = PREDICATE_IN,
                                   .type = column->type,
                                   .constants = constants};
    return true;
}

static bool make_term(struct arena *arena, const struct plan_node *scan, const struct expr *expr,
                      struct predicate_term *out)
{
    if (expr->kind != EXPR_CALL) {
        return false;
    }
    struct str name = str_from(expr->function->name);
    for (uint32_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++) {
        if (str_is(name, comparisons[i].name) && expr->arg_count == 2) {
            return compare_term(arena, scan, expr, &comparisons[i], out);
        }
    }
    if (str_is(name, "IN")) {
        return in_term(arena, scan, expr, out);
    }
    bool is_null = str_is(name, "IS NULL");
    const struct table_column *column =
        is_null || str_is(name, "IS NOT NULL") ? column_of(scan, expr->args[0]) : NULL;
    if (column == NULL) {
        return false;
    }
    *out = (struct predicate_term){.column_id = column->field_id,
                                   .op = is_null ? PREDICATE_IS_NULL : PREDICATE_IS_NOT_NULL,
                                   .type = column->type};
    return true;
}

const struct predicate *iceberg_predicate_make(struct arena *arena, const struct plan_node *scan)
{
    if (scan->as.scan.predicate == NULL) {
        return NULL;
    }
    const struct expr *conjuncts[TERMS_MAX];
    uint32_t count = expr_conjuncts(scan->as.scan.predicate, conjuncts, TERMS_MAX);
    count = count < TERMS_MAX ? count : TERMS_MAX;
    struct predicate_term *terms = arena_new_array(arena, struct predicate_term, count);
    struct predicate *predicate = arena_new(arena, struct predicate);
    for (uint32_t i = 0; i < count; i++) {
        if (make_term(arena, scan, conjuncts[i], &terms[predicate->term_count])) {
            predicate->term_count++;
        }
    }
    predicate->terms = terms;
    return predicate->term_count > 0 ? predicate : NULL;
}
