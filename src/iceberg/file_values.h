// SPDX-License-Identifier: Apache-2.0
//
// file_values: what stands between the columns of a table and those of a file: shapes that are
// checked, and columns of type unknown, which Parquet files do not have.
#pragma once

#include "base/err.h"
#include "codec/parquet_schema.h"
#include "data/batch.h"

struct arena;

// Whether a field, at any depth, is of type unknown, or a shape.
bool file_values_have_unknown(const struct parquet_field *fields, uint32_t count);
bool file_values_have_shapes(const struct parquet_field *fields, uint32_t count);

// INVALID_DATA, with the field's name, where a value of geometry or geography is no WKB.
MUST_USE enum status file_values_check_shapes(const struct parquet_field *fields, uint32_t count,
                                              const struct batch *batch, struct err *err);

// The fields without those of type unknown, in structs as well; in `arena`.
const struct parquet_field *file_values_known_fields(struct arena *arena,
                                                     const struct parquet_field *fields,
                                                     uint32_t count, uint32_t *out_count);
// The batch without their columns; what is left is shared.
struct batch file_values_known(struct arena *arena, const struct parquet_field *fields,
                               const struct batch *batch);
