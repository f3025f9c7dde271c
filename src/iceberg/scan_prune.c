// SPDX-License-Identifier: Apache-2.0
#include "iceberg/scan_prune.h"

#include <math.h>

#include "base/arena.h"
#include "base/vec.h"
#include "data/predicate.h"
#include "data/type.h"
#include "iceberg/spec/table_schema.h"

// A condition on one partition field.
struct scan_prune_test {
    uint32_t field;
    const struct iceberg_type *type;
    enum predicate_op op; // EQ (one of the values), LE, GE, STARTS_WITH, IS_NULL, IS_NOT_NULL
    uint32_t value_count;
    struct iceberg_value *values;
    int64_t width; // of truncate on integers; 0: another transform
};

// Flink's order, in which the predicate was made: -0 = 0, NaN above all.
static int compare(const struct iceberg_type *type, const struct iceberg_value *a,
                   const struct iceberg_value *b)
{
    if (type->kind != ICEBERG_FLOAT && type->kind != ICEBERG_DOUBLE) {
        return iceberg_value_compare(type, a, b);
    }
    if (isnan(a->as.f64) || isnan(b->as.f64)) {
        return (isnan(a->as.f64) ? 1 : 0) - (isnan(b->as.f64) ? 1 : 0);
    }
    return a->as.f64 < b->as.f64 ? -1 : a->as.f64 > b->as.f64;
}

static bool is_float(const struct iceberg_type *type)
{
    return type->kind == ICEBERG_FLOAT || type->kind == ICEBERG_DOUBLE;
}

static bool starts_with(struct str text, struct str prefix)
{
    return text.size >= prefix.size && str_equal(str_slice(text, 0, prefix.size), prefix);
}

// Java's truncate wraps around where the floor lies below the least int or long (of the type that
// the column had then): partition values next to the greatest ones may stand for the least.
static bool may_wrap(const struct scan_prune_test *test, const struct iceberg_value *lower,
                     const struct iceberg_value *upper)
{
    int64_t low = lower != NULL ? lower->as.i64 : INT64_MIN;
    int64_t high = upper != NULL ? upper->as.i64 : INT64_MAX;
    return test->width > 0 &&
           ((low <= INT32_MAX && high > INT32_MAX - test->width) || high > INT64_MAX - test->width);
}

// Whether some value in [lower, upper] fulfils the test. Bounds that are NULL are not known.
static bool range_may(const struct scan_prune_test *test, const struct iceberg_value *lower,
                      const struct iceberg_value *upper)
{
    for (uint32_t i = 0; i < test->value_count; i++) {
        const struct iceberg_value *value = &test->values[i];
        bool above = lower == NULL || compare(test->type, value, lower) >= 0;
        bool below = upper == NULL || compare(test->type, value, upper) <= 0;
        struct str prefix = value->as.bytes;
        bool may = true;
        switch (test->op) {
        case PREDICATE_EQ:
            may = (above && below) || (may_wrap(test, lower, upper) && value->as.i64 <= INT32_MIN);
            break;
        case PREDICATE_LE: // some partition value <= value
            may = above || may_wrap(test, lower, upper);
            break;
        case PREDICATE_GE: may = below; break;
        case PREDICATE_STARTS_WITH:
            may = (above || starts_with(lower->as.bytes, prefix)) &&
                  (below || starts_with(upper->as.bytes, prefix));
            break;
        case PREDICATE_NE:
        case PREDICATE_LT:
        case PREDICATE_GT:
        case PREDICATE_IN:
        case PREDICATE_IS_NULL:
        case PREDICATE_IS_NOT_NULL: break;
        }
        if (may) {
            return true;
        }
    }
    return false;
}

