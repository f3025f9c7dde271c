// SPDX-License-Identifier: Apache-2.0
//
// plan: what a statement computes. One plan for streams and bounded input; the engine cuts it into
// segments and makes operators of its nodes.
//
// A plan is a directed acyclic graph of immutable nodes in one arena. Rows flow from inputs to
// their consumers; a node with several consumers is computed once (one scan of a topic feeds two
// INSERTs). Columns are named by id, unique in the plan, never by position: a node lists the
// columns that it hands out, in the order in which its batches hold them, and expressions refer to
// ids.
//
// Properties stand on each node and hold for the rows that it hands out:
//   changes       which change kinds can occur (bits 1 << CHANGE_*)
//   upsert_keys   each a set of columns by which a changelog without -U can be applied
//   distribution  how rows are spread over the P instances
//   bounded       the input ends
//   time          of a column: an event-time attribute carries the watermark
//
// Exchanges are nodes of their own. An operator that needs its rows by key (GROUP BY, JOIN) has an
// EXCHANGE below it, unless the distribution is right already.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "catalog/table_def.h"
#include "data/batch.h"
#include "data/type.h"
#include "expr/aggregate.h"
#include "expr/expr.h"

struct arena;
struct strbuf;

// X(NAME, "name in EXPLAIN")
#define PLAN_KIND_LIST(X)                                                                          \
    X(SCAN, "TableSourceScan")                                                                     \
    X(VALUES, "Values")                                                                            \
    X(CALC, "Calc")                                                                                \
    X(WATERMARK, "WatermarkAssigner")                                                              \
    X(NORMALIZE, "ChangelogNormalize")                                                             \
    X(WINDOW, "WindowTableFunction")                                                               \
    X(WINDOW_AGGREGATE, "WindowAggregate")                                                         \
    X(GROUP_AGGREGATE, "GroupAggregate")                                                           \
    X(JOIN, "Join")                                                                                \
    X(UNION_ALL, "Union")                                                                          \
    X(SORT, "Sort")                                                                                \
    X(LIMIT, "Limit")                                                                              \
    X(EXCHANGE, "Exchange")                                                                        \
    X(SINK, "Sink")

enum plan_kind {
#define X(name, explain) PLAN_##name,
    PLAN_KIND_LIST(X)
#undef X
};

enum plan_time { PLAN_TIME_NONE, PLAN_TIME_ROWTIME, PLAN_TIME_PROCTIME };

struct plan_column {
    uint32_t id;
    struct str name;
    const struct type *type;
    enum plan_time time;
    bool is_hidden; // of a source: nobody declared it; named it is found, * leaves it out
};

struct plan_ids {
    uint32_t count;
    const uint32_t *ids;
};

enum plan_distribution_kind {
    PLAN_ANY,       // spread, by nothing in particular
    PLAN_HASH,      // equal keys are on one instance; keys NULL too
    PLAN_SINGLETON, // all rows on instance 0
};

struct plan_distribution {
    enum plan_distribution_kind kind;
    struct plan_ids keys; // HASH: column ids, in this order
};

// A table as a source. Batches hold the physical and metadata columns of `columns` (those that the
// query needs, possibly none), in this order; computed columns are a CALC above. Where the
// connector says that it can (connector_info.prunes_fields), a ROW column's type may hold only the
// fields that the query needs, at any depth, in the table's order.
struct plan_scan {
    const struct table_def *table; // hints' options merged
    // For each output column, its index in table->columns.
    const uint32_t *table_columns;
    // A conjunction that the source may use to skip data and need not apply; may be NULL. The CALC
    // above applies it in any case.
    const struct expr *predicate;
    int64_t limit; // rows that suffice, or -1
};

// Constant rows: row_count x column_count expressions without columns.
struct plan_values {
    uint32_t row_count;
    const struct expr *const *values;   // row after row
    const struct table_def *figures_of; // the table whose metadata says them; NULL: the statement
};

// WHERE and SELECT in one: rows for which `condition` is true, one expression a column.
struct plan_calc {
    const struct expr *condition;          // NULL: all rows
    const struct expr *const *projections; // one for each output column
};

struct plan_watermark {
    uint32_t rowtime;              // column id
    const struct expr *expression; // of the watermark, over the input's columns
    int64_t idle_timeout_ms;       // 0: never idle
    // Watermarks up to 1970 are held back. Flink's operator behind a source that makes none itself
    // begins at 0, so that nothing is late there and no window fires.
    bool starts_at_zero;
};

// UNION ALL has columns of its own; the i-th is the i-th of each input (same types, nullability
// aside).

// Keeps the last row of each key, to turn upserts (or changes delivered twice) into a full
// changelog.
struct plan_normalize {
    struct plan_ids keys;
};

enum plan_window_kind {
    PLAN_WINDOW_TUMBLE,
    PLAN_WINDOW_HOP,
    PLAN_WINDOW_CUMULATE,
    PLAN_WINDOW_SESSION
};

struct plan_window_spec {
    enum plan_window_kind kind;
    uint32_t time_column; // id, in the input
    int64_t size_ms;      // SESSION: the gap
    int64_t slide_ms;     // HOP: the slide; CUMULATE: the step; else 0
    int64_t offset_ms;
    struct plan_ids partition; // SESSION … PARTITION BY
};

// A window table function by itself: its input's columns and window_start, window_end, window_time.
struct plan_window {
    struct plan_window_spec spec;
    uint32_t start_id, end_id, time_id; // ids of the three columns it adds
};

