// SPDX-License-Identifier: Apache-2.0
//
// datetime: days, times of day and moments as numbers and as text.
//
// The calendar is the proleptic Gregorian one. Dates are days since 1970-01-01, times milliseconds
// of the day, moments microseconds since the epoch or struct nano; a moment without zone counts as
// if it were in UTC. Texts are those of Flink 2.1: 2024-01-01, 10:00:00, 2024-01-01 10:00:00.000
// with exactly the digits of the precision. Pure functions; any thread.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "data/physical.h"

enum {
    DATETIME_MS_PER_DAY = 86400000,
    DATETIME_SECONDS_PER_DAY = 86400,
    DATETIME_US_PER_SECOND = 1000000,
    DATETIME_NS_PER_SECOND = 1000000000,
    DATETIME_TEXT_MAX = 48,
};
#define DATETIME_US_PER_DAY INT64_C(86400000000)

struct datetime_civil {
    int32_t year;
    int32_t month; // 1 to 12
    int32_t day;   // 1 to 31
};

// Division that rounds down, and its remainder, which is never negative. `b` is positive.
static inline int64_t datetime_floor_div(int64_t a, int64_t b)
{
    int64_t quotient = a / b;
    return quotient - (a % b < 0);
}
static inline int64_t datetime_floor_mod(int64_t a, int64_t b)
{
    int64_t rest = a % b;
    return rest < 0 ? rest + b : rest;
}

// Any month and day count on: month 13 is January, day 0 the last of the month before.
int64_t datetime_days_from_civil(int64_t year, int32_t month, int32_t day);
struct datetime_civil datetime_civil_from_days(int64_t days);
int32_t datetime_days_in_month(int64_t year, int32_t month);
bool datetime_is_date(int64_t year, int32_t month, int32_t day); // years 1 to 9999
// Clipped to the end of the month: January 31 plus one month is the last of February.
int64_t datetime_add_months(int64_t days, int64_t months);
// 1 = Monday … 7 = Sunday.
static inline int32_t datetime_iso_weekday(int64_t days)
{
    return (int32_t)datetime_floor_mod(days + 3, 7) + 1;
}

struct nano datetime_nano_from_us(int64_t micros);
int64_t datetime_us_from_nano(struct nano value); // nanoseconds are cut; wraps far out of range
// Nanoseconds since the epoch; false where 64 bits cannot hold them (before 1677-09-21, after
// 2262-04-11): *out is the nearest that they can hold.
bool datetime_ns_from_nano(struct nano value, int64_t *out);
struct nano datetime_nano_add_ns(struct nano value, int64_t second, int64_t nanosecond);
// Digits behind `precision` (0 to 9) are cut off, towards the past.
int64_t datetime_cut_us(int64_t micros, int32_t precision);
struct nano datetime_cut_nano(struct nano value, int32_t precision);

// All write at most DATETIME_TEXT_MAX bytes without NUL and return the length. Years show their
// last four digits.
uint32_t datetime_format_date(int64_t days, char *out);
uint32_t datetime_format_time(int32_t millis, int32_t precision, char *out);    // precision 0 to 3
uint32_t datetime_format_time_us(int64_t micros, int32_t precision, char *out); // 0 to 6
uint32_t datetime_format_us(int64_t micros, int32_t precision, char *out);
uint32_t datetime_format_nano(struct nano value, int32_t precision, char *out);
uint32_t datetime_format_months(int32_t months, char *out);   // +1-02
uint32_t datetime_format_interval(int64_t millis, char *out); // +1 02:03:04.567

// What CAST reads from text, with Flink's oddities: a year alone is a date, blanks around and a
// time behind it are ignored; hours alone are a time, minutes and seconds may overflow.
bool datetime_parse_date(struct str text, int32_t *days);
bool datetime_parse_time(struct str text, int32_t *millis);
bool datetime_parse_time_us(struct str text, int64_t *micros);
// yyyy-M-d[ H:m:s[.fraction of up to 9 digits]]; days behind the end of a month are its last,
// 24:00:00 is the next day's start.
bool datetime_parse_timestamp(struct str text, struct nano *out);
