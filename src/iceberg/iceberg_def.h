// SPDX-License-Identifier: Apache-2.0
//
// iceberg_def: Iceberg tables as SQL knows them: CREATE TABLE to a new table's metadata, metadata
// to a table definition.
#pragma once

#include "catalog/table_def.h"
#include "iceberg/spec/table_metadata.h"
#include "iceberg/spec/table_update.h"

// What a new table is made of. `location` and `uuid` are the caller's to fill. Options become
// properties ("format-version", "location" and "connector" apart), and what is set here where the
// options do not say otherwise:
//     write.parquet.compression-codec = zstd                    (as Java's writers do)
//     history.expire.max-snapshot-age-ms = 3600000, .min-snapshots-to-keep = 100
//     write.metadata.delete-after-commit.enabled = true
// Partition fields are named as Java names them: ts_day, user_id_bucket. The primary key becomes
// the identifier fields. Computed and metadata columns and watermarks are refused.
MUST_USE enum status iceberg_def_new_table(struct arena *arena, const struct table_def *def,
                                           struct table_update_new *out, struct err *err);

// The metadata that making `def` would write, without place and identity: for whoever has to know
// beforehand what becomes of it.
MUST_USE enum status iceberg_def_preview(struct arena *arena, const struct table_def *def,
                                         const struct table_metadata **out, struct err *err);

// The definition of a table; names and owner are the caller's to fill. Properties are the options.
MUST_USE enum status iceberg_def_of_table(struct arena *arena,
                                          const struct table_metadata *metadata,
                                          struct table_def **out, struct err *err);

// Columns and primary key of `def` from a schema of the table.
MUST_USE enum status iceberg_def_columns(struct arena *arena, const struct table_schema *schema,
                                         struct table_def *def, struct err *err);

// Whether making `def` would give the table that is there: columns, keys and partitions equal after
// what Iceberg makes of the types, and each of its options set.
bool iceberg_def_same(struct arena *arena, const struct table_def *def,
                      const struct table_metadata *metadata);