// The sharpest condition on the partition value that follows from a term; false: none.
static bool project(struct arena *arena, const struct predicate_term *term,
                    const struct partition_field *field, struct scan_prune_test *out)
{
    const struct iceberg_type *source = field->source;
    const struct transform *transform = &field->transform;
    bool ordered = transform_keeps_order(transform);
    bool is_equality = term->op == PREDICATE_EQ || term->op == PREDICATE_IN;
    out->type = field->result;
    out->op = term->op;
    if (transform->kind == TRANSFORM_VOID || transform->kind == TRANSFORM_UNKNOWN) {
        return false;
    }
    if (term->op == PREDICATE_IS_NULL || term->op == PREDICATE_IS_NOT_NULL) {
        return true; // null in, null out
    }
    if (term->op == PREDICATE_NE || (!is_equality && !ordered)) {
        return false;
    }
    if (term->op == PREDICATE_STARTS_WITH &&
        (source->kind != ICEBERG_STRING ||
         (transform->kind != TRANSFORM_IDENTITY && transform->kind != TRANSFORM_TRUNCATE))) {
        return false;
    }
    bool is_integer = source->kind == ICEBERG_INT || source->kind == ICEBERG_LONG;
    out->width = transform->kind == TRANSFORM_TRUNCATE && is_integer ? transform->parameter : 0;
    const struct column *constants = term->constants;
    out->value_count = is_equality ? constants->row_count : 1;
    out->values = arena_new_array(arena, struct iceberg_value, out->value_count + 1);
    for (uint32_t i = 0; i < out->value_count; i++) {
        struct iceberg_value value = iceberg_value_of_row(source, constants, i);
        value = iceberg_value_copy(arena, source, &value);
        out->values[i] = transform_apply(transform, source, &value);
        if (out->width > 0 && out->values[i].as.i64 > value.as.i64) {
            return false; // wrapped around
        }
    }
    // f keeps order: v < c gives f(v) <= f(c).
    out->op = is_equality                                            ? PREDICATE_EQ
              : term->op == PREDICATE_LT || term->op == PREDICATE_LE ? PREDICATE_LE
              : term->op == PREDICATE_GT || term->op == PREDICATE_GE ? PREDICATE_GE
                                                                     : PREDICATE_STARTS_WITH;
    // A prefix longer than the width of truncate is cut like the values: then they are equal.
    if (out->op == PREDICATE_STARTS_WITH && transform->kind == TRANSFORM_TRUNCATE) {
        struct iceberg_value whole = iceberg_value_of_row(source, constants, 0);
        out->op = out->values[0].as.bytes.size < whole.as.bytes.size ? PREDICATE_EQ
                                                                     : PREDICATE_STARTS_WITH;
    }
    return true;
}

// Whether the constants have the form that the column's values have.
static bool fits(struct arena *arena, const struct predicate_term *term,
                 const struct iceberg_type *type)
{
    const struct type *sql;
    struct err ignored;
    if (term->op == PREDICATE_IS_NULL || term->op == PREDICATE_IS_NOT_NULL) {
        return true;
    }
    return term->constants != NULL &&
           iceberg_type_to_sql(arena, type, false, &sql, &ignored) == STATUS_OK &&
           type_physical(sql) == term->constants->physical && sql->scale == term->type->scale;
}

void scan_prune_init(struct scan_prune *prune, struct arena *arena,
                     const struct partition_spec *spec, const struct predicate *predicate,
                     const struct table_schema *schema)
{
    VEC(struct scan_prune_test) tests = {0};
    uint32_t term_count = predicate != NULL ? predicate->term_count : 0;
    for (uint32_t i = 0; i < term_count; i++) {
        const struct predicate_term *term = &predicate->terms[i];
        const struct table_schema_entry *entry = table_schema_by_id(schema, term->column_id);
        for (uint32_t j = 0; entry != NULL && j < spec->field_count; j++) {
            struct scan_prune_test test = {.field = j};
            if (spec->fields[j].source_id == term->column_id && spec->fields[j].source != NULL &&
                fits(arena, term, spec->fields[j].source) &&
                project(arena, term, &spec->fields[j], &test)) {
                VEC_PUSH(&tests, test);
            }
        }
    }
    *prune = (struct scan_prune){spec, tests.count,
                                 arena_copy(arena, tests.items, tests.count * sizeof *tests.items)};
    VEC_RELEASE(&tests);
}

// Bounds of geometries are points. UUIDs were compared with signs by Java: where that made a
// difference the bounds stand crosswise.
static bool bounds_hold(const struct iceberg_type *type, struct str lower, struct str upper)
{
    bool is_crossed = type->kind == ICEBERG_UUID && lower.ptr != NULL && upper.ptr != NULL &&
                      str_compare(lower, upper) > 0;
    return !is_crossed && type->kind != ICEBERG_GEOMETRY && type->kind != ICEBERG_GEOGRAPHY;
}

static bool summary_may(const struct scan_prune_test *test,
                        const struct manifest_field_summary *summary)
{
    struct iceberg_value lower;
    struct iceberg_value upper;
    struct err ignored;
    bool has_lower =
        summary->lower.ptr != NULL &&
        iceberg_value_decode(test->type, summary->lower, &lower, &ignored) == STATUS_OK;
    bool has_upper =
        summary->upper.ptr != NULL &&
        iceberg_value_decode(test->type, summary->upper, &upper, &ignored) == STATUS_OK;
    // Older writers let NaN into bounds, which then say nothing.
    bool may_nan =
        is_float(test->type) && (summary->contains_nan != 0 || (has_lower && isnan(lower.as.f64)) ||
                                 (has_upper && isnan(upper.as.f64)));
    if (test->op == PREDICATE_IS_NULL) {
        return summary->contains_null;
    }
    if (may_nan || !bounds_hold(test->type, summary->lower, summary->upper)) {
        return true;
    }
    if (!has_lower && !has_upper) {
        // Without bounds there are only nulls, which no comparison is true for.
        return !summary->contains_null;
    }
    return test->op == PREDICATE_IS_NOT_NULL ||
           range_may(test, has_lower ? &lower : NULL, has_upper ? &upper : NULL);
}

