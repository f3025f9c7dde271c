// SPDX-License-Identifier: Apache-2.0
//
// kafka_client: a client of a Kafka cluster made from a table's options, and what a source asks a
// cluster before it reads: which topics and partitions there are, and where offsets begin and end.
//
// All questions block, up to the table's timeout, and may be asked by any thread. What the client
// reports by itself (brokers down, refused logins) is kept, and goes into the texts of errors: a
// failing question alone says no more than that time is over.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <pthread.h>

#include "base/err.h"
#include "connect/kafka_table.h"
#include "connect/rdkafka.h"

struct kafka_client {
    rd_kafka_t *rk;
    struct str table; // names, for messages; borrowed
    struct str servers;
    int64_t timeout_ms;
    _Atomic bool is_unhealthy; // the brokers could not be reached; see kafka_client_recovered()
    pthread_mutex_t lock;      // guards last_error, fatal
    char last_error[256];
    bool has_refused; // a login
    bool has_fatal;
};

// `partitions`: over how many of them the fetched bytes of the table's queue are shared out.
// INVALID_DATA: a property that the client does not know.
MUST_USE enum status kafka_client_open(const struct table_def *def, const struct kafka_table *table,
                                       uint32_t partitions, struct kafka_client **out,
                                       struct err *err);
// All of its queues, topics and messages must have been given back.
void kafka_client_close(struct kafka_client *client); // NULL is allowed

// Handles what the client has to report; does not block.
void kafka_client_serve(struct kafka_client *client);
void kafka_client_recovered(struct kafka_client *client);
// A fatal state of the client; OK: there is none.
MUST_USE enum status kafka_client_check(struct kafka_client *client, struct err *err);

struct kafka_partition {
    struct str topic; // NUL behind it
    int32_t number;
};

struct kafka_partitions {
    uint32_t count;
    struct kafka_partition *items; // by topic and number
};

// Those of the table's topics (list or pattern). NOT_FOUND: no such topic (hint: the nearest name).
// UNAVAILABLE: no answer within the timeout.
MUST_USE enum status kafka_client_partitions(struct kafka_client *client,
                                             const struct kafka_table *table, struct arena *arena,
                                             struct kafka_partitions *out, struct err *err);

// The first offset that is there, and the one behind the last (of committed records).
MUST_USE enum status kafka_client_range(struct kafka_client *client,
                                        const struct kafka_partition *partition, int64_t *low,
                                        int64_t *high, struct err *err);
// The first offset at or behind a time; -1: there is none.
MUST_USE enum status kafka_client_offset_at(struct kafka_client *client,
                                            const struct kafka_partition *partition,
                                            int64_t timestamp_ms, int64_t *offset, struct err *err);
// What the group has committed; -1: nothing.
MUST_USE enum status kafka_client_committed(struct kafka_client *client,
                                            const struct kafka_partition *partition,
                                            int64_t *offset, struct err *err);
