// SPDX-License-Identifier: Apache-2.0
//
// type: the logical types of Flink SQL, with nullability.
//
// A type is immutable and lives in an arena, or for ever where it is one of the constants below.
// Two types are the same when type_equal() says so; pointers mean nothing.
//
//     INT NOT NULL                    {TYPE_INT, .nullable = false}
//     DECIMAL(10, 2)                  {TYPE_DECIMAL, true, .length = 10, .scale = 2}
//     TIMESTAMP_LTZ(3)                {TYPE_TIMESTAMP_LTZ, true, .length = 3}
//     VARCHAR(5) / STRING             {TYPE_VARCHAR, true, .length = 5 / TYPE_LENGTH_MAX}
//     ARRAY<INT>                      one field, without a name
//     MAP<STRING, INT>                two fields: key, value
//     ROW<x INT, y STRING>            a field each, with names
//
// Each type is held in one physical form (physical.h): the loops know those only.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/str.h"
#include "data/physical.h"

struct arena;
struct strbuf;

// X(NAME, "name in SQL")
#define TYPE_LIST(X)                                                                               \
    X(NULL, "NULL")                                                                                \
    X(BOOLEAN, "BOOLEAN")                                                                          \
    X(TINYINT, "TINYINT")                                                                          \
    X(SMALLINT, "SMALLINT")                                                                        \
    X(INT, "INT")                                                                                  \
    X(BIGINT, "BIGINT")                                                                            \
    X(FLOAT, "FLOAT")                                                                              \
    X(DOUBLE, "DOUBLE")                                                                            \
    X(DECIMAL, "DECIMAL")                                                                          \
    X(CHAR, "CHAR")                                                                                \
    X(VARCHAR, "VARCHAR")                                                                          \
    X(BINARY, "BINARY")                                                                            \
    X(VARBINARY, "VARBINARY")                                                                      \
    X(DATE, "DATE")                                                                                \
    X(TIME, "TIME")                                                                                \
    X(TIMESTAMP, "TIMESTAMP")                                                                      \
    X(TIMESTAMP_LTZ, "TIMESTAMP_LTZ")                                                              \
    X(INTERVAL_MONTH, "INTERVAL YEAR TO MONTH")                                                    \
    X(INTERVAL_SECOND, "INTERVAL DAY TO SECOND")                                                   \
    X(ARRAY, "ARRAY")                                                                              \
    X(MULTISET, "MULTISET")                                                                        \
    X(MAP, "MAP")                                                                                  \
    X(ROW, "ROW")                                                                                  \
    X(VARIANT, "VARIANT")                                                                          \
    X(BITMAP, "BITMAP")                                                                            \
    X(RAW, "RAW")

enum type_kind {
#define X(name, sql) TYPE_##name,
    TYPE_LIST(X)
#undef X
};

enum {
    TYPE_LENGTH_MAX = 2147483647, // STRING is VARCHAR of it, BYTES VARBINARY of it
    TYPE_DECIMAL_PRECISION_MAX = 38,
    TYPE_TIMESTAMP_PRECISION_MAX = 9,
};

struct type_field {
    struct str name; // empty for elements, keys and values
    const struct type *type;
    struct str comment; // empty: none
};

struct type {
    enum type_kind kind;
    bool nullable;
    int32_t length; // of CHAR…VARBINARY; precision of DECIMAL, TIME and TIMESTAMPs
    int32_t scale;  // of DECIMAL
    // Of BINARY(16): the bytes of a UUID, as Iceberg and Parquet have them. Its text has dashes,
    // and texts are read as such where they meet it. No part of equality.
    bool is_uuid;
    uint32_t field_count;
    const struct type_field *fields;
};

// Nullable types without parameters, borrowed for ever: type_int, type_bigint, type_string, …
extern const struct type type_null, type_boolean, type_tinyint, type_smallint, type_int,
    type_bigint, type_float, type_double, type_string, type_bytes, type_date, type_time,
    type_timestamp3, type_timestamp6, type_timestamp_ltz3, type_timestamp_ltz6, type_interval_month,
    type_interval_second, type_variant;

struct type *type_new(struct arena *arena, enum type_kind kind, bool nullable);
const struct type *type_decimal(struct arena *arena, int32_t precision, int32_t scale,
                                bool nullable);
// CHAR, VARCHAR, BINARY, VARBINARY, TIME, TIMESTAMP, TIMESTAMP_LTZ with their length or precision.
const struct type *type_sized(struct arena *arena, enum type_kind kind, int32_t length,
                              bool nullable);
const struct type *type_array(struct arena *arena, const struct type *element, bool nullable);
const struct type *type_map(struct arena *arena, const struct type *key, const struct type *value,
                            bool nullable);
// `fields` is copied, names and types borrowed.
const struct type *type_row(struct arena *arena, const struct type_field *fields,
                            uint32_t field_count, bool nullable);
// The same type with the nullability given; `type` itself where it has it already.
const struct type *type_with_null(struct arena *arena, const struct type *type, bool nullable);
// A deep copy, names included.
const struct type *type_copy(struct arena *arena, const struct type *type);

bool type_equal(const struct type *a, const struct type *b); // nullability included
bool type_equal_nullability_aside(const struct type *a, const struct type *b); // at every depth

static inline bool type_is_integer(const struct type *type)
{
    return type->kind >= TYPE_TINYINT && type->kind <= TYPE_BIGINT;
}
static inline bool type_is_exact(const struct type *type)
{
    return type_is_integer(type) || type->kind == TYPE_DECIMAL;
}
static inline bool type_is_approximate(const struct type *type)
{
    return type->kind == TYPE_FLOAT || type->kind == TYPE_DOUBLE;
}
static inline bool type_is_numeric(const struct type *type)
{
    return type_is_exact(type) || type_is_approximate(type);
}
static inline bool type_is_character(const struct type *type)
{
    return type->kind == TYPE_CHAR || type->kind == TYPE_VARCHAR;
}
static inline bool type_is_binary(const struct type *type)
{
    return type->kind == TYPE_BINARY || type->kind == TYPE_VARBINARY;
}
static inline bool type_is_timestamp(const struct type *type)
{
    return type->kind == TYPE_TIMESTAMP || type->kind == TYPE_TIMESTAMP_LTZ;
}
static inline bool type_is_nested(const struct type *type)
{
    return type->kind == TYPE_ARRAY || type->kind == TYPE_MULTISET || type->kind == TYPE_MAP ||
           type->kind == TYPE_ROW;
}

// TIME(p) as it is here: TIME has microseconds from precision 4 on, and no more.
static inline int32_t type_time_precision(int32_t precision)
{
    return precision < 6 ? precision : 6;
}

// How its values are held. Total: NULL is held as BOOL, VARIANT, BITMAP and RAW as STRING.
enum physical type_physical(const struct type *type);

// As Flink's summary: "DECIMAL(10, 2) NOT NULL", "STRING", "ROW<`x` INT NOT NULL, `y` STRING>".
void type_print(struct strbuf *out, const struct type *type);
struct str type_text(struct arena *arena, const struct type *type);
