// SPDX-License-Identifier: Apache-2.0
//
// sim_log: a topic as Kafka keeps it: partitions whose records have offsets, transactions that end
// in a commit or an abort, control markers and compaction that leave gaps, partitions that pause
// and partitions that are added. It writes itself as time goes by.
//
// Readers see what read_committed sees: records before the first open transaction, aborted ones
// left out. The end of what is stable may lie behind the last record.
//
// Event times. A record is stamped at most SIM_LOG_BEHIND_MS before it becomes visible. With a
// watermark that lags by so much more that an idle reader has looked again in between, no record is
// late for one that follows the rules: whoever is caught up with a partition has nothing to miss
// there, and whoever is not holds the watermark back. So the rows of all windows are known without
// knowing who read what when. An added partition gets its first record only after it was seen once
// (sim_log_discover).
//
// It is the model, too: what was visible is what the tables must hold.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "sim/sim_random.h"

enum { SIM_LOG_PARTITIONS_MAX = 8, SIM_LOG_HOSTS = 5, SIM_LOG_BEHIND_MS = 1000 };

struct sim_record {
    int64_t offset;
    int64_t ts_ms;
    int64_t user;
    int64_t cents;
    uint32_t host;
    bool is_visible; // committed
};

struct sim_partition {
    VEC(struct sim_record) records;
    uint32_t stable;     // records before the first open transaction
    int64_t end_offset;  // of what is stable
    int64_t next_offset; // of the log
    int64_t next_us;     // when the next record comes; INT64_MAX: never
    bool in_transaction;
    int64_t close_us; // when it ends
    bool is_discovered;
};

struct sim_log {
    struct sim_random random;
    uint32_t partition_count;
    struct sim_partition partitions[SIM_LOG_PARTITIONS_MAX];
    uint32_t record_count, record_max; // over all partitions
    bool is_closed; // nothing comes any more
    int64_t now_us;
};

void sim_log_init(struct sim_log *log, uint64_t seed, int64_t now_us);
void sim_log_release(struct sim_log *log);
// Everything that happens until then.
void sim_log_advance(struct sim_log *log, int64_t now_us);
void sim_log_add_partition(struct sim_log *log);
// A reader knows the partition now.
void sim_log_discover(struct sim_log *log, uint32_t partition);
// Open transactions end, no more records come: the topic is bounded by its ends.
void sim_log_close(struct sim_log *log);

const char *sim_log_host(uint32_t host);
