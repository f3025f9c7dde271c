// SPDX-License-Identifier: Apache-2.0
//
// Literals: their values and types as Calcite gives them in Flink (fixtures/flink-answers,
// scalar/literal.tsv). Dates between the calendars (1582-10-05 to 14) do not exist. Differing on
// purpose: INTERVAL '1' WEEK is seven days (in Flink 2.1 one hour).
#include <float.h>
#include <stdlib.h>

#include "data/column.h"
#include "sql/bind_int.h"

enum { NUMBER_TEXT_MAX = 400, INTERVAL_FIELDS = 6, LEADING_DIGITS_DEFAULT = 2 };

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

// Reads up to `digits` digits at *at, at least one.
static bool read_digits(struct str text, size_t *at, uint32_t digits, int64_t *out)
{
    *out = 0;
    uint32_t count = 0;
    for (; count < digits && *at < text.size && is_digit(text.ptr[*at]); count++, (*at)++) {
        *out = *out * 10 + (text.ptr[*at] - '0');
    }
    return count > 0;
}

static bool read_byte(struct str text, size_t *at, char byte)
{
    if (*at >= text.size || text.ptr[*at] != byte) {
        return false;
    }
    (*at)++;
    return true;
}

// Days since 1970-01-01 of a date of the Gregorian calendar, before 1582 of the Julian one's days
// as Java's LocalDate counts them (proleptic Gregorian).
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
    int64_t shifted = month <= 2 ? year - 1 : year;
    int64_t era = shifted / 400;
    int64_t of_era = shifted - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static bool date_exists(int64_t year, int64_t month, int64_t day)
{
    static const int8_t lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (year < 1 || month < 1 || month > 12 || day < 1) {
        return false;
    }
    bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    bool in_gap = year == 1582 && month == 10 && day > 4 && day < 15;
    return !in_gap && day <= lengths[month - 1] + (is_leap && month == 2 ? 1 : 0);
}

static bool read_date(struct str text, size_t *at, int64_t *days)
{
    int64_t year;
    int64_t month;
    int64_t day;
    if (!read_digits(text, at, 4, &year) || !read_byte(text, at, '-') ||
        !read_digits(text, at, 2, &month) || !read_byte(text, at, '-') ||
        !read_digits(text, at, 2, &day) || !date_exists(year, month, day)) {
        return false;
    }
    *days = days_of(year, month, day);
    return true;
}

struct clock_time {
    int64_t seconds;     // of the day
    int64_t nanoseconds; // of the second
    int32_t digits;      // of the fraction, as written
};

static bool read_time(struct str text, size_t *at, struct clock_time *out)
{
    int64_t hour;
    int64_t minute;
    int64_t second;
    if (!read_digits(text, at, 2, &hour) || !read_byte(text, at, ':') ||
        !read_digits(text, at, 2, &minute) || !read_byte(text, at, ':') ||
        !read_digits(text, at, 2, &second) || hour > 23 || minute > 59 || second > 59) {
        return false;
    }
    *out = (struct clock_time){.seconds = hour * 3600 + minute * 60 + second};
    if (*at == text.size) {
        return true;
    }
    if (!read_byte(text, at, '.') || *at == text.size) {
        return false;
    }
    for (; *at < text.size && is_digit(text.ptr[*at]); (*at)++) {
        if (out->digits == 9) {
            return false;
        }
        out->nanoseconds = out->nanoseconds * 10 + (text.ptr[*at] - '0');
        out->digits++;
    }
    for (int32_t i = out->digits; i < 9; i++) {
        out->nanoseconds *= 10;
    }
    return *at == text.size;
}

static enum status illegal(const struct ast_expr *ast, const char *what, const char *format,
                           struct err *err)
{
    return REFUSE(err, ast->at, "'%.*s' is no %s: not in the format '%s'",
                  STR_ARGS(ast->as.literal.text), what, format);
}

static enum status bind_date(struct arena *arena, const struct ast_expr *ast,
                             const struct expr **out, struct err *err)
{
    struct str text = ast->as.literal.text;
    size_t at = 0;
    int64_t days;
    if (!read_date(text, &at, &days) || at != text.size) {
        return illegal(ast, "DATE", "yyyy-MM-dd", err);
    }
    *out = expr_literal_i64(arena, type_with_null(arena, &type_date, false), days);
    return STATUS_OK;
}

