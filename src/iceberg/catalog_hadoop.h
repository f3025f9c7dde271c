// SPDX-License-Identifier: Apache-2.0
//
// catalog_hadoop: a warehouse directory is the catalog (Java's HadoopCatalog): folders are
// namespaces, a folder with metadata/*.metadata.json is a table (hadoop_table.h).
//
// A database is a path of folders joined by '.': `a.b` is <warehouse>/a/b, or the folder `a.b`
// where there is one. Folders whose names begin with '.' are left alone. DROP TABLE removes the
// table's folder with its data: it is nowhere else. Nothing but tables can be stored: no views, no
// properties of databases.
//
// Local directories only. Threads: any; nothing is kept.
#pragma once

#include "base/err.h"
#include "catalog/catalog.h"
#include "iceberg/table_env.h"

struct store;

struct catalog_hadoop_options {
    struct str name; // in the session
    struct str default_database;
    struct str warehouse;  // "file:///…" or "/…", without the last '/'
    struct store *store;   // borrowed, as `env`
    struct table_env *env; // NULL: the system's
};

struct catalog *catalog_hadoop_open(const struct catalog_hadoop_options *options);
