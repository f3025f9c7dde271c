// SPDX-License-Identifier: Apache-2.0
//
// sim_world: what a crash of the program leaves standing: time, chance, two disks (that of the
// machine, with the checkpoints, and the lake, with the tables), and the power that feeds them.
//
//     struct sim_world *world = sim_world_new(&options);
//     ... run the engine on world->clock, world->env, world->disk, world->lake ...
//     sim_world_cut(world, 12);     // the twelfth operation from now on and all after it fail
//     sim_world_crash(world, true); // power loss: what was not synced is gone
//     sim_world_free(world);
//
// Operations. Every call of a disk and of the catalog (sim_pointer.h) is one, counted together.
// With the power cut each fails and does nothing, which is how a process looks from outside that
// was killed in the middle of a call: the engine runs into the failure, and what it holds in memory
// is dropped. Apart from that single operations fail now and then (fail_per_mille), as networks and
// disks do.
//
// While `quiet` is set, nothing fails: checks and foreign writers are at work.
//
// Time moves by sim_world_advance() and by sleeps of the code that is simulated.
//
// One thread.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "iceberg/table_env.h"
#include "sim/sim_random.h"
#include "sys/clock.h"

struct store;
struct sim_world;

// One rule of exactly-once that is broken on purpose, to show that it is noticed.
enum sim_break {
    SIM_BREAK_NONE,
    SIM_BREAK_FSYNC,     // nothing is ever durable
    SIM_BREAK_SEARCH,    // nobody looks into the table before committing
    SIM_BREAK_FENCE,     // no fence after an unclean stop
    SIM_BREAK_RETRY,     // an unknown outcome is tried again blindly
    SIM_BREAK_FILE_NAME, // data files' names do not say which run wrote them
};

struct sim_world_options {
    uint64_t seed;
    uint32_t fail_per_mille; // of operations
    enum sim_break broken;
    bool verbose; // trace lines are printed at once
};

struct sim_clock {
    struct clock base; // first
    struct sim_world *world;
};

struct sim_env {
    struct table_env base; // first
    struct sim_world *world;
};

enum { SIM_TRACE_LINES = 400, SIM_TRACE_WIDTH = 200 };

struct sim_world {
    struct sim_world_options options;
    int64_t now_us; // wall time; the monotonic clock runs with it
    struct sim_clock clock;
    struct sim_env env;
    struct sim_env sound_env; // of others and of checks: no rule is broken there
    struct sim_random env_random;
    struct sim_random fault_random;
    struct store *lake;   // store_memory
    struct store *disk;   // store_memory
    struct store *zombie; // the disk of a machine that was cut off; NULL: none
    uint64_t operations;
    uint64_t dead_from; // number of the first operation that fails; UINT64_MAX: none
    bool quiet;
    uint32_t failures; // injected since the last crash, the cut included
    VEC(char *) unremoved; // whose removal failed: they may be left behind
    uint32_t unread; // manifests and lists that could not be read once: expiries pass over that
    uint64_t trace_count;
    char trace[SIM_TRACE_LINES][SIM_TRACE_WIDTH];
};

struct sim_world *sim_world_new(const struct sim_world_options *options);
void sim_world_free(struct sim_world *world); // NULL is allowed

void sim_world_advance(struct sim_world *world, int64_t duration_us);
// The power fails at the `after`-th operation from now.
void sim_world_cut(struct sim_world *world, uint64_t after);
bool sim_world_is_dead(const struct sim_world *world);
// The power is back. `loses`: it was gone for the disk, too; else only the process was killed.
void sim_world_crash(struct sim_world *world, bool loses);
// The machine is cut off and goes on without knowing: a copy of what was on its disk becomes the
// disk of another one, the old disk is world->zombie. Both see the same lake.
void sim_world_split(struct sim_world *world);
void sim_world_drop_zombie(struct sim_world *world);
// A copy of the machine's disk as it is now; the caller frees it, or puts it in with
// sim_world_replace().
struct store *sim_world_backup(struct sim_world *world);
void sim_world_replace(struct sim_world *world, struct store *disk); // taken; NULL: an empty one

// Whether the operation that is about to be made fails; counts it. OK: it does not.
enum status sim_world_operation(struct sim_world *world, const char *what, struct str name);

// Whether the removal of that object failed once: nobody needs to try it again.
bool sim_world_is_unremoved(const struct sim_world *world, struct str name);

void sim_world_trace(struct sim_world *world, const char *format, ...) PRINTF_LIKE(2, 3);
// The last `count` lines to standard output.
void sim_world_print_trace(const struct sim_world *world, uint32_t count);
