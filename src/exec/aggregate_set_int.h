// SPDX-License-Identifier: Apache-2.0
//
// aggregate_set_int: what the files of aggregate_set share: aggregate_set.c (layouts, tables,
// windows), aggregate_feed.c (which rows a call sees), aggregate_steps.c (row by row),
// aggregate_ordered.c (MIN and MAX under retraction).
#pragma once

#include "exec/aggregate_set.h"

struct aggregate_chain {
    uint32_t serial;
    uint32_t last;
};

// What one call sees of the window: a column, kinds and which rows count, one a row of the window.
struct aggregate_feed {
    struct column argument; // row_count 0 where the call has none
    bool has_argument;
    const int8_t *kinds;    // NULL: all inserts
    const uint64_t *active; // NULL: all
};

// FILTER and DISTINCT applied. DISTINCT changes the counts: once a window and call.
void aggregate_feed_make(struct aggregate_set *set, struct aggregate_tables *tables,
                         struct aggregate_window *window, uint32_t call,
                         struct aggregate_feed *out);
// Removes values whose counts are all 0 from the distinct tables.
void aggregate_set_sweep(struct aggregate_set *set, struct aggregate_tables *tables,
                         struct aggregate_window *window);
// TEXT: whether a later value takes the place of the current one.
bool aggregate_text_wins(enum aggregate_kind kind, struct str candidate, struct str current);
uint16_t aggregate_window_position(const struct aggregate_window *window, uint32_t at);
// One column of the input, as the window's rows.
struct column aggregate_window_column(const struct aggregate_window *window,
                                      const struct column *column);

// Keys (group, value) of the window's rows for an ordered table, and the groups' prefixes.
struct aggregate_ordered_keys {
    struct str *prefixes; // one a row of the window
    struct str *keys;     // prefix and value; empty where the value is null
    uint64_t *hashes;
};
MUST_USE enum status aggregate_ordered_encode(const struct aggregate_set *set,
                                              const struct aggregate_window *window,
                                              const struct column *argument,
                                              struct aggregate_ordered_keys *out, struct err *err);
MUST_USE enum status aggregate_ordered_prepare(struct aggregate_set *set,
                                               struct aggregate_tables *tables,
                                               struct aggregate_window *window, uint32_t call,
                                               uint32_t *ready, struct err *err);
MUST_USE enum status aggregate_ordered_add(struct aggregate_set *set,
                                           struct aggregate_tables *tables,
                                           struct aggregate_window *window, uint32_t call,
                                           const struct aggregate_feed *feed, struct err *err);
MUST_USE enum status aggregate_ordered_step(struct aggregate_set *set,
                                            struct aggregate_tables *tables,
                                            struct aggregate_window *window, uint32_t call,
                                            const struct aggregate_feed *feed,
                                            struct column *before, struct column *after,
                                            struct err *err);
MUST_USE enum status aggregate_ordered_result(const struct aggregate_set *set,
                                              struct aggregate_tables *tables, uint32_t call,
                                              struct row *const *rows, uint32_t count,
                                              struct arena *arena, struct column *out,
                                              struct err *err);
