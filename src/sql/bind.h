// SPDX-License-Identifier: Apache-2.0
//
// bind: from the syntax tree to a plan: names and types resolved as Flink does, then optimised.
//
//     struct bind_context context = {.arena = arena, .text = text, .tables = tables, ...};
//     TRY(bind_query(&context, statement->as.query, &plan, err));
//
// What happens, in this order (one file or a few each):
//
//   bind_*.c       the tree of relations (rel_int.h): scopes, stars, views and CTEs expanded,
//                  types, implicit casts, aggregates, windows, sinks. All errors come up here, but
//                  for those that need the changelog.
//   optimize_*.c   folding, filters pushed down, columns (and fields of rows) that nobody needs
//                  left out, projections merged, windows fused with their aggregates
//   infer_changes  which kinds of change each node hands out; refuses updates into sinks that
//                  take inserts only
//   place_exchanges, operator_ids, finish_plan   the plan of plan.h
//
// The same table (same definition, same options) is one scan, however often the inserts of one set
// or the parts of one query name it.
//
// Errors are of stage VALIDATE and have a place in `text` and, where something can be advised, a
// hint. Errors inside a view are told at the place where the statement names the view.
//
// Ownership: the plan and all it points to live in `arena`, which must outlive the plan. Table
// definitions are borrowed from the resolver and must live as long. One thread.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "catalog/connector.h"
#include "catalog/table_def.h"
#include "expr/expr.h"
#include "plan/plan.h"
#include "sql/ast.h"

struct arena;

// A file's name in the place of a table's, with the options of its OPTIONS hint.
struct bind_file {
    struct str path;
    uint32_t option_count;
    const struct table_option *options;
    bool overwrite; // INSERT OVERWRITE: the file may be there
};

// How names of tables become definitions. `path` has 1 to 3 parts: [catalog.][database.]name, as
// written; the resolver completes it.
enum bind_figure_kind { BIND_FIGURE_ROWS, BIND_FIGURE_VALUES, BIND_FIGURE_MIN, BIND_FIGURE_MAX };

struct bind_figure {
    enum bind_figure_kind kind;
    const struct table_column *column; // NULL for ROWS
    bool is_known;                     // the answer: one row of the column's physical form, or of
    struct column value;               // BIGINT for counts
};

struct bind_tables {
    // NOT_FOUND where there is no such table or view; its text is not used.
    enum status (*find)(void *self, struct arena *arena, const struct str *path,
                        uint32_t part_count, const struct table_def **out, struct err *err);
    // The most similar name that exists, as one would write it; empty: none is near. May be NULL.
    struct str (*nearest)(void *self, struct arena *arena, const struct str *path,
                          uint32_t part_count);
    // FROM ICEBERG_TABLE('…'): the Iceberg table that a metadata file, or a folder with one, holds.
    // NULL: refused.
    enum status (*iceberg_table)(void *self, struct arena *arena, struct str path,
                                 const struct table_def **out, struct err *err);
    // An Iceberg table as it was: with the columns and the version asked for. `after` is of kind
    // NONE, or only what was appended behind it is read. NULL: refused.
    enum status (*version)(void *self, struct arena *arena, const struct table_def *table,
                           const struct table_at *at, const struct table_at *after,
                           const struct table_def **out, struct err *err);
    // FROM 'file.parquet': a definition made up from the file. NULL: refused.
    enum status (*file)(void *self, struct arena *arena, const struct bind_file *file,
                        const struct table_def **out, struct err *err);
    // INSERT INTO 'file.parquet': the definition of a file that is to hold these columns. NULL:
    // refused.
    enum status (*new_file)(void *self, struct arena *arena, const struct bind_file *file,
                            const struct type *row, const struct table_def **out, struct err *err);
    // COUNT, MIN and MAX over all rows of an Iceberg table in the version of its definition, from
    // its metadata. What is not known stays so. NULL: never asked.
    enum status (*figures)(void *self, struct arena *arena, const struct table_def *table,
                           struct bind_figure *figures, uint32_t count, struct err *err);
    // The metadata table of that name ("snapshots") of an Iceberg table. NULL: refused.
    enum status (*metadata)(void *self, struct arena *arena, const struct table_def *table,
                            struct str name, const struct table_def **out, struct err *err);
    void *self;
};

struct bind_settings {
    struct expr_settings expr; // zone, time, and whether the plan is streaming
    int64_t idle_timeout_ms;   // table.exec.source.idle-timeout; of tables that say nothing else
    bool cdc_events_duplicate; // table.exec.source.cdc-events-duplicate
    bool drop_null_rows;       // table.exec.sink.not-null-enforcer = DROP
    bool refuse_table_hints;   // table.dynamic-table-options.enabled = false
};

struct bind_context {
    struct arena *arena;
    struct str text;         // of the statement: what spans point into
    struct str catalog_name; // current
    struct str database;     // current
    struct bind_tables tables;
    struct connector_lookup connectors;
    struct bind_settings settings;
    // What people should hear though nothing is wrong; may be NULL.
    void (*note)(void *context, struct str text);
    void *note_context;
};

// A SELECT for the session: the plan's only sink is of kind COLLECT; its columns have the names and
// types that the user sees.
MUST_USE enum status bind_query(const struct bind_context *context, const struct ast_query *query,
                                struct plan **out, struct err *err);

// INSERTs that make one job. `inserts` may come from several texts; places are within the text of
// the insert that fails.
MUST_USE enum status bind_statement_set(const struct bind_context *context,
                                        const struct ast_insert *const *inserts, uint32_t count,
                                        struct plan **out, struct err *err);

// The checked definition that CREATE TABLE asks for: LIKE merged, types resolved (those of computed
// columns too), expressions as canonical text, the name completed. With AS query, columns that the
// statement does not write come from the query. Whether the name is taken is the catalog's
// business.
MUST_USE enum status bind_create_table(const struct bind_context *context,
                                       const struct ast_create_table *create,
                                       struct table_def **out, struct err *err);

MUST_USE enum status bind_create_view(const struct bind_context *context,
                                      const struct ast_create_view *create, struct table_def **out,
                                      struct err *err);

// A type as written; refuses what does not exist (hint: the nearest name), limits and duplicates.
MUST_USE enum status bind_type(struct arena *arena, const struct ast_type *type,
                               const struct type **out, struct err *err);
