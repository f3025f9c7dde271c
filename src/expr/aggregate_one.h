// SPDX-License-Identifier: Apache-2.0
//
// aggregate_one: rows that all go into one image, as those of an aggregate without GROUP BY do: the
// sum is held in a register and stored once, instead of once a row.
#pragma once

#include "expr/aggregate.h"

// Adds the rows to rows->images[0]. False, and nothing is done, for what is added row by row:
// retractions, strings, types that are not summed often.
bool aggregate_one_accumulate(const struct aggregate *aggregate, const struct column *argument,
                              const struct aggregate_rows *rows);
