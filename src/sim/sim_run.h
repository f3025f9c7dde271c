// SPDX-License-Identifier: Apache-2.0
//
// sim_run: one simulated life of a pipeline, all of it drawn from a seed: runs of the job at
// changing parallelism that are stepped in random order, ends of all kinds, foreign writers, and a
// last run to the end of the topic; then the tables are held against the model.
//
//     ends of a run   killed or without power between two steps; in the middle of an operation,
//                     also while it starts; stopped in good order; failed by itself, because an
//                     operation failed; cut off and going on unaware while the next run has started
//
// One thread. The same seed gives the same life, operation for operation.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sim/sim_world.h"

struct sim_run_options {
    uint64_t seed;
    enum sim_break broken;
    bool verbose;
};

// What came up, for judging how much a number of seeds has tried.
struct sim_run_figures {
    uint64_t rows, runs, restores, rescales, kills, power_losses, stops, failures, zombies;
    uint64_t commits, lost_replies, late_swaps, conflicts;
    uint64_t refusals;
    uint64_t foreign_appends, foreign_compactions, foreign_expiries;
};

// False: something was wrong; it and the end of the trace were printed.
bool sim_run(const struct sim_run_options *options, struct sim_run_figures *figures);
