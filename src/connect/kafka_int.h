// SPDX-License-Identifier: Apache-2.0
//
// kafka_int: the reader of the Kafka source, for kafka_*.c of this folder only: kafka_source.c
// reads, kafka_start.c decides where partitions begin and end.
#pragma once

#include "base/arena.h"
#include "base/vec.h"
#include "connect/drift_group.h"
#include "connect/kafka_client.h"
#include "connect/kafka_columns.h"
#include "connect/kafka_table.h"
#include "connect/kafka_watch.h"
#include "connect/split_positions.h"
#include "exec/op.h"
#include "exec/source.h"

enum { KAFKA_END_NONE = -1 };

// A partition of this instance; splits.items has the same index.
struct kafka_split {
    struct kafka_partition partition;
    struct str place;        // "topic clicks partition 3"
    rd_kafka_queue_t *queue; // NULL: finished
    int64_t next;            // the offset to be handed out next
    int64_t end;             // bounded: the first offset not to be handed out, else KAFKA_END_NONE
    int64_t saved;           // position in the last snapshot
    int64_t progress_us;     // when messages or the end were seen last
    VEC(rd_kafka_message_t *) left; // fetched, not handed out
    uint32_t left_at;
};

struct kafka_reader {
    struct source_reader reader;
    struct arena arena;
    const struct op_context *context;
    struct kafka_table table;
    struct kafka_client *client;
    struct kafka_columns *columns;
    struct kafka_watch *watch;
    struct drift_member *drift;
    struct split_positions positions;
    bool is_bounded;
    bool saves_group; // the user has named a group
    VEC(struct kafka_split) splits;
    rd_kafka_message_t **pulled; // BATCH_ROWS_MAX
    rd_kafka_message_t **held;   // of the batch that is out
    uint32_t held_count;
    int64_t polled_us; // when poll was called last
    int64_t served_us;
    struct batch_origin origin;
    uint64_t places[BATCH_ROWS_MAX + 2];
};

// Whether this instance reads a partition.
bool kafka_start_owns(const struct kafka_reader *reader, const struct kafka_partition *partition);
// Looks the partitions up, and where this instance's begin and end; adds them as splits.
MUST_USE enum status kafka_start(const struct plan_node *scan, struct kafka_reader *reader,
                                 struct err *err);
// Adds a split and starts fetching at `next`, unless it is finished already.
MUST_USE enum status kafka_start_split(struct kafka_reader *reader,
                                       const struct kafka_partition *partition, int64_t next,
                                       int64_t end, struct err *err);
