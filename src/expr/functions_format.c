// SPDX-License-Identifier: Apache-2.0
//
// Times written and read by patterns: DATE_FORMAT, TO_TIMESTAMP, TO_DATE, FROM_UNIXTIME and their
// like.
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "data/datetime.h"
#include "data/zone.h"
#include "expr/binding.h"
#include "expr/date_pattern.h"
#include "expr/families.h"
#include "expr/rows.h"

enum { TEXT_MAX = 4096 };
static const char default_pattern[] = "yyyy-MM-dd HH:mm:ss";

// What a program keeps for a call: the last pattern, compiled, and the last zones.
struct format_zone {
    struct str name; // in the arena
    const struct zone *zone;
    bool is_known;
    bool is_loaded;
};

struct format_state {
    struct arena arena; // of the pattern in use
    struct arena zones;
    struct str text;
    const struct date_pattern *pattern; // NULL: `text` is a bad one
    bool is_compiled;
    struct err err; // why
    struct format_zone zone[2];
    struct strbuf out;
};

static void state_free(void *object)
{
    struct format_state *state = object;
    arena_release(&state->arena);
    arena_release(&state->zones);
    strbuf_release(&state->out);
    mem_free(state);
}

static void prepare_format(struct arena *arena, const struct expr *expr,
                           const struct expr_settings *settings, void **out)
{
    (void)expr;
    (void)settings;
    struct format_state *state = mem_zalloc(sizeof *state);
    strbuf_init(&state->out, TEXT_MAX);
    arena_on_release(arena, state_free, state);
    *out = state;
}

// NULL: a bad pattern; state->err says why.
static const struct date_pattern *pattern_of(struct format_state *state, struct str text,
                                             enum date_pattern_dialect dialect)
{
    if (!state->is_compiled || !str_equal(text, state->text)) {
        arena_reset(&state->arena);
        state->text = arena_str(&state->arena, text);
        state->is_compiled = true;
        state->pattern = NULL;
        if (date_pattern_compile(&state->arena, state->text, dialect, &state->pattern,
                                 &state->err) != STATUS_OK) {
            state->pattern = NULL;
        }
    }
    return state->pattern;
}

static struct str pattern_text(const struct function_call *call, uint32_t arg, uint32_t row)
{
    return call->arg_count > arg ? rows_str(call, arg, row)
                                 : str_make(default_pattern, sizeof default_pattern - 1);
}

static enum status bad_pattern(const struct function_call *call, const struct format_state *state,
                               struct err *err)
{
    return ERR(err, STATUS_INVALID_DATA, "%s: %s", call->expr->function->name, state->err.text);
}

static struct date_pattern_moment moment_of(struct nano local)
{
    int64_t days = datetime_floor_div(local.second, DATETIME_SECONDS_PER_DAY);
    int64_t second = local.second - days * DATETIME_SECONDS_PER_DAY;
    return (struct date_pattern_moment){
        .days = days, .nanos = second * DATETIME_NS_PER_SECOND + local.nanosecond};
}

static int64_t second_of(const struct date_pattern_moment *moment)
{
    return moment->days * DATETIME_SECONDS_PER_DAY + moment->nanos / DATETIME_NS_PER_SECOND;
}

// DATE_FORMAT(time, pattern): a text counts as a timestamp in the default form.
static enum status resolve_date_format(struct function_binding *binding, struct err *err)
{
    if (type_is_character(binding_type(binding, 0))) {
        const struct type *wide = type_sized(binding->arena, TYPE_TIMESTAMP, 9, true);
        struct function_options options = {.target = wide};
        struct function_use use = {.arena = binding->arena,
                                   .name = STR_LIT("TRY_CAST"),
                                   .args = {binding->args, 1},
                                   .options = &options};
        TRY(function_resolve(&use, &binding->args[0], err));
    }
    TRY(binding_match(binding, "DS", err));
    binding_result(binding, &type_string, true);
    return STATUS_OK;
}

// One row's text; the one before is taken again while the moment stays within the granularity.
struct format_loop {
    struct function_call *call;
    struct zone_span span;
    bool is_local; // TIMESTAMP_LTZ: to the session's zone first
    int64_t days;  // of the last text
    int64_t unit;  // likewise, in spans of the granularity
    int64_t granularity;
    struct strview view;
    bool has_view;
};

