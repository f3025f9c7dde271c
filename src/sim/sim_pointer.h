// SPDX-License-Identifier: Apache-2.0
//
// sim_pointer: a catalog's pointers, over a network that loses things.
//
// A swap may be answered with
//     CONFLICT          a foreign writer was first (it commits at that moment), or an older swap of
//                       ours took effect late
//     COMMIT_UNKNOWN    it took effect and the reply was lost; or the request was lost; or it takes
//                       effect later, perhaps after a crash, if nobody has moved the pointer by
//                       then
// A load may be UNAVAILABLE. What the pointer says is durable at once.
//
// Every call is an operation of the world (sim_world.h); the first one with the power cut may take
// effect all the same.
//
// One thread.
#pragma once

#include "base/vec.h"
#include "iceberg/table_pointer.h"
#include "sim/sim_world.h"

struct sim_pointer_table {
    char *name; // "database.name"
    char *location;
};

struct sim_pointer_swap {
    char *name;
    char *expected;
    char *next;
    int64_t due_us;
};

struct sim_pointer {
    struct table_pointer base; // first
    struct sim_world *world;
    struct sim_random random;
    uint32_t lose_per_mille;    // of swaps: reply, request, or lateness
    uint32_t foreign_per_mille; // of swaps: somebody else is first
    void (*foreign)(void *context, const struct table_name *table);
    void *context;
    VEC(struct sim_pointer_table) tables;
    VEC(struct sim_pointer_swap) pending;
    uint64_t lost, late, foreign_count; // what happened, for figures
};

void sim_pointer_init(struct sim_pointer *pointer, struct sim_world *world);
void sim_pointer_release(struct sim_pointer *pointer);
// Swaps that are due take effect where they still can.
void sim_pointer_land(struct sim_pointer *pointer);
