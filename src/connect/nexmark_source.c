// SPDX-License-Identifier: Apache-2.0
#include "connect/nexmark_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "connect/nexmark_events.h"
#include "connect/option.h"
#include "connect/scan_columns.h"
#include "connect/shard_splits.h"
#include "data/datetime.h"
#include "exec/op.h"
#include "plan/plan.h"
#include "sys/clock.h"

enum { NEXMARK_TYPE_COLUMN = NEXMARK_KINDS }; // besides the kinds, as what a column is

// A column of the batch: which ROW, and which of its fields.
struct nexmark_column {
    uint32_t what; // a kind, or NEXMARK_TYPE_COLUMN
    uint32_t field_count;
    const uint32_t *fields;
    struct column *children;
};

struct nexmark_reader {
    struct source_reader reader;
    struct arena arena;
    const struct op_context *context;
    struct nexmark_events *events;
    struct shard_splits shards;
    uint64_t event_count; // in all; 0: no end
    bool is_limited;
    bool keeps_alive;
    int64_t started_us;
    uint64_t started_at; // events made when the clock was started
    uint32_t column_count;
    struct nexmark_column *columns;
    struct column *batch_columns;
    struct batch_origin origin;
};

// Options.

static bool nexmark_base_ms(const struct table_def *def, int64_t *ms)
{
    struct nano base;
    if (!datetime_parse_timestamp(option_text(def, "", "base-time", "2015-07-15 00:00:00"),
                                  &base)) {
        return false;
    }
    *ms = datetime_us_from_nano(base) / 1000;
    return true;
}

static enum status nexmark_model_read(const struct table_def *def, struct nexmark_model *model,
                                      struct err *err)
{
    int64_t rate = option_integer(def, "", "tps", 10000);
    *model = (struct nexmark_model){
        .seed = (uint64_t)option_integer(def, "", "seed", 0),
        .first_rate = option_integer(def, "", "first-event.rate", rate),
        .next_rate = option_integer(def, "", "next-event.rate", rate),
        .is_sine = str_is_nocase(option_text(def, "", "rate.shape", "SQUARE"), "SINE"),
        .period_s = option_duration_ms(def, "", "rate.period", 600000) / 1000,
        .person_size = option_memory(def, "", "person.avg-size", 200),
        .auction_size = option_memory(def, "", "auction.avg-size", 500),
        .bid_size = option_memory(def, "", "bid.avg-size", 100),
        .persons = option_integer(def, "", "person.proportion", 1),
        .auctions = option_integer(def, "", "auction.proportion", 3),
        .bids = option_integer(def, "", "bid.proportion", 46),
        .hot_auctions = option_integer(def, "", "bid.hot-ratio.auctions", 2),
        .hot_bidders = option_integer(def, "", "bid.hot-ratio.bidders", 4),
        .hot_sellers = option_integer(def, "", "auction.hot-ratio.sellers", 4),
    };
    if (!nexmark_base_ms(def, &model->base_ms)) {
        return ERR(err, STATUS_INVALID_DATA,
                   "option 'base-time' is a timestamp such as '2015-07-15 00:00:00'");
    }
    if (model->persons < 1 || model->auctions < 1 || model->bids < 0 ||
        model->persons + model->auctions + model->bids > 1000000) {
        return ERR(err, STATUS_INVALID_DATA,
                   "'person.proportion' and 'auction.proportion' are at least 1");
    }
    if (model->first_rate < 1 || model->next_rate < 1 || model->period_s < 1 ||
        model->hot_auctions < 1 || model->hot_bidders < 1 || model->hot_sellers < 1 ||
        option_integer(def, "", "events.num", 0) < 0) {
        return ERR(err, STATUS_INVALID_DATA, "rates, ratios and 'events.num' are positive");
    }
    if (model->person_size + model->auction_size + model->bid_size > 100000) {
        return ERR(err, STATUS_INVALID_DATA, "average sizes of more than 100 kB");
    }
    return STATUS_OK;
}

// Columns.

static bool nexmark_type_is(const struct type *type, const char *name)
{
    if (strcmp(name, "BIGINT") == 0) {
        return type->kind == TYPE_BIGINT;
    }
    if (strcmp(name, "STRING") == 0) {
        return type->kind == TYPE_VARCHAR;
    }
    return type->kind == TYPE_TIMESTAMP && type->length >= 3 && type->length <= 6;
}

