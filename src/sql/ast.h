// SPDX-License-Identifier: Apache-2.0
//
// ast: what the parser makes of one statement's text, and what the binder reads.
//
//     const struct ast_statement *statement;
//     TRY(parse_statement(&arena, text, &statement, err));          // parse.h
//     if (statement->kind == AST_QUERY) { bind(statement->as.query); }
//
// The tree holds the whole grammar: what cannot run yet is a node like any other, refused by the
// planner by name and position. Nothing is resolved here: names are names, `a.b` may be a column of
// a table or a field of a row, and a call may name a function that does not exist.
//
// Conventions.
//   - Every node says where it stands: `at`, bytes into the statement's text. The span covers the
//     whole construct, parentheses around it excluded.
//   - Optional nodes are NULL; optional names, paths and texts have size or count 0. An option that
//     may be absent although its empty value means something has a `has_` flag.
//   - Lists are arrays of `count` elements; `items` may be NULL where count is 0.
//   - Forms that SQL writes in a special way (SUBSTRING(s FROM 1), EXTRACT(DAY FROM d),
//     POSITION(a IN b), TRIM(BOTH x FROM s)) are AST_EXPR_CALL with their arguments in the order
//     stated at enum ast_call_form, so that the binder sees one thing; the form serves printing.
//   - Keywords that are arguments (DAY, BOTH) are AST_EXPR_UNIT and AST_EXPR_SYMBOL. A name where a
//     unit is expected is AST_EXPR_COLUMN: the binder refuses it.
//   - No path from the root to a leaf is longer than parse.h allows: recursion over a tree is safe.
//
// In three files: ast_expr.h (names, expressions, types), ast_query.h, and here statements and
// definitions. This one includes the others.
//
// Ownership: everything is in the arena given to the parser; names that need no decoding, and
// number texts, borrow from the statement's text, which must live as long. Immutable once made.
#pragma once

#include "sql/ast_query.h"

// ---------------------------------------------------------------------------------------------
// Definitions

enum ast_column_kind { AST_COLUMN_PHYSICAL, AST_COLUMN_COMPUTED, AST_COLUMN_METADATA };

enum ast_position { AST_POSITION_UNSAID, AST_POSITION_FIRST, AST_POSITION_AFTER };

enum ast_constraint_kind { AST_CONSTRAINT_PRIMARY_KEY, AST_CONSTRAINT_UNIQUE };
enum ast_enforcement { AST_ENFORCED_UNSAID, AST_ENFORCED, AST_NOT_ENFORCED };

struct ast_constraint {
    struct ast_name name; // CONSTRAINT name
    enum ast_constraint_kind kind;
    struct ast_names columns; // empty where it stands behind a column
    enum ast_enforcement enforcement;
    struct ast_span at;
};

struct ast_column {
    struct ast_path name; // one part, but for ALTER TABLE ... ADD (row.field INT)
    enum ast_column_kind kind;
    struct ast_span at;
    const struct ast_type *type;  // NULL for COMPUTED, and in CREATE TABLE t (a, b) AS ...
    const struct ast_expr *expr;  // COMPUTED
    struct ast_text metadata_key; // METADATA FROM 'key'
    bool is_virtual;              // METADATA ... VIRTUAL
    const struct ast_constraint *constraint; // INT PRIMARY KEY NOT ENFORCED
    struct ast_text comment;
    enum ast_position position; // ALTER TABLE ... ADD c INT FIRST / AFTER x
    struct ast_path after;
};

struct ast_watermark {
    struct ast_path column;
    const struct ast_expr *expr;
    struct ast_span at;
};

// PARTITIONED BY (a, day(ts), bucket(16, id), truncate(4, s)).
struct ast_partition {
    struct ast_name transform; // empty: the column itself
    struct ast_path column;
    bool has_argument;
    int32_t argument; // 16 of bucket(16, id)
    struct ast_span at;
};

enum ast_distribution_kind {
    AST_DISTRIBUTION_NONE,
    AST_DISTRIBUTION_UNKNOWN, // DISTRIBUTED BY (a)
    AST_DISTRIBUTION_HASH,
    AST_DISTRIBUTION_RANGE,
};

struct ast_distribution {
    enum ast_distribution_kind kind;
    bool present; // DISTRIBUTED INTO 4 BUCKETS has no columns
    struct ast_names columns;
    int32_t buckets; // INTO n BUCKETS; -1: not written
    struct ast_span at;
};

enum ast_like_merge { AST_LIKE_INCLUDING, AST_LIKE_EXCLUDING, AST_LIKE_OVERWRITING };

