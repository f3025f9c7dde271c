// SPDX-License-Identifier: Apache-2.0
#include "expr/date_pattern.h"

#include <string.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "data/datetime.h"
#include "expr/date_pattern_int.h"

const char *const date_pattern_months[12] = {"January",   "February", "March",    "April",
                                             "May",       "June",     "July",     "August",
                                             "September", "October",  "November", "December"};
const char *const date_pattern_days[7] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                          "Thursday", "Friday", "Saturday"};

enum { NANO_DIGITS = 9, SHORT_NAME = 3, NARROW_COUNT = 5, ORDINARY_YEAR_WIDTH = 4 };

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool date_pattern_is_text(const struct date_pattern *pattern, const struct date_pattern_item *item)
{
    if (item->letter == 0) {
        return true;
    }
    if (strchr("GEaBzZXxOVv", item->letter) != NULL) {
        return true;
    }
    bool simple = pattern->dialect == DATE_PATTERN_SIMPLE;
    return (item->count >= 3 && strchr("ML", item->letter) != NULL) ||
           (!simple && item->count >= 3 && strchr("Qqec", item->letter) != NULL);
}

// How often a letter of java.time may stand: 0 for a letter that does not exist.
static int32_t count_max(char letter)
{
    switch (letter) {
    case 'y':
    case 'u':
    case 'Y':
    case 'A':
    case 'n':
    case 'N': return 19;
    case 'M':
    case 'L':
    case 'Q':
    case 'q':
    case 'E':
    case 'e':
    case 'c':
    case 'G':
    case 'B':
    case 'X':
    case 'x':
    case 'Z': return 5;
    case 'd':
    case 'H':
    case 'h':
    case 'K':
    case 'k':
    case 'm':
    case 's':
    case 'w':
    case 'V': return 2;
    case 'D': return 3;
    case 'S': return 9;
    case 'W':
    case 'F':
    case 'a': return 1;
    case 'z':
    case 'v':
    case 'O': return 4;
    default: return 0;
    }
}

static enum status check_letter(const struct date_pattern *pattern, char letter, int32_t count,
                                struct err *err)
{
    if (pattern->dialect == DATE_PATTERN_SIMPLE) {
        return strchr("GyYMLwWDdFEuaHkKhmsSzZX", letter) != NULL
                   ? STATUS_OK
                   : ERR(err, STATUS_INVALID_DATA, "illegal pattern character '%c'", letter);
    }
    int32_t max = count_max(letter);
    if (max == 0) {
        return ERR(err, STATUS_INVALID_DATA, "unknown pattern letter: %c", letter);
    }
    if (count > max || (letter == 'c' && count == 2) || (letter == 'V' && count != 2)) {
        return ERR(err, STATUS_INVALID_DATA, "too many pattern letters: %c", letter);
    }
    return STATUS_OK;
}

// 'literal', with '' for a quote; *at is behind the opening quote.
static enum status quoted(struct arena *arena, struct str text, size_t *at,
                          struct date_pattern_item *item, struct err *err)
{
    char *literal = arena_alloc(arena, text.size + 1);
    size_t size = 0;
    if (*at < text.size && text.ptr[*at] == '\'') { // '' outside of quotes
        literal[size++] = '\'';
        ++*at;
        item->literal = str_make(literal, size);
        return STATUS_OK;
    }
    while (*at < text.size) {
        char c = text.ptr[(*at)++];
        if (c == '\'') {
            if (*at < text.size && text.ptr[*at] == '\'') {
                ++*at;
            } else {
                item->literal = str_make(literal, size);
                return STATUS_OK;
            }
        }
        literal[size++] = c;
    }
    return ERR(err, STATUS_INVALID_DATA, "the pattern ends with an incomplete literal: %.*s",
               STR_ARGS(text));
}

