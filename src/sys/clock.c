// SPDX-License-Identifier: Apache-2.0
#include "sys/clock.h"

#include <time.h>

static int64_t read_clock(clockid_t id)
{
    struct timespec now;
    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static int64_t system_monotonic(struct clock *clock)
{
    (void)clock;
    return read_clock(CLOCK_MONOTONIC);
}

static int64_t system_wall(struct clock *clock)
{
    (void)clock;
    return read_clock(CLOCK_REALTIME);
}

struct clock *clock_system(void)
{
    static struct clock clock = {system_monotonic, system_wall};
    return &clock;
}
