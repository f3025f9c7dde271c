// SPDX-License-Identifier: Apache-2.0
//
// test_world: one table over a store in memory and a pointer that misbehaves on demand, for the
// tests of this folder. Included by tests only; everything is static.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "iceberg/commit.h"
#include "iceberg/spec/table_update.h"
#include "store/store.h"
#include "store/store_memory.h"

enum fault { NONE, CONFLICT_FOREIGN, LOST_REPLY, LOST_REPLY_FOREIGN, LOST_REQUEST, LATE };

// One table's pointer, its clock, its chance, and what goes wrong next.
struct world {
    struct table_env env; // first
    struct table_pointer pointer;
    struct store *store;
    char location[300];
    int64_t now_ms;
    int64_t slept_ms;
    uint64_t seed;
    enum fault fault;
    char late[300]; // a swap that takes effect at the next one (LATE)
    void (*foreign)(struct world *world);
};

static struct world *world_of(struct table_pointer *pointer)
{
    return (struct world *)(void *)((char *)pointer - offsetof(struct world, pointer));
}

static enum status load(struct table_pointer *pointer, struct arena *arena,
                        const struct table_name *table, struct str *location, struct err *err)
{
    struct world *world = world_of(pointer);
    (void)table;
    if (world->location[0] == '\0') {
        return ERR(err, STATUS_NOT_FOUND, "table does not exist");
    }
    *location = arena_str(arena, str_from(world->location));
    return STATUS_OK;
}

static enum status swap(struct table_pointer *pointer, const struct table_name *table,
                        struct str expected, struct str next, struct err *err)
{
    struct world *world = world_of(pointer);
    enum fault fault = world->fault;
    (void)table;
    world->fault = NONE;
    if (fault == CONFLICT_FOREIGN) {
        world->foreign(world);
    }
    if (world->late[0] != '\0') {
        memcpy(world->location, world->late, sizeof world->location);
        world->late[0] = '\0';
    }
    if (fault == LOST_REQUEST) {
        return ERR(err, STATUS_COMMIT_UNKNOWN, "no answer");
    }
    if (fault == LATE) {
        snprintf(world->late, sizeof world->late, "%.*s", STR_ARGS(next));
        return ERR(err, STATUS_COMMIT_UNKNOWN, "no answer");
    }
    if (!str_is(expected, world->location)) {
        return ERR(err, STATUS_CONFLICT, "moved on");
    }
    snprintf(world->location, sizeof world->location, "%.*s", STR_ARGS(next));
    if (fault == LOST_REPLY_FOREIGN) {
        world->foreign(world);
    }
    return fault == LOST_REPLY || fault == LOST_REPLY_FOREIGN
               ? ERR(err, STATUS_COMMIT_UNKNOWN, "no answer")
               : STATUS_OK;
}

static const struct table_pointer_ops pointer_ops = {.load = load, .swap = swap};

static int64_t now_ms(struct table_env *env)
{
    return ((struct world *)env)->now_ms;
}

static void pseudo_random(struct table_env *env, void *out, size_t size)
{
    struct world *world = (struct world *)env;
    for (size_t i = 0; i < size; i++) {
        world->seed = hash_word(world->seed + 1);
        ((char *)out)[i] = (char)world->seed;
    }
}

static void sleep_ms(struct table_env *env, int64_t duration_ms)
{
    ((struct world *)env)->slept_ms += duration_ms;
}

static const struct table_name name = {{"db", 2}, {"t", 1}};

static struct table_place place_of(struct world *world)
{
    return (struct table_place){
        .store = world->store, .pointer = &world->pointer, .env = &world->env};
}

static struct iceberg_table *open_table(struct world *world)
{
    struct table_place place = place_of(world);
    struct iceberg_table *table;
    struct err err;
    if (iceberg_table_open(&place, &name, &table, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    return table;
}

// Makes the table; `table` lacks only uuid and location.
static void world_create(struct world *world, const struct table_update_new *table)
{
    struct err err;
    struct table_update_new whole = *table;
    whole.uuid = STR_LIT("00000000-0000-4000-8000-000000000001");
    whole.location = STR_LIT("w/db/t");
    *world =
        (struct world){.env = {.now_ms = now_ms, .random = pseudo_random, .sleep_ms = sleep_ms},
                       .pointer = {&pointer_ops},
                       .store = store_memory_new(NULL),
                       .now_ms = 1700000000000,
                       .seed = 7};
    struct table_place place = place_of(world);
    if (commit_create(&place, &name, &whole, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
}

// A table t(id long, day date) partitioned by identity(day).
static inline void world_init(struct world *world, int32_t version,
                              const struct table_property *properties, uint32_t property_count)
{
    struct iceberg_field fields[2] = {
        {.id = 1, .name = STR_LIT("id"), .type = iceberg_type_simple(ICEBERG_LONG)},
        {.id = 2, .name = STR_LIT("day"), .type = iceberg_type_simple(ICEBERG_DATE)},
    };
    struct iceberg_type columns = {.kind = ICEBERG_STRUCT, .field_count = 2, .fields = fields};
    struct partition_field partition = {.field_id = 1000, .source_id = 2, .name = STR_LIT("day")};
    world_create(world, &(struct table_update_new){.format_version = version,
                                                   .columns = &columns,
                                                   .partition_fields = &partition,
                                                   .partition_count = 1,
                                                   .properties = properties,
                                                   .property_count = property_count});
}
