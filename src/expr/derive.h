// SPDX-License-Identifier: Apache-2.0
//
// derive: the types that operators and mixed arguments have, as Flink 2.1 derives them
// (fixtures/flink-answers, scalar/decimal, scalar/coercion). All results are in `arena` or
// constant; NULL means that there is no such type.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "data/type.h"

struct arena;

enum derive_operator { DERIVE_PLUS, DERIVE_TIMES, DERIVE_DIVIDE, DERIVE_MOD };

// Of two numbers: integers stay integers (the wider), decimals grow up to 38 digits (integer digits
// are kept, the scale gives way down to 6), decimal with approximate is DOUBLE, else the first
// approximate type counts. MOD: exact numbers only, of scale 0 both: the second's type.
const struct type *derive_arithmetic(struct arena *arena, enum derive_operator operation,
                                     const struct type *a, const struct type *b);

// What CASE, ARRAY, IN, VALUES and set operations make of their parts (the standard's "least
// restrictive" type). CHARs of different lengths become VARCHAR.
const struct type *derive_least_restrictive(struct arena *arena, const struct type *const *types,
                                            uint32_t count);
// What COALESCE, IFNULL, GREATEST, LEAST and the array functions make of theirs: the same but that
// FLOAT with DOUBLE is DOUBLE and that dates widen to timestamps.
const struct type *derive_merged(struct arena *arena, const struct type *const *types,
                                 uint32_t count);
// The type to which both sides of a comparison are cast; implicit casts from strings included.
// `is_equality`: = and <> refuse numbers against strings, < and its like cast the string.
const struct type *derive_comparable(struct arena *arena, const struct type *a,
                                     const struct type *b, bool is_equality);

// Digits of an integer type as a decimal: 3, 5, 10, 19; those of a DECIMAL itself.
int32_t derive_precision(const struct type *type);
int32_t derive_scale(const struct type *type);
