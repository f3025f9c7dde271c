// SPDX-License-Identifier: Apache-2.0
//
// The arithmetic of temporal.h. TIMESTAMP_LTZ is counted on the UTC line: a day is 24 hours.
#include "base/assert.h"
#include "kernel/temporal.h"
#include "kernel/temporal_int.h"

enum { DAYS_PER_WEEK = 7 };

static const char date_failure[] = "a DATE outside of the years 1 to 9999";

static int64_t amount_at(const struct temporal_call *call, const struct kernel_loop *loop,
                         uint32_t arg, uint32_t row)
{
    uint32_t at = loop->is_const[arg] ? 0 : row;
    int64_t amount = call->amount == PHYSICAL_I32 ? ((const int32_t *)loop->args[arg])[at]
                                                  : ((const int64_t *)loop->args[arg])[at];
    return call->sign < 0 ? (int64_t)(0 - (uint64_t)amount) : amount;
}

static bool store_date(int64_t days, void *out, uint32_t row)
{
    static const int64_t first = -719162; // 0001-01-01
    static const int64_t last = 2932896;  // 9999-12-31
    bool is_good = days >= first && days <= last;
    ((int32_t *)out)[row] = is_good ? (int32_t)days : 0;
    return is_good;
}

static void mark_bad(struct kernel_loop *loop, uint32_t row, bool is_bad)
{
    loop->bad[row / 64] |= (uint64_t)is_bad << (row % 64);
}

static int64_t wrapping_add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t add_months_ms(int64_t ms, int64_t months)
{
    int64_t days = datetime_floor_div(ms, DATETIME_MS_PER_DAY);
    int64_t rest = datetime_floor_mod(ms, DATETIME_MS_PER_DAY);
    uint64_t day = (uint64_t)datetime_add_months(days, months); // unsigned: wraps far out of range
    return (int64_t)(day * DATETIME_MS_PER_DAY + (uint64_t)rest);
}

// Adds months, or milliseconds, to the value in argument 0.
static void add_value(struct kernel_loop *loop, const struct temporal_call *call, bool is_months,
                      int64_t amount, uint32_t row)
{
    uint32_t at = loop->is_const[0] ? 0 : row;
    if (call->options.type->kind == TYPE_DATE) {
        int64_t days = ((const int32_t *)loop->args[0])[at];
        days = is_months ? datetime_add_months(days, amount)
                         : wrapping_add(days, amount / DATETIME_MS_PER_DAY);
        mark_bad(loop, row, !store_date(days, loop->out, row));
        return;
    }
    if (call->options.type->kind == TYPE_TIME && call->physical == PHYSICAL_I64) {
        int64_t micros = ((const int64_t *)loop->args[0])[at];
        int64_t added = is_months ? 0 : amount % DATETIME_MS_PER_DAY * 1000;
        ((int64_t *)loop->out)[row] = datetime_floor_mod(micros + added, DATETIME_US_PER_DAY);
        return;
    }
    if (call->options.type->kind == TYPE_TIME) {
        int32_t ms = ((const int32_t *)loop->args[0])[at];
        int64_t added = is_months ? 0 : amount % DATETIME_MS_PER_DAY;
        ((int32_t *)loop->out)[row] = (int32_t)datetime_floor_mod(ms + added, DATETIME_MS_PER_DAY);
        return;
    }
    if (!is_months && call->physical == PHYSICAL_I64) {
        int64_t micros = ((const int64_t *)loop->args[0])[at];
        ((int64_t *)loop->out)[row] = wrapping_add(micros, (int64_t)((uint64_t)amount * 1000));
        return;
    }
    struct temporal_moment moment = temporal_load(call->physical, loop->args[0], at);
    moment.ms = is_months ? add_months_ms(moment.ms, amount) : wrapping_add(moment.ms, amount);
    temporal_store(call->physical, loop->out, row, moment);
}

static void add_months_loop(struct kernel_loop *loop)
{
    const struct temporal_call *call = loop->options;
    for (uint32_t row = 0; row < loop->count; row++) {
        add_value(loop, call, true, amount_at(call, loop, 1, row), row);
    }
}

