// SPDX-License-Identifier: Apache-2.0
//
// state_files: the segments of one operator instance's state as files of the pipeline's state
// directory: where state/state.h writes them, and where it reads them back.
//
// Names say who wrote a file, so that no run touches another run's:
// <run>-<hash of the operator id>-<instance>-<number>.segment. A worker writes (into the page
// cache); the coordinator makes the files durable before the manifest names them.
#pragma once

#include "base/vec.h"
#include "engine/checkpoint/checkpoint.h"
#include "state/state.h"

struct checkpoint_store;
struct store;
struct store_reader;
struct store_writer;

struct state_file {
    struct state_segment segment;
    char *file; // owned
};

struct state_files {
    struct state_segment_sink sink; // first: handed to the state context
    struct store *store;
    const struct checkpoint_store *checkpoints;
    struct str operator_id;
    uint32_t instance;
    uint64_t run;
    VEC(struct state_file) known;       // every segment that may still be alive
    struct store_writer *open;          // being written
    uint64_t open_number;
    VEC(struct store_writer *) sealed;  // complete, not yet durable
    VEC(struct store_reader *) readers; // of a restore
};

void state_files_init(struct state_files *files, struct store *store,
                      const struct checkpoint_store *checkpoints, struct str operator_id,
                      uint32_t instance);
void state_files_release(struct state_files *files);

// Coordinator: makes the sealed files durable (their names are, after the directory's sync).
MUST_USE enum status state_files_finish(struct state_files *files, struct err *err);
// The file of a segment that is alive.
const char *state_files_name(const struct state_files *files, uint64_t number);
// Forgets the names of segments that are not among the live ones.
void state_files_prune(struct state_files *files, const struct state_segment *live,
                       uint32_t count);

// Opens the segments of `checkpoint` that belong to this operator and hands them to `context`
// (state_restore_begin). `parallelism`: of this run.
MUST_USE enum status state_files_restore(struct state_files *files,
                                         const struct checkpoint *checkpoint,
                                         uint32_t parallelism, struct state_context *context,
                                         struct arena *arena, struct err *err);
// After the restore is done.
void state_files_close_readers(struct state_files *files);