static enum status next_item(struct arena *arena, const struct date_pattern *pattern,
                             struct str text, size_t *at, struct date_pattern_item *item,
                             struct err *err)
{
    char c = text.ptr[*at];
    bool simple = pattern->dialect == DATE_PATTERN_SIMPLE;
    *item = (struct date_pattern_item){0};
    if (is_letter(c)) {
        item->letter = c;
        while (*at < text.size && text.ptr[*at] == c) {
            item->count++;
            ++*at;
        }
        return check_letter(pattern, c, item->count, err);
    }
    size_t start = (*at)++;
    if (c == '\'') {
        return quoted(arena, text, at, item, err);
    }
    if (!simple && (c == '[' || c == ']')) {
        item->letter = c;
        return STATUS_OK;
    }
    if (!simple && (c == '{' || c == '}' || c == '#')) {
        return ERR(err, STATUS_INVALID_DATA, "the pattern includes the reserved character '%c'", c);
    }
    item->literal = str_slice(text, start, *at);
    return STATUS_OK;
}

enum status date_pattern_compile(struct arena *arena, struct str text,
                                 enum date_pattern_dialect dialect, const struct date_pattern **out,
                                 struct err *err)
{
    struct date_pattern *pattern = arena_new(arena, struct date_pattern);
    pattern->dialect = dialect;
    text = arena_str(arena, text);
    int32_t depth = 0;
    for (size_t at = 0; at < text.size;) {
        if (pattern->count == DATE_PATTERN_ITEMS_MAX) {
            return ERR(err, STATUS_INVALID_DATA, "the pattern is too long");
        }
        struct date_pattern_item *item = &pattern->items[pattern->count++];
        TRY(next_item(arena, pattern, text, &at, item, err));
        depth += item->letter == '[' ? 1 : item->letter == ']' ? -1 : 0;
        if (depth < 0) {
            return ERR(err, STATUS_INVALID_DATA, "the pattern has a ']' without a '['");
        }
    }
    *out = pattern;
    return STATUS_OK;
}

// A moment taken apart.
struct parts {
    int64_t year, month, day, weekday; // weekday from 0 = Sunday
    int64_t day_of_year;
    int64_t hour, minute, second, nano;
    int64_t days;
    const struct date_pattern_moment *moment;
};

// Dates before 1582-10-15 as the Julian calendar has them, which SimpleDateFormat uses there.
static struct datetime_civil julian_from_days(int64_t days)
{
    int64_t shifted = days + 719470; // from 0000-03-01 of the Julian calendar
    int64_t cycle = datetime_floor_div(shifted, 1461);
    int64_t day_of_cycle = shifted - cycle * 1461;
    int64_t year_of_cycle = (day_of_cycle - day_of_cycle / 1460) / 365;
    int64_t day_of_year = day_of_cycle - 365 * year_of_cycle;
    int64_t month = (5 * day_of_year + 2) / 153;
    return (struct datetime_civil){.year = (int32_t)(cycle * 4 + year_of_cycle + (month >= 10)),
                                   .month = (int32_t)(month < 10 ? month + 3 : month - 9),
                                   .day = (int32_t)(day_of_year - (153 * month + 2) / 5 + 1)};
}

static struct parts take_apart(const struct date_pattern *pattern,
                               const struct date_pattern_moment *moment)
{
    const int64_t gregorian_start = -141427; // 1582-10-15
    bool julian = pattern->dialect == DATE_PATTERN_SIMPLE && moment->days < gregorian_start;
    struct datetime_civil civil =
        julian ? julian_from_days(moment->days) : datetime_civil_from_days(moment->days);
    int64_t seconds = moment->nanos / DATETIME_NS_PER_SECOND;
    return (struct parts){.year = civil.year,
                          .month = civil.month,
                          .day = civil.day,
                          .weekday = datetime_floor_mod(moment->days + 4, 7),
                          .day_of_year =
                              moment->days - datetime_days_from_civil(civil.year, 1, 1) + 1,
                          .hour = seconds / 3600,
                          .minute = seconds / 60 % 60,
                          .second = seconds % 60,
                          .nano = moment->nanos % DATETIME_NS_PER_SECOND,
                          .days = moment->days,
                          .moment = moment};
}

// Weeks from Sunday, the first one holding January 1: its number, and the year it belongs to.
static int64_t week_of(const struct parts *parts, int64_t *week_year)
{
    int64_t january = datetime_days_from_civil(parts->year, 1, 1);
    int64_t start = january - datetime_floor_mod(january + 4, 7);
    int64_t next = datetime_days_from_civil(parts->year + 1, 1, 1);
    int64_t next_start = next - datetime_floor_mod(next + 4, 7);
    *week_year = parts->year;
    if (parts->days >= next_start) {
        *week_year = parts->year + 1;
        return 1;
    }
    return (parts->days - start) / 7 + 1;
}

