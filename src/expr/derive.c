// SPDX-License-Identifier: Apache-2.0
#include "expr/derive.h"

#include "base/arena.h"

enum { SCALE_KEPT_MIN = 6 };

static int32_t max_i32(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static int32_t min_i32(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

int32_t derive_precision(const struct type *type)
{
    if (type->kind == TYPE_TINYINT) {
        return 3;
    }
    if (type->kind == TYPE_SMALLINT) {
        return 5;
    }
    if (type->kind == TYPE_INT) {
        return 10;
    }
    return type->kind == TYPE_BIGINT ? 19 : type->length;
}

int32_t derive_scale(const struct type *type)
{
    return type->kind == TYPE_DECIMAL ? type->scale : 0;
}

// Over 38 digits the integer digits stay and the scale gives way, but not below 6 of it.
static const struct type *decimal_fitted(struct arena *arena, int32_t precision, int32_t scale,
                                         bool nullable)
{
    if (precision > TYPE_DECIMAL_PRECISION_MAX) {
        int32_t integer_digits = precision - scale;
        scale =
            max_i32(TYPE_DECIMAL_PRECISION_MAX - integer_digits, min_i32(scale, SCALE_KEPT_MIN));
        precision = TYPE_DECIMAL_PRECISION_MAX;
    }
    return type_decimal(arena, precision, scale, nullable);
}

static const struct type *decimal_arithmetic(struct arena *arena, enum derive_operator operation,
                                             const struct type *a, const struct type *b)
{
    bool nullable = a->nullable || b->nullable;
    int32_t p1 = derive_precision(a);
    int32_t p2 = derive_precision(b);
    int32_t s1 = derive_scale(a);
    int32_t s2 = derive_scale(b);
    int32_t scale = max_i32(s1, s2);
    switch (operation) {
    case DERIVE_PLUS:
        return decimal_fitted(arena, max_i32(p1 - s1, p2 - s2) + scale + 1, scale, nullable);
    case DERIVE_TIMES: return decimal_fitted(arena, p1 + p2 + 1, s1 + s2, nullable);
    case DERIVE_DIVIDE:
        scale = max_i32(SCALE_KEPT_MIN, s1 + p2 + 1);
        return decimal_fitted(arena, p1 - s1 + s2 + scale, scale, nullable);
    case DERIVE_MOD:
        if (s1 == 0 && s2 == 0) {
            return type_with_null(arena, b, nullable);
        }
        return decimal_fitted(arena, min_i32(p1 - s1, p2 - s2) + scale, scale, nullable);
    }
    return NULL;
}

const struct type *derive_arithmetic(struct arena *arena, enum derive_operator operation,
                                     const struct type *a, const struct type *b)
{
    bool nullable = a->nullable || b->nullable;
    if (type_is_exact(a) && type_is_exact(b)) {
        if (a->kind == TYPE_DECIMAL || b->kind == TYPE_DECIMAL || operation == DERIVE_MOD) {
            return decimal_arithmetic(arena, operation, a, b);
        }
        return type_with_null(arena, a->kind >= b->kind ? a : b, nullable);
    }
    if (!type_is_numeric(a) || !type_is_numeric(b) || operation == DERIVE_MOD) {
        return NULL;
    }
    if (a->kind == TYPE_DECIMAL || b->kind == TYPE_DECIMAL) {
        return type_new(arena, TYPE_DOUBLE, nullable);
    }
    return type_with_null(arena, type_is_approximate(a) ? a : b, nullable);
}

struct merge {
    struct arena *arena;
    bool widen_approximate; // FLOAT with DOUBLE is DOUBLE
    bool dates_widen;       // DATE with TIMESTAMP is TIMESTAMP
};

static const struct type *merge_two(const struct merge *merge, const struct type *a,
                                    const struct type *b);

static const struct type *merge_numeric(const struct merge *merge, const struct type *a,
                                        const struct type *b, bool nullable)
{
    if (type_is_exact(a) && type_is_exact(b)) {
        if (a->kind != TYPE_DECIMAL && b->kind != TYPE_DECIMAL) {
            return type_with_null(merge->arena, a->kind >= b->kind ? a : b, nullable);
        }
        int32_t scale = max_i32(derive_scale(a), derive_scale(b));
        int32_t digits =
            max_i32(derive_precision(a) - derive_scale(a), derive_precision(b) - derive_scale(b));
        // Here the integer digits stay, and the scale takes what is left.
        scale = min_i32(scale, TYPE_DECIMAL_PRECISION_MAX - digits);
        return type_decimal(merge->arena, digits + scale, scale, nullable);
    }
    if (a->kind == TYPE_DECIMAL || b->kind == TYPE_DECIMAL) {
        return type_new(merge->arena, TYPE_DOUBLE, nullable);
    }
    if (merge->widen_approximate && (a->kind == TYPE_DOUBLE || b->kind == TYPE_DOUBLE)) {
        return type_new(merge->arena, TYPE_DOUBLE, nullable);
    }
    return type_with_null(merge->arena, type_is_approximate(a) ? a : b, nullable);
}

// CHAR with CHAR of one length stays CHAR; all else varies.
static const struct type *merge_strings(const struct merge *merge, const struct type *a,
                                        const struct type *b, bool nullable)
{
    bool character = type_is_character(a);
    enum type_kind fixed = character ? TYPE_CHAR : TYPE_BINARY;
    if (a->kind == fixed && b->kind == fixed && a->length == b->length) {
        return type_with_null(merge->arena, a, nullable);
    }
    return type_sized(merge->arena, character ? TYPE_VARCHAR : TYPE_VARBINARY,
                      max_i32(a->length, b->length), nullable);
}

static const struct type *merge_nested(const struct merge *merge, const struct type *a,
                                       const struct type *b, bool nullable)
{
    if (a->kind != b->kind || a->field_count != b->field_count) {
        return NULL;
    }
    struct type_field *fields = arena_new_array(merge->arena, struct type_field, a->field_count);
    for (uint32_t i = 0; i < a->field_count; i++) {
        fields[i] = a->fields[i];
        fields[i].type = merge_two(merge, a->fields[i].type, b->fields[i].type);
        if (fields[i].type == NULL) {
            return NULL;
        }
    }
    struct type *type = type_new(merge->arena, a->kind, nullable);
    type->field_count = a->field_count;
    type->fields = fields;
    return type;
}

static const struct type *merge_times(const struct merge *merge, const struct type *a,
                                      const struct type *b, bool nullable)
{
    if (type_is_timestamp(a) && type_is_timestamp(b)) {
        enum type_kind kind = a->kind;
        if (merge->dates_widen && a->kind != b->kind) {
            kind = TYPE_TIMESTAMP_LTZ;
        }
        return type_sized(merge->arena, kind, max_i32(a->length, b->length), nullable);
    }
    if (a->kind == TYPE_TIME && b->kind == TYPE_TIME) {
        return type_sized(merge->arena, TYPE_TIME, max_i32(a->length, b->length), nullable);
    }
    if (!merge->dates_widen) {
        return NULL;
    }
    if (a->kind == TYPE_DATE && b->kind == TYPE_TIMESTAMP) {
        return type_with_null(merge->arena, b, nullable);
    }
    if (b->kind == TYPE_DATE && a->kind == TYPE_TIMESTAMP) {
        return type_with_null(merge->arena, a, nullable);
    }
    return NULL;
}

static const struct type *merge_two(const struct merge *merge, const struct type *a,
                                    const struct type *b)
{
    bool nullable = a->nullable || b->nullable;
    if (a->kind == TYPE_NULL || b->kind == TYPE_NULL) {
        return type_with_null(merge->arena, a->kind == TYPE_NULL ? b : a, true);
    }
    if (type_equal_nullability_aside(a, b) && !type_is_nested(a)) {
        return type_with_null(merge->arena, a, nullable);
    }
    if (type_is_numeric(a) && type_is_numeric(b)) {
        return merge_numeric(merge, a, b, nullable);
    }
    if ((type_is_character(a) && type_is_character(b)) ||
        (type_is_binary(a) && type_is_binary(b))) {
        return merge_strings(merge, a, b, nullable);
    }
    if (type_is_nested(a)) {
        return merge_nested(merge, a, b, nullable);
    }
    return merge_times(merge, a, b, nullable);
}

static const struct type *merge_all(const struct merge *merge, const struct type *const *types,
                                    uint32_t count)
{
    const struct type *common = count == 0 ? NULL : types[0];
    for (uint32_t i = 1; i < count && common != NULL; i++) {
        common = merge_two(merge, common, types[i]);
    }
    return common;
}

const struct type *derive_least_restrictive(struct arena *arena, const struct type *const *types,
                                            uint32_t count)
{
    struct merge merge = {.arena = arena};
    return merge_all(&merge, types, count);
}

const struct type *derive_merged(struct arena *arena, const struct type *const *types,
                                 uint32_t count)
{
    struct merge merge = {.arena = arena, .widen_approximate = true, .dates_widen = true};
    return merge_all(&merge, types, count);
}

// A string against something else: the something, or STRING where Flink compares texts.
static const struct type *comparable_with_string(const struct type *other, bool is_equality)
{
    switch (other->kind) {
    case TYPE_BOOLEAN: return is_equality ? &type_string : other;
    case TYPE_INTERVAL_MONTH:
    case TYPE_INTERVAL_SECOND: return &type_string;
    case TYPE_DATE:
    case TYPE_TIME:
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_LTZ: return other;
    case TYPE_TINYINT:
    case TYPE_SMALLINT:
    case TYPE_INT:
    case TYPE_BIGINT:
    case TYPE_FLOAT:
    case TYPE_DOUBLE:
    case TYPE_DECIMAL: return is_equality ? NULL : other;
    case TYPE_BINARY: return other->is_uuid ? other : NULL;
    case TYPE_NULL:
    case TYPE_CHAR:
    case TYPE_VARCHAR:
    case TYPE_VARBINARY:
    case TYPE_ARRAY:
    case TYPE_MULTISET:
    case TYPE_MAP:
    case TYPE_ROW:
    case TYPE_VARIANT:
    case TYPE_BITMAP:
    case TYPE_RAW: return NULL;
    }
    return NULL;
}

const struct type *derive_comparable(struct arena *arena, const struct type *a,
                                     const struct type *b, bool is_equality)
{
    if (a->kind == TYPE_NULL && b->kind == TYPE_NULL) {
        return &type_boolean;
    }
    if (type_is_numeric(a) && type_is_numeric(b) &&
        (type_is_approximate(a) || type_is_approximate(b)) && a->kind != b->kind) {
        // As Java promotes: a whole number beside a FLOAT becomes one.
        bool is_float = (a->kind == TYPE_FLOAT && type_is_integer(b)) ||
                        (b->kind == TYPE_FLOAT && type_is_integer(a));
        return type_new(arena, is_float ? TYPE_FLOAT : TYPE_DOUBLE, a->nullable || b->nullable);
    }
    const struct type *types[] = {a, b};
    const struct type *common = derive_least_restrictive(arena, types, 2);
    if (common == NULL && type_is_character(a) != type_is_character(b)) {
        common = type_is_character(a) ? comparable_with_string(b, is_equality)
                                      : comparable_with_string(a, is_equality);
    }
    return common == NULL ? NULL : type_with_null(arena, common, a->nullable || b->nullable);
}
