// SPDX-License-Identifier: Apache-2.0
#include "sql/bind_duration.h"

#include <stddef.h>

static const struct {
    const char *labels[5];
    int64_t ns;
} units[] = {
    {{"d", "day", "days"}, INT64_C(86400000000000)},
    {{"h", "hour", "hours"}, INT64_C(3600000000000)},
    {{"m", "min", "minute", "minutes"}, INT64_C(60000000000)},
    {{"s", "sec", "secs", "second", "seconds"}, INT64_C(1000000000)},
    {{"ms", "milli", "millis", "millisecond", "milliseconds"}, INT64_C(1000000)},
    {{"us", "micro", "micros", "microsecond", "microseconds"}, INT64_C(1000)},
    {{"ns", "nano", "nanos", "nanosecond", "nanoseconds"}, INT64_C(1)},
};

static bool has_label(const char *const *labels, struct str name)
{
    for (uint32_t i = 0; i < 5 && labels[i] != NULL; i++) {
        if (str_is_nocase(name, labels[i])) {
            return true;
        }
    }
    return false;
}

bool bind_duration_parse(struct str text, int64_t *out_ms)
{
    text = str_trim(text);
    size_t digits = 0;
    while (digits < text.size && text.ptr[digits] >= '0' && text.ptr[digits] <= '9') {
        digits++;
    }
    int64_t count;
    if (!str_to_i64(str_slice(text, 0, digits), &count)) {
        return false;
    }
    struct str name = str_trim(str_slice(text, digits, text.size));
    if (name.size == 0) {
        *out_ms = count;
        return true;
    }
    for (uint32_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (has_label(units[i].labels, name)) {
            if (units[i].ns >= 1000000) {
                return !__builtin_mul_overflow(count, units[i].ns / 1000000, out_ms);
            }
            *out_ms = count / (1000000 / units[i].ns);
            return true;
        }
    }
    return false;
}