static enum status nexmark_wrong_column(const struct table_column *column, struct err *err)
{
    ERR(err, STATUS_INVALID_DATA, "column '%.*s' is not one of the connector 'nexmark'",
        STR_ARGS(column->name));
    err_hint(err, "event_type INT, person ROW<id BIGINT, name STRING, emailAddress STRING, "
                  "creditCard STRING, city STRING, state STRING, dateTime TIMESTAMP(3), extra "
                  "STRING>, auction ROW<id BIGINT, itemName STRING, description STRING, initialBid "
                  "BIGINT, reserve BIGINT, dateTime TIMESTAMP(3), expires TIMESTAMP(3), seller "
                  "BIGINT, category BIGINT, extra STRING>, bid ROW<auction BIGINT, bidder BIGINT, "
                  "price BIGINT, channel STRING, url STRING, dateTime TIMESTAMP(3), extra STRING>");
    return STATUS_INVALID_DATA;
}

// Which field of the kind each field of a ROW is; false where one is none.
static bool nexmark_match_fields(enum nexmark_kind kind, const struct type *type, uint32_t *fields)
{
    const struct nexmark_field *known;
    uint32_t count = nexmark_events_fields(kind, &known);
    for (uint32_t i = 0; i < type->field_count; i++) {
        uint32_t at = 0;
        while (at < count && !str_is(type->fields[i].name, known[at].name)) {
            at++;
        }
        if (at == count || !nexmark_type_is(type->fields[i].type, known[at].type)) {
            return false;
        }
        if (fields != NULL) {
            fields[i] = at;
        }
    }
    return true;
}

// What a column is: a kind, NEXMARK_TYPE_COLUMN, or UINT32_MAX.
static uint32_t nexmark_column_kind(struct str name, const struct type *type)
{
    if (str_is(name, "event_type")) {
        return type->kind == TYPE_INT ? NEXMARK_TYPE_COLUMN : UINT32_MAX;
    }
    for (uint32_t kind = 0; kind < NEXMARK_KINDS; kind++) {
        if (str_is(name, nexmark_events_kind_name((enum nexmark_kind)kind)) &&
            type->kind == TYPE_ROW && nexmark_match_fields((enum nexmark_kind)kind, type, NULL)) {
            return kind;
        }
    }
    return UINT32_MAX;
}

enum status nexmark_source_check(const struct table_def *def, struct err *err)
{
    struct nexmark_model model;
    for (uint32_t i = 0; i < def->column_count; i++) {
        const struct table_column *column = &def->columns[i];
        if (column->kind == TABLE_COLUMN_PHYSICAL &&
            nexmark_column_kind(column->name, column->type) == UINT32_MAX) {
            return nexmark_wrong_column(column, err);
        }
    }
    return nexmark_model_read(def, &model, err);
}

static void nexmark_make_columns(struct nexmark_reader *reader, const struct plan_node *scan)
{
    struct arena *arena = &reader->arena;
    reader->column_count = scan->column_count;
    reader->columns = arena_new_array(arena, struct nexmark_column, scan->column_count + 1);
    reader->batch_columns = arena_new_array(arena, struct column, scan->column_count + 1);
    for (uint32_t i = 0; i < scan->column_count; i++) {
        struct nexmark_column *column = &reader->columns[i];
        const struct table_column *in_table =
            &scan->as.scan.table->columns[scan->as.scan.table_columns[i]];
        const struct type *type = scan->columns[i].type;
        column->what = nexmark_column_kind(in_table->name, type);
        if (column->what < NEXMARK_KINDS) {
            uint32_t *fields = arena_new_array(arena, uint32_t, type->field_count + 1);
            nexmark_match_fields((enum nexmark_kind)column->what, type, fields);
            column->fields = fields;
            column->field_count = type->field_count;
            column->children = arena_new_array(arena, struct column, type->field_count + 1);
        }
    }
}

// Batches.

static void nexmark_batch(struct nexmark_reader *reader, uint32_t split, struct batch *out)
{
    uint32_t row_count = 0;
    for (uint32_t i = 0; i < reader->column_count; i++) {
        const struct nexmark_column *column = &reader->columns[i];
        if (column->what == NEXMARK_TYPE_COLUMN) {
            reader->batch_columns[i] = nexmark_events_type_column(reader->events);
            continue;
        }
        struct column row =
            nexmark_events_row_column(reader->events, (enum nexmark_kind)column->what);
        for (uint32_t k = 0; k < column->field_count; k++) {
            column->children[k] = row.children[column->fields[k]];
        }
        row.children = column->children;
        row.child_count = column->field_count;
        reader->batch_columns[i] = row;
    }
    row_count = nexmark_events_type_column(reader->events).row_count;
    const struct shard_split *shard = &reader->shards.items[split];
    reader->origin = (struct batch_origin){
        .name = reader->reader.splits.items[split].name, .unit = "event", .first = shard->done};
    *out = (struct batch){.row_count = row_count,
                          .column_count = reader->column_count,
                          .columns = reader->batch_columns,
                          .origin = &reader->origin,
                          .split = split};
}

