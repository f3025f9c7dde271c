// SPDX-License-Identifier: Apache-2.0
#include "sim/sim_world.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/buf.h"
#include "base/mem.h"
#include "store/store.h"
#include "store/store_memory.h"

// 2026-03-01 00:00:00 UTC.
#define START_US INT64_C(1772323200000000)

enum { STREAM_ENV = 101, STREAM_FAULT, STREAM_LAKE, STREAM_DISK };

static const char *const verbs[] = {"open", "read", "put",    "create", "write", "finish",
                                    "list", "move", "remove", "info",   "sync"};

static struct sim_world *world_of(struct clock *clock)
{
    return ((struct sim_clock *)clock)->world;
}

static int64_t clock_now(struct clock *clock)
{
    return world_of(clock)->now_us;
}

static int64_t env_now_ms(struct table_env *env)
{
    return ((struct sim_env *)env)->world->now_us / 1000;
}

static void env_random(struct table_env *env, void *out, size_t size)
{
    struct sim_world *world = ((struct sim_env *)env)->world;
    char *at = out;
    while (size > 0) {
        uint64_t word = sim_random_next(&world->env_random);
        size_t part = size < sizeof word ? size : sizeof word;
        memcpy(at, &word, part);
        at += part;
        size -= part;
    }
}

static void env_sleep_ms(struct table_env *env, int64_t duration_ms)
{
    sim_world_advance(((struct sim_env *)env)->world, duration_ms * 1000);
}

static int64_t disk_now_us(void *context)
{
    return ((struct sim_world *)context)->now_us;
}

static enum status disk_fault(void *context, uint64_t operation, enum store_memory_verb verb,
                              struct str path, bool *fault_after)
{
    (void)operation;
    (void)fault_after;
    return sim_world_operation(context, verbs[verb], path);
}

static struct store *new_disk(struct sim_world *world, uint64_t stream)
{
    struct store_memory_options options = {
        .seed = sim_random_stream(world->options.seed, stream).state,
        .now_us = disk_now_us,
        .fault = disk_fault,
        .context = world,
        .never_stable = world->options.broken == SIM_BREAK_FSYNC};
    return store_memory_new(&options);
}

struct sim_world *sim_world_new(const struct sim_world_options *options)
{
    struct sim_world *world = mem_zalloc(sizeof *world);
    world->options = *options;
    world->now_us = START_US;
    world->clock = (struct sim_clock){{clock_now, clock_now}, world};
    world->env = (struct sim_env){
        {.now_ms = env_now_ms,
         .random = env_random,
         .sleep_ms = env_sleep_ms,
         .broken_rules = options->broken == SIM_BREAK_SEARCH      ? TABLE_ENV_BREAK_SEARCH
                         : options->broken == SIM_BREAK_RETRY     ? TABLE_ENV_BREAK_RETRY
                         : options->broken == SIM_BREAK_FILE_NAME ? TABLE_ENV_BREAK_FILE_NAMES
                                                                  : 0},
        world};
    world->sound_env = world->env;
    world->sound_env.base.broken_rules = 0;
    world->env_random = sim_random_stream(options->seed, STREAM_ENV);
    world->fault_random = sim_random_stream(options->seed, STREAM_FAULT);
    world->dead_from = UINT64_MAX;
    world->lake = new_disk(world, STREAM_LAKE);
    world->disk = new_disk(world, STREAM_DISK);
    return world;
}

void sim_world_free(struct sim_world *world)
{
    if (world != NULL) {
        for (uint32_t i = 0; i < world->unremoved.count; i++) {
            mem_free(world->unremoved.items[i]);
        }
        VEC_RELEASE(&world->unremoved);
        store_free(world->lake);
        store_free(world->disk);
        store_free(world->zombie);
        mem_free(world);
    }
}

void sim_world_advance(struct sim_world *world, int64_t duration_us)
{
    world->now_us += duration_us;
}

void sim_world_cut(struct sim_world *world, uint64_t after)
{
    world->dead_from = world->operations + after;
}

bool sim_world_is_dead(const struct sim_world *world)
{
    return world->operations >= world->dead_from;
}

void sim_world_crash(struct sim_world *world, bool loses)
{
    sim_world_trace(world, "%s", loses ? "POWER LOSS" : "KILLED");
    world->dead_from = UINT64_MAX;
    world->failures = 0;
    if (loses) {
        store_memory_crash(world->lake);
        store_memory_crash(world->disk);
    }
}