static void add_ms_loop(struct kernel_loop *loop)
{
    const struct temporal_call *call = loop->options;
    for (uint32_t row = 0; row < loop->count; row++) {
        add_value(loop, call, false, amount_at(call, loop, 1, row), row);
    }
}

// Timestamps of microseconds and a constant interval: the usual shape of a watermark.
static void add_constant_loop(struct kernel_loop *loop)
{
    const struct temporal_call *call = loop->options;
    const int64_t *in = loop->args[0];
    int64_t *out = loop->out;
    uint64_t micros = (uint64_t)amount_at(call, loop, 1, 0) * 1000;
    for (uint32_t row = 0; row < loop->count; row++) {
        out[row] = (int64_t)((uint64_t)in[row] + micros);
    }
}

static void add(struct kernel_run *run, const struct temporal_call *call, const struct column *a,
                const struct column *interval, struct column *out)
{
    bool is_months = interval->physical == PHYSICAL_I32;
    bool is_plain = !is_months && call->physical == PHYSICAL_I64 &&
                    interval->encoding == ENCODING_CONST && temporal_is_timestamp(&call->options);
    struct kernel_shape shape = {.loop = is_plain    ? add_constant_loop
                                         : is_months ? add_months_loop
                                                     : add_ms_loop,
                                 .options = call,
                                 .out = a->physical,
                                 .bad = KERNEL_BAD_IS_FAILURE,
                                 .failure = date_failure};
    const struct column args[] = {*a, *interval};
    kernel_map(run, &shape, args, 2, out);
}

void temporal_add(struct kernel_run *run, const struct temporal *options, const struct column *a,
                  const struct column *interval, struct column *out)
{
    const struct temporal_call call = {*options, a->physical, 1, interval->physical};
    add(run, &call, a, interval, out);
}

void temporal_subtract(struct kernel_run *run, const struct temporal *options,
                       const struct column *a, const struct column *interval, struct column *out)
{
    const struct temporal_call call = {*options, a->physical, -1, interval->physical};
    add(run, &call, a, interval, out);
}

// A unit as months, or as milliseconds; one of the two is 0.
struct unit_size {
    int64_t months;
    int64_t ms;
};

static struct unit_size size_of(enum temporal_unit unit)
{
    switch (unit) {
    case TEMPORAL_MILLENNIUM: return (struct unit_size){12000, 0};
    case TEMPORAL_CENTURY: return (struct unit_size){1200, 0};
    case TEMPORAL_DECADE: return (struct unit_size){120, 0};
    case TEMPORAL_YEAR: return (struct unit_size){12, 0};
    case TEMPORAL_QUARTER: return (struct unit_size){3, 0};
    case TEMPORAL_MONTH: return (struct unit_size){1, 0};
    case TEMPORAL_WEEK: return (struct unit_size){0, (int64_t)DAYS_PER_WEEK * DATETIME_MS_PER_DAY};
    case TEMPORAL_DAY: return (struct unit_size){0, DATETIME_MS_PER_DAY};
    case TEMPORAL_HOUR: return (struct unit_size){0, 3600000};
    case TEMPORAL_MINUTE: return (struct unit_size){0, 60000};
    case TEMPORAL_SECOND:
    case TEMPORAL_EPOCH: return (struct unit_size){0, 1000};
    case TEMPORAL_MILLISECOND: return (struct unit_size){0, 1};
    case TEMPORAL_MICROSECOND:
    case TEMPORAL_NANOSECOND:
    case TEMPORAL_DOW:
    case TEMPORAL_ISODOW:
    case TEMPORAL_DOY:
    case TEMPORAL_ISOYEAR: break;
    }
    return (struct unit_size){0, 0};
}

static void add_units_loop(struct kernel_loop *loop)
{
    const struct temporal_call *call = loop->options;
    struct unit_size size = size_of(call->options.unit);
    for (uint32_t row = 0; row < loop->count; row++) {
        int64_t count = amount_at(call, loop, 1, row);
        uint64_t amount = (uint64_t)count * (uint64_t)(size.months != 0 ? size.months : size.ms);
        add_value(loop, call, size.months != 0, (int64_t)amount, row);
    }
}

