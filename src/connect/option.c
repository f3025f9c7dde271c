// SPDX-License-Identifier: Apache-2.0
#include "connect/option.h"

#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"

enum { OPTION_KEY_MAX = 256 };

// Values.

bool option_parse_bool(struct str text, bool *out)
{
    *out = str_is_nocase(text, "true");
    return *out || str_is_nocase(text, "false");
}

struct option_unit {
    const char *names; // separated by blanks
    int64_t factor;
};

static bool option_unit_find(struct str name, const struct option_unit *units, size_t count,
                             int64_t *factor)
{
    for (size_t i = 0; i < count; i++) {
        struct str names = str_from(units[i].names);
        while (names.size > 0) {
            size_t end = str_find(names, ' ');
            if (str_equal_nocase(str_slice(names, 0, end), name)) {
                *factor = units[i].factor;
                return true;
            }
            names = str_slice(names, end < names.size ? end + 1 : end, names.size);
        }
    }
    return false;
}

// "10 s": digits, blanks, a unit.
static bool option_split(struct str text, int64_t *number, struct str *unit)
{
    text = str_trim(text);
    size_t digits = 0;
    while (digits < text.size && text.ptr[digits] >= '0' && text.ptr[digits] <= '9') {
        digits++;
    }
    *unit = str_trim(str_slice(text, digits, text.size));
    return digits > 0 && str_to_i64(str_slice(text, 0, digits), number);
}

bool option_parse_duration(struct str text, int64_t *ms)
{
    static const struct option_unit units[] = {
        {"d day days", INT64_C(86400000000)},
        {"h hour hours", INT64_C(3600000000)},
        {"m min minute minutes", 60000000},
        {"s sec second seconds", 1000000},
        {"ms milli millis millisecond milliseconds", 1000},
        {"us micro micros microsecond microseconds", 1},
    };
    int64_t number;
    struct str unit;
    int64_t factor = 1000;
    int64_t micros;
    if (!option_split(text, &number, &unit) ||
        (unit.size > 0 &&
         !option_unit_find(unit, units, sizeof units / sizeof units[0], &factor)) ||
        __builtin_mul_overflow(number, factor, &micros)) {
        return false;
    }
    *ms = micros / 1000;
    return true;
}

bool option_parse_memory(struct str text, int64_t *bytes)
{
    static const struct option_unit units[] = {
        {"b bytes", 1},
        {"k kb kib kibibytes", 1 << 10},
        {"m mb mib mebibytes", 1 << 20},
        {"g gb gib gibibytes", 1 << 30},
        {"t tb tib tebibytes", INT64_C(1) << 40},
    };
    int64_t number;
    struct str unit;
    int64_t factor = 1;
    return option_split(text, &number, &unit) &&
           (unit.size == 0 ||
            option_unit_find(unit, units, sizeof units / sizeof units[0], &factor)) &&
           !__builtin_mul_overflow(number, factor, bytes);
}

static bool option_is_number(struct str text)
{
    bool any = false;
    for (size_t i = 0; i < text.size; i++) {
        char byte = text.ptr[i];
        if (byte >= '0' && byte <= '9') {
            any = true;
        } else if (byte != '.' && !(i == 0 && (byte == '-' || byte == '+'))) {
            return false;
        }
    }
    return any;
}

static bool option_in_values(struct str text, const char *values)
{
    struct str rest = str_from(values);
    while (rest.size > 0) {
        size_t end = str_find(rest, '|');
        if (str_equal_nocase(str_slice(rest, 0, end), text)) {
            return true;
        }
        rest = str_slice(rest, end < rest.size ? end + 1 : end, rest.size);
    }
    return false;
}

// NULL where the value is good; else what it should be.
static const char *option_value_fault(const struct option_def *option, struct str value)
{
    int64_t number;
    bool flag;
    switch (option->type) {
    case OPTION_STRING: return NULL;
    case OPTION_INTEGER: return str_to_i64(str_trim(value), &number) ? NULL : "an integer";
    case OPTION_NUMBER: return option_is_number(str_trim(value)) ? NULL : "a number";
    case OPTION_BOOLEAN: return option_parse_bool(str_trim(value), &flag) ? NULL : "true or false";
    case OPTION_DURATION:
        return option_parse_duration(value, &number) ? NULL
                                                     : "a duration such as '10 s' or '500 ms'";
    case OPTION_MEMORY:
        return option_parse_memory(value, &number) ? NULL : "a size such as '64 mb'";
    case OPTION_ENUM: return option_in_values(value, option->values) ? NULL : option->values;
    }
    return NULL;
}

// Keys.

// Where '#' is a name: 'fields.#.min' against 'fields.my.column.min'.
static bool option_key_matches(const char *pattern, struct str key)
{
    const char *hole = strpbrk(pattern, "#*");
    if (hole == NULL) {
        return str_is(key, pattern);
    }
    size_t head = (size_t)(hole - pattern);
    size_t tail = strlen(hole + 1);
    return key.size > head + tail && memcmp(key.ptr, pattern, head) == 0 &&
           memcmp(key.ptr + key.size - tail, hole + 1, tail) == 0;
}

static const struct option_def *option_find(struct str key, const struct option_set *sets,
                                            uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!str_starts(key, sets[i].prefix)) {
            continue;
        }
        struct str rest = str_slice(key, strlen(sets[i].prefix), key.size);
        for (uint32_t k = 0; k < sets[i].count; k++) {
            if (option_key_matches(sets[i].options[k].key, rest)) {
                return &sets[i].options[k];
            }
        }
    }
    return NULL;
}

