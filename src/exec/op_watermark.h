// SPDX-License-Identifier: Apache-2.0
//
// op_watermark: makes watermarks from rows, one a split, before any exchange (engine.md section 8).
//
// A split's watermark is the greatest value that the watermark expression had on its rows. The
// operator's is the minimum over the splits that are active; it never falls, also after a restart.
// A split is idle when it has been caught up for the idle timeout; when all are, the watermark
// holds at the greatest of theirs. Finished splits hold nobody back; the end of the input makes
// WATERMARK_END.
//
// Behind a source that makes no watermarks itself in Flink (all but Kafka) there is no watermark up
// to 1970 (plan_watermark.starts_at_zero).
//
// pipeline.auto-watermark-interval = 0 ms: each row carries the watermark in force when it arrived
// (batch.row_watermarks), so that lateness does not depend on how rows fall into batches. On
// bounded input an interval counts event time, as Flink's file source does: a watermark is made
// when it would advance by more than the interval.
#pragma once

#include "exec/op.h"

struct source_splits;

// What the instances of an assigner had made when the checkpoint was taken, merged as a gate merges
// it: the minimum over those that were not idle, else the maximum. WATERMARK_NONE: nothing.
int64_t op_watermark_restored(const struct snapshot_reader *reader);

// The splits of the source in the same segment; until then there is one split that is never idle.
void op_watermark_attach(struct op *op, struct source_splits *splits);
