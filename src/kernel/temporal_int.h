// SPDX-License-Identifier: Apache-2.0
//
// temporal_int: values of dates, times and timestamps, as the loops of temporal.h load and store
// them.
#pragma once

#include "data/datetime.h"
#include "data/type.h"
#include "data/zone.h"
#include "kernel/temporal.h"

struct temporal_call {
    struct temporal options;
    enum physical physical; // of the values
    int32_t sign;           // of what is added
    enum physical amount;   // I32 or I64, of what is added
};

// A moment as milliseconds and the nanoseconds behind them, as Flink's arithmetic has it.
struct temporal_moment {
    int64_t ms;
    int32_t ns; // 0 to 999,999
};

static inline struct temporal_moment temporal_load(enum physical physical, const void *values,
                                                   uint32_t row)
{
    if (physical == PHYSICAL_NANO) {
        const struct nano *nano = (const struct nano *)values + row;
        return (struct temporal_moment){nano->second * 1000 + nano->nanosecond / 1000000,
                                        (int32_t)(nano->nanosecond % 1000000)};
    }
    int64_t micros = ((const int64_t *)values)[row];
    int64_t ms = datetime_floor_div(micros, 1000);
    return (struct temporal_moment){ms, (int32_t)(micros - ms * 1000) * 1000};
}

static inline void temporal_store(enum physical physical, void *out, uint32_t row,
                                  struct temporal_moment moment)
{
    if (physical == PHYSICAL_NANO) {
        int64_t second = datetime_floor_div(moment.ms, 1000);
        ((struct nano *)out)[row] =
            (struct nano){second, (moment.ms - second * 1000) * 1000000 + moment.ns};
    } else {
        // Wraps far outside of the years that can be shown.
        ((int64_t *)out)[row] =
            (int64_t)((uint64_t)moment.ms * 1000 + (uint64_t)(moment.ns / 1000));
    }
}

static inline bool temporal_is_timestamp(const struct temporal *options)
{
    return type_is_timestamp(options->type);
}

// Milliseconds from UTC to local at a moment; `span` is kept between calls.
static inline int64_t temporal_offset_ms(const struct temporal *options, int64_t ms,
                                         struct zone_span *span)
{
    if (options->zone == NULL || options->type->kind != TYPE_TIMESTAMP_LTZ) {
        return 0;
    }
    int64_t second = datetime_floor_div(ms, 1000);
    if (second < span->from || second >= span->until) {
        *span = zone_span_of_utc(options->zone, second);
    }
    return (int64_t)span->offset * 1000;
}