static enum status bind_time(struct arena *arena, const struct ast_expr *ast,
                             const struct expr **out, struct err *err)
{
    size_t at = 0;
    struct clock_time time;
    if (!read_time(ast->as.literal.text, &at, &time)) {
        return illegal(ast, "TIME", "HH:mm:ss", err);
    }
    // Flink has TIME(0) only, shows whole seconds, and yet keeps milliseconds. Microseconds are had
    // by CAST('…' AS TIME(6)).
    *out = expr_literal_i64(arena, type_with_null(arena, &type_time, false),
                            time.seconds * 1000 + time.nanoseconds / 1000000);
    return STATUS_OK;
}

static enum status bind_timestamp(struct arena *arena, const struct ast_expr *ast,
                                  const struct expr **out, struct err *err)
{
    struct str text = ast->as.literal.text;
    size_t at = 0;
    int64_t days;
    struct clock_time time = {0};
    if (!read_date(text, &at, &days) || // a day alone begins at midnight
        (at < text.size && (!read_byte(text, &at, ' ') || !read_time(text, &at, &time)))) {
        return illegal(ast, "TIMESTAMP", "yyyy-MM-dd HH:mm:ss", err);
    }
    int64_t seconds = days * 86400 + time.seconds;
    const struct type *type = type_sized(arena, TYPE_TIMESTAMP, time.digits, false);
    if (type_physical(type) == PHYSICAL_I64) {
        *out = expr_literal_i64(arena, type, seconds * 1000000 + time.nanoseconds / 1000);
    } else {
        struct nano nano = {seconds, time.nanoseconds};
        struct column column = {
            .physical = PHYSICAL_NANO, .encoding = ENCODING_CONST, .row_count = 1, .values = &nano};
        *out = expr_literal(arena, type, &column);
    }
    if (ast->as.literal.kind == AST_LITERAL_TIMESTAMP_LTZ) {
        return expr_cast(arena, *out, type_sized(arena, TYPE_TIMESTAMP_LTZ, time.digits, false),
                         out, err);
    }
    return STATUS_OK;
}

static enum status out_of_range(const struct ast_expr *ast, struct err *err)
{
    return REFUSE(err, ast->at, "number %.*s is out of range", STR_ARGS(ast->as.literal.text));
}

// DECIMAL(p, s) where p counts all digits as written: 0.908 is a DECIMAL(4, 3).
static enum status bind_decimal(struct arena *arena, const struct ast_expr *ast, bool negative,
                                const struct expr **out, struct err *err)
{
    struct str text = ast->as.literal.text;
    int128 unscaled = 0;
    int32_t precision = 0;
    int32_t scale = 0;
    bool after_point = false;
    for (size_t i = 0; i < text.size; i++) {
        if (text.ptr[i] == '.') {
            after_point = true;
            continue;
        }
        unscaled = unscaled * 10 + (text.ptr[i] - '0');
        if (precision == TYPE_DECIMAL_PRECISION_MAX || unscaled > INT64_MAX) {
            return out_of_range(ast, err); // as Flink's planner has it
        }
        precision++;
        scale += after_point ? 1 : 0;
    }
    const struct type *type = type_decimal(arena, precision, scale, false);
    *out = expr_literal_i128(arena, type, negative ? -unscaled : unscaled);
    return STATUS_OK;
}

static enum status bind_exact(struct arena *arena, const struct ast_expr *ast, bool negative,
                              const struct expr **out, struct err *err)
{
    struct str text = ast->as.literal.text;
    size_t point = str_find(text, '.');
    if (point + 1 < text.size) {
        return bind_decimal(arena, ast, negative, out, err);
    }
    int128 value = 0;
    for (size_t i = 0; i < point; i++) {
        value = value * 10 + (text.ptr[i] - '0');
        if (value > (int128)INT64_MAX + 1) {
            return out_of_range(ast, err);
        }
    }
    value = negative ? -value : value;
    if (value > INT64_MAX) {
        return out_of_range(ast, err);
    }
    *out = value >= INT32_MIN && value <= INT32_MAX ? expr_literal_int(arena, (int32_t)value)
                                                    : expr_literal_bigint(arena, (int64_t)value);
    return STATUS_OK;
}

static enum status bind_approximate(struct arena *arena, const struct ast_expr *ast, bool negative,
                                    const struct expr **out, struct err *err)
{
    struct str text = ast->as.literal.text;
    if (text.size > NUMBER_TEXT_MAX) {
        return out_of_range(ast, err);
    }
    double value = strtod(arena_str(arena, text).ptr, NULL);
    if (value > DBL_MAX) {
        return out_of_range(ast, err);
    }
    *out = expr_literal_double(arena, negative ? -value : value);
    return STATUS_OK;
}

