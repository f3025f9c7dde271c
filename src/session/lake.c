// SPDX-License-Identifier: Apache-2.0
#include "session/lake.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "iceberg/catalog_sqlite.h"
#include "sys/file.h"

enum status lake_open(struct str data_directory, struct store *store, struct catalog **out,
                      struct err *err)
{
    struct arena arena;
    char absolute[PATH_MAX];
    arena_init(&arena);
    struct str directory = arena_str(&arena, data_directory);
    enum status status = file_make_directories(directory.ptr, err);
    if (status == STATUS_OK && realpath(directory.ptr, absolute) == NULL) {
        status = ERR(err, STATUS_IO, "%s: %s", directory.ptr, strerror(errno));
    }
    if (status == STATUS_OK) {
        struct catalog_sqlite_options options = {
            .path = arena_printf(&arena, "%s/catalog.db", absolute).ptr,
            .name = STR_LIT("lake"),
            .default_database = STR_LIT("default"),
            .warehouse = arena_printf(&arena, "file://%s/warehouse", absolute),
            .store = store,
            .is_ours = true};
        status = catalog_sqlite_open(&options, out, err);
    }
    if (status != STATUS_OK) {
        err_context(err, "data directory %s", directory.ptr);
        err_hint(err, status == STATUS_INVALID_DATA
                          ? "its catalog.db is no SQLite file: move it away, or restore it"
                          : "--data DIR or FRAZIL_DATA choose another one");
        status = status == STATUS_INVALID_DATA ? STATUS_IO : status; // no fault of the statement
    }
    arena_release(&arena);
    return status;
}
