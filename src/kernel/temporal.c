// SPDX-License-Identifier: Apache-2.0
//
// temporal, the part that takes times apart: EXTRACT, FLOOR, CEIL. Arithmetic is in temporal_add.c.
//
// Before 1970 Flink's parts of a timestamp come from divisions that cut towards zero, so a moment
// in the night of 1969-12-31 belongs to 1970-01-01 and has negative hours. The recorded answers
// have it so, and so have we; FLOOR and CEIL to units of up to a day round properly.
#include "kernel/temporal.h"

#include "kernel/temporal_int.h"

enum { MS_PER_HOUR = 3600000, MS_PER_MINUTE = 60000 };

static int32_t day_of_year(int64_t days)
{
    return (int32_t)(days - datetime_days_from_civil(datetime_civil_from_days(days).year, 1, 1)) +
           1;
}

// The Thursday of a day's ISO week decides about year and number of the week.
static int64_t iso_thursday(int64_t days)
{
    return days - datetime_iso_weekday(days) + 4;
}

static int64_t part_of_date(enum temporal_unit unit, int64_t days)
{
    struct datetime_civil civil = datetime_civil_from_days(days);
    int64_t year = civil.year;
    switch (unit) {
    case TEMPORAL_YEAR: return year;
    case TEMPORAL_QUARTER: return (civil.month - 1) / 3 + 1;
    case TEMPORAL_MONTH: return civil.month;
    case TEMPORAL_WEEK: return (day_of_year(iso_thursday(days)) - 1) / 7 + 1;
    case TEMPORAL_DAY: return civil.day;
    case TEMPORAL_DECADE: return year / 10;
    case TEMPORAL_CENTURY: return year > 0 ? (year + 99) / 100 : (year - 99) / 100;
    case TEMPORAL_MILLENNIUM: return year > 0 ? (year + 999) / 1000 : (year - 999) / 1000;
    case TEMPORAL_DOW: return datetime_iso_weekday(days) % 7 + 1;
    case TEMPORAL_ISODOW: return datetime_iso_weekday(days);
    case TEMPORAL_DOY: return day_of_year(days);
    case TEMPORAL_ISOYEAR: return datetime_civil_from_days(iso_thursday(days)).year;
    case TEMPORAL_EPOCH: return days * DATETIME_SECONDS_PER_DAY;
    case TEMPORAL_NANOSECOND:
    case TEMPORAL_MICROSECOND:
    case TEMPORAL_MILLISECOND:
    case TEMPORAL_SECOND:
    case TEMPORAL_MINUTE:
    case TEMPORAL_HOUR: break;
    }
    return 0;
}

// `ms` counts from a midnight, or from the epoch; negative ones give negative parts.
static int64_t part_of_clock(enum temporal_unit unit, struct temporal_moment moment)
{
    switch (unit) {
    case TEMPORAL_HOUR: return moment.ms % DATETIME_MS_PER_DAY / MS_PER_HOUR;
    case TEMPORAL_MINUTE: return moment.ms % MS_PER_HOUR / MS_PER_MINUTE;
    case TEMPORAL_SECOND: return moment.ms % MS_PER_MINUTE / 1000;
    case TEMPORAL_MILLISECOND: return moment.ms % 1000;
    case TEMPORAL_MICROSECOND: return moment.ms % 1000 * 1000 + moment.ns / 1000;
    case TEMPORAL_NANOSECOND: return moment.ms % 1000 * 1000000 + moment.ns;
    case TEMPORAL_EPOCH: return moment.ms / 1000;
    case TEMPORAL_DAY: return moment.ms / DATETIME_MS_PER_DAY; // of an interval
    case TEMPORAL_WEEK:
    case TEMPORAL_MONTH:
    case TEMPORAL_QUARTER:
    case TEMPORAL_YEAR:
    case TEMPORAL_DECADE:
    case TEMPORAL_CENTURY:
    case TEMPORAL_MILLENNIUM:
    case TEMPORAL_DOW:
    case TEMPORAL_ISODOW:
    case TEMPORAL_DOY:
    case TEMPORAL_ISOYEAR: break;
    }
    return 0;
}

static bool is_below_day(enum temporal_unit unit)
{
    return unit <= TEMPORAL_HOUR;
}