// Below a millisecond: nanoseconds.
static void add_nanos_loop(struct kernel_loop *loop)
{
    const struct temporal_call *call = loop->options;
    int64_t unit = call->options.unit == TEMPORAL_MICROSECOND ? 1000 : 1;
    for (uint32_t row = 0; row < loop->count; row++) {
        uint32_t at = loop->is_const[0] ? 0 : row;
        int64_t count = amount_at(call, loop, 1, row);
        int64_t per_ms = 1000000 / unit;
        struct temporal_moment moment = temporal_load(call->physical, loop->args[0], at);
        int64_t ns = moment.ns + datetime_floor_mod(count, per_ms) * unit;
        moment.ms = wrapping_add(moment.ms, datetime_floor_div(count, per_ms) + ns / 1000000);
        moment.ns = (int32_t)(ns % 1000000);
        temporal_store(call->physical, loop->out, row, moment);
    }
}

void temporal_add_units(struct kernel_run *run, const struct temporal *options,
                        const struct column *n, const struct column *a, struct column *out)
{
    const struct temporal_call call = {*options, a->physical, 1, n->physical};
    bool is_tiny = options->unit == TEMPORAL_MICROSECOND || options->unit == TEMPORAL_NANOSECOND;
    DASSERT(!is_tiny || temporal_is_timestamp(options));
    struct kernel_shape shape = {.loop = is_tiny ? add_nanos_loop : add_units_loop,
                                 .options = &call,
                                 .out = a->physical,
                                 .bad = KERNEL_BAD_IS_FAILURE,
                                 .failure = date_failure};
    const struct column args[] = {*a, *n};
    kernel_map(run, &shape, args, 2, out);
}

// ---- differences

static int64_t ms_at(const struct temporal_call *call, const struct kernel_loop *loop, uint32_t arg,
                     uint32_t row)
{
    uint32_t at = loop->is_const[arg] ? 0 : row;
    if (call->options.type->kind == TYPE_DATE) {
        return (int64_t)((const int32_t *)loop->args[arg])[at] * DATETIME_MS_PER_DAY;
    }
    if (call->options.type->kind == TYPE_TIME && call->physical == PHYSICAL_I32) {
        return ((const int32_t *)loop->args[arg])[at];
    }
    return temporal_load(call->physical, loop->args[arg], at).ms;
}

// The largest m >= 0 with from + m months <= to, where a clipped end of month counts as reached.
static int64_t months_up(int64_t from_days, int64_t to_days)
{
    for (int64_t months = (to_days - from_days) / 31;; months++) {
        if (datetime_add_months(from_days, months) >= to_days ||
            datetime_add_months(from_days, months + 1) > to_days) {
            return months;
        }
    }
}

static int64_t months_of_days(int64_t from_days, int64_t to_days)
{
    return from_days <= to_days ? months_up(from_days, to_days) : -months_up(to_days, from_days);
}

// Whole months from one moment to another, as Calcite counts them.
static int64_t months_between(int64_t from_ms, int64_t to_ms)
{
    int64_t from_days = datetime_floor_div(from_ms, DATETIME_MS_PER_DAY);
    int64_t to_days = datetime_floor_div(to_ms, DATETIME_MS_PER_DAY);
    int64_t months = months_of_days(from_days, to_days);
    bool same_day = datetime_add_months(from_days, months) == to_days;
    int64_t from_rest = datetime_floor_mod(from_ms, DATETIME_MS_PER_DAY);
    int64_t to_rest = datetime_floor_mod(to_ms, DATETIME_MS_PER_DAY);
    return months - (same_day && to_rest < from_rest);
}

