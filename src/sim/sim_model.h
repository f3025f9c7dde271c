// SPDX-License-Identifier: Apache-2.0
//
// sim_model: what the tables must hold, computed from the topic in the plainest way.
//
// One thread.
#pragma once

#include "sim/sim_log.h"
#include "sim/sim_rows.h"

// part|off|user_id|host|amount|ts; sorted.
void sim_model_raw(const struct sim_log *log, struct sim_rows *out);
// window_start|host|clicks|users|revenue of every window that has rows; sorted.
void sim_model_windows(const struct sim_log *log, struct sim_rows *out);
// host|clicks|users|revenue; sorted.
void sim_model_totals(const struct sim_log *log, struct sim_rows *out);

// While the job is not at its end: what a table holds must be a cut, for each partition all visible
// records up to some offset and none behind it. `rows` are those of `raw`. Faults into `out`;
// false: none.
bool sim_model_is_torn(const struct sim_log *log, const struct sim_rows *rows, struct strbuf *out);
