// SPDX-License-Identifier: Apache-2.0
//
// clock: time as everything above asks for it, so that the simulator can put its own in.
#pragma once

#include <stdint.h>

struct clock {
    int64_t (*monotonic_us)(struct clock *clock); // never goes back; zero is arbitrary
    int64_t (*wall_us)(struct clock *clock);      // since 1970-01-01 UTC
};

// The system's; borrowed for ever.
struct clock *clock_system(void);

static inline int64_t clock_monotonic_us(struct clock *clock)
{
    return clock->monotonic_us(clock);
}
static inline int64_t clock_wall_us(struct clock *clock)
{
    return clock->wall_us(clock);
}
