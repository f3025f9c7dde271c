// SPDX-License-Identifier: Apache-2.0
#include "sim/sim_log_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "connect/split_positions.h"
#include "data/column_builder.h"
#include "exec/op.h"
#include "plan/plan.h"
#include "sys/clock.h"

static struct sim_log *used_log;
static struct sim_random *used_random;

void sim_log_source_use(struct sim_log *log, struct sim_random *random)
{
    used_log = log;
    used_random = random;
}

struct cursor {
    uint32_t partition;
    uint32_t next; // record
    int64_t offset;
};

struct log_reader {
    struct source_reader reader; // first
    struct arena arena;
    struct sim_log *log;
    struct sim_random *random;
    const struct op_context *context;
    const struct table_def *def;
    struct split_positions positions;
    uint32_t known; // partitions of the log that were looked at
    struct cursor cursors[SIM_LOG_PARTITIONS_MAX];
    uint32_t column_count;
    const uint32_t *table_columns;
    struct column_builder **builders;
    struct column *columns;
    struct batch_origin origin;
};

static enum status add_split(struct log_reader *reader, uint32_t partition, struct err *err)
{
    struct source_splits *splits = &reader->reader.splits;
    struct str name = arena_printf(&reader->arena, "clicks-%u", partition);
    struct cursor cursor = {.partition = partition};
    const struct str *position = split_positions_find(&reader->positions, name);
    if (position != NULL && !str_to_i64(*position, &cursor.offset)) {
        return ERR(err, STATUS_INVALID_DATA, "position '%.*s'", STR_ARGS(*position));
    }
    const struct sim_partition *at = &reader->log->partitions[partition];
    while (cursor.next < at->stable && at->records.items[cursor.next].offset < cursor.offset) {
        cursor.next++;
    }
    reader->cursors[splits->count] = cursor;
    splits->items[splits->count++] = (struct source_split){
        .name = name, .caught_up_us = -1, .watermark = WATERMARK_NONE};
    sim_log_discover(reader->log, partition);
    return STATUS_OK;
}

static enum status find_partitions(struct log_reader *reader, struct err *err)
{
    for (; reader->known < reader->log->partition_count; reader->known++) {
        if (reader->known % reader->context->parallelism == reader->context->instance) {
            TRY(add_split(reader, reader->known, err));
        }
    }
    return STATUS_OK;
}

// The states as they are now; the lag; whether all have ended.
static bool look(struct log_reader *reader)
{
    struct source_splits *splits = &reader->reader.splits;
    int64_t now = clock_monotonic_us(reader->context->clock);
    bool all = true;
    splits->lag_rows = 0;
    for (uint32_t i = 0; i < splits->count; i++) {
        struct source_split *split = &splits->items[i];
        struct cursor *cursor = &reader->cursors[i];
        const struct sim_partition *at = &reader->log->partitions[cursor->partition];
        while (cursor->next < at->stable && !at->records.items[cursor->next].is_visible) {
            cursor->next++;
        }
        splits->lag_rows += at->stable - cursor->next;
        if (cursor->next < at->stable) {
            split->state = SPLIT_ACTIVE;
            split->caught_up_us = -1;
        } else {
            cursor->offset = at->end_offset > cursor->offset ? at->end_offset : cursor->offset;
            split->caught_up_us = split->caught_up_us < 0 ? now : split->caught_up_us;
            split->state = reader->log->is_closed ? SPLIT_FINISHED : SPLIT_IDLE;
        }
        all = all && split->state == SPLIT_FINISHED;
    }
    return all && reader->log->is_closed;
}

// One with records: the one whose watermark is lowest, or any.
static uint32_t choose(struct log_reader *reader)
{
    const struct source_splits *splits = &reader->reader.splits;
    bool lowest = sim_random_chance(reader->random, 500);
    uint32_t best = UINT32_MAX;
    uint32_t found = 0;
    for (uint32_t i = 0; i < splits->count; i++) {
        if (splits->items[i].state != SPLIT_ACTIVE) {
            continue;
        }
        found++;
        bool better = lowest ? best == UINT32_MAX ||
                                   splits->items[i].watermark < splits->items[best].watermark
                             : sim_random_below(reader->random, found) == 0;
        best = better ? i : best;
    }
    return best;
}

