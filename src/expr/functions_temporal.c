// SPDX-License-Identifier: Apache-2.0
//
// Dates, times and timestamps: their parts, additions, the clock. What reads and writes them by
// patterns is in functions_format.c, arithmetic with operators in temporal_bind.c.
#include <string.h>

#include "base/arena.h"
#include "data/batch.h"
#include "expr/binding.h"
#include "expr/derive.h"
#include "expr/families.h"
#include "expr/kernels.h"
#include "expr/rows.h"
#include "expr/temporal_bind.h"
#include "expr/temporal_unit.h"
#include "kernel/temporal.h"

static bool unit_is_one_of(enum function_unit unit, uint32_t set)
{
    return (set >> unit & 1) != 0;
}
#define UNIT(name) (UINT32_C(1) << FUNCTION_UNIT_##name)

// Which parts a type has. Of a DATE also hours and below, which Flink answers with.
static bool has_part(const struct type *type, enum function_unit unit)
{
    static const uint32_t of_day = UNIT(HOUR) | UNIT(MINUTE) | UNIT(SECOND) | UNIT(MILLISECOND);
    static const uint32_t of_months =
        UNIT(YEAR) | UNIT(QUARTER) | UNIT(MONTH) | UNIT(DECADE) | UNIT(CENTURY) | UNIT(MILLENNIUM);
    if (type_is_timestamp(type)) {
        return unit != FUNCTION_UNIT_NONE;
    }
    if (type->kind == TYPE_DATE) {
        return !unit_is_one_of(unit, UNIT(NONE) | UNIT(MICROSECOND) | UNIT(NANOSECOND));
    }
    if (type->kind == TYPE_TIME) {
        bool has_micros = type_physical(type) == PHYSICAL_I64;
        return unit_is_one_of(unit,
                              of_day | (has_micros ? UNIT(MICROSECOND) | UNIT(NANOSECOND) : 0));
    }
    if (type->kind == TYPE_INTERVAL_MONTH) {
        return unit_is_one_of(unit, of_months);
    }
    return type->kind == TYPE_INTERVAL_SECOND && unit_is_one_of(unit, of_day | UNIT(DAY));
}

static enum status resolve_extract(struct function_binding *binding, struct err *err)
{
    if (!has_part(binding_type(binding, 0), binding->options->unit)) {
        return binding_refuse(binding, err);
    }
    binding_result(binding, &type_bigint, binding_nullable(binding));
    return STATUS_OK;
}

static struct temporal options_of(const struct function_call *call, uint32_t arg)
{
    return (struct temporal){.type = call->expr->args[arg]->type,
                             .zone = call->settings->zone,
                             .unit = temporal_unit_of(call->expr->options->unit)};
}

static enum status evaluate_extract(struct function_call *call, struct column *out, struct err *err)
{
    struct kernel_run run = kernels_begin(call);
    struct temporal options = options_of(call, 0);
    temporal_extract(&run, &options, &call->args[0], out);
    return kernels_end(call, &run, err);
}

// YEAR(d) is EXTRACT(YEAR FROM d), and so on.
static enum status resolve_part(struct function_binding *binding, struct err *err)
{
    static const struct {
        const char *name;
        enum function_unit unit;
    } parts[] = {
        {"YEAR", FUNCTION_UNIT_YEAR},     {"QUARTER", FUNCTION_UNIT_QUARTER},
        {"MONTH", FUNCTION_UNIT_MONTH},   {"WEEK", FUNCTION_UNIT_WEEK},
        {"DAYOFYEAR", FUNCTION_UNIT_DOY}, {"DAYOFMONTH", FUNCTION_UNIT_DAY},
        {"DAYOFWEEK", FUNCTION_UNIT_DOW}, {"HOUR", FUNCTION_UNIT_HOUR},
        {"MINUTE", FUNCTION_UNIT_MINUTE}, {"SECOND", FUNCTION_UNIT_SECOND},
    };
    struct function_options options = {0};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strcmp(parts[i].name, binding->function->name) == 0) {
            options.unit = parts[i].unit;
        }
    }
    struct function_use use = {.arena = binding->arena,
                               .name = STR_LIT("EXTRACT"),
                               .args = {binding->args, 1},
                               .options = &options};
    return function_resolve(&use, &binding->other, err);
}

