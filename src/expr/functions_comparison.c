// SPDX-License-Identifier: Apache-2.0
//
// = <> < <= > >=, IS [NOT] DISTINCT FROM, BETWEEN, IN, GREATEST and LEAST.
#include <string.h>

#include "base/arena.h"
#include "data/decimal.h"
#include "expr/binding.h"
#include "expr/derive.h"
#include "expr/families.h"
#include "expr/rows.h"
#include "kernel/compare.h"
#include "kernel/hash_columns.h"
#include "kernel/row_equal.h"

// Whether values of `from` can stand beside values of `to` as they are.
static bool compares_as_is(const struct type *from, const struct type *to)
{
    if ((type_is_character(from) && type_is_character(to)) ||
        (type_is_binary(from) && type_is_binary(to))) {
        return true; // padding counts: CAST('a' AS CHAR(3)) = 'a' is false
    }
    return type_is_timestamp(from) && from->kind == to->kind &&
           type_physical(from) == type_physical(to);
}

// Decimals too far apart for one type of 38 digits: they are compared as they are, digit by digit.
static bool is_too_wide(const struct type *a, const struct type *b)
{
    if (!type_is_exact(a) || !type_is_exact(b)) {
        return false;
    }
    int32_t a_digits = derive_precision(a) - derive_scale(a);
    int32_t b_digits = derive_precision(b) - derive_scale(b);
    int32_t scale = derive_scale(a) > derive_scale(b) ? derive_scale(a) : derive_scale(b);
    return (a_digits > b_digits ? a_digits : b_digits) + scale > TYPE_DECIMAL_PRECISION_MAX;
}

static bool has_order(const struct type *type)
{
    return !type_is_nested(type) && type->kind != TYPE_RAW && type->kind != TYPE_VARIANT &&
           type->kind != TYPE_BITMAP;
}

static enum status cast_both(struct function_binding *binding, bool is_equality, struct err *err)
{
    const struct type *common = derive_comparable(binding->arena, binding_type(binding, 0),
                                                  binding_type(binding, 1), is_equality);
    if (common == NULL || (!is_equality && !has_order(common))) {
        return binding_refuse(binding, err);
    }
    for (uint32_t i = 0; i < 2; i++) {
        if (!compares_as_is(binding_type(binding, i), common)) {
            TRY(binding_cast(binding, i, common, err));
        }
    }
    return STATUS_OK;
}

static bool is_row_call(const struct expr *expr)
{
    return expr->kind == EXPR_CALL && strcmp(expr->function->name, "ROW") == 0;
}

// (a, b) = (c, d) is a = c AND b = d; <> is OR of <>.
static enum status compare_fields(struct function_binding *binding, struct err *err)
{
    const struct expr *a = binding->args[0];
    const struct expr *b = binding->args[1];
    const char *name = binding->function->name;
    const char *junction = name[0] == '=' ? "AND" : "OR";
    for (uint32_t i = 0; i < a->arg_count; i++) {
        const struct expr *sides[] = {a->args[i], b->args[i]};
        const struct expr *field;
        TRY(expr_call(binding->arena, name, EXPR_LIST(sides), &field, err));
        const struct expr *both[] = {binding->other, field};
        if (i > 0) {
            TRY(expr_call(binding->arena, junction, EXPR_LIST(both), &field, err));
        }
        binding->other = field;
    }
    return STATUS_OK;
}

static bool is_boolean_with_text(const struct type *a, const struct type *b)
{
    return a->kind == TYPE_BOOLEAN ? type_is_character(b)
                                   : b->kind == TYPE_BOOLEAN && type_is_character(a);
}

// TRUE = 'true': Flink compares bytes of different kinds and never finds them equal, however the
// text is spelt. (The binder says so to whoever writes it.)
static enum status never_equal(struct function_binding *binding, struct err *err)
{
    struct arena *arena = binding->arena;
    const struct expr *answer = expr_literal_boolean(arena, binding->function->name[0] != '=');
    const struct expr *known = NULL;
    for (uint32_t i = 0; i < 2; i++) {
        const struct expr *both[] = {known, binding->args[i]};
        if (binding->args[i]->type->nullable) {
            TRY(expr_call(arena, "IS NOT NULL", (struct expr_list){&both[1], 1}, &both[1], err));
            known = both[1];
            if (both[0] != NULL) {
                TRY(expr_call(arena, "AND", EXPR_LIST(both), &known, err));
            }
        }
    }
    binding->other = answer;
    if (known != NULL) {
        const struct type *type = type_with_null(arena, &type_boolean, true);
        const struct expr *parts[] = {known, answer, expr_null(arena, type)};
        TRY(expr_call(arena, "IF", EXPR_LIST(parts), &binding->other, err));
    }
    return STATUS_OK;
}

