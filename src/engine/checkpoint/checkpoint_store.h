// SPDX-License-Identifier: Apache-2.0
//
// checkpoint_store: the directory of one pipeline's checkpoints.
//
//     DIR/identity               who the pipeline is and its last run number (text, one "key value"
//                                a line); replaced durably before the first barrier of each run
//     DIR/<run>-<n>.checkpoint   manifests; the one with the highest epoch counts
//     DIR/state/                 files of keyed state, named by who wrote them; never overwritten
//
// Durable point of a checkpoint: its state files are synced, then its manifest is written, synced,
// renamed, and the directory synced (store.h). Older manifests and state files that it does not
// name are removed afterwards: files of other runs that no manifest names too.
//
// A manifest that cannot be read is never passed over in silence: the run stops and names it.
// One thread at a time: the coordinator's.
#pragma once

#include "engine/checkpoint/checkpoint.h"

struct checkpoint_store;
struct store;

struct checkpoint_identity {
    struct str pipeline_uuid;
    struct str lineage;
    uint64_t run; // this run's number
    bool is_new;  // nothing was there
};

// Opens or makes the directory. `store` and `directory` are borrowed. The identity is that of the
// new run, durable when this returns. `seed` makes the UUIDs of a new pipeline (a random number, or
// the simulator's). A damaged identity is INVALID_DATA; where the pipeline starts over (`fresh`)
// it is replaced by a new one.
MUST_USE enum status checkpoint_store_open(struct store *store, struct str directory,
                                           const uint64_t seed[2], bool fresh,
                                           struct checkpoint_store **out, struct err *err);
void checkpoint_store_close(struct checkpoint_store *checkpoints); // NULL is allowed
const struct checkpoint_identity *
checkpoint_store_identity(const struct checkpoint_store *checkpoints);

// The newest checkpoint, in `arena`. NOT_FOUND: there is none.
MUST_USE enum status checkpoint_store_load(struct checkpoint_store *checkpoints,
                                           struct arena *arena, struct checkpoint *out,
                                           struct err *err);
// A new lineage, durable when this returns: what was before counts no more (--fresh).
MUST_USE enum status checkpoint_store_forget(struct checkpoint_store *checkpoints,
                                             const uint64_t seed[2], struct err *err);
// Makes the checkpoint durable. Its state files were finished with STORE_SYNC_LATER.
MUST_USE enum status checkpoint_store_write(struct checkpoint_store *checkpoints,
                                            const struct checkpoint *checkpoint, struct err *err);
// Removes what `kept` does not need. Failures are left for the next time.
void checkpoint_store_clean(struct checkpoint_store *checkpoints, const struct checkpoint *kept);
// The path of a state file, in `arena`.
struct str checkpoint_store_state_path(const struct checkpoint_store *checkpoints,
                                       struct arena *arena, struct str file);
