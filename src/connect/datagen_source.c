// SPDX-License-Identifier: Apache-2.0
#include "connect/datagen_source.h"

#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "catalog/table_def.h"
#include "connect/datagen_value.h"
#include "connect/option.h"
#include "connect/shard_splits.h"
#include "data/column_builder.h"
#include "data/datetime.h"
#include "exec/op.h"
#include "plan/plan.h"
#include "sys/clock.h"

struct datagen_reader {
    struct source_reader reader;
    struct arena arena; // generators, builders
    struct arena bytes; // of the batch handed out
    const struct op_context *context;
    struct shard_splits shards;
    uint64_t row_count; // in all; 0: no end
    int64_t rate;       // rows a second of all instances; 0: not limited
    int64_t started_us;
    uint64_t made; // by this instance, since the start
    bool has_base;
    int64_t base_us;
    uint64_t seed;
    uint32_t column_count;
    struct datagen_value **values;
    struct column_builder **builders;
    struct column *columns;
    struct batch_origin origin;
};

// The rows that the table ends after; 0: none.
static enum status datagen_count(struct arena *arena, const struct table_def *def, uint64_t *out,
                                 struct err *err)
{
    int64_t count = option_integer(def, "", "number-of-rows", INT64_MAX);
    if (count < 0) {
        return ERR(err, STATUS_INVALID_DATA, "option 'number-of-rows' is negative");
    }
    for (uint32_t i = 0; i < def->column_count; i++) {
        const struct table_column *column = &def->columns[i];
        struct datagen_value *value;
        if (column->kind != TABLE_COLUMN_PHYSICAL) {
            continue;
        }
        TRY(datagen_value_new(arena, def, column->name, column->type, &value, err));
        int64_t rows = datagen_value_row_count(value);
        count = rows < count ? rows : count;
    }
    *out = count == INT64_MAX ? 0 : (uint64_t)count;
    return STATUS_OK;
}

// The column that an option 'fields.NAME.what' is about must be there.
static enum status datagen_check_name(const struct table_def *def, struct str key, struct err *err)
{
    static const char prefix[] = "fields.";
    if (!str_starts(key, prefix)) {
        return STATUS_OK;
    }
    struct str rest = str_slice(key, sizeof prefix - 1, key.size);
    size_t end = rest.size;
    while (end > 0 && rest.ptr[end - 1] != '.') {
        end--;
    }
    struct str name = str_slice(rest, 0, end > 0 ? end - 1 : 0);
    struct nearest nearest = nearest_to(name);
    for (uint32_t i = 0; i < def->column_count; i++) {
        const struct table_column *column = &def->columns[i];
        size_t size = column->name.size;
        bool is_it = name.size >= size && memcmp(name.ptr, column->name.ptr, size) == 0 &&
                     (name.size == size || name.ptr[size] == '.');
        if (is_it && column->kind == TABLE_COLUMN_PHYSICAL) {
            return STATUS_OK;
        }
        nearest_try(&nearest, column->name);
    }
    ERR(err, STATUS_INVALID_DATA, "option '%.*s': the table has no column '%.*s'", STR_ARGS(key),
        STR_ARGS(name));
    nearest_hint(&nearest, err);
    return STATUS_INVALID_DATA;
}

static bool datagen_base_us(const struct table_def *def, int64_t *us)
{
    struct nano base;
    if (!datetime_parse_timestamp(option_text(def, "", "base-time", ""), &base)) {
        return false;
    }
    *us = datetime_us_from_nano(base);
    return true;
}

enum status datagen_source_check(const struct table_def *def, struct err *err)
{
    struct arena arena;
    uint64_t count;
    int64_t base;
    for (uint32_t i = 0; i < def->option_count; i++) {
        TRY(datagen_check_name(def, def->options[i].key, err));
    }
    if (option_integer(def, "", "rows-per-second", 0) < 0) {
        return ERR(err, STATUS_INVALID_DATA, "option 'rows-per-second' is negative");
    }
    if (option_is_set(def, "", "base-time") && !datagen_base_us(def, &base)) {
        return ERR(err, STATUS_INVALID_DATA,
                   "option 'base-time' is a timestamp such as '2024-01-01 00:00:00'");
    }
    arena_init(&arena);
    enum status status = datagen_count(&arena, def, &count, err);
    arena_release(&arena);
    return status;
}

bool datagen_source_is_bounded(const struct table_def *def)
{
    struct arena arena;
    uint64_t count = 0;
    arena_init(&arena);
    enum status status = datagen_count(&arena, def, &count, NULL);
    arena_release(&arena);
    return status == STATUS_OK && (count > 0 || option_is_set(def, "", "number-of-rows"));
}

// How many rows this instance may make by now.
static uint64_t datagen_allowed(const struct datagen_reader *reader)
{
    if (reader->rate == 0) {
        return UINT64_MAX;
    }
    const struct op_context *context = reader->context;
    int64_t passed = clock_monotonic_us(context->clock) - reader->started_us;
    // The first rows come at once: those of a tenth of a second.
    double due = ((double)passed / 1e6 + 0.1) * (double)reader->rate / context->parallelism;
    uint64_t rows = (uint64_t)due + 1;
    return rows > reader->made ? rows - reader->made : 0;
}

