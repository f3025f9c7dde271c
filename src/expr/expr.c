// SPDX-License-Identifier: Apache-2.0
#include "expr/expr.h"

#include <string.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/hash.h"
#include "data/column.h"
#include "data/column_builder.h"
#include "expr/derive.h"
#include "expr/function.h"

static const struct function_options no_options;

const struct expr *expr_column(struct arena *arena, uint32_t column_id, struct str name,
                               const struct type *type)
{
    struct expr *expr = arena_new(arena, struct expr);
    *expr = (struct expr){.kind = EXPR_COLUMN,
                          .type = type,
                          .column_id = column_id,
                          .name = name,
                          .options = &no_options};
    return expr;
}

const struct expr *expr_literal(struct arena *arena, const struct type *type,
                                const struct column *value)
{
    ASSERT(value->row_count == 1 && value->physical == type_physical(type));
    struct column *copy = arena_new(arena, struct column);
    *copy = column_copy(arena, value);
    copy->encoding = ENCODING_CONST;
    struct expr *expr = arena_new(arena, struct expr);
    *expr =
        (struct expr){.kind = EXPR_LITERAL, .type = type, .value = copy, .options = &no_options};
    return expr;
}

// A literal whose value is `width` bytes.
static const struct expr *literal_bytes(struct arena *arena, const struct type *type,
                                        const void *value, size_t width)
{
    ASSERT(physical_width(type_physical(type)) == width);
    struct column *column = arena_new(arena, struct column);
    *column = (struct column){.physical = type_physical(type),
                              .encoding = ENCODING_CONST,
                              .row_count = 1,
                              .values = arena_copy(arena, value, width)};
    struct expr *expr = arena_new(arena, struct expr);
    *expr =
        (struct expr){.kind = EXPR_LITERAL, .type = type, .value = column, .options = &no_options};
    return expr;
}

const struct expr *expr_null(struct arena *arena, const struct type *type)
{
    struct column *column = arena_new(arena, struct column);
    *column = column_builder_all_null(arena, type, 1);
    struct expr *expr = arena_new(arena, struct expr);
    *expr = (struct expr){.kind = EXPR_LITERAL,
                          .type = type_with_null(arena, type, true),
                          .value = column,
                          .options = &no_options};
    return expr;
}

const struct expr *expr_literal_boolean(struct arena *arena, bool value)
{
    uint8_t byte = value;
    return literal_bytes(arena, type_new(arena, TYPE_BOOLEAN, false), &byte, 1);
}

const struct expr *expr_literal_int(struct arena *arena, int32_t value)
{
    return literal_bytes(arena, type_new(arena, TYPE_INT, false), &value, sizeof value);
}

const struct expr *expr_literal_bigint(struct arena *arena, int64_t value)
{
    return literal_bytes(arena, type_new(arena, TYPE_BIGINT, false), &value, sizeof value);
}

const struct expr *expr_literal_double(struct arena *arena, double value)
{
    value += 0.0; // -0E0 is 0E0, as in Flink
    return literal_bytes(arena, type_new(arena, TYPE_DOUBLE, false), &value, sizeof value);
}

const struct expr *expr_literal_i64(struct arena *arena, const struct type *type, int64_t value)
{
    switch (physical_width(type_physical(type))) {
    case 1: {
        int8_t narrow = (int8_t)value;
        return literal_bytes(arena, type, &narrow, sizeof narrow);
    }
    case 2: {
        int16_t narrow = (int16_t)value;
        return literal_bytes(arena, type, &narrow, sizeof narrow);
    }
    case 4: {
        int32_t narrow = (int32_t)value;
        return literal_bytes(arena, type, &narrow, sizeof narrow);
    }
    default: return literal_bytes(arena, type, &value, sizeof value);
    }
}

const struct expr *expr_literal_i128(struct arena *arena, const struct type *type, int128 value)
{
    if (type_physical(type) == PHYSICAL_I64) {
        return expr_literal_i64(arena, type, (int64_t)value);
    }
    return literal_bytes(arena, type, &value, sizeof value);
}

// Code units of UTF-16: two for what needs four bytes in UTF-8.
static int32_t utf16_units(struct str text)
{
    int32_t units = 0;
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];
        units += (byte & 0xc0) != 0x80;
        units += byte >= 0xf0;
    }
    return units;
}

const struct expr *expr_literal_char(struct arena *arena, struct str text)
{
    const struct type *type = type_sized(arena, TYPE_CHAR, utf16_units(text), false);
    return expr_literal_string(arena, type, text);
}

const struct expr *expr_literal_string(struct arena *arena, const struct type *type,
                                       struct str bytes)
{
    struct str copy = arena_str(arena, bytes);
    struct strview view = strview_make(copy.ptr, copy.size);
    return literal_bytes(arena, type, &view, sizeof view);
}