static enum status format_row(struct format_loop *loop, uint32_t row, struct strview *out,
                              struct err *err)
{
    struct function_call *call = loop->call;
    struct format_state *state = call->state;
    struct nano local = rows_nano(call, 0, row);
    if (loop->is_local) {
        int64_t micros = zone_local_us(call->settings->zone, local.second * 1000000, &loop->span);
        local.second = datetime_floor_div(micros, 1000000);
    }
    struct date_pattern_moment moment = moment_of(local);
    int64_t unit = moment.nanos / loop->granularity;
    bool same_pattern = call->args[1].encoding == ENCODING_CONST;
    if (loop->has_view && same_pattern && moment.days == loop->days && unit == loop->unit) {
        *out = loop->view;
        return STATUS_OK;
    }
    const struct date_pattern *pattern =
        pattern_of(state, rows_str(call, 1, row), DATE_PATTERN_JAVA_TIME);
    if (pattern == NULL) {
        return bad_pattern(call, state, err);
    }
    strbuf_reset(&state->out);
    TRY(date_pattern_format(pattern, &moment, &state->out, err));
    struct str text = strbuf_str(&state->out);
    if (text.size > STRVIEW_INLINE_MAX) {
        text = arena_str(call->arena, text);
    }
    loop->granularity = date_pattern_granularity(pattern);
    loop->view = strview_make(text.ptr, text.size);
    loop->days = moment.days;
    loop->unit = moment.nanos / loop->granularity;
    loop->has_view = true;
    *out = loop->view;
    return STATUS_OK;
}

static enum status evaluate_date_format(struct function_call *call, struct column *out,
                                        struct err *err)
{
    struct format_loop loop = {.call = call, .granularity = 1};
    loop.is_local = call->expr->args[0]->type->kind == TYPE_TIMESTAMP_LTZ;
    struct strview *views = arena_zalloc(call->arena, sizeof *views * (call->row_count + 1));
    for (uint32_t word = 0; word < bits_words(call->row_count); word++) {
        for (uint64_t rows = call->active[word]; rows != 0; rows &= rows - 1) {
            uint32_t row = word * 64 + (uint32_t)__builtin_ctzll(rows);
            enum status status = format_row(&loop, row, &views[row], err);
            if (status != STATUS_OK) {
                call->error_row = row;
                return status;
            }
        }
    }
    *out = (struct column){.physical = PHYSICAL_STRING,
                           .encoding = ENCODING_FLAT,
                           .row_count = call->row_count,
                           .values = views};
    return STATUS_OK;
}

// A text by argument 1, or in the default form. False: NULL.
static bool parse_moment(const struct function_call *call, uint32_t row,
                         struct date_pattern_moment *moment)
{
    struct str text = rows_str(call, 0, row);
    if (call->arg_count < 2) {
        struct nano value;
        if (!datetime_parse_timestamp(text, &value)) {
            return false;
        }
        *moment = moment_of(value);
        return true;
    }
    const struct date_pattern *pattern =
        pattern_of(call->state, rows_str(call, 1, row), DATE_PATTERN_JAVA_TIME);
    return pattern != NULL && date_pattern_parse(pattern, text, moment);
}

static bool in_years(const struct date_pattern_moment *moment)
{
    return moment->days >= datetime_days_from_civil(-9999, 1, 1) &&
           moment->days <= datetime_days_from_civil(99999, 1, 1);
}

// Milliseconds are what TIMESTAMP(3) holds.
static int64_t micros_of(const struct date_pattern_moment *moment)
{
    return moment->days * DATETIME_US_PER_DAY + moment->nanos / 1000000 * 1000;
}

static enum status row_to_timestamp(const struct function_call *call, uint32_t row,
                                    struct function_value *value, struct err *err)
{
    (void)err;
    struct date_pattern_moment moment;
    value->is_null = !parse_moment(call, row, &moment) || !in_years(&moment);
    value->i64 = value->is_null ? 0 : micros_of(&moment);
    return STATUS_OK;
}

static enum status row_to_date(const struct function_call *call, uint32_t row,
                               struct function_value *value, struct err *err)
{
    (void)err;
    struct str text = rows_str(call, 0, row);
    if (call->arg_count < 2) {
        int32_t days;
        value->is_null = !datetime_parse_date(text, &days);
        value->i64 = value->is_null ? 0 : days;
        return STATUS_OK;
    }
    const struct date_pattern *pattern =
        pattern_of(call->state, rows_str(call, 1, row), DATE_PATTERN_SIMPLE);
    struct date_pattern_moment moment;
    value->is_null =
        pattern == NULL || !date_pattern_parse(pattern, text, &moment) || !in_years(&moment);
    value->i64 = value->is_null ? 0 : moment.days;
    return STATUS_OK;
}

