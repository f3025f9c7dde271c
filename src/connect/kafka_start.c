// SPDX-License-Identifier: Apache-2.0
//
// Where the partitions of an instance begin and end.
#include <inttypes.h>
#include <stdio.h>

#include "base/hash.h"
#include "base/mem.h"
#include "connect/kafka_int.h"
#include "plan/plan.h"
#include "sys/clock.h"
#include "sys/waker.h"

bool kafka_start_owns(const struct kafka_reader *reader, const struct kafka_partition *partition)
{
    // Partitions that are added do not move the others.
    uint64_t hash = hash_bytes(partition->topic.ptr, partition->topic.size, 0) >> 32;
    return (hash + (uint64_t)partition->number) % reader->context->parallelism ==
           reader->context->instance;
}

static struct str start_name(struct kafka_reader *reader, const struct kafka_partition *partition)
{
    return arena_printf(&reader->arena, "%.*s-%d", STR_ARGS(partition->topic), partition->number);
}

// Data that was to be read is not there any more.
static enum status start_lost(const struct kafka_reader *reader,
                              const struct kafka_partition *partition, int64_t position,
                              int64_t low, int64_t high, struct err *err)
{
    if (position < low) {
        ERR(err, STATUS_INVALID_DATA,
            "table '%.*s': topic %s partition %d: offsets %" PRId64 " to %" PRId64
            " were not read yet and are gone; the log begins at %" PRId64,
            STR_ARGS(reader->table.name), partition->topic.ptr, partition->number, position,
            low - 1, low);
        err_hint(err, "the topic's retention was shorter than the pipeline stood still; --fresh "
                      "starts over at 'scan.startup.mode'");
    } else {
        ERR(err, STATUS_INVALID_DATA,
            "table '%.*s': topic %s partition %d: the position is offset %" PRId64
            ", and the log ends at %" PRId64,
            STR_ARGS(reader->table.name), partition->topic.ptr, partition->number, position, high);
        err_hint(err, "was the topic deleted and created again, or the log truncated? --fresh "
                      "starts over at 'scan.startup.mode'");
    }
    return STATUS_INVALID_DATA;
}

// What a kind of place means for a partition; -1 where it says nothing.
static enum status start_place(struct kafka_reader *reader, const struct kafka_bound *bound,
                               const struct kafka_partition *partition, int64_t low, int64_t high,
                               int64_t *out, struct err *err)
{
    *out = -1;
    switch (bound->place) {
    case KAFKA_PLACE_EARLIEST: *out = low; break;
    case KAFKA_PLACE_LATEST: *out = high; break;
    case KAFKA_PLACE_GROUP: return kafka_client_committed(reader->client, partition, out, err);
    case KAFKA_PLACE_TIMESTAMP:
        TRY(kafka_client_offset_at(reader->client, partition, bound->timestamp_ms, out, err));
        *out = *out < 0 ? high : *out; // nothing is so late
        break;
    case KAFKA_PLACE_OFFSETS:
        for (uint32_t i = 0; i < bound->offset_count; i++) {
            if (bound->offsets[i].partition == partition->number) {
                *out = bound->offsets[i].offset;
            }
        }
        break;
    case KAFKA_PLACE_NONE: break;
    }
    return STATUS_OK;
}