// Events that may have been made by now where the rate is kept to the clock.
static uint64_t nexmark_allowed(const struct nexmark_reader *reader, uint64_t number)
{
    int64_t passed = clock_monotonic_us(reader->context->clock) - reader->started_us;
    int64_t due = nexmark_events_time_us(reader->events, number) -
                  nexmark_events_time_us(reader->events, reader->started_at);
    return due <= passed ? UINT64_MAX : 0;
}

static enum status nexmark_poll(struct source_reader *base, struct batch *out, struct err *err)
{
    (void)err;
    struct nexmark_reader *reader = (struct nexmark_reader *)base;
    struct shard_splits *shards = &reader->shards;
    uint32_t split = shard_splits_choose(shards, &reader->reader.splits);
    if (split == UINT32_MAX) {
        return reader->keeps_alive ? STATUS_AGAIN : STATUS_END;
    }
    struct shard_split *shard = &shards->items[split];
    uint64_t first = shard_splits_number(shard);
    uint64_t left = shard_splits_left(shard, reader->event_count);
    uint32_t count = reader->context->batch_rows;
    count = left < count ? (uint32_t)left : count;
    if (reader->is_limited) {
        // A batch is let go when its last event is due.
        while (count > 0 && nexmark_allowed(reader, first + (count - 1) * shard->step) == 0) {
            count /= 2;
        }
        if (count == 0) {
            return STATUS_AGAIN;
        }
    }
    count = nexmark_events_make(reader->events, first, shard->step, count);
    nexmark_batch(reader, split, out);
    shard->done += count;
    shard_splits_update(shards, &reader->reader.splits, split, reader->event_count);
    return STATUS_OK;
}

static void nexmark_snapshot(struct source_reader *base, const struct op_context *context,
                             struct snapshot_writer *writer)
{
    struct nexmark_reader *reader = (struct nexmark_reader *)base;
    shard_splits_put(&reader->shards, &reader->reader.splits, context, writer);
}

static void nexmark_close(struct source_reader *base)
{
    struct nexmark_reader *reader = (struct nexmark_reader *)base;
    nexmark_events_free(reader->events);
    arena_release(&reader->arena);
    mem_free(reader);
}

static const struct source_reader_ops nexmark_ops = {
    .poll = nexmark_poll, .snapshot = nexmark_snapshot, .close = nexmark_close};

static enum status nexmark_open(const struct plan_node *scan, const struct op_context *context,
                                struct source_reader **out, struct err *err)
{
    const struct table_def *def = scan->as.scan.table;
    struct nexmark_model model;
    TRY(nexmark_model_read(def, &model, err));
    struct nexmark_reader *reader = mem_zalloc(sizeof *reader);
    reader->reader.ops = &nexmark_ops;
    reader->context = context;
    arena_init(&reader->arena);
    int64_t stop = option_integer(def, "", "stop-at", -1);
    reader->event_count = (uint64_t)option_integer(def, "", "events.num", 0);
    if (stop > 0 && (reader->event_count == 0 || (uint64_t)stop < reader->event_count)) {
        reader->event_count = (uint64_t)stop;
    }
    reader->is_limited = option_bool(def, "", "rate.limited", false);
    reader->keeps_alive = context->is_streaming && option_bool(def, "", "keep-alive", false);
    reader->events = nexmark_events_new(&model);
    nexmark_make_columns(reader, scan);
    enum status status = shard_splits_open(&reader->arena, "nexmark", context, &reader->shards,
                                           &reader->reader.splits, err);
    if (status != STATUS_OK) {
        nexmark_close(&reader->reader);
        return status;
    }
    for (uint32_t i = 0; i < reader->shards.count; i++) {
        shard_splits_update(&reader->shards, &reader->reader.splits, i, reader->event_count);
        uint64_t number = shard_splits_number(&reader->shards.items[i]);
        if (i == 0 || number < reader->started_at) {
            reader->started_at = number;
        }
    }
    reader->started_us = clock_monotonic_us(context->clock);
    *out = &reader->reader;
    return STATUS_OK;
}

const struct source_class nexmark_source_class = {.name = "nexmark", .open = nexmark_open};