enum ast_like_feature {
    AST_LIKE_ALL,
    AST_LIKE_CONSTRAINTS,
    AST_LIKE_DISTRIBUTION,
    AST_LIKE_GENERATED,
    AST_LIKE_METADATA,
    AST_LIKE_OPTIONS,
    AST_LIKE_PARTITIONS,
    AST_LIKE_WATERMARKS,
};

struct ast_like_option {
    enum ast_like_merge merge;
    enum ast_like_feature feature;
    struct ast_span at;
};

struct ast_like_clause {
    struct ast_path table; // count 0: no LIKE
    const struct ast_like_option *options;
    uint32_t option_count;
};

// What stands between the parentheses of CREATE TABLE, and of ALTER TABLE ADD and MODIFY.
struct ast_schema {
    const struct ast_column *columns;
    uint32_t column_count;
    const struct ast_constraint *constraints; // those behind a column stay there
    uint32_t constraint_count;
    const struct ast_watermark *watermarks; // more than one is refused by the binder
    uint32_t watermark_count;
    bool present; // parentheses were written
    struct ast_span at;
};

enum ast_create_mode { AST_CREATE, AST_CREATE_OR_REPLACE, AST_REPLACE, AST_CREATE_OR_ALTER };

struct ast_create_table {
    enum ast_create_mode mode;
    bool temporary;
    bool if_not_exists;
    struct ast_path name;
    struct ast_schema schema;
    struct ast_text comment;
    struct ast_distribution distribution;
    const struct ast_partition *partitions;
    uint32_t partition_count;
    struct ast_options options;
    struct ast_like_clause like;
    const struct ast_query *query; // AS query
};

struct ast_create_view {
    enum ast_create_mode mode;
    bool temporary;
    bool if_not_exists;
    struct ast_path name;
    struct ast_names columns;
    struct ast_text comment;
    const struct ast_query *query;
};

// A function's resource: USING JAR 'path'.
struct ast_resource {
    struct ast_name kind; // JAR, FILE, ARTIFACT
    struct ast_text path;
};

struct ast_create_function {
    bool temporary;
    bool system;
    bool if_not_exists;
    struct ast_path name;
    struct ast_text class_name;
    struct ast_name language;
    const struct ast_resource *resources;
    uint32_t resource_count;
    struct ast_options options;
};

struct ast_create_database {
    bool if_not_exists;
    struct ast_path name;
    struct ast_text comment;
    struct ast_options options;
};

struct ast_create_catalog {
    bool if_not_exists;
    struct ast_name name;
    struct ast_text comment;
    struct ast_options options;
};

// FRESHNESS = INTERVAL '1' MINUTE, REFRESH_MODE = FULL and START_MODE are kept, none runs yet.
struct ast_create_materialized {
    enum ast_create_mode mode;
    bool if_not_exists;
    struct ast_path name;
    struct ast_schema schema;
    struct ast_text comment;
    struct ast_distribution distribution;
    const struct ast_partition *partitions;
    uint32_t partition_count;
    struct ast_options options;
    const struct ast_expr *freshness; // an INTERVAL literal
    struct ast_name refresh_mode;     // FULL, CONTINUOUS
    struct ast_span start_mode;       // as text
    const struct ast_query *query;
};

struct ast_create_model {
    enum ast_create_mode mode;
    bool temporary;
    bool if_not_exists;
    struct ast_path name;
    struct ast_schema input;
    struct ast_schema output;
    struct ast_text comment;
    struct ast_options options;
    const struct ast_query *query;
};

enum ast_object {
    AST_OBJECT_TABLE,
    AST_OBJECT_VIEW,
    AST_OBJECT_MATERIALIZED_TABLE,
    AST_OBJECT_DATABASE,
    AST_OBJECT_CATALOG,
    AST_OBJECT_FUNCTION,
    AST_OBJECT_MODEL,
    AST_OBJECT_MODULE,
    AST_OBJECT_CONNECTION,
};

enum ast_drop_behavior { AST_DROP_UNSAID, AST_DROP_RESTRICT, AST_DROP_CASCADE };

struct ast_drop {
    enum ast_object object;
    bool temporary;
    bool system; // DROP TEMPORARY SYSTEM FUNCTION
    bool if_exists;
    struct ast_path name;
    enum ast_drop_behavior behavior; // of databases
};

// (k = 'v', ...) of PARTITION: a value may be absent (dynamic partition).
struct ast_partition_value {
    struct ast_name column;
    const struct ast_expr *value; // a literal, or NULL
};

struct ast_partition_spec {
    const struct ast_partition_value *items;
    uint32_t count;
    struct ast_span at;
};

