// SPDX-License-Identifier: Apache-2.0
//
// kafka_watch: a thread that asks the cluster what a worker must not wait for: whether partitions
// have been added (every discovery interval), and, once the brokers could not be reached, whether
// they can again. What it finds is fetched by kafka_watch_take(); the reader's waker is woken.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "connect/kafka_client.h"

struct arena;
struct kafka_watch;
struct waker;

struct kafka_found {
    struct kafka_partition partition;
    int64_t low; // its first offset
};

// `known` are the partitions that are there already; everything given is borrowed until
// kafka_watch_stop().
MUST_USE struct kafka_watch *kafka_watch_start(struct kafka_client *client,
                                               const struct kafka_table *table,
                                               const struct kafka_partitions *known,
                                               struct waker *waker);
void kafka_watch_stop(struct kafka_watch *watch); // waits for the thread; NULL is allowed

struct kafka_news {
    uint32_t found_count; // new partitions since the last call
    struct kafka_found *found;
};

// Copied into `arena`. A cheap look where there is nothing. NOT_FOUND: a topic has been deleted.
MUST_USE enum status kafka_watch_take(struct kafka_watch *watch, struct arena *arena,
                                      struct kafka_news *news, struct err *err);
