// SPDX-License-Identifier: Apache-2.0
//
// key_columns: the columns by which equality deletes find rows: any primitive field that the table
// has or had, also inside structs.
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "data/column.h"
#include "iceberg/spec/iceberg_type.h"

struct arena;
struct table_metadata;
struct table_schema;

struct key_column {
    int32_t id;
    // What to ask a file for: the column, or the struct around the key with one child a level.
    const struct iceberg_field *field;
    uint32_t depth;          // levels of structs above the key
    const struct type *type; // of the key's values as below, nullable
};

// The field of an id with its type in `schema`, else in the newest schema of the table that has it.
// INVALID_DATA: none has, or it lies in a list or map. UNSUPPORTED: types without equality.
MUST_USE enum status key_column_find(struct arena *arena, const struct table_metadata *metadata,
                                     const struct table_schema *schema, int32_t id,
                                     struct key_column *out, struct err *err);
// The key's own values from the column that `field` became; what is not shared is in `arena`.
// Floats come as their bits, integers of the same width: a delete of -0.0 is none of 0.0 and all
// NaN are one, as for partition values (Iceberg spec, "Scan Planning", note 3) and in Java.
struct column key_column_values(struct arena *arena, const struct key_column *key,
                                const struct column *column);
