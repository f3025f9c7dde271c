// SPDX-License-Identifier: Apache-2.0
//
// bind_int: what the files of the binder share. See bind.h for what it does as a whole.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/compiler.h"
#include "base/err.h"
#include "expr/function.h"
#include "sql/ast.h"
#include "sql/bind.h"
#include "sql/rel_int.h"

enum {
    BIND_DEPTH_MAX = 100,     // views and queries inside each other
    BIND_QUERIES_MAX = 10000, // all together: what is named twice is there twice
    BIND_COLUMNS_MAX = 8192,  // of a relation
};

// A failure at a place in the text: `return REFUSE(err, item->at, "...")`.
#define REFUSE(err, at, ...) bind_refused(ERR((err), STATUS_INVALID_DATA, __VA_ARGS__), (err), (at))
// Known, and not done here (yet).
#define NOT_YET(err, at, ...) bind_refused(ERR((err), STATUS_UNSUPPORTED, __VA_ARGS__), (err), (at))
enum status bind_refused(enum status status, struct err *err, struct ast_span at);

// What a name may mean: the columns of one entry of FROM.
struct scope_column {
    struct str name;
    uint32_t id;
    const struct type *type;
    enum plan_time time;
    bool is_hidden;   // the right side of USING: found only behind its table's name
    bool is_metadata; // not among those of *
};

struct scope_table {
    struct str alias;    // empty: columns have no qualifier
    struct str database; // of a table without an alias: db.t.c works too
    struct str catalog_name;
    struct str label; // for messages: what the user calls it
    const struct scope_column *columns;
    uint32_t column_count;
};

struct scope {
    const struct scope_table *tables;
    uint32_t table_count;
    const struct scope *outer; // of a subquery
};

struct bind_cte {
    const struct ast_cte *cte;
    struct bind_cte *outer;   // the one before it
    struct bind_cte *visible; // what its query sees
    bool is_used;
};

// A table's chain of scan, computed columns, watermark and normalisation: one for each table and
// set of options in the plan.
struct bind_source {
    const struct table_def *table; // with the hints' options
    struct rel *root;
    struct bind_source *next;
};

// What becomes of a part of a view's text: names qualified, stars written out.
struct bind_edit {
    struct ast_span at;
    struct str text;
    struct bind_edit *next;
};

struct binder {
    const struct bind_context *context;
    struct arena *arena;
    struct str text; // of what is being bound: the statement or a view
    uint32_t next_id;
    struct bind_source *sources;
    struct bind_cte *ctes;
    uint32_t depth;
    uint32_t query_count;  // bound so far
    uint32_t insert_depth; // where a NULL takes the type of an INSERT's column; 0: nowhere
    bool records_edits;    // CREATE VIEW's own text
    struct bind_edit *edits;
};

// A relation and what its columns are called.
struct bound {
    struct rel *rel;
    struct scope scope;
};

// Remembers what becomes of a part of the text, where a view is being made.
void bind_edit_add(struct binder *binder, struct ast_span at, struct str text);

// Tells people something once it is certain to be of use to them.
void bind_note(const struct binder *binder, const char *format, ...) PRINTF_LIKE(2, 3);

void bind_begin(struct binder *binder, const struct bind_context *context);
uint32_t bind_id(struct binder *binder);
// The id of an output column: that of the input column which it only hands on, unless one of the
// `count` outputs before it does so already; else a new one.
uint32_t bind_output_id(struct binder *binder, const struct expr *expr,
                        const struct plan_column *outputs, uint32_t count);
static inline bool bind_is_streaming(const struct binder *binder)
{
    return binder->context->settings.expr.is_streaming;
}

// bind_scope.c ---------------------------------------------------------------------------------

// The columns of `rel` under one name.
struct scope bind_scope_of(struct arena *arena, const struct rel *rel, struct str alias,
                           struct str label);
struct scope bind_scope_join(struct arena *arena, const struct scope *left,
                             const struct scope *right);
enum status bind_scope_resolve(struct binder *binder, const struct scope *scope,
                               const struct ast_path *path, const struct expr **out,
                               struct err *err);
