// SPDX-License-Identifier: Apache-2.0
//
// avro_columns: Avro schemas as columns with SQL types, and such columns as the schema of a file.
//
//     null NULL | boolean BOOLEAN | int INT | long BIGINT | float FLOAT | double DOUBLE |
//     bytes BYTES | string STRING | enum STRING | fixed BINARY(n) | array ARRAY |
//     map MAP<STRING NOT NULL, …> | record ROW | [null, T] T, nullable
//     decimal DECIMAL | date DATE | time-millis, time-micros TIME(3) |
//     timestamp-millis, -micros, -nanos TIMESTAMP_LTZ(3, 6, 9), or TIMESTAMP where Iceberg's
//     adjust-to-utc says false | local-timestamp-* TIMESTAMP | uuid STRING, of a fixed BINARY(16) |
//     an array that is a map to Iceberg MAP | a record that is a variant to Iceberg VARIANT
//
// A union of int and long is BIGINT, of float and double DOUBLE; any other of several types is a
// ROW<member0 …, member1 …> with one member that is not null, as Spark reads it. A record that
// contains itself has no type here (UNSUPPORTED, with its name).
//
// What is written: [null, T] with default null for what may be null; DECIMAL fixed; TINYINT and
// SMALLINT int; MAP a map where keys are characters, else an array of key and value; others as
// above, TIME time-millis. Columns with ids are Iceberg's (Iceberg spec, appendix A, Avro): the
// property `field-id` and its kin, TIME time-micros, TIMESTAMP(_LTZ) timestamp-micros or -nanos
// with adjust-to-utc.
#pragma once

#include "base/err.h"
#include "codec/avro_schema.h"
#include "data/type.h"

struct strbuf;

struct avro_column {
    struct str name; // not used for elements, keys and values
    int32_t id;      // AVRO_NO_ID: none
    bool required;   // never null: this counts, not the nullability of `type`
    bool is_uuid;    // BINARY(16) that is a UUID
    bool is_union;   // a ROW of the members of `schema`, which is a union of several types
    const struct type *type;
    uint32_t child_count; // ARRAY: the element; MAP and MULTISET: key and value; ROW: its fields
    const struct avro_column *children;
    // Further names by which it may be found.
    uint32_t alias_count;
    const struct str *aliases;
    // Where it was made from a schema: that, and the default of its field. NULL: none.
    const struct avro_schema *schema;
    const struct json_tree *default_value;
};

// The fields of a record; another schema is one column of the name "value".
MUST_USE enum status avro_columns_of_schema(struct arena *arena, const struct avro_schema *schema,
                                            const struct avro_column **out, uint32_t *count,
                                            struct err *err);
// The fields of a ROW, without ids; required by the nullability of their types.
const struct avro_column *avro_columns_of_type(struct arena *arena, const struct type *row);

// The bytes of a decimal of so many digits: the fewest that hold them all.
uint32_t avro_columns_decimal_size(int32_t precision);
// The schema of a file of these columns, a record of that name. UNSUPPORTED, with the column's
// name, where a type has no form in Avro.
MUST_USE enum status avro_columns_print(struct strbuf *out, struct str record_name,
                                        const struct avro_column *columns, uint32_t count,
                                        struct err *err);
