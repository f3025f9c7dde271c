// SPDX-License-Identifier: Apache-2.0
//
// avro_schema: an Avro schema with the properties that Iceberg puts into it (Avro 1.11
// specification; Iceberg spec, appendix A, Avro).
//
// Field ids: `field-id` of record fields, `element-id` of arrays, `key-id` and `value-id` of maps;
// AVRO_NO_ID where a schema has none. Aliases and namespaces are not resolved: names are compared
// with their namespaces as they are written, then by their last part.
//
// Hostile input: nesting is limited to AVRO_DEPTH_MAX. A record may contain itself by name; whoever
// walks data of such a schema limits the depth (avro_cursor does).
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct arena;

enum { AVRO_NO_ID = -1, AVRO_DEPTH_MAX = 64 };

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
    AVRO_LOGICAL_MAP, // Iceberg: an array of {key, value} records is a map
};

struct avro_schema;

struct avro_field {
    struct str name; // the property iceberg-field-name where there is one
    int32_t id;
    const struct avro_schema *schema;
};

struct avro_schema {
    enum avro_kind kind;
    enum avro_logical logical;
    struct str name;   // of RECORD, ENUM, FIXED
    int32_t size;      // of FIXED
    int32_t precision; // of DECIMAL
    int32_t scale;
    bool adjust_to_utc; // of timestamps
    int32_t element_id, key_id, value_id;
    uint32_t count;                  // of fields, branches, symbols; 1 for ARRAY and MAP
    const struct avro_field *fields; // RECORD; names of ENUM's symbols; others use `schema` only
};

// `json` is the text of `avro.schema`; the result borrows from it and from the arena.
MUST_USE enum status avro_schema_parse(struct arena *arena, struct str json,
                                       const struct avro_schema **out, struct err *err);

// The branch that is not null of a union of two, the schema itself where it is no union; NULL for
// other unions.
const struct avro_schema *avro_schema_value(const struct avro_schema *schema);
