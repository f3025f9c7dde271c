// SPDX-License-Identifier: Apache-2.0
#include "connect/shard_splits.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/arena.h"
#include "connect/split_positions.h"
#include "exec/op.h"

static void shard_add(struct arena *arena, struct shard_splits *out, struct source_splits *splits,
                      struct shard_split shard, struct str name)
{
    splits->items[splits->count++] = (struct source_split){.name = arena_str(arena, name),
                                                           .state = SPLIT_ACTIVE,
                                                           .caught_up_us = -1,
                                                           .watermark = WATERMARK_NONE};
    out->items[out->count++] = shard;
}

// "nexmark-2-of-4" and "1000".
static bool shard_parse(const struct split_position *position, const char *generator,
                        struct shard_split *out)
{
    char name[128];
    char format[128];
    char text[32];
    snprintf(name, sizeof name, "%.*s", STR_ARGS(position->name));
    snprintf(text, sizeof text, "%.*s", STR_ARGS(position->position));
    snprintf(format, sizeof format, "%s-", generator);
    if (!str_starts(position->name, format)) {
        return false;
    }
    return sscanf(name + str_from(format).size, "%" SCNu64 "-of-%" SCNu64, &out->start,
                  &out->step) == 2 &&
           sscanf(text, "%" SCNu64, &out->done) == 1 && out->step > 0;
}

enum status shard_splits_open(struct arena *arena, const char *generator,
                              const struct op_context *context, struct shard_splits *out,
                              struct source_splits *splits, struct err *err)
{
    struct split_positions positions;
    split_positions_read(arena, context, &positions);
    uint32_t room = positions.count + 1;
    *out = (struct shard_splits){.items = arena_new_array(arena, struct shard_split, room)};
    splits->items = arena_new_array(arena, struct source_split, room);
    if (!positions.is_restored || positions.count == 0) {
        struct str name =
            arena_printf(arena, "%s-%u-of-%u", generator, context->instance, context->parallelism);
        shard_add(arena, out, splits,
                  (struct shard_split){.start = context->instance, .step = context->parallelism},
                  name);
        return STATUS_OK;
    }
    for (uint32_t i = 0; i < positions.count; i++) {
        struct shard_split shard;
        if (!shard_parse(&positions.items[i], generator, &shard)) {
            return ERR(err, STATUS_INVALID_DATA, "'%.*s' in the checkpoint is no split of %s",
                       STR_ARGS(positions.items[i].name), generator);
        }
        if (shard.start % context->parallelism == context->instance) {
            shard_add(arena, out, splits, shard, positions.items[i].name);
        }
    }
    return STATUS_OK;
}

uint64_t shard_splits_left(const struct shard_split *shard, uint64_t total)
{
    if (total == 0) {
        return UINT64_MAX;
    }
    uint64_t number = shard_splits_number(shard);
    return number >= total ? 0 : (total - number + shard->step - 1) / shard->step;
}

uint32_t shard_splits_choose(const struct shard_splits *shards, const struct source_splits *splits)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < shards->count; i++) {
        if (splits->items[i].state == SPLIT_FINISHED) {
            continue;
        }
        if (best == UINT32_MAX || splits->items[i].watermark < splits->items[best].watermark) {
            best = i;
        }
    }
    return best;
}

void shard_splits_update(const struct shard_splits *shards, struct source_splits *splits,
                         uint32_t split, uint64_t total)
{
    if (shard_splits_left(&shards->items[split], total) == 0) {
        splits->items[split].state = SPLIT_FINISHED;
    }
}

void shard_splits_put(const struct shard_splits *shards, const struct source_splits *splits,
                      const struct op_context *context, struct snapshot_writer *writer)
{
    for (uint32_t i = 0; i < shards->count; i++) {
        char text[32];
        int size = snprintf(text, sizeof text, "%" PRIu64, shards->items[i].done);
        split_positions_put(writer, context, splits->items[i].name, str_make(text, (size_t)size));
    }
}
