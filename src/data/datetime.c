// SPDX-License-Identifier: Apache-2.0
#include "data/datetime.h"

#include <string.h>

enum { DAYS_PER_ERA = 146097, DAYS_TO_EPOCH = 719468, YEARS_PER_ERA = 400 };

// Years begin in March, so that the leap day is a year's last (the well-known algorithm of
// H. Hinnant's "chrono-compatible low-level date algorithms").
int64_t datetime_days_from_civil(int64_t year, int32_t month, int32_t day)
{
    int64_t months = (int64_t)month - 1;
    year += datetime_floor_div(months, 12);
    int64_t month_of_year = datetime_floor_mod(months, 12); // 0 = January
    int64_t march_month = (month_of_year + 10) % 12;        // 0 = March
    int64_t march_year = year - (month_of_year < 2);
    int64_t era = datetime_floor_div(march_year, YEARS_PER_ERA);
    int64_t year_of_era = march_year - era * YEARS_PER_ERA;
    int64_t day_of_year = (153 * march_month + 2) / 5;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * DAYS_PER_ERA + day_of_era - DAYS_TO_EPOCH + day - 1;
}

struct datetime_civil datetime_civil_from_days(int64_t days)
{
    days += DAYS_TO_EPOCH;
    int64_t era = datetime_floor_div(days, DAYS_PER_ERA);
    int64_t day_of_era = days - era * DAYS_PER_ERA;
    int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t march_month = (5 * day_of_year + 2) / 153;
    int64_t month = march_month < 10 ? march_month + 3 : march_month - 9;
    return (struct datetime_civil){.year =
                                       (int32_t)(year_of_era + era * YEARS_PER_ERA + (month <= 2)),
                                   .month = (int32_t)month,
                                   .day = (int32_t)(day_of_year - (153 * march_month + 2) / 5 + 1)};
}

int32_t datetime_days_in_month(int64_t year, int32_t month)
{
    static const int8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month == 2 && is_leap ? 29 : days[month - 1];
}

bool datetime_is_date(int64_t year, int32_t month, int32_t day)
{
    return year >= 1 && year <= 9999 && month >= 1 && month <= 12 && day >= 1 &&
           day <= datetime_days_in_month(year, month);
}

int64_t datetime_add_months(int64_t days, int64_t months)
{
    struct datetime_civil civil = datetime_civil_from_days(days);
    int64_t total = (int64_t)civil.year * 12 + civil.month - 1 + months;
    int64_t year = datetime_floor_div(total, 12);
    int32_t month = (int32_t)datetime_floor_mod(total, 12) + 1;
    int32_t last = datetime_days_in_month(year, month);
    return datetime_days_from_civil(year, month, civil.day < last ? civil.day : last);
}

struct nano datetime_nano_from_us(int64_t micros)
{
    return (struct nano){datetime_floor_div(micros, DATETIME_US_PER_SECOND),
                         datetime_floor_mod(micros, DATETIME_US_PER_SECOND) * 1000};
}

int64_t datetime_us_from_nano(struct nano value)
{
    return (int64_t)((uint64_t)value.second * DATETIME_US_PER_SECOND +
                     (uint64_t)(value.nanosecond / 1000));
}

bool datetime_ns_from_nano(struct nano value, int64_t *out)
{
    int128 whole = (int128)value.second * DATETIME_NS_PER_SECOND + value.nanosecond;
    *out = whole > INT64_MAX ? INT64_MAX : whole < INT64_MIN ? INT64_MIN : (int64_t)whole;
    return *out == whole;
}

struct nano datetime_nano_add_ns(struct nano value, int64_t second, int64_t nanosecond)
{
    int64_t total = value.nanosecond + nanosecond;
    int64_t carry = datetime_floor_div(total, DATETIME_NS_PER_SECOND);
    return (struct nano){value.second + second + carry,
                         datetime_floor_mod(total, DATETIME_NS_PER_SECOND)};
}

static int64_t power10(int32_t exponent)
{
    static const int64_t powers[] = {1,      10,      100,      1000,      10000,
                                     100000, 1000000, 10000000, 100000000, 1000000000};
    return powers[exponent < 0 ? 0 : exponent > 9 ? 9 : exponent];
}

int64_t datetime_cut_us(int64_t micros, int32_t precision)
{
    return precision >= 6 ? micros : micros - datetime_floor_mod(micros, power10(6 - precision));
}

struct nano datetime_cut_nano(struct nano value, int32_t precision)
{
    value.nanosecond -= value.nanosecond % power10(9 - precision);
    return value;
}

// The lowest `digits` decimal digits.
static char *put_digits(char *out, int64_t value, int32_t digits)
{
    for (int32_t i = digits - 1; i >= 0; i--) {
        out[i] = (char)('0' + value % 10);
        value /= 10;
    }
    return out + digits;
}

