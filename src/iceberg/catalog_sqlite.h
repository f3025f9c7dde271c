// SPDX-License-Identifier: Apache-2.0
//
// catalog_sqlite: the embedded catalog, one SQLite file in the schema of Iceberg's JDBC catalog
// (Java's JdbcCatalog, PyIceberg's SqlCatalog; both open the same file with the catalog's name).
//
//     iceberg_tables                 a row a table: where its metadata is; iceberg_type NULL or
//     TABLE
//     iceberg_namespace_properties   databases; `exists` = `true` makes an empty one
//     frazil_definitions             ours: connector tables and views, as JSON (definition_json.h)
//
// The file is in WAL mode with synchronous=FULL: a swap that was answered survives a power loss. A
// swap is one UPDATE ... WHERE metadata_location = <expected>. What the file system reports in the
// middle of it is COMMIT_UNKNOWN: the commit record may be in the log.
//
// Threads: any; one lock around the connection. Other processes (PyIceberg, Java, more of ours) may
// have the file open; a busy file is waited for, BUSY_MS.
#pragma once

#include "base/err.h"
#include "catalog/catalog.h"
#include "iceberg/table_env.h"
#include "iceberg/table_pointer.h"

struct store;

struct catalog_sqlite_options {
    const char *path;            // of the SQLite file; its directory exists
    struct str name;             // catalog_name in its rows: "lake"
    struct str default_database; // made where it is missing; "default"
    struct str warehouse;  // where tables are made: "file:///…/warehouse", without the last '/'
    struct store *store;   // borrowed, as `env`
    struct table_env *env; // NULL: the system's
};

MUST_USE enum status catalog_sqlite_open(const struct catalog_sqlite_options *options,
                                         struct catalog **out, struct err *err);
