// SPDX-License-Identifier: Apache-2.0
#include "connect/kafka_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/mem.h"
#include "connect/kafka_int.h"
#include "connect/option.h"
#include "plan/plan.h"
#include "sys/clock.h"

enum {
    KAFKA_SERVE_US = 200000,     // how often the client's own affairs are looked after
    KAFKA_GRACE_US = 5000000,    // a lagging partition without messages for so long holds nobody up
    KAFKA_PRESSURE_US = 1000000, // not polled for so long: back-pressured
};

// Messages.

static void reader_drop_held(struct kafka_reader *reader)
{
    for (uint32_t i = 0; i < reader->held_count; i++) {
        rdkafka.message_destroy(reader->held[i]);
    }
    reader->held_count = 0;
}

static void split_drop_left(struct kafka_split *split)
{
    for (uint32_t i = split->left_at; i < split->left.count; i++) {
        rdkafka.message_destroy(split->left.items[i]);
    }
    split->left.count = split->left_at = 0;
}

// Lets the client stop fetching a partition.
static void reader_unassign(struct kafka_reader *reader, const struct kafka_split *split)
{
    rd_kafka_topic_partition_list_t *list = rdkafka.topic_partition_list_new(1);
    rdkafka.topic_partition_list_add(list, split->partition.topic.ptr, split->partition.number);
    rdkafka.error_destroy(rdkafka.incremental_unassign(reader->client->rk, list));
    rdkafka.topic_partition_list_destroy(list);
}

static void reader_finish(struct kafka_reader *reader, uint32_t index)
{
    struct kafka_split *split = &reader->splits.items[index];
    split_drop_left(split);
    reader->reader.splits.items[index].state = SPLIT_FINISHED;
    reader_unassign(reader, split);
}

// The end of what is there, or an error; takes the message.
static enum status reader_event(struct kafka_reader *reader, uint32_t index,
                                rd_kafka_message_t *message, struct err *err)
{
    struct kafka_split *split = &reader->splits.items[index];
    struct source_split *state = &reader->reader.splits.items[index];
    rd_kafka_resp_err_t code = message->err;
    int64_t offset = message->offset;
    int64_t now = clock_monotonic_us(reader->context->clock);
    char text[256];
    snprintf(text, sizeof text, "%s", rdkafka.message_errstr(message));
    rdkafka.message_destroy(message);
    if (code == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
        split->next = offset > split->next ? offset : split->next;
        split->progress_us = now;
        state->caught_up_us = now;
        if (split->end != KAFKA_END_NONE && split->next >= split->end) {
            reader_finish(reader, index);
        }
        return STATUS_OK;
    }
    if (code == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET) {
        ERR(err, STATUS_INVALID_DATA,
            "table '%.*s': %.*s: the records from offset %" PRId64 " on are gone: %s",
            STR_ARGS(reader->table.name), STR_ARGS(split->place), split->next, text);
        err_hint(err, "the topic's retention deleted them before they were read, or the log was "
                      "truncated; --fresh starts over at 'scan.startup.mode'");
        return STATUS_INVALID_DATA;
    }
    return ERR(err, STATUS_IO, "table '%.*s': %.*s: %s", STR_ARGS(reader->table.name),
               STR_ARGS(split->place), text);
}

// Fetched messages of a split to split->left; how many there are.
static uint32_t split_pull(struct kafka_reader *reader, struct kafka_split *split)
{
    if (split->left_at < split->left.count) {
        return split->left.count - split->left_at;
    }
    split->left.count = split->left_at = 0;
    ssize_t count = rdkafka.consume_batch_queue(split->queue, 0, reader->pulled, BATCH_ROWS_MAX);
    if (count <= 0) {
        return 0;
    }
    VEC_RESERVE(&split->left, count);
    memcpy(split->left.items, reader->pulled, (size_t)count * sizeof *reader->pulled);
    split->left.count = (uint32_t)count;
    return (uint32_t)count;
}

// Batches.

static void reader_origin(struct kafka_reader *reader, const struct kafka_split *split,
                          rd_kafka_message_t *const *messages)
{
    uint32_t count = kafka_columns_rows(reader->columns);
    const uint64_t *places = kafka_columns_places(reader->columns);
    for (uint32_t i = 0; i < count; i++) {
        reader->places[i] = (uint64_t)messages[places[i]]->offset;
    }
    reader->origin = (struct batch_origin){.name = split->place,
                                           .unit = "offset",
                                           .first = reader->places[0],
                                           .places = reader->places};
}

