// SPDX-License-Identifier: Apache-2.0
//
// snapshot: what operator instances put into a checkpoint, and get back from one.
//
// A checkpoint is, for each operator instance, a list of named entries and the state files of its
// tables (state/state.h writes those; the engine names, syncs and lists them). Entries are small:
// offsets, watermarks, open files, committables. Each says to whom it belongs:
//
//     operator_id  of the plan node (plan.h), the same in every run
//     instance     which of the P instances wrote it; another P may read it
//     key          chosen by the operator, unique in its instance: "split/clicks-3", "watermark"
//
// After a restore every instance sees the entries of all former instances of its operator and takes
// those that are its own now: splits by the assignment rule of the source, committables by
// instance % P, state rows by key group.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

enum barrier_kind {
    BARRIER_TICK,       // seals the live tail; refused until live reads exist
    BARRIER_CHECKPOINT, // progress becomes durable, files stay open
    BARRIER_COMMIT,     // a checkpoint that also closes the open files of every table and publishes
    BARRIER_STOP,       // a commit, and the job ends behind it
};

// An epoch is {run, n}: the run number is made durable before the first barrier of a start, so no
// epoch is ever used twice (engine.md section 6).
struct epoch {
    uint64_t run;
    uint64_t number;
};

static inline int epoch_compare(struct epoch a, struct epoch b)
{
    if (a.run != b.run) {
        return a.run < b.run ? -1 : 1;
    }
    return a.number == b.number ? 0 : a.number < b.number ? -1 : 1;
}

struct barrier {
    struct epoch epoch;
    enum barrier_kind kind;
};

struct snapshot_entry {
    struct str operator_id;
    uint32_t instance;
    struct str key;
    struct str bytes;
};

// Where an instance puts its entries at a barrier; copies both. One thread: the worker's.
struct snapshot_writer {
    void (*put)(struct snapshot_writer *writer, struct str operator_id, uint32_t instance,
                struct str key, struct str bytes);
};

// What a restored operator instance finds: all entries of its operator, of all former instances.
// Borrowed until open() returns.
struct snapshot_reader {
    uint32_t entry_count;
    const struct snapshot_entry *entries;
    struct epoch epoch;        // of the checkpoint
    uint32_t former_instances; // the P that wrote it
};