static int64_t part_of_months(enum temporal_unit unit, int32_t months)
{
    switch (unit) {
    case TEMPORAL_MONTH: return months % 12;
    case TEMPORAL_QUARTER: return months % 12 / 3 + 1;
    case TEMPORAL_YEAR: return months / 12;
    case TEMPORAL_DECADE: return months / 120;
    case TEMPORAL_CENTURY: return months / 1200;
    case TEMPORAL_MILLENNIUM: return months / 12000;
    case TEMPORAL_NANOSECOND:
    case TEMPORAL_MICROSECOND:
    case TEMPORAL_MILLISECOND:
    case TEMPORAL_SECOND:
    case TEMPORAL_MINUTE:
    case TEMPORAL_HOUR:
    case TEMPORAL_DAY:
    case TEMPORAL_WEEK:
    case TEMPORAL_EPOCH:
    case TEMPORAL_DOW:
    case TEMPORAL_ISODOW:
    case TEMPORAL_DOY:
    case TEMPORAL_ISOYEAR: break;
    }
    return 0;
}

static void extract_timestamp_loop(struct kernel_loop *loop)
{
    const struct temporal_call *call = loop->options;
    const enum temporal_unit unit = call->options.unit;
    bool from_clock = is_below_day(unit) || unit == TEMPORAL_EPOCH;
    struct zone_span span = {0};
    int64_t *out = loop->out;
    for (uint32_t row = 0; row < loop->count; row++) {
        struct temporal_moment moment = temporal_load(call->physical, loop->args[0], row);
        moment.ms += temporal_offset_ms(&call->options, moment.ms, &span);
        out[row] = from_clock ? part_of_clock(unit, moment)
                              : part_of_date(unit, moment.ms / DATETIME_MS_PER_DAY);
    }
}

// DATE: hours and below come from the number of days taken for milliseconds, as Flink has it.
static void extract_i32_loop(struct kernel_loop *loop)
{
    const struct temporal_call *call = loop->options;
    const enum temporal_unit unit = call->options.unit;
    const int32_t *in = loop->args[0];
    int64_t *out = loop->out;
    for (uint32_t row = 0; row < loop->count; row++) {
        if (call->options.type->kind == TYPE_INTERVAL_MONTH) {
            out[row] = part_of_months(unit, in[row]);
        } else if (call->options.type->kind == TYPE_TIME || is_below_day(unit)) {
            out[row] = part_of_clock(unit, (struct temporal_moment){in[row], 0});
        } else {
            out[row] = part_of_date(unit, in[row]);
        }
    }
}

// TIME of microseconds.
static void extract_time_loop(struct kernel_loop *loop)
{
    const struct temporal_call *call = loop->options;
    int64_t *out = loop->out;
    for (uint32_t row = 0; row < loop->count; row++) {
        out[row] =
            part_of_clock(call->options.unit, temporal_load(PHYSICAL_I64, loop->args[0], row));
    }
}

static void extract_interval_loop(struct kernel_loop *loop)
{
    const struct temporal_call *call = loop->options;
    const int64_t *in = loop->args[0];
    int64_t *out = loop->out;
    for (uint32_t row = 0; row < loop->count; row++) {
        out[row] = part_of_clock(call->options.unit, (struct temporal_moment){in[row], 0});
    }
}

void temporal_extract(struct kernel_run *run, const struct temporal *options,
                      const struct column *a, struct column *out)
{
    struct temporal_call call = {.options = *options, .physical = a->physical};
    struct kernel_shape shape = {.loop = temporal_is_timestamp(options)     ? extract_timestamp_loop
                                         : a->physical == PHYSICAL_I32      ? extract_i32_loop
                                         : options->type->kind == TYPE_TIME ? extract_time_loop
                                                                            : extract_interval_loop,
                                 .options = &call,
                                 .out = PHYSICAL_I64};
    kernel_map(run, &shape, a, 1, out);
}

// ---- FLOOR and CEIL

