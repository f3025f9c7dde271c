// SPDX-License-Identifier: Apache-2.0
//
// Casts between DATE, TIME, TIMESTAMP and TIMESTAMP_LTZ: through a local moment.
#include "data/datetime.h"
#include "data/type.h"
#include "data/zone.h"
#include "kernel/cast_int.h"

static bool is_moment(const struct type *type)
{
    return type->kind == TYPE_DATE || type->kind == TYPE_TIME || type_is_timestamp(type);
}

// The value as a local moment: dates at midnight, times on 1970-01-01.
static struct nano load_local(const struct cast_options *options, const void *values, uint32_t row,
                              struct zone_span *span)
{
    struct nano moment;
    if (options->from->kind == TYPE_DATE) {
        int64_t days = ((const int32_t *)values)[row];
        return (struct nano){days * DATETIME_SECONDS_PER_DAY, 0};
    }
    if (options->from->kind == TYPE_TIME && options->from_physical == PHYSICAL_I64) {
        return datetime_nano_from_us(((const int64_t *)values)[row]);
    }
    if (options->from->kind == TYPE_TIME) {
        int32_t millis = ((const int32_t *)values)[row];
        return (struct nano){millis / 1000, (int64_t)(millis % 1000) * 1000000};
    }
    if (options->from_physical == PHYSICAL_NANO) {
        moment = ((const struct nano *)values)[row];
    } else {
        moment = datetime_nano_from_us(((const int64_t *)values)[row]);
    }
    if (options->from->kind == TYPE_TIMESTAMP_LTZ && options->zone != NULL) {
        if (moment.second < span->from || moment.second >= span->until) {
            *span = zone_span_of_utc(options->zone, moment.second);
        }
        moment.second += span->offset;
    }
    return moment;
}

static bool store_date(int64_t days, void *out, uint32_t row)
{
    struct datetime_civil civil = datetime_civil_from_days(days);
    ((int32_t *)out)[row] = (int32_t)days;
    return civil.year >= 1 && civil.year <= 9999;
}

// False where the result cannot be held.
static bool store_local(const struct cast_options *options, struct nano moment, void *out,
                        uint32_t row, struct zone_span *span)
{
    if (options->to->kind == TYPE_DATE) {
        return store_date(datetime_floor_div(moment.second, DATETIME_SECONDS_PER_DAY), out, row);
    }
    if (options->to->kind == TYPE_TIME) {
        int64_t second = datetime_floor_mod(moment.second, DATETIME_SECONDS_PER_DAY);
        if (options->to_physical == PHYSICAL_I64) {
            int64_t micros = second * DATETIME_US_PER_SECOND + moment.nanosecond / 1000;
            ((int64_t *)out)[row] =
                datetime_cut_us(micros, type_time_precision(options->to->length));
            return true;
        }
        ((int32_t *)out)[row] = (int32_t)(second * 1000 + moment.nanosecond / 1000000);
        return true;
    }
    if (options->to->kind == TYPE_TIMESTAMP_LTZ && options->zone != NULL) {
        if (moment.second < span->from || moment.second >= span->until) {
            *span = zone_span_of_local(options->zone, moment.second);
        }
        moment.second -= span->offset;
    }
    moment = datetime_cut_nano(moment, options->to->length);
    if (options->to_physical == PHYSICAL_NANO) {
        ((struct nano *)out)[row] = moment;
    } else {
        ((int64_t *)out)[row] = datetime_us_from_nano(moment);
    }
    return true;
}

static void moment_loop(struct kernel_loop *loop)
{
    const struct cast_options *options = loop->options;
    struct zone_span utc_span = {0};
    struct zone_span local_span = {0};
    for (uint32_t row = 0; row < loop->count; row++) {
        struct nano moment = load_local(options, loop->args[0], row, &utc_span);
        if (!store_local(options, moment, loop->out, row, &local_span)) {
            loop->bad[row / 64] |= UINT64_C(1) << (row % 64);
        }
    }
}

// TIMESTAMP to a smaller precision of up to 6, or to and from LTZ in UTC: a subtraction.
static void cut_loop(struct kernel_loop *loop)
{
    const struct cast_options *options = loop->options;
    const int64_t *in = loop->args[0];
    int64_t *out = loop->out;
    for (uint32_t row = 0; row < loop->count; row++) {
        out[row] = datetime_cut_us(in[row], options->to->length);
    }
}

bool cast_time_shape(const struct cast_options *options, struct kernel_shape *shape)
{
    if (!is_moment(options->from) || !is_moment(options->to)) {
        return false;
    }
    bool zone_matters = options->zone != NULL && options->from->kind != options->to->kind;
    bool both_micros = type_is_timestamp(options->from) && type_is_timestamp(options->to) &&
                       options->from_physical == PHYSICAL_I64 &&
                       options->to_physical == PHYSICAL_I64;
    shape->loop = both_micros && !zone_matters ? cut_loop : moment_loop;
    shape->bad = KERNEL_BAD_IS_FAILURE;
    shape->failure = "a DATE outside of the years 1 to 9999";
    return true;
}