// TIMESTAMPADD(unit, n, time): a DATE becomes a TIMESTAMP where hours are added.
static enum status resolve_add_units(struct function_binding *binding, struct err *err)
{
    const struct type *type = binding_type(binding, 1);
    enum function_unit unit = binding->options->unit;
    if (!type_is_integer(binding_type(binding, 0)) || !temporal_bind_is_time(type) ||
        unit_is_one_of(unit, UNIT(NONE) | UNIT(EPOCH) | UNIT(DOW) | UNIT(ISODOW) | UNIT(DOY) |
                                 UNIT(ISOYEAR))) {
        return binding_refuse(binding, err);
    }
    TRY(binding_cast(binding, 0, &type_bigint, err));
    static const uint32_t below_day = UNIT(HOUR) | UNIT(MINUTE) | UNIT(SECOND) | UNIT(MILLISECOND) |
                                      UNIT(MICROSECOND) | UNIT(NANOSECOND);
    if (type->kind == TYPE_TIME && unit_is_one_of(unit, UNIT(MICROSECOND) | UNIT(NANOSECOND))) {
        return binding_refuse(binding, err);
    }
    if (type->kind == TYPE_DATE && unit_is_one_of(unit, below_day)) {
        TRY(binding_cast(binding, 1, &type_timestamp6, err));
    }
    binding_result(binding, binding_type(binding, 1), binding_nullable(binding));
    return STATUS_OK;
}

static enum status evaluate_add_units(struct function_call *call, struct column *out,
                                      struct err *err)
{
    struct kernel_run run = kernels_begin(call);
    struct temporal options = options_of(call, 1);
    temporal_add_units(&run, &options, &call->args[0], &call->args[1], out);
    return kernels_end(call, &run, err);
}

static enum status resolve_diff_units(struct function_binding *binding, struct err *err)
{
    const struct type *types[] = {binding_type(binding, 0), binding_type(binding, 1)};
    const struct type *common = derive_merged(binding->arena, types, 2);
    if (common == NULL || (common->kind != TYPE_DATE && !type_is_timestamp(common)) ||
        unit_is_one_of(binding->options->unit, UNIT(NONE) | UNIT(EPOCH) | UNIT(DOW) | UNIT(ISODOW) |
                                                   UNIT(DOY) | UNIT(ISOYEAR))) {
        return binding_refuse(binding, err);
    }
    TRY(binding_cast_all(binding, 0, common, err));
    binding_result(binding, &type_int, binding_nullable(binding));
    return STATUS_OK;
}

static enum status evaluate_diff_units(struct function_call *call, struct column *out,
                                       struct err *err)
{
    struct kernel_run run = kernels_begin(call);
    struct temporal options = options_of(call, 0);
    temporal_diff_units(&run, &options, &call->args[0], &call->args[1], out);
    return kernels_end(call, &run, err);
}

// (s1, e1) OVERLAPS (s2, e2); ends may be intervals: s1 <= e2 AND s2 <= e1, each pair in order.
static enum status ordered_period(struct function_binding *binding, uint32_t from,
                                  const struct expr *ends[2], struct err *err)
{
    const struct expr *start = binding->args[from];
    const struct expr *end = binding->args[from + 1];
    if (!temporal_bind_is_time(end->type)) {
        const struct expr *sum[] = {start, end};
        TRY(expr_call(binding->arena, "+", EXPR_LIST(sum), &end, err));
    }
    const struct expr *both[] = {start, end};
    TRY(expr_call(binding->arena, "LEAST", EXPR_LIST(both), &ends[0], err));
    return expr_call(binding->arena, "GREATEST", EXPR_LIST(both), &ends[1], err);
}

