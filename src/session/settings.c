// SPDX-License-Identifier: Apache-2.0
#include "session/settings.h"

#include <string.h>

#include "base/assert.h"
#include "base/mem.h"

static const struct setting_known known_settings[] = {
    {"execution.runtime-mode", SETTING_CHOICE, "", "streaming|batch|",
     "whether a query follows its inputs (streaming) or ends with what is there (batch); default: "
     "batch in the shell, streaming in run and serve"},
    {"parallelism.default", SETTING_COUNT, "", "", "workers of a job; default: the cores"},
    {"pipeline.name", SETTING_TEXT, "", "", "name of the pipeline; default: the file's stem"},
    {"pipeline.auto-watermark-interval", SETTING_DURATION, "200 ms", "",
     "how often watermarks are made; 0 ms: after every row"},
    {"execution.checkpointing.interval", SETTING_DURATION, "10 s", "",
     "time between two checkpoints of a pipeline"},
    {"commit-interval", SETTING_DURATION, "0 ms", "",
     "time between two commits of a pipeline's tables; 0: with every checkpoint"},
    {"memory.limit", SETTING_SIZE, "", "", "memory of a job; default: a quarter of the machine's"},
    {"table.local-time-zone", SETTING_ZONE, "default", "", "the session's time zone"},
    {"table.exec.source.idle-timeout", SETTING_DURATION, "30 s", "",
     "after this long without rows a partition no longer holds the watermark back; 0: never idle"},
    {"table.exec.source.cdc-events-duplicate", SETTING_BOOL, "false", "",
     "changes may be delivered twice: keep the last row of each primary key"},
    {"table.exec.sink.not-null-enforcer", SETTING_CHOICE, "ERROR", "ERROR|DROP",
     "what becomes of a NULL that is written into a NOT NULL column"},
    {"table.exec.state.ttl", SETTING_DURATION, "0 ms", "", "state unused for longer may go"},
    {"table.dynamic-table-options.enabled", SETTING_BOOL, "true", "", "OPTIONS hints are allowed"},
    {"table.dml-sync", SETTING_BOOL, "true", "", "INSERT returns when it has finished"},
    {"read.freshness", SETTING_CHOICE, "committed", "committed|live",
     "whether queries see rows that are not yet committed"},
    {"debug.batch-rows", SETTING_COUNT, "2048", "", "rows that a source puts into one batch"},
    {"debug.hashes-zero", SETTING_BOOL, "false", "", "every hash of keyed state is 0"},
    {"debug.stop-after-batches", SETTING_COUNT, "", "",
     "a pipeline stops at a checkpoint when the sources of a worker gave so many batches"},
    {"debug.verify-encodings", SETTING_CHOICE, "none", "none|const|dict|slice|mix",
     "rewrite every operator's output in another encoding and check it"},
};

// Settings that have one value yet: asking for more is refused, not forgotten.
static const struct setting_limit {
    const char *key;
    const char *only;
} limits[] = {
    {"table.exec.state.ttl", "0 ms"},
    {"table.dml-sync", "true"},
    {"read.freshness", "committed"},
};

const struct setting_known *settings_known(uint32_t *count)
{
    *count = sizeof known_settings / sizeof *known_settings;
    return known_settings;
}

static const struct setting_known *find_known(struct str key)
{
    for (uint32_t i = 0; i < sizeof known_settings / sizeof *known_settings; i++) {
        if (str_is(key, known_settings[i].key)) {
            return &known_settings[i];
        }
    }
    return NULL;
}

void settings_init(struct settings *settings)
{
    memset(settings, 0, sizeof *settings);
}

void settings_release(struct settings *settings)
{
    settings_reset_all(settings);
    VEC_RELEASE(&settings->entries);
}

static struct setting_entry *find_entry(const struct settings *settings, struct str key)
{
    for (uint32_t i = 0; i < settings->entries.count; i++) {
        if (str_is(key, settings->entries.items[i].key)) {
            return &settings->entries.items[i];
        }
    }
    return NULL;
}

static char *copy_text(struct str text)
{
    char *copy = mem_alloc(text.size + 1);
    if (text.size > 0) {
        memcpy(copy, text.ptr, text.size);
    }
    copy[text.size] = '\0';
    return copy;
}

struct unit {
    const char *name;
    int64_t factor;
};

