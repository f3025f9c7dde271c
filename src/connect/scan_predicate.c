// SPDX-License-Identifier: Apache-2.0
#include "connect/scan_predicate.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "data/decimal.h"
#include "expr/expr.h"
#include "expr/function.h"
#include "plan/plan.h"

enum { TERMS_MAX = 64, PATH_MAX = 32, MICROS = 1000000 };

struct maker {
    struct arena *arena;
    const struct plan_node *scan;
    const struct scan_predicate_ids *ids;
};

struct leaf {
    int32_t id;
    const struct type *type;
};

static bool is_call(const struct expr *expr, const char *name)
{
    return expr->kind == EXPR_CALL && strcmp(expr->function->name, name) == 0;
}

// ---- leaves ----

static bool find_leaf(const struct maker *maker, const struct expr *expr, struct leaf *out)
{
    struct str path[PATH_MAX];
    uint32_t depth = 0;
    *out = (struct leaf){.type = expr->type};
    while (is_call(expr, "FIELD") && expr->arg_count == 1 && depth < PATH_MAX) {
        path[PATH_MAX - ++depth] = expr->options->field;
        expr = expr->args[0];
    }
    uint32_t at =
        expr->kind == EXPR_COLUMN ? plan_column_index(maker->scan, expr->column_id) : UINT32_MAX;
    if (at == UINT32_MAX || type_is_nested(out->type)) {
        return false;
    }
    const struct plan_scan *scan = &maker->scan->as.scan;
    out->id = maker->ids->find(maker->ids->context, &scan->table->columns[scan->table_columns[at]],
                               path + PATH_MAX - depth, depth);
    return out->id > 0;
}

// Casts to what holds each value, or null where it does not.
static bool keeps_value(const struct type *from, const struct type *to)
{
    if (from->kind == TYPE_FLOAT || from->kind == TYPE_DOUBLE) {
        return to->kind == TYPE_DOUBLE;
    }
    if (from->kind == TYPE_DECIMAL) {
        return to->kind == TYPE_DECIMAL && to->scale >= from->scale;
    }
    if (type_is_integer(from)) {
        return (type_is_integer(to) && to->kind >= from->kind) || to->kind == TYPE_DECIMAL ||
               (to->kind == TYPE_DOUBLE && from->kind != TYPE_BIGINT);
    }
    if (type_is_character(from) || type_is_binary(from)) {
        return to->kind == (type_is_binary(from) ? TYPE_VARBINARY : TYPE_VARCHAR) &&
               to->length >= from->length;
    }
    return to->kind == from->kind && to->length >= from->length &&
           (type_is_timestamp(from) || from->kind == TYPE_TIME);
}

// The leaf below casts that the comparison asked for.
static bool find_cast_leaf(const struct maker *maker, const struct expr *expr, struct leaf *out)
{
    while (is_call(expr, "CAST") && keeps_value(expr->args[0]->type, expr->type)) {
        expr = expr->args[0];
    }
    return find_leaf(maker, expr, out);
}

// ---- literals of a leaf's type ----

static bool is_exact(const struct type *type)
{
    return type_is_integer(type) || type->kind == TYPE_DECIMAL;
}

static int128 read_integer(enum physical physical, const void *value)
{
    switch (physical_width(physical)) {
    case 1: return *(const int8_t *)value;
    case 2: return *(const int16_t *)value;
    case 4: return *(const int32_t *)value;
    case 8: return *(const int64_t *)value;
    default: return *(const int128 *)value;
    }
}

static bool write_integer(enum physical physical, int128 value, void *out)
{
    uint32_t bits = (uint32_t)physical_width(physical) * 8;
    if (bits < 128 && (value >= (int128)1 << (bits - 1) || value < -((int128)1 << (bits - 1)))) {
        return false;
    }
    memcpy(out, &value, bits / 8); // little-endian
    return true;
}

static int128 floor_divide(int128 value, int128 by, bool *is_whole)
{
    int128 quotient = value / by;
    *is_whole = quotient * by == value;
    return quotient - (!*is_whole && value < 0 ? 1 : 0);
}

static bool floor_exact(const struct type *from, const struct type *to, const void *value,
                        void *out, bool *is_whole)
{
    int32_t scale = from->kind == TYPE_DECIMAL ? from->scale : 0;
    int32_t own = to->kind == TYPE_DECIMAL ? to->scale : 0;
    int128 unscaled = read_integer(type_physical(from), value);
    if (scale < own) {
        return false;
    }
    unscaled = floor_divide(unscaled, decimal_power(scale - own), is_whole);
    return write_integer(type_physical(to), unscaled, out);
}

