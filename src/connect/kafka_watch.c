// SPDX-License-Identifier: Apache-2.0
#include "connect/kafka_watch.h"

#include <time.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/mem.h"
#include "base/vec.h"
#include "sys/waker.h"

enum {
    WATCH_HEALTH_MS = 1000, // how often a look is taken at whether the brokers are back
    WATCH_GONE_LOOKS = 2,   // a topic that is missed once may be a broker that has just begun
};

struct kafka_watch {
    struct kafka_client *client;
    const struct kafka_table *table;
    struct waker *waker;
    pthread_t thread;
    pthread_mutex_t lock; // guards is_stopping, found, names, gone
    pthread_cond_t wake;
    bool is_stopping;
    struct arena names; // of what was found
    VEC(struct kafka_found) found;
    struct err gone;     // status OK: no topic is
    uint32_t gone_looks; // the thread's: how many looks in a row have missed a topic
    _Atomic bool has_news;
    VEC(struct kafka_partition) known; // the thread's; names in `known_names`
    struct arena known_names;
    int64_t next_discovery_ms;
};

static int64_t watch_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// Waits; false where the watch is to stop.
static bool watch_sleep(struct kafka_watch *watch, int64_t ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += ms / 1000;
    until.tv_nsec += ms % 1000 * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&watch->lock);
    int result = 0;
    while (!watch->is_stopping && result == 0) {
        result = pthread_cond_timedwait(&watch->wake, &watch->lock, &until);
    }
    bool goes_on = !watch->is_stopping;
    pthread_mutex_unlock(&watch->lock);
    return goes_on;
}

static bool watch_knows(const struct kafka_watch *watch, const struct kafka_partition *partition)
{
    for (uint32_t i = 0; i < watch->known.count; i++) {
        const struct kafka_partition *known = &watch->known.items[i];
        if (known->number == partition->number && str_equal(known->topic, partition->topic)) {
            return true;
        }
    }
    return false;
}

static void watch_know(struct kafka_watch *watch, const struct kafka_partition *partition)
{
    struct kafka_partition copy = {.topic = arena_str(&watch->known_names, partition->topic),
                                   .number = partition->number};
    VEC_PUSH(&watch->known, copy);
}

static void watch_tell(struct kafka_watch *watch)
{
    atomic_store(&watch->has_news, true);
    waker_wake(watch->waker);
}

static void watch_report(struct kafka_watch *watch, const struct kafka_partition *partition,
                         int64_t low)
{
    pthread_mutex_lock(&watch->lock);
    struct kafka_found found = {
        .partition = {arena_str(&watch->names, partition->topic), partition->number}, .low = low};
    VEC_PUSH(&watch->found, found);
    pthread_mutex_unlock(&watch->lock);
    watch_tell(watch);
}

// One look at the cluster; false where it does not answer.
static bool watch_look(struct kafka_watch *watch)
{
    struct arena arena;
    struct kafka_partitions all;
    arena_init(&arena);
    struct err err = {0};
    enum status status = kafka_client_partitions(watch->client, watch->table, &arena, &all, &err);
    bool answers = status == STATUS_OK;
    watch->gone_looks = status == STATUS_NOT_FOUND ? watch->gone_looks + 1 : 0;
    if (watch->gone_looks == WATCH_GONE_LOOKS) {
        pthread_mutex_lock(&watch->lock);
        watch->gone = err;
        pthread_mutex_unlock(&watch->lock);
        watch_tell(watch);
    }
    for (uint32_t i = 0; answers && i < all.count; i++) {
        int64_t low;
        int64_t high;
        if (watch_knows(watch, &all.items[i])) {
            continue;
        }
        // A partition without a leader yet is found by the next look.
        if (kafka_client_range(watch->client, &all.items[i], &low, &high, NULL) == STATUS_OK) {
            watch_know(watch, &all.items[i]);
            watch_report(watch, &all.items[i], low);
        }
    }
    arena_release(&arena);
    return answers;
}

static void *watch_run(void *self)
{
    struct kafka_watch *watch = self;
    int64_t interval = watch->table->discovery_ms;
    int64_t pause = interval > 0 && interval < WATCH_HEALTH_MS ? interval : WATCH_HEALTH_MS;
    while (watch_sleep(watch, pause)) {
        bool is_unhealthy = atomic_load(&watch->client->is_unhealthy);
        bool is_due = interval > 0 && watch_now_ms() >= watch->next_discovery_ms;
        if ((!is_unhealthy && !is_due) || !watch_look(watch)) {
            continue;
        }
        watch->next_discovery_ms = watch_now_ms() + interval;
        if (is_unhealthy) {
            kafka_client_recovered(watch->client);
        }
    }
    return NULL;
}

struct kafka_watch *kafka_watch_start(struct kafka_client *client, const struct kafka_table *table,
                                      const struct kafka_partitions *known, struct waker *waker)
{
    struct kafka_watch *watch = mem_zalloc(sizeof *watch);
    pthread_condattr_t attributes;
    watch->client = client;
    watch->table = table;
    watch->waker = waker;
    arena_init(&watch->names);
    arena_init(&watch->known_names);
    for (uint32_t i = 0; i < known->count; i++) {
        watch_know(watch, &known->items[i]);
    }
    watch->next_discovery_ms = watch_now_ms() + table->discovery_ms;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    ASSERT(pthread_mutex_init(&watch->lock, NULL) == 0);
    ASSERT(pthread_cond_init(&watch->wake, &attributes) == 0);
    ASSERT(pthread_create(&watch->thread, NULL, watch_run, watch) == 0);
    pthread_condattr_destroy(&attributes);
    return watch;
}

void kafka_watch_stop(struct kafka_watch *watch)
{
    if (watch == NULL) {
        return;
    }
    pthread_mutex_lock(&watch->lock);
    watch->is_stopping = true;
    pthread_cond_signal(&watch->wake);
    pthread_mutex_unlock(&watch->lock);
    pthread_join(watch->thread, NULL);
    pthread_cond_destroy(&watch->wake);
    pthread_mutex_destroy(&watch->lock);
    VEC_RELEASE(&watch->found);
    VEC_RELEASE(&watch->known);
    arena_release(&watch->names);
    arena_release(&watch->known_names);
    mem_free(watch);
}

enum status kafka_watch_take(struct kafka_watch *watch, struct arena *arena,
                             struct kafka_news *news, struct err *err)
{
    *news = (struct kafka_news){0};
    if (watch == NULL || !atomic_exchange(&watch->has_news, false)) {
        return STATUS_OK;
    }
    pthread_mutex_lock(&watch->lock);
    enum status status = watch->gone.status;
    if (status != STATUS_OK && err != NULL) {
        *err = watch->gone;
    }
    news->found_count = watch->found.count;
    news->found =
        arena_copy(arena, watch->found.items, watch->found.count * sizeof *watch->found.items);
    for (uint32_t i = 0; i < news->found_count; i++) {
        news->found[i].partition.topic = arena_str(arena, news->found[i].partition.topic);
    }
    watch->found.count = 0;
    arena_reset(&watch->names);
    pthread_mutex_unlock(&watch->lock);
    return status;
}
