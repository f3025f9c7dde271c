// SPDX-License-Identifier: Apache-2.0
//
// file_location: where a table's data files go, as Java's location providers have it.
//
//     <data>/<partition>/<name>                      data: write.data.path, or <table>/data
//     <data>/<hash>/<partition>/<name>               write.object-storage.enabled
//     <data>/<hash>-<name>                           ... with partitioned-paths = false
//     <data>/<hash>/<database>/<table>/...           ... and data outside of the table's location
//
// The hash is 20 bits of the name's, in directories of 4, 4, 4 and 8: object stores spread keys by
// their beginnings.
#pragma once

#include "base/str.h"

struct arena;
struct iceberg_value;
struct partition_spec;
struct table_metadata;

// In `arena`. A directory a partition field; a name that no file system takes is cut and told apart
// by its hash.
struct str file_location(struct arena *arena, const struct table_metadata *metadata,
                         const struct partition_spec *spec, const struct iceberg_value *tuple,
                         struct str name);