// Fields of an interval, from the largest. `limit`: the first value that a field behind the leading
// one cannot have.
static const struct {
    enum ast_unit unit;
    int64_t months; // of one; or
    int64_t ms;
    int64_t limit;
    const char *name;
} interval_fields[INTERVAL_FIELDS] = {
    {AST_UNIT_YEAR, 12, 0, 0, "YEAR"},         {AST_UNIT_MONTH, 1, 0, 12, "MONTH"},
    {AST_UNIT_DAY, 0, 86400000, 0, "DAY"},     {AST_UNIT_HOUR, 0, 3600000, 24, "HOUR"},
    {AST_UNIT_MINUTE, 0, 60000, 60, "MINUTE"}, {AST_UNIT_SECOND, 0, 1000, 60, "SECOND"},
};

static uint32_t interval_field(enum ast_unit unit)
{
    uint32_t at = 0;
    while (at < INTERVAL_FIELDS && interval_fields[at].unit != unit) {
        at++;
    }
    return at;
}

struct interval {
    const struct ast_expr *ast;
    struct str text; // without sign
    int64_t months;
    int64_t ms;
};

static enum status illegal_interval(const struct interval *interval, struct err *err)
{
    return REFUSE(err, interval->ast->at, "'%.*s' does not fit its INTERVAL's fields",
                  STR_ARGS(interval->ast->as.literal.text));
}

// One whole number; the leading field may have as many digits as its precision says.
static enum status read_field(struct interval *interval, size_t *at, uint32_t field,
                              bool is_leading, struct err *err)
{
    struct str text = interval->text;
    size_t from = *at;
    int64_t value = 0;
    while (*at < text.size && is_digit(text.ptr[*at])) {
        if (*at - from == 18) {
            return illegal_interval(interval, err);
        }
        value = value * 10 + (text.ptr[*at] - '0');
        (*at)++;
    }
    if (*at == from) {
        return illegal_interval(interval, err);
    }
    int32_t precision = interval->ast->as.literal.interval.precision;
    int32_t digits_max = precision < 0 ? LEADING_DIGITS_DEFAULT : precision;
    int32_t digits = 0;
    for (int64_t rest = value; rest > 0; rest /= 10) {
        digits++;
    }
    const char *name = interval_fields[field].name;
    if (is_leading && digits > digits_max) {
        enum status status = REFUSE(err, interval->ast->at, "%lld has more digits than %s(%d)",
                                    (long long)value, name, (int)digits_max);
        err_hint(err, "write INTERVAL '%.*s' %s(%d)", STR_ARGS(text), name, (int)digits);
        return status;
    }
    if (!is_leading && value >= interval_fields[field].limit) {
        return illegal_interval(interval, err);
    }
    interval->months += value * interval_fields[field].months;
    interval->ms += value * interval_fields[field].ms;
    return STATUS_OK;
}

// Digits of a second's fraction; below a millisecond they are cut.
static enum status read_fraction(struct interval *interval, size_t *at, struct err *err)
{
    struct str text = interval->text;
    if (*at == text.size || text.ptr[*at] != '.') {
        return STATUS_OK;
    }
    int64_t unit = 100;
    size_t from = ++*at;
    for (; *at < text.size && is_digit(text.ptr[*at]); (*at)++, unit /= 10) {
        interval->ms += (text.ptr[*at] - '0') * unit;
    }
    return *at == from || *at - from > 9 ? illegal_interval(interval, err) : STATUS_OK;
}

static enum status read_interval(struct interval *interval, struct err *err)
{
    static const char separators[] = {'-', 0, ' ', ':', ':', 0}; // behind each field
    const struct ast_interval_qualifier *qualifier = &interval->ast->as.literal.interval;
    uint32_t from = interval_field(qualifier->from);
    uint32_t to = interval_field(qualifier->to);
    if (from == INTERVAL_FIELDS || to == INTERVAL_FIELDS || to < from) {
        return illegal_interval(interval, err);
    }
    size_t at = 0;
    for (uint32_t field = from; field <= to; field++) {
        TRY(read_field(interval, &at, field, field == from, err));
        if (field < to && !read_byte(interval->text, &at, separators[field])) {
            return illegal_interval(interval, err);
        }
    }
    if (qualifier->to == AST_UNIT_SECOND) {
        TRY(read_fraction(interval, &at, err));
    }
    return at == interval->text.size ? STATUS_OK : illegal_interval(interval, err);
}

// WEEK and QUARTER are counts of another unit.
static enum status read_multiple(struct interval *interval, int64_t months, int64_t ms,
                                 struct err *err)
{
    int64_t count;
    if (!str_to_i64(interval->text, &count) || count < 0 || count > 99) {
        return illegal_interval(interval, err);
    }
    interval->months = count * months;
    interval->ms = count * ms;
    return STATUS_OK;
}

