// SPDX-License-Identifier: Apache-2.0
//
// store_memory: a store in memory that behaves like a disk on its worst day. For tests and the
// simulator.
//
// Power loss. Each object knows whether its content and its name are on stable storage:
// store_finish() makes the content stable and, unless STORE_SYNC_LATER was given, the name, too;
// store_sync() makes the names of a directory stable. store_memory_crash() takes everything back to
// what is stable: unsynced names vanish or show what they showed before, unfinished writers are
// gone (using one afterwards is IO), removals that no store_sync() followed may come undone (each
// with a chance of a half, from the seed).
//
// Faults. `fault` is called before every operation with its number, verb and path; what it returns
// other than OK is the operation's result. With `fault_after` set the operation takes place first
// and its answer is lost: what networks do.
//
// Threads: one lock around all; the simulator uses it from one thread. Time is the caller's clock.
#pragma once

#include "store/store.h"

enum store_memory_verb {
    STORE_MEMORY_OPEN,
    STORE_MEMORY_READ,
    STORE_MEMORY_PUT,
    STORE_MEMORY_CREATE,
    STORE_MEMORY_WRITE,
    STORE_MEMORY_FINISH,
    STORE_MEMORY_LIST,
    STORE_MEMORY_MOVE,
    STORE_MEMORY_REMOVE,
    STORE_MEMORY_INFO,
    STORE_MEMORY_SYNC,
};

struct store_memory_options {
    uint64_t seed;
    int64_t (*now_us)(void *context); // NULL: always 0
    enum status (*fault)(void *context, uint64_t operation, enum store_memory_verb verb,
                         struct str path, bool *fault_after); // NULL: none
    void *context;                                            // for both
    bool never_stable; // fsync does nothing: for showing that a simulator would notice
};

struct store *store_memory_new(const struct store_memory_options *options); // NULL: defaults

// Everything that is not stable is lost; see above.
void store_memory_crash(struct store *store);
uint64_t store_memory_operations(const struct store *store); // so far
size_t store_memory_bytes(const struct store *store);        // held in visible objects