// Where a partition begins in a first run.
static enum status start_first(struct kafka_reader *reader, const struct table_def *def,
                               const struct kafka_partition *partition, int64_t low, int64_t high,
                               int64_t *next, struct err *err)
{
    const struct kafka_bound *start = &reader->table.start;
    TRY(start_place(reader, start, partition, low, high, next, err));
    if (*next >= 0) {
        return STATUS_OK;
    }
    if (start->place == KAFKA_PLACE_OFFSETS) {
        *next = low; // partitions that are not listed
        return STATUS_OK;
    }
    const struct str *reset = table_def_option(def, "properties.auto.offset.reset");
    if (reset != NULL && str_is_nocase(*reset, "earliest")) {
        *next = low;
    } else if (reset != NULL && str_is_nocase(*reset, "latest")) {
        *next = high;
    } else {
        ERR(err, STATUS_NOT_FOUND,
            "table '%.*s': group '%.*s' has committed no offset for topic %s partition %d",
            STR_ARGS(reader->table.name), STR_ARGS(reader->table.group), partition->topic.ptr,
            partition->number);
        err_hint(err, "'properties.auto.offset.reset' = 'earliest' or 'latest' says where to begin "
                      "then, or another 'scan.startup.mode'");
        return STATUS_NOT_FOUND;
    }
    return STATUS_OK;
}

// The position of the checkpoint. A partition that a restored run has not seen begins at its first
// offset: it has come since.
static enum status start_restored(struct kafka_reader *reader,
                                  const struct kafka_partition *partition, int64_t low,
                                  int64_t high, int64_t *next, struct err *err)
{
    struct str name = start_name(reader, partition);
    const struct str *position = split_positions_find(&reader->positions, name);
    if (position == NULL) {
        *next = low;
        return STATUS_OK;
    }
    if (!str_to_i64(*position, next) || *next < 0) {
        return ERR(err, STATUS_INVALID_DATA, "position of %.*s in the checkpoint: '%.*s'",
                   STR_ARGS(name), STR_ARGS(*position));
    }
    if (*next < low || *next > high) {
        return start_lost(reader, partition, *next, low, high, err);
    }
    return STATUS_OK;
}

static enum status start_partition(const struct plan_node *scan, struct kafka_reader *reader,
                                   const struct kafka_partition *partition, struct err *err)
{
    int64_t low;
    int64_t high;
    int64_t next;
    int64_t end = KAFKA_END_NONE;
    TRY(kafka_client_range(reader->client, partition, &low, &high, err));
    bool is_restored = reader->positions.is_restored && reader->positions.count > 0;
    if (is_restored) {
        TRY(start_restored(reader, partition, low, high, &next, err));
    } else {
        TRY(start_first(reader, scan->as.scan.table, partition, low, high, &next, err));
        if (next < low && reader->table.start.place == KAFKA_PLACE_OFFSETS) {
            return start_lost(reader, partition, next, low, high, err);
        }
        next = next < low ? low : next > high ? high : next;
    }
    if (reader->is_bounded) {
        TRY(start_place(reader, &reader->table.end, partition, low, high, &end, err));
        end = end < 0 ? next : end; // no end is said: nothing of it is read
    }
    return kafka_start_split(reader, partition, next, end, err);
}

static void start_on_messages(rd_kafka_t *rk, void *opaque)
{
    (void)rk;
    waker_wake(opaque);
}

// Fetching from `next` on.
static enum status start_fetching(struct kafka_reader *reader, struct kafka_split *split,
                                  struct err *err)
{
    rd_kafka_t *rk = reader->client->rk;
    const struct kafka_partition *partition = &split->partition;
    split->queue = rdkafka.queue_get_partition(rk, partition->topic.ptr, partition->number);
    if (split->queue == NULL) {
        return ERR(err, STATUS_IO, "Kafka client: no queue for topic %s partition %d",
                   partition->topic.ptr, partition->number);
    }
    // Before it is assigned: so nothing of it gets into the client's common queue.
    rdkafka.queue_forward(split->queue, NULL);
    rdkafka.queue_cb_event_enable(split->queue, start_on_messages, reader->context->waker);
    rd_kafka_topic_partition_list_t *list = rdkafka.topic_partition_list_new(1);
    rdkafka.topic_partition_list_add(list, partition->topic.ptr, partition->number)->offset =
        split->next;
    rd_kafka_error_t *error = rdkafka.incremental_assign(rk, list);
    rdkafka.topic_partition_list_destroy(list);
    if (error != NULL) {
        ERR(err, STATUS_IO, "Kafka client: topic %s partition %d: %s", partition->topic.ptr,
            partition->number, rdkafka.error_string(error));
        rdkafka.error_destroy(error);
        return STATUS_IO;
    }
    return STATUS_OK;
}

