// SPDX-License-Identifier: Apache-2.0
//
// sim_log_source: the reader of a sim_log, as a connector. It does what the Kafka source does:
// splits by partition number % parallelism, positions are the next offset, new partitions are found
// after a while, gaps are legal, a bounded end is reached at or past the end offset.
//
// Which partition is next and how many records a batch holds is drawn: every interleaving that the
// rules allow can come up.
#pragma once

#include "exec/source.h"
#include "sim/sim_log.h"

// Whatever is opened next reads this log; both are borrowed. One simulation a process at a time.
void sim_log_source_use(struct sim_log *log, struct sim_random *random);

extern const struct source_class sim_log_source_class;
