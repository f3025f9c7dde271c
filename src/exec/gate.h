// SPDX-License-Identifier: Apache-2.0
//
// gate: the receiving end of a segment: the rings of all its ports, made into one sequence of
// items.
//
//   batches     as they come, round over the rings; a preferred port first
//   watermarks  merged by minimum over the rings that are not idle; never falls. A batch's
//               row_watermarks are merged the same way, so that lateness row by row survives an
//               exchange
//   idle        when all rings are idle; active again with the first that is
//   barrier     aligned: a ring that brought the barrier is blocked until all have; rings that have
//               ended count as aligned. What a blocked ring holds stays in it
//   port end    when all rings of a port have ended; END behind the last
//
// The merged watermark and the idle flags of former instances come back through gate_restore(), so
// that the watermark does not fall after a restart.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "exec/ring.h"

struct gate_channel {
    struct ring *ring;
    uint32_t port;
    int64_t watermark;
    bool is_idle;
    bool is_aligned; // brought the barrier in flight
    bool is_ended;
    bool is_announced; // its first item, which says whether it is idle, was taken
};

struct gate {
    uint32_t channel_count;
    struct gate_channel *channels;
    uint32_t port_count;
    bool *port_ended;
    uint32_t next;      // channel to look at first
    int64_t watermark;  // merged
    bool is_idle;
    bool is_ended;      // END was handed out
    bool announce_idle; // is_idle changed and nobody was told
    bool announce_watermark;
    struct barrier barrier; // of the alignment in progress
    bool is_aligning;
    struct arena scratch; // row watermarks of the batch handed out
};

// `channels` (rings and ports set) is borrowed; the gate keeps its own flags in it.
void gate_init(struct gate *gate, struct gate_channel *channels, uint32_t channel_count,
               uint32_t port_count);
void gate_release(struct gate *gate);

// Before anything else: every sender begins by saying whether it is idle, so that a channel from
// which nothing can come holds no watermark back from the first row on. False: some have not spoken
// yet.
bool gate_begin(struct gate *gate);

// The next item, whose batch (settled) is the caller's. False: nothing now. `preferred_port`:
// UINT32_MAX for none.
bool gate_next(struct gate *gate, uint32_t preferred_port, struct item *item);
// Before the first item: the watermark that former instances had merged.
void gate_restore(struct gate *gate, int64_t watermark);
