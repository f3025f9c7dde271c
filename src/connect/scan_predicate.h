// SPDX-License-Identifier: Apache-2.0
//
// scan_predicate: what of a scan's condition can be pushed down into the source (data/predicate.h).
// Of each conjunct:
//
//     leaf = literal, <>, <, <=, >, >=    either way round, also below NOT
//     leaf IN (literals)                  and the same in ORs of equalities of one leaf
//     leaf IS [NOT] NULL, leaf LIKE 'prefix%…'
//     leaf, NOT leaf, leaf IS TRUE …      of BOOLEAN
//
// A leaf is a column or a field within rows, also where it is cast to a wider type for the sake of
// the comparison: then the literal becomes one of the leaf's own type. The rest is left to the
// filter above, which sees all rows in any case.
#pragma once

#include "base/str.h"
#include "data/predicate.h"

struct arena;
struct plan_node;
struct table_column;

// How the source numbers its leaves.
struct scan_predicate_ids {
    // The id of a column of the scan's table, or of the field within it that the path leads to
    // (names, outermost first); 0: it has none.
    int32_t (*find)(const void *context, const struct table_column *column, const struct str *path,
                    uint32_t depth);
    const void *context;
};

// In `arena`; NULL where nothing can be pushed down.
const struct predicate *scan_predicate_make(struct arena *arena, const struct plan_node *scan,
                                            const struct scan_predicate_ids *ids);
