// SPDX-License-Identifier: Apache-2.0
#include "sim/sim_model.h"

#include <inttypes.h>
#include <string.h>

#include "sim/sim_script.h"

enum { USERS_MAX = 64 };

static void add_raw(struct sim_rows *out, uint32_t partition, const struct sim_record *record)
{
    sim_rows_printf(out, "%u|%" PRId64 "|%" PRId64 "|%s|%" PRId64 "|%" PRId64, partition,
                    record->offset, record->user, sim_log_host(record->host), record->cents,
                    record->ts_ms * 1000);
}

void sim_model_raw(const struct sim_log *log, struct sim_rows *out)
{
    for (uint32_t p = 0; p < log->partition_count; p++) {
        const struct sim_partition *partition = &log->partitions[p];
        for (uint32_t i = 0; i < partition->stable; i++) {
            if (partition->records.items[i].is_visible) {
                add_raw(out, p, &partition->records.items[i]);
            }
        }
    }
    sim_rows_sort(out);
}

struct group {
    int64_t start_ms;
    uint32_t host;
    int64_t clicks, cents;
    bool users[USERS_MAX];
};

typedef VEC(struct group) group_vec;

static void add_to(group_vec *groups, int64_t start_ms, const struct sim_record *record)
{
    struct group *group = NULL;
    for (uint32_t i = 0; i < groups->count && group == NULL; i++) {
        struct group *at = &groups->items[i];
        group = at->start_ms == start_ms && at->host == record->host ? at : NULL;
    }
    if (group == NULL) {
        struct group fresh = {.start_ms = start_ms, .host = record->host};
        VEC_PUSH(groups, fresh);
        group = &groups->items[groups->count - 1];
    }
    group->clicks++;
    group->cents += record->cents;
    group->users[record->user] = true;
}

// Groups by window where `window_ms` > 0, and by host.
static void group_by(const struct sim_log *log, int64_t window_ms, group_vec *out)
{
    for (uint32_t p = 0; p < log->partition_count; p++) {
        const struct sim_partition *partition = &log->partitions[p];
        for (uint32_t i = 0; i < partition->stable; i++) {
            const struct sim_record *record = &partition->records.items[i];
            if (record->is_visible) {
                add_to(out, window_ms > 0 ? record->ts_ms - record->ts_ms % window_ms : 0, record);
            }
        }
    }
}

static int64_t count_users(const struct group *group)
{
    int64_t count = 0;
    for (int i = 0; i < USERS_MAX; i++) {
        count += group->users[i];
    }
    return count;
}

void sim_model_windows(const struct sim_log *log, struct sim_rows *out)
{
    group_vec groups = {0};
    group_by(log, SIM_SCRIPT_WINDOW_MS, &groups);
    for (uint32_t i = 0; i < groups.count; i++) {
        const struct group *group = &groups.items[i];
        sim_rows_printf(out, "%" PRId64 "|%s|%" PRId64 "|%" PRId64 "|%" PRId64,
                        group->start_ms * 1000, sim_log_host(group->host), group->clicks,
                        count_users(group), group->cents);
    }
    VEC_RELEASE(&groups);
    sim_rows_sort(out);
}

void sim_model_totals(const struct sim_log *log, struct sim_rows *out)
{
    group_vec groups = {0};
    group_by(log, 0, &groups);
    for (uint32_t i = 0; i < groups.count; i++) {
        const struct group *group = &groups.items[i];
        sim_rows_printf(out, "%s|%" PRId64 "|%" PRId64 "|%" PRId64, sim_log_host(group->host),
                        group->clicks, count_users(group), group->cents);
    }
    VEC_RELEASE(&groups);
    sim_rows_sort(out);
}

// The number before the first (which = 0) or second bar.
static int64_t number_of(struct str line, int which)
{
    int64_t value = -1;
    for (int i = 0; i < which; i++) {
        line = str_slice(line, str_find(line, '|') + 1, line.size);
    }
    (void)str_to_i64(str_slice(line, 0, str_find(line, '|')), &value);
    return value;
}

bool sim_model_is_torn(const struct sim_log *log, const struct sim_rows *rows, struct strbuf *out)
{
    int64_t ends[SIM_LOG_PARTITIONS_MAX];
    for (int i = 0; i < SIM_LOG_PARTITIONS_MAX; i++) {
        ends[i] = -1;
    }
    for (uint32_t i = 0; i < rows->lines.count; i++) {
        int64_t partition = number_of(rows->lines.items[i], 0);
        int64_t offset = number_of(rows->lines.items[i], 1);
        if (partition >= 0 && partition < SIM_LOG_PARTITIONS_MAX) {
            ends[partition] = offset > ends[partition] ? offset : ends[partition];
        }
    }
    struct sim_rows expected;
    sim_rows_init(&expected);
    for (uint32_t p = 0; p < log->partition_count; p++) {
        const struct sim_partition *partition = &log->partitions[p];
        for (uint32_t i = 0; i < partition->stable; i++) {
            const struct sim_record *record = &partition->records.items[i];
            if (record->is_visible && record->offset <= ends[p]) {
                add_raw(&expected, p, record);
            }
        }
    }
    sim_rows_sort(&expected);
    bool differs = sim_rows_differ(&expected, rows, out);
    sim_rows_release(&expected);
    return differs;
}
