// SPDX-License-Identifier: Apache-2.0
//
// file_partitions: the values of partition columns, which stand in the directories of a path:
// /lake/clicks/day=2024-02-29/country=De%20/x.parquet.
//
// Names and values may be percent-encoded. The value "__HIVE_DEFAULT_PARTITION__" (Flink writes
// "__DEFAULT_PARTITION__") is NULL.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct arena;
struct column;
struct type;

struct file_partition {
    struct str key;
    struct str value;
    bool is_null;
};

// The directories "key=value" of `path` behind its first `from` bytes, in their order, decoded.
void file_partitions_read(struct arena *arena, struct str path, size_t from,
                          const struct file_partition **out, uint32_t *count);
// NULL where there is none of that key; the last one counts.
const struct file_partition *file_partitions_find(const struct file_partition *partitions,
                                                  uint32_t count, struct str key);
// The value as one row (CONST) of `type`. INVALID_DATA where the text does not fit it.
MUST_USE enum status file_partitions_column(struct arena *arena,
                                            const struct file_partition *partition,
                                            const struct type *type, struct column *out,
                                            struct err *err);
