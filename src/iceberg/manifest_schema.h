// SPDX-License-Identifier: Apache-2.0
//
// manifest_schema: the schemas of manifests and manifest lists as Iceberg structs, and any Iceberg
// struct as an Avro schema, in the words of Java's writer (record names r2, r102, k117_v118; docs;
// ids), since old readers cast by them.
#pragma once

#include <stdint.h>

#include "iceberg/spec/iceberg_type.h"

struct arena;
struct strbuf;

// Ids of the fields of manifest entries and manifest lists (Iceberg spec, "Manifests").
enum {
    FIELD_STATUS = 0,
    FIELD_SNAPSHOT_ID = 1,
    FIELD_DATA_FILE = 2,
    FIELD_SEQUENCE_NUMBER = 3,
    FIELD_FILE_SEQUENCE_NUMBER = 4,
    FIELD_PATH = 100,
    FIELD_FORMAT = 101,
    FIELD_PARTITION = 102,
    FIELD_RECORD_COUNT = 103,
    FIELD_FILE_SIZE = 104,
    FIELD_BLOCK_SIZE = 105, // v1 only
    FIELD_COLUMN_SIZES = 108,
    FIELD_VALUE_COUNTS = 109,
    FIELD_NULL_COUNTS = 110,
    FIELD_LOWER_BOUNDS = 125,
    FIELD_UPPER_BOUNDS = 128,
    FIELD_KEY_METADATA = 131,
    FIELD_SPLIT_OFFSETS = 132,
    FIELD_CONTENT = 134,
    FIELD_EQUALITY_IDS = 135,
    FIELD_NAN_COUNTS = 137,
    FIELD_SORT_ORDER_ID = 140,
    FIELD_FIRST_ROW_ID = 142,
    FIELD_REFERENCED_FILE = 143,
    FIELD_CONTENT_OFFSET = 144,
    FIELD_CONTENT_SIZE = 145,
    FIELD_LIST_PATH = 500,
    FIELD_LIST_LENGTH = 501,
    FIELD_LIST_SPEC_ID = 502,
    FIELD_LIST_SNAPSHOT_ID = 503,
    FIELD_LIST_ADDED_FILES = 504,
    FIELD_LIST_EXISTING_FILES = 505,
    FIELD_LIST_DELETED_FILES = 506,
    FIELD_LIST_PARTITIONS = 507,
    FIELD_SUMMARY = 508,
    FIELD_SUMMARY_NULL = 509,
    FIELD_SUMMARY_LOWER = 510,
    FIELD_SUMMARY_UPPER = 511,
    FIELD_LIST_ADDED_ROWS = 512,
    FIELD_LIST_EXISTING_ROWS = 513,
    FIELD_LIST_DELETED_ROWS = 514,
    FIELD_LIST_SEQUENCE_NUMBER = 515,
    FIELD_LIST_MIN_SEQUENCE_NUMBER = 516,
    FIELD_LIST_CONTENT = 517,
    FIELD_SUMMARY_NAN = 518,
    FIELD_LIST_KEY_METADATA = 519,
    FIELD_LIST_FIRST_ROW_ID = 520,
};

// The struct of manifest entries with the partition struct given.
const struct iceberg_type *manifest_schema_entry(struct arena *arena, int32_t format_version,
                                                 const struct iceberg_type *partition);
const struct iceberg_type *manifest_schema_list(struct arena *arena, int32_t format_version);

// The Avro schema of a struct as JSON, the record called `name`.
void manifest_schema_avro(struct strbuf *out, const struct iceberg_type *type, const char *name);
// {"type":"struct","schema-id":0,"fields":[…]}: the header key iceberg.schema.
void manifest_schema_iceberg(struct strbuf *out, const struct iceberg_type *type);
// Bytes of a decimal of that precision as Avro fixed.
int32_t manifest_schema_decimal_bytes(int32_t precision);