bool scan_prune_manifest(const struct scan_prune *prune, const struct manifest_file *file)
{
    if (file->partitions == NULL) {
        return true;
    }
    for (uint32_t i = 0; i < prune->test_count; i++) {
        const struct scan_prune_test *test = &prune->tests[i];
        if (test->field < file->partition_count &&
            !summary_may(test, &file->partitions[test->field])) {
            return false;
        }
    }
    return true;
}

bool scan_prune_tuple(const struct scan_prune *prune, const struct iceberg_value *tuple)
{
    for (uint32_t i = 0; i < prune->test_count; i++) {
        const struct scan_prune_test *test = &prune->tests[i];
        const struct iceberg_value *value = &tuple[test->field];
        bool may = test->op == PREDICATE_IS_NULL       ? value->is_null
                   : value->is_null                    ? false
                   : test->op == PREDICATE_IS_NOT_NULL ? true
                                                       : range_may(test, value, value);
        if (!may) {
            return false;
        }
    }
    return true;
}

static const void *bound_of(struct arena *arena, const struct iceberg_type *type, struct str bytes)
{
    struct iceberg_value value;
    struct err ignored;
    if (bytes.ptr == NULL || iceberg_value_decode(type, bytes, &value, &ignored) != STATUS_OK ||
        (is_float(type) && isnan(value.as.f64))) { // by older writers: nothing is known
        return NULL;
    }
    struct column column = iceberg_value_column(arena, type, &value, 1);
    return column.values;
}

static int64_t count_or_unknown(int64_t count)
{
    return count == DATA_FILE_NONE ? PREDICATE_UNKNOWN : count;
}

bool scan_prune_file(struct arena *arena, const struct predicate *predicate,
                     const struct table_schema *schema, const struct data_file *file)
{
    uint32_t term_count = predicate != NULL ? predicate->term_count : 0;
    for (uint32_t i = 0; i < term_count; i++) {
        const struct predicate_term *term = &predicate->terms[i];
        const struct table_schema_entry *entry = table_schema_by_id(schema, term->column_id);
        const struct data_file_metric *metric = data_file_metric(file, term->column_id);
        if (entry == NULL || metric == NULL || entry->below_list ||
            !iceberg_type_is_primitive(entry->field->type) ||
            !fits(arena, term, entry->field->type)) {
            continue;
        }
        const struct iceberg_type *type = entry->field->type;
        bool has_bounds = bounds_hold(type, metric->lower, metric->upper);
        struct predicate_bounds bounds = {
            .lower = has_bounds ? bound_of(arena, type, metric->lower) : NULL,
            .upper = has_bounds ? bound_of(arena, type, metric->upper) : NULL,
            .value_count = count_or_unknown(metric->value_count),
            .null_count = count_or_unknown(metric->null_count),
            .nan_count = is_float(type) ? count_or_unknown(metric->nan_count) : 0,
        };
        if (!predicate_may_match(term, &bounds)) {
            return false;
        }
    }
    return true;
}

// The least and the greatest of the constants.
static void range_of(const struct iceberg_type *type, const struct column *constants,
                     struct scan_range *out)
{
    out->low = INT64_MAX;
    out->high = INT64_MIN;
    for (uint32_t i = 0; i < constants->row_count; i++) {
        int64_t value = iceberg_value_of_row(type, constants, i).as.i64;
        out->low = value < out->low ? value : out->low;
        out->high = value > out->high ? value : out->high;
    }
}

bool scan_prune_range(const struct predicate_term *term, const struct table_schema *schema,
                      struct scan_range *out)
{
    const struct table_schema_entry *entry = table_schema_by_id(schema, term->column_id);
    struct arena arena = {0};
    if (entry == NULL || entry->below_list || term->constants == NULL) {
        return false;
    }
    const struct iceberg_type *type = entry->field->type;
    bool is_integer = type->kind == ICEBERG_INT || type->kind == ICEBERG_LONG ||
                      type->kind == ICEBERG_DATE || type->kind == ICEBERG_TIMESTAMP ||
                      type->kind == ICEBERG_TIMESTAMPTZ;
    bool usable = is_integer && fits(&arena, term, type);
    arena_release(&arena);
    if (!usable) {
        return false;
    }
    *out = (struct scan_range){.column_id = term->column_id, .kind = type->kind};
    range_of(type, term->constants, out);
    switch (term->op) {
    case PREDICATE_EQ:
    case PREDICATE_IN: return true;
    case PREDICATE_LT:
    case PREDICATE_LE: out->low = INT64_MIN; return true;
    case PREDICATE_GT:
    case PREDICATE_GE: out->high = INT64_MAX; return true;
    case PREDICATE_NE:
    case PREDICATE_STARTS_WITH:
    case PREDICATE_IS_NULL:
    case PREDICATE_IS_NOT_NULL: break;
    }
    return false;
}