static char *put_date(char *out, int64_t days)
{
    struct datetime_civil civil = datetime_civil_from_days(days);
    int32_t year = civil.year < 0 ? -civil.year : civil.year;
    out = put_digits(out, year, 4);
    *out++ = '-';
    out = put_digits(out, civil.month, 2);
    *out++ = '-';
    return put_digits(out, civil.day, 2);
}

static char *put_clock(char *out, int64_t second_of_day)
{
    out = put_digits(out, second_of_day / 3600, 2);
    *out++ = ':';
    out = put_digits(out, second_of_day / 60 % 60, 2);
    *out++ = ':';
    return put_digits(out, second_of_day % 60, 2);
}

uint32_t datetime_format_date(int64_t days, char *out)
{
    return (uint32_t)(put_date(out, days) - out);
}

uint32_t datetime_format_time(int32_t millis, int32_t precision, char *out)
{
    return datetime_format_time_us(millis * INT64_C(1000), precision, out);
}

uint32_t datetime_format_time_us(int64_t micros, int32_t precision, char *out)
{
    char *at = put_clock(out, micros / DATETIME_US_PER_SECOND);
    if (precision > 0) {
        *at++ = '.';
        at = put_digits(at, micros % DATETIME_US_PER_SECOND / power10(6 - precision), precision);
    }
    return (uint32_t)(at - out);
}

static uint32_t format_moment(int64_t second, int64_t nanosecond, int32_t precision, char *out)
{
    char *at = put_date(out, datetime_floor_div(second, DATETIME_SECONDS_PER_DAY));
    *at++ = ' ';
    at = put_clock(at, datetime_floor_mod(second, DATETIME_SECONDS_PER_DAY));
    if (precision > 0) {
        *at++ = '.';
        at = put_digits(at, nanosecond / power10(9 - precision), precision);
    }
    return (uint32_t)(at - out);
}

uint32_t datetime_format_us(int64_t micros, int32_t precision, char *out)
{
    return format_moment(datetime_floor_div(micros, DATETIME_US_PER_SECOND),
                         datetime_floor_mod(micros, DATETIME_US_PER_SECOND) * 1000, precision, out);
}

uint32_t datetime_format_nano(struct nano value, int32_t precision, char *out)
{
    return format_moment(value.second, value.nanosecond, precision, out);
}

static char *put_number(char *out, uint64_t value, int32_t digits_min)
{
    int32_t digits = digits_min;
    for (uint64_t rest = value / (uint64_t)power10(digits_min); rest != 0; rest /= 10) {
        digits++;
    }
    return put_digits(out, (int64_t)value, digits);
}

uint32_t datetime_format_months(int32_t months, char *out)
{
    char *at = out;
    *at++ = months < 0 ? '-' : '+';
    uint64_t size = months < 0 ? (uint64_t) - (int64_t)months : (uint64_t)months;
    at = put_number(at, size / 12, 1);
    *at++ = '-';
    at = put_digits(at, (int64_t)(size % 12), 2);
    return (uint32_t)(at - out);
}

uint32_t datetime_format_interval(int64_t millis, char *out)
{
    char *at = out;
    *at++ = millis < 0 ? '-' : '+';
    uint64_t size = millis < 0 ? -(uint64_t)millis : (uint64_t)millis;
    at = put_number(at, size / DATETIME_MS_PER_DAY, 1);
    *at++ = ' ';
    at = put_clock(at, (int64_t)(size % DATETIME_MS_PER_DAY / 1000));
    *at++ = '.';
    at = put_digits(at, (int64_t)(size % 1000), 3);
    return (uint32_t)(at - out);
}

// As Java's trim(): all bytes up to the blank.
static struct str trim(struct str text)
{
    while (text.size > 0 && (unsigned char)text.ptr[0] <= ' ') {
        text = str_slice(text, 1, text.size);
    }
    while (text.size > 0 && (unsigned char)text.ptr[text.size - 1] <= ' ') {
        text.size--;
    }
    return text;
}

// Digits only, up to nine, blanks around.
static bool read_part(struct str text, int32_t *out)
{
    text = trim(text);
    if (text.size == 0 || text.size > 9) {
        return false;
    }
    int32_t value = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9') {
            return false;
        }
        value = value * 10 + (text.ptr[i] - '0');
    }
    *out = value;
    return true;
}

// Cuts what is in front of `separator` off `rest`; all of it where there is none.
static struct str next_part(struct str *rest, char separator, bool *has_more)
{
    size_t at = str_find(*rest, separator);
    struct str part = str_slice(*rest, 0, at);
    *has_more = at < rest->size;
    *rest = str_slice(*rest, *has_more ? at + 1 : at, rest->size);
    return part;
}

