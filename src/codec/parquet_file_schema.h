// SPDX-License-Identifier: Apache-2.0
//
// parquet_file_schema: the schema elements of a file that was read, as a tree of columns with our
// types.
//
// Lists and maps of all ages are known (parquet-format, LogicalTypes.md, "Backward-compatibility
// rules"): three-level lists, two-level lists, repeated fields without annotation, MAP_KEY_VALUE,
// maps without a value (lists of keys).
//
// Types nearest to the file's: UINT_8 SMALLINT, UINT_16 INT, UINT_32 BIGINT, UINT_64 DECIMAL(20,
// 0), INT96 TIMESTAMP(9), FLOAT16 FLOAT, nanoseconds TIMESTAMP(9), times TIME(3), ENUM, JSON
// strings, BSON, INTERVAL, GEOMETRY, GEOGRAPHY bytes, decimals over 38 digits bytes.
#pragma once

#include "codec/parquet_footer.h"
#include "codec/parquet_format.h"

struct arena;

// INVALID_DATA where the elements make no tree.
MUST_USE enum status parquet_file_schema_build(struct arena *arena,
                                               const struct parquet_footer *footer,
                                               struct parquet_tree *out, struct err *err);

// The tree as fields.
const struct parquet_field *parquet_file_schema_fields(struct arena *arena,
                                                       const struct parquet_tree *tree);
