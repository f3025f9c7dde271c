// SPDX-License-Identifier: Apache-2.0
//
// predicate: the one form in which a condition is pushed down to whatever reads data, for leaving
// out what cannot match: partitions, files, row groups, pages.
//
// A predicate is a conjunction of terms `column op constant(s)`. It is a necessary condition of the
// filter it was made from, never the whole of it: who pushed it down still filters the rows. So a
// reader may ignore any term, and what it returns may contain rows that do not match.
//
// Comparisons are those of the kernels (Flink): NaN = NaN, NaN is greater than all other values,
// -0 = 0. A comparison with a null is not true, so such a row may be left out.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "data/column.h"

struct type;

enum predicate_op {
    PREDICATE_EQ,
    PREDICATE_NE,
    PREDICATE_LT,
    PREDICATE_LE,
    PREDICATE_GT,
    PREDICATE_GE,
    PREDICATE_IN,          // equal to one of `constants`
    PREDICATE_STARTS_WITH, // STRING
    PREDICATE_IS_NULL,
    PREDICATE_IS_NOT_NULL,
};

struct predicate_term {
    int32_t column_id; // the field id in the schema, of a leaf at any depth not below a list
    enum predicate_op op;
    const struct type *type;        // of the column and of the constants
    const struct column *constants; // FLAT, no nulls, of type_physical(type): 1 row, IN: 1 or more
};

struct predicate {
    uint32_t term_count;
    const struct predicate_term *terms;
};

#define PREDICATE_UNKNOWN INT64_MAX // a count that nobody has counted

// What is known about a set of values (a file, a row group, a page). Bounds are values of the
// term's physical form; they leave out nulls and NaNs and need not be attained.
struct predicate_bounds {
    const void *lower; // NULL: unknown
    const void *upper;
    int64_t value_count; // nulls included; PREDICATE_UNKNOWN
    int64_t null_count;
    int64_t nan_count;
};

// False only where no row of the set can satisfy the term.
bool predicate_may_match(const struct predicate_term *term, const struct predicate_bounds *bounds);

// Compares two values of one physical form as above. Not for nested forms.
int predicate_compare(enum physical physical, const void *left, const void *right);