// "connector 'kafka'", or what is being described where there is none.
static void option_owner(const struct table_def *def, char out[OPTION_KEY_MAX])
{
    const struct str *connector = table_def_option(def, "connector");
    if (connector != NULL) {
        snprintf(out, OPTION_KEY_MAX, "connector '%.*s'", STR_ARGS(*connector));
    } else {
        snprintf(out, OPTION_KEY_MAX, "'%.*s'", STR_ARGS(def->name));
    }
}

static enum status option_unknown(const struct table_def *def, struct str key,
                                  const struct option_set *sets, uint32_t count, struct err *err)
{
    char nearest[OPTION_KEY_MAX] = "";
    uint32_t least = UINT32_MAX;
    struct strbuf all;
    strbuf_init(&all, 320);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < sets[i].count; k++) {
            char name[OPTION_KEY_MAX];
            snprintf(name, sizeof name, "%s%s", sets[i].prefix, sets[i].options[k].key);
            uint32_t distance = str_distance(key, str_from(name));
            if (distance < least) {
                least = distance;
                memcpy(nearest, name, sizeof nearest);
            }
            strbuf_printf(&all, "%s%s", all.size > 0 ? ", " : "", name);
        }
    }
    char owner[OPTION_KEY_MAX];
    option_owner(def, owner);
    ERR(err, STATUS_INVALID_DATA, "%s has no option '%.*s'", owner, STR_ARGS(key));
    if (least <= key.size / 2 && least < 8) {
        err_hint(err, "did you mean '%s'?", nearest);
    } else {
        err_hint(err, "options: %s%s", all.ptr, all.truncated ? " ..." : "");
    }
    strbuf_release(&all);
    return STATUS_INVALID_DATA;
}

static enum status option_check_required(const struct table_def *def, const struct option_set *set,
                                         struct err *err)
{
    for (uint32_t i = 0; i < set->count; i++) {
        if (set->options[i].is_required && !option_is_set(def, set->prefix, set->options[i].key)) {
            char owner[OPTION_KEY_MAX];
            option_owner(def, owner);
            ERR(err, STATUS_INVALID_DATA, "option '%s%s' is missing, which %s needs", set->prefix,
                set->options[i].key, owner);
            err_hint(err, "%s", set->options[i].doc);
            return STATUS_INVALID_DATA;
        }
    }
    return STATUS_OK;
}

// "a|b" is shown as "a, b".
static void option_hint(const struct option_def *option, const char *fault, struct err *err)
{
    char text[ERR_HINT_MAX];
    size_t size = 0;
    for (const char *at = fault; *at != '\0' && size + 3 < sizeof text; at++) {
        bool separates = option->type == OPTION_ENUM && *at == '|';
        text[size++] = separates ? ',' : *at;
        if (separates) {
            text[size++] = ' ';
        }
    }
    text[size] = '\0';
    err_hint(err, option->type == OPTION_ENUM ? "one of: %s" : "it is %s", text);
}

static enum status option_check_all(const struct table_def *def, const struct option_set *sets,
                                    uint32_t count, struct err *err)
{
    for (uint32_t i = 0; i < def->option_count; i++) {
        const struct table_option *set = &def->options[i];
        const struct option_def *option = option_find(set->key, sets, count);
        if (option == NULL) {
            return option_unknown(def, set->key, sets, count, err);
        }
        const char *fault = option_value_fault(option, set->value);
        if (fault == NULL) {
            continue;
        }
        ERR(err, STATUS_INVALID_DATA, "option '%.*s' cannot be '%.*s'", STR_ARGS(set->key),
            STR_ARGS(set->value));
        option_hint(option, fault, err);
        return STATUS_INVALID_DATA;
    }
    for (uint32_t i = 0; i < count; i++) {
        TRY(option_check_required(def, &sets[i], err));
    }
    return STATUS_OK;
}

enum status option_check(const struct table_def *def, const struct option_set *sets, uint32_t count,
                         struct err *err)
{
    enum status status = option_check_all(def, sets, count, err);
    if (status != STATUS_OK && err != NULL) {
        err->stage = ERR_STAGE_VALIDATE;
    }
    return status;
}

// Getters.

static const struct str *option_value(const struct table_def *def, const char *prefix,
                                      const char *key)
{
    char name[OPTION_KEY_MAX];
    snprintf(name, sizeof name, "%s%s", prefix, key);
    return table_def_option(def, name);
}

bool option_is_set(const struct table_def *def, const char *prefix, const char *key)
{
    return option_value(def, prefix, key) != NULL;
}

struct str option_text(const struct table_def *def, const char *prefix, const char *key,
                       const char *standard)
{
    const struct str *value = option_value(def, prefix, key);
    return value != NULL ? *value : str_from(standard);
}

bool option_bool(const struct table_def *def, const char *prefix, const char *key, bool standard)
{
    const struct str *value = option_value(def, prefix, key);
    bool out;
    return value != NULL && option_parse_bool(str_trim(*value), &out) ? out : standard;
}

int64_t option_integer(const struct table_def *def, const char *prefix, const char *key,
                       int64_t standard)
{
    const struct str *value = option_value(def, prefix, key);
    int64_t out;
    return value != NULL && str_to_i64(str_trim(*value), &out) ? out : standard;
}

int64_t option_duration_ms(const struct table_def *def, const char *prefix, const char *key,
                           int64_t standard)
{
    const struct str *value = option_value(def, prefix, key);
    int64_t out;
    return value != NULL && option_parse_duration(*value, &out) ? out : standard;
}

int64_t option_memory(const struct table_def *def, const char *prefix, const char *key,
                      int64_t standard)
{
    const struct str *value = option_value(def, prefix, key);
    int64_t out;
    return value != NULL && option_parse_memory(*value, &out) ? out : standard;
}
