// SPDX-License-Identifier: Apache-2.0
//
// sorter: any number of rows in the order of their keys (kernel/order.h), equal ones as they came.
//
//     sorter_add(sorter, batch, err)                      until the input ends
//     sorter_next(sorter, arena, rows_max, &out, err)     until END
//
// Rows are kept settled in memory. Once putting them in order would need more than the budget has
// left, they are written out as one sorted run of blocks (codec/block.h) in the spill file, and the
// runs are merged at the end; where there are many, they become one first. The disk works while the
// caller does something else: AGAIN means that it is waited for, the waker says when to come back,
// with the same call. With a limit, only the first rows are kept, in memory and in each run.
//
// Memory: what the budget allows, and at least 64 KiB of rows; while runs are merged, two blocks of
// each. Without a spill file, LIMIT is the answer to rows that do not fit.
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "data/batch.h"
#include "kernel/order.h"

struct arena;
struct budget;
struct sorter;
struct spill;
struct waker;

struct sorter_options {
    struct order_spec spec; // copied
    const uint32_t *keys;   // positions of the spec's columns; copied
    uint64_t limit;         // rows wanted; UINT64_MAX: all
    struct budget *budget;
    struct spill *spill; // NULL: none
    struct waker *waker;
    uint32_t runs_max; // that are merged at once; 0: 64
};

struct sorter *sorter_new(const struct sorter_options *options);
void sorter_free(struct sorter *sorter); // NULL is allowed

// AGAIN: the batch was not taken.
MUST_USE enum status sorter_add(struct sorter *sorter, const struct batch *batch, struct err *err);
// Up to rows_max (and BATCH_ROWS_MAX) rows, borrowed until the next call; lists of columns are in
// `arena`. No more rows may be added.
MUST_USE enum status sorter_next(struct sorter *sorter, struct arena *arena, uint32_t rows_max,
                                 struct batch *out, struct err *err);

struct sorter_figures {
    uint64_t runs;         // written, those made of others included
    uint64_t spilled_rows; // each time that one was written
};
struct sorter_figures sorter_figures(const struct sorter *sorter);
