// SPDX-License-Identifier: Apache-2.0
//
// sim_random: chance from a seed. Each part of a simulated world has a stream of its own, so that
// one more draw in one part does not change all the others.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"

struct sim_random {
    uint64_t state;
};

static inline struct sim_random sim_random_stream(uint64_t seed, uint64_t stream)
{
    return (struct sim_random){hash_combine(hash_word(seed + 1), stream)};
}

static inline uint64_t sim_random_next(struct sim_random *random)
{
    random->state += UINT64_C(0x9e3779b97f4a7c15);
    return hash_word(random->state);
}

// 0 <= result < count.
static inline uint32_t sim_random_below(struct sim_random *random, uint32_t count)
{
    return (uint32_t)((sim_random_next(random) >> 32) * count >> 32);
}

// from <= result <= to.
static inline int64_t sim_random_between(struct sim_random *random, int64_t from, int64_t to)
{
    return from + (int64_t)(sim_random_next(random) % (uint64_t)(to - from + 1));
}

static inline bool sim_random_chance(struct sim_random *random, uint32_t per_mille)
{
    return sim_random_below(random, 1000) < per_mille;
}
