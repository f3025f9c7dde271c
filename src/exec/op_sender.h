// SPDX-License-Identifier: Apache-2.0
//
// op_sender: the sending end of an exchange: a leaf of a segment.
//
// Rows go to the ring of the instance that owns their key group (HASH), to one ring (SINGLETON, or
// the one of the same number: FORWARD), settled on the way. Rows for several receivers are staged a
// receiver and flushed at 1,024 rows or 256 KiB, before any marker, and when the input runs dry, so
// an idle system works on single rows at once and a loaded one on full batches.
//
// Markers go to all rings; the first says whether the input is idle (gate.h). A watermark that
// finds no slot is PENDING: none is lost, and the segment waits as it does for credit.
#pragma once

#include "exec/op.h"
#include "exec/ring.h"

enum sender_kind { SENDER_HASH, SENDER_ONE };

struct op_sender_spec {
    enum sender_kind kind;
    uint32_t ring_count;        // ONE: 1
    struct ring *const *rings;  // borrowed array and rings; rings[i] leads to instance i
    uint32_t key_count;         // HASH
    const uint32_t *keys;       // positions in the batches; borrowed
};

struct op *op_sender_new(const struct op_sender_spec *spec, const struct op_context *context);
