// SPDX-License-Identifier: Apache-2.0
//
// catalog: databases and the tables and views in them.
//
// The interface; `lake` (iceberg/catalog_sqlite.c), the in-memory catalog (catalog_memory.c) and
// others implement it by embedding struct catalog as their first member. Calls may block (files,
// network): they are made by sessions and committers, never by workers. Any thread; one call at a
// time per catalog object is enough for its callers, implementations lock for themselves where they
// allow more.
//
// Names compare exactly (Flink's catalogs are case sensitive). Results live in the caller's arena.
#pragma once

#include "base/err.h"
#include "catalog/table_def.h"

struct catalog;
struct table_place; // iceberg/iceberg_table.h

struct catalog_create_options {
    bool if_not_exists; // an existing object of the name is no error
};

struct catalog_ops {
    // "iceberg", "generic_in_memory"; borrowed for ever.
    const char *type;

    // Sorted names.
    enum status (*list_databases)(struct catalog *catalog, struct arena *arena, struct str **names,
                                  uint32_t *count, struct err *err);
    // EXISTS. `options` become properties of the namespace.
    enum status (*create_database)(struct catalog *catalog, struct str name, struct str comment,
                                   const struct table_option *options, uint32_t option_count,
                                   struct err *err);
    // NOT_FOUND; CONFLICT where it holds tables and `cascade` is false.
    enum status (*drop_database)(struct catalog *catalog, struct str name, bool cascade,
                                 struct err *err);

    // Sorted names of both kinds; `kinds` may be NULL. NOT_FOUND: no such database.
    enum status (*list_tables)(struct catalog *catalog, struct arena *arena, struct str database,
                               struct str **names, enum table_kind **kinds, uint32_t *count,
                               struct err *err);
    // NOT_FOUND is filled with a plain text; the session adds the nearest name.
    enum status (*get_table)(struct catalog *catalog, struct arena *arena, struct str database,
                             struct str name, const struct table_def **out, struct err *err);
    // A definition (connector table or view), or a new Iceberg table where def->is_iceberg.
    // EXISTS; NOT_FOUND: no such database; UNSUPPORTED: a type or transform that it cannot hold.
    enum status (*create_table)(struct catalog *catalog, const struct table_def *def,
                                struct err *err);
    // NOT_FOUND; CONFLICT where it is of the other kind. Data of an Iceberg table is left for other
    // engines unless `purge`.
    enum status (*drop_table)(struct catalog *catalog, struct str database, struct str name,
                              enum table_kind kind, bool purge, struct err *err);
    // Replaces options (an empty value removes the key). NULL: not supported.
    enum status (*alter_options)(struct catalog *catalog, struct str database, struct str name,
                                 const struct table_option *options, uint32_t option_count,
                                 struct err *err);
    // What its Iceberg tables are opened with. NULL: it has none.
    void (*place)(struct catalog *catalog, struct table_place *out);
    void (*close)(struct catalog *catalog);
};

struct catalog {
    const struct catalog_ops *ops;
    struct str name;             // as attached in the session
    struct str default_database; // "default"
};

// Flink's in-memory catalog, with the one database given. Definitions only.
struct catalog *catalog_memory_new(struct str name, struct str default_database);
