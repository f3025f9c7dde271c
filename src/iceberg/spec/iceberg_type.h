// SPDX-License-Identifier: Apache-2.0
//
// iceberg_type: the types of Iceberg v1 to v3, with their field ids (Iceberg spec, "Schemas and
// Data Types", appendix C).
//
// A type is immutable and lives in an arena, or for ever where it has no parameters. A struct's
// fields, a list's element ("element") and a map's key and value ("key", "value") are all fields:
// an id, a name, whether they are required.
//
// Defaults (v3) are kept as JSON; iceberg_value_from_json() makes values of them.
//
// In SQL (both ways as Flink's Iceberg connector maps them):
//     boolean BOOLEAN | int INT (TINYINT, SMALLINT) | long BIGINT | float FLOAT | double DOUBLE |
//     decimal DECIMAL | date DATE | time TIME(6) | timestamp TIMESTAMP(6) | timestamptz
//     TIMESTAMP_LTZ(6) | timestamp_ns TIMESTAMP(9) | timestamptz_ns TIMESTAMP_LTZ(9) | string
//     STRING (CHAR, VARCHAR) | uuid BINARY(16), which knows that it is one | fixed BINARY(n) |
//     binary BYTES | variant VARIANT | unknown NULL | struct ROW | list ARRAY | map MAP (MULTISET:
//     map of counts) | geometry, geography BYTES (WKB; only read)
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct arena;
struct json_tree;
struct strbuf;
struct type;

// X(NAME, "name")
#define ICEBERG_KIND_LIST(X)                                                                       \
    X(BOOLEAN, "boolean")                                                                          \
    X(INT, "int")                                                                                  \
    X(LONG, "long")                                                                                \
    X(FLOAT, "float")                                                                              \
    X(DOUBLE, "double")                                                                            \
    X(DATE, "date")                                                                                \
    X(TIME, "time")                                                                                \
    X(TIMESTAMP, "timestamp")                                                                      \
    X(TIMESTAMPTZ, "timestamptz")                                                                  \
    X(TIMESTAMP_NS, "timestamp_ns")                                                                \
    X(TIMESTAMPTZ_NS, "timestamptz_ns")                                                            \
    X(STRING, "string")                                                                            \
    X(UUID, "uuid")                                                                                \
    X(BINARY, "binary")                                                                            \
    X(UNKNOWN, "unknown")                                                                          \
    X(VARIANT, "variant")                                                                          \
    X(DECIMAL, "decimal")                                                                          \
    X(FIXED, "fixed")                                                                              \
    X(GEOMETRY, "geometry")                                                                        \
    X(GEOGRAPHY, "geography")                                                                      \
    X(STRUCT, "struct")                                                                            \
    X(LIST, "list")                                                                                \
    X(MAP, "map")

enum iceberg_kind {
#define X(name, text) ICEBERG_##name,
    ICEBERG_KIND_LIST(X)
#undef X
};

enum {
    ICEBERG_DEPTH_MAX = 32,
    ICEBERG_ID_RESERVED = 2147483447,     // ids above are metadata columns
    ICEBERG_ID_FILE = 2147483646,         // _file
    ICEBERG_ID_POS = 2147483645,          // _pos
    ICEBERG_ID_DELETED = 2147483644,      // _deleted
    ICEBERG_ID_SPEC = 2147483643,         // _spec_id
    ICEBERG_ID_PARTITION = 2147483642,    // _partition
    ICEBERG_ID_DELETE_PATH = 2147483546,  // file_path of position deletes
    ICEBERG_ID_DELETE_POS = 2147483545,   // pos of position deletes
    ICEBERG_ID_DELETE_ROW = 2147483544,   // row of position deletes
    ICEBERG_ID_ROW = 2147483540,          // _row_id
    ICEBERG_ID_ROW_SEQUENCE = 2147483539, // _last_updated_sequence_number
};

struct iceberg_field {
    int32_t id;
    bool required;
    struct str name;
    const struct iceberg_type *type;
    struct str doc;                          // ptr NULL: none
    const struct json_tree *initial_default; // NULL: none
    const struct json_tree *write_default;
};

struct iceberg_type {
    enum iceberg_kind kind;
    int32_t precision;     // of DECIMAL; length of FIXED
    int32_t scale;         // of DECIMAL
    struct str parameters; // of GEOMETRY and GEOGRAPHY: what stands in the brackets, or empty
    uint32_t field_count;
    const struct iceberg_field *fields;
};

// A type without parameters; borrowed for ever.
const struct iceberg_type *iceberg_type_simple(enum iceberg_kind kind);
const struct iceberg_type *iceberg_type_decimal(struct arena *arena, int32_t precision,
                                                int32_t scale);
const struct iceberg_type *iceberg_type_fixed(struct arena *arena, int32_t length);
// `fields` are copied.
const struct iceberg_type *iceberg_type_struct(struct arena *arena,
                                               const struct iceberg_field *fields, uint32_t count);
const struct iceberg_type *iceberg_type_list(struct arena *arena, int32_t element_id,
                                             bool element_required,
                                             const struct iceberg_type *element);
const struct iceberg_type *iceberg_type_map(struct arena *arena, const int32_t ids[2],
                                            bool value_required, const struct iceberg_type *key,
                                            const struct iceberg_type *value);

bool iceberg_type_is_primitive(const struct iceberg_type *type); // neither nested nor variant
bool iceberg_type_equal(const struct iceberg_type *a, const struct iceberg_type *b); // ids included
// The format version that a type needs, at any depth: 1 or 3.
int32_t iceberg_type_version(const struct iceberg_type *type);

// As Java prints it: "decimal(9, 2)", "fixed[16]", "timestamptz". Not for nested types.
void iceberg_type_print(struct strbuf *out, const struct iceberg_type *type);
void iceberg_type_print_json(struct strbuf *out, const struct iceberg_type *type);
// "fields":[…] of a struct, without braces around it.
void iceberg_type_print_fields(struct strbuf *out, const struct iceberg_type *type);
// Strings are borrowed from the tree.
MUST_USE enum status iceberg_type_parse(struct arena *arena, const struct json_tree *json,
                                        const struct iceberg_type **out, struct err *err);

// Ids are given as Java does: those of a level first, then what is below, counting *next_id up.
MUST_USE enum status iceberg_type_from_sql(struct arena *arena, const struct type *type,
                                           int32_t *next_id, const struct iceberg_type **out,
                                           struct err *err);
MUST_USE enum status iceberg_type_to_sql(struct arena *arena, const struct iceberg_type *type,
                                         bool required, const struct type **out, struct err *err);