static int64_t week_of_month(const struct parts *parts)
{
    int64_t first = parts->days - parts->day + 1;
    return (parts->day - 1 + datetime_floor_mod(first + 4, 7)) / 7 + 1;
}

static const char *day_period(int64_t hour)
{
    if (hour < 6 || hour >= 21) {
        return "at night";
    }
    return hour < 12 ? "in the morning" : hour < 18 ? "in the afternoon" : "in the evening";
}

// The value of a letter that stands for a number; false where it does not.
static bool number_of(const struct parts *parts, const struct date_pattern_item *item, bool simple,
                      int64_t *value)
{
    int64_t week_year;
    switch (item->letter) {
    case 'y': *value = parts->year > 0 ? parts->year : 1 - parts->year; return true;
    case 'u': *value = simple ? (parts->weekday + 6) % 7 + 1 : parts->year; return true;
    case 'Y': (void)week_of(parts, value); return true;
    case 'M':
    case 'L': *value = parts->month; return true;
    case 'Q':
    case 'q': *value = (parts->month + 2) / 3; return true;
    case 'd': *value = parts->day; return true;
    case 'D': *value = parts->day_of_year; return true;
    case 'F': *value = (parts->day - 1) / 7 + 1; return true;
    case 'w': *value = week_of(parts, &week_year); return true;
    case 'W': *value = week_of_month(parts); return true;
    case 'e':
    case 'c': *value = parts->weekday + 1; return true;
    case 'H': *value = parts->hour; return true;
    case 'k': *value = parts->hour == 0 ? 24 : parts->hour; return true;
    case 'K': *value = parts->hour % 12; return true;
    case 'h': *value = (parts->hour + 11) % 12 + 1; return true;
    case 'm': *value = parts->minute; return true;
    case 's': *value = parts->second; return true;
    case 'S': *value = parts->nano / 1000000; return true; // SIMPLE: milliseconds
    case 'A': *value = parts->moment->nanos / 1000000; return true;
    case 'n': *value = parts->nano; return true;
    case 'N': *value = parts->moment->nanos; return true;
    default: return false;
    }
}

static void put_name(struct strbuf *out, const char *name, const struct date_pattern_item *item,
                     bool simple)
{
    if (!simple && item->count == NARROW_COUNT) {
        strbuf_add_byte(out, name[0]);
    } else if (item->count >= 4) {
        strbuf_add_text(out, name);
    } else {
        strbuf_add(out, str_make(name, SHORT_NAME));
    }
}

// Names; false where the item is a number.
static bool put_text(struct strbuf *out, const struct parts *parts,
                     const struct date_pattern_item *item, bool simple)
{
    bool named = item->count >= 3;
    switch (item->letter) {
    case 'M':
    case 'L':
        if (named) {
            put_name(out, date_pattern_months[parts->month - 1], item, simple);
        }
        return named;
    case 'E': put_name(out, date_pattern_days[parts->weekday], item, simple); return true;
    case 'e':
    case 'c':
        if (named) {
            put_name(out, date_pattern_days[parts->weekday], item, simple);
        }
        return named;
    case 'Q':
    case 'q':
        if (named) {
            static const char *const quarters[] = {"1st", "2nd", "3rd", "4th"};
            int64_t quarter = (parts->month + 2) / 3;
            if (item->count == 4) {
                strbuf_printf(out, "%s quarter", quarters[quarter - 1]);
            } else {
                strbuf_printf(out, item->count == 3 ? "Q%lld" : "%lld", (long long)quarter);
            }
        }
        return named;
    case 'G':
        strbuf_add_text(out, simple || item->count < 4 ? (parts->year > 0 ? "AD" : "BC")
                             : item->count == 4
                                 ? (parts->year > 0 ? "Anno Domini" : "Before Christ")
                                 : (parts->year > 0 ? "A" : "B"));
        return true;
    case 'a': strbuf_add_text(out, parts->hour < 12 ? "AM" : "PM"); return true;
    case 'B': strbuf_add_text(out, day_period(parts->hour)); return true;
    default: return false;
    }
}