// The column of the scope that `id` is; NULL: none.
const struct scope_column *bind_scope_find(const struct scope *scope, uint32_t id);
// "did you mean 'x'?  (columns: ...)" for a name that is in no table of the scope.
void bind_scope_hint(const struct scope *scope, struct str name, struct err *err);
// The nearest of several names; empty: none is near.
struct str bind_scope_nearest(const struct str *names, uint32_t count, struct str name);

// bind_expr.c ----------------------------------------------------------------------------------

struct aggregate_list;
struct expr_context {
    struct binder *binder;
    const struct scope *scope;
    struct aggregate_list *aggregates; // where they may stand; NULL: refused
    const char *clause;                // "WHERE": for messages
    bool in_aggregate;
};

enum status bind_expr(struct expr_context *context, const struct ast_expr *ast,
                      const struct expr **out, struct err *err);
// With a check that it is BOOLEAN.
enum status bind_expr_condition(struct expr_context *context, const struct ast_expr *ast,
                                const struct expr **out, struct err *err);
enum status bind_expr_resolve(struct binder *binder, const char *name, struct expr_list args,
                              const struct function_options *options, struct ast_span at,
                              const struct expr **out, struct err *err);
enum status bind_expr_list(struct expr_context *context, const struct ast_exprs *list,
                           struct expr_list *out, struct err *err);
// The time attribute that an output column of this expression is.
enum plan_time bind_expr_time(const struct scope *scope, const struct expr *expr);

enum status bind_call(struct expr_context *context, const struct ast_expr *ast,
                      const struct expr **out, struct err *err);
enum status bind_call_json(struct expr_context *context, const struct ast_expr *ast,
                           const struct expr **out, struct err *err);

// bind_literal.c -------------------------------------------------------------------------------

enum status bind_literal(struct arena *arena, const struct ast_expr *ast, bool negative,
                         const struct expr **out, struct err *err);
// The milliseconds of an INTERVAL literal of days to seconds.
enum status bind_literal_interval_ms(struct arena *arena, const struct ast_expr *ast, int64_t *out,
                                     struct err *err);

// bind_aggregate.c -----------------------------------------------------------------------------

// The aggregate calls of one SELECT. Arguments are over the input, before grouping.
struct aggregate_item {
    const struct aggregate *function;
    const struct expr *argument; // NULL: COUNT(*)
    const struct expr *filter;   // NULL: none; BOOLEAN NOT NULL
    bool is_distinct;
    uint32_t output_id;
    const struct type *type;
    struct str name;
};

struct aggregate_list {
    struct aggregate_item *items; // in the arena
    uint32_t count;
    uint32_t capacity;
    bool is_global; // no GROUP BY
};

enum status bind_aggregate_call(struct expr_context *context, const struct ast_expr *ast,
                                const struct expr **out, struct err *err);

struct grouping {
    const struct expr **keys;    // over the input
    struct plan_column *columns; // what they are called above
    uint32_t count;
};
// Keys and calls over `input`: a CALC that computes arguments, and the GROUP_AGGREGATE above it.
struct rel *bind_aggregate_rel(struct binder *binder, struct rel *input,
                               const struct grouping *grouping, const struct aggregate_list *list,
                               struct ast_span at);
// DISTINCT: GROUP BY all columns.
void bind_aggregate_distinct(struct binder *binder, struct rel **rel, struct ast_span at);
// `expr` over the input rewritten to what stands above the aggregation; refuses columns that are
// not grouped.
enum status bind_aggregate_above(struct binder *binder, const struct grouping *grouping,
                                 const struct aggregate_list *list, const struct expr *expr,
                                 const struct expr **out, struct err *err);

// bind_from.c, bind_table.c, bind_window.c, bind_join.c ---------------------------------------

enum status bind_from(struct binder *binder, const struct ast_table *table, struct bound *out,
                      struct err *err);
// Names for columns: alias (a, b).
enum status bind_from_columns(struct binder *binder, struct bound *bound,
                              const struct ast_names *columns, struct err *err);
// A NAME: its path, hints and time travel.
enum status bind_table(struct binder *binder, const struct ast_table *ast, struct bound *out,
                       struct err *err);
// Refuses what is no OPTIONS hint, and these where they are switched off.
enum status bind_table_check_hints(struct binder *binder, const struct ast_hints *hints,
                                   struct err *err);
enum status bind_table_find(struct binder *binder, const struct ast_path *path,
                            const struct table_def **out, struct err *err);
