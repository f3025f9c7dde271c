// SPDX-License-Identifier: Apache-2.0
//
// catalog_path: Iceberg tables that no catalog lists, named by their metadata file or their folder
// (metadata_file.h); read only. A table whose files are no longer where they were written is read
// from beside its metadata (store/store_moved.h).
//
// Not attached under a name: get_table() is asked with the path as the table's name, and an empty
// database. The definition's name is the metadata file, so that all that reads it later reads the
// same state.
#pragma once

#include "catalog/catalog.h"

struct store;

// The store is borrowed and outlives it.
struct catalog *catalog_path_new(struct store *store);