bool datetime_parse_date(struct str text, int32_t *days)
{
    size_t blank = str_find(text, ' ');
    if (blank > 0 && blank < text.size) { // a time of day behind it
        text = str_slice(text, 0, blank);
    }
    int32_t year = 0;
    int32_t month = 1;
    int32_t day = 1;
    bool has_more;
    struct str rest = text;
    if (!read_part(next_part(&rest, '-', &has_more), &year) ||
        (has_more && !read_part(next_part(&rest, '-', &has_more), &month)) ||
        (has_more && !read_part(rest, &day)) || !datetime_is_date(year, month, day)) {
        return false;
    }
    *days = (int32_t)datetime_days_from_civil(year, month, day);
    return true;
}

// The digits behind a point, as microseconds; further ones are cut.
static bool read_micros(struct str text, int32_t *micros)
{
    *micros = 0;
    text = trim(text);
    for (size_t i = 0; i < text.size; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9') {
            return false;
        }
    }
    for (size_t i = 0; i < 6; i++) {
        *micros = *micros * 10 + (i < text.size ? text.ptr[i] - '0' : 0);
    }
    return true;
}

bool datetime_parse_time_us(struct str text, int64_t *micros)
{
    int32_t hour = 0;
    int32_t minute = 0;
    int32_t second = 0;
    int32_t fraction = 0;
    bool has_more;
    struct str rest = text;
    if (!read_part(next_part(&rest, ':', &has_more), &hour) ||
        (has_more && !read_part(next_part(&rest, ':', &has_more), &minute))) {
        return false;
    }
    if (has_more) {
        if (!read_part(next_part(&rest, '.', &has_more), &second) ||
            (has_more && !read_micros(rest, &fraction))) {
            return false;
        }
    }
    int64_t seconds = (int64_t)hour * 3600 + (int64_t)minute * 60 + second;
    *micros = seconds * DATETIME_US_PER_SECOND + fraction;
    return *micros < DATETIME_US_PER_DAY;
}

bool datetime_parse_time(struct str text, int32_t *millis)
{
    int64_t micros;
    if (!datetime_parse_time_us(text, &micros)) {
        return false;
    }
    *millis = (int32_t)(micros / 1000);
    return true;
}

// One or two digits.
static bool read_short(struct str *rest, int32_t *out)
{
    size_t digits = 0;
    *out = 0;
    while (digits < 2 && digits < rest->size && rest->ptr[digits] >= '0' &&
           rest->ptr[digits] <= '9') {
        *out = *out * 10 + (rest->ptr[digits++] - '0');
    }
    *rest = str_slice(*rest, digits, rest->size);
    return digits > 0;
}

static bool skip_byte(struct str *rest, char byte)
{
    if (rest->size == 0 || rest->ptr[0] != byte) {
        return false;
    }
    *rest = str_slice(*rest, 1, rest->size);
    return true;
}

static bool read_clock(struct str *rest, int64_t *second_of_day, int64_t *nanosecond)
{
    int32_t hour;
    int32_t minute;
    int32_t second;
    if (!skip_byte(rest, ' ') || !read_short(rest, &hour) || !skip_byte(rest, ':') ||
        !read_short(rest, &minute) || !skip_byte(rest, ':') || !read_short(rest, &second)) {
        return false;
    }
    int64_t fraction = 0;
    if (skip_byte(rest, '.')) {
        int32_t digits = 0;
        for (; digits < 9 && rest->size > 0 && rest->ptr[0] >= '0' && rest->ptr[0] <= '9';
             digits++) {
            fraction = fraction * 10 + (rest->ptr[0] - '0');
            *rest = str_slice(*rest, 1, rest->size);
        }
        fraction *= power10(9 - digits);
    }
    bool is_end_of_day = hour == 24 && minute == 0 && second == 0 && fraction == 0;
    *second_of_day = (int64_t)hour * 3600 + minute * 60 + second;
    *nanosecond = fraction;
    return (hour < 24 || is_end_of_day) && minute < 60 && second < 60;
}

bool datetime_parse_timestamp(struct str text, struct nano *out)
{
    int32_t year;
    int32_t month;
    int32_t day;
    struct str rest = str_slice(text, text.size < 4 ? text.size : 4, text.size);
    bool has_blank = text.size > 0 && (text.ptr[0] == ' ' || (text.size > 3 && text.ptr[3] == ' '));
    if (text.size < 4 || has_blank || !read_part(str_slice(text, 0, 4), &year) || year == 0 ||
        !skip_byte(&rest, '-') || !read_short(&rest, &month) || !skip_byte(&rest, '-') ||
        !read_short(&rest, &day) || month < 1 || month > 12 || day < 1 || day > 31) {
        return false;
    }
    int64_t second_of_day = 0;
    int64_t nanosecond = 0;
    if (rest.size > 0 && (!read_clock(&rest, &second_of_day, &nanosecond) || rest.size > 0)) {
        return false;
    }
    int32_t last = datetime_days_in_month(year, month);
    int64_t days = datetime_days_from_civil(year, month, day < last ? day : last);
    *out = (struct nano){days * DATETIME_SECONDS_PER_DAY + second_of_day, nanosecond};
    return true;
}