static enum status bind_interval(struct arena *arena, const struct ast_expr *ast, bool negative,
                                 const struct expr **out, struct err *err)
{
    const struct ast_literal *literal = &ast->as.literal;
    struct interval interval = {.ast = ast, .text = str_trim(literal->text)};
    negative = negative != literal->negative;
    if (interval.text.size > 0 && (interval.text.ptr[0] == '-' || interval.text.ptr[0] == '+')) {
        negative = negative != (interval.text.ptr[0] == '-');
        interval.text = str_slice(interval.text, 1, interval.text.size);
    }
    enum ast_unit unit = literal->interval.from;
    bool is_months = unit == AST_UNIT_YEAR || unit == AST_UNIT_MONTH || unit == AST_UNIT_QUARTER;
    if (unit == AST_UNIT_WEEK) {
        TRY(read_multiple(&interval, 0, INT64_C(7) * 86400000, err));
    } else if (unit == AST_UNIT_QUARTER) {
        TRY(read_multiple(&interval, 3, 0, err));
    } else {
        TRY(read_interval(&interval, err));
    }
    int64_t value = is_months ? interval.months : interval.ms;
    if (is_months && value > INT32_MAX) {
        return illegal_interval(&interval, err);
    }
    const struct type *type = is_months ? &type_interval_month : &type_interval_second;
    *out = expr_literal_i64(arena, type_with_null(arena, type, false), negative ? -value : value);
    return STATUS_OK;
}

static enum status bind_binary(struct arena *arena, const struct ast_expr *ast,
                               const struct expr **out, struct err *err)
{
    struct str bytes = ast->as.literal.text;
    if (ast->at.length == 2 * bytes.size + 4) { // X'', and one digit more
        return REFUSE(err, ast->at, "a binary literal needs an even number of digits");
    }
    const struct type *type = type_sized(arena, TYPE_BINARY, (int32_t)bytes.size, false);
    *out = expr_literal_string(arena, type, bytes);
    return STATUS_OK;
}

static enum status bind_value(struct arena *arena, const struct ast_expr *ast, bool negative,
                              const struct expr **out, struct err *err)
{
    const struct ast_literal *literal = &ast->as.literal;
    switch (literal->kind) {
    case AST_LITERAL_NULL: *out = expr_null(arena, &type_null); return STATUS_OK;
    case AST_LITERAL_TRUE: *out = expr_literal_boolean(arena, true); return STATUS_OK;
    case AST_LITERAL_FALSE: *out = expr_literal_boolean(arena, false); return STATUS_OK;
    case AST_LITERAL_UNKNOWN: *out = expr_null(arena, &type_boolean); return STATUS_OK;
    case AST_LITERAL_STRING: *out = expr_literal_char(arena, literal->text); return STATUS_OK;
    case AST_LITERAL_BINARY: return bind_binary(arena, ast, out, err);
    case AST_LITERAL_EXACT: return bind_exact(arena, ast, negative, out, err);
    case AST_LITERAL_APPROXIMATE: return bind_approximate(arena, ast, negative, out, err);
    case AST_LITERAL_DATE: return bind_date(arena, ast, out, err);
    case AST_LITERAL_TIME: return bind_time(arena, ast, out, err);
    case AST_LITERAL_TIMESTAMP:
    case AST_LITERAL_TIMESTAMP_LTZ: return bind_timestamp(arena, ast, out, err);
    case AST_LITERAL_INTERVAL: return bind_interval(arena, ast, negative, out, err);
    }
    return REFUSE(err, ast->at, "unknown literal");
}

enum status bind_literal(struct arena *arena, const struct ast_expr *ast, bool negative,
                         const struct expr **out, struct err *err)
{
    TRY(bind_value(arena, ast, negative, out, err));
    *out = expr_at(arena, *out, ast->at.offset, ast->at.length);
    return STATUS_OK;
}

enum status bind_literal_interval_ms(struct arena *arena, const struct ast_expr *ast, int64_t *out,
                                     struct err *err)
{
    if (ast->kind != AST_EXPR_LITERAL || ast->as.literal.kind != AST_LITERAL_INTERVAL) {
        return REFUSE(err, ast->at,
                      "an INTERVAL literal belongs here, such as INTERVAL '1' MINUTE");
    }
    const struct expr *value;
    TRY(bind_literal(arena, ast, false, &value, err));
    if (value->type->kind != TYPE_INTERVAL_SECOND) {
        return REFUSE(err, ast->at, "an interval of days to seconds belongs here");
    }
    memcpy(out, column_value(value->value, 0), sizeof *out);
    return STATUS_OK;
}