static enum status resolve_equality(struct function_binding *binding, struct err *err)
{
    if (is_boolean_with_text(binding_type(binding, 0), binding_type(binding, 1))) {
        return never_equal(binding, err);
    }
    if (is_row_call(binding->args[0]) && is_row_call(binding->args[1]) &&
        binding->args[0]->arg_count == binding->args[1]->arg_count) {
        return compare_fields(binding, err);
    }
    if (!is_too_wide(binding_type(binding, 0), binding_type(binding, 1))) {
        TRY(cast_both(binding, true, err));
    }
    binding_result(binding, &type_boolean, binding_nullable(binding));
    return STATUS_OK;
}

static enum status resolve_order(struct function_binding *binding, struct err *err)
{
    const struct type *type = binding_type(binding, 0);
    if (type_is_nested(type) && !type->nullable && expr_equal(binding->args[0], binding->args[1])) {
        // Without an order of its own, but the same thing on both sides.
        bool with_equal = binding->function->name[1] == '=';
        binding->other = expr_literal_boolean(binding->arena, with_equal);
        return STATUS_OK;
    }
    if (!is_too_wide(binding_type(binding, 0), binding_type(binding, 1))) {
        TRY(cast_both(binding, false, err));
    }
    binding_result(binding, &type_boolean, binding_nullable(binding));
    return STATUS_OK;
}

static enum status resolve_distinct(struct function_binding *binding, struct err *err)
{
    TRY(cast_both(binding, true, err));
    binding_result(binding, &type_boolean, false);
    return STATUS_OK;
}

// <0, 0, >0: whole parts first, then fractions, which are below 10^38 at any common scale.
static int compare_decimals(int128 a, int32_t a_scale, int128 b, int32_t b_scale)
{
    int128 a_whole = a / decimal_power(a_scale);
    int128 b_whole = b / decimal_power(b_scale);
    if (a_whole != b_whole) {
        return a_whole < b_whole ? -1 : 1;
    }
    int32_t scale = a_scale > b_scale ? a_scale : b_scale;
    int128 a_rest = a % decimal_power(a_scale) * decimal_power(scale - a_scale);
    int128 b_rest = b % decimal_power(b_scale) * decimal_power(scale - b_scale);
    return a_rest < b_rest ? -1 : a_rest > b_rest;
}

static bool satisfies(enum compare_op op, int compared)
{
    switch (op) {
    case COMPARE_EQ: return compared == 0;
    case COMPARE_NE: return compared != 0;
    case COMPARE_LT: return compared < 0;
    case COMPARE_LE: return compared <= 0;
    case COMPARE_GT: return compared > 0;
    case COMPARE_GE: return compared >= 0;
    }
    return false;
}

static void compare_wide(const struct function_call *call, enum compare_op op, uint64_t *is_true,
                         uint64_t *is_null)
{
    int32_t a_scale = derive_scale(call->expr->args[0]->type);
    int32_t b_scale = derive_scale(call->expr->args[1]->type);
    for (uint32_t word = 0; word < bits_words(call->row_count); word++) {
        is_null[word] = 0; // null arguments are not active here
        is_true[word] = 0;
        for (uint64_t rows = call->active[word]; rows != 0; rows &= rows - 1) {
            uint32_t row = word * 64 + (uint32_t)__builtin_ctzll(rows);
            int compared = compare_decimals(rows_i128(call, 0, row), a_scale,
                                            rows_i128(call, 1, row), b_scale);
            is_true[word] |= (uint64_t)satisfies(op, compared) << (row % 64);
        }
    }
}

static void compare(const struct function_call *call, enum compare_op op, uint64_t *is_true,
                    uint64_t *is_null)
{
    if (is_too_wide(call->expr->args[0]->type, call->expr->args[1]->type)) {
        compare_wide(call, op, is_true, is_null);
    } else {
        compare_columns(op, &call->args[0], &call->args[1], call->active, is_true, is_null);
    }
}

#define COMPARE(name, op)                                                                          \
    static enum status name(struct function_call *call, uint64_t *is_true, uint64_t *is_null,      \
                            struct err *err)                                                       \
    {                                                                                              \
        (void)err;                                                                                 \
        compare(call, (op), is_true, is_null);                                                     \
        return STATUS_OK;                                                                          \
    }
