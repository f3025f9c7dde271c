// SPDX-License-Identifier: Apache-2.0
//
// A zone is its list of changes. The rule in the file's footer is written out for 400 years behind
// the last change; later moments are moved back by whole eras of 400 years, after which the
// Gregorian calendar, weekdays included, repeats.
#include "data/zone.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/vec.h"
#include "data/datetime.h"

enum {
    ZONE_FILE_MAX = 1 << 20,
    ZONE_NAME_MAX = 64,
    HEADER_SIZE = 44,
    RULE_YEARS = 401,
};
#define SECONDS_PER_ERA (INT64_C(146097) * DATETIME_SECONDS_PER_DAY)
#define ZONE_DIRECTORY "/usr/share/zoneinfo/"

struct change {
    int64_t at; // UTC second from which `offset` is in force
    int32_t offset;
};

struct zone {
    struct str name;
    int32_t first_offset; // before the first change
    uint32_t change_count;
    const struct change *changes;
    const int64_t *local_ends; // local second from which changes[i] is in force
    bool has_rule;             // the last 400 years of changes repeat for ever
};

struct change_list {
    VEC(struct change) changes;
};

struct str zone_name(const struct zone *zone)
{
    return zone == NULL ? STR_LIT("UTC") : zone->name;
}

// How many changes are at or before `second`.
static uint32_t changes_until(const struct zone *zone, int64_t second, bool is_local)
{
    uint32_t low = 0;
    uint32_t high = zone->change_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int64_t at = is_local ? zone->local_ends[middle] : zone->changes[middle].at;
        if (at <= second) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static struct zone_span find_span(const struct zone *zone, int64_t second, bool is_local)
{
    if (zone == NULL) {
        return (struct zone_span){INT64_MIN, INT64_MAX, 0};
    }
    int64_t shift = 0;
    if (zone->has_rule) {
        int64_t last = zone->changes[zone->change_count - 1].at;
        if (second >= last) {
            shift = ((second - last) / SECONDS_PER_ERA + 1) * SECONDS_PER_ERA;
        }
    }
    uint32_t count = changes_until(zone, second - shift, is_local);
    struct zone_span span = {INT64_MIN, INT64_MAX,
                             count == 0 ? zone->first_offset : zone->changes[count - 1].offset};
    if (count > 0) {
        span.from = shift + (is_local ? zone->local_ends[count - 1] : zone->changes[count - 1].at);
    }
    if (count < zone->change_count) {
        span.until = shift + (is_local ? zone->local_ends[count] : zone->changes[count].at);
    }
    return span;
}

struct zone_span zone_span_of_utc(const struct zone *zone, int64_t utc_second)
{
    return find_span(zone, utc_second, false);
}

struct zone_span zone_span_of_local(const struct zone *zone, int64_t local_second)
{
    return find_span(zone, local_second, true);
}

static int32_t offset_at(const struct zone *zone, int64_t second, bool is_local,
                         struct zone_span *span)
{
    if (second < span->from || second >= span->until) {
        *span = find_span(zone, second, is_local);
    }
    return span->offset;
}

int64_t zone_local_us(const struct zone *zone, int64_t utc_us, struct zone_span *span)
{
    if (zone == NULL) {
        return utc_us;
    }
    int64_t second = datetime_floor_div(utc_us, DATETIME_US_PER_SECOND);
    return utc_us + (int64_t)offset_at(zone, second, false, span) * DATETIME_US_PER_SECOND;
}

int64_t zone_utc_us(const struct zone *zone, int64_t local_us, struct zone_span *span)
{
    if (zone == NULL) {
        return local_us;
    }
    int64_t second = datetime_floor_div(local_us, DATETIME_US_PER_SECOND);
    return local_us - (int64_t)offset_at(zone, second, true, span) * DATETIME_US_PER_SECOND;
}

// ---- the footer: std offset [dst [offset] [,start[/time],end[/time]]]

struct rule_day {
    int32_t month;
    int32_t week; // 5: the last
    int32_t weekday;
    int32_t julian; // for Jn: day n, February 29 never counted; for n: day n + 1 with month = -1
    int32_t second; // of the day, may be negative or beyond it
};

struct rule {
    int32_t offset;
    int32_t dst_offset;
    bool has_dst;
    struct rule_day start;
    struct rule_day end;
};

static bool eat(struct str *text, char byte)
{
    if (text->size == 0 || text->ptr[0] != byte) {
        return false;
    }
    *text = str_slice(*text, 1, text->size);
    return true;
}

static bool read_number(struct str *text, int32_t *out)
{
    size_t digits = 0;
    int32_t value = 0;
    while (digits < text->size && digits < 5 && text->ptr[digits] >= '0' &&
           text->ptr[digits] <= '9') {
        value = value * 10 + (text->ptr[digits++] - '0');
    }
    *text = str_slice(*text, digits, text->size);
    *out = value;
    return digits > 0;
}

// [+-]h[:m[:s]] in seconds.
static bool read_clock(struct str *text, int32_t *out)
{
    bool is_negative = eat(text, '-');
    if (!is_negative) {
        (void)eat(text, '+');
    }
    int32_t hours;
    int32_t minutes = 0;
    int32_t seconds = 0;
    if (!read_number(text, &hours) || hours > 200 ||
        (eat(text, ':') && !read_number(text, &minutes)) ||
        (eat(text, ':') && !read_number(text, &seconds))) {
        return false;
    }
    int32_t total = hours * 3600 + minutes * 60 + seconds;
    *out = is_negative ? -total : total;
    return true;
}

static bool skip_abbreviation(struct str *text)
{
    size_t size = 0;
    if (eat(text, '<')) {
        size = str_find(*text, '>');
        *text = str_slice(*text, size < text->size ? size + 1 : size, text->size);
        return true;
    }
    while (size < text->size && ((text->ptr[size] >= 'A' && text->ptr[size] <= 'Z') ||
                                 (text->ptr[size] >= 'a' && text->ptr[size] <= 'z'))) {
        size++;
    }
    *text = str_slice(*text, size, text->size);
    return size > 0;
}

static bool read_rule_day(struct str *text, struct rule_day *out)
{
    *out = (struct rule_day){.second = 2 * 3600};
    if (!eat(text, ',')) {
        return false;
    }
    if (eat(text, 'M')) {
        if (!read_number(text, &out->month) || !eat(text, '.') || !read_number(text, &out->week) ||
            !eat(text, '.') || !read_number(text, &out->weekday) || out->month < 1 ||
            out->month > 12 || out->weekday > 6) {
            return false;
        }
    } else {
        out->month = eat(text, 'J') ? 0 : -1;
        if (!read_number(text, &out->julian)) {
            return false;
        }
    }
    return !eat(text, '/') || read_clock(text, &out->second);
}

static bool read_rule(struct str text, struct rule *rule)
{
    *rule = (struct rule){0};
    if (!skip_abbreviation(&text) || !read_clock(&text, &rule->offset)) {
        return false;
    }
    rule->offset = -rule->offset; // POSIX counts west of Greenwich
    if (text.size == 0) {
        return true;
    }
    if (!skip_abbreviation(&text)) {
        return false;
    }
    rule->has_dst = true;
    rule->dst_offset = rule->offset + 3600;
    if (text.size > 0 && text.ptr[0] != ',') {
        if (!read_clock(&text, &rule->dst_offset)) {
            return false;
        }
        rule->dst_offset = -rule->dst_offset;
    }
    return read_rule_day(&text, &rule->start) && read_rule_day(&text, &rule->end);
}

// The local second of a rule's day in a year.
static int64_t rule_second(const struct rule_day *day, int32_t year)
{
    int64_t days;
    if (day->month > 0) {
        int64_t first = datetime_days_from_civil(year, day->month, 1);
        int32_t first_weekday = datetime_iso_weekday(first) % 7; // 0 = Sunday
        int32_t in_month = (day->weekday - first_weekday + 7) % 7 + (day->week - 1) * 7;
        while (in_month >= datetime_days_in_month(year, day->month)) {
            in_month -= 7;
        }
        days = first + in_month;
    } else {
        bool is_leap = datetime_days_in_month(year, 2) == 29;
        int32_t offset =
            day->month == 0 ? day->julian - 1 + (is_leap && day->julian >= 60) : day->julian;
        days = datetime_days_from_civil(year, 1, 1) + offset;
    }
    return days * DATETIME_SECONDS_PER_DAY + day->second;
}

static void add_change(struct change_list *list, int64_t at, int32_t offset)
{
    struct change change = {at, offset};
    if (list->changes.count == 0 || list->changes.items[list->changes.count - 1].at < at) {
        VEC_PUSH(&list->changes, change);
    }
}

static void write_out_rule(const struct rule *rule, struct change_list *list)
{
    int64_t last = list->changes.count == 0 ? 0 : list->changes.items[list->changes.count - 1].at;
    int32_t year =
        datetime_civil_from_days(datetime_floor_div(last, DATETIME_SECONDS_PER_DAY)).year;
    for (int32_t i = 0; i <= RULE_YEARS; i++) {
        int64_t start = rule_second(&rule->start, year + i) - rule->offset;
        int64_t end = rule_second(&rule->end, year + i) - rule->dst_offset;
        if (start < end) {
            add_change(list, start, rule->dst_offset);
            add_change(list, end, rule->offset);
        } else {
            add_change(list, end, rule->offset);
            add_change(list, start, rule->dst_offset);
        }
    }
}

// ---- the file

struct reader {
    const unsigned char *at;
    size_t left;
};

static int64_t big_endian(const unsigned char *bytes, size_t width)
{
    uint64_t value = (bytes[0] & 0x80) != 0 ? UINT64_MAX : 0;
    for (size_t i = 0; i < width; i++) {
        value = value << 8 | bytes[i];
    }
    return (int64_t)value;
}

struct counts {
    uint32_t utc_flags;
    uint32_t std_flags;
    uint32_t leaps;
    uint32_t times;
    uint32_t types;
    uint32_t chars;
};

static bool read_header(struct reader *reader, struct counts *counts)
{
    if (reader->left < HEADER_SIZE || memcmp(reader->at, "TZif", 4) != 0 || reader->at[4] < '2') {
        return false;
    }
    uint32_t values[6];
    for (size_t i = 0; i < 6; i++) {
        int64_t value = big_endian(reader->at + 20 + 4 * i, 4);
        if (value < 0 || value > ZONE_FILE_MAX) {
            return false;
        }
        values[i] = (uint32_t)value;
    }
    *counts = (struct counts){values[0], values[1], values[2], values[3], values[4], values[5]};
    reader->at += HEADER_SIZE;
    reader->left -= HEADER_SIZE;
    return counts->types > 0;
}

static size_t body_size(const struct counts *counts, size_t time_size)
{
    return counts->times * (time_size + 1) + counts->types * (size_t)6 + counts->chars +
           counts->leaps * (time_size + 4) + counts->std_flags + counts->utc_flags;
}

static bool read_body(struct reader *reader, const struct counts *counts, struct change_list *list,
                      int32_t *first_offset)
{
    size_t size = body_size(counts, 8);
    if (reader->left < size) {
        return false;
    }
    const unsigned char *times = reader->at;
    const unsigned char *indexes = times + 8 * (size_t)counts->times;
    const unsigned char *types = indexes + counts->times;
    *first_offset = (int32_t)big_endian(types, 4);
    for (uint32_t i = 0; i < counts->times; i++) {
        if (indexes[i] >= counts->types) {
            return false;
        }
        add_change(list, big_endian(times + 8 * (size_t)i, 8),
                   (int32_t)big_endian(types + 6 * (size_t)indexes[i], 4));
    }
    reader->at += size;
    reader->left -= size;
    return true;
}

static bool read_footer(struct reader *reader, struct change_list *list, bool *has_rule)
{
    struct str text = {(const char *)reader->at, reader->left};
    if (!eat(&text, '\n')) {
        return false;
    }
    size_t end = str_find(text, '\n');
    if (end == text.size) {
        return false;
    }
    struct rule rule;
    if (end == 0) {
        return true;
    }
    if (!read_rule(str_slice(text, 0, end), &rule)) {
        return false;
    }
    *has_rule = rule.has_dst;
    if (rule.has_dst) {
        write_out_rule(&rule, list);
    }
    return true;
}

static bool read_zone(struct reader reader, struct change_list *list, struct zone *zone)
{
    struct counts counts;
    if (!read_header(&reader, &counts)) {
        return false;
    }
    size_t skip = body_size(&counts, 4);
    if (reader.left < skip) {
        return false;
    }
    reader.at += skip;
    reader.left -= skip;
    return read_header(&reader, &counts) &&
           read_body(&reader, &counts, list, &zone->first_offset) &&
           read_footer(&reader, list, &zone->has_rule);
}

static void finish_zone(struct arena *arena, const struct change_list *list, struct zone *zone)
{
    zone->change_count = list->changes.count;
    zone->changes =
        arena_copy(arena, list->changes.items, sizeof *list->changes.items * list->changes.count);
    int64_t *local_ends = arena_alloc(arena, sizeof *local_ends * list->changes.count);
    int32_t before = zone->first_offset;
    for (uint32_t i = 0; i < list->changes.count; i++) {
        int32_t after = zone->changes[i].offset;
        local_ends[i] = zone->changes[i].at + (before > after ? before : after);
        before = after;
    }
    zone->local_ends = local_ends;
}

static bool name_is_safe(struct str name)
{
    for (size_t i = 0; i < name.size; i++) {
        char byte = name.ptr[i];
        bool is_good = (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') ||
                       (byte >= '0' && byte <= '9') || byte == '/' || byte == '_' || byte == '-' ||
                       byte == '+';
        if (!is_good) {
            return false;
        }
    }
    return name.size > 0 && name.size < ZONE_NAME_MAX && name.ptr[0] != '/';
}

static enum status read_file(struct str name, unsigned char *bytes, size_t *size, struct err *err)
{
    char path[sizeof ZONE_DIRECTORY + ZONE_NAME_MAX];
    (void)snprintf(path, sizeof path, ZONE_DIRECTORY "%.*s", STR_ARGS(name));
    FILE *file = fopen(path, "rbe");
    if (file == NULL) {
        return ERR(err, STATUS_NOT_FOUND, "no time zone '%.*s' in " ZONE_DIRECTORY, STR_ARGS(name));
    }
    *size = fread(bytes, 1, ZONE_FILE_MAX, file);
    bool failed = ferror(file) != 0;
    (void)fclose(file);
    if (failed) {
        return ERR(err, STATUS_NOT_FOUND, "no time zone '%.*s': %s cannot be read", STR_ARGS(name),
                   path);
    }
    return STATUS_OK;
}

static enum status load_file(struct arena *arena, struct str name, const struct zone **out,
                             struct err *err)
{
    if (!name_is_safe(name)) {
        return ERR(err, STATUS_NOT_FOUND, "no time zone '%.*s'", STR_ARGS(name));
    }
    unsigned char *bytes = mem_alloc(ZONE_FILE_MAX);
    struct change_list list = {0};
    struct zone *zone = arena_new(arena, struct zone);
    zone->name = arena_str(arena, name);
    size_t size = 0;
    enum status status = read_file(name, bytes, &size, err);
    if (status == STATUS_OK && !read_zone((struct reader){bytes, size}, &list, zone)) {
        status =
            ERR(err, STATUS_INVALID_DATA, "time zone '%.*s': broken zone file", STR_ARGS(name));
    }
    if (status == STATUS_OK) {
        finish_zone(arena, &list, zone);
        *out = zone;
    }
    VEC_RELEASE(&list.changes);
    mem_free(bytes);
    return status;
}

// Z, UTC, GMT, UT alone or before +h, +hh:mm, +hhmm; a sign alone likewise.
static bool read_fixed(struct str name, int32_t *offset)
{
    static const char *const prefixes[] = {"UTC", "GMT", "UT", ""};
    *offset = 0;
    if (str_is(name, "Z")) {
        return true;
    }
    struct str rest = name;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        if (str_starts(name, prefixes[i])) {
            rest = str_slice(name, strlen(prefixes[i]), name.size);
            break;
        }
    }
    if (rest.size == 0) {
        return name.size > 0;
    }
    bool is_negative = eat(&rest, '-');
    if (!is_negative && !eat(&rest, '+')) {
        return false;
    }
    int32_t hours;
    int32_t minutes = 0;
    size_t colon = str_find(rest, ':');
    if (!read_number(&rest, &hours) || (eat(&rest, ':') && !read_number(&rest, &minutes)) ||
        rest.size > 0) {
        return false;
    }
    if (colon > 2) { // +hhmm
        minutes = hours % 100;
        hours /= 100;
    }
    *offset = (hours * 3600 + minutes * 60) * (is_negative ? -1 : 1);
    return hours <= 18 && minutes < 60;
}

enum status zone_load(struct arena *arena, struct str name, const struct zone **out,
                      struct err *err)
{
    int32_t offset;
    *out = NULL;
    if (!read_fixed(name, &offset)) {
        return load_file(arena, name, out, err);
    }
    if (offset != 0) {
        struct zone *zone = arena_new(arena, struct zone);
        zone->name = arena_str(arena, name);
        zone->first_offset = offset;
        *out = zone;
    }
    return STATUS_OK;
}