// Offsets and zone names, which only SIMPLE has at hand.
static void put_zone(struct strbuf *out, const struct parts *parts,
                     const struct date_pattern_item *item)
{
    int32_t offset = parts->moment->offset;
    char sign = offset < 0 ? '-' : '+';
    int32_t minutes = (offset < 0 ? -offset : offset) / 60;
    if (item->letter == 'z') {
        strbuf_add(out, parts->moment->zone);
    } else if (item->letter == 'X' && offset == 0) {
        strbuf_add_byte(out, 'Z');
    } else if (item->letter == 'X' && item->count == 1) {
        strbuf_printf(out, "%c%02d", sign, (int)(minutes / 60));
    } else {
        strbuf_printf(out, item->letter == 'X' && item->count > 2 ? "%c%02d:%02d" : "%c%02d%02d",
                      sign, (int)(minutes / 60), (int)(minutes % 60));
    }
}

// At least `width` digits.
static void put_padded(struct strbuf *out, int64_t value, int32_t width)
{
    char digits[24];
    size_t at = sizeof digits;
    for (; (value > 0 || width > 0) && at > 0; width--) {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    }
    strbuf_add(out, str_make(digits + at, sizeof digits - at));
}

static void put_number(struct strbuf *out, const struct date_pattern_item *item, bool simple,
                       int64_t value)
{
    bool is_year = strchr("yuY", item->letter) != NULL && !(simple && item->letter == 'u');
    if (is_year && item->count == 2) {
        put_padded(out, datetime_floor_mod(value, 100), 2);
        return;
    }
    bool exceeds = !simple && is_year && item->count >= ORDINARY_YEAR_WIDTH;
    if (exceeds && value >= 10000) {
        strbuf_add_byte(out, '+');
    }
    if (value < 0) {
        strbuf_add_byte(out, '-');
        value = -value;
    }
    put_padded(out, value, item->count);
}

static enum status put_item(struct strbuf *out, const struct date_pattern *pattern,
                            const struct parts *parts, const struct date_pattern_item *item,
                            struct err *err)
{
    bool simple = pattern->dialect == DATE_PATTERN_SIMPLE;
    if (item->letter == 0) {
        strbuf_add(out, item->literal);
        return STATUS_OK;
    }
    if (item->letter == '[' || item->letter == ']') {
        return STATUS_OK;
    }
    if (put_text(out, parts, item, simple)) {
        return STATUS_OK;
    }
    if (item->letter == 'S' && !simple) {
        int64_t fraction = parts->nano;
        for (int32_t i = item->count; i < NANO_DIGITS; i++) {
            fraction /= 10;
        }
        put_padded(out, fraction, item->count);
        return STATUS_OK;
    }
    int64_t value;
    if (number_of(parts, item, simple, &value)) {
        put_number(out, item, simple, value);
        return STATUS_OK;
    }
    if (!simple) {
        return ERR(err, STATUS_INVALID_DATA,
                   "the pattern letter %c needs a time zone, which a local time has not",
                   item->letter);
    }
    put_zone(out, parts, item);
    return STATUS_OK;
}

enum status date_pattern_format(const struct date_pattern *pattern,
                                const struct date_pattern_moment *moment, struct strbuf *out,
                                struct err *err)
{
    struct parts parts = take_apart(pattern, moment);
    for (uint32_t i = 0; i < pattern->count; i++) {
        TRY(put_item(out, pattern, &parts, &pattern->items[i], err));
    }
    return STATUS_OK;
}

int64_t date_pattern_granularity(const struct date_pattern *pattern)
{
    const int64_t second = DATETIME_NS_PER_SECOND;
    int64_t granularity = second * DATETIME_SECONDS_PER_DAY;
    for (uint32_t i = 0; i < pattern->count; i++) {
        char letter = pattern->items[i].letter;
        int64_t own = granularity;
        if (letter != 0 && strchr("SAnNB", letter) != NULL) {
            own = 1;
        } else if (letter == 's') {
            own = second;
        } else if (letter == 'm') {
            own = second * 60;
        } else if (letter != 0 && strchr("HhKkazXZOxVv", letter) != NULL) {
            own = second * 60 * 15; // offsets change at quarters of an hour at the finest
        }
        granularity = own < granularity ? own : granularity;
    }
    return granularity;
}