enum ast_alter_kind {
    AST_ALTER_SET,           // options
    AST_ALTER_RESET,         // keys
    AST_ALTER_RENAME,        // TO new_name
    AST_ALTER_RENAME_COLUMN, // column TO new_name
    AST_ALTER_ADD,           // schema, distribution
    AST_ALTER_MODIFY,        // schema, distribution
    AST_ALTER_DROP_COLUMNS,  // columns
    AST_ALTER_DROP_PRIMARY_KEY,
    AST_ALTER_DROP_CONSTRAINT, // column: its name
    AST_ALTER_DROP_WATERMARK,
    AST_ALTER_DROP_DISTRIBUTION,
    AST_ALTER_ADD_PARTITIONS,  // partitions, each with options
    AST_ALTER_DROP_PARTITIONS, // partitions
    AST_ALTER_COMPACT,
    AST_ALTER_AS,      // VIEW, MATERIALIZED TABLE: query
    AST_ALTER_COMMENT, // CATALOG: comment
    AST_ALTER_SUSPEND, // MATERIALIZED TABLE, as are the following
    AST_ALTER_RESUME,  // options
    AST_ALTER_REFRESH, // partitions
    AST_ALTER_SET_FRESHNESS,
    AST_ALTER_SET_REFRESH_MODE,
    AST_ALTER_FUNCTION, // class_name
};

struct ast_alter_partition {
    struct ast_partition_spec spec;
    struct ast_options options;
};

struct ast_alter {
    enum ast_object object;
    enum ast_alter_kind kind;
    bool if_exists;
    bool temporary;        // ALTER TEMPORARY FUNCTION
    bool system;           // ALTER TEMPORARY SYSTEM FUNCTION
    bool column_if_exists; // ADD IF NOT EXISTS, DROP IF EXISTS of partitions and columns
    struct ast_path name;
    struct ast_path new_name;
    struct ast_path column;
    struct ast_paths columns;
    struct ast_options options;
    struct ast_text *keys; // RESET ('a', 'b')
    uint32_t key_count;
    struct ast_schema schema;
    struct ast_distribution distribution;
    const struct ast_alter_partition *partitions;
    uint32_t partition_count;
    struct ast_text comment;
    const struct ast_query *query;
    struct ast_create_function function; // FUNCTION
    const struct ast_expr *freshness;
    struct ast_name refresh_mode;
};

// ---------------------------------------------------------------------------------------------
// Statements

enum ast_conflict {
    AST_CONFLICT_UNSAID,
    AST_CONFLICT_NOTHING,
    AST_CONFLICT_ERROR,
    AST_CONFLICT_DEDUPLICATE
};

struct ast_insert {
    struct ast_path table;  // INTO 'file': without parts
    struct ast_text file;   // ours
    struct ast_hints hints; // INSERT INTO t /*+ OPTIONS(...) */
    bool overwrite;
    bool upsert;
    struct ast_partition_spec partition; // PARTITION (a = 1, b)
    struct ast_paths columns;            // (a, b, row.field)
    const struct ast_query *query;
    enum ast_conflict conflict; // ON CONFLICT DO ...
    struct ast_span at;
};

struct ast_assignment {
    struct ast_path column;
    const struct ast_expr *value;
};

struct ast_update {
    struct ast_path table;
    struct ast_name alias;
    const struct ast_assignment *assignments;
    uint32_t assignment_count;
    const struct ast_expr *where;
};

struct ast_delete {
    struct ast_path table;
    struct ast_name alias;
    const struct ast_expr *where;
};

struct ast_statement_set {
    const struct ast_insert *inserts;
    uint32_t count;
};

enum ast_explain_detail {
    AST_EXPLAIN_ESTIMATED_COST = 1 << 0,
    AST_EXPLAIN_CHANGELOG_MODE = 1 << 1,
    AST_EXPLAIN_JSON_EXECUTION_PLAN = 1 << 2,
    AST_EXPLAIN_PLAN_ADVICE = 1 << 3,
};

struct ast_explain {
    unsigned details; // enum ast_explain_detail, or'ed
    bool plan_for;    // EXPLAIN PLAN FOR
    bool analyze;     // EXPLAIN ANALYZE (ours)
    const struct ast_statement *statement;
};

enum ast_describe_kind {
    AST_DESCRIBE_TABLE,
    AST_DESCRIBE_CATALOG,
    AST_DESCRIBE_DATABASE,
    AST_DESCRIBE_FUNCTION,
    AST_DESCRIBE_MODEL,
    AST_DESCRIBE_JOB, // `job`
};

struct ast_describe {
    enum ast_describe_kind kind;
    bool extended;
    struct ast_path name;   // of a file: without parts
    struct ast_text file;   // DESCRIBE 'x.parquet' (ours)
    struct ast_hints hints; // behind the file
    struct ast_text job;
    struct ast_partition_spec partition;
};