static void add_value(struct log_reader *reader, uint32_t column, uint32_t partition,
                      const struct sim_record *record)
{
    struct column_builder *builder = reader->builders[column];
    struct str name = reader->def->columns[reader->table_columns[column]].name;
    if (str_is(name, "part")) {
        column_builder_i32(builder, (int32_t)partition);
    } else if (str_is(name, "off")) {
        column_builder_i64(builder, record->offset);
    } else if (str_is(name, "user_id")) {
        column_builder_i64(builder, record->user);
    } else if (str_is(name, "host")) {
        column_builder_string(builder, str_from(sim_log_host(record->host)));
    } else if (str_is(name, "amount")) {
        column_builder_i128(builder, record->cents);
    } else {
        column_builder_timestamp_us(builder, record->ts_ms * 1000);
    }
}

static void make_batch(struct log_reader *reader, uint32_t split, uint32_t row_max,
                       struct batch *out)
{
    struct cursor *cursor = &reader->cursors[split];
    const struct sim_partition *at = &reader->log->partitions[cursor->partition];
    for (uint32_t i = 0; i < reader->column_count; i++) {
        column_builder_reset(reader->builders[i]);
    }
    uint32_t rows = 0;
    reader->origin = (struct batch_origin){.name = reader->reader.splits.items[split].name,
                                           .unit = "offset",
                                           .first = (uint64_t)cursor->offset};
    for (; rows < row_max && cursor->next < at->stable; cursor->next++) {
        const struct sim_record *record = &at->records.items[cursor->next];
        cursor->offset = record->offset + 1;
        if (record->is_visible) {
            for (uint32_t i = 0; i < reader->column_count; i++) {
                add_value(reader, i, cursor->partition, record);
            }
            rows++;
        }
    }
    for (uint32_t i = 0; i < reader->column_count; i++) {
        reader->columns[i] = column_builder_finish(reader->builders[i]);
    }
    *out = (struct batch){.row_count = rows,
                          .column_count = reader->column_count,
                          .columns = reader->columns,
                          .origin = &reader->origin,
                          .split = split};
}

static enum status reader_poll(struct source_reader *base, struct batch *out, struct err *err)
{
    struct log_reader *reader = (struct log_reader *)base;
    if (sim_random_chance(reader->random, 200)) {
        TRY(find_partitions(reader, err));
    }
    base->splits.has_pending = reader->known < reader->log->partition_count;
    if (look(reader) && !base->splits.has_pending) {
        return STATUS_END;
    }
    uint32_t split = choose(reader);
    if (split == UINT32_MAX || sim_random_chance(reader->random, 100)) {
        return STATUS_AGAIN;
    }
    uint32_t row_max = 1 + sim_random_below(reader->random, 40);
    row_max = row_max < reader->context->batch_rows ? row_max : reader->context->batch_rows;
    make_batch(reader, split, row_max, out);
    return STATUS_OK;
}

static void reader_snapshot(struct source_reader *base, const struct op_context *context,
                            struct snapshot_writer *writer)
{
    struct log_reader *reader = (struct log_reader *)base;
    for (uint32_t i = 0; i < base->splits.count; i++) {
        char text[32];
        snprintf(text, sizeof text, "%" PRId64, reader->cursors[i].offset);
        split_positions_put(writer, context, base->splits.items[i].name, str_from(text));
    }
}

static void reader_close(struct source_reader *base)
{
    struct log_reader *reader = (struct log_reader *)base;
    arena_release(&reader->arena);
    mem_free(reader);
}

static const struct source_reader_ops reader_ops = {
    .poll = reader_poll, .snapshot = reader_snapshot, .close = reader_close};

static enum status source_open(const struct plan_node *scan, const struct op_context *context,
                               struct source_reader **out, struct err *err)
{
    struct log_reader *reader = mem_zalloc(sizeof *reader);
    struct arena *arena = &reader->arena;
    arena_init(arena);
    reader->reader.ops = &reader_ops;
    reader->log = used_log;
    reader->random = used_random;
    reader->context = context;
    reader->def = scan->as.scan.table;
    reader->column_count = scan->column_count;
    reader->table_columns =
        arena_copy(arena, scan->as.scan.table_columns, scan->column_count * sizeof(uint32_t));
    reader->builders = arena_new_array(arena, struct column_builder *, scan->column_count + 1);
    reader->columns = arena_new_array(arena, struct column, scan->column_count + 1);
    for (uint32_t i = 0; i < scan->column_count; i++) {
        reader->builders[i] = column_builder_new(arena, scan->columns[i].type, 64);
    }
    reader->reader.splits.items =
        arena_new_array(arena, struct source_split, SIM_LOG_PARTITIONS_MAX);
    split_positions_read(arena, context, &reader->positions);
    enum status status = find_partitions(reader, err);
    if (status != STATUS_OK) {
        reader_close(&reader->reader);
        return status;
    }
    *out = &reader->reader;
    return STATUS_OK;
}

const struct source_class sim_log_source_class = {.name = "sim-log", .open = source_open};