COMPARE(test_eq, COMPARE_EQ)
COMPARE(test_ne, COMPARE_NE)
COMPARE(test_lt, COMPARE_LT)
COMPARE(test_le, COMPARE_LE)
COMPARE(test_gt, COMPARE_GT)
COMPARE(test_ge, COMPARE_GE)
#undef COMPARE

static enum status test_not_distinct(struct function_call *call, uint64_t *is_true,
                                     uint64_t *is_null, struct err *err)
{
    (void)err;
    compare_not_distinct(&call->args[0], &call->args[1], call->active, is_true);
    memset(is_null, 0, bits_words(call->row_count) * sizeof *is_null);
    return STATUS_OK;
}

static enum status test_distinct(struct function_call *call, uint64_t *is_true, uint64_t *is_null,
                                 struct err *err)
{
    TRY(test_not_distinct(call, is_true, is_null, err));
    for (uint32_t word = 0; word < bits_words(call->row_count); word++) {
        is_true[word] = call->active[word] & ~is_true[word];
    }
    return STATUS_OK;
}

// lower <= a AND a <= upper
static enum status between(struct function_binding *binding, const struct expr *lower,
                           const struct expr *upper, const struct expr **out, struct err *err)
{
    const struct expr *from[] = {binding->args[0], lower};
    const struct expr *to[] = {binding->args[0], upper};
    const struct expr *both[2];
    TRY(expr_call(binding->arena, ">=", EXPR_LIST(from), &both[0], err));
    TRY(expr_call(binding->arena, "<=", EXPR_LIST(to), &both[1], err));
    return expr_call(binding->arena, "AND", EXPR_LIST(both), out, err);
}

static enum status resolve_between(struct function_binding *binding, struct err *err)
{
    return between(binding, binding->args[1], binding->args[2], &binding->other, err);
}

static enum status resolve_between_symmetric(struct function_binding *binding, struct err *err)
{
    const struct expr *either[2];
    TRY(between(binding, binding->args[1], binding->args[2], &either[0], err));
    TRY(between(binding, binding->args[2], binding->args[1], &either[1], err));
    return binding_replace(binding, "OR", EXPR_LIST(either), err);
}

// `result` OR (args[0] = item); the first time without the OR.
static enum status or_equal(struct function_binding *binding, const struct expr *item,
                            const struct expr **result, struct err *err)
{
    const struct expr *sides[] = {binding->args[0], item};
    const struct expr *equal;
    TRY(expr_call(binding->arena, "=", EXPR_LIST(sides), &equal, err));
    if (*result == NULL) {
        *result = equal;
        return STATUS_OK;
    }
    const struct expr *either[] = {*result, equal};
    return expr_call(binding->arena, "OR", EXPR_LIST(either), result, err);
}

static enum status cast_list(struct function_binding *binding, struct err *err)
{
    const struct type *common = binding_type(binding, 0);
    for (uint32_t i = 1; i < binding->arg_count; i++) {
        common = derive_comparable(binding->arena, common, binding_type(binding, i), false);
        if (common == NULL) {
            return binding_refuse(binding, err);
        }
    }
    for (uint32_t i = 0; i < binding->arg_count; i++) {
        if (!compares_as_is(binding_type(binding, i), common)) {
            TRY(binding_cast(binding, i, common, err));
        }
    }
    return STATUS_OK;
}

// Constants that cannot be null go into one set; what is left is compared one by one:
// a IN (1, 2, b, NULL) is a IN (1, 2) OR a = b OR a = NULL.
static enum status resolve_in(struct function_binding *binding, struct err *err)
{
    TRY(cast_list(binding, err));
    uint32_t kept = 1;
    const struct expr *rest = NULL;
    for (uint32_t i = 1; i < binding->arg_count; i++) {
        const struct expr *item = binding->args[i];
        if (expr_is_constant(item) && !item->type->nullable && !type_is_nested(item->type)) {
            binding->args[kept++] = item;
        } else {
            TRY(or_equal(binding, item, &rest, err));
        }
    }
    if (kept == 2) {
        TRY(or_equal(binding, binding->args[1], &rest, err));
        kept = 1;
    }
    if (rest == NULL) {
        binding->arg_count = kept;
        binding_result(binding, &type_boolean, binding_nullable(binding));
        return STATUS_OK;
    }
    if (kept > 1) {
        const struct expr *either[2] = {NULL, rest};
        struct expr_list list = {binding->args, kept};
        TRY(expr_call(binding->arena, "IN", list, &either[0], err));
        return binding_replace(binding, "OR", EXPR_LIST(either), err);
    }
    binding->other = rest;
    return STATUS_OK;
}

