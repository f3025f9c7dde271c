// SPDX-License-Identifier: Apache-2.0
//
// sorter_int: sorted runs in the spill file, and their merge (sorter_runs.c), for sorter.c.
#pragma once

#include "base/arena.h"
#include "base/vec.h"
#include "codec/block.h"
#include "state/sorter.h"
#include "state/spill.h"

struct sorter_write;
struct strbuf;

// One block of a run: rows in order.
struct sorter_piece {
    uint64_t slot;
    uint32_t slot_count;
    uint32_t size;
};

struct sorter_run {
    VEC(struct sorter_piece) pieces;
};

// A run that is being merged: the block at hand, and the next one.
struct sorter_cursor {
    struct spill_request request; // the first member: answers are looked up by it
    struct sorter_run run;
    uint32_t next_piece;
    bool is_reading;
    void *bytes; // of the piece being read
    struct batch *ahead;
    struct batch *batch; // NULL: at its end, where nothing is ahead or read either
    struct arena arena;  // of the keys
    struct order_keys keys;
    uint32_t row;
};

struct sorter_runs {
    const struct sorter_options *options;
    uint32_t column_count;
    struct spill_queue *queue;
    VEC(struct sorter_run) runs; // in the order of their rows' arrival
    struct sorter_run writing;
    struct sorter_write *writes; // on their way
    size_t bytes_on_their_way;
    struct strbuf *payload;
    VEC(struct sorter_cursor *) cursors; // by address: requests are in them
    uint32_t *heap;                      // cursors with rows, the least first
    uint32_t heap_count;
    struct sorter_figures figures;
};

void sorter_runs_init(struct sorter_runs *runs, const struct sorter_options *options);
void sorter_runs_release(struct sorter_runs *runs);

// Whether another block may be written now; AGAIN: too much is on its way.
MUST_USE enum status sorter_runs_ready(struct sorter_runs *runs, struct err *err);
// Rows behind those appended before. sorter_runs_ready() said yes.
MUST_USE enum status sorter_runs_append(struct sorter_runs *runs, const struct batch *batch,
                                        struct err *err);
void sorter_runs_end(struct sorter_runs *runs); // of the run being written

// The merge of all runs that there are: they are gone when it ends.
void sorter_runs_merge(struct sorter_runs *runs);
// END; AGAIN.
MUST_USE enum status sorter_runs_next(struct sorter_runs *runs, struct arena *arena,
                                      uint32_t rows_max, struct batch *out, struct err *err);
// The run that was written while all others were merged is the only one. AGAIN: something is being
// read still.
MUST_USE enum status sorter_runs_replace(struct sorter_runs *runs, struct err *err);

// Keys of a batch's rows, in `arena`.
MUST_USE enum status sorter_keys(const struct sorter_options *options, struct arena *arena,
                                 const struct batch *batch, struct order_keys *out,
                                 struct err *err);
