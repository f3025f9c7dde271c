// SPDX-License-Identifier: Apache-2.0
//
// time_text: dates and times out of texts, in the two forms that Flink's formats know.
//
//     DATE        2024-02-29
//     TIME        23:59:59[.123456789]
//     SQL         2024-02-29 23:59:59[.123456789]       TIMESTAMP_LTZ: Z behind it
//     ISO-8601    2024-02-29T23:59[:59[.123456789]]     TIMESTAMP_LTZ: Z or +02:00 behind it
//
// Flink takes nothing but Z for TIMESTAMP_LTZ; an offset is taken here too (in both forms), since
// it can mean only one thing. Years are 0001 to 9999, days must exist, 24:00 and second 60 do not.
// The text must be of one of these forms to its last byte.
//
// The texts need not end in anything, and TIME_TEXT_SLACK bytes behind them must be readable.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "data/physical.h"

enum { TIME_TEXT_SLACK = 16 };

enum time_text_form { TIME_TEXT_SQL, TIME_TEXT_ISO_8601 };

// Days since 1970-01-01.
bool time_text_date(struct str text, int32_t *days);
// Milliseconds of the day; what is finer is cut.
bool time_text_time(struct str text, int64_t *microseconds);

// What a timestamp says, in parts: `second` since the epoch (local for TIMESTAMP, UTC for LTZ).
struct time_text {
    int64_t second;
    int32_t nanosecond;
};

bool time_text_timestamp(struct str text, enum time_text_form form, struct time_text *out);
bool time_text_timestamp_ltz(struct str text, enum time_text_form form, struct time_text *out);

// Cut to `precision` (0 to 9) digits behind the second.
int64_t time_text_micros(const struct time_text *time, int32_t precision); // precision <= 6
struct nano time_text_nano(const struct time_text *time, int32_t precision);
