// SPDX-License-Identifier: Apache-2.0
//
// open_file_int: what the formats of open_file share.
#pragma once

#include "base/arena.h"
#include "codec/avro_columns.h"
#include "iceberg/open_file.h"

struct open_file_maker {
    struct arena arena;
    const struct table_metadata *metadata;
    struct table_env *env;
    struct budget *budget;
    struct file_settings settings;      // of new files
    const struct parquet_field *fields; // all columns of the current schema
    uint32_t field_count;
    bool has_unknown; // among them
    bool has_shapes;
    struct str schema_text; // the schema as JSON: "iceberg.schema" of both formats
    // Made when the first file of the format is.
    struct parquet_encoder *parquet_encoder;
    const struct avro_column *avro_columns;
    struct compress *compress;
};