// The first day of the unit; for CEIL of the next one, unless the day is its unit's first. Whole
// decades and more always go on, as Calcite has it.
static int64_t round_days(enum temporal_unit unit, int64_t days, bool is_ceil)
{
    struct datetime_civil civil = datetime_civil_from_days(days);
    int64_t year = civil.year;
    switch (unit) {
    case TEMPORAL_DAY: return days + is_ceil;
    case TEMPORAL_WEEK: {
        int32_t behind_sunday = datetime_iso_weekday(days) % 7;
        return days - behind_sunday + (is_ceil && behind_sunday > 0 ? 7 : 0);
    }
    case TEMPORAL_MONTH:
        return datetime_days_from_civil(year, civil.month + (is_ceil && civil.day > 1), 1);
    case TEMPORAL_QUARTER: {
        int32_t first = (civil.month - 1) / 3 * 3 + 1;
        bool goes_on = is_ceil && (civil.month != first || civil.day > 1);
        return datetime_days_from_civil(year, first + (goes_on ? 3 : 0), 1);
    }
    case TEMPORAL_YEAR:
        return datetime_days_from_civil(year + (is_ceil && (civil.month > 1 || civil.day > 1)), 1,
                                        1);
    case TEMPORAL_DECADE: return datetime_days_from_civil((year / 10 + is_ceil) * 10, 1, 1);
    case TEMPORAL_CENTURY:
        return datetime_days_from_civil((year + 99) / 100 * 100 + (is_ceil ? 1 : -99), 1, 1);
    case TEMPORAL_MILLENNIUM:
        return datetime_days_from_civil((year + 999) / 1000 * 1000 + (is_ceil ? 1 : -999), 1, 1);
    case TEMPORAL_NANOSECOND:
    case TEMPORAL_MICROSECOND:
    case TEMPORAL_MILLISECOND:
    case TEMPORAL_SECOND:
    case TEMPORAL_MINUTE:
    case TEMPORAL_HOUR:
    case TEMPORAL_EPOCH:
    case TEMPORAL_DOW:
    case TEMPORAL_ISODOW:
    case TEMPORAL_DOY:
    case TEMPORAL_ISOYEAR: break;
    }
    return days;
}

// Milliseconds of a unit of fixed length; 0 for others.
static int64_t unit_ms(enum temporal_unit unit)
{
    return unit == TEMPORAL_MILLISECOND ? 1
           : unit == TEMPORAL_SECOND    ? 1000
           : unit == TEMPORAL_MINUTE    ? MS_PER_MINUTE
           : unit == TEMPORAL_HOUR      ? MS_PER_HOUR
           : unit == TEMPORAL_DAY       ? DATETIME_MS_PER_DAY
                                        : 0;
}

struct round_call {
    struct temporal_call call;
    bool is_ceil;
};

static int64_t round_ms(const struct round_call *round, int64_t ms)
{
    enum temporal_unit unit = round->call.options.unit;
    int64_t length = unit_ms(unit);
    if (length == 0) {
        return round_days(unit, ms / DATETIME_MS_PER_DAY, round->is_ceil) * DATETIME_MS_PER_DAY;
    }
    int64_t rest = datetime_floor_mod(ms, length);
    return ms - rest + (round->is_ceil && rest > 0 ? length : 0);
}

static void round_timestamp_loop(struct kernel_loop *loop)
{
    const struct round_call *round = loop->options;
    struct zone_span span = {0};
    for (uint32_t row = 0; row < loop->count; row++) {
        struct temporal_moment moment = temporal_load(round->call.physical, loop->args[0], row);
        int64_t offset = temporal_offset_ms(&round->call.options, moment.ms, &span);
        moment.ms = round_ms(round, moment.ms + offset) - offset;
        moment.ns = 0;
        temporal_store(round->call.physical, loop->out, row, moment);
    }
}

static void round_i32_loop(struct kernel_loop *loop)
{
    const struct round_call *round = loop->options;
    enum temporal_unit unit = round->call.options.unit;
    const int32_t *in = loop->args[0];
    int32_t *out = loop->out;
    for (uint32_t row = 0; row < loop->count; row++) {
        if (round->call.options.type->kind == TYPE_DATE) {
            out[row] = (int32_t)round_days(unit, in[row], round->is_ceil);
        } else {
            out[row] = is_below_day(unit) ? (int32_t)round_ms(round, in[row]) : in[row];
        }
    }
}

static void fail_loop(struct kernel_loop *loop)
{
    bits_fill(loop->bad, loop->count);
}

static void round_to(struct kernel_run *run, const struct temporal *options, bool is_ceil,
                     const struct column *a, struct column *out)
{
    struct round_call round = {.call = {.options = *options, .physical = a->physical},
                               .is_ceil = is_ceil};
    bool is_too_small = options->unit < TEMPORAL_MILLISECOND && options->type->kind != TYPE_DATE;
    struct kernel_shape shape = {.loop = temporal_is_timestamp(options) ? round_timestamp_loop
                                                                        : round_i32_loop,
                                 .options = &round,
                                 .out = a->physical};
    if (is_too_small) {
        shape.loop = fail_loop;
        shape.skips = true;
        shape.bad = KERNEL_BAD_IS_FAILURE;
        shape.failure = "FLOOR and CEIL know no unit below MILLISECOND";
    }
    kernel_map(run, &shape, a, 1, out);
}

void temporal_floor(struct kernel_run *run, const struct temporal *options, const struct column *a,
                    struct column *out)
{
    round_to(run, options, false, a, out);
}

void temporal_ceil(struct kernel_run *run, const struct temporal *options, const struct column *a,
                   struct column *out)
{
    round_to(run, options, true, a, out);
}