static bool floor_double(const struct type *to, double value, void *out, bool *is_whole)
{
    if (to->kind == TYPE_FLOAT) {
        float narrow = (float)value;
        *is_whole = (double)narrow == value || isnan(value);
        narrow = !*is_whole && (double)narrow > value ? nextafterf(narrow, -INFINITY) : narrow;
        memcpy(out, &narrow, sizeof narrow);
        return true;
    }
    double below = floor(value);
    *is_whole = below == value;
    bool is_small = type_is_integer(to) && to->kind != TYPE_BIGINT; // which a double rounds
    return is_small && fabs(below) <= INT32_MAX &&
           write_integer(type_physical(to), (int128)below, out);
}

static bool floor_time(const struct type *from, const struct type *to, const void *value, void *out,
                       bool *is_whole)
{
    if (from->kind == TYPE_TIME) { // microseconds, milliseconds
        return write_integer(PHYSICAL_I32, floor_divide(*(const int64_t *)value, 1000, is_whole),
                             out);
    }
    const struct nano *nano = value;
    *is_whole = nano->nanosecond % 1000 == 0;
    int128 micros = (int128)nano->second * MICROS + nano->nanosecond / 1000;
    return type_physical(to) == PHYSICAL_I64 && write_integer(PHYSICAL_I64, micros, out);
}

static bool is_alike(const struct type *leaf, const struct type *literal)
{
    if (leaf->kind == TYPE_DECIMAL && literal->kind == TYPE_DECIMAL) {
        return leaf->scale == literal->scale && type_physical(leaf) == type_physical(literal);
    }
    return (type_is_character(leaf) && type_is_character(literal)) ||
           (type_is_binary(leaf) && type_is_binary(literal)) ||
           (leaf->kind == literal->kind && type_physical(leaf) == type_physical(literal));
}

// The greatest value of the leaf's type that is not above the literal; *is_whole where it equals
// it. False where the types do not compare by value or the leaf's has no such value.
static bool narrow(const struct type *leaf, const struct type *literal, const void *value,
                   void *out, bool *is_whole)
{
    *is_whole = true;
    if (is_alike(leaf, literal)) {
        memcpy(out, value, physical_width(type_physical(leaf)));
        return true;
    }
    if (is_exact(leaf) && is_exact(literal)) {
        return floor_exact(literal, leaf, value, out, is_whole);
    }
    if (literal->kind == TYPE_DOUBLE) {
        return floor_double(leaf, *(const double *)value, out, is_whole);
    }
    bool is_finer = leaf->kind == literal->kind &&
                    (leaf->kind == TYPE_TIME || type_is_timestamp(leaf)) &&
                    physical_width(type_physical(leaf)) < physical_width(type_physical(literal));
    return is_finer && floor_time(literal, leaf, value, out, is_whole);
}

// One row; false where the literal is null or none.
static bool literal_of(const struct maker *maker, const struct leaf *leaf, const struct expr *expr,
                       struct column *out, bool *is_whole)
{
    if (expr->kind != EXPR_LITERAL || column_is_null(expr->value, 0)) {
        return false;
    }
    struct column flat = column_flatten(maker->arena, expr->value);
    *out = (struct column){.physical = type_physical(leaf->type), .row_count = 1};
    void *value = arena_zalloc(maker->arena, sizeof(struct nano)); // the widest
    out->values = value;
    return narrow(leaf->type, expr->type, flat.values, value, is_whole);
}

// ---- terms ----

struct comparison {
    const char *name;
    enum predicate_op op, mirrored, opposite;
};

static const struct comparison comparisons[] = {
    {"=", PREDICATE_EQ, PREDICATE_EQ, PREDICATE_NE},
    {"<>", PREDICATE_NE, PREDICATE_NE, PREDICATE_EQ},
    {"<", PREDICATE_LT, PREDICATE_GT, PREDICATE_GE},
    {"<=", PREDICATE_LE, PREDICATE_GE, PREDICATE_GT},
    {">", PREDICATE_GT, PREDICATE_LT, PREDICATE_LE},
    {">=", PREDICATE_GE, PREDICATE_LE, PREDICATE_LT},
    {"IS NOT DISTINCT FROM", PREDICATE_EQ, PREDICATE_EQ, PREDICATE_NE},
};

