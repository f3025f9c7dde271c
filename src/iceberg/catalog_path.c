// SPDX-License-Identifier: Apache-2.0
#include "iceberg/catalog_path.h"

#include "base/arena.h"
#include "base/mem.h"
#include "iceberg/iceberg_def.h"
#include "iceberg/iceberg_table.h"
#include "iceberg/metadata_file.h"

struct catalog_path {
    struct catalog base;
    struct table_pointer pointer;
    struct store *store;
};

static void place(struct catalog *catalog, struct table_place *out)
{
    struct catalog_path *self = (struct catalog_path *)catalog;
    *out = (struct table_place){.store = self->store,
                                .pointer = &self->pointer,
                                .env = table_env_system(),
                                .finds_moved = true};
}

static enum status load(struct table_pointer *pointer, struct arena *arena,
                        const struct table_name *table, struct str *location, struct err *err)
{
    (void)pointer, (void)err;
    *location = arena_str(arena, table->name);
    return STATUS_OK;
}

static enum status swap(struct table_pointer *pointer, const struct table_name *table,
                        struct str expected, struct str next, struct err *err)
{
    (void)pointer, (void)expected, (void)next;
    return ERR(err, STATUS_UNSUPPORTED, "%.*s: a table without a catalog is read only",
               STR_ARGS(table->name));
}

static const struct table_pointer_ops pointer_ops = {.load = load, .swap = swap};

static enum status get_table(struct catalog *catalog, struct arena *arena, struct str database,
                             struct str name, const struct table_def **out, struct err *err)
{
    struct catalog_path *self = (struct catalog_path *)catalog;
    struct table_place at;
    struct iceberg_table *table;
    struct table_def *def;
    struct str file;
    (void)database;
    TRY(metadata_file_find(self->store, arena, name, &file, err));
    place(catalog, &at);
    TRY(iceberg_table_open(&at, &(struct table_name){.name = file}, &table, err));
    enum status status = iceberg_def_of_table(arena, table->metadata, &def, err);
    iceberg_table_free(table);
    TRY(status);
    def->name = file;
    def->owner = catalog;
    *out = def;
    return STATUS_OK;
}

static void close_catalog(struct catalog *catalog)
{
    mem_free(catalog);
}

static const struct catalog_ops catalog_ops = {
    .type = "path", .get_table = get_table, .place = place, .close = close_catalog};

struct catalog *catalog_path_new(struct store *store)
{
    struct catalog_path *self = mem_zalloc(sizeof *self);
    self->base.ops = &catalog_ops;
    self->pointer.ops = &pointer_ops;
    self->store = store;
    return &self->base;
}
