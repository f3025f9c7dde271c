// SPDX-License-Identifier: Apache-2.0
//
// iceberg_token: the marks by which a pipeline finds its commits in an Iceberg table (engine.md
// section 7).
//
// In a snapshot's summary:   frazil.sink = id, frazil.lineage, frazil.epoch = "<run>-<number>";
//                            a fence has frazil.fence = "<run>" instead of the epoch.
// In the table's properties: frazil.sink.<id> = JSON {pipeline, lineage, run, epoch, snapshot-id,
//                            sequence-number, positions}, set in the same commit. `run` is the
//                            highest that committed or fenced; epoch, snapshot and positions are
//                            those of the last commit with rows.
//
// The id is made of the pipeline's UUID, the insert's name and the branch; a one-shot INSERT has
// marks in the summary only.
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "exec/sink.h"
#include "exec/snapshot.h"
#include "iceberg/spec/table_metadata.h"

enum { ICEBERG_TOKEN_ID = 16 }; // hex digits

#define ICEBERG_TOKEN_SINK "frazil.sink"
#define ICEBERG_TOKEN_LINEAGE "frazil.lineage"
#define ICEBERG_TOKEN_EPOCH "frazil.epoch"
#define ICEBERG_TOKEN_FENCE "frazil.fence"

// `branch`: TABLE_MAIN, or another.
void iceberg_token_id(const struct sink_identity *identity, struct str branch,
                      char out[ICEBERG_TOKEN_ID + 1]);
// The tag of the files that one run of a sink makes (table_env.h).
uint64_t iceberg_token_tag(struct str job_uuid, struct str insert_name, uint64_t run);

// The property of a sink.
struct iceberg_token_mark {
    struct str pipeline;
    struct str lineage;
    uint64_t run;
    struct epoch epoch; // number 0: no rows were committed yet
    int64_t snapshot_id;
    int64_t sequence_number;
    struct str positions;
};

// JSON to a mark and back, in `arena`. INVALID_DATA: somebody changed the property by hand.
MUST_USE enum status iceberg_token_parse(struct str json, struct arena *arena,
                                         struct iceberg_token_mark *out, struct err *err);
struct str iceberg_token_print(const struct iceberg_token_mark *mark, struct arena *arena);

// "3-17" of a snapshot's summary, where it is of this sink and lineage; false otherwise.
bool iceberg_token_of(const struct table_snapshot *snapshot, struct str id, struct str lineage,
                      struct epoch *out);
struct str iceberg_token_epoch_text(struct epoch epoch, struct arena *arena);
