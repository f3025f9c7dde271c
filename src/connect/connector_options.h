// SPDX-License-Identifier: Apache-2.0
//
// connector_options: the tables of the connectors' own options. Their names are Flink's where the
// meaning is the same; ours are marked in the text.
#pragma once

#include "connect/option.h"

enum {
    CONNECTOR_OPTIONS_COMMON = 8,
    CONNECTOR_OPTIONS_KAFKA = 26,
    CONNECTOR_OPTIONS_FILESYSTEM = 18,
    CONNECTOR_OPTIONS_DATAGEN = 13,
    CONNECTOR_OPTIONS_NEXMARK = 21,
    CONNECTOR_OPTIONS_PRINT = 3,
};

extern const struct option_def connector_options_common[CONNECTOR_OPTIONS_COMMON]; // of all tables
extern const struct option_def connector_options_kafka[CONNECTOR_OPTIONS_KAFKA];
extern const struct option_def connector_options_filesystem[CONNECTOR_OPTIONS_FILESYSTEM];
extern const struct option_def connector_options_datagen[CONNECTOR_OPTIONS_DATAGEN];
extern const struct option_def connector_options_nexmark[CONNECTOR_OPTIONS_NEXMARK];
extern const struct option_def connector_options_print[CONNECTOR_OPTIONS_PRINT];
