// SPDX-License-Identifier: Apache-2.0
//
// option: the options in WITH (…): what there is, checked and read. Each connector and format has
// one table of them, which serves validation, messages, and the reference manual.
//
// Keys compare exactly. In a key '#' stands for the name of a column ('fields.#.min') and a '*' at
// the end for anything ('properties.*'). Durations and sizes are Flink's (base/quantity.h).
//
// Getters expect that option_check() has passed: a value that cannot be read gives the default.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "catalog/table_def.h"

enum option_type {
    OPTION_STRING,
    OPTION_INTEGER,
    OPTION_NUMBER, // with a fraction
    OPTION_BOOLEAN,
    OPTION_DURATION,
    OPTION_MEMORY,
    OPTION_ENUM,
};

struct option_def {
    const char *key;
    enum option_type type;
    bool is_required;
    const char *standard; // the default as text; NULL: none
    const char *values;   // ENUM: "a|b|c", case ignored
    const char *doc;      // one sentence
};

struct option_set {
    const char *prefix; // of all keys: "json.", "value.json."; "" for a connector's own
    const struct option_def *options;
    uint32_t count;
};

// `def` is a table with a connector, or something else (a catalog) of which only the name counts.
// All options of `def` must be in one of the sets, their values of the type, required ones there.
// INVALID_DATA, stage VALIDATE, with the nearest key or the values allowed in the hint.
MUST_USE enum status option_check(const struct table_def *def, const struct option_set *sets,
                                  uint32_t count, struct err *err);

// The value of prefix + key; `standard` where it is absent (may be NULL: the empty str).
struct str option_text(const struct table_def *def, const char *prefix, const char *key,
                       const char *standard);
bool option_is_set(const struct table_def *def, const char *prefix, const char *key);
bool option_bool(const struct table_def *def, const char *prefix, const char *key, bool standard);
int64_t option_integer(const struct table_def *def, const char *prefix, const char *key,
                       int64_t standard);
int64_t option_duration_ms(const struct table_def *def, const char *prefix, const char *key,
                           int64_t standard);
int64_t option_memory(const struct table_def *def, const char *prefix, const char *key,
                      int64_t standard);

bool option_parse_bool(struct str text, bool *out);