// Units below a second are whole seconds times their number, as Flink has it; 32 bits wrap.
static int64_t units_of_ms(enum temporal_unit unit, int64_t ms)
{
    switch (unit) {
    case TEMPORAL_MILLISECOND: return ms / 1000 * 1000;
    case TEMPORAL_MICROSECOND: return ms / 1000 * 1000000;
    case TEMPORAL_NANOSECOND: return (int64_t)((uint64_t)(ms / 1000) * 1000000000);
    case TEMPORAL_SECOND:
    case TEMPORAL_MINUTE:
    case TEMPORAL_HOUR:
    case TEMPORAL_DAY:
    case TEMPORAL_WEEK:
    case TEMPORAL_EPOCH: return ms / size_of(unit).ms;
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

static void diff_units_loop(struct kernel_loop *loop)
{
    const struct temporal_call *call = loop->options;
    enum temporal_unit unit = call->options.unit;
    struct unit_size size = size_of(unit);
    int32_t *out = loop->out;
    for (uint32_t row = 0; row < loop->count; row++) {
        int64_t from = ms_at(call, loop, 0, row);
        int64_t to = ms_at(call, loop, 1, row);
        int64_t units = size.months != 0 ? months_between(from, to) / size.months
                                         : units_of_ms(unit, to - from);
        out[row] = (int32_t)units;
    }
}

static void diff_ms_loop(struct kernel_loop *loop)
{
    const struct temporal_call *call = loop->options;
    int64_t *out = loop->out;
    for (uint32_t row = 0; row < loop->count; row++) {
        out[row] = ms_at(call, loop, 0, row) - ms_at(call, loop, 1, row);
    }
}

static void diff_months_loop(struct kernel_loop *loop)
{
    const struct temporal_call *call = loop->options;
    int32_t *out = loop->out;
    for (uint32_t row = 0; row < loop->count; row++) {
        out[row] = (int32_t)months_between(ms_at(call, loop, 1, row), ms_at(call, loop, 0, row));
    }
}

struct diff {
    kernel_loop_fn *loop;
    enum physical out;
};

static void diff(struct kernel_run *run, struct diff how, const struct temporal *options,
                 const struct column args[2], struct column *out)
{
    const struct temporal_call call = {.options = *options, .physical = args[0].physical};
    struct kernel_shape shape = {.loop = how.loop, .options = &call, .out = how.out};
    kernel_map(run, &shape, args, 2, out);
}

void temporal_diff_units(struct kernel_run *run, const struct temporal *options,
                         const struct column *a, const struct column *b, struct column *out)
{
    const struct column args[] = {*a, *b};
    diff(run, (struct diff){diff_units_loop, PHYSICAL_I32}, options, args, out);
}

void temporal_diff_ms(struct kernel_run *run, const struct temporal *options,
                      const struct column *a, const struct column *b, struct column *out)
{
    const struct column args[] = {*a, *b};
    diff(run, (struct diff){diff_ms_loop, PHYSICAL_I64}, options, args, out);
}

void temporal_diff_months(struct kernel_run *run, const struct temporal *options,
                          const struct column *a, const struct column *b, struct column *out)
{
    const struct column args[] = {*a, *b};
    diff(run, (struct diff){diff_months_loop, PHYSICAL_I32}, options, args, out);
}

static void from_epoch_loop(struct kernel_loop *loop)
{
    static const int64_t ms_min = INT64_C(-62167219200000); // 0000-01-01
    static const int64_t ms_max = INT64_C(253402300799999); // 9999-12-31 23:59:59.999
    const int32_t *precision = loop->options;
    const int64_t *in = loop->args[0];
    int64_t *out = loop->out;
    for (uint32_t row = 0; row < loop->count; row++) {
        int64_t ms;
        bool is_bad = __builtin_mul_overflow(in[row], *precision == 0 ? 1000 : 1, &ms) ||
                      ms < ms_min || ms > ms_max;
        out[row] = is_bad ? 0 : ms * 1000;
        mark_bad(loop, row, is_bad);
    }
}

void temporal_from_epoch(struct kernel_run *run, const struct column *n, int32_t precision,
                         struct column *out)
{
    DASSERT(n->physical == PHYSICAL_I64);
    struct kernel_shape shape = {.loop = from_epoch_loop,
                                 .options = &precision,
                                 .out = PHYSICAL_I64,
                                 .bad = KERNEL_BAD_IS_NULL};
    kernel_map(run, &shape, n, 1, out);
}
