// SPDX-License-Identifier: Apache-2.0
//
// catalog_sqlite_int: the inside of catalog_sqlite, shared by its two files.
#pragma once

#include <pthread.h>
#include <stddef.h>

#include "base/arena.h"
#include "iceberg/catalog_sqlite.h"

struct sqlite3;
struct sqlite3_stmt;

struct catalog_sqlite {
    struct catalog base;          // first
    struct table_pointer pointer; // what commits use
    struct arena arena;           // names
    char *path;
    struct str row_name;  // catalog_name of its rows
    bool has_types;       // the file has the column iceberg_type
    bool has_definitions; // frazil_definitions is in the file
    struct str warehouse; // empty: none
    struct store *store;
    struct table_env *env;
    pthread_mutex_t lock; // guards db
    struct sqlite3 *db;
};

static inline struct catalog_sqlite *catalog_sqlite_of_pointer(struct table_pointer *pointer)
{
    return (struct catalog_sqlite *)(void *)((char *)pointer -
                                             offsetof(struct catalog_sqlite, pointer));
}

enum status catalog_sqlite_failed(struct catalog_sqlite *self, const char *what, struct err *err);
MUST_USE enum status catalog_sqlite_exec(struct catalog_sqlite *self, const char *sql,
                                         struct err *err);
// "$IS_TABLE" in the text stands for the condition that a row of iceberg_tables is a table.
MUST_USE enum status catalog_sqlite_prepare(struct catalog_sqlite *self, const char *sql,
                                            struct sqlite3_stmt **out, struct err *err);
void catalog_sqlite_bind(struct sqlite3_stmt *statement, int at, struct str text);
struct str catalog_sqlite_column(struct sqlite3_stmt *statement, int at); // until the next step

// The operations of struct catalog_ops.
enum status catalog_sqlite_list_databases(struct catalog *catalog, struct arena *arena,
                                          struct str **names, uint32_t *count, struct err *err);
enum status catalog_sqlite_create_database(struct catalog *catalog, struct str name,
                                           struct str comment, const struct table_option *options,
                                           uint32_t option_count, struct err *err);
enum status catalog_sqlite_drop_database(struct catalog *catalog, struct str name, bool cascade,
                                         struct err *err);
enum status catalog_sqlite_list_tables(struct catalog *catalog, struct arena *arena,
                                       struct str database, struct str **names,
                                       enum table_kind **kinds, uint32_t *count, struct err *err);
enum status catalog_sqlite_get_table(struct catalog *catalog, struct arena *arena,
                                     struct str database, struct str name,
                                     const struct table_def **out, struct err *err);
enum status catalog_sqlite_create_table(struct catalog *catalog, const struct table_def *def,
                                        struct err *err);
enum status catalog_sqlite_drop_table(struct catalog *catalog, struct str database, struct str name,
                                      enum table_kind kind, bool purge, struct err *err);
enum status catalog_sqlite_alter_options(struct catalog *catalog, struct str database,
                                         struct str name, const struct table_option *options,
                                         uint32_t option_count, struct err *err);