static uint32_t datagen_make(struct datagen_reader *reader, const struct shard_split *shard,
                             uint32_t count)
{
    struct datagen_moment moment = {
        .seed = reader->seed,
        .now_us = reader->has_base ? reader->base_us : clock_wall_us(reader->context->clock),
        .bytes = &reader->bytes};
    uint64_t number = shard_splits_number(shard);
    for (uint32_t i = 0; i < reader->column_count; i++) {
        column_builder_reset(reader->builders[i]);
    }
    for (uint32_t row = 0; row < count; row++, number += shard->step) {
        size_t bytes = 0;
        for (uint32_t i = 0; i < reader->column_count; i++) {
            datagen_value_append(reader->values[i], &moment, number, reader->builders[i]);
            bytes += column_builder_bytes(reader->builders[i]);
        }
        if (bytes > BATCH_BYTES_MAX && row > 0) {
            for (uint32_t i = 0; i < reader->column_count; i++) {
                column_builder_truncate(reader->builders[i], row);
            }
            return row;
        }
    }
    return count;
}

static enum status datagen_poll(struct source_reader *base, struct batch *out, struct err *err)
{
    (void)err;
    struct datagen_reader *reader = (struct datagen_reader *)base;
    uint32_t split = shard_splits_choose(&reader->shards, &reader->reader.splits);
    if (split == UINT32_MAX) {
        return STATUS_END;
    }
    struct shard_split *shard = &reader->shards.items[split];
    uint64_t left = shard_splits_left(shard, reader->row_count);
    uint64_t allowed = datagen_allowed(reader);
    uint64_t count = reader->context->batch_rows;
    count = left < count ? left : count;
    count = allowed < count ? allowed : count;
    if (count == 0) {
        return STATUS_AGAIN;
    }
    arena_reset(&reader->bytes);
    uint32_t made = datagen_make(reader, shard, (uint32_t)count);
    for (uint32_t i = 0; i < reader->column_count; i++) {
        reader->columns[i] = column_builder_finish(reader->builders[i]);
    }
    reader->origin = (struct batch_origin){
        .name = reader->reader.splits.items[split].name, .unit = "row", .first = shard->done};
    *out = (struct batch){.row_count = made,
                          .column_count = reader->column_count,
                          .columns = reader->columns,
                          .origin = &reader->origin,
                          .split = split};
    shard->done += made;
    reader->made += made;
    shard_splits_update(&reader->shards, &reader->reader.splits, split, reader->row_count);
    return STATUS_OK;
}

static void datagen_snapshot(struct source_reader *base, const struct op_context *context,
                             struct snapshot_writer *writer)
{
    struct datagen_reader *reader = (struct datagen_reader *)base;
    shard_splits_put(&reader->shards, &reader->reader.splits, context, writer);
}

static void datagen_close(struct source_reader *base)
{
    struct datagen_reader *reader = (struct datagen_reader *)base;
    arena_release(&reader->bytes);
    arena_release(&reader->arena);
    mem_free(reader);
}

static const struct source_reader_ops datagen_ops = {
    .poll = datagen_poll, .snapshot = datagen_snapshot, .close = datagen_close};

static enum status datagen_start(struct datagen_reader *reader, const struct plan_node *scan,
                                 struct err *err)
{
    struct arena *arena = &reader->arena;
    const struct table_def *def = scan->as.scan.table;
    TRY(datagen_count(arena, def, &reader->row_count, err));
    reader->column_count = scan->column_count;
    reader->values = arena_new_array(arena, struct datagen_value *, scan->column_count + 1);
    reader->builders = arena_new_array(arena, struct column_builder *, scan->column_count + 1);
    reader->columns = arena_new_array(arena, struct column, scan->column_count + 1);
    for (uint32_t i = 0; i < scan->column_count; i++) {
        const struct table_column *column = &def->columns[scan->as.scan.table_columns[i]];
        TRY(datagen_value_new(arena, def, column->name, column->type, &reader->values[i], err));
        reader->builders[i] = column_builder_new(arena, column->type, BATCH_ROWS_MAX);
    }
    TRY(shard_splits_open(arena, "datagen", reader->context, &reader->shards,
                          &reader->reader.splits, err));
    bool is_empty = reader->row_count == 0 && option_is_set(def, "", "number-of-rows");
    for (uint32_t i = 0; i < reader->shards.count; i++) {
        shard_splits_update(&reader->shards, &reader->reader.splits, i, reader->row_count);
        if (is_empty) {
            reader->reader.splits.items[i].state = SPLIT_FINISHED;
        }
    }
    return STATUS_OK;
}

static enum status datagen_open(const struct plan_node *scan, const struct op_context *context,
                                struct source_reader **out, struct err *err)
{
    const struct table_def *def = scan->as.scan.table;
    struct datagen_reader *reader = mem_zalloc(sizeof *reader);
    reader->reader.ops = &datagen_ops;
    reader->context = context;
    arena_init(&reader->arena);
    arena_init(&reader->bytes);
    reader->rate = option_integer(def, "", "rows-per-second", 10000);
    reader->seed = (uint64_t)option_integer(def, "", "seed", 0);
    reader->has_base = datagen_base_us(def, &reader->base_us);
    reader->started_us = clock_monotonic_us(context->clock);
    enum status status = datagen_start(reader, scan, err);
    if (status != STATUS_OK) {
        datagen_close(&reader->reader);
        return status;
    }
    *out = &reader->reader;
    return STATUS_OK;
}

const struct source_class datagen_source_class = {.name = "datagen", .open = datagen_open};
