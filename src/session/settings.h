// SPDX-License-Identifier: Apache-2.0
//
// settings: what SET says. Keys are Flink's wherever the meaning is the same; any other key is kept
// too, as in Flink (a script that sets it runs), and means nothing.
//
//     settings_set(&settings, key, value)          checks the values of keys we know
//     settings_duration_ms(&settings, "execution.checkpointing.interval")
//
// The list of known keys is in settings.c; `SET;` and the manual print it. One thread.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"

enum setting_kind {
    SETTING_TEXT,
    SETTING_BOOL,
    SETTING_COUNT,    // a number >= 1
    SETTING_DURATION, // "10 s", "200ms", "1 min"
    SETTING_SIZE,     // "512 mb", "1g"; bytes
    SETTING_CHOICE,   // one of `choices`
    SETTING_ZONE,     // a zone; checked when it is used, as Flink does
};

struct setting_known {
    const char *key;
    enum setting_kind kind;
    const char *value;   // default
    const char *choices; // "a|b"
    const char *doc;
};

struct setting_entry {
    char *key;
    char *value;
};

struct settings {
    VEC(struct setting_entry) entries; // those that were set
};

void settings_init(struct settings *settings);
void settings_release(struct settings *settings);
// INVALID_DATA with a hint where the value of a known key is not of its kind, UNSUPPORTED where
// what it asks for does not exist yet.
MUST_USE enum status settings_set(struct settings *settings, struct str key, struct str value,
                                  struct err *err);
bool settings_is_known(struct str key);
// The known key that is most like it; NULL: none is.
const char *settings_nearest(struct str key);
void settings_reset(struct settings *settings, struct str key); // back to the default
void settings_reset_all(struct settings *settings);
// The value set, else the default; NULL for a key that is neither.
const char *settings_get(const struct settings *settings, const char *key);
bool settings_is_set(const struct settings *settings, const char *key);
// Of known keys.
bool settings_bool(const struct settings *settings, const char *key);
int64_t settings_count(const struct settings *settings, const char *key); // 0: ""
int64_t settings_duration_ms(const struct settings *settings, const char *key);
int64_t settings_bytes(const struct settings *settings, const char *key); // 0: ""

const struct setting_known *settings_known(uint32_t *count);