// The items of a list as a hash table: slots hold item numbers + 1.
struct in_set {
    struct column items;
    uint32_t mask;
    uint32_t *slots;
};

static void prepare_in(struct arena *arena, const struct expr *expr,
                       const struct expr_settings *settings, void **state)
{
    (void)settings;
    uint32_t count = expr->arg_count - 1;
    struct column *items = arena_new_array(arena, struct column, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const struct expr *item = expr->args[i + 1];
        if (item->kind != EXPR_LITERAL || column_is_null(item->value, 0)) {
            return; // it could not be computed: its row meets the error
        }
        items[i] = *item->value;
    }
    struct in_set *set = arena_new(arena, struct in_set);
    set->items = column_concat(arena, items, count);
    uint32_t size = 16;
    while (size < count * 2) {
        size *= 2;
    }
    set->mask = size - 1;
    set->slots = arena_new_array(arena, uint32_t, size);
    uint64_t *hashes = arena_new_array(arena, uint64_t, count);
    hash_columns(&set->items, 1, count, hashes);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = (uint32_t)hashes[i] & set->mask;
        while (set->slots[at] != 0) {
            at = (at + 1) & set->mask;
        }
        set->slots[at] = i + 1;
    }
    *state = set;
}

static bool in_contains(const struct in_set *set, const struct column *column, uint32_t row,
                        uint64_t hash)
{
    for (uint32_t at = (uint32_t)hash & set->mask; set->slots[at] != 0; at = (at + 1) & set->mask) {
        struct row_equal_side value = {column, row};
        struct row_equal_side item = {&set->items, set->slots[at] - 1};
        if (row_equal(value, item, 1)) {
            return true;
        }
    }
    return false;
}

static enum status test_in(struct function_call *call, uint64_t *is_true, uint64_t *is_null,
                           struct err *err)
{
    (void)err;
    uint32_t words = bits_words(call->row_count);
    memset(is_true, 0, words * sizeof *is_true);
    memset(is_null, 0, words * sizeof *is_null);
    const struct in_set *set = call->state;
    if (set == NULL) {
        for (uint32_t i = 1; i < call->arg_count; i++) {
            uint64_t equal[BATCH_WORDS_MAX];
            uint64_t unknown[BATCH_WORDS_MAX];
            compare_columns(COMPARE_EQ, &call->args[0], &call->args[i], call->active, equal,
                            unknown);
            for (uint32_t word = 0; word < words; word++) {
                is_true[word] |= equal[word];
            }
        }
        return STATUS_OK;
    }
    uint64_t *hashes = arena_alloc(call->arena, (call->row_count + 1) * sizeof *hashes);
    hash_columns(&call->args[0], 1, call->row_count, hashes);
    for (uint32_t word = 0; word < words; word++) {
        for (uint64_t rows = call->active[word]; rows != 0; rows &= rows - 1) {
            uint32_t row = word * 64 + (uint32_t)__builtin_ctzll(rows);
            if (in_contains(set, &call->args[0], row, hashes[row])) {
                bits_set(is_true, row);
            }
        }
    }
    return STATUS_OK;
}

// GREATEST, LEAST: any type with an order; null where an argument is.
static enum status resolve_extreme(struct function_binding *binding, struct err *err)
{
    const struct type **types =
        arena_new_array(binding->arena, const struct type *, binding->arg_count);
    for (uint32_t i = 0; i < binding->arg_count; i++) {
        types[i] = binding_type(binding, i);
    }
    const struct type *common = derive_merged(binding->arena, types, binding->arg_count);
    if (common == NULL || common->kind == TYPE_NULL || !has_order(common)) {
        return binding_refuse(binding, err);
    }
    TRY(binding_cast_all(binding, 0, common, err));
    binding_result(binding, common, binding_nullable(binding));
    return STATUS_OK;
}

// The rows in which argument i beats the best so far take its value.
static enum status evaluate_extreme(struct function_call *call, struct column *out,
                                    enum compare_op better)
{
    struct column best = column_flatten(call->arena, &call->args[0]);
    size_t width = physical_width(best.physical);
    char *values = arena_copy(call->arena, best.values, width * call->row_count);
    best.values = values;
    best.valid = NULL; // nulls of arguments are put in by the program
    for (uint32_t i = 1; i < call->arg_count; i++) {
        uint64_t wins[BATCH_WORDS_MAX];
        uint64_t unknown[BATCH_WORDS_MAX];
        compare_columns(better, &call->args[i], &best, call->active, wins, unknown);
        for (uint32_t word = 0; word < bits_words(call->row_count); word++) {
            for (uint64_t rows = wins[word]; rows != 0; rows &= rows - 1) {
                uint32_t row = word * 64 + (uint32_t)__builtin_ctzll(rows);
                memcpy(values + width * row, column_value(&call->args[i], row), width);
            }
        }
    }
    *out = best;
    return STATUS_OK;
}

