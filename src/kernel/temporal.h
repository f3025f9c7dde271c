// SPDX-License-Identifier: Apache-2.0
//
// temporal: loops over dates, times and timestamps.
//
// Inputs are described by their type (struct type: DATE, TIME, TIMESTAMP, TIMESTAMP_LTZ,
// intervals); TIMESTAMP_LTZ is looked at in `zone` (NULL: UTC). Rules: fixtures/flink-answers,
// surprises 17 to 23. Results out of the years 1 to 9999 are what Java's arithmetic gives, without
// failing.
#pragma once

#include "kernel/kernel.h"

struct type;
struct zone;

#define TEMPORAL_UNIT_LIST(X)                                                                      \
    X(NANOSECOND)                                                                                  \
    X(MICROSECOND)                                                                                 \
    X(MILLISECOND)                                                                                 \
    X(SECOND)                                                                                      \
    X(MINUTE)                                                                                      \
    X(HOUR)                                                                                        \
    X(DAY)                                                                                         \
    X(WEEK) X(MONTH) X(QUARTER) X(YEAR) X(DECADE) X(CENTURY) X(MILLENNIUM) X(EPOCH) X(DOW)         \
        X(ISODOW) X(DOY) X(ISOYEAR)

enum temporal_unit {
#define X(name) TEMPORAL_##name,
    TEMPORAL_UNIT_LIST(X)
#undef X
};

struct temporal {
    const struct type *type; // of the first argument
    const struct zone *zone; // NULL: UTC
    enum temporal_unit unit;
};

// EXTRACT(unit FROM a): I64.
void temporal_extract(struct kernel_run *run, const struct temporal *options,
                      const struct column *a, struct column *out);
// FLOOR / CEIL(a TO unit), in the form of `a`. WEEK starts on Sunday.
void temporal_floor(struct kernel_run *run, const struct temporal *options, const struct column *a,
                    struct column *out);
void temporal_ceil(struct kernel_run *run, const struct temporal *options, const struct column *a,
                   struct column *out);
// a + interval: months (I32) or milliseconds (I64), as `interval` is held. DATE keeps whole days;
// months clip to the end of the month; TIME wraps at midnight.
void temporal_add(struct kernel_run *run, const struct temporal *options, const struct column *a,
                  const struct column *interval, struct column *out);
void temporal_subtract(struct kernel_run *run, const struct temporal *options,
                       const struct column *a, const struct column *interval, struct column *out);
// TIMESTAMPADD(unit, n, a): n is I32 or I64.
void temporal_add_units(struct kernel_run *run, const struct temporal *options,
                        const struct column *n, const struct column *a, struct column *out);
// TIMESTAMPDIFF(unit, a, b): whole units from a to b, I32. Both of options->type.
void temporal_diff_units(struct kernel_run *run, const struct temporal *options,
                         const struct column *a, const struct column *b, struct column *out);
// (a - b) DAY TO SECOND: milliseconds, I64; (a - b) MONTH: months, I32. Both of options->type.
void temporal_diff_ms(struct kernel_run *run, const struct temporal *options,
                      const struct column *a, const struct column *b, struct column *out);
void temporal_diff_months(struct kernel_run *run, const struct temporal *options,
                          const struct column *a, const struct column *b, struct column *out);

// FROM_UNIXTIME and its like live with the patterns, in expr. Moments from numbers:
// TO_TIMESTAMP_LTZ (n, 0 or 3) in TIMESTAMP_LTZ(3); null where it leaves the years 0 to 9999.
void temporal_from_epoch(struct kernel_run *run, const struct column *n, int32_t precision,
                         struct column *out);
