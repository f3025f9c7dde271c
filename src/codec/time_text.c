// SPDX-License-Identifier: Apache-2.0
#include "codec/time_text.h"

#include <string.h>

#include "codec/digits.h"

#ifdef __SSSE3__
#include <tmmintrin.h>
#endif

enum { DATE_SIZE = 10, MINUTE_SIZE = 16, SECOND_SIZE = 19 };

struct time_fields {
    uint32_t year, month, day, hour, minute;
};

// "2024-02-29" and, where `with_time`, " 23:59" behind it: digits in their places, no more looked
// at than that. Sixteen bytes are read.
#ifdef __SSSE3__
static bool time_fields_read(const char *at, bool with_time, struct time_fields *out)
{
    __m128i text = _mm_loadu_si128((const __m128i *)(const void *)at);
    // The digits side by side: yyyy MM dd HH mm.
    const __m128i places = _mm_setr_epi8(0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 0, 1, 0, 1);
    __m128i digits = _mm_sub_epi8(_mm_shuffle_epi8(text, places), _mm_set1_epi8('0'));
    __m128i good = _mm_cmpeq_epi8(_mm_min_epu8(digits, _mm_set1_epi8(9)), digits);
    int need = with_time ? 0xffff : 0x00ff;
    if ((_mm_movemask_epi8(good) & need) != need) {
        return false;
    }
    __m128i pairs = _mm_maddubs_epi16(digits, _mm_set1_epi16(0x010a)); // tens * 10 + ones
    out->year = (uint32_t)_mm_extract_epi16(pairs, 0) * 100 + (uint32_t)_mm_extract_epi16(pairs, 1);
    out->month = (uint32_t)_mm_extract_epi16(pairs, 2);
    out->day = (uint32_t)_mm_extract_epi16(pairs, 3);
    out->hour = (uint32_t)_mm_extract_epi16(pairs, 4);
    out->minute = (uint32_t)_mm_extract_epi16(pairs, 5);
    return at[4] == '-' && at[7] == '-' && (!with_time || at[13] == ':');
}
#else
static bool time_pair(const char *at, uint32_t *out)
{
    uint32_t tens = (uint32_t)(unsigned char)at[0] - '0';
    uint32_t ones = (uint32_t)(unsigned char)at[1] - '0';
    *out = tens * 10 + ones;
    return tens <= 9 && ones <= 9;
}

static bool time_fields_read(const char *at, bool with_time, struct time_fields *out)
{
    uint32_t century;
    uint32_t year;
    bool good = time_pair(at, &century) && time_pair(at + 2, &year) && at[4] == '-' &&
                time_pair(at + 5, &out->month) && at[7] == '-' && time_pair(at + 8, &out->day);
    if (!good) {
        return false;
    }
    out->year = century * 100 + year;
    return !with_time ||
           (time_pair(at + 11, &out->hour) && at[13] == ':' && time_pair(at + 14, &out->minute));
}
#endif

// Days since 1970-01-01 in the proleptic Gregorian calendar; false where there is no such day.
static bool time_days(const struct time_fields *fields, int32_t *days)
{
    static const uint8_t lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    static const uint16_t before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    uint32_t year = fields->year;
    uint32_t month = fields->month - 1;
    if (month > 11 || year == 0) {
        return false;
    }
    bool is_leap = (year & 3) == 0 && (year % 100 != 0 || year % 400 == 0);
    uint32_t length = lengths[month] + (uint32_t)(month == 1 && is_leap);
    if (fields->day - 1 >= length) {
        return false;
    }
    uint32_t past = year - 1;
    *days = (int32_t)(past * 365 + past / 4 - past / 100 + past / 400 + before[month] +
                      (month > 1 && is_leap) + fields->day - 1) -
            719162; // the day number of 1970-01-01
    return true;
}

bool time_text_date(struct str text, int32_t *days)
{
    struct time_fields fields;
    return text.size == DATE_SIZE && time_fields_read(text.ptr, false, &fields) &&
           time_days(&fields, days);
}

