// SPDX-License-Identifier: Apache-2.0
//
// session_int: the session's parts, for the files that make it up: session_names.c (catalogs and
// names), run_query.c (jobs), run_ddl.c, run_show.c, run_explain.c, session.c (the rest).
#pragma once

#include "base/vec.h"
#include "catalog/catalog.h"
#include "engine/connectors.h"
#include "engine/job.h"
#include "session/session.h"
#include "sql/ast.h"
#include "sql/bind.h"
#include "sys/file_lock.h"

struct spill;
struct store;

// The catalog of tables with 'connector' = 'iceberg', opened at their first use.
struct table_catalog {
    const struct table_def *def; // one of the tables
    struct catalog *catalog;
};

// A pipeline that was started here: the second one under a name is number 1, and so on.
struct session_pipeline {
    struct str name;
    uint32_t number;
    uint64_t statement; // hash of its text
};

struct session {
    struct session_options options;
    struct arena arena; // of what lives as long as the session: names, temporary objects
    struct settings settings;
    VEC(struct catalog *) catalogs;
    VEC(struct table_catalog) table_catalogs; // that options of single tables name
    struct str catalog;                       // current
    struct str database;
    VEC(const struct table_def *) temporary;
    struct store *store;   // of checkpoints
    struct catalog *paths; // tables that are named by their path
    struct spill *spill;
    struct file_lock lock; // of the pipeline in work
    struct connectors connectors;
    // BEGIN STATEMENT SET … END: inserts that wait.
    bool in_set;
    struct arena set_arena;
    VEC(struct str) set_texts;
    VEC(struct session_pipeline) pipelines; // that were started here; in `arena`
    bool is_checking; // `frazil check`: definitions are kept as if they were temporary
};

// What one statement works with. Everything it makes is in the result's arena.
struct statement_run {
    struct session *session;
    struct result *result;
    struct str text; // in the result's arena
    const struct ast_statement *statement;
};

// --- session_catalogs.c
struct catalog *session_find_catalog(struct session *session, struct str name, struct err *err);
// What a definition stands for: a table with 'connector' = 'iceberg' for the Iceberg table that its
// options name; any other for itself.
MUST_USE enum status session_resolve(struct session *session, struct arena *arena,
                                     const struct table_def *def, const struct table_def **out,
                                     struct err *err);
void session_close_catalogs(struct session *session);

// --- session_metadata.c
// The metadata table of that name of an Iceberg table. NOT_FOUND with the nearest name.
MUST_USE enum status session_metadata_table(struct arena *arena, const struct table_def *table,
                                            struct str name, const struct table_def **out,
                                            struct err *err);
// `table$name`, or `table.name`: cuts the parts down to those of the table; false: neither.
bool session_metadata_split(struct str *parts, uint32_t *count, struct str *name);
// The nearest metadata table's name, as `table$name`; empty: none is near.
struct str session_metadata_nearest(struct arena *arena, struct str name);

// --- session_names.c
// `path` completed: catalog, database, name. Of more than three parts, those in the middle are the
// levels of the database.
struct session_name {
    struct str catalog, database, name;
};
MUST_USE enum status session_complete(struct session *session, struct arena *arena,
                                      const struct ast_path *path, struct session_name *out,
                                      struct err *err);
// A definition; temporary objects first. NOT_FOUND with a place and the nearest name.
MUST_USE enum status session_find_table(struct statement_run *run, const struct ast_path *path,
                                        const struct table_def **out, struct err *err);
// "did you mean …?" where a table's name is near one that there is.
void session_hint_table(struct statement_run *run, const struct ast_path *path, struct err *err);
const struct table_def *session_find_temporary(const struct session *session,
                                               const struct session_name *name);
void session_bind_context(struct statement_run *run, struct bind_context *out);
bool session_is_streaming(const struct session *session);
// The session's zone into run->result->zone.
MUST_USE enum status session_zone(struct statement_run *run, struct err *err);

// --- one function a family; each fills run->result
MUST_USE enum status run_query(struct statement_run *run, struct err *err);
MUST_USE enum status run_insert(struct statement_run *run, struct err *err);
MUST_USE enum status run_statement_set(struct statement_run *run, struct err *err);
MUST_USE enum status run_begin_set(struct statement_run *run, struct err *err);
MUST_USE enum status run_end_set(struct statement_run *run, struct err *err);
MUST_USE enum status run_create_table(struct statement_run *run, struct err *err);
MUST_USE enum status run_create_view(struct statement_run *run, struct err *err);
MUST_USE enum status run_create_database(struct statement_run *run, struct err *err);
MUST_USE enum status run_create_catalog(struct statement_run *run, struct err *err);
MUST_USE enum status run_drop(struct statement_run *run, struct err *err);
MUST_USE enum status run_alter(struct statement_run *run, struct err *err);
MUST_USE enum status run_use(struct statement_run *run, struct err *err);
MUST_USE enum status run_set(struct statement_run *run, struct err *err);
MUST_USE enum status run_show(struct statement_run *run, struct err *err);
MUST_USE enum status run_describe(struct statement_run *run, struct err *err);
MUST_USE enum status run_explain(struct statement_run *run, struct err *err);
// Binds and plans a query, an INSERT or a statement set.
MUST_USE enum status run_check(struct statement_run *run, const struct ast_statement *statement,
                               struct err *err);

// Starts the job of a plan. `is_pipeline`: with checkpoints.
struct run_job_options {
    const struct plan *plan;
    bool is_pipeline;
    bool measure;
};
MUST_USE enum status run_start_job(struct statement_run *run, const struct run_job_options *options,
                                   struct job **out, struct err *err);
// What a statement says about itself: refused by name and place.
enum status run_unsupported(const struct statement_run *run, const char *what, struct err *err);
