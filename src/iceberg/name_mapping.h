// SPDX-License-Identifier: Apache-2.0
//
// name_mapping: how the columns of a table are found in a file without field ids (Iceberg spec,
// "Column Projection", "Name Mapping Serialization").
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "codec/parquet_schema.h"

struct arena;

struct name_mapping_file {
    const struct parquet_field *fields; // what the file has
    uint32_t field_count;
};

// Makes `fields`, which have ids, be found by name instead: each gets the name that the file has
// for it, "" where it has none. `text` is the table's schema.name-mapping.default: only the names
// that it lists count then. NULL: the columns' own names.
MUST_USE enum status name_mapping_apply(struct arena *arena, const struct str *text,
                                        const struct name_mapping_file *file,
                                        struct parquet_field *fields, uint32_t count,
                                        struct err *err);
// Whether a field of a struct, of that id among those asked for, was found. `mapped` is what
// name_mapping_apply() made of `asked`.
bool name_mapping_has(const struct parquet_field *asked, const struct parquet_field *mapped,
                      uint32_t count, int32_t id);
