// SPDX-License-Identifier: Apache-2.0
//
// sim_foreign: another program at work on the same tables: it appends rows of its own, rewrites
// data files into larger ones, and expires snapshots with everything that only they reached, as
// other engines' maintenance does.
//
// What it writes is durable and complete at once; its rows are kept in `ledger`. One thread.
#pragma once

#include "sim/sim_lake.h"

struct sim_foreign {
    struct sim_lake *lake;
    struct sim_random random;
    struct sim_rows ledger; // of table "raw"
    int64_t next_row;
    uint32_t appends, compactions, expiries;
};

void sim_foreign_init(struct sim_foreign *foreign, struct sim_lake *lake);
void sim_foreign_release(struct sim_foreign *foreign);
// Points the table to the snapshot before the one with the last rows of a pipeline of ours. *done:
// whether there is such a one.
MUST_USE enum status sim_foreign_roll_back(struct sim_foreign *foreign, const char *table,
                                           bool *done, struct err *err);
// One of the three, drawn. Rows are appended to "raw" only.
MUST_USE enum status sim_foreign_act(struct sim_foreign *foreign, const char *table,
                                     struct err *err);
