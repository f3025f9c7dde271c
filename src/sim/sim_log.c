// SPDX-License-Identifier: Apache-2.0
#include "sim/sim_log.h"

#include <string.h>

#include "base/assert.h"

enum { STREAM_LOG = 201, TRANSACTION_MAX_US = 500000, BEHIND_MAX_MS = 500, USERS = 40 };

const char *sim_log_host(uint32_t host)
{
    // The last is longer than what a string view holds inline.
    static const char *const hosts[SIM_LOG_HOSTS] = {"a.org", "b.org", "c.net", "d.example.com",
                                                     "a-host-with-a-long-name.example.org"};
    return hosts[host];
}

void sim_log_init(struct sim_log *log, uint64_t seed, int64_t now_us)
{
    *log = (struct sim_log){.random = sim_random_stream(seed, STREAM_LOG), .now_us = now_us};
    bool is_long = sim_random_chance(&log->random, 100);
    log->record_max = (uint32_t)sim_random_between(&log->random, 60, is_long ? 3000 : 500);
    uint32_t count = 1 + sim_random_below(&log->random, 5);
    for (uint32_t i = 0; i < count; i++) {
        sim_log_add_partition(log);
    }
}

void sim_log_release(struct sim_log *log)
{
    for (uint32_t i = 0; i < log->partition_count; i++) {
        VEC_RELEASE(&log->partitions[i].records);
    }
}

void sim_log_add_partition(struct sim_log *log)
{
    if (log->partition_count < SIM_LOG_PARTITIONS_MAX && !log->is_closed) {
        log->partitions[log->partition_count++] = (struct sim_partition){
            .next_us = INT64_MAX, .next_offset = sim_random_between(&log->random, 0, 3)};
    }
}

// Mostly soon; now and then the partition pauses.
static int64_t draw_gap_us(struct sim_log *log)
{
    if (sim_random_chance(&log->random, 15)) {
        return sim_random_between(&log->random, 5000000, 40000000);
    }
    return sim_random_between(&log->random, 1000, 400000);
}

void sim_log_discover(struct sim_log *log, uint32_t partition)
{
    ASSERT(partition < log->partition_count);
    struct sim_partition *at = &log->partitions[partition];
    if (!at->is_discovered) {
        at->is_discovered = true;
        at->next_us = log->is_closed ? INT64_MAX : log->now_us + draw_gap_us(log);
    }
}

static void settle(struct sim_partition *at)
{
    at->stable = at->records.count;
    at->end_offset = at->next_offset;
}

static void append(struct sim_log *log, struct sim_partition *at)
{
    struct sim_random *random = &log->random;
    int64_t behind = sim_random_between(random, 0, BEHIND_MAX_MS);
    struct sim_record record = {.offset = at->next_offset++,
                                .ts_ms = log->now_us / 1000 - behind,
                                .user = sim_random_below(random, USERS),
                                .cents = sim_random_between(random, -500, 99999),
                                .host = sim_random_below(random, SIM_LOG_HOSTS),
                                .is_visible = !at->in_transaction};
    VEC_PUSH(&at->records, record);
    log->record_count++;
}

static void end_transaction(struct sim_log *log, struct sim_partition *at, bool commits)
{
    for (uint32_t i = at->stable; i < at->records.count && commits; i++) {
        at->records.items[i].is_visible = true;
    }
    at->in_transaction = false;
    at->next_offset++; // the control marker
    (void)log;
    settle(at);
}

// The next thing that happens in a partition, at log->now_us.
static void happen(struct sim_log *log, struct sim_partition *at)
{
    struct sim_random *random = &log->random;
    if (at->in_transaction && at->close_us <= log->now_us) {
        end_transaction(log, at, !sim_random_chance(random, 350));
        return;
    }
    if (log->record_count >= log->record_max) {
        at->next_us = INT64_MAX;
        return;
    }
    if (!at->in_transaction && sim_random_chance(random, 100)) {
        at->in_transaction = true;
        at->close_us = log->now_us + sim_random_between(random, 1000, TRANSACTION_MAX_US);
    }
    if (sim_random_chance(random, 50)) {
        at->next_offset += sim_random_between(random, 1, 5); // compacted away
    }
    uint32_t burst = sim_random_chance(random, 200) ? 1 + sim_random_below(random, 12) : 1;
    for (uint32_t i = 0; i < burst; i++) {
        append(log, at);
    }
    if (!at->in_transaction) {
        settle(at);
    }
    at->next_us = log->now_us + draw_gap_us(log);
}

static int64_t due_us(const struct sim_partition *at)
{
    return at->in_transaction && at->close_us < at->next_us ? at->close_us : at->next_us;
}

void sim_log_advance(struct sim_log *log, int64_t now_us)
{
    for (;;) {
        struct sim_partition *first = NULL;
        for (uint32_t i = 0; i < log->partition_count; i++) {
            struct sim_partition *at = &log->partitions[i];
            if (due_us(at) <= now_us && (first == NULL || due_us(at) < due_us(first))) {
                first = at;
            }
        }
        if (first == NULL) {
            break;
        }
        log->now_us = due_us(first) > log->now_us ? due_us(first) : log->now_us;
        happen(log, first);
    }
    log->now_us = now_us;
}

void sim_log_close(struct sim_log *log)
{
    for (uint32_t i = 0; i < log->partition_count; i++) {
        struct sim_partition *at = &log->partitions[i];
        if (at->in_transaction) {
            end_transaction(log, at, sim_random_chance(&log->random, 500));
        }
        at->next_us = INT64_MAX;
    }
    log->is_closed = true;
}