// Java's old calendar counts whole hours before 1900, not local mean time.
static int64_t legacy_offset(const struct zone *zone, int64_t utc_second)
{
    const int64_t start_of_1900 = -INT64_C(2208988800);
    return zone_span_of_utc(zone, utc_second < start_of_1900 ? start_of_1900 : utc_second).offset;
}

static enum status row_from_unixtime(const struct function_call *call, uint32_t row,
                                     struct function_value *value, struct err *err)
{
    struct format_state *state = call->state;
    const struct date_pattern *pattern =
        pattern_of(state, pattern_text(call, 1, row), DATE_PATTERN_SIMPLE);
    if (pattern == NULL) {
        return bad_pattern(call, state, err);
    }
    int64_t second = rows_i64(call, 0, row);
    const int64_t far = INT64_C(31556889864403199); // a thousand million years
    if (second > far || second < -far) {
        value->is_null = true;
        return STATUS_OK;
    }
    int64_t offset = legacy_offset(call->settings->zone, second);
    struct date_pattern_moment moment = moment_of((struct nano){second + offset, 0});
    moment.offset = (int32_t)offset;
    moment.zone = zone_name(call->settings->zone);
    strbuf_reset(&state->out);
    TRY(date_pattern_format(pattern, &moment, &state->out, err));
    value->text = arena_str(call->arena, strbuf_str(&state->out));
    return STATUS_OK;
}

// A local moment in UTC. An ambiguous one takes the offset after the change, unlike java.time's.
static int64_t legacy_utc(const struct zone *zone, int64_t local)
{
    int64_t utc = local - legacy_offset(zone, local);
    int64_t other = local - legacy_offset(zone, utc);
    int64_t later = local - legacy_offset(zone, other + 2 * 3600);
    if (later + legacy_offset(zone, later) == local) {
        return later;
    }
    return other;
}

// UNIX_TIMESTAMP() is the clock; of a text what it says in the session's zone.
static enum status resolve_unix_timestamp(struct function_binding *binding, struct err *err)
{
    TRY(binding_match(binding, "S", err));
    binding_result(binding, &type_bigint, binding_nullable(binding));
    return STATUS_OK;
}

static enum status row_unix_timestamp(const struct function_call *call, uint32_t row,
                                      struct function_value *value, struct err *err)
{
    if (call->arg_count == 0) {
        value->i64 = datetime_floor_div(call->now_us, 1000000);
        return STATUS_OK;
    }
    struct format_state *state = call->state;
    const struct date_pattern *pattern =
        pattern_of(state, pattern_text(call, 1, row), DATE_PATTERN_SIMPLE);
    if (pattern == NULL) {
        return bad_pattern(call, state, err);
    }
    struct date_pattern_moment moment;
    if (!date_pattern_parse(pattern, rows_str(call, 0, row), &moment)) {
        value->i64 = INT64_MIN; // as Flink answers
        return STATUS_OK;
    }
    value->i64 = legacy_utc(call->settings->zone, second_of(&moment));
    return STATUS_OK;
}

// A zone by name; false where there is none.
static bool zone_of(struct format_state *state, uint32_t slot, struct str name,
                    const struct zone **out)
{
    struct format_zone *zone = &state->zone[slot];
    if (!zone->is_loaded || !str_equal(zone->name, name)) {
        zone->name = arena_str(&state->zones, name);
        zone->is_loaded = true;
        zone->zone = NULL;
        zone->is_known = zone_load(&state->zones, zone->name, &zone->zone, NULL) == STATUS_OK;
    }
    *out = zone->zone;
    return zone->is_known;
}

// CONVERT_TZ(text, from, to); an unknown zone counts as UTC.
static enum status row_convert_tz(const struct function_call *call, uint32_t row,
                                  struct function_value *value, struct err *err)
{
    struct format_state *state = call->state;
    const struct zone *from;
    const struct zone *to;
    (void)zone_of(state, 0, rows_str(call, 1, row), &from);
    (void)zone_of(state, 1, rows_str(call, 2, row), &to);
    struct nano local;
    value->is_null = !datetime_parse_timestamp(rows_str(call, 0, row), &local);
    if (value->is_null) {
        return STATUS_OK;
    }
    struct zone_span span = {0};
    int64_t utc = zone_utc_us(from, local.second * 1000000, &span);
    span = (struct zone_span){0};
    int64_t there = datetime_floor_div(zone_local_us(to, utc, &span), 1000000);
    const struct date_pattern *pattern = pattern_of(
        state, str_make(default_pattern, sizeof default_pattern - 1), DATE_PATTERN_JAVA_TIME);
    struct date_pattern_moment moment = moment_of((struct nano){there, 0});
    strbuf_reset(&state->out);
    TRY(date_pattern_format(pattern, &moment, &state->out, err));
    value->text = arena_str(call->arena, strbuf_str(&state->out));
    return STATUS_OK;
}

