// SPDX-License-Identifier: Apache-2.0
//
// kafka_table: what the options of a table with 'connector' = 'kafka' say, read and checked once.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "catalog/connector.h"
#include "catalog/table_def.h"

enum kafka_place {
    KAFKA_PLACE_EARLIEST,
    KAFKA_PLACE_LATEST,
    KAFKA_PLACE_GROUP,
    KAFKA_PLACE_TIMESTAMP,
    KAFKA_PLACE_OFFSETS, // specific ones
    KAFKA_PLACE_NONE,    // unbounded
};

struct kafka_offset {
    int32_t partition;
    int64_t offset;
};

// Where reading begins, or ends.
struct kafka_bound {
    enum kafka_place place;
    int64_t timestamp_ms;
    uint32_t offset_count;
    const struct kafka_offset *offsets;
};

struct kafka_format {
    struct str name;    // empty: none
    const char *prefix; // of its options: "json.", "value.json."
};

struct kafka_table {
    struct str name; // of the table, for messages
    uint32_t topic_count;
    const struct str *topics;
    struct str topic_pattern; // empty: a list
    struct str servers;
    struct str group; // empty: none was set
    struct kafka_bound start, end;
    int64_t discovery_ms; // 0: never
    int64_t queue_bytes;
    int64_t timeout_ms;
    int64_t drift_us; // how far partitions may be apart in event time
    struct kafka_format value, key;
    uint32_t key_field_count;
    const struct str *key_fields; // column names
    struct str key_prefix;
    bool value_has_key; // value.fields-include = ALL
};

// INVALID_DATA, stage VALIDATE.
MUST_USE enum status kafka_table_read(struct arena *arena, const struct table_def *def,
                                      struct kafka_table *out, struct err *err);
bool kafka_table_is_key(const struct kafka_table *table, struct str column);

// The connector's own metadata column at `index`; NULL behind the last.
const char *kafka_table_metadata(uint32_t index, const struct type **type);

// For the registry.
MUST_USE enum status kafka_table_describe(struct arena *arena, const struct table_def *def,
                                          struct connector_info *out, struct err *err);
