// SPDX-License-Identifier: Apache-2.0
//
// catalog_sqlite: a catalog that is one SQLite file in the schema of Iceberg's JDBC catalog (Java's
// JdbcCatalog, PyIceberg's SqlCatalog; all open the same file): the embedded one of the data
// directory, and files of others.
//
//     iceberg_tables                 a row a table: where its metadata is; iceberg_type NULL or
//                                    TABLE (schema V1), or no such column (V0: all are tables)
//     iceberg_namespace_properties   databases; `exists` = `true` makes an empty one
//     frazil_definitions             ours: connector tables and views, as JSON (definition_json.h)
//
// Rows carry the name that their catalog has for its owner, `row_name`. Nested namespaces are one
// name with '.' between the levels. Tables are made at the database's property `location`, else
// below the warehouse, a folder a level.
//
// Durability. The embedded file is in WAL mode with synchronous=FULL; files of others keep their
// journal mode, with synchronous=EXTRA (rollback journals: their directory is fsynced, too): a swap
// that was answered survives a power loss. A swap is one UPDATE ... WHERE metadata_location =
// <expected>. What the file system reports in the middle of it is COMMIT_UNKNOWN: the commit record
// may be in the log. Files of others are not changed by being attached, tables that are missing in
// them apart.
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
    const char *path;    // of the SQLite file; its directory exists
    struct str name;     // in the session
    struct str row_name; // empty: `name`, or the only one that the file of another has
    struct str default_database;
    struct str warehouse;  // where tables are made: "file:///…/warehouse", without the last '/'
    struct store *store;   // borrowed, as `env`
    struct table_env *env; // NULL: the system's
    bool is_ours;          // holds definitions, has the default database, is in WAL mode
};

MUST_USE enum status catalog_sqlite_open(const struct catalog_sqlite_options *options,
                                         struct catalog **out, struct err *err);
