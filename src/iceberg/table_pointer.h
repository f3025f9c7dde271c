// SPDX-License-Identifier: Apache-2.0
//
// table_pointer: the one thing that a catalog does for a commit: it knows which metadata file a
// table is at and moves it on, if nobody else has in the meantime.
//
// Implemented by the catalogs (catalog_sqlite.c, catalog_hadoop.c) and by the simulator's. Calls
// block; one at a time per object.
#pragma once

#include "base/err.h"
#include "base/str.h"

struct arena;
struct table_pointer;

struct table_name {
    struct str database; // levels joined by '.'
    struct str name;
};

struct table_pointer_ops {
    // NOT_FOUND: no such table.
    enum status (*load)(struct table_pointer *pointer, struct arena *arena,
                        const struct table_name *table, struct str *location, struct err *err);
    // Moves the table from metadata file `expected` to `next`; an empty `expected` makes the table.
    // CONFLICT: it is somewhere else, nothing was done, and this call will not take effect later.
    // EXISTS: the table to be made exists. NOT_FOUND: no such table or database. COMMIT_UNKNOWN: it
    // may have moved, or may move still.
    enum status (*swap)(struct table_pointer *pointer, const struct table_name *table,
                        struct str expected, struct str next, struct err *err);
    // Where the table is after a swap to `next`, for catalogs that give the file a name of their
    // own, which others may take for another metadata file. In `arena`. NULL: at `next`.
    struct str (*published)(struct table_pointer *pointer, struct arena *arena,
                            const struct table_name *table, struct str expected, struct str next);
};

struct table_pointer {
    const struct table_pointer_ops *ops;
};
