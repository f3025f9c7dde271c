// SPDX-License-Identifier: Apache-2.0
//
// sim_check: is a table what the Iceberg spec calls valid, what rows does it hold, and is there
// anything on the disks that nothing names?
//
// Checked of a table: sequence numbers rise; each snapshot's parent is there unless it expired; the
// current one is the newest; lists, manifests and data files exist with the sizes told; counts of
// manifests and summaries are those of their entries; no file is listed twice; files hold the rows
// told.
//
// Faults are collected as text. One thread.
#pragma once

#include "sim/sim_lake.h"

struct sim_check {
    struct sim_lake *lake;
    struct strbuf *faults; // "" while all is well
};

// The rows of the current snapshot into `rows`. `all_snapshots`: all others are looked at, too.
void sim_check_table(struct sim_check *check, const char *table, bool all_snapshots,
                     struct sim_rows *rows);
// Files of ours in the lake that none of the tables names, and files of the pipeline in `directory`
// that its last checkpoint does not name. After a clean end.
void sim_check_leftovers(struct sim_check *check, const char *const *tables, uint32_t count,
                         struct str directory);
