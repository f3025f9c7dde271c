// SPDX-License-Identifier: Apache-2.0
//
// iceberg_catalog: Iceberg catalogs by their options: those of CREATE CATALOG ... WITH ('type' =
// 'iceberg', ...), and of a single table WITH ('connector' = 'iceberg', 'catalog-type' = ...).
//
//     'catalog-type' = 'hadoop'   'warehouse' = 'file:///dir'            (iceberg/catalog_hadoop.h)
//     'catalog-type' = 'jdbc'     'uri' = 'jdbc:sqlite:/file', 'warehouse', 'catalog-name'
//                                                                        (iceberg/catalog_sqlite.h)
// Others are refused by name.
#pragma once

#include "base/err.h"
#include "catalog/table_def.h"

struct catalog;
struct store;

// `name` is the catalog's in the session. INVALID_DATA and UNSUPPORTED with hints, stage VALIDATE.
MUST_USE enum status iceberg_catalog_open(struct str name, const struct table_option *options,
                                          uint32_t option_count, struct store *store,
                                          struct catalog **out, struct err *err);

// Whether a table is one of a catalog that its own options name ('connector' = 'iceberg').
bool iceberg_catalog_names_table(const struct table_def *def);
// Opens the catalog that such a table's options name.
MUST_USE enum status iceberg_catalog_open_of_table(const struct table_def *def, struct store *store,
                                                   struct catalog **out, struct err *err);
// Whether two tables name the same catalog.
bool iceberg_catalog_same(const struct table_def *a, const struct table_def *b);
// Such a table as the catalog knows it, for reading and writing: its definition's columns with the
// table's field ids, owner `catalog`. The table and its database are made where they are missing,
// as Flink does; with `makes_it` false, the definition is taken for what would be there.
// INVALID_DATA where the columns do not fit.
MUST_USE enum status iceberg_catalog_resolve(struct catalog *catalog, struct arena *arena,
                                             const struct table_def *def, bool makes_it,
                                             const struct table_def **out, struct err *err);