// t.branch_x, where no table is called so and t is one of Iceberg.
bool bind_table_find_selected(struct binder *binder, const struct ast_path *path,
                              const struct table_def **out, struct table_at *at);
enum status bind_table_rel(struct binder *binder, const struct table_def *table, struct ast_span at,
                           struct rel **out, struct err *err);
// The definition with the options of OPTIONS hints put over its own.
enum status bind_table_hints(struct binder *binder, const struct table_def *table,
                             const struct ast_hints *hints, const struct table_def **out,
                             struct err *err);
// The options of OPTIONS hints alone.
enum status bind_table_options(struct binder *binder, const struct ast_hints *hints,
                               const struct table_option **out, uint32_t *count, struct err *err);
struct str bind_table_name(struct arena *arena, const struct table_def *table); // c.d.t
enum status bind_window(struct binder *binder, const struct ast_table *table, struct bound *out,
                        struct err *err);
enum status bind_join(struct binder *binder, const struct ast_table *table, struct bound *out,
                      struct err *err);

// bind_version.c -------------------------------------------------------------------------------

// The state of an Iceberg table that a place asks for: by clause, hints, or `by_name` (kind NONE
// where the name says nothing).
enum status bind_version(struct binder *binder, const struct ast_table *ast,
                         const struct table_at *by_name, const struct table_def **inout,
                         struct err *err);
// "branch_x" and "tag_x"; the text is borrowed.
bool bind_version_of_name(struct str name, struct table_at *out);
// AS OF where it means nothing (yet): `table` is none of Iceberg, or NULL.
enum status bind_version_refuse(const struct table_def *table, const struct ast_table *ast,
                                struct err *err);
// Where INSERT writes to: the branch that hints or the name (`by_name`; kind NONE where it says
// nothing) ask for; empty: main. Other hints are refused.
enum status bind_version_of_write(const struct ast_insert *ast, const struct table_at *by_name,
                                  struct str *branch, struct err *err);
// FROM ICEBERG_TABLE('…').
enum status bind_version_iceberg_table(struct binder *binder, const struct ast_table *ast,
                                       struct bound *out, struct err *err);

// bind_query.c, bind_select.c, bind_order.c ---------------------------------------------------

enum status bind_query_rel(struct binder *binder, const struct ast_query *query, struct rel **out,
                           struct err *err);
enum status bind_query_body(struct binder *binder, const struct ast_body *body, struct rel **out,
                            struct err *err);
// SELECT with the ORDER BY behind it, which sees more than the output (NULL: none).
enum status bind_select(struct binder *binder, const struct ast_body *body,
                        const struct ast_sorts *order_by, struct rel **out, struct err *err);
// A literal position of ORDER BY as an index, or UINT32_MAX.
enum status bind_order_ordinal(const struct ast_expr *ast, uint32_t column_count, uint32_t *out,
                               struct err *err);
struct plan_sort_key bind_order_key(const struct ast_sort *sort, uint32_t id);
void bind_order_by(struct binder *binder, const struct plan_sort_key *keys, uint32_t count,
                   struct rel **rel);
// ORDER BY behind anything but a SELECT: output columns only.
enum status bind_order_output(struct binder *binder, const struct ast_sorts *order_by,
                              struct rel **rel, struct err *err);
// LIMIT and OFFSET; refuses what a stream cannot do, sorting included.
enum status bind_order_limit(struct binder *binder, const struct ast_query *query, struct rel **rel,
                             struct err *err);
// Column names told apart as Flink does: x, x0, x1.
void bind_query_unique_names(struct binder *binder, struct rel *rel);

// bind_insert.c --------------------------------------------------------------------------------

enum status bind_insert(struct binder *binder, const struct ast_insert *insert, struct rel **out,
                        struct err *err);
// Whether a sink column of type `to` takes a value of type `from` without a CAST in the query.
bool bind_insert_casts(const struct type *from, const struct type *to);

// The rest of the way -------------------------------------------------------------------------

void optimize(struct rel_graph *graph);
enum status infer_changes(struct rel_graph *graph, const struct bind_context *context,
                          struct err *err);
void place_exchanges(struct rel_graph *graph);
void operator_ids(struct rel_graph *graph);
struct plan *finish_plan(struct rel_graph *graph);
