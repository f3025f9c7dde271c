// SPDX-License-Identifier: Apache-2.0
//
// nexmark_source: the events of the Nexmark benchmark as a table ('connector' = 'nexmark'), with
// the options of nexmark-flink and a seed:
//
//     event_type INT, person ROW<…>, auction ROW<…>, bid ROW<…>
//
// Of each event, one of the rows is there and the two others are NULL. The same seed and options
// give the same events at any parallelism: the splits of a fresh start with parallelism P are the
// numbers that leave 0 … P-1 when divided by P ("nexmark-2-of-4"), and a restore keeps them. A
// position is the count of events made in the split.
#pragma once

#include "exec/source.h"

struct table_def;

extern const struct source_class nexmark_source_class;

// The table's columns and the options' values. INVALID_DATA.
MUST_USE enum status nexmark_source_check(const struct table_def *def, struct err *err);