static enum status reader_bad_record(struct kafka_reader *reader, const struct kafka_split *split,
                                     int64_t offset, enum status status, struct err *err)
{
    err_context(err, "table '%.*s': %.*s offset %" PRId64, STR_ARGS(reader->table.name),
                STR_ARGS(split->place), offset);
    return status;
}

// Rows of the first `count` messages that are left. AGAIN: they gave none.
static enum status reader_decode(struct kafka_reader *reader, uint32_t index, uint32_t count,
                                 struct batch *out, struct err *err)
{
    struct kafka_split *split = &reader->splits.items[index];
    rd_kafka_message_t *const *messages = split->left.items + split->left_at;
    uint32_t used;
    uint32_t bad;
    enum status status = kafka_columns_decode(reader->columns, messages, count,
                                              reader->context->batch_rows, &used, &bad, err);
    if (status != STATUS_OK) {
        return reader_bad_record(reader, split, messages[bad]->offset, status, err);
    }
    bool has_rows = kafka_columns_rows(reader->columns) > 0;
    if (has_rows) {
        status = kafka_columns_batch(reader->columns, split->partition.topic,
                                     split->partition.number, out, err);
        if (status != STATUS_OK) {
            return reader_bad_record(reader, split, messages[0]->offset, status, err);
        }
        reader_origin(reader, split, messages);
        out->origin = &reader->origin;
        out->split = index;
    }
    // The batch may borrow from the messages: they go when the next one is asked for.
    memcpy(reader->held, messages, used * sizeof *reader->held);
    reader->held_count = used;
    split->left_at += used;
    if (used > 0) {
        split->next = messages[used - 1]->offset + 1;
    }
    if (!has_rows) {
        reader_drop_held(reader);
    }
    return has_rows ? STATUS_OK : STATUS_AGAIN;
}

// How many of the messages left are rows to come; 0: the first is an event, or behind the end.
static enum status reader_count(const struct kafka_reader *reader, const struct kafka_split *split,
                                uint32_t *count, struct err *err)
{
    rd_kafka_message_t *const *messages = split->left.items + split->left_at;
    uint32_t left = split->left.count - split->left_at;
    int64_t next = split->next;
    uint32_t i = 0;
    for (; i < left && i < BATCH_ROWS_MAX; i++) {
        if (messages[i]->err != RD_KAFKA_RESP_ERR_NO_ERROR ||
            (split->end != KAFKA_END_NONE && messages[i]->offset >= split->end)) {
            break;
        }
        if (messages[i]->offset < next) {
            return ERR(err, STATUS_IO,
                       "table '%.*s': %.*s: offset %" PRId64 " came where %" PRId64
                       " or more was expected",
                       STR_ARGS(reader->table.name), STR_ARGS(split->place), messages[i]->offset,
                       next);
        }
        next = messages[i]->offset + 1;
    }
    *count = i;
    return STATUS_OK;
}

// The next batch of one split; AGAIN: there is none now.
static enum status reader_read(struct kafka_reader *reader, uint32_t index, struct batch *out,
                               struct err *err)
{
    struct source_split *state = &reader->reader.splits.items[index];
    for (;;) {
        struct kafka_split *split = &reader->splits.items[index];
        if (state->state == SPLIT_FINISHED || split_pull(reader, split) == 0) {
            return STATUS_AGAIN;
        }
        uint32_t count = 0;
        TRY(reader_count(reader, split, &count, err));
        if (count > 0) {
            split->progress_us = clock_monotonic_us(reader->context->clock);
            state->caught_up_us = -1;
            enum status status = reader_decode(reader, index, count, out, err);
            if (status != STATUS_AGAIN) {
                return status;
            }
            continue;
        }
        rd_kafka_message_t *first = split->left.items[split->left_at];
        if (first->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
            reader_finish(reader, index); // what comes is behind the end
            return STATUS_AGAIN;
        }
        split->left_at++;
        TRY(reader_event(reader, index, first, err));
    }
}

// Which split next.

// Whether others should wait for what this split still has to bring.
static bool split_lags(const struct kafka_reader *reader, uint32_t index, int64_t now)
{
    const struct source_split *state = &reader->reader.splits.items[index];
    return state->state != SPLIT_FINISHED && state->caught_up_us < 0 &&
           now - reader->splits.items[index].progress_us < KAFKA_GRACE_US;
}

