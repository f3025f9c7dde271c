// SPDX-License-Identifier: Apache-2.0
#include "data/predicate.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"

#define COMPARE_AS(c_type)                                                                         \
    do {                                                                                           \
        c_type a;                                                                                  \
        c_type b;                                                                                  \
        memcpy(&a, left, sizeof a);                                                                \
        memcpy(&b, right, sizeof b);                                                               \
        return (a > b) - (a < b);                                                                  \
    } while (0)

static int compare_doubles(double a, double b)
{
    if (isnan(a) || isnan(b)) {
        return (isnan(a) ? 1 : 0) - (isnan(b) ? 1 : 0);
    }
    return (a > b) - (a < b);
}

int predicate_compare(enum physical physical, const void *left, const void *right)
{
    switch (physical) {
    case PHYSICAL_BOOL: COMPARE_AS(uint8_t);
    case PHYSICAL_I8: COMPARE_AS(int8_t);
    case PHYSICAL_I16: COMPARE_AS(int16_t);
    case PHYSICAL_I32: COMPARE_AS(int32_t);
    case PHYSICAL_I64: COMPARE_AS(int64_t);
    case PHYSICAL_I128: COMPARE_AS(int128);
    case PHYSICAL_F32: {
        float a;
        float b;
        memcpy(&a, left, sizeof a);
        memcpy(&b, right, sizeof b);
        return compare_doubles((double)a, (double)b);
    }
    case PHYSICAL_F64: {
        double a;
        double b;
        memcpy(&a, left, sizeof a);
        memcpy(&b, right, sizeof b);
        return compare_doubles(a, b);
    }
    case PHYSICAL_NANO: {
        const struct nano *a = left;
        const struct nano *b = right;
        return a->second != b->second
                   ? (a->second > b->second) - (a->second < b->second)
                   : (a->nanosecond > b->nanosecond) - (a->nanosecond < b->nanosecond);
    }
    case PHYSICAL_STRING: return strview_compare(left, right);
    case PHYSICAL_LIST:
    case PHYSICAL_MAP:
    case PHYSICAL_ROW: break;
    }
    UNREACHABLE("nested values are not compared");
}

static bool is_nan(enum physical physical, const void *value)
{
    return (physical == PHYSICAL_F32 && isnan(*(const float *)value)) ||
           (physical == PHYSICAL_F64 && isnan(*(const double *)value));
}

// Whether some value between the bounds, or a NaN where there may be one, equals `constant`.
static bool may_equal(enum physical physical, const struct predicate_bounds *bounds,
                      const void *constant, bool may_have_nan)
{
    if (is_nan(physical, constant)) {
        return may_have_nan;
    }
    return (bounds->lower == NULL || predicate_compare(physical, bounds->lower, constant) <= 0) &&
           (bounds->upper == NULL || predicate_compare(physical, bounds->upper, constant) >= 0);
}

static bool may_start_with(const struct predicate_bounds *bounds, const struct strview *prefix)
{
    // A value that starts with the prefix is >= it; and a bound above all of them is greater in the
    // prefix's own length already.
    if (bounds->upper != NULL && strview_compare(bounds->upper, prefix) < 0) {
        return false;
    }
    if (bounds->lower != NULL) {
        struct str lower = strview_str(bounds->lower);
        struct str start =
            str_slice(lower, 0, lower.size < prefix->size ? lower.size : prefix->size);
        return str_compare(start, strview_str(prefix)) <= 0;
    }
    return true;
}

static bool may_compare(const struct predicate_term *term, const struct predicate_bounds *bounds,
                        bool may_have_nan)
{
    enum physical physical = term->constants->physical;
    const char *constant = term->constants->values;
    const void *lower = bounds->lower;
    const void *upper = bounds->upper;
    bool nan = is_nan(physical, constant);
    switch (term->op) {
    case PREDICATE_EQ: return may_equal(physical, bounds, constant, may_have_nan);
    case PREDICATE_IN:
        for (uint32_t i = 0; i < term->constants->row_count; i++) {
            if (may_equal(physical, bounds, constant + i * physical_width(physical),
                          may_have_nan)) {
                return true;
            }
        }
        return false;
    case PREDICATE_NE: // nothing but the constant only where both bounds are it
        return may_have_nan || nan || lower == NULL || upper == NULL ||
               predicate_compare(physical, lower, constant) != 0 ||
               predicate_compare(physical, upper, constant) != 0;
    case PREDICATE_LT: return lower == NULL || predicate_compare(physical, lower, constant) < 0;
    case PREDICATE_LE:
        return nan || lower == NULL || predicate_compare(physical, lower, constant) <= 0;
    case PREDICATE_GT:
        return !nan &&
               (may_have_nan || upper == NULL || predicate_compare(physical, upper, constant) > 0);
    case PREDICATE_GE:
        return may_have_nan ||
               (!nan && (upper == NULL || predicate_compare(physical, upper, constant) >= 0));
    case PREDICATE_STARTS_WITH:
        return may_start_with(bounds, (const struct strview *)term->constants->values);
    case PREDICATE_IS_NULL:
    case PREDICATE_IS_NOT_NULL: break;
    }
    UNREACHABLE("not a comparison");
}

bool predicate_may_match(const struct predicate_term *term, const struct predicate_bounds *bounds)
{
    bool all_null = bounds->value_count != PREDICATE_UNKNOWN && bounds->null_count >= 0 &&
                    bounds->null_count == bounds->value_count;
    if (term->op == PREDICATE_IS_NULL) {
        return bounds->null_count != 0;
    }
    if (all_null) {
        return false;
    }
    if (term->op == PREDICATE_IS_NOT_NULL) {
        return true;
    }
    enum physical physical = term->constants->physical;
    bool is_float = physical == PHYSICAL_F32 || physical == PHYSICAL_F64;
    return may_compare(term, bounds, is_float && bounds->nan_count != 0);
}
