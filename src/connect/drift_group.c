// SPDX-License-Identifier: Apache-2.0
#include "connect/drift_group.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/arena.h"
#include "base/mem.h"

enum { DRIFT_MEMBERS_MAX = 256 }; // more do not take part

struct drift_group {
    struct drift_group *next;
    struct arena arena;
    struct str pipeline, operator_id;
    uint32_t members;
    // INT64_MAX: free, or nothing to wait for.
    _Atomic int64_t lowest[DRIFT_MEMBERS_MAX];
    _Atomic int64_t published_us[DRIFT_MEMBERS_MAX];
    bool is_taken[DRIFT_MEMBERS_MAX];
};

struct drift_member {
    struct drift_group *group; // NULL: alone
    uint32_t slot;
};

// All groups of the process; guarded with their is_taken and members by drift_lock.
static pthread_mutex_t drift_lock = PTHREAD_MUTEX_INITIALIZER;
static struct drift_group *drift_groups;

static struct drift_group *group_find_locked(struct str pipeline, struct str operator_id)
{
    struct drift_group *group = drift_groups;
    while (group != NULL &&
           !(str_equal(group->pipeline, pipeline) && str_equal(group->operator_id, operator_id))) {
        group = group->next;
    }
    if (group == NULL) {
        group = mem_zalloc(sizeof *group);
        arena_init(&group->arena);
        group->pipeline = arena_str(&group->arena, pipeline);
        group->operator_id = arena_str(&group->arena, operator_id);
        for (uint32_t i = 0; i < DRIFT_MEMBERS_MAX; i++) {
            atomic_init(&group->lowest[i], DRIFT_NOBODY);
        }
        group->next = drift_groups;
        drift_groups = group;
    }
    return group;
}

struct drift_member *drift_group_join(struct str pipeline, struct str operator_id)
{
    struct drift_member *member = mem_zalloc(sizeof *member);
    pthread_mutex_lock(&drift_lock);
    struct drift_group *group = group_find_locked(pipeline, operator_id);
    for (uint32_t i = 0; i < DRIFT_MEMBERS_MAX && member->group == NULL; i++) {
        if (!group->is_taken[i]) {
            group->is_taken[i] = true;
            group->members++;
            member->group = group;
            member->slot = i;
        }
    }
    pthread_mutex_unlock(&drift_lock);
    return member;
}

void drift_group_leave(struct drift_member *member)
{
    if (member == NULL) {
        return;
    }
    struct drift_group *group = member->group;
    pthread_mutex_lock(&drift_lock);
    if (group != NULL) {
        atomic_store(&group->lowest[member->slot], DRIFT_NOBODY);
        group->is_taken[member->slot] = false;
        if (--group->members == 0) {
            struct drift_group **link = &drift_groups;
            while (*link != group) {
                link = &(*link)->next;
            }
            *link = group->next;
            arena_release(&group->arena);
            mem_free(group);
        }
    }
    pthread_mutex_unlock(&drift_lock);
    mem_free(member);
}

void drift_group_publish(struct drift_member *member, int64_t lowest, int64_t now_us)
{
    struct drift_group *group = member->group;
    if (group != NULL) {
        atomic_store_explicit(&group->lowest[member->slot], lowest, memory_order_relaxed);
        atomic_store_explicit(&group->published_us[member->slot], now_us, memory_order_relaxed);
    }
}

int64_t drift_group_lowest(const struct drift_member *member, int64_t now_us)
{
    int64_t lowest = DRIFT_NOBODY;
    const struct drift_group *group = member->group;
    for (uint32_t i = 0; group != NULL && i < DRIFT_MEMBERS_MAX; i++) {
        int64_t one = atomic_load_explicit(&group->lowest[i], memory_order_relaxed);
        if (one < lowest &&
            now_us - atomic_load_explicit(&group->published_us[i], memory_order_relaxed) <
                DRIFT_STALE_US) {
            lowest = one;
        }
    }
    return lowest;
}