const struct expr *expr_at(struct arena *arena, const struct expr *expr, uint32_t offset,
                           uint32_t length)
{
    struct expr *copy = arena_copy(arena, expr, sizeof *expr);
    copy->offset = offset;
    copy->length = length;
    return copy;
}

enum status expr_call(struct arena *arena, const char *name, struct expr_list args,
                      const struct expr **out, struct err *err)
{
    struct function_use use = {.arena = arena, .name = str_from(name), .args = args};
    return function_resolve(&use, out, err);
}

enum status expr_cast(struct arena *arena, const struct expr *expr, const struct type *type,
                      const struct expr **out, struct err *err)
{
    if (type_equal_nullability_aside(expr->type, type)) {
        *out = expr;
        return STATUS_OK;
    }
    struct function_options options = {.target = type};
    struct function_use use = {.arena = arena,
                               .name = STR_LIT("CAST"),
                               .args = {&expr, 1},
                               .options = &options,
                               .offset = expr->offset,
                               .length = expr->length};
    return function_resolve(&use, out, err);
}

const struct expr *expr_and(struct arena *arena, struct expr_list conditions)
{
    const struct expr *all = NULL;
    for (uint32_t i = 0; i < conditions.count; i++) {
        const struct expr *one = conditions.items[i];
        if (one == NULL || expr_is_literal_true(one)) {
            continue;
        }
        if (all == NULL) {
            all = one;
            continue;
        }
        const struct expr *both[] = {all, one};
        enum status status = expr_call(arena, "AND", EXPR_LIST(both), &all, NULL);
        ASSERT(status == STATUS_OK); // both are BOOLEAN
    }
    return all != NULL ? all : expr_literal_boolean(arena, true);
}

uint32_t expr_conjuncts(const struct expr *expr, const struct expr **out, uint32_t max)
{
    if (expr->kind == EXPR_CALL && strcmp(expr->function->name, "AND") == 0) {
        uint32_t found = 0;
        for (uint32_t i = 0; i < expr->arg_count; i++) {
            found += expr_conjuncts(expr->args[i], out + found, max > found ? max - found : 0);
        }
        return found;
    }
    if (max > 0) {
        out[0] = expr;
    }
    return 1;
}

const struct type *expr_common_type(struct arena *arena, const struct type *const *types,
                                    uint32_t count)
{
    return derive_least_restrictive(arena, types, count);
}

// Whether row `at_a` of a equals row `at_b` of b, as bytes: what was written twice is the same.
static bool same_value(const struct column *a, uint32_t at_a, const struct column *b, uint32_t at_b)
{
    if (a->physical != b->physical || column_is_null(a, at_a) != column_is_null(b, at_b)) {
        return false;
    }
    if (column_is_null(a, at_a)) {
        return true;
    }
    const struct column *holder_a = column_holder(a);
    const struct column *holder_b = column_holder(b);
    if (a->physical == PHYSICAL_ROW) {
        for (uint32_t i = 0; i < holder_a->child_count; i++) {
            if (i >= holder_b->child_count ||
                !same_value(&holder_a->children[i], column_at(a, at_a), &holder_b->children[i],
                            column_at(b, at_b))) {
                return false;
            }
        }
        return holder_a->child_count == holder_b->child_count;
    }
    if (a->physical == PHYSICAL_STRING) {
        return strview_equal(column_value(a, at_a), column_value(b, at_b));
    }
    if (a->physical != PHYSICAL_LIST && a->physical != PHYSICAL_MAP) {
        return memcmp(column_value(a, at_a), column_value(b, at_b), physical_width(a->physical)) ==
               0;
    }
    const struct list_view *view_a = column_value(a, at_a);
    const struct list_view *view_b = column_value(b, at_b);
    if (view_a->length != view_b->length) {
        return false;
    }
    for (uint32_t child = 0; child < holder_a->child_count; child++) {
        for (uint32_t i = 0; i < view_a->length; i++) {
            if (!same_value(&holder_a->children[child], view_a->offset + i,
                            &holder_b->children[child], view_b->offset + i)) {
                return false;
            }
        }
    }
    return true;
}

static bool same_options(const struct function_options *a, const struct function_options *b)
{
    if (a == b) {
        return true;
    }
    bool targets = a->target == b->target ||
                   (a->target != NULL && b->target != NULL && type_equal(a->target, b->target));
    return targets && a->unit == b->unit && a->unit_to == b->unit_to && a->trim == b->trim &&
           str_equal(a->field, b->field) && a->json_on_empty == b->json_on_empty &&
           a->json_on_error == b->json_on_error && a->json_on_null == b->json_on_null &&
           a->json_wrapper == b->json_wrapper && a->json_kind == b->json_kind &&
           a->json_raw == b->json_raw;
}

