// SPDX-License-Identifier: Apache-2.0
//
// aggregate_set: the aggregate calls of one GROUP BY over rows of keyed state.
//
// A group is a row of a hash table: its keys, then a value field for each call kept as TEXT, then
// `extra` bytes:
//
//     +----------+---------+---------+---+----------------------+
//     | rows I64 | image 0 | image 1 | ... | chain {serial, last} |
//     +----------+---------+---------+---+----------------------+
//
// `rows` is the signed number of rows in the group; the chain is there where results are made row
// by row (aggregate_set_step()). How a call is kept:
//
//     IMAGE     in its image (expr/aggregate.h): COUNT, SUM, AVG; MIN and MAX of fixed width,
//     insert-only TEXT      in its value field: MIN, MAX, FIRST_VALUE, LAST_VALUE of STRING,
//     insert-only ORDERED   in an ordered table (group, value) -> count: MIN and MAX where rows
//     can be retracted
//
// DISTINCT calls see a value when its count in a table (group, value) -> counts becomes 1, and
// lose it when that becomes 0; calls over one argument share the table, each has its own count
// (for FILTER).
//
// Tables are those of one slice (a window's end; 0 for GROUP BY): {id 0: groups, 1 ...: distinct
// and ordered tables}. One thread; scratch memory is the caller's arena, reset between windows.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "data/batch.h"
#include "plan/plan.h"
#include "state/hash_table.h"

struct ordered_table;
struct state_context;

enum aggregate_keeping { AGGREGATE_IMAGE, AGGREGATE_TEXT, AGGREGATE_ORDERED };

struct aggregate_set_call {
    const struct plan_aggregate_call *plan;
    enum aggregate_keeping keeping;
    uint32_t argument; // position in the input; UINT32_MAX: none, or `literal`
    const struct column *literal;
    uint32_t filter;     // position; UINT32_MAX: none
    uint32_t offset;     // of its image in extra
    uint32_t text_field; // TEXT: field of the row
    uint32_t table;      // DISTINCT: index of its table; ORDERED: of its ordered table
    uint32_t counter;    // DISTINCT: which of the table's counts
};

// A distinct table serves all DISTINCT calls over one argument.
struct aggregate_set_distinct {
    uint32_t argument;
    uint32_t counter_count;
    const struct row_layout *layout; // group keys and the value; extra: counts
};

enum { AGGREGATE_CALLS_MAX = 256 };

struct aggregate_set {
    struct arena arena; // of layouts and lists
    uint32_t call_count;
    struct aggregate_set_call *calls;
    uint32_t key_count;
    uint32_t *keys; // positions in the input
    const struct row_layout *layout;
    uint32_t images_offset; // in extra: where image 0 begins
    uint32_t images_size;
    uint32_t chain_offset; // in extra
    uint32_t distinct_count;
    struct aggregate_set_distinct *distincts;
    uint32_t ordered_count;
    bool retracts;            // the input has retractions
    uint32_t serial;          // of chains
    uint64_t groups_expected; // in the next slice: a guess of the operator's; 0: none
};

// The tables of one slice.
struct aggregate_tables {
    int64_t slice;
    struct hash_table *groups;
    struct hash_table **distincts;
    struct ordered_table **ordereds;
};

struct aggregate_set_spec {
    const struct plan_node *input;
    struct plan_ids keys;
    const struct plan_aggregate_call *calls;
    uint32_t call_count;
    bool steps; // aggregate_set_step() will be called
};

MUST_USE enum status aggregate_set_init(struct aggregate_set *set,
                                        const struct aggregate_set_spec *spec, struct err *err);
void aggregate_set_release(struct aggregate_set *set);

// Opens (or finds, after a restore) the tables of a slice; `tables` is filled, lists from mem.
void aggregate_tables_open(const struct aggregate_set *set, struct state_context *context,
                           int64_t slice, struct aggregate_tables *tables);
void aggregate_tables_free(const struct aggregate_set *set, struct aggregate_tables *tables);
// Ends the windows of all tables: their pages may go until the next prepare.
void aggregate_tables_done(const struct aggregate_set *set, struct aggregate_tables *tables);
// Tells the context what slices look like, so that a restore can open them.
void aggregate_set_declare(const struct aggregate_set *set, struct state_context *context);

// One window of a batch: `positions` in the batch (NULL: from ... from + count - 1).
struct aggregate_window {
    const struct batch *batch;
    const uint16_t *positions; // of all rows meant; NULL: all of the batch
    uint32_t total;            // how many there are
    uint64_t *hashes;          // of the group keys, by position in the batch
    struct arena *scratch;
    // After aggregate_set_prepare():
    uint32_t from, count; // rows positions[from] ... are prepared
    struct column *keys;
    struct row **rows;     // groups, one a row of the window
    uint32_t *distinct_at; // internal
    struct row ***distinct_rows;
};

// Hashes the keys. `window->batch`, `positions`, `total`, `scratch` are set.
void aggregate_set_begin(const struct aggregate_set *set, struct aggregate_window *window);
// Prepares up to `max` rows from window->from on in all tables and finds or makes their groups.
// AGAIN: pages are being read.
MUST_USE enum status aggregate_set_prepare(struct aggregate_set *set,
                                           struct aggregate_tables *tables,
                                           struct aggregate_window *window, uint32_t max,
                                           struct err *err);

// Adds the window's rows to their groups, without a look at results in between.
MUST_USE enum status aggregate_set_add(struct aggregate_set *set, struct aggregate_tables *tables,
                                       struct aggregate_window *window, struct err *err);

// The same row by row: what each group was before each row and after it.
struct aggregate_steps {
    int64_t *rows_before, *rows_after; // of the group, at each row of the window
    struct column *before, *after;     // results of each call, a value a row
    bool *is_last;                     // the last row of its group in the window
};
MUST_USE enum status aggregate_set_step(struct aggregate_set *set, struct aggregate_tables *tables,
                                        struct aggregate_window *window,
                                        struct aggregate_steps *steps, struct err *err);

// How many groups aggregate_set_result() should be asked for at once, so that what it reads fits
// into little memory.
static inline uint32_t aggregate_set_results_max(const struct aggregate_set *set)
{
    return set->ordered_count == 0 ? BATCH_ROWS_MAX : BATCH_ROWS_MAX / 16;
}

// Results of call `call` for groups; in `arena`. AGAIN: pages are being read (MIN and MAX under
// retraction).
MUST_USE enum status aggregate_set_result(const struct aggregate_set *set,
                                          struct aggregate_tables *tables, uint32_t call,
                                          struct row *const *rows, uint32_t count,
                                          struct arena *arena, struct column *out, struct err *err);
int64_t aggregate_set_rows(const struct aggregate_set *set, struct row *row);