enum status kafka_start_split(struct kafka_reader *reader, const struct kafka_partition *partition,
                              int64_t next, int64_t end, struct err *err)
{
    struct source_splits *splits = &reader->reader.splits;
    bool is_finished = end != KAFKA_END_NONE && next >= end;
    struct kafka_split split = {
        .partition = {arena_str(&reader->arena, partition->topic), partition->number},
        .next = next,
        .saved = next,
        .end = end,
        .progress_us = clock_monotonic_us(reader->context->clock),
    };
    split.place = arena_printf(&reader->arena, "topic %.*s partition %d",
                               STR_ARGS(partition->topic), partition->number);
    enum status status = STATUS_OK;
    if (!is_finished) {
        status = start_fetching(reader, &split, err);
    }
    VEC_PUSH(&reader->splits, split);
    splits->items = mem_realloc(splits->items, (splits->count + 1) * sizeof *splits->items);
    splits->items[splits->count++] =
        (struct source_split){.name = start_name(reader, partition),
                              .state = is_finished ? SPLIT_FINISHED : SPLIT_ACTIVE,
                              .caught_up_us = -1,
                              .watermark = WATERMARK_NONE};
    return status;
}

// A checkpoint's partitions must still be there.
static enum status start_check_gone(struct kafka_reader *reader, const struct kafka_partitions *all,
                                    struct err *err)
{
    for (uint32_t i = 0; i < reader->positions.count; i++) {
        struct str name = reader->positions.items[i].name;
        bool is_there = false;
        for (uint32_t k = 0; k < all->count && !is_there; k++) {
            char text[320];
            int size = snprintf(text, sizeof text, "%.*s-%d", STR_ARGS(all->items[k].topic),
                                all->items[k].number);
            is_there = str_equal(str_make(text, (size_t)size), name);
        }
        if (!is_there) {
            ERR(err, STATUS_NOT_FOUND,
                "table '%.*s': partition '%.*s' is gone, which was read up to offset %.*s",
                STR_ARGS(reader->table.name), STR_ARGS(name),
                STR_ARGS(reader->positions.items[i].position));
            err_hint(err, "was the topic deleted and created again? --fresh starts over");
            return STATUS_NOT_FOUND;
        }
    }
    return STATUS_OK;
}

// The bytes that the client may hold are shared out over all partitions; how many those are, it can
// only say once it is there.
static enum status start_client(const struct table_def *def, struct kafka_reader *reader,
                                struct kafka_partitions *all, struct err *err)
{
    enum { FIRST_GUESS = 16 };
    TRY(kafka_client_open(def, &reader->table, FIRST_GUESS, &reader->client, err));
    TRY(kafka_client_partitions(reader->client, &reader->table, &reader->arena, all, err));
    if (all->count > FIRST_GUESS || all->count < FIRST_GUESS / 4) {
        kafka_client_close(reader->client);
        reader->client = NULL;
        TRY(kafka_client_open(def, &reader->table, all->count, &reader->client, err));
    }
    return STATUS_OK;
}

enum status kafka_start(const struct plan_node *scan, struct kafka_reader *reader, struct err *err)
{
    struct kafka_partitions all;
    TRY(start_client(scan->as.scan.table, reader, &all, err));
    TRY(start_check_gone(reader, &all, err));
    for (uint32_t i = 0; i < all.count; i++) {
        if (kafka_start_owns(reader, &all.items[i])) {
            TRY(start_partition(scan, reader, &all.items[i], err));
        }
    }
    if (!reader->is_bounded) {
        reader->watch =
            kafka_watch_start(reader->client, &reader->table, &all, reader->context->waker);
    }
    return STATUS_OK;
}