static const struct comparison *find_comparison(const struct expr *expr)
{
    for (uint32_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++) {
        if (is_call(expr, comparisons[i].name) && expr->arg_count == 2) {
            return &comparisons[i];
        }
    }
    return NULL;
}

static enum predicate_op opposite(enum predicate_op op)
{
    uint32_t at = 0;
    while (comparisons[at].op != op) {
        at++;
    }
    return comparisons[at].opposite;
}

static bool set_term(const struct maker *maker, const struct leaf *leaf, enum predicate_op op,
                     const struct column *constants, struct predicate_term *out)
{
    *out = (struct predicate_term){.column_id = leaf->id,
                                   .op = op,
                                   .type = leaf->type,
                                   .constants =
                                       arena_copy(maker->arena, constants, sizeof *constants)};
    return true;
}

static bool compare_term(const struct maker *maker, const struct expr *call,
                         const struct comparison *comparison, bool is_negated,
                         struct predicate_term *out)
{
    bool mirrored = call->args[0]->kind == EXPR_LITERAL;
    enum predicate_op op = mirrored ? comparison->mirrored : comparison->op;
    struct leaf leaf;
    struct column constant;
    bool is_whole;
    if (is_negated && strcmp(comparison->name, "IS NOT DISTINCT FROM") == 0) {
        return false; // nulls are distinct from the literal
    }
    op = is_negated ? opposite(op) : op;
    if (!find_cast_leaf(maker, call->args[mirrored ? 1 : 0], &leaf) ||
        !literal_of(maker, &leaf, call->args[mirrored ? 0 : 1], &constant, &is_whole)) {
        return false;
    }
    if (!is_whole && (op == PREDICATE_EQ || op == PREDICATE_NE)) {
        return false;
    }
    if (!is_whole) { // beyond what lies between two values of the leaf
        op = op == PREDICATE_GT || op == PREDICATE_GE ? PREDICATE_GT : PREDICATE_LE;
    }
    return set_term(maker, &leaf, op, &constant, out);
}

static bool in_term(const struct maker *maker, const struct expr *call, struct predicate_term *out)
{
    struct leaf leaf;
    if (call->arg_count < 2 || !find_cast_leaf(maker, call->args[0], &leaf)) {
        return false;
    }
    struct column *parts = arena_new_array(maker->arena, struct column, call->arg_count - 1);
    uint32_t count = 0;
    for (uint32_t i = 1; i < call->arg_count; i++) {
        bool is_whole;
        if (call->args[i]->kind != EXPR_LITERAL) {
            return false;
        }
        if (column_is_null(call->args[i]->value, 0)) {
            continue; // equals nothing
        }
        if (!literal_of(maker, &leaf, call->args[i], &parts[count], &is_whole)) {
            return false;
        }
        count += is_whole;
    }
    if (count == 0) {
        return false;
    }
    struct column constants = column_concat(maker->arena, parts, count);
    return set_term(maker, &leaf, PREDICATE_IN, &constants, out);
}

// What all texts with the pattern begin with, and whether that is all of them.
static struct str pattern_prefix(const struct expr *call, struct str pattern, bool *is_all)
{
    struct str escape = STR_LIT("\\");
    if (call->arg_count > 2 && call->args[2]->kind == EXPR_LITERAL &&
        !column_is_null(call->args[2]->value, 0)) {
        escape = strview_str(column_value(call->args[2]->value, 0));
    }
    size_t size = 0;
    while (size < pattern.size && pattern.ptr[size] != '%' && pattern.ptr[size] != '_' &&
           memchr(escape.ptr, pattern.ptr[size], escape.size) == NULL) {
        size++;
    }
    *is_all = size == pattern.size;
    return str_slice(pattern, 0, size);
}

static bool like_term(const struct maker *maker, const struct expr *call,
                      struct predicate_term *out)
{
    struct leaf leaf;
    struct column constant;
    bool is_all;
    if (!find_leaf(maker, call->args[0], &leaf) || !type_is_character(leaf.type) ||
        !literal_of(maker, &leaf, call->args[1], &constant, &is_all)) {
        return false;
    }
    struct strview *view = (void *)(uintptr_t)constant.values;
    struct str pattern = arena_str(maker->arena, strview_str(view));
    struct str prefix = pattern_prefix(call, pattern, &is_all);
    *view = strview_make(prefix.ptr, prefix.size);
    enum predicate_op op = is_all ? PREDICATE_EQ : PREDICATE_STARTS_WITH;
    return (is_all || prefix.size > 0) && set_term(maker, &leaf, op, &constant, out);
}