static enum status evaluate_greatest(struct function_call *call, struct column *out,
                                     struct err *err)
{
    (void)err;
    return evaluate_extreme(call, out, COMPARE_GT);
}

static enum status evaluate_least(struct function_call *call, struct column *out, struct err *err)
{
    (void)err;
    return evaluate_extreme(call, out, COMPARE_LT);
}

#define COMPARISON(text, resolver, test, words)                                                    \
    {                                                                                              \
        .name = (text), .syntax = FUNCTION_SYNTAX_BINARY, .properties = FUNCTION_PURE,             \
        .args_min = 2, .args_max = 2, .resolve = (resolver), .predicate = (test),                  \
        .signature = "<COMPARABLE> " text " <COMPARABLE>", .doc = (words)                          \
    }
#define DISTINCT(text, test, words)                                                                \
    {                                                                                              \
        .name = (text), .syntax = FUNCTION_SYNTAX_BINARY, .properties = FUNCTION_DETERMINISTIC,    \
        .args_min = 2, .args_max = 2, .resolve = resolve_distinct, .predicate = (test),            \
        .signature = "<COMPARABLE> " text " <COMPARABLE>", .doc = (words)                          \
    }

static const struct function functions[] = {
    COMPARISON("=", resolve_equality, test_eq, "equal"),
    COMPARISON("<>", resolve_equality, test_ne, "not equal"),
    COMPARISON("<", resolve_order, test_lt, "less"),
    COMPARISON("<=", resolve_order, test_le, "less or equal"),
    COMPARISON(">", resolve_order, test_gt, "greater"),
    COMPARISON(">=", resolve_order, test_ge, "greater or equal"),
    DISTINCT("IS DISTINCT FROM", test_distinct, "unequal, where NULL equals NULL"),
    DISTINCT("IS NOT DISTINCT FROM", test_not_distinct, "equal, where NULL equals NULL"),
    {.name = "BETWEEN",
     .syntax = FUNCTION_SYNTAX_SPECIAL,
     .properties = FUNCTION_DETERMINISTIC,
     .args_min = 3,
     .args_max = 3,
     .resolve = resolve_between,
     .signature = "<COMPARABLE> BETWEEN <COMPARABLE> AND <COMPARABLE>",
     .doc = "from the first to the second bound, both included"},
    {.name = "BETWEEN SYMMETRIC",
     .syntax = FUNCTION_SYNTAX_SPECIAL,
     .properties = FUNCTION_DETERMINISTIC,
     .args_min = 3,
     .args_max = 3,
     .resolve = resolve_between_symmetric,
     .signature = "<COMPARABLE> BETWEEN SYMMETRIC <COMPARABLE> AND <COMPARABLE>",
     .doc = "between two bounds in any order"},
    {.name = "IN",
     .syntax = FUNCTION_SYNTAX_SPECIAL,
     .properties = FUNCTION_PURE | FUNCTION_LIST,
     .args_min = 2,
     .args_max = -1,
     .resolve = resolve_in,
     .predicate = test_in,
     .prepare = prepare_in,
     .signature = "<COMPARABLE> IN (<COMPARABLE>, ...)",
     .doc = "equal to one of the list; unknown where none is and the list has a NULL"},
    {.name = "GREATEST",
     .properties = FUNCTION_PURE,
     .args_min = 1,
     .args_max = -1,
     .resolve = resolve_extreme,
     .evaluate = evaluate_greatest,
     .signature = "GREATEST(<COMPARABLE>, ...)",
     .doc = "the greatest of the arguments; NULL if one is"},
    {.name = "LEAST",
     .properties = FUNCTION_PURE,
     .args_min = 1,
     .args_max = -1,
     .resolve = resolve_extreme,
     .evaluate = evaluate_least,
     .signature = "LEAST(<COMPARABLE>, ...)",
     .doc = "the least of the arguments; NULL if one is"},
};

const struct function_family functions_comparison = {functions,
                                                     sizeof functions / sizeof *functions};