static enum status resolve_overlaps(struct function_binding *binding, struct err *err)
{
    if (binding->arg_count == 2) { // two rows
        const struct expr **parts = arena_new_array(binding->arena, const struct expr *, 4);
        for (uint32_t i = 0; i < 2; i++) {
            const struct expr *period = binding->args[i];
            if (period->kind != EXPR_CALL || period->arg_count != 2) {
                return binding_refuse(binding, err);
            }
            memcpy(parts + 2 * i, period->args, 2 * sizeof *parts);
        }
        binding->args = parts;
        binding->arg_count = 4;
    }
    if (binding->arg_count != 4 || !temporal_bind_is_time(binding_type(binding, 0)) ||
        !temporal_bind_is_time(binding_type(binding, 2))) {
        return binding_refuse(binding, err);
    }
    const struct expr *first[2];
    const struct expr *second[2];
    TRY(ordered_period(binding, 0, first, err));
    TRY(ordered_period(binding, 2, second, err));
    const struct expr *one[] = {first[0], second[1]};
    const struct expr *two[] = {second[0], first[1]};
    const struct expr *both[2];
    TRY(expr_call(binding->arena, "<=", EXPR_LIST(one), &both[0], err));
    TRY(expr_call(binding->arena, "<=", EXPR_LIST(two), &both[1], err));
    return binding_replace(binding, "AND", EXPR_LIST(both), err);
}

// The clock. Constant for a query, or for each batch of a stream.
static enum status resolve_now(struct function_binding *binding, struct err *err)
{
    (void)err;
    binding_result(binding, &type_timestamp_ltz3, false);
    return STATUS_OK;
}

static int64_t now_of(const struct function_call *call)
{
    return call->now_us - (call->now_us % 1000 + 1000) % 1000; // precision 3
}

static struct column constant_i64(const struct function_call *call, enum physical physical,
                                  int64_t value)
{
    int64_t *values = arena_alloc(call->arena, sizeof *values);
    *values = value;
    if (physical == PHYSICAL_I32) {
        *(int32_t *)(void *)values = (int32_t)value;
    }
    return (struct column){.physical = physical,
                           .encoding = ENCODING_CONST,
                           .row_count = call->row_count,
                           .values = values};
}

static enum status evaluate_now(struct function_call *call, struct column *out, struct err *err)
{
    (void)err;
    *out = constant_i64(call, PHYSICAL_I64, now_of(call));
    return STATUS_OK;
}

// LOCALTIMESTAMP, CURRENT_DATE, LOCALTIME: NOW() cast in the session's zone.
static enum status resolve_local(struct function_binding *binding, struct err *err)
{
    const struct expr *now;
    TRY(expr_call(binding->arena, "NOW", (struct expr_list){0}, &now, err));
    const char *name = binding->function->name;
    const struct type *type = strcmp(name, "CURRENT_DATE") == 0     ? &type_date
                              : strcmp(name, "LOCALTIMESTAMP") == 0 ? &type_timestamp3
                                                                    : &type_time;
    return expr_cast(binding->arena, now, type_with_null(binding->arena, type, false),
                     &binding->other, err);
}

static enum status resolve_watermark(struct function_binding *binding, struct err *err)
{
    if (!type_is_timestamp(binding_type(binding, 0))) {
        return binding_refuse(binding, err);
    }
    const struct type *type = binding_type(binding, 0);
    binding_result(binding, type->kind == TYPE_TIMESTAMP ? &type_timestamp3 : &type_timestamp_ltz3,
                   true);
    return STATUS_OK;
}