// TO_TIMESTAMP_LTZ(text [, pattern [, zone]]): UTC without a zone.
static enum status row_to_timestamp_ltz(const struct function_call *call, uint32_t row,
                                        struct function_value *value, struct err *err)
{
    (void)err;
    struct date_pattern_moment moment;
    const struct zone *zone = NULL;
    bool known = call->arg_count < 3 || zone_of(call->state, 0, rows_str(call, 2, row), &zone);
    value->is_null = !known || !parse_moment(call, row, &moment) || !in_years(&moment);
    if (!value->is_null) {
        struct zone_span span = {0};
        value->i64 = zone_utc_us(zone, micros_of(&moment), &span);
    }
    return STATUS_OK;
}

#define FORMAT(text, letters, flags, from, to, gives, function, shape, words)                      \
    {                                                                                              \
        .name = (text), .properties = (flags), .args_min = (from), .args_max = (to),               \
        .pattern = (letters), .result = FUNCTION_RESULT_##gives, .result_nullable = true,          \
        .row = (function), .prepare = prepare_format, .signature = (shape), .doc = (words)         \
    }

static const struct function functions[] = {
    {.name = "DATE_FORMAT",
     .properties = FUNCTION_PURE_CAN_ERROR,
     .args_min = 2,
     .args_max = 2,
     .resolve = resolve_date_format,
     .evaluate = evaluate_date_format,
     .prepare = prepare_format,
     .signature = "DATE_FORMAT(<TIMESTAMP>, <CHARACTER>), DATE_FORMAT(<CHARACTER>, <CHARACTER>)",
     .doc = "a time as text by a pattern such as yyyy-MM-dd HH:mm:ss.SSS"},
    FORMAT("TO_TIMESTAMP", "S", FUNCTION_PURE, 1, 2, TIMESTAMP3, row_to_timestamp,
           "TO_TIMESTAMP(<CHARACTER> [, <CHARACTER>])",
           "the time that a text says, by a pattern; NULL where it cannot be read"),
    FORMAT("TO_DATE", "S", FUNCTION_PURE, 1, 2, DATE, row_to_date,
           "TO_DATE(<CHARACTER> [, <CHARACTER>])",
           "the date that a text says, by a pattern; NULL where it cannot be read"),
    FORMAT("FROM_UNIXTIME", "LS", FUNCTION_PURE_CAN_ERROR, 1, 2, STRING, row_from_unixtime,
           "FROM_UNIXTIME(<INTEGER> [, <CHARACTER>])",
           "seconds since 1970 as text in the session's time zone"),
    {.name = "UNIX_TIMESTAMP",
     .properties = 0,
     .args_min = 0,
     .args_max = 0,
     .resolve = resolve_unix_timestamp,
     .row = row_unix_timestamp,
     .signature = "UNIX_TIMESTAMP()",
     .doc = "the seconds since 1970 of now"},
    {.name = "UNIX_TIMESTAMP",
     .properties = FUNCTION_PURE_CAN_ERROR,
     .args_min = 1,
     .args_max = 2,
     .resolve = resolve_unix_timestamp,
     .row = row_unix_timestamp,
     .prepare = prepare_format,
     .signature = "UNIX_TIMESTAMP(<CHARACTER> [, <CHARACTER>])",
     .doc = "the seconds since 1970 of a text, in the session's time zone"},
    FORMAT("CONVERT_TZ", "S", FUNCTION_PURE, 3, 3, STRING, row_convert_tz,
           "CONVERT_TZ(<CHARACTER>, <CHARACTER>, <CHARACTER>)",
           "a time as text, from one time zone to another"),
    FORMAT("$TO_TIMESTAMP_LTZ_TEXT", "S", FUNCTION_PURE, 1, 3, TIMESTAMP_LTZ3, row_to_timestamp_ltz,
           "TO_TIMESTAMP_LTZ(<CHARACTER> [, <CHARACTER> [, <CHARACTER>]])",
           "the moment that a text says, by a pattern, in a time zone"),
};

const struct function_family functions_format = {functions, sizeof functions / sizeof *functions};