enum ast_show_kind {
    AST_SHOW_CATALOGS,
    AST_SHOW_CURRENT_CATALOG,
    AST_SHOW_DATABASES,
    AST_SHOW_CURRENT_DATABASE,
    AST_SHOW_TABLES,
    AST_SHOW_VIEWS,
    AST_SHOW_MATERIALIZED_TABLES,
    AST_SHOW_COLUMNS,
    AST_SHOW_FUNCTIONS,
    AST_SHOW_USER_FUNCTIONS,
    AST_SHOW_PROCEDURES,
    AST_SHOW_MODELS,
    AST_SHOW_MODULES,
    AST_SHOW_FULL_MODULES,
    AST_SHOW_JARS,
    AST_SHOW_JOBS,
    AST_SHOW_PARTITIONS,
    AST_SHOW_CREATE_TABLE,
    AST_SHOW_CREATE_VIEW,
    AST_SHOW_CREATE_MATERIALIZED_TABLE,
    AST_SHOW_CREATE_CATALOG,
    AST_SHOW_CREATE_MODEL,
};

struct ast_show {
    enum ast_show_kind kind;
    struct ast_path name;   // CREATE TABLE t, PARTITIONS t; FROM or IN what
    struct str preposition; // "FROM" or "IN", empty without
    bool has_like;
    bool negated; // NOT LIKE
    bool ilike;
    struct ast_text pattern;
    struct ast_partition_spec partition; // SHOW PARTITIONS t PARTITION (...)
};

enum ast_statement_kind {
    AST_QUERY,
    AST_INSERT,
    AST_STATEMENT_SET,       // EXECUTE STATEMENT SET BEGIN ... END
    AST_BEGIN_STATEMENT_SET, // BEGIN STATEMENT SET;
    AST_END_STATEMENT_SET,   // END;
    AST_UPDATE,
    AST_DELETE,
    AST_MERGE,    // `path`; the rest is read over
    AST_TRUNCATE, // `path`
    AST_EXPLAIN,
    AST_DESCRIBE,
    AST_SHOW,
    AST_USE,           // `path`
    AST_USE_CATALOG,   // `path`
    AST_USE_MODULES,   // `modules.names`
    AST_LOAD_MODULE,   // `modules`
    AST_UNLOAD_MODULE, // `modules`
    AST_SET,           // `set`; without a key: list all
    AST_RESET,         // `set`; without a key: all
    AST_CALL,          // CALL procedure(...): `expr`
    AST_CREATE_TABLE,
    AST_CREATE_VIEW,
    AST_CREATE_DATABASE,
    AST_CREATE_CATALOG,
    AST_CREATE_FUNCTION,
    AST_CREATE_MATERIALIZED_TABLE,
    AST_CREATE_MODEL,
    AST_DROP,
    AST_ALTER,
    AST_ANALYZE_TABLE,
    AST_ADD_JAR,    // `text`
    AST_REMOVE_JAR, // `text`
    AST_STOP_JOB,   // `stop_job`
    AST_COMPILE_PLAN,
    AST_EXECUTE_PLAN, // EXECUTE PLAN 'file': `text`
    AST_QUIT,         // QUIT, EXIT: the shell's
    AST_CLEAR,
    AST_HELP,
};

struct ast_statement {
    enum ast_statement_kind kind;
    struct ast_span at;
    bool execute; // EXECUTE stood in front of a query or an insert
    union {
        const struct ast_query *query;
        struct ast_insert insert;
        struct ast_statement_set statement_set;
        struct ast_update update;
        struct ast_delete delete;
        struct ast_path path;
        struct ast_text text;
        const struct ast_expr *expr;
        struct ast_explain explain;
        struct ast_describe describe;
        struct ast_show show;
        struct {
            struct ast_names names;
            struct ast_options options; // LOAD MODULE m WITH (...)
        } modules;
        struct {
            struct ast_text key;
            struct ast_text value;
        } set;
        struct ast_create_table create_table;
        struct ast_create_view create_view;
        struct ast_create_database create_database;
        struct ast_create_catalog create_catalog;
        struct ast_create_function create_function;
        struct ast_create_materialized create_materialized;
        struct ast_create_model create_model;
        struct ast_drop drop;
        struct ast_alter alter;
        struct {
            struct ast_path table;
            struct ast_partition_spec partition;
            struct ast_names columns; // FOR COLUMNS a, b
            bool all_columns;         // FOR ALL COLUMNS
        } analyze;
        struct {
            struct ast_text job;
            bool with_savepoint;
            bool with_drain;
        } stop_job;
        struct {
            struct ast_text file;
            bool if_not_exists;
            bool execute;                          // COMPILE AND EXECUTE PLAN
            const struct ast_statement *statement; // an insert or a statement set
        } compile_plan;
    } as;
};
