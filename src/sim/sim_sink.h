// SPDX-License-Identifier: Apache-2.0
//
// sim_sink: a two-phase sink into a table in memory that remembers tokens, for streams with updates
// (Iceberg tables of this build take inserts only) and as the plainest thing that keeps the
// contract of exec/sink.h.
//
// The table survives crashes. Its commits fail as a remote side's do: before, or after they were
// done. One thread.
#pragma once

#include "exec/sink.h"
#include "sim/sim_rows.h"
#include "sim/sim_world.h"

struct sim_sink_table {
    struct sim_world *world;
    struct sim_rows rows; // what the changes so far make of it
    bool has_token;
    struct str lineage; // in rows.arena
    struct epoch last;  // committed
    struct epoch fenced; // commits of runs before are refused
    struct sim_rows owed; // retractions of rows that are not there yet: instances are applied in
                          // turn
    uint64_t commits;
};

void sim_sink_init(struct sim_sink_table *table, struct sim_world *world);
void sim_sink_release(struct sim_sink_table *table);
// Whatever is opened next writes into this table.
void sim_sink_use(struct sim_sink_table *table);

extern const struct sink_class sim_sink_class;
