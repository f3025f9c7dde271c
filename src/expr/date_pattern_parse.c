// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "data/datetime.h"
#include "expr/date_pattern.h"
#include "expr/date_pattern_int.h"

enum { UNSET = INT32_MIN, DIGITS_MAX = 18, YEAR_BASE = 2000 };

// What was read.
struct fields {
    int64_t year, month, day, day_of_year;
    int64_t hour, half_hour, half; // of the day; of the half day, 0 to 11; 0: AM, 1: PM
    int64_t minute, second, nano, nano_of_day;
};

struct reader {
    const struct date_pattern *pattern;
    struct str text;
    size_t at;
    struct fields fields;
};

static bool is_digit(const struct reader *reader, size_t at)
{
    return at < reader->text.size && reader->text.ptr[at] >= '0' && reader->text.ptr[at] <= '9';
}

// The longest of the names that the text goes on with, or of their first three letters.
static bool read_name(struct reader *reader, const char *const *names, int32_t count,
                      bool short_names, int64_t *index)
{
    bool simple = reader->pattern->dialect == DATE_PATTERN_SIMPLE;
    struct str rest = str_slice(reader->text, reader->at, reader->text.size);
    for (int32_t i = 0; i < count; i++) {
        size_t full = strlen(names[i]);
        size_t sizes[2] = {full, 3};
        for (int form = 0; form < 2; form++) {
            bool allowed = simple || (form == 1) == short_names;
            struct str name = str_make(names[i], sizes[form]);
            struct str text = str_slice(rest, 0, sizes[form] < rest.size ? sizes[form] : rest.size);
            if (allowed && (simple ? str_equal_nocase(text, name) : str_equal(text, name))) {
                reader->at += sizes[form];
                *index = i;
                return true;
            }
        }
    }
    return false;
}

// `min` to `max` digits, with a sign where allowed.
static bool read_number(struct reader *reader, int32_t min, int32_t max, bool sign, int64_t *value)
{
    size_t start = reader->at;
    bool negative = sign && start < reader->text.size && reader->text.ptr[start] == '-';
    size_t at = start + (negative ? 1 : 0);
    int64_t number = 0;
    int32_t digits = 0;
    while (digits < max && is_digit(reader, at)) {
        number = number * 10 + (reader->text.ptr[at] - '0');
        at++;
        digits++;
    }
    if (digits < min) {
        return false;
    }
    reader->at = at;
    *value = negative ? -number : number;
    return true;
}

static bool is_number(const struct date_pattern *pattern, const struct date_pattern_item *item)
{
    return item->letter != 0 && item->letter != '[' && item->letter != ']' &&
           !date_pattern_is_text(pattern, item);
}

// Digits that the fields right behind an item take for themselves: yyyyMMdd.
static int32_t reserved_digits(const struct date_pattern *pattern, uint32_t item)
{
    int32_t reserved = 0;
    for (uint32_t i = item + 1; i < pattern->count; i++) {
        if (!is_number(pattern, &pattern->items[i])) {
            break;
        }
        reserved += pattern->items[i].count;
    }
    return reserved;
}

// How many digits follow from here on.
static int32_t digits_ahead(const struct reader *reader)
{
    int32_t digits = 0;
    while (is_digit(reader, reader->at + (size_t)digits)) {
        digits++;
    }
    return digits;
}

static void digits_of(const struct reader *reader, uint32_t item, int32_t *min, int32_t *max)
{
    const struct date_pattern_item *it = &reader->pattern->items[item];
    bool simple = reader->pattern->dialect == DATE_PATTERN_SIMPLE;
    bool is_year = strchr("yuY", it->letter) != NULL;
    int32_t reserved = reserved_digits(reader->pattern, item);
    if (simple) {
        // Fields that touch the next one have their width, others take what there is.
        *min = 1;
        *max = reserved > 0 ? it->count : DIGITS_MAX;
        return;
    }
    bool fixed = (it->count == 2 && strchr("MLdHhKkmswQqec", it->letter) != NULL) ||
                 (it->count == 2 && is_year) || it->letter == 'S';
    *min = it->count;
    *max = fixed ? it->count : it->letter == 'D' ? 3 : DIGITS_MAX;
    if (!fixed && reserved > 0) {
        int32_t room = digits_ahead(reader) - reserved;
        *max = room < *max ? room : *max;
        *max = *max < *min ? *min : *max;
    }
}

static int64_t year_of(const struct reader *reader, const struct date_pattern_item *item,
                       int64_t value, size_t digits)
{
    if (item->count != 2 || digits != 2) {
        return value;
    }
    if (reader->pattern->dialect == DATE_PATTERN_JAVA_TIME) {
        return YEAR_BASE + value;
    }
    return value > 46 ? 1900 + value : 2000 + value; // SimpleDateFormat: within 80 years back
}