bool expr_equal(const struct expr *a, const struct expr *b)
{
    if (a == b) {
        return true;
    }
    if (a->kind != b->kind || !type_equal(a->type, b->type)) {
        return false;
    }
    switch (a->kind) {
    case EXPR_COLUMN: return a->column_id == b->column_id;
    case EXPR_LITERAL: return same_value(a->value, 0, b->value, 0);
    case EXPR_CALL: break;
    }
    if (a->function != b->function || a->arg_count != b->arg_count ||
        !same_options(a->options, b->options)) {
        return false;
    }
    for (uint32_t i = 0; i < a->arg_count; i++) {
        if (!expr_equal(a->args[i], b->args[i])) {
            return false;
        }
    }
    return true;
}

uint64_t expr_hash(const struct expr *expr)
{
    uint64_t hash = (uint64_t)expr->kind * 31 + (uint64_t)expr->type->kind;
    switch (expr->kind) {
    case EXPR_COLUMN: return hash_combine(hash, expr->column_id);
    case EXPR_LITERAL:
        if (column_is_null(expr->value, 0) || expr->value->values == NULL ||
            expr->value->physical >= PHYSICAL_LIST) {
            return hash_combine(hash, 7);
        }
        if (expr->value->physical == PHYSICAL_STRING) {
            struct str text = strview_str(column_value(expr->value, 0));
            return hash_bytes(text.ptr, text.size, hash);
        }
        return hash_bytes(expr->value->values, physical_width(expr->value->physical), hash);
    case EXPR_CALL: break;
    }
    hash = hash_combine(hash, (uint64_t)(uintptr_t)expr->function);
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        hash = hash_combine(hash, expr_hash(expr->args[i]));
    }
    return hash;
}

void expr_walk(const struct expr *expr, bool (*visit)(const struct expr *node, void *context),
               void *context)
{
    if (!visit(expr, context) || expr->kind != EXPR_CALL) {
        return;
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        expr_walk(expr->args[i], visit, context);
    }
}

const struct expr *expr_rewrite(struct arena *arena, const struct expr *expr,
                                const struct expr *(*replace)(struct arena *arena,
                                                              const struct expr *node,
                                                              void *context),
                                void *context)
{
    if (expr->kind != EXPR_CALL) {
        return replace(arena, expr, context);
    }
    const struct expr **args = NULL;
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        const struct expr *arg = expr_rewrite(arena, expr->args[i], replace, context);
        if (arg != expr->args[i] && args == NULL) {
            args = arena_new_array(arena, const struct expr *, expr->arg_count);
            memcpy(args, expr->args, sizeof *args * expr->arg_count);
        }
        if (args != NULL) {
            args[i] = arg;
        }
    }
    if (args != NULL) {
        struct expr *copy = arena_copy(arena, expr, sizeof *expr);
        copy->args = args;
        expr = copy;
    }
    return replace(arena, expr, context);
}

struct column_search {
    uint32_t column_id;
    bool found;
};

static bool search_column(const struct expr *node, void *context)
{
    struct column_search *search = context;
    search->found |= node->kind == EXPR_COLUMN && node->column_id == search->column_id;
    return !search->found;
}

bool expr_uses_column(const struct expr *expr, uint32_t column_id)
{
    struct column_search search = {.column_id = column_id};
    expr_walk(expr, search_column, &search);
    return search.found;
}

bool expr_is_deterministic(const struct expr *expr)
{
    if (expr->kind != EXPR_CALL) {
        return true;
    }
    if ((expr->function->properties & FUNCTION_DETERMINISTIC) == 0) {
        return false;
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        if (!expr_is_deterministic(expr->args[i])) {
            return false;
        }
    }
    return true;
}

bool expr_is_constant(const struct expr *expr)
{
    if (expr->kind != EXPR_CALL) {
        return expr->kind == EXPR_LITERAL;
    }
    if ((expr->function->properties & FUNCTION_DETERMINISTIC) == 0) {
        return false;
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        if (!expr_is_constant(expr->args[i])) {
            return false;
        }
    }
    return true;
}

bool expr_can_error(const struct expr *expr)
{
    if (expr->kind != EXPR_CALL) {
        return false;
    }
    if ((expr->function->properties & FUNCTION_CAN_ERROR) != 0) {
        return true;
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        if (expr_can_error(expr->args[i])) {
            return true;
        }
    }
    return false;
}

bool expr_is_literal_null(const struct expr *expr)
{
    return expr->kind == EXPR_LITERAL && column_is_null(expr->value, 0);
}

bool expr_is_literal_true(const struct expr *expr)
{
    return expr->kind == EXPR_LITERAL && expr->type->kind == TYPE_BOOLEAN &&
           !column_is_null(expr->value, 0) && *(const uint8_t *)column_value(expr->value, 0) != 0;
}
