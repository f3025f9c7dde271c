// SPDX-License-Identifier: Apache-2.0
//
// file_schema: an Iceberg schema as the fields of a Parquet or Avro file, and the figures of a
// written file as the metrics of a data file.
#pragma once

#include "base/err.h"
#include "codec/avro_columns.h"
#include "codec/parquet_writer.h"
#include "iceberg/spec/data_file.h"
#include "iceberg/spec/table_metadata.h"

// All columns of the schema with their ids.
MUST_USE enum status file_schema_fields(struct arena *arena, const struct table_schema *schema,
                                        const struct parquet_field **fields, uint32_t *count,
                                        struct err *err);
// One field, of any id.
MUST_USE enum status file_schema_field(struct arena *arena, const struct iceberg_field *field,
                                       struct parquet_field *out, struct err *err);

// Fields as Avro's columns; what is below them is shared.
const struct avro_column *file_schema_avro(struct arena *arena, const struct parquet_field *fields,
                                           uint32_t count);

// Metrics of a closed file by write.metadata.metrics.*, bounds shortened, all in `arena`.
void file_schema_metrics(struct arena *arena, const struct table_metadata *metadata,
                         const struct parquet_writer_result *result, struct data_file *out);