// "12 mb", "12mb": a number, blanks, one of the units (any case).
static bool parse_quantity(struct str text, const struct unit *units, int64_t *out)
{
    text = str_trim(text);
    size_t digits = 0;
    while (digits < text.size && text.ptr[digits] >= '0' && text.ptr[digits] <= '9') {
        digits++;
    }
    int64_t number;
    if (digits == 0 || !str_to_i64(str_slice(text, 0, digits), &number)) {
        return false;
    }
    struct str name = str_trim(str_slice(text, digits, text.size));
    for (const struct unit *unit = units; unit->name != NULL; unit++) {
        if (str_is_nocase(name, unit->name)) {
            return !__builtin_mul_overflow(number, unit->factor, out);
        }
    }
    return false;
}

bool settings_parse_duration(struct str text, int64_t *ms)
{
    static const struct unit units[] = {
        {"", 1000000},          {"ns", 1},
        {"nano", 1},            {"nanosecond", 1},
        {"us", 1000},           {"\xc2\xb5s", 1000},
        {"micro", 1000},        {"microsecond", 1000},
        {"ms", 1000000},        {"milli", 1000000},
        {"millis", 1000000},    {"millisecond", 1000000},
        {"milliseconds", 1000000}, {"s", 1000000000},
        {"sec", 1000000000},    {"second", 1000000000},
        {"seconds", 1000000000}, {"min", 60000000000},
        {"m", 60000000000},     {"minute", 60000000000},
        {"minutes", 60000000000}, {"h", 3600000000000},
        {"hour", 3600000000000}, {"hours", 3600000000000},
        {"d", 86400000000000},  {"day", 86400000000000},
        {"days", 86400000000000}, {NULL, 0}};
    int64_t ns;
    if (!parse_quantity(text, units, &ns)) {
        return false;
    }
    *ms = ns / 1000000;
    return true;
}

bool settings_parse_size(struct str text, int64_t *bytes)
{
    static const struct unit units[] = {
        {"", 1},           {"b", 1},           {"bytes", 1},      {"k", 1 << 10},
        {"kb", 1 << 10},   {"kib", 1 << 10},   {"kibibytes", 1 << 10}, {"m", 1 << 20},
        {"mb", 1 << 20},   {"mib", 1 << 20},   {"mebibytes", 1 << 20}, {"g", 1 << 30},
        {"gb", 1 << 30},   {"gib", 1 << 30},   {"gibibytes", 1 << 30},
        {"t", INT64_C(1) << 40}, {"tb", INT64_C(1) << 40}, {NULL, 0}};
    return parse_quantity(text, units, bytes);
}

static bool is_choice(const char *choices, struct str value)
{
    struct str rest = str_from(choices);
    for (;;) {
        size_t bar = str_find(rest, '|');
        if (str_equal_nocase(str_slice(rest, 0, bar), value)) {
            return true;
        }
        if (bar == rest.size) {
            return false;
        }
        rest = str_slice(rest, bar + 1, rest.size);
    }
}

static bool fits(const struct setting_known *known, struct str value)
{
    int64_t number;
    switch (known->kind) {
    case SETTING_TEXT:
    case SETTING_ZONE: return true;
    case SETTING_BOOL: return str_is_nocase(value, "true") || str_is_nocase(value, "false");
    case SETTING_COUNT: return str_to_i64(value, &number) && number >= 1 && number <= 4096;
    case SETTING_DURATION: return settings_parse_duration(value, &number);
    case SETTING_SIZE: return settings_parse_size(value, &number);
    case SETTING_CHOICE: return is_choice(known->choices, value);
    }
    return false;
}

static enum status check_limit(struct str key, struct str value, struct err *err)
{
    for (uint32_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const struct setting_limit *limit = &limits[i];
        int64_t ms;
        bool is_zero = settings_parse_duration(value, &ms) && ms == 0;
        if (!str_is(key, limit->key) || str_is_nocase(value, limit->only) || is_zero) {
            continue;
        }
        ERR(err, STATUS_UNSUPPORTED, "'%s' = '%.*s' is not supported yet", limit->key,
            STR_ARGS(value));
        err_hint(err, "it is '%s'", limit->only);
        return STATUS_UNSUPPORTED;
    }
    return STATUS_OK;
}

