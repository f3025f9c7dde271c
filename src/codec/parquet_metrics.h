// SPDX-License-Identifier: Apache-2.0
//
// parquet_metrics: bounds in Parquet's form as values of ours, and what is told of a leaf at close.
#pragma once

#include "codec/parquet_writer_int.h"

// Compares two bounds in PLAIN form; <0, 0, >0. Both have the size of the leaf's type.
int parquet_metrics_compare(const struct parquet_node *leaf, struct str left, struct str right);

// All but the bytes; the bounds are in the writer's result arena.
void parquet_metrics_leaf(struct parquet_writer *writer, uint32_t leaf,
                          struct parquet_leaf_metrics *out);
