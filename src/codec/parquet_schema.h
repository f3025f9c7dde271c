// SPDX-License-Identifier: Apache-2.0
//
// parquet_schema: the columns of a Parquet file as a tree of fields with Iceberg's ids, and what
// the tree becomes in the file: schema elements, leaves with their levels.
//
// How types are stored (Iceberg spec, appendix A, Parquet): BOOLEAN boolean; TINYINT, SMALLINT, INT
// int32 (the first two annotated); BIGINT int64; FLOAT, DOUBLE; DECIMAL int32 up to 9 digits, int64
// up to 18, else fixed of the fewest bytes; DATE; TIME int64 microseconds; TIMESTAMP(_LTZ) int64
// microseconds up to precision 6, nanoseconds above, adjusted to UTC for LTZ; CHAR, VARCHAR string;
// BINARY(n) fixed, VARBINARY byte array, of shapes annotated; ARRAY three-level list
// `list.element`; MAP `key_value.key/value`; ROW group; VARIANT a group of `metadata` and `value`.
// Other types are refused (UNSUPPORTED).
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "data/type.h"

struct arena;

enum { PARQUET_DEPTH_MAX = 64, PARQUET_NO_ID = -1 };

// What a byte array holds as WKB; of geography, how its edges run.
enum parquet_geo {
    PARQUET_GEO_NONE,
    PARQUET_GEO_GEOMETRY,
    PARQUET_GEO_SPHERICAL,
    PARQUET_GEO_VINCENTY,
    PARQUET_GEO_THOMAS,
    PARQUET_GEO_ANDOYER,
    PARQUET_GEO_KARNEY,
};

// One field of a schema. ARRAY has one child (the element), MAP two (key, value), ROW one a field,
// MULTISET two (value, count). Whether a value may be null is said by `required` only: the types'
// own nullability is not looked at.
struct parquet_field {
    struct str name; // not used for elements, keys, values
    int32_t id;      // Iceberg's field id; PARQUET_NO_ID: none
    bool required;
    bool is_uuid;         // BINARY(16) annotated as UUID
    enum parquet_geo geo; // of VARBINARY
    struct str crs;       // of those; empty: OGC:CRS84
    const struct type *type;
    uint32_t child_count;
    const struct parquet_field *children;
};

// The fields of a ROW type, ids counted from `*next_id` in pre-order (NULL: no ids).
const struct parquet_field *parquet_schema_fields(struct arena *arena, const struct type *row,
                                                  int32_t *next_id);
