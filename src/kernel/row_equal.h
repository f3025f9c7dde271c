// SPDX-License-Identifier: Apache-2.0
//
// row_equal: whether rows are the same key: null equals null, NaN equals NaN, -0 equals 0.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "data/column.h"

// One row of each; the columns are pairwise of one physical type.
struct row_equal_side {
    const struct column *columns;
    uint32_t row;
};
bool row_equal(struct row_equal_side a, struct row_equal_side b, uint32_t count);

// Many rows of one pair of columns. Clears bit i of `equal` where the rows a_rows[i] and b_rows[i]
// differ; NULL row lists mean i itself.
struct row_equal_pairs {
    const struct column *a;
    const uint32_t *a_rows;
    const struct column *b;
    const uint32_t *b_rows;
    uint32_t count;
};
void row_equal_narrow(const struct row_equal_pairs *pairs, uint64_t *equal);
