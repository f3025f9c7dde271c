// SPDX-License-Identifier: Apache-2.0
//
// date_pattern: moments written and read by patterns such as yyyy-MM-dd HH:mm:ss.SSS.
//
// Two dialects, as Flink uses both: that of java.time (DATE_FORMAT, TO_TIMESTAMP) and that of
// SimpleDateFormat (FROM_UNIXTIME, UNIX_TIMESTAMP, TO_DATE), which is lenient, ignores what follows
// and knows other letters. Names are English, weeks those of the United States: they start on
// Sunday, and the first one holds January 1.
//
// A compiled pattern is immutable: any thread.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct arena;
struct strbuf;
struct date_pattern;

enum date_pattern_dialect { DATE_PATTERN_JAVA_TIME, DATE_PATTERN_SIMPLE };

// A local moment: days since 1970-01-01 and nanoseconds of the day.
struct date_pattern_moment {
    int64_t days;
    int64_t nanos;
    int32_t offset;  // seconds east of UTC, for SIMPLE's zone letters
    struct str zone; // its name
};

// INVALID_DATA for a bad pattern.
MUST_USE enum status date_pattern_compile(struct arena *arena, struct str text,
                                          enum date_pattern_dialect dialect,
                                          const struct date_pattern **out, struct err *err);
// INVALID_DATA where the pattern asks for what a local moment has not (zone letters in java.time).
MUST_USE enum status date_pattern_format(const struct date_pattern *pattern,
                                         const struct date_pattern_moment *moment,
                                         struct strbuf *out, struct err *err);
// False where the text is not of the pattern. What the pattern does not name is that of 1970-01-01
// 00:00:00. Zones are read and ignored, as Flink does.
bool date_pattern_parse(const struct date_pattern *pattern, struct str text,
                        struct date_pattern_moment *out);
// The longest span of nanoseconds, dividing the day, within which all moments are written alike; 1
// where there is none. So loops need not write a date again for each row.
int64_t date_pattern_granularity(const struct date_pattern *pattern);
