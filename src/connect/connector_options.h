// SPDX-License-Identifier: Apache-2.0
//
// connector_options: the tables of the connectors' own options. Their names are Flink's where the
// meaning is the same; ours are marked in the text.
#pragma once

#include <stdbool.h>

#include "connect/option.h"

enum {
    CONNECTOR_OPTIONS_COMMON = 8,
    CONNECTOR_OPTIONS_KAFKA = 26,
    CONNECTOR_OPTIONS_FILESYSTEM = 18,
    CONNECTOR_OPTIONS_DATAGEN = 13,
    CONNECTOR_OPTIONS_NEXMARK = 21,
    CONNECTOR_OPTIONS_PRINT = 3,
};

// Options that have one value yet: asking for another is refused, not forgotten.
struct connector_option_limit {
    const char *key;  // a '*' at the end: all that begin so
    const char *only; // NULL: not even to be named
    bool as_sink;     // matters to writing only
    const char *hint;
};
enum { CONNECTOR_OPTION_LIMITS = 9 };
extern const struct connector_option_limit connector_option_limits[CONNECTOR_OPTION_LIMITS];

extern const struct option_def connector_options_common[CONNECTOR_OPTIONS_COMMON]; // of all tables
extern const struct option_def connector_options_kafka[CONNECTOR_OPTIONS_KAFKA];
extern const struct option_def connector_options_filesystem[CONNECTOR_OPTIONS_FILESYSTEM];
extern const struct option_def connector_options_datagen[CONNECTOR_OPTIONS_DATAGEN];
extern const struct option_def connector_options_nexmark[CONNECTOR_OPTIONS_NEXMARK];
extern const struct option_def connector_options_print[CONNECTOR_OPTIONS_PRINT];