static enum status evaluate_watermark(struct function_call *call, struct column *out,
                                      struct err *err)
{
    (void)err;
    static const uint64_t none[1] = {0};
    bool known = call->watermark_us != WATERMARK_NONE;
    *out = constant_i64(call, PHYSICAL_I64, known ? call->watermark_us : 0);
    out->valid = known ? NULL : none;
    return STATUS_OK;
}

// TO_TIMESTAMP_LTZ of a number, with 0 (seconds) or 3 (milliseconds). Of text: functions_format.c.
static enum status resolve_from_epoch(struct function_binding *binding, struct err *err)
{
    if (type_is_character(binding_type(binding, 0))) {
        return binding_replace(binding, "$TO_TIMESTAMP_LTZ_TEXT",
                               (struct expr_list){binding->args, binding->arg_count}, err);
    }
    if (binding->arg_count > 2 || !type_is_numeric(binding_type(binding, 0)) ||
        (binding->arg_count == 2 && !type_is_integer(binding_type(binding, 1)))) {
        return binding_refuse(binding, err);
    }
    if (type_is_integer(binding_type(binding, 0))) {
        TRY(binding_cast(binding, 0, &type_bigint, err));
    } else {
        TRY(binding_cast(binding, 0, &type_double, err));
    }
    if (binding->arg_count == 2) {
        TRY(binding_cast(binding, 1, &type_int, err));
    }
    binding_result(binding, &type_timestamp_ltz3, true);
    return STATUS_OK;
}

enum { PRECISION_SECONDS = 0, PRECISION_MILLISECONDS = 3 };

static enum status row_from_epoch(const struct function_call *call, uint32_t row,
                                  struct function_value *value, struct err *err)
{
    // Years 0001 to 9999, as far as Flink's formatter goes.
    const int64_t seconds_min = -INT64_C(62135596800);
    const int64_t seconds_max = INT64_C(253402300799);
    int64_t precision = call->arg_count == 2 ? rows_i64(call, 1, row) : PRECISION_MILLISECONDS;
    if (precision != PRECISION_SECONDS && precision != PRECISION_MILLISECONDS) {
        return ERR(err, STATUS_INVALID_DATA,
                   "TO_TIMESTAMP_LTZ: precision %lld is not supported, 0 and 3 are",
                   (long long)precision);
    }
    int64_t scale = precision == PRECISION_SECONDS ? 1000 : 1;
    int64_t millis;
    if (call->args[0].physical == PHYSICAL_F64) {
        double exact = rows_f64(call, 0, row) * (double)scale;
        if (!(exact >= (double)seconds_min * 1000 && exact <= (double)seconds_max * 1000 + 999)) {
            value->is_null = true;
            return STATUS_OK;
        }
        millis = (int64_t)exact;
    } else if (__builtin_mul_overflow(rows_i64(call, 0, row), scale, &millis)) {
        value->is_null = true;
        return STATUS_OK;
    }
    value->is_null = millis < seconds_min * 1000 || millis > seconds_max * 1000 + 999;
    value->i64 = value->is_null ? 0 : millis * 1000;
    return STATUS_OK;
}

#define PART(text, words)                                                                          \
    {                                                                                              \
        .name = (text), .properties = FUNCTION_PURE, .args_min = 1, .args_max = 1,                 \
        .resolve = resolve_part, .signature = text "(<DATETIME>)", .doc = (words)                  \
    }
#define LOCAL(text, also, words)                                                                   \
    {                                                                                              \
        .name = (text), .aliases = (also), .syntax = FUNCTION_SYNTAX_BARE, .properties = 0,        \
        .resolve = resolve_local, .signature = (text), .doc = (words)                              \
    }

