// SPDX-License-Identifier: Apache-2.0
//
// catalog_tables: what every catalog does with its Iceberg tables through their pointer alone. The
// catalogs (catalog_sqlite.h, catalog_hadoop.h) differ in where names and pointers are kept.
//
// Namespaces of several levels are one database whose name joins them by '.', as the JDBC catalogs
// of Java and PyIceberg write them.
#pragma once

#include "catalog/catalog.h"
#include "iceberg/iceberg_table.h"

// NOT_FOUND, in the words that the session expects.
enum status catalog_tables_missing(const struct catalog *catalog, struct str database,
                                   struct str name, struct err *err);
enum status catalog_tables_no_database(const struct catalog *catalog, struct str database,
                                       struct err *err);
enum status catalog_tables_exists(const struct table_def *def, struct err *err);

// The definition, with names and owner. NOT_FOUND; INVALID_DATA where the pointer leads nowhere.
MUST_USE enum status catalog_tables_get(struct catalog *catalog, const struct table_place *place,
                                        struct arena *arena, struct str database, struct str name,
                                        const struct table_def **out, struct err *err);
// A new table at `location` (the option 'location' comes before it).
MUST_USE enum status catalog_tables_create(const struct table_place *place,
                                           const struct table_def *def, struct str location,
                                           struct err *err);
// The very same table made again is no failure; else EXISTS. Types may look different in SQL than
// they were written (TIMESTAMP(3) is held as TIMESTAMP(6)), which only a catalog can tell.
MUST_USE enum status catalog_tables_same(const struct table_place *place,
                                         const struct table_def *def, struct err *err);
// Sets and removes properties of a table.
MUST_USE enum status catalog_tables_alter(const struct table_place *place, struct str database,
                                          struct str name, const struct table_option *options,
                                          uint32_t option_count, struct err *err);
// UNSUPPORTED where gc.enabled is false: its files must not be removed.
MUST_USE enum status catalog_tables_check_purge(const struct iceberg_table *table, struct err *err);
// Removes everything below a table's location.
MUST_USE enum status catalog_tables_purge(struct store *store, struct str location,
                                          struct err *err);
// `warehouse`/a/b for the database "a.b", in `arena`.
struct str catalog_tables_directory(struct arena *arena, struct str warehouse, struct str database);
