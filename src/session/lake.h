// SPDX-License-Identifier: Apache-2.0
//
// lake: the catalog of the data directory: DIR/catalog.db (Iceberg's JDBC-catalog schema, catalog
// name `lake`), tables under DIR/warehouse. Made where it is missing, with the database `default`.
#pragma once

#include "base/err.h"
#include "base/str.h"

struct catalog;
struct store;

// `data_directory` and `store` are borrowed.
MUST_USE enum status lake_open(struct str data_directory, struct store *store,
                               struct catalog **out, struct err *err);
