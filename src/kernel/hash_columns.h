// SPDX-License-Identifier: Apache-2.0
//
// hash_columns: one hash a row over several columns, for exchanges and tables of state.
//
// Canonical: equal keys have equal hashes whatever their encoding or width. Integers of all widths,
// dates, times and timestamps hash as int64, and so does a DECIMAL that fits one; -0 is 0, there is
// one NaN, FLOAT hashes as the DOUBLE of its value. Nulls have a hash of their own. Columns count
// in order. Constants and dictionaries are hashed once an entry.
//
// The values are for this process and its checkpoints; they never change with a release without a
// new layout of checkpoints.
#pragma once

#include <stdint.h>

#include "data/column.h"

// `out` has row_count elements. No columns: all rows have the same hash.
void hash_columns(const struct column *columns, uint32_t count, uint32_t row_count, uint64_t *out);
// One row of the same.
uint64_t hash_columns_row(const struct column *columns, uint32_t count, uint32_t row);