static void set_field(struct fields *fields, char letter, int64_t value)
{
    switch (letter) {
    case 'M':
    case 'L': fields->month = value; return;
    case 'd': fields->day = value; return;
    case 'D': fields->day_of_year = value; return;
    case 'H': fields->hour = value; return;
    case 'k': fields->hour = value == 24 ? 0 : value; return;
    case 'K': fields->half_hour = value; return;
    case 'h': fields->half_hour = value == 12 ? 0 : value; return;
    case 'm': fields->minute = value; return;
    case 's': fields->second = value; return;
    case 'n': fields->nano = value; return;
    case 'N': fields->nano_of_day = value; return;
    case 'A': fields->nano_of_day = value * 1000000; return;
    default: return; // weeks and weekdays are read and not looked at
    }
}

static bool read_numeric(struct reader *reader, uint32_t item)
{
    const struct date_pattern_item *it = &reader->pattern->items[item];
    bool simple = reader->pattern->dialect == DATE_PATTERN_SIMPLE;
    int32_t min;
    int32_t max;
    digits_of(reader, item, &min, &max);
    size_t start = reader->at;
    bool sign = strchr("yuY", it->letter) != NULL;
    int64_t value;
    if (!read_number(reader, min, max, sign, &value)) {
        return false;
    }
    if (it->letter == 'y' || (it->letter == 'u' && !simple)) {
        reader->fields.year = year_of(reader, it, value, reader->at - start);
    } else if (it->letter == 'S') {
        int64_t scale = 1;
        for (int32_t i = simple ? 3 : it->count; i < 9; i++) {
            scale *= 10;
        }
        reader->fields.nano = value * scale;
    } else {
        set_field(&reader->fields, it->letter, value);
    }
    return true;
}

// A zone or offset: letters, digits, signs, colons and slashes up to the next blank.
static bool read_zone(struct reader *reader)
{
    size_t start = reader->at;
    while (reader->at < reader->text.size && reader->text.ptr[reader->at] != ' ') {
        reader->at++;
    }
    return reader->at > start;
}

static bool read_text(struct reader *reader, const struct date_pattern_item *item)
{
    static const char *const halves[] = {"AM ", "PM "};
    static const char *const eras[] = {"BC ", "AD "};
    int64_t index;
    struct str rest = str_slice(reader->text, reader->at, reader->text.size);
    switch (item->letter) {
    case 'M':
    case 'L':
        if (!read_name(reader, date_pattern_months, 12, item->count == 3, &index)) {
            return false;
        }
        reader->fields.month = index + 1;
        return true;
    case 'E':
    case 'e':
    case 'c': return read_name(reader, date_pattern_days, 7, item->count <= 3, &index);
    case 'a':
    case 'G':
        for (int i = 0; i < 2; i++) {
            const char *word = item->letter == 'a' ? halves[i] : eras[i];
            if (rest.size >= 2 && str_equal_nocase(str_slice(rest, 0, 2), str_make(word, 2))) {
                reader->at += 2;
                reader->fields.half = item->letter == 'a' ? i : reader->fields.half;
                return true;
            }
        }
        return false;
    default: return read_zone(reader);
    }
}

static bool read_item(struct reader *reader, uint32_t number)
{
    const struct date_pattern_item *item = &reader->pattern->items[number];
    if (item->letter == 0) {
        struct str rest = str_slice(reader->text, reader->at, reader->text.size);
        size_t size = item->literal.size;
        if (rest.size < size || memcmp(rest.ptr, item->literal.ptr, size) != 0) {
            return false;
        }
        reader->at += size;
        return true;
    }
    if (date_pattern_is_text(reader->pattern, item)) {
        return read_text(reader, item);
    }
    return read_numeric(reader, number);
}

// Behind the ']' that belongs to the '[' at `from`.
static uint32_t skip_optional(const struct date_pattern *pattern, uint32_t from)
{
    int32_t depth = 0;
    for (uint32_t i = from; i < pattern->count; i++) {
        depth += pattern->items[i].letter == '[' ? 1 : pattern->items[i].letter == ']' ? -1 : 0;
        if (depth == 0) {
            return i + 1;
        }
    }
    return pattern->count;
}

static bool read_all(struct reader *reader)
{
    struct reader before = {0}; // where the last optional part began
    uint32_t resume = 0;        // behind it; 0: in none
    for (uint32_t i = 0; i < reader->pattern->count;) {
        char letter = reader->pattern->items[i].letter;
        if (letter == '[') {
            before = *reader;
            resume = skip_optional(reader->pattern, i);
            i++;
        } else if (letter == ']') {
            resume = 0;
            i++;
        } else if (read_item(reader, i)) {
            i++;
        } else if (resume != 0) {
            *reader = before;
            i = resume;
            resume = 0;
        } else {
            return false;
        }
    }
    return true;
}