static const struct function functions[] = {
    {.name = "EXTRACT",
     .syntax = FUNCTION_SYNTAX_SPECIAL,
     .properties = FUNCTION_PURE,
     .args_min = 1,
     .args_max = 1,
     .resolve = resolve_extract,
     .evaluate = evaluate_extract,
     .signature = "EXTRACT(<UNIT> FROM <DATETIME>), EXTRACT(<UNIT> FROM <INTERVAL>)",
     .doc = "a part of a time: YEAR, MONTH, WEEK (ISO), DOW (1: Sunday), HOUR, EPOCH, ..."},
    PART("YEAR", "the year"),
    PART("QUARTER", "the quarter, 1 to 4"),
    PART("MONTH", "the month, 1 to 12"),
    PART("WEEK", "the ISO week, 1 to 53"),
    PART("DAYOFYEAR", "the day of the year, 1 to 366"),
    PART("DAYOFMONTH", "the day of the month, 1 to 31"),
    PART("DAYOFWEEK", "the day of the week, 1: Sunday"),
    PART("HOUR", "the hour, 0 to 23"),
    PART("MINUTE", "the minute"),
    PART("SECOND", "the second"),
    {.name = "TIMESTAMPADD",
     .syntax = FUNCTION_SYNTAX_SPECIAL,
     .properties = FUNCTION_PURE,
     .args_min = 2,
     .args_max = 2,
     .resolve = resolve_add_units,
     .evaluate = evaluate_add_units,
     .signature = "TIMESTAMPADD(<UNIT>, <INTEGER>, <DATETIME>)",
     .doc = "a time later by a number of units"},
    {.name = "TIMESTAMPDIFF",
     .syntax = FUNCTION_SYNTAX_SPECIAL,
     .properties = FUNCTION_PURE,
     .args_min = 2,
     .args_max = 2,
     .resolve = resolve_diff_units,
     .evaluate = evaluate_diff_units,
     .signature = "TIMESTAMPDIFF(<UNIT>, <DATETIME>, <DATETIME>)",
     .doc = "whole units from the first time to the second"},
    {.name = "OVERLAPS",
     .syntax = FUNCTION_SYNTAX_SPECIAL,
     .properties = FUNCTION_DETERMINISTIC,
     .args_min = 2,
     .args_max = 4,
     .resolve = resolve_overlaps,
     .signature = "(<DATETIME>, <DATETIME or INTERVAL>) OVERLAPS (<DATETIME>, ...)",
     .doc = "whether two periods have a moment in common"},
    {.name = "NOW",
     .aliases = "CURRENT_TIMESTAMP CURRENT_ROW_TIMESTAMP PROCTIME",
     .syntax = FUNCTION_SYNTAX_BARE,
     .resolve = resolve_now,
     .evaluate = evaluate_now,
     .signature = "NOW(), CURRENT_TIMESTAMP",
     .doc = "the moment of the query, or of the batch in a stream"},
    LOCAL("LOCALTIMESTAMP", NULL, "NOW() in the session's time zone"),
    LOCAL("CURRENT_DATE", NULL, "the date of NOW() in the session's time zone"),
    LOCAL("LOCALTIME", "CURRENT_TIME", "the time of NOW() in the session's time zone"),
    {.name = "CURRENT_WATERMARK",
     .properties = 0,
     .args_min = 1,
     .args_max = 1,
     .resolve = resolve_watermark,
     .evaluate = evaluate_watermark,
     .signature = "CURRENT_WATERMARK(<ROWTIME>)",
     .doc = "the watermark at this row; NULL where there is none yet"},
    {.name = "TO_TIMESTAMP_LTZ",
     .properties = FUNCTION_PURE_CAN_ERROR,
     .args_min = 1,
     .args_max = 3,
     .resolve = resolve_from_epoch,
     .row = row_from_epoch,
     .signature = "TO_TIMESTAMP_LTZ(<NUMERIC> [, <INTEGER>]), "
                  "TO_TIMESTAMP_LTZ(<CHARACTER> [, <CHARACTER> [, <CHARACTER>]])",
     .doc = "a moment from seconds (0) or milliseconds (3) since 1970, or from text"},
};

const struct function_family functions_temporal = {functions, sizeof functions / sizeof *functions};
