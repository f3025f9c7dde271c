// SPDX-License-Identifier: Apache-2.0
#include "sim/sim_lake.h"

#include <string.h>

#include "base/assert.h"
#include "iceberg/commit.h"
#include "iceberg/iceberg_def.h"
#include "iceberg/table_reader.h"

static void place(struct catalog *catalog, struct table_place *out)
{
    *out = sim_lake_place((struct sim_lake *)catalog);
}

static const struct catalog_ops catalog_ops = {.type = "iceberg", .place = place};

void sim_lake_init(struct sim_lake *lake, struct sim_world *world)
{
    *lake = (struct sim_lake){.catalog = {.ops = &catalog_ops,
                                          .name = STR_LIT("lake"),
                                          .default_database = STR_LIT("db")},
                              .world = world};
    sim_pointer_init(&lake->pointer, world);
}

void sim_lake_release(struct sim_lake *lake)
{
    sim_pointer_release(&lake->pointer);
}

struct table_place sim_lake_place(struct sim_lake *lake)
{
    return (struct table_place){
        .store = lake->world->lake, .pointer = &lake->pointer.base, .env = &lake->world->env.base};
}

static void take_over(struct sim_lake *lake, const struct table_def *def, struct table_def *out)
{
    out->kind = TABLE_KIND_TABLE;
    out->is_iceberg = true;
    out->catalog_name = lake->catalog.name;
    out->database = lake->catalog.default_database;
    out->name = def->name;
    out->owner = &lake->catalog;
}

enum status sim_lake_create(struct sim_lake *lake, struct arena *arena, const struct table_def *def,
                            struct table_def **out, struct err *err)
{
    struct table_place place = sim_lake_place(lake);
    struct table_update_new table = {0};
    char *uuid = arena_zalloc(arena, TABLE_ENV_UUID_TEXT + 1);
    TRY(iceberg_def_new_table(arena, def, &table, err));
    table_env_uuid(place.env, uuid);
    table.uuid = str_from(uuid);
    table.location = arena_printf(arena, "lake/db/%.*s", STR_ARGS(def->name));
    struct table_name name = {lake->catalog.default_database, def->name};
    lake->world->quiet = true;
    enum status status = commit_create(&place, &name, &table, err);
    lake->world->quiet = false;
    TRY(status);
    struct iceberg_table *opened;
    TRY(sim_lake_open(lake, arena_str(arena, def->name).ptr, &opened, err));
    status = iceberg_def_of_table(arena, opened->metadata, out, err);
    if (status == STATUS_OK) {
        take_over(lake, def, *out);
        // What it has points into the metadata, which goes now.
        *out = table_def_copy(arena, *out);
    }
    sim_lake_close(lake, opened);
    return status;
}

enum status sim_lake_open(struct sim_lake *lake, const char *name, struct iceberg_table **out,
                          struct err *err)
{
    struct table_place place = sim_lake_place(lake);
    place.env = &lake->world->sound_env.base;
    struct table_name table = {lake->catalog.default_database, str_from(name)};
    ASSERT(!lake->world->quiet);
    lake->world->quiet = true;
    enum status status = iceberg_table_open(&place, &table, out, err);
    if (status != STATUS_OK) {
        lake->world->quiet = false;
    }
    return status;
}

void sim_lake_close(struct sim_lake *lake, struct iceberg_table *table)
{
    iceberg_table_free(table);
    lake->world->quiet = false;
}

enum status sim_lake_read(struct sim_lake *lake, const struct sim_lake_reading *reading,
                          struct err *err)
{
    struct table_reader_options options = {.store = lake->world->lake,
                                           .metadata = reading->table->metadata,
                                           .schema = reading->plan->schema};
    struct table_reader *reader;
    struct batch batch;
    TRY(table_reader_open(&options, reading->task, &reader, err));
    enum status status;
    while ((status = table_reader_next(reader, &batch, err)) == STATUS_OK) {
        status = reading->take(reading->context, &batch, err);
        if (status != STATUS_OK) {
            break;
        }
    }
    table_reader_free(reader);
    return status == STATUS_END ? STATUS_OK : status;
}
