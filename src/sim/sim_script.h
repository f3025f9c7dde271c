// SPDX-License-Identifier: Apache-2.0
//
// sim_script: the statements that are simulated, from SQL text to a plan: one scan of the topic
// feeds an Iceberg table with every row, one with a row a window and host, and a changelog of
// totals a host.
//
// Tables are made in the lake with properties drawn from the seed. The plan is bound anew for each
// run of the job, as a restarted program does. One thread.
#pragma once

#include "engine/connectors.h"
#include "engine/job.h"
#include "sim/sim_lake.h"

enum { SIM_SCRIPT_WINDOW_MS = 10000 };

struct sim_script {
    struct sim_lake *lake;
    struct arena arena; // of the definitions
    bool is_bounded;    // what the connector says of the topic
    enum sim_break broken;
    struct table_def *tables[4];
    struct expr_settings settings;
    struct connectors connectors;
};

MUST_USE enum status sim_script_init(struct sim_script *script, struct sim_lake *lake,
                                     struct sim_random *random, struct err *err);
void sim_script_release(struct sim_script *script);
// The plan in `arena`, which outlives the job.
MUST_USE enum status sim_script_plan(struct sim_script *script, struct arena *arena,
                                     const struct plan **out, struct err *err);
