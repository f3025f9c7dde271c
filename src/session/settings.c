// SPDX-License-Identifier: Apache-2.0
#include "session/settings.h"

#include <string.h>

#include "base/assert.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/quantity.h"

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

static bool fits(const struct setting_known *known, struct str value)
{
    int64_t number;
    switch (known->kind) {
    case SETTING_TEXT:
    case SETTING_ZONE: return true;
    case SETTING_BOOL: return str_is_nocase(value, "true") || str_is_nocase(value, "false");
    case SETTING_COUNT: return str_to_i64(value, &number) && number >= 1 && number <= 4096;
    case SETTING_DURATION: return quantity_duration_ms(value, &number);
    case SETTING_SIZE: return quantity_bytes(value, &number);
    case SETTING_CHOICE: return quantity_is_choice(value, known->choices);
    }
    return false;
}

static enum status check_limit(struct str key, struct str value, struct err *err)
{
    for (uint32_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const struct setting_limit *limit = &limits[i];
        int64_t ms;
        bool is_zero = quantity_duration_ms(value, &ms) && ms == 0;
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
            quantity_hint_choices(known->choices, err);
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

bool settings_is_known(struct str key)
{
    return find_known(key) != NULL;
}

const char *settings_nearest(struct str key)
{
    struct nearest nearest = nearest_to(key);
    for (uint32_t i = 0; i < sizeof known_settings / sizeof *known_settings; i++) {
        nearest_try(&nearest, str_from(known_settings[i].key));
    }
    return nearest.best.ptr;
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
    bool ok = quantity_duration_ms(str_from(settings_get(settings, key)), &ms);
    ASSERT(ok && "values of known keys are checked when they are set");
    return ms;
}

int64_t settings_bytes(const struct settings *settings, const char *key)
{
    int64_t bytes = 0;
    return quantity_bytes(str_from(settings_get(settings, key)), &bytes) ? bytes : 0;
}