static void copy_objects(struct store *from, struct store *to)
{
    struct arena arena;
    struct store_object *objects;
    size_t count = 0;
    struct err err;
    arena_init(&arena);
    enum status status = store_list(from, STR_LIT(""), &arena, &objects, &count, &err);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        struct buf *bytes;
        status = store_read(from, objects[i].path, SIZE_MAX, &bytes, &err);
        if (status == STATUS_OK) {
            status = store_put(to, objects[i].path, str_make(bytes->ptr, bytes->size), 0, &err);
            buf_unref(bytes);
        }
    }
    ASSERT(status == STATUS_OK);
    arena_release(&arena);
}

struct store *sim_world_backup(struct sim_world *world)
{
    struct store *copy = new_disk(world, STREAM_DISK + 1 + world->operations);
    bool quiet = world->quiet;
    world->quiet = true;
    copy_objects(world->disk, copy);
    world->quiet = quiet;
    return copy;
}

void sim_world_replace(struct sim_world *world, struct store *disk)
{
    store_free(world->disk);
    world->disk = disk != NULL ? disk : new_disk(world, STREAM_DISK + 1 + world->operations);
}

void sim_world_split(struct sim_world *world)
{
    ASSERT(world->zombie == NULL);
    sim_world_trace(world, "CUT OFF: the old process goes on");
    struct store *copy = sim_world_backup(world);
    world->zombie = world->disk;
    world->disk = copy;
}

void sim_world_drop_zombie(struct sim_world *world)
{
    store_free(world->zombie);
    world->zombie = NULL;
}

static void note_unremoved(struct sim_world *world, struct str name)
{
    char *copy = mem_alloc(name.size + 1);
    memcpy(copy, name.ptr, name.size);
    copy[name.size] = '\0';
    VEC_PUSH(&world->unremoved, copy);
}

bool sim_world_is_unremoved(const struct sim_world *world, struct str name)
{
    for (uint32_t i = 0; i < world->unremoved.count; i++) {
        if (str_is(name, world->unremoved.items[i])) {
            return true;
        }
    }
    return false;
}

enum status sim_world_operation(struct sim_world *world, const char *what, struct str name)
{
    if (world->quiet) {
        if (world->options.verbose && strcmp(what, "read") != 0 && strcmp(what, "open") != 0) {
            sim_world_trace(world, "  quiet %s %.*s", what, STR_ARGS(name));
        }
        return STATUS_OK;
    }
    uint64_t number = world->operations++;
    if (number >= world->dead_from) {
        if (number == world->dead_from) {
            sim_world_trace(world, "  op %" PRIu64 " %s %.*s: the power goes", number, what,
                            STR_ARGS(name));
            world->failures++;
        }
        return STATUS_IO;
    }
    if (sim_random_chance(&world->fault_random, world->options.fail_per_mille)) {
        sim_world_trace(world, "  op %" PRIu64 " %s %.*s: fails", number, what, STR_ARGS(name));
        world->failures++;
        if (strcmp(what, "remove") == 0) {
            note_unremoved(world, name);
        }
        bool reads = strcmp(what, "open") == 0 || strcmp(what, "read") == 0;
        world->unread += reads && str_ends(name, ".avro");
        return sim_random_chance(&world->fault_random, 500) ? STATUS_IO : STATUS_UNAVAILABLE;
    }
    if (world->options.verbose) {
        sim_world_trace(world, "  op %" PRIu64 " %s %.*s", number, what, STR_ARGS(name));
    }
    return STATUS_OK;
}

void sim_world_trace(struct sim_world *world, const char *format, ...)
{
    char *line = world->trace[world->trace_count++ % SIM_TRACE_LINES];
    int64_t since_us = world->now_us - START_US;
    int used = snprintf(line, SIM_TRACE_WIDTH, "%4" PRId64 ".%06" PRId64 " ", since_us / 1000000,
                        since_us % 1000000);
    va_list args;
    va_start(args, format);
    (void)vsnprintf(line + used, SIM_TRACE_WIDTH - (size_t)used, format, args);
    va_end(args);
    if (world->options.verbose) {
        printf("%s\n", line);
    }
}

void sim_world_print_trace(const struct sim_world *world, uint32_t count)
{
    uint64_t from = world->trace_count > count ? world->trace_count - count : 0;
    if (world->trace_count - from > SIM_TRACE_LINES) {
        from = world->trace_count - SIM_TRACE_LINES;
    }
    for (uint64_t i = from; i < world->trace_count; i++) {
        printf("    %s\n", world->trace[i % SIM_TRACE_LINES]);
    }
}
