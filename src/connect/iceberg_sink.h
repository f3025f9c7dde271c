// SPDX-License-Identifier: Apache-2.0
//
// iceberg_sink: rows into an Iceberg table of an attached catalog, exactly once.
//
// The operator (iceberg_sink.c) routes rows to open data files and hands out what barriers want;
// the committer (iceberg_committer.c) publishes them with the marks of iceberg_token.h. Segments of
// files that stay open are in <pipeline directory>/segments.
//
// An operator's append and barrier write files and sync them on the worker's thread: the worker
// waits for the disk there.
#pragma once

#include "exec/sink.h"
#include "iceberg/iceberg_table.h"

extern const struct sink_class iceberg_sink_class;

// The table of a sink or scan, opened. UNSUPPORTED where its catalog is none of ours.
struct table_def;
MUST_USE enum status iceberg_sink_open_table(const struct table_def *def,
                                             struct iceberg_table **out, struct err *err);
// "<directory>/segments", in `arena`.
struct str iceberg_sink_segments(struct str directory, struct arena *arena);

MUST_USE enum status iceberg_committer_open(const struct plan_node *sink,
                                            const struct sink_identity *identity,
                                            struct sink_committer **out, struct err *err);