// The watermark beyond which nothing is to be read now.
static int64_t reader_horizon(struct kafka_reader *reader, int64_t now)
{
    int64_t lowest = DRIFT_NOBODY;
    for (uint32_t i = 0; i < reader->splits.count; i++) {
        int64_t watermark = reader->reader.splits.items[i].watermark;
        if (watermark < lowest && split_lags(reader, i, now)) {
            lowest = watermark;
        }
    }
    drift_group_publish(reader->drift, lowest, now);
    lowest = drift_group_lowest(reader->drift, now);
    return lowest > INT64_MAX - reader->table.drift_us ? INT64_MAX
                                                       : lowest + reader->table.drift_us;
}

// The lowest watermark above (floor, floor_index) in the order of (watermark, index).
static uint32_t reader_choose(const struct kafka_reader *reader, int64_t floor,
                              uint32_t floor_index, bool any)
{
    uint32_t best = UINT32_MAX;
    const struct source_split *items = reader->reader.splits.items;
    for (uint32_t i = 0; i < reader->splits.count; i++) {
        bool is_behind =
            any || items[i].watermark > floor || (items[i].watermark == floor && i > floor_index);
        if (items[i].state != SPLIT_FINISHED && is_behind &&
            (best == UINT32_MAX || items[i].watermark < items[best].watermark)) {
            best = i;
        }
    }
    return best;
}

// Housekeeping.

static enum status reader_take_news(struct kafka_reader *reader, struct err *err)
{
    struct arena arena;
    struct kafka_news news;
    arena_init(&arena);
    enum status status = kafka_watch_take(reader->watch, &arena, &news, err);
    for (uint32_t i = 0; i < news.found_count && status == STATUS_OK; i++) {
        if (kafka_start_owns(reader, &news.found[i].partition)) {
            status = kafka_start_split(reader, &news.found[i].partition, news.found[i].low,
                                       KAFKA_END_NONE, err);
        }
    }
    arena_release(&arena);
    return status;
}

// Rows behind the ends that the last fetches told of.
static void reader_measure_lag(struct kafka_reader *reader)
{
    uint64_t lag = 0;
    for (uint32_t i = 0; i < reader->splits.count; i++) {
        const struct kafka_split *split = &reader->splits.items[i];
        int64_t low;
        int64_t high;
        if (reader->reader.splits.items[i].state != SPLIT_FINISHED &&
            rdkafka.get_watermark_offsets(reader->client->rk, split->partition.topic.ptr,
                                          split->partition.number, &low,
                                          &high) == RD_KAFKA_RESP_ERR_NO_ERROR &&
            high > split->next) {
            lag += (uint64_t)(high - split->next);
        }
    }
    reader->reader.splits.lag_rows = lag;
}

// A split counts as caught up only while its fetches work, and while it is polled.
static void reader_check_idle(struct kafka_reader *reader, int64_t now)
{
    bool is_unhealthy = atomic_load(&reader->client->is_unhealthy);
    bool was_pressed = now - reader->polled_us > KAFKA_PRESSURE_US;
    for (uint32_t i = 0; i < reader->splits.count && (is_unhealthy || was_pressed); i++) {
        struct source_split *state = &reader->reader.splits.items[i];
        if (state->caught_up_us >= 0) {
            state->caught_up_us = now; // starts anew
        }
    }
}

static enum status reader_serve(struct kafka_reader *reader, int64_t now, struct err *err)
{
    reader_check_idle(reader, now);
    reader->polled_us = now;
    if (now - reader->served_us < KAFKA_SERVE_US) {
        return STATUS_OK;
    }
    reader->served_us = now;
    kafka_client_serve(reader->client);
    reader_measure_lag(reader);
    TRY(kafka_client_check(reader->client, err));
    return reader_take_news(reader, err);
}

static enum status kafka_poll(struct source_reader *base, struct batch *out, struct err *err)
{
    struct kafka_reader *reader = (struct kafka_reader *)base;
    int64_t now = clock_monotonic_us(reader->context->clock);
    reader_drop_held(reader);
    TRY(reader_serve(reader, now, err));
    int64_t horizon = reader_horizon(reader, now);
    uint32_t index = reader_choose(reader, 0, 0, true);
    if (index == UINT32_MAX) {
        return reader->is_bounded ? STATUS_END : STATUS_AGAIN;
    }
    while (index != UINT32_MAX && reader->reader.splits.items[index].watermark <= horizon) {
        enum status status = reader_read(reader, index, out, err);
        if (status != STATUS_AGAIN) {
            return status;
        }
        index = reader_choose(reader, reader->reader.splits.items[index].watermark, index, false);
    }
    bool is_over = reader->is_bounded && reader_choose(reader, 0, 0, true) == UINT32_MAX;
    return is_over ? STATUS_END : STATUS_AGAIN;
}

