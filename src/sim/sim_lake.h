// SPDX-License-Identifier: Apache-2.0
//
// sim_lake: the Iceberg tables of a simulated world: the catalog that points to them, how they are
// made, opened and read back.
//
// Tables are of the database "db", their files below "lake/". Reading back is done with the power
// on and without faults (sim_lake_quiet).
//
// One thread.
#pragma once

#include "catalog/catalog.h"
#include "iceberg/iceberg_table.h"
#include "iceberg/scan.h"
#include "sim/sim_pointer.h"
#include "sim/sim_rows.h"

struct sim_lake {
    struct catalog catalog; // first; the owner of the tables' definitions
    struct sim_world *world;
    struct sim_pointer pointer;
};

void sim_lake_init(struct sim_lake *lake, struct sim_world *world);
void sim_lake_release(struct sim_lake *lake);
struct table_place sim_lake_place(struct sim_lake *lake);

// Makes the table that `def` describes; *out is its definition as the catalog gives it, in `arena`.
MUST_USE enum status sim_lake_create(struct sim_lake *lake, struct arena *arena,
                                     const struct table_def *def, struct table_def **out,
                                     struct err *err);

// Opens a table with all faults off until sim_lake_close().
MUST_USE enum status sim_lake_open(struct sim_lake *lake, const char *name,
                                   struct iceberg_table **out, struct err *err);
void sim_lake_close(struct sim_lake *lake, struct iceberg_table *table);

// Reads one file of a scan of an open table.
struct sim_lake_reading {
    struct iceberg_table *table;
    const struct scan_plan *plan;
    const struct scan_task *task;
    enum status (*take)(void *context, const struct batch *batch, struct err *err);
    void *context;
};
MUST_USE enum status sim_lake_read(struct sim_lake *lake, const struct sim_lake_reading *reading,
                                   struct err *err);