static int64_t or_default(int64_t value, int64_t otherwise)
{
    return value == UNSET ? otherwise : value;
}

static bool in_range(int64_t value, int64_t min, int64_t max)
{
    return value >= min && value <= max;
}

// The time of day, which may reach 24:00:00 and, leniently, beyond.
static bool resolve_time(const struct reader *reader, int64_t *nanos)
{
    const struct fields *fields = &reader->fields;
    if (fields->nano_of_day != UNSET) {
        *nanos = fields->nano_of_day;
        return in_range(*nanos, 0, INT64_C(86399999999999));
    }
    int64_t hour = fields->hour;
    if (hour == UNSET) {
        hour = or_default(fields->half_hour, 0) + 12 * or_default(fields->half, 0);
    }
    int64_t minute = or_default(fields->minute, 0);
    int64_t second = or_default(fields->second, 0);
    int64_t nano = or_default(fields->nano, 0);
    if (reader->pattern->dialect == DATE_PATTERN_JAVA_TIME) {
        bool midnight = hour == 24 && minute == 0 && second == 0 && nano == 0;
        if (!midnight &&
            (!in_range(hour, 0, 23) || !in_range(minute, 0, 59) || !in_range(second, 0, 59))) {
            return false;
        }
    } else if (!in_range(hour, 0, 1000000) || !in_range(minute, 0, 1000000) ||
               !in_range(second, 0, 100000000)) {
        return false;
    }
    *nanos = ((hour * 60 + minute) * 60 + second) * DATETIME_NS_PER_SECOND + nano;
    return true;
}

static bool resolve_date(const struct reader *reader, int64_t *days)
{
    const struct fields *fields = &reader->fields;
    int64_t year = or_default(fields->year, 1970);
    int64_t month = or_default(fields->month, 1);
    int64_t day = or_default(fields->day, 1);
    bool lenient = reader->pattern->dialect == DATE_PATTERN_SIMPLE;
    if (!in_range(year, lenient ? 1 : -999999999, 999999) || !in_range(month, 0, 100000) ||
        !in_range(day, 0, 10000000)) {
        return false;
    }
    if (fields->day_of_year != UNSET) {
        int64_t length =
            datetime_days_from_civil(year + 1, 1, 1) - datetime_days_from_civil(year, 1, 1);
        *days = datetime_days_from_civil(year, 1, 1) + fields->day_of_year - 1;
        return lenient || in_range(fields->day_of_year, 1, length);
    }
    if (!lenient) {
        if (!in_range(month, 1, 12) || !in_range(day, 1, 31)) {
            return false;
        }
        int64_t last = datetime_days_in_month(year, (int32_t)month);
        day = day < last ? day : last;
    }
    *days = datetime_days_from_civil(year, (int32_t)month, (int32_t)day);
    return true;
}

// Days of a date that SimpleDateFormat reads in the Julian calendar.
static int64_t julian_shift(int64_t days)
{
    const int64_t gregorian_start = -141427; // 1582-10-15
    if (days >= gregorian_start) {
        return days;
    }
    struct datetime_civil civil = datetime_civil_from_days(days);
    int64_t year = civil.month > 2 ? civil.year : civil.year - 1;
    // The calendars differ by the leap days of centuries; both agree in the third century.
    int64_t centuries = datetime_floor_div(year, 100);
    return days + centuries - datetime_floor_div(year, 400) - 2;
}

bool date_pattern_parse(const struct date_pattern *pattern, struct str text,
                        struct date_pattern_moment *out)
{
    struct reader reader = {.pattern = pattern, .text = text};
    reader.fields = (struct fields){UNSET, UNSET, UNSET, UNSET, UNSET, UNSET,
                                    UNSET, UNSET, UNSET, UNSET, UNSET};
    if (!read_all(&reader) ||
        (pattern->dialect == DATE_PATTERN_JAVA_TIME && reader.at != text.size)) {
        return false;
    }
    int64_t nanos;
    int64_t days;
    if (!resolve_time(&reader, &nanos) || !resolve_date(&reader, &days)) {
        return false;
    }
    if (pattern->dialect == DATE_PATTERN_SIMPLE) {
        days = julian_shift(days);
    }
    const int64_t nanos_per_day = INT64_C(86400000000000);
    *out = (struct date_pattern_moment){.days = days + datetime_floor_div(nanos, nanos_per_day),
                                        .nanos = datetime_floor_mod(nanos, nanos_per_day)};
    return true;
}