static void kafka_snapshot(struct source_reader *base, const struct op_context *context,
                           struct snapshot_writer *writer)
{
    struct kafka_reader *reader = (struct kafka_reader *)base;
    for (uint32_t i = 0; i < reader->splits.count; i++) {
        struct kafka_split *split = &reader->splits.items[i];
        char position[32];
        int size = snprintf(position, sizeof position, "%" PRId64, split->next);
        split->saved = split->next;
        split_positions_put(writer, context, reader->reader.splits.items[i].name,
                            str_make(position, (size_t)size));
    }
}

static void kafka_committed(struct source_reader *base, struct epoch epoch)
{
    (void)epoch; // one barrier is in flight: its positions are those saved last
    struct kafka_reader *reader = (struct kafka_reader *)base;
    if (!reader->saves_group || reader->splits.count == 0) {
        return;
    }
    rd_kafka_topic_partition_list_t *list =
        rdkafka.topic_partition_list_new((int)reader->splits.count);
    for (uint32_t i = 0; i < reader->splits.count; i++) {
        const struct kafka_split *split = &reader->splits.items[i];
        rdkafka.topic_partition_list_add(list, split->partition.topic.ptr, split->partition.number)
            ->offset = split->saved;
    }
    // Not waited for, and a failure is of no consequence.
    (void)rdkafka.commit(reader->client->rk, list, 1);
    rdkafka.topic_partition_list_destroy(list);
}

static void kafka_close(struct source_reader *base)
{
    struct kafka_reader *reader = (struct kafka_reader *)base;
    kafka_watch_stop(reader->watch);
    drift_group_leave(reader->drift);
    reader_drop_held(reader);
    for (uint32_t i = 0; i < reader->splits.count; i++) {
        struct kafka_split *split = &reader->splits.items[i];
        split_drop_left(split);
        VEC_RELEASE(&split->left);
        if (split->queue != NULL) {
            rdkafka.queue_cb_event_enable(split->queue, NULL, NULL);
            rdkafka.queue_destroy(split->queue);
        }
    }
    VEC_RELEASE(&reader->splits);
    kafka_client_close(reader->client);
    kafka_columns_free(reader->columns);
    mem_free(reader->reader.splits.items);
    mem_free(reader->pulled);
    mem_free(reader->held);
    arena_release(&reader->arena);
    mem_free(reader);
}

static const struct source_reader_ops kafka_ops = {
    .poll = kafka_poll,
    .snapshot = kafka_snapshot,
    .committed = kafka_committed,
    .close = kafka_close,
};

static enum status kafka_open(const struct plan_node *scan, const struct op_context *context,
                              struct source_reader **out, struct err *err)
{
    const struct table_def *def = scan->as.scan.table;
    struct kafka_reader *reader = mem_zalloc(sizeof *reader);
    reader->reader.ops = &kafka_ops;
    reader->context = context;
    reader->pulled = mem_alloc(BATCH_ROWS_MAX * sizeof *reader->pulled);
    reader->held = mem_alloc(BATCH_ROWS_MAX * sizeof *reader->held);
    reader->polled_us = clock_monotonic_us(context->clock);
    reader->drift = drift_group_join(context->pipeline_name, context->operator_id);
    arena_init(&reader->arena);
    split_positions_read(&reader->arena, context, &reader->positions);
    enum status status = kafka_table_read(&reader->arena, def, &reader->table, err);
    if (status == STATUS_OK) {
        reader->is_bounded = reader->table.end.place != KAFKA_PLACE_NONE;
        reader->saves_group =
            reader->table.group.size > 0 &&
            option_bool(scan->as.scan.table, "properties.", "commit.offsets.on.checkpoint", true);
        status = kafka_columns_new(scan, &reader->table, &reader->columns, err);
    }
    if (status == STATUS_OK) {
        status = kafka_start(scan, reader, err);
    }
    if (status != STATUS_OK) {
        kafka_close(&reader->reader);
        return status;
    }
    *out = &reader->reader;
    return STATUS_OK;
}

const struct source_class kafka_source_class = {.name = "kafka", .open = kafka_open};
