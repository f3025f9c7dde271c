// SPDX-License-Identifier: Apache-2.0
//
// shard_splits: the splits of generators. Rows have numbers 0, 1, 2, …; a fresh start with
// parallelism P makes P splits, of which split k has the numbers k, k + P, k + 2P, … A restore with
// another parallelism keeps them: instance i takes the splits k with k % parallelism = i.
//
// A split's name is "<generator>-<k>-of-<P>", its position the count of rows made.
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "exec/source.h"

struct shard_split {
    uint64_t start; // the first number
    uint64_t step;
    uint64_t done; // rows made
};

struct shard_splits {
    uint32_t count;
    struct shard_split *items;
};

// Fills both lists, in `arena`. INVALID_DATA: the checkpoint's positions are not of a generator.
MUST_USE enum status shard_splits_open(struct arena *arena, const char *generator,
                                       const struct op_context *context, struct shard_splits *out,
                                       struct source_splits *splits, struct err *err);
// The next number of a split.
static inline uint64_t shard_splits_number(const struct shard_split *shard)
{
    return shard->start + shard->done * shard->step;
}
// Rows left of `total` rows over all splits; 0 there means that there is no end.
uint64_t shard_splits_left(const struct shard_split *shard, uint64_t total);
// The unfinished split with the lowest watermark; UINT32_MAX where there is none.
uint32_t shard_splits_choose(const struct shard_splits *shards, const struct source_splits *splits);
// Notes that a split has come to its end.
void shard_splits_update(const struct shard_splits *shards, struct source_splits *splits,
                         uint32_t split, uint64_t total);
void shard_splits_put(const struct shard_splits *shards, const struct source_splits *splits,
                      const struct op_context *context, struct snapshot_writer *writer);