struct plan_aggregate_call {
    const struct aggregate *function;
    const struct expr *const *arguments; // column references or literals
    uint32_t argument_count;
    bool is_distinct;
    uint32_t filter; // id of a BOOLEAN column; 0: none
    const struct type *type;
    uint32_t output_id;
};

// GROUP BY. Output columns: the keys (with the ids that they have in the input), then the calls. No
// keys: one group; on bounded input it has a row even without any input.
struct plan_group_aggregate {
    struct plan_ids keys;
    uint32_t call_count;
    const struct plan_aggregate_call *calls;
    bool needs_update_before; // a consumer needs -U
};

// GROUP BY over a window table function: keys without window_start and window_end, which are 0
// where the query does not ask for them. Output: keys, calls, then start, end, time as asked for.
struct plan_window_aggregate {
    struct plan_window_spec spec; // the time column is in this node's input
    struct plan_ids keys;
    uint32_t call_count;
    const struct plan_aggregate_call *calls;
    uint32_t start_id, end_id, time_id; // ids of the output columns; 0: not asked for
};

enum plan_join_kind {
    PLAN_JOIN_INNER,
    PLAN_JOIN_LEFT,
    PLAN_JOIN_RIGHT,
    PLAN_JOIN_FULL,
    PLAN_JOIN_SEMI,
    PLAN_JOIN_ANTI
};

// left.keys[i] = right.keys[i] for all i, and `condition` over both. Output: all left columns, then
// all right columns (SEMI and ANTI: left ones).
struct plan_join {
    enum plan_join_kind kind;
    struct plan_ids left_keys, right_keys;
    const bool *null_safe;          // for each key: IS NOT DISTINCT FROM; NULL: none
    const struct expr *condition;   // NULL: none
    bool left_unique, right_unique; // the keys hold a unique key of that side
};

struct plan_sort_key {
    uint32_t id;
    bool is_descending;
    bool nulls_first;
};

// Bounded input only. LIMIT above it makes a Top-N of it.
struct plan_sort {
    uint32_t key_count;
    const struct plan_sort_key *keys;
    int64_t limit; // -1: all; offset included
};

struct plan_limit {
    int64_t offset;
    int64_t limit; // -1: all
};

struct plan_exchange {
    struct plan_distribution to;
};

enum plan_sink_kind {
    PLAN_SINK_TABLE,   // INSERT INTO `table`
    PLAN_SINK_COLLECT, // rows go to the session that asked
};

struct plan_sink {
    enum plan_sink_kind kind;
    const struct table_def *table; // TABLE
    const uint32_t *table_columns; // for each input column, its index in table->columns
    struct str insert_name;        // unique in the job: part of the sink's id
    struct plan_ids upsert_key;    // for sinks that apply changes by key; may be empty
    bool enforce_not_null;         // fail on NULL into NOT NULL (else: drop such rows)
    bool overwrite;                // INSERT OVERWRITE: in place of all rows that are there
    struct str branch;             // of an Iceberg table; empty: main
};

struct plan_node {
    enum plan_kind kind;
    uint32_t id;            // 1, 2, … within the plan, inputs before consumers
    struct str operator_id; // stable under edits elsewhere; engine.md section 5. Empty: no state
    uint32_t input_count;
    const struct plan_node *const *inputs;
    uint32_t column_count;
    const struct plan_column *columns;
    uint8_t changes;
    bool bounded;
    uint32_t upsert_key_count;
    const struct plan_ids *upsert_keys;
    struct plan_distribution distribution;
    uint32_t offset; // of what made it, in the statement
    union {
        struct plan_scan scan;
        struct plan_values values;
        struct plan_calc calc;
        struct plan_watermark watermark;
        struct plan_normalize normalize;
        struct plan_window window;
        struct plan_window_aggregate window_aggregate;
        struct plan_group_aggregate group_aggregate;
        struct plan_join join;
        struct plan_sort sort;
        struct plan_limit limit;
        struct plan_exchange exchange;
        struct plan_sink sink;
    } as;
};

struct plan {
    uint32_t node_count;
    const struct plan_node *const *nodes; // by id: inputs before consumers
    uint32_t sink_count;
    const struct plan_node *const *sinks; // the roots
    bool is_streaming;                    // changelogs allowed; else every input is bounded
};

const char *plan_kind_name(enum plan_kind kind);
// Position of a column in the node's batches; UINT32_MAX where it is not handed out.
uint32_t plan_column_index(const struct plan_node *node, uint32_t column_id);
bool plan_ids_contain(const struct plan_ids *ids, uint32_t id);
bool plan_ids_subset(const struct plan_ids *part, const struct plan_ids *whole);
bool plan_ids_equal(const struct plan_ids *a, const struct plan_ids *b); // in the same order
// As EXPLAIN CHANGELOG_MODE prints it: "I", "I,UB,UA,D".
void plan_print_changes(struct strbuf *out, uint8_t changes);

struct plan_print_options {
    bool changelog_mode;
    bool operator_ids;
};
// The tree as Flink's "Optimized Execution Plan" shows it, a line a node, inputs indented below. A
// node that is used several times is printed once, with (reuse_id=[n]), and then as
// Reused(reference_id=[n]). What only collects rows for the session is left out.
void plan_print(struct strbuf *out, const struct plan *plan,
                const struct plan_print_options *options);
// One node without its inputs: "GroupAggregate(groupBy=[k], select=[k, COUNT(*) AS n])".
void plan_print_node(struct strbuf *out, const struct plan_node *node);
