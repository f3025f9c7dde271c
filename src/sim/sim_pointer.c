// SPDX-License-Identifier: Apache-2.0
#include "sim/sim_pointer.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"

enum { STREAM_POINTER = 301, LATE_MAX_US = 20000000 };

static char *text_of(struct str text)
{
    char *copy = mem_alloc(text.size + 1);
    if (text.size > 0) {
        memcpy(copy, text.ptr, text.size);
    }
    copy[text.size] = '\0';
    return copy;
}

static bool is_table(const char *name, const struct table_name *table)
{
    size_t size = table->database.size;
    struct str text = str_from(name);
    return text.size == size + 1 + table->name.size &&
           str_equal(str_slice(text, 0, size), table->database) &&
           str_equal(str_slice(text, size + 1, text.size), table->name);
}

static struct sim_pointer_table *find(struct sim_pointer *pointer, const struct table_name *table)
{
    for (uint32_t i = 0; i < pointer->tables.count; i++) {
        if (is_table(pointer->tables.items[i].name, table)) {
            return &pointer->tables.items[i];
        }
    }
    return NULL;
}

static void move(struct sim_pointer_table *entry, const char *next)
{
    mem_free(entry->location);
    entry->location = mem_strdup(next);
}

void sim_pointer_land(struct sim_pointer *pointer)
{
    for (uint32_t i = 0; i < pointer->pending.count;) {
        struct sim_pointer_swap swap = pointer->pending.items[i];
        if (swap.due_us > pointer->world->now_us) {
            i++;
            continue;
        }
        pointer->pending.items[i] = pointer->pending.items[--pointer->pending.count];
        for (uint32_t k = 0; k < pointer->tables.count; k++) {
            struct sim_pointer_table *entry = &pointer->tables.items[k];
            if (strcmp(entry->name, swap.name) == 0 &&
                strcmp(entry->location, swap.expected) == 0) {
                sim_world_trace(pointer->world, "catalog: a late swap of %s takes effect: %s",
                                swap.name, swap.next);
                move(entry, swap.next);
            }
        }
        mem_free(swap.name);
        mem_free(swap.expected);
        mem_free(swap.next);
    }
}

// Somebody else is at work just now.
static void interfere(struct sim_pointer *pointer, const struct table_name *table)
{
    if (!pointer->world->quiet && pointer->foreign != NULL && !sim_world_is_dead(pointer->world) &&
        sim_random_chance(&pointer->random, pointer->foreign_per_mille)) {
        pointer->foreign_count++;
        pointer->foreign(pointer->context, table);
    }
}

static enum status load(struct table_pointer *base, struct arena *arena,
                        const struct table_name *table, struct str *location, struct err *err)
{
    struct sim_pointer *pointer = (struct sim_pointer *)base;
    if (sim_world_operation(pointer->world, "load", table->name) != STATUS_OK) {
        return ERR(err, STATUS_UNAVAILABLE, "load %.*s: the catalog does not answer",
                   STR_ARGS(table->name));
    }
    sim_pointer_land(pointer);
    const struct sim_pointer_table *entry = find(pointer, table);
    if (entry == NULL) {
        return ERR(err, STATUS_NOT_FOUND, "table '%.*s' does not exist", STR_ARGS(table->name));
    }
    *location = arena_str(arena, str_from(entry->location));
    interfere(pointer, table);
    return STATUS_OK;
}

static enum status apply(struct sim_pointer *pointer, const struct table_name *table,
                         struct str expected, struct str next, struct err *err)
{
    struct sim_pointer_table *entry = find(pointer, table);
    if (expected.size == 0) {
        if (entry != NULL) {
            return ERR(err, STATUS_EXISTS, "the table exists");
        }
        char name[256];
        snprintf(name, sizeof name, "%.*s.%.*s", STR_ARGS(table->database), STR_ARGS(table->name));
        VEC_PUSH(&pointer->tables, ((struct sim_pointer_table){mem_strdup(name), text_of(next)}));
        return STATUS_OK;
    }
    if (entry == NULL) {
        return ERR(err, STATUS_NOT_FOUND, "no such table");
    }
    if (!str_is(expected, entry->location)) {
        return ERR(err, STATUS_CONFLICT, "the table is at %s by now", entry->location);
    }
    mem_free(entry->location);
    entry->location = text_of(next);
    return STATUS_OK;
}

static enum status unknown(struct sim_pointer *pointer, const struct table_name *table,
                           const char *what, struct err *err)
{
    pointer->lost++;
    pointer->world->failures++;
    sim_world_trace(pointer->world, "  swap of %.*s: %s", STR_ARGS(table->name), what);
    return ERR(err, STATUS_COMMIT_UNKNOWN, "the catalog does not answer");
}

static enum status lose(struct sim_pointer *pointer, const struct table_name *table,
                        struct str expected, struct str next, struct err *err)
{
    switch (sim_random_below(&pointer->random, 3)) {
    case 0:
        TRY(apply(pointer, table, expected, next, err));
        interfere(pointer, table);
        interfere(pointer, table);
        return unknown(pointer, table, "done, the reply is lost", err);
    case 1: return unknown(pointer, table, "the request is lost", err);
    default: {
        char name[256];
        snprintf(name, sizeof name, "%.*s.%.*s", STR_ARGS(table->database), STR_ARGS(table->name));
        struct sim_pointer_swap swap = {mem_strdup(name), text_of(expected), text_of(next),
                                        pointer->world->now_us +
                                            sim_random_between(&pointer->random, 1, LATE_MAX_US)};
        VEC_PUSH(&pointer->pending, swap);
        pointer->late++;
        return unknown(pointer, table, "no reply, it will be done later", err);
    }
    }
}

static enum status swap(struct table_pointer *base, const struct table_name *table,
                        struct str expected, struct str next, struct err *err)
{
    struct sim_pointer *pointer = (struct sim_pointer *)base;
    struct sim_world *world = pointer->world;
    bool was_dead = sim_world_is_dead(world);
    sim_pointer_land(pointer);
    if (sim_world_operation(world, "swap", table->name) != STATUS_OK) {
        if (!was_dead && sim_random_chance(&pointer->random, 500)) {
            return lose(pointer, table, expected, next, err);
        }
        return unknown(pointer, table, "never sent", err);
    }
    interfere(pointer, table);
    if (!world->quiet && sim_random_chance(&pointer->random, pointer->lose_per_mille)) {
        return lose(pointer, table, expected, next, err);
    }
    enum status status = apply(pointer, table, expected, next, err);
    if (!world->quiet) {
        sim_world_trace(world, "  swap of %.*s: %s", STR_ARGS(table->name), status_name(status));
    }
    return status;
}

static const struct table_pointer_ops ops = {.load = load, .swap = swap};

void sim_pointer_init(struct sim_pointer *pointer, struct sim_world *world)
{
    *pointer =
        (struct sim_pointer){.base = {&ops},
                             .world = world,
                             .random = sim_random_stream(world->options.seed, STREAM_POINTER)};
}

void sim_pointer_release(struct sim_pointer *pointer)
{
    for (uint32_t i = 0; i < pointer->tables.count; i++) {
        mem_free(pointer->tables.items[i].name);
        mem_free(pointer->tables.items[i].location);
    }
    VEC_RELEASE(&pointer->tables);
    for (uint32_t i = 0; i < pointer->pending.count; i++) {
        mem_free(pointer->pending.items[i].name);
        mem_free(pointer->pending.items[i].expected);
        mem_free(pointer->pending.items[i].next);
    }
    VEC_RELEASE(&pointer->pending);
}
