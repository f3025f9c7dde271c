// SPDX-License-Identifier: Apache-2.0
//
// avro_schema: an Avro schema with the properties that Iceberg puts into it (Avro 1.11
// specification; Iceberg spec, appendix A, Avro).
//
// Field ids: `field-id` of record fields, `element-id` of arrays, `key-id` and `value-id` of maps;
// AVRO_NO_ID where a schema has none. Names of types are full ones, their namespace in front; names
// of fields and symbols may be any text, as there are writers who do not check them.
//
// A logical type counts only on a type that the specification allows it on, and with sound
// attributes; decimals of over 38 digits are bytes.
//
// Hostile input: nesting is limited to AVRO_DEPTH_MAX, and what a schema amounts to with every type
// written out where it is named to AVRO_WEIGHT_MAX types (LIMIT). A record may contain itself by
// name; whoever walks data of such a schema limits the depth (avro_cursor does).
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct arena;
struct json_tree;

enum {
    AVRO_NO_ID = -1,
    AVRO_DEPTH_MAX = 64,
    AVRO_WEIGHT_MAX = 100000,
    AVRO_DECIMAL_DIGITS_MAX = 38
};

enum avro_kind {
    AVRO_NULL,
    AVRO_BOOLEAN,
    AVRO_INT,
    AVRO_LONG,
    AVRO_FLOAT,
    AVRO_DOUBLE,
    AVRO_BYTES,
    AVRO_STRING,
    AVRO_FIXED,
    AVRO_ENUM,
    AVRO_ARRAY, // one child
    AVRO_MAP,   // one child, the values; keys are strings
    AVRO_RECORD,
    AVRO_UNION, // a child a branch
};

enum avro_logical {
    AVRO_LOGICAL_NONE, // also what is unknown
    AVRO_LOGICAL_DECIMAL,
    AVRO_LOGICAL_DATE,
    AVRO_LOGICAL_TIME_MILLIS,
    AVRO_LOGICAL_TIME_MICROS,
    AVRO_LOGICAL_TIMESTAMP_MILLIS,
    AVRO_LOGICAL_TIMESTAMP_MICROS,
    AVRO_LOGICAL_TIMESTAMP_NANOS,
    AVRO_LOGICAL_LOCAL_TIMESTAMP_MILLIS,
    AVRO_LOGICAL_LOCAL_TIMESTAMP_MICROS,
    AVRO_LOGICAL_LOCAL_TIMESTAMP_NANOS,
    AVRO_LOGICAL_UUID,
    AVRO_LOGICAL_MAP,     // Iceberg: an array of {key, value} records is a map
    AVRO_LOGICAL_VARIANT, // Iceberg: a record of metadata and value, both bytes
};

// Iceberg's property adjust-to-utc.
enum avro_adjust { AVRO_ADJUST_ABSENT, AVRO_ADJUST_FALSE, AVRO_ADJUST_TRUE };

struct avro_schema;

struct avro_field {
    struct str name; // the property iceberg-field-name where there is one
    int32_t id;
    const struct avro_schema *schema;
    struct str written_name; // as Avro has it
    uint32_t alias_count;
    const struct str *aliases;
    const struct json_tree *default_value; // NULL: none
};

struct avro_schema {
    enum avro_kind kind;
    enum avro_logical logical;
    struct str name; // of RECORD, ENUM, FIXED: the full name
    uint32_t alias_count;
    const struct str *aliases; // full names
    int32_t size;              // of FIXED
    int32_t precision;         // of DECIMAL
    int32_t scale;
    enum avro_adjust adjust; // of timestamps
    int32_t element_id, key_id, value_id;
    uint32_t count;                  // of fields, branches, symbols; 1 for ARRAY and MAP
    const struct avro_field *fields; // RECORD; names of ENUM's symbols; others use `schema` only
    int32_t default_symbol;          // of ENUM; -1: none
    uint32_t weight;                 // types in it, itself included; a type within itself counts 1
    uint32_t empty; // parts of a value that take no bytes, at least 1 where none do
    bool has_ids;   // of a parsed text: whether a field at any depth has an id
};

// `json` is the text of `avro.schema`; the result borrows from it and from the arena.
MUST_USE enum status avro_schema_parse(struct arena *arena, struct str json,
                                       const struct avro_schema **out, struct err *err);

// Whether it is a record of two fields, metadata and value, both bytes.
bool avro_schema_is_variant(const struct avro_schema *schema);

// The last part of a full name.
struct str avro_schema_short_name(struct str name);

// The branch that is not null of a union of two, the schema itself where it is no union; NULL for
// other unions.
const struct avro_schema *avro_schema_value(const struct avro_schema *schema);