// ":59[.123]" at *at: seconds and nanoseconds.
static bool time_second(const char **at, const char *end, uint32_t *second, int32_t *nanosecond)
{
    const char *p = *at;
    *nanosecond = 0;
    if (end - p < 3 || p[0] != ':') {
        return false;
    }
    uint32_t tens = (uint32_t)(unsigned char)p[1] - '0';
    uint32_t ones = (uint32_t)(unsigned char)p[2] - '0';
    *second = tens * 10 + ones;
    if (tens > 5 || ones > 9) {
        return false;
    }
    p += 3;
    if (p < end && *p == '.') {
        uint64_t value;
        uint32_t count = digits_eight(p + 1, &value);
        if (count == 8 && (unsigned char)(p[9] - '0') <= 9) {
            value = value * 10 + (uint64_t)(p[9] - '0');
            count = 9;
        }
        if (count == 0 || count > end - p - 1) {
            return false;
        }
        *nanosecond = (int32_t)(value * digits_power10[9 - count]);
        p += 1 + count;
    }
    *at = p;
    return true;
}

bool time_text_time(struct str text, int64_t *microseconds)
{
    // Read as the second half of a timestamp, whose first is always good.
    char whole[SECOND_SIZE + 10 + TIME_TEXT_SLACK] = "2000-01-01 ";
    if (text.size < 8 || text.size > 18) {
        return false;
    }
    memcpy(whole + 11, text.ptr, text.size);
    struct time_text time;
    if (!time_text_timestamp(str_make(whole, 11 + text.size), TIME_TEXT_SQL, &time)) {
        return false;
    }
    *microseconds = time.second % 86400 * 1000000 + time.nanosecond / 1000;
    return true;
}

// Everything but the zone; *at is left behind what was read.
static bool time_local(const char **at, const char *end, enum time_text_form form,
                       struct time_text *out)
{
    struct time_fields fields;
    int32_t days;
    const char *p = *at;
    if (end - p < MINUTE_SIZE || !time_fields_read(p, true, &fields)) {
        return false;
    }
    bool good = form == TIME_TEXT_SQL ? p[10] == ' ' : (p[10] == 'T' || p[10] == 't');
    if (!good || fields.hour > 23 || fields.minute > 59 || !time_days(&fields, &days)) {
        return false;
    }
    p += MINUTE_SIZE;
    uint32_t second = 0;
    int32_t nanosecond = 0;
    if (form == TIME_TEXT_SQL || (p < end && *p == ':')) {
        if (!time_second(&p, end, &second, &nanosecond)) {
            return false;
        }
    }
    out->second = (int64_t)days * 86400 + fields.hour * 3600 + fields.minute * 60 + second;
    out->nanosecond = nanosecond;
    *at = p;
    return true;
}

bool time_text_timestamp(struct str text, enum time_text_form form, struct time_text *out)
{
    const char *at = text.ptr;
    const char *end = text.ptr + text.size;
    return time_local(&at, end, form, out) && at == end;
}

// "Z" or "+02:00" to the end of the text.
static bool time_offset(const char *at, const char *end, int32_t *seconds)
{
    *seconds = 0;
    if (end - at == 1) {
        return *at == 'Z' || *at == 'z';
    }
    if (end - at != 6 || (at[0] != '+' && at[0] != '-') || at[3] != ':') {
        return false;
    }
    uint64_t hours;
    uint64_t minutes;
    if (digits_eight(at + 1, &hours) != 2 || digits_eight(at + 4, &minutes) < 2) {
        return false;
    }
    minutes = (uint64_t)(at[4] - '0') * 10 + (uint64_t)(at[5] - '0');
    if (hours > 18 || minutes > 59) {
        return false;
    }
    *seconds = (int32_t)(hours * 3600 + minutes * 60);
    *seconds = at[0] == '-' ? -*seconds : *seconds;
    return true;
}

bool time_text_timestamp_ltz(struct str text, enum time_text_form form, struct time_text *out)
{
    const char *at = text.ptr;
    const char *end = text.ptr + text.size;
    int32_t offset;
    if (!time_local(&at, end, form, out) || !time_offset(at, end, &offset)) {
        return false;
    }
    out->second -= offset;
    return true;
}

int64_t time_text_micros(const struct time_text *time, int32_t precision)
{
    int32_t micros = time->nanosecond / 1000;
    if (precision < 6) {
        int32_t unit = (int32_t)digits_power10[6 - precision];
        micros = micros / unit * unit;
    }
    return time->second * 1000000 + micros;
}

struct nano time_text_nano(const struct time_text *time, int32_t precision)
{
    int32_t unit = (int32_t)digits_power10[9 - precision];
    return (struct nano){time->second, time->nanosecond / unit * unit};
}
