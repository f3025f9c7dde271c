// SPDX-License-Identifier: Apache-2.0
#include "connect/option.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/quantity.h"
#include "base/strbuf.h"

enum { OPTION_KEY_MAX = 256 };

// Values.

bool option_parse_bool(struct str text, bool *out)
{
    *out = str_is_nocase(text, "true");
    return *out || str_is_nocase(text, "false");
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
        return quantity_duration_ms(value, &number) ? NULL
                                                    : "a duration such as '10 s' or '500 ms'";
    case OPTION_MEMORY: return quantity_bytes(value, &number) ? NULL : "a size such as '64 mb'";
    case OPTION_ENUM: return quantity_is_choice(value, option->values) ? NULL : option->values;
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

// 'csv.delimiter' for 'csv.field-delimiter': the group and the last word of a name.
static bool option_is_short_for(struct str key, struct str name)
{
    size_t dot = str_find(key, '.');
    struct str word = str_slice(key, dot < key.size ? dot + 1 : 0, key.size);
    size_t group = key.size - word.size;
    return word.size > 0 && name.size > key.size &&
           str_equal(str_slice(name, 0, group), str_slice(key, 0, group)) &&
           str_equal(str_slice(name, name.size - word.size, name.size), word) &&
           strchr(".-", name.ptr[name.size - word.size - 1]) != NULL;
}

static enum status option_unknown(const struct table_def *def, struct str key,
                                  const struct option_set *sets, uint32_t count, struct err *err)
{
    struct nearest nearest = nearest_to(key);
    char best[OPTION_KEY_MAX] = "";
    struct strbuf all;
    strbuf_init(&all, 320);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < sets[i].count; k++) {
            char name[OPTION_KEY_MAX];
            snprintf(name, sizeof name, "%s%s", sets[i].prefix, sets[i].options[k].key);
            if (option_is_short_for(key, str_from(name)) &&
                (nearest.distance > 0 || strlen(name) < strlen(best))) {
                nearest.distance = 0;
                memcpy(best, name, sizeof best);
            }
            nearest_try(&nearest, str_from(name));
            if (nearest.best.ptr == name) { // the buffer goes: keep it
                memcpy(best, name, sizeof best);
                nearest.best = str_from(best);
            }
            strbuf_printf(&all, "%s%s", all.size > 0 ? ", " : "", name);
        }
    }
    char owner[OPTION_KEY_MAX];
    option_owner(def, owner);
    ERR(err, STATUS_INVALID_DATA, "%s has no option '%.*s'", owner, STR_ARGS(key));
    if (best[0] != '\0') {
        err_hint(err, "did you mean '%s'?", best);
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
        if (option->type == OPTION_ENUM) {
            quantity_hint_choices(option->values, err);
        } else {
            err_hint(err, "it is %s", fault);
        }
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
    return value != NULL && quantity_duration_ms(*value, &out) ? out : standard;
}

int64_t option_memory(const struct table_def *def, const char *prefix, const char *key,
                      int64_t standard)
{
    const struct str *value = option_value(def, prefix, key);
    int64_t out;
    return value != NULL && quantity_bytes(*value, &out) ? out : standard;
}
