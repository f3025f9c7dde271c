// SPDX-License-Identifier: Apache-2.0
//
// datagen_source: rows of random or ascending values ('connector' = 'datagen'), with Flink's
// options.
//
// Every value depends on the seed, the column and the row's number only (except for times without
// 'base-time': those are the clock's), so the rows are the same at any parallelism and after a
// restore. Splits and positions are those of shard_splits.h. A table ends after 'number-of-rows',
// and with the shortest of its sequences.
//
// Options of nested columns are named by their path: fields.r.x.min for a field of a ROW,
// fields.a.element.max, fields.m.key.length, fields.m.value.min.
#pragma once

#include "exec/source.h"

struct table_def;

extern const struct source_class datagen_source_class;

// Options of the columns: INVALID_DATA where a column does not exist, a kind is not possible for
// its type, or a value is not of it.
MUST_USE enum status datagen_source_check(const struct table_def *def, struct err *err);
bool datagen_source_is_bounded(const struct table_def *def);
