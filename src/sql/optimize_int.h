// SPDX-License-Identifier: Apache-2.0
//
// optimize_int: the passes over relations, in the order in which optimize() runs them. Each leaves
// a graph that means the same. A pass that replaces relations returns the new one for each old one
// and remembers it, so that what was shared stays shared.
#pragma once

#include "sql/rel_int.h"

struct optimizer {
    struct rel_graph *graph;
    struct arena *arena;
    // What a pass made of a relation, by its place in graph->order; NULL: not visited yet.
    struct rel **made;
};

uint32_t optimize_id(struct optimizer *optimizer);

// Runs `rewrite` over all relations, inputs before consumers; its result stands for the relation.
void optimize_each(struct rel_graph *graph,
                   struct rel *(*rewrite)(struct optimizer *optimizer, struct rel *rel));

// optimize_filters.c: conditions go down to where their columns come from; joins get their keys.
void optimize_filters(struct rel_graph *graph);
// optimize_join.c: sorts the conjuncts of a join out. Conditions of one side are appended to `left`
// and `right`; equalities become keys; the rest is the join's condition.
struct conjuncts {
    const struct expr **items;
    uint32_t count;
    uint32_t capacity;
};
void optimize_conjuncts_add(struct arena *arena, struct conjuncts *list, const struct expr *expr);
void optimize_join(struct optimizer *optimizer, struct rel *join, const struct conjuncts *all,
                   struct conjuncts *left, struct conjuncts *right);
// optimize_calcs.c: a CALC over a CALC is one, over VALUES none.
void optimize_calcs(struct rel_graph *graph);
// Without those that do nothing; behind optimize_columns() only.
void optimize_identities(struct rel_graph *graph);
// optimize_windows.c: GROUP BY the bounds of a window table function is one operator.
void optimize_windows(struct rel_graph *graph);
// optimize_columns.c: columns that nobody reads go.
void optimize_columns(struct rel_graph *graph);
// optimize_figures.c: aggregates that metadata answers are rows.
void optimize_figures(struct rel_graph *graph);
// optimize_fields.c: so do fields of rows, down in the scan.
void optimize_fields(struct rel_graph *graph);
// optimize_scans.c: what a source may know of conditions and limits.
void optimize_scans(struct rel_graph *graph);
