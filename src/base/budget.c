// SPDX-License-Identifier: Apache-2.0
#include "base/budget.h"

#include <stdint.h>

#include "base/assert.h"

void budget_init(struct budget *budget, struct budget *parent, size_t limit)
{
    budget->parent = parent;
    budget->limit = limit;
    atomic_init(&budget->used, 0);
    atomic_init(&budget->peak, 0);
}

static void note_peak(struct budget *budget, size_t used)
{
    size_t peak = atomic_load_explicit(&budget->peak, memory_order_relaxed);
    while (used > peak &&
           !atomic_compare_exchange_weak_explicit(&budget->peak, &peak, used, memory_order_relaxed,
                                                  memory_order_relaxed)) {
    }
}

static bool take_one(struct budget *budget, size_t size)
{
    size_t used = atomic_load_explicit(&budget->used, memory_order_relaxed);
    do {
        if (used > budget->limit || size > budget->limit - used) {
            return false;
        }
    } while (!atomic_compare_exchange_weak_explicit(&budget->used, &used, used + size,
                                                    memory_order_relaxed, memory_order_relaxed));
    note_peak(budget, used + size);
    return true;
}

static void give_one(struct budget *budget, size_t size)
{
    size_t before = atomic_fetch_sub_explicit(&budget->used, size, memory_order_relaxed);
    ASSERT(before >= size);
}

bool budget_take(struct budget *budget, size_t size)
{
    for (struct budget *at = budget; at != NULL; at = at->parent) {
        if (!take_one(at, size)) {
            for (struct budget *taken = budget; taken != at; taken = taken->parent) {
                give_one(taken, size);
            }
            return false;
        }
    }
    return true;
}

void budget_force(struct budget *budget, size_t size)
{
    for (struct budget *at = budget; at != NULL; at = at->parent) {
        size_t before = atomic_fetch_add_explicit(&at->used, size, memory_order_relaxed);
        note_peak(at, before + size);
    }
}

void budget_give(struct budget *budget, size_t size)
{
    for (struct budget *at = budget; at != NULL; at = at->parent) {
        give_one(at, size);
    }
}

size_t budget_excess(const struct budget *budget)
{
    size_t excess = 0;
    for (const struct budget *at = budget; at != NULL; at = at->parent) {
        size_t used = atomic_load_explicit(&at->used, memory_order_relaxed);
        size_t over = used > at->limit ? used - at->limit : 0;
        excess = over > excess ? over : excess;
    }
    return excess;
}

size_t budget_room(const struct budget *budget)
{
    size_t room = SIZE_MAX;
    for (const struct budget *at = budget; at != NULL; at = at->parent) {
        size_t used = atomic_load_explicit(&at->used, memory_order_relaxed);
        size_t left = used < at->limit ? at->limit - used : 0;
        room = left < room ? left : room;
    }
    return room;
}
