// SPDX-License-Identifier: Apache-2.0
//
// rel_int: the relations that the binder makes and the optimizer rewrites, before they become plan
// nodes.
//
// A relation is a plan node that is still being worked on: `node` holds everything but inputs, id
// and properties, which finish_plan.c fills in. Inputs are mutable here. Relations form a directed
// acyclic graph: a source that is named several times is one relation with several consumers, each
// through a CALC that gives its columns new ids, so that ids stay unique in the plan.
//
// All is in the plan's arena; nothing is freed singly.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "catalog/connector.h"
#include "plan/plan.h"
#include "sql/ast.h"

struct arena;
struct bind_tables;

struct rel {
    struct plan_node node;
    struct rel **inputs;
    uint32_t input_count;
    uint32_t length; // of what made it, in the statement, from node.offset
    // SCAN and SINK of a table: what the connector said.
    const struct connector_info *connector;
    uint32_t consumers; // set by rel_sort()
    uint32_t mark;      // of the walk that saw it last
    bool needs_before;  // a consumer needs -U
    bool never_ends;    // in a batch query: a source behind it has no end
    const struct plan_node *made;
};

// The statement's relations: what passes go over.
struct rel_graph {
    struct arena *arena;
    struct rel **sinks;
    uint32_t sink_count;
    uint32_t next_id; // of columns; ids begin with 1
    uint32_t mark;
    bool is_streaming;
    const struct expr_settings *settings;
    const struct bind_tables *tables;
    // By rel_sort(): inputs before consumers.
    struct rel **order;
    uint32_t count;
};

struct rel *rel_new(struct arena *arena, enum plan_kind kind, struct ast_span at,
                    uint32_t input_count);
// A CALC with room for `column_count` columns and projections, without a condition.
struct rel *rel_calc(struct arena *arena, struct rel *input, uint32_t column_count);
// A CALC that hands on all columns where `condition` is true.
struct rel *rel_filter(struct arena *arena, struct rel *input, const struct expr *condition);
// Without columns that a source hides; `rel` itself where it has none.
struct rel *rel_visible(struct arena *arena, struct rel *rel);
void rel_set_columns(struct arena *arena, struct rel *rel, const struct plan_column *columns,
                     uint32_t count);
const struct plan_column *rel_column(const struct rel *rel, uint32_t id);
const struct expr *rel_reference(struct arena *arena, const struct plan_column *column);
// The arrays of a calc, to be written to; only for relations made here.
struct plan_column *rel_columns(struct rel *rel);
const struct expr **rel_projections(struct rel *rel);

// A CALC that is nothing but names: hands on its input's columns, in their order, with their ids.
bool rel_is_identity(const struct rel *rel);

// Fills `order` and `consumers` anew.
void rel_sort(struct rel_graph *graph);

// Columns replaced by expressions, both by id: parallel arrays.
struct rel_substitution {
    const uint32_t *ids;
    const struct expr *const *exprs;
    uint32_t count;
};
const struct expr *rel_substitute(struct arena *arena, const struct expr *expr,
                                  const struct rel_substitution *substitution);
// What a CALC computes, as a substitution of its output columns.
struct rel_substitution rel_substitution_of(struct arena *arena, const struct rel *calc);

// The WINDOW of which column `id` of `rel` is the start, end or time, seen through CALCs that only
// pass it on; NULL: none.
enum { REL_WINDOW_START, REL_WINDOW_END, REL_WINDOW_TIME };
const struct rel *rel_window_of(const struct rel *rel, uint32_t id, uint32_t *part);

// Nodes of the tree, counted up to `max`.
uint32_t rel_expr_size(const struct expr *expr, uint32_t max);
// Whether all columns of `expr` are handed out by `rel`.
bool rel_covers(const struct rel *rel, const struct expr *expr);