static bool boolean_term(const struct maker *maker, const struct expr *expr, bool wanted,
                         struct predicate_term *out)
{
    struct leaf leaf;
    uint8_t *value = arena_alloc(maker->arena, sizeof *value);
    *value = wanted;
    const struct column constant = {.physical = PHYSICAL_BOOL, .row_count = 1, .values = value};
    return find_leaf(maker, expr, &leaf) && leaf.type->kind == TYPE_BOOLEAN &&
           set_term(maker, &leaf, PREDICATE_EQ, &constant, out);
}

static bool make_term(const struct maker *maker, const struct expr *expr,
                      struct predicate_term *out);

// Equalities of one leaf as one list.
static bool or_term(const struct maker *maker, const struct expr *call, struct predicate_term *out)
{
    struct column *choices = arena_new_array(maker->arena, struct column, call->arg_count);
    for (uint32_t i = 0; i < call->arg_count; i++) {
        struct predicate_term term;
        if (!make_term(maker, call->args[i], &term) ||
            (term.op != PREDICATE_EQ && term.op != PREDICATE_IN) ||
            (i > 0 && term.column_id != out->column_id)) {
            return false;
        }
        *out = term;
        choices[i] = *term.constants;
    }
    const struct leaf leaf = {out->column_id, out->type};
    const struct column constants = column_concat(maker->arena, choices, call->arg_count);
    return set_term(maker, &leaf, PREDICATE_IN, &constants, out);
}

static bool null_term(const struct maker *maker, const struct expr *call, bool is_null,
                      struct predicate_term *out)
{
    struct leaf leaf;
    if (!find_leaf(maker, call->args[0], &leaf)) {
        return false;
    }
    *out = (struct predicate_term){.column_id = leaf.id,
                                   .op = is_null ? PREDICATE_IS_NULL : PREDICATE_IS_NOT_NULL,
                                   .type = leaf.type};
    return true;
}

static bool make_term(const struct maker *maker, const struct expr *expr,
                      struct predicate_term *out)
{
    bool is_negated = is_call(expr, "NOT");
    const struct expr *call = is_negated ? expr->args[0] : expr;
    const struct comparison *comparison = find_comparison(call);
    if (comparison != NULL) {
        return compare_term(maker, call, comparison, is_negated, out);
    }
    if (is_call(call, "IS NULL") || is_call(call, "IS NOT NULL")) {
        return null_term(maker, call, is_call(call, "IS NULL") != is_negated, out);
    }
    if (boolean_term(maker, call, !is_negated, out)) {
        return true;
    }
    if (is_negated) {
        return false;
    }
    return is_call(call, "IN")         ? in_term(maker, call, out)
           : is_call(call, "LIKE")     ? like_term(maker, call, out)
           : is_call(call, "OR")       ? or_term(maker, call, out)
           : is_call(call, "IS TRUE")  ? boolean_term(maker, call->args[0], true, out)
           : is_call(call, "IS FALSE") ? boolean_term(maker, call->args[0], false, out)
                                       : false;
}

const struct predicate *scan_predicate_make(struct arena *arena, const struct plan_node *scan,
                                            const struct scan_predicate_ids *ids)
{
    if (scan->as.scan.predicate == NULL) {
        return NULL;
    }
    const struct maker maker = {arena, scan, ids};
    const struct expr *conjuncts[TERMS_MAX];
    uint32_t count = expr_conjuncts(scan->as.scan.predicate, conjuncts, TERMS_MAX);
    count = count < TERMS_MAX ? count : TERMS_MAX;
    struct predicate_term *terms = arena_new_array(arena, struct predicate_term, count);
    struct predicate *predicate = arena_new(arena, struct predicate);
    for (uint32_t i = 0; i < count; i++) {
        if (make_term(&maker, conjuncts[i], &terms[predicate->term_count])) {
            predicate->term_count++;
        }
    }
    predicate->terms = terms;
    return predicate->term_count > 0 ? predicate : NULL;
}