// "a|b|" -> "one of: a, b".
static void hint_choices(const char *choices, struct err *err)
{
    char text[ERR_HINT_MAX] = "";
    size_t size = 0;
    for (const char *at = choices; *at != '\0' && size + 3 < sizeof text; at++) {
        bool separates = *at == '|';
        if (separates && at[1] == '\0') {
            break;
        }
        text[size++] = separates ? ',' : *at;
        if (separates) {
            text[size++] = ' ';
        }
    }
    err_hint(err, "one of: %s", text);
}

static const char *kind_text(const struct setting_known *known)
{
    switch (known->kind) {
    case SETTING_TEXT:
    case SETTING_ZONE: return "a text";
    case SETTING_BOOL: return "true or false";
    case SETTING_COUNT: return "a number from 1 to 4096";
    case SETTING_DURATION: return "a duration such as '10 s' or '200 ms'";
    case SETTING_SIZE: return "a size such as '512 mb' or '2 gb'";
    case SETTING_CHOICE: return known->choices;
    }
    return "";
}

enum status settings_set(struct settings *settings, struct str key, struct str value,
                         struct err *err)
{
    const struct setting_known *known = find_known(key);
    if (known != NULL && !fits(known, value)) {
        ERR(err, STATUS_INVALID_DATA, "'%.*s' is no value of '%.*s'", STR_ARGS(value),
            STR_ARGS(key));
        if (known->kind == SETTING_CHOICE) {
            hint_choices(known->choices, err);
        } else {
            err_hint(err, "it takes %s", kind_text(known));
        }
        return STATUS_INVALID_DATA;
    }
    TRY(check_limit(key, value, err));
    struct setting_entry *entry = find_entry(settings, key);
    if (entry == NULL) {
        VEC_PUSH(&settings->entries, ((struct setting_entry){copy_text(key), NULL}));
        entry = &settings->entries.items[settings->entries.count - 1];
    }
    mem_free(entry->value);
    entry->value = copy_text(value);
    return STATUS_OK;
}

enum status settings_check_key(struct str key, struct err *err)
{
    const char *best = NULL;
    uint32_t distance = 3;
    for (uint32_t i = 0; i < sizeof known_settings / sizeof *known_settings; i++) {
        uint32_t own = str_distance(key, str_from(known_settings[i].key));
        if (own < distance) {
            distance = own;
            best = known_settings[i].key;
        }
    }
    if (best == NULL || distance == 0) {
        return STATUS_OK;
    }
    ERR(err, STATUS_INVALID_DATA, "there is no setting '%.*s'", STR_ARGS(key));
    err_hint(err, "did you mean '%s'?", best);
    return STATUS_INVALID_DATA;
}

void settings_reset(struct settings *settings, struct str key)
{
    struct setting_entry *entry = find_entry(settings, key);
    if (entry != NULL) {
        mem_free(entry->key);
        mem_free(entry->value);
        *entry = settings->entries.items[--settings->entries.count];
    }
}

void settings_reset_all(struct settings *settings)
{
    for (uint32_t i = 0; i < settings->entries.count; i++) {
        mem_free(settings->entries.items[i].key);
        mem_free(settings->entries.items[i].value);
    }
    settings->entries.count = 0;
}

const char *settings_get(const struct settings *settings, const char *key)
{
    const struct setting_entry *entry = find_entry(settings, str_from(key));
    if (entry != NULL) {
        return entry->value;
    }
    const struct setting_known *known = find_known(str_from(key));
    return known == NULL ? NULL : known->value;
}

bool settings_is_set(const struct settings *settings, const char *key)
{
    return find_entry(settings, str_from(key)) != NULL;
}

bool settings_bool(const struct settings *settings, const char *key)
{
    return str_is_nocase(str_from(settings_get(settings, key)), "true");
}

int64_t settings_count(const struct settings *settings, const char *key)
{
    int64_t number = 0;
    return str_to_i64(str_from(settings_get(settings, key)), &number) ? number : 0;
}

int64_t settings_duration_ms(const struct settings *settings, const char *key)
{
    int64_t ms = 0;
    bool ok = settings_parse_duration(str_from(settings_get(settings, key)), &ms);
    ASSERT(ok && "values of known keys are checked when they are set");
    return ms;
}

int64_t settings_bytes(const struct settings *settings, const char *key)
{
    int64_t bytes = 0;
    return settings_parse_size(str_from(settings_get(settings, key)), &bytes) ? bytes : 0;
}
